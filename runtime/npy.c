/* SPDX-License-Identifier: MIT */
/* .npy files as leaves, and computed nodes as .npy files. The format itself is npy_format.c's. */
#include "graph/floats.h"
#include "runtime/array.h"
#include "runtime/npy_format.h"
#include "runtime/write_file.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static fsr_status read_elements(FILE *file, const fsr_npy_header *header, const char *path, void *data,
                                fsr_fault *fault) {
    size_t got = fread(data, 1, (size_t)header->data_bytes, file);
    if (got == (size_t)header->data_bytes)
        return FSR_OK;
    if (ferror(file))
        return fsr_fault_set(fault, FSR_ERR_FILE, "%s: %s", path, strerror(errno));
    return fsr_fault_set(fault, FSR_ERR_FORMAT, "%s: the file ends at byte %lld, in the middle of the elements", path,
                         (long long)header->data_offset + (long long)got);
}

static fsr_status read_file(const char *path, fsr_npy_header *header, void **data, fsr_fault *fault) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return fsr_fault_set(fault, FSR_ERR_FILE, "%s: %s", path, strerror(errno));
    fsr_status status = fsr_npy_header_read(file, header, fault);
    if (status) {
        fsr_fault inner = *fault;
        *fault = (fsr_fault){FSR_OK, NULL};
        fsr_fault_set(fault, status, "%s: %s", path, inner.message ? inner.message : fsr_status_sentence(status));
        fsr_fault_clear(&inner);
    }
    if (!status && !(*data = malloc((size_t)header->data_bytes + 1)))
        status = fsr_fault_set(fault, FSR_ERR_MEMORY, "%s: out of memory for %lld bytes", path,
                               (long long)header->data_bytes);
    if (!status)
        status = read_elements(file, header, path, *data, fault);
    fclose(file);
    return status;
}

/* Fortran order is C order of the reversed shape, seen transposed. */
static fsr_node as_node(fsr_site at, fsr_graph *g, const fsr_npy_header *header, const void *data) {
    const fsr_shape *shape = &header->shape;
    int64_t reversed[FSR_MAX_DIMS];
    if (!header->fortran_order)
        return fsr_from_host_at(at, g, header->dtype, shape->ndim, shape->dim, data);
    for (int i = 0; i < shape->ndim; ++i)
        reversed[i] = shape->dim[shape->ndim - 1 - i];
    return fsr_transpose_at(at, fsr_from_host_at(at, g, header->dtype, shape->ndim, reversed, data), NULL);
}

fsr_node fsr_npy_read_at(fsr_site at, fsr_graph *g, const char *path) {
    FSR_DEFAULT_FLOATS;
    fsr_node x = {0};
    if (!fsr_graph_alive(g))
        return fsr_poison(g, at, FSR_ERR_STALE, "npy_read", "the graph was freed");
    if (!path)
        return fsr_poison(g, at, FSR_ERR_NULL, "npy_read", "path is null");
    fsr_npy_header header;
    fsr_fault fault = {FSR_OK, NULL};
    void *data = NULL;
    fsr_status status = read_file(path, &header, &data, &fault);
    if (status)
        x = fsr_poison(g, at, status, "npy_read", "%s", fault.message ? fault.message : fsr_status_sentence(status));
    else
        x = as_node(at, g, &header, data);
    fsr_fault_clear(&fault);
    free(data);
    return x;
}

/* there: elements of the first axis. */
static fsr_status write_array(const char *path, const fsr_rec *rec, int output, const void *data, int64_t there,
                              fsr_fault *fault) {
    char head[FSR_NPY_HEADER_MAX];
    fsr_shape shape = rec->shape;
    if (shape.ndim)
        shape.dim[0] = there;
    const size_t size = fsr_npy_header_write(head, rec->dtype[output], &shape);
    const size_t bytes = (size_t)fsr_shape_bytes(&shape, rec->dtype[output]);
    fsr_fault inner = {FSR_OK, NULL};
    const fsr_status status = fsr_write_file(path, (fsr_part[]){{head, size}, {data, bytes}}, 2, &inner);
    if (status)
        fsr_fault_set(fault, status, "npy_write: %s", inner.message ? inner.message : fsr_status_sentence(status));
    fsr_fault_clear(&inner);
    return status;
}

fsr_status fsr_npy_write(fsr_node x, const char *path) {
    FSR_DEFAULT_FLOATS;
    fsr_status status = fsr_compute(&x, 1);
    if (status)
        return status;
    const fsr_rec *rec = fsr_node_rec(x);
    fsr_context *ctx = fsr_graph_context(x.graph);
    if (!path)
        return fsr_context_fail(ctx, FSR_ERR_NULL, "npy_write: path is null");
    if (!fsr_npy_has(rec->dtype[x.output]))
        return fsr_context_fail(ctx, FSR_ERR_DTYPE, "npy_write: .npy files have no %s; cast to f32",
                                fsr_dtype_name(rec->dtype[x.output]));
    int64_t count = 0;
    size_t bytes = (size_t)fsr_rec_bytes(rec, (int)x.output);
    void *data = malloc(bytes + 1);
    if (!data)
        return fsr_context_fail(ctx, FSR_ERR_MEMORY, "npy_write: out of memory for %zu bytes", bytes);
    fsr_fault fault = {FSR_OK, NULL};
    status = fsr_read_live(x, data, bytes, &count);
    if (!status)
        status = write_array(path, rec, (int)x.output, data, count, &fault);
    if (fault.status)
        fsr_context_take(ctx, &fault);
    free(data);
    return status;
}

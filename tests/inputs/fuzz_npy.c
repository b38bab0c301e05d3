/* SPDX-License-Identifier: MIT */
/* Any bytes as a .npy file: the header in memory, the header of a file, the whole file through the public API.
 *
 * The three must agree. What is accepted must be consistent: sizes, the elements' bytes, and a header written from it
 * must read back the same. The bytes lie in a heap block of exactly their size, so that a sanitizer sees a read past
 * the end. */
#define _GNU_SOURCE
#include "fusor/fusor.h"
#include "runtime/npy_format.h"
#include "tests/inputs/inputs.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static fsr_status parse(const uint8_t *data, size_t size, fsr_npy_header *header) {
    fsr_fault fault = {FSR_OK, NULL};
    uint8_t *copy = malloc(size ? size : 1);
    MUST(copy);
    memcpy(copy, data, size);
    fsr_status status = fsr_npy_header_parse(copy, size, header, &fault);
    free(copy);
    MUST(status == FSR_OK || status == FSR_ERR_FORMAT);
    MUST(fault.status == status && (status == FSR_OK) == (fault.message == NULL));
    fsr_fault_clear(&fault);
    return status;
}

static void written_reads_back(const fsr_npy_header *header) {
    char text[FSR_NPY_HEADER_MAX];
    fsr_npy_header again;
    size_t size = fsr_npy_header_write(text, header->dtype, &header->shape);
    MUST(size <= sizeof text && size % 64 == 0);
    MUST(parse((const uint8_t *)text, size, &again) == FSR_OK);
    MUST(again.dtype == header->dtype && fsr_shape_equal(&again.shape, &header->shape) && !again.fortran_order);
    MUST(again.data_bytes == header->data_bytes && again.data_offset == (int64_t)size);
}

static void header_of_file(int fd, size_t size, fsr_status status, const fsr_npy_header *header) {
    fsr_fault fault = {FSR_OK, NULL};
    fsr_npy_header read;
    FILE *file = fdopen(dup(fd), "rb");
    MUST(file);
    rewind(file);
    fsr_status got = fsr_npy_header_read(file, &read, &fault);
    bool there = status == FSR_OK && header->data_bytes <= (int64_t)size - header->data_offset;
    MUST(got == (there ? FSR_OK : FSR_ERR_FORMAT));
    if (there)
        MUST(ftell(file) == (long)header->data_offset && read.data_bytes == header->data_bytes);
    fsr_fault_clear(&fault);
    fclose(file);
}

/* The array: one of the header's shape and bytes. */
static void elements(fsr_node x, const fsr_npy_header *header, const uint8_t *data) {
    MUST(fsr_node_dtype(x) == header->dtype && fsr_node_ndim(x) == header->shape.ndim);
    MUST(fsr_node_bytes(x) == header->data_bytes);
    for (int i = 0; i < header->shape.ndim; i++)
        MUST(fsr_node_dim(x, i) == header->shape.dim[i]);
    void *got = malloc((size_t)header->data_bytes + 1);
    MUST(got && fsr_compute(&x, 1) == FSR_OK && fsr_read(x, got, (size_t)header->data_bytes) == FSR_OK);
    if (!header->fortran_order && header->dtype != FSR_BOOL)
        MUST(!header->data_bytes || !memcmp(got, data + header->data_offset, (size_t)header->data_bytes));
    free(got);
}

static void whole_file(int fd, size_t size, fsr_status status, const fsr_npy_header *header, const uint8_t *data) {
    static fsr_context *ctx;
    char path[40];
    if (!ctx) {
        fsr_config config;
        fsr_config_init(&config, NULL, 0);
        config.backend = FSR_BACKEND_REFERENCE;
        MUST(fsr_open(&config, &ctx) == FSR_OK);
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node x = fsr_npy_read(g, path);
    bool there = status == FSR_OK && header->data_bytes <= (int64_t)size - header->data_offset;
    fsr_status got = fsr_node_status(x);
    if (there && got == FSR_OK)
        elements(x, header, data);
    else
        MUST(got == FSR_ERR_FORMAT || (there && got == FSR_ERR_SIZE));
    MUST((got == FSR_OK) == (fsr_node_error(x)[0] == 0));
    fsr_graph_free(g);
}

int fuzz_npy(const uint8_t *data, size_t size) {
    fsr_npy_header header;
    fsr_status status = parse(data, size, &header);
    if (status == FSR_OK)
        written_reads_back(&header);
    int fd = memfd_create("npy", MFD_CLOEXEC);
    MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    header_of_file(fd, size, status, &header);
    whole_file(fd, size, status, &header, data);
    close(fd);
    return 0;
}

FUZZ_ENTRY(fuzz_npy)

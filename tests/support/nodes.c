/* SPDX-License-Identifier: MIT */
#include "tests/support/nodes.h"
#include "graph/print.h"
#include <stdlib.h>

static void release(fsr_buffer *buffer) {
    --*(int *)buffer->owner;
    free(buffer->data);
    free(buffer);
}

fsr_buffer *node_buffer(int64_t bytes, int *live) {
    fsr_buffer *buffer = calloc(1, sizeof *buffer);
    buffer->refs = 1;
    buffer->bytes = bytes;
    buffer->data = calloc(1, (size_t)bytes + 1);
    buffer->owner = live;
    buffer->release = release;
    ++*live;
    return buffer;
}

fsr_node node_data(fsr_graph *g, fsr_dtype dtype, int ndim, const int64_t *shape, int *live) {
    fsr_node handle;
    fsr_type type = {{.ndim = ndim}, 1, {dtype}};
    for (int i = 0; i < ndim; i++)
        type.shape.dim[i] = shape[i];
    fsr_rec *rec = fsr_graph_add(g, FSR_HERE, "data", FSR_NODE_DATA, &type, &handle);
    rec->buffer[0] = node_buffer(fsr_node_bytes(handle), live);
    return handle;
}

void node_force(fsr_node x, int *live) {
    fsr_rec *rec = fsr_node_rec(x);
    if (!rec->buffer[x.output])
        rec->buffer[x.output] = node_buffer(fsr_node_bytes(x), live);
}

fsr_graph *node_graph(fsr_graph_owner **owner) {
    *owner = fsr_graph_owner_new(NULL, NULL);
    return fsr_graph_create(*owner);
}

/* The flat index in rec's argument that element `flat` of rec reads. */
static int64_t step_down(const fsr_rec *rec, const fsr_shape *from, int64_t flat) {
    int64_t index[FSR_MAX_DIMS] = {0}, strides[FSR_MAX_DIMS], at = 0;
    if (rec->view.kind == FSR_VIEW_RESHAPE)
        return flat;
    for (int i = rec->shape.ndim - 1; i >= 0; i--) {
        index[i] = flat % rec->shape.dim[i];
        flat /= rec->shape.dim[i];
    }
    fsr_shape_strides(from, strides);
    for (int j = 0; j < from->ndim; j++) {
        int64_t along = rec->view.from[j] < 0 ? 0 : rec->view.step[j] * index[rec->view.from[j]];
        at += strides[j] * (rec->view.start[j] + along);
    }
    return at;
}

int64_t node_leaf_index(fsr_node x, int64_t flat) {
    const fsr_rec *rec = fsr_node_rec(x);
    while (rec && rec->kind == FSR_NODE_VIEW) {
        const fsr_rec *from = fsr_graph_rec(x.graph, rec->arg[0].id);
        flat = step_down(rec, &from->shape, flat);
        rec = from;
    }
    return rec && rec->nargs == 0 ? flat : -1;
}

char *node_text(fsr_node x) {
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    fsr_graph_print(x.graph, &(fsr_ref){x.id, x.output}, 1, to);
    fclose(to);
    return text;
}

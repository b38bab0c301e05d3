/* SPDX-License-Identifier: MIT */
/* Arrays of other graphs, of other contexts and devices as well, as leaves.
 *
 * Who copies: of two backends of one kind that have memory of their own, the receiver's, from device to device. Else
 * at least one of the two has the host's memory, and the other one copies to or from it, as it does for fsr_read and
 * fsr_from_host. */
#include "fusor/transfer.h"
#include "graph/floats.h"
#include "runtime/array.h"

/* Arrays of a backend without copy_peer are memory of the host. */
static fsr_status copy_between(fsr_context *to, void *dst, fsr_context *from, const void *src, int64_t bytes,
                               fsr_fault *fault) {
    fsr_backend *t = to->backend, *f = from->backend;
    if (bytes == 0)
        return FSR_OK;
    if (!t->ops->copy_peer)
        return f->ops->copy_out(f, dst, src, bytes, NULL, fault);
    if (!f->ops->copy_peer)
        return t->ops->copy_in(t, dst, src, bytes, NULL, fault);
    return t->ops->copy_peer(t, dst, f, src, bytes, fault);
}

/* What is there of a computed node, as an array of g's context; its extents go into *type. */
static fsr_status fetch(fsr_context *to, fsr_context *from, fsr_node x, fsr_type *type, fsr_buffer **out,
                        fsr_fault *fault) {
    const fsr_rec *rec = fsr_node_rec(x);
    const fsr_buffer *array = rec->buffer[x.output];
    int64_t there = 0;
    *type = (fsr_type){rec->shape, 1, {rec->dtype[x.output]}};
    fsr_status status = fsr_count_there(from, x.graph, rec, &there, fault);
    if (!status && rec->length.origin) /* which has one dimension */
        type->shape.dim[0] = there;
    const int64_t bytes = fsr_shape_bytes(&type->shape, type->dtype[0]);
    if (!status)
        status = fsr_array_new(to, bytes, out, fault);
    return status ? status : copy_between(to, (*out)->data, from, array->data, bytes, fault);
}

static fsr_node poison_of(fsr_graph *g, fsr_site at, fsr_status status, const char *words) {
    return fsr_poison(g, at, status, "from_node", "%s", words && *words ? words : fsr_status_sentence(status));
}

fsr_node fsr_from_node_at(fsr_site at, fsr_graph *g, fsr_node x) {
    FSR_DEFAULT_FLOATS;
    if (!fsr_graph_alive(g))
        return fsr_poison(fsr_graph_alive(x.graph) ? x.graph : g, at, g ? FSR_ERR_STALE : FSR_ERR_NULL, "from_node",
                          g ? "the graph was freed" : "the graph is null");
    fsr_context *to = fsr_graph_context(g), *from = fsr_context_of(&x, 1);
    fsr_fault fault = {FSR_OK, NULL};
    fsr_buffer *buffer = NULL;
    fsr_type type;
    if (!fsr_context_here(to))
        return poison_of(g, at, FSR_ERR_FORKED, "");
    const fsr_status status = fsr_compute(&x, 1);
    if (status)
        return poison_of(g, at, status, from ? fsr_error(from) : "");
    fetch(to, from, x, &type, &buffer, &fault);
    return fsr_array_leaf(g, at, "from_node", &type, buffer, &fault);
}

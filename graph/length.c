/* SPDX-License-Identifier: MIT */
/* Lengths that only the device knows; see fsr_length in graph/graph.h.
 *
 * A record has one beside its shape, whose first extent is then a capacity. It is no part of the node's meaning:
 * whoever records what depends on the length says so by nodes (a PREFIX, the count as an operand), so a flow knows
 * nothing of it. Counter-example to a shape with an unknown extent: every pass and every plan would ask of each
 * extent whether it is one. */
#include "graph/graph.h"
#include <stdio.h>

const fsr_length *fsr_node_length(fsr_node x) {
    const fsr_rec *rec = fsr_node_sound(x);
    return rec && rec->length.origin ? &rec->length : NULL;
}

bool fsr_length_equal(const fsr_length *a, const fsr_length *b) {
    return a->origin == b->origin && a->less == b->less && a->most == b->most;
}

bool fsr_node_is_live(fsr_node x) {
    return fsr_node_length(x) != NULL;
}

fsr_status fsr_says_words(char *out, size_t size, fsr_says says, int64_t number, int axis, int64_t extent,
                          fsr_site site) {
    const char *file = site.file ? site.file : "?";
    const int64_t index = number < 0 ? number + extent : number - extent;
    switch (says) {
    case FSR_SAYS_LIVE:
        snprintf(out, size, "index %lld is out of bounds for axis %d, of whose %lld elements fewer are there (%s:%d)",
                 (long long)index, axis, (long long)extent, file, site.line);
        return FSR_ERR_INDEX;
    case FSR_SAYS_EMPTY: snprintf(out, size, "no element is there (%s:%d)", file, site.line); return FSR_ERR_EMPTY;
    case FSR_SAYS_TOO_LONG:
        snprintf(out, size, "%lld elements are more than the capacity has room for (%s:%d)", (long long)number, file,
                 site.line);
        return FSR_ERR_SIZE;
    case FSR_SAYS_DIFFERENT:
        snprintf(out, size, "the mask selects another number of elements than there are values (%s:%d)", file,
                 site.line);
        return FSR_ERR_SHAPE;
    default:
        snprintf(out, size, "index %lld is out of bounds for axis %d with size %lld (%s:%d)", (long long)number, axis,
                 (long long)extent, file, site.line);
        return FSR_ERR_INDEX;
    }
}

/* SPDX-License-Identifier: MIT */
/* States of a loop over arrays of which a turn chooses a section by a mask, where(index == number, new, state): how
 * a row is set where nothing is ever changed, as in NumPy's texts for JAX. What the mask leaves alone is the state's
 * own, so the next state is the state with that section of the choice in it (an `inset`), which a turn may write in
 * place (loop_states.c).
 *
 * The section is of the choice itself, mask included: a number that is no index of the state shows its nearest row,
 * which the mask there leaves as it is. Conditions beside the comparisons stay in it too.
 *
 * Counter-example: of 200 by 200 numbers, of which a turn makes one row, all 40,000 were chosen in each of 199 turns,
 * a quarter of the loop's time. To a choice whose new values may find an index outside: of elements that nobody
 * chooses these are told as well, so that one stays as it is. */
#include "fusion/loop_plan.h"
#include "fusion/rewrites.h"
#include <stdlib.h>
#include <string.h>

/* Which dimension of the state each dimension of a node runs along; -1: none. */
typedef struct along {
    int8_t dim[FSR_MAX_DIMS];
} along;

typedef struct section {
    uint32_t axes;
    fsr_link number[FSR_MAX_DIMS]; /* 0-d and integers, of each of them */
} section;

/* What a view of whole dimensions shows, and along which; false: it is another one. */
static bool step_down(const fsr_flow *flow, fsr_link *link, along *at) {
    const fsr_flow_node *n = &flow->node[link->id];
    if (!fsr_is(n->kind, FSR_IS_VIEW) || n->view.kind != FSR_VIEW_AFFINE)
        return false;
    const fsr_shape *source = &flow->node[n->arg[0].id].shape;
    along below;
    for (int j = 0; j < source->ndim; ++j) {
        const int from = n->view.from[j];
        if (n->view.start[j] != 0 || (from >= 0 && n->view.step[j] != 1))
            return false;
        below.dim[j] = (int8_t)(from < 0 ? -1 : at->dim[from]);
    }
    *link = n->arg[0];
    *at = below;
    return true;
}

static bool is_whole(fsr_dtype dtype) {
    return !fsr_dtype_is_inexact(dtype) && dtype != FSR_BOOL && dtype != FSR_U64;
}

/* Indices below n are numbers of the dtype, each another one: in 8 bits 256 is 0 again. */
static bool counts(fsr_dtype dtype, int64_t n) {
    const int bits = 8 * (int)fsr_dtype_size(dtype) - !fsr_dtype_is_unsigned(dtype);
    return is_whole(dtype) && (bits > 62 || n <= INT64_C(1) << bits);
}

/* The two sides of a comparison: an index along one dimension of the state, and a number. */
static bool is_place(const fsr_flow *flow, fsr_link index, along at, fsr_link number, along ignored, section *out) {
    while (step_down(flow, &index, &at))
        ;
    while (step_down(flow, &number, &ignored))
        ;
    const fsr_flow_node *i = &flow->node[index.id], *k = &flow->node[number.id];
    if (!fsr_has(i->kind, FSR_FIELD_axis) || i->nargs || !counts(i->dtype[0], i->shape.dim[i->axis]) || k->shape.ndim ||
        !is_whole(k->dtype[number.output]))
        return false;
    const int axis = at.dim[i->axis];
    if (axis < 0 || out->axes >> axis & 1)
        return false;
    out->axes |= 1u << axis;
    out->number[axis] = number;
    return true;
}

/* The mask is false outside of a section: one of the conditions that must hold together says so of each axis. */
static void find_places(const fsr_flow *flow, fsr_link mask, along at, section *out) {
    while (step_down(flow, &mask, &at))
        ;
    const fsr_flow_node *n = &flow->node[mask.id];
    if (!fsr_has(n->kind, FSR_FIELD_op) || n->nargs != 2)
        return;
    for (int k = 0; k < 2 && n->op == FSR_OP_LOGICAL_AND; ++k)
        find_places(flow, n->arg[k], at, out);
    for (int k = 0, found = 0; k < 2 && n->op == FSR_OP_EQUAL && !found; ++k)
        found = is_place(flow, n->arg[k], at, n->arg[1 - k], at, out);
}

/* What a link needs may find an index outside, in more than one place of these axes. */
static bool reports(const fsr_flow *flow, fsr_link link, along at, uint32_t axes, bool *seen) {
    bool there = false;
    memset(seen, 0, sizeof *seen * (size_t)flow->n);
    while (step_down(flow, &link, &at))
        ;
    for (int j = 0; j < flow->node[link.id].shape.ndim; ++j)
        there = there || (at.dim[j] >= 0 && axes >> at.dim[j] & 1);
    if (!there)
        return false;
    seen[link.id] = true;
    for (int i = link.id; i >= 0; --i) {
        if (seen[i] && flow->node[i].report)
            return true;
        for (int k = 0; seen[i] && k < flow->node[i].nargs; ++k)
            seen[flow->node[i].arg[k].id] = true;
    }
    return false;
}

static fsr_link add(fsr_flow *flow, const fsr_flow_node *n) {
    return (fsr_link){fsr_flow_add(flow, n), 0};
}

/* A number as i64, for every element of a shape. */
static fsr_link spread(fsr_flow *flow, fsr_link number, const fsr_shape *shape, fsr_site site) {
    fsr_flow_node cast = {.kind = FSR_NODE_MAP, .op = FSR_OP_CAST, .nout = 1, .nargs = 1, .site = site};
    fsr_flow_node view = {.kind = FSR_NODE_VIEW, .nout = 1, .nargs = 1, .shape = *shape, .site = site};
    cast.dtype[0] = view.dtype[0] = FSR_I64;
    cast.arg[0] = number;
    const bool is = flow->node[number.id].dtype[number.output] == FSR_I64;
    view.arg[0] = is ? number : add(flow, &cast);
    return view.arg[0].id < 0 ? view.arg[0] : add(flow, &view);
}

/* The choice at the section, over the state. Its id is -1: out of memory. */
static fsr_link inset(fsr_flow *flow, int choice, fsr_link state, const section *s) {
    const fsr_flow_node n = flow->node[choice];
    fsr_flow_node part = {.kind = FSR_NODE_GATHER, .nout = 1, .nargs = 1, .shape = n.shape, .site = n.site};
    fsr_flow_node whole = {.kind = FSR_NODE_INSET, .nout = 1, .nargs = 2, .shape = n.shape, .site = n.site};
    part.dtype[0] = whole.dtype[0] = n.dtype[0];
    part.axes = whole.axes = s->axes;
    part.mode = whole.mode = FSR_INDEX_CLIP;
    part.arg[0] = (fsr_link){choice, 0};
    whole.arg[0] = state;
    for (int j = 0; j < n.shape.ndim; ++j) {
        const bool at = s->axes >> j & 1;
        part.shape.dim[j] = at ? 1 : n.shape.dim[j];
        part.view.from[j] = (int8_t)(at ? -1 : j);
        part.view.step[j] = !at;
    }
    for (int j = 0; j < n.shape.ndim; ++j) {
        if (!(s->axes >> j & 1))
            continue;
        const fsr_link in_part = spread(flow, s->number[j], &part.shape, n.site);
        const fsr_link in_whole = spread(flow, s->number[j], &n.shape, n.site);
        if (in_part.id < 0 || in_whole.id < 0)
            return (fsr_link){-1, 0};
        part.arg[part.nargs++] = in_part;
        whole.arg[whole.nargs++] = in_whole;
    }
    whole.arg[1] = add(flow, &part);
    return whole.arg[1].id < 0 ? whole.arg[1] : add(flow, &whole);
}

/* The section of output i outside of which a choice leaves the state as it is; no axes: there is none. */
static section section_of(const fsr_flow *flow, int i, const int *leaf, bool *seen) {
    const fsr_flow_node *n = &flow->node[flow->out[i].id];
    section s = {0};
    along at;
    for (int j = 0; j < FSR_MAX_DIMS; ++j)
        at.dim[j] = (int8_t)j;
    if (!fsr_has(n->kind, FSR_FIELD_op) || n->op != FSR_OP_WHERE || n->hint == FSR_HINT_MATERIALIZE)
        return s;
    const fsr_flow_node *state = &flow->node[n->arg[2].id];
    if (!fsr_is(state->kind, FSR_IS_ARRAY) || leaf[state->ordinal] != i)
        return s;
    find_places(flow, n->arg[0], at, &s);
    for (int k = 0; k < 2 && s.axes; ++k)
        s.axes = reports(flow, n->arg[k], at, s.axes, seen) ? 0 : s.axes;
    return s;
}

fsr_status fsr_loop_set_sections(fsr_flow *flow, const int *leaf, uint32_t states) {
    bool *seen = malloc(sizeof *seen * ((size_t)flow->n + 1));
    fsr_status status = seen ? FSR_OK : FSR_ERR_MEMORY;
    section found[FSR_MAX_OUTPUTS] = {0};
    for (int i = 0; seen && i < FSR_MAX_OUTPUTS && states >> i; ++i)
        if (states >> i & 1)
            found[i] = section_of(flow, i, leaf, seen);
    for (int i = 0; i < FSR_MAX_OUTPUTS && states >> i && !status; ++i) {
        if (!found[i].axes)
            continue;
        const int choice = flow->out[i].id;
        const fsr_link made = inset(flow, choice, flow->node[choice].arg[2], &found[i]);
        status = made.id < 0 ? FSR_ERR_MEMORY : FSR_OK;
        flow->out[i] = status ? flow->out[i] : made;
    }
    free(seen);
    return status;
}

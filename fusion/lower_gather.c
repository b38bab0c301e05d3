/* SPDX-License-Identifier: MIT */
/* Lowering of gathers: the index of the source gets values as terms.
 *
 * What is computed is evaluated at the result's own index and brought inside; a dimension of the source then lies at
 * the result, or at it plus the dimension's own index. From there on it is an index like any other: views compose with
 * it, maps recurse, a load has it in its address. So what is elementwise on either side fuses, and a fold below is
 * loaded.
 *
 * Where the result is larger than what it is taken from, the source is stored first if it takes work. Counter-example
 * to evaluating it at each index: exp(x)[i] of a table of a hundred elements and a million indices. */
#include "fusion/lower.h"
#include "fusion/price.h"

/* The source itself, which may be a view, is in memory, or costs nothing: through views. What a loop of another kernel
 * gives is in memory if it is read there. */
static bool is_at_hand(const fsr_lowering *l, fsr_link link) {
    while (fsr_is(l->flow->node[link.id].kind, FSR_IS_VIEW) && *fsr_partition_stored(l->p, link) < 0)
        link = l->flow->node[link.id].arg[0];
    const int own = l->p->group_of[link.id];
    return !fsr_is(l->flow->node[link.id].kind, FSR_COMPUTES) || *fsr_partition_stored(l->p, link) >= 0 ||
           (own >= 0 && own != l->g);
}

/* The array that the indices of one axis are reported into. */
static int report_array(fsr_lowering *l, int report) {
    const fsr_operand operand = {.leaf = true, .ordinal = -1, .report = report};
    return fsr_lower_array(l, &operand, FSR_U64, true);
}

int fsr_lower_extent(fsr_lowering *l, int64_t extent) {
    for (int at = 0; at < l->ninside; ++at)
        if (l->inside[at] == extent)
            return at;
    if (l->ninside == FSR_MAX_INSIDE)
        return fsr_lower_refuse(l, "the kernel would have too many computed indices");
    l->inside[l->ninside] = extent;
    return l->ninside++;
}

int fsr_lower_inside(fsr_lowering *l, fsr_link link, int i, int value, int64_t extent, fsr_index_mode mode) {
    fsr_inst inst = fsr_inst_blank(FSR_INST_INSIDE, FSR_I64, link.id);
    inst.arg[0] = value;
    inst.mode = mode;
    inst.index = fsr_lower_extent(l, extent);
    if (mode == FSR_INDEX_RAISE) {
        inst.guard = l->guard;
        int array = report_array(l, l->flow->node[link.id].report + i);
        if (array < 0)
            return -1;
        inst.report = 1 + array;
    }
    const fsr_level level = inst.guard ? fsr_lower_guard_level(l, inst.guard - 1) : FSR_ROW;
    return inst.index < 0 ? -1 : fsr_lower_once(l, &inst, level);
}

bool fsr_lower_indices(fsr_lowering *l, fsr_link link, int first, const fsr_index *index, int *out) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    for (int i = 0; first + i < n->nargs; ++i)
        if ((out[i] = fsr_lower_eval(l, n->arg[first + i], index)) < 0)
            return false;
    return true;
}

bool fsr_lower_whole_index(fsr_lowering *l, fsr_link link, const fsr_shape *part, const fsr_shape *whole,
                           fsr_index_mode mode, const fsr_index *index, const int *value, fsr_index *inner) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    int next = 0;
    fsr_index_map(inner, index, &n->view, whole);
    for (int j = 0; j < whole->ndim; ++j) {
        if (!(n->axes >> j & 1))
            continue;
        int symbol = fsr_lower_inside(l, link, next, value[next], fsr_added_extent(part, whole, &n->view, j), mode);
        ++next;
        if (symbol < 0)
            return false;
        if (fsr_index_terms(inner) >= FSR_MAX_DIMS)
            return fsr_lower_refuse(l, "the address would have too many computed indices"), false;
        fsr_affine_add_symbol(&inner->row[j], symbol, 1);
    }
    return true;
}

/* The places of a gather that follows its index, each as the form that it is, so that equal ones are one. */
static bool places(fsr_lowering *l, fsr_link link, const fsr_index *index, int *out) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    for (int i = 0; 1 + i < n->nargs; ++i) {
        fsr_affine place;
        const bool plain = fsr_price_place_is(l->flow, &l->group->domain, n->arg[1 + i], index, &place);
        out[i] = plain ? fsr_lower_place(l, link.id, &place) : fsr_lower_eval(l, n->arg[1 + i], index);
        if (out[i] < 0)
            return false;
    }
    return true;
}

int fsr_lower_gather(fsr_lowering *l, fsr_link link, const fsr_index *asked) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    fsr_index index, inner;
    int value[FSR_MAX_DIMS];
    bool exact = false;
    fsr_index_copy(&index, asked);
    if (asked->flat && !fsr_index_split(&index, asked, &n->shape, &l->group->domain))
        return fsr_lower_blame_flat(l, "a reshape of a gather has no affine index", link, asked);
    const fsr_shape *source = &l->flow->node[n->arg[0].id].shape;
    bool follows = fsr_price_gather_follows(l->flow, &l->group->domain, n, &index, &inner, &exact);
    if (follows && exact)
        return fsr_lower_eval(l, n->arg[0], &inner);
    follows = follows && l->p->target->gpu;
    if (fsr_shape_size(&n->shape) > fsr_shape_size(source) && !follows && !is_at_hand(l, n->arg[0]))
        return fsr_lower_blame(l, "what is taken from would be computed more often than it has elements", n->arg[0]);
    if (!(follows ? places(l, link, &index, value) : fsr_lower_indices(l, link, 1, &index, value)) ||
        !fsr_lower_whole_index(l, link, &n->shape, source, n->mode, &index, value, &inner))
        return -1;
    return fsr_lower_eval(l, n->arg[0], &inner);
}

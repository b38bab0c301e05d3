/* SPDX-License-Identifier: MIT */
/* Lowering of a loop's tables, arrays that its body takes elements of, at indices that it computes; and of the whole
 * arrays that a caller's function takes.
 *
 * A table is in memory, seen through views: whatever slices, transposes and reshapes lie above the array, an element's
 * address is an offset and a stride for each index. Where it would have to be computed it is stored first: which
 * elements a loop asks for nobody knows. It is an access of the kernel that may be any element (fsr_access.whole), so
 * whoever asks what is read where in memory sees it as he sees others. A caller's function gets an address and a count:
 * what it takes lies in C order, or is stored so. */
#include "fusion/lower.h"

static const char no_index[] = "a view of an array that is taken from has no affine index";

/* The kernel's array of a node that somebody else stores, or that is in memory; -1: refused. */
static int array_of(fsr_lowering *l, fsr_link link, fsr_link table) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    const int stored = *fsr_partition_stored(l->p, link), from = stored >= 0 ? stored : l->p->group_of[link.id];
    fsr_operand operand = {.link = link};
    if (fsr_is(n->kind, FSR_IS_ARRAY))
        operand = (fsr_operand){.leaf = true, .ordinal = n->ordinal};
    else if (from < 0 || from == l->g)
        return fsr_lower_blame(l, "an array that is taken from is stored first", table);
    else if (!fsr_lower_depend(l, link, from))
        return -1;
    return fsr_lower_array(l, &operand, n->dtype[link.output], false);
}

/* Where the element at indices 0, 1 .. of the table lies: the values of the sum are the numbers of these. A view that
 * this kernel stores, or one that waits for it, is looked through. */
static int address_of(fsr_lowering *l, fsr_link table, fsr_affine *address) {
    fsr_index index = {.n = l->flow->node[table.id].shape.ndim};
    fsr_link link = table;
    for (int j = 0; j < index.n; ++j)
        fsr_affine_add_symbol(&index.row[j], j, 1);
    while (fsr_is(l->flow->node[link.id].kind, FSR_IS_VIEW) && !fsr_lower_reads_stored(l, link)) {
        const fsr_flow_node *n = &l->flow->node[link.id];
        fsr_index inner;
        if (!fsr_index_view(&inner, &index, &n->view, &n->shape, &l->flow->node[n->arg[0].id].shape, &l->group->domain))
            return fsr_lower_blame(l, no_index, table);
        fsr_index_copy(&index, &inner);
        link = n->arg[0];
    }
    fsr_index_address(address, &index, &l->flow->node[link.id].shape);
    if (address->over)
        return fsr_lower_blame(l, no_index, table);
    return array_of(l, link, table);
}

/* The access of a table, which is none of the others. */
static int access_of(fsr_lowering *l, int array, int64_t offset) {
    fsr_kernel *k = l->k;
    if (k->naccesses == FSR_MAX_ACCESSES)
        return fsr_lower_refuse(l, "the kernel would have too many accesses");
    l->address[k->naccesses] = (fsr_affine){.offset = offset};
    k->access[k->naccesses] = (fsr_access){.buffer = array, .whole = true};
    k->access[k->naccesses].form = fsr_lower_terms(l, k->naccesses, &l->address[k->naccesses]);
    return k->naccesses++;
}

bool fsr_lower_tables(fsr_lowering *l, const fsr_flow_node *n, int slot) {
    const int each = fsr_own_arguments(&n->content);
    for (int i = 0; each + i < n->nargs; ++i) {
        fsr_affine address;
        const int array = address_of(l, n->arg[each + i], &address);
        const int access = array < 0 ? -1 : access_of(l, array, address.offset);
        if (access < 0)
            return false;
        l->table[slot][i] = address;
        l->k->loop[slot].table[i] = (fsr_taken){.access = access};
    }
    return true;
}

/* The address is that of elements in C order, or of none: an empty array has no strides. */
static bool is_packed(const fsr_affine *address, const fsr_shape *shape) {
    int64_t expected = 1;
    for (int j = shape->ndim - 1; j >= 0 && fsr_shape_size(shape) != 0; --j) {
        int64_t stride = 0;
        for (int t = 0; t < address->nterms; ++t)
            stride = address->value[t] == j ? address->factor[t] : stride;
        if (shape->dim[j] != 1 && stride != expected)
            return false;
        expected *= shape->dim[j];
    }
    return true;
}

/* The access by which an earlier call takes the same whole array; -1: none does. So calls of one function that give
 * several results are seen to be one call. */
static int access_before(const fsr_lowering *l, fsr_link array) {
    const fsr_kernel *k = l->k;
    for (int c = 0; c < k->ninsts; ++c)
        for (int i = 0; i < fsr_call_arrays(k, &k->inst[c]); ++i) {
            const fsr_flow_node *n = &l->flow->node[k->inst[c].node];
            const fsr_link at = n->arg[fsr_own_arguments(&n->content) + i];
            if (at.id == array.id && at.output == array.output)
                return fsr_call_array(k, &k->inst[c], i);
        }
    return -1;
}

bool fsr_lower_arrays(fsr_lowering *l, const fsr_flow_node *n, fsr_inst *call) {
    const int each = fsr_own_arguments(&n->content);
    for (int i = each; i < n->nargs; ++i) {
        fsr_affine address;
        call->arg[i] = access_before(l, n->arg[i]);
        if (call->arg[i] >= 0)
            continue;
        const int array = address_of(l, n->arg[i], &address);
        if (array >= 0 && !is_packed(&address, &l->flow->node[n->arg[i].id].shape))
            return fsr_lower_blame(l, "a whole array that is taken lies in C order", n->arg[i]), false;
        call->arg[i] = array < 0 ? -1 : access_of(l, array, address.offset);
        if (call->arg[i] < 0)
            return false;
    }
    return true;
}

/* The counts of elements become arguments. */
static bool finish_arrays(fsr_lowering *l) {
    fsr_kernel *k = l->k;
    for (int c = 0; c < k->ninsts; ++c)
        for (int i = 0; i < fsr_call_arrays(k, &k->inst[c]); ++i) {
            const fsr_flow_node *n = &l->flow->node[k->inst[c].node];
            const fsr_link array = n->arg[fsr_own_arguments(&n->content) + i];
            if (k->access[fsr_call_array(k, &k->inst[c], i)].size)
                continue;
            const int size = fsr_lower_integer(l, fsr_shape_size(&l->flow->node[array.id].shape));
            if (size < 0)
                return false;
            k->access[fsr_call_array(k, &k->inst[c], i)].size = size;
        }
    return true;
}

/* Strides and extents become arguments. */
bool fsr_lower_finish_tables(fsr_lowering *l) {
    if (!finish_arrays(l))
        return false;
    for (int slot = 0; slot < l->k->nloops; ++slot) {
        const fsr_flow_node *n = &l->flow->node[l->looped[slot].id];
        const int each = fsr_own_arguments(&n->content);
        for (int i = 0; each + i < n->nargs; ++i) {
            const fsr_shape *shape = &l->flow->node[n->arg[each + i].id].shape;
            const fsr_affine *address = &l->table[slot][i];
            fsr_taken *to = &l->k->loop[slot].table[i];
            for (int j = 0; j < shape->ndim; ++j) {
                int64_t stride = 0;
                for (int t = 0; t < address->nterms; ++t)
                    stride = address->value[t] == j ? address->factor[t] : stride;
                if ((stride != 1 && (to->stride[j] = fsr_lower_integer(l, stride)) < 0) ||
                    (to->end[j] = fsr_lower_integer(l, shape->dim[j])) < 0)
                    return false;
            }
        }
    }
    return true;
}

/* SPDX-License-Identifier: MIT */
/* Filters: the elements that a mask selects, in order, at the front of an array as long as the input.
 *
 * How many there are is known only when the program has run, but every shape is known when it is recorded. So the
 * result keeps the input's extent and its rest holds a fill value: JAX's answer to the same question. Element i goes
 * to the place that an exclusive running count of the mask gives it if it is selected, and from the end, in reverse,
 * if it is not: as the fill. Together these places are a permutation, which is what PLACE asks for: every element of
 * the result is written once, by one kernel, in one pass, and nothing has to be filled before or after.
 * Counter-example to storing the selected ones alone: what lies behind them would have to be written by somebody who
 * knows their number, and that is known only once the last element has been looked at.
 *
 * Places are i32 where they fit: a scan of 4 bytes an element is cheaper than one of 8. */
#include "primitives/primitives.h"

fsr_node fsr_placed(fsr_site at, fsr_node x, fsr_node where) {
    fsr_node handle;
    if (!fsr_node_sound(x) || !fsr_node_sound(where))
        return fsr_node_sound(x) ? where : x;
    const fsr_type type = {fsr_node_rec(x)->shape, 1, {fsr_node_dtype(x)}};
    fsr_rec *rec = fsr_graph_add(x.graph, at, "filter", FSR_NODE_PLACE, &type, &handle);
    if (!rec)
        return handle;
    rec->nargs = 2;
    rec->arg[0] = (fsr_ref){x.id, x.output};
    rec->arg[1] = (fsr_ref){where.id, where.output};
    return handle;
}

/* Element i's place: how many before it are selected; else that less i, less 1. */
static fsr_node places(fsr_site at, fsr_node mask, fsr_dtype dtype) {
    fsr_node ones = fsr_convert(at, mask, dtype, false), before;
    if (!fsr_node_sound(ones))
        return ones;
    fsr_running(at, &before, &ones, fsr_combine_builtin(FSR_OP_ADD, dtype), 0, FSR_EXCLUSIVE);
    if (!fsr_node_sound(before))
        return before;
    fsr_node i = fsr_iota(mask.graph, at, dtype, &fsr_node_rec(mask)->shape, 0);
    fsr_node from_end = fsr_sub_at(at, fsr_sub_at(at, before, i), fsr_int_at(at, mask.graph, 1));
    return fsr_where_at(at, mask, before, from_end);
}

fsr_node fsr_filter_at(fsr_site at, fsr_node x, fsr_node mask, fsr_node fill) {
    fsr_node poison, all[] = {x, mask, fill};
    fsr_graph *g;
    if (fsr_poison_of(at, "filter", all, 3, &g, &poison))
        return poison;
    if (!fsr_shape_equal(&fsr_node_rec(x)->shape, &fsr_node_rec(mask)->shape))
        return fsr_poison(g, at, FSR_ERR_SHAPE, "filter", "the mask %s does not have the shape of %s",
                          fsr_say(mask).text, fsr_say(x).text);
    if (fsr_node_ndim(fill) != 0)
        return fsr_poison(g, at, FSR_ERR_SHAPE, "filter", "the fill %s is not 0-d", fsr_say(fill).text);
    x = fsr_flatten(at, fsr_strong(at, x));
    mask = fsr_flatten(at, fsr_convert(at, fsr_strong(at, mask), FSR_BOOL, false));
    if (!fsr_node_sound(x) || !fsr_node_sound(mask))
        return fsr_node_sound(x) ? mask : x;
    fill = fsr_strong(at, fsr_convert(at, fill, fsr_node_dtype(x), false));
    fsr_dtype dtype = fsr_node_size(x) <= INT32_MAX ? FSR_I32 : FSR_I64;
    return fsr_placed(at, fsr_where_at(at, mask, x, fill), places(at, mask, dtype));
}

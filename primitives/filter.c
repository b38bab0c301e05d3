/* SPDX-License-Identifier: MIT */
/* Filters: the elements that a mask selects, in order, at the front of an array as long as the input.
 *
 * How many there are is known only when the program has run, but every shape is known when it is recorded. So the
 * result keeps the input's extent and its rest holds a fill value: JAX's answer to the same question. What is not
 * selected goes to the rest, from the end, in reverse, as the fill: so every element of the result is written once, by
 * one kernel, in one pass, and nothing has to be filled before or after.
 * Counter-example to storing the selected ones alone: what lies behind them would have to be written by somebody who
 * knows their number, and that is known only once the last element has been looked at.
 *
 * A COMPACT has the running count of its mask as an argument, so that filters of one mask share it, and with it a
 * kernel. Counts are i32 where they fit: a scan of 4 bytes an element is cheaper than one of 8. */
#include "primitives/primitives.h"

/* x in the order that the mask gives it along the last dimension, all of one shape. */
static fsr_node compact(fsr_site at, fsr_node x, fsr_node mask) {
    const fsr_shape *shape = &fsr_node_rec(x)->shape;
    const fsr_dtype dtype = fsr_node_dim(x, -1) <= INT32_MAX ? FSR_I32 : FSR_I64;
    fsr_node ones = fsr_convert(at, mask, dtype, false), before, handle;
    if (!fsr_node_sound(ones))
        return ones;
    fsr_running(at, &before, &ones, fsr_combine_builtin(FSR_OP_ADD, dtype), shape->ndim - 1, FSR_EXCLUSIVE);
    if (!fsr_node_sound(before))
        return before;
    const fsr_type type = {fsr_node_rec(x)->shape, 1, {fsr_node_dtype(x)}};
    fsr_rec *rec = fsr_graph_add(x.graph, at, "filter", FSR_NODE_COMPACT, &type, &handle);
    const fsr_node arg[] = {x, mask, before};
    for (int i = 0; rec && i < 3; i++)
        rec->arg[rec->nargs++] = (fsr_ref){arg[i].id, arg[i].output};
    return handle;
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
    x = fsr_where_at(at, mask, x, fill);
    return fsr_node_sound(x) ? compact(at, x, mask) : x;
}

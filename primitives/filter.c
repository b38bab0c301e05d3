/* SPDX-License-Identifier: MIT */
/* Filters: the elements that a mask selects, in order, at the front of an array as long as the input.
 *
 * How many there are is known only when the program has run, but every shape is known when it is recorded. So the
 * result keeps the input's extent as its capacity. fsr_compress gives it a length that the device counts (live.c), and
 * nothing is written behind that. fsr_filter's rest holds a fill value: JAX's answer to the same question. What is not
 * selected goes to the rest, from the end, in reverse, as the fill: so every element of the result is written once, by
 * one kernel, in one pass, and nothing has to be filled before or after.
 * Counter-example to storing the selected ones alone there: what lies behind them would have to be written by somebody
 * who knows their number, and that is known only once the last element has been looked at.
 *
 * A COMPACT has the running count of its mask as an argument, so that filters of one mask share it, and with it a
 * kernel. Counts are i32 where they fit: a scan of 4 bytes an element is cheaper than one of 8. */
#include "primitives/live.h"

static fsr_dtype count_dtype(fsr_node mask) {
    return fsr_node_dim(mask, -1) <= INT32_MAX ? FSR_I32 : FSR_I64;
}

fsr_node fsr_count_before(fsr_site at, fsr_node mask) {
    const fsr_dtype dtype = count_dtype(mask);
    fsr_node ones = fsr_convert(at, mask, dtype, false), before;
    if (!fsr_node_sound(ones))
        return ones;
    fsr_running(at, &before, &ones, fsr_combine_builtin(FSR_OP_ADD, dtype), fsr_node_ndim(mask) - 1, FSR_EXCLUSIVE);
    return before;
}

fsr_node fsr_count_true(fsr_site at, fsr_node mask) {
    fsr_node sum = fsr_fold_op(at, FSR_OP_ADD, fsr_convert(at, mask, count_dtype(mask), false), 1);
    return fsr_drop_axes(at, fsr_convert(at, sum, FSR_I64, false), 1);
}

/* x in the order that the mask gives it along the last dimension, all of one shape. front: what it selects alone. */
static fsr_node compact(fsr_site at, const char *what, fsr_node x, fsr_node mask, bool front) {
    fsr_node before = fsr_count_before(at, mask), handle;
    if (!fsr_node_sound(before))
        return before;
    const fsr_type type = {fsr_node_rec(x)->shape, 1, {fsr_node_dtype(x)}};
    fsr_rec *rec = fsr_graph_add(x.graph, at, what, FSR_NODE_COMPACT, &type, &handle);
    const fsr_node arg[] = {x, mask, before};
    if (rec)
        rec->front = front;
    for (int i = 0; rec && i < 3; i++)
        rec->arg[rec->nargs++] = (fsr_ref){arg[i].id, arg[i].output};
    return handle;
}

/* Both flat, the mask as bools. */
static bool operands(fsr_site at, const char *what, fsr_node *x, fsr_node *mask, fsr_node *poison) {
    if (!fsr_shape_equal(&fsr_node_rec(*x)->shape, &fsr_node_rec(*mask)->shape)) {
        *poison = fsr_poison(x->graph, at, FSR_ERR_SHAPE, what, "the mask %s does not have the shape of %s",
                             fsr_say(*mask).text, fsr_say(*x).text);
        return false;
    }
    *x = fsr_flatten(at, fsr_strong(at, *x));
    *mask = fsr_flatten(at, fsr_convert(at, fsr_strong(at, *mask), FSR_BOOL, false));
    *poison = fsr_node_sound(*x) ? *mask : *x;
    return fsr_node_sound(*x) && fsr_node_sound(*mask);
}

fsr_node fsr_filter_at(fsr_site at, fsr_node x, fsr_node mask, fsr_node fill) {
    fsr_node poison, all[] = {x, mask, fill};
    fsr_graph *g;
    if (fsr_poison_of(at, "filter", all, 3, &g, &poison))
        return poison;
    if (fsr_node_ndim(fill) != 0)
        return fsr_poison(g, at, FSR_ERR_SHAPE, "filter", "the fill %s is not 0-d", fsr_say(fill).text);
    if (!operands(at, "filter", &x, &mask, &poison))
        return poison;
    fill = fsr_strong(at, fsr_convert(at, fill, fsr_node_dtype(x), false));
    x = fsr_where_at(at, mask, x, fill);
    return fsr_node_sound(x) ? compact(at, "filter", x, mask, false) : x;
}

fsr_node fsr_compressed(fsr_site at, const char *what, fsr_node mask, fsr_node x, fsr_node origin, fsr_counted how) {
    fsr_node poison, both[] = {mask, x};
    fsr_length length;
    if (!fsr_lengths_meet(at, what, both, 2, &length, &poison) || !operands(at, what, &x, &mask, &poison))
        return poison;
    if (length.origin) {
        mask = fsr_prefix(at, mask, fsr_bool_at(at, x.graph, false), &length);
        x = fsr_without_length(at, x);
    }
    fsr_node out = fsr_node_sound(mask) && fsr_node_sound(x) ? compact(at, what, x, mask, true) : mask;
    fsr_node count = fsr_node_sound(out) ? fsr_count_true(at, mask) : out;
    if (!fsr_node_sound(count))
        return count;
    length = fsr_length_of(at, origin, how, count, fsr_node_dim(out, 0));
    return fsr_with_length(out, &length);
}

fsr_node fsr_compress_at(fsr_site at, fsr_node mask, fsr_node x) {
    fsr_node poison, all[] = {mask, x};
    fsr_graph *g;
    if (fsr_poison_of_any(at, "compress", all, 2, &g, &poison))
        return poison;
    return fsr_compressed(at, "compress", mask, x, mask, FSR_COUNTS_TRUE);
}

fsr_node fsr_flatnonzero_at(fsr_site at, fsr_node x) {
    fsr_node poison;
    fsr_graph *g;
    if (fsr_poison_of_any(at, "flatnonzero", &x, 1, &g, &poison))
        return poison;
    const fsr_shape flat = {1, {fsr_node_size(x)}};
    const fsr_length *length = fsr_node_length(x);
    const fsr_length own = length ? *length : (fsr_length){.origin = 0};
    fsr_node mask = fsr_flatten(at, fsr_strong(at, x)), i = fsr_iota(g, at, FSR_I64, &flat, 0);
    if (own.origin)
        i = fsr_with_length(i, &own);
    return fsr_node_sound(mask) && fsr_node_sound(i) ? fsr_compressed(at, "flatnonzero", mask, i, x, FSR_COUNTS_TRUE)
           : fsr_node_sound(i)                       ? mask
                                                     : i;
}

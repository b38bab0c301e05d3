/* SPDX-License-Identifier: MIT */
/* Values whose length only the device knows: a capacity, and a count.
 *
 * The memory is the capacity's; behind the count there is anything, which nobody is shown. What is done element by
 * element is done to all of it, and may be anything there too. What tells elements apart, a fold, a scan from the end,
 * an index, takes a PREFIX: the elements, and behind them what changes nothing, under a guard whose end the device
 * knows. So nothing is loaded there, and loops have a version for what lies behind the end.
 *
 * Two of them meet if their lengths are the same one (fsr_length_equal), else it is a mistake of the program's that no
 * run need show. Counter-example to comparing counts when they are known: it would wait for the device at each
 * addition, or be wrong for one input of many. */
#include "primitives/live.h"

fsr_length fsr_length_of(fsr_site at, fsr_node x, fsr_counted how, fsr_node count, int64_t most) {
    const uint64_t origin = (x.stamp * FSR_MAX_OUTPUTS + x.output) * FSR_COUNTED + how;
    return (fsr_length){origin, 0, most, {count.id, count.output}, at};
}

fsr_node fsr_length_count(fsr_graph *g, const fsr_length *length) {
    return fsr_graph_handle(g, length->count.id, length->count.output);
}

bool fsr_any_live(const fsr_node *x, int n) {
    int i = 0;
    while (i < n && !fsr_node_is_live(x[i]))
        i++;
    return i < n;
}

fsr_node fsr_with_length(fsr_node x, const fsr_length *length) {
    if (fsr_node_sound(x))
        fsr_node_rec(x)->length = *length;
    return x;
}

fsr_node fsr_without_length(fsr_site at, fsr_node x) {
    return fsr_node_length(x) ? fsr_alias(at, x) : x;
}

/* ---- lengths that meet -------------------------------------------------------------------------------------- */

static const char *file_of(const fsr_length *length) {
    return length->site.file ? length->site.file : "?";
}

bool fsr_lengths_meet(fsr_site at, const char *what, const fsr_node *x, int n, fsr_length *out, fsr_node *poison) {
    const fsr_length *common = NULL;
    int has = 0;
    *out = (fsr_length){.origin = 0};
    for (int i = n - 1; i >= 0; i--)
        if (fsr_node_length(x[i]))
            common = fsr_node_length(x[has = i]);
    if (!common)
        return true;
    *out = *common;
    for (int i = 0; i < n; i++) {
        const fsr_length *own = fsr_node_length(x[i]);
        if (own && !fsr_length_equal(own, common)) {
            *poison = fsr_poison(x[i].graph, at, FSR_ERR_SHAPE, what,
                                 "%s and %s have two lengths that only the device knows, counted at %s:%d and %s:%d",
                                 fsr_say(x[has]).text, fsr_say(x[i]).text, file_of(common), common->site.line,
                                 file_of(own), own->site.line);
            return false;
        }
        if (!own && (fsr_node_ndim(x[i]) > 1 || fsr_node_size(x[i]) != 1)) {
            *poison = fsr_poison(x[i].graph, at, FSR_ERR_SHAPE, what,
                                 "%s has a length that only the device knows, counted at %s:%d, and %s has not: "
                                 "fsr_live gives it one",
                                 fsr_say(x[has]).text, file_of(common), common->site.line, fsr_say(x[i]).text);
            return false;
        }
    }
    return true;
}

/* ---- what lies behind a length -------------------------------------------------------------------------------- */

static fsr_node prefix(fsr_site at, fsr_node x, fsr_node fill, const fsr_length *length, bool neutral) {
    fsr_node handle, arg[3] = {fill, x};
    if (!fsr_node_sound(x) || !fsr_node_sound(fill))
        return fsr_node_sound(x) ? fill : x;
    const fsr_type type = {fsr_node_rec(x)->shape, 1, {fsr_node_dtype(x)}};
    arg[0] = fsr_stretch(at, fill, &type.shape);
    arg[2] = fsr_stretch(at, fsr_length_count(x.graph, length), &type.shape);
    for (int i = 0; i < 3; i++)
        if (!fsr_node_sound(arg[i]))
            return arg[i];
    if (type.shape.dim[0] == 0)
        return fsr_without_length(at, x);
    fsr_rec *rec = fsr_graph_add(x.graph, at, "prefix", FSR_NODE_PREFIX, &type, &handle);
    for (int i = 0; rec && i < 3; i++)
        rec->arg[rec->nargs++] = (fsr_ref){arg[i].id, arg[i].output};
    if (rec)
        rec->neutral = neutral;
    return handle;
}

fsr_node fsr_prefix(fsr_site at, fsr_node x, fsr_node fill, const fsr_length *length) {
    return prefix(at, x, fill, length, false);
}

fsr_node fsr_prefix_nowhere(fsr_site at, fsr_node x, fsr_node fill, const fsr_length *length) {
    return prefix(at, x, fill, length, true);
}

/* An operator of the caller's may have an identity that changes something, a NaN from an infinity, say: its folds go on
 * to the capacity, unless that is known not to be (operator.c). */
void fsr_live_fold_operands(fsr_site at, fsr_node *out, const fsr_node *in, const fsr_combine *combine) {
    const fsr_length *length = NULL;
    const int arity = combine ? combine->arity : 1;
    for (int i = 0; combine && i < arity; i++)
        length = fsr_node_length(in[i]) ? fsr_node_length(in[i]) : length;
    const fsr_length own = length ? *length : (fsr_length){.origin = 0};
    for (int i = 0; i < arity; i++) {
        const fsr_dtype dtype = combine ? fsr_combine_dtype(combine, i) : FSR_BOOL;
        out[i] = in[i];
        if (own.origin && fsr_node_sound(in[i])) {
            const fsr_node fill = fsr_literal(in[i].graph, at, dtype, combine->identity[i], false);
            out[i] = prefix(at, in[i], fill, &own, combine->builtin || combine->neutral);
        }
    }
    for (int i = arity; combine && i < arity + fsr_combine_same(combine); i++)
        out[i] = in[i];
}

fsr_node fsr_folded_count(fsr_site at, fsr_node x, uint32_t mask, fsr_dtype dtype, double less) {
    const fsr_length *length = fsr_node_length(x);
    const double count = (double)fsr_folded(&fsr_node_rec(x)->shape, mask) - less;
    if (!length || !mask)
        return fsr_count(x.graph, at, dtype, count > 0 ? count : 0);
    fsr_node zero = fsr_float_at(at, x.graph, 0), n = fsr_convert(at, fsr_length_count(x.graph, length), dtype, false);
    return less == 0 ? n : fsr_maximum_at(at, fsr_sub_at(at, n, fsr_float_at(at, x.graph, less)), zero);
}

/* ---- what is told when it is known --------------------------------------------------------------------------- */

/* An index into one element: 0, or outside, and then false is taken all the same. */
fsr_node fsr_told(fsr_site at, fsr_node x, fsr_node number, fsr_says says) {
    if (!fsr_node_sound(x) || !fsr_node_sound(number))
        return fsr_node_sound(x) ? number : x;
    const fsr_shape one = {1, {1}};
    const fsr_dtype dtype = fsr_node_dtype(x);
    fsr_node none = fsr_stretch(at, fsr_bool_at(at, x.graph, false), &one);
    fsr_node told = fsr_node_sound(none) ? fsr_take_at(at, none, number, 0, FSR_INDEX_RAISE) : none;
    if (!fsr_node_sound(told))
        return told;
    fsr_node_rec(told)->says = says;
    return fsr_where_at(at, told, fsr_literal(x.graph, at, dtype, (fsr_value){.bits = 0}, false), x);
}

fsr_node fsr_told_empty(fsr_site at, fsr_node out, fsr_node x) {
    const fsr_length *length = fsr_node_length(x);
    if (!length || !fsr_node_sound(out))
        return out;
    fsr_node zero = fsr_int_at(at, x.graph, 0), one = fsr_int_at(at, x.graph, 1);
    fsr_node some = fsr_greater_at(at, fsr_length_count(x.graph, length), zero);
    return fsr_told(at, out, fsr_strong(at, fsr_where_at(at, some, zero, one)), FSR_SAYS_EMPTY);
}

/* ---- public --------------------------------------------------------------------------------------------------- */

fsr_node fsr_live_at(fsr_site at, fsr_node x, fsr_node of) {
    static const char what[] = "live";
    fsr_node poison, both[] = {x, of};
    fsr_graph *g;
    if (fsr_poison_of_any(at, what, both, 2, &g, &poison) || fsr_poison_of(at, what, &x, 1, &g, &poison))
        return poison;
    if (fsr_node_ndim(x) != 1)
        return fsr_poison(g, at, FSR_ERR_SHAPE, what, "%s is not of one dimension", fsr_say(x).text);
    const int64_t extent = fsr_node_dim(x, 0);
    const fsr_length *given = fsr_node_length(of);
    if (given && fsr_node_dim(of, 0) != extent)
        return fsr_poison(g, at, FSR_ERR_SHAPE, what, "%s has another capacity than %s", fsr_say(of).text,
                          fsr_say(x).text);
    if (given) {
        const fsr_length same = *given;
        return fsr_with_length(fsr_alias(at, fsr_strong(at, x)), &same);
    }
    if (fsr_node_ndim(of) != 0 || fsr_dtype_class(fsr_node_dtype(of)) != FSR_CLASS_INT)
        return fsr_poison(g, at, FSR_ERR_DTYPE, what,
                          "%s is no count: an integer of no dimensions, or a value with a length", fsr_say(of).text);
    fsr_node count = fsr_maximum_at(at, fsr_integers(at, of), fsr_int_at(at, g, 0));
    count = fsr_strong(at, fsr_minimum_at(at, count, fsr_int_at(at, g, extent)));
    if (!fsr_node_sound(count))
        return count;
    const fsr_length length = fsr_length_of(at, of, FSR_COUNTS_ITSELF, count, extent);
    return fsr_with_length(fsr_alias(at, fsr_strong(at, x)), &length);
}

fsr_node fsr_filled_at(fsr_site at, fsr_node x, fsr_node fill) {
    static const char what[] = "filled";
    fsr_node poison, both[] = {x, fill};
    fsr_graph *g;
    if (fsr_poison_of_any(at, what, both, 2, &g, &poison))
        return poison;
    if (fsr_node_ndim(fill) != 0)
        return fsr_poison(g, at, FSR_ERR_SHAPE, what, "the fill %s is not 0-d", fsr_say(fill).text);
    const fsr_length *length = fsr_node_length(x);
    fill = fsr_strong(at, fsr_convert(at, fill, fsr_node_dtype(x), false));
    const fsr_length own = length ? *length : (fsr_length){.origin = 0};
    return own.origin ? fsr_prefix(at, x, fill, &own) : fsr_strong(at, x);
}

fsr_node fsr_live_count_at(fsr_site at, fsr_node x) {
    fsr_node poison;
    fsr_graph *g;
    if (fsr_poison_of_any(at, "live_count", &x, 1, &g, &poison))
        return poison;
    const fsr_length *length = fsr_node_length(x);
    if (length)
        return fsr_length_count(g, length);
    if (fsr_node_ndim(x) == 0)
        return fsr_poison(g, at, FSR_ERR_SHAPE, "live_count", "%s has no elements to count", fsr_say(x).text);
    return fsr_i64(at, x, fsr_node_dim(x, 0));
}

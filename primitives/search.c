/* SPDX-License-Identifier: MIT */
/* Searches in sorted arrays: searchsorted, digitize, interp.
 *
 * Each needle is searched for by a loop of its own (fsr_iterate), in the kernel that computes the needles and goes on
 * with the places. A turn halves what is left, `length` keys from `place` on, without a branch: the key in the middle
 * is before the needle or not, and either way half of the length is left, for a key that is known to be behind the
 * needle may stay in it. So every needle takes as many turns as the number of keys has bits, and a batch of lanes ends
 * together. place + length never passes the number of keys. Counter-example to the middle of two ends, (low + high) /
 * 2: their sum overflows, and what is left is not the same for all needles.
 *
 * The number of keys is an argument of the kernel: arrays of lengths of as many bits share it. */
#include "primitives/search.h"
#include "primitives/live.h"
#include <math.h>

/* ---- the loop ------------------------------------------------------------------------------------------------- */

typedef struct search {
    fsr_site at;
    fsr_node keys;
    fsr_search how;
} search;

/* Whether a key is before the needle, NaN behind every other number. */
static fsr_node is_before(const search *s, fsr_node key, fsr_node needle) {
    const fsr_site at = s->at;
    const bool nan = fsr_dtype_has_nan(s->how.dtype);
    if (s->how.right) {
        fsr_node before = fsr_less_equal_at(at, key, needle);
        return nan ? fsr_logical_or_at(at, before, fsr_isnan_at(at, needle)) : before;
    }
    if (!nan)
        return fsr_less_at(at, key, needle);
    fsr_node behind = fsr_logical_or_at(at, fsr_greater_equal_at(at, key, needle), fsr_isnan_at(at, key));
    return fsr_logical_not_at(at, behind);
}

/* state: place, length. arg: the needle, the number of keys, whether they descend. */
static void halve(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    const search *s = user;
    const fsr_site at = s->at;
    const fsr_node one = fsr_int_at(at, state[0].graph, 1);
    fsr_node left = fsr_right_shift_at(at, state[1], one), half = fsr_sub_at(at, state[1], left);
    fsr_node next = fsr_add_at(at, state[0], half), middle = fsr_sub_at(at, next, one);
    if (s->how.descending.graph)
        middle = fsr_where_at(at, arg[2], fsr_sub_at(at, arg[1], next), middle);
    fsr_node key = fsr_convert(at, fsr_take_at(at, s->keys, middle, 0, FSR_INDEX_CLIP), s->how.dtype, false);
    out[0] = fsr_where_at(at, is_before(s, key, arg[0]), next, state[0]);
    out[1] = left;
}

fsr_node fsr_searched(fsr_site at, fsr_node keys, fsr_node needle, const fsr_search *how) {
    if (!fsr_node_sound(keys) || !fsr_node_sound(needle))
        return fsr_node_sound(keys) ? needle : keys;
    search s = {at, keys, *how};
    const int64_t n = fsr_node_size(keys);
    const fsr_dtype dtype = n <= INT32_MAX ? FSR_I32 : FSR_I64;
    const fsr_node count = fsr_count(keys.graph, at, dtype, (double)n);
    const fsr_node none = fsr_literal(keys.graph, at, dtype, (fsr_value){.bits = 0}, false);
    const fsr_node state[] = {none, count},
                   arg[] = {fsr_convert(at, needle, how->dtype, false), count, how->descending};
    const fsr_loop loop = {halve, NULL, &s, 2, how->descending.graph ? 3 : 1};
    fsr_node out[3];
    int turns = 0;
    while (n >> turns)
        turns++;
    if (!turns) {
        fsr_node first = fsr_strong(at, fsr_literal(keys.graph, at, FSR_I64, (fsr_value){.bits = 0}, false));
        first = fsr_stretch(at, first, &fsr_node_rec(needle)->shape);
        return fsr_node_is_live(needle) ? fsr_live_at(at, first, needle) : first;
    }
    fsr_iterate_at(at, sizeof loop, out, &loop, state, arg, turns);
    fsr_node place = out[0];
    if (how->descending.graph)
        place = fsr_where_at(at, how->descending, fsr_sub_at(at, count, place), place);
    return fsr_node_sound(place) ? fsr_convert(at, place, FSR_I64, false) : place;
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

/* Numbers that have an order, not weak; keys are a vector. Either may have a length. False: *poison. */
static bool keys_take(fsr_site at, const char *what, fsr_node *keys, fsr_node *needle, fsr_node *poison) {
    const fsr_node both[] = {*keys, *needle};
    fsr_graph *graph;
    if (fsr_poison_of_any(at, what, both, 2, &graph, poison) || !fsr_order_take(*keys, at, what, poison) ||
        !fsr_order_take(*needle, at, what, poison))
        return false;
    if (fsr_node_ndim(*keys) != 1) {
        *poison = fsr_poison(graph, at, FSR_ERR_SHAPE, what, "%s is not one-dimensional", fsr_say(*keys).text);
        return false;
    }
    *keys = fsr_strong(at, *keys);
    *needle = fsr_strong(at, *needle);
    *poison = fsr_node_sound(*keys) ? *needle : *keys;
    return fsr_node_sound(*poison) != NULL;
}

static bool side_take(fsr_site at, const char *what, fsr_node x, fsr_side side, fsr_node *poison) {
    if (side == FSR_LEFT || side == FSR_RIGHT)
        return true;
    *poison = fsr_poison(x.graph, at, FSR_ERR_VALUE, what, "there is no side %d", (int)side);
    return false;
}

/* Element i of x, counted from the end if it is negative, 0-d. */
static fsr_node element(fsr_site at, fsr_node x, int64_t i) {
    const int64_t from = i < 0 ? i + fsr_node_size(x) : i;
    fsr_node part = fsr_slice_at(at, x, 0, from, from + 1, 1);
    return fsr_node_sound(part) ? fsr_squeeze_at(at, part, 0) : part;
}

/* ---- places ------------------------------------------------------------------------------------------------ */

/* The same of keys that may have a length: what stands behind it is last in the order, and no place is beyond it. */
static fsr_node searched(fsr_site at, fsr_node keys, fsr_node needle, const fsr_search *how) {
    const fsr_length *known = fsr_node_length(keys);
    if (!known)
        return fsr_searched(at, keys, needle, how);
    const fsr_node count = fsr_length_count(keys.graph, known);
    return fsr_minimum_at(at, fsr_searched(at, fsr_order_filled(at, keys, false), needle, how), count);
}

fsr_node fsr_searchsorted_at(fsr_site at, fsr_node keys, fsr_node x, fsr_side side) {
    static const char what[] = "searchsorted";
    fsr_node poison;
    if (!keys_take(at, what, &keys, &x, &poison) || !side_take(at, what, x, side, &poison))
        return poison;
    const fsr_search how = {fsr_common_dtype((fsr_node[]){keys, x}, 2), side == FSR_RIGHT, {0}};
    return searched(at, keys, x, &how);
}

/* Places among bins that have a length: among as many in ascending order, counted from the end where they descend. */
static fsr_node digitized_live(fsr_site at, fsr_node bins, fsr_node x, const fsr_search *how) {
    if (fsr_node_size(bins) < 2)
        return searched(at, bins, x, how);
    const fsr_node count = fsr_length_count(bins.graph, fsr_node_length(bins)), plain = fsr_without_length(at, bins);
    const fsr_node last = fsr_take_at(at, plain, fsr_sub_at(at, count, fsr_i64(at, count, 1)), 0, FSR_INDEX_CLIP);
    const fsr_node descends = fsr_greater_at(at, element(at, plain, 0), last);
    const fsr_node ascending = fsr_where_at(at, descends, fsr_flip_at(at, bins, 0), bins);
    if (!fsr_node_sound(ascending))
        return ascending;
    const fsr_node place = searched(at, ascending, x, how);
    return fsr_where_at(at, descends, fsr_sub_at(at, count, place), place);
}

fsr_node fsr_digitize_at(fsr_site at, fsr_node x, fsr_node bins, bool right) {
    static const char what[] = "digitize";
    fsr_node poison;
    if (!keys_take(at, what, &bins, &x, &poison))
        return poison;
    fsr_search how = {fsr_common_dtype((fsr_node[]){bins, x}, 2), !right, {0}};
    if (fsr_node_is_live(bins))
        return digitized_live(at, bins, x, &how);
    if (fsr_node_size(bins) > 1)
        how.descending = fsr_greater_at(at, element(at, bins, 0), element(at, bins, -1));
    return fsr_searched(at, bins, x, &how);
}

/* ---- interpolation ----------------------------------------------------------------------------------------- */

typedef struct curve {
    fsr_node x, xp, fp; /* x of f64, points without a length */
    fsr_node left, right;
    fsr_node live, count,
        last; /* if they had a length, xp with it, how many they are, and the last one's number, i64 */
} curve;

/* What is between points `low` and `high` of real numbers; where that is none, by the other point, and then their
 * common value. The slope of parts of complex numbers is a product with the distance's inverse, as in NumPy. */
static fsr_node between(fsr_site at, fsr_node x, const fsr_node *xp, const fsr_node *fp, bool part) {
    fsr_node rise = fsr_sub_at(at, fp[1], fp[0]), run = fsr_sub_at(at, xp[1], xp[0]);
    fsr_node one = fsr_float_at(at, x.graph, 1);
    fsr_node slope = part ? fsr_mul_at(at, rise, fsr_div_at(at, one, run)) : fsr_div_at(at, rise, run);
    fsr_node from_low = fsr_add_at(at, fsr_mul_at(at, slope, fsr_sub_at(at, x, xp[0])), fp[0]);
    fsr_node from_high = fsr_add_at(at, fsr_mul_at(at, slope, fsr_sub_at(at, x, xp[1])), fp[1]);
    fsr_node any = fsr_where_at(at, fsr_isnan_at(at, from_low), from_high, from_low);
    fsr_node level = fsr_logical_and_at(at, fsr_isnan_at(at, any), fsr_equal_at(at, fp[0], fp[1]));
    return fsr_where_at(at, level, fp[0], any);
}

/* The same of numbers that may be complex. */
static fsr_node between_any(fsr_site at, fsr_node x, const fsr_node *xp, const fsr_node *fp) {
    if (!fsr_dtype_is_complex(fsr_node_dtype(fp[0])))
        return between(at, x, xp, fp, false);
    const fsr_node re[] = {fsr_real_at(at, fp[0]), fsr_real_at(at, fp[1])},
                   im[] = {fsr_imag_at(at, fp[0]), fsr_imag_at(at, fp[1])};
    return fsr_complex_of_at(at, between(at, x, xp, re, true), between(at, x, xp, im, true));
}

/* The first of the points' values, or their last one. */
static fsr_node end_of(fsr_site at, const curve *p, fsr_node values, bool last) {
    return last && p->last.graph ? fsr_take_at(at, values, p->last, 0, FSR_INDEX_CLIP)
                                 : element(at, values, last ? -1 : 0);
}

/* How many points are not behind each x. */
static fsr_node points_before(fsr_site at, const curve *p) {
    const fsr_search how = {FSR_F64, true, {0}};
    const fsr_node place = fsr_searched(at, p->xp, p->x, &how);
    return p->count.graph ? fsr_minimum_at(at, place, p->count) : place;
}

static fsr_node interpolated(fsr_site at, const curve *p) {
    const int64_t n = fsr_node_size(p->xp);
    const fsr_dtype dtype = fsr_dtype_is_complex(fsr_node_dtype(p->fp)) ? FSR_C128 : FSR_F64;
    fsr_node place = points_before(at, p), one = fsr_int_at(at, p->x.graph, 1), xp[2], fp[2];
    if (!fsr_node_sound(place) || !fsr_node_sound(p->fp))
        return fsr_node_sound(place) ? p->fp : place;
    for (int i = 0; i < 2; i++) {
        fsr_node point = i ? place : fsr_sub_at(at, place, one);
        point = i && p->last.graph ? fsr_minimum_at(at, point, p->last) : point;
        xp[i] = fsr_convert(at, fsr_take_at(at, p->xp, point, 0, FSR_INDEX_CLIP), FSR_F64, false);
        fp[i] = fsr_convert(at, fsr_take_at(at, p->fp, point, 0, FSR_INDEX_CLIP), dtype, false);
    }
    fsr_node first = fsr_convert(at, end_of(at, p, p->xp, false), FSR_F64, false),
             last = fsr_convert(at, end_of(at, p, p->xp, true), FSR_F64, false);
    const fsr_node count = p->count.graph ? p->count : fsr_count(p->x.graph, at, FSR_I64, (double)n);
    fsr_node at_point = fsr_logical_or_at(at, fsr_equal_at(at, p->x, xp[0]), fsr_equal_at(at, place, count));
    fsr_node y = fsr_where_at(at, at_point, fp[0], between_any(at, p->x, xp, fp));
    y = fsr_where_at(at, fsr_less_at(at, p->x, first), fsr_convert(at, p->left, dtype, false), y);
    y = fsr_where_at(at, fsr_greater_at(at, p->x, last), fsr_convert(at, p->right, dtype, false), y);
    fsr_node of_nan = fsr_isnan_at(at, p->x);
    if (p->last.graph)
        of_nan = fsr_logical_and_at(at, of_nan, fsr_greater_at(at, p->last, fsr_int_at(at, p->x.graph, 0)));
    y = n == 1 ? y : fsr_where_at(at, of_nan, fsr_convert(at, p->x, dtype, false), y);
    return p->live.graph ? fsr_told_empty(at, y, p->live) : y;
}

/* Points that have a length: behind it is what is last in the order. That there is none is told with the result. */
static bool points_without_length(fsr_site at, const char *what, curve *p, fsr_node *poison) {
    const fsr_node both[] = {p->xp, p->fp};
    fsr_length length;
    if (!fsr_lengths_meet(at, what, both, 2, &length, poison))
        return false;
    if (!length.origin || !fsr_node_is_live(p->xp) || !fsr_node_is_live(p->fp))
        return true;
    const fsr_node count = fsr_length_count(p->xp.graph, &length);
    const fsr_node some = fsr_maximum_at(at, count, fsr_int_at(at, p->xp.graph, 1));
    p->count = fsr_strong(at, some);
    p->last = fsr_sub_at(at, p->count, fsr_int_at(at, p->xp.graph, 1));
    p->fp = fsr_without_length(at, p->fp);
    p->live = p->xp;
    p->xp = fsr_order_filled(at, p->xp, false);
    *poison = fsr_node_sound(p->xp) ? p->last : p->xp;
    return fsr_node_sound(*poison) != NULL;
}

static bool points_take(fsr_site at, const char *what, curve *p, fsr_node *poison) {
    fsr_graph *graph;
    const fsr_node all[] = {p->x, p->xp, p->fp};
    if (fsr_poison_of_any(at, what, all, 3, &graph, poison) || !keys_take(at, what, &p->xp, &p->x, poison))
        return false;
    p->fp = fsr_strong(at, p->fp);
    *poison = p->fp;
    if (!fsr_node_sound(p->fp))
        return false;
    if (!fsr_shape_equal(&fsr_node_rec(p->xp)->shape, &fsr_node_rec(p->fp)->shape))
        *poison = fsr_poison(graph, at, FSR_ERR_SHAPE, what, "the points' %s and %s do not have one shape",
                             fsr_say(p->xp).text, fsr_say(p->fp).text);
    else if (fsr_node_size(p->xp) == 0)
        *poison = fsr_poison(graph, at, FSR_ERR_EMPTY, what, "there are no points");
    else
        p->x = *poison = fsr_convert(at, p->x, FSR_F64, false);
    return fsr_node_sound(*poison) != NULL;
}

/* What is beyond the points: *end, 0-d, or their first or last value if it is a zeroed node. */
static bool end_take(fsr_site at, const char *what, const curve *p, fsr_node *end, bool last, fsr_node *poison) {
    fsr_graph *graph;
    const fsr_node both[] = {p->fp, *end};
    if (!end->graph)
        *end = end_of(at, p, p->fp, last);
    else if (fsr_poison_of(at, what, both, 2, &graph, poison))
        return false;
    else
        *end = fsr_strong(at, *end);
    *poison = *end;
    if (!fsr_node_sound(*end))
        return false;
    if (fsr_node_ndim(*end) != 0)
        *poison = fsr_poison(p->x.graph, at, FSR_ERR_SHAPE, what, "%s is not 0-d", fsr_say(*end).text);
    else if (fsr_dtype_is_complex(fsr_node_dtype(*end)) && !fsr_dtype_is_complex(fsr_node_dtype(p->fp)))
        *poison = fsr_poison(p->x.graph, at, FSR_ERR_DTYPE, what, "%s beside real points", fsr_say(*end).text);
    return fsr_node_sound(*poison) != NULL;
}

fsr_node fsr_interp_at(fsr_site at, fsr_node x, fsr_node xp, fsr_node fp, fsr_node left, fsr_node right) {
    static const char what[] = "interp";
    fsr_node poison;
    curve p = {.x = x, .xp = xp, .fp = fp, .left = left, .right = right};
    if (!points_take(at, what, &p, &poison) || !points_without_length(at, what, &p, &poison) ||
        !end_take(at, what, &p, &p.left, false, &poison) || !end_take(at, what, &p, &p.right, true, &poison))
        return poison;
    return interpolated(at, &p);
}

fsr_node fsr_interp_period_at(fsr_site at, fsr_node x, fsr_node xp, fsr_node fp, double period) {
    static const char what[] = "interp_period";
    fsr_node poison;
    curve p = {.x = x, .xp = xp, .fp = fp};
    if (!points_take(at, what, &p, &poison))
        return poison;
    if (!isfinite(period) || period == 0)
        return fsr_poison(p.x.graph, at, FSR_ERR_VALUE, what, "a period of %g", period);
    const fsr_node turn = fsr_float_at(at, p.x.graph, fabs(period));
    fsr_node points = fsr_mod_at(at, fsr_convert(at, p.xp, FSR_F64, false), turn);
    fsr_node order = fsr_argsort_at(at, points, (int[]){0}, 1, 0);
    points = fsr_take_at(at, points, order, 0, FSR_INDEX_CLIP);
    fsr_node values = fsr_take_at(at, p.fp, order, 0, FSR_INDEX_CLIP);
    if (!fsr_node_sound(points) || !fsr_node_sound(values))
        return fsr_node_sound(points) ? values : points;
    const fsr_node around[] = {fsr_sub_at(at, fsr_slice_at(at, points, 0, -1, FSR_SLICE_END, 1), turn), points,
                               fsr_add_at(at, fsr_slice_at(at, points, 0, 0, 1, 1), turn)};
    const fsr_node their[] = {fsr_slice_at(at, values, 0, -1, FSR_SLICE_END, 1), values,
                              fsr_slice_at(at, values, 0, 0, 1, 1)};
    p.xp = fsr_concat_at(at, around, 3, 0);
    p.fp = fsr_concat_at(at, their, 3, 0);
    if (fsr_node_sound(p.fp) && fsr_node_is_live(p.xp))
        p.fp = fsr_live_at(at, fsr_without_length(at, p.fp), p.xp);
    p.x = fsr_mod_at(at, p.x, turn);
    if (!points_without_length(at, what, &p, &poison) || !end_take(at, what, &p, &p.left, false, &poison) ||
        !end_take(at, what, &p, &p.right, true, &poison))
        return poison;
    return interpolated(at, &p);
}

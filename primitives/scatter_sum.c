/* SPDX-License-Identifier: MIT */
/* Sums of floats at computed indices that have the same bits in every run.
 *
 * Sums of integers are the same in any order. So the values that go to one place become integers of one unit, a power
 * of two: a first pass finds the greatest exponent of each place's values, a second one adds each value, divided by the
 * unit and rounded, to an integer of 64 bits; a map makes floats of the integers. Of n values in all, the unit is 2^-b
 * of the greatest one's power of two, b = 62 - log2 n, so no sum passes 2^62. A value of f32 is thus rounded to a part
 * in 2^b of the greatest one in its place: closer than adding one after the other, which rounds each partial sum to a
 * part in 2^24. For f64 what is left of each is divided once more, by 2^b, and added to a second integer: 2 b bits,
 * which are 70 for 2^27 values.
 *
 * Units are at least 2^-1022, so a sum of values below 2^-960 has fewer digits.
 *
 * What is no number goes by the exponent: NaN and infinities have such as no number has, the greatest of which is kept;
 * where that is +inf, the integer counts -inf. A place where nothing goes keeps its element.
 *
 * A CPU adds f32 up in f64 instead, whose threads need no order to be told: each piece of the values has an array of
 * its own, and sizes alone say which pieces there are. Sums of f64 would lose bits so, and have integers there too.
 *
 * Counter-example to one unit for all places, that of the greatest value anywhere: an array of small sums beside a
 * large one would have none of their digits. */
#include "graph/floats.h"
#include "graph/sparse.h"
#include "primitives/scatter.h"
#include <math.h>
#include <string.h>

/* Exponents of what has none, and the least one that a unit is made for. */
enum { NOTHING = -3000, ZERO = -2000, LEAST = -960, MINUS_INF = 3999, PLUS_INF = 4000, IS_NAN = 5000 };

typedef struct sums {
    fsr_site at;
    fsr_graph *graph;
    const fsr_indices *g;
    fsr_node x;
    int bits; /* b */
} sums;

static fsr_node whole(const sums *s, int64_t value) {
    return fsr_literal(s->graph, s->at, FSR_I32, fsr_value_from_int(FSR_I32, value), false);
}
static fsr_node real(const sums *s, double value) {
    return fsr_literal(s->graph, s->at, FSR_F64, fsr_value_from_double(FSR_F64, value), false);
}

/* b for n values: n of them, each at most 2^b, are at most 2^62. */
static int bits_for(int64_t n) {
    int log = 0;
    while (log < 40 && (INT64_C(1) << log) < n)
        log++;
    return 62 - log;
}

/* The exponent of each value, i32. */
static fsr_node exponents(const sums *s, fsr_node v) {
    fsr_site at = s->at;
    fsr_node odd =
        fsr_where_at(at, fsr_isnan_at(at, v), whole(s, IS_NAN),
                     fsr_where_at(at, fsr_greater_at(at, v, real(s, 0)), whole(s, PLUS_INF), whole(s, MINUS_INF)));
    fsr_node plain = fsr_where_at(at, fsr_equal_at(at, v, real(s, 0)), whole(s, ZERO), fsr_frexp_exponent_at(at, v));
    return fsr_where_at(at, fsr_isfinite_at(at, v), plain, odd);
}

/* An array of this shape of integers, with `parts` combined into it. */
static fsr_node combined(const sums *s, fsr_op op, fsr_dtype dtype, double first, const fsr_shape *shape,
                         fsr_node parts, const fsr_indices *g) {
    fsr_node base = fsr_full_at(s->at, s->graph, dtype, shape->ndim, shape->dim, first);
    return fsr_node_sound(base) && fsr_node_sound(parts) ? fsr_scatter_combined(s->at, op, base, parts, g)
           : fsr_node_sound(base)                        ? parts
                                                         : base;
}

/* The same of an array like x. */
static fsr_node gathered(const sums *s, fsr_op op, fsr_dtype dtype, double first, fsr_node parts) {
    const fsr_shape shape = fsr_node_rec(s->x)->shape;
    return combined(s, op, dtype, first, &shape, parts, s->g);
}

static void put_two_first(fsr_shape *shape) {
    memmove(shape->dim + 1, shape->dim, sizeof *shape->dim * (size_t)shape->ndim++);
    shape->dim[0] = 2;
}

/* Two arrays like x, one behind the other, of which what goes into the second is combined with that, in one kernel. */
static fsr_node added_both(const sums *s, fsr_node first, fsr_node second) {
    fsr_site at = s->at;
    fsr_indices g = *s->g;
    fsr_shape shape = fsr_node_rec(s->x)->shape;
    const int ndim = shape.ndim;
    put_two_first(&shape);
    put_two_first(&g.shape);
    for (int j = 0; j < ndim; j++) {
        const int from = s->g->view.from[j];
        g.view.from[j + 1] = from < 0 ? from : from + 1;
        g.view.start[j + 1] = s->g->view.start[j];
        g.view.step[j + 1] = s->g->view.step[j];
    }
    g.view.from[0] = 0;
    g.view.start[0] = 0;
    g.view.step[0] = 1;
    g.axes <<= 1;
    for (int i = 0; i < g.n; i++)
        g.index[i] = fsr_stretch(at, g.index[i], &g.shape);
    fsr_node which = fsr_iota(s->graph, at, FSR_I32, &g.shape, 0);
    fsr_node is_first = fsr_equal_at(at, which, whole(s, 0));
    const fsr_node parts = fsr_where_at(at, is_first, first, second);
    return combined(s, FSR_OP_ADD, FSR_I64, 0, &shape, fsr_convert(at, parts, FSR_I64, false), &g);
}

/* What the values of each place are multiplied by to be in its units, f64, 0 where there is no number; units below
 * 2^-1022 there are not. Counter-example to ldexp of each value: there are a hundred of them for each place. */
static fsr_node units_of(const sums *s, fsr_node exponent) {
    fsr_site at = s->at;
    fsr_node least = fsr_maximum_at(at, exponent, whole(s, LEAST));
    fsr_node unit = fsr_ldexp_at(at, real(s, 1), fsr_sub_at(at, whole(s, s->bits), least));
    return fsr_where_at(at, fsr_less_at(at, exponent, whole(s, MINUS_INF)), unit, real(s, 0));
}

/* The values in the units of their places; where the place has no number, whether they are -inf. */
static fsr_node in_units(const sums *s, fsr_node v, fsr_node unit) {
    fsr_site at = s->at;
    fsr_node minus = fsr_where_at(at, fsr_equal_at(at, v, real(s, -INFINITY)), real(s, 1), real(s, 0));
    return fsr_where_at(at, fsr_equal_at(at, unit, real(s, 0)), minus, fsr_mul_at(at, v, unit));
}

/* The sum, f64, of a place's integers. rest: the second one; NULL: there is none. */
static fsr_node in_numbers(const sums *s, fsr_node exponent, fsr_node sum, const fsr_node *rest) {
    fsr_site at = s->at;
    fsr_node near = fsr_convert(at, sum, FSR_F64, false), all = near;
    if (rest) {
        fsr_node off = fsr_convert(at, fsr_sub_at(at, sum, fsr_convert(at, near, FSR_I64, false)), FSR_F64, false);
        fsr_node less = fsr_mul_at(at, fsr_convert(at, *rest, FSR_F64, false), real(s, ldexp(1, -s->bits)));
        all = fsr_add_at(at, near, fsr_add_at(at, off, less));
    }
    fsr_node least = fsr_maximum_at(at, exponent, whole(s, LEAST));
    fsr_node plain = fsr_ldexp_at(at, all, fsr_sub_at(at, least, whole(s, s->bits)));
    fsr_node plus = fsr_equal_at(at, exponent, whole(s, PLUS_INF));
    fsr_node both = fsr_logical_or_at(at, fsr_equal_at(at, exponent, whole(s, IS_NAN)),
                                      fsr_logical_and_at(at, plus, fsr_greater_at(at, near, real(s, 0))));
    fsr_node odd = fsr_where_at(at, both, real(s, NAN), fsr_where_at(at, plus, real(s, INFINITY), real(s, -INFINITY)));
    return fsr_where_at(at, fsr_less_at(at, exponent, whole(s, MINUS_INF)), plain, odd);
}

/* The sums as f64 adds them up, one after the other. An element that is NaN stays that NaN. */
static fsr_node added(fsr_site at, fsr_node x, fsr_node v, const fsr_indices *g) {
    fsr_node sum = fsr_scatter_combined(at, FSR_OP_ADD, fsr_convert(at, x, FSR_F64, false), v, g);
    if (!fsr_node_sound(sum))
        return sum;
    return fsr_where_at(at, fsr_isnan_at(at, x), x, fsr_convert(at, sum, fsr_node_dtype(x), false));
}

/* What a CPU computes, and what others do: the sums said in two ways (graph/sparse.h). */
static fsr_node either(const sums *s, fsr_node first, fsr_node plain) {
    fsr_node handle;
    const fsr_rec *sound = fsr_node_sound(plain);
    if (!sound || !fsr_node_sound(first))
        return sound ? first : plain;
    const fsr_type type = {sound->shape, 1, {fsr_node_dtype(plain)}};
    fsr_rec *rec = fsr_graph_add(s->graph, s->at, s->g->what, FSR_NODE_LIBRARY, &type, &handle);
    if (!rec)
        return handle;
    rec->library = FSR_LIBRARY_SCATTER_SUM;
    rec->nargs = FSR_SCATTER_SUM_PLAIN + 1;
    rec->arg[FSR_SCATTER_SUM_ADDED] = (fsr_ref){first.id, first.output};
    rec->arg[FSR_SCATTER_SUM_PLAIN] = (fsr_ref){plain.id, plain.output};
    return handle;
}

static fsr_node gathered_whole(const sums *s, fsr_node parts) {
    return gathered(s, FSR_OP_ADD, FSR_I64, 0, fsr_convert(s->at, parts, FSR_I64, false));
}

/* x with the sums of values in the units of their places, which f64 has two integers of: by a kernel for each, or both
 * by one, whose launches are fewer. Counter-example to one on a CPU: it computes the first integer for the second half
 * as well, and a turn of PageRank takes a third longer. */
static fsr_node with_sums(const sums *s, fsr_node exponent, fsr_node units, bool at_once) {
    fsr_site at = s->at;
    const fsr_dtype dtype = fsr_node_dtype(s->x);
    const bool two = dtype == FSR_F64;
    const fsr_node near = fsr_rint_at(at, units);
    fsr_node sum = {0}, rest = {0}, less = near;
    if (two)
        less = fsr_rint_at(at, fsr_mul_at(at, fsr_sub_at(at, units, near), real(s, ldexp(1, s->bits))));
    if (two && at_once) {
        const fsr_node all = added_both(s, near, less);
        sum = fsr_squeeze_at(at, fsr_slice_at(at, all, 0, 0, 1, 1), 0);
        rest = fsr_squeeze_at(at, fsr_slice_at(at, all, 0, 1, 2, 1), 0);
    } else {
        sum = gathered_whole(s, near);
        rest = two ? gathered_whole(s, less) : sum;
    }
    if (!fsr_node_sound(sum) || !fsr_node_sound(rest))
        return fsr_node_sound(sum) ? rest : sum;
    const fsr_node total =
        fsr_add_at(at, fsr_convert(at, s->x, FSR_F64, false), in_numbers(s, exponent, sum, two ? &rest : NULL));
    const fsr_node none = fsr_equal_at(at, exponent, whole(s, NOTHING));
    return fsr_where_at(at, none, s->x, fsr_convert(at, total, dtype, false));
}

fsr_node fsr_scatter_sum(fsr_site at, fsr_node x, fsr_node values, const fsr_indices *g) {
    FSR_DEFAULT_FLOATS;
    fsr_indices told = *g; /* the first pass reports what is outside */
    const sums first = {at, x.graph, g, x, 0}, s = {at, x.graph, &told, x, bits_for(fsr_shape_size(&g->shape))};
    told.mode = g->mode == FSR_INDEX_RAISE ? FSR_INDEX_DROP : g->mode;
    fsr_node v = fsr_convert(at, values, FSR_F64, false);
    fsr_node exponent = gathered(&first, FSR_OP_MAXIMUM, FSR_I32, NOTHING, exponents(&s, v));
    if (!fsr_node_sound(exponent))
        return exponent;
    const fsr_node units = in_units(&s, v, fsr_indexed(at, units_of(&s, exponent), g));
    const fsr_node apart = with_sums(&s, exponent, units, false);
    if (fsr_node_dtype(x) == FSR_F32)
        return either(&first, added(at, x, v, g), apart);
    const bool room = fsr_node_ndim(x) < FSR_MAX_DIMS && g->shape.ndim < FSR_MAX_DIMS;
    return room ? either(&first, apart, with_sums(&s, exponent, units, true)) : apart;
}

/* SPDX-License-Identifier: MIT */
/* Elements combined into an array at computed indices: NumPy's add.at, maximum.at and so on, as values.
 *
 * A kernel's store can combine words of 4 and 8 bytes by itself (FSR_OP_ATOMIC), and of integers any order gives the
 * same bits. Everything else is brought to that here:
 *   narrower integers and bool are computed in 32 bits, which wrap alike: a bool's sum is an or;
 *   halves are computed in f32;
 *   the greatest and least of floats are the same in any order but for zeros, which compare equal, and NaN, of which
 *   there are many: so each value first becomes the one NaN, or the zero without sign;
 *   sums of floats are made of sums of integers (scatter_sum.c), of complex numbers part by part; on a CPU those of f32
 *   are added up in f64.
 * Counter-example to adding floats as threads come: the last bits differ from run to run. Who does not mind says so,
 * FSR_UNORDERED, and it takes one pass instead of three. Products of floats have no other way. */
#include "primitives/scatter.h"
#include <math.h>

/* A public function: its operator, the one of words that are 0 or 1 for that of bools, and what floats are to it. */
typedef struct way {
    const char *what;
    fsr_op op, of_bools;
    enum { SELECTS, SUMS, ROUNDS, NO_FLOATS } floats;
} way;

/* The dtype in which elements of this one are combined. */
static fsr_dtype word_of(fsr_dtype dtype) {
    if (fsr_dtype_is_half(dtype))
        return FSR_F32;
    if (fsr_dtype_size(dtype) >= 4)
        return dtype;
    return dtype == FSR_BOOL || fsr_dtype_is_unsigned(dtype) ? FSR_U32 : FSR_I32;
}

static fsr_node number(fsr_site at, fsr_node like, double value) {
    const fsr_dtype dtype = fsr_node_dtype(like);
    return fsr_literal(like.graph, at, dtype, fsr_value_from_double(dtype, value), false);
}

/* Of values that compare equal one: NaN, and the zero without sign. */
static fsr_node made_one(fsr_site at, fsr_node x) {
    return fsr_where_at(at, fsr_isnan_at(at, x), number(at, x, NAN), fsr_add_at(at, x, number(at, x, 0)));
}

static fsr_node into_floats(fsr_site at, const way *w, fsr_node x, fsr_node values, const fsr_indices *g, int flags) {
    if (w->floats == SELECTS)
        return fsr_scatter_combined(at, w->op, x, made_one(at, values), g);
    if (flags & FSR_UNORDERED)
        return fsr_scatter_combined(at, w->op, x, values, g);
    if (w->floats == SUMS)
        return fsr_scatter_sum(at, x, values, g);
    return fsr_poison(
        x.graph, at, FSR_ERR_UNSUPPORTED, w->what,
        "a product of floats is rounded in the order in which they come: FSR_UNORDERED says that this may differ");
}

static fsr_node into(fsr_site at, const way *w, fsr_node x, fsr_node values, const fsr_indices *g, int flags);

/* Sums part by part. */
static fsr_node into_complex(fsr_site at, const way *w, fsr_node x, fsr_node values, const fsr_indices *g, int flags) {
    fsr_node re = into(at, w, fsr_real_at(at, x), fsr_real_at(at, values), g, flags);
    fsr_node im = into(at, w, fsr_imag_at(at, x), fsr_imag_at(at, values), g, flags);
    if (!fsr_node_sound(re) || !fsr_node_sound(im))
        return fsr_node_sound(re) ? im : re;
    return fsr_complex_of_at(at, re, im);
}

/* x and values of one dtype. */
static fsr_node into(fsr_site at, const way *w, fsr_node x, fsr_node values, const fsr_indices *g, int flags) {
    const fsr_dtype dtype = fsr_node_dtype(x), word = word_of(dtype);
    if (fsr_dtype_is_complex(dtype))
        return into_complex(at, w, x, values, g, flags);
    if (word == dtype)
        return fsr_dtype_is_float(dtype) ? into_floats(at, w, x, values, g, flags)
                                         : fsr_scatter_combined(at, w->op, x, values, g);
    const way wide = {w->what, dtype == FSR_BOOL ? w->of_bools : w->op, w->of_bools, w->floats};
    x = fsr_convert(at, x, word, false);
    values = fsr_convert(at, values, word, false);
    if (!fsr_node_sound(x) || !fsr_node_sound(values))
        return fsr_node_sound(x) ? values : x;
    fsr_node out = into(at, &wide, x, values, g, flags);
    return fsr_node_sound(out) ? fsr_convert(at, out, dtype, false) : out;
}

static bool dtype_takes(const way *w, fsr_dtype dtype) {
    return fsr_dtype_is_complex(dtype) ? w->floats == SUMS : w->floats != NO_FLOATS || !fsr_dtype_is_float(dtype);
}

static fsr_node scatter_with(fsr_site at, const way *w, fsr_node x, const fsr_node *arrays, int n, fsr_node values,
                             fsr_index_mode mode, int flags) {
    fsr_node out, own[FSR_MAX_DIMS];
    if (!fsr_scatter_lengths(at, w->what, x, &arrays, own, n, &values, &mode, &out))
        return out;
    fsr_indices g = {.what = w->what, .mode = mode};
    if (!fsr_scatter_take(at, w->what, x, values, arrays, n, flags, FSR_UNORDERED, &out) ||
        !fsr_indices_first(at, &x, arrays, n, FSR_INDEX_DROP, &g, &out))
        return out;
    if (!dtype_takes(w, fsr_node_dtype(x)))
        return fsr_poison(x.graph, at, FSR_ERR_DTYPE, w->what, "not defined for %s", fsr_say(x).text);
    return fsr_scattered_take(at, x, &values, &g, &out) ? into(at, w, x, values, &g, flags) : out;
}

fsr_node fsr_scatter_add_of(fsr_site at, const char *what, fsr_node x, const fsr_node *arrays, int n, fsr_node values,
                            fsr_index_mode mode) {
    const way w = {what, FSR_OP_ADD, FSR_OP_BITWISE_OR, SUMS};
    return scatter_with(at, &w, x, arrays, n, values, mode, 0);
}

#define SCATTER_WITH(name, op, of_bools, floats)                                                              \
    static const way way_##name = {"scatter_" #name, FSR_OP_##op, FSR_OP_##of_bools, floats};                 \
    fsr_node fsr_scatter_##name##_at(fsr_site at, fsr_node x, const fsr_node *arrays, int n, fsr_node values, \
                                     fsr_index_mode mode, int flags) {                                        \
        return scatter_with(at, &way_##name, x, arrays, n, values, mode, flags);                              \
    }
SCATTER_WITH(add, ADD, BITWISE_OR, SUMS)
SCATTER_WITH(mul, MUL, BITWISE_AND, ROUNDS)
SCATTER_WITH(max, MAXIMUM, BITWISE_OR, SELECTS)
SCATTER_WITH(min, MINIMUM, BITWISE_AND, SELECTS)
SCATTER_WITH(and, BITWISE_AND, BITWISE_AND, NO_FLOATS)
SCATTER_WITH(or, BITWISE_OR, BITWISE_OR, NO_FLOATS)
SCATTER_WITH(xor, BITWISE_XOR, BITWISE_XOR, NO_FLOATS)

bool fsr_scatter_known(fsr_site at, fsr_op op, fsr_node x, fsr_node values, const fsr_indices *g, fsr_node *out) {
    static const way *const ways[] = {&way_add, &way_mul, &way_max, &way_min, &way_and, &way_or, &way_xor};
    const fsr_dtype dtype = fsr_node_dtype(x);
    size_t i = 0, n = sizeof ways / sizeof *ways;
    while (i < n && ways[i]->op != op)
        i++;
    if (i == n || fsr_dtype_is_inexact(dtype))
        return false;
    *out = into(at, ways[i], x, values, g, 0);
    return true;
}

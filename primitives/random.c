/* SPDX-License-Identifier: MIT */
/* Random numbers: formulas of an operation, philox, that gives 64 bits for a seed, a stream and an index.
 *
 * Layout. Number i of 32 bits or less is made of word i of the stream, one of 64 bits of words 2i and 2i + 1, in which
 * four words are a block of Philox4x32-10: what curand_init(seed, stream, 0) gives a curandStatePhilox4_32_10_t. A
 * normal f32 is made with its neighbour, 2k with 2k + 1, of both of their words, by Box and Muller's transform: the one
 * takes the cosine, the other the sine. So a compiler that has both in one unrolled loop computes rounds, logarithm and
 * root once. Counter-example to a generator with a state: elements would depend on who asks first, and a kernel of a
 * million threads on how many there are.
 *
 * Uniform numbers have as many random bits as their significand: k * 2^-24 of f32. Counter-example to more: the largest
 * would round to 1. Where a logarithm follows 32 bits are taken, as what is near 0 is told apart there.
 *
 * Streams. fold_in makes another stream of a stream and a number, by the same operation under another seed, so that it
 * has nothing to do with what the stream itself gives. Counter-example to stream + number: 3 folded into 1 and 1
 * into 3. */
#include "primitives/random.h"
#include "graph/floats.h"
#include <math.h>

/* What fold_in's seed differs by: the golden ratio's digits. */
#define FOLDING UINT64_C(0x9e3779b97f4a7c15)

/* ---- operands ------------------------------------------------------------------------------------------------ */

static bool is_whole(fsr_node x) {
    const fsr_class class = fsr_dtype_class(fsr_node_dtype(x));
    return class == FSR_CLASS_INT || class == FSR_CLASS_BOOL;
}

bool fsr_draw_take(fsr_draw *d, fsr_site at, const char *what, fsr_node seed, fsr_node stream, fsr_node i,
                   fsr_dtype dtype, fsr_node *poison) {
    static const char *const name[] = {"seed", "stream", "index"};
    const fsr_node all[] = {seed, stream, i};
    fsr_node *const to[] = {&d->seed, &d->stream, &d->i};
    d->at = at;
    if (fsr_poison_of_any(at, what, all, 3, &d->g, poison))
        return false;
    for (int k = 0; k < 3; k++) {
        if (!is_whole(all[k])) {
            *poison =
                fsr_poison(d->g, at, FSR_ERR_DTYPE, what, "the %s, %s, is no integer", name[k], fsr_say(all[k]).text);
            return false;
        }
        *to[k] = *poison = fsr_convert(at, all[k], FSR_U64, false);
        if (!fsr_node_sound(*to[k]))
            return false;
    }
    if (dtype == FSR_BOOL || fsr_dtype_is_float(dtype))
        return true;
    *poison = fsr_poison(d->g, at, FSR_ERR_DTYPE, what, "of %s there is none: f16, bf16, f32 or f64",
                         (unsigned)dtype < FSR_DTYPE_COUNT ? fsr_dtype_name(dtype) : "what is no dtype");
    return false;
}

fsr_node fsr_draw_number(const fsr_draw *d, uint64_t value) {
    return fsr_literal(d->g, d->at, FSR_U64, fsr_value_from_unsigned(FSR_U64, value), false);
}

/* ---- words --------------------------------------------------------------------------------------------------- */

fsr_node fsr_draw_pair(const fsr_draw *d, fsr_node index) {
    return fsr_philox_at(d->at, d->seed, d->stream, index);
}

fsr_node fsr_draw_lower(const fsr_draw *d, fsr_node pair) {
    return fsr_cast_at(d->at, pair, FSR_U32);
}

fsr_node fsr_draw_upper(const fsr_draw *d, fsr_node pair) {
    return fsr_cast_at(d->at, fsr_right_shift_at(d->at, pair, fsr_draw_number(d, 32)), FSR_U32);
}

/* The pair that has word i, and whether i is the upper one. */
static fsr_node pair_of(const fsr_draw *d) {
    return fsr_draw_pair(d, fsr_right_shift_at(d->at, d->i, fsr_draw_number(d, 1)));
}

static fsr_node is_odd(const fsr_draw *d) {
    return fsr_cast_at(d->at, fsr_bitwise_and_at(d->at, d->i, fsr_draw_number(d, 1)), FSR_BOOL);
}

/* Word i, of 32 bits. */
static fsr_node word_of(const fsr_draw *d) {
    const fsr_node pair = pair_of(d);
    return fsr_where_at(d->at, is_odd(d), fsr_draw_upper(d, pair), fsr_draw_lower(d, pair));
}

/* What number i of such a float is made of: a u32 or a u64. */
static fsr_node bits_of(const fsr_draw *d, fsr_dtype dtype) {
    return dtype == FSR_F64 ? fsr_draw_pair(d, d->i) : word_of(d);
}

/* The upper bits, as many as the dtype has digits, and `more` times 2^-digits. */
static fsr_node fraction(const fsr_draw *d, fsr_dtype dtype, int more) {
    const fsr_node bits = bits_of(d, dtype);
    const int digits = fsr_dtype_digits(dtype), width = dtype == FSR_F64 ? 64 : 32;
    fsr_node whole = fsr_right_shift_at(d->at, bits, fsr_int_at(d->at, d->g, width - digits));
    whole = fsr_cast_at(d->at, whole, dtype == FSR_F64 ? FSR_I64 : FSR_I32);
    whole = more ? fsr_add_at(d->at, whole, fsr_int_at(d->at, d->g, more)) : whole;
    return fsr_mul_at(d->at, fsr_cast_at(d->at, whole, dtype), fsr_float_at(d->at, d->g, ldexp(1, -digits)));
}

/* ---- parts of distributions ---------------------------------------------------------------------------------- */

fsr_node fsr_draw_positive(const fsr_draw *d, fsr_node word, fsr_dtype dtype) {
    const int bits = dtype == FSR_F64 ? 53 : 32;
    fsr_node whole =
        dtype == FSR_F64 ? fsr_cast_at(d->at, fsr_right_shift_at(d->at, word, fsr_draw_number(d, 11)), FSR_I64) : word;
    whole = fsr_cast_at(d->at, whole, dtype);
    return fsr_fma_at(d->at, whole, fsr_float_at(d->at, d->g, ldexp(1, -bits)),
                      fsr_float_at(d->at, d->g, ldexp(1, -bits - 1)));
}

fsr_node fsr_draw_turn(const fsr_draw *d, fsr_node word, fsr_dtype dtype) {
    return fsr_mul_at(d->at, fsr_cast_at(d->at, fsr_cast_at(d->at, word, FSR_I32), dtype),
                      fsr_float_at(d->at, d->g, 0x1p-31));
}

/* f16 and bf16 are made as f32. */
static fsr_dtype made_as(fsr_dtype dtype) {
    return fsr_dtype_is_half(dtype) ? FSR_F32 : dtype;
}

/* Radius and turn of the pair that number i belongs to. */
static void polar(const fsr_draw *d, fsr_dtype dtype, fsr_node *radius, fsr_node *turn) {
    if (dtype == FSR_F32) {
        const fsr_node pair = pair_of(d);
        *radius = fsr_rayleigh_at(d->at, fsr_draw_positive(d, fsr_draw_lower(d, pair), dtype));
        *turn = fsr_draw_turn(d, fsr_draw_upper(d, pair), dtype);
        return;
    }
    const fsr_node one = fsr_draw_number(d, 1),
                   first = fsr_bitwise_and_at(d->at, d->i, fsr_draw_number(d, ~UINT64_C(1)));
    const fsr_node second = fsr_draw_pair(d, fsr_bitwise_or_at(d->at, d->i, one));
    *radius = fsr_rayleigh_at(d->at, fsr_draw_positive(d, fsr_draw_pair(d, first), dtype));
    const fsr_node whole = fsr_cast_at(d->at, fsr_right_shift_at(d->at, second, fsr_draw_number(d, 11)), FSR_I64);
    *turn = fsr_fma_at(d->at, fsr_cast_at(d->at, whole, dtype), fsr_float_at(d->at, d->g, 0x1p-52),
                       fsr_float_at(d->at, d->g, -1));
}

/* ---- builders ------------------------------------------------------------------------------------------------ */

fsr_node fsr_counter_at(fsr_site at, fsr_graph *g, int ndim, const int64_t *shape) {
    fsr_shape whole;
    fsr_node poison;
    if (!fsr_shape_take(g, at, "counter", FSR_I64, ndim, shape, &whole, &poison))
        return poison;
    return fsr_reshape_at(at, fsr_arange_at(at, g, FSR_I64, fsr_shape_size(&whole)), ndim, shape);
}

fsr_node fsr_random_bits_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_dtype dtype) {
    static const char what[] = "random_bits";
    fsr_node poison;
    fsr_draw d;
    if (!fsr_draw_take(&d, at, what, seed, stream, i, FSR_BOOL, &poison))
        return poison;
    if (dtype == FSR_U64)
        return fsr_draw_pair(&d, d.i);
    if (dtype == FSR_U32)
        return word_of(&d);
    return fsr_poison(d.g, at, FSR_ERR_DTYPE, what, "of %s there is none: u32 or u64",
                      (unsigned)dtype < FSR_DTYPE_COUNT ? fsr_dtype_name(dtype) : "what is no dtype");
}

static fsr_node uniform(fsr_site at, const char *what, fsr_node seed, fsr_node stream, fsr_node i, fsr_dtype dtype,
                        int more) {
    FSR_DEFAULT_FLOATS;
    fsr_node poison;
    fsr_draw d;
    if (!fsr_draw_take(&d, at, what, seed, stream, i, dtype == FSR_BOOL ? FSR_I8 : dtype, &poison))
        return poison;
    return fraction(&d, dtype, more);
}

fsr_node fsr_random_uniform_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_dtype dtype) {
    return uniform(at, "random_uniform", seed, stream, i, dtype, 0);
}

fsr_node fsr_random_positive_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_dtype dtype) {
    return uniform(at, "random_positive", seed, stream, i, dtype, 1);
}

fsr_node fsr_random_bernoulli_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_node p) {
    static const char what[] = "random_bernoulli";
    const fsr_node all[] = {seed, stream, i, p};
    fsr_node poison;
    fsr_graph *g;
    if (fsr_poison_of_any(at, what, all, 4, &g, &poison))
        return poison;
    const fsr_dtype dtype = fsr_node_rec(p)->weak ? FSR_F32 : made_as(fsr_node_dtype(p));
    if (!fsr_dtype_is_float(dtype))
        return fsr_poison(g, at, FSR_ERR_DTYPE, what, "the probability, %s, is no float", fsr_say(p).text);
    return fsr_less_at(at, uniform(at, what, seed, stream, i, dtype, 0), p);
}

fsr_node fsr_random_exponential_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_dtype dtype) {
    FSR_DEFAULT_FLOATS;
    fsr_node poison;
    fsr_draw d;
    if (!fsr_draw_take(&d, at, "random_exponential", seed, stream, i, dtype == FSR_BOOL ? FSR_I8 : dtype, &poison))
        return poison;
    const fsr_dtype as = made_as(dtype);
    return fsr_cast_at(at, fsr_neg_at(at, fsr_log_at(at, fsr_draw_positive(&d, bits_of(&d, as), as))), dtype);
}

fsr_node fsr_random_normal_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_dtype dtype) {
    FSR_DEFAULT_FLOATS;
    fsr_node poison, radius, turn;
    fsr_draw d;
    if (!fsr_draw_take(&d, at, "random_normal", seed, stream, i, dtype == FSR_BOOL ? FSR_I8 : dtype, &poison))
        return poison;
    polar(&d, made_as(dtype), &radius, &turn);
    const fsr_node side = fsr_where_at(at, is_odd(&d), fsr_sinpi_at(at, turn), fsr_cospi_at(at, turn));
    return fsr_cast_at(at, fsr_mul_at(at, radius, side), dtype);
}

fsr_node fsr_random_fold_in_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node data) {
    fsr_node poison;
    fsr_draw d;
    if (!fsr_draw_take(&d, at, "random_fold_in", seed, stream, data, FSR_BOOL, &poison))
        return poison;
    d.seed = fsr_bitwise_xor_at(at, d.seed, fsr_draw_number(&d, FOLDING));
    return fsr_draw_pair(&d, d.i);
}

fsr_node fsr_random_split_at(fsr_site at, fsr_node seed, fsr_node stream, int64_t n) {
    const fsr_node all[] = {seed, stream};
    fsr_node poison;
    fsr_graph *g;
    if (fsr_poison_of(at, "random_split", all, 2, &g, &poison))
        return poison;
    return fsr_random_fold_in_at(at, seed, stream, fsr_arange_at(at, g, FSR_I64, n));
}

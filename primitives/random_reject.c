/* SPDX-License-Identifier: MIT */
/* Random numbers that are rejected and drawn again: whole ones without bias, Poisson's, the gamma distribution's;
 * choices.
 *
 * A loop for each element (fsr_iterate), each turn of which draws anew. Turn t of number i draws block i + t * 2^43 of
 * the stream, t at least 1: pairs 2^44 and beyond, which no array of numbers that are drawn once reaches, and no other
 * turn. Counter-example to the next words of the stream: they are the next element's.
 *
 * Whole numbers below n: the upper word of w * n of a word w (Lemire 2019), unless the lower one is among the 2^32 mod
 * n least, of which some results have one more than others. Of more than 2^32, 64 bits are masked. A power of two needs
 * no loop. Gamma: Marsaglia and Tsang (2000), with a power of a uniform number for shapes below 1. Poisson: of a mean
 * below 10 by adding up probabilities, else Hoermann's transformed rejection, PTRS (1993). */
#include "graph/floats.h"
#include "primitives/random.h"
#include <math.h>

enum { TURN_BITS = 43, MOST_TURNS = 1000 };

#define AT (d.at)
#define NUM(x) fsr_float_at(AT, d.g, x)

/* Inside of a body: the draws of turn t of number i. arg: seed, stream, i. */
static fsr_draw draw_of(fsr_site at, const fsr_node *arg) {
    return (fsr_draw){at, arg[0].graph, arg[0], arg[1], arg[2]};
}

/* The lower or the upper pair of the turn's block. */
static fsr_node turn_pair(const fsr_draw *d, fsr_node turn, int half) {
    const fsr_node far = fsr_left_shift_at(d->at, turn, fsr_draw_number(d, TURN_BITS));
    const fsr_node block = fsr_left_shift_at(d->at, fsr_add_at(d->at, far, d->i), fsr_draw_number(d, 1));
    return fsr_draw_pair(d, fsr_bitwise_or_at(d->at, block, fsr_draw_number(d, (uint64_t)half)));
}

/* Uniform in (0, 1), of 32 bits. */
static fsr_node open_unit(const fsr_draw *d, fsr_node word, fsr_dtype dtype) {
    const fsr_node x = fsr_cast_at(d->at, fsr_right_shift_at(d->at, word, fsr_int_at(d->at, d->g, 9)), dtype);
    return fsr_fma_at(d->at, x, fsr_float_at(d->at, d->g, 0x1p-23), fsr_float_at(d->at, d->g, 0x1p-24));
}

typedef struct range {
    fsr_site at;
    uint64_t n, threshold, mask;
} range;

/* ---- whole numbers ------------------------------------------------------------------------------------------- */

/* state: a product of 64 bits, or masked bits; the turn. */
static void below_narrow(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    const range *r = user;
    const fsr_draw d = draw_of(r->at, arg);
    const fsr_node low = fsr_bitwise_and_at(AT, state[0], fsr_draw_number(&d, 0xffffffffu));
    out[0] = fsr_less_at(AT, low, fsr_draw_number(&d, r->threshold));
}
static void draw_narrow(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    const range *r = user;
    const fsr_draw d = draw_of(r->at, arg);
    const fsr_node low = fsr_bitwise_and_at(AT, turn_pair(&d, state[1], 0), fsr_draw_number(&d, 0xffffffffu));
    out[0] = fsr_mul_at(AT, low, fsr_draw_number(&d, r->n));
    out[1] = fsr_add_at(AT, state[1], fsr_draw_number(&d, 1));
}

static void below_wide(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    const range *r = user;
    const fsr_draw d = draw_of(r->at, arg);
    out[0] = fsr_greater_equal_at(AT, state[0], fsr_draw_number(&d, r->n));
}
static void draw_wide(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    const range *r = user;
    const fsr_draw d = draw_of(r->at, arg);
    out[0] = fsr_bitwise_and_at(AT, turn_pair(&d, state[1], 0), fsr_draw_number(&d, r->mask));
    out[1] = fsr_add_at(AT, state[1], fsr_draw_number(&d, 1));
}

/* A u64 below n, which is at least 1; 0: any. */
static fsr_node below(const fsr_draw *draw, uint64_t n) {
    const fsr_draw d = *draw;
    range r = {AT, n, 0, UINT64_MAX};
    const bool narrow = n && n <= UINT64_C(1) << 32;
    const fsr_node bits = narrow ? fsr_cast_at(AT, fsr_random_bits_at(AT, d.seed, d.stream, d.i, FSR_U32), FSR_U64)
                                 : fsr_draw_pair(&d, d.i);
    while (n && r.mask >> 1 >= n - 1 && r.mask > 1)
        r.mask >>= 1;
    if ((n & (n - 1)) == 0)
        return n == 1 ? fsr_mul_at(AT, bits, fsr_draw_number(&d, 0))
                      : fsr_bitwise_and_at(AT, bits, fsr_draw_number(&d, n - 1));
    r.threshold = narrow ? (UINT64_C(1) << 32) % n : 0;
    const fsr_node first = narrow ? fsr_mul_at(AT, bits, fsr_draw_number(&d, n))
                                  : fsr_bitwise_and_at(AT, bits, fsr_draw_number(&d, r.mask));
    const fsr_loop loop = {narrow ? draw_narrow : draw_wide, narrow ? below_narrow : below_wide, &r, 2, 3};
    fsr_node out[3];
    fsr_iterate_at(AT, sizeof loop, out, &loop, (fsr_node[]){first, fsr_draw_number(&d, 1)},
                   (fsr_node[]){d.seed, d.stream, d.i}, MOST_TURNS);
    return narrow ? fsr_right_shift_at(AT, out[0], fsr_draw_number(&d, 32)) : out[0];
}

/* The values that an integer dtype has; false: it is none. */
static bool limits(fsr_dtype dtype, int64_t *low, int64_t *high) {
    const int bits = 8 * (int)fsr_dtype_size(dtype);
    if (fsr_dtype_class(dtype) != FSR_CLASS_INT)
        return false;
    *low = fsr_dtype_is_unsigned(dtype) ? 0 : bits == 64 ? INT64_MIN : -(INT64_C(1) << (bits - 1));
    *high = bits == 64                     ? INT64_MAX
            : fsr_dtype_is_unsigned(dtype) ? (INT64_C(1) << bits) - 1
                                           : (INT64_C(1) << (bits - 1)) - 1;
    return true;
}

fsr_node fsr_random_integers_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_dtype dtype, int64_t low,
                                int64_t high) {
    static const char what[] = "random_integers";
    int64_t least, most;
    fsr_node poison;
    fsr_draw d;
    if (!fsr_draw_take(&d, at, what, seed, stream, i, FSR_BOOL, &poison))
        return poison;
    if ((unsigned)dtype >= FSR_DTYPE_COUNT || !limits(dtype, &least, &most))
        return fsr_poison(d.g, at, FSR_ERR_DTYPE, what, "the dtype is no integer's");
    if (low >= high || low < least || high - 1 > most)
        return fsr_poison(d.g, at, FSR_ERR_VALUE, what, "there is no %s from %lld and below %lld",
                          fsr_dtype_name(dtype), (long long)low, (long long)high);
    const fsr_node from = fsr_draw_number(&d, (uint64_t)low);
    return fsr_cast_at(at, fsr_add_at(at, below(&d, (uint64_t)high - (uint64_t)low), from), dtype);
}

fsr_node fsr_random_choice_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_node x) {
    static const char what[] = "random_choice";
    const fsr_node all[] = {seed, stream, i, x};
    fsr_node poison;
    fsr_graph *g;
    if (fsr_poison_of_any(at, what, all, 4, &g, &poison) || fsr_poison_of(at, what, &x, 1, &g, &poison))
        return poison;
    if (fsr_node_ndim(x) < 1 || fsr_node_dim(x, 0) == 0)
        return fsr_poison(g, at, FSR_ERR_SHAPE, what, "%s has nothing to choose from", fsr_say(x).text);
    const fsr_node which = fsr_random_integers_at(at, seed, stream, i, FSR_I64, 0, fsr_node_dim(x, 0));
    return fsr_take_at(at, x, which, 0, FSR_INDEX_CLIP);
}

/* ---- gamma ----------------------------------------------------------------------------------------------------- */

/* state: the result, 0 until one is accepted; the turn. arg: seed, stream, number, shape less a third, (9 of
 * that)^(-1/2). */
static void is_open(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    const fsr_draw d = draw_of(*(const fsr_site *)user, arg);
    out[0] = fsr_less_equal_at(AT, state[0], NUM(0));
}
static void draw_gamma(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    const fsr_draw d = draw_of(*(const fsr_site *)user, arg);
    const fsr_dtype dtype = fsr_node_dtype(state[0]);
    const fsr_node first = turn_pair(&d, state[1], 0), second = turn_pair(&d, state[1], 1);
    const fsr_node word = dtype == FSR_F64 ? first : fsr_draw_lower(&d, first);
    const fsr_node normal = fsr_mul_at(AT, fsr_rayleigh_at(AT, fsr_draw_positive(&d, word, dtype)),
                                       fsr_cospi_at(AT, fsr_draw_turn(&d, fsr_draw_upper(&d, second), dtype)));
    const fsr_node u = open_unit(&d, fsr_draw_lower(&d, second), dtype);
    const fsr_node one = fsr_fma_at(AT, arg[4], normal, NUM(1)), v = fsr_mul_at(AT, one, fsr_mul_at(AT, one, one));
    const fsr_node safe = fsr_where_at(AT, fsr_greater_at(AT, v, NUM(0)), v, NUM(1));
    const fsr_node rest = fsr_add_at(AT, fsr_sub_at(AT, NUM(1), v), fsr_log_at(AT, safe));
    const fsr_node bound = fsr_fma_at(AT, fsr_mul_at(AT, normal, normal), NUM(0.5), fsr_mul_at(AT, arg[3], rest));
    const fsr_node good =
        fsr_logical_and_at(AT, fsr_greater_at(AT, v, NUM(0)), fsr_less_at(AT, fsr_log_at(AT, u), bound));
    out[0] = fsr_where_at(AT, good, fsr_mul_at(AT, arg[3], v), NUM(0));
    out[1] = fsr_add_at(AT, state[1], fsr_draw_number(&d, 1));
}

fsr_node fsr_random_gamma_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_node shape) {
    FSR_DEFAULT_FLOATS;
    static const char what[] = "random_gamma";
    const fsr_node all[] = {seed, stream, i, shape};
    fsr_node poison, out[3];
    fsr_graph *g;
    fsr_draw d;
    if (fsr_poison_of_any(at, what, all, 4, &g, &poison) ||
        !fsr_draw_take(&d, at, what, seed, stream, i, FSR_BOOL, &poison))
        return poison;
    const fsr_dtype dtype = fsr_node_rec(shape)->weak ? FSR_F64 : fsr_node_dtype(shape);
    if (!fsr_dtype_is_float(dtype) || fsr_dtype_is_half(dtype))
        return fsr_poison(g, at, FSR_ERR_DTYPE, what, "the shape, %s, is no f32 or f64", fsr_say(shape).text);
    shape = fsr_convert(at, shape, dtype, false);
    const fsr_node small = fsr_less_at(at, shape, NUM(1)),
                   greater = fsr_where_at(at, small, fsr_add_at(at, shape, NUM(1)), shape);
    const fsr_node third = fsr_sub_at(at, greater, NUM(1.0 / 3));
    const fsr_node width = fsr_div_at(at, NUM(1), fsr_sqrt_at(at, fsr_mul_at(at, third, NUM(9))));
    const fsr_loop loop = {draw_gamma, is_open, &at, 2, 5};
    const fsr_node zero = fsr_convert(at, NUM(0), dtype, false);
    fsr_iterate_at(at, sizeof loop, out, &loop, (fsr_node[]){zero, fsr_draw_number(&d, 2)},
                   (fsr_node[]){d.seed, d.stream, d.i, third, width}, MOST_TURNS);
    const fsr_node u = open_unit(&d, fsr_draw_lower(&d, turn_pair(&d, fsr_draw_number(&d, 1), 0)), dtype);
    const fsr_node power = fsr_exp_at(at, fsr_div_at(at, fsr_log_at(at, u), shape));
    return fsr_where_at(at, small, fsr_mul_at(at, out[0], power), out[0]);
}

/* ---- Poisson ------------------------------------------------------------------------------------------------- */

/* state: the count, its probability, the sum of probabilities. arg: seed, stream, number, mean, the uniform number. */
static void is_above(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    const fsr_draw d = draw_of(*(const fsr_site *)user, arg);
    out[0] = fsr_greater_at(AT, arg[4], state[2]);
}
static void next_count(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    const fsr_draw d = draw_of(*(const fsr_site *)user, arg);
    out[0] = fsr_add_at(AT, state[0], NUM(1));
    out[1] = fsr_div_at(AT, fsr_mul_at(AT, state[1], arg[3]), out[0]);
    out[2] = fsr_add_at(AT, state[2], out[1]);
}

/* state: the count, -1 until one is accepted; the turn. arg: seed, stream, number, mean. */
static void is_below_0(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    const fsr_draw d = draw_of(*(const fsr_site *)user, arg);
    out[0] = fsr_less_at(AT, state[0], NUM(0));
}
static void draw_ptrs(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    const fsr_draw d = draw_of(*(const fsr_site *)user, arg);
    const fsr_node pair = turn_pair(&d, state[1], 0), mean = arg[3];
    const fsr_node b = fsr_fma_at(AT, fsr_sqrt_at(AT, mean), NUM(2.53), NUM(0.931)),
                   a = fsr_fma_at(AT, b, NUM(0.02483), NUM(-0.059));
    const fsr_node u = fsr_sub_at(AT, open_unit(&d, fsr_draw_lower(&d, pair), FSR_F64), NUM(0.5));
    const fsr_node v = open_unit(&d, fsr_draw_upper(&d, pair), FSR_F64),
                   us = fsr_sub_at(AT, NUM(0.5), fsr_abs_at(AT, u));
    const fsr_node slope = fsr_fma_at(AT, fsr_div_at(AT, a, us), NUM(2), b);
    const fsr_node k = fsr_floor_at(AT, fsr_add_at(AT, fsr_fma_at(AT, slope, u, mean), NUM(0.43)));
    const fsr_node scale = fsr_add_at(AT, fsr_div_at(AT, NUM(1.1328), fsr_sub_at(AT, b, NUM(3.4))), NUM(1.1239));
    const fsr_node hat = fsr_add_at(AT, fsr_div_at(AT, a, fsr_mul_at(AT, us, us)), b);
    const fsr_node left = fsr_log_at(AT, fsr_div_at(AT, fsr_mul_at(AT, v, scale), hat));
    const fsr_node whole = fsr_maximum_at(AT, k, NUM(0));
    const fsr_node right = fsr_sub_at(AT, fsr_sub_at(AT, fsr_mul_at(AT, whole, fsr_log_at(AT, mean)), mean),
                                      fsr_lgamma_at(AT, fsr_add_at(AT, whole, NUM(1))));
    const fsr_node good =
        fsr_logical_and_at(AT, fsr_greater_equal_at(AT, k, NUM(0)), fsr_less_equal_at(AT, left, right));
    out[0] = fsr_where_at(AT, good, k, NUM(-1));
    out[1] = fsr_add_at(AT, state[1], fsr_draw_number(&d, 1));
}

/* Each loop has work where the mean is its own; elsewhere it ends at once. */
fsr_node fsr_random_poisson_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_node mean) {
    FSR_DEFAULT_FLOATS;
    static const char what[] = "random_poisson";
    const fsr_node all[] = {seed, stream, i, mean};
    fsr_node poison, few[4], many[3];
    fsr_graph *g;
    fsr_draw d;
    if (fsr_poison_of_any(at, what, all, 4, &g, &poison) ||
        !fsr_draw_take(&d, at, what, seed, stream, i, FSR_BOOL, &poison))
        return poison;
    if (fsr_dtype_is_complex(fsr_node_dtype(mean)))
        return fsr_poison(g, at, FSR_ERR_DTYPE, what, "the mean, %s, is complex", fsr_say(mean).text);
    mean = fsr_convert(at, mean, FSR_F64, false);
    const fsr_node small = fsr_less_at(at, mean, NUM(10)),
                   u = fsr_random_uniform_at(at, d.seed, d.stream, d.i, FSR_F64);
    const fsr_node zero = fsr_convert(at, NUM(0), FSR_F64, false), none = fsr_exp_at(at, fsr_neg_at(at, mean));
    const fsr_loop low = {next_count, is_above, &at, 3, 5}, high = {draw_ptrs, is_below_0, &at, 2, 4};
    fsr_iterate_at(at, sizeof low, few, &low, (fsr_node[]){zero, none, none},
                   (fsr_node[]){d.seed, d.stream, d.i, mean, fsr_where_at(at, small, u, NUM(-1))}, MOST_TURNS);
    const fsr_node begun = fsr_where_at(at, small, NUM(0), NUM(-1));
    fsr_iterate_at(at, sizeof high, many, &high,
                   (fsr_node[]){fsr_convert(at, begun, FSR_F64, false), fsr_draw_number(&d, 1)},
                   (fsr_node[]){d.seed, d.stream, d.i, fsr_maximum_at(at, mean, NUM(10))}, MOST_TURNS);
    return fsr_cast_at(at, fsr_where_at(at, small, few[0], many[0]), FSR_I64);
}

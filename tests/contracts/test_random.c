/* SPDX-License-Identifier: MIT */
/* Random numbers: the published known answers; every array of bits against those, whatever view, kernel, schedule or
 * loop draws them; what is made of the bits; seeds and streams as parameters and arrays; mistakes. */
#include "tests/support/philox.h"
#include "tests/support/subject.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G subject_g
#define SEED UINT64_C(0x123456789abcdef0)
#define STREAM UINT64_C(0xfedcba9800000003)

/* A 0-d u64. */
static fsr_node u64(uint64_t value) {
    return fsr_full_of(G, FSR_U64, 0, NULL, &value);
}

/* Random123's kat_vectors, philox4x32 of 10 rounds: counter, key, answer. */
static void known_answers(void **state) {
    (void)state;
    static const uint32_t vector[][10] = {{0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                                          {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
                                           0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                                          {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0,
                                           0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
    for (int v = 0; v < COUNT_OF(vector); v++) {
        uint32_t word[4];
        philox_block(vector[v], vector[v] + 4, word);
        assert_memory_equal(word, vector[v] + 6, sizeof word);
    }
    const uint64_t zero = 0, first[] = {UINT64_C(0xe169c58d6627e8d5), UINT64_C(0x9b00dbd8bc57ac4c)};
    uint64_t *got = subject_read(fsr_random_bits(u64(zero), u64(zero), fsr_arange(G, FSR_I64, 2), FSR_U64));
    assert_memory_equal(got, first, sizeof first);
    free(got);
}

/* What cuRAND 10.4's curand_kernel.h, compiled for the host, gives behind curand_init(seed, stream, from, &state). */
static void words_of_curand(void **state) {
    (void)state;
    enum { WORDS = 9 };
    static const struct {
        uint64_t seed, stream, from;
        uint32_t word[WORDS];
    } rows[] = {
        {SEED,
         STREAM,
         0,
         {0x063da489, 0x78ba2c11, 0xab77d86c, 0x2da56101, 0x06cf9c8b, 0x8c3beafd, 0xb8f1ba31, 0x406ef38c, 0x000daeef}},
        {42,
         7,
         1,
         {0xe55410cc, 0x6c7eca35, 0x557398d3, 0xe5dde940, 0x600f6196, 0x8fcdf8f1, 0x2c8ed839, 0x24ecfc6e, 0xf000aacd}},
        {42,
         7,
         1000003,
         {0xd752beba, 0xa04b7bbc, 0x3f9acbc1, 0xcda646b3, 0xc7a02134, 0x55b424fc, 0x2e8254ca, 0xea3b48de, 0x9f88d864}},
        {UINT64_MAX,
         1,
         0x3fffffffe,
         {0x80f5ca9b, 0x6d808aad, 0x4a2391ad, 0x3fae9345, 0xd134fd2c, 0x0a952a9f, 0x2af5a041, 0x047c0fcb, 0x4903ac3f}},
        {1234567,
         UINT64_MAX,
         0xfffffffffff,
         {0x9f0bf582, 0x7bbe7396, 0xbd765e06, 0xc05ac949, 0x44dc6604, 0x879f20ed, 0x2996e706, 0x1366b3fd, 0xd2a26041}}};
    for (int r = 0; r < COUNT_OF(rows); r++) {
        const fsr_node i = fsr_add(fsr_arange(G, FSR_U64, WORDS), u64(rows[r].from));
        uint32_t *got = subject_read(fsr_random_bits(u64(rows[r].seed), u64(rows[r].stream), i, FSR_U32));
        assert_memory_equal(got, rows[r].word, sizeof rows[r].word);
        free(got);
    }
}

static void check_words(fsr_node x, const int64_t *index, int64_t n) {
    uint32_t *got = subject_read(x);
    assert_int_equal(fsr_node_size(x), n);
    for (int64_t k = 0; k < n; k++)
        if (got[k] != philox_word(SEED, STREAM, (uint64_t)index[k]))
            fail_msg("element %lld: %x is not word %lld", (long long)k, got[k], (long long)index[k]);
    free(got);
}

/* Arrays of every small length, and views of them: a slice, back to front, transposed, gathered. */
static void words(void **state) {
    (void)state;
    static const int64_t length[] = {0, 1, 2, 3, 4, 5, 31, 257, 4099};
    const fsr_node seed = u64(SEED), stream = u64(STREAM);
    int64_t index[4099];
    for (int i = 0; i < COUNT_OF(length); i++) {
        for (int64_t k = 0; k < length[i]; k++)
            index[k] = k;
        check_words(fsr_random_bits(seed, stream, fsr_arange(G, FSR_I32, length[i]), FSR_U32), index, length[i]);
    }
    const fsr_node x = fsr_random_bits(seed, stream, fsr_counter(G, 2, SHAPE(37, 41)), FSR_U32);
    for (int64_t k = 0; k < 37 * 41; k++)
        index[k] = 37 * 41 - 1 - k;
    check_words(fsr_flip(fsr_ravel(x), 0), index, 37 * 41);
    for (int64_t k = 0; k < 37 * 41; k++)
        index[k] = k % 37 * 41 + k / 37;
    check_words(fsr_transpose(x, NULL), index, 37 * 41);
    for (int64_t k = 0; k < 5 * 12; k++)
        index[k] = (3 + k / 12) * 41 + 1 + k % 12 * 3;
    check_words(fsr_slice(fsr_slice(x, 0, 3, 8, 1), 1, 1, 37, 3), index, 5 * 12);
    for (int64_t k = 0; k < 100; k++)
        index[k] = k * 7919 % 1517;
    fsr_node where = fsr_mod(fsr_mul(fsr_arange(G, FSR_I64, 100), fsr_int(G, 7919)), fsr_int(G, 1517));
    check_words(fsr_take(fsr_ravel(x), where, 0, FSR_INDEX_RAISE), index, 100);
}

/* Beyond 32 bits the upper words of the counter count, and negative indices wrap. */
static void far_words(void **state) {
    (void)state;
    static const int64_t from[] = {0x3fffffff0, 0xfffffffffff, -40, INT64_MAX - 300};
    for (int f = 0; f < COUNT_OF(from); f++) {
        const fsr_node i = fsr_add(fsr_arange(G, FSR_I64, 301), fsr_full_of(G, FSR_I64, 0, NULL, &from[f]));
        uint64_t *pair = subject_read(fsr_random_bits(u64(SEED), u64(STREAM), i, FSR_U64));
        uint32_t *word = subject_read(fsr_random_bits(u64(SEED), u64(STREAM), i, FSR_U32));
        for (int64_t k = 0; k < 301; k++) {
            const uint64_t at = (uint64_t)from[f] + (uint64_t)k;
            assert_true(pair[k] == philox_pair(SEED, STREAM, at));
            assert_true(word[k] == philox_word(SEED, STREAM, at));
        }
        free(pair);
        free(word);
    }
}

/* Numbers of f32 and f64 from their bits; f16 as what f32 holds of it. */
static void uniform(void **state) {
    (void)state;
    enum { N = 1000 };
    const fsr_node i = fsr_arange(G, FSR_I64, N), seed = u64(SEED), stream = u64(STREAM);
    float *x = subject_read(fsr_random_uniform(seed, stream, i, FSR_F32));
    float *y = subject_read(fsr_random_positive(seed, stream, i, FSR_F32));
    double *z = subject_read(fsr_random_uniform(seed, stream, i, FSR_F64));
    double *w = subject_read(fsr_random_positive(seed, stream, i, FSR_F64));
    float *h = subject_read(fsr_cast(fsr_random_uniform(seed, stream, i, FSR_F16), FSR_F32));
    float *b = subject_read(fsr_cast(fsr_random_uniform(seed, stream, i, FSR_BF16), FSR_F32));
    for (uint64_t k = 0; k < N; k++) {
        const uint32_t bits = philox_word(SEED, STREAM, k);
        const uint64_t more = philox_pair(SEED, STREAM, k);
        assert_true(x[k] == (float)(bits >> 8) * 0x1p-24f && y[k] == (float)((bits >> 8) + 1) * 0x1p-24f);
        assert_true(z[k] == (double)(more >> 11) * 0x1p-53 && w[k] == (double)((more >> 11) + 1) * 0x1p-53);
        assert_true(h[k] == (float)(bits >> 21) * 0x1p-11f && b[k] == (float)(bits >> 24) * 0x1p-8f);
    }
    free(x), free(y), free(z), free(w), free(h), free(b);
}

/* Box and Muller's transform, in wide arithmetic. */
static void normal_and_exponential(void **state) {
    (void)state;
    enum { N = 1001 };
    const fsr_node i = fsr_arange(G, FSR_I64, N), seed = u64(SEED), stream = u64(STREAM);
    fsr_node x[] = {fsr_random_normal(seed, stream, i, FSR_F32), fsr_random_normal(seed, stream, i, FSR_F64),
                    fsr_random_exponential(seed, stream, i, FSR_F32), fsr_random_exponential(seed, stream, i, FSR_F64)};
    float *n = subject_read(x[0]), *e = subject_read(x[2]);
    double *m = subject_read(x[1]), *f = subject_read(x[3]);
    const double pi = 3.14159265358979323846;
    for (uint64_t k = 0; k < N; k++) {
        const uint64_t pair = philox_pair(SEED, STREAM, k / 2), first = philox_pair(SEED, STREAM, k & ~UINT64_C(1));
        const uint64_t second = philox_pair(SEED, STREAM, k | 1), own = philox_pair(SEED, STREAM, k);
        const double u = fmaf((float)(uint32_t)pair, 0x1p-32f, 0x1p-33f), v = ldexp((int32_t)(pair >> 32), -31);
        const double s = fma((double)(first >> 11), 0x1p-53, 0x1p-54), t = (double)(second >> 11) * 0x1p-52 - 1;
        const double narrow = sqrt(-2 * log(u)) * (k % 2 ? sin(pi * v) : cos(pi * v));
        const double wide = sqrt(-2 * log(s)) * (k % 2 ? sin(pi * t) : cos(pi * t));
        assert_true(fabs(n[k] - narrow) <= 2e-6 && fabs(m[k] - wide) <= 4e-15);
        assert_true(fabs(e[k] + log(fmaf((float)philox_word(SEED, STREAM, k), 0x1p-32f, 0x1p-33f))) <= 4e-6);
        assert_true(fabs(f[k] + log(fma((double)(own >> 11), 0x1p-53, 0x1p-54))) <= 1e-14);
    }
    free(n), free(m), free(e), free(f);
    const fsr_node half = fsr_random_normal(seed, stream, i, FSR_F16);
    fsr_node all[] = {x[0], x[1], x[2], x[3], half, fsr_random_exponential(seed, stream, i, FSR_BF16)};
    OK(fsr_verify(all, COUNT_OF(all), NULL));
}

/* The same bits alone, in a kernel with other work, and in one that folds: bits, and normal numbers. */
static void same_bits_everywhere(void **state) {
    (void)state;
    const fsr_node i = fsr_counter(G, 2, SHAPE(60, 500)), seed = u64(SEED), stream = u64(7);
    const fsr_node x = subject_data(FSR_F32, 2, SHAPE(60, 500), SUBJECT_SMALL, 1);
    fsr_node alone = fsr_random_normal(seed, stream, i, FSR_F32);
    float *first = subject_read(alone);
    const fsr_node again = fsr_random_normal(seed, stream, i, FSR_F32);
    const fsr_node scaled = fsr_div(x, fsr_sum(fsr_abs(x), AXES(1), 1, FSR_KEEPDIMS));
    fsr_node pair[] = {fsr_add(again, fsr_mul(scaled, fsr_float(G, 0))), fsr_sum(again, AXES(1), 1, 0),
                       fsr_max(fsr_transpose(again, NULL), AXES(0), 1, 0)};
    OK(fsr_compute(pair, COUNT_OF(pair)));
    float *second = subject_read(pair[0]);
    assert_memory_equal(first, second, 60 * 500 * sizeof *first);
    free(second);
    fsr_node noted = fsr_random_normal(seed, stream, i, FSR_F32);
    fsr_hint_set(noted, FSR_HINT_MATERIALIZE);
    second = subject_read(fsr_add(noted, fsr_float(G, 0)));
    for (int k = 0; k < 60 * 500; k++)
        assert_true(first[k] == second[k]);
    free(first);
    free(second);
}

/* What a loop's body draws is what arrays hold. */
static void step(fsr_node *out, const fsr_node *s, const fsr_node *arg, void *user) {
    (void)user;
    const fsr_node i = fsr_add(arg[0], s[1]);
    out[0] = fsr_add(s[0], fsr_random_normal(arg[1], fsr_int(s[0].graph, 5), i, FSR_F64));
    out[1] = fsr_add(s[1], fsr_int(s[0].graph, 1));
}

static void loops(void **state) {
    (void)state;
    enum { PATHS = 70, STEPS = 9 };
    const fsr_loop loop = {step, NULL, NULL, 2, 2};
    const fsr_node zero = fsr_full(G, FSR_F64, 0, NULL, 0), none = fsr_full(G, FSR_I64, 0, NULL, 0);
    const fsr_node at = fsr_mul(fsr_arange(G, FSR_I64, PATHS), fsr_int(G, STEPS));
    fsr_node out[3];
    fsr_iterate(out, &loop, (fsr_node[]){zero, none}, (fsr_node[]){at, fsr_param(G, "seed", FSR_U64, 99)}, STEPS);
    double *ends = subject_read(out[0]);
    double *all =
        subject_read(fsr_random_normal(u64(99), fsr_int(G, 5), fsr_counter(G, 2, SHAPE(PATHS, STEPS)), FSR_F64));
    for (int p = 0; p < PATHS; p++) {
        double sum = 0;
        for (int t = 0; t < STEPS; t++)
            sum += all[p * STEPS + t];
        assert_true(fabs(sum - ends[p]) < 1e-13);
    }
    free(ends);
    free(all);
    OK(fsr_verify(out, 3, NULL));
}

/* Another seed is another run of the same plan; streams may be an array. */
static void seeds_and_streams(void **state) {
    (void)state;
    const fsr_node seed = fsr_param(G, "seed", FSR_U64, 1), streams = fsr_random_split(seed, u64(3), 4);
    uint64_t before = 0;
    for (uint64_t s = 1; s < 6; s++) {
        const uint64_t value = s << 40 | s;
        OK(fsr_param_put(seed, &value, sizeof value));
        const int64_t kernels = subject_stats().plans_built;
        fsr_node x = fsr_random_bits(seed, fsr_expand(streams, 1), fsr_arange(G, FSR_I64, 50), FSR_U64);
        uint64_t *got = subject_read(x), *stream = subject_read(fsr_random_split(u64(value), u64(3), 4));
        for (uint64_t k = 0; k < 200; k++)
            assert_true(got[k] == philox_pair(value, stream[k / 50], k % 50));
        assert_true(got[0] != before);
        before = got[0];
        if (s > 2)
            assert_int_equal(subject_stats().plans_built, kernels);
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < a; b++)
                assert_true(stream[a] != stream[b] && stream[a] != 3);
        assert_true(stream[2] == (uint64_t)philox_pair(value ^ UINT64_C(0x9e3779b97f4a7c15), 3, 2));
        free(got);
        free(stream);
    }
    const fsr_node a = fsr_random_fold_in(u64(1), fsr_random_fold_in(u64(1), u64(0), fsr_int(G, 1)), fsr_int(G, 3));
    const fsr_node b = fsr_random_fold_in(u64(1), fsr_random_fold_in(u64(1), u64(0), fsr_int(G, 3)), fsr_int(G, 1));
    uint64_t *x = subject_read(a), *y = subject_read(b);
    assert_true(*x != *y);
    free(x);
    free(y);
}

static void mistakes(void **state) {
    (void)state;
    const fsr_node i = fsr_arange(G, FSR_I64, 5), x = fsr_full(G, FSR_F32, 0, NULL, 1), one = fsr_int(G, 1);
    static const struct {
        fsr_dtype dtype;
        fsr_status bits, real;
    } dtype[] = {{FSR_F32, FSR_ERR_DTYPE, FSR_OK},
                 {FSR_U32, FSR_OK, FSR_ERR_DTYPE},
                 {FSR_BOOL, FSR_ERR_DTYPE, FSR_ERR_DTYPE},
                 {FSR_C64, FSR_ERR_DTYPE, FSR_ERR_DTYPE},
                 {(fsr_dtype)99, FSR_ERR_DTYPE, FSR_ERR_DTYPE}};
    for (int d = 0; d < COUNT_OF(dtype); d++) {
        assert_int_equal(fsr_node_status(fsr_random_bits(one, one, i, dtype[d].dtype)), dtype[d].bits);
        assert_int_equal(fsr_node_status(fsr_random_uniform(one, one, i, dtype[d].dtype)), dtype[d].real);
        assert_int_equal(fsr_node_status(fsr_random_positive(one, one, i, dtype[d].dtype)), dtype[d].real);
        assert_int_equal(fsr_node_status(fsr_random_normal(one, one, i, dtype[d].dtype)), dtype[d].real);
        assert_int_equal(fsr_node_status(fsr_random_exponential(one, one, i, dtype[d].dtype)), dtype[d].real);
    }
    subject_error(subject_ctx, fsr_compute((fsr_node[]){fsr_random_bits(x, one, i, FSR_U32)}, 1), FSR_ERR_DTYPE,
                  "random_bits|the seed, f32[], is no integer");
    subject_error(subject_ctx, fsr_compute((fsr_node[]){fsr_random_normal(one, x, i, FSR_F32)}, 1), FSR_ERR_DTYPE,
                  "random_normal|the stream, f32[], is no integer");
    subject_error(subject_ctx, fsr_compute((fsr_node[]){fsr_random_fold_in(one, one, x)}, 1), FSR_ERR_DTYPE,
                  "random_fold_in|the index, f32[], is no integer");
    subject_error(subject_ctx, fsr_compute((fsr_node[]){fsr_random_bernoulli(one, one, i, i)}, 1), FSR_ERR_DTYPE,
                  "random_bernoulli|the probability");
    assert_int_equal(fsr_node_status(fsr_random_split(one, one, -1)), FSR_ERR_SIZE);
    assert_int_equal(fsr_node_status(fsr_counter(G, 1, SHAPE(-1))), FSR_ERR_SIZE);
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_TEST(known_answers),
                                       SUBJECT_TEST(words_of_curand),
                                       SUBJECT_TEST(words),
                                       SUBJECT_TEST(far_words),
                                       SUBJECT_TEST(uniform),
                                       SUBJECT_TEST(normal_and_exponential),
                                       SUBJECT_TEST(same_bits_everywhere),
                                       SUBJECT_TEST(loops),
                                       SUBJECT_TEST(seeds_and_streams),
                                       SUBJECT_TEST(mistakes)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}

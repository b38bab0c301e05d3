/* SPDX-License-Identifier: MIT */
/* Numbers of cuRAND's own generators: the same whichever backend draws them, what is around them fuses, and what a
 * Sobol sequence is known for holds. The words are those that libcurand 10.4.0 gave. Where the machine has no cuRAND
 * the error is looked at, and the rest is skipped. */
#include "tests/support/subject.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G subject_g
enum { MANY = 20000, POINTS = 1 << 10 };

static bool is_there(void) {
    return fsr_force(fsr_curand_bits(G, FSR_XORWOW, 1, 0, 1, SHAPE(2))) == FSR_OK;
}

#define NEEDS_CURAND                               \
    do {                                           \
        if (!is_there()) {                         \
            print_message("skipped: no cuRAND\n"); \
            skip();                                \
        }                                          \
    } while (0)

/* Without the library the words say so; with it there is nothing to say. */
static void library_or_words(void **state) {
    (void)state;
    fsr_node x = fsr_curand_uniform(G, FSR_MRG32K3A, 1, 0, FSR_F32, 1, SHAPE(4));
    if (fsr_force(x) == FSR_OK)
        return;
    subject_error(subject_ctx, fsr_force(x), FSR_ERR_UNSUPPORTED,
                  "library call curand: there is no libcurand.so.10; fsr_random_bits and its kin need no library");
}

static void words(void **state) {
    (void)state;
    static const struct {
        fsr_generator generator;
        uint64_t word[4];
    } row[] = {{FSR_XORWOW, {0x11ece47f, 0x28ff4cc2, 0x6ba5a19e, 0x938d0a4a}},
               {FSR_MRG32K3A, {0x3b3f724d, 0x1c3bfde7, 0xf789b814, 0x894c2884}},
               {FSR_SOBOL32, {0, 0x80000000, 0xc0000000, 0x40000000}},
               {FSR_SCRAMBLED_SOBOL32, {0xe20866fe, 0x0c04e445, 0x5527f5cb, 0xbb2b7770}},
               {FSR_SOBOL64, {0, UINT64_C(1) << 63, UINT64_C(3) << 62, UINT64_C(1) << 62}},
               {FSR_SCRAMBLED_SOBOL64,
                {UINT64_C(0xe20866fe27bec92a), UINT64_C(0x0c04e445976cff16), UINT64_C(0x5527f5cbaaaf4d2a),
                 UINT64_C(0xbb2b77701a7d7b16)}}};
    NEEDS_CURAND;
    for (int i = 0; i < COUNT_OF(row); i++) {
        const bool quasi = row[i].generator >= FSR_SOBOL32;
        fsr_node x = fsr_curand_bits(G, row[i].generator, quasi ? 0 : 42, 0, 2, SHAPE(1, 12));
        assert_int_equal(fsr_node_dtype(x), row[i].generator >= FSR_SOBOL64 ? FSR_U64 : FSR_U32);
        uint64_t *got = subject_read(fsr_cast(x, FSR_U64));
        for (int k = 0; k < 4; k++)
            if (got[k] != row[i].word[k])
                fail_msg("generator %d, word %d: %llx", i, k, (unsigned long long)got[k]);
        free(got);
    }
}

/* Point k + offset of one array is point k of another that begins there, but for XORWOW's f64, made of two words each;
 * and fsr_verify compares with the host's. */
static void offsets(void **state) {
    (void)state;
    NEEDS_CURAND;
    for (int generator = FSR_XORWOW; generator <= FSR_SCRAMBLED_SOBOL64; generator++)
        for (int wide = 0; wide < 2; wide++) {
            const bool quasi = generator >= FSR_SOBOL32;
            const fsr_dtype dtype = wide ? FSR_F64 : FSR_F32;
            const uint64_t seed = quasi ? 0 : UINT64_C(0x123456789abcdef0);
            const int64_t rows = quasi ? 5 : 1;
            fsr_node x = fsr_curand_uniform(G, generator, seed, 0, dtype, 2, SHAPE(rows, MANY + 8));
            fsr_node y = fsr_curand_uniform(G, generator, seed, 8, dtype, 2, SHAPE(rows, MANY));
            fsr_node same = fsr_all(fsr_equal(fsr_slice(x, 1, 8, MANY + 8, 1), y), NULL, 0, 0);
            bool good = false;
            if (fsr_verify((fsr_node[]){x, y}, 2, NULL) || fsr_read(same, &good, 1))
                fail_msg("generator %d: %s", generator, fsr_error(subject_ctx));
            if (!good && !(generator == FSR_XORWOW && wide))
                fail_msg("generator %d, %s: an offset gives other numbers", generator, fsr_dtype_name(dtype));
        }
}

/* Of the first 2^k points of a Sobol sequence each of 2^k equal intervals has one, in each dimension. */
static void sobol_fills(void **state) {
    (void)state;
    enum { DIMS = 40 };
    NEEDS_CURAND;
    for (int generator = FSR_SOBOL32; generator <= FSR_SCRAMBLED_SOBOL64; generator++) {
        fsr_node x = fsr_curand_bits(G, generator, 0, 0, 2, SHAPE(DIMS, POINTS));
        const int below = generator >= FSR_SOBOL64 ? 54 : 22;
        uint64_t *got = subject_read(fsr_cast(fsr_right_shift(x, fsr_int(G, below)), FSR_U64));
        for (int d = 0; d < DIMS; d++) {
            char seen[POINTS] = {0};
            for (int i = 0; i < POINTS; i++)
                if (seen[got[d * POINTS + i]]++)
                    fail_msg("generator %d, dimension %d: point %d is where another is", generator, d, i);
        }
        free(got);
    }
}

/* Mean and mean square, in one kernel behind the call, of an odd number; from 1 on, as a Sobol sequence begins with the
 * least number that there is. */
static void normals(void **state) {
    (void)state;
    NEEDS_CURAND;
    for (int generator = FSR_XORWOW; generator <= FSR_SCRAMBLED_SOBOL64; generator++)
        for (int wide = 0; wide < 2; wide++) {
            const uint64_t seed = generator >= FSR_SOBOL32 ? 0 : 7;
            fsr_node x = fsr_curand_normal(G, generator, seed, 1, wide ? FSR_F64 : FSR_F32, 2, SHAPE(1, 1001 * 99));
            fsr_node out[] = {fsr_mean(x, NULL, 0, 0), fsr_mean(fsr_mul(x, x), NULL, 0, 0)};
            fsr_plan_info info;
            assert_int_equal(fsr_query(out, 2, &info), FSR_OK);
            assert_int_equal(info.calls, 1);
            assert_int_equal(info.kernels, 1);
            double got[2];
            for (int i = 0; i < 2; i++)
                assert_int_equal(fsr_read(fsr_cast(out[i], FSR_F64), &got[i], sizeof got[i]), FSR_OK);
            if (!(fabs(got[0]) < 0.015 && fabs(got[1] - 1) < 0.03))
                fail_msg("generator %d: mean %g, mean square %g", generator, got[0], got[1]);
            if (fsr_verify(&x, 1, NULL))
                fail_msg("generator %d: %s", generator, fsr_error(subject_ctx));
        }
}

/* Another seed is another sequence; the same one is the same, of any shape. */
static void seeds(void **state) {
    (void)state;
    NEEDS_CURAND;
    uint32_t *x = subject_read(fsr_curand_bits(G, FSR_XORWOW, 1, 0, 1, SHAPE(MANY)));
    uint32_t *y = subject_read(fsr_curand_bits(G, FSR_XORWOW, 2, 0, 1, SHAPE(MANY)));
    uint32_t *z = subject_read(fsr_curand_bits(G, FSR_XORWOW, 1, 0, 2, SHAPE(MANY / 100, 100)));
    int equal = 0;
    for (int i = 0; i < MANY; i++)
        equal += x[i] == y[i];
    assert_true(equal < 3);
    assert_memory_equal(x, z, MANY * sizeof *x);
    free(x), free(y), free(z);
}

static void nothing(void **state) {
    (void)state;
    fsr_node x = fsr_curand_normal(G, FSR_XORWOW, 1, 0, FSR_F64, 2, SHAPE(3, 0));
    assert_int_equal(fsr_force(x), FSR_OK);
    x = fsr_curand_bits(G, FSR_SOBOL64, 0, 0, 1, SHAPE(0));
    assert_int_equal(fsr_force(x), FSR_OK);
}

static void misuses(void **state) {
    (void)state;
    subject_error(subject_ctx, fsr_force(fsr_curand_bits(G, (fsr_generator)6, 0, 0, 1, SHAPE(3))), FSR_ERR_VALUE,
                  "generator 6 is none");
    subject_error(subject_ctx, fsr_force(fsr_curand_bits(G, FSR_SOBOL32, 1, 0, 1, SHAPE(3))), FSR_ERR_VALUE,
                  "a Sobol sequence has no seed: it is 0");
    subject_error(subject_ctx, fsr_force(fsr_curand_uniform(G, FSR_XORWOW, 1, 0, FSR_F16, 1, SHAPE(3))), FSR_ERR_DTYPE,
                  "of f16 there is none: f32 or f64");
    subject_error(subject_ctx, fsr_force(fsr_curand_normal(G, FSR_SOBOL32, 0, 0, FSR_F32, 0, NULL)), FSR_ERR_SHAPE,
                  "the first extent is the number of a Sobol sequence's dimensions, 1 to 20000");
    subject_error(subject_ctx, fsr_force(fsr_curand_normal(G, FSR_SOBOL32, 0, 0, FSR_F32, 1, SHAPE(20001))),
                  FSR_ERR_SHAPE, "the first extent is the number of a Sobol sequence's dimensions, 1 to 20000");
    subject_error(subject_ctx, fsr_force(fsr_curand_bits(G, FSR_XORWOW, 1, 0, 1, SHAPE(-3))), FSR_ERR_SIZE,
                  "curand_bits");
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_TEST(library_or_words), SUBJECT_TEST(words),   SUBJECT_TEST(offsets),
                                       SUBJECT_TEST(sobol_fills),      SUBJECT_TEST(normals), SUBJECT_TEST(seeds),
                                       SUBJECT_TEST(nothing),          SUBJECT_TEST(misuses)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}

/* SPDX-License-Identifier: MIT */
/* The sign of a NaN is nobody's: where one part of a complex number is NaN, a zero or an infinity in the result does
 * not follow the NaN's sign. A compiler may write (-x) - (-x) as x - x, so that a fused kernel has another NaN than an
 * unfused one. Random graphs found it in cos: of 0 + NaN j the imaginary part was a zero of the NaN's sign. */
#include "tests/support/subject.h"
#include <math.h>

typedef fsr_node (*function)(fsr_site at, fsr_node x);

#define NAMED(name) \
    { #name, fsr_##name##_at }
static const struct {
    const char *name;
    function of;
} functions[] = {
    NAMED(exp),   NAMED(log),   NAMED(sqrt),   NAMED(sin),        NAMED(cos),   NAMED(tan),   NAMED(sinh),
    NAMED(cosh),  NAMED(tanh),  NAMED(asin),   NAMED(acos),       NAMED(atan),  NAMED(asinh), NAMED(acosh),
    NAMED(atanh), NAMED(exp2),  NAMED(expm1),  NAMED(log2),       NAMED(log10), NAMED(log1p), NAMED(sign),
    NAMED(abs),   NAMED(angle), NAMED(square), NAMED(reciprocal),
};

enum { KNOWN = 6, PARTS = 2, N = KNOWN * PARTS };

/* Each known part beside a NaN of the given sign, once as the real one and once as the imaginary one. */
static fsr_node operands(fsr_dtype dtype, double nan) {
    static const double known[KNOWN] = {0.0, -0.0, 1, -1, INFINITY, -INFINITY};
    double wide[N][2];
    float narrow[N][2];
    for (int i = 0; i < KNOWN; i++) {
        wide[2 * i][0] = wide[2 * i + 1][1] = known[i];
        wide[2 * i][1] = wide[2 * i + 1][0] = nan;
    }
    for (int i = 0; i < N; i++)
        for (int part = 0; part < PARTS; part++)
            narrow[i][part] = (float)wide[i][part];
    return fsr_from_host(subject_g, dtype, 1, SHAPE(N), dtype == FSR_C64 ? (void *)narrow : (void *)wide);
}

/* The results' parts as f64, in which each f32 is exact. */
static int read_parts(fsr_node y, double *parts) {
    const bool real = fsr_node_dtype(y) < FSR_C64;
    const int count = real ? N : N * PARTS;
    fsr_node wide = fsr_cast(y, real ? FSR_F64 : FSR_C128);
    if (fsr_read(wide, parts, sizeof *parts * (size_t)count))
        fail_msg("%s", fsr_error(subject_ctx));
    return count;
}

static void no_result_follows_a_nans_sign(void **state) {
    (void)state;
    for (int f = 0; f < COUNT_OF(functions); f++)
        for (fsr_dtype dtype = FSR_C64; dtype <= FSR_C128; dtype++) {
            double plus[N * PARTS], minus[N * PARTS];
            const int count = read_parts(functions[f].of(FSR_HERE, operands(dtype, copysign(NAN, 1))), plus);
            assert_int_equal(read_parts(functions[f].of(FSR_HERE, operands(dtype, copysign(NAN, -1))), minus), count);
            for (int i = 0; i < count; i++) {
                const bool nan = isnan(plus[i]) && isnan(minus[i]);
                if (!nan && (plus[i] != minus[i] || signbit(plus[i]) != signbit(minus[i])))
                    fail_msg("%s of %s, part %d: %g beside a NaN, %g beside one of the other sign", functions[f].name,
                             fsr_dtype_name(dtype), i, plus[i], minus[i]);
            }
            subject_count("parts compared", count);
        }
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(no_result_follows_a_nans_sign),
};
SUBJECT_MAIN(tests)

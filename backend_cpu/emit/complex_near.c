/* SPDX-License-Identifier: MIT */
/* Functions of complex numbers in generated C for arguments of usual size: straight lines of the functions of math.h,
 * without a branch, so that a loop around a call becomes vector code. What they are not good for (infinities, NaNs,
 * parts so large or small that squares would leave the range, angles beyond the reach of sine's reduction) their
 * question _far says; it is asked before a run of columns as the limits of real functions are, and those elements are
 * the _any functions' of complex.c and complex_inverse.c.
 *
 *   log    half the logarithm of the sum of squares, which is the sum of two numbers: near a modulus of 1 its second
 *          part is all that is left. Squares with their second parts live by fused multiplication: without one every
 *          argument is far
 *   sqrt   of p + iq in the first quadrant t = sqrt((p + |z|) / 2) and q / 2t, which change places left of the axis
 *   pow    e^(b log a), where |b log a| is below 700 and b no whole number, which are powers by multiplication
 * c64 goes by way of c128. */
#include "backend_cpu/emit/complex.h"
#include <stddef.h>

/* clang-format off */
/* Parts that can be squared: finite, the larger one within powers of two. */
#define SQUARES(p, q, least) \
    "!(" p " < 0x1p+500) | !(" q " < 0x1p+500) | !((" p " > " least ") | (" q " > " least "))"
#define FAR(name, question)                             \
    "static inline int fsr_c128_" name "_far(c128 a) {\n" \
    "    return " question ";\n"                          \
    "}\n"
#define FUSED(name, question)                             \
    "#if defined __FMA__ || defined __FP_FAST_FMA\n"      \
    FAR(name, question)                                   \
    "#else\n"                                             \
    FAR(name, "1")                                        \
    "#endif\n"
#define NEAR(name) "static inline __attribute__((always_inline)) c128 fsr_c128_" name "(c128 a) {\n"

const char fsr_c_near_exp[] =
    FAR("exp", "!(__builtin_fabs(a.im) <= 0x1p+19) | !(a.re <= 709.0)")
    NEAR("exp")
    "    const f64 e = fsr_exp(a.re);\n"
    "    return (c128){e * fsr_cos(a.im), e * fsr_sin(a.im)};\n"
    "}\n";

const char fsr_c_near_log[] =
    "/* Half the logarithm of x^2 + y^2 + more. */\n"
    "static inline __attribute__((always_inline)) f64 fsr_half_log(f64 x, f64 y, f64 more) {\n"
    "    const f64 p = __builtin_fabs(x), q = __builtin_fabs(y), big = p > q ? p : q, small = p > q ? q : p;\n"
    "    const f64 a = big * big, b = small * small, h = a + b;\n"
    "    const f64 low = (b - (h - a)) + more + (fsr_mad(big, big, -a) + fsr_mad(small, small, -b));\n"
    "    f64 e;\n"
    "    const f64 m = fsr_logcore(h, &e);\n"
    "    return 0.5 * fsr_mad(e, 0x1.62e42feep-1, m + fsr_mad(e, 0x1.a39ef35793c76p-33, low / h));\n"
    "}\n"
    FUSED("log", SQUARES("__builtin_fabs(a.re)", "__builtin_fabs(a.im)", "0x1p-400"))
    NEAR("log")
    "    return (c128){fsr_half_log(a.re, a.im, 0.0), fsr_atan2(a.im, a.re)};\n"
    "}\n";

const char fsr_c_near_log1p[] =
    FUSED("log1p", SQUARES("__builtin_fabs(1.0 + a.re)", "__builtin_fabs(a.im)", "0x1p-400"))
    NEAR("log1p")
    "    const f64 p = __builtin_fabs(a.re), u = 1.0 + a.re, high = p > 1.0 ? a.re : 1.0, low = p > 1.0 ? 1.0 : a.re;\n"
    "    return (c128){fsr_half_log(u, a.im, 2.0 * u * (low - (u - high))), fsr_atan2(a.im, u)};\n"
    "}\n";

const char fsr_c_near_sqrt[] =
    "static inline int fsr_c128_sqrt_far(c128 a) {\n"
    "    const f64 p = __builtin_fabs(a.re), q = __builtin_fabs(a.im);\n"
    "    return (" SQUARES("p", "q", "0x1p-400") ") & !(p + q == 0);\n"
    "}\n"
    NEAR("sqrt")
    "    const f64 p = __builtin_fabs(a.re), q = __builtin_fabs(a.im);\n"
    "    const f64 t = __builtin_sqrt(0.5 * (p + __builtin_sqrt(fsr_mad(p, p, q * q)))), v = 0.5 * q / t;\n"
    "    const f64 u = t == 0 ? 0.0 : v;\n"
    "    return (c128){a.re >= 0 ? t : u, __builtin_copysign(a.re >= 0 ? u : t, a.im)};\n"
    "}\n";

const char fsr_c_near_sin[] =
    FAR("sin", "!(__builtin_fabs(a.re) <= 0x1p+19) | !(__builtin_fabs(a.im) <= 709.0)")
    NEAR("sin")
    "    return (c128){fsr_sin(a.re) * fsr_cosh(a.im), fsr_cos(a.re) * fsr_sinh(a.im)};\n"
    "}\n";

const char fsr_c_near_cos[] =
    FAR("cos", "!(__builtin_fabs(a.re) <= 0x1p+19) | !(__builtin_fabs(a.im) <= 709.0)")
    NEAR("cos")
    "    return (c128){fsr_cos(a.re) * fsr_cosh(a.im), -fsr_sin(a.re) * fsr_sinh(a.im)};\n"
    "}\n";

const char fsr_c_near_tanh[] =
    FAR("tanh", "!(__builtin_fabs(a.re) <= 20.0) | !(__builtin_fabs(a.im) <= 0x1p+19)")
    NEAR("tanh")
    "    const f64 t = fsr_tan(a.im), u = 1 + t * t, s = fsr_sinh(a.re), v = 1 + u * s * s;\n"
    "    return (c128){u * __builtin_sqrt(1 + s * s) * s / v, t / v};\n"
    "}\n";

const char fsr_c_near_sign[] =
    "static inline int fsr_c128_sign_far(c128 a) {\n"
    "    const f64 p = __builtin_fabs(a.re), q = __builtin_fabs(a.im);\n"
    "    return (" SQUARES("p", "q", "0x1p-400") ") & !(p + q == 0);\n"
    "}\n"
    NEAR("sign")
    "    const f64 size = __builtin_sqrt(fsr_mad(a.re, a.re, a.im * a.im)), by = 1.0 / size;\n"
    "    return (c128){size == 0 ? 0.0 : a.re * by, size == 0 ? 0.0 : a.im * by};\n"
    "}\n";

const char fsr_c_near_expm1[] =
    FAR("expm1", "!(__builtin_fabs(a.im) <= 0x1p+19) | !(__builtin_fabs(a.re) <= 709.0)")
    NEAR("expm1")
    "    const f64 half = fsr_sin(0.5 * a.im);\n"
    "    const f64 x = fsr_expm1(a.re) * fsr_cos(a.im) - 2 * half * half;\n"
    "    return (c128){x, fsr_exp(a.re) * fsr_sin(a.im)};\n"
    "}\n";

/* y ln 2 in two parts; the second turns what sine and cosine of the first say. */
const char fsr_c_near_exp2[] =
    FUSED("exp2", "!(__builtin_fabs(a.im) <= 0x1p+19) | !(__builtin_fabs(a.re) <= 1000.0)")
    NEAR("exp2")
    "    const f64 ln2 = 0x1.62e42fefa39efp-1, angle = a.im * ln2;\n"
    "    const f64 rest = fsr_mad(a.im, ln2, -angle) + a.im * 0x1.abc9e3b39803fp-56;\n"
    "    const f64 s = fsr_sin(angle), c = fsr_cos(angle), e = fsr_exp2(a.re);\n"
    "    const f64 y = fsr_mad(c, rest, s) * e;\n"
    "    return (c128){fsr_mad(-s, rest, c) * e, a.im == 0 ? a.im : y};\n"
    "}\n";

const char fsr_c_near_pow[] =
    "static inline c128 fsr_c128_times(c128 a, c128 b) {\n"
    "    return (c128){a.re * b.re - a.im * b.im, fsr_apart(a.re * b.im + a.im * b.re)};\n"
    "}\n"
    "static inline int fsr_c128_pow_far(c128 a, c128 b) {\n"
    "    const f64 p = __builtin_fabs(a.re), q = __builtin_fabs(a.im), least = 0x1p-100, most = 0x1p+100;\n"
    "    const int wide = !(p < most) | !(q < most) | !((p > least) | (q > least)) | fsr_c128_log_far(a);\n"
    "    const int whole = (b.im == 0) & (__builtin_rint(b.re) == b.re);\n"
    "    return wide | whole | !(__builtin_fabs(b.re) <= 4.0) | !(__builtin_fabs(b.im) <= 4.0);\n"
    "}\n"
    "static inline __attribute__((always_inline)) c128 fsr_c128_pow(c128 a, c128 b) {\n"
    "    return fsr_c128_exp(fsr_c128_times(b, fsr_c128_log(a)));\n"
    "}\n";

/* A function of another one's result, in its three forms: of near arguments, the question, of all. */
#define QUESTION(of, Z, name, ARGUMENT)                           \
    "static inline int fsr_" Z "_" name "_far(" Z " a) {\n"       \
    "    return fsr_c128_" of "_far(" ARGUMENT ");\n"             \
    "}\n"
#define FORM(of, Z, name, SUFFIX, ARGUMENT, RESULT)               \
    "static inline " Z " fsr_" Z "_" name SUFFIX "(" Z " a) {\n"  \
    "    const c128 z = fsr_c128_" of SUFFIX "(" ARGUMENT ");\n"  \
    "    return (" Z "){" RESULT "};\n"                           \
    "}\n"
#define FORMS(of, Z, name, ARGUMENT, RESULT)                                                     \
    {"fsr_" Z "_" name, "fsr_" Z "_" name "_far", QUESTION(of, Z, name, ARGUMENT) FORM(of, Z, name, "", ARGUMENT, RESULT), \
     FORM(of, Z, name, "_any", ARGUMENT, RESULT)}
/* A quarter turn before the function and one back behind it: tan z = -i tanh iz, sinh z = -i sin iz, cosh z = cos
 * iz. */
#define TURNED(name, of, RESULT) FORMS(of, "c128", name, "(c128){-a.im, a.re}", RESULT)
#define SCALED(name, by) FORMS("log", "c128", name, "a", "z.re * " by ", z.im * " by)
#define NARROW(name) FORMS(name, "c64", name, "(c128){a.re, a.im}", "(f32)z.re, (f32)z.im")

static const char pow64_near[] =
    "static inline int fsr_c64_pow_far(c64 a, c64 b) {\n"
    "    return fsr_c128_pow_far((c128){a.re, a.im}, (c128){b.re, b.im});\n"
    "}\n"
    "static inline c64 fsr_c64_pow(c64 a, c64 b) {\n"
    "    const c128 z = fsr_c128_pow((c128){a.re, a.im}, (c128){b.re, b.im});\n"
    "    return (c64){(f32)z.re, (f32)z.im};\n"
    "}\n";
static const char pow64_any[] =
    "static inline c64 fsr_c64_pow_any(c64 a, c64 b) {\n"
    "    const c128 z = fsr_c128_pow_any((c128){a.re, a.im}, (c128){b.re, b.im});\n"
    "    return (c64){(f32)z.re, (f32)z.im};\n"
    "}\n";

const fsr_c_complex fsr_c_complex_turned[] = {
    TURNED("tan", "tanh", "z.im, -z.re"),
    TURNED("sinh", "sin", "z.im, -z.re"),
    TURNED("cosh", "cos", "z.re, z.im"),
    SCALED("log2", "0x1.71547652b82fep+0"),
    SCALED("log10", "0x1.bcb7b1526e50ep-2"),
    NARROW("exp"),
    NARROW("log"),
    NARROW("sqrt"),
    NARROW("sin"),
    NARROW("cos"),
    NARROW("tan"),
    NARROW("sinh"),
    NARROW("cosh"),
    NARROW("tanh"),
    NARROW("sign"),
    NARROW("expm1"),
    NARROW("exp2"),
    NARROW("log1p"),
    NARROW("log2"),
    NARROW("log10"),
    {"fsr_c64_pow", "fsr_c64_pow_far", pow64_near, pow64_any},
    {NULL, NULL, NULL, NULL},
};
/* clang-format on */

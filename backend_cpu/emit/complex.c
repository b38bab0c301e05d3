/* SPDX-License-Identifier: MIT */
/* Division and elementary functions of complex numbers for generated C: those for all arguments, one at a time. What
 * vectors compute of arguments of usual size is in complex_near.c.
 *
 * Division is Smith's, as NumPy's, and so exact in Fusor's sense: one formula, the same bits everywhere. The others are
 * computed in f64, for c64 as well: its 29 spare bits make every intermediate overflow and cancellation harmless.
 * Zeros, infinities and NaNs are those of C's Annex G.
 * Counter-example to log(hypot(x, y)): at 1 + 1e-9 j that is 0, and log1p has all digits of 5e-19; where the modulus
 * is not near 1 the plain form is good. exp(x) e^(iy) overflows above 709 although cos(y) may be small, down to the
 * least subnormal: grow multiplies by powers of e one after the other. Counter-example to cos(y) and two factors of
 * e^(x / 2): 0.5 * 5e-324 is 0, e^750 infinite, and sinh(1500 + 5e-324 j) NaN.
 * The sign of a NaN is nobody's: a compiler may write (-x) - (-x) as x - x. A zero or an infinity beside a NaN has its
 * sign from fsr_side then. Counter-example to copysign: cos(0 + NaN j) is NaN - 0 j or NaN + 0 j, fused or not. */
#include "backend_cpu/emit/complex.h"
#include "backend_cpu/emit/math.h"
#include <stdio.h>
#include <string.h>

/* clang-format off */
#define DIVISION(Z, T, F)                                                                   \
    "static inline " Z " fsr_" Z "_div(" Z " a, " Z " b) {\n"                              \
    "    const " T " p = __builtin_fabs" F "(b.re), q = __builtin_fabs" F "(b.im);\n" \
    "    const int r = p >= q;\n"                                                          \
    "    const " T " big = r ? b.re : b.im, small = r ? b.im : b.re;\n"                     \
    "    const " T " ratio = small / big, scale = 1 / (big + small * ratio);\n"             \
    "    const " T " x = r ? a.re + a.im * ratio : a.re * ratio + a.im;\n"                  \
    "    const " T " y = r ? a.im - a.re * ratio : a.im * ratio - a.re;\n"                  \
    "    const int zero = (p == 0) & (q == 0);\n"                                          \
    "    return (" Z "){zero ? a.re / p : x * scale, fsr_apart(zero ? a.im / p : y * scale)};\n" \
    "}\n"

#define RECIPROCAL(Z, T, F)                                                                \
    "static inline " Z " fsr_" Z "_reciprocal(" Z " a) {\n"                                \
    "    const int r = __builtin_fabs" F "(a.re) >= __builtin_fabs" F "(a.im);\n"          \
    "    const " T " big = r ? a.re : a.im, ratio = (r ? a.im : a.re) / big;\n"            \
    "    const " T " below = big + (r ? a.im : a.re) * ratio;\n"                           \
    "    return (" Z "){(r ? 1 : ratio) / below, fsr_apart(-(r ? ratio : 1) / below)};\n"  \
    "}\n"

/* Keeps the parts of a complex number from being computed side by side in a vector, where gcc 12 and 13 make one fused
 * multiply-add and -subtract of x * y - u and x * y + u although contraction is off. */
static const char apart_text[] =
    "#if defined __GNUC__ && !defined __clang__ && __GNUC__ >= 12\n"
    "#define fsr_apart(x) __builtin_assoc_barrier(x)\n"
    "#else\n"
    "#define fsr_apart(x) (x)\n"
    "#endif\n";

static const char abs64_text[] =
    "static inline f32 fsr_c64_abs(c64 a) {\n"
    "    const f64 x = a.re, y = a.im, inf = __builtin_inf();\n"
    "    const f32 r = (f32)__builtin_sqrt(x * x + y * y);\n"
    "    return (x == inf) | (x == -inf) | (y == inf) | (y == -inf) ? __builtin_inff() : r;\n"
    "}\n";

static const char abs128_text[] =
    "static inline f64 fsr_c128_abs(c128 a) {\n"
    "    return fsr_hypot(a.re, a.im);\n"
    "}\n";

/* w f e^x for x above 709, w not 0 and at most 1 in size, f 1 or half: no factor overflows or loses digits unless the
 * result does. */
static const char grow_text[] =
    "f64 exp(f64);\n"
    "static inline f64 fsr_grow(f64 w, f64 f, f64 x) {\n"
    "    const f64 e = 0x1.d422d2be5dc9bp+1022; /* e^709 */\n"
    "    return x > 1418 ? w * e * f * e * exp(x - 1418) : w * e * f * exp(x - 709);\n"
    "}\n";

/* x with the sign of y; of a NaN with none. */
static const char side_text[] =
    "static inline f64 fsr_side(f64 x, f64 y) {\n"
    "    return __builtin_copysign(x, y == y ? y : 0);\n"
    "}\n";

static const char exp_text[] =
    "f64 exp(f64);\n"
    "f64 sin(f64);\n"
    "f64 cos(f64);\n"
    "static __attribute__((noinline)) c128 fsr_c128_exp_any(c128 a) {\n"
    "    if (!fsr_c128_exp_far(a))\n"
    "        return fsr_c128_exp(a);\n"
    "    if (a.im == 0)\n"
    "        return (c128){exp(a.re), a.im};\n"
    "    if (a.im - a.im != 0 && a.re == -__builtin_inf())\n"
    "        return (c128){0, 0};\n"
    "    if (a.im - a.im != 0 && a.re == __builtin_inf())\n"
    "        return (c128){a.re, a.im - a.im};\n"
    "    const f64 s = sin(a.im), c = cos(a.im);\n"
    "    if (a.re > 709)\n"
    "        return (c128){fsr_grow(c, 1, a.re), fsr_grow(s, 1, a.re)};\n"
    "    return (c128){exp(a.re) * c, exp(a.re) * s};\n"
    "}\n";

static const char log_text[] =
    "f64 log(f64);\n"
    "f64 log1p(f64);\n"
    "f64 atan2(f64, f64);\n"
    "f64 hypot(f64, f64);\n"
    "static __attribute__((noinline)) c128 fsr_c128_log_any(c128 a) {\n"
    "    if (!fsr_c128_log_far(a))\n"
    "        return fsr_c128_log(a);\n"
    "    const f64 p = __builtin_fabs(a.re), q = __builtin_fabs(a.im), x = p > q ? p : q, y = p > q ? q : p;\n"
    "    const f64 angle = atan2(a.im, a.re);\n"
    "    if (x > 0.5 && x < 2 && y < 2)\n"
    "        return (c128){0.5 * log1p((x - 1) * (x + 1) + y * y), angle};\n"
    "    if (x > 0x1p+1000)\n"
    "        return (c128){log(hypot(x * 0x1p-3, y * 0x1p-3)) + 0x1.0a2b23f3bab73p+1, angle};\n"
    "    if (x < 0x1p-1000)\n"
    "        return (c128){log(hypot(x * 0x1p+100, y * 0x1p+100)) - 0x1.1542457337d43p+6, angle};\n"
    "    return (c128){log(hypot(x, y)), angle};\n"
    "}\n";

static const char sqrt_text[] =
    "f64 hypot(f64, f64);\n"
    "static __attribute__((noinline)) c128 fsr_c128_sqrt_any(c128 a) {\n"
    "    if (!fsr_c128_sqrt_far(a))\n"
    "        return fsr_c128_sqrt(a);\n"
    "    if (a.re == 0 && a.im == 0)\n"
    "        return (c128){0, a.im};\n"
    "    if (a.im == __builtin_inf() || a.im == -__builtin_inf())\n"
    "        return (c128){__builtin_inf(), a.im};\n"
    "    if (a.re != a.re)\n"
    "        return (c128){a.re, a.re};\n"
    "    if (a.re == __builtin_inf())\n"
    "        return (c128){a.re, __builtin_copysign(a.im - a.im, a.im)};\n"
    "    if (a.re == -__builtin_inf())\n"
    "        return (c128){__builtin_fabs(a.im - a.im), fsr_side(a.re, a.im)};\n"
    "    const f64 p = __builtin_fabs(a.re), q = __builtin_fabs(a.im);\n"
    "    const int huge = p > 0x1p+1000 || q > 0x1p+1000, tiny = p < 0x1p-900 && q < 0x1p-900;\n"
    "    const f64 in = huge ? 0x1p-4 : tiny ? 0x1p+120 : 1, out = huge ? 4 : tiny ? 0x1p-60 : 1;\n"
    "    const f64 t = __builtin_sqrt(0.5 * (p * in + hypot(p * in, q * in)));\n"
    "    const f64 u = q * in / (2 * t);\n"
    "    return (c128){(a.re >= 0 ? t : u) * out, __builtin_copysign((a.re >= 0 ? u : t) * out, a.im)};\n"
    "}\n";

/* cosh and sinh of the imaginary part are half a power of e where they may overflow alone. */
static const char sin_text[] =
    "f64 exp(f64);\n"
    "f64 sin(f64);\n"
    "f64 cos(f64);\n"
    "f64 sinh(f64);\n"
    "f64 cosh(f64);\n"
    "static __attribute__((noinline)) c128 fsr_c128_sin_any(c128 a) {\n"
    "    if (!fsr_c128_sin_far(a))\n"
    "        return fsr_c128_sin(a);\n"
    "    const f64 s = sin(a.re), c = cos(a.re);\n"
    "    if (a.re == 0)\n"
    "        return (c128){a.re, sinh(a.im)};\n"
    "    if (a.im == 0)\n"
    "        return (c128){s, c == c ? c * a.im : a.im};\n"
    "    if (a.im - a.im != 0 && a.im == a.im && s != s)\n"
    "        return (c128){s, a.im};\n"
    "    const f64 size = __builtin_fabs(a.im);\n"
    "    if (size > 709 && a.im - a.im == 0)\n"
    "        return (c128){fsr_grow(s, 0.5, size), fsr_grow(c, __builtin_copysign(0.5, a.im), size)};\n"
    "    return (c128){s * cosh(a.im), c * sinh(a.im)};\n"
    "}\n";

static const char cos_text[] =
    "f64 exp(f64);\n"
    "f64 sin(f64);\n"
    "f64 cos(f64);\n"
    "f64 sinh(f64);\n"
    "f64 cosh(f64);\n"
    "static __attribute__((noinline)) c128 fsr_c128_cos_any(c128 a) {\n"
    "    if (!fsr_c128_cos_far(a))\n"
    "        return fsr_c128_cos(a);\n"
    "    const f64 s = sin(a.re), c = cos(a.re);\n"
    "    if (a.re == 0)\n"
    "        return (c128){cosh(a.im), -a.re * fsr_side(1, a.im)};\n"
    "    if (a.im == 0)\n"
    "        return (c128){c, s == s ? -s * a.im : a.im};\n"
    "    if (a.im - a.im != 0 && a.im == a.im && s != s)\n"
    "        return (c128){__builtin_inf(), s};\n"
    "    const f64 size = __builtin_fabs(a.im);\n"
    "    if (size > 709 && a.im - a.im == 0)\n"
    "        return (c128){fsr_grow(c, 0.5, size), -fsr_grow(s, __builtin_copysign(0.5, a.im), size)};\n"
    "    return (c128){c * cosh(a.im), -s * sinh(a.im)};\n"
    "}\n";

/* Small whole exponents by multiplication, as NumPy; others by exp(b log(a)). */
static const char pow_text[] =
    "static __attribute__((noinline)) c128 fsr_c128_pow_any(c128 a, c128 b) {\n"
    "    if (!fsr_c128_pow_far(a, b))\n"
    "        return fsr_c128_pow(a, b);\n"
    "    const f64 nan = __builtin_nan(\"\");\n"
    "    if (b.re == 0 && b.im == 0)\n"
    "        return (c128){1, 0};\n"
    "    if (a.re == 0 && a.im == 0)\n"
    "        return b.re > 0 ? (c128){0, 0} : (c128){nan, nan};\n"
    "    if (b.im == 0 && b.re > -100 && b.re < 100 && b.re == (f64)(int)b.re) {\n"
    "        unsigned n = (unsigned)(b.re < 0 ? -b.re : b.re);\n"
    "        c128 p = a, r = {1, 0};\n"
    "        while (!(n & 1)) {\n"
    "            p = fsr_c128_times(p, p);\n"
    "            n >>= 1;\n"
    "        }\n"
    "        for (r = p; n >>= 1;) {\n"
    "            p = fsr_c128_times(p, p);\n"
    "            if (n & 1)\n"
    "                r = fsr_c128_times(r, p);\n"
    "        }\n"
    "        return b.re < 0 ? fsr_c128_div((c128){1, 0}, r) : r;\n"
    "    }\n"
    "    return fsr_c128_exp_any(fsr_c128_times(b, fsr_c128_log_any(a)));\n"
    "}\n";

/* Of large real parts both parts by e^-2|x|, where the sum of squares would overflow. */
static const char tanh_text[] =
    "f64 exp(f64);\n"
    "f64 sin(f64);\n"
    "f64 cos(f64);\n"
    "f64 tan(f64);\n"
    "f64 sinh(f64);\n"
    "static __attribute__((noinline)) c128 fsr_c128_tanh_any(c128 a) {\n"
    "    if (!fsr_c128_tanh_far(a))\n"
    "        return fsr_c128_tanh(a);\n"
    "    const f64 inf = __builtin_inf(), one = __builtin_copysign(1, a.re);\n"
    "    if (a.re != a.re)\n"
    "        return (c128){a.re, a.im == 0 ? a.im : a.re};\n"
    "    if (a.re == inf || a.re == -inf)\n"
    "        return (c128){one, fsr_side(0, a.im - a.im != 0 ? a.im : sin(a.im) * cos(a.im))};\n"
    "    if (a.im - a.im != 0)\n"
    "        return (c128){a.re == 0 ? a.re : a.im - a.im, a.im - a.im};\n"
    "    if (__builtin_fabs(a.re) > 20) {\n"
    "        const f64 e = exp(-__builtin_fabs(a.re));\n"
    "        return (c128){one, 4 * sin(a.im) * cos(a.im) * e * e};\n"
    "    }\n"
    "    const f64 t = tan(a.im), u = 1 + t * t, s = sinh(a.re), v = 1 + u * s * s;\n"
    "    return (c128){u * __builtin_sqrt(1 + s * s) * s / v, t / v};\n"
    "}\n";

static const char sign_text[] =
    "f64 hypot(f64, f64);\n"
    "static __attribute__((noinline)) c128 fsr_c128_sign_any(c128 a) {\n"
    "    if (!fsr_c128_sign_far(a))\n"
    "        return fsr_c128_sign(a);\n"
    "    const f64 inf = __builtin_inf(), p = __builtin_fabs(a.re), q = __builtin_fabs(a.im);\n"
    "    const f64 scale = p < 0x1p-1000 && q < 0x1p-1000 ? 0x1p+100 : p > 0x1p+1000 || q > 0x1p+1000 ? 0x1p-100 : 1;\n"
    "    const f64 x = a.re * scale, y = a.im * scale, size = hypot(x, y);\n"
    "    if (size == 0)\n"
    "        return (c128){0, 0};\n"
    "    if (p == inf && q != inf)\n"
    "        return (c128){__builtin_copysign(1, a.re), 0};\n"
    "    if (q == inf && p != inf)\n"
    "        return (c128){0, __builtin_copysign(1, a.im)};\n"
    "    return size < inf ? (c128){x / size, y / size} : (c128){__builtin_nan(\"\"), __builtin_nan(\"\")};\n"
    "}\n";

#define ROUND(Z, F)                                                                           \
    "static inline " Z " fsr_" Z "_round(" Z " a) {\n"                                       \
    "    return (" Z "){__builtin_rint" F "(a.re), __builtin_rint" F "(a.im)};\n"            \
    "}\n"

const fsr_c_complex fsr_c_complex_first[] = {
    {"fsr_apart", NULL, NULL, apart_text},
    {"fsr_grow", NULL, NULL, grow_text},
    {"fsr_side", NULL, NULL, side_text},
    {"fsr_c64_div", NULL, NULL, DIVISION("c64", "f32", "f")},
    {"fsr_c128_div", NULL, NULL, DIVISION("c128", "f64", "")},
    {"fsr_c64_abs", NULL, NULL, abs64_text},
    {"fsr_c128_abs", NULL, NULL, abs128_text},
    {"fsr_c128_exp", "fsr_c128_exp_far", fsr_c_near_exp, exp_text},
    {"fsr_c128_log", "fsr_c128_log_far", fsr_c_near_log, log_text},
    {"fsr_c128_sqrt", "fsr_c128_sqrt_far", fsr_c_near_sqrt, sqrt_text},
    {"fsr_c128_sin", "fsr_c128_sin_far", fsr_c_near_sin, sin_text},
    {"fsr_c128_cos", "fsr_c128_cos_far", fsr_c_near_cos, cos_text},
    {"fsr_c128_pow", "fsr_c128_pow_far", fsr_c_near_pow, pow_text},
    {"fsr_c128_tanh", "fsr_c128_tanh_far", fsr_c_near_tanh, tanh_text},
    {"fsr_c128_sign", "fsr_c128_sign_far", fsr_c_near_sign, sign_text},
    {"fsr_c64_reciprocal", NULL, NULL, RECIPROCAL("c64", "f32", "f")},
    {"fsr_c128_reciprocal", NULL, NULL, RECIPROCAL("c128", "f64", "")},
    {"fsr_c64_round", NULL, NULL, ROUND("c64", "f")},
    {"fsr_c128_round", NULL, NULL, ROUND("c128", "")},
    {NULL, NULL, NULL, NULL},
};
/* clang-format on */

static const fsr_c_complex *piece(int i) {
    static const fsr_c_complex *const tables[] = {fsr_c_complex_first, fsr_c_complex_inverse, fsr_c_complex_turned};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const fsr_c_complex *p = tables[t]; p->name; p++)
            if (i-- == 0)
                return p;
    return NULL;
}

uint64_t fsr_c_complex_find(const char *text, fsr_dtype dtype) {
    uint64_t set = 0;
    char name[64];
    const char *own = fsr_dtype_name(dtype);
    for (const char *at = strstr(text, "fsr_"); at; at = strstr(at + 1, "fsr_")) {
        const int size = (int)strcspn(at, "("), head = strncmp(at, "fsr_$S_", 7) ? 0 : 6;
        snprintf(name, sizeof name, "%s%s%.*s", head ? "fsr_" : "", head ? own : "", size - head, at + head);
        for (int i = 0; piece(i); i++)
            if (!strcmp(piece(i)->name, name))
                set |= UINT64_C(1) << i;
    }
    return set;
}

const char *fsr_c_complex_far(const char *text, fsr_dtype dtype) {
    const uint64_t set = fsr_c_complex_find(text, dtype);
    for (int i = 0; i < 64 && set >> i; i++)
        if (set >> i & 1 && piece(i)->question)
            return piece(i)->question;
    return NULL;
}

/* The text calls the piece's function, or that which is good for all arguments. */
static bool mentions(const char *text, const fsr_c_complex *p) {
    char any[64];
    snprintf(any, sizeof any, "%s_any", p->name);
    return text && (fsr_text_mentions(text, p->name) || fsr_text_mentions(text, any));
}

uint64_t fsr_c_complex_all(uint64_t set) {
    for (int i = 63; i > 0; i--)
        for (int j = 0; set >> i & 1 && j < i; j++)
            if (mentions(piece(i)->text, piece(j)) || mentions(piece(i)->near, piece(j)))
                set |= UINT64_C(1) << j;
    return set;
}

void fsr_c_complex_math(uint64_t set, bool *math) {
    for (int i = 0; i < 64 && set >> i; i++)
        if (set >> i & 1)
            fsr_c_math_mark(piece(i)->near ? piece(i)->near : piece(i)->text, math);
}

void fsr_c_complex_put(fsr_text *to, uint64_t set) {
    for (int i = 0; i < 64 && set >> i; i++)
        if (set >> i & 1)
            fsr_text_add(to, "%s%s\n", piece(i)->near ? piece(i)->near : "", piece(i)->text);
}

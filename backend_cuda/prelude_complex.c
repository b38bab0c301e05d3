/* SPDX-License-Identifier: MIT */
/* Complex numbers: division and elementary functions, for c64 and c128 by one template each.
 *
 * Division is Smith's, the same operations in the same order for both. The others go by f64: what overflows or cancels
 * on the way in f32 does not there. Zeros, infinities and NaNs are those of C's Annex G.
 * exp, sin and cos multiply by large powers of e one after the other (grow). Counter-example to 0.5 e^(x - 700) s
 * e^700: at x = 701 and s the least subnormal the first product is 0.
 * Counter-example to sqrt by (|z| + x) / 2 alone: for x < 0 the sum cancels; the other part is taken then.
 * Inverse functions are those of Kahan, "Branch cuts for complex elementary functions" (1987), from square roots of 1 -
 * z and 1 + z; the sign of a zero tells the side of a cut. */
#include "backend_cuda/prelude.h"

/* clang-format off */

/* A function of c64 by way of that of c128. */
#define NARROW(name)                                                \
     "static inline c64 fsr_z_" name "(const c64 &a)\n"             \
     "{\n"                                                          \
     "    const c128 z = fsr_z_" name "(c128{a.re, a.im});\n"       \
     "    return c64{(f32)z.re, (f32)z.im};\n"                      \
     "}\n"

const fsr_prelude_piece fsr_prelude_complex[] = {
    {"fsr_z_div", false,
     "template <class Z> static inline Z fsr_z_div(const Z &a, const Z &b)\n"
     "{\n"
     "    typedef decltype(Z::re) T;\n"
     "    if (b.re == 0 && b.im == 0) return Z{a.re / fabs(b.re), a.im / fabs(b.re)};\n"
     "    if (fabs(b.re) >= fabs(b.im)) {\n"
     "        const T ratio = b.im / b.re, scale = T(1) / (b.re + b.im * ratio);\n"
     "        return Z{(a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale};\n"
     "    }\n"
     "    const T ratio = b.re / b.im, scale = T(1) / (b.im + b.re * ratio);\n"
     "    return Z{(a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale};\n"
     "}\n"},
    {"fsr_z_abs", false,
     "static inline f32 fsr_z_abs(const c64 &a) { return (f32)hypot((f64)a.re, (f64)a.im); }\n"
     "static inline f64 fsr_z_abs(const c128 &a) { return hypot(a.re, a.im); }\n"},
    {"fsr_z_finite", false,
     "static inline bool fsr_z_finite(f64 x) { return x - x == 0; }\n"},
    {"fsr_z_inf", false,
     "static inline f64 fsr_z_inf() { return fsr_f64_bits(0x7ff0000000000000ull); }\n"},
    {"fsr_z_side", false,
     "/* x with the sign of y; of a NaN, whose sign is nobody's, with none. */\n"
     "static inline f64 fsr_z_side(f64 x, f64 y) { return copysign(x, y == y ? y : 0.0); }\n"},
    {"fsr_z_grow", false,
     "/* w f e^x for x above 700, w not 0 and at most 1 in size, f 1 or half: nothing overflows or loses digits unless the\n"
     "   result does. */\n"
     "static inline f64 fsr_z_grow(f64 w, f64 f, f64 x)\n"
     "{\n"
     "    const f64 e = exp(700.0), first = w * e * f;\n"
     "    return x > 1400 ? first * e * exp(x - 1400) : first * exp(x - 700);\n"
     "}\n"},
    {"fsr_z_exp", false,
     "static __noinline__ c128 fsr_z_exp(const c128 &a)\n"
     "{\n"
     "    if (a.im == 0) return c128{exp(a.re), a.im};\n"
     "    if (!fsr_z_finite(a.im) && fabs(a.re) == fsr_z_inf()) return a.re < 0 ? c128{0, 0} : c128{a.re, a.im - a.im};\n"
     "    if (a.re > 700) return c128{fsr_z_grow(cos(a.im), 1, a.re), fsr_z_grow(sin(a.im), 1, a.re)};\n"
     "    return c128{cos(a.im) * exp(a.re), sin(a.im) * exp(a.re)};\n"
     "}\n"
     NARROW("exp")},
    {"fsr_z_log", false,
     "static __noinline__ c128 fsr_z_log(const c128 &a)\n"
     "{\n"
     "    const f64 x = fmax(fabs(a.re), fabs(a.im)), y = fmin(fabs(a.re), fabs(a.im)), angle = atan2(a.im, a.re);\n"
     "    if (a.re == a.re && a.im == a.im && x >= 0.5 && x <= 2) return c128{0.5 * log1p((x - 1) * (x + 1) + y * y), angle};\n"
     "    f64 scale = 1, shift = 0;\n"
     "    if (x > 0x1p+1000) { scale = 0x1p-20; shift = 0x1.bb9d3beb8c86bp+3; }\n"
     "    if (x < 0x1p-1000) { scale = 0x1p+80; shift = -0x1.bb9d3beb8c86bp+5; }\n"
     "    return c128{log(hypot(a.re * scale, a.im * scale)) + shift, angle};\n"
     "}\n"
     NARROW("log")},
    {"fsr_z_sqrt", false,
     "static __noinline__ c128 fsr_z_sqrt(const c128 &a)\n"
     "{\n"
     "    const f64 inf = fsr_z_inf(), x = fabs(a.re), y = fabs(a.im);\n"
     "    if (x == 0 && y == 0) return c128{0, a.im};\n"
     "    if (y == inf) return c128{inf, a.im};\n"
     "    if (a.re == inf) return c128{inf, a.im == a.im ? copysign(0.0, a.im) : a.im};\n"
     "    if (a.re == -inf) return c128{a.im == a.im ? 0.0 : a.im, fsr_z_side(inf, a.im)};\n"
     "    f64 scale = 1, back = 1;\n"
     "    if (x > 0x1p+1000 || y > 0x1p+1000) { scale = 0x1p-8; back = 0x1p+4; }\n"
     "    if (x < 0x1p-900 && y < 0x1p-900) { scale = 0x1p+160; back = 0x1p-80; }\n"
     "    const f64 large = sqrt(0.5 * (hypot(x * scale, y * scale) + x * scale)), small = 0.5 * (y * scale) / large;\n"
     "    const f64 re = a.re < 0 ? small : large, im = a.re < 0 ? large : small;\n"
     "    return c128{re * back, copysign(im * back, a.im)};\n"
     "}\n"
     NARROW("sqrt")},
    {"fsr_z_wave", false,
     "/* s cosh(y) and c sinh(y), of large y half a power of e. */\n"
     "static inline c128 fsr_z_wave(f64 s, f64 c, f64 y)\n"
     "{\n"
     "    if (!(fabs(y) > 700) || !fsr_z_finite(y)) return c128{s * cosh(y), c * sinh(y)};\n"
     "    return c128{fsr_z_grow(s, 0.5, fabs(y)), fsr_z_grow(c, copysign(0.5, y), fabs(y))};\n"
     "}\n"},
    {"fsr_z_sin", false,
     "static __noinline__ c128 fsr_z_sin(const c128 &a)\n"
     "{\n"
     "    const f64 s = sin(a.re), c = cos(a.re);\n"
     "    if (a.re == 0) return c128{a.re, sinh(a.im)};\n"
     "    if (a.im == 0) return c128{s, fsr_z_finite(a.re) ? c * a.im : a.im};\n"
     "    if (fabs(a.im) == fsr_z_inf() && !fsr_z_finite(a.re)) return c128{s, a.im};\n"
     "    return fsr_z_wave(s, c, a.im);\n"
     "}\n"
     NARROW("sin")},
    {"fsr_z_cos", false,
     "static __noinline__ c128 fsr_z_cos(const c128 &a)\n"
     "{\n"
     "    const f64 s = sin(a.re), c = cos(a.re);\n"
     "    if (a.re == 0) return c128{cosh(a.im), -a.re * fsr_z_side(1.0, a.im)};\n"
     "    if (a.im == 0) return c128{c, fsr_z_finite(a.re) ? -s * a.im : a.im};\n"
     "    if (fabs(a.im) == fsr_z_inf() && !fsr_z_finite(a.re)) return c128{fsr_z_inf(), s};\n"
     "    return fsr_z_wave(c, -s, a.im);\n"
     "}\n"
     NARROW("cos")},
    {"fsr_z_tanh", false,
     "/* sinh x cosh x and sin y cos y over sinh^2 x + cos^2 y; beyond 20 the sum is a power of e. */\n"
     "static __noinline__ c128 fsr_z_tanh(const c128 &a)\n"
     "{\n"
     "    if (a.re != a.re) return c128{a.re, a.im == 0 ? a.im : a.re + a.im};\n"
     "    if (!fsr_z_finite(a.im) && a.re == 0) return c128{a.re, a.im - a.im};\n"
     "    const f64 s = sin(a.im), c = cos(a.im), size = fabs(a.re);\n"
     "    if (size == fsr_z_inf()) return c128{copysign(1.0, a.re), fsr_z_side(0.0, fsr_z_finite(a.im) ? s * c : a.im)};\n"
     "    if (!fsr_z_finite(a.im)) return c128{a.im - a.im, a.im - a.im};\n"
     "    if (size > 20) return c128{copysign(1.0, a.re), s * c * 4 * exp(-2 * size)};\n"
     "    const f64 sh = sinh(a.re), ch = cosh(a.re), below = sh * sh + c * c;\n"
     "    return c128{sh * ch / below, s * c / below};\n"
     "}\n"
     NARROW("tanh")},
    {"fsr_z_tan", false,
     "/* i tan z is tanh of i z. */\n"
     "template <class Z> static inline Z fsr_z_tan(const Z &a)\n"
     "{\n"
     "    const Z z = fsr_z_tanh(Z{-a.im, a.re});\n"
     "    return Z{z.im, -z.re};\n"
     "}\n"},
    {"fsr_z_sinh", false,
     "template <class Z> static inline Z fsr_z_sinh(const Z &a)\n"
     "{\n"
     "    const Z z = fsr_z_sin(Z{-a.im, a.re});\n"
     "    return Z{z.im, -z.re};\n"
     "}\n"},
    {"fsr_z_cosh", false,
     "template <class Z> static inline Z fsr_z_cosh(const Z &a) { return fsr_z_cos(Z{-a.im, a.re}); }\n"},
    {"fsr_z_sign", false,
     "/* By the larger part first: the other is a ratio, and nothing overflows. */\n"
     "static __noinline__ c128 fsr_z_sign(const c128 &a)\n"
     "{\n"
     "    const f64 x = fabs(a.re), y = fabs(a.im), inf = fsr_z_inf(), big = x < y ? y : x;\n"
     "    if (x == 0 && y == 0) return c128{0, 0};\n"
     "    if (x == inf && y != inf) return c128{copysign(1.0, a.re), 0};\n"
     "    if (y == inf && x != inf) return c128{0, copysign(1.0, a.im)};\n"
     "    const f64 p = a.re / big, q = a.im / big, size = sqrt(p * p + q * q);\n"
     "    return x == x && y == y ? c128{p / size, q / size} : c128{a.re - a.re + a.im, a.re - a.re + a.im};\n"
     "}\n"
     NARROW("sign")},
    {"fsr_z_reciprocal", false,
     "template <class Z> static inline Z fsr_z_reciprocal(const Z &a)\n"
     "{\n"
     "    typedef decltype(Z::re) T;\n"
     "    if (fabs(a.im) <= fabs(a.re)) {\n"
     "        const T ratio = a.im / a.re, below = a.re + a.im * ratio;\n"
     "        return Z{T(1) / below, -ratio / below};\n"
     "    }\n"
     "    const T ratio = a.re / a.im, below = a.im + a.re * ratio;\n"
     "    return Z{ratio / below, T(-1) / below};\n"
     "}\n"},
    {"fsr_z_round", false,
     "static inline c64 fsr_z_round(const c64 &a) { return c64{rintf(a.re), rintf(a.im)}; }\n"
     "static inline c128 fsr_z_round(const c128 &a) { return c128{rint(a.re), rint(a.im)}; }\n"},
    {"fsr_z_mul", false,
     "static inline c128 fsr_z_mul(const c128 &a, const c128 &b) { return c128{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }\n"},
    {"fsr_z_pow", false,
     "/* Whole exponents below 100 by squaring, as NumPy; others by exp(b log(a)). */\n"
     "static __noinline__ c128 fsr_z_pow(const c128 &a, const c128 &b)\n"
     "{\n"
     "    const f64 nan = fsr_f64_bits(0x7ff8000000000000ull);\n"
     "    if (b.re == 0 && b.im == 0) return c128{1, 0};\n"
     "    if (a.re == 0 && a.im == 0) return b.re > 0 ? c128{0, 0} : c128{nan, nan};\n"
     "    if (b.im != 0 || !(fabs(b.re) < 100) || floor(b.re) != b.re) return fsr_z_exp(fsr_z_mul(b, fsr_z_log(a)));\n"
     "    c128 r = {1, 0}, p = a;\n"
     "    bool first = true;\n"
     "    for (u32 n = (u32)fabs(b.re); n; n >>= 1) {\n"
     "        if (n & 1) r = first ? p : fsr_z_mul(r, p);\n"
     "        first = first && !(n & 1);\n"
     "        if (n > 1) p = fsr_z_mul(p, p);\n"
     "    }\n"
     "    return b.re < 0 ? fsr_z_div(c128{1, 0}, r) : r;\n"
     "}\n"
     "static inline c64 fsr_z_pow(const c64 &a, const c64 &b)\n"
     "{\n"
     "    const c128 z = fsr_z_pow(c128{a.re, a.im}, c128{b.re, b.im});\n"
     "    return c64{(f32)z.re, (f32)z.im};\n"
     "}\n"},
    {"fsr_z_far", false,
     "/* Of |z| above 2^50 both inverse functions are angle and logarithm of 2z. */\n"
     "static inline f64 fsr_z_far(const c128 &a) { return log(hypot(a.re * 0x1p-3, a.im * 0x1p-3)) + 0x1.62e42fefa39efp+1; }\n"},
    {"fsr_z_asin", false,
     "/* Kahan's: sqrt(1 - z) and sqrt(1 + z) lie in the right half plane, and no sum of their products cancels. */\n"
     "static __noinline__ c128 fsr_z_asin(const c128 &a)\n"
     "{\n"
     "    if (fabs(a.re) > 0x1p+50 || fabs(a.im) > 0x1p+50)\n"
     "        return c128{atan2(a.re, fabs(a.im)), fsr_z_side(fsr_z_far(a), a.im)};\n"
     "    if (a.re != a.re || a.im != a.im) return c128{a.re == 0 ? a.re : a.re + a.im, a.re + a.im};\n"
     "    const c128 p = fsr_z_sqrt(c128{1 - a.re, -a.im}), q = fsr_z_sqrt(c128{1 + a.re, a.im});\n"
     "    return c128{atan2(a.re, p.re * q.re - p.im * q.im), asinh(p.re * q.im - p.im * q.re)};\n"
     "}\n"
     NARROW("asin")},
    {"fsr_z_acos", false,
     "static __noinline__ c128 fsr_z_acos(const c128 &a)\n"
     "{\n"
     "    if (fabs(a.re) > 0x1p+50 || fabs(a.im) > 0x1p+50)\n"
     "        return c128{atan2(fabs(a.im), a.re), -fsr_z_side(fsr_z_far(a), a.im)};\n"
     "    if (a.re != a.re || a.im != a.im)\n"
     "        return c128{a.re == 0 ? 0x1.921fb54442d18p+0 : a.re + a.im, a.re + a.im};\n"
     "    const c128 p = fsr_z_sqrt(c128{1 - a.re, -a.im}), q = fsr_z_sqrt(c128{1 + a.re, a.im});\n"
     "    return c128{2 * atan2(p.re, q.re), asinh(q.re * p.im - q.im * p.re)};\n"
     "}\n"
     NARROW("acos")},
    {"fsr_z_acosh", false,
     "static inline c128 fsr_z_acosh(const c128 &a)\n"
     "{\n"
     "    const c128 z = fsr_z_acos(a);\n"
     "    return c128{fabs(z.im), a.im == a.im ? copysign(z.re, a.im) : a.im};\n"
     "}\n"
     NARROW("acosh")},
    {"fsr_z_asinh", false,
     "/* i asinh z is asin of i z; asin is odd in each part. */\n"
     "template <class Z> static inline Z fsr_z_asinh(const Z &a)\n"
     "{\n"
     "    const Z z = fsr_z_asin(Z{a.im, a.re});\n"
     "    return Z{z.im, z.re};\n"
     "}\n"},
    {"fsr_z_atanh", false,
     "/* Half the logarithm and the angle of (1 + z) / (1 - z), Kahan's way. At the pole y^2 would vanish before y does. */\n"
     "static __noinline__ c128 fsr_z_atanh(const c128 &a)\n"
     "{\n"
     "    const f64 x = fabs(a.re), y = fabs(a.im), quarter = 0x1.921fb54442d18p+0;\n"
     "    if (x == fsr_z_inf() || y == fsr_z_inf())\n"
     "        return c128{fsr_z_side(0.0, a.re), a.im == a.im ? copysign(quarter, a.im) : a.im};\n"
     "    if (x != x || y != y) return c128{x == 0 ? a.re : x + y, x + y};\n"
     "    if (x > 0x1p+400 || y > 0x1p+400) {\n"
     "        const f64 u = a.re * 0x1p-30, v = a.im * 0x1p-30, size = hypot(u, v);\n"
     "        return c128{u / size / size * 0x1p-30, copysign(quarter, a.im)};\n"
     "    }\n"
     "    const f64 angle = 0.5 * (atan2(a.im, 1 - x) + atan2(a.im, 1 + x));\n"
     "    if (x == 1 && y < 0x1p-300) return c128{copysign(0.5 * (log(2.0) - log(y)), a.re), angle};\n"
     "    const f64 apart = 1 - x;\n"
     "    return c128{copysign(0.25 * log1p(x * 4 / (y * y + apart * apart)), a.re), angle};\n"
     "}\n"
     NARROW("atanh")},
    {"fsr_z_atan", false,
     "template <class Z> static inline Z fsr_z_atan(const Z &a)\n"
     "{\n"
     "    const Z z = fsr_z_atanh(Z{a.im, a.re});\n"
     "    return Z{z.im, z.re};\n"
     "}\n"},
    {"fsr_z_log1p", false,
     "static inline c128 fsr_z_log1p(const c128 &a)\n"
     "{\n"
     "    if (!(fmax(fabs(a.re), fabs(a.im)) <= 0.25)) return fsr_z_log(c128{a.re + 1, a.im});\n"
     "    return c128{0.5 * log1p(2 * a.re + (a.re * a.re + a.im * a.im)), atan2(a.im, a.re + 1)};\n"
     "}\n"
     NARROW("log1p")},
    {"fsr_z_log2", false,
     "static inline c128 fsr_z_log2(const c128 &a)\n"
     "{\n"
     "    const c128 z = fsr_z_log(a);\n"
     "    return c128{z.re * 0x1.71547652b82fep+0, z.im * 0x1.71547652b82fep+0};\n"
     "}\n"
     NARROW("log2")},
    {"fsr_z_log10", false,
     "static inline c128 fsr_z_log10(const c128 &a)\n"
     "{\n"
     "    const c128 z = fsr_z_log(a);\n"
     "    return c128{z.re * 0x1.bcb7b1526e50ep-2, z.im * 0x1.bcb7b1526e50ep-2};\n"
     "}\n"
     NARROW("log10")},
    {"fsr_z_expm1", false,
     "/* exp z - 1, of small results without the 1. */\n"
     "static __noinline__ c128 fsr_z_expm1(const c128 &a)\n"
     "{\n"
     "    if (a.im == 0) return c128{expm1(a.re), a.im};\n"
     "    if (!fsr_z_finite(a.re) || !fsr_z_finite(a.im) || a.re > 40) {\n"
     "        const c128 z = fsr_z_exp(a);\n"
     "        return c128{z.re - 1, z.im};\n"
     "    }\n"
     "    const f64 s = sin(a.im * 0.5);\n"
     "    return c128{cos(a.im) * expm1(a.re) - s * s * 2, sin(a.im) * exp(a.re)};\n"
     "}\n"
     NARROW("expm1")},
    {"fsr_z_exp2", false,
     "/* The angle's product with ln 2 in two parts; large powers of two one after the other. */\n"
     "static __noinline__ c128 fsr_z_exp2(const c128 &a)\n"
     "{\n"
     "    const f64 head = a.im * 0x1.62e42fefa39efp-1;\n"
     "    if (a.im == 0) return c128{exp2(a.re), a.im};\n"
     "    if (!fsr_z_finite(a.re) || !fsr_z_finite(a.im)) return fsr_z_exp(c128{a.re, head});\n"
     "    const f64 tail = fma(a.im, 0x1.62e42fefa39efp-1, -head) + 0x1.abc9e3b39803fp-56 * a.im;\n"
     "    const f64 s = sin(head), c = cos(head), re = c - tail * s, im = s + tail * c;\n"
     "    if (a.re <= 1020) return c128{exp2(a.re) * re, exp2(a.re) * im};\n"
     "    const f64 first = 0x1p+1020, second = a.re > 2040 ? first : 1.0, last = exp2(a.re - (a.re > 2040 ? 2040 : 1020));\n"
     "    return c128{re * first * second * last, im * first * second * last};\n"
     "}\n"
     NARROW("exp2")},
    {0}};
/* clang-format on */

/* SPDX-License-Identifier: MIT */
/* What the REF column of the table of scalar operations says of complex operands beyond <complex.h>, for each of the
 * three arithmetics: product and quotient by the formulas that Fusor promises, not those of C.
 *
 * C's own a * b and a / b recover infinities from NaNs (Annex G) or not, as the compiler's options say; NumPy's do not.
 * Counter-example: (inf + inf j) * (1 + 1 j) is nan + inf j by the plain formula, inf + inf j by Annex G.
 *
 * cacosh of NaN j has a NaN angle, as NumPy's; C17 says that of 0 + NaN j it is pi / 2.
 * cexpm1's infinities are cexp's less 1. cexp2's angle is a product in two parts, as a large one's last places
 * count. */
#ifndef FUSOR_GRAPH_REF_COMPLEX_H
#define FUSOR_GRAPH_REF_COMPLEX_H

#include "graph/ops_reference.h"
#include <complex.h>
#include <math.h>

/* C11's way to write a complex number of its parts, which glibc's header gives to GCC alone. */
#ifndef CMPLX
#define CMPLXF(re, im) __builtin_complex((float)(re), (float)(im))
#define CMPLX(re, im) __builtin_complex((double)(re), (double)(im))
#define CMPLXL(re, im) __builtin_complex((long double)(re), (long double)(im))
#endif

/* ln 2 to 64 bits, and the rest. */
#define FSR_REF_LN2 0xb.17217f7d1cf79acp-4L
#define FSR_REF_LN2_REST (-0x3.61c4c67fc0d0950cp-68L)
#define FSR_REF_LN10 2.30258509299404568401799145468436421L

#define FSR_REF_COMPLEX(T, s, PACK)                                                                            \
    static inline T _Complex fsr_ref_of##s(T re, T im) {                                                       \
        return PACK(re, im);                                                                                   \
    }                                                                                                          \
    static inline T _Complex fsr_ref_mul##s(T _Complex a, T _Complex b) {                                      \
        T ar = creal##s(a), ai = cimag##s(a), br = creal##s(b), bi = cimag##s(b);                              \
        return PACK(ar * br - ai * bi, ar * bi + ai * br);                                                     \
    }                                                                                                          \
    static inline T _Complex fsr_ref_div##s(T _Complex a, T _Complex b) {                                      \
        T ar = creal##s(a), ai = cimag##s(a), br = creal##s(b), bi = cimag##s(b), ratio, scale;                \
        if (br == 0 && bi == 0)                                                                                \
            return PACK(ar / fabs##s(br), ai / fabs##s(br));                                                   \
        if (fabs##s(br) >= fabs##s(bi)) {                                                                      \
            ratio = bi / br, scale = 1 / (br + bi * ratio);                                                    \
            return PACK((ar + ai * ratio) * scale, (ai - ar * ratio) * scale);                                 \
        }                                                                                                      \
        ratio = br / bi, scale = 1 / (bi + br * ratio);                                                        \
        return PACK((ar * ratio + ai) * scale, (ai * ratio - ar) * scale);                                     \
    }                                                                                                          \
    static inline T _Complex fsr_ref_reciprocal##s(T _Complex a) {                                             \
        T re = creal##s(a), im = cimag##s(a), ratio, below;                                                    \
        if (fabs##s(im) <= fabs##s(re)) {                                                                      \
            ratio = im / re, below = re + im * ratio;                                                          \
            return PACK(1 / below, -ratio / below);                                                            \
        }                                                                                                      \
        ratio = re / im, below = im + re * ratio;                                                              \
        return PACK(ratio / below, -1 / below);                                                                \
    }                                                                                                          \
    static inline T _Complex fsr_ref_sign##s(T _Complex a) {                                                   \
        T re = creal##s(a), im = cimag##s(a), size = cabs##s(a);                                               \
        if (size == 0)                                                                                         \
            return 0;                                                                                          \
        if (!isinf(size))                                                                                      \
            return PACK(re / size, im / size);                                                                 \
        if (isinf(re) && isinf(im))                                                                            \
            return PACK((T)NAN, (T)NAN);                                                                       \
        return isinf(re) ? PACK(copysign##s(1, re), 0) : PACK(0, copysign##s(1, im));                          \
    }                                                                                                          \
    static inline T _Complex fsr_ref_pow##s(T _Complex a, T _Complex b) {                                      \
        if (creal##s(b) == 0 && cimag##s(b) == 0)                                                              \
            return 1;                                                                                          \
        if (creal##s(a) == 0 && cimag##s(a) == 0)                                                              \
            return creal##s(b) > 0 ? PACK(0, 0) : PACK((T)NAN, (T)NAN);                                        \
        return cpow##s(a, b);                                                                                  \
    }                                                                                                          \
    static inline T _Complex fsr_ref_cround##s(T _Complex a) {                                                 \
        return PACK(fsr_ref_round##s(creal##s(a)), fsr_ref_round##s(cimag##s(a)));                             \
    }                                                                                                          \
    static inline T _Complex fsr_ref_cacosh##s(T _Complex a) {                                                 \
        T re = creal##s(cacosh##s(a)), im = cimag##s(a);                                                       \
        return PACK(re, isnan(im) ? im : cimag##s(cacosh##s(a)));                                              \
    }                                                                                                          \
    static inline T _Complex fsr_ref_clog1p##s(T _Complex a) {                                                 \
        T re = creal##s(a), im = cimag##s(a);                                                                  \
        if (!(hypot##s(re, im) < (T)0.5))                                                                      \
            return clog##s(PACK(1 + re, im));                                                                  \
        return PACK(log1p##s(2 * re + re * re + im * im) / 2, atan2##s(im, 1 + re));                           \
    }                                                                                                          \
    static inline T _Complex fsr_ref_clog2##s(T _Complex a) {                                                  \
        T _Complex z = clog##s(a);                                                                             \
        return PACK(creal##s(z) / (T)FSR_REF_LN2, cimag##s(z) / (T)FSR_REF_LN2);                               \
    }                                                                                                          \
    static inline T _Complex fsr_ref_clog10##s(T _Complex a) {                                                 \
        T _Complex z = clog##s(a);                                                                             \
        return PACK(creal##s(z) / (T)FSR_REF_LN10, cimag##s(z) / (T)FSR_REF_LN10);                             \
    }                                                                                                          \
    static inline T _Complex fsr_ref_cexpm1##s(T _Complex a) {                                                 \
        T re = creal##s(a), im = cimag##s(a), half = sin##s(im / 2);                                           \
        if (!isfinite(re) || !isfinite(im) || im == 0)                                                         \
            return im == 0 ? PACK(expm1##s(re), im) : PACK(creal##s(cexp##s(a)) - 1, cimag##s(cexp##s(a)));    \
        return PACK(expm1##s(re) * cos##s(im) - 2 * half * half, exp##s(re) * sin##s(im));                     \
    }                                                                                                          \
    static inline T _Complex fsr_ref_cexp2##s(T _Complex a) {                                                  \
        T re = creal##s(a), im = cimag##s(a), turn = im * (T)FSR_REF_LN2, rest, size;                          \
        if (!isfinite(re) || !isfinite(im) || im == 0)                                                         \
            return im == 0 ? PACK(exp2##s(re), im) : cexp##s(PACK(re, turn));                                  \
        rest = fma##s(im, (T)FSR_REF_LN2, -turn) + im * (T)(FSR_REF_LN2 - (T)FSR_REF_LN2 + FSR_REF_LN2_REST);  \
        size = exp2##s(re);                                                                                    \
        return PACK(size * (cos##s(turn) - rest * sin##s(turn)), size * (sin##s(turn) + rest * cos##s(turn))); \
    }

FSR_REF_COMPLEX(float, f, CMPLXF)
FSR_REF_COMPLEX(double, , CMPLX)
FSR_REF_COMPLEX(long double, l, CMPLXL)

#endif

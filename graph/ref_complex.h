/* SPDX-License-Identifier: MIT */
/* What the REF column of the table of scalar operations says of complex operands beyond <complex.h>, for each of the
 * three arithmetics: product and quotient by the formulas that Fusor promises, not those of C.
 *
 * C's own a * b and a / b recover infinities from NaNs (Annex G) or not, as the compiler's options say; NumPy's do not.
 * Counter-example: (inf + inf j) * (1 + 1 j) is nan + inf j by the plain formula, inf + inf j by Annex G. */
#ifndef FUSOR_GRAPH_REF_COMPLEX_H
#define FUSOR_GRAPH_REF_COMPLEX_H

#include <complex.h>
#include <math.h>

/* C11's way to write a complex number of its parts, which glibc's header gives to GCC alone. */
#ifndef CMPLX
#define CMPLXF(re, im) __builtin_complex((float)(re), (float)(im))
#define CMPLX(re, im) __builtin_complex((double)(re), (double)(im))
#define CMPLXL(re, im) __builtin_complex((long double)(re), (long double)(im))
#endif

#define FSR_REF_COMPLEX(T, s, PACK)                                                             \
    static inline T _Complex fsr_ref_of##s(T re, T im) {                                        \
        return PACK(re, im);                                                                    \
    }                                                                                           \
    static inline T _Complex fsr_ref_mul##s(T _Complex a, T _Complex b) {                       \
        T ar = creal##s(a), ai = cimag##s(a), br = creal##s(b), bi = cimag##s(b);               \
        return PACK(ar * br - ai * bi, ar * bi + ai * br);                                      \
    }                                                                                           \
    static inline T _Complex fsr_ref_div##s(T _Complex a, T _Complex b) {                       \
        T ar = creal##s(a), ai = cimag##s(a), br = creal##s(b), bi = cimag##s(b), ratio, scale; \
        if (br == 0 && bi == 0)                                                                 \
            return PACK(ar / fabs##s(br), ai / fabs##s(br));                                    \
        if (fabs##s(br) >= fabs##s(bi)) {                                                       \
            ratio = bi / br, scale = 1 / (br + bi * ratio);                                     \
            return PACK((ar + ai * ratio) * scale, (ai - ar * ratio) * scale);                  \
        }                                                                                       \
        ratio = br / bi, scale = 1 / (bi + br * ratio);                                         \
        return PACK((ar * ratio + ai) * scale, (ai * ratio - ar) * scale);                      \
    }                                                                                           \
    static inline T _Complex fsr_ref_reciprocal##s(T _Complex a) {                              \
        T re = creal##s(a), im = cimag##s(a), ratio, below;                                     \
        if (fabs##s(im) <= fabs##s(re)) {                                                       \
            ratio = im / re, below = re + im * ratio;                                           \
            return PACK(1 / below, -ratio / below);                                             \
        }                                                                                       \
        ratio = re / im, below = im + re * ratio;                                               \
        return PACK(ratio / below, -1 / below);                                                 \
    }                                                                                           \
    static inline T _Complex fsr_ref_sign##s(T _Complex a) {                                    \
        T re = creal##s(a), im = cimag##s(a), size = cabs##s(a);                                \
        if (size == 0)                                                                          \
            return 0;                                                                           \
        if (!isinf(size))                                                                       \
            return PACK(re / size, im / size);                                                  \
        if (isinf(re) && isinf(im))                                                             \
            return PACK((T)NAN, (T)NAN);                                                        \
        return isinf(re) ? PACK(copysign##s(1, re), 0) : PACK(0, copysign##s(1, im));           \
    }                                                                                           \
    static inline T _Complex fsr_ref_pow##s(T _Complex a, T _Complex b) {                       \
        if (creal##s(b) == 0 && cimag##s(b) == 0)                                               \
            return 1;                                                                           \
        if (creal##s(a) == 0 && cimag##s(a) == 0)                                               \
            return creal##s(b) > 0 ? PACK(0, 0) : PACK((T)NAN, (T)NAN);                         \
        return cpow##s(a, b);                                                                   \
    }

FSR_REF_COMPLEX(float, f, CMPLXF)
FSR_REF_COMPLEX(double, , CMPLX)
FSR_REF_COMPLEX(long double, l, CMPLXL)

#endif

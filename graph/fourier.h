/* SPDX-License-Identifier: MIT */
/* What the library call "fft" is told: a transform along the last dimension, without any factor. */
#ifndef FUSOR_GRAPH_FOURIER_H
#define FUSOR_GRAPH_FOURIER_H

#include "graph/called.h"

/* Its words. */
typedef enum fsr_fourier_word { FSR_FOURIER_KIND, FSR_FOURIER_LENGTH, FSR_FOURIER_WORDS } fsr_fourier_word;
typedef enum fsr_fourier_kind {
    FSR_FOURIER_FORWARD, /* complex: sum of x[k] exp(-2 pi i j k / n) */
    FSR_FOURIER_INVERSE, /* with the other sign */
    FSR_FOURIER_OF_REAL, /* of real x the first n / 2 + 1 of those */
    FSR_FOURIER_TO_REAL, /* of n / 2 + 1 elements, those that real x has, with the other sign: real */
    FSR_FOURIER_KINDS
} fsr_fourier_kind;

static inline fsr_fourier_kind fsr_fourier_kind_of(const fsr_called *c) {
    return (fsr_fourier_kind)fsr_called_word(c, FSR_FOURIER_KIND);
}
static inline int64_t fsr_fourier_length(const fsr_called *c) {
    return fsr_called_word(c, FSR_FOURIER_LENGTH);
}

#endif

/* SPDX-License-Identifier: MIT */
/* What the library call "curand" is told: a part of a generator's sequence. */
#ifndef FUSOR_GRAPH_SEQUENCE_H
#define FUSOR_GRAPH_SEQUENCE_H

#include "fusor/random.h"
#include "graph/called.h"

enum { FSR_GENERATORS = FSR_SCRAMBLED_SOBOL64 + 1, FSR_SEQUENCE_DIMENSIONS = 20000 };

/* Its words. */
typedef enum fsr_sequence_word {
    FSR_SEQUENCE_GENERATOR,
    FSR_SEQUENCE_DRAWS,
    FSR_SEQUENCE_SEED,
    FSR_SEQUENCE_OFFSET,
    FSR_SEQUENCE_DIMS, /* 1 of a generator without dimensions */
    FSR_SEQUENCE_WORDS
} fsr_sequence_word;
/* What is made of the generator's words. */
typedef enum fsr_sequence_draws {
    FSR_SEQUENCE_BITS,
    FSR_SEQUENCE_UNIFORM,
    FSR_SEQUENCE_NORMAL,
    FSR_SEQUENCE_KINDS
} fsr_sequence_draws;

static inline fsr_generator fsr_sequence_generator(const fsr_called *c) {
    return (fsr_generator)fsr_called_word(c, FSR_SEQUENCE_GENERATOR);
}
/* Sobol's have dimensions and no seed. */
static inline bool fsr_generator_is_quasi(fsr_generator g) {
    return g >= FSR_SOBOL32;
}
/* The dtype of its words. */
static inline fsr_dtype fsr_generator_word(fsr_generator g) {
    return g >= FSR_SOBOL64 ? FSR_U64 : FSR_U32;
}

#endif

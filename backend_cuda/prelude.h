/* SPDX-License-Identifier: MIT */
/* The vocabulary of generated kernels: named pieces of device code, printed where a kernel mentions them.
 *
 * A piece is found by its name; what it mentions itself lies before it in the table. Pieces marked `device` speak to
 * the machine (barriers, shuffles, atomics, bit casts); a host that compiles the rest as C++ gives its own. */
#ifndef FUSOR_BACKEND_CUDA_PRELUDE_H
#define FUSOR_BACKEND_CUDA_PRELUDE_H

#include "runtime/text.h"

typedef struct fsr_prelude_piece {
    const char *name;
    bool device;
    const char *text;
} fsr_prelude_piece;

/* The tables, in the order in which they are printed; each ends with a null name. */
extern const fsr_prelude_piece fsr_prelude_scalar[];   /* bits, division, roots, powers */
extern const fsr_prelude_piece fsr_prelude_angle[];    /* sine, cosine, tangent */
extern const fsr_prelude_piece fsr_prelude_numpy[];    /* remainders, neighbours, divisors */
extern const fsr_prelude_piece fsr_prelude_complex[];  /* complex numbers */
extern const fsr_prelude_piece fsr_prelude_memory[];   /* vectors */
extern const fsr_prelude_piece fsr_prelude_exchange[]; /* shuffles, folds, tickets */
extern const fsr_prelude_piece fsr_prelude_scan[];     /* scans, boards */
extern const fsr_prelude_piece fsr_prelude_index[];    /* indices that may lie outside */
extern const fsr_prelude_piece fsr_prelude_ring[];     /* slots of shared memory, and copies into them */
extern const fsr_prelude_piece fsr_prelude_filter[];   /* compacted stores */

/* Appends the pieces that `body` mentions, and those that they mention. */
void fsr_prelude_print(fsr_text *out, const char *body, bool host);
/* Appends the conversions fsr_<from>_to_<to> that `body` mentions. */
void fsr_prelude_casts(fsr_text *out, const char *body);

#endif

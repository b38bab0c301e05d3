/* SPDX-License-Identifier: MIT */
/* Structs that a program and the library pass by address, each with the size that the program's headers gave it.
 *
 * Such a struct may get fields, at its end, in a version that keeps the ABI; so the two may not agree on its size. The
 * library works on its own copy, of its own size:
 *     in   what the program's struct lacks is 0 (of fsr_config: what fsr_config_init gives); what it has beyond ours
 *          must be 0, since that would ask for what this library does not know
 *     out  what the program's struct lacks is not written; what it has beyond ours becomes 0
 * Counter-example to a copy without sizes: a library with one more counter in fsr_stats writes past the end of the
 * struct of every program that was built before. */
#ifndef FUSOR_GRAPH_SIZED_H
#define FUSOR_GRAPH_SIZED_H

#include "fusor/status.h"
#include <stddef.h>

/* Larger is no size of a struct, but a mistake. */
enum { FSR_SIZED_MOST = 4096 };

/* The program's struct into ours, of which every byte was set to what it has where the program has none. FSR_ERR_VALUE:
 * given is no size; FSR_ERR_UNSUPPORTED: it is larger, and not 0 there. */
fsr_status fsr_sized_in(void *ours, size_t have, const void *theirs, size_t given);
/* Ours into the program's. FSR_ERR_VALUE: given is no size, nothing is written. */
fsr_status fsr_sized_out(void *theirs, size_t given, const void *ours, size_t have);
/* What to say of such a status, after the struct's name: "the loop" "'s size is none". */
const char *fsr_sized_words(fsr_status status);

#endif

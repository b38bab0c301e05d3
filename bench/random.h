/* SPDX-License-Identifier: MIT */
/* Programs drawn at random and timed fused against unfused: --random. */
#ifndef FUSOR_BENCH_RANDOM_H
#define FUSOR_BENCH_RANDOM_H

#include "bench/bench.h"

/* The text of the seed's program, of matrices x and y of these extents, with two values: malloc'ed. NULL: out of
 * memory. */
char *bench_random_text(uint64_t seed, int64_t extent[2]);
/* Times so many programs, from the session's seed on. True if none lost. */
bool bench_random_run(bench_session *s, FILE *to);

#endif

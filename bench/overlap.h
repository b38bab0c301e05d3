/* SPDX-License-Identifier: MIT */
/* Computing beside copying: --overlap. */
#ifndef FUSOR_BENCH_OVERLAP_H
#define FUSOR_BENCH_OVERLAP_H

#include "bench/bench.h"

/* Times stream_overlap and prints it, with the times of each part; false if something failed. */
bool bench_overlap_run(bench_session *s, FILE *to);

#endif

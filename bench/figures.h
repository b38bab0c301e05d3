/* SPDX-License-Identifier: MIT */
/* What a report shows: rows of fusor-bench from one run or several, the machines they were measured on, and other
 * libraries' times. Numbers that are not there are NaN. Strings belong to the sources. */
#ifndef FUSOR_BENCH_FIGURES_H
#define FUSOR_BENCH_FIGURES_H

#include "bench/json.h"

typedef struct bench_machine {
    const char *backend, *device, *isa, *compiler, *driver, *version;
    const char *first, *last; /* dates of its rows */
    double threads;
} bench_machine;

typedef struct bench_figure {
    int machine;
    const char *workload, *dtype, *error; /* error: "" if it did not fail */
    bool verified;
    double n, fused_ms, unfused_ms, fused_kernels, unfused_kernels, bytes, operations, copy_gbs, first_ms, cached_ms,
        launch_us, max_error, error_bound;
} bench_figure;

typedef struct bench_peer {
    int machine;
    const char *workload, *name;
    double n, ms, first_ms; /* n: NaN if the file does not say it */
} bench_peer;

typedef struct bench_figures {
    bench_machine *machine;
    bench_figure *row;
    bench_peer *peer;
    bench_json **source;
    int nmachines, nrows, npeers, nsources;
    int current; /* the machine of the row read last: peers that follow are of it */
} bench_figures;

/* Adds what a file holds: the array that --json wrote, or that of bench/peers_cpu.py. Of equal rows (machine, workload,
 * dtype, n) the later one counts. Rows of one backend, device, isa, compiler, driver, version and number of threads are
 * of one machine; peers are of the machine of the rows read before. False with why: no JSON, or not such an array. */
bool bench_figures_add(bench_figures *to, const char *text, size_t size, char *why, size_t room);
void bench_figures_free(bench_figures *figures);

double bench_figure_gbs(const bench_figure *row);
/* Operations per byte that has to move. */
double bench_figure_intensity(const bench_figure *row);
/* The machine's workloads, each by its row of the largest n, in the order read: their indices in figures->row,
 * malloc'ed, *n of them. NULL: out of memory. */
int *bench_figures_largest(const bench_figures *figures, int machine, int *n);
/* Whether a peer's time belongs to the row: the same machine, workload and, if it is known, n. */
bool bench_peer_of(const bench_peer *peer, const bench_figure *row);

#endif

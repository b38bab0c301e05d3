/* SPDX-License-Identifier: MIT */
/* A kernel of generated CUDA on the host, at small awkward sizes, under several orders of blocks and threads, against
 * the interpreter of the loop IR; arrays stand between guards, and every order must give the same bits. The fast tier
 * has a third of the sweeps: every kernel under some schedule, every schedule with some kernel. */
#ifndef FUSOR_TESTS_HOST_CUDA_SWEEP_H
#define FUSOR_TESTS_HOST_CUDA_SWEEP_H

#include "tests/support/kernels.h"

typedef struct host_counts {
    int launches, failures;
    int sweeps; /* asked for */
    bool once;  /* one order will do */
} host_counts;

fsr_schedule host_schedule(fsr_schedule_kind kind, int threads, int abreast, int vector, int items);
fsr_schedule host_persistent(fsr_schedule s);
fsr_schedule host_wide(fsr_schedule s);

/* The usual sizes: around a warp, and around what a block or group takes at once. Takes the kernel. */
void host_sweep(host_counts *n, fsr_kernel *k, fsr_schedule s, int splits, double tolerance);
/* These sizes, rows and columns, up to the first failure. Takes the kernel. */
void host_sweep_sizes(host_counts *n, fsr_kernel *k, fsr_schedule schedule, int splits, double tolerance,
                      const int64_t (*size)[2], int sizes);
/* Fails the running test if a launch did. */
void host_finish(const host_counts *n);
/* For the end of a program: prints how much ran. */
int host_report(int failed);

#endif

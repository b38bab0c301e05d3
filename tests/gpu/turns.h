/* SPDX-License-Identifier: MIT */
/* Times of what is put on a stream, for tests that compare two ways in turn. Only where there is CUDA. */
#ifndef FUSOR_TESTS_GPU_TURNS_H
#define FUSOR_TESTS_GPU_TURNS_H

#include "tests/support/subject.h"
#include <cuda_runtime_api.h>
#include <stdlib.h>

/* Milliseconds of work(arg), of so many runs one behind the other. */
static double turns_time(cudaStream_t stream, int runs, void (*work)(void *arg), void *arg) {
    cudaEvent_t from, to;
    float ms = 0;
    assert_int_equal(cudaEventCreate(&from), cudaSuccess);
    assert_int_equal(cudaEventCreate(&to), cudaSuccess);
    cudaEventRecord(from, stream);
    for (int i = 0; i < runs; i++)
        work(arg);
    cudaEventRecord(to, stream);
    assert_int_equal(cudaEventSynchronize(to), cudaSuccess);
    assert_int_equal(cudaEventElapsedTime(&ms, from, to), cudaSuccess);
    cudaEventDestroy(from);
    cudaEventDestroy(to);
    return (double)ms / runs;
}

static int turns_order(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The least first, so that the median is in the middle. */
static void turns_sort(double *x, int n) {
    qsort(x, (size_t)n, sizeof *x, turns_order);
}

#endif

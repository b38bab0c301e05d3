/* SPDX-License-Identifier: MIT */
/* A program of tests/contracts, which is included behind this with SUBJECT_BACKEND the GPU's and its main renamed to
 * subject_program, over a driver that is none: no kernel loads what nobody wrote, but for WRITTEN_OUTSIDE loads at most
 * of what an index outside, which is told, is brought to: the last element of a capacity. */
#ifndef FUSOR_TESTS_TRUST_WRITTEN_PROGRAM_H
#define FUSOR_TESTS_TRUST_WRITTEN_PROGRAM_H

#include "tests/trust/fake_cuda.h"
#include "tests/trust/faults.h"
#include <stdio.h>
#include <stdlib.h>

int subject_program(void);

#ifdef FUSOR_HAVE_CUDA
#include "tests/host_cuda/host_cuda.h"
#include "tests/host_cuda/written.h"

/* The watch itself: of four elements, the first two written, a kernel that loads three loads one that nobody wrote. */
static int watch_fails(void) {
    static const char source[] = "extern \"C\" __global__ void three(const int *x, int *y)\n"
                                 "{\n"
                                 "    if (threadIdx.x < 3) y[threadIdx.x] = x[threadIdx.x];\n"
                                 "}\n";
    static int x[4], y[4];
    const int *from = x;
    int *to = y;
    fsr_fault fault = {FSR_OK, NULL};
    written_new(x, sizeof x);
    written_all(x, 2 * sizeof *x);
    if (host_cuda_run_text("three", source, (void *[]){&from, &to}, 1, 32, 1, &fault) || written_reads() != 1) {
        fprintf(stderr, "%s: %lld loads found, not 1\n", fault.message ? fault.message : "three",
                (long long)written_reads());
        return 1;
    }
    return 0;
}

int main(void) {
    if (!host_cuda_available() || !written_watch()) {
        printf("skipped: no gcc, or another sanitizer\n");
        return 77;
    }
    if (watch_fails())
        return 1;
    setenv("FUSOR_TEST_TIER", "fast", 0);
    fake_cuda_reset();
    fault_fake_nvrtc(true);
    const int status = subject_program();
    printf("%lld loads of what nobody wrote\n", (long long)written_reads() - 1);
    return status ? status : written_reads() > 1 + WRITTEN_OUTSIDE;
}
#else
int main(void) {
    printf("skipped: built without a CUDA toolkit's header\n");
    return 77;
}
#endif

#endif

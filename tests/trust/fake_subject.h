/* SPDX-License-Identifier: MIT */
/* A program of contracts as a GPU plans it, on a driver that is none (fake_cuda.h), its kernels run on the host: what
 * such a test includes before the program. Without a CUDA toolkit's header it is a program that skips. */
#ifndef FUSOR_TESTS_TRUST_FAKE_SUBJECT_H
#define FUSOR_TESTS_TRUST_FAKE_SUBJECT_H

#define SUBJECT_BACKEND FSR_BACKEND_CUDA
#include "tests/support/subject.h"
#include <stdio.h>

#ifndef FUSOR_HAVE_CUDA
int main(void) {
    printf("skipped: built without a CUDA toolkit's header\n");
    return 77;
}
#else
#include "tests/host_cuda/host_cuda.h"
#include "tests/trust/fake_cuda.h"
#include "tests/trust/faults.h"
#undef SUBJECT_MAIN
#define SUBJECT_MAIN(tests)                                                              \
    int main(void) {                                                                     \
        if (!host_cuda_available()) {                                                    \
            printf("skipped: no C++ compiler to run kernels on the host with\n");        \
            return 77;                                                                   \
        }                                                                                \
        fake_cuda_reset();                                                               \
        fake.devices = 1;                                                                \
        fault_fake_nvrtc(true);                                                          \
        int status = subject_begin(FSR_BACKEND_CUDA, sizeof(tests) / sizeof *(tests));   \
        return status ? status : subject_end(cmocka_run_group_tests(tests, NULL, NULL)); \
    }
#endif

#endif

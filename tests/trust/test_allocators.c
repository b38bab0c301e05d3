/* SPDX-License-Identifier: MIT */
/* tests/contracts/test_allocators.c with the memory of a device, on a driver that is none (fake_cuda.h). */
#include <stdio.h>

#ifndef FUSOR_HAVE_CUDA
int main(void) {
    printf("skipped: built without a CUDA toolkit's header\n");
    return 77;
}
#else
#define SUBJECT_BACKEND FSR_BACKEND_CUDA
#define SUBJECT_OWN_MAIN
#include "tests/contracts/test_allocators.c"
#include "tests/host_cuda/host_cuda.h"
#include "tests/trust/fake_cuda.h"
#include "tests/trust/faults.h"

int main(void) {
    if (!host_cuda_available()) {
        printf("skipped: no C++ compiler to run kernels on the host with\n");
        return 77;
    }
    fake_cuda_reset();
    fault_fake_nvrtc(true);
    int status = subject_begin(FSR_BACKEND_CUDA, COUNT_OF(tests));
    return status ? status : subject_end(cmocka_run_group_tests(tests, NULL, NULL));
}
#endif

/* SPDX-License-Identifier: MIT */
/* Counts of OpenBLAS' threads, asked and set as any other part of a program would. */
#include "tests/support/library_threads.h"
#include <dlfcn.h>

bool library_is_there(void) {
    void *library = dlopen("libopenblas.so.0", RTLD_NOW);
    if (library)
        dlclose(library);
    return library != NULL;
}

void library_threads_are_left(fsr_node (*work)(fsr_node x)) {
    enum { N = 32 };
    void *library = dlopen("libopenblas.so.0", RTLD_NOW);
    int (*threads)(void) = NULL;
    void (*set)(int) = NULL;
    if (!library)
        skip();
    *(void **)&threads = dlsym(library, "openblas_get_num_threads");
    *(void **)&set = dlsym(library, "openblas_set_num_threads");
    const int before = threads();
    for (int n = 1; n < 4; n += 2) {
        set(n);
        fsr_node x = fsr_add(fsr_from_host(subject_g, FSR_F64, 2, SHAPE(N, N), (double[N * N]){1}),
                             fsr_eye(subject_g, FSR_F64, N, N, 0));
        subject_ok(fsr_force(work(x)), "computing");
        assert_int_equal(threads(), n);
    }
    set(before);
    dlclose(library);
}

/* SPDX-License-Identifier: MIT */
/* Finding OpenBLAS. Nothing is kept here: the loader knows what is loaded, and a library that was not there a while ago is
 * found once it is. The reference BLAS is not looked for: its loops are slower than ours. */
#include "backend_cpu/run/blas.h"
#include <dlfcn.h>
#include <stddef.h>

static bool functions_of(fsr_blas *b) {
    const struct {
        const char *name;
        void *to;
    } wanted[] = {{"cblas_sgemm", &b->sgemm},
                  {"cblas_dgemm", &b->dgemm},
                  {"cblas_cgemm", &b->cgemm},
                  {"cblas_zgemm", &b->zgemm},
                  {"openblas_get_num_threads", &b->threads},
                  {"openblas_set_num_threads", &b->set_threads}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!(*(void **)wanted[i].to = dlsym(b->library, wanted[i].name)))
            return false;
    return true;
}

bool fsr_blas_find(fsr_blas *out) {
    static const char *const name[] = {"libopenblas.so.0", "libopenblas.so"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        *out = (fsr_blas){.library = dlopen(name[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)};
        if (!out->library)
            continue;
        dlclose(out->library); /* it stays, and so do its functions */
        if (functions_of(out))
            return true;
    }
    *out = (fsr_blas){NULL};
    return false;
}

/* SPDX-License-Identifier: MIT */
/* Finding OpenBLAS. Nothing is kept here: the loader knows what is loaded, and a library that was not there a while ago
 * is found once it is. The reference BLAS is not looked for: its loops are slower than ours. */
#include "backend_cpu/run/blas.h"
#include "runtime/shared_library.h"

bool fsr_blas_find(fsr_blas *out) {
    static const char *const file[] = {"libopenblas.so.0", "libopenblas.so", NULL};
    *out = (fsr_blas){NULL};
    const fsr_shared_function function[] = {{"cblas_sgemm", &out->sgemm},
                                            {"cblas_dgemm", &out->dgemm},
                                            {"cblas_cgemm", &out->cgemm},
                                            {"cblas_zgemm", &out->zgemm},
                                            {"openblas_get_num_threads", &out->threads},
                                            {"openblas_set_num_threads", &out->set_threads},
                                            {NULL, NULL}};
    out->library = fsr_shared_library_load(file, function, NULL, NULL);
    return out->library != NULL;
}

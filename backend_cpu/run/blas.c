/* SPDX-License-Identifier: MIT */
/* Finding OpenBLAS. Nothing is kept here: the loader knows what is loaded, and a library that was not there a while ago
 * is found once it is. The reference BLAS is not looked for: its loops are slower than ours.
 *
 * Nor is it loaded into a process whose limits leave no room for its buffers. It starts a thread for each processor as
 * soon as it is loaded, and each of them, and each thread that calls it, maps a buffer of up to 128 MiB, again and
 * again until the kernel grants it. Counter-example to loading it always: 32 processors, 4 GiB of address space: some
 * of its threads never get theirs, take all the time of their processors, and whoever waits for them (fork and exit do)
 * waits forever. */
#include "backend_cpu/run/blas.h"
#include "backend_cpu/run/machine.h"
#include "runtime/shared_library.h"

/* A buffer, a stack and what the C library reserves, for each of its threads and each that may call it. */
static bool has_room(void) {
    const int64_t each = INT64_C(160) << 20, room = fsr_machine_room();
    return room / each > 2 * (int64_t)fsr_machine_processors();
}

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
    if (!fsr_shared_library_loaded(file) && !has_room())
        return false;
    out->library = fsr_shared_library_load(file, function, NULL, NULL);
    return out->library != NULL;
}

/* SPDX-License-Identifier: MIT */
/* Loading cuSPARSE, and its handle. It is looked for once, as cuBLAS is. */
#ifdef FUSOR_HAVE_CUDA
#include "backend_cuda/cusparse.h"
#include "runtime/libraries.h"
#include "runtime/shared_library.h"
#include <string.h>

static void *load(fsr_cusparse *s) {
    static const char *const file[] = {FSR_CUDA_PLACES("libcusparse.so.12"), NULL};
#define FSR_CUSPARSE_FUNCTION(name, parameters) {"cusparse" #name, &s->name},
    const fsr_shared_function function[] = {FSR_CUSPARSE_LIST(FSR_CUSPARSE_FUNCTION){NULL, NULL}};
#undef FSR_CUSPARSE_FUNCTION
    return fsr_shared_library_load(file, function, NULL, NULL);
}

void fsr_cusparse_open(fsr_cusparse *s) {
    memset(s, 0, sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
}

void fsr_cusparse_close(fsr_cusparse *s) {
    if (s->handle)
        s->Destroy(s->handle);
    s->handle = NULL;
    pthread_mutex_destroy(&s->lock);
}

/* Looks for the library, once. */
static bool is_there(fsr_cusparse *s) {
    pthread_mutex_lock(&s->lock);
    if (!s->tried)
        s->library = load(s);
    s->tried = true;
    const bool has = s->library != NULL;
    pthread_mutex_unlock(&s->lock);
    return has;
}

fsr_status fsr_cusparse_fail(int status, const char *what, fsr_fault *fault) {
    static const char *const word[] = {[1] = "not initialized",
                                       [2] = "allocation failed",
                                       [3] = "invalid value",
                                       [4] = "arch mismatch",
                                       [5] = "mapping error",
                                       [6] = "execution failed",
                                       [7] = "internal error",
                                       [8] = "matrix type not supported",
                                       [9] = "zero pivot",
                                       [10] = "not supported",
                                       [11] = "insufficient resources"};
    const bool known = status > 0 && status <= 11;
    const fsr_status is = status == 2 || status == 11   ? FSR_ERR_DEVICE_MEMORY
                          : status == 8 || status == 10 ? FSR_ERR_UNSUPPORTED
                                                        : FSR_ERR_DEVICE;
    return fsr_fault_set(fault, is, "library call sparse: %s gave status %d%s%s", what, status, known ? ", " : "",
                         known ? word[status] : "");
}

fsr_status fsr_cusparse_use(fsr_cusparse *s, cudaStream_t stream, fsr_fault *fault) {
    if (!is_there(s))
        return fsr_fault_set(
            fault, FSR_ERR_UNSUPPORTED,
            "library call sparse: there is no libcusparse.so.12 for a GPU; the CPU backend solves triangles");
    if (!s->handle) {
        void *handle = NULL;
        const int made = s->Create(&handle);
        if (made)
            return fsr_cusparse_fail(made, "cusparseCreate", fault);
        s->handle = handle;
    }
    const int status = s->SetStream(s->handle, stream);
    return status ? fsr_cusparse_fail(status, "cusparseSetStream", fault) : FSR_OK;
}
#endif

/* SPDX-License-Identifier: MIT */
/* cuBLAS and its handle. A library that was not there when it was first looked for is not looked for again: its search
 * takes longer than a small plan. */
#ifdef FUSOR_HAVE_CUDA
#include "backend_cuda/cublas.h"
#include "runtime/libraries.h"
#include "runtime/shared_library.h"
#include <string.h>

static void *load(fsr_cublas *b) {
    static const char *const file[] = {FSR_CUDA_PLACES("libcublas.so.13"), FSR_CUDA_PLACES("libcublas.so.12"), NULL};
#define FSR_CUBLAS_FUNCTION(name, parameters) {"cublas" #name, &b->name},
    const fsr_shared_function function[] = {FSR_CUBLAS_LIST(FSR_CUBLAS_FUNCTION){NULL, NULL}};
#undef FSR_CUBLAS_FUNCTION
    return fsr_shared_library_load(file, function, NULL, NULL);
}

void fsr_cublas_open(fsr_cublas *b) {
    memset(b, 0, sizeof *b);
    pthread_mutex_init(&b->lock, NULL);
}

void fsr_cublas_close(fsr_cublas *b) {
    if (b->handle)
        b->Destroy_v2(b->handle);
    b->handle = NULL;
    pthread_mutex_destroy(&b->lock);
}

bool fsr_cublas_has(fsr_cublas *b) {
    pthread_mutex_lock(&b->lock);
    if (!b->tried)
        b->library = load(b);
    b->tried = true;
    const bool has = b->library != NULL;
    pthread_mutex_unlock(&b->lock);
    return has;
}

fsr_status fsr_cublas_fail(int status, const char *call, const char *what, fsr_fault *fault) {
    static const char *const word[] = {[1] = "not initialized", [3] = "out of memory",  [7] = "invalid value",
                                       [8] = "arch mismatch",   [11] = "mapping error", [13] = "execution failed",
                                       [14] = "internal error", [15] = "not supported", [16] = "license error"};
    const bool known = status > 0 && status <= 16 && word[status];
    const fsr_status is = status == 3 ? FSR_ERR_DEVICE_MEMORY : status == 15 ? FSR_ERR_UNSUPPORTED : FSR_ERR_DEVICE;
    return fsr_fault_set(fault, is, "library call %s: %s gave status %d%s%s", call, what, status, known ? ", " : "",
                         known ? word[status] : "");
}

fsr_status fsr_cublas_use(fsr_cublas *b, const char *call, cudaStream_t stream, fsr_fault *fault) {
    int status;
    if (!fsr_cublas_has(b))
        return fsr_fault_set(fault, FSR_ERR_UNSUPPORTED,
                             "library call %s: there is no libcublas.so.13 or .12 with cublasGemmStridedBatchedEx_64",
                             call);
    if (!b->handle) {
        void *handle = NULL;
        status = b->Create_v2(&handle);
        if (status)
            return fsr_cublas_fail(status, call, "cublasCreate", fault);
        status = b->SetMathMode(handle, FSR_CUBLAS_NO_REDUCED_SUMS);
        if (status) {
            b->Destroy_v2(handle);
            return fsr_cublas_fail(status, call, "cublasSetMathMode", fault);
        }
        b->handle = handle;
    }
    status = b->SetStream_v2(b->handle, stream);
    return status ? fsr_cublas_fail(status, call, "cublasSetStream", fault) : FSR_OK;
}
#endif

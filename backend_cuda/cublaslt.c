/* SPDX-License-Identifier: MIT */
/* Loading cuBLASLt, and its handle. It is looked for once, as cuBLAS is. */
#ifdef FUSOR_HAVE_CUDA
#include "backend_cuda/cublaslt.h"
#include "backend_cuda/cublas.h"
#include "runtime/libraries.h"
#include "runtime/shared_library.h"
#include <string.h>

static const char call[] = "matmul_epilogue";

static void *load(fsr_cublaslt *t) {
    static const char *const file[] = {FSR_CUDA_PLACES("libcublasLt.so.13"), FSR_CUDA_PLACES("libcublasLt.so.12"),
                                       NULL};
#define FSR_CUBLASLT_FUNCTION(name, parameters) {"cublasLt" #name, &t->name},
    const fsr_shared_function function[] = {FSR_CUBLASLT_LIST(FSR_CUBLASLT_FUNCTION){NULL, NULL}};
#undef FSR_CUBLASLT_FUNCTION
    return fsr_shared_library_load(file, function, NULL, NULL);
}

void fsr_cublaslt_open(fsr_cublaslt *t) {
    memset(t, 0, sizeof *t);
    pthread_mutex_init(&t->lock, NULL);
}

void fsr_cublaslt_close(fsr_cublaslt *t) {
    if (t->handle)
        t->Destroy(t->handle);
    t->handle = NULL;
    pthread_mutex_destroy(&t->lock);
}

bool fsr_cublaslt_has(fsr_cublaslt *t) {
    pthread_mutex_lock(&t->lock);
    if (!t->tried)
        t->library = load(t);
    t->tried = true;
    const bool has = t->library != NULL;
    pthread_mutex_unlock(&t->lock);
    return has;
}

fsr_status fsr_cublaslt_fail(int status, const char *what, fsr_fault *fault) {
    return fsr_cublas_fail(status, call, what, fault);
}

fsr_status fsr_cublaslt_use(fsr_cublaslt *t, fsr_fault *fault) {
    void *handle = NULL;
    if (!fsr_cublaslt_has(t))
        return fsr_fault_set(fault, FSR_ERR_UNSUPPORTED, "library call %s: there is no libcublasLt.so.13 or .12", call);
    if (t->handle)
        return FSR_OK;
    const int status = t->Create(&handle);
    if (status)
        return fsr_cublaslt_fail(status, "cublasLtCreate", fault);
    t->handle = handle;
    return FSR_OK;
}
#endif

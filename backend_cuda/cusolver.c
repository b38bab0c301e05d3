/* SPDX-License-Identifier: MIT */
/* Loading cuSOLVER, and its handle. It is looked for once, as cuBLAS is; without cuBLAS' batched functions it solves
 * systems one by one. */
#ifdef FUSOR_HAVE_CUDA
#include "backend_cuda/cusolver.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const char *const library_name[] = {
    "libcusolver.so.12", "/usr/local/cuda/lib64/libcusolver.so.12", "/opt/cuda/lib64/libcusolver.so.12",
    "libcusolver.so.11", "/usr/local/cuda/lib64/libcusolver.so.11", "/opt/cuda/lib64/libcusolver.so.11",
};
static const char letter[] = "SDCZ";

/* "cusolverDn" or "cublas", the letter, the rest. */
static void *typed(void *library, const char *begin, int i, const char *rest) {
    char name[64];
    snprintf(name, sizeof name, "%s%c%s", begin, letter[i], rest);
    return dlsym(library, name);
}

static bool typed_functions(fsr_cusolver *s) {
    bool whole = true;
    for (int i = 0; i < FSR_CUSOLVER_LETTERS; i++) {
        *(void **)&s->orgqr_room[i] =
            typed(s->library, "cusolverDn", i, i < 2 ? "orgqr_bufferSize" : "ungqr_bufferSize");
        *(void **)&s->orgqr[i] = typed(s->library, "cusolverDn", i, i < 2 ? "orgqr" : "ungqr");
        *(void **)&s->potrf_batched[i] = typed(s->library, "cusolverDn", i, "potrfBatched");
        whole = whole && s->orgqr_room[i] && s->orgqr[i] && s->potrf_batched[i];
    }
    return whole;
}

static bool load(fsr_cusolver *s, const char *name) {
    s->library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!s->library)
        return false;
#define FSR_CUSOLVER_LOAD(name, parameters) *(void **)&s->name = dlsym(s->library, "cusolverDn" #name);
    FSR_CUSOLVER_LIST(FSR_CUSOLVER_LOAD)
    FSR_CUSOLVER_NEW_LIST(FSR_CUSOLVER_LOAD)
#undef FSR_CUSOLVER_LOAD
    bool whole = typed_functions(s);
#define FSR_CUSOLVER_THERE(name, parameters) whole = whole && s->name;
    FSR_CUSOLVER_LIST(FSR_CUSOLVER_THERE)
#undef FSR_CUSOLVER_THERE
    dlclose(s->library); /* it stays until the process ends */
    if (!whole)
        s->library = NULL;
    return whole;
}

static void find(fsr_cusolver *s, fsr_cublas *blas) {
    s->tried = true;
    for (size_t i = 0; i < sizeof library_name / sizeof *library_name && !s->library; i++)
        load(s, library_name[i]);
    for (int i = 0; i < FSR_CUSOLVER_LETTERS && s->library && fsr_cublas_has(blas); i++) {
        *(void **)&s->getrf_batched[i] = typed(blas->library, "cublas", i, "getrfBatched");
        *(void **)&s->getrs_batched[i] = typed(blas->library, "cublas", i, "getrsBatched");
    }
}

void fsr_cusolver_close(fsr_cusolver *s) {
    if (s->handle) {
        s->DestroyParams(s->params);
        s->Destroy(s->handle);
    }
    s->handle = NULL;
}

fsr_status fsr_cusolver_fail(int status, const char *what, fsr_fault *fault) {
    static const char *const word[] = {
        [1] = "not initialized", [2] = "allocation failed", [3] = "invalid value",  [4] = "arch mismatch",
        [5] = "mapping error",   [6] = "execution failed",  [7] = "internal error", [9] = "not supported"};
    const bool known = status > 0 && status <= 9 && word[status];
    const fsr_status is = status == 2 ? FSR_ERR_DEVICE_MEMORY : status == 9 ? FSR_ERR_UNSUPPORTED : FSR_ERR_DEVICE;
    return fsr_fault_set(fault, is, "library call linalg: %s gave status %d%s%s", what, status, known ? ", " : "",
                         known ? word[status] : "");
}

static fsr_status make(fsr_cusolver *s, fsr_fault *fault) {
    void *handle = NULL, *params = NULL;
    int status = s->Create(&handle);
    if (status)
        return fsr_cusolver_fail(status, "cusolverDnCreate", fault);
    status = s->CreateParams(&params);
    if (status) {
        s->Destroy(handle);
        return fsr_cusolver_fail(status, "cusolverDnCreateParams", fault);
    }
    s->handle = handle;
    s->params = params;
    return FSR_OK;
}

fsr_status fsr_cusolver_use(fsr_cusolver *s, fsr_cublas *blas, cudaStream_t stream, fsr_fault *fault) {
    if (!s->tried)
        find(s, blas);
    if (!s->library)
        return fsr_fault_set(
            fault, FSR_ERR_UNSUPPORTED,
            "library call linalg: there is no libcusolver.so.12 or .11 for a GPU; the CPU backend solves it");
    const fsr_status made = s->handle ? FSR_OK : make(s, fault);
    if (made)
        return made;
    const int status = s->SetStream(s->handle, stream);
    return status ? fsr_cusolver_fail(status, "cusolverDnSetStream", fault) : FSR_OK;
}
#endif

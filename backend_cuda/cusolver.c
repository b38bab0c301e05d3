/* SPDX-License-Identifier: MIT */
/* Loading cuSOLVER, and its handle. It is looked for once, as cuBLAS is; without cuBLAS' batched functions it solves
 * systems one by one. */
#ifdef FUSOR_HAVE_CUDA
#include "backend_cuda/cusolver.h"
#include "runtime/libraries.h"
#include "runtime/shared_library.h"
#include <dlfcn.h>
#include <stdio.h>

/* What each dtype has a function of. */
#define OF_DTYPE(s, i, letter, orgqr_name)                               \
    {"cusolverDn" letter orgqr_name "_bufferSize", &(s)->orgqr_room[i]}, \
        {"cusolverDn" letter orgqr_name, &(s)->orgqr[i]}, {              \
        "cusolverDn" letter "potrfBatched", &(s)->potrf_batched[i]       \
    }

static void *load(fsr_cusolver *s) {
    static const char *const file[] = {FSR_CUDA_PLACES("libcusolver.so.12"), FSR_CUDA_PLACES("libcusolver.so.11"),
                                       NULL};
#define FSR_CUSOLVER_FUNCTION(name, parameters) {"cusolverDn" #name, &s->name},
    const fsr_shared_function function[] = {FSR_CUSOLVER_LIST(FSR_CUSOLVER_FUNCTION) OF_DTYPE(s, 0, "S", "orgqr"),
                                            OF_DTYPE(s, 1, "D", "orgqr"),
                                            OF_DTYPE(s, 2, "C", "ungqr"),
                                            OF_DTYPE(s, 3, "Z", "ungqr"),
                                            {NULL, NULL}};
#undef FSR_CUSOLVER_FUNCTION
    return fsr_shared_library_load(file, function, NULL, NULL);
}

/* What may be there besides: newer functions, and cuBLAS' batched ones. */
static void find(fsr_cusolver *s, fsr_cublas *blas) {
    static const char letter[] = "SDCZ";
    s->tried = true;
    s->library = load(s);
#define FSR_CUSOLVER_NEW(name, parameters) \
    *(void **)&s->name = s->library ? dlsym(s->library, "cusolverDn" #name) : NULL;
    FSR_CUSOLVER_NEW_LIST(FSR_CUSOLVER_NEW)
#undef FSR_CUSOLVER_NEW
    *(void **)&s->CreateGesvdjInfo = s->library ? dlsym(s->library, "cusolverDnCreateGesvdjInfo") : NULL;
    *(void **)&s->DestroyGesvdjInfo = s->library ? dlsym(s->library, "cusolverDnDestroyGesvdjInfo") : NULL;
    for (int i = 0; i < FSR_CUSOLVER_LETTERS && s->library; i++) {
        char name[2][48];
        snprintf(name[0], sizeof name[0], "cusolverDn%cgesvdjBatched_bufferSize", letter[i]);
        snprintf(name[1], sizeof name[1], "cusolverDn%cgesvdjBatched", letter[i]);
        *(void **)&s->gesvdj_room[i] = dlsym(s->library, name[0]);
        *(void **)&s->gesvdj[i] = dlsym(s->library, name[1]);
    }
    for (int i = 0; i < FSR_CUSOLVER_LETTERS && s->library && fsr_cublas_has(blas); i++) {
        char name[2][32];
        snprintf(name[0], sizeof name[0], "cublas%cgetrfBatched", letter[i]);
        snprintf(name[1], sizeof name[1], "cublas%cgetrsBatched", letter[i]);
        *(void **)&s->getrf_batched[i] = dlsym(blas->library, name[0]);
        *(void **)&s->getrs_batched[i] = dlsym(blas->library, name[1]);
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

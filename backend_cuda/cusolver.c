/* SPDX-License-Identifier: MIT */
/* Loading cuSOLVER, and its handle. It is looked for once, as cuBLAS is; without cuBLAS' batched functions it solves
 * systems one by one. */
#ifdef FUSOR_HAVE_CUDA
#include "backend_cuda/cusolver.h"
#include "runtime/libraries.h"
#include "runtime/shared_library.h"
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum {
#define COUNT(field, library, real, complex) OF_##field,
    FSR_CUSOLVER_LETTER_LIST(COUNT) LETTER_FUNCTIONS
#undef COUNT
};

typedef struct letter_row {
    const char *library, *name[2]; /* of S and D, and of C and Z */
    size_t at;                     /* of the first of the letters' functions */
} letter_row;

#define LETTER_ROW(field, library, real, complex) {library, {real, complex}, offsetof(fsr_cusolver, field)},
static const letter_row needed[] = {FSR_CUSOLVER_LETTER_LIST(LETTER_ROW)};
static const letter_row wanted[] = {FSR_CUSOLVER_LETTER_NEW_LIST(LETTER_ROW)};
#undef LETTER_ROW

/* The function of letter i and where its address goes; name: bytes for it. */
static fsr_shared_function of_letter(fsr_cusolver *s, const letter_row *row, int i, char name[48]) {
    snprintf(name, 48, "%s%c%s", row->library, FSR_CUSOLVER_LETTERS_ARE[i], row->name[i / 2]);
    return (fsr_shared_function){name, (char *)s + row->at + (size_t)i * sizeof(void *)};
}

static void *load(fsr_cusolver *s) {
    static const char *const file[] = {FSR_CUDA_PLACES("libcusolver.so.12"), FSR_CUDA_PLACES("libcusolver.so.11"),
                                       NULL};
#define FSR_CUSOLVER_FUNCTION(name, parameters) {"cusolverDn" #name, &s->name},
    const fsr_shared_function fixed[] = {FSR_CUSOLVER_LIST(FSR_CUSOLVER_FUNCTION)};
#undef FSR_CUSOLVER_FUNCTION
    enum { FIXED = sizeof fixed / sizeof *fixed };
    fsr_shared_function function[FIXED + FSR_CUSOLVER_LETTERS * LETTER_FUNCTIONS + 1];
    char name[FSR_CUSOLVER_LETTERS * LETTER_FUNCTIONS][48];
    int n = FIXED;
    memcpy(function, fixed, sizeof fixed);
    for (int k = 0; k < FSR_CUSOLVER_LETTERS * LETTER_FUNCTIONS; k++)
        function[n++] = of_letter(s, &needed[k / FSR_CUSOLVER_LETTERS], k % FSR_CUSOLVER_LETTERS, name[k]);
    function[n] = (fsr_shared_function){NULL, NULL};
    return fsr_shared_library_load(file, function, NULL, NULL);
}

/* What may be there besides: newer functions, and cuBLAS' batched ones. */
static void find(fsr_cusolver *s, fsr_cublas *blas) {
    s->tried = true;
    s->library = load(s);
#define FSR_CUSOLVER_NEW(name, parameters) \
    *(void **)&s->name = s->library ? dlsym(s->library, "cusolverDn" #name) : NULL;
    FSR_CUSOLVER_NEW_LIST(FSR_CUSOLVER_NEW)
#undef FSR_CUSOLVER_NEW
    *(void **)&s->CreateGesvdjInfo = s->library ? dlsym(s->library, "cusolverDnCreateGesvdjInfo") : NULL;
    *(void **)&s->DestroyGesvdjInfo = s->library ? dlsym(s->library, "cusolverDnDestroyGesvdjInfo") : NULL;
    for (size_t r = 0; s->library && r < sizeof wanted / sizeof *wanted; r++) {
        const bool of_blas = strcmp(wanted[r].library, "cublas") == 0;
        for (int i = 0; i < FSR_CUSOLVER_LETTERS && (!of_blas || fsr_cublas_has(blas)); i++) {
            char name[48];
            const fsr_shared_function function = of_letter(s, &wanted[r], i, name);
            *(void **)function.to = dlsym(of_blas ? blas->library : s->library, name);
        }
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

/* SPDX-License-Identifier: MIT */
/* cuFFT and its plans. Counter-example to a plan for each call: making one takes longer than most transforms. Plans
 * have memory of their own, and a program of many lengths would keep much that nobody uses: those used longest ago go
 * when there are too many, when they hold too much together, and all when a new one finds no memory. cufftDestroy waits
 * for the work of its plan. */
#ifdef FUSOR_HAVE_CUDA
#include "backend_cuda/cufft.h"
#include "runtime/libraries.h"
#include "runtime/shared_library.h"
#include <string.h>

static void *load(fsr_cufft *f) {
    static const char *const file[] = {FSR_CUDA_PLACES("libcufft.so.12"), FSR_CUDA_PLACES("libcufft.so.11"), NULL};
#define FSR_CUFFT_FUNCTION(name, parameters) {"cufft" #name, &f->name},
    const fsr_shared_function function[] = {FSR_CUFFT_LIST(FSR_CUFFT_FUNCTION){NULL, NULL}};
#undef FSR_CUFFT_FUNCTION
    return fsr_shared_library_load(file, function, NULL, NULL);
}

static void drop(fsr_cufft *f, int i) {
    f->Destroy(f->plan[i].handle);
    f->bytes -= f->plan[i].bytes;
    memmove(&f->plan[i], &f->plan[i + 1], sizeof f->plan[0] * (size_t)(f->nplans - i - 1));
    f->nplans--;
}

void fsr_cufft_close(fsr_cufft *f) {
    while (f->nplans)
        drop(f, f->nplans - 1);
}

/* Plan i was used last. */
static void to_the_end(fsr_cufft *f, int i) {
    const fsr_cufft_plan found = f->plan[i];
    memmove(&f->plan[i], &f->plan[i + 1], sizeof f->plan[0] * (size_t)(f->nplans - i - 1));
    f->plan[f->nplans - 1] = found;
}

static int place_of(const fsr_cufft *f, int64_t number) {
    int i = f->nplans - 1;
    while (i >= 0 && f->plan[i].number != number)
        i--;
    return i;
}

void fsr_cufft_note(const fsr_cufft *f, fsr_cufft_recorded *r) {
    const int64_t number = f->plan[f->nplans - 1].number;
    bool there = false;
    for (int i = 0; i < r->n; i++)
        there = there || r->number[i] == number;
    if (!there)
        r->number[r->n++] = number;
}

bool fsr_cufft_stands(const fsr_cufft *f, const fsr_cufft_recorded *r) {
    bool all = true;
    for (int i = 0; i < r->n; i++)
        all = all && place_of(f, r->number[i]) >= 0;
    return all;
}

void fsr_cufft_touch(fsr_cufft *f, const fsr_cufft_recorded *r) {
    for (int i = 0; i < r->n; i++)
        to_the_end(f, place_of(f, r->number[i]));
}

fsr_status fsr_cufft_fail(int status, const char *what, fsr_fault *fault) {
    const fsr_status is = status == FSR_CUFFT_NO_MEMORY ? FSR_ERR_DEVICE_MEMORY
                          : status == 16                ? FSR_ERR_UNSUPPORTED
                                                        : FSR_ERR_DEVICE;
    return fsr_fault_set(fault, is, "library call fft: %s gave status %d%s", what, status,
                         status == FSR_CUFFT_NO_MEMORY ? ", allocation failed" : "");
}

/* Fills handle and bytes; *what: the function that failed. */
static int create(fsr_cufft *f, fsr_cufft_plan *made, const char **what) {
    long long n = made->n;
    *what = "cufftCreate";
    int status = f->Create(&made->handle);
    if (status)
        return status;
    *what = "cufftMakePlanMany64";
    status = f->MakePlanMany64(made->handle, 1, &n, NULL, 1, 0, NULL, 1, 0, made->type, made->rows, &made->bytes);
    if (status)
        f->Destroy(made->handle);
    return status;
}

static fsr_status make(fsr_cufft *f, const fsr_cufft_plan *wanted, fsr_fault *fault) {
    fsr_cufft_plan made = *wanted;
    const char *what;
    int status = create(f, &made, &what);
    if (status == FSR_CUFFT_NO_MEMORY && f->nplans) {
        fsr_cufft_close(f);
        status = create(f, &made, &what);
    }
    if (status)
        return fsr_cufft_fail(status, what, fault);
    while (f->nplans && (f->nplans == FSR_CUFFT_PLANS || f->bytes + made.bytes > FSR_CUFFT_BYTES))
        drop(f, 0);
    f->bytes += made.bytes;
    made.number = ++f->made;
    f->plan[f->nplans++] = made;
    return FSR_OK;
}

fsr_status fsr_cufft_use(fsr_cufft *f, int type, int64_t n, int64_t rows, cudaStream_t stream, bool recorded,
                         int *handle, fsr_fault *fault) {
    const fsr_cufft_plan wanted = {.n = n, .rows = rows, .type = type};
    if (!f->tried)
        f->library = load(f);
    f->tried = true;
    if (!f->library)
        return fsr_fault_set(
            fault, FSR_ERR_UNSUPPORTED,
            "library call fft: there is no libcufft.so.12 or .11 for a GPU; the CPU backend transforms");
    int i = f->nplans - 1;
    while (i >= 0 && (f->plan[i].n != n || f->plan[i].rows != rows || f->plan[i].type != type))
        i--;
    if (i < 0 && recorded)
        return fsr_fault_set(fault, FSR_ERR_UNSUPPORTED, "library call fft: there is no plan of it to be recorded");
    if (i < 0) {
        const fsr_status status = make(f, &wanted, fault);
        if (status)
            return status;
    } else {
        to_the_end(f, i);
    }
    *handle = f->plan[f->nplans - 1].handle;
    const int status = f->SetStream(*handle, stream);
    return status ? fsr_cufft_fail(status, "cufftSetStream", fault) : FSR_OK;
}
#endif

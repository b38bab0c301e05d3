/* SPDX-License-Identifier: MIT */
/* The library call "curand" on a GPU. Making a generator allocates, and waits for the device, so one of each kind is
 * kept; one that a call has failed with is destroyed, since nobody knows what state it is in. */
#ifdef FUSOR_HAVE_CUDA
#include "backend_cuda/curand.h"
#include "backend_cuda/library.h"
#include "backend_cuda/rooms.h"
#include "graph/shape.h"

static void drop(fsr_curand_kept *k, int kind) {
    if (k->generator[kind])
        k->library.DestroyGenerator(k->generator[kind]);
    k->generator[kind] = NULL;
}

void fsr_curand_close(fsr_curand_kept *k) {
    for (int kind = 0; kind < FSR_GENERATORS; kind++)
        drop(k, kind);
}

/* The kind's generator, which needs memory of the device's own. */
static fsr_status make(fsr_curand_kept *k, fsr_generator kind, fsr_fault *fault) {
    void *made = NULL;
    const fsr_status status = fsr_curand_create(&k->library, kind, &made, fault);
    if (!status)
        k->generator[kind] = made;
    return status;
}

static fsr_status fill(fsr_cuda *c, const fsr_library_call *call, void *array, cudaStream_t stream, fsr_fault *fault) {
    const fsr_library_array *out = &call->array[0];
    const fsr_generator kind = fsr_sequence_generator(call->called);
    fsr_curand_kept *k = &c->curand;
    fsr_status status = k->generator[kind] ? FSR_OK : make(k, kind, fault);
    if (status)
        return status;
    status = fsr_curand_told(&k->library, k->library.SetStream(k->generator[kind], stream), "curandSetStream", fault);
    if (!status)
        status = fsr_curand_fill(&k->library, k->generator[kind], call->called, out->dtype, fsr_shape_size(&out->shape),
                                 array, fault);
    if (status)
        drop(k, kind);
    return status;
}

fsr_status fsr_cuda_curand(fsr_cuda *c, const fsr_library_call *call, void *const *array, void *work,
                           cudaStream_t stream, fsr_fault *fault) {
    (void)work;
    fsr_status status = fsr_curand_load(&c->curand.library, fault);
    if (!status)
        status = fill(c, call, array[0], stream, fault);
    return fsr_rooms_trim(c, status, fault) ? fill(c, call, array[0], stream, fault) : status;
}
#endif

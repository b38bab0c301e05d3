/* SPDX-License-Identifier: MIT */
/* The library call "linalg" on a CPU: LAPACK's functions where the machine's OpenBLAS has them, plain loops else. Small
 * matrices are shared among threads, each with a room of its own; large ones come one after the other, and LAPACK
 * has the threads. */
#include "backend_cpu/run/linalg.h"
#include "backend_cpu/run/library.h"
#include "fusion/linalg.h"
#include "graph/size.h"
#include <stdatomic.h>

enum { SMALL_WORK = 1 << 14 /* steps that wake nobody */ };

typedef struct job {
    fsr_linalg l;
    fsr_linalg_fn *plain;
    const fsr_lapack *lapack; /* NULL: there is none */
    const char *a, *b;
    char *out[FSR_LINALG_RESULTS], *room;
    int32_t *status; /* NULL: nobody reads it */
    fsr_simd simd;
    int64_t bytes[FSR_LINALG_RESULTS], element, room_bytes, each;
    atomic_llong next;
    atomic_int parts;
} job;

static void one(const job *j, int64_t i, char *room) {
    const fsr_linalg *l = &j->l;
    fsr_linalg_one o = {.l = l,
                        .a = j->a + i * l->rows * l->cols * j->element,
                        .b = j->b ? j->b + i * l->more * l->cols * j->element : NULL,
                        .room = room,
                        .simd = j->simd};
    for (int k = 0; k < l->nresults; k++)
        o.out[k] = j->out[k] ? j->out[k] + i * l->slot * j->bytes[k] : NULL;
    const bool solved = j->lapack ? fsr_lapack_run(j->lapack, &o) : j->plain(&o);
    if (j->status)
        j->status[i * l->slot] = !solved;
}

static void matrices(void *arg, int worker) {
    job *j = arg;
    const int part = atomic_fetch_add(&j->parts, 1);
    int64_t low;
    (void)worker;
    if (part >= fsr_linalg_parts(&j->l))
        return;
    while ((low = atomic_fetch_add(&j->next, j->each)) < j->l.count)
        for (int64_t i = low; i < j->l.count && i < low + j->each; i++)
            one(j, i, j->room + part * j->room_bytes);
}

fsr_status fsr_cpu_linalg(const fsr_crew *crew, const fsr_library_call *call, void *const *array, void *work,
                          fsr_fault *fault) {
    static fsr_linalg_fn *const plain[FSR_DTYPE_COUNT] = {[FSR_F32] = fsr_linalg_plain_f32,
                                                          [FSR_F64] = fsr_linalg_plain_f64,
                                                          [FSR_C64] = fsr_linalg_plain_c64,
                                                          [FSR_C128] = fsr_linalg_plain_c128};
    const fsr_dtype dtype = call->array[0].dtype;
    job j = {
        .plain = plain[dtype], .a = array[0], .b = call->nin > 1 ? array[1] : NULL, .room = work, .simd = crew->simd};
    fsr_lapack lapack;
    int before = 0; /* the library's threads, which are the process's */
    (void)fault;
    fsr_linalg_of(&j.l, call->called, &call->array[0].shape, &call->array[1].shape);
    const int64_t n = j.l.cols, steps = fsr_size_mul(n, fsr_size_mul(n, j.l.rows));
    const bool shared = crew->threads && fsr_linalg_parts(&j.l) > 1 && fsr_size_mul(steps, j.l.count) > SMALL_WORK;
    j.element = (int64_t)fsr_dtype_size(dtype);
    j.room_bytes = fsr_round_up(fsr_linalg_room(&j.l) * j.element, 256);
    j.each = steps < SMALL_WORK ? SMALL_WORK / steps : 1;
    for (int k = 0; k < j.l.nresults; k++) {
        j.out[k] = array[call->nin + k];
        j.bytes[k] = (int64_t)fsr_dtype_size(call->array[call->nin + k].dtype);
    }
    j.status = array[call->nin + j.l.nresults];
    if (fsr_lapack_fits(&j.l) && fsr_lapack_find(&lapack, dtype)) {
        before = lapack.threads();
        lapack.set_threads(shared || !crew->threads ? 1 : fsr_thread_pool_size(crew->threads));
        j.lapack = &lapack;
    }
    atomic_init(&j.next, 0);
    atomic_init(&j.parts, 0);
    if (shared)
        fsr_thread_pool_run(crew->threads, matrices, &j);
    else
        matrices(&j, 0);
    if (j.lapack)
        lapack.set_threads(before);
    return FSR_OK;
}

/* SPDX-License-Identifier: MIT */
/* The library call "fft" on a CPU: rows are shared among threads, each with buffers of its own in the workspace, where
 * some go side by side; tables of roots are made anew by each call. What a row becomes is a function of its elements
 * and their number alone. */
#include "backend_cpu/run/fft.h"
#include "backend_cpu/run/library.h"
#include "graph/shape.h"
#include "graph/size.h"
#include <stdatomic.h>

enum { SMALL_WORK = 1 << 13 /* elements that wake nobody */ };

typedef struct job {
    fsr_fft fft;
    fsr_simd simd;
    bool wide;
    fsr_fft_rows rows; /* all */
    char *tables, *buffers;
    int64_t rows_each, part_bytes;
    atomic_llong next;
    atomic_int parts;
} job;

static void transform_rows(void *arg, int worker) {
    job *j = arg;
    const int part = atomic_fetch_add(&j->parts, 1);
    int64_t low;
    (void)worker;
    if (part >= fsr_fft_parts(j->rows.n))
        return;
    char *buffer = j->buffers + part * j->part_bytes;
    while ((low = atomic_fetch_add(&j->next, j->rows_each)) < j->rows.n) {
        fsr_fft_rows rows = j->rows;
        rows.in += low * rows.in_bytes;
        rows.out += low * rows.out_bytes;
        rows.n = rows.n - low < j->rows_each ? rows.n - low : j->rows_each;
        (j->wide ? fsr_fft_rows_f64 : fsr_fft_rows_f32)(&j->fft, j->simd, j->tables, buffer, &rows);
    }
}

fsr_status fsr_cpu_fft(const fsr_crew *crew, const fsr_library_call *call, void *const *array, void *work,
                       fsr_fault *fault) {
    const fsr_library_array *in = &call->array[0], *out = &call->array[1];
    const int64_t in_cols = in->shape.dim[in->shape.ndim - 1], out_cols = out->shape.dim[out->shape.ndim - 1];
    job j = {.simd = crew->simd,
             .wide = in->dtype == FSR_F64 || in->dtype == FSR_C128,
             .rows = {.in = array[0],
                      .out = array[1],
                      .in_bytes = in_cols * (int64_t)fsr_dtype_size(in->dtype),
                      .out_bytes = out_cols * (int64_t)fsr_dtype_size(out->dtype),
                      .n = fsr_shape_size(&in->shape) / in_cols},
             .tables = work};
    const int64_t point = j.wide ? 16 : 8;
    (void)fault;
    fsr_fft_make(&j.fft, fsr_fourier_kind_of(call->called), fsr_fourier_length(call->called));
    j.buffers = j.tables + fsr_round_up(fsr_fft_tables(&j.fft) * point, 256);
    j.part_bytes = fsr_round_up(fsr_fft_buffers(&j.fft, j.wide, j.rows.n) * point, 256);
    const int64_t abreast = fsr_fft_abreast(&j.fft, j.wide, j.rows.n);
    j.rows.abreast = abreast > 1;
    j.rows_each = fsr_round_up(j.fft.n < SMALL_WORK ? SMALL_WORK / j.fft.n : 1, abreast);
    atomic_init(&j.next, 0);
    atomic_init(&j.parts, 0);
    (j.wide ? fsr_fft_prepare_f64 : fsr_fft_prepare_f32)(&j.fft, j.tables, j.buffers);
    if (crew->threads && j.rows.n > j.rows_each)
        fsr_thread_pool_run(crew->threads, transform_rows, &j);
    else
        transform_rows(&j, 0);
    return FSR_OK;
}

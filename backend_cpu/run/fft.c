/* SPDX-License-Identifier: MIT */
/* The library call "fft" on a CPU: rows are shared among threads, each with buffers of its own in the workspace; tables
 * of roots are made anew by each call. What a row becomes is a function of its elements and their number alone. */
#include "backend_cpu/run/fft.h"
#include "backend_cpu/run/library.h"
#include "graph/shape.h"
#include "graph/size.h"
#include <stdatomic.h>

enum { SMALL_WORK = 1 << 13 /* elements that wake nobody */ };

typedef struct job {
    fsr_fft fft;
    bool wide;
    const char *in;
    char *out, *tables, *buffers;
    int64_t rows, rows_each, in_bytes, out_bytes, part_bytes;
    atomic_llong next;
    atomic_int parts;
} job;

static void transform_rows(void *arg, int worker) {
    job *j = arg;
    const int part = atomic_fetch_add(&j->parts, 1);
    int64_t low;
    (void)worker;
    if (part >= fsr_fft_parts(j->rows))
        return;
    char *buffer = j->buffers + part * j->part_bytes;
    while ((low = atomic_fetch_add(&j->next, j->rows_each)) < j->rows)
        for (int64_t row = low; row < j->rows && row < low + j->rows_each; row++)
            (j->wide ? fsr_fft_row_f64 : fsr_fft_row_f32)(&j->fft, j->tables, buffer, j->in + row * j->in_bytes,
                                                          j->out + row * j->out_bytes);
}

fsr_status fsr_cpu_fft(const fsr_crew *crew, const fsr_library_call *call, void *const *array, void *work,
                       fsr_fault *fault) {
    const fsr_library_array *in = &call->array[0], *out = &call->array[1];
    const int64_t in_cols = in->shape.dim[in->shape.ndim - 1], out_cols = out->shape.dim[out->shape.ndim - 1];
    job j = {.wide = in->dtype == FSR_F64 || in->dtype == FSR_C128,
             .in = array[0],
             .out = array[1],
             .tables = work,
             .rows = fsr_shape_size(&in->shape) / in_cols,
             .in_bytes = in_cols * (int64_t)fsr_dtype_size(in->dtype),
             .out_bytes = out_cols * (int64_t)fsr_dtype_size(out->dtype)};
    const int64_t point = j.wide ? 16 : 8;
    (void)fault;
    fsr_fft_make(&j.fft, fsr_fourier_kind_of(call->called), fsr_fourier_length(call->called));
    j.buffers = j.tables + fsr_round_up(fsr_fft_tables(&j.fft) * point, 256);
    j.part_bytes = fsr_round_up(fsr_fft_buffers(&j.fft) * point, 256);
    j.rows_each = j.fft.n < SMALL_WORK ? SMALL_WORK / j.fft.n : 1;
    atomic_init(&j.next, 0);
    atomic_init(&j.parts, 0);
    (j.wide ? fsr_fft_prepare_f64 : fsr_fft_prepare_f32)(&j.fft, j.tables, j.buffers);
    if (crew->threads && j.rows > j.rows_each)
        fsr_thread_pool_run(crew->threads, transform_rows, &j);
    else
        transform_rows(&j, 0);
    return FSR_OK;
}

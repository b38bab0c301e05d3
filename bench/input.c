/* SPDX-License-Identifier: MIT */
/* Input of the workloads. Generated input is counter-based: element i of a stream is a hash of (stream, i), or where
 * an order is asked for what follows from i and their number, so that it can be made in parallel, a shorter array is a
 * prefix of a longer one, and every run sees the same numbers. A plain x
 * = a*x + c from element to element would be serial. The hash is the finalizer of SplitMix64 (Steele, Lea, Flood 2014).
 */
#define _XOPEN_SOURCE 700
#include "bench/bench.h"
#include "graph/ops.h"
#include "graph/size.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_THREADS = 32, SMALL = 1 << 18 }; /* elements below which a thread is not worth its start */

typedef struct slice {
    void (*part)(void *arg, int64_t begin, int64_t end);
    void *arg;
    int64_t begin, end;
} slice;

static void *slice_run(void *p) {
    const slice *s = p;
    s->part(s->arg, s->begin, s->end);
    return NULL;
}

void bench_parallel(int64_t n, void (*part)(void *arg, int64_t begin, int64_t end), void *arg) {
    pthread_t thread[MAX_THREADS];
    bool started[MAX_THREADS] = {false};
    slice work[MAX_THREADS];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int count = n < SMALL || cores < 1 ? 1 : cores > MAX_THREADS ? MAX_THREADS : (int)cores;
    for (int t = 0; t < count; t++) {
        work[t] = (slice){part, arg, n / count * t, t + 1 == count ? n : n / count * (t + 1)};
        if (t + 1 < count)
            started[t] = !pthread_create(&thread[t], NULL, slice_run, &work[t]);
        if (!started[t])
            slice_run(&work[t]);
    }
    for (int t = 0; t < count; t++)
        if (started[t])
            pthread_join(thread[t], NULL);
}

typedef struct stream_job {
    void *out;
    int stream;
    bench_order order;
    int64_t n; /* real numbers */
} stream_job;

const char *bench_order_name(bench_order order) {
    static const char *const names[BENCH_ORDERS] = {"random", "ascending", "descending", "pipe", "equal"};
    return names[order];
}

static uint64_t hash(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Number i of n in order, from 0 up to below 1. */
static double in_order(bench_order order, int64_t i, int64_t n) {
    switch (order) {
    case BENCH_ASCENDING: return (double)i / (double)n;
    case BENCH_DESCENDING: return (double)(n - 1 - i) / (double)n;
    case BENCH_PIPE: return (double)(i < n / 2 ? i : n - 1 - i) / (double)n;
    default: return 0.5;
    }
}

/* Real numbers begin to end: a complex element is two of them. */
static void stream_fill(void *arg, int64_t begin, int64_t end) {
    const stream_job *job = arg;
    const bench_stream how = bench_stream_of(job->stream);
    const fsr_dtype part = fsr_dtype_real(how.dtype);
    const size_t size = fsr_dtype_size(part);
    uint64_t base = (uint64_t)(job->stream + 1) << 48;
    for (int64_t i = begin; i < end; i++) {
        uint64_t whole = hash((base + (uint64_t)i) * 0x9e3779b97f4a7c15u) >> (64 - how.bits);
        if (job->order)
            whole = (uint64_t)(in_order(job->order, i, job->n) * (double)(1ull << how.bits));
        fsr_value value = fsr_value_from_double(part, how.low + how.step * (double)whole);
        memcpy((char *)job->out + (size_t)i * size, &value, size);
    }
}

static bool stream_need(bench_session *s, int stream, int64_t n, bench_row *row) {
    if (s->stream_n[stream] >= n)
        return true;
    fsr_dtype dtype = bench_stream_of(stream).dtype;
    void *data = malloc((size_t)fsr_size_mul(n, (int64_t)fsr_dtype_size(dtype)));
    if (!data)
        return bench_fail(row, "out of host memory for an input of %lld elements", (long long)n);
    const int64_t numbers = fsr_dtype_is_complex(dtype) ? 2 * n : n;
    bench_parallel(numbers, stream_fill, &(stream_job){data, stream, s->options->order, numbers});
    free(s->stream[stream]);
    s->stream[stream] = data;
    s->stream_n[stream] = n;
    return true;
}

void bench_streams_free(bench_session *s) {
    for (int i = 0; i < BENCH_STREAMS; i++)
        free(s->stream[i]);
}

static int64_t elements(const bench_array *a) {
    int64_t n = 1;
    for (int i = 0; i < a->ndim; i++)
        n = fsr_size_mul(n, a->shape[i]);
    return n;
}

/* Shape of a generated input at size n: whole rows, at least one; rows shorter than BENCH_COLS if n is. */
static void array_shape_n(bench_array *a, bench_input in, int64_t n) {
    int64_t cols = n < BENCH_COLS ? n : BENCH_COLS;
    bench_form form = in.form;
    a->dtype = bench_stream_of(in.stream).dtype;
    a->ndim = form == BENCH_MATRIX ? 2 : 1;
    a->shape[0] = form == BENCH_VECTOR ? n : form == BENCH_ROW ? cols : n / cols;
    a->shape[1] = cols;
}

static int stream_of(const bench_workload *work, int i) {
    return work->program ? work->program->in[i].stream : work->in[i].stream;
}

/* Input i of a workload that is generated, at size n, or a program's at a scale. */
static void array_shape(const bench_workload *work, int i, int64_t n, bench_scale scale, bench_array *a) {
    if (work->program)
        bench_program_shape(work->program, scale, i, a);
    else
        array_shape_n(a, work->in[i], n);
    a->bytes = fsr_size_mul(elements(a), (int64_t)fsr_dtype_size(a->dtype));
}

static bool make_generated(bench_session *s, bench_case *c, int64_t n, bench_row *row) {
    for (int i = 0; i < c->work->ninputs; i++) {
        bench_array *a = &c->in[i];
        snprintf(a->name, sizeof a->name, "x%d", i);
        array_shape(c->work, i, n, s->options->scale, a);
        if (!stream_need(s, stream_of(c->work, i), elements(a), row))
            return false;
    }
    for (int i = 0; i < c->work->ninputs; i++)
        c->in[i].host = s->stream[stream_of(c->work, i)];
    return true;
}

static bool file_to_array(bench_case *c, fsr_node x, bench_row *row) {
    bench_array *a = &c->in[0];
    if (fsr_node_status(x))
        return bench_fail(row, "%s", fsr_node_error(x));
    a->dtype = fsr_node_dtype(x);
    a->ndim = fsr_node_ndim(x);
    for (int i = 0; i < a->ndim; i++)
        a->shape[i] = fsr_node_dim(x, i);
    a->bytes = fsr_node_bytes(x);
    a->host = c->file = malloc((size_t)a->bytes + 1);
    return c->file || bench_fail(row, "out of host memory for %s", c->work->file);
}

static bool make_from_file(bench_session *s, bench_case *c, bench_row *row) {
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s", s->options->data, c->work->file);
    if (length < 0 || (size_t)length >= sizeof path)
        return bench_fail(row, "the path of %s is too long", c->work->file);
    snprintf(c->in[0].name, sizeof c->in[0].name, "x0");
    fsr_graph *g = fsr_graph_new(s->fused);
    if (!g)
        return bench_fail_context(row, "graph", s->fused, FSR_ERR_MEMORY);
    fsr_node x = fsr_npy_read(g, path);
    bool ok = file_to_array(c, x, row);
    if (ok) {
        fsr_status status = fsr_read(x, c->file, (size_t)c->in[0].bytes);
        ok = !status || bench_fail_context(row, path, s->fused, status);
    }
    fsr_graph_free(g);
    return ok;
}

static bool upload(bench_session *s, bench_array *a, bench_row *row) {
    fsr_backend *b = s->backend;
    fsr_fault fault = {0};
    if (b->ops->alloc(b, a->bytes, &a->device, &fault)) {
        a->device = NULL;
        return bench_fail_fault(row, "input memory", &fault);
    }
    if (b->ops->copy_in(b, a->device, a->host, a->bytes, NULL, &fault))
        return bench_fail_fault(row, "upload", &fault);
    return !b->ops->wait(b, NULL, &fault) || bench_fail_fault(row, "upload", &fault);
}

bool bench_case_open(bench_session *s, bench_case *out, const bench_workload *work, int64_t n, bench_row *row) {
    *out = (bench_case){.work = work};
    bool ok = true;
    if (work->expr)
        memcpy(out->in, work->expr->in, sizeof out->in);
    else
        ok = work->file ? make_from_file(s, out, row) : make_generated(s, out, n, row);
    for (int i = 0; ok && i < work->ninputs; i++)
        ok = upload(s, &out->in[i], row);
    out->n = elements(&out->in[0]);
    if (!ok)
        bench_case_close(s, out);
    return ok;
}

void bench_case_close(bench_session *s, bench_case *c) {
    for (int i = 0; i < c->work->ninputs; i++)
        if (c->in[i].device)
            s->backend->ops->free(s->backend, c->in[i].device, c->in[i].bytes);
    free(c->file);
    *c = (bench_case){.work = c->work};
}

void bench_case_prefix(bench_case *out, const bench_case *c, int64_t n) {
    *out = *c;
    for (int i = 0; i < c->work->ninputs; i++) {
        out->in[i].device = NULL;
        if (c->work->program || (!c->work->file && !c->work->expr && n < c->n))
            array_shape(c->work, i, n, BENCH_SMALL, &out->in[i]);
    }
    out->n = elements(&out->in[0]);
}

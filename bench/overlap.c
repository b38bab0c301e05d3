/* SPDX-License-Identifier: MIT */
/* stream_overlap: an array in parts through the device, each sent, computed by one fused kernel, and fetched; with
 * two buffers of each kind, so that the three go on at once, against one after the other. Both results are compared.
 *
 * The times of parts are the device's own: of copies from begin to end, of the kernel between two marks. What
 * overlaps is the sum of them all less the time from the first begin to the last end. */
#include "bench/overlap.h"
#include <stdlib.h>
#include <string.h>

enum { RUNS = 5, STEPS = 24, SHOWN = 8, KINDS = 3 };

typedef struct part_tickets {
    fsr_ticket up, begun, done, down;
} part_tickets;

typedef struct overlap {
    fsr_context *ctx;
    fsr_plan *plan;
    int parts;
    size_t bytes;       /* of a part */
    char *from, *to[2]; /* pinned: all parts; to[1]: one after the other */
    void *in[2], *out[2];
    part_tickets *part;
} overlap;

/* Enough work for an element that computing takes about as long as copying. */
static fsr_status compile(overlap *o, int64_t n) {
    fsr_graph *g = fsr_graph_new(o->ctx);
    fsr_node x = fsr_input(g, "x", FSR_F32, 1, &n), y = x;
    for (int i = 0; i < STEPS; i++)
        y = fsr_add(fsr_mul(fsr_sin(y), fsr_float(g, 0.75)), x);
    const fsr_status status = fsr_compile(&y, 1, &o->plan);
    fsr_graph_free(g);
    return status;
}

static fsr_status open_all(overlap *o, int64_t n) {
    fsr_status status = compile(o, n);
    const size_t whole = o->bytes * (size_t)o->parts;
    if (!status)
        status = fsr_alloc(o->ctx, FSR_HOST, whole, (void **)&o->from);
    for (int b = 0; b < 2 && !status; b++) {
        status = fsr_alloc(o->ctx, FSR_HOST, whole, (void **)&o->to[b]);
        if (!status)
            status = fsr_alloc(o->ctx, FSR_DEVICE, o->bytes, &o->in[b]);
        if (!status)
            status = fsr_alloc(o->ctx, FSR_DEVICE, o->bytes, &o->out[b]);
    }
    for (size_t i = 0; i < whole / sizeof(float) && !status; i++)
        ((float *)o->from)[i] = (float)(i % 1000) * 0.001f;
    return status;
}

static fsr_status compute(overlap *o, int i) {
    part_tickets *t = &o->part[i];
    const fsr_arg in = {"x", o->in[i % 2], o->bytes, FSR_DEVICE}, out = {NULL, o->out[i % 2], o->bytes, FSR_DEVICE};
    fsr_status status = fsr_mark(o->ctx, &t->begun);
    if (!status)
        status = fsr_plan_run(o->plan, &in, 1, &out, 1, NULL);
    return status ? status : fsr_mark(o->ctx, &t->done);
}

static fsr_status send(overlap *o, int i) {
    return fsr_upload(o->ctx, o->in[i % 2], o->from + (size_t)i * o->bytes, o->bytes, &o->part[i].up);
}

static fsr_status fetch(overlap *o, int i, int way) {
    return fsr_download(o->ctx, o->to[way] + (size_t)i * o->bytes, o->out[i % 2], o->bytes, &o->part[i].down);
}

static fsr_status together(overlap *o) {
    fsr_status status = send(o, 0);
    for (int i = 0; i < o->parts && !status; i++) {
        if (i + 1 < o->parts)
            status = send(o, i + 1);
        if (!status)
            status = fsr_after(o->ctx, o->part[i].up);
        if (!status && i >= 2)
            status = fsr_after(o->ctx, o->part[i - 2].down);
        if (!status)
            status = compute(o, i);
        if (!status)
            status = fetch(o, i, 0);
    }
    return status ? status : fsr_wait(o->ctx, o->part[o->parts - 1].down);
}

static fsr_status apart(overlap *o) {
    fsr_status status = FSR_OK;
    for (int i = 0; i < o->parts && !status; i++) {
        status = send(o, i);
        if (!status)
            status = fsr_wait(o->ctx, o->part[i].up);
        if (!status)
            status = compute(o, i);
        if (!status)
            status = fsr_wait(o->ctx, o->part[i].done);
        if (!status)
            status = fetch(o, i, 1);
        if (!status)
            status = fsr_wait(o->ctx, o->part[i].down);
    }
    return status;
}

static fsr_status fastest(overlap *o, fsr_status (*way)(overlap *), double *ms) {
    fsr_status status = way(o); /* the first one starts what starts late */
    *ms = 0;
    for (int i = 0; i < RUNS && !status; i++) {
        const double start = bench_now();
        status = way(o);
        const double took = (bench_now() - start) * 1e3;
        *ms = i && *ms < took ? *ms : took;
    }
    return status;
}

/* Begin and end of each kind of a part: to the device, computed, back. */
static fsr_status times_of(const overlap *o, int i, double at[KINDS][2]) {
    const part_tickets *t = &o->part[i];
    double none;
    fsr_status status = fsr_ticket_time(o->ctx, t->up, &at[0][0], &at[0][1]);
    if (!status)
        status = fsr_ticket_time(o->ctx, t->begun, &at[1][0], &none);
    if (!status)
        status = fsr_ticket_time(o->ctx, t->done, &none, &at[1][1]);
    return status ? status : fsr_ticket_time(o->ctx, t->down, &at[2][0], &at[2][1]);
}

/* The parts of the last run, and what each kind took together. */
static fsr_status print_times(const overlap *o, FILE *to) {
    double sum[KINDS] = {0}, at[KINDS][2], first = 0, last = 0;
    fprintf(to, "part    to the device, ms         computed, ms             back, ms\n");
    for (int i = 0; i < o->parts; i++) {
        const fsr_status status = times_of(o, i, at);
        if (status)
            return status;
        first = i ? first : at[0][0];
        last = at[2][1];
        for (int k = 0; k < KINDS; k++)
            sum[k] += at[k][1] - at[k][0];
        if (i < SHOWN)
            fprintf(to, "%4d %9.3f to %9.3f %9.3f to %9.3f %9.3f to %9.3f\n", i, at[0][0] - first, at[0][1] - first,
                    at[1][0] - first, at[1][1] - first, at[2][0] - first, at[2][1] - first);
    }
    fprintf(to, "to the device %.3f ms, computed %.3f, back %.3f: %.3f together, in %.3f ms\n", sum[0], sum[1], sum[2],
            sum[0] + sum[1] + sum[2], last - first);
    return FSR_OK;
}

static fsr_status measure(overlap *o, FILE *to, bool *same) {
    double beside = 0, after = 0;
    fsr_status status = fastest(o, apart, &after);
    if (!status)
        status = fastest(o, together, &beside);
    if (!status)
        status = print_times(o, to);
    *same = !status && memcmp(o->to[0], o->to[1], o->bytes * (size_t)o->parts) == 0;
    if (!status)
        fprintf(to, "stream_overlap: %.3f ms, one after the other %.3f, ratio %.2f, results %s\n", beside, after,
                beside > 0 ? after / beside : 0, *same ? "equal" : "DIFFER");
    return status;
}

bool bench_overlap_run(bench_session *s, FILE *to) {
    const int64_t all = s->options->n ? s->options->n : s->gpu ? INT64_C(1) << 26 : INT64_C(1) << 22;
    const int64_t n = (all + s->options->overlap - 1) / s->options->overlap;
    overlap o = {.ctx = s->fused, .parts = s->options->overlap, .bytes = sizeof(float) * (size_t)n};
    bool same = false;
    o.part = calloc((size_t)o.parts, sizeof *o.part);
    fprintf(to, "%lld elements in %d parts of %.1f MiB on %s\n", (long long)n * o.parts, o.parts,
            (double)o.bytes / 1048576, s->device);
    fsr_status status = o.part ? open_all(&o, n) : FSR_ERR_MEMORY;
    if (!status)
        status = measure(&o, to, &same);
    if (status)
        fprintf(stderr, "fusor-bench: stream_overlap: %s\n", fsr_error(o.ctx));
    fsr_plan_free(o.plan);
    for (int b = 0; b < 2; b++) {
        fsr_free(o.ctx, FSR_HOST, o.to[b]);
        fsr_free(o.ctx, FSR_DEVICE, o.in[b]);
        fsr_free(o.ctx, FSR_DEVICE, o.out[b]);
    }
    fsr_free(o.ctx, FSR_HOST, o.from);
    free(o.part);
    return !status && same;
}

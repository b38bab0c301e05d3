/* SPDX-License-Identifier: MIT */
/* Checking a backend against the reference: the same recorded nodes, both ways, compared within the reference's
 * bounds. Nodes keep what they have: an output already computed is compared as it is, if what it was computed from is
 * still recorded. What had been computed before it is taken as it was. */
#include "graph/floats.h"
#include "graph/number.h"
#include "graph/sized.h"
#include "runtime/array.h"
#include "runtime/reference.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fetcher {
    fsr_context *ctx;
    const fsr_graph *g;
} fetcher;

/* Of a value with a length what is there, then zeros: what lies behind has never been written. */
static fsr_status fetch(void *user, const fsr_rec *leaf, int output, void *dst, int64_t bytes) {
    const fetcher *f = user;
    fsr_fault fault = {FSR_OK, NULL};
    int64_t there = 0;
    if (!leaf->buffer[output])
        return FSR_ERR_UNBOUND;
    fsr_status status = FSR_OK;
    if (leaf->length.origin) {
        status = fsr_count_there(f->ctx, f->g, leaf, &there, &fault);
        memset(dst, 0, (size_t)bytes);
        bytes = there * (int64_t)fsr_dtype_size(leaf->dtype[output]);
    }
    if (!status)
        status = f->ctx->backend->ops->copy_out(f->ctx->backend, dst, leaf->buffer[output]->data, bytes, NULL, &fault);
    fsr_fault_clear(&fault);
    return status;
}

/* A computed result that is hidden for a while, and where it stood. */
typedef struct hidden {
    fsr_buffer **place, *buffer;
} hidden;

/* The first computation that one of the references is a result of. */
static int64_t first_computation(const fsr_graph *g, const fsr_ref *refs, int n) {
    int64_t first = INT64_MAX;
    for (int i = 0; i < n; ++i) {
        const int64_t computed = fsr_graph_rec(g, refs[i].id)->buffer[refs[i].output]->computed;
        first = computed && computed < first ? computed : first;
    }
    return first;
}

/* Takes away what was computed since `first`, so that the reference computes it itself; data stays. Returns how many;
 * `list` NULL: only counts. Counter-example to taking the outputs alone: y = f(sum) was computed, and its sum
 * afterwards, by a kernel that adds in another order; then y is not f of that sum. */
static int64_t hide_since(const fsr_graph *g, int64_t first, hidden *list) {
    int64_t n = 0;
    for (uint32_t id = 0; id < fsr_graph_slots(g); ++id) {
        fsr_rec *rec = fsr_graph_rec(g, id);
        for (int i = 0; i < FSR_MAX_OUTPUTS; ++i) {
            if (!rec->buffer[i] || fsr_is(rec->kind, FSR_IS_ARRAY) || rec->buffer[i]->computed < first)
                continue;
            if (list) {
                list[n] = (hidden){&rec->buffer[i], rec->buffer[i]};
                rec->buffer[i] = NULL;
            }
            ++n;
        }
    }
    return n;
}

static void show(const hidden *list, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
        *list[i].place = list[i].buffer;
}

/* Of what has a length that only the device knows what is there. *worst becomes i if nothing before was as wrong. */
static fsr_status compare(fsr_context *ctx, const fsr_graph *g, fsr_ref ref, int i, fsr_ref_array *want,
                          fsr_verify_report *report, int *worst, bool *good, fsr_fault *fault) {
    const fsr_rec *rec = fsr_graph_rec(g, ref.id);
    const int output = (int)ref.output;
    int64_t bytes = fsr_rec_bytes(rec, output);
    void *got = malloc((size_t)bytes + 1);
    if (!got)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "verify: out of memory");
    fsr_status status = FSR_OK;
    if (rec->length.origin)
        status = fsr_count_there(ctx, g, rec, &want->shape.dim[0], fault);
    if (!status && rec->length.origin)
        bytes = rec->shape.dim[0] ? bytes / rec->shape.dim[0] * want->shape.dim[0] : 0;
    if (!status)
        status = ctx->backend->ops->copy_out(ctx->backend, got, rec->buffer[output]->data, bytes, NULL, fault);
    double before = report->worst;
    bool fine = status || fsr_ref_compare(want, got, report);
    if (report->worst > before)
        *worst = i;
    *good = *good && fine;
    free(got);
    return status;
}

/* Which of nouts outputs reference i is, or has as the count of its length (fsr_add_counts puts these behind them). */
static int output_of(const fsr_graph *g, const fsr_ref *refs, int nouts, int i) {
    int out = -1;
    if (i < nouts)
        return i;
    for (int counts = i - nouts + 1; counts > 0; counts -= fsr_graph_rec(g, refs[out].id)->length.origin != 0)
        out++;
    return out;
}

/* What was worst, an element or a length, in words. */
static fsr_status mismatch(const fsr_verify_report *report, bool length, fsr_fault *fault) {
    char which[48] = "its length";
    if (!length)
        snprintf(which, sizeof which, "element %lld", (long long)report->worst_index);
    return fsr_fault_set(fault, FSR_ERR_MISMATCH, "verify: output %d, %s: got %s, expected %s, error %s, bound %s",
                         report->worst_out, which, fsr_number_of('g', 17, report->got).text,
                         fsr_number_of('g', 17, report->expected).text, fsr_number_of('g', 6, report->worst_error).text,
                         fsr_number_of('g', 6, report->worst_bound).text);
}

/* n references, of which the first nouts are the outputs. */
static fsr_status verify(fsr_context *ctx, fsr_graph *g, const fsr_ref *refs, int nouts, int n,
                         fsr_verify_report *report, fsr_fault *fault) {
    fsr_ref_array *want = calloc((size_t)n, sizeof *want);
    const int64_t first = first_computation(g, refs, n), nlist = hide_since(g, first, NULL);
    hidden *list = malloc(((size_t)nlist + 1) * sizeof *list);
    bool good = true;
    int worst = 0;
    fsr_status status = want && list ? FSR_OK : fsr_fault_set(fault, FSR_ERR_MEMORY, "verify: out of memory");
    if (!status) {
        hide_since(g, first, list);
        status = (ctx->config.contraction ? fsr_reference_run_contracted
                                          : fsr_reference_run)(g, refs, n, fetch, &(fetcher){ctx, g}, want, fault);
        show(list, nlist);
    }
    for (int i = 0; i < n && !status; ++i)
        status = compare(ctx, g, refs[i], i, &want[i], report, &worst, &good, fault);
    report->worst_out = output_of(g, refs, nouts, worst);
    for (int i = 0; want && i < n; ++i)
        fsr_ref_array_free(&want[i]);
    free(want);
    free(list);
    if (status && !fault->status)
        fsr_fault_set(fault, status, "verify: %s", fsr_status_sentence(status));
    if (status || good)
        return status;
    return mismatch(report, worst >= nouts, fault);
}

static fsr_status check(const fsr_node *outs, int n, fsr_verify_report *report) {
    FSR_DEFAULT_FLOATS;
    fsr_status status = fsr_compute(outs, n);
    if (status || n == 0)
        return status;
    fsr_ref *refs = malloc(sizeof *refs * 2 * (size_t)n);
    fsr_graph *g = NULL;
    fsr_context *ctx = NULL;
    fsr_fault fault = {FSR_OK, NULL};
    status = fsr_take_nodes("verify", outs, n, refs, &g, &ctx);
    if (!status) {
        status = verify(ctx, g, refs, n, fsr_add_counts(g, refs, n), report, &fault);
        if (status)
            fsr_context_take(ctx, &fault);
    }
    free(refs);
    return status;
}

fsr_status fsr_verify_sized(size_t size, const fsr_node *outs, int n, fsr_verify_report *out) {
    fsr_verify_report report = {0};
    fsr_status status = out ? fsr_sized_out(out, size, &report, sizeof report) : FSR_OK;
    if (status)
        return fsr_context_fail(fsr_context_of(outs, n), status, "verify: the report %s", fsr_sized_words(status));
    status = check(outs, n, &report);
    if (out)
        fsr_sized_out(out, size, &report, sizeof report);
    return status;
}

/* SPDX-License-Identifier: MIT */
/* Comparisons: fused outputs against unfused ones at full size, and the graph against the reference on a part.
 *
 * The tolerance of a fold: two trees over the same n terms of one sign differ by rounding only. A tree with d levels is
 * off by at most d half-units of the result; a short serial run at each leaf adds its length, but its roundings go both
 * ways.
 * 16 +
 * 4 log2(n) units of the last place allow both sides about 2 log2(n) + 8 each: 1.5e-5 for 2^27 terms, while one lost
 * tile of a few thousand among them is 3e-5. A fixed 1e-3 would let that pass. */
#include "bench/bench.h"
#include "graph/number.h"
#include "graph/ops.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A complex output is looked at as its parts: twice as many numbers of the real dtype. */
typedef struct output {
    fsr_dtype dtype; /* a real one */
    int parts;
    int64_t n; /* numbers */
    size_t bytes;
    void *fused, *unfused;
} output;

static double value_at(fsr_dtype dtype, const void *data, int64_t i) {
    return fsr_value_to_double(dtype, fsr_value_load(dtype, data, i));
}

static double magnitude(const output *o) {
    double most = 0;
    for (int64_t i = 0; i < o->n; i++) {
        double size = fabs(value_at(o->dtype, o->unfused, i));
        if (size > most)
            most = size;
    }
    return most;
}

/* Units of the last place of a fold over n terms, as the head of this file says. */
static double tolerance(fsr_dtype dtype, int64_t n) {
    double unit = dtype == FSR_F64    ? DBL_EPSILON
                  : dtype == FSR_F32  ? FLT_EPSILON
                  : dtype == FSR_F16  ? 0x1p-10
                  : dtype == FSR_BF16 ? 0x1p-7
                                      : 0;
    return unit * (16 + 4 * log2((double)(n > 1 ? n : 1)));
}

static bool differ(bench_row *row, const output *o, int k, int64_t i, double bound) {
    const char *which = o->parts == 1 ? "" : i % 2 ? "'s imaginary part" : "'s real part";
    return bench_fail(row, "fused output %d%s is %s at element %lld, unfused %s, allowed difference %s", k, which,
                      fsr_number_of('g', 9, value_at(o->dtype, o->fused, i)).text, (long long)(i / o->parts),
                      fsr_number_of('g', 9, value_at(o->dtype, o->unfused, i)).text, fsr_number_of('g', 3, bound).text);
}

static bool same_bits(bench_row *row, const output *o, int k) {
    size_t size = fsr_dtype_size(o->dtype);
    if (!memcmp(o->fused, o->unfused, o->bytes))
        return true;
    int64_t i = 0;
    while (!memcmp((char *)o->fused + (size_t)i * size, (char *)o->unfused + (size_t)i * size, size))
        i++;
    return differ(row, o, k, i, 0);
}

/* scale < 0: relative to each element. An infinity or NaN must be on both sides. */
static bool within(bench_row *row, const output *o, int k, double unit, double scale) {
    for (int64_t i = 0; i < o->n; i++) {
        double a = value_at(o->dtype, o->fused, i), b = value_at(o->dtype, o->unfused, i);
        double bound = unit * (scale < 0 ? fabs(b) : scale);
        if (a == b || (isnan(a) && isnan(b)))
            continue;
        if (!(isfinite(a) && isfinite(b) && fabs(a - b) <= bound))
            return differ(row, o, k, i, bound);
    }
    return true;
}

static bool fetch(bench_run *run, int k, void **to, bench_row *row) {
    fsr_fault fault = {0};
    fsr_backend *b = run->backend;
    int64_t bytes = (int64_t)run->out[k].bytes;
    *to = malloc((size_t)bytes + 1);
    if (!*to)
        return bench_fail(row, "out of host memory to compare output %d", k);
    return !b->ops->copy_out(b, *to, run->out[k].data, bytes, NULL, &fault) ||
           bench_fail_fault(row, "read back", &fault);
}

static bool check_output(const bench_case *c, output *o, int k, double *scale, bench_row *row) {
    bench_output how = c->work->out[k];
    if (how.rule == BENCH_REFERENCE)
        return true;
    scale[k] = fmax(magnitude(o), how.least);
    if (how.rule == BENCH_SAME)
        return same_bits(row, o, k);
    return within(row, o, k, tolerance(o->dtype, c->n), how.rule == BENCH_CLOSE ? -1 : scale[how.scale]);
}

static output output_of(const bench_run *run, int k) {
    fsr_dtype dtype = fsr_node_dtype(run->node[k]);
    int parts = fsr_dtype_is_complex(dtype) ? 2 : 1;
    return (output){.dtype = fsr_dtype_real(dtype),
                    .parts = parts,
                    .n = fsr_node_size(run->node[k]) * parts,
                    .bytes = run->out[k].bytes};
}

bool bench_check_outputs(const bench_case *c, bench_run *fused, bench_run *unfused, bench_row *row) {
    double scale[BENCH_MAX_OUT] = {0};
    bool ok = true;
    for (int k = 0; ok && k < c->work->nouts; k++) {
        output o = output_of(fused, k);
        ok = fetch(fused, k, &o.fused, row) && fetch(unfused, k, &o.unfused, row) && check_output(c, &o, k, scale, row);
        free(o.fused);
        free(o.unfused);
    }
    return ok;
}

static bool verify(fsr_context *ctx, fsr_graph *g, const bench_case *c, bench_row *row) {
    fsr_node in[BENCH_MAX_IN], out[BENCH_MAX_OUT];
    fsr_verify_report report = {0};
    for (int i = 0; i < c->work->ninputs; i++) {
        const bench_array *a = &c->in[i];
        in[i] = fsr_from_host(g, a->dtype, a->ndim, a->shape, a->host);
    }
    if (!bench_build(c->work, g, in, out, row))
        return false;
    fsr_status status = fsr_verify(out, c->work->nouts, &report);
    if (status && status != FSR_ERR_MISMATCH)
        return bench_fail_context(row, "verify", ctx, status);
    row->max_error = report.worst_error;
    row->error_bound = report.worst_bound;
    if (!status)
        return report.checked > 0 || bench_fail(row, "verify compared no element");
    return bench_fail(row, "output %d is %s at element %lld, the reference %s, error %s, bound %s", report.worst_out,
                      fsr_number_of('g', 9, report.got).text, (long long)report.worst_index,
                      fsr_number_of('g', 9, report.expected).text, fsr_number_of('g', 3, report.worst_error).text,
                      fsr_number_of('g', 3, report.worst_bound).text);
}

bool bench_check_reference(bench_session *s, const bench_case *c, bench_row *row) {
    bench_case part;
    bench_case_prefix(&part, c, s->options->verify_n);
    fsr_graph *g = fsr_graph_new(s->fused);
    if (!g)
        return bench_fail_context(row, "graph", s->fused, FSR_ERR_MEMORY);
    bool ok = verify(s->fused, g, &part, row);
    fsr_graph_free(g);
    return ok;
}

/* SPDX-License-Identifier: MIT */
/* The user's own work: an expression string on .npy files, measured like any workload.
 *
 * The files are read once, before anything is measured, and the expression is recorded once on them, for its number of
 * values and for what they follow from. A value that no floating fold is part of must have the same bits fused and
 * unfused. Where one is, nothing is known about the sizes that a difference of the last bits may grow to (sum(x -
 * mean(x)) is nothing but such bits): only the reference, which carries a bound for every element, can judge that. */
#include "bench/bench.h"
#include "graph/graph.h"
#include <stdlib.h>
#include <string.h>

#define LABEL "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

bool bench_expr_owns(const char *option) {
    return !strcmp(option, "--expr") || !strcmp(option, "--input") || !strcmp(option, "--name");
}

static bool add_input(bench_expr *e, const char *value) {
    const char *equals = strchr(value, '=');
    size_t size = equals ? (size_t)(equals - value) : 0;
    if (size == 0 || size >= sizeof e->in[0].name || !equals[1] || e->ninputs == BENCH_MAX_IN)
        return false;
    memcpy(e->in[e->ninputs].name, value, size);
    e->path[e->ninputs++] = equals + 1;
    return true;
}

bool bench_expr_set(bench_expr *e, const char *option, const char *value) {
    if (!strcmp(option, "--input"))
        return add_input(e, value);
    if (!strcmp(option, "--name")) {
        size_t size = strspn(value, LABEL);
        e->work.name = value;
        return size > 0 && size < 64 && !value[size];
    }
    bool first = !e->text;
    e->text = value;
    return first;
}

static int complain(const char *what, const char *why) {
    fprintf(stderr, "fusor-bench: %s: %s\n", what, why);
    return 1;
}

static int out_of_memory(const char *what) {
    return complain(what, "out of memory");
}

/* The file as a leaf and as an array on the host. */
static int read_input(bench_expr *e, int i, fsr_context *ctx, fsr_graph *g, fsr_node *x) {
    bench_array *a = &e->in[i];
    *x = fsr_npy_read_at(fsr_here("--input", i + 1), g, e->path[i]);
    if (fsr_node_status(*x))
        return complain(a->name, *fsr_node_error(*x) ? fsr_node_error(*x) : "out of memory");
    a->dtype = fsr_node_dtype(*x);
    a->ndim = fsr_node_ndim(*x);
    for (int d = 0; d < a->ndim; d++)
        a->shape[d] = fsr_node_dim(*x, d);
    a->bytes = fsr_node_bytes(*x);
    if (a->bytes == 0)
        return complain(e->path[i], "the array is empty: there is nothing to measure");
    void *host = malloc((size_t)a->bytes);
    a->host = host;
    if (!host)
        return out_of_memory(e->path[i]);
    return fsr_read(*x, host, (size_t)a->bytes) ? complain(e->path[i], fsr_error(ctx)) : 0;
}

static bool is_floating_fold(const fsr_rec *rec) {
    bool folds = false;
    for (int i = 0; i < rec->nout && fsr_is(rec->kind, FSR_IS_FOLD); i++)
        folds = folds || fsr_dtype_is_inexact(rec->dtype[i]);
    return folds;
}

/* What may be asked of value k: whether a floating fold is among what it follows from. */
static int judge(bench_expr *e, const fsr_node *out, int k) {
    bool *reached = bench_reached(&out[k], 1), folds = false;
    if (!reached)
        return out_of_memory("--expr");
    for (uint32_t id = 0; id < fsr_graph_slots(out[k].graph); id++)
        folds = folds || (reached[id] && is_floating_fold(fsr_graph_rec(out[k].graph, id)));
    e->work.out[k].rule = folds ? BENCH_REFERENCE : BENCH_SAME;
    free(reached);
    return 0;
}

static int look(bench_expr *e, const fsr_node *x, const fsr_node *out) {
    bool *used = bench_reached(out, e->work.nouts);
    int status = used ? 0 : out_of_memory("--expr");
    for (int k = 0; !status && k < e->work.nouts; k++)
        status = judge(e, out, k);
    for (int i = 0; !status && i < e->ninputs; i++)
        if (!used[x[i].id])
            status = complain(e->in[i].name, "the expression does not use this input");
    free(used);
    return status;
}

static int record(const bench_expr *e, fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_name names[BENCH_MAX_IN];
    for (int i = 0; i < e->ninputs; i++)
        names[i] = (fsr_name){e->in[i].name, in[i]};
    return fsr_exprs_at(fsr_here("--expr", 1), g, e->text, names, e->ninputs, out, BENCH_MAX_OUT);
}

int bench_expr_prepare(bench_expr *e, fsr_context *ctx) {
    fsr_node x[BENCH_MAX_IN], out[BENCH_MAX_OUT];
    int status = 0;
    if (!e->text)
        return 0;
    if (!e->ninputs)
        return complain("--expr", "it needs an --input");
    fsr_graph *g = fsr_graph_new(ctx);
    if (!g)
        return out_of_memory("--expr");
    const char *label = e->work.name;
    e->work = (bench_workload){.name = label ? label : "expr", .what = e->text, .ninputs = e->ninputs, .expr = e};
    e->work.kernels = -1;
    for (int i = 0; !status && i < e->ninputs; i++)
        status = read_input(e, i, ctx, g, &x[i]);
    if (!status) {
        e->work.nouts = record(e, g, x, out);
        status = e->work.nouts ? look(e, x, out) : complain("--expr", fsr_node_error(out[0]));
    }
    fsr_graph_free(g);
    return status;
}

void bench_expr_build(const bench_expr *e, fsr_graph *g, const fsr_node *in, fsr_node *out) {
    record(e, g, in, out);
}

void bench_expr_free(bench_expr *e) {
    for (int i = 0; i < e->ninputs; i++)
        free((void *)e->in[i].host);
    e->ninputs = 0;
}

/* SPDX-License-Identifier: MIT */
/* A run: a case recorded in a context on named inputs, compiled to a plan, launched on arrays that stay on the
 * device. */
#include "bench/bench.h"
#include "runtime/context.h"

bool bench_build(const bench_workload *work, fsr_graph *g, const fsr_node *in, fsr_node *out, bench_row *row) {
    if (work->expr)
        bench_expr_build(work->expr, g, in, out);
    else if (work->program && work->program->text)
        bench_program_build(work, g, in, out);
    else
        work->build(g, in, out);
    for (int i = 0; i < work->nouts; i++) {
        fsr_status status = fsr_node_status(out[i]);
        const char *why = fsr_node_error(out[i]);
        if (status)
            return bench_fail(row, "output %d: %s", i, why && *why ? why : fsr_status_sentence(status));
    }
    return true;
}

static bool alloc_output(bench_run *run, int i, bench_row *row) {
    fsr_backend *b = run->backend;
    fsr_fault fault = {0};
    fsr_arg *arg = &run->out[i];
    int64_t bytes = fsr_node_bytes(run->node[i]);
    *arg = (fsr_arg){.bytes = (size_t)bytes, .place = FSR_DEVICE};
    if (b->ops->alloc(b, bytes, &arg->data, &fault)) {
        arg->data = NULL;
        return bench_fail_fault(row, "output memory", &fault);
    }
    return !b->ops->clear(b, arg->data, bytes, NULL, &fault) || bench_fail_fault(row, "output memory", &fault);
}

bool bench_run_record(bench_run *out, fsr_context *ctx, const bench_case *c, bench_row *row) {
    fsr_node in[BENCH_MAX_IN];
    *out = (bench_run){.ctx = ctx, .backend = fsr_context_backend(ctx)};
    out->graph = fsr_graph_new(ctx);
    if (!out->graph)
        return bench_fail_context(row, "graph", ctx, FSR_ERR_MEMORY);
    for (int i = 0; i < c->work->ninputs; i++) {
        const bench_array *a = &c->in[i];
        in[i] = fsr_input(out->graph, a->name, a->dtype, a->ndim, a->shape);
        if (!c->work->shape_only)
            out->in[out->nin++] =
                (fsr_arg){.name = a->name, .data = a->device, .bytes = (size_t)a->bytes, .place = FSR_DEVICE};
    }
    if (!bench_build(c->work, out->graph, in, out->node, row))
        return false;
    for (; out->nout < c->work->nouts; out->nout++)
        if (!alloc_output(out, out->nout, row))
            return false;
    return bench_run_wait(out, row);
}

bool bench_run_compile(bench_run *run, bench_row *row) {
    fsr_status status = fsr_compile(run->node, run->nout, &run->plan);
    if (status)
        return bench_fail_context(row, "compile", run->ctx, status);
    return true;
}

bool bench_run_launch(bench_run *run, bench_row *row) {
    fsr_status status = fsr_plan_run(run->plan, run->in, run->nin, run->out, run->nout, NULL);
    return !status || bench_fail_context(row, "run", run->ctx, status);
}

bool bench_run_wait(bench_run *run, bench_row *row) {
    fsr_fault fault = {0};
    return !run->backend->ops->wait(run->backend, NULL, &fault) || bench_fail_fault(row, "wait", &fault);
}

void bench_run_close(bench_run *run) {
    fsr_plan_free(run->plan);
    fsr_graph_free(run->graph);
    for (int i = 0; i < BENCH_MAX_OUT; i++)
        if (run->out[i].data)
            run->backend->ops->free(run->backend, run->out[i].data, (int64_t)run->out[i].bytes);
    *run = (bench_run){0};
}

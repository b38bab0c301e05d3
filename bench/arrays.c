/* SPDX-License-Identifier: MIT */
/* Inputs and results as files, for whoever wants to compute the same with something else. */
#include "bench/bench.h"

static bool write_one(bench_session *s, fsr_node x, const char *directory, const char *name, const char *what, int i,
                      bench_row *row) {
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s.%s%d.npy", directory, name, what, i);
    if (length < 0 || (size_t)length >= sizeof path)
        return bench_fail(row, "the path of %s is too long", name);
    fsr_status status = fsr_npy_write(x, path);
    return !status || bench_fail_context(row, path, s->fused, status);
}

static bool write_all(bench_session *s, fsr_graph *g, const bench_case *c, const char *directory, bench_row *row) {
    fsr_node in[BENCH_MAX_IN], out[BENCH_MAX_OUT];
    const bench_workload *work = c->work;
    for (int i = 0; i < work->ninputs; i++)
        in[i] = fsr_from_host(g, c->in[i].dtype, c->in[i].ndim, c->in[i].shape, c->in[i].host);
    if (!bench_build(work, g, in, out, row))
        return false;
    fsr_status status = fsr_compute(out, work->nouts);
    if (status)
        return bench_fail_context(row, "compute", s->fused, status);
    for (int i = 0; i < work->ninputs; i++)
        if (!write_one(s, in[i], directory, work->name, "in", i, row))
            return false;
    for (int i = 0; i < work->nouts; i++)
        if (!write_one(s, out[i], directory, work->name, "out", i, row))
            return false;
    return true;
}

bool bench_write_arrays(bench_session *s, const bench_case *c, const char *directory, bench_row *row) {
    fsr_graph *g = fsr_graph_new(s->fused);
    if (!g)
        return bench_fail_context(row, "graph", s->fused, FSR_ERR_MEMORY);
    bool ok = write_all(s, g, c, directory, row);
    fsr_graph_free(g);
    return ok;
}

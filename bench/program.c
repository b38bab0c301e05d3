/* SPDX-License-Identifier: MIT */
/* Programs of other people's suites: shapes from letters, and texts recorded as often as a loop of theirs turns.
 *
 * A text of several turns gives the inputs of the next one, in order; those that it gives no value for stay. So the
 * values of a turn are as many as its row has outputs, and each has the shape and dtype of the input it becomes. */
#include "bench/bench.h"
#include <string.h>

void bench_program_shape(const bench_program *program, bench_scale scale, int i, bench_array *out) {
    const char *dims = program->in[i].dims;
    out->dtype = bench_stream_of(program->in[i].stream).dtype;
    out->ndim = (int)strlen(dims);
    for (int d = 0; d < out->ndim; d++)
        out->shape[d] = dims[d] >= 'a' ? program->extent[scale][dims[d] - 'a'] : dims[d] - '0';
}

/* Extent k as the program's inputs have it: a text knows shapes, not scales. */
static int64_t extent_of(const bench_workload *work, const fsr_node *in, int k) {
    for (int i = 0; i < work->ninputs; i++) {
        const char *dims = work->program->in[i].dims, *at = strchr(dims, 'a' + k);
        if (at)
            return fsr_node_dim(in[i], (int)(at - dims));
    }
    return -1;
}

void bench_program_build(const bench_workload *work, fsr_graph *g, const fsr_node *in, fsr_node *out) {
    static const char *const extents[BENCH_EXTENTS] = {"na", "nb", "nc", "nd", "ne", "nf", "ng"};
    const bench_program *p = work->program;
    fsr_name names[BENCH_MAX_IN + BENCH_EXTENTS];
    int n = work->ninputs;
    for (int i = 0; i < work->ninputs; i++)
        names[i] = (fsr_name){p->in[i].name, in[i]};
    for (int k = 0; k < BENCH_EXTENTS; k++)
        if (extent_of(work, in, k) >= 0)
            names[n++] = (fsr_name){extents[k], fsr_int(g, extent_of(work, in, k))};
    for (int turn = 0; turn < (p->turns ? p->turns : 1); turn++) {
        fsr_exprs_at(fsr_here(work->name, turn + 1), g, p->text, names, n, out, work->nouts);
        for (int i = 0; turn + 1 < p->turns && i < work->nouts; i++)
            names[i].node = out[i];
    }
}

/* SPDX-License-Identifier: MIT */
#include "tests/structure/plans.h"
#include "fusion/nest.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

fsr_program plan_make(const fsr_target *target, const fsr_node *outs, int n, plan_knobs knobs) {
    fsr_program_options options = {.target = *target,
                                   .fusion = !knobs.unfused,
                                   .fuel = knobs.fueled ? knobs.fuel : -1,
                                   .contraction = knobs.contraction,
                                   .explain = true,
                                   .rewrites = {.skip = knobs.skip}};
    fsr_ref *refs = malloc(sizeof *refs * (size_t)n);
    fsr_program program;
    fsr_binding binding;
    fsr_flow flow;
    char why[512] = "";
    assert_non_null(refs);
    for (int i = 0; i < n; i++) {
        if (fsr_node_status(outs[i]))
            fail_msg("output %d: %s", i, fsr_node_error(outs[i]));
        refs[i] = (fsr_ref){outs[i].id, outs[i].output};
    }
    assert_int_equal(fsr_flow_build(&flow, &binding, outs[0].graph, refs, n), FSR_OK);
    free(refs);
    fsr_binding_clear(&binding);
    fsr_status status = fsr_program_make(&program, &flow, &options, why, sizeof why);
    if (status)
        fail_msg("%s: %s", fsr_status_name(status), why);
    return program;
}

fsr_program plan_of(const fsr_target *target, const fsr_node *outs, int n) {
    return plan_make(target, outs, n, (plan_knobs){0});
}

double plan_seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

fsr_node plan_vector(fsr_graph *g, int64_t n) {
    return fsr_input(g, "x", FSR_F32, 1, &n);
}

fsr_node plan_matrix(fsr_graph *g, int64_t rows, int64_t cols) {
    return fsr_input(g, "x", FSR_F32, 2, SHAPE(rows, cols));
}

static int nests_before(const fsr_kernel *k) {
    return k->nests ? k->nests->n : 0;
}

int plan_nests(const fsr_program *p) {
    int n = p->info.kernels;
    for (int i = 0; i < p->info.kernels; i++)
        n += nests_before(fsr_program_kernel(p, i)->kernel);
    return n;
}

const fsr_kernel *plan_nest(const fsr_program *p, int i) {
    for (int kernel = 0;; kernel++) {
        const fsr_kernel *k = fsr_program_kernel(p, kernel)->kernel;
        if (i <= nests_before(k))
            return i < nests_before(k) ? k->nests->nest[i].kernel : k;
        i -= nests_before(k) + 1;
    }
}

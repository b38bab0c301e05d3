/* SPDX-License-Identifier: MIT */
#include "tests/support/host_plan.h"
#include "backend_cuda/emit_cuda.h"
#include "fusion/nest.h"
#include "fusion/plan.h"
#include "runtime/text.h"
#include "tests/host_cuda/host_cuda.h"
#include "tests/support/targets.h"
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { LEAVES = 8 };

/* Elements of each leaf, and of the result. */
typedef struct sizes {
    int64_t leaf[LEAVES], out;
} sizes;

static bool is_report(const fsr_thunk *thunk, int a) {
    return thunk->use[a].slot.kind == FSR_SLOT_REPORT;
}

static void *array(const fsr_thunk *thunk, int a, const sizes *s) {
    const bool leaf = thunk->use[a].slot.kind == FSR_SLOT_LEAF;
    const int64_t n = is_report(thunk, a) ? 2 : leaf ? s->leaf[thunk->use[a].slot.ordinal] : s->out;
    float *x = calloc((size_t)n, sizeof *x);
    for (int64_t i = 0; i < n && !is_report(thunk, a); i++)
        if (thunk->kernel->array[a].dtype == FSR_I32)
            ((int32_t *)x)[i] = 1 + (int32_t)(i * 37 + 5) % 999;
        else
            x[i] = leaf ? (float)((i * 37 + a * 11) % 101) / 8 : -1;
    return x;
}

static void arrays(const fsr_thunk *thunk, const sizes *s, fsr_launch *launch) {
    for (int a = 0; a < thunk->kernel->narrays; a++)
        launch->array[a] = array(thunk, a, s);
}

static void free_arrays(const fsr_thunk *thunk, fsr_launch *launch) {
    for (int a = 0; a < thunk->kernel->narrays; a++)
        free(launch->array[a]);
}

static void compare(const fsr_thunk *thunk, const sizes *s, const fsr_launch *got, const fsr_launch *want,
                    const char *text) {
    const char *what = thunk->kernel->comment;
    for (int a = 0; a < thunk->kernel->narrays; a++) {
        const float *x = got->array[a], *y = want->array[a];
        if (is_report(thunk, a) && *(uint64_t *)got->array[a])
            fail_msg("%s: reports %lld\n%s", what, (long long)*(int64_t *)got->array[a], text);
        if (is_report(thunk, a) || !thunk->kernel->array[a].written)
            continue;
        for (int64_t i = 0; i < s->out; i++)
            if (x[i] != y[i] && !(x[i] < y[i] * 1.0001 && x[i] > y[i] * 0.9999))
                fail_msg("%s: element %lld is %g, not %g\n%s", what, (long long)i, x[i], y[i], text);
    }
}

static void run(const fsr_thunk *thunk, const sizes *s) {
    fsr_launch want = fsr_program_launch(thunk), got = fsr_program_launch(thunk);
    fsr_fault fault = {FSR_OK, NULL};
    fsr_text text = {0};
    assert_int_equal(fsr_emit_cuda_for_host(thunk->kernel, &text), FSR_OK);
    arrays(thunk, s, &want);
    assert_int_equal(fsr_kernel_interpret(thunk->kernel, &want), FSR_OK);
    for (uint64_t seed = 0; seed < 2; seed++) {
        arrays(thunk, s, &got);
        got.work = malloc((size_t)thunk->work_bytes + 1);
        got.zero = calloc(1, (size_t)thunk->zero_bytes + 1);
        if (host_cuda_run(thunk->kernel, text.data, &got, seed, &fault))
            fail_msg("%s: %s\n%s", thunk->kernel->comment, fault.message, text.data);
        compare(thunk, s, &got, &want, text.data);
        free_arrays(thunk, &got);
        free(got.work);
        free(got.zero);
    }
    free_arrays(thunk, &want);
    fsr_text_free(&text);
}

static fsr_program planned(fsr_graph *g, fsr_node x, bool tiles, sizes *s) {
    /* In tiles all fusions: fuel that is counted leaves out the comparison of prices, which at these sizes takes
     * kernels apart. */
    fsr_program_options options = {
        .target = target_small_gpu, .fusion = true, .fuel = tiles ? INT_MAX : -1, .explain = true};
    const fsr_ref ref = {x.id, x.output};
    options.target.tiles = tiles;
    fsr_program program;
    fsr_binding binding;
    fsr_flow flow;
    char why[256];
    if (fsr_node_status(x))
        fail_msg("%s", fsr_node_error(x));
    assert_int_equal(fsr_flow_build(&flow, &binding, g, &ref, 1), FSR_OK);
    fsr_binding_clear(&binding);
    *s = (sizes){.out = fsr_node_size(x)};
    assert_in_range(flow.nleaves, 0, LEAVES);
    for (int i = 0; i < flow.n; i++)
        if (flow.node[i].kind == FSR_NODE_DATA)
            s->leaf[flow.node[i].ordinal] = fsr_shape_size(&flow.node[i].shape);
    if (fsr_program_make(&program, &flow, &options, why, sizeof why))
        fail_msg("%s", why);
    return program;
}

static int stores_of(const fsr_kernel *k) {
    int n = 0;
    for (int i = 0; i < k->ninsts; i++)
        n += k->inst[i].kind == FSR_INST_STORE;
    return n;
}

static host_plan check(fsr_graph *g, fsr_node x, bool tiles, fsr_schedule_kind kind, int vector) {
    sizes s;
    fsr_program program = planned(g, x, tiles, &s);
    if (program.info.kernels != 1)
        fail_msg("%s", program.explanation);
    const fsr_kernel *k = fsr_program_kernel(&program, 0)->kernel;
    const host_plan has = {.guards = k->nguards,
                           .versions = k->schedule.nversions,
                           .nests = 1 + (k->nests ? k->nests->n : 0),
                           .stores = stores_of(k),
                           .branched = k->schedule.branched};
    if (k->schedule.kind != kind || (vector && k->schedule.vector != vector))
        fail_msg("%s: schedule %s, vector %d", k->comment, fsr_schedule_name(k->schedule.kind), k->schedule.vector);
    run(fsr_program_kernel(&program, 0), &s);
    fsr_program_clear(&program);
    return has;
}

host_plan host_plan_check(fsr_graph *g, fsr_node x, fsr_schedule_kind kind, int vector) {
    return check(g, x, false, kind, vector);
}

host_plan host_plan_check_tiles(fsr_graph *g, fsr_node x) {
    return check(g, x, true, FSR_SCHEDULE_MAP, 1);
}

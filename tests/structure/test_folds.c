/* SPDX-License-Identifier: MIT */
/* Reductions, scans and row functions that are compositions: each is one kernel without a temporary, along rows that
 * fit on chip, long rows, columns, and over everything, planned for a GPU and a CPU. */
#include "tests/structure/plans.h"
#include "tests/support/recurrence.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_OUTS = 16 };
#define COUNT(list) (int)(sizeof(list) / sizeof *(list))

static fsr_graph_owner *owner;
static fsr_graph *graph;
static int wrong; /* plans of the running test that are not as expected: all of them are shown */

static int setup(void **state) {
    (void)state;
    wrong = 0;
    graph = node_graph(&owner);
    return graph ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    fsr_graph_owner_free(owner);
    return 0;
}

/* One kernel, no temporary; once: no array is read twice from memory. */
static void check(const char *name, const char *over, const fsr_node *out, int n, bool once) {
    static const fsr_target *const target[] = {&target_gpu, &target_cpu};
    for (int t = 0; t < COUNT(target); t++) {
        fsr_program p = plan_of(target[t], out, n);
        bool good = p.info.kernels == 1 && p.info.temporaries == 0;
        if (!good || (once && p.info.bytes_moved != p.info.bytes_min)) {
            wrong++;
            print_error("%s over %s on the %s: %d kernels, %lld of at least %lld bytes\n%s\n", name, over,
                        target[t]->gpu ? "GPU" : "CPU", p.info.kernels, (long long)p.info.bytes_moved,
                        (long long)p.info.bytes_min, p.explanation);
        }
        fsr_program_clear(&p);
    }
}

/* ---- reductions ------------------------------------------------------------------------------------------ */

static fsr_node var(fsr_site at, fsr_node x, const int *axes, int n, int flags) {
    return fsr_var_at(at, x, axes, n, flags, 1);
}
static fsr_node std(fsr_site at, fsr_node x, const int *axes, int n, int flags) {
    return fsr_std_at(at, x, axes, n, flags, 0);
}
static fsr_node nanvar(fsr_site at, fsr_node x, const int *axes, int n, int flags) {
    return fsr_nanvar_at(at, x, axes, n, flags, 1);
}
static fsr_node nanstd(fsr_site at, fsr_node x, const int *axes, int n, int flags) {
    return fsr_nanstd_at(at, x, axes, n, flags, 0);
}
static fsr_node norm_0(fsr_site at, fsr_node x, const int *axes, int n, int flags) {
    return fsr_norm_at(at, x, axes, n, flags, 0);
}
static fsr_node norm_1(fsr_site at, fsr_node x, const int *axes, int n, int flags) {
    return fsr_norm_at(at, x, axes, n, flags, 1);
}
static fsr_node norm_2(fsr_site at, fsr_node x, const int *axes, int n, int flags) {
    return fsr_norm_at(at, x, axes, n, flags, 2);
}
static fsr_node norm_3(fsr_site at, fsr_node x, const int *axes, int n, int flags) {
    return fsr_norm_at(at, x, axes, n, flags, 3);
}
static fsr_node norm_inf(fsr_site at, fsr_node x, const int *axes, int n, int flags) {
    return fsr_norm_at(at, x, axes, n, flags, INFINITY);
}
static fsr_node argmin(fsr_site at, fsr_node x, const int *axes, int n, int flags) {
    (void)n;
    return fsr_argmin_at(at, x, axes, 1, flags);
}
static fsr_node nanargmax(fsr_site at, fsr_node x, const int *axes, int n, int flags) {
    (void)n;
    return fsr_nanargmax_at(at, x, axes, 1, flags);
}
static fsr_node average(fsr_site at, fsr_node x, const int *axes, int n, int flags) {
    return fsr_average_at(at, x, fsr_mul_at(at, x, x), axes, n, flags);
}

typedef struct reduction {
    const char *name;
    fsr_node (*build)(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
} reduction;

static const reduction reductions[] = {
    {"var", var},
    {"std", std},
    {"nanvar", nanvar},
    {"nanstd", nanstd},
    {"norm 0", norm_0},
    {"norm 1", norm_1},
    {"norm 2", norm_2},
    {"norm 3", norm_3},
    {"norm inf", norm_inf},
    {"argmin", argmin},
    {"nanargmax", nanargmax},
    {"average", average},
    {"ptp", fsr_ptp_at},
    {"count_nonzero", fsr_count_nonzero_at},
    {"logsumexp", fsr_logsumexp_at},
    {"nansum", fsr_nansum_at},
    {"nanprod", fsr_nanprod_at},
    {"nanmin", fsr_nanmin_at},
    {"nanmax", fsr_nanmax_at},
    {"nanmean", fsr_nanmean_at},
};

typedef struct domain {
    const char *name;
    int64_t rows, cols;
    int axis; /* -1: both */
} domain;

static const domain domains[] = {
    {"short rows", 4096, 4000, 1},
    {"long rows", 3, 1 << 22, 1},
    {"columns", 4096, 4096, 0},
    {"everything", 1 << 12, 1 << 12, -1},
};

static fsr_node over(const domain *d, const reduction *r, fsr_node x) {
    return r->build(FSR_HERE, x, d->axis < 0 ? NULL : &d->axis, 1, 0);
}

static void reductions_are_one_kernel(void **state) {
    (void)state;
    for (int d = 0; d < COUNT(domains); d++)
        for (int r = 0; r < COUNT(reductions); r++) {
            fsr_node out = over(&domains[d], &reductions[r], plan_matrix(graph, domains[d].rows, domains[d].cols));
            check(reductions[r].name, domains[d].name, &out, 1, true);
        }
    assert_int_equal(wrong, 0);
}

/* What one asks of an unknown array, in one pass over it. */
static void siblings_are_one_kernel(void **state) {
    (void)state;
    for (int d = 0; d < COUNT(domains); d++) {
        fsr_node x = plan_matrix(graph, domains[d].rows, domains[d].cols), out[MAX_OUTS];
        const int *axis = domains[d].axis < 0 ? NULL : &domains[d].axis;
        out[0] = fsr_min(x, axis, 1, 0);
        out[1] = fsr_max(x, axis, 1, 0);
        out[2] = fsr_std(x, axis, 1, 0, 0);
        out[3] = fsr_count_nonzero(x, axis, 1, 0);
        out[4] = fsr_norm(x, axis, 1, 0, 2);
        out[5] = fsr_ptp(x, axis, 1, 0);
        check("min, max, std, count_nonzero, norm, ptp", domains[d].name, out, 6, true);
        out[6] = fsr_nanmean(x, axis, 1, 0);
        out[7] = fsr_nanmax(x, axis, 1, 0);
        out[8] = fsr_nansum(x, axis, 1, 0);
        check("skipping NaN too", domains[d].name, out, 9, true);
        if (!axis)
            continue;
        out[3] = fsr_argmin(x, axis, 1, 0);
        check("min, max, std, argmin", domains[d].name, out, 4, true);
    }
    assert_int_equal(wrong, 0);
}

/* ---- scans ----------------------------------------------------------------------------------------------- */

typedef fsr_node scan_fn(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
static scan_fn *const scans[] = {fsr_cumsum_at, fsr_cumprod_at, fsr_cummax_at,
                                 fsr_cummin_at, fsr_cumany_at,  fsr_cumall_at};
static const int scan_flags[] = {0, FSR_EXCLUSIVE, FSR_REVERSE, FSR_EXCLUSIVE | FSR_REVERSE};

/* From either end: maps before it, the scan, maps after it that read the operand again. */
static void scans_are_one_kernel(void **state) {
    (void)state;
    for (int d = 0; d < COUNT(domains) - 1; d++)
        for (int i = 0; i < COUNT(scans) * COUNT(scan_flags); i++) {
            fsr_node x = plan_matrix(graph, domains[d].rows, domains[d].cols), out;
            fsr_node s = scans[i / 4](FSR_HERE, fsr_mul(x, x), &domains[d].axis, 1, scan_flags[i % 4]);
            out = fsr_sub(fsr_mul(s, x), fsr_float(graph, 1));
            check("map, scan, map", domains[d].name, &out, 1, true);
        }
    assert_int_equal(wrong, 0);
}

/* A scan from the end beside reductions, which may run either way, whichever is recorded first; and a user's
 * operator. */
static void reverse_scans_and_reductions(void **state) {
    (void)state;
    for (int d = 0; d < COUNT(domains) - 1; d++) {
        const int *axis = &domains[d].axis;
        fsr_node x = plan_matrix(graph, domains[d].rows, domains[d].cols), out[6];
        out[0] = fsr_sum(x, axis, 1, 0);
        out[1] = fsr_cumsum(x, axis, 1, FSR_REVERSE);
        out[2] = fsr_max(x, axis, 1, FSR_KEEPDIMS);
        out[3] = fsr_cummin(x, axis, 1, FSR_REVERSE | FSR_EXCLUSIVE);
        check("sum, max and two scans from the end", domains[d].name, out, 4, true);
        out[4] = fsr_max(fsr_sub(out[1], x), axis, 1, 0);
        check("a reduction of such a scan", domains[d].name, out + 4, 1, true);
        fsr_scan_with(out, (fsr_node[]){x, x}, &linear_recurrence, axis, 1, FSR_REVERSE);
        check("a recurrence from the end", domains[d].name, out, 2, true);
    }
    assert_int_equal(wrong, 0);
}

/* Both directions of one array are two kernels, and the explanation says why. */
static void two_directions_are_two_kernels(void **state) {
    (void)state;
    fsr_node x = plan_matrix(graph, 4096, 4000), y = fsr_cumsum(x, (int[]){1}, 1, 0);
    fsr_node outs[] = {fsr_add(y, fsr_cumsum(y, (int[]){1}, 1, FSR_REVERSE)),
                       fsr_add(y, fsr_cumsum(x, (int[]){1}, 1, FSR_REVERSE))};
    for (int i = 0; i < 2; i++) {
        fsr_program p = plan_of(&target_gpu, &outs[i], 1);
        assert_int_equal(p.info.kernels, 2);
        assert_non_null(strstr(p.explanation, "the scans run in opposite directions"));
        fsr_program_clear(&p);
    }
}

/* ---- row functions ----------------------------------------------------------------------------------------- */

static void softmax(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    fsr_node e = fsr_exp(fsr_sub(in[0], fsr_max(in[0], NULL, 0, 0)));
    out[0] = fsr_div(e, fsr_sum(e, NULL, 0, 0));
}

static void weighted(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_sum(fsr_mul(in[0], in[1]), NULL, 0, 0);
    out[1] = fsr_cumsum(fsr_mul(in[0], in[1]), (int[]){0}, 1, FSR_REVERSE);
}

/* As the batch code would be. */
static void row_functions_are_one_kernel(void **state) {
    (void)state;
    fsr_node x = fsr_input(graph, "x", FSR_F32, 3, SHAPE(400, 50, 1000)), out[2];
    fsr_vectorize(out, 1, &x, 1, "(n)->(n)", softmax, NULL);
    check("softmax", "[400,50,1000]", out, 1, true);
    fsr_vectorize(out, 2, (fsr_node[]){x, plan_matrix(graph, 50, 1000)}, 2, "(n),(n)->(),(n)", weighted, NULL);
    check("dot and scan", "[400,50,1000] and [50,1000]", out, 2, false);
    fsr_vectorize(out, 1, (fsr_node[]){fsr_exp(x)}, 1, "(n)->(n)", softmax, NULL);
    out[0] = fsr_mul(out[0], fsr_float(graph, 2));
    check("map, softmax, map", "[400,50,1000]", out, 1, true);
}

/* Arrays made from indices alone: siblings that share what they compute are one kernel, others are not. */
static void siblings_of_nothing_read(void **state) {
    (void)state;
    const fsr_native f = {.name = "f", .result = FSR_F32, .parameters = "f32 x", .c = "?", .cuda = "?"};
    fsr_node x = fsr_arange(graph, FSR_F32, 1 << 20), y = fsr_call_native(&f, &x, 1), z = fsr_exp(x);
    fsr_node calls[] = {fsr_sum(y, NULL, 0, 0), fsr_max(y, NULL, 0, 0), y, fsr_neg(y)};
    fsr_node ops[] = {fsr_argmax(z, NULL, 0, 0), fsr_sum(z, NULL, 0, 0), z};
    fsr_node apart[] = {fsr_sum(fsr_exp(x), NULL, 0, 0),
                        fsr_sum(fsr_sin(fsr_arange(graph, FSR_F64, 1 << 20)), NULL, 0, 0)};
    check("native function", "indices", calls, COUNT(calls), false);
    check("exp", "indices", ops, COUNT(ops), false);
    fsr_program p = plan_of(&target_gpu, apart, 2);
    assert_int_equal(p.info.kernels, 2);
    fsr_program_clear(&p);
    assert_int_equal(wrong, 0);
}

/* A CPU takes short rows column by column, many rows in the inner loop: rows of 3 took 20 times as long one by one.
 * Long rows and few of them go one by one, of fewer elements than 64; scans do from 32 elements on, as what they take
 * and give goes beside each other in rows of any length below. */
static void short_rows(void **state) {
    (void)state;
    static const struct {
        int64_t rows, cols;
        fsr_schedule_kind kind[2];
    } cases[] = {
        {1 << 18, 3, {FSR_SCHEDULE_COL, FSR_SCHEDULE_COL}},  {1 << 18, 16, {FSR_SCHEDULE_COL, FSR_SCHEDULE_COL}},
        {32, 8, {FSR_SCHEDULE_COL, FSR_SCHEDULE_COL}},       {1 << 18, 17, {FSR_SCHEDULE_ROW, FSR_SCHEDULE_COL}},
        {1 << 18, 31, {FSR_SCHEDULE_ROW, FSR_SCHEDULE_COL}}, {1 << 18, 32, {FSR_SCHEDULE_ROW, FSR_SCHEDULE_ROW}},
        {31, 8, {FSR_SCHEDULE_COL, FSR_SCHEDULE_COL}},       {7, 8, {FSR_SCHEDULE_ROW, FSR_SCHEDULE_COL}},
        {3, 8, {FSR_SCHEDULE_ROW, FSR_SCHEDULE_ROW}},        {1 << 12, 1 << 12, {FSR_SCHEDULE_ROW, FSR_SCHEDULE_ROW}}};
    for (int i = 0; i < COUNT(cases); i++)
        for (int scan = 0; scan < 2; scan++) {
            fsr_node x = fsr_input(graph, "x", FSR_F32, 2, ((int64_t[]){cases[i].rows, cases[i].cols}));
            fsr_node out = scan ? fsr_cumsum(x, ((int[]){1}), 1, 0) : fsr_sum(fsr_mul(x, x), ((int[]){1}), 1, 0);
            fsr_program p = plan_of(&target_cpu, &out, 1);
            assert_int_equal(p.info.kernels, 1);
            assert_int_equal(fsr_program_kernel(&p, 0)->kernel->schedule.kind, cases[i].kind[scan]);
            fsr_program_clear(&p);
        }
}

/* Blocks of rows that are a part of memory's rows ask for columns ahead where they evaluate functions, and up to a
 * block's rows threads divide columns. */
static void columns_are_asked_for(void **state) {
    (void)state;
    const int rows = 0;
    const fsr_node x = fsr_input(graph, "x", FSR_F32, 2, ((int64_t[]){20000, 320}));
    const fsr_node y = fsr_input(graph, "y", FSR_F32, 2, ((int64_t[]){20000, 1 << 11}));
    const struct {
        fsr_node out;
        bool part, ahead;
    } cases[] = {{fsr_sum(fsr_exp(x), &rows, 1, 0), true, true},
                 {fsr_sum(fsr_exp(y), &rows, 1, 0), false, true},
                 {fsr_sum(x, &rows, 1, 0), true, false},
                 {fsr_sum(fsr_exp(fsr_transpose(x, NULL)), (int[]){1}, 1, 0), true, true}};
    for (int i = 0; i < COUNT(cases); i++) {
        fsr_program p = plan_of(&target_cpu, &cases[i].out, 1);
        const fsr_schedule s = fsr_program_kernel(&p, 0)->kernel->schedule;
        fsr_program_clear(&p);
        assert_int_equal(s.part > 0, cases[i].part);
        assert_int_equal(s.ahead != 0, cases[i].ahead);
    }
}

/* Rows that lie side by side and are gone over once come in long blocks, as far as their states are small, and several
 * columns at a time, if there are many of little work; so do those of several passes, of 32 columns and more that a
 * second cache holds; rows that lie one behind the other do not. */
static void blocks_of_rows(void **state) {
    (void)state;
    const int rows = 0, cols = 1;
    const fsr_node x = fsr_input(graph, "x", FSR_F32, 2, ((int64_t[]){1 << 12, 1 << 12}));
    const fsr_node y = fsr_input(graph, "y", FSR_F64, 2, ((int64_t[]){1 << 12, 1 << 12}));
    const fsr_node z = fsr_input(graph, "z", FSR_F32, 2, ((int64_t[]){1 << 18, 8}));
    const fsr_node few = fsr_input(graph, "v", FSR_F32, 2, ((int64_t[]){31, 1 << 12}));
    const fsr_node more = fsr_input(graph, "w", FSR_F32, 2, ((int64_t[]){100, 1 << 12}));
    const fsr_node mean = fsr_mean(more, &rows, 1, FSR_KEEPDIMS);
    const struct {
        fsr_node out;
        int abreast, unroll;
    } cases[] = {{fsr_sum(x, &rows, 1, 0), 1024, 4},
                 {fsr_sum(y, &rows, 1, 0), 512, 4},
                 {fsr_sum(fsr_exp(x), &rows, 1, 0), 1024, 0},
                 {fsr_sub(few, fsr_max(few, &rows, 1, FSR_KEEPDIMS)), 128, 0},
                 {fsr_div(fsr_sub(more, mean), fsr_sqrt(fsr_var(more, &rows, 1, 0, FSR_KEEPDIMS))), 256, 0},
                 {fsr_sum(z, &cols, 1, 0), 256, 0}};
    for (int i = 0; i < COUNT(cases); i++) {
        fsr_program p = plan_of(&target_cpu, &cases[i].out, 1);
        const fsr_schedule s = fsr_program_kernel(&p, 0)->kernel->schedule;
        fsr_program_clear(&p);
        assert_int_equal(s.abreast, cases[i].abreast);
        assert_int_equal(s.unroll, cases[i].unroll);
    }
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(short_rows),
        T(columns_are_asked_for),
        T(blocks_of_rows),
        T(reductions_are_one_kernel),
        T(siblings_are_one_kernel),
        T(scans_are_one_kernel),
        T(reverse_scans_and_reductions),
        T(two_directions_are_two_kernels),
        T(row_functions_are_one_kernel),
        T(siblings_of_nothing_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

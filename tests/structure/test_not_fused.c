/* SPDX-License-Identifier: MIT */
/* What must not be one kernel, and that explain says why; chains longer than the limits; fuel, unfused and skipped
 * passes. */
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"

static const int axis0 = 0, axis1 = 1;

/* The plan has this many kernels on both targets (or on one), and every word of `reason` is in its explanation. */
static void check_on(const fsr_target *target, const fsr_node *outs, int n, int kernels, const char *reason) {
    fsr_program p = plan_of(target, outs, n);
    bool said = !reason || strstr(p.explanation, reason);
    bool silent = reason || !strstr(p.explanation, "not fused");
    int got = p.info.kernels;
    if (got != kernels || !said || !silent)
        print_error("on the %s:\n%s\n", target->gpu ? "GPU" : "CPU", p.explanation);
    fsr_program_clear(&p);
    assert_int_equal(got, kernels);
    assert_true(said);
    assert_true(silent);
}

static void check(const fsr_node *outs, int n, int kernels, const char *reason) {
    check_on(&target_gpu, outs, n, kernels, reason);
    check_on(&target_cpu, outs, n, kernels, reason);
}

/* ---- reasons ------------------------------------------------------------------------------------------------- */

/* The domain of both sums is the same, but the second needs the scan, which needs the first complete. */
static void cycle(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, 500, 300), s = fsr_sum(x, &axis1, 1, 0), t = fsr_cumsum(s, (int[]){0}, 1, 0);
    fsr_node u = fsr_sum(fsr_mul(x, fsr_expand(t, 1)), &axis1, 1, 0);
    check(&u, 1, 3, "not fused: sum (%1) into cumsum (%3): the folds have different domains");
    fsr_node v = fsr_sum(fsr_mul(fsr_mul(x, fsr_expand(s, 1)), fsr_expand(t, 1)), &axis1, 1, 0);
    check(&v, 1, 3, "the kernels would need each other's results");
}

/* Row i's sum is needed at column i. */
static void transposed_result(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, 400, 400), y = fsr_add(x, fsr_sum(x, &axis1, 1, 0));
    check(&y, 1, 2, "not fused: sum (%1) into add (%3): the fold's result is needed in another order");
}

static void flipped_scan(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, 5000), y = fsr_add(x, fsr_flip(fsr_cumsum(x, (int[]){0}, 1, 0), 0));
    check(&y, 1, 2, "the fold's result is needed in another order or at other places than it is produced");
}

/* A window's sum as the difference of a running sum at two places. */
static void shifted_scan(void **state) {
    (void)state;
    fsr_node c = fsr_cumsum(plan_vector(g, 5000), (int[]){0}, 1, 0);
    fsr_node y = fsr_sub(fsr_slice(c, 0, 10, FSR_SLICE_END, 1), fsr_slice(c, 0, 0, -10, 1));
    check(&y, 1, 2, "not fused: cumsum (%1) into sub (%4): the stored value's shape is not the kernel's");
}

static void reduction_of_reduction(void **state) {
    (void)state;
    fsr_node y = fsr_max(fsr_sum(plan_matrix(g, 500, 300), &axis1, 1, 0), NULL, 0, 0);
    check(&y, 1, 2, "not fused: sum (%1) into max (%3): the folds have different domains");
}

/* One input, two orders: no edge between the kernels, so nothing to explain. */
static void rows_and_columns(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, 500, 300);
    fsr_node out[2] = {fsr_sum(x, &axis1, 1, 0), fsr_sum(x, &axis0, 1, 0)};
    check(out, 2, 2, NULL);
}

static void other_extents(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, 5000);
    fsr_node out[2] = {fsr_sum(x, NULL, 0, 0), fsr_sum(fsr_slice(x, 0, 0, 100, 1), NULL, 0, 0)};
    check(out, 2, 2, NULL);
    fsr_node maps[2] = {fsr_exp(x), fsr_exp(fsr_slice(x, 0, 0, 100, 1))};
    check(maps, 2, 2, NULL);
}

static void nothing_shared(void **state) {
    (void)state;
    fsr_node maps[2] = {fsr_exp(plan_vector(g, 500)), fsr_exp(plan_vector(g, 500))};
    check(maps, 2, 2, NULL);
    fsr_node sums[2] = {fsr_sum(plan_vector(g, 500), NULL, 0, 0), fsr_sum(plan_vector(g, 500), NULL, 0, 0)};
    check(sums, 2, 2, NULL);
}

static void materialize_hint(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, 5000), e = fsr_hint_set(fsr_exp(x), FSR_HINT_MATERIALIZE), y = fsr_add(e, x);
    check(&y, 1, 2, "not fused: exp (%1) into add (%2): a hint asks to store the value");
    fsr_node s = fsr_sum(e, NULL, 0, 0);
    check(&s, 1, 2, "not fused: exp (%1) into sum (%2)");
    fsr_node r = fsr_hint_set(fsr_sum(x, NULL, 0, 0), FSR_HINT_MATERIALIZE), z = fsr_exp(r);
    check(&z, 1, 2, "a hint asks to store the value");
    fsr_hint_set(e, FSR_HINT_NONE);
    check(&y, 1, 1, NULL);
}

/* A hinted view is stored, and read in order. */
static void materialized_view(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, 300, 400), t = fsr_hint_set(fsr_transpose(x, NULL), FSR_HINT_MATERIALIZE);
    fsr_node y = fsr_exp(t);
    check(&y, 1, 2, "a hint asks to store the value");
}

/* The flat order of a transposed array is no sum of strides: the transposed array is stored first. */
static void reshape_of_view(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, 500, 500), flat = fsr_reshape(fsr_transpose(x, NULL), 1, SHAPE(250000));
    fsr_node y = fsr_reshape(fsr_flip(flat, 0), 2, SHAPE(250, 1000));
    check(&y, 1, 2, "a reshape of a view has no affine index");
    fsr_node every =
        fsr_slice(fsr_reshape(fsr_slice(fsr_exp(x), 1, 0, 300, 1), 1, SHAPE(150000)), 0, 0, FSR_SLICE_END, 7);
    check(&every, 1, 2, "a reshape of a view has no affine index");
}

static void reshaped_count(void **state) {
    (void)state;
    fsr_node m = fsr_broadcast_to(fsr_arange(g, FSR_I32, 300), 2, SHAPE(200, 300));
    fsr_node y = fsr_slice(fsr_reshape(m, 1, SHAPE(60000)), 0, 0, FSR_SLICE_END, 7);
    fsr_program p = plan_of(&target_gpu, &y, 1);
    int kernels = p.info.kernels;
    fsr_program_clear(&p);
    assert_int_equal(kernels, 2);
}

/* A scan of one long row after a reduction of it: no block can hold the row, and teams of blocks do not scan. */
static void long_rows(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, 1 << 24), y = fsr_cumsum(fsr_sub(x, fsr_max(x, NULL, 0, 0)), (int[]){0}, 1, 0);
    check_on(&target_gpu, &y, 1, 2, "its rows are too long for a block to hold and too few to fill the machine");
    check_on(&target_cpu, &y, 1, 1, NULL);
}

/* Teams wait for each other: where a device cannot promise that they run at once, nothing may be scheduled so. */
static void no_teams(void **state) {
    (void)state;
    fsr_target lonely = target_gpu;
    lonely.cooperative = false;
    fsr_node x = plan_vector(g, 1 << 24), y = fsr_sub(x, fsr_max(x, NULL, 0, 0));
    check_on(&target_gpu, &y, 1, 1, NULL);
    check_on(&lonely, &y, 1, 2, "its rows are too long for a block to hold and too few to fill the machine");
    x = plan_matrix(g, 1024, 1 << 20);
    y = fsr_sub(x, fsr_max(x, &axis1, 1, FSR_KEEPDIMS));
    fsr_program p = plan_of(&lonely, &y, 1);
    for (int i = 0; i < p.info.kernels; i++)
        assert_int_equal(fsr_program_kernel(&p, i)->kernel->schedule.kind, FSR_SCHEDULE_ROW);
    fsr_program_clear(&p);
    p = plan_of(&target_gpu, &y, 1);
    assert_int_equal(fsr_program_kernel(&p, 0)->kernel->schedule.kind, FSR_SCHEDULE_TEAM);
    fsr_program_clear(&p);
}

static void few_columns(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, 100000, 64), y = fsr_sub(x, fsr_max(x, &axis0, 1, FSR_KEEPDIMS));
    check_on(&target_gpu, &y, 1, 2, "too few columns to give each a thread");
    check_on(&target_cpu, &y, 1, 2, "two kernels cost less than one");
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

static void check_limits(const fsr_program *p) {
    for (int i = 0; i < p->info.kernels; i++) {
        assert_in_range(fsr_program_kernel(p, i)->kernel->ninsts, 1, FSR_MAX_INSTS);
        assert_in_range(fsr_program_kernel(p, i)->kernel->narrays, 1, FSR_MAX_BUFFERS);
    }
}

/* Every value between kernels is written by one thunk and read by a later one, and by none before. */
static void check_temporaries(const fsr_program *p) {
    for (int t = 0; t < p->ntemporaries; t++) {
        int writes = 0, reads = 0;
        if (p->temporary[t].link.id < 0)
            continue;
        for (int i = 0; i < p->nthunks; i++)
            for (int a = 0; a < p->thunk[i].nuses; a++) {
                fsr_slot slot = p->thunk[i].use[a].slot;
                if (slot.kind != FSR_SLOT_TEMPORARY || slot.ordinal != t)
                    continue;
                bool written = p->thunk[i].use[a].written;
                assert_true(written ? reads == 0 : writes == 1);
                *(written ? &writes : &reads) += 1;
            }
        assert_int_equal(writes, 1);
        assert_true(reads > 0);
    }
}

static void check_chain(const fsr_target *target, int length, int least, int most) {
    fsr_node x = plan_vector(g, 5000);
    for (int i = 0; i < length; i++)
        x = fsr_sin(x);
    double start = plan_seconds();
    fsr_program p = plan_of(target, &x, 1);
    double seconds = plan_seconds() - start;
    assert_in_range(p.info.kernels, least, most);
    assert_int_equal(p.info.temporaries, p.info.kernels - 1);
    assert_true(p.arena_bytes <= 3 * 20224);
    assert_non_null(strstr(p.explanation, "the kernel would have too long a program"));
    check_limits(&p);
    check_temporaries(&p);
    fsr_program_clear(&p);
    if (seconds >= 1.0 * SLOWER)
        fail_msg("planning %d operations took %.2f s", length, seconds);
}

static void chain_300(void **state) {
    (void)state;
    check_chain(&target_gpu, 300, 2, 2);
    check_chain(&target_cpu, 300, 2, 2);
}

static void chain_3000(void **state) {
    (void)state;
    check_chain(&target_gpu, 3000, 6, 30);
    check_chain(&target_cpu, 3000, 6, 30);
}

static void chain_100000(void **state) {
    (void)state;
    check_chain(&target_gpu, 100000, 200, 1000);
}

/* n nodes, each of the last one and of one of the 64 before it. Seconds to plan them. */
static double plan_tangle(int n) {
    fsr_node *x = malloc(sizeof *x * (size_t)n);
    x[0] = plan_vector(g, 5000);
    for (int i = 1; i < n; i++)
        x[i] = fsr_maximum(x[i - 1], fsr_neg(x[i - 1 - i * 7 % (i < 64 ? i : 64)]));
    double start = plan_seconds();
    fsr_program p = plan_of(&target_gpu, &x[n - 1], 1);
    double seconds = plan_seconds() - start;
    check_limits(&p);
    fsr_program_clear(&p);
    free(x);
    return seconds;
}

/* Whether a kernel may join another is asked for each of thousands: the answer must not visit them all. */
static void tangles_scale(void **state) {
    (void)state;
    double small = plan_tangle(2000), large = plan_tangle(10000);
    if (large > 12 * small + 0.2 * SLOWER)
        fail_msg("planning 2000 tangled nodes took %.2f s, 10000 %.2f s", small, large);
}

static void many_arrays(void **state) {
    (void)state;
    fsr_node a = plan_vector(g, 5000);
    for (int i = 0; i < 40; i++)
        a = fsr_add(a, plan_vector(g, 5000));
    fsr_program p = plan_of(&target_gpu, &a, 1);
    assert_in_range(p.info.kernels, 2, 4);
    assert_non_null(strstr(p.explanation, "too many arrays"));
    check_limits(&p);
    check_temporaries(&p);
    fsr_program_clear(&p);
}

/* The words that indices report to are arrays of a kernel, five for each of these sources; the indices, a sum so far
 * and the result are three more. */
static void many_reports(void **state) {
    (void)state;
    enum { FIT = (FSR_MAX_BUFFERS - 3) / 6 };
    fsr_node i = fsr_input(g, "i", FSR_I64, 1, SHAPE(3)), sum = {0};
    for (int k = 0; k < 2 * FIT; k++) {
        fsr_node x = fsr_input(g, "x", FSR_F32, 5, SHAPE(9, 9, 9, 9, 9));
        fsr_node taken = fsr_index(x, ((fsr_node[]){i, i, i, i, i}), 5, FSR_INDEX_RAISE);
        sum = k ? fsr_add(sum, taken) : taken;
        check(&sum, 1, k < FIT ? 1 : 2, k < FIT ? NULL : "");
    }
}

static void tree_of_arrays(void **state) {
    (void)state;
    fsr_node a[128];
    for (int i = 0; i < 128; i++)
        a[i] = plan_vector(g, 5000);
    for (int n = 128; n > 1; n /= 2)
        for (int i = 0; i < n / 2; i++)
            a[i] = fsr_add(a[2 * i], a[2 * i + 1]);
    fsr_program p = plan_of(&target_cpu, &a[0], 1);
    assert_in_range(p.info.kernels, 4, 16);
    check_limits(&p);
    check_temporaries(&p);
    fsr_program_clear(&p);
}

/* x = x + x: 2^40 paths, 40 additions. */
static void shared_doubling(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, 5000);
    for (int i = 0; i < 40; i++)
        x = fsr_add(x, x);
    fsr_program p = plan_of(&target_gpu, &x, 1);
    assert_int_equal(p.info.kernels, 1);
    assert_int_equal(p.info.temporaries, 0);
    assert_int_equal(fsr_program_kernel(&p, 0)->kernel->ninsts, 42);
    fsr_program_clear(&p);
}

/* The same through views, where the index differs at each use: 2^n instructions if nothing stopped it. */
static void doubling_by_shifts(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, 1 << 20);
    for (int i = 0; i < 40; i++)
        x = fsr_add(fsr_slice(x, 0, 1, FSR_SLICE_END, 1), fsr_slice(x, 0, 0, -1, 1));
    double start = plan_seconds();
    fsr_program p = plan_of(&target_gpu, &x, 1);
    assert_true(plan_seconds() - start < 2.0 * SLOWER);
    assert_in_range(p.info.kernels, 1, 20);
    check_limits(&p);
    check_temporaries(&p);
    fsr_program_clear(&p);
}

/* y + y.T each time: the uses of one node multiply, although the chain is short. */
static void doubling_by_transposes(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, 64, 64);
    for (int i = 0; i < 12; i++)
        x = fsr_mul(fsr_flip(x, i & 1), fsr_transpose(x, NULL));
    fsr_program p = plan_of(&target_gpu, &x, 1);
    check_limits(&p);
    check_temporaries(&p);
    fsr_program_clear(&p);
}

static void many_reductions(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, 5000), out[40];
    for (int i = 0; i < 40; i++)
        out[i] = fsr_sum(fsr_mul(x, fsr_float(g, i + 2)), NULL, 0, 0);
    fsr_program p = plan_of(&target_gpu, out, 40);
    assert_in_range(p.info.kernels, 2, 8);
    check_limits(&p);
    fsr_program_clear(&p);
}

static void many_outputs(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, 5000), out[100];
    for (int i = 0; i < 100; i++)
        out[i] = fsr_mul(x, fsr_float(g, i + 2));
    fsr_program p = plan_of(&target_gpu, out, 100);
    assert_in_range(p.info.kernels, 3, 10);
    check_limits(&p);
    fsr_program_clear(&p);
}

static void many_parameters(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, 5000);
    for (int i = 0; i < 100; i++)
        x = fsr_mul(x, fsr_param(g, "p", FSR_F32, i));
    fsr_program p = plan_of(&target_gpu, &x, 1);
    assert_in_range(p.info.kernels, 2, 8);
    check_limits(&p);
    check_temporaries(&p);
    fsr_program_clear(&p);
}

/* ---- switches ---------------------------------------------------------------------------------------------------- */

/* Softmax, its column sums and a running sum: maps, views, three reductions and a scan. */
static int mixed(fsr_node *out) {
    fsr_node x = plan_matrix(g, 300, 400), e = fsr_exp(fsr_sub(x, fsr_max(x, &axis1, 1, FSR_KEEPDIMS)));
    out[0] = fsr_div(e, fsr_sum(e, &axis1, 1, FSR_KEEPDIMS));
    out[1] = fsr_sum(out[0], &axis0, 1, 0);
    out[2] = fsr_sqrt(fsr_cumsum(fsr_mul(out[1], out[1]), (int[]){0}, 1, 0));
    return 3;
}
enum { MIXED_OPS = 9 };

static fsr_plan_info query(const fsr_node *outs, int n, plan_knobs knobs) {
    fsr_program p = plan_make(&target_gpu, outs, n, knobs);
    fsr_plan_info info = p.info;
    check_temporaries(&p);
    fsr_program_clear(&p);
    return info;
}

static void unfused_is_one_kernel_a_node(void **state) {
    (void)state;
    fsr_node out[3];
    fsr_plan_info info = query(out, mixed(out), (plan_knobs){.unfused = true});
    assert_int_equal(info.kernels, MIXED_OPS);
    assert_int_equal(info.temporaries, MIXED_OPS - 3);
    assert_int_equal(info.fusions, 0);
}

/* A chain of n maps unfused is n kernels; siblings are not merged; a broadcast or a cast is no kernel. */
static void unfused_counts(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, 50, 60), y = x;
    for (int i = 0; i < 25; i++)
        y = fsr_add(y, plan_vector(g, 60));
    assert_int_equal(query(&y, 1, (plan_knobs){.unfused = true}).kernels, 25);
    fsr_node both[2] = {fsr_min(x, NULL, 0, 0), fsr_max(x, NULL, 0, 0)};
    assert_int_equal(query(both, 2, (plan_knobs){.unfused = true}).kernels, 2);
    fsr_node c = fsr_sqrt(fsr_cast(x, FSR_F64));
    assert_int_equal(query(&c, 1, (plan_knobs){.unfused = true}).kernels, 1);
}

static void fuel_is_monotone(void **state) {
    (void)state;
    fsr_node out[3];
    int n = mixed(out);
    fsr_plan_info all = query(out, n, (plan_knobs){0}), none = query(out, n, (plan_knobs){.unfused = true});
    assert_true(all.kernels < none.kernels && all.fusions > 3);
    fsr_plan_info before = query(out, n, (plan_knobs){.fueled = true, .fuel = 0});
    assert_int_equal(before.kernels, none.kernels);
    assert_int_equal(before.fusions, 0);
    for (int fuel = 1; fuel <= all.fusions + 1; fuel++) {
        fsr_plan_info now = query(out, n, (plan_knobs){.fueled = true, .fuel = fuel});
        assert_int_equal(now.fusions, fuel < all.fusions ? fuel : all.fusions);
        assert_true(now.kernels <= before.kernels);
        before = now;
    }
    assert_int_equal(before.kernels, all.kernels);
    assert_int_equal(before.bytes_moved, all.bytes_moved);
}

static void skipped_pass(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, 5000), out[2] = {fsr_exp(fsr_neg(x)), fsr_exp(fsr_neg(x))};
    assert_int_equal(query(out, 2, (plan_knobs){.unfused = true}).kernels, 2);
    assert_int_equal(query(out, 2, (plan_knobs){.unfused = true, .skip = "cse"}).kernels, 4);
    assert_int_equal(query(out, 2, (plan_knobs){.unfused = true, .skip = "fold,cse"}).kernels, 4);
    fsr_node y = fsr_mul(fsr_exp(x), fsr_float(g, 1));
    assert_int_equal(query(&y, 1, (plan_knobs){.unfused = true}).kernels, 1);
    assert_int_equal(query(&y, 1, (plan_knobs){.unfused = true, .skip = "simplify"}).kernels, 2);
}

/* Equal graphs give equal plans, kernel by kernel. */
static void planning_is_repeatable(void **state) {
    (void)state;
    fsr_node out[3], again[3];
    int n = mixed(out);
    mixed(again);
    fsr_program a = plan_of(&target_gpu, out, n), b = plan_of(&target_gpu, again, n);
    int same = strcmp(a.explanation, b.explanation);
    fsr_program_clear(&a);
    fsr_program_clear(&b);
    assert_int_equal(same, 0);
}

/* A new size is the same source: kernels of equal structure have equal names. */
static void kernels_are_generic_in_sizes(void **state) {
    (void)state;
    const int64_t rows[] = {4096, 4100}, cols[] = {4096, 4092};
    char name[2][64];
    for (int i = 0; i < 2; i++) {
        fsr_node x = plan_matrix(g, rows[i], cols[i]);
        fsr_node y = fsr_sub(x, fsr_max(x, &axis1, 1, FSR_KEEPDIMS));
        fsr_program p = plan_of(&target_gpu, &y, 1);
        snprintf(name[i], sizeof name[i], "%s", fsr_program_kernel(&p, 0)->kernel->name);
        fsr_program_clear(&p);
    }
    assert_string_equal(name[0], name[1]);
}

/* Nine neighbours go equally far along the rows: one stride and eight offsets, beside the result's, of a domain of two
 * extents. */
static void neighbours_share_strides(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, 100, 4096), sum = x;
    for (int i = 0; i < 9; i++) {
        fsr_node rows = fsr_slice(x, 0, i / 3, 98 + i / 3, 1), at = fsr_slice(rows, 1, i % 3, 4094 + i % 3, 1);
        sum = i ? fsr_add(sum, at) : at;
    }
    fsr_program p = plan_of(&target_gpu, &sum, 1);
    const int nints = fsr_program_kernel(&p, 0)->kernel->nints;
    fsr_program_clear(&p);
    assert_int_equal(nints, FSR_INT_EXTENT + 2 + 2 + 8);
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(cycle),
        T(transposed_result),
        T(flipped_scan),
        T(shifted_scan),
        T(reduction_of_reduction),
        T(rows_and_columns),
        T(other_extents),
        T(nothing_shared),
        T(materialize_hint),
        T(materialized_view),
        T(reshape_of_view),
        T(reshaped_count),
        T(long_rows),
        T(no_teams),
        T(few_columns),
        T(chain_300),
        T(chain_3000),
        T(chain_100000),
        T(tangles_scale),
        T(many_arrays),
        T(many_reports),
        T(tree_of_arrays),
        T(shared_doubling),
        T(doubling_by_shifts),
        T(doubling_by_transposes),
        T(many_reductions),
        T(many_outputs),
        T(many_parameters),
        T(unfused_is_one_kernel_a_node),
        T(unfused_counts),
        T(fuel_is_monotone),
        T(skipped_pass),
        T(planning_is_repeatable),
        T(kernels_are_generic_in_sizes),
        T(neighbours_share_strides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

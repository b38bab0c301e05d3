/* SPDX-License-Identifier: MIT */
/* Filters: maps before and after, several arrays, counts and other reductions are one kernel without temporaries, on
 * both targets; what is not, and why. */
#include "fusion/filter.h"
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"
#include <math.h>

static void check_on(const fsr_target *target, const fsr_node *outs, int n, int64_t bytes, fsr_schedule_kind kind) {
    fsr_program p = plan_of(target, outs, n);
    bool good = p.info.kernels == 1 && p.info.temporaries == 0 && p.info.bytes_moved == bytes &&
                fsr_program_kernel(&p, 0)->kernel->schedule.kind == kind;
    if (!good)
        print_error("on the %s: %lld bytes wanted\n%s\n", target->gpu ? "GPU" : "CPU", (long long)bytes, p.explanation);
    fsr_program_clear(&p);
    assert_true(good);
}

/* One kernel, no temporary, so many bytes. */
static void check(const fsr_node *outs, int n, int64_t bytes) {
    check_on(&target_gpu, outs, n, bytes, FSR_SCHEDULE_LOOKBACK);
    check_on(&target_cpu, outs, n, bytes, FSR_SCHEDULE_ROW);
}

enum { N = 1 << 24, BYTES = 4 * N };

/* Stores at computed addresses, or compacted ones. */
static int count(const fsr_program *p, bool compacted) {
    int n = 0;
    for (int s = 0; s < p->info.kernels; s++) {
        const fsr_kernel *k = fsr_program_kernel(p, s)->kernel;
        for (int i = 0; i < k->ninsts; i++)
            n += compacted ? k->inst[i].filter : fsr_inst_scatters(k, &k->inst[i]);
    }
    return n;
}

static void check_stores(const fsr_target *target, fsr_node out, int placed, int compacted) {
    fsr_program p = plan_of(target, &out, 1);
    bool told = strstr(p.explanation, "filters: compacted") != NULL;
    if (count(&p, false) != placed || count(&p, true) != compacted || told != (compacted > 0))
        fail_msg("on the %s: %d placed, %d compacted\n%s", target->gpu ? "GPU" : "CPU", placed, compacted,
                 p.explanation);
    fsr_program_clear(&p);
}

static void of_row(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_filter(in[0], fsr_greater(in[0], fsr_float(g, 0)), fsr_float(g, 1));
}

/* Compacted where columns are gone along in order, on a CPU those of one row; else each element is stored at its
 * place. */
static void compacted(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, N), y = plan_vector(g, N), mask = fsr_greater(x, y), rows;
    fsr_node kept = fsr_filter(x, mask, fsr_float(g, 0)), both = fsr_mul(kept, fsr_filter(y, mask, fsr_float(g, 0)));
    check_stores(&target_cpu, kept, 0, 1);
    check_stores(&target_gpu, kept, 0, 1);
    check_stores(&target_cpu, fsr_exp(both), 0, 1);
    check_stores(
        &target_cpu,
        fsr_cumsum(fsr_filter(x, fsr_greater(fsr_cumsum(x, (int[]){0}, 1, 0), y), fsr_float(g, 0)), (int[]){0}, 1, 0),
        0, 1);
    fsr_node m = plan_matrix(g, 1 << 12, 1 << 12);
    fsr_vectorize(&rows, 1, &m, 1, "(n)->(n)", of_row, NULL);
    check_stores(&target_cpu, rows, 1, 0);
    check_stores(&target_gpu, rows, 0, 1);
    m = fsr_transpose(m, NULL);
    fsr_vectorize(&rows, 1, &m, 1, "(n)->(n)", of_row, NULL);
    check_stores(&target_gpu, rows, 1, 0);
}

static void one_kernel(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, N), y = plan_vector(g, N), zero = fsr_float(g, 0);
    fsr_node mask = fsr_greater(fsr_mul(x, y), fsr_float(g, 0.5)), count = fsr_count_nonzero(mask, NULL, 0, 0);
    fsr_node kept = fsr_filter(x, mask, zero), logs = fsr_log(fsr_filter(fsr_abs(y), mask, fsr_float(g, 1)));
    check(&kept, 1, 3 * BYTES);
    check((fsr_node[]){kept, count}, 2, 3 * BYTES + 8);
    check((fsr_node[]){fsr_filter(x, fsr_greater(x, zero), zero)}, 1, 2 * BYTES);
    check((fsr_node[]){kept, logs, count}, 3, 4 * BYTES + 8);
    check((fsr_node[]){fsr_sqrt(fsr_add(kept, logs))}, 1, 3 * BYTES);
    check((fsr_node[]){kept, fsr_sum(logs, NULL, 0, 0), fsr_max(kept, NULL, 0, 0)}, 3, 3 * BYTES + 8);
    fsr_node m = plan_matrix(g, 1 << 12, 1 << 12);
    check((fsr_node[]){fsr_filter(m, fsr_greater(m, zero), zero)}, 1, 2 * BYTES);
}

/* A row that a block holds; and another extent is no other kernel. */
static void small(void **state) {
    (void)state;
    char *name[2];
    for (int i = 0; i < 2; i++) {
        fsr_node x = plan_vector(g, 3000 + 8 * i),
                 kept = fsr_filter(x, fsr_greater(x, fsr_float(g, 0)), fsr_float(g, 1));
        fsr_program p = plan_of(&target_gpu, &kept, 1);
        assert_int_equal(p.info.kernels, 1);
        assert_int_equal(fsr_program_kernel(&p, 0)->kernel->schedule.kind, FSR_SCHEDULE_ROW);
        name[i] = strdup(fsr_program_kernel(&p, 0)->kernel->name);
        fsr_program_clear(&p);
    }
    assert_string_equal(name[0], name[1]);
    free(name[0]);
    free(name[1]);
}

/* So many kernels without temporaries on both targets. */
static void kernels(const fsr_node *outs, int n, int count) {
    const fsr_target *const targets[] = {&target_gpu, &target_cpu};
    for (int t = 0; t < 2; t++) {
        fsr_program p = plan_of(targets[t], outs, n);
        const bool good = p.info.kernels == count && p.info.temporaries == 0;
        if (!good)
            print_error("on the %s:\n%s\n", targets[t]->gpu ? "GPU" : "CPU", p.explanation);
        fsr_program_clear(&p);
        assert_true(good);
    }
}

/* What is done to values with a length is in the kernel of their filter; reductions of them need none. */
static void lengths(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, N), y = plan_vector(g, N), zero = fsr_float(g, 0);
    fsr_node mask = fsr_greater(fsr_mul(x, y), fsr_float(g, 0.5)), a = fsr_compress(mask, x), b = fsr_compress(mask, y);
    check((fsr_node[]){a, fsr_live_count(a)}, 2, 3 * BYTES + 8);
    check((fsr_node[]){fsr_sqrt(fsr_add(a, fsr_log(fsr_abs(b))))}, 1, 3 * BYTES);
    check((fsr_node[]){fsr_filled(a, zero)}, 1, 3 * BYTES);
    check((fsr_node[]){a, fsr_sum(b, NULL, 0, 0), fsr_live_count(b)}, 3, 3 * BYTES + 12);
    kernels((fsr_node[]){fsr_sum(fsr_exp(a), NULL, 0, 0), fsr_mean(b, NULL, 0, 0)}, 2, 1);
    kernels((fsr_node[]){fsr_max(a, NULL, 0, 0)}, 1, 1);
    fsr_node given = fsr_live(x, fsr_input(g, "n", FSR_I64, 0, NULL));
    kernels((fsr_node[]){fsr_sum(fsr_exp(given), NULL, 0, 0), fsr_argmax(given, NULL, 0, 0)}, 2, 1);
    kernels((fsr_node[]){fsr_filled(fsr_mul(given, given), zero)}, 1, 1);
    check_stores(&target_cpu, a, 0, 1);
    check_stores(&target_gpu, a, 0, 1);
}

/* Half of an array and how many: lines of 16 bytes though the count has 8, no partial states of the count; two blocks
 * on a multiprocessor at least, as nothing of a tile waits in registers, or one with a ring of slots. */
static void check_half(const fsr_target *target, int64_t n, bool ring) {
    fsr_node x = plan_vector(g, n), kept = fsr_compress(fsr_greater(x, fsr_float(g, 0.5)), x);
    fsr_program p = plan_of(target, (fsr_node[]){kept, fsr_live_count(kept)}, 2);
    const fsr_schedule *s = &fsr_program_kernel(&p, 0)->kernel->schedule;
    const bool good = p.info.kernels == 1 && s->kind == FSR_SCHEDULE_LOOKBACK && s->vector == 4 && s->pooled &&
                      s->riding &&
                      (ring ? s->members == target->processors && s->slots >= 6 && s->resident == 1
                            : s->resident >= 2 && s->members == 0 && s->slots == 0);
    if (!good)
        print_error("%s\n", p.explanation);
    fsr_program_clear(&p);
    assert_true(good);
}

/* A ring takes a machine that copies by itself and gives a block as much shared memory, and a row of many tiles. */
static void selected_and_count(void **state) {
    (void)state;
    fsr_target alike = target_gpu, narrow = target_gpu, alone = target_gpu;
    alike.processors = 60;
    narrow.launched_bytes = 99 << 10;
    alone.cooperative = false;
    check_half(&target_gpu, N, true);
    check_half(&alike, N, true);
    check_half(&target_gpu, N / 4, false);
    check_half(&target_gpu_84, N, false);
    check_half(&narrow, N, false);
    check_half(&alone, N, false);
}

/* The schedule of the only kernel. */
static fsr_schedule schedule_of(const fsr_node *outs, int n) {
    fsr_program p = plan_of(&target_gpu, outs, n);
    const fsr_schedule s = fsr_program_kernel(&p, 0)->kernel->schedule;
    assert_int_equal(p.info.kernels, 1);
    fsr_program_clear(&p);
    return s;
}

/* Slots of 24 KB at most: of numbers, of places, of bytes, of two arrays; more of them where they are smaller. What is
 * read from the other end goes through none, nor does a scan, of which nothing may lie in memory. */
static void rings_of_any_width(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, N), y = fsr_neg(plan_vector(g, N)), mask = fsr_less(x, y);
    fsr_node small = fsr_input(g, "u", FSR_U8, 1, SHAPE(2 * N)),
             odd = fsr_equal(fsr_bitwise_and(small, fsr_int(g, 1)), fsr_int(g, 1));
    fsr_node places = fsr_flatnonzero(fsr_greater(x, fsr_float(g, 0.5))), both = fsr_compress(mask, fsr_mul(x, y));
    fsr_node bytes = fsr_compress(odd, small);
    fsr_node half = fsr_compress(fsr_greater(x, fsr_float(g, 0.5)), x);
    fsr_node next = fsr_compress(fsr_less(x, fsr_flip(x, 0)), x);
    fsr_node counted = fsr_cumsum(fsr_arange(g, FSR_F32, N), (int[]){0}, 1, 0);
    fsr_schedule s = schedule_of(&places, 1);
    assert_true(s.slots == 8 && s.items == 6);
    s = schedule_of(&both, 1);
    assert_true(s.slots == 12 && s.items == 4);
    s = schedule_of(&half, 1);
    assert_true(s.slots == 8 && s.items == 12);
    s = schedule_of(&bytes, 1);
    assert_true(s.slots == 12 && s.items == 32);
    s = schedule_of(&next, 1);
    assert_int_equal(s.slots, 0);
    s = schedule_of(&counted, 1);
    assert_true(s.kind == FSR_SCHEDULE_LOOKBACK && s.slots == 0);
}

/* A thread's elements are bits of one word until they go to shared memory: 32 of them, were there room for more. */
static void pools_as_many_as_bits(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, N), kept = fsr_compress(fsr_greater(x, fsr_float(g, 0.5)), x);
    fsr_program p = plan_of(&target_gpu, &kept, 1);
    fsr_kernel k = *fsr_program_kernel(&p, 0)->kernel;
    k.schedule.threads = 128;
    k.schedule.items = 32;
    const bool all = fsr_kernel_may_pool(&k);
    k.schedule.items = 48;
    const bool more = fsr_kernel_may_pool(&k);
    fsr_program_clear(&p);
    assert_true(all);
    assert_false(more);
}

/* The one kernel of a map of what has a length that was counted before: it ends where the elements do. */
static bool ends(const fsr_target *target, const fsr_node *outs, int n) {
    fsr_program p = plan_of(target, outs, n);
    const bool live = p.info.kernels == 1 && fsr_program_kernel(&p, 0)->kernel->live;
    fsr_program_clear(&p);
    return live;
}

static void maps_end_where_lengths_do(void **state) {
    (void)state;
    static const fsr_target *const targets[] = {&target_gpu, &target_cpu};
    fsr_node x = plan_vector(g, N), n = fsr_input(g, "n", FSR_I64, 0, NULL), live = fsr_live(x, n);
    fsr_node squares = fsr_mul(live, live), logs = fsr_log(live), all = fsr_sqrt(x);
    fsr_node gathered = fsr_take(plan_vector(g, N), fsr_cast(live, FSR_I64), 0, FSR_INDEX_CLIP);
    for (int t = 0; t < 2; t++) {
        assert_true(ends(targets[t], &squares, 1));
        assert_true(ends(targets[t], (fsr_node[]){squares, logs}, 2));
        assert_true(ends(targets[t], &gathered, 1));
        assert_false(ends(targets[t], (fsr_node[]){squares, all}, 2));
        assert_false(ends(targets[t], &all, 1));
    }
}

static void plus_one(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    (void)user;
    out[0] = fsr_add(fsr_add(left[0], right[0]), fsr_mul(left[0], right[0]));
}

/* So do reductions, places of the largest too, scans forward, and kernels of several passes, also where elements with
 * that length are stored beside them; not where what lies behind is asked for, or of an operator of the caller's. */
/* Sums, and squares: an operation a component. */
static void sums(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    (void)user;
    out[0] = fsr_add(left[0], right[0]);
    out[1] = fsr_maximum(right[1], left[1]);
}

/* A linear recurrence: b * 1 + 0 is no -0. */
static void recurrence(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    (void)user;
    out[0] = fsr_mul(left[0], right[0]);
    out[1] = fsr_add(fsr_mul(left[1], right[0]), right[1]);
}

/* The first of two that is not `user`, an int: associative, and that int is neutral. */
static void first_other(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    out[0] = fsr_where(fsr_equal(left[0], fsr_int(g, *(int *)user)), right[0], left[0]);
}

/* A caller's operator ends where its identity is known to change no bit: an operation a component with its identity, or
 * of integers. */
static void callers_operators_end(void **state) {
    (void)state;
    static const fsr_target *const targets[] = {&target_gpu, &target_cpu};
    static int none = -1;
    fsr_node x = plan_vector(g, N), n = fsr_input(g, "n", FSR_I64, 0, NULL), live = fsr_live(x, n);
    fsr_node whole = fsr_cast(live, FSR_I32), two[] = {live, fsr_mul(live, live)}, out[2], lies[2], turns[2], first,
             last;
    const fsr_operator of_two = {sums, NULL, 2, {0, -INFINITY}, true, {NULL}},
                       lying = {sums, NULL, 2, {0, 0}, true, {NULL}},
                       linear = {recurrence, NULL, 2, {1, 0}, false, {NULL}},
                       other = {first_other, &none, 1, {-1}, false, {NULL}},
                       wrong = {first_other, &none, 1, {0}, false, {NULL}};
    fsr_reduce_with(out, two, &of_two, NULL, 0, 0);
    fsr_reduce_with(lies, two, &lying, NULL, 0, 0);
    fsr_reduce_with(turns, two, &linear, NULL, 0, 0);
    fsr_reduce_with(&first, &whole, &other, NULL, 0, 0);
    fsr_reduce_with(&last, &whole, &wrong, NULL, 0, 0);
    for (int t = 0; t < 2; t++) {
        assert_true(ends(targets[t], out, 2));
        assert_false(ends(targets[t], lies, 2));
        assert_false(ends(targets[t], turns, 2));
        assert_true(ends(targets[t], &first, 1));
        assert_false(ends(targets[t], &last, 1));
    }
}

/* The kernels of the plan that end at a count are so many. */
static int ending(const fsr_target *target, fsr_node out) {
    fsr_program p = plan_of(target, &out, 1);
    int n = 0;
    for (int s = 0; s < p.info.kernels; s++)
        n += fsr_program_kernel(&p, s)->kernel->live > 0;
    fsr_program_clear(&p);
    return n;
}

/* What a kernel leaves for others ends where all that is asked of it does. */
static void what_is_left_ends(void **state) {
    (void)state;
    static const fsr_target *const targets[] = {&target_gpu, &target_cpu};
    fsr_node x = plan_vector(g, N), n = fsr_input(g, "n", FSR_I64, 0, NULL), at = fsr_live(plan_vector(g, N), n);
    fsr_node place = fsr_cumsum(fsr_cast(fsr_abs(at), FSR_I32), (int[]){0}, 1, 0);
    fsr_node taken = fsr_take(x, place, 0, FSR_INDEX_CLIP), turned = fsr_cumsum(taken, (int[]){0}, 1, FSR_REVERSE);
    for (int t = 0; t < 2; t++) {
        fsr_program p = plan_of(targets[t], &turned, 1);
        assert_true(p.info.kernels > 1);
        assert_int_equal(ending(targets[t], turned), p.info.kernels);
        assert_int_equal(ending(targets[t], fsr_filled(place, fsr_int(g, 0))), 0);
        fsr_program_clear(&p);
    }
}

/* What waits for its count in any case ends there: scans of what a filter leaves, whoever reads them, lengths of runs,
 * elements repeated by counts; not what goes with the filter, which ends there by itself. */
static void what_waits_ends(void **state) {
    (void)state;
    static const fsr_target *const targets[] = {&target_gpu, &target_cpu};
    fsr_node x = plan_vector(g, N), live = fsr_compress(fsr_greater(x, fsr_float(g, 0)), x), runs[2];
    fsr_node at = fsr_input(g, "at", FSR_I64, 1, (int64_t[]){1000});
    fsr_node counts = fsr_cast(fsr_abs(x), FSR_I32), scan = fsr_cumsum(live, (int[]){0}, 1, 0);
    fsr_run_lengths(runs, x);
    for (int t = 0; t < 2; t++) {
        assert_int_equal(ending(targets[t], fsr_take(scan, at, 0, FSR_INDEX_CLIP)), 1);
        assert_int_equal(ending(targets[t], fsr_sqrt(scan)), 1);
        assert_int_equal(ending(targets[t], runs[1]), 1);
        assert_int_equal(ending(targets[t], fsr_repeat_counts(x, counts, N)), 1);
        assert_int_equal(ending(targets[t], fsr_mul(live, live)), 0);
    }
}

/* What a mask selects of what another one has selected is one filter, and what goes back where it was selected is a
 * choice. */
static void selected_twice_and_put_back(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, N), y = plan_vector(g, N), zero = fsr_float(g, 0), mask = fsr_greater(x, zero);
    fsr_node live = fsr_compress(mask, x), twice = fsr_compress(fsr_less(live, fsr_float(g, 1)), live);
    fsr_node back = fsr_update_mask(y, mask, fsr_sqrt(live));
    kernels(&twice, 1, 1);
    kernels(&back, 1, 1);
}

/* A scatter goes over the indices that are there, whatever it does with equal ones. */
static void scatters_end(void **state) {
    (void)state;
    static const fsr_target *const targets[] = {&target_gpu, &target_cpu};
    fsr_node x = plan_vector(g, N), n = fsr_input(g, "n", FSR_I64, 0, NULL), live = fsr_live(x, n), none = {0};
    fsr_node at = fsr_cast(fsr_mul(live, fsr_float(g, 1000)), FSR_I32), to = plan_vector(g, 1 << 20);
    fsr_node filled = fsr_filled(at, fsr_int(g, 1 << 20)), zeros = fsr_zeros(g, FSR_I32, 1, (int64_t[]){1 << 20});
    for (int t = 0; t < 2; t++) {
        assert_int_equal(ending(targets[t], fsr_scatter(to, &at, 1, live, FSR_INDEX_DROP, FSR_UNIQUE)), 1);
        assert_int_equal(ending(targets[t], fsr_scatter(to, &at, 1, live, FSR_INDEX_RAISE, 0)), 1);
        assert_int_equal(ending(targets[t], fsr_scatter_max(to, &at, 1, live, FSR_INDEX_WRAP, 0)), 1);
        assert_int_equal(ending(targets[t], fsr_scatter_add(zeros, &at, 1, fsr_int(g, 1), FSR_INDEX_CLIP, 0)), 1);
        assert_int_equal(ending(targets[t], fsr_bincount(at, none, 1 << 20, FSR_INDEX_DROP)), 1);
        assert_int_equal(ending(targets[t], fsr_scatter_add(zeros, &filled, 1, fsr_int(g, 1), FSR_INDEX_DROP, 0)), 0);
    }
}

static void folds_end_where_lengths_do(void **state) {
    (void)state;
    static const fsr_target *const targets[] = {&target_gpu, &target_cpu};
    fsr_node x = plan_vector(g, N), n = fsr_input(g, "n", FSR_I64, 0, NULL), live = fsr_live(x, n);
    fsr_node sum = fsr_sum(fsr_mul(live, live), NULL, 0, 0), most = fsr_max(live, NULL, 0, 0);
    fsr_node mean = fsr_mean(live, NULL, 0, 0), filled = fsr_sum(fsr_filled(live, fsr_float(g, 0)), NULL, 0, 0);
    fsr_node place = fsr_argmax(live, NULL, 0, 0), all = fsr_sum(x, NULL, 0, 0), zero = fsr_float(g, 0);
    fsr_node scan = fsr_cumsum(fsr_abs(live), (int[]){0}, 1, 0), running = fsr_sqrt(scan),
             squares = fsr_mul(live, live);
    fsr_node spread = fsr_std(live, NULL, 0, 0, 0), e = fsr_exp(fsr_sub(live, most)), own;
    fsr_node soft = fsr_div(e, fsr_sum(e, NULL, 0, 0)), back = fsr_cumsum(live, (int[]){0}, 1, FSR_REVERSE);
    fsr_node rooted = fsr_sqrt(fsr_cumsum(fsr_abs(live), (int[]){0}, 1, FSR_REVERSE | FSR_EXCLUSIVE)), far;
    fsr_node backward = fsr_cumsum(x, (int[]){0}, 1, FSR_REVERSE);
    const fsr_operator adds = {plus_one, NULL, 1, {0}, true, {NULL}};
    fsr_reduce_with(&own, &live, &adds, NULL, 0, 0);
    fsr_scan_with(&far, &live, &adds, (int[]){0}, 1, FSR_REVERSE);
    for (int t = 0; t < 2; t++) {
        assert_true(ends(targets[t], &sum, 1));
        assert_true(ends(targets[t], &most, 1));
        assert_true(ends(targets[t], (fsr_node[]){sum, mean}, 2));
        assert_false(ends(targets[t], (fsr_node[]){sum, all}, 2));
        assert_false(ends(targets[t], (fsr_node[]){sum, fsr_mul(x, x)}, 2));
        assert_false(ends(targets[t], &filled, 1));
        assert_true(ends(targets[t], &place, 1));
        assert_true(ends(targets[t], &running, 1));
        assert_true(ends(targets[t], &scan, 1));
        assert_true(ends(targets[t], &spread, 1));
        assert_true(ends(targets[t], &soft, 1));
        assert_true(ends(targets[t], (fsr_node[]){squares, sum}, 2));
        assert_true(ends(targets[t], (fsr_node[]){running, place, sum}, 3));
        assert_false(ends(targets[t], (fsr_node[]){running, fsr_cumsum(x, (int[]){0}, 1, 0)}, 2));
        assert_false(ends(targets[t], (fsr_node[]){fsr_filled(squares, zero), sum}, 2));
        assert_true(ends(targets[t], &back, 1));
        assert_true(ends(targets[t], &rooted, 1));
        assert_false(ends(targets[t], (fsr_node[]){back, backward}, 2));
        assert_false(ends(targets[t], &far, 1));
        assert_false(ends(targets[t], &own, 1));
    }
}

/* What is asked for whole is a result as it is: not stored, and then its beginning once more. */
static void hinted_results_are_stored_once(void **state) {
    (void)state;
    static const fsr_target *const targets[] = {&target_gpu, &target_cpu};
    fsr_node live = fsr_live(plan_vector(g, N), fsr_input(g, "n", FSR_I64, 0, NULL));
    fsr_node squares = fsr_hint_set(fsr_mul(live, live), FSR_HINT_MATERIALIZE);
    for (int t = 0; t < 2; t++) {
        fsr_program p = plan_of(targets[t], &squares, 1);
        const bool good = p.info.kernels == 1 && p.info.temporaries == 0 && p.info.bytes_moved == 2 * BYTES;
        if (!good)
            print_error("%s\n", p.explanation);
        fsr_program_clear(&p);
        assert_true(good);
    }
}

static void filter_row(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    fsr_node mask = fsr_greater(in[0], fsr_float(g, 0));
    out[0] = fsr_sqrt(fsr_filter(fsr_neg(in[0]), mask, fsr_float(g, 0)));
    out[1] = fsr_count_nonzero(mask, NULL, 0, 0);
}

static void check_rows(const fsr_target *target, fsr_node x, fsr_schedule_kind kind) {
    fsr_node out[2];
    fsr_vectorize(out, 2, &x, 1, "(n)->(n),()", filter_row, NULL);
    check_on(target, out, 2, 2 * 4 * fsr_node_size(x) + 8 * fsr_node_dim(x, 0), kind);
}

/* Each row by itself, long and short; down the columns, where they are adjacent in memory. On a CPU rows of 16 are
 * two kernels: their places are counted side by side, many rows at once. */
static void rows(void **state) {
    (void)state;
    check_rows(&target_gpu, plan_matrix(g, 1 << 14, 1 << 10), FSR_SCHEDULE_ROW);
    check_rows(&target_gpu, plan_matrix(g, 1 << 20, 16), FSR_SCHEDULE_ROW);
    check_rows(&target_gpu, plan_matrix(g, 8, 1 << 20), FSR_SCHEDULE_LOOKBACK);
    check_rows(&target_gpu, fsr_transpose(plan_matrix(g, 1 << 10, 1 << 14), NULL), FSR_SCHEDULE_LOOKBACK);
    check_rows(&target_cpu, plan_matrix(g, 1 << 14, 1 << 10), FSR_SCHEDULE_ROW);
    check_rows(&target_cpu, plan_matrix(g, 1 << 19, 32), FSR_SCHEDULE_ROW);
    check_rows(&target_cpu, fsr_transpose(plan_matrix(g, 1 << 10, 1 << 14), NULL), FSR_SCHEDULE_COL);
}

/* What reads the result in another order, or beside something else, reads memory. */
static void refusals(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, N), kept = fsr_filter(x, fsr_greater(x, fsr_float(g, 0)), fsr_float(g, 1));
    const fsr_node out[] = {fsr_cumsum(kept, (int[]){0}, 1, 0), fsr_add(kept, x), fsr_slice(kept, 0, 5, N, 1)};
    static const char reason[] = "its elements take their places in memory, where only another kernel finds them";
    for (int i = 0; i < 3; i++) {
        fsr_program p = plan_of(&target_cpu, &out[i], 1);
        bool good = p.info.kernels == 2 && (i > 1 || strstr(p.explanation, reason));
        if (!good)
            print_error("%d:\n%s\n", i, p.explanation);
        fsr_program_clear(&p);
        assert_true(good);
    }
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(one_kernel),
                                       TEST(compacted),
                                       TEST(small),
                                       TEST(lengths),
                                       TEST(selected_and_count),
                                       TEST(rings_of_any_width),
                                       TEST(pools_as_many_as_bits),
                                       TEST(maps_end_where_lengths_do),
                                       TEST(folds_end_where_lengths_do),
                                       TEST(callers_operators_end),
                                       TEST(scatters_end),
                                       TEST(what_is_left_ends),
                                       TEST(what_waits_ends),
                                       TEST(selected_twice_and_put_back),
                                       TEST(hinted_results_are_stored_once),
                                       TEST(rows),
                                       TEST(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

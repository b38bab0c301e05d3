/* SPDX-License-Identifier: MIT */
/* Elements of short rows by rank are maps, and on a GPU rows in order: a median filter reads its signal once, and is
 * one kernel with what is before and behind it. */
#include "fusion/nest.h"
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"

#define COUNT(list) (int)(sizeof(list) / sizeof *(list))

/* So many kernels and calls for a GPU and for a CPU; with no call no byte but of what goes in and out. */
static void check(const char *name, const fsr_node *out, int n, const int kernels[2], const int calls[2]) {
    static const fsr_target *const target[] = {&target_gpu, &target_cpu};
    for (int t = 0; t < COUNT(target); t++) {
        fsr_program p = plan_of(target[t], out, n);
        const bool least = p.info.calls > 0 || (p.info.temporaries == 0 && p.info.bytes_moved == p.info.bytes_min);
        if (p.info.kernels != kernels[t] || p.info.calls != calls[t] || !least)
            fail_msg("%s: %d kernels, %d calls, %d temporaries, %lld bytes of %lld\n%s", name, p.info.kernels,
                     p.info.calls, p.info.temporaries, (long long)p.info.bytes_moved, (long long)p.info.bytes_min,
                     p.explanation);
        fsr_program_clear(&p);
    }
}

static fsr_node median(fsr_node x) {
    return fsr_median(x, AXES(1), 1, 0);
}

static const int one[] = {1, 1}, none[] = {0, 0};

/* What is far from the median of its nine neighbours, by their median distance, becomes that median. */
static void despike(void **state) {
    (void)state;
    const fsr_node x = plan_vector(g, 40009);
    const fsr_node wide = fsr_pad(x, ((int64_t[][2]){{4, 4}}), FSR_PAD_EDGE, 0);
    const fsr_node w = fsr_sliding_window(wide, (int64_t[]){9}, AXES(0), 1), m = median(w);
    const fsr_node far = median(fsr_abs(fsr_sub(w, fsr_expand(m, 1))));
    const fsr_node spike = fsr_greater(fsr_abs(fsr_sub(x, m)), fsr_mul(far, fsr_float(g, 4.4)));
    const fsr_node out[] = {fsr_where(spike, m, x), fsr_count_nonzero(spike, NULL, 0, 0)};
    check("despike", out, 2, one, none);
}

/* Rows of 2 to 32 elements of every dtype, a rank that is not there among several. */
static void rows(void **state) {
    (void)state;
    static const fsr_dtype dtype[] = {FSR_BOOL, FSR_I8, FSR_U16, FSR_I64, FSR_F16, FSR_BF16, FSR_F32, FSR_F64};
    for (int i = 0; i < COUNT(dtype); i++)
        for (int n = 2; n <= 32; n += 6) {
            const fsr_node x = fsr_input(g, "x", dtype[i], 2, (int64_t[]){1000, n});
            const fsr_node out[] = {fsr_kth(x, n / 2, AXES(1), 1, 0), fsr_kth(x, -1, AXES(1), 1, FSR_KEEPDIMS)};
            check(fsr_dtype_name(dtype[i]), out, 2, one, none);
        }
    const fsr_node x = plan_matrix(g, 5000, 12);
    const fsr_node quarter = fsr_quantile(x, fsr_float(g, 0.25), FSR_QUANTILE_LINEAR, AXES(1), 1, 0);
    check("a quarter", &quarter, 1, one, none);
}

/* Longer rows, and what is made of more than one large network, are calls. */
static void calls(void **state) {
    (void)state;
    static const int call[] = {1, 1}; /* behind a kernel that stores the rank */
    const fsr_node longer = fsr_kth(plan_matrix(g, 1000, 33), 16, AXES(1), 1, 0), x = plan_vector(g, 20000);
    check("33 elements", &longer, 1, one, call);
    const fsr_node first = median(fsr_sliding_window(x, (int64_t[]){25}, AXES(0), 1));
    const fsr_node twice = median(fsr_sliding_window(first, (int64_t[]){25}, AXES(0), 1));
    fsr_program p = plan_of(&target_gpu, &twice, 1);
    assert_int_equal(p.info.calls, 1);
    fsr_program_clear(&p);
}

/* On a GPU all of a row in order, where they were, and the first of them, with what is before and behind; longer
 * rows, and places of wider elements, are calls. */
static void sorted(void **state) {
    (void)state;
    static const int on_gpu[] = {0, 1};
    const fsr_node x = fsr_exp(plan_matrix(g, 400000, 16)), wide = fsr_input(g, "w", FSR_F64, 2, (int64_t[]){1000, 9});
    const fsr_node y = plan_matrix(g, 1000, 17), z = fsr_input(g, "z", FSR_U16, 2, (int64_t[]){1000, 9});
    const struct {
        fsr_node out;
        int calls;
    } all[] = {{fsr_mul(fsr_sort(x, AXES(1), 1, FSR_DESCENDING), fsr_float(g, 2)), 0},
               {fsr_argsort(x, AXES(1), 1, 0), 0},
               {fsr_topk(x, 3, AXES(1), 1, FSR_DESCENDING), 0},
               {fsr_argtopk(z, 1, AXES(1), 1, 0), 0},
               {fsr_sort(wide, AXES(1), 1, 0), 0},
               {fsr_argsort(wide, AXES(1), 1, 0), 1},
               {fsr_sort(y, AXES(1), 1, 0), 1}};
    for (int i = 0; i < COUNT(all); i++)
        for (int t = 0; t < 2; t++) {
            fsr_program p = plan_of(t ? &target_cpu : &target_gpu, &all[i].out, 1);
            const bool calls = all[i].calls || on_gpu[t];
            if (p.info.calls != calls || (!calls && (p.info.kernels != 1 || p.info.bytes_moved != p.info.bytes_min)))
                fail_msg("%d: %d kernels, %d calls\n%s", i, p.info.kernels, p.info.calls, p.explanation);
            fsr_program_clear(&p);
        }
}

/* One thread of a GPU puts a row in order, not one for each element. */
static void one_thread(void **state) {
    (void)state;
    for (int n = 8; n <= 16; n++) {
        const fsr_node x = fsr_sort(plan_matrix(g, 200003, n), AXES(1), 1, 0);
        fsr_program p = plan_of(&target_gpu, &x, 1);
        assert_int_equal(fsr_program_kernel(&p, 0)->kernel->integer[FSR_INT_ROWS], 200003);
        fsr_program_clear(&p);
    }
}

/* Columns that lie beside each other as the rows do are one run of memory for a CPU: of squares, of a few
 * neighbours, of pictures in wider ones. Not what has weights for each column, nor what lies otherwise, in rows of
 * fewer than eight. */
static void beside(void **state) {
    (void)state;
    const fsr_node x = fsr_input(g, "x", FSR_U8, 2, (int64_t[]){256, 1024}), y = plan_matrix(g, 1000, 4);
    const fsr_node four = fsr_reshape(x, 4, (int64_t[]){64, 4, 256, 4}), w = plan_vector(g, 4);
    const fsr_node eight = fsr_reshape(fsr_slice(x, 1, 8, 1016, 1), 4, (int64_t[]){32, 8, 126, 8});
    const fsr_node every = fsr_reshape(fsr_slice(x, 1, 0, 1024, 2), 4, (int64_t[]){64, 4, 128, 4});
    const fsr_node at = fsr_cast(fsr_mul(y, fsr_int(g, 1000)), FSR_I32);
    const fsr_node taken = fsr_take_along_axis(y, at, 0, FSR_INDEX_CLIP),
                   own = fsr_take_along_axis(y, at, 1, FSR_INDEX_CLIP);
    const fsr_node z = plan_matrix(g, 1000, 16);
    const fsr_node sixteen = fsr_take_along_axis(z, fsr_cast(z, FSR_I32), 1, FSR_INDEX_CLIP);
    const struct {
        fsr_node out;
        int beside;
    } cases[] = {{fsr_sum(taken, AXES(1), 1, 0), 4},
                 {fsr_sum(own, AXES(1), 1, 0), 4},
                 {fsr_cumsum(sixteen, AXES(1), 1, 0), 16},
                 {fsr_sum_as(four, FSR_I32, AXES(1, 3), 2, 0), 4},
                 {fsr_max(eight, AXES(1, 3), 2, 0), 8},
                 {fsr_sum(y, AXES(1), 1, 0), 4},
                 {fsr_sum_as(every, FSR_I32, AXES(1, 3), 2, 0), 0},
                 {fsr_sum(fsr_mul(y, w), AXES(1), 1, 0), 0},
                 {fsr_sum_as(four, FSR_I32, AXES(2, 3), 2, 0), 0}};
    for (int i = 0; i < COUNT(cases); i++) {
        fsr_program p = plan_of(&target_cpu, &cases[i].out, 1);
        const fsr_schedule s = fsr_program_kernel(&p, 0)->kernel->schedule;
        fsr_program_clear(&p);
        if (s.beside != cases[i].beside)
            fail_msg("%d: %d beside each other, not %d", i, s.beside, cases[i].beside);
    }
}

/* Behind an edge, in rows of eight and more, a sum's elements lie beside each other, and what is shifted is loaded row
 * by row first. A pass that gathers stays as it is, whatever another pass loads of the same array. */
static void rows_come_first(void **state) {
    (void)state;
    for (int64_t cols = 3; cols <= 31; cols += 4) {
        const fsr_node x = plan_matrix(g, 3000, cols), y = plan_matrix(g, 3000, cols);
        const fsr_node left = fsr_roll(x, (int64_t[]){1}, AXES(1), 1);
        const fsr_node at = fsr_cast(y, FSR_I32), taken = fsr_take_along_axis(y, at, 1, FSR_INDEX_CLIP);
        const fsr_node sum = fsr_sum(fsr_mul(taken, x), AXES(1), 1, FSR_KEEPDIMS);
        const fsr_node out[] = {fsr_sum(fsr_exp(fsr_slice(x, 1, 1, cols, 1)), AXES(1), 1, 0),
                                fsr_mul(fsr_flip(x, 1), sum), fsr_cumsum(fsr_mul(fsr_flip(x, 1), sum), AXES(1), 1, 0),
                                fsr_mul(left, sum)};
        for (int i = 0; i < COUNT(out); i++) {
            fsr_program p = plan_of(&target_cpu, &out[i], 1);
            const fsr_schedule s = fsr_program_kernel(&p, 0)->kernel->schedule;
            const bool first = i == 0 && cols > 8 && cols <= 16;
            fsr_program_clear(&p);
            if (first && (s.beside != cols - 1 || s.width != cols - 1 || !s.by_row))
                fail_msg("rows of %d: %d beside, width %d", (int)cols, s.beside, s.width);
        }
    }
}

/* Functions of short rows that a nest computes for an edge to be put around are computed along all rows. */
static void nests_go_together(void **state) {
    (void)state;
    const fsr_node x = fsr_slice(plan_matrix(g, 100000, 14), 1, 1, 13, 1);
    const fsr_node out = fsr_pad(fsr_exp(fsr_tanh(x)), ((int64_t[][2]){{1, 1}, {1, 1}}), FSR_PAD_CONSTANT, 0);
    fsr_program p = plan_of(&target_cpu, &out, 1);
    int together = 0;
    for (int j = 0; j < p.info.kernels; j++) {
        const fsr_nests *nests = fsr_program_kernel(&p, j)->kernel->nests;
        together += nests && nests->nest[0].kernel->schedule.together;
    }
    if (together != 1)
        fail_msg("%s", p.explanation);
    fsr_program_clear(&p);
}

/* The text of rows of fewer than 64 elements says how long they are, that of longer ones does not. */
static void lengths_are_text(void **state) {
    (void)state;
    static const int64_t cols[] = {8, 9, 63, 64, 65};
    for (int i = 0; i < COUNT(cols); i++) {
        const fsr_node x = plan_matrix(g, 3000, cols[i] + 1);
        const fsr_node out = fsr_add(fsr_slice(x, 1, 1, cols[i] + 1, 1), fsr_slice(x, 1, 0, cols[i], 1));
        fsr_program p = plan_of(&target_cpu, &out, 1);
        const int width = fsr_program_kernel(&p, 0)->kernel->schedule.width;
        fsr_program_clear(&p);
        assert_int_equal(width, cols[i] < 64 ? cols[i] : 0);
    }
}

/* Ranks that are computed: a GPU chooses among all of the row, a CPU calls. */
static void computed(void **state) {
    (void)state;
    static const int calls[] = {0, 1};
    const fsr_node x = plan_matrix(g, 5000, 9), q = fsr_input(g, "q", FSR_F64, 1, (int64_t[]){1});
    const fsr_node out = fsr_quantile(x, q, FSR_QUANTILE_LOWER, AXES(1), 1, 0);
    for (int t = 0; t < 2; t++) {
        fsr_program p = plan_of(t ? &target_cpu : &target_gpu, &out, 1);
        assert_int_equal(p.info.calls, calls[t]);
        fsr_program_clear(&p);
    }
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {T(despike),         T(rows),
                                       T(calls),           T(sorted),
                                       T(one_thread),      T(beside),
                                       T(rows_come_first), T(lengths_are_text),
                                       T(computed),        T(nests_go_together)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

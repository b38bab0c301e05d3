/* SPDX-License-Identifier: MIT */
/* The first k of 2^26 elements on a GPU: of input that is hard on a sampled threshold they are what a stable sort puts
 * first, and take at most 2.5 times as long as of random input. Counter-example: a selection that begins anew with all
 * elements whenever its threshold was wrong takes as long as the sort, ten times as long and more.
 *
 * Times are a plan's profile, of events around its kernels and calls, the least of RUNS runs that take turns with those
 * of random input; only what is slow in each of ROUNDS rounds is. */
#ifndef SUBJECT_BACKEND
#define SUBJECT_BACKEND FSR_BACKEND_CUDA
#endif
#include "tests/support/subject.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define G subject_g
enum { LOG_N = 26, MOST_K = 1000, RUNS = 5, ROUNDS = 3 };
static const int64_t n = (int64_t)1 << LOG_N;
static const double most_ratio = 2.5;

typedef enum pattern {
    RANDOM,
    EQUAL,
    SORTED,
    REVERSED,
    ORGAN_PIPE,
    FEW,
    HIDDEN,
    SHOWN,
    NOT,
    NOT_AT_END,
    TINY,
    ZEROS,
    COLUMN,
    MANY_RUNS,
    PATTERNS
} pattern;
static const char *const pattern_name[PATTERNS] = {"random",
                                                   "all equal",
                                                   "sorted",
                                                   "reversed",
                                                   "organ pipe",
                                                   "three values",
                                                   "hidden from samples",
                                                   "all in samples",
                                                   "NaN of both signs",
                                                   "NaN at the end",
                                                   "subnormal numbers",
                                                   "zeros of both signs",
                                                   "one column of 32",
                                                   "runs in descending order"};

static fsr_node number(double value) {
    return fsr_cast(fsr_float(G, value), FSR_F32);
}

/* Bit b of each random word as a condition. */
static fsr_node bit(fsr_node words, int b) {
    return fsr_not_equal(fsr_bitwise_and(words, fsr_int(G, (int64_t)1 << b)), fsr_int(G, 0));
}

/* HIDDEN, SHOWN: samples that lie evenly see nothing of the greatest elements, or of each 64 the half that has them. */
static fsr_node recorded(pattern p) {
    const fsr_node i = fsr_counter(G, 1, &n), at = fsr_cast(i, FSR_F32), down = fsr_sub(number((double)n), at);
    const fsr_node words = fsr_random_bits(fsr_int(G, 7), fsr_int(G, 0), i, FSR_U32), lane = fsr_mod(i, fsr_int(G, 64));
    const fsr_node uniform = fsr_random_uniform(fsr_int(G, 7), fsr_int(G, 1), i, FSR_F32);
    const fsr_node three = fsr_mod(words, fsr_int(G, 3)), nan = number(NAN), sign = bit(words, 9);
    switch (p) {
    case EQUAL: return fsr_full(G, FSR_F32, 1, &n, 3);
    case SORTED: return at;
    case REVERSED: return down;
    case ORGAN_PIPE: return fsr_minimum(at, down);
    case FEW: return fsr_sub(fsr_cast(three, FSR_F32), number(1));
    case HIDDEN: return fsr_where(fsr_less(lane, fsr_int(G, 40)), number(0), down);
    case SHOWN: return fsr_where(fsr_less(lane, fsr_int(G, 32)), fsr_add(down, number((double)n)), down);
    case NOT: return fsr_where(bit(words, 3), fsr_where(sign, nan, fsr_neg(nan)), uniform);
    case NOT_AT_END: return fsr_where(fsr_less(i, fsr_int(G, n / 2)), uniform, nan);
    case TINY: return fsr_mul(fsr_cast(fsr_bitwise_and(words, fsr_int(G, 0xfffff)), FSR_F32), number(0x1p-149));
    case ZEROS: return fsr_where(sign, number(0), number(-0.0));
    case COLUMN: return fsr_add(uniform, fsr_cast(fsr_equal(fsr_mod(i, fsr_int(G, 32)), fsr_int(G, 5)), FSR_F32));
    case MANY_RUNS: return fsr_sub(number(0), fsr_cast(fsr_mod(i, fsr_int(G, 1 << 19)), FSR_F32));
    default: return uniform;
    }
}

static fsr_node stored(pattern p) {
    fsr_node x = recorded(p);
    OK(fsr_compute(&x, 1));
    return x;
}

typedef struct job {
    fsr_plan *plan;
    int64_t k;
    float value[MOST_K];
    int64_t place[MOST_K];
} job;

static job compiled(fsr_node x, int64_t k) {
    job j = {.k = k};
    fsr_node out[] = {fsr_topk(x, k, AXES(0), 1, FSR_DESCENDING), fsr_argtopk(x, k, AXES(0), 1, FSR_DESCENDING)};
    OK(fsr_compile(out, 2, &j.plan));
    return j;
}

/* Milliseconds of the device. */
static double once(job *j) {
    const fsr_arg out[] = {{NULL, j->value, sizeof *j->value * (size_t)j->k, FSR_HOST},
                           {NULL, j->place, sizeof *j->place * (size_t)j->k, FSR_HOST}};
    fsr_plan_info info;
    double ms = 0;
    OK(fsr_plan_run(j->plan, NULL, 0, out, 2, NULL));
    OK(fsr_plan_query(j->plan, &info));
    for (int i = 0; i < info.kernels + info.calls; i++) {
        fsr_kernel_profile profile;
        OK(fsr_plan_profile(j->plan, i, &profile));
        ms += profile.ms;
    }
    assert_true(ms > 0);
    return ms;
}

/* The least times' ratio. */
static double ratio_of(job *hard, job *usual, double *least) {
    double usual_least = INFINITY;
    *least = INFINITY;
    for (int i = 0; i < RUNS; i++) {
        usual_least = fmin(usual_least, once(usual));
        *least = fmin(*least, once(hard));
    }
    return *least / usual_least;
}

/* Bit by bit but for NaN. */
static void expect(const job *j, const float *value, const int64_t *place, const char *what) {
    for (int64_t i = 0; i < j->k; i++) {
        const bool same = memcmp(&j->value[i], &value[i], sizeof *value) == 0;
        if (!same && !(isnan(j->value[i]) && isnan(value[i])))
            fail_msg("%s, k %lld, element %lld: %a, not %a", what, (long long)j->k, (long long)i, (double)j->value[i],
                     (double)value[i]);
        if (j->place[i] != place[i])
            fail_msg("%s, k %lld, place %lld: %lld, not %lld", what, (long long)j->k, (long long)i,
                     (long long)j->place[i], (long long)place[i]);
    }
}

static void check(pattern p, job *usual, const int64_t *k) {
    fsr_scope_begin(G);
    const fsr_node x = stored(p);
    fsr_node sorted[] = {fsr_slice(fsr_sort(x, AXES(0), 1, FSR_DESCENDING), 0, 0, MOST_K, 1),
                         fsr_slice(fsr_argsort(x, AXES(0), 1, FSR_DESCENDING), 0, 0, MOST_K, 1)};
    OK(fsr_compute(sorted, 2));
    float *value = subject_read(sorted[0]);
    int64_t *place = subject_read(sorted[1]);
    for (int i = 0; i < 2; i++) {
        job hard = compiled(x, k[i]);
        double ms = 0, ratio = INFINITY;
        for (int round = 0; round < ROUNDS && ratio > most_ratio; round++)
            ratio = ratio_of(&hard, &usual[i], &ms);
        printf("%s, k %lld: %.3f ms, %.2f of random input's\n", pattern_name[p], (long long)k[i], ms, ratio);
        expect(&hard, value, place, pattern_name[p]);
        if (!subject_sanitized() && ratio > most_ratio)
            fail_msg("%s, k %lld: %.2f times as long as of random input", pattern_name[p], (long long)k[i], ratio);
        fsr_plan_free(hard.plan);
        subject_count("found", k[i]);
    }
    free(value);
    free(place);
    fsr_scope_end(G, NULL, 0);
}

static void hard_input(void **state) {
    (void)state;
    static const int64_t k[] = {10, MOST_K};
    fsr_config config = subject_config();
    config.profile = 2;
    fsr_context *shared = subject_ctx;
    fsr_graph *graph = subject_g;
    subject_ctx = subject_open(&config);
    subject_g = fsr_graph_new(subject_ctx);
    const fsr_node x = stored(RANDOM);
    job usual[] = {compiled(x, k[0]), compiled(x, k[1])};
    for (int p = 0; p < PATTERNS; p++)
        check((pattern)p, usual, k);
    for (int i = 0; i < 2; i++)
        fsr_plan_free(usual[i].plan);
    fsr_graph_free(subject_g);
    fsr_close(subject_ctx);
    subject_ctx = shared;
    subject_g = graph;
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_TEST(hard_input)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}

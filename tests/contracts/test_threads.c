/* SPDX-License-Identifier: MIT */
/* Sixteen threads on one context, a graph each: record, compute, compile, run, read, fail, free. */
#include "tests/support/subject.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 16, ROUNDS = 12 };

typedef struct worker {
    pthread_t thread;
    int number;
    char problem[300]; /* "": none */
} worker;

#define NEED(condition)                                                                                            \
    do {                                                                                                           \
        if (!(condition) && !w->problem[0])                                                                        \
            snprintf(w->problem, sizeof w->problem, "thread %d, line %d: %s: %s", w->number, __LINE__, #condition, \
                     fsr_error(subject_ctx));                                                                      \
    } while (0)

/* Sums of i * k over n elements, by fsr_read. */
static void computes(worker *w, fsr_graph *g, int round) {
    int64_t n = 100 + 7 * (w->number % 4) + round % 3;
    fsr_node x = fsr_arange(g, FSR_F64, n), k = fsr_param(g, "k", FSR_F64, w->number);
    fsr_node y = fsr_add(fsr_mul(x, k), fsr_int(g, round % 2)), total = fsr_sum(y, NULL, 0, 0),
             running = fsr_cumsum(y, AXES(0), 1, 0);
    double sum = 0, last[256];
    NEED(fsr_compute((fsr_node[]){total, running}, 2) == FSR_OK);
    NEED(fsr_read(total, &sum, sizeof sum) == FSR_OK);
    NEED(fsr_read(running, last, sizeof(double) * (size_t)n) == FSR_OK);
    double want = (double)w->number * (double)(n * (n - 1) / 2) + (double)(round % 2 * n);
    NEED(sum == want);
    NEED(last[n - 1] == want);
}

static void runs_a_plan(worker *w, fsr_graph *g, int round) {
    float in[300], out[300];
    fsr_node x = fsr_input(g, "x", FSR_F32, 1, SHAPE(300)), y = fsr_sub(fsr_mul(x, x), fsr_float(g, w->number % 3));
    fsr_plan *plan = NULL;
    NEED(fsr_compile(&y, 1, &plan) == FSR_OK);
    for (int i = 0; i < 300; ++i)
        in[i] = (float)(i + round);
    for (int i = 0; i < 3; ++i)
        NEED(fsr_plan_run(plan, &(fsr_arg){"x", in, sizeof in, FSR_HOST}, 1,
                          &(fsr_arg){NULL, out, sizeof out, FSR_HOST}, 1, NULL) == FSR_OK);
    for (int i = 0; i < 300; ++i)
        NEED(out[i] == in[i] * in[i] - (float)(w->number % 3));
    fsr_plan_free(plan);
}

/* Each thread's error is its own. */
static void fails(worker *w, fsr_graph *g) {
    char name[32];
    snprintf(name, sizeof name, "input_%d", w->number);
    fsr_node x = fsr_input(g, name, FSR_F32, 1, SHAPE(4));
    NEED(fsr_force(fsr_neg(x)) == FSR_ERR_UNBOUND);
    NEED(strstr(fsr_error(subject_ctx), name) != NULL);
    NEED(fsr_error_status(subject_ctx) == FSR_ERR_UNBOUND);
    fsr_error_clear(subject_ctx);
    NEED(fsr_error(subject_ctx)[0] == 0);
}

static void looks(worker *w, fsr_graph *g) {
    fsr_stats stats;
    fsr_plan_info info;
    fsr_node y = fsr_neg(fsr_arange(g, FSR_I32, 10));
    NEED(fsr_context_stats(subject_ctx, &stats) == FSR_OK && stats.nodes > 0);
    NEED(fsr_query(&y, 1, &info) == FSR_OK && info.kernels == 1);
    NEED(fsr_device_name(subject_ctx)[0] != 0);
    NEED(fsr_sync(subject_ctx) == FSR_OK);
    NEED(fsr_trim(subject_ctx) == FSR_OK);
}

static void *work(void *user) {
    worker *w = user;
    for (int round = 0; round < ROUNDS && !w->problem[0]; ++round) {
        fsr_graph *g = fsr_graph_new(subject_ctx);
        computes(w, g, round);
        runs_a_plan(w, g, round);
        fails(w, g);
        looks(w, g);
        fsr_graph_free(g);
    }
    return NULL;
}

static void run_threads(void *(*function)(void *)) {
    static worker all[THREADS];
    memset(all, 0, sizeof all);
    for (int i = 0; i < THREADS; ++i) {
        all[i].number = i;
        assert_int_equal(pthread_create(&all[i].thread, NULL, function, &all[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i)
        pthread_join(all[i].thread, NULL);
    for (int i = 0; i < THREADS; ++i)
        if (all[i].problem[0])
            fail_msg("%s", all[i].problem);
}

static void sixteen_threads(void **state) {
    (void)state;
    run_threads(work);
    assert_string_equal(fsr_error(subject_ctx), "");
}

/* One plan, run by all: it locks. */
static fsr_plan *shared;

static void *share(void *user) {
    worker *w = user;
    double in[500], out[500];
    for (int round = 0; round < 40; ++round) {
        for (int i = 0; i < 500; ++i)
            in[i] = w->number * 1000 + i;
        NEED(fsr_plan_run(shared, &(fsr_arg){"x", in, sizeof in, FSR_HOST}, 1,
                          &(fsr_arg){NULL, out, sizeof out, FSR_HOST}, 1, NULL) == FSR_OK);
        for (int i = 0; i < 500; ++i)
            NEED(out[i] == 2 * in[i] + 1);
    }
    return NULL;
}

static void one_plan_for_all(void **state) {
    (void)state;
    fsr_node x = fsr_input(subject_g, "x", FSR_F64, 1, SHAPE(500)), y = fsr_add(fsr_add(x, x), fsr_int(subject_g, 1));
    OK(fsr_compile(&y, 1, &shared));
    run_threads(share);
    fsr_plan_free(shared);
}

/* The same new program everywhere at once; afterwards it is known. */
static pthread_barrier_t barrier;

static void *same_program(void *user) {
    worker *w = user;
    fsr_graph *g = fsr_graph_new(subject_ctx);
    fsr_node y = fsr_sum(fsr_mul(fsr_arange(g, FSR_I64, 1000), fsr_int(g, 77)), NULL, 0, 0);
    int64_t sum = 0;
    pthread_barrier_wait(&barrier);
    NEED(fsr_read(y, &sum, sizeof sum) == FSR_OK);
    NEED(sum == 77 * 499500);
    fsr_graph_free(g);
    return NULL;
}

static void the_same_program_at_once(void **state) {
    (void)state;
    fsr_stats before = subject_stats();
    pthread_barrier_init(&barrier, NULL, THREADS);
    run_threads(same_program);
    pthread_barrier_destroy(&barrier);
    fsr_stats after = subject_stats();
    assert_in_range(after.compilations + after.cache_hits_disk - before.compilations - before.cache_hits_disk, 1,
                    THREADS);
    pthread_barrier_init(&barrier, NULL, THREADS);
    run_threads(same_program);
    pthread_barrier_destroy(&barrier);
    fsr_stats again = subject_stats();
    assert_int_equal(again.compilations, after.compilations);
    assert_int_equal(again.plans_built, after.plans_built);
    assert_int_equal(again.plan_hits, after.plan_hits + THREADS);
}

/* Contexts of several threads beside each other. */
static void *own_context(void *user) {
    worker *w = user;
    fsr_config config;
    fsr_context *ctx = NULL;
    fsr_config_init(&config, NULL, 0);
    config.backend = SUBJECT_BACKEND;
    config.threads = 2;
    for (int round = 0; round < 3; ++round) {
        NEED(fsr_open(&config, &ctx) == FSR_OK);
        fsr_graph *g = fsr_graph_new(ctx);
        int64_t sum = 0;
        NEED(fsr_read(fsr_sum(fsr_arange(g, FSR_I64, 100 + w->number), NULL, 0, 0), &sum, sizeof sum) == FSR_OK);
        NEED(sum == (100 + w->number) * (99 + w->number) / 2);
        fsr_close(ctx);
    }
    return NULL;
}

static void a_context_each(void **state) {
    (void)state;
    run_threads(own_context);
}

/* Everybody's index is outside, each another one, and is told to who reads it; every second time each reads also what
 * has no index outside. A third of them wait for the device in between, which tells nobody's to anybody else. */
static fsr_node taken(fsr_graph *g, int64_t index) {
    fsr_node x = fsr_arange(g, FSR_F32, 50), i = fsr_from_host(g, FSR_I64, 1, SHAPE(1), &index);
    return fsr_take(x, i, 0, FSR_INDEX_RAISE);
}

static void *reads_own_report(void *user) {
    worker *w = user;
    fsr_graph *g = fsr_graph_new(subject_ctx);
    for (int round = 0; round < 200 && !w->problem[0]; ++round) {
        const int64_t index = 1000 + 1000 * w->number + round;
        char words[64];
        float got;
        snprintf(words, sizeof words, "index %d is out of bounds", (int)index);
        NEED(fsr_scope_begin(g) == FSR_OK);
        fsr_node bad = taken(g, index), good = taken(g, w->number);
        NEED(fsr_read(bad, &got, sizeof got) == FSR_ERR_INDEX);
        NEED(strstr(fsr_error(subject_ctx), words) != NULL);
        NEED(got == 49);
        NEED(fsr_read(good, &got, sizeof got) == FSR_OK);
        NEED(got == (float)w->number);
        if (w->number % 3 == 0)
            fsr_sync(subject_ctx);
        NEED(fsr_scope_end(g, NULL, 0) == FSR_OK);
    }
    fsr_error_clear(subject_ctx);
    fsr_graph_free(g);
    return NULL;
}

static void reports_reach_their_readers(void **state) {
    (void)state;
    run_threads(reads_own_report);
    fsr_sync(subject_ctx);
    OK(fsr_sync(subject_ctx));
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(sixteen_threads),          SUBJECT_TEST(one_plan_for_all),
    SUBJECT_TEST(the_same_program_at_once), SUBJECT_TEST(reports_reach_their_readers),
    SUBJECT_TEST(a_context_each),
};
SUBJECT_MAIN(tests)

/* SPDX-License-Identifier: MIT */
/* Memory and copies beside work (fusor/transfer.h): two buffers of each kind, by turns, give what one after the
 * other gives; tickets, their times, what is refused, and memory that is given back. */
#include "fusor/transfer.h"
#include "tests/support/subject.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define C subject_ctx
enum { N = 5000, PARTS = 9 };
static const size_t BYTES = sizeof(float) * N;

static float *host[2], *result[2];
static void *in[2], *out[2];

static int begin(void **state) {
    for (int i = 0; i < 2; i++) {
        OK(fsr_alloc(C, FSR_HOST, BYTES, (void **)&host[i]));
        OK(fsr_alloc(C, FSR_HOST, BYTES, (void **)&result[i]));
        OK(fsr_alloc(C, FSR_DEVICE, BYTES, &in[i]));
        OK(fsr_alloc(C, FSR_DEVICE, BYTES, &out[i]));
    }
    return subject_setup(state);
}

static int end(void **state) {
    for (int i = 0; i < 2; i++) {
        OK(fsr_free(C, FSR_HOST, host[i]));
        OK(fsr_free(C, FSR_HOST, result[i]));
        OK(fsr_free(C, FSR_DEVICE, in[i]));
        OK(fsr_free(C, FSR_DEVICE, out[i]));
    }
    return subject_teardown(state);
}

/* 3 x + 1, with a sum between, so that a GPU has something to do. */
static fsr_plan *compiled(void) {
    fsr_plan *plan = NULL;
    fsr_node x = fsr_input(subject_g, "x", FSR_F32, 1, SHAPE(N)), s = fsr_sum(x, NULL, 0, 0);
    fsr_node y = fsr_add(fsr_add(fsr_mul(x, fsr_float(subject_g, 3)), fsr_float(subject_g, 1)), fsr_sub(s, s));
    OK(fsr_compile(&y, 1, &plan));
    return plan;
}

static void fill(float *x, int part) {
    for (int i = 0; i < N; i++)
        x[i] = (float)((part * 31 + i) % 100);
}

static void check(const float *y, int part) {
    for (int i = 0; i < N; i++)
        if (y[i] != 3 * (float)((part * 31 + i) % 100) + 1)
            fail_msg("part %d, element %d is %g", part, i, (double)y[i]);
}

static void run(fsr_plan *plan, int a) {
    OK(fsr_plan_run(plan, &(fsr_arg){"x", in[a], BYTES, FSR_DEVICE}, 1, &(fsr_arg){NULL, out[a], BYTES, FSR_DEVICE}, 1,
                    NULL));
}

static void by_turns(void **state) {
    (void)state;
    fsr_plan *plan = compiled();
    fsr_ticket up[2] = {0, 0}, down[2] = {0, 0};
    fill(host[0], 0);
    OK(fsr_upload(C, in[0], host[0], BYTES, &up[0]));
    for (int i = 0; i < PARTS; i++) {
        const int a = i % 2, b = 1 - a;
        if (i + 1 < PARTS) {
            OK(fsr_wait(C, up[b]));
            fill(host[b], i + 1);
            OK(fsr_upload(C, in[b], host[b], BYTES, &up[b]));
        }
        OK(fsr_after(C, up[a]));
        OK(fsr_wait(C, down[a]));
        if (i >= 2)
            check(result[a], i - 2);
        run(plan, a);
        OK(fsr_download(C, result[a], out[a], BYTES, &down[a]));
    }
    for (int i = PARTS - 2; i < PARTS; i++) {
        OK(fsr_wait(C, down[i % 2]));
        check(result[i % 2], i);
    }
    fsr_plan_free(plan);
}

/* More tickets than their times are known of, each good to wait for. */
static void tickets(void **state) {
    (void)state;
    enum { MANY = 200, KNOWN = 64 };
    static fsr_ticket ticket[MANY];
    double from = -1, to = -1, last = -1e9;
    for (int i = 0; i < MANY; i++) {
        host[0][0] = (float)i;
        OK(fsr_upload(C, in[0], host[0], sizeof(float), &ticket[i]));
        assert_true(ticket[i] > 0 && (!i || ticket[i] > ticket[i - 1]));
        OK(fsr_wait(C, ticket[i]));
    }
    for (int i = 0; i < MANY; i++) {
        OK(fsr_wait(C, ticket[i]));
        OK(fsr_after(C, ticket[i]));
        if (i < MANY - KNOWN) {
            subject_error(C, fsr_ticket_time(C, ticket[i], &from, &to), FSR_ERR_VALUE, "are not known");
            continue;
        }
        OK(fsr_ticket_time(C, ticket[i], &from, &to));
        assert_true(from >= 0 && to >= from && from >= last);
        last = to;
    }
    fsr_ticket mark, copy;
    OK(fsr_mark(C, &mark));
    OK(fsr_download(C, result[0], in[0], sizeof(float), &copy));
    OK(fsr_ticket_time(C, mark, &from, &to));
    assert_true(from == to && from >= last);
    OK(fsr_ticket_time(C, copy, &from, &to));
    assert_true(from >= last);
    assert_true(result[0][0] == MANY - 1);
    OK(fsr_wait(C, 0));
    OK(fsr_after(C, 0));
    OK(fsr_upload(C, in[0], host[0], sizeof(float), NULL));
    OK(fsr_upload(C, NULL, NULL, 0, &copy));
    OK(fsr_wait(C, copy));
}

static void refused(void **state) {
    (void)state;
    double time;
    void *p = host[0];
    fsr_ticket t = 77;
    const fsr_ticket wrong[] = {-1, 3, 4000000, INT64_MAX, INT64_MIN};
    for (int i = 0; i < COUNT_OF(wrong); i++) {
        subject_error(C, fsr_wait(C, wrong[i]), FSR_ERR_VALUE, "is no ticket of this context");
        subject_error(C, fsr_after(C, wrong[i]), FSR_ERR_VALUE, "is no ticket of this context");
        subject_error(C, fsr_ticket_time(C, wrong[i], &time, &time), FSR_ERR_VALUE, "ticket");
    }
    subject_error(C, fsr_ticket_time(C, 0, &time, &time), FSR_ERR_VALUE, "are not known");
    subject_error(C, fsr_ticket_time(C, 0, NULL, &time), FSR_ERR_NULL, "ticket_time");
    subject_error(C, fsr_upload(C, NULL, host[0], 4, &t), FSR_ERR_NULL, "upload: where it goes is null");
    assert_true(t == 0);
    subject_error(C, fsr_download(C, host[0], NULL, 4, &t), FSR_ERR_NULL, "download: what is copied is null");
    subject_error(C, fsr_mark(C, NULL), FSR_ERR_NULL, "mark");
    subject_error(C, fsr_alloc(C, (fsr_place)2, 4, &p), FSR_ERR_VALUE, "alloc: there is no place 2");
    assert_null(p);
    subject_error(C, fsr_alloc(C, FSR_HOST, 4, NULL), FSR_ERR_NULL, "alloc");
    subject_error(C, fsr_alloc(C, FSR_HOST, SIZE_MAX, &p), FSR_ERR_SIZE, "alloc");
    subject_error(C, fsr_free(C, FSR_DEVICE, host[0]), FSR_ERR_VALUE, "free: the address is no memory of fsr_alloc");
    subject_error(C, fsr_free(C, (fsr_place)-1, host[0]), FSR_ERR_VALUE, "free: there is no place");
    subject_error(C, fsr_free(C, FSR_HOST, host[0] + 1), FSR_ERR_VALUE, "free");
    OK(fsr_free(C, FSR_HOST, NULL));
    assert_int_equal(fsr_alloc(NULL, FSR_HOST, 4, &p), FSR_ERR_NULL);
    assert_int_equal(fsr_free(NULL, FSR_HOST, p), FSR_ERR_NULL);
    assert_int_equal(fsr_wait(NULL, 0), FSR_ERR_NULL);
}

/* Flat in memory; an address of no bytes; what is forgotten goes with the context. */
static void memory(void **state) {
    (void)state;
    void *p[2], *forgotten;
    const fsr_stats before = subject_stats();
    for (int i = 0; i < 300; i++) {
        for (int place = 0; place < 2; place++) {
            OK(fsr_alloc(C, (fsr_place)place, 1 << 16, &p[place]));
            assert_true((uintptr_t)p[place] % 256 == 0);
        }
        memset(p[0], i, 1 << 16);
        OK(fsr_upload(C, p[1], p[0], 1 << 16, NULL));
        for (int place = 0; place < 2; place++)
            OK(fsr_free(C, (fsr_place)place, p[place]));
    }
    const fsr_stats after = subject_stats();
    assert_true(after.pool_bytes - before.pool_bytes <= 4 << 20);
    assert_int_equal(after.host_bytes + after.device_bytes, before.host_bytes + before.device_bytes);
    OK(fsr_alloc(C, FSR_HOST, 0, &p[0]));
    assert_non_null(p[0]);
    OK(fsr_free(C, FSR_HOST, p[0]));
    fsr_config config = subject_config();
    fsr_context *ctx = subject_open(&config);
    OK(fsr_alloc(ctx, FSR_HOST, 1000, &forgotten));
    OK(fsr_alloc(ctx, FSR_DEVICE, 1000, &p[1]));
    OK(fsr_upload(ctx, p[1], forgotten, 1000, NULL));
    fsr_close(ctx);
}

/* ---- threads ------------------------------------------------------------------------------------------ */

enum { THREADS = 4, ROUNDS = 25 };

typedef struct worker {
    fsr_plan *plan;
    float *host;
    void *in, *out;
    int number, wrong; /* elements, or -1: a call failed */
    char why[200];
} worker;

static bool one_round(worker *w, int round) {
    fsr_ticket up = 0, down = 0;
    const fsr_arg from = {"x", w->in, BYTES, FSR_DEVICE}, to = {NULL, w->out, BYTES, FSR_DEVICE};
    fill(w->host, w->number * ROUNDS + round);
    return !fsr_upload(C, w->in, w->host, BYTES, &up) && !fsr_after(C, up) &&
           !fsr_plan_run(w->plan, &from, 1, &to, 1, NULL) && !fsr_download(C, w->host, w->out, BYTES, &down) &&
           !fsr_wait(C, down);
}

static void *work_on(void *user) {
    worker *w = user;
    for (int round = 0; round < ROUNDS && w->wrong >= 0; round++) {
        if (!one_round(w, round)) {
            w->wrong = -1;
            snprintf(w->why, sizeof w->why, "round %d: %s", round, fsr_error(C));
        }
        for (int i = 0; i < N && w->wrong >= 0; i++)
            w->wrong += w->host[i] != 3 * (float)(((w->number * ROUNDS + round) * 31 + i) % 100) + 1;
    }
    return NULL;
}

/* Each thread has arrays of its own; streams and tickets are the context's. */
static void threads(void **state) {
    (void)state;
    pthread_t thread[THREADS];
    worker w[THREADS];
    for (int i = 0; i < THREADS; i++) {
        w[i] = (worker){.plan = compiled(), .number = i};
        OK(fsr_alloc(C, FSR_HOST, BYTES, (void **)&w[i].host));
        OK(fsr_alloc(C, FSR_DEVICE, BYTES, &w[i].in));
        OK(fsr_alloc(C, FSR_DEVICE, BYTES, &w[i].out));
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, work_on, &w[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        if (w[i].wrong)
            fail_msg("thread %d: %d, %s", i, w[i].wrong, w[i].why);
        OK(fsr_free(C, FSR_HOST, w[i].host));
        OK(fsr_free(C, FSR_DEVICE, w[i].in));
        OK(fsr_free(C, FSR_DEVICE, w[i].out));
        fsr_plan_free(w[i].plan);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
static const struct CMUnitTest tests[] = {TEST(by_turns), TEST(tickets), TEST(refused), TEST(memory), TEST(threads)};
SUBJECT_MAIN(tests)

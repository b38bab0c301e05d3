/* SPDX-License-Identifier: MIT */
/* What kernels report, without kernels: words of runs, set here as a kernel would, and who is told of them. */
#include "runtime/reports.h"
#include "tests/support/subject.h"
#include <pthread.h>
#include <stdio.h>

static const fsr_report sites[] = {{{"a.c", 3}, 0, 10, FSR_SAYS_INDEX}, {{"b.c", 4}, 2, 7, FSR_SAYS_INDEX}};

/* Stand for graphs and plans, of which nothing but the address is looked at. */
static const char owners[4];
#define GRAPH(i) ((const fsr_graph *)&owners[i])
#define PLAN(i) ((const fsr_plan *)&owners[i])

/* A run whose n words are these. */
static void run_of(fsr_report_run of, const uint64_t *word, int n) {
    fsr_report_batch *batch;
    fsr_fault fault = {FSR_OK, NULL};
    void *words;
    assert_int_equal(fsr_reports_begin(subject_ctx, of, sites, n, &batch, &words, &fault), FSR_OK);
    for (int i = 0; i < n; i++) {
        assert_int_equal(((uint64_t *)words)[i], 0);
        ((uint64_t *)words)[i] = word[i];
    }
    fsr_reports_end(subject_ctx, batch);
}

static void run(const uint64_t *word, int n) {
    run_of((fsr_report_run){.owner = GRAPH(0)}, word, n);
}

/* A run of an owner that reports this index; 0: none. */
static void report(const void *owner, bool on_device, uint64_t index) {
    run_of((fsr_report_run){owner, on_device}, (const uint64_t[]){index, 0}, 2);
}

static void *report_elsewhere(void *user) {
    const uint64_t *index = user;
    report(GRAPH(1), false, index[0]);
    report(PLAN(2), true, index[1]);
    return NULL;
}

/* The fault is of this index; 0: there is none. */
static void expect(fsr_status status, fsr_fault *fault, long long index) {
    long long told = 0;
    assert_int_equal(status, index ? FSR_ERR_INDEX : FSR_OK);
    if (index && sscanf(fault->message, "index %lld ", &told) != 1)
        fail_msg("%s", fault->message);
    assert_int_equal(told, index);
    fsr_fault_clear(fault);
}

static void expect_read(const fsr_graph *g, long long index) {
    fsr_fault fault = {FSR_OK, NULL};
    expect(fsr_reports_read(subject_ctx, g, &fault), &fault, index);
}

static void expect_ran(const fsr_plan *plan, const fsr_graph *origin, long long index) {
    fsr_fault fault = {FSR_OK, NULL};
    expect(fsr_reports_ran(subject_ctx, plan, origin, &fault), &fault, index);
}

static void expect_sync(long long index) {
    fsr_fault fault = {FSR_OK, NULL};
    expect(fsr_reports_sync(subject_ctx, &fault), &fault, index);
}

static void first_is_told(void **state) {
    (void)state;
    OK(fsr_sync(subject_ctx));
    run(NULL, 0);
    run((const uint64_t[]){0, 0}, 2);
    OK(fsr_sync(subject_ctx));
    run((const uint64_t[]){0, (uint64_t)-8}, 2);
    run((const uint64_t[]){11, 0}, 2);
    subject_error(subject_ctx, fsr_sync(subject_ctx), FSR_ERR_INDEX,
                  "index -8 is out of bounds for axis 2 with size 7 (b.c:4)");
    OK(fsr_sync(subject_ctx));
}

/* Whoever reads results of a graph is told of its runs, not of another's; and of a plan's graph with the plan. */
static void owners_are_apart(void **state) {
    (void)state;
    report(GRAPH(0), false, 20);
    report(GRAPH(1), false, 21);
    report(GRAPH(0), false, 22);
    report(PLAN(2), true, 23);
    report(PLAN(3), false, 24);
    expect_read(GRAPH(1), 21);
    expect_read(GRAPH(1), 0);
    expect_ran(PLAN(3), NULL, 23); /* whose results may have been its inputs */
    expect_ran(PLAN(3), NULL, 0);
    expect_ran(PLAN(2), GRAPH(0), 20);
    expect_read(GRAPH(0), 0);
    expect_sync(0);
}

/* What another thread started a sync tells too, and its reader all the same; of what an owner that is no more left, the
 * sync tells if none has. */
static void other_threads(void **state) {
    (void)state;
    pthread_t thread;
    const int64_t used = subject_stats().host_bytes;
    for (int round = 0; round < 100; round++) {
        assert_int_equal(pthread_create(&thread, NULL, report_elsewhere, (uint64_t[]){30, 31}), 0);
        report(GRAPH(0), false, 32);
        assert_int_equal(pthread_join(thread, NULL), 0);
        expect_ran(PLAN(3), NULL, 0);
        expect_read(GRAPH(0), 32);
        if (round % 2) {
            expect_sync(30);
            expect_sync(0);
            expect_read(GRAPH(1), 30);
            fsr_reports_disown(subject_ctx, PLAN(2));
        } else {
            fsr_reports_disown(subject_ctx, GRAPH(1));
            fsr_reports_disown(subject_ctx, PLAN(2));
            expect_read(GRAPH(1), 0);
            expect_sync(30);
        }
        expect_sync(0);
        expect_ran(PLAN(2), GRAPH(1), 0);
    }
    assert_int_equal(subject_stats().host_bytes, used);
}

/* A program that never reads keeps a bounded number of batches, and the first report is not lost among them. */
static void many(void **state) {
    (void)state;
    int64_t used = subject_stats().host_bytes;
    run((const uint64_t[]){10, 0}, 2);
    for (int i = 0; i < 1000; i++)
        run((const uint64_t[]){0, 0}, 2);
    assert_true(subject_stats().host_bytes - used <= 100 * 256);
    run((const uint64_t[]){99, 0}, 2);
    subject_error(subject_ctx, fsr_sync(subject_ctx), FSR_ERR_INDEX, "index 10 |size 10 |a.c:3");
    assert_int_equal(subject_stats().host_bytes, used);
    OK(fsr_sync(subject_ctx));
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_TEST(first_is_told), SUBJECT_TEST(owners_are_apart),
                                       SUBJECT_TEST(other_threads), SUBJECT_TEST(many)};
    return subject_main(FSR_BACKEND_CPU, tests, COUNT_OF(tests));
}

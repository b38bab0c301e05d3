/* SPDX-License-Identifier: MIT */
/* What kernels report, without kernels: words of runs, set here as a kernel would, and what the next sync says of them. */
#include "runtime/reports.h"
#include "tests/support/subject.h"

static const fsr_report sites[] = {{{"a.c", 3}, 0, 10}, {{"b.c", 4}, 2, 7}};

/* A run whose n words are these. */
static void run(const uint64_t *word, int n) {
    fsr_report_batch *batch;
    fsr_fault fault = {FSR_OK, NULL};
    void *words;
    assert_int_equal(fsr_reports_begin(subject_ctx, sites, n, &batch, &words, &fault), FSR_OK);
    for (int i = 0; i < n; i++) {
        assert_int_equal(((uint64_t *)words)[i], 0);
        ((uint64_t *)words)[i] = word[i];
    }
    fsr_reports_end(subject_ctx, batch);
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
    const struct CMUnitTest tests[] = {SUBJECT_TEST(first_is_told), SUBJECT_TEST(many)};
    return subject_main(FSR_BACKEND_CPU, tests, COUNT_OF(tests));
}

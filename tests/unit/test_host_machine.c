/* SPDX-License-Identifier: MIT */
/* The machine that runs generated CUDA on the host must see the mistakes it is there for. */
#include "tests/host_cuda/host_cuda.h"
#include "tests/host_cuda/sweep.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- the machine ------------------------------------------------------------------------------------- */

static fsr_status run_text(const char *name, const char *body, int *data, int blocks, int threads, uint64_t seed,
                           fsr_fault *fault) {
    char source[1024];
    void *args[] = {&data};
    snprintf(source, sizeof source, "extern \"C\" __global__ void __launch_bounds__(%d) %s(int *x) { %s }", threads,
             name, body);
    return host_cuda_run_text(name, source, args, blocks, threads, seed, fault);
}

static void test_machine_runs(void **state) {
    (void)state;
    static const char body[] = "int v = threadIdx.x + blockIdx.x, lane = threadIdx.x % 32;"
                               "for (int d = 16; d; d /= 2) v += fsr_shuffle_word(v, lane ^ d);"
                               "__shared__ int s[3];"
                               "if (lane == 0) s[threadIdx.x / 32] = v;"
                               "fsr_barrier();"
                               "for (int i = 0; threadIdx.x == 95 && i < s[0] + s[1] + s[2]; i++) (*x)++;";
    for (uint64_t seed = 0; seed < 20; seed++) {
        int sum = 0;
        fsr_fault fault = {FSR_OK, NULL};
        assert_int_equal(run_text("k_sum", body, &sum, 7, 96, seed, &fault), FSR_OK);
        assert_int_equal(sum, 7 * 95 * 48 + 96 * 21);
    }
}

/* Counts the seeds under which a kernel is caught: it fails, or leaves another x[0] than it should. */
static int caught(const char *name, const char *body, int blocks, int threads, int expected, const char *why) {
    int n = 0;
    for (uint64_t seed = 0; seed < 12; seed++) {
        int x[64] = {0};
        fsr_fault fault = {FSR_OK, NULL};
        fsr_status status = run_text(name, body, x, blocks, threads, seed, &fault);
        if (status != FSR_OK)
            assert_int_equal(status, FSR_ERR_MISMATCH);
        if (status != FSR_OK && why && !strstr(fault.message, why))
            fail_msg("'%s' lacks '%s'", fault.message, why);
        n += status != FSR_OK || x[0] != expected;
        fsr_fault_clear(&fault);
    }
    return n;
}

static void test_machine_catches(void **state) {
    (void)state;
    assert_true(caught("k_race", "__shared__ int s; if (threadIdx.x == 0) s = 5; if (threadIdx.x == 40) x[0] = s;", 1,
                       64, 5, NULL) > 0);
    assert_true(caught("k_order",
                       "if (threadIdx.x == 0) { int b = blockIdx.x;"
                       "while (b && !fsr_peek_flag((unsigned *)x + b)) fsr_pause();"
                       "fsr_post_flag((unsigned *)x + b + 1); x[0] = 1; }",
                       40, 32, 1, "nothing happens any more") > 0);
    assert_int_equal(caught("k_ticket",
                            "if (threadIdx.x == 0) { int b = fsr_add_ticket((unsigned *)x);"
                            "while (b && !fsr_peek_flag((unsigned *)x + b)) fsr_pause();"
                            "fsr_post_flag((unsigned *)x + b + 1); }",
                            40, 32, 40, NULL),
                     0);
    assert_true(
        caught("k_lost", "if (threadIdx.x == 0) { int old = *x; fsr_fence(); *x = old + 1; }", 40, 32, 40, NULL) > 0);
    assert_int_equal(caught("k_divergent", "if (threadIdx.x < 16)\nfsr_barrier(); else\nfsr_barrier();", 1, 32, 0,
                            "at a barrier in line"),
                     12);
    assert_int_equal(
        caught("k_gone", "if (threadIdx.x < 16) fsr_barrier();", 1, 32, 0, "16 of 32 threads have returned"), 12);
    assert_int_equal(caught("k_lanes", "if (threadIdx.x < 16) fsr_shuffle_word(1, 0);", 1, 32, 0, "in a shuffle"), 12);
}

/* The first threads of a block meet without the others, and others with them are a mistake; a gate opens when all have
 * arrived and all bytes have come, which come late. */
#define FETCH                                                   \
    "__shared__ unsigned long long gate; __shared__ int to[8];" \
    "if (threadIdx.x == 0) fsr_gate_start(&gate, 1);"           \
    "fsr_barrier();"                                            \
    "if (threadIdx.x == 32) { fsr_gate_expect(&gate, 32); fsr_bulk_copy(to, x + 8, 32, &gate); }"
static void test_machine_gates(void **state) {
    (void)state;
    assert_int_equal(caught("k_first",
                            "__shared__ int s; if (threadIdx.x < 64) { if (threadIdx.x == 0) s = 5;"
                            "fsr_first_meet<64>(); if (threadIdx.x == 40) x[0] = s; }",
                            1, 96, 5, NULL),
                     0);
    assert_int_equal(caught("k_others", "fsr_first_meet<32>();", 1, 64, 0, "is none of the first 32"), 12);
    assert_int_equal(caught("k_few", "if (threadIdx.x < 16) fsr_first_meet<32>();", 1, 32, 0, "at a meeting"), 12);
    assert_int_equal(caught("k_fetch", FETCH "if (threadIdx.x == 0) { fsr_gate_await(&gate, 0); x[0] = to[3] + 1; }", 1,
                            64, 1, NULL),
                     0);
    assert_int_equal(caught("k_early", FETCH "if (threadIdx.x == 0) x[0] = to[3] + 1;", 1, 64, 1, NULL), 12);
    assert_int_equal(caught("k_never",
                            FETCH "if (threadIdx.x == 0) fsr_gate_await(&gate, 1), fsr_gate_await(&gate, 1);"
                                  "if (threadIdx.x == 0) fsr_gate_await(&gate, 0);"
                                  "if (threadIdx.x == 0) fsr_gate_await(&gate, 1);",
                            1, 64, 0, "nothing happens any more"),
                     12);
}

static void test_machine_compiles(void **state) {
    (void)state;
    fsr_fault fault = {FSR_OK, NULL};
    assert_int_equal(run_text("k_wrong", "nonsense;", NULL, 1, 32, 0, &fault), FSR_ERR_COMPILE);
    assert_non_null(strstr(fault.message, "nonsense"));
    fsr_fault_clear(&fault);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machine_runs),
        cmocka_unit_test(test_machine_catches),
        cmocka_unit_test(test_machine_gates),
        cmocka_unit_test(test_machine_compiles),
    };
    if (!host_cuda_available()) {
        fprintf(stderr, "skipped: no C++ compiler\n");
        return 77;
    }
    return host_report(cmocka_run_group_tests(tests, NULL, NULL));
}

/* SPDX-License-Identifier: MIT */
/* Stores of a filter in the loop IR: compacted, and at computed places; interpreted, and refused where they are
 * broken. */
#include "fusion/loop_ir_parse.h"
#include "tests/support/kernel_checks.h"

enum { FILTERED = 37 };

/* b0 in, b1 the elements below 4, in order, then the others, as they are, from the end. */
static const char filter_text[] = "kernel k_filter: by hand\n"
                                  "  domain [fold d0] passes 1 ints 6\n"
                                  "  array b0 i32\n"
                                  "  array b1 i32 written\n"
                                  "  schedule cpu row abreast 1 lanes 8 chunk 512 work 7 strip 512 block 16\n"
                                  "  walk p0 strips\n"
                                  "  fold f0 p0 exclusive scan (i32 from 0) commutative add\n"
                                  "  p0 elem v0 = i32 load b0[d0] linear\n"
                                  "  p0 row  v1 = i32 4\n"
                                  "  p0 elem v2 = bool less.i32(v0, v1)\n"
                                  "  p0 elem v3 = i32 cast.bool(v2)\n"
                                  "  p0 elem f0 <- v3\n"
                                  "  p0 elem v5 = i32 f0.0\n"
                                  "  p0 elem v6 = i32 index d0\n"
                                  "  p0 elem v7 = i32 sub(v5, v6)\n"
                                  "  p0 row  v8 = i32 1\n"
                                  "  p0 elem v9 = i32 sub(v7, v8)\n"
                                  "  p0 elem v10 = i32 where(v2, v5, v9)\n"
                                  "  p0 elem v11 = i64 cast.i32(v10)\n"
                                  "  p0 elem v12 = i64 drop(v11, i5)\n"
                                  "  p0 elem store b1[v12] filter v2 after v5 = v0\n";

static fsr_kernel *kernel_filter(void) {
    fsr_parse_error error;
    fsr_kernel *k;
    if (fsr_kernel_parse(filter_text, &k, NULL, &error))
        fail_msg("line %d: %s", error.line, error.message);
    return kernel_finished(k);
}

static void run_filter(const fsr_kernel *k, const int32_t *in, int32_t *out) {
    fsr_launch launch = {.array = {(void *)(uintptr_t)in, out}};
    kernel_sizes(k, &launch, 1, FILTERED);
    launch.integer[FSR_INT_EXTENT] = launch.integer[FSR_INT_EXTENT + 1] = FILTERED;
    assert_int_equal(fsr_kernel_interpret(k, &launch), FSR_OK);
}

static void test_compacts(void **state) {
    (void)state;
    int32_t in[FILTERED], placed[FILTERED], compacted[FILTERED], want[FILTERED], front = 0, back = FILTERED;
    for (int i = 0; i < FILTERED; i++) {
        in[i] = i * 5 % 9;
        want[in[i] < 4 ? front++ : --back] = in[i];
    }
    fsr_kernel *k = kernel_filter();
    assert_valid(k);
    run_filter(k, in, placed);
    fsr_kernel_settle_filters(k, true);
    assert_valid(kernel_finished(k));
    run_filter(k, in, compacted);
    assert_memory_equal(placed, want, sizeof want);
    assert_memory_equal(compacted, want, sizeof want);
    assert_print(k, "kernel k_filter: by hand\n"
                    "  domain [fold d0] passes 1 ints 6\n"
                    "  array b0 i32\n"
                    "  array b1 i32 written\n"
                    "  schedule cpu row abreast 1 lanes 8 chunk 512 work 7 part 32768 strip 512 block 16 streams b1\n"
                    "  walk p0 strips\n"
                    "  walk fold lanes\n"
                    "  fold f0 p0 exclusive scan (i32 from 0) commutative add\n"
                    "  p0 elem v0 = i32 load b0[d0] linear\n"
                    "  p0 row  v1 = i32 4\n"
                    "  p0 elem v2 = bool less.i32(v0, v1)\n"
                    "  p0 elem v3 = i32 cast.bool(v2)\n"
                    "  p0 elem f0 <- v3\n"
                    "  p0 elem v5 = i32 f0.0\n"
                    "  p0 elem store b1[0] compact v2 after v5 = v0\n");
    fsr_kernel_free(k);
}

/* Where threads are at elements of their own nothing is left of the filter. */
static void test_places(void **state) {
    (void)state;
    fsr_kernel *k = kernel_filter();
    int n = k->ninsts;
    fsr_kernel_settle_filters(k, false);
    assert_valid(kernel_finished(k));
    assert_int_equal(k->ninsts, n);
    assert_int_equal(k->inst[n - 1].filter, FSR_FILTER_NONE);
    assert_true(fsr_inst_scatters(k, &k->inst[n - 1]) && fsr_inst_drops(k, &k->inst[n - 1]));
    fsr_kernel_free(k);
}

static fsr_kernel *kernel_compacted(void) {
    fsr_kernel *k = kernel_filter();
    fsr_kernel_settle_filters(k, true);
    return k;
}

static void test_refuses_filters(void **state) {
    (void)state;
    fsr_kernel *k = kernel_filter();
    k->fold[0].exclusive = false;
    assert_refused(k, "v13: v5 is no running count of v2");
    k = kernel_compacted();
    k->inst[6].arg[1] = 0;
    assert_refused(k, "v6: operand v0 is i32, not bool");
    k = kernel_compacted();
    k->access[k->inst[6].index].form = k->access[0].form;
    assert_refused(k, "v6: a compacted store through access 1, which moves along the columns");
    k = kernel_compacted();
    k->schedule.kind = FSR_SCHEDULE_COL;
    assert_refused(k, "v6: a compacted store down the columns");
    k = kernel_filter();
    k->access[0].linear = false;
    k->access[0].form = k->access[k->inst[13].index].form;
    assert_refused(k, "v0: takes v12, which is not earlier");
}

static void test_refuses_folded_index(void **state) {
    (void)state;
    fsr_kernel *k = kernel_argmax(FSR_F32);
    k->stand[1].level = FSR_ROW;
    assert_refused(k, "v1: ROW index along the folded dimension 1");
    k = kernel_map(FSR_F32);
    k->stand[1].level = FSR_ELEM;
    assert_refused(k, "v1: ELEM without a folded dimension");
    k = kernel_map(FSR_F32);
    k->scalar[0] = FSR_I32;
    assert_refused(k, "v0: scalar argument 0 is i32");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compacts),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_refuses_filters),
        cmocka_unit_test(test_refuses_folded_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

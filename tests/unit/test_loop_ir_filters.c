/* SPDX-License-Identifier: MIT */
/* Stores of a filter in the loop IR: as they are, and at computed places; interpreted, and refused where they are
 * broken. */
#include "fusion/filter.h"
#include "fusion/loop_ir_parse.h"
#include "tests/support/kernel_checks.h"

enum { FILTERED = 37 };

/* What the texts have in common. */
#define BELOW_4_COUNTED                      \
    "  p0 row  v1 = i32 4\n"                 \
    "  p0 elem v2 = bool less.i32(v0, v1)\n" \
    "  p0 elem v3 = i32 cast.bool(v2)\n"     \
    "  p0 elem f0 <- v3\n"                   \
    "  p0 elem v5 = i32 f0.0\n"
#define FILTER_ARRAYS                      \
    "kernel k_filter: by hand\n"           \
    "  domain [fold d0] passes 1 ints 6\n" \
    "  array b0 i32\n"                     \
    "  array b1 i32 written\n"
#define FILTER_FOLD                                              \
    "  fold f0 p0 exclusive scan (i32 from 0) commutative add\n" \
    "  p0 elem v0 = i32 load b0[d0] linear\n"
#define PLANE_ARRAYS                                \
    "kernel k_plane: by hand\n"                     \
    "  domain [fold d0, fold d1] passes 2 ints 6\n" \
    "  array b0 i32\n"                              \
    "  array b1 i32 written\n"                      \
    "  array b2 i32 written\n"                      \
    "  array b3 i32 written\n"                      \
    "  array b4 i32 written\n"
#define PLANE_FOLDS                                                    \
    "  fold f0 p0 exclusive scan (i32 from 0) commutative add\n"       \
    "  fold f1 p0 reduce (i32 from -2147483648) commutative maximum\n" \
    "  p0 elem v0 = i32 load b0[d0*i5 + d1] linear\n"

/* b0 in, b1 the elements below 4, in order, then the others, as they are, from the end. */
static const char filter_text[] =
    FILTER_ARRAYS "  schedule cpu row abreast 1 lanes 8 chunk 512 work 7 strip 512 block 16\n"
                  "  walk p0 strips\n" FILTER_FOLD BELOW_4_COUNTED "  p0 elem store b1[0] filter v2 after v5 = v0\n";

/* Of columns in lines of 5: b1 what is below 4 alone, b2 all of them with the greatest added, which is known in pass 1,
 * b3 as they are; b4 no filter's, with the number of the line, which is computed in pass 1 before somebody asks for it
 * in pass 0. */
static const char plane_text[] =
    PLANE_ARRAYS "  schedule gpu row threads 256 abreast 256 vector 1 items 1 accumulators 1 resident 2\n" PLANE_FOLDS
        BELOW_4_COUNTED "  p0 elem f1 <- v0\n"
                 "  p1 row  v7 = i32 f1.0\n"
                 "  p1 elem v8 = i64 index d0\n"
                 "  p1 elem v9 = i32 cast.i64(v8)\n"
                 "  p0 elem store b1[0] filter v2 after v5 front = v0\n"
                 "  p1 elem v11 = i32 add(v0, v7)\n"
                 "  p1 elem store b2[0] filter v2 after v5 = v11\n"
                 "  p0 elem store b3[0] filter v2 after v5 = v0\n"
                 "  p1 elem v14 = i32 add(v11, v9)\n"
                 "  p1 elem store b4[d0*i5 + d1] linear = v14\n";

static fsr_kernel *parsed(const char *text) {
    fsr_parse_error error;
    fsr_kernel *k;
    if (fsr_kernel_parse(text, &k, NULL, &error))
        fail_msg("line %d: %s", error.line, error.message);
    return kernel_finished(k);
}

static fsr_kernel *kernel_filter(void) {
    return parsed(filter_text);
}

static fsr_kernel *kernel_placed(void) {
    fsr_kernel *k = kernel_filter();
    assert_true(fsr_kernel_place_filters(k));
    return kernel_finished(k);
}

static void run_filter(const fsr_kernel *k, const int32_t *in, int32_t *out) {
    fsr_launch launch = {.array = {(void *)(uintptr_t)in, out}};
    kernel_sizes(k, &launch, 1, FILTERED);
    launch.integer[FSR_INT_EXTENT] = FILTERED;
    assert_int_equal(fsr_kernel_interpret(k, &launch), FSR_OK);
}

static void test_stays(void **state) {
    (void)state;
    int32_t in[FILTERED], placed[FILTERED], compacted[FILTERED], want[FILTERED], front = 0, back = FILTERED;
    for (int i = 0; i < FILTERED; i++) {
        in[i] = i * 5 % 9;
        want[in[i] < 4 ? front++ : --back] = in[i];
    }
    fsr_kernel *k = kernel_filter();
    assert_valid(k);
    run_filter(k, in, compacted);
    assert_memory_equal(compacted, want, sizeof want);
    fsr_kernel_free(k);
    k = kernel_placed();
    assert_valid(k);
    run_filter(k, in, placed);
    assert_memory_equal(placed, want, sizeof want);
    fsr_kernel_free(k);
}

/* Where threads are at elements of their own nothing is left of the filter. */
static void test_places(void **state) {
    (void)state;
    fsr_kernel *k = kernel_placed();
    const int store = k->ninsts - 1;
    assert_true(!k->inst[store].filter && !fsr_kernel_filters(k));
    assert_true(fsr_inst_scatters(k, &k->inst[store]) && fsr_inst_drops(k, &k->inst[store]));
    assert_print(k,
                 FILTER_ARRAYS "  schedule cpu row abreast 1 lanes 8 chunk 512 work 14 part 32768 strip 512 block 16\n"
                               "  walk p0 strips\n"
                               "  walk fold lanes\n" FILTER_FOLD BELOW_4_COUNTED "  p0 elem v6 = i32 index d0\n"
                               "  p0 row  v7 = i32 1\n"
                               "  p0 elem v8 = i32 sub(v5, v6)\n"
                               "  p0 elem v9 = i32 sub(v8, v7)\n"
                               "  p0 elem v10 = i32 where(v2, v5, v9)\n"
                               "  p0 elem v11 = i64 cast.i32(v10)\n"
                               "  p0 elem v12 = i64 drop(v11, i1)\n"
                               "  p0 elem store b1[v12] = v0\n");
    fsr_kernel_free(k);
}

enum { LINES = 4, PLANE = 20 };

static void run_plane(const fsr_kernel *k, int32_t out[4][PLANE]) {
    int32_t in[PLANE];
    fsr_launch launch = {.array = {in, out[0], out[1], out[2], out[3]}};
    for (int i = 0; i < PLANE; i++)
        in[i] = i * 5 % 9;
    memset(out, 0x7e, sizeof *out * 4);
    launch.integer[FSR_INT_ROWS] = launch.integer[FSR_INT_SPLITS] = 1;
    launch.integer[FSR_INT_COLS] = launch.integer[FSR_INT_STRETCH] = PLANE;
    launch.integer[FSR_INT_EXTENT] = LINES;
    launch.integer[FSR_INT_EXTENT + 1] = PLANE / LINES;
    assert_int_equal(fsr_kernel_interpret(k, &launch), FSR_OK);
}

/* Columns of two dimensions, stores of one filter in two passes, before which and behind which there are others. */
static void test_places_of_several(void **state) {
    (void)state;
    int32_t filtered[4][PLANE], placed[4][PLANE];
    fsr_kernel *k = parsed(plane_text);
    assert_valid(k);
    run_plane(k, filtered);
    k->integer[FSR_INT_EXTENT] = LINES;
    k->integer[FSR_INT_EXTENT + 1] = PLANE / LINES;
    assert_true(fsr_kernel_place_filters(k));
    assert_valid(kernel_finished(k));
    run_plane(k, placed);
    assert_memory_equal(placed, filtered, sizeof placed);
    assert_print(k, PLANE_ARRAYS
                 "  schedule gpu row threads 256 abreast 256 vector 1 items 1 accumulators 1 resident 0\n" PLANE_FOLDS
                     BELOW_4_COUNTED "  p0 elem f1 <- v0\n"
                 "  p1 row  v7 = i32 f1.0\n"
                 "  p0 elem v8 = i64 index d0\n"
                 "  p1 elem v9 = i32 cast.i64(v8)\n"
                 "  p0 row  v10 = i32 -2147483648\n"
                 "  p0 elem v11 = i32 where(v2, v5, v10)\n"
                 "  p0 elem v12 = i64 cast.i32(v11)\n"
                 "  p0 elem v13 = i64 drop(v12, i1)\n"
                 "  p0 elem store b1[v13] = v0\n"
                 "  p1 elem v15 = i32 add(v0, v7)\n"
                 "  p0 row  v16 = i64 5\n"
                 "  p0 elem v17 = i64 mul(v8, v16)\n"
                 "  p0 elem v18 = i64 index d1\n"
                 "  p0 elem v19 = i64 add(v17, v18)\n"
                 "  p0 elem v20 = i32 cast.i64(v19)\n"
                 "  p0 row  v21 = i32 1\n"
                 "  p0 elem v22 = i32 sub(v5, v20)\n"
                 "  p0 elem v23 = i32 sub(v22, v21)\n"
                 "  p0 elem v24 = i32 where(v2, v5, v23)\n"
                 "  p0 elem v25 = i64 cast.i32(v24)\n"
                 "  p0 elem v26 = i64 drop(v25, i1)\n"
                 "  p1 elem store b2[v26] = v15\n"
                 "  p0 elem store b3[v26] = v0\n"
                 "  p1 elem v29 = i32 add(v15, v9)\n"
                 "  p1 elem store b4[d0*i5 + d1] linear = v29\n");
    fsr_kernel_free(k);
}

/* A kernel as long as may be has no room for places. */
static void test_refuses_long_kernels(void **state) {
    (void)state;
    fsr_kernel *k = kernel_filter();
    const int number = k->inst[k->ninsts - 1].arg[0];
    assert_true(fsr_kernel_make_room(k) && fsr_kernel_has_places(k));
    while (k->ninsts < FSR_MAX_INSTS - 10)
        kernel_op(k, FSR_OP_NEG, number, 0, 0);
    assert_false(fsr_kernel_has_places(k));
    assert_false(fsr_kernel_place_filters(k));
    fsr_kernel_free(k);
}

static void test_refuses_filters(void **state) {
    (void)state;
    fsr_kernel *k = kernel_filter();
    k->fold[0].exclusive = false;
    assert_refused(k, "v6: v5 is no running count of v2");
    k = kernel_filter();
    k->inst[6].arg[1] = 0;
    assert_refused(k, "v6: operand v0 is i32, not bool");
    k = kernel_filter();
    k->access[k->inst[6].index].form = k->access[0].form;
    assert_refused(k, "v6: a filter's store through access 1, which moves along the columns");
    k = kernel_filter();
    k->schedule.kind = FSR_SCHEDULE_COL;
    assert_refused(k, "v6: a filter's store down the columns");
    k = kernel_placed();
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
        cmocka_unit_test(test_stays),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_places_of_several),
        cmocka_unit_test(test_refuses_long_kernels),
        cmocka_unit_test(test_refuses_filters),
        cmocka_unit_test(test_refuses_folded_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

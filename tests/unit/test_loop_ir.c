/* SPDX-License-Identifier: MIT */
/* The loop IR by itself: kernels built by hand are verified, printed and interpreted against values computed here;
 * broken ones are refused with the message that names what is wrong. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fusion/loop_ir_parse.h"
#include "tests/support/kernels.h"

static void assert_valid(const fsr_kernel *k) {
    char why[256];
    if (fsr_kernel_verify(k, why, sizeof why) != FSR_OK)
        fail_msg("%s: %s", k->name, why);
}

static void assert_loop(const fsr_kernel *k, int pass, int n, const int *expected) {
    int order[FSR_MAX_INSTS];
    assert_int_equal(fsr_kernel_pass_body(k, pass, order), n);
    for (int i = 0; i < n; i++)
        assert_int_equal(order[i], expected[i]);
}
#define ASSERT_LOOP(k, pass, ...) \
    assert_loop(k, pass, (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int)), (int[]){__VA_ARGS__})

static void assert_print(const fsr_kernel *k, const char *expected) {
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    assert_non_null(to);
    fsr_kernel_print(k, to);
    fclose(to);
    assert_string_equal(text, expected);
    free(text);
}

/* ---- which instructions a loop holds ---------------------------------------------------------------- */

/* v0 load, v1 max <-, v2 max, v3 sub, v4 exp, v5 sum <-, v6 sum, v7 div, v8 store. */
static void test_arguments(void **state) {
    (void)state;
    static const int expected[9][3] = {{0}, {1, 0}, {0}, {2, 0, 2}, {1, 3}, {1, 4}, {0}, {2, 4, 6}, {1, 7}};
    fsr_kernel *k = kernel_softmax(false);
    for (int i = 0; i < 9; i++) {
        int argument[FSR_MAX_ARGUMENTS], reads = 0;
        assert_int_equal(fsr_inst_arguments(k, i, argument), expected[i][0]);
        for (int a = 0; a < expected[i][0]; a++)
            assert_int_equal(argument[a], expected[i][1 + a]);
        for (int v = 0; v < 9; v++)
            reads += fsr_inst_reads(k, i, v);
        assert_int_equal(reads, expected[i][0]);
    }
    fsr_kernel_free(k);
}

static void test_loop_recomputes(void **state) {
    (void)state;
    fsr_kernel *k = kernel_softmax(false);
    ASSERT_LOOP(k, 0, 0, 1);
    ASSERT_LOOP(k, 1, 0, 3, 4, 5);
    ASSERT_LOOP(k, 2, 0, 3, 4, 7, 8);
    assert_false(fsr_kernel_reads_kept(k, 1, 4));
    int rows[FSR_MAX_INSTS];
    assert_int_equal(fsr_kernel_rows(k, 0, rows), 0);
    assert_int_equal(fsr_kernel_rows(k, 1, rows), 1);
    assert_int_equal(rows[0], 2);
    assert_int_equal(fsr_kernel_rows(k, 2, rows), 1);
    assert_int_equal(rows[0], 6);
    assert_int_equal(fsr_kernel_rows(k, 3, rows), 0);
    fsr_kernel_free(k);
}

static void test_loop_keeps(void **state) {
    (void)state;
    fsr_kernel *k = kernel_softmax(true);
    ASSERT_LOOP(k, 0, 0, 1);
    ASSERT_LOOP(k, 1, 3, 4, 5);
    ASSERT_LOOP(k, 2, 7, 8);
    assert_true(fsr_kernel_reads_kept(k, 0, 0));
    assert_true(fsr_kernel_reads_kept(k, 1, 4));
    assert_false(fsr_kernel_reads_kept(k, 1, 3));
    assert_false(fsr_kernel_reads_kept(k, 0, 4));
    k->inst[4].keep = false;
    ASSERT_LOOP(k, 2, 3, 4, 7, 8);
    fsr_kernel_free(k);
}

/* The running sum of pass 0 that only pass 1 reads is performed in pass 1, unless kept. */
static void test_loop_scan(void **state) {
    (void)state;
    fsr_kernel *k = kernel_late_scan(false);
    assert_valid(k);
    ASSERT_LOOP(k, 0, 0, 3);
    ASSERT_LOOP(k, 1, 0, 1, 2, 5, 6);
    fsr_kernel_free(k);
    k = kernel_late_scan(true);
    ASSERT_LOOP(k, 0, 0, 1, 2, 3);
    ASSERT_LOOP(k, 1, 5, 6);
    assert_true(fsr_kernel_reads_kept(k, 0, 2));
    fsr_kernel_free(k);
}

/* A kept value that its own pass does not need is evaluated there all the same, since a later pass reads it. */
static void test_loop_kept_for_later(void **state) {
    (void)state;
    fsr_kernel *k = kernel_begin("k_later", 2, 1, 2);
    int in = kernel_linear(k, kernel_array(k, FSR_F32, false)), out = kernel_linear(k, kernel_array(k, FSR_F32, true));
    int x = kernel_load(k, FSR_ELEM, 0, in);
    int e = kernel_op(k, FSR_OP_EXP, x, 0, 0);
    int sum = kernel_result(k, kernel_builtin(k, FSR_FOLD_REDUCE, 0, false, FSR_OP_ADD, x), 0);
    kernel_store(k, FSR_ELEM, 1, out, kernel_op(k, FSR_OP_MUL, e, sum, 0));
    ASSERT_LOOP(k, 0, 0, 2);
    k->inst[e].keep = k->schedule.persistent = true;
    ASSERT_LOOP(k, 0, 0, 1, 2);
    ASSERT_LOOP(k, 1, 4, 5);
    fsr_kernel_free(k);
}

/* ---- the print --------------------------------------------------------------------------------------- */

static void test_print(void **state) {
    (void)state;
    fsr_kernel *k = kernel_softmax(true);
    assert_print(k, "kernel k_softmax_keep: by hand\n"
                    "  domain [d0, fold d1] passes 3 ints 6\n"
                    "  array b0 f32\n"
                    "  array b1 f32 written\n"
                    "  schedule gpu row threads 128 group 32 vector 1 items 4 accumulators 4 resident 0 persistent\n"
                    "  fold f0 p0 reduce (f32 from -inf) commutative maximum\n"
                    "  fold f1 p1 reduce (f32 from 0) commutative add\n"
                    "  p0 elem v0 = f32 load b0[d0*i5 + d1] linear keep\n"
                    "  p0 elem f0 <- v0\n"
                    "  p1 row  v2 = f32 f0.0\n"
                    "  p1 elem v3 = f32 sub(v0, v2)\n"
                    "  p1 elem v4 = f32 exp(v3) keep\n"
                    "  p1 elem f1 <- v4\n"
                    "  p2 row  v6 = f32 f1.0\n"
                    "  p2 elem v7 = f32 div.f32(v4, v6)\n"
                    "  p2 elem store b1[d0*i5 + d1] linear = v7\n");
    fsr_kernel_free(k);
}

static void test_print_tuple(void **state) {
    (void)state;
    fsr_kernel *k = kernel_recurrence();
    assert_print(k, "kernel k_recurrence: by hand\n"
                    "  domain [d0, fold d1] passes 1 ints 6\n"
                    "  array b0 f64\n"
                    "  array b1 f64\n"
                    "  array b2 f64 written\n"
                    "  array b3 f64 written\n"
                    "  schedule gpu row threads 128 group 32 vector 1 items 4 accumulators 4 resident 0\n"
                    "  fold f0 p0 scan (f64 from 1, f64 from 0)\n"
                    "    t0 = f64 left0\n"
                    "    t1 = f64 left1\n"
                    "    t2 = f64 right0\n"
                    "    t3 = f64 right1\n"
                    "    t4 = f64 mul(t0, t2)\n"
                    "    t5 = f64 mul(t1, t2)\n"
                    "    t6 = f64 add(t5, t3)\n"
                    "    gives t4, t6\n"
                    "  p0 elem v0 = f64 load b0[d0*i5 + d1] linear\n"
                    "  p0 elem v1 = f64 load b1[d0*i5 + d1] linear\n"
                    "  p0 elem f0 <- v0, v1\n"
                    "  p0 elem v3 = f64 f0.0\n"
                    "  p0 elem store b2[d0*i5 + d1] linear = v3\n"
                    "  p0 elem v5 = f64 f0.1\n"
                    "  p0 elem store b3[d0*i5 + d1] linear = v5\n");
    fsr_kernel_free(k);
}

/* ---- the interpreter --------------------------------------------------------------------------------- */

static const int64_t sizes[][2] = {{0, 3}, {3, 0}, {1, 1}, {1, 2}, {2, 3}, {5, 31}, {3, 32}, {2, 257}};
enum { SIZES = sizeof sizes / sizeof *sizes };

typedef struct fixture {
    fsr_kernel *k;
    fsr_launch launch;
    kernel_data data;
    int64_t rows, columns;
} fixture;

static void run(fixture *f, fsr_kernel *k, int64_t rows, int64_t columns) {
    memset(f, 0, sizeof *f);
    f->k = k;
    f->rows = rows;
    f->columns = columns;
    assert_valid(k);
    kernel_sizes(k, &f->launch, rows, columns);
    kernel_data_new(&f->data, k, &f->launch, (uint64_t)(rows * 1000 + columns));
    f->launch.scalar[0] = fsr_value_from_double(FSR_F32, 2.5);
    assert_int_equal(fsr_kernel_interpret(k, &f->launch), FSR_OK);
    int where;
    assert_true(kernel_data_guards(&f->data, k, &where));
}

static void done(fixture *f) {
    kernel_data_free(&f->data);
    fsr_kernel_free(f->k);
}

static double number(const fixture *f, int b, int64_t i) {
    fsr_dtype dtype = f->k->array[b].dtype;
    return fsr_value_to_double(dtype, fsr_value_load(dtype, f->launch.array[b], i));
}

static void test_map(void **state) {
    (void)state;
    for (int64_t n = 0; n < 40; n += 13) {
        fixture f;
        run(&f, kernel_map(FSR_F32), n, 1);
        for (int64_t i = 0; i < n; i++) {
            float product = (float)number(&f, 0, i) * (float)number(&f, 1, i);
            assert_true(number(&f, 2, i) == (double)(product + 2.5f));
            assert_true((number(&f, 3, i) != 0) == (number(&f, 0, i) < number(&f, 1, i)));
        }
        done(&f);
    }
}

static void test_softmax(void **state) {
    (void)state;
    for (int s = 0; s < 2 * SIZES; s++) {
        fixture f;
        run(&f, kernel_softmax(s % 2), sizes[s / 2][0], sizes[s / 2][1]);
        for (int64_t r = 0; r < f.rows; r++) {
            double sum = 0;
            for (int64_t c = 0; c < f.columns; c++)
                sum += exp(number(&f, 0, r * f.columns + c));
            for (int64_t c = 0; c < f.columns; c++) {
                double expected = exp(number(&f, 0, r * f.columns + c)) / sum;
                assert_true(fabs(number(&f, 1, r * f.columns + c) - expected) < 1e-6);
            }
        }
        done(&f);
    }
}

static void test_reductions(void **state) {
    (void)state;
    for (int s = 0; s < SIZES; s++) {
        fixture f;
        run(&f, kernel_row_sums(FSR_F64), sizes[s][0], sizes[s][1]);
        for (int64_t r = 0; r < f.rows; r++) {
            double sum = 0, top = -HUGE_VAL;
            for (int64_t c = 0; c < f.columns; c++) {
                sum += number(&f, 0, r * f.columns + c);
                top = fmax(top, number(&f, 0, r * f.columns + c));
            }
            assert_true(number(&f, 1, r) == sum);
            assert_true(number(&f, 2, r) == top);
        }
        done(&f);
    }
}

static void test_columns(void **state) {
    (void)state;
    for (int s = 0; s < SIZES; s++) {
        fixture f;
        run(&f, kernel_column_sums(FSR_I64), sizes[s][0], sizes[s][1]);
        for (int64_t r = 0; r < f.rows; r++) {
            double sum = 0;
            for (int64_t c = 0; c < f.columns; c++)
                sum += number(&f, 0, c * f.rows + r);
            assert_true(number(&f, 1, r) == sum);
        }
        done(&f);
    }
}

static void test_scans(void **state) {
    (void)state;
    for (int s = 0; s < 2 * SIZES; s++) {
        fixture f;
        bool exclusive = s % 2;
        run(&f, kernel_scan(FSR_I32, exclusive), sizes[s / 2][0], sizes[s / 2][1]);
        for (int64_t r = 0; r < f.rows; r++) {
            double sum = 0;
            for (int64_t i = r * f.columns; i < (r + 1) * f.columns; i++) {
                double before = sum;
                sum += number(&f, 0, i);
                assert_true(number(&f, 1, i) == (exclusive ? before : sum));
            }
        }
        done(&f);
    }
}

static void test_recurrence(void **state) {
    (void)state;
    for (int s = 0; s < SIZES; s++) {
        fixture f;
        run(&f, kernel_recurrence(), sizes[s][0], sizes[s][1]);
        for (int64_t r = 0; r < f.rows; r++) {
            double a = 1, b = 0;
            for (int64_t i = r * f.columns; i < (r + 1) * f.columns; i++) {
                a *= number(&f, 0, i);
                b = b * number(&f, 0, i) + number(&f, 1, i);
                assert_true(number(&f, 2, i) == a);
                assert_true(number(&f, 3, i) == b);
            }
        }
        done(&f);
    }
}

static void test_argmax(void **state) {
    (void)state;
    for (int s = 0; s < SIZES; s++) {
        fixture f;
        run(&f, kernel_argmax(FSR_U8), sizes[s][0], sizes[s][1]);
        for (int64_t r = 0; r < f.rows && f.columns > 0; r++) {
            int64_t best = 0;
            for (int64_t c = 1; c < f.columns; c++)
                if (number(&f, 0, r * f.columns + c) > number(&f, 0, r * f.columns + best))
                    best = c;
            assert_true(number(&f, 1, r) == (double)best);
        }
        done(&f);
    }
}

static void test_late_scan(void **state) {
    (void)state;
    for (int keep = 0; keep < 2; keep++) {
        fixture f;
        run(&f, kernel_late_scan(keep), 3, 37);
        for (int64_t r = 0; r < 3; r++) {
            double sum = 0, total = 0;
            for (int64_t c = 0; c < 37; c++)
                total += number(&f, 0, r * 37 + c);
            for (int64_t c = 0; c < 37; c++) {
                sum += number(&f, 0, r * 37 + c);
                assert_true(number(&f, 1, r * 37 + c) == sum / total);
            }
        }
        done(&f);
    }
}

/* In place: pass 1 overwrites what it was computed from; only the kept x may be read after that. */
static void test_in_place(void **state) {
    (void)state;
    fsr_kernel *k = kernel_softmax(true);
    k->array[0].aliased = k->array[1].aliased = true;
    fsr_launch launch = {.array = {NULL}};
    kernel_sizes(k, &launch, 1, 4);
    float x[4] = {0, 1, 2, 3};
    launch.array[0] = launch.array[1] = x;
    assert_valid(k);
    assert_int_equal(fsr_kernel_interpret(k, &launch), FSR_OK);
    assert_true(fabsf(x[0] + x[1] + x[2] + x[3] - 1) < 1e-6f);
    assert_true(fabsf(x[3] / x[2] - 2.7182817f) < 1e-5f);
    fsr_kernel_free(k);
}

/* A serial sum in f32 would stop at 2^24. */
static void test_tree(void **state) {
    (void)state;
    enum { N = (1 << 24) + (1 << 20) };
    fsr_kernel *k = kernel_begin("k_count", 2, 1, 1);
    int out = kernel_rows_access(k, kernel_array(k, FSR_F32, true));
    int one = kernel_const(k, FSR_F32, 1);
    int sum = kernel_builtin(k, FSR_FOLD_REDUCE, 0, false, FSR_OP_ADD, one);
    kernel_store(k, FSR_ROW, 1, out, kernel_result(k, sum, 0));
    fixture f;
    run(&f, kernel_finished(k), 1, N);
    assert_true(number(&f, 0, 0) == N);
    done(&f);
}

static void test_refuses_to_run(void **state) {
    (void)state;
    fsr_launch launch = {.array = {NULL}};
    assert_int_equal(fsr_kernel_interpret(NULL, &launch), FSR_ERR_NULL);
    fsr_kernel *k = kernel_column_sums(FSR_I32);
    kernel_sizes(k, &launch, 3, 4);
    launch.integer[FSR_INT_ROWS] = 2;
    assert_int_equal(fsr_kernel_interpret(k, &launch), FSR_ERR_INTERNAL);
    kernel_sizes(k, &launch, 3, 4);
    int32_t in[12] = {0}, out[3];
    launch.array[0] = in;
    launch.array[1] = out;
    assert_int_equal(fsr_kernel_interpret(k, &launch), FSR_OK);
    k->access[0].linear = true;
    assert_int_equal(fsr_kernel_interpret(k, &launch), FSR_ERR_INTERNAL);
    fsr_kernel_free(k);
    fsr_kernel_free(NULL);
}

/* ---- what verify refuses ------------------------------------------------------------------------------ */

/* One mistake in the softmax kernel (see test_print for its numbers), and the message. */
typedef void (*damage)(fsr_kernel *k);
#define DAMAGE(name, statement)       \
    static void name(fsr_kernel *k) { \
        statement;                    \
    }
DAMAGE(no_name, k->name[0] = 0)
DAMAGE(spaced_name, memcpy(k->name, "a b", 4))
DAMAGE(many_dims, k->ndim = FSR_MAX_DIMS + 1)
DAMAGE(many_insts, k->ninsts = FSR_MAX_INSTS + 1)
DAMAGE(few_ints, k->nints = FSR_INT_EXTENT + 1)
DAMAGE(no_passes, k->npasses = 0)
DAMAGE(extra_pass, k->npasses = 4)
DAMAGE(missing_pass, k->npasses = 2)
DAMAGE(no_fold_dim, k->nparallel = 2)
DAMAGE(later_argument, k->inst[3].arg[0] = 4)
DAMAGE(no_value, k->inst[3].arg[0] = 1)
DAMAGE(negative_argument, k->inst[3].arg[1] = -1)
DAMAGE(early_pass, k->inst[4].pass = 0)
DAMAGE(row_of_elem, k->inst[4].level = FSR_ROW)
DAMAGE(wrong_operand, k->inst[0].dtype = k->array[0].dtype = FSR_F64)
DAMAGE(wrong_result, k->inst[4].dtype = FSR_F64)
DAMAGE(undefined_op, k->inst[4].compute = FSR_I32)
DAMAGE(unknown_op, k->inst[4].op = FSR_OP_COUNT)
DAMAGE(load_dtype, k->inst[0].dtype = FSR_I32)
DAMAGE(store_dtype, k->inst[8].dtype = k->array[1].dtype = FSR_F64)
DAMAGE(not_written, k->array[1].written = false)
DAMAGE(never_stored, k->array[0].written = true)
DAMAGE(stride_slot, k->form[k->access[0].form].slot[0] = 6)
DAMAGE(offset_slot, k->access[0].linear = false; k->form[k->access[0].form].offset = 6)
DAMAGE(linear_offset, k->form[k->access[0].form].offset = 5)
DAMAGE(access_buffer, k->access[1].buffer = 2)
DAMAGE(inst_access, k->inst[0].index = 2)
DAMAGE(row_store, k->inst[8].level = FSR_ROW; k->inst[8].arg[0] = 6)
DAMAGE(result_level, k->inst[2].level = FSR_ELEM)
DAMAGE(result_pass, k->inst[2].pass = 2)
DAMAGE(result_component, k->inst[2].component = 1)
DAMAGE(result_dtype, k->inst[2].dtype = FSR_I32)
DAMAGE(combine_pass, k->inst[1].pass = 1)
DAMAGE(combine_twice, k->inst[5].index = 0; k->inst[5].pass = 0)
DAMAGE(fold_pass, k->fold[1].pass = 3)
DAMAGE(fold_input, k->fold[0].input[0] = 2)
DAMAGE(exclusive_reduce, k->fold[0].exclusive = true)
DAMAGE(keep_row, k->inst[2].keep = true)
DAMAGE(group_divides, k->schedule.group = 48)
DAMAGE(group_power, k->schedule.threads = 96; k->schedule.group = 48)
DAMAGE(item_vectors, k->schedule.vector = 8)
DAMAGE(vector_three, k->schedule.vector = 3; k->schedule.items = 3)
DAMAGE(map_folds, k->schedule.kind = FSR_SCHEDULE_MAP)
DAMAGE(split_passes, k->schedule.kind = FSR_SCHEDULE_SPLIT)
DAMAGE(lookback_passes, k->schedule.kind = FSR_SCHEDULE_LOOKBACK)
DAMAGE(persistent_col, k->schedule.kind = FSR_SCHEDULE_COL; k->schedule.persistent = true)
DAMAGE(kept_row, k->inst[0].keep = true)
DAMAGE(too_many_threads, k->schedule.threads = 2048)
DAMAGE(no_accumulators, k->schedule.accumulators = 0)
DAMAGE(more_accumulators, k->schedule.accumulators = 8)
DAMAGE(too_many_residents, k->schedule.resident = 32)
DAMAGE(gpu_gathers, k->inst[0].gathered = true)
DAMAGE(gpu_stages, k->inst[0].staged = true)
DAMAGE(gpu_depth, k->schedule.depth = 4)
DAMAGE(row_members, k->schedule.members = 2)
DAMAGE(no_target, k->schedule.target = FSR_TARGET_NONE)
DAMAGE(cpu_threads, k->schedule.target = FSR_TARGET_CPU)
DAMAGE(cpu_team, k->schedule = kernel_cpu_schedule(FSR_SCHEDULE_TEAM, 8, 512, 1))
DAMAGE(cpu_lanes, k->schedule = kernel_cpu_schedule(FSR_SCHEDULE_ROW, 12, 512, 1))
DAMAGE(cpu_chunk, k->schedule = kernel_cpu_schedule(FSR_SCHEDULE_ROW, 8, 0, 1))
DAMAGE(cpu_group, k->schedule = kernel_cpu_schedule(FSR_SCHEDULE_COL, 8, 512, 0))

static const struct {
    damage make;
    const char *why;
} broken[] = {
    {no_name, "the kernel's name is empty or has no end"},
    {spaced_name, "the kernel's name is no identifier: a b"},
    {many_dims, "9 dimensions, 1 of them parallel"},
    {many_insts, "513 instructions, the limit is 512"},
    {few_ints, "5 integer arguments, must be 6 to 256"},
    {no_passes, "0 passes with a folded dimension"},
    {extra_pass, "pass 3 has no COMBINE and no STORE"},
    {missing_pass, "v7: pass 2 of 2"},
    {no_fold_dim, "3 passes without a folded dimension"},
    {later_argument, "v3: takes v4, which is not earlier"},
    {no_value, "v3: takes v1, which has no value"},
    {negative_argument, "v3: takes v-1, which is not earlier"},
    {early_pass, "v4: pass 0 takes v3 of pass 1"},
    {row_of_elem, "v4: ROW takes the ELEM value v3"},
    {wrong_operand, "v1: operand v0 is f64, not f32"},
    {wrong_result, "v4: exp of f32 gives f32, not f64"},
    {undefined_op, "v4: exp is not defined for i32"},
    {unknown_op, "v4: unknown op"},
    {load_dtype, "v0: array 0 is f32, not i32"},
    {store_dtype, "v8: operand v7 is f32, not f64"},
    {not_written, "v8: stores into array 1, which is not written"},
    {never_stored, "array 0 is written but never stored"},
    {stride_slot, "address 0 takes its stride from integer 6 of 6"},
    {offset_slot, "address 0 takes its offset from integer 6 of 6"},
    {linear_offset, "access 0 is linear and has an offset"},
    {access_buffer, "access 1 names array 2 of 2"},
    {inst_access, "v0: access 2 of 2"},
    {row_store, "v8: ROW access 1 depends on the folded dimension 1"},
    {result_level, "v2: a reduction's result is ROW of pass 1"},
    {result_pass, "v2: a reduction's result is ROW of pass 1"},
    {result_component, "v2: component 1 of fold 0, which has 1"},
    {result_dtype, "v2: component 0 of fold 0 is f32"},
    {combine_pass, "v1: performs fold 0 of pass 0 outside that pass's loop"},
    {combine_twice, "v5: performs fold 0 a second time"},
    {fold_pass, "fold 1 is of pass 3 of 3"},
    {fold_input, "v1: takes v2, which is not earlier"},
    {exclusive_reduce, "fold 0 is an exclusive reduction"},
    {keep_row, "v2: only an ELEM value can be kept"},
    {group_divides, "schedule: a group of 48 does not divide 128 threads"},
    {group_power, "schedule: a group of 48 is no power of two"},
    {item_vectors, "schedule: 4 items are no multiple of vectors of 8"},
    {vector_three, "schedule: vectors of 3"},
    {map_folds, "schedule: map is for kernels without folded dimensions, and only for them"},
    {split_passes, "schedule: 3 passes, split and lookback have one"},
    {lookback_passes, "schedule: 3 passes, split and lookback have one"},
    {persistent_col, "schedule: only rows can be persistent"},
    {kept_row, "schedule: v0 is kept, but rows are not persistent"},
    {too_many_threads, "schedule: 2048 threads"},
    {no_accumulators, "schedule: 0 accumulators of 4 items"},
    {more_accumulators, "schedule: 8 accumulators of 4 items"},
    {too_many_residents, "schedule: 32 resident blocks of 128 threads"},
    {gpu_gathers, "schedule: v0 is gathered, which is for CPUs"},
    {gpu_stages, "schedule: v0 cannot be staged"},
    {gpu_depth, "schedule: lengths of a tile of outputs that is not tall"},
    {row_members, "schedule: 2 blocks do the parts of a row in turn"},
    {no_target, "schedule: for no target"},
    {cpu_threads, "schedule: a CPU has no blocks of threads"},
    {cpu_team, "schedule: a CPU has no schedule team"},
    {cpu_lanes, "schedule: 12 lanes"},
    {cpu_chunk, "schedule: chunks of 0"},
    {cpu_group, "schedule: a group of 0 rows"},
};

static void test_refuses(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        char why[256];
        fsr_kernel *k = kernel_softmax(false);
        broken[i].make(k);
        assert_int_equal(fsr_kernel_verify(k, why, sizeof why), FSR_ERR_INTERNAL);
        if (strncmp(why, broken[i].why, strlen(broken[i].why)) != 0)
            fail_msg("case %zu says '%s', not '%s'", i, why, broken[i].why);
        fsr_kernel_free(k);
    }
}

static void assert_refused(fsr_kernel *k, const char *expected) {
    char why[256];
    assert_int_equal(fsr_kernel_verify(k, why, sizeof why), FSR_ERR_INTERNAL);
    assert_string_equal(why, expected);
    fsr_kernel_free(k);
}

static void test_refuses_narrow(void **state) {
    (void)state;
    char why[256];
    fsr_kernel *k = kernel_narrow(kernel_scan(FSR_F32, false));
    assert_int_equal(fsr_kernel_verify(k, why, sizeof why), FSR_OK);
    k->schedule = kernel_cpu_schedule(FSR_SCHEDULE_ROW, 8, 512, 1);
    kernel_finished(k);
    assert_refused(k, "schedule: fold 0 of f32 has a state of its own, which is for GPUs");
    k = kernel_scan(FSR_F32, false);
    k->fold[0].narrow = true;
    assert_refused(k, "fold 0 of f32 is no scan of one f64");
    k = kernel_narrow(kernel_scan(FSR_F32, false));
    k->fold[0].kind = FSR_FOLD_REDUCE;
    assert_refused(k, "fold 0 of f32 is no scan of one f64");
    k = kernel_narrow(kernel_scan(FSR_F32, false));
    k->fold[0].narrow = false;
    assert_refused(k, "v1: operand v0 is f32, not f64");
}

static void test_refuses_scans(void **state) {
    (void)state;
    fsr_kernel *k = kernel_scan(FSR_F32, false);
    k->schedule.kind = FSR_SCHEDULE_SPLIT;
    assert_refused(k, "schedule: split with a scan");
    k = kernel_scan(FSR_F32, false);
    k->inst[2].level = FSR_ROW;
    assert_refused(k, "v2: a scan's result is ELEM of pass 0");
    k = kernel_scan(FSR_F32, false);
    fsr_inst combine = k->inst[1];
    k->inst[1] = k->inst[2];
    k->inst[2] = combine;
    assert_refused(k, "v1: picks of v1, which is not earlier");
    k = kernel_scan(FSR_F32, false);
    fsr_combine_free((fsr_combine *)k->fold[0].combine);
    k->fold[0].combine = NULL;
    assert_refused(k, "fold 0 has no operator");
    k = kernel_recurrence();
    k->fold[0].combine->body.inst[4].arg[0] = 4;
    assert_refused(k, "fold 0: t4 has an operand that is not earlier");
    assert_refused(NULL, "no kernel");
}

/* One mistake in kernel_loop_sums, whose v3 is the elements' ITERATE and v4 its count. */
DAMAGE(loop_number, k->inst[3].index = 2)
DAMAGE(loop_twice, k->inst[12].index = 0)
DAMAGE(loop_operand, k->loop[0].input[2] = 10)
DAMAGE(loop_kept, k->inst[3].keep = true)
DAMAGE(final_of_none, k->inst[4].arg[0] = 2)
DAMAGE(final_of_other, k->inst[4].index = 1)
DAMAGE(final_component, k->inst[4].component = 3)
DAMAGE(final_dtype, k->inst[4].dtype = FSR_I64)
DAMAGE(final_level, k->inst[4].pass = 1; k->inst[4].level = FSR_ROW)
DAMAGE(final_pass, k->inst[13].pass = 0; k->inst[12].pass = 1)
DAMAGE(read_iterate, k->inst[6].arg[0] = 3)
DAMAGE(loop_condition, ((fsr_iteration *)k->loop[0].program)->body.result[2] = 4)
DAMAGE(loop_result, ((fsr_iteration *)k->loop[0].program)->body.result[1] = 3)
DAMAGE(loop_step, k->loop[0].program->body.inst[5].arg[0] = 6)
DAMAGE(loop_count, ((fsr_iteration *)k->loop[1].program)->max_n = -1)
DAMAGE(many_loops, k->nloops = FSR_MAX_LOOPS + 1)

static const struct {
    damage make;
    const char *why;
} broken_loops[] = {
    {loop_number, "v3: loop 2 of 2"},
    {loop_twice, "v12: runs loop 0 a second time"},
    {loop_operand, "v3: takes v10, which is not earlier"},
    {loop_kept, "v3: only an ELEM value can be kept"},
    {final_of_none, "v4: picks of v2, which has no components"},
    {final_of_other, "v4: picks of v3, which performs another fold or loop than 1"},
    {final_component, "v4: result 3 of loop 0, which has 3"},
    {final_dtype, "v4: result 2 of loop 0 is i32"},
    {final_level, "v4: ROW takes the ELEM value v3"},
    {final_pass, "v13: pass 0 takes v12 of pass 1"},
    {read_iterate, "v6: takes v3, which has no value"},
    {loop_condition, "loop 0 has a condition that is not bool"},
    {loop_result, "loop 0 has a result of another dtype than the state's"},
    {loop_step, "loop 0: t5 has an operand that is not earlier"},
    {loop_count, "loop 1 has a wrong count"},
    {many_loops, "9 loops, the limit is 8"},
};

static void test_refuses_loops(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof broken_loops / sizeof *broken_loops; i++) {
        char why[256];
        fsr_kernel *k = kernel_loop_sums(FSR_F32);
        broken_loops[i].make(k);
        assert_int_equal(fsr_kernel_verify(k, why, sizeof why), FSR_ERR_INTERNAL);
        if (strncmp(why, broken_loops[i].why, strlen(broken_loops[i].why)) != 0)
            fail_msg("case %zu says '%s', not '%s'", i, why, broken_loops[i].why);
        fsr_kernel_free(k);
    }
}

/* A CPU's schedule has no block, and may keep any row. */
static void test_accepts_cpu(void **state) {
    (void)state;
    fsr_kernel *k = kernel_softmax(true);
    k->schedule = kernel_cpu_schedule(FSR_SCHEDULE_ROW, 16, 4096, 1);
    kernel_finished(k);
    assert_valid(k);
    fsr_kernel_free(k);
}

/* ---- compacted stores ---------------------------------------------------------------------------------- */

enum { FILTERED = 37 };

/* b0 in, b1 the elements below 4, in order, then the others, as they are, from the end. */
static const char filter_text[] = "kernel k_filter: by hand\n"
                                  "  domain [fold d0] passes 1 ints 6\n"
                                  "  array b0 i32\n"
                                  "  array b1 i32 written\n"
                                  "  schedule cpu row group 1 lanes 8 chunk 512 work 7 strip 512 block 16\n"
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
                    "  schedule cpu row group 1 lanes 8 chunk 512 work 7 part 32768 strip 512 block 16 streams b1\n"
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
    k->inst[1].level = FSR_ROW;
    assert_refused(k, "v1: ROW index along the folded dimension 1");
    k = kernel_map(FSR_F32);
    k->inst[1].level = FSR_ELEM;
    assert_refused(k, "v1: ELEM without a folded dimension");
    k = kernel_map(FSR_F32);
    k->scalar[0] = FSR_I32;
    assert_refused(k, "v0: scalar argument 0 is i32");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_loop_recomputes),
        cmocka_unit_test(test_loop_keeps),
        cmocka_unit_test(test_loop_scan),
        cmocka_unit_test(test_loop_kept_for_later),
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_print_tuple),
        cmocka_unit_test(test_map),
        cmocka_unit_test(test_softmax),
        cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_scans),
        cmocka_unit_test(test_recurrence),
        cmocka_unit_test(test_argmax),
        cmocka_unit_test(test_late_scan),
        cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_refuses_to_run),
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_refuses_narrow),
        cmocka_unit_test(test_refuses_scans),
        cmocka_unit_test(test_refuses_loops),
        cmocka_unit_test(test_accepts_cpu),
        cmocka_unit_test(test_compacts),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_refuses_filters),
        cmocka_unit_test(test_refuses_folded_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* The verifier of the loop IR: broken kernels are refused with the message that names what is wrong. */
#include "tests/support/kernel_checks.h"
#include <math.h>
#include <string.h>

/* One mistake in the softmax kernel (test_loop_ir.c prints it), and the message. */
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
DAMAGE(early_pass, k->stand[4].pass = 0)
DAMAGE(row_of_elem, k->stand[4].level = FSR_ROW)
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
DAMAGE(row_store, k->stand[8].level = FSR_ROW; k->inst[8].arg[0] = 6)
DAMAGE(result_level, k->stand[2].level = FSR_ELEM)
DAMAGE(result_pass, k->stand[2].pass = 2)
DAMAGE(result_component, k->inst[2].component = 1)
DAMAGE(result_dtype, k->inst[2].dtype = FSR_I32)
DAMAGE(combine_pass, k->stand[1].pass = 1)
DAMAGE(combine_twice, k->inst[5].index = 0; k->stand[5].pass = 0)
DAMAGE(fold_pass, k->fold[1].pass = 3)
DAMAGE(fold_input, k->fold[0].input[0] = 2)
DAMAGE(exclusive_reduce, k->fold[0].exclusive = true)
DAMAGE(keep_row, k->stand[2].keep = true)
DAMAGE(abreast_divides, k->schedule.abreast = 48)
DAMAGE(abreast_power, k->schedule.threads = 96; k->schedule.abreast = 48)
DAMAGE(item_vectors, k->schedule.vector = 8)
DAMAGE(vector_three, k->schedule.vector = 3; k->schedule.items = 3)
DAMAGE(map_folds, k->schedule.kind = FSR_SCHEDULE_MAP)
DAMAGE(split_passes, k->schedule.kind = FSR_SCHEDULE_SPLIT)
DAMAGE(lookback_passes, k->schedule.kind = FSR_SCHEDULE_LOOKBACK)
DAMAGE(persistent_col, k->schedule.kind = FSR_SCHEDULE_COL; k->schedule.persistent = true)
DAMAGE(kept_row, k->stand[0].keep = true)
DAMAGE(too_many_threads, k->schedule.threads = 2048)
DAMAGE(no_accumulators, k->schedule.accumulators = 0)
DAMAGE(more_accumulators, k->schedule.accumulators = 8)
DAMAGE(too_many_residents, k->schedule.resident = 32)
DAMAGE(early_row, k->schedule.early = true)
DAMAGE(dealt_row, k->schedule.dealt = true)
DAMAGE(gpu_gathers, k->stand[0].gathered = true)
DAMAGE(gpu_twins, k->stand[0].twinned = FSR_TWIN_BEHIND)
DAMAGE(gpu_stages, k->stand[0].staged = true)
DAMAGE(gpu_depth, k->schedule.depth = 4)
DAMAGE(row_members, k->schedule.members = 2)
DAMAGE(row_parks, k->schedule.parked = 1)
DAMAGE(no_target, k->schedule.target = FSR_TARGET_NONE)
DAMAGE(cpu_threads, k->schedule.target = FSR_TARGET_CPU)
DAMAGE(cpu_team, k->schedule = kernel_cpu_schedule(FSR_SCHEDULE_TEAM, 8, 512, 1))
DAMAGE(cpu_lanes, k->schedule = kernel_cpu_schedule(FSR_SCHEDULE_ROW, 12, 512, 1))
DAMAGE(cpu_chunk, k->schedule = kernel_cpu_schedule(FSR_SCHEDULE_ROW, 8, 0, 1))
DAMAGE(cpu_abreast, k->schedule = kernel_cpu_schedule(FSR_SCHEDULE_COL, 8, 512, 0))

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
    {extra_pass, "pass 3 has no COMBINE, no STORE and no report"},
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
    {abreast_divides, "schedule: 48 abreast do not divide 128 threads"},
    {abreast_power, "schedule: 48 abreast are no power of two"},
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
    {early_row, "schedule: loads ahead of what is no scan along columns, or has versions"},
    {dealt_row, "schedule: columns in turn of what is no fold along columns, or has to go in order"},
    {gpu_gathers, "schedule: v0 is gathered, which is for CPUs"},
    {gpu_twins, "schedule: v0 is twinned, which is for CPUs"},
    {gpu_stages, "schedule: v0 cannot be staged"},
    {gpu_depth, "schedule: lengths of a tile of outputs that is not tall"},
    {row_members, "schedule: 2 blocks do the parts of a row in turn"},
    {row_parks, "schedule: 1 vectors of a thread cannot be parked"},
    {no_target, "schedule: for no target"},
    {cpu_threads, "schedule: a CPU has no blocks of threads"},
    {cpu_team, "schedule: a CPU has no schedule team"},
    {cpu_lanes, "schedule: 12 lanes"},
    {cpu_chunk, "schedule: chunks of 0"},
    {cpu_abreast, "schedule: 0 rows abreast"},
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
    k->stand[2].level = FSR_ROW;
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
DAMAGE(loop_kept, k->stand[3].keep = true)
DAMAGE(final_of_none, k->inst[4].arg[0] = 2)
DAMAGE(final_of_other, k->inst[4].index = 1)
DAMAGE(final_component, k->inst[4].component = 3)
DAMAGE(final_dtype, k->inst[4].dtype = FSR_I64)
DAMAGE(final_level, k->stand[4].pass = 1; k->stand[4].level = FSR_ROW)
DAMAGE(final_pass, k->stand[13].pass = 0; k->stand[12].pass = 1)
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refuses),       cmocka_unit_test(test_refuses_narrow),
        cmocka_unit_test(test_refuses_scans), cmocka_unit_test(test_refuses_loops),
        cmocka_unit_test(test_accepts_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

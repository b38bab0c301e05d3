/* SPDX-License-Identifier: MIT */
/* What a plan's schedule makes of a kernel: where it loads, into how many blocks rows are split, what it holds
 * twice. */
#include "tests/structure/table.h"

static const int axis1 = 1;

/* An operand that only the last pass needs is loaded there, not held through the passes before. */
static void late_operands_load_late(void **state) {
    (void)state;
    fsr_node y = fsr_mul(plan_matrix(table_graph, 2048, 2048), table_softmax(plan_matrix(table_graph, 2048, 2048)));
    fsr_program p = plan_of(&target_gpu, &y, 1);
    assert_int_equal(p.info.kernels, 1);
    const fsr_kernel *k = fsr_program_kernel(&p, 0)->kernel;
    int late = 0, early = 0;
    for (int i = 0; i < k->ninsts; i++)
        if (k->inst[i].kind == FSR_INST_LOAD)
            *(k->inst[i].pass == k->npasses - 1 ? &late : &early) += 1;
    fsr_program_clear(&p);
    assert_int_equal(late, 1);
    assert_int_equal(early, 1);
}

/* Few long rows: together their blocks fill the machine, with no more partial states than that. */
static void splits_fill_the_machine(void **state) {
    (void)state;
    const int64_t resident = (int64_t)target_gpu.processors * target_gpu.threads_per_processor;
    for (int64_t rows = 1; rows <= 64; rows *= 4) {
        fsr_node y = fsr_sum(plan_matrix(table_graph, rows, 1 << 24), &axis1, 1, 0);
        fsr_program p = plan_of(&target_gpu, &y, 1);
        const fsr_program_step *step = fsr_program_kernel(&p, 0);
        int64_t threads = step->launch.blocks * step->kernel->schedule.threads;
        assert_int_equal(step->kernel->schedule.kind, FSR_SCHEDULE_SPLIT);
        fsr_program_clear(&p);
        assert_true(threads >= resident * 3 / 4 && threads <= resident * 3 / 2);
    }
}

/* Equal literals are one instruction. */
static void literals_are_shared(void **state) {
    (void)state;
    fsr_node x = plan_vector(table_graph, 1000);
    for (int i = 0; i < 6; i++)
        x = fsr_sin(fsr_mul(x, fsr_full(table_graph, FSR_F32, 0, NULL, 3)));
    fsr_program p = plan_of(&target_gpu, &x, 1);
    int constants = 0;
    for (int i = 0; i < fsr_program_kernel(&p, 0)->kernel->ninsts; i++)
        constants += fsr_program_kernel(&p, 0)->kernel->inst[i].kind == FSR_INST_CONST;
    fsr_program_clear(&p);
    assert_int_equal(constants, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TABLE_TEST(late_operands_load_late),
        TABLE_TEST(splits_fill_the_machine),
        TABLE_TEST(literals_are_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

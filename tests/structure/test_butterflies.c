/* SPDX-License-Identifier: MIT */
/* Stages of a Fourier transform as stacks of two halves, on a CPU: what their short rows share is stored. */
#include "fusor/expr.h"
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"
#include <string.h>

/* A stage of a Fourier transform: rows of `stride` elements, each times an angle of its own. */
static fsr_node butterfly(fsr_node x, int64_t n, int64_t stride) {
    const int64_t half = n / stride / 2;
    const fsr_node angle = fsr_mul(fsr_arange(g, FSR_F32, half), fsr_float(g, -3.14159265358979323846 / (double)half));
    const fsr_name name[] = {{"x", fsr_reshape(x, 3, ((int64_t[]){2, half, stride}))},
                             {"w", fsr_expand(fsr_expr(g, "cos(a) + sin(a) * 1j", &(fsr_name){"a", angle}, 1), 1)}};
    return fsr_expr(g, "stack(x[0] + x[1], (x[0] - x[1]) * w, axis=1)", name, 2);
}

/* A run shorter than a vector spares nothing: the angles of rows of four elements are vector code of their own. So they
 * are behind a reshape of what is stacked, which no kernel sees through: what stands there is looked at as well. */
static void angles_of_short_rows_are_stored(void **state) {
    (void)state;
    const int64_t n = 32768;
    const fsr_node x = butterfly(fsr_input(g, "x", FSR_C64, 1, &n), n, 4);
    const fsr_node outs[] = {x, butterfly(x, n, 8)};
    for (int stages = 1; stages <= 2; stages++) {
        fsr_program p = plan_of(&target_cpu, &outs[stages - 1], 1);
        int stored = 0;
        for (const char *at = p.explanation; (at = strstr(at, "stored: add")); at++)
            stored++;
        if (stored != stages)
            fail_msg("%d of %d stages\n%s", stored, stages, p.explanation);
        fsr_program_clear(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(angles_of_short_rows_are_stored, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

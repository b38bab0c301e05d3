/* SPDX-License-Identifier: MIT */
/* The table of scalar operations against NumPy: tests/numpy/ops.txt has each op's results at edge values
 * (tests/numpy/ops.py writes it). Exact ops must agree in every bit but NaN's; of the others zeros, infinities and NaN
 * must be the same, and numbers within the table's bound and NumPy's own error. dtypes that are not there yet are
 * skipped. */
#include "graph/ops.h"
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define VECTORS "tests/numpy/ops.txt"
#define NUMPY_ULP 20 /* NumPy's own (4 of its f32 functions) and SciPy's error; accuracy is measured elsewhere */

typedef struct section {
    char name[64], from[8], to[8];
    fsr_op op;
    fsr_dtype compute, result; /* FSR_DTYPE_COUNT: not there */
} section;

static fsr_dtype dtype_of(const char *name) {
    for (int d = 0; d < FSR_DTYPE_COUNT; d++)
        if (strcmp(fsr_dtype_name((fsr_dtype)d), name) == 0)
            return (fsr_dtype)d;
    return FSR_DTYPE_COUNT;
}

static double units(fsr_dtype dtype, double got, double want) {
    int exponent, digits = dtype == FSR_F32 ? 24 : 53, least = dtype == FSR_F32 ? -125 : -1021;
    frexp(want, &exponent);
    return fabs(got - want) / ldexp(1, (exponent > least ? exponent : least) - digits);
}

static bool agrees(const section *s, fsr_value got, fsr_value want) {
    const fsr_op_info *info = fsr_op_get(s->op);
    if (!fsr_dtype_is_float(s->result))
        return got.bits == want.bits;
    double x = fsr_value_to_double(s->result, got), y = fsr_value_to_double(s->result, want);
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y);
    if (x == y)
        return signbit(x) == signbit(y) || strcmp(info->name, "fmax") == 0 || strcmp(info->name, "fmin") == 0 ||
               strcmp(info->name, "clamp") == 0;
    return !(info->flags & FSR_OP_EXACT) && isfinite(x) && isfinite(y) && y != 0 &&
           units(s->result, x, y) <= info->ulp + NUMPY_ULP;
}

/* A line of bits: the operands' and the result's. Returns 1 if it disagrees. */
static int check_case(const section *s, const char *line) {
    fsr_value value[4] = {{.bits = 0}, {.bits = 0}, {.bits = 0}, {.bits = 0}};
    const int arity = fsr_op_get(s->op)->arity;
    char *at = (char *)line;
    for (int i = 0; i <= arity; i++)
        value[i].bits = strtoull(at, &at, 16);
    fsr_value got = fsr_op_eval(s->op, s->compute, s->result, value);
    if (agrees(s, got, value[arity]))
        return 0;
    print_error("%s of %s: %s gives %" PRIx64 "\n", s->name, s->from, line, got.bits);
    return 1;
}

static void as_numpy(void **state) {
    (void)state;
    FILE *from = fopen(VECTORS, "r");
    section s = {.op = FSR_OP_COUNT};
    char line[256];
    int cases = 0, wrong = 0;
    if (!from)
        fail_msg("no %s", VECTORS);
    while (fgets(line, sizeof line, from)) {
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "op %63s %7s %7s", s.name, s.from, s.to) == 3) {
            s.op = fsr_op_find(s.name);
            s.compute = dtype_of(s.from);
            s.result = dtype_of(s.to);
            if (s.op == FSR_OP_COUNT)
                fail_msg("no op %s", s.name);
            if (s.compute < FSR_DTYPE_COUNT && !fsr_op_defined(s.op, s.compute))
                fail_msg("%s is not defined for %s", s.name, s.from);
            if (s.compute < FSR_DTYPE_COUNT && s.result != fsr_op_result(s.op, s.compute))
                fail_msg("%s of %s does not give %s", s.name, s.from, s.to);
        } else if (line[0] != '#' && s.compute < FSR_DTYPE_COUNT && wrong < 50) {
            wrong += check_case(&s, line);
            cases++;
        }
    }
    fclose(from);
    print_message("%d results of NumPy compared\n", cases);
    assert_true(cases > 7000);
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_numpy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

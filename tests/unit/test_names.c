/* SPDX-License-Identifier: MIT */
/* Constants, dtypes and operations by name. */
#include "fusor/fusor.h"
#include "tests/support/subject.h"
#include <string.h>

static void constants(void **state) {
    (void)state;
    int64_t value = 77;
    int n = 0;
    while (fsr_constant_name(n)) {
        for (int i = 0; i < n; i++)
            assert_string_not_equal(fsr_constant_name(i), fsr_constant_name(n));
        assert_true(fsr_constant(fsr_constant_name(n++), &value));
    }
    assert_true(n > 80);
    assert_null(fsr_constant_name(-1));
    assert_true(fsr_constant("FSR_ERR_SHAPE", &value) && value == FSR_ERR_SHAPE);
    assert_true(fsr_constant("FSR_BF16", &value) && value == FSR_BF16);
    assert_true(fsr_constant("FSR_SLICE_END", &value) && value == INT64_MIN);
    assert_true(fsr_constant("sizeof(fsr_loop)", &value) && value == sizeof(fsr_loop));
    value = 77;
    assert_true(!fsr_constant("FSR_NOTHING", &value) && !fsr_constant(NULL, &value) && value == 77);
    assert_false(fsr_constant("FSR_OK", NULL));
}

static void dtypes(void **state) {
    (void)state;
    for (int d = 0; d < FSR_DTYPE_COUNT; d++)
        assert_int_equal(fsr_dtype_from_name(fsr_dtype_name((fsr_dtype)d)), d);
    assert_int_equal(fsr_dtype_from_name("?"), FSR_DTYPE_COUNT);
    assert_int_equal(fsr_dtype_from_name(NULL), FSR_DTYPE_COUNT);
}

static void mistake(fsr_node x, fsr_status status, const char *words) {
    assert_int_equal(fsr_node_status(x), status);
    assert_string_equal(fsr_node_error(x), words);
}

/* Each operation by name is the node that its own function records, or refuses as it does. */
static void operations(void **state) {
    (void)state;
    fsr_node x = fsr_arange(subject_g, FSR_F32, 4), args[] = {x, x, x};
    const char *name;
    for (int i = 0; (name = fsr_op_name(i)); i++) {
        const int arity = fsr_op_arity(name);
        assert_true(arity >= 1 && arity <= 3);
        const fsr_status status = fsr_node_status(fsr_apply(name, args, arity));
        assert_true(status == FSR_OK || status == FSR_ERR_DTYPE || !strcmp(name, "cast"));
    }
    float got[4];
    assert_int_equal(fsr_read(fsr_apply("mul", args, 2), got, sizeof got), FSR_OK);
    assert_true(got[3] == 9);
    fsr_site at = fsr_here("n.c", 3);
    mistake(fsr_apply_at(at, "minimun", args, 2), FSR_ERR_VALUE,
            "apply: no operation is called 'minimun'; is minimum meant? (n.c:3)");
    mistake(fsr_apply_at(at, "add", args, 3), FSR_ERR_VALUE, "apply: add has 2 operands, not 3 (n.c:3)");
    mistake(fsr_apply_at(at, "cast", args, 1), FSR_ERR_VALUE,
            "apply: cast has a dtype besides its operand: fsr_cast (n.c:3)");
    mistake(fsr_apply_at(at, NULL, args, 1), FSR_ERR_NULL, "apply: the operation's name is null (n.c:3)");
    assert_null(fsr_apply_at(at, "neg", NULL, 1).graph);
    assert_null(fsr_apply_at(at, "neg", args, 0).graph);
    args[1] = fsr_add(x, fsr_arange(subject_g, FSR_F32, 3));
    assert_string_equal(fsr_node_error(fsr_apply(NULL, args, 3)), fsr_node_error(args[1]));
}

static const struct CMUnitTest tests[] = {SUBJECT_TEST(constants), SUBJECT_TEST(dtypes), SUBJECT_TEST(operations)};
SUBJECT_MAIN(tests)

/* SPDX-License-Identifier: MIT */
/* The scalar-op table itself: promotion as NumPy has it, flags and identities by trying them, what operators and
 * regions may be. */
#include "graph/program.h"
#include "tests/support/op_values.h"
#include "tests/support/promoted.h"

static void test_promotion(void **state) {
    (void)state;
    int pairs = 0;
    for (int a = 0; a < FSR_DTYPE_COUNT; a++)
        for (int b = 0; b < FSR_DTYPE_COUNT; b++) {
            fsr_dtype want = promoted_by_numpy((fsr_dtype)a, (fsr_dtype)b);
            pairs += want != FSR_DTYPE_COUNT;
            if (want != FSR_DTYPE_COUNT)
                assert_string_equal(fsr_dtype_name(fsr_dtype_promote((fsr_dtype)a, (fsr_dtype)b)),
                                    fsr_dtype_name(want));
        }
    assert_true(pairs >= 12 * 12);
    for (int d = FSR_BOOL; d <= FSR_F64; d++) {
        static const fsr_dtype with_bf16[] = {
            [FSR_BOOL] = FSR_BF16, [FSR_I8] = FSR_BF16, [FSR_U8] = FSR_BF16, [FSR_I16] = FSR_F32, [FSR_U16] = FSR_F32,
            [FSR_I32] = FSR_F64,   [FSR_U32] = FSR_F64, [FSR_I64] = FSR_F64, [FSR_U64] = FSR_F64, [FSR_F16] = FSR_F32,
            [FSR_BF16] = FSR_BF16, [FSR_F32] = FSR_F32, [FSR_F64] = FSR_F64};
        assert_int_equal(fsr_dtype_promote((fsr_dtype)d, FSR_BF16), with_bf16[d]);
        assert_int_equal(fsr_dtype_promote(FSR_BF16, (fsr_dtype)d), with_bf16[d]);
    }
    assert_int_equal(fsr_dtype_promote(FSR_F32, FSR_DTYPE_COUNT), FSR_DTYPE_COUNT);
    assert_string_equal(fsr_dtype_name((fsr_dtype)99), "?");
    assert_int_equal(fsr_dtype_size((fsr_dtype)99), 0);
    assert_int_equal(fsr_dtype_size(FSR_BOOL), 1);
    assert_int_equal(fsr_dtype_size(FSR_I32), 4);
    assert_int_equal(fsr_dtype_size(FSR_F64), 8);
}

static void check_identity(fsr_op op, fsr_dtype dtype) {
    fsr_combine *c = fsr_combine_builtin(op, dtype);
    assert_non_null(c);
    fsr_value x[MAX_SPECIALS];
    int n = specials(dtype, x);
    for (int i = 0; i < n; i++) {
        fsr_value left, right;
        fsr_combine_eval(c, &left, c->identity, &x[i]);
        fsr_combine_eval(c, &right, &x[i], c->identity);
        if (!same_number(dtype, left, x[i]) || !same_number(dtype, right, x[i]))
            fail_msg("%s on %s: the identity changes value %d", fsr_op_get(op)->name, fsr_dtype_name(dtype), i);
    }
    fsr_combine_free(c);
}

/* What the flags of the table promise, over all pairs and triples. */
static void check_flags(fsr_op op, fsr_dtype dtype) {
    const fsr_op_info *info = fsr_op_get(op);
    fsr_dtype result = fsr_op_result(op, dtype);
    fsr_value x[MAX_SPECIALS];
    int n = specials(dtype, x);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            fsr_value forth[3] = {x[i], x[j], {.bits = 0}}, back[3] = {x[j], x[i], {.bits = 0}};
            fsr_value ij = fsr_op_eval(op, dtype, result, forth);
            if (info->flags & FSR_OP_COMMUTATIVE)
                assert_true(same_number(result, ij, fsr_op_eval(op, dtype, result, back)));
            if (!(info->flags & FSR_OP_ASSOCIATIVE) || fsr_dtype_is_float(dtype))
                continue;
            for (int k = 0; k < n; k++) {
                fsr_value jk_args[3] = {x[j], x[k], {.bits = 0}};
                fsr_value jk = fsr_op_eval(op, dtype, dtype, jk_args);
                fsr_value left[3] = {ij, x[k], {.bits = 0}}, right[3] = {x[i], jk, {.bits = 0}};
                fsr_value l = fsr_op_eval(op, dtype, dtype, left), r = fsr_op_eval(op, dtype, dtype, right);
                assert_true(l.bits == r.bits);
            }
        }
}

static void test_flags_and_identities(void **state) {
    (void)state;
    int identities = 0;
    for (int op = 0; op < FSR_OP_COUNT; op++)
        for (int dtype = 0; dtype < FSR_C64; dtype++) {
            const fsr_op_info *info = fsr_op_get((fsr_op)op);
            if (!fsr_op_defined((fsr_op)op, (fsr_dtype)dtype) || info->arity != 2)
                continue;
            check_flags((fsr_op)op, (fsr_dtype)dtype);
            if (info->identity == FSR_IDENTITY_NONE)
                continue;
            check_identity((fsr_op)op, (fsr_dtype)dtype);
            identities++;
        }
    assert_true(identities >= 26);
    assert_int_equal(fsr_op_identity(FSR_OP_MAXIMUM, FSR_I32).i32, INT32_MIN);
    assert_int_equal(fsr_op_identity(FSR_OP_MINIMUM, FSR_BOOL).bits, 1);
    assert_true(fsr_op_identity(FSR_OP_MAXIMUM, FSR_F32).f32 == -INFINITY);
}

static void test_table(void **state) {
    (void)state;
    for (int op = 0; op < FSR_OP_COUNT; op++) {
        const fsr_op_info *info = fsr_op_get((fsr_op)op);
        assert_int_equal(fsr_op_find(info->name), op);
        assert_in_range(info->arity, 1, 3);
        for (int class = 0; class < FSR_CLASS_COUNT; class ++)
            assert_int_equal(info->c[class] == NULL, info->cuda[class] == NULL);
        if (info->flags & FSR_OP_ASSOCIATIVE)
            assert_true(info->identity != FSR_IDENTITY_NONE && info->arity == 2);
    }
    assert_int_equal(fsr_op_find("sqr"), FSR_OP_COUNT);
    assert_true(fsr_op_defined(FSR_OP_DIV, FSR_F32));
    assert_false(fsr_op_defined(FSR_OP_DIV, FSR_I32));
    assert_false(fsr_op_defined(FSR_OP_SUB, FSR_BOOL));
    assert_false(fsr_op_defined(FSR_OP_COUNT, FSR_F32));
}

/* Compares two operators, and frees the second. */
static void expect_equal(const fsr_combine *c, fsr_combine *d, bool equal) {
    assert_non_null(d);
    assert_true(fsr_combine_equal(c, d) == equal);
    fsr_combine_free(d);
}

/* out may be left or right; equality ignores what an instruction does not use and sees what it does. */
static void test_combine(void **state) {
    (void)state;
    fsr_combine *c = fsr_combine_builtin(FSR_OP_ADD, FSR_I32), *d = fsr_combine_copy(c);
    fsr_value a = {.i32 = INT32_MAX}, b = {.i32 = 1};
    fsr_combine_eval(c, &a, &a, &b);
    assert_int_equal(a.i32, INT32_MIN);
    d->body.inst[0].arg[1] = 5;
    d->body.inst[0].node = 7;
    expect_equal(c, d, true);
    expect_equal(c, fsr_combine_builtin(FSR_OP_MUL, FSR_I32), false);
    expect_equal(c, fsr_combine_builtin(FSR_OP_ADD, FSR_I64), false);
    d = fsr_combine_copy(c);
    d->body.inst[2].arg[1] = 0;
    expect_equal(c, d, false);
    fsr_combine_free(c);
}

/* A load of a body: a table that there is, as many indices as it has dimensions, i64, clipped or wrapped. */
static void test_load_rules(void **state) {
    (void)state;
    fsr_region r = {.nargs = 1, .arg = {FSR_I64}, .ntables = 1, .table = {{FSR_F32, 2}}, .nresults = 1, .result = {1}};
    const fsr_inst index = {.kind = FSR_INST_PARAM, .dtype = FSR_I64, .compute = FSR_I64};
    const fsr_inst load = {.kind = FSR_INST_LOAD, .dtype = FSR_F32, .component = 2, .mode = FSR_INDEX_WRAP};
    int at;
    fsr_region_add(&r, &index);
    fsr_region_add(&r, &load);
    assert_null(fsr_region_check(&r, FSR_IN_BODY, &at));
    assert_string_equal(fsr_region_check(&r, FSR_IN_OPERATOR, &at), "a wrong size");
    const float table[] = {1, 2, 3, 4, 5, 6};
    const fsr_table there = {table, {2, 3}, {3, 1}};
    fsr_value value[2];
    fsr_region_eval(&r, 0, 2, &(fsr_value){.i64 = -1}, &there, value);
    assert_true(value[1].f32 == 6);
    r.inst[1].mode = FSR_INDEX_CLIP;
    fsr_region_eval(&r, 0, 2, &(fsr_value){.i64 = 7}, &there, value);
    assert_true(value[1].f32 == 6);
    r.inst[1].mode = FSR_INDEX_RAISE;
    assert_string_equal(fsr_region_check(&r, FSR_IN_BODY, &at), "indices that are neither clipped nor wrapped");
    r.inst[1] = load;
    r.inst[1].component = 1;
    assert_string_equal(fsr_region_check(&r, FSR_IN_BODY, &at), "another number of indices than its table's");
    r.inst[1] = load;
    r.inst[1].arg[1] = 1;
    assert_string_equal(fsr_region_check(&r, FSR_IN_BODY, &at), "an index that is no earlier i64");
    r.inst[1] = load;
    r.inst[1].index = 1;
    assert_string_equal(fsr_region_check(&r, FSR_IN_BODY, &at), "no table of the region");
    fsr_region_clear(&r);
}

/* Nothing but constants, arguments and operations stands in an operator: it is run on padding. */
static void test_region_rules(void **state) {
    (void)state;
    fsr_combine *c = fsr_combine_builtin(FSR_OP_ADD, FSR_I32);
    int at;
    assert_null(fsr_combine_check(c, &at));
    for (int kind = 0; kind < FSR_INST_KINDS; kind++) {
        bool computes = kind == FSR_INST_CONST || kind == FSR_INST_PARAM || kind == FSR_INST_OP;
        c->body.inst[2].kind = (fsr_inst_kind)kind;
        c->body.inst[2].op = FSR_OP_ADD;
        assert_true(computes == fsr_inst_may_stand((fsr_inst_kind)kind, FSR_IN_OPERATOR));
        assert_true((computes || kind == FSR_INST_LOAD) == fsr_inst_may_stand((fsr_inst_kind)kind, FSR_IN_BODY));
        assert_true(fsr_inst_may_stand((fsr_inst_kind)kind, FSR_IN_NEST));
        const char *wrong = fsr_combine_check(c, &at);
        assert_true(computes == !wrong);
        assert_true(computes || at == 2);
    }
    c->body.inst[2].kind = FSR_INST_OP;
    c->body.result[0] = 3;
    assert_string_equal(fsr_combine_check(c, &at), "a result that there is not");
    c->body.result[0] = 2;
    c->body.inst[1].index = 2;
    assert_string_equal(fsr_combine_check(c, &at), "no argument of the region");
    fsr_combine_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_promotion),  cmocka_unit_test(test_flags_and_identities),
        cmocka_unit_test(test_table),      cmocka_unit_test(test_combine),
        cmocka_unit_test(test_load_rules), cmocka_unit_test(test_region_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Every scalar op x dtype where it is defined x size x layout of the operands, against the reference, also at every
 * pair of edge values; and the same results through a plan into the caller's buffers, bit by bit, with guards around
 * them. A new row of the table is here without a word.
 *
 * All ops of one dtype and layout are outputs of one computation: kernels with many outputs, and fewer
 * compilations. */
#include "graph/ops.h"
#include "primitives/primitives.h"
#include "tests/support/edges.h"
#include "tests/support/subject.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int64_t sizes[] = {0, 1, 31, 32, 33, 257, 1023, 1025, 4096, 100003};

typedef enum layout { CONTIGUOUS, STRIDED, TRANSPOSED, BROADCAST, LAYOUTS } layout;
static const char *const layout_name[] = {"contiguous", "strided", "transposed", "broadcast"};

/* ---- operands ------------------------------------------------------------------------------------------ */

/* Operand i of a layout from a leaf, which `leaf` makes of its shape. */
typedef fsr_node (*leaf_fn)(fsr_dtype dtype, int ndim, const int64_t *shape, int i);

static fsr_node data_leaf(fsr_dtype dtype, int ndim, const int64_t *shape, int i) {
    return subject_data(dtype, ndim, shape, SUBJECT_SPECIAL, i);
}

static fsr_node edge_leaf(fsr_dtype dtype, int ndim, const int64_t *shape, int i) {
    void *data = malloc((size_t)shape[0] * fsr_dtype_size(dtype));
    assert_non_null(data);
    edges_fill(data, dtype, i);
    fsr_node x = fsr_from_host(subject_g, dtype, ndim, shape, data);
    free(data);
    return x;
}

static fsr_node input_leaf(fsr_dtype dtype, int ndim, const int64_t *shape, int i) {
    return fsr_input(subject_g, (const char *[]){"a", "b", "c"}[i], dtype, ndim, shape);
}

static fsr_node operand(leaf_fn leaf, layout how, fsr_dtype dtype, int64_t n, int i) {
    int64_t rows = n > 5000 ? (n + 4) / 5 : n;
    switch (how) {
    case CONTIGUOUS: return leaf(dtype, 1, SHAPE(n), i);
    case STRIDED: return fsr_slice(leaf(dtype, 1, SHAPE((i + 2) * n + 3), i), 0, 1, 1 + (i + 2) * n, i + 2);
    case TRANSPOSED: return fsr_transpose(leaf(dtype, 2, SHAPE(5, rows), i), NULL);
    default:
        return i == 0   ? leaf(dtype, 2, SHAPE(rows, 1), i)
               : i == 1 ? leaf(dtype, 1, SHAPE(5), i)
                        : leaf(dtype, 0, NULL, i);
    }
}

/* ---- all ops of a dtype ------------------------------------------------------------------------------------ */

typedef struct bundle {
    int n;
    fsr_node out[FSR_OP_COUNT];
    const char *name[FSR_OP_COUNT];
} bundle;

static bundle all_ops(leaf_fn leaf, layout how, fsr_dtype dtype, int64_t n) {
    bundle b = {0};
    fsr_node arg[3];
    for (int i = 0; i < 3; ++i)
        arg[i] = operand(leaf, how, dtype, n, i);
    for (int op = 0; op < FSR_OP_COUNT; ++op) {
        if (op == FSR_OP_CAST)
            continue;
        fsr_node given[3] = {arg[0], arg[1], arg[2]};
        if (fsr_op_get((fsr_op)op)->rule == FSR_RULE_SCALE)
            given[1] = fsr_cast(arg[1], FSR_I32);
        fsr_node x = fsr_map(FSR_HERE, (fsr_op)op, given, fsr_op_get((fsr_op)op)->arity);
        if (fsr_node_status(x) == FSR_ERR_DTYPE)
            continue;
        assert_int_equal(fsr_node_status(x), FSR_OK);
        b.out[b.n] = x;
        b.name[b.n++] = fsr_op_get((fsr_op)op)->name;
    }
    return b;
}

static void against_reference(fsr_dtype dtype, layout how, int64_t n) {
    subject_setup(NULL);
    bundle b = all_ops(data_leaf, how, dtype, n);
    subject_verify(b.out, b.n, b.name, "%s, %s, n = %lld", fsr_dtype_name(dtype), layout_name[how], (long long)n);
    assert_int_equal(subject_teardown(NULL), 0);
}

/* Every row is here with every dtype it has text for, but complex_of, whose text is for what it gives; and with at
 * least one. */
static void every_row_of_the_table(void **state) {
    (void)state;
    bool seen[FSR_OP_COUNT][FSR_DTYPE_COUNT] = {{false}};
    for (int d = 0; d < FSR_DTYPE_COUNT; ++d) {
        bundle b = all_ops(data_leaf, CONTIGUOUS, (fsr_dtype)d, 3);
        for (int i = 0; i < b.n; ++i)
            seen[fsr_op_find(b.name[i])][d] = true;
        subject_count("op x dtype", b.n);
    }
    for (int op = 0; op < FSR_OP_COUNT; ++op) {
        const fsr_op_info *info = fsr_op_get((fsr_op)op);
        bool any = info->rule == FSR_RULE_CAST;
        for (int d = 0; d < FSR_DTYPE_COUNT; ++d) {
            any = any || seen[op][d];
            if (fsr_op_defined((fsr_op)op, (fsr_dtype)d) && !seen[op][d] && info->rule != FSR_RULE_CAST &&
                info->rule != FSR_RULE_COMPLEX)
                fail_msg("%s of %s is not here", info->name, fsr_dtype_name((fsr_dtype)d));
        }
        if (!any)
            fail_msg("%s is not here", info->name);
    }
}

/* ---- parts of the program --------------------------------------------------------------------------------------- */

/* Two dtypes stand for all where only the number of elements matters. */
static bool has_large(fsr_dtype dtype) {
    return dtype == FSR_I32 || dtype == FSR_F32;
}

static bool is_large(int64_t n) {
    return n > 5000;
}

/* Cases of one unit share kernels. */
static int unit_of(fsr_dtype dtype, layout how) {
    return (int)dtype + (int)how;
}

/* Every dtype contiguous and, of the other layouts, each with every fifth dtype. The fast tier has of the latter those
 * that are no integers; large arrays of integers alone, of which the reference knows more in less time; one element,
 * whose kernels have no loop, of every fifth dtype. */
static subject_tier tier_of(fsr_dtype dtype, layout how, int64_t n) {
    if (how != CONTIGUOUS && (int)dtype % 5 != (int)how % 5)
        return SUBJECT_LONG;
    const bool number = fsr_dtype_is_inexact(dtype), single = n == 1 && (int)dtype % 5 != FSR_F32 % 5;
    return single || (is_large(n) && number) || (how != CONTIGUOUS && !number) ? SUBJECT_CAPPED : SUBJECT_FAST;
}

static bool takes(fsr_dtype dtype, layout how, int64_t n) {
    return subject_case(unit_of(dtype, how), tier_of(dtype, how, n)) && (!is_large(n) || has_large(dtype));
}

/* ---- edges ------------------------------------------------------------------------------------------------------ */

/* Ops that give either of two zeros, as documented. */
static bool either_zero(fsr_op op) {
    return op == FSR_OP_FMAX || op == FSR_OP_FMIN || op == FSR_OP_CLAMP;
}

/* The table's own answer for element i; its sign is what verify does not look at. */
static bool same_zero(fsr_op op, fsr_dtype dtype, const void *got, void *const *in, int64_t i) {
    const size_t size = fsr_dtype_size(dtype);
    fsr_value args[3] = {{.bits = 0}, {.bits = 0}, {.bits = 0}}, out = {.bits = 0};
    memcpy(&out, (const char *)got + (size_t)i * size, size);
    double y = fsr_value_to_double(dtype, out);
    if (y != 0 || either_zero(op))
        return true;
    for (int k = 0; k < 3; k++)
        memcpy(&args[k], (const char *)in[k] + (size_t)i * size, size);
    double want = fsr_value_to_double(dtype, fsr_op_eval(op, dtype, dtype, args));
    return want != 0 || !signbit(want) == !signbit(y);
}

/* Signs of zeros of ops from one float dtype to the same. */
static void check_zeros(const bundle *b, fsr_dtype dtype, int64_t n) {
    void *in[3];
    for (int i = 0; i < 3; ++i) {
        in[i] = malloc((size_t)n * fsr_dtype_size(dtype));
        edges_fill(in[i], dtype, i);
    }
    for (int i = 0; i < b->n; ++i) {
        const fsr_op op = fsr_op_find(b->name[i]);
        const fsr_rule rule = fsr_op_get(op)->rule;
        if (fsr_node_dtype(b->out[i]) != dtype || rule == FSR_RULE_SELECT || rule == FSR_RULE_SCALE)
            continue;
        void *got = subject_read(b->out[i]);
        for (int64_t at = 0; at < n; ++at)
            if (!same_zero(op, dtype, got, in, at))
                fail_msg("%s of %s: a zero of the wrong sign at %lld", b->name[i], fsr_dtype_name(dtype),
                         (long long)at);
        free(got);
    }
    for (int i = 0; i < 3; ++i)
        free(in[i]);
}

/* Every op of the table at every pair of the dtype's edge values and at random bits, within its bound. Of one operation
 * on known operands the reference knows the result, but on the brink of overflow (and of a NaN's sign), and of most
 * complex ones. */
static void edges(void **state) {
    (void)state;
    for (int d = 0; d < FSR_DTYPE_COUNT; ++d) {
        const fsr_dtype dtype = (fsr_dtype)d;
        if (!subject_case(unit_of(dtype, CONTIGUOUS), false))
            continue;
        const int64_t n = edges_count(dtype);
        subject_setup(NULL);
        bundle b = all_ops(edge_leaf, CONTIGUOUS, dtype, n);
        int64_t unknown = subject_verify(b.out, b.n, b.name, "edges of %s", fsr_dtype_name(dtype));
        if (unknown > n * b.n / (fsr_dtype_is_complex(dtype) ? 4 : 500))
            fail_msg("%s: %lld of %lld results are not known", fsr_dtype_name(dtype), (long long)unknown,
                     (long long)(n * b.n));
        if (fsr_dtype_is_float(dtype))
            check_zeros(&b, dtype, n);
        assert_int_equal(subject_teardown(NULL), 0);
    }
}

/* ---- layouts and sizes ------------------------------------------------------------------------------------------- */

static void layout_against_reference(void **state) {
    layout how = (layout)(intptr_t)*state;
    for (int d = 0; d < FSR_DTYPE_COUNT; ++d)
        for (int s = 0; s < COUNT_OF(sizes); ++s)
            if (takes((fsr_dtype)d, how, sizes[s]))
                against_reference((fsr_dtype)d, how, sizes[s]);
}

/* One op alone: a kernel with one output, which a bundle never is. The fast tier has every third op of one dtype. */
static void each_alone(void **state) {
    (void)state;
    for (int d = 0; d < FSR_DTYPE_COUNT; d += 4) {
        bundle b = all_ops(data_leaf, STRIDED, (fsr_dtype)d, 33);
        for (int i = 0; i < b.n; ++i)
            if (subject_case(i, d != FSR_F64 || i % 3 != 0))
                subject_verify(&b.out[i], 1, &b.name[i], "alone, %s", fsr_dtype_name((fsr_dtype)d));
    }
}

/* ---- into the caller's buffers -------------------------------------------------------------------------------- */

static int64_t leaf_size(layout how, int64_t n, int i) {
    int64_t rows = n > 5000 ? (n + 4) / 5 : n;
    switch (how) {
    case CONTIGUOUS: return n;
    case STRIDED: return (i + 2) * n + 3;
    case TRANSPOSED: return 5 * rows;
    default: return i == 0 ? rows : i == 1 ? 5 : 1;
    }
}

static void run_guarded(fsr_plan *plan, const bundle *want, fsr_dtype dtype, layout how, int64_t n, size_t shift) {
    fsr_arg in[3], out[FSR_OP_COUNT];
    subject_guard guard[FSR_OP_COUNT];
    size_t size = fsr_dtype_size(dtype);
    for (int i = 0; i < 3; ++i) {
        int64_t elements = leaf_size(how, n, i);
        in[i] = (fsr_arg){(const char *[]){"a", "b", "c"}[i], malloc((size_t)elements * size + 1),
                          (size_t)elements * size, FSR_HOST};
        subject_fill(in[i].data, dtype, elements, SUBJECT_SPECIAL, i);
    }
    for (int i = 0; i < want->n; ++i) {
        guard[i] = subject_guard_new((size_t)fsr_node_bytes(want->out[i]), shift);
        out[i] = (fsr_arg){NULL, guard[i].data, guard[i].bytes, FSR_HOST};
    }
    OK(fsr_plan_run(plan, in, 3, out, want->n, NULL));
    for (int i = 0; i < want->n; ++i) {
        subject_guard_check(&guard[i], want->name[i]);
        void *expected = subject_read(want->out[i]);
        if (memcmp(expected, guard[i].data, guard[i].bytes) != 0)
            fail_msg("%s, %s, %s, n = %lld: the plan's bits differ from fsr_read's", want->name[i],
                     fsr_dtype_name(dtype), layout_name[how], (long long)n);
        free(expected);
        subject_guard_free(&guard[i]);
    }
    for (int i = 0; i < 3; ++i)
        free(in[i].data);
    subject_count("guarded outputs", want->n);
}

static void guarded(fsr_dtype dtype, layout how, int64_t n) {
    subject_setup(NULL);
    bundle input = all_ops(input_leaf, how, dtype, n), want = all_ops(data_leaf, how, dtype, n);
    fsr_plan *plan = NULL;
    OK(fsr_compute(want.out, want.n));
    OK(fsr_compile(input.out, input.n, &plan));
    run_guarded(plan, &want, dtype, how, n, 0);
    run_guarded(plan, &want, dtype, how, n, 8);
    fsr_plan_free(plan);
    assert_int_equal(subject_teardown(NULL), 0);
}

static void guarded_outputs(void **state) {
    (void)state;
    for (int d = 0; d < FSR_DTYPE_COUNT; ++d)
        for (int how = 0; how < LAYOUTS; ++how)
            for (int s = 0; s < COUNT_OF(sizes); ++s)
                if (takes((fsr_dtype)d, (layout)how, sizes[s]))
                    guarded((fsr_dtype)d, (layout)how, sizes[s]);
}

#define LAYOUT(how) \
    { "layout_" #how, layout_against_reference, subject_cases, NULL, (void *)(intptr_t)how }
static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(every_row_of_the_table),
    SUBJECT_OWN_CASES(edges),
    LAYOUT(CONTIGUOUS),
    LAYOUT(STRIDED),
    LAYOUT(TRANSPOSED),
    LAYOUT(BROADCAST),
    SUBJECT_CASES(each_alone),
    SUBJECT_OWN_CASES(guarded_outputs),
};
SUBJECT_MAIN(tests)

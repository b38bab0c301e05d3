/* SPDX-License-Identifier: MIT */
/* masks: what is made of one bool and literals becomes a choice, by text; and random expressions of bools keep every
 * value. */
#include "primitives/primitives.h"
#include "tests/rewrites/flows.h"
#include "tests/support/one_graph.h"

enum { N = 100, GRAPHS = 20000, VALUES = 12, MASKS = 2 };

static void what_it_makes(void **state) {
    (void)state;
    const fsr_node mask = INPUT(g, FSR_BOOL, N), x = INPUT(g, FSR_F32, N);
    const fsr_node kept = fsr_cast(fsr_sub(fsr_float(g, 1), fsr_cast(mask, FSR_F64)), FSR_F32);
    fsr_node out = fsr_mul(x, kept);
    flow_check(&out, 1, "masks", true,
               "%0 = input f32[100] \"leaf0\"\n"
               "%1 = const f64[] 1\n"
               "%2 = view f64[100] %1 affine []\n"
               "%3 = input bool[100] \"leaf1\"\n"
               "%4 = cast f64[100] %3\n"
               "%5 = const f64[] 0\n"
               "%6 = view f64[100] %5 affine []\n"
               "%7 = const f64[] 1\n"
               "%8 = view f64[100] %7 affine []\n"
               "%9 = where f64[100] %3, %6, %8\n"
               "%10 = const f32[] 0\n"
               "%11 = view f32[100] %10 affine []\n"
               "%12 = const f32[] 1\n"
               "%13 = view f32[100] %12 affine []\n"
               "%14 = where f32[100] %3, %11, %13\n"
               "%15 = mul f32[100] %0, %14\n"
               "return %15\n");
}

/* How many choices the rewrite leaves. */
static int choices(fsr_node out) {
    return flow_left(out, "masks", FSR_NODE_MAP, FSR_OP_WHERE);
}

static void where_it_stays_away(void **state) {
    (void)state;
    const fsr_node a = INPUT(g, FSR_BOOL, N), b = INPUT(g, FSR_BOOL, N), x = INPUT(g, FSR_F32, N);
    const fsr_node one = fsr_cast(a, FSR_F32), two = fsr_cast(b, FSR_F32), half = fsr_float(g, 0.5);
    assert_int_equal(choices(fsr_add(one, half)), 1);
    assert_int_equal(choices(fsr_neg(fsr_where(a, half, fsr_float(g, 2)))), 2);
    assert_int_equal(choices(one), 0);
    assert_int_equal(choices(fsr_add(one, two)), 0);
    assert_int_equal(choices(fsr_add(one, x)), 0);
    assert_int_equal(choices(fsr_exp(one)), 0); /* an exponential is not exact */
    assert_int_equal(choices(fsr_greater(one, half)), 0);
    assert_int_equal(choices(fsr_where(a, x, half)), 1);
    assert_int_equal(choices(fsr_hint_set(fsr_add(one, half), FSR_HINT_MATERIALIZE)), 0);
}

/* A random expression of the masks and of literals at which operations go wrong. */
static fsr_node draw(uint64_t *seed, const fsr_node *mask) {
    fsr_node value[VALUES];
    for (int i = 0; i < VALUES; i++) {
        fsr_value edge[FLOW_EDGES];
        const fsr_dtype dtype = (fsr_dtype)flow_random(seed, FSR_DTYPE_COUNT);
        const int count = flow_edges(dtype, edge);
        const fsr_value at = edge[flow_random(seed, (uint32_t)count)];
        fsr_node arg[3];
        for (int k = 0; k < 3; k++)
            arg[k] = i ? value[flow_random(seed, (uint32_t)i)] : mask[0];
        switch (i ? flow_random(seed, 4) : 0) {
        case 0: value[i] = fsr_cast(mask[flow_random(seed, MASKS)], dtype); break;
        case 1: value[i] = fsr_literal(g, FSR_HERE, dtype, at, false); break;
        case 2: value[i] = fsr_cast(arg[0], dtype); break;
        default: {
            const fsr_op op = (fsr_op)flow_random(seed, FSR_OP_COUNT);
            value[i] = op == FSR_OP_CAST ? arg[0] : fsr_map(FSR_HERE, op, arg, fsr_op_get(op)->arity);
        }
        }
        if (fsr_node_status(value[i]))
            value[i] = fsr_cast(mask[0], dtype);
    }
    return value[VALUES - 1];
}

static void random_expressions(void **state) {
    (void)state;
    int changed = 0;
    for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
        uint64_t at = seed;
        const fsr_node mask[MASKS] = {INPUT(g, FSR_BOOL, N), INPUT(g, FSR_BOOL, N)};
        const fsr_node out = draw(&at, mask);
        fsr_flow before = flow_of(&out, 1), after = flow_of(&out, 1);
        changed += flow_rewrite(&after, "masks");
        for (unsigned bits = 0; bits < 1u << MASKS; bits++) {
            const fsr_value leaf[MASKS] = {{.b = bits & 1}, {.b = bits >> 1 & 1}};
            const fsr_value want = flow_value(&before, before.out[0], leaf);
            const fsr_value got = flow_value(&after, after.out[0], leaf);
            if (!fsr_value_equal(want, got))
                fail_msg("seed %llu, masks %u: %llx, not %llx", (unsigned long long)seed, bits,
                         (unsigned long long)got.bits, (unsigned long long)want.bits);
        }
        fsr_flow_clear(&before);
        fsr_flow_clear(&after);
        if (seed % 100 == 0) {
            fsr_graph_owner_free(owner);
            g = node_graph(&owner);
        }
    }
    assert_true(changed > GRAPHS / 10);
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {T(what_it_makes), T(where_it_stays_away), T(random_expressions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

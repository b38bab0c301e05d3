/* SPDX-License-Identifier: MIT */
/* Programs of hundreds of thunks that share values at random: their kernels are full of arrays, and each is planned all
 * the same. */
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"
#include "tests/support/targets.h"

enum { PROGRAMS = 40, STEPS = 300, SIDE = 64, LENGTH = SIDE * SIDE, KINDS = 10 };

static uint32_t seed;

static int below(int n) {
    seed = seed * 1664525u + 1013904223u;
    return (int)((seed >> 8) % (uint32_t)n);
}

static fsr_node square(fsr_node x) {
    return fsr_reshape(x, 2, (int64_t[]){SIDE, SIDE});
}

static fsr_node row(fsr_node x) {
    return fsr_reshape(x, 1, (int64_t[]){LENGTH});
}

/* Elements of one array by those of another: as many as they are. */
static fsr_node taken(fsr_node a, fsr_node b) {
    const fsr_node last = fsr_int(g, LENGTH - 1), at = fsr_clamp(fsr_cast(b, FSR_I64), fsr_int(g, 0), last);
    return fsr_take(a, at, 0, FSR_INDEX_CLIP);
}

static fsr_node thunk(fsr_node a, fsr_node b, int kind) {
    const int axis = 0;
    switch (kind) {
    case 0: return fsr_add(a, b);
    case 1: return fsr_mul(a, fsr_float(g, below(100)));
    case 2: return fsr_sub(a, fsr_sum(b, &axis, 1, FSR_KEEPDIMS));
    case 3: return fsr_cumsum(a, &axis, 1, 0);
    case 4: return fsr_flip(a, 0);
    case 5: return fsr_update(a, fsr_slice(a, 0, 10, 500, 1), fsr_slice(b, 0, 0, 490, 1));
    case 6: return taken(a, b);
    case 7: return row(fsr_transpose(square(a), NULL));
    case 8: return row(fsr_add(square(b), fsr_sum(square(a), &axis, 1, FSR_KEEPDIMS)));
    default: return fsr_hint_set(fsr_where(fsr_greater(a, b), a, fsr_neg(b)), FSR_HINT_MATERIALIZE);
    }
}

/* Some kinds of thunks, each as often as it is drawn; arguments are recent values, or any. */
static int record(fsr_node *out) {
    fsr_node value[STEPS];
    int kinds[KINDS], n = 0, nouts = 0;
    const int recent = below(2), each = 1 + below(20), some = 2 + below(KINDS - 2);
    for (int i = 0; i < some; i++)
        kinds[i] = i == 0 ? 0 : below(KINDS);
    for (; n < 3; n++)
        value[n] = plan_vector(g, LENGTH);
    for (; n < STEPS; n++) {
        const fsr_node a = value[recent ? n - 1 - below(3) : below(n)], b = value[below(n)];
        value[n] = thunk(a, b, kinds[below(some)]);
        if (n % each == 0)
            out[nouts++] = value[n];
    }
    out[nouts++] = value[n - 1];
    return nouts;
}

static void all_are_planned(void **state) {
    static const fsr_target *const target[] = {&target_cpu, &target_gpu};
    (void)state;
    for (int i = 0; i < PROGRAMS; i++) {
        fsr_node out[STEPS + 1];
        seed = (uint32_t)(i + 1) * 2654435769u;
        const int n = record(out);
        fsr_program p = plan_of(target[i % 2], out, n);
        assert_true(p.info.kernels > 0);
        fsr_program_clear(&p);
        fsr_graph_owner_free(owner);
        g = node_graph(&owner);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(all_are_planned, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

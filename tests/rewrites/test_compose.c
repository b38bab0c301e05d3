/* SPDX-License-Identifier: MIT */
/* compose: views of views become one, in text and, for pseudo-random chains, by following every element down to its
 * leaf. */
#include "tests/rewrites/flows.h"
#include "tests/support/one_graph.h"

static void affine_over_affine(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 10), y = fsr_slice(fsr_slice(x, 0, 2, FSR_SLICE_END, 2), 0, 3, 0, -1);
    flow_check(&y, 1, "compose", true,
               "%0 = input f32[10] \"leaf0\"\n"
               "%1 = view f32[4] %0 affine [2+2*d0]\n"
               "%2 = view f32[3] %0 affine [8+-2*d0]\n"
               "return %2\n");
}

static void flips_cancel(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3, 4), y = fsr_exp(fsr_flip(fsr_flip(x, 1), 1));
    flow_check(&y, 1, "compose", true,
               "%0 = input f32[3,4] \"leaf0\"\n"
               "%1 = view f32[3,4] %0 affine [d0, 3+-1*d1]\n"
               "%2 = view f32[3,4] %0 affine [d0, d1]\n"
               "%3 = exp f32[3,4] %0\n"
               "return %3\n");
}

static void transposes_cancel(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3, 4), y = fsr_exp(fsr_transpose(fsr_transpose(x, NULL), NULL));
    flow_check(&y, 1, "compose", true,
               "%0 = input f32[3,4] \"leaf0\"\n"
               "%1 = view f32[4,3] %0 affine [d1, d0]\n"
               "%2 = view f32[3,4] %0 affine [d0, d1]\n"
               "%3 = exp f32[3,4] %0\n"
               "return %3\n");
}

static void transpose_of_slice_of_broadcast(void **state) {
    (void)state;
    fsr_node b = fsr_broadcast_to(INPUT(g, FSR_F32, 4), 2, SHAPE(3, 4));
    fsr_node y = fsr_exp(fsr_transpose(fsr_slice(b, 1, 1, 3, 1), NULL));
    fsr_flow flow = flow_of(&y, 1);
    assert_true(flow_rewrite(&flow, "compose"));
    assert_true(flow_rewrite(&flow, "dce"));
    flow_expect(&flow, "%0 = input f32[4] \"leaf0\"\n"
                       "%1 = view f32[2,3] %0 affine [1+d0]\n"
                       "%2 = exp f32[2,3] %1\n"
                       "return %2\n");
    fsr_flow_clear(&flow);
}

static void reshapes_are_the_last_one(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 4, 6), y = fsr_exp(fsr_reshape(fsr_reshape(x, 1, SHAPE(24)), 3, SHAPE(2, 2, 6)));
    flow_check(&y, 1, "compose", true,
               "%0 = input f32[4,6] \"leaf0\"\n"
               "%1 = view f32[24] %0 reshape\n"
               "%2 = view f32[2,2,6] %0 reshape\n"
               "%3 = exp f32[2,2,6] %2\n"
               "return %3\n");
    fsr_node back = fsr_exp(fsr_reshape(fsr_reshape(x, 1, SHAPE(24)), 2, SHAPE(4, 6)));
    flow_check(&back, 1, "compose", true,
               "%0 = input f32[4,6] \"leaf0\"\n"
               "%1 = view f32[24] %0 reshape\n"
               "%2 = view f32[4,6] %0 reshape\n"
               "%3 = exp f32[4,6] %0\n"
               "return %3\n");
}

/* Rows of a stepped view have no affine form in the flat order: the pair must stay. */
static void reshape_over_affine_stays(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 4, 6), y = fsr_exp(fsr_reshape(fsr_slice(x, 1, 0, FSR_SLICE_END, 2), 1, SHAPE(12)));
    flow_check(&y, 1, "compose", false,
               "%0 = input f32[4,6] \"leaf0\"\n"
               "%1 = view f32[4,3] %0 affine [d0, 2*d1]\n"
               "%2 = view f32[12] %1 reshape\n"
               "%3 = exp f32[12] %2\n"
               "return %3\n");
}

static void affine_over_reshape_stays(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 4, 6), y = fsr_exp(fsr_flip(fsr_reshape(x, 1, SHAPE(24)), 0));
    flow_check(&y, 1, "compose", false,
               "%0 = input f32[4,6] \"leaf0\"\n"
               "%1 = view f32[24] %0 reshape\n"
               "%2 = view f32[24] %1 affine [23+-1*d0]\n"
               "%3 = exp f32[24] %2\n"
               "return %3\n");
}

/* A view whose value somebody wants stored is neither skipped nor changed. */
static void hints_are_barriers(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3, 4), t = fsr_hint_set(fsr_transpose(x, NULL), FSR_HINT_MATERIALIZE);
    fsr_node y = fsr_exp(fsr_transpose(t, NULL));
    flow_check(&y, 1, "compose", false,
               "%0 = input f32[3,4] \"leaf0\"\n"
               "%1 = view f32[4,3] %0 affine [d1, d0] hint=materialize\n"
               "%2 = view f32[3,4] %1 affine [d1, d0]\n"
               "%3 = exp f32[3,4] %2\n"
               "return %3\n");
}

/* An array has no shape in memory: outputs are what lies below views that keep the order. */
static void outputs_in_order_are_bare(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3, 4), s = fsr_sum(x, AXES(1), 1, 0), e = fsr_exp(x);
    fsr_node out[3] = {s, fsr_reshape(e, 1, SHAPE(12)), fsr_transpose(e, NULL)};
    flow_check(out, 3, "compose", true,
               "%0 = input f32[3,4] \"leaf0\"\n"
               "%1 = reduce f32[3,1] %0 axes=1 op=add\n"
               "%2 = view f32[3] %1 affine [d0, 0]\n"
               "%3 = exp f32[3,4] %0\n"
               "%4 = view f32[12] %3 reshape\n"
               "%5 = view f32[4,3] %3 affine [d1, d0]\n"
               "return %1, %3, %5\n");
}

static void outputs_that_move_stay(void **state) {
    (void)state;
    fsr_node e = fsr_exp(INPUT(g, FSR_F32, 4));
    fsr_node out[4] = {fsr_flip(e, 0), fsr_slice(e, 0, 0, 2, 1), fsr_broadcast_to(e, 2, SHAPE(2, 4)),
                       fsr_hint_set(fsr_reshape(e, 2, SHAPE(2, 2)), FSR_HINT_MATERIALIZE)};
    flow_check(out, 4, "compose", false,
               "%0 = input f32[4] \"leaf0\"\n"
               "%1 = exp f32[4] %0\n"
               "%2 = view f32[4] %1 affine [3+-1*d0]\n"
               "%3 = view f32[2] %1 affine [d0]\n"
               "%4 = view f32[2,4] %1 affine [d1]\n"
               "%5 = view f32[2,2] %1 reshape hint=materialize\n"
               "return %2, %3, %4, %5\n");
}

/* 3000 chains of up to 8 views: every element comes from where it came from before. */
static void chains_keep_their_elements(void **state) {
    (void)state;
    uint64_t seed = 11;
    int shorter = 0;
    for (int round = 0; round < 3000; round++) {
        fsr_node y = INPUT(g, FSR_F32, 2, 6, 5);
        int views = 1 + (int)flow_random(&seed, 8), leaf;
        for (int i = 0; i < views; i++)
            y = flow_random_view(&seed, y);
        int64_t n = fsr_node_size(y);
        fsr_flow flow = flow_of(&y, 1);
        int before = flow.n;
        if (flow.node[flow.out[0].id].kind == FSR_NODE_VIEW)
            flow_rewrite(&flow, "compose");
        flow_rewrite(&flow, "dce");
        shorter += flow.n < before;
        for (int64_t i = 0; i < n; i++) {
            assert_true(flow_leaf_index(&flow, flow.out[0], i, &leaf) == node_leaf_index(y, i));
            assert_int_equal(flow.node[leaf].kind, FSR_NODE_DATA);
        }
        for (int i = 0; i < flow.n; i++) {
            const fsr_flow_node *v = &flow.node[i], *a = v->nargs ? &flow.node[v->arg[0].id] : v;
            assert_false(a != v && v->kind == FSR_NODE_VIEW && a->kind == v->kind && a->view.kind == v->view.kind);
        }
        fsr_flow_clear(&flow);
    }
    assert_true(shorter > 1500);
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(affine_over_affine),         T(flips_cancel),
        T(transposes_cancel),          T(transpose_of_slice_of_broadcast),
        T(reshapes_are_the_last_one),  T(reshape_over_affine_stays),
        T(affine_over_reshape_stays),  T(hints_are_barriers),
        T(outputs_in_order_are_bare),  T(outputs_that_move_stay),
        T(chains_keep_their_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

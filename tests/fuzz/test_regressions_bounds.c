/* SPDX-License-Identifier: MIT */
/* Graphs that the reference had too narrow a bound for, or that the fuzzer was wrong about, cut down; and that it draws
 * everything. */
#include "tests/fuzz/regression.h"

/* Products that overflow, of both signs: a library that adds them unrounded has an infinity or a number where a NaN was
 * due for certain. */
static void test_products_that_overflow(void **state) {
    (void)state;
    CHECK(true, fuzz_matmul(fuzz_leaf(g, FSR_F32, 2, SHAPE(1, 3), 4), fuzz_leaf(g, FSR_F32, 2, SHAPE(1, 1), 2947), 2));
    CHECK(true, fuzz_matmul(fuzz_leaf(g, FSR_F32, 1, SHAPE(4), 4), fuzz_leaf(g, FSR_F32, 3, SHAPE(1, 4, 1), 1847), 4));
    fsr_node x = fsr_mul(fsr_sub(fsr_arange(g, FSR_F32, 3), fsr_float(g, 1)), fsr_float(g, 0x1p100));
    CHECK(true, fuzz_matmul(x, x, 0), fuzz_matmul(x, fsr_sqrt(x), 3));
    /* a bias that joins the call of the product */
    CHECK(true, fuzz_matmul(fuzz_leaf(g, FSR_F32, 2, SHAPE(6, 7), 4), fuzz_leaf(g, FSR_F32, 2, SHAPE(5, 8), 9), 1));
}

/* Sums of products of zeros have a zero of either sign. */
static void test_sign_of_a_solved_zero(void **state) {
    (void)state;
    fsr_node x = fuzz_leaf(g, FSR_F32, 0, NULL, 4), zero = fsr_param(g, "p0", FSR_F32, -0.0);
    CHECK(false, fsr_signbit(fuzz_sparse(x, zero, 20)));
    CHECK(false, fsr_signbit(fuzz_sparse(x, zero, 0)));
}

/* A row of a triangle whose products overflow: which of them first, with which sign, hangs on their order. */
static void test_triangle_that_overflows(void **state) {
    (void)state;
    fsr_node x = fuzz_leaf(g, FSR_F32, 0, NULL, 1839), y = fuzz_leaf(g, FSR_F32, 2, SHAPE(4, 1), 4);
    CHECK(true, fuzz_sparse(y, x, 20));
    fsr_node square = fuzz_leaf(g, FSR_F32, 2, SHAPE(4, 4), 2079);
    CHECK(true, fuzz_sparse(square, square, 20));
}

/* Quotients beyond 2^23 are off by the roundings within floor_divide. */
static void test_large_quotients(void **state) {
    (void)state;
    fsr_node x = fuzz_leaf(g, FSR_F32, 3, SHAPE(11, 11, 11), 3595), y;
    fsr_vectorize(&y, 1, (fsr_node[]){x, x}, 2, "(n),(n)->(n)", fuzz_centred, NULL);
    CHECK(true, fsr_floor_divide(fsr_mul(x, y), fsr_param(g, "p1", FSR_F16, -7)));
}

/* A bound of 1 - 0.001 was rounded down, so that the 1 at its end was another number for certain. */
static void test_end_of_a_rounded_bound(void **state) {
    (void)state;
    fsr_node tiny = fsr_float(g, 0.001), zero = fsr_sin(fsr_sub(tiny, tiny));
    fsr_node y = fsr_maximum(fsr_isfinite(fsr_sqrt(zero)), tiny), x = fuzz_leaf(g, FSR_F32, 0, NULL, 4);
    CHECK(false, fsr_not_equal(fsr_logical_or(x, x), y));
}

/* One element put, if it is not dropped, over the one that it was read from: no other point is there to read it. */
static void test_one_element_put_over_itself(void **state) {
    (void)state;
    fsr_node x = fuzz_leaf(g, FSR_F16, 1, SHAPE(1), 4), y = fuzz_leaf(g, FSR_F16, 1, SHAPE(1), 4), out[2];
    fsr_reduce_with(out, (fsr_node[]){fuzz_take(y, x, 5, (fsr_index_mode)3, 0), x}, &fuzz_linear_operator, AXES(0), 1,
                    0);
    CHECK(true, fuzz_take(out[0], y, 5, (fsr_index_mode)3, 0));
}

/* A rank that holds a zero for certain, in a row of which other elements are bounded alone: the zero was +0. */
static void test_sign_of_a_sorted_zero(void **state) {
    (void)state;
    for (int down = 0; down <= FSR_DESCENDING; down += FSR_DESCENDING) {
        fsr_node x = fuzz_leaf(g, FSR_F32, 3, SHAPE(3, 3, 1), 4);
        CHECK(false, fsr_tgamma(fsr_sort(fsr_div(x, fsr_tgamma(x)), NULL, 1, down)));
        CHECK(false, fsr_signbit(fsr_sort(fsr_copysign(fsr_div(x, fsr_tgamma(x)), fsr_float(g, -1)), NULL, 1, down)));
    }
}

/* Equations whose right side is 0: the sign of the solution hangs on the order of the rows. */
static void test_sign_of_a_dense_zero(void **state) {
    (void)state;
    fsr_node x = fuzz_leaf(g, FSR_F32, 4, SHAPE(1, 1, 1, 1), 4);
    CHECK(false, fsr_signbit(fuzz_matmul(x, fsr_full(g, FSR_F32, 4, SHAPE(1, 1, 1, 1), -0.0), 6)));
    CHECK(false, fsr_signbit(fsr_real(fuzz_matmul(fsr_cast(x, FSR_C64), fsr_full(g, FSR_F32, 1, SHAPE(1), 0), 6))));
}

/* The whole of an array without elements, as a function's own. */
static void test_whole_of_nothing(void **state) {
    (void)state;
    fsr_node x = fuzz_leaf(g, FSR_F32, 1, SHAPE(1), 4);
    CHECK(true, fuzz_call(x, fuzz_leaf(g, FSR_F32, 4, SHAPE(1, 2, 0, 1), 4), FUZZ_RAW));
}

/* A search for nothing: what has no elements shares the address of the array that is searched. */
static void test_search_for_nothing(void **state) {
    (void)state;
    fsr_node x = fuzz_leaf(g, FSR_F32, 3, SHAPE(1, 1, 1), 4), end[2];
    fuzz_iterate(end, (fsr_node[]){x, x}, 1, 1);
    CHECK(true, fuzz_take(end[0], fuzz_leaf(g, FSR_F32, 3, SHAPE(1, 0, 1), 4), 7, FSR_INDEX_WRAP, 2));
}

/* Sums on the way to an element of a transform may be no numbers, whatever the element is. */
static void test_transform_that_overflows(void **state) {
    (void)state;
    fsr_node x = fsr_full(g, FSR_C128, 1, SHAPE(6), 1e308), y = fsr_full(g, FSR_F32, 1, SHAPE(6), 1e38);
    CHECK(true, fsr_ifftn(x, (int[]){-1}, 1), fsr_fftn(x, (int[]){-1}, 1));
    CHECK(true, fsr_real(fsr_rfft(y, 0)));
}

/* Products of a transform that are subnormal are rounded to multiples of the smallest number. */
static void test_transform_of_subnormal_numbers(void **state) {
    (void)state;
    fsr_node x = fuzz_leaf(g, FSR_F32, 1, SHAPE(1), 4), zero = fsr_sub(x, x);
    CHECK(true, fuzz_calls(fsr_nextafter(zero, x), zero, 10));
}

/* Between a right side near the largest number and a solution that is one there may be none. */
static void test_solution_that_overflows_on_the_way(void **state) {
    (void)state;
    fsr_node x = fuzz_leaf(g, FSR_F32, 3, SHAPE(1, 1, 1), 4), y = fuzz_leaf(g, FSR_F64, 3, SHAPE(1, 1, 3), 2907);
    CHECK(true, fuzz_matmul(x, y, 6));
}

/* ---- what is drawn --------------------------------------------------------------------------------------------- */

/* How many forms a step of this kind has, and which one s is. */
static int forms(const recipe_step *s, int *form) {
    switch (s->kind) {
    case STEP_LOOP: *form = s->axis; return FUZZ_LOOPS;
    case STEP_TURNS: *form = s->flags * FUZZ_TURNS + s->axis; return 3 * FUZZ_TURNS;
    case STEP_ROWS: *form = s->flags; return FUZZ_ROW_FUNCTIONS;
    case STEP_MATMUL: *form = s->flags; return FUZZ_PRODUCTS;
    case STEP_TAKE: *form = (int)s->start; return FUZZ_TAKES;
    case STEP_LENGTHS: *form = (int)s->start; return FUZZ_LENGTHS;
    case STEP_SPARSE: *form = (int)s->start; return FUZZ_SPARSE;
    case STEP_CALLS: *form = (int)s->start; return FUZZ_CALLS;
    case STEP_PLACES: *form = (int)s->start; return FUZZ_PLACES;
    case STEP_ORDERS: *form = (int)s->start % FUZZ_ORDERS; return FUZZ_ORDERS;
    default: *form = 0; return 1;
    }
}

/* A sum of a product, as which it may be shown, and of something else. */
static bool is_epilogue(const fsr_graph *graph, const fsr_rec *rec) {
    const fsr_rec *x =
        fsr_has(rec->kind, FSR_FIELD_op) && rec->op == FSR_OP_ADD ? fsr_graph_rec(graph, rec->arg[0].id) : NULL;
    while (x && fsr_is(x->kind, FSR_IS_VIEW))
        x = fsr_graph_rec(graph, x->arg[0].id);
    return x && x->product;
}

/* The calls of libraries that are in a graph: a product is a fold until a plan makes a call of it. */
static void note_calls(const fsr_graph *graph, int call[FSR_LIBRARY_COUNT]) {
    for (uint32_t id = 0; id < fsr_graph_slots(graph); id++) {
        const fsr_rec *rec = fsr_graph_rec(graph, id);
        if (rec && fsr_is(rec->kind, FSR_IS_LIBRARY))
            call[rec->library]++;
        if (rec && rec->product)
            call[FSR_LIBRARY_MATMUL]++;
        if (rec && is_epilogue(graph, rec))
            call[FSR_LIBRARY_MATMUL_EPILOGUE]++;
    }
}

/* Each row of graph/libraries.def gets into graphs of recipes. Counter-example: curand's, whose text had no reader, and
 * sums of segments, of which calls are made only for more elements than any recipe had. */
static void test_every_call_is_drawn(void **state) {
    enum { RECIPES = 3000 };
    int call[FSR_LIBRARY_COUNT] = {0};
    (void)state;
    for (int i = 0; i < RECIPES; i++) {
        static recipe r;
        fsr_node node[RECIPE_STEPS], other[RECIPE_STEPS];
        fsr_graph_owner *own;
        fsr_graph *graph = node_graph(&own);
        recipe_generate(&r, 77000 + (uint64_t)i);
        for (int k = 0; k < r.n; k++)
            recipe_record(&r, k, graph, node, other);
        note_calls(graph, call);
        fsr_graph_owner_free(own);
    }
    for (int library = 0; library < FSR_LIBRARY_COUNT; library++)
        if (call[library] == 0)
            fail_msg("the library call %s is never drawn", fsr_library_word((fsr_library)library));
}

/* Every kind of step, in each of its forms, and every operation get into recipes: a step that builders always refuse is
 * never seen to be missing. Counter-example: elements at computed indices whose recipes had lost their indices. */
static void test_everything_is_drawn(void **state) {
    enum { RECIPES = 12000, FORMS = 64 };
    static int seen[STEP_KINDS][FORMS], known[STEP_KINDS], ops[FSR_OP_COUNT];
    (void)state;
    for (int i = 0; i < RECIPES; i++) {
        static recipe r;
        recipe_generate(&r, 77000 + (uint64_t)i);
        for (int k = 0; k < r.n; k++) {
            const recipe_step *s = &r.step[k];
            int form;
            known[s->kind] = forms(s, &form);
            assert_in_range(form, 0, FORMS - 1);
            seen[s->kind][form]++;
            ops[s->kind == STEP_OP ? s->op : FSR_OP_CAST]++;
            for (int a = 0; a < step_arity(s); a++)
                assert_in_range(s->arg[a], 0, k - 1);
        }
    }
    for (int kind = 0; kind < STEP_KINDS; kind++)
        for (int form = 0; form == 0 || form < known[kind]; form++)
            if (seen[kind][form] == 0)
                fail_msg("form %d of steps of kind %d is never drawn", form, kind);
    for (int op = 0; op < FSR_OP_COUNT; op++)
        if (ops[op] == 0)
            fail_msg("%s is never drawn", fsr_op_get((fsr_op)op)->name);
}

/* x between its edges, several times; of computed values too. */
static fsr_node edged(fsr_node x, int64_t before, int64_t after, int axis) {
    int64_t width[FSR_MAX_DIMS][2] = {{0}};
    width[axis][0] = before, width[axis][1] = after;
    return fsr_pad(x, (const int64_t(*)[2])width, FSR_PAD_EDGE, 0);
}

/* What is pasted together of places of one array is taken from it at computed places, on a GPU: edges of arrays and of
 * slices of them, of one column, one side alone; stacks of steps forwards and backwards; operations behind both. */
static void test_pastes_of_places(void **state) {
    (void)state;
    fsr_node x = fuzz_leaf(g, FSR_F32, 2, SHAPE(5, 7), 4), y = fuzz_leaf(g, FSR_I32, 2, SHAPE(4, 1), 4);
    fsr_node part = fsr_slice(fsr_slice(x, 1, 1, 6, 1), 0, 4, FSR_SLICE_END, -1);
    CHECK(false, edged(edged(x, 1, 1, 0), 2, 3, 1), edged(x, 0, 2, 1), edged(x, 3, 0, 0));
    CHECK(false, edged(part, 1, 2, 1), edged(part, 1, 2, 0), edged(fsr_exp(part), 1, 1, 1), edged(y, 2, 2, 1));
    CHECK(false, edged(edged(edged(fsr_sin(x), 1, 1, 1), 1, 1, 1), 2, 0, 0));
    fsr_node step[4], down[3];
    for (int i = 0; i < 4; i++)
        step[i] = fsr_mul(fsr_slice(x, 1, i, i + 4, 1), fsr_float(g, 3));
    for (int i = 0; i < 3; i++)
        down[i] = fsr_add(fsr_exp(fsr_slice(x, 0, 4 - 2 * i, 5 - 2 * i, 1)), fsr_slice(x, 0, i, i + 1, 1));
    CHECK(false, fsr_stack(step, 4, 0), fsr_stack(step, 3, 1), fsr_stack(step + 1, 2, 2));
    CHECK(false, fsr_stack(down, 3, 0), fsr_concat(down, 3, 0), fsr_stack(down, 2, -1), fsr_stack(step + 1, 3, -1));
    CHECK(false, fsr_reshape(fsr_stack(step, 4, 2), 2, SHAPE(5, 16)));
    fsr_node wide = edged(x, 1, 1, 1), sides[2];
    for (int i = 0; i < 2; i++)
        sides[i] = fsr_add(fsr_slice(wide, 1, 2 * i, 7 + 2 * i, 1), fsr_mul(x, fsr_float(g, 2)));
    fsr_node twice = fsr_reshape(fsr_stack(sides, 2, 2), 2, SHAPE(5, 14));
    CHECK(false, twice, edged(twice, 1, 1, 0), fsr_sum(edged(twice, 2, 1, 1), AXES(1), 1, 0));
    CHECK(false, fsr_concat((fsr_node[]){fsr_slice(x, 1, 3, 7, 1), fsr_slice(x, 1, 0, 3, 1)}, 2, 1));
}

/* A choice along one dimension of a map that has no elements along another: planning divided by them. */
static void test_choice_of_nothing(void **state) {
    (void)state;
    fsr_node x = fuzz_leaf(g, FSR_F32, 2, SHAPE(2, 2), 244);
    fsr_node both = fsr_expand(fsr_stack((fsr_node[]){x, x}, 2, 1), 2);
    fsr_node none = fsr_slice(fsr_div(both, both), 2, FSR_SLICE_END, 2, -1);
    CHECK(false, fsr_heaviside(none, both));
}

/* Kernels without elements that might be nests of one, of planes of 5 by 0 by 5: planning divided by their lines. The
 * graph is a seed's, whole: what was cut down of it stored nothing between the two. */
static void test_nests_of_nothing(void **state) {
    (void)state;
    const uint64_t seed = 7600003011;
    recipe r;
    finding found;
    recipe_generate(&r, seed);
    if (check_recipe(&r, seed, &found))
        fail_msg("%s: %s", found.variant, found.what);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_products_that_overflow),
        TEST(test_sign_of_a_solved_zero),
        TEST(test_triangle_that_overflows),
        TEST(test_large_quotients),
        TEST(test_end_of_a_rounded_bound),
        TEST(test_one_element_put_over_itself),
        TEST(test_sign_of_a_sorted_zero),
        TEST(test_sign_of_a_dense_zero),
        TEST(test_whole_of_nothing),
        TEST(test_search_for_nothing),
        TEST(test_transform_that_overflows),
        TEST(test_solution_that_overflows_on_the_way),
        TEST(test_transform_of_subnormal_numbers),
        TEST(test_pastes_of_places),
        TEST(test_choice_of_nothing),
        cmocka_unit_test(test_nests_of_nothing),
        cmocka_unit_test(test_everything_is_drawn),
        cmocka_unit_test(test_every_call_is_drawn),
    };
    return cmocka_run_group_tests_name("fuzz regressions of bounds", tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* The runner: the table of rewrites, skip and print_after, the flow's signature and copy, and fsr_flow_verify. */
#include "tests/rewrites/flows.h"
#include "tests/support/one_graph.h"

static void the_table(void **state) {
    (void)state;
    static const char *const expected[] = {"compose", "sections", "simplify", "fold",    "masks",  "cse",
                                           "bounds",  "narrow",   "hoist",    "unstack", "places", "dce"};
    int n = 0;
    for (; fsr_rewrite_name(n); n++) {
        assert_true(n < 12);
        assert_string_equal(fsr_rewrite_name(n), expected[n]);
        assert_non_null(fsr_rewrite_find(expected[n]));
    }
    assert_int_equal(n, 12);
    assert_null(fsr_rewrite_name(-1));
    assert_null(fsr_rewrite_find("ce"));
    assert_null(fsr_rewrite_find(""));
}

static void lists(void **state) {
    (void)state;
    assert_true(fsr_list_has("fold", "fold"));
    assert_true(fsr_list_has("cse,fold", "fold"));
    assert_true(fsr_list_has("fold,cse", "fold"));
    assert_false(fsr_list_has("folded,cse", "fold"));
    assert_false(fsr_list_has("unfold", "fold"));
    assert_false(fsr_list_has("cse,", "fold"));
    assert_false(fsr_list_has("", "fold"));
    assert_false(fsr_list_has(NULL, "fold"));
}

/* x * 1 + (2 + 3): each rewrite has something to do. */
static fsr_node recorded(void) {
    fsr_node x = INPUT(g, FSR_F32, 3),
             three = fsr_add(fsr_full(g, FSR_F32, 0, NULL, 1), fsr_full(g, FSR_F32, 0, NULL, 2));
    return fsr_add(fsr_add(fsr_mul(x, fsr_float(g, 1)), three), fsr_flip(fsr_flip(fsr_exp(x), 0), 0));
}

static void run(const fsr_rewrite_options *options, const char *expected) {
    fsr_node y = recorded();
    fsr_flow flow = flow_of(&y, 1);
    char why[200] = "";
    if (fsr_rewrites_run(&flow, options, why, sizeof why))
        fail_msg("%s", why);
    flow_expect(&flow, expected);
    fsr_flow_clear(&flow);
}

static void all_rewrites(void **state) {
    (void)state;
    run(&(fsr_rewrite_options){0}, "%0 = input f32[3] \"leaf0\"\n"
                                   "%1 = const f32[] 3\n"
                                   "%2 = view f32[3] %1 affine []\n"
                                   "%3 = add f32[3] %0, %2\n"
                                   "%4 = exp f32[3] %0\n"
                                   "%5 = add f32[3] %3, %4\n"
                                   "return %5\n");
}

static void skipped_rewrites(void **state) {
    (void)state;
    run(&(fsr_rewrite_options){.skip = "simplify,compose"}, "%0 = input f32[3] \"leaf0\"\n"
                                                            "%1 = const f32[] 1\n"
                                                            "%2 = view f32[3] %1 affine []\n"
                                                            "%3 = mul f32[3] %0, %2\n"
                                                            "%4 = const f32[] 3\n"
                                                            "%5 = view f32[3] %4 affine []\n"
                                                            "%6 = add f32[3] %3, %5\n"
                                                            "%7 = exp f32[3] %0\n"
                                                            "%8 = view f32[3] %7 affine [2+-1*d0]\n"
                                                            "%9 = view f32[3] %8 affine [2+-1*d0]\n"
                                                            "%10 = add f32[3] %6, %9\n"
                                                            "return %10\n");
}

static int printed(const char *after, const char *word) {
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    fsr_node y = recorded();
    fsr_flow flow = flow_of(&y, 1);
    char why[200];
    fsr_status status =
        fsr_rewrites_run(&flow, &(fsr_rewrite_options){.print_after = after, .to = to}, why, sizeof why);
    fclose(to);
    fsr_flow_clear(&flow);
    int n = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
        n++;
    free(text);
    assert_int_equal(status, FSR_OK);
    return n;
}

static void prints(void **state) {
    (void)state;
    assert_int_equal(printed(NULL, "after"), 0);
    assert_int_equal(printed("fold,dce", "after "), 2);
    assert_int_equal(printed("fold,dce", "# after fold:\n%0 = input f32[3] \"leaf0\"\n"), 1);
    assert_int_equal(printed("all", "after "), 12);
}

/* ---- the flow itself ---------------------------------------------------------------------------------------- */

static bool same_signature(const fsr_flow *a, const fsr_flow *b) {
    size_t n, m;
    void *x = fsr_flow_signature(a, &n), *y = fsr_flow_signature(b, &m);
    bool same = x && y && n == m && memcmp(x, y, n) == 0;
    free(x);
    free(y);
    return same;
}

static void check_signatures(fsr_node a, fsr_node b, bool equal) {
    fsr_flow x = flow_of(&a, 1), y = flow_of(&b, 1);
    bool same = same_signature(&x, &y);
    fsr_flow_clear(&x);
    fsr_flow_clear(&y);
    assert_int_equal(same, equal);
}

/* Two recordings of one program are one plan; any difference that a kernel sees is another. */
static void signatures(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3, 4), z = fsr_input(g, "z", FSR_F32, 2, SHAPE(3, 4));
    check_signatures(recorded(), recorded(), true);
    check_signatures(fsr_exp(x), fsr_exp(z), true);
    check_signatures(fsr_mul(x, fsr_param(g, "p", FSR_F32, 2)), fsr_mul(z, fsr_param(g, "q", FSR_F32, 3)), true);
    check_signatures(fsr_mul(x, x), fsr_mul(x, z), false);
    check_signatures(fsr_mul(x, fsr_float(g, 2)), fsr_mul(x, fsr_float(g, 3)), false);
    check_signatures(fsr_mul(x, fsr_float(g, 0.0)), fsr_mul(x, fsr_float(g, -0.0)), false);
    check_signatures(fsr_exp(x), fsr_hint_set(fsr_exp(x), FSR_HINT_MATERIALIZE), false);
    check_signatures(fsr_sum(x, AXES(0), 1, 0), fsr_sum(x, AXES(1), 1, 0), false);
    check_signatures(fsr_cumsum(x, AXES(1), 1, 0), fsr_cumsum(x, AXES(1), 1, FSR_EXCLUSIVE), false);
    check_signatures(fsr_cumsum(x, AXES(1), 1, 0), fsr_cumsum(x, AXES(1), 1, FSR_REVERSE), false);
    check_signatures(fsr_cumsum(x, AXES(1), 1, 0), fsr_cummax(x, AXES(1), 1, 0), false);
    check_signatures(fsr_slice(x, 1, 0, 2, 1), fsr_slice(x, 1, 1, 3, 1), false);
    check_signatures(fsr_exp(INPUT(g, FSR_F32, 5)), fsr_exp(INPUT(g, FSR_F32, 6)), false);
    check_signatures(fsr_exp(INPUT(g, FSR_F32, 5)), fsr_exp(INPUT(g, FSR_F64, 5)), false);
    check_signatures(fsr_exp(INPUT(g, FSR_F32, 6)), fsr_exp(INPUT(g, FSR_F32, 2, 3)), false);
}

static void copies(void **state) {
    (void)state;
    fsr_node out[3] = {recorded(), fsr_argmax(INPUT(g, FSR_F32, 3), NULL, 0, 0),
                       fsr_cumsum(INPUT(g, FSR_F32, 3), AXES(0), 1, 0)};
    fsr_flow a = flow_of(out, 3), b;
    assert_int_equal(fsr_flow_copy(&b, &a), FSR_OK);
    assert_true(same_signature(&a, &b));
    assert_true(b.nleaves == a.nleaves && b.nscalars == a.nscalars);
    flow_rewrite(&b, "dce");
    flow_rewrite(&b, "simplify");
    assert_false(same_signature(&a, &b));
    fsr_flow_clear(&a);
    char why[200];
    assert_int_equal(fsr_flow_verify(&b, why, sizeof why), FSR_OK);
    fsr_flow_clear(&b);
}

static void check_refused(fsr_flow *flow, const char *words) {
    char why[200] = "";
    assert_int_equal(fsr_flow_verify(flow, why, sizeof why), FSR_ERR_INTERNAL);
    if (!strstr(why, words))
        fail_msg("\"%s\" does not say \"%s\"", why, words);
}

static void verify_refuses(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3), y = fsr_exp(fsr_cumsum(fsr_add(x, x), AXES(0), 1, 0));
    fsr_flow flow = flow_of(&y, 1);
    fsr_flow_node *add = &flow.node[1], *scan = &flow.node[2];
    assert_int_equal(add->kind, FSR_NODE_MAP);
    add->arg[1].id = 1;
    check_refused(&flow, "%1: an argument that is not an earlier node's result");
    add->arg[1].id = 0;
    add->arg[1].output = 1;
    check_refused(&flow, "%1: an argument that is not an earlier node's result");
    add->arg[1].output = 0;
    add->shape.dim[0] = 4;
    check_refused(&flow, "%1: an operand of another shape");
    add->shape.dim[0] = 3;
    fsr_combine *combine = scan->combine;
    scan->combine = NULL;
    check_refused(&flow, "%2: no operator");
    scan->combine = combine;
    flow.out[0].id = 9;
    check_refused(&flow, "out 0 is no node's result");
    fsr_flow_clear(&flow);
}

/* A computed result is a leaf, as is an input; what lies above it is not visited. */
static void computed_nodes_are_leaves(void **state) {
    (void)state;
    static int live; /* outlives the graph, which the teardown frees */
    fsr_node x = INPUT(g, FSR_F32, 3), e = fsr_exp(x), y = fsr_add(fsr_log(e), e);
    node_force(e, &live);
    fsr_flow flow = flow_of(&y, 1);
    flow_expect(&flow, "%0 = input f32[3] \"leaf0\"\n"
                       "%1 = log f32[3] %0\n"
                       "%2 = add f32[3] %1, %0\n"
                       "return %2\n");
    fsr_flow_clear(&flow);
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(the_table),  T(lists),  T(all_rewrites),   T(skipped_rewrites),          T(prints),
        T(signatures), T(copies), T(verify_refuses), T(computed_nodes_are_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Hints about two nodes: a plan obeys them where it may, and says why where it may not. */
#include "graph/pairs.h"
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"
#include <stdlib.h>

static const int axis0 = 0, axis1 = 1;

/* Some line is the words, where the two were recorded, and the reason, if there is one. */
static bool says(const char *text, const char *hint, const char *why) {
    bool said = false;
    for (const char *at = strstr(text, hint); at && !said; at = strstr(at + 1, hint)) {
        const char *end = strstr(at, "]"), *line = strchr(at, '\n');
        said = end && end < line && at[strlen(hint) + 1] == '[' &&
               (why ? strncmp(end, "]: ", 3) == 0 && strncmp(end + 3, why, strlen(why)) == 0 &&
                          line == end + 3 + strlen(why)
                    : line == end + 1);
    }
    return said;
}

static void check_on(const fsr_target *target, const fsr_node *outs, int n, plan_knobs knobs, int kernels,
                     const char *hint, const char *why) {
    fsr_program p = plan_make(target, outs, n, knobs);
    const bool said = hint ? says(p.explanation, hint, why) : !strstr(p.explanation, "hint");
    const int got = p.info.kernels;
    if (got != kernels || !said)
        print_error("on the %s: %d kernels, want %s: %s; %s\n", target->gpu ? "GPU" : "CPU", got,
                    hint ? hint : "no hint", why ? why : "",
                    strstr(p.explanation, "hint") ? strstr(p.explanation, "hint") : p.explanation);
    fsr_program_clear(&p);
    assert_int_equal(got, kernels);
    assert_true(said);
}

/* The plan has this many kernels on both targets, and its explanation what became of the hint; NULL: there is none. */
static void check(const fsr_node *outs, int n, int kernels, const char *hint, const char *why) {
    check_on(&target_gpu, outs, n, (plan_knobs){0}, kernels, hint, why);
    check_on(&target_cpu, outs, n, (plan_knobs){0}, kernels, hint, why);
}

static void pair(fsr_node x, fsr_node y, fsr_pair_hint hint) {
    assert_int_equal(fsr_hint_pair(x, y, hint), FSR_OK);
}

/* ---- apart --------------------------------------------------------------------------------------------------- */

static void a_map_and_what_uses_it(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, 5000), e = fsr_exp(x), t = fsr_sub(e, fsr_add(e, x)), y = fsr_mul(t, t);
    check(&y, 1, 1, NULL, NULL);
    pair(y, e, FSR_PAIR_APART);
    check(&y, 1, 2, "not fused: exp (%1) into mul (%4): a hint keeps the two apart", NULL);
    check(&y, 1, 2, "hint: exp (%1) apart from mul (%4)", NULL);
    pair(e, y, FSR_PAIR_NONE);
    check(&y, 1, 1, NULL, NULL);
}

/* Neither needs the other. */
static void two_results(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, 5000), out[2] = {fsr_exp(x), fsr_sin(x)}, y = fsr_add(out[0], out[1]);
    check(out, 2, 1, NULL, NULL);
    pair(out[0], out[1], FSR_PAIR_APART);
    check(out, 2, 2, "hint: exp (%1) apart from sin (%2)", NULL);
    check(&y, 1, 2, "hint: exp (%1) apart from sin (%2)", NULL);
}

static void two_folds(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, 3000, 400), most = fsr_max(x, &axis1, 1, FSR_KEEPDIMS), e = fsr_exp(fsr_sub(x, most));
    fsr_node sum = fsr_sum(e, &axis1, 1, FSR_KEEPDIMS), y = fsr_div(e, sum);
    check(&y, 1, 1, NULL, NULL);
    pair(sum, most, FSR_PAIR_APART);
    check(&y, 1, 2, "hint: max (%1) apart from sum (%5)", NULL);
    pair(y, sum, FSR_PAIR_APART);
    pair(sum, most, FSR_PAIR_NONE);
    check(&y, 1, 2, "hint: sum (%5) apart from div (%7)", NULL);
}

/* Of values with nothing between a store and them there is one: what a view shows is its source. */
static void one_value(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, 300, 400), e = fsr_exp(x), t = fsr_transpose(e, NULL), out[2] = {t, fsr_neg(e)};
    pair(t, e, FSR_PAIR_APART);
    fsr_program p = plan_of(&target_gpu, out, 2);
    const bool said = strstr(p.explanation, "the two are one value\n") != NULL;
    fsr_program_clear(&p);
    assert_true(said);
    fsr_node again[2] = {fsr_exp(x), fsr_exp(x)}, sum = fsr_sub(again[0], fsr_abs(again[1]));
    pair(again[0], again[1], FSR_PAIR_APART);
    check(&sum, 1, 1, "hint refused: exp (%1) apart from exp (%1)", "the two are one value");
}

/* ---- fused --------------------------------------------------------------------------------------------------- */

static void nothing_in_common(void **state) {
    (void)state;
    fsr_node maps[2] = {fsr_exp(plan_vector(g, 5000)), fsr_sin(plan_vector(g, 5000))};
    check(maps, 2, 2, NULL, NULL);
    pair(maps[1], maps[0], FSR_PAIR_FUSE);
    check(maps, 2, 1, "hint: exp (%1) fused with sin (%3)", NULL);
    fsr_node sums[2] = {fsr_sum(plan_vector(g, 500), NULL, 0, 0), fsr_max(plan_vector(g, 500), NULL, 0, 0)};
    check(sums, 2, 2, NULL, NULL);
    pair(sums[0], sums[1], FSR_PAIR_FUSE);
    check(sums, 2, 1, "hint: sum (%1) fused with max (%3)", NULL);
    fsr_node both[2] = {fsr_exp(plan_vector(g, 900)), fsr_sum(plan_vector(g, 900), NULL, 0, 0)};
    check(both, 2, 2, NULL, NULL);
    pair(both[0], both[1], FSR_PAIR_FUSE);
    check(both, 2, 1, "hint: exp (%1) fused with sum (%3)", NULL);
}

/* Stored, because that costs less than to compute it for each row; a hint computes it there. */
static void whatever_it_costs(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, 900), s = fsr_sin(x), h = fsr_exp(s), e = fsr_tanh(h);
    fsr_node y = fsr_add(e, plan_matrix(g, 2000, 900));
    check_on(&target_cpu, &y, 1, (plan_knobs){0}, 2, NULL, NULL);
    pair(e, y, FSR_PAIR_FUSE);
    pair(h, y, FSR_PAIR_FUSE);
    pair(s, y, FSR_PAIR_FUSE);
    check_on(&target_cpu, &y, 1, (plan_knobs){0}, 1, "hint: tanh (%3) fused with add (%6)", NULL);
}

/* ---- refused ------------------------------------------------------------------------------------------------- */

static void other_domains(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, 500, 300), out[2] = {fsr_sum(x, &axis1, 1, 0), fsr_sum(x, &axis0, 1, 0)};
    pair(out[0], out[1], FSR_PAIR_FUSE);
    check(out, 2, 2, "hint refused: sum (%1) fused with sum (%2)", "the folds have different domains");
    fsr_node maps[2] = {fsr_exp(plan_vector(g, 500)), fsr_exp(plan_vector(g, 400))};
    pair(maps[0], maps[1], FSR_PAIR_FUSE);
    check(maps, 2, 2, "hint refused: exp (%1) fused with exp (%3)", "the two have different elements");
}

/* The scan needs the first sum complete, and the last sum the scan. */
static void a_cycle(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, 500, 300), s = fsr_sum(x, &axis1, 1, 0), t = fsr_cumsum(s, (int[]){0}, 1, 0);
    fsr_node u = fsr_sum(fsr_mul(x, fsr_expand(t, 1)), &axis1, 1, 0);
    pair(s, u, FSR_PAIR_FUSE);
    check(&u, 1, 3, "hint refused: sum (%1) fused with sum (%6)", "another kernel has to run between the two");
}

static void a_library_call(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, 40, 300), e = fsr_exp(x), s = fsr_sort(e, &axis1, 1, 0);
    pair(e, s, FSR_PAIR_FUSE);
    fsr_program p = plan_of(&target_gpu, &s, 1);
    const bool said = strstr(p.explanation, "hint refused: exp (%1) fused with ") &&
                      strstr(p.explanation, ": a library call is a thunk of its own\n");
    fsr_program_clear(&p);
    assert_true(said);
}

static void other_hints(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, 5000), e = fsr_hint_set(fsr_exp(x), FSR_HINT_MATERIALIZE), y = fsr_add(e, x);
    pair(e, y, FSR_PAIR_FUSE);
    check(&y, 1, 2, "hint refused: exp (%1) fused with add (%2)", "a hint asks to store the value");
    fsr_hint_set(e, FSR_HINT_NONE);
    check_on(&target_gpu, &y, 1, (plan_knobs){.unfused = true}, 2, "hint refused: exp (%1) fused with add (%2)",
             "nothing more is fused in this plan");
    fsr_node gone = fsr_mul(fsr_exp(x), fsr_int(g, 1)), z = fsr_neg(fsr_sub(x, fsr_int(g, 0)));
    fsr_node less = fsr_sub(x, fsr_int(g, 0));
    fsr_node w = fsr_add(fsr_add(gone, z), less);
    pair(less, w, FSR_PAIR_FUSE);
    fsr_program p = plan_of(&target_gpu, &w, 1);
    const bool said = strstr(p.explanation, ": nothing is left that computes one of them\n") != NULL;
    fsr_program_clear(&p);
    assert_true(said);
}

/* ---- where they are said ------------------------------------------------------------------------------------- */

static void scale_row(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    fsr_node e = fsr_exp(in[0]);
    out[0] = fsr_mul(e, fsr_add(e, in[0]));
    assert_int_equal(fsr_hint_pair(e, out[0], FSR_PAIR_APART), FSR_OK);
}

static void turn(fsr_node *next, const fsr_node *last, const fsr_node *in, void *user) {
    (void)user, (void)in;
    fsr_node e = fsr_exp(last[0]);
    next[0] = fsr_mul(e, fsr_add(e, last[0]));
    assert_int_equal(fsr_hint_pair(e, next[0], FSR_PAIR_APART), FSR_OK);
}

static void in_bodies(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, 300, 40), y, z;
    fsr_vectorize(&y, 1, &x, 1, "(n)->(n)", scale_row, NULL);
    check(&y, 1, 2, "hint: exp (%1) apart from mul (%3)", NULL);
    fsr_fori_loop(&z, &x, 1, fsr_int(g, 3), turn, NULL);
    fsr_program p = plan_of(&target_gpu, &z, 1);
    const bool said = strstr(p.explanation, "hint: exp (%1) apart from mul (%3)") != NULL;
    if (!said)
        print_error("%s\n", p.explanation);
    fsr_program_clear(&p);
    assert_true(said);
}

static void hint_thrice(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    fsr_node e = fsr_exp(in[0]), m = fsr_mul(e, in[0]), a = fsr_sub(m, e);
    out[0] = fsr_add(fsr_div(a, m), e);
    assert_int_equal(fsr_hint_pair(e, m, FSR_PAIR_APART), FSR_OK);
    assert_int_equal(fsr_hint_pair(m, a, FSR_PAIR_APART), FSR_OK);
    assert_int_equal(fsr_hint_pair(a, out[0], FSR_PAIR_APART), FSR_OK);
}

/* Those of a body are copied within the list of one graph, of which the ones that stand for nothing go meanwhile. */
static void in_bodies_of_a_full_list(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, 300, 40), y;
    assert_int_equal(fsr_scope_begin(g), FSR_OK);
    for (int i = 0; i < 5; i++)
        assert_int_equal(fsr_hint_pair(fsr_exp(x), fsr_sin(x), FSR_PAIR_APART), FSR_OK);
    assert_int_equal(fsr_scope_end(g, NULL, 0), FSR_OK);
    fsr_vectorize(&y, 1, &x, 1, "(n)->(n)", hint_thrice, NULL);
    fsr_program p = plan_of(&target_gpu, &y, 1);
    int hints = 0;
    for (const char *at = p.explanation; (at = strstr(at, "hint: ")) != NULL; at++)
        hints++;
    fsr_program_clear(&p);
    assert_int_equal(hints, 3);
}

static void refused_at_once(void **state) {
    (void)state;
    fsr_graph_owner *another;
    fsr_graph *other = node_graph(&another);
    fsr_node x = plan_vector(g, 500), e = fsr_exp(x), s = fsr_sin(x);
    fsr_node elsewhere = fsr_exp(plan_vector(other, 500));
    assert_int_equal(fsr_hint_pair(e, (fsr_node){0}, FSR_PAIR_FUSE), FSR_ERR_NULL);
    assert_int_equal(fsr_hint_pair(e, e, FSR_PAIR_FUSE), FSR_ERR_VALUE);
    assert_int_equal(fsr_hint_pair(e, x, FSR_PAIR_APART), FSR_ERR_VALUE);
    assert_int_equal(fsr_hint_pair(fsr_float(g, 2), e, FSR_PAIR_FUSE), FSR_ERR_VALUE);
    assert_int_equal(fsr_hint_pair(fsr_param(g, "p", FSR_F32, 2), e, FSR_PAIR_FUSE), FSR_ERR_VALUE);
    assert_int_equal(fsr_hint_pair(e, elsewhere, FSR_PAIR_FUSE), FSR_ERR_GRAPH);
    assert_int_equal(fsr_hint_pair(e, s, (fsr_pair_hint)7), FSR_ERR_VALUE);
    assert_int_equal(fsr_hint_pair(e, fsr_add(e, fsr_reshape(x, 1, SHAPE(3))), FSR_PAIR_FUSE), FSR_ERR_SHAPE);
    fsr_graph_free(other);
    assert_int_equal(fsr_hint_pair(elsewhere, e, FSR_PAIR_FUSE), FSR_ERR_STALE);
    check((fsr_node[]){e, s}, 2, 1, NULL, NULL);
    fsr_graph_owner_free(another);
}

/* What scopes drop takes its pairs along: a long loop is flat. */
static void scopes_drop_them(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, 500), kept = fsr_exp(x);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(fsr_scope_begin(g), FSR_OK);
        pair(kept, fsr_sin(x), FSR_PAIR_APART);
        assert_int_equal(fsr_scope_end(g, NULL, 0), FSR_OK);
    }
    assert_true(fsr_pair_count(g) <= 8);
    check(&kept, 1, 1, NULL, NULL);
}

/* Sums of x, so many, each apart from the next one; seconds that setting the hints and planning take, in a process that
 * others disturb: the least of three. */
static double seconds_of(int n, bool hinted, int *kernels) {
    double least = 1e9;
    fsr_node *out = malloc(sizeof *out * (size_t)n);
    for (int turn = 0; turn < 3; turn++) {
        assert_int_equal(fsr_scope_begin(g), FSR_OK);
        fsr_node x = fsr_input(g, "x", FSR_F32, 2, SHAPE(64, 64));
        for (int i = 0; i < n; i++)
            out[i] = fsr_sum(fsr_mul(x, fsr_float(g, i + 0.5)), i % 2 ? &axis1 : &axis0, 1, 0);
        const double begin = plan_seconds();
        for (int i = 0; hinted && i + 1 < n; i++)
            pair(out[i], out[i + 1], FSR_PAIR_APART);
        fsr_program p = plan_make(&target_cpu, out, n, (plan_knobs){0});
        const double took = plan_seconds() - begin;
        least = took < least ? took : least;
        *kernels = p.info.kernels;
        fsr_program_clear(&p);
        assert_int_equal(fsr_scope_end(g, NULL, 0), FSR_OK);
    }
    free(out);
    return least;
}

/* Two thousand pairs cost what their nodes cost, not what each costs beside all others: nineteen times the plan. */
static void many_pairs(void **state) {
    (void)state;
    int plain, hinted;
    const double without = seconds_of(2000, false, &plain), with = seconds_of(2000, true, &hinted);
    print_message("2,000 sums: %.3f s in %d kernels, with hints %.3f s in %d\n", without, plain, with, hinted);
    assert_true(with < 6 * without);
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(a_map_and_what_uses_it),
        T(two_results),
        T(two_folds),
        T(one_value),
        T(nothing_in_common),
        T(whatever_it_costs),
        T(other_domains),
        T(a_cycle),
        T(a_library_call),
        T(other_hints),
        T(in_bodies),
        T(refused_at_once),
        T(scopes_drop_them),
        T(in_bodies_of_a_full_list),
        T(many_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

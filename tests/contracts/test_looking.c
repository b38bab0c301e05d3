/* SPDX-License-Identifier: MIT */
/* Looking inside: explanations, graphs and pictures in memory, the lines that recorded a kernel, refusals that are
 * alike, and what a plan takes and gives. */
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef fsr_status to_file(const fsr_node *outs, int n, FILE *to);
typedef fsr_status to_text(const fsr_node *outs, int n, char *text, size_t size, size_t *length);

static const struct form {
    to_file *file;
    to_text *text;
} forms[] = {{fsr_explain, fsr_explain_text}, {fsr_print, fsr_print_text}, {fsr_dot, fsr_dot_text}};

static char *written(to_file *write, const fsr_node *outs, int n) {
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    assert_non_null(to);
    OK(write(outs, n, to));
    assert_int_equal(fclose(to), 0);
    return text;
}

static char *explanation(fsr_node x) {
    return written(fsr_explain, &x, 1);
}

static fsr_node softmax(void) {
    fsr_node x = fsr_input(subject_g, "x", FSR_F32, 2, SHAPE(40, 50));
    fsr_node e = fsr_exp(fsr_sub(x, fsr_max(x, AXES(1), 1, FSR_KEEPDIMS)));
    return fsr_div(e, fsr_sum(e, AXES(1), 1, FSR_KEEPDIMS));
}

/* Every room from none to more than enough; the bytes behind it stay. */
static void texts_in_memory(void **state) {
    (void)state;
    fsr_node s = softmax();
    for (int i = 0; i < COUNT_OF(forms); i++) {
        char *whole = written(forms[i].file, &s, 1);
        const size_t n = strlen(whole);
        size_t length = 0;
        OK(forms[i].text(&s, 1, NULL, 0, &length));
        assert_int_equal(length, n);
        const size_t room[] = {0, 1, 2, n - 1, n, n + 1, n + 9};
        for (int k = 0; k < COUNT_OF(room); k++) {
            char *text = malloc(n + 16);
            memset(text, '#', n + 16);
            const fsr_status status = forms[i].text(&s, 1, text, room[k], k % 2 ? &length : NULL);
            assert_int_equal(status, room[k] > n ? FSR_OK : FSR_ERR_BYTES);
            const size_t part = room[k] > n ? n : room[k] ? room[k] - 1 : 0;
            assert_memory_equal(text, whole, part);
            assert_int_equal(text[part], room[k] ? 0 : '#');
            assert_int_equal(text[part + 1], '#');
            assert_int_equal(length, n);
            free(text);
        }
        assert_non_null(strstr(fsr_error(subject_ctx), "there is room for "));
        free(whole);
    }
}

static void texts_of_mistakes(void **state) {
    (void)state;
    fsr_node s = softmax(), bad = fsr_add(s, fsr_arange(subject_g, FSR_F32, 3));
    for (int i = 0; i < COUNT_OF(forms); i++) {
        char text[8] = "unset";
        size_t length = 9;
        assert_int_equal(forms[i].text(&s, 1, NULL, 5, NULL), FSR_ERR_NULL);
        assert_int_equal(forms[i].text(NULL, 1, text, sizeof text, &length), FSR_ERR_NULL);
        assert_string_equal(text, "");
        assert_int_equal(length, 0);
    }
    char text[8] = "unset";
    assert_int_equal(fsr_explain_text(&bad, 1, text, sizeof text, NULL), FSR_ERR_SHAPE);
    assert_string_equal(text, "");
}

/* A kernel says the lines that recorded it, runs of lines as one, and an edge that is not fused both of its lines. */
static void recorded_lines(void **state) {
    (void)state;
    char expected[160];
    fsr_node x = fsr_input(subject_g, "x", FSR_F32, 2, SHAPE(40, 50));
    const int first = __LINE__ + 1;
    fsr_node y = fsr_mul(x, x);
    fsr_node z = fsr_exp(y);

    fsr_node w = fsr_sum(fsr_sqrt(z), AXES(1), 1, 0);
    char *text = explanation(w);
    snprintf(expected, sizeof expected, "    recorded at: %s:%d-%d, %d\n", __FILE__, first, first + 1, first + 3);
    assert_non_null(strstr(text, expected));
    free(text);

    const int sum = __LINE__ + 1;
    fsr_node s = fsr_sum(x, AXES(1), 1, FSR_KEEPDIMS);
    fsr_node m = fsr_max(fsr_mul(x, s), AXES(0), 1, 0);
    text = explanation(m);
    snprintf(expected, sizeof expected, "into max (%%4): the folds have different domains [%s:%d into %d]\n", __FILE__,
             sum, sum + 1);
    assert_non_null(strstr(text, expected));
    free(text);
}

/* The same program recorded at another line is the same plan. */
static void lines_are_no_identity(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F32, 1, SHAPE(777), SUBJECT_SMALL, 0);
    OK(fsr_force(fsr_exp(fsr_neg(x))));
    const fsr_stats before = subject_stats();
    OK(fsr_force(fsr_exp(fsr_neg(x))));
    const fsr_stats after = subject_stats();
    assert_int_equal(after.plans_built, before.plans_built);
    assert_int_equal(after.plan_hits, before.plan_hits + 1);
}

/* Forty refusals in the same words are one line with their number. */
static void refusals_alike(void **state) {
    (void)state;
    enum { STEPS = 40 };
    fsr_node x = subject_data(FSR_F32, 2, SHAPE(50, 50), SUBJECT_SMALL, 0);
    for (int i = 0; i < STEPS; i++)
        x = fsr_sub(x, fsr_sum(x, AXES(i % 2), 1, FSR_KEEPDIMS));
    char *text = explanation(x);
    int lines = 0, edges = 0;
    for (const char *at = text; (at = strstr(at, "not fused: ")); at++) {
        const char *like = strstr(at, ", and "), *end = strchr(at, '\n');
        lines++;
        edges += 1 + (like && like < end ? atoi(like + 6) : 0);
    }
    assert_in_range(lines, 1, 6);
    assert_in_range(edges, STEPS - 2, 100 * STEPS);
    free(text);
}

/* A body of many steps: told in full by print, by its size in a picture. */
static void long_body(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    (void)user;
    out[0] = fsr_add(left[0], right[0]);
    for (int i = 0; i < 50; i++)
        out[0] = fsr_maximum(out[0], fsr_mul(left[0], right[0]));
}

static void pictures_stay_small(void **state) {
    (void)state;
    const fsr_operator op = {.body = long_body, .arity = 1, .identity = {0}, .commutative = true};
    fsr_node x = fsr_input(subject_g, "x", FSR_F32, 1, SHAPE(100)), y;
    fsr_reduce_with(&y, &x, &op, NULL, 0, 0);
    char *dot = written(fsr_dot, &y, 1), *print = written(fsr_print, &y, 1);
    assert_non_null(strstr(print, "t50 = "));
    assert_null(strstr(dot, "t50 = "));
    assert_non_null(strstr(dot, "{1 value, "));
    assert_true(strlen(dot) < 1000);
    free(dot);
    free(print);
}

static void same_value(const fsr_plan_value *v, const char *name, fsr_dtype dtype, int ndim, int64_t first,
                       int64_t bytes) {
    if (name)
        assert_string_equal(v->name, name);
    else
        assert_null(v->name);
    assert_int_equal(v->dtype, dtype);
    assert_int_equal(v->ndim, ndim);
    assert_true(ndim == 0 || v->shape[0] == first);
    assert_int_equal(v->bytes, bytes);
}

/* Named inputs before parameters, one name once; the graph is gone. */
static void plans_tell(void **state) {
    (void)state;
    fsr_graph *g = fsr_graph_new(subject_ctx);
    fsr_node a = fsr_input(g, "a", FSR_F32, 2, SHAPE(3, 4)), again = fsr_input(g, "a", FSR_F32, 2, SHAPE(3, 4));
    fsr_node b = fsr_input(g, "b", FSR_I16, 1, SHAPE(4)), k = fsr_param(g, "k", FSR_F64, 2);
    fsr_node own = fsr_from_host(g, FSR_F32, 1, SHAPE(4), (float[]){1, 2, 3, 4});
    fsr_node y = fsr_add(fsr_mul(fsr_add(a, again), own), fsr_mul(b, k)), n = fsr_argmax(y, AXES(1), 1, 0);
    fsr_plan *plan;
    fsr_plan_value v;
    OK(fsr_compile((fsr_node[]){y, n}, 2, &plan));
    fsr_graph_free(g);
    assert_int_equal(fsr_plan_input_count(plan), 3);
    assert_int_equal(fsr_plan_output_count(plan), 2);
    bool seen[3] = {false};
    for (int i = 0; i < 3; i++) {
        OK(fsr_plan_input(plan, i, &v));
        const int which = v.name[0] == 'a' ? 0 : v.name[0] == 'b' ? 1 : 2;
        assert_int_equal(v.parameter, which == 2);
        assert_true(which != 2 || i == 2);
        same_value(&v, (const char *[]){"a", "b", "k"}[which],
                   which == 0   ? FSR_F32
                   : which == 1 ? FSR_I16
                                : FSR_F64,
                   2 - which, which == 0 ? 3 : 4, which == 0 ? 48 : 8);
        seen[which] = true;
    }
    assert_true(seen[0] && seen[1] && seen[2]);
    OK(fsr_plan_output(plan, 0, &v));
    same_value(&v, NULL, FSR_F64, 2, 3, 96);
    OK(fsr_plan_output(plan, 1, &v));
    same_value(&v, NULL, FSR_I64, 1, 3, 24);
    assert_int_equal(fsr_plan_input(plan, 3, &v), FSR_ERR_VALUE);
    assert_string_equal(fsr_error(subject_ctx), "plan_input: number 3 of a plan that has 3");
    assert_int_equal(fsr_plan_output(plan, -1, &v), FSR_ERR_VALUE);
    assert_int_equal(fsr_plan_output(plan, 0, NULL), FSR_ERR_NULL);
    assert_int_equal(fsr_plan_input(NULL, 0, &v), FSR_ERR_NULL);
    assert_int_equal(fsr_plan_input_count(NULL) + fsr_plan_output_count(NULL), 0);
    fsr_plan_free(plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SUBJECT_TEST(texts_in_memory), SUBJECT_TEST(texts_of_mistakes),
        SUBJECT_TEST(recorded_lines),  SUBJECT_TEST(lines_are_no_identity),
        SUBJECT_TEST(refusals_alike),  SUBJECT_TEST(pictures_stay_small),
        SUBJECT_TEST(plans_tell),
    };
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}

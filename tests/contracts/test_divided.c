/* SPDX-License-Identifier: MIT */
/* Kernels that are divided into parts of their elements give the bits of the unfused program, and leave nothing
 * unwritten. */
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 60, COLS = 140 };
static fsr_node x;

static int setup(void **state) {
    static float data[ROWS * COLS];
    if (subject_setup(state))
        return 1;
    for (int i = 0; i < ROWS * COLS; ++i)
        data[i] = (float)(i % 1009) / 64 - 7;
    x = fsr_from_host(subject_g, FSR_F32, 2, SHAPE(ROWS, COLS), data);
    return fsr_node_status(x) != FSR_OK;
}

static fsr_node expr(const char *text, fsr_node y) {
    return fsr_expr(subject_g, text, (fsr_name[]){{"x", x}, {"y", y}}, 2);
}

/* Fused and unfused, bit by bit, and each operation against the reference. On a CPU the plan is divided, or one point
 * does all places of a short dimension (fusion/coarsen.c). */
static void expect(const fsr_node *outs, int n, const char *what) {
    char *words = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&words, &size);
    assert_non_null(to);
    OK(fsr_explain(outs, n, to));
    assert_int_equal(fclose(to), 0);
    if (SUBJECT_BACKEND != FSR_BACKEND_CUDA && !strstr(words, "part: some of the elements") &&
        !strstr(words, "of short dimensions are a point of the domain"))
        fail_msg("%s: not divided\n%s", what, words);
    free(words);
    subject_verify(outs, n, NULL, "%s", what);
}

/* A polynomial in y, whose coefficients depend on `which`. */
static fsr_node polynomial(fsr_node y, int which, int terms) {
    fsr_node sum = y;
    for (int i = 0; i < terms; ++i)
        sum = fsr_add(fsr_mul(sum, fsr_float(subject_g, 0.125 * (which + 1))), fsr_float(subject_g, i - which));
    return sum;
}

/* Planes of a stack, each with its own work, some of it of neighbours that meet at the ends. */
static void stacks(void **state) {
    (void)state;
    fsr_node plane[8];
    for (int i = 0; i < 8; ++i)
        plane[i] = polynomial(i % 3 ? expr("roll(x, 1, 1) + x", x) : x, i, 20);
    plane[5] = expr("roll(y, -3, 0)", plane[4]);
    fsr_node y = fsr_stack(plane, 8, 0), outs[] = {y, expr("sin(y) + 1", y)};
    expect(outs, 2, "a stack and a map of it");
}

/* Elements that alternate along the innermost dimension. */
static void alternating(void **state) {
    (void)state;
    fsr_node y[] = {polynomial(expr("exp(sin(x[:, ::2]))", x), 0, 20), polynomial(expr("x[:, 1::2]", x), 1, 20)};
    fsr_node out = fsr_exp(fsr_neg(fsr_reshape(fsr_stack(y, 2, 2), 2, SHAPE(ROWS, COLS))));
    expect(&out, 1, "columns that alternate");
}

/* Along both of two dimensions; and an element's place in the whole. */
static void alternating_twice(void **state) {
    (void)state;
    fsr_node a = expr("x[::2, ::2]", x), b = expr("x[1::2, 1::2]", x);
    fsr_node upper[] = {polynomial(a, 0, 9), polynomial(b, 1, 12)}, lower[] = {polynomial(b, 2, 12), a};
    fsr_node rows[] = {fsr_stack(upper, 2, 2), fsr_stack(lower, 2, 2)}, y = fsr_stack(rows, 2, 1);
    fsr_node out = fsr_add(fsr_cbrt(y), fsr_expand(fsr_arange(subject_g, FSR_F32, COLS / 2), 1));
    expect(&out, 1, "places that alternate in two dimensions");
}

/* Sections whose extents differ, the last of them one element wide, and one with steps. */
static void pieces(void **state) {
    (void)state;
    fsr_node piece[5];
    for (int i = 0; i < 5; ++i) {
        fsr_node part = fsr_slice(x, 1, i, i + (i == 4 ? 1 : COLS - 30 * i), 1);
        piece[i] = polynomial(part, i, 45);
    }
    fsr_node y = fsr_concat(piece, 5, 1), half = fsr_slice(y, 1, 0, fsr_node_dim(y, 1), 3);
    fsr_node out = fsr_update(y, half, polynomial(half, 7, 20));
    expect(&out, 1, "pieces of a row");
}

/* Enough elements for a thread of a GPU to do both of what is stacked, with what they share. */
static void places(void **state) {
    (void)state;
    enum { MANY = 1 << 19 };
    fsr_node i = fsr_div(fsr_cast(fsr_arange(subject_g, FSR_I32, MANY), FSR_F32), fsr_float(subject_g, MANY / 8));
    fsr_node shared = fsr_exp(fsr_sin(i)), y[] = {polynomial(shared, 0, 5), fsr_roll(shared, SHAPE(-1), AXES(0), 1)};
    fsr_node out = fsr_stack(y, 2, 1);
    char *words = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&words, &size);
    assert_non_null(to);
    OK(fsr_explain(&out, 1, to));
    assert_int_equal(fclose(to), 0);
    if (SUBJECT_BACKEND == FSR_BACKEND_CUDA && !strstr(words, "places: 2 of short dimensions"))
        fail_msg("a thread has one place\n%s", words);
    free(words);
    subject_verify(&out, 1, NULL, "what is stacked along the last dimension");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, subject_teardown)
static const struct CMUnitTest tests[] = {
    TEST(stacks), TEST(alternating), TEST(alternating_twice), TEST(pieces), TEST(places),
};
SUBJECT_MAIN(tests)

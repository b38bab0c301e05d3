/* SPDX-License-Identifier: MIT */
/* Products of matrices in the reference, as builders record them (sums of products) and as the call that a plan makes
 * of them. A library may keep a product unrounded: what overflows when it is rounded is then no infinity, and its sum
 * with another is anything; an infinity of the input is one in every order. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "primitives/parse.h"
#include "runtime/reference.h"

enum { SIDE = 2, CELLS = SIDE * SIDE };

/* Two matrices of SIDE rows and columns. */
typedef struct factors {
    const void *a, *b;
} factors;

static fsr_status fetch(void *user, const fsr_rec *leaf, int output, void *dst, int64_t bytes) {
    const factors *f = user;
    (void)output;
    memcpy(dst, leaf->name[0] == 'a' ? f->a : f->b, (size_t)bytes);
    return FSR_OK;
}

/* The matrix product in C order, as a sum of products or as a library's call. */
static fsr_node record(fsr_graph *g, fsr_dtype dtype, bool call) {
    static const char *const rest = "(2,2,2, 0,0,2, 0,0,2, 2, 1,1,1,1,1, 0,0,0,0,0, 0,0,0,0,0, 0,0,0,0,0)";
    const char *type = fsr_dtype_name(dtype);
    fsr_parse_error error;
    fsr_node out;
    char text[400];
    int n;
    if (!call)
        return fsr_matmul(fsr_input(g, "a", dtype, 2, (int64_t[]){SIDE, SIDE}),
                          fsr_input(g, "b", dtype, 2, (int64_t[]){SIDE, SIDE}));
    snprintf(
        text, sizeof text,
        "%%0 = input %s[2,2] \"a\"\n%%1 = input %s[2,2] \"b\"\n%%2 = library %s[2,2] %%0, %%1 matmul%s\nreturn %%2\n",
        type, type, type, rest);
    if (fsr_graph_parse(g, text, &out, 1, &n, &error))
        fail_msg("%d:%d: %s\n%s", error.line, error.column, error.message, text);
    return out;
}

static fsr_ref_array product(fsr_graph *g, fsr_dtype dtype, bool call, const void *a, const void *b) {
    const fsr_node x = record(g, dtype, call);
    factors f = {.a = a, .b = b};
    fsr_ref_array out;
    fsr_fault fault = {FSR_OK, NULL};
    assert_string_equal(fsr_node_error(x), "");
    assert_int_equal(fsr_reference_run(g, &(fsr_ref){x.id, x.output}, 1, fetch, &f, &out, &fault), FSR_OK);
    return out;
}

/* Whether a backend may answer so: the only element that is asked for is the first. */
static bool accepts(const fsr_ref_array *want, const float *got) {
    fsr_verify_report report = {0};
    return fsr_ref_compare(want, got, &report);
}

typedef struct row {
    float a[CELLS], b[CELLS];
    bool unknown; /* of the first element of the product; else it is `known` */
    float known;
} row;

static void overflows(void **state) {
    static const float inf = INFINITY, big = 0x1p100f;
    const row rows[] = {
        {{big, big, 0, 0}, {big, 0, -big, 0}, true, 0}, /* inf - inf; in one rounding 0, inf or -inf */
        {{big, big, 0, 0}, {big, 0, big, 0}, true, 0},  /* both infinite: not asked to be known */
        {{big, inf, 0, 0}, {-big, 0, 1, 0}, true, 0},   /* inf - 2^200: NaN where the product is rounded */
        {{1, inf, 0, 0}, {2, 0, 1, 0}, false, inf},     /* an infinity that is given */
        {{1, -inf, 0, 0}, {2, 0, 1, 0}, false, -inf},
        {{inf, inf, 0, 0}, {1, 0, -1, 0}, false, NAN},  /* two */
        {{big, inf, 0, 0}, {big, 0, 0, 0}, false, NAN}, /* infinity times 0, whatever else overflows */
        {{NAN, big, 0, 0}, {1, 0, big, 0}, false, NAN},
        {{3, 4, 0, 0}, {5, 0, -6, 0}, false, -9}, /* whole numbers are exact in any order */
    };
    (void)state;
    fsr_graph_owner *owner = fsr_graph_owner_new(NULL, NULL);
    fsr_graph *g = fsr_graph_create(owner);
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        const row *r = &rows[i / 2];
        fsr_ref_array got = product(g, FSR_F32, i % 2, r->a, r->b);
        const double first = fsr_value_to_double(FSR_F32, got.center[0]);
        const bool same = first == (double)r->known || (isnan(first) && isnan(r->known));
        if (r->unknown ? !isinf(got.bound[0]) : got.bound[0] != 0 || !same)
            fail_msg("row %d, %s: %g +- %g", (int)i / 2, i % 2 ? "call" : "sum", first, got.bound[0]);
        fsr_ref_array_free(&got);
    }
    fsr_graph_owner_free(owner);
}

/* 0.1f * 10.f rounds to 1, and is 1.0000000149 before: less 1 it is not 0 for certain. */
static void unrounded(void **state) {
    const float a[CELLS] = {0.1f, 1}, b[CELLS] = {10, 0, -1, 0};
    const float fused[CELLS] = {fmaf(a[0], b[0], a[1] * b[2])}, wrong[CELLS] = {1e-6f};
    (void)state;
    fsr_graph_owner *owner = fsr_graph_owner_new(NULL, NULL);
    fsr_graph *g = fsr_graph_create(owner);
    assert_true(fused[0] > 0);
    for (int call = 0; call < 2; call++) {
        fsr_ref_array want = product(g, FSR_F32, call, a, b);
        assert_true(accepts(&want, fused) && !accepts(&want, wrong));
        fsr_ref_array_free(&want);
    }
    fsr_graph_owner_free(owner);
}

/* Infinite parts of complex numbers: a library multiplies parts, Annex G puts right what that gives. */
static void complex_infinities(void **state) {
    const fsr_c64 a[CELLS] = {{INFINITY, 0}, {0, 0}}, b[CELLS] = {{1, 0}, {0, 0}, {1, 0}, {0, 0}};
    const fsr_c64 small[CELLS] = {{1, 2}, {3, 4}};
    (void)state;
    fsr_graph_owner *owner = fsr_graph_owner_new(NULL, NULL);
    fsr_graph *g = fsr_graph_create(owner);
    for (int call = 0; call < 2; call++) {
        fsr_ref_array got = product(g, FSR_C64, call, a, b);
        assert_true(isinf(got.bound[0]));
        fsr_ref_array_free(&got);
        got = product(g, FSR_C64, call, small, b);
        const fsr_c128 sum = fsr_value_to_complex(FSR_C64, got.center[0]);
        assert_true(got.bound[0] == 0 && sum.re == 4 && sum.im == 6);
        fsr_ref_array_free(&got);
    }
    fsr_graph_owner_free(owner);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overflows),
        cmocka_unit_test(unrounded),
        cmocka_unit_test(complex_infinities),
    };
    return cmocka_run_group_tests_name("products in the reference", tests, NULL, NULL);
}

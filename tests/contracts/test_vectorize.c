/* SPDX-License-Identifier: MIT */
/* Row functions over arrays of higher rank: bit for bit what the same calls on whole arrays give. */
#include "tests/support/recurrence.h"
#include "tests/support/subject.h"
#include <stdlib.h>
#include <string.h>

/* Both computed, with the same dtype, shape and bytes. */
static void same(int line, fsr_node a, fsr_node b) {
    if (fsr_node_status(a) || fsr_node_status(b))
        fail_msg("line %d: %s%s", line, fsr_node_error(a), fsr_node_error(b));
    assert_int_equal(fsr_node_dtype(a), fsr_node_dtype(b));
    assert_int_equal(fsr_node_ndim(a), fsr_node_ndim(b));
    for (int i = 0; i < fsr_node_ndim(a); i++)
        if (fsr_node_dim(a, i) != fsr_node_dim(b, i))
            fail_msg("line %d: dimension %d is %lld, not %lld", line, i, (long long)fsr_node_dim(a, i),
                     (long long)fsr_node_dim(b, i));
    void *x = subject_read(a), *y = subject_read(b);
    if (memcmp(x, y, (size_t)fsr_node_bytes(a)) != 0)
        fail_msg("line %d: other values", line);
    free(x);
    free(y);
    subject_count("row functions", 1);
}
#define SAME(a, b) same(__LINE__, a, b)

static fsr_node data(int ndim, const int64_t *shape, int stream) {
    return subject_data(FSR_F32, ndim, shape, SUBJECT_SMALL, stream);
}

static fsr_node rows1(const char *signature, fsr_row_fn body, void *user, fsr_node x) {
    fsr_node out;
    fsr_vectorize(&out, 1, &x, 1, signature, body, user);
    return out;
}

static fsr_node rows2(const char *signature, fsr_row_fn body, fsr_node x, fsr_node y) {
    fsr_node out;
    fsr_vectorize(&out, 1, (fsr_node[]){x, y}, 2, signature, body, NULL);
    return out;
}

static void dot(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_sum(fsr_mul(in[0], in[1]), NULL, 0, 0);
}

static void softmax(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    fsr_node e = fsr_exp(fsr_sub(in[0], fsr_max(in[0], NULL, 0, 0)));
    out[0] = fsr_div(e, fsr_sum(e, NULL, 0, 0));
}

static fsr_node batch_softmax(fsr_node x) {
    fsr_node e = fsr_exp(fsr_sub(x, fsr_max(x, AXES(-1), 1, FSR_KEEPDIMS)));
    return fsr_div(e, fsr_sum(e, AXES(-1), 1, FSR_KEEPDIMS));
}

static void of_leading_dimensions(void **state) {
    (void)state;
    fsr_node x = data(3, SHAPE(4, 5, 33), 0), y = data(2, SHAPE(5, 33), 1), z = data(3, SHAPE(4, 1, 33), 2);
    SAME(rows2("(n),(n)->()", dot, x, y), fsr_sum(fsr_mul(x, y), AXES(2), 1, 0));
    SAME(rows2(" ( n ) , (n) -> ( ) ", dot, y, z), fsr_sum(fsr_mul(y, z), AXES(2), 1, 0));
    SAME(rows2("(33),(33)->()", dot, x, z), fsr_sum(fsr_mul(x, z), AXES(2), 1, 0));
    SAME(rows1("(n)->(n)", softmax, NULL, x), batch_softmax(x));
    fsr_node flat = fsr_reshape(y, 1, SHAPE(-1));
    SAME(rows1("(m,n)->(m,n)", softmax, NULL, y), fsr_reshape(batch_softmax(flat), 2, SHAPE(5, 33)));
    fsr_node none = data(3, SHAPE(4, 0, 33), 0), empty = data(2, SHAPE(4, 0), 0);
    SAME(rows1("(n)->(n)", softmax, NULL, none), none);
    SAME(rows2("(n),(n)->()", dot, empty, empty), fsr_full(subject_g, FSR_F32, 1, SHAPE(4), 0));
}

static void matrix_vector(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_sum(fsr_mul(in[0], in[1]), AXES(1), 1, 0);
}

static void scaled(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_fma(in[0], in[1], fsr_float(in[0].graph, 0.5));
}

static void of_several_cores(void **state) {
    (void)state;
    fsr_node a = data(4, SHAPE(2, 3, 4, 7), 0), v = data(2, SHAPE(3, 7), 1), s = data(2, SHAPE(2, 3), 2);
    fsr_node wide = fsr_expand(v, 1);
    SAME(rows2("(m,n),(n)->(m)", matrix_vector, a, v), fsr_sum(fsr_mul(a, wide), AXES(3), 1, 0));
    SAME(rows2("(n),()->(n)", scaled, v, s), fsr_fma(v, fsr_expand(s, 2), fsr_float(subject_g, 0.5)));
    fsr_node three = fsr_full(subject_g, FSR_F32, 0, NULL, 3);
    SAME(rows2("(),()->()", scaled, s, three), fsr_fma(s, three, fsr_float(subject_g, 0.5)));
}

/* Every kind of view, scans from both ends, counting, positions. */
static void views(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    fsr_node x = in[0], flipped = fsr_flip(fsr_transpose(x, NULL), 0);
    fsr_node steps = fsr_slice(fsr_cumsum(x, AXES(0), 1, 0), 1, 1, FSR_SLICE_END, 2);
    out[0] = fsr_sub(flipped, fsr_broadcast_to(fsr_slice(flipped, 0, 0, 1, 1), 2, SHAPE(6, 4)));
    out[1] = fsr_reshape(fsr_cumprod(steps, AXES(-1), 1, FSR_REVERSE), 1, SHAPE(12));
    out[2] = fsr_add(fsr_argmax(x, AXES(1), 1, 0), fsr_arange(x.graph, FSR_I64, 4));
    out[3] = fsr_argmin(x, NULL, 0, 0);
}

static void every_kind_of_node(void **state) {
    (void)state;
    fsr_node x = data(3, SHAPE(3, 4, 6), 0), out[4];
    fsr_vectorize(out, 4, &x, 1, "(m,n)->(n,m),(k),(m),()", views, NULL);
    fsr_node flipped = fsr_flip(fsr_transpose(x, AXES(0, 2, 1)), 1);
    SAME(out[0], fsr_sub(flipped, fsr_slice(flipped, 1, 0, 1, 1)));
    fsr_node steps = fsr_slice(fsr_cumsum(x, AXES(1), 1, 0), 2, 1, FSR_SLICE_END, 2);
    SAME(out[1], fsr_reshape(fsr_cumprod(steps, AXES(2), 1, FSR_REVERSE), 2, SHAPE(3, 12)));
    SAME(out[2], fsr_add(fsr_argmax(x, AXES(2), 1, 0), fsr_arange(subject_g, FSR_I64, 4)));
    SAME(out[3], fsr_argmin(fsr_reshape(x, 2, SHAPE(3, 24)), AXES(1), 1, 0));
}

/* Slice assignment, concatenation, rolling: pastes. */
static fsr_node patched(fsr_node x, int axis) {
    fsr_node view = fsr_slice(x, axis, 1, FSR_SLICE_END, 2), part = fsr_flip(fsr_exp(view), axis);
    fsr_node y = fsr_concat((fsr_node[]){fsr_update(x, view, part), fsr_neg(view)}, 2, axis);
    return fsr_roll(y, SHAPE(2), &axis, 1);
}

static void patched_row(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = patched(in[0], 0);
    out[1] = patched(in[0], 1);
}

static void of_pastes(void **state) {
    (void)state;
    fsr_node x = data(4, SHAPE(2, 3, 4, 5), 0), out[2];
    fsr_vectorize(out, 2, &x, 1, "(m,n)->(k,n),(m,l)", patched_row, NULL);
    SAME(out[0], patched(x, 2));
    SAME(out[1], patched(x, 3));
}

static void moments(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_std(in[0], NULL, 0, 0, 1);
    out[1] = fsr_logsumexp(in[0], AXES(0), 1, FSR_KEEPDIMS);
    out[2] = fsr_mean(in[0], NULL, 0, 0);
}

static void of_compositions(void **state) {
    (void)state;
    fsr_node x = data(2, SHAPE(7, 65), 0), out[3];
    fsr_vectorize(out, 3, &x, 1, "(n)->(),(1),()", moments, NULL);
    SAME(out[0], fsr_std(x, AXES(1), 1, 0, 1));
    SAME(out[1], fsr_logsumexp(x, AXES(1), 1, FSR_KEEPDIMS));
    SAME(out[2], fsr_mean(x, AXES(1), 1, 0));
}

/* A user's operator, whose second result alone goes on, along the last axis or, of the whole array, axis 1. */
static fsr_node recurrence(fsr_node a, fsr_node b, int axis) {
    fsr_node out[2];
    fsr_scan_with(out, (fsr_node[]){a, b}, &linear_recurrence, AXES(axis), 1, FSR_REVERSE);
    return out[1];
}

static void recurrence_row(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = recurrence(in[0], in[1], 0);
}

static void of_operators(void **state) {
    (void)state;
    fsr_node a = fsr_mul(data(2, SHAPE(5, 40), 0), fsr_float(subject_g, 0.25)), b = data(2, SHAPE(5, 40), 1), pair[2];
    SAME(rows2("(n),(n)->(n)", recurrence_row, a, b), recurrence(a, b, 1));
    fsr_scan_with(pair, (fsr_node[]){a, b}, &linear_recurrence, AXES(1), 1, 0);
    SAME(rows1("(n)->(n)", softmax, NULL, pair[1]), batch_softmax(pair[1]));
}

/* What needs no argument is the same for every row: arrays from outside, parameters, what is made in the body. */
static void centered(fsr_node *out, const fsr_node *in, void *user) {
    const fsr_node *outside = user;
    fsr_graph *g = in[0].graph;
    fsr_node weight = fsr_from_host(g, FSR_F32, 1, SHAPE(3), (float[]){1, 2, 3});
    out[0] = fsr_mul(fsr_sub(in[0], outside[0]), fsr_mul(weight, outside[1]));
    out[1] = fsr_cumsum(weight, AXES(0), 1, 0);
    out[2] = fsr_float(g, 2.5);
    out[3] = in[0];
}

static void of_what_is_the_same_for_every_row(void **state) {
    (void)state;
    fsr_node x = data(3, SHAPE(2, 5, 3), 0), out[4];
    fsr_node outside[2] = {data(1, SHAPE(3), 1), fsr_param(subject_g, "p", FSR_F32, 4)};
    fsr_vectorize(out, 4, &x, 1, "(n)->(n),(n),(),(n)", centered, outside);
    fsr_node weight = fsr_from_host(subject_g, FSR_F32, 1, SHAPE(3), (float[]){1, 2, 3});
    SAME(out[0], fsr_mul(fsr_sub(x, outside[0]), fsr_mul(weight, outside[1])));
    SAME(out[1], fsr_broadcast_to(fsr_cumsum(weight, AXES(0), 1, 0), 3, SHAPE(2, 5, 3)));
    SAME(out[2], fsr_full(subject_g, FSR_F64, 2, SHAPE(2, 5), 2.5));
    SAME(out[3], x);
}

/* A row function of rows of rows, which uses the outer one's argument too. */
static void inner(fsr_node *out, const fsr_node *in, void *user) {
    out[0] = fsr_sub(in[0], fsr_max(*(const fsr_node *)user, NULL, 0, 0));
}
static void outer(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    fsr_node x = in[0];
    fsr_vectorize(out, 1, &x, 1, "(n)->(n)", inner, &x);
}

static void in_each_other(void **state) {
    (void)state;
    fsr_node x = data(3, SHAPE(3, 4, 5), 0);
    SAME(rows1("(m,n)->(m,n)", outer, NULL, x), fsr_sub(x, fsr_max(x, AXES(1, 2), 2, FSR_KEEPDIMS)));
}

/* Scopes that the body leaves open are ended, and nothing but the results is left. */
static void careless(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    fsr_scope_begin(in[0].graph);
    fsr_node unused = fsr_exp(in[0]);
    (void)unused;
    fsr_scope_begin(in[0].graph);
    out[0] = fsr_neg(in[0]);
}

static void leaves_nothing_behind(void **state) {
    (void)state;
    fsr_node x = data(2, SHAPE(3, 4), 0);
    int64_t before = subject_stats().nodes;
    fsr_node y = rows1("(n)->(n)", careless, NULL, x);
    assert_int_equal(subject_stats().nodes, before + 1);
    SAME(y, fsr_neg(x));
    assert_int_equal(fsr_scope_end(subject_g, NULL, 0), FSR_ERR_SCOPE);
}

/* Of nodes in two scopes that the body leaves open, the second needs the first. */
static void more_careless(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    fsr_scope_begin(in[0].graph);
    fsr_node y = fsr_exp(in[0]);
    for (int i = 0; i < 300; i++)
        y = fsr_add(y, in[0]);
    fsr_scope_begin(in[0].graph);
    out[0] = fsr_neg(y);
}

static void scopes_within_the_body(void **state) {
    (void)state;
    fsr_node x = data(2, SHAPE(3, 4), 0), y = fsr_exp(x);
    for (int i = 0; i < 300; i++)
        y = fsr_add(y, x);
    SAME(rows1("(n)->(n)", more_careless, NULL, x), fsr_neg(y));
}

/* Each row's selected elements at its front. */
static void positive(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    fsr_node zero = fsr_float(in[0].graph, 0), mask = fsr_greater(in[0], zero);
    out[0] = fsr_exp(fsr_filter(fsr_neg(in[0]), mask, zero));
    out[1] = fsr_sum(fsr_filter(in[0], mask, zero), NULL, 0, 0);
}

/* Sixteenths, which add up exactly: the rows of an array may be summed in another order than a row alone is, as they
 * are on a GPU. */
static void filters(void **state) {
    (void)state;
    fsr_node sixteen = fsr_float(subject_g, 16);
    static const int64_t shapes[][2] = {{4, 7}, {1, 9}, {5, 1}, {3, 40}, {0, 4}, {3, 0}};
    for (int s = 0; s < COUNT_OF(shapes); s++) {
        int64_t rows = shapes[s][0];
        fsr_node x = fsr_div(fsr_round(fsr_mul(data(2, shapes[s], s), sixteen)), sixteen);
        fsr_node out[2], want[2][5], row[1];
        fsr_vectorize(out, 2, &x, 1, "(n)->(n),()", positive, NULL);
        if (!rows || !shapes[s][1]) {
            subject_verify(out, 2, NULL, "filters of no rows");
            continue;
        }
        for (int64_t i = 0; i < rows; i++) {
            fsr_node both[2];
            row[0] = fsr_squeeze(fsr_slice(x, 0, i, i + 1, 1), 0);
            positive(both, row, NULL);
            want[0][i] = both[0];
            want[1][i] = both[1];
        }
        SAME(out[0], fsr_stack(want[0], (int)rows, 0));
        SAME(out[1], fsr_stack(want[1], (int)rows, 0));
    }
}

/* What needs an argument cannot be computed in the body; the rest can. */
static void impatient(fsr_node *out, const fsr_node *in, void *user) {
    fsr_node y = fsr_neg(in[0]), two = fsr_exp(fsr_float(in[0].graph, 2));
    subject_error(user, fsr_compute(&y, 1), FSR_ERR_UNBOUND, "an input has no data");
    subject_error(user, fsr_compute(in, 1), FSR_ERR_UNBOUND, "an input has no data");
    OK(fsr_compute(&two, 1));
    out[0] = fsr_mul(y, fsr_cast(two, FSR_F32));
}

static void computing_in_the_body(void **state) {
    (void)state;
    fsr_node x = data(2, SHAPE(3, 4), 0);
    SAME(rows1("(n)->(n)", impatient, subject_ctx, x),
         fsr_mul(fsr_neg(x), fsr_cast(fsr_exp(fsr_float(subject_g, 2)), FSR_F32)));
    fsr_config config = subject_config();
    config.backend = FSR_BACKEND_REFERENCE;
    fsr_context *ctx = subject_open(&config);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node y = rows1("(n)->(n)", impatient, ctx, fsr_from_host(g, FSR_F32, 1, SHAPE(1), (float[]){3}));
    assert_int_equal(fsr_node_status(y), FSR_OK);
    fsr_close(ctx);
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(of_leading_dimensions),
    SUBJECT_TEST(of_several_cores),
    SUBJECT_TEST(every_kind_of_node),
    SUBJECT_TEST(of_pastes),
    SUBJECT_TEST(of_compositions),
    SUBJECT_TEST(of_operators),
    SUBJECT_TEST(of_what_is_the_same_for_every_row),
    SUBJECT_TEST(in_each_other),
    SUBJECT_TEST(leaves_nothing_behind),
    SUBJECT_TEST(scopes_within_the_body),
    SUBJECT_TEST(filters),
    SUBJECT_TEST(computing_in_the_body),
};
SUBJECT_MAIN(tests)

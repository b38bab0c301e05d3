/* SPDX-License-Identifier: MIT */
/* The graph room: stamps, shells, scopes' memory, threads, verify, print. */
#include "graph/print.h"
#include "graph/scope.h"
#include "tests/support/nodes.h"
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
    fsr_graph_owner *owner;
    fsr_graph *g;
    int live;
} fixture;

static int setup(void **state) {
    fixture *f = calloc(1, sizeof *f);
    f->g = node_graph(&f->owner);
    *state = f;
    return f->g ? 0 : -1;
}

static int teardown(void **state) {
    fixture *f = *state;
    fsr_graph_owner_free(f->owner);
    int live = f->live;
    free(f);
    return live;
}

static void check_verify(const fsr_graph *g) {
    char why[200];
    if (fsr_graph_verify(g, why, sizeof why))
        fail_msg("%s", why);
}

static void null_handle(void **state) {
    (void)state;
    fsr_node x = {0};
    assert_int_equal(fsr_node_status(x), FSR_ERR_NULL);
    assert_string_equal(fsr_node_error(x), "");
    assert_int_equal(fsr_node_dtype(x), FSR_DTYPE_COUNT);
    assert_int_equal(fsr_node_ndim(x), -1);
    assert_int_equal(fsr_node_dim(x, 0), -1);
    assert_int_equal(fsr_node_size(x), -1);
    assert_int_equal(fsr_node_bytes(x), -1);
}

static void queries(void **state) {
    fixture *f = *state;
    fsr_node x = INPUT(f->g, FSR_F64, 3, 4);
    assert_int_equal(fsr_node_status(x), FSR_OK);
    assert_int_equal(fsr_node_dtype(x), FSR_F64);
    assert_int_equal(fsr_node_ndim(x), 2);
    assert_int_equal(fsr_node_dim(x, 1), 4);
    assert_int_equal(fsr_node_dim(x, -2), 3);
    assert_int_equal(fsr_node_dim(x, 2), -1);
    assert_int_equal(fsr_node_dim(x, -3), -1);
    assert_int_equal(fsr_node_size(x), 12);
    assert_int_equal(fsr_node_bytes(x), 96);
    x.output = 1;
    assert_int_equal(fsr_node_status(x), FSR_ERR_STALE);
}

static void reused_slot_has_new_stamp(void **state) {
    fixture *f = *state;
    assert_int_equal(fsr_scope_begin(f->g), FSR_OK);
    fsr_node old = fsr_int(f->g, 1);
    assert_int_equal(fsr_scope_end(f->g, NULL, 0), FSR_OK);
    fsr_node young = fsr_int(f->g, 2);
    assert_int_equal(old.id, young.id);
    assert_int_equal(fsr_node_status(old), FSR_ERR_STALE);
    assert_int_equal(fsr_node_status(young), FSR_OK);
    assert_null(fsr_node_rec(old));
}

static void freed_graph_is_seen(void **state) {
    fixture *f = *state;
    fsr_graph *g = fsr_graph_create(f->owner);
    fsr_node x = node_data(g, FSR_F32, 1, SHAPE(5), &f->live);
    assert_int_equal(f->live, 1);
    fsr_graph_free(g);
    assert_int_equal(f->live, 0);
    assert_int_equal(fsr_node_status(x), FSR_ERR_STALE);
    assert_int_equal(fsr_scope_begin(g), FSR_ERR_STALE);
    assert_int_equal(fsr_scope_end(g, NULL, 0), FSR_ERR_STALE);
    assert_false(fsr_graph_alive(g));
    assert_null(fsr_neg(x).graph);
    assert_null(fsr_int(g, 1).graph);
    assert_null(fsr_input(g, "x", FSR_F32, 0, NULL).graph);
    fsr_graph_free(g);
    fsr_graph_free(NULL);
}

static void many_graphs(void **state) {
    fixture *f = *state;
    fsr_node first = {0};
    for (int i = 0; i < 1000; i++) {
        fsr_graph *g = fsr_graph_create(f->owner);
        fsr_node x = fsr_int(g, i);
        if (i == 0)
            first = x;
        assert_int_equal(fsr_node_status(x), FSR_OK);
        assert_int_equal(fsr_graph_owner_nodes(f->owner), 1);
        fsr_graph_free(g);
    }
    assert_int_equal(fsr_node_status(first), FSR_ERR_STALE);
    assert_int_equal(fsr_graph_owner_nodes(f->owner), 0);
}

static void owner_frees_graphs(void **state) {
    fixture *f = *state;
    fsr_graph_owner *owner = fsr_graph_owner_new(f, NULL);
    for (int i = 0; i < 3; i++) {
        fsr_graph *g = fsr_graph_create(owner);
        assert_ptr_equal(fsr_graph_context(g), f);
        node_data(g, FSR_F32, 1, SHAPE(5), &f->live);
    }
    assert_int_equal(fsr_graph_owner_nodes(owner), 3);
    assert_int_equal(f->live, 3);
    fsr_graph_owner_free(owner);
    assert_int_equal(f->live, 0);
    fsr_graph_owner_free(NULL);
}

static void buffers_are_counted(void **state) {
    fixture *f = *state;
    fsr_buffer *b = node_buffer(4, &f->live);
    assert_ptr_equal(fsr_buffer_ref(b), b);
    fsr_buffer_unref(b);
    assert_int_equal(f->live, 1);
    fsr_buffer_unref(b);
    assert_int_equal(f->live, 0);
    fsr_buffer_unref(NULL);
    assert_null(fsr_buffer_ref(NULL));
}

/* The loop of build.h: one array is carried from step to step. */
static void million_steps_are_flat(void **state) {
    fixture *f = *state;
    fsr_node x = node_data(f->g, FSR_F32, 1, SHAPE(5), &f->live);
    fsr_node one = fsr_param(f->g, "dt", FSR_F32, 1);
    fsr_scope_begin(f->g);
    for (int i = 0; i < 1000000; i++) {
        fsr_node y = fsr_mul(fsr_add(x, one), fsr_float(f->g, 0.5));
        node_force(y, &f->live);
        assert_int_equal(fsr_scope_keep(f->g, &y, 1), FSR_OK);
        x = y;
    }
    assert_int_equal(fsr_scope_end(f->g, &x, 1), FSR_OK);
    assert_int_equal(fsr_node_status(x), FSR_OK);
    assert_int_equal(fsr_graph_rec(f->g, x.id)->kind, FSR_NODE_DATA);
    assert_true(fsr_graph_slots(f->g) < 64);
    assert_int_equal(f->live, 2); /* the first x was recorded outside: it stays */
    assert_int_equal(fsr_graph_live(f->g), 3);
    check_verify(f->g);
}

static void long_chain_is_kept_and_printed(void **state) {
    fixture *f = *state;
    fsr_scope_begin(f->g);
    fsr_node x = fsr_input(f->g, "x", FSR_F32, 0, NULL), first = x;
    for (int i = 0; i < 300000; i++)
        x = fsr_neg(x);
    assert_int_equal(fsr_scope_end(f->g, &x, 1), FSR_OK);
    assert_int_equal(fsr_graph_live(f->g), 300001);
    assert_int_equal(fsr_node_status(first), FSR_OK);
    char *text = node_text(x);
    assert_non_null(strstr(text, "%300000 = neg f32[] %299999\nreturn %300000\n"));
    free(text);
    check_verify(f->g);
}

typedef struct worker {
    pthread_t thread;
    fsr_graph_owner *owner;
    int wrong;
} worker;

static void *work(void *argument) {
    worker *w = argument;
    for (int i = 0; i < 300; i++) {
        fsr_graph *g = fsr_graph_create(w->owner);
        fsr_node x = fsr_input(g, "x", FSR_F32, 1, SHAPE(8));
        for (int k = 0; k < 20; k++)
            x = fsr_add(x, fsr_float(g, k));
        w->wrong += fsr_node_status(x) != FSR_OK || fsr_graph_owner_nodes(w->owner) < 81;
        if (i % 3)
            fsr_graph_free(g);
    }
    return NULL;
}

static void threads_share_an_owner(void **state) {
    fixture *f = *state;
    worker w[4];
    for (int i = 0; i < 4; i++) {
        w[i] = (worker){.owner = f->owner};
        assert_int_equal(pthread_create(&w[i].thread, NULL, work, &w[i]), 0);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(w[i].thread, NULL);
    for (int i = 0; i < 4; i++)
        assert_int_equal(w[i].wrong, 0);
    assert_int_equal(fsr_graph_owner_nodes(f->owner), 4 * 100 * 81);
}

static void *count_down(void *buffer) {
    for (int i = 0; i < 10000; i++)
        fsr_buffer_unref(buffer);
    return NULL;
}

static void threads_share_a_buffer(void **state) {
    fixture *f = *state;
    fsr_buffer *b = node_buffer(4, &f->live);
    pthread_t thread[4];
    for (int i = 0; i < 40000; i++)
        fsr_buffer_ref(b);
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, count_down, b);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(f->live, 1);
    fsr_buffer_unref(b);
    assert_int_equal(f->live, 0);
}

static void shapes(void **state) {
    (void)state;
    assert_int_equal(fsr_shape_size(&(fsr_shape){0}), 1);
    assert_int_equal(fsr_shape_size(&(fsr_shape){2, {3, 4}}), 12);
    assert_int_equal(fsr_shape_size(&(fsr_shape){2, {3, 0}}), 0);
    assert_int_equal(fsr_shape_size(&(fsr_shape){1, {INT64_MAX - 1}}), INT64_MAX - 1);
    assert_int_equal(fsr_shape_size(&(fsr_shape){1, {INT64_MAX}}), -1);
    assert_int_equal(fsr_shape_size(&(fsr_shape){2, {INT64_MAX, 2}}), -1);
    assert_int_equal(fsr_shape_size(&(fsr_shape){2, {3, -1}}), -1);
    assert_int_equal(fsr_shape_size(&(fsr_shape){3, {1LL << 40, 1LL << 40, 0}}), -1);
    int64_t strides[3];
    fsr_shape_strides(&(fsr_shape){3, {2, 3, 4}}, strides);
    assert_int_equal(strides[0], 12);
    assert_int_equal(strides[1], 4);
    assert_int_equal(strides[2], 1);
    char words[16];
    assert_string_equal(fsr_describe(words, sizeof words, FSR_F32, &(fsr_shape){2, {3, 4}}), "f32[3,4]");
    assert_string_equal(fsr_describe(words, sizeof words, FSR_BOOL, &(fsr_shape){0}), "bool[]");
    assert_string_equal(fsr_describe(words, 7, FSR_F32, &(fsr_shape){2, {3, 4}}), "f32[3,");
}

static void text_form(void **state) {
    fixture *f = *state;
    fsr_node x = fsr_input(f->g, "x", FSR_F32, 2, SHAPE(4, 5));
    fsr_node y = fsr_sum(fsr_mul(x, fsr_float(f->g, 2)), AXES(1), 1, 0);
    fsr_hint_set(y, FSR_HINT_MATERIALIZE);
    char *text = node_text(y);
    assert_string_equal(text, "%0 = input f32[4,5] \"x\"\n"
                              "%1 = const f32[] 2\n"
                              "%2 = view f32[4,5] %1 affine []\n"
                              "%3 = mul f32[4,5] %0, %2\n"
                              "%4 = reduce f32[4,1] %3 axes=1 op=add\n"
                              "%5 = view f32[4] %4 affine [d0, 0] hint=materialize\n"
                              "return %5\n");
    free(text);
}

static void text_of_views_and_leaves(void **state) {
    fixture *f = *state;
    fsr_node x = node_data(f->g, FSR_I32, 2, SHAPE(4, 6), &f->live);
    fsr_node s = fsr_slice(fsr_flip(x, 0), 1, 1, FSR_SLICE_END, 2);
    fsr_node z = fsr_cumsum(fsr_reshape(s, 1, SHAPE(12)), AXES(0), 1, FSR_EXCLUSIVE);
    fsr_node w = fsr_add(z, fsr_cast(fsr_mul(fsr_param(f->g, "p", FSR_F64, 0.1), fsr_float(f->g, -INFINITY)), FSR_I64));
    char *text = node_text(w);
    assert_string_equal(text, "%0 = data i32[4,6]\n"
                              "%1 = view i32[4,6] %0 affine [3+-1*d0, d1]\n"
                              "%2 = view i32[4,3] %1 affine [d0, 1+2*d1]\n"
                              "%3 = view i32[12] %2 reshape\n"
                              "%4 = cast i64[12] %3\n"
                              "%5 = scan i64[12] %4 axis=0 exclusive op=add\n"
                              "%6 = param f64[] \"p\" 0.10000000000000001\n"
                              "%7 = const f64[] -inf\n"
                              "%8 = mul f64[] %6, %7\n"
                              "%9 = cast i64[] %8\n"
                              "%10 = view i64[12] %9 affine []\n"
                              "%11 = add i64[12] %5, %10\n"
                              "return %11\n");
    free(text);
}

static void text_of_a_tuple(void **state) {
    fixture *f = *state;
    fsr_node x = fsr_input(f->g, "x", FSR_I32, 1, SHAPE(7));
    char *text = node_text(fsr_argmax(x, NULL, 0, FSR_KEEPDIMS));
    assert_string_equal(text, "%0 = input i32[7] \"x\"\n"
                              "%1 = iota i64[7] axis=0\n"
                              "%2 = reduce (i32,i64)[1] %0, %1 axes=0 {commutative "
                              "identity=-2147483648,9223372036854775807; t0 = i32 left0; t1 = i32 right0; "
                              "t2 = bool greater.i32(t1, t0); t3 = bool equal.i32(t1, t0); t4 = i64 left1; t5 = i64 "
                              "right1; t6 = bool less.i64(t5, t4); t7 = bool logical_and.bool(t3, t6); t8 = bool "
                              "logical_or.bool(t2, t7); t9 = i32 where(t8, t1, t0); t10 = i64 where(t8, t5, t4); gives "
                              "t9, t10}\n"
                              "return %2.1\n");
    free(text);
}

static void computed_nodes_print_as_data(void **state) {
    fixture *f = *state;
    fsr_node y = fsr_neg(fsr_input(f->g, "x", FSR_F32, 0, NULL));
    node_force(y, &f->live);
    char *text = node_text(fsr_abs(y));
    assert_string_equal(text, "%0 = data f32[]\n%1 = abs f32[] %0\nreturn %1\n");
    free(text);
}

static void dot_escapes(void **state) {
    fixture *f = *state;
    fsr_node bad = fsr_poison(f->g, fsr_here("a\"b\\c.c", 3), FSR_ERR_VALUE, "op", "line\nbreak");
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    assert_int_equal(fsr_graph_dot(f->g, &(fsr_ref){bad.id, 0}, 1, to), FSR_OK);
    fclose(to);
    assert_string_equal(text, "digraph fusor {\n  node [fontname=monospace fontsize=10];\n"
                              "  n0 [shape=octagon label=\"%0 = poison FSR_ERR_VALUE "
                              "\\\"op: line\\\\nbreak (a\\\\\\\"b\\\\\\\\c.c:3)\\\"\"];\n"
                              "  out0 [shape=doublecircle label=\"0\"];\n  n0 -> out0;\n}\n");
    free(text);
}

static void dot_edges(void **state) {
    fixture *f = *state;
    fsr_node x = fsr_input(f->g, "x", FSR_F32, 1, SHAPE(3)), y = fsr_add(x, x);
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    fsr_graph_dot(f->g, &(fsr_ref){y.id, 0}, 1, to);
    fclose(to);
    assert_non_null(strstr(text, "n1 [shape=box label=\"%1 = add f32[3] %0, %0\"];\n  n0 -> n1;\n  n0 -> n1;\n"));
    free(text);
}

typedef void (*breaker)(fsr_graph *g, fsr_node map, fsr_node view, fsr_node fold);
static void break_shape(fsr_graph *g, fsr_node map, fsr_node view, fsr_node fold) {
    (void)g, (void)view, (void)fold;
    fsr_node_rec(map)->shape.dim[0] = 2;
}
static void break_dtype(fsr_graph *g, fsr_node map, fsr_node view, fsr_node fold) {
    (void)g, (void)view, (void)fold;
    fsr_node_rec(map)->dtype[0] = FSR_F64;
}
static void break_arity(fsr_graph *g, fsr_node map, fsr_node view, fsr_node fold) {
    (void)g, (void)view, (void)fold;
    fsr_node_rec(map)->nargs = 1;
}
static void break_order(fsr_graph *g, fsr_node map, fsr_node view, fsr_node fold) {
    (void)g, (void)view;
    fsr_node_rec(map)->arg[0].id = fold.id;
}
static void break_output(fsr_graph *g, fsr_node map, fsr_node view, fsr_node fold) {
    (void)g, (void)view, (void)fold;
    fsr_node_rec(map)->arg[0].output = 1;
}
static void break_view(fsr_graph *g, fsr_node map, fsr_node view, fsr_node fold) {
    (void)g, (void)map, (void)fold;
    fsr_node_rec(view)->view.start[0] = 1;
}
static void break_from(fsr_graph *g, fsr_node map, fsr_node view, fsr_node fold) {
    (void)g, (void)map, (void)fold;
    fsr_node_rec(view)->view.from[0] = 3;
}
static void break_axes(fsr_graph *g, fsr_node map, fsr_node view, fsr_node fold) {
    (void)g, (void)map, (void)view;
    fsr_node_rec(fold)->axes = 4;
}
static void break_fold(fsr_graph *g, fsr_node map, fsr_node view, fsr_node fold) {
    (void)g, (void)map, (void)view;
    fsr_node_rec(fold)->shape.dim[0] = 2;
}
static void break_combine(fsr_graph *g, fsr_node map, fsr_node view, fsr_node fold) {
    (void)g, (void)map, (void)view;
    fsr_node_rec(fold)->combine->body.arg[0] = FSR_F64;
}
static void break_mark(fsr_graph *g, fsr_node map, fsr_node view, fsr_node fold) {
    (void)g, (void)map, (void)view;
    fsr_node_rec(fold)->mark = true;
}

static void verify_sees_every_break(void **state) {
    fixture *f = *state;
    static const breaker breakers[] = {break_shape, break_dtype, break_arity, break_order,   break_output, break_view,
                                       break_from,  break_axes,  break_fold,  break_combine, break_mark};
    for (size_t i = 0; i < sizeof breakers / sizeof *breakers; i++) {
        fsr_graph *g = fsr_graph_create(f->owner);
        fsr_node x = INPUT(g, FSR_F32, 3), map = fsr_add(x, x), view = fsr_flip(x, 0);
        fsr_node fold = fsr_sum(x, NULL, 0, FSR_KEEPDIMS);
        check_verify(g);
        breakers[i](g, map, view, fold);
        char why[200] = "";
        if (fsr_graph_verify(g, why, sizeof why) != FSR_ERR_INTERNAL)
            fail_msg("break %zu was not seen", i);
        assert_non_null(strstr(why, "test_graph.c"));
        fsr_graph_free(g);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(null_handle),
        TEST(queries),
        TEST(reused_slot_has_new_stamp),
        TEST(freed_graph_is_seen),
        TEST(many_graphs),
        TEST(owner_frees_graphs),
        TEST(buffers_are_counted),
        TEST(million_steps_are_flat),
        TEST(long_chain_is_kept_and_printed),
        TEST(threads_share_an_owner),
        TEST(threads_share_a_buffer),
        TEST(shapes),
        TEST(text_form),
        TEST(text_of_views_and_leaves),
        TEST(text_of_a_tuple),
        TEST(computed_nodes_print_as_data),
        TEST(dot_escapes),
        TEST(dot_edges),
        TEST(verify_sees_every_break),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

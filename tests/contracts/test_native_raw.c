/* SPDX-License-Identifier: MIT */
/* Functions in C and CUDA of whole arrays: what they see of them, that they are called for elements that there are and
 * no others (the texts end the program where they are not), that nothing is written over what they read. */
#include "tests/support/subject.h"
#include <stdlib.h>
#include <string.h>

#define G subject_g
#define CALL(f, ...) fsr_call_native(f, ((fsr_node[]){__VA_ARGS__}), COUNT_OF(((fsr_node[]){__VA_ARGS__})))
#define TRAP_C "if (i < 0 || i >= t_size) __builtin_trap();\n"
#define TRAP_CUDA "if (i < 0 || i >= t_size) __trap();\n"

static const fsr_native at = {.name = "at",
                              .result = FSR_F32,
                              .parameters = "i64 i, raw f32 t",
                              .c = TRAP_C "return t[i];",
                              .cuda = TRAP_CUDA "return t[i];"};

static int kernels_of(const fsr_node *outs, int n) {
    fsr_plan_info info;
    OK(fsr_query(outs, n, &info));
    return info.kernels;
}

/* n - 1, n - 2 .. 0. */
static fsr_node backwards(int64_t n) {
    return fsr_flip(fsr_arange(G, FSR_I64, n), 0);
}

static fsr_node squares(int64_t n) {
    fsr_node x = fsr_arange(G, FSR_F32, n);
    return fsr_mul(x, x);
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

static void lengths(void **state) {
    (void)state;
    static const int64_t n[] = {1, 2, 3, 7, 31, 33, 127, 257, 1000, 4097, 100003};
    for (size_t k = 0; k < COUNT_OF(n); k++) {
        fsr_node t = subject_data(FSR_F32, 1, SHAPE(n[k]), SUBJECT_SMALL, 0), y = CALL(&at, backwards(n[k]), t);
        assert_int_equal(kernels_of(&y, 1), 1);
        float *in = subject_read(t), *out = subject_read(y);
        for (int64_t i = 0; i < n[k]; i++)
            assert_true(in[n[k] - 1 - i] == out[i]);
        free(in);
        free(out);
        assert_int_equal(subject_verify(&y, 1, NULL, "backwards"), 0);
    }
}

/* Each dtype as its elements lie in memory: bits of those of 16 bits. */
static void every_dtype(void **state) {
    (void)state;
    for (int d = 0; d < FSR_DTYPE_COUNT; d++) {
        const bool half = d == FSR_F16 || d == FSR_BF16;
        char parameters[48];
        const fsr_native f = {.name = "same",
                              .result = half ? FSR_U16 : (fsr_dtype)d,
                              .parameters = parameters,
                              .c = "return t[i];",
                              .cuda = "return t[i];"};
        snprintf(parameters, sizeof parameters, "i64 i, raw %s t", fsr_dtype_name((fsr_dtype)d));
        fsr_node t = subject_data((fsr_dtype)d, 1, SHAPE(40), SUBJECT_SPECIAL, 1);
        fsr_node y = CALL(&f, fsr_arange(G, FSR_I64, 40), t);
        void *in = subject_read(t), *out = subject_read(y);
        assert_memory_equal(in, out, 40 * fsr_dtype_size((fsr_dtype)d));
        free(in);
        free(out);
    }
}

/* Two arrays, their sizes, and values besides: a row of one times a column of the other. */
static void arrays_of_two_dimensions(void **state) {
    (void)state;
    static const char text[] = "f32 sum = 0;\nconst i64 k = a_size / rows, cols = b_size / k;\n"
                               "for (i64 j = 0; j < k; j++)\n    sum += a[r * k + j] * b[j * cols + c];\nreturn sum;";
    const fsr_native dot = {.name = "dot",
                            .result = FSR_F32,
                            .parameters = "i64 r, i64 c, i64 rows, raw f32 a, raw f32 b",
                            .c = text,
                            .cuda = text};
    fsr_node a = subject_data(FSR_F32, 2, SHAPE(17, 5), SUBJECT_SMALL, 0),
             b = subject_data(FSR_F32, 2, SHAPE(23, 5), SUBJECT_SMALL, 1);
    fsr_node r = fsr_reshape(fsr_arange(G, FSR_I64, 17), 2, SHAPE(17, 1)), c = fsr_arange(G, FSR_I64, 23);
    fsr_node y = CALL(&dot, r, c, fsr_int(G, 17), a, fsr_transpose(b, NULL)),
             want = fsr_matmul(a, fsr_transpose(b, NULL));
    float *out = subject_read(y), *matrix = subject_read(want);
    for (int i = 0; i < 17 * 23; i++)
        assert_true(out[i] - matrix[i] < 1e-3f && matrix[i] - out[i] < 1e-3f);
    free(out);
    free(matrix);
}

/* A view is in C order for the text, stored so where it is not; so is what is computed. */
static void views(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F32, 2, SHAPE(30, 40), SUBJECT_SMALL, 0);
    const struct {
        fsr_node t;
        int kernels;
    } row[] = {{x, 1},
               {fsr_reshape(x, 1, SHAPE(1200)), 1},
               {fsr_transpose(x, NULL), 2},
               {fsr_flip(x, 0), 2},
               {fsr_slice(x, 0, 4, 9, 1), 1},
               {fsr_slice(x, 1, 4, 9, 1), 2},
               {fsr_broadcast_to(fsr_slice(x, 0, 4, 5, 1), 2, SHAPE(3, 40)), 2},
               {fsr_exp(x), 2},
               {fsr_arange(G, FSR_F32, 9), 2},
               {fsr_full(G, FSR_F32, 1, SHAPE(1), 3), 2}};
    for (size_t k = 0; k < COUNT_OF(row); k++) {
        const int64_t n = fsr_node_size(row[k].t);
        fsr_node y = CALL(&at, fsr_arange(G, FSR_I64, n), row[k].t);
        assert_int_equal(kernels_of(&y, 1), row[k].kernels);
        float *in = subject_read(row[k].t), *out = subject_read(y);
        assert_memory_equal(in, out, (size_t)n * sizeof *in);
        free(in);
        free(out);
    }
}

static void nothing(void **state) {
    (void)state;
    const fsr_native count = {.name = "count",
                              .result = FSR_I64,
                              .parameters = "i64 i, raw f32 t",
                              .c = "return t_size + i;",
                              .cuda = "return t_size + i;"};
    fsr_node none = fsr_zeros(G, FSR_F32, 2, SHAPE(0, 5)), leaf = subject_data(FSR_F32, 1, SHAPE(0), SUBJECT_SMALL, 0);
    assert_true(subject_value(CALL(&count, fsr_arange(G, FSR_I64, 3), none), 2) == 2);
    assert_true(subject_value(CALL(&count, fsr_arange(G, FSR_I64, 3), leaf), 2) == 2);
    fsr_node y = CALL(&at, fsr_arange(G, FSR_I64, 0), none), rows = fsr_zeros(G, FSR_I64, 2, SHAPE(4, 0));
    assert_int_equal(fsr_node_size(y), 0);
    OK(fsr_compute(&y, 1));
    fsr_node sum = fsr_sum(CALL(&at, rows, leaf), AXES(1), 1, 0);
    assert_true(subject_value(sum, 3) == 0);
    sum = fsr_sum(CALL(&at, fsr_broadcast_to(fsr_int(G, 7), 2, SHAPE(4, 0)), leaf), AXES(1), 1, 0);
    assert_true(subject_value(sum, 3) == 0);
}

static void several_results(void **state) {
    (void)state;
    static const char text[] = "low = t[i];\nhigh = t[t_size - 1 - i];";
    const fsr_native ends = {.name = "ends", .parameters = "i64 i, raw f32 t", .c = text, .cuda = text};
    fsr_node out[2], t = squares(100);
    OK(fsr_compute(&t, 1));
    fsr_call_natives(out, 2, &ends, "f32 low, f64 high", (fsr_node[]){fsr_arange(G, FSR_I64, 100), t}, 2);
    assert_int_equal(kernels_of(out, 2), 1);
    assert_true(subject_value(out[0], 3) == 9 && subject_value(out[1], 3) == 96 * 96);
}

/* Results that one kernel gives are those of one run of the text for each element, be it folded, scanned or stored; one
 * that is asked for alone runs it by itself. The text counts, in the array; a context of one thread. */
static void several_results_of_one_run(void **state) {
    (void)state;
    enum { N = 3000 };
    static const char text[] = "high = x;\nfor (i64 k = 0; k < (i64)x; k++) high *= 1.5f;\nlow = -high;\n"
                               "++*(volatile i64 *)t;";
    const fsr_native both = {.name = "both", .parameters = "f32 x, raw i64 t", .c = text, .cuda = text};
    fsr_config config = subject_config();
    fsr_context *ctx;
    if (config.backend != FSR_BACKEND_CPU)
        skip(); /* threads of a GPU would count at once */
    config.threads = 1;
    OK(fsr_open(&config, &ctx));
    for (int form = 0; form < 4; form++) {
        fsr_graph *g = fsr_graph_new(ctx);
        fsr_node t = fsr_zeros(g, FSR_I64, 1, SHAPE(1)), out[2];
        fsr_node x = fsr_mod(fsr_arange(g, FSR_F32, N), fsr_float(g, 9));
        int64_t runs;
        OK(fsr_compute(&t, 1));
        fsr_call_natives(out, 2, &both, "f32 low, f64 high", (fsr_node[]){x, t}, 2);
        if (form == 1)
            for (int i = 0; i < 2; i++)
                out[i] = fsr_sum(fsr_exp(out[i]), NULL, 0, 0);
        if (form == 2)
            out[1] = fsr_cumsum(out[1], NULL, 0, 0);
        OK(fsr_compute(out, form == 3 ? 1 : 2));
        OK(fsr_read(t, &runs, sizeof runs));
        assert_int_equal(runs, N);
        fsr_graph_free(g);
    }
    fsr_close(ctx);
}

/* ---- where it is called ----------------------------------------------------------------------------------------- */

/* Folded along each axis, scanned, with work before and behind it: for the domain's own elements, whatever blocks,
 * tiles, lanes and strips there are. */
static void for_its_elements_alone(void **state) {
    (void)state;
    static const int64_t shape[][2] = {{1, 1},   {3, 5},    {1, 1000}, {1000, 1},  {33, 257},
                                       {257, 3}, {5, 4099}, {4099, 5}, {2, 70001}, {70001, 2}};
    for (size_t k = 0; k < COUNT_OF(shape); k++) {
        const int64_t rows = shape[k][0], cols = shape[k][1];
        fsr_node t = subject_data(FSR_F32, 2, shape[k], SUBJECT_SMALL, 0);
        fsr_node i = fsr_reshape(backwards(rows * cols), 2, shape[k]), y = CALL(&at, i, t);
        fsr_node turned = fsr_reshape(fsr_flip(fsr_reshape(t, 1, SHAPE(rows * cols)), 0), 2, shape[k]);
        fsr_node size = fsr_abs(y), twice = fsr_add(y, size), plain = fsr_add(turned, fsr_abs(turned));
        fsr_node got[] = {twice,
                          fsr_sum(twice, AXES(0), 1, 0),
                          fsr_sum(twice, AXES(1), 1, 0),
                          fsr_max(twice, NULL, 0, 0),
                          fsr_cumsum(y, AXES(1), 1, 0),
                          fsr_cumsum(y, AXES(0), 1, 0),
                          fsr_div(fsr_exp(y), fsr_sum(fsr_exp(y), AXES(1), 1, FSR_KEEPDIMS))};
        fsr_node want[] = {plain,
                           fsr_sum(plain, AXES(0), 1, 0),
                           fsr_sum(plain, AXES(1), 1, 0),
                           fsr_max(plain, NULL, 0, 0),
                           fsr_cumsum(turned, AXES(1), 1, 0),
                           fsr_cumsum(turned, AXES(0), 1, 0),
                           fsr_div(fsr_exp(turned), fsr_sum(fsr_exp(turned), AXES(1), 1, FSR_KEEPDIMS))};
        /* A sum down the columns of a few rows is quicker of stored values: 33 by 257 6.2 us for 7.9. So by price is
         * the largest of all of them in rows of 5. */
        OK(fsr_hint_pair(y, size, FSR_PAIR_FUSE));
        OK(fsr_hint_pair(y, twice, FSR_PAIR_FUSE));
        OK(fsr_hint_pair(size, twice, FSR_PAIR_FUSE));
        for (size_t o = 1; o < 4; o++)
            OK(fsr_hint_pair(twice, got[o], FSR_PAIR_FUSE));
        for (size_t o = 0; o < COUNT_OF(got); o++) {
            fsr_node same = fsr_allclose(got[o], want[o], 1e-4, 1e-4, false);
            assert_int_equal(subject_value(same, 0), 1);
        }
        for (size_t o = 0; o < 4; o++)
            assert_int_equal(kernels_of(&got[o], 1), 1);
    }
}

/* Beside what has other elements its values are stored first: under a guard an index may be anything. */
static void not_under_guards(void **state) {
    (void)state;
    fsr_node t = subject_data(FSR_F32, 1, SHAPE(50), SUBJECT_SMALL, 0), i = backwards(50);
    fsr_node index = subject_data(FSR_I64, 1, SHAPE(1000), SUBJECT_SPECIAL, 0);
    fsr_node few = fsr_mod(index, fsr_int(G, 50)), y = CALL(&at, i, t), z = CALL(&at, few, t), base = squares(1000);
    fsr_node out[] = {fsr_concat((fsr_node[]){y, squares(33), z}, 3, 0),
                      fsr_pad(z, (const int64_t[][2]){{5, 7}}, FSR_PAD_CONSTANT, 0),
                      fsr_roll(z, SHAPE(3), AXES(0), 1),
                      fsr_update(base, fsr_slice(base, 0, 20, 70, 1), y),
                      fsr_filter(z, fsr_greater(z, fsr_float(G, 0)), fsr_float(G, -1)),
                      fsr_sum(fsr_compress(fsr_greater(z, fsr_float(G, 0)), z), NULL, 0, 0)};
    OK(fsr_compute(out, COUNT_OF(out)));
    assert_int_equal(subject_verify(out, COUNT_OF(out), NULL, "guards"), 0);
}

/* What has been selected by its index is called for that alone. */
static void behind_a_filter(void **state) {
    (void)state;
    fsr_node t = squares(20), i = fsr_arange(G, FSR_I64, 500), inside = fsr_less(i, fsr_int(G, 20));
    OK(fsr_compute(&t, 1));
    fsr_node taken = fsr_filter(i, inside, fsr_int(G, 0)), y = CALL(&at, taken, t);
    assert_true(subject_value(y, 19) == 19 * 19 && subject_value(y, 20) == 0);
}

/* ---- what is read is not written -------------------------------------------------------------------------------- */

static void never_in_place(void **state) {
    (void)state;
    for (int64_t n = 100; n <= 100000; n *= 10) {
        fsr_node t = squares(n), y = fsr_add(CALL(&at, backwards(n), t), fsr_neg(t));
        float *out = subject_read(y);
        for (int64_t i = 0; i < n; i++) {
            const float a = (float)(n - 1 - i), b = (float)i;
            assert_true(out[i] == a * a - b * b);
        }
        free(out);
        t = fsr_sort(squares(n), NULL, 0, 0);
        fsr_node part =
            fsr_update(t, fsr_slice(t, 0, 0, n / 2, 1), CALL(&at, backwards(n / 2), fsr_add(t, fsr_float(G, 1))));
        out = subject_read(part);
        for (int64_t i = 0; i < n / 2; i++) {
            const float a = (float)(n / 2 - 1 - i);
            assert_true(out[i] == a * a + 1);
        }
        free(out);
    }
}

/* Step after step over two arrays of a plan, each read whole: a rotation of n by n - 1 is one by 1 back. */
static void in_turns(void **state) {
    (void)state;
    enum { N = 1000, TURNS = 9 };
    fsr_node x = subject_data(FSR_F32, 1, SHAPE(N), SUBJECT_SMALL, 0), y = x;
    fsr_node next = fsr_mod(fsr_add(fsr_arange(G, FSR_I64, N), fsr_int(G, 1)), fsr_int(G, N));
    for (int i = 0; i < TURNS; i++)
        y = fsr_add(CALL(&at, next, y), fsr_float(G, 1));
    float *in = subject_read(x), *out = subject_read(y);
    for (int i = 0; i < N; i++) {
        float want = in[(i + TURNS) % N];
        for (int k = 0; k < TURNS; k++)
            want += 1;
        assert_true(out[i] == want);
    }
    free(in);
    free(out);
}

/* ---- mistakes --------------------------------------------------------------------------------------------------- */

static void refused(const char *parameters, fsr_node i, fsr_node t, fsr_status status, const char *words) {
    const fsr_native f = {.name = "f", .result = FSR_F32, .parameters = parameters, .c = "return 0;"};
    fsr_node y = CALL(&f, i, t);
    assert_int_equal(fsr_compute(&y, 1), status);
    if (!strstr(fsr_error(subject_ctx), words))
        fail_msg("%s", fsr_error(subject_ctx));
}

static void mistakes(void **state) {
    (void)state;
    fsr_node i = fsr_arange(G, FSR_I64, 9), t = squares(9), some = fsr_compress(fsr_greater(t, fsr_float(G, 4)), t);
    refused("raw i64 i, raw f32 t", i, t, FSR_ERR_VALUE, "raw ones behind a value");
    refused("raw i64 i, f32 t", i, t, FSR_ERR_VALUE, "raw ones behind a value");
    refused("i64 i, rawf32 t", i, t, FSR_ERR_VALUE, "raw ones behind a value");
    refused("i64 i, raw f32 i", i, t, FSR_ERR_VALUE, "the parameter i is given twice");
    refused("i64 t_size, raw f32 t", i, t, FSR_ERR_VALUE, "the parameter t_size is the size of t, too");
    refused("i64 i, raw f32 t, raw i64 t_size", i, t, FSR_ERR_VALUE, "the parameter t_size is the size of t, too");
    refused("i64 i, raw f32 t, raw f32 u", i, t, FSR_ERR_VALUE, "it has 3 parameters, not 2");
    refused("i64 i, raw i32 t", i, t, FSR_ERR_DTYPE, "is not safely the parameter i32 t");
    refused("i64 i, raw f32 t", i, some, FSR_ERR_UNSUPPORTED, "a length that only the device knows");
    refused("f32 x, raw f32 t", some, t, FSR_ERR_UNSUPPORTED, "a length that only the device knows");
    fsr_node out[1];
    const fsr_native f = {.name = "f", .parameters = "i64 i", .c = "a = 0;"};
    fsr_call_natives(out, 1, &f, "f32 b, raw f32 a", &i, 1);
    assert_int_equal(fsr_compute(out, 1), FSR_ERR_VALUE);
}

/* A name that begins or ends like the size's is another one. */
static void names_like_a_size(void **state) {
    (void)state;
    static const char text[] = "return t[i] + t_sizes + size;";
    const fsr_native f = {.name = "f",
                          .result = FSR_F32,
                          .parameters = "i64 i, f32 t_sizes, f32 size, raw f32 t",
                          .c = text,
                          .cuda = text};
    fsr_node y = CALL(&f, fsr_arange(G, FSR_I64, 9), fsr_float(G, 1), fsr_float(G, 2), squares(9));
    assert_true(subject_value(y, 4) == 19);
}

static void results_with_taken_names(void **state) {
    (void)state;
    static const char *const row[] = {"i64 t_size", "f32 low, f64 t_size", "f32 low, f32 t", "f32 i"};
    fsr_node in[] = {fsr_arange(G, FSR_I64, 9), squares(9)}, out[2];
    const fsr_native f = {.name = "ends", .parameters = "i64 i, raw f32 t", .c = ";", .cuda = ";"};
    for (size_t k = 0; k < COUNT_OF(row); k++) {
        const int n = strchr(row[k], ',') ? 2 : 1;
        fsr_call_natives(out, n, &f, row[k], in, 2);
        for (int i = 0; i < n; i++) {
            assert_int_equal(fsr_node_status(out[i]), FSR_ERR_VALUE);
            assert_non_null(strstr(fsr_node_error(out[i]), "has the name of a parameter or of a whole array's size"));
        }
    }
}

static void of_its_own_row(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = CALL(&at, fsr_arange(G, FSR_I64, fsr_node_size(in[0])), in[0]);
}

/* There is no loop to speak of. */
static void array_of_each_row(void **state) {
    (void)state;
    fsr_node out, rows = subject_data(FSR_F32, 2, SHAPE(5, 7), SUBJECT_SMALL, 0);
    fsr_vectorize(&out, 1, &rows, 1, "(n)->(n)", of_its_own_row, NULL);
    assert_int_equal(fsr_node_status(out), FSR_ERR_UNSUPPORTED);
    assert_non_null(strstr(fsr_node_error(out),
                           "the function at in the row function takes a whole array that each row has its own of"));
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(lengths),
    SUBJECT_TEST(every_dtype),
    SUBJECT_TEST(arrays_of_two_dimensions),
    SUBJECT_TEST(views),
    SUBJECT_TEST(nothing),
    SUBJECT_TEST(several_results),
    SUBJECT_TEST(for_its_elements_alone),
    SUBJECT_TEST(not_under_guards),
    SUBJECT_TEST(behind_a_filter),
    SUBJECT_TEST(never_in_place),
    SUBJECT_TEST(in_turns),
    SUBJECT_TEST(mistakes),
    SUBJECT_TEST(names_like_a_size),
    SUBJECT_TEST(several_results_of_one_run),
    SUBJECT_TEST(results_with_taken_names),
    SUBJECT_TEST(array_of_each_row),
};
SUBJECT_MAIN(tests)

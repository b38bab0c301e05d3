/* SPDX-License-Identifier: MIT */
/* Functions in C and CUDA: values of every dtype, fusion, names, identity, what compilers say of them. */
#include "tests/support/subject.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define G subject_g
#define CALL(f, ...) fsr_call_native(f, ((fsr_node[]){__VA_ARGS__}), COUNT_OF(((fsr_node[]){__VA_ARGS__})))
#define BOTH(text) .c = text, .cuda = text

static bool on_gpu(void) {
    return SUBJECT_BACKEND == FSR_BACKEND_CUDA;
}

static const fsr_native wave = {
    .name = "wave", .result = FSR_F32, .parameters = "f32 x, f32 k", BOTH("return sinf(k * x) / (1.0f + x * x);")};

static const fsr_native collatz = {
    .name = "collatz",
    .result = FSR_I32,
    .parameters = "u64 n",
    BOTH("i32 k = 0;\nfor (; n > 1; k++)\n    n = n & 1 ? 3 * n + 1 : n / 2;\nreturn k;")};

/* ---- values ----------------------------------------------------------------------------------------- */

static void values(void **state) {
    (void)state;
    fsr_node steps = CALL(&collatz, fsr_arange(G, FSR_U64, 28));
    assert_true(subject_value(steps, 1) == 0 && subject_value(steps, 6) == 8 && subject_value(steps, 27) == 111);
    fsr_node x = subject_data(FSR_F32, 2, SHAPE(7, 33), SUBJECT_SMALL, 0);
    float *in = subject_read(x), *out = subject_read(CALL(&wave, x, fsr_int(G, 2)));
    for (int i = 0; i < 7 * 33; i++)
        assert_true(fabsf(out[i] - sinf(2 * in[i]) / (1 + in[i] * in[i])) <= 1e-6f);
    free(in);
    free(out);
    assert_int_equal(fsr_node_size(CALL(&wave, fsr_full(G, FSR_F32, 2, SHAPE(0, 3), 1), fsr_int(G, 2))), 0);
    assert_true(subject_value(CALL(&wave, fsr_float(G, 0), fsr_float(G, 1)), 0) == 0);
}

/* Each dtype as the parameter and the result: the identity, in bits but for NaN of 16 bits, which become f32 and
 * back. */
static void every_dtype(void **state) {
    (void)state;
    fsr_node in[FSR_DTYPE_COUNT], out[FSR_DTYPE_COUNT];
    for (int d = 0; d < FSR_DTYPE_COUNT; d++) {
        char parameters[32];
        const fsr_native same = {.name = "same", .result = (fsr_dtype)d, .parameters = parameters, BOTH("return x;")};
        snprintf(parameters, sizeof parameters, "%s x", fsr_dtype_name((fsr_dtype)d));
        in[d] = subject_data((fsr_dtype)d, 1, SHAPE(40), SUBJECT_SPECIAL, 1);
        out[d] = CALL(&same, in[d]);
        assert_int_equal(fsr_node_dtype(out[d]), d);
    }
    subject_verify(out, FSR_DTYPE_COUNT, NULL, "identity");
    for (int d = 0; d < FSR_DTYPE_COUNT; d++) {
        void *a = subject_read(in[d]), *b = subject_read(out[d]);
        if (d != FSR_F16 && d != FSR_BF16)
            assert_memory_equal(a, b, 40 * fsr_dtype_size((fsr_dtype)d));
        free(a);
        free(b);
    }
}

/* All operands that there may be, of dtypes that have other forms inside a kernel. */
static void many_operands(void **state) {
    (void)state;
    const fsr_native mix = {.name = "mix",
                            .result = FSR_F16,
                            .parameters = "f16 a, bf16 b, f16 c, bf16 d, bool e, c64 f, c128 g, i8 h",
                            BOTH("return e ? a + b * c - d : (f32)(f.re * f.im + g.re - g.im) + h;")};
    fsr_node arg[FSR_MAX_NATIVE], out[2];
    const fsr_dtype dtypes[] = {FSR_F16, FSR_BF16, FSR_F16, FSR_BF16, FSR_BOOL, FSR_C64, FSR_C128, FSR_I8};
    for (int i = 0; i < FSR_MAX_NATIVE; i++)
        arg[i] = subject_data(dtypes[i], 2, SHAPE(i % 3 ? 5 : 1, i % 2 ? 65 : 1), SUBJECT_SMALL, i);
    out[0] = fsr_call_native(&mix, arg, FSR_MAX_NATIVE);
    for (int i = 0; i < FSR_MAX_NATIVE; i++)
        arg[i] = i == 4 ? fsr_bool(G, false) : dtypes[i] == FSR_I8 ? fsr_int(G, 3) : fsr_float(G, i + 1);
    out[1] = fsr_call_native(&mix, arg, FSR_MAX_NATIVE);
    subject_verify(out, 2, NULL, "mix");
    assert_true(subject_value(out[1], 0) == 7 + 3);
}

/* Several results: each is right, alone and with the others, in one kernel; half-precision ones are rounded from
 * f32. */
static void several_results(void **state) {
    (void)state;
    const fsr_native odd = {.name = "odd",
                            .result = FSR_BOOL,
                            .parameters = "i32 n",
                            BOTH("bool b = n & 1;\nreturn b;"),
                            .c_preamble = "#include <stdbool.h>"};
    assert_true(subject_value(CALL(&odd, fsr_arange(G, FSR_I32, 4)), 3) == 1);
    const fsr_native polar = {.name = "polar",
                              .parameters = "f32 x, f32 y",
                              BOTH("r = sqrtf(x * x + y * y);\nangle = atan2f(y, x);\nupper = y >= 0;")};
    const char *const results = "f32 r, f16 angle, bool upper";
    fsr_node x = subject_data(FSR_F32, 1, SHAPE(500), SUBJECT_SMALL, 0),
             y = subject_data(FSR_F32, 1, SHAPE(500), SUBJECT_SMALL, 1), out[3];
    fsr_plan_info info;
    fsr_call_natives(out, 3, &polar, results, (fsr_node[]){x, y}, 2);
    assert_true(fsr_node_dtype(out[0]) == FSR_F32 && fsr_node_dtype(out[1]) == FSR_F16 &&
                fsr_node_dtype(out[2]) == FSR_BOOL);
    OK(fsr_query(out, 3, &info));
    assert_int_equal(info.kernels, 1);
    assert_int_equal(subject_verify(out, 3, NULL, "polar"), 0);
    fsr_node one = fsr_sum(out[2], NULL, 0, 0);
    fsr_node same = fsr_sum(fsr_greater_equal(y, fsr_float(G, 0)), NULL, 0, 0);
    assert_true(subject_value(one, 0) == subject_value(same, 0));
    const fsr_native bad = {.name = "bad", .parameters = "f32 x", BOTH("a = x;\nb = nothing_of_that_name;")};
    fsr_call_natives(out, 2, &bad, "f32 a, f32 b", &x, 1);
    subject_error(subject_ctx, fsr_force(out[0]), FSR_ERR_COMPILE, "bad");
    fsr_call_natives(out, 3, &bad, "f32 a, f32 b", &x, 1);
    for (int i = 0; i < 3; i++)
        assert_int_equal(fsr_node_status(out[i]), FSR_ERR_VALUE);
    assert_non_null(strstr(fsr_node_error(out[0]), "call_natives: it has 2 results, not 3"));
    fsr_call_natives(out, 1, &bad, "f32", &x, 1);
    assert_non_null(strstr(fsr_node_error(out[0]), "bad: the results are not 1 to 8 of dtype and name"));
    fsr_call_natives(out, 1, &bad, NULL, &x, 1);
    assert_int_equal(fsr_node_status(out[0]), FSR_ERR_NULL);
    fsr_call_natives(out, 1, NULL, "f32 a", &x, 1);
    assert_int_equal(fsr_node_status(out[0]), FSR_ERR_NULL);
    fsr_call_natives(out, 2, &bad, "f32 a, f32 b", (fsr_node[]){x, y}, 2);
    assert_non_null(strstr(fsr_node_error(out[1]), "bad: it has 1 parameters, not 2"));
    fsr_call_natives(out, 2, &bad, "f32 a, f32 b", NULL, 2);
    assert_null(out[1].graph);
}

/* ---- fusion ------------------------------------------------------------------------------------------ */

static void fuses(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F32, 1, SHAPE(1000), SUBJECT_SMALL, 0), y = CALL(&wave, fsr_exp(x), x);
    fsr_node z = fsr_mul(CALL(&wave, x, fsr_flip(x, 0)), y);
    fsr_node rows = fsr_reshape(z, 2, SHAPE(40, 25));
    fsr_node outs[] = {fsr_sum(y, NULL, 0, 0), fsr_cumsum(z, AXES(0), 1, 0), y, fsr_max(rows, AXES(0), 1, 0),
                       fsr_filter(y, fsr_less(x, fsr_float(G, 0)), fsr_float(G, 9))};
    fsr_plan_info info;
    for (int i = 0; i < COUNT_OF(outs); i++) {
        OK(fsr_query(&outs[i], 1, &info));
        assert_int_equal(info.kernels, 1);
        assert_int_equal(info.temporaries, 0);
    }
    subject_verify(outs, COUNT_OF(outs), NULL, "calls");
}

/* Fused gives the bits of unfused, also where the function is called on a longer chain. */
static void fusion_changes_no_bit(void **state) {
    (void)state;
    void *got[2];
    fsr_config config = subject_config();
    for (int fusion = 0; fusion < 2; fusion++) {
        config.fusion = fusion;
        fsr_context *ctx = subject_open(&config);
        fsr_graph *g = fsr_graph_new(ctx);
        fsr_node x = fsr_linspace(g, FSR_F32, -4, 4, 1003, true), y = x;
        for (int i = 0; i < 3; i++)
            y = fsr_add(CALL(&wave, fsr_mul(y, y), x), fsr_float(g, 0.3));
        got[fusion] = malloc(1003 * sizeof(float));
        OK(fsr_read(y, got[fusion], 1003 * sizeof(float)));
        fsr_close(ctx);
    }
    assert_memory_equal(got[0], got[1], 1003 * sizeof(float));
    free(got[0]);
    free(got[1]);
}

static void row_maximum(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_max(CALL(&wave, in[0], fsr_float(in[0].graph, 3)), NULL, 0, 0);
}

static void in_a_function_of_rows(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F32, 2, SHAPE(5, 40), SUBJECT_SMALL, 0), out[2];
    fsr_vectorize(out, 1, &x, 1, "(n)->()", row_maximum, NULL);
    out[1] = fsr_max(CALL(&wave, x, fsr_float(G, 3)), AXES(1), 1, 0);
    void *a = subject_read(out[0]), *b = subject_read(out[1]);
    assert_memory_equal(a, b, 5 * sizeof(float));
    free(a);
    free(b);
}

/* ---- names and texts --------------------------------------------------------------------------------- */

/* Two functions and two preambles of one name each; macros that would ruin a kernel that they reached. */
static void names_do_not_meet(void **state) {
    (void)state;
    static const char helper[] = "static inline f32 half_of(f32 x) { return x * 0.5f; }\n"
                                 "#define r )\n#define at )\n#define rows )\n#define v0 )\n#define x0 )\n#define i )\n";
    const fsr_native one = {.name = "f", .result = FSR_F32, .parameters = "f32 x", BOTH("return x + 1.0f;")};
    const fsr_native two = {.name = "f",
                            .result = FSR_F32,
                            .parameters = "f32 x",
                            BOTH("return half_of(x); // no newline behind"),
                            .c_preamble = helper,
                            .cuda_preamble = helper};
    const fsr_native three = {.name = "f",
                              .result = FSR_F32,
                              .parameters = "f32 y",
                              BOTH("const f32 fsr_t = half_of(y);\nreturn fsr_t * fsr_t;"),
                              .c_preamble = helper,
                              .cuda_preamble = helper};
    fsr_node x = fsr_arange(G, FSR_F32, 100);
    fsr_node y = fsr_add(CALL(&one, x), fsr_mul(CALL(&two, x), CALL(&three, fsr_sqrt(x))));
    fsr_plan_info info;
    OK(fsr_query(&y, 1, &info));
    assert_int_equal(info.kernels, 1);
    assert_true(subject_value(y, 4) == 4 + 1 + 2 * 1);
    assert_true(subject_value(y, 64) == 64 + 1 + 32 * 16);
    subject_verify(&y, 1, NULL, "three named f");
}

/* The same function given again, from other memory, is the same: computed once, planned once, compiled once. */
static void identity(void **state) {
    (void)state;
    char c[] = "return x * 3;", cuda[] = "return x * 3;", name[] = "triple", parameters[] = "i64  x";
    const fsr_native again = {
        .name = name, .result = FSR_I64, .parameters = parameters, .c = c, .cuda = cuda, .ulp = 9};
    const fsr_native triple = {.name = "triple", .result = FSR_I64, .parameters = "i64 x", BOTH("return x * 3;")};
    const fsr_native other = {.name = "triple", .result = FSR_I64, .parameters = "i64 x", BOTH("return x * 3 ;")};
    const fsr_native *order[] = {&triple, &again, &other};
    fsr_stats before = subject_stats();
    for (int i = 0; i < 3; i++) {
        fsr_node x = fsr_arange(G, FSR_I64, 60);
        fsr_node y = fsr_sub(CALL(order[i], x), fsr_mul(CALL(&triple, x), CALL(&again, x)));
        assert_true(subject_value(y, 10) == 30 - 30 * 30);
        fsr_stats after = subject_stats();
        assert_int_equal(after.plans_built - before.plans_built, i < 2 ? 1 : 2);
        assert_int_equal(after.compilations + after.cache_hits_disk - before.compilations - before.cache_hits_disk,
                         i < 2 ? 1 : 2);
    }
}

static int64_t compilations(const fsr_config *config, const fsr_native *f, int64_t *loaded) {
    fsr_stats stats;
    fsr_context *ctx = subject_open(config);
    fsr_graph *g = fsr_graph_new(ctx);
    OK(fsr_force(CALL(f, fsr_arange(g, FSR_F32, 10))));
    OK(fsr_context_stats(ctx, &stats));
    fsr_close(ctx);
    *loaded = stats.cache_hits_disk;
    return stats.compilations;
}

/* The disk cache's key has the texts in it. What includes a file is not kept: the file is not in the key. */
static void disk_cache(void **state) {
    (void)state;
    char dir[64];
    int64_t loaded;
    fsr_config config = subject_config();
    const fsr_native one = {.name = "f", .result = FSR_F32, .parameters = "f32 x", BOTH("return x + 1.0f;")};
    const fsr_native two = {.name = "f", .result = FSR_F32, .parameters = "f32 x", BOTH("return x + 2.0f;")};
    const fsr_native three = {.name = "f",
                              .result = FSR_F32,
                              .parameters = "f32 x",
                              BOTH("return x + 3.0f;"),
                              .c_preamble = "#include <math.h>"};
    subject_temporary_dir(dir);
    config.cache_dir = dir;
    assert_int_equal(compilations(&config, &one, &loaded), 1);
    assert_int_equal(compilations(&config, &one, &loaded), 0);
    assert_int_equal(loaded, 1);
    assert_int_equal(compilations(&config, &two, &loaded), 1);
    assert_int_equal(compilations(&config, &three, &loaded), 1);
    assert_int_equal(compilations(&config, &three, &loaded), on_gpu() ? 0 : 1);
    subject_remove_dir(dir);
}

static void write_header(const char *path, int value) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#define VALUE %d\n", value);
    assert_int_equal(fclose(file), 0);
}

/* A file that a text reads changes: the next context has the new one, however the text said it. */
static void files_that_change(void **state) {
    (void)state;
    if (on_gpu())
        skip();
    static const struct {
        const char *preamble; /* %s: the file */
        float change;         /* what the result changes by; the assembler sees the file's last digit */
    } rows[] = {
        {"#include \"%s\"", 1},
        {"#import \"%s\"", 1},
        {"#include_next \"%s\"", 1},
        {"#inc\\\nlude \"%s\"", 1},
        {"/* a */ # /* b */ include \"%s\"", 1},
        {"%%:include \"%s\"", 1},
        {"#define FILE_NAME \"%s\"\n#include FILE_NAME", 1},
        {"__asm__(\".pushsection .rodata\\n.globl user_bytes\\n.hidden user_bytes\\nuser_bytes: .inc\" \"bin "
         "\\\"%s\\\"\\n"
         ".popsection\");\nextern const char user_bytes[];\n#define VALUE user_bytes[14]",
         1},
    };
    char dir[64], path[80], preamble[400];
    fsr_config config = subject_config();
    subject_temporary_dir(dir);
    config.cache_dir = dir;
    snprintf(path, sizeof path, "%s/value.h", dir);
    for (int i = 0; i < COUNT_OF(rows); i++) {
        float got[2];
        for (int turn = 0; turn < 2; turn++) {
            snprintf(preamble, sizeof preamble, rows[i].preamble, path);
            const fsr_native f = {.name = "f",
                                  .result = FSR_F32,
                                  .parameters = "f32 x",
                                  .c = "return x + VALUE;",
                                  .c_preamble = preamble};
            write_header(path, 3 + turn);
            fsr_context *ctx = subject_open(&config);
            fsr_graph *g = fsr_graph_new(ctx);
            fsr_node y = CALL(&f, fsr_full(g, FSR_F32, 1, SHAPE(1), 0));
            OK(fsr_read(y, &got[turn], sizeof got[turn]));
            fsr_close(ctx);
        }
        if (got[1] - got[0] != rows[i].change)
            fail_msg("%s: %g, then %g", rows[i].preamble, (double)got[0], (double)got[1]);
    }
    /* A file that is not there when it is asked for, and is later. */
    snprintf(preamble, sizeof preamble, "#if __has_include(\"%s\")\n#define VALUE 1\n#else\n#define VALUE 0\n#endif",
             path);
    for (int turn = 0; turn < 2; turn++) {
        float got;
        const fsr_native f = {
            .name = "f", .result = FSR_F32, .parameters = "f32 x", .c = "return x + VALUE;", .c_preamble = preamble};
        assert_true(turn ? (write_header(path, 1), true) : unlink(path) == 0);
        fsr_context *ctx = subject_open(&config);
        fsr_graph *g = fsr_graph_new(ctx);
        OK(fsr_read(CALL(&f, fsr_full(g, FSR_F32, 1, SHAPE(1), 0)), &got, sizeof got));
        fsr_close(ctx);
        assert_true(got == (float)turn);
    }
    subject_remove_dir(dir);
}

/* ---- what compilers say -------------------------------------------------------------------------------- */

static void refused(const fsr_native *f, fsr_status want, const char *words) {
    fsr_node x = fsr_arange(G, FSR_F32, 5), y = fsr_exp(CALL(f, fsr_sqrt(x)));
    OK(fsr_node_status(y));
    subject_error(subject_ctx, fsr_force(y), want, words);
    fsr_error_clear(subject_ctx);
    assert_true(subject_value(fsr_sum(x, NULL, 0, 0), 0) == 10);
}

static void mistakes(void **state) {
    (void)state;
    static const char unknown[] = "f32 y = x;\nreturn y + zeta;", endless[] = "if (x > 0)\n    return x;",
                      open[] = "return x; }\n{ /* no end";
    const struct {
        const char *text, *cpu, *gpu;
    } rows[] = {
        {unknown, "native function bad |bad:2:|zeta", "native functions bad|bad(2): error: |zeta"},
        {"return strange(x);", "native function bad |bad:1:|strange", "native functions bad|bad(1): error: |strange"},
        {endless, "native function bad |bad:|non-void", "native functions bad|bad(|missing return"},
        {open, "native function bad |unterminated|comment", "native functions bad|comment"},
        {"return;", "native function bad |bad:1:|return", "native functions bad|bad(1): error: |return"},
    };
    for (int i = 0; i < COUNT_OF(rows); i++) {
        const fsr_native bad = {.name = "bad", .result = FSR_F32, .parameters = "f32 x", BOTH(rows[i].text)};
        refused(&bad, FSR_ERR_COMPILE, on_gpu() ? rows[i].gpu : rows[i].cpu);
    }
    const fsr_native helper = {.name = "bad",
                               .result = FSR_F32,
                               .parameters = "f32 x",
                               BOTH("return x;"),
                               .c_preamble = "\nstatic int f(void) { return zeta; }",
                               .cuda_preamble = "\nstatic int f(void) { return zeta; }"};
    refused(&helper, FSR_ERR_COMPILE,
            on_gpu() ? "native functions bad|bad.cuda_preamble(2): error: |zeta"
                     : "native function bad |bad.c_preamble:2:|zeta");
}

/* The C text is wrong where only the reference needs it, or where the CPU does. */
static void wrong_c_text(void **state) {
    (void)state;
    const fsr_native bad = {
        .name = "bad", .result = FSR_F32, .parameters = "f32 x", .c = "return zeta;", .cuda = "return x;"};
    fsr_node y = CALL(&bad, fsr_arange(G, FSR_F32, 5));
    subject_error(subject_ctx, fsr_verify(&y, 1, NULL), FSR_ERR_COMPILE, "native function bad |bad:1:|zeta");
    fsr_error_clear(subject_ctx);
}

static void no_cuda_text(void **state) {
    (void)state;
    const fsr_native host = {.name = "host", .result = FSR_F32, .parameters = "f32 x", .c = "return x + 1;"};
    if (on_gpu())
        refused(&host, FSR_ERR_UNSUPPORTED, "native function host has no CUDA text");
    else
        assert_true(subject_value(CALL(&host, fsr_float(G, 2)), 0) == 3);
}

/* No interpreter stands in: it could not read the text. */
static void no_compiler(void **state) {
    (void)state;
    fsr_config config = subject_config();
    config.compiler = "/nowhere/cc";
    fsr_context *ctx = subject_open(&config);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node x = fsr_arange(g, FSR_F32, 5), y = CALL(&wave, x, x);
    OK(fsr_force(fsr_exp(x)));
    subject_error(ctx, fsr_verify(&y, 1, NULL), FSR_ERR_NO_COMPILER, "native function wave|/nowhere/cc");
    fsr_close(ctx);
}

/* ---- verify --------------------------------------------------------------------------------------------- */

/* On a GPU the two texts are compared: one that is wrong in a single place is found, one that is a little off is not,
 * unless it claims to be equal. */
static void texts_are_compared(void **state) {
    (void)state;
    fsr_verify_report report;
    fsr_native off = {.name = "off",
                      .result = FSR_F32,
                      .parameters = "f32 x",
                      .c = "return x;",
                      .cuda = "return x * (1.0f + 1.2e-7f);"};
    fsr_native wrong = off;
    wrong.cuda = "return x == 77.0f ? 78.0f : x;";
    fsr_node x = fsr_arange(G, FSR_F32, 100), y = CALL(&off, x), z = CALL(&wrong, x), same;
    OK(fsr_verify(&y, 1, &report));
    if (!on_gpu())
        return;
    subject_error(subject_ctx, fsr_verify(&z, 1, &report), FSR_ERR_MISMATCH, "element 77: got 78, expected 77");
    off.ulp = 0.5;
    same = CALL(&off, x);
    subject_error(subject_ctx, fsr_verify(&same, 1, &report), FSR_ERR_MISMATCH, "element ");
    fsr_error_clear(subject_ctx);
}

/* ---- looking, threads ----------------------------------------------------------------------------------- */

static void can_be_seen(void **state) {
    (void)state;
    fsr_node y = fsr_exp(CALL(&collatz, fsr_arange(G, FSR_U64, 5)));
    fsr_status (*const look[])(const fsr_node *, int, FILE *) = {fsr_print, fsr_dot, fsr_explain};
    static const char *const words[] = {"collatz(u64 n) ulp=4 c=\"i32 k = 0;\\nfor",
                                        "label=\"%1 = call i32[5] %0 collatz(", "collatz, "};
    for (int i = 0; i < 3; i++) {
        char *text;
        size_t size;
        FILE *to = open_memstream(&text, &size);
        OK(look[i](&y, 1, to));
        fclose(to);
        if (!strstr(text, words[i]))
            fail_msg("%s", text);
        free(text);
    }
}

static void *work(void *said) {
    fsr_graph *g = fsr_graph_new(subject_ctx);
    for (int round = 0; round < 3 && !*(fsr_status *)said; round++) {
        const fsr_native own = {.name = "own", .result = FSR_F64, .parameters = "f64 x", BOTH("return x * x;")};
        fsr_node x = fsr_arange(g, FSR_F64, 50),
                 out[] = {CALL(&own, x), fsr_sum(CALL(&own, CALL(&own, x)), NULL, 0, 0)};
        *(fsr_status *)said = fsr_verify(out, 2, NULL);
    }
    fsr_graph_free(g);
    return NULL;
}

static void threads(void **state) {
    (void)state;
    pthread_t thread[8];
    fsr_status said[8] = {0};
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, work, &said[i]), 0);
    for (int i = 0; i < 8; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 8; i++) /* when none of them works any more: a test that fails closes their context */
        assert_int_equal(said[i], FSR_OK);
}

/* A plan outlives the graph that its functions were recorded in; scopes drop them. */
static void lifetime(void **state) {
    (void)state;
    fsr_graph *g = fsr_graph_new(subject_ctx);
    float in[4] = {0, 1, 2, 3}, out[4];
    fsr_plan *plan;
    fsr_node y = CALL(&wave, fsr_input(g, "x", FSR_F32, 1, SHAPE(4)), fsr_param(g, "k", FSR_F32, 2));
    OK(fsr_compile(&y, 1, &plan));
    fsr_graph_free(g);
    fsr_scope_begin(G);
    fsr_node kept = CALL(&wave, fsr_arange(G, FSR_F32, 4), fsr_float(G, 2));
    OK(fsr_force(kept));
    OK(fsr_scope_end(G, &kept, 1));
    OK(fsr_plan_run(plan, (fsr_arg[]){{.name = "x", .data = in, .bytes = sizeof in}}, 1,
                    (fsr_arg[]){{.data = out, .bytes = sizeof out}}, 1, NULL));
    for (int i = 0; i < 4; i++)
        assert_true(subject_value(kept, i) == out[i]);
    fsr_plan_free(plan);
}

/* ---- linked code -------------------------------------------------------------------------------------- */

static const char twice_ptx[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                                ".visible .func (.param .f32 result) twice(.param .f32 x) {\n"
                                "    .reg .f32 %f<3>;\n    ld.param.f32 %f1, [x];\n    add.f32 %f2, %f1, %f1;\n"
                                "    st.param.f32 [result], %f2;\n    ret;\n}\n"
                                ".visible .func halves(.param .f32 x, .param .b64 up, .param .b64 down) {\n"
                                "    .reg .f32 %f<3>;\n    .reg .b64 %d<3>;\n    ld.param.f32 %f1, [x];\n"
                                "    ld.param.b64 %d1, [up];\n    ld.param.b64 %d2, [down];\n"
                                "    mul.f32 %f2, %f1, 0f3F000000;\n    st.f32 [%d1], %f2;\n    neg.f32 %f2, %f2;\n"
                                "    st.f32 [%d2], %f2;\n    ret;\n}\n";

static fsr_native linked(const char *name, const char *c) {
    return (fsr_native){.name = name,
                        .result = FSR_F32,
                        .parameters = "f32 x",
                        .c = c,
                        .linked_form = FSR_LINKED_PTX,
                        .linked = twice_ptx,
                        .linked_bytes = sizeof twice_ptx - 1};
}

/* A function by its name, one that a text calls, and one with several results, in one kernel. On a CPU it is the C
 * text. */
static void linked_code(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F32, 1, SHAPE(3000), SUBJECT_SMALL, 2), out[4];
    const fsr_native twice = linked("twice", "return x + x;");
    fsr_native wrapped = linked("wrapped", "return x + x + 1;");
    wrapped.cuda = "return twice(x) + 1;";
    wrapped.cuda_preamble = "extern \"C\" __device__ float twice(float x);";
    out[0] = CALL(&twice, fsr_mul(x, fsr_float(G, 3)));
    out[1] = CALL(&wrapped, out[0]);
    const fsr_native halves = linked("halves", "up = x * 0.5f; down = -up;");
    fsr_call_natives(out + 2, 2, &halves, "f32 up, f32 down", &x, 1);
    subject_verify(out, 4, NULL, "linked code");
    float *in = subject_read(x), *y = subject_read(out[1]), *down = subject_read(out[3]);
    for (int i = 0; i < 3000; i++)
        assert_true(y[i] == (3 * in[i] + 3 * in[i]) * 2 + 1 && down[i] == -(in[i] * 0.5f));
    free(in);
    free(y);
    free(down);
}

/* Equal code is one function wherever it lies; other code, if only by a blank, is another function. */
static void linked_code_is_told_apart(void **state) {
    (void)state;
    char same[sizeof twice_ptx], other[sizeof twice_ptx];
    fsr_native f[3] = {linked("twice", "return x + x;"), linked("twice", "return x + x;"),
                       linked("twice", "return x + x;")};
    strcpy(same, twice_ptx);
    strcpy(other, twice_ptx);
    other[sizeof other - 2] = ' ';
    f[1].linked = same;
    f[2].linked = other;
    const fsr_stats before = subject_stats();
    for (int i = 0; i < 3; i++) {
        assert_true(subject_value(CALL(&f[i], fsr_arange(G, FSR_F32, 61)), 7) == 14);
        assert_int_equal(subject_stats().plans_built - before.plans_built, i < 2 ? 1 : 2);
    }
}

/* Functions of one name with different code are not linked into one kernel, side by side or one of the other. */
static void linked_codes_stay_apart(void **state) {
    (void)state;
    static const char *const c[] = {"return x + x;", "return x + x + x;"};
    char thrice[2 * sizeof twice_ptx];
    const char *add = strstr(twice_ptx, "    add.f32 %f2, %f1, %f1;\n"), *rest = strchr(add, '\n') + 1;
    snprintf(thrice, sizeof thrice, "%.*s    add.f32 %%f2, %%f1, %%f1;\n    add.f32 %%f2, %%f2, %%f1;\n%s",
             (int)(add - twice_ptx), twice_ptx, rest);
    fsr_native f[2] = {linked("twice", c[0]), linked("twice", c[1])};
    f[1].linked = thrice;
    f[1].linked_bytes = strlen(thrice);
    for (int other = 0; other < 2; other++) {
        fsr_plan_info info;
        fsr_node x = fsr_arange(G, FSR_F32, 61), y = fsr_add(CALL(&f[0], x), CALL(&f[other], fsr_add(x, x))),
                 z = CALL(&f[other], CALL(&f[0], x));
        OK(fsr_query(&y, 1, &info));
        assert_int_equal(info.kernels, 1 + other);
        OK(fsr_query(&z, 1, &info));
        assert_int_equal(info.kernels, 1 + other);
        assert_true(subject_value(y, 7) == (other ? 56 : 42));
        assert_true(subject_value(z, 7) == (other ? 42 : 28));
    }
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(values),
    SUBJECT_TEST(every_dtype),
    SUBJECT_TEST(many_operands),
    SUBJECT_TEST(several_results),
    SUBJECT_TEST(fuses),
    SUBJECT_TEST(fusion_changes_no_bit),
    SUBJECT_TEST(in_a_function_of_rows),
    SUBJECT_TEST(identity),
    SUBJECT_TEST(names_do_not_meet),
    SUBJECT_TEST(disk_cache),
    SUBJECT_TEST(files_that_change),
    SUBJECT_TEST(mistakes),
    SUBJECT_TEST(wrong_c_text),
    SUBJECT_TEST(no_cuda_text),
    SUBJECT_TEST(no_compiler),
    SUBJECT_TEST(texts_are_compared),
    SUBJECT_TEST(can_be_seen),
    SUBJECT_TEST(linked_code),
    SUBJECT_TEST(linked_code_is_told_apart),
    SUBJECT_TEST(linked_codes_stay_apart),
    SUBJECT_TEST(threads),
    SUBJECT_TEST(lifetime),
};
SUBJECT_MAIN(tests)

/* SPDX-License-Identifier: MIT */
/* Callers' functions in generated CUDA, on the host and through NVRTC: planned as for a GPU, the CUDA text run,
 * compared as fsr_verify does with the reference, which runs the C text. A text that is wrong must be found. */
#include "backend_cuda/emit_cuda.h"
#include "backend_cuda/nvrtc.h"
#include "fusion/plan.h"
#include "runtime/array.h"
#include "runtime/reference.h"
#include "runtime/text.h"
#include "tests/host_cuda/host_cuda.h"
#include "tests/support/subject.h"
#include "tests/support/targets.h"
#include <stdlib.h>
#include <string.h>

#define G subject_g
#define CALL(f, ...) fsr_call_native(f, ((fsr_node[]){__VA_ARGS__}), COUNT_OF(((fsr_node[]){__VA_ARGS__})))
#define BOTH(text) .c = text, .cuda = text

enum { OUTS = FSR_DTYPE_COUNT };

/* One kernel of what is asked, for a GPU, and what the reference says of it. */
typedef struct job {
    fsr_program program;
    fsr_binding binding;
    fsr_ref refs[OUTS];
    fsr_ref_array want[OUTS];
    int n;
} job;

static fsr_status fetch(void *user, const fsr_rec *leaf, int output, void *dst, int64_t bytes) {
    (void)user;
    memcpy(dst, leaf->buffer[output]->data, (size_t)bytes);
    return FSR_OK;
}

static void job_begin(job *j, const fsr_node *outs, int n) {
    fsr_program_options options = {.target = target_small_gpu, .fusion = true, .fuel = -1};
    fsr_fault fault = {FSR_OK, NULL};
    fsr_flow flow;
    char why[256];
    j->n = n;
    for (int i = 0; i < n; i++)
        j->refs[i] = (fsr_ref){outs[i].id, outs[i].output};
    assert_int_equal(fsr_flow_build(&flow, &j->binding, G, j->refs, n), FSR_OK);
    if (fsr_program_make(&j->program, &flow, &options, why, sizeof why))
        fail_msg("%s", why);
    assert_int_equal(j->program.info.kernels, 1);
    if (fsr_reference_run(G, j->refs, n, fetch, NULL, j->want, &fault))
        fail_msg("%s", fault.message);
}

static void job_end(job *j) {
    for (int i = 0; i < j->n; i++)
        fsr_ref_array_free(&j->want[i]);
    fsr_program_clear(&j->program);
    fsr_binding_clear(&j->binding);
}

static char *source_of(const fsr_kernel *k, fsr_status (*emit)(const fsr_kernel *, fsr_text *)) {
    fsr_text text = {0};
    assert_int_equal(emit(k, &text), FSR_OK);
    char *source = fsr_text_take(&text);
    assert_non_null(source);
    return source;
}

/* Leaves are the graph's own memory, which lies on the host. */
static void arrays(const job *j, fsr_launch *launch, void **out) {
    const fsr_thunk *thunk = fsr_program_kernel(&j->program, 0);
    for (int a = 0; a < thunk->kernel->narrays; a++) {
        const fsr_slot *slot = &thunk->use[a].slot;
        assert_true(slot->kind == FSR_SLOT_LEAF || slot->kind == FSR_SLOT_OUTPUT);
        if (slot->kind == FSR_SLOT_LEAF) {
            const fsr_ref leaf = j->binding.leaf[slot->ordinal];
            launch->array[a] = fsr_graph_rec(G, leaf.id)->buffer[leaf.output]->data;
        } else {
            size_t bytes = (size_t)fsr_rec_bytes(fsr_graph_rec(G, j->refs[slot->ordinal].id), 0);
            launch->array[a] = out[slot->ordinal] = malloc(bytes);
        }
    }
}

/* True if the CUDA text is within the bounds of the C text. */
static bool texts_agree(const fsr_node *outs, int n, fsr_verify_report *report) {
    job j;
    void *out[OUTS] = {NULL};
    fsr_fault fault = {FSR_OK, NULL};
    job_begin(&j, outs, n);
    const fsr_thunk *thunk = fsr_program_kernel(&j.program, 0);
    fsr_launch launch = fsr_program_launch(thunk);
    arrays(&j, &launch, out);
    launch.work = malloc((size_t)thunk->work_bytes + 1);
    launch.zero = calloc(1, (size_t)thunk->zero_bytes + 1);
    char *source = source_of(thunk->kernel, fsr_emit_cuda_for_host);
    if (host_cuda_run(thunk->kernel, source, &launch, 1, &fault))
        fail_msg("%s\n%s", fault.message, source);
    bool good = true;
    memset(report, 0, sizeof *report);
    for (int i = 0; i < n; i++) {
        good = fsr_ref_compare(&j.want[i], out[i], report) && good;
        free(out[i]);
    }
    free(source);
    free(launch.work);
    free(launch.zero);
    job_end(&j);
    return good;
}

/* What NVRTC says of the kernel; NULL: there is no NVRTC, "": it is content. The caller frees it. */
static char *compiled(const fsr_node *outs, int n) {
    static const char *const options[] = {"-arch=sm_90", "--fmad=false", "-std=c++17", "-default-device", "--minimal"};
    fsr_nvrtc *nvrtc = NULL;
    fsr_fault fault = {FSR_OK, NULL};
    fsr_nvrtc_result result;
    if (fsr_nvrtc_open(&nvrtc, &fault)) {
        fsr_fault_clear(&fault);
        return NULL;
    }
    job j;
    job_begin(&j, outs, n);
    char *source = source_of(fsr_program_kernel(&j.program, 0)->kernel, fsr_emit_cuda);
    fsr_nvrtc_compile(nvrtc, "k.cu", source, options, COUNT_OF(options), &result, &fault);
    char *log = strdup(result.log);
    fsr_nvrtc_result_free(&result);
    fsr_fault_clear(&fault);
    fsr_nvrtc_close(nvrtc);
    free(source);
    job_end(&j);
    return log;
}

static void right(const fsr_node *outs, int n) {
    fsr_verify_report report;
    char *log = compiled(outs, n);
    if (log && *log)
        fail_msg("%s", log);
    free(log);
    if (!texts_agree(outs, n, &report))
        fail_msg("element %lld: got %.17g, expected %.17g", (long long)report.worst_index, report.got, report.expected);
}

static const fsr_native wave = {
    .name = "wave", .result = FSR_F32, .parameters = "f32 x, f32 k", BOTH("return sinf(k * x) / (1.0f + x * x);")};

static const fsr_native collatz = {
    .name = "collatz",
    .result = FSR_I32,
    .parameters = "u64 n",
    BOTH("i32 k = 0;\nfor (; n > 1; k++)\n    n = n & 1 ? 3 * n + 1 : n / 2;\nreturn k;")};

/* Elementwise, reduced, scanned: a call is a part of any kernel. */
static void in_every_schedule(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F32, 1, SHAPE(1000), SUBJECT_SMALL, 0), two = fsr_float(G, 2);
    fsr_node y = CALL(&wave, fsr_mul(x, x), two), steps = CALL(&collatz, fsr_arange(G, FSR_U64, 1000));
    right((fsr_node[]){y, fsr_add(CALL(&wave, y, x), steps)}, 2);
    right((fsr_node[]){fsr_sum(y, NULL, 0, 0), fsr_max(CALL(&wave, x, two), NULL, 0, 0)}, 2);
    fsr_node m = fsr_reshape(x, 2, SHAPE(40, 25)), z = CALL(&wave, m, fsr_max(m, AXES(1), 1, FSR_KEEPDIMS));
    right((fsr_node[]){fsr_div(z, fsr_sum(z, AXES(1), 1, FSR_KEEPDIMS)), fsr_cumsum(z, AXES(1), 1, 0)}, 2);
}

/* Of whole arrays: called for the domain's elements and no others, by threads, lanes and tiles of any schedule. */
static void of_whole_arrays(void **state) {
    (void)state;
    const fsr_native at = {
        .name = "at",
        .result = FSR_F32,
        .parameters = "i64 i, raw f32 t, raw f16 u, raw bool b",
        BOTH("if (i < 0 || i >= t_size || u_size != 7 || b_size != 5) {\n    volatile i32 *nowhere = 0;\n"
             "    *nowhere = 1;\n}\nreturn t[i] + (u[i % 7] >> 15) + (b[i % 5] != 0);")};
    static const int64_t shape[][2] = {{40, 25}, {3, 331}, {331, 3}, {2, 2503}, {2503, 2}, {129, 65}};
    fsr_node u = subject_data(FSR_F16, 1, SHAPE(7), SUBJECT_SMALL, 1),
             b = subject_data(FSR_BOOL, 1, SHAPE(5), SUBJECT_SMALL, 2);
    for (size_t k = 0; k < COUNT_OF(shape); k++) {
        const int64_t n = shape[k][0] * shape[k][1];
        fsr_node t = subject_data(FSR_F32, 2, shape[k], SUBJECT_SMALL, 0);
        fsr_node i = fsr_reshape(fsr_flip(fsr_arange(G, FSR_I64, n), 0), 2, shape[k]), y = CALL(&at, i, t, u, b);
        right((fsr_node[]){y, fsr_mul(y, t)}, 2);
        right((fsr_node[]){fsr_sum(y, NULL, 0, 0)}, 1);
        right((fsr_node[]){fsr_sum(y, AXES(1), 1, 0), fsr_max(y, AXES(1), 1, 0)}, 2);
        right((fsr_node[]){fsr_sum(y, AXES(0), 1, 0)}, 1);
        right((fsr_node[]){fsr_cumsum(y, AXES(1), 1, 0)}, 1);
        right((fsr_node[]){fsr_cumsum(y, AXES(0), 1, 0)}, 1);
        right((fsr_node[]){fsr_sub(y, fsr_max(y, AXES(1), 1, FSR_KEEPDIMS))}, 1);
        right((fsr_node[]){fsr_filter(fsr_ravel(y), fsr_greater(fsr_ravel(t), fsr_float(G, 0)), fsr_float(G, 0))}, 1);
    }
}

/* Each dtype as the parameter and the result, of one array's elements, so in one kernel; and several at once, of
 * dtypes that have other forms inside a kernel. */
static void every_dtype(void **state) {
    (void)state;
    const fsr_native mix = {.name = "mix",
                            .result = FSR_F16,
                            .parameters = "f16 a, bf16 b, f16 c, bf16 d, bool e, c64 f, c128 g, i8 h",
                            BOTH("return e ? a + b * c - d : (f32)(f.re * f.im + g.re - g.im) + h;")};
    const fsr_dtype dtypes[] = {FSR_F16, FSR_BF16, FSR_F16, FSR_BF16, FSR_BOOL, FSR_C64, FSR_C128, FSR_I8};
    fsr_node arg[FSR_MAX_NATIVE], out[OUTS];
    for (int i = 0; i < FSR_MAX_NATIVE; i++)
        arg[i] = subject_data(dtypes[i], 2, SHAPE(i % 3 ? 5 : 1, i % 2 ? 65 : 1), SUBJECT_SMALL, i);
    out[0] = fsr_call_native(&mix, arg, FSR_MAX_NATIVE);
    right(out, 1);
    fsr_node x = subject_data(FSR_F32, 1, SHAPE(60), SUBJECT_SPECIAL, 1);
    for (int d = 0; d < FSR_DTYPE_COUNT; d++) {
        char parameters[32];
        const fsr_native same = {.name = "same", .result = (fsr_dtype)d, .parameters = parameters, BOTH("return x;")};
        snprintf(parameters, sizeof parameters, "%s x", fsr_dtype_name((fsr_dtype)d));
        out[d] = CALL(&same, fsr_cast(x, (fsr_dtype)d));
    }
    right(out, FSR_DTYPE_COUNT);
}

/* Names that meet, and macros that would ruin the kernel if they stood before it. */
static void names_do_not_meet(void **state) {
    (void)state;
    static const char helper[] = "static inline f32 half_of(f32 x) { return x * 0.5f; }\n"
                                 "#define idx )\n#define v0 )\n#define b0 )\n#define threadIdx )\n#define i )\n";
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
                              BOTH("return half_of(y) * y;"),
                              .c_preamble = helper,
                              .cuda_preamble = helper};
    fsr_node x = fsr_arange(G, FSR_F32, 100);
    fsr_node y = fsr_add(CALL(&one, x), fsr_mul(CALL(&two, x), CALL(&three, x)));
    right(&y, 1);
}

/* Several results in one kernel: each is right, and the text, which has a loop that no compiler merges with another, is
 * run once for all of them. The CUDA text counts its runs in the array; the others of a tile's threads have no
 * element. */
static void several_at_once(void **state) {
    (void)state;
    static const int64_t shape[][2] = {{1000, 1}, {40, 25}, {3, 331}, {331, 3}};
    const fsr_native orbit = {
        .name = "orbit",
        .parameters = "f32 x, i32 n, raw i64 t",
        .c = "far = x;\nfor (i32 k = 0; k < n; k++) { far = far * 0.5f + x; turns += far > 0; }\nnear_ = -far;",
        .cuda = "far = x;\nfor (i32 k = 0; k < n; k++) { far = far * 0.5f + x; turns += far > 0; }\nnear_ = -far;\n"
                "++*(volatile i64 *)t;"};
    for (size_t k = 0; k < COUNT_OF(shape); k++) {
        const int64_t n = shape[k][0] * shape[k][1];
        fsr_node x = subject_data(FSR_F32, 2, shape[k], SUBJECT_SMALL, (int)k), three[3];
        fsr_node t = fsr_zeros(G, FSR_I64, 1, SHAPE(1));
        fsr_node limit = fsr_reshape(fsr_mod(fsr_arange(G, FSR_I32, n), fsr_int(G, 7)), 2, shape[k]);
        OK(fsr_compute(&t, 1));
        fsr_call_natives(three, 3, &orbit, "f32 far, i32 turns, f16 near_", (fsr_node[]){x, limit, t}, 3);
        fsr_node row[][3] = {{three[0], three[1], three[2]},
                             {fsr_sum(three[0], NULL, 0, 0), fsr_max(three[1], NULL, 0, 0), three[2]},
                             {fsr_sum(three[0], AXES(1), 1, 0), fsr_sum(three[1], AXES(1), 1, 0), three[2]},
                             {fsr_cumsum(three[1], AXES(1), 1, 0), three[0], fsr_abs(three[2])}};
        for (int r = 0; r < COUNT_OF(row); r++) {
            int64_t *runs = fsr_graph_rec(G, t.id)->buffer[0]->data;
            *runs = 0;
            right(row[r], 3);
            if (*runs != n)
                fail_msg("row %d of [%lld, %lld]: %lld runs", r, (long long)shape[k][0], (long long)shape[k][1],
                         (long long)*runs);
        }
    }
}

/* Equal functions are one, and equal calls are made once. */
static void written_once(void **state) {
    (void)state;
    char c[] = "return x * 3;";
    const fsr_native triple = {.name = "triple", .result = FSR_I64, .parameters = "i64 x", BOTH("return x * 3;")};
    const fsr_native again = {.name = "triple", .result = FSR_I64, .parameters = "i64  x", .c = c, .cuda = c, .ulp = 9};
    fsr_node x = fsr_arange(G, FSR_I64, 60), y = fsr_mul(CALL(&triple, x), CALL(&again, x));
    job j;
    y = fsr_add(y, CALL(&again, fsr_neg(x)));
    job_begin(&j, &y, 1);
    const fsr_kernel *k = fsr_program_kernel(&j.program, 0)->kernel;
    int calls = 0;
    for (int i = 0; i < k->ninsts; i++)
        calls += k->inst[i].kind == FSR_INST_CALL;
    assert_int_equal(k->nroutines, 1);
    assert_int_equal(calls, 2);
    job_end(&j);
}

/* A CUDA text that differs from the C text in one place, by a little everywhere, or by rounding alone. */
static void wrong_text_is_found(void **state) {
    (void)state;
    fsr_verify_report report;
    fsr_native f = {.name = "f", .result = FSR_F32, .parameters = "f32 x", .c = "return x;"};
    fsr_node x = fsr_arange(G, FSR_F32, 100);
    f.cuda = "return x == 77.0f ? 78.0f : x;";
    fsr_node y = CALL(&f, x);
    assert_false(texts_agree(&y, 1, &report));
    assert_true(report.worst_index == 77 && report.got == 78 && report.expected == 77);
    f.cuda = "return x * 1.00001f;";
    y = CALL(&f, x);
    assert_false(texts_agree(&y, 1, &report));
    y = fsr_sum(y, NULL, 0, 0);
    assert_false(texts_agree(&y, 1, &report));
    f.cuda = "return x * (1.0f + 1.2e-7f);";
    y = CALL(&f, x);
    assert_true(texts_agree(&y, 1, &report));
    f.ulp = 0.5;
    y = CALL(&f, x);
    assert_false(texts_agree(&y, 1, &report));
    f = (fsr_native){
        .name = "f", .result = FSR_I32, .parameters = "i32 x", .c = "return x / 2;", .cuda = "return x >> 1;"};
    y = CALL(&f, fsr_sub(fsr_arange(G, FSR_I32, 10), fsr_int(G, 5)));
    assert_false(texts_agree(&y, 1, &report));
}

/* NVRTC's words name the function, and the line of its text. */
static void mistakes_have_lines(void **state) {
    (void)state;
    static const struct {
        const char *text, *preamble, *words;
    } rows[] = {
        {"f32 y = x;\nreturn y + zeta;", NULL, "bad(2): error: identifier \"zeta\""},
        {"return;", NULL, "bad(1): error: "},
        {"if (x > 0)\n    return x;", NULL, "error: missing return"},
        {"return x;", "\nstatic int f() { return zeta; }", "bad.cuda_preamble(2): error: identifier \"zeta\""},
    };
    for (int i = 0; i < COUNT_OF(rows); i++) {
        const fsr_native bad = {.name = "bad",
                                .result = FSR_F32,
                                .parameters = "f32 x",
                                .c = "return x;",
                                .cuda = rows[i].text,
                                .cuda_preamble = rows[i].preamble};
        fsr_node y = CALL(&bad, fsr_arange(G, FSR_F32, 5));
        char *log = compiled(&y, 1);
        if (!log)
            skip();
        if (!strstr(log, rows[i].words))
            fail_msg("%s", log);
        free(log);
    }
}

static void no_text(void **state) {
    (void)state;
    const fsr_native host = {.name = "host", .result = FSR_F32, .parameters = "f32 x", .c = "return x + 1;"};
    fsr_node y = CALL(&host, fsr_arange(G, FSR_F32, 5));
    fsr_text text = {0};
    job j;
    job_begin(&j, &y, 1);
    const fsr_kernel *k = fsr_program_kernel(&j.program, 0)->kernel;
    assert_int_equal(fsr_emit_cuda(k, &text), FSR_ERR_UNSUPPORTED);
    assert_string_equal(fsr_emit_cuda_lacks(k)->name, "host");
    fsr_text_free(&text);
    job_end(&j);
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(in_every_schedule),   SUBJECT_TEST(of_whole_arrays),     SUBJECT_TEST(every_dtype),
    SUBJECT_TEST(names_do_not_meet),   SUBJECT_TEST(written_once),        SUBJECT_TEST(several_at_once),
    SUBJECT_TEST(wrong_text_is_found), SUBJECT_TEST(mistakes_have_lines), SUBJECT_TEST(no_text),
};
SUBJECT_MAIN(tests)

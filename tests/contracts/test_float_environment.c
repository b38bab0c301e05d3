/* SPDX-License-Identifier: MIT */
/* Whatever floating-point environment the caller has set, before or after the workers start: the bits of every result
 * are those of the default one, no trap fires, and the caller finds its environment as it was, its flags included.
 *
 * While an environment is set nothing here computes in floats: what is compared is bytes. */
#define _GNU_SOURCE
#include "tests/support/subject.h"
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

enum { LONG = 1 << 20, SHORT = 600, OUTPUTS = 24 };

/* ---- environments -------------------------------------------------------------------------------------- */

/* The control and status words, as the caller could read them. */
typedef struct words {
    uint32_t mxcsr;
    uint16_t control, status;
    uint64_t fpcr, fpsr;
    int rounding, flags, traps;
} words;

static words read_words(void) {
    words w;
    memset(&w, 0, sizeof w);
    w.rounding = fegetround();
    w.flags = fetestexcept(FE_ALL_EXCEPT);
    w.traps = fegetexcept();
#if defined __x86_64__
    __asm__ volatile("stmxcsr %0" : "=m"(w.mxcsr));
    __asm__ volatile("fnstcw %0" : "=m"(w.control));
    __asm__ volatile("fnstsw %0" : "=m"(w.status));
    w.status &= 0x80ff; /* not the condition codes */
#elif defined __aarch64__
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(w.fpcr), "=r"(w.fpsr));
#endif
    return w;
}

static void flush_subnormals(void) {
#if defined __x86_64__
    uint32_t mxcsr;
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    mxcsr |= 0x8040;
    __asm__ volatile("ldmxcsr %0" ::"m"(mxcsr));
#elif defined __aarch64__
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    __asm__ volatile("msr fpcr, %0" ::"r"(fpcr | (uint64_t)1 << 24));
#endif
}

/* Long doubles of 24 digits. */
static void narrow_x87(void) {
#if defined __x86_64__
    uint16_t control;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    control &= 0xfcff;
    __asm__ volatile("fldcw %0" ::"m"(control));
#endif
}

static void trap_all(void) {
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(FE_ALL_EXCEPT);
}

static void round_up(void) {
    fesetround(FE_UPWARD);
}

static void round_down(void) {
    fesetround(FE_DOWNWARD);
}

static void round_to_zero(void) {
    fesetround(FE_TOWARDZERO);
}

static void raise_some(void) {
    feraiseexcept(FE_DIVBYZERO | FE_INEXACT);
}

static void everything(void) {
    fesetround(FE_UPWARD);
    narrow_x87();
    flush_subnormals();
    trap_all();
}

typedef struct environment {
    const char *name;
    void (*set)(void);
} environment;

static const environment environments[] = {
    {"flags", raise_some},
    {"upward", round_up},
    {"downward", round_down},
    {"towards zero", round_to_zero},
    {"flushing", flush_subnormals},
    {"24 digits", narrow_x87},
    {"traps", trap_all},
    {"everything", everything},
};

/* ---- a program --------------------------------------------------------------------------------------------- */

typedef struct outcome {
    fsr_status status;
    int n, failed;
    size_t size[OUTPUTS];
    char *bytes[OUTPUTS];
    char text[8192];
    fsr_verify_report report;
} outcome;

static void outcome_free(outcome *o) {
    for (int i = 0; i < o->n; i++)
        free(o->bytes[i]);
    *o = (outcome){.n = 0};
}

/* Numbers of many sizes, subnormal ones among them, by their bits. */
static const uint32_t *numbers(void) {
    static uint32_t bits[LONG];
    for (uint32_t i = 0; bits[0] == 0 && i < LONG; i++)
        bits[i] = ((i * 2654435761u) >> 9) | (i % 5 == 0 ? 0 : 0x3e800000u + (i % 7 << 23)) | 1;
    return bits;
}

/* Literals, conversions, constants that builders compute. */
static int record_constants(fsr_graph *g, fsr_node x, fsr_node *out) {
    int n = 0;
    fsr_node third = fsr_div(fsr_float(g, 1), fsr_float(g, 3));
    out[n++] = fsr_mul(x, fsr_add(third, fsr_float(g, 0x1p-140)));
    out[n++] = fsr_cast(fsr_mul(fsr_float(g, 0.1), third), FSR_F16);
    out[n++] = fsr_full(g, FSR_F16, 1, SHAPE(3), 0.1);
    out[n++] = fsr_full(g, FSR_F32, 1, SHAPE(3), 1e-40);
    out[n++] = fsr_linspace(g, FSR_F32, 0.1, 1.7, 37, 0);
    out[n++] = fsr_add(fsr_param(g, "p", FSR_F32, 0.1), fsr_float(g, 0.7));
    out[n++] = fsr_expr(g, "x * 0.1 + 1e-40 / 3", (fsr_name[]){{"x", x}}, 1);
    out[n++] = fsr_norm(x, NULL, 0, 0, 3);
    out[n++] = fsr_mean(x, NULL, 0, 0);
    out[n++] = fsr_cast(fsr_add(fsr_arange(g, FSR_I64, 64), fsr_int(g, ((int64_t)1 << 53) + 1)), FSR_F32);
    return n;
}

static int record_kernels(fsr_graph *g, fsr_node x, fsr_node *out) {
    int n = 0;
    fsr_node wide = fsr_cast(x, FSR_F64), z = fsr_complex_of(x, fsr_div(x, fsr_float(g, 3)));
    out[n++] = fsr_div(x, fsr_float(g, 3));
    out[n++] = fsr_sub(fsr_exp(x), fsr_log1p(x));
    out[n++] = fsr_mul(x, fsr_float(g, 0x1p-10));
    out[n++] = fsr_sqrt(fsr_div(wide, fsr_float(g, 7)));
    out[n++] = fsr_sum(fsr_div(x, fsr_float(g, 3)), NULL, 0, 0);
    out[n++] = fsr_cumsum(fsr_div(x, fsr_float(g, 3)), AXES(0), 1, 0);
    out[n++] = fsr_cast(x, FSR_BF16);
    out[n++] = fsr_exp(z);
    out[n++] = fsr_pow(x, fsr_float(g, 1.7));
    return n;
}

static void read_all(outcome *o, const fsr_node *out) {
    for (int i = 0; i < o->n && !o->status; i++) {
        o->size[i] = (size_t)fsr_node_bytes(out[i]);
        o->bytes[i] = malloc(o->size[i] + 1);
        o->status = o->bytes[i] ? fsr_read(out[i], o->bytes[i], o->size[i]) : FSR_ERR_MEMORY;
    }
}

/* Everything from recording to reading, with `long` elements, or with few, which are also verified and printed. */
static void run(fsr_context *ctx, int64_t n, bool verify, outcome *o) {
    fsr_node out[OUTPUTS];
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node x = fsr_from_host(g, FSR_F32, 1, &n, numbers());
    o->n = record_constants(g, x, out);
    o->n += record_kernels(g, x, out + o->n);
    if (verify) {
        FILE *file = fmemopen(o->text, sizeof o->text, "w");
        o->status = file ? fsr_print(out, o->n, file) : FSR_ERR_MEMORY;
        if (file)
            fclose(file);
        if (!o->status)
            o->status = fsr_verify(out, o->n, &o->report);
    } else {
        o->status = fsr_compute(out, o->n);
    }
    read_all(o, out);
    fsr_graph_free(g);
}

/* The same, in an environment; false: it was another one afterwards. */
static bool run_in(const environment *e, fsr_context *ctx, int64_t n, bool verify, outcome *o) {
    fenv_t before;
    fegetenv(&before);
    e->set();
    const words given = read_words();
    run(ctx, n, verify, o);
    const words left = read_words();
    fesetenv(&before);
    return memcmp(&given, &left, sizeof given) == 0;
}

static void compare(const char *what, const environment *e, const outcome *want, const outcome *got, bool kept) {
    if (got->status)
        fail_msg("%s, %s: %s", what, e->name, fsr_status_name(got->status));
    assert_int_equal(got->n, want->n);
    for (int i = 0; i < want->n; i++) {
        assert_int_equal(got->size[i], want->size[i]);
        if (memcmp(got->bytes[i], want->bytes[i], want->size[i]) != 0)
            fail_msg("%s, %s: output %d has other bits", what, e->name, i);
    }
    assert_string_equal(got->text, want->text);
    if (memcmp(&got->report, &want->report, sizeof want->report) != 0)
        fail_msg("%s, %s: verify says something else", what, e->name);
    if (!kept)
        fail_msg("%s, %s: the environment was not restored", what, e->name);
}

/* ---- contexts ------------------------------------------------------------------------------------------------ */

static fsr_context *open_with(fsr_config config) {
    fsr_context *ctx = NULL;
    config.threads = 4;
    assert_int_equal(fsr_open(&config, &ctx), FSR_OK);
    return ctx;
}

/* The fast tier has flags alone, and all the others at once. */
static subject_tier tier_of(const environment *e) {
    return e->set == raise_some || e->set == everything ? SUBJECT_FAST : SUBJECT_LONG;
}

/* On one context whose workers run, and on one opened in the environment for each. */
static void check_context(const char *what, fsr_config config, int64_t n, bool verify) {
    fsr_context *first = open_with(config);
    outcome want = {.n = 0}, got = {.n = 0};
    run(first, n, verify, &want);
    assert_int_equal(want.status, FSR_OK);
    for (int i = 0; i < COUNT_OF(environments); i++) {
        const environment *e = &environments[i];
        if (!subject_case(0, tier_of(e)))
            continue;
        bool kept = run_in(e, first, n, verify, &got);
        compare(what, e, &want, &got, kept);
        outcome_free(&got);

        fenv_t before;
        fegetenv(&before);
        e->set();
        fsr_context *late = NULL;
        fsr_config four = config;
        four.threads = 4;
        const fsr_status status = fsr_open(&four, &late);
        run(late, n, verify, &got);
        fesetenv(&before);
        assert_int_equal(status, FSR_OK);
        compare("opened there", e, &want, &got, true);
        outcome_free(&got);
        run(late, n, verify, &got); /* workers that started in it */
        compare("started there", e, &want, &got, true);
        outcome_free(&got);
        fsr_close(late);
    }
    outcome_free(&want);
    fsr_close(first);
}

static void compiled(void **state) {
    (void)state;
    fsr_config config = subject_config();
    check_context("compiled", config, LONG, false);
    check_context("verified", config, SHORT, true);
}

static void interpreted(void **state) {
    (void)state;
    fsr_config config = subject_config();
    config.backend = FSR_BACKEND_CPU;
    config.compiler = "/nowhere/cc";
    config.cache_dir = "";
    config.log_level = 0;
    check_context("interpreted", config, SHORT, false);
}

static void reference(void **state) {
    (void)state;
    fsr_config config = subject_config();
    config.backend = FSR_BACKEND_REFERENCE;
    check_context("reference", config, SHORT, false);
}

/* A plan of the caller's, and a parameter set in the environment. */
static void plans(void **state) {
    (void)state;
    static float got[2][4096];
    const int64_t n = 4096;
    fsr_context *ctx = open_with(subject_config());
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node p = fsr_param(g, "p", FSR_F32, 0.1), x = fsr_input(g, "x", FSR_F32, 1, &n);
    fsr_node y = fsr_add(fsr_div(x, fsr_float(g, 3)), p);
    fsr_plan *plan = NULL;
    assert_int_equal(fsr_compile(&y, 1, &plan), FSR_OK);
    const fsr_arg in = {.name = "x", .data = (void *)numbers(), .bytes = sizeof got[0]};
    for (int i = 0; i < COUNT_OF(environments); i++) {
        for (int turn = 0; turn < 2; turn++) {
            const fsr_arg out = {.data = got[turn], .bytes = sizeof got[0]};
            fenv_t before;
            fegetenv(&before);
            if (turn)
                environments[i].set();
            const words given = read_words();
            const fsr_status status = fsr_plan_run(plan, &in, 1, &out, 1, NULL);
            const words left = read_words();
            fesetenv(&before);
            assert_int_equal(status, FSR_OK);
            assert_memory_equal(&given, &left, sizeof given);
        }
        assert_memory_equal(got[0], got[1], sizeof got[0]);
    }
    fsr_plan_free(plan);
    fsr_close(ctx);
}

#if defined __x86_64__
#include <cpuid.h>

/* Whether the upper halves of AVX registers hold anything; -1: the processor does not tell. */
static int upper_halves(void) {
    unsigned a, b, c, d, used, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_AVX))
        return -1;
    if (!__get_cpuid_count(13, 1, &a, &b, &c, &d) || !(a & 4))
        return -1;
    __asm__ volatile("xgetbv" : "=a"(used), "=d"(high) : "c"(1));
    return (used & 4) != 0;
}

/* Functions of the C library that are written for SSE, in kernels and in the caller's code, take twenty times as long
 * while they do: gcc writes vzeroupper behind vector code where it is told to optimize that far. */
static void upper_halves_are_left_empty(void **state) {
    (void)state;
    static double in[LONG], out[LONG];
    __asm__ volatile("vpcmpeqd %%xmm15, %%xmm15, %%xmm15\n\tvinsertf128 $1, %%xmm15, %%ymm15, %%ymm15" ::: "xmm15");
    const int seen = upper_halves();
    __asm__ volatile("vzeroupper" ::: "xmm15");
    if (seen != 1 || upper_halves() != 0)
        skip();
    fsr_config config = subject_config();
    config.threads = 1;
    fsr_context *ctx = subject_open(&config);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node x = fsr_input(g, "x", FSR_F64, 1, SHAPE(LONG));
    fsr_node y[] = {fsr_mul(x, fsr_float(g, 3)), fsr_cumsum(x, (const int[]){0}, 1, 0), fsr_mod(x, fsr_float(g, 2)),
                    fsr_lgamma(fsr_add(x, fsr_float(g, 1)))};
    for (int i = 0; i < COUNT_OF(y); i++) {
        fsr_plan *plan;
        assert_int_equal(fsr_compile(&y[i], 1, &plan), FSR_OK);
        const fsr_arg from = {.name = "x", .data = in, .bytes = sizeof in};
        const fsr_arg to = {.data = out, .bytes = sizeof out};
        assert_int_equal(fsr_plan_run(plan, &from, 1, &to, 1, NULL), FSR_OK);
        if (upper_halves() != 0)
            fail_msg("result %d left the upper halves of AVX registers in use", i);
        fsr_plan_free(plan);
    }
    fsr_graph_free(g);
    fsr_close(ctx);
}
#else
static void upper_halves_are_left_empty(void **state) {
    (void)state;
    skip();
}
#endif

static const struct CMUnitTest tests[] = {
    SUBJECT_OWN_CASES(compiled),
    SUBJECT_OWN_CASES(interpreted),
    SUBJECT_OWN_CASES(reference),
    cmocka_unit_test(plans),
    cmocka_unit_test(upper_halves_are_left_empty),
};

SUBJECT_MAIN(tests)

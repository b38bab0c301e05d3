/* SPDX-License-Identifier: MIT */
/* Generated sources, kept: what a change of the emitters does to them is seen in the diff. The plans are made for
 * an H200 and for a CPU with fixed figures, so the texts are the same on every machine.
 * FUSOR_UPDATE_GOLDEN=1 writes the files anew; look at the diff before committing it. */
#include "backend_cuda/emit_cuda.h"
#include "fusion/plan.h"
#include "runtime/context.h"
#include "runtime/text.h"
#include "tests/support/comma.h"
#include "tests/support/subject.h"
#include "tests/support/targets.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fsr_node vector(const char *name) {
    return fsr_input(subject_g, name, FSR_F32, 1, SHAPE(1 << 24));
}

static fsr_node matrix(int64_t rows, int64_t columns) {
    return fsr_input(subject_g, "m", FSR_F32, 2, SHAPE(rows, columns));
}

static fsr_node hidden_layer(void) {
    fsr_node v = fsr_mul(fsr_div(vector("grey"), fsr_float(subject_g, 255)), vector("weight"));
    fsr_node p = fsr_exp(v), m = fsr_exp(fsr_neg(v));
    return fsr_div(fsr_sub(p, m), fsr_add(p, m));
}

static fsr_node sum_of_product(void) {
    return fsr_sum(fsr_mul(vector("x"), vector("y")), NULL, 0, 0);
}

static fsr_node softmax_of(fsr_node x) {
    fsr_node e = fsr_exp(fsr_sub(x, fsr_max(x, AXES(1), 1, FSR_KEEPDIMS)));
    return fsr_div(e, fsr_sum(e, AXES(1), 1, FSR_KEEPDIMS));
}

static fsr_node softmax(void) {
    return softmax_of(matrix(4096, 4096));
}

static fsr_node softmax_long(void) {
    return softmax_of(matrix(16, 1 << 20));
}

static fsr_node col_sum(void) {
    return fsr_sum(matrix(4096, 4096), AXES(0), 1, 0);
}

static fsr_node cumsum(void) {
    return fsr_cumsum(vector("x"), AXES(0), 1, 0);
}

static fsr_node transposed(void) {
    fsr_node m = matrix(4096, 1024);
    return fsr_add(fsr_transpose(fsr_mul(m, m), NULL), fsr_float(subject_g, 0.5));
}

/* Elements at computed indices, mapped on both sides. */
static fsr_node gather(void) {
    fsr_node x = fsr_input(subject_g, "x", FSR_F32, 1, SHAPE(1000));
    fsr_node i = fsr_input(subject_g, "i", FSR_I32, 1, SHAPE(1000));
    return fsr_sqrt(fsr_take(fsr_mul(x, x), fsr_neg(i), 0, FSR_INDEX_RAISE));
}

/* Two arrays side by side, one of them computed where it is read: vectors, as their widths allow it. */
static fsr_node concat(void) {
    fsr_node a = matrix(4096, 1024), b = fsr_input(subject_g, "b", FSR_F32, 2, SHAPE(4096, 3072));
    return fsr_concat((fsr_node[]){fsr_mul(a, a), b}, 2, 1);
}

/* A function of a function: on a CPU two loops over a strip. */
static fsr_node chain(void) {
    return fsr_log1p(fsr_exp(vector("x")));
}

/* Its sum along rows: the same in lanes. */
static fsr_node chain_sum(void) {
    fsr_node scale = fsr_input(subject_g, "s", FSR_F32, 2, SHAPE(64, 1));
    return fsr_sum(fsr_mul(fsr_log1p(fsr_exp(fsr_mul(matrix(64, 4096), scale))), scale), AXES(1), 1, 0);
}

/* What a mask selects, in order: a scan and a store at computed addresses. */
static fsr_node filter(void) {
    fsr_node x = vector("x");
    return fsr_filter(x, fsr_greater(x, fsr_float(subject_g, 0.5)), fsr_float(subject_g, 0));
}

/* The same with nothing behind it: a filter that has one end. */
static fsr_node compress(void) {
    fsr_node x = vector("x");
    return fsr_neg(fsr_compress(fsr_greater(x, fsr_float(subject_g, 0.5)), x));
}

/* The elements before a count that the kernel loads. */
static fsr_node live(void) {
    fsr_node x = fsr_live(vector("x"), fsr_input(subject_g, "n", FSR_I64, 0, NULL));
    return fsr_sum(fsr_mul(x, x), NULL, 0, 0);
}

/* A caller's function: its text stands behind the kernel. */
static fsr_node native(void) {
    static const fsr_native steps = {.name = "steps",
                                     .result = FSR_I32,
                                     .parameters = "f32 re, f32 im, i32 limit",
                                     .c = "return limit < HALF ? (i32)hypotf(re, im) : limit / 2;",
                                     .cuda = "return limit < HALF ? (i32)hypotf(re, im) : limit >> 1;",
                                     .c_preamble = "#define HALF 10",
                                     .cuda_preamble = "#define HALF 10"};
    fsr_node x = vector("x"), arg[] = {fsr_neg(x), vector("y"), fsr_int(subject_g, 50)};
    return fsr_sum(fsr_mul(fsr_call_native(&steps, arg, 3), x), NULL, 0, 0);
}

static void mandelbrot_holds(fsr_node *out, const fsr_node *z, const fsr_node *c, void *user) {
    (void)c, (void)user;
    fsr_node far = fsr_float(subject_g, 4), im = fsr_mul(z[1], z[1]), re = fsr_mul(z[0], z[0]);
    out[0] = fsr_less_equal(fsr_add(re, im), far);
}

static void mandelbrot_turn(fsr_node *out, const fsr_node *z, const fsr_node *c, void *user) {
    (void)user;
    fsr_node im = fsr_mul(z[1], z[1]), re = fsr_mul(z[0], z[0]), two = fsr_float(subject_g, 2);
    out[0] = fsr_add(fsr_sub(re, im), c[0]);
    out[1] = fsr_add(fsr_mul(fsr_mul(z[0], z[1]), two), c[1]);
}

/* A loop for each element, its count folded along rows. */
static fsr_node mandelbrot(void) {
    static const fsr_loop loop = {mandelbrot_turn, mandelbrot_holds, NULL, 2, 2};
    fsr_node zero = fsr_zeros(subject_g, FSR_F32, 0, NULL), m = matrix(2048, 2048), out[3];
    fsr_iterate(out, &loop, (fsr_node[]){zero, zero}, (fsr_node[]){m, fsr_transpose(m, NULL)}, 100);
    return fsr_mean(out[2], AXES(1), 1, 0);
}

static const struct {
    const char *name;
    fsr_node (*build)(void);
} programs[] = {{"hidden_layer", hidden_layer},
                {"sum_of_product", sum_of_product},
                {"softmax", softmax},
                {"softmax_long", softmax_long},
                {"col_sum", col_sum},
                {"cumsum", cumsum},
                {"transposed", transposed},
                {"concat", concat},
                {"gather", gather},
                {"chain", chain},
                {"chain_sum", chain_sum},
                {"filter", filter},
                {"compress", compress},
                {"live", live},
                {"native", native},
                {"mandelbrot", mandelbrot}};

static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fsr_text text = {0};
    char block[4096];
    for (size_t n; (n = fread(block, 1, sizeof block, file)) > 0;)
        fsr_text_raw(&text, block, n);
    fclose(file);
    return fsr_text_take(&text);
}

static void compare(const char *name, const char *suffix, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "tests/golden/%s.%s", name, suffix);
    if (getenv("FUSOR_UPDATE_GOLDEN")) {
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_true(fputs(text, file) >= 0);
        assert_int_equal(fclose(file), 0);
        return;
    }
    char *kept = read_file(path);
    if (!kept)
        fail_msg("%s is missing; FUSOR_UPDATE_GOLDEN=1 makes it", path);
    if (strcmp(kept, text) != 0)
        fail_msg("%s differs from what is generated now; if that is meant, run with FUSOR_UPDATE_GOLDEN=1", path);
    free(kept);
}

static void program_of(const char *name, fsr_node out, const fsr_target *target, fsr_program *program) {
    fsr_flow flow;
    fsr_binding binding;
    char why[256];
    fsr_ref ref = {out.id, out.output};
    fsr_program_options options = {.target = *target, .fusion = true, .fuel = -1};
    assert_int_equal(fsr_flow_build(&flow, &binding, subject_g, &ref, 1), FSR_OK);
    fsr_binding_clear(&binding);
    if (fsr_program_make(program, &flow, &options, why, sizeof why))
        fail_msg("%s", why);
    /* A CPU divides by a long row's sum in a kernel of its own, since the exponentials are computed once. */
    const bool divides = !target->gpu && !strcmp(name, "softmax_long");
    assert_int_equal(program->info.kernels, 1 + divides);
}

static void on_gpu(void **state) {
    (void)state;
    for (int i = 0; i < COUNT_OF(programs); ++i) {
        fsr_program program;
        fsr_text text = {0};
        program_of(programs[i].name, programs[i].build(), &target_gpu, &program);
        assert_int_equal(fsr_emit_cuda(fsr_program_kernel(&program, 0)->kernel, &text), FSR_OK);
        char *source = fsr_text_take(&text);
        compare(programs[i].name, "cu", source);
        free(source);
        fsr_program_clear(&program);
    }
}

static void on_cpu(void **state) {
    (void)state;
    fsr_backend *backend = fsr_context_backend(subject_ctx);
    for (int i = 0; i < COUNT_OF(programs); ++i) {
        fsr_program program;
        fsr_fault fault = {FSR_OK, NULL};
        char *source = NULL;
        program_of(programs[i].name, programs[i].build(), &target_cpu, &program);
        assert_int_equal(backend->ops->emit(backend, fsr_program_kernel(&program, 0)->kernel, &source, &fault), FSR_OK);
        compare(programs[i].name, "c.txt", source);
        free(source);
        fsr_program_clear(&program);
    }
}

/* The loop IR itself, with the schedule of each machine. */
static void loop_ir_of(const fsr_target *target, const char *suffix) {
    for (int i = 0; i < COUNT_OF(programs); ++i) {
        fsr_program program;
        char *text = NULL;
        size_t size = 0;
        program_of(programs[i].name, programs[i].build(), target, &program);
        FILE *to = open_memstream(&text, &size);
        fsr_kernel_print(fsr_program_kernel(&program, 0)->kernel, to);
        assert_int_equal(fclose(to), 0);
        compare(programs[i].name, suffix, text);
        free(text);
        fsr_program_clear(&program);
    }
}

static void loop_ir(void **state) {
    (void)state;
    loop_ir_of(&target_gpu, "ir");
    loop_ir_of(&target_cpu, "cpu.ir");
}

/* The same files in a program whose numbers have a decimal comma. */
static void with_a_comma(void **state) {
    if (!comma_begin())
        skip();
    on_gpu(state);
    on_cpu(state);
    loop_ir(state);
    comma_end();
}

static const struct CMUnitTest tests[] = {SUBJECT_TEST(on_gpu), SUBJECT_TEST(on_cpu), SUBJECT_TEST(loop_ir),
                                          SUBJECT_TEST(with_a_comma)};
SUBJECT_MAIN(tests)

/* SPDX-License-Identifier: MIT */
/* Several nests in one kernel: on a CPU neighbours of a computed value are computed for a band of rows and read near
 * by. The bits are those of the kernels that store it, whatever the threads, the shapes and the order of who reads;
 * literals that have become arguments are arguments of a nest too. */
#include <fusor/fusor.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Programs of a[rows, cols] and a literal, the kernels that they are on a CPU, and the temporaries. */
static const struct {
    const char *text;
    int64_t rows, cols;
    int kernels, temporaries;
} programs[] = {
    /* who stores goes along one flat dimension, who reads along rows, and the other way round */
    {"e = exp(a[:-2,:] * %g + a[2:,:]); e[:,:-2] + e[:,1:-1] * e[:,2:]", 1100, 300, 1, 0},
    {"e = exp(a[:,:-2] * %g + a[:,2:]); e[:-2,:] + e[1:-1,:] * e[2:,:]", 1100, 300, 1, 0},
    /* a chain, whose first value the last nest reads as well */
    {"e = exp(a[:-2,1:-1] * %g - a[2:,:-2]); f = exp(e[:-2,1:-1] * 0.01 + e[1:-1,:-2] - e[2:,2:]);"
     "f[:-2,1:-1] + f[1:-1,:-2] * f[2:,2:] + e[2:-2,2:-2]",
     1100, 300, 1, 0},
    /* every other row; elements of two bytes; a border of zeros */
    {"e = exp(a * %g); e[:-1:2,:-1] - e[1::2,1:] * e[:-1:2,1:]", 1100, 300, 1, 0},
    {"e = f16(1 / (a * a + %g)); e[:-2,1:-1] + e[1:-1,:-2] * e[2:,2:]", 1100, 600, 1, 0},
    {"p = pad(exp(a * %g), [2, 1, 0, 3]); p[:-3,1:-2] + p[1:-2,:-3] * p[3:,3:]", 1100, 300, 1, 0},
    /* a row is as long as a near cache; what is stored is little; the last row first; a row at every point */
    {"e = exp(sin(a * %g)); e[:-2,1:-1] + e[1:-1,:-2] * e[2:,2:]", 8, 70000, 2, 1},
    {"e = exp(a * %g); e[:-2,1:-1] + e[1:-1,:-2] * e[2:,2:]", 300, 300, 2, 1},
    {"e = exp(a * %g); e[::-1,:-2] + e[::-1,1:-1] * e[::-1,2:]", 1100, 300, 2, 1},
    {"e = exp(a * %g); e[:-1,:-1] + e[1:,1:] * e[:1,1:]", 1100, 300, 2, 1},
};

enum { PROGRAMS = sizeof programs / sizeof *programs };

static fsr_node record(fsr_graph *graph, int which, double literal) {
    const int64_t rows = programs[which].rows, cols = programs[which].cols;
    char text[512];
    float *data = malloc((size_t)(rows * cols) * sizeof *data);
    for (int64_t i = 0; i < rows * cols; i++)
        data[i] = (float)((i * 7919 + which * 13) % 1009) / 512 - 1;
    fsr_name name = {"a", fsr_from_host(graph, FSR_F32, 2, (int64_t[]){rows, cols}, data)};
    snprintf(text, sizeof text, programs[which].text, literal);
    free(data);
    return fsr_expr(graph, text, &name, 1);
}

/* The program's result for the last of several literals, after the others; freed by the caller. threads 0: it is
 * interpreted, as no compiler works. */
static char *result_of(int which, bool fused, int threads, size_t *bytes) {
    fsr_config config;
    fsr_context *ctx;
    fsr_plan_info info;
    char why[256], *out = NULL;
    assert_int_equal(fsr_config_init(&config, why, sizeof why), FSR_OK);
    config.backend = FSR_BACKEND_CPU;
    config.fusion = fused;
    config.threads = threads ? threads : 1;
    config.compiler = threads ? config.compiler : "/nonexistent";
    config.log_level = threads ? config.log_level : 0;
    assert_int_equal(fsr_open(&config, &ctx), FSR_OK);
    for (int i = threads ? 1 : 4; i <= 4; i++) {
        fsr_graph *graph = fsr_graph_new(ctx);
        fsr_node x = record(graph, which, i / 8.0);
        *bytes = (size_t)fsr_node_size(x) * fsr_dtype_size(fsr_node_dtype(x));
        free(out);
        out = malloc(*bytes);
        if (fused && (fsr_query(&x, 1, &info) || info.kernels != programs[which].kernels ||
                      info.temporaries != programs[which].temporaries))
            fail_msg("%d, %s: %d kernels, %d temporaries; %s", which, programs[which].text, info.kernels,
                     info.temporaries, fsr_error(ctx));
        if (fsr_compute(&x, 1) || fsr_read(x, out, *bytes))
            fail_msg("%s: %s", programs[which].text, fsr_error(ctx));
        fsr_graph_free(graph);
    }
    fsr_close(ctx);
    return out;
}

static void check_bits(int which, int threads, const char *stored, size_t bytes) {
    size_t other;
    char *fused = result_of(which, true, threads, &other);
    if (bytes != other || memcmp(fused, stored, bytes) != 0)
        fail_msg("%s: other bits with %d threads", programs[which].text, threads);
    free(fused);
}

static void have_the_bits_of_what_is_stored(void **state) {
    (void)state;
    for (int i = 0; i < PROGRAMS; i++) {
        size_t bytes;
        char *stored = result_of(i, false, 1, &bytes);
        check_bits(i, 1, stored, bytes);
        check_bits(i, 3, stored, bytes);
        free(stored);
    }
}

/* What a hint asks to store is stored, and explain says so. */
static void a_hint_stores(void **state) {
    (void)state;
    enum { ROWS = 1024 };
    fsr_config config;
    fsr_context *ctx;
    fsr_plan_info info;
    char why[256];
    assert_int_equal(fsr_config_init(&config, why, sizeof why), FSR_OK);
    config.backend = FSR_BACKEND_CPU;
    assert_int_equal(fsr_open(&config, &ctx), FSR_OK);
    for (int hinted = 0; hinted < 2; hinted++) {
        fsr_graph *graph = fsr_graph_new(ctx);
        fsr_node x = fsr_input(graph, "x", FSR_F32, 2, (int64_t[]){ROWS, ROWS});
        fsr_node y = fsr_hint_set(fsr_reciprocal(fsr_add(fsr_mul(x, x), fsr_float(graph, 1))),
                                  hinted ? FSR_HINT_MATERIALIZE : FSR_HINT_NONE);
        fsr_name name = {"y", y};
        fsr_node z = fsr_expr(graph, "p = pad(y, [1, 1, 0, 0]); p[:-2] + p[2:] + y", &name, 1);
        assert_int_equal(fsr_query(&z, 1, &info), FSR_OK);
        assert_int_equal(info.temporaries, hinted);
        fsr_graph_free(graph);
    }
    fsr_close(ctx);
}

/* The interpreter runs nest after nest. */
static void are_interpreted(void **state) {
    (void)state;
    size_t bytes;
    char *stored = result_of(2, false, 0, &bytes);
    check_bits(2, 0, stored, bytes);
    free(stored);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(have_the_bits_of_what_is_stored),
                                       cmocka_unit_test(a_hint_stores), cmocka_unit_test(are_interpreted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

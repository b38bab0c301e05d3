/* SPDX-License-Identifier: MIT */
/* Neighbours, pads, pastes and gathers: whatever versions and phases their loops have, maps have the bits of their
 * unfused kernels, and everything is what the reference says. */
#include <fusor/fusor.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *text;
    int64_t rows, cols;
    bool map;
} programs[] = {
    {"p = pad(a, [1, 1, 1, 1], mode=edge); p[1:-1,:-2] + p[1:-1,2:] - p[:-2,1:-1] * p[2:,1:-1]", 70, 130, true},
    {"p = pad(a, [2, 1, 1, 2], mode=wrap); p[2:-1,:-3] + p[:-3,3:] - p[3:,1:-2]", 33, 300, true},
    {"p = pad(a, [1, 1, 1, 1], mode=reflect); max(p[:-2,:-2], p[2:,2:], p[:-2,2:], p[2:,:-2])", 5, 2000, true},
    {"p = pad(a, [0, 0, 1, 1], mode=symmetric); p[:,:-2] + p[:,2:] * 2", 500, 3, true},
    {"p = pad(u8(a), [3, 3, 3, 3]); max(p[6:,6:], p[:-6,:-6], p[3:-3,:-6])", 64, 257, true},
    {"b = update(a, a[1:-1,1:-1], a[1:-1,:-2] + a[1:-1,2:] + a[2:,1:-1] - a[:-2,1:-1]);"
     "update(b, b[1:-1,1:-1], b[1:-1,:-2] - b[1:-1,2:] + b[2:,1:-1] * b[:-2,1:-1])",
     40, 90, true},
    {"c = update(a, a[:20,:50], a[20:40,50:100] * 2); d = update(c, c[10:30,40:90], -a[:20,:50]); update(d, "
     "d[1::2,::3], "
     "sqrt(abs(a[1::2,::3])))",
     60, 120, true},
    {"exp(update(a, a[::2,1::2], a[1::2,::2] * 2))", 64, 400, true},
    {"concat(a * 2, a[:,:7], sqrt(abs(a)), axis=1)", 30, 100, true},
    {"p = pad(a, [1, 1, 1, 1], mode=edge); sum(p[1:-1,:-2] * p[1:-1,2:] - p[:-2,1:-1] + p[2:,1:-1], 1)", 50, 1000,
     false},
    {"p = pad(a, [1, 1, 1, 1], mode=wrap); sum(p[1:-1,:-2] * p[1:-1,2:] - p[:-2,1:-1] + p[2:,1:-1], 0)", 300, 150,
     false},
    {"p = pad(a, [1, 1, 1, 1], mode=reflect); cumsum(p[1:-1,:-2] - p[1:-1,2:] + p[:-2,1:-1], 1)", 20, 1500, false},
    {"p = pad(a, [1, 1, 1, 1], mode=wrap); cumsum(p[1:-1,:-2] - p[1:-1,2:] + p[:-2,1:-1], 0)", 90, 140, false},
    {"sum(concat(a * 2, a[:,:70], axis=1))", 40, 3000, false},
    {"i = i64(abs(a) * 1000) % 77; exp(take(ravel(a), i)) * a + sqrt(abs(a))", 40, 300, true},
    {"i = i64(abs(a) * 1000) % 77; sum(exp(take(ravel(a), i)) * a, 1)", 40, 300, false},
    {"i = i64(abs(a) * 1000) % 77; sum(exp(take_along_axis(a, i, 1)) * a, 0)", 200, 150, false},
    {"i = i64(abs(a) * 1000) % 77; cumsum(take(ravel(a), i) - a % 3, 1)", 10, 2500, false},
    {"i = i64(abs(a) * 1000) % 77; w = take(ravel(a), i); update(a, a[3:-3,5:-5], w[6:,10:] * w[:-6,:-10])", 60, 200,
     true},
};

enum { PROGRAMS = sizeof programs / sizeof *programs };

/* The program's result on numbers that are made here; freed by the caller. */
static float *result_of(int which, bool fused, int64_t *bytes) {
    const int64_t rows = programs[which].rows, cols = programs[which].cols;
    fsr_config config;
    fsr_context *ctx;
    char why[256];
    float *data = malloc((size_t)(rows * cols) * sizeof *data), *out;
    for (int64_t i = 0; i < rows * cols; i++)
        data[i] = (float)((i * 7919 + which * 13) % 1009) / 64 - 7;
    assert_int_equal(fsr_config_init(&config, why, sizeof why), FSR_OK);
    config.fusion = fused;
    assert_int_equal(fsr_open(&config, &ctx), FSR_OK);
    fsr_graph *graph = fsr_graph_new(ctx);
    fsr_name name = {"a", fsr_from_host(graph, FSR_F32, 2, (int64_t[]){rows, cols}, data)};
    fsr_node x = fsr_expr(graph, programs[which].text, &name, 1);
    *bytes = fsr_node_size(x) * (int64_t)fsr_dtype_size(fsr_node_dtype(x));
    out = malloc((size_t)*bytes);
    if (fused) {
        fsr_verify_report report;
        if (fsr_verify(&x, 1, &report))
            fail_msg("%s: %s", programs[which].text, fsr_error(ctx));
    }
    if (fsr_compute(&x, 1) || fsr_read(x, out, (size_t)*bytes))
        fail_msg("%s: %s", programs[which].text, fsr_error(ctx));
    fsr_close(ctx);
    free(data);
    return out;
}

static void have_their_bits(void **state) {
    (void)state;
    for (int i = 0; i < PROGRAMS; i++) {
        int64_t bytes, other;
        float *fused = result_of(i, true, &bytes), *unfused = programs[i].map ? result_of(i, false, &other) : NULL;
        if (unfused && (bytes != other || memcmp(fused, unfused, (size_t)bytes) != 0))
            fail_msg("%s: fused and unfused differ", programs[i].text);
        free(fused);
        free(unfused);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(have_their_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Functions of the vocabulary of generated CUDA on the host: powers, by an exponent that is known to the compiler and by one that
 * is not. What the machine approximates is exact here; the bound leaves room for it. */
#include "backend_cuda/prelude.h"
#include "tests/host_cuda/host_cuda.h"
#include "tests/support/powers.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { N = 1 << 16 };

/* Powers by the text `exponent`. */
static void run(const char *exponent, const float *a, const float *b, float *y) {
    fsr_text text = {0};
    fsr_fault fault = {FSR_OK, NULL};
    fsr_text_add(&text, "typedef float f32;\ntypedef double f64;\ntypedef unsigned u32, idx;\ntypedef int i32;\n");
    fsr_prelude_print(&text, "fsr_powf", true);
    fsr_text_add(&text,
                 "extern \"C\" __global__ void powers(const f32 *a, const f32 *b, f32 *y)\n"
                 "{\n    const u32 i = blockIdx.x * 64 + threadIdx.x;\n    y[i] = fsr_powf(a[i], %s);\n}\n",
                 exponent);
    char *source = fsr_text_take(&text);
    assert_non_null(source);
    if (host_cuda_run_text("powers", source, (void *[]){&a, &b, &y}, N / 64, 64, 1, &fault))
        fail_msg("%s", fault.message);
    free(source);
}

static void test_powers(void **state) {
    (void)state;
    static const double literal[] = {2.5, 3, -3, 0.4375, 4};
    static float a[N], b[N], y[N];
    powers_draw(a, b, N);
    run("b[i]", a, b, y);
    powers_check(a, b, y, N, "arrays");
    for (int l = 0; l < 5; l++) {
        char text[32];
        snprintf(text, sizeof text, "%af", literal[l]);
        for (int i = 0; i < N; i++)
            b[i] = (float)literal[l];
        run(text, a, b, y);
        powers_check(a, b, y, N, text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_powers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

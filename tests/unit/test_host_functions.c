/* SPDX-License-Identifier: MIT */
/* Functions of the vocabulary of generated CUDA on the host: powers, by an exponent that is known to the compiler and
 * by one that is not, and quotients. What the machine approximates is exact here; the bound of powers leaves room for
 * it. */
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

typedef union u_bits {
    float number;
    uint32_t bits;
} u_bits;

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

/* Quotients by an odd whole number, of zeros, of every 17th subnormal number and first normal one, of what lies around
 * the middle, and of the ends: the machine's own. */
static void test_quotients(void **state) {
    (void)state;
    static const float divisor[] = {3, -3, 5, 7, 9, 255, 1023, -4194303};
    static u_bits a[N], y[N];
    for (int l = 0; l < 8; l++) {
        fsr_text text = {0};
        fsr_fault fault = {FSR_OK, NULL};
        for (uint32_t i = 0; i < N; i++)
            a[i].bits = (i & 1) << 31 | (i < N / 2    ? i * 521
                                         : i < N - 64 ? 0x3f000000 + i * 1031
                                                      : 0x7f800020 - (N - i));
        fsr_text_add(&text, "typedef float f32;\ntypedef unsigned u32, idx;\n");
        fsr_prelude_print(&text, "fsr_overf_odd", true);
        fsr_text_add(&text,
                     "extern \"C\" __global__ void quotients(const f32 *a, f32 *y)\n{\n"
                     "    const u32 i = blockIdx.x * 64 + threadIdx.x;\n    y[i] = fsr_overf_odd(a[i], %af);\n}\n",
                     divisor[l]);
        char *source = fsr_text_take(&text);
        assert_non_null(source);
        u_bits *from = a, *to = y;
        if (host_cuda_run_text("quotients", source, (void *[]){&from, &to}, N / 64, 64, 1, &fault))
            fail_msg("%s", fault.message);
        free(source);
        for (int i = 0; i < N; i++) {
            const u_bits want = {.number = a[i].number / divisor[l]};
            if (want.bits != y[i].bits && want.number == want.number)
                fail_msg("%a / %a is %a, not %a", a[i].number, divisor[l], want.number, y[i].number);
            assert_true(want.number == want.number || y[i].number != y[i].number);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_powers), cmocka_unit_test(test_quotients)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

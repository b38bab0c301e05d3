/* SPDX-License-Identifier: MIT */
/* Graphs whose rewrites for a GPU are checked by the fuzzer's own comparison: clips behind conversions
 * (fusion/clips.c). */
#include "tests/fuzz/regression.h"

/* Floats that are clipped and become integers, NaN and infinities among them: on a GPU the integers are clipped, but
 * where 0 is outside of the clip, and where somebody else reads the clipped float. */
static void test_clips_of_integers(void **state) {
    (void)state;
    fsr_node x = fuzz_leaf(g, FSR_F32, 1, SHAPE(700), 4), zero = fsr_float(g, 0);
    fsr_node far = fsr_mul(x, fsr_float(g, 77)), odd = fsr_div(far, fsr_sub(fsr_floor(x), fsr_sign(x)));
    fsr_node nan = fsr_div(fsr_floor(fsr_mul(x, fsr_float(g, 0.1))), zero), any[] = {far, odd, nan, fsr_exp(far)};
    static const double ends[][2] = {{-1, 256}, {0, 255}, {-7.75, 99.5}, {3, 200}, {-90, -2}, {-1e20, 1e20}};
    static const fsr_dtype dtypes[] = {FSR_I32, FSR_U8, FSR_I16, FSR_I64};
    for (int v = 0; v < 4; v++)
        for (int d = 0; d < 4; d++) {
            fsr_node out[6];
            for (int e = 0; e < 6; e++) {
                fsr_node low = fsr_float(g, ends[e][0]), high = fsr_float(g, ends[e][1]);
                fsr_node clip = e % 2 ? fsr_clamp(any[v], low, high) : fsr_minimum(high, fsr_maximum(any[v], low));
                out[e] = fsr_minimum(fsr_cast(clip, dtypes[d]), fsr_cast(fsr_float(g, 90), dtypes[d]));
            }
            CHECK(false, out[0], out[1], out[2], out[3], out[4], out[5]);
        }
    fsr_node read = fsr_maximum(odd, fsr_float(g, -5));
    CHECK(false, fsr_cast(read, FSR_I32), fsr_mul(read, x));
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(test_clips_of_integers)};
    return cmocka_run_group_tests_name("fuzz regressions of clips", tests, NULL, NULL);
}

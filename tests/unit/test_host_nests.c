/* SPDX-License-Identifier: MIT */
/* Tiles of computed values in generated CUDA, on the host: two nests in one kernel, given as text, of which a block
 * computes the first one's tile in shared memory and reads it there. Sizes lie around a tile's. */
#include "backend_cuda/emit_cuda.h"
#include "fusion/loop_ir_parse.h"
#include "tests/host_cuda/host_cuda.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* b1 = e + e two lines and two elements behind, e = b2 * b2 - the line behind. */
static const char text[] =
    "kernel last: mul, sub, add\n"
    "  domain [d0, d1] passes 0 ints 22 pitch i21\n"
    "  array b0 f32 banded\n"
    "  array b1 f32 written\n"
    "  array b2 f32\n"
    "  schedule gpu map threads 64 abreast 1 high 4 broad 32 vector 1 items 2 accumulators 0 resident 0\n"
    "  p0 row  v0 = f32 load b0[d0*i6 + d1] near 0 of 1, 0 of 1\n"
    "  p0 row  v1 = f32 load b0[i7 + d0*i6 + d1] near 2 of 1, 2 of 1\n"
    "  p0 row  v2 = f32 add(v0, v1)\n"
    "  p0 row  store b1[d0*i8 + d1] linear row_linear = v2\n"
    "  nest ints i9 scalars s0 reach i16 arrays b2, b0\n"
    "  title first: mul, sub\n"
    "  domain [d0] passes 0 ints 7\n"
    "  array b0 f32\n"
    "  array b1 f32 written banded\n"
    "  schedule gpu map threads 64 abreast 1 high 6 broad 34 vector 1 items 4 accumulators 0 resident 0\n"
    "  p0 row  v0 = f32 load b0[d0] linear row_linear\n"
    "  p0 row  v1 = f32 mul(v0, v0)\n"
    "  p0 row  v2 = f32 load b0[i5 + d0]\n"
    "  p0 row  v3 = f32 sub(v1, v2)\n"
    "  p0 row  store b1[d0] linear row_linear = v3\n"
    "  end\n";

static fsr_kernel *read_kernel(void) {
    fsr_parse_error error;
    fsr_kernel *k;
    if (fsr_kernel_parse(text, &k, NULL, &error))
        fail_msg("%s", error.message);
    return k;
}

/* Of a result of rows by cols: what is read has two elements more in each line, and three lines more. */
static fsr_launch launch_of(const fsr_kernel *k, int64_t rows, int64_t cols) {
    const int64_t wide = cols + 2, all = (rows + 2) * wide;
    fsr_launch launch = {.integer = {rows * cols, 1, 1,    1, rows, cols, wide, 2 * wide + 2, cols, all, 1, 1, 1, all,
                                     wide,        0, wide, 0, 1,    0,    1,    cols}};
    launch.blocks = fsr_kernel_blocks(k, launch.integer);
    launch.array[1] = calloc((size_t)(rows * cols + 1), sizeof(float));
    launch.array[2] = calloc((size_t)((rows + 3) * wide), sizeof(float));
    for (int64_t i = 0; i < (rows + 3) * wide; i++)
        ((float *)launch.array[2])[i] = (float)(i * 7919 % 1009) / 16;
    return launch;
}

/* Around the extents of a tile. */
static void edges_of_tiles(void **state) {
    (void)state;
    static const int64_t size[][2] = {{1, 1}, {3, 31}, {4, 32}, {5, 33}, {9, 1}, {1, 97}, {13, 64}, {8, 65}};
    fsr_kernel *k = read_kernel();
    fsr_text source = {0};
    fsr_fault fault = {FSR_OK, NULL};
    assert_int_equal(fsr_emit_cuda_for_host(k, &source), FSR_OK);
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        const int64_t rows = size[i][0], cols = size[i][1];
        fsr_launch want = launch_of(k, rows, cols), got = launch_of(k, rows, cols);
        assert_int_equal(want.blocks, (rows + 3) / 4 * ((cols + 31) / 32));
        assert_int_equal(fsr_kernel_interpret(k, &want), FSR_OK);
        for (uint64_t seed = 0; seed < 3; seed++)
            if (host_cuda_run(k, source.data, &got, seed, &fault))
                fail_msg("%s\n%s", fault.message, source.data);
        assert_memory_equal(want.array[1], got.array[1], (size_t)(rows * cols) * sizeof(float));
        for (int b = 1; b < 3; b++) {
            free(want.array[b]);
            free(got.array[b]);
        }
    }
    fsr_text_free(&source);
    fsr_kernel_free(k);
}

/* What a load says of its place in a tile must be where its address leads: the interpreter looks. */
static void claims_are_checked(void **state) {
    (void)state;
    fsr_kernel *k = read_kernel();
    for (int i = 0; i < 3; i++) {
        fsr_launch launch = launch_of(k, 5, 40);
        launch.integer[7] += i == 1;
        launch.integer[17] -= i == 2;
        assert_int_equal(fsr_kernel_interpret(k, &launch), i ? FSR_ERR_INTERNAL : FSR_OK);
        free(launch.array[1]);
        free(launch.array[2]);
    }
    fsr_kernel_free(k);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(edges_of_tiles), cmocka_unit_test(claims_are_checked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

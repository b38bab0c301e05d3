/* SPDX-License-Identifier: MIT */
/* Broadcast products reduced, by hand: what tiles of outputs are for; and which loads a schedule stages. */
#include "fusion/outputs.h"
#include "fusion/square.h"
#include "tests/support/kernels.h"

/* Slots of strides: 0 none, 1 one, or the extent of another dimension. */
static int operand(fsr_kernel *k, fsr_dtype dtype, int level, int d0, int d1, int d2) {
    const int array = kernel_array(k, dtype, false);
    return kernel_load(k, (fsr_level)level, 0, kernel_strided(k, array, (int[]){d0, d1, d2}, -1));
}

fsr_kernel *kernel_products(fsr_dtype dtype, bool turned) {
    enum { D0 = FSR_INT_EXTENT, D1, D2 };
    fsr_kernel *k = kernel_begin(turned ? "k_turned_products" : "k_products", 3, 2, 1);
    const int row = operand(k, dtype, FSR_ROW, 1, 0, 0), lane = operand(k, dtype, FSR_ROW, 0, 1, 0);
    const int a = turned ? operand(k, dtype, FSR_ELEM, 1, 0, D0) : operand(k, dtype, FSR_ELEM, D2, 0, 1);
    const int b = turned ? operand(k, dtype, FSR_ELEM, 0, D2, 1) : operand(k, dtype, FSR_ELEM, 0, 1, D1);
    const int c = operand(k, dtype, FSR_ELEM, 0, 0, 1);
    const int product =
        kernel_op(k, FSR_OP_MUL, kernel_op(k, FSR_OP_SUB, a, row, 0), kernel_op(k, FSR_OP_SUB, b, lane, 0), 0);
    const int most = kernel_op(k, FSR_OP_ADD, kernel_op(k, FSR_OP_SUB, a, b, 0), c, 0);
    const int place =
        kernel_op(k, FSR_OP_SUB, kernel_op(k, FSR_OP_ADD, kernel_index(k, dtype, 0), kernel_index(k, dtype, 1), 0),
                  kernel_index(k, dtype, 2), 0);
    const int sum = kernel_builtin(k, FSR_FOLD_REDUCE, 0, false, FSR_OP_ADD, product);
    const int top =
        kernel_builtin(k, FSR_FOLD_REDUCE, 0, false, FSR_OP_MAXIMUM, kernel_op(k, FSR_OP_ADD, most, place, 0));
    const int sums = kernel_rows_access(k, kernel_array(k, dtype, true));
    const int tops = kernel_rows_access(k, kernel_array(k, dtype, true));
    kernel_store(k, FSR_ROW, 1, sums, kernel_op(k, FSR_OP_ADD, kernel_result(k, sum, 0), lane, 0));
    kernel_store(k, FSR_ROW, 1, tops, kernel_result(k, top, 0));
    return k;
}

static bool is_staged(const fsr_kernel *k, int number) {
    const fsr_schedule *s = &k->schedule;
    const bool gpu = s->target == FSR_TARGET_GPU;
    if (gpu && s->tile)
        return fsr_load_is_turned(k, number, s->tiled);
    return s->tall && (gpu ? fsr_load_is_tiled(k, number) : fsr_load_is_panel(k, number));
}

fsr_kernel *kernel_staged(fsr_kernel *k) {
    for (int i = 0; i < k->ninsts; i++)
        k->stand[i].staged = is_staged(k, i);
    return k;
}

fsr_kernel *kernel_tiled(fsr_kernel *k, int tall) {
    k->schedule.tall = tall;
    return kernel_staged(k);
}

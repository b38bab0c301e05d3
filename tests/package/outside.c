/* SPDX-License-Identifier: MIT */
/* A program outside of the source tree, C11: the softmax of two rows and its check. Exit status 0: right. */
#include <fusor/fusor.h>
#include <math.h>
#include <stdio.h>

int main(void) {
    const float data[2][3] = {{1, 2, 3}, {4, 4, 4}};
    const double expected[2][3] = {{0.09003057, 0.24472847, 0.66524096}, {1.0 / 3, 1.0 / 3, 1.0 / 3}};
    const int last = -1;
    float result[2][3];
    int wrong = 0;
    fsr_context *ctx;

    if (fsr_open(NULL, &ctx) != FSR_OK)
        return 2;
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node x = fsr_from_host(g, FSR_F32, 2, (const int64_t[]){2, 3}, data);
    fsr_node e = fsr_exp(fsr_sub(x, fsr_max(x, &last, 1, FSR_KEEPDIMS)));
    fsr_node s = fsr_div(e, fsr_sum(e, &last, 1, FSR_KEEPDIMS));
    if (fsr_read(s, result, sizeof result) != FSR_OK) {
        fprintf(stderr, "%s\n", fsr_error(ctx));
        return 3;
    }
    for (int i = 0; i < 6; i++)
        wrong += fabs(result[i / 3][i % 3] - expected[i / 3][i % 3]) > 1e-6;
    fsr_close(ctx);
    return wrong ? 4 : 0;
}

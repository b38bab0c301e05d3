/* SPDX-License-Identifier: MIT */
/* The first program of README.md and docs/guide.md: a softmax along rows. */
#include <fusor/fusor.h>
#include <stdio.h>

int main(void) {
    const float data[2][3] = {{1, 2, 3}, {4, 4, 4}};
    const int last = -1;
    float result[2][3];
    fsr_context *ctx;

    if (fsr_open(NULL, &ctx) != FSR_OK) /* the GPU if there is one, else the CPU */
        return 1;
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node x = fsr_from_host(g, FSR_F32, 2, (const int64_t[]){2, 3}, data);
    fsr_node e = fsr_exp(fsr_sub(x, fsr_max(x, &last, 1, FSR_KEEPDIMS)));
    fsr_node s = fsr_div(e, fsr_sum(e, &last, 1, FSR_KEEPDIMS)); /* nothing has run yet */

    fsr_status status = fsr_read(s, result, sizeof result); /* one kernel, one read of x */
    if (status != FSR_OK)
        fprintf(stderr, "%s\n", fsr_error(ctx));
    else
        printf("%g %g %g\n", result[0][0], result[0][1], result[0][2]);
    fsr_close(ctx);
    return status != FSR_OK;
}

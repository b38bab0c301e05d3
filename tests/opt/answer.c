/* SPDX-License-Identifier: MIT */
/* A program whose answer is known, for scripts/bisect to hunt: the sum of 3 x + |x|. Exits with 0 if the library's is
 * right, 1 if it is wrong, 2 if there is none. Knobs come from the environment. */
#include "fusor/fusor.h"
#include <math.h>

enum { N = 1000 };

int main(void) {
    float x[N], sum;
    double expected = 0;
    fsr_context *ctx;
    for (int i = 0; i < N; i++) {
        x[i] = (float)((i * 37) % 101) - 30;
        expected += 3 * (double)x[i] + fabs((double)x[i]);
    }
    if (fsr_open(NULL, &ctx))
        return 2;
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node data = fsr_from_host(g, FSR_F32, 1, (const int64_t[]){N}, x);
    fsr_node both = fsr_add(fsr_mul(data, fsr_float(g, 3)), fsr_abs(data));
    fsr_status status = fsr_read(fsr_sum(both, NULL, 0, 0), &sum, sizeof sum);
    fsr_close(ctx);
    return status ? 2 : fabs((double)sum - expected) > 1e-3 * fabs(expected);
}

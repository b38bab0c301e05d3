/* SPDX-License-Identifier: MIT */
/* A product of two matrices, and the singular value decomposition of the result: a matrix of rank 6 made of two thin
 * ones, noise, and the best approximation of rank 6, which takes most of the noise away. The checks: u and v are
 * orthonormal, u s v' is the matrix, and the approximation misses it by the values left out, as it must. Exit status 0:
 * right.
 *
 *     build/examples/linalg
 *
 * The product is cuBLAS' or OpenBLAS' where the machine has one, the decomposition cuSOLVER's, LAPACK's, or Fusor's
 * own. */
#include <fusor/fusor.h>
#include <math.h>
#include <stdio.h>

enum { ROWS = 96, COLS = 64, RANK = 6 };

/* A matrix of numbers that depend on the stream alone. */
static fsr_node normal(fsr_graph *g, int64_t rows, int64_t cols, int stream) {
    fsr_node i = fsr_reshape(fsr_arange(g, FSR_I64, rows * cols), 2, (int64_t[]){rows, cols});
    return fsr_random_normal(fsr_int(g, 1), fsr_int(g, stream), i, FSR_F64);
}

static fsr_node norm(fsr_node x) {
    return fsr_sqrt(fsr_sum(fsr_mul(x, x), NULL, 0, 0));
}

/* How far x' x is from the identity. */
static fsr_node skew(fsr_node x) {
    const int64_t n = fsr_node_dim(x, -1);
    return norm(fsr_sub(fsr_matmul(fsr_swapaxes(x, 0, 1), x), fsr_eye(x.graph, FSR_F64, n, n, 0)));
}

/* guide: rank */
/* u s v' of the first k values. */
static fsr_node product(fsr_node u, fsr_node s, fsr_node vt, int64_t k) {
    return fsr_matmul(fsr_mul(fsr_slice(u, 1, 0, k, 1), fsr_slice(s, 0, 0, k, 1)), fsr_slice(vt, 0, 0, k, 1));
}
/* guide: end */

int main(void) {
    fsr_context *ctx;
    if (fsr_open(NULL, &ctx) != FSR_OK)
        return 2;
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node plain = fsr_matmul(normal(g, ROWS, RANK, 1), normal(g, RANK, COLS, 2)), u, s, vt;
    fsr_node noisy = fsr_add(plain, fsr_mul(normal(g, ROWS, COLS, 3), fsr_float(g, 0.1)));
    /* guide: decomposition */
    fsr_svd(noisy, &u, &s, &vt);
    fsr_node left = fsr_slice(s, 0, RANK, COLS, 1), best = product(u, s, vt, RANK);
    /* guide: end */
    const fsr_node ask[] = {skew(u),
                            skew(fsr_swapaxes(vt, 0, 1)),
                            norm(fsr_sub(product(u, s, vt, COLS), noisy)),
                            norm(fsr_sub(best, noisy)),
                            norm(left),
                            norm(fsr_sub(best, plain)),
                            norm(fsr_sub(noisy, plain))};
    double x[7];
    if (fsr_read(fsr_stack(ask, 7, 0), x, sizeof x) != FSR_OK) {
        fprintf(stderr, "%s\n", fsr_error(ctx));
        return 3;
    }
    printf("u is off by %.2g, v by %.2g, u s v' by %.2g\n", x[0], x[1], x[2]);
    printf("rank %d misses the noisy matrix by %.6f, the values left out are %.6f\n", RANK, x[3], x[4]);
    printf("and the plain one by %.3f, of %.3f that the noise is\n", x[5], x[6]);
    const bool right = x[0] < 1e-10 && x[1] < 1e-10 && x[2] < 1e-9 && fabs(x[3] - x[4]) < 1e-9 && x[5] < 0.6 * x[6];
    fsr_close(ctx);
    return right ? 0 : 4;
}

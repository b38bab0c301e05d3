/* SPDX-License-Identifier: MIT */
/* A weighted softmax of each row of a matrix: max, exp, sum and division in one kernel that reads the matrix once.
 *
 * usage: softmax [rows columns] */
#include "fusor/fusor.h"
#include <stdio.h>
#include <stdlib.h>

static int fail(fsr_context *ctx, const char *what) {
    fprintf(stderr, "softmax: %s: %s\n", what, fsr_error(ctx));
    fsr_close(ctx);
    return 1;
}

int main(int argc, char **argv) {
    const int along_row = 1;
    int64_t rows = argc > 2 ? atoll(argv[1]) : 1000, cols = argc > 2 ? atoll(argv[2]) : 500;
    if (rows < 1 || cols < 1 || rows > 1000000 || cols > 1000000) {
        fprintf(stderr, "usage: softmax [rows columns], each from 1 to 1000000\n");
        return 2;
    }

    char why[256];
    fsr_context *ctx; /* the GPU if there is one, else the CPU */
    if (fsr_open_why(NULL, &ctx, why, sizeof why)) {
        fprintf(stderr, "softmax: %s\n", why);
        return 1;
    }

    int64_t n = rows * cols;
    float *data = malloc((size_t)n * sizeof *data), *weight = malloc((size_t)cols * sizeof *weight);
    if (!data || !weight) {
        fprintf(stderr, "softmax: out of memory\n");
        free(data);
        free(weight);
        fsr_close(ctx);
        return 1;
    }
    for (int64_t i = 0; i < n; i++)
        data[i] = (float)(i * 7919 % 1000) / 100;
    for (int64_t i = 0; i < cols; i++)
        weight[i] = (float)(i % 10) / 10;

    /* Nothing runs here: these calls record what is to be done. The host arrays are copied at the call. */
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node x = fsr_from_host(g, FSR_F32, 2, (int64_t[]){rows, cols}, data);
    fsr_node w = fsr_from_host(g, FSR_F32, 1, (int64_t[]){cols}, weight);
    fsr_node v = fsr_mul(x, w);
    fsr_node e = fsr_exp(fsr_sub(v, fsr_max(v, &along_row, 1, FSR_KEEPDIMS)));
    fsr_node s = fsr_div(e, fsr_sum(e, &along_row, 1, FSR_KEEPDIMS));
    free(weight);

    /* A mistake above would have poisoned s, and would be told here. */
    fsr_plan_info plan;
    if (fsr_query(&s, 1, &plan) || fsr_force(s) || fsr_read(s, data, (size_t)n * sizeof *data)) {
        free(data);
        return fail(ctx, "compute");
    }

    double total = 0;
    for (int64_t i = 0; i < cols; i++)
        total += data[i];
    printf("%s: %lld x %lld, kernels: %d, %.1f MB moved\n", fsr_device_name(ctx), (long long)rows, (long long)cols,
           plan.kernels, (double)plan.bytes_moved * 1e-6);
    printf("first row: %.6f %.6f %.6f ..., sum %.6f\n", data[0], data[cols > 1 ? 1 : 0], data[cols > 2 ? 2 : 0], total);
    free(data);
    fsr_close(ctx); /* frees the graph as well */
    return 0;
}

/* SPDX-License-Identifier: MIT */
/* The Mandelbrot set as text, or as a picture: a loop for each point, in one kernel that reads nothing.
 *
 * usage: mandelbrot [rows columns [picture.pgm]] */
#include "fusor/fusor.h"
#include <stdio.h>
#include <stdlib.h>

enum { TURNS = 255 };

/* |z| is at most 2. A state is as many 0-d nodes as the loop has: here the two parts of z. */
static void bounded(fsr_node *out, const fsr_node *z, const fsr_node *c, void *user) {
    (void)c, (void)user;
    out[0] = fsr_less_equal(fsr_add(fsr_mul(z[0], z[0]), fsr_mul(z[1], z[1])), fsr_float(z[0].graph, 4));
}

/* z * z + c */
static void turn(fsr_node *out, const fsr_node *z, const fsr_node *c, void *user) {
    (void)user;
    out[0] = fsr_add(fsr_sub(fsr_mul(z[0], z[0]), fsr_mul(z[1], z[1])), c[0]);
    out[1] = fsr_add(fsr_mul(fsr_mul(z[0], z[1]), fsr_float(z[0].graph, 2)), c[1]);
}

/* How many turns each point of the grid takes to leave, at most TURNS, as bytes. */
static fsr_node picture(fsr_graph *g, int64_t rows, int64_t cols) {
    static const fsr_loop loop = {.body = turn, .condition = bounded, .nstate = 2, .narg = 2};
    fsr_node re = fsr_linspace(g, FSR_F64, -2, 0.5, cols, true);
    fsr_node im = fsr_expand(fsr_linspace(g, FSR_F64, -1.25, 1.25, rows, true), 1);
    fsr_node zero = fsr_zeros(g, FSR_F64, 0, NULL), result[3];
    fsr_iterate(result, &loop, (fsr_node[]){zero, zero}, (fsr_node[]){re, im}, TURNS);
    return fsr_cast(result[2], FSR_U8);
}

static void show(const unsigned char *turns, int64_t rows, int64_t cols) {
    static const char shade[] = " .:-=+*%@";
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t c = 0; c < cols; c++) {
            int n = turns[r * cols + c];
            putchar(n == TURNS ? '#' : shade[n < 32 ? n / 4 : 8]);
        }
        putchar('\n');
    }
}

static int save(const char *path, const unsigned char *turns, int64_t rows, int64_t cols) {
    FILE *file = fopen(path, "wb");
    size_t n = (size_t)(rows * cols);
    bool good = file && fprintf(file, "P5\n%lld %lld\n255\n", (long long)cols, (long long)rows) > 0 &&
                fwrite(turns, 1, n, file) == n;
    if (file && fclose(file))
        good = false;
    if (!good)
        fprintf(stderr, "mandelbrot: cannot write %s\n", path);
    return good ? 0 : 1;
}

int main(int argc, char **argv) {
    int64_t rows = argc > 2 ? atoll(argv[1]) : 32, cols = argc > 2 ? atoll(argv[2]) : 78;
    if (rows < 2 || cols < 2 || rows > 100000 || cols > 100000) {
        fprintf(stderr, "usage: mandelbrot [rows columns [picture.pgm]], each from 2 to 100000\n");
        return 2;
    }
    char why[256];
    fsr_context *ctx; /* the GPU if there is one, else the CPU */
    if (fsr_open_why(NULL, &ctx, why, sizeof why)) {
        fprintf(stderr, "mandelbrot: %s\n", why);
        return 1;
    }
    fsr_node x = picture(fsr_graph_new(ctx), rows, cols); /* nothing has run yet */
    size_t bytes = (size_t)(rows * cols);
    unsigned char *turns = malloc(bytes);
    fsr_plan_info plan = {.kernels = 0};
    int status = 1;
    if (!turns)
        fprintf(stderr, "mandelbrot: out of memory\n");
    else if (fsr_query(&x, 1, &plan) || fsr_read(x, turns, bytes))
        fprintf(stderr, "mandelbrot: %s\n", fsr_error(ctx));
    else if (argc > 3)
        status = save(argv[3], turns, rows, cols);
    else
        show(turns, rows, cols), status = 0;
    if (!status)
        printf("%s: %lld x %lld, kernels: %d\n", fsr_device_name(ctx), (long long)rows, (long long)cols, plan.kernels);
    free(turns);
    fsr_close(ctx); /* frees the graph as well */
    return status;
}

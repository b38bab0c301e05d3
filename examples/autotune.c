/* SPDX-License-Identifier: MIT */
/* Measured schedules of three kernels: values of options, a softmax of rows, sums of columns. Each is a plan that is
 * run with its own arrays, tuned, and run again: the same bits, and the times that fsr_autotune tells. What it finds is
 * kept in the disk cache, so a second run of this program measures nothing. Exit status 0: no plan gives other bits.
 *
 *     build/examples/autotune */
#include <fusor/fusor.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 512, COLUMNS = 1024, N = ROWS * COLUMNS };

/* The value of a call by Black and Scholes. */
static fsr_node options(fsr_node x) {
    return fsr_expr(
        x.graph,
        "x * 0.5 * erfc(-(log(x / 50) + 0.06) / 0.42) - 50 * exp(-0.02) * 0.5 * erfc(-(log(x / 50) - 0.03) / 0.42)",
        (fsr_name[]){{"x", x}}, 1);
}

static fsr_node softmax(fsr_node x) {
    const int last = -1;
    fsr_node e = fsr_exp(fsr_sub(x, fsr_max(x, &last, 1, FSR_KEEPDIMS)));
    return fsr_div(e, fsr_sum(e, &last, 1, FSR_KEEPDIMS));
}

static fsr_node columns(fsr_node x) {
    return fsr_expr(x.graph, "sum(x * x, 0)", (fsr_name[]){{"x", x}}, 1);
}

/* Tunes the plan of make(x); false: something went wrong. */
static bool tune(fsr_context *ctx, const char *name, fsr_node (*make)(fsr_node), const float *in, float *before,
                 float *after) {
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node y = make(fsr_input(g, "x", FSR_F32, 2, (int64_t[]){ROWS, COLUMNS}));
    const size_t bytes = fsr_node_bytes(y) > 0 ? (size_t)fsr_node_bytes(y) : 0;
    const fsr_arg x = {"x", (void *)in, sizeof *in * N, FSR_HOST}, first = {NULL, before, bytes, FSR_HOST},
                  then = {NULL, after, bytes, FSR_HOST};
    fsr_tune_report r;
    fsr_plan *plan;
    char schedule[400] = "";
    if (fsr_compile(&y, 1, &plan))
        return false;
    /* guide: tuning */
    bool good = !fsr_plan_run(plan, &x, 1, &first, 1, NULL) && !fsr_autotune(plan, &x, 1, &then, 1, &r) &&
                !fsr_plan_schedule(plan, 0, schedule, sizeof schedule, NULL);
    if (good)
        printf("%-8s %d kernel; %d schedules measured, %d known, %d changed: %.4f ms, then %.4f\n         %s\n", name,
               r.kernels, r.schedules, r.known, r.changed, r.ms_before, r.ms_after, schedule);
    /* guide: end */
    good = good && memcmp(before, after, bytes) == 0;
    fsr_plan_free(plan);
    fsr_graph_free(g);
    return good;
}

int main(void) {
    fsr_context *ctx;
    float *in = malloc(sizeof *in * N), *before = malloc(sizeof *in * N), *after = malloc(sizeof *in * N);
    if (!in || !before || !after || fsr_open(NULL, &ctx) != FSR_OK)
        return 2;
    for (int i = 0; i < N; i++)
        in[i] = 30 + (float)(i * 7919LL % 10007) * 4e-3f;
    printf("on %s\n", fsr_device_name(ctx));
    const bool good = tune(ctx, "options", options, in, before, after) &&
                      tune(ctx, "softmax", softmax, in, before, after) &&
                      tune(ctx, "columns", columns, in, before, after);
    if (!good)
        fprintf(stderr, "%s\n", fsr_error(ctx));
    fsr_close(ctx);
    free(in);
    free(before);
    free(after);
    return good ? 0 : 3;
}

/* SPDX-License-Identifier: MIT */
/* Measured schedules of kernels: values of options, a softmax of rows, sums of columns, or those that are named, of
 * matrices of f32 on the device. Each is a plan that is run, tuned, and run again: the same bits, and the times that
 * fsr_autotune tells. What it finds is kept in the disk cache, so a second run of this program measures nothing. Exit
 * status 0: no plan gives other bits.
 *
 *     build/examples/autotune [SIDE [KERNEL ...]]      e.g. autotune 4096 life turned heat */
#include <fusor/fusor.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static fsr_node running(fsr_node x) {
    return fsr_cumsum(x, NULL, 0, 0);
}

static fsr_node bins(fsr_node x) {
    return fsr_histogram(fsr_reshape(x, 1, (int64_t[]){-1}), (fsr_node){0}, 256, 30, 70.1);
}

static fsr_node turned(fsr_node x) {
    return fsr_add(x, fsr_transpose(x, NULL));
}

/* The sum of the eight neighbours, around the edges. */
static fsr_node neighbours(fsr_node x) {
    fsr_node sum = {0};
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dy || dx) {
                fsr_node one = fsr_roll(x, (int64_t[]){dy, dx}, (int[]){0, 1}, 2);
                sum = sum.graph ? fsr_add(sum, one) : one;
            }
    return sum;
}

static fsr_node heat(fsr_node x) {
    return fsr_expr(x.graph, "x * 0.5 + around * 0.0625", (fsr_name[]){{"x", x}, {"around", neighbours(x)}}, 2);
}

/* A turn of Conway's game on a board of 0 and 1. */
static fsr_node life(fsr_node x) {
    return fsr_expr(x.graph, "around == 3 || (around == 2 && x > 0.5) ? 1.0 : 0.0",
                    (fsr_name[]){{"x", x}, {"around", neighbours(x)}}, 2);
}

static const struct kernel {
    const char *name;
    fsr_node (*make)(fsr_node);
    bool board; /* its input is 0 and 1, else between 30 and 70.1 */
} kernels[] = {{"options", options, false}, {"softmax", softmax, false}, {"columns", columns, false},
               {"running", running, false}, {"bins", bins, false},       {"turned", turned, false},
               {"heat", heat, false},       {"life", life, true}};
enum { KERNELS = sizeof kernels / sizeof *kernels, USUAL = 3 };

/* One array of the host and one of the device. */
typedef struct pair {
    float *host;
    void *device;
    size_t bytes;
} pair;

static bool pair_open(fsr_context *ctx, pair *p, size_t bytes) {
    p->bytes = bytes;
    p->host = malloc(bytes);
    return p->host && fsr_alloc(ctx, FSR_DEVICE, bytes, &p->device) == FSR_OK;
}

static void pair_close(fsr_context *ctx, pair *p) {
    free(p->host);
    fsr_free(ctx, FSR_DEVICE, p->device);
}

/* Copies to the device, or back, and waits. */
static bool copy(fsr_context *ctx, const pair *p, bool back) {
    fsr_ticket t;
    return (back ? fsr_download(ctx, p->host, p->device, p->bytes, &t)
                 : fsr_upload(ctx, p->device, p->host, p->bytes, &t)) == FSR_OK &&
           fsr_wait(ctx, t) == FSR_OK;
}

/* Runs the plan, tunes it and compares what both gave. */
static bool tune(fsr_context *ctx, const char *name, fsr_plan *plan, const pair *in, pair *before, pair *after) {
    const fsr_arg x = {"x", in->device, in->bytes, FSR_DEVICE};
    const fsr_arg first = {NULL, before->device, before->bytes, FSR_DEVICE};
    const fsr_arg then = {NULL, after->device, after->bytes, FSR_DEVICE};
    fsr_tune_report r;
    char schedule[400] = "";
    /* guide: tuning */
    bool good = !fsr_plan_run(plan, &x, 1, &first, 1, NULL) && !fsr_autotune(plan, &x, 1, &then, 1, &r) &&
                !fsr_plan_schedule(plan, 0, schedule, sizeof schedule, NULL);
    if (good)
        printf("%-8s %d kernel; %d schedules measured, %d known, %d changed: %.4f ms, then %.4f\n         %s\n", name,
               r.kernels, r.schedules, r.known, r.changed, r.ms_before, r.ms_after, schedule);
    /* guide: end */
    fflush(stdout);
    return good && copy(ctx, before, true) && copy(ctx, after, true) &&
           memcmp(before->host, after->host, before->bytes) == 0;
}

/* The plan of a kernel of side by side elements; false: something went wrong. */
static bool tune_kernel(fsr_context *ctx, const struct kernel *k, int64_t side, pair *in) {
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node y = k->make(fsr_input(g, "x", FSR_F32, 2, (int64_t[]){side, side}));
    pair before = {0}, after = {0};
    fsr_plan *plan = NULL;
    for (int64_t i = 0; i < side * side; i++)
        in->host[i] = k->board ? (float)(i * 7919 % 10007 % 3 == 0) : 30 + (float)(i * 7919 % 10007) * 4e-3f;
    bool good = copy(ctx, in, false) && fsr_compile(&y, 1, &plan) == FSR_OK;
    const size_t bytes = good ? (size_t)fsr_node_bytes(y) : 0;
    good = good && pair_open(ctx, &before, bytes) && pair_open(ctx, &after, bytes) &&
           tune(ctx, k->name, plan, in, &before, &after);
    pair_close(ctx, &before);
    pair_close(ctx, &after);
    fsr_plan_free(plan);
    fsr_graph_free(g);
    return good;
}

static const struct kernel *find(const char *name) {
    for (int i = 0; i < KERNELS; i++)
        if (strcmp(kernels[i].name, name) == 0)
            return &kernels[i];
    fprintf(stderr, "no kernel %s\n", name);
    return NULL;
}

int main(int argc, char **argv) {
    const long side = argc > 1 ? atol(argv[1]) : 512;
    fsr_context *ctx;
    pair in = {0};
    if (side < 1 || side > 1 << 15 || fsr_open(NULL, &ctx) != FSR_OK)
        return 2;
    bool good = pair_open(ctx, &in, sizeof(float) * (size_t)(side * side));
    printf("on %s\n", fsr_device_name(ctx));
    for (int i = 0; good && i < (argc > 2 ? argc - 2 : USUAL); i++) {
        const struct kernel *k = argc > 2 ? find(argv[2 + i]) : &kernels[i];
        good = k && tune_kernel(ctx, k, side, &in);
    }
    if (!good)
        fprintf(stderr, "%s\n", fsr_error(ctx));
    pair_close(ctx, &in);
    fsr_close(ctx);
    return good ? 0 : 3;
}

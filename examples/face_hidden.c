/* SPDX-License-Identifier: MIT */
/* The first step of a small neural net on a photograph: grey levels are normalized, weighed and activated (tanh in its
 * exp form), and the mean, variance and range of the result come out of the same pass over memory.
 *
 * The weight is a parameter: changing it runs the same kernel again, without compiling.
 *
 * usage: face_hidden [input.npy [output.npy]] */
#include "fusor/fusor.h"
#include <stdio.h>

static int fail(fsr_context *ctx, const char *what) {
    fprintf(stderr, "face_hidden: %s: %s\n", what, fsr_error(ctx));
    fsr_close(ctx);
    return 1;
}

/* Colour k of a photo u8[height, width, 3], as f32[height, width]. */
static fsr_node channel(fsr_node photo, int k) {
    return fsr_cast(fsr_squeeze(fsr_slice(photo, 2, k, k + 1, 1), 2), FSR_F32);
}

int main(int argc, char **argv) {
    const char *from = argc > 1 ? argv[1] : "examples/data/face.npy";
    const char *to = argc > 2 ? argv[2] : "face_hidden.npy";
    char why[256];
    fsr_context *ctx;
    if (fsr_open_why(NULL, &ctx, why, sizeof why)) {
        fprintf(stderr, "face_hidden: %s\n", why);
        return 1;
    }

    /* Record. A file that cannot be read poisons what uses it; computing tells why. */
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node photo = fsr_npy_read(g, from);
    fsr_node grey = fsr_add(
        fsr_add(fsr_mul(channel(photo, 0), fsr_float(g, 0.299)), fsr_mul(channel(photo, 1), fsr_float(g, 0.587))),
        fsr_mul(channel(photo, 2), fsr_float(g, 0.114)));
    fsr_node weight = fsr_param(g, "weight", FSR_F32, 1);

    /* Each turn records on grey and weight, computes, and drops what it recorded: memory stays flat. */
    for (int step = 1; step <= 3; step++) {
        if (fsr_scope_begin(g) || fsr_param_set(weight, step))
            return fail(ctx, "weight");
        fsr_node v = fsr_mul(fsr_div(grey, fsr_float(g, 255)), weight);
        fsr_node p = fsr_exp(v), m = fsr_exp(fsr_neg(v));
        fsr_node active = fsr_div(fsr_sub(p, m), fsr_add(p, m));

        fsr_node stats[] = {fsr_mean(active, NULL, 0, 0), fsr_var(active, NULL, 0, 0, 0), fsr_min(active, NULL, 0, 0),
                            fsr_max(active, NULL, 0, 0)};
        fsr_node outs[] = {active, stats[0], stats[1], stats[2], stats[3]};
        if (fsr_compute(outs, 5))
            return fail(ctx, "compute");

        float value[4];
        for (int i = 0; i < 4; i++)
            if (fsr_read(stats[i], &value[i], sizeof value[i]))
                return fail(ctx, "read");
        printf("weight %d: mean %.6f, variance %.6f, range %.6f to %.6f\n", step, value[0], value[1], value[2],
               value[3]);
        if (step == 3 && fsr_npy_write(active, to))
            return fail(ctx, to);
        if (fsr_scope_end(g, NULL, 0))
            return fail(ctx, "scope");
    }

    fsr_stats counters;
    if (fsr_context_stats(ctx, &counters))
        return fail(ctx, "stats");
    printf("%s: plans built %lld, reused %lld, kernels launched %lld\n", fsr_device_name(ctx),
           (long long)counters.plans_built, (long long)counters.plan_hits, (long long)counters.launches);
    printf("written: %s\n", to);
    fsr_close(ctx);
    return 0;
}

/* SPDX-License-Identifier: MIT */
/* Zero suppression of an electrocardiogram: what lies within 0.3 mV of a running baseline becomes 0, so that the pulses
 * remain; how many samples are kept, and their statistics.
 *
 * The baseline is the mean over a window, got from one running sum: the sum over [i, i+w) is before[i+w] - before[i].
 * The sum is of whole converter steps, so it is exact however long the record is; in f32 it would lose digits on the
 * way.
 *
 * usage: ecg_suppress [input.npy [output.npy]] */
#include "fusor/fusor.h"
#include <stdio.h>

enum { WINDOW = 181, STEPS_PER_MV = 200 }; /* half a second at 360 Hz; the converter's resolution */
static const double threshold_mv = 0.3025; /* between two steps, so that no sample lies on it */

static int fail(fsr_context *ctx, const char *what) {
    fprintf(stderr, "ecg_suppress: %s: %s\n", what, fsr_error(ctx));
    fsr_close(ctx);
    return 1;
}

int main(int argc, char **argv) {
    const char *from = argc > 1 ? argv[1] : "examples/data/ecg.npy";
    const char *to = argc > 2 ? argv[2] : "ecg_suppressed.npy";
    char why[256];
    fsr_context *ctx;
    if (fsr_open_why(NULL, &ctx, why, sizeof why)) {
        fprintf(stderr, "ecg_suppress: %s\n", why);
        return 1;
    }

    /* Record. A file that cannot be read poisons mv and all that uses it; computing tells why. */
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node mv = fsr_npy_read(g, from);
    fsr_node steps = fsr_floor(fsr_add(fsr_mul(mv, fsr_float(g, STEPS_PER_MV)), fsr_float(g, 0.5)));
    fsr_node before =
        fsr_cumsum(fsr_cast(steps, FSR_I32), (int[]){0}, 1, FSR_EXCLUSIVE); /* the sum of all samples before i, i64 */

    /* Every full window, and the sample in its middle: views, no copies. */
    fsr_node window = fsr_sub(fsr_slice(before, 0, WINDOW, FSR_SLICE_END, 1), fsr_slice(before, 0, 0, -WINDOW, 1));
    fsr_node baseline = fsr_div(fsr_cast(window, FSR_F32), fsr_float(g, (double)STEPS_PER_MV * WINDOW));
    fsr_node middle = fsr_slice(mv, 0, WINDOW / 2, WINDOW / 2 - WINDOW, 1);

    fsr_node pulse = fsr_sub(middle, baseline);
    fsr_node quiet = fsr_less(fsr_abs(pulse), fsr_float(g, threshold_mv));
    fsr_node suppressed = fsr_where(quiet, fsr_float(g, 0), pulse);
    fsr_node kept = fsr_sum(fsr_logical_not(quiet), NULL, 0, 0); /* true counts 1; i64 */
    fsr_node mean = fsr_mean(suppressed, NULL, 0, 0);
    fsr_node high = fsr_max(suppressed, NULL, 0, 0), low = fsr_min(suppressed, NULL, 0, 0);

    /* Run all five together: two kernels, one for the running sum and one for the rest. */
    fsr_node outs[] = {suppressed, kept, mean, high, low};
    fsr_plan_info plan;
    if (fsr_query(outs, 5, &plan) || fsr_compute(outs, 5))
        return fail(ctx, "compute");

    int64_t count;
    float average, most, least;
    if (fsr_read(kept, &count, sizeof count) || fsr_read(mean, &average, sizeof average) ||
        fsr_read(high, &most, sizeof most) || fsr_read(low, &least, sizeof least))
        return fail(ctx, "read");
    if (fsr_npy_write(suppressed, to))
        return fail(ctx, to);

    printf("%s, kernels: %d\n", fsr_device_name(ctx), plan.kernels);
    printf("%lld of %lld samples kept (%.1f%%)\n", (long long)count, (long long)fsr_node_size(suppressed),
           100.0 * (double)count / (double)fsr_node_size(suppressed));
    printf("mean %.6f mV, max %.4f mV, min %.4f mV\n", average, most, least);
    printf("written: %s\n", to);
    fsr_close(ctx);
    return 0;
}

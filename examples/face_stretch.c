/* SPDX-License-Identifier: MIT */
/* Contrast of a photograph: each colour channel is stretched so that its darkest value becomes 0 and its brightest 255.
 *
 * On a GPU two kernels: one pass finds all extremes, a second rescales, as a channel is too long to wait on the chip.
 * On the CPU one kernel makes both passes.
 *
 * usage: face_stretch [input.npy [output.npy]] */
#include "fusor/fusor.h"
#include <stdio.h>

static int fail(fsr_context *ctx, const char *what) {
    fprintf(stderr, "face_stretch: %s: %s\n", what, fsr_error(ctx));
    fsr_close(ctx);
    return 1;
}

int main(int argc, char **argv) {
    const char *from = argc > 1 ? argv[1] : "examples/data/face.npy";
    const char *to = argc > 2 ? argv[2] : "face_stretched.npy";
    const int pixels[] = {0, 1}; /* the axes of height and width */
    char why[256];
    fsr_context *ctx;
    if (fsr_open_why(NULL, &ctx, why, sizeof why)) {
        fprintf(stderr, "face_stretch: %s\n", why);
        return 1;
    }

    /* Record. Arithmetic in u8 would wrap, so it is done in f32; the extremes keep extent 1 along the pixels' axes and
     * broadcast back over them. */
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node photo = fsr_npy_read(g, from); /* u8[height, width, 3]; poisoned if it cannot be read */
    fsr_node low = fsr_min(photo, pixels, 2, FSR_KEEPDIMS), high = fsr_max(photo, pixels, 2, FSR_KEEPDIMS);
    fsr_node dark = fsr_cast(low, FSR_F32);
    fsr_node span =
        fsr_maximum(fsr_sub(fsr_cast(high, FSR_F32), dark), fsr_float(g, 1)); /* 1: a channel of one value */
    fsr_node scaled = fsr_div(fsr_mul(fsr_sub(fsr_cast(photo, FSR_F32), dark), fsr_float(g, 255)), span);
    fsr_node stretched = fsr_cast(fsr_floor(fsr_add(scaled, fsr_float(g, 0.5))), FSR_U8);
    fsr_node change = fsr_sum(fsr_not_equal(stretched, photo), pixels, 2, 0);

    fsr_node outs[] = {stretched, low, high, change};
    fsr_plan_info plan;
    if (fsr_query(outs, 4, &plan) || fsr_compute(outs, 4))
        return fail(ctx, "compute");

    uint8_t darkest[3], brightest[3];
    int64_t changed[3];
    if (fsr_read(low, darkest, sizeof darkest) || fsr_read(high, brightest, sizeof brightest) ||
        fsr_read(change, changed, sizeof changed))
        return fail(ctx, "read");
    if (fsr_npy_write(stretched, to))
        return fail(ctx, to);

    printf("%s, kernels: %d\n", fsr_device_name(ctx), plan.kernels);
    for (int k = 0; k < 3; k++)
        printf("%-5s from %d..%d, %lld pixels changed\n", (const char *[]){"red", "green", "blue"}[k], darkest[k],
               brightest[k], (long long)changed[k]);
    printf("written: %s\n", to);
    fsr_close(ctx);
    return 0;
}

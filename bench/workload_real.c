/* SPDX-License-Identifier: MIT */
/* Work on real input: an electrocardiogram and a photograph. examples/ has each as a program of one page. */
#include "bench/bench.h"

enum { WINDOW = 181, ADC_STEPS = 200 }; /* samples: half a second; steps of the converter for one mV */
#define THRESHOLD_MV 0.3025             /* between two converter steps, so that no sample lies on it */

/* Baseline by a running mean, zero suppression, statistics. The running sum is over whole converter steps, so it is
 * exact: a running sum in f32 would lose digits over the record, and a sample near the threshold could fall on
 * either side. Two kernels: the scan, whose result is needed at two shifted places, and all the rest. */
static void ecg_suppress(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_node mv = in[0];
    fsr_node steps = fsr_floor(fsr_add(fsr_mul(mv, fsr_float(g, ADC_STEPS)), fsr_float(g, 0.5)));
    fsr_node before = fsr_cumsum(fsr_cast(steps, FSR_I32), (int[]){0}, 1, FSR_EXCLUSIVE);
    fsr_node window = fsr_sub(fsr_slice(before, 0, WINDOW, FSR_SLICE_END, 1), fsr_slice(before, 0, 0, -WINDOW, 1));
    fsr_node baseline = fsr_div(fsr_cast(window, FSR_F32), fsr_float(g, (double)ADC_STEPS * WINDOW));
    fsr_node pulse = fsr_sub(fsr_slice(mv, 0, WINDOW / 2, WINDOW / 2 - WINDOW, 1), baseline);
    fsr_node quiet = fsr_less(fsr_abs(pulse), fsr_float(g, THRESHOLD_MV));
    out[0] = fsr_where(quiet, fsr_float(g, 0), pulse);
    out[1] = fsr_sum(fsr_logical_not(quiet), NULL, 0, 0);
    out[2] = fsr_mean(out[0], NULL, 0, 0);
    out[3] = fsr_max(out[0], NULL, 0, 0);
    out[4] = fsr_min(out[0], NULL, 0, 0);
}

static fsr_node channel(fsr_node photo, int k) {
    return fsr_cast(fsr_squeeze(fsr_slice(photo, 2, k, k + 1, 1), 2), FSR_F32);
}

/* Grey levels through normalize, weigh, activate (tanh in its exp form); mean, variance and range in the same pass. */
static void face_hidden(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_node grey = fsr_add(
        fsr_add(fsr_mul(channel(in[0], 0), fsr_float(g, 0.299)), fsr_mul(channel(in[0], 1), fsr_float(g, 0.587))),
        fsr_mul(channel(in[0], 2), fsr_float(g, 0.114)));
    fsr_node v = fsr_mul(fsr_div(grey, fsr_float(g, 255)), fsr_param(g, "weight", FSR_F32, 2));
    fsr_node p = fsr_exp(v), m = fsr_exp(fsr_neg(v));
    out[0] = fsr_div(fsr_sub(p, m), fsr_add(p, m));
    out[1] = fsr_mean(out[0], NULL, 0, 0);
    out[2] = fsr_var(out[0], NULL, 0, 0, 0);
    out[3] = fsr_max(out[0], NULL, 0, 0);
    out[4] = fsr_min(out[0], NULL, 0, 0);
}

/* Each channel stretched to the full range. Two kernels on a GPU: a channel is too long to stay on the chip
 * between its range and its rescaling. On the CPU one kernel makes both passes. */
static void face_stretch(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    static const int pixels[] = {0, 1};
    fsr_node x = fsr_cast(in[0], FSR_F32);
    out[1] = fsr_min(in[0], pixels, 2, FSR_KEEPDIMS);
    out[2] = fsr_max(in[0], pixels, 2, FSR_KEEPDIMS);
    fsr_node low = fsr_cast(out[1], FSR_F32), high = fsr_cast(out[2], FSR_F32);
    fsr_node span = fsr_maximum(fsr_sub(high, low), fsr_float(g, 1));
    fsr_node scaled = fsr_div(fsr_mul(fsr_sub(x, low), fsr_float(g, 255)), span);
    out[0] = fsr_cast(fsr_floor(fsr_add(scaled, fsr_float(g, 0.5))), FSR_U8);
}

static const bench_workload work[] = {
    {.name = "ecg_suppress",
     .what = "electrocardiogram: baseline by a running mean, zero suppression, count, mean, max, min",
     .file = "ecg.npy",
     .ninputs = 1,
     .nouts = 5,
     .out = {{BENCH_SAME, 0}, {BENCH_SAME, 0}, {BENCH_SCALED, 0}, {BENCH_SAME, 0}, {BENCH_SAME, 0}},
     .kernels = 2,
     .build = ecg_suppress},
    {.name = "face_hidden",
     .what = "photograph: grey levels through normalize, weigh, activate; mean, variance, max, min",
     .file = "face.npy",
     .ninputs = 1,
     .nouts = 5,
     .out = {{BENCH_SAME, 0}, {BENCH_CLOSE, 0}, {BENCH_SCALED, 0}, {BENCH_SAME, 0}, {BENCH_SAME, 0}},
     .kernels = 1,
     .build = face_hidden},
    {.name = "face_stretch",
     .what = "photograph: each channel's min and max, and the channel rescaled to 0..255",
     .file = "face.npy",
     .ninputs = 1,
     .nouts = 3,
     .out = {{BENCH_SAME, 0}, {BENCH_SAME, 0}, {BENCH_SAME, 0}},
     .kernels = 2,
     .kernels_cpu = 1,
     .build = face_stretch},
};

const bench_family bench_family_real = {work, sizeof work / sizeof *work};

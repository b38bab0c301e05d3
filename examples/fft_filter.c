/* SPDX-License-Identifier: MIT */
/* A low-pass filter by Fourier transforms: the signal's spectrum times a complex transfer function, and back. The
 * filter is of Butterworth's kind, first order, whose answer to a wave is known in closed form; that is the check. Exit
 * status 0: right.
 *
 *     build/examples/fft_filter
 *
 * The steps: a kernel makes the signal, a library call transforms it, one kernel makes the transfer function and
 * multiplies, a call transforms back, and one kernel has the factor of the inverse and what is looked at. */
#include <fusor/fusor.h>
#include <math.h>
#include <stdio.h>

enum { SAMPLES = 1 << 16, LOW = 40, HIGH = 9000, CUT = 400 };

static const double turn = 6.283185307179586476925286766559;

/* cos(2 pi f i / SAMPLES). */
static fsr_node wave(fsr_node i, int f) {
    return fsr_cos(fsr_mul(i, fsr_float(i.graph, turn * f / SAMPLES)));
}

/* 1 / (1 + j f / CUT) at each frequency of the spectrum of a real signal. */
static fsr_node transfer(fsr_graph *g) {
    fsr_node f = fsr_arange(g, FSR_F64, SAMPLES / 2 + 1);
    return fsr_div(fsr_int(g, 1), fsr_add(fsr_int(g, 1), fsr_mul(f, fsr_complex(g, 0, 1.0 / CUT))));
}

int main(void) {
    fsr_context *ctx;
    if (fsr_open(NULL, &ctx) != FSR_OK)
        return 2;
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node i = fsr_arange(g, FSR_F64, SAMPLES), signal = fsr_add(wave(i, LOW), wave(i, HIGH));
    fsr_node spectrum = fsr_mul(fsr_rfft(signal, 0), transfer(g)), filtered = fsr_irfft(spectrum, SAMPLES, 0);
    /* A wave becomes smaller by the magnitude of the function there, and late by its angle. */
    fsr_node expected = {0};
    const int frequency[] = {LOW, HIGH};
    for (int k = 0; k < 2; k++) {
        const double ratio = (double)frequency[k] / CUT, size = 1 / sqrt(1 + ratio * ratio), angle = -atan(ratio);
        fsr_node late = fsr_add(fsr_mul(i, fsr_float(g, turn * frequency[k] / SAMPLES)), fsr_float(g, angle));
        fsr_node part = fsr_mul(fsr_cos(late), fsr_float(g, size));
        expected = k ? fsr_add(expected, part) : part;
    }
    fsr_node worst = fsr_max(fsr_abs(fsr_sub(filtered, expected)), NULL, 0, 0);
    fsr_plan_info info;
    double error = 1;
    if (fsr_query(&worst, 1, &info) != FSR_OK || fsr_read(worst, &error, sizeof error) != FSR_OK) {
        fprintf(stderr, "%s\n", fsr_error(ctx));
        return 3;
    }
    printf("%d samples, %d kernels and %d library calls; the largest error is %.2g\n", SAMPLES, info.kernels,
           info.calls, error);
    const bool right = error < 1e-10 && info.calls == 2 && info.kernels <= 3;
    fsr_close(ctx);
    return right ? 0 : 4;
}

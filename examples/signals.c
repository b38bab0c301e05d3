/* SPDX-License-Identifier: MIT */
/* Where in a recording something sounds: the line through it is taken away, frames are windowed, and a frame counts
 * whose energy passes twice the mean. The recording is made here: a drift, a hum, and three bursts of a tone.
 *
 * Everything is checked against plain loops in double.
 *
 * usage: signals [picture.svg] */
#include "examples/field.h"
#include <math.h>

enum { FRAME = 1024, FRAMES = 2048, SAMPLES = FRAME * FRAMES, OUTS = 3 };
static const double pi = 3.14159265358979323846;

static int is_burst(int frame) {
    return (frame >= 300 && frame < 380) || (frame >= 900 && frame < 1100) || (frame >= 1700 && frame < 1720);
}

static void make(float *x) {
    for (int i = 0; i < SAMPLES; i++) {
        const double hum = 0.2 * sin(i * 0.01), tone = is_burst(i / FRAME) ? sin(i * 0.37) : 0;
        x[i] = (float)(3 + 4e-6 * i + hum + tone);
    }
}

/* The recorded program: energies of frames, the threshold, and which frames pass it. */
static int record(fsr_graph *g, const void *data, fsr_node *out) {
    const int samples = -1;
    const double middle = (SAMPLES - 1) / 2.0, n = SAMPLES;
    fsr_node x = fsr_from_host(g, FSR_F32, 1, (int64_t[]){SAMPLES}, data);
    fsr_node y = fsr_cast(x, FSR_F64); /* sums of two million samples */
    fsr_node t = fsr_sub(fsr_arange(g, FSR_F64, SAMPLES), fsr_float(g, middle));

    fsr_node slope = fsr_div(fsr_sum(fsr_mul(t, y), NULL, 0, 0), fsr_float(g, n * (n * n - 1) / 12));
    fsr_node flat = fsr_sub(fsr_sub(y, fsr_mean(y, NULL, 0, 0)), fsr_mul(slope, t));

    fsr_node phase = fsr_mul(fsr_arange(g, FSR_F64, FRAME), fsr_float(g, 2 * pi / FRAME));
    fsr_node hann = fsr_mul(fsr_float(g, 0.5), fsr_sub(fsr_float(g, 1), fsr_cos(phase)));
    fsr_node framed = fsr_mul(fsr_reshape(flat, 2, (int64_t[]){FRAMES, FRAME}), hann);
    out[0] = fsr_sum(fsr_mul(framed, framed), &samples, 1, 0);
    out[1] = fsr_mul(fsr_mean(out[0], NULL, 0, 0), fsr_float(g, 2));
    out[2] = fsr_greater(out[0], out[1]);
    return OUTS;
}

typedef struct result {
    double energy[FRAMES], threshold;
    unsigned char loud[FRAMES];
} result;

/* The same by loops. */
static void loops(const float *x, result *r) {
    double mean = 0, slope = 0, total = 0;
    const double n = SAMPLES, middle = (n - 1) / 2;
    for (int i = 0; i < SAMPLES; i++) {
        mean += x[i] / n;
        slope += (i - middle) * x[i] / (n * (n * n - 1) / 12);
    }
    for (int f = 0; f < FRAMES; f++) {
        r->energy[f] = 0;
        for (int k = 0; k < FRAME; k++) {
            const int i = f * FRAME + k;
            const double v = (x[i] - mean - slope * (i - middle)) * 0.5 * (1 - cos(2 * pi * k / FRAME));
            r->energy[f] += v * v;
        }
        total += r->energy[f];
    }
    r->threshold = 2 * total / FRAMES;
    for (int f = 0; f < FRAMES; f++)
        r->loud[f] = r->energy[f] > r->threshold;
}

static int check(const result *got, const result *expected) {
    double worst = 0;
    int loud = 0, apart = 0;
    for (int f = 0; f < FRAMES; f++) {
        worst = fmax(worst, fabs(got->energy[f] - expected->energy[f]) / expected->energy[f]);
        apart += got->loud[f] != is_burst(f);
        loud += got->loud[f];
    }
    int wrong = field_check("threshold", got->threshold, expected->threshold, 1e-9 * expected->threshold);
    wrong += field_check("worst energy, relative", worst, 0, 1e-9);
    wrong += field_check("frames that sound", loud, 300, 0);
    return wrong + field_check("frames that should not", apart, 0, 0);
}

static int draw(const char *path, const result *r) {
    enum { W = 720, H = 220, LEFT = 40, BOTTOM = 190, TOP = 16 };
    FILE *to = field_svg(path, W, H);
    const double most = 260, scale = (BOTTOM - TOP) / most, wide = (double)(W - LEFT - 10) / FRAMES;
    for (int e = 0; to && e <= 250; e += 50)
        fprintf(to, "<path class=\"a\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%d</text>\n",
                LEFT, BOTTOM - e * scale, W - 10, LEFT - 6, BOTTOM - e * scale + 4, e);
    if (to)
        fprintf(to, "<path class=\"b\" d=\"M");
    for (int f = 0; to && f < FRAMES; f += 2)
        fprintf(to, "%.1f %.1f ", LEFT + f * wide, BOTTOM - r->energy[f] * scale);
    if (to)
        fprintf(
            to,
            "\"/>\n<path class=\"o\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">threshold</text>"
            "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">frame 0 to %d</text><text x=\"%d\" y=\"11\">energy</text>\n",
            LEFT, BOTTOM - r->threshold * scale, W - 10, W - 12, BOTTOM - r->threshold * scale - 5, W - 10, BOTTOM + 20,
            FRAMES - 1, 2);
    return field_svg_end("signals", path, to);
}

int main(int argc, char **argv) {
    float *x = malloc(sizeof *x * SAMPLES);
    result *got = calloc(3, sizeof *got);
    int status = 1;
    if (x && got) {
        const fsr_arg fused[OUTS] = {{NULL, got->energy, sizeof got->energy, FSR_HOST},
                                     {NULL, &got->threshold, sizeof got->threshold, FSR_HOST},
                                     {NULL, got->loud, sizeof got->loud, FSR_HOST}};
        const fsr_arg unfused[OUTS] = {{NULL, got[1].energy, sizeof got->energy, FSR_HOST},
                                       {NULL, &got[1].threshold, sizeof got->threshold, FSR_HOST},
                                       {NULL, got[1].loud, sizeof got->loud, FSR_HOST}};
        make(x);
        loops(x, &got[2]);
        status = field_run("signals", 1, record, x, fused) || field_run("signals", 0, record, x, unfused);
        status = status || check(&got[0], &got[2]) + check(&got[1], &got[2]) > 0;
        if (!status && argc > 1)
            status = draw(argv[1], got);
    } else {
        field_fail("signals", "out of memory");
    }
    free(got);
    free(x);
    return status;
}

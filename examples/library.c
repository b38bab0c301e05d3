/* SPDX-License-Identifier: MIT */
/* A library call that Fusor does not have: the running median of a signal, by a function of this program's own between
 * two fused computations. Built against an installed Fusor it needs nothing of Fusor's sources. Exit status 0: right.
 *
 *     build/examples/library
 *
 * The signal has a spike every 50 samples. What is subtracted is its running median of 5, a window that is sorted for
 * each sample: no loop over elements, so a call. The steps are: a kernel that makes the signal, the call, a kernel that
 * subtracts and squares and sums. */
#include <fusor/fusor.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES = 20000, SPIKES = 50, MOST_WIDTH = 99 };

/* What the call is told besides its array; part of what tells two calls apart. */
typedef struct window {
    int64_t width; /* odd */
} window;

/* Any floats of one dimension that are as long as the window. */
static fsr_status median_types(const fsr_call_frame *s) {
    const window *w = s->attributes;
    const fsr_frame_array *x = &s->input[0];
    if (x->dtype != FSR_F32 || x->ndim != 1 || x->shape[0] < w->width) {
        snprintf(s->why, s->why_bytes, "wants f32 of one dimension, at least %lld elements", (long long)w->width);
        return FSR_ERR_SHAPE;
    }
    s->output[0] = *x;
    return FSR_OK;
}

static int by_value(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The threads take blocks of samples from one counter. */
typedef struct job {
    const fsr_call_frame *frame;
    atomic_llong next;
} job;

static void medians(void *arg, int worker) {
    enum { BLOCK = 512 };
    job *j = arg;
    const float *in = j->frame->input[0].data;
    float *out = j->frame->output[0].data, sorted[MOST_WIDTH];
    const int64_t n = j->frame->input[0].shape[0], width = ((const window *)j->frame->attributes)->width;
    (void)worker;
    for (int64_t from; (from = atomic_fetch_add(&j->next, BLOCK)) < n;)
        for (int64_t i = from; i < n && i < from + BLOCK; i++) {
            for (int64_t k = 0; k < width; k++) {
                const int64_t at = i + k - width / 2;
                sorted[k] = in[at < 0 ? 0 : at >= n ? n - 1 : at];
            }
            qsort(sorted, (size_t)width, sizeof *sorted, by_value);
            out[i] = sorted[width / 2];
        }
}

static fsr_status median_cpu(const fsr_call_frame *s) {
    job j = {.frame = s};
    atomic_init(&j.next, 0);
    s->parallel(s, medians, &j);
    return FSR_OK;
}

/* A node like any other. */
static fsr_node running_median(fsr_node x, int64_t width) {
    const window w = {width};
    const fsr_callee callee = {.name = "running_median",
                               .attributes = &w,
                               .attribute_bytes = sizeof w,
                               .inputs = 1,
                               .outputs = 1,
                               .infer = median_types,
                               .cpu = median_cpu,
                               .ulp = 1};
    fsr_node out;
    fsr_call_library(x.graph, &out, &callee, &x, 1);
    return out;
}

int main(void) {
    fsr_context *ctx;
    fsr_config config;
    char why[200];
    fsr_config_init(&config, why, sizeof why);
    config.backend = FSR_BACKEND_CPU; /* the call has no CUDA function */
    if (fsr_open(&config, &ctx) != FSR_OK)
        return 2;
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node i = fsr_arange(g, FSR_F32, SAMPLES);
    fsr_node wave = fsr_sin(fsr_mul(i, fsr_float(g, 0.01)));
    fsr_node spike = fsr_cast(fsr_equal(fsr_mod(i, fsr_int(g, SPIKES)), fsr_int(g, 7)), FSR_F32);
    fsr_node x = fsr_add(wave, spike);
    fsr_node apart = fsr_sub(x, running_median(x, 5));
    fsr_node found = fsr_count_nonzero(fsr_greater(apart, fsr_float(g, 0.5)), NULL, 0, 0);
    fsr_plan_info info;
    int64_t spikes = 0;
    if (fsr_query(&found, 1, &info) != FSR_OK || fsr_read(found, &spikes, sizeof spikes) != FSR_OK) {
        fprintf(stderr, "%s\n", fsr_error(ctx));
        return 3;
    }
    printf("%lld spikes of %d found, by %d kernels and %d library call\n", (long long)spikes, SAMPLES / SPIKES,
           info.kernels, info.calls);
    const fsr_node short_one = running_median(fsr_arange(g, FSR_F32, 4), 5);
    printf("too short: %s\n", fsr_node_error(short_one));
    const bool right = spikes == SAMPLES / SPIKES && info.kernels == 2 && info.calls == 1 &&
                       fsr_node_status(short_one) == FSR_ERR_SHAPE;
    fsr_close(ctx);
    return right ? 0 : 4;
}

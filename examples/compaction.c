/* SPDX-License-Identifier: MIT */
/* Stream compaction: particles lose energy step by step, and those with too little of it are gone. Who is left is known
 * on the device alone: no step asks how many there are, and each of the arrays keeps what is left at its front, in
 * order, in one kernel.
 *
 * usage: compaction [thousands of particles]. Exit status 1: something is not what a plain loop gives. */
#include "fusor/fusor.h"
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 5 };

typedef struct particles {
    fsr_node place, energy;
} particles;

/* A step: everybody moves and loses a share of energy; those above the cut go on. */
static particles advance(particles p, float cut) {
    fsr_graph *g = p.place.graph;
    const fsr_node place = fsr_add(p.place, fsr_mul(p.energy, fsr_float(g, 0.5)));
    const fsr_node energy = fsr_mul(p.energy, fsr_float(g, 0.75)), left = fsr_greater(energy, fsr_float(g, cut));
    return (particles){fsr_compress(left, place), fsr_compress(left, energy)};
}

/* The same, one particle after the other; returns how many go on. */
static int64_t advance_loop(float *place, float *energy, int64_t n, float cut) {
    int64_t left = 0;
    for (int64_t i = 0; i < n; i++) {
        const float moved = energy[i] * 0.5f, e = energy[i] * 0.75f, x = place[i] + moved;
        if (!(e > cut))
            continue;
        place[left] = x;
        energy[left++] = e;
    }
    return left;
}

/* What is there of a value: malloc'ed, and how much. NULL: it could not be read. */
static float *read_all(fsr_node x, int64_t *count) {
    float *out = malloc((size_t)fsr_node_bytes(x) + 1);
    if (out && fsr_read_live(x, out, (size_t)fsr_node_bytes(x), count) == FSR_OK)
        return out;
    free(out);
    return NULL;
}

/* How many of the n places and energies of the loop the device's differ from; -1: they could not be read. */
static int64_t differences(particles p, const float *place, const float *energy, int64_t n) {
    int64_t count = 0, wrong = 0;
    float *x = read_all(p.place, &count), *e = read_all(p.energy, &count);
    for (int64_t i = 0; x && e && i < n && i < count; i++)
        wrong += x[i] != place[i] || e[i] != energy[i];
    wrong = x && e ? wrong + llabs(count - n) : -1;
    free(x);
    free(e);
    return wrong;
}

static int run(fsr_context *ctx, int64_t n, float *place, float *energy) {
    static const float cut[STEPS] = {0.3f, 0.25f, 0.25f, 0.2f, 0.2f};
    fsr_graph *g = fsr_graph_new(ctx);
    particles p = {fsr_from_host(g, FSR_F32, 1, &n, place), fsr_from_host(g, FSR_F32, 1, &n, energy)};
    const int64_t all = n;
    for (int step = 0; step < STEPS; step++) {
        p = advance(p, cut[step]);
        if (fsr_compute((fsr_node[]){p.place, p.energy}, 2) != FSR_OK)
            return 1;
        n = advance_loop(place, energy, n, cut[step]);
    }
    double mean;
    const int64_t wrong = differences(p, place, energy, n);
    if (wrong < 0 || fsr_read(fsr_mean(fsr_cast(p.energy, FSR_F64), NULL, 0, 0), &mean, sizeof mean) != FSR_OK)
        return 1;
    printf("%lld of %lld particles are left after %d steps, of energy %.6f; %lld differ from the loop's\n",
           (long long)n, (long long)all, STEPS, mean, (long long)wrong);
    return wrong != 0;
}

int main(int argc, char **argv) {
    const int64_t n = 1000 * (argc > 1 ? atoll(argv[1]) : 1000);
    fsr_context *ctx;
    if (n < 1 || n > 1000000000) {
        fprintf(stderr, "usage: compaction [thousands of particles], up to a million\n");
        return 2;
    }
    if (fsr_open(NULL, &ctx) != FSR_OK)
        return 1;
    float *place = malloc((size_t)n * sizeof *place), *energy = malloc((size_t)n * sizeof *energy);
    for (int64_t i = 0; place && energy && i < n; i++) {
        place[i] = (float)(i % 4096);
        energy[i] = (float)(i * 2654435761u % 65536) / 65536;
    }
    const int status = place && energy ? run(ctx, n, place, energy) : 1;
    if (status)
        fprintf(stderr, "%s\n", fsr_error(ctx));
    free(place);
    free(energy);
    fsr_close(ctx);
    return status;
}

/* SPDX-License-Identifier: MIT */
/* The same bits a hundred times, with threads that take their pieces in another order each time: float sums of segments
 * and by an operator, of sparse rows and columns, of weights in bins, of what a mask selects, and of numbers that are
 * drawn; what a filter, a sort and a random order leave. Folds of whole arrays: test_numerics.c; scatters by operators:
 * test_scatter_with.c.
 *
 * Sums of floats are f64 on a CPU and rounded at their end, which hides their order. So a quarter of what is summed is
 * 1e10, and as many -1e10 come much later, in other threads' pieces: what is left shows each rounding. */
#include "tests/support/subject.h"
#include <stdlib.h>
#include <string.h>

enum { MANY = 300007, PLACES = 1009, BINS = 61, OUTS = 14 };

static const char *const name_of[OUTS] = {"sums of segments",
                                          "sums of one long segment",
                                          "products of segments, by an operator",
                                          "a running sum of segments",
                                          "a sparse product",
                                          "a transposed sparse product",
                                          "weights in bins",
                                          "weights between edges",
                                          "scattered sums",
                                          "a live sum",
                                          "a live running sum",
                                          "a live sort",
                                          "a random order",
                                          "a sum of drawn numbers"};

static void linear(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    (void)user;
    out[0] = fsr_mul(left[0], right[0]);
    out[1] = fsr_add(fsr_mul(left[1], right[0]), right[1]);
}

static const fsr_operator composed = {linear, NULL, 2, {1, 0}, false, {NULL}};

/* Offsets of PLACES segments, of 0 to some 600 elements, the last of them long. */
static fsr_node skewed(fsr_graph *g) {
    const fsr_node i = fsr_arange(g, FSR_I64, PLACES + 1), last = fsr_int(g, PLACES);
    const fsr_node rising = fsr_floor_divide(fsr_mul(fsr_mul(i, i), fsr_int(g, MANY / 3)), fsr_int(g, PLACES * PLACES));
    return fsr_where(fsr_equal(i, last), fsr_int(g, MANY), rising);
}

static void of_segments(fsr_graph *g, fsr_node x, fsr_node steep, fsr_node *out) {
    const fsr_node offsets = skewed(g), whole = fsr_mul(fsr_arange(g, FSR_I64, 2), fsr_int(g, MANY));
    const fsr_node near_one = fsr_add(fsr_mul(x, fsr_float(g, 1e-3)), fsr_float(g, 1));
    fsr_node pair[FSR_MAX_TUPLE];
    out[0] = fsr_segment_sum(x, offsets);
    out[1] = fsr_segment_sum(steep, whole);
    fsr_segment_reduce_with(pair, (fsr_node[]){near_one, x}, &composed, offsets);
    out[2] = pair[1];
    out[3] = fsr_segment_cumsum(x, offsets, 0);
}

static void of_places(fsr_graph *g, fsr_node steep, fsr_node at, fsr_node *out) {
    const fsr_csr a = {.offsets = skewed(g), .columns = at, .values = steep, .rows = PLACES, .cols = PLACES};
    const fsr_node even = fsr_cos(steep), zeros = fsr_zeros(g, FSR_F32, 1, SHAPE(PLACES));
    out[0] = fsr_csr_dot(&a, fsr_slice(even, 0, 0, PLACES, 1));
    out[1] = fsr_csr_dot_transposed(&a, fsr_ones(g, FSR_F32, 1, SHAPE(PLACES)));
    out[2] = fsr_histogram(even, steep, BINS, -1, 1);
    out[3] = fsr_histogram_edges(even, steep, fsr_linspace(g, FSR_F32, -1, 1, BINS, true));
    out[4] = fsr_scatter_add(zeros, &at, 1, steep, FSR_INDEX_DROP, 0);
}

static void of_lengths(fsr_graph *g, fsr_node x, fsr_node *out) {
    const fsr_node live = fsr_compress(fsr_greater(x, fsr_float(g, 0.25)), x), zero = fsr_float(g, 0);
    const fsr_node seed = fsr_int(g, 5), stream = fsr_int(g, 11), i = fsr_counter(g, 1, SHAPE(MANY));
    out[0] = fsr_sum(fsr_exp(live), NULL, 0, 0);
    out[1] = fsr_filled(fsr_cumsum(live, AXES(0), 1, 0), zero);
    out[2] = fsr_filled(fsr_sort(live, AXES(0), 1, FSR_DESCENDING), zero);
    out[3] = fsr_random_permutation(seed, stream, MANY);
    out[4] = fsr_sum(fsr_random_normal(seed, stream, i, FSR_F32), NULL, 0, 0);
}

typedef struct sample {
    float x[MANY], steep[MANY];
    int32_t place[MANY];
} sample;

/* An element of the second half has the place of the one that lies half the elements before it. */
static sample *some_sample(void) {
    enum { HALF = MANY / 2 };
    sample *s = malloc(sizeof *s);
    for (uint32_t i = 0; i < MANY; i++) {
        const uint32_t k = i < HALF ? i : i - HALF;
        s->x[i] = (float)(i * 2654435761u >> 8) * 0x1p-20f - 8;
        s->steep[i] = k % 4 || i == 2 * HALF ? s->x[i] : i < HALF ? 1e10f : -1e10f;
        s->place[i] = (int32_t)((k * 2246822519u >> 11) % PLACES);
    }
    return s;
}

static void record(fsr_graph *g, const sample *s, fsr_node *out) {
    const fsr_node x = fsr_from_host(g, FSR_F32, 1, SHAPE(MANY), s->x);
    const fsr_node steep = fsr_from_host(g, FSR_F32, 1, SHAPE(MANY), s->steep);
    of_segments(g, x, steep, out);
    of_places(g, steep, fsr_from_host(g, FSR_I32, 1, SHAPE(MANY), s->place), out + 4);
    of_lengths(g, x, out + 9);
}

static void a_hundred_times(void **state) {
    (void)state;
    sample *s = some_sample();
    void *first[OUTS] = {NULL};
    fsr_config config = subject_config();
    config.threads = 3;
    fsr_context *ctx = subject_open(&config);
    const int times = subject_sanitized() ? 3 : 100;
    for (int t = 0; t < times; t++) {
        fsr_graph *g = fsr_graph_new(ctx);
        fsr_node out[OUTS];
        record(g, s, out);
        OK(fsr_compute(out, OUTS));
        for (int o = 0; o < OUTS; o++) {
            const size_t bytes = (size_t)fsr_node_bytes(out[o]);
            void *again = malloc(bytes);
            OK(fsr_read(out[o], again, bytes));
            if (t && memcmp(again, first[o], bytes) != 0)
                fail_msg("%s: other bits in run %d", name_of[o], t);
            first[o] = t ? first[o] : again;
            if (t)
                free(again);
        }
        fsr_graph_free(g);
    }
    subject_count("runs of the same bits", times * OUTS);
    for (int o = 0; o < OUTS; o++)
        free(first[o]);
    fsr_close(ctx);
    free(s);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(a_hundred_times)};
SUBJECT_MAIN(tests)

/* SPDX-License-Identifier: MIT */
/* Plans launched as CUDA graphs (knob graphs): kernels of every kind, one after the other, give the bits that they
 * give launched one by one, also with other data in the same arrays, with several sets of arrays, on a caller's
 * stream, and by fsr_compute in a loop of scopes; and what a launch of ten small kernels costs either way. */
#define SUBJECT_BACKEND FSR_BACKEND_CUDA
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef FUSOR_HAVE_CUDA
#include <cuda_runtime_api.h>

enum { N = 100003, SETS = 3, ROUNDS = 12 };

static fsr_context *open_with(int graphs, int fusion) {
    fsr_config config = subject_config();
    config.graphs = graphs;
    config.fusion = fusion;
    return subject_open(&config);
}

/* Reductions of one long row and of many rows, look-back scans, a filter, a scatter with atomics, a gather, a random
 * number. */
static fsr_node work(fsr_graph *g) {
    fsr_node x = fsr_input(g, "x", FSR_F32, 1, SHAPE(N)), i = fsr_arange(g, FSR_I64, N);
    fsr_node mean = fsr_mean(x, NULL, 0, 0), y = fsr_sub(x, mean), s = fsr_cumsum(y, AXES(0), 1, 0);
    fsr_node bins = fsr_mod(i, fsr_int(g, 100)), h = fsr_scatter_add(fsr_zeros(g, FSR_I64, 1, SHAPE(100)), &bins, 1,
                                                                     fsr_cast(x, FSR_I64), FSR_INDEX_CLIP, 0);
    fsr_node kept = fsr_filled(fsr_compress(fsr_greater(y, fsr_int(g, 0)), s), fsr_int(g, 0));
    fsr_node back = fsr_take(kept, fsr_sub(fsr_int(g, N - 1), i), 0, FSR_INDEX_CLIP);
    fsr_node rows = fsr_sum(fsr_reshape(fsr_slice(back, 0, 0, 100000, 1), 2, SHAPE(1000, 100)), AXES(1), 1, 0);
    fsr_node all = fsr_add(fsr_cast(fsr_max(rows, NULL, 0, 0), FSR_F64), fsr_cast(fsr_sum(h, NULL, 0, 0), FSR_F64));
    return fsr_add(fsr_cast(fsr_add(back, s), FSR_F64),
                   fsr_mul(all, fsr_random_uniform(fsr_int(g, 7), fsr_int(g, 1), i, FSR_F64)));
}

typedef struct arrays {
    float *x[SETS];
    double *y[SETS];
} arrays;

static void fill(fsr_context *ctx, float *device, int round) {
    float *host = malloc(sizeof *host * N);
    for (int i = 0; i < N; i++)
        host[i] = (float)((i * 7 + round * 13) % 101);
    fsr_ticket done;
    subject_ok(fsr_upload(ctx, device, host, sizeof *host * N, &done), "uploading");
    subject_ok(fsr_wait(ctx, done), "waiting for the upload");
    free(host);
}

/* The results of all rounds, one after the other. */
static double *rounds(int graphs, int fusion, bool own_stream, fsr_stats *stats) {
    fsr_context *ctx = open_with(graphs, fusion);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node y = work(g);
    fsr_plan *plan;
    arrays a;
    cudaStream_t stream = NULL;
    double *all = malloc(sizeof *all * N * ROUNDS);
    subject_ok(fsr_compile(&y, 1, &plan), "compiling");
    for (int i = 0; i < SETS; i++) {
        subject_ok(fsr_alloc(ctx, FSR_DEVICE, sizeof(float) * N, (void **)&a.x[i]), "x");
        subject_ok(fsr_alloc(ctx, FSR_DEVICE, sizeof(double) * N, (void **)&a.y[i]), "y");
    }
    if (own_stream)
        assert_int_equal(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    for (int r = 0; r < ROUNDS; r++) {
        const int set = r % SETS;
        fsr_ticket done;
        fill(ctx, a.x[set], r);
        const fsr_arg in = {"x", a.x[set], sizeof(float) * N, FSR_DEVICE};
        const fsr_arg out = {NULL, a.y[set], sizeof(double) * N, FSR_DEVICE};
        subject_ok(fsr_plan_run(plan, &in, 1, &out, 1, stream), "running");
        subject_ok(fsr_download(ctx, all + (size_t)r * N, a.y[set], sizeof(double) * N, &done), "downloading");
        subject_ok(fsr_wait(ctx, done), "waiting");
    }
    subject_ok(fsr_sync(ctx), "sync");
    subject_ok(fsr_context_stats(ctx, stats), "stats");
    if (stream)
        cudaStreamDestroy(stream);
    fsr_close(ctx);
    return all;
}

static void bits_are_the_same(void **state) {
    (void)state;
    for (int fusion = 0; fusion < 2; fusion++) {
        fsr_stats stats, launched;
        double *expected = rounds(0, fusion, false, &stats);
        assert_int_equal(stats.graphs_made, 0);
        for (int own = 0; own < 2; own++) {
            double *got = rounds(1, fusion, own, &launched);
            assert_int_equal(launched.graphs_made, SETS);
            assert_int_equal(launched.graph_launches, ROUNDS - SETS);
            assert_int_equal(launched.launches, stats.launches);
            assert_memory_equal(got, expected, sizeof *got * N * ROUNDS);
            free(got);
        }
        free(expected);
    }
}

/* fsr_compute: the pool gives the same blocks by turns. */
static void a_loop_of_steps(void **state) {
    (void)state;
    enum { M = 257, STEPS = 200 };
    double last[2];
    for (int graphs = 0; graphs < 2; graphs++) {
        fsr_context *ctx = open_with(graphs, 0);
        fsr_graph *g = fsr_graph_new(ctx);
        fsr_stats stats;
        fsr_node x = fsr_full(g, FSR_F64, 1, SHAPE(M), 0.5);
        subject_ok(fsr_force(x), "the beginning");
        fsr_scope_begin(g);
        for (int i = 0; i < STEPS; i++) {
            x = fsr_mul(fsr_mul(x, fsr_float(g, 3.7)), fsr_sub(fsr_float(g, 1), x));
            subject_ok(fsr_force(x), "a step");
            fsr_scope_keep(g, &x, 1);
        }
        subject_ok(fsr_read(fsr_max(x, NULL, 0, 0), &last[graphs], sizeof last[0]), "reading");
        subject_ok(fsr_context_stats(ctx, &stats), "stats");
        assert_true(graphs ? stats.graph_launches > STEPS / 2 : stats.graph_launches == 0);
        fsr_close(ctx);
    }
    assert_memory_equal(&last[0], &last[1], sizeof last[0]);
}

static double now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

/* Ten kernels of a few elements, launched many times: microseconds a run, from the first launch to the end of the
 * last. */
static double cost(int graphs, bool own_stream) {
    enum { M = 1024, RUNS = 2000, TRIES = 5 };
    fsr_context *ctx = open_with(graphs, 0);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node x = fsr_input(g, "x", FSR_F32, 1, SHAPE(M));
    fsr_plan *plan;
    cudaStream_t stream = NULL;
    void *in, *out;
    double best = 1e30;
    for (int i = 0; i < 10; i++)
        x = i % 2 ? fsr_sqrt(x) : fsr_exp(x);
    subject_ok(fsr_compile(&x, 1, &plan), "compiling ten kernels");
    subject_ok(fsr_alloc(ctx, FSR_DEVICE, sizeof(float) * M, &in), "in");
    subject_ok(fsr_alloc(ctx, FSR_DEVICE, sizeof(float) * M, &out), "out");
    if (own_stream)
        assert_int_equal(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    const fsr_arg from = {"x", in, sizeof(float) * M, FSR_DEVICE}, to = {NULL, out, sizeof(float) * M, FSR_DEVICE};
    for (int attempt = 0; attempt < TRIES; attempt++) {
        for (int i = 0; i < 10; i++)
            subject_ok(fsr_plan_run(plan, &from, 1, &to, 1, stream), "warming");
        subject_ok(fsr_sync(ctx), "sync");
        const double start = now_us();
        for (int i = 0; i < RUNS; i++)
            fsr_plan_run(plan, &from, 1, &to, 1, stream);
        subject_ok(fsr_sync(ctx), "sync");
        const double took = (now_us() - start) / RUNS;
        best = took < best ? took : best;
    }
    if (stream)
        cudaStreamDestroy(stream);
    fsr_close(ctx);
    return best;
}

static void launches_cost_less(void **state) {
    (void)state;
    if (subject_sanitized())
        skip();
    for (int own = 0; own < 2; own++) {
        const double apart = cost(0, own), together = cost(1, own);
        printf("ten small kernels on %s stream: %.2f us a run one by one, %.2f us as a graph\n",
               own ? "a caller's" : "the context's", apart, together);
        assert_true(together < apart);
    }
}

/* ---- calls of libraries -------------------------------------------------------------------------------------- */

enum { SIDE = 256, CALLS = 6, CALL_RUNS = 8, TIMED = 200 };

/* A call between two kernels. */
static fsr_node call_of(fsr_graph *g, int which) {
    fsr_node x = fsr_input(g, "x", FSR_F32, 2, SHAPE(SIDE, SIDE)), y = fsr_add(x, fsr_float(g, 1));
    switch (which) {
    case 0: return fsr_neg(fsr_matmul(y, fsr_transpose(y, NULL)));
    case 1: return fsr_neg(fsr_real(fsr_fft(y, 1)));
    case 2: return fsr_neg(fsr_irfft(fsr_rfft(y, 1), SIDE, 1));
    case 3: return fsr_neg(fsr_sort(y, AXES(1), 1, 0));
    case 4: return fsr_neg(fsr_topk(y, 16, AXES(1), 1, 0));
    default: return fsr_neg(fsr_median(y, AXES(1), 1, 0));
    }
}

/* What runs give, of other data each, and how long one of many takes. */
static float *call_runs(int graphs, int which, bool own_stream, size_t *bytes, double *us, int64_t *launches) {
    fsr_context *ctx = open_with(graphs, 1);
    fsr_node out = call_of(fsr_graph_new(ctx), which);
    fsr_plan *plan;
    fsr_stats stats;
    float *x, *y;
    cudaStream_t stream = NULL;
    *bytes = (size_t)fsr_node_bytes(out);
    float *all = malloc(*bytes * CALL_RUNS), *host = malloc(sizeof *host * SIDE * SIDE);
    subject_ok(fsr_compile(&out, 1, &plan), "compiling");
    subject_ok(fsr_alloc(ctx, FSR_DEVICE, sizeof *x * SIDE * SIDE, (void **)&x), "x");
    subject_ok(fsr_alloc(ctx, FSR_DEVICE, (int64_t)*bytes, (void **)&y), "y");
    if (own_stream)
        assert_int_equal(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    const fsr_arg from = {"x", x, sizeof *x * SIDE * SIDE, FSR_DEVICE}, to = {NULL, y, *bytes, FSR_DEVICE};
    for (int r = 0; r < CALL_RUNS; r++) {
        fsr_ticket done;
        for (int i = 0; i < SIDE * SIDE; i++)
            host[i] = (float)((i * 7919 + r * 104729) % 65521) / 65521;
        subject_ok(fsr_upload(ctx, x, host, sizeof *x * SIDE * SIDE, &done), "uploading");
        subject_ok(fsr_wait(ctx, done), "waiting for the upload");
        subject_ok(fsr_plan_run(plan, &from, 1, &to, 1, stream), "running");
        subject_ok(fsr_download(ctx, (char *)all + *bytes * (size_t)r, y, (int64_t)*bytes, &done), "downloading");
        subject_ok(fsr_wait(ctx, done), "waiting");
    }
    subject_ok(fsr_sync(ctx), "sync");
    const double start = now_us();
    for (int r = 0; r < TIMED; r++)
        subject_ok(fsr_plan_run(plan, &from, 1, &to, 1, stream), "running");
    subject_ok(fsr_sync(ctx), "sync");
    *us = (now_us() - start) / TIMED;
    subject_ok(fsr_context_stats(ctx, &stats), "stats");
    *launches = stats.graph_launches;
    free(host);
    if (stream)
        cudaStreamDestroy(stream);
    fsr_close(ctx);
    return all;
}

/* Calls of libraries within graphs give the bits that they give step by step. */
static void calls_are_replayed(void **state) {
    (void)state;
    static const char *const name[CALLS] = {"a product", "a transform", "two transforms of real numbers",
                                            "a sort",    "the first k", "a median"};
    for (int which = 0; which < CALLS; which++)
        for (int own = 0; own < 2; own++) {
            double us[2];
            int64_t launches[2];
            size_t bytes;
            float *apart = call_runs(0, which, own, &bytes, &us[0], &launches[0]);
            float *together = call_runs(1, which, own, &bytes, &us[1], &launches[1]);
            printf(
                "%s between kernels, on %s stream: %.2f us a run one by one, %.2f us as a graph, %lld launches of it\n",
                name[which], own ? "a caller's" : "the context's", us[0], us[1], (long long)launches[1]);
            assert_int_equal(launches[0], 0);
            assert_true(launches[1] >= TIMED);
            assert_memory_equal(apart, together, bytes * CALL_RUNS);
            free(apart);
            free(together);
        }
}

static const struct CMUnitTest tests[] = {SUBJECT_TEST(bits_are_the_same), SUBJECT_TEST(a_loop_of_steps),
                                          SUBJECT_TEST(calls_are_replayed), SUBJECT_TEST(launches_cost_less)};
SUBJECT_MAIN(tests)
#else
int main(void) {
    puts("skipped: built without a CUDA toolkit");
    return 77;
}
#endif

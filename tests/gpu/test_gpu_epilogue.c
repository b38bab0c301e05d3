/* SPDX-License-Identifier: MIT */
/* Products with a bias, and with contraction a scale, as one call of cuBLASLt: right, and beside the product and a
 * kernel behind it, which the same program is with a pair of hints. Printed are the medians of turns side by side, and
 * how many elements have other bits: which algorithm a library takes decides those. */
#define SUBJECT_BACKEND FSR_BACKEND_CUDA
#include "tests/support/joined.h"
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>

#ifdef FUSOR_HAVE_CUDA
#include "tests/gpu/turns.h"

enum { TURNS = 15, RUNS = 20 };

static fsr_node values(fsr_graph *g, fsr_dtype dtype, int ndim, const int64_t *shape, double step) {
    fsr_node i = fsr_arange(g, FSR_F64, shape[0] * (ndim > 1 ? shape[1] : 1));
    fsr_node out = fsr_reshape(fsr_cast(fsr_sin(fsr_mul(i, fsr_float(g, step))), dtype), ndim, shape);
    if (fsr_force(out))
        fail_msg("%s", fsr_error(fsr_node_context(out)));
    return out;
}

/* x is one call and no kernel, where the machine has cuBLASLt, and right. */
static void expect(fsr_node x, const char *what) {
    fsr_plan_info info;
    fsr_verify_report report;
    fsr_context *ctx = fsr_node_context(x);
    assert_int_equal(fsr_query(&x, 1, &info), FSR_OK);
    if (info.calls != 1 || info.kernels != 0)
        fail_msg("%s: %d calls, %d kernels", what, info.calls, info.kernels);
    if (fsr_verify(&x, 1, &report))
        fail_msg("%s: %s", what, fsr_error(ctx));
    assert_int_equal(report.unknown, 0);
}

static void all_forms(fsr_graph *g, bool contraction) {
    enum { M = 67, K = 35, N = 52 };
    fsr_node a = values(g, FSR_F32, 2, SHAPE(M, K), 0.7), b = values(g, FSR_F32, 2, SHAPE(K, N), 0.3),
             w = values(g, FSR_F32, 2, SHAPE(N, K), 1.1), t = values(g, FSR_F32, 2, SHAPE(K, M), 1.3),
             v = values(g, FSR_F32, 1, SHAPE(N + 9), 2.1), h = values(g, FSR_F16, 2, SHAPE(M, K), 0.9),
             bf = values(g, FSR_BF16, 2, SHAPE(M, K), 0.8), wide = values(g, FSR_F32, 2, SHAPE(M, K + 5), 0.6);
    fsr_node bias = fsr_slice(v, 0, 0, N, 1);
    expect(joined(fsr_matmul(a, b), bias), "a b");
    expect(joined(fsr_matmul(a, fsr_transpose(w, NULL)), bias), "a b'");
    expect(joined(fsr_matmul(fsr_transpose(t, NULL), b), bias), "a' b");
    expect(joined(fsr_matmul(fsr_transpose(t, NULL), fsr_transpose(w, NULL)), bias), "a' b'");
    expect(joined(fsr_matmul(fsr_slice(wide, 1, 3, K + 3, 1), b), bias), "a part that is not aligned");
    for (int from = 1; from < 8; from += 2)
        expect(joined(fsr_matmul(a, b), fsr_slice(v, 0, from, from + N, 1)), "a bias that is not aligned");
    expect(joined(fsr_matmul(fsr_cast(h, FSR_F32), fsr_transpose(fsr_cast(fsr_slice(h, 0, 0, N, 1), FSR_F32), NULL)),
                  bias),
           "f16");
    expect(joined(fsr_matmul(fsr_cast(bf, FSR_F32), fsr_transpose(fsr_cast(fsr_slice(bf, 0, 0, N, 1), FSR_F32), NULL)),
                  bias),
           "bf16");
    if (contraction) {
        fsr_node p = fsr_matmul(a, b), q = fsr_matmul(a, b);
        expect(joined_with(p, fsr_add(fsr_mul(p, fsr_float(g, 0.3)), bias)), "a scale and a bias");
        expect(joined_with(q, fsr_mul(q, fsr_float(g, 0.3))), "a scale");
    }
}

static void forms(void **state) {
    (void)state;
    all_forms(subject_g, false);
}

static void contracting(void **state) {
    fsr_config config = subject_config();
    (void)state;
    config.contraction = 1;
    fsr_context *ctx = subject_open(&config);
    fsr_graph *g = fsr_graph_new(ctx);
    all_forms(g, true);
    fsr_graph_free(g);
    fsr_close(ctx);
}

/* A plan with its result. */
typedef struct way {
    fsr_plan *plan;
    fsr_arg out;
    cudaStream_t stream;
} way;

static void run(void *arg) {
    way *w = arg;
    if (fsr_plan_run(w->plan, NULL, 0, &w->out, 1, w->stream))
        fail_msg("%s", fsr_error(subject_ctx));
}

static double once(way *w) {
    return turns_time(w->stream, RUNS, run, w);
}

static int64_t differing(const fsr_arg *a, const fsr_arg *b) {
    unsigned *x = malloc(a->bytes), *y = malloc(a->bytes);
    int64_t n = 0;
    assert_true(x && y);
    assert_int_equal(cudaMemcpy(x, a->data, a->bytes, cudaMemcpyDeviceToHost), cudaSuccess);
    assert_int_equal(cudaMemcpy(y, b->data, a->bytes, cudaMemcpyDeviceToHost), cudaSuccess);
    for (size_t i = 0; i < a->bytes / sizeof *x; i++)
        n += x[i] != y[i];
    free(x);
    free(y);
    return n;
}

static void compare(int64_t m, int64_t k, int64_t n) {
    fsr_node a = values(subject_g, FSR_F32, 2, SHAPE(m, k), 0.7), b = values(subject_g, FSR_F32, 2, SHAPE(k, n), 0.3),
             bias = values(subject_g, FSR_F32, 1, SHAPE(n), 2.1);
    fsr_node product = fsr_matmul(a, b), sum = fsr_add(product, bias), joined = fsr_add(fsr_matmul(a, b), bias);
    way w[2];
    double ratio[TURNS], time[2][TURNS];
    cudaStream_t stream;
    assert_int_equal(fsr_hint_pair(product, sum, FSR_PAIR_APART), FSR_OK);
    assert_int_equal(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    for (int i = 0; i < 2; i++) {
        const size_t bytes = (size_t)(m * n) * sizeof(float);
        w[i] = (way){.out = {NULL, NULL, bytes, FSR_DEVICE}, .stream = stream};
        assert_int_equal(cudaMalloc(&w[i].out.data, bytes), cudaSuccess);
        if (fsr_compile(i ? &sum : &joined, 1, &w[i].plan))
            fail_msg("%s", fsr_error(subject_ctx));
        for (int warm = 0; warm < 2; warm++)
            once(&w[i]);
    }
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < 2; i++)
            time[i ^ (turn & 1)][turn] = once(&w[i ^ (turn & 1)]);
        ratio[turn] = time[0][turn] / time[1][turn];
    }
    turns_sort(ratio, TURNS);
    for (int i = 0; i < 2; i++)
        turns_sort(time[i], TURNS);
    printf("%lld x %lld x %lld: %.4f ms with its bias, %.4f and a kernel, ratio %.3f (%.3f to %.3f); %lld of %lld "
           "elements "
           "have other bits\n",
           (long long)m, (long long)k, (long long)n, time[0][TURNS / 2], time[1][TURNS / 2], ratio[TURNS / 2], ratio[0],
           ratio[TURNS - 1], (long long)differing(&w[0].out, &w[1].out), (long long)(m * n));
    for (int i = 0; i < 2; i++) {
        fsr_plan_free(w[i].plan);
        cudaFree(w[i].out.data);
    }
    cudaStreamDestroy(stream);
}

static void times(void **state) {
    static const int64_t shape[][3] = {{1 << 20, 32, 64},  {1 << 20, 64, 64}, {1 << 18, 256, 256},
                                       {4096, 1024, 4096}, {1024, 512, 1024}, {1024, 1024, 1024}};
    (void)state;
    if (subject_sanitized())
        return;
    for (int i = 0; i < COUNT_OF(shape); i++)
        compare(shape[i][0], shape[i][1], shape[i][2]);
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_TEST(forms), SUBJECT_TEST(contracting), SUBJECT_TEST(times)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
#else
int main(void) {
    printf("skipped: built without a CUDA toolkit's header\n");
    return 77;
}
#endif

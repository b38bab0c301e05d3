/* SPDX-License-Identifier: MIT */
/* Fusion changes no bit of an elementwise result; a reduction gives the same bits in every run. */
#include "tests/support/subject.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

/* A graph of the same program in two contexts, fused and not. */
typedef int (*program_fn)(fsr_node *out, fsr_node a, fsr_node b, fsr_node c);

static const int64_t sizes[] = {1, 31, 1025, 20001};
enum { MOST = 24 };

/* A leaf of a given graph: subject_data works on subject_g. */
static fsr_node leaf(fsr_graph *g, fsr_dtype dtype, int64_t n, int stream) {
    fsr_graph *held = subject_g;
    subject_g = g;
    fsr_node x = subject_data(dtype, 1, SHAPE(n), SUBJECT_SPECIAL, stream);
    subject_g = held;
    return x;
}

static int run(fsr_context *ctx, program_fn program, fsr_dtype dtype, int64_t n, void **data, size_t *bytes) {
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node out[MOST];
    int count = program(out, leaf(g, dtype, n, 0), leaf(g, dtype, n, 1), leaf(g, dtype, n, 2));
    assert_true(count <= MOST);
    for (int i = 0; i < count; ++i)
        if (fsr_node_status(out[i]))
            fail_msg("output %d: %s", i, fsr_node_error(out[i]));
    if (fsr_compute(out, count))
        fail_msg("%s", fsr_error(ctx));
    for (int i = 0; i < count; ++i) {
        bytes[i] = (size_t)fsr_node_bytes(out[i]);
        data[i] = malloc(bytes[i] + 1);
        if (fsr_read(out[i], data[i], bytes[i]))
            fail_msg("%s", fsr_error(ctx));
    }
    fsr_graph_free(g);
    return count;
}

/* Where the two differ: NaN equals NaN of other bits (no operation promises a payload). */
static int64_t difference(const void *a, const void *b, size_t bytes, fsr_dtype dtype) {
    size_t size = fsr_dtype_size(dtype);
    for (size_t i = 0; i < bytes / size; ++i) {
        if (memcmp((const char *)a + i * size, (const char *)b + i * size, size) == 0)
            continue;
        fsr_value x = {.bits = 0}, y = {.bits = 0};
        memcpy(&x, (const char *)a + i * size, size);
        memcpy(&y, (const char *)b + i * size, size);
        if (dtype == FSR_F64   ? x.f64 == x.f64 || y.f64 == y.f64
            : dtype == FSR_F32 ? x.f32 == x.f32 || y.f32 == y.f32
                               : true)
            return (int64_t)i;
    }
    return -1;
}

static int arithmetic(fsr_node *out, fsr_node a, fsr_node b, fsr_node c) {
    fsr_node t = fsr_add(fsr_mul(a, b), c); /* a fused multiply-add would show */
    out[0] = t;
    out[1] = fsr_add(fsr_mul(fsr_abs(a), fsr_maximum(b, c)), t);
    out[2] = fsr_minimum(fsr_mul(t, t), fsr_add(a, fsr_mul(b, fsr_int(a.graph, 3))));
    out[3] = fsr_where(fsr_less(fsr_mul(a, b), c), fsr_add(fsr_mul(a, c), b), a);
    out[4] = fsr_less_equal(fsr_add(fsr_mul(a, a), fsr_mul(b, b)), fsr_mul(c, c));
    out[5] = fsr_cast(t, FSR_F32);
    out[6] = fsr_div(t, fsr_add(fsr_mul(b, b), c));
    return 7;
}

static int signed_arithmetic(fsr_node *out, fsr_node a, fsr_node b, fsr_node c) {
    fsr_node t = fsr_sub(fsr_mul(a, b), fsr_mul(b, c));
    out[0] = fsr_neg(fsr_sub(t, c));
    out[1] = fsr_fma(a, b, t);
    out[2] = fsr_sub(fsr_fma(a, b, c), fsr_add(fsr_mul(a, b), c));
    out[3] = fsr_cast(fsr_cast(fsr_sub(a, c), FSR_F32), FSR_F64);
    return 4;
}

static int functions(fsr_node *out, fsr_node a, fsr_node b, fsr_node c) {
    fsr_node s = fsr_sin(fsr_add(fsr_mul(a, b), c)), e = fsr_exp(fsr_neg(fsr_mul(a, a)));
    out[0] = fsr_add(fsr_mul(s, s), fsr_mul(fsr_cos(a), fsr_cos(b)));
    out[1] = fsr_tanh(fsr_add(fsr_mul(e, s), c));
    out[2] = fsr_log(fsr_add(fsr_mul(fsr_sqrt(fsr_abs(a)), e), fsr_float(a.graph, 1)));
    out[3] = fsr_pow(fsr_abs(fsr_mul(a, b)), fsr_add(fsr_mul(c, c), fsr_float(a.graph, 0.5)));
    out[4] = fsr_floor(fsr_add(fsr_mul(a, b), fsr_float(a.graph, 0.25)));
    return 5;
}

static int views(fsr_node *out, fsr_node a, fsr_node b, fsr_node c) {
    fsr_node t = fsr_add(fsr_mul(a, b), c);
    out[0] = fsr_add(fsr_mul(fsr_flip(t, 0), a), t);
    out[1] = fsr_mul(fsr_slice(t, 0, 0, FSR_SLICE_END, 2), fsr_slice(fsr_flip(t, 0), 0, 0, FSR_SLICE_END, 2));
    return 2;
}

static void compare(fsr_context *fused, fsr_context *unfused, program_fn program, const char *name, fsr_dtype dtype,
                    int64_t n) {
    void *a[MOST], *b[MOST];
    size_t bytes[MOST], same[MOST];
    int count = run(fused, program, dtype, n, a, bytes);
    assert_int_equal(run(unfused, program, dtype, n, b, same), count);
    for (int i = 0; i < count; ++i) {
        assert_int_equal(bytes[i], same[i]);
        size_t size = bytes[i] / (size_t)n;
        fsr_dtype as = size == 1                       ? FSR_U8
                       : size == 8 && dtype == FSR_I64 ? FSR_I64
                       : size == 8                     ? FSR_F64
                       : dtype == FSR_I32              ? FSR_I32
                                                       : FSR_F32;
        int64_t at = difference(a[i], b[i], bytes[i], as);
        if (at >= 0)
            fail_msg("%s of %s[%lld], output %d, element %lld: fused and unfused differ", name, fsr_dtype_name(dtype),
                     (long long)n, i, (long long)at);
        free(a[i]);
        free(b[i]);
    }
    subject_count("results compared by bits", count);
}

/* A kernel of its own for every node of each dtype, and others where there is one element: the fast tier has one dtype
 * of each class of code, and one element of one. */
static bool takes(int dtype, int64_t n) {
    static const fsr_dtype usual[] = {FSR_F32, FSR_U8, FSR_I32, FSR_F16};
    subject_tier tier = SUBJECT_CAPPED;
    for (int i = 0; i < (n == 1 ? 1 : COUNT_OF(usual)); ++i)
        if ((int)usual[i] == dtype)
            tier = SUBJECT_FAST;
    return subject_case(0, tier);
}

static void fused_equals_unfused(void **state) {
    (void)state;
    fsr_config config = subject_config();
    config.fusion = 1;
    fsr_context *fused = subject_open(&config);
    config.fusion = 0;
    fsr_context *unfused = subject_open(&config);
    fsr_stats before, after;
    assert_int_equal(fsr_context_stats(unfused, &before), FSR_OK);
    for (int s = 0; s < COUNT_OF(sizes); ++s) {
        for (int d = 0; d < FSR_C64; ++d)
            if (takes(d, sizes[s]))
                compare(fused, unfused, arithmetic, "arithmetic", (fsr_dtype)d, sizes[s]);
        for (int d = FSR_I32; d < FSR_C64; ++d)
            if (takes(d, sizes[s]))
                compare(fused, unfused, signed_arithmetic, "signed arithmetic", (fsr_dtype)d, sizes[s]);
        for (int d = FSR_F32; d < FSR_C64; ++d)
            if (takes(d, sizes[s])) {
                compare(fused, unfused, functions, "functions", (fsr_dtype)d, sizes[s]);
                compare(fused, unfused, views, "views", (fsr_dtype)d, sizes[s]);
            }
    }
    assert_int_equal(fsr_context_stats(unfused, &after), FSR_OK);
    fsr_stats fast;
    assert_int_equal(fsr_context_stats(fused, &fast), FSR_OK);
    assert_true(after.launches - before.launches > 2 * fast.launches);
    fsr_close(fused);
    fsr_close(unfused);
}

/* ---- the same bits in every run --------------------------------------------------------------------------- */

enum { RUNS = 100, RUNS_SANITIZED = 5, FOLDS = 7 };

static void folds_of(fsr_node *out, fsr_node x) {
    fsr_node flat = fsr_reshape(x, 1, SHAPE(-1));
    out[0] = fsr_sum(flat, NULL, 0, 0);
    out[1] = fsr_sum(x, AXES(1), 1, 0);
    out[2] = fsr_sum(x, AXES(0), 1, 0);
    out[3] = fsr_var(x, NULL, 0, 0, 0);
    out[4] = fsr_prod(x, AXES(1), 1, 0);
    out[5] = fsr_cumsum(flat, AXES(0), 1, 0);
    out[6] = fsr_cumsum(x, AXES(1), 1, FSR_EXCLUSIVE);
}

static void *folded(fsr_graph *g, int which) {
    fsr_graph *held = subject_g;
    subject_g = g;
    fsr_node out[FOLDS], x = subject_data(FSR_F32, 2, SHAPE(37, 5003), SUBJECT_SMALL, 1);
    folds_of(out, x);
    void *data = subject_read(out[which]);
    subject_g = held;
    return data;
}

static void reductions_repeat(void **state) {
    (void)state;
    const int runs = subject_sanitized() ? RUNS_SANITIZED : RUNS;
    for (int f = 0; f < FOLDS; ++f) {
        void *first = NULL;
        for (int i = 0; i < runs; ++i) {
            fsr_graph *g = fsr_graph_new(subject_ctx);
            void *again = folded(g, f);
            fsr_node out[FOLDS], x = fsr_input(g, "x", FSR_F32, 2, SHAPE(37, 5003));
            folds_of(out, x);
            if (!first)
                first = again;
            else if (memcmp(first, again, (size_t)fsr_node_bytes(out[f])) != 0)
                fail_msg("fold %d, run %d: other bits than run 0", f, i);
            fsr_graph_free(g);
            if (again != first)
                free(again);
        }
        free(first);
        subject_count("runs of folds", runs);
    }
}

/* The number of threads is no part of the answer. */
static void threads_change_no_bit(void **state) {
    (void)state;
    static const int threads[] = {1, 2, 3, 7};
    for (int f = 0; f < FOLDS; ++f) {
        void *first = NULL;
        size_t bytes = 0;
        for (int t = 0; t < COUNT_OF(threads); ++t) {
            fsr_config config = subject_config();
            config.threads = threads[t];
            fsr_context *ctx = subject_open(&config);
            fsr_graph *g = fsr_graph_new(ctx);
            fsr_node out[FOLDS], x = fsr_input(g, "x", FSR_F32, 2, SHAPE(37, 5003));
            folds_of(out, x);
            bytes = (size_t)fsr_node_bytes(out[f]);
            void *again = folded(g, f);
            fsr_close(ctx);
            if (!first)
                first = again;
            else if (memcmp(first, again, bytes) != 0)
                fail_msg("fold %d: other bits with %d threads than with 1", f, threads[t]);
            if (again != first)
                free(again);
        }
        free(first);
    }
}

/* Something else computed on the context meanwhile, so many times for each run of a fold, in another thread: begun
 * with it, and waited for before the next. A neighbour without an end starves the test where the context's lock, which
 * is not a fair one, is held long: under compute-sanitizer a launch takes milliseconds, and the test did not end. */
enum { NOISE = 4, ROUNDS = 10, ROUNDS_SANITIZED = 2 };

typedef struct noise {
    sem_t begin, done;
    int rounds, runs;
    fsr_status status;
} noise;

static void *make_noise(void *user) {
    noise *n = user;
    for (int r = 0; r < n->rounds; ++r) {
        sem_wait(&n->begin);
        for (int i = 0; i < NOISE && n->status == FSR_OK; ++i, ++n->runs) {
            fsr_graph *g = fsr_graph_new(subject_ctx);
            fsr_node x = fsr_arange(g, FSR_F64, 5000);
            n->status = fsr_force(fsr_sum(fsr_sin(x), NULL, 0, 0));
            fsr_graph_free(g);
        }
        sem_post(&n->done);
    }
    return NULL;
}

static bool same_beside(noise *n, const void *quiet, int f, size_t bytes) {
    sem_post(&n->begin);
    fsr_graph *g = fsr_graph_new(subject_ctx);
    void *again = folded(g, f);
    bool same = memcmp(quiet, again, bytes) == 0;
    free(again);
    fsr_graph_free(g);
    sem_wait(&n->done);
    return same;
}

static void busy_neighbours_change_no_bit(void **state) {
    (void)state;
    fsr_node out[FOLDS], x = fsr_input(subject_g, "x", FSR_F32, 2, SHAPE(37, 5003));
    folds_of(out, x);
    const int rounds = subject_sanitized() ? ROUNDS_SANITIZED : ROUNDS;
    void *quiet[FOLDS];
    for (int f = 0; f < FOLDS; ++f)
        quiet[f] = folded(subject_g, f);
    noise n = {.rounds = rounds * FOLDS};
    assert_int_equal(sem_init(&n.begin, 0, 0) | sem_init(&n.done, 0, 0), 0);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, make_noise, &n), 0);
    int other = 0;
    for (int i = 0; i < rounds; ++i)
        for (int f = 0; f < FOLDS; ++f)
            other += !same_beside(&n, quiet[f], f, (size_t)fsr_node_bytes(out[f]));
    pthread_join(thread, NULL);
    sem_destroy(&n.begin);
    sem_destroy(&n.done);
    for (int f = 0; f < FOLDS; ++f)
        free(quiet[f]);
    assert_int_equal(other, 0);
    assert_int_equal(n.status, FSR_OK);
    assert_int_equal(n.runs, rounds * FOLDS * NOISE);
    subject_count("runs of folds beside others", rounds * FOLDS);
}

static const struct CMUnitTest tests[] = {
    SUBJECT_CASES(fused_equals_unfused),
    SUBJECT_TEST(reductions_repeat),
    SUBJECT_TEST(threads_change_no_bit),
    SUBJECT_TEST(busy_neighbours_change_no_bit),
};
SUBJECT_MAIN(tests)

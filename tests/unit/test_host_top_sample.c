/* SPDX-License-Identifier: MIT */
/* How many elements of a long row pass the threshold that a GPU takes from a sample (backend_cuda/top_long.cuh): at
 * least the first k, so that nothing is searched for by digits, and not many more, in whatever order they lie that was
 * not made of the hash. Only rows whose first k lie in clusters of as many as are looked at together may need the
 * second threshold. The kernels run on the host's machine; elements are counted here. Counter-example: with lines at
 * multiples of 2048 only 5 of the first 10 of a row in descending order pass, and of a matrix of 32 columns, one of
 * which has the greatest, that whole column. */
#include "backend_cuda/top_sample.h"
#include "tests/host_cuda/host_cuda.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* MANY: elements of a row that is as far sampled as one of 2^27. */
enum { MANY = 1 << 20, SAMPLERS = 32 };

static const char text[] =
    "#define FSR_TOP_SAMPLERS 32\n"
    "#define FSR_TOP_LIST 512u\n"
    "#define __device__\n"
    "static inline void __syncthreads(HOST_LINE) { host_calls->barrier(line); }\n"
    "static inline void __threadfence(HOST_LINE) { host_calls->yield(line); }\n"
    "#define ATOMIC(name, op) template <class A, class B> static inline A name(A *at, B x, HOST_LINE) { \\\n"
    "    const A was = *at; *at = (A)(was op (A)x); return was; }\n"
    "ATOMIC(atomicAdd, +)\nATOMIC(atomicOr, |)\nATOMIC(atomicAnd, &)\n"
    "#include \"backend_cuda/top_long.cuh\"\n"
    "extern \"C\" void __global__ top(const unsigned *row, unsigned n, unsigned apart, unsigned k, unsigned rank,\n"
    "                               fsr_top_work *w) {\n"
    "    __shared__ fsr_top_shared<1024> s;\n"
    "    const fsr_order_form f = {0x7fffffffu, 0x80000000u, 0x7fffffffu, 0x7f800000u, 0x7fffffffu, 1,\n"
    "                              0xffffffffu, 0xffffffffu, 0x7fc00000u};\n"
    "    if (rank)\n"
    "        fsr_top_begin(s, w, k, 0xffffffffu, rank, 1024);\n"
    "    else\n"
    "        fsr_top_sample(s.key, f, row, n, apart, w);\n"
    "}\n";

static char work[1 << 20];

typedef struct hard {
    const char *what;
    double (*at)(unsigned i, unsigned k); /* for the greatest first */
    bool second;                          /* its first threshold may be passed by fewer than k */
} hard;

static double mixed(unsigned i) {
    i = (i ^ i >> 15) * 0x2c1b3c6du;
    i = (i ^ i >> 12) * 0x297a2d39u;
    return (i ^ i >> 15) >> 8;
}
static double at_random(unsigned i, unsigned k) {
    (void)k;
    return mixed(i);
}
static double at_sorted(unsigned i, unsigned k) {
    (void)k;
    return i;
}
static double at_reversed(unsigned i, unsigned k) {
    (void)k;
    return MANY - i;
}
static double at_pipe(unsigned i, unsigned k) {
    (void)k;
    return i < MANY / 2 ? i : MANY - i;
}
static double at_valley(unsigned i, unsigned k) {
    (void)k;
    return i < MANY / 2 ? MANY - i : i;
}
static double at_equal(unsigned i, unsigned k) {
    (void)i, (void)k;
    return 3;
}
static double at_few(unsigned i, unsigned k) {
    (void)k;
    return (int)mixed(i) % 3;
}
static double at_turns(unsigned i, unsigned k) {
    (void)k;
    return i % 4096;
}
static double at_lines(unsigned i, unsigned k) {
    (void)k;
    return mixed(i) + (i % 2048 < 32) * 2e7;
}
static double at_other_lines(unsigned i, unsigned k) {
    (void)k;
    return mixed(i) + (i % 1024 >= 32) * 2e7;
}
static double at_column(unsigned i, unsigned k) {
    (void)k;
    return mixed(i) + (i % 32 == 5) * 2e7;
}
static double at_wide_column(unsigned i, unsigned k) {
    (void)k;
    return mixed(i) + (i % 4096 < 8) * 2e7;
}
static double at_block(unsigned i, unsigned k) {
    return mixed(i) + (i >= 54321 && i < 54321 + k) * 2e7;
}
static double at_run_starts(unsigned i, unsigned k) {
    (void)k;
    return MANY - i % 65536 - i / 65536;
}
static double at_clusters(unsigned i, unsigned k) {
    const unsigned size = FSR_TOP_CLUSTER, apart = MANY / (k / size + 1) / size * size;
    return mixed(i) + (i % apart < size) * 2e7;
}

static const hard hards[] = {{"random", at_random, false},
                             {"sorted", at_sorted, false},
                             {"reversed", at_reversed, false},
                             {"organ pipe", at_pipe, false},
                             {"valley", at_valley, false},
                             {"all equal", at_equal, false},
                             {"three values", at_few, false},
                             {"turns of 4096", at_turns, false},
                             {"great at lines of 2048", at_lines, false},
                             {"small at lines of 1024", at_other_lines, false},
                             {"a great column of 32", at_column, false},
                             {"great columns of 4096", at_wide_column, false},
                             {"the first k together", at_block, false},
                             {"sorted runs", at_run_starts, false},
                             {"the first k in clusters", at_clusters, true}};

static void run(const float *row, unsigned apart, unsigned k, unsigned rank, int blocks, int threads) {
    fsr_fault fault = {FSR_OK, NULL};
    unsigned n = MANY;
    void *w = work;
    if (host_cuda_run_text("top", text, (void *[]){&row, &n, &apart, &k, &rank, &w}, blocks, threads, 1, &fault))
        fail_msg("%s", fault.message);
}

static unsigned limit_of(const float *row, unsigned apart, unsigned k, unsigned rank) {
    unsigned long long limit;
    run(row, apart, k, 0, SAMPLERS, 256);
    run(row, apart, k, rank, 1, 1024);
    memcpy(&limit, work, sizeof limit);
    return (unsigned)limit;
}

typedef struct passed {
    unsigned below, ties;
} passed;

/* Of elements that are not negative, the greatest first. */
static passed pass(const float *row, unsigned limit) {
    passed p = {0, 0};
    for (unsigned i = 0; i < MANY; i++) {
        uint32_t bits;
        memcpy(&bits, &row[i], sizeof bits);
        p.below += (bits ^ 0x7fffffffu) < limit;
        p.ties += (bits ^ 0x7fffffffu) == limit;
    }
    return p;
}

/* True if the first k pass a threshold of that rank. */
static bool enough(const hard *h, const float *row, unsigned k, unsigned apart, unsigned rank) {
    const passed p = pass(row, limit_of(row, apart, k, rank));
    printf("%s, k %u, rank %u: %u pass, %u are the threshold\n", h->what, k, rank, p.below, p.ties);
    if (p.below > 3 * rank * (apart / 32) + 2048)
        fail_msg("%s, k %u, rank %u: %u pass", h->what, k, rank, p.below);
    return p.below + p.ties >= k;
}

static void check(const hard *h, float *row, unsigned k) {
    const fsr_top_sample_form of = fsr_top_sample_form_of(1u << 27, k);
    for (unsigned i = 0; i < MANY; i++)
        row[i] = (float)h->at(i, k);
    if (!enough(h, row, k, of.apart, of.rank) && !h->second)
        fail_msg("%s, k %u: fewer pass the first threshold", h->what, k);
    if (!enough(h, row, k, of.apart, of.safe))
        fail_msg("%s, k %u: fewer pass the second threshold", h->what, k);
}

static void orders(void **state) {
    static const unsigned k[] = {10, 64, 1000, 2048};
    float *row = malloc(MANY * sizeof *row);
    (void)state;
    assert_non_null(row);
    for (size_t i = 0; i < sizeof k / sizeof *k; i++)
        for (size_t h = 0; h < sizeof hards / sizeof *hards; h++)
            check(&hards[h], row, k[i]);
    free(row);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(orders)};
    if (!host_cuda_available()) {
        puts("skipped: no C++ compiler");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

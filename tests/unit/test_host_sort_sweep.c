/* SPDX-License-Identifier: MIT */
/* The kernels of backend_cuda/sort_sweep.cuh on the host's machine, under several orders of threads and blocks, against
 * a sort by element and place. What the machine lacks for them, and the launches of backend_cuda/sort.cu, stand
 * here. */
#include "tests/host_cuda/host_cuda.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 256, ITEMS = 3, TILE = THREADS * ITEMS, LONGEST = 4 * TILE, DIGITS = 256 };

static const char text[] =
    "typedef %s T;\ntypedef %s W;\n"
    "enum { THREADS = 256, ITEMS = 3 };\n"
    "#define FSR_SWEEP_WORDS\n"
    "#define __device__\n"
    "static inline void __syncthreads(HOST_LINE) { host_calls->barrier(line); }\n"
    "static inline unsigned atomicAdd(unsigned *at, unsigned x, HOST_LINE) {\n"
    "    host_calls->yield(line); host_calls->progress(); const unsigned was = *at; *at = was + x; return was; }\n"
    "static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }\n"
    "static inline unsigned fsr_sweep_from(unsigned word, unsigned lane, HOST_LINE) {\n"
    "    return host_calls->shuffle(word, lane, line); }\n"
    "static inline unsigned fsr_sweep_same(unsigned digit, HOST_LINE) {\n"
    "    unsigned same = 0;\n"
    "    for (unsigned lane = 0; lane < 32; lane++)\n"
    "        same |= (unsigned)(host_calls->shuffle(digit, lane, line) == digit) << lane;\n"
    "    return same; }\n"
    "static inline void fsr_sweep_say(unsigned *at, unsigned word, HOST_LINE) {\n"
    "    host_calls->yield(line); host_calls->progress(); *at = word; }\n"
    "static inline unsigned fsr_sweep_hear(const unsigned *at, HOST_LINE) { host_calls->yield(line); return *at; }\n"
    "#include \"backend_cuda/sort_sweep.cuh\"\n"
    "struct job {\n"
    "    fsr_order_form f;\n"
    "    const T *in;\n"
    "    W *word[2];\n"
    "    unsigned *place[2], *count;\n"
    "    long long *wide;\n"
    "    unsigned n, cols, passes, blocks, from;\n"
    "    fsr_sweep_part part;\n"
    "};\n"
    "extern \"C\" void __global__ sweep(int which, job *j) {\n"
    "    __shared__ unsigned count[8][256], sum[8];\n"
    "    __shared__ fsr_sweep_shared<W, THREADS, ITEMS> s;\n"
    "    __shared__ fsr_sweep_shared<unsigned, THREADS, ITEMS> r;\n"
    "    const unsigned a = j->from, b = 1 - a;\n"
    "    const fsr_sweep_elements<T, W> in = {j->in, j->f};\n"
    "    const fsr_sweep_pairs<W> pairs = {j->word[a], j->place[a]};\n"
    "    const fsr_sweep_to_pairs<W> out = {j->word[b], j->place[b]};\n"
    "    const fsr_sweep_to_places<long long> wide = {j->wide};\n"
    "    const fsr_sweep_rows rows = {j->place[a], j->cols};\n"
    "    const fsr_sweep_to_places<unsigned> narrow = {j->place[b]};\n"
    "    unsigned *own = j->count + blockIdx.x * 256 + threadIdx.x;\n"
    "    switch (which) {\n"
    "    case 0: fsr_sweep_count<sizeof(T), THREADS>(count, in, j->n, sizeof(T), j->blocks, j->count); break;\n"
    "    case 1: *own = fsr_sweep_before(sum, *own); break;\n"
    "    case 2: fsr_sweep<THREADS, ITEMS>(s, in, out, j->part); break;\n"
    "    case 3: fsr_sweep<THREADS, ITEMS>(s, pairs, out, j->part); break;\n"
    "    case 4: fsr_sweep<THREADS, ITEMS>(s, pairs, wide, j->part); break;\n"
    "    case 5: fsr_sweep<THREADS, ITEMS>(s, in, wide, j->part); break;\n"
    "    case 6: fsr_sweep<THREADS, ITEMS>(s, in, narrow, j->part); break;\n"
    "    case 7: fsr_sweep_count<4, THREADS>(count, rows, j->n, j->passes, j->blocks, j->count); break;\n"
    "    default: fsr_sweep<THREADS, ITEMS>(r, rows, narrow, j->part); break;\n"
    "    }\n"
    "}\n";

/* As fsr_order_form, fsr_sweep_part and the text's job. */
typedef struct form {
    unsigned long long flip, base, magnitude, most, zero, zeros, turn, all, nan;
} form;
typedef struct part {
    unsigned low, n, shift;
    const unsigned *start;
    unsigned *next, *said, *ticket;
} part;
typedef struct job {
    form f;
    const void *in;
    void *word[2];
    unsigned *place[2], *count;
    long long *wide;
    unsigned n, cols, passes, blocks, from;
    part part;
} job;

typedef struct dtype {
    const char *element, *word;
    size_t size;
    int digits; /* of a float; 0: unsigned */
} dtype;
static const dtype dtypes[] = {{"unsigned", "unsigned", 4, 23},
                               {"unsigned long long", "unsigned long long", 8, 52},
                               {"unsigned char", "unsigned", 1, 0}};

static void run(const dtype *d, job *j, int which, unsigned blocks, uint64_t seed) {
    char source[8192];
    void *args[] = {&which, &j};
    fsr_fault fault = {FSR_OK, NULL};
    snprintf(source, sizeof source, text, d->element, d->word);
    j->blocks = blocks;
    if (host_cuda_run_text("sweep", source, args, (int)blocks, THREADS, seed, &fault))
        fail_msg("kernel %d: %s", which, fault.message);
}

/* Pass p in two parts, if there are several tiles. */
static void pass(const dtype *d, job *j, int which, unsigned p, uint64_t seed) {
    static unsigned said[(LONGEST / TILE + 1) * DIGITS], next[DIGITS], ticket;
    const unsigned split = j->n > 2 * TILE ? 2 * TILE : j->n;
    for (unsigned low = 0; low < j->n; low += split) {
        memset(said, 0, sizeof said);
        ticket = 0;
        j->part = (part){.low = low,
                         .n = j->n - low < split ? j->n - low : split,
                         .shift = 8 * p,
                         .start = low ? next : j->count + p * DIGITS,
                         .next = low ? NULL : next,
                         .said = said,
                         .ticket = &ticket};
        run(d, j, which, (j->part.n - 1) / TILE + 1, seed + p);
    }
    j->from = 1 - j->from;
}

static void sort(const dtype *d, job *j, uint64_t seed) {
    const unsigned passes = (unsigned)d->size;
    memset(j->count, 0, sizeof(unsigned[8][DIGITS]));
    j->from = 1;
    run(d, j, 0, 2, seed);
    run(d, j, 1, passes, seed);
    if (passes > 1)
        pass(d, j, 2, 0, seed);
    for (unsigned p = 1; p + 1 < passes; p++)
        pass(d, j, 3, p, seed);
    pass(d, j, passes > 1 ? 4 : 5, passes - 1, seed);
}

/* ---- what it should be ------------------------------------------------------------------------------------------ */

typedef struct item {
    double value;
    unsigned place, row;
} item;
static int direction;

static int compare(const void *x, const void *y) {
    const item *a = x, *b = y;
    const int places = (a->place > b->place) - (a->place < b->place);
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    if (isnan(a->value) || isnan(b->value))
        return isnan(a->value) == isnan(b->value) ? places : isnan(a->value) - isnan(b->value);
    return a->value == b->value ? places : a->value < b->value ? -direction : direction;
}

static double value_of(const dtype *d, const void *data, unsigned i) {
    if (d->size == 1)
        return ((const unsigned char *)data)[i];
    return d->size == 4 ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

static form form_of(const dtype *d, bool greatest) {
    const int bits = 8 * (int)d->size;
    const unsigned long long top = 1ull << (bits - 1), all = top | (top - 1), turn = greatest ? all : 0;
    const unsigned long long infinity = (top - 1) >> d->digits << d->digits, low = all ^ top;
    if (!d->digits)
        return (form){0, 0, all, all, 0, 0, turn, all, 0};
    return (form){low, top, low, infinity, low, 1, turn, all, infinity | 1ull << (d->digits - 1)};
}

enum { EQUAL, SORTED, REVERSED, PIPE, RANDOM, FEW, SPECIAL, PATTERNS };
static const char *const pattern[] = {"equal", "sorted", "reversed", "organ pipe", "random", "few", "special"};

static void make(const dtype *d, int p, unsigned n, void *out) {
    static const double special[] = {NAN, -NAN, 0, -0.0, INFINITY, -INFINITY, 1e-310, -1e-40, 1, -2};
    uint32_t state = 12345;
    for (unsigned i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        const double random = (int32_t)state >> 8;
        const double x = p == EQUAL      ? 3
                         : p == SORTED   ? i
                         : p == REVERSED ? n - i
                         : p == PIPE     ? (i < n / 2 ? i : n - i)
                         : p == RANDOM   ? random
                         : p == FEW      ? (int)random % 3
                                         : special[(state >> 8) % 10];
        if (d->size == 1)
            ((unsigned char *)out)[i] = isfinite(x) ? (unsigned char)fmod(fabs(x), 256) : 255;
        else if (d->size == 4)
            ((float *)out)[i] = (float)x;
        else
            ((double *)out)[i] = x;
    }
}

static double data[LONGEST], word[2][LONGEST];
static unsigned place[2][LONGEST], count[8][DIGITS];
static long long wide[LONGEST];
static item want[LONGEST];

static void expect(const dtype *d, unsigned n, unsigned cols, bool greatest) {
    for (unsigned i = 0; i < n; i++)
        want[i] = (item){value_of(d, data, i), i, i / cols};
    direction = greatest ? -1 : 1;
    qsort(want, n, sizeof *want, compare);
}

static job job_of(const dtype *d, unsigned n, bool greatest) {
    return (job){.f = form_of(d, greatest),
                 .in = data,
                 .word = {word[0], word[1]},
                 .place = {place[0], place[1]},
                 .count = count[0],
                 .wide = wide,
                 .n = n};
}

static void check(const dtype *d, unsigned n, int patterns) {
    for (int p = 0; p < patterns; p++) {
        const bool greatest = p & 1;
        make(d, p, n, data);
        job j = job_of(d, n, greatest);
        memset(wide, 0xff, sizeof wide);
        sort(d, &j, (uint64_t)p * 7 + n);
        expect(d, n, n, greatest);
        for (unsigned i = 0; i < n; i++)
            if (wide[i] != want[i].place)
                fail_msg("%s, %s, n %u, greatest %d: place %u is %lld, not %u", pattern[p], d->element, n, greatest, i,
                         wide[i], want[i].place);
        for (unsigned i = n; i < LONGEST; i++)
            assert_int_equal(wide[i], -1);
    }
}

static void whole(void **state) {
    (void)state;
    check(&dtypes[0], LONGEST - 5, PATTERNS);
    check(&dtypes[0], TILE, RANDOM);
    check(&dtypes[0], 1, 1);
    check(&dtypes[1], TILE + 1, PATTERNS);
    check(&dtypes[2], 2 * TILE + 9, SPECIAL);
}

/* Bytes by element in one pass, then by row in two. */
static void rows(void **state) {
    (void)state;
    enum { N = 2 * TILE + 200, COLS = 5 };
    const dtype *d = &dtypes[2];
    make(d, RANDOM, N, data);
    job j = job_of(d, N, false);
    j.from = 0;
    j.cols = COLS;
    j.passes = 2;
    memset(count, 0, sizeof count);
    run(d, &j, 0, 2, 5);
    run(d, &j, 1, 1, 5);
    pass(d, &j, 6, 0, 5);
    memset(count, 0, sizeof count);
    run(d, &j, 7, 2, 5);
    run(d, &j, 1, 2, 5);
    pass(d, &j, 8, 0, 5);
    pass(d, &j, 8, 1, 5);
    expect(d, N, COLS, false);
    for (unsigned i = 0; i < N; i++)
        assert_int_equal(place[j.from][i], want[i].place);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(whole), cmocka_unit_test(rows)};
    if (!host_cuda_available()) {
        puts("skipped: no C++ compiler");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* The kernels of backend_cuda/top_row.cuh and top_long.cuh on the host's machine, under several orders of threads and
 * blocks, against a sort by element and place. What the machine lacks for them, and the launches of
 * backend_cuda/top.cu, stand here. */
#include "tests/host_cuda/host_cuda.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LONGEST = 3200, LIST = 512, CHUNK = 512, SAMPLERS = 32, APART = 64 };

static const char text[] =
    "typedef %s T;\nenum { REAL = %d };\n"
    "#define FSR_TOP_SAMPLERS 32\n"
    "#define FSR_TOP_LIST 512u\n"
    "#define __device__\n"
    "static inline void __syncthreads(HOST_LINE) { host_calls->barrier(line); }\n"
    "static inline void __threadfence(HOST_LINE) { host_calls->yield(line); }\n"
    "#define ATOMIC(name, op) template <class A, class B> static inline A name(A *at, B x, HOST_LINE) { \\\n"
    "    host_calls->yield(line); if (x) host_calls->progress(); const A was = *at; *at = (A)(was op (A)x); return "
    "was; }\n"
    "ATOMIC(atomicAdd, +)\nATOMIC(atomicOr, |)\nATOMIC(atomicAnd, &)\n"
    "#include \"backend_cuda/top_long.cuh\"\n"
    "extern \"C\" void __global__ top(int which, fsr_order_form *f, const T *row, unsigned n, unsigned k, unsigned "
    "blocks,\n"
    "                                 int flag, unsigned safe, fsr_top_work *w, void *values, unsigned *places) {\n"
    "    __shared__ fsr_top_shared<2048> large;\n"
    "    __shared__ fsr_top_shared<256> small;\n"
    "    const fsr_top_out out = {values, places, 0};\n"
    "    switch (which) {\n"
    "    case 0: return fsr_top_sample(large.key, *f, row, n, (unsigned)flag, w);\n"
    "    case 1: return fsr_top_begin(large, w, k, f->all, (unsigned)flag, 1024u);\n"
    "    case 2: return fsr_top_collect<REAL, 256>(&large.n, *f, row, n, 512, blockIdx.x, w);\n"
    "    case 3: return fsr_top_finish<256>(large, *f, row, n, 512, (n + 511) / 512, k, safe, "
    "blocks, w, out, 0);\n"
    "    case 4: places[blockIdx.x * 32 + threadIdx.x] = "
    "(unsigned)fsr_top_spot(blockIdx.x, threadIdx.x, flag); return;\n"
    "    case 6: return fsr_top_row<T, 16, 256, REAL>(small, *f, row, n, k, 128u, flag, out, 0);\n"
    "    case 7: return fsr_top_row<T, 0, 256, REAL>(small, *f, row, n, k, 256u, flag, out, 0);\n"
    "    case 9: return fsr_top_ranks<T, 256>(small, *f, row, n, (long long *)w, k, 256u, (T *)values);\n"
    "    default: return fsr_top_row<T, 0, 2048, REAL>(large, *f, row, n, k, 256u, 0u, out, 0);\n"
    "    }\n"
    "}\n";

/* As fsr_order_form. */
typedef struct form {
    unsigned long long flip, base, magnitude, most, zero, zeros, turn, all, nan;
} form;

typedef struct dtype {
    const char *word;
    size_t size;
    int digits; /* of a float; 0: unsigned */
} dtype;

typedef struct item {
    double value;
    unsigned place;
} item;

static char work[1 << 20];
static int direction;

static int compare(const void *x, const void *y) {
    const item *a = x, *b = y;
    if (isnan(a->value) || isnan(b->value))
        return isnan(a->value) == isnan(b->value) ? (a->place > b->place) - (a->place < b->place)
                                                  : isnan(a->value) - isnan(b->value);
    if (a->value != b->value)
        return a->value < b->value ? -direction : direction;
    return (a->place > b->place) - (a->place < b->place);
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

typedef struct launch {
    const dtype *d;
    form f;
    const void *row;
    unsigned n, k, rank, safe, *places; /* rank, safe: of the thresholds among what is sampled */
    void *values;
    uint64_t seed;
} launch;

static void run(const launch *l, int which, int blocks, int threads, int flag) {
    char source[8192];
    const form *f = &l->f;
    unsigned n = l->n, k = l->k, of = (unsigned)blocks, safe = l->safe, *places = l->places;
    const void *row = l->row;
    void *w = work, *values = l->values;
    void *args[] = {&which, &f, &row, &n, &k, &of, &flag, &safe, &w, &values, &places};
    fsr_fault fault = {FSR_OK, NULL};
    snprintf(source, sizeof source, text, l->d->word, l->d->digits > 0);
    if ((which == 3 ? host_cuda_run_together : host_cuda_run_text)("top", source, args, blocks, threads, l->seed,
                                                                   &fault))
        fail_msg("kernel %d: %s", which, fault.message);
}

/* The launches of a long row. */
static void run_long(const launch *l) {
    const int chunks = ((int)l->n + CHUNK - 1) / CHUNK;
    const bool sampled = l->n > LIST;
    if (sampled)
        run(l, 0, SAMPLERS, 256, APART);
    run(l, 1, 1, 1024, sampled ? (int)l->rank : 0);
    run(l, 2, chunks, 256, 0);
    run(l, 3, 3, 256, 0);
}

static void check(const launch *l, bool greatest, const char *what) {
    static item want[LONGEST];
    for (unsigned i = 0; i < l->n; i++)
        want[i] = (item){value_of(l->d, l->row, i), i};
    direction = greatest ? -1 : 1;
    qsort(want, l->n, sizeof *want, compare);
    for (unsigned i = 0; i < l->k; i++) {
        const double got = value_of(l->d, l->values, i);
        if (l->places[i] != want[i].place || (isnan(got) ? !isnan(want[i].value) : got != want[i].value))
            fail_msg("%s, %s, n %u, k %u, greatest %d: rank %u is %g at %u, not %g at %u", what, l->d->word, l->n, l->k,
                     greatest, i, got, l->places[i], want[i].value, want[i].place);
    }
}

/* ---- input --------------------------------------------------------------------------------------------------- */

static const dtype dtypes[] = {{"unsigned", 4, 23}, {"unsigned long", 8, 52}, {"unsigned char", 1, 0}};

enum { EQUAL, SORTED, REVERSED, PIPE, RANDOM, FEW, SPECIAL, ALIKE, LATE, NUMBERS, HIDDEN, SHOWN, PATTERNS };
static const char *const pattern[] = {"equal",   "sorted", "reversed", "organ pipe", "random", "few",
                                      "special", "alike",  "late",     "numbers",    "hidden", "shown"};

/* Which elements of a row of up to LONGEST are looked at, as one who knows the hash would ask. */
static bool sampled[LONGEST];

static int look(void **state) {
    static unsigned places[32 * (LONGEST / APART)];
    const int lines = LONGEST / APART;
    (void)state;
    run(&(launch){.d = &dtypes[0], .places = places}, 4, lines, 32, APART);
    for (int i = 0; i < 32 * lines; i++)
        sampled[places[i]] = true;
    return 0;
}

/* ALIKE, NUMBERS: but for a few all are equal, or NaN; LATE: but for the last. HIDDEN, SHOWN: what is sampled holds
 * nothing, or all, of what is looked for first. */
static void make(const dtype *d, int p, unsigned n, void *out) {
    static const double special[] = {NAN, -NAN, 0, -0.0, INFINITY, -INFINITY, 1e-310, -1e-40, 1, 2};
    uint32_t state = 12345;
    for (unsigned i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        const double random = state >> 8;
        const double x = p == EQUAL      ? 3
                         : p == SORTED   ? i
                         : p == REVERSED ? n - i
                         : p == PIPE     ? (i < n / 2 ? i : n - i)
                         : p == RANDOM   ? random
                         : p == FEW      ? (int)random % 3
                         : p == SPECIAL  ? special[(int)random % 10]
                         : p == ALIKE    ? (i % 401 == 7 ? (i % 2 ? 1000.0 + i : -1000.0 - i) : 3)
                         : p == LATE     ? (i + 300 < n  ? 9
                                            : i % 5 == 0 ? 3
                                                         : 11)
                         : p == NUMBERS  ? (i % 601 == 5 ? i
                                            : i % 2      ? NAN
                                                         : -NAN)
                         : p == HIDDEN   ? (sampled[i] ? 1e6 + i : 100 + i * 0.5)
                                         : (sampled[i] ? i * 0.5 : 1e6 + i);
        if (d->size == 1)
            ((unsigned char *)out)[i] = isfinite(x) ? (unsigned char)fmod(fabs(x), 256) : 255;
        else if (d->size == 4)
            ((float *)out)[i] = (float)x;
        else
            ((double *)out)[i] = x;
    }
}

static void sweep(const launch *shape, void (*each)(const launch *), int patterns) {
    static double row[LONGEST], values[2048];
    static unsigned places[2048];
    for (int p = 0; p < patterns; p++)
        for (int greatest = 0; greatest < 2; greatest++) {
            launch l = *shape;
            make(l.d, p, l.n, row);
            l.f = form_of(l.d, greatest);
            l.row = row;
            l.values = values;
            l.places = places;
            l.seed = (uint64_t)p * 7 + l.n;
            memset(work, 0xcb, sizeof work);
            memset(places, 0xff, sizeof places);
            each(&l);
            check(&l, greatest, pattern[p]);
        }
}

/* ---- tests --------------------------------------------------------------------------------------------------- */

static void run_row(const launch *l) {
    run(l, 6, 1, 128, l->k <= 16 ? 64 : l->k <= 64 ? 128 : 0);
}
static void run_read(const launch *l) {
    run(l, 7, 1, 256, l->k <= 64 ? 128 : 0);
}
static void run_large(const launch *l) {
    run(l, 8, 1, 256, 0);
}

static void rows(void **state) {
    (void)state;
    sweep(&(launch){.d = &dtypes[0], .n = 2048, .k = 10}, run_row, PATTERNS);
    sweep(&(launch){.d = &dtypes[1], .n = 900, .k = 64}, run_row, REVERSED);
    sweep(&(launch){.d = &dtypes[1], .n = 1800, .k = 64}, run_row, PATTERNS);
    sweep(&(launch){.d = &dtypes[2], .n = 900, .k = 33}, run_row, SORTED);
    sweep(&(launch){.d = &dtypes[0], .n = 1, .k = 1}, run_row, SORTED);
    sweep(&(launch){.d = &dtypes[0], .n = 40, .k = 33}, run_read, SORTED);
    sweep(&(launch){.d = &dtypes[0], .n = 1100, .k = 7}, run_read, PATTERNS);
    sweep(&(launch){.d = &dtypes[1], .n = 1100, .k = 20}, run_read, PATTERNS);
}

static void many(void **state) {
    (void)state;
    sweep(&(launch){.d = &dtypes[0], .n = 3000, .k = 700}, run_large, RANDOM);
    sweep(&(launch){.d = &dtypes[1], .n = 2100, .k = 2048}, run_large, SORTED);
}

/* With thresholds that are enough, with a first one that is not, and with two that are not. */
static void long_rows(void **state) {
    (void)state;
    sweep(&(launch){.d = &dtypes[0], .n = LONGEST, .k = 10, .rank = 10, .safe = 10}, run_long, PATTERNS);
    sweep(&(launch){.d = &dtypes[0], .n = LONGEST, .k = 100, .rank = 40, .safe = 100}, run_long, PATTERNS);
    sweep(&(launch){.d = &dtypes[0], .n = LONGEST, .k = 100, .rank = 2, .safe = 3}, run_long, PATTERNS);
    sweep(&(launch){.d = &dtypes[1], .n = 3001, .k = 200, .rank = 200, .safe = 200}, run_long, REVERSED);
    sweep(&(launch){.d = &dtypes[2], .n = 2500, .k = 200, .rank = 9, .safe = 120}, run_long, SORTED);
    sweep(&(launch){.d = &dtypes[0], .n = 500, .k = 300}, run_long, SORTED);
}

/* Ranks of a row, which stand in the workspace. */
static void run_ranks(const launch *l) {
    for (unsigned i = 0; i < l->k; i++)
        ((long long *)work)[i] = (long long)i * 40 - 40;
    run(l, 9, 1, 256, 0);
}

static void ranks(void **state) {
    (void)state;
    enum { N = 700, M = 20 };
    static double row[LONGEST], values[M];
    static item want[LONGEST];
    for (int d = 0; d < 3; d++)
        for (int p = 0; p < (d ? SPECIAL : HIDDEN); p += 1 + d) {
            make(&dtypes[d], p, N, row);
            form f = form_of(&dtypes[d], false);
            f.zeros = 0;
            run_ranks(&(launch){.d = &dtypes[d], .f = f, .row = row, .n = N, .k = M, .values = values, .seed = 3});
            for (unsigned i = 0; i < N; i++)
                want[i] = (item){value_of(&dtypes[d], row, i), i};
            direction = 1;
            qsort(want, N, sizeof *want, compare);
            for (int i = 0; i < M; i++) {
                const int rank = i * 40 - 40 < 0 ? 0 : i * 40 - 40 < N ? i * 40 - 40 : N - 1;
                const double got = value_of(&dtypes[d], values, (unsigned)i);
                if (got != want[rank].value && !(isnan(got) && isnan(want[rank].value)))
                    fail_msg("%s, %s: rank %d is %g, not %g", pattern[p], dtypes[d].word, rank, got, want[rank].value);
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows), cmocka_unit_test(many), cmocka_unit_test(long_rows),
                                       cmocka_unit_test(ranks)};
    if (!host_cuda_available()) {
        puts("skipped: no C++ compiler");
        return 77;
    }
    return cmocka_run_group_tests(tests, look, NULL);
}

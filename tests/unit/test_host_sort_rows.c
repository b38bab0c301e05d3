/* SPDX-License-Identifier: MIT */
/* The kernel of backend_cuda/sort_rows.cuh on the host's machine, under several orders of threads, against a sort by
 * element and place: rows around what threads of a team hold, and more or fewer rows than a block has. */
#include "tests/host_cuda/host_cuda.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 64, ITEMS = 9, LONGEST = THREADS * ITEMS, MOST = 4 * LONGEST };

static const char text[] = "typedef %s T;\ntypedef %s W;\n"
                           "#define __device__\n"
                           "static inline void __syncthreads(HOST_LINE) { host_calls->barrier(line); }\n"
                           "#include \"backend_cuda/sort_rows.cuh\"\n"
                           "extern \"C\" void __global__ rows(fsr_rows_job<T> *job) {\n"
                           "    __shared__ fsr_rows_shared<W, 64> s;\n"
                           "    fsr_rows_sort<64, W>(s, *job);\n"
                           "}\n";

/* As fsr_order_form and fsr_rows_job. */
typedef struct form {
    unsigned long long flip, base, magnitude, most, zero, zeros, turn, all, nan;
} form;
typedef struct job {
    const void *in;
    void *keys, *place;
    unsigned long long rows;
    unsigned cols, first, team;
    _Bool wide;
    form f;
} job;

/* digits: of a float; 0: an integer, -1: one with a sign. */
typedef struct dtype {
    const char *element, *word;
    int size, digits;
} dtype;
static const dtype dtypes[] = {{"unsigned char", "unsigned", 1, 0},
                               {"unsigned char", "unsigned", 1, -1},
                               {"unsigned short", "unsigned", 2, 0},
                               {"unsigned short", "unsigned", 2, -1},
                               {"unsigned short", "unsigned", 2, 7},
                               {"unsigned short", "unsigned", 2, 10},
                               {"unsigned", "unsigned", 4, 0},
                               {"unsigned", "unsigned", 4, -1},
                               {"unsigned", "unsigned", 4, 23},
                               {"unsigned long long", "unsigned long long", 8, 0},
                               {"unsigned long long", "unsigned long long", 8, -1},
                               {"unsigned long long", "unsigned long long", 8, 52}};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

static form form_of(const dtype *d, bool greatest) {
    const int bits = 8 * d->size;
    const unsigned long long top = 1ull << (bits - 1), all = top | (top - 1), turn = greatest ? all : 0;
    if (d->digits <= 0)
        return (form){0, d->digits ? top : 0, all, all, 0, 0, turn, all, 0};
    const unsigned long long infinity = (top - 1) >> d->digits << d->digits, low = all ^ top;
    return (form){low, top, low, infinity, low, 1, turn, all, infinity | 1ull << (d->digits - 1)};
}

/* ---- elements and their order, by magnitude and sign ------------------------------------------------------------ */

static unsigned char in[MOST * 8], keys[MOST * 8];
static union {
    long long wide[MOST];
    unsigned narrow[MOST];
} place;

static unsigned long long bits_at(const dtype *d, const void *from, int i) {
    unsigned long long u = 0;
    memcpy(&u, (const char *)from + (size_t)i * d->size, d->size);
    return u;
}

static bool is_nan(const dtype *d, unsigned long long u) {
    const form f = form_of(d, false);
    return d->digits > 0 && (u & f.magnitude) > f.most;
}

static long double value_of(const dtype *d, unsigned long long u) {
    const unsigned long long top = 1ull << (8 * d->size - 1);
    if (!d->digits || !(u & top))
        return u;
    return d->digits < 0 ? (long double)(u - top) - (long double)top : -(long double)(u - top);
}

static const dtype *sorted_dtype;
static bool descending;

static int compare(const void *x, const void *y) {
    const int a = *(const int *)x, b = *(const int *)y;
    const dtype *d = sorted_dtype;
    const unsigned long long u = bits_at(d, in, a), v = bits_at(d, in, b);
    if (is_nan(d, u) || is_nan(d, v))
        return is_nan(d, u) == is_nan(d, v) ? a - b : is_nan(d, u) - is_nan(d, v);
    const long double p = value_of(d, u), q = value_of(d, v);
    return p == q ? a - b : (p < q) != descending ? -1 : 1;
}

enum { EQUAL, SORTED, REVERSED, FEW, RANDOM, PATTERNS };

static void make(const dtype *d, int pattern, int n) {
    const unsigned long long top = 1ull << (8 * d->size - 1), infinity = form_of(d, false).most;
    const unsigned long long special[] = {infinity, infinity | top, infinity | 1, infinity | 1 | top, 0, top,
                                          1,        top | 1};
    unsigned long long state = 99;
    for (int i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const unsigned long long u = pattern == EQUAL      ? 5
                                     : pattern == SORTED   ? (unsigned long long)i
                                     : pattern == REVERSED ? (unsigned long long)(n - i)
                                     : pattern == FEW      ? special[state >> 61]
                                                           : state ^ state >> 29;
        memcpy(in + (size_t)i * d->size, &u, d->size);
    }
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static void run(const dtype *d, job *j, uint64_t seed) {
    char source[2048];
    void *args[] = {&j};
    fsr_fault fault = {FSR_OK, NULL};
    snprintf(source, sizeof source, text, d->element, d->word);
    j->team = 1;
    while (j->team * ITEMS < j->cols)
        j->team *= 2;
    const int blocks = (int)((j->rows - 1) / (THREADS / j->team) + 1);
    if (host_cuda_run_text("rows", source, args, blocks, THREADS, seed, &fault))
        fail_msg("%s", fault.message);
}

/* The first `first` of rows by element and place; behind them nothing is written. */
static void check_results(const dtype *d, int rows, int cols, int first, bool wide) {
    static int want[MOST];
    for (int r = 0; r < rows; r++) {
        for (int i = 0; i < cols; i++)
            want[i] = r * cols + i;
        qsort(want, (size_t)cols, sizeof *want, compare);
        for (int i = 0; i < first; i++) {
            const int at = r * first + i;
            const long long got = wide ? place.wide[at] : place.narrow[at];
            const unsigned long long u = bits_at(d, in, want[i]), v = bits_at(d, keys, at);
            if (got != want[i] - r * cols || v != (is_nan(d, u) ? form_of(d, false).nan : u))
                fail_msg("%s, %d digits, %d rows of %d: rank %d of row %d is %lld, %llx, not %d, %llx", d->element,
                         d->digits, rows, cols, i, r, got, v, want[i] - r * cols, u);
        }
    }
    assert_int_equal(bits_at(d, keys, rows * first), bits_at(d, (unsigned char[]){1, 1, 1, 1, 1, 1, 1, 1}, 0));
}

static void check(const dtype *d, int rows, int cols, int first, int pattern) {
    const bool greatest = (cols + pattern) & 1, wide = cols & 2;
    make(d, pattern, rows * cols);
    memset(keys, 1, sizeof keys);
    job j = {
        in, keys, &place, (unsigned long long)rows, (unsigned)cols, (unsigned)first, 1, wide, form_of(d, greatest)};
    run(d, &j, (uint64_t)(pattern * 7 + cols));
    sorted_dtype = d;
    descending = greatest;
    check_results(d, rows, cols, first, wide);
}

static void dtypes_of_all_sizes(void **state) {
    (void)state;
    for (int i = 0; i < DTYPES; i++)
        for (int p = 0; p < PATTERNS; p++)
            check(&dtypes[i], 3, 50 + p, 50 + p, p);
}

/* Of one thread, of two, of some, of a block. */
static void edges(void **state) {
    (void)state;
    static const int cols[] = {1, 2, 8, 9, 10, 17, 18, 19, 71, 72, 73, 287, 288, 289, LONGEST - 1, LONGEST};
    for (size_t i = 0; i < sizeof cols / sizeof *cols; i++) {
        const int rows = cols[i] < 20 ? 67 : 3;
        check(&dtypes[8], rows, cols[i], cols[i], RANDOM);
        check(&dtypes[11], rows, cols[i], (cols[i] + 1) / 2, FEW);
    }
}

/* Keys alone, and places alone. */
static void halves(void **state) {
    (void)state;
    const dtype *d = &dtypes[8];
    make(d, RANDOM, 200);
    for (int i = 0; i < 2; i++) {
        memset(keys, 1, sizeof keys);
        memset(&place, 1, sizeof place);
        job j = {in, i ? keys : NULL, i ? NULL : &place, 2, 100, 100, 1, false, form_of(d, false)};
        run(d, &j, 3);
        assert_int_equal(keys[0] == 1 && keys[1] == 1 && keys[2] == 1 && keys[3] == 1, !i);
        assert_int_equal(place.narrow[0] == 0x01010101, i);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(dtypes_of_all_sizes), cmocka_unit_test(edges),
                                       cmocka_unit_test(halves)};
    if (!host_cuda_available()) {
        puts("skipped: no C++ compiler");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

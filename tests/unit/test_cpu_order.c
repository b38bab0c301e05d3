/* SPDX-License-Identifier: MIT */
/* The library calls of order on a CPU by each level of vectors that this machine has, and by none, with and without
 * threads: sorted elements, places, the first ones and ranks of every real dtype against a stable sort of places by
 * numbers that are read from the bits here. Rows that are sorted side by side, short ones and long ones; equal
 * elements, every order, zeros of both signs, NaN of both signs, bits at random. */
#include "backend_cpu/run/library.h"
#include "tests/support/subject.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 17, PATTERNS = 8, LEVELS = 3 };

static const struct sized {
    fsr_dtype dtype;
    int bits, digits; /* of a float's fraction; 0: none */
    bool is_signed;
} sized[] = {{FSR_BOOL, 8, 0, false}, {FSR_I8, 8, 0, true},   {FSR_U8, 8, 0, false},   {FSR_I16, 16, 0, true},
             {FSR_U16, 16, 0, false}, {FSR_I32, 32, 0, true}, {FSR_U32, 32, 0, false}, {FSR_I64, 64, 0, true},
             {FSR_U64, 64, 0, false}, {FSR_F16, 16, 10, 0},   {FSR_BF16, 16, 7, 0},    {FSR_F32, 32, 23, 0},
             {FSR_F64, 64, 52, 0}};

typedef struct place {
    int64_t number, place;
} place;

/* One row and what is known of it. */
static uint64_t element[MOST];
static place in_order[MOST];

static uint64_t top_of(const struct sized *s) {
    return UINT64_C(1) << (s->bits - 1);
}

static uint64_t infinity_of(const struct sized *s) {
    return (top_of(s) - 1) >> s->digits << s->digits;
}

/* Numbers with the order of elements: NaN is the greatest. */
static int64_t number_of(const struct sized *s, uint64_t u) {
    const uint64_t top = top_of(s), magnitude = u & (top - 1);
    if (s->digits && magnitude > infinity_of(s))
        return INT64_MAX;
    if (s->digits)
        return u & top ? -(int64_t)magnitude : (int64_t)magnitude;
    return s->is_signed ? (int64_t)(u << (64 - s->bits)) >> (64 - s->bits) : (int64_t)(u ^ UINT64_C(1) << 63);
}

static uint64_t usual(const struct sized *s, uint64_t u) {
    return s->digits && number_of(s, u) == INT64_MAX ? infinity_of(s) | UINT64_C(1) << (s->digits - 1) : u;
}

static uint64_t drawn(const struct sized *s, int pattern, int64_t i, int64_t n, uint32_t *state) {
    const uint64_t random = (uint64_t)subject_random(state) << 32 | subject_random(state), top = top_of(s);
    const uint64_t all = top | (top - 1), step = (uint64_t)i * (s->bits == 8 ? 1 : 3);
    const uint64_t special[] = {0, top, 1, top | 1, infinity_of(s), top | infinity_of(s), all, top - 1};
    const uint64_t zeros = random % 3 ? (random & 8 ? top : 0) : random, end = random % 5 ? 0 : all;
    const uint64_t value[PATTERNS] = {random % 4 ? random : special[random >> 32 & 7],
                                      3,
                                      step,
                                      (uint64_t)(n - i),
                                      i < n / 2 ? step : (uint64_t)(n - i),
                                      zeros,
                                      i < n / 2 ? top : end,
                                      i % 64 < 5 ? random : all};
    return s->dtype == FSR_BOOL ? value[pattern] & 1 : value[pattern] & all;
}

static int compare(const void *a, const void *b) {
    const place *x = a, *y = b;
    return x->number != y->number ? (x->number > y->number) - (x->number < y->number)
                                  : (x->place > y->place) - (x->place < y->place);
}

static uint64_t get(const void *data, int bits, int64_t i) {
    uint64_t u = 0;
    memcpy(&u, (const char *)data + (size_t)i * (size_t)bits / 8, (size_t)bits / 8);
    return u;
}

/* A call between arrays of `rows` rows: argument 0 and results of `cols` columns, and one of i64 between. */
static void call(const fsr_crew *crew, fsr_library_call c, void *const *array) {
    fsr_fault fault = {FSR_OK, NULL};
    void *work = malloc((size_t)fsr_library_work(&c, false) + 1);
    assert_non_null(work);
    assert_int_equal(fsr_cpu_library(crew, &c, array, work, &fault), FSR_OK);
    free(work);
}

static fsr_library_array array_of(fsr_dtype dtype, bool used, int64_t rows, int64_t cols) {
    return (fsr_library_array){dtype, used, {.ndim = 2, .dim = {rows, cols}}};
}

static const char *what; /* of a failure */

static void check_first(const struct sized *s, const void *keys, const uint32_t *places, int64_t row, int64_t k,
                        const place *want) {
    for (int64_t i = 0; i < k; i++) {
        if (places && places[row * k + i] != (uint64_t)want[i].place)
            fail_msg("%s of %s: place %d is %u", what, fsr_dtype_name(s->dtype), (int)i, places[row * k + i]);
        if (keys && get(keys, s->bits, row * k + i) != usual(s, element[want[i].place]))
            fail_msg("%s of %s: element %d", what, fsr_dtype_name(s->dtype), (int)i);
    }
}

/* The greatest ones first, NaN still last. */
static void turn_over(const struct sized *s, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        in_order[i].number = s->digits && in_order[i].number == INT64_MAX ? INT64_MAX : ~in_order[i].number;
    qsort(in_order, (size_t)n, sizeof *in_order, compare);
}

static void load_row(const struct sized *s, const void *x, int64_t row, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        element[i] = get(x, s->bits, row * n + i);
        in_order[i] = (place){number_of(s, element[i]), i};
    }
    qsort(in_order, (size_t)n, sizeof *in_order, compare);
}

/* Of rank k where -0 comes before 0. */
static uint64_t ranked(const struct sized *s, int64_t n, int64_t k) {
    int64_t low = k, high = k, negative = 0;
    if (!s->digits || in_order[k].number != 0)
        return usual(s, element[in_order[k].place]);
    while (low > 0 && in_order[low - 1].number == 0)
        low--;
    while (high < n && in_order[high].number == 0)
        high++;
    for (int64_t i = low; i < high; i++)
        negative += element[in_order[i].place] != 0;
    return k - low < negative ? top_of(s) : 0;
}

static char *room(int64_t bytes) {
    char *data = malloc((size_t)bytes + 1);
    assert_non_null(data);
    return data;
}

static void check_calls(const fsr_crew *crew, const struct sized *s, int64_t rows, int64_t n, void *x) {
    const int64_t k = n < 9 ? n : n % 2 ? 9 : n / 3, asked[] = {n / 2, n / 2 + 1 < n ? n / 2 + 1 : 0, n - 1};
    char *sorted = room(8 * rows * n), *alone = room(8 * rows * n), *first = room(32 * rows * k);
    uint32_t *places = (uint32_t *)(void *)room(4 * rows * n), *at = (uint32_t *)(void *)room(8 * rows * k);
    int64_t *rank = (int64_t *)(void *)room(24 * rows);
    char *got = room(24 * rows);
    for (int64_t i = 0; i < 3 * rows; i++)
        rank[i] = asked[i % 3];
    fsr_library_call c = {.library = FSR_LIBRARY_SORT, .nin = 1, .nout = 2};
    c.array[0] = c.array[1] = array_of(s->dtype, true, rows, n);
    c.array[2] = array_of(FSR_U32, false, rows, n);
    call(crew, c, (void *[]){x, alone, NULL});
    c.array[2].used = true;
    call(crew, c, (void *[]){x, sorted, places});
    for (int g = 0; g < 2; g++) {
        c.library = g ? FSR_LIBRARY_GREATEST : FSR_LIBRARY_LEAST;
        c.array[1] = array_of(s->dtype, true, rows, k);
        c.array[2] = array_of(FSR_U32, true, rows, k);
        call(crew, c, (void *[]){x, first + g * 8 * rows * k, at + g * rows * k});
    }
    c = (fsr_library_call){.library = FSR_LIBRARY_RANKED, .nin = 2, .nout = 1};
    c.array[0] = array_of(s->dtype, true, rows, n);
    c.array[1] = array_of(FSR_I64, true, rows, 3);
    c.array[2] = array_of(s->dtype, true, rows, 3);
    call(crew, c, (void *[]){x, rank, got});
    for (int64_t row = 0; row < rows; row++) {
        load_row(s, x, row, n);
        what = "sort";
        check_first(s, alone, NULL, row, n, in_order);
        what = "argsort";
        check_first(s, sorted, places, row, n, in_order);
        what = "least";
        check_first(s, first, at, row, k, in_order);
        for (int i = 0; i < 3; i++)
            if (get(got, s->bits, row * 3 + i) != ranked(s, n, asked[i]))
                fail_msg("rank %d of %s", (int)asked[i], fsr_dtype_name(s->dtype));
        what = "greatest";
        turn_over(s, n);
        check_first(s, first + 8 * rows * k, at + rows * k, row, k, in_order);
    }
    char *const all[] = {sorted, alone, first, (char *)places, (char *)at, (char *)rank, got};
    for (int i = 0; i < COUNT_OF(all); i++)
        free(all[i]);
    subject_count("calls", 5);
}

/* Each level once: a machine with less has fewer. */
static void each_level(int64_t rows, int64_t n, int patterns, fsr_thread_pool *threads) {
    static const fsr_isa_kind most[LEVELS] = {FSR_ISA_AVX512, FSR_ISA_AVX2, FSR_ISA_BASELINE};
    void *x = room(8 * rows * n);
    for (int level = 0; level < LEVELS; level++) {
        const fsr_crew crew = {threads, fsr_simd_of(most[level])};
        if (level > 0 && crew.simd == fsr_simd_of(most[level - 1]))
            continue;
        for (int d = 0; d < COUNT_OF(sized); d++)
            for (int pattern = 0; pattern < PATTERNS; pattern++) {
                uint32_t state = 5;
                if (!(patterns >> pattern & 1))
                    continue;
                for (int64_t i = 0; i < rows * n; i++) {
                    const uint64_t u = drawn(&sized[d], pattern, i % n, n, &state);
                    memcpy((char *)x + i * sized[d].bits / 8, &u, (size_t)sized[d].bits / 8);
                }
                check_calls(&crew, &sized[d], rows, n, x);
            }
    }
    free(x);
}

static void short_rows(void **state) {
    (void)state;
    static const int64_t length[] = {1, 2, 31, 33, 127, 129, 512, 700, 2051};
    for (int i = 0; i < COUNT_OF(length); i++)
        each_level(i < 5 ? 20 : 3, length[i], (1 << PATTERNS) - 1, NULL);
}

static void long_rows(void **state) {
    (void)state;
    fsr_thread_pool *threads = fsr_thread_pool_new(3);
    assert_non_null(threads);
    each_level(1, (1 << 16) + 77, 1 << 0 | 1 << 1 | 1 << 6, threads);
    each_level(1, (1 << 16) + 76, 1 << 0 | 1 << 5, NULL);
    each_level(40, 3001, 1 << 0, threads);
    fsr_thread_pool_free(threads);
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_TEST(short_rows), SUBJECT_TEST(long_rows)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}

/* SPDX-License-Identifier: MIT */
/* Choices that an index decides: where(i < n, a, b), whose heavier side is evaluated under a guard. Every comparison,
 * with numbers at and beyond both ends of the dimension, that are literals, parameters or elements, on either side;
 * along each dimension, in maps, folds and scans, joined by `and`; an index outside that is told although its side is
 * not taken. Whoever is off by one, or lets i + 1 overflow, is wrong here. */
#include "tests/support/subject.h"

#define G subject_g

enum { ROWS = 23, COLUMNS = 150 };

typedef fsr_node compare_fn(fsr_site at, fsr_node a, fsr_node b);

static compare_fn *const compare[] = {fsr_less_at,          fsr_less_equal_at, fsr_greater_at,
                                      fsr_greater_equal_at, fsr_equal_at,      fsr_not_equal_at};

typedef enum origin { LITERAL, PARAMETER, ELEMENT } origin;

static fsr_node number_of(origin from, fsr_dtype dtype, int64_t value) {
    const int32_t narrow = (int32_t)value;
    const void *bytes = dtype == FSR_I32 ? (const void *)&narrow : &value;
    if (from == ELEMENT)
        return fsr_from_host(G, dtype, 0, NULL, bytes);
    return from == PARAMETER ? fsr_param_of(G, "n", dtype, bytes) : fsr_cast(fsr_int(G, value), dtype);
}

/* The index along dimension d of [ROWS, COLUMNS], from `first` on. */
static fsr_node index_along(int d, fsr_dtype dtype, int64_t first) {
    fsr_node i = fsr_add(fsr_arange(G, dtype, d ? COLUMNS : ROWS), fsr_cast(fsr_int(G, first), dtype));
    return d ? i : fsr_expand(i, 1);
}

/* What takes work and changes along both dimensions, and what takes none. */
static fsr_node heavy(fsr_node x) {
    return fsr_add(fsr_div(fsr_exp(x), fsr_add(fsr_abs(x), fsr_int(G, 1))), fsr_sin(x));
}

static void check(fsr_node condition, fsr_node x, const char *what, int op, int64_t value) {
    const fsr_node y = fsr_where(condition, heavy(x), x), z = fsr_where(condition, fsr_int(G, 0), heavy(x));
    const fsr_node both = fsr_where(condition, heavy(x), fsr_sqrt(fsr_exp(fsr_neg(x))));
    const fsr_node out[] = {y, fsr_sum(z, AXES(1), 1, 0), fsr_max(both, AXES(0), 1, 0)};
    for (int k = 0; k < COUNT_OF(out); k++)
        subject_verify(&out[k], 1, NULL, "%s, comparison %d with %lld, %d", what, op, (long long)value, k);
}

static void at_ends(void **state) {
    (void)state;
    static const fsr_dtype dtypes[] = {FSR_I64, FSR_I32};
    for (int which = 0; which < 2; which++)
        for (int d = 0; d < 2; d++) {
            const int64_t n = d ? COLUMNS : ROWS, end = which ? INT32_MAX : INT64_MAX;
            const int64_t values[] = {-end - 1, -1, 0, 1, n / 2, n - 1, n, n + 1, end - 1, end};
            for (int v = 0; v < COUNT_OF(values); v++) {
                const origin from = values[v] == n / 2 ? LITERAL : which ? PARAMETER : ELEMENT;
                const fsr_node x = subject_data(FSR_F32, 2, SHAPE(ROWS, COLUMNS), SUBJECT_SMALL, 0);
                const fsr_node i = index_along(d, dtypes[which], which), c = number_of(from, dtypes[which], values[v]);
                for (int k = 0; k < COUNT_OF(compare); k++)
                    check((d + k) % 2 ? compare[k](FSR_HERE, i, c) : compare[k](FSR_HERE, c, i), x,
                          d ? "columns" : "rows", k, values[v]);
            }
        }
}

static void joined(void **state) {
    (void)state;
    const fsr_node x = subject_data(FSR_F32, 2, SHAPE(ROWS, COLUMNS), SUBJECT_SMALL, 0);
    const fsr_node r = index_along(0, FSR_I64, 0), c = index_along(1, FSR_I32, 0);
    for (int64_t k = -1; k <= COLUMNS; k += 25) {
        const fsr_node n = number_of(k % 2 ? PARAMETER : ELEMENT, FSR_I32, k), seven = fsr_int(G, 7);
        check(fsr_logical_and(fsr_less(c, n), fsr_greater(r, seven)), x, "two dimensions", 0, k);
        check(fsr_logical_and(fsr_greater_equal(c, seven), fsr_less_equal(c, n)), x, "from, to", 1, k);
        check(fsr_logical_and(fsr_equal(r, seven), fsr_less(c, seven)), x, "a piece of a row", 2, k);
        check(fsr_logical_or(fsr_less(c, n), fsr_greater(r, seven)), x, "either", 3, k);
        check(fsr_less(fsr_mul(c, fsr_int(G, 2)), n), x, "every other", 4, k);
        check(fsr_less(fsr_sub(fsr_cast(fsr_int(G, 40), FSR_I32), c), n), x, "turned", 5, k);
        check(fsr_less(r, fsr_cast(c, FSR_I64)), x, "a triangle", 6, k);
    }
}

/* Of a side that is not taken an index outside is told as NumPy tells it; others clip. */
static void told(void **state) {
    (void)state;
    const int64_t n = 100;
    const fsr_node x = subject_data(FSR_F32, 1, &n, SUBJECT_SMALL, 0), i = fsr_arange(G, FSR_I64, n);
    const fsr_node far = fsr_mul(i, number_of(PARAMETER, FSR_I64, 2)), first = fsr_less(i, fsr_int(G, n / 2));
    const fsr_node clipped = fsr_where(first, fsr_exp(fsr_take(x, far, 0, FSR_INDEX_CLIP)), x);
    subject_verify(&clipped, 1, NULL, "clipped");
    const fsr_node raises = fsr_where(first, fsr_exp(fsr_take(x, far, 0, FSR_INDEX_RAISE)), x);
    float out[100];
    assert_int_equal(fsr_compute(&raises, 1), FSR_OK);
    assert_int_equal(fsr_read(raises, out, sizeof out), FSR_ERR_INDEX);
}

static const struct CMUnitTest tests[] = {SUBJECT_TEST(at_ends), SUBJECT_TEST(joined), SUBJECT_TEST(told)};
SUBJECT_MAIN(tests)

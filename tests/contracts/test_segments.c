/* SPDX-License-Identifier: MIT */
/* Folds of segments against plain loops: lengths of any skew, empty ones, blocks that begin and end anywhere; operators
 * that do not commute; several axes; elements that are computed; runs of keys; running folds. */
#include "tests/support/subject.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G subject_g

/* ---- data ---------------------------------------------------------------------------------------------------- */

typedef struct segments {
    int64_t n, count, *offset;
} segments;

/* How long segment s is. */
typedef int64_t (*length_fn)(int64_t s);

static int64_t even_3(int64_t s) {
    (void)s;
    return 3;
}
static int64_t even_16(int64_t s) {
    (void)s;
    return 16;
}
static int64_t any(int64_t s) {
    return s * 7919 % 41;
}
static int64_t skewed(int64_t s) {
    return s == 100 ? 30000 : s % 5 ? 3 : 0;
}
static int64_t blocks(int64_t s) {
    static const int64_t length[] = {15, 16, 17, 31, 32, 33, 0, 1, 63, 64, 65, 0, 0, 47, 48, 49};
    return length[s % 16];
}
static int64_t one(int64_t s) {
    (void)s;
    return (1 << 20) + 7;
}

static segments made(int64_t count, length_fn length) {
    segments s = {0, count, malloc((size_t)(count + 1) * sizeof *s.offset)};
    for (int64_t i = 0; i < count; i++) {
        s.offset[i] = s.n;
        s.n += length(i);
    }
    s.offset[count] = s.n;
    return s;
}

static fsr_node offsets_of(const segments *s) {
    return fsr_from_host(G, FSR_I64, 1, SHAPE(s->count + 1), s->offset);
}

/* Whole numbers, in any order: their sums are exact. */
static float number(int64_t i) {
    return (float)(i * 7919 % 1013 - 500);
}

static fsr_node numbers(int64_t n) {
    float *x = malloc((size_t)(n ? n : 1) * sizeof *x);
    for (int64_t i = 0; i < n; i++)
        x[i] = number(i);
    fsr_node out = fsr_from_host(G, FSR_F32, 1, &n, x);
    free(x);
    return out;
}

/* ---- built-in operators ------------------------------------------------------------------------------------ */

static void compare(const segments *s, const fsr_node *out, const char *what) {
    float *sum = subject_read(out[0]), *low = subject_read(out[1]), *first = subject_read(out[3]),
          *last = subject_read(out[4]);
    int64_t *place = subject_read(out[2]);
    for (int64_t i = 0; i < s->count; i++) {
        const int64_t from = s->offset[i], to = s->offset[i + 1];
        double total = 0;
        float least = INFINITY;
        int64_t at = -1;
        for (int64_t k = from; k < to; k++) {
            total += (double)number(k);
            if (number(k) < least) {
                least = number(k);
                at = k;
            }
        }
        if ((double)sum[i] != total || low[i] != least || place[i] != at ||
            first[i] != (from < to ? number(from) : 0) || last[i] != (from < to ? number(to - 1) : 0))
            fail_msg("%s: segment %lld of %lld: %g %g %lld %g %g, not %g %g %lld", what, (long long)i,
                     (long long)(to - from), sum[i], low[i], (long long)place[i], first[i], last[i], total, least,
                     (long long)at);
    }
    free(sum);
    free(low);
    free(place);
    free(first);
    free(last);
}

static void lengths(void **state) {
    (void)state;
    static const struct {
        const char *what;
        int64_t count;
        length_fn length;
    } all[] = {{"none", 0, any},         {"one of nothing", 1, skewed}, {"short", 3, even_3},
               {"of 3", 2000, even_3},   {"of 16", 700, even_16},       {"any", 1000, any},
               {"skewed", 5000, skewed}, {"blocks", 1600, blocks},      {"one of all", 1, one}};
    for (int i = 0; i < COUNT_OF(all); i++) {
        segments s = made(all[i].count, all[i].length);
        fsr_node x = numbers(s.n), offsets = offsets_of(&s);
        fsr_node out[] = {fsr_segment_sum(x, offsets), fsr_segment_min(x, offsets), fsr_segment_argmin(x, offsets),
                          fsr_segment_first(x, offsets), fsr_segment_last(x, offsets)};
        OK(fsr_compute(out, COUNT_OF(out)));
        compare(&s, out, all[i].what);
        free(s.offset);
    }
}

/* Everything against the reference, of dtypes with a state of their own, of offsets outside, and of elements that are
 * computed: through views, products, and of taken elements. */
static void verified(void **state) {
    (void)state;
    segments s = made(90, any);
    fsr_node x = subject_data(FSR_F32, 1, SHAPE(s.n), SUBJECT_SMALL, 0), offsets = offsets_of(&s);
    fsr_node at = fsr_mod(fsr_mul(fsr_arange(G, FSR_I64, s.n), fsr_int(G, 37)), fsr_int(G, 50));
    fsr_node table = subject_data(FSR_F32, 1, SHAPE(50), SUBJECT_SMALL, 1);
    fsr_node product = fsr_mul(x, fsr_take(table, at, 0, FSR_INDEX_CLIP));
    subject_verify((fsr_node[]){fsr_segment_sum(product, offsets)}, 1, NULL, "products");
    subject_verify((fsr_node[]){fsr_segment_max(fsr_flip(product, 0), offsets)}, 1, NULL, "from the end");
    subject_verify((fsr_node[]){fsr_segment_sum(fsr_exp(fsr_exp(x)), offsets)}, 1, NULL, "what is stored");
    subject_verify((fsr_node[]){fsr_sqrt(fsr_segment_sum(fsr_square(x), fsr_add(offsets, fsr_int(G, 900))))}, 1, NULL,
                   "offsets outside");
    static const fsr_dtype dtypes[] = {FSR_BOOL, FSR_I8, FSR_F16, FSR_U64, FSR_F64, FSR_C64};
    for (int i = 0; i < COUNT_OF(dtypes); i++) {
        fsr_node y = subject_data(dtypes[i], 1, SHAPE(s.n), SUBJECT_SMALL, 0),
                 out[] = {fsr_segment_sum(y, offsets), {0}};
        if (dtypes[i] < FSR_C64)
            out[1] = fsr_segment_max(y, offsets);
        subject_verify(out, dtypes[i] < FSR_C64 ? 2 : 1, NULL, "of %s", fsr_dtype_name(dtypes[i]));
    }
    free(s.offset);
}

/* Rows and cubes: segments of the first axis. */
static void axes(void **state) {
    (void)state;
    segments s = made(60, blocks);
    fsr_node x = fsr_expand(numbers(s.n), 1), columns = fsr_arange(G, FSR_F32, 6), offsets = offsets_of(&s);
    fsr_node m = fsr_mul(x, columns), cube = fsr_reshape(m, 3, SHAPE(s.n, 2, 3));
    float *got = subject_read(fsr_segment_sum(m, offsets)), *of_cube = subject_read(fsr_segment_sum(cube, offsets));
    for (int64_t i = 0; i < s.count; i++)
        for (int c = 0; c < 6; c++) {
            double total = 0;
            for (int64_t k = s.offset[i]; k < s.offset[i + 1]; k++)
                total += (double)number(k) * c;
            assert_true((double)got[i * 6 + c] == total && got[i * 6 + c] == of_cube[i * 6 + c]);
        }
    free(got);
    free(of_cube);
    subject_verify((fsr_node[]){fsr_segment_argmax(cube, offsets), fsr_segment_last(m, offsets)}, 2, NULL, "a cube");
    free(s.offset);
}

/* ---- a caller's operator ----------------------------------------------------------------------------------- */

/* Linear recurrences: pairs (a, b), then (c, d), are (a c, b c + d); does not commute. */
static void recur(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    (void)user;
    out[0] = fsr_mul(left[0], right[0]);
    out[1] = fsr_add(fsr_mul(left[1], right[0]), right[1]);
}

static const fsr_operator recurrence = {.body = recur, .arity = 2, .identity = {1, 0}};

static int64_t factor(int64_t i) {
    return i * 31 % 5 + 1;
}

static void recurrences(void **state) {
    (void)state;
    segments s = made(300, blocks);
    int64_t *a = malloc((size_t)s.n * 8), *b = malloc((size_t)s.n * 8);
    for (int64_t i = 0; i < s.n; i++) {
        a[i] = factor(i);
        b[i] = i % 11;
    }
    fsr_node in[] = {fsr_from_host(G, FSR_I64, 1, &s.n, a), fsr_from_host(G, FSR_I64, 1, &s.n, b)}, out[2], all[2],
             before[2];
    fsr_segment_reduce_with(out, in, &recurrence, offsets_of(&s));
    fsr_segment_scan_with(all, in, &recurrence, offsets_of(&s), 0);
    fsr_segment_scan_with(before, in, &recurrence, offsets_of(&s), FSR_EXCLUSIVE);
    int64_t *got = subject_read(out[1]), *running = subject_read(all[1]), *exclusive = subject_read(before[1]);
    for (int64_t i = 0; i < s.count; i++) {
        uint64_t want = 0;
        for (int64_t k = s.offset[i]; k < s.offset[i + 1]; k++) {
            assert_true((uint64_t)exclusive[k] == want);
            want = want * (uint64_t)a[k] + (uint64_t)b[k];
            assert_true((uint64_t)running[k] == want);
        }
        assert_true((uint64_t)got[i] == want);
    }
    free(got);
    free(running);
    free(exclusive);
    free(a);
    free(b);
    free(s.offset);
}

/* ---- running sums ------------------------------------------------------------------------------------------ */

static void running_sums(void **state) {
    (void)state;
    segments s = made(200, any);
    fsr_node x = numbers(s.n), offsets = offsets_of(&s);
    for (int flags = 0; flags < 8; flags++) {
        if (flags & ~(FSR_EXCLUSIVE | FSR_REVERSE))
            continue;
        float *got = subject_read(fsr_segment_cumsum(x, offsets, flags));
        for (int64_t i = 0; i < s.count; i++) {
            double total = 0;
            for (int64_t j = 0, n = s.offset[i + 1] - s.offset[i]; j < n; j++) {
                const int64_t k = flags & FSR_REVERSE ? s.offset[i + 1] - 1 - j : s.offset[i] + j;
                const double with = total + (double)number(k);
                assert_true((double)got[k] == (flags & FSR_EXCLUSIVE ? total : with));
                total = with;
            }
        }
        free(got);
    }
    free(s.offset);
}

/* ---- runs -------------------------------------------------------------------------------------------------- */

static void runs(void **state) {
    (void)state;
    enum { N = 1000 };
    int32_t key[N];
    int64_t count = 0;
    double want[N] = {0};
    for (int i = 0; i < N; i++) {
        key[i] = i * i / 4000 % 7;
        count += i == 0 || key[i] != key[i - 1];
        want[count - 1] += (double)number(i);
    }
    fsr_node keys = fsr_from_host(G, FSR_I32, 1, SHAPE(N), key), run[2];
    fsr_runs(run, keys);
    fsr_node sum = fsr_segment_sum(numbers(N), run[0]), of = fsr_segment_first(keys, run[0]);
    float *got = subject_read(sum);
    int32_t *keyed = subject_read(of);
    assert_true(subject_value(run[1], 0) == (double)count);
    for (int64_t r = 0, at = 0; r < N; r++) {
        assert_true((double)got[r] == want[r]);
        if (r >= count)
            continue;
        assert_int_equal(keyed[r], key[at]);
        for (const int32_t own = key[at]; at < N && key[at] == own;)
            at++;
    }
    free(got);
    free(keyed);
    fsr_runs(run, fsr_slice(keys, 0, 0, 0, 1));
    assert_int_equal(fsr_node_size(run[0]), 1);
    assert_true(subject_value(run[0], 0) == 0 && subject_value(run[1], 0) == 0);
}

/* ---- mistakes ---------------------------------------------------------------------------------------------- */

/* What is computed keeps its values in every part of a sum. */
static void computed_before(void **state) {
    (void)state;
    const int64_t at[] = {0, 3, 40};
    fsr_node p = fsr_param(G, "scale", FSR_F32, 1);
    fsr_node x = fsr_mul(fsr_add(fsr_arange(G, FSR_F32, 40), fsr_float(G, 1)), p);
    OK(fsr_compute(&x, 1));
    OK(fsr_param_set(p, 10));
    fsr_node sums = fsr_segment_sum(x, fsr_from_host(G, FSR_I64, 1, SHAPE(3), at));
    assert_true(subject_value(sums, 0) == 6 && subject_value(sums, 1) == 814);
}

/* What a view has few elements of may be longer than places of 32 bits reach. */
static void far_apart(void **state) {
    (void)state;
    enum { COUNT = 100, STEP = 1 << 22 };
    segments s = made(COUNT, any);
    fsr_node x = fsr_slice(fsr_arange(G, FSR_I64, s.n * STEP), 0, 0, s.n * STEP, STEP), offsets = offsets_of(&s);
    int64_t *got = subject_read(fsr_segment_sum(fsr_mul(x, fsr_int(G, 2)), offsets));
    assert_true(s.n * STEP > INT32_MAX);
    for (int64_t i = 0; i < COUNT; i++) {
        int64_t total = 0;
        for (int64_t k = s.offset[i]; k < s.offset[i + 1]; k++)
            total += 2 * k * STEP;
        assert_int_equal(got[i], total);
    }
    free(got);
    free(s.offset);
}

/* Offsets that were floats: beyond 32 and 64 bits, infinite and NaN, brought inside as those of i64 are. */
static void floats(void **state) {
    (void)state;
    const double offset[] = {-INFINITY, -1e30, 2.75, NAN, 5, 4294967300.0, 3, 1e300, INFINITY, 7};
    enum { N = 9, COUNT = sizeof offset / sizeof *offset - 1 };
    const fsr_node o = fsr_from_host(G, FSR_F64, 1, SHAPE(COUNT + 1), offset), x = numbers(N);
    float *got = subject_read(fsr_segment_sum(x, fsr_cast(o, FSR_I64)));
    int64_t *whole = subject_read(fsr_cast(o, FSR_I64));
    for (int64_t i = 0; i < COUNT; i++) {
        const int64_t from = whole[i] < 0 ? 0 : whole[i] < N ? whole[i] : N, to = whole[i + 1] < N ? whole[i + 1] : N;
        float total = 0;
        for (int64_t k = from; k < to; k++)
            total += number(k);
        assert_true(got[i] == total);
    }
    free(whole);
    free(got);
}

static void mistakes(void **state) {
    (void)state;
    fsr_node x = numbers(9), offsets = fsr_arange(G, FSR_I64, 4), out[4];
    assert_int_equal(fsr_node_status(fsr_segment_sum(x, fsr_cast(offsets, FSR_F32))), FSR_ERR_DTYPE);
    assert_int_equal(fsr_node_status(fsr_segment_sum(x, fsr_slice(offsets, 0, 0, 0, 1))), FSR_ERR_SHAPE);
    assert_int_equal(fsr_node_status(fsr_segment_sum(fsr_sum(x, NULL, 0, 0), offsets)), FSR_ERR_SHAPE);
    assert_int_equal(fsr_node_status(fsr_segment_min(fsr_cast(x, FSR_C64), offsets)), FSR_ERR_DTYPE);
    assert_int_equal(fsr_node_status(fsr_segment_argmin(fsr_cast(x, FSR_C64), offsets)), FSR_ERR_DTYPE);
    assert_int_equal(fsr_node_status(fsr_segment_cumsum(x, offsets, FSR_KEEPDIMS)), FSR_ERR_VALUE);
    fsr_segment_reduce_with(out, (fsr_node[]){x, fsr_slice(x, 0, 1, 9, 1)}, &recurrence, offsets);
    assert_int_equal(fsr_node_status(out[1]), FSR_ERR_SHAPE);
    const fsr_operator wide = {.body = recur, .arity = 4};
    fsr_segment_reduce_with(out, (fsr_node[]){x, x, x, x}, &wide, offsets);
    assert_int_equal(fsr_node_status(out[0]), FSR_ERR_UNSUPPORTED);
    fsr_runs(out, fsr_reshape(x, 2, SHAPE(3, 3)));
    assert_int_equal(fsr_node_status(out[1]), FSR_ERR_SHAPE);
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(lengths),         SUBJECT_TEST(verified),     SUBJECT_TEST(axes),
    SUBJECT_TEST(recurrences),     SUBJECT_TEST(running_sums), SUBJECT_TEST(runs),
    SUBJECT_TEST(computed_before), SUBJECT_TEST(far_apart),    SUBJECT_TEST(mistakes),
    SUBJECT_TEST(floats)};
SUBJECT_MAIN(tests)

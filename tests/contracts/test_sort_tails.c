/* SPDX-License-Identifier: MIT */
/* Long rows of which the end is in order already, NaN or greatest integers, as values with a length that only the
 * device knows are filled up: elements and places against a plain stable sort. */
#include "tests/support/subject.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G subject_g

enum { N = 70000 };

typedef struct element {
    double key; /* NaN is last */
    int64_t place;
} element;

static int in_order(const void *a, const void *b) {
    const element *x = a, *y = b;
    if (isnan(x->key) != isnan(y->key))
        return isnan(x->key) ? 1 : -1;
    if (!isnan(x->key) && x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

static double last_of(fsr_dtype dtype) {
    return dtype == FSR_I16 ? 32767 : dtype == FSR_U8 ? 255 : dtype == FSR_I32 ? 2147483647.0 : (double)NAN;
}

/* `there` elements, some of which are last themselves, then the last ones, but element `apart`, if there is one. */
static void tails(void **state) {
    (void)state;
    static const fsr_dtype dtypes[] = {FSR_F32, FSR_F64, FSR_I16, FSR_U8, FSR_I32, FSR_F16};
    static const int64_t there[] = {0, 1, 33, 5000, 65535, 65536, N - 1, N};
    static element x[N];
    static double raw[N];
    for (int d = 0; d < COUNT_OF(dtypes); d++)
        for (int t = 0; t < COUNT_OF(there); t++) {
            for (int64_t i = 0; i < N; i++)
                raw[i] = i < there[t] && i % 11 != 3 ? (double)(i * 7919 % 4099 % 100) : last_of(dtypes[d]);
            for (int64_t i = 0; i < N; i++)
                x[i] = (element){raw[i], i};
            qsort(x, N, sizeof *x, in_order);
            fsr_node row = fsr_cast(fsr_from_host(G, FSR_F64, 1, SHAPE(N), raw), dtypes[d]);
            fsr_node out[] = {fsr_cast(fsr_sort(row, NULL, 0, 0), FSR_F64), fsr_argsort(row, NULL, 0, 0),
                              fsr_sort_by_key(fsr_arange(G, FSR_I64, N), row, NULL, 0, 0)};
            OK(fsr_compute(out, 3));
            double *key = subject_read(out[0]);
            int64_t *place = subject_read(out[1]), *value = subject_read(out[2]);
            for (int64_t i = 0; i < N; i++)
                if ((key[i] != x[i].key && !isnan(key[i])) || isnan(key[i]) != isnan(x[i].key) ||
                    place[i] != x[i].place || value[i] != x[i].place)
                    fail_msg("%s, %lld there: rank %lld is %g of %lld, not %g of %lld", fsr_dtype_name(dtypes[d]),
                             (long long)there[t], (long long)i, key[i], (long long)place[i], x[i].key,
                             (long long)x[i].place);
            free(key);
            free(place);
            free(value);
        }
}

/* Both directions, of a few of many elements. */
static void lives(void **state) {
    (void)state;
    static float raw[N];
    for (int64_t i = 0; i < N; i++)
        raw[i] = (float)(i * 7919 % 4099 % 100);
    fsr_node x = fsr_from_host(G, FSR_F32, 1, SHAPE(N), raw),
             mask = fsr_equal(fsr_mod(x, fsr_float(G, 7)), fsr_float(G, 3));
    fsr_node few = fsr_compress(mask, x), byte = fsr_compress(mask, fsr_cast(x, FSR_U8));
    for (int down = 0; down < 2; down++) {
        const int flags = down ? FSR_DESCENDING : 0;
        int64_t count = 0, counted = 0;
        static float got[N];
        static uint8_t bytes[N];
        OK(fsr_read_live(fsr_sort(few, NULL, 0, flags), got, sizeof got, &count));
        OK(fsr_read_live(fsr_sort(byte, NULL, 0, flags), bytes, sizeof bytes, &counted));
        assert_true(count > 5000 && count == counted);
        for (int64_t i = 1; i < count; i++)
            assert_true(down ? got[i] <= got[i - 1] : got[i] >= got[i - 1]);
        for (int64_t i = 0; i < count; i++)
            assert_true((float)bytes[i] == got[i]);
    }
}

static const struct CMUnitTest tests[] = {SUBJECT_TEST(tails), SUBJECT_TEST(lives)};
SUBJECT_MAIN(tests)

/* SPDX-License-Identifier: MIT */
/* Loops whose bodies take elements of arrays: searches, lists, tables of functions; through views, of what is computed,
 * of every dtype, whatever the indices are. */
#include "tests/support/subject.h"
#include <stdlib.h>
#include <string.h>

#define I(x) fsr_int(state[0].graph, x)

static fsr_node whole(int64_t x) {
    return fsr_cast(fsr_int(subject_g, x), FSR_I64);
}

/* ---- loops ------------------------------------------------------------------------------------------------ */

/* The first place of a sorted table, user, whose element is not below the argument. */
static void open(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)arg, (void)user;
    out[0] = fsr_less(state[0], state[1]);
}
static void halve(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    fsr_node middle = fsr_floor_divide(fsr_add(state[0], state[1]), I(2));
    fsr_node below = fsr_less(fsr_take(*(fsr_node *)user, middle, 0, FSR_INDEX_CLIP), arg[0]);
    out[0] = fsr_where(below, fsr_add(middle, I(1)), state[0]);
    out[1] = fsr_where(below, state[1], middle);
}

static fsr_node search(fsr_node table, fsr_node x) {
    const fsr_loop loop = {halve, open, &table, 2, 1};
    fsr_node out[3];
    fsr_iterate(out, &loop, (fsr_node[]){whole(0), whole(fsr_node_size(table))}, &x, 64);
    return out[0];
}

/* From one place of a list to the next. */
static void go(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)arg;
    out[0] = fsr_take(*(fsr_node *)user, state[0], 0, FSR_INDEX_WRAP);
}

/* A sum of elements at indices far outside, of a table of two dimensions and one of one, clipped and wrapped. */
static void collect(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    const fsr_node *table = user;
    fsr_node i = fsr_sub(fsr_mul(state[1], I(3)), I(7)), j = fsr_sub(arg[0], state[1]);
    fsr_node both = fsr_index(table[0], (fsr_node[]){i, j}, 2, FSR_INDEX_WRAP);
    out[0] = fsr_add(state[0], fsr_add(both, fsr_take(table[1], i, 0, FSR_INDEX_CLIP)));
    out[1] = fsr_add(state[1], I(1));
}

static fsr_node collected(fsr_node two, fsr_node one, fsr_node start, int turns) {
    fsr_node table[] = {two, one}, out[3];
    const fsr_loop loop = {collect, NULL, table, 2, 1};
    fsr_iterate(out, &loop, (fsr_node[]){fsr_cast(fsr_int(subject_g, 0), fsr_node_dtype(one)), whole(0)}, &start,
                turns);
    return out[0];
}

static int64_t inside(int64_t i, int64_t n, bool wrap) {
    return wrap ? (i % n + n) % n : i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* ---- searches ------------------------------------------------------------------------------------------------- */

enum { SORTED = 300, ASKED = 1000 };

static fsr_node floats(int n, float first, float step, uint32_t jump, float *x) {
    for (int i = 0; i < n; i++)
        x[i] = first + step * (float)(jump ? (uint32_t)i * jump % 977 : (uint32_t)i);
    return fsr_from_host(subject_g, FSR_F32, 1, SHAPE(n), x);
}

static void check_search(fsr_node table, const float *values, fsr_node x, const float *asked) {
    fsr_node at = search(table, x);
    OK(fsr_node_status(at));
    int64_t *got = subject_read(at);
    for (int i = 0; i < ASKED; i++) {
        int64_t want = 0;
        while (want < SORTED && values[want] < asked[i])
            ++want;
        assert_int_equal(got[i], want);
    }
    free(got);
    fsr_node all[] = {at, fsr_sum(fsr_mul(at, at), NULL, 0, 0), fsr_take(table, at, 0, FSR_INDEX_CLIP)};
    subject_verify(all, COUNT_OF(all), NULL, "a search");
}

/* In an array, through views, and in what is computed: there it is stored first. */
static void searches(void **state) {
    (void)state;
    float sorted[2 * SORTED], values[SORTED], back[SORTED], asked[ASKED];
    fsr_node x = floats(ASKED, -4, 0.7f, 31, asked), wide = floats(2 * SORTED, -3, 1, 0, sorted);
    for (int i = 0; i < SORTED; i++)
        values[i] = back[SORTED - 1 - i] = sorted[2 * i + 1];
    check_search(fsr_slice(wide, 0, 1, FSR_SLICE_END, 2), values, x, asked);
    fsr_node turned = fsr_from_host(subject_g, FSR_F32, 1, SHAPE(SORTED), back);
    check_search(fsr_flip(turned, 0), values, x, asked);
    fsr_node pairs = fsr_reshape(wide, 2, SHAPE(SORTED, 2));
    check_search(fsr_reshape(fsr_slice(pairs, 1, 1, 2, 1), 1, SHAPE(SORTED)), values, x, asked);
    for (int i = 0; i < SORTED; i++)
        values[i] = sorted[2 * i] + sorted[2 * i + 1];
    check_search(fsr_sum(pairs, AXES(1), 1, 0), values, x, asked);
    check_search(fsr_add(fsr_slice(wide, 0, 0, FSR_SLICE_END, 2), fsr_slice(wide, 0, 1, FSR_SLICE_END, 2)), values, x,
                 asked);
}

/* ---- lists ------------------------------------------------------------------------------------------------------ */

static void lists(void **state) {
    (void)state;
    enum { N = 97 };
    int32_t next[N];
    for (int i = 0; i < N; i++)
        next[i] = i * 5 + 3; /* beyond the end, and wrapped */
    fsr_node table = fsr_cast(fsr_from_host(subject_g, FSR_I32, 1, SHAPE(N), next), FSR_I64), out[2];
    const fsr_loop loop = {go, NULL, &table, 1, 0};
    fsr_node first = fsr_arange(subject_g, FSR_I64, N);
    fsr_iterate(out, &loop, &first, NULL, 20);
    int64_t *got = subject_read(out[0]);
    for (int i = 0; i < N; i++) {
        int64_t at = i;
        for (int turn = 0; turn < 20; turn++)
            at = next[inside(at, N, true)];
        assert_int_equal(got[i], at);
    }
    free(got);
}

/* ---- several tables, and indices anywhere ------------------------------------------------------------------ */

static void anywhere(void **state) {
    (void)state;
    enum { ROWS = 5, COLS = 7, ONE = 4, N = 40 };
    int64_t two[ROWS * COLS], one[ONE];
    for (int i = 0; i < ROWS * COLS; i++)
        two[i] = i * i;
    for (int i = 0; i < ONE; i++)
        one[i] = 1000 * (i + 1);
    fsr_node x = fsr_from_host(subject_g, FSR_I64, 2, SHAPE(ROWS, COLS), two);
    fsr_node y = fsr_from_host(subject_g, FSR_I64, 1, SHAPE(ONE), one);
    fsr_node start = fsr_sub(fsr_mul(fsr_arange(subject_g, FSR_I64, N), fsr_int(subject_g, 3)), fsr_int(subject_g, 50));
    for (int turned = 0; turned < 2; turned++) {
        int64_t *got = subject_read(collected(turned ? fsr_transpose(x, NULL) : x, y, start, 9));
        const int64_t n[] = {turned ? COLS : ROWS, turned ? ROWS : COLS};
        for (int e = 0; e < N; e++) {
            int64_t sum = 0;
            for (int t = 0; t < 9; t++) {
                const int64_t i = inside(3 * t - 7, n[0], true), j = inside(3 * e - 50 - t, n[1], true);
                sum += two[turned ? j * COLS + i : i * COLS + j] + one[inside(3 * t - 7, ONE, false)];
            }
            assert_int_equal(got[e], sum);
        }
        free(got);
    }
}

/* ---- dtypes ------------------------------------------------------------------------------------------------ */

/* Argument 0 counts: the element there, state 0. */
static void look_up(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    out[0] = fsr_take(*(fsr_node *)user, fsr_add(arg[0], state[1]), 0, FSR_INDEX_CLIP);
    out[1] = fsr_add(state[1], I(1));
}

static void of_several_dtypes(void **state) {
    (void)state;
    fsr_node at = fsr_arange(subject_g, FSR_I64, 30);
    static const fsr_dtype dtypes[] = {FSR_BOOL, FSR_I16, FSR_F16, FSR_BF16, FSR_C128};
    for (int i = 0; i < COUNT_OF(dtypes); i++) {
        fsr_node table = subject_data(dtypes[i], 1, SHAPE(33), SUBJECT_SPECIAL, 0), out[3];
        const fsr_loop loop = {look_up, NULL, &table, 2, 1};
        fsr_node none = fsr_take(table, whole(0), 0, FSR_INDEX_CLIP);
        fsr_iterate(out, &loop, (fsr_node[]){none, whole(0)}, &at, 4);
        void *got = subject_read(out[0]), *want = subject_read(fsr_slice(table, 0, 3, FSR_SLICE_END, 1));
        assert_memory_equal(got, want, 30 * fsr_dtype_size(dtypes[i]));
        free(got);
        free(want);
        subject_verify(out, 2, NULL, "a table of %s", fsr_dtype_name(dtypes[i]));
    }
}

static void weigh(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    out[0] = fsr_add(fsr_add(state[0], state[0]), fsr_take(*(fsr_node *)user, arg[0], 0, FSR_INDEX_CLIP));
}

/* Indices that are taken at as they are, in 32 bits and fewer, at both ends of what these hold; of as many elements as
 * groups of lanes have, and some more or less. */
static void narrow_indices(void **state) {
    (void)state;
    enum { ENTRIES = 33, MOST = 65 };
    static const int32_t hard[] = {INT32_MIN, INT32_MAX, -1, 0, 1, ENTRIES - 1, ENTRIES, 40, INT32_MIN + 1};
    static const fsr_dtype dtypes[] = {FSR_I32, FSR_I8, FSR_U16, FSR_U32};
    static const int size[] = {1, 7, 15, 16, 17, 31, 32, 33, MOST};
    float value[ENTRIES];
    for (int i = 0; i < ENTRIES; i++)
        value[i] = (float)(i + 1);
    fsr_node table = fsr_from_host(subject_g, FSR_F32, 1, SHAPE(ENTRIES), value), out[2];
    const fsr_loop loop = {weigh, NULL, &table, 1, 1};
    for (int s = 0; s < COUNT_OF(size); s++)
        for (int d = 0; d < COUNT_OF(dtypes); d++) {
            const int n = size[s];
            int32_t index[MOST];
            for (int i = 0; i < n; i++)
                index[i] = hard[(i + n) % COUNT_OF(hard)];
            fsr_node at = fsr_cast(fsr_from_host(subject_g, FSR_I32, 1, SHAPE(n), index), dtypes[d]);
            fsr_node none = fsr_full(subject_g, FSR_F32, 1, SHAPE(n), 0);
            fsr_iterate(out, &loop, &none, &at, 3);
            int64_t *wide = subject_read(fsr_cast(at, FSR_I64));
            float *got = subject_read(out[0]);
            for (int i = 0; i < n; i++)
                assert_true(got[i] == 7 * value[inside(wide[i], ENTRIES, false)]);
            free(wide);
            free(got);
        }
}

/* ---- where loops stand ------------------------------------------------------------------------------------- */

/* What a loop takes from is overwritten by nobody meanwhile, though nobody needs it afterwards. */
static void not_in_place(void **state) {
    (void)state;
    enum { N = 6000 };
    fsr_node x = subject_data(FSR_F32, 1, SHAPE(N), SUBJECT_SMALL, 0), out[3];
    fsr_node t = fsr_exp(x), at = fsr_arange(subject_g, FSR_I64, N);
    const fsr_loop loop = {look_up, NULL, &t, 2, 1};
    fsr_iterate(out, &loop, (fsr_node[]){t, whole(0)}, &at, 3);
    fsr_node part = fsr_slice(out[0], 0, 0, 100, 1), with = fsr_update(t, fsr_slice(t, 0, 50, 150, 1), part);
    subject_verify((fsr_node[]){out[0], with}, 2, NULL, "a table that dies");
    float *got = subject_read(out[0]), *e = subject_read(fsr_exp(x));
    for (int i = 0; i < N; i++)
        assert_true(got[i] == e[i + 2 < N ? i + 2 : N - 1]);
    free(got);
    free(e);
}

/* Each row searches by itself in an array that all have; one of its own is told. */
static void search_row(fsr_node *out, const fsr_node *in, void *user) {
    out[0] = fsr_sum(search(*(fsr_node *)user, in[0]), NULL, 0, 0);
}
static void search_own(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = search(in[0], in[0]);
}

static void in_a_row_function(void **state) {
    (void)state;
    float sorted[SORTED];
    fsr_node table = floats(SORTED, -3, 0.02f, 0, sorted), x = subject_data(FSR_F32, 2, SHAPE(6, 50), SUBJECT_SMALL, 0);
    fsr_node out, want = fsr_sum(search(table, x), AXES(1), 1, 0);
    fsr_vectorize(&out, 1, &x, 1, "(n)->()", search_row, &table);
    for (int i = 0; i < 6; i++)
        assert_true(subject_value(out, i) == subject_value(want, i));
    fsr_vectorize(&out, 1, &x, 1, "(n)->(n)", search_own, NULL);
    assert_int_equal(fsr_node_status(out), FSR_ERR_UNSUPPORTED);
    assert_non_null(strstr(fsr_node_error(out), "an array that each row has its own of"));
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(searches),          SUBJECT_TEST(lists),
    SUBJECT_TEST(anywhere),          SUBJECT_TEST(narrow_indices),
    SUBJECT_TEST(of_several_dtypes), SUBJECT_TEST(not_in_place),
    SUBJECT_TEST(in_a_row_function),
};
SUBJECT_MAIN(tests)

/* SPDX-License-Identifier: MIT */
/* Views of computed values: what a kernel reads through an index map that another expression made. Against the
 * reference. */
#include "tests/support/subject.h"
#include <stdlib.h>

static const fsr_dtype dtypes[] = {FSR_BOOL, FSR_U8, FSR_I32, FSR_I64, FSR_F32, FSR_F64};

static fsr_node data(fsr_dtype dtype, int ndim, const int64_t *shape) {
    return subject_data(dtype, ndim, shape, SUBJECT_SMALL, 0);
}

/* A value that is no leaf. */
static fsr_node computed(fsr_dtype dtype, int ndim, const int64_t *shape) {
    fsr_node x = data(dtype, ndim, shape);
    return fsr_add(fsr_mul(x, x), x);
}

/* f32 and every third other dtype: what views do to addresses is the same for all of a size. The fast tier has of these
 * one of each size. */
static bool is_mine(fsr_dtype dtype) {
    if (dtype != FSR_F32 && (int)dtype % 3 != 0)
        return subject_case((int)dtype, SUBJECT_LONG);
    return subject_case((int)dtype, dtype == FSR_I16 || dtype == FSR_U32 ? SUBJECT_CAPPED : SUBJECT_FAST);
}

#define EACH_DTYPE(d)                          \
    for (int d = 0; d < COUNT_OF(dtypes); ++d) \
        if (is_mine(dtypes[d]))

static void check(fsr_node x, const char *what, fsr_dtype dtype) {
    subject_verify(&x, 1, &what, "%s of %s", what, fsr_dtype_name(dtype));
}

static void plus_its_transpose(void **state) {
    (void)state;
    static const int64_t sizes[] = {0, 1, 2, 31, 32, 33, 65, 257};
    EACH_DTYPE(d) for (int s = 0; s < COUNT_OF(sizes); ++s) {
        fsr_node y = computed(dtypes[d], 2, SHAPE(sizes[s], sizes[s]));
        check(fsr_add(y, fsr_transpose(y, NULL)), "y + y.T", dtypes[d]);
        fsr_node both[] = {fsr_mul(y, fsr_transpose(y, NULL)), y};
        subject_verify(both, 2, NULL, "y * y.T and y of %s", fsr_dtype_name(dtypes[d]));
    }
}

/* All that is loaded lies in the other order: squares are turned when they are stored, of two results too, with a
 * dimension between or around them, and with what is the same for rows or columns. */
static void all_turned(void **state) {
    (void)state;
    EACH_DTYPE(d) {
        const fsr_dtype dtype = dtypes[d];
        fsr_node x = data(dtype, 2, SHAPE(37, 301)), y = data(dtype, 2, SHAPE(37, 301));
        fsr_node z = data(dtype, 3, SHAPE(19, 3, 45)), w = data(dtype, 3, SHAPE(19, 3, 45));
        fsr_node row = data(dtype, 1, SHAPE(301)), column = data(dtype, 2, SHAPE(37, 1));
        fsr_node both[] = {fsr_transpose(fsr_mul(x, y), NULL), fsr_transpose(fsr_add(fsr_add(x, y), row), NULL)};
        check(fsr_transpose(fsr_add(x, y), NULL), "(x + y).T", dtype);
        check(fsr_transpose(fsr_add(fsr_mul(x, row), column), NULL), "(x * row + column).T", dtype);
        check(fsr_transpose(fsr_add(z, w), NULL), "(z + w).T", dtype);
        check(fsr_transpose(fsr_add(z, w), AXES(1, 2, 0)), "z + w, the last two turned", dtype);
        check(fsr_cast(fsr_transpose(fsr_add(x, y), NULL), FSR_F64), "f64((x + y).T)", dtype);
        subject_verify(both, 2, NULL, "two of %s", fsr_dtype_name(dtype));
    }
}

static void flips_and_slices(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 2, 33, 1025, 4099};
    EACH_DTYPE(d) for (int s = 0; s < COUNT_OF(sizes); ++s) {
        int64_t n = sizes[s];
        fsr_node y = computed(dtypes[d], 1, SHAPE(n));
        fsr_node out[] = {
            fsr_add(y, fsr_flip(y, 0)),
            fsr_flip(fsr_flip(y, 0), 0),
            fsr_mul(fsr_slice(y, 0, 0, n - 1, 1), fsr_slice(y, 0, 1, n, 1)),
            fsr_slice(fsr_flip(y, 0), 0, n / 3, FSR_SLICE_END, 2),
            fsr_maximum(fsr_slice(y, 0, FSR_SLICE_END, FSR_SLICE_END, -1), y),
            fsr_slice(fsr_slice(y, 0, 1, FSR_SLICE_END, 3), 0, FSR_SLICE_END, FSR_SLICE_END, -2),
        };
        subject_verify(out, COUNT_OF(out), NULL, "slices of %s[%lld]", fsr_dtype_name(dtypes[d]), (long long)n);
        check(out[0], "y + flip(y)", dtypes[d]);
    }
}

/* The difference of neighbours, a five-point stencil: several slices of one computed value. */
static void stencils(void **state) {
    (void)state;
    for (int d = FSR_I32; d <= FSR_F64; ++d) {
        if (!is_mine((fsr_dtype)d))
            continue;
        const int64_t h = 37, w = 45;
        fsr_node y = computed((fsr_dtype)d, 2, SHAPE(h, w));
        fsr_node middle = fsr_slice(y, 0, 1, -1, 1), side = fsr_slice(y, 1, 1, -1, 1);
        fsr_node sum = fsr_add(fsr_add(fsr_slice(side, 0, 0, -2, 1), fsr_slice(side, 0, 2, FSR_SLICE_END, 1)),
                               fsr_add(fsr_slice(middle, 1, 0, -2, 1), fsr_slice(middle, 1, 2, FSR_SLICE_END, 1)));
        fsr_node inner = fsr_slice(middle, 1, 1, -1, 1);
        assert_int_equal(fsr_node_dim(sum, 0), h - 2);
        assert_int_equal(fsr_node_dim(sum, 1), w - 2);
        check(fsr_sub(sum, fsr_mul(fsr_int(subject_g, 4), inner)), "five points", (fsr_dtype)d);
    }
}

static void reshapes(void **state) {
    (void)state;
    EACH_DTYPE(d) {
        fsr_node y = computed(dtypes[d], 3, SHAPE(6, 5, 33));
        fsr_node flat = fsr_reshape(y, 1, SHAPE(-1)), t = fsr_transpose(y, NULL);
        fsr_node out[] = {
            fsr_add(flat, flat),
            fsr_add(fsr_reshape(t, 1, SHAPE(990)), flat),
            fsr_reshape(fsr_flip(fsr_reshape(y, 2, SHAPE(30, 33)), 1), 3, SHAPE(33, 5, 6)),
            fsr_sum(fsr_reshape(fsr_transpose(y, AXES(1, 0, 2)), 2, SHAPE(15, 66)), AXES(1), 1, 0),
            fsr_reshape(fsr_slice(y, 2, 0, 32, 2), 2, SHAPE(-1, 8)),
            fsr_squeeze(fsr_expand(fsr_maximum(y, y), 1), 1),
            fsr_transpose(fsr_expand(fsr_expand(flat, 0), -1), AXES(2, 1, 0)),
        };
        subject_verify(out, COUNT_OF(out), NULL, "reshapes of %s", fsr_dtype_name(dtypes[d]));
        for (int i = 0; i < COUNT_OF(out); ++i) {
            fsr_node again = fsr_mul(out[i], out[i]);
            subject_verify(&again, 1, NULL, "reshape %d of %s", i, fsr_dtype_name(dtypes[d]));
        }
    }
}

/* Folds of views and views of folds. */
static void folds(void **state) {
    (void)state;
    for (int d = FSR_U8; d <= FSR_F64; ++d) {
        if (!is_mine((fsr_dtype)d))
            continue;
        fsr_node y = computed((fsr_dtype)d, 2, SHAPE(65, 129)), t = fsr_transpose(y, NULL);
        fsr_node row = fsr_sum(y, AXES(1), 1, 0), column = fsr_max(y, AXES(0), 1, FSR_KEEPDIMS);
        fsr_node out[] = {
            fsr_sum(t, AXES(0), 1, 0),
            fsr_sum(fsr_slice(y, 1, 0, FSR_SLICE_END, 2), AXES(1), 1, 0),
            fsr_max(fsr_flip(t, 1), AXES(1), 1, 0),
            fsr_sub(y, fsr_expand(fsr_cast(row, (fsr_dtype)d), 1)),
            fsr_add(fsr_flip(row, 0), row),
            fsr_sub(y, fsr_flip(column, 1)),
            fsr_argmax(t, AXES(0), 1, 0),
            fsr_cumsum(fsr_flip(y, 1), AXES(1), 1, 0),
            fsr_flip(fsr_cumsum(fsr_flip(y, 0), AXES(0), 1, 0), 0),
            fsr_cummax(t, AXES(1), 1, 0),
            fsr_slice(fsr_cumsum(y, AXES(1), 1, 0), 1, -1, FSR_SLICE_END, 1),
            fsr_sum(fsr_cumsum(y, AXES(1), 1, FSR_EXCLUSIVE), NULL, 0, 0),
            fsr_sum(fsr_broadcast_to(fsr_expand(row, 1), 2, SHAPE(65, 7)), NULL, 0, 0),
        };
        subject_verify(out, COUNT_OF(out), NULL, "folds of views of %s together", fsr_dtype_name((fsr_dtype)d));
        fsr_node fresh = fsr_mul(y, y);
        fsr_node alone[] = {
            fsr_cumsum(fsr_transpose(fresh, NULL), AXES(0), 1, 0),
            fsr_sum(fsr_flip(fresh, 0), AXES(0), 1, 0),
            fsr_sum(fsr_reshape(fresh, 2, SHAPE(129, 65)), AXES(0), 1, 0),
            fsr_add(fsr_cumsum(fresh, AXES(0), 1, 0), fsr_flip(fsr_cumsum(fresh, AXES(0), 1, 0), 0)),
            fsr_sub(fsr_sum(fresh, AXES(0), 1, 0),
                    fsr_slice(fsr_sum(fsr_transpose(fresh, NULL), AXES(1), 1, 0), 0, FSR_SLICE_END, FSR_SLICE_END, -1)),
        };
        for (int i = 0; i < COUNT_OF(alone); ++i)
            subject_verify(&alone[i], 1, NULL, "fold %d of views of %s", i, fsr_dtype_name((fsr_dtype)d));
    }
}

/* Eight dimensions, permuted, flipped and broadcast. */
static void eight_dimensions(void **state) {
    (void)state;
    EACH_DTYPE(d) {
        fsr_node y = computed(dtypes[d], 8, SHAPE(2, 3, 2, 1, 3, 2, 5, 2));
        fsr_node t = fsr_transpose(y, AXES(7, 5, 3, 1, 0, 2, 4, 6)),
                 wide = fsr_broadcast_to(y, 8, SHAPE(2, 3, 2, 4, 3, 2, 5, 2));
        fsr_node out[] = {fsr_add(t, fsr_flip(t, 7)), fsr_mul(wide, wide), fsr_transpose(fsr_flip(t, 4), NULL),
                          fsr_sum(t, AXES(0, 2, 4, 6), 4, 0), fsr_sum(wide, AXES(3, 1), 2, FSR_KEEPDIMS)};
        subject_verify(out, COUNT_OF(out), NULL, "eight dimensions of %s", fsr_dtype_name(dtypes[d]));
    }
}

/* Sections of what a repeat and a reshape made: some cut what the reshape leaves as it is, some what it puts together,
 * some both; one element of a dimension, steps, and from the end. */
static void sections_of_repeats(void **state) {
    (void)state;
    EACH_DTYPE(d) {
        fsr_node y = computed(dtypes[d], 3, SHAPE(4, 6, 10)), r = fsr_repeat(y, 3, AXES(1)), t = fsr_transpose(y, NULL);
        fsr_node both = fsr_reshape(r, 2, SHAPE(4 * 18, 10)), turned = fsr_reshape(t, 3, SHAPE(60, 1, 4));
        fsr_node out[] = {
            fsr_slice(fsr_repeat(y, 3, AXES(1)), 2, 2, 9, 3),
            fsr_slice(fsr_slice(fsr_repeat(y, 2, AXES(1)), 0, 1, 3, 1), 2, FSR_SLICE_END, FSR_SLICE_END, -2),
            fsr_slice(fsr_repeat(y, 5, AXES(1)), 1, 0, 29, 1),
            fsr_slice(fsr_repeat(y, 2, AXES(0)), 1, 3, 4, 1),
            fsr_add(fsr_slice(both, 1, 0, 4, 1), fsr_slice(both, 1, 4, 8, 1)),
            fsr_slice(fsr_slice(turned, 2, 1, 3, 1), 0, 2, 47, 5),
            fsr_transpose(fsr_slice(turned, 2, 3, 4, 1), NULL),
            fsr_slice(fsr_reshape(fsr_repeat(fsr_sum(y, AXES(1), 1, FSR_KEEPDIMS), 3, AXES(1)), 2, SHAPE(12, 10)), 1, 3,
                      7, 1),
        };
        for (int i = 0; i < COUNT_OF(out); i++)
            out[i] = fsr_mul(out[i], out[i]);
        subject_verify(out, COUNT_OF(out), NULL, "sections of repeated %s", fsr_dtype_name(dtypes[d]));
        for (int i = 0; i < COUNT_OF(out); i++)
            check(out[i], "a section of a repeat", dtypes[d]);
    }
}

/* Under guards lies what is turned: of a square its part inside of an update or a pad is turned, of some squares all,
 * of some one row, of some nothing; with a dimension around them, and of sides on whose conditions a third one has a
 * say. */
static void turned_under_guards(void **state) {
    (void)state;
    static const int64_t sizes[] = {16, 17, 65, 130, 257};
    EACH_DTYPE(d) for (int s = 0; s < COUNT_OF(sizes); ++s) {
        const int64_t n = sizes[s];
        fsr_node x = data(dtypes[d], 2, SHAPE(n, n)), y = data(dtypes[d], 2, SHAPE(n, n));
        fsr_node z = data(dtypes[d], 3, SHAPE(2, n, n)), w = data(dtypes[d], 3, SHAPE(2, n, n));
        fsr_node both = fsr_mul(y, fsr_transpose(y, NULL)), turned = fsr_transpose(z, AXES(0, 2, 1));
        fsr_node p = fsr_pad(both, (const int64_t[][2]){{1, 1}, {1, 1}}, FSR_PAD_CONSTANT, 0);
        fsr_node left = fsr_slice(fsr_slice(p, 0, 1, n + 1, 1), 1, 0, n, 1);
        fsr_node down = fsr_slice(fsr_slice(p, 0, 2, n + 2, 1), 1, 1, n + 1, 1);
        fsr_node section = fsr_slice(fsr_slice(both, 0, 0, n - 1, 1), 1, 0, n - 1, 1);
        fsr_node corner = fsr_slice(fsr_slice(x, 0, 1, n, 1), 1, 1, n, 1);
        check(fsr_update(x, corner, section), "x with y * y.T in a corner", dtypes[d]);
        check(fsr_add(left, down), "two neighbours of y * y.T", dtypes[d]);
        check(fsr_update(w, fsr_slice(w, 2, 3, n, 1), fsr_slice(fsr_add(w, turned), 2, 0, n - 3, 1)),
              "batches with a part turned", dtypes[d]);
        check(fsr_update(w, fsr_slice(w, 0, 1, 2, 1), fsr_slice(fsr_add(w, turned), 0, 0, 1, 1)),
              "a batch, the other one turned", dtypes[d]);
    }
}

/* The outputs are views: of a leaf, of a computed value, of nothing (empty), of one element. */
static void outputs_that_are_views(void **state) {
    (void)state;
    EACH_DTYPE(d) {
        fsr_node x = data(dtypes[d], 2, SHAPE(9, 35)), y = computed(dtypes[d], 2, SHAPE(9, 35));
        fsr_node out[] = {fsr_transpose(x, NULL),
                          fsr_transpose(y, NULL),
                          fsr_slice(y, 0, 4, 4, 1),
                          fsr_broadcast_to(fsr_slice(y, 1, 3, 4, 1), 2, SHAPE(9, 50)),
                          fsr_reshape(x, 1, SHAPE(-1)),
                          fsr_slice(x, 1, -1, FSR_SLICE_END, -4),
                          fsr_broadcast_to(fsr_sum(y, NULL, 0, 0), 3, SHAPE(2, 3, 4))};
        subject_verify(out, COUNT_OF(out), NULL, "views of %s as outputs", fsr_dtype_name(dtypes[d]));
    }
}

static const struct CMUnitTest tests[] = {
    SUBJECT_CASES(plus_its_transpose),
    SUBJECT_CASES(all_turned),
    SUBJECT_CASES(turned_under_guards),
    SUBJECT_CASES(flips_and_slices),
    SUBJECT_CASES(stencils),
    SUBJECT_CASES(reshapes),
    SUBJECT_CASES(folds),
    SUBJECT_CASES(eight_dimensions),
    SUBJECT_CASES(sections_of_repeats),
    SUBJECT_CASES(outputs_that_are_views),
};
SUBJECT_MAIN(tests)

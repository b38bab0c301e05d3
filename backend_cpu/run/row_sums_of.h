/* SPDX-License-Identifier: MIT */
/* The loops of row_sums.c for a dtype: T its elements, WIDE what they are added as, INDEX the dtype of offsets and
 * columns, and NAME. */

/* Adds n elements, times `taken` of products, to lanes. It is part of its callers: of rows of 16 elements the call and
 * the lanes in memory took 40 % of the time. */
static inline __attribute__((always_inline)) void NAME(add)(const T *value, const T *taken, int64_t n, bool product,
                                                            WIDE *lane) {
    int64_t i = 0;
#define TERM(k) (product ? (WIDE)value[k] * (WIDE)taken[k] : (WIDE)value[k])
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++)
            lane[k] += TERM(i + k);
    for (; i < n; i++)
        lane[0] += TERM(i);
#undef TERM
}

static inline WIDE NAME(all)(const WIDE *lane) {
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

/* What products take from afar, while what lies side by side is fetched ahead. */
static inline void NAME(take)(const row_job *j, T *taken, int64_t begin, int64_t n) {
    const T *value = (const T *)j->values + begin, *x = j->x;
    const INDEX *column = (const INDEX *)j->columns + begin;
    for (int64_t at = 0; at < n; at += LINE) {
        const int64_t end = n - at < LINE ? n : at + LINE;
        for (size_t byte = 0; byte < LINE * sizeof(T); byte += LINE_BYTES)
            __builtin_prefetch((const char *)(value + at + AHEAD) + byte);
        for (size_t byte = 0; byte < LINE * sizeof(INDEX); byte += LINE_BYTES)
            __builtin_prefetch((const char *)(column + at + AHEAD) + byte);
        for (int64_t i = at; i < end; i++)
            taken[i] = x[column[i]];
    }
}

/* At most PIECE elements. */
static WIDE NAME(piece)(const row_job *j, int64_t begin, int64_t n) {
    const T *value = (const T *)j->values + begin;
    WIDE lane[LANES] = {0};
    T taken[STRIP];
    if (!j->columns) {
        NAME(add)(value, NULL, n, false, lane);
        return NAME(all)(lane);
    }
    for (int64_t at = 0, m; at < n; at += m) {
        m = n - at < STRIP ? n - at : STRIP;
        NAME(take)(j, taken, begin + at, m);
        NAME(add)(value + at, taken, m, true, lane);
    }
    return NAME(all)(lane);
}

/* Two whole pieces of a segment, each as if it were alone: the lanes of one would wait for their own additions. */
static void NAME(two)(const T *value, WIDE *sums) {
    WIDE lane[LANES] = {0}, other[LANES] = {0};
    for (int64_t i = 0; i < PIECE; i += LANES) {
        for (int k = 0; k < LANES; k++)
            lane[k] += (WIDE)value[i + k];
        for (int k = 0; k < LANES; k++)
            other[k] += (WIDE)value[PIECE + i + k];
    }
    sums[0] = NAME(all)(lane);
    sums[1] = NAME(all)(other);
}

/* Pieces [from, to) of a row. */
static void NAME(pieces)(const row_job *j, int64_t from, int64_t to, void *sums) {
    int64_t p = from, at = p * PIECE;
    for (; !j->columns && p + 2 <= to && at + 2 * PIECE <= j->n; p += 2, at += 2 * PIECE)
        NAME(two)((const T *)j->values + j->begin + at, (WIDE *)sums + (p - from));
    for (; p < to; p++, at += PIECE)
        ((WIDE *)sums)[p - from] = NAME(piece)(j, j->begin + at, j->n - at < PIECE ? j->n - at : PIECE);
}

/* *sum: of the pieces before, 0 at first. */
static void NAME(join)(const row_job *j, int64_t row, const void *sums, int64_t n, void *sum) {
    WIDE all = *(WIDE *)sum;
    for (int64_t p = 0; p < n; p++)
        all += ((const WIDE *)sums)[p];
    *(WIDE *)sum = all;
    ((T *)j->out)[row] = (T)all;
}

/* Of fewer elements than there are lanes: lane 0 alone. The others' zeros add nothing to a sum that began with one.
 * Without a loop: rows of 3 took half of their instructions for its turns. */
static inline __attribute__((always_inline)) WIDE NAME(few)(const T *value, const T *taken, int64_t n, bool product) {
#define TERM(k) (product ? (WIDE)value[k] * (WIDE)taken[k] : (WIDE)value[k])
    _Static_assert(LANES == 4, "a row of fewer elements has 3 at most");
    WIDE sum = 0;
    if (n > 0)
        sum += TERM(0);
    if (n > 1)
        sum += TERM(1);
    if (n > 2)
        sum += TERM(2);
#undef TERM
    return sum;
}

/* As many rows as there are lanes, each of n elements, fewer than that. */
static inline __attribute__((always_inline)) void NAME(alike)(const T *value, const T *taken, int n, bool product,
                                                              T *out) {
#pragma GCC unroll 4
    for (int row = 0; row < LANES; row++)
        out[row] = (T)NAME(few)(value + row * n, product ? taken + row * n : NULL, n, product);
}

/* The next rows, as many as there are lanes, are of n elements each: false, they are not. Without loops whose turns
 * differ they take half of the time, and segments of three are often all alike. */
static inline __attribute__((always_inline)) bool NAME(together)(const INDEX *offset, const T *value, const T *taken,
                                                                 int64_t n, bool product, T *out) {
    const int64_t at = offset[0];
    if (offset[4] - at != 4 * n || offset[3] - at != 3 * n || offset[2] - at != 2 * n)
        return false;
    if (n == 3)
        NAME(alike)(value, taken, 3, product, out);
    else if (n == 2)
        NAME(alike)(value, taken, 2, product, out);
    else if (n == 1)
        NAME(alike)(value, taken, 1, product, out);
    return n > 0;
}

/* Rows of fewer elements than there are lanes, one behind the other; taken: as below. Returns the row behind them. It
 * is no part of the loop below, whose lanes would then be in memory. */
static __attribute__((noinline)) int64_t NAME(tiny)(const row_job *j, int64_t row, int64_t end, const T *taken) {
    const INDEX *offset = j->offsets;
    const T *value = j->values;
    T *out = j->out;
    for (int64_t at = offset[row], next, begin = at; row < end; row++, at = next) {
        next = offset[row + 1];
        const int64_t n = next - at;
        const T *const with = taken ? taken + (at - begin) : NULL;
        if (n >= LANES)
            break;
        if (row + LANES <= end && NAME(together)(offset + row, value + at, with, n, taken != NULL, out + row)) {
            row += LANES - 1;
            next = offset[row + 1];
        } else {
            out[row] = (T)NAME(few)(value + at, with, n, taken != NULL);
        }
    }
    return row;
}

/* Rows of a strip or less, one behind the other. taken: what their products take; NULL: there are none. Returns the row
 * behind them. */
static inline int64_t NAME(brief)(const row_job *j, int64_t row, int64_t end, const T *taken) {
    const INDEX *offset = j->offsets;
    const T *value = j->values;
    T *out = j->out;
    const int64_t begin = offset[row];
    while (row < end) {
        const int64_t at = offset[row], n = offset[row + 1] - at;
        WIDE lane[LANES] = {0};
        if (n > STRIP)
            break;
        if (n < LANES) {
            row = NAME(tiny)(j, row, end, taken ? taken + (at - begin) : NULL);
            continue;
        }
        NAME(add)(value + at, taken ? taken + (at - begin) : NULL, n, taken != NULL, lane);
        out[row++] = (T)NAME(all)(lane);
    }
    return row;
}

/* The row behind those that are a strip together. */
static inline int64_t NAME(behind)(const row_job *j, int64_t row, int64_t end) {
    const INDEX *offset = j->offsets;
    const int64_t begin = offset[row];
    while (row < end && offset[row + 1] >= offset[row] && offset[row + 1] - begin <= STRIP)
        row++;
    return row;
}

/* A row whose offset behind it is before its own has no elements. */
static void NAME(rows)(const row_job *j, int64_t row, int64_t end, skipped_rows *skipped) {
    const INDEX *offset = j->offsets;
    T taken[STRIP];
    while (row < end) {
        const int64_t last = j->columns ? NAME(behind)(j, row, end) : end, begin = offset[row];
        if (j->columns)
            NAME(take)(j, taken, begin, offset[last] - begin);
        row = j->columns ? NAME(brief)(j, row, last, taken) : NAME(brief)(j, row, last, NULL);
        const int64_t n = row < end ? offset[row + 1] - offset[row] : 0;
        if (n > PIECE)
            skip(skipped, row);
        else if (n > STRIP)
            ((T *)j->out)[row] = (T)NAME(piece)(j, offset[row], n);
        else if (n < 0)
            ((T *)j->out)[row] = 0;
        row += n > STRIP || n < 0;
    }
}

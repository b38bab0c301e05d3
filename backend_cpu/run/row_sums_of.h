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

/* Pieces [from, to) of a row. */
static void NAME(pieces)(const row_job *j, int64_t from, int64_t to, void *sums) {
    for (int64_t p = from, at = p * PIECE; p < to; p++, at += PIECE)
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

/* Rows of a strip or less, one behind the other. taken: what their products take; NULL: there are none. Returns the row
 * behind them. */
static inline int64_t NAME(brief)(const row_job *j, int64_t row, int64_t end, const T *taken) {
    const INDEX *offset = j->offsets;
    const T *value = j->values;
    T *out = j->out;
    const int64_t begin = offset[row];
    for (; row < end; row++) {
        const int64_t at = offset[row], n = offset[row + 1] - at;
        WIDE lane[LANES] = {0};
        if (n > STRIP)
            break;
        NAME(add)(value + at, taken ? taken + (at - begin) : NULL, n, taken != NULL, lane);
        out[row] = (T)NAME(all)(lane);
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
static void NAME(rows)(const row_job *j, int64_t row, int64_t end, atomic_bool *skipped) {
    const INDEX *offset = j->offsets;
    T taken[STRIP];
    while (row < end) {
        const int64_t last = j->columns ? NAME(behind)(j, row, end) : end, begin = offset[row];
        if (j->columns)
            NAME(take)(j, taken, begin, offset[last] - begin);
        row = j->columns ? NAME(brief)(j, row, last, taken) : NAME(brief)(j, row, last, NULL);
        const int64_t n = row < end ? offset[row + 1] - offset[row] : 0;
        if (n > PIECE)
            atomic_store_explicit(skipped, true, memory_order_relaxed);
        else if (n > STRIP)
            ((T *)j->out)[row] = (T)NAME(piece)(j, offset[row], n);
        else if (n < 0)
            ((T *)j->out)[row] = 0;
        row += n > STRIP || n < 0;
    }
}

/* SPDX-License-Identifier: MIT */
/* The loops of row_sums.c for a dtype: T its elements, WIDE what they are added as, INDEX the dtype of offsets and
 * columns, and NAME. `terms` is a constant in each: BY_TERMS has them three times. */

#define COLUMNS(at) (terms == ALONE ? NULL : (const INDEX *)j->columns + (at))
#define ASK_X(at, n)                              \
    for (int a = 0; a < (n) && terms == FAR; a++) \
    __builtin_prefetch(x + coming[(at) + a], 0, 2)
#define TERM(k) (terms == ALONE ? (WIDE)value[k] : (WIDE)value[k] * (WIDE)x[column[k]])

/* Asks for the values and columns that come so far after those before `end`, a line of each at a time. *asked: the
 * element behind those that were asked for. */
static inline __attribute__((always_inline)) void NAME(ask)(row_terms terms, const row_job *j, int64_t end,
                                                            int64_t *asked) {
    for (; terms != ALONE && *asked < end; *asked += LINE) {
        const char *value = (const char *)((const T *)j->values + *asked + AHEAD);
        const char *column = (const char *)(COLUMNS(*asked) + AHEAD + FAR_AHEAD);
        for (size_t byte = 0; byte < LINE * sizeof(T); byte += LINE_BYTES)
            __builtin_prefetch(value + byte);
        for (size_t byte = 0; byte < LINE * sizeof(INDEX); byte += LINE_BYTES)
            __builtin_prefetch(column + byte);
    }
}

/* What products of the next n elements take is far away, but not where their first and last columns lie near each
 * other. */
static row_terms NAME(terms)(const row_job *j, int64_t at, int64_t n) {
    const INDEX *column = j->terms == FAR ? (const INDEX *)j->columns + at : NULL;
    n = n < PROBE ? n : PROBE;
    if (!column || n <= 0)
        return j->terms;
    const int64_t apart = (int64_t)column[n - 1] - (int64_t)column[0];
    return apart > APART * n || apart < -APART * n ? FAR : NEAR;
}

/* The columns at which x is asked for while n elements from `at` on are added: those that come, where there are any. */
static inline const INDEX *NAME(coming)(const row_job *j, int64_t at, int64_t n) {
    return (const INDEX *)j->columns + at + (n > 0 && j->elements - at - n >= FAR_AHEAD ? FAR_AHEAD : 0);
}

/* Adds n elements from `at` on to lanes. It is part of its callers: of rows of 16 elements the call and the lanes in
 * memory took 40 % of the time. */
static inline __attribute__((always_inline)) void NAME(add)(row_terms terms, const row_job *j, int64_t at, int64_t n,
                                                            WIDE *lane) {
    const T *value = (const T *)j->values + at, *x = j->x;
    const INDEX *column = COLUMNS(at), *coming = terms == FAR ? NAME(coming)(j, at, n) : NULL;
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        ASK_X(i, LANES);
        for (int k = 0; k < LANES; k++)
            lane[k] += TERM(i + k);
    }
    for (; i < n; i++) {
        ASK_X(i, 1);
        lane[0] += TERM(i);
    }
}

static inline WIDE NAME(all)(const WIDE *lane) {
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

/* At most PIECE elements, in strips. */
static inline __attribute__((always_inline)) WIDE NAME(strips)(row_terms terms, const row_job *j, int64_t begin,
                                                               int64_t n) {
    WIDE lane[LANES] = {0};
    int64_t asked = begin;
    for (int64_t at = 0, m; at < n; at += m) {
        m = terms == ALONE || n - at < STRIP ? n - at : STRIP;
        NAME(ask)(terms, j, begin + at + m, &asked);
        NAME(add)(terms, j, begin + at, m, lane);
    }
    return NAME(all)(lane);
}

/* It is no part of the loop over rows, as `tiny` is none. */
static __attribute__((noinline)) WIDE NAME(piece)(const row_job *j, int64_t begin, int64_t n) {
    const row_terms terms = NAME(terms)(j, begin, n);
    return BY_TERMS(NAME(strips), j, begin, n);
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
static inline __attribute__((always_inline)) WIDE NAME(few)(row_terms terms, const T *value, const INDEX *column,
                                                            const T *x, int64_t n) {
    _Static_assert(LANES == 4, "a row of fewer elements has 3 at most");
    WIDE sum = 0;
    if (n > 0)
        sum += TERM(0);
    if (n > 1)
        sum += TERM(1);
    if (n > 2)
        sum += TERM(2);
    return sum;
}

/* As many rows as there are lanes, each of n elements, fewer than that. */
static inline __attribute__((always_inline)) void NAME(alike)(row_terms terms, const T *value, const INDEX *column,
                                                              const T *x, int n, T *out) {
#pragma GCC unroll 4
    for (int row = 0; row < LANES; row++)
        out[row] = (T)NAME(few)(terms, value + row * n, terms == ALONE ? NULL : column + row * n, x, n);
}

/* The next rows, as many as there are lanes, are of n elements each: false, they are not. Without loops whose turns
 * differ they take half of the time, and segments of three are often all alike. */
static inline __attribute__((always_inline)) bool NAME(together)(row_terms terms, const INDEX *offset, const T *value,
                                                                 const INDEX *column, const T *x, int64_t n, T *out) {
    const int64_t at = offset[0];
    if (offset[4] - at != 4 * n || offset[3] - at != 3 * n || offset[2] - at != 2 * n)
        return false;
    if (n == 3)
        NAME(alike)(terms, value, column, x, 3, out);
    else if (n == 2)
        NAME(alike)(terms, value, column, x, 2, out);
    else if (n == 1)
        NAME(alike)(terms, value, column, x, 1, out);
    return n > 0;
}

/* Rows of fewer elements than there are lanes, one behind the other. Returns the row behind them. */
static inline __attribute__((always_inline)) int64_t NAME(tiny_ones)(row_terms terms, const row_job *j, int64_t row,
                                                                     int64_t end) {
    const INDEX *offset = j->offsets;
    const T *x = j->x;
    T *out = j->out;
    int64_t asked = offset[row];
    for (int64_t at = offset[row], next; row < end; row++, at = next) {
        next = offset[row + 1];
        const int64_t n = next - at;
        const T *value = (const T *)j->values + at;
        const INDEX *column = COLUMNS(at);
        if (n >= LANES)
            break;
        if (row + LANES <= end && NAME(together)(terms, offset + row, value, column, x, n, out + row)) {
            row += LANES - 1;
            next = offset[row + 1];
        } else {
            out[row] = (T)NAME(few)(terms, value, column, x, n);
        }
        NAME(ask)(terms, j, next, &asked);
        const INDEX *coming = terms == FAR ? NAME(coming)(j, at, next - at) : NULL;
        for (int64_t i = 0; terms == FAR && i < next - at; i++)
            __builtin_prefetch(x + coming[i], 0, 2);
    }
    return row;
}

/* It is no part of the loop below, whose lanes would then be in memory. */
static __attribute__((noinline)) int64_t NAME(tiny)(row_terms terms, const row_job *j, int64_t row, int64_t end) {
    return BY_TERMS(NAME(tiny_ones), j, row, end);
}

/* Rows of a piece or less, one behind the other. Returns the row behind them. */
static inline __attribute__((always_inline)) int64_t NAME(brief)(row_terms terms, const row_job *j, int64_t row,
                                                                 int64_t end) {
    const INDEX *offset = j->offsets;
    T *out = j->out;
    int64_t asked = offset[row];
    while (row < end) {
        const int64_t at = offset[row], n = offset[row + 1] - at;
        WIDE lane[LANES] = {0};
        if (n > PIECE)
            break;
        if (n < LANES) {
            row = NAME(tiny)(terms, j, row, end);
            continue;
        }
        if (terms != ALONE && n > STRIP) {
            out[row++] = (T)NAME(piece)(j, at, n);
            continue;
        }
        NAME(ask)(terms, j, at + n, &asked);
        NAME(add)(terms, j, at, n, lane);
        out[row++] = (T)NAME(all)(lane);
    }
    return row;
}

/* Asks for what comes so far after this value and this column. */
static inline __attribute__((always_inline)) void NAME(ask_line)(row_terms terms, const T *value, const INDEX *column) {
    if (terms == ALONE)
        return;
    __builtin_prefetch(value + AHEAD);
    __builtin_prefetch(column + AHEAD + FAR_AHEAD);
}

/* The term, or 0, without a branch. */
static inline WIDE NAME(if_is)(WIDE term, bool is) {
    uint64_t word[sizeof term / sizeof(uint64_t)];
    memcpy(word, &term, sizeof term);
    for (size_t i = 0; i < sizeof term / sizeof *word; i++)
        word[i] &= -(uint64_t)is;
    memcpy(&term, word, sizeof term);
    return term;
}

/* The same of rows whose lengths differ from one to the next, up to the last few elements. How many times there are
 * lanes is the only branch, which the processor guesses wrong; what is left over is added with zeros. Counter-example
 * to loops: 2^24 products in rows of 0 to 6 took 79 ms, these 51, in rows of 0 to 32 29 and 17. */
static inline __attribute__((always_inline)) int64_t NAME(mixed)(row_terms terms, const row_job *j, int64_t row,
                                                                 int64_t end) {
    const INDEX *offset = j->offsets;
    const T *x = j->x;
    T *out = j->out;
    for (; row < end; row++) {
        const int64_t at = offset[row], next = offset[row + 1], n = next - at;
        const T *value = (const T *)j->values + at;
        const INDEX *column = COLUMNS(at), *coming = terms == FAR ? NAME(coming)(j, at, n + LANES) : NULL;
        WIDE lane[LANES] = {0};
        int64_t i = 0;
        if (n > PIECE || (at > next ? at : next) > j->elements - LANES)
            break;
        for (; i + LANES <= n; i += LANES) {
            NAME(ask_line)(terms, value + i, column + i);
            ASK_X(i, LANES);
            for (int k = 0; k < LANES; k++)
                lane[k] += TERM(i + k);
        }
        NAME(ask_line)(terms, value + i, column + i);
        ASK_X(i, LANES - 1);
#pragma GCC unroll 3
        for (int k = 0; k < LANES - 1; k++)
            lane[0] += NAME(if_is)(TERM(i + k), i + k < n);
        out[row] = (T)NAME(all)(lane);
    }
    return row;
}

/* More than a quarter of the first rows is longer or shorter than the row before by more than one. */
static bool NAME(differ)(const INDEX *offset, int64_t rows) {
    int changes = 0;
    for (int64_t i = 1; i < LOOK && i < rows; i++)
        changes += llabs((int64_t)offset[i + 1] - 2 * (int64_t)offset[i] + (int64_t)offset[i - 1]) > 1;
    return changes > LOOK / 4;
}

/* A row whose offset behind it is before its own has no elements; one of more than a piece is left. */
static void NAME(rows)(const row_job *j, int64_t row, int64_t end, skipped_rows *skipped) {
    const INDEX *offset = j->offsets;
    while (row < end) {
        const int64_t some = end - row < SOME_ROWS ? end : row + SOME_ROWS;
        const row_terms terms = NAME(terms)(j, offset[row], offset[some] - offset[row]);
        if (NAME(differ)(offset + row, some - row))
            row = BY_TERMS(NAME(mixed), j, row, some);
        row = BY_TERMS(NAME(brief), j, row, some);
        if (row < some)
            skip(skipped, row++);
    }
}

#undef COLUMNS
#undef ASK_X
#undef TERM

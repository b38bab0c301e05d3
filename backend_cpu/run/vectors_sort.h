/* SPDX-License-Identifier: MIT */
/* Quicksort and quickselect by vectors, for one type of words; included once for each type and instruction set.
 *
 * A partition takes the outermost words of both ends into a buffer; then there is as much room at the two ends together
 * as it took, it reads from the end that has less, so that the other has enough, and puts what is not greater than the
 * pivot to the left, the rest to the right. At most WORDS words are sorted by a network: each vector by itself, then
 * neighbours are merged, the second one mirrored, so that every exchange goes the same way.
 *
 * Where no word is greater than the pivot, those that equal it go right: they are done. Counter-example to going on
 * with the whole: words that are all equal would never end.
 *
 * WORD, BITS, LEAST, MOST   the type, that of its bits, and its bounds
 * NAME(x), TARGET     names of this inclusion's functions, and their attribute
 * VECTOR, LANES       a vector, and its words
 * LOAD(p), STORE(p, v), ALL(x), MIN(a, b), MAX(a, b)
 * TURN(v, m)          lane l is lane l ^ m
 * UPPER(low, high, m) lanes l with l & m of high, the others of low
 * SPLIT(v, pivot, left, right)  stores the words that are not greater from *left on and the others in front of *right,
 *                     and moves both; it may write a whole vector at either */

#if defined __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif
#define HERE static inline __attribute__((always_inline)) TARGET
enum {
    NAME(ROWS) = 16,
    NAME(WORDS) = NAME(ROWS) * LANES,
    NAME(SIDE) = 4 * LANES,
    NAME(SAMPLE) = 16,
    NAME(RANKS) = 64,
    NAME(BLOCK) = 64
};

/* ---- words --------------------------------------------------------------------------------------------------- */

/* Blocks of a known length in memory of their own, so that compilers see vectors. */
#define EACH_WORD(to, EXPRESSION)                         \
    const fsr_word_form f = *form;                        \
    BITS own[NAME(BLOCK)];                                \
    int64_t at = 0;                                       \
    for (; at + NAME(BLOCK) <= n; at += NAME(BLOCK)) {    \
        memcpy(own, in + at, sizeof own);                 \
        for (int i = 0; i < NAME(BLOCK); i++)             \
            own[i] = EXPRESSION;                          \
        memcpy(to + at, own, sizeof own);                 \
    }                                                     \
    memcpy(own, in + at, (size_t)(n - at) * sizeof *own); \
    for (int i = 0; i < (int)(n - at); i++)               \
        own[i] = EXPRESSION;                              \
    memcpy(to + at, own, (size_t)(n - at) * sizeof *own)
#define TURNED(u) ((u) ^ ((BITS)((WORD)(u) >> (8 * sizeof(WORD) - 1)) & (BITS)f.flip) ^ (BITS)f.turn)

TARGET static void NAME(enter)(const fsr_word_form *form, const BITS *in, int64_t n, WORD *out) {
    EACH_WORD(out, (own[i] & (BITS)f.magnitude) > (BITS)f.most ? (BITS)f.nan : TURNED(own[i]));
}

TARGET static void NAME(leave)(const fsr_word_form *form, const WORD *in, int64_t n, BITS *out) {
    EACH_WORD(out, TURNED(own[i]));
}

TARGET static void NAME(bounds)(const WORD *x, int64_t n, WORD *least, WORD *greatest) {
    const int64_t whole = n / LANES * LANES;
    VECTOR low = ALL(x[0]), high = low;
    WORD lows[LANES], highs[LANES];
    for (int64_t i = 0; i < whole; i += LANES) {
        const VECTOR own = LOAD(x + i);
        low = MIN(low, own);
        high = MAX(high, own);
    }
    STORE(lows, low);
    STORE(highs, high);
    for (int64_t i = whole; i < n; i++) {
        lows[0] = x[i] < lows[0] ? x[i] : lows[0];
        highs[0] = x[i] > highs[0] ? x[i] : highs[0];
    }
    for (int i = 1; i < LANES; i++) {
        lows[0] = lows[i] < lows[0] ? lows[i] : lows[0];
        highs[0] = highs[i] > highs[0] ? highs[i] : highs[0];
    }
    *least = lows[0];
    *greatest = highs[0];
}

/* ---- networks ------------------------------------------------------------------------------------------------ */

/* Lanes are compared with lanes l ^ m; those with l & bit take the greater word. */
#define EXCHANGE(v, m, bit)                               \
    do {                                                  \
        const VECTOR other_ = TURN(v, m);                 \
        (v) = UPPER(MIN(v, other_), MAX(v, other_), bit); \
    } while (0)

HERE VECTOR NAME(sort_lanes)(VECTOR v) {
    EXCHANGE(v, 1, 1);
    if (LANES > 2) {
        EXCHANGE(v, 3, 2);
        EXCHANGE(v, 1, 1);
    }
    if (LANES > 4) {
        EXCHANGE(v, 7, 4);
        EXCHANGE(v, 2, 2);
        EXCHANGE(v, 1, 1);
    }
    if (LANES > 8) {
        EXCHANGE(v, 15, 8);
        EXCHANGE(v, 4, 4);
        EXCHANGE(v, 2, 2);
        EXCHANGE(v, 1, 1);
    }
    return v;
}

/* Lanes that are bitonic. */
HERE VECTOR NAME(merge_lanes)(VECTOR v) {
    if (LANES > 8)
        EXCHANGE(v, 8, 8);
    if (LANES > 4)
        EXCHANGE(v, 4, 4);
    EXCHANGE(v, 2, 2);
    EXCHANGE(v, 1, 1);
    return v;
}

/* Runs of `rows` / 2 vectors in order become runs of `rows`. */
HERE void NAME(merge_rows)(VECTOR *v, int all, int rows) {
    UNROLL
    for (int b = 0; b < all; b += rows)
        UNROLL
    for (int i = 0; i < rows / 2; i++) {
        const VECTOR low = v[b + i], high = TURN(v[b + rows - 1 - i], LANES - 1);
        v[b + i] = MIN(low, high);
        v[b + rows - 1 - i] = TURN(MAX(low, high), LANES - 1);
    }
    UNROLL
    for (int apart = rows / 4; apart > 0; apart /= 2)
        UNROLL
    for (int b = 0; b < all; b += 2 * apart)
        UNROLL
    for (int i = b; i < b + apart; i++) {
        const VECTOR low = v[i], high = v[i + apart];
        v[i] = MIN(low, high);
        v[i + apart] = MAX(low, high);
    }
    UNROLL
    for (int i = 0; i < all; i++)
        v[i] = NAME(merge_lanes)(v[i]);
}

/* rows: a power of 2, up to ROWS; what is more than n is filled with the greatest word. */
HERE void NAME(network)(WORD *x, int64_t n, int rows) {
    VECTOR v[NAME(ROWS)];
    WORD last[LANES];
    const int whole = (int)(n / LANES), left = (int)(n % LANES);
    STORE(last, ALL(MOST));
    for (int i = 0; i < left; i++)
        last[i] = x[whole * LANES + i];
    UNROLL
    for (int i = 0; i < rows; i++)
        v[i] = NAME(sort_lanes)(i < whole ? LOAD(x + i * LANES) : i == whole ? LOAD(last) : ALL(MOST));
    UNROLL
    for (int run = 2; run <= rows; run *= 2)
        NAME(merge_rows)(v, rows, run);
    UNROLL
    for (int i = 0; i < rows; i++)
        if (i < whole)
            STORE(x + i * LANES, v[i]);
        else if (i == whole)
            STORE(last, v[i]);
    for (int i = 0; i < left; i++)
        x[whole * LANES + i] = last[i];
}

/* At most WORDS words. */
TARGET static void NAME(few)(WORD *x, int64_t n) {
    if (n <= LANES)
        NAME(network)(x, n, 1);
    else if (n <= 2 * LANES)
        NAME(network)(x, n, 2);
    else if (n <= 4 * LANES)
        NAME(network)(x, n, 4);
    else if (n <= 8 * LANES)
        NAME(network)(x, n, 8);
    else
        NAME(network)(x, n, 16);
}

/* ---- partition ----------------------------------------------------------------------------------------------- */

HERE void NAME(copy)(WORD *to, const WORD *from, int64_t n) {
    const int64_t whole = n / LANES * LANES;
    for (int64_t i = 0; i < whole; i += LANES)
        STORE(to + i, LOAD(from + i));
    for (int64_t i = whole; i < n; i++)
        to[i] = from[i];
}

/* The words of a buffer go where the row has room for exactly so many. */
TARGET static WORD *NAME(split_rest)(const WORD *word, int64_t n, WORD pivot, WORD *low) {
    WORD apart[4 * NAME(SIDE) + 2 * LANES], *left = apart, *right = apart + sizeof apart / sizeof *apart;
    const VECTOR p = ALL(pivot);
    int64_t i = 0, less;
    for (; i + LANES <= n; i += LANES)
        SPLIT(LOAD(word + i), p, left, right);
    for (; i < n; i++)
        if (word[i] <= pivot)
            *left++ = word[i];
        else
            *--right = word[i];
    less = left - apart;
    NAME(copy)(low, apart, less);
    NAME(copy)(low + less, right, n - less);
    return low + less;
}

/* Returns how many words are not greater than the pivot: these are first. */
TARGET static int64_t NAME(partition)(WORD *x, int64_t n, WORD pivot) {
    if (n < 2 * NAME(SIDE))
        return NAME(split_rest)(x, n, pivot, x) - x;
    WORD ends[3 * NAME(SIDE)];
    const VECTOR p = ALL(pivot);
    WORD *left = x, *right = x + n, *from = x + NAME(SIDE), *to = x + n - NAME(SIDE);
    NAME(copy)(ends, x, NAME(SIDE));
    NAME(copy)(ends + NAME(SIDE), to, NAME(SIDE));
    while (to - from >= NAME(SIDE)) {
        const WORD *at;
        if (from - left <= right - to) {
            at = from;
            from += NAME(SIDE);
        } else {
            at = to -= NAME(SIDE);
        }
        const VECTOR a = LOAD(at), b = LOAD(at + LANES), c = LOAD(at + 2 * LANES), d = LOAD(at + 3 * LANES);
        SPLIT(a, p, left, right);
        SPLIT(b, p, left, right);
        SPLIT(c, p, left, right);
        SPLIT(d, p, left, right);
    }
    NAME(copy)(ends + 2 * NAME(SIDE), from, to - from);
    return NAME(split_rest)(ends, 2 * NAME(SIDE) + (to - from), pivot, left) - x;
}

/* ---- sort and select ----------------------------------------------------------------------------------------- */

static void NAME(sink)(WORD *x, int64_t n, int64_t at) {
    const WORD own = x[at];
    for (int64_t child; (child = 2 * at + 1) < n; at = child) {
        child += child + 1 < n && x[child + 1] > x[child];
        if (x[child] <= own)
            break;
        x[at] = x[child];
    }
    x[at] = own;
}

static void NAME(heap)(WORD *x, int64_t n) {
    for (int64_t i = n / 2; i-- > 0;)
        NAME(sink)(x, n, i);
    for (int64_t i = n; i-- > 1;) {
        const WORD own = x[i];
        x[i] = x[0];
        x[0] = own;
        NAME(sink)(x, i, 0);
    }
}

/* Of `count` words, one of each even share, the one whose rank is k's share. */
HERE WORD NAME(pivot)(const WORD *x, int64_t n, int64_t k, int count) {
    WORD sample[NAME(RANKS)];
    const int64_t apart = n / count;
    for (int i = 0; i < count; i++)
        sample[i] = x[i * apart + fsr_vectors_place(n, i, apart)];
    NAME(few)(sample, count);
    const int64_t rank = k / apart;
    return sample[rank < count ? rank : count - 1];
}

/* Words that are not greater than the pivot, or than the greatest lesser word where all are: these come first. *done:
 * the others are all equal. */
HERE int64_t NAME(divide)(WORD *x, int64_t n, WORD pivot, bool *done) {
    const int64_t less = NAME(partition)(x, n, pivot);
    *done = less == n;
    if (less < n)
        return less;
    return pivot == LEAST ? 0 : NAME(partition)(x, n, (WORD)(pivot - 1));
}

TARGET static void NAME(sort)(WORD *x, int64_t n, int depth) {
    while (n > NAME(WORDS)) {
        bool done;
        if (depth-- <= 0) {
            NAME(heap)(x, n);
            return;
        }
        const int64_t less = NAME(divide)(x, n, NAME(pivot)(x, n, n / 2, NAME(SAMPLE)), &done);
        if (done) {
            n = less;
        } else if (less < n - less) {
            NAME(sort)(x, less, depth);
            x += less;
            n -= less;
        } else {
            NAME(sort)(x + less, n - less, depth);
            n = less;
        }
    }
    NAME(few)(x, n);
}

TARGET static void NAME(select)(WORD *x, int64_t n, int64_t k, int depth) {
    while (n > NAME(WORDS)) {
        bool done;
        if (depth-- <= 0) {
            NAME(heap)(x, n);
            return;
        }
        const WORD pivot = n > 8 * NAME(RANKS) ? NAME(pivot)(x, n, k, NAME(RANKS)) : NAME(pivot)(x, n, k, NAME(SAMPLE));
        const int64_t less = NAME(divide)(x, n, pivot, &done);
        if (k < less) {
            n = less;
        } else if (done) {
            return;
        } else {
            x += less;
            n -= less;
            k -= less;
        }
    }
    NAME(few)(x, n);
}

#undef HERE
#undef UNROLL
#undef EXCHANGE
#undef WORD
#undef BITS
#undef EACH_WORD
#undef TURNED
#undef LEAST
#undef MOST
#undef NAME
#undef VECTOR
#undef LANES
#undef LOAD
#undef STORE
#undef ALL
#undef MIN
#undef MAX
#undef TURN
#undef UPPER
#undef SPLIT

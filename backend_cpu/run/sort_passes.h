/* SPDX-License-Identifier: MIT */
/* A radix sort, stable, for one type of items; included once for each.
 *
 * A row is sorted by digits of its keys from the lowest up, to and fro between two buffers; digits that all items share
 * are left out. A long row is split first, by the highest bits in which its keys differ: its parts count how often they
 * have each value of these, from which each knows where its items go; parts do not meet, so threads take them as they
 * come, and then the buckets, each of which fits a cache. Counter-example to digits alone: of 2^24 items each pass
 * reads and writes memory.
 *
 * ITEM          the type; NAME(x): names of this inclusion's functions
 * KEY(f, x)     the unsigned word of an item whose digits count
 * ENTER(f, x)   an item of what is read first
 * LEAVE(s, i, x) puts item x, rank i, into the results
 * FILLED        buffer 0 has the items; else they are read from somewhere else, and buffer 1 is the results */

/* A long row while it is split. */
typedef struct NAME(split) {
    fsr_sort *s;
    const ITEM *from;
    ITEM *to, *other;
    int shift;
    atomic_ullong some, all; /* bits that some key has, and that all have */
    atomic_int next;
} NAME(split);

static void NAME(bounds)(const fsr_sort *s, int part, int64_t *low, int64_t *high) {
    *low = s->n / s->parts * part;
    *high = part == s->parts - 1 ? s->n : *low + s->n / s->parts;
}

/* A short row, in place. */
static void NAME(insert)(const fsr_key_form *f, ITEM *x, int64_t n) {
    (void)f;
    for (int64_t i = 1; i < n; i++) {
        const ITEM own = x[i];
        int64_t at = i;
        for (; at > 0 && KEY(f, x[at - 1]) > KEY(f, own); at--)
            x[at] = x[at - 1];
        x[at] = own;
    }
}

/* Counts of a digit become first places. False: all items have one value of it. */
static bool NAME(place)(size_t *count, int values, size_t n) {
    size_t sum = 0;
    for (int v = 0; v < values; v++) {
        const size_t own = count[v];
        if (own == n)
            return false;
        count[v] = sum;
        sum += own;
    }
    return true;
}

/* The digits, of `width` bits, below `bits` in which items differ, with their first places. Returns how many. */
static int NAME(digits)(const fsr_key_form *f, const ITEM *x, int64_t n, int bits, int width,
                        size_t count[FSR_SORT_WORDS][FSR_DIGITS], int *digit) {
    const int most = (bits + width - 1) / width, values = 1 << width;
    const uint64_t mask = (uint64_t)values - 1;
    int found = 0;
    (void)f;
    for (int d = 0; d < most; d++)
        memset(count[d], 0, sizeof **count * (size_t)values);
    for (int d = 0; d + 1 < most; d += 2)
        for (int64_t i = 0; i < n; i++) {
            const uint64_t key = (uint64_t)KEY(f, x[i]) >> (width * d);
            count[d][key & mask]++;
            count[d + 1][key >> width & mask]++;
        }
    for (int64_t i = 0; most % 2 && i < n; i++)
        count[most - 1][(uint64_t)KEY(f, x[i]) >> (width * (most - 1)) & mask]++;
    for (int d = 0; d < most; d++)
        if (NAME(place)(count[d], values, (size_t)n))
            digit[found++] = d;
    return found;
}

/* n items at x, of ranks from `rank` on, whose keys differ in the lowest bits alone. Where other is the results, the
 * last pass must not read it: an even number of passes begins there. */
static void NAME(settle)(fsr_sort *s, ITEM *x, ITEM *other, int64_t rank, int64_t n, int bits) {
    size_t count[FSR_SORT_WORDS][FSR_DIGITS];
    int digit[FSR_SORT_WORDS];
    const int most = (bits + FSR_DIGIT_BITS - 1) / FSR_DIGIT_BITS;
    const int width = n < FSR_SORT_WIDE || bits == 0 ? 8 : (bits + most - 1) / most;
    const uint64_t mask = (UINT64_C(1) << width) - 1;
    if (n <= FSR_SORT_SHORT)
        NAME(insert)(&s->form, x, n);
    const int passes = n <= FSR_SORT_SHORT ? 0 : NAME(digits)(&s->form, x, n, bits, width, count, digit);
    ITEM *from = x, *to = other;
    if (!FILLED && passes > 0 && passes % 2 == 0) {
        memcpy(other, x, sizeof *x * (size_t)n);
        from = other;
        to = x;
    }
    for (int p = 0; p < passes - 1; p++) {
        size_t *at = count[digit[p]];
        for (int64_t i = 0; i < n; i++)
            to[at[(uint64_t)KEY(&s->form, from[i]) >> (width * digit[p]) & mask]++] = from[i];
        ITEM *const last = from;
        from = to;
        to = last;
    }
    size_t *at = passes ? count[digit[passes - 1]] : NULL;
    for (int64_t i = 0; i < n; i++) {
        const ITEM own = from[i];
        const int64_t to_rank =
            at ? (int64_t)at[(uint64_t)KEY(&s->form, own) >> (width * digit[passes - 1]) & mask]++ : i;
        LEAVE(s, rank + to_rank, own);
    }
}

/* ---- long rows --------------------------------------------------------------------------------------------- */

static void NAME(look)(void *arg, int worker) {
    NAME(split) *p = arg;
    (void)worker;
    for (int part; (part = atomic_fetch_add(&p->next, 1)) < p->s->parts;) {
        int64_t low, high;
        uint64_t some = 0, all = ~UINT64_C(0);
        NAME(bounds)(p->s, part, &low, &high);
        for (int64_t i = low; i < high; i++) {
            const ITEM x = ENTER(&p->s->form, p->from[i]);
            some |= KEY(&p->s->form, x);
            all &= KEY(&p->s->form, x);
        }
        atomic_fetch_or(&p->some, some);
        atomic_fetch_and(&p->all, all);
    }
}

static void NAME(count)(void *arg, int worker) {
    NAME(split) *p = arg;
    (void)worker;
    for (int part; (part = atomic_fetch_add(&p->next, 1)) < p->s->parts;) {
        int64_t *count = p->s->count[part], low, high;
        memset(count, 0, sizeof *p->s->count);
        NAME(bounds)(p->s, part, &low, &high);
        for (int64_t i = low; i < high; i++) {
            const ITEM x = ENTER(&p->s->form, p->from[i]);
            count[(uint64_t)KEY(&p->s->form, x) >> p->shift & (FSR_BUCKETS - 1)]++;
        }
    }
}

static void NAME(move)(void *arg, int worker) {
    NAME(split) *p = arg;
    (void)worker;
    for (int part; (part = atomic_fetch_add(&p->next, 1)) < p->s->parts;) {
        int64_t *at = p->s->count[part], low, high;
        NAME(bounds)(p->s, part, &low, &high);
        for (int64_t i = low; i < high; i++) {
            const ITEM x = ENTER(&p->s->form, p->from[i]);
            p->to[at[(uint64_t)KEY(&p->s->form, x) >> p->shift & (FSR_BUCKETS - 1)]++] = x;
        }
    }
}

/* After the move the last part's place of a bucket is its end. */
static void NAME(finish)(void *arg, int worker) {
    NAME(split) *p = arg;
    const int64_t *end = p->s->count[p->s->parts - 1];
    (void)worker;
    for (int b; (b = atomic_fetch_add(&p->next, 1)) < FSR_BUCKETS;) {
        const int64_t low = b ? end[b - 1] : 0;
        NAME(settle)(p->s, p->to + low, p->other + low, low, end[b] - low, p->shift);
    }
}

static void NAME(run)(NAME(split) * p, void (*work)(void *, int)) {
    atomic_store(&p->next, 0);
    if (p->s->threads)
        fsr_thread_pool_run(p->s->threads, work, p);
    else
        work(p, 0);
}

static void NAME(first_places)(const fsr_sort *s) {
    int64_t sum = 0;
    for (int b = 0; b < FSR_BUCKETS; b++)
        for (int part = 0; part < s->parts; part++) {
            const int64_t own = s->count[part][b];
            s->count[part][b] = sum;
            sum += own;
        }
}

static void NAME(sort_long)(fsr_sort *s, const ITEM *from, ITEM *to, ITEM *other) {
    NAME(split) p = {.s = s, .from = from, .to = to, .other = other};
    atomic_init(&p.some, 0);
    atomic_init(&p.all, ~0ULL);
    NAME(run)(&p, NAME(look));
    const uint64_t differ = atomic_load(&p.some) ^ atomic_load(&p.all);
    const int highest = differ ? 63 - __builtin_clzll(differ) : 0;
    p.shift = highest < FSR_BUCKET_BITS ? 0 : highest - FSR_BUCKET_BITS + 1;
    NAME(run)(&p, NAME(count));
    NAME(first_places)(s);
    NAME(run)(&p, NAME(move));
    NAME(run)(&p, NAME(finish));
}

#undef ITEM
#undef NAME
#undef KEY
#undef ENTER
#undef LEAVE
#undef FILLED

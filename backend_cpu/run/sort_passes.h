/* SPDX-License-Identifier: MIT */
/* A radix sort from the lowest digit up, stable, for one type of items; included once for each.
 *
 * A row has parts. For each digit that not all items share, the parts count how often they have each value of it; from these
 * counts each knows where its items go, and takes them there. Parts do not meet, so threads take them as they come.
 * Counter-example to counting all digits once: after the first pass a part holds other items.
 *
 * ITEM          the type; NAME(x): names of this inclusion's functions
 * KEY(f, x)     the unsigned word of an item whose digits count
 * ENTER(f, x)   an item of what the first pass reads
 * LEAVE(s, i, x) puts item x, rank i, into the results
 * FILLED        the first pass reads buffer 0; else something else, and buffer 1 may be the results */

typedef struct NAME(passes) {
    fsr_sort *s;
    const ITEM *from;
    ITEM *to;
    int digit;
    bool first, last;
    atomic_int next;
} NAME(passes);

static void NAME(bounds)(const fsr_sort *s, int part, int64_t *low, int64_t *high) {
    *low = s->n / s->parts * part;
    *high = part == s->parts - 1 ? s->n : *low + s->n / s->parts;
}

/* All digits of a part, before anything moves. */
static void NAME(count_all)(void *arg, int worker) {
    NAME(passes) *p = arg;
    fsr_sort *s = p->s;
    (void)worker;
    for (int part; (part = atomic_fetch_add(&p->next, 1)) < s->parts;) {
        int64_t(*count)[FSR_DIGITS] = s->count + (size_t)part * FSR_SORT_WORDS, low, high;
        memset(count, 0, sizeof *count * sizeof KEY(&s->form, *p->from));
        NAME(bounds)(s, part, &low, &high);
        for (int64_t i = low; i < high; i++) {
            const ITEM x = ENTER(&s->form, p->from[i]);
            const uint64_t key = KEY(&s->form, x);
            for (size_t d = 0; d < sizeof KEY(&s->form, x); d++)
                count[d][key >> (8 * d) & 255]++;
        }
    }
}

static void NAME(count)(void *arg, int worker) {
    NAME(passes) *p = arg;
    fsr_sort *s = p->s;
    (void)worker;
    for (int part; (part = atomic_fetch_add(&p->next, 1)) < s->parts;) {
        int64_t *count = s->count[(size_t)part * FSR_SORT_WORDS + (size_t)p->digit], low, high;
        memset(count, 0, sizeof *count * FSR_DIGITS);
        NAME(bounds)(s, part, &low, &high);
        for (int64_t i = low; i < high; i++)
            count[(uint64_t)KEY(&s->form, p->from[i]) >> (8 * p->digit) & 255]++;
    }
}

static inline __attribute__((always_inline)) void NAME(move_part)(const NAME(passes) * p, int part, bool first,
                                                                  bool last) {
    fsr_sort *s = p->s;
    int64_t *at = s->count[(size_t)part * FSR_SORT_WORDS + (size_t)p->digit], low, high;
    const int shift = 8 * p->digit;
    NAME(bounds)(s, part, &low, &high);
    for (int64_t i = low; i < high; i++) {
        const ITEM x = first ? ENTER(&s->form, p->from[i]) : p->from[i];
        const int64_t to = at[(uint64_t)KEY(&s->form, x) >> shift & 255]++;
        if (last)
            LEAVE(s, to, x);
        else
            p->to[to] = x;
    }
}

static void NAME(move)(void *arg, int worker) {
    NAME(passes) *p = arg;
    (void)worker;
    for (int part; (part = atomic_fetch_add(&p->next, 1)) < p->s->parts;) {
        if (p->first && p->last)
            NAME(move_part)(p, part, true, true);
        else if (p->first)
            NAME(move_part)(p, part, true, false);
        else if (p->last)
            NAME(move_part)(p, part, false, true);
        else
            NAME(move_part)(p, part, false, false);
    }
}

static void NAME(run)(NAME(passes) * p, void (*work)(void *, int)) {
    atomic_store(&p->next, 0);
    if (p->s->threads && p->s->parts > 1)
        fsr_thread_pool_run(p->s->threads, work, p);
    else
        work(p, 0);
}

/* Counts of a digit become first places: of each value, and in it of each part. */
static void NAME(place)(const fsr_sort *s, int digit) {
    int64_t sum = 0;
    for (int v = 0; v < FSR_DIGITS; v++)
        for (int part = 0; part < s->parts; part++) {
            int64_t *at = &s->count[(size_t)part * FSR_SORT_WORDS + (size_t)digit][v];
            const int64_t n = *at;
            *at = sum;
            sum += n;
        }
}

/* All items have one value of the digit. */
static bool NAME(is_shared)(const fsr_sort *s, int digit) {
    for (int v = 0; v < FSR_DIGITS; v++) {
        int64_t n = 0;
        for (int part = 0; part < s->parts; part++)
            n += s->count[(size_t)part * FSR_SORT_WORDS + (size_t)digit][v];
        if (n)
            return n == s->n;
    }
    return true;
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

/* From `from` over the buffers into the results. Where no digit tells items apart the lowest one keeps them in order. */
static void NAME(sort)(fsr_sort *s, const ITEM *from, ITEM *const buffer[2]) {
    NAME(passes) p = {.s = s, .from = from};
    int digit[sizeof KEY(&s->form, *from)], n = 0;
    NAME(run)(&p, NAME(count_all));
    for (size_t d = 0; d < sizeof KEY(&s->form, *from); d++)
        if (!NAME(is_shared)(s, (int)d))
            digit[n++] = (int)d;
    if (n == 0)
        digit[n++] = 0;
    for (int i = 0; i < n; i++) {
        p.digit = digit[i];
        p.first = i == 0;
        p.last = i == n - 1;
        p.to = buffer[FILLED ? (i + 1) % 2 : (n - i) % 2];
        if (i > 0)
            NAME(run)(&p, NAME(count));
        NAME(place)(s, p.digit);
        NAME(run)(&p, NAME(move));
        p.from = p.to;
    }
}

#undef ITEM
#undef NAME
#undef KEY
#undef ENTER
#undef LEAVE
#undef FILLED

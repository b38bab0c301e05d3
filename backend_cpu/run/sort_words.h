/* SPDX-License-Identifier: MIT */
/* Rows by vectors, for one type of words; included once for each.
 *
 * A row of a thread is sorted as it is. A long one is split first, by words of a sample that part it evenly, whatever
 * its words are: pieces that fit a cache are parted in place, bucket by bucket, then each bucket's share of every piece
 * is copied to its place, and the buckets are sorted. Threads take pieces, then buckets, as they come. Counter-example
 * to buckets by digits: half of the floats between 0 and 1 have one exponent.
 *
 * WORD                the type
 * NAME(x)             names of this inclusion's functions; OF(x): of those of fsr_vectors
 * FILL(s, low, high, out)   words of elements [low, high)
 * LEAVE(s, low, n, word)    results of ranks from `low` on */

typedef struct NAME(split) {
    const fsr_words_sort *w;
    WORD *from, *to;
    WORD last[BUCKETS];           /* the greatest word of each bucket but the last */
    int64_t (*count)[2][BUCKETS]; /* of each piece: words of a bucket, and where they go */
    int pieces;
    atomic_int next;
} NAME(split);

static int64_t NAME(piece)(const NAME(split) * p, int piece) {
    const int64_t n = p->w->s->n;
    return piece < p->pieces ? n / p->pieces * piece : n;
}

/* Words of buckets [low, high) are parted. */
static void NAME(part)(const NAME(split) * p, WORD *x, int64_t n, int low, int high, int64_t *count) {
    if (high - low == 1) {
        count[low] = n;
        return;
    }
    const int middle = (low + high) / 2;
    const int64_t less = p->w->v->OF(partition)(x, n, p->last[middle - 1]);
    NAME(part)(p, x, less, low, middle, count);
    NAME(part)(p, x + less, n - less, middle, high, count);
}

static void NAME(part_pieces)(void *arg, int worker) {
    NAME(split) *p = arg;
    (void)worker;
    for (int i; (i = atomic_fetch_add(&p->next, 1)) < p->pieces;) {
        const int64_t low = NAME(piece)(p, i), high = NAME(piece)(p, i + 1);
        FILL(p->w, low, high, p->from + low);
        NAME(part)(p, p->from + low, high - low, 0, BUCKETS, p->count[i][0]);
    }
}

static void NAME(copy_pieces)(void *arg, int worker) {
    NAME(split) *p = arg;
    (void)worker;
    for (int i; (i = atomic_fetch_add(&p->next, 1)) < p->pieces;) {
        const WORD *from = p->from + NAME(piece)(p, i);
        for (int b = 0; b < BUCKETS; from += p->count[i][0][b], b++)
            memcpy(p->to + p->count[i][1][b], from, (size_t)p->count[i][0][b] * sizeof *from);
    }
}

static void NAME(sort_buckets)(void *arg, int worker) {
    NAME(split) *p = arg;
    (void)worker;
    for (int b; (b = atomic_fetch_add(&p->next, 1)) < BUCKETS;) {
        const int64_t low = p->count[0][1][b], high = b + 1 < BUCKETS ? p->count[0][1][b + 1] : p->w->s->n;
        p->w->v->OF(sort)(p->to + low, high - low, fsr_vectors_depth(high - low));
        LEAVE(p->w, low, high - low, p->to + low);
    }
}

static void NAME(run)(NAME(split) * p, void (*work)(void *, int)) {
    atomic_store(&p->next, 0);
    if (p->w->s->threads)
        fsr_thread_pool_run(p->w->s->threads, work, p);
    else
        work(p, 0);
}

static void NAME(sample)(NAME(split) * p) {
    const int64_t apart = p->w->s->n / SAMPLED;
    WORD sample[SAMPLED];
    for (int64_t i = 0; i < SAMPLED; i++) {
        const int64_t at = i * apart + fsr_vectors_place(p->w->s->n, i, apart);
        FILL(p->w, at, at + 1, sample + i);
    }
    p->w->v->OF(sort)(sample, SAMPLED, fsr_vectors_depth(SAMPLED));
    for (int b = 0; b < BUCKETS; b++)
        p->last[b] = sample[(b + 1) * (SAMPLED / BUCKETS) - 1];
}

static void NAME(first_places)(NAME(split) * p) {
    int64_t sum = 0;
    for (int b = 0; b < BUCKETS; b++)
        for (int i = 0; i < p->pieces; i++) {
            p->count[i][1][b] = sum;
            sum += p->count[i][0][b];
        }
}

/* from: memory of n words that may be the results'. */
static void NAME(sort_long)(const fsr_words_sort *w, WORD *from) {
    const int64_t pieces = w->s->n / PIECE;
    NAME(split)
    p = {.w = w,
         .from = from,
         .to = w->s->buffer[0],
         .count = (void *)w->s->count,
         .pieces = pieces < 1        ? 1
                   : pieces < PIECES ? (int)pieces
                                     : PIECES};
    atomic_init(&p.next, 0);
    NAME(sample)(&p);
    NAME(run)(&p, NAME(part_pieces));
    NAME(first_places)(&p);
    NAME(run)(&p, NAME(copy_pieces));
    NAME(run)(&p, NAME(sort_buckets));
}

static void NAME(sort_row)(const fsr_words_sort *w) {
    WORD *const own = w->s->buffer[0];
    FILL(w, 0, w->s->n, own);
    w->v->OF(sort)(own, w->s->n, fsr_vectors_depth(w->s->n));
    LEAVE(w, 0, w->s->n, own);
}

#undef WORD
#undef NAME
#undef OF
#undef FILL
#undef LEAVE

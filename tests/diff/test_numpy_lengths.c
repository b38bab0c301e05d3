/* SPDX-License-Identifier: MIT */
/* What a mask selects against what NumPy 2 gave: tests/numpy/lengths.txt, which tests/numpy/lengths.py writes and
 * explains. What follows from one vector and one mask is computed at once. */
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define G subject_g

enum { LINE = 1 << 12, MOST = 256, GROUP = 48 };

/* A vector, a mask, what is selected. */
typedef struct group {
    int64_t n;
    fsr_node x, mask, y;
} group;

typedef struct entry {
    char line[160];
    fsr_node node;
    int64_t n, want[MOST];
} entry;

static group make(int64_t n, int kind) {
    int64_t x[MOST];
    uint8_t mask[MOST];
    group m = {.n = n};
    assert_true(n <= MOST);
    for (int64_t i = 0; i < n; i++) {
        const bool holds[] = {true, false, i % 3 == 0, ((uint64_t)i * 2654435761u >> 7 & 1) != 0, i == n - 1};
        x[i] = (7 * i * i + 3 * i) % 23 - 9;
        mask[i] = holds[kind];
    }
    m.x = fsr_from_host(G, FSR_I64, 1, &n, x);
    m.mask = fsr_from_host(G, FSR_BOOL, 1, &n, mask);
    m.y = fsr_compress(m.mask, m.x);
    return m;
}

static fsr_node fold(const char *what, fsr_node y) {
    static const struct {
        const char *name;
        fsr_node (*build)(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
    } folds[] = {
        {"sum", fsr_sum_at},      {"any", fsr_any_at}, {"all", fsr_all_at}, {"count_nonzero", fsr_count_nonzero_at},
        {"max", fsr_max_at},      {"min", fsr_min_at}, {"ptp", fsr_ptp_at}, {"argmax", fsr_argmax_at},
        {"argmin", fsr_argmin_at}};
    for (int i = 0; i < COUNT_OF(folds); i++)
        if (!strcmp(what, folds[i].name))
            return folds[i].build(FSR_HERE, y, NULL, 0, 0);
    return (fsr_node){0};
}

static fsr_node table(void) {
    int64_t t[16];
    for (int k = 0; k < 16; k++)
        t[k] = 5 * k % 7 - 3;
    return fsr_from_host(G, FSR_I64, 1, SHAPE(16), t);
}

/* What has to do with places. */
static fsr_node placed(const char *what, const group *m, int64_t a) {
    fsr_node size = fsr_abs(m->y), zeros = fsr_zeros(G, FSR_I64, 1, SHAPE(16)), out[2];
    fsr_node ones = fsr_cast(fsr_greater(m->y, fsr_int(G, -100)), FSR_I64);
    if (!strcmp(what, "at"))
        return fsr_take(table(), size, 0, FSR_INDEX_RAISE);
    if (!strcmp(what, "from"))
        return fsr_take(m->y, fsr_from_host(G, FSR_I64, 1, SHAPE(1), &a), 0, FSR_INDEX_RAISE);
    if (!strcmp(what, "kth"))
        return fsr_kth(m->y, a, NULL, 0, 0);
    if (!strcmp(what, "add_at"))
        return fsr_scatter_add(zeros, &size, 1, m->y, FSR_INDEX_RAISE, 0);
    if (!strcmp(what, "put"))
        return fsr_scatter(zeros, &size, 1, fsr_cumsum(ones, AXES(0), 1, FSR_EXCLUSIVE), FSR_INDEX_RAISE, 0);
    if (!strncmp(what, "run_", 4)) {
        fsr_run_lengths(out, m->y);
        return out[!strcmp(what, "run_lengths")];
    }
    if (!strcmp(what, "repeat"))
        return fsr_repeat_counts(m->x, fsr_mul(fsr_mod(fsr_abs(m->x), fsr_int(G, 4)), m->mask), 4 * m->n);
    if (!strcmp(what, "update_one"))
        return fsr_update_mask(m->x, m->mask, fsr_int(G, -5));
    if (!strcmp(what, "update"))
        return fsr_update_mask(m->x, m->mask, fsr_mul(fsr_flip(m->y, 0), fsr_int(G, 3)));
    return fold(what, m->y);
}

static int64_t bound(const char *text) {
    return strcmp(text, "-") ? strtoll(text, NULL, 10) : FSR_SLICE_END;
}

static fsr_node record(const char *what, const group *m, const char *a, const char *b, const char *c) {
    if (!strcmp(what, "compress"))
        return fsr_compress(m->mask, m->x);
    if (!strcmp(what, "flatnonzero"))
        return fsr_flatnonzero(m->mask);
    if (!strcmp(what, "of_it"))
        return fsr_flatnonzero(m->y);
    if (!strcmp(what, "twice"))
        return fsr_compress(fsr_greater(m->y, fsr_int(G, 0)), m->y);
    if (!strcmp(what, "others"))
        return fsr_compress(fsr_logical_not(m->mask), m->x);
    if (!strcmp(what, "cumsum"))
        return fsr_cumsum(m->y, AXES(0), 1, 0);
    if (!strcmp(what, "cumsum_back"))
        return fsr_cumsum(m->y, AXES(0), 1, FSR_REVERSE);
    if (!strcmp(what, "cummax"))
        return fsr_cummax(m->y, AXES(0), 1, 0);
    if (!strcmp(what, "diff"))
        return fsr_diff(m->y, atoi(a), 0);
    if (!strcmp(what, "slice"))
        return fsr_slice(m->y, 0, bound(a), bound(b), !strcmp(c, "-") ? 1 : strtoll(c, NULL, 10));
    return placed(what, m, strtoll(a, NULL, 10));
}

/* "what a b c : elements" */
static void read_entry(char *line, const group *m, entry *e) {
    char what[24], a[24], b[24], c[24];
    int used = 0;
    assert_int_equal(sscanf(line, "%23s %23s %23s %23s :%n", what, a, b, c, &used), 4);
    snprintf(e->line, sizeof e->line, "%s %s %s %s, of %lld", what, a, b, c, (long long)m->n);
    e->n = 0;
    for (char *at = line + used, *end; e->n < MOST; at = end, e->n++) {
        e->want[e->n] = strtoll(at, &end, 10);
        if (end == at)
            break;
    }
    e->node = record(what, m, a, b, c);
    if (fsr_node_status(e->node))
        fail_msg("%s: %s", e->line, fsr_node_error(e->node));
    if (fsr_node_dtype(e->node) != FSR_I64)
        e->node = fsr_cast(e->node, FSR_I64);
}

static void check(const entry *e, int n) {
    static int64_t got[4 * MOST];
    fsr_node all[GROUP] = {{0}};
    for (int i = 0; i < n; i++)
        all[i] = e[i].node;
    if (n == 0)
        return;
    OK(fsr_compute(all, n));
    for (int i = 0; i < n; i++) {
        int64_t count = 1;
        OK(fsr_read_live(e[i].node, got, sizeof got, fsr_node_ndim(e[i].node) ? &count : NULL));
        bool same = count == e[i].n && !memcmp(got, e[i].want, (size_t)count * sizeof *got);
        if (!same)
            fail_msg("%s: %lld elements, or others (wanted %lld)", e[i].line, (long long)count, (long long)e[i].n);
    }
    subject_count("results compared with NumPy's", n);
}

static void as_numpy(void **state) {
    (void)state;
    static entry e[GROUP];
    static char line[LINE];
    FILE *from = fopen("tests/numpy/lengths.txt", "r");
    group m = {.n = -1};
    bool takes_part = false;
    int n = 0;
    assert_non_null(from);
    while (fgets(line, sizeof line, from)) {
        long long size;
        int kind;
        if (line[0] != '=') {
            assert_true(n < GROUP);
            if (takes_part)
                read_entry(line, &m, &e[n++]);
            continue;
        }
        check(e, n);
        n = 0;
        assert_int_equal(sscanf(line, "= %lld %d", &size, &kind), 2);
        takes_part = subject_case(0, size == 0 || size == 33 ? SUBJECT_FAST : SUBJECT_LONG);
        if (takes_part)
            m = make(size, kind);
    }
    check(e, n);
    fclose(from);
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_CASES(as_numpy)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}

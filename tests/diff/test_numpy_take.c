/* SPDX-License-Identifier: MIT */
/* Elements by arrays of indices against what NumPy 2 gave: tests/numpy/take.txt, which tests/numpy/take.py writes and
 * explains. Everything of one shape is computed at once. */
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1 << 13, MOST = 512, GROUP = 24 };

typedef struct numbers {
    int ndim;
    int64_t shape[FSR_MAX_DIMS];
    int64_t n, element[MOST];
} numbers;

typedef struct entry {
    char what[16], line[160];
    fsr_node node;
    bool error;
    numbers want;
} entry;

/* "2,3", or "-" for 0-d; the elements one would have. */
static void read_shape(char **at, numbers *out) {
    out->ndim = 0;
    out->n = 1;
    *at += strspn(*at, " ");
    if (**at == '-') {
        ++*at;
        return;
    }
    do {
        *at += **at == ',';
        out->shape[out->ndim] = strtoll(*at, at, 10);
        out->n *= out->shape[out->ndim++];
    } while (**at == ',');
}

/* "2,3 | 0 1 2 3 4 5" */
static void read_array(char **at, numbers *out) {
    read_shape(at, out);
    *at += strspn(*at, " |");
    assert_true(out->n <= MOST);
    for (int64_t i = 0; i < out->n; i++)
        out->element[i] = strtoll(*at, at, 10);
    *at += strspn(*at, " -");
}

static fsr_index_mode mode_of(const char *mode) {
    return !strcmp(mode, "clip") ? FSR_INDEX_CLIP : !strcmp(mode, "wrap") ? FSR_INDEX_WRAP : FSR_INDEX_RAISE;
}

static fsr_node record(const entry *e, const char *mode, int axis, fsr_node x, const fsr_node *index, int n) {
    if (!strcmp(e->what, "take"))
        return fsr_take(x, index[0], axis, mode_of(mode));
    if (!strcmp(e->what, "along"))
        return fsr_take_along_axis(x, index[0], axis, mode_of(mode));
    return fsr_index(x, index, n, FSR_INDEX_RAISE);
}

/* One line of the table. */
static void read_entry(char *line, entry *e) {
    char mode[8];
    int axis, used;
    numbers source, given;
    fsr_node index[FSR_MAX_DIMS];
    int n = 0;
    snprintf(e->line, sizeof e->line, "%.150s", line);
    assert_int_equal(sscanf(line, "%15s %7s %d %n", e->what, mode, &axis, &used), 3);
    char *at = line + used;
    read_shape(&at, &source);
    fsr_node x = fsr_reshape(fsr_arange(subject_g, FSR_F32, source.n), source.ndim, source.shape);
    at += strspn(at, " :");
    do {
        at += strspn(at, " ;");
        read_array(&at, &given);
        index[n++] = fsr_from_host(subject_g, FSR_I64, given.ndim, given.shape, given.element);
    } while (*at == ';');
    at += strspn(at, " :");
    e->error = !strncmp(at, "error", 5);
    if (!e->error)
        read_array(&at, &e->want);
    /* The array is in memory in one half of the lines, computed in the other. */
    e->node =
        record(e, mode, axis, source.n % 2 ? fsr_hint_set(fsr_neg(fsr_neg(x)), FSR_HINT_MATERIALIZE) : x, index, n);
}

static void check(const entry *e) {
    if (fsr_node_status(e->node))
        fail_msg("%s: %s", e->line, fsr_node_error(e->node));
    float *got = malloc((size_t)fsr_node_bytes(e->node) + 1);
    fsr_status status = fsr_read(e->node, got, (size_t)fsr_node_bytes(e->node));
    if (status != (e->error ? FSR_ERR_INDEX : FSR_OK))
        fail_msg("%s: %s", e->line, fsr_status_name(status));
    if (!e->error && (fsr_node_ndim(e->node) != e->want.ndim || fsr_node_size(e->node) != e->want.n))
        fail_msg("%s: another shape", e->line);
    for (int d = 0; !e->error && d < e->want.ndim; d++)
        assert_int_equal(fsr_node_dim(e->node, d), e->want.shape[d]);
    for (int64_t i = 0; !e->error && i < e->want.n; i++)
        if (got[i] != (float)e->want.element[i])
            fail_msg("%s: element %lld is %g, not %lld", e->line, (long long)i, got[i], (long long)e->want.element[i]);
    free(got);
}

/* A group is computed at once, but what is an error by itself: it would be told when another result is read. */
static void check_group(entry *group, int n) {
    fsr_node outs[GROUP] = {{0}};
    int good = 0;
    for (int i = 0; i < n; i++)
        if (!group[i].error)
            outs[good++] = group[i].node;
    OK(fsr_compute(outs, good));
    for (int i = 0; i < n; i++)
        check(&group[i]);
    subject_count("lines", n);
}

/* Lines of one group are one computation; the fast tier has every other group. */
static bool takes(int unit) {
    return subject_case(unit, unit % 2 ? SUBJECT_LONG : SUBJECT_FAST);
}

static void lines(void **state) {
    (void)state;
    FILE *file = fopen("tests/numpy/take.txt", "r");
    char *line = malloc(LINE);
    entry *group = calloc(GROUP, sizeof *group);
    int n = 0, unit = 0;
    assert_non_null(file);
    while (fgets(line, LINE, file)) {
        read_entry(line, &group[n++]);
        if (n < GROUP)
            continue;
        if (takes(unit++))
            check_group(group, n);
        n = 0;
    }
    if (takes(unit))
        check_group(group, n);
    fclose(file);
    free(line);
    free(group);
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_CASES(lines)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}

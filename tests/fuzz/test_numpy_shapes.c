/* SPDX-License-Identifier: MIT */
/* Indexing and shape functions against NumPy's own answers: tests/numpy/shapes.txt, whose script tells the form. Each
 * program is recorded, planned unfused and in several fused ways, interpreted, compared with the reference, and the
 * values' digest with NumPy's. */
#include "tests/fuzz/check.h"
#include "tests/support/nodes.h"
#include "tests/support/subject.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 32, NONE = -99 };

/* One step: a name and its numbers. */
typedef struct step {
    char name[16];
    int n;
    int64_t v[MOST];
} step;

static int live;

/* Number n of a counted array, as the script's counted. */
static fsr_value value_at(fsr_dtype dtype, int64_t n) {
    if (fsr_dtype_is_complex(dtype))
        return fsr_value_from_complex(dtype, (fsr_c128){(double)(n % 100), (double)(n * 7 % 50)});
    return fsr_value_from_int(dtype, dtype == FSR_I32 ? n : n % (dtype == FSR_BOOL ? 3 : 100));
}

static fsr_node counted(fsr_graph *g, int ndim, const int64_t *shape, fsr_dtype dtype, int64_t first) {
    fsr_node x = node_data(g, dtype, ndim, shape, &live);
    char *data = fsr_node_rec(x)->buffer[0]->data;
    for (int64_t i = 0; i < fsr_node_size(x); i++) {
        fsr_value v = value_at(dtype, first + i);
        memcpy(data + (size_t)i * fsr_dtype_size(dtype), &v, fsr_dtype_size(dtype));
    }
    return x;
}

static fsr_node counted_like(fsr_node x, fsr_node shape, int64_t first) {
    return counted(x.graph, fsr_node_ndim(shape), fsr_node_rec(shape)->shape.dim, fsr_node_dtype(x), first);
}

/* ---- steps ---------------------------------------------------------------------------------------------- */

static fsr_node sliced(fsr_node x, const int64_t *v, int n) {
    for (int i = 0; i + 3 < n; i += 4)
        x = fsr_slice(x, (int)v[i], v[i + 1], v[i + 2], v[i + 3]);
    return x;
}

static fsr_node updated(fsr_node x, const step *s) {
    fsr_node view = sliced(x, s->v + 1, s->n - 1);
    if (s->v[0] == 0)
        return fsr_update(x, view, fsr_int(x.graph, 7));
    if (s->v[0] == 1)
        return fsr_update(x, view, counted_like(x, view, 1000));
    return fsr_update(x, view, counted(x.graph, 1, SHAPE(fsr_node_dim(view, -1)), fsr_node_dtype(x), 1000));
}

static fsr_node rolled(fsr_node x, const step *s) {
    int64_t shift[MOST];
    int axis[MOST], n = s->n / 2;
    for (int i = 0; i < n; i++) {
        shift[i] = s->v[2 * i];
        axis[i] = (int)s->v[2 * i + 1];
    }
    return fsr_roll(x, shift, axis[0] == NONE ? NULL : axis, n);
}

static fsr_node concatenated(fsr_node x, const step *s) {
    fsr_node all[MOST] = {x};
    int axis = (int)s->v[0] + (s->v[0] < 0 ? fsr_node_ndim(x) : 0);
    for (int i = 1; i < s->n; i++) {
        fsr_shape shape = fsr_node_rec(x)->shape;
        shape.dim[axis] = s->v[i];
        all[i] = counted(x.graph, shape.ndim, shape.dim, fsr_node_dtype(x), 1000 * i);
    }
    return fsr_concat(all, s->n, (int)s->v[0]);
}

static fsr_node stacked(fsr_node x, const step *s) {
    fsr_node all[MOST];
    for (int i = 0; i < (int)s->v[1]; i++)
        all[i] = i ? counted_like(x, x, 1000 * i) : x;
    return fsr_stack(all, (int)s->v[1], (int)s->v[0]);
}

static fsr_node split(fsr_node x, const step *s) {
    bool equal = !strcmp(s->name, "split");
    fsr_node *out = malloc(sizeof *out * (size_t)(equal ? s->v[0] : s->n));
    if (equal)
        fsr_split(out, x, (int)s->v[0], (int)s->v[1]);
    else
        fsr_split_indices(out, x, s->v + 2, s->n - 2, (int)s->v[0]);
    fsr_node part = out[equal ? s->v[2] : s->v[1]];
    free(out);
    return part;
}

static fsr_node padded(fsr_node x, const step *s) {
    int64_t width[FSR_MAX_DIMS][2];
    for (int i = 1; i < s->n; i++)
        width[(i - 1) / 2][(i - 1) % 2] = s->v[i];
    return fsr_pad(x, (const int64_t(*)[2])width, (fsr_pad)s->v[0], 9);
}

static fsr_node chosen(fsr_node x, const step *s) {
    const fsr_shape *shape = &fsr_node_rec(x)->shape;
    fsr_node mask = s->v[0] ? counted(x.graph, 1, &shape->dim[shape->ndim - 1], FSR_BOOL, 1)
                            : counted(x.graph, shape->ndim, shape->dim, FSR_BOOL, 1);
    return fsr_where(mask, x, counted_like(x, x, 1000));
}

static fsr_node permuted(fsr_node x, const step *s) {
    int a[MOST], b[MOST];
    bool move = !strcmp(s->name, "moveaxis");
    for (int i = 0; i < s->n; i++)
        *(move && i % 2 ? &b[i / 2] : &a[move ? i / 2 : i]) = (int)s->v[i];
    return move ? fsr_moveaxis(x, a, b, s->n / 2) : fsr_transpose(x, a);
}

static fsr_node grid(fsr_graph *g, const step *s) {
    fsr_node x[MOST], out[MOST];
    int n = s->n - 2;
    for (int i = 0; i < n; i++)
        x[i] = fsr_add(fsr_arange(g, FSR_I64, s->v[i + 2]), fsr_int(g, 10 * i));
    fsr_meshgrid(out, x, n, s->v[0] ? FSR_XY : 0);
    return out[s->v[1]];
}

static fsr_node triangle(fsr_node x, const step *s) {
    return s->name[3] == 'u' ? fsr_triu(x, s->v[0]) : fsr_tril(x, s->v[0]);
}

#define AXIS ((int)s->v[0])
static fsr_node plain(fsr_node x, const step *s) {
    const char *name = s->name;
    if (!strcmp(name, "repeat"))
        return fsr_repeat(x, s->v[0], s->v[1] == NONE ? NULL : &(int){(int)s->v[1]});
    if (!strcmp(name, "diff"))
        return fsr_diff(fsr_node_dtype(x) == FSR_I32 ? fsr_mul(x, x) : x, (int)s->v[0], (int)s->v[1]);
    if (!strcmp(name, "where"))
        return chosen(x, s);
    if (!strcmp(name, "full"))
        return fsr_full(x.graph, fsr_node_dtype(x), s->n - 1, s->v + 1, (double)s->v[0]);
    if (!strcmp(name, "arange"))
        return fsr_cast(fsr_arange(x.graph, FSR_I64, s->v[0]), fsr_node_dtype(x));
    if (!strcmp(name, "swapaxes"))
        return fsr_swapaxes(x, AXIS, (int)s->v[1]);
    if (!strcmp(name, "ravel"))
        return fsr_ravel(x);
    if (!strcmp(name, "flip"))
        return fsr_flip(x, AXIS);
    if (!strcmp(name, "expand"))
        return fsr_expand(x, AXIS);
    if (!strcmp(name, "squeeze"))
        return fsr_squeeze(x, AXIS);
    if (!strcmp(name, "sum"))
        return fsr_sum(x, &(int){AXIS}, 1, 0);
    return fsr_add(x, counted_like(x, x, 0));
}

static fsr_node apply(fsr_node x, const step *s) {
    static const char *const one_of[] = {"where", "full", "arange", "repeat",  "diff", "swapaxes",
                                         "ravel", "flip", "expand", "squeeze", "sum",  "plus"};
    for (size_t i = 0; i < sizeof one_of / sizeof *one_of; i++)
        if (!strcmp(s->name, one_of[i]))
            return plain(x, s);
    switch (s->name[0]) {
    case 's': return s->name[1] == 'l' ? sliced(x, s->v, s->n) : s->name[1] == 't' ? stacked(x, s) : split(x, s);
    case 'u': return updated(x, s);
    case 'r': return s->name[1] == 'o' ? rolled(x, s) : fsr_reshape(x, s->n, s->v);
    case 'c': return concatenated(x, s);
    case 'p': return padded(x, s);
    case 'b': return fsr_broadcast_to(x, s->n, s->v);
    case 'e': return fsr_eye(x.graph, fsr_node_dtype(x), s->v[0], s->v[1], s->v[2]);
    case 'l': return fsr_linspace(x.graph, FSR_F64, (double)s->v[0] / 8, (double)s->v[1] / 7, s->v[2], s->v[3] != 0);
    case 'm': return s->name[1] == 'e' ? grid(x.graph, s) : permuted(x, s);
    default:
        return !strcmp(s->name, "tile") ? fsr_tile(x, s->n, s->v) : s->name[2] == 'i' ? triangle(x, s) : permuted(x, s);
    }
}

/* ---- programs --------------------------------------------------------------------------------------------- */

/* Records the text of a line up to its "=", which *rest is then at. */
static fsr_node record(fsr_graph *g, char *text, char **rest) {
    int64_t shape[FSR_MAX_DIMS];
    int ndim = 0;
    for (char *at = text; ndim == 0 || *at++ == ','; ndim++)
        shape[ndim] = strtoll(at, &at, 10);
    char *save, *first = strchr(text, ' '), *colon = strchr(text, ':'), *word = strtok_r(first + 1, " ", &save);
    *first = 0;
    fsr_dtype dtype = FSR_I32;
    for (int d = 0; colon && d < FSR_DTYPE_COUNT; d++)
        if (!strcmp(colon + 1, fsr_dtype_name((fsr_dtype)d)))
            dtype = (fsr_dtype)d;
    fsr_node x = counted(g, ndim, shape, dtype, 0);
    while (word && strcmp(word, "=") != 0) {
        step s = {.n = 0};
        snprintf(s.name, sizeof s.name, "%s", word);
        while ((word = strtok_r(NULL, " ", &save)) && strcmp(word, ";") != 0 && strcmp(word, "=") != 0)
            s.v[s.n++] = *word == 'N' ? FSR_SLICE_END : strtoll(word, NULL, 10);
        x = apply(x, &s);
        if (word && *word == ';')
            word = strtok_r(NULL, " ", &save);
    }
    *rest = strtok_r(NULL, " \n", &save);
    return x;
}

static uint64_t mixed(uint64_t h, int64_t word) {
    for (int i = 0; i < 8; i++)
        h = (h ^ ((uint64_t)word >> 8 * i & 255)) * 0x100000001b3u;
    return h;
}

static uint64_t digest(fsr_node x, const void *values) {
    const fsr_rec *rec = fsr_node_rec(x);
    fsr_dtype dtype = fsr_node_dtype(x);
    uint64_t h = 0xcbf29ce484222325u;
    for (int d = 0; d < rec->shape.ndim; d++)
        h = mixed(h, rec->shape.dim[d]);
    for (int64_t i = 0; i < fsr_node_size(x); i++) {
        fsr_value v = fsr_value_load(dtype, values, i);
        h = mixed(h, dtype == FSR_F64 ? v.i64 : fsr_value_cast(FSR_I64, dtype, v).i64);
        if (fsr_dtype_is_complex(dtype))
            h = mixed(h, (int64_t)fsr_value_to_complex(dtype, v).im);
    }
    return h;
}

/* True if it is as NumPy says. */
static bool check_line(const char *line, uint64_t seed) {
    char text[512], *rest = NULL;
    fsr_graph_owner *owner;
    fsr_graph *g = node_graph(&owner);
    void *values = NULL;
    finding found = {VERDICT_REFUSED, "", ""};
    snprintf(text, sizeof text, "%s", line);
    fsr_node x = record(g, text, &rest);
    if (fsr_node_status(x))
        snprintf(found.what, sizeof found.what, "%s", fsr_node_error(x));
    else
        check_outs(g, &(fsr_ref){x.id, x.output}, 1, &(bool){false}, seed, &found, &values);
    bool good = found.verdict == VERDICT_GOOD && rest && digest(x, values) == strtoull(rest, NULL, 16);
    if (!good)
        print_error("%s    %s %s %s\n", line, verdict_text(found.verdict), found.variant, found.what);
    free(values);
    fsr_graph_owner_free(owner);
    return good;
}

static void as_numpy(void **state) {
    (void)state;
    char line[512];
    int lines = 0, tried = 0, wrong = 0;
    FILE *from = fopen("tests/numpy/shapes.txt", "r");
    assert_non_null(from);
    while (wrong < 20 && fgets(line, sizeof line, from))
        if (subject_case(0, ++lines % 2 ? SUBJECT_FAST : SUBJECT_LONG)) {
            wrong += !check_line(line, (uint64_t)lines);
            tried++;
        }
    fclose(from);
    print_message("%d programs of %d\n", tried, lines);
    assert_int_equal(wrong, 0);
    assert_true(lines > 5000);
    assert_int_equal(live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_numpy)};
    if (!subject_take_part())
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}

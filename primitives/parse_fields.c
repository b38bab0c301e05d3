/* SPDX-License-Identifier: MIT */
/* What nodes hold, read back: of each field of graph/node_fields.def the text that graph/print_fields.c writes. Whether
 * fields fit each other and the arguments is the verifier's to say. */
#include "primitives/parse_lex.h"
#include "primitives/primitives.h"
#include <stdlib.h>
#include <string.h>

static void read_op(fsr_lex *l, const fsr_graph *g, fsr_rec *rec) {
    char word[FSR_WORD_BYTES];
    (void)g;
    if (!fsr_lex_word(l, word))
        return;
    rec->op = fsr_op_find(word);
    if (rec->op == FSR_OP_COUNT)
        fsr_lex_fail(l, FSR_ERR_FORMAT, "%s is no node and no op", word);
}

static void read_weak(fsr_lex *l, const fsr_graph *g, fsr_rec *rec) {
    (void)g;
    rec->weak = fsr_lex_try(l, "weak");
}

static void read_status(fsr_lex *l, const fsr_graph *g, fsr_rec *rec) {
    char word[FSR_WORD_BYTES];
    (void)g;
    if (!fsr_lex_word(l, word))
        return;
    for (int i = 1; i < FSR_STATUS_COUNT; i++)
        if (!strcmp(word, fsr_status_name((fsr_status)i)))
            rec->status = (fsr_status)i;
    if (rec->status == FSR_OK)
        fsr_lex_fail(l, FSR_ERR_FORMAT, "%s is no error", word);
}

static void read_message(fsr_lex *l, const fsr_graph *g, fsr_rec *rec) {
    (void)g;
    fsr_lex_string(l, &rec->message);
}

/* A quoted name of letters, digits and _. An argument may have none. */
static void read_name(fsr_lex *l, const fsr_graph *g, fsr_rec *rec) {
    const char *start = l->at;
    char *text;
    (void)g;
    if ((fsr_is(rec->kind, FSR_IS_ARGUMENT) && !fsr_lex_sees(l, '"')) || !fsr_lex_string(l, &text))
        return;
    if (fsr_name_size(text)) {
        rec->name = text;
        return;
    }
    free(text);
    l->at = start;
    fsr_lex_fail(l, FSR_ERR_FORMAT, "not a name of 1 to 63 letters, digits and _");
}

static void read_value(fsr_lex *l, const fsr_graph *g, fsr_rec *rec) {
    (void)g;
    fsr_lex_value(l, rec->dtype[0], &rec->value);
}

/* A body's argument cannot be told from a text. */
#define read_index NULL

static void read_axes(fsr_lex *l, const fsr_graph *g, fsr_rec *rec) {
    (void)g;
    if (!fsr_lex_try(l, "axes="))
        return; /* none: what asks for some is refused by the graph's verifier */
    do {
        int64_t axis = 0;
        fsr_lex_int(l, 0, FSR_MAX_DIMS - 1, &axis);
        rec->axes |= 1u << axis;
    } while (fsr_lex_try(l, ","));
}

static void read_axis(fsr_lex *l, const fsr_graph *g, fsr_rec *rec) {
    int64_t value = 0;
    (void)g;
    fsr_lex_expect(l, "axis=");
    fsr_lex_int(l, 0, FSR_MAX_DIMS - 1, &value);
    rec->axis = (int)value;
}

static void read_mode(fsr_lex *l, const fsr_graph *g, fsr_rec *rec) {
    int b = 0;
    (void)g;
    fsr_lex_expect(l, "mode=");
    while (!l->status && fsr_index_mode_name((fsr_index_mode)b) &&
           !fsr_lex_try(l, fsr_index_mode_name((fsr_index_mode)b)))
        b++;
    if (!fsr_index_mode_name((fsr_index_mode)b)) {
        fsr_lex_fail(l, FSR_ERR_FORMAT, "expected raise, clip or wrap");
        b = 0;
    }
    rec->mode = (fsr_index_mode)b;
}

static void read_library(fsr_lex *l, const fsr_graph *g, fsr_rec *rec) {
    int i = 0;
    (void)g;
    while (!l->status && i < FSR_LIBRARY_COUNT && !fsr_lex_try(l, fsr_library_word((fsr_library)i)))
        i++;
    if (i == FSR_LIBRARY_COUNT)
        fsr_lex_fail(l, FSR_ERR_FORMAT, "expected the name of a library call");
    rec->library = i < FSR_LIBRARY_COUNT ? (fsr_library)i : 0;
}

static void read_called(fsr_lex *l, const fsr_graph *g, fsr_rec *rec) {
    int64_t word[FSR_MAX_CALL_WORDS];
    int n = 0;
    (void)g;
    if (rec->library == FSR_LIBRARY_CALLER)
        fsr_lex_fail(l, FSR_ERR_FORMAT, "a call of a program's own has functions, which no text has");
    if (l->status || !fsr_lex_try(l, "("))
        return;
    do {
        fsr_lex_int(l, INT64_MIN, INT64_MAX, &word[n++]);
    } while (!l->status && n < FSR_MAX_CALL_WORDS && fsr_lex_try(l, ","));
    if (!fsr_lex_expect(l, ")"))
        return;
    rec->called = fsr_called_words(word, n);
    if (!rec->called)
        fsr_lex_fail(l, FSR_ERR_MEMORY, "out of memory");
}

static void read_product(fsr_lex *l, const fsr_graph *g, fsr_rec *rec) {
    (void)g;
    rec->product = fsr_lex_try(l, "product");
}

static void read_exclusive(fsr_lex *l, const fsr_graph *g, fsr_rec *rec) {
    (void)g;
    rec->exclusive = fsr_lex_try(l, "exclusive");
}

static void read_reverse(fsr_lex *l, const fsr_graph *g, fsr_rec *rec) {
    (void)g;
    rec->reverse = fsr_lex_try(l, "reverse");
}

static void read_front(fsr_lex *l, const fsr_graph *g, fsr_rec *rec) {
    (void)g;
    rec->front = fsr_lex_try(l, "front");
}

static void read_neutral(fsr_lex *l, const fsr_graph *g, fsr_rec *rec) {
    (void)g;
    rec->neutral = fsr_lex_try(l, "neutral");
}

/* START+STEP*dI and its short forms, for dimension j of the source. */
static void map(fsr_lex *l, fsr_view *view, int j) {
    int64_t number = 0, step = 1, from = 0;
    view->from[j] = -1;
    if (!fsr_lex_sees(l, 'd')) {
        fsr_lex_int(l, INT64_MIN, INT64_MAX, &number);
        if (fsr_lex_try(l, "*")) {
            step = number;
        } else {
            view->start[j] = number;
            if (!fsr_lex_try(l, "+"))
                return;
            if (!fsr_lex_sees(l, 'd')) {
                fsr_lex_int(l, INT64_MIN, INT64_MAX, &step);
                fsr_lex_expect(l, "*");
            }
        }
    }
    fsr_lex_expect(l, "d");
    fsr_lex_int(l, 0, FSR_MAX_DIMS - 1, &from);
    view->step[j] = step;
    view->from[j] = (int8_t)from;
}

/* A section of an array that is overwritten is affine. */
static void read_view(fsr_lex *l, const fsr_graph *g, fsr_rec *rec) {
    if (fsr_is(rec->kind, FSR_IS_VIEW) && fsr_lex_try(l, "reshape")) {
        rec->view.kind = FSR_VIEW_RESHAPE;
        return;
    }
    fsr_lex_expect(l, "affine");
    fsr_lex_expect(l, "[");
    int ndim = l->status ? 0 : fsr_graph_rec(g, rec->arg[0].id)->shape.ndim;
    for (int j = 0; j < ndim; j++) {
        if (j)
            fsr_lex_expect(l, ",");
        map(l, &rec->view, j);
    }
    fsr_lex_expect(l, "]");
}

static void read_routine(fsr_lex *l, const fsr_graph *g, fsr_rec *rec) {
    (void)g;
    fsr_lex_routine(l, rec->dtype[0], &rec->routine);
}

static void read_loop(fsr_lex *l, const fsr_graph *g, fsr_rec *rec) {
    fsr_table_type type[FSR_MAX_ARGS];
    if (!l->status && (rec->nout < 2 || rec->nout - 1 > rec->nargs))
        fsr_lex_fail(l, FSR_ERR_FORMAT, "%d arguments do not make a loop of %d results", rec->nargs, rec->nout);
    for (int i = 0; !l->status && i < rec->nargs; i++) {
        const fsr_rec *from = fsr_graph_rec(g, rec->arg[i].id);
        type[i] = (fsr_table_type){from->dtype[rec->arg[i].output], from->shape.ndim};
    }
    fsr_lex_iteration(l, rec->nout - 1, rec->nargs, type, &rec->loop);
}

static void read_rounds(fsr_lex *l, const fsr_graph *g, fsr_rec *rec) {
    fsr_lex_rounds(l, g, rec);
}

static void read_combine(fsr_lex *l, const fsr_graph *g, fsr_rec *rec) {
    fsr_dtype same[FSR_MAX_ARGS];
    int n = 0;
    for (int i = rec->nout; !l->status && i < rec->nargs; i++)
        same[n++] = fsr_graph_rec(g, rec->arg[i].id)->dtype[rec->arg[i].output];
    fsr_lex_combine(l, rec->nout, rec->dtype, n, same, &rec->combine);
}

enum { HEAD = 1, IDENTITY = 0 };

static const struct {
    void (*read)(fsr_lex *l, const fsr_graph *g, fsr_rec *rec);
    bool head;
} field_of[FSR_FIELD_COUNT] = {
#define FSR_FIELD(name, class, flags) [FSR_FIELD_##name] = {read_##name, (flags)&HEAD},
#include "graph/node_fields.def"
};

void fsr_lex_fields(fsr_lex *l, const fsr_graph *g, fsr_rec *rec, bool head) {
    for (int i = 0; i < FSR_FIELD_COUNT && !l->status; i++)
        if (fsr_has(rec->kind, (fsr_field)i) && field_of[i].head == head)
            field_of[i].read(l, g, rec);
}

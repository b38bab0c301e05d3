/* SPDX-License-Identifier: MIT */
/* The text of what nodes hold: of each field of graph/node_fields.def, by the grammar in graph/print.h. */
#include "graph/number.h"
#include "graph/print.h"
#include "graph/rounds.h"
#include <inttypes.h>
#include <stdlib.h>

/* Dimension j of a view's source. */
static void write_map(fsr_writer *w, const fsr_view *view, int j) {
    if (view->from[j] < 0) {
        fsr_write_piece(w, "%" PRId64, view->start[j]);
        return;
    }
    if (view->start[j])
        fsr_write_piece(w, "%" PRId64 "+", view->start[j]);
    if (view->step[j] != 1)
        fsr_write_piece(w, "%" PRId64 "*", view->step[j]);
    fsr_write_piece(w, "d%d", view->from[j]);
}

static void write_view(fsr_writer *w, const fsr_content *n, int rank) {
    if (n->view.kind == FSR_VIEW_RESHAPE) {
        fsr_write(w, " reshape");
        return;
    }
    fsr_write(w, " affine [");
    for (int j = 0; j < rank; j++) {
        if (j)
            fsr_write(w, ", ");
        write_map(w, &n->view, j);
    }
    fsr_write(w, "]");
}

static void write_mode(fsr_writer *w, const fsr_content *n, int rank) {
    (void)rank;
    fsr_write_piece(w, " mode=%s", fsr_index_mode_name(n->mode));
}

static void write_library(fsr_writer *w, const fsr_content *n, int rank) {
    (void)rank;
    fsr_write_piece(w, " %s", fsr_library_word(n->library));
}

/* Words; of a call of the program's own its name, which no text can call. */
static void write_called(fsr_writer *w, const fsr_content *n, int rank) {
    const int words = fsr_called_count(n->called);
    (void)rank;
    if (n->called && n->called->what.name) {
        fsr_write_piece(w, " %s", n->called->what.name);
        return;
    }
    for (int i = 0; i < words; i++)
        fsr_write_piece(w, "%s%" PRId64, i ? ", " : "(", fsr_called_word(n->called, i));
    if (words)
        fsr_write(w, ")");
}

static void write_brief(fsr_writer *w, int values, const fsr_region *r) {
    fsr_write_piece(w, " {%d value%s, %d step%s}", values, values == 1 ? "" : "s", r->ninsts,
                    r->ninsts == 1 ? "" : "s");
}

static void write_combine(fsr_writer *w, const fsr_content *n, int rank) {
    const fsr_combine *c = n->combine;
    (void)rank;
    if (c->builtin) {
        fsr_write_piece(w, " op=%s", fsr_op_get(c->op)->name);
        return;
    }
    if (w->brief) {
        write_brief(w, c->arity, &c->body);
        return;
    }
    fsr_write(w, c->commutative ? " {commutative identity=" : c->sequential ? " {sequential identity=" : " {identity=");
    for (int i = 0; i < c->arity; i++) {
        if (i)
            fsr_write(w, ",");
        fsr_write_value(w, fsr_combine_dtype(c, i), c->identity[i]);
    }
    const fsr_region_text text = fsr_combine_text(c, false);
    fsr_write(w, "; ");
    fsr_write_region(w, &c->body, &text);
    fsr_write(w, "}");
}

static void write_loop(fsr_writer *w, const fsr_content *n, int rank) {
    const fsr_iteration *l = n->loop;
    (void)rank;
    fsr_write_piece(w, " max=%" PRId64, l->max_n);
    if (l->body.ntables)
        fsr_write_piece(w, " tables=%d", l->body.ntables);
    if (w->brief) {
        write_brief(w, l->nstate, &l->body);
        return;
    }
    const fsr_region_text text = fsr_iteration_text(l, false);
    fsr_write(w, " {");
    fsr_write_region(w, &l->body, &text);
    fsr_write(w, "}");
}

/* The body is a graph's text in quotes. */
static void write_rounds(fsr_writer *w, const fsr_content *n, int rank) {
    const fsr_rounds *t = n->rounds;
    (void)rank;
    fsr_write_piece(w, " state=%d slices=%d stacked=%d", t->form.nstate, t->form.nsliced, t->form.nstacked);
    if (t->form.count >= 0)
        fsr_write_piece(w, " turns=%" PRId64, t->form.count);
    fsr_write(w, t->form.reverse ? " reverse" : "");
    fsr_write(w, t->form.conditional ? " while" : "");
    char *text = w->brief ? NULL : fsr_rounds_text(t);
    if (text) {
        fsr_write(w, " ");
        fsr_write_string(w, text);
    }
    free(text);
}

static void write_axes(fsr_writer *w, const fsr_content *n, int rank) {
    const char *before = " axes=";
    for (int i = 0; i < rank; i++) {
        if (!(n->axes >> i & 1))
            continue;
        fsr_write_piece(w, "%s%d", before, i);
        before = ",";
    }
}

/* linked=ltoir "0fa2...": two digits a byte. */
static void write_linked(fsr_writer *w, const fsr_routine *f) {
    static const char digit[] = "0123456789abcdef";
    fsr_write_piece(w, " linked=%s \"", fsr_linked_name(f->linked_form));
    for (size_t i = 0; i < f->linked_bytes; i++)
        fsr_write(w, (char[]){digit[f->linked[i] >> 4], digit[f->linked[i] & 15], 0});
    fsr_write(w, "\"");
}

/* Texts as they are: whoever reads them back gets the same function. */
void fsr_write_routine(fsr_writer *w, const fsr_routine *f) {
    static const char *const key[FSR_ROUTINE_TEXTS] = {"c", "cuda", "c_preamble", "cuda_preamble"};
    char list[FSR_ROUTINE_LIST];
    fsr_write(w, f->name);
    fsr_write(w, "(");
    fsr_write(w, fsr_routine_list(f, list));
    if (f->nresults) {
        fsr_write_piece(w, ") gives %d of (", f->component);
        fsr_write(w, fsr_routine_results(f, list));
    }
    fsr_write(w, ") ulp=");
    fsr_write(w, fsr_number_of('g', 17, f->ulp).text);
    for (int i = 0; i < FSR_ROUTINE_TEXTS && !w->brief; i++) {
        if (i > 0 && !f->text[i][0])
            continue;
        fsr_write_piece(w, " %s=", key[i]);
        fsr_write_string(w, f->text[i]);
    }
    if (f->linked && !w->brief)
        write_linked(w, f);
}

static void write_routine(fsr_writer *w, const fsr_content *n, int rank) {
    (void)rank;
    fsr_write(w, " ");
    fsr_write_routine(w, n->routine);
}

/* ---- one word or number each ------------------------------------------------------------------------------- */

static void write_op(fsr_writer *w, const fsr_content *n, int rank) {
    (void)rank;
    fsr_write(w, fsr_op_get(n->op)->name);
}

static void write_weak(fsr_writer *w, const fsr_content *n, int rank) {
    (void)rank;
    fsr_write(w, n->weak ? " weak" : "");
}

static void write_status(fsr_writer *w, const fsr_content *n, int rank) {
    (void)rank;
    fsr_write_piece(w, " %s ", fsr_status_name(n->status));
}

static void write_message(fsr_writer *w, const fsr_content *n, int rank) {
    (void)rank;
    fsr_write_string(w, n->message);
}

static void write_name(fsr_writer *w, const fsr_content *n, int rank) {
    (void)rank;
    if (!n->name)
        return;
    fsr_write(w, " ");
    fsr_write_string(w, n->name);
}

static void write_value(fsr_writer *w, const fsr_content *n, int rank) {
    (void)rank;
    fsr_write(w, " ");
    fsr_write_value(w, n->dtype[0], n->value);
}

static void write_index(fsr_writer *w, const fsr_content *n, int rank) {
    (void)rank;
    fsr_write_piece(w, " %d", n->index);
}

static void write_axis(fsr_writer *w, const fsr_content *n, int rank) {
    (void)rank;
    fsr_write_piece(w, " axis=%d", n->axis);
}

static void write_product(fsr_writer *w, const fsr_content *n, int rank) {
    (void)rank;
    fsr_write(w, n->product ? " product" : "");
}

static void write_exclusive(fsr_writer *w, const fsr_content *n, int rank) {
    (void)rank;
    fsr_write(w, n->exclusive ? " exclusive" : "");
}

static void write_reverse(fsr_writer *w, const fsr_content *n, int rank) {
    (void)rank;
    fsr_write(w, n->reverse ? " reverse" : "");
}

static void write_front(fsr_writer *w, const fsr_content *n, int rank) {
    (void)rank;
    fsr_write(w, n->front ? " front" : "");
}

static void write_neutral(fsr_writer *w, const fsr_content *n, int rank) {
    (void)rank;
    fsr_write(w, n->neutral ? " neutral" : "");
}

enum { HEAD = 1, IDENTITY = 0 };

static const struct {
    void (*write)(fsr_writer *w, const fsr_content *n, int rank);
    bool head;
} field_of[FSR_FIELD_COUNT] = {
#define FSR_FIELD(name, class, flags) [FSR_FIELD_##name] = {write_##name, (flags)&HEAD},
#include "graph/node_fields.def"
};

void fsr_write_fields(fsr_writer *w, const fsr_content *n, int rank, bool head) {
    for (int i = 0; i < FSR_FIELD_COUNT; i++)
        if (fsr_has(n->kind, (fsr_field)i) && field_of[i].head == head)
            field_of[i].write(w, n, rank);
}

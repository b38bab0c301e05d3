/* SPDX-License-Identifier: MIT */
/* The text form of a graph; its grammar is in graph/print.h.
 *
 * Everything goes through a writer that escapes when asked, so that DOT's labels are the same text. */
#include "graph/print.h"
#include "graph/number.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

static void write_char(fsr_writer *w, char c) {
    bool special = w->escape && (c == '"' || c == '\\' || c == '\n');
    if (special)
        fputc('\\', w->to);
    fputc(special && c == '\n' ? 'n' : c, w->to);
}

void fsr_write(fsr_writer *w, const char *text) {
    for (; *text; text++)
        write_char(w, *text);
}

/* Short pieces only. */
static void piece(fsr_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void piece(fsr_writer *w, const char *format, ...) {
    char text[128];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fsr_write(w, text);
}

/* A caller's string in quotes. */
static void write_string(fsr_writer *w, const char *text) {
    fsr_write(w, "\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            write_char(w, '\\');
        fsr_write(w, *text == '\n' ? "\\n" : (char[]){*text, 0});
    }
    fsr_write(w, "\"");
}

static void write_float(fsr_writer *w, fsr_dtype dtype, fsr_value value, double number) {
    fsr_value plain = fsr_value_from_double(dtype, NAN);
    if (isnan(number) && value.bits != plain.bits)
        piece(w, "nan:%" PRIx64, value.bits);
    else if (isnan(number))
        fsr_write(w, "nan");
    else if (isinf(number))
        fsr_write(w, number > 0 ? "inf" : "-inf");
    else
        fsr_write(w, fsr_number_of('g', fsr_dtype_is_half(dtype) ? 5 : dtype == FSR_F32 ? 9 : 17, number).text);
}

/* The parts, in parentheses: (1,-2). */
static void write_complex(fsr_writer *w, fsr_dtype dtype, fsr_value value) {
    fsr_value re, im;
    fsr_value_parts(dtype, value, &re, &im);
    fsr_write(w, "(");
    fsr_write_value(w, fsr_dtype_real(dtype), re);
    fsr_write(w, ",");
    fsr_write_value(w, fsr_dtype_real(dtype), im);
    fsr_write(w, ")");
}

void fsr_write_value(fsr_writer *w, fsr_dtype dtype, fsr_value value) {
    if (fsr_dtype_is_complex(dtype))
        write_complex(w, dtype, value);
    else if (fsr_dtype_is_float(dtype))
        write_float(w, dtype, value, fsr_value_to_double(dtype, value));
    else if (dtype == FSR_U64)
        piece(w, "%" PRIu64, value.u64);
    else
        piece(w, "%" PRId64, fsr_value_cast(FSR_I64, dtype, value).i64);
}

static void write_extents(fsr_writer *w, const fsr_shape *shape) {
    fsr_write(w, "[");
    for (int i = 0; i < shape->ndim; i++)
        piece(w, i ? ",%" PRId64 : "%" PRId64, shape->dim[i]);
    fsr_write(w, "]");
}

static void write_type(fsr_writer *w, const fsr_rec *rec) {
    fsr_write(w, rec->nout > 1 ? " (" : " ");
    for (int i = 0; i < rec->nout; i++)
        piece(w, i ? ",%s" : "%s", fsr_dtype_name(rec->dtype[i]));
    if (rec->nout > 1)
        fsr_write(w, ")");
    write_extents(w, &rec->shape);
}

static void write_ref(fsr_writer *w, const fsr_order *order, fsr_ref ref) {
    piece(w, "%%%" PRIu32, order->number[ref.id]);
    if (ref.output)
        piece(w, ".%" PRIu32, ref.output);
}

static void write_args(fsr_writer *w, const fsr_order *order, const fsr_rec *rec) {
    for (int i = 0; i < rec->nargs; i++) {
        fsr_write(w, i ? ", " : " ");
        write_ref(w, order, rec->arg[i]);
    }
}

/* Dimension j of a view's source. */
static void write_map(fsr_writer *w, const fsr_view *view, int j) {
    if (view->from[j] < 0) {
        piece(w, "%" PRId64, view->start[j]);
        return;
    }
    if (view->start[j])
        piece(w, "%" PRId64 "+", view->start[j]);
    if (view->step[j] != 1)
        piece(w, "%" PRId64 "*", view->step[j]);
    piece(w, "d%d", view->from[j]);
}

static void write_view(fsr_writer *w, const fsr_graph *g, const fsr_rec *rec) {
    if (rec->view.kind == FSR_VIEW_RESHAPE) {
        fsr_write(w, " reshape");
        return;
    }
    int ndim = fsr_graph_rec(g, rec->arg[0].id)->shape.ndim;
    fsr_write(w, " affine [");
    for (int j = 0; j < ndim; j++) {
        if (j)
            fsr_write(w, ", ");
        write_map(w, &rec->view, j);
    }
    fsr_write(w, "]");
}

static void write_step(fsr_writer *w, const fsr_step *step, int i) {
    piece(w, "s%d=", i);
    if (step->kind == FSR_STEP_ARG) {
        piece(w, "arg %d %s", step->index, fsr_dtype_name(step->dtype));
    } else if (step->kind == FSR_STEP_CONST) {
        piece(w, "const %s ", fsr_dtype_name(step->dtype));
        fsr_write_value(w, step->dtype, step->value);
    } else {
        piece(w, "%s %s", fsr_op_get(step->op)->name, fsr_dtype_name(step->compute));
        if (step->dtype != step->compute)
            piece(w, ">%s", fsr_dtype_name(step->dtype));
        for (int k = 0; k < fsr_op_get(step->op)->arity; k++)
            piece(w, k ? ",s%d" : " s%d", step->arg[k]);
    }
    fsr_write(w, "; ");
}

static void write_steps(fsr_writer *w, const fsr_step *step, int n) {
    for (int i = 0; i < n; i++)
        write_step(w, &step[i], i);
}

static void write_results(fsr_writer *w, const int *result, int n) {
    fsr_write(w, "result=");
    for (int i = 0; i < n; i++)
        piece(w, i ? ",s%d" : "s%d", result[i]);
    fsr_write(w, "}");
}

static void write_combine(fsr_writer *w, const fsr_combine *c) {
    if (c->builtin) {
        piece(w, " op=%s", fsr_op_get(c->op)->name);
        return;
    }
    fsr_write(w, c->commutative ? " {commutative identity=" : " {identity=");
    for (int i = 0; i < c->arity; i++) {
        if (i)
            fsr_write(w, ",");
        fsr_write_value(w, c->dtype[i], c->identity[i]);
    }
    fsr_write(w, "; ");
    write_steps(w, c->step, c->nsteps);
    write_results(w, c->result, c->arity);
}

static void write_loop(fsr_writer *w, const fsr_iteration *l) {
    piece(w, " max=%" PRId64 " {", l->max_n);
    write_steps(w, l->step, l->nsteps);
    piece(w, "while=s%d; ", l->condition);
    write_results(w, l->result, l->nstate);
}

static void write_fold(fsr_writer *w, const fsr_rec *rec) {
    const char *before = " axes=";
    for (int i = 0; rec->kind == FSR_NODE_REDUCE && i < rec->shape.ndim; i++) {
        if (!(rec->axes >> i & 1))
            continue;
        piece(w, "%s%d", before, i);
        before = ",";
    }
    if (rec->kind == FSR_NODE_SCAN)
        piece(w, " axis=%d%s%s", rec->axis, rec->exclusive ? " exclusive" : "", rec->reverse ? " reverse" : "");
    write_combine(w, rec->combine);
}

/* Texts as they are: whoever reads them back gets the same function. */
void fsr_write_routine(fsr_writer *w, const fsr_routine *f) {
    static const char *const key[FSR_ROUTINE_TEXTS] = {"c", "cuda", "c_preamble", "cuda_preamble"};
    char list[FSR_ROUTINE_LIST];
    fsr_write(w, f->name);
    fsr_write(w, "(");
    fsr_write(w, fsr_routine_list(f, list));
    fsr_write(w, ") ulp=");
    fsr_write(w, fsr_number_of('g', 17, f->ulp).text);
    for (int i = 0; i < FSR_ROUTINE_TEXTS; i++) {
        if (i > 0 && !f->text[i][0])
            continue;
        piece(w, " %s=", key[i]);
        write_string(w, f->text[i]);
    }
}

/* A leaf's keyword; NULL for what has arguments. */
static const char *leaf_word(const fsr_rec *rec) {
    if (rec->kind == FSR_NODE_CONST)
        return "const";
    if (rec->kind == FSR_NODE_PARAM)
        return "param";
    if (rec->kind == FSR_NODE_INPUT)
        return "input";
    if (fsr_rec_computed(rec))
        return "data";
    return rec->kind == FSR_NODE_IOTA ? "iota" : rec->kind == FSR_NODE_ARG ? "arg" : NULL;
}

static void write_leaf(fsr_writer *w, const fsr_rec *rec, const char *word) {
    fsr_write(w, word);
    if (rec->kind == FSR_NODE_CONST && rec->weak)
        fsr_write(w, " weak");
    write_type(w, rec);
    if (rec->name) {
        fsr_write(w, " ");
        write_string(w, rec->name);
    }
    if (rec->kind == FSR_NODE_CONST || rec->kind == FSR_NODE_PARAM) {
        fsr_write(w, " ");
        fsr_write_value(w, rec->dtype[0], rec->value);
    }
    if (rec->kind == FSR_NODE_IOTA && !fsr_rec_computed(rec))
        piece(w, " axis=%d", rec->axis);
    if (rec->kind == FSR_NODE_ARG)
        piece(w, " %d", rec->index);
}

static const char *inner_word(fsr_kind kind) {
    switch (kind) {
    case FSR_NODE_CALL: return "call";
    case FSR_NODE_VIEW: return "view";
    case FSR_NODE_PASTE: return "paste";
    case FSR_NODE_PLACE: return "place";
    case FSR_NODE_REDUCE: return "reduce";
    case FSR_NODE_ITERATE: return "iterate";
    default: return "scan";
    }
}

static void write_inner(fsr_writer *w, const fsr_graph *g, const fsr_order *order, const fsr_rec *rec) {
    bool map = rec->kind == FSR_NODE_MAP, view = rec->kind == FSR_NODE_VIEW || rec->kind == FSR_NODE_PASTE;
    fsr_write(w, map ? fsr_op_get(rec->op)->name : inner_word(rec->kind));
    if (map && rec->weak)
        fsr_write(w, " weak");
    write_type(w, rec);
    write_args(w, order, rec);
    if (view)
        write_view(w, g, rec);
    else if (rec->kind == FSR_NODE_CALL) {
        fsr_write(w, " ");
        fsr_write_routine(w, rec->routine);
    } else if (rec->kind == FSR_NODE_REDUCE || rec->kind == FSR_NODE_SCAN)
        write_fold(w, rec);
    else if (rec->kind == FSR_NODE_ITERATE)
        write_loop(w, rec->loop);
}

void fsr_write_node(fsr_writer *w, const fsr_graph *g, const fsr_order *order, uint32_t id) {
    const fsr_rec *rec = fsr_graph_rec(g, id);
    piece(w, "%%%" PRIu32 " = ", order->number[id]);
    if (rec->kind == FSR_NODE_POISON) {
        piece(w, "poison %s ", fsr_status_name(rec->status));
        write_string(w, rec->message);
        return;
    }
    const char *word = leaf_word(rec);
    if (word)
        write_leaf(w, rec, word);
    else
        write_inner(w, g, order, rec);
    if (rec->hint != FSR_HINT_NONE)
        fsr_write(w, rec->hint == FSR_HINT_INLINE ? " hint=inline" : " hint=materialize");
}

fsr_status fsr_graph_print(const fsr_graph *g, const fsr_ref *outs, int n, FILE *to) {
    fsr_order order;
    fsr_status status = fsr_order_make(g, outs, n, &order);
    if (status)
        return status;
    fsr_writer w = {to, false};
    for (uint32_t i = 0; i < order.count; i++) {
        fsr_write_node(&w, g, &order, order.id[i]);
        fsr_write(&w, "\n");
    }
    fsr_write(&w, "return");
    for (int i = 0; i < n; i++) {
        fsr_write(&w, i ? ", " : " ");
        write_ref(&w, &order, outs[i]);
    }
    fsr_write(&w, "\n");
    fsr_order_free(&order);
    return ferror(to) ? FSR_ERR_FILE : FSR_OK;
}

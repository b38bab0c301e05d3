/* SPDX-License-Identifier: MIT */
/* The text form of a graph, read back (grammar: graph/print.h).
 *
 * A line fills a record on the side; it is recorded only when the whole line is read, and then checked by the
 * verifier. So hostile text never leaves a half-made node behind, and whatever is accepted is in normal form.
 * All of it happens in a scope that is discarded on a failure. */
#include "primitives/parse.h"
#include "graph/floats.h"
#include "graph/scope.h"
#include "graph/verify.h"
#include "primitives/parse_lex.h"
#include "primitives/primitives.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A node of the text: its results. */
typedef struct entry {
    fsr_node out[FSR_MAX_OUTPUTS];
    int nout;
} entry;

typedef struct parser {
    fsr_lex lex;
    fsr_graph *g;
    entry *entries;
    int64_t count, capacity;
} parser;

static bool reference(parser *p, fsr_node *node) {
    int64_t number, output = 0;
    *node = (fsr_node){0};
    fsr_lex_expect(&p->lex, "%");
    if (!fsr_lex_int(&p->lex, 0, p->count - 1, &number))
        return false;
    if (fsr_lex_try(&p->lex, "."))
        fsr_lex_int(&p->lex, 0, p->entries[number].nout - 1, &output);
    *node = p->entries[number].out[output];
    return p->lex.status == FSR_OK;
}

/* %a, %b, ... */
static void arguments(parser *p, fsr_rec *rec) {
    do {
        fsr_node node;
        if (rec->nargs == FSR_MAX_ARGS)
            fsr_lex_fail(&p->lex, FSR_ERR_FORMAT, "more than %d arguments", FSR_MAX_ARGS);
        else if (reference(p, &node))
            rec->arg[rec->nargs++] = (fsr_ref){node.id, node.output};
    } while (fsr_lex_try(&p->lex, ","));
}

/* f32[3,4] or (f32,i64)[3,4] */
static void type(parser *p, fsr_rec *rec) {
    fsr_lex *l = &p->lex;
    bool tuple = fsr_lex_try(l, "(");
    for (rec->nout = 0; rec->nout == 0 || (tuple && fsr_lex_try(l, ",")); rec->nout++) {
        if (rec->nout == FSR_MAX_OUTPUTS) {
            fsr_lex_fail(l, FSR_ERR_FORMAT, "more than %d results", FSR_MAX_OUTPUTS);
            return;
        }
        fsr_lex_dtype(l, &rec->dtype[rec->nout]);
    }
    if (tuple)
        fsr_lex_expect(l, ")");
    fsr_lex_expect(l, "[");
    while (!l->status && !fsr_lex_try(l, "]")) {
        if (rec->shape.ndim == FSR_MAX_DIMS)
            fsr_lex_fail(l, FSR_ERR_FORMAT, "more than %d dimensions", FSR_MAX_DIMS);
        else if (rec->shape.ndim == 0 || fsr_lex_expect(l, ","))
            fsr_lex_int(l, 0, INT64_MAX, &rec->shape.dim[rec->shape.ndim++]);
    }
}

static void axis_equals(parser *p, int *axis) {
    int64_t value;
    fsr_lex_expect(&p->lex, "axis=");
    fsr_lex_int(&p->lex, 0, FSR_MAX_DIMS - 1, &value);
    *axis = (int)value;
}

/* START+STEP*dI and its short forms, for dimension j of the source. */
static void map(parser *p, fsr_view *view, int j) {
    fsr_lex *l = &p->lex;
    int64_t number = 0, step = 1, from;
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

static void view(parser *p, fsr_rec *rec) {
    fsr_lex *l = &p->lex;
    type(p, rec);
    arguments(p, rec);
    if (rec->kind == FSR_NODE_VIEW && fsr_lex_try(l, "reshape")) {
        rec->view.kind = FSR_VIEW_RESHAPE;
        return;
    }
    fsr_lex_expect(l, "affine");
    fsr_lex_expect(l, "[");
    int ndim = l->status ? 0 : fsr_graph_rec(p->g, rec->arg[0].id)->shape.ndim;
    for (int j = 0; j < ndim; j++) {
        if (j)
            fsr_lex_expect(l, ",");
        map(p, &rec->view, j);
    }
    fsr_lex_expect(l, "]");
}

static void fold(parser *p, fsr_rec *rec) {
    type(p, rec);
    arguments(p, rec);
    if (rec->kind == FSR_NODE_SCAN) {
        axis_equals(p, &rec->axis);
        rec->exclusive = fsr_lex_try(&p->lex, "exclusive");
        rec->reverse = fsr_lex_try(&p->lex, "reverse");
    } else {
        fsr_lex_expect(&p->lex, "axes=");
        do {
            int64_t axis;
            fsr_lex_int(&p->lex, 0, FSR_MAX_DIMS - 1, &axis);
            rec->axes |= 1u << axis;
        } while (fsr_lex_try(&p->lex, ","));
    }
    fsr_lex_combine(&p->lex, rec->nout, rec->dtype, &rec->combine);
}

static void iterate(parser *p, fsr_rec *rec) {
    fsr_dtype dtype[FSR_MAX_ARGS];
    type(p, rec);
    arguments(p, rec);
    if (!p->lex.status && (rec->nout < 2 || rec->nout - 1 > rec->nargs))
        fsr_lex_fail(&p->lex, FSR_ERR_FORMAT, "%d arguments do not make a loop of %d results", rec->nargs, rec->nout);
    for (int i = 0; !p->lex.status && i < rec->nargs; i++)
        dtype[i] = fsr_graph_rec(p->g, rec->arg[i].id)->dtype[rec->arg[i].output];
    fsr_lex_iteration(&p->lex, rec->nout - 1, rec->nargs, dtype, &rec->loop);
}

/* The value that a weak node carries (see primitives/map.c). */
static fsr_value weak_value(const parser *p, const fsr_rec *rec) {
    fsr_value value[FSR_MAX_ARGS] = {{.bits = 0}};
    const fsr_rec *arg = NULL;
    for (int i = 0; i < rec->nargs; i++) {
        arg = fsr_graph_rec(p->g, rec->arg[i].id);
        value[i] = arg->value;
    }
    if (!arg || fsr_op_get(rec->op)->arity != rec->nargs || !fsr_op_defined(rec->op, arg->dtype[0]))
        return value[0];
    if (rec->op == FSR_OP_CAST)
        return fsr_value_cast(rec->dtype[0], arg->dtype[0], value[0]);
    return fsr_op_eval(rec->op, arg->dtype[0], rec->dtype[0], value);
}

static void operation(parser *p, fsr_rec *rec, const char *word) {
    rec->kind = FSR_NODE_MAP;
    rec->op = fsr_op_find(word);
    if (rec->op == FSR_OP_COUNT) {
        fsr_lex_fail(&p->lex, FSR_ERR_FORMAT, "%s is no node and no op", word);
        return;
    }
    rec->weak = fsr_lex_try(&p->lex, "weak");
    type(p, rec);
    arguments(p, rec);
    if (rec->weak && !p->lex.status)
        rec->value = weak_value(p, rec);
}

static void call(parser *p, fsr_rec *rec) {
    type(p, rec);
    arguments(p, rec);
    fsr_lex_routine(&p->lex, rec->dtype[0], &rec->routine);
}

static void poison(parser *p, fsr_rec *rec) {
    char word[FSR_WORD_BYTES];
    rec->kind = FSR_NODE_POISON;
    if (!fsr_lex_word(&p->lex, word))
        return;
    for (int i = 1; i < FSR_STATUS_COUNT; i++)
        if (!strcmp(word, fsr_status_name((fsr_status)i)))
            rec->status = (fsr_status)i;
    if (rec->status == FSR_OK)
        fsr_lex_fail(&p->lex, FSR_ERR_FORMAT, "%s is no error", word);
    fsr_lex_string(&p->lex, &rec->message);
}

/* A quoted name of letters, digits and _. */
static void name(parser *p, fsr_rec *rec) {
    const char *start = p->lex.at;
    char *text;
    if (!fsr_lex_string(&p->lex, &text))
        return;
    if (fsr_name_size(text)) {
        rec->name = text;
        return;
    }
    free(text);
    p->lex.at = start;
    fsr_lex_fail(&p->lex, FSR_ERR_FORMAT, "not a name of 1 to 63 letters, digits and _");
}

static void leaf(parser *p, fsr_rec *rec) {
    rec->weak = rec->kind == FSR_NODE_CONST && fsr_lex_try(&p->lex, "weak");
    type(p, rec);
    if (rec->kind == FSR_NODE_INPUT || (rec->kind == FSR_NODE_PARAM && fsr_lex_sees(&p->lex, '"')))
        name(p, rec);
    if (rec->kind == FSR_NODE_CONST || rec->kind == FSR_NODE_PARAM)
        fsr_lex_value(&p->lex, rec->dtype[0], &rec->value);
    if (rec->kind == FSR_NODE_IOTA)
        axis_equals(p, &rec->axis);
}

static void hint(parser *p, fsr_rec *rec) {
    if (!fsr_lex_try(&p->lex, "hint="))
        return;
    if (fsr_lex_try(&p->lex, "inline"))
        rec->hint = FSR_HINT_INLINE;
    else if (fsr_lex_expect(&p->lex, "materialize"))
        rec->hint = FSR_HINT_MATERIALIZE;
}

/* Everything after "%3 = ". */
static void node(parser *p, fsr_rec *rec) {
    static const struct {
        const char *word;
        fsr_kind kind;
    } leaves[] = {{"input", FSR_NODE_INPUT},
                  {"data", FSR_NODE_DATA},
                  {"const", FSR_NODE_CONST},
                  {"param", FSR_NODE_PARAM},
                  {"iota", FSR_NODE_IOTA}};
    char word[FSR_WORD_BYTES];
    if (!fsr_lex_word(&p->lex, word))
        return;
    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++)
        if (!strcmp(word, leaves[i].word))
            rec->kind = leaves[i].kind;
    if (rec->kind != FSR_NODE_FREE) {
        leaf(p, rec);
    } else if (!strcmp(word, "view") || !strcmp(word, "paste")) {
        rec->kind = !strcmp(word, "view") ? FSR_NODE_VIEW : FSR_NODE_PASTE;
        view(p, rec);
    } else if (!strcmp(word, "place")) {
        rec->kind = FSR_NODE_PLACE;
        type(p, rec);
        arguments(p, rec);
    } else if (!strcmp(word, "call")) {
        rec->kind = FSR_NODE_CALL;
        call(p, rec);
    } else if (!strcmp(word, "reduce") || !strcmp(word, "scan")) {
        rec->kind = !strcmp(word, "scan") ? FSR_NODE_SCAN : FSR_NODE_REDUCE;
        fold(p, rec);
    } else if (!strcmp(word, "iterate")) {
        rec->kind = FSR_NODE_ITERATE;
        iterate(p, rec);
    } else if (!strcmp(word, "poison")) {
        poison(p, rec);
    } else {
        operation(p, rec, word);
    }
    hint(p, rec);
    fsr_lex_end(&p->lex);
}

/* Records what a line said; takes over what it owns. */
static fsr_node record(parser *p, fsr_rec *said) {
    fsr_node handle;
    fsr_type type = {said->shape, said->nout, {0}};
    if (said->kind == FSR_NODE_POISON)
        return fsr_poison_own(p->g, said->site, said->status, said->message);
    memcpy(type.dtype, said->dtype, sizeof type.dtype);
    fsr_rec *rec = fsr_graph_add(p->g, said->site, "text", said->kind, &type, &handle);
    if (!rec) {
        fsr_rec_clear(said);
        if (fsr_node_status(handle) == FSR_ERR_SIZE)
            fsr_lex_fail(&p->lex, FSR_ERR_FORMAT, "the node is not in normal form: size");
        fsr_lex_fail(&p->lex, FSR_ERR_MEMORY, "out of memory");
        return handle;
    }
    uint64_t stamp = rec->stamp;
    int scope = rec->scope;
    *rec = *said;
    rec->stamp = stamp;
    rec->scope = scope;
    const char *wrong = fsr_rec_check(p->g, rec);
    if (wrong)
        fsr_lex_fail(&p->lex, FSR_ERR_FORMAT, "the node is not in normal form: %s", wrong);
    return handle;
}

/* Result i of data %number as an input named _number or _number_i. */
static fsr_node data_input(parser *p, const fsr_rec *said, int64_t number, int i) {
    fsr_rec input = *said;
    char text[FSR_WORD_BYTES];
    fsr_node wrong;
    snprintf(text, sizeof text, i ? "_%lld_%d" : "_%lld", (long long)number, i);
    input.kind = FSR_NODE_INPUT;
    input.nout = 1;
    input.dtype[0] = said->dtype[i];
    input.name = fsr_name_take(NULL, said->site, "parse", text, &wrong);
    if (!input.name) {
        fsr_lex_fail(&p->lex, FSR_ERR_MEMORY, "out of memory");
        return (fsr_node){0};
    }
    return record(p, &input);
}

static bool grow(parser *p) {
    if (p->count < p->capacity)
        return true;
    int64_t capacity = p->capacity ? 2 * p->capacity : 64;
    entry *grown = realloc(p->entries, (size_t)capacity * sizeof *grown);
    if (!grown)
        return fsr_lex_fail(&p->lex, FSR_ERR_MEMORY, "out of memory");
    p->entries = grown;
    p->capacity = capacity;
    return true;
}

/* "%3 = ..." after its %. */
static void line(parser *p) {
    int64_t number;
    fsr_rec said;
    memset(&said, 0, sizeof said);
    said.nout = 1;
    said.site = fsr_here("text", p->lex.line);
    fsr_lex_int(&p->lex, p->count, p->count, &number);
    fsr_lex_expect(&p->lex, "=");
    if (!p->lex.status && grow(p))
        node(p, &said);
    if (p->lex.status) {
        fsr_rec_clear(&said);
        return;
    }
    entry *e = &p->entries[p->count];
    e->nout = said.nout;
    if (said.kind != FSR_NODE_DATA)
        e->out[0] = record(p, &said);
    for (int i = 0; i < said.nout; i++) {
        if (said.kind == FSR_NODE_DATA)
            e->out[i] = data_input(p, &said, p->count, i);
        else
            e->out[i] = e->out[0];
        e->out[i].output = said.kind == FSR_NODE_DATA ? 0 : (uint32_t)i;
    }
    p->count++;
}

static void result_line(parser *p, fsr_node *outs, int capacity, int *n) {
    bool more = !fsr_lex_sees(&p->lex, '\n');
    while (more) {
        fsr_node out;
        if (*n == capacity)
            fsr_lex_fail(&p->lex, FSR_ERR_FORMAT, "there is no room for more than %d results", capacity);
        else if (reference(p, &out))
            outs[(*n)++] = out;
        more = fsr_lex_try(&p->lex, ",");
    }
    if (fsr_lex_end(&p->lex) && fsr_lex_line(&p->lex))
        fsr_lex_fail(&p->lex, FSR_ERR_FORMAT, "the text goes on after its return line");
}

static void whole_text(parser *p, fsr_node *outs, int capacity, int *n) {
    while (!p->lex.status && fsr_lex_line(&p->lex)) {
        if (fsr_lex_try(&p->lex, "return")) {
            result_line(p, outs, capacity, n);
            return;
        }
        if (fsr_lex_expect(&p->lex, "%"))
            line(p);
    }
    fsr_lex_fail(&p->lex, FSR_ERR_FORMAT, "the return line is missing");
}

fsr_status fsr_graph_parse(fsr_graph *g, const char *text, fsr_node *outs, int capacity, int *n,
                           fsr_parse_error *error) {
    FSR_DEFAULT_FLOATS;
    if (!g || !text || !outs || !n)
        return FSR_ERR_NULL;
    *n = 0;
    if (!fsr_graph_alive(g))
        return FSR_ERR_STALE;
    parser p = {.lex = {text, text, 1, FSR_OK, error}, .g = g};
    int depth = fsr_scope_depth(g);
    fsr_status status = fsr_scope_begin(g);
    if (status)
        return status;
    whole_text(&p, outs, capacity, n);
    if (!p.lex.status)
        p.lex.status = fsr_scope_end(g, outs, *n);
    if (p.lex.status) {
        fsr_scope_discard(g, depth);
        *n = 0;
    }
    free(p.entries);
    return p.lex.status;
}

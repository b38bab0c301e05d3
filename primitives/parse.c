/* SPDX-License-Identifier: MIT */
/* The text form of a graph, read back (grammar: graph/print.h).
 *
 * A line fills a record on the side; it is recorded only when the whole line is read, and then checked by the
 * verifier. So hostile text never leaves a half-made node behind, and whatever is accepted is in normal form.
 * All of it happens in a scope that is discarded on a failure. */
#include "primitives/parse.h"
#include "graph/floats.h"
#include "graph/pairs.h"
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

enum { MAX_PAIRS = 64 }; /* of a line */

typedef struct parser {
    fsr_lex lex;
    fsr_graph *g;
    entry *entries;
    int64_t count, capacity;
    struct {
        int64_t with; /* its number */
        fsr_pair_hint hint;
    } pair[MAX_PAIRS]; /* of the line */
    int npairs;
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

/* %a, %b, ...; a library call may have none. */
static void arguments(parser *p, fsr_rec *rec) {
    if (fsr_is(rec->kind, FSR_IS_LIBRARY) && !fsr_lex_sees(&p->lex, '%'))
        return;
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

static void hint(parser *p, fsr_rec *rec) {
    if (!fsr_lex_try(&p->lex, "hint="))
        return;
    if (fsr_lex_try(&p->lex, "inline"))
        rec->hint = FSR_HINT_INLINE;
    else if (fsr_lex_expect(&p->lex, "materialize"))
        rec->hint = FSR_HINT_MATERIALIZE;
}

/* What is said of the line's node and of earlier ones, or of itself: kept until the node is recorded. */
static void pairs(parser *p) {
    p->npairs = 0;
    while (!p->lex.status) {
        const bool fuse = fsr_lex_try(&p->lex, "fuse=");
        if (!fuse && !fsr_lex_try(&p->lex, "apart="))
            return;
        if (p->npairs == MAX_PAIRS) {
            fsr_lex_fail(&p->lex, FSR_ERR_FORMAT, "more than %d pairs of a node", MAX_PAIRS);
            return;
        }
        p->pair[p->npairs].hint = fuse ? FSR_PAIR_FUSE : FSR_PAIR_APART;
        fsr_lex_expect(&p->lex, "%");
        fsr_lex_int(&p->lex, 0, p->count, &p->pair[p->npairs++].with);
    }
}

static void record_pairs(parser *p, fsr_node x) {
    for (int i = 0; i < p->npairs && !p->lex.status; i++) {
        const int64_t with = p->pair[i].with;
        if (!fsr_pair_add(p->g, with == p->count ? x.id : p->entries[with].out[0].id, x.id, p->pair[i].hint))
            fsr_lex_fail(&p->lex, FSR_ERR_MEMORY, "out of memory");
    }
}

/* The kind of the next word; a word that is no kind's is an op's name, and stays. */
static fsr_kind kind(parser *p) {
    char word[FSR_WORD_BYTES];
    const char *start = p->lex.at;
    if (!fsr_lex_word(&p->lex, word))
        return FSR_NODE_FREE;
    fsr_kind found = fsr_kind_find(word);
    if (found != FSR_KIND_COUNT && !fsr_is(found, FSR_IS_UNBOUND))
        return found;
    p->lex.at = start;
    return FSR_NODE_MAP;
}

/* Everything after "%3 = ". */
static void node(parser *p, fsr_rec *rec) {
    rec->kind = kind(p);
    fsr_lex_fields(&p->lex, p->g, rec, true);
    if (!fsr_is(rec->kind, FSR_IS_POISON))
        type(p, rec);
    if (fsr_kinds[rec->kind].nargs != 0)
        arguments(p, rec);
    fsr_lex_fields(&p->lex, p->g, rec, false);
    if (rec->weak && rec->nargs && !p->lex.status)
        rec->value = weak_value(p, rec);
    hint(p, rec);
    pairs(p);
    fsr_lex_end(&p->lex);
}

/* Records what a line said; takes over what it owns. */
static fsr_node record(parser *p, fsr_rec *said) {
    fsr_node handle;
    fsr_type type = {said->shape, said->nout, {0}};
    if (fsr_is(said->kind, FSR_IS_POISON))
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
    const bool data = fsr_is(said.kind, FSR_IS_ARRAY) && !said.name;
    if (!data) {
        e->out[0] = record(p, &said);
        if (!p->lex.status)
            record_pairs(p, e->out[0]);
    }
    for (int i = 0; i < said.nout; i++) {
        if (data)
            e->out[i] = data_input(p, &said, p->count, i);
        else
            e->out[i] = e->out[0];
        e->out[i].output = data ? 0 : (uint32_t)i;
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

/* Ends the text's scope, which keeps the results and what they need, or every node. */
static fsr_status keep(parser *p, const fsr_node *outs, int n, bool every) {
    if (!every)
        return fsr_scope_end(p->g, outs, n);
    fsr_node *node = malloc(sizeof *node * FSR_MAX_OUTPUTS * (size_t)(p->count + 1));
    int count = 0;
    if (!node || p->count > INT32_MAX / FSR_MAX_OUTPUTS) {
        free(node);
        return FSR_ERR_MEMORY;
    }
    for (int64_t i = 0; i < p->count; i++)
        for (int k = 0; k < p->entries[i].nout; k++)
            node[count++] = p->entries[i].out[k];
    fsr_status status = fsr_scope_end(p->g, node, count);
    free(node);
    return status;
}

static fsr_status parse(fsr_graph *g, const char *text, fsr_node *outs, int capacity, int *n, fsr_parse_error *error,
                        bool every) {
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
        p.lex.status = keep(&p, outs, *n, every);
    if (p.lex.status) {
        fsr_scope_discard(g, depth);
        *n = 0;
    }
    free(p.entries);
    return p.lex.status;
}

fsr_status fsr_graph_parse(fsr_graph *g, const char *text, fsr_node *outs, int capacity, int *n,
                           fsr_parse_error *error) {
    return parse(g, text, outs, capacity, n, error, false);
}

fsr_status fsr_graph_parse_all(fsr_graph *g, const char *text, fsr_node *outs, int capacity, int *n,
                               fsr_parse_error *error) {
    return parse(g, text, outs, capacity, n, error, true);
}

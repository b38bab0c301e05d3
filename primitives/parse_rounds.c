/* SPDX-License-Identifier: MIT */
/* A loop over arrays read back: its body is a graph's text, which is read into a graph of its own and copied from there
 * as a recorded one is, so that the same body has the same bytes. Its inputs and parameters are known by their
 * names. */
#include "primitives/parse_lex.h"
#include "primitives/rounds.h"
#include <stdio.h>
#include <stdlib.h>

/* "name=": a number from 0; false: the word is not there. */
static bool number(fsr_lex *l, const char *name, int64_t most, int64_t *value) {
    return fsr_lex_try(l, name) && fsr_lex_expect(l, "=") && fsr_lex_int(l, 0, most, value);
}

static void head(fsr_lex *l, fsr_rec *rec, fsr_rounds *t) {
    int64_t state = 0, slices = 0, stacked = 0;
    t->form.count = -1;
    if (!number(l, "state", FSR_MAX_OUTPUTS, &state) || !number(l, "slices", FSR_MAX_ARGS, &slices) ||
        !number(l, "stacked", FSR_MAX_OUTPUTS, &stacked))
        fsr_lex_fail(l, FSR_ERR_FORMAT, "expected state=, slices= and stacked=");
    number(l, "turns", INT64_MAX, &t->form.count);
    t->form.reverse = fsr_lex_try(l, "reverse");
    t->form.conditional = fsr_lex_try(l, "while");
    t->form.nstate = (int)state;
    t->form.nsliced = (int)slices;
    t->form.nstacked = (int)stacked;
    t->nsame = rec->nargs - (t->form.count < 0) - t->form.nstate - t->form.nsliced;
    if (t->nsame < 0 || t->form.nstate < 1 || t->form.nstate + t->form.nstacked != rec->nout ||
        (t->form.count < 0 && t->form.nsliced + t->form.nstacked > 0))
        fsr_lex_fail(l, FSR_ERR_FORMAT, "%d arguments and %d results do not make such a loop", rec->nargs, rec->nout);
}

/* The number in a name that begins with `word`; -1: it does not. */
static int number_in(const char *name, const char *word) {
    const size_t size = strlen(word);
    if (strncmp(name, word, size) != 0 || name[size] < '0' || name[size] > '9' || strlen(name + size) > 2)
        return -1;
    return atoi(name + size);
}

/* The operand that an input or a parameter of the body stands for; FSR_MAX_ARGS: none. */
static int operand_of(const fsr_rounds *t, const char *name) {
    static const char *const word[] = {"state", "slice", "same"};
    const int count[] = {t->form.nstate, t->form.nsliced, t->nsame};
    for (int i = 0, first = 0; name && i < 3; first += count[i++]) {
        const int n = number_in(name, word[i]);
        if (n >= 0 && n < count[i])
            return first + n;
    }
    return FSR_MAX_ARGS;
}

/* A node for an operand that the body does not use, of the type that the argument gives it. */
static bool stand_in(fsr_lex *l, fsr_rounds_source *s, int k, const fsr_rec *arg, uint32_t output) {
    const int drop = k >= s->rounds->form.nstate && k < s->rounds->form.nstate + s->rounds->form.nsliced;
    fsr_type type = {arg->shape, 1, {arg->dtype[output]}};
    fsr_node handle;
    if (drop && arg->shape.ndim == 0)
        return fsr_lex_fail(l, FSR_ERR_FORMAT, "an argument without slices");
    type.shape.ndim -= drop;
    memmove(type.shape.dim, type.shape.dim + drop, sizeof type.shape.dim[0] * (size_t)type.shape.ndim);
    if (!fsr_graph_add(s->from, s->at, "text", FSR_NODE_ARG, &type, &handle))
        return fsr_lex_fail(l, FSR_ERR_MEMORY, "out of memory");
    s->stand[k] = handle.id;
    return true;
}

/* Which nodes of the body stand for what. */
static bool find_stands(fsr_lex *l, fsr_rounds_source *s, const fsr_graph *g, const fsr_rec *rec) {
    for (int k = 0; k < FSR_MAX_ARGS; k++)
        s->stand[k] = UINT32_MAX;
    s->number = UINT32_MAX;
    for (uint32_t id = 1; id < fsr_graph_slots(s->from); id++) {
        const fsr_rec *node = fsr_graph_rec(s->from, id);
        const int k = operand_of(s->rounds, node->name);
        if (k < FSR_MAX_ARGS)
            s->stand[k] = id;
        else if (node->name && !strcmp(node->name, "turn") && fsr_is(node->kind, FSR_IS_ARGUMENT) &&
                 node->dtype[0] == FSR_I64)
            s->number = id;
    }
    for (int k = 0; k < fsr_rounds_operands(s->rounds); k++) {
        if (s->stand[k] != UINT32_MAX)
            continue;
        if (k >= s->rounds->form.nstate + s->rounds->form.nsliced)
            return fsr_lex_fail(l, FSR_ERR_FORMAT, "the body does not use argument %d", k);
        if (!stand_in(l, s, k, fsr_graph_rec(g, rec->arg[k].id), rec->arg[k].output))
            return false;
    }
    return true;
}

/* A result that is a next state has the type of the state; a condition is a 0-d bool. */
static bool results_take(fsr_lex *l, fsr_rounds_source *s, const fsr_node *out, int n) {
    const fsr_rounds *t = s->rounds;
    const int results = t->form.nstate + t->form.nstacked;
    if (n != results + t->form.conditional)
        return fsr_lex_fail(l, FSR_ERR_FORMAT, "the body has %d results, not %d", n, results + t->form.conditional);
    for (int i = 0; i < n; i++) {
        const fsr_rec *rec = fsr_node_rec(out[i]);
        const fsr_rec *state = i < t->form.nstate ? fsr_graph_rec(s->from, s->stand[i]) : NULL;
        const bool same =
            state ? fsr_shape_equal(&rec->shape, &state->shape) && state->dtype[0] == rec->dtype[out[i].output]
                  : i < results || (rec->shape.ndim == 0 && rec->dtype[out[i].output] == FSR_BOOL);
        if (!same)
            return fsr_lex_fail(l, FSR_ERR_FORMAT, "result %d of the body is of another type", i);
        if (i < results)
            s->result[i] = (fsr_ref){out[i].id, out[i].output};
        else
            s->condition = (fsr_ref){out[i].id, out[i].output};
    }
    return true;
}

/* Reads the body into a graph and copies it. */
static bool body(fsr_lex *l, const fsr_graph *g, const fsr_rec *rec, fsr_rounds *t, const char *text) {
    fsr_node out[FSR_MAX_OUTPUTS + 1];
    fsr_parse_error why = {0};
    int n = 0;
    fsr_graph *from = fsr_graph_create_inner(g);
    fsr_rounds_source source = {.from = from, .at = rec->site, .depth = -1, .rounds = t};
    bool good = from || fsr_lex_fail(l, FSR_ERR_MEMORY, "out of memory");
    const fsr_status status =
        good ? fsr_graph_parse_all(from, text, out, FSR_MAX_OUTPUTS + 1, &n, &why) : FSR_ERR_MEMORY;
    if (good && status)
        good = fsr_lex_fail(l, status, "line %d of the body: %.80s", why.line, why.message);
    good = good && find_stands(l, &source, g, rec) && results_take(l, &source, out, n);
    if (good && !fsr_rounds_copy(&source))
        good = fsr_lex_fail(l, source.problem ? FSR_ERR_FORMAT : FSR_ERR_MEMORY, "the body %s",
                            source.problem ? source.problem : "needs more memory than there is");
    fsr_graph_destroy_inner(from);
    return good;
}

bool fsr_lex_rounds(fsr_lex *l, const fsr_graph *g, fsr_rec *rec) {
    char *text = NULL;
    fsr_rounds *t = l->status ? NULL : fsr_rounds_new(g);
    if (!t)
        return fsr_lex_fail(l, FSR_ERR_MEMORY, "out of memory");
    head(l, rec, t);
    if (!l->status && fsr_lex_string(l, &text) && body(l, g, rec, t, text))
        rec->rounds = fsr_rounds_ref(t);
    free(text);
    fsr_rounds_unref(t);
    return l->status == FSR_OK;
}

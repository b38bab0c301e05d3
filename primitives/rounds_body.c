/* SPDX-License-Identifier: MIT */
/* The body of a loop over arrays, copied into a graph of its own.
 *
 * What is computed of an argument is the body's own and is copied. What is not is the same in every turn: computed
 * once, outside, and an argument of the loop; but for literals, indices, sizes and views, which cost nothing, and what
 * is made of indices alone by a few operations, which are copied too. The walk goes from the results to what they need,
 * arguments first, without recursion, and copies in that order; so a body that was printed and read back is copied as
 * the same bytes. The condition is copied twice: of the state, and of the results in place of the state.
 * Counter-example to taking nodes from outside as they are: each turn would compute them anew. */
#include "graph/pairs.h"
#include "graph/scope.h"
#include "primitives/rounds.h"
#include <stdio.h>
#include <stdlib.h>

static const char what[] = "loop";

/* One walk. */
typedef struct copy {
    fsr_rounds_source *s;
    const bool *own; /* by node of the source */
    fsr_ref *image;  /* by node of the source: its copy, id 0: none yet. No node of a body has id 0 */
    uint32_t *stack;
    size_t depth, capacity;
} copy;

static bool failed(copy *c, const char *problem) {
    c->s->problem = problem;
    return false;
}

/* ---- what is the body's own ------------------------------------------------------------------------------------- */

static bool stands(const fsr_rounds_source *s, uint32_t id) {
    const fsr_rounds *t = s->rounds;
    for (int k = 0; k < fsr_rounds_operands(t); k++)
        if (s->stand[k] == id)
            return true;
    return s->number == id;
}

/* What others may not read as well is the body's own, too. */
static bool *own_nodes(const fsr_rounds_source *s) {
    const fsr_graph *g = s->from;
    bool *own = calloc(fsr_graph_slots(g), sizeof *own);
    for (int d = s->depth + 1; own && d <= fsr_scope_depth(g); d++)
        for (uint32_t id = fsr_scope_oldest(g, d); id != FSR_NO_NODE; id = fsr_scope_after(g, id)) {
            const fsr_rec *rec = fsr_graph_rec(g, id);
            own[id] = stands(s, id) || fsr_is(rec->kind, FSR_IS_DISTINCT);
            for (int i = 0; i < rec->nargs; i++)
                own[id] = own[id] || own[rec->arg[i].id];
        }
    return own;
}

/* Costs nothing wherever it is: a literal, an index, a size, a view of an array. */
static bool is_free(const fsr_rec *rec, uint32_t output) {
    if (fsr_is(rec->kind, FSR_IS_LITERAL))
        return true;
    if (rec->buffer[output])
        return false;
    if (fsr_is(rec->kind, FSR_IS_VIEW))
        return true;
    return rec->nargs == 0 && !rec->name && !fsr_is(rec->kind, FSR_IS_ARRAY | FSR_IS_UNBOUND | FSR_IS_POISON);
}

enum { MOST_INDEX_OPS = 6, CHEAP = 2 };

/* A whole number made of indices and literals by a few cheap operations: computing it in every turn costs less than
 * reading it. Counts the operations. */
static bool is_index(const fsr_graph *g, fsr_ref ref, int *ops) {
    const fsr_rec *rec = fsr_graph_rec(g, ref.id);
    const bool each = fsr_is(rec->kind, FSR_IS_EACH) && fsr_is(rec->kind, FSR_IS_INSTRUCTION);
    if (fsr_dtype_is_inexact(rec->dtype[ref.output]) || rec->buffer[ref.output] || rec->hint == FSR_HINT_MATERIALIZE)
        return false;
    if (!rec->nargs)
        return is_free(rec, ref.output);
    if (!fsr_is(rec->kind, FSR_IS_VIEW) &&
        (!each || rec->nout != 1 || fsr_op_get(rec->op)->cost > CHEAP || ++*ops > MOST_INDEX_OPS))
        return false;
    for (int i = 0; i < rec->nargs; i++)
        if (!is_index(g, rec->arg[i], ops))
            return false;
    return true;
}

/* ---- nodes of the body ------------------------------------------------------------------------------------------- */

/* A node of the body; its id, 0: out of memory, or its size overflows. */
static uint32_t add(copy *c, fsr_site at, fsr_kind kind, const fsr_type *type, fsr_rec **rec) {
    fsr_node handle;
    *rec = fsr_graph_add(c->s->rounds->body, at, what, kind, type, &handle);
    return *rec ? handle.id : 0;
}

/* An array, or a scalar if `of` is one, that each run gives. */
static uint32_t add_given(copy *c, const fsr_rec *of, uint32_t output, const char *name) {
    const bool scalar = fsr_is(of->kind, FSR_IS_ARGUMENT);
    const fsr_type type = {of->shape, 1, {of->dtype[output]}};
    fsr_node poison;
    fsr_rec *rec;
    char *copied = fsr_name_take(c->s->rounds->body, of->site, what, name, &poison);
    const uint32_t id = copied ? add(c, of->site, scalar ? FSR_NODE_PARAM : FSR_NODE_INPUT, &type, &rec) : 0;
    if (id)
        rec->name = copied;
    else
        free(copied);
    return id;
}

/* The node for operand k, which `of` stands for, or is. */
static bool add_operand(copy *c, int k, const fsr_rec *of, uint32_t output) {
    fsr_rounds *t = c->s->rounds;
    const int sliced = t->form.nstate, same = sliced + t->form.nsliced;
    char name[32];
    snprintf(name, sizeof name, "%s%d",
             k < sliced ? "state"
             : k < same ? "slice"
                        : "same",
             k - (k < sliced ? 0
                  : k < same ? sliced
                             : same));
    t->node[k] = add_given(c, of, output, name);
    return t->node[k] != 0 || failed(c, NULL);
}

/* A node that stands for an operand, or for the number; the operand's is made when it is met first. */
static bool take_stand(copy *c, uint32_t id) {
    fsr_rounds *t = c->s->rounds;
    const fsr_rec *rec = fsr_graph_rec(c->s->from, id);
    if (id == c->s->number) {
        if (!t->number)
            t->number = add_given(c, rec, 0, "turn");
        c->image[id] = (fsr_ref){t->number, 0};
        return t->number != 0 || failed(c, NULL);
    }
    int k = 0;
    while (c->s->stand[k] != id)
        k++;
    if (!t->node[k] && !add_operand(c, k, rec, 0))
        return false;
    c->image[id] = (fsr_ref){t->node[k], 0};
    return true;
}

_Static_assert(FSR_MAX_ARGS == 17, "what is said of too many values names their number");
/* The body's node for a result from outside, which becomes an operand. */
static bool take_outside(copy *c, fsr_ref ref, fsr_ref *image) {
    fsr_rounds *t = c->s->rounds;
    const int first = t->form.nstate + t->form.nsliced;
    int k = first;
    while (k < fsr_rounds_operands(t) &&
           (c->s->operand[k].id != ref.id || c->s->operand[k].output != ref.output || c->s->stand[k] != FSR_NO_NODE))
        k++;
    if (k == fsr_rounds_operands(t)) {
        if (k + (t->form.count < 0) >= FSR_MAX_ARGS)
            return failed(c,
                          "uses too many values from outside: with its state and the arrays that sparse matrices keep "
                          "they are 17 at most");
        c->s->operand[k] = ref;
        c->s->stand[k] = FSR_NO_NODE;
        t->nsame++;
        if (!add_operand(c, k, fsr_graph_rec(c->s->from, ref.id), ref.output))
            return false;
    }
    *image = (fsr_ref){t->node[k], 0};
    return true;
}

/* ---- the walk ---------------------------------------------------------------------------------------------- */

/* The node's results are copied, or will be: it is not taken from outside. */
static bool is_copied(const copy *c, fsr_ref ref) {
    int ops = 0;
    return c->own[ref.id] || is_free(fsr_graph_rec(c->s->from, ref.id), ref.output) || is_index(c->s->from, ref, &ops);
}

/* The copy of a result; *image's id 0: it is to be copied first. */
static bool image_of(copy *c, fsr_ref ref, fsr_ref *image) {
    if (stands(c->s, ref.id) && !c->image[ref.id].id && !take_stand(c, ref.id))
        return false;
    *image = c->image[ref.id];
    image->output += ref.output;
    return image->id || is_copied(c, ref) || take_outside(c, ref, image);
}

static bool push(copy *c, uint32_t id) {
    if (c->depth == c->capacity) {
        size_t capacity = c->capacity ? c->capacity * 2 : 64;
        uint32_t *grown = realloc(c->stack, sizeof *grown * capacity);
        if (!grown)
            return failed(c, NULL);
        c->stack = grown;
        c->capacity = capacity;
    }
    c->stack[c->depth++] = id;
    return true;
}

/* The node with images as arguments. */
static bool copy_node(copy *c, uint32_t id, const fsr_ref *arg) {
    const fsr_rec *from = fsr_graph_rec(c->s->from, id);
    fsr_type type = {from->shape, from->nout, {0}};
    fsr_content content = {.nargs = 0};
    fsr_rec *rec;
    memcpy(type.dtype, from->dtype, sizeof type.dtype);
    if (!fsr_content_copy(&content, &from->content))
        return failed(c, NULL);
    c->image[id] = (fsr_ref){add(c, from->site, from->kind, &type, &rec), 0};
    if (!c->image[id].id) {
        fsr_content_clear(&content);
        return failed(c, NULL);
    }
    rec->content = content;
    rec->lead = from->lead;
    rec->says = from->says;
    memcpy(rec->arg, arg, sizeof rec->arg);
    return true;
}

/* One step for the node on top of the stack: an argument that is to be copied first, or itself. */
static bool visit(copy *c) {
    const uint32_t id = c->stack[c->depth - 1];
    const fsr_rec *rec = fsr_graph_rec(c->s->from, id);
    fsr_ref arg[FSR_MAX_ARGS] = {{0}};
    for (int i = 0; i < rec->nargs && !c->image[id].id; i++) {
        if (!image_of(c, rec->arg[i], &arg[i]))
            return false;
        if (!arg[i].id)
            return push(c, rec->arg[i].id);
    }
    --c->depth;
    return c->image[id].id || copy_node(c, id, arg);
}

/* Copies what a result needs. */
static bool copy_result(copy *c, fsr_ref ref, fsr_ref *image) {
    if (!image_of(c, ref, image))
        return false;
    if (!image->id && !push(c, ref.id))
        return false;
    while (c->depth)
        if (!visit(c))
            return false;
    return image_of(c, ref, image);
}

/* ---- conditions -------------------------------------------------------------------------------------------- */

static fsr_node handle_of(const fsr_rounds *t, fsr_ref ref) {
    return fsr_graph_handle(t->body, ref.id, ref.output);
}

/* A node that a builder has made in the body. */
static bool made(copy *c, fsr_node node, fsr_ref *ref) {
    *ref = (fsr_ref){node.id, node.output};
    return fsr_node_sound(node) || failed(c, NULL);
}

/* The condition of the state that the results are. */
static bool copy_again(copy *c, fsr_ref *images) {
    fsr_rounds_source *s = c->s;
    fsr_rounds *t = s->rounds;
    copy again = *c;
    again.image = images;
    for (int i = 0; i < t->form.nstate; i++)
        images[s->stand[i]] = t->result[i];
    const fsr_node one = fsr_literal(t->body, s->at, FSR_I64, fsr_value_from_int(FSR_I64, 1), false);
    fsr_node next = fsr_node_sound(one) ? fsr_add_at(s->at, handle_of(t, (fsr_ref){t->number, 0}), one) : one;
    fsr_ref ref;
    bool good = made(c, next, &ref);
    if (good && s->number != FSR_NO_NODE)
        images[s->number] = ref;
    good = good && copy_result(&again, s->condition, &t->again);
    c->stack = again.stack;
    c->depth = again.depth;
    c->capacity = again.capacity;
    return good;
}

/* Results that stay as they are once the loop has ended. */
static bool guard(copy *c) {
    fsr_rounds *t = c->s->rounds;
    const fsr_type type = {.nout = 1, .dtype = {FSR_BOOL}};
    fsr_rec rec = {.site = c->s->at, .nout = 1};
    fsr_node go;
    rec.kind = FSR_NODE_INPUT;
    rec.dtype[0] = type.dtype[0];
    t->go = add_given(c, &rec, 0, "go");
    if (!t->go)
        return failed(c, NULL);
    go = handle_of(t, (fsr_ref){t->go, 0});
    for (int i = 0; i < t->form.nstate; i++)
        if (!made(c, fsr_where_at(c->s->at, go, handle_of(t, t->result[i]), handle_of(t, (fsr_ref){t->node[i], 0})),
                  &t->guarded[i]))
            return false;
    return made(c, fsr_logical_and_at(c->s->at, go, handle_of(t, t->again)), &t->still);
}

/* Operands that nothing needs have nodes all the same. */
static bool complete(copy *c) {
    fsr_rounds *t = c->s->rounds;
    for (int k = 0; k < fsr_rounds_operands(t); k++)
        if (!t->node[k] && !add_operand(c, k, fsr_graph_rec(c->s->from, c->s->stand[k]), 0))
            return false;
    if (!t->number) {
        fsr_rec rec = {.site = c->s->at, .nout = 1};
        rec.kind = FSR_NODE_PARAM;
        rec.dtype[0] = FSR_I64;
        t->number = add_given(c, &rec, 0, "turn");
    }
    return t->number != 0 || failed(c, NULL);
}

static bool image_of_id(const void *data, uint32_t id, uint32_t *image) {
    const copy *c = data;
    *image = c->image[id].id;
    return *image != 0 && c->own[id];
}

static bool copy_all(copy *c, fsr_ref *images) {
    fsr_rounds *t = c->s->rounds;
    for (int i = 0; i < t->form.nstate + t->form.nstacked; i++)
        if (!copy_result(c, c->s->result[i], &t->result[i]))
            return false;
    if (t->form.conditional && !copy_result(c, c->s->condition, &t->first))
        return false;
    if (!complete(c) || (t->form.conditional && (!copy_again(c, images) || !guard(c))))
        return false;
    return (fsr_pairs_copy(c->s->from, t->body, image_of_id, c) && fsr_rounds_sign(t)) || failed(c, NULL);
}

bool fsr_rounds_copy(fsr_rounds_source *s) {
    const size_t slots = fsr_graph_slots(s->from);
    bool *own = own_nodes(s);
    fsr_ref *image = calloc(slots, sizeof *image), *again = calloc(slots, sizeof *again);
    copy c = {.s = s, .own = own, .image = image};
    s->problem = NULL;
    const bool good = own && image && again && copy_all(&c, again);
    free(c.stack);
    free(own);
    free(image);
    free(again);
    return good;
}

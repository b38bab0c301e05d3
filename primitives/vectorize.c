/* SPDX-License-Identifier: MIT */
/* A row function over arrays of higher rank.
 *
 * The body is recorded once on arguments of core rank, in a scope of its own. Then every node of that scope that needs
 * an argument is recorded again with the leading dimensions before its own: axes move by their number, views leave the
 * leading dimensions as they are, maps are maps, filters go along the last dimension. What needs no argument is the
 * same for every row: it is used as it is, broadcast where it meets something that does.
 * Nodes are visited in the order of recording, so arguments come first and nothing recurses. The scope is ended with
 * the results kept: the body's own nodes go.
 * Counter-example to calling the body on the whole arrays: its axis 0 would be a leading dimension.
 *
 * The body is the caller's code and may do anything; what it left is checked as an operator's (body.c). */
#include "graph/pairs.h"
#include "graph/scope.h"
#include "graph/sparse.h"
#include "primitives/body.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char what[] = "vectorize", whose[] = "row function";

typedef struct rows {
    fsr_graph *g;
    fsr_site at;
    fsr_signature s;
    fsr_shape lead;
    int64_t extent[FSR_MAX_NAMES]; /* of each name; -1: not known yet */
    fsr_node in[FSR_MAX_CORE];     /* operands, broadcast to lead and their core */
    fsr_node arg[FSR_MAX_CORE];
    fsr_node *image; /* of each of the body's nodes by its id; null: it needs no argument */
    uint32_t slots;  /* of images */
    fsr_node poison;
} rows;

static bool no_memory(rows *r) {
    r->poison = fsr_graph_no_memory(r->g);
    return false;
}

static fsr_words name_of(const rows *r, int name) {
    fsr_words words;
    snprintf(words.text, sizeof words.text, "%.*s", r->s.name_size[name], r->s.name[name]);
    return words;
}

/* ---- operands ------------------------------------------------------------------------------------------ */

/* Binds or compares the core dimensions of x, its last ones. */
static bool core_take(rows *r, const fsr_core *core, const char *role, int number, fsr_node x) {
    const fsr_shape *shape = &fsr_node_rec(x)->shape;
    for (int i = 0; i < core->ndim; i++) {
        int64_t have = shape->dim[shape->ndim - core->ndim + i];
        int64_t *want = core->name[i] < 0 ? NULL : &r->extent[core->name[i]];
        if (want && *want < 0)
            *want = have;
        if (have == (want ? *want : core->extent[i]))
            continue;
        if (want)
            r->poison = fsr_poison(r->g, r->at, FSR_ERR_SHAPE, what, "%s is %lld elsewhere, but %lld in %s %d, %s",
                                   name_of(r, core->name[i]).text, (long long)*want, (long long)have, role, number,
                                   fsr_say(x).text);
        else
            r->poison = fsr_poison(r->g, r->at, FSR_ERR_SHAPE, what, "%s %d, %s, has %lld where the signature has %lld",
                                   role, number, fsr_say(x).text, (long long)have, (long long)core->extent[i]);
        return false;
    }
    return true;
}

/* lead, then the last n dimensions of shape. False: too many. */
static bool lead_join(const rows *r, const fsr_shape *shape, int n, fsr_shape *out) {
    *out = r->lead;
    if (r->lead.ndim + n > FSR_MAX_DIMS)
        return false;
    memcpy(out->dim + r->lead.ndim, shape->dim + shape->ndim - n, sizeof shape->dim[0] * (size_t)n);
    out->ndim += n;
    return true;
}

static bool too_deep(rows *r, fsr_node x) {
    r->poison =
        fsr_poison(r->g, r->at, FSR_ERR_SHAPE, what, "%s of the %s and %d leading dimensions would have more than %d",
                   fsr_say(x).text, whose, r->lead.ndim, FSR_MAX_DIMS);
    return false;
}

/* x for every row. ndim: its core dimensions. */
static bool spread(rows *r, fsr_node *x, int ndim) {
    fsr_shape shape, whole;
    if (!lead_join(r, &fsr_node_rec(*x)->shape, ndim, &shape))
        return too_deep(r, *x);
    if (!fsr_shape_take(r->g, r->at, what, fsr_node_dtype(*x), shape.ndim, shape.dim, &whole, &r->poison))
        return false;
    *x = fsr_stretch(r->at, *x, &whole);
    r->poison = *x;
    return fsr_node_sound(*x) != NULL;
}

/* Binds the names and finds the leading dimensions. */
static bool operands_take(rows *r, const fsr_node *in) {
    for (int i = 0; i < r->s.nin; i++) {
        r->in[i] = fsr_strong(r->at, in[i]);
        r->poison = r->in[i];
        if (!fsr_node_sound(r->in[i]))
            return false;
        fsr_shape lead = fsr_node_rec(r->in[i])->shape;
        if (lead.ndim < r->s.core[i].ndim) {
            r->poison = fsr_poison(r->g, r->at, FSR_ERR_SHAPE, what,
                                   "operand %d, %s, has not the %d core dimensions of the signature", i + 1,
                                   fsr_say(in[i]).text, r->s.core[i].ndim);
            return false;
        }
        if (!core_take(r, &r->s.core[i], "operand", i + 1, r->in[i]))
            return false;
        lead.ndim -= r->s.core[i].ndim;
        if (!fsr_shape_broadcast(&r->lead, &lead, &r->lead)) {
            r->poison = fsr_poison(r->g, r->at, FSR_ERR_SHAPE, what,
                                   "the leading dimensions %s of operand %d do not broadcast with %s before it",
                                   fsr_say_shape(&lead).text, i + 1, fsr_say_shape(&r->lead).text);
            return false;
        }
    }
    return true;
}

static bool signature_take(rows *r, const char *signature, int nin, int nout) {
    int column;
    const char *wrong = signature ? fsr_signature_read(&r->s, signature, &column) : NULL;
    if (!signature) {
        r->poison = fsr_poison(r->g, r->at, FSR_ERR_NULL, what, "the signature is null");
    } else if (wrong) {
        r->poison = fsr_poison(r->g, r->at, FSR_ERR_VALUE, what, "%s at column %d of the signature \"%.80s\"", wrong,
                               column, signature);
    } else if (r->s.nin != nin || r->s.nout != nout) {
        r->poison = fsr_poison(r->g, r->at, FSR_ERR_VALUE, what,
                               "the signature \"%.80s\" is of %d operands and %d results, the call of %d and %d",
                               signature, r->s.nin, r->s.nout, nin, nout);
        wrong = signature;
    }
    for (int i = 0; i < r->s.nnames; i++)
        r->extent[i] = -1;
    return signature && !wrong;
}

/* ---- the body -------------------------------------------------------------------------------------------- */

static bool args_make(rows *r) {
    for (int i = 0; i < r->s.nin; i++) {
        const fsr_rec *from = fsr_node_rec(r->in[i]);
        int ndim = r->s.core[i].ndim;
        fsr_type type = {{.ndim = ndim}, 1, {from->dtype[r->in[i].output]}};
        memcpy(type.shape.dim, from->shape.dim + from->shape.ndim - ndim, sizeof type.shape.dim[0] * (size_t)ndim);
        fsr_rec *rec = fsr_graph_add(r->g, r->at, what, FSR_NODE_ARG, &type, &r->arg[i]);
        r->poison = r->arg[i];
        if (!rec)
            return false;
        rec->index = i;
        if (!spread(r, &r->in[i], ndim))
            return false;
    }
    return true;
}

static bool result_take(rows *r, int i, fsr_node *result) {
    *result = fsr_strong(r->at, fsr_body_result(r->g, r->at, what, whose, i, *result));
    r->poison = *result;
    const fsr_rec *rec = fsr_node_sound(*result);
    if (!rec)
        return false;
    const fsr_core *core = &r->s.core[r->s.nin + i];
    if (fsr_node_length(*result)) {
        r->poison = fsr_poison(r->g, r->at, FSR_ERR_UNSUPPORTED, what,
                               "result %d of the %s, %s, has a length of its own in each row; fsr_filled gives it its "
                               "capacity",
                               i, whose, fsr_say(*result).text);
        return false;
    }
    if (rec->shape.ndim == core->ndim)
        return core_take(r, core, "result", i, *result);
    r->poison = fsr_poison(r->g, r->at, FSR_ERR_SHAPE, what, "result %d of the %s is %s, not of %d dimensions", i,
                           whose, fsr_say(*result).text, core->ndim);
    return false;
}

/* ---- recording again ---------------------------------------------------------------------------------------- */

static bool needs_argument(const rows *r, const fsr_rec *rec) {
    for (int i = 0; i < rec->nargs; i++)
        if (r->image[rec->arg[i].id].graph)
            return true;
    return false;
}

/* A whole argument of rec is each row's own: false. The loop may be one that a sum of segments is made of. */
static bool takes_own(rows *r, const fsr_rec *rec) {
    if (rec->routine)
        r->poison = fsr_poison(r->g, rec->site, FSR_ERR_UNSUPPORTED, what,
                               "the function %s in the %s takes a whole array that each row has its own of",
                               rec->routine->name, whose);
    else
        r->poison = fsr_poison(r->g, rec->site, FSR_ERR_UNSUPPORTED, what,
                               "a loop of the %s, or of an operation in it, takes elements of an array that each row "
                               "has its own of",
                               whose);
    return false;
}

/* The arguments of the copy: images, and what needs no argument for every row. What an operator takes besides its
 * operands is a parameter, the same for all rows, and so is an array that a loop takes elements of. */
static bool args_again(rows *r, const fsr_rec *rec, fsr_ref *arg) {
    for (int i = 0; i < rec->nargs; i++) {
        if (fsr_is(rec->kind, FSR_IS_FOLD) && i >= rec->nout) {
            arg[i] = rec->arg[i];
            continue;
        }
        fsr_node x = r->image[rec->arg[i].id];
        if (i >= fsr_own_arguments(&rec->content)) {
            arg[i] = rec->arg[i];
            if (!x.graph)
                continue;
            return takes_own(r, rec);
        }
        if (x.graph) {
            arg[i] = (fsr_ref){x.id, x.output + rec->arg[i].output};
            continue;
        }
        x = fsr_graph_handle(r->g, rec->arg[i].id, rec->arg[i].output);
        if (!spread(r, &x, fsr_node_ndim(x)))
            return false;
        arg[i] = (fsr_ref){x.id, x.output};
    }
    return true;
}

/* Records node `id` again, of the shape `whole`, on arguments for all rows. */
typedef bool (*again_fn)(rows *r, uint32_t id, const fsr_shape *whole, const fsr_ref *arg);

static bool again_never(rows *r, uint32_t id, const fsr_shape *whole, const fsr_ref *arg) {
    (void)whole, (void)arg;
    r->poison = fsr_poison(r->g, fsr_graph_rec(r->g, id)->site, FSR_ERR_UNSUPPORTED, what,
                           "an operation of the %s cannot be mapped", whose);
    return false;
}

/* The same with the leading dimensions before its own. */
static bool again_plain(rows *r, uint32_t id, const fsr_shape *whole, const fsr_ref *arg) {
    const fsr_rec *rec = fsr_graph_rec(r->g, id);
    fsr_content content = {.nargs = 0};
    fsr_node copy = {0};
    fsr_type type = {*whole, rec->nout, {0}};
    if (!fsr_content_copy(&content, &rec->content))
        return no_memory(r);
    fsr_content_lead(&content, fsr_graph_rec(r->g, rec->arg[0].id)->shape.ndim, r->lead.ndim);
    content.shape = *whole;
    memcpy(type.dtype, rec->dtype, sizeof type.dtype);
    fsr_rec *made = fsr_graph_add(r->g, rec->site, what, rec->kind, &type, &copy);
    r->poison = copy;
    if (!made) {
        fsr_content_clear(&content);
        return false;
    }
    made->content = content;
    made->lead = rec->lead + r->lead.ndim;
    made->says = rec->says;
    memcpy(made->arg, arg, sizeof made->arg);
    r->image[id] = copy;
    return true;
}

/* What every row writes into is an array of its own, also where that is the same for each. */
static bool again_scatter(rows *r, uint32_t id, const fsr_shape *whole, const fsr_ref *arg) {
    const fsr_rec *rec = fsr_graph_rec(r->g, id);
    fsr_ref own[FSR_MAX_ARGS];
    memcpy(own, arg, sizeof own);
    if (!fsr_is(fsr_graph_rec(r->g, arg[0].id)->kind, FSR_IS_DISTINCT)) {
        fsr_node base = fsr_own(rec->site, fsr_graph_handle(r->g, arg[0].id, arg[0].output));
        r->poison = base;
        if (!fsr_node_sound(base))
            return false;
        own[0] = (fsr_ref){base.id, base.output};
    }
    return again_plain(r, id, whole, own);
}

/* Calls of graph/libraries.def go along their arguments' last dimensions, but for those that say the same with other
 * nodes, in place of which these stand; what a call of the program's own does with more nobody knows. */
static bool again_library(rows *r, uint32_t id, const fsr_shape *whole, const fsr_ref *arg) {
    const fsr_rec *rec = fsr_graph_rec(r->g, id);
    const fsr_library library = rec->library;
    const int plain = fsr_library_plain(library);
    if (plain >= 0 && rec->nargs > plain) {
        r->image[id] = fsr_graph_handle(r->g, arg[plain].id, arg[plain].output);
        return true;
    }
    const bool alone =
        library == FSR_LIBRARY_CALLER || library == FSR_LIBRARY_SPARSE || library == FSR_LIBRARY_SEGMENTS;
    return (alone ? again_never : again_plain)(r, id, whole, arg);
}

static const again_fn again[FSR_KIND_COUNT] = {
#define FSR_KIND(name, word, nargs, fields, traits, insts, shape, check, again, ...) [FSR_NODE_##name] = again_##again,
#include "graph/node_kinds.def"
};

static bool record_again(rows *r, uint32_t id) {
    const fsr_rec *rec = fsr_graph_rec(r->g, id);
    fsr_ref arg[FSR_MAX_ARGS] = {{0}};
    fsr_shape shape, whole;
    if (!lead_join(r, &rec->shape, rec->shape.ndim, &shape))
        return too_deep(r, fsr_graph_handle(r->g, id, 0));
    return fsr_shape_take(r->g, rec->site, what, rec->dtype[0], shape.ndim, shape.dim, &whole, &r->poison) &&
           args_again(r, rec, arg) && again[rec->kind](r, id, &whole, arg);
}

/* The nodes of the scopes above depth, the oldest first. They are listed before any is recorded again: that adds to the
 * innermost scope, which a careless body may have opened itself. Returns how many. */
static uint32_t list_body(const rows *r, int depth, uint32_t *list) {
    uint32_t n = 0;
    for (int d = depth + 1; d <= fsr_scope_depth(r->g); d++)
        for (uint32_t id = fsr_scope_oldest(r->g, d); id != FSR_NO_NODE; id = fsr_scope_after(r->g, id))
            list[n++] = id;
    return n;
}

static bool record_all(rows *r, int depth) {
    uint32_t *list = malloc(sizeof *list * (fsr_graph_slots(r->g) + 1));
    uint32_t n = list ? list_body(r, depth, list) : 0;
    bool good = list || no_memory(r);
    for (uint32_t i = 0; i < n && good; i++)
        if (needs_argument(r, fsr_graph_rec(r->g, list[i])))
            good = record_again(r, list[i]);
    free(list);
    return good;
}

static bool image_of_id(const void *data, uint32_t id, uint32_t *image) {
    const rows *r = data;
    const bool has = id < r->slots && r->image[id].graph;
    *image = has ? r->image[id].id : 0;
    return has;
}

/* The results for every row, from what the body left. */
static bool map_rows(rows *r, fsr_node *out, int depth) {
    r->slots = fsr_graph_slots(r->g);
    r->image = calloc(r->slots, sizeof *r->image);
    if (!r->image)
        return no_memory(r);
    for (int i = 0; i < r->s.nin; i++)
        r->image[r->arg[i].id] = r->in[i];
    if (!record_all(r, depth))
        return false;
    if (!fsr_pairs_copy(r->g, r->g, image_of_id, r))
        return no_memory(r);
    for (int i = 0; i < r->s.nout; i++) {
        fsr_node image = r->image[out[i].id];
        if (image.graph)
            out[i] = fsr_graph_handle(r->g, image.id, image.output + out[i].output);
        else if (!spread(r, &out[i], r->s.core[r->s.nin + i].ndim))
            return false;
    }
    return true;
}

/* Runs the body in the open scope and maps it. */
static bool run(rows *r, fsr_node *out, fsr_row_fn body, void *user, int depth) {
    if (!args_make(r))
        return false;
    r->poison = (fsr_node){0};
    body(out, r->arg, user);
    if (!fsr_body_took(r->g, r->at, what, whose, depth + 1, r->arg[0], &r->poison))
        return false;
    for (int i = 0; i < r->s.nout; i++)
        if (!result_take(r, i, &out[i]))
            return false;
    return map_rows(r, out, depth);
}

/* Ends the scopes above depth; the results, or the poison, stay. */
static bool leave(rows *r, bool good, fsr_node *out, int depth) {
    while (good && fsr_scope_depth(r->g) > depth)
        good = fsr_scope_end(r->g, out, r->s.nout) == FSR_OK || no_memory(r);
    if (!good && fsr_graph_alive(r->g))
        r->poison = fsr_body_leave(r->g, depth, r->poison);
    return good;
}

static bool vectorize(rows *r, fsr_node *out, int nout, const fsr_node *in, int nin, const char *signature,
                      fsr_row_fn body, void *user) {
    fsr_node result[FSR_MAX_CORE] = {{0}};
    if (fsr_poison_of(r->at, what, in, nin, &r->g, &r->poison) || !signature_take(r, signature, nin, nout) ||
        !operands_take(r, in))
        return false;
    if (!body) {
        r->poison = fsr_poison(r->g, r->at, FSR_ERR_NULL, what, "the %s is null", whose);
        return false;
    }
    int depth = fsr_scope_depth(r->g);
    if (fsr_scope_begin(r->g))
        return no_memory(r);
    bool good = leave(r, run(r, result, body, user, depth), result, depth);
    memcpy(out, result, good ? sizeof *out * (size_t)nout : 0);
    return good;
}

void fsr_vectorize_at(fsr_site at, fsr_node *out, int nout, const fsr_node *in, int nin, const char *signature,
                      fsr_row_fn body, void *user) {
    if (!out || nout < 1)
        return;
    rows *r = calloc(1, sizeof *r);
    fsr_node poison = {0};
    if (r)
        r->at = at;
    else if (in && nin > 0)
        poison = fsr_graph_no_memory(in[0].graph);
    bool good = r && in && nin > 0 && vectorize(r, out, nout, in, nin, signature, body, user);
    for (int i = 0; i < nout && !good; i++)
        out[i] = r ? r->poison : poison;
    if (r)
        free(r->image);
    free(r);
}

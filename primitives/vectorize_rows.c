/* SPDX-License-Identifier: MIT */
/* A row function's body for all rows at once.
 *
 * Every node of the body's scope that needs an argument is recorded again with the leading dimensions before its own:
 * axes move by their number, views leave the leading dimensions as they are, maps are maps, filters go along the last
 * dimension. What needs no argument is the same for every row: it is used as it is, broadcast where it meets something
 * that does. Nodes are visited in the order of recording, so arguments come first and nothing recurses. */
#include "graph/pairs.h"
#include "graph/scope.h"
#include "graph/sparse.h"
#include "primitives/vectorize.h"
#include <stdlib.h>
#include <string.h>

static const char what[] = FSR_ROWS_WHAT, whose[] = FSR_ROWS_WHOSE;

bool fsr_rows_no_memory(fsr_rows *r) {
    r->poison = fsr_graph_no_memory(r->g);
    return false;
}

/* lead, then the last n dimensions of shape. False: too many. */
static bool lead_join(const fsr_rows *r, const fsr_shape *shape, int n, fsr_shape *out) {
    *out = r->lead;
    if (r->lead.ndim + n > FSR_MAX_DIMS)
        return false;
    memcpy(out->dim + r->lead.ndim, shape->dim + shape->ndim - n, sizeof shape->dim[0] * (size_t)n);
    out->ndim += n;
    return true;
}

static bool too_deep(fsr_rows *r, fsr_node x) {
    r->poison =
        fsr_poison(r->g, r->at, FSR_ERR_SHAPE, what, "%s of the %s and %d leading dimensions would have more than %d",
                   fsr_say(x).text, whose, r->lead.ndim, FSR_MAX_DIMS);
    return false;
}

/* x for every row. ndim: its core dimensions. */
bool fsr_rows_spread(fsr_rows *r, fsr_node *x, int ndim) {
    fsr_shape shape, whole;
    if (!lead_join(r, &fsr_node_rec(*x)->shape, ndim, &shape))
        return too_deep(r, *x);
    if (!fsr_shape_take(r->g, r->at, what, fsr_node_dtype(*x), shape.ndim, shape.dim, &whole, &r->poison))
        return false;
    *x = fsr_stretch(r->at, *x, &whole);
    r->poison = *x;
    return fsr_node_sound(*x) != NULL;
}

static bool needs_argument(const fsr_rows *r, const fsr_rec *rec) {
    for (int i = 0; i < rec->nargs; i++)
        if (r->image[rec->arg[i].id].graph)
            return true;
    return false;
}

/* A whole argument of rec is each row's own: false. The loop may be one that a sum of segments is made of. */
static bool takes_own(fsr_rows *r, const fsr_rec *rec) {
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
static bool args_again(fsr_rows *r, const fsr_rec *rec, fsr_ref *arg) {
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
        if (!fsr_rows_spread(r, &x, fsr_node_ndim(x)))
            return false;
        arg[i] = (fsr_ref){x.id, x.output};
    }
    return true;
}

/* Records node `id` again, of the shape `whole`, on arguments for all rows. */
typedef bool (*again_fn)(fsr_rows *r, uint32_t id, const fsr_shape *whole, const fsr_ref *arg);

static bool again_never(fsr_rows *r, uint32_t id, const fsr_shape *whole, const fsr_ref *arg) {
    (void)whole, (void)arg;
    r->poison = fsr_poison(r->g, fsr_graph_rec(r->g, id)->site, FSR_ERR_UNSUPPORTED, what,
                           "an operation of the %s cannot be mapped", whose);
    return false;
}

/* The same with the leading dimensions before its own. */
static bool again_plain(fsr_rows *r, uint32_t id, const fsr_shape *whole, const fsr_ref *arg) {
    const fsr_rec *rec = fsr_graph_rec(r->g, id);
    fsr_content content = {.nargs = 0};
    fsr_node copy = {0};
    fsr_type type = {*whole, rec->nout, {0}};
    if (!fsr_content_copy(&content, &rec->content))
        return fsr_rows_no_memory(r);
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
static bool again_scatter(fsr_rows *r, uint32_t id, const fsr_shape *whole, const fsr_ref *arg) {
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
static bool again_library(fsr_rows *r, uint32_t id, const fsr_shape *whole, const fsr_ref *arg) {
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

static bool record_again(fsr_rows *r, uint32_t id) {
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
static uint32_t list_body(const fsr_rows *r, int depth, uint32_t *list) {
    uint32_t n = 0;
    for (int d = depth + 1; d <= fsr_scope_depth(r->g); d++)
        for (uint32_t id = fsr_scope_oldest(r->g, d); id != FSR_NO_NODE; id = fsr_scope_after(r->g, id))
            list[n++] = id;
    return n;
}

static bool record_all(fsr_rows *r, int depth) {
    uint32_t *list = malloc(sizeof *list * (fsr_graph_slots(r->g) + 1));
    uint32_t n = list ? list_body(r, depth, list) : 0;
    bool good = list || fsr_rows_no_memory(r);
    for (uint32_t i = 0; i < n && good; i++)
        if (needs_argument(r, fsr_graph_rec(r->g, list[i])))
            good = record_again(r, list[i]);
    free(list);
    return good;
}

static bool image_of_id(const void *data, uint32_t id, uint32_t *image) {
    const fsr_rows *r = data;
    const bool has = id < r->slots && r->image[id].graph;
    *image = has ? r->image[id].id : 0;
    return has;
}

/* The results for every row, from what the body left. */
bool fsr_rows_map(fsr_rows *r, fsr_node *out, int depth) {
    r->slots = fsr_graph_slots(r->g);
    r->image = calloc(r->slots, sizeof *r->image);
    if (!r->image)
        return fsr_rows_no_memory(r);
    for (int i = 0; i < r->s.nin; i++)
        r->image[r->arg[i].id] = r->in[i];
    if (!record_all(r, depth))
        return false;
    if (!fsr_pairs_copy(r->g, r->g, image_of_id, r))
        return fsr_rows_no_memory(r);
    for (int i = 0; i < r->s.nout; i++) {
        fsr_node image = r->image[out[i].id];
        if (image.graph)
            out[i] = fsr_graph_handle(r->g, image.id, image.output + out[i].output);
        else if (!fsr_rows_spread(r, &out[i], r->s.core[r->s.nin + i].ndim))
            return false;
    }
    return true;
}

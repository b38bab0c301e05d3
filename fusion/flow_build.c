/* SPDX-License-Identifier: MIT */
/* Building a flow from a graph: a depth-first walk from the results with a stack of its own, as a chain of a million
 * nodes is no recursion. */
#include "fusion/flow.h"
#include "fusion/flow_ends.h"
#include "graph/pairs.h"
#include "graph/rounds.h"
#include <stdlib.h>
#include <string.h>

/* What was copied already, by (graph id, which): `which` is the output of a leaf, or COMPUTED for a node as a
 * computation. Open addressing; the cost of a build follows what is visited, not the size of the graph. */
enum { COMPUTED = FSR_MAX_OUTPUTS };

typedef struct seen {
    uint64_t *key; /* 0: free, else id * 16 + which + 1 */
    int *node;
    size_t capacity, used;
} seen;

static size_t seen_slot(const seen *s, uint64_t key) {
    size_t at = (size_t)((key * 0x9e3779b97f4a7c15u) >> 32) & (s->capacity - 1);
    while (s->key[at] && s->key[at] != key)
        at = (at + 1) & (s->capacity - 1);
    return at;
}

static bool seen_grow(seen *s) {
    seen grown = {.capacity = s->capacity ? s->capacity * 2 : 64, .used = s->used};
    grown.key = calloc(grown.capacity, sizeof *grown.key);
    grown.node = malloc(grown.capacity * sizeof *grown.node);
    if (!grown.key || !grown.node) {
        free(grown.key);
        free(grown.node);
        return false;
    }
    for (size_t i = 0; i < s->capacity; ++i)
        if (s->key[i]) {
            size_t at = seen_slot(&grown, s->key[i]);
            grown.key[at] = s->key[i];
            grown.node[at] = s->node[i];
        }
    free(s->key);
    free(s->node);
    *s = grown;
    return true;
}

static int seen_get(const seen *s, uint32_t id, uint32_t which) {
    uint64_t key = (uint64_t)id * 16 + which + 1;
    size_t at = s->capacity ? seen_slot(s, key) : 0;
    return s->capacity && s->key[at] ? s->node[at] : -1;
}

static bool seen_put(seen *s, uint32_t id, uint32_t which, int node) {
    if (s->used * 2 >= s->capacity && !seen_grow(s))
        return false;
    uint64_t key = (uint64_t)id * 16 + which + 1;
    size_t at = seen_slot(s, key);
    s->used += s->key[at] == 0;
    s->key[at] = key;
    s->node[at] = node;
    return true;
}

typedef struct builder {
    fsr_flow *flow;
    fsr_binding *binding;
    const fsr_graph *g;
    seen seen;
    uint32_t *stack;
    size_t depth, stack_capacity;
    int leaf_capacity, scalar_capacity, report_capacity;
} builder;

static bool push(builder *b, uint32_t id) {
    if (b->depth == b->stack_capacity) {
        size_t capacity = b->stack_capacity ? b->stack_capacity * 2 : 64;
        uint32_t *grown = realloc(b->stack, sizeof *grown * capacity);
        if (!grown)
            return false;
        b->stack = grown;
        b->stack_capacity = capacity;
    }
    b->stack[b->depth++] = id;
    return true;
}

/* The flow's link for a graph reference, its id -1: not copied yet. */
static fsr_link link_of(const builder *b, fsr_ref ref, bool *leaf) {
    *leaf = fsr_rec_is_leaf(fsr_graph_rec(b->g, ref.id), ref.output);
    const int id = seen_get(&b->seen, ref.id, *leaf ? ref.output : COMPUTED);
    return (fsr_link){id, *leaf ? 0 : (int)ref.output};
}

static bool bind(fsr_ref **list, int n, int *capacity, fsr_ref ref) {
    if (n == *capacity) {
        int grown = *capacity ? *capacity * 2 : 8;
        fsr_ref *to = realloc(*list, sizeof *to * (size_t)grown);
        if (!to)
            return false;
        *list = to;
        *capacity = grown;
    }
    (*list)[n] = ref;
    return true;
}

static bool add_leaf(builder *b, fsr_ref ref) {
    const fsr_rec *rec = fsr_graph_rec(b->g, ref.id);
    if (!bind(&b->binding->leaf, b->flow->nleaves, &b->leaf_capacity, ref))
        return false;
    fsr_flow_node node = {.ordinal = b->flow->nleaves++, .origin = b->flow->n + 1, .site = rec->site};
    node.content = fsr_content_array(&rec->content);
    node.nout = 1;
    node.hint = FSR_HINT_NONE;
    memset(node.dtype, 0, sizeof node.dtype);
    node.dtype[0] = rec->dtype[ref.output];
    int id = fsr_flow_add(b->flow, &node);
    return id >= 0 && seen_put(&b->seen, ref.id, ref.output, id);
}

/* An unnamed parameter of equal value that is copied already: mean and variance of one array share their count. */
static int same_size(const builder *b, const fsr_rec *rec) {
    for (int i = 0; i < b->flow->nscalars; ++i) {
        const fsr_rec *other = fsr_graph_rec(b->g, b->binding->scalar[i].id);
        if (!other->name && other->dtype[0] == rec->dtype[0] && fsr_value_equal(other->value, rec->value))
            return seen_get(&b->seen, b->binding->scalar[i].id, COMPUTED);
    }
    return -1;
}

/* The reports of a node of g whose computed indices may lie outside: where it was recorded, for each of its axes. */
static bool add_reports(builder *b, const fsr_graph *g, const fsr_rec *rec) {
    if (!fsr_has(rec->kind, FSR_FIELD_mode) || rec->mode != FSR_INDEX_RAISE)
        return true;
    const fsr_shape *source = &fsr_graph_rec(g, rec->arg[0].id)->shape;
    const fsr_shape *own = fsr_is(rec->kind, FSR_SCATTERS) ? &fsr_graph_rec(g, rec->arg[1].id)->shape : &rec->shape;
    for (int j = 0; j < source->ndim; ++j) {
        if (!(rec->axes >> j & 1))
            continue;
        if (b->flow->nreports == b->report_capacity) {
            int capacity = b->report_capacity ? b->report_capacity * 2 : 8;
            fsr_report *grown = realloc(b->binding->report, sizeof *grown * (size_t)capacity);
            if (!grown)
                return false;
            b->binding->report = grown;
            b->report_capacity = capacity;
        }
        b->binding->report[b->flow->nreports++] =
            (fsr_report){rec->site, j - rec->lead, fsr_added_extent(own, source, &rec->view, j), rec->says};
    }
    return true;
}

/* Those of a loop's body, as a flow of all of its nodes numbers them. */
static bool add_inner_reports(builder *b, const fsr_rounds *t) {
    bool good = true;
    for (uint32_t id = 1; good && id < fsr_graph_slots(t->body); ++id) {
        const fsr_rec *rec = fsr_graph_rec(t->body, id);
        good = add_reports(b, t->body, rec) && (!rec->rounds || add_inner_reports(b, rec->rounds));
    }
    return good;
}

static bool add_node(builder *b, uint32_t id) {
    const fsr_rec *rec = fsr_graph_rec(b->g, id);
    fsr_flow_node node = {.origin = b->flow->n + 1, .site = rec->site};
    const bool argument = fsr_is(rec->kind, FSR_IS_ARGUMENT);
    bool leaf;
    fsr_content_borrow(&node.content, &rec->content);
    for (int i = 0; i < rec->nargs; ++i)
        node.arg[i] = link_of(b, rec->arg[i], &leaf);
    int same = argument && !rec->name ? same_size(b, rec) : -1;
    if (same >= 0)
        return seen_put(&b->seen, id, COMPUTED, same);
    if (argument) {
        if (!bind(&b->binding->scalar, b->flow->nscalars, &b->scalar_capacity, (fsr_ref){id, 0}))
            return false;
        node.ordinal = b->flow->nscalars++;
    }
    const int reports = b->flow->nreports;
    if (!add_reports(b, b->g, rec) || (rec->rounds && !add_inner_reports(b, rec->rounds)))
        return false;
    node.report = b->flow->nreports > reports ? 1 + reports : 0;
    int at = fsr_flow_add(b->flow, &node);
    return at >= 0 && seen_put(&b->seen, id, COMPUTED, at);
}

/* A scan of what a filter leaves is shown to whoever reads it as far as it has elements. */
static bool ends_inside(const builder *b, const fsr_rec *rec) {
    return fsr_is(rec->kind, FSR_IS_RUNNING) && !rec->reverse && rec->nout == 1 && rec->length.origin &&
           rec->shape.ndim == 1 && rec->shape.dim[0] > 1 && rec->hint != FSR_HINT_MATERIALIZE &&
           fsr_reads_filtered(b->g, rec, 8);
}

/* The count stands before the scan, which may then end there (asked.c). */
static bool add_ended(builder *b, uint32_t id, fsr_link counted) {
    const fsr_rec *rec = fsr_graph_rec(b->g, id);
    const int count = fsr_flow_add_count(b->flow, rec, counted);
    if (count < 0 || !add_node(b, id))
        return false;
    const fsr_link scan = {seen_get(&b->seen, id, COMPUTED), 0};
    const int ended = fsr_flow_add_end(b->flow, rec, scan, count);
    return ended >= 0 && seen_put(&b->seen, id, COMPUTED, ended);
}

/* One step for the id on top of the stack: its first missing argument is pushed, or the node itself is copied. */
static fsr_status visit(builder *b) {
    uint32_t id = b->stack[b->depth - 1];
    const fsr_rec *rec = fsr_graph_rec(b->g, id);
    if (fsr_is(rec->kind, FSR_IS_POISON))
        return rec->status;
    if (fsr_is(rec->kind, FSR_IS_UNBOUND))
        return FSR_ERR_UNBOUND;
    if (seen_get(&b->seen, id, COMPUTED) >= 0) {
        --b->depth;
        return FSR_OK;
    }
    const bool ends = ends_inside(b, rec);
    const fsr_ref count = {rec->length.count.id, rec->length.count.output};
    bool leaf;
    for (int i = 0; i < rec->nargs + ends; ++i) {
        const fsr_ref arg = i < rec->nargs ? rec->arg[i] : count;
        if (link_of(b, arg, &leaf).id >= 0)
            continue;
        if (leaf ? !add_leaf(b, arg) : !push(b, arg.id))
            return FSR_ERR_MEMORY;
        if (!leaf)
            return FSR_OK;
    }
    --b->depth;
    return (ends ? add_ended(b, id, link_of(b, count, &leaf)) : add_node(b, id)) ? FSR_OK : FSR_ERR_MEMORY;
}

static fsr_status build_out(builder *b, fsr_ref ref, fsr_link *link) {
    bool leaf;
    if (link_of(b, ref, &leaf).id < 0 && !(leaf ? add_leaf(b, ref) : push(b, ref.id)))
        return FSR_ERR_MEMORY;
    while (b->depth) {
        fsr_status status = visit(b);
        if (status)
            return status;
    }
    *link = link_of(b, ref, &leaf);
    return FSR_OK;
}

/* Arguments are recorded before what uses them, and of a graph that has dropped nothing the numbers say in which
 * order. */
static fsr_status build_every(builder *b) {
    fsr_status status = FSR_OK;
    for (uint32_t id = 0; id < fsr_graph_slots(b->g) && !status; ++id) {
        const fsr_rec *rec = fsr_graph_rec(b->g, id);
        if (rec->kind == FSR_NODE_FREE)
            continue;
        if (fsr_is(rec->kind, FSR_IS_POISON | FSR_IS_UNBOUND))
            return fsr_is(rec->kind, FSR_IS_POISON) ? rec->status : FSR_ERR_UNBOUND;
        status = (fsr_rec_is_leaf(rec, 0) ? add_leaf(b, (fsr_ref){id, 0}) : add_node(b, id)) ? FSR_OK : FSR_ERR_MEMORY;
    }
    return status;
}

/* Those of which both nodes were copied. */
static fsr_status build_pairs(builder *b) {
    fsr_flow *flow = b->flow;
    const int n = fsr_pair_count(b->g);
    if (n && !(flow->pair = malloc(sizeof *flow->pair * (size_t)n)))
        return FSR_ERR_MEMORY;
    for (int i = 0; i < n; ++i) {
        const fsr_pair *pair = fsr_pair_at(b->g, i);
        const int x = pair ? seen_get(&b->seen, pair->id[0], COMPUTED) : -1;
        const int y = pair ? seen_get(&b->seen, pair->id[1], COMPUTED) : -1;
        if (x >= 0 && y >= 0)
            flow->pair[flow->npairs++] = (fsr_flow_pair){{x, y}, pair->hint};
    }
    fsr_flow_settle_pairs(flow);
    return FSR_OK;
}

/* ---- results with a length --------------------------------------------------------------------------------- */

/* Which nodes a link needs, itself one of them. NULL: out of memory. */
static bool *needed(const fsr_flow *flow, fsr_link link) {
    bool *needs = calloc((size_t)flow->n + 1, sizeof *needs);
    if (needs)
        needs[link.id] = true;
    for (int i = link.id; needs && i >= 0; --i)
        for (int a = 0; needs[i] && a < flow->node[i].nargs; ++a)
            needs[flow->node[i].arg[a].id] = true;
    return needs;
}

/* A count of single elements that are needed in any case. */
static bool is_needed(const builder *b, fsr_ref ref, const bool *needs, int depth) {
    const fsr_rec *rec = fsr_graph_rec(b->g, ref.id);
    const int id = seen_get(&b->seen, ref.id, COMPUTED);
    bool good = depth > 0 && fsr_is(rec->kind, FSR_IS_EXPRESSION);
    if (fsr_rec_is_leaf(rec, ref.output) || fsr_is(rec->kind, FSR_IS_LITERAL | FSR_IS_ARGUMENT) ||
        (id >= 0 && needs[id]))
        return fsr_shape_size(&rec->shape) == 1;
    for (int i = 0; good && i < rec->nargs; ++i)
        good = is_needed(b, rec->arg[i], needs, depth - 1);
    return good;
}

/* Who computes the result waits for what its count is computed of: it needs that, or what a filter leaves. What goes
 * with a filter does not. */
static bool waits_for_count(const builder *b, fsr_ref out, fsr_link link, fsr_ref count) {
    if (fsr_goes_with_filter(b->g, out, 8))
        return false;
    if (fsr_reads_filtered(b->g, fsr_graph_rec(b->g, out.id), 8))
        return true;
    bool *needs = needed(b->flow, link);
    const bool waits = needs && is_needed(b, count, needs, 8);
    free(needs);
    return waits;
}

/* Nobody but who asks for the result needs what computes it, so that it may end where its elements do. What a filter
 * gives ends there by itself, and what shall be stored whole is stored once. */
static bool may_end(const builder *b, fsr_ref out, fsr_link link, const bool *read) {
    const fsr_rec *rec = fsr_graph_rec(b->g, out.id);
    const fsr_flow_node *n = &b->flow->node[link.id];
    const fsr_ref count = {rec->length.count.id, rec->length.count.output};
    return rec->length.origin && !fsr_rec_is_leaf(rec, out.output) && rec->shape.ndim == 1 && rec->shape.dim[0] > 1 &&
           n->nout == 1 && !n->front && n->hint != FSR_HINT_MATERIALIZE &&
           fsr_is(n->kind, FSR_COMPUTES | FSR_IS_VIEW | FSR_IS_RUNNING) && !fsr_is(n->kind, FSR_IS_STORED) &&
           !read[link.id] && (fsr_count_is_known(b->g, count, 8) || waits_for_count(b, out, link, count));
}

/* Result i becomes its prefix, as long as its count says. */
static fsr_status end_result(builder *b, fsr_ref out, fsr_link *result) {
    const fsr_rec *rec = fsr_graph_rec(b->g, out.id);
    fsr_link count;
    const fsr_status status = build_out(b, (fsr_ref){rec->length.count.id, rec->length.count.output}, &count);
    if (!status)
        *result = (fsr_link){fsr_flow_add_end(b->flow, rec, *result, fsr_flow_add_count(b->flow, rec, count)), 0};
    return status ? status : result->id < 0 ? FSR_ERR_MEMORY : FSR_OK;
}

/* Results are asked for as far as they have elements. */
static fsr_status end_results(builder *b, const fsr_ref *outs) {
    fsr_flow *flow = b->flow;
    bool any = false;
    for (int i = 0; i < flow->nout; ++i)
        any = any || fsr_graph_rec(b->g, outs[i].id)->length.origin;
    bool *read = any ? calloc((size_t)flow->n + 1, sizeof *read) : NULL;
    fsr_status status = any && !read ? FSR_ERR_MEMORY : FSR_OK;
    for (int i = 0; any && !status && i < flow->n; ++i)
        for (int a = 0; a < flow->node[i].nargs; ++a)
            read[flow->node[i].arg[a].id] = true;
    for (int i = 0; any && !status && i < flow->nout; ++i)
        if (may_end(b, outs[i], flow->out[i], read))
            status = end_result(b, outs[i], &flow->out[i]);
    free(read);
    return status;
}

static fsr_status build(fsr_flow *flow, fsr_binding *binding, const fsr_graph *g, const fsr_ref *outs, int nouts,
                        bool every) {
    memset(flow, 0, sizeof *flow);
    memset(binding, 0, sizeof *binding);
    builder b = {.flow = flow, .binding = binding, .g = g};
    flow->out = malloc(sizeof *flow->out * (size_t)(nouts ? nouts : 1));
    fsr_status status = !flow->out ? FSR_ERR_MEMORY : every ? build_every(&b) : FSR_OK;
    for (int i = 0; i < nouts && !status; ++i)
        status = build_out(&b, outs[i], &flow->out[flow->nout++]);
    if (!status && !every)
        status = end_results(&b, outs);
    if (!status)
        status = build_pairs(&b);
    free(b.seen.key);
    free(b.seen.node);
    free(b.stack);
    if (status) {
        fsr_flow_clear(flow);
        fsr_binding_clear(binding);
    }
    return status;
}

fsr_status fsr_flow_build(fsr_flow *flow, fsr_binding *binding, const fsr_graph *g, const fsr_ref *outs, int nouts) {
    return build(flow, binding, g, outs, nouts, false);
}

fsr_status fsr_flow_build_all(fsr_flow *flow, fsr_binding *binding, const fsr_graph *g, const fsr_ref *outs,
                              int nouts) {
    return build(flow, binding, g, outs, nouts, true);
}

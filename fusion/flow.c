/* The flow; see flow.h. Building is an explicit-stack depth-first walk: a chain of a million nodes is no recursion. */
#include "fusion/flow.h"
#include <stdlib.h>
#include <string.h>

bool fsr_link_equal(fsr_link a, fsr_link b) {
    return a.id == b.id && a.output == b.output;
}

int fsr_flow_add(fsr_flow *flow, const fsr_flow_node *node) {
    if (flow->n == flow->capacity) {
        int capacity = flow->capacity ? flow->capacity * 2 : 16;
        fsr_flow_node *grown = realloc(flow->node, sizeof *grown * (size_t)capacity);
        if (!grown)
            return -1;
        flow->node = grown;
        flow->capacity = capacity;
    }
    flow->node[flow->n] = *node;
    return flow->n++;
}

void fsr_flow_clear(fsr_flow *flow) {
    for (int i = 0; i < flow->ncombines; ++i)
        free(flow->combine[i]);
    free(flow->combine);
    free(flow->node);
    free(flow->out);
    memset(flow, 0, sizeof *flow);
}

void fsr_binding_clear(fsr_binding *binding) {
    free(binding->leaf);
    free(binding->scalar);
    memset(binding, 0, sizeof *binding);
}

static const fsr_combine *own_combine(fsr_flow *flow, const fsr_combine *from) {
    if (flow->ncombines == flow->combine_capacity) {
        int capacity = flow->combine_capacity ? flow->combine_capacity * 2 : 4;
        fsr_combine **grown = realloc(flow->combine, sizeof *grown * (size_t)capacity);
        if (!grown)
            return NULL;
        flow->combine = grown;
        flow->combine_capacity = capacity;
    }
    fsr_combine *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *from;
    return flow->combine[flow->ncombines++] = copy;
}

/* State of one build: ids already copied (node + 1, a leaf's for each output), the work stack. */
typedef struct builder {
    fsr_flow *flow;
    fsr_binding *binding;
    const fsr_graph *g;
    int *copied;      /* per graph slot: flow id + 1 of the node as a computation */
    int *leaf;        /* per graph slot * FSR_MAX_TUPLE: flow id + 1 of a leaf */
    uint32_t *stack;
    size_t depth, stack_capacity;
    int leaf_capacity, scalar_capacity;
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

static bool is_leaf(const fsr_rec *rec, uint32_t output) {
    return rec->buffer[output] || rec->kind == FSR_NODE_INPUT;
}

static int *slot_of(builder *b, fsr_ref ref) {
    const fsr_rec *rec = fsr_graph_rec(b->g, ref.id);
    return is_leaf(rec, ref.output) ? &b->leaf[(size_t)ref.id * FSR_MAX_TUPLE + ref.output] : &b->copied[ref.id];
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
    fsr_flow_node node = {.kind = FSR_NODE_DATA, .nout = 1, .shape = rec->shape, .ordinal = b->flow->nleaves++};
    node.dtype[0] = rec->dtype[ref.output];
    int id = fsr_flow_add(b->flow, &node);
    *slot_of(b, ref) = id + 1;
    return id >= 0;
}

static bool add_node(builder *b, uint32_t id) {
    const fsr_rec *rec = fsr_graph_rec(b->g, id);
    fsr_flow_node node = {.kind = rec->kind, .nout = rec->nout, .shape = rec->shape, .nargs = rec->nargs, .op = rec->op,
                          .axes = rec->axes, .axis = rec->axis, .exclusive = rec->exclusive, .view = rec->view, .hint = rec->hint};
    memcpy(node.dtype, rec->dtype, sizeof node.dtype);
    for (int i = 0; i < rec->nargs; ++i) {
        int *slot = slot_of(b, rec->arg[i]);
        bool leaf = is_leaf(fsr_graph_rec(b->g, rec->arg[i].id), rec->arg[i].output);
        node.arg[i] = (fsr_link){*slot - 1, leaf ? 0 : (int)rec->arg[i].output};
    }
    if (rec->kind == FSR_NODE_CONST)
        node.value = rec->value;
    if (rec->kind == FSR_NODE_PARAM) {
        if (!bind(&b->binding->scalar, b->flow->nscalars, &b->scalar_capacity, (fsr_ref){id, 0}))
            return false;
        node.ordinal = b->flow->nscalars++;
    }
    if (rec->combine && !(node.combine = own_combine(b->flow, rec->combine)))
        return false;
    int at = fsr_flow_add(b->flow, &node);
    b->copied[id] = at + 1;
    return at >= 0;
}

/* One step for the id on top of the stack: its first missing argument is pushed, or the node itself is copied. */
static fsr_status visit(builder *b) {
    uint32_t id = b->stack[b->depth - 1];
    const fsr_rec *rec = fsr_graph_rec(b->g, id);
    if (rec->kind == FSR_NODE_POISON)
        return rec->status;
    if (b->copied[id]) {
        --b->depth;
        return FSR_OK;
    }
    for (int i = 0; i < rec->nargs; ++i) {
        if (*slot_of(b, rec->arg[i]))
            continue;
        bool leaf = is_leaf(fsr_graph_rec(b->g, rec->arg[i].id), rec->arg[i].output);
        if (leaf ? !add_leaf(b, rec->arg[i]) : !push(b, rec->arg[i].id))
            return FSR_ERR_MEMORY;
        if (!leaf)
            return FSR_OK;
    }
    --b->depth;
    return add_node(b, id) ? FSR_OK : FSR_ERR_MEMORY;
}

static fsr_status build_out(builder *b, fsr_ref ref, fsr_link *link) {
    const fsr_rec *rec = fsr_graph_rec(b->g, ref.id);
    bool leaf = is_leaf(rec, ref.output);
    if (leaf && !*slot_of(b, ref) && !add_leaf(b, ref))
        return FSR_ERR_MEMORY;
    if (!leaf && !b->copied[ref.id] && !push(b, ref.id))
        return FSR_ERR_MEMORY;
    while (b->depth) {
        fsr_status status = visit(b);
        if (status)
            return status;
    }
    *link = (fsr_link){*slot_of(b, ref) - 1, leaf ? 0 : (int)ref.output};
    return FSR_OK;
}

fsr_status fsr_flow_build(fsr_flow *flow, fsr_binding *binding, const fsr_graph *g, const fsr_ref *outs, int nouts) {
    memset(flow, 0, sizeof *flow);
    memset(binding, 0, sizeof *binding);
    size_t slots = fsr_graph_slots(g) + 1;
    builder b = {.flow = flow, .binding = binding, .g = g};
    b.copied = calloc(slots, sizeof *b.copied);
    b.leaf = calloc(slots * FSR_MAX_TUPLE, sizeof *b.leaf);
    flow->out = malloc(sizeof *flow->out * (size_t)(nouts ? nouts : 1));
    fsr_status status = b.copied && b.leaf && flow->out ? FSR_OK : FSR_ERR_MEMORY;
    for (int i = 0; i < nouts && !status; ++i)
        status = build_out(&b, outs[i], &flow->out[flow->nout++]);
    free(b.copied);
    free(b.leaf);
    free(b.stack);
    if (status) {
        fsr_flow_clear(flow);
        fsr_binding_clear(binding);
    }
    return status;
}

fsr_status fsr_flow_copy(fsr_flow *to, const fsr_flow *from) {
    memset(to, 0, sizeof *to);
    to->out = malloc(sizeof *to->out * (size_t)(from->nout ? from->nout : 1));
    bool ok = to->out != NULL;
    for (int i = 0; i < from->n && ok; ++i) {
        fsr_flow_node node = from->node[i];
        if (node.combine)
            ok = (node.combine = own_combine(to, node.combine)) != NULL;
        ok = ok && fsr_flow_add(to, &node) >= 0;
    }
    if (!ok) {
        fsr_flow_clear(to);
        return FSR_ERR_MEMORY;
    }
    memcpy(to->out, from->out, sizeof *to->out * (size_t)from->nout);
    to->nout = from->nout;
    to->nleaves = from->nleaves;
    to->nscalars = from->nscalars;
    return FSR_OK;
}

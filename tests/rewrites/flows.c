/* SPDX-License-Identifier: MIT */
#include "tests/rewrites/flows.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

fsr_flow flow_of(const fsr_node *outs, int n) {
    fsr_ref refs[16];
    fsr_flow flow;
    fsr_binding binding;
    assert_true(n <= 16);
    for (int i = 0; i < n; i++) {
        if (fsr_node_status(outs[i]))
            fail_msg("output %d: %s", i, fsr_node_error(outs[i]));
        refs[i] = (fsr_ref){outs[i].id, outs[i].output};
    }
    assert_int_equal(fsr_flow_build(&flow, &binding, outs[0].graph, refs, n), FSR_OK);
    fsr_binding_clear(&binding);
    return flow;
}

bool flow_rewrite(fsr_flow *flow, const char *name) {
    size_t before_size, after_size;
    char why[200] = "";
    fsr_status status = FSR_OK;
    fsr_rewrite_fn rewrite = fsr_rewrite_find(name);
    assert_non_null(rewrite);
    void *before = fsr_flow_signature(flow, &before_size);
    bool changed = rewrite(flow, &status);
    assert_int_equal(status, FSR_OK);
    void *after = fsr_flow_signature(flow, &after_size);
    assert_true(before && after);
    bool differs = before_size != after_size || memcmp(before, after, before_size) != 0;
    free(before);
    free(after);
    assert_true(changed || !differs);
    if (fsr_flow_verify(flow, why, sizeof why))
        fail_msg("after %s: %s", name, why);
    return differs;
}

/* The text read back is the flow again, in every byte that a plan depends on. */
static void read_back(const fsr_flow *flow, const char *text) {
    fsr_graph_owner *owner = fsr_graph_owner_new(NULL, NULL);
    fsr_graph *graph = fsr_graph_create(owner);
    fsr_parse_error error;
    fsr_flow again;
    size_t size = 0, again_size = 0;
    assert_non_null(graph);
    if (fsr_flow_parse(&again, graph, text, &error))
        fail_msg("line %d, column %d: %s, in\n%s", error.line, error.column, error.message, text);
    void *signature = fsr_flow_signature(flow, &size), *again_signature = fsr_flow_signature(&again, &again_size);
    assert_true(signature && again_signature);
    assert_int_equal(again_size, size);
    assert_memory_equal(again_signature, signature, size);
    free(signature);
    free(again_signature);
    fsr_flow_clear(&again);
    fsr_graph_owner_free(owner);
}

void flow_expect(const fsr_flow *flow, const char *text) {
    char *got = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&got, &size);
    assert_non_null(to);
    fsr_flow_print(flow, to);
    fclose(to);
    if (strcmp(got, text) != 0)
        print_error("got:\n%sexpected:\n%s", got, text);
    int differs = strcmp(got, text);
    if (!differs)
        read_back(flow, got);
    free(got);
    assert_int_equal(differs, 0);
}

void flow_check(const fsr_node *outs, int n, const char *rewrite, bool changed, const char *after) {
    fsr_flow flow = flow_of(outs, n);
    assert_int_equal(flow_rewrite(&flow, rewrite), changed);
    flow_expect(&flow, after);
    assert_false(flow_rewrite(&flow, rewrite));
    fsr_flow_clear(&flow);
}

fsr_value flow_value(const fsr_flow *flow, fsr_link link, const fsr_value *leaf) {
    const fsr_flow_node *n = &flow->node[link.id];
    fsr_value arg[3];
    if (n->kind == FSR_NODE_CONST)
        return n->value;
    if (n->kind == FSR_NODE_DATA)
        return leaf[n->ordinal];
    if (n->kind == FSR_NODE_VIEW)
        return flow_value(flow, n->arg[0], leaf);
    assert_int_equal(n->kind, FSR_NODE_MAP);
    for (int i = 0; i < n->nargs; i++)
        arg[i] = flow_value(flow, n->arg[i], leaf);
    fsr_link last = n->arg[n->nargs - 1];
    fsr_dtype compute = flow->node[last.id].dtype[last.output];
    return n->op == FSR_OP_CAST ? fsr_value_cast(n->dtype[0], compute, arg[0])
                                : fsr_op_eval(n->op, compute, n->dtype[0], arg);
}

/* One view further down. */
static int64_t step_down(const fsr_flow_node *n, const fsr_shape *source, int64_t flat) {
    int64_t index[FSR_MAX_DIMS] = {0}, at = 0;
    if (n->view.kind == FSR_VIEW_RESHAPE)
        return flat;
    for (int i = n->shape.ndim - 1; i >= 0; i--) {
        index[i] = flat % n->shape.dim[i];
        flat /= n->shape.dim[i];
    }
    for (int j = 0; j < source->ndim; j++) {
        int64_t i = n->view.start[j] + (n->view.from[j] < 0 ? 0 : n->view.step[j] * index[n->view.from[j]]);
        if (source->dim[j] == 1)
            i = 0;
        assert_true(i >= 0 && i < source->dim[j]);
        at = at * source->dim[j] + i;
    }
    return at;
}

int64_t flow_leaf_index(const fsr_flow *flow, fsr_link link, int64_t flat, int *leaf) {
    while (flow->node[link.id].kind == FSR_NODE_VIEW) {
        const fsr_flow_node *n = &flow->node[link.id];
        flat = step_down(n, &flow->node[n->arg[0].id].shape, flat);
        link = n->arg[0];
    }
    *leaf = link.id;
    return flat;
}

int flow_edges(fsr_dtype dtype, fsr_value *out) {
    static const double numbers[] = {0.0, -0.0, 1, -1, 2, 0.5, 1e-42, -1e-42, 3e38, -1e-310, 1e308};
    static const int64_t integers[] = {0, 1, -1, 2, 127, 128, 255, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX, 1 << 24};
    int n = 0;
    const int reals = (int)(sizeof numbers / sizeof *numbers);
    if (fsr_dtype_is_complex(dtype)) {
        static const double odd[] = {INFINITY, -INFINITY, NAN, 0};
        for (int i = 0; i < reals; i++)
            out[n++] = fsr_value_from_complex(dtype, (fsr_c128){numbers[i], numbers[(i + 4) % reals]});
        for (int i = 0; i < 4; i++)
            out[n++] = fsr_value_from_complex(dtype, (fsr_c128){odd[i], odd[(i + 1) % 4]});
        return n;
    }
    if (!fsr_dtype_is_float(dtype)) {
        for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
            out[n++] = fsr_value_from_int(dtype, integers[i]);
        return n;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        out[n++] = fsr_value_from_double(dtype, numbers[i]);
    out[n++] = fsr_value_from_double(dtype, INFINITY);
    out[n++] = fsr_value_from_double(dtype, -INFINITY);
    out[n++] = fsr_value_from_double(dtype, NAN);
    out[n++] = fsr_value_from_double(dtype, -NAN);
    out[n] = (fsr_value){.bits = 0};
    if (fsr_dtype_is_half(dtype))
        out[n++].bits = 0x7fe1;
    else if (dtype == FSR_F32)
        out[n++].bits = 0x7fc12345;
    else
        out[n++].bits = 0x7ff8123456789abc;
    return n;
}

uint32_t flow_random(uint64_t *seed, uint32_t below) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % below;
}

static fsr_node random_slice(uint64_t *seed, fsr_node x, int axis) {
    int64_t n = fsr_node_dim(x, axis), start = flow_random(seed, (uint32_t)n), step = 1 + flow_random(seed, 3);
    if (flow_random(seed, 2))
        return fsr_slice(x, axis, start, FSR_SLICE_END, step);
    return fsr_slice(x, axis, start, FSR_SLICE_END, -step);
}

static fsr_node random_transpose(uint64_t *seed, fsr_node x) {
    int perm[FSR_MAX_DIMS], n = fsr_node_ndim(x);
    for (int i = 0; i < n; i++) {
        int j = (int)flow_random(seed, (uint32_t)i + 1);
        perm[i] = perm[j];
        perm[j] = i;
    }
    return fsr_transpose(x, perm);
}

/* Splits the elements into random factors. */
static fsr_node random_reshape(uint64_t *seed, fsr_node x) {
    int64_t shape[FSR_MAX_DIMS], left = fsr_node_size(x);
    int n = 0;
    while (left > 1 && n < 4) {
        int64_t factor = 1 + flow_random(seed, (uint32_t)left);
        while (left % factor)
            factor--;
        if (factor > 1 || flow_random(seed, 3) == 0)
            shape[n++] = factor;
        left /= factor;
    }
    shape[n++] = left;
    return fsr_reshape(x, n, shape);
}

static fsr_node random_broadcast(uint64_t *seed, fsr_node x) {
    int64_t shape[FSR_MAX_DIMS];
    int n = fsr_node_ndim(x);
    if (n > 5 || fsr_node_size(x) > 300)
        return x;
    shape[0] = 1 + flow_random(seed, 3);
    for (int i = 0; i < n; i++) {
        int64_t dim = fsr_node_dim(x, i);
        shape[i + 1] = dim == 1 ? 1 + flow_random(seed, 3) : dim;
    }
    return fsr_broadcast_to(x, n + 1, shape);
}

fsr_node flow_random_view(uint64_t *seed, fsr_node x) {
    int n = fsr_node_ndim(x), axis = n ? (int)flow_random(seed, (uint32_t)n) : 0;
    switch (flow_random(seed, 6)) {
    case 0: return n ? random_slice(seed, x, axis) : x;
    case 1: return n ? fsr_flip(x, axis) : x;
    case 2: return random_transpose(seed, x);
    case 3: return random_reshape(seed, x);
    case 4: return random_broadcast(seed, x);
    default: return n && fsr_node_dim(x, axis) == 1 ? fsr_squeeze(x, axis) : n < 6 ? fsr_expand(x, axis) : x;
    }
}

int flow_left(fsr_node out, const char *rewrite, fsr_kind kind, fsr_op op) {
    fsr_flow flow = flow_of(&out, 1);
    int n = 0;
    flow_rewrite(&flow, rewrite);
    assert_false(flow_rewrite(&flow, rewrite));
    for (int i = 0; i < flow.n; i++)
        n += flow.node[i].kind == kind && (kind != FSR_NODE_MAP || flow.node[i].op == op);
    fsr_flow_clear(&flow);
    return n;
}

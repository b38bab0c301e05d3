/* SPDX-License-Identifier: MIT */
/* bounds: of random indices in every dtype, at numbers where ranges go wrong: whatever the rewrite calls inside is
 * inside. */
#include "primitives/primitives.h"
#include "tests/rewrites/flows.h"
#include "tests/support/one_graph.h"

enum { GRAPHS = 30000, VALUES = 60, DEPTH = 5, MOST = 4, LENGTH = 7 };

static uint64_t seed = 1;
static int64_t extent;

static int below(int n) {
    return (int)flow_random(&seed, (uint32_t)n);
}

static fsr_dtype any_dtype(void) {
    return (fsr_dtype)below(FSR_C64);
}

/* Near 0, near the ends of the array, near the ends of what a float and each integer hold exactly, or an edge. */
static fsr_value any_value(fsr_dtype dtype) {
    static const int64_t ends[] = {0, 0, 7, 8, 11, 15, 16, 24, 31, 32, 53, 62};
    fsr_value edge[FLOW_EDGES];
    const int64_t near = below(5) - 2;
    switch (below(4)) {
    case 0: return fsr_value_from_int(dtype, near);
    case 1: return fsr_value_from_int(dtype, (below(3) ? extent : -extent) + near);
    case 2: return fsr_value_from_int(dtype, ((int64_t)1 << ends[below(12)]) * (below(4) ? 1 : -1) + near);
    default: return edge[below(flow_edges(dtype, edge))];
    }
}

static fsr_node literal(fsr_dtype dtype) {
    const fsr_value value = any_value(dtype);
    return fsr_full_of(g, dtype, 0, NULL, &value);
}

static fsr_node leaf(void) {
    return INPUT(g, any_dtype(), LENGTH);
}

/* Another operand: mostly a literal of that dtype, mostly a number that bounds something. */
static fsr_node operand(fsr_dtype dtype) {
    return below(4) ? literal(dtype) : below(2) ? fsr_cast(leaf(), dtype) : literal(any_dtype());
}

static fsr_node step(fsr_node x) {
    const fsr_dtype dtype = fsr_node_dtype(x);
    const fsr_node y = operand(dtype);
    switch (below(15)) {
    case 0: return fsr_minimum(x, y);
    case 1: return fsr_maximum(y, x);
    case 2: return fsr_clamp(x, y, literal(dtype));
    case 3: return fsr_clamp(y, literal(dtype), x);
    case 4: return fsr_where(leaf(), x, y);
    case 5: return fsr_mod(x, y);
    case 6: return fsr_mod(y, x);
    case 7: return fsr_floor_divide(x, y);
    case 8: return fsr_add(x, y);
    case 9: return fsr_sub(x, y);
    case 10: return fsr_sub(y, x);
    case 11: return below(2) ? fsr_flip(x, 0) : fsr_mul(x, y);
    case 12: return fsr_cast(x, below(2) ? FSR_I64 : FSR_U64);
    default: return fsr_cast(x, any_dtype());
    }
}

static fsr_node within(fsr_node x, double low, double high) {
    const fsr_dtype dtype = fsr_node_dtype(x);
    return fsr_clamp(x, fsr_full(g, dtype, 0, NULL, low), fsr_full(g, dtype, 0, NULL, high));
}

/* Up to DEPTH steps, among them often one that leads inside, and then some that may lead out again. */
static fsr_node any_index(void) {
    fsr_node x = leaf();
    for (int i = 1 + below(DEPTH); i > 0; i--) {
        const fsr_node next = below(4) ? step(x) : within(x, below(9) - 1, below(2) ? 20 : (double)extent);
        x = fsr_node_status(next) ? x : next;
    }
    return fsr_node_dtype(x) == FSR_BOOL || fsr_node_dtype(x) >= FSR_F16 ? fsr_cast(x, (fsr_dtype)(1 + below(8))) : x;
}

/* The one gather, if it clips; NULL: it reports. */
static const fsr_flow_node *clipping(const fsr_flow *flow) {
    for (int i = 0; i < flow->n; i++)
        if (flow->node[i].kind == FSR_NODE_GATHER)
            return flow->node[i].mode == FSR_INDEX_CLIP ? &flow->node[i] : NULL;
    return NULL;
}

static void check(const fsr_flow *flow, const fsr_flow_node *gather, int graph) {
    for (int i = 0; i < VALUES; i++) {
        fsr_value value[FSR_MAX_ARGS];
        for (int k = 0; k < flow->n; k++)
            if (flow->node[k].kind == FSR_NODE_DATA && flow->node[k].ordinal < FSR_MAX_ARGS)
                value[flow->node[k].ordinal] = any_value(flow->node[k].dtype[0]);
        const int64_t at = flow_value(flow, gather->arg[1], value).i64;
        if (at >= 0 && at < extent)
            continue;
        fsr_flow_print(flow, stdout);
        fail_msg("graph %d: the index may be %lld, of %lld", graph, (long long)at, (long long)extent);
    }
}

/* What was recorded goes. */
static void renew(void) {
    fsr_graph_owner_free(owner);
    g = node_graph(&owner);
}

static void what_is_inside_is(void **state) {
    static const int64_t extents[] = {1,   2,   5,     100,   127, 128,  129,      255,
                                      256, 257, 32768, 65536, 260, 2052, 16777220, 4294967296};
    int inside = 0;
    (void)state;
    for (int graph = 0; graph < GRAPHS; graph++) {
        extent = extents[below(16)];
        const fsr_node index = any_index();
        const fsr_node out = fsr_take(INPUT(g, FSR_F32, extent), index, 0, FSR_INDEX_RAISE);
        fsr_flow flow = flow_of(&out, 1);
        flow_rewrite(&flow, "compose");
        flow_rewrite(&flow, "fold");
        if (flow.nleaves <= FSR_MAX_ARGS && flow_rewrite(&flow, "bounds")) {
            inside++;
            check(&flow, clipping(&flow), graph);
        }
        fsr_flow_clear(&flow);
        if (graph % 100 == 99)
            renew();
    }
    assert_true(inside > GRAPHS / 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(what_is_inside_is, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

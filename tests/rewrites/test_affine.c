/* SPDX-License-Identifier: MIT */
/* Index maps: domains, places, split, and chains of views composed to one address, compared at every point of the
 * domain with the chain followed element by element. */
#include "fusion/affine.h"
#include "tests/rewrites/flows.h"
#include "tests/support/one_graph.h"

static fsr_shape shape_of(int ndim, const int64_t *dim) {
    fsr_shape shape = {.ndim = ndim};
    memcpy(shape.dim, dim, sizeof *dim * (size_t)ndim);
    return shape;
}
#define SHAPE_OF(...) shape_of(NDIM(__VA_ARGS__), SHAPE(__VA_ARGS__))

/* The value at point `flat` (C order) of the domain. */
static int64_t at_point(const fsr_affine *a, const fsr_domain *d, int64_t flat) {
    int64_t sum = a->offset;
    for (int i = d->ndim - 1; i >= 0; i--) {
        sum += a->coef[i] * (flat % d->extent[i]);
        flat /= d->extent[i];
    }
    return sum;
}

/* ---- domains -------------------------------------------------------------------------------------------- */

static void domains(void **state) {
    (void)state;
    fsr_domain d;
    fsr_shape shape = SHAPE_OF(4, 1, 5, 6);
    fsr_domain_make(&d, &shape, 0);
    assert_int_equal(d.ndim, 3);
    assert_int_equal(d.nparallel, 3);
    assert_true(d.extent[0] == 4 && d.extent[1] == 5 && d.extent[2] == 6);
    assert_true(fsr_domain_rows(&d) == 120 && fsr_domain_cols(&d) == 1);
    fsr_domain_make(&d, &shape, 1u << 2);
    assert_int_equal(d.nparallel, 2);
    assert_true(d.extent[0] == 4 && d.extent[1] == 6 && d.extent[2] == 5);
    assert_true(d.axis[0] == 0 && d.axis[1] == 3 && d.axis[2] == 2);
    assert_true(fsr_domain_rows(&d) == 24 && fsr_domain_cols(&d) == 5);
    fsr_shape empty = SHAPE_OF(4, 0);
    fsr_domain_make(&d, &empty, 2);
    assert_true(fsr_domain_rows(&d) == 4 && fsr_domain_cols(&d) == 0);
}

/* Finer than the shape: dimensions of a node are products of the domain's. */
static void divided_domains(void **state) {
    (void)state;
    fsr_domain d, own;
    fsr_index index;
    fsr_affine address;
    fsr_shape shape = SHAPE_OF(5, 24), rows = SHAPE_OF(5, 1), other = SHAPE_OF(24, 5);
    fsr_domain_make(&d, &shape, 2);
    own = d;
    assert_false(fsr_domain_divide(&d, 1, 7));
    assert_true(fsr_domain_divide(&d, 1, 6) && fsr_domain_divide(&d, 2, 2));
    assert_true(d.ndim == 4 && d.nparallel == 1 && d.extent[1] == 4 && d.extent[2] == 3 && d.extent[3] == 2);
    assert_true(fsr_index_elem(&index, &shape, &d));
    fsr_index_address(&address, &index, &shape);
    for (int64_t i = 0; i < 120; i++)
        assert_int_equal(at_point(&address, &d, i), i);
    assert_true(fsr_index_row(&index, &rows, &d));
    assert_true(index.row[0].coef[0] == 1);
    assert_true(fsr_domain_divide_like(&own, &d) && fsr_domain_equal(&own, &d));
    fsr_domain_make(&own, &other, 2);
    assert_false(fsr_domain_divide_like(&own, &d));
    fsr_domain_make(&own, &shape, 3);
    assert_false(fsr_domain_divide_like(&own, &d));
    assert_true(fsr_domain_divide(&d, 0, 5) && d.nparallel == 2);
    while (d.ndim < FSR_MAX_DIMS)
        assert_true(fsr_domain_divide(&d, d.ndim - 1, 1));
    assert_false(fsr_domain_divide(&d, 2, 2));
}

/* What goes beyond the edge of a dimension that a reshape leaves as it is does so behind it, too: no carry. */
static void beyond_the_edge(void **state) {
    (void)state;
    fsr_domain d;
    fsr_index index, inner;
    const fsr_view reshape = {.kind = FSR_VIEW_RESHAPE};
    fsr_shape shape = SHAPE_OF(6, 8), source = SHAPE_OF(2, 3, 1, 8);
    fsr_domain_make(&d, &shape, 0);
    assert_true(fsr_domain_divide(&d, 0, 3) && fsr_index_elem(&index, &shape, &d));
    index.row[1].offset = -1;
    assert_true(fsr_index_view(&inner, &index, &reshape, &shape, &source, &d));
    assert_false(inner.flat);
    assert_true(inner.n == 4 && inner.row[0].coef[0] == 1 && inner.row[1].coef[1] == 1);
    assert_true(inner.row[3].coef[2] == 1 && inner.row[3].offset == -1);
    index.row[0].offset = -1; /* a carry here */
    assert_true(fsr_index_view(&inner, &index, &reshape, &shape, &source, &d));
    assert_true(inner.flat);
}

static void equal_domains(void **state) {
    (void)state;
    fsr_domain a, b;
    fsr_shape x = SHAPE_OF(4, 1, 5), y = SHAPE_OF(4, 5), z = SHAPE_OF(5, 4);
    fsr_domain_make(&a, &x, 1u << 2);
    fsr_domain_make(&b, &y, 1u << 1);
    assert_true(fsr_domain_equal(&a, &b));
    fsr_domain_make(&b, &y, 0);
    assert_false(fsr_domain_equal(&a, &b));
    fsr_domain_make(&b, &z, 1u << 1);
    assert_false(fsr_domain_equal(&a, &b));
    fsr_domain_make(&b, &z, 1u << 0);
    assert_true(fsr_domain_equal(&a, &b));
}

/* Elements of a fold's input lie in the order of its shape, although the folded dimension is the domain's last. */
static void rows_and_elements(void **state) {
    (void)state;
    fsr_domain d;
    fsr_index index;
    fsr_affine address;
    fsr_shape in = SHAPE_OF(3, 4, 5), out = SHAPE_OF(3, 1, 5), other = SHAPE_OF(5, 3);
    fsr_domain_make(&d, &in, 1u << 1);
    assert_true(fsr_index_elem(&index, &in, &d));
    fsr_index_address(&address, &index, &in);
    assert_true(address.offset == 0 && address.coef[0] == 20 && address.coef[1] == 1 && address.coef[2] == 5);
    assert_true(fsr_index_row(&index, &out, &d));
    fsr_index_address(&address, &index, &out);
    assert_true(address.coef[0] == 5 && address.coef[1] == 1 && address.coef[2] == 0);
    assert_false(fsr_index_row(&index, &other, &d));
    assert_false(fsr_index_row(&index, &in, &d));
    assert_false(fsr_index_elem(&index, &out, &d));
}

/* ---- split ------------------------------------------------------------------------------------------------ */

/* A flat index over a domain of these extents. */
static fsr_index flat_index(fsr_domain *d, int ndim, const int64_t *extent, const int64_t *coef, int64_t offset) {
    fsr_index index = {.flat = true, .n = 1};
    *d = (fsr_domain){.ndim = ndim, .nparallel = ndim};
    for (int i = 0; i < ndim; i++) {
        d->extent[i] = extent[i];
        d->axis[i] = i;
        index.row[0].coef[i] = coef[i];
    }
    index.row[0].offset = offset;
    return index;
}

/* Where the split is given, it must give the same address and stay inside every dimension at every point. */
static bool check_split(const fsr_index *flat, const fsr_shape *shape, const fsr_domain *d) {
    fsr_index rows;
    fsr_affine address;
    if (!fsr_index_split(&rows, flat, shape, d))
        return false;
    assert_false(rows.flat);
    assert_int_equal(rows.n, shape->ndim);
    fsr_index_address(&address, &rows, shape);
    for (int64_t i = 0; i < fsr_domain_rows(d); i++) {
        assert_true(at_point(&address, d, i) == at_point(&flat->row[0], d, i));
        for (int j = 0; j < shape->ndim; j++) {
            int64_t at = at_point(&rows.row[j], d, i);
            assert_true(at >= 0 && at < shape->dim[j]);
        }
    }
    return true;
}

static bool splits(int ndim, const int64_t *extent, const int64_t *coef, int64_t offset, fsr_shape shape) {
    fsr_domain d;
    fsr_index flat = flat_index(&d, ndim, extent, coef, offset);
    return check_split(&flat, &shape, &d);
}

static void split_by_hand(void **state) {
    (void)state;
    fsr_shape shape = SHAPE_OF(4, 6);
    assert_true(splits(2, SHAPE(4, 6), SHAPE(6, 1), 0, shape));
    assert_true(splits(2, SHAPE(4, 6), SHAPE(6, 1), 0, SHAPE_OF(4, 1, 6)));
    assert_true(splits(3, SHAPE(4, 2, 3), SHAPE(6, 3, 1), 0, shape));
    assert_true(splits(2, SHAPE(2, 3), SHAPE(12, 2), 0, shape));
    assert_true(splits(1, SHAPE(4), SHAPE(6), 3, shape));
    assert_true(splits(1, SHAPE(3), SHAPE(1), 9, shape));
    assert_true(splits(0, NULL, NULL, 23, shape));
    assert_true(splits(1, SHAPE(24), SHAPE(1), 0, SHAPE_OF(24)));
}

/* In each of these a carry passes from one dimension to the next, or the walk is backwards. */
static void split_refused(void **state) {
    (void)state;
    fsr_shape shape = SHAPE_OF(4, 6);
    assert_false(splits(1, SHAPE(24), SHAPE(1), 0, shape));
    assert_false(splits(1, SHAPE(6), SHAPE(1), 1, shape));
    assert_false(splits(1, SHAPE(6), SHAPE(4), 0, shape));
    assert_false(splits(1, SHAPE(4), SHAPE(7), 0, shape));
    assert_false(splits(2, SHAPE(2, 3), SHAPE(3, 2), 0, shape));
    assert_false(splits(2, SHAPE(4, 6), SHAPE(-6, 1), 18, shape));
    assert_false(splits(1, SHAPE(6), SHAPE(-1), 5, shape));
    assert_false(splits(1, SHAPE(3), SHAPE(6), -6, shape));
}

/* Whatever is accepted is right; a fair part is accepted. */
static void split_many(void **state) {
    (void)state;
    uint64_t seed = 5;
    int accepted = 0;
    for (int round = 0; round < 20000; round++) {
        int64_t extent[3], coef[3], dim[3];
        int ndim = 1 + (int)flow_random(&seed, 3), n = 1 + (int)flow_random(&seed, 3);
        int64_t size = 1, reach = 0;
        for (int i = 0; i < n; i++)
            size *= dim[i] = 1 + flow_random(&seed, 6);
        for (int i = 0; i < ndim; i++) {
            extent[i] = 1 + flow_random(&seed, 4);
            coef[i] = flow_random(&seed, 13);
            reach += coef[i] * (extent[i] - 1);
        }
        if (reach >= size)
            continue;
        accepted += splits(ndim, extent, coef, flow_random(&seed, (uint32_t)(size - reach)), shape_of(n, dim));
    }
    assert_true(accepted > 500);
}

/* ---- chains of views ------------------------------------------------------------------------------------------ */

/* The address that out's element at each point of its own domain has in the leaf; false: a view had no affine form. */
static bool chain_address(const fsr_flow *flow, fsr_domain *d, fsr_affine *address) {
    fsr_link link = flow->out[0];
    fsr_index index, inner;
    fsr_domain_make(d, &flow->node[link.id].shape, 0);
    assert_true(fsr_index_row(&index, &flow->node[link.id].shape, d));
    while (flow->node[link.id].kind == FSR_NODE_VIEW) {
        const fsr_flow_node *n = &flow->node[link.id];
        if (!fsr_index_view(&inner, &index, &n->view, &n->shape, &flow->node[n->arg[0].id].shape, d))
            return false;
        index = inner;
        link = n->arg[0];
    }
    fsr_index_address(address, &index, &flow->node[link.id].shape);
    return true;
}

static bool check_chain(fsr_node y) {
    fsr_flow flow = flow_of(&y, 1);
    fsr_domain d;
    fsr_affine address;
    int leaf;
    bool affine = chain_address(&flow, &d, &address);
    int64_t n = affine ? fsr_domain_rows(&d) : 0;
    for (int64_t i = 0; i < n; i++)
        assert_true(at_point(&address, &d, i) == flow_leaf_index(&flow, flow.out[0], i, &leaf));
    fsr_flow_clear(&flow);
    return affine;
}

static void chains_by_hand(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 4, 6), row = INPUT(g, FSR_F32, 6);
    assert_true(check_chain(fsr_transpose(x, NULL)));
    assert_true(check_chain(fsr_flip(fsr_slice(x, 1, 1, FSR_SLICE_END, 2), 0)));
    assert_true(check_chain(fsr_slice(x, 0, 3, FSR_SLICE_END, -2)));
    assert_true(check_chain(fsr_broadcast_to(row, 3, SHAPE(2, 4, 6))));
    assert_true(check_chain(fsr_reshape(x, 1, SHAPE(24))));
    assert_true(check_chain(fsr_reshape(fsr_reshape(x, 1, SHAPE(24)), 3, SHAPE(2, 2, 6))));
    assert_true(check_chain(fsr_flip(fsr_reshape(x, 1, SHAPE(24)), 0)));
    assert_true(check_chain(fsr_transpose(fsr_reshape(fsr_transpose(x, NULL), 3, SHAPE(2, 3, 4)), NULL)));
    assert_true(check_chain(fsr_slice(fsr_reshape(fsr_slice(x, 0, 1, 3, 1), 1, SHAPE(12)), 0, 7, 12, 2)));
    assert_true(check_chain(fsr_squeeze(fsr_slice(x, 1, 2, 3, 1), 1)));
    assert_true(check_chain(fsr_reshape(fsr_slice(x, 1, 2, 3, 1), 2, SHAPE(2, 2))));
    assert_false(check_chain(fsr_reshape(fsr_transpose(x, NULL), 1, SHAPE(24))));
    assert_false(check_chain(fsr_reshape(fsr_slice(x, 1, 0, 5, 1), 1, SHAPE(20))));
    assert_false(check_chain(fsr_reshape(fsr_broadcast_to(row, 2, SHAPE(4, 6)), 1, SHAPE(24))));
}

static void chains_many(void **state) {
    (void)state;
    uint64_t seed = 3;
    int affine = 0, rounds = 5000;
    for (int round = 0; round < rounds; round++) {
        fsr_node y = INPUT(g, FSR_F32, 2, 6, 5);
        int views = 1 + (int)flow_random(&seed, 7);
        for (int i = 0; i < views; i++)
            y = flow_random_view(&seed, y);
        affine += check_chain(y);
    }
    assert_true(affine > rounds / 2);
}

/* Extents past 32 bits: addresses are exact. */
static void large(void **state) {
    (void)state;
    int64_t n = (int64_t)1 << 40;
    fsr_node x = fsr_input(g, "x", FSR_U8, 2, SHAPE(1 << 20, n)), y = fsr_flip(fsr_transpose(x, NULL), 0);
    fsr_flow flow = flow_of(&y, 1);
    fsr_domain d;
    fsr_affine address;
    assert_true(chain_address(&flow, &d, &address));
    fsr_flow_clear(&flow);
    assert_true(address.offset == n - 1 && address.coef[0] == -1 && address.coef[1] == n);
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(domains),           T(divided_domains), T(beyond_the_edge), T(equal_domains),
        T(rows_and_elements), T(split_by_hand),   T(split_refused),   T(split_many),
        T(chains_by_hand),    T(chains_many),     T(large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

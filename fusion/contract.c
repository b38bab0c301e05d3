/* SPDX-License-Identifier: MIT */
/* Sums of broadcast products become calls of a library's product of matrices.
 *
 * What is looked for is reduce(add, mul(x, y)) with the mark `product`, which the builders of products set. Both
 * operands are views of arrays, so each dimension of the product has a stride in either array: those folded that both
 * have are the columns k; of the others those that a alone has are the rows m, b alone the columns n, both the batches.
 * Dimensions of a kind merge into one where they lie behind one another in both of the arrays that have them. An
 * operand whose dimensions do not, of which neither rows nor columns are contiguous, is copied first, in the product's
 * order; then they do. Strides are data, so a transposed operand, a part of a matrix, a batch that is the same for all
 * are no copies.
 *
 * Counter-example to a node of its own from the builder on: a machine without the library would need the product of
 * sums as well, every backend one more meaning, and a small product could not fuse. */
#include "fusion/contract.h"
#include "fusion/rewrites.h"
#include <stdlib.h>
#include <string.h>

/* Smaller ones cost less as loops, in whose kernels what is around them fuses. */
enum { LEAST_SIDE = 4, LEAST_FOLDED = 16, LEAST_WORK = 8192 };

/* A factor: elements of an array. */
typedef struct factor {
    fsr_link source;
    bool narrow; /* f16 or bf16, as which the library takes it; the product is of f32 */
    int64_t offset, stride[FSR_MAX_DIMS];
} factor;

/* Some dimensions of the product as one. */
typedef struct merged {
    int64_t extent, stride[3]; /* in a, b and the result */
} merged;

typedef struct product {
    const fsr_flow *flow;
    const fsr_flow_node *fold, *times;
    bool gpu;
    factor side[2];
    int64_t result[FSR_MAX_DIMS];
} product;

/* ---- factors ------------------------------------------------------------------------------------------------ */

static void c_order(const fsr_shape *shape, int64_t *stride) {
    int64_t size = 1;
    for (int d = shape->ndim - 1; d >= 0; --d) {
        stride[d] = shape->dim[d] == 1 ? 0 : size;
        size = fsr_size_mul(size, shape->dim[d]);
    }
}

/* What a link's value is converted from exactly; the link itself where that is not known to be better. */
static bool widened(const fsr_flow *flow, fsr_link *link) {
    const fsr_flow_node *n = &flow->node[link->id];
    if (!fsr_has(n->kind, FSR_FIELD_op) || n->op != FSR_OP_CAST || n->hint == FSR_HINT_MATERIALIZE ||
        n->dtype[0] != FSR_F32)
        return false;
    const fsr_link from = n->arg[0];
    if (!fsr_dtype_is_half(flow->node[from.id].dtype[from.output]))
        return false;
    *link = from;
    return true;
}

/* The source's dimensions in place of those that a view of it shows. */
static void compose(const fsr_view *view, int rank, fsr_view *map) {
    fsr_view next = {.kind = FSR_VIEW_AFFINE};
    for (int j = 0; j < rank; ++j) {
        const int middle = view->from[j];
        next.from[j] = (int8_t)(middle < 0 ? -1 : map->from[middle]);
        next.start[j] = view->start[j] + (middle < 0 ? 0 : view->step[j] * map->start[middle]);
        next.step[j] = middle < 0 ? 0 : view->step[j] * map->step[middle];
    }
    *map = next;
}

/* True if the link's node is a view of this kind; then the link is what it shows. */
static bool shows(const fsr_flow *flow, fsr_link *link, fsr_view_kind kind) {
    const fsr_flow_node *n = &flow->node[link->id];
    if (!fsr_is(n->kind, FSR_IS_VIEW) || n->view.kind != kind || n->hint == FSR_HINT_MATERIALIZE)
        return false;
    *link = n->arg[0];
    return true;
}

/* Through views and conversions to the array; behind a reshape flat indices are all that is known. */
static void factor_take(const product *p, fsr_link link, factor *out) {
    const fsr_flow *flow = p->flow;
    const fsr_shape *shape = &p->times->shape;
    fsr_view map = {.kind = FSR_VIEW_AFFINE};
    int64_t own[FSR_MAX_DIMS];
    memset(out, 0, sizeof *out);
    for (int d = 0; d < shape->ndim; ++d) {
        map.from[d] = (int8_t)d;
        map.step[d] = 1;
    }
    for (fsr_link from = link;; link = from) {
        if (p->gpu && !out->narrow && widened(flow, &from))
            out->narrow = true;
        else if (shows(flow, &from, FSR_VIEW_AFFINE))
            compose(&flow->node[link.id].view, flow->node[from.id].shape.ndim, &map);
        else
            break;
    }
    const fsr_shape *source = &flow->node[link.id].shape;
    c_order(source, own);
    for (int j = 0; j < source->ndim; ++j) {
        out->offset += map.start[j] * own[j];
        if (map.from[j] >= 0 && shape->dim[map.from[j]] > 1)
            out->stride[map.from[j]] += map.step[j] * own[j];
    }
    while (shows(flow, &link, FSR_VIEW_RESHAPE))
        ;
    if (p->gpu && !out->narrow)
        out->narrow = widened(flow, &link);
    out->source = link;
}

/* ---- dimensions ----------------------------------------------------------------------------------------------- */

enum { ROWS = 1, COLS = 2, BATCH = 3, FOLDED = 4, OTHER = 5 };

static int role(const product *p, int d) {
    const bool a = p->side[0].stride[d] != 0, b = p->side[1].stride[d] != 0;
    if (p->fold->axes >> d & 1)
        return a && b ? FOLDED : OTHER;
    return a && b ? BATCH : a ? ROWS : b ? COLS : OTHER;
}

/* The dimensions with this role as at most `room`; how many, -1: they are more, or one has a role that there is none
 * of. */
static int merge(const product *p, int wanted, merged *out, int room) {
    const fsr_shape *shape = &p->times->shape;
    int n = 0;
    for (int d = 0; d < shape->ndim; ++d) {
        if (shape->dim[d] == 1)
            continue;
        const int is = role(p, d);
        if (is == OTHER)
            return -1;
        if (is != wanted)
            continue;
        const merged one = {shape->dim[d], {p->side[0].stride[d], p->side[1].stride[d], p->result[d]}};
        bool joins = n > 0;
        for (int s = 0; s < 3 && joins; ++s)
            joins = out[n - 1].stride[s] == fsr_size_mul(one.extent, one.stride[s]);
        if (joins) {
            out[n - 1].extent *= one.extent;
            memcpy(out[n - 1].stride, one.stride, sizeof one.stride);
        } else if (n == room) {
            return -1;
        } else {
            out[n++] = one;
        }
    }
    return n;
}

/* Of a matrix with `rows` by `cols` at these strides; false: it is none that a library takes. */
static bool lead_of(int64_t rows, int64_t row, int64_t cols, int64_t col, int64_t *flipped, int64_t *lead) {
    *flipped = col != 1;
    *lead = *flipped ? col : row;
    return (*flipped ? row : col) == 1 && *lead >= (*flipped ? rows : cols);
}

/* -1, or the side that a batch goes backwards in. */
static int batches_take(const merged *batch, int n, int a, int b, fsr_matmul *out) {
    for (int i = 0; i < FSR_MATMUL_BATCHES; ++i) {
        const int at = i - (FSR_MATMUL_BATCHES - n);
        const merged one = at < 0 ? (merged){.extent = 1} : batch[at];
        if (one.stride[0] < 0 || one.stride[1] < 0)
            return one.stride[a] < 0 ? a : b;
        out->batches[i] = one.extent;
        out->a_step[i] = one.stride[a];
        out->b_step[i] = one.stride[b];
        out->c_step[i] = one.stride[2];
    }
    return -1;
}

/* The side, 0 or 1, whose strides no library takes; 2: the product is none at all; -1: all is well. Rows and columns
 * that do not merge are batches but for the last. */
static int matmul_take(const product *p, fsr_matmul *out, bool *turned) {
    enum { MOST = FSR_MATMUL_BATCHES };
    merged rows[MOST], cols[MOST], folded, batch[3 * MOST];
    int nrows = merge(p, ROWS, rows, MOST), ncols = merge(p, COLS, cols, MOST), nbatch = merge(p, BATCH, batch, MOST);
    const int nfolded = merge(p, FOLDED, &folded, 1);
    if (nrows < 1 || ncols < 1 || nbatch < 0 || nfolded == 0 || nrows + ncols - 2 + nbatch > MOST)
        return 2;
    if (nfolded < 0)
        return 0;
    for (int i = 0; i + 1 < nrows; ++i)
        batch[nbatch++] = rows[i];
    for (int i = 0; i + 1 < ncols; ++i)
        batch[nbatch++] = cols[i];
    const merged *row = &rows[nrows - 1], *col = &cols[ncols - 1];
    *turned = col->stride[2] != 1;
    const int a = *turned, b = !*turned;
    const merged *m = *turned ? col : row, *n = *turned ? row : col;
    *out = (fsr_matmul){.m = m->extent, .n = n->extent, .k = folded.extent, .c_lead = m->stride[2]};
    if (n->stride[2] != 1 || out->c_lead < out->n)
        return 2;
    out->a_offset = p->side[a].offset;
    out->b_offset = p->side[b].offset;
    if (!lead_of(out->m, m->stride[a], out->k, folded.stride[a], &out->a_flipped, &out->a_lead))
        return a;
    if (!lead_of(out->k, folded.stride[b], out->n, n->stride[b], &out->b_flipped, &out->b_lead))
        return b;
    return batches_take(batch, nbatch, a, b, out);
}

/* ---- rewriting ------------------------------------------------------------------------------------------------- */

/* A copy is due: of elements that no array holds, of which the view shows some alone. */
static bool is_part(const product *p, const factor *f) {
    const fsr_flow_node *n = &p->flow->node[f->source.id];
    int64_t shown = 1;
    for (int d = 0; d < p->times->shape.ndim; ++d)
        shown = fsr_size_mul(shown, f->stride[d] ? p->times->shape.dim[d] : 1);
    return !fsr_is(n->kind, FSR_IS_ARRAY | FSR_IS_FOLD | FSR_IS_STORED | FSR_RUNS_ONCE) &&
           shown < fsr_shape_size(&n->shape);
}

/* Appends the factor's own dimensions in the product's order, as a view, which the call has copied. False: out of
 * memory. */
static bool pack(fsr_flow *flow, const product *p, fsr_link link, factor *f) {
    const fsr_shape *shape = &p->times->shape;
    fsr_flow_node view = {.kind = FSR_NODE_VIEW, .nout = 1, .nargs = 1, .view = {.kind = FSR_VIEW_AFFINE}};
    int64_t own[FSR_MAX_DIMS];
    view.shape.ndim = shape->ndim;
    view.arg[0] = link;
    view.dtype[0] = flow->node[link.id].dtype[link.output];
    view.hint = FSR_HINT_MATERIALIZE;
    for (int d = 0; d < shape->ndim; ++d) {
        view.shape.dim[d] = f->stride[d] ? shape->dim[d] : 1;
        view.view.from[d] = (int8_t)(f->stride[d] ? d : -1);
        view.view.step[d] = 1;
    }
    c_order(&view.shape, own);
    *f = (factor){.source = {fsr_flow_add(flow, &view), 0}};
    memcpy(f->stride, own, sizeof own);
    return f->source.id >= 0;
}

static bool large(const fsr_matmul *m) {
    return m->m >= LEAST_SIDE && m->n >= LEAST_SIDE && m->k >= LEAST_FOLDED &&
           fsr_size_mul(m->m, fsr_size_mul(m->n, m->k)) >= LEAST_WORK;
}

/* Of extents alone, before anything is copied. */
static bool is_large(const product *p) {
    fsr_matmul m = {.m = 1, .n = 1, .k = 1};
    for (int d = 0; d < p->times->shape.ndim; ++d) {
        const int is = p->times->shape.dim[d] == 1 ? 0 : role(p, d);
        int64_t *side = is == ROWS ? &m.m : is == COLS ? &m.n : is == FOLDED ? &m.k : NULL;
        if (is == OTHER)
            return false;
        if (side)
            *side = fsr_size_mul(*side, p->times->shape.dim[d]);
    }
    return large(&m);
}

/* Takes n apart, where it is a product; false: it is none. */
static bool product_take(const fsr_flow *flow, const fsr_flow_node *n, bool gpu, product *p) {
    if (!fsr_is(n->kind, FSR_IS_FOLD) || !n->product || n->hint == FSR_HINT_INLINE || fsr_shape_size(&n->shape) == 0)
        return false;
    const fsr_flow_node *times = &flow->node[n->arg[0].id];
    if (!fsr_has(times->kind, FSR_FIELD_op) || times->op != FSR_OP_MUL || times->hint == FSR_HINT_MATERIALIZE ||
        times->dtype[0] != n->dtype[0] || !fsr_dtype_is_inexact(n->dtype[0]) || fsr_dtype_is_half(n->dtype[0]))
        return false;
    *p = (product){.flow = flow, .fold = n, .times = times, .gpu = gpu};
    c_order(&n->shape, p->result);
    for (int i = 0; i < 2; ++i)
        factor_take(p, times->arg[i], &p->side[i]);
    return is_large(p);
}

/* Both narrow and of one dtype, or neither: that is what libraries have. A narrow one that stands alone is taken as
 * f32. */
static void settle_narrow(const product *p, factor *side) {
    const fsr_flow *flow = p->flow;
    fsr_dtype dtype[2];
    for (int i = 0; i < 2; ++i)
        dtype[i] = flow->node[side[i].source.id].dtype[side[i].source.output];
    for (int i = 0; i < 2 && dtype[0] != dtype[1]; ++i)
        if (side[i].narrow) {
            product wide = *p;
            wide.gpu = false;
            factor_take(&wide, p->times->arg[i], &side[i]);
        }
}

/* Appends the call that stands for n. *made: its number, -1 where n stays. False: out of memory. */
static bool contract(fsr_flow *flow, fsr_flow_node n, bool gpu, int *made) {
    product p;
    fsr_matmul m;
    bool turned;
    *made = -1;
    if (!product_take(flow, &n, gpu, &p))
        return true;
    const fsr_flow_node times = *p.times;
    p.fold = &n;
    p.times = &times;
    for (int i = 0; i < 2; ++i)
        if (is_part(&p, &p.side[i]) && !pack(flow, &p, times.arg[i], &p.side[i]))
            return false;
    settle_narrow(&p, p.side);
    int bad = matmul_take(&p, &m, &turned);
    for (int tries = 0; tries < 3 && bad >= 0 && bad < 2; ++tries) {
        const int side = tries < 2 ? bad : !bad;
        if (!pack(flow, &p, times.arg[side], &p.side[side]))
            return false;
        settle_narrow(&p, p.side);
        bad = matmul_take(&p, &m, &turned);
    }
    if (bad != -1)
        return true;
    fsr_called *called = fsr_called_words((const int64_t *)&m, FSR_MATMUL_WORDS);
    if (!called || !fsr_flow_own(flow, called))
        return false;
    fsr_flow_node call = {.kind = FSR_NODE_LIBRARY,
                          .nout = 1,
                          .shape = n.shape,
                          .nargs = 2,
                          .library = FSR_LIBRARY_MATMUL,
                          .called = called,
                          .hint = n.hint,
                          .origin = n.origin,
                          .site = n.site,
                          .arg = {p.side[turned].source, p.side[!turned].source}};
    call.dtype[0] = n.dtype[0];
    *made = fsr_flow_add(flow, &call);
    return *made >= 0;
}

static bool has_products(const fsr_flow *flow) {
    for (int i = 0; i < flow->n; ++i)
        if (flow->node[i].product)
            return true;
    return false;
}

/* Copies every node into `to`; how many became calls, -1: out of memory. */
static int copy(const fsr_flow *from, fsr_flow *to, fsr_link *at, bool gpu) {
    int calls = 0;
    for (int i = 0; i < from->n; ++i) {
        fsr_flow_node n = from->node[i];
        int made;
        for (int k = 0; k < n.nargs; ++k)
            n.arg[k] = at[n.arg[k].id * FSR_MAX_OUTPUTS + n.arg[k].output];
        if (!contract(to, n, gpu, &made))
            return -1;
        calls += made >= 0;
        if (made < 0 && (made = fsr_flow_add(to, &n)) < 0)
            return -1;
        fsr_flow_replace(at, i, (fsr_link){made, 0});
    }
    return calls;
}

fsr_status fsr_flow_contract(fsr_flow *flow, const fsr_target *target) {
    fsr_status status = FSR_OK;
    fsr_flow made = {0};
    if (!target->has || !has_products(flow) || !target->has(target->backend, FSR_LIBRARY_MATMUL))
        return FSR_OK;
    fsr_link *to = fsr_flow_redirects(flow, &status);
    const int calls = to ? copy(flow, &made, to, target->gpu) : -1;
    if (calls > 0) {
        free(flow->node);
        flow->node = made.node;
        flow->n = made.n;
        flow->capacity = made.capacity;
        fsr_flow_redirect_outs(flow, to);
        fsr_flow_adopt(flow, &made);
        fsr_rewrite_compose(flow, &status);
        if (!status)
            fsr_rewrite_dce(flow, &status);
    } else {
        fsr_flow_clear(&made);
    }
    free(to);
    return calls < 0 ? FSR_ERR_MEMORY : status;
}

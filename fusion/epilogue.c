/* SPDX-License-Identifier: MIT */
/* A bias, and a scale, behind a product of matrices become part of its call: the library adds them before it stores an
 * element, so the product is neither stored nor read again.
 *
 * What is looked for is add(p, row), where p is the result of a call "matmul" in f32 that nobody else reads, row shows
 * one array's neighbours along the result's rows, the same for all rows, and memory holds the sum in any case: it is an
 * output, or another call takes it. There the bits are the product's and those of one addition, as in a kernel: the
 * library has the product in f32, adds the bias once, and does not divide the folded dimension
 * (backend_cuda/cublaslt.c).
 * Counter-example to any reader of the sum: relu(p + row) needs its kernel anyway, which adds the row for nothing.
 * A scale, mul(p, literal), stays in a kernel unless the context allows contraction: no text says that the library
 * rounds scale * p before it adds the bias. Its value is then a word of the call, so another one is another plan. */
#include "fusion/epilogue.h"
#include "fusion/rewrites.h"
#include "graph/matmul.h"
#include <math.h>
#include <stdlib.h>

/* Longer than MOST, a product takes so much longer than a kernel behind it that nothing is gained. Of fewer elements
 * than MANY the library's choice of an algorithm, which it may not divide the folded dimension for, costs more than the
 * kernel does: on an H200 256 by 64 by 256 takes 14 us as one call and 6 as two steps, 512 by 1024 by 512 27 and 22,
 * 1024 by 512 by 1024 31 and 33. */
enum { MOST_FOLDED = 1024, MANY_ELEMENTS = 1 << 20 };

typedef struct finder {
    fsr_flow *flow;
    const int *readers; /* of each node */
    bool contraction;
    int id; /* what may become the call */
} finder;

typedef struct found {
    int call; /* the product's; -1: there is none */
    float scale;
    bool biased;
    fsr_link bias;
    int64_t bias_offset;
} found;

static bool paired(const fsr_flow *flow, int id) {
    for (int i = 0; i < flow->npairs; ++i)
        if (flow->pair[i].node[0] == id || flow->pair[i].node[1] == id)
            return true;
    return false;
}

/* The program asks for both in one step. */
static bool asked(const fsr_flow *flow, int product, int sum) {
    for (int i = 0; i < flow->npairs; ++i)
        if (flow->pair[i].node[0] == product && flow->pair[i].node[1] == sum && flow->pair[i].hint == FSR_PAIR_FUSE)
            return true;
    return false;
}

/* Nobody else reads it, and nothing was said of it but that it shall be joined. */
static bool is_inner(const finder *f, int id) {
    return f->readers[id] == 1 && f->flow->node[id].hint != FSR_HINT_MATERIALIZE &&
           (!paired(f->flow, id) || asked(f->flow, id, f->id));
}

static bool worth(const fsr_matmul *m) {
    return m->k <= MOST_FOLDED && m->m * m->n >= MANY_ELEMENTS;
}

/* The call whose whole result the link shows, in its order; -1: none. */
static int product_of(const finder *f, fsr_link link) {
    while (f->readers[link.id] == 1 && fsr_flow_in_order(f->flow, &f->flow->node[link.id]))
        link = f->flow->node[link.id].arg[0];
    const fsr_flow_node *n = &f->flow->node[link.id];
    if (!fsr_has(n->kind, FSR_FIELD_library) || n->library != FSR_LIBRARY_MATMUL || n->dtype[0] != FSR_F32 ||
        !is_inner(f, link.id))
        return -1;
    const fsr_matmul *m = fsr_matmul_of(n->called);
    for (int i = 0; i < FSR_MATMUL_BATCHES; ++i)
        if (m->batches[i] != 1)
            return -1;
    return m->c_lead == m->n && (worth(m) || asked(f->flow, link.id, f->id)) ? link.id : -1;
}

static bool is_map_of(const fsr_flow_node *n, fsr_op op) {
    return fsr_has(n->kind, FSR_FIELD_op) && n->op == op && n->dtype[0] == FSR_F32;
}

/* A number whose products with a number are those of numbers. */
static bool literal_of(const fsr_flow *flow, fsr_link link, float *out) {
    while (fsr_is(flow->node[link.id].kind, FSR_IS_VIEW))
        link = flow->node[link.id].arg[0];
    const fsr_flow_node *n = &flow->node[link.id];
    if (!fsr_is(n->kind, FSR_IS_LITERAL) || n->dtype[0] != FSR_F32 || !isfinite(n->value.f32) || n->value.f32 == 0)
        return false;
    *out = n->value.f32;
    return true;
}

/* mul(p, literal), in either order. */
static bool scaled(const finder *f, const fsr_flow_node *n, found *out) {
    if (!f->contraction || !is_map_of(n, FSR_OP_MUL))
        return false;
    for (int k = 0; k < 2; ++k) {
        out->call = product_of(f, n->arg[k]);
        if (out->call >= 0 && literal_of(f->flow, n->arg[!k], &out->scale))
            return true;
    }
    return false;
}

/* The link shows `cols` neighbours of an array that is in memory, along the last dimensions, again and again. */
static bool row_of(const fsr_flow *flow, fsr_link link, int64_t cols, found *out) {
    const fsr_flow_node *n = &flow->node[link.id];
    if (!fsr_is(n->kind, FSR_IS_VIEW) || n->view.kind != FSR_VIEW_AFFINE || n->hint == FSR_HINT_MATERIALIZE)
        return false;
    const fsr_flow_node *source = &flow->node[n->arg[0].id];
    if (!fsr_is(source->kind, FSR_IS_ARRAY | FSR_IS_FOLD | FSR_IS_STORED | FSR_RUNS_ONCE))
        return false;
    int64_t own[FSR_MAX_DIMS], stride[FSR_MAX_DIMS] = {0}, done = 1;
    fsr_shape_strides(&source->shape, own);
    out->bias_offset = 0;
    for (int j = 0; j < source->shape.ndim; ++j) {
        out->bias_offset += n->view.start[j] * own[j];
        if (n->view.from[j] >= 0)
            stride[n->view.from[j]] += n->view.step[j] * own[j];
    }
    for (int d = n->shape.ndim - 1; d >= 0; --d) {
        const int64_t extent = n->shape.dim[d];
        if (extent == 1)
            continue;
        if (stride[d] != (done < cols ? done : 0))
            return false;
        done = done < cols ? done * extent : done;
    }
    out->bias = n->arg[0];
    out->biased = true;
    return done == cols;
}

static bool with_bias(const finder *f, const fsr_flow_node *n, found *out) {
    if (!is_map_of(n, FSR_OP_ADD))
        return false;
    for (int k = 0; k < 2; ++k) {
        const fsr_link link = n->arg[k];
        out->scale = 1;
        out->call = product_of(f, link);
        if (out->call < 0 && !(is_inner(f, link.id) && scaled(f, &f->flow->node[link.id], out)))
            continue;
        if (row_of(f->flow, n->arg[!k], fsr_matmul_of(f->flow->node[out->call].called)->n, out))
            return true;
    }
    return false;
}

/* Memory holds it, whatever becomes of it. */
static bool is_kept(const fsr_flow *flow, int id) {
    if (fsr_flow_gives(flow, (fsr_link){id, 0}))
        return true;
    for (int i = id + 1; i < flow->n; ++i)
        for (int k = 0; fsr_has(flow->node[i].kind, FSR_FIELD_library) && k < flow->node[i].nargs; ++k)
            if (fsr_library_source(flow, &flow->node[i], k).id == id)
                return true;
    return false;
}

/* Node `id` becomes the call. False: out of memory. */
static bool join(fsr_flow *flow, int id, const found *x) {
    const fsr_flow_node sum = flow->node[id];
    const fsr_value scale = {.f32 = x->scale};
    fsr_flow_node call = flow->node[x->call];
    const fsr_epilogue e = {.product = *fsr_matmul_of(call.called),
                            .scale = (int64_t)(scale.bits & UINT32_MAX),
                            .bias_offset = x->biased ? x->bias_offset : 0};
    fsr_called *called = fsr_called_words((const int64_t *)&e, FSR_EPILOGUE_WORDS);
    if (!called || !fsr_flow_own(flow, called))
        return false;
    call.library = FSR_LIBRARY_MATMUL_EPILOGUE;
    call.called = called;
    call.shape = sum.shape;
    call.hint = sum.hint;
    call.origin = sum.origin;
    call.site = sum.site;
    if (x->biased)
        call.arg[call.nargs++] = x->bias;
    flow->node[id] = call;
    return true;
}

/* How many joined; -1: out of memory. The library is looked for once there is something for it. */
static int join_all(finder *f, const fsr_target *target) {
    int joined = 0;
    for (int i = 0; i < f->flow->n; ++i) {
        const fsr_flow_node *n = &f->flow->node[i];
        found x = {.call = -1, .scale = 1};
        f->id = i;
        if (!fsr_has(n->kind, FSR_FIELD_op) || !(with_bias(f, n, &x) || scaled(f, n, &x)) || !is_kept(f->flow, i) ||
            (paired(f->flow, i) && !asked(f->flow, x.call, i)))
            continue;
        if (!target->has(target->backend, FSR_LIBRARY_MATMUL_EPILOGUE))
            return joined;
        if (!join(f->flow, i, &x))
            return -1;
        ++joined;
    }
    return joined;
}

static bool has_products(const fsr_flow *flow) {
    for (int i = 0; i < flow->n; ++i)
        if (fsr_has(flow->node[i].kind, FSR_FIELD_library) && flow->node[i].library == FSR_LIBRARY_MATMUL)
            return true;
    return false;
}

fsr_status fsr_flow_epilogues(fsr_flow *flow, const fsr_program_options *options) {
    const fsr_target *target = &options->target;
    fsr_status status = FSR_OK;
    if (!options->fusion || options->fuel >= 0 || !target->has || !has_products(flow))
        return FSR_OK;
    int *readers = fsr_flow_readers(flow, &status);
    finder f = {flow, readers, options->contraction, 0};
    const int joined = readers ? join_all(&f, target) : 0;
    free(readers);
    if (joined < 0)
        return FSR_ERR_MEMORY;
    if (joined > 0)
        fsr_rewrite_dce(flow, &status);
    return status;
}

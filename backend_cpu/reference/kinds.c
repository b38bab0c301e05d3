/* SPDX-License-Identifier: MIT */
/* What a node of each kind evaluates to: a small function each, which graph/node_kinds.def names. Leaves, values and
 * views first, then what computes; folds last. */
#include "backend_cpu/reference/call.h"
#include "backend_cpu/reference/call_raw.h"
#include "backend_cpu/reference/fold.h"
#include "backend_cpu/reference/gather.h"
#include "backend_cpu/reference/iterate.h"
#include "backend_cpu/reference/library.h"
#include "backend_cpu/reference/map.h"
#include "backend_cpu/reference/rounds.h"
#include "backend_cpu/reference/run.h"
#include "backend_cpu/reference/scatter.h"
#include "backend_cpu/reference/times.h"
#include "graph/shape.h"
#include "runtime/routines.h"

fsr_status fsr_ref_run_leaf(fsr_ref_run *r, const fsr_rec *rec, uint32_t output, fsr_ref_view *out) {
    if (r->given) {
        *out = r->given[r->id];
        fsr_ref_data_ref(out->data);
        return FSR_OK;
    }
    const int64_t size = fsr_shape_size(&rec->shape);
    fsr_ref_data *data = fsr_ref_data_new(rec->dtype[output], size, false);
    if (!data)
        return fsr_ref_no_memory(r, rec);
    *out = fsr_ref_view_whole(data, &rec->shape);
    return r->fetch(r->user, rec, (int)output, data->center, fsr_shape_bytes(&rec->shape, rec->dtype[output]));
}

static bool set_known(fsr_ref_data *data, int64_t at, fsr_value value) {
    const fsr_ref_element x = fsr_ref_known(data->dtype, value);
    return fsr_ref_data_set(data, at, &x);
}

/* What a scalar argument is now: in a loop's body not what it was recorded with. */
static fsr_value scalar_now(const fsr_ref_run *r, uint32_t id) {
    const fsr_ref_view *given = r->given ? &r->given[id] : NULL;
    return given && given->data ? fsr_ref_data_get(given->data, given->offset).value
                                : fsr_graph_rec(r->plan.graph, id)->value;
}

/* CONST, PARAM: one element for the whole shape. */
static fsr_status run_value(fsr_ref_run *r, const fsr_rec *rec, fsr_ref_view *out) {
    out->data = fsr_ref_data_new(rec->dtype[0], 1, false);
    if (!out->data)
        return fsr_ref_no_memory(r, rec);
    return set_known(out->data, 0, scalar_now(r, r->id)) ? FSR_OK : fsr_ref_no_memory(r, rec);
}

/* One line of indices, not moving in the other dimensions. */
static fsr_status run_iota(fsr_ref_run *r, const fsr_rec *rec, fsr_ref_view *out) {
    const int64_t n = rec->shape.dim[rec->axis];
    out->data = fsr_ref_data_new(rec->dtype[0], n, false);
    if (!out->data)
        return fsr_ref_no_memory(r, rec);
    out->stride[rec->axis] = 1;
    bool ok = true;
    for (int64_t i = 0; ok && i < n; i++)
        ok = set_known(out->data, i, fsr_value_from_int(rec->dtype[0], i));
    return ok ? FSR_OK : fsr_ref_no_memory(r, rec);
}

/* The dtype that the operands of a MAP have: b's of a WHERE. */
static fsr_dtype compute_of(const fsr_ref_run *r, const fsr_rec *rec) {
    int which = fsr_op_get(rec->op)->rule == FSR_RULE_SELECT;
    return fsr_ref_view_of(r, rec->arg[which])->data->dtype;
}

static fsr_status run_map(fsr_ref_run *r, const fsr_rec *rec, fsr_ref_view *out) {
    const fsr_dtype compute = rec->routine ? rec->dtype[0] : compute_of(r, rec);
    fsr_ref_view in[FSR_MAX_ARGS];
    for (int i = 0; i < rec->nargs; i++)
        in[i] = *fsr_ref_view_of(r, rec->arg[i]);
    const bool summed = r->plan.slot[r->id].summed && !rec->routine && rec->op == FSR_OP_MUL;
    fsr_ref_data *data = summed ? fsr_ref_products(compute, &rec->shape, in) : fsr_ref_map(rec, compute, in, r->mode);
    if (!data)
        return fsr_ref_no_memory(r, rec);
    *out = fsr_ref_view_whole(data, &rec->shape);
    return FSR_OK;
}

static fsr_status run_call(fsr_ref_run *r, const fsr_rec *rec, fsr_ref_view *out) {
    fsr_status status = fsr_routine_ready(fsr_graph_context(r->plan.graph), rec->routine, r->fault);
    if (status || !rec->routine->narrays)
        return status ? status : run_map(r, rec, out);
    fsr_ref_view in[FSR_MAX_NATIVE];
    fsr_shape shape[FSR_MAX_NATIVE];
    for (int i = 0; i < rec->nargs; i++) {
        in[i] = *fsr_ref_view_of(r, rec->arg[i]);
        shape[i] = fsr_graph_rec(r->plan.graph, rec->arg[i].id)->shape;
    }
    fsr_ref_data *data = fsr_ref_call_raw(rec, in, shape);
    if (!data)
        return fsr_ref_no_memory(r, rec);
    *out = fsr_ref_view_whole(data, &rec->shape);
    return FSR_OK;
}

static fsr_ref_view view_affine(const fsr_rec *rec, const fsr_ref_view *from, int from_ndim) {
    fsr_ref_view out = {.data = fsr_ref_data_ref(from->data), .offset = from->offset};
    for (int j = 0; j < from_ndim; j++) {
        out.offset += rec->view.start[j] * from->stride[j];
        if (rec->view.from[j] >= 0)
            out.stride[rec->view.from[j]] += rec->view.step[j] * from->stride[j];
    }
    return out;
}

/* The elements lie in C order with nothing between them. */
static bool whole(const fsr_ref_view *v, const fsr_shape *shape) {
    fsr_ref_view c = fsr_ref_view_whole(v->data, shape);
    for (int d = 0; d < shape->ndim; d++)
        if (shape->dim[d] != 1 && c.stride[d] != v->stride[d])
            return false;
    return true;
}

static fsr_status view_reshape(fsr_ref_run *r, const fsr_rec *rec, const fsr_ref_view *from, const fsr_shape *shape,
                               fsr_ref_view *out) {
    if (whole(from, shape)) {
        *out = fsr_ref_view_whole(fsr_ref_data_ref(from->data), &rec->shape);
        out->offset = from->offset;
        return FSR_OK;
    }
    fsr_ref_data *data = fsr_ref_data_new(rec->dtype[0], fsr_shape_size(shape), true);
    fsr_ref_walk walk;
    bool ok = data != NULL;
    if (ok)
        *out = fsr_ref_view_whole(data, &rec->shape);
    fsr_ref_walk_start(&walk, shape, 0, from, 1);
    for (int64_t at = 0; ok && walk.left > 0; fsr_ref_walk_next(&walk), at++)
        ok = fsr_ref_data_copy(data, at, from->data, walk.at[0]);
    return ok ? FSR_OK : fsr_ref_no_memory(r, rec);
}

static fsr_status run_view(fsr_ref_run *r, const fsr_rec *rec, fsr_ref_view *out) {
    const fsr_ref_view *from = fsr_ref_view_of(r, rec->arg[0]);
    const fsr_shape *shape = &fsr_graph_rec(r->plan.graph, rec->arg[0].id)->shape;
    if (rec->view.kind == FSR_VIEW_RESHAPE)
        return view_reshape(r, rec, from, shape, out);
    *out = view_affine(rec, from, shape->ndim);
    return FSR_OK;
}

static bool copy_elements(fsr_ref_data *to, const fsr_ref_view *where, const fsr_ref_view *from,
                          const fsr_shape *shape) {
    fsr_ref_view both[2] = {*where, *from};
    fsr_ref_walk walk;
    bool ok = true;
    fsr_ref_walk_start(&walk, shape, 0, both, 2);
    for (; ok && walk.left > 0; fsr_ref_walk_next(&walk))
        ok = fsr_ref_data_copy(to, walk.at[0], from->data, walk.at[1]);
    return ok;
}

/* A copy of the first argument, then the second one's elements through the view of that copy. */
static fsr_status run_paste(fsr_ref_run *r, const fsr_rec *rec, fsr_ref_view *out) {
    const fsr_shape *part = &fsr_graph_rec(r->plan.graph, rec->arg[1].id)->shape;
    fsr_ref_data *data = fsr_ref_data_new(rec->dtype[0], fsr_shape_size(&rec->shape), true);
    if (!data)
        return fsr_ref_no_memory(r, rec);
    *out = fsr_ref_view_whole(data, &rec->shape);
    fsr_ref_view section = view_affine(rec, out, rec->shape.ndim);
    bool ok = copy_elements(data, out, fsr_ref_view_of(r, rec->arg[0]), &rec->shape) &&
              copy_elements(data, &section, fsr_ref_view_of(r, rec->arg[1]), part);
    fsr_ref_data_unref(section.data);
    return ok ? FSR_OK : fsr_ref_no_memory(r, rec);
}

static fsr_status run_iterate(fsr_ref_run *r, const fsr_rec *rec, fsr_ref_view *out) {
    fsr_ref_view in[FSR_MAX_ARGS];
    fsr_ref_data *data[FSR_MAX_OUTPUTS] = {NULL};
    fsr_shape tables[FSR_MAX_TABLES];
    const int each = fsr_own_arguments(&rec->content);
    for (int i = 0; i < rec->nargs; i++)
        in[i] = *fsr_ref_view_of(r, rec->arg[i]);
    for (int i = each; i < rec->nargs; i++)
        tables[i - each] = fsr_graph_rec(r->plan.graph, rec->arg[i].id)->shape;
    bool ok = fsr_ref_iterate(rec, in, tables, r->mode, data);
    for (int i = 0; i < rec->nout; i++)
        if (data[i])
            out[i] = fsr_ref_view_whole(data[i], &rec->shape);
    return ok ? FSR_OK : fsr_ref_no_memory(r, rec);
}

static fsr_status run_library(fsr_ref_run *r, const fsr_rec *rec, fsr_ref_view *out) {
    static bool (*const call[FSR_LIBRARY_COUNT])(const fsr_rec *, const fsr_shape *, const fsr_ref_view *,
                                                 fsr_ref_data **, fsr_fault *) = {
#define FSR_LIBRARY(name, word, function) [FSR_LIBRARY_##name] = fsr_ref_##function,
#include "graph/libraries.def"
    };
    fsr_ref_view in[FSR_MAX_ARGS];
    fsr_shape shape[FSR_MAX_ARGS];
    fsr_ref_data *data[FSR_MAX_OUTPUTS] = {NULL};
    for (int i = 0; i < rec->nargs; i++) {
        in[i] = *fsr_ref_view_of(r, rec->arg[i]);
        shape[i] = fsr_graph_rec(r->plan.graph, rec->arg[i].id)->shape;
    }
    fsr_fault_clear(r->fault);
    bool ok = call[rec->library](rec, shape, in, data, r->fault);
    for (int i = 0; i < rec->nout; i++)
        if (data[i])
            out[i] = fsr_ref_view_whole(data[i], &rec->shape);
    return ok ? FSR_OK : r->fault->status ? r->fault->status : fsr_ref_no_memory(r, rec);
}

static fsr_status run_loop(fsr_ref_run *r, const fsr_rec *rec, fsr_ref_view *out) {
    fsr_ref_view in[FSR_MAX_ARGS];
    for (int i = 0; i < rec->nargs; i++)
        in[i] = *fsr_ref_view_of(r, rec->arg[i]);
    const fsr_status status = fsr_ref_rounds(rec, in, fsr_ref_run_body, r, out);
    return status == FSR_ERR_MEMORY ? fsr_ref_no_memory(r, rec) : status;
}

static fsr_status run_result(fsr_ref_run *r, const fsr_rec *rec, fsr_ref_view *out) {
    *out = *fsr_ref_view_of(r, rec->arg[0]);
    fsr_ref_data_ref(out->data);
    return FSR_OK;
}

typedef fsr_status (*picker)(const fsr_rec *rec, const fsr_shape *shape, const fsr_ref_view *in, fsr_ref_data *out,
                             fsr_fault *fault);

/* of: the argument whose shape is asked for. */
static fsr_status run_picker(fsr_ref_run *r, const fsr_rec *rec, picker pick, int of, fsr_ref_view *out) {
    fsr_ref_view in[FSR_MAX_ARGS];
    fsr_ref_data *data = fsr_ref_data_new(rec->dtype[0], fsr_shape_size(&rec->shape), true);
    if (!data)
        return fsr_ref_no_memory(r, rec);
    *out = fsr_ref_view_whole(data, &rec->shape);
    for (int i = 0; i < rec->nargs; i++)
        in[i] = *fsr_ref_view_of(r, rec->arg[i]);
    return pick(rec, &fsr_graph_rec(r->plan.graph, rec->arg[of].id)->shape, in, data, r->fault);
}

static fsr_status run_gather(fsr_ref_run *r, const fsr_rec *rec, fsr_ref_view *out) {
    return run_picker(r, rec, fsr_ref_gather, 0, out);
}

static fsr_status run_inset(fsr_ref_run *r, const fsr_rec *rec, fsr_ref_view *out) {
    return run_picker(r, rec, fsr_ref_inset, 1, out);
}

static fsr_status run_prefix(fsr_ref_run *r, const fsr_rec *rec, fsr_ref_view *out) {
    return run_picker(r, rec, fsr_ref_prefix, 1, out);
}

static fsr_status run_compact(fsr_ref_run *r, const fsr_rec *rec, fsr_ref_view *out) {
    return run_picker(r, rec, fsr_ref_compact, 0, out);
}

static fsr_status run_own(fsr_ref_run *r, const fsr_rec *rec, fsr_ref_view *out) {
    fsr_ref_data *data = fsr_ref_data_new(rec->dtype[0], fsr_shape_size(&rec->shape), true);
    if (!data)
        return fsr_ref_no_memory(r, rec);
    *out = fsr_ref_view_whole(data, &rec->shape);
    return copy_elements(data, out, fsr_ref_view_of(r, rec->arg[0]), &rec->shape) ? FSR_OK : fsr_ref_no_memory(r, rec);
}

static fsr_status run_scatter(fsr_ref_run *r, const fsr_rec *rec, fsr_ref_view *out) {
    fsr_ref_view in[FSR_MAX_ARGS];
    fsr_status status = run_own(r, rec, out);
    for (int i = 0; i < rec->nargs; i++)
        in[i] = *fsr_ref_view_of(r, rec->arg[i]);
    return status ? status
                  : fsr_ref_scatter(rec, &fsr_graph_rec(r->plan.graph, rec->arg[1].id)->shape, in, out->data, r->fault);
}

static fsr_status run_fold(fsr_ref_run *r, const fsr_rec *rec, fsr_ref_fold fold, fsr_ref_view *out) {
    const fsr_shape *shape = &fsr_graph_rec(r->plan.graph, rec->arg[0].id)->shape;
    fsr_ref_view in[FSR_MAX_TUPLE];
    fsr_ref_data *data[FSR_MAX_TUPLE] = {NULL};
    fsr_value same[FSR_MAX_ARGS];
    fsr_combine *own = fsr_combine_copy(rec->combine);
    if (!own)
        return fsr_ref_no_memory(r, rec);
    for (int i = 0; i < rec->nout; i++)
        in[i] = *fsr_ref_view_of(r, rec->arg[i]);
    for (int i = rec->nout; i < rec->nargs; i++)
        same[i - rec->nout] = scalar_now(r, rec->arg[i].id);
    fsr_region_bind(&own->body, same, rec->nargs - rec->nout);
    fsr_status status = fold(rec, own, in, shape, data);
    fsr_combine_free(own);
    if (status)
        return fsr_ref_no_memory(r, rec);
    for (int i = 0; i < rec->nout; i++)
        out[i] = fsr_ref_view_whole(data[i], &rec->shape);
    return FSR_OK;
}

static fsr_status run_reduce(fsr_ref_run *r, const fsr_rec *rec, fsr_ref_view *out) {
    return run_fold(r, rec, fsr_ref_reduce, out);
}

static fsr_status run_scan(fsr_ref_run *r, const fsr_rec *rec, fsr_ref_view *out) {
    return run_fold(r, rec, fsr_ref_scan, out);
}

static fsr_status run_poison(fsr_ref_run *r, const fsr_rec *rec, fsr_ref_view *out) {
    (void)out;
    return fsr_fault_set(r->fault, rec->status, "%s", rec->message ? rec->message : "poisoned node");
}

static fsr_status run_unbound(fsr_ref_run *r, const fsr_rec *rec, fsr_ref_view *out) {
    (void)rec, (void)out;
    return fsr_fault_set(r->fault, FSR_ERR_UNBOUND, "compute: %s", fsr_status_sentence(FSR_ERR_UNBOUND));
}

static fsr_status run_never(fsr_ref_run *r, const fsr_rec *rec, fsr_ref_view *out) {
    (void)out;
    return fsr_fault_set(r->fault, FSR_ERR_INTERNAL, "reference: node of kind %d cannot be evaluated", (int)rec->kind);
}

fsr_status fsr_ref_run_kind(fsr_ref_run *r, const fsr_rec *rec, fsr_ref_view *out) {
    static fsr_status (*const run_of[FSR_KIND_COUNT])(fsr_ref_run *, const fsr_rec *, fsr_ref_view *) = {
#define FSR_KIND(name, word, nargs, fields, traits, insts, shape, check, again, lower, run) \
    [FSR_NODE_##name] = run_##run,
#include "graph/node_kinds.def"
    };
    return run_of[rec->kind](r, rec, out);
}

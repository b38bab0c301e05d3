/* SPDX-License-Identifier: MIT */
/* Checks what each kind asks of its nodes beside what its row in graph/node_kinds.def says; graph/graph.h has the
 * normal form in words. Each check returns NULL or what is wrong, in words. */
#include "graph/shape.h"
#include "graph/verify.h"

static const char *check_nothing(const fsr_applied *a) {
    (void)a;
    return NULL;
}

static const char *check_poison(const fsr_applied *a) {
    return a->n->status == FSR_OK || !a->n->message ? "a poison without a reason" : NULL;
}

static const char *check_input(const fsr_applied *a) {
    return a->n->name ? NULL : "an input without a name";
}

static const char *check_scalar(const fsr_applied *a) {
    return a->n->shape.ndim ? "a scalar leaf with dimensions" : NULL;
}

static const char *check_iota(const fsr_applied *a) {
    if (a->n->dtype[0] == FSR_BOOL || fsr_dtype_is_complex(a->n->dtype[0]))
        return "bool and complex dtypes do not count";
    return a->n->axis < 0 || a->n->axis >= a->n->shape.ndim ? "axis" : NULL;
}

static const char *check_map(const fsr_applied *a) {
    if ((unsigned)a->n->op >= FSR_OP_COUNT)
        return "op";
    const fsr_op_info *info = fsr_op_get(a->n->op);
    if (a->n->nargs != info->arity)
        return "arity";
    int first = info->rule == FSR_RULE_SELECT;
    fsr_dtype compute = fsr_applied_dtype(a, first), expected = fsr_op_result(a->n->op, compute);
    if (first && fsr_applied_dtype(a, 0) != FSR_BOOL)
        return "a condition that is not bool";
    for (int i = first; i < a->n->nargs; i++)
        if (fsr_applied_dtype(a, i) != compute)
            return "operands of several dtypes";
    if (!fsr_op_defined(a->n->op, compute))
        return "an op that is not defined for this dtype";
    return expected != FSR_DTYPE_COUNT && expected != a->n->dtype[0] ? "dtype of the result" : NULL;
}

static const char *check_call(const fsr_applied *a) {
    const fsr_routine *f = a->n->routine;
    if (!f)
        return "a call of nothing";
    if (a->n->nargs != f->nparams + f->narrays || (f->narrays > 0) == fsr_is(a->n->kind, FSR_IS_EXPRESSION))
        return "arity";
    for (int i = 0; i < a->n->nargs; i++)
        if (fsr_applied_dtype(a, i) != f->dtype[i])
            return "an argument of another dtype than the parameter";
    return a->n->dtype[0] != f->result ? "dtype of the result" : NULL;
}

/* The map of dimension j stays inside the source, also where it shows one element or nothing: then too its start is the
 * source's, and its step no larger than the source. Counter-example to asking that of shown elements alone: the maps of
 * x[9e18:9e18:9e18] overflow when rewrites compose them, though nobody ever reads an element. */
static bool inside(const fsr_view *view, int j, int64_t extent, const fsr_shape *out) {
    const int64_t n = view->from[j] >= 0 ? out->dim[view->from[j]] : 1, most = extent > 1 ? extent - 1 : 1;
    int64_t last = 0;
    if (view->from[j] >= 0 && (view->step[j] < -most || view->step[j] > most))
        return false;
    if (extent == 0)
        return n == 0 && view->start[j] == 0;
    if (n > 1 && __builtin_mul_overflow(n - 1, view->step[j], &last))
        return false;
    return view->start[j] >= 0 && view->start[j] < extent && last >= -view->start[j] && last < extent - view->start[j];
}

static const char *check_view(const fsr_applied *a) {
    const fsr_shape *from = &a->arg[0]->shape;
    if (fsr_applied_dtype(a, 0) != a->n->dtype[0])
        return "a view of another dtype";
    if (a->n->view.kind == FSR_VIEW_RESHAPE)
        return fsr_shape_size(from) != fsr_shape_size(&a->n->shape) ? "a reshape of another size" : NULL;
    for (int j = 0; j < from->ndim; j++) {
        if (a->n->view.from[j] < -1 || a->n->view.from[j] >= a->n->shape.ndim)
            return "a dimension that the view does not have";
        if (!inside(&a->n->view, j, from->dim[j], &a->n->shape))
            return "a view outside its source";
    }
    return NULL;
}

/* Every index of the second argument names another element: each of its dimensions, if longer than 1, is taken by
 * exactly one dimension of the first, with a step. */
static const char *check_section(const fsr_view *view, int ndim, const fsr_shape *part) {
    int taken[FSR_MAX_DIMS] = {0};
    for (int j = 0; j < ndim; j++) {
        int from = view->from[j];
        if (from < -1 || from >= part->ndim)
            return "a dimension that the section does not have";
        if (from < 0 || part->dim[from] <= 1)
            continue;
        taken[from]++;
        if (view->step[j] == 0)
            return "a section with a step of 0";
    }
    for (int d = 0; d < part->ndim; d++)
        if (part->dim[d] > 1 && taken[d] != 1)
            return "a section that names an element more than once";
    return NULL;
}

static const char *check_paste(const fsr_applied *a) {
    const fsr_shape *part = &a->arg[1]->shape;
    if (!fsr_shape_equal(&a->arg[0]->shape, &a->n->shape))
        return "an argument of another shape";
    if (fsr_applied_dtype(a, 0) != a->n->dtype[0] || fsr_applied_dtype(a, 1) != a->n->dtype[0])
        return "an argument of another dtype";
    if (a->n->view.kind != FSR_VIEW_AFFINE)
        return "a section that is no affine view";
    if (fsr_shape_size(part) == 0 && fsr_shape_size(&a->n->shape) > 0)
        return "a section without elements";
    const char *wrong = check_section(&a->n->view, a->n->shape.ndim, part);
    for (int j = 0; !wrong && j < a->n->shape.ndim; j++)
        if (!inside(&a->n->view, j, a->n->shape.dim[j], part))
            wrong = "a section outside its source";
    return wrong;
}

static const char *check_compact(const fsr_applied *a) {
    if (a->n->shape.ndim == 0)
        return "a compaction of an array that is 0-d";
    for (int i = 0; i < a->n->nargs; i++)
        if (!fsr_shape_equal(&a->arg[i]->shape, &a->n->shape))
            return "an argument of another shape";
    if (fsr_applied_dtype(a, 0) != a->n->dtype[0])
        return "an argument of another dtype";
    if (fsr_applied_dtype(a, 1) != FSR_BOOL)
        return "a mask that is not bool";
    return fsr_applied_dtype(a, 2) == FSR_I32 || fsr_applied_dtype(a, 2) == FSR_I64 ? NULL
                                                                                    : "a count that is not i32 or i64";
}

static const char *check_gather(const fsr_applied *a) {
    const fsr_content *n = a->n;
    const fsr_shape *from = &a->arg[0]->shape;
    if (n->nargs < 2 || n->nargs != 1 + __builtin_popcount(n->axes) || n->nout != 1)
        return "arity";
    if (fsr_applied_dtype(a, 0) != n->dtype[0])
        return "an argument of another dtype";
    for (int i = 1; i < n->nargs; i++)
        if (fsr_applied_dtype(a, i) != FSR_I64 || !fsr_shape_equal(&a->arg[i]->shape, &n->shape))
            return "indices that are not i64, or of another shape";
    if (n->view.kind != FSR_VIEW_AFFINE || n->axes >> from->ndim || (unsigned)n->mode > FSR_INDEX_WRAP)
        return "a map that is not affine, or axes or a mode that there are not";
    if (fsr_shape_size(&n->shape) == 0)
        return "a gather of nothing";
    for (int j = 0; j < from->ndim; j++) {
        if (n->view.from[j] < -1 || n->view.from[j] >= n->shape.ndim)
            return "a dimension that the gather does not have";
        if (!inside(&n->view, j, from->dim[j], &n->shape))
            return "a map outside its source";
        if ((n->axes >> j & 1) && (n->view.start[j] != 0 || (n->view.from[j] >= 0 && n->view.step[j] != 1)))
            return "a start or step where an index is computed";
    }
    return NULL;
}

static const char *check_own(const fsr_applied *a) {
    if (!fsr_shape_equal(&a->arg[0]->shape, &a->n->shape))
        return "an argument of another shape";
    return fsr_applied_dtype(a, 0) == a->n->dtype[0] ? NULL : "an argument of another dtype";
}

/* What is combined may have no computed index: the map alone then says where rows meet in one row. */
static const char *check_scatter(const fsr_applied *a) {
    const fsr_content *n = a->n;
    const fsr_shape *part = a->arg[1] ? &a->arg[1]->shape : NULL;
    if (n->nargs < 3 - (n->combine != NULL) || n->nargs != 2 + __builtin_popcount(n->axes) || n->nout != 1)
        return "arity";
    if (fsr_applied_dtype(a, 0) != n->dtype[0] || fsr_applied_dtype(a, 1) != n->dtype[0])
        return "an argument of another dtype";
    if (!fsr_is(a->arg[0]->kind, FSR_IS_DISTINCT) || !fsr_shape_equal(&a->arg[0]->shape, &n->shape))
        return "an argument of another shape, or that others have";
    for (int i = 2; i < n->nargs; i++)
        if (fsr_applied_dtype(a, i) != FSR_I64 || !fsr_shape_equal(&a->arg[i]->shape, part))
            return "indices that are not i64, or of another shape";
    if (n->view.kind != FSR_VIEW_AFFINE || n->axes >> n->shape.ndim || (unsigned)n->mode > FSR_INDEX_DROP)
        return "a map that is not affine, or axes or a mode that there are not";
    if (fsr_shape_size(part) == 0)
        return "a scatter of nothing";
    for (int j = 0; j < n->shape.ndim; j++) {
        if (n->view.from[j] < -1 || n->view.from[j] >= part->ndim)
            return "a dimension that the scatter does not have";
        if (!inside(&n->view, j, n->shape.dim[j], part))
            return "a map outside its source";
        if ((n->axes >> j & 1) && (n->view.start[j] != 0 || (n->view.from[j] >= 0 && n->view.step[j] != 1)))
            return "a start or step where an index is computed";
    }
    return NULL;
}

static const char *check_scatter_with(const fsr_applied *a) {
    const fsr_combine *c = a->n->combine;
    if (!c || !c->builtin || fsr_combine_dtype(c, 0) != a->n->dtype[0] || !fsr_op_is_atomic(c->op, a->n->dtype[0]))
        return "an operator that no store combines by";
    return check_scatter(a);
}

static const char *check_inset(const fsr_applied *a) {
    const fsr_content *n = a->n;
    const fsr_shape *part = &a->arg[1]->shape;
    if (n->nargs < 3 || n->nargs != 2 + __builtin_popcount(n->axes) || n->nout != 1)
        return "arity";
    if (fsr_applied_dtype(a, 0) != n->dtype[0] || fsr_applied_dtype(a, 1) != n->dtype[0])
        return "an argument of another dtype";
    if (!fsr_shape_equal(&a->arg[0]->shape, &n->shape) || part->ndim != n->shape.ndim || fsr_shape_size(part) == 0)
        return "an argument of another shape";
    for (int i = 2; i < n->nargs; i++)
        if (fsr_applied_dtype(a, i) != FSR_I64 || !fsr_shape_equal(&a->arg[i]->shape, &n->shape))
            return "a corner that is not i64, or of another shape";
    if (n->axes >> n->shape.ndim || n->mode != FSR_INDEX_CLIP)
        return "axes or a mode that there are not";
    for (int j = 0; j < n->shape.ndim; j++)
        if (part->dim[j] > n->shape.dim[j] || (part->dim[j] < n->shape.dim[j]) != (n->axes >> j & 1))
            return "a section that is larger, or smaller along another axis";
    return NULL;
}

static const char *check_prefix(const fsr_applied *a) {
    if (a->n->shape.ndim == 0)
        return "a prefix of an array that is 0-d";
    for (int i = 0; i < a->n->nargs; i++)
        if (!fsr_shape_equal(&a->arg[i]->shape, &a->n->shape))
            return "an argument of another shape";
    if (fsr_applied_dtype(a, 0) != a->n->dtype[0] || fsr_applied_dtype(a, 1) != a->n->dtype[0])
        return "an argument of another dtype";
    return fsr_applied_dtype(a, 2) == FSR_I64 ? NULL : "a count that is not i64";
}

static const char *check_library(const fsr_applied *a) {
    return fsr_library_check(a);
}

static const char *check_rounds(const fsr_applied *a) {
    return fsr_rounds_check(a);
}

static const char *check_result(const fsr_applied *a) {
    return fsr_result_check(a);
}

static const char *check_iterate(const fsr_applied *a) {
    return fsr_loop_check(a);
}

/* The result's shape: the arguments', but for the axes of mask, which have extent 1. */
static const char *check_folded(const fsr_applied *a, uint32_t mask) {
    for (int i = 0; i < a->n->nout; i++) {
        fsr_shape shape = a->arg[i]->shape;
        for (int d = 0; d < shape.ndim; d++)
            if (mask >> d & 1)
                shape.dim[d] = 1;
        if (!fsr_shape_equal(&shape, &a->n->shape))
            return "shape of the result";
    }
    return NULL;
}

static const char *check_reduce(const fsr_applied *a) {
    const char *wrong = fsr_fold_check(a);
    if (wrong)
        return wrong;
    return a->n->axes == 0 || a->n->axes >> a->n->shape.ndim ? "axes" : check_folded(a, a->n->axes);
}

static const char *check_scan(const fsr_applied *a) {
    const char *wrong = fsr_fold_check(a);
    if (wrong)
        return wrong;
    return a->n->axis < 0 || a->n->axis >= a->n->shape.ndim ? "axis" : check_folded(a, 0);
}

static const char *(*const check_of[FSR_KIND_COUNT])(const fsr_applied *) = {
#define FSR_KIND(name, word, nargs, fields, traits, insts, shape, check, ...) [FSR_NODE_##name] = check_##check,
#include "graph/node_kinds.def"
};

const char *fsr_kind_check(const fsr_applied *a) {
    return check_of[a->n->kind](a);
}

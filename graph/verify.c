/* SPDX-License-Identifier: MIT */
/* Checks the normal form (graph/graph.h) of every live node: the builders and the passes that rewrite graphs must keep
 * it.
 *
 * Each check returns NULL or what is wrong, in words; the caller adds which node. */
#include "graph/verify.h"
#include "graph/shape.h"
#include <stdio.h>

typedef struct place {
    const fsr_graph *g;
    const fsr_rec *rec;
} place;

static const fsr_rec *source(place p, int i) {
    return fsr_graph_rec(p.g, p.rec->arg[i].id);
}

static fsr_dtype source_dtype(place p, int i) {
    return source(p, i)->dtype[p.rec->arg[i].output];
}

/* Weak: 0-d, of the dtypes of fsr_int, fsr_float and fsr_complex, made of weak nodes only. */
static const char *check_weak(place p) {
    bool kind = p.rec->kind == FSR_NODE_CONST || p.rec->kind == FSR_NODE_MAP || p.rec->kind == FSR_NODE_DATA;
    fsr_dtype of = p.rec->dtype[0];
    bool dtype = of == FSR_I64 || of == FSR_F64 || of == FSR_C128;
    if (!kind || !dtype || p.rec->shape.ndim)
        return "a weak node of this kind";
    for (int i = 0; i < p.rec->nargs; i++)
        if (!source(p, i)->weak)
            return "a weak node with an argument that is not";
    return NULL;
}

static const char *check_common(place p) {
    if (p.rec->nout < 1 || p.rec->nout > FSR_MAX_OUTPUTS)
        return "number of results";
    if (p.rec->nargs < 0 || p.rec->nargs > FSR_MAX_ARGS)
        return "number of arguments";
    if (p.rec->shape.ndim < 0 || p.rec->shape.ndim > FSR_MAX_DIMS)
        return "number of dimensions";
    for (int i = 0; i < p.rec->nout; i++) {
        if ((unsigned)p.rec->dtype[i] >= FSR_DTYPE_COUNT)
            return "dtype";
        if (fsr_shape_bytes(&p.rec->shape, p.rec->dtype[i]) < 0)
            return "size";
    }
    return p.rec->mark ? "a mark was left" : NULL;
}

static const char *check_args(place p) {
    for (int i = 0; i < p.rec->nargs; i++) {
        if (p.rec->arg[i].id >= fsr_graph_slots(p.g) || source(p, i)->kind == FSR_NODE_FREE)
            return "an argument that was dropped";
        if (source(p, i)->stamp >= p.rec->stamp)
            return "an argument recorded later";
        if (source(p, i)->kind == FSR_NODE_POISON)
            return "a poisoned argument";
        if (p.rec->arg[i].output >= (uint32_t)source(p, i)->nout)
            return "a result that the argument does not have";
    }
    return NULL;
}

static const char *check_leaf(place p) {
    if (p.rec->nargs)
        return "a leaf with arguments";
    if (p.rec->nout != 1 && p.rec->kind != FSR_NODE_DATA)
        return "a leaf with several results";
    if (p.rec->kind == FSR_NODE_INPUT && !p.rec->name)
        return "an input without a name";
    if (p.rec->kind == FSR_NODE_IOTA && (p.rec->dtype[0] == FSR_BOOL || fsr_dtype_is_complex(p.rec->dtype[0])))
        return "bool and complex dtypes do not count";
    if (p.rec->kind == FSR_NODE_IOTA)
        return p.rec->axis < 0 || p.rec->axis >= p.rec->shape.ndim ? "axis" : NULL;
    bool scalar = p.rec->kind == FSR_NODE_CONST || p.rec->kind == FSR_NODE_PARAM;
    return scalar && p.rec->shape.ndim ? "a scalar leaf with dimensions" : NULL;
}

static const char *check_map(place p) {
    if ((unsigned)p.rec->op >= FSR_OP_COUNT)
        return "op";
    const fsr_op_info *info = fsr_op_get(p.rec->op);
    if (p.rec->nargs != info->arity || p.rec->nout != 1)
        return "arity";
    int first = info->rule == FSR_RULE_SELECT;
    fsr_dtype compute = source_dtype(p, first), expected = fsr_op_result(p.rec->op, compute);
    if (first && source_dtype(p, 0) != FSR_BOOL)
        return "a condition that is not bool";
    for (int i = 0; i < p.rec->nargs; i++) {
        if (!fsr_shape_equal(&source(p, i)->shape, &p.rec->shape))
            return "an operand of another shape";
        if (i >= first && source_dtype(p, i) != compute)
            return "operands of several dtypes";
    }
    if (!fsr_op_defined(p.rec->op, compute))
        return "an op that is not defined for this dtype";
    return expected != FSR_DTYPE_COUNT && expected != p.rec->dtype[0] ? "dtype of the result" : NULL;
}

static const char *check_call(place p) {
    const fsr_routine *f = p.rec->routine;
    if (!f)
        return "a call of nothing";
    if (p.rec->nargs != f->nparams || p.rec->nout != 1)
        return "arity";
    for (int i = 0; i < p.rec->nargs; i++) {
        if (!fsr_shape_equal(&source(p, i)->shape, &p.rec->shape))
            return "an argument of another shape";
        if (source_dtype(p, i) != f->dtype[i])
            return "an argument of another dtype than the parameter";
    }
    return p.rec->dtype[0] != f->result ? "dtype of the result" : NULL;
}

/* The map of dimension j stays inside the source, also where it shows one element or nothing: then too its start is the
 * source's, and its step no larger than the source. Counter-example to asking that of shown elements alone: the maps of
 * x[9e18:9e18:9e18] overflow when passes compose them, though nobody ever reads an element. */
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

static const char *check_view(place p) {
    if (p.rec->nargs != 1 || p.rec->nout != 1)
        return "arity";
    const fsr_shape *from = &source(p, 0)->shape;
    if (source_dtype(p, 0) != p.rec->dtype[0])
        return "a view of another dtype";
    if (p.rec->view.kind == FSR_VIEW_RESHAPE)
        return fsr_shape_size(from) != fsr_shape_size(&p.rec->shape) ? "a reshape of another size" : NULL;
    for (int j = 0; j < from->ndim; j++) {
        if (p.rec->view.from[j] < -1 || p.rec->view.from[j] >= p.rec->shape.ndim)
            return "a dimension that the view does not have";
        if (!inside(&p.rec->view, j, from->dim[j], &p.rec->shape))
            return "a view outside its source";
    }
    return NULL;
}

/* Every index of the second argument names another element: each of its dimensions, if longer than 1, is taken by
 * exactly one dimension of the first, with a step. */
static const char *check_region(const fsr_view *view, int ndim, const fsr_shape *part) {
    int taken[FSR_MAX_DIMS] = {0};
    for (int j = 0; j < ndim; j++) {
        int from = view->from[j];
        if (from < -1 || from >= part->ndim)
            return "a dimension that the region does not have";
        if (from < 0 || part->dim[from] <= 1)
            continue;
        taken[from]++;
        if (view->step[j] == 0)
            return "a region with a step of 0";
    }
    for (int d = 0; d < part->ndim; d++)
        if (part->dim[d] > 1 && taken[d] != 1)
            return "a region that names an element more than once";
    return NULL;
}

static const char *check_paste(place p) {
    if (p.rec->nargs != 2 || p.rec->nout != 1)
        return "arity";
    const fsr_shape *part = &source(p, 1)->shape;
    if (!fsr_shape_equal(&source(p, 0)->shape, &p.rec->shape))
        return "an argument of another shape";
    if (source_dtype(p, 0) != p.rec->dtype[0] || source_dtype(p, 1) != p.rec->dtype[0])
        return "an argument of another dtype";
    if (p.rec->view.kind != FSR_VIEW_AFFINE)
        return "a region that is no affine view";
    if (fsr_shape_size(part) == 0 && fsr_shape_size(&p.rec->shape) > 0)
        return "a region without elements";
    const char *wrong = check_region(&p.rec->view, p.rec->shape.ndim, part);
    for (int j = 0; !wrong && j < p.rec->shape.ndim; j++)
        if (!inside(&p.rec->view, j, p.rec->shape.dim[j], part))
            wrong = "a region outside its source";
    return wrong;
}

static const char *check_place(place p) {
    if (p.rec->nargs != 2 || p.rec->nout != 1)
        return "arity";
    if (p.rec->shape.ndim != 1)
        return "places of an array that is not 1-d";
    if (!fsr_shape_equal(&source(p, 0)->shape, &p.rec->shape) || !fsr_shape_equal(&source(p, 1)->shape, &p.rec->shape))
        return "an argument of another shape";
    if (source_dtype(p, 0) != p.rec->dtype[0])
        return "an argument of another dtype";
    return source_dtype(p, 1) == FSR_I32 || source_dtype(p, 1) == FSR_I64 ? NULL : "places that are not i32 or i64";
}

/* A scalar program: an operator's or a loop's. */
typedef struct steps {
    const fsr_step *step;
    int n;
    const fsr_dtype *argument;
    int narguments;
} steps;

static const char *check_op_step(steps s, int i) {
    const fsr_step *step = &s.step[i];
    if ((unsigned)step->op >= FSR_OP_COUNT || !fsr_op_defined(step->op, step->compute))
        return "an op of the program";
    const fsr_op_info *info = fsr_op_get(step->op);
    fsr_dtype expected = fsr_op_result(step->op, step->compute);
    if (expected != FSR_DTYPE_COUNT && expected != step->dtype)
        return "dtype of the program's step";
    for (int k = 0; k < info->arity; k++) {
        if (step->arg[k] < 0 || step->arg[k] >= i)
            return "a step of the program refers to a later one";
        bool condition = info->rule == FSR_RULE_SELECT && k == 0;
        if (s.step[step->arg[k]].dtype != (condition ? FSR_BOOL : step->compute))
            return "an operand's dtype in the program";
    }
    return NULL;
}

static const char *check_step(steps s, int i) {
    const fsr_step *step = &s.step[i];
    if ((unsigned)step->dtype >= FSR_DTYPE_COUNT)
        return "dtype of the program's step";
    if (step->kind == FSR_STEP_OP)
        return check_op_step(s, i);
    bool known = step->kind == FSR_STEP_CONST || (step->index >= 0 && step->index < s.narguments);
    return known && (step->kind == FSR_STEP_CONST || step->dtype == s.argument[step->index])
               ? NULL
               : "an argument of the program";
}

static const char *check_steps(steps s) {
    for (int i = 0; i < s.n; i++) {
        const char *wrong = check_step(s, i);
        if (wrong)
            return wrong;
    }
    return NULL;
}

static const char *check_combine(place p) {
    const fsr_combine *c = p.rec->combine;
    if (!c)
        return "no operator";
    if (c->arity != p.rec->nout || c->arity != p.rec->nargs || c->nsteps < 0 || c->nsteps > FSR_MAX_STEPS)
        return "arity";
    for (int i = 0; i < c->arity; i++) {
        if (c->dtype[i] != p.rec->dtype[i] || c->dtype[i] != source_dtype(p, i))
            return "dtype of a component";
        if (c->result[i] < 0 || c->result[i] >= c->nsteps || c->step[c->result[i]].dtype != c->dtype[i])
            return "result of the operator";
    }
    fsr_dtype both[2 * FSR_MAX_TUPLE];
    for (int i = 0; i < 2 * c->arity; i++)
        both[i] = c->dtype[i % c->arity];
    return check_steps((steps){c->step, c->nsteps, both, 2 * c->arity});
}

static const char *check_iterate(place p) {
    const fsr_iteration *l = p.rec->loop;
    if (!l)
        return "no loop";
    if (l->nstate < 1 || l->narg < 0 || l->nstate + 1 != p.rec->nout || l->nstate + l->narg != p.rec->nargs ||
        l->nsteps < 1 || l->nsteps > FSR_MAX_LOOP_STEPS)
        return "arity";
    if (l->max_n < 0 || l->max_n > INT32_MAX)
        return "count of the loop";
    for (int i = 0; i < p.rec->nargs; i++) {
        if (!fsr_shape_equal(&source(p, i)->shape, &p.rec->shape))
            return "an operand of another shape";
        if (l->dtype[i] != source_dtype(p, i))
            return "dtype of the loop's argument";
    }
    const char *wrong = check_steps((steps){l->step, l->nsteps, l->dtype, p.rec->nargs});
    if (wrong)
        return wrong;
    if (l->condition < 0 || l->condition >= l->nsteps || l->step[l->condition].dtype != FSR_BOOL)
        return "condition of the loop";
    for (int i = 0; i < l->nstate; i++)
        if (p.rec->dtype[i] != l->dtype[i] || l->result[i] < 0 || l->result[i] >= l->nsteps ||
            l->step[l->result[i]].dtype != l->dtype[i])
            return "result of the loop";
    return p.rec->dtype[l->nstate] != FSR_I32 ? "dtype of the count" : NULL;
}

static const char *check_fold(place p) {
    const char *wrong = check_combine(p);
    if (wrong)
        return wrong;
    int ndim = p.rec->shape.ndim;
    if (p.rec->kind == FSR_NODE_SCAN && (p.rec->axis < 0 || p.rec->axis >= ndim))
        return "axis";
    if (p.rec->kind == FSR_NODE_REDUCE && (p.rec->axes == 0 || p.rec->axes >> ndim))
        return "axes";
    for (int i = 0; i < p.rec->nargs; i++) {
        fsr_shape shape = source(p, i)->shape;
        for (int d = 0; p.rec->kind == FSR_NODE_REDUCE && d < shape.ndim; d++)
            if (p.rec->axes >> d & 1)
                shape.dim[d] = 1;
        if (!fsr_shape_equal(&shape, &p.rec->shape))
            return "shape of the result";
    }
    return NULL;
}

static const char *check(place p) {
    if (p.rec->kind == FSR_NODE_POISON)
        return p.rec->status == FSR_OK || !p.rec->message ? "a poison without a reason" : NULL;
    const char *wrong = check_common(p);
    if (!wrong)
        wrong = check_args(p);
    if (!wrong && p.rec->weak)
        wrong = check_weak(p);
    if (wrong)
        return wrong;
    switch (p.rec->kind) {
    case FSR_NODE_MAP: return check_map(p);
    case FSR_NODE_CALL: return check_call(p);
    case FSR_NODE_VIEW: return check_view(p);
    case FSR_NODE_PASTE: return check_paste(p);
    case FSR_NODE_PLACE: return check_place(p);
    case FSR_NODE_REDUCE:
    case FSR_NODE_SCAN: return check_fold(p);
    case FSR_NODE_ITERATE: return check_iterate(p);
    default: return check_leaf(p);
    }
}

const char *fsr_rec_check(const fsr_graph *g, const fsr_rec *rec) {
    return check((place){g, rec});
}

fsr_status fsr_graph_verify(const fsr_graph *g, char *why, size_t size) {
    for (uint32_t id = 0; id < fsr_graph_slots(g); id++) {
        const fsr_rec *rec = fsr_graph_rec(g, id);
        const char *wrong = rec->kind == FSR_NODE_FREE ? NULL : check((place){g, rec});
        if (!wrong)
            continue;
        if (why && size)
            snprintf(why, size, "node %u (%s:%d): %s", id, rec->site.file ? rec->site.file : "?", rec->site.line,
                     wrong);
        return FSR_ERR_INTERNAL;
    }
    if (why && size)
        why[0] = 0;
    return FSR_OK;
}

/* SPDX-License-Identifier: MIT */
/* A recipe as C builder code. */
#include "tests/fuzz/recipe.h"
#include <math.h>

static const char *const functions[STEP_KINDS] = {[STEP_SUM] = "sum",
                                                  [STEP_PROD] = "prod",
                                                  [STEP_MIN] = "min",
                                                  [STEP_MAX] = "max",
                                                  [STEP_MEAN] = "mean",
                                                  [STEP_VAR] = "var",
                                                  [STEP_ANY] = "any",
                                                  [STEP_ALL] = "all",
                                                  [STEP_PTP] = "ptp",
                                                  [STEP_COUNT_NONZERO] = "count_nonzero",
                                                  [STEP_LOGSUMEXP] = "logsumexp",
                                                  [STEP_NANSUM] = "nansum",
                                                  [STEP_NANPROD] = "nanprod",
                                                  [STEP_NANMIN] = "nanmin",
                                                  [STEP_NANMAX] = "nanmax",
                                                  [STEP_NANMEAN] = "nanmean",
                                                  [STEP_STD] = "std",
                                                  [STEP_NANVAR] = "nanvar",
                                                  [STEP_NANSTD] = "nanstd",
                                                  [STEP_NORM] = "norm",
                                                  [STEP_ARGMAX] = "argmax",
                                                  [STEP_ARGMIN] = "argmin",
                                                  [STEP_NANARGMAX] = "nanargmax",
                                                  [STEP_NANARGMIN] = "nanargmin",
                                                  [STEP_CUMSUM] = "cumsum",
                                                  [STEP_CUMPROD] = "cumprod",
                                                  [STEP_CUMMAX] = "cummax",
                                                  [STEP_CUMMIN] = "cummin",
                                                  [STEP_CUMANY] = "cumany",
                                                  [STEP_CUMALL] = "cumall",
                                                  [STEP_EXPAND] = "expand",
                                                  [STEP_SQUEEZE] = "squeeze",
                                                  [STEP_FLIP] = "flip",
                                                  [STEP_RESHAPE] = "reshape",
                                                  [STEP_BROADCAST] = "broadcast_to"};
static const char *const dtypes[] = {
#define NAME(id, name, ctype, bytes, kind) #id,
    FSR_DTYPE_LIST(NAME)
#undef NAME
};

void recipe_print_extents(const recipe_step *s, FILE *to) {
    fprintf(to, "%d, ", s->ndim);
    if (s->ndim == 0)
        fprintf(to, "NULL");
    for (int i = 0; i < s->ndim; i++)
        fprintf(to, "%s%lld%s", i ? ", " : "SHAPE(", (long long)s->shape[i], i + 1 == s->ndim ? ")" : "");
}

void recipe_print_list(const recipe_step *s, FILE *to) {
    if (s->ndim <= 0)
        fprintf(to, "%s", s->ndim < 0 ? "NULL" : "AXES(0)");
    for (int i = 0; i < s->ndim; i++)
        fprintf(to, "%s%d%s", i ? ", " : "AXES(", s->list[i], i + 1 == s->ndim ? ")" : "");
}

void recipe_print_value(double v, FILE *to) {
    if (isnan(v) || isinf(v))
        fprintf(to, isnan(v) ? "NAN" : v > 0 ? "INFINITY" : "-INFINITY");
    else
        fprintf(to, "%.17g", v);
}

static void print_inside(int64_t v, FILE *to) {
    if (v == FSR_SLICE_END)
        fprintf(to, "FSR_SLICE_END, ");
    else
        fprintf(to, "%lld, ", (long long)v);
}

const char *recipe_flags(int f) {
    if (f & FSR_REVERSE)
        return f & FSR_EXCLUSIVE ? "FSR_EXCLUSIVE | FSR_REVERSE" : "FSR_REVERSE";
    return f == FSR_KEEPDIMS ? "FSR_KEEPDIMS" : f == FSR_EXCLUSIVE ? "FSR_EXCLUSIVE" : "0";
}

static void print_leaf(const recipe_step *s, int i, FILE *to) {
    switch (s->kind) {
    case STEP_LEAF:
        fprintf(to, "fuzz_leaf(g, %s, ", dtypes[s->dtype]);
        recipe_print_extents(s, to);
        fprintf(to, ", %u)", s->fill);
        break;
    case STEP_ARANGE: fprintf(to, "fsr_arange(g, %s, %lld)", dtypes[s->dtype], (long long)s->shape[0]); break;
    case STEP_FULL:
        fprintf(to, "fsr_full(g, %s, ", dtypes[s->dtype]);
        recipe_print_extents(s, to);
        fprintf(to, ", ");
        recipe_print_value(s->value, to);
        fprintf(to, ")");
        break;
    case STEP_INT: fprintf(to, "fsr_int(g, %lld)", (long long)s->value); break;
    case STEP_COMPLEX:
        fprintf(to, "fsr_complex(g, ");
        recipe_print_value(s->value, to);
        fprintf(to, ", %lld)", (long long)s->start);
        break;
    case STEP_EYE:
        fprintf(to, "fsr_eye(g, %s, %lld, %lld, %lld)", dtypes[s->dtype], (long long)s->shape[0],
                (long long)s->shape[1], (long long)s->start);
        break;
    case STEP_LINSPACE:
        fprintf(to, "fsr_linspace(g, %s, ", dtypes[s->dtype]);
        recipe_print_value(s->value, to);
        fprintf(to, ", %lld, %lld, %s)", (long long)s->start, (long long)s->shape[0], s->flags ? "true" : "false");
        break;
    case STEP_BOOL: fprintf(to, "fsr_bool(g, %s)", s->value != 0 ? "true" : "false"); break;
    default:
        if (s->kind == STEP_FLOAT)
            fprintf(to, "fsr_float(g, ");
        else
            fprintf(to, "fsr_param(g, \"p%d\", %s, ", i, dtypes[s->dtype]);
        recipe_print_value(s->value, to);
        fprintf(to, ")");
    }
}

static void print_pair(const recipe_step *s, int i, FILE *to) {
    bool linear = s->kind == STEP_REDUCE_LINEAR || s->kind == STEP_SCAN_LINEAR;
    bool reduce = s->kind == STEP_REDUCE_LINEAR || s->kind == STEP_REDUCE_MAX_SUM;
    fprintf(to, "fsr_node t%d[2];\n    fsr_%s_with(t%d, (fsr_node[]){n%d, n%d}, &fuzz_%s_operator, ", i,
            reduce ? "reduce" : "scan", i, s->arg[0], s->arg[1], linear ? "linear" : "max_sum");
    if (reduce) {
        recipe_print_list(s, to);
        fprintf(to, ", %d, %s);\n", s->ndim, recipe_flags(s->flags));
    } else {
        fprintf(to, "%d, %s);\n", s->axis, recipe_flags(s->flags));
    }
    fprintf(to, "    fsr_node n%d = t%d[0];\n", i, i);
}

static void print_loop(const recipe_step *s, int i, FILE *to) {
    fprintf(to, "fsr_node t%d[2];\n    fuzz_iterate(t%d, (fsr_node[]){n%d, n%d}, %d, %lld);\n", i, i, s->arg[0],
            s->arg[1], s->axis, (long long)s->start);
    fprintf(to, "    fsr_node n%d = t%d[0];\n", i, i);
}

static void print_turns(const recipe_step *s, int i, FILE *to) {
    fprintf(to, "fsr_node t%d[2];\n    fuzz_turns(t%d, n%d, n%d, %d, %lld, %d);\n", i, i, s->arg[0], s->arg[1], s->axis,
            (long long)s->start, s->flags);
    fprintf(to, "    fsr_node n%d = t%d[0];\n", i, i);
}

static void print_view(const recipe_step *s, FILE *to) {
    const int x = s->arg[0];
    switch (s->kind) {
    case STEP_CAST: fprintf(to, "fsr_cast(n%d, %s)", x, dtypes[s->dtype]); break;
    case STEP_TRANSPOSE:
        fprintf(to, "fsr_transpose(n%d, ", x);
        recipe_print_list(s, to);
        fprintf(to, ")");
        break;
    case STEP_SLICE:
        fprintf(to, "fsr_slice(n%d, %d, ", x, s->axis);
        print_inside(s->start, to);
        print_inside(s->stop, to);
        fprintf(to, "%lld)", (long long)s->step);
        break;
    case STEP_RESHAPE:
    case STEP_BROADCAST:
        fprintf(to, "fsr_%s(n%d, ", functions[s->kind], x);
        recipe_print_extents(s, to);
        fprintf(to, ")");
        break;
    default: fprintf(to, "fsr_%s(n%d, %d)", functions[s->kind], x, s->axis);
    }
}

static void print_fold(const recipe_step *s, FILE *to) {
    fprintf(to, "fsr_%s(n%d, ", functions[s->kind], s->arg[0]);
    if (s->kind >= STEP_ARGMAX && s->kind < STEP_CUMSUM)
        fprintf(to, s->axis == RECIPE_FLAT ? "NULL" : "&(int){%d}", s->axis);
    else if (s->kind >= STEP_CUMSUM)
        fprintf(to, "%d", s->axis);
    else
        recipe_print_list(s, to);
    if (s->kind < STEP_ARGMAX)
        fprintf(to, ", %d", s->ndim);
    fprintf(to, ", %s", recipe_flags(s->flags));
    if (step_has_number(s->kind))
        fprintf(to, s->value > 2 ? ", INFINITY" : ", %g", s->value);
    fprintf(to, ")");
}

static void print_section(const recipe_step *s, int x, FILE *to) {
    fputs(s->flags & SECTION_TRANSPOSED ? "fsr_transpose(" : "", to);
    fputs(s->flags & SECTION_CORNER ? "fsr_slice(" : "", to);
    fprintf(to, "fsr_slice(n%d, %d, ", x, s->axis);
    print_inside(s->start, to);
    print_inside(s->stop, to);
    fprintf(to, "%lld)", (long long)s->step);
    if (s->flags & SECTION_CORNER)
        fprintf(to, ", %d, %lld, FSR_SLICE_END, 1)", s->list[0], (long long)s->shape[0]);
    fputs(s->flags & SECTION_TRANSPOSED ? ", NULL)" : "", to);
}

static void print_paste(const recipe_step *s, FILE *to) {
    if (s->kind == STEP_UPDATE) {
        fprintf(to, "fsr_update(n%d, ", s->arg[0]);
        print_section(s, s->arg[0], to);
        fputs(s->flags & SECTION_FLIPPED ? ", fsr_flip(" : ", ", to);
        if (s->flags & SECTION_OF_BOTH)
            print_section(s, s->arg[1], to);
        else
            fprintf(to, "n%d", s->arg[1]);
        fputs(s->flags & SECTION_FLIPPED ? ", 0))" : ")", to);
    } else if (s->kind == STEP_ROLL) {
        fprintf(to, "fsr_roll(n%d, &(int64_t){%lld}, ", s->arg[0], (long long)s->start);
        fprintf(to, s->axis == RECIPE_FLAT ? "NULL, 1)" : "&(int){%d}, 1)", s->axis);
    } else if (s->kind == STEP_FILTER) {
        fprintf(to, "fsr_filter(n%d, n%d, fsr_int(g, %d))", s->arg[0], s->arg[1], (int)s->value);
    } else {
        fprintf(to, "fsr_%s((fsr_node[]){n%d, n%d}, 2, %d)", s->kind == STEP_CONCAT ? "concat" : "stack", s->arg[0],
                s->arg[1], s->axis);
    }
}

static void print_step(const recipe_step *s, int i, FILE *to) {
    fprintf(to, "    ");
    if (step_has_pair(s->kind)) {
        (s->kind == STEP_LOOP ? print_loop : s->kind == STEP_TURNS ? print_turns : print_pair)(s, i, to);
        return;
    }
    if (s->kind == STEP_ROWS) {
        fprintf(to, "fsr_node n%d;\n    fsr_vectorize(&n%d, 1, (fsr_node[]){n%d, n%d}, 2, \"%s\", %s, NULL);\n", i, i,
                s->arg[0], s->arg[1], fuzz_rows[s->flags].signature, fuzz_rows[s->flags].name);
        return;
    }
    fprintf(to, "fsr_node n%d = ", i);
    if (s->kind <= STEP_PARAM) {
        print_leaf(s, i, to);
    } else if (s->kind == STEP_OP) {
        fprintf(to, "fsr_%s(", fsr_op_get(s->op)->name);
        for (int a = 0; a < step_arity(s); a++)
            fprintf(to, "%sn%d", a ? ", " : "", s->arg[a]);
        fprintf(to, ")");
    } else if (s->kind == STEP_CALL) {
        fprintf(to, "fuzz_call(n%d, n%d, %d)", s->arg[0], s->arg[1], s->flags);
    } else if (s->kind <= STEP_SLICE) {
        print_view(s, to);
    } else if (s->kind == STEP_PAIR) {
        fprintf(to, "t%d[1]", s->arg[0]);
    } else if (s->kind >= STEP_SORT && s->kind <= STEP_MEDIAN) {
        static const char *const name[] = {"sort", "argsort", "topk", "argtopk", "kth", "median"};
        fprintf(to, "fsr_%s(n%d, ", name[s->kind - STEP_SORT], s->arg[0]);
        if (s->kind >= STEP_TOPK && s->kind <= STEP_KTH)
            fprintf(to, "%d, ", (int)s->start);
        fprintf(to, s->axis == RECIPE_FLAT ? "NULL" : "AXES(%d)", s->axis);
        fprintf(to, ", 1, %s)", s->flags ? "FSR_DESCENDING" : "0");
    } else if (s->kind == STEP_LIBRARY) {
        fprintf(to, "fuzz_backwards(n%d)", s->arg[0]);
    } else if (s->kind >= STEP_PAD) {
        recipe_print_shape(s, to);
    } else if (s->kind > STEP_PAIR) {
        print_paste(s, to);
    } else {
        print_fold(s, to);
    }
    fprintf(to, ";\n");
}

void recipe_print(const recipe *r, FILE *to) {
    for (int i = 0; i < r->n; i++) {
        const recipe_step *s = &r->step[i];
        print_step(s, i, to);
        if (s->hint)
            fprintf(to, "    fsr_hint_set(n%d, %s);\n", i,
                    s->hint == FSR_HINT_INLINE ? "FSR_HINT_INLINE" : "FSR_HINT_MATERIALIZE");
        if (s->pair && s->back <= i)
            fprintf(to, "    fsr_hint_pair(n%d, n%d, %s);\n", i, i - s->back,
                    s->pair == FSR_PAIR_FUSE ? "FSR_PAIR_FUSE" : "FSR_PAIR_APART");
        if (s->force)
            fprintf(to, "    fuzz_force(n%d);\n", i);
    }
    fprintf(to, "    fsr_node outs[] = {");
    for (int i = 0; i < r->nouts; i++)
        fprintf(to, "%sn%d", i ? ", " : "", r->out[i]);
    fprintf(to, "};\n");
}

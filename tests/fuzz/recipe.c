/* SPDX-License-Identifier: MIT */
/* Recording a recipe's steps, and what a recipe's leaves hold. */
#include "tests/fuzz/recipe.h"
#include "tests/support/nodes.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

uint64_t fuzz_random(uint64_t *state) {
    uint64_t x = *state ? *state : 0x9e3779b97f4a7c15u;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *state = x;
    return (x * 0x2545f4914f6cdd1du) >> 16;
}

int fuzz_below(uint64_t *state, int n) {
    return (int)(fuzz_random(state) % (uint64_t)n);
}

bool step_is_pair(step_kind kind) {
    return kind >= STEP_REDUCE_LINEAR && kind <= STEP_SCAN_MAX_SUM;
}

bool step_has_pair(step_kind kind) {
    return step_is_pair(kind) || kind == STEP_LOOP || kind == STEP_TURNS;
}

bool step_has_number(step_kind kind) {
    return kind == STEP_VAR || kind == STEP_STD || kind == STEP_NANVAR || kind == STEP_NANSTD || kind == STEP_NORM;
}

int step_arity(const recipe_step *s) {
    if (s->kind <= STEP_PARAM)
        return 0;
    if (s->kind == STEP_OP)
        return fsr_op_get(s->op)->arity;
    bool two = s->kind == STEP_CALL || s->kind == STEP_UPDATE || s->kind == STEP_CONCAT || s->kind == STEP_STACK ||
               s->kind == STEP_FILTER || s->kind == STEP_LOOP || s->kind >= STEP_AVERAGE;
    return two || step_is_pair(s->kind) ? 2 : 1;
}

/* ---- data ---------------------------------------------------------------------------------------------- */

static double special(uint64_t *state) {
    static const double values[] = {0,        -0.0,    1,       -1,    NAN,    INFINITY, -INFINITY, FLT_MAX,
                                    -FLT_MAX, DBL_MAX, FLT_MIN, 1e-42, 0x1p31, -0x1p31,  0x1p63,    -0x1p63,
                                    255,      256,     0.5,     -2.5,  1e9,    16777217};
    return values[fuzz_below(state, (int)(sizeof values / sizeof values[0]))];
}

static double number(unsigned fill, uint64_t *state) {
    double small = (fuzz_below(state, 65) - 32) / 8.0;
    if (fill % 4 == 3)
        return fuzz_below(state, 3) ? small : special(state);
    if (fill % 4 == 2)
        return small * ldexp(1, fuzz_below(state, 41) - 20);
    return fill % 4 ? small : floor(small);
}

void fuzz_fill(void *data, fsr_dtype dtype, int64_t n, unsigned fill) {
    uint64_t state = 0x1234567 + (uint64_t)fill * 7919;
    size_t size = fsr_dtype_size(dtype);
    for (int64_t i = 0; i < n; i++) {
        fsr_value v = fsr_value_from_double(dtype, dtype == FSR_BOOL ? fuzz_below(&state, 2) : number(fill, &state));
        if (fsr_dtype_is_complex(dtype))
            v = fsr_value_from_complex(dtype, (fsr_c128){number(fill, &state), number(fill, &state)});
        memcpy((char *)data + (size_t)i * size, &v, size);
    }
}

fsr_node fuzz_leaf(fsr_graph *g, fsr_dtype dtype, int ndim, const int64_t *shape, unsigned fill) {
    static int live;
    int64_t n = 1;
    for (int i = 0; i < ndim; i++)
        n *= shape[i];
    if (!fsr_graph_context(g)) {
        fsr_node x = node_data(g, dtype, ndim, shape, &live);
        fuzz_fill(fsr_node_rec(x)->buffer[0]->data, dtype, n, fill);
        return x;
    }
    void *data = malloc((size_t)n * fsr_dtype_size(dtype) + 1);
    fuzz_fill(data, dtype, n, fill);
    fsr_node x = fsr_from_host(g, dtype, ndim, shape, data);
    free(data);
    return x;
}

/* ---- operators ------------------------------------------------------------------------------------------- */

void fuzz_linear(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    (void)user;
    out[0] = fsr_mul(left[0], right[0]);
    out[1] = fsr_add(fsr_mul(left[1], right[0]), right[1]);
}

void fuzz_max_sum(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    (void)user;
    out[0] = fsr_maximum(left[0], right[0]);
    out[1] = fsr_add(left[1], right[1]);
}

const fsr_operator fuzz_linear_operator = {fuzz_linear, NULL, 2, {1, 0}, false, {NULL}};
const fsr_operator fuzz_max_sum_operator = {fuzz_max_sum, NULL, 2, {-INFINITY, 0}, true, {NULL}};

/* ---- loops ------------------------------------------------------------------------------------------------- */

static fsr_node as_state(fsr_node x, const fsr_node *state) {
    return fsr_cast(x, fsr_node_dtype(state[0]));
}

static void loop_below(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)user;
    out[0] = fsr_less(state[0], arg[0]);
}
static void loop_add(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)user;
    out[0] = as_state(fsr_add(fsr_add(state[0], arg[0]), fsr_int(arg[0].graph, 1)), state);
}

static void loop_other(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)user;
    out[0] = fsr_not_equal(state[0], arg[0]);
}
static void loop_multiply(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)user;
    out[0] = as_state(fsr_add(fsr_mul(state[0], arg[0]), fsr_int(arg[0].graph, 1)), state);
}

static void loop_states_differ(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)arg, (void)user;
    out[0] = fsr_not_equal(state[0], state[1]);
}
static void loop_change(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)arg, (void)user;
    out[0] = as_state(fsr_maximum(state[1], fsr_int(state[0].graph, 1)), state);
    out[1] = as_state(state[0], state + 1);
}

static void loop_exp(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)user;
    out[0] = fsr_greater(fsr_exp(state[0]), arg[0]);
}
static void loop_sin(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)user;
    out[0] = as_state(fsr_sub(fsr_sin(state[0]), arg[0]), state);
}

static void loop_take(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    const fsr_node *table = user, at = fsr_cast(fsr_real(state[0]), FSR_I64);
    fsr_node x = fsr_take(table[0], fsr_add(at, fsr_int(at.graph, 1)), 0, FSR_INDEX_WRAP);
    fsr_node y = fsr_take(table[0], fsr_cast(fsr_real(arg[0]), FSR_I64), 0, FSR_INDEX_CLIP);
    out[0] = as_state(fsr_maximum(x, y), state);
}

const fsr_loop fuzz_loop[FUZZ_LOOPS] = {
    {loop_add, loop_below, NULL, 1, 1}, {loop_multiply, loop_other, NULL, 1, 1},
    {loop_multiply, NULL, NULL, 1, 1},  {loop_change, loop_states_differ, NULL, 2, 0},
    {loop_sin, loop_exp, NULL, 1, 1},   {loop_take, loop_other, NULL, 1, 1}};

void fuzz_iterate(fsr_node *out, const fsr_node *in, int loop, int64_t max_n) {
    fsr_node result[3] = {{0}};
    fsr_node table = fsr_reshape(in[1], 1, (const int64_t[]){fsr_node_size(in[1])});
    fsr_loop l = fuzz_loop[loop];
    l.user = &table;
    fsr_iterate(result, &l, in, l.narg ? in + 1 : NULL, max_n);
    out[0] = result[0];
    out[1] = result[l.nstate];
}

/* ---- a native function ------------------------------------------------------------------------------------ */

static void bend(void *out, const void *const *in) {
    const float x = *(const float *)in[0], y = *(const float *)in[1];
    *(float *)out = 0.75f * x - y * 0.5f;
}

/* Of each operand a monotone function, roundings included: what the reference takes every function for. */
static fsr_node call_values(fsr_node x, fsr_node y) {
    static const fsr_native f = {.name = "bend",
                                 .result = FSR_F32,
                                 .parameters = "f32 x, f16 y",
                                 .c = "return 0.75f * x - y * 0.5f;",
                                 .cuda = "return 0.75f * x - y * 0.5f;"};
    fsr_node out = fsr_call_native(&f, ((fsr_node[]){fsr_cast(x, FSR_F32), fsr_cast(y, FSR_F16)}), 2);
    fsr_rec *rec = fsr_node_rec(out);
    if (rec && rec->kind == FSR_NODE_CALL && !fsr_graph_context(out.graph))
        atomic_store(&rec->routine->host, bend);
    return out;
}

static void pick(void *out, const void *const *in) {
    const int64_t i = *(const int64_t *)in[0];
    const fsr_routine_array *t = in[1];
    if (t->size && (i < 0 || i >= t->size))
        abort();
    *(float *)out = t->size ? ((const float *)t->data)[i] : 0.5f;
}

/* An element outside ends the program: the function is called for elements that there are. */
static fsr_node call_raw(fsr_node x, fsr_node y) {
    static const char text[] = "if (t_size && (i < 0 || i >= t_size)) {\n    volatile i32 *nowhere = 0;\n"
                               "    *nowhere = 1;\n}\nreturn t_size ? t[i] : 0.5f;";
    static const fsr_native f = {
        .name = "pick", .result = FSR_F32, .parameters = "i64 i, raw f32 t", .c = text, .cuda = text};
    const int64_t size = fsr_node_size(y);
    fsr_node i = fsr_mod(fsr_cast(x, FSR_I64), fsr_full(x.graph, FSR_I64, 0, NULL, (double)(size > 0 ? size : 1)));
    fsr_node out = fsr_call_native(&f, ((fsr_node[]){i, fsr_cast(y, FSR_F32)}), 2);
    fsr_rec *rec = fsr_node_rec(out);
    if (rec && rec->kind == FSR_NODE_CALL_RAW && !fsr_graph_context(out.graph))
        atomic_store(&rec->routine->host, pick);
    return out;
}

static void less_of(void *out, const void *const *in) {
    const float x = *(const float *)in[0];
    *(float *)out = 0.5f * x - 1;
}

static void more_of(void *out, const void *const *in) {
    const float x = *(const float *)in[0], y = *(const float *)in[1];
    *(double *)out = 0.25 * (double)x + (double)y;
}

/* Both results of one function, of two dtypes: one kernel, or the first one on the way to others, needs them. */
static fsr_node call_several(fsr_node x, fsr_node y) {
    static const char text[] = "less = 0.5f * x - 1;\nmore = 0.25 * (f64)x + (f64)y;";
    static const fsr_native f = {.name = "both", .parameters = "f32 x, f16 y", .c = text, .cuda = text};
    fsr_node out[2];
    fsr_call_natives(out, 2, &f, "f32 less, f64 more", (fsr_node[]){fsr_cast(x, FSR_F32), fsr_cast(y, FSR_F16)}, 2);
    for (int i = 0; i < 2; i++) {
        fsr_rec *rec = fsr_node_rec(out[i]);
        if (rec && rec->kind == FSR_NODE_CALL && !fsr_graph_context(out[i].graph))
            atomic_store(&rec->routine->host, i ? more_of : less_of);
    }
    return fsr_mul(out[0], out[1]);
}

fsr_node fuzz_call(fsr_node x, fsr_node y, int form) {
    return form == FUZZ_RAW ? call_raw(x, y) : form == FUZZ_SEVERAL ? call_several(x, y) : call_values(x, y);
}

/* ---- recording --------------------------------------------------------------------------------------------- */

static fsr_node record_op(fsr_op op, const fsr_node *a) {
    switch (op) {
#define RECORD_1(name) fsr_##name(a[0])
#define RECORD_2(name) fsr_##name(a[0], a[1])
#define RECORD_3(name) fsr_##name(a[0], a[1], a[2])
#define CASE(id, name, arity) \
    case FSR_OP_##id:         \
        return RECORD_##arity(name);
#define RULE_SAME CASE
#define RULE_FLOAT CASE
#define RULE_DIVIDE CASE
#define RULE_COMPARE CASE
#define RULE_LOGIC CASE
#define RULE_TEST CASE
#define RULE_SELECT CASE
#define RULE_REAL CASE
#define RULE_COMPLEX CASE
#define RULE_NUMBER CASE
#define RULE_ROUND CASE
#define RULE_POWER CASE
#define RULE_COUNT CASE
#define RULE_SCALE CASE
#define RULE_NEXT CASE
#define RULE_PHASE CASE
#define RULE_EXPONENT CASE
#define RULE_KEY CASE
#define RULE_KEYED CASE
#define RULE_WORDS CASE
#define RULE_CAST(id, name, arity)
#define FSR_SCALAR_OP(id, name, arity, rule, ...) RULE_##rule(id, name, arity)
#include "graph/scalar_ops.def"
#undef FSR_SCALAR_OP
    default: return (fsr_node){0};
    }
}

void recipe_input_name(char name[RECIPE_NAME], int i) {
    snprintf(name, RECIPE_NAME, "leaf%d", i);
}

int recipe_input_step(const char *name) {
    return atoi(name + strlen("leaf"));
}

static fsr_node record_leaf(const recipe_step *s, int i, fsr_graph *g) {
    char name[RECIPE_NAME];
    if (s->kind == STEP_LEAF && s->flags == RECIPE_INPUT) {
        recipe_input_name(name, i);
        return fsr_input(g, name, s->dtype, s->ndim, s->shape);
    }
    snprintf(name, sizeof name, "p%d", i);
    switch (s->kind) {
    case STEP_LEAF: return fuzz_leaf(g, s->dtype, s->ndim, s->shape, s->fill);
    case STEP_ARANGE: return fsr_arange(g, s->dtype, s->shape[0]);
    case STEP_FULL: return fsr_full(g, s->dtype, s->ndim, s->shape, s->value);
    case STEP_FLOAT: return fsr_float(g, s->value);
    case STEP_INT: return fsr_int(g, (int64_t)s->value);
    case STEP_BOOL: return fsr_bool(g, s->value != 0);
    case STEP_COMPLEX: return fsr_complex(g, s->value, (double)s->start);
    case STEP_EYE: return fsr_eye(g, s->dtype, s->shape[0], s->shape[1], s->start);
    case STEP_LINSPACE: return fsr_linspace(g, s->dtype, s->value, (double)s->start, s->shape[0], s->flags != 0);
    default: return fsr_param(g, name, s->dtype, s->value);
    }
}

static fsr_node record_view(const recipe_step *s, fsr_node x) {
    switch (s->kind) {
    case STEP_CAST: return fsr_cast(x, s->dtype);
    case STEP_RESHAPE: return fsr_reshape(x, s->ndim, s->shape);
    case STEP_TRANSPOSE: return fsr_transpose(x, s->ndim == fsr_node_ndim(x) ? s->list : NULL);
    case STEP_BROADCAST: return fsr_broadcast_to(x, s->ndim, s->shape);
    case STEP_EXPAND: return fsr_expand(x, s->axis);
    case STEP_SQUEEZE: return fsr_squeeze(x, s->axis);
    case STEP_FLIP: return fsr_flip(x, s->axis);
    default: return fsr_slice(x, s->axis, s->start, s->stop, s->step);
    }
}

static fsr_node record_fold(const recipe_step *s, fsr_node x) {
    const int *axes = s->ndim < 0 ? NULL : s->list;
    switch (s->kind) {
    case STEP_SUM: return fsr_sum(x, axes, s->ndim, s->flags);
    case STEP_PROD: return fsr_prod(x, axes, s->ndim, s->flags);
    case STEP_MIN: return fsr_min(x, axes, s->ndim, s->flags);
    case STEP_MAX: return fsr_max(x, axes, s->ndim, s->flags);
    case STEP_MEAN: return fsr_mean(x, axes, s->ndim, s->flags);
    case STEP_VAR: return fsr_var(x, axes, s->ndim, s->flags, s->value);
    case STEP_ANY: return fsr_any(x, axes, s->ndim, s->flags);
    case STEP_ALL: return fsr_all(x, axes, s->ndim, s->flags);
    case STEP_PTP: return fsr_ptp(x, axes, s->ndim, s->flags);
    case STEP_COUNT_NONZERO: return fsr_count_nonzero(x, axes, s->ndim, s->flags);
    case STEP_LOGSUMEXP: return fsr_logsumexp(x, axes, s->ndim, s->flags);
    case STEP_NANSUM: return fsr_nansum(x, axes, s->ndim, s->flags);
    case STEP_NANPROD: return fsr_nanprod(x, axes, s->ndim, s->flags);
    case STEP_NANMIN: return fsr_nanmin(x, axes, s->ndim, s->flags);
    case STEP_NANMAX: return fsr_nanmax(x, axes, s->ndim, s->flags);
    case STEP_NANMEAN: return fsr_nanmean(x, axes, s->ndim, s->flags);
    case STEP_STD: return fsr_std(x, axes, s->ndim, s->flags, s->value);
    case STEP_NANVAR: return fsr_nanvar(x, axes, s->ndim, s->flags, s->value);
    case STEP_NANSTD: return fsr_nanstd(x, axes, s->ndim, s->flags, s->value);
    case STEP_NORM: return fsr_norm(x, axes, s->ndim, s->flags, s->value);
    default: return (fsr_node){0};
    }
}

static fsr_node record_along(const recipe_step *s, fsr_node x) {
    const int *axis = s->axis == RECIPE_FLAT ? NULL : &s->axis;
    switch (s->kind) {
    case STEP_ARGMAX: return fsr_argmax(x, axis, 1, s->flags);
    case STEP_ARGMIN: return fsr_argmin(x, axis, 1, s->flags);
    case STEP_NANARGMAX: return fsr_nanargmax(x, axis, 1, s->flags);
    case STEP_NANARGMIN: return fsr_nanargmin(x, axis, 1, s->flags);
    case STEP_CUMSUM: return fsr_cumsum(x, AXES(s->axis), 1, s->flags);
    case STEP_CUMPROD: return fsr_cumprod(x, AXES(s->axis), 1, s->flags);
    case STEP_CUMMAX: return fsr_cummax(x, AXES(s->axis), 1, s->flags);
    case STEP_CUMMIN: return fsr_cummin(x, AXES(s->axis), 1, s->flags);
    case STEP_CUMANY: return fsr_cumany(x, AXES(s->axis), 1, s->flags);
    default: return fsr_cumall(x, AXES(s->axis), 1, s->flags);
    }
}

static void record_pair(const recipe_step *s, const fsr_node *in, fsr_node *out) {
    bool linear = s->kind == STEP_REDUCE_LINEAR || s->kind == STEP_SCAN_LINEAR;
    if (linear && fsr_node_dtype(in[0]) != fsr_node_dtype(in[1]))
        return; /* not associative: products wrap in one dtype, sums in another */
    if (!linear && fsr_node_dtype(in[0]) == FSR_BOOL)
        return; /* the identity, -inf, is true as a bool */
    const fsr_operator *op = linear ? &fuzz_linear_operator : &fuzz_max_sum_operator;
    if (s->kind == STEP_REDUCE_LINEAR || s->kind == STEP_REDUCE_MAX_SUM)
        fsr_reduce_with(out, in, op, s->ndim < 0 ? NULL : s->list, s->ndim, s->flags);
    else
        fsr_scan_with(out, in, op, AXES(s->axis), 1, s->flags);
}

static fsr_node section(const recipe_step *s, fsr_node x) {
    fsr_node view = fsr_slice(x, s->axis, s->start, s->stop, s->step);
    if (s->flags & SECTION_CORNER)
        view = fsr_slice(view, s->list[0], s->shape[0], FSR_SLICE_END, 1);
    return s->flags & SECTION_TRANSPOSED ? fsr_transpose(view, NULL) : view;
}

static fsr_node assigned(const recipe_step *s, fsr_node y) {
    if (s->flags & SECTION_OF_BOTH)
        y = section(s, y);
    return s->flags & SECTION_FLIPPED ? fsr_flip(y, 0) : y;
}

static fsr_node record_order(const recipe_step *s, fsr_node x) {
    const int *axes = s->axis == RECIPE_FLAT ? NULL : &s->axis;
    switch (s->kind) {
    case STEP_SORT: return fsr_sort(x, axes, 1, s->flags);
    case STEP_ARGSORT: return fsr_argsort(x, axes, 1, s->flags);
    case STEP_TOPK: return fsr_topk(x, s->start, axes, 1, s->flags);
    case STEP_KTH: return fsr_kth(x, s->start, axes, 1, 0);
    case STEP_MEDIAN: return fsr_median(x, axes, 1, 0);
    default: return fsr_argtopk(x, s->start, axes, 1, s->flags);
    }
}

static fsr_node record_paste(const recipe_step *s, const fsr_node *in) {
    switch (s->kind) {
    case STEP_UPDATE: return fsr_update(in[0], section(s, in[0]), assigned(s, in[1]));
    case STEP_CONCAT: return fsr_concat(in, 2, s->axis);
    case STEP_STACK: return fsr_stack(in, 2, s->axis);
    case STEP_FILTER: return fsr_filter(in[0], in[1], fsr_int(in[0].graph, (int64_t)s->value));
    default: return fsr_roll(in[0], &s->start, s->axis == RECIPE_FLAT ? NULL : &s->axis, 1);
    }
}

void recipe_record(const recipe *r, int i, fsr_graph *g, fsr_node *node, fsr_node *other) {
    const recipe_step *s = &r->step[i];
    fsr_node in[3] = {{0}}, out[FSR_MAX_TUPLE] = {{0}};
    for (int a = 0; a < step_arity(s); a++)
        in[a] = node[s->arg[a]];
    if (s->kind <= STEP_PARAM)
        out[0] = record_leaf(s, i, g);
    else if (s->kind == STEP_OP)
        out[0] = record_op(s->op, in);
    else if (s->kind == STEP_CALL)
        out[0] = fuzz_call(in[0], in[1], s->flags);
    else if (s->kind <= STEP_SLICE)
        out[0] = record_view(s, in[0]);
    else if (step_is_pair(s->kind))
        record_pair(s, in, out);
    else if (s->kind == STEP_PAIR)
        out[0] = other[s->arg[0]];
    else if (s->kind == STEP_LOOP)
        fuzz_iterate(out, in, s->axis, s->start);
    else if (s->kind == STEP_TURNS)
        fuzz_turns(out, in[0], in[1], s->axis, s->start, s->flags);
    else if (s->kind >= STEP_SORT && s->kind <= STEP_MEDIAN)
        out[0] = record_order(s, in[0]);
    else if (s->kind == STEP_LIBRARY)
        out[0] = fuzz_backwards(in[0]);
    else if (s->kind >= STEP_PAD)
        out[0] = recipe_record_shape(s, in);
    else if (s->kind > STEP_PAIR)
        out[0] = record_paste(s, in);
    else
        out[0] = s->kind < STEP_ARGMAX ? record_fold(s, in[0]) : record_along(s, in[0]);
    node[i] = s->hint ? fsr_hint_set(out[0], s->hint) : out[0];
    other[i] = out[1];
    if (s->pair && s->back <= i)
        fsr_hint_pair(node[i], node[i - s->back], s->pair);
}

/* A scan from the end; the row functions have one. */
static bool runs_back(const recipe *r) {
    bool any = false;
    for (int k = 0; k < r->n; k++) {
        const recipe_step *s = &r->step[k];
        any = any || s->kind == STEP_ROWS || (s->kind >= STEP_CUMSUM && s->kind < STEP_PAIR && s->flags & FSR_REVERSE);
    }
    return any;
}

bool recipe_rounded(const recipe *r, int i, const fsr_node *node) {
    bool rounded[RECIPE_STEPS] = {false};
    const bool either_zero = runs_back(r);
    for (int k = 0; k <= i; k++) {
        const recipe_step *s = &r->step[k];
        for (int a = 0; a < step_arity(s); a++)
            rounded[k] = rounded[k] || rounded[s->arg[a]];
        bool extreme = s->kind == STEP_MIN || s->kind == STEP_MAX || s->kind == STEP_ANY || s->kind == STEP_ALL ||
                       s->kind == STEP_CUMMAX || s->kind == STEP_CUMMIN;
        const bool exact = s->kind == STEP_TAKE || s->kind == STEP_TURNS || s->kind == STEP_ORDERS ||
                           (s->kind == STEP_PLACES && s->start >= FUZZ_PLACES_FOLDED && !either_zero);
        bool sums = (s->kind >= STEP_SUM && s->kind < STEP_PAIR && (!extreme || either_zero)) ||
                    (s->kind >= STEP_AVERAGE && !exact);
        fsr_dtype dtype = fsr_node_dtype(node[k]);
        bool pair = s->kind == STEP_PAIR || step_is_pair(s->kind);
        rounded[k] = rounded[k] || (sums && (pair || fsr_dtype_is_inexact(dtype)));
    }
    return rounded[i];
}

/* ---- pruning ------------------------------------------------------------------------------------------------ */

void recipe_prune(recipe *r) {
    bool live[RECIPE_STEPS] = {false};
    int to[RECIPE_STEPS], kept = 0;
    for (int i = 0; i < r->nouts; i++)
        live[r->out[i]] = true;
    for (int i = r->n - 1; i >= 0; i--) {
        live[i] = live[i] || r->step[i].force;
        for (int a = 0; live[i] && a < step_arity(&r->step[i]); a++)
            live[r->step[i].arg[a]] = true;
    }
    for (int i = 0; i < r->n; i++) {
        to[i] = kept;
        if (!live[i])
            continue;
        recipe_step s = r->step[i];
        for (int a = 0; a < step_arity(&s); a++)
            s.arg[a] = to[s.arg[a]];
        r->step[kept++] = s;
    }
    for (int i = 0; i < r->nouts; i++)
        r->out[i] = to[r->out[i]];
    r->n = kept;
}

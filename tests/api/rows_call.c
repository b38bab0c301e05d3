/* SPDX-License-Identifier: MIT */
/* Rows that call back: operators, loops, row functions.
 *
 * A callback does what its kind says: what is asked of it, nothing, or what it must not: it computes, frees the graph,
 * ends scopes, calls itself again, returns nodes of elsewhere. */
#include "graph/graph.h"
#include "tests/api/api.h"
#include <string.h>

typedef struct callback {
    api_run *r;
    int kind, n; /* results */
} callback;

enum { KINDS = 24 };
static const char *const kind_words[KINDS] = {"adds",
                                              "takes the larger",
                                              "returns its first",
                                              "returns literals",
                                              "returns nothing",
                                              "null nodes",
                                              "a node given",
                                              "forged handles",
                                              "computes",
                                              "frees the graph",
                                              "ends a scope",
                                              "begins a scope",
                                              "calls itself again",
                                              "another dtype",
                                              "asks for everything",
                                              "a node of another graph",
                                              "frees its argument's graph",
                                              "sets a parameter and a hint",
                                              "an expression",
                                              "adds",
                                              "ends scopes to the last",
                                              "a larger array",
                                              "records much",
                                              "adds"};

static int draw_kind(api_run *r) {
    const int b = api_byte(r), kind = b < 100 ? b % 4 : b % KINDS;
    api_add(r, ", /* %s */ %d", kind_words[kind], kind);
    return kind;
}

static void asks(fsr_node x) {
    char data[64];
    fsr_plan *plan = NULL;
    fsr_plan_info info;
    fsr_verify_report report;
    FILE *to = fopen("/dev/null", "w");
    fsr_read(x, data, sizeof data);
    if (fsr_compile(&x, 1, &plan) == FSR_OK)
        fsr_plan_free(plan);
    fsr_query(&x, 1, &info);
    fsr_verify(&x, 1, &report);
    if (to) {
        fsr_explain(&x, 1, to);
        fsr_print(&x, 1, to);
        fsr_dot(&x, 1, to);
        fclose(to);
    }
}

static void again(callback *c, const fsr_node *in);

/* What a kind does beside its results, or first. */
static void mischief(callback *c, const fsr_node *in) {
    api_run *r = c->r;
    switch (c->kind) {
    case 8: fsr_force(in[0]); break;
    case 9:
        r->unsettled = true;
        fsr_graph_free(r->g[0]);
        break;
    case 10:
        r->unsettled = true;
        fsr_scope_end(in[0].graph, NULL, 0);
        break;
    case 11: fsr_scope_begin(in[0].graph); break;
    case 12: again(c, in); break;
    case 14: asks(in[0]); break;
    case 16:
        r->unsettled = true;
        fsr_graph_free(in[0].graph);
        break;
    case 17:
        c->r->changed |= fsr_param_set(in[0], 3) == FSR_OK;
        fsr_hint_set(in[0], FSR_HINT_MATERIALIZE);
        break;
    case 20:
        r->unsettled = true;
        while (fsr_scope_end(r->g[0], in, 1) == FSR_OK)
            ;
        break;
    case 22:
        for (int i = 0; i < 300; i++)
            fsr_add(in[0], fsr_int(in[0].graph, i));
        break;
    default: break;
    }
}

static fsr_node result(callback *c, fsr_node a, fsr_node b) {
    api_run *r = c->r;
    switch (c->kind) {
    case 1: return fsr_maximum(a, b);
    case 2: return a;
    case 3: return fsr_int(a.graph, 1);
    case 5: return (fsr_node){0};
    case 6: return r->slot[0].node;
    case 7: return (fsr_node){a.graph, a.stamp + 1, a.id, a.output + 1};
    case 13: return fsr_cast(a, FSR_F64);
    case 15: return r->slot[API_GIVEN - 1].node;
    case 18: return fsr_expr(a.graph, "a*b + 1", (fsr_name[]){{"a", a}, {"b", b}}, 2);
    case 21: return fsr_add(a, fsr_arange(a.graph, FSR_F32, 3));
    default: return fsr_add(a, b);
    }
}

static void act(callback *c, fsr_node *out, const fsr_node *in, const fsr_node *second) {
    if (c->r->depth++ < 3) {
        mischief(c, in);
        for (int i = 0; i < c->n && c->kind != 4; i++)
            out[i] = result(c, in[i], second[i]);
    }
    c->r->depth--;
}

static void operator_body(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    act(user, out, left, right);
}

static void again(callback *c, const fsr_node *in) {
    callback inner = {c->r, c->kind, 1};
    const fsr_operator op = {.body = operator_body, .user = &inner, .arity = 1};
    fsr_node out;
    fsr_reduce_with(&out, in, &op, NULL, 0, 0);
    fsr_scan_with(&out, in, &op, (int[]){0}, 1, 0);
}

/* ---- operators --------------------------------------------------------------------------------------------- */

static fsr_operator draw_operator(api_run *r, callback *c, fsr_node *in) {
    static const int arities[] = {1, 1, 2, 3, 1, 2, 4, 1, 0, 5, -1, 2147483647};
    const int b = api_byte(r), arity = arities[b < 240 ? b % 7 : b % API_COUNT(arities)];
    fsr_operator op = {.body = operator_body, .user = c, .arity = arity, .commutative = api_below(r, 2)};
    api_add(r, ", t%d, (fsr_node[]){", r->at);
    for (int i = 0; i < FSR_MAX_TUPLE; i++) {
        api_add(r, i ? ", " : "");
        in[i] = api_pick(r);
    }
    api_add(r, "}, OPERATOR(%d, %d", arity, op.commutative);
    *c = (callback){r, draw_kind(r), arity > FSR_MAX_TUPLE ? 0 : arity};
    const bool neutral = c->kind == 0 && api_below(r, 4);
    for (int i = 0; i < FSR_MAX_TUPLE; i++)
        op.identity[i] = neutral ? 0 : api_number(r);
    api_add(r, neutral ? ", 0, 0, 0, 0" : "");
    r->lawless |= !neutral;
    if (api_below(r, 64) == 63)
        op.body = NULL;
    api_add(r, op.body ? ")" : ", NULL)");
    return op;
}

/* A mistake is recorded in the graph of the first operand that has one; but for a count that is none, when all but
 * out[0] is left alone, in that of the first operand. */
static void lives(api_run *r, bool good, const fsr_node *x, int n) {
    r->live = fsr_graph_alive(x[0].graph);
    for (int i = 1; i < n && good; i++)
        r->live |= fsr_graph_alive(x[i].graph);
}

static void take_tuple(api_run *r, const fsr_node *out, const fsr_node *in, int arity) {
    const bool good = arity >= 1 && arity <= FSR_MAX_TUPLE;
    lives(r, good, in, arity);
    api_take_all(r, out, good ? arity : 1);
}

static void call_reduce_with(api_run *r) {
    callback c;
    fsr_node in[FSR_MAX_TUPLE], *out = api_memory(r, FSR_MAX_TUPLE * sizeof *out);
    const fsr_operator op = draw_operator(r, &c, in);
    int n;
    const int *axes = api_axes(r, &n), flags = api_flags(r);
    const bool none = api_none(r);
    api_say(r, "fsr_reduce_with_at", 4, true);
    fsr_reduce_with_at(API_SITE(r), sizeof op, out, in, none ? NULL : &op, axes, n, flags);
    take_tuple(r, out, in, none ? 0 : op.arity);
}

static void call_scan_with(api_run *r) {
    callback c;
    fsr_node in[FSR_MAX_TUPLE], *out = api_memory(r, FSR_MAX_TUPLE * sizeof *out);
    const fsr_operator op = draw_operator(r, &c, in);
    int n;
    const int *axes = api_axes(r, &n), flags = api_flags(r);
    api_say(r, "fsr_scan_with_at", 4, true);
    fsr_scan_with_at(API_SITE(r), sizeof op, out, in, &op, axes, n, flags);
    take_tuple(r, out, in, op.arity);
}

static void take_segments(api_run *r, const fsr_node *out, const fsr_node *in, int arity, fsr_node offsets) {
    const bool good = arity >= 1 && arity < FSR_MAX_TUPLE;
    lives(r, good, in, arity);
    r->live |= fsr_graph_alive(offsets.graph);
    api_take_all(r, out, good ? arity : 1);
}

static void call_segment_reduce_with(api_run *r) {
    callback c;
    fsr_node in[FSR_MAX_TUPLE], *out = api_memory(r, FSR_MAX_TUPLE * sizeof *out);
    const fsr_operator op = draw_operator(r, &c, in);
    const fsr_node offsets = api_node(r);
    api_say(r, "fsr_segment_reduce_with_at", 4, true);
    fsr_segment_reduce_with_at(API_SITE(r), sizeof op, out, in, &op, offsets);
    take_segments(r, out, in, op.body ? op.arity : 0, offsets);
}

static void call_scatter_with(api_run *r) {
    callback c;
    fsr_node in[FSR_MAX_TUPLE], value[FSR_MAX_TUPLE], *out = api_memory(r, FSR_MAX_TUPLE * sizeof *out);
    const fsr_operator op = draw_operator(r, &c, in);
    const bool good = op.body && op.arity >= 1 && op.arity < FSR_MAX_TUPLE;
    int n;
    const fsr_node *arrays = api_nodes(r, &n);
    for (int i = 0; i < FSR_MAX_TUPLE; i++) {
        api_add(r, i ? ", " : ", (fsr_node[]){");
        value[i] = api_pick(r);
    }
    const fsr_index_mode mode = (fsr_index_mode)(api_below(r, 6) - 1);
    api_add(r, "}, (fsr_index_mode)%d", (int)mode);
    api_say(r, "fsr_scatter_with_at", 4, true);
    fsr_scatter_with_at(API_SITE(r), sizeof op, out, in, &op, arrays, n, value, mode);
    lives(r, good, in, op.arity);
    for (int i = 0; i < op.arity && good; i++)
        r->live |= fsr_graph_alive(value[i].graph);
    for (int i = 0; i < n && good && n <= FSR_MAX_DIMS; i++)
        r->live |= fsr_graph_alive(arrays[i].graph);
    api_take_all(r, out, good ? op.arity : 1);
}

static void call_segment_scan_with(api_run *r) {
    callback c;
    fsr_node in[FSR_MAX_TUPLE], *out = api_memory(r, FSR_MAX_TUPLE * sizeof *out);
    const fsr_operator op = draw_operator(r, &c, in);
    const fsr_node offsets = api_node(r);
    const int flags = api_flags(r);
    api_say(r, "fsr_segment_scan_with_at", 4, true);
    fsr_segment_scan_with_at(API_SITE(r), sizeof op, out, in, &op, offsets, flags);
    take_segments(r, out, in, op.body ? op.arity : 0, offsets);
}

/* ---- loops ------------------------------------------------------------------------------------------------- */

typedef struct loop_callbacks {
    callback body, condition;
    bool counts; /* the body counts up to five: it ends */
    int states;
} loop_callbacks;

static void loop_body(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    loop_callbacks *c = user;
    (void)arg;
    if (c->counts)
        for (int i = 0; i < c->body.n; i++)
            out[i] = fsr_add(state[i], fsr_cast(fsr_int(state[i].graph, 1), fsr_node_dtype(state[i])));
    else
        act(&c->body, out, state, state);
}

static void loop_condition(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    loop_callbacks *c = user;
    (void)arg;
    if (c->counts || c->condition.kind < 4)
        out[0] = fsr_less(state[0], fsr_int(state[0].graph, 5));
    else
        act(&c->condition, out, state, state);
}

static void call_iterate(api_run *r) {
    static const int states[] = {1, 2, 1, 3, 7, 0, -1, 8}, args[] = {0, 0, 1, 2, 9, 17, -1, 16};
    static const int64_t most[] = {1, 5, 20, 0, 7, INT64_C(2147483647), INT64_C(2147483648), -1, INT64_MAX};
    loop_callbacks c = {.counts = api_below(r, 2)};
    fsr_node *state = api_memory(r, 8 * sizeof *state), *arg = api_memory(r, 17 * sizeof *arg);
    fsr_node *out = api_memory(r, 9 * sizeof *out);
    const int bs = api_byte(r), ba = api_byte(r), bm = api_byte(r);
    const int nstate = states[bs < 230 ? bs % 4 : bs % 8], narg = args[ba < 230 ? ba % 4 : ba % 8];
    const int64_t max_n = most[bm < 200 ? bm % 5 : bm % 9];
    api_add(r, ", t%d, LOOP(%d, %d, %s", r->at, nstate, narg, c.counts ? "counts" : "body");
    c.body = (callback){r, draw_kind(r), nstate > 0 ? nstate : 0};
    c.condition = (callback){r, draw_kind(r), 1};
    const bool always = api_below(r, 4) == 3;
    const fsr_loop loop = {loop_body, always ? NULL : loop_condition, &c, nstate, narg};
    api_add(r, "%s), (fsr_node[]){", always ? ", NULL" : "");
    for (int i = 0; i < 8; i++)
        state[i] = i < 3 ? (api_add(r, i ? ", " : ""), api_pick(r)) : state[i % 3];
    api_add(r, "}, (fsr_node[]){");
    for (int i = 0; i < 17; i++)
        arg[i] = i < 2 ? (api_add(r, i ? ", " : ""), api_pick(r)) : arg[i % 2];
    api_add(r, "}, INT64_C(%lld)", (long long)max_n);
    const bool given = narg || !api_none(r);
    api_say(r, "fsr_iterate_at", 8, true);
    if (max_n > 100)
        r->work = 1e18; /* it may never end: true + 1 is true, -1e30 + 1 is -1e30 */
    r->work *= 4;
    fsr_iterate_at(API_SITE(r), sizeof loop, out, &loop, state, given ? arg : NULL, max_n);
    const bool good = nstate >= 1 && nstate <= FSR_MAX_STATE && narg >= 0 && nstate + narg <= FSR_MAX_LOOP_OPERANDS;
    const bool state_lives = (lives(r, good, state, nstate), r->live);
    if (narg > 0 && good && given)
        lives(r, good, arg, narg);
    r->live |= state_lives;
    api_take_all(r, out, good ? nstate + 1 : 1);
}

/* ---- loops over arrays ------------------------------------------------------------------------------------ */

static void turn_body(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    loop_callbacks *c = user;
    for (int i = 0; c->counts && i < c->body.n; i++)
        out[i] = i < c->states ? fsr_flip(state[i], 0) : in[0];
    if (!c->counts)
        act(&c->body, out, state, in);
}

static void turn_condition(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    loop_callbacks *c = user;
    if (c->counts || c->condition.kind < 4)
        out[0] = fsr_any(fsr_less(state[0], in[0]), NULL, 0, 0);
    else
        act(&c->condition, out, state, in);
}

/* Memory for the arrays and results of a loop; how many states there are said to be. */
typedef struct turns {
    loop_callbacks c;
    fsr_node *state, *array, *out;
    int nstate, narrays, nstacked;
} turns;

static void draw_turns(api_run *r, turns *t, bool slices) {
    static const int counts[] = {1, 2, 1, 2, 8, 0, -1, 9};
    const int bs = api_byte(r), ba = api_byte(r), bk = api_byte(r);
    t->nstate = counts[bs < 230 ? bs % 4 : bs % 8];
    t->narrays = slices ? counts[ba < 230 ? ba % 4 : ba % 8] : 0;
    t->nstacked = slices ? counts[bk < 230 ? bk % 3 : bk % 8] : 0;
    t->state = api_memory(r, 9 * sizeof *t->state);
    t->array = api_memory(r, 9 * sizeof *t->array);
    t->out = api_memory(r, 18 * sizeof *t->out);
    const int n = t->nstate + t->nstacked;
    t->c = (loop_callbacks){.counts = api_below(r, 2), .states = t->nstate};
    api_add(r, ", t%d, TURNS(%d, %d, %d, %s", r->at, t->nstate, t->narrays, t->nstacked,
            t->c.counts ? "flips" : "body");
    t->c.body = (callback){r, draw_kind(r), n > 0 && n <= 8 ? n : 0};
    t->c.condition = (callback){r, draw_kind(r), 1};
    api_add(r, "), (fsr_node[]){");
    for (int i = 0; i < 9; i++)
        t->state[i] = i < 2 ? (api_add(r, i ? ", " : ""), api_pick(r)) : t->state[i % 2];
    api_add(r, "}, (fsr_node[]){");
    for (int i = 0; i < 9; i++)
        t->array[i] = i < 2 ? (api_add(r, i ? ", " : ""), api_pick(r)) : t->array[i % 2];
    api_add(r, "}");
}

/* Takes the results; more: arrays beside the state in which a mistake may be recorded. */
static void take_turns(api_run *r, const turns *t, const fsr_node *more, int nmore, bool good) {
    good = good && t->nstate >= 1 && t->nstate <= FSR_MAX_TURN_RESULTS && t->narrays >= 0 && t->nstacked >= 0;
    const bool state_lives = (lives(r, good, t->state, t->nstate), r->live);
    const bool all = good && t->nstate + t->nstacked <= FSR_MAX_TURN_RESULTS && t->narrays <= FSR_MAX_TURN_ARRAYS;
    if (all && nmore > 0)
        lives(r, true, more, nmore);
    r->live |= state_lives;
    api_take_all(r, t->out, good ? t->nstate + t->nstacked : 1);
}

static void call_fori_loop(api_run *r) {
    turns t;
    draw_turns(r, &t, false);
    const bool few = api_below(r, 4) > 0;
    const fsr_node n = few ? fsr_int(t.state[0].graph, api_below(r, 6) - 1) : api_pick(r);
    const bool none = api_none(r);
    api_say(r, "fsr_fori_loop_at", 4, true);
    r->work = few ? 4 * r->work : 1e18; /* it may be any number */
    fsr_fori_loop_at(API_SITE(r), t.out, t.state, t.nstate, n, none ? NULL : turn_body, &t.c);
    take_turns(r, &t, &n, 1, true);
}

static void call_while_loop(api_run *r) {
    static const int64_t most[] = {1, 5, 3, 0, -1};
    turns t;
    draw_turns(r, &t, false);
    const int64_t n = most[api_below(r, 5)];
    const bool none = api_none(r);
    api_say(r, "fsr_while_loop_at", 4, true);
    r->work *= 4;
    fsr_while_loop_at(API_SITE(r), t.out, t.state, t.nstate, n, turn_condition, none ? NULL : turn_body, &t.c);
    take_turns(r, &t, NULL, 0, true);
}

static void call_scan_loop(api_run *r) {
    turns t;
    draw_turns(r, &t, true);
    const int axis = api_below(r, 4) - 1, flags = api_flags(r);
    const bool none = api_none(r);
    api_say(r, "fsr_scan_loop_at", 4, true);
    r->work *= 40;
    fsr_scan_loop_at(API_SITE(r), t.out, t.state, t.nstate, t.array, t.narrays, t.nstacked, axis, flags,
                     none ? NULL : turn_body, &t.c);
    take_turns(r, &t, t.array, t.narrays, t.narrays >= 1 && !(flags & ~FSR_REVERSE));
}

/* ---- row functions ----------------------------------------------------------------------------------------- */

static void row_body(fsr_node *out, const fsr_node *in, void *user) {
    callback *c = user;
    if (c->kind < 4)
        for (int i = 0; i < c->n; i++)
            out[i] = c->kind == 0   ? fsr_sum(in[0], NULL, 0, 0)
                     : c->kind == 1 ? fsr_cumsum(in[0], (int[]){0}, 1, 0)
                     : c->kind == 2 ? fsr_mul(in[0], in[0])
                                    : fsr_flip(in[0], 0);
    else
        act(c, out, in, in);
}

static void call_vectorize(api_run *r) {
    static const char *const signatures[] = {"(n)->()",
                                             "(n)->(n)",
                                             "()->()",
                                             "(n),(n)->()",
                                             "(m,n),(n)->(m)",
                                             "(n),()->(n)",
                                             "(3)->(3)",
                                             "(n)->(),(n)",
                                             "",
                                             NULL,
                                             "(n)->",
                                             "->()",
                                             "(n,n)->(n)",
                                             "(99999999999999999999)->()",
                                             "(n)->(m)",
                                             "((n)->()",
                                             "(n)(n)->()"};
    api_add(r, ", t%d", r->at);
    const int nout = api_below(r, 16) < 14 ? 1 + api_below(r, 2) : api_below(r, 2) ? 17 : -1;
    fsr_node *out = api_memory(r, 17 * sizeof *out);
    api_add(r, ", %d", nout);
    int n;
    const fsr_node *in = api_nodes(r, &n);
    const char *signature = api_one_of(r, signatures, API_COUNT(signatures));
    callback c = {r, draw_kind(r), nout > 0 && nout <= FSR_MAX_CORE ? nout : 0};
    const bool none = api_none(r);
    api_say(r, "fsr_vectorize_at", 17, true);
    fsr_vectorize_at(API_SITE(r), out, nout, in, n, signature, none ? NULL : row_body, &c);
    api_take_all(r, out, nout > 0 && nout <= FSR_MAX_CORE ? nout : 0);
}

#define ROW(name, weight) \
    { "fsr_" #name "_at", call_##name, weight }
const api_row api_call_rows[] = {ROW(reduce_with, 4),  ROW(scan_with, 4),         ROW(segment_reduce_with, 4),
                                 ROW(scatter_with, 4), ROW(segment_scan_with, 4), ROW(iterate, 4),
                                 ROW(vectorize, 4),    ROW(fori_loop, 3),         ROW(while_loop, 3),
                                 ROW(scan_loop, 3)};
const int api_call_count = API_COUNT(api_call_rows);

/* SPDX-License-Identifier: MIT */
#include "tests/trust/scenarios.h"
#include "primitives/parse.h"
#include "tests/support/recurrence.h"
#include "tests/trust/faults.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define SHAPE(...) ((const int64_t[]){__VA_ARGS__})
#define AXES(...) ((const int[]){__VA_ARGS__})
enum { ROWS = 12, COLUMNS = 33, N = ROWS * COLUMNS };

/* ---- the outcome ------------------------------------------------------------------------------------------ */

/* True if status is a failure, which is then told. */
static bool failed(outcome *out, fsr_context *ctx, fsr_status status) {
    if (status && !out->status) {
        out->status = status;
        snprintf(out->message, sizeof out->message, "%s", fsr_error(ctx));
    }
    return status != FSR_OK;
}

static bool poisoned(outcome *out, fsr_node x) {
    fsr_status status = fsr_node_status(x);
    if (status && !out->status) {
        out->status = status;
        snprintf(out->message, sizeof out->message, "%s", fsr_node_error(x));
    }
    return status != FSR_OK;
}

static void tell(outcome *out, const void *data, size_t bytes) {
    if (out->bytes + bytes > sizeof out->data)
        abort();
    memcpy(out->data + out->bytes, data, bytes);
    out->bytes += bytes;
}

static void read_all(outcome *out, fsr_context *ctx, const fsr_node *x, int n) {
    static unsigned char data[8192];
    for (int i = 0; i < n && !out->status; ++i) {
        size_t bytes = fsr_node_bytes(x[i]) > 0 ? (size_t)fsr_node_bytes(x[i]) : 0;
        if (bytes > sizeof data)
            abort();
        if (!failed(out, ctx, fsr_read(x[i], data, bytes)))
            tell(out, data, bytes);
    }
}

/* The message and status of a graph that could not be made. */
static fsr_graph *new_graph(outcome *out, fsr_context *ctx) {
    fsr_graph *g = fsr_graph_new(ctx);
    if (!g)
        failed(out, ctx, fsr_error_status(ctx) ? fsr_error_status(ctx) : FSR_ERR_INTERNAL);
    return g;
}

static const float *numbers(void) {
    static float x[N];
    for (int i = 0; i < N; ++i)
        x[i] = (float)((i * 37) % 101 - 50) / 16;
    return x;
}

static fsr_node matrix(fsr_graph *g) {
    return fsr_from_host(g, FSR_F32, 2, SHAPE(ROWS, COLUMNS), numbers());
}

/* ---- recording ---------------------------------------------------------------------------------------------- */

static void note_node(outcome *out, fsr_node x) {
    if (poisoned(out, x))
        return;
    int64_t note[3] = {fsr_node_dtype(x), fsr_node_ndim(x), fsr_node_size(x)};
    tell(out, note, sizeof note);
}

static void record_leaves(fsr_graph *g, outcome *out) {
    note_node(out, fsr_input(g, "in", FSR_F64, 2, SHAPE(3, 4)));
    note_node(out, fsr_param(g, "step", FSR_F32, 0.5));
    note_node(out, fsr_float(g, 1.5));
    note_node(out, fsr_int(g, 7));
    note_node(out, fsr_bool(g, true));
    note_node(out, fsr_full(g, FSR_I32, 2, SHAPE(2, 3), 4));
    note_node(out, fsr_arange(g, FSR_I64, 9));
}

static void record_views(fsr_node x, outcome *out) {
    note_node(out, fsr_cast(x, FSR_F64));
    note_node(out, fsr_reshape(x, 1, SHAPE(-1)));
    note_node(out, fsr_transpose(x, NULL));
    note_node(out, fsr_broadcast_to(x, 3, SHAPE(2, ROWS, COLUMNS)));
    note_node(out, fsr_squeeze(fsr_expand(x, 1), 1));
    note_node(out, fsr_flip(x, -1));
    note_node(out, fsr_slice(x, 1, 1, FSR_SLICE_END, 2));
    note_node(out, fsr_hint_set(fsr_exp(x), FSR_HINT_MATERIALIZE));
    note_node(out, fsr_where(fsr_less(x, fsr_float(x.graph, 0)), fsr_neg(x), x));
}

static void record_folds(fsr_node x, outcome *out) {
    fsr_node pair[2] = {x, fsr_mul(x, x)}, result[2];
    note_node(out, fsr_sum(x, NULL, 0, 0));
    note_node(out, fsr_prod(x, AXES(1), 1, 0));
    note_node(out, fsr_min(x, AXES(0), 1, FSR_KEEPDIMS));
    note_node(out, fsr_max(x, AXES(0, 1), 2, 0));
    note_node(out, fsr_mean(x, AXES(1), 1, 0));
    note_node(out, fsr_var(x, AXES(1), 1, 0, 1));
    note_node(out, fsr_any(x, NULL, 0, 0));
    note_node(out, fsr_all(x, NULL, 0, 0));
    note_node(out, fsr_argmax(x, AXES(1), 1, 0));
    note_node(out, fsr_cumsum(x, AXES(1), 1, 0));
    note_node(out, fsr_cummax(x, AXES(0), 1, FSR_EXCLUSIVE));
    note_node(out, fsr_cumprod(x, AXES(1), 1, FSR_REVERSE));
    note_node(out, fsr_norm(x, AXES(1), 1, 0, 2));
    note_node(out, fsr_logsumexp(x, AXES(0), 1, 0));
    note_node(out, fsr_average(x, x, NULL, 0, 0));
    note_node(out, fsr_nanstd(x, AXES(0), 1, FSR_KEEPDIMS, 1));
    note_node(out, fsr_nanmax(x, AXES(1), 1, 0));
    note_node(out, fsr_nanargmin(x, NULL, 0, 0));
    fsr_reduce_with(result, pair, &linear_recurrence, AXES(1), 1, 0);
    note_node(out, result[0]);
    note_node(out, result[1]);
    fsr_scan_with(result, pair, &linear_recurrence, AXES(1), 1, 0);
    note_node(out, result[0]);
    note_node(out, result[1]);
}

static void is_above(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)user;
    out[0] = fsr_greater(state[0], arg[0]);
}

static void halve(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)arg, (void)user;
    out[0] = fsr_mul(state[0], fsr_float(state[0].graph, 0.5));
}

/* Halves what is above a quarter: the values, and how often. */
static void record_loop(fsr_node x, fsr_node *out) {
    static const fsr_loop loop = {halve, is_above, NULL, 1, 1};
    fsr_node quarter = fsr_full(x.graph, FSR_F32, 0, NULL, 0.25);
    fsr_iterate(out, &loop, &x, &quarter, 9);
}

static void record_loops(fsr_node x, outcome *out) {
    fsr_node result[2];
    record_loop(x, result);
    note_node(out, result[0]);
    note_node(out, result[1]);
}

/* A scan by an operator, views, a loop, an array made in the body, one from outside. */
static void row(fsr_node *out, const fsr_node *in, void *user) {
    fsr_node both[2], turn[2], ones = fsr_full(in[0].graph, FSR_F32, 1, SHAPE(COLUMNS), 1);
    fsr_scan_with(both, (fsr_node[]){fsr_flip(in[0], 0), ones}, &linear_recurrence, AXES(0), 1, FSR_REVERSE);
    out[0] = fsr_add(both[1], fsr_max(*(const fsr_node *)user, NULL, 0, 0));
    record_loop(both[0], turn);
    out[1] = fsr_sum(turn[0], NULL, 0, 0);
}

static void record_rows(fsr_node x, outcome *out) {
    fsr_node result[2];
    fsr_vectorize(result, 2, &x, 1, "(n)->(n),()", row, &x);
    note_node(out, result[0]);
    note_node(out, result[1]);
}

static void record_expressions(fsr_node x, outcome *out) {
    const fsr_name names[] = {{"x", x}, {"k", fsr_float(x.graph, 2)}};
    note_node(out, fsr_expr(x.graph, "max(sin(x * k) - 0.3, 0) ** 2 > 1 ? x / 2 : -x", names, 2));
}

static void record(fsr_context *ctx, outcome *out) {
    fsr_graph *g = new_graph(out, ctx);
    if (!g)
        return;
    fsr_node x = matrix(g);
    note_node(out, x);
    record_rows(x, out);
    record_leaves(g, out);
    record_views(x, out);
    record_folds(x, out);
    record_loops(x, out);
    record_expressions(x, out);
    fsr_graph_free(g);
}

/* ---- computing ------------------------------------------------------------------------------------------------ */

static void elementwise(fsr_context *ctx, outcome *out) {
    fsr_graph *g = new_graph(out, ctx);
    if (!g)
        return;
    fsr_node x = matrix(g),
             w = fsr_mul(fsr_cast(fsr_arange(g, FSR_I32, COLUMNS), FSR_F32), fsr_param(g, "k", FSR_F32, 0.25));
    fsr_node outs[2] = {fsr_add(fsr_mul(x, w), fsr_float(g, 1)), fsr_greater(x, w)};
    if (!failed(out, ctx, fsr_compute(outs, 2)))
        read_all(out, ctx, outs, 2);
    fsr_graph_free(g);
}

static void softmax(fsr_context *ctx, outcome *out) {
    fsr_graph *g = new_graph(out, ctx);
    if (!g)
        return;
    fsr_node x = matrix(g), e = fsr_exp(fsr_sub(x, fsr_max(x, AXES(1), 1, FSR_KEEPDIMS)));
    fsr_node s = fsr_div(e, fsr_sum(e, AXES(1), 1, FSR_KEEPDIMS));
    read_all(out, ctx, &s, 1);
    fsr_graph_free(g);
}

static void scans(fsr_context *ctx, outcome *out) {
    fsr_graph *g = new_graph(out, ctx);
    if (!g)
        return;
    fsr_node x = matrix(g), outs[2] = {fsr_cumsum(x, AXES(1), 1, 0), fsr_cummax(x, AXES(0), 1, FSR_EXCLUSIVE)};
    read_all(out, ctx, outs, 2);
    fsr_graph_free(g);
}

static void tuples(fsr_context *ctx, outcome *out) {
    fsr_graph *g = new_graph(out, ctx);
    if (!g)
        return;
    fsr_node x = matrix(g), pair[2] = {fsr_div(x, fsr_float(g, 4)), x}, outs[8];
    fsr_reduce_with(outs, pair, &linear_recurrence, AXES(1), 1, 0);
    fsr_scan_with(outs + 2, pair, &linear_recurrence, AXES(1), 1, 0);
    outs[4] = fsr_argmax(x, AXES(1), 1, 0);
    outs[5] = fsr_var(x, NULL, 0, 0, 0);
    record_loop(x, outs + 6);
    if (!failed(out, ctx, fsr_compute(outs, 8)))
        read_all(out, ctx, outs, 8);
    fsr_graph_free(g);
}

/* Kernels one after the other: a sum of everything, used everywhere, and its square root summed again. */
static void several(fsr_context *ctx, outcome *out) {
    fsr_graph *g = new_graph(out, ctx);
    if (!g)
        return;
    fsr_node x = matrix(g), t = fsr_hint_set(fsr_sin(x), FSR_HINT_MATERIALIZE);
    fsr_node y = fsr_add(fsr_transpose(t, NULL), fsr_sum(t, NULL, 0, 0));
    fsr_node outs[3] = {fsr_sum(fsr_mul(y, y), AXES(0), 1, 0), t, fsr_sin(x)};
    if (!failed(out, ctx, fsr_compute(outs, 3)))
        read_all(out, ctx, outs, 3);
    fsr_graph_free(g);
}

static fsr_plan *make_plan(fsr_context *ctx, fsr_graph *g, outcome *out) {
    fsr_node x = fsr_input(g, "x", FSR_F32, 2, SHAPE(ROWS, COLUMNS)),
             mask = fsr_input(g, "mask", FSR_BOOL, 1, SHAPE(COLUMNS));
    fsr_node kept = fsr_where(mask, fsr_mul(x, fsr_param(g, "k", FSR_F32, 2)), fsr_add(matrix(g), fsr_float(g, 1)));
    fsr_node outs[2] = {kept, fsr_sum(kept, AXES(1), 1, 0)};
    fsr_plan *plan = NULL;
    failed(out, ctx, fsr_compile(outs, 2, &plan));
    return plan;
}

static void plans(fsr_context *ctx, outcome *out) {
    float x[N], k = 3, y[N], sum[ROWS];
    unsigned char mask[COLUMNS];
    fsr_graph *g = new_graph(out, ctx);
    fsr_plan *plan = g ? make_plan(ctx, g, out) : NULL;
    fsr_graph_free(g);
    memcpy(x, numbers(), sizeof x);
    for (int i = 0; i < COLUMNS; ++i)
        mask[i] = i % 3 ? 7 : 0;
    const fsr_arg in[] = {
        {"x", x, sizeof x, FSR_HOST}, {"mask", mask, sizeof mask, FSR_HOST}, {"k", &k, sizeof k, FSR_HOST}};
    const fsr_arg to[] = {{NULL, y, sizeof y, FSR_HOST}, {NULL, sum, sizeof sum, FSR_HOST}};
    if (plan && !failed(out, ctx, fsr_plan_run(plan, in, 3, to, 2, NULL))) {
        tell(out, y, sizeof y);
        tell(out, sum, sizeof sum);
    }
    fsr_plan_free(plan);
}

/* ---- files, printing, checking ---------------------------------------------------------------------------------- */

static void npy(fsr_context *ctx, outcome *out) {
    char path[128];
    snprintf(path, sizeof path, "/tmp/fusor-trust-%ld.npy", (long)getpid());
    fsr_graph *g = new_graph(out, ctx);
    if (g && !failed(out, ctx, fsr_npy_write(fsr_add(matrix(g), fsr_float(g, 2)), path))) {
        fsr_node back = fsr_npy_read(g, path);
        if (!poisoned(out, back))
            read_all(out, ctx, &back, 1);
    }
    fsr_graph_free(g);
    unlink(path);
}

static void inspect(fsr_context *ctx, outcome *out) {
    static char text[8000];
    fsr_plan_info info;
    fsr_graph *g = new_graph(out, ctx);
    FILE *to = fmemopen(text, sizeof text, "w");
    if (g && to) {
        fsr_node x = matrix(g),
                 outs[2] = {fsr_sub(x, fsr_mean(x, AXES(1), 1, FSR_KEEPDIMS)), fsr_cumsum(x, AXES(0), 1, 0)};
        memset(text, 0, sizeof text);
        if (!failed(out, ctx, fsr_print(outs, 2, to)) && !failed(out, ctx, fsr_dot(outs, 2, to)) &&
            !failed(out, ctx, fsr_explain(outs, 2, to)) && !failed(out, ctx, fsr_query(outs, 2, &info))) {
            fflush(to);
            tell(out, text, sizeof text);
            tell(out, &info.kernels, sizeof info.kernels);
        }
    }
    if (to)
        fclose(to);
    fsr_graph_free(g);
}

static void verify(fsr_context *ctx, outcome *out) {
    fsr_graph *g = new_graph(out, ctx);
    if (!g)
        return;
    fsr_node x = matrix(g), pair[2] = {fsr_div(x, fsr_float(g, 4)), x}, outs[4];
    fsr_verify_report report;
    outs[0] = fsr_tanh(fsr_slice(x, 1, 2, FSR_SLICE_END, 3));
    outs[1] = fsr_var(x, AXES(1), 1, 0, 0);
    fsr_scan_with(outs + 2, pair, &linear_recurrence, AXES(1), 1, 0);
    if (!failed(out, ctx, fsr_verify(outs, 4, &report)))
        tell(out, &report.checked, sizeof report.checked);
    fsr_graph_free(g);
}

/* A caller's function in C, in a kernel and alone, for the reference. */
static void native(fsr_context *ctx, outcome *out) {
    static const fsr_native f = {.name = "bend",
                                 .result = FSR_F32,
                                 .parameters = "f32 x, i32 n",
                                 .c = "return half_of(x) * n;",
                                 .cuda = "return half_of(x) * n;",
                                 .c_preamble = "static float half_of(float x) { return x / 2; }",
                                 .cuda_preamble = "static float half_of(float x) { return x / 2; }"};
    fsr_graph *g = new_graph(out, ctx);
    if (!g)
        return;
    fsr_node x = matrix(g), y = fsr_call_native(&f, (fsr_node[]){fsr_abs(x), fsr_int(g, 3)}, 2);
    if (!poisoned(out, y) && !failed(out, ctx, fsr_verify(&y, 1, NULL)))
        read_all(out, ctx, &y, 1);
    fsr_graph_free(g);
}

/* ---- scopes, text ------------------------------------------------------------------------------------------------ */

static fsr_node steps(fsr_context *ctx, outcome *out, fsr_node x) {
    for (int i = 0; i < 3 && !out->status; ++i) {
        fsr_node y = fsr_mul(x, fsr_add(x, fsr_float(x.graph, 1)));
        if (!failed(out, ctx, fsr_force(y)))
            failed(out, ctx, fsr_scope_keep(x.graph, &y, 1));
        x = y;
    }
    return x;
}

/* Calls on scopes say all with their status. */
static void scopes(fsr_context *ctx, outcome *out) {
    fsr_graph *g = new_graph(out, ctx);
    if (!g)
        return;
    fsr_node x = matrix(g);
    int depth = 0;
    for (; depth < 9 && !out->status; depth++) {
        fsr_status status = fsr_scope_begin(g);
        if (status)
            snprintf(out->message, sizeof out->message, "%s", fsr_status_sentence(status));
        out->status = status;
    }
    if (!out->status)
        x = steps(ctx, out, x);
    for (int i = 0; i < depth && !out->status; i++)
        failed(out, ctx, fsr_scope_end(g, &x, 1));
    if (!out->status)
        read_all(out, ctx, &x, 1);
    fsr_graph_free(g);
}

static void parse_text(fsr_graph *g, const char *text, outcome *out) {
    fsr_node back[3];
    fsr_parse_error error = {0};
    int n = 0;
    out->status = fsr_graph_parse(g, text, back, 3, &n, &error);
    snprintf(out->message, sizeof out->message, "%s", error.message);
    for (int i = 0; i < n; ++i)
        note_node(out, back[i]);
}

static void parse(fsr_context *ctx, outcome *out) {
    static char text[4000];
    fsr_graph *g = new_graph(out, ctx), *again = g ? new_graph(out, ctx) : NULL;
    FILE *to = fmemopen(text, sizeof text, "w");
    if (again && to) {
        const fsr_native f = {.name = "f", .result = FSR_F32, .parameters = "f32 x", .c = "return x;"};
        fsr_node x = fsr_input(g, "x", FSR_F32, 2, SHAPE(ROWS, COLUMNS)), pair[2] = {x, x}, outs[3];
        outs[0] = fsr_sub(x, fsr_call_native(&f, (fsr_node[]){fsr_mean(x, AXES(1), 1, FSR_KEEPDIMS)}, 1));
        fsr_reduce_with(outs + 1, pair, &linear_recurrence, AXES(1), 1, 0);
        if (!failed(out, ctx, fsr_print(outs, 3, to)) && fflush(to) == 0)
            parse_text(again, text, out);
    }
    if (to)
        fclose(to);
    fsr_graph_free(again);
    fsr_graph_free(g);
}

/* ---- the table -------------------------------------------------------------------------------------- */

const scenario scenarios[] = {
    {"record", record},   {"elementwise", elementwise}, {"softmax", softmax}, {"scans", scans},
    {"tuples", tuples},   {"several", several},         {"plans", plans},     {"npy", npy},
    {"inspect", inspect}, {"verify", verify},           {"scopes", scopes},   {"parse", parse},
    {"native", native},
};
const int scenario_count = sizeof scenarios / sizeof *scenarios;

const scenario *scenario_find(const char *name) {
    for (int i = 0; i < scenario_count; ++i)
        if (strcmp(scenarios[i].name, name) == 0)
            return &scenarios[i];
    return NULL;
}

void scenario_run(const scenario *s, fsr_context *ctx, outcome *out) {
    out->status = FSR_OK;
    out->message[0] = 0;
    out->bytes = 0;
    s->run(ctx, out);
}

void scenario_check(const outcome *got, const outcome *expected, const char *name, int64_t k, const char *when) {
    if (got->status)
        fail_msg("%s, fault %lld (%s): %s: %s: %s", name, (long long)k, faults_hit(), when,
                 fsr_status_name(got->status), got->message);
    if (got->bytes != expected->bytes || memcmp(got->data, expected->data, got->bytes) != 0)
        fail_msg("%s, fault %lld (%s): %s: other bytes", name, (long long)k, faults_hit(), when);
}

fsr_config scenario_config(fsr_backend_kind backend) {
    fsr_config config;
    fsr_config_init(&config, NULL, 0);
    config.backend = backend;
    config.fusion = 1;
    config.fuel = -1;
    config.cache_dir = "";
    config.dump_dir = config.load_dir = NULL;
    config.log_level = FSR_LOG_SILENT;
    config.compiler = FAULT_STUB_COMPILER;
    config.fallback = 0;
    return config;
}

fsr_context *scenario_open(const fsr_config *config) {
    char why[600];
    fsr_context *ctx = NULL;
    if (fsr_open_why(config, &ctx, why, sizeof why))
        fail_msg("open: %s", why);
    return ctx;
}

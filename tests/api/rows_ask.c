/* SPDX-License-Identifier: MIT */
/* Rows: questions about nodes, dtypes, statuses, contexts; configurations; contexts opened and closed. */
#include "tests/api/api.h"
#include <string.h>

/* ---- a node ------------------------------------------------------------------------------------------------ */

static void call_node_status(api_run *r) {
    fsr_node x = api_node(r);
    api_say(r, "fsr_node_status", -1, false);
    const fsr_status status = fsr_node_status(x);
    API_MUST(r, (unsigned)status < FSR_STATUS_COUNT && status != FSR_ERR_INTERNAL, "status %d", (int)status);
}

static void call_node_error(api_run *r) {
    fsr_node x = api_node(r);
    api_say(r, "fsr_node_error", -1, false);
    const char *text = fsr_node_error(x);
    API_MUST(r, text && strlen(text) < 10000, "no text");
    API_MUST(r, fsr_node_status(x) != FSR_OK || !text[0], "a good node has an error: %s", text);
}

static void call_node_dtype(api_run *r) {
    fsr_node x = api_node(r);
    api_say(r, "fsr_node_dtype", -1, false);
    API_MUST(r, (fsr_node_dtype(x) < FSR_DTYPE_COUNT) == (fsr_node_status(x) == FSR_OK), "dtype");
}

static void call_node_ndim(api_run *r) {
    fsr_node x = api_node(r);
    api_say(r, "fsr_node_ndim", -1, false);
    API_MUST(r, (fsr_node_ndim(x) >= 0) == (fsr_node_status(x) == FSR_OK), "ndim");
}

static void call_node_dim(api_run *r) {
    fsr_node x = api_node(r);
    const int axis = api_axis(r), ndim = fsr_node_ndim(x);
    api_say(r, "fsr_node_dim", -1, false);
    API_MUST(r, (fsr_node_dim(x, axis) >= 0) == (ndim >= 0 && axis >= -ndim && axis < ndim), "axis %d", axis);
}

static void call_node_size(api_run *r) {
    fsr_node x = api_node(r);
    api_say(r, "fsr_node_size", -1, false);
    API_MUST(r, (fsr_node_size(x) >= 0) == (fsr_node_status(x) == FSR_OK), "size");
}

static void call_node_bytes(api_run *r) {
    fsr_node x = api_node(r);
    api_say(r, "fsr_node_bytes", -1, false);
    API_MUST(r, (fsr_node_bytes(x) >= 0) == (fsr_node_status(x) == FSR_OK), "bytes");
}

static void call_node_is_live(api_run *r) {
    fsr_node x = api_node(r);
    api_say(r, "fsr_node_is_live", -1, false);
    API_MUST(r, !fsr_node_is_live(x) || fsr_node_ndim(x) == 1, "a length of one dimension");
}

static void call_node_context(api_run *r) {
    fsr_node x = api_node(r);
    api_say(r, "fsr_node_context", -1, false);
    API_MUST(r, fsr_node_context(x) || fsr_node_status(x) != FSR_OK, "no context");
}

/* ---- numbers of an enum ------------------------------------------------------------------------------------ */

static fsr_status draw_code(api_run *r) {
    static const int odd[] = {FSR_STATUS_COUNT, -1, 2147483647, -2147483647 - 1};
    const int kind = api_byte(r), code = kind < 200 ? kind % FSR_STATUS_COUNT : odd[kind % 4];
    api_add(r, ", (fsr_status)%d", code);
    return (fsr_status)code;
}

static void call_status_name(api_run *r) {
    const fsr_status code = draw_code(r);
    api_say(r, "fsr_status_name", -1, false);
    const char *text = fsr_status_name(code);
    API_MUST(r, text && text[0], "no name for %d", (int)code);
}

static void call_status_sentence(api_run *r) {
    const fsr_status code = draw_code(r);
    api_say(r, "fsr_status_sentence", -1, false);
    const char *text = fsr_status_sentence(code);
    API_MUST(r, text && text[0], "no sentence for %d", (int)code);
}

static bool is_dtype(fsr_dtype dtype) {
    return (unsigned)dtype < FSR_DTYPE_COUNT;
}

static void call_dtype_size(api_run *r) {
    const fsr_dtype dtype = api_dtype(r);
    api_say(r, "fsr_dtype_size", -1, false);
    API_MUST(r, is_dtype(dtype) == (fsr_dtype_size(dtype) > 0), "size of dtype %d", (int)dtype);
}

static void call_dtype_name(api_run *r) {
    const fsr_dtype dtype = api_dtype(r);
    api_say(r, "fsr_dtype_name", -1, false);
    API_MUST(r, is_dtype(dtype) == (strcmp(fsr_dtype_name(dtype), "?") != 0), "name of dtype %d", (int)dtype);
}

static void call_dtype_real(api_run *r) {
    const fsr_dtype dtype = api_dtype(r);
    api_say(r, "fsr_dtype_real", -1, false);
    API_MUST(r, is_dtype(dtype) == is_dtype(fsr_dtype_real(dtype)), "real of dtype %d", (int)dtype);
}

static void call_dtype_promote(api_run *r) {
    const fsr_dtype a = api_dtype(r), b = api_dtype(r);
    api_say(r, "fsr_dtype_promote", -1, false);
    const fsr_dtype c = fsr_dtype_promote(a, b);
    API_MUST(r, c == fsr_dtype_promote(b, a) || !is_dtype(a) || !is_dtype(b), "promotion depends on the order");
    API_MUST(r, is_dtype(c) == (is_dtype(a) && is_dtype(b)), "promotion of %d and %d", (int)a, (int)b);
}

/* ---- names --------------------------------------------------------------------------------------------------- */

static const char *draw_word(api_run *r) {
    static const char *const words[] = {"FSR_F32", "sizeof(fsr_node)", "add", "cast", "where",
                                        "f32",     "minimun",          "",    NULL,   "\xff"};
    return api_one_of(r, words, API_COUNT(words));
}

static void call_constant(api_run *r) {
    const char *name = draw_word(r);
    int64_t value;
    const bool none = api_none(r);
    api_say(r, "fsr_constant", -1, false);
    const bool known = fsr_constant(name, none ? NULL : &value);
    API_MUST(r, !known || (name && !none), "a constant of nothing");
}

static int draw_index(api_run *r) {
    const int i = api_small(r);
    return i;
}

static void call_constant_name(api_run *r) {
    const int i = draw_index(r);
    int64_t value;
    api_say(r, "fsr_constant_name", -1, false);
    const char *name = fsr_constant_name(i);
    API_MUST(r, !name || (i >= 0 && fsr_constant(name, &value)), "constant %d", i);
}

static void call_dtype_from_name(api_run *r) {
    const char *name = draw_word(r);
    api_say(r, "fsr_dtype_from_name", -1, false);
    const fsr_dtype dtype = fsr_dtype_from_name(name);
    API_MUST(r, is_dtype(dtype) == (name && !strcmp(name, "f32")), "dtype %d", (int)dtype);
}

static void call_op_name(api_run *r) {
    const int i = draw_index(r);
    api_say(r, "fsr_op_name", -1, false);
    const char *name = fsr_op_name(i);
    API_MUST(r, !name || (i >= 0 && fsr_op_arity(name) > 0), "operation %d", i);
}

static void call_op_arity(api_run *r) {
    const char *name = draw_word(r);
    api_say(r, "fsr_op_arity", -1, false);
    const int arity = fsr_op_arity(name);
    API_MUST(r, arity >= 0 && arity <= 3, "arity %d", arity);
}

/* ---- a context --------------------------------------------------------------------------------------------- */

static fsr_context *draw_context(api_run *r) {
    const bool none = api_below(r, 8) == 7;
    api_add(r, none ? ", NULL" : ", ctx");
    return none ? NULL : r->ctx;
}

static void call_error(api_run *r) {
    fsr_context *ctx = draw_context(r);
    api_say(r, "fsr_error", -1, false);
    API_MUST(r, fsr_error(ctx) != NULL, "no text");
}

static void call_error_status(api_run *r) {
    fsr_context *ctx = draw_context(r);
    api_say(r, "fsr_error_status", -1, false);
    API_MUST(r, (unsigned)fsr_error_status(ctx) < FSR_STATUS_COUNT, "no status");
}

static void call_error_clear(api_run *r) {
    fsr_context *ctx = draw_context(r);
    api_say(r, "fsr_error_clear", -1, false);
    fsr_error_clear(ctx);
    API_MUST(r, !ctx || (!fsr_error(ctx)[0] && !fsr_error_status(ctx)), "not cleared");
}

static void call_backend_name(api_run *r) {
    fsr_context *ctx = draw_context(r);
    api_say(r, "fsr_backend_name", -1, false);
    API_MUST(r, fsr_backend_name(ctx) || !ctx, "no name");
}

static void call_device_name(api_run *r) {
    fsr_context *ctx = draw_context(r);
    api_say(r, "fsr_device_name", -1, false);
    API_MUST(r, fsr_device_name(ctx) || !ctx, "no name");
}

static void call_sync(api_run *r) {
    fsr_context *ctx = draw_context(r);
    api_say(r, "fsr_sync", -1, false);
    const fsr_status status = fsr_sync(ctx);
    API_MUST(r, status == (ctx ? FSR_OK : FSR_ERR_NULL) || (ctx && (API_REPORTED >> status & 1)), "sync: %s",
             fsr_status_name(status));
}

static void call_trim(api_run *r) {
    fsr_context *ctx = draw_context(r);
    api_say(r, "fsr_trim", -1, false);
    API_MUST(r, fsr_trim(ctx) == (ctx ? FSR_OK : FSR_ERR_NULL), "trim");
}

static void call_context_stats_sized(api_run *r) {
    fsr_context *ctx = draw_context(r);
    fsr_stats *stats = api_below(r, 8) < 7 ? api_memory(r, sizeof *stats) : NULL;
    api_add(r, stats ? ", &stats" : ", NULL");
    api_say(r, "fsr_context_stats_sized", -1, false);
    API_MUST(r, fsr_context_stats(ctx, stats) == (ctx && stats ? FSR_OK : FSR_ERR_NULL), "stats");
    API_MUST(r, !ctx || !stats || (stats->nodes >= 0 && stats->host_bytes >= 0), "negative stats");
}

/* ---- configurations ---------------------------------------------------------------------------------------- */

static void call_config_init_sized(api_run *r) {
    char *why = api_memory(r, 4);
    fsr_config *config = api_below(r, 8) < 7 ? api_memory(r, sizeof *config) : NULL;
    const int kind = api_below(r, 3);
    api_add(r, config ? ", &config, why, %d" : ", NULL, why, %d", kind == 1 ? 4 : 0);
    api_say(r, "fsr_config_init_sized", -1, false);
    const fsr_status status = fsr_config_init(config, kind == 2 ? NULL : why, kind == 1 ? 4 : 0);
    API_MUST(r, config ? status == FSR_OK || status == FSR_ERR_VALUE : status == FSR_ERR_NULL, "config_init");
}

/* A context without compiler, threads, files or words; then one knob is changed. */
static fsr_config draw_config(api_run *r) {
    static const int odd[] = {0, 1, 2, -1, 17, 2147483647, -2147483647 - 1, 3, 64};
    static const char *const odd_text[] = {"", NULL, "/nonexistent/a", "cse", "nope", "cse,fold", ",", "\xff"};
    fsr_config c;
    fsr_config_init(&c, NULL, 0);
    c.backend = api_below(r, 2) ? FSR_BACKEND_CPU : FSR_BACKEND_REFERENCE;
    c.compiler = "/nonexistent/cc";
    c.cache_dir = "";
    c.log_level = FSR_LOG_SILENT;
    c.threads = 1;
    const int which = api_below(r, 16), value = odd[api_below(r, API_COUNT(odd))];
    const char *text = odd_text[api_below(r, API_COUNT(odd_text))];
    switch (which) {
    case 0: c.backend = value == 0 || value == 2 ? 4 : value; break; /* no look for a GPU */
    case 1: c.fusion = value; break;
    case 2: c.fuel = value; break;
    case 3: c.skip_rewrites = text; break;
    case 4: c.load_dir = text; break;
    case 5: c.cache_mb = value; break;
    case 6: c.compiler = text; break;
    case 7: c.compile_seconds = value; break;
    case 8: c.fallback = value; break;
    case 9: c.threads = value > 64 ? 3 : value; break;
    case 10: c.device = value; break;
    case 11: c.log_level = value == 1 || value == 2 || value == 3 ? 4 : value; break;
    case 12: c.contraction = value; break;
    case 13: c.deterministic = value; break;
    case 14: c.optimize = value; break;
    case 15: c.graphs = value; break;
    default: break;
    }
    api_add(r, ", &config /* knob %d: %d or \"%s\" */", which, value, text ? text : "NULL");
    return c;
}

static void used(api_run *r, fsr_status status, fsr_context *ctx) {
    API_MUST(r, (status == FSR_OK) == (ctx != NULL), "a context with an error, or none without");
    API_MUST(r, (unsigned)status < FSR_STATUS_COUNT && status != FSR_ERR_INTERNAL, "%s", fsr_status_name(status));
    if (ctx) {
        fsr_graph *g = fsr_graph_new(ctx);
        fsr_arange(g, FSR_F32, 3);
        fsr_close(ctx); /* with a graph that was not freed */
    }
}

static void call_open_why_sized(api_run *r) {
    fsr_context *ctx = NULL;
    char *why = api_memory(r, 8);
    const fsr_config c = draw_config(r);
    const bool none = api_below(r, 32) == 31;
    api_say(r, "fsr_open_why_sized", -1, false);
    const fsr_status status = fsr_open_why(&c, none ? NULL : &ctx, why, 8);
    API_MUST(r, none ? status != FSR_OK : true, "opened into nothing");
    API_MUST(r, memchr(why, 0, 8) && (status == FSR_OK || why[0]), "no reason");
    if (!none)
        used(r, status, ctx);
}

static void call_open_sized(api_run *r) {
    fsr_context *ctx = NULL;
    fsr_config c = draw_config(r);
    c.log_level = FSR_LOG_SILENT;
    api_say(r, "fsr_open_sized", -1, false);
    const fsr_status status = fsr_open(&c, &ctx);
    used(r, status, ctx);
}

/* Contexts are closed where they were opened, and none here. */
static void call_close(api_run *r) {
    api_say(r, "fsr_close", -1, false);
    fsr_close(NULL);
}

#define ROW(name) \
    { "fsr_" #name, call_##name, 1 }
const api_row api_ask_rows[] = {
    ROW(node_status),  ROW(node_error),     ROW(node_dtype),          ROW(node_ndim),
    ROW(node_dim),     ROW(node_size),      ROW(node_bytes),          ROW(node_is_live),
    ROW(node_context), ROW(status_name),    ROW(status_sentence),     ROW(dtype_size),
    ROW(dtype_name),   ROW(dtype_real),     ROW(dtype_promote),       ROW(error),
    ROW(error_status), ROW(error_clear),    ROW(backend_name),        ROW(device_name),
    ROW(sync),         ROW(trim),           ROW(context_stats_sized), ROW(config_init_sized),
    ROW(constant),     ROW(constant_name),  ROW(dtype_from_name),     ROW(op_name),
    ROW(op_arity),     ROW(open_why_sized), ROW(open_sized),          ROW(close),
};
const int api_ask_count = API_COUNT(api_ask_rows);

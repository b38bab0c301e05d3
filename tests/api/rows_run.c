/* SPDX-License-Identifier: MIT */
/* Rows: graphs and scopes, computing, plans, looking inside, files. */
#include "graph/graph.h"
#include "tests/api/api.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NODES \
    int n;    \
    const fsr_node *x = api_nodes(r, &n)

/* ---- graphs, scopes ---------------------------------------------------------------------------------------- */

static void call_graph_new(api_run *r) {
    const bool none = api_below(r, 16) == 15;
    api_add(r, none ? ", NULL" : ", ctx");
    api_say(r, "fsr_graph_new", -1, false);
    fsr_graph *g = fsr_graph_new(none ? NULL : r->ctx);
    API_MUST(r, (g == NULL) == none, "a graph where there is no context, or none where there is one");
    const int gone = !fsr_graph_alive(r->g[0]) ? 0 : !fsr_graph_alive(r->g[1]) ? 1 : -1;
    if (gone >= 0 && g)
        r->g[gone] = g;
    else
        fsr_graph_free(g);
}

static void call_graph_free(api_run *r) {
    fsr_graph *g = api_below(r, 4) ? r->g[1] : api_graph(r);
    if (g == r->g[2])
        g = NULL;
    api_say(r, "fsr_graph_free", -1, false);
    fsr_graph_free(g);
    r->unsettled |= g != NULL;
}

static void call_scope_begin(api_run *r) {
    fsr_graph *g = api_graph(r);
    api_say(r, "fsr_scope_begin", -1, false);
    api_status(r, fsr_scope_begin(g), false);
}

static void scope(api_run *r, const char *name, fsr_status (*f)(fsr_graph *, const fsr_node *, int)) {
    fsr_graph *g = api_graph(r);
    NODES;
    api_say(r, name, -1, false);
    api_status(r, f(g, x, n), false);
    r->unsettled = true;
}

static void call_scope_end(api_run *r) {
    scope(r, "fsr_scope_end", fsr_scope_end);
}

static void call_scope_keep(api_run *r) {
    scope(r, "fsr_scope_keep", fsr_scope_keep);
}

static void call_param_set(api_run *r) {
    fsr_node x = api_node(r);
    const double value = api_number(r);
    api_say(r, "fsr_param_set", -1, false);
    api_status(r, fsr_param_set(x, value), false);
    r->changed = true;
}

/* The bytes that an element of x's dtype has, now and then others; 1 where x is none. */
static size_t element_bytes(api_run *r, fsr_node x) {
    const fsr_dtype dtype = fsr_node_dtype(x);
    const size_t size = dtype < FSR_DTYPE_COUNT ? fsr_dtype_size(dtype) : 1;
    return api_below(r, 16) == 15 ? size + 1 : size;
}

static void call_param_put(api_run *r) {
    fsr_node x = api_node(r);
    const size_t bytes = element_bytes(r, x);
    void *value = memset(api_memory(r, bytes), api_byte(r), bytes);
    const bool none = api_none(r);
    api_add(r, ", %s, %zu", none ? "NULL" : "bytes()", bytes);
    api_say(r, "fsr_param_put", -1, false);
    api_status(r, fsr_param_put(x, none ? NULL : value, bytes), false);
    r->changed = true;
}

static void call_param_get(api_run *r) {
    fsr_node x = api_node(r);
    const size_t bytes = element_bytes(r, x);
    void *value = api_memory(r, bytes);
    const bool none = api_none(r);
    api_add(r, ", %s, %zu", none ? "NULL" : "bytes()", bytes);
    api_say(r, "fsr_param_get", -1, false);
    api_status(r, fsr_param_get(x, none ? NULL : value, bytes), false);
}

/* ---- computing --------------------------------------------------------------------------------------------- */

static void call_compute(api_run *r) {
    NODES;
    if (!api_reasonable(r, x, n))
        return;
    api_say(r, "fsr_compute", -1, false);
    api_status(r, fsr_compute(x, n), x && n > 0);
}

static void call_force(api_run *r) {
    fsr_node x = api_node(r);
    if (!api_reasonable(r, &x, 1))
        return;
    api_say(r, "fsr_force", -1, false);
    api_status(r, fsr_force(x), true);
}

static void call_read(api_run *r) {
    fsr_node x = api_node(r);
    const int64_t bytes = fsr_node_bytes(x);
    const int kind = api_below(r, 16);
    size_t room = bytes >= 0 && bytes <= 16 * API_LIGHT ? (size_t)bytes : 8;
    room = kind == 15 ? room + 1 : kind == 14 && room ? room - 1 : kind == 13 ? SIZE_MAX : room;
    unsigned char *data = kind == 12 ? NULL : api_memory(r, room > 16 * API_LIGHT + 1 ? 0 : room);
    if (!api_reasonable(r, &x, 1))
        return;
    api_add(r, data ? ", memory, %zu" : ", NULL, %zu", room);
    api_say(r, "fsr_read", -1, false);
    api_status(r, fsr_read(x, data, room), true);
}

static void call_read_live(api_run *r) {
    fsr_node x = api_node(r);
    const int64_t bytes = fsr_node_bytes(x);
    const size_t room =
        bytes >= 0 && bytes <= 16 * API_LIGHT && api_below(r, 4) ? (size_t)bytes : (size_t)api_below(r, 9);
    unsigned char *data = api_below(r, 12) ? api_memory(r, room) : NULL;
    int64_t count = 0, *into = api_below(r, 4) ? &count : NULL;
    if (!api_reasonable(r, &x, 1))
        return;
    api_add(r, data ? ", memory, %zu, %s" : ", NULL, %zu, %s", room, into ? "&count" : "NULL");
    api_say(r, "fsr_read_live", -1, false);
    const fsr_status status = fsr_read_live(x, data, room, into);
    api_status(r, status, true);
    API_MUST(r, status || !into || !fsr_node_is_live(x) || (count >= 0 && count <= fsr_node_dim(x, 0)), "a count");
}

static void call_node_count(api_run *r) {
    fsr_node x = api_node(r);
    int64_t count = -1, *into = api_below(r, 8) ? &count : NULL;
    if (!api_reasonable(r, &x, 1))
        return;
    api_add(r, into ? ", &count" : ", NULL");
    api_say(r, "fsr_node_count", -1, false);
    const fsr_status status = fsr_node_count(x, into);
    api_status(r, status, true);
    API_MUST(r, status || (count >= 0 && count <= fsr_node_dim(x, 0)), "a count");
}

static void call_verify_sized(api_run *r) {
    NODES;
    fsr_verify_report *report = api_below(r, 4) ? api_memory(r, sizeof *report) : NULL;
    if (!api_reasonable(r, x, n) || r->lawless || r->changed)
        return;
    api_add(r, report ? ", &report" : ", NULL");
    api_say(r, "fsr_verify_sized", -1, false);
    api_status(r, fsr_verify(x, n, report), x && n > 0);
}

/* ---- looking inside ---------------------------------------------------------------------------------------- */

static void look(api_run *r, const char *name, fsr_status (*f)(const fsr_node *, int, FILE *)) {
    NODES;
    char *text = NULL;
    size_t size = 0;
    const bool none = api_below(r, 32) == 31;
    FILE *to = none ? NULL : open_memstream(&text, &size);
    api_add(r, none ? ", NULL" : ", file");
    api_say(r, name, -1, false);
    const fsr_status status = f(x, n, to);
    if (to)
        fclose(to);
    const bool said = none || n <= 0 || status || size > 0;
    free(text);
    API_MUST(r, said, "nothing was written");
    api_status(r, status, x && n > 0 && !none);
}

static void call_explain(api_run *r) {
    look(r, "fsr_explain", fsr_explain);
}

static void call_print(api_run *r) {
    look(r, "fsr_print", fsr_print);
}

static void call_dot(api_run *r) {
    look(r, "fsr_dot", fsr_dot);
}

static void check_info(const api_run *r, const fsr_plan_info *info) {
    API_MUST(r,
             info->kernels >= 0 && info->temporaries >= 0 && info->bytes_min >= 0 && info->bytes_moved >= 0 &&
                 info->peak_bytes >= 0 && info->fusions >= 0,
             "a plan of negative numbers");
}

static void call_query_sized(api_run *r) {
    NODES;
    fsr_plan_info *info = api_below(r, 16) < 15 ? api_memory(r, sizeof *info) : NULL;
    api_add(r, info ? ", &info" : ", NULL");
    api_say(r, "fsr_query_sized", -1, false);
    const fsr_status status = fsr_query(x, n, info);
    api_status(r, status, x && n > 0 && info);
    if (status == FSR_OK && info)
        check_info(r, info);
}

/* ---- plans ------------------------------------------------------------------------------------------------- */

static void call_compile(api_run *r) {
    NODES;
    const int at = api_below(r, API_PLANS);
    const bool none = api_below(r, 32) == 31;
    api_plan *p = &r->plan[at];
    fsr_plan_free(p->plan);
    *p = (api_plan){.plan = NULL};
    api_add(r, none ? ", NULL" : ", &plan[%d]", at);
    api_say(r, "fsr_compile", -1, false);
    const fsr_status status = fsr_compile(x, n, none ? NULL : &p->plan);
    api_status(r, status, x && n > 0 && !none);
    API_MUST(r, none || (status == FSR_OK) == (p->plan != NULL), "a plan with an error, or none without");
    p->work = r->work;
    p->nouts = n;
    for (int i = 0; i < n && i < 8 && p->plan; i++)
        p->bytes[i] = fsr_node_bytes(x[i]);
}

/* Results that take the memory of inputs by their names. */
static void call_compile_donating(api_run *r) {
    NODES;
    const int at = api_below(r, API_PLANS), odd = api_byte(r);
    const char **name = api_memory(r, sizeof *name * (size_t)(n > 0 ? n : 1));
    api_plan *p = &r->plan[at];
    fsr_plan_free(p->plan);
    *p = (api_plan){.plan = NULL};
    for (int i = 0; i < n; i++)
        name[i] = r->ninputs && (odd >> i % 7 & 1) ? r->input[i % r->ninputs].name : odd == 254 ? "?" : NULL;
    api_add(r, ", names /* %d */, &plan[%d]", odd, at);
    api_say(r, "fsr_compile_donating", -1, false);
    const fsr_status status = fsr_compile_donating(x, n, odd == 255 ? NULL : name, &p->plan);
    api_status(r, status, x && n > 0 && odd != 255);
    API_MUST(r, (status == FSR_OK) == (p->plan != NULL), "a plan with an error, or none without");
    p->work = r->work;
    p->nouts = n;
    for (int i = 0; i < n && i < 8 && p->plan; i++)
        p->bytes[i] = fsr_node_bytes(x[i]);
}

static fsr_plan *draw_plan(api_run *r, api_plan **p) {
    const int at = api_below(r, 32);
    *p = &r->plan[at % API_PLANS];
    api_add(r, at == 31 ? ", NULL" : ", plan[%d]", at % API_PLANS);
    return at == 31 ? NULL : (*p)->plan;
}

/* Every input that was ever named, in memory of its size, and now and then something is not as it should be. */
static fsr_arg *draw_inputs(api_run *r, int *n) {
    fsr_arg *arg = api_memory(r, sizeof *arg * (size_t)(r->ninputs + 1));
    const int odd = api_byte(r), which = r->ninputs ? odd % r->ninputs : 0;
    for (int i = 0; i < r->ninputs; i++) {
        const int64_t bytes = r->input[i].bytes <= 1 << 18 ? r->input[i].bytes : 0;
        arg[i] = (fsr_arg){r->input[i].name, api_memory(r, (size_t)bytes), (size_t)bytes, (fsr_place)(odd & 1)};
    }
    if (odd >= 244 && r->ninputs) {
        arg[which].name = odd == 255 ? NULL : odd == 254 ? "?" : arg[which].name;
        arg[which].data = odd == 253 ? NULL : arg[which].data;
        arg[which].bytes = odd == 252 ? SIZE_MAX : odd == 251 ? 1 : arg[which].bytes;
        arg[which].place = odd == 250 ? (fsr_place)9 : odd == 249 ? (fsr_place)-1 : arg[which].place;
    }
    *n = odd == 248 ? -1 : odd == 247 ? r->ninputs - (r->ninputs > 0) : r->ninputs;
    api_add(r, ", inputs /* odd %d, of %d */, %d", odd, which, *n);
    return odd == 246 ? NULL : arg;
}

static fsr_arg *draw_outputs(api_run *r, const api_plan *p, int *n) {
    const int odd = api_byte(r), count = p->nouts > 0 && p->nouts <= 8 ? p->nouts : 1;
    fsr_arg *arg = api_memory(r, sizeof *arg * (size_t)count);
    for (int i = 0; i < count; i++) {
        const int64_t bytes = p->bytes[i] >= 0 && p->bytes[i] <= 16 * API_LIGHT ? p->bytes[i] : 0;
        arg[i] = (fsr_arg){NULL, api_memory(r, (size_t)bytes), (size_t)bytes, FSR_HOST};
    }
    if (odd == 255)
        arg[0].data = NULL;
    if (odd == 254)
        arg[0].bytes++;
    if (odd == 253 && count > 1)
        arg[1].data = arg[0].data;
    *n = odd == 252 ? -1 : odd == 251 ? 2147483647 : p->nouts;
    api_add(r, ", outputs /* odd %d */, %d", odd, *n);
    return odd == 250 ? NULL : arg;
}

static void call_plan_run(api_run *r) {
    api_plan *p;
    fsr_plan *plan = draw_plan(r, &p);
    int nin, nout;
    const fsr_arg *in = draw_inputs(r, &nin), *out = draw_outputs(r, p, &nout);
    if (plan && p->work > API_LIGHT)
        return;
    if (p->nouts > 8)
        return;
    api_add(r, ", NULL");
    api_say(r, "fsr_plan_run", -1, false);
    api_status(r, fsr_plan_run(plan, in, nin, out, nout, NULL), plan && in && out);
}

static void call_plan_query_sized(api_run *r) {
    api_plan *p;
    const fsr_plan *plan = draw_plan(r, &p);
    fsr_plan_info *info = api_below(r, 16) < 15 ? api_memory(r, sizeof *info) : NULL;
    api_add(r, info ? ", &info" : ", NULL");
    api_say(r, "fsr_plan_query_sized", -1, false);
    const fsr_status status = fsr_plan_query(plan, info);
    API_MUST(r, status == (plan && info ? FSR_OK : FSR_ERR_NULL), "%s", fsr_status_name(status));
    if (!status)
        check_info(r, info);
}

/* Contexts of the fuzzer do not profile. */
static void call_plan_profile_sized(api_run *r) {
    api_plan *p;
    fsr_plan *plan = draw_plan(r, &p);
    const int kernel = api_below(r, 5) - 1;
    fsr_kernel_profile *out = api_below(r, 16) < 15 ? api_memory(r, sizeof *out) : NULL;
    api_add(r, ", %d, %s", kernel, out ? "&profile" : "NULL");
    api_say(r, "fsr_plan_profile_sized", -1, false);
    const fsr_status status = fsr_plan_profile(plan, kernel, out);
    API_MUST(r, status == (plan && out ? FSR_ERR_UNSUPPORTED : FSR_ERR_NULL), "%s", fsr_status_name(status));
}

static void call_plan_schedule(api_run *r) {
    api_plan *p;
    fsr_plan *plan = draw_plan(r, &p);
    const int kernel = api_below(r, 5) - 1;
    const size_t size = (size_t)api_below(r, 400);
    char *text = api_below(r, 8) ? api_memory(r, size + 1) : NULL;
    size_t length;
    api_add(r, ", %d, %s, %zu, &length", kernel, text ? "text" : "NULL", size);
    api_say(r, "fsr_plan_schedule", -1, false);
    const fsr_status status = fsr_plan_schedule(plan, kernel, text, size, &length);
    API_MUST(
        r, status == FSR_OK || status == FSR_ERR_VALUE || status == FSR_ERR_BYTES || (status == FSR_ERR_NULL && !plan),
        "%s", fsr_status_name(status));
}

static void call_plan_set_schedule(api_run *r) {
    static const char *const fields[] = {"work 100", "lanes 2",           "",          NULL, "work",
                                         "speed 3",  "abreast 16 work 7", "strip 128", " "};
    api_plan *p;
    fsr_plan *plan = draw_plan(r, &p);
    const int kernel = api_below(r, 3) - api_below(r, 2);
    const char *text = api_one_of(r, fields, API_COUNT(fields));
    api_add(r, ", %d, %s", kernel, text ? "fields" : "NULL");
    api_say(r, "fsr_plan_set_schedule", -1, false);
    const fsr_status status = fsr_plan_set_schedule(plan, kernel, text);
    API_MUST(r,
             status == FSR_OK || status == FSR_ERR_VALUE || status == FSR_ERR_FORMAT || status == FSR_ERR_UNSUPPORTED ||
                 (status == FSR_ERR_NULL && !plan),
             "%s", fsr_status_name(status));
}

static void call_autotune_sized(api_run *r) {
    api_plan *p;
    fsr_plan *plan = draw_plan(r, &p);
    int nin, nout;
    const fsr_arg *in = draw_inputs(r, &nin), *out = draw_outputs(r, p, &nout);
    fsr_tune_report *report = api_below(r, 4) ? api_memory(r, sizeof *report) : NULL;
    if (plan && (p->work > API_LIGHT || api_below(r, 8)))
        return;
    if (p->nouts > 8)
        return;
    api_say(r, "fsr_autotune_sized", -1, false);
    api_status(r, fsr_autotune(plan, in, nin, out, nout, report), plan && in && out);
}

static void call_plan_context(api_run *r) {
    api_plan *p;
    const fsr_plan *plan = draw_plan(r, &p);
    api_say(r, "fsr_plan_context", -1, false);
    API_MUST(r, !plan == !fsr_plan_context(plan), "no context");
}

static void call_plan_free(api_run *r) {
    api_plan *p;
    fsr_plan *plan = draw_plan(r, &p);
    api_say(r, "fsr_plan_free", -1, false);
    fsr_plan_free(plan);
    if (plan)
        *p = (api_plan){.plan = NULL};
}

/* ---- files ------------------------------------------------------------------------------------------------- */

static const char *draw_path(api_run *r) {
    static const char *const odd[] = {"", NULL, "/", "/nonexistent/a.npy", "/dev/null", "/dev/null/a.npy", "\xff\n/x"};
    const int kind = api_byte(r);
    char *path = api_memory(r, 80);
    if (kind >= 200)
        return api_one_of(r, odd, API_COUNT(odd));
    snprintf(path, 80, "%s/%d.npy", r->folder, kind % 3);
    api_add(r, ", \"%d.npy\"", kind % 3);
    return path;
}

static void call_npy_read(api_run *r) {
    fsr_graph *g = api_graph(r);
    const char *path = draw_path(r);
    api_say(r, "fsr_npy_read_at", 0, true);
    api_take(r, fsr_npy_read_at(API_SITE(r), g, path), 0, false);
}

static void call_npy_write(api_run *r) {
    fsr_node x = api_node(r);
    const char *path = draw_path(r);
    if (!api_reasonable(r, &x, 1) || (path && strcmp(path, "/dev/null") == 0))
        return;
    api_say(r, "fsr_npy_write", -1, false);
    api_status(r, fsr_npy_write(x, path), path != NULL);
}

#define ROW(name, weight) \
    { "fsr_" #name, call_##name, weight }
const api_row api_run_rows[] = {
    ROW(graph_new, 1),
    ROW(graph_free, 1),
    ROW(scope_begin, 4),
    ROW(scope_end, 2),
    ROW(scope_keep, 2),
    ROW(param_set, 3),
    ROW(compute, 5),
    ROW(force, 5),
    ROW(read, 5),
    ROW(read_live, 3),
    ROW(node_count, 2),
    ROW(verify_sized, 2),
    ROW(explain, 2),
    ROW(print, 1),
    ROW(dot, 1),
    ROW(query_sized, 2),
    ROW(compile, 4),
    ROW(compile_donating, 2),
    ROW(plan_run, 5),
    ROW(plan_query_sized, 1),
    ROW(plan_profile_sized, 1),
    ROW(plan_schedule, 1),
    ROW(plan_set_schedule, 1),
    ROW(autotune_sized, 1),
    ROW(plan_context, 1),
    ROW(plan_free, 1),
    {"fsr_npy_read_at", call_npy_read, 1},
    ROW(npy_write, 1),
    ROW(param_put, 1),
    ROW(param_get, 1),
};
const int api_run_count = API_COUNT(api_run_rows);

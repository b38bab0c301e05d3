/* SPDX-License-Identifier: MIT */
/* Rows that read a text: expressions, functions written as one, functions in C. */
#include "graph/graph.h"
#include "tests/api/api.h"

static const char *const texts[] = {"x + 1",
                                    "max(x) - min(x, 0, keepdims)",
                                    "x * y - z",
                                    "sum(exp(x - max(x)))",
                                    "x[::-1]",
                                    "x.T",
                                    "t = x*x; t - y",
                                    "x > 0 ? x : -x",
                                    "x ** 2 ** y",
                                    "concat(x, y, axis=0)",
                                    "x[1:2, newaxis]",
                                    "cumsum(x, 0)",
                                    "f16(x) * 2j",
                                    "x // y % 3",
                                    "where(x, y, z)",
                                    "pad(x, [1, 2], mode=edge)",
                                    "x; y",
                                    "x, y",
                                    "",
                                    NULL,
                                    "x +",
                                    "((((((((((x))))))))))",
                                    "unknown(x)",
                                    "x[9999999999999999999999]",
                                    "x = 1;",
                                    "1 / 0",
                                    "9223372036854775808",
                                    "x\n + \xff",
                                    "norm(x, ord=inf)",
                                    "std(x, ddof=1)",
                                    "reshape(x, [-1, 2])",
                                    "broadcast_to(x, [4611686018427387904, 4])",
                                    "tile(x, [2])",
                                    "x[0:0]"};

static fsr_name *draw_names(api_run *r, int *n) {
    static const char *const odd[] = {"", NULL, "1", "x", "a b", "_"};
    fsr_name *names = api_memory(r, 4 * sizeof *names);
    const int kind = api_byte(r);
    api_add(r, ", (fsr_name[]){");
    for (int i = 0; i < 4; i++) {
        names[i].name = i < 3 ? (const char *const[]){"x", "y", "z"}[i] : kind < 220 ? "w" : odd[kind % 6];
        api_add(r, "{\"%s\"", names[i].name ? names[i].name : "NULL");
        names[i].node = api_node(r);
        api_add(r, "}, ");
    }
    *n = kind == 255 ? -1 : kind == 254 ? 0 : kind < 200 ? 3 : 4;
    api_add(r, "}, %d", *n);
    if (kind != 254)
        return names;
    return NULL;
}

static void call_expr(api_run *r) {
    fsr_graph *g = api_graph(r);
    const char *text = api_one_of(r, texts, API_COUNT(texts));
    int n;
    const fsr_name *names = draw_names(r, &n);
    r->live = fsr_graph_alive(g);
    api_say(r, "fsr_expr_at", 0, true);
    api_take(r, fsr_expr_at(API_SITE(r), g, text, names, n), 0, false);
}

static void call_exprs(api_run *r) {
    fsr_graph *g = api_graph(r);
    const char *text = api_one_of(r, texts, API_COUNT(texts));
    int n;
    const fsr_name *names = draw_names(r, &n);
    const int capacity = api_below(r, 8) == 7 ? -1 : api_below(r, 4);
    fsr_node *out = api_memory(r, sizeof *out * (size_t)(capacity > 0 ? capacity : 0));
    api_add(r, ", t%d, %d", r->at, capacity);
    r->live = fsr_graph_alive(g);
    api_say(r, "fsr_exprs_at", 4, true);
    const int got = fsr_exprs_at(API_SITE(r), g, text, names, n, out, capacity);
    API_MUST(r, got >= 0 && got <= (capacity > 0 ? capacity : 0), "%d values for %d places", got, capacity);
    api_take_all(r, out, got ? got : capacity);
}

static void call_call(api_run *r) {
    static const char *const parameters[] = {"a", "a, b", "a,b,c", "", NULL, "a, a", "1", "a,,b"};
    static const char *const bodies[] = {"a + 1", "a * b", "a*b + c", "a[0]", "sum(a)", "", NULL, "q", "a; b"};
    static const char *const called[] = {"f", "line", "f", "", NULL, "a b"};
    const char *name = api_one_of(r, called, API_COUNT(called));
    const char *list = api_one_of(r, parameters, API_COUNT(parameters));
    const fsr_function f = {name, list, api_one_of(r, bodies, API_COUNT(bodies))};
    int n;
    const fsr_node *args = api_nodes(r, &n);
    const bool none = api_none(r);
    api_say(r, "fsr_call_at /* a function of these strings */", 0, true);
    api_take(r, fsr_call_at(API_SITE(r), sizeof f, none ? NULL : &f, args, n), 0, false);
}

static void call_call_native(api_run *r) {
    static const char *const parameters[] = {"f32 x", "f32 x, i32 n", "c64 z", "", NULL, "f99 x", "f32 x, f32 x"};
    static const char *const bodies[] = {"return x;", "return x + 1;", "not C", "", NULL};
    fsr_native f = {.name = api_name(r), .cuda = NULL};
    f.result = api_dtype(r);
    f.parameters = api_one_of(r, parameters, API_COUNT(parameters));
    f.c = api_one_of(r, bodies, API_COUNT(bodies));
    f.ulp = api_number(r);
    int n;
    const fsr_node *args = api_nodes(r, &n);
    const bool none = api_none(r);
    api_say(r, "fsr_call_native_at /* a function of these */", 0, true);
    api_take(r, fsr_call_native_at(API_SITE(r), sizeof f, none ? NULL : &f, args, n), 0, false);
}

static void call_apply(api_run *r) {
    static const char *const names[] = {"add", "exp", "where", "cast", "minimun", "", NULL, "fma"};
    const char *name = api_one_of(r, names, API_COUNT(names));
    int n;
    const fsr_node *args = api_nodes(r, &n);
    api_say(r, "fsr_apply_at", 0, true);
    api_take(r, fsr_apply_at(API_SITE(r), name, args, n), 0, false);
}

#define ROW(name, weight) \
    { "fsr_" #name "_at", call_##name, weight }
const api_row api_text_rows[] = {ROW(expr, 4), ROW(exprs, 2), ROW(call, 2), ROW(call_native, 2), ROW(apply, 2)};
const int api_text_count = API_COUNT(api_text_rows);

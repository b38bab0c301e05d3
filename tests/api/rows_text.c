/* SPDX-License-Identifier: MIT */
/* Rows that read a text: expressions, functions written as one, functions in C. */
#include "graph/graph.h"
#include "tests/api/api.h"
#include <string.h>

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

/* Compiled code in one of three calls. */
static void api_linked(api_run *r, fsr_native *f) {
    static const char *const codes[] = {".version 7.8", "", NULL};
    if (api_below(r, 3))
        return;
    f->linked_form = (fsr_linked_form)api_below(r, 5);
    f->linked = api_one_of(r, codes, API_COUNT(codes));
    f->linked_bytes = f->linked ? strlen(f->linked) : 3;
}

static void call_call_native(api_run *r) {
    static const char *const parameters[] = {"f32 x", "f32 x, i32 n", "c64 z",        "",
                                             NULL,    "f99 x",        "f32 x, f32 x", "f64 x, raw f32 t"};
    static const char *const bodies[] = {"return x;", "return x + 1;", "not C", "", NULL};
    fsr_native f = {.name = api_name(r), .cuda = NULL};
    f.result = api_dtype(r);
    f.parameters = api_one_of(r, parameters, API_COUNT(parameters));
    f.c = api_one_of(r, bodies, API_COUNT(bodies));
    f.ulp = api_number(r);
    api_linked(r, &f);
    int n;
    const fsr_node *args = api_nodes(r, &n);
    const bool none = api_none(r);
    api_say(r, "fsr_call_native_at /* a function of these */", 0, true);
    api_take(r, fsr_call_native_at(API_SITE(r), sizeof f, none ? NULL : &f, args, n), 0, false);
}

static void call_call_natives(api_run *r) {
    static const char *const parameters[] = {"f32 x", "f32 x, i32 n", "c64 z", "f64 x, raw f32 t", "", NULL};
    static const char *const results[] = {"f32 a", "f32 a, i64 b", "f16 a, bool b", "a", "", NULL, "f32 a, f32 a"};
    static const char *const bodies[] = {"a = 1;", "a = 2; ", "not C", "", NULL};
    fsr_native f = {.name = api_name(r), .cuda = NULL};
    f.parameters = api_one_of(r, parameters, API_COUNT(parameters));
    f.c = api_one_of(r, bodies, API_COUNT(bodies));
    const char *list = api_one_of(r, results, API_COUNT(results));
    api_linked(r, &f);
    const int nout = 1 + api_below(r, 3);
    int n;
    const fsr_node *args = api_nodes(r, &n);
    const bool none = api_none(r);
    fsr_node *out = api_memory(r, sizeof *out * (size_t)nout);
    api_say(r, "fsr_call_natives_at /* a function of these */", nout, true);
    fsr_call_natives_at(API_SITE(r), sizeof f, out, nout, none ? NULL : &f, list, args, n);
    for (int i = 0; i < nout; i++)
        api_take(r, out[i], i, false);
}

static fsr_status pair_types(const fsr_call_frame *s) {
    s->output[0] = s->input[0];
    if (s->attribute_bytes && *(const char *)s->attributes)
        return (fsr_status) * (const char *)s->attributes;
    for (int i = 1; i < s->outputs; i++)
        s->output[i] = (fsr_frame_array){.dtype = FSR_I32, .ndim = 1, .shape = {s->inputs}};
    return FSR_OK;
}

static size_t bytes_of(const fsr_frame_array *a) {
    size_t bytes = fsr_dtype_size(a->dtype);
    for (int d = 0; d < a->ndim; d++)
        bytes *= (size_t)a->shape[d];
    return bytes;
}

/* Copies of input 0, and zeros. */
static fsr_status pair(const fsr_call_frame *s) {
    for (int i = 0; i < s->outputs; i++) {
        const size_t bytes = bytes_of(&s->output[i]);
        if (s->output[i].data && i == 0 && bytes && s->inputs && bytes == bytes_of(&s->input[0]))
            memcpy(s->output[i].data, s->input[0].data, bytes);
        else if (s->output[i].data)
            memset(s->output[i].data, 0, bytes);
    }
    return FSR_OK;
}

static void count_one(void *user) {
    ++*(int *)user;
}

/* user is seen to be let go where nothing was recorded, and not before then else. */
static void call_call_library(api_run *r) {
    static const char codes[] = {0, 0, 0, 0, FSR_ERR_SHAPE, FSR_STATUS_COUNT, -1};
    fsr_graph *g = api_graph(r);
    int n, freed = 0;
    const fsr_node *args = api_nodes(r, &n);
    const bool owns = api_below(r, 4) == 0; /* then it must fail, as user is on the stack */
    const char code = owns ? FSR_ERR_DTYPE : codes[api_below(r, API_COUNT(codes))];
    const fsr_frame_array types[] = {
        {.dtype = FSR_F32, .ndim = 1, .shape = {3}}, {.ndim = api_small(r)}, {.dtype = FSR_C64}};
    fsr_callee f = {
        .name = api_name(r), .attributes = api_below(r, 9) ? &code : NULL, .infer = pair_types, .cpu = pair};
    f.attribute_bytes = owns ? 1 : (size_t)api_below(r, 2);
    f.inputs = api_below(r, 3) ? n : api_small(r);
    f.outputs = api_below(r, 3) ? 1 + api_below(r, 3) : api_small(r);
    f.ulp = api_below(r, 2) ? 0 : api_number(r);
    f.cpu = api_below(r, 9) ? pair : NULL;
    f.infer = owns || f.attribute_bytes || f.outputs > 1 || api_below(r, 2) ? pair_types : NULL;
    f.types = owns || api_below(r, 5) ? NULL : types;
    if (f.types && api_below(r, 9))
        f.infer = NULL;
    const fsr_kernel_param param[] = {
        {.kind = (fsr_kernel_param_kind)api_small(r), .index = api_small(r), .from = api_small(r)},
        FSR_OUT(0),
        FSR_VALUE_OF(code)};
    if (!owns && api_below(r, 4) == 0)
        f.kernel = (fsr_kernel_code){.form = (fsr_code_form)api_below(r, 3),
                                     .code = "",
                                     .code_bytes = (size_t)api_below(r, 2),
                                     .name = api_name(r),
                                     .options = api_small(r),
                                     .grid = {api_small(r)},
                                     .block = {api_small(r), api_small(r)},
                                     .shared_bytes = api_small(r),
                                     .param = api_below(r, 9) ? param : NULL,
                                     .params = api_below(r, 2) ? 1 + api_below(r, 3) : 0};
    f.user = owns ? &freed : NULL;
    f.destroy = owns ? count_one : NULL;
    const bool none = !owns && api_none(r);
    const int nout = none || f.outputs < 1 || f.outputs > FSR_MAX_CALL_OUTPUTS ? 1 : f.outputs;
    if (f.types && f.outputs > API_COUNT(types))
        f.types = NULL;
    fsr_node *out = api_memory(r, sizeof *out * (size_t)nout);
    memset(out, 0, sizeof *out * (size_t)nout);
    api_say(r, "fsr_call_library_at /* a call of these */", nout, true);
    if (f.inputs == 0 && f.infer)
        f.infer = NULL; /* pair_types looks at input 0 */
    fsr_call_library_at(API_SITE(r), sizeof f, g, out, none ? NULL : &f, args, n);
    API_MUST(r, freed == owns, "user data of a failed call was freed %d times", freed);
    api_take_all(r, out, nout);
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
const api_row api_text_rows[] = {ROW(expr, 4),         ROW(exprs, 2),        ROW(call, 2), ROW(call_native, 2),
                                 ROW(call_natives, 2), ROW(call_library, 2), ROW(apply, 2)};
const int api_text_count = API_COUNT(api_text_rows);

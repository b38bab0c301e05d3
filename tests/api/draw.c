/* SPDX-License-Identifier: MIT */
/* Arguments from bytes: usual ones mostly, so that most calls go well, and now and then what nobody should hand
 * over. */
#include "graph/graph.h"
#include "tests/api/api.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

uint8_t api_byte(api_run *r) {
    if (r->left == 0)
        return 0;
    r->left--;
    return *r->raw++;
}

int api_below(api_run *r, int n) {
    return api_byte(r) % n;
}

/* One time in n. */
static bool seldom(api_run *r, int n) {
    return api_below(r, n) == n - 1;
}

void api_add(api_run *r, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(r->text + r->length, sizeof r->text - r->length, format, args);
    va_end(args);
    if (n > 0)
        r->length += (size_t)n;
    if (r->length >= sizeof r->text)
        r->length = sizeof r->text - 1;
}

void *api_memory(api_run *r, size_t bytes) {
    void *data = calloc(1, bytes ? bytes : 1);
    if (!data || r->nscratch == API_SCRATCH)
        api_fail(r, "the fuzzer itself: no scratch memory");
    return r->scratch[r->nscratch++] = data;
}

/* Now and then a pointer is null. */
bool api_none(api_run *r) {
    const bool none = api_below(r, 64) == 63;
    api_add(r, none ? " /* NULL instead */" : "");
    return none;
}

/* ---- nodes, graphs ----------------------------------------------------------------------------------------- */

static void name_slot(api_run *r, int i) {
    const int call = (i - API_GIVEN) / API_KEPT, k = (i - API_GIVEN) % API_KEPT;
    if (i < API_GIVEN)
        api_add(r, "given[%d]", i);
    else if (r->slot[i].of_array)
        api_add(r, "t%d[%d]", call, k);
    else
        api_add(r, "n%d", call);
}

/* What has no node gives the one before it; what has a bad one does so most times. */
static fsr_node of_slot(api_run *r, int i) {
    const bool any = api_below(r, 8) == 7;
    while (!r->slot[i].used || (!any && i >= API_GIVEN && r->slot[i].status))
        i = i > 0 ? i - 1 : API_GIVEN - 1;
    name_slot(r, i);
    if (r->slot[i].work > r->work)
        r->work = r->slot[i].work;
    r->lawless |= r->slot[i].lawless;
    return r->slot[i].node;
}

/* A handle that nobody was given. */
static fsr_node forged(api_run *r) {
    fsr_node x = r->slot[0].node;
    switch (api_below(r, 4)) {
    case 0: x.stamp ^= 1; break;
    case 1: x.id += 100000; break;
    case 2: x.output = 5; break;
    default: x = (fsr_node){.graph = r->g[1], .stamp = 1, .id = 0}; break;
    }
    api_add(r, "(fsr_node){%s, %lluu, %u, %u}", x.graph == r->g[1] ? "g1" : "g0", (unsigned long long)x.stamp, x.id,
            x.output);
    return x;
}

fsr_node api_pick(api_run *r) {
    const int kind = api_byte(r);
    fsr_node x = {0};
    if (kind >= 250)
        x = forged(r);
    else if (kind >= 246)
        api_add(r, "(fsr_node){0}");
    else if (kind < 110 && r->at > 0)
        x = of_slot(r, API_GIVEN + (r->at - 1 - api_below(r, r->at)) * API_KEPT + (kind & 1));
    else
        x = of_slot(r, kind < 240 ? api_below(r, 8) : api_below(r, API_GIVEN));
    r->live |= fsr_graph_alive(x.graph);
    return x;
}

fsr_node api_node(api_run *r) {
    api_add(r, ", ");
    return api_pick(r);
}

fsr_graph *api_graph(api_run *r) {
    const int kind = api_below(r, 64);
    const int which = kind < 58 ? 0 : kind < 62 ? 1 : 2;
    if (kind == 63) {
        api_add(r, ", NULL");
        return NULL;
    }
    api_add(r, ", g%d", which);
    r->live |= fsr_graph_alive(r->g[which]);
    return r->g[which];
}

fsr_node *api_nodes(api_run *r, int *n) {
    const int kind = api_below(r, 64), count = 1 + api_below(r, kind < 60 ? 3 : 12);
    api_add(r, ", ");
    if (kind >= 62) {
        *n = kind == 62 ? 0 : -1;
        api_add(r, "NULL, %d", *n);
        return NULL;
    }
    const bool live = r->live;
    fsr_node *x = api_memory(r, sizeof *x * (size_t)count);
    api_add(r, "(fsr_node[]){");
    for (int i = 0; i < count; i++) {
        api_add(r, i ? ", " : "");
        x[i] = api_pick(r);
    }
    *n = kind == 61 ? -count : kind == 60 ? 0 : count;
    if (*n <= 0)
        r->live = live;
    api_add(r, "}, %d", *n);
    return x;
}

/* ---- numbers ----------------------------------------------------------------------------------------------- */

fsr_dtype api_dtype(api_run *r) {
    static const int odd[] = {FSR_DTYPE_COUNT, -1, 99, 2147483647};
    const int kind = api_byte(r);
    const int dtype = kind < 240 ? kind % FSR_DTYPE_COUNT : odd[kind % 4];
    api_add(r, ", (fsr_dtype)%d", dtype);
    return (fsr_dtype)dtype;
}

static int draw_int(api_run *r, const int *usual, int n) {
    static const int odd[] = {8, 9, -9, 63, 64, 2147483647, -2147483647 - 1, 1 << 20};
    const int kind = api_byte(r);
    const int value = kind < 232 ? usual[kind % n] : odd[kind % API_COUNT(odd)];
    if (value == -2147483647 - 1)
        api_add(r, ", INT_MIN");
    else
        api_add(r, ", %d", value);
    return value;
}

int api_axis(api_run *r) {
    static const int usual[] = {0, -1, 1, 0, -1, 0, 1, -2, 2, 0, 3, -3};
    return draw_int(r, usual, API_COUNT(usual));
}

int api_flags(api_run *r) {
    static const int usual[] = {0, 0, 1, 2, 4, 6, 0, 1, 16, 3, 8};
    return draw_int(r, usual, API_COUNT(usual));
}

int api_small(api_run *r) {
    static const int usual[] = {1, 2, 0, 3, 1, 4, 2, -1};
    return draw_int(r, usual, API_COUNT(usual));
}

static int64_t wide(api_run *r, const int64_t *usual, int n, int odds) {
    static const int64_t odd[] = {INT64_C(1) << 31,
                                  (INT64_C(1) << 31) - 1,
                                  INT64_C(1) << 32,
                                  (INT64_C(1) << 61) + 1,
                                  INT64_C(1) << 62,
                                  INT64_MAX,
                                  INT64_MIN,
                                  -1,
                                  -2,
                                  INT64_C(1) << 40,
                                  INT64_MIN + 1,
                                  INT64_C(1) << 60,
                                  100000};
    const int kind = api_byte(r);
    const int64_t value = kind < odds ? usual[kind % n] : odd[kind % API_COUNT(odd)];
    if (value == INT64_MIN)
        api_add(r, "INT64_MIN");
    else
        api_add(r, "INT64_C(%lld)", (long long)value);
    return value;
}

static int64_t extent(api_run *r) {
    static const int64_t usual[] = {3, 4, 1, 4, 3, 0, 2, 4, 5, 31, 1, 3};
    return wide(r, usual, API_COUNT(usual), 226);
}

int64_t api_extent(api_run *r) {
    api_add(r, ", ");
    return extent(r);
}

int64_t api_bound(api_run *r) {
    static const int64_t usual[] = {0, 1, 2, -1, 3, 1, INT64_MIN, -2, 4, 1};
    api_add(r, ", ");
    return wide(r, usual, API_COUNT(usual), 220);
}

double api_number(api_run *r) {
    static const double value[] = {0,   1,        2,         -1,    0.5,    3,      -0.0,    255.5,
                                   NAN, INFINITY, -INFINITY, 1e308, 5e-324, 0x1p63, -0x1p63, 1e-3};
    const double v = value[api_below(r, API_COUNT(value))];
    if (isnan(v) || isinf(v))
        api_add(r, isnan(v) ? ", NAN" : v > 0 ? ", INFINITY" : ", -INFINITY");
    else
        api_add(r, ", %.17g", v);
    return v;
}

bool api_bool(api_run *r) {
    const bool value = api_below(r, 2);
    api_add(r, ", %s", value ? "true" : "false");
    return value;
}

/* ---- lists ------------------------------------------------------------------------------------------------- */

static int64_t *own_shape(api_run *r, int ndim) {
    int64_t *shape = api_memory(r, sizeof *shape * (size_t)ndim);
    api_add(r, "(int64_t[]){");
    for (int i = 0; i < ndim; i++) {
        api_add(r, i ? ", " : "");
        shape[i] = extent(r);
    }
    api_add(r, "}");
    return shape;
}

int64_t *api_shape(api_run *r, int *ndim) {
    static const int64_t usual[][3] = {{3, 4, 0}, {4, 0, 0}, {1, 4, 0}, {3, 1, 0}, {2, 3, 4}, {12, 0, 0}, {0, 4, 0}};
    static const int usual_ndim[] = {2, 1, 2, 2, 3, 1, 2};
    static const int odd[] = {9, -1, 2147483647, 0, -2147483647, 8};
    const int kind = api_byte(r);
    int64_t *shape = NULL;
    if (kind >= 244) {
        *ndim = odd[kind % API_COUNT(odd)];
        api_add(r, ", %d, ", *ndim);
        if (kind & 1)
            return own_shape(r, 9);
        api_add(r, "NULL");
        return NULL;
    }
    if (kind >= 170) {
        *ndim = api_below(r, kind >= 230 ? 9 : 4);
        api_add(r, ", %d, ", *ndim);
        return own_shape(r, *ndim);
    }
    const int which = kind % API_COUNT(usual_ndim);
    *ndim = usual_ndim[which];
    api_add(r, ", %d, (int64_t[]){", *ndim);
    shape = api_memory(r, sizeof *shape * (size_t)*ndim);
    for (int i = 0; i < *ndim; i++) {
        shape[i] = usual[which][i];
        api_add(r, "%s%lld", i ? ", " : "", (long long)shape[i]);
    }
    api_add(r, "}");
    return shape;
}

static int *list(api_run *r, int n) {
    static const int usual[] = {0, 1, -1, 0, 1, 2, -2};
    static const int odd[] = {8, -9, 2147483647, -2147483647 - 1};
    int *x = api_memory(r, sizeof *x * (size_t)n);
    api_add(r, "(int[]){");
    for (int i = 0; i < n; i++) {
        const int kind = api_byte(r);
        x[i] = kind < 240 ? usual[kind % API_COUNT(usual)] : odd[kind % 4];
        api_add(r, "%s%d", i ? ", " : "", x[i]);
    }
    api_add(r, "}");
    return x;
}

int *api_axes(api_run *r, int *n) {
    const int kind = api_below(r, 16);
    api_add(r, ", ");
    if (kind < 6) {
        *n = kind == 5 ? -3 : kind;
        api_add(r, "NULL, %d", *n);
        return NULL;
    }
    const int count = kind < 11 ? 1 : kind < 14 ? 2 : kind == 14 ? 0 : 9;
    int *x = list(r, count);
    *n = seldom(r, 40) ? -count : count;
    api_add(r, ", %d", *n);
    return x;
}

int *api_ints(api_run *r, int n) {
    api_add(r, ", ");
    if (!seldom(r, 24))
        return list(r, n);
    api_add(r, "NULL");
    return NULL;
}

int64_t *api_wides(api_run *r, int n) {
    static const int64_t usual[] = {1, 0, 2, -1, 3, 1, 2};
    api_add(r, ", ");
    if (seldom(r, 32)) {
        api_add(r, "NULL");
        return NULL;
    }
    int64_t *x = api_memory(r, sizeof *x * (size_t)n);
    api_add(r, "(int64_t[]){");
    for (int i = 0; i < n; i++) {
        api_add(r, i ? ", " : "");
        x[i] = wide(r, usual, API_COUNT(usual), 236);
    }
    api_add(r, "}");
    return x;
}

int *api_optional_axis(api_run *r) {
    api_add(r, ", ");
    if (api_below(r, 3))
        return list(r, 1);
    api_add(r, "NULL");
    return NULL;
}

/* ---- texts ------------------------------------------------------------------------------------------------- */

const char *api_one_of(api_run *r, const char *const *text, int n) {
    const char *s = text[api_below(r, n)];
    if (!s) {
        api_add(r, ", NULL");
        return NULL;
    }
    api_add(r, ", \"");
    for (const char *p = s; *p; p++)
        if (*p == '"' || *p == '\\')
            api_add(r, "\\%c", *p);
        else if (*p < ' ' || *p > '~')
            api_add(r, "\\%03o", (unsigned char)*p);
        else
            api_add(r, "%c", *p);
    api_add(r, "\"");
    return s;
}

const char *api_name(api_run *r) {
    static const char *const names[] = {"x",
                                        "y",
                                        "a",
                                        "b1",
                                        "x",
                                        "k",
                                        "_",
                                        "",
                                        NULL,
                                        "a b",
                                        "1x",
                                        "x\xff\n",
                                        "a23456789012345678901234567890123456789012345678901234567890123",
                                        "a234567890123456789012345678901234567890123456789012345678901234"};
    return api_one_of(r, names, API_COUNT(names));
}

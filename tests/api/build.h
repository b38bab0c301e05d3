/* SPDX-License-Identifier: MIT */
/* What rows of builders are made of: BUILD draws the arguments in order, then says and makes the call. */
#ifndef FUSOR_TESTS_API_BUILD_H
#define FUSOR_TESTS_API_BUILD_H

#include "tests/api/api.h"

#define BUILD(name, draw, ...)                                            \
    static void call_##name(api_run *r) {                                 \
        draw;                                                             \
        api_say(r, "fsr_" #name "_at", 0, true);                          \
        api_take(r, fsr_##name##_at(API_SITE(r), __VA_ARGS__), 0, false); \
    }

#define GRAPH fsr_graph *g = api_graph(r)
#define NODE(x) fsr_node x = api_node(r)
#define DTYPE fsr_dtype dtype = api_dtype(r)
#define SHAPE \
    int ndim; \
    const int64_t *shape = api_shape(r, &ndim)
#define NUMBER(x) double x = api_number(r)
#define EXTENT(x) int64_t x = api_extent(r)
#define BOUND(x) int64_t x = api_bound(r)
#define AXIS(x) int x = api_axis(r)
#define SMALL(x) int x = api_small(r)
#define NODES \
    int n;    \
    const fsr_node *x = api_nodes(r, &n)

#define ROW(name, weight) \
    { "fsr_" #name "_at", call_##name, weight }

#endif

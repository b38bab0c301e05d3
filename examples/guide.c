/* SPDX-License-Identifier: MIT */
/* The code of docs/guide.md. What stands between "guide: name" and "guide: end" is quoted there, less its indentation;
 * the lines around it check what it computes. Exit status 0: everything was as the guide says (with the default knobs).
 *
 * usage: guide [folder for its .npy file] */
#include "fusor/fusor.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program if a call failed that should not have. */
static void must(fsr_context *ctx, fsr_status status) {
    if (status == FSR_OK)
        return;
    fprintf(stderr, "guide: %s: %s\n", fsr_status_name(status), fsr_error(ctx));
    exit(1);
}

#define EXPECT(condition)                                                                \
    do {                                                                                 \
        if (!(condition)) {                                                              \
            fprintf(stderr, "guide: line %d: %s does not hold\n", __LINE__, #condition); \
            exit(1);                                                                     \
        }                                                                                \
    } while (0)

static void poison(fsr_context *ctx, fsr_graph *g) {
    /* guide: poison */
    fsr_node a = fsr_full(g, FSR_F32, 2, (int64_t[]){3, 4}, 1);
    fsr_node b = fsr_full(g, FSR_F32, 1, (int64_t[]){5}, 2);
    fsr_node c = fsr_add(a, b); /* [3,4] and [5] do not broadcast */
    fsr_node d = fsr_exp(c);    /* poisoned as well, with the message of c */
    if (fsr_force(d) == FSR_ERR_SHAPE)
        printf("%s\n", fsr_error(ctx));
    /* guide: end */
    EXPECT(fsr_node_status(c) == FSR_ERR_SHAPE && fsr_node_status(a) == FSR_OK);
    EXPECT(strstr(fsr_node_error(d), "add: shapes f32[3,4] and f32[5] do not broadcast") == fsr_node_error(d));
    EXPECT(strcmp(fsr_node_error(d), fsr_error(ctx)) == 0);
}

static void force(fsr_context *ctx, fsr_graph *g) {
    /* guide: force */
    float last, total;
    fsr_node x = fsr_arange(g, FSR_F32, 1000);
    fsr_node y = fsr_sqrt(x), sum = fsr_sum(y, NULL, 0, 0);
    must(ctx, fsr_compute((fsr_node[]){y, sum}, 2));    /* one plan, here one kernel */
    fsr_node z = fsr_slice(y, 0, -1, FSR_SLICE_END, 1); /* y[-1:], of the array that y now is */
    must(ctx, fsr_read(z, &last, sizeof last));         /* computes z first */
    must(ctx, fsr_read(sum, &total, sizeof total));     /* only waits and copies */
    /* guide: end */
    EXPECT(last == sqrtf(999) && fabsf(total - 21065.83f) < 0.1f);
}

static void promotion(fsr_context *ctx, fsr_graph *g) {
    /* guide: promotion */
    const int32_t count[] = {1, 2, 3};
    double half[3];
    fsr_node n = fsr_from_host(g, FSR_I32, 1, (int64_t[]){3}, count);
    fsr_node d = fsr_mul(n, fsr_float(g, 0.5));                    /* i32 and a float: f64 */
    fsr_node f = fsr_mul(fsr_cast(n, FSR_F32), fsr_float(g, 0.5)); /* f32 and a float: f32 */
    must(ctx, fsr_read(d, half, sizeof half));
    /* guide: end */
    EXPECT(fsr_node_dtype(d) == FSR_F64 && fsr_node_dtype(f) == FSR_F32 && half[2] == 1.5);
}

static void parameters(fsr_context *ctx, fsr_graph *g) {
    const float start[] = {0, 10};
    const float speed[] = {1, -1};
    float out[2];
    fsr_stats before, after;
    /* guide: parameter */
    fsr_node x = fsr_from_host(g, FSR_F32, 1, (int64_t[]){2}, start);
    fsr_node v = fsr_from_host(g, FSR_F32, 1, (int64_t[]){2}, speed);
    fsr_node dt = fsr_param(g, "dt", FSR_F32, 0.25);
    for (int i = 0; i < 3; i++) {
        fsr_node moved = fsr_add(x, fsr_mul(v, dt));
        must(ctx, fsr_read(moved, out, sizeof out)); /* compiles in the first turn only */
        must(ctx, fsr_param_set(dt, 0.5 + i));
    }
    /* guide: end */
    EXPECT(out[0] == 1.5f && out[1] == 8.5f);
    must(ctx, fsr_context_stats(ctx, &before));
    must(ctx, fsr_read(fsr_add(x, fsr_mul(v, dt)), out, sizeof out));
    must(ctx, fsr_context_stats(ctx, &after));
    EXPECT(after.plans_built == before.plans_built && after.plan_hits == before.plan_hits + 1);
}

static void scopes(fsr_context *ctx, fsr_graph *g) {
    enum { N = 1000, STEPS = 2000 };
    static float start[N], rest[N];
    fsr_stats before, after;
    for (int i = 0; i < N; i++)
        start[i] = (float)i / N;
    must(ctx, fsr_context_stats(ctx, &before));
    /* guide: scopes */
    fsr_node angle = fsr_from_host(g, FSR_F32, 1, (int64_t[]){N}, start);
    fsr_node speed = fsr_from_host(g, FSR_F32, 1, (int64_t[]){N}, rest);
    fsr_node dt = fsr_param(g, "dt", FSR_F32, 0.01);
    must(ctx, fsr_scope_begin(g));
    for (int i = 0; i < STEPS; i++) { /* N pendulums */
        fsr_node faster = fsr_sub(speed, fsr_mul(fsr_sin(angle), dt));
        fsr_node next[] = {fsr_add(angle, fsr_mul(faster, dt)), faster};
        must(ctx, fsr_compute(next, 2));
        must(ctx, fsr_scope_keep(g, next, 2)); /* drops everything else recorded in the scope */
        angle = next[0];
        speed = next[1];
    }
    must(ctx, fsr_scope_end(g, (fsr_node[]){angle, speed}, 2)); /* the two live on in the graph */
    /* guide: end */
    float end[N];
    must(ctx, fsr_context_stats(ctx, &after));
    must(ctx, fsr_read(angle, end, sizeof end));
    EXPECT(after.plans_built == before.plans_built + 1 && after.nodes - before.nodes == 5);
    EXPECT(end[0] == 0 && fabsf(end[1] - (float)(0.001 * cos(20))) < 1e-5f);
}

static void views(fsr_context *ctx, fsr_graph *g) {
    /* guide: views */
    fsr_node x = fsr_reshape(fsr_arange(g, FSR_F32, 12), 2, (int64_t[]){3, -1}); /* 3 x 4 */
    fsr_node column = fsr_expand(fsr_slice(x, 1, 0, 1, 1), 0);                   /* x[:, :1][None] */
    fsr_node back = fsr_flip(fsr_transpose(x, NULL), 0);                         /* x.T[::-1], 4 x 3 */
    fsr_node odd = fsr_slice(x, 1, 1, FSR_SLICE_END, 2);                         /* x[:, 1::2] */
    fsr_node smooth =
        fsr_add(fsr_slice(x, 1, 0, -1, 1), fsr_slice(x, 1, 1, FSR_SLICE_END, 1)); /* x[:, :-1] + x[:, 1:] */
    /* guide: end */
    float b[12], o[6], s[9];
    must(ctx, fsr_read(back, b, sizeof b));
    must(ctx, fsr_read(odd, o, sizeof o));
    must(ctx, fsr_read(smooth, s, sizeof s));
    EXPECT(fsr_node_ndim(column) == 3 && fsr_node_dim(column, 1) == 3 && fsr_node_dim(column, -1) == 1);
    EXPECT(b[0] == 3 && b[1] == 7 && b[11] == 8 && o[0] == 1 && o[1] == 3 && o[5] == 11 && s[0] == 1 && s[8] == 21);
}

static void taking(fsr_context *ctx, fsr_graph *g) {
    fsr_node x = fsr_reshape(fsr_arange(g, FSR_F32, 12), 2, (int64_t[]){3, 4});
    /* guide: taking */
    fsr_node i = fsr_from_host(g, FSR_I32, 1, (int64_t[]){3}, (int32_t[]){2, 0, -1});
    fsr_node rows = fsr_take(x, i, 0, FSR_INDEX_RAISE);                  /* x[[2, 0, -1]] */
    fsr_node some = fsr_index(x, (fsr_node[]){i, i}, 2, FSR_INDEX_WRAP); /* x[2, 2], x[0, 0], x[-1, -1] */
    fsr_node start = fsr_param(g, "start", FSR_I64, 1), zero = fsr_int(g, 0);
    fsr_node part = fsr_dynamic_slice(x, (fsr_node[]){start, zero}, (int64_t[]){2, 4}); /* x[start:start + 2] */
    /* guide: end */
    float r[12], s[3], p[8];
    must(ctx, fsr_read(rows, r, sizeof r));
    must(ctx, fsr_read(some, s, sizeof s));
    must(ctx, fsr_read(part, p, sizeof p));
    EXPECT(r[0] == 8 && r[4] == 0 && r[8] == 8 && s[0] == 10 && s[1] == 0 && s[2] == 11 && p[0] == 4 && p[7] == 11);
}

/* Whether the context can compute x: sorts on a GPU want a library built with nvcc, linear algebra cuSOLVER. */
static int is_there(fsr_node x) {
    return fsr_force(x) != FSR_ERR_UNSUPPORTED;
}

static void order(fsr_context *ctx, fsr_graph *g) {
    const int32_t data[] = {3, 1, 3, 7};
    int64_t place[4], number[4], several[4], count;
    if (!is_there(fsr_sort(fsr_from_host(g, FSR_I32, 1, (int64_t[]){4}, data), (int[]){0}, 1, 0)))
        return;
    /* guide: unique */
    fsr_node x = fsr_from_host(g, FSR_I32, 1, (int64_t[]){4}, data), out[4]; /* 3 1 3 7 */
    fsr_unique(out, x, true);
    must(ctx, fsr_read(out[2], number, sizeof number));                /* 1 0 1 2 */
    must(ctx, fsr_read_live(out[1], place, sizeof place, &count));     /* 1 0 3, count 3 */
    must(ctx, fsr_read_live(out[3], several, sizeof several, &count)); /* 1 2 1 */
    /* guide: end */
    EXPECT(count == 3 && number[0] == 1 && number[1] == 0 && number[3] == 2);
    EXPECT(place[0] == 1 && place[1] == 0 && place[2] == 3 && several[0] == 1 && several[1] == 2 && several[2] == 1);
}

static void equations(fsr_context *ctx, fsr_graph *g) {
    const double matrices[2][2][2] = {{{2, 0}, {1, 1}}, {{1, 2}, {2, 4}}}, right[2] = {4, 3};
    double x[2][2], value[2];
    if (!is_there(fsr_inv(fsr_eye(g, FSR_F64, 2, 2, 0))))
        return;
    /* guide: equations */
    fsr_node a = fsr_from_host(g, FSR_F64, 3, (int64_t[]){2, 2, 2}, matrices); /* the second is singular */
    fsr_node b = fsr_from_host(g, FSR_F64, 1, (int64_t[]){2}, right);          /* one dimension: a vector */
    must(ctx, fsr_read(fsr_solve(a, b), x, sizeof x));                         /* [2,2]: 2 1, NaN NaN */
    must(ctx, fsr_read(fsr_det(a), value, sizeof value));                      /* 2 0 */
    /* guide: end */
    EXPECT(fabs(x[0][0] - 2) < 1e-12 && fabs(x[0][1] - 1) < 1e-12 && isnan(x[1][0]) && isnan(x[1][1]));
    EXPECT(fabs(value[0] - 2) < 1e-12 && value[1] == 0);
}

static void contexts(fsr_context *ctx, fsr_graph *g) {
    double total;
    /* guide: contexts */
    fsr_context *other;
    must(ctx, fsr_open(NULL, &other)); /* the knob device may name another GPU */
    fsr_graph *h = fsr_graph_new(other);
    fsr_node x = fsr_sqrt(fsr_arange(g, FSR_F64, 100)), y = fsr_from_node(h, x); /* computes x, and copies it */
    must(other, fsr_read(fsr_sum(fsr_mul(y, y), NULL, 0, 0), &total, sizeof total));
    fsr_close(other); /* with h and y; x stays */
    /* guide: end */
    EXPECT(fabs(total - 4950) < 1e-9);
}

static void reductions(fsr_context *ctx, fsr_graph *g) {
    static float data[400][600];
    for (int i = 0; i < 400 * 600; i++)
        data[i / 600][i % 600] = (float)(i * 31 % 997);
    /* guide: reductions */
    const int rows = 0, columns = -1;
    fsr_node x = fsr_from_host(g, FSR_F32, 2, (int64_t[]){400, 600}, data);
    fsr_node total = fsr_sum(x, NULL, 0, 0);             /* of everything: 0-d */
    fsr_node tops = fsr_max(x, &columns, 1, 0);          /* [400] */
    fsr_node where = fsr_argmax(x, &columns, 1, 0);      /* [400], i64 */
    fsr_node mean = fsr_mean(x, &rows, 1, FSR_KEEPDIMS); /* [1,600] */
    fsr_node sigma = fsr_sqrt(fsr_var(x, &rows, 1, FSR_KEEPDIMS, 1));
    fsr_node z = fsr_div(fsr_sub(x, mean), sigma); /* broadcast back over the rows */
    must(ctx, fsr_compute((fsr_node[]){total, tops, where, z}, 4));
    /* guide: end */
    int64_t at[400];
    float top[400];
    must(ctx, fsr_read(where, at, sizeof at));
    must(ctx, fsr_read(tops, top, sizeof top));
    for (int i = 0; i < 400; i++)
        EXPECT(data[i][at[i]] == top[i]);
    must(ctx, fsr_verify((fsr_node[]){total, z}, 2, NULL));
}

static void scans(fsr_context *ctx, fsr_graph *g) {
    /* guide: scans */
    const int32_t length[] = {3, 1, 4, 1, 5};
    int64_t offset[5];
    int32_t record[5];
    fsr_node n = fsr_from_host(g, FSR_I32, 1, (int64_t[]){5}, length);
    must(ctx, fsr_read(fsr_cumsum(n, (int[]){0}, 1, FSR_EXCLUSIVE), offset, sizeof offset)); /* 0 3 4 8 9, i64 */
    must(ctx, fsr_read(fsr_cummax(n, (int[]){0}, 1, 0), record, sizeof record));             /* 3 3 4 4 5 */
    /* guide: end */
    EXPECT(offset[0] == 0 && offset[3] == 8 && offset[4] == 9 && record[1] == 3 && record[4] == 5);
}

/* guide: body */
/* left is what lies before right: first x -> a0 x + b0, then x -> a1 x + b1. */
static void compose(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    (void)user;
    out[0] = fsr_mul(left[0], right[0]);
    out[1] = fsr_add(fsr_mul(left[1], right[0]), right[1]);
}
/* guide: end */

static void operators(fsr_context *ctx, fsr_graph *g) {
    enum { N = 10000 };
    static float out[N];
    /* guide: operator */
    fsr_operator op = {.body = compose, .arity = 2, .identity = {1, 0}, .commutative = false};
    fsr_node b = fsr_sin(fsr_arange(g, FSR_F32, N));
    fsr_node in[] = {fsr_full(g, FSR_F32, 1, (int64_t[]){N}, 0.9), b}, both[2];
    fsr_scan_with(both, in, &op, (int[]){0}, 1, 0);
    must(ctx, fsr_read(both[1], out, sizeof out)); /* y[i] = 0.9 y[i-1] + b[i] */
    /* guide: end */
    double y = 0;
    for (int i = 0; i < N; i++) {
        y = 0.9f * y + sin(i);
        EXPECT(fabs(out[i] - y) < 1e-4);
    }
}

/* guide: loop */
/* state: the guess, and the one before; arg: what the root is of. */
static void better(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)user;
    out[0] = fsr_mul(fsr_add(state[0], fsr_div(arg[0], state[0])), fsr_float(arg[0].graph, 0.5));
    out[1] = state[0];
}
static void falls(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)arg, (void)user;
    out[0] = fsr_less(state[0], state[1]);
}
/* guide: end */

static void loops(fsr_context *ctx, fsr_graph *g) {
    enum { N = 100 };
    double out[N];
    /* guide: iterate */
    fsr_loop newton = {.body = better, .condition = falls, .nstate = 2, .narg = 1};
    fsr_node a = fsr_add(fsr_arange(g, FSR_F64, N), fsr_float(g, 1)), root[3];
    fsr_node first[] = {fsr_add(a, fsr_float(g, 1)), fsr_add(a, fsr_float(g, 2))};
    fsr_iterate(root, &newton, first, &a, 100); /* the state at the end, then how many turns it took, an i32 */
    must(ctx, fsr_read(fsr_mul(root[0], root[0]), out, sizeof out));
    /* guide: end */
    for (int i = 0; i < N; i++)
        EXPECT(fabs(out[i] - (i + 1)) < 1e-12 * (i + 1));
}

/* guide: search */
static void open_still(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)arg, (void)user;
    out[0] = fsr_less(state[0], state[1]);
}
static void halve(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    fsr_graph *of = arg[0].graph;
    fsr_node middle = fsr_floor_divide(fsr_add(state[0], state[1]), fsr_int(of, 2));
    fsr_node below = fsr_less(fsr_take(*(fsr_node *)user, middle, 0, FSR_INDEX_CLIP), arg[0]);
    out[0] = fsr_where(below, fsr_add(middle, fsr_int(of, 1)), state[0]);
    out[1] = fsr_where(below, state[1], middle);
}
/* guide: end */

static void searches(fsr_context *ctx, fsr_graph *g) {
    enum { N = 100 };
    /* guide: searching */
    fsr_node sorted = fsr_arange(g, FSR_F64, N), asked = fsr_mul(sorted, fsr_float(g, 0.5)), place[3];
    fsr_loop search = {.body = halve, .condition = open_still, .user = &sorted, .nstate = 2, .narg = 1};
    fsr_node range[] = {fsr_int(g, 0), fsr_int(g, N)};
    fsr_iterate(place, &search, range, &asked, 64);
    must(ctx, fsr_verify(place, 1, NULL));
    /* guide: end */
}

/* guide: wave */
static void wave(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    fsr_node u = state[0], before = state[1];
    fsr_node left = fsr_roll(u, (int64_t[]){1}, (int[]){0}, 1), right = fsr_roll(u, (int64_t[]){-1}, (int[]){0}, 1);
    fsr_node bend = fsr_sub(fsr_add(left, right), fsr_mul(fsr_float(u.graph, 2), u));
    (void)in;
    out[0] = fsr_add(fsr_sub(fsr_mul(fsr_float(u.graph, 2), u), before), fsr_mul(*(fsr_node *)user, bend));
    out[1] = u;
}
/* guide: end */

static void array_loops(fsr_context *ctx, fsr_graph *g) {
    enum { N = 100 };
    /* guide: time steps */
    fsr_node speed = fsr_param(g, "speed", FSR_F64, 0.25);
    fsr_node string = fsr_sin(fsr_linspace(g, FSR_F64, 0, 6.28, N, false));
    fsr_node rest[] = {string, string}, later[2];
    fsr_fori_loop(later, rest, 2, fsr_int(g, 100), wave, &speed);
    must(ctx, fsr_verify(later, 1, NULL));
    /* guide: end */
}

/* guide: row function */
static void normalized(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_div(fsr_sub(in[0], in[1]), fsr_norm(in[0], NULL, 0, 0, 2));
}
/* guide: end */

static void row_functions(fsr_context *ctx, fsr_graph *g) {
    static float data[2 * 3 * 600], out[2 * 3 * 600];
    for (int i = 0; i < 2 * 3 * 600; i++)
        data[i] = (float)(i % 7 + 1);
    /* guide: vectorize */
    fsr_node rows = fsr_from_host(g, FSR_F32, 3, (int64_t[]){2, 3, 600}, data);
    fsr_node in[] = {rows, fsr_full(g, FSR_F32, 1, (int64_t[]){600}, 1)}, unit;
    fsr_vectorize(&unit, 1, in, 2, "(n),(n)->(n)", normalized, NULL);
    must(ctx, fsr_read(unit, out, sizeof out)); /* [2,3,600], one kernel */
    /* guide: end */
    double squares = 0;
    for (int i = 0; i < 600; i++)
        squares += (double)data[3000 + i] * data[3000 + i];
    EXPECT(fabs(out[3005] - (data[3005] - 1) / sqrt(squares)) < 1e-6);
}

/* guide: native function */
static const fsr_native bessel = {
    .name = "bessel",
    .result = FSR_F64,
    .parameters = "f64 x, i32 n",
    .c = "return jn(n, x);",
    .cuda = "return x == 0 ? n == 0 : jn(n, x);", /* CUDA's own jn is NaN at 0 */
    .c_preamble = "double jn(int, double);", /* or #include <math.h>, which takes longer to compile than the kernel */
    .ulp = 64,                               /* how far apart the two may be */
};
/* guide: end */

/* guide: native function of arrays */
static const fsr_native grade = {
    .name = "grade",
    .result = FSR_I64,
    .parameters = "f32 x, raw f32 edge",
    .c = "i64 k = 0;\nwhile (k < edge_size && x >= edge[k])\n    k++;\nreturn k;",
    .cuda = "i64 k = 0;\nwhile (k < edge_size && x >= edge[k])\n    k++;\nreturn k;",
};
/* guide: end */

static void native_arrays(fsr_context *ctx, fsr_graph *g) {
    /* guide: call native of arrays */
    fsr_node x = fsr_linspace(g, FSR_F32, 0, 1, 100, true), table = fsr_linspace(g, FSR_F32, 0, 0.9, 10, true);
    fsr_node level = fsr_call_native(&grade, ((fsr_node[]){x, table}), 2), most = fsr_max(level, NULL, 0, 0);
    must(ctx, fsr_compute(&most, 1));
    /* guide: end */
    int64_t value = 0;
    must(ctx, fsr_read(most, &value, sizeof value));
    EXPECT(value == 10);
}

static void native_functions(fsr_context *ctx, fsr_graph *g) {
    /* guide: call native */
    fsr_node x = fsr_arange(g, FSR_F64, 1000), arg[] = {fsr_div(x, fsr_int(g, 100)), fsr_int(g, 2)};
    fsr_node j = fsr_call_native(&bessel, arg, 2), energy = fsr_sum(fsr_mul(j, j), NULL, 0, 0); /* one kernel */
    must(ctx, fsr_verify(&energy, 1, NULL)); /* on a GPU: text against text */
    /* guide: end */
    double value = 0;
    must(ctx, fsr_read(energy, &value, sizeof value));
    EXPECT(fabs(value - 72.477786000234474) < 1e-9);
}

static void plans(fsr_context *ctx, fsr_graph *g) {
    float a[3] = {1, 2, 3}, b[3] = {10, 20, 30}, k = 0, sum[3], largest;
    /* guide: plan */
    fsr_node x = fsr_input(g, "x", FSR_F32, 1, (int64_t[]){3});
    fsr_node y = fsr_input(g, "y", FSR_F32, 1, (int64_t[]){3});
    fsr_node s = fsr_add(x, fsr_mul(y, fsr_param(g, "k", FSR_F32, 1)));
    fsr_plan *plan;
    must(ctx, fsr_compile((fsr_node[]){s, fsr_max(s, NULL, 0, 0)}, 2, &plan));
    fsr_graph_free(g); /* the plan needs it no more */

    fsr_arg in[] = {{"y", b, sizeof b, FSR_HOST}, {"x", a, sizeof a, FSR_HOST}, {"k", &k, sizeof k, FSR_HOST}};
    fsr_arg out[] = {{NULL, sum, sizeof sum, FSR_HOST}, {NULL, &largest, sizeof largest, FSR_HOST}};
    for (k = 1; k <= 3; k++)
        must(ctx, fsr_plan_run(plan, in, 3, out, 2, NULL));
    fsr_plan_free(plan);
    /* guide: end */
    EXPECT(sum[0] == 31 && sum[2] == 93 && largest == 93);
}

enum { COUNT = 1000 };

static void copies(fsr_context *ctx, fsr_graph *g) {
    const size_t bytes = sizeof(float) * COUNT;
    float *host;
    void *device, *result;
    fsr_plan *plan;
    fsr_node x = fsr_input(g, "x", FSR_F32, 1, (int64_t[]){COUNT});
    fsr_node y = fsr_add(fsr_add(x, x), fsr_float(g, 1));
    must(ctx, fsr_compile(&y, 1, &plan));
    must(ctx, fsr_alloc(ctx, FSR_DEVICE, bytes, &result));
    /* guide: copies */
    fsr_ticket up, down;
    must(ctx, fsr_alloc(ctx, FSR_HOST, bytes, (void **)&host));
    must(ctx, fsr_alloc(ctx, FSR_DEVICE, bytes, &device));
    for (int i = 0; i < COUNT; i++)
        host[i] = (float)i;
    must(ctx, fsr_upload(ctx, device, host, bytes, &up));
    must(ctx, fsr_after(ctx, up)); /* what runs from now on waits for the copy, the host does not */
    must(ctx, fsr_plan_run(plan, &(fsr_arg){"x", device, bytes, FSR_DEVICE}, 1,
                           &(fsr_arg){NULL, result, bytes, FSR_DEVICE}, 1, NULL));
    must(ctx, fsr_download(ctx, host, result, bytes, &down));
    must(ctx, fsr_wait(ctx, down)); /* host has 2 i + 1 */
    /* guide: end */
    EXPECT(host[0] == 1 && host[COUNT - 1] == 2 * COUNT - 1);
    must(ctx, fsr_free(ctx, FSR_HOST, host));
    must(ctx, fsr_free(ctx, FSR_DEVICE, device));
    must(ctx, fsr_free(ctx, FSR_DEVICE, result));
    fsr_plan_free(plan);
}

static void explain(fsr_context *ctx, fsr_graph *g) {
    /* guide: explain */
    const int last = -1;
    fsr_node x = fsr_input(g, "x", FSR_F32, 2, (int64_t[]){1000, 500});
    fsr_node e = fsr_exp(fsr_sub(x, fsr_max(x, &last, 1, FSR_KEEPDIMS)));
    fsr_node s = fsr_div(e, fsr_sum(e, &last, 1, FSR_KEEPDIMS));
    fsr_plan_info info;
    must(ctx, fsr_query(&s, 1, &info));
    printf("%d kernel, %lld bytes\n", info.kernels, (long long)info.bytes_moved);
    must(ctx, fsr_explain(&s, 1, stdout));
    must(ctx, fsr_print(&s, 1, stdout));
    /* guide: end */
    EXPECT(info.kernels == 1 && info.temporaries == 0);
}

static void verify(fsr_context *ctx, fsr_graph *g) {
    /* guide: verify */
    fsr_node x = fsr_div(fsr_arange(g, FSR_F32, 100000), fsr_float(g, 7));
    fsr_node y = fsr_cumsum(fsr_sin(x), (int[]){0}, 1, 0);
    fsr_verify_report report;
    if (fsr_verify(&y, 1, &report) != FSR_OK)
        printf("%s\n", fsr_error(ctx));
    printf("%lld elements, the worst at %.2f of its bound\n", (long long)report.checked, report.worst);
    /* guide: end */
    EXPECT(report.checked == 100000 && report.worst < 1);
}

static void knobs(void) {
    /* guide: knobs */
    fsr_config config;
    fsr_context *unfused;
    char why[256];
    if (fsr_config_init(&config, why, sizeof why) != FSR_OK) /* the defaults, then the environment */
        fprintf(stderr, "ignored: %s\n", why);
    config.backend = FSR_BACKEND_CPU;
    config.fusion = 0;
    if (fsr_open_why(&config, &unfused, why, sizeof why) != FSR_OK)
        fprintf(stderr, "%s\n", why);
    /* guide: end */
    EXPECT(unfused != NULL && strcmp(fsr_backend_name(unfused), "cpu") == 0);
    fsr_close(unfused);
}

static void errors(fsr_context *ctx, fsr_graph *g) {
    /* guide: errors */
    float too_small[2];
    fsr_node x = fsr_arange(g, FSR_F32, 3);
    fsr_status status = fsr_read(x, too_small, sizeof too_small);
    if (status == FSR_ERR_BYTES)
        printf("%s: %s\n", fsr_status_name(status), fsr_error(ctx));
    fsr_error_clear(ctx);
    /* guide: end */
    EXPECT(status == FSR_ERR_BYTES && fsr_error(ctx)[0] == 0);
}

/* guide: threads */
typedef struct job {
    fsr_context *ctx; /* shared; the graph below is this thread's own */
    double from, sum;
    fsr_status status;
} job;

static void *work(void *argument) {
    job *j = argument;
    fsr_graph *g = fsr_graph_new(j->ctx);
    fsr_node x = fsr_add(fsr_arange(g, FSR_F64, 1000), fsr_param(g, "from", FSR_F64, j->from));
    j->status = fsr_read(fsr_sum(x, NULL, 0, 0), &j->sum, sizeof j->sum);
    fsr_graph_free(g);
    return NULL;
}
/* guide: end */

static void threads(fsr_context *ctx) {
    pthread_t thread[4];
    job jobs[4];
    for (int i = 0; i < 4; i++) {
        jobs[i] = (job){ctx, i * 1000.0, 0, FSR_OK};
        EXPECT(pthread_create(&thread[i], NULL, work, &jobs[i]) == 0);
    }
    for (int i = 0; i < 4; i++) {
        EXPECT(pthread_join(thread[i], NULL) == 0);
        EXPECT(jobs[i].status == FSR_OK && jobs[i].sum == 499500.0 + i * 1e6);
    }
}

static void files(fsr_context *ctx, fsr_graph *g, const char *folder) {
    char path[1024];
    snprintf(path, sizeof path, "%s/guide.npy", folder);
    /* guide: npy */
    fsr_node squares = fsr_reshape(fsr_arange(g, FSR_I64, 6), 2, (int64_t[]){2, 3});
    must(ctx, fsr_npy_write(fsr_mul(squares, squares), path));
    fsr_node again = fsr_npy_read(g, path); /* i64[2,3]; poisoned if the file cannot be read */
    /* guide: end */
    int64_t value[6];
    must(ctx, fsr_read(again, value, sizeof value));
    EXPECT(value[5] == 25 && fsr_node_dim(again, 1) == 3);
    EXPECT(remove(path) == 0);
}

int main(int argc, char **argv) {
    typedef void (*chapter)(fsr_context *, fsr_graph *);
    static const chapter chapters[] = {poison,        force,  promotion, parameters,  scopes,        views,
                                       taking,        order,  equations, contexts,    reductions,    scans,
                                       operators,     loops,  searches,  array_loops, row_functions, native_functions,
                                       native_arrays, copies, explain,   verify,      errors};
    fsr_context *ctx;
    char why[256];
    if (fsr_open_why(NULL, &ctx, why, sizeof why) != FSR_OK) {
        fprintf(stderr, "guide: %s\n", why);
        return 1;
    }
    for (size_t i = 0; i < sizeof chapters / sizeof chapters[0]; i++) {
        fsr_graph *g = fsr_graph_new(ctx);
        chapters[i](ctx, g);
        fsr_graph_free(g);
    }
    plans(ctx, fsr_graph_new(ctx));
    files(ctx, fsr_graph_new(ctx), argc > 1 ? argv[1] : ".");
    threads(ctx);
    knobs();
    fsr_close(ctx);
    return 0;
}

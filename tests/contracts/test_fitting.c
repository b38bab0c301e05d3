/* SPDX-License-Identifier: MIT */
/* What is clipped and then made an integer, in every dtype that clips it and at the limits of each; indices of 32 bits
 * that are dropped. Against plain loops, of values among which are NaN, infinities, zeros of both signs, and what lies
 * next to a limit. */
#include "tests/support/subject.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G subject_g

enum { N = 1111 };

/* NaN, infinities and ends of dtypes between numbers in no order. */
static double number(int i) {
    static const double special[] = {NAN,   INFINITY, -INFINITY,    0.0,          -0.0,          127,           127.5,
                                     128,   -128,     -128.5,       -129,         255,           255.75,        256,
                                     -1,    -0.5,     2147483520.0, 2147483648.0, -2147483648.0, -2147483904.0, 1e30,
                                     -1e30, 65535.5,  -32768.5,     32767.5};
    return i % 3 ? (double)(i * 7919 % 2001 - 1000) / 3 : special[i / 3 % COUNT_OF(special)];
}

static fsr_node numbers(fsr_graph *g, fsr_dtype dtype) {
    double x[N];
    for (int i = 0; i < N; i++)
        x[i] = number(i);
    return fsr_cast(fsr_from_host(g, FSR_F64, 1, SHAPE(N), x), dtype);
}

/* NaN becomes 0, what is between the limits is cut off. */
static int64_t clipped(double x, double low, double high) {
    return isnan(x) ? 0 : (int64_t)trunc(fmin(fmax(x, low), high));
}

/* Each in a context of its own: where plans differ in literals alone these become arguments, of which nothing is
 * known. */
static void conversions(void **state) {
    (void)state;
    static const struct {
        fsr_dtype dtype;
        double low, high;
    } all[] = {{FSR_U8, 0, 255},          {FSR_U8, -0.75, 255.5},
               {FSR_U8, 3, 250},          {FSR_I8, -128, 127},
               {FSR_I8, -128.75, 127.75}, {FSR_I16, -32768, 32767},
               {FSR_U16, 0, 65535},       {FSR_I32, -2147483648.0, 2147483520.0},
               {FSR_I32, -1, 65536},      {FSR_I32, -7.5, -1.5},
               {FSR_U8, -300, 300},       {FSR_I8, -129, 128}};
    for (int t = 0; t < COUNT_OF(all); t++) {
        fsr_context *ctx = subject_open(NULL);
        fsr_graph *g = fsr_graph_new(ctx);
        for (int wide = 0; wide < 2; wide++)
            for (int turned = 0; turned < 2; turned++) {
                fsr_node x = numbers(g, wide ? FSR_F64 : FSR_F32), low = fsr_float(g, all[t].low),
                         high = fsr_float(g, all[t].high);
                x = turned ? fsr_maximum(fsr_minimum(high, x), low) : fsr_minimum(fsr_maximum(x, low), high);
                int64_t *got = subject_read(fsr_cast(fsr_cast(x, all[t].dtype), FSR_I64));
                const double least = all[t].dtype == FSR_U8 ? 0 : -129, most = all[t].dtype == FSR_U8 ? 255 : 128;
                for (int i = 0; i < N; i++) {
                    int64_t want = clipped(wide ? number(i) : (double)(float)number(i), all[t].low, all[t].high);
                    if (all[t].low <= -129 && all[t].dtype != FSR_I32 && all[t].dtype != FSR_I16)
                        want = all[t].dtype == FSR_U8 ? (int64_t)fmin(fmax((double)want, least), most)
                                                      : (int64_t)fmin(fmax((double)want, -128), 127);
                    if (got[i] != want)
                        fail_msg("%s of %a from %g to %g: %lld, not %lld", fsr_dtype_name(all[t].dtype), number(i),
                                 all[t].low, all[t].high, (long long)got[i], (long long)want);
                }
                free(got);
            }
        fsr_graph_free(g);
        fsr_close(ctx);
    }
}

/* A minimum or maximum with a literal: NaN stays, and of equal zeros the sign is that of the reference's kind, a
 * zero. */
static void literals(void **state) {
    (void)state;
    const fsr_node x = numbers(G, FSR_F32);
    static const double literal[] = {2.5, -3, 0, 127};
    for (int l = 0; l < COUNT_OF(literal); l++) {
        float *low = subject_read(fsr_minimum(x, fsr_float(G, literal[l])));
        float *high = subject_read(fsr_maximum(x, fsr_float(G, literal[l])));
        for (int i = 0; i < N; i++) {
            const float v = (float)number(i), f = (float)literal[l];
            assert_true(isnan(v) ? isnan(low[i]) && isnan(high[i]) : low[i] == fminf(v, f) && high[i] == fmaxf(v, f));
        }
        free(low);
        free(high);
    }
}

/* Indices of every dtype of 32 bits and less, of which many lie outside, some at their dtype's ends: counted, and added
 * at. */
static void dropped(void **state) {
    (void)state;
    static const fsr_dtype dtypes[] = {FSR_I32, FSR_I16, FSR_U8, FSR_I8, FSR_U16};
    static const int64_t extents[] = {1, 5, 200, 1000};
    for (int t = 0; t < COUNT_OF(dtypes); t++)
        for (int e = 0; e < COUNT_OF(extents); e++) {
            const int64_t n = extents[e];
            int32_t raw[N];
            for (int i = 0; i < N; i++)
                raw[i] = i % 7 == 0   ? INT32_MIN + i / 7 % 3
                         : i % 7 == 1 ? INT32_MAX - i / 7 % 3
                                      : i * 7919 % 2500 - 1250;
            fsr_node index = fsr_cast(fsr_from_host(G, FSR_I32, 1, SHAPE(N), raw), dtypes[t]),
                     step = fsr_arange(G, FSR_I64, N);
            index = fsr_where(fsr_equal(index, fsr_int(G, 77)), fsr_cast(fsr_int(G, 3), dtypes[t]), index);
            int64_t *own = subject_read(fsr_cast(index, FSR_I64));
            int64_t *got =
                subject_read(fsr_scatter_add(fsr_zeros(G, FSR_I64, 1, &n), &index, 1, step, FSR_INDEX_DROP, 0));
            int64_t *want = calloc((size_t)n, sizeof *want);
            for (int i = 0; i < N; i++) {
                const int64_t at = own[i] < 0 ? own[i] + n : own[i];
                if (at >= 0 && at < n)
                    want[at] += i;
            }
            assert_memory_equal(got, want, (size_t)n * sizeof *want);
            free(own);
            free(got);
            free(want);
        }
}

static const struct CMUnitTest tests[] = {SUBJECT_TEST(conversions), SUBJECT_TEST(literals), SUBJECT_TEST(dropped)};
SUBJECT_MAIN(tests)

/* SPDX-License-Identifier: MIT */
/* Every conversion x size x layout against the reference, and chains of conversions, which nobody may shorten. */
#include "tests/support/subject.h"
#include <stdlib.h>
#include <string.h>

static const int64_t sizes[] = {0, 1, 31, 32, 33, 257, 1023, 1025, 4096, 100003};

static fsr_node source(fsr_dtype dtype, int layout, int64_t n) {
    switch (layout) {
    case 0: return subject_data(dtype, 1, SHAPE(n), SUBJECT_SPECIAL, 0);
    case 1:
        return fsr_slice(subject_data(dtype, 1, SHAPE(3 * n + 1), SUBJECT_SPECIAL, 0), 0, FSR_SLICE_END, FSR_SLICE_END,
                         -3);
    case 2: return fsr_transpose(subject_data(dtype, 2, SHAPE(3, n), SUBJECT_SPECIAL, 0), NULL);
    default: return fsr_broadcast_to(subject_data(dtype, 2, SHAPE(n, 1), SUBJECT_SPECIAL, 0), 2, SHAPE(n, 3));
    }
}

/* One element, whose kernels have no loop, and more than any other size has: the fast tier has them of every third
 * dtype, contiguous; the other sizes of each dtype contiguous and in one layout more. */
static subject_tier tier_of(int from, int layout, int64_t n) {
    if (n > 5000 && layout > 0)
        return SUBJECT_LONG;
    if (n == 1 || n > 5000)
        return layout > 0 || from % 3 ? SUBJECT_CAPPED : SUBJECT_FAST;
    return layout == 0 || layout == 1 + from % 3 ? SUBJECT_FAST : SUBJECT_CAPPED;
}

static void each_pair(void **state) {
    (void)state;
    for (int from = 0; from < FSR_DTYPE_COUNT; ++from)
        for (int layout = 0; layout < 4; ++layout)
            for (int s = 0; s < COUNT_OF(sizes); ++s) {
                if (!subject_case(from, tier_of(from, layout, sizes[s])))
                    continue;
                fsr_node x = source((fsr_dtype)from, layout, sizes[s]), out[FSR_DTYPE_COUNT];
                const char *name[FSR_DTYPE_COUNT];
                for (int to = 0; to < FSR_DTYPE_COUNT; ++to) {
                    out[to] = fsr_cast(x, (fsr_dtype)to);
                    name[to] = fsr_dtype_name((fsr_dtype)to);
                    assert_int_equal(fsr_node_dtype(out[to]), to);
                }
                subject_verify(out, FSR_DTYPE_COUNT, name, "cast of %s, layout %d, n = %lld",
                               fsr_dtype_name((fsr_dtype)from), layout, (long long)sizes[s]);
                fsr_graph_free(subject_g);
                subject_g = fsr_graph_new(subject_ctx);
            }
}

/* a -> b -> c for every triple; two casts are never one: f64 -> f32 -> f64 rounds, i32 -> u8 -> i32 wraps. Each is many
 * long kernels: the fast tier has every sixth dtype as the first one, bool, u32 and f64. */
static void each_chain(void **state) {
    (void)state;
    for (int from = 0; from < FSR_DTYPE_COUNT; ++from) {
        if (!subject_case(from + 2, from % 6 == FSR_F64 % 6 ? SUBJECT_FAST : SUBJECT_CAPPED))
            continue;
        fsr_node x = source((fsr_dtype)from, 0, 1025), out[FSR_DTYPE_COUNT * FSR_DTYPE_COUNT];
        int n = 0;
        for (int via = 0; via < FSR_DTYPE_COUNT; ++via)
            for (int to = 0; to < FSR_DTYPE_COUNT; ++to)
                out[n++] = fsr_cast(fsr_cast(x, (fsr_dtype)via), (fsr_dtype)to);
        subject_verify(out, n, NULL, "chains from %s", fsr_dtype_name((fsr_dtype)from));
        subject_count("chains", n);
    }
}

/* A bool is 0 or 1, whatever byte the caller handed over. */
static void bools_are_normal(void **state) {
    (void)state;
    const uint8_t bytes[] = {0, 1, 2, 255, 128};
    const uint8_t want[] = {0, 1, 1, 1, 1};
    fsr_node x = fsr_from_host(subject_g, FSR_BOOL, 1, SHAPE(5), bytes);
    uint8_t *data = subject_read(x);
    assert_memory_equal(data, want, 5);
    free(data);
    data = subject_read(fsr_cast(x, FSR_U8));
    assert_memory_equal(data, want, 5);
    free(data);
    assert_int_equal(subject_value(fsr_sum(x, NULL, 0, 0), 0), 4);
    fsr_plan *plan;
    fsr_node in = fsr_input(subject_g, "b", FSR_BOOL, 1, SHAPE(5)), total = fsr_sum(in, NULL, 0, 0);
    OK(fsr_compile(&total, 1, &plan));
    int64_t sum = 0;
    OK(fsr_plan_run(plan, &(fsr_arg){"b", (void *)bytes, 5, FSR_HOST}, 1, &(fsr_arg){NULL, &sum, 8, FSR_HOST}, 1,
                    NULL));
    fsr_plan_free(plan);
    assert_int_equal(sum, 4);
}

static const struct CMUnitTest tests[] = {
    SUBJECT_CASES(each_pair),
    SUBJECT_CASES(each_chain),
    SUBJECT_TEST(bools_are_normal),
};
SUBJECT_MAIN(tests)

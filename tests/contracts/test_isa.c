/* SPDX-License-Identifier: MIT */
/* The cap of the CPU's instructions, and the knob `optimize`: what generated C is compiled for, the same bits at each
 * level, kernels of another level on disk, and what the context says of it. */
#include "runtime/context.h"
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct level {
    int isa;
    const char *name;
} levels[] = {{FSR_ISA_NATIVE, ""},
#if defined __x86_64__
              {FSR_ISA_AVX512, ", at most avx512"},
              {FSR_ISA_AVX2, ", at most avx2"},
#endif
              {FSR_ISA_BASELINE, ", at most baseline"}};

/* Bytes of the vectors that a text is compiled for. */
static const fsr_native width = {.name = "width",
                                 .result = FSR_I32,
                                 .parameters = "i32 x",
                                 .c = "#if defined __AVX512BW__\nreturn 64 + 0 * x;\n#elif defined __AVX2__\nreturn 32 "
                                      "+ 0 * x;\n#else\nreturn 16 + 0 * x;\n#endif\n"};

static int width_of(fsr_context *ctx) {
    int32_t got = 0;
    fsr_graph *g = fsr_graph_new(ctx);
    const fsr_node x = fsr_from_host(g, FSR_I32, 0, NULL, &got);
    if (fsr_read(fsr_call_native(&width, &x, 1), &got, sizeof got))
        fail_msg("%s", fsr_error(ctx));
    fsr_graph_free(g);
    return got;
}

static fsr_context *open_effort(int isa, int optimize, const char *cache) {
    fsr_config config = subject_config();
    config.isa = isa;
    config.optimize = optimize;
    config.cache_dir = cache;
    config.log_level = FSR_LOG_SILENT;
    return subject_open(&config);
}

static fsr_context *open_level(const struct level *level, const char *cache) {
    return open_effort(level->isa, 1, cache);
}

/* No wider than the cap, and what the device's name says is what is done: a machine with less has another name. */
static void caps(void **state) {
    (void)state;
    static const int most[] = {
        [FSR_ISA_NATIVE] = 64, [FSR_ISA_AVX512] = 64, [FSR_ISA_AVX2] = 32, [FSR_ISA_BASELINE] = 16};
    static const int least[] = {
        [FSR_ISA_NATIVE] = 16, [FSR_ISA_AVX512] = 64, [FSR_ISA_AVX2] = 32, [FSR_ISA_BASELINE] = 16};
    for (int i = 0; i < COUNT_OF(levels); i++) {
        fsr_context *ctx = open_level(&levels[i], "");
        const char *name = fsr_device_name(ctx), *cap = strstr(name, ", at most ");
        const int bytes = width_of(ctx);
        if (cap)
            assert_string_equal(cap, levels[i].name);
        else
            assert_int_not_equal(levels[i].isa, FSR_ISA_BASELINE);
        fsr_backend_facts facts;
        fsr_context_backend(ctx)->ops->facts(fsr_context_backend(ctx), &facts);
        assert_string_equal(facts.isa, bytes == 64 ? "avx512" : bytes == 32 ? "avx2" : "baseline");
        assert_int_equal(facts.vectors, bytes > 16 ? bytes : 0);
        assert_true(facts.threads >= 1 && facts.compiler[0] && !strchr(facts.compiler, '\n') && !facts.driver[0]);
        assert_in_range(bytes, cap ? least[levels[i].isa] : 16, most[levels[i].isa]);
        fsr_close(ctx);
    }
}

/* Results whose bits no level changes: one operation rounds once, and folds are associated alike. */
static int exact_results(fsr_node x, fsr_node *out) {
    fsr_node h = subject_data(FSR_F16, 1, SHAPE(5001), SUBJECT_SPECIAL, 0), d = fsr_cast(x, FSR_F64);
    fsr_node e = fsr_sub(x, fsr_max(x, AXES(1), 1, FSR_KEEPDIMS));
    out[0] = fsr_div(e, fsr_sum(e, AXES(1), 1, FSR_KEEPDIMS));
    out[1] = fsr_var(x, NULL, 0, 0, 0);
    out[2] = fsr_sum(x, AXES(0), 1, 0);
    out[3] = fsr_cumsum(x, AXES(1), 1, 0);
    out[4] = fsr_cumsum(d, AXES(0), 1, 0);
    out[5] = fsr_filter(fsr_mul(x, d), fsr_less(x, fsr_float(x.graph, 0.25)), fsr_float(x.graph, 9));
    out[6] = fsr_add(fsr_mul(h, h), fsr_sqrt(fsr_abs(h)));
    out[7] = fsr_cast(fsr_mul(x, fsr_float(x.graph, 300)), FSR_I8);
    out[8] = fsr_sum(fsr_fma(d, d, fsr_floor(d)), NULL, 0, 0);
    return 9;
}

/* Elementary functions: with a fused multiply-add, which only the baseline lacks, their last bits are others. */
static int elementary_results(fsr_node x, fsr_node *out) {
    fsr_node d = fsr_cast(x, FSR_F64), e = fsr_exp(x);
    out[0] = fsr_div(e, fsr_sum(e, AXES(1), 1, FSR_KEEPDIMS));
    out[1] = fsr_cumsum(fsr_sin(d), AXES(0), 1, 0);
    out[2] = fsr_pow(fsr_abs(x), d);
    out[3] = fsr_tanh(fsr_cast(x, FSR_F16));
    return 4;
}

enum { RESULTS = 9 };

/* Their bits, one after the other, malloc'ed. */
static char *bits_of(fsr_context *ctx, bool elementary, size_t *size) {
    fsr_node out[RESULTS];
    fsr_graph *g = subject_g = fsr_graph_new(ctx);
    fsr_node x = subject_data(FSR_F32, 2, SHAPE(33, 1027), SUBJECT_SMALL, 0);
    const int n = elementary ? elementary_results(x, out) : exact_results(x, out);
    *size = 0;
    for (int i = 0; i < n; i++)
        *size += (size_t)fsr_node_bytes(out[i]);
    char *all = calloc(1, *size), *at = all;
    assert_non_null(all);
    if (fsr_compute(out, n))
        fail_msg("%s", fsr_error(ctx));
    for (int i = 0; i < n; at += fsr_node_bytes(out[i]), i++)
        assert_int_equal(fsr_read(out[i], at, (size_t)fsr_node_bytes(out[i])), FSR_OK);
    fsr_graph_free(g);
    subject_g = NULL;
    return all;
}

static void same_bits(bool elementary, int most) {
    size_t size = 0, other = 0;
    char *native = NULL;
    for (int i = 0; i < COUNT_OF(levels) && levels[i].isa <= most; i++) {
        fsr_context *ctx = open_level(&levels[i], "");
        char *got = bits_of(ctx, elementary, &other);
        if (i == 0) {
            native = got;
            size = other;
        } else {
            assert_int_equal(other, size);
            if (memcmp(native, got, size) != 0)
                fail_msg("isa %d has other bits than native code", levels[i].isa);
            free(got);
        }
        fsr_close(ctx);
    }
    free(native);
}

static void changes_no_bit(void **state) {
    (void)state;
    same_bits(false, FSR_ISA_BASELINE);
}

enum { WHOLE = 64 * 64 * 3 };

/* Numbers of every length, and beside them sums of two powers of two and what is one away: ties of each rounding, which
 * the last bit must decide. */
static void fill_whole(uint64_t *x) {
    int n = 0;
    for (int i = 0; i < 64; i++)
        for (int k = 0; k < 64; k++)
            for (int d = -1; d <= 1; d++)
                x[n++] = ((uint64_t)1 << i) + ((uint64_t)1 << k) +
                         (uint64_t)(int64_t)d * (i & 1 ? (uint64_t)1 << (k / 2) : 1);
}

static void check_whole(fsr_context *ctx, const uint64_t *x) {
    static float s[2][WHOLE];
    static double d[2][WHOLE];
    fsr_graph *g = fsr_graph_new(ctx);
    const int64_t shape[] = {WHOLE};
    const fsr_node of[] = {fsr_from_host(g, FSR_I64, 1, shape, x), fsr_from_host(g, FSR_U64, 1, shape, x)};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(fsr_read(fsr_cast(of[i], FSR_F32), s[i], sizeof s[i]), FSR_OK);
        assert_int_equal(fsr_read(fsr_cast(of[i], FSR_F64), d[i], sizeof d[i]), FSR_OK);
    }
    for (int i = 0; i < WHOLE; i++)
        if (s[0][i] != (float)(int64_t)x[i] || d[0][i] != (double)(int64_t)x[i] || s[1][i] != (float)x[i] ||
            d[1][i] != (double)x[i])
            fail_msg("%llx: %a %a %a %a", (unsigned long long)x[i], (double)s[0][i], d[0][i], (double)s[1][i], d[1][i]);
    fsr_graph_free(g);
}

/* A 64-bit whole number is rounded once, at every level: only AVX-512 has an instruction for it. */
static void rounds_whole_numbers_once(void **state) {
    (void)state;
    static uint64_t x[WHOLE];
    fill_whole(x);
    for (int i = 0; i < COUNT_OF(levels); i++) {
        fsr_context *ctx = open_level(&levels[i], "");
        check_whole(ctx, x);
        fsr_close(ctx);
    }
}

enum { LONGEST = 1100 };

/* What filters by `selected` give of 1, 2 ... n, and nothing of theirs beyond: the selected ones in order, then a tenth
 * each; and the former alone. */
static void check_filters(fsr_context *ctx, int n, const uint8_t *selected) {
    static float s[LONGEST], got[2][LONGEST];
    static double d[LONGEST], wide[LONGEST];
    fsr_graph *g = fsr_graph_new(ctx);
    int64_t there = 0, count = 0;
    for (int i = 0; i < n; i++)
        d[i] = s[i] = (float)(i + 1);
    const int64_t shape[] = {n};
    const fsr_node mask = fsr_from_host(g, FSR_BOOL, 1, shape, selected), x = fsr_from_host(g, FSR_F32, 1, shape, s);
    const fsr_node y = fsr_from_host(g, FSR_F64, 1, shape, d);
    assert_int_equal(fsr_read(fsr_filter(x, mask, fsr_float(g, 0.1)), got[0], sizeof(float) * (size_t)n), FSR_OK);
    assert_int_equal(fsr_read(fsr_filter(y, mask, fsr_float(g, 0.1)), wide, sizeof(double) * (size_t)n), FSR_OK);
    assert_int_equal(fsr_read_live(fsr_compress(mask, x), got[1], sizeof got[1], &there), FSR_OK);
    for (int i = 0; i < n; i++)
        if (selected[i]) {
            assert_true(got[0][count] == s[i] && got[1][count] == s[i] && wide[count] == d[i]);
            count++;
        }
    assert_int_equal(there, count);
    for (int64_t i = count; i < n; i++)
        assert_true(got[0][i] == 0.1f && wide[i] == 0.1);
    fsr_graph_free(g);
}

/* Filters by vectors of each level, of lengths around these, and of each of 256 masks. */
static void filters_pack_alike(void **state) {
    (void)state;
    static const int length[] = {1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 511, 512, 513, 1027};
    static uint8_t every[LONGEST], some[4][LONGEST];
    for (int i = 0; i < LONGEST; i++) {
        every[i] = (uint8_t)(i / 8 >> i % 8 & 1);
        for (int k = 0; k < 4; k++)
            some[k][i] = k == 3 || ((unsigned)i * 2654435761u >> 20) % 4 < (unsigned)k;
    }
    for (int i = 0; i < COUNT_OF(levels); i++) {
        fsr_context *ctx = open_level(&levels[i], "");
        for (int k = 0; k < 4; k++)
            for (int l = 0; l < COUNT_OF(length); l++)
                check_filters(ctx, length[l], some[k]);
        check_filters(ctx, LONGEST, every);
        fsr_close(ctx);
    }
}

static void changes_no_bit_of_functions(void **state) {
    (void)state;
    same_bits(true, FSR_ISA_AVX2);
}

static void quick_kernels_change_no_bit(void **state) {
    (void)state;
    for (int elementary = 0; elementary < 2; elementary++) {
        size_t size[2];
        char *got[2];
        for (int optimize = 0; optimize < 2; optimize++) {
            fsr_context *ctx = open_effort(FSR_ISA_NATIVE, optimize, "");
            got[optimize] = bits_of(ctx, elementary, &size[optimize]);
            fsr_close(ctx);
        }
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(got[0], got[1], size[0]);
        free(got[0]);
        free(got[1]);
    }
}

static int64_t compilations_of(int optimize, const char *cache) {
    fsr_stats stats;
    fsr_context *ctx = open_effort(FSR_ISA_NATIVE, optimize, cache);
    width_of(ctx);
    assert_int_equal(fsr_context_stats(ctx, &stats), FSR_OK);
    fsr_close(ctx);
    return stats.compilations;
}

/* One cache serves all levels: each finds its own kernel there, never another's. */
static void each_its_own_objects(void **state) {
    (void)state;
    char dir[64];
    int first[COUNT_OF(levels)];
    subject_temporary_dir(dir);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < COUNT_OF(levels); i++) {
            fsr_context *ctx = open_level(&levels[i], dir);
            fsr_stats stats;
            const int bytes = width_of(ctx);
            assert_int_equal(fsr_context_stats(ctx, &stats), FSR_OK);
            if (round == 0)
                first[i] = bytes;
            else
                assert_int_equal(stats.compilations, 0);
            assert_int_equal(bytes, first[i]);
            fsr_close(ctx);
        }
    subject_remove_dir(dir);
}

static void quick_kernels_are_others(void **state) {
    (void)state;
    char dir[64];
    subject_temporary_dir(dir);
    assert_int_equal(compilations_of(1, dir), 1);
    assert_int_equal(compilations_of(0, dir), 1);
    assert_int_equal(compilations_of(1, dir), 0);
    assert_int_equal(compilations_of(0, dir), 0);
    subject_remove_dir(dir);
}

static void unknown(void **state) {
    (void)state;
    fsr_config config = subject_config();
    fsr_context *ctx = NULL;
    char why[200];
    config.isa = 4;
    assert_int_equal(fsr_open_why(&config, &ctx, why, sizeof why), FSR_ERR_VALUE);
    assert_null(ctx);
    assert_string_equal(why, "fsr_open: isa is '4'; it must be native, avx512, avx2 or baseline");
    config.isa = FSR_ISA_NATIVE;
    config.optimize = 2;
    assert_int_equal(fsr_open_why(&config, &ctx, why, sizeof why), FSR_ERR_VALUE);
    assert_string_equal(why, "fsr_open: optimize is '2'; it must be an integer from 0 to 1");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(caps),
    cmocka_unit_test(changes_no_bit),
    cmocka_unit_test(rounds_whole_numbers_once),
    cmocka_unit_test(filters_pack_alike),
    cmocka_unit_test(changes_no_bit_of_functions),
    cmocka_unit_test(quick_kernels_change_no_bit),
    cmocka_unit_test(each_its_own_objects),
    cmocka_unit_test(quick_kernels_are_others),
    cmocka_unit_test(unknown),
};
SUBJECT_MAIN(tests)

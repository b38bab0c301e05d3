/* SPDX-License-Identifier: MIT */
/* Words sorted and selected in place by each instruction set that this machine has, against qsort: every number of
 * words around vectors, networks and partitions, input that is hard on pivots, and depths that leave everything to
 * heaps. */
#include "backend_cpu/run/vectors.h"
#include "tests/support/subject.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 3000, PATTERNS = 8 };

static int64_t word_of(int pattern, int i, int n, uint32_t *state) {
    const uint64_t high = subject_random(state), random = high << 32 | subject_random(state);
    const int64_t word[PATTERNS] = {
        (int64_t)random, 3, i, n - i, i < n / 2 ? i : n - i, (int64_t)(random % 3) - 1, i % 2 ? INT64_MIN : INT64_MAX,
        INT64_MIN};
    return word[pattern];
}

static int64_t shorter(int64_t x) {
    return x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : x;
}

static int compare(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Element k is the sorted row's, the others lie on its sides, and all are still there. */
static void check_selected(const int64_t *got, const int64_t *want, int n, int k) {
    static int64_t again[MOST];
    assert_true(got[k] == want[k]);
    for (int i = 0; i < n; i++)
        assert_true(i < k ? got[i] <= got[k] : got[i] >= got[k]);
    memcpy(again, got, (size_t)n * sizeof *again);
    qsort(again, (size_t)n, sizeof *again, compare);
    assert_memory_equal(again, want, (size_t)n * sizeof *again);
}

static void check(const fsr_vectors *v, int n, int pattern, int depth) {
    static int64_t x[MOST + 1], want[MOST], own[MOST + 1];
    static int32_t narrow[MOST + 1];
    uint32_t state = 7;
    for (int bits = 32; bits <= 64; bits += 32)
        for (int select = 0; select < 2; select++) {
            const int k = select ? (int)(subject_random(&state) % (uint32_t)n) : 0;
            for (int i = 0; i < n; i++) {
                x[i] = word_of(pattern, i, n, &state);
                x[i] = bits == 32 ? shorter(pattern ? x[i] : (int32_t)x[i]) : x[i];
                narrow[i] = (int32_t)x[i];
                own[i] = want[i] = x[i];
            }
            narrow[n] = 77;
            own[n] = 77;
            qsort(want, (size_t)n, sizeof *want, compare);
            if (bits == 32 && select)
                v->select_32(narrow, n, k, depth);
            else if (bits == 32)
                v->sort_32(narrow, n, depth);
            else if (select)
                v->select_64(own, n, k, depth);
            else
                v->sort_64(own, n, depth);
            for (int i = 0; bits == 32 && i <= n; i++)
                own[i] = narrow[i];
            assert_true(own[n] == 77);
            if (select)
                check_selected(own, want, n, k);
            else
                assert_memory_equal(own, want, (size_t)n * sizeof *want);
        }
    subject_count("rows", 4);
}

static void each(fsr_isa_kind most, const char *name) {
    const fsr_vectors *v = fsr_vectors_of(fsr_simd_of(most));
    if (!v || strcmp(v->name, name) != 0) {
        print_message("this machine has no %s: skipped\n", name);
        return;
    }
    for (int n = 1; n < MOST; n += n < 300 ? 1 : 97)
        for (int pattern = 0; pattern < PATTERNS; pattern++)
            for (int deep = 0; deep < 2; deep++)
                if (deep || n > 64)
                    check(v, n, pattern, deep ? fsr_vectors_depth(n) : n % 2);
}

static void avx2(void **state) {
    (void)state;
    each(FSR_ISA_AVX2, "avx2");
}

static void avx512(void **state) {
    (void)state;
    each(FSR_ISA_AVX512, "avx512");
}

/* Bits become words in their order, every NaN the last one, and bits again; the bounds of words. */
static void words(void **state) {
    (void)state;
    static const uint32_t bits[] = {0xff800000, 0xc0000000, 0x80000001, 0x80000000, 0,
                                    1,          0x3f800000, 0x7f800000, 0x7fc00000};
    static const uint32_t nan[] = {0xffc00001, 0x7f800001, 0xff800001};
    const fsr_word_form form = {0x7fffffff, 0, 0x7fffffff, 0x7f800000, 0x7fc00000};
    const fsr_vectors *v = fsr_vectors_of(fsr_simd_of(FSR_ISA_NATIVE));
    if (!v)
        return;
    for (int n = 1; n < 200; n++) {
        uint32_t in[200], out[200];
        int32_t word[200], least, greatest;
        for (int i = 0; i < n; i++)
            in[i] = i % 12 < 9 ? bits[i % 12] : nan[i % 12 - 9];
        v->enter_32(&form, in, n, word);
        v->leave_32(&form, word, n, out);
        for (int i = 0; i < n; i++) {
            assert_true(out[i] == (i % 12 < 9 ? bits[i % 12] : 0x7fc00000));
            assert_true(i % 12 == 0 || (i % 12 < 9 ? word[i - 1] < word[i] : word[i] == word[8]));
        }
        v->bounds_32(word, n, &least, &greatest);
        assert_true(least == word[0] && greatest == word[n < 9 ? n - 1 : 8]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_TEST(avx2), SUBJECT_TEST(avx512), SUBJECT_TEST(words)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}

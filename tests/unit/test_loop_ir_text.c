/* SPDX-License-Identifier: MIT */
/* The text of the loop IR read back: whole for kernels built by hand and drawn at random, and refused with the place
 * and the reason where a line is not in the form or a rule of the IR is broken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fusion/loop_ir_parse.h"
#include "tests/support/kernels.h"

static char *text_of(const fsr_kernel *k) {
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    assert_non_null(to);
    fsr_kernel_print(k, to);
    assert_int_equal(fclose(to), 0);
    return text;
}

static void reads_back(fsr_kernel *k) {
    fsr_parse_error error = {0};
    fsr_kernel *copy;
    const char *rest;
    char *text = text_of(k);
    if (fsr_kernel_parse(text, &copy, &rest, &error))
        fail_msg("line %d, column %d: %s\n%s", error.line, error.column, error.message, text);
    assert_string_equal(rest, "");
    char *again = text_of(copy);
    assert_string_equal(again, text);
    free(text);
    free(again);
    fsr_kernel_free(copy);
    fsr_kernel_free(k);
}

static void test_by_hand(void **state) {
    char comment[2000];
    fsr_kernel *named = kernel_softmax(true);
    (void)state;
    memset(comment, 'x', sizeof comment);
    assert_true(fsr_kernel_say(named, comment, sizeof comment - 1));
    reads_back(named);
    reads_back(kernel_softmax(true));
    reads_back(kernel_softmax(false));
    reads_back(kernel_column_sums(FSR_C64));
    reads_back(kernel_scan(FSR_I32, true));
    reads_back(kernel_recurrence());
    reads_back(kernel_argmax(FSR_U8));
    reads_back(kernel_fold_recurrence());
    reads_back(kernel_scan_of_scan(FSR_F32));
    reads_back(kernel_narrow(kernel_scan_of_scan(FSR_F32)));
    reads_back(kernel_late_scan(true));
    reads_back(kernel_planes(FSR_BF16));
    reads_back(kernel_loop_map(FSR_F64));
    reads_back(kernel_loop_sums(FSR_I64));
    reads_back(kernel_map(FSR_F16));
    reads_back(kernel_bent(FSR_I64, true, false));
    reads_back(kernel_loop_same(FSR_BF16));
}

static void test_at_random(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        fsr_schedule s = {.target = FSR_TARGET_GPU,
                          .kind = seed % 3 ? FSR_SCHEDULE_ROW : FSR_SCHEDULE_COL,
                          .threads = 64,
                          .abreast = seed % 3 ? 32 : 64,
                          .vector = 1,
                          .items = 4,
                          .persistent = seed % 3 && seed % 2};
        reads_back(kernel_random(seed, s, seed % 2));
    }
}

/* The same kernels scheduled for a CPU. */
static void test_for_a_cpu(void **state) {
    (void)state;
    fsr_kernel *k[] = {kernel_softmax(true),    kernel_row_sums(FSR_F32),      kernel_scan(FSR_F32, true),
                       kernel_recurrence(),     kernel_fold_recurrence(),      kernel_scan_of_scan(FSR_F32),
                       kernel_planes(FSR_BF16), kernel_loop_map(FSR_F64),      kernel_loop_sums(FSR_I64),
                       kernel_map(FSR_F16),     kernel_column_scan(FSR_F32, 1)};
    for (size_t i = 0; i < sizeof k / sizeof *k; i++) {
        fsr_schedule_kind kind = k[i]->npasses ? FSR_SCHEDULE_ROW : FSR_SCHEDULE_MAP;
        k[i]->schedule = kernel_cpu_schedule(i == 10 ? FSR_SCHEDULE_COL : kind, 16, 512, i == 10 ? 64 : 1);
        reads_back(kernel_finished(k[i]));
    }
    for (uint64_t seed = 1; seed <= 300; seed++) {
        fsr_schedule s = kernel_cpu_schedule(seed % 3 ? FSR_SCHEDULE_ROW : FSR_SCHEDULE_COL, 8, 512, 32);
        reads_back(kernel_random(seed, s, seed % 2));
    }
}

/* A kernel with every sort of line that the two above lack. */
static const char everything[] =
    "kernel k_all: one, of each\n"
    "  domain [d0, fold d1] passes 1 ints 12\n"
    "  array b0 c64\n"
    "  array b1 f32 written aliased\n"
    "  scalar s0 u64\n"
    "  routine u0 f32 half(f32 x, u64 n) ulp=0.5 c=\"return x / n; /* \\\"2\\\" */\"\n"
    "  schedule gpu row threads 32 abreast 32 vector 1 items 1 accumulators 1 resident 0 wide contraction\n"
    "  fold f0 p0 reduce (f32 from -inf) commutative maximum\n"
    "  guard g0 0 <= i6 + d0*i7 + d1 < i8 step i9 and 0 <= d1 < i10\n"
    "  p0 row  v0 = u64 s0\n"
    "  p0 row  v1 = f32 nan:7fc12345\n"
    "  p0 elem v2 = c64 load b0[(i6 + d0*2 + d1) / i9] if g0\n"
    "  p0 elem v3 = bool g0\n"
    "  p0 elem v4 = f32 real.c64(v2)\n"
    "  p0 elem v5 = f32 where(v3, v4, v1)\n"
    "  p0 elem v6 = f32 call u0(v5, v0)\n"
    "  p0 elem f0 <- v6\n"
    "  p1 row  v8 = f32 f0.0\n"
    "  p1 row  store b1[d0] row_linear = v8\n";

static void test_every_line(void **state) {
    (void)state;
    fsr_parse_error error = {0};
    fsr_kernel *k;
    if (fsr_kernel_parse(everything, &k, NULL, &error))
        fail_msg("line %d, column %d: %s", error.line, error.column, error.message);
    char *text = text_of(k);
    assert_string_equal(text, everything);
    free(text);
    reads_back(k);
}

static void test_several(void **state) {
    (void)state;
    char *text = malloc(2 * sizeof everything + 20);
    fsr_kernel *k;
    const char *rest;
    assert_non_null(text);
    snprintf(text, 2 * sizeof everything + 20, "# two of them\n\n%s\n%s", everything, everything);
    assert_int_equal(fsr_kernel_parse(text, &k, &rest, NULL), FSR_OK);
    fsr_kernel_free(k);
    assert_string_equal(rest, everything);
    free(text);
}

typedef struct refusal {
    const char *from, *to, *error;
} refusal;

static void test_refuses(void **state) {
    (void)state;
    static const refusal refusals[] = {
        {"kernel", "colonel", "1:1: expected kernel"},
        {"[d0, fold d1]", "[fold d0, d1]", "2:22: a parallel dimension behind a folded one"},
        {"b1 f32 written", "b2 f32 written", "4:11: they count up from b0"},
        {"c64\n", "c65\n", "3:11: c65 is no dtype"},
        {"gpu row", "row", "7:12: expected gpu or cpu"},
        {"row threads", "rows threads", "7:20: rows is no schedule"},
        {"maximum", "exp", "8:49: exp does not fold these"},
        {"< i8", "< i12", "9:36: the number is out of range"},
        {"s0\n  p0", "s1\n  p0", "10:21: the number is out of range"},
        {"v1 = f32", "v3 = f32", "11:12: the number is out of range"},
        {"real.c64(v2)", "unreal.c64(v2)", "14:20: unreal is no op"},
        {"where(v3, v4", "where(v3, v5", "15:31: the number is out of range"},
        {"call u0(v5, v0)", "call u0(v5)", "16:31: the function takes 2 values"},
        {"= v8\n", "= v8 twice\n", "19:40: the line goes on"},
        {"row_linear = v8", "linear row_linear = v8", "20:1: v9: ROW access 1 is linear over the whole domain"},
        {"maximum\n", "\n    t0 = f32 left0\n    t1 = f32 right0\n    gives t2\n", "11:12: the number is out of range"},
        {"maximum\n", "\n    t0 = f32 left0\n    t1 = f32 left1\n    gives t0\n", "10:14: left1 is no op"},
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const refusal *r = &refusals[i];
        char text[sizeof everything + 100], got[200];
        const char *at = strstr(everything, r->from);
        fsr_parse_error error = {0};
        fsr_kernel *k = (fsr_kernel *)text;
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - everything), everything, r->to, at + strlen(r->from));
        assert_int_equal(fsr_kernel_parse(text, &k, NULL, &error), FSR_ERR_FORMAT);
        assert_null(k);
        snprintf(got, sizeof got, "%d:%d: %s", error.line, error.column, error.message);
        wrong += strcmp(got, r->error) != 0;
        if (strcmp(got, r->error) != 0)
            print_error("%s -> %s\n  got      %s\n  expected %s\n", r->from, r->to, got, r->error);
    }
    assert_int_equal(wrong, 0);
}

static void test_misuse(void **state) {
    (void)state;
    fsr_kernel *k;
    assert_int_equal(fsr_kernel_parse(NULL, &k, NULL, NULL), FSR_ERR_NULL);
    assert_null(k);
    assert_int_equal(fsr_kernel_parse(everything, NULL, NULL, NULL), FSR_ERR_NULL);
    assert_int_equal(fsr_kernel_parse("", &k, NULL, NULL), FSR_ERR_FORMAT);
}

/* Cut off anywhere, or with a byte changed: refused, or a kernel that verifies. Never a crash. */
static void test_damaged(void **state) {
    (void)state;
    char text[sizeof everything], why[200];
    uint64_t random = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        fsr_kernel *k;
        memcpy(text, everything, sizeof text);
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        size_t at = random % (sizeof text - 1);
        text[at] = i % 2 ? 0 : everything[(random >> 32) % (sizeof text - 1)];
        if (fsr_kernel_parse(text, &k, NULL, NULL) == FSR_OK) {
            assert_int_equal(fsr_kernel_verify(k, why, sizeof why), FSR_OK);
            fsr_kernel_free(k);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),    cmocka_unit_test(test_at_random), cmocka_unit_test(test_for_a_cpu),
        cmocka_unit_test(test_every_line), cmocka_unit_test(test_several),   cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_misuse),     cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Addresses with computed values: kernels given as text, run by the interpreter, as C and as CUDA on the host, against
 * plain loops. Indices lie inside and far outside; arrays have their exact size, so that under the address sanitizer a
 * wild read is seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend_cuda/emit_cuda.h"
#include "fusion/address.h"
#include "fusion/loop_ir_parse.h"
#include "runtime/text.h"
#include "tests/host_cuda/host_cuda.h"
#include "tests/support/cpu_fixture.h"

enum { N = 37, M = 53 };

/* y[i] = x[index[i]] + 1 */
static const char gather[] = "kernel k_gather: take\n"
                             "  domain [d0] passes 0 ints 6\n"
                             "  array b0 i64\n"
                             "  array b1 f32\n"
                             "  array b2 u64 written\n"
                             "  array b3 f32 written\n"
                             "  schedule %s\n"
                             "  p0 row  v0 = i64 load b0[d0] linear row_linear\n"
                             "  p0 row  v1 = i64 %s(v0, i5)%s\n"
                             "  p0 row  v2 = f32 load b1[v1]\n"
                             "  p0 row  v3 = f32 1\n"
                             "  p0 row  v4 = f32 add(v2, v3)\n"
                             "  p0 row  store b3[d0] linear row_linear = v4\n";

static fsr_kernel *parse(const char *text) {
    fsr_parse_error error = {0};
    fsr_kernel *k;
    if (fsr_kernel_parse(text, &k, NULL, &error))
        fail_msg("line %d, column %d: %s\n%s", error.line, error.column, error.message, text);
    char *again = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&again, &size);
    assert_non_null(to);
    fsr_kernel_print(k, to);
    assert_int_equal(fclose(to), 0);
    assert_string_equal(again, text);
    free(again);
    return k;
}

static fsr_kernel *gather_kernel(fsr_index_mode mode, bool gpu) {
    char text[2048];
    bool raises = mode == FSR_INDEX_RAISE;
    snprintf(text, sizeof text, gather,
             gpu ? "gpu map threads 32 abreast 1 vector 1 items 2 accumulators 0 resident 0"
                 : "cpu map abreast 1 lanes 8 chunk 4096 work 3 flat",
             fsr_index_mode_name(mode), raises ? " to b2" : "");
    const char *words = strstr(text, "  array b2");
    fsr_kernel *k = NULL;
    if (raises)
        return parse(text);
    /* Nobody reports: the array of the report is not there. */
    char less[2048];
    snprintf(less, sizeof less, "%.*s%s", (int)(words - text), text, strstr(text, "  array b3"));
    char *third = strstr(less, "array b3");
    third[7] = '2';
    third = strstr(less, "store b3");
    third[7] = '2';
    k = parse(less);
    return k;
}

typedef struct arrays {
    int64_t *index;
    float *x, *y;
    uint64_t worst;
} arrays;

static void fill(arrays *a, bool far) {
    static const int64_t odd[] = {-1, -M, M - 1, 0, M, -M - 1, INT64_MAX, INT64_MIN, 1000000, -1000000};
    a->index = malloc(N * sizeof *a->index);
    a->x = malloc(M * sizeof *a->x);
    a->y = calloc(N, sizeof *a->y);
    a->worst = 0;
    for (int i = 0; i < M; i++)
        a->x[i] = (float)(i * 3 - 40);
    for (int i = 0; i < N; i++)
        a->index[i] = far && i % 3 == 0 ? odd[i / 3 % 10] : i % 2 ? i : -(i % M) - 1;
}

static void drop(arrays *a) {
    free(a->index);
    free(a->x);
    free(a->y);
}

static int64_t expected(fsr_index_mode mode, int64_t i) {
    if (mode == FSR_INDEX_WRAP)
        return (i % M + M) % M;
    if (mode == FSR_INDEX_RAISE && i < 0 && i >= -M)
        return i + M;
    return i < 0 ? 0 : i >= M ? M - 1 : i;
}

static void compare(const arrays *a, fsr_index_mode mode, const char *who) {
    uint64_t worst = 0;
    for (int i = 0; i < N; i++) {
        const int64_t at = a->index[i];
        if (a->y[i] != a->x[expected(mode, at)] + 1)
            fail_msg("%s, %s: index %lld of %d gives %g", who, fsr_index_mode_name(mode), (long long)at, M, a->y[i]);
        if (mode == FSR_INDEX_RAISE && (at < -M || at >= M))
            worst = (uint64_t)at > worst ? (uint64_t)at : worst;
    }
    if (a->worst != worst)
        fail_msg("%s: reports %lld, not %lld", who, (long long)a->worst, (long long)worst);
}

static void bind(const fsr_kernel *k, arrays *a, fsr_launch *launch) {
    *launch = (fsr_launch){.integer = {N, 1, 1, 1, N, M}};
    launch->array[0] = a->index;
    launch->array[1] = a->x;
    launch->array[2] = k->narrays == 4 ? (void *)&a->worst : (void *)a->y;
    launch->array[3] = a->y;
}

static void interpreted(void **state) {
    (void)state;
    for (int mode = 0; mode <= FSR_INDEX_WRAP; mode++)
        for (int far = 0; far < 2; far++) {
            fsr_kernel *k = gather_kernel((fsr_index_mode)mode, true);
            fsr_launch launch;
            arrays a;
            fill(&a, far);
            bind(k, &a, &launch);
            assert_int_equal(fsr_kernel_interpret(k, &launch), FSR_OK);
            compare(&a, (fsr_index_mode)mode, "the interpreter");
            drop(&a);
            fsr_kernel_free(k);
        }
}

static void as_c(void **state) {
    cpu_fixture *t = *state;
    for (int mode = 0; mode <= FSR_INDEX_WRAP; mode++)
        for (int far = 0; far < 2; far++) {
            arrays a;
            fill(&a, far);
            t->k = gather_kernel((fsr_index_mode)mode, false);
            bind(t->k, &a, &t->launch);
            cpu_run(t);
            compare(&a, (fsr_index_mode)mode, "C");
            drop(&a);
        }
}

static void as_cuda(void **state) {
    (void)state;
    for (int mode = 0; mode <= FSR_INDEX_WRAP; mode++)
        for (int vector = 1; vector <= 4; vector *= 4) {
            fsr_kernel *k = gather_kernel((fsr_index_mode)mode, true);
            fsr_launch launch;
            fsr_fault fault = {FSR_OK, NULL};
            fsr_text text = {0};
            arrays a;
            k->schedule.vector = vector;
            k->schedule.items = 4;
            fill(&a, true);
            bind(k, &a, &launch);
            launch.blocks = fsr_kernel_blocks(k, launch.integer);
            assert_int_equal(fsr_emit_cuda_for_host(k, &text), FSR_OK);
            if (host_cuda_run(k, text.data, &launch, 1, &fault))
                fail_msg("%s\n%s", fault.message, text.data);
            compare(&a, (fsr_index_mode)mode, "CUDA");
            drop(&a);
            fsr_text_free(&text);
            fsr_kernel_free(k);
        }
}

/* Long guards: conditions of all 8 dimensions and with steps, 4 (once cut behind 900 characters) and as many as there
 * may be. All but the last one always hold; it holds where d7 is 0, and elsewhere indices lie outside and nobody
 * looks. */
enum { DIMS = 8, LAST = 4, ELEMENTS = LAST << (DIMS - 1), OF_CONDITION = DIMS + 3, FIRST = FSR_INT_EXTENT + 2 * DIMS };

static fsr_kernel *guarded_kernel(int conditions) {
    fsr_text text = {0};
    fsr_text_add(&text, "kernel k_guarded: take\n  domain [d0");
    for (int d = 1; d < DIMS; d++)
        fsr_text_add(&text, ", d%d", d);
    fsr_text_add(&text, "] passes 0 ints %d\n  array b0 i64\n  array b1 f32\n  array b2 u64 written\n",
                 FIRST + conditions * OF_CONDITION);
    fsr_text_add(&text,
                 "  array b3 f32 written\n  schedule gpu map threads 32 abreast 1 vector 1 items 2 accumulators 0 "
                 "resident 0\n  guard g0");
    for (int c = 0; c < conditions; c++) {
        const int first = FIRST + c * OF_CONDITION;
        fsr_text_add(&text, "%s 0 <= i%d", c ? " and" : "", first);
        for (int d = 0; d < DIMS; d++)
            fsr_text_add(&text, " + d%d*i%d", d, first + 1 + d);
        fsr_text_add(&text, " < i%d step i%d", first + 1 + DIMS, first + 2 + DIMS);
    }
    fsr_text_add(&text, "\n  p0 row  v0 = i64 load b0[");
    for (int d = 0; d + 1 < DIMS; d++)
        fsr_text_add(&text, "d%d*i%d + ", d, FIRST - DIMS + d);
    fsr_text_add(&text,
                 "d7] linear row_linear\n"
                 "  p0 row  v1 = i64 raise(v0, i%d) to b2 if g0\n"
                 "  p0 row  v2 = f32 load b1[v1] if g0\n"
                 "  p0 row  store b3[",
                 FIRST - 1);
    for (int d = 0; d + 1 < DIMS; d++)
        fsr_text_add(&text, "d%d*i%d + ", d, FIRST - DIMS + d);
    fsr_text_add(&text, "d7] linear row_linear = v2\n");
    assert_false(text.failed);
    fsr_kernel *k = parse(text.data);
    fsr_text_free(&text);
    return k;
}

static void bind_guarded(fsr_launch *launch, int conditions, int64_t *index, float *x, uint64_t *worst, float *y) {
    *launch = (fsr_launch){.integer = {ELEMENTS, 1, 1, 1}, .array = {index, x, worst, y}};
    for (int d = 0; d < DIMS; d++) {
        launch->integer[FSR_INT_EXTENT + d] = d + 1 < DIMS ? 2 : LAST;
        launch->integer[FIRST - DIMS + d] = ELEMENTS >> (d + 1);
    }
    launch->integer[FIRST - 1] = M;
    for (int c = 0; c < conditions; c++) {
        int64_t *of = &launch->integer[FIRST + c * OF_CONDITION];
        for (int d = 0; d < DIMS; d++)
            of[1 + d] = c + 1 < conditions ? 1 + d : d == DIMS - 1;
        of[1 + DIMS] = c + 1 < conditions ? 1000 : 1;
        of[2 + DIMS] = 1;
    }
    for (int i = 0; i < ELEMENTS; i++)
        index[i] = i % LAST ? 1000 + i : i % M;
    index[8] = M + 4;
    for (int i = 0; i < M; i++)
        x[i] = (float)(i + 1);
    *worst = 0;
    memset(y, 0, ELEMENTS * sizeof *y);
}

static void long_guards(void **state) {
    (void)state;
    for (int conditions = 4; conditions <= FSR_MAX_GUARD; conditions += FSR_MAX_GUARD - 4) {
        fsr_kernel *k = guarded_kernel(conditions);
        int64_t index[ELEMENTS];
        float x[M], y[ELEMENTS];
        uint64_t worst;
        fsr_launch launch;
        fsr_text text = {0};
        fsr_fault fault = {FSR_OK, NULL};
        k->schedule.vector = conditions == 4 ? 1 : 4;
        k->schedule.items = 4;
        bind_guarded(&launch, conditions, index, x, &worst, y);
        launch.blocks = fsr_kernel_blocks(k, launch.integer);
        assert_int_equal(fsr_emit_cuda_for_host(k, &text), FSR_OK);
        if (host_cuda_run(k, text.data, &launch, 1, &fault))
            fail_msg("%s\n%s", fault.message, text.data);
        assert_int_equal(worst, M + 4);
        for (int i = 0; i < ELEMENTS; i++)
            assert_true(y[i] == (i % LAST ? 0 : i == 8 ? M : (float)(i % M + 1)));
        fsr_text_free(&text);
        fsr_kernel_free(k);
    }
}

/* What is known of an address with a symbol: its range, and the rest by the coefficient; not where it lies. */
static void facts(void **state) {
    (void)state;
    fsr_kernel *k = gather_kernel(FSR_INDEX_CLIP, true);
    const int64_t integer[] = {N, 1, 1, 1, N, M};
    int64_t low, high;
    const fsr_form f = fsr_form_of_access(k, integer, 1), own = fsr_form_of_access(k, integer, 0);
    fsr_form_range(&f, &low, &high);
    assert_int_equal(low, 0);
    assert_int_equal(high, M - 1);
    assert_true(fsr_form_varies(&f, 0, 1));
    assert_false(fsr_form_is_adjacent(&f, 0));
    assert_true(fsr_form_same(&f, &f));
    fsr_form other = f;
    other.value[0]++;
    assert_false(fsr_form_same(&f, &other));
    assert_false(fsr_form_apart(&f, &own));
    assert_int_equal(fsr_form_count(&f), N);
    assert_int_equal(fsr_form_dimensions(k, k->access[1].form), 1);
    fsr_form even = f, odd = f;
    even.coefficient[0] = 4, odd.coefficient[0] = 2, odd.offset = 1;
    assert_true(fsr_form_apart(&even, &odd));
    odd.coefficient[0] = 3;
    assert_false(fsr_form_apart(&even, &odd));
    /* The same everywhere: an index that no dimension moves. */
    k->inst[0] = (fsr_inst){.kind = FSR_INST_CONST, .dtype = FSR_I64, .node = -1};
    assert_int_equal(fsr_form_dimensions(k, k->access[1].form), 0);
    const fsr_form still = fsr_form_of_access(k, integer, 1);
    assert_false(fsr_form_varies(&still, 0, 1));
    assert_int_equal(fsr_form_count(&still), 1);
    fsr_kernel_free(k);
}

static void refused(void **state) {
    (void)state;
    fsr_kernel *k = gather_kernel(FSR_INDEX_CLIP, true);
    char why[160];
    k->inst[1].report = 1;
    assert_int_equal(fsr_kernel_verify(k, why, sizeof why), FSR_ERR_INTERNAL);
    assert_string_equal(why, "v1: a mode that raises without a report, or another one with it");
    k->inst[1].report = 0;
    k->form[k->access[1].form].term[0].value = 0;
    assert_int_equal(fsr_kernel_verify(k, why, sizeof why), FSR_ERR_INTERNAL);
    assert_string_equal(why, "v2: an address by v0, which nothing brings inside");
    k->form[k->access[1].form].term[0].value = 1;
    k->inst[1].mode = FSR_INDEX_DROP;
    assert_int_equal(fsr_kernel_verify(k, why, sizeof why), FSR_ERR_INTERNAL);
    assert_string_equal(why, "v2: v1, which may drop, in what is no store");
    k->inst[1].mode = FSR_INDEX_CLIP;
    k->form[k->access[1].form].term[0].value = 3;
    assert_int_equal(fsr_kernel_verify(k, why, sizeof why), FSR_ERR_INTERNAL);
    assert_string_equal(why, "v2: takes v3, which is not earlier");
    fsr_kernel_free(k);
}

/* y[i] = table[s + start] + x[i]: what is the same everywhere, and what is not. A load under a guard may not take
 * place. */
static const char homes[] = "kernel k_homes: take\n"
                            "  domain [d0] passes 0 ints 7\n"
                            "  array b0 i64\n"
                            "  array b1 f32\n"
                            "  array b2 i64\n"
                            "  array b3 f32 written\n"
                            "  scalar s0 i64\n"
                            "  schedule cpu map abreast 1 lanes 8 chunk 4096 work 3\n"
                            "  guard g0 0 <= d0 + v4 < i6\n"
                            "  p0 once v0 = i64 1\n"
                            "  p0 once v1 = i64 add(v0, v0)\n"
                            "  p0 once v2 = i64 s0\n"
                            "  p0 once v3 = i64 load b0[0]\n"
                            "  p0 once v4 = i64 clip(v3, i5)\n"
                            "  p0 once v5 = i64 add(v2, v1)\n"
                            "  p0 once v6 = i64 wrap(v5, i5)\n"
                            "  p0 once v7 = f32 load b1[v4 + v6]\n"
                            "  p0 row  v8 = i64 load b2[d0] linear row_linear\n"
                            "  p0 row  v9 = i64 clip(v8, i5)\n"
                            "  p0 row  v10 = f32 load b1[0] if g0\n"
                            "  p0 row  v11 = f32 add(v7, v10)\n"
                            "  p0 row  store b3[d0] linear row_linear = v11\n";

static void known_when(void **state) {
    (void)state;
    fsr_kernel *k = parse(homes);
    const fsr_when want[] = {FSR_WHEN_PLANNED, FSR_WHEN_PLANNED,  FSR_WHEN_LAUNCHED, FSR_WHEN_BEGUN,
                             FSR_WHEN_BEGUN,   FSR_WHEN_LAUNCHED, FSR_WHEN_LAUNCHED, FSR_WHEN_BEGUN,
                             FSR_WHEN_REACHED, FSR_WHEN_REACHED,  FSR_WHEN_REACHED,  FSR_WHEN_REACHED};
    fsr_when when[FSR_MAX_INSTS];
    int once[FSR_MAX_INSTS];
    fsr_values_known(k, when);
    for (int i = 0; i < 12; i++)
        assert_int_equal(when[i], want[i]);
    assert_int_equal(fsr_kernel_once(k, once), 8);
    assert_false(fsr_inst_is_late(k, 7));
    assert_true(fsr_condition_is_decidable(k, 0));
    fsr_kernel_free(k);
}

/* What is evaluated once takes nothing that is not, moves along nothing and asks no guard. */
static void not_once(void **state) {
    (void)state;
    char text[sizeof homes], why[256];
    static const char *const line[] = {"row  v8 = i64", "row  v9 = i64", "row  v10 = f32", "row  v11 = f32"};
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
        fsr_parse_error error = {0};
        fsr_kernel *k = NULL;
        memcpy(text, homes, sizeof homes);
        char *at = strstr(text, line[i]);
        assert_non_null(at);
        memcpy(at, "once", 4);
        if (fsr_kernel_parse(text, &k, NULL, &error) == FSR_OK)
            assert_int_not_equal(fsr_kernel_verify(k, why, sizeof why), FSR_OK);
        assert_true(k || strstr(error.message, "ONCE"));
        fsr_kernel_free(k);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(interpreted), CPU_TEST(as_c),
                                       cmocka_unit_test(as_cuda),     cmocka_unit_test(long_guards),
                                       cmocka_unit_test(facts),       cmocka_unit_test(refused),
                                       cmocka_unit_test(known_when),  cmocka_unit_test(not_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Stores at computed addresses: kernels given as text, run by the interpreter, as C and as CUDA on the host, against
 * plain loops. No two elements have one place, and some have none; where stores combine, several have one. Arrays have
 * their exact size, so that under the address sanitizer a wild write is seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend_cuda/emit_cuda.h"
#include "fusion/loop_ir_parse.h"
#include "runtime/text.h"
#include "tests/host_cuda/host_cuda.h"
#include "tests/support/cpu_fixture.h"

/* R rows of C elements each, to places in rows of M. */
enum { R = 6, C = 40, N = R * C, M = 53 };

/* y[place[i]] = x[i] + 1 */
static const char flat[] = "kernel k_flat: put\n"
                           "  domain [d0] passes 0 ints 6\n"
                           "  array b0 i64\n"
                           "  array b1 f32\n"
                           "  array b2 f32 written\n"
                           "  array b3 f32 written\n"
                           "  schedule %s\n"
                           "  p0 row  v0 = i64 load b0[d0] linear row_linear\n"
                           "  p0 row  v1 = f32 load b1[d0] linear row_linear\n"
                           "  p0 row  v2 = i64 %s(v0, i5)\n"
                           "  p0 row  v3 = f32 1\n"
                           "  p0 row  v4 = f32 add(v1, v3)\n"
                           "  p0 row  store b2[v2] = v4\n"
                           "  p0 row  store b3[d0] linear row_linear = v1\n";

/* y[r, place[r, c]] = x[r, c] + 1, beside the greatest of each row */
static const char rows[] = "kernel k_rows: put, max\n"
                           "  domain [d0, fold d1] passes 1 ints 10\n"
                           "  array b0 i64\n"
                           "  array b1 f32\n"
                           "  array b2 f32 written\n"
                           "  array b3 f32 written\n"
                           "  schedule %s\n"
                           "  fold f0 p0 reduce (f32 from -inf) commutative maximum\n"
                           "  p0 elem v0 = i64 load b0[d0*i6 + d1*i7] %s\n"
                           "  p0 elem v1 = f32 load b1[d0*i6 + d1*i7] %s\n"
                           "  p0 elem v2 = i64 %s(v0, i8)\n"
                           "  p0 row  v3 = f32 1\n"
                           "  p0 elem v4 = f32 add(v1, v3)\n"
                           "  p0 elem f0 <- v1\n"
                           "  p0 elem store b2[d0*i9 + v2] = v4\n"
                           "  p1 row  v7 = f32 f0.0\n"
                           "  p1 row  store b3[d0] row_linear = v7\n";

/* What is dropped, told as well: nobody reads what the report's mode gives. */
static const char told[] = "kernel k_told: put\n"
                           "  domain [d0] passes 0 ints 6\n"
                           "  array b0 i64\n"
                           "  array b1 f32\n"
                           "  array b2 f32 written\n"
                           "  array b3 u64 written\n"
                           "  schedule %s\n"
                           "  p0 row  v0 = i64 load b0[d0] linear row_linear\n"
                           "  p0 row  v1 = f32 load b1[d0] linear row_linear\n"
                           "  p0 row  v2 = i64 raise(v0, i5) to b3\n"
                           "  p0 row  v3 = i64 drop(v0, i5)\n"
                           "  p0 row  v4 = f32 1\n"
                           "  p0 row  v5 = f32 add(v1, v4)\n"
                           "  p0 row  store b2[v3] = v5\n";

/* y[place[i]] = y[place[i]] op x[i] */
static const char into[] = "kernel k_into: into\n"
                           "  domain [d0] passes 0 ints 6\n"
                           "  array b0 i64\n"
                           "  array b1 %s\n"
                           "  array b2 %s written\n"
                           "  schedule %s\n"
                           "  p0 row  v0 = i64 load b0[d0] linear row_linear\n"
                           "  p0 row  v1 = %s load b1[d0] linear row_linear\n"
                           "  p0 row  v2 = i64 drop(v0, i5)\n"
                           "  p0 row  store b2[v2] by %s of i5 = v1\n";

typedef struct arrays {
    int64_t place[N];
    float x[N], *y, *beside;
} arrays;

static fsr_kernel *parse(const char *text) {
    fsr_parse_error error = {0};
    fsr_kernel *k;
    if (fsr_kernel_parse(text, &k, NULL, &error))
        fail_msg("line %d, column %d: %s\n%s", error.line, error.column, error.message, text);
    return k;
}

/* Places of `rows` rows of n elements among m: no two equal, some counted from the end; of a mode that drops every
 * third one outside. transposed: the rows are read down the columns. */
static void fill(arrays *a, int r, int n, int m, fsr_index_mode mode, bool transposed) {
    static const int64_t odd[] = {1000000, -1000000, INT64_MAX, INT64_MIN, M * R, -M * R - 1};
    for (int i = 0; i < r * n; i++) {
        const int at = transposed ? i % n * r + i / n : i, place = i % n * 7 % m;
        a->x[at] = (float)(i * 3 % 101 - 40);
        a->place[at] = mode != FSR_INDEX_CLIP && i % 2 ? place - m : place;
        if (mode == FSR_INDEX_DROP && i % 3 == 0)
            a->place[at] = odd[i / 3 % 6];
    }
    a->y = malloc((size_t)(r * m) * sizeof *a->y);
    a->beside = malloc(N * sizeof *a->beside);
    for (int i = 0; i < r * m; i++)
        a->y[i] = -7;
}

static void compare(arrays *a, int r, int n, int m, fsr_index_mode mode, bool transposed, const char *who) {
    float *want = malloc((size_t)(r * m) * sizeof *want);
    for (int i = 0; i < r * m; i++)
        want[i] = -7;
    for (int i = 0; i < r * n; i++)
        if (mode != FSR_INDEX_DROP || i % 3)
            want[i / n * m + i % n * 7 % m] = a->x[transposed ? i % n * r + i / n : i] + 1;
    for (int i = 0; i < r * m; i++)
        if (a->y[i] != want[i])
            fail_msg("%s, %s: element %d is %g, not %g", who, fsr_index_mode_name(mode), i, a->y[i], want[i]);
    free(want);
    free(a->y);
    free(a->beside);
}

static const fsr_index_mode modes[] = {FSR_INDEX_CLIP, FSR_INDEX_WRAP, FSR_INDEX_DROP};

typedef void (*runner)(fsr_kernel *k, fsr_launch *launch, void *user);

static void bind(fsr_launch *launch, arrays *a) {
    launch->array[0] = a->place;
    launch->array[1] = a->x;
    launch->array[2] = a->y;
    launch->array[3] = a->beside;
}

/* The map, under each mode. */
static void each_flat(const char *schedule, runner run, void *user, const char *who) {
    for (int b = 0; b < 3; b++) {
        char text[1200];
        arrays a;
        fsr_launch launch = {.integer = {N, 1, 1, 1, N, N + 1}};
        snprintf(text, sizeof text, flat, schedule, fsr_index_mode_name(modes[b]));
        fill(&a, 1, N, N + 1, modes[b], false);
        bind(&launch, &a);
        run(parse(text), &launch, user);
        for (int i = 0; i < N; i++)
            assert_true(a.beside[i] == a.x[i]);
        compare(&a, 1, N, N + 1, modes[b], false, who);
    }
}

/* The map that tells of what it drops. */
static void each_told(const char *schedule, runner run, void *user, const char *who) {
    char text[1200];
    arrays a;
    uint64_t worst = 0, greatest = 0;
    fsr_launch launch = {.integer = {N, 1, 1, 1, N, N + 1}};
    snprintf(text, sizeof text, told, schedule);
    fill(&a, 1, N, N + 1, FSR_INDEX_DROP, false);
    bind(&launch, &a);
    launch.array[3] = &worst;
    run(parse(text), &launch, user);
    for (int i = 0; i < N; i += 3)
        if (a.place[i] < -N - 1 || a.place[i] > N)
            greatest = (uint64_t)a.place[i] > greatest ? (uint64_t)a.place[i] : greatest;
    assert_true(greatest && worst == greatest);
    compare(&a, 1, N, N + 1, FSR_INDEX_DROP, false, who);
}

/* Rows, or columns, under each mode. */
static void each_rows(const char *schedule, bool transposed, runner run, void *user, const char *who) {
    for (int b = 0; b < 3; b++) {
        char text[1400];
        const char *linear = transposed ? "" : "linear";
        arrays a;
        fsr_launch launch = {.integer = {R, C, 1, C, R, C, transposed ? 1 : C, transposed ? R : 1, M, M}};
        snprintf(text, sizeof text, rows, schedule, linear, linear, fsr_index_mode_name(modes[b]));
        fill(&a, R, C, M, modes[b], transposed);
        bind(&launch, &a);
        run(parse(text), &launch, user);
        compare(&a, R, C, M, modes[b], transposed, who);
    }
}

static void interpret(fsr_kernel *k, fsr_launch *launch, void *user) {
    (void)user;
    assert_int_equal(fsr_kernel_interpret(k, launch), FSR_OK);
    fsr_kernel_free(k);
}

static void emulate(fsr_kernel *k, fsr_launch *launch, void *user) {
    fsr_fault fault = {FSR_OK, NULL};
    fsr_text text = {0};
    (void)user;
    launch->blocks = fsr_kernel_blocks(k, launch->integer);
    launch->work = malloc((size_t)fsr_kernel_work_bytes(k, launch->integer) + 1);
    launch->zero = calloc(1, (size_t)fsr_kernel_zero_bytes(k, launch->integer) + 1);
    assert_int_equal(fsr_emit_cuda_for_host(k, &text), FSR_OK);
    if (host_cuda_run(k, text.data, launch, 1, &fault))
        fail_msg("%s\n%s", fault.message, text.data);
    free(launch->work);
    free(launch->zero);
    fsr_text_free(&text);
    fsr_kernel_free(k);
}

/* ---- stores that combine ------------------------------------------------------------------------------- */

/* Every dtype that a store combines, and every such op, is in one row. */
static const struct {
    fsr_op op;
    fsr_dtype dtype;
} combining[] = {{FSR_OP_MUL, FSR_I64},         {FSR_OP_ADD, FSR_I32},         {FSR_OP_MAXIMUM, FSR_F32},
                 {FSR_OP_MINIMUM, FSR_U64},     {FSR_OP_BITWISE_AND, FSR_U32}, {FSR_OP_BITWISE_OR, FSR_I64},
                 {FSR_OP_BITWISE_XOR, FSR_U64}, {FSR_OP_ADD, FSR_F64},         {FSR_OP_MINIMUM, FSR_F64},
                 {FSR_OP_MAXIMUM, FSR_I32}};

/* All elements to one place, or several to each, or some to none. */
enum { ALL_ONE, SEVERAL, SOME_NOWHERE, WAYS, PLACES = 7 };

static int64_t place_of(int way, int i) {
    return way == ALL_ONE ? 3 : way == SEVERAL ? (i * 5 + i / 11) % PLACES : i % 3 ? i % PLACES - PLACES : PLACES + i;
}

static void one_combining(int row, int way, const char *schedule, runner run, void *user, const char *who) {
    const fsr_op op = combining[row].op;
    const fsr_dtype dtype = combining[row].dtype;
    const char *name = fsr_dtype_name(dtype);
    int64_t place[N];
    uint64_t x[N], y[PLACES], want[PLACES];
    char text[1200];
    fsr_launch launch = {.integer = {N, 1, 2, 1, N, PLACES}, .array = {place, x, y}};
    snprintf(text, sizeof text, into, name, name, schedule, name, fsr_op_get(op)->name);
    const size_t size = fsr_dtype_size(dtype);
    for (int i = 0; i < PLACES; i++) {
        const fsr_value v = fsr_value_from_int(dtype, i * 3 + 1);
        memcpy((char *)y + i * (int)size, &v, size);
    }
    memcpy(want, y, sizeof want);
    for (int i = 0; i < N; i++) {
        const fsr_value v = fsr_value_from_int(dtype, i * 7 % 61 - 20);
        const int64_t at = place[i] = place_of(way, i), inside = at < 0 ? at + PLACES : at;
        memcpy((char *)x + i * (int)size, &v, size);
        if (inside < 0 || inside >= PLACES)
            continue;
        const fsr_value both[3] = {fsr_value_load(dtype, want, inside), v}, r = fsr_op_eval(op, dtype, dtype, both);
        memcpy((char *)want + inside * (int64_t)size, &r, size);
    }
    run(parse(text), &launch, user);
    if (memcmp(y, want, PLACES * size))
        fail_msg("%s: %s of %s, way %d", who, fsr_op_get(op)->name, name, way);
}

static void each_combining(const char *schedule, runner run, void *user, const char *who) {
    for (int row = 0; row < (int)(sizeof combining / sizeof *combining); row += run == emulate ? 3 : 1)
        for (int way = 0; way < (run == interpret ? WAYS : 1); way++)
            one_combining(row, (way + row) % WAYS, schedule, run, user, who);
}

static const char cpu_map[] = "cpu map abreast 1 lanes 8 chunk 4096 work 3 flat",
                  cpu_strips[] = "cpu map abreast 1 lanes 8 chunk 4096 work 3 strip 64 flat\n  walk p0 strips phased",
                  cpu_row[] = "cpu row abreast 1 lanes 8 chunk 4096 work 3\n  walk p0 lanes",
                  cpu_col[] = "cpu col abreast 128 lanes 8 chunk 512 work 3";

static void interpreted(void **state) {
    (void)state;
    each_flat(cpu_map, interpret, NULL, "the interpreter");
    each_told(cpu_map, interpret, NULL, "the interpreter, told");
    each_combining(cpu_map, interpret, NULL, "the interpreter, combining");
    each_rows(cpu_row, false, interpret, NULL, "the interpreter, rows");
    each_rows(cpu_col, true, interpret, NULL, "the interpreter, columns");
}

static void compile(fsr_kernel *k, fsr_launch *launch, void *user) {
    cpu_fixture *t = user;
    t->k = k;
    t->launch = *launch;
    cpu_run(t);
}

static void as_c(void **state) {
    each_flat(cpu_map, compile, *state, "C");
    each_told(cpu_map, compile, *state, "C, told");
    each_combining(cpu_map, compile, *state, "C, combining");
    one_combining(0, SEVERAL, cpu_strips, compile, *state, "C, combining in strips");
    each_rows(cpu_row, false, compile, *state, "C, rows");
    each_rows(cpu_col, true, compile, *state, "C, columns");
}

static void as_cuda(void **state) {
    (void)state;
    each_flat("gpu map threads 32 abreast 1 vector 1 items 2 accumulators 0 resident 0", emulate, NULL, "CUDA");
    each_flat("gpu map threads 32 abreast 1 vector 4 items 4 accumulators 0 resident 0", emulate, NULL,
              "CUDA, vectors");
    each_told("gpu map threads 32 abreast 1 vector 1 items 2 accumulators 0 resident 0", emulate, NULL, "CUDA, told");
    each_combining("gpu map threads 32 abreast 1 vector 4 items 4 accumulators 0 resident 0", emulate, NULL,
                   "CUDA, combining");
    each_combining("gpu map threads 32 abreast 1 bins 8 vector 1 items 2 accumulators 0 resident 0", emulate, NULL,
                   "CUDA, combining into bins");
    one_combining(1, SEVERAL, "gpu map threads 64 abreast 1 bins 8 vector 1 items 8 accumulators 0 resident 0", emulate,
                  NULL, "CUDA, combining into bins of fewer blocks than there may be");
    each_combining("gpu map threads 32 abreast 1 bins 4 ranges 2 vector 1 items 2 accumulators 0 resident 0", emulate,
                   NULL, "CUDA, combining into ranges of bins");
    one_combining(1, SEVERAL, "gpu map threads 64 abreast 1 bins 4 ranges 2 vector 1 items 8 accumulators 0 resident 2",
                  emulate, NULL, "CUDA, combining into ranges of bins of fewer blocks than there may be");
    each_rows("gpu row threads 64 abreast 32 vector 1 items 2 accumulators 2 resident 0 persistent", false, emulate,
              NULL, "CUDA, rows");
    each_rows("gpu row threads 64 abreast 8 vector 4 items 8 accumulators 4 resident 0 persistent", false, emulate,
              NULL, "CUDA, rows in vectors");
    each_rows("gpu col threads 32 abreast 32 vector 1 items 1 accumulators 1 resident 0", true, emulate, NULL,
              "CUDA, columns");
    each_rows("gpu col threads 32 abreast 8 vector 2 items 2 accumulators 2 resident 0", true, emulate, NULL,
              "CUDA, columns in vectors");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(interpreted), CPU_TEST(as_c), cmocka_unit_test(as_cuda)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

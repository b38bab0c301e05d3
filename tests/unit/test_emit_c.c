/* The CPU backend by itself: kernels built by hand in loop IR, emitted as C, compiled, run, and compared with what
 * plain loops here give. */
#include "backend_cpu/emit_c.h"
#include "runtime/backend.h"
#include "tests/support/kernels.h"
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- building kernels ---------------------------------------------------------------------------- */

typedef struct fixture {
    fsr_backend *backend;
    fsr_kernel *k;
    fsr_launch launch;
} fixture;

static fsr_backend *open_backend(const fsr_config *config) {
    fsr_fault fault = {0};
    fsr_backend *b = NULL;
    if (fsr_backend_cpu_open(config, &b, &fault) != FSR_OK)
        fail_msg("%s", fault.message);
    return b;
}

static int setup(void **state) {
    const fsr_config config = {.cache_dir = "", .log_level = FSR_LOG_SILENT};
    fixture *t = calloc(1, sizeof *t);
    t->backend = open_backend(&config);
    *state = t;
    return 0;
}

static int teardown(void **state) {
    fixture *t = *state;
    t->backend->ops->close(t->backend);
    free(t);
    return 0;
}

/* A kernel over extents (the last ndim - nparallel folded). */
static void begin(fixture *t, const char *name, fsr_schedule_kind kind, int ndim, int nparallel,
                  const int64_t *extent) {
    t->k = fsr_kernel_new();
    assert_non_null(t->k);
    memset(&t->launch, 0, sizeof t->launch);
    snprintf(t->k->name, sizeof t->k->name, "%s", name);
    snprintf(t->k->comment, sizeof t->k->comment, "a test */ of %s", name);
    t->k->ndim = ndim;
    t->k->nparallel = nparallel;
    t->k->npasses = ndim > nparallel ? 1 : 0;
    t->k->nints = FSR_INT_EXTENT + ndim;
    t->k->schedule = (fsr_schedule){.kind = kind, .lanes = 16, .chunk = 128, .group = 32};
    t->launch.integer[FSR_INT_ROWS] = t->launch.integer[FSR_INT_COLS] = t->launch.integer[FSR_INT_SPLITS] = 1;
    for (int d = 0; d < ndim; d++) {
        t->launch.integer[d < nparallel ? FSR_INT_ROWS : FSR_INT_COLS] *= extent[d];
        t->launch.integer[FSR_INT_EXTENT + d] = extent[d];
    }
    t->launch.integer[FSR_INT_CHUNK] = t->launch.integer[FSR_INT_COLS];
}

static int array(fixture *t, fsr_dtype dtype, void *data, bool written) {
    int b = t->k->narrays++;
    t->k->array[b] = (fsr_array){.dtype = dtype, .written = written};
    t->launch.array[b] = data;
    return b;
}

static int linear(fixture *t, int buffer) {
    fsr_access *a = &t->k->access[t->k->naccesses];
    *a = (fsr_access){.buffer = buffer, .offset = -1, .linear = true};
    int64_t stride = 1;
    for (int d = t->k->ndim - 1; d >= 0; d--) {
        a->stride[d] = d == t->k->ndim - 1 ? FSR_STRIDE_ONE : FSR_STRIDE_VAR;
        a->slot[d] = t->k->nints;
        if (d < t->k->ndim - 1)
            t->launch.integer[t->k->nints++] = stride;
        stride *= t->launch.integer[FSR_INT_EXTENT + d];
    }
    return t->k->naccesses++;
}

/* Run-time strides; 0 is ZERO and 1 is ONE. */
static int strided(fixture *t, int buffer, int64_t offset, const int64_t *stride) {
    fsr_access *a = &t->k->access[t->k->naccesses];
    *a = (fsr_access){.buffer = buffer, .offset = -1};
    if (offset) {
        a->offset = t->k->nints;
        t->launch.integer[t->k->nints++] = offset;
    }
    for (int d = 0; d < t->k->ndim; d++) {
        a->stride[d] = stride[d] == 0 ? FSR_STRIDE_ZERO : stride[d] == 1 ? FSR_STRIDE_ONE : FSR_STRIDE_VAR;
        if (a->stride[d] == FSR_STRIDE_VAR) {
            a->slot[d] = t->k->nints;
            t->launch.integer[t->k->nints++] = stride[d];
        }
    }
    return t->k->naccesses++;
}

static int row_access(fixture *t, int buffer) {
    fsr_access *a = &t->k->access[t->k->naccesses];
    *a = (fsr_access){.buffer = buffer, .offset = -1, .row_linear = true};
    return t->k->naccesses++;
}

static int inst(fixture *t, fsr_inst i) {
    i.node = -1;
    t->k->inst[t->k->ninsts] = i;
    return t->k->ninsts++;
}

static int load(fixture *t, fsr_level level, int pass, int access) {
    return inst(t, (fsr_inst){.kind = FSR_INST_LOAD,
                              .level = level,
                              .pass = pass,
                              .index = access,
                              .dtype = t->k->array[t->k->access[access].buffer].dtype});
}

static void store(fixture *t, fsr_level level, int pass, int access, int value) {
    inst(t, (fsr_inst){.kind = FSR_INST_STORE,
                       .level = level,
                       .pass = pass,
                       .index = access,
                       .arg = {value},
                       .dtype = t->k->array[t->k->access[access].buffer].dtype});
}

static int op(fixture *t, fsr_level level, int pass, fsr_op which, fsr_dtype compute, fsr_dtype dtype, int a, int b,
              int c) {
    return inst(t, (fsr_inst){.kind = FSR_INST_OP,
                              .level = level,
                              .pass = pass,
                              .op = which,
                              .compute = compute,
                              .dtype = dtype,
                              .arg = {a, b, c}});
}

static int f32_op(fixture *t, fsr_level level, int pass, fsr_op which, int a, int b) {
    return op(t, level, pass, which, FSR_F32, FSR_F32, a, b, 0);
}

static int constant(fixture *t, fsr_level level, fsr_dtype dtype, fsr_value value) {
    return inst(t, (fsr_inst){.kind = FSR_INST_CONST, .level = level, .dtype = dtype, .value = value});
}

static int index_of(fixture *t, fsr_level level, int dim, fsr_dtype dtype) {
    return inst(t, (fsr_inst){.kind = FSR_INST_INDEX, .level = level, .index = dim, .dtype = dtype});
}

/* Adds a fold over `input` and its COMBINE; the operator is copied. */
static int fold(fixture *t, fsr_fold_kind kind, int pass, bool exclusive, const fsr_combine *c, const int *input) {
    fsr_combine *own = malloc(sizeof *own);
    int f = t->k->nfolds++;
    *own = *c;
    t->k->fold[f] = (fsr_fold){.kind = kind, .pass = pass, .exclusive = exclusive, .combine = own};
    memcpy(t->k->fold[f].input, input, (size_t)c->arity * sizeof *input);
    inst(t, (fsr_inst){.kind = FSR_INST_COMBINE, .level = FSR_ELEM, .pass = pass, .index = f});
    return f;
}

static int builtin(fixture *t, fsr_fold_kind kind, int pass, bool exclusive, fsr_op which, fsr_dtype dtype, int input) {
    fsr_combine c;
    fsr_combine_builtin(&c, which, dtype);
    return fold(t, kind, pass, exclusive, &c, &input);
}

static int result(fixture *t, int f, int component) {
    const fsr_fold *fo = &t->k->fold[f];
    bool scan = fo->kind == FSR_FOLD_SCAN;
    return inst(t, (fsr_inst){.kind = FSR_INST_RESULT,
                              .level = scan ? FSR_ELEM : FSR_ROW,
                              .pass = scan ? fo->pass : fo->pass + 1,
                              .index = f,
                              .component = component,
                              .dtype = fo->combine->dtype[component]});
}

/* Verifies, compiles, runs with a workspace, frees the kernel. */
static void run(fixture *t) {
    char why[256];
    fsr_fault fault = {0};
    fsr_module *m = NULL;
    int kept = 0;
    if (fsr_kernel_verify(t->k, why, sizeof why) != FSR_OK)
        fail_msg("%s", why);
    for (int i = 0; i < t->k->ninsts; i++)
        kept += t->k->inst[i].keep;
    t->launch.work = malloc((size_t)kept * (size_t)(t->launch.integer[FSR_INT_COLS] * 8 + 64) + 1);
    if (t->backend->ops->compile(t->backend, t->k, &m, &fault) != FSR_OK)
        fail_msg("%s", fault.message);
    assert_int_equal(t->backend->ops->launch(t->backend, m, &t->launch, NULL, &fault), FSR_OK);
    free(t->launch.work);
    fsr_kernel_free(t->k);
    t->k = NULL;
}

/* Fresh arrays with values that float sums do not represent exactly. */
static float *floats(int64_t n) {
    float *x = malloc((size_t)n * sizeof *x + 1);
    uint32_t seed = 12345;
    for (int64_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (float)(seed >> 8) * 0x1p-23f - 1.0f;
    }
    return x;
}

static void assert_near(double got, double expected, double bound) {
    if (!(fabs(got - expected) <= bound))
        fail_msg("got %.17g, expected %.17g within %g", got, expected, bound);
}

/* ---- elementwise -------------------------------------------------------------------------------------- */

static void map_with_two_outputs(void **state) {
    fixture *t = *state;
    enum { N = 1001 };
    float *x = floats(N), y[N], z[N];
    begin(t, "k_map", FSR_SCHEDULE_MAP, 1, 1, (int64_t[]){N});
    int in = linear(t, array(t, FSR_F32, x, false));
    int a = linear(t, array(t, FSR_F32, y, true)), b = linear(t, array(t, FSR_F32, z, true));
    t->k->nscalars = 1;
    t->k->scalar[0] = FSR_F32;
    t->launch.scalar[0].f32 = 0.3f;
    int v = load(t, FSR_ROW, 0, in);
    int p = inst(t, (fsr_inst){.kind = FSR_INST_PARAM, .dtype = FSR_F32});
    int w = f32_op(t, FSR_ROW, 0, FSR_OP_MUL, v, p);
    int e = f32_op(t, FSR_ROW, 0, FSR_OP_EXP, w, 0);
    int i = index_of(t, FSR_ROW, 0, FSR_F32);
    store(t, FSR_ROW, 0, a, e);
    store(t, FSR_ROW, 0, b, f32_op(t, FSR_ROW, 0, FSR_OP_ADD, w, i));
    run(t);
    for (int j = 0; j < N; j++) {
        assert_near((double)y[j], exp((double)(x[j] * 0.3f)), 3e-7 * (double)y[j]);
        assert_true(z[j] == x[j] * 0.3f + (float)j);
    }
    free(x);
}

static void map_of_no_dimensions_and_no_rows(void **state) {
    fixture *t = *state;
    float x[1] = {2}, y[1] = {0}, z[1] = {7};
    for (int rows = 0; rows < 2; rows++) {
        begin(t, "k_scalar", FSR_SCHEDULE_MAP, rows ? 0 : 1, rows ? 0 : 1, (int64_t[]){0});
        int in = linear(t, array(t, FSR_F32, x, false)), out = linear(t, array(t, FSR_F32, rows ? y : z, true));
        store(t, FSR_ROW, 0, out, f32_op(t, FSR_ROW, 0, FSR_OP_SQRT, load(t, FSR_ROW, 0, in), 0));
        run(t);
    }
    assert_true(y[0] == sqrtf(2) && z[0] == 7);
}

static void strided_and_broadcast_loads(void **state) {
    fixture *t = *state;
    enum { A = 5, B = 7, C = 33 };
    float *x = floats(A * B * C), *row = floats(C), *y = floats(A * B * C);
    begin(t, "k_strided", FSR_SCHEDULE_MAP, 3, 3, (int64_t[]){A, B, C});
    int bx = array(t, FSR_F32, x, false), br = array(t, FSR_F32, row, false), by = array(t, FSR_F32, y, true);
    int turned = strided(t, bx, 0, (int64_t[]){1, A, A * B});
    int flipped = strided(t, br, C - 1, (int64_t[]){0, 0, -1});
    int one = strided(t, br, 3, (int64_t[]){0, 0, 0});
    int out = linear(t, by);
    int s = f32_op(t, FSR_ROW, 0, FSR_OP_ADD, load(t, FSR_ROW, 0, turned), load(t, FSR_ROW, 0, flipped));
    s = f32_op(t, FSR_ROW, 0, FSR_OP_MUL, s, load(t, FSR_ROW, 0, one));
    s = f32_op(t, FSR_ROW, 0, FSR_OP_ADD, s, index_of(t, FSR_ROW, 1, FSR_F32));
    store(t, FSR_ROW, 0, out, s);
    run(t);
    for (int i = 0; i < A; i++)
        for (int j = 0; j < B; j++)
            for (int l = 0; l < C; l++)
                assert_true(y[(i * B + j) * C + l] == (x[i + j * A + l * A * B] + row[C - 1 - l]) * row[3] + (float)j);
    free(x);
    free(row);
    free(y);
}

static void in_place(void **state) {
    fixture *t = *state;
    enum { N = 100 };
    float *x = floats(N), y[N];
    memcpy(y, x, sizeof y);
    begin(t, "k_in_place", FSR_SCHEDULE_MAP, 1, 1, (int64_t[]){N});
    int in = linear(t, array(t, FSR_F32, y, false)), out = linear(t, array(t, FSR_I32, y, true));
    t->k->array[0].aliased = t->k->array[1].aliased = true;
    int v = load(t, FSR_ROW, 0, in);
    v = f32_op(t, FSR_ROW, 0, FSR_OP_MUL, v, constant(t, FSR_ROW, FSR_F32, (fsr_value){.f32 = 100}));
    store(t, FSR_ROW, 0, out, op(t, FSR_ROW, 0, FSR_OP_CAST, FSR_F32, FSR_I32, v, 0, 0));
    run(t);
    for (int j = 0; j < N; j++) {
        int32_t got;
        memcpy(&got, &y[j], sizeof got);
        assert_int_equal(got, (int32_t)(x[j] * 100));
    }
    free(x);
}

static void conversions_saturate(void **state) {
    fixture *t = *state;
    const double x[] = {NAN,  INFINITY,     -INFINITY,     1e300,  -1e300,  255.9, 256,
                        -0.9, 2147483647.5, -2147483648.9, 0x1p63, -0x1p63, 3};
    enum { N = sizeof x / sizeof *x };
    const uint8_t u8[N] = {0, 255, 0, 255, 0, 255, 255, 0, 255, 0, 255, 0, 3};
    const int32_t i32[N] = {0, INT_MAX, INT_MIN, INT_MAX, INT_MIN, 255, 256, 0, INT_MAX, INT_MIN, INT_MAX, INT_MIN, 3};
    const int64_t i64[N] = {0, INT64_MAX,  INT64_MIN,   INT64_MAX, INT64_MIN, 255, 256,
                            0, 2147483647, -2147483648, INT64_MAX, INT64_MIN, 3};
    uint8_t gu8[N], gb[N];
    int32_t gi32[N];
    int64_t gi64[N];
    void *const got[] = {gu8, gi32, gi64, gb};
    const fsr_dtype dtype[] = {FSR_U8, FSR_I32, FSR_I64, FSR_BOOL};
    begin(t, "k_cast", FSR_SCHEDULE_MAP, 1, 1, (int64_t[]){N});
    int v = load(t, FSR_ROW, 0, linear(t, array(t, FSR_F64, (void *)x, false)));
    for (int i = 0; i < 4; i++)
        store(t, FSR_ROW, 0, linear(t, array(t, dtype[i], got[i], true)),
              op(t, FSR_ROW, 0, FSR_OP_CAST, FSR_F64, dtype[i], v, 0, 0));
    run(t);
    assert_memory_equal(gu8, u8, sizeof u8);
    assert_memory_equal(gi32, i32, sizeof i32);
    assert_memory_equal(gi64, i64, sizeof i64);
    for (int i = 0; i < N; i++)
        assert_int_equal(gb[i], 1);
}

static void literals_are_exact(void **state) {
    fixture *t = *state;
    const double x[] = {0.1, -0.0, 0.0, 1e-320, -1.7976931348623157e308, INFINITY, -INFINITY, 3, -123456, 1.0 / 3};
    enum { N = sizeof x / sizeof *x };
    const int64_t n[] = {INT64_MIN, INT64_MAX, -1};
    double y[N];
    float z[N];
    int64_t m[3];
    begin(t, "k_literals", FSR_SCHEDULE_MAP, 0, 0, NULL);
    int by = array(t, FSR_F64, y, true), bz = array(t, FSR_F32, z, true), bm = array(t, FSR_I64, m, true);
    for (int i = 0; i < N; i++) {
        store(t, FSR_ROW, 0, strided(t, by, i, NULL), constant(t, FSR_ROW, FSR_F64, (fsr_value){.f64 = x[i]}));
        store(t, FSR_ROW, 0, strided(t, bz, i, NULL), constant(t, FSR_ROW, FSR_F32, (fsr_value){.f32 = (float)x[i]}));
    }
    for (int i = 0; i < 3; i++)
        store(t, FSR_ROW, 0, strided(t, bm, i, NULL), constant(t, FSR_ROW, FSR_I64, (fsr_value){.i64 = n[i]}));
    run(t);
    assert_memory_equal(y, x, sizeof x);
    assert_memory_equal(m, n, sizeof n);
    for (int i = 0; i < N; i++)
        assert_memory_equal(&z[i], &(float){(float)x[i]}, sizeof(float));
}

/* ---- reductions ------------------------------------------------------------------------------------------ */

static void row_sums(fixture *t, int64_t rows, int64_t cols) {
    float *x = floats(rows * cols), *y = floats(rows);
    begin(t, "k_row_sum", FSR_SCHEDULE_ROW, 2, 1, (int64_t[]){rows, cols});
    int in = linear(t, array(t, FSR_F32, x, false)), out = row_access(t, array(t, FSR_F32, y, true));
    int f = builtin(t, FSR_FOLD_REDUCE, 0, false, FSR_OP_ADD, FSR_F32, load(t, FSR_ELEM, 0, in));
    int half = constant(t, FSR_ROW, FSR_F32, (fsr_value){.f32 = 0.5f});
    store(t, FSR_ROW, 1, out, f32_op(t, FSR_ROW, 1, FSR_OP_MUL, result(t, f, 0), half));
    run(t);
    for (int64_t r = 0; r < rows; r++) {
        double sum = 0;
        for (int64_t c = 0; c < cols; c++)
            sum += (double)x[r * cols + c];
        assert_near((double)y[r], sum / 2, 4e-6 + (double)cols * 2e-8);
    }
    free(x);
    free(y);
}

static void row_sum_with_epilogue(void **state) {
    const int64_t cols[] = {0, 1, 15, 16, 17, 127, 128, 129, 1000, 40000};
    for (size_t i = 0; i < sizeof cols / sizeof *cols; i++)
        row_sums(*state, 3, cols[i]);
    row_sums(*state, 0, 10);
}

/* 2^25 ones: one serial f32 accumulator stops at 2^24. */
static void sum_is_no_serial_chain(void **state) {
    fixture *t = *state;
    float one = 1, y = 0;
    for (int lanes = 1; lanes <= 16; lanes *= 16) {
        begin(t, "k_ones", FSR_SCHEDULE_ROW, 1, 0, (int64_t[]){1 << 25});
        t->k->schedule.lanes = lanes;
        int in = strided(t, array(t, FSR_F32, &one, false), 0, (int64_t[]){0});
        int out = row_access(t, array(t, FSR_F32, &y, true));
        int f = builtin(t, FSR_FOLD_REDUCE, 0, false, FSR_OP_ADD, FSR_F32, load(t, FSR_ELEM, 0, in));
        store(t, FSR_ROW, 1, out, result(t, f, 0));
        run(t);
        assert_true(y == 0x1p25f);
    }
}

/* Reduces the first and last of three dimensions: two folded dimensions, runs shorter than a chunk. */
static void several_folded_dimensions(void **state) {
    fixture *t = *state;
    enum { A = 50, B = 3, C = 37 };
    const fsr_schedule_kind kinds[] = {FSR_SCHEDULE_ROW, FSR_SCHEDULE_COL};
    float *x = floats(A * B * C), y[B], z[B];
    for (int s = 0; s < 2; s++) {
        begin(t, "k_two_axes", kinds[s], 3, 1, (int64_t[]){B, A, C});
        int bx = array(t, FSR_F32, x, false);
        int in = strided(t, bx, 0, (int64_t[]){C, B * C, 1});
        int out = row_access(t, array(t, FSR_F32, y, true)), most = row_access(t, array(t, FSR_F32, z, true));
        int v = load(t, FSR_ELEM, 0, in);
        int w = f32_op(t, FSR_ELEM, 0, FSR_OP_ADD, v, index_of(t, FSR_ELEM, 1, FSR_F32));
        int f = builtin(t, FSR_FOLD_REDUCE, 0, false, FSR_OP_ADD, FSR_F32, w);
        int g = builtin(t, FSR_FOLD_REDUCE, 0, false, FSR_OP_MAXIMUM, FSR_F32, v);
        store(t, FSR_ROW, 1, out, result(t, f, 0));
        store(t, FSR_ROW, 1, most, result(t, g, 0));
        run(t);
        for (int b = 0; b < B; b++) {
            double sum = 0;
            float max = -INFINITY;
            for (int a = 0; a < A; a++)
                for (int c = 0; c < C; c++) {
                    sum += (double)x[(a * B + b) * C + c] + a;
                    max = fmaxf(max, x[(a * B + b) * C + c]);
                }
            assert_near((double)y[b], sum, 0.05);
            assert_true(z[b] == max);
        }
    }
    free(x);
}

/* Three passes; with the exponentials kept, and evaluated again. */
static void softmax(void **state) {
    fixture *t = *state;
    enum { R = 4, C = 300 };
    float *x = floats(R * C), *y = floats(R * C);
    for (int keep = 0; keep < 2; keep++) {
        begin(t, "k_softmax", FSR_SCHEDULE_ROW, 2, 1, (int64_t[]){R, C});
        t->k->npasses = 3;
        int in = linear(t, array(t, FSR_F32, x, false)), out = linear(t, array(t, FSR_F32, y, true));
        int v = load(t, FSR_ELEM, 0, in);
        int m = result(t, builtin(t, FSR_FOLD_REDUCE, 0, false, FSR_OP_MAXIMUM, FSR_F32, v), 0);
        int e = f32_op(t, FSR_ELEM, 1, FSR_OP_EXP, f32_op(t, FSR_ELEM, 1, FSR_OP_SUB, v, m), 0);
        t->k->inst[v].keep = t->k->inst[e].keep = keep;
        int s = result(t, builtin(t, FSR_FOLD_REDUCE, 1, false, FSR_OP_ADD, FSR_F32, e), 0);
        store(t, FSR_ELEM, 2, out, f32_op(t, FSR_ELEM, 2, FSR_OP_DIV, e, s));
        run(t);
        for (int r = 0; r < R; r++) {
            double max = -INFINITY, sum = 0;
            for (int c = 0; c < C; c++)
                max = fmax(max, (double)x[r * C + c]);
            for (int c = 0; c < C; c++)
                sum += exp((double)x[r * C + c] - max);
            for (int c = 0; c < C; c++)
                assert_near((double)y[r * C + c], exp((double)x[r * C + c] - max) / sum, 1e-8);
        }
    }
    free(x);
    free(y);
}

/* Standardize the columns of a matrix along its rows: two passes with rows in groups, an epilogue, row values as
 * arrays. */
static void column_sum(void **state) {
    fixture *t = *state;
    const int64_t sizes[][2] = {{1, 1}, {0, 5}, {5, 0}, {300, 70}, {129, 32}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int64_t n = sizes[i][0], m = sizes[i][1];
        float *x = floats(n * m), *y = floats(n * m), *s = floats(m);
        begin(t, "k_col", FSR_SCHEDULE_COL, 2, 1, (int64_t[]){m, n});
        t->k->npasses = 2;
        int in = strided(t, array(t, FSR_F32, x, false), 0, (int64_t[]){1, m});
        int out = strided(t, array(t, FSR_F32, y, true), 0, (int64_t[]){1, m});
        int sum = row_access(t, array(t, FSR_F32, s, true));
        int v = load(t, FSR_ELEM, 0, in);
        int f = result(t, builtin(t, FSR_FOLD_REDUCE, 0, false, FSR_OP_ADD, FSR_F32, v), 0);
        store(t, FSR_ROW, 1, sum, f);
        store(t, FSR_ELEM, 1, out, f32_op(t, FSR_ELEM, 1, FSR_OP_SUB, v, f));
        run(t);
        for (int64_t c = 0; c < m; c++) {
            double expected = 0;
            for (int64_t r = 0; r < n; r++)
                expected += (double)x[r * m + c];
            assert_near((double)s[c], expected, 2e-5);
            for (int64_t r = 0; r < n; r++)
                assert_true(y[r * m + c] == x[r * m + c] - s[c]);
        }
        free(x);
        free(y);
        free(s);
    }
}

static int step_op(fsr_combine *c, fsr_op which, fsr_dtype compute, fsr_dtype dtype, int a, int b, int d) {
    c->step[c->nsteps] =
        (fsr_step){.kind = FSR_STEP_OP, .dtype = dtype, .compute = compute, .op = which, .arg = {a, b, d}};
    return c->nsteps++;
}

static void step_args(fsr_combine *c) {
    for (int i = 0; i < 2 * c->arity; i++)
        c->step[c->nsteps++] = (fsr_step){.kind = FSR_STEP_ARG, .dtype = c->dtype[i % c->arity], .index = i};
}

/* The larger value; of equals, the earlier index. */
static void argmax_operator(fsr_combine *c) {
    *c = (fsr_combine){.arity = 2, .dtype = {FSR_F32, FSR_I64}, .commutative = true};
    c->identity[0].f32 = -INFINITY;
    c->identity[1].i64 = INT64_MAX;
    step_args(c);
    int more = step_op(c, FSR_OP_GREATER, FSR_F32, FSR_BOOL, 0, 2, 0);
    int same = step_op(c, FSR_OP_EQUAL, FSR_F32, FSR_BOOL, 0, 2, 0);
    int early = step_op(c, FSR_OP_LESS, FSR_I64, FSR_BOOL, 1, 3, 0);
    int tie = step_op(c, FSR_OP_LOGICAL_AND, FSR_BOOL, FSR_BOOL, same, early, 0);
    int left = step_op(c, FSR_OP_LOGICAL_OR, FSR_BOOL, FSR_BOOL, more, tie, 0);
    c->result[0] = step_op(c, FSR_OP_WHERE, FSR_F32, FSR_F32, left, 0, 2);
    c->result[1] = step_op(c, FSR_OP_WHERE, FSR_I64, FSR_I64, left, 1, 3);
}

static void argmax_of_tuples(void **state) {
    fixture *t = *state;
    enum { R = 3, C = 1000 };
    const fsr_schedule_kind kinds[] = {FSR_SCHEDULE_ROW, FSR_SCHEDULE_COL};
    float *x = floats(R * C);
    for (int i = 0; i < R * C; i++)
        x[i] = floorf(x[i] * 50); /* many equals */
    for (int s = 0; s < 2; s++) {
        int64_t y[R];
        fsr_combine c;
        argmax_operator(&c);
        begin(t, "k_argmax", kinds[s], 2, 1, (int64_t[]){R, C});
        int in = linear(t, array(t, FSR_F32, x, false)), out = row_access(t, array(t, FSR_I64, y, true));
        int input[2] = {load(t, FSR_ELEM, 0, in), index_of(t, FSR_ELEM, 1, FSR_I64)};
        store(t, FSR_ROW, 1, out, result(t, fold(t, FSR_FOLD_REDUCE, 0, false, &c, input), 1));
        run(t);
        for (int r = 0; r < R; r++) {
            int64_t best = 0;
            for (int i = 1; i < C; i++)
                if (x[r * C + i] > x[r * C + best])
                    best = i;
            assert_int_equal(y[r], best);
        }
    }
    free(x);
}

/* ---- scans ------------------------------------------------------------------------------------------------ */

/* Inclusive and exclusive at once, and the total; the scan's element feeds a map. Integers, so that every association
 * agrees. */
static void running_sums(void **state) {
    fixture *t = *state;
    enum { R = 3 };
    const int64_t sizes[] = {0, 1, 127, 128, 129, 1000};
    const fsr_schedule_kind kinds[] = {FSR_SCHEDULE_ROW, FSR_SCHEDULE_COL, FSR_SCHEDULE_LOOKBACK};
    for (int i = 0; i < 18; i++) {
        int64_t n = sizes[i % 6];
        int64_t *x = malloc((size_t)(R * n) * 8 + 1), *y = malloc((size_t)(R * n) * 8 + 1),
                *z = malloc((size_t)(R * n) * 8 + 1), s[R];
        for (int64_t j = 0; j < R * n; j++)
            x[j] = j * j % 1001 - 500;
        begin(t, "k_cumsum", kinds[i / 6], 2, 1, (int64_t[]){R, n});
        int in = linear(t, array(t, FSR_I64, x, false));
        int out = linear(t, array(t, FSR_I64, y, true)), before = linear(t, array(t, FSR_I64, z, true));
        int total = row_access(t, array(t, FSR_I64, s, true));
        int v = load(t, FSR_ELEM, 0, in);
        int a = result(t, builtin(t, FSR_FOLD_SCAN, 0, false, FSR_OP_ADD, FSR_I64, v), 0);
        int b = result(t, builtin(t, FSR_FOLD_SCAN, 0, true, FSR_OP_ADD, FSR_I64, v), 0);
        store(t, FSR_ELEM, 0, out,
              op(t, FSR_ELEM, 0, FSR_OP_MUL, FSR_I64, FSR_I64, a, constant(t, FSR_ROW, FSR_I64, (fsr_value){.i64 = 3}),
                 0));
        store(t, FSR_ELEM, 0, before, b);
        store(t, FSR_ROW, 1, total, result(t, builtin(t, FSR_FOLD_REDUCE, 0, false, FSR_OP_ADD, FSR_I64, v), 0));
        run(t);
        for (int64_t r = 0; r < R; r++) {
            int64_t sum = 0;
            for (int64_t c = r * n; c < (r + 1) * n; c++) {
                assert_int_equal(z[c], sum);
                sum += x[c];
                assert_int_equal(y[c], 3 * sum);
            }
            assert_int_equal(s[r], sum);
        }
        free(x);
        free(y);
        free(z);
    }
}

/* h = a * h + b as a scan of (a, b) tuples: (a, b) * (c, d) = (a c, b c + d). Not commutative. */
static void linear_recurrence(void **state) {
    fixture *t = *state;
    const fsr_schedule_kind kinds[] = {FSR_SCHEDULE_ROW, FSR_SCHEDULE_COL};
    enum { R = 2, C = 700 };
    float *a = floats(R * C), *b = floats(R * C), *y = floats(R * C), last[R];
    for (int s = 0; s < 2; s++) {
        fsr_combine c = {.arity = 2, .dtype = {FSR_F32, FSR_F32}};
        c.identity[0].f32 = 1;
        step_args(&c);
        c.result[0] = step_op(&c, FSR_OP_MUL, FSR_F32, FSR_F32, 0, 2, 0);
        c.result[1] =
            step_op(&c, FSR_OP_ADD, FSR_F32, FSR_F32, step_op(&c, FSR_OP_MUL, FSR_F32, FSR_F32, 1, 2, 0), 3, 0);
        begin(t, "k_recurrence", kinds[s], 2, 1, (int64_t[]){R, C});
        int la = linear(t, array(t, FSR_F32, a, false)), lb = linear(t, array(t, FSR_F32, b, false));
        int out = linear(t, array(t, FSR_F32, y, true)), end = row_access(t, array(t, FSR_F32, last, true));
        int input[2] = {load(t, FSR_ELEM, 0, la), load(t, FSR_ELEM, 0, lb)};
        store(t, FSR_ELEM, 0, out, result(t, fold(t, FSR_FOLD_SCAN, 0, false, &c, input), 1));
        store(t, FSR_ROW, 1, end, result(t, fold(t, FSR_FOLD_REDUCE, 0, false, &c, input), 1));
        run(t);
        for (int r = 0; r < R; r++) {
            double h = 0;
            for (int i = r * C; i < (r + 1) * C; i++) {
                h = h * (double)a[i] + (double)b[i];
                assert_near((double)y[i], h, 1e-5);
            }
            assert_near((double)last[r], h, 1e-5);
        }
    }
    free(a);
    free(b);
    free(y);
}

/* ---- against the interpreter ------------------------------------------------------------------------------- */

static void compare(fixture *t, fsr_kernel *k, int64_t rows, int64_t columns) {
    fsr_launch expected = {.blocks = 0}, got;
    kernel_data data[2];
    fsr_fault fault = {0};
    fsr_module *m = NULL;
    char why[256] = "";
    kernel_sizes(k, &expected, rows, columns);
    for (int i = 0; i < k->nscalars; i++)
        expected.scalar[i] = fsr_value_from_double(k->scalar[i], 3);
    got = expected;
    kernel_data_new(&data[0], k, &expected, 7);
    kernel_data_new(&data[1], k, &got, 7);
    got.work = malloc((size_t)fsr_kernel_work_bytes(k, got.integer) + 1);
    assert_int_equal(fsr_kernel_interpret(k, &expected), FSR_OK);
    if (t->backend->ops->compile(t->backend, k, &m, &fault) != FSR_OK)
        fail_msg("%s", fault.message);
    assert_int_equal(t->backend->ops->launch(t->backend, m, &got, NULL, &fault), FSR_OK);
    int where = 0;
    if (!kernel_data_guards(&data[1], k, &where))
        fail_msg("%s %lldx%lld: array %d: written outside", k->name, (long long)rows, (long long)columns, where);
    if (!kernel_data_equal(&data[0], &data[1], k, 1e-4, why, sizeof why))
        fail_msg("%s %lldx%lld: %s", k->name, (long long)rows, (long long)columns, why);
    free(got.work);
    kernel_data_free(&data[0]);
    kernel_data_free(&data[1]);
}

static fsr_kernel *kernel_number(int i) {
    switch (i) {
    case 0: return kernel_softmax(false);
    case 1: return kernel_softmax(true);
    case 2: return kernel_row_sums(FSR_F32);
    case 3: return kernel_row_sums(FSR_I64);
    case 4: return kernel_column_sums(FSR_F64);
    case 5: return kernel_scan(FSR_F32, false);
    case 6: return kernel_scan(FSR_I32, true);
    case 7: return kernel_recurrence();
    case 8: return kernel_argmax(FSR_F64);
    case 9: return kernel_fold_recurrence();
    case 10: return kernel_scan_of_scan(FSR_I64);
    case 11: return kernel_late_scan(false);
    case 12: return kernel_late_scan(true);
    case 13: return kernel_column_softmax();
    case 14: return kernel_column_scan(FSR_F32, true);
    case 15: return kernel_planes(FSR_F64);
    case 16: return kernel_map(FSR_I32);
    default: return NULL;
    }
}

/* Every kernel of tests/support, as rows and as columns, around the edges of lanes, chunks and groups. */
static void as_the_interpreter(void **state) {
    const int64_t sizes[][2] = {{1, 1}, {0, 3}, {3, 0}, {2, 7}, {8, 33}, {9, 64}, {5, 65}, {33, 200}};
    fsr_kernel *k;
    for (int i = 0; (k = kernel_number(i)); i++) {
        for (int kind = 0; kind < (k->npasses ? 2 : 1); kind++) {
            k->schedule = (fsr_schedule){.kind = FSR_SCHEDULE_MAP, .lanes = 8, .chunk = 64, .group = 8};
            if (k->npasses)
                k->schedule.kind = kind ? FSR_SCHEDULE_COL : FSR_SCHEDULE_ROW;
            for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++)
                compare(*state, k, sizes[j][0], sizes[j][1]);
        }
        fsr_kernel_free(k);
    }
}

/* ---- the driver -------------------------------------------------------------------------------------------- */

static fsr_kernel *tiny_kernel(void) {
    fixture t = {0};
    float x;
    begin(&t, "k_tiny", FSR_SCHEDULE_MAP, 1, 1, (int64_t[]){1});
    store(&t, FSR_ROW, 0, linear(&t, array(&t, FSR_F32, &x, true)),
          constant(&t, FSR_ROW, FSR_F32, (fsr_value){.f32 = 5}));
    return t.k;
}

static fsr_status compile_tiny(const fsr_config *config, fsr_backend_stats *stats, char *message, size_t size) {
    fsr_backend *b = open_backend(config);
    fsr_kernel *k = tiny_kernel();
    fsr_fault fault = {0};
    fsr_module *m = NULL;
    fsr_status status = b->ops->compile(b, k, &m, &fault);
    snprintf(message, size, "%s", fault.message ? fault.message : "");
    if (status == FSR_OK) {
        float y = 0;
        fsr_launch launch = {.array = {&y}, .integer = {1, 1, 1, 1, 1}};
        assert_int_equal(b->ops->launch(b, m, &launch, NULL, &fault), FSR_OK);
        assert_true(y == 5 || y == 6);
        assert_int_equal(b->ops->compile(b, k, &m, &fault), FSR_OK);
    }
    b->ops->stats(b, stats);
    fsr_fault_clear(&fault);
    fsr_kernel_free(k);
    b->ops->close(b);
    return status;
}

static void no_compiler(void **state) {
    const fsr_config config = {.cache_dir = "", .compiler = "/nowhere/cc; touch /tmp/x"};
    fsr_backend_stats stats;
    char message[1024];
    (void)state;
    assert_int_equal(compile_tiny(&config, &stats, message, sizeof message), FSR_ERR_NO_COMPILER);
    assert_non_null(strstr(message, "/nowhere/cc; touch /tmp/x (No such file or directory)"));
}

static void put_file(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* A hand-edited source is used; one that does not compile gives the compiler's words and the dumped path. */
static void edited_sources(void **state) {
    char dir[] = "/tmp/fusor-test-XXXXXX", path[128], dumped[64], message[4096];
    fsr_backend_stats stats;
    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/k_tiny.c", dir);
    snprintf(dumped, sizeof dumped, "%s/dump", dir);
    const fsr_config config = {.cache_dir = "", .load_dir = dir, .dump_dir = dumped, .fallback = 1};
    put_file(path, "void k_tiny(void **a, long *n, void *s, void *w) { *(float *)a[0] = 6; }\n");
    assert_int_equal(compile_tiny(&config, &stats, message, sizeof message), FSR_OK);
    put_file(path, "void k_tiny(void) { undefined_thing; }\n");
    assert_int_equal(compile_tiny(&config, &stats, message, sizeof message), FSR_ERR_COMPILE);
    assert_non_null(strstr(message, "undefined_thing"));
    assert_non_null(strstr(message, "/dump/k_tiny.c"));
    unlink(path);
    snprintf(path, sizeof path, "%s/k_tiny.c", dumped);
    assert_int_equal(unlink(path), 0);
    rmdir(dumped);
    assert_int_equal(rmdir(dir), 0);
}

static void caches(void **state) {
    char dir[] = "/tmp/fusor-test-XXXXXX", command[64], message[1024];
    const fsr_config config = {.cache_dir = dir, .cache_mb = 64};
    fsr_backend_stats stats;
    (void)state;
    assert_non_null(mkdtemp(dir));
    assert_int_equal(compile_tiny(&config, &stats, message, sizeof message), FSR_OK);
    assert_true(stats.compilations == 1 && stats.cache_hits_disk == 0 && stats.cache_hits_memory == 1);
    assert_int_equal(compile_tiny(&config, &stats, message, sizeof message), FSR_OK);
    assert_true(stats.compilations == 0 && stats.cache_hits_disk == 1 && stats.launches == 1);
    snprintf(command, sizeof command, "rm -r %s", dir);
    assert_int_equal(system(command), 0);
}

static void memory(void **state) {
    fixture *t = *state;
    const fsr_backend_ops *ops = t->backend->ops;
    fsr_fault fault = {0};
    fsr_backend_stats stats;
    const int64_t sizes[] = {0, 1, 256, 257, 5000, 1 << 20, (1 << 23) + 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        void *a = NULL, *b = NULL;
        assert_int_equal(ops->alloc(t->backend, sizes[i], &a, &fault), FSR_OK);
        assert_true(a != NULL && (uintptr_t)a % 256 == 0);
        assert_int_equal(ops->clear(t->backend, a, sizes[i], NULL, &fault), FSR_OK);
        ops->free(t->backend, a, sizes[i]);
        assert_int_equal(ops->alloc(t->backend, sizes[i], &b, &fault), FSR_OK);
        assert_ptr_equal(a, b);
        ops->free(t->backend, b, sizes[i]);
    }
    void *none = NULL;
    assert_int_equal(ops->alloc(t->backend, INT64_MAX, &none, &fault), FSR_ERR_MEMORY);
    assert_int_equal(ops->alloc(t->backend, -1, &none, &fault), FSR_ERR_SIZE);
    assert_int_equal(ops->trim(t->backend, &fault), FSR_OK);
    ops->stats(t->backend, &stats);
    assert_true(stats.used_bytes == 0 && stats.pool_bytes == 0);
    fsr_fault_clear(&fault);
}

/* Bits are the same each time, whatever the values; and the text is. */
static void emit_is_stable(void **state) {
    fsr_kernel *k = tiny_kernel();
    fsr_fault fault = {0};
    char *a = NULL, *b = NULL;
    (void)state;
    assert_int_equal(fsr_cpu_source(k, &a, &fault), FSR_OK);
    assert_int_equal(fsr_cpu_source(k, &b, &fault), FSR_OK);
    assert_string_equal(a, b);
    assert_null(strstr(a, "#include"));
    free(a);
    free(b);
    fsr_kernel_free(k);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(map_with_two_outputs),
        TEST(map_of_no_dimensions_and_no_rows),
        TEST(strided_and_broadcast_loads),
        TEST(in_place),
        TEST(conversions_saturate),
        TEST(literals_are_exact),
        TEST(row_sum_with_epilogue),
        TEST(sum_is_no_serial_chain),
        TEST(several_folded_dimensions),
        TEST(softmax),
        TEST(column_sum),
        TEST(argmax_of_tuples),
        TEST(running_sums),
        TEST(linear_recurrence),
        TEST(as_the_interpreter),
        TEST(memory),
        cmocka_unit_test(no_compiler),
        cmocka_unit_test(edited_sources),
        cmocka_unit_test(caches),
        cmocka_unit_test(emit_is_stable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

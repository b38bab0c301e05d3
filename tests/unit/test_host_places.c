/* SPDX-License-Identifier: MIT */
/* Generated CUDA of filters, on the host: every schedule that may hold one, planned as for a GPU, against the
 * interpreter of the loop IR; and whole programs that filter the rows of an array, against a loop. Arrays have their
 * exact size, so that under the address sanitizer a store outside is seen. */
#include "backend_cuda/emit_cuda.h"
#include "fusion/filter.h"
#include "fusion/plan.h"
#include "fusion/ring.h"
#include "runtime/text.h"
#include "tests/host_cuda/host_cuda.h"
#include "tests/support/one_graph.h"
#include "tests/support/targets.h"

/* Bytes of array a: as many elements as rows for a reduction's result, n otherwise. */
static size_t bytes_of(const fsr_thunk *thunk, int a, int64_t n) {
    const fsr_kernel *k = thunk->kernel;
    bool row = false;
    for (int i = 0; i < k->ninsts; i++)
        row = row || (k->inst[i].kind == FSR_INST_STORE && k->stand[i].level == FSR_ROW && k->npasses > 0 &&
                      k->access[k->inst[i].index].buffer == a);
    return (size_t)(row ? thunk->kernel->integer[FSR_INT_ROWS] : n) * fsr_dtype_size(k->array[a].dtype);
}

/* Leaves: numbers. What is written starts as a pattern. */
static void arrays(const fsr_thunk *thunk, int64_t n, fsr_launch *launch) {
    const fsr_kernel *k = thunk->kernel;
    for (int a = 0; a < k->narrays; a++) {
        unsigned char *data = malloc(bytes_of(thunk, a, n));
        memset(data, 0x5a, bytes_of(thunk, a, n));
        for (int64_t i = 0; thunk->use[a].slot.kind == FSR_SLOT_LEAF && i < n; i++)
            ((float *)data)[i] = (float)((i * 37 + a * 11) % 101) / 8 - 6;
        launch->array[a] = data;
    }
}

static void free_arrays(const fsr_kernel *k, fsr_launch *launch) {
    for (int a = 0; a < k->narrays; a++)
        free(launch->array[a]);
}

/* Of what the interpreter left as many bytes as it wrote, where a kernel may write some elements behind a count. */
static size_t written(const fsr_kernel *k, const unsigned char *data, size_t bytes) {
    while (k->live && k->npasses && bytes && data[bytes - 1] == 0x5a)
        bytes--;
    return bytes;
}

static void run(const fsr_thunk *thunk, int64_t n) {
    const fsr_kernel *k = thunk->kernel;
    fsr_launch want = fsr_program_launch(thunk), got = fsr_program_launch(thunk);
    fsr_fault fault = {FSR_OK, NULL};
    fsr_text text = {0};
    assert_int_equal(fsr_emit_cuda_for_host(k, &text), FSR_OK);
    arrays(thunk, n, &want);
    assert_int_equal(fsr_kernel_interpret(k, &want), FSR_OK);
    for (uint64_t seed = 0; seed < 2; seed++) {
        arrays(thunk, n, &got);
        got.work = malloc((size_t)thunk->work_bytes + 1);
        got.zero = calloc(1, (size_t)thunk->zero_bytes + 1);
        if (host_cuda_run(k, text.data, &got, seed, &fault))
            fail_msg("%s: %s", k->comment, fault.message);
        for (int a = 0; a < k->narrays; a++)
            if (memcmp(got.array[a], want.array[a], written(k, want.array[a], bytes_of(thunk, a, n))))
                fail_msg("%s: array %d differs\n%s", k->comment, a, text.data);
        free_arrays(k, &got);
        free(got.work);
        free(got.zero);
    }
    free_arrays(k, &want);
    fsr_text_free(&text);
}

static fsr_program planned(const fsr_node *outs, int nouts) {
    fsr_program_options options = {.target = target_small_gpu, .fusion = true, .fuel = -1};
    fsr_program program;
    fsr_binding binding;
    fsr_flow flow;
    fsr_ref refs[8];
    char why[256];
    for (int i = 0; i < nouts; i++)
        refs[i] = (fsr_ref){outs[i].id, outs[i].output};
    assert_int_equal(fsr_flow_build(&flow, &binding, g, refs, nouts), FSR_OK);
    fsr_binding_clear(&binding);
    if (fsr_program_make(&program, &flow, &options, why, sizeof why))
        fail_msg("%s", why);
    return program;
}

/* The plan must be one kernel of that schedule, which compacts so many arrays. */
static void check(const fsr_node *outs, int nouts, int64_t n, fsr_schedule_kind kind, int compacted) {
    fsr_program program = planned(outs, nouts);
    assert_int_equal(program.info.kernels, 1);
    const fsr_kernel *k = fsr_program_kernel(&program, 0)->kernel;
    assert_int_equal(k->schedule.kind, kind);
    for (int i = 0; i < k->ninsts; i++)
        compacted -= k->inst[i].filter;
    assert_int_equal(compacted, 0);
    run(fsr_program_kernel(&program, 0), n);
    fsr_program_clear(&program);
}

/* Arrays of 1, 4 and 8 bytes an element filtered by one mask, and the count: what the lanes of one warp hand over of
 * one array may not lie where another warp's of another array does. */
static void filters(void **state) {
    (void)state;
    static const struct {
        int64_t n;
        fsr_schedule_kind kind;
    } sizes[] = {{2, FSR_SCHEDULE_ROW},         {33, FSR_SCHEDULE_ROW},         {1000, FSR_SCHEDULE_ROW},
                 {8192, FSR_SCHEDULE_ROW},      {20000, FSR_SCHEDULE_LOOKBACK}, {32768, FSR_SCHEDULE_LOOKBACK},
                 {32769, FSR_SCHEDULE_LOOKBACK}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        fsr_node x = INPUT(g, FSR_F32, sizes[i].n), y = fsr_input(g, "y", FSR_F32, 1, SHAPE(sizes[i].n));
        fsr_node mask = fsr_less(x, y), fill = fsr_float(g, 3);
        fsr_node out[] = {fsr_filter(x, mask, fill), fsr_neg(fsr_filter(y, mask, fill)),
                          fsr_filter(fsr_cast(x, FSR_F64), mask, fill),
                          fsr_filter(fsr_signbit(y), mask, fsr_bool(g, true)), fsr_count_nonzero(mask, NULL, 0, 0)};
        check(out, 5, sizes[i].n, sizes[i].kind, 4);
    }
}

/* What is selected alone, of several widths; nothing is written behind it. */
static void lengths(void **state) {
    (void)state;
    static const struct {
        int64_t n;
        fsr_schedule_kind kind;
    } sizes[] = {{2, FSR_SCHEDULE_ROW},
                 {33, FSR_SCHEDULE_ROW},
                 {1000, FSR_SCHEDULE_ROW},
                 {20000, FSR_SCHEDULE_LOOKBACK},
                 {32769, FSR_SCHEDULE_LOOKBACK}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        fsr_node x = INPUT(g, FSR_F32, sizes[i].n), y = fsr_input(g, "y", FSR_F32, 1, SHAPE(sizes[i].n));
        fsr_node mask = fsr_less(x, y), kept = fsr_compress(mask, x);
        fsr_node out[] = {kept,
                          fsr_neg(fsr_compress(mask, y)),
                          fsr_cast(kept, FSR_F64),
                          fsr_compress(mask, fsr_signbit(y)),
                          fsr_filled(kept, fsr_float(g, 3)),
                          fsr_live_count(kept)};
        check(out, 6, sizes[i].n, sizes[i].kind, 5);
    }
}

/* As many as a tile of a look-back has room for in shared memory: before the tile's place is known, and, of what a
 * running count is part of, behind it. Their number is what the count ends with. */
static void pooled(void **state) {
    (void)state;
    static const int64_t sizes[] = {20000, 32769};
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        const int64_t n = sizes[i / 2];
        fsr_node x = INPUT(g, FSR_F32, n), y = fsr_input(g, "y", FSR_F32, 1, SHAPE(n)), mask = fsr_less(x, y);
        fsr_node kept = fsr_compress(mask, i % 2 ? fsr_cumsum(fsr_cast(mask, FSR_I32), (int[]){0}, 1, 0) : x);
        fsr_node out[] = {kept, i % 2 ? fsr_live_count(kept) : fsr_filter(y, mask, fsr_float(g, 3)),
                          fsr_live_count(kept)};
        fsr_program program = planned(out, i % 2 ? 2 : 3);
        assert_int_equal(program.info.kernels, 1);
        const fsr_kernel *k = fsr_program_kernel(&program, 0)->kernel;
        assert_true(k->schedule.kind == FSR_SCHEDULE_LOOKBACK && k->schedule.pooled && k->schedule.riding);
        run(fsr_program_kernel(&program, 0), n);
        fsr_program_clear(&program);
    }
}

/* A filter's kernel of `n` columns by a ring of such slots, as many as the verifier takes. */
static void run_ring(const fsr_program *program, fsr_schedule s, int64_t n) {
    fsr_thunk thunk = *fsr_program_kernel(program, 0);
    fsr_kernel *k = thunk.kernel;
    char why[256];
    s.resident = s.accumulators = 1;
    k->schedule = s;
    k->integer[FSR_INT_COLS] = k->integer[FSR_INT_EXTENT] = n;
    k->integer[FSR_INT_STRETCH] = (int64_t)s.threads * s.items;
    k->integer[FSR_INT_SPLITS] = n ? (n + s.threads * s.items - 1) / (s.threads * s.items) : 1;
    if (fsr_kernel_verify(k, why, sizeof why))
        fail_msg("%s", why);
    thunk.blocks = fsr_kernel_blocks(k, k->integer);
    thunk.work_bytes = fsr_kernel_work_bytes(k, k->integer);
    thunk.zero_bytes = fsr_kernel_zero_bytes(k, k->integer);
    assert_true(thunk.blocks == (k->integer[FSR_INT_SPLITS] < s.members ? k->integer[FSR_INT_SPLITS] : s.members));
    run(&thunk, n);
}

/* Around a tile and around as many as a ring has slots, by one block, by some, by more than there are tiles. */
static void run_rings(const fsr_program *program, bool all) {
    static const int members[] = {1, 3, 31};
    fsr_schedule s = fsr_program_kernel(program, 0)->kernel->schedule;
    for (int m = !all; m < (all ? 3 : 2); m++) {
        s.threads = 64 << (m == 1);
        s.items = 2 * s.vector;
        s.members = members[m];
        s.slots = 2 + m;
        s.writers = m == 2 ? 32 : 96;
        const int64_t v = s.vector, tile = (int64_t)s.threads * s.items;
        const int64_t sizes[] = {0, v, tile - v, tile, tile + v, s.slots * tile, 7 * tile + 3 * v};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            run_ring(program, s, sizes[i]);
    }
}

/* By rings: some elements, all and none; of several widths and arrays, with what is not selected behind them, and with
 * places in the row among what is stored. A scan whose elements are asked for keeps them while it waits, and an array
 * that is read along another index lies elsewhere: these cannot. */
static void rings(void **state) {
    (void)state;
    static const int64_t sizes[] = {32768, 32769};
    for (size_t i = 0; i < 3 * sizeof sizes / sizeof *sizes; i++) {
        const int64_t n = sizes[i / 3];
        fsr_node x = INPUT(g, FSR_F32, n), y = fsr_input(g, "y", FSR_F32, 1, SHAPE(n)), fill = fsr_float(g, 3);
        fsr_node mask = fsr_less(x, i % 3 ? fsr_float(g, i % 3 == 1 ? 100 : -100) : y), kept = fsr_compress(mask, x);
        fsr_node count = fsr_live_count(kept), places = fsr_compress(mask, fsr_arange(g, FSR_I64, n));
        fsr_node outs[][3] = {{kept, fsr_compress(mask, fsr_signbit(y)), count},
                              {fsr_filter(fsr_cast(x, FSR_F64), mask, fill), count, kept},
                              {places, count, fsr_compress(mask, fsr_neg(y))},
                              {kept, fsr_cumsum(fsr_cast(mask, FSR_I32), (int[]){0}, 1, 0), count},
                              {kept, fsr_compress(mask, fsr_flip(y, 0)), count}};
        for (int o = 0; o < 5; o++) {
            fsr_program program = planned(outs[o], 3);
            assert_int_equal(program.info.kernels, 1);
            assert_int_equal(fsr_kernel_may_ring(fsr_program_kernel(&program, 0)->kernel), o < 3);
            if (o < 3 && (i % 3 == 0 || o == 0))
                run_rings(&program, i % 3 == 0);
            fsr_program_clear(&program);
        }
    }
}

/* Lengths from 0 to the capacity, which a kernel finds when it begins: of reductions, of elements, of scans, of several
 * passes, and of a map, which writes nothing behind them: what is compared is whole arrays. */
static void lengths_given(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 33, 1000, 40000};
    enum { OUTS = 10 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int part = 0; part < 4; part++) {
            fsr_node x = INPUT(g, FSR_F32, sizes[i]), scale = fsr_input(g, "n", FSR_F32, 0, NULL);
            fsr_node n = fsr_cast(fsr_mul(fsr_abs(scale), fsr_float(g, (double)sizes[i] / 4.625 * part / 3)), FSR_I64);
            fsr_node live = fsr_live(x, n), low = fsr_exp(fsr_neg(fsr_abs(live)));
            fsr_node sum = fsr_sum(live, NULL, 0, 0), running = fsr_cumsum(fsr_abs(live), (int[]){0}, 1, 0);
            fsr_node out[OUTS] = {
                fsr_filled(fsr_exp(live), fsr_float(g, -1)),
                sum,
                fsr_argmax(live, NULL, 0, 0),
                fsr_mul(low, live),
                fsr_sqrt(running),
                fsr_std(live, NULL, 0, 0, 0),
                fsr_div(low, fsr_sum(fsr_abs(live), NULL, 0, 0)),
                fsr_cumsum(live, (int[]){0}, 1, FSR_REVERSE),
                fsr_exp(fsr_neg(fsr_cumsum(fsr_abs(live), (int[]){0}, 1, FSR_EXCLUSIVE | FSR_REVERSE))),
                fsr_cumsum(fsr_abs(live), (int[]){0}, 1, 0)};
            for (int o = 0; o < OUTS; o++) {
                const bool two = o == OUTS - 1;
                fsr_program program = planned(two ? (fsr_node[]){out[o], sum} : &out[o], two ? 2 : 1);
                assert_int_equal(program.info.kernels, 1);
                assert_int_equal(fsr_program_kernel(&program, 0)->kernel->live > 0, o && sizes[i] > 1);
                run(fsr_program_kernel(&program, 0), sizes[i]);
                fsr_program_clear(&program);
            }
        }
}

/* Each row's elements above 0, negated, at its front; the rest 0. */
static void filter_row(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    fsr_node zero = fsr_float(in[0].graph, 0);
    out[0] = fsr_filter(fsr_neg(in[0]), fsr_greater(in[0], zero), zero);
}

/* All thunks; x is the only leaf, scalars there are none. */
static void run_program(const fsr_program *p, float *x, float *out, uint64_t seed) {
    char *arena = malloc((size_t)p->arena_bytes + 1);
    memset(arena, 0x5a, (size_t)p->arena_bytes + 1);
    for (int i = 0; i < p->info.kernels; i++) {
        const fsr_thunk *thunk = fsr_program_kernel(p, i);
        fsr_launch launch = fsr_program_launch(thunk);
        fsr_fault fault = {FSR_OK, NULL};
        fsr_text text = {0};
        assert_int_equal(thunk->kernel->nscalars, 0);
        for (int a = 0; a < thunk->kernel->narrays; a++) {
            fsr_slot slot = thunk->use[a].slot;
            launch.array[a] = slot.kind == FSR_SLOT_LEAF     ? (void *)x
                              : slot.kind == FSR_SLOT_OUTPUT ? (void *)out
                                                             : arena + p->temporary[slot.ordinal].offset;
        }
        launch.work = malloc((size_t)thunk->work_bytes + 1);
        launch.zero = calloc(1, (size_t)thunk->zero_bytes + 1);
        assert_int_equal(fsr_emit_cuda_for_host(thunk->kernel, &text), FSR_OK);
        if (host_cuda_run(thunk->kernel, text.data, &launch, seed, &fault))
            fail_msg("%s: %s", thunk->kernel->comment, fault.message);
        fsr_text_free(&text);
        free(launch.work);
        free(launch.zero);
    }
    free(arena);
}

/* Element i of row r is x[r * row + i * step]. */
static void filter_by_loop(const float *x, float *out, int64_t rows, int64_t cols, int64_t row, int64_t step) {
    for (int64_t r = 0; r < rows; r++) {
        int64_t n = 0;
        for (int64_t c = 0; c < cols; c++)
            if (x[r * row + c * step] > 0)
                out[r * cols + n++] = -x[r * row + c * step];
        while (n < cols)
            out[r * cols + n++] = 0;
    }
}

/* Rows of an array, or, down, its columns. */
static void check_rows(const int64_t *shape, bool down, fsr_schedule_kind kind) {
    const int64_t rows = shape[0], cols = shape[1];
    const size_t n = (size_t)(rows * cols);
    fsr_node in = fsr_input(g, "x", FSR_F32, 2, down ? SHAPE(cols, rows) : shape), filtered;
    in = down ? fsr_transpose(in, NULL) : in;
    fsr_vectorize(&filtered, 1, &in, 1, "(n)->(n)", filter_row, NULL);
    assert_int_equal(fsr_node_status(filtered), FSR_OK);
    fsr_program program = planned(&filtered, 1);
    float *x = malloc(n * sizeof *x), *got = malloc(n * sizeof *x), *want = malloc(n * sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(i * 37 % 101) / 8 - 6;
    filter_by_loop(x, want, rows, cols, down ? 1 : cols, down ? rows : 1);
    if (cols > 1) {
        assert_int_equal(program.info.kernels, 1);
        assert_int_equal(fsr_program_kernel(&program, 0)->kernel->schedule.kind, kind);
    }
    for (uint64_t seed = 0; seed < 2; seed++) {
        memset(got, 0x5a, n * sizeof *x);
        run_program(&program, x, got, seed);
        assert_memory_equal(got, want, n * sizeof *x);
    }
    free(x);
    free(got);
    free(want);
    fsr_program_clear(&program);
}

static void filtered_rows(void **state) {
    (void)state;
    static const int64_t shapes[][2] = {{4, 7}, {1, 9}, {5, 1}, {3, 40}, {20, 300}, {2, 9000}, {2, 40000}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        check_rows(shapes[s], false, shapes[s][1] > 20000 ? FSR_SCHEDULE_LOOKBACK : FSR_SCHEDULE_ROW);
}

static void filtered_columns(void **state) {
    (void)state;
    static const int64_t shapes[][2] = {{4, 7}, {5, 1}, {33, 40}, {64, 31}, {300, 20}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        check_rows(shapes[s], true, FSR_SCHEDULE_COL);
}

/* A scatter goes over as many indices as a constant says, on a whole grid. */
static void scatters_given(void **state) {
    (void)state;
    enum { PLACES = 64 };
    static const int64_t sizes[] = {33, 1000, 40000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int part = 0; part < 4; part++) {
            const int64_t n = sizes[s], count = n * part / 3;
            fsr_node x = INPUT(g, FSR_F32, n), at = fsr_cast(fsr_live(x, fsr_int(g, count)), FSR_I32);
            fsr_node zeros = fsr_zeros(g, FSR_I32, 1, SHAPE(PLACES));
            fsr_node out = fsr_scatter_add(zeros, &at, 1, fsr_int(g, 1), FSR_INDEX_DROP, 0);
            fsr_program program = planned(&out, 1);
            float *values = malloc((size_t)n * sizeof *values);
            int32_t want[PLACES] = {0}, got[PLACES];
            assert_true(fsr_program_kernel(&program, program.info.kernels - 1)->kernel->live > 0);
            for (int64_t i = 0; i < n; i++)
                values[i] = (float)(i * 37 % 101);
            for (int64_t i = 0; i < count; i++)
                if (values[i] < PLACES)
                    want[(int)values[i]]++;
            for (uint64_t seed = 0; seed < 2; seed++) {
                memset(got, 0x5a, sizeof got);
                run_program(&program, values, (float *)got, seed);
                assert_memory_equal(got, want, sizeof got);
            }
            free(values);
            fsr_program_clear(&program);
        }
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(filters),       TEST(lengths),         TEST(pooled),
                                       TEST(rings),         TEST(lengths_given),   TEST(scatters_given),
                                       TEST(filtered_rows), TEST(filtered_columns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* backend_cuda/emit_cuda: the text of hand-built kernels under every schedule, through NVRTC: nothing in its log, no
 * local memory, 16-byte accesses where the vector is that wide. Whether the text is right is tests/unit/test_host_*.c's
 * and tests/gpu's. Parameters, refusals and launch sizes need no compiler. */
#include "backend_cuda/emit_cuda.h"
#include "backend_cuda/nvrtc.h"
#include "fusion/launch_shape.h"
#include "fusion/loop_ir_parse.h"
#include "tests/support/kernels.h"
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAP = FSR_SCHEDULE_MAP, ROW = FSR_SCHEDULE_ROW, SPLIT = FSR_SCHEDULE_SPLIT, COL = FSR_SCHEDULE_COL };
enum { LOOKBACK = FSR_SCHEDULE_LOOKBACK };

/* So many outputs a thread each way. */
static fsr_kernel *tiled(fsr_kernel *k, int outputs) {
    k->schedule = (fsr_schedule){.target = FSR_TARGET_GPU,
                                 .kind = FSR_SCHEDULE_COL,
                                 .threads = 256,
                                 .abreast = 16,
                                 .vector = 4,
                                 .items = outputs,
                                 .depth = 16,
                                 .pad = 4,
                                 .chunk = 256};
    return kernel_finished(kernel_tiled(k, outputs));
}

static fsr_kernel *scheduled(fsr_kernel *k, int kind, int threads, int abreast, int vector, int items) {
    k->schedule = (fsr_schedule){.target = FSR_TARGET_GPU,
                                 .kind = (fsr_schedule_kind)kind,
                                 .threads = threads,
                                 .abreast = abreast,
                                 .vector = vector,
                                 .items = items};
    return kernel_finished(k);
}

static fsr_kernel *persistent(fsr_kernel *k) {
    k->schedule.persistent = true;
    return k;
}

static fsr_kernel *wide(fsr_kernel *k) {
    k->schedule.wide = true;
    return k;
}

static char *emit(const fsr_kernel *k) {
    fsr_text text = {0};
    assert_int_equal(fsr_emit_cuda(k, &text), FSR_OK);
    char *source = fsr_text_take(&text);
    assert_non_null(source);
    return source;
}

/* ---- through the compiler ---------------------------------------------------------------------------- */

/* NULL, with the reason printed, if there is no NVRTC. */
static fsr_nvrtc *open_nvrtc(void) {
    fsr_nvrtc *n = NULL;
    fsr_fault fault = {0};
    if (fsr_nvrtc_open(&n, &fault) != FSR_OK)
        print_message("skipped: %s\n", fault.message);
    fsr_fault_clear(&fault);
    return n;
}

/* Machine instructions of sm_90 that tell what a kernel does to memory. */
typedef struct traffic {
    int loads, wide_loads, wide_stores, local;
} traffic;

enum { OP_LOAD = 0x981, OP_STORE = 0x986, OP_LOCAL_LOAD = 0x983, OP_LOCAL_STORE = 0x387, SIZE_128 = 6 };

static void count_section(const unsigned char *at, uint64_t size, traffic *t) {
    for (uint64_t i = 0; i + 16 <= size; i += 16) {
        uint64_t low, high;
        memcpy(&low, at + i, 8);
        memcpy(&high, at + i + 8, 8);
        int op = (int)(low & 0xfff), bits = (int)(high >> 9 & 7);
        t->loads += op == OP_LOAD;
        t->wide_loads += op == OP_LOAD && bits == SIZE_128;
        t->wide_stores += op == OP_STORE && bits == SIZE_128;
        t->local += op == OP_LOCAL_LOAD || op == OP_LOCAL_STORE;
    }
}

/* Walks the ELF sections whose names begin with .text. */
static traffic read_traffic(const unsigned char *elf) {
    traffic t = {0};
    uint64_t sections, names, name, offset, size;
    uint16_t n, strings;
    uint32_t word;
    memcpy(&sections, elf + 0x28, 8);
    memcpy(&n, elf + 0x3c, 2);
    memcpy(&strings, elf + 0x3e, 2);
    memcpy(&names, elf + sections + 64 * (uint64_t)strings + 24, 8);
    for (int i = 0; i < n; i++) {
        const unsigned char *section = elf + sections + 64 * (uint64_t)i;
        memcpy(&word, section, 4);
        name = names + word;
        memcpy(&offset, section + 24, 8);
        memcpy(&size, section + 32, 8);
        if (strncmp((const char *)elf + name, ".text.", 6) == 0)
            count_section(elf + offset, size, &t);
    }
    return t;
}

static traffic compile(fsr_nvrtc *n, fsr_kernel *k) {
    const char *option[] = {"-arch=sm_90", k->contraction ? "--fmad=true" : "--fmad=false", "-std=c++17",
                            "-default-device", "--minimal"};
    char why[256] = "", *source = emit(k);
    fsr_nvrtc_result result = {0};
    fsr_fault fault = {0};
    assert_int_equal(fsr_kernel_verify(k, why, sizeof why), FSR_OK);
    fsr_status status =
        fsr_nvrtc_compile(n, "k.cu", source, option, fsr_nvrtc_version(n) >= 13000 ? 5 : 4, &result, &fault);
    if (status != FSR_OK || result.log[0])
        fail_msg("%s: %s\n%s\n%s", k->name, fault.message ? fault.message : "log", result.log, source);
    traffic t = read_traffic(result.cubin);
    assert_true(t.loads > 0);
    fsr_nvrtc_result_free(&result);
    fsr_fault_clear(&fault);
    free(source);
    return t;
}

/* Compiles and frees; vectors: the kernel's loads and stores of whole rows or tiles move 16 bytes. */
static void check(fsr_nvrtc *n, fsr_kernel *k, bool vectors, bool stores) {
    traffic t = compile(n, k);
    if (t.local || (vectors && !t.wide_loads) || (vectors && stores && !t.wide_stores))
        fail_msg("%s, schedule %d: %d loads, %d of 16 bytes, %d stores of 16 bytes, %d accesses to local memory",
                 k->name, (int)k->schedule.kind, t.loads, t.wide_loads, t.wide_stores, t.local);
    fsr_kernel_free(k);
}

static void compiles_maps(void **state) {
    (void)state;
    fsr_nvrtc *n = open_nvrtc();
    if (!n)
        skip();
    check(n, scheduled(kernel_map(FSR_F32), MAP, 256, 1, 4, 4), true, true);
    check(n, wide(scheduled(kernel_map(FSR_F32), MAP, 256, 1, 4, 16)), true, true);
    check(n, scheduled(kernel_map(FSR_U8), MAP, 128, 1, 16, 16), true, true);
    check(n, scheduled(kernel_map(FSR_F64), MAP, 256, 1, 2, 4), true, true);
    check(n, scheduled(kernel_map(FSR_I64), MAP, 32, 1, 1, 3), false, false);
    check(n, scheduled(kernel_planes(FSR_F32), MAP, 256, 1, 4, 8), true, true);
    check(n, wide(scheduled(kernel_planes(FSR_I32), MAP, 256, 1, 1, 1)), false, false);
    check(n, scheduled(kernel_loop_map(FSR_F32), MAP, 256, 1, 1, 1), false, false);
    check(n, scheduled(kernel_loop_sums(FSR_F64), ROW, 128, 32, 2, 4), false, false);
    check(n, scheduled(kernel_loop_sums(FSR_F16), SPLIT, 128, 1, 1, 2), false, false);
    fsr_nvrtc_close(n);
}

static void compiles_rows(void **state) {
    (void)state;
    fsr_nvrtc *n = open_nvrtc();
    if (!n)
        skip();
    check(n, persistent(scheduled(kernel_softmax(true), ROW, 256, 256, 4, 16)), true, true);
    check(n, persistent(scheduled(kernel_softmax(true), ROW, 256, 8, 4, 4)), true, true);
    check(n, wide(scheduled(kernel_softmax(false), ROW, 512, 512, 4, 8)), true, true);
    check(n, scheduled(kernel_row_sums(FSR_F32), ROW, 256, 32, 4, 16), true, false);
    check(n, scheduled(kernel_fold_recurrence(), ROW, 256, 64, 2, 4), true, false);
    check(n, scheduled(kernel_bent(FSR_F64, false, false), ROW, 256, 64, 2, 4), true, false);
    check(n, persistent(scheduled(kernel_late_scan(true), ROW, 128, 128, 2, 8)), true, true);
    check(n, scheduled(kernel_scan_of_scan(FSR_F32), ROW, 256, 256, 4, 8), true, true);
    check(n, scheduled(kernel_argmax(FSR_F32), ROW, 128, 32, 1, 4), false, false);
    fsr_nvrtc_close(n);
}

static void compiles_splits(void **state) {
    (void)state;
    fsr_nvrtc *n = open_nvrtc();
    if (!n)
        skip();
    check(n, scheduled(kernel_row_sums(FSR_F32), SPLIT, 256, 1, 4, 16), true, false);
    check(n, wide(scheduled(kernel_row_sums(FSR_I64), SPLIT, 256, 1, 2, 8)), true, false);
    check(n, scheduled(kernel_argmax(FSR_F32), SPLIT, 32, 1, 4, 8), true, false);
    check(n, scheduled(kernel_fold_recurrence(), SPLIT, 256, 1, 2, 4), true, false);
    check(n, scheduled(kernel_column_sums(FSR_F32), COL, 256, 32, 4, 16), true, false);
    check(n, scheduled(kernel_column_sums(FSR_U8), COL, 256, 16, 16, 16), true, false);
    check(n, wide(scheduled(kernel_column_softmax(), COL, 256, 64, 1, 4)), false, false);
    check(n, tiled(kernel_products(FSR_F32, false), 4), false, false);
    check(n, scheduled(kernel_column_scan(FSR_F32, true), COL, 128, 128, 4, 16), true, true);
    fsr_nvrtc_close(n);
}

/* Teams of a block for every part of a row, and of three blocks. */
static void compiles_teams(void **state) {
    (void)state;
    fsr_nvrtc *n = open_nvrtc();
    if (!n)
        skip();
    for (int members = 0; members <= 3; members += 3) {
        fsr_kernel *k = scheduled(kernel_softmax(false), FSR_SCHEDULE_TEAM, 512, 2, 4, 16);
        k->schedule.members = members;
        check(n, k, true, true);
    }
    fsr_nvrtc_close(n);
}

static void compiles_lookbacks(void **state) {
    (void)state;
    fsr_nvrtc *n = open_nvrtc();
    if (!n)
        skip();
    check(n, scheduled(kernel_scan(FSR_F32, false), LOOKBACK, 512, 1, 4, 16), true, true);
    check(n, wide(scheduled(kernel_scan(FSR_F64, true), LOOKBACK, 256, 1, 2, 8)), true, true);
    check(n, scheduled(kernel_narrow(kernel_scan(FSR_F32, false)), LOOKBACK, 512, 1, 4, 24), true, true);
    check(n, scheduled(kernel_recurrence(), LOOKBACK, 256, 1, 2, 4), true, true);
    check(n, scheduled(kernel_bent(FSR_C64, true, true), LOOKBACK, 256, 1, 2, 4), true, true);
    check(n, scheduled(kernel_scan_of_scan(FSR_F32), LOOKBACK, 256, 1, 4, 8), true, true);
    check(n, scheduled(kernel_scan(FSR_U8, false), LOOKBACK, 32, 1, 1, 1), false, false);
    check(n, scheduled(kernel_narrow(kernel_scan(FSR_F32, false)), LOOKBACK, 512, 32, 1, 16), false, false);
    check(n, wide(scheduled(kernel_recurrence(), LOOKBACK, 64, 2, 1, 8)), false, false);
    check(n, scheduled(kernel_bent(FSR_C64, true, true), LOOKBACK, 256, 16, 1, 4), false, false);
    fsr_nvrtc_close(n);
}

/* ---- every op ------------------------------------------------------------------------------------------ */

/* Ops that are defined for a dtype, each stored in an array of its own result's dtype; and a copy, since all of those
 * may be constants (an integer is never infinite). */
static fsr_kernel *ops_kernel(fsr_dtype dtype, int first, int count) {
    fsr_kernel *k = kernel_begin("k_ops", 1, 1, 0);
    int a = kernel_array(k, dtype, false), b = kernel_array(k, dtype, false), p = kernel_array(k, FSR_BOOL, false);
    int x = kernel_load(k, FSR_ROW, 0, kernel_linear(k, a)), y = kernel_load(k, FSR_ROW, 0, kernel_linear(k, b)), z;
    int q = kernel_load(k, FSR_ROW, 0, kernel_linear(k, p));
    for (int op = first; op < first + count && op < FSR_OP_COUNT; op++) {
        if (!fsr_op_defined((fsr_op)op, dtype) || op == FSR_OP_CAST)
            continue;
        bool select = fsr_op_get((fsr_op)op)->rule == FSR_RULE_SELECT;
        z = kernel_op(k, (fsr_op)op, select ? q : x, y, select ? y : x);
        kernel_store(k, FSR_ROW, 0, kernel_linear(k, kernel_array(k, k->inst[z].dtype, true)), z);
    }
    kernel_store(k, FSR_ROW, 0, kernel_linear(k, kernel_array(k, dtype, true)), x);
    for (int to = 0; to < FSR_DTYPE_COUNT && first == 0; to++) {
        z = kernel_cast(k, x, (fsr_dtype)to);
        kernel_store(k, FSR_ROW, 0, kernel_linear(k, kernel_array(k, (fsr_dtype)to, true)), z);
    }
    return scheduled(k, MAP, 128, 1, 1, 1);
}

/* The fast tier has a third of the pairs: every op, and every dtype. */
static void compiles_every_op(void **state) {
    (void)state;
    enum { OPS = 12 };
    fsr_nvrtc *n = open_nvrtc();
    if (!n)
        skip();
    for (int dtype = 0; dtype < FSR_DTYPE_COUNT; dtype++)
        for (int first = 0; first < FSR_OP_COUNT; first += OPS) {
            if (!subject_case(0, (dtype + first / OPS) % 3 ? SUBJECT_LONG : SUBJECT_FAST))
                continue;
            fsr_kernel *k = ops_kernel((fsr_dtype)dtype, first, OPS);
            if (k->narrays > 4)
                compile(n, k);
            fsr_kernel_free(k);
        }
    fsr_nvrtc_close(n);
}

/* A store that combines, by every op and of every dtype that may. */
static void compiles_combining_stores(void **state) {
    (void)state;
    fsr_nvrtc *n = open_nvrtc();
    if (!n)
        skip();
    for (int op = 0; op < FSR_OP_COUNT; op++)
        for (int dtype = 0; dtype < FSR_DTYPE_COUNT; dtype++) {
            const char *name = fsr_dtype_name((fsr_dtype)dtype);
            char text[800];
            fsr_parse_error error = {0};
            fsr_kernel *k;
            if (!fsr_op_is_atomic((fsr_op)op, (fsr_dtype)dtype))
                continue;
            snprintf(text, sizeof text,
                     "kernel k_into: into\n  domain [d0] passes 0 ints 6\n  array b0 i64\n  array b1 %s\n"
                     "  array b2 %s written\n"
                     "  schedule gpu map threads 128 abreast 1 %s vector 1 items 1 accumulators 0 resident 0\n"
                     "  p0 row  v0 = i64 load b0[d0] linear row_linear\n"
                     "  p0 row  v1 = %s load b1[d0] linear row_linear\n  p0 row  v2 = i64 drop(v0, i5)\n"
                     "  p0 row  store b2[v2] by %s of i5 = v1\n",
                     name, name, op % 2 ? "bins 64" : "", name, fsr_op_get((fsr_op)op)->name);
            if (fsr_kernel_parse(text, &k, NULL, &error))
                fail_msg("%s", error.message);
            compile(n, k);
            fsr_kernel_free(k);
        }
    fsr_nvrtc_close(n);
}

/* ---- text ---------------------------------------------------------------------------------------------- */

static fsr_kernel *literal_kernel(fsr_dtype dtype, fsr_value value) {
    fsr_kernel *k = kernel_begin("k_literal", 1, 1, 0);
    int x = kernel_array(k, dtype, false), y = kernel_array(k, dtype, true);
    int v = kernel_load(k, FSR_ROW, 0, kernel_linear(k, x)), c = kernel_const(k, dtype, 1);
    k->inst[c].value = value;
    kernel_store(k, FSR_ROW, 0, kernel_linear(k, y), kernel_op(k, FSR_OP_MAXIMUM, v, c, -1));
    return scheduled(k, MAP, 128, 1, 1, 1);
}

static void prints_literals_exactly(void **state) {
    (void)state;
    const struct {
        fsr_dtype dtype;
        fsr_value value;
        const char *text;
    } row[] = {
        {FSR_F32, {.f32 = 0.1f}, "= 0x1.99999ap-4f;"},
        {FSR_F32, {.f32 = -0.0f}, "= -0x0p+0f;"},
        {FSR_F32, {.bits = 0xffc12345u}, "= fsr_f32_bits(0xffc12345u);"},
        {FSR_F64, {.bits = 0x7ff0000000000000u}, "= fsr_f64_bits(0x7ff0000000000000ull);"},
        {FSR_F64, {.f64 = 0.1}, "= 0x1.999999999999ap-4;"},
        {FSR_I32, {.i32 = INT32_MIN}, "= (-2147483647 - 1);"},
        {FSR_I64, {.i64 = INT64_MIN}, "= (-9223372036854775807ll - 1);"},
        {FSR_I64, {.i64 = -5}, "= -5ll;"},
        {FSR_U8, {.u8 = 200}, "= 200;"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        fsr_kernel *k = literal_kernel(row[i].dtype, row[i].value);
        char *source = emit(k);
        if (!strstr(source, row[i].text))
            fail_msg("no '%s' in\n%s", row[i].text, source);
        free(source);
        fsr_kernel_free(k);
    }
}

static int count(const char *text, char c) {
    int n = 0;
    for (; *text; text++)
        n += *text == c;
    return n;
}

/* As many parameters as the text has, arrays first, integers as wide as the schedule says. */
static void check_params(fsr_kernel *k) {
    fsr_cuda_param param[FSR_CUDA_MAX_PARAMS];
    char *source = emit(k), *list = strstr(source, k->name);
    int n = fsr_cuda_params(k, param);
    assert_non_null(list = strchr(list, '('));
    *strchr(list, ')') = 0;
    assert_int_equal(n, count(list, ',') + 1);
    for (int i = 0; i < n; i++) {
        if (i < k->narrays)
            assert_int_equal(param[i].kind, FSR_CUDA_ARRAY);
        if (param[i].kind == FSR_CUDA_RECIPROCAL)
            assert_int_equal(param[i].bytes, 8);
        if (param[i].kind == FSR_CUDA_INT)
            assert_int_equal(param[i].bytes, k->schedule.wide ? 8 : 4);
        if (i > 0)
            assert_true(param[i].kind >= param[i - 1].kind);
    }
    free(source);
    fsr_kernel_free(k);
}

static void lists_parameters(void **state) {
    (void)state;
    check_params(scheduled(kernel_map(FSR_F64), MAP, 256, 1, 2, 4));
    check_params(wide(scheduled(kernel_planes(FSR_F32), MAP, 256, 1, 4, 8)));
    check_params(wide(scheduled(kernel_softmax(false), ROW, 256, 256, 4, 8)));
    check_params(scheduled(kernel_row_sums(FSR_F32), SPLIT, 256, 1, 4, 16));
    check_params(scheduled(kernel_column_sums(FSR_F32), COL, 256, 32, 4, 16));
    check_params(scheduled(kernel_scan_of_scan(FSR_F32), LOOKBACK, 256, 1, 4, 8));
}

static void check_quotient(uint32_t a, uint32_t extent) {
    const uint64_t reciprocal = fsr_cuda_reciprocal(extent);
    assert_int_equal((uint32_t)((uint64_t)a * (uint32_t)reciprocal >> (reciprocal >> 32)), a / extent);
}

/* By each extent up to 2000, and those around powers of two: indices around the multiples of it, up to the last one. */
static void divides_by_a_product(void **state) {
    (void)state;
    for (uint32_t i = 1; i < 2000 + 3 * 31; i++) {
        const uint32_t power = (i - 2000) / 3;
        const uint32_t extent = i < 2000 ? i : ((uint32_t)1 << power) + (i - 2000) % 3 - (power > 0);
        const uint32_t last = ((uint32_t)1 << 31) - 1, multiples = last / extent;
        for (uint32_t j = 0; j < 50; j++) {
            const uint32_t multiple = extent * (j < 25 ? j : multiples - (j - 25) * (multiples / 25));
            check_quotient(multiple & last, extent);
            check_quotient((multiple + extent - 1) & last, extent);
            check_quotient((multiple - 1) & last, extent);
            check_quotient(last - j, extent);
        }
    }
    assert_int_equal(fsr_cuda_reciprocal(0), 0);
}

/* In-place arrays lose their restrict, others keep it; a narrow kernel counts in 32 bits. */
static void marks_aliases(void **state) {
    (void)state;
    fsr_kernel *k = scheduled(kernel_softmax(false), ROW, 256, 256, 4, 8);
    k->array[1].aliased = true;
    char *source = emit(k);
    assert_non_null(strstr(source, "const f32 *__restrict__ x0, f32 *x1"));
    assert_non_null(strstr(source, "typedef u32 idx;"));
    free(source);
    fsr_kernel_free(k);
}

static void refuse(fsr_kernel *k) {
    fsr_text text = {0};
    fsr_cuda_param param[FSR_CUDA_MAX_PARAMS];
    assert_int_equal(fsr_emit_cuda(k, &text), FSR_ERR_INTERNAL);
    assert_int_equal(fsr_cuda_params(k, param), -1);
    fsr_text_free(&text);
    fsr_kernel_free(k);
}

static void refuses_broken_schedules(void **state) {
    (void)state;
    refuse(scheduled(kernel_map(FSR_F32), MAP, 100, 1, 4, 4));
    refuse(scheduled(kernel_map(FSR_F32), MAP, 128, 1, 4, 6));
    refuse(scheduled(kernel_map(FSR_F32), ROW, 128, 32, 1, 4));
    refuse(scheduled(kernel_softmax(false), MAP, 128, 1, 1, 4));
    refuse(scheduled(kernel_softmax(true), ROW, 128, 128, 1, 4));
    refuse(scheduled(kernel_softmax(false), SPLIT, 128, 1, 1, 4));
    refuse(scheduled(kernel_scan(FSR_F32, false), SPLIT, 128, 1, 1, 4));
    refuse(scheduled(kernel_row_sums(FSR_F32), ROW, 128, 256, 1, 4));
    refuse(scheduled(kernel_column_scan(FSR_F32, false), COL, 128, 64, 1, 4));
}

/* ---- sizes of a launch --------------------------------------------------------------------------------- */

typedef struct launch_size {
    int64_t blocks, work, zero;
} launch_size;

static launch_size size_of(fsr_kernel *k, int64_t rows, int64_t cols, int64_t splits) {
    int64_t integer[FSR_MAX_INTS] = {rows, cols, splits, cols};
    launch_size size = {fsr_kernel_blocks(k, integer), fsr_kernel_work_bytes(k, integer),
                        fsr_kernel_zero_bytes(k, integer)};
    fsr_kernel_free(k);
    return size;
}

static void assert_size(launch_size size, int64_t blocks, int64_t work, int64_t zero) {
    assert_int_equal(size.blocks, blocks);
    assert_int_equal(size.work, work);
    assert_int_equal(size.zero, zero);
}

static void sizes_launches(void **state) {
    (void)state;
    const int64_t big = (int64_t)1 << 33;
    assert_size(size_of(scheduled(kernel_map(FSR_F32), MAP, 256, 1, 4, 4), 0, 1, 1), 0, 0, 0);
    assert_size(size_of(scheduled(kernel_map(FSR_F32), MAP, 256, 1, 4, 4), 1025, 1, 1), 2, 0, 0);
    assert_size(size_of(scheduled(kernel_map(FSR_F32), MAP, 256, 1, 4, 4), big, 1, 1), big / 1024, 0, 0);
    assert_size(size_of(scheduled(kernel_softmax(false), ROW, 256, 32, 4, 4), 9, 100, 1), 2, 0, 0);
    assert_size(size_of(scheduled(kernel_row_sums(FSR_F32), SPLIT, 256, 1, 4, 16), 3, big, 100), 300, 2432, 64);
    assert_size(size_of(scheduled(kernel_column_sums(FSR_F32), COL, 256, 32, 4, 4), 129, big, 5), 10, 2624, 64);
    assert_size(size_of(scheduled(kernel_column_sums(FSR_F32), COL, 256, 32, 4, 4), 129, big, 1), 2, 0, 0);
    /* a ticket; an entry of 8 bytes for each tile and each complete group of 32 */
    assert_size(size_of(scheduled(kernel_scan(FSR_F32, false), LOOKBACK, 512, 1, 4, 16), 1, big, 1 << 20), 1 << 20, 0,
                64 + 8 * ((1 << 20) + (1 << 15) + (1 << 10) + 32));
    /* states of 16 bytes: flags of 4 bytes, values in work */
    assert_size(size_of(scheduled(kernel_recurrence(), LOOKBACK, 512, 1, 2, 4), 2, 99, 33), 66, 64 * 17, 64 + 320);
    /* the same of two rows a block */
    assert_size(size_of(scheduled(kernel_recurrence(), LOOKBACK, 64, 2, 1, 4), 3, 99, 33), 66, 64 * 26, 64 + 448);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiles_maps),
        cmocka_unit_test(compiles_rows),
        cmocka_unit_test(compiles_splits),
        cmocka_unit_test(compiles_teams),
        cmocka_unit_test(compiles_lookbacks),
        cmocka_unit_test(compiles_every_op),
        cmocka_unit_test(compiles_combining_stores),
        cmocka_unit_test(prints_literals_exactly),
        cmocka_unit_test(lists_parameters),
        cmocka_unit_test(divides_by_a_product),
        cmocka_unit_test(marks_aliases),
        cmocka_unit_test(refuses_broken_schedules),
        cmocka_unit_test(sizes_launches),
    };
    return subject_take_part() ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}

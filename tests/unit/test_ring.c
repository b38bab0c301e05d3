/* SPDX-License-Identifier: MIT */
/* Filters by a ring of slots (fusion/ring.h): the schedule as text, what the verifier refuses, where a slot's parts
 * lie, and whether NVRTC takes what is printed. Runs on the host are in test_host_places.c, the rule's choices in
 * structure/test_filters.c. */
#include "backend_cuda/emit_cuda.h"
#include "backend_cuda/nvrtc.h"
#include "fusion/launch_shape.h"
#include "fusion/loop_ir_parse.h"
#include "fusion/ring.h"
#include "runtime/text.h"
#include "tests/support/kernel_checks.h"

/* Two arrays are read, an i64 and an f32 are stored of what is selected, and how many they are. */
#define HEAD                               \
    "kernel k_ring: by hand\n"             \
    "  domain [fold d0] passes 1 ints 5\n" \
    "  array b0 f32\n"                     \
    "  array b1 u8\n"                      \
    "  array b2 i64 written\n"             \
    "  array b3 f32 written\n"             \
    "  array b4 i32 written\n"
#define SCHEDULE                                                                                                     \
    "  schedule gpu lookback threads 256 abreast 1 vector 4 items 8 members 132 slots 6 writers 192 accumulators 4 " \
    "resident 1 pooled riding\n"
#define BODY                                                     \
    "  fold f0 p0 exclusive scan (i32 from 0) commutative add\n" \
    "  fold f1 p0 reduce (i32 from 0) commutative add\n"         \
    "  p0 elem v0 = f32 load b0[d0] linear\n"                    \
    "  p0 elem v1 = u8 load b1[d0] linear\n"                     \
    "  p0 elem v2 = f32 cast.u8(v1)\n"                           \
    "  p0 elem v3 = bool greater.f32(v0, v2)\n"                  \
    "  p0 elem v4 = i32 cast.bool(v3)\n"                         \
    "  p0 elem f0 <- v4\n"                                       \
    "  p0 elem f1 <- v4\n"                                       \
    "  p0 elem v7 = i64 index d0\n"                              \
    "  p0 elem v8 = i32 f0.0\n"                                  \
    "  p0 elem store b2[0] filter v3 after v8 front = v7\n"      \
    "  p0 elem store b3[0] filter v3 after v8 = v0\n"            \
    "  p1 row  v11 = i32 f1.0\n"                                 \
    "  p1 row  store b4[0] row_linear = v11\n"

static fsr_kernel *ring(void) {
    fsr_parse_error error;
    fsr_kernel *k;
    if (fsr_kernel_parse(HEAD SCHEDULE BODY, &k, NULL, &error))
        fail_msg("line %d: %s", error.line, error.message);
    return k;
}

static void as_text(void **state) {
    (void)state;
    fsr_kernel *k = ring();
    assert_valid(k);
    assert_print(k, HEAD SCHEDULE BODY);
    fsr_kernel_free(k);
}

/* 2,048 columns: 8,192 and 2,048 bytes of what is loaded, 16,384 and 8,192 of what is stored in its place. */
static void parts_of_a_slot(void **state) {
    (void)state;
    fsr_kernel *k = ring();
    assert_int_equal(fsr_ring_array_place(k, 0), 0);
    assert_int_equal(fsr_ring_array_place(k, 1), 8192);
    assert_int_equal(fsr_ring_array_place(k, 2), -1);
    assert_int_equal(fsr_ring_pool_place(k, 9), 0);
    assert_int_equal(fsr_ring_pool_place(k, 10), 16384);
    assert_int_equal(fsr_ring_slot_bytes(k), 24576);
    assert_int_equal(fsr_kernel_launched_bytes(k), 6 * 24576);
    assert_int_equal(fsr_kernel_threads(k), 256 + 192 + 64);
    assert_true(fsr_kernel_is_cooperative(k));
    for (int64_t tiles = 1; tiles <= 1000; tiles += 333) {
        k->integer[FSR_INT_ROWS] = 1;
        k->integer[FSR_INT_SPLITS] = tiles;
        assert_int_equal(fsr_kernel_blocks(k, k->integer), tiles == 1 ? 1 : 132);
        assert_int_equal(fsr_kernel_zero_bytes(k, k->integer), (8 * tiles + 63) / 64 * 64);
        assert_int_equal(fsr_kernel_work_bytes(k, k->integer), 0);
    }
    fsr_kernel_free(k);
}

#define REFUSED(damage, why)    \
    do {                        \
        k = ring();             \
        damage;                 \
        assert_refused(k, why); \
    } while (0)

static void refused(void **state) {
    (void)state;
    fsr_kernel *k;
    REFUSED(k->schedule.slots = 1, "schedule: 132 blocks of 1 slots cannot share what is filtered");
    REFUSED(k->schedule.slots = 17, "schedule: 132 blocks of 17 slots cannot share what is filtered");
    REFUSED(k->schedule.members = 0, "schedule: 0 blocks of 6 slots cannot share what is filtered");
    REFUSED(k->schedule.pooled = false, "schedule: 132 blocks of 6 slots cannot share what is filtered");
    REFUSED(k->schedule.riding = false, "schedule: 132 blocks of 6 slots cannot share what is filtered");
    REFUSED(k->schedule.slots = 0, "schedule: 132 blocks do the parts of a row in turn");
    REFUSED(k->schedule.slots = k->schedule.members = 0, "schedule: 192 threads write tiles of no slots");
    REFUSED(k->schedule.writers = 0, "schedule: 256 threads count and 0 write");
    REFUSED(k->schedule.writers = 48, "schedule: 256 threads count and 48 write");
    REFUSED(k->schedule.writers = 736, "schedule: 256 threads count and 736 write");
    REFUSED(k->schedule.threads = 32, "schedule: 32 threads count and 192 write");
    REFUSED(k->schedule.slots = 9, "schedule: 9 slots do not lie in shared memory");
}

/* What is read at another index than the element's is in no slot, nor is anything of an element asked for behind its
 * count. */
static void not_through_slots(void **state) {
    (void)state;
    fsr_kernel *k = ring();
    assert_true(fsr_kernel_may_ring(k));
    k->access[k->inst[0].index].linear = false;
    assert_false(fsr_kernel_may_ring(k));
    k->access[k->inst[0].index].linear = true;
    k->live = 1;
    assert_false(fsr_kernel_may_ring(k));
    k->live = 0;
    k->inst[9].arg[0] = 8;
    assert_false(fsr_kernel_may_ring(k));
    fsr_kernel_free(k);
}

static void compiles(void **state) {
    (void)state;
    const char *option[] = {"-arch=sm_90", "--fmad=false", "-std=c++17", "-default-device"};
    fsr_nvrtc *n = NULL;
    fsr_fault fault = {0};
    if (fsr_nvrtc_open(&n, &fault) != FSR_OK) {
        print_message("skipped: %s\n", fault.message);
        fsr_fault_clear(&fault);
        skip();
    }
    for (int wide = 0; wide < 2; wide++) {
        fsr_kernel *k = ring();
        fsr_text text = {0};
        fsr_nvrtc_result result = {0};
        k->schedule.wide = wide;
        assert_int_equal(fsr_emit_cuda(k, &text), FSR_OK);
        if (fsr_nvrtc_compile(n, "k.cu", text.data, option, 4, &result, &fault) || result.log[0])
            fail_msg("%s\n%s\n%s", fault.message ? fault.message : "log", result.log, text.data);
        assert_non_null(strstr(text.data, "__launch_bounds__(512, 1)"));
        fsr_nvrtc_result_free(&result);
        fsr_text_free(&text);
        fsr_kernel_free(k);
    }
    fsr_nvrtc_close(n);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_text), cmocka_unit_test(parts_of_a_slot),
                                       cmocka_unit_test(refused), cmocka_unit_test(not_through_slots),
                                       cmocka_unit_test(compiles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

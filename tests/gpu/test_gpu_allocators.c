/* SPDX-License-Identifier: MIT */
/* The caller's allocator of device memory (fsr_config.device_memory) on a GPU: what tests/trust/test_allocators.c
 * has on a driver that is none, over cudaMalloc. */
#define SUBJECT_BACKEND FSR_BACKEND_CUDA
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>

#ifdef FUSOR_HAVE_CUDA
#include <cuda_runtime_api.h>

typedef struct own {
    int64_t live, bytes, limit;
    int taken, wrong;
} own;

static void *take(void *user, size_t bytes, size_t alignment) {
    own *o = user;
    void *data = NULL;
    int device = -1;
    if (cudaGetDevice(&device) != cudaSuccess || device != 0 || alignment != 256)
        o->wrong++;
    if (o->bytes + (int64_t)bytes > o->limit || cudaMalloc(&data, bytes) != cudaSuccess)
        return NULL;
    o->taken++;
    o->live++;
    o->bytes += (int64_t)bytes;
    return data;
}

static void give(void *user, void *data, size_t bytes) {
    own *o = user;
    o->wrong += cudaFree(data) != cudaSuccess;
    o->live--;
    o->bytes -= (int64_t)bytes;
}

static void device_memory(void **state) {
    (void)state;
    own o = {.limit = 16 << 20};
    const fsr_allocator from = {take, give, &o};
    fsr_config config = subject_config();
    config.device_memory = &from;
    fsr_context *ctx = subject_open(&config);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node x = fsr_arange(g, FSR_F64, 1000), s = fsr_sum(fsr_sort(x, NULL, 0, FSR_DESCENDING), NULL, 0, 0);
    double value = 0;
    OK(fsr_read(s, &value, sizeof value));
    assert_true(value == 499500 && o.taken > 0);
    subject_error(ctx, fsr_force(fsr_add(fsr_arange(g, FSR_F64, 1 << 22), fsr_float(g, 1))), FSR_ERR_DEVICE_MEMORY,
                  "out of device memory");
    OK(fsr_read(fsr_add(s, s), &value, sizeof value));
    assert_true(value == 2 * 499500);
    fsr_close(ctx);
    assert_int_equal(o.live, 0);
    assert_int_equal(o.bytes, 0);
    assert_int_equal(o.wrong, 0);
}

static const struct CMUnitTest tests[] = {SUBJECT_TEST(device_memory)};
SUBJECT_MAIN(tests)
#else
int main(void) {
    puts("skipped: built without a CUDA toolkit");
    return 77;
}
#endif

/* SPDX-License-Identifier: MIT */
/* backend_cuda/memory: the pool, over a device that is made up. */
#include "backend_cuda/memory.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MIB ((int64_t)1 << 20)
enum { DEVICE_BLOCKS = 4096 };

/* A device with so many bytes; addresses are made up and never read. */
typedef struct device {
    int64_t room, total;
    int gets, settles;
    bool broken;
    struct {
        void *data;
        int64_t bytes;
    } block[DEVICE_BLOCKS];
} device;

static int device_get(void *user, int64_t bytes, void **out, fsr_fault *fault) {
    device *d = user;
    if (d->broken) {
        fsr_fault_set(fault, FSR_ERR_DEVICE, "broken");
        return FSR_POOL_FAILED;
    }
    if (bytes > d->room)
        return FSR_POOL_NO_ROOM;
    int i = 0;
    while (i < DEVICE_BLOCKS && d->block[i].data)
        i++;
    assert_true(i < DEVICE_BLOCKS);
    d->room -= bytes;
    d->block[i].bytes = bytes;
    d->block[i].data = *out = (void *)(uintptr_t)(0x10000000u + (uintptr_t)++d->gets * 512);
    return FSR_POOL_GOT;
}

static void device_give(void *user, void *data, int64_t bytes) {
    device *d = user;
    for (int i = 0; i < DEVICE_BLOCKS; i++)
        if (d->block[i].data == data) {
            assert_int_equal(bytes, d->block[i].bytes);
            d->room += d->block[i].bytes;
            d->block[i].data = NULL;
            return;
        }
    fail_msg("the pool gives back what it does not have");
}

static fsr_status device_settle(void *user, fsr_fault *fault) {
    device *d = user;
    (void)fault;
    d->settles++;
    return FSR_OK;
}

static void device_room(void *user, int64_t *available, int64_t *total) {
    device *d = user;
    *available = d->room;
    *total = d->total;
}

static fsr_device_pool *begin(device *d, int64_t total) {
    memset(d, 0, sizeof *d);
    d->room = d->total = total;
    const fsr_device_pool_source source = {d, device_get, device_give, device_settle, device_room};
    fsr_device_pool *pool = fsr_device_pool_new(&source);
    assert_non_null(pool);
    return pool;
}

static void end(device *d, fsr_device_pool *pool) {
    fsr_device_pool_close(pool);
    assert_int_equal(d->room, d->total);
}

static void *need(fsr_device_pool *pool, int64_t bytes) {
    void *data = NULL;
    fsr_fault fault = {0};
    assert_int_equal(fsr_device_pool_alloc(pool, bytes, &data, &fault), FSR_OK);
    assert_non_null(data);
    return data;
}

static void assert_stats(fsr_device_pool *pool, int64_t used, int64_t held) {
    int64_t u, h;
    fsr_device_pool_stats(pool, &u, &h);
    assert_int_equal(u, used);
    assert_int_equal(h, held);
}

static void pool_reuses(void **state) {
    (void)state;
    device d;
    fsr_device_pool *pool = begin(&d, 1024 * MIB);
    void *a = need(pool, 1000), *b = need(pool, 0);
    assert_ptr_not_equal(a, b);
    assert_stats(pool, 1000, 1024 + 512);
    assert_int_equal(fsr_device_pool_free(pool, a), FSR_OK);
    assert_ptr_equal(need(pool, 513), a);
    assert_stats(pool, 513, 1024 + 512);
    assert_int_equal(d.gets, 2);
    assert_int_equal(fsr_device_pool_free(pool, NULL), FSR_OK);
    end(&d, pool);
}

static void pool_sees_wrong_addresses(void **state) {
    (void)state;
    device d;
    fsr_device_pool *pool = begin(&d, 1024 * MIB);
    void *a = need(pool, 1);
    assert_int_equal(fsr_device_pool_free(pool, (char *)a + 8), FSR_ERR_INTERNAL);
    assert_int_equal(fsr_device_pool_free(pool, a), FSR_OK);
    assert_int_equal(fsr_device_pool_free(pool, a), FSR_ERR_INTERNAL);
    assert_stats(pool, 0, 512);
    end(&d, pool);
}

/* The smallest that fits, and not one that wastes more than an eighth and a granule. */
static void pool_bounds_waste(void **state) {
    (void)state;
    device d;
    fsr_device_pool *pool = begin(&d, 4096 * MIB);
    void *large = need(pool, 128 * MIB), *middle = need(pool, 108 * MIB), *small = need(pool, 106 * MIB);
    fsr_device_pool_free(pool, large);
    fsr_device_pool_free(pool, middle);
    fsr_device_pool_free(pool, small);
    assert_ptr_equal(need(pool, 105 * MIB), small);
    assert_ptr_equal(need(pool, 105 * MIB), middle);
    void *fresh = need(pool, 105 * MIB);
    assert_ptr_not_equal(fresh, large);
    assert_int_equal(d.gets, 4);
    assert_ptr_equal(need(pool, 113 * MIB), large);
    end(&d, pool);
}

static void pool_trims_and_retries(void **state) {
    (void)state;
    device d;
    fsr_device_pool *pool = begin(&d, 100 * MIB);
    void *block[9];
    for (int i = 0; i < 9; i++)
        block[i] = need(pool, 10 * MIB);
    for (int i = 0; i < 8; i++)
        fsr_device_pool_free(pool, block[i]);
    void *big = need(pool, 60 * MIB);
    assert_int_equal(d.settles, 1);
    assert_stats(pool, 70 * MIB, 70 * MIB);
    fsr_device_pool_free(pool, big);
    fsr_fault fault = {0};
    assert_int_equal(fsr_device_pool_trim(pool, &fault), FSR_OK);
    assert_stats(pool, 10 * MIB, 10 * MIB);
    end(&d, pool);
}

static void pool_says_what_is_missing(void **state) {
    (void)state;
    device d;
    fsr_device_pool *pool = begin(&d, 100 * MIB);
    void *a = need(pool, 50 * MIB), *b = need(pool, 10 * MIB), *out = &d;
    fsr_device_pool_free(pool, b);
    fsr_fault fault = {0};
    assert_int_equal(fsr_device_pool_alloc(pool, 60 * MIB, &out, &fault), FSR_ERR_DEVICE_MEMORY);
    assert_null(out);
    assert_string_equal(fault.message,
                        "out of device memory: 62914560 bytes asked for; 52428800 in use by arrays, 0 free in the pool "
                        "(given back before this answer: 10485760), 52428800 of 104857600 free on the device");
    assert_int_equal(fsr_device_pool_alloc(pool, INT64_MAX - 1, &out, &fault), FSR_ERR_DEVICE_MEMORY);
    assert_int_equal(fsr_device_pool_alloc(pool, INT64_MAX, &out, &fault), FSR_ERR_SIZE);
    assert_int_equal(fsr_device_pool_alloc(pool, -1, &out, &fault), FSR_ERR_SIZE);
    d.broken = true;
    assert_int_equal(fsr_device_pool_alloc(pool, 1, &out, &fault), FSR_ERR_DEVICE);
    d.broken = false;
    fsr_device_pool_free(pool, a);
    assert_ptr_equal(need(pool, 50 * MIB), a);
    fsr_fault_clear(&fault);
    end(&d, pool);
}

/* A loop of mixed sizes, freed in another order than taken: after the first round nothing new comes from the device. */
static void pool_is_flat(void **state) {
    (void)state;
    device d;
    fsr_device_pool *pool = begin(&d, 100000 * MIB);
    void *block[500];
    int64_t used, held, before = 0;
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 500; i++)
            block[i] = need(pool, (int64_t)i * i * 97);
        for (int i = 0; i < 500; i++)
            assert_int_equal(fsr_device_pool_free(pool, block[i * 7 % 500]), FSR_OK);
        fsr_device_pool_stats(pool, &used, &held);
        assert_int_equal(used, 0);
        if (round > 0)
            assert_int_equal(held, before);
        before = held;
    }
    end(&d, pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pool_reuses),
        cmocka_unit_test(pool_sees_wrong_addresses),
        cmocka_unit_test(pool_bounds_waste),
        cmocka_unit_test(pool_trims_and_retries),
        cmocka_unit_test(pool_says_what_is_missing),
        cmocka_unit_test(pool_is_flat),
    };
    return cmocka_run_group_tests_name("cuda_pool", tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Blocks of the pool of host memory: aligned, at places of their own in a page where they are large, and handed out
 * again. */
#include "backend_cpu/run/memory_pool.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PAGE = 4096, ALIGNMENT = 256, PLACES = PAGE / ALIGNMENT };

/* As many large blocks as a page has places begin at all of them; every byte of each is the caller's. */
static void large_blocks_begin_apart(void **state) {
    (void)state;
    static const int64_t size[] = {100000, 9 << 20};
    for (int s = 0; s < 2; s++) {
        fsr_pool p;
        void *block[PLACES];
        unsigned seen = 0;
        assert_int_equal(fsr_pool_init(&p, NULL), 0);
        for (int i = 0; i < PLACES; i++) {
            block[i] = fsr_pool_take(&p, size[s]);
            assert_non_null(block[i]);
            assert_int_equal((uintptr_t)block[i] % ALIGNMENT, 0);
            seen |= 1u << (uintptr_t)block[i] % PAGE / ALIGNMENT;
            memset(block[i], i, (size_t)size[s]);
        }
        assert_int_equal(seen, (1u << PLACES) - 1);
        for (int i = 0; i < PLACES; i++) {
            assert_int_equal(((char *)block[i])[0], i);
            assert_int_equal(((char *)block[i])[size[s] - 1], i);
        }
        for (int i = 0; i < PLACES; i++)
            fsr_pool_give(&p, block[i], size[s]);
        fsr_pool_free(&p);
    }
}

/* What is given is handed out again, at its place. */
static void blocks_come_again(void **state) {
    (void)state;
    fsr_pool p;
    int64_t used, held;
    assert_int_equal(fsr_pool_init(&p, NULL), 0);
    void *small = fsr_pool_take(&p, 100), *large = fsr_pool_take(&p, 100000);
    fsr_pool_give(&p, small, 100);
    fsr_pool_give(&p, large, 100000);
    assert_ptr_equal(fsr_pool_take(&p, 200), small);
    assert_ptr_equal(fsr_pool_take(&p, 99000), large);
    fsr_pool_give(&p, small, 200);
    fsr_pool_give(&p, large, 99000);
    fsr_pool_trim(&p);
    fsr_pool_count(&p, &used, &held);
    assert_int_equal(used, 0);
    assert_int_equal(held, 0);
    fsr_pool_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_blocks_begin_apart),
        cmocka_unit_test(blocks_come_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* The CPU backend around its kernels: compilers that are not there, sources edited by hand, caches, memory. */
#include "tests/support/cpu_fixture.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static fsr_kernel *tiny_kernel(void) {
    cpu_fixture t = {0};
    float x;
    cpu_begin(&t, "k_tiny", FSR_SCHEDULE_MAP, 1, 1, (int64_t[]){1});
    kernel_store(t.k, FSR_ROW, 0, cpu_linear(&t, FSR_F32, &x, true), kernel_const(t.k, FSR_F32, 5));
    return t.k;
}

static fsr_status compile_tiny(const fsr_config *config, fsr_backend_stats *stats, char *message, size_t size) {
    fsr_backend *b = cpu_open(config);
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
    cpu_fixture *t = *state;
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
    assert_int_equal(ops->alloc(t->backend, INT64_MAX - 1, &none, &fault), FSR_ERR_MEMORY);
    assert_int_equal(ops->alloc(t->backend, INT64_MAX, &none, &fault), FSR_ERR_SIZE);
    assert_int_equal(ops->alloc(t->backend, -1, &none, &fault), FSR_ERR_SIZE);
    assert_int_equal(ops->trim(t->backend, &fault), FSR_OK);
    ops->stats(t->backend, &stats);
    assert_true(stats.used_bytes == 0 && stats.pool_bytes == 0);
    fsr_fault_clear(&fault);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_compiler),
        cmocka_unit_test(edited_sources),
        cmocka_unit_test(caches),
        CPU_TEST(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* The CUDA backend through its vtable: memory, copies, kernels built by hand, caches, errors. Skipped with the reason
 * where the backend does not open. */
#include "backend_cuda/module.h"
#include "runtime/backend.h"
#include "tests/support/kernels.h"
#include "tests/support/subject.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#ifdef FUSOR_HAVE_CUDA
#include <cuda_runtime_api.h>
#endif

#define MIB ((int64_t)1 << 20)
enum { EXIT_WRONG = 1, EXIT_ABSENT = 77, BROKEN_LINES = 40 };

/* One backend, its disk cache's directory, and what is freed at the end of a test. */
typedef struct bench {
    fsr_backend *b;
    const fsr_backend_ops *ops;
    fsr_config config;
    char dir[64];
    fsr_fault fault;
} bench;

static bool open_backend(bench *t) {
    fsr_status status = fsr_backend_cuda_open(&t->config, &t->b, &t->fault);
    if (status == FSR_ERR_NO_BACKEND) {
        print_message("skipped: %s\n", t->fault.message);
        assert_null(t->b);
        return false;
    }
    if (status != FSR_OK)
        fail_msg("open: %s", t->fault.message);
    t->ops = t->b->ops;
    return true;
}

static int set_up(void **state) {
    bench *t = calloc(1, sizeof *t);
    assert_non_null(t);
    strcpy(t->dir, "/tmp/fusor-test-XXXXXX");
    assert_non_null(mkdtemp(t->dir));
    fsr_config_init(&t->config, NULL, 0);
    t->config.cache_dir = t->dir;
    *state = t;
    return 0;
}

static int tear_down(void **state) {
    bench *t = *state;
    char command[128];
    if (t->b)
        t->ops->close(t->b);
    fsr_fault_clear(&t->fault);
    snprintf(command, sizeof command, "rm -r %s", t->dir);
    const int failed = system(command);
    free(t);
    return failed;
}

static bench *begin(void **state) {
    bench *t = *state;
    if (!open_backend(t))
        skip();
    return t;
}

static void ok(bench *t, fsr_status status) {
    if (status != FSR_OK)
        fail_msg("%s: %s", fsr_status_name(status), t->fault.message ? t->fault.message : "no message");
}

static void *need(bench *t, int64_t bytes) {
    void *data = NULL;
    ok(t, t->ops->alloc(t->b, bytes, &data, &t->fault));
    assert_non_null(data);
    assert_int_equal((uintptr_t)data % 256, 0);
    return data;
}

static fsr_backend_stats stats(bench *t) {
    fsr_backend_stats s;
    t->ops->stats(t->b, &s);
    return s;
}

static void fill(unsigned char *data, int64_t bytes, unsigned seed) {
    for (int64_t i = 0; i < bytes; i++) {
        seed = seed * 1664525u + 1013904223u;
        data[i] = (unsigned char)(seed >> 24);
    }
}

/* ---- the device ---------------------------------------------------------------------------------- */

static void backend_describes_the_device(void **state) {
    bench *t = begin(state);
    char name[128] = "";
    fsr_target target;
    t->ops->device_name(t->b, name, sizeof name);
    t->ops->target(t->b, &target);
    print_message("%s: %d processors, %lld MiB, %lld bytes of shared memory\n", name, target.processors,
                  (long long)(target.memory_bytes / MIB), (long long)target.shared_bytes);
    assert_true(strlen(name) > 0);
    assert_string_equal(t->ops->name, "cuda");
    fsr_backend_facts facts;
    t->ops->facts(t->b, &facts);
    print_message("%s, %s, driver %s\n", facts.isa, facts.compiler, facts.driver);
    assert_int_equal(facts.threads, 0);
    assert_int_equal(strncmp(facts.isa, "sm_", 3), 0);
    assert_int_equal(strncmp(facts.compiler, "NVRTC 1", 7), 0);
    assert_null(strchr(facts.driver, '\n'));
    assert_true(target.gpu && target.processors > 0 && target.max_threads >= 1024);
    assert_true(target.threads_per_processor >= 1024 && target.registers_bytes >= 65536 * 4);
    assert_true(target.shared_bytes >= 48 * 1024 && target.cache_bytes > 0 && target.memory_bytes > 0);
    assert_true(target.max_parameter_bytes >= 4096);
}

static void backend_wants_an_existing_device(void **state) {
    bench *t = begin(state);
    t->ops->close(t->b);
    t->b = NULL;
    t->config.device = 1000;
    assert_int_equal(fsr_backend_cuda_open(&t->config, &t->b, &t->fault), FSR_ERR_NO_BACKEND);
    assert_null(t->b);
    assert_non_null(strstr(t->fault.message, "CUDA device 1000 was asked for"));
}

/* ---- memory --------------------------------------------------------------------------------------- */

static void memory_goes_there_and_back(void **state) {
    static const int64_t sizes[] = {0, 1, 511, 4096, 65535, 65536, 65537, 5 * MIB + 3};
    bench *t = begin(state);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int64_t bytes = sizes[i];
        unsigned char *in = calloc(1, (size_t)bytes + 1), *out = calloc(1, (size_t)bytes + 1);
        assert_true(in && out);
        fill(in, bytes, 7);
        void *a = need(t, bytes), *b = need(t, bytes);
        ok(t, t->ops->copy_in(t->b, a, in, bytes, NULL, &t->fault));
        ok(t, t->ops->copy(t->b, b, a, bytes, NULL, &t->fault));
        ok(t, t->ops->clear(t->b, a, bytes, NULL, &t->fault));
        ok(t, t->ops->copy_out(t->b, out, b, bytes, NULL, &t->fault));
        assert_memory_equal(in, out, (size_t)bytes + (bytes == 0));
        ok(t, t->ops->copy_out(t->b, out, a, bytes, NULL, &t->fault));
        for (int64_t j = 0; j < bytes; j++)
            assert_int_equal(out[j], 0);
        t->ops->free(t->b, a, bytes);
        t->ops->free(t->b, b, bytes);
        free(in);
        free(out);
    }
    assert_int_equal(stats(t).used_bytes, 0);
    ok(t, t->ops->trim(t->b, &t->fault));
    assert_int_equal(stats(t).pool_bytes, 0);
}

/* The source is written over right after each call, more often than there are slots in the ring. */
static void copy_in_lets_the_source_go(void **state) {
    enum { COPIES = 200, WORDS = 16000 };
    bench *t = begin(state);
    int *host = malloc(WORDS * sizeof *host);
    char *all = need(t, (int64_t)COPIES * WORDS * 4);
    assert_non_null(host);
    for (int i = 0; i < COPIES; i++) {
        for (int j = 0; j < WORDS; j++)
            host[j] = i * WORDS + j;
        ok(t, t->ops->copy_in(t->b, all + (size_t)i * WORDS * 4, host, WORDS * 4, NULL, &t->fault));
    }
    for (int i = 0; i < COPIES; i++) {
        ok(t, t->ops->copy_out(t->b, host, all + (size_t)i * WORDS * 4, WORDS * 4, NULL, &t->fault));
        for (int j = 0; j < WORDS; j++)
            assert_int_equal(host[j], i * WORDS + j);
    }
    free(host);
}

static void memory_is_flat_over_a_loop(void **state) {
    bench *t = begin(state);
    int64_t first = 0;
    for (int i = 0; i < 10000; i++) {
        void *a = need(t, 3000), *b = need(t, 3 * MIB);
        ok(t, t->ops->clear(t->b, b, 3 * MIB, NULL, &t->fault));
        t->ops->free(t->b, a, 3000);
        t->ops->free(t->b, b, 3 * MIB);
        if (i == 0)
            first = stats(t).pool_bytes;
    }
    assert_int_equal(stats(t).pool_bytes, first);
}

static void memory_out_is_a_status(void **state) {
    bench *t = begin(state);
    fsr_target target;
    t->ops->target(t->b, &target);
    void *data = t;
    assert_int_equal(t->ops->alloc(t->b, target.memory_bytes + MIB, &data, &t->fault), FSR_ERR_DEVICE_MEMORY);
    assert_null(data);
    assert_non_null(strstr(t->fault.message, "asked for"));
    void *small = need(t, 1000);
    ok(t, t->ops->clear(t->b, small, 1000, NULL, &t->fault));
    ok(t, t->ops->wait(t->b, NULL, &t->fault));
}

/* Free blocks that are too small for a request make room for it. */
static void memory_is_taken_from_free_blocks(void **state) {
    bench *t = begin(state);
    fsr_target target;
    t->ops->target(t->b, &target);
    void *half = need(t, target.memory_bytes / 2);
    ok(t, t->ops->clear(t->b, half, MIB, NULL, &t->fault));
    t->ops->free(t->b, half, target.memory_bytes / 2);
    void *more = need(t, target.memory_bytes / 10 * 7);
    assert_true(stats(t).pool_bytes < target.memory_bytes);
    t->ops->free(t->b, more, target.memory_bytes / 10 * 7);
}

static void marks_measure(void **state) {
    bench *t = begin(state);
    double ms = -1;
    assert_int_equal(t->ops->mark(t->b, 4, NULL, &t->fault), FSR_ERR_VALUE);
    void *data = need(t, 256 * MIB);
    ok(t, t->ops->mark(t->b, 0, NULL, &t->fault));
    for (int i = 0; i < 20; i++)
        ok(t, t->ops->clear(t->b, data, 256 * MIB, NULL, &t->fault));
    ok(t, t->ops->mark(t->b, 1, NULL, &t->fault));
    ok(t, t->ops->elapsed(t->b, 0, &ms, &t->fault));
    print_message("clearing 20 times 256 MiB: %.3f ms\n", ms);
    assert_true(ms > 0.1 && ms < 10000);
}

/* ---- kernels ------------------------------------------------------------------------------------- */

static fsr_module *compiled(bench *t, const fsr_kernel *k) {
    fsr_module *m = NULL;
    ok(t, t->ops->compile(t->b, k, &m, &t->fault));
    assert_non_null(m);
    return m;
}

/* k_map on n elements against the host. */
static void run_map(bench *t, const fsr_kernel *k, fsr_module *m, int64_t n) {
    const size_t bytes = (size_t)n * 4;
    float *x = malloc(bytes + 1), *y = malloc(bytes + 1), *z = malloc(bytes + 1);
    unsigned char *less = malloc((size_t)n + 1);
    fsr_launch launch = {0};
    assert_true(x && y && z && less);
    for (int64_t i = 0; i < n; i++) {
        x[i] = (float)(i % 1013) * 0.37f;
        y[i] = (float)(i % 709) * 0.53f;
    }
    for (int i = 0; i < 4; i++)
        launch.array[i] = need(t, i == 3 ? n : n * 4);
    ok(t, t->ops->copy_in(t->b, launch.array[0], x, n * 4, NULL, &t->fault));
    ok(t, t->ops->copy_in(t->b, launch.array[1], y, n * 4, NULL, &t->fault));
    kernel_sizes(k, &launch, n, 1);
    launch.scalar[0].f32 = 0.125f;
    launch.blocks = fsr_kernel_blocks(k, launch.integer);
    ok(t, t->ops->launch(t->b, m, &launch, NULL, &t->fault));
    ok(t, t->ops->copy_out(t->b, z, launch.array[2], n * 4, NULL, &t->fault));
    ok(t, t->ops->copy_out(t->b, less, launch.array[3], n, NULL, &t->fault));
    for (int64_t i = 0; i < n; i++) {
        volatile float product = x[i] * y[i];
        assert_true(z[i] == product + 0.125f);
        assert_int_equal(less[i], x[i] < y[i]);
    }
    for (int i = 0; i < 4; i++)
        t->ops->free(t->b, launch.array[i], i == 3 ? n : n * 4);
    free(x);
    free(y);
    free(z);
    free(less);
}

static void kernel_runs(void **state) {
    static const int64_t sizes[] = {1, 31, 32, 33, 511, 512, 513, 100003};
    bench *t = begin(state);
    fsr_kernel *k = kernel_map(FSR_F32);
    fsr_module *m = compiled(t, k);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        run_map(t, k, m, sizes[i]);
    int registers = 0, spills = -1;
    assert_int_equal(fsr_cuda_kernel_info(m, &registers, &spills), FSR_OK);
    assert_true(registers > 0 && registers <= 255);
    assert_int_equal(spills, 0);
    assert_int_equal(stats(t).launches, sizeof sizes / sizeof *sizes);
    fsr_kernel_free(k);
}

/* Softmax of rows in parts of 8192 columns, by two teams of so many blocks; 0: a block a part. */
static float *run_team(bench *t, int members, const float *x, int64_t rows, int64_t cols) {
    const int64_t bytes = rows * cols * 4;
    fsr_kernel *k = kernel_softmax(false);
    fsr_launch launch = {0};
    float *y = malloc((size_t)bytes);
    assert_non_null(y);
    k->schedule = (fsr_schedule){.target = FSR_TARGET_GPU,
                                 .kind = FSR_SCHEDULE_TEAM,
                                 .threads = 512,
                                 .abreast = 2,
                                 .vector = 1,
                                 .items = 16,
                                 .members = members};
    fsr_module *m = compiled(t, kernel_finished(k));
    kernel_sizes(k, &launch, rows, cols);
    launch.integer[FSR_INT_STRETCH] = 8192;
    launch.integer[FSR_INT_SPLITS] = (cols + 8191) / 8192;
    launch.blocks = fsr_kernel_blocks(k, launch.integer);
    const int64_t work = fsr_kernel_work_bytes(k, launch.integer), zero = fsr_kernel_zero_bytes(k, launch.integer);
    launch.array[0] = need(t, bytes);
    launch.array[1] = need(t, bytes);
    launch.work = need(t, work);
    launch.zero = need(t, zero);
    ok(t, t->ops->clear(t->b, launch.zero, zero, NULL, &t->fault));
    ok(t, t->ops->copy_in(t->b, launch.array[0], x, bytes, NULL, &t->fault));
    ok(t, t->ops->launch(t->b, m, &launch, NULL, &t->fault));
    ok(t, t->ops->copy_out(t->b, y, launch.array[1], bytes, NULL, &t->fault));
    t->ops->free(t->b, launch.array[0], bytes);
    t->ops->free(t->b, launch.array[1], bytes);
    t->ops->free(t->b, launch.work, work);
    t->ops->free(t->b, launch.zero, zero);
    fsr_kernel_free(k);
    return y;
}

/* A device with fewer multiprocessors than a row has parts gives the same bits. */
static void teams_of_any_size(void **state) {
    enum { ROWS = 5, COLS = 100003 };
    bench *t = begin(state);
    float *x = malloc(sizeof *x * ROWS * COLS);
    assert_non_null(x);
    for (int i = 0; i < ROWS * COLS; i++)
        x[i] = (float)(i % 1013) * 0.0037f - (float)(i % 709) * 0.0053f;
    float *want = run_team(t, 0, x, ROWS, COLS);
    for (int members = 1; members <= 13; members += 4) {
        float *got = run_team(t, members, x, ROWS, COLS);
        assert_memory_equal(got, want, sizeof *x * ROWS * COLS);
        free(got);
    }
    double sum = 0;
    for (int i = 0; i < COLS; i++)
        sum += (double)want[i];
    assert_true(sum > 0.999 && sum < 1.001);
    free(want);
    free(x);
}

/* The first from the compiler, the second from memory, the third, in a new backend, from disk. */
static void kernel_is_compiled_once(void **state) {
    bench *t = begin(state);
    fsr_kernel *k = kernel_map(FSR_F32);
    fsr_module *first = compiled(t, k);
    assert_ptr_equal(compiled(t, k), first);
    fsr_backend_stats s = stats(t);
    assert_int_equal(s.compilations, 1);
    assert_int_equal(s.cache_hits_memory, 1);
    assert_int_equal(s.cache_hits_disk, 0);
    k->contraction = true;
    assert_ptr_not_equal(compiled(t, k), first);
    k->contraction = false;
    t->ops->close(t->b);
    assert_true(open_backend(t));
    run_map(t, k, compiled(t, k), 1000);
    s = stats(t);
    assert_int_equal(s.compilations, 0);
    assert_int_equal(s.cache_hits_disk, 1);
    fsr_kernel_free(k);
}

/* In every file of the cache the last byte of the payload is changed: the entries are misses, the results right. */
static void kernel_survives_a_bad_disk_cache(void **state) {
    bench *t = begin(state);
    fsr_kernel *k = kernel_map(FSR_F32);
    char command[256];
    compiled(t, k);
    t->ops->close(t->b);
    snprintf(command, sizeof command, "for f in %s/*.fsr; do truncate -s -1 $f && printf x >> $f; done", t->dir);
    assert_int_equal(system(command), 0);
    assert_true(open_backend(t));
    run_map(t, k, compiled(t, k), 1000);
    assert_int_equal(stats(t).compilations, 1);
    fsr_kernel_free(k);
}

static void kernel_of_a_broken_file(void **state) {
    bench *t = *state;
    char path[128], name[64];
    t->config.load_dir = t->dir;
    t = begin(state);
    fsr_kernel *k = kernel_map(FSR_F32);
    snprintf(path, sizeof path, "%s/k_map.cu", t->dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "extern \"C\" __global__ void k_map(int *y) {\n");
    for (int i = 0; i < BROKEN_LINES; i++)
        fprintf(f, "    y[%d] = undefined_name_%d;\n", i, i);
    fprintf(f, "}\n");
    assert_int_equal(fclose(f), 0);
    fsr_module *m = NULL;
    assert_int_equal(t->ops->compile(t->b, k, &m, &t->fault), FSR_ERR_COMPILE);
    assert_null(m);
    assert_non_null(strstr(t->fault.message, path));
    for (int i = 0; i < BROKEN_LINES; i++) {
        snprintf(name, sizeof name, "undefined_name_%d\"", i);
        assert_non_null(strstr(t->fault.message, name));
    }
    assert_int_equal(unlink(path), 0);
    run_map(t, k, compiled(t, k), 1000);
    fsr_kernel_free(k);
}

static void launch_checks_its_sizes(void **state) {
    bench *t = begin(state);
    fsr_kernel *k = kernel_map(FSR_F32);
    fsr_module *m = compiled(t, k);
    fsr_launch launch = {0};
    ok(t, t->ops->launch(t->b, m, &launch, NULL, &t->fault));
    assert_int_equal(stats(t).launches, 0);
    launch.blocks = (int64_t)1 << 31;
    assert_int_equal(t->ops->launch(t->b, m, &launch, NULL, &t->fault), FSR_ERR_SIZE);
    assert_non_null(strstr(t->fault.message, "2147483648 blocks"));
    launch.blocks = 1;
    kernel_sizes(k, &launch, (int64_t)1 << 33, 1);
    assert_int_equal(t->ops->launch(t->b, m, &launch, NULL, &t->fault), FSR_ERR_INTERNAL);
    run_map(t, k, m, 1000);
    fsr_kernel_free(k);
}

#ifdef FUSOR_HAVE_CUDA
/* A long clear on a caller's stream, a copy on the own one without a word in between: in order both ways. */
static void streams_are_ordered(void **state) {
    bench *t = begin(state);
    const int64_t bytes = 512 * MIB;
    cudaStream_t foreign;
    assert_int_equal(cudaStreamCreateWithFlags(&foreign, cudaStreamNonBlocking), cudaSuccess);
    unsigned char *a = need(t, bytes), *b = need(t, bytes), last = 1;
    const unsigned char one = 1;
    ok(t, t->ops->clear(t->b, a, bytes, NULL, &t->fault));
    ok(t, t->ops->clear(t->b, b, bytes, NULL, &t->fault));
    for (int i = 0; i < 20; i++) {
        ok(t, t->ops->copy_in(t->b, a + bytes - 1, &one, 1, NULL, &t->fault));
        ok(t, t->ops->copy(t->b, b, a, bytes, foreign, &t->fault));
        ok(t, t->ops->clear(t->b, a, bytes, NULL, &t->fault));
        ok(t, t->ops->copy_out(t->b, &last, b + bytes - 1, 1, NULL, &t->fault));
        assert_int_equal(last, 1);
        ok(t, t->ops->clear(t->b, b, bytes, foreign, &t->fault));
        ok(t, t->ops->copy_out(t->b, &last, b + bytes - 1, 1, NULL, &t->fault));
        assert_int_equal(last, 0);
    }
    ok(t, t->ops->wait(t->b, foreign, &t->fault));
    t->ops->close(t->b);
    t->b = NULL;
    assert_int_equal(cudaStreamDestroy(foreign), cudaSuccess);
}
#endif

/* ---- a lost device --------------------------------------------------------------------------------- */

/* An illegal address ruins a process's context: this runs in a process of its own, whose exit status is the result.
 * Where FUSOR_TEST_SANITIZER is set, as scripts/gpu does, the test is skipped: a sanitizer would report what it does on
 * purpose. */
static int lose_the_device(void) {
    fsr_config config;
    fsr_backend *b = NULL;
    fsr_fault fault = {0};
    fsr_module *m = NULL;
    fsr_config_init(&config, NULL, 0);
    config.cache_dir = NULL;
    if (fsr_backend_cuda_open(&config, &b, &fault) != FSR_OK)
        return EXIT_ABSENT;
    fsr_kernel *k = kernel_map(FSR_F32);
    fsr_launch launch = {0};
    kernel_sizes(k, &launch, 1000, 1);
    launch.blocks = fsr_kernel_blocks(k, launch.integer);
    for (int i = 0; i < 4; i++)
        launch.array[i] = (void *)(uintptr_t)0x1000;
    if (b->ops->compile(b, k, &m, &fault) != FSR_OK || b->ops->launch(b, m, &launch, NULL, &fault) != FSR_OK)
        return EXIT_WRONG;
    const bool seen = b->ops->wait(b, NULL, &fault) == FSR_ERR_DEVICE &&
                      strstr(fault.message, "cudaErrorIllegalAddress") && strstr(fault.message, "context is lost");
    b->ops->close(b);
    fsr_kernel_free(k);
    fsr_fault_clear(&fault);
    return seen ? EXIT_SUCCESS : EXIT_WRONG;
}

static int child_status;

static void a_lost_device_is_told(void **state) {
    (void)state;
    if (WIFEXITED(child_status) && WEXITSTATUS(child_status) == EXIT_ABSENT)
        skip();
    assert_true(WIFEXITED(child_status));
    assert_int_equal(WEXITSTATUS(child_status), EXIT_SUCCESS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lost_device_is_told),
        TEST(backend_describes_the_device),
        TEST(backend_wants_an_existing_device),
        TEST(memory_goes_there_and_back),
        TEST(copy_in_lets_the_source_go),
        TEST(memory_is_flat_over_a_loop),
        TEST(memory_out_is_a_status),
        TEST(memory_is_taken_from_free_blocks),
        TEST(marks_measure),
        TEST(kernel_runs),
        TEST(teams_of_any_size),
        TEST(kernel_is_compiled_once),
        TEST(kernel_survives_a_bad_disk_cache),
        TEST(kernel_of_a_broken_file),
        TEST(launch_checks_its_sizes),
#ifdef FUSOR_HAVE_CUDA
        TEST(streams_are_ordered),
#endif
    };
    const pid_t child = fork();
    if (child == 0)
        _exit(subject_sanitized() ? EXIT_ABSENT : lose_the_device());
    if (child < 0 || waitpid(child, &child_status, 0) != child)
        return EXIT_WRONG;
    return cmocka_run_group_tests_name("cuda_backend", tests, NULL, NULL);
}

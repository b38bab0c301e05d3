/* SPDX-License-Identifier: MIT */
/* The knob `modules`: kernels that nobody needs are unloaded, the mappings of a process stay few, and plans that live
 * keep theirs.
 *
 * Thousands of kernels are compiled by this program itself, started as the compiler: it writes a copy of one object
 * that a real compiler made, with the kernel's name in it. So loading and unloading are real and cost no compiler. */
#define _GNU_SOURCE /* memmem */
#include "tests/support/subject.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define G subject_g

/* The name in the prototype, as long as any kernel's may be; and the file, which the environment names. */
#define NAME "fsr_prototype_prototype_prototype_prototype_prototype_prototype"
#define PROTOTYPE "TEST_MODULES_PROTOTYPE"

/* ---- the compiler ------------------------------------------------------------------------------------------- */

static char *read_whole(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    char *data = malloc(1 << 20);
    *size = file && data ? fread(data, 1, 1 << 20, file) : 0;
    if (file)
        fclose(file);
    return data;
}

/* The last part of a path, without its suffix. */
static void stem(const char *path, char name[64]) {
    const char *slash = strrchr(path, '/');
    snprintf(name, 64, "%s", slash ? slash + 1 : path);
    name[strcspn(name, ".")] = 0;
}

/* Writes the prototype to `object`, named as the source is. The object has a hash table of one bucket: any name in it
 * is found. */
static int compile_as_stub(const char *object, const char *source) {
    size_t size;
    char name[64], *data = read_whole(getenv(PROTOTYPE), &size);
    char *at = size ? memmem(data, size, NAME, sizeof NAME) : NULL;
    FILE *to = fopen(object, "wb");
    stem(source, name);
    if (at)
        memcpy(at, name, strlen(name) + 1);
    bool written = at && to && fwrite(data, 1, size, to) == size;
    written = to && fclose(to) == 0 && written;
    free(data);
    return !written;
}

/* -1: this is no compilation. */
static int as_compiler(int argc, char **argv) {
    const char *object = NULL, *source = NULL;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--version") == 0)
            return puts("prototype 1") < 0;
        if (strcmp(argv[i], "-o") == 0 && i + 1 < argc)
            object = argv[i + 1];
        size_t length = strlen(argv[i]);
        if (length > 2 && strcmp(argv[i] + length - 2, ".c") == 0)
            source = argv[i];
    }
    return object && source ? compile_as_stub(object, source) : -1;
}

static void make_prototype(const char *dir, char path[128]) {
    char command[512];
    snprintf(path, 128, "%s/prototype.so", dir);
    snprintf(command, sizeof command,
             "echo 'void " NAME "(void) {}' | cc -x c - -shared -fPIC -nostdlib -Wl,--hash-style=sysv -o %s", path);
    assert_int_equal(system(command), 0);
    assert_int_equal(setenv(PROTOTYPE, path, 1), 0);
}

/* ---- programs ----------------------------------------------------------------------------------------------- */

/* Of files, as modules are: the heap has mappings of its own, a sanitizer's one for each size of block. */
static int mappings(void) {
    FILE *file = fopen("/proc/self/maps", "r");
    char line[1024];
    int lines = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        lines += strchr(line, '/') != NULL;
    fclose(file);
    return lines;
}

static fsr_stats stats_of(fsr_context *ctx) {
    fsr_stats s;
    assert_int_equal(fsr_context_stats(ctx, &s), FSR_OK);
    return s;
}

/* Another kernel for each number below 2^STEPS: a step adds or multiplies. */
enum { STEPS = 11, N = 4 };

static const float start[N] = {0, 1, 2, 3};

static fsr_node numbered(fsr_graph *g, int number) {
    fsr_node x = fsr_from_host(g, FSR_F32, 1, SHAPE(N), start), y = x;
    for (int bit = 0; bit < STEPS; ++bit)
        y = number >> bit & 1 ? fsr_mul(y, x) : fsr_add(y, x);
    return y;
}

static float expected(int number, float x) {
    float y = x;
    for (int bit = 0; bit < STEPS; ++bit)
        y = number >> bit & 1 ? y * x : y + x;
    return y;
}

static bool right(fsr_graph *g, int number) {
    float out[N];
    if (fsr_scope_begin(g) || fsr_read(numbered(g, number), out, sizeof out) || fsr_scope_end(g, NULL, 0))
        return false;
    for (int i = 0; i < N; ++i)
        if (out[i] != expected(number, start[i]))
            return false;
    return true;
}

/* ---- tests -------------------------------------------------------------------------------------------------- */

static fsr_context *open_with(int modules, const char *compiler, const char *cache_dir) {
    fsr_config config = subject_config();
    config.modules = modules;
    config.cache_dir = cache_dir;
    if (compiler)
        config.compiler = compiler;
    return subject_open(&config);
}

/* 2,000 kernels, at most 64 loaded at any time, 500 in the fast tier. On a GPU, where they are no mappings, and NVRTC
 * takes its time, fewer. */
static void mappings_stay_flat(void **state) {
    (void)state;
    enum { BOUND = 64, ALLOWED = 8 * BOUND };
    const bool cuda = SUBJECT_BACKEND == FSR_BACKEND_CUDA;
    const int kernels = cuda ? 200 : subject_case(0, SUBJECT_LONG) ? 2000 : 500;
    char dir[64], prototype[128], self[512];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(length > 0);
    self[length] = 0;
    subject_temporary_dir(dir);
    make_prototype(dir, prototype);
    fsr_context *ctx = open_with(BOUND, self, "");
    fsr_graph *g = fsr_graph_new(ctx);
    int before = mappings(), most = 0;
    for (int i = 0; i < kernels; ++i) {
        assert_int_equal(fsr_scope_begin(g), FSR_OK);
        if (fsr_force(numbered(g, i)))
            fail_msg("%d: %s", i, fsr_error(ctx));
        assert_int_equal(fsr_scope_end(g, NULL, 0), FSR_OK);
        int more = i % 50 == 49 ? mappings() - before : 0;
        most = more > most ? more : most;
    }
    fsr_stats s = stats_of(ctx);
    assert_int_equal(s.compilations, kernels);
    assert_true(s.modules == BOUND);
    if (!cuda && (most > ALLOWED || most < BOUND))
        fail_msg("%d mappings more for %d kernels of %d", most, BOUND, kernels);
    fsr_close(ctx);
    assert_true(cuda || mappings() <= before);
    unsetenv(PROTOTYPE);
    subject_remove_dir(dir);
}

/* Kernels that were unloaded come back, and the most recently used ones did not go. */
static void what_was_unloaded_comes_back(void **state) {
    (void)state;
    enum { BOUND = 12, PROGRAMS = 20 };
    char dir[64];
    subject_temporary_dir(dir);
    fsr_context *ctx = open_with(BOUND, NULL, dir);
    fsr_graph *g = fsr_graph_new(ctx);
    for (int round = 0; round < 2; ++round)
        for (int i = 0; i < PROGRAMS; ++i) {
            assert_true(right(g, i));
            assert_true(stats_of(ctx).modules <= BOUND);
        }
    fsr_stats s = stats_of(ctx);
    assert_int_equal(s.compilations, PROGRAMS);
    assert_int_equal(s.cache_hits_disk, PROGRAMS);
    for (int i = PROGRAMS - 1; i >= PROGRAMS - 5; --i)
        assert_true(right(g, i));
    assert_int_equal(stats_of(ctx).cache_hits_disk, PROGRAMS);
    assert_int_equal(stats_of(ctx).plans_built, s.plans_built);
    fsr_close(ctx);
    subject_remove_dir(dir);
}

/* More plans of the caller than the bound: each keeps its kernels, and gives them back. */
static void plans_of_the_caller_keep_theirs(void **state) {
    (void)state;
    enum { PLANS = 14, BOUND = 2, CACHED = 8 };
    fsr_plan *plan[PLANS];
    char dir[64];
    subject_temporary_dir(dir);
    fsr_context *ctx = open_with(BOUND, NULL, dir);
    fsr_graph *g = fsr_graph_new(ctx);
    for (int i = 0; i < PLANS; ++i) {
        fsr_node y = numbered(g, i);
        if (fsr_compile(&y, 1, &plan[i]))
            fail_msg("%s", fsr_error(ctx));
    }
    assert_true(stats_of(ctx).modules >= PLANS);
    for (int i = 0; i < PLANS; ++i) {
        float out[N];
        fsr_arg to = {.data = out, .bytes = sizeof out};
        assert_int_equal(fsr_plan_run(plan[i], NULL, 0, &to, 1, NULL), FSR_OK);
        for (int k = 0; k < N; ++k)
            assert_true(out[k] == expected(i, start[k]));
        fsr_plan_free(plan[i]);
    }
    assert_true(right(g, PLANS));
    assert_true(stats_of(ctx).modules <= CACHED);
    fsr_close(ctx);
    subject_remove_dir(dir);
}

typedef struct worker {
    pthread_t thread;
    fsr_context *ctx;
    int number;
    bool good;
} worker;

static void *work(void *arg) {
    worker *w = arg;
    fsr_graph *g = fsr_graph_new(w->ctx);
    w->good = g != NULL;
    for (int i = 0; w->good && i < 120; ++i)
        w->good = right(g, (i * (w->number + 1)) % 24);
    fsr_graph_free(g);
    return NULL;
}

/* Threads that run, load and unload the same kernels. */
static void threads_share_few_modules(void **state) {
    (void)state;
    enum { THREADS = 4 };
    char dir[64];
    worker w[THREADS];
    subject_temporary_dir(dir);
    fsr_context *ctx = open_with(1, NULL, dir);
    for (int i = 0; i < THREADS; ++i) {
        w[i] = (worker){.ctx = ctx, .number = i};
        assert_int_equal(pthread_create(&w[i].thread, NULL, work, &w[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_join(w[i].thread, NULL), 0);
    for (int i = 0; i < THREADS; ++i)
        assert_true(w[i].good);
    assert_int_equal(stats_of(ctx).compilations, 24);
    fsr_close(ctx);
    subject_remove_dir(dir);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(mappings_stay_flat),
    cmocka_unit_test(what_was_unloaded_comes_back),
    cmocka_unit_test(plans_of_the_caller_keep_theirs),
    cmocka_unit_test(threads_share_few_modules),
};

int main(int argc, char **argv) {
    int status = as_compiler(argc, argv);
    if (status < 0 && !subject_take_part())
        return 1;
    if (status < 0 && (status = subject_begin(SUBJECT_BACKEND, COUNT_OF(tests))) == 0)
        status = subject_end(cmocka_run_group_tests(tests, NULL, NULL));
    return status;
}

/* SPDX-License-Identifier: MIT */
/* The CUDA backend's host code over a driver that is none (fake_cuda.h): every call of the driver and of NVRTC failing
 * in turn, every allocation failing in turn, a full device, a lost context, a driver too old, none at all. */
#include "tests/support/subject.h"
#include <stdio.h>

#ifndef FUSOR_HAVE_CUDA
int main(void) {
    printf("skipped: built without a CUDA toolkit's header\n");
    return 77;
}
#else
#include "tests/host_cuda/host_cuda.h"
#include "tests/trust/fake_cuda.h"
#include "tests/trust/faults.h"
#include "tests/trust/scenarios.h"
#include <cuda_runtime_api.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static outcome expected, got;

typedef struct tally {
    int faults, survived;
} tally;

/* Everything that a context owns; the same before and after, or something leaked. */
typedef struct holdings {
    fault_live live;
    int64_t blocks, objects;
} holdings;

static holdings now(void) {
    return (holdings){faults_live(), fake.blocks, fake.objects};
}

static void same_holdings(holdings before, const char *what, int64_t k) {
    holdings after = now();
    if (after.live.blocks != before.live.blocks)
        faults_list_live(before.live.serial);
    if (after.live.blocks != before.live.blocks || after.blocks != before.blocks || after.objects != before.objects)
        fail_msg("%s, fault %lld (%s): left are %lld blocks on the host, %lld on the device, %lld objects", what,
                 (long long)k, faults_hit(), (long long)(after.live.blocks - before.live.blocks),
                 (long long)(after.blocks - before.blocks), (long long)(after.objects - before.objects));
}

static fsr_context *open_cuda(const fsr_config *config) {
    fsr_context *ctx = NULL;
    char why[600];
    if (fsr_open_why(config, &ctx, why, sizeof why))
        fail_msg("open: %s", why);
    assert_string_equal(fsr_backend_name(ctx), "cuda");
    return ctx;
}

/* A failure must have the status that belongs to the call, and the driver's word for it. */
static void check_failure(const char *name, int64_t k, unsigned kind, int error) {
    fsr_status want = kind == FAULT_MEMORY                 ? FSR_ERR_MEMORY
                      : error == cudaErrorMemoryAllocation ? FSR_ERR_DEVICE_MEMORY
                                                           : FSR_ERR_DEVICE;
    const char *word = kind == FAULT_MEMORY ? "memory" : cudaGetErrorName((cudaError_t)error);
    if (strncmp(faults_hit(), "nvrtc", 5) == 0) {
        want = FSR_ERR_COMPILE;
        word = "NVRTC";
    } else if (strcmp(faults_hit(), "cudaMalloc") == 0 && error == cudaErrorMemoryAllocation) {
        word = "asked for";
    }
    if (got.status != want || !strstr(got.message, word))
        fail_msg("%s, fault %lld (%s): %s instead of %s: %s", name, (long long)k, faults_hit(),
                 fsr_status_name(got.status), fsr_status_name(want), got.message);
}

/* One fault in s on an open context of its own. */
static bool one_fault(const scenario *s, const fsr_config *config, unsigned kind, int error, int64_t k, tally *t) {
    holdings before = now();
    fsr_context *ctx = open_cuda(config);
    faults_arm(kind, FAULT_ERROR, k, false, error, NULL);
    scenario_run(s, ctx, &got);
    bool hit = faults_disarm();
    if (hit && got.status)
        check_failure(s->name, k, kind, error);
    else
        scenario_check(&got, &expected, s->name, k, "with the fault");
    t->faults += hit;
    t->survived += hit && !got.status;
    if (hit) {
        scenario_run(s, ctx, &got);
        scenario_check(&got, &expected, s->name, k, "afterwards");
    }
    fsr_close(ctx);
    same_holdings(before, s->name, k);
    return hit;
}

static void all_faults(const char *name, const fsr_config *config, const char *how, unsigned kind, int error) {
    const scenario *s = scenario_find(name);
    fsr_context *ctx = open_cuda(config);
    scenario_run(s, ctx, &expected);
    if (expected.status)
        fail_msg("%s: %s: %s", name, fsr_status_name(expected.status), expected.message);
    fsr_close(ctx);
    tally t = {0, 0};
    for (int64_t k = 1; one_fault(s, config, kind, error, k, &t); k++)
        ;
    assert_true(t.faults > 0 && t.survived < t.faults);
    printf("%-11s %-10s %-7s %-26s %4d faults, %3d survived\n", name, how, kind == FAULT_CUDA ? "CUDA" : "memory",
           kind == FAULT_CUDA ? cudaGetErrorName((cudaError_t)error) : "", t.faults, t.survived);
}

static int setup(void **state) {
    (void)state;
    fake_cuda_reset();
    return 0;
}

/* ---- tests ----------------------------------------------------------------------------------------------------- */

/* The fake itself is worth something: its results are the CPU's. */
static void the_fake_computes(void **state) {
    (void)state;
    fsr_config config = scenario_config(FSR_BACKEND_CUDA), cpu = scenario_config(FSR_BACKEND_CPU);
    const char *const names[] = {"elementwise", "plans", "verify", "native"};
    for (int i = 0; i < COUNT_OF(names); i++) {
        fsr_context *ctx = open_cuda(&config), *other = NULL;
        assert_int_equal(fsr_open_why(&cpu, &other, NULL, 0), FSR_OK);
        scenario_run(scenario_find(names[i]), other, &expected);
        scenario_run(scenario_find(names[i]), ctx, &got);
        assert_int_equal(expected.status, FSR_OK);
        assert_int_equal(got.status, FSR_OK);
        size_t exact = strcmp(names[i], "plans") == 0 ? 12 * 33 * 4 : got.bytes; /* sums may be associated otherwise */
        assert_memory_equal(got.data, expected.data, exact);
        fsr_close(ctx);
        fsr_close(other);
    }
    assert_true(fake.launches >= 3);
}

static void calls_fail(void **state) {
    (void)state;
    fsr_config config = scenario_config(FSR_BACKEND_CUDA);
    const int errors[] = {cudaErrorMemoryAllocation, cudaErrorInvalidValue};
    const char *const names[] = {"elementwise", "several", "plans", "scopes"};
    for (int e = 0; e < COUNT_OF(errors); e++)
        for (int i = 0; i < COUNT_OF(names); i++)
            all_faults(names[i], &config, "", FAULT_CUDA, errors[e]);
}

static void memory_fails(void **state) {
    (void)state;
    fsr_config config = scenario_config(FSR_BACKEND_CUDA);
    all_faults("softmax", &config, "", FAULT_MEMORY, 0);
    all_faults("plans", &config, "", FAULT_MEMORY, 0);
    all_faults("native", &config, "", FAULT_MEMORY, 0);
}

static fsr_node native(fsr_graph *g, const char *c, const char *cuda) {
    const fsr_native f = {.name = "f", .result = FSR_F32, .parameters = "f32 x", .c = c, .cuda = cuda};
    fsr_node x = fsr_arange(g, FSR_F32, 100);
    return fsr_call_native(&f, &x, 1);
}

/* fsr_verify on this device runs the CUDA text here and the C text there. */
static void native_texts_are_compared(void **state) {
    (void)state;
    fsr_config config = scenario_config(FSR_BACKEND_CUDA);
    fsr_context *ctx = open_cuda(&config);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_verify_report report;
    fsr_node right = native(g, "return x * 2;", "return x + x;");
    fsr_node wrong = native(g, "return x;", "return x == 77.0f ? 78.0f : x;");
    fsr_node none = native(g, "return x;", NULL), c = native(g, "return zeta;", "return x;");
    assert_int_equal(fsr_verify(&right, 1, NULL), FSR_OK);
    subject_error(ctx, fsr_verify(&wrong, 1, &report), FSR_ERR_MISMATCH, "element 77: got 78, expected 77");
    subject_error(ctx, fsr_force(none), FSR_ERR_UNSUPPORTED, "native function f has no CUDA text");
    faults_exit_status = 1;
    subject_error(ctx, fsr_verify(&c, 1, NULL), FSR_ERR_NO_COMPILER, "native function f needs a C compiler that works");
    faults_exit_status = 0;
    fsr_close(ctx);
}

/* A binary from disk that the driver refuses, or that cannot be read, is compiled anew. */
static void cached_binaries(void **state) {
    (void)state;
    char dir[64];
    subject_temporary_dir(dir);
    fsr_config config = scenario_config(FSR_BACKEND_CUDA);
    config.cache_dir = dir;
    const scenario *s = scenario_find("several");
    fsr_context *ctx = open_cuda(&config);
    scenario_run(s, ctx, &expected);
    assert_int_equal(expected.status, FSR_OK);
    fsr_close(ctx);
    const char *const calls[] = {"cudaLibraryLoadData", "cudaLibraryGetKernel", "cudaFuncGetAttributes"};
    for (int i = 0; i < COUNT_OF(calls); i++) {
        holdings before = now();
        ctx = open_cuda(&config);
        faults_arm(FAULT_CUDA, FAULT_ERROR, 1, false, cudaErrorInvalidKernelImage, calls[i]);
        scenario_run(s, ctx, &got);
        assert_true(faults_disarm());
        scenario_check(&got, &expected, s->name, 1, calls[i]);
        fsr_stats stats;
        fsr_context_stats(ctx, &stats);
        assert_true(stats.cache_hits_disk > 0 && stats.compilations == 1);
        fsr_close(ctx);
        same_holdings(before, calls[i], 1);
    }
    all_faults("several", &config, "disk cache", FAULT_MEMORY, 0);
    subject_remove_dir(dir);
}

/* Opening with each call failing: no backend and a reason, or for AUTO the CPU. */
static void opening(void **state) {
    (void)state;
    fsr_config config = scenario_config(FSR_BACKEND_CUDA);
    char why[600];
    const unsigned kinds[] = {FAULT_CUDA, FAULT_MEMORY, FAULT_FILE};
    for (int i = 0; i < COUNT_OF(kinds); i++)
        for (int automatic = 0; automatic < 2; automatic++) {
            tally t = {0, 0};
            bool hit = true;
            config.backend = automatic ? FSR_BACKEND_AUTO : FSR_BACKEND_CUDA;
            for (int64_t k = 1; hit; k++) {
                holdings before = now();
                fsr_context *ctx = NULL;
                faults_arm(kinds[i], FAULT_ERROR, k, false, 999, NULL);
                fsr_status status = fsr_open_why(&config, &ctx, why, sizeof why);
                hit = faults_disarm();
                bool fine = !status || (hit && !automatic && status == FSR_ERR_NO_BACKEND) ||
                            (hit && status == FSR_ERR_MEMORY && kinds[i] == FAULT_MEMORY);
                if (!fine || (status && (!why[0] || ctx)))
                    fail_msg("opening, fault %lld (%s): %s: %s", (long long)k, faults_hit(), fsr_status_name(status),
                             why);
                t.faults += hit;
                t.survived += hit && !status;
                fsr_close(ctx);
                same_holdings(before, "opening", k);
            }
            printf("opening %s, %s: %d faults, %d survived\n", automatic ? "auto" : "cuda",
                   kinds[i] == FAULT_CUDA     ? "CUDA"
                   : kinds[i] == FAULT_MEMORY ? "memory"
                                              : "files",
                   t.faults, t.survived);
        }
}

static void no_driver(void **state) {
    (void)state;
    static const struct {
        int driver, devices;
        const char *words;
    } cases[] = {
        {cudaErrorInsufficientDriver, 0, "too old"},
        {cudaErrorNoDevice, 0, "no CUDA device"},
        {cudaSuccess, 0, "no CUDA device"},
        {cudaErrorInitializationError, 0, "does not start"},
        {cudaErrorSystemDriverMismatch, 1, "does not start"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        fsr_config config = scenario_config(FSR_BACKEND_CUDA);
        holdings before = now();
        fsr_context *ctx = NULL;
        char why[300] = "";
        fake.driver = cases[i].driver;
        fake.devices = cases[i].devices;
        assert_int_equal(fsr_open_why(&config, &ctx, why, sizeof why), FSR_ERR_NO_BACKEND);
        assert_null(ctx);
        if (!strstr(why, cases[i].words))
            fail_msg("\"%s\" instead of \"%s\"", why, cases[i].words);
        config.backend = FSR_BACKEND_AUTO;
        assert_int_equal(fsr_open_why(&config, &ctx, why, sizeof why), FSR_OK);
        assert_string_equal(fsr_backend_name(ctx), "cpu");
        fsr_close(ctx);
        same_holdings(before, "no driver", i);
    }
}

/* A driver but no NVRTC, or one that lacks a function. */
static void no_nvrtc(void **state) {
    (void)state;
    static const char *const calls[][2] = {{"dlopen", "libnvrtc.so.13"}, {"dlsym", "has no nvrtc"}};
    for (int i = 0; i < COUNT_OF(calls); i++) {
        fsr_config config = scenario_config(FSR_BACKEND_CUDA);
        holdings before = now();
        fsr_context *ctx = NULL;
        char why[2000] = "";
        faults_arm(FAULT_FILE, FAULT_ERROR, 1, true, ENOENT, calls[i][0]);
        fsr_status status = fsr_open_why(&config, &ctx, why, sizeof why);
        config.backend = FSR_BACKEND_AUTO;
        fsr_status automatic = fsr_open_why(&config, &ctx, NULL, 0);
        assert_true(faults_disarm());
        assert_int_equal(status, FSR_ERR_NO_BACKEND);
        if (!strstr(why, "NVRTC was not found") || !strstr(why, calls[i][1]))
            fail_msg("%s", why);
        assert_int_equal(automatic, FSR_OK);
        assert_string_equal(fsr_backend_name(ctx), "cpu");
        fsr_close(ctx);
        same_holdings(before, "no NVRTC", i);
    }
}

static fsr_node megabytes(fsr_graph *g, int64_t n) {
    return fsr_hint_set(fsr_add(fsr_arange(g, FSR_F32, n << 18), fsr_float(g, 1)), FSR_HINT_MATERIALIZE);
}

/* 100 MB on the device, 60 lie free in the pool in blocks that do not fit: they are given back and the request
 * served. */
static void full_device(void **state) {
    (void)state;
    fsr_config config = scenario_config(FSR_BACKEND_CUDA);
    fake.capacity = 100 << 20;
    fake.no_kernels = true;
    holdings before = now();
    fsr_context *ctx = open_cuda(&config);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node kept = megabytes(g, 10);
    assert_int_equal(fsr_force(kept), FSR_OK);
    fsr_scope_begin(g);
    fsr_node many[3] = {megabytes(g, 20), fsr_neg(megabytes(g, 20)), fsr_exp(megabytes(g, 20))};
    assert_int_equal(fsr_compute(many, 3), FSR_OK);
    fsr_scope_end(g, NULL, 0);
    fsr_stats stats;
    fsr_context_stats(ctx, &stats);
    assert_int_equal(stats.device_bytes, 10 << 20);
    assert_true(stats.pool_bytes >= 70 << 20);
    fsr_node large = megabytes(g, 80);
    assert_int_equal(fsr_force(large), FSR_OK);
    /* now nothing is free: an error that says what was asked for and what there is, and nothing is lost */
    fsr_node more = megabytes(g, 30);
    subject_error(ctx, fsr_force(more), FSR_ERR_DEVICE_MEMORY,
                  "out of device memory|31457280 bytes asked for|94371840 in use|of 104857600 free on the device");
    const int64_t shape[] = {30 << 18};
    float *host = calloc((size_t)shape[0], sizeof *host);
    fsr_node from = fsr_from_host(g, FSR_F32, 1, shape, host);
    free(host);
    assert_int_equal(fsr_node_status(from), FSR_ERR_DEVICE_MEMORY);
    assert_non_null(strstr(fsr_node_error(from), "asked for"));
    float x[4];
    fsr_node small = fsr_slice(kept, 0, 0, 4, 1);
    assert_int_equal(fsr_read(small, x, sizeof x), FSR_OK);
    fsr_close(ctx);
    same_holdings(before, "full device", 0);
    /* with room again the same call succeeds */
    ctx = open_cuda(&config);
    g = fsr_graph_new(ctx);
    fsr_scope_begin(g);
    large = megabytes(g, 90);
    assert_int_equal(fsr_force(large), FSR_OK);
    fsr_scope_begin(g);
    more = megabytes(g, 30);
    assert_int_equal(fsr_force(more), FSR_ERR_DEVICE_MEMORY);
    fsr_scope_end(g, NULL, 0);
    fsr_scope_end(g, NULL, 0);
    more = megabytes(g, 30);
    assert_int_equal(fsr_force(more), FSR_OK);
    fsr_close(ctx);
    same_holdings(before, "room again", 0);
}

/* A kernel that destroys the context: the launch is fine, reading tells it, everything after tells it too, closing
 * frees all. */
static void lost_context(void **state) {
    (void)state;
    fsr_config config = scenario_config(FSR_BACKEND_CUDA);
    holdings before = now();
    fsr_context *ctx = open_cuda(&config);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node x = fsr_exp(fsr_full(g, FSR_F32, 1, SHAPE(64), 1));
    float y[64];
    fake.at_launch = cudaErrorIllegalAddress;
    assert_int_equal(fsr_force(x), FSR_OK);
    for (int i = 0; i < 2; i++) {
        subject_error(ctx, fsr_read(x, y, sizeof y), FSR_ERR_DEVICE, "cudaErrorIllegalAddress|lost");
        subject_error(ctx, fsr_sync(ctx), FSR_ERR_DEVICE, "cudaErrorIllegalAddress|lost");
        subject_error(ctx, fsr_trim(ctx), FSR_ERR_DEVICE, "cudaErrorIllegalAddress|lost");
        scenario_run(scenario_find("several"), ctx, &got);
        assert_int_equal(got.status, FSR_ERR_DEVICE);
        assert_non_null(strstr(got.message, "lost"));
    }
    fsr_close(ctx);
    same_holdings(before, "lost context", 0);
    fake_cuda_reset();
    ctx = open_cuda(&config);
    scenario_run(scenario_find("elementwise"), ctx, &got);
    assert_int_equal(got.status, FSR_OK);
    fsr_close(ctx);
}

/* Another kernel for each number: a bit of it adds or multiplies. */
static fsr_node numbered(fsr_graph *g, int number) {
    fsr_node x = fsr_from_host(g, FSR_F32, 1, SHAPE(4), ((float[]){1, 2, 3, 4})), y = x;
    for (int bit = 0; bit < 6; ++bit)
        y = number >> bit & 1 ? fsr_mul(y, x) : fsr_add(y, x);
    return y;
}

/* Launches are asynchronous, and plans are forgotten as soon as they are launched: a library must not go before what it
 * runs. */
static void modules_go_behind_their_launches(void **state) {
    (void)state;
    enum { BOUND = 3, KERNELS = 40, CACHED = 8 };
    fsr_config config = scenario_config(FSR_BACKEND_CUDA);
    config.modules = BOUND;
    fsr_context *ctx = open_cuda(&config);
    fsr_graph *g = fsr_graph_new(ctx);
    fake.no_kernels = true;
    for (int i = 0; i < KERNELS; i++) {
        assert_int_equal(fsr_force(numbered(g, i)), FSR_OK);
        assert_true(fake.running > 0);
        fsr_stats stats;
        fsr_context_stats(ctx, &stats);
        assert_true(stats.modules <= CACHED + 1);
    }
    assert_true(fake.unloaded >= KERNELS - CACHED - 1);
    assert_int_equal(fake.unloaded_running, 0);
    fsr_close(ctx);
    assert_int_equal(fake.unloaded, KERNELS);
    assert_int_equal(fake.unloaded_running, 0);
}

/* A module that the device has no memory for is loaded once more, behind all that can be given back: free blocks and
 * modules that no plan holds, then, behind two calls that fail, those of cached plans. left: modules, then. */
static void module_without_memory(int times, int left) {
    enum { KERNELS = 12 };
    fsr_config config = scenario_config(FSR_BACKEND_CUDA);
    holdings before = now();
    fsr_context *ctx = open_cuda(&config);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_stats stats;
    fake.no_kernels = true;
    fsr_scope_begin(g);
    for (int i = 0; i < KERNELS; i++)
        assert_int_equal(fsr_force(numbered(g, i)), FSR_OK);
    fsr_scope_end(g, NULL, 0);
    fsr_context_stats(ctx, &stats);
    assert_int_equal(stats.modules, KERNELS);
    fake.loads_without_memory = times;
    assert_int_equal(fsr_force(numbered(g, KERNELS)), FSR_OK);
    assert_int_equal(fake.loads_without_memory, 0);
    fsr_context_stats(ctx, &stats);
    assert_int_equal(stats.modules, left);
    assert_int_equal(fake.unloaded_running, 0);
    fake.loads_without_memory = 100;
    subject_error(ctx, fsr_force(numbered(g, KERNELS + 1)), FSR_ERR_DEVICE_MEMORY, "loading kernel");
    fake.loads_without_memory = 0;
    assert_int_equal(fsr_force(numbered(g, KERNELS + 1)), FSR_OK);
    fsr_close(ctx);
    same_holdings(before, "no memory for a module", times);
}

static void no_memory_for_a_module(void **state) {
    (void)state;
    module_without_memory(1, 13);
    module_without_memory(2, 13);
    module_without_memory(3, 1);
}

/* The blocks that a schedule counts as resident have their shared memory; a kernel that counts none asks for
 * nothing. */
static void residents_have_shared_memory(void **state) {
    (void)state;
    enum { OWN = 40 << 10, RESERVED = 1 << 10, PROCESSOR = 228 << 10 };
    fsr_config config = scenario_config(FSR_BACKEND_CUDA);
    fsr_context *ctx = open_cuda(&config);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node x = fsr_arange(g, FSR_F32, 1 << 20), sums = fsr_cumsum(x, (const int[]){0}, 1, 0), twice = fsr_add(x, x);
    fsr_plan *plan;
    char text[300];
    int resident = 0;
    fake.no_kernels = true;
    fake.static_shared = OWN;
    assert_int_equal(fsr_force(twice), FSR_OK);
    assert_int_equal(fake.carved, 0);
    assert_int_equal(fsr_compile(&sums, 1, &plan), FSR_OK);
    assert_int_equal(fsr_plan_schedule(plan, 0, text, sizeof text, NULL), FSR_OK);
    const char *word = strstr(text, "resident ");
    assert_true(word && sscanf(word, "resident %d", &resident) == 1 && resident > 1);
    fsr_plan_free(plan);
    assert_int_equal(fsr_force(sums), FSR_OK);
    const int least = resident * (OWN + RESERVED), percent = (100 * least + PROCESSOR - 1) / PROCESSOR;
    assert_int_equal(fake.carved, percent < 100 ? percent : 100);
    fsr_graph_free(g);
    fsr_close(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(residents_have_shared_memory, setup),
        cmocka_unit_test_setup(no_memory_for_a_module, setup),
        cmocka_unit_test_setup(the_fake_computes, setup),
        cmocka_unit_test_setup(opening, setup),
        cmocka_unit_test_setup(no_driver, setup),
        cmocka_unit_test_setup(no_nvrtc, setup),
        cmocka_unit_test_setup(full_device, setup),
        cmocka_unit_test_setup(lost_context, setup),
        cmocka_unit_test_setup(cached_binaries, setup),
        cmocka_unit_test_setup(calls_fail, setup),
        cmocka_unit_test_setup(memory_fails, setup),
        cmocka_unit_test_setup(native_texts_are_compared, setup),
        cmocka_unit_test_setup(modules_go_behind_their_launches, setup),
    };
    if (!host_cuda_available()) {
        printf("skipped: no C++ compiler to run kernels on the host with\n");
        return 77;
    }
    fake_cuda_reset();
    fault_fake_nvrtc(true);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("%lld calls failed on purpose\n", (long long)faults_count());
    return failed;
}
#endif

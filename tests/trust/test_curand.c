/* SPDX-License-Identifier: MIT */
/* The backends' calls of cuRAND over a driver that is none (fake_cuda.h) and a library that is none either
 * (tests/fakes, found by LD_LIBRARY_PATH): what is handed over, every call of it failing, and no library at all. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "tests/support/subject.h"
#include <stdio.h>

#ifndef FUSOR_HAVE_CUDA
int main(void) {
    printf("skipped: built without a CUDA toolkit's header\n");
    return 77;
}
#else
#include "runtime/curand.h"
#include "tests/host_cuda/host_cuda.h"
#include "tests/trust/entries.h"
#include "tests/trust/fake_cuda.h"
#include "tests/trust/faults.h"
#include "tests/trust/scenarios.h"
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static fsr_context *ctx;
static fsr_graph *g;
static bool hidden;

/* The library's dlopen: cuRAND may be hidden, wherever the machine has it. */
void *dlopen(const char *name, int flags) {
    void *(*next)(const char *, int) = NULL;
    *(void **)&next = dlsym(RTLD_NEXT, "dlopen");
    return hidden && name && strstr(name, "curand") ? NULL : next(name, flags);
}

static int setup_on(fsr_backend_kind backend) {
    fsr_config config = scenario_config(backend);
    unsetenv("FAKE_CURAND_FAIL");
    unsetenv("FAKE_CURAND_GENERATORS");
    fake_cuda_reset();
    ctx = scenario_open(&config);
    g = fsr_graph_new(ctx);
    return 0;
}

static int setup(void **state) {
    (void)state;
    return setup_on(FSR_BACKEND_CUDA);
}

static int setup_cpu(void **state) {
    (void)state;
    return setup_on(FSR_BACKEND_CPU);
}

static int generators(void) {
    const char *now = getenv("FAKE_CURAND_GENERATORS");
    return now ? atoi(now) : 0;
}

static int teardown(void **state) {
    (void)state;
    fsr_close(ctx);
    assert_int_equal(generators(), 0);
    return 0;
}

static bool is_quasi(int generator) {
    return generator >= FSR_SOBOL32;
}

/* Two dimensions of 51 points, or an odd number of elements. */
static fsr_node drawn(int generator, int draws, fsr_dtype dtype) {
    const uint64_t seed = is_quasi(generator) ? 0 : 5;
    const int64_t *shape = is_quasi(generator) ? SHAPE(2, 51) : SHAPE(3, 17);
    return draws == 0   ? fsr_curand_bits(g, generator, seed, 3, 2, shape)
           : draws == 1 ? fsr_curand_uniform(g, generator, seed, 3, dtype, 2, shape)
                        : fsr_curand_normal(g, generator, seed, 3, dtype, 2, shape);
}

/* What the device's generators are told is what the host's are, which fsr_verify asks; and it is the seed, the offset,
 * the dimensions and the order. One generator of each kind is kept. */
static void sequences(void **state) {
    (void)state;
    static const unsigned long long type[] = {101, 121, 201, 202, 203, 204};
    for (int turn = 0; turn < 2; turn++)
        for (int generator = FSR_XORWOW; generator <= FSR_SCRAMBLED_SOBOL64; generator++)
            for (int draws = 0; draws < 3; draws++) {
                fsr_node out = fsr_neg(fsr_cast(drawn(generator, draws, turn ? FSR_F64 : FSR_F32), FSR_F64));
                const fsr_status status = fsr_verify(&out, 1, NULL);
                if (status)
                    fail_msg("generator %d, %d: %s", generator, draws, fsr_error(ctx));
            }
    assert_int_equal(generators(), 6);
    for (int generator = FSR_XORWOW; generator < FSR_SOBOL64; generator++) {
        const bool quasi = is_quasi(generator);
        uint32_t word[102];
        const size_t n = quasi ? 102 : 51;
        assert_int_equal(fsr_read(drawn(generator, 0, FSR_U32), word, n * sizeof *word), FSR_OK);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(word[i], 1000003 * (i % 51 + 3) + 7919 * (i / 51) + (quasi ? 0 : 104729 * 5) +
                                          type[generator] + (quasi ? 201 : 103));
    }
}

static const struct {
    const char *name;
    int generator, draws, wide;
    fsr_status status;
    const char *words;
} calls[] = {
    {"SetGeneratorOrdering", FSR_XORWOW, 0, 0, FSR_ERR_DEVICE,
     "library call curand: curandSetGeneratorOrdering gave status 104"},
    {"SetPseudoRandomGeneratorSeed", FSR_MRG32K3A, 0, 0, FSR_ERR_DEVICE,
     "library call curand: curandSetPseudoRandomGeneratorSeed gave status 103"},
    {"SetQuasiRandomGeneratorDimensions", FSR_SOBOL32, 0, 0, FSR_ERR_DEVICE,
     "library call curand: curandSetQuasiRandomGeneratorDimensions gave status 104"},
    {"SetGeneratorOffset", FSR_SOBOL64, 0, 0, FSR_ERR_DEVICE,
     "library call curand: curandSetGeneratorOffset gave status 103"},
    {"Generate", FSR_XORWOW, 0, 0, FSR_ERR_DEVICE, "library call curand: curandGenerate gave status 201"},
    {"GenerateLongLong", FSR_SCRAMBLED_SOBOL64, 0, 1, FSR_ERR_DEVICE,
     "library call curand: curandGenerateLongLong gave status 201"},
    {"GenerateUniform", FSR_XORWOW, 1, 0, FSR_ERR_DEVICE, "library call curand: curandGenerateUniform gave status 201"},
    {"GenerateUniformDouble", FSR_SCRAMBLED_SOBOL32, 1, 1, FSR_ERR_DEVICE,
     "library call curand: curandGenerateUniformDouble gave status 201"},
    {"GenerateNormal", FSR_XORWOW, 2, 0, FSR_ERR_DEVICE, "library call curand: curandGenerateNormal gave status 201"},
    {"GenerateNormalDouble", FSR_SOBOL64, 2, 1, FSR_ERR_DEVICE,
     "library call curand: curandGenerateNormalDouble gave status 201"},
};

static void every_entry_has_a_row(void **state) {
    (void)state;
    static const struct {
        const char *name;
    } besides[] = {{"CreateGenerator"}, {"CreateGeneratorHost"}, {"SetStream"}}; /* these are calls_fail's own */
    static const char *const entry[] = {FSR_CURAND_LIST(ENTRY_NAME)};
    for (int i = 0; i < COUNT_OF(entry); i++)
        if (!entry_has_row(entry[i], besides, sizeof besides[0], COUNT_OF(besides)))
            entries_have_rows(&entry[i], 1, calls, sizeof calls[0], COUNT_OF(calls));
}

/* A call that fails says which, and that is all: the next computation works. No generator is left that has failed. */
static void each_fails(void) {
    for (int i = 0; i < COUNT_OF(calls); i++) {
        fsr_node x = drawn(calls[i].generator, calls[i].draws, calls[i].wide ? FSR_F64 : FSR_F32);
        setenv("FAKE_CURAND_FAIL", calls[i].name, 1);
        subject_error(ctx, fsr_force(x), calls[i].status, calls[i].words);
        assert_int_equal(generators(), 0);
    }
    unsetenv("FAKE_CURAND_FAIL");
}

static void calls_fail(void **state) {
    (void)state;
    fsr_node x = drawn(FSR_XORWOW, 1, FSR_F32);
    setenv("FAKE_CURAND_FAIL", "CreateGenerator", 1);
    subject_error(ctx, fsr_force(x), FSR_ERR_DEVICE_MEMORY,
                  "library call curand: curandCreateGenerator gave status 102, allocation failed");
    setenv("FAKE_CURAND_FAIL", "SetStream", 1);
    subject_error(ctx, fsr_force(x), FSR_ERR_DEVICE, "library call curand: curandSetStream gave status 101");
    each_fails();
    assert_int_equal(fsr_force(x), FSR_OK);
}

/* The pool's free blocks may be all the memory that a generator lacks: they go, and it is made. */
static void memory_for_a_generator(void **state) {
    (void)state;
    fsr_node x = drawn(FSR_XORWOW, 1, FSR_F32);
    void *block;
    subject_ok(fsr_alloc(ctx, FSR_DEVICE, 1 << 20, &block), "a block");
    subject_ok(fsr_free(ctx, FSR_DEVICE, block), "given back");
    const int64_t used = fake.used;
    setenv("FAKE_CURAND_FAIL", "CreateGenerator once", 1);
    assert_int_equal(fsr_force(x), FSR_OK);
    assert_true(fake.used <= used - (1 << 20) + (1 << 16));
}

static void calls_on_the_host_fail(void **state) {
    (void)state;
    fsr_node x = drawn(FSR_XORWOW, 1, FSR_F32);
    setenv("FAKE_CURAND_FAIL", "CreateGeneratorHost", 1);
    subject_error(ctx, fsr_force(x), FSR_ERR_MEMORY,
                  "library call curand: curandCreateGeneratorHost gave status 102, allocation failed");
    each_fails();
    assert_int_equal(fsr_force(x), FSR_OK);
}

static void no_library(void **state) {
    (void)state;
    fsr_node i = fsr_counter(g, 1, SHAPE(9)), x = drawn(FSR_SOBOL64, 2, FSR_F64);
    hidden = true;
    subject_error(ctx, fsr_force(x), FSR_ERR_UNSUPPORTED,
                  "library call curand: there is no libcurand.so.10; fsr_random_bits and its kin need no library");
    hidden = false;
    assert_int_equal(fsr_force(fsr_add(i, i)), FSR_OK);
    assert_int_equal(fsr_force(x), FSR_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(sequences, setup, teardown),
                                       cmocka_unit_test_setup_teardown(calls_fail, setup, teardown),
                                       cmocka_unit_test(every_entry_has_a_row),
                                       cmocka_unit_test_setup_teardown(memory_for_a_generator, setup, teardown),
                                       cmocka_unit_test_setup_teardown(calls_on_the_host_fail, setup_cpu, teardown),
                                       cmocka_unit_test_setup_teardown(no_library, setup, teardown),
                                       cmocka_unit_test_setup_teardown(no_library, setup_cpu, teardown)};
    const char *places = getenv("LD_LIBRARY_PATH");
    if (!places || !strstr(places, "fakes")) {
        printf("skipped: LD_LIBRARY_PATH does not name the libraries that are none (ctest sets it)\n");
        return 77;
    }
    if (!host_cuda_available()) {
        printf("skipped: no C++ compiler to run kernels on the host with\n");
        return 77;
    }
    fake_cuda_reset();
    fault_fake_nvrtc(true);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif

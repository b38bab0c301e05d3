/* SPDX-License-Identifier: MIT */
/* Addresses of the caller's in the wrong place: found at the call, in words, and nothing is lost. On a driver that is
 * none (fake_cuda.h); tests/gpu/test_gpu_addresses.c runs the same on a GPU. */
#include "tests/support/subject.h"
#include <stdio.h>

#ifndef FUSOR_HAVE_CUDA
int main(void) {
    printf("skipped: built without a CUDA toolkit's header\n");
    return 77;
}
#else
#ifndef SUBJECT_REAL_GPU
#undef SUBJECT_BACKEND
#define SUBJECT_BACKEND FSR_BACKEND_CUDA
#include "tests/host_cuda/host_cuda.h"
#include "tests/trust/fake_cuda.h"
#include "tests/trust/faults.h"
#endif
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Host copies of at most 64 KiB go another way than larger ones. */
enum { N = 1000, LARGE = 1 << 16 };

static float host[LARGE], result[LARGE];
static void *device; /* 4 * LARGE bytes */

static int begin(void **state) {
    for (int i = 0; i < LARGE; i++)
        host[i] = (float)i;
    return subject_setup(state) || cudaMalloc(&device, sizeof host) != cudaSuccess;
}

static int end(void **state) {
    return cudaFree(device) != cudaSuccess || subject_teardown(state);
}

/* x * k + 1 of n elements. */
static fsr_plan *plan_of(fsr_dtype dtype, int64_t n) {
    fsr_plan *plan = NULL;
    fsr_node x = fsr_input(subject_g, "x", dtype, 1, SHAPE(n)), k = fsr_param(subject_g, "k", FSR_F32, 2);
    fsr_node y = fsr_add(fsr_mul(x, k), fsr_float(subject_g, 1));
    OK(fsr_compile(&y, 1, &plan));
    return plan;
}

static fsr_arg arg(const char *name, void *data, int64_t n, fsr_place place) {
    return (fsr_arg){name, data, sizeof(float) * (size_t)n, place};
}

static fsr_status run(fsr_plan *plan, fsr_arg in, fsr_arg out) {
    return fsr_plan_run(plan, &in, 1, &out, 1, NULL);
}

/* The context still computes. */
static void works(void) {
    fsr_plan *plan = plan_of(FSR_F32, N);
    memset(result, 0, sizeof result);
    OK(run(plan, arg("x", host, N, FSR_HOST), arg(NULL, result, N, FSR_HOST)));
    for (int i = 0; i < N; i++)
        assert_true(result[i] == 2 * (float)i + 1);
    fsr_plan_free(plan);
}

static void refused(fsr_status status, const char *words) {
    subject_error(subject_ctx, status, FSR_ERR_VALUE, words);
    fsr_error_clear(subject_ctx);
    OK(fsr_sync(subject_ctx));
    works();
}

static void host_given_as_device(void **state) {
    (void)state;
    float stack[N];
    fsr_plan *plan = plan_of(FSR_F32, N);
    void *const wrong[] = {host, stack, host + 1, (void *)16};
    for (int i = 0; i < COUNT_OF(wrong); i++) {
        refused(run(plan, arg("x", wrong[i], N, FSR_DEVICE), arg(NULL, result, N, FSR_HOST)),
                "plan_run: input 0 \"x\": |FSR_DEVICE|memory of the host");
        refused(run(plan, arg("x", device, N, FSR_DEVICE), arg(NULL, wrong[i], N, FSR_DEVICE)),
                "plan_run: output 0 \"\": |FSR_DEVICE|memory of the host");
    }
    fsr_plan_free(plan);
}

static void device_given_as_host(void **state) {
    (void)state;
    const int64_t sizes[] = {1, N, LARGE};
    for (int i = 0; i < COUNT_OF(sizes); i++) {
        const int64_t n = sizes[i];
        fsr_plan *plan = plan_of(FSR_F32, n);
        refused(run(plan, arg("x", device, n, FSR_HOST), arg(NULL, result, n, FSR_HOST)),
                "plan_run: input 0 \"x\": memory of the host is needed|CUDA device 0");
        refused(run(plan, arg("x", host, n, FSR_HOST), arg(NULL, device, n, FSR_HOST)),
                "plan_run: output 0 \"\": memory of the host is needed|CUDA device 0");
        fsr_plan_free(plan);
        fsr_node bad = fsr_from_host(subject_g, FSR_F32, 1, SHAPE(n), device);
        refused(fsr_force(bad), "from_host: memory of the host is needed|CUDA device 0|test_addresses.c");
        fsr_node good = fsr_from_host(subject_g, FSR_F32, 1, SHAPE(n), host);
        refused(fsr_read(good, device, sizeof(float) * (size_t)n), "read: memory of the host is needed|CUDA device 0");
    }
    fsr_plan *plan = plan_of(FSR_BOOL, N);
    refused(run(plan, (fsr_arg){"x", device, N, FSR_HOST}, arg(NULL, result, N, FSR_HOST)),
            "plan_run: input 0 \"x\": memory of the host is needed|CUDA device 0");
    fsr_node flags = fsr_from_host(subject_g, FSR_BOOL, 1, SHAPE(N), device);
    refused(fsr_force(flags), "from_host: memory of the host is needed");
    fsr_plan_free(plan);
}

/* A parameter's value is on the host, whatever place says. */
static void parameters(void **state) {
    (void)state;
    float three = 3;
    fsr_plan *plan = plan_of(FSR_F32, N);
    for (int place = 0; place < 2; place++) {
        fsr_arg in[] = {arg("x", host, N, FSR_HOST), {"k", device, sizeof three, (fsr_place)place}};
        fsr_arg out = arg(NULL, result, N, FSR_HOST);
        refused(fsr_plan_run(plan, in, 2, &out, 1, NULL),
                "plan_run: parameter 1 \"k\": memory of the host is needed|CUDA device 0");
        in[1].data = &three;
        OK(fsr_plan_run(plan, in, 2, &out, 1, NULL));
        assert_true(result[7] == 22);
    }
    fsr_plan_free(plan);
}

static void past_the_end(void **state) {
    (void)state;
    fsr_plan *plan = plan_of(FSR_F32, N);
    char *last = (char *)device + sizeof host - N * sizeof(float);
    OK(run(plan, arg("x", host, N, FSR_HOST), arg(NULL, last, N, FSR_DEVICE)));
    OK(run(plan, arg("x", last, N, FSR_DEVICE), arg(NULL, device, N, FSR_DEVICE)));
    refused(run(plan, arg("x", last + 4, N, FSR_DEVICE), arg(NULL, device, N, FSR_DEVICE)),
            "plan_run: input 0 \"x\": 4000 bytes are needed, the allocation ends 3996 after the address");
    refused(run(plan, arg("x", host, N, FSR_HOST), arg(NULL, last + 400, N, FSR_DEVICE)),
            "plan_run: output 0 \"\": 4000 bytes are needed, the allocation ends 3600 after the address");
    fsr_plan_free(plan);
}

/* Memory that both reach is both's; so is any aligned or misaligned part of it. */
static void memory_of_both(void **state) {
    (void)state;
    fsr_plan *plan = plan_of(FSR_F32, N);
    for (int kind = 0; kind < 2; kind++) {
        void *both = NULL;
        assert_int_equal(kind ? cudaHostAlloc(&both, sizeof host, cudaHostAllocDefault)
                              : cudaMallocManaged(&both, sizeof host, cudaMemAttachGlobal),
                         cudaSuccess);
        float *x = both, *y = x + N + 1;
        memcpy(x, host, N * sizeof *x);
        for (int way = 0; way < 4; way++) {
            memset(y, 0, N * sizeof *y);
            OK(run(plan, arg("x", x, N, (fsr_place)(way & 1)), arg(NULL, y, N, (fsr_place)(way >> 1))));
            OK(fsr_sync(subject_ctx));
            assert_true(y[0] == 1 && y[N - 1] == 2 * (N - 1) + 1);
        }
        fsr_node leaf = fsr_from_host(subject_g, FSR_F32, 1, SHAPE(N), x);
        OK(fsr_read(leaf, y, N * sizeof *y));
        assert_memory_equal(x, y, N * sizeof *y);
        assert_int_equal(kind ? cudaFreeHost(both) : cudaFree(both), cudaSuccess);
    }
    fsr_plan_free(plan);
}

static void places(void **state) {
    (void)state;
    fsr_plan *plan = plan_of(FSR_F32, N);
    refused(run(plan, arg("x", host, N, (fsr_place)7), arg(NULL, result, N, FSR_HOST)),
            "plan_run: input 0 \"x\" has no place: 7");
    refused(run(plan, arg("x", host, N, FSR_HOST), arg(NULL, result, N, (fsr_place)-1)),
            "plan_run: output 0 \"\" has no place: -1");
    fsr_plan_free(plan);
}

static void another_device(void **state) {
    (void)state;
    int count = 0;
    void *there = NULL;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count < 2)
        skip();
    assert_int_equal(cudaSetDevice(1), cudaSuccess);
    assert_int_equal(cudaMalloc(&there, sizeof host), cudaSuccess);
    assert_int_equal(cudaSetDevice(0), cudaSuccess);
    fsr_plan *plan = plan_of(FSR_F32, N);
    refused(run(plan, arg("x", there, N, FSR_DEVICE), arg(NULL, result, N, FSR_HOST)),
            "plan_run: input 0 \"x\": memory of another device is needed|CUDA device 1");
    refused(run(plan, arg("x", there, N, FSR_HOST), arg(NULL, result, N, FSR_HOST)),
            "plan_run: input 0 \"x\": memory of the host is needed|CUDA device 1");
    fsr_plan_free(plan);
    assert_int_equal(cudaFree(there), cudaSuccess);
}

typedef struct first_call {
    fsr_plan *plan;
    fsr_place place; /* of an input that lies on the device */
    fsr_status status, then;
} first_call;

static void *in_thread(void *user) {
    first_call *f = user;
    fsr_arg in = arg("x", device, N, f->place), out = arg(NULL, result, N, FSR_HOST);
    f->status = fsr_plan_run(f->plan, &in, 1, &out, 1, NULL);
    in = arg("x", host, N, FSR_HOST);
    f->then = fsr_plan_run(f->plan, &in, 1, &out, 1, NULL);
    return NULL;
}

/* A thread that has called nothing of CUDA yet gives memory of the device, in its place and in the wrong one. */
static void a_fresh_thread(void **state) {
    (void)state;
    fsr_plan *plan = plan_of(FSR_F32, N);
    for (int way = 0; way < 4; way++) {
        pthread_t thread;
        first_call f = {.plan = plan, .place = way & 1 ? FSR_DEVICE : FSR_HOST};
#ifndef SUBJECT_REAL_GPU
        fake.tells_threads = way >> 1;
#endif
        assert_int_equal(pthread_create(&thread, NULL, in_thread, &f), 0);
        pthread_join(thread, NULL);
        assert_int_equal(f.status, f.place == FSR_DEVICE ? FSR_OK : FSR_ERR_VALUE);
        assert_int_equal(f.then, FSR_OK);
    }
    fsr_plan_free(plan);
}

#ifdef SUBJECT_REAL_GPU
#include "runtime/context.h"

/* The least of many batches: what a look-up costs where nothing else disturbs. */
static void cost(void **state) {
    (void)state;
    const void *const at[] = {device, (char *)device + 4096, host, result};
    double least = 1;
    if (subject_sanitized())
        skip();
    for (int batch = 0; batch < 200; batch++) {
        struct timespec a, b;
        fsr_address found;
        fsr_fault fault = {FSR_OK, NULL};
        clock_gettime(CLOCK_MONOTONIC, &a);
        for (int i = 0; i < 1000; i++)
            OK(subject_ctx->backend->ops->locate(subject_ctx->backend, at[i % COUNT_OF(at)], &found, &fault));
        clock_gettime(CLOCK_MONOTONIC, &b);
        const double took = ((double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec)) / 1000;
        least = took < least ? took : least;
    }
    printf("an address is looked up in %.3f us\n", 1e6 * least);
    assert_true(least <= 0.5e-6);
}
#else
/* A call with the addresses of the last two asks one thing of each. Memory that was freed since is found all the
 * same. */
static void freed_since_the_last_call(void **state) {
    (void)state;
    const size_t bytes = sizeof(float) * N;
    void *in = NULL, *other = NULL;
    fsr_plan *plan = plan_of(FSR_F32, N);
    assert_int_equal(cudaMalloc(&in, bytes), cudaSuccess);
    assert_int_equal(cudaMalloc(&other, bytes), cudaSuccess);
    const fsr_arg x = arg("x", in, N, FSR_DEVICE), y = arg(NULL, other, N, FSR_DEVICE);
    OK(run(plan, x, y));
    OK(run(plan, x, y));
    const int64_t before = fake.questions;
    OK(run(plan, x, y));
    assert_int_equal(fake.questions - before, 2);
    OK(run(plan, x, arg(NULL, device, N, FSR_DEVICE)));
    assert_true(fake.questions - before > 2 + 2);
    assert_int_equal(cudaFree(in), cudaSuccess);
    refused(run(plan, x, y), "plan_run: input 0 \"x\": |FSR_DEVICE|memory of the host");
    OK(run(plan, arg("x", device, N, FSR_DEVICE), y));
    assert_int_equal(cudaFree(other), cudaSuccess);
    fsr_plan_free(plan);
}

/* What the context has handed out itself it knows without the driver, until it is given back. */
static void own_memory(void **state) {
    (void)state;
    const size_t bytes = sizeof(float) * N;
    void *in = NULL, *out = NULL, *again = NULL;
    fsr_plan *plan = plan_of(FSR_F32, N), *larger = plan_of(FSR_F32, LARGE);
    OK(fsr_alloc(subject_ctx, FSR_DEVICE, bytes, &in));
    OK(fsr_alloc(subject_ctx, FSR_DEVICE, bytes, &out));
    const fsr_arg x = arg("x", in, N, FSR_DEVICE), y = arg(NULL, out, N, FSR_DEVICE);
    OK(run(plan, x, y));
    OK(run(plan, x, y));
    const int64_t before = fake.questions;
    OK(run(plan, x, y));
    assert_int_equal(fake.questions, before);
    OK(fsr_free(subject_ctx, FSR_DEVICE, out));
    OK(run(plan, x, y)); /* the pool's, but nobody's */
    assert_true(fake.questions > before);
    const int64_t between = fake.questions;
    OK(fsr_alloc(subject_ctx, FSR_DEVICE, bytes, &again));
    assert_ptr_equal(again, out);
    OK(run(plan, x, y));
    assert_true(fake.questions > between);
    refused(run(larger, arg("x", device, LARGE, FSR_DEVICE), arg(NULL, out, LARGE, FSR_DEVICE)),
            "are needed, the allocation ends");
    OK(fsr_free(subject_ctx, FSR_DEVICE, in));
    OK(fsr_free(subject_ctx, FSR_DEVICE, again));
    fsr_plan_free(plan);
    fsr_plan_free(larger);
}

/* A driver that cannot say it is none. */
static void a_driver_without_it(void **state) {
    (void)state;
    fsr_context *ctx = NULL;
    char why[300];
    fsr_config config = subject_config();
    fake.old_driver = true;
    assert_int_equal(fsr_open_why(&config, &ctx, why, sizeof why), FSR_ERR_NO_BACKEND);
    assert_non_null(strstr(why, "cuPointerGetAttributes"));
    fake.old_driver = false;
}
#endif

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
static const struct CMUnitTest tests[] = {
    TEST(host_given_as_device),
    TEST(device_given_as_host),
    TEST(parameters),
    TEST(past_the_end),
    TEST(memory_of_both),
    TEST(places),
    TEST(another_device),
    TEST(a_fresh_thread),
#ifdef SUBJECT_REAL_GPU
    TEST(cost),
#else
    TEST(freed_since_the_last_call),
    TEST(own_memory),
    TEST(a_driver_without_it),
#endif
};

#ifdef SUBJECT_REAL_GPU
SUBJECT_MAIN(tests)
#else
int main(void) {
    if (!host_cuda_available()) {
        printf("skipped: no C++ compiler to run kernels on the host with\n");
        return 77;
    }
    fake_cuda_reset();
    fake.devices = 2;
    fault_fake_nvrtc(true);
    int status = subject_begin(FSR_BACKEND_CUDA, COUNT_OF(tests));
    return status ? status : subject_end(cmocka_run_group_tests(tests, NULL, NULL));
}
#endif
#endif

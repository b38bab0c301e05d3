/* SPDX-License-Identifier: MIT */
/* Random bits against the real cuRAND: its header curand_kernel.h, compiled here by NVRTC, gives word `offset` of a
 * stream by curand_init(seed, stream, offset, &state). Skipped with the reason where the toolkit has no such header. */
#define SUBJECT_BACKEND FSR_BACKEND_CUDA
#include "backend_cuda/nvrtc.h"
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef FUSOR_HAVE_CUDA
#include <cuda_runtime_api.h>

#define G subject_g
enum { N = 100003, THREADS = 256 };

static const char source[] =
    "#include <curand_kernel.h>\n"
    "extern \"C\" __global__ void words(unsigned *out, unsigned long long seed, unsigned long long stream,\n"
    "                                 unsigned long long first, int n) {\n"
    "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    curandStatePhilox4_32_10_t state;\n"
    "    if (i >= n) return;\n"
    "    curand_init(seed, stream, first + i, &state);\n"
    "    out[i] = curand(&state);\n"
    "}\n";

/* The kernel, of a library that stays loaded; NULL: there is no header. */
static cudaKernel_t curand_words(void) {
    const char *const option[] = {"", "-std=c++17", "-I" FUSOR_CUDA_INCLUDE, "-I" FUSOR_CUDA_INCLUDE "/cccl"};
    const char *options[COUNT_OF(option)];
    char arch[32];
    int major = 0, minor = 0;
    fsr_nvrtc *n;
    fsr_nvrtc_result made;
    fsr_fault fault = {0};
    cudaLibrary_t library;
    cudaKernel_t kernel;
    if (access(FUSOR_CUDA_INCLUDE "/curand_kernel.h", R_OK) != 0)
        return NULL;
    assert_int_equal(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), cudaSuccess);
    assert_int_equal(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0), cudaSuccess);
    assert_int_equal(fsr_nvrtc_open(&n, &fault), FSR_OK);
    snprintf(arch, sizeof arch, "-arch=sm_%d", fsr_nvrtc_arch(n, 10 * major + minor));
    for (int i = 0; i < COUNT_OF(option); i++)
        options[i] = i ? option[i] : arch;
    if (fsr_nvrtc_compile(n, "curand.cu", source, options, COUNT_OF(option), &made, &fault) != FSR_OK)
        fail_msg("%s\n%s", fault.message, made.log ? made.log : "");
    assert_int_equal(cudaLibraryLoadData(&library, made.cubin, NULL, NULL, 0, NULL, NULL, 0), cudaSuccess);
    assert_int_equal(cudaLibraryGetKernel(&kernel, library, "words"), cudaSuccess);
    fsr_nvrtc_result_free(&made);
    fsr_nvrtc_close(n);
    return kernel;
}

static fsr_node u64(uint64_t value) {
    return fsr_full_of(G, FSR_U64, 0, NULL, &value);
}

static void check(cudaKernel_t kernel, uint64_t seed, uint64_t stream, uint64_t first) {
    unsigned *device, *want = malloc(N * sizeof *want);
    int n = N;
    assert_non_null(want);
    assert_int_equal(cudaMalloc((void **)&device, N * sizeof *device), cudaSuccess);
    void *argument[] = {&device, &seed, &stream, &first, &n};
    const dim3 grid = {(N + THREADS - 1) / THREADS, 1, 1}, block = {THREADS, 1, 1};
    assert_int_equal(cudaLaunchKernel((const void *)kernel, grid, block, argument, 0, NULL), cudaSuccess);
    assert_int_equal(cudaMemcpy(want, device, N * sizeof *want, cudaMemcpyDeviceToHost), cudaSuccess);
    cudaFree(device);
    const fsr_node i = fsr_add(fsr_arange(G, FSR_U64, N), u64(first));
    unsigned *got = subject_read(fsr_random_bits(u64(seed), u64(stream), i, FSR_U32));
    for (int k = 0; k < N; k++)
        if (got[k] != want[k])
            fail_msg("word %d of stream %llu: %08x, and cuRAND's is %08x", k, (unsigned long long)stream, got[k],
                     want[k]);
    free(got);
    free(want);
    subject_count("words compared with cuRAND", N);
}

static void as_curand(void **state) {
    (void)state;
    const cudaKernel_t kernel = curand_words();
    if (!kernel) {
        print_message("skipped: there is no %s\n", FUSOR_CUDA_INCLUDE "/curand_kernel.h");
        skip();
    }
    check(kernel, 0, 0, 0);
    check(kernel, 42, 7, 3);
    check(kernel, UINT64_C(0x123456789abcdef0), UINT64_C(0xfedcba9876543210), 1);
    check(kernel, UINT64_MAX, UINT64_MAX, UINT64_C(0x3fffffff0));
    check(kernel, 1, UINT64_C(1) << 32, UINT64_C(0xffffffffff));
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_TEST(as_curand)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
#else
int main(void) {
    puts("skipped: built without a CUDA toolkit");
    return 77;
}
#endif

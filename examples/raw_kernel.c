/* SPDX-License-Identifier: MIT */
/* CUDA kernels of this program's own as nodes: an addition as CuPy's RawKernel documents it, and a histogram that adds
 * to zeros in shared memory, between fused computations. Each has a function in C as well, so the program runs where
 * there is no GPU, and fsr_verify compares the two where there is one. Exit status 0: right.
 *
 *     build/examples/raw_kernel */
#include <fusor/fusor.h>
#include <stdio.h>

enum { N = 100000, BINS = 64, THREADS = 256 };

static const char text[] =
    "extern \"C\" __global__ void my_add(const float *x1, const float *x2, float *y, int n) {\n"
    "    const int tid = blockDim.x * blockIdx.x + threadIdx.x;\n"
    "    if (tid < n) y[tid] = x1[tid] + x2[tid];\n"
    "}\n"
    "template <int BINS> __global__ void count(const int *bin, int *counts, int n) {\n"
    "    extern __shared__ int mine[];\n"
    "    for (int b = threadIdx.x; b < BINS; b += blockDim.x) mine[b] = 0;\n"
    "    __syncthreads();\n"
    "    for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)\n"
    "        atomicAdd(&mine[bin[i]], 1);\n"
    "    __syncthreads();\n"
    "    for (int b = threadIdx.x; b < BINS; b += blockDim.x) atomicAdd(&counts[b], mine[b]);\n"
    "}\n";

static fsr_status add_on_host(const fsr_call_frame *s) {
    const float *x1 = s->input[0].data, *x2 = s->input[1].data;
    float *y = s->output[0].data;
    for (int64_t i = 0; i < s->input[0].shape[0]; i++)
        y[i] = x1[i] + x2[i];
    return FSR_OK;
}

/* y = x1 + x2, by the kernel. */
static fsr_node my_add(fsr_node x1, fsr_node x2) {
    const int n = (int)fsr_node_size(x1);
    const fsr_kernel_param param[] = {FSR_IN(0), FSR_IN(1), FSR_OUT(0), FSR_VALUE_OF(n)};
    const fsr_callee callee = {.name = "my_add",
                               .inputs = 2,
                               .outputs = 1,
                               .cpu = add_on_host,
                               .ulp = 1,
                               .kernel = {.code = text,
                                          .name = "my_add",
                                          .grid = {(n + THREADS - 1) / THREADS},
                                          .block = {THREADS},
                                          .param = param,
                                          .params = 4}};
    fsr_node y;
    fsr_call_library(x1.graph, &y, &callee, (fsr_node[]){x1, x2}, 2);
    return y;
}

/* The counts are zeros when it is called. */
static fsr_status count_on_host(const fsr_call_frame *s) {
    const int *bin = s->input[0].data;
    int *counts = s->output[0].data;
    for (int64_t i = 0; i < s->input[0].shape[0]; i++)
        counts[bin[i]]++;
    return FSR_OK;
}

static fsr_node count(fsr_node bins) {
    const int n = (int)fsr_node_size(bins);
    const fsr_frame_array type = {.dtype = FSR_I32, .ndim = 1, .shape = {BINS}};
    const fsr_kernel_param param[] = {FSR_IN(0), {.kind = FSR_PARAM_ZEROED, .index = 0}, FSR_VALUE_OF(n)};
    const fsr_callee callee = {.name = "count",
                               .inputs = 1,
                               .outputs = 1,
                               .types = &type,
                               .cpu = count_on_host,
                               .kernel = {.code = text,
                                          .name = "count<64>",
                                          .grid = {100},
                                          .block = {THREADS},
                                          .shared_bytes = BINS * (int64_t)sizeof(int),
                                          .param = param,
                                          .params = 3}};
    fsr_node counts;
    fsr_call_library(bins.graph, &counts, &callee, &bins, 1);
    return counts;
}

int main(void) {
    fsr_context *ctx;
    if (fsr_open(NULL, &ctx) != FSR_OK)
        return 2;
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node i = fsr_arange(g, FSR_F32, N), x = fsr_sin(i), y = my_add(fsr_mul(x, x), fsr_square(fsr_cos(i)));
    fsr_node ones = fsr_abs(fsr_sub(y, fsr_float(g, 1)));
    fsr_node bins = fsr_cast(fsr_mul(fsr_add(x, fsr_float(g, 1)), fsr_float(g, BINS / 2 - 0.01)), FSR_I32);
    fsr_node counts = count(bins), all = fsr_sum(counts, NULL, 0, 0), worst = fsr_max(ones, NULL, 0, 0);
    float apart = 1;
    int64_t counted = 0;
    int edges[BINS];
    if (fsr_verify((fsr_node[]){y, counts}, 2, NULL) || fsr_compute((fsr_node[]){all, worst, counts}, 3) ||
        fsr_read(worst, &apart, sizeof apart) || fsr_read(all, &counted, sizeof counted) ||
        fsr_read(counts, edges, sizeof edges)) {
        fprintf(stderr, "%s\n", fsr_error(ctx));
        return 3;
    }
    printf(
        "on %s: sin^2 + cos^2 is at most %g from 1; %lld counted, %d of them in the first bin and %d in the middle\n",
        fsr_backend_name(ctx), (double)apart, (long long)counted, edges[0], edges[BINS / 2]);
    fsr_close(ctx);
    return apart < 1e-6 && counted == N && edges[0] > edges[BINS / 2] ? 0 : 4;
}

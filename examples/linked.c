/* SPDX-License-Identifier: MIT */
/* A device function that was compiled elsewhere, linked into a fused kernel by nvJitLink, as NumbaPro's JIT linking has
 * it: here PTX, as nvcc -rdc=true -ptx writes it; a relocatable cubin and LTO-IR go the same way. The function in C is
 * what the CPU backend runs, and what fsr_verify compares with on a GPU. Without nvJitLink a GPU says so. Exit status
 * 0: right.
 *
 *     build/examples/linked */
#include <fusor/fusor.h>
#include <stdio.h>

enum { N = 100000 };

/* extern "C" __device__ float smooth(float x) { return x * x * (3 - 2 * x); } */
static const char ptx[] = ".version 7.8\n"
                          ".target sm_80\n"
                          ".address_size 64\n"
                          ".visible .func (.param .f32 result) smooth(.param .f32 x) {\n"
                          "    .reg .f32 %f<6>;\n"
                          "    ld.param.f32 %f1, [x];\n"
                          "    mul.rn.f32 %f2, %f1, %f1;\n"
                          "    add.rn.f32 %f3, %f1, %f1;\n"
                          "    sub.rn.f32 %f4, 0f40400000, %f3;\n"
                          "    mul.rn.f32 %f5, %f2, %f4;\n"
                          "    st.param.f32 [result], %f5;\n"
                          "    ret;\n"
                          "}\n";

/* guide: linked */
static const fsr_native smooth = {.name = "smooth",
                                  .result = FSR_F32,
                                  .parameters = "f32 x",
                                  .c = "return x * x * (3 - (x + x));",
                                  .linked_form = FSR_LINKED_PTX,
                                  .linked = ptx,
                                  .linked_bytes = sizeof ptx - 1};
/* guide: end */

int main(void) {
    fsr_context *ctx;
    if (fsr_open(NULL, &ctx) != FSR_OK)
        return 2;
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node x = fsr_div(fsr_arange(g, FSR_F32, N), fsr_float(g, N - 1));
    fsr_node y = fsr_sum(fsr_call_native(&smooth, &x, 1), NULL, 0, 0); /* one kernel */
    fsr_plan_info info;
    fsr_verify_report report;
    float sum = 0;
    const bool good = fsr_query(&y, 1, &info) == FSR_OK && fsr_verify(&y, 1, &report) == FSR_OK && report.worst <= 1 &&
                      fsr_read(y, &sum, sizeof sum) == FSR_OK;
    if (!good)
        fprintf(stderr, "%s\n", fsr_error(ctx));
    printf("on %s: %d kernel; the mean of smooth is %.4f\n", fsr_backend_name(ctx), info.kernels, (double)sum / N);
    fsr_close(ctx);
    return good && info.kernels == 1 && sum > 0.4999f * N && sum < 0.5001f * N ? 0 : 3;
}

/* SPDX-License-Identifier: MIT */
/* A function in C and in CUDA: how many steps of the Collatz map each number takes to 1, and which takes the most. One
 * kernel that reads no array and writes two elements; fsr_verify checks it, on a GPU text against text.
 *
 * usage: collatz [limit] */
#include "fusor/fusor.h"
#include <stdio.h>
#include <stdlib.h>

static const fsr_native steps = {
    .name = "collatz",
    .result = FSR_I32,
    .parameters = "u64 n",
    .c = "i32 k = 0;\n"
         "for (; n > 1; k++)\n"
         "    n = n % 2 ? 3 * n + 1 : n / 2;\n"
         "return k;",
    .cuda = "i32 k = 0;\n"
            "while (n > 1) { /* two steps at once, since 3 n + 1 is even */\n"
            "    k += n & 1 ? 2 : 1;\n"
            "    n = n & 1 ? n + (n >> 1) + 1 : n >> 1;\n"
            "}\n"
            "return k;",
};

int main(int argc, char **argv) {
    const int64_t limit = argc > 1 ? atoll(argv[1]) : 100000;
    if (limit < 1 || limit > 100000000) {
        fprintf(stderr, "usage: collatz [limit], from 1 to 100000000\n");
        return 2;
    }
    char why[256];
    fsr_context *ctx; /* the GPU if there is one, else the CPU */
    if (fsr_open_why(NULL, &ctx, why, sizeof why)) {
        fprintf(stderr, "collatz: %s\n", why);
        return 1;
    }

    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node n = fsr_arange(g, FSR_U64, limit), k = fsr_call_native(&steps, &n, 1);
    fsr_node found[] = {fsr_argmax(k, NULL, 0, 0), fsr_max(k, NULL, 0, 0)};
    fsr_plan_info plan;
    int64_t start;
    int32_t longest;
    const bool good = !fsr_query(found, 2, &plan) && !fsr_verify(found, 2, NULL) &&
                      !fsr_read(found[0], &start, sizeof start) && !fsr_read(found[1], &longest, sizeof longest);
    if (good)
        printf("%s: below %lld, %lld takes the most steps: %d; kernels: %d\n", fsr_device_name(ctx), (long long)limit,
               (long long)start, longest, plan.kernels);
    else
        fprintf(stderr, "collatz: %s\n", fsr_error(ctx));
    fsr_close(ctx); /* frees the graph as well */
    return !good;
}

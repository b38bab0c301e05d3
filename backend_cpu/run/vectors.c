/* SPDX-License-Identifier: MIT */
/* Which vectors sort and select. */
#include "backend_cpu/run/vectors.h"
#include <string.h>

const fsr_vectors *fsr_vectors_best(const char *level) {
#if defined __x86_64__
    const bool wide = strcmp(level, "avx512") == 0, any = wide || strcmp(level, "avx2") == 0;
    if (wide && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2"))
        return &fsr_vectors_avx512;
    if (any && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
        return &fsr_vectors_avx2;
#endif
    (void)level;
    return NULL;
}

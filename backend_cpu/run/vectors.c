/* SPDX-License-Identifier: MIT */
/* Which vectors sort and select. */
#include "backend_cpu/run/vectors.h"
#include <string.h>

const fsr_vectors *fsr_vectors_best(const char *level) {
#if defined __x86_64__
    /* These take some hundred cycles to gather bits (pext), of which each vector needs two. */
    const bool slow = __builtin_cpu_is("znver1") || __builtin_cpu_is("znver2");
    const bool wide = strcmp(level, "avx512") == 0, any = wide || strcmp(level, "avx2") == 0;
    if (wide && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2"))
        return &fsr_vectors_avx512;
    if (any && !slow && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
        return &fsr_vectors_avx2;
#endif
    (void)level;
    return NULL;
}

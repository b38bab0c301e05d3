/* SPDX-License-Identifier: MIT */
/* Which vectors library calls may use, and which of them sort and select. */
#include "backend_cpu/run/vectors.h"

fsr_simd fsr_simd_of(fsr_isa_kind most) {
#if defined __x86_64__
    const bool any = most != FSR_ISA_BASELINE, wide = any && most != FSR_ISA_AVX2;
    if (wide && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2"))
        return FSR_SIMD_AVX512;
    if (any && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
        return FSR_SIMD_AVX2;
#endif
    (void)most;
    return FSR_SIMD_NONE;
}

const fsr_vectors *fsr_vectors_of(fsr_simd simd) {
#if defined __x86_64__
    /* These take some hundred cycles to gather bits (pext), of which each vector of AVX2 needs two. */
    const bool slow = __builtin_cpu_is("znver1") || __builtin_cpu_is("znver2");
    if (simd == FSR_SIMD_AVX512)
        return &fsr_vectors_avx512;
    if (simd == FSR_SIMD_AVX2 && !slow)
        return &fsr_vectors_avx2;
#endif
    (void)simd;
    return NULL;
}

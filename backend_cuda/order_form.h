/* SPDX-License-Identifier: MIT */
/* Constants by which bits of a dtype become keys (backend_cuda/order_key.cuh): for nvcc's sources. */
#ifndef FUSOR_BACKEND_CUDA_ORDER_FORM_H
#define FUSOR_BACKEND_CUDA_ORDER_FORM_H

#include "backend_cuda/order_key.cuh"
#include "backend_cuda/sort.h"

/* greatest: the greatest elements have the least keys; NaN the greatest in either order. */
static inline fsr_order_form fsr_order_form_of(fsr_cub_key key, int bits, bool greatest) {
    const uint64_t top = 1ull << (bits - 1), all = top | (top - 1), turn = greatest ? all : 0;
    const bool whole = key != FSR_CUB_F16 && key != FSR_CUB_BF16 && key != FSR_CUB_F32 && key != FSR_CUB_F64;
    const bool has_sign = key == FSR_CUB_I8 || key == FSR_CUB_I16 || key == FSR_CUB_I32 || key == FSR_CUB_I64;
    if (whole)
        return {0, has_sign ? top : 0, all, all, 0, 0, turn, all, 0};
    const int digits = key == FSR_CUB_F16 ? 10 : key == FSR_CUB_BF16 ? 7 : key == FSR_CUB_F32 ? 23 : 52;
    const uint64_t infinity = (top - 1) >> digits << digits, magnitude = all ^ top;
    return {magnitude, top, magnitude, infinity, magnitude, 1, turn, all, infinity | 1ull << (digits - 1)};
}

#endif

/* SPDX-License-Identifier: MIT */
/* Where NVIDIA's libraries may be, which the CPU asks too (cuRAND has generators for it). */
#ifndef FUSOR_BACKEND_CUDA_LIBRARIES_H
#define FUSOR_BACKEND_CUDA_LIBRARIES_H

#include "runtime/libraries.h"

#endif

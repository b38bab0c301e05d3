/* SPDX-License-Identifier: MIT */
/* Made-up machines to plan for, the same everywhere, by name; and their fields by name, for tests as text. */
#ifndef FUSOR_TESTS_SUPPORT_TARGETS_H
#define FUSOR_TESTS_SUPPORT_TARGETS_H

#include "fusion/target.h"
#include <stdio.h>

extern const fsr_target target_gpu;       /* an H200's figures */
extern const fsr_target target_small_gpu; /* two multiprocessors, a cache of 1 MiB */
extern const fsr_target target_gpu_84;    /* 84 multiprocessors, a cache of 6 MiB */
extern const fsr_target target_gpu_1;     /* one, with half the threads and registers */
extern const fsr_target target_cpu;       /* two cores, a cache of 32 MiB */

/* gpu, small-gpu, gpu-84, gpu-1, cpu; NULL: none of that name. */
const fsr_target *target_find(const char *name);
/* "processors=84": false if there is no such field, or the number is none. */
bool target_set(fsr_target *target, const char *field);
/* The fields as field=number, one a line. */
void target_print(const fsr_target *target, FILE *to);

#endif

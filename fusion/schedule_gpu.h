/* SPDX-License-Identifier: MIT */
/* Shared by schedule_gpu.c, schedule_gpu_map.c and schedule_gpu_columns.c. */
#ifndef FUSOR_FUSION_SCHEDULE_GPU_H
#define FUSOR_FUSION_SCHEDULE_GPU_H

#include "fusion/schedule_parts.h"

enum {
    FSR_LOADED_WORDS = 32, /* registers of a thread for what is loaded ahead of the work */
    FSR_WALKED_COLS = 64   /* elements of a column, at most, that one thread scans by itself in any case */
};

/* Threads that the nominal machine runs at once. */
static inline int64_t fsr_nominal_threads(void) {
    return (int64_t)fsr_nominal_gpu.processors * fsr_nominal_gpu.threads_per_processor;
}

static inline int64_t fsr_at_most(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* schedule_gpu_map.c */
void fsr_schedule_gpu_map(fsr_group *group);
/* Most loads of neighbours along the last dimension are no one access. */
bool fsr_gpu_loads_apart(const fsr_kernel *k);
/* Registers that the loads of an element take. */
int fsr_words_loaded(const fsr_kernel *k);
/* Of `items` elements, a power of two, as many as a thread holds the loads of in `most` registers. */
int fsr_fitting_items(const fsr_kernel *k, int items, int most);
/* schedule_gpu_columns.c */
void fsr_schedule_gpu_columns(fsr_group *group);
/* Rows are windows that slide along the last one of their dimensions, so many that the machine is full. */
bool fsr_gpu_folds_windows(const fsr_group *group);
/* schedule_gpu.c: bytes that an element of a scanned tile holds, at least 4. */
int fsr_widest_state(const fsr_kernel *k);

#endif

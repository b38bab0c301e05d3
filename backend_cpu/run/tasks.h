/* SPDX-License-Identifier: MIT */
/* A launch as tasks for the thread pool. */
#ifndef FUSOR_BACKEND_CPU_TASKS_H
#define FUSOR_BACKEND_CPU_TASKS_H

#include "backend_cpu/emit/emit_c.h"
#include "backend_cpu/run/memory_pool.h"
#include "backend_cpu/run/thread_pool.h"

typedef void (*fsr_c_run)(void *const *arrays, const int64_t *integers, const fsr_value *scalars, void *work,
                          const int64_t *task);

/* Runs the whole kernel and returns when it is done. Memory for states and scratch comes from the pool.
 * FSR_ERR_MEMORY. */
fsr_status fsr_tasks_run(fsr_thread_pool *threads, fsr_pool *pool, const fsr_cpu_shape *shape, fsr_c_run run,
                         const fsr_launch *launch, int64_t cache_bytes, fsr_fault *fault);

#endif

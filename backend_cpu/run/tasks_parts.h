/* SPDX-License-Identifier: MIT */
/* A launch that is being divided among threads (tasks.c, tasks_rows.c). */
#ifndef FUSOR_BACKEND_CPU_TASKS_PARTS_H
#define FUSOR_BACKEND_CPU_TASKS_PARTS_H

#include "backend_cpu/run/shares.h"
#include "backend_cpu/run/tasks.h"

typedef struct fsr_job {
    fsr_c_run run;
    const fsr_cpu_shape *shape;
    const fsr_launch *launch;
    char *scratch; /* of workers from 1 on, `stride` bytes each */
    int64_t stride;
    char *packed; /* of each worker, for what filters store of a part; NULL: parts are taken in order */
    char *copy;   /* of the array that is combined into: of workers, or pieces, from 1 on, `copy_bytes` each */
    int64_t copy_bytes;
    atomic_bool *copied; /* by worker: it has begun its copy */
    int64_t whole[FSR_TASK_SIZE];
    int dimension;   /* divided along it */
    int64_t band;    /* indices of a band, or of a part of one; 0: there are no bands */
    int64_t abreast; /* of rows side by side: units of a piece */
    int64_t piece;   /* indices */
    int64_t parts;   /* of a row; 0: rows are not divided */
    int64_t items;
    atomic_llong *carried; /* by row: carries handed on */
    atomic_llong next;     /* of parts, which are taken in order */
    fsr_shares shares;     /* of pieces */
} fsr_job;

/* A call of the kernel: with the worker's scratch and, of what is combined into, its copy. */
void fsr_job_call(const fsr_job *j, const int64_t *task, int worker);
/* Rows in parts of so many columns as the kernel has (tasks_rows.c). FSR_ERR_MEMORY. */
fsr_status fsr_job_run_parts(fsr_job *j, fsr_thread_pool *threads, fsr_pool *pool, bool alone, fsr_fault *fault);

#endif

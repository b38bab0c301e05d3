/* SPDX-License-Identifier: MIT */
/* What fusion and scheduling need to know about a machine; filled by a backend. */
#ifndef FUSOR_FUSION_TARGET_H
#define FUSOR_FUSION_TARGET_H

#include <stdbool.h>
#include <stdint.h>

typedef struct fsr_target {
    bool gpu;
    int processors;            /* multiprocessors; cores */
    int max_threads;           /* of a block */
    int threads_per_processor; /* resident */
    int64_t registers_bytes;   /* register file of one multiprocessor */
    int64_t shared_bytes;      /* shared memory of one block */
    int64_t cache_bytes;       /* L2 */
    int64_t memory_bytes;
    int max_parameter_bytes; /* kernel arguments */
    bool cooperative;        /* a GPU that can run all blocks of a launch at once, or refuse it */
    bool tiles;              /* a GPU on which values that neighbours read may be computed for tiles */
    bool bulk_copies;        /* a GPU that copies from memory to shared memory by itself, and tells a barrier there */
    int64_t launched_bytes;  /* shared memory that a launch may give one block */
    /* Whether the backend has a library for a call of graph/libraries.def that plans can do without; it is looked for
     * when first asked. NULL: it has none. */
    bool (*has)(void *backend, int library);
    void *backend;
} fsr_target;

/* The machine that rules have in mind which fix how folds associate: an H200's figures, written down, so that every GPU
 * gives the same bits. What is at hand decides grids alone: how many blocks a team has, and whether each part of a row
 * has a block to hold it. Counter-example to asking the machine: the sum of one long row would have one partial state
 * for each block that fits, and other bits on every model. */
extern const fsr_target fsr_nominal_gpu;

#endif

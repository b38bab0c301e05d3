/* SPDX-License-Identifier: MIT */
/* A grid of blocks on one host thread: what a generated CUDA kernel, compiled as C++, needs to run.
 *
 * Threads are fibers. A fiber runs until it meets others: at a barrier, in a shuffle, or where it says that others may
 * go first (yield). Which fiber and which block comes next is drawn from a seed, as are the order in which blocks start
 * and how many are resident: a missing barrier, a look-back that counts on the order of blocks, a shuffle without all
 * its lanes show themselves under some seed. Shared memory starts as garbage. What it cannot show are missing fences:
 * memory is sequentially consistent here.
 *
 * The table below is handed to the compiled kernel (host_prelude.hpp), which includes no header of ours: keep both the
 * same. */
#ifndef FUSOR_TESTS_HOST_CUDA_MACHINE_H
#define FUSOR_TESTS_HOST_CUDA_MACHINE_H

#include "runtime/fault.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HOST_MAX_RESIDENT = 32 };

typedef struct host_dim {
    unsigned x, y, z;
} host_dim;

/* What the running thread knows of itself. */
typedef struct host_self {
    host_dim thread, block;
} host_self;

/* line: where in the kernel's text, for messages. */
typedef struct host_table {
    void (*barrier)(int line);                                   /* all threads of the block */
    void (*meet)(unsigned threads, int line);                    /* its first ones */
    unsigned (*shuffle)(unsigned word, unsigned lane, int line); /* all lanes of the warp: the word of lane % 32 */
    void (*yield)(int line);                                     /* others may go first */
    void (*progress)(void);                                      /* memory that others may wait for has changed */
} host_table;

/* A compiled kernel. */
typedef struct host_program {
    void (*start)(void **args); /* one thread's run */
    host_self **self;           /* set before a thread runs */
    char *shared;               /* the block's static shared memory, swapped when the block changes */
    size_t shared_bytes;
} host_program;

extern const host_table host_machine_table;

/* Runs blocks x threads to the end; together: all blocks are resident at once, as a cooperative launch promises, at
 * most
 * HOST_MAX_RESIDENT. FSR_ERR_MISMATCH: the kernel broke a rule of the machine (deadlock, a barrier in
 * divergent code, ...); the fault says which, where, and in which block. */
fsr_status host_machine_run(const host_program *program, void **args, unsigned blocks, unsigned threads, bool together,
                            uint64_t seed, fsr_fault *fault);

#endif

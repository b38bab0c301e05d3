/* A grid of blocks on one host thread: what a generated CUDA kernel, compiled as C++, needs to run.
 *
 * Threads are fibers. A fiber runs until it meets others: at a barrier, in a warp's collective, or where it says that it
 * waits for somebody (yield). Which fiber and which block comes next is drawn from a seed, as are the order in which blocks
 * start and how many are resident: a missing barrier, a look-back that counts on the order of blocks, or a lane that is
 * not in its mask show themselves under some seed. Shared memory starts as garbage. What it cannot show are missing
 * fences: memory is sequentially consistent here.
 *
 * The table below is handed to the compiled kernel (host_prelude.hpp), which includes no header of ours: keep both the same. */
#ifndef FUSOR_TESTS_HOST_CUDA_MACHINE_H
#define FUSOR_TESTS_HOST_CUDA_MACHINE_H

#include "runtime/fault.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct host_dim {
    unsigned x, y, z;
} host_dim;

/* What the running thread knows of itself. */
typedef struct host_self {
    host_dim thread, block, threads, blocks;
    unsigned lane;
} host_self;

typedef enum host_collective {
    HOST_SYNC,         /* __syncwarp */
    HOST_SHUFFLE_IDX,  /* value of lane `lane` */
    HOST_SHUFFLE_UP,   /* lane places before */
    HOST_SHUFFLE_DOWN, /* lane places after */
    HOST_SHUFFLE_XOR,
    HOST_BALLOT /* value: an unsigned, not 0 is a vote; gives the mask */
} host_collective;

typedef struct host_table {
    /* All threads of the block; value is summed over them, for __syncthreads_count, _and, _or. */
    int (*barrier)(int value, int line);
    /* The lanes of mask; value, size bytes (at most 16), is replaced by the result. */
    void (*collect)(host_collective what, unsigned mask, void *value, unsigned size, unsigned lane, unsigned width,
                    int line);
    void (*yield)(int line);
    void (*progress)(void); /* memory that others may wait for has changed */
    void (*fail)(const char *message, int line);
} host_table;

/* A compiled kernel. */
typedef struct host_program {
    void (*start)(void **args); /* one thread's run */
    host_self **self;           /* set before a thread runs */
    char *shared;               /* the block's static shared memory, swapped when the block changes */
    size_t shared_bytes;
} host_program;

extern const host_table host_machine_table;

/* Runs blocks x threads to the end. FSR_ERR_MISMATCH: the kernel broke a rule of the machine (deadlock, a barrier in
 * divergent code, ...); the fault says which, where, and in which block. */
fsr_status host_machine_run(const host_program *program, void **args, unsigned blocks, unsigned threads, uint64_t seed,
                            fsr_fault *fault);

#endif

/* SPDX-License-Identifier: MIT */
/* The C emitter: one kernel of loop IR as one C source.
 *
 * Emit decides nothing: which instructions a loop evaluates, what is kept, how folds associate all stand in the kernel
 * and its schedule. The source includes nothing and declares the libm functions it calls. It exports one function,
 *     void <kernel name>(void *const *a, const i64 *n, const scalar *s, void *work, const i64 *t)
 * with the arrays, integers, scalars of an fsr_launch, scratch for one row, and a task: what part of the kernel to do.
 *
 * A task is a range of every parallel dimension (of a flat kernel: of the rows) and, where a row's columns may be
 * divided, a mode. Rows never depend on each other. The states of parts stand in memory that the task points to, of row
 * r and part p at word (r * (parts + 1) + p) * words. Divided and undivided reductions have the same bits; a
 * kernel with scans must be divided whenever a row has more than `part` columns, by one thread as well. */
#ifndef FUSOR_BACKEND_CPU_EMIT_C_H
#define FUSOR_BACKEND_CPU_EMIT_C_H

#include "fusion/loop_ir.h"
#include "runtime/fault.h"

/* Changes whenever the same kernel would be printed differently; part of the disk cache's key. */
#define FSR_EMIT_C_VERSION 32

typedef enum fsr_task_mode {
    FSR_MODE_WHOLE,    /* whole rows */
    FSR_MODE_PART,     /* columns [BEGIN, END) of one row: stores, scans from the carry, states of reductions */
    FSR_MODE_FINISH,   /* what follows the columns, from the states of all parts */
    FSR_MODE_FOLD,     /* kernels with scans: the scans' folds over the columns of a part, before all else. Where scans
                          only count what filters store: PART itself, what they store into the memory at PACKED */
    FSR_MODE_CARRY,    /* then, in the order of parts: the carry into the next part */
    FSR_MODE_IDENTITY, /* kernels whose store combines: its array becomes the op's identity */
    FSR_MODE_MERGE,    /* and: folds the array at STATES into its array */
    FSR_MODE_PACKED    /* after FOLD and CARRY: what stands in the memory at PACKED goes to its place */
} fsr_task_mode;

enum {
    FSR_TASK_MODE,
    FSR_TASK_INDEX, /* the part's number */
    FSR_TASK_PARTS, /* of a row */
    FSR_TASK_BEGIN, /* columns; to FINISH, parts */
    FSR_TASK_END,
    FSR_TASK_STATES,                                /* address; to MERGE, of the other array */
    FSR_TASK_STREAM,                                /* results are to pass the caches by: see stream.c */
    FSR_TASK_LOW,                                   /* + d: first index along dimension d */
    FSR_TASK_HIGH = FSR_TASK_LOW + FSR_MAX_DIMS,    /* + d: the one behind the last */
    FSR_TASK_PACKED = FSR_TASK_HIGH + FSR_MAX_DIMS, /* address, for what filters store of a part */
    FSR_TASK_SIZE
};

/* What a launcher must know of a kernel; the same for equal sources. */
typedef struct fsr_cpu_shape {
    int ndim, nparallel;
    bool flat;    /* low[0], high[0] are rows; the other dimensions have no range */
    bool columns; /* a row's columns may be divided */
    bool scans;
    int64_t packed; /* and only count what filters store, of which so many bytes of a part may be packed apart; 0: no */
    bool counts;    /* and nothing is folded but these counts, so that one thread need not divide rows */
    int stream_bytes; /* of an element's results that may pass the caches by; 0: none may */
    int width;        /* elements of a row of a map, which no launch divides; 0: any */
    int panel;        /* columns of a panel of a map, which stay together; 0: there are none */
    int abreast;      /* rows done together along the last parallel dimension, 1: none */
    int64_t part;     /* columns of a part */
    int words;        /* 8-byte words of a part's states */
    int kept;         /* kept values and panels: scratch of `kept` times cols words, rounded up to 64 bytes */
    int tall;         /* rows done together along dimension `across` too, of one copy of their panels; 0: none */
    int across;
    int work;       /* rough operations for one element */
    int combined;   /* array of the store that combines: each thread needs one of its own; -1: none */
    int extent;     /* integer with that array's elements, */
    int bytes;      /* of so many bytes each */
    bool rounds;    /* and the order in which they are combined changes bits */
    int band;       /* integer with the indices of the outermost dimension that go together; 0: there are no bands */
    int band_bytes; /* and the integer with the bytes of scratch that they take */
} fsr_cpu_shape;

/* False: out of memory. */
bool fsr_cpu_shape_of(const fsr_kernel *k, fsr_cpu_shape *out);
/* *source is malloc'ed. The kernel must have passed fsr_kernel_verify. FSR_ERR_MEMORY, FSR_ERR_INTERNAL. */
fsr_status fsr_cpu_source(const fsr_kernel *k, char **source, fsr_fault *fault);

#endif

/* SPDX-License-Identifier: MIT */
/* A program: the ordered thunks of one computation and the memory between them. It depends on no graph: leaves,
 * scalars and outputs are ordinals. */
#ifndef FUSOR_FUSION_PLAN_H
#define FUSOR_FUSION_PLAN_H

#include "fusion/partition.h"
#include "fusion/rewrites.h"
#include "fusor/run.h"

/* Where an array of a thunk lies. */
typedef enum fsr_slot_kind {
    FSR_SLOT_LEAF,
    FSR_SLOT_OUTPUT,
    FSR_SLOT_TEMPORARY,
    FSR_SLOT_REPORT,
    FSR_SLOT_BAND /* nowhere: it stands between nests of the thunk's kernel */
} fsr_slot_kind;

typedef struct fsr_slot {
    fsr_slot_kind kind;
    int ordinal; /* leaf, output or report; temporary: number in the program's list; band: the kernel's array */
} fsr_slot;

typedef struct fsr_temporary {
    int64_t bytes;
    int first, last; /* thunks that write it first and read it last */
    int64_t offset;  /* in the program's arena */
    int in_place_of; /* an earlier temporary whose memory it takes over, -1: none. That one's lifetime covers both */
    fsr_link link;   /* the value it holds; id -1: flags of a kernel, which no node knows */
    double saving;   /* ns that storing it spares; 0: it has to be stored */
} fsr_temporary;

/* What a thunk does. The memory plan looks at uses and asks no kind; runtime/executable.c has a function for each. */
typedef enum fsr_thunk_kind {
    FSR_THUNK_KERNEL,
    FSR_THUNK_COPY,  /* use 0 into use 1; nothing where the caller has made them one array */
    FSR_THUNK_CLEAR, /* use 0 becomes zeros */
    FSR_THUNK_LIBRARY,
    FSR_THUNK_LOOP, /* runs the thunks of its body, which stand behind it, turn after turn */
    FSR_THUNK_COUNT
} fsr_thunk_kind;

typedef struct fsr_use {
    fsr_slot slot;
    int64_t at;   /* of a temporary or output: bytes from where it begins */
    bool written; /* else only read */
    int64_t bytes;
} fsr_use;

typedef struct fsr_loop_plan fsr_loop_plan; /* fusion/loop_plan.h */

typedef struct fsr_thunk {
    fsr_thunk_kind kind;
    int nuses;
    /* KERNEL: its arrays, in their order; after them its flags if it leaves any. LIBRARY: the arrays of the call that
     * are used, in their order; after them its workspace. LOOP: operands that are arrays, results in use, workspace */
    fsr_use *use;        /* owned */
    int64_t bytes_moved; /* arrays read and written, passes of a kernel counted */
    /* LIBRARY */
    fsr_library_call *call; /* owned */
    /* LOOP */
    fsr_loop_plan *loop; /* a reference */
    uint32_t present;    /* bit i: somebody reads result i */
    int report;          /* of its body: the first of the program's */
    bool inner;          /* of a loop's body */
    /* KERNEL, and of a LOOP by operand */
    int scalar[FSR_MAX_SCALARS]; /* scalar ordinals; from the program's nscalars on: literals, by their number; -1: what
                                    the kernel counts itself */
    /* KERNEL */
    fsr_kernel *kernel; /* owned; its `integer` are those of the launch */
    int64_t blocks;
    int64_t work_bytes, zero_bytes;
    int group;     /* of the partition, while that is there */
    double price;  /* ns, as the table of prices says (fusion/price.h) */
    bool in_place; /* writes a section of an array that stays as it is elsewhere */
    bool part;     /* writes a part of its arrays' elements, other thunks the rest (fusion/divide.c) */
    int places;    /* of short dimensions that a point of its domain does, 1: its own (fusion/coarsen.c) */
    bool
        nothing; /* every array that it writes is empty: not launched, nor called. 2^33 rows of no columns would be visited */
} fsr_thunk;

typedef struct fsr_program {
    fsr_thunk *thunk;
    int nthunks;
    fsr_temporary *temporary;
    int ntemporaries;
    int64_t arena_bytes;            /* temporaries, packed by lifetime */
    int64_t work_bytes, zero_bytes; /* largest of the thunks */
    int nleaves, nscalars, nouts, nreports;
    int *same_out;      /* per output: an earlier output with the same value, or -1 */
    int *gift;          /* per output: a leaf that it may be written over, or -1; NULL: there is none */
    bool *text;         /* per literal: it was to be an argument, but a kernel has it in its text */
    double price;       /* ns, of its kernels together: as the table of prices says, of a nominal machine */
    double apart_price; /* the same of the unfused program; 0: not asked for */
    bool apart_least;   /* that is a bound: it costs more */
    fsr_plan_info info;
    char *explanation; /* text for fsr_explain; owned; NULL: not asked for */
} fsr_program;

typedef struct fsr_program_options {
    fsr_target target;
    bool fusion;
    int fuel;
    bool contraction;
    bool explain; /* the program has an explanation */
    int apart; /* later outputs that are one of the first so many are not stored: who runs the program knows of them */
    fsr_rewrite_options rewrites;
} fsr_program_options;

/* The rewrites, and what a target makes of their result before it is planned: all that is done to a flow, by whoever
 * plans it. Errors as below. */
fsr_status fsr_flow_ready(fsr_flow *flow, const fsr_program_options *options, char *why, size_t size);
/* Of a flow whose rewrites are done. FSR_ERR_MEMORY; FSR_ERR_INTERNAL, FSR_ERR_UNSUPPORTED, and FSR_ERR_SIZE (the
 * memory that it takes overflows) with why. */
fsr_status fsr_program_plan(fsr_program *out, const fsr_flow *flow, const fsr_program_options *options, char *why,
                            size_t size);
/* The rewrites, and the program, all literals text. Takes over the flow (it is cleared in any case). Errors as
 * above. */
fsr_status fsr_program_make(fsr_program *out, fsr_flow *flow, const fsr_program_options *options, char *why,
                            size_t size);
void fsr_program_clear(fsr_program *program);
/* The program's i-th kernel thunk, from 0; NULL: it has not so many. */
const fsr_thunk *fsr_program_kernel(const fsr_program *program, int i);
/* The same of library calls. */
const fsr_thunk *fsr_program_call(const fsr_program *program, int i);

/* What a kernel thunk launches, without arrays, scalars and workspace. */
fsr_launch fsr_program_launch(const fsr_thunk *thunk);

/* Bytes of array i that the kernel touches in a pass, at most `whole`, all of them; and the passes that it is used
 * in. */
int64_t fsr_touched_bytes(const fsr_kernel *k, const int64_t *integer, int array, int64_t whole);
int fsr_array_passes(const fsr_kernel *k, int array);

/* Names a finished kernel k_<first named ops>_<digest of its text>: equal kernels have equal names in every process.
 * FSR_ERR_MEMORY. */
fsr_status fsr_kernel_rename(fsr_kernel *k);

/* When each temporary is written first and used last. */
void fsr_memory_lifetimes(fsr_program *program);
/* Lets an elementwise kernel write a temporary over one that dies in it, where both are accessed element by element in
 * the same order. Sets in_place_of, the lifetimes, and the kernels' aliased flags. */
void fsr_memory_in_place(fsr_program *program);
/* Lets outputs be written over leaves that the caller gives for it, where who writes one reads the leaf element by
 * element in the same order, or the leaf is not read any more. Sets `gift` and the kernels' aliased flags. False:
 * out of memory. */
bool fsr_memory_gifts(fsr_program *program, const int *gift);
/* Offsets for temporaries so that those alive at once do not overlap: largest first, lowest offset that fits. *bytes:
 * the arena's, FSR_SIZE_OVER if there is no such arena. False: out of memory. */
bool fsr_memory_pack(fsr_temporary *temporary, int n, int64_t *bytes);

/* Adds the prices to the explanation. False: out of memory. */
bool fsr_explain_prices(fsr_program *program);
/* The plan in words. False: out of memory. */
bool fsr_explain_program(const fsr_program *program, const fsr_partition *p, FILE *to);

#endif

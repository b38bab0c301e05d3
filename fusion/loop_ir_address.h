/* SPDX-License-Identifier: MIT */
/* The loop IR's limits, and what says where a kernel reads and stores and at which points of its domain: index forms,
 * accesses, conditions, guards (loop_ir.h). */
#ifndef FUSOR_FUSION_LOOP_IR_ADDRESS_H
#define FUSOR_FUSION_LOOP_IR_ADDRESS_H

#include "graph/graph.h"
#include "graph/inst.h"

#define FSR_MAX_BUFFERS 48             /* arrays of one kernel */
#define FSR_MAX_INSTS 512              /* instructions of one kernel */
#define FSR_MAX_ARGUMENTS FSR_MAX_ARGS /* values that one instruction reads */
#define FSR_MAX_ROUTINES 16            /* callers' functions of one kernel */
#define FSR_MAX_COMBINES 16
#define FSR_MAX_PASSES (FSR_MAX_COMBINES + 1)
#define FSR_MAX_LOOPS 8
#define FSR_MAX_ACCESSES 96
#define FSR_MAX_GUARDS 96
#define FSR_MAX_CONDITIONS 48
#define FSR_MAX_FORMS (FSR_MAX_ACCESSES + FSR_MAX_CONDITIONS)
#define FSR_MAX_TERMS FSR_MAX_DIMS /* values of one index form, and of all conditions of a guard together */
#define FSR_MAX_VERSIONS 8         /* of a kernel's loops */
#define FSR_MAX_GUARD 12           /* conditions of one guard */
#define FSR_MAX_SCALARS 32
#define FSR_MAX_INTS 256

/* An index form: (offset, and 1 behind it, + sum over domain dimensions of stride * index + sum over terms of
 * coefficient * value) / divisor. Equal forms are one entry of the kernel's table. */
typedef enum fsr_stride_kind {
    FSR_STRIDE_ZERO, /* does not depend on this dimension */
    FSR_STRIDE_ONE,
    FSR_STRIDE_KNOWN, /* `slot` itself, 2 to FSR_MOST_KNOWN: a compiler takes such elements out of vectors */
    FSR_STRIDE_VAR    /* run-time integer argument `slot` */
} fsr_stride_kind;

enum { FSR_MOST_KNOWN = 8 };

/* Run-time symbol of a form: a value that lies in a known range (an INSIDE). */
typedef struct fsr_term {
    int value; /* i64 instruction */
    int slot;  /* integer argument: the coefficient; 0: 1 */
} fsr_term;

typedef struct fsr_index_form {
    fsr_stride_kind stride[FSR_MAX_DIMS];
    int slot[FSR_MAX_DIMS]; /* VAR: index into the integer arguments; KNOWN: the stride */
    int offset;             /* integer argument with the offset; -1: zero */
    int behind;             /* elements more, fewer than FSR_MOST_KNOWN: seen to lie behind the form of this offset */
    int divisor; /* integer argument by which the sum is divided, exactly wherever it is asked for; 0: none */
    int nterms;
    fsr_term term[FSR_MAX_TERMS];
} fsr_index_form;

/* Planes, lines and elements of a tile of computed values at most. */
enum { FSR_MOST_NEAR = 1 << 14 };

/* The axes of a tile (fusion/nest.h): planes only where tiles are deep. */
enum { FSR_AXIS_PLANE, FSR_AXIS_LINE, FSR_AXIS_ELEMENT, FSR_AXES };

/* What a tile holds beyond the edges of its picture, where somebody reads there; NumPy's pads have these names. */
typedef enum fsr_beyond { FSR_BEYOND_NOTHING, FSR_BEYOND_EDGE, FSR_BEYOND_WRAP, FSR_BEYOND_REFLECT } fsr_beyond;

/* Where a load of such a tile reads: along each axis at + step * i of it, at i of its own. Step 0 along lines: the
 * array is memory; along planes: there are none. */
typedef struct fsr_beside {
    int at[FSR_AXES], step[FSR_AXES];
} fsr_beside;

/* A neighbour in memory of each element that an access takes, which is an element of its array, too. */
typedef enum fsr_twin { FSR_TWIN_NONE, FSR_TWIN_BEHIND, FSR_TWIN_BEFORE } fsr_twin;

/* An element of an array: its address, in elements, is a form. */
typedef struct fsr_access {
    int buffer;
    int form;
    fsr_beside near;
    fsr_twin twin; /* on a CPU, of every other element, in the plan that the kernel was made for */
    bool
        linear; /* the address is exactly the flat C-order index over all domain dimensions (offset -1): r * cols + c */
    bool row_linear; /* ROW access whose address is exactly r */
    bool whole; /* a loop's table or a call's array: it begins there, and which of its elements are read nobody knows */
    int size;   /* of a call's array: integer argument with the count of its elements, in C order; else 0 */
} fsr_access;

/* Holds where 0 <= a < extent and a is a multiple of step; a is the value of a form without divisor. */
typedef struct fsr_condition {
    int form;
    int extent; /* integer arguments */
    int step;   /* 0: 1 */
} fsr_condition;

/* Holds where all of its conditions do: a box of the domain, perhaps with steps. */
typedef struct fsr_guard {
    int n;
    int condition[FSR_MAX_GUARD];
} fsr_guard;

#endif

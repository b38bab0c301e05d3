/* SPDX-License-Identifier: MIT */
/* A region: the body of an operator or of a loop, {arguments, instructions, results}, isolated: it reads its arguments
 * and nothing else, so it may be evaluated anywhere and any number of times. Arguments are values and, of a loop's
 * body, tables: arrays that it takes elements of at indices it computes. No index leaves its table, whatever it is.
 *
 * One structure for both, with one evaluation, comparison, key, check (graph/region.c), print (graph/print_region.c)
 * and parse (primitives/parse_region.c). */
#ifndef FUSOR_GRAPH_REGION_H
#define FUSOR_GRAPH_REGION_H

#include "fusor/build.h"
#include "graph/inst.h"

/* Arguments and results of a node. */
#define FSR_MAX_ARGS 17
#define FSR_MAX_OUTPUTS 8
/* Arguments of a region: a node's, and scalars of a kernel. */
#define FSR_MAX_REGION_ARGS (FSR_MAX_ARGS + 32)
/* Instructions of an operator, or of a loop's body or condition. */
#define FSR_MAX_BODY_INSTS 256
#define FSR_MAX_TABLES 8

/* An array that a body takes elements of: what is known of it wherever the body is. */
typedef struct fsr_table_type {
    fsr_dtype dtype;
    int ndim; /* indices of an element, 1 to FSR_MAX_DIMS */
} fsr_table_type;

/* One that is there: element i, j .. is data[(i * stride[0] + j * stride[1] ..], strides in elements. */
typedef struct fsr_table {
    const void *data;
    int64_t extent[FSR_MAX_DIMS], stride[FSR_MAX_DIMS];
} fsr_table;

typedef struct fsr_region {
    int nargs;
    fsr_dtype arg[FSR_MAX_REGION_ARGS];
    int ninsts;
    fsr_inst *inst; /* malloc'ed, the region's own: CONST, PARAM, OP, LOAD */
    int ntables;
    fsr_table_type table[FSR_MAX_TABLES];
    int nresults;
    int result[FSR_MAX_OUTPUTS]; /* instructions */
} fsr_region;

/* The number of a new last instruction; -1: out of memory, and the region is as it was. */
int fsr_region_add(fsr_region *r, const fsr_inst *inst);
/* `to`, anything, becomes a copy. False: out of memory, and it has no instructions. */
bool fsr_region_copy(fsr_region *to, const fsr_region *from);
void fsr_region_clear(fsr_region *r);
/* The region for known values of its last n arguments, which become constants. */
void fsr_region_bind(fsr_region *r, const fsr_value *value, int n);
/* CONST `inst` becomes a new last argument. False: there is no room. */
bool fsr_region_lift(fsr_region *r, int inst);

/* What the two instructions compute of the same values is the same. */
bool fsr_inst_computes_like(const fsr_inst *a, const fsr_inst *b);
bool fsr_region_equal(const fsr_region *a, const fsr_region *b);
/* Evaluates instructions [from, to) with fsr_op_eval: value[i] is instruction i's. tables: NULL if it has none. */
void fsr_region_eval(const fsr_region *r, int from, int to, const fsr_value *argument, const fsr_table *table,
                     fsr_value *value);
/* Where index i is in an extent of n, at least 1, by a mode that reports nothing. */
int64_t fsr_index_inside(fsr_index_mode mode, int64_t i, int64_t n);
/* The position in a table of what a LOAD of a body takes, at these indices. */
int64_t fsr_table_place(const fsr_inst *load, const fsr_table *table, const int64_t *index);
/* What is wrong with a region that stands there, in words, and *at, the instruction or -1; NULL: nothing. Numbers come
 * first: a printer may print what names none that is not there. */
const char *fsr_region_check(const fsr_region *r, fsr_container where, int *at);
/* An operation of the region may round. */
bool fsr_region_rounds(const fsr_region *r);
/* Operations of the region. */
int fsr_region_ops(const fsr_region *r);

#endif

/* SPDX-License-Identifier: MIT */
/* What is known of an address: the one place that answers where an access lies in memory. Vectors, orientation, index
 * width, what may be written in place and the bytes that are counted all ask here and nowhere else. */
#ifndef FUSOR_FUSION_ADDRESS_H
#define FUSOR_FUSION_ADDRESS_H

#include "fusion/loop_ir.h"

enum { FSR_CLOSE = 16 }; /* elements apart that are taken for neighbours: they may share a line of memory */

/* An index form with numbers in place of arguments: (offset + sum of stride[d] * index d + sum of coefficient[t] *
 * symbol t) / divisor, index d in [0, extent[d]). Of a symbol it is known that it is in [0, most[t]], along which
 * dimensions it may differ, and which value it is; where a question turns on more, the answer is that it is not
 * known. */
typedef struct fsr_form {
    int ndim;
    int64_t offset, stride[FSR_MAX_DIMS], extent[FSR_MAX_DIMS];
    int64_t divisor; /* 1: none */
    int nterms;
    int64_t coefficient[FSR_MAX_TERMS], most[FSR_MAX_TERMS];
    int value[FSR_MAX_TERMS]; /* the instruction, of one kernel */
    uint32_t moves;           /* bit d: some symbol may differ along dimension d */
    bool whole;               /* of a table: any of its array's elements, at any point */
} fsr_form;

/* Elements apart along a dimension, by the launch's integers. */
int64_t fsr_form_stride(const fsr_index_form *form, const int64_t *integer, int d);
/* Of a kernel's form, or of an access's. integer: the launch's, extents included. */
fsr_form fsr_form_of(const fsr_kernel *k, const int64_t *integer, int form);
fsr_form fsr_form_of_access(const fsr_kernel *k, const int64_t *integer, int access);
/* When the value of an instruction is known, and by whom. */
typedef enum fsr_when {
    FSR_WHEN_PLANNED,  /* a constant, or what is computed of constants: by the plan */
    FSR_WHEN_LAUNCHED, /* what is computed of scalar arguments: by who launches */
    FSR_WHEN_BEGUN,    /* what is computed of elements of arrays besides: by the kernel, before its loops */
    FSR_WHEN_REACHED   /* at each point of the domain */
} fsr_when;

/* Of every instruction, into when[ninsts]. What is known before the loops is the same everywhere, takes place in any
 * case, and may be evaluated once (FSR_ONCE). */
void fsr_values_known(const fsr_kernel *k, fsr_when *when);
/* The value is the index along a dimension and literals, all of 32 or 64 bits; at an extent that the sum fits in. */
bool fsr_value_is_moved(const fsr_kernel *k, int value, int *dimension, int64_t *by);
/* The dimensions along which a value may differ, a bit each; 0: it is the same everywhere. */
uint32_t fsr_value_dimensions(const fsr_kernel *k, int value);
/* The same of the first n values. */
void fsr_values_dimensions(const fsr_kernel *k, int n, uint32_t *dimensions);
/* The same of a form: of its strides and its symbols. A form of no stride is not the same everywhere where a symbol is
 * not. */
uint32_t fsr_form_dimensions(const fsr_kernel *k, int form);

/* Neighbours along dimension d are neighbours in memory, in this order; or in either. */
bool fsr_form_is_adjacent(const fsr_form *f, int d);
bool fsr_form_is_beside(const fsr_form *f, int d);
/* The address depends on one of the dimensions [first, last). */
bool fsr_form_varies(const fsr_form *f, int first, int last);
/* Runs of v elements along d begin at multiples of v, if d's extent is one. */
bool fsr_form_is_aligned(const fsr_form *f, int d, int v);
/* Elements that the access can reach at most: the product of the extents it varies along. */
int64_t fsr_form_count(const fsr_form *f);
/* Lowest and highest value of the sum before it is divided; the offset alone for an empty domain. They stop at the ends
 * of 64 bits. */
void fsr_form_range(const fsr_form *f, int64_t *low, int64_t *high);
/* Both, of one kernel, name the same element at every point of the domain. False: perhaps not. */
bool fsr_form_same(const fsr_form *a, const fsr_form *b);
/* No point of the domain names by `a` what any point names by `b`. False: perhaps one does. */
bool fsr_form_apart(const fsr_form *a, const fsr_form *b);

#endif

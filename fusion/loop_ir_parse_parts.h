/* SPDX-License-Identifier: MIT */
/* What the files of the loop IR's parser share. */
#ifndef FUSOR_FUSION_LOOP_IR_PARSE_PARTS_H
#define FUSOR_FUSION_LOOP_IR_PARSE_PARTS_H

#include "fusion/loop_ir.h"
#include "primitives/parse_lex.h"

typedef struct fsr_kernel_reader {
    fsr_lex lex;
    fsr_kernel *k;
} fsr_kernel_reader;

/* loop_ir_parse_region.c: the lines of a fold or loop behind the word. */
void fsr_read_fold(fsr_kernel_reader *r);
void fsr_read_loop(fsr_kernel_reader *r);
/* schedule_text.c: the lines of a schedule, and of a CPU's loop, behind the word. */
void fsr_read_schedule(fsr_kernel_reader *r);
void fsr_read_walk(fsr_kernel_reader *r);
/* loop_ir_parse_access.c */
void fsr_read_guard(fsr_kernel_reader *r);
void fsr_read_version(fsr_kernel_reader *r);
/* "b0[...] linear"; the number of the access, equal ones once. */
int fsr_read_access(fsr_kernel_reader *r);
/* The access that a table is which begins at integer argument `offset`, -1: at the array's beginning. */
int fsr_read_begin(fsr_kernel_reader *r, int buffer, int offset, int size);
/* loop_ir_parse_inst.c: "p0 elem v0 = ..." behind the p. */
void fsr_read_inst(fsr_kernel_reader *r);

#endif

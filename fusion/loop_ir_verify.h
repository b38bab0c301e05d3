/* SPDX-License-Identifier: MIT */
/* Shared by the loop_ir_verify*.c files. A check returns false with the violation in `why`. */
#ifndef FUSOR_FUSION_LOOP_IR_VERIFY_H
#define FUSOR_FUSION_LOOP_IR_VERIFY_H

#include "fusion/loop_ir.h"

typedef struct fsr_check {
    const fsr_kernel *k;
    int number; /* of the instruction looked at; -1: the kernel */
    char *why;
    size_t size;
} fsr_check;

/* Writes the violation, after the instruction's number: false. */
bool fsr_check_bad(const fsr_check *v, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline bool fsr_check_range(int i, int n) {
    return i >= 0 && i < n;
}
static inline bool fsr_check_dtype(fsr_dtype dtype) {
    return (unsigned)dtype < FSR_DTYPE_COUNT;
}

/* loop_ir_verify_tables.c */
bool fsr_check_tables(const fsr_check *v);
/* An access that begins a whole array of the dtype, which nobody writes. */
bool fsr_check_whole(const fsr_check *v, int access, fsr_dtype dtype);
/* loop_ir_verify_inst.c: instruction v->number. */
bool fsr_check_inst(const fsr_check *v);
/* loop_ir_verify_schedule.c */
bool fsr_check_schedule(const fsr_check *v);
/* loop_ir_verify_nests.c */
bool fsr_check_nests(const fsr_check *v);
bool fsr_check_repeat(const fsr_check *v);
/* loop_ir_verify_cpu.c */
bool fsr_check_cpu(const fsr_check *v);

#endif

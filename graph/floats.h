/* SPDX-License-Identifier: MIT */
/* The floating-point environment in which Fusor computes: C's default one, whatever the caller has set.
 *
 *     fsr_status fsr_compute(...) {
 *         FSR_DEFAULT_FLOATS;     rounding to nearest, subnormals kept, nothing traps, until this block is left
 *
 * Leaving the block puts everything back that the caller can read: rounding mode, flushing of subnormals, the x87's
 * precision, traps, and the flags, which what ran in between has raised. Where the caller's environment is the default
 * one entering only reads, a few nanoseconds, and so blocks may nest. A thread of Fusor's own is put there for good.
 *
 * Invariant: no control word is changed where it is what it should be (a change costs ten times a look), and no
 * instruction here traps, even with a flag raised whose trap the caller has enabled.
 * Counter-example to fegetenv and fesetenv: fesetenv(FE_DFL_ENV) of glibc keeps DAZ; and fldcw with a raised flag that
 * traps raises it in the library. */
#ifndef FUSOR_GRAPH_FLOATS_H
#define FUSOR_GRAPH_FLOATS_H

#include <stdint.h>
#if !defined __x86_64__ && !defined __aarch64__
#include <fenv.h>
#endif

#if defined __x86_64__

typedef struct fsr_floats {
    uint32_t mxcsr;
    uint16_t control, status;
} fsr_floats;

enum {
    FSR_MXCSR_DEFAULT = 0x1f80, /* to nearest, nothing traps or is flushed */
    FSR_MXCSR_FLAGS = 0x3f,
    FSR_X87_DEFAULT = 0x37f, /* to nearest, 64 digits, nothing traps */
    FSR_X87_CONTROL = 0xf3f,
    FSR_X87_FLAGS = 0x80bf /* exceptions, their summary, busy */
};

static inline void fsr_floats_look(fsr_floats *now) {
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1\n\tfnstsw %2"
                     : "=m"(now->mxcsr), "=m"(now->control), "=m"(now->status)::"memory");
}

static inline fsr_floats fsr_floats_enter(void) {
    fsr_floats was;
    const uint32_t mxcsr = FSR_MXCSR_DEFAULT;
    const uint16_t control = FSR_X87_DEFAULT;
    fsr_floats_look(&was);
    if ((was.mxcsr & ~(uint32_t)FSR_MXCSR_FLAGS) != FSR_MXCSR_DEFAULT)
        __asm__ volatile("ldmxcsr %0" ::"m"(mxcsr) : "memory");
    if ((was.control & FSR_X87_CONTROL) != (FSR_X87_DEFAULT & FSR_X87_CONTROL))
        __asm__ volatile("fnclex\n\tfldcw %0" ::"m"(control) : "memory");
    return was;
}

/* The status word can be written with the whole x87 environment only, which takes a hundred cycles. */
static inline void fsr_floats_leave(const fsr_floats *was) {
    fsr_floats now;
    fsr_floats_look(&now);
    if (now.mxcsr != was->mxcsr)
        __asm__ volatile("ldmxcsr %0" ::"m"(was->mxcsr) : "memory");
    if (now.control != was->control || ((now.status ^ was->status) & FSR_X87_FLAGS) != 0) {
        uint32_t all[7];
        __asm__ volatile("fnstenv %0" : "=m"(all)::"memory");
        all[0] = (all[0] & 0xffff0000u) | was->control;
        all[1] = (all[1] & ~(uint32_t)FSR_X87_FLAGS) | (was->status & FSR_X87_FLAGS);
        __asm__ volatile("fldenv %0" ::"m"(all) : "memory");
    }
}

#elif defined __aarch64__

typedef struct fsr_floats {
    uint64_t control, status;
} fsr_floats;

static inline void fsr_floats_look(fsr_floats *now) {
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(now->control), "=r"(now->status)::"memory");
}

static inline fsr_floats fsr_floats_enter(void) {
    fsr_floats was;
    fsr_floats_look(&was);
    if (was.control != 0)
        __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)0) : "memory");
    return was;
}

static inline void fsr_floats_leave(const fsr_floats *was) {
    fsr_floats now;
    fsr_floats_look(&now);
    if (now.control != was->control)
        __asm__ volatile("msr fpcr, %0" ::"r"(was->control) : "memory");
    if (now.status != was->status)
        __asm__ volatile("msr fpsr, %0" ::"r"(was->status) : "memory");
}

#else

typedef struct fsr_floats {
    fenv_t env;
} fsr_floats;

static inline fsr_floats fsr_floats_enter(void) {
    fsr_floats was;
    fegetenv(&was.env);
    fesetenv(FE_DFL_ENV);
    return was;
}

static inline void fsr_floats_leave(const fsr_floats *was) {
    fesetenv(&was->env);
}

#endif

/* A declaration: the default environment from here to the end of the block, however it is left. */
#define FSR_DEFAULT_FLOATS \
    const fsr_floats fsr_floats_of_caller __attribute__((cleanup(fsr_floats_leave), unused)) = fsr_floats_enter()

#endif

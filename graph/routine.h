/* SPDX-License-Identifier: MIT */
/* A caller's scalar function (fusor/native.h) as nodes, flows and kernels hold it: checked, copied, counted,
 * unchanging.
 *
 * Its symbol carries a digest of all that it computes, so that two functions never meet under one name in a source and
 * equal ones are one. What it gives on the host comes from its C text, compiled: whoever has to evaluate one gets it
 * compiled first (runtime/routines.h). */
#ifndef FUSOR_GRAPH_ROUTINE_H
#define FUSOR_GRAPH_ROUTINE_H

#include "fusor/native.h"
#include <stdatomic.h>
#include <stddef.h>

#define FSR_ROUTINE_NAME 64 /* bytes of a name */
#define FSR_ROUTINE_TEXTS 4

/* The compiled C text: reads *in[i], of the parameters' C types, and writes *out; f16 and bf16 are floats there. */
typedef void (*fsr_routine_host)(void *out, const void *const *in);

typedef struct fsr_routine {
    atomic_int refs;
    char name[FSR_ROUTINE_NAME];
    char symbol[2 * FSR_ROUTINE_NAME]; /* user_<name>_<digest> */
    fsr_dtype result;
    int nparams;
    fsr_dtype dtype[FSR_MAX_NATIVE];
    char param[FSR_MAX_NATIVE][FSR_ROUTINE_NAME];
    union {
        struct {
            char *c, *cuda, *c_preamble, *cuda_preamble; /* none is NULL; all but c may be empty: not given */
        };
        char *text[FSR_ROUTINE_TEXTS];
    };
    double ulp;
    _Atomic(fsr_routine_host) host; /* NULL: not compiled yet */
} fsr_routine;

/* A copy of f with one reference. FSR_ERR_NULL, FSR_ERR_VALUE, FSR_ERR_DTYPE: why has the reason; FSR_ERR_MEMORY. */
fsr_status fsr_routine_make(const fsr_native *f, fsr_routine **out, char *why, size_t size);
fsr_routine *fsr_routine_ref(const fsr_routine *f);
void fsr_routine_unref(fsr_routine *f); /* NULL is allowed */
/* They compute the same. */
bool fsr_routine_equal(const fsr_routine *a, const fsr_routine *b);
/* The parameters as they are written: "f32 x, i32 n". out: FSR_ROUTINE_LIST bytes. Returns out. */
#define FSR_ROUTINE_LIST (FSR_MAX_NATIVE * (FSR_ROUTINE_NAME + 8))
char *fsr_routine_list(const fsr_routine *f, char *out);

/* The function of args, of the parameters' dtypes. f->host must not be NULL. */
fsr_value fsr_routine_eval(const fsr_routine *f, const fsr_value *args);

#endif

/* SPDX-License-Identifier: MIT */
/* A caller's scalar function (fusor/native.h) as nodes, flows and kernels hold it: checked, copied, counted,
 * unchanging.
 *
 * Values come first among parameters, then whole arrays, which the text gets the address and the count of.
 *
 * Compiled device code that it is linked with goes with it; one that has no CUDA text of its own gets the text that
 * calls the function of its name.
 *
 * A function of several results is a routine for each, which has them all and says which one it gives: its text is
 * printed, and called, once for all of them.
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
#define FSR_ROUTINE_DIGEST 33 /* bytes of the linked code's digest, in letters */

/* The compiled C text: reads *in[i], of the parameters' C types, or an fsr_routine_array of a whole array, and writes
 * *out; f16 and bf16 are floats there. */
typedef void (*fsr_routine_host)(void *out, const void *const *in);

typedef struct fsr_routine {
    atomic_int refs;
    char name[FSR_ROUTINE_NAME];
    char symbol[2 * FSR_ROUTINE_NAME]; /* user_<name>_<digest> */
    fsr_dtype result;
    int nparams, narrays; /* values, and whole arrays behind them */
    int nresults;         /* that the text assigns to, instead of returning one; 0: it returns it */
    int component;        /* of these, the one that this routine gives, of dtype `result` */
    fsr_dtype results[FSR_MAX_NATIVE];
    char result_name[FSR_MAX_NATIVE][FSR_ROUTINE_NAME];
    fsr_dtype dtype[FSR_MAX_NATIVE];
    char param[FSR_MAX_NATIVE][FSR_ROUTINE_NAME];
    union {
        struct {
            char *c, *cuda, *c_preamble, *cuda_preamble; /* none is NULL; all but c may be empty: not given */
        };
        char *text[FSR_ROUTINE_TEXTS];
    };
    fsr_linked_form linked_form;
    unsigned char *linked; /* a 0 behind it; NULL: there is none */
    size_t linked_bytes;
    char digest[FSR_ROUTINE_DIGEST]; /* of the linked code: 128 bits, by which sources tell it from other */
    double ulp;
    _Atomic(fsr_routine_host) host; /* NULL: not compiled yet */
} fsr_routine;

/* A whole array: its elements in C order. */
typedef struct fsr_routine_array {
    const void *data;
    int64_t size;
} fsr_routine_array;

/* A copy of f with one reference. FSR_ERR_NULL, FSR_ERR_VALUE, FSR_ERR_DTYPE: why has the reason; FSR_ERR_MEMORY. */
fsr_status fsr_routine_make(const fsr_native *f, fsr_routine **out, char *why, size_t size);
/* Makes a routine that nobody else has yet one of several results, of which it gives number `component`: their dtypes
 * and names are the parameters of `results`. */
void fsr_routine_several(fsr_routine *f, const fsr_routine *results, int component);
/* Both are results of one function. */
bool fsr_routine_is_sibling(const fsr_routine *a, const fsr_routine *b);
/* The results as they are written: "f32 s, f32 c". out: FSR_ROUTINE_LIST bytes. Returns out. */
char *fsr_routine_results(const fsr_routine *f, char *out);
fsr_routine *fsr_routine_ref(const fsr_routine *f);
void fsr_routine_unref(fsr_routine *f); /* NULL is allowed */
/* The name is one of a parameter, or of a whole array's size. */
bool fsr_routine_has_name(const fsr_routine *f, const char *name);
/* They compute the same. */
bool fsr_routine_equal(const fsr_routine *a, const fsr_routine *b);
/* The parameters as they are written: "f32 x, i32 n, raw f32 t". out: FSR_ROUTINE_LIST bytes. Returns out. */
#define FSR_ROUTINE_LIST (FSR_MAX_NATIVE * (FSR_ROUTINE_NAME + 12))
char *fsr_routine_list(const fsr_routine *f, char *out);
/* The word of a form of linked code, "ptx", and back; NULL, FSR_LINKED_NONE: there is none such. */
const char *fsr_linked_name(fsr_linked_form form);
fsr_linked_form fsr_linked_form_of(const char *name);
/* The C type that a value of a dtype has in callers' device code. */
const char *fsr_linked_type(fsr_dtype dtype);
/* The type of a whole array's elements in callers' texts: bits of f16 and bf16, bytes of bools. */
const char *fsr_raw_type(fsr_dtype dtype);
/* Both are linked with the same code. */
bool fsr_routine_links_same(const fsr_routine *a, const fsr_routine *b);

/* The function of args, of the parameters' dtypes, and of its arrays; NULL: it has none. f->host must not be NULL. */
fsr_value fsr_routine_eval(const fsr_routine *f, const fsr_value *args, const fsr_routine_array *arrays);

#endif

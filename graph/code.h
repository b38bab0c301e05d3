/* SPDX-License-Identifier: MIT */
/* A caller's kernel (fsr_kernel_code of fusor/library.h) as nodes and plans hold it: checked, copied, unchanging. */
#ifndef FUSOR_GRAPH_CODE_H
#define FUSOR_GRAPH_CODE_H

#include "fusor/library.h"
#include "graph/kind.h"

/* What is wrong with c for a call of so many arrays, as a status and a sentence; FSR_OK: nothing. */
fsr_status fsr_code_check(const fsr_kernel_code *c, int inputs, int outputs, const char **why);
/* The outputs that begin as copies have what they are copied from: dtypes and sizes. */
bool fsr_code_copies_fit(const fsr_kernel_code *c, const fsr_frame_array *in, const fsr_frame_array *out);

/* Makes *to a copy of c that lies in one block of memory, which is the result; free() ends it. NULL: out of memory.
 * Text in the copy has a 0 behind it. */
void *fsr_code_copy(fsr_kernel_code *to, const fsr_kernel_code *c);
/* They are loaded as one: form, code, name and options. */
bool fsr_code_same(const fsr_kernel_code *a, const fsr_kernel_code *b);
/* They are launched alike too. */
bool fsr_code_equal(const fsr_kernel_code *a, const fsr_kernel_code *b);
/* All that tells one from another. */
void fsr_code_put(fsr_bytes *b, const fsr_kernel_code *c);

/* Does on the host what parameters ask of outputs before a call. */
void fsr_code_begin(const fsr_kernel_code *c, const fsr_call_frame *frame);

/* Elements of an array, and their bytes. */
int64_t fsr_frame_array_bytes(const fsr_frame_array *a);

#endif

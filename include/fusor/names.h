/* SPDX-License-Identifier: MIT */
/* Names and their values, for programs in languages that do not read C's headers: every constant, every dtype, every
 * elementwise operation, by name and by number. What C programs write as FSR_F32 or fsr_add(x, y), others can ask
 * for. */
#ifndef FUSOR_NAMES_H
#define FUSOR_NAMES_H

#include "fusor/api.h"
#include "fusor/build.h"
#include "fusor/status.h"

FSR_API_BEGIN

/* The value of an enumerator or integer macro of these headers, as "FSR_F32", "FSR_ERR_SHAPE", "FSR_KEEPDIMS" or
 * "FSR_MAX_DIMS", or the size of a struct that callers hand over, as "sizeof(fsr_config)". False: there is none of that
 * name, or a pointer is null; then *value stays as it is. */
bool fsr_constant(const char *name, int64_t *value);
/* The names that fsr_constant knows, for i = 0, 1, ...; NULL: there are no more. */
const char *fsr_constant_name(int i);

/* The dtype of that name, as fsr_dtype_name gives it ("f32"); FSR_DTYPE_COUNT: there is none, or name is null. */
fsr_dtype fsr_dtype_from_name(const char *name);

/* The names of the elementwise operations (docs/ops.md), for i = 0, 1, ...; NULL: there are no more. */
const char *fsr_op_name(int i);
/* How many operands an operation has, 1 to 3; 0: there is none of that name, or name is null. */
int fsr_op_arity(const char *name);
/* The operation of that name of args[0..n): fsr_apply("add", (fsr_node[]){x, y}, 2) is fsr_add(x, y). A mistake gives a
 * poisoned node. FSR_ERR_VALUE: there is no operation of that name, or it has another number of operands ("cast" has a
 * dtype besides: fsr_cast). FSR_ERR_NULL: name is null. Else as that operation. With no graph to record in (args is
 * null, every argument is null, or n < 1) the null node. */
fsr_node fsr_apply_at(fsr_site at, const char *name, const fsr_node *args, int n);
#define fsr_apply(...) fsr_apply_at(FSR_HERE, __VA_ARGS__)

FSR_API_END
#endif

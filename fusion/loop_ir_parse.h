/* SPDX-License-Identifier: MIT */
/* Reading the text of fsr_kernel_print back: for tests of the loop IR as text, and for fusor-opt. */
#ifndef FUSOR_FUSION_LOOP_IR_PARSE_H
#define FUSOR_FUSION_LOOP_IR_PARSE_H

#include "fusion/loop_ir.h"
#include "primitives/parse.h"

/* One kernel, from its line "kernel NAME: COMMENT" to the end of the text or to the next kernel's line; blank lines and
 * lines that begin with # are skipped. *rest (may be NULL) is where the reading ended. What the text does not say
 * (which node an instruction comes from) is "none"; printing the kernel gives the text again.
 * FSR_ERR_FORMAT: the text is not in the form, or the kernel breaks a rule of loop_ir.h; error (may be NULL) says where
 * and why. FSR_ERR_NULL, FSR_ERR_MEMORY. On an error *out is NULL. */
fsr_status fsr_kernel_parse(const char *text, fsr_kernel **out, const char **rest, fsr_parse_error *error);

#endif

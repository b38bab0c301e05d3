/* SPDX-License-Identifier: MIT */
/* Schedules that somebody else than the rules decides: fields by their words, and those that are worth measuring. Only
 * what leaves every bit of every result as it is may be changed; the verifier has the last word. */
#ifndef FUSOR_FUSION_SCHEDULE_EDIT_H
#define FUSOR_FUSION_SCHEDULE_EDIT_H

#include "fusion/loop_ir.h"

enum { FSR_TUNE_BYTES = 64, FSR_MOST_TUNES = 24 };

/* The number of a schedule's field, as its text calls it; NULL: the target has no such number. */
int *fsr_schedule_number(fsr_schedule *s, const char *word, size_t length);

/* Changes fields of a finished kernel's schedule: "threads 128 items 4". FSR_ERR_FORMAT: no list of words and numbers;
 * FSR_ERR_UNSUPPORTED: a field that this kernel may not have another value of, or a schedule that the verifier refuses;
 * why has the reason. */
fsr_status fsr_schedule_edit(fsr_kernel *k, const char *fields, char *why, size_t size);

/* Edits of k's schedule that may run faster, at most FSR_MOST_TUNES; how many. Each is legal, and is the fields of base
 * ("": none) with others behind them. */
int fsr_schedule_tunes(const fsr_kernel *k, const char *base, char out[FSR_MOST_TUNES][FSR_TUNE_BYTES]);

#endif

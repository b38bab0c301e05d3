/* SPDX-License-Identifier: MIT */
/* What kernels report: computed indices that lay outside. */
#ifndef FUSOR_RUNTIME_REPORTS_H
#define FUSOR_RUNTIME_REPORTS_H

#include "runtime/context.h"

/* Words of one run, on the device. */
typedef struct fsr_report_batch fsr_report_batch;

/* Words for n reports of a run, all 0; *words is their address. n 0: nothing, and *batch is NULL. The runs' recording
 * sites are copied. */
fsr_status fsr_reports_begin(fsr_context *ctx, const fsr_report *report, int n, fsr_report_batch **batch, void **words,
                             fsr_fault *fault);
/* The run was launched (or failed): its words are looked at by the next fsr_reports_check. NULL is allowed. */
void fsr_reports_end(fsr_context *ctx, fsr_report_batch *batch);
/* FSR_ERR_INDEX with the first index that was reported since the last check, of all runs of the context; they are then
 * forgotten. Waits for the device if there was a run that may report. */
fsr_status fsr_reports_check(fsr_context *ctx, fsr_fault *fault);
/* Frees what was not looked at. */
void fsr_reports_close(fsr_context *ctx);

#endif

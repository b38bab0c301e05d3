/* SPDX-License-Identifier: MIT */
/* What kernels report: computed indices that lay outside. A report belongs to the graph or the plan whose run made it,
 * and is told to who reads results of that. Counter-example to one fault for a context: of two threads that read at
 * once each may be told of the other's index, and not of its own. */
#ifndef FUSOR_RUNTIME_REPORTS_H
#define FUSOR_RUNTIME_REPORTS_H

#include "runtime/context.h"

/* Words of one run, on the device. */
typedef struct fsr_report_batch fsr_report_batch;

/* Whose a run is. */
typedef struct fsr_report_run {
    const void *owner; /* a graph or a plan */
    bool on_device;    /* its results go where the caller, or another plan, may use them before anybody waits */
} fsr_report_run;

/* The condition variable. */
fsr_status fsr_reports_open(fsr_context *ctx);
/* Words for n reports of a run, all 0; *words is their address. n 0: nothing, and *batch is NULL. The runs' recording
 * sites are copied. The calling thread is who started the run. */
fsr_status fsr_reports_begin(fsr_context *ctx, fsr_report_run run, const fsr_report *report, int n,
                             fsr_report_batch **batch, void **words, fsr_fault *fault);
/* The run was launched (or failed): its words are looked at by who is to be told. NULL is allowed. */
void fsr_reports_end(fsr_context *ctx, fsr_report_batch *batch);
/* Each is FSR_ERR_INDEX with the first index that was reported, by the runs named here, since they were told; these are
 * then forgotten, of the others nothing is. Waits for the device if there was such a run that may report.
 * read: runs of the graph. */
fsr_status fsr_reports_read(fsr_context *ctx, const fsr_graph *g, fsr_fault *fault);
/* ran: runs of the plan, of the graph whose arrays it keeps (NULL: it keeps none), and those of any plan that the
 * calling thread started and that left results on the device, since the plan may have taken them as inputs. */
fsr_status fsr_reports_ran(fsr_context *ctx, const fsr_plan *plan, const fsr_graph *origin, fsr_fault *fault);
/* sync: runs of everybody, each told once by a sync. Those that other threads started stay for their readers. */
fsr_status fsr_reports_sync(fsr_context *ctx, fsr_fault *fault);
/* The graph or plan is being freed: what its runs reported is told by the next sync, unless one told it already. */
void fsr_reports_disown(fsr_context *ctx, const void *owner);
/* Frees what was not told. */
void fsr_reports_close(fsr_context *ctx);

#endif

/* SPDX-License-Identifier: MIT */
/* Schedules of a plan's kernels, by hand and by measurement.
 *
 * Rules choose a kernel's schedule from its sizes (fsr_explain tells it). A plan that is run often may have others:
 * those that leave every bit of every result as it is. What decides how a sum is associated cannot be changed. Nothing
 * here is done unless it is asked for, and to that plan alone. */
#ifndef FUSOR_TUNE_H
#define FUSOR_TUNE_H

#include "fusor/api.h"
#include "fusor/run.h"

FSR_API_BEGIN

/* Kernel 0 <= kernel < fsr_plan_info.kernels, in the order of fsr_plan_profile. Writes its schedule as text,
 * "cpu map abreast 1 lanes 16 chunk 4096 work 9 run 32768", at most size bytes with the final 0; *length (may be NULL)
 * is the length of the whole without that. text NULL: only the length is asked for. FSR_ERR_BYTES: it is longer, and
 * text has its beginning. FSR_ERR_VALUE: there is no such kernel. FSR_ERR_NULL, FSR_ERR_MEMORY. */
fsr_status fsr_plan_schedule(fsr_plan *plan, int kernel, char *text, size_t size, size_t *length);

/* Gives a kernel another schedule: the rules' own with these fields, names and numbers, "threads 128 items 2"; "" or
 * NULL: the rules' own. It is compiled at once, and used from the next run on; other plans keep theirs. A graph of the
 * caller's into which a run of the plan was captured must not be launched any more. On any error the plan has
 * the schedule it had. FSR_ERR_FORMAT: fields are not names and numbers. FSR_ERR_UNSUPPORTED: the kernel's schedule has
 * no such number, the number decides how results are computed, or what comes out is no schedule or needs more memory
 * than the plan has (the message says which). FSR_ERR_VALUE: there is no such kernel. FSR_ERR_NULL, FSR_ERR_MEMORY,
 * and what compiling gives. */
fsr_status fsr_plan_set_schedule(fsr_plan *plan, int kernel, const char *fields);

/* What fsr_autotune did; it may get fields at its end. */
typedef struct fsr_tune_report {
    int kernels;   /* looked at: all but those that have nothing to do */
    int known;     /* of these: found on disk, and not measured */
    int schedules; /* measured */
    int changed;   /* kernels that now have another schedule than the rules' */
    int refused;   /* schedules that could not be compiled or run */
    int differing; /* schedules left out since results had other bits: where sums are FSR_UNORDERED they have in any case */
    double ms_before; /* of the kernels that were measured, by the rules' schedules, and by those chosen */
    double ms_after;
} fsr_tune_report;

/* Measures other schedules of the plan's kernels, one field changed and then others with the best, at most 24 each,
 * and keeps for each kernel the fastest one that gave the same bits and was at least 3 % faster, twice. The arguments
 * are fsr_plan_run's: the plan is run with them up to some hundred times a kernel, and outputs hold its results in
 * the end. A kernel that these arguments do not run (a loop of no turn) keeps the rules' schedule. What was found is
 * kept in the context's disk cache (knobs cache_dir and cache_mb), for that device, compiler, kernel and sizes:
 * another process that calls this for such a plan measures nothing, but compares the results of what it finds. While
 * it works, one line on stderr, if that is a terminal and log_level is not 0, tells how far it is. report: may be
 * NULL. It waits; nobody may run the plan meanwhile. FSR_ERR_UNSUPPORTED: a plan of fsr_compile_donating, whose runs
 * overwrite their inputs. Else as fsr_plan_run. What is wrong with the arguments changes no schedule; on another
 * error kernels measured so far keep what was chosen, the others the rules'. */
fsr_status fsr_autotune_sized(size_t size, fsr_plan *plan, const fsr_arg *inputs, int ninputs, const fsr_arg *outputs,
                              int noutputs, fsr_tune_report *report);
#define fsr_autotune(...) fsr_autotune_sized(sizeof(fsr_tune_report), __VA_ARGS__)

FSR_API_END
#endif

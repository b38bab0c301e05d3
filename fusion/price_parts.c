/* SPDX-License-Identifier: MIT */
/* What a CPU evaluates twice of long rows that are scanned.
 *
 * Such rows go in parts of one length, whoever works on them, for the length says how sums associate: each part but
 * the last is folded first, for the carry into the next one, and then scanned (backend_cpu/run/tasks_rows.c). What the
 * scans take is computed both times, of what a near cache holds by then; what takes them, once.
 *
 * Counter-example to once: running sums of gathered elements along 62 rows of 66,118, in parts of 32,768, took 29 ms in
 * one kernel, and 15 to gather with 5 to add up. */
#include "fusion/price.h"
#include "fusion/schedule_parts.h"
#include "fusion/walk.h"
#include <math.h>

/* The part of the elements that are folded before they are scanned. */
static double folded_first(const fsr_kernel *k) {
    const fsr_schedule *s = &k->schedule;
    const double cols = (double)k->integer[FSR_INT_COLS], part = s->part;
    const bool parts = s->target == FSR_TARGET_CPU && s->kind == FSR_SCHEDULE_ROW && s->part > 0 && cols > part;
    return parts && fsr_kernel_has_scan(k) ? (ceil(cols / part) - 1) * part / cols : 0;
}

bool fsr_price_scans_parts(const fsr_prices *prices, const fsr_group *group, double *share, fsr_price_work *work) {
    const fsr_kernel *k = group->kernel;
    const double again = 0.35; /* of an exponential: 17 ms of 2^24 sums in one row, 14.6 by price */
    fsr_price_loop l;
    fsr_body scans;
    *share = folded_first(k);
    if (*share <= 0)
        return false;
    fsr_price_loop_of(&l, prices, group, 0);
    fsr_body_scans(k, &l.body, &scans);
    l.body = scans;
    *work = fsr_price_version(&l, k->schedule.nversions ? &k->schedule.version[0] : &(fsr_loop_version){0, 0});
    work->operations *= again;
    work->loads = work->stores = 0;
    return true;
}

/* SPDX-License-Identifier: MIT */
/* Whether a CPU cuts a map's loops at the bounds of guards.
 *
 * Between two bounds every guard along the loop's dimension holds for all elements or for none. So the loop is walked
 * in runs that end at the next bound, each printed with its guards decided. Counter-example to asking in the loop: a
 * masked load an array for each element, of which one is wanted, and 64-bit comparisons beside 8-bit data. Not where
 * there are many bounds: every run is a copy of the loop.
 *
 * A condition with a step (x[::2] = y) holds for some elements of its run. Those are done again, after the others, in a
 * loop of their own; not where arrays share memory: what the first loop has written could be read. */
#include "fusion/schedule_parts.h"
#include "fusion/walk.h"

enum { MOST_PRINTED = 300 /* instructions, all runs together */ };

void fsr_finish_cuts(fsr_kernel *k) {
    fsr_schedule *s = &k->schedule;
    int condition[FSR_MAX_CONDITIONS], n = 0;
    fsr_body body;
    s->cut = s->cut_steps = false;
    if (s->kind != FSR_SCHEDULE_MAP || s->walk[0].form == FSR_WALK_STRIPS)
        return;
    fsr_body_of(k, 0, &body);
    n = fsr_body_conditions(k, &body, k->ndim - 1, condition);
    s->cut = n > 0 && n <= FSR_MAX_CUTS && body.n * (n + 2) <= MOST_PRINTED;
    for (int i = 0; i < n && s->cut; ++i)
        s->cut_steps = s->cut_steps || (k->condition[condition[i]].step && !fsr_kernel_in_place(k));
}

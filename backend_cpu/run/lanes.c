/* SPDX-License-Identifier: MIT */
/* The lanes of a CPU: the caller's thread copies. Counter-example to a thread that copies beside the caller: copying
 * and computing share the memory's bandwidth, and the workers have all cores. */
#include "backend_cpu/run/lanes.h"
#include "runtime/clock.h"
#include <string.h>

int64_t fsr_cpu_lanes_put(fsr_cpu_lanes *l, fsr_lane lane, void *dst, const void *src, int64_t bytes) {
    const double begin = fsr_clock_ms();
    if (bytes > 0)
        memcpy(dst, src, (size_t)bytes);
    const double end = lane == FSR_LANE_WORK ? begin : fsr_clock_ms();
    pthread_mutex_lock(&l->lock);
    const int64_t ticket = fsr_ticket_make(lane, ++l->given[lane]);
    if (l->origin == 0)
        l->origin = begin;
    l->begin[lane][fsr_ticket_place(ticket)] = begin - l->origin;
    l->end[lane][fsr_ticket_place(ticket)] = end - l->origin;
    pthread_mutex_unlock(&l->lock);
    return ticket;
}

fsr_status fsr_cpu_lanes_check(fsr_cpu_lanes *l, int64_t ticket, fsr_fault *fault) {
    pthread_mutex_lock(&l->lock);
    const bool good = ticket == 0 || fsr_ticket_is(ticket, l->given);
    pthread_mutex_unlock(&l->lock);
    return good ? FSR_OK : fsr_fault_set(fault, FSR_ERR_VALUE, "%lld is no ticket of this context", (long long)ticket);
}

fsr_status fsr_cpu_lanes_times(fsr_cpu_lanes *l, int64_t ticket, double *begin, double *end, fsr_fault *fault) {
    const fsr_status status = fsr_cpu_lanes_check(l, ticket, fault);
    if (status)
        return status;
    pthread_mutex_lock(&l->lock);
    const fsr_lane lane = fsr_ticket_lane(ticket);
    const bool known = ticket && fsr_ticket_number(ticket) > l->given[lane] - FSR_LANE_PLACES;
    if (known) {
        *begin = l->begin[lane][fsr_ticket_place(ticket)];
        *end = l->end[lane][fsr_ticket_place(ticket)];
    }
    pthread_mutex_unlock(&l->lock);
    return known ? FSR_OK
                 : fsr_fault_set(fault, FSR_ERR_VALUE, "the times of ticket %lld are not known", (long long)ticket);
}

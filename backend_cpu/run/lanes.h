/* SPDX-License-Identifier: MIT */
/* Tickets on a CPU (fusor/transfer.h): a copy is made at once, so all of them are done; what is kept is when they
 * were. */
#ifndef FUSOR_BACKEND_CPU_LANES_H
#define FUSOR_BACKEND_CPU_LANES_H

#include "runtime/fault.h"
#include "runtime/ticket.h"
#include <pthread.h>

typedef struct fsr_cpu_lanes {
    pthread_mutex_t lock;
    int64_t given[FSR_LANES];
    double origin; /* ms, of the first ticket */
    double begin[FSR_LANES][FSR_LANE_PLACES], end[FSR_LANES][FSR_LANE_PLACES];
} fsr_cpu_lanes;

/* Copies, and gives a ticket for it; bytes 0: for nothing. */
int64_t fsr_cpu_lanes_put(fsr_cpu_lanes *l, fsr_lane lane, void *dst, const void *src, int64_t bytes);
/* FSR_ERR_VALUE: it is no ticket that was given, nor 0. */
fsr_status fsr_cpu_lanes_check(fsr_cpu_lanes *l, int64_t ticket, fsr_fault *fault);
fsr_status fsr_cpu_lanes_times(fsr_cpu_lanes *l, int64_t ticket, double *begin, double *end, fsr_fault *fault);

#endif

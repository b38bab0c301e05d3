/* SPDX-License-Identifier: MIT */
/* Tickets: which lane, and its how manyeth. The lanes are in order, so what is done of a lane is told by one number,
 * and a ticket whose place was taken by a later one of its lane may be waited for through that: it is never too
 * early. */
#ifndef FUSOR_RUNTIME_TICKET_H
#define FUSOR_RUNTIME_TICKET_H

#include <stdbool.h>
#include <stdint.h>

/* The backend's own stream, where only marks are put, and the two of copies. */
typedef enum fsr_lane { FSR_LANE_WORK, FSR_LANE_UP, FSR_LANE_DOWN, FSR_LANES } fsr_lane;

enum { FSR_LANE_PLACES = 64 }; /* tickets of each lane whose times are known */

static inline int64_t fsr_ticket_make(fsr_lane lane, int64_t number) {
    return 4 * number + lane;
}
static inline fsr_lane fsr_ticket_lane(int64_t ticket) {
    return (fsr_lane)(ticket & 3);
}
/* From 1. */
static inline int64_t fsr_ticket_number(int64_t ticket) {
    return ticket >> 2;
}
/* Whether `given` tickets of its lane have such a one. */
static inline bool fsr_ticket_is(int64_t ticket, const int64_t *given) {
    return ticket > 0 && (ticket & 3) < FSR_LANES && (ticket >> 2) >= 1 && (ticket >> 2) <= given[ticket & 3];
}
static inline int fsr_ticket_place(int64_t ticket) {
    return (int)((ticket >> 2) % FSR_LANE_PLACES);
}

#endif

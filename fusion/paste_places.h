/* SPDX-License-Identifier: MIT */
/* Pastes that choose among places of one array, found in a flow. */
#ifndef FUSOR_FUSION_PASTE_PLACES_H
#define FUSOR_FUSION_PASTE_PLACES_H

#include "fusion/flow.h"
#include "fusion/target.h"

/* On a GPU what is pasted together of places of one array is taken from it at a computed place, and what is pasted
 * together of one operation's results is that operation of what is pasted together. Rewrites are done before.
 * FSR_ERR_MEMORY. */
fsr_status fsr_flow_paste_places(fsr_flow *flow, const fsr_target *target);

#endif

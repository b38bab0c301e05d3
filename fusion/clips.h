/* SPDX-License-Identifier: MIT */
#ifndef FUSOR_FUSION_CLIPS_H
#define FUSOR_FUSION_CLIPS_H

#include "fusion/flow.h"
#include "fusion/target.h"

/* On a GPU floats that are clipped by literals and become integers are clipped as these, where that keeps every bit;
 * see clips.c. FSR_ERR_MEMORY. */
fsr_status fsr_flow_clip_integers(fsr_flow *flow, const fsr_target *target);

#endif

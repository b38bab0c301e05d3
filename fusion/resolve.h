/* SPDX-License-Identifier: MIT */
/* Library calls that a plan can do without. */
#ifndef FUSOR_FUSION_RESOLVE_H
#define FUSOR_FUSION_RESOLVE_H

#include "fusion/flow.h"
#include "fusion/target.h"

/* Calls that say the same with other nodes (graph/sparse.h), before passes: where the backend has them they stay,
 * without the argument that says the same with other nodes, or an argument of theirs stands in their place; elsewhere
 * that argument does. What nobody reads then goes in the passes. FSR_ERR_MEMORY. */
fsr_status fsr_flow_resolve(fsr_flow *flow, const fsr_target *target);

#endif

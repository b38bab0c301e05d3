/* SPDX-License-Identifier: MIT */
/* Products of matrices, found in a flow. */
#ifndef FUSOR_FUSION_CONTRACT_H
#define FUSOR_FUSION_CONTRACT_H

#include "fusion/flow.h"
#include "fusion/target.h"
#include "graph/matmul.h"

/* Sums of broadcast products that a matmul recorded, where they are large enough and the machine's libraries have such
 * a call, become one; the others stay what they are, and fuse. Rewrites are done before. FSR_ERR_MEMORY. */
fsr_status fsr_flow_contract(fsr_flow *flow, const fsr_target *target);

#endif

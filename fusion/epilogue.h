/* SPDX-License-Identifier: MIT */
/* What follows a library's product of matrices and becomes part of that call. */
#ifndef FUSOR_FUSION_EPILOGUE_H
#define FUSOR_FUSION_EPILOGUE_H

#include "fusion/plan.h"

/* Behind fsr_flow_contract: sums of a product's call and a bias become calls "matmul_epilogue", where the machine's
 * libraries have that and a plan may fuse. With contraction a scale goes into them too. FSR_ERR_MEMORY. */
fsr_status fsr_flow_epilogues(fsr_flow *flow, const fsr_program_options *options);

#endif

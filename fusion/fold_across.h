/* SPDX-License-Identifier: MIT */
/* Folds down the columns of a matrix whose rows are folded, too. */
#ifndef FUSOR_FUSION_FOLD_ACROSS_H
#define FUSOR_FUSION_FOLD_ACROSS_H

#include "fusion/plan.h"

/* Where there is fusion, and on a CPU, such a fold becomes rows that are combined into one, which the kernel of the
 * other fold does as it goes. Rewrites are done before. FSR_ERR_MEMORY. */
fsr_status fsr_flow_fold_across(fsr_flow *flow, const fsr_program_options *options);

#endif

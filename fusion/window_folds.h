/* SPDX-License-Identifier: MIT */
/* Folds of short windows that slide. */
#ifndef FUSOR_FUSION_WINDOW_FOLDS_H
#define FUSOR_FUSION_WINDOW_FOLDS_H

#include "fusion/plan.h"

/* Where there is fusion, built-in reductions of windows that slide along several dimensions are reductions of lines,
 * and of windows of lines. FSR_ERR_MEMORY. */
fsr_status fsr_flow_window_axes(fsr_flow *flow, const fsr_program_options *options);

/* Where there is fusion, built-in reductions of short windows are maps of the elements that the windows have at
 * each place, so that they fuse with what is before and behind them. Rewrites are done before. FSR_ERR_MEMORY. */
fsr_status fsr_flow_window_folds(fsr_flow *flow, const fsr_program_options *options);

#endif

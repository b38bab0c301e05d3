/* SPDX-License-Identifier: MIT */
/* Short rows in order without a call. */
#ifndef FUSOR_FUSION_ORDER_ROWS_H
#define FUSOR_FUSION_ORDER_ROWS_H

#include "fusion/plan.h"

/* Where there is fusion, elements of short rows by rank are maps of the row's elements, so that they fuse with what is
 * before and behind them; on a CPU where the ranks are literals. On a GPU so are short rows in order. Rewrites are done
 * before. FSR_ERR_MEMORY. */
fsr_status fsr_flow_order_rows(fsr_flow *flow, const fsr_program_options *options);

#endif

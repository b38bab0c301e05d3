/* SPDX-License-Identifier: MIT */
/* NumPy 2's table of promotion: np.promote_types of each pair, by the names used here. */
#ifndef FUSOR_TESTS_SUPPORT_PROMOTED_H
#define FUSOR_TESTS_SUPPORT_PROMOTED_H

#include "fusor/dtype.h"

/* What NumPy 2 promotes the two to; FSR_DTYPE_COUNT where it has none of them, or of that name. */
fsr_dtype promoted_by_numpy(fsr_dtype a, fsr_dtype b);

#endif

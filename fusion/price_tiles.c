/* SPDX-License-Identifier: MIT */
/* What tiles of computed values cost a GPU beside their operations and bytes (nest.h): each element is asked where it
 * stands, and blocks that begin at once wait for the same thing at the same time. Tiles are whole: of a picture that is
 * narrower than they are most threads have nothing. What the last ones of a wider picture leave empty is in the other
 * prices.
 *
 * Counter-example to elements alone: rows of 3 in tiles of 8 by 128 were 43 places for each element, 0.98 ms of an
 * H200 where the kernels apart take 0.3 (seed 309153).
 * Counter-example to neither: a chain of small stencils would be one kernel however few blocks there are to hide what
 * each of its nests waits for. */
#include "fusion/nest.h"
#include "fusion/price.h"
#include "fusion/schedule_gpu.h"
#include <math.h>

enum { TILE_THREADS = 256 /* of a block of tiles */ };

double fsr_price_placed(const fsr_prices *prices, double elements, bool deep) {
    return prices->placed * (deep ? FSR_AXES : FSR_AXES - 1) * elements / prices->issue;
}

double fsr_price_spread(int64_t blocks, int64_t places, int64_t elements) {
    const double narrow = 2, each = elements > 0 ? (double)blocks * (double)places / (double)elements : 1;
    return each >= narrow ? each : 1;
}

double fsr_price_waits(const fsr_prices *prices, int nests, int64_t blocks) {
    const double first = (double)fsr_nominal_threads() / TILE_THREADS;
    return (prices->begins + prices->waits * nests) * fmin(blocks > 0 ? first / (double)blocks : 0, 1);
}

/* SPDX-License-Identifier: MIT */
/* Where the arrays of a repeated kernel are; see repeat.h. */
#include "fusion/repeat.h"

fsr_beginning fsr_repeat_begins(const fsr_kernel *k, const int64_t *integer, int b, int64_t repetition) {
    const fsr_moves *m = &k->repeat->array[b];
    if (m->follows && repetition > 0) {
        b = m->follows - 1;
        m = &k->repeat->array[b];
        --repetition;
    }
    if (m->spare && (integer[k->repeat->times] - repetition) % 2 == 0)
        return (fsr_beginning){m->spare - 1, 0};
    return (fsr_beginning){b, m->step ? integer[m->first] + repetition * integer[m->step] : 0};
}

bool fsr_repeat_is_spare(const fsr_kernel *k, int b) {
    for (int a = 0; k->repeat && a < k->narrays; ++a)
        if (k->repeat->array[a].spare == b + 1)
            return true;
    return false;
}

/* SPDX-License-Identifier: MIT */
#include "tests/support/recurrence.h"

static void body(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    (void)user;
    out[0] = fsr_mul(left[0], right[0]);
    out[1] = fsr_add(fsr_mul(left[1], right[0]), right[1]);
}

const fsr_operator linear_recurrence = {body, NULL, 2, {1, 0}, false, {NULL}};

/* SPDX-License-Identifier: MIT */
/* Runs with the arguments of the run before: what that one found of them, and the addresses that it made, hold again.
 *
 * Of a small kernel the call is what costs, and most of it was looking at arguments that a loop gives again and again.
 * Known are those that were used where they lie: what is copied, a parameter's value, and bools, which are looked at,
 * may have changed since. So may a name under its address, and memory that stands where other memory stood: both are
 * asked for each time. */
#include "runtime/array.h"
#include "runtime/plan_parts.h"
#include <string.h>

void fsr_plan_forget(fsr_plan *plan) {
    plan->nknown = -1;
    plan->valued = false;
}

void fsr_plan_know(fsr_plan *plan, const fsr_arg *arg, const char *name, int number, int slot) {
    if (name && number >= plan->nleaves)
        return;
    const bool asked = plan->ctx->backend->ops->locate && arg->place == FSR_DEVICE && arg->data && arg->bytes;
    plan->known[name ? number : slot] =
        (plan_known){name, arg->data, arg->bytes, arg->place, asked ? &plan->seen[slot] : NULL};
}

/* An output stands behind all leaves, known or not, as in the other arrays of the plan. */
void fsr_plan_keep(fsr_plan *plan, int ninputs) {
    bool stay = !plan->valued;
    for (int i = 0; i < plan->nleaves + plan->nouts; ++i)
        stay = stay && !plan->borrowed[i];
    for (int i = 0; i < plan->nleaves; ++i)
        stay = stay && (plan->leaf[i].buffer || plan->leaf[i].dtype != FSR_BOOL);
    plan->nknown = stay ? ninputs : -1;
}

static bool is_same(const fsr_plan *plan, const plan_known *known, const fsr_arg *arg) {
    return known->data == arg->data && known->bytes == arg->bytes && known->place == arg->place &&
           (!known->seen || fsr_place_holds(plan->ctx, known->seen));
}

bool fsr_plan_again(const fsr_plan *plan, const fsr_arg *inputs, int ninputs, const fsr_arg *outputs) {
    if (plan->nknown != ninputs)
        return false;
    for (int i = 0; i < ninputs; ++i)
        if (!is_same(plan, &plan->known[i], &inputs[i]) || !inputs[i].name ||
            strcmp(plan->known[i].name, inputs[i].name) != 0)
            return false;
    for (int i = 0; i < plan->nouts; ++i)
        if (!is_same(plan, &plan->known[plan->nleaves + i], &outputs[i]))
            return false;
    return true;
}

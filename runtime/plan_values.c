/* SPDX-License-Identifier: MIT */
/* What a plan takes and gives: its named arguments and its outputs. One name is one argument, however many leaves
 * have it. */
#include "graph/sized.h"
#include "runtime/array.h"
#include "runtime/plan_parts.h"
#include <string.h>

/* True if an earlier leaf, or scalar, has the name of number i. */
static bool leaf_named_before(const fsr_plan *plan, int i) {
    for (int j = 0; j < i; ++j)
        if (plan->leaf[j].name && strcmp(plan->leaf[i].name, plan->leaf[j].name) == 0)
            return true;
    return false;
}

static bool scalar_named_before(const fsr_plan *plan, int i) {
    for (int j = 0; j < i; ++j)
        if (plan->scalar[j].name && strcmp(plan->scalar[i].name, plan->scalar[j].name) == 0)
            return true;
    return false;
}

/* Every byte is set: the answer is copied as it lies, with what stands between its fields. */
static void describe(fsr_plan_value *out, const char *name, fsr_dtype dtype, const fsr_shape *shape, int64_t bytes) {
    memset(out, 0, sizeof *out);
    out->name = name;
    out->dtype = dtype;
    out->ndim = shape->ndim;
    out->bytes = bytes;
    memcpy(out->shape, shape->dim, sizeof shape->dim[0] * (size_t)shape->ndim);
}

/* Counts the names; fills out with number `wanted` of them. */
static int walk_inputs(const fsr_plan *plan, int wanted, fsr_plan_value *out) {
    const fsr_shape scalar = {.ndim = 0};
    int n = 0;
    for (int i = 0; i < plan->nleaves; ++i) {
        const plan_leaf *leaf = &plan->leaf[i];
        if (!leaf->name || leaf_named_before(plan, i))
            continue;
        if (n++ == wanted)
            describe(out, leaf->name, leaf->dtype, &leaf->shape, leaf->bytes);
    }
    for (int i = 0; i < plan->nscalars; ++i) {
        const plan_scalar *s = &plan->scalar[i];
        if (!s->name || scalar_named_before(plan, i))
            continue;
        if (n++ == wanted) {
            describe(out, s->name, s->dtype, &scalar, (int64_t)fsr_dtype_size(s->dtype));
            out->parameter = true;
        }
    }
    return n;
}

int fsr_plan_input_count(const fsr_plan *plan) {
    return plan && fsr_context_here(plan->ctx) ? walk_inputs(plan, -1, NULL) : 0;
}

int fsr_plan_output_count(const fsr_plan *plan) {
    return plan && fsr_context_here(plan->ctx) ? plan->nouts : 0;
}

/* The checks of both questions. */
static fsr_status check(const fsr_plan *plan, const char *op, int i, int n, const fsr_plan_value *out) {
    if (!plan || !out)
        return fsr_context_fail(plan ? plan->ctx : NULL, FSR_ERR_NULL, "%s: where the answer goes is null", op);
    if (fsr_context_check(plan->ctx))
        return FSR_ERR_FORKED;
    if (i < 0 || i >= n)
        return fsr_context_fail(plan->ctx, FSR_ERR_VALUE, "%s: number %d of a plan that has %d", op, i, n);
    return FSR_OK;
}

/* Hands over as much as the caller's headers know. */
static fsr_status answer(const fsr_plan *plan, const char *op, size_t size, const fsr_plan_value *value,
                         fsr_plan_value *out) {
    const fsr_status status = fsr_sized_out(out, size, value, sizeof *value);
    return status ? fsr_context_fail(plan->ctx, status, "%s: the answer %s", op, fsr_sized_words(status)) : FSR_OK;
}

fsr_status fsr_plan_input_sized(size_t size, const fsr_plan *plan, int i, fsr_plan_value *out) {
    static const char what[] = "plan_input";
    fsr_plan_value value;
    const fsr_status status = check(plan, what, i, fsr_plan_input_count(plan), out);
    if (status)
        return status;
    walk_inputs(plan, i, &value);
    return answer(plan, what, size, &value, out);
}

fsr_status fsr_plan_output_sized(size_t size, const fsr_plan *plan, int i, fsr_plan_value *out) {
    static const char what[] = "plan_output";
    fsr_plan_value value;
    const fsr_status status = check(plan, what, i, fsr_plan_output_count(plan), out);
    if (status)
        return status;
    describe(&value, NULL, plan->out[i].dtype, &plan->out[i].shape, plan->out[i].bytes);
    return answer(plan, what, size, &value, out);
}

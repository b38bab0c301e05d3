/* SPDX-License-Identifier: MIT */
/* The verifier's rules about kernels that one launch runs several times (fusion/repeat.h). That the launch is one
 * block, and slices are inside of their arrays, is what its integers say. */
#include "fusion/loop_ir_verify.h"
#include "fusion/repeat.h"

static bool is_accessed(const fsr_kernel *k, int b) {
    bool named = false;
    for (int i = 0; i < k->naccesses; i++)
        named = named || k->access[i].buffer == b;
    for (int i = 0; i < k->ninsts; i++)
        named = named || k->inst[i].report == b + 1;
    return named;
}

/* Both are given, and integers. */
static bool check_slices(const fsr_check *v, const fsr_moves *m) {
    return (!m->first && !m->step) ||
           (m->first >= FSR_INT_EXTENT && m->first < v->k->nints && m->step >= FSR_INT_EXTENT && m->step < v->k->nints);
}

/* A state is read where it was written, by its own dtype. */
static bool check_follows(const fsr_check *v, int b) {
    const fsr_kernel *k = v->k;
    const fsr_moves *m = &k->repeat->array[b];
    const int of = m->follows - 1;
    return !m->follows ||
           (fsr_check_range(of, k->narrays) && k->array[of].written && !k->array[b].written && !m->step && !m->spare &&
            !k->repeat->array[of].follows && k->array[of].dtype == k->array[b].dtype);
}

static bool check_spare(const fsr_check *v, int b) {
    const fsr_kernel *k = v->k;
    const fsr_moves *m = &k->repeat->array[b];
    const int of = m->spare - 1;
    if (!m->spare)
        return true;
    if (!fsr_check_range(of, k->narrays) || of == b || m->step || !k->array[b].written || !k->array[of].written ||
        k->array[of].dtype != k->array[b].dtype || is_accessed(k, of) || k->repeat->array[of].spare)
        return false;
    for (int a = 0; a < k->narrays; a++)
        if (a != b && (k->repeat->array[a].spare == m->spare || k->repeat->array[a].follows == m->spare))
            return false;
    return true;
}

bool fsr_check_repeat(const fsr_check *v) {
    const fsr_kernel *k = v->k;
    const fsr_repeat *r = k->repeat;
    const fsr_schedule_kind kind = k->schedule.kind;
    if (!r)
        return true;
    if (k->schedule.target != FSR_TARGET_GPU || k->nests || k->live || k->schedule.wide ||
        (kind != FSR_SCHEDULE_MAP && kind != FSR_SCHEDULE_ROW && kind != FSR_SCHEDULE_COL))
        return fsr_check_bad(v, "a kernel of this schedule is not repeated");
    if (r->times < FSR_INT_EXTENT || r->times >= k->nints)
        return fsr_check_bad(v, "repeated as integer %d of %d says", r->times, k->nints);
    if (r->number && (!fsr_check_range(r->number - 1, k->nscalars) || k->scalar[r->number - 1] != FSR_I64))
        return fsr_check_bad(v, "scalar %d is no number of a repetition", r->number - 1);
    for (int b = 0; b < k->narrays; b++)
        if (!check_slices(v, &r->array[b]) || !check_follows(v, b) || !check_spare(v, b))
            return fsr_check_bad(v, "array %d goes on in no way that a repetition knows", b);
    return true;
}

/* SPDX-License-Identifier: MIT */
/* The loop IR's verifier: every rule of loop_ir.h that can be seen without running.
 *
 * Each rule is one small function; the first violation is written into `why` with the instruction's number, and the
 * walk ends. Later rules rely on earlier ones (limits before indices, indices before dtypes), so nothing here reads
 * outside the kernel's arrays however broken it is: what the kernel lists comes first (loop_ir_verify_tables.c), then
 * each instruction (loop_ir_verify_inst.c), then the whole and its schedule (loop_ir_verify_schedule.c). */
#include "fusion/loop_ir_verify.h"
#include "fusion/repeat.h"
#include "graph/message.h"
#include <stdarg.h>

bool fsr_check_bad(const fsr_check *v, const char *format, ...) {
    if (!v->why || v->size == 0)
        return false;
    int n = v->number < 0 ? 0 : snprintf(v->why, v->size, "v%d: ", v->number);
    if (n < 0 || (size_t)n >= v->size)
        return false;
    va_list args;
    va_start(args, format);
    fsr_message_list(v->why + n, v->size - (size_t)n, format, args);
    va_end(args);
    return false;
}

/* It leaves something: it stores, folds or reports. */
static bool works(const fsr_inst *inst) {
    return !fsr_inst_has_value(inst->kind) || inst->report;
}

/* Every pass does something, every fold is performed, every written array is stored. */
static bool check_whole(const fsr_check *v) {
    const fsr_kernel *k = v->k;
    for (int p = 0; p < k->npasses; p++) {
        bool any = false;
        for (int i = 0; i < k->ninsts; i++)
            any = any || (k->stand[i].level == FSR_ELEM && k->stand[i].pass == p && works(&k->inst[i]));
        if (!any)
            return fsr_check_bad(v, "pass %d has no COMBINE, no STORE and no report", p);
    }
    for (int f = 0; f < k->nfolds; f++) {
        bool done = false;
        for (int i = 0; i < k->ninsts; i++)
            done = done || (k->inst[i].kind == FSR_INST_COMBINE && k->inst[i].index == f);
        if (!done)
            return fsr_check_bad(v, "fold %d is never performed", f);
    }
    for (int b = 0; b < k->narrays; b++) {
        bool stored = !k->array[b].written || fsr_repeat_is_spare(k, b);
        for (int i = 0; i < k->ninsts; i++)
            stored = stored || (k->inst[i].kind == FSR_INST_STORE && k->access[k->inst[i].index].buffer == b) ||
                     k->inst[i].report == b + 1;
        if (!stored)
            return fsr_check_bad(v, "array %d is written but never stored", b);
    }
    return true;
}

/* It tells of an index under a guard, or of one that a guard chooses. */
static bool tells_by_guard(const fsr_kernel *k, const fsr_inst *inst) {
    const fsr_inst *index = &k->inst[inst->arg[0]];
    return inst->guard ||
           (index->kind == FSR_INST_OP && index->op == FSR_OP_WHERE && k->inst[index->arg[0]].kind == FSR_INST_GUARD);
}

/* Its one dimension is folded, and an element of it is told to be outside by a guard alone. What its operators make
 * of their identities, and whether stored elements are asked for, it does not say. */
static bool folds_along_one(const fsr_kernel *k) {
    bool folds = k->ndim == 1 && k->nparallel == 0 && k->npasses >= 1;
    for (int i = 0; i < k->ninsts; i++)
        folds = folds && !(k->stand[i].level == FSR_ELEM &&
                           (k->inst[i].filter || (k->inst[i].report && !tells_by_guard(k, &k->inst[i]))));
    return folds;
}

/* A count that ends a kernel is known before its loop begins, and inside of an extent. */
static bool check_live(const fsr_check *v) {
    const fsr_kernel *k = v->k;
    const int at = k->live - 1;
    if (!k->live)
        return true;
    return (at >= 0 && at < k->ninsts && k->inst[at].kind == FSR_INST_INSIDE && k->stand[at].level == FSR_ONCE &&
            ((k->ndim == 1 && k->nparallel == 1 && k->npasses == 0) || folds_along_one(k))) ||
           fsr_check_bad(v, "v%d does not end a kernel of one dimension", at);
}

static bool check_kernel(fsr_check *v) {
    if (!fsr_check_tables(v))
        return false;
    for (v->number = 0; v->number < v->k->ninsts; v->number++)
        if (!fsr_check_inst(v))
            return false;
    v->number = -1;
    return check_whole(v) && check_live(v) && fsr_check_schedule(v) && fsr_check_nests(v) && fsr_check_repeat(v);
}

fsr_status fsr_kernel_verify(const fsr_kernel *k, char *why, size_t size) {
    fsr_check v = {k, -1, why, size};
    if (why && size)
        why[0] = 0;
    if (!k) {
        fsr_check_bad(&v, "no kernel");
        return FSR_ERR_INTERNAL;
    }
    return check_kernel(&v) ? FSR_OK : FSR_ERR_INTERNAL;
}

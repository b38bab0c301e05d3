/* SPDX-License-Identifier: MIT */
/* What a pass evaluates: the one place that decides what a loop evaluates again.
 *
 * The loop of pass p is the closure of what the pass must do - its STOREs, its reductions' COMBINEs, the values that
 * later passes read as kept - over ELEM arguments. Two things end or widen the walk:
 *   - a `keep` value of an earlier pass ends it: the value is read, neither it nor what it was made from is evaluated;
 *   - a PICK of a scan brings its COMBINE: a scan read in a later pass and not kept is performed again there.
 * A scan is no root of its own: only its PICKs have effects, so one whose results are all read later costs nothing
 * in its own pass.
 *
 * Counter-example to "everything ELEM with pass <= p": softmax's pass 2 would load x and take the exponential again
 * although the exponentials are held in registers. */
#include "fusion/loop_ir.h"

/* What one pass touches: evaluated in its loop, or read because an earlier pass kept it. */
typedef struct fsr_need {
    bool evaluated[FSR_MAX_INSTS];
    bool read[FSR_MAX_INSTS];
} fsr_need;

static void need_value(const fsr_kernel *k, int pass, int value, fsr_need *need) {
    if (k->stand[value].level != FSR_ELEM)
        return;
    if (k->stand[value].keep && k->stand[value].pass < pass)
        need->read[value] = true;
    else
        need->evaluated[value] = true;
}

static void need_arguments(const fsr_kernel *k, int pass, int number, fsr_need *need) {
    const fsr_inst *inst = &k->inst[number];
    int argument[FSR_MAX_ARGUMENTS], n = fsr_inst_arguments(k, number, argument);
    for (int a = 0; a < n; a++)
        need_value(k, pass, argument[a], need);
    if (fsr_picks_fold(k, inst) && k->fold[inst->index].kind == FSR_FOLD_SCAN)
        need->evaluated[inst->arg[0]] = true;
}

/* An index that may be outside, of an array whose address it does not move: nobody reads it, and it is reported all the
 * same. */
static bool only_reports(const fsr_kernel *k, int number) {
    const fsr_inst *inst = &k->inst[number];
    if (inst->kind != FSR_INST_INSIDE || !inst->report)
        return false;
    for (int i = number + 1; i < k->ninsts; i++)
        if (fsr_inst_reads(k, i, number))
            return false;
    return true;
}

static bool is_root(const fsr_kernel *k, int number, int pass) {
    const fsr_inst *inst = &k->inst[number];
    if (k->stand[number].level != FSR_ELEM || k->stand[number].pass != pass)
        return false;
    return inst->kind == FSR_INST_STORE || only_reports(k, number) ||
           (inst->kind == FSR_INST_COMBINE && k->fold[inst->index].kind == FSR_FOLD_REDUCE);
}

/* Arguments have smaller numbers, so one walk from the end closes the set. */
static void close_need(const fsr_kernel *k, int pass, fsr_need *need) {
    for (int i = k->ninsts - 1; i >= 0; i--) {
        if (is_root(k, i, pass))
            need->evaluated[i] = true;
        if (need->evaluated[i])
            need_arguments(k, pass, i, need);
    }
}

/* What pass `pass` needs. Whether it must evaluate a kept value is known once every later pass's set is, so the walk is
 * over passes from the last one back. */
static void find_need(const fsr_kernel *k, int pass, fsr_need *need) {
    bool wanted[FSR_MAX_INSTS] = {false};
    for (int p = k->npasses - 1; p >= pass; p--) {
        *need = (fsr_need){{false}, {false}};
        for (int i = 0; i < k->ninsts; i++)
            need->evaluated[i] = wanted[i] && k->stand[i].pass == p;
        close_need(k, p, need);
        for (int i = 0; i < k->ninsts && p > pass; i++)
            wanted[i] = wanted[i] || need->read[i];
    }
    if (pass >= k->npasses)
        *need = (fsr_need){{false}, {false}};
}

int fsr_kernel_pass_body(const fsr_kernel *k, int pass, int *out) {
    fsr_need need;
    int n = 0;
    find_need(k, pass, &need);
    for (int i = 0; i < k->ninsts; i++)
        if (need.evaluated[i])
            out[n++] = i;
    return n;
}

int fsr_kernel_rows(const fsr_kernel *k, int pass, int *out) {
    int n = 0;
    for (int i = 0; i < k->ninsts; i++)
        if (k->stand[i].level == FSR_ROW && k->stand[i].pass == pass)
            out[n++] = i;
    return n;
}

int fsr_kernel_once(const fsr_kernel *k, int *out) {
    int n = 0;
    for (int i = 0; i < k->ninsts; i++)
        if (k->stand[i].level == FSR_ONCE)
            out[n++] = i;
    return n;
}

bool fsr_kernel_reads_kept(const fsr_kernel *k, int pass, int value) {
    fsr_need need;
    if (!k->stand[value].keep || k->stand[value].level != FSR_ELEM || k->stand[value].pass != pass)
        return false;
    for (int later = pass + 1; later < k->npasses; later++) {
        find_need(k, later, &need);
        if (need.read[value])
            return true;
    }
    return false;
}

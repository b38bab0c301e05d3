/* SPDX-License-Identifier: MIT */
/* A fold of the interpreter: the tree of a reduction, the running state of a scan. */
#include "fusion/interpret_fold.h"
#include <string.h>

void fsr_running_begin(fsr_running *r, const fsr_combine *c) {
    r->count = 0;
    memcpy(r->sum.part, c->identity, sizeof c->identity);
    memcpy(r->now.part, c->identity, sizeof c->identity);
}

void fsr_running_reduce(fsr_running *r, const fsr_combine *c, fsr_state x) {
    int i = 0;
    for (; (r->count >> i) & 1; i++)
        fsr_combine_eval(c, x.part, r->level[i].part, x.part);
    r->level[i] = x;
    r->count++;
}

void fsr_running_end(fsr_running *r, const fsr_combine *c) {
    bool any = false;
    for (int i = 0; i < FSR_TREE_DEPTH - 1; i++) {
        if (!((r->count >> i) & 1))
            continue;
        if (any)
            fsr_combine_eval(c, r->now.part, r->level[i].part, r->now.part);
        else
            r->now = r->level[i];
        any = true;
    }
}

void fsr_running_scan(fsr_running *r, const fsr_fold *f, fsr_state x) {
    if (f->exclusive)
        r->now = r->sum;
    if (r->count++ || f->combine->sequential)
        fsr_combine_eval(f->combine, r->sum.part, r->sum.part, x.part);
    else
        r->sum = x;
    if (!f->exclusive)
        r->now = r->sum;
}

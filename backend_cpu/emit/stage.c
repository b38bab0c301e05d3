/* SPDX-License-Identifier: MIT */
/* What the stages of a loop hand to each other, in generated C: an array over a strip for each value that a later stage
 * reads. Which these are, and the stages themselves, say fusion/walk.h's functions. */
#include "backend_cpu/emit/parts.h"

static bool lists(const fsr_body *loop, int value) {
    for (int i = 0; i < loop->n; i++)
        if (loop->inst[i] == value)
            return true;
    return false;
}

static bool reads(const fsr_c_emit *e, const fsr_body *loop, int value) {
    for (int i = 0; i < loop->n; i++) {
        int argument[FSR_MAX_ARGUMENTS], read = fsr_walk_arguments(e->k, loop->inst[i], argument);
        for (int a = 0; a < read; a++)
            if (argument[a] == value)
                return true;
    }
    return false;
}

void fsr_c_hold_arrays(fsr_c_emit *e, const fsr_body *loop) {
    int stage[FSR_MAX_INSTS];
    fsr_body_stages(e->k, loop, e->walk, stage, NULL);
    fsr_body_crossing(e->k, loop, stage, e->crossing);
    for (int i = 0; i < e->k->ninsts; i++)
        if (e->crossing[i])
            fsr_c_line(e, "%s u%d_[%d];", fsr_c_type(e->k->inst[i].dtype), i, e->grouped ? e->s->group : e->s->strip);
}

void fsr_c_take(fsr_c_emit *e, const fsr_body *part, const char *at) {
    for (int i = 0; i < e->k->ninsts; i++)
        if (e->crossing[i] && !lists(part, i) && reads(e, part, i))
            fsr_c_line(e, "const %s v%d = u%d_[%s];", fsr_c_type(e->k->inst[i].dtype), i, i, at);
}

void fsr_c_hold(fsr_c_emit *e, const fsr_body *part, const char *at) {
    for (int i = 0; i < part->n && !e->checking; i++)
        if (e->crossing[part->inst[i]] && !e->dead[part->inst[i]])
            fsr_c_line(e, "u%d_[%s] = v%d;", part->inst[i], at, part->inst[i]);
}

/* SPDX-License-Identifier: MIT */
/* What the stages of a loop hand to each other, in generated C: an array over a strip for each value that a later stage
 * reads. Which these are, and the stages themselves, say fusion/walk.h's functions. */
#include "backend_cpu/emit/math.h"
#include "backend_cpu/emit/parts.h"
#include <stdio.h>
#include <string.h>

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

/* An index of 32 bits is held as one, what is true or false as a block of rows has it. */
static const char *held_as(const fsr_c_emit *e, int number) {
    return fsr_c_is_inside_narrow(e, number) ? fsr_c_type(FSR_I32) : fsr_c_row_type(e, number);
}

void fsr_c_hold_arrays(fsr_c_emit *e, const fsr_body *loop) {
    int stage[FSR_MAX_INSTS];
    fsr_body_stages(e->k, loop, e->walk, stage, NULL);
    fsr_body_crossing(e->k, loop, stage, e->crossing);
    const int each = fsr_c_lies_beside(e, loop) ? e->s->beside : 1;
    for (int i = 0; i < e->k->ninsts; i++)
        if (e->crossing[i])
            fsr_c_line(e, "%s u%d_[%d];", held_as(e, i), i, e->abreast ? each * e->s->abreast : e->s->strip);
}

bool fsr_c_is_needed(const fsr_c_emit *e, const fsr_body *part) {
    for (int i = 0; i < part->n; i++)
        if (!e->dead[part->inst[i]])
            return true;
    return false;
}

/* Of a piece whose elements lie side by side an index is the first one's, and how far the loop has come. */
static void take_going(fsr_c_emit *e, int value) {
    const fsr_c_along *along = e->along_piece;
    char on[FSR_EMIT_NAME] = "";
    if (e->going[value] == FSR_GOES_ON && !e->still)
        snprintf(on, sizeof on, " + (%s - q)", along->var);
    fsr_c_line(e, "const %s v%d = u%d_[q%s]%s;", fsr_c_type(e->k->inst[value].dtype), value, value, along->less, on);
}

void fsr_c_take(fsr_c_emit *e, const fsr_body *part, const char *at) {
    for (int i = 0; i < e->k->ninsts; i++) {
        if (!e->crossing[i] || lists(part, i) || !reads(e, part, i))
            continue;
        if (e->along_piece && e->going[i] != FSR_GOES_ANYWHERE)
            take_going(e, i);
        else
            fsr_c_line(e, "const %s v%d = u%d_[%s];", fsr_c_row_type(e, i), i, i, at);
    }
}

void fsr_c_hold(fsr_c_emit *e, const fsr_body *part, const char *at) {
    for (int i = 0; i < part->n && !e->checked; i++)
        if (e->crossing[part->inst[i]] && !e->dead[part->inst[i]])
            fsr_c_line(e, "u%d_[%s] = %sv%d;", part->inst[i], at,
                       fsr_c_is_inside_narrow(e, part->inst[i]) ? "(i32)" : "", part->inst[i]);
}

/* "fsr_philox_row" of "fsr_philox($a, $b, $c)"; it is known as used. */
static void row_name(fsr_c_emit *e, const fsr_inst *inst, char out[FSR_EMIT_NAME]) {
    const char *text = fsr_op_get(inst->op)->c[fsr_dtype_class(inst->compute)];
    snprintf(out, FSR_EMIT_NAME, "%.*s_row", (int)strcspn(text, "("), text);
    const int math = fsr_c_math_find(out);
    if (math >= 0)
        e->math[math] = true;
    else
        e->body.failed = true;
}

/* What is the same for the whole strip is evaluated first. */
void fsr_c_blocks(fsr_c_emit *e, const fsr_body *part, const char *n) {
    fsr_c_begin(e, "%s", "");
    for (int i = 0; i < part->n; i++) {
        const fsr_inst *inst = &e->k->inst[part->inst[i]];
        const bool own = inst->kind == FSR_INST_INDEX && inst->index == fsr_kernel_inner(e->k);
        if (e->dead[part->inst[i]] || own)
            continue;
        if (!e->crossing[part->inst[i]]) {
            fsr_c_insts(e, &part->inst[i], 1);
            continue;
        }
        const int last = fsr_op_get(inst->op)->arity - 1;
        char name[FSR_EMIT_NAME], same[FSR_EMIT_NAME];
        fsr_text call = {0};
        row_name(e, inst, name);
        for (int a = 0; a < last; a++)
            fsr_text_add(&call, "%s, ", fsr_c_value_name(e, inst->arg[a], same));
        fsr_c_line(e, "%s(u%d_, %s, %su%d_);", name, part->inst[i], n, call.data ? call.data : "", inst->arg[last]);
        e->body.failed |= call.failed | !e->crossing[inst->arg[last]];
        fsr_text_free(&call);
    }
    fsr_c_end(e);
}

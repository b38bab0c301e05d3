/* SPDX-License-Identifier: MIT */
/* What the instructions of a kernel and of the regions in it have in common, in generated C: constants, operations,
 * calls. Who prints them says what their operands are called. */
#include "backend_cpu/emit/parts.h"

/* ", (const u16 *)x2 + n9, n5": a whole array, and how many elements it has. */
static void put_array(fsr_c_emit *e, fsr_text *to, const fsr_access *a, fsr_dtype dtype) {
    const int offset = e->k->form[a->form].offset;
    char name[FSR_EMIT_NAME];
    fsr_text_add(to, ", (const %s *)x%d", fsr_raw_type(dtype), a->buffer);
    if (offset >= 0)
        fsr_text_add(to, " + %s", fsr_c_integer(e, offset, name));
    fsr_text_add(to, ", %s", fsr_c_integer(e, a->size, name));
}

static void put_called(fsr_c_emit *e, fsr_text *to, const fsr_inst *inst, fsr_c_namer name, const void *of) {
    const fsr_routine *f = e->k->routine[inst->index];
    char buf[FSR_EMIT_NAME];
    fsr_text_add(to, "%s(", f->symbol);
    for (int a = 0; a < f->nparams; a++)
        fsr_text_add(to, "%s%s", a ? ", " : "", name(of, inst->arg[a], buf));
    for (int i = 0; i < f->narrays; i++)
        put_array(e, to, &e->k->access[fsr_call_array(e->k, inst, i)], f->dtype[f->nparams + i]);
    fsr_text_add(to, ")");
}

/* "const user_f_1_all all5 = user_f_1(v2, v3);", unless it stands there. Gives the call whose results these are. */
static int put_all(fsr_c_emit *e, const fsr_inst *inst, fsr_c_namer name, const void *of) {
    int first;
    fsr_text call = {0};
    if (fsr_source_call(&e->calls, e->k, (int)(inst - e->k->inst), e->depth, &first))
        return first;
    fsr_text_add(&call, "const %s_all all%d = ", e->k->routine[inst->index]->symbol, first);
    put_called(e, &call, inst, name, of);
    fsr_c_text(e, "", call.data ? call.data : "", ";");
    e->body.failed |= call.failed;
    fsr_text_free(&call);
    return first;
}

static void put_call(fsr_c_emit *e, fsr_text *to, const fsr_inst *inst, fsr_c_namer name, const void *of) {
    const fsr_routine *f = e->k->routine[inst->index];
    const int all = f->nresults ? put_all(e, inst, name, of) : -1;
    fsr_text_add(to, "%s", fsr_c_round(e, f->result));
    if (all >= 0)
        fsr_text_add(to, "all%d.c%d", all, f->component);
    else
        put_called(e, to, inst, name, of);
    fsr_text_add(to, "%s", fsr_c_close(f->result));
}

void fsr_c_scalar(fsr_c_emit *e, fsr_text *to, const fsr_inst *inst, fsr_c_namer name, const void *of) {
    char names[3][FSR_EMIT_NAME];
    const char *arg[3] = {"", "", ""};
    switch (inst->kind) {
    case FSR_INST_CONST: fsr_c_literal(to, inst->dtype, inst->value); break;
    case FSR_INST_CALL: put_call(e, to, inst, name, of); break;
    case FSR_INST_OP:
        for (int a = 0; a < fsr_op_get(inst->op)->arity; a++)
            arg[a] = name(of, inst->arg[a], names[a]);
        fsr_c_op(e, to, inst->op, inst->compute, inst->dtype, arg);
        break;
    default: to->failed = true;
    }
}

/* "fsr_clip(t3, m0_0)": index j of what is taken, inside of its table. One that is a number of 32 bits made wider stays
 * what it was: as many again of them are clipped, and taken at, by an instruction. */
static void put_inside(fsr_c_emit *e, fsr_text *to, const fsr_region *r, const fsr_inst *inst, int j, fsr_c_namer name,
                       const void *of) {
    const fsr_inst *index = &r->inst[inst->arg[j]];
    const bool narrow = inst->mode == FSR_INDEX_CLIP && fsr_inst_widens(index);
    char text[FSR_EMIT_NAME];
    e->modes[inst->mode] |= !narrow;
    e->narrow_modes[inst->mode] |= narrow;
    fsr_text_add(to, "fsr_%s%s(%s, m%d_%d)", fsr_index_mode_name(inst->mode), narrow ? "_narrow" : "",
                 name(of, narrow ? index->arg[0] : inst->arg[j], text), inst->index, j);
}

/* "h0[fsr_clip(t3, m0_0) * w0_0]": an element of a loop's table. */
static void put_taken(fsr_c_emit *e, fsr_text *to, const fsr_region *r, const fsr_inst *inst, fsr_c_namer name,
                      const void *of) {
    fsr_text_add(to, "%sh%d[", fsr_c_load(e, inst->dtype), inst->index);
    for (int j = 0; j < inst->component; j++) {
        fsr_text_add(to, "%s", j ? " + " : "");
        put_inside(e, to, r, inst, j, name, of);
        fsr_text_add(to, " * w%d_%d", inst->index, j);
    }
    fsr_text_add(to, "]%s", fsr_c_close(inst->dtype));
}

void fsr_c_region(fsr_c_emit *e, const fsr_region *r, int from, int to, const char *margin, fsr_c_namer name,
                  const void *of) {
    fsr_text *t = &e->folds;
    char buf[FSR_EMIT_NAME];
    for (int i = from; i < to; i++) {
        if (r->inst[i].kind == FSR_INST_PARAM)
            continue;
        fsr_text_add(t, "%sconst %s %s = ", margin, fsr_c_type(r->inst[i].dtype), name(of, i, buf));
        if (r->inst[i].kind == FSR_INST_LOAD)
            put_taken(e, t, r, &r->inst[i], name, of);
        else
            fsr_c_scalar(e, t, &r->inst[i], name, of);
        fsr_text_add(t, ";\n");
    }
}

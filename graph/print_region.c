/* SPDX-License-Identifier: MIT */
/* Regions as text, in the graph's lines and in the loop IR's: one grammar, two ways to end an instruction. */
#include "graph/print.h"

fsr_region_text fsr_combine_text(const fsr_combine *c, bool lines) {
    return (fsr_region_text){.set = {{"left", c->arity}, {"right", c->arity}, {"same", fsr_combine_same(c)}},
                             .lines = lines};
}

fsr_region_text fsr_iteration_text(const fsr_iteration *loop, bool lines) {
    return (fsr_region_text){.set = {{"state", loop->nstate}, {"arg", loop->narg}, {"same", fsr_iteration_same(loop)}},
                             .condition = true,
                             .lines = lines};
}

void fsr_write_scalar(fsr_writer *w, const fsr_inst *inst, const char *letter) {
    if (inst->kind == FSR_INST_CONST) {
        fsr_write_value(w, inst->dtype, inst->value);
        return;
    }
    const fsr_op_info *info = fsr_op_get(inst->op);
    fsr_write(w, info->name);
    if (info->rule != FSR_RULE_SAME && info->rule != FSR_RULE_FLOAT && info->rule != FSR_RULE_SELECT)
        fsr_write_piece(w, ".%s", fsr_dtype_name(inst->compute));
    for (int a = 0; a < info->arity; a++)
        fsr_write_piece(w, "%s%s%d", a ? ", " : "(", letter, inst->arg[a]);
    fsr_write(w, ")");
}

/* clip table0(t3, t4) */
static void write_load(fsr_writer *w, const fsr_inst *inst) {
    fsr_write_piece(w, "%s table%d", fsr_index_mode_name(inst->mode), inst->index);
    for (int k = 0; k < inst->component; k++)
        fsr_write_piece(w, "%st%d", k ? ", " : "(", inst->arg[k]);
    fsr_write(w, ")");
}

static void write_argument(fsr_writer *w, const fsr_region_text *text, int number) {
    int g = 0;
    for (; g + 1 < FSR_REGION_SETS && number >= text->set[g].n; g++)
        number -= text->set[g].n;
    fsr_write_piece(w, "%s%d", text->set[g].name, number);
}

static void write_results(fsr_writer *w, const fsr_region *r, const fsr_region_text *text) {
    const int n = r->nresults - text->condition;
    if (text->condition)
        fsr_write_piece(w, "while t%d ", r->result[n]);
    for (int i = 0; i < n; i++)
        fsr_write_piece(w, i ? ", t%d" : "gives t%d", r->result[i]);
}

void fsr_write_region(fsr_writer *w, const fsr_region *r, const fsr_region_text *text) {
    const char *margin = text->lines ? "    " : "";
    for (int i = 0; i < r->ninsts; i++) {
        const fsr_inst *inst = &r->inst[i];
        fsr_write_piece(w, "%st%d = %s ", margin, i, fsr_dtype_name(inst->dtype));
        if (inst->kind == FSR_INST_PARAM)
            write_argument(w, text, inst->index);
        else if (inst->kind == FSR_INST_LOAD)
            write_load(w, inst);
        else
            fsr_write_scalar(w, inst, "t");
        fsr_write(w, text->lines ? "\n" : "; ");
    }
    fsr_write(w, margin);
    write_results(w, r, text);
    fsr_write(w, text->lines ? "\n" : "");
}

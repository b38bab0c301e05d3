/* SPDX-License-Identifier: MIT */
/* Instructions of the loop IR's text, one a line: "p1 elem v4 = f32 exp(v3) keep". A value names by its first letter
 * and a digit what it reads (s0, g0, f0.1, l0.1, l0(...)); any other word is an op, a load, an index or a call. */
#include "fusion/loop_ir_edit.h"
#include "fusion/loop_ir_parse_parts.h"
#include <string.h>

/* True if `letter` and a digit come next. */
static bool sees_number(fsr_lex *l, char letter) {
    return fsr_lex_sees(l, letter) && l->at[0] && strspn(l->at + 1, "0123456789") > 0;
}

/* "v1, v2, ..." up to a closing parenthesis, which is taken; at most `capacity` of them. Returns how many. */
static int read_values(fsr_kernel_reader *r, int *out, int capacity) {
    int n = 0;
    do {
        if (n == capacity) {
            fsr_lex_fail(&r->lex, FSR_ERR_FORMAT, "more than %d values", capacity);
            return 0;
        }
        out[n++] = fsr_lex_mark(&r->lex, "v", r->k->ninsts);
    } while (fsr_lex_try(&r->lex, ","));
    fsr_lex_expect(&r->lex, ")");
    return n;
}

/* "by add of i5": how the store combines, and the elements of its array */
static void read_combining(fsr_kernel_reader *r, fsr_inst *inst) {
    fsr_lex *l = &r->lex;
    char name[FSR_WORD_BYTES];
    inst->combines = true;
    inst->op = fsr_lex_word(l, name) ? fsr_op_find(name) : FSR_OP_COUNT;
    if (!l->status && inst->op == FSR_OP_COUNT)
        fsr_lex_fail(l, FSR_ERR_FORMAT, "there is no op %s", name);
    fsr_lex_expect(l, "of");
    inst->extent = fsr_lex_mark(l, "i", r->k->nints);
}

/* store b1[...] = v6, of a filter with "filter v2 after v7", and "front", before the sign */
static void read_store(fsr_kernel_reader *r, fsr_inst *inst) {
    fsr_lex *l = &r->lex;
    int n = r->k->ninsts;
    inst->index = fsr_read_access(r);
    inst->filter = fsr_lex_try(l, "filter");
    if (inst->filter) {
        inst->arg[1] = fsr_lex_mark(l, "v", n);
        fsr_lex_expect(l, "after");
        inst->arg[2] = fsr_lex_mark(l, "v", n);
        inst->front = fsr_lex_try(l, "front");
    }
    if (fsr_lex_try(l, "by"))
        read_combining(r, inst);
    fsr_lex_expect(l, "=");
    inst->kind = FSR_INST_STORE;
    inst->arg[0] = fsr_lex_mark(l, "v", n);
    if (!l->status)
        inst->dtype = r->k->array[r->k->access[inst->index].buffer].dtype;
}

/* f0 <- v0, v1 */
static void read_combine(fsr_kernel_reader *r, fsr_inst *inst) {
    fsr_lex *l = &r->lex;
    inst->kind = FSR_INST_COMBINE;
    inst->index = fsr_lex_mark(l, "f", r->k->nfolds);
    fsr_lex_expect(l, "<-");
    for (int c = 0; !l->status && c < r->k->fold[inst->index].combine->arity; c++) {
        if (c)
            fsr_lex_expect(l, ",");
        r->k->fold[inst->index].input[c] = fsr_lex_mark(l, "v", r->k->ninsts);
    }
}

static void read_load(fsr_kernel_reader *r, fsr_inst *inst) {
    inst->kind = FSR_INST_LOAD;
    inst->index = fsr_read_access(r);
    if (fsr_lex_try(&r->lex, "if"))
        inst->guard = 1 + fsr_lex_mark(&r->lex, "g", r->k->nguards);
}

/* raise(v3, i9) to b2 if g0 */
static void read_inside(fsr_kernel_reader *r, fsr_inst *inst, fsr_index_mode mode) {
    fsr_lex *l = &r->lex;
    inst->kind = FSR_INST_INSIDE;
    inst->mode = mode;
    fsr_lex_expect(l, "(");
    inst->arg[0] = fsr_lex_mark(l, "v", r->k->ninsts);
    fsr_lex_expect(l, ",");
    inst->index = fsr_lex_mark(l, "i", r->k->nints);
    fsr_lex_expect(l, ")");
    if (fsr_lex_try(l, "to"))
        inst->report = 1 + fsr_lex_mark(l, "b", r->k->narrays);
    if (fsr_lex_try(l, "if"))
        inst->guard = 1 + fsr_lex_mark(l, "g", r->k->nguards);
}

static bool read_insides(fsr_kernel_reader *r, fsr_inst *inst) {
    for (int b = 0; fsr_index_mode_name((fsr_index_mode)b); b++)
        if (fsr_lex_try(&r->lex, fsr_index_mode_name((fsr_index_mode)b))) {
            read_inside(r, inst, (fsr_index_mode)b);
            return true;
        }
    return false;
}

static void read_call(fsr_kernel_reader *r, fsr_inst *inst) {
    inst->kind = FSR_INST_CALL;
    inst->index = fsr_lex_mark(&r->lex, "u", r->k->nroutines);
    fsr_lex_expect(&r->lex, "(");
    int n = read_values(r, inst->arg, FSR_MAX_OPERANDS);
    const fsr_routine *f = r->lex.status ? NULL : r->k->routine[inst->index];
    if (f && n != f->nparams)
        fsr_lex_fail(&r->lex, FSR_ERR_FORMAT, "the function takes %d values", f->nparams);
    for (int i = 0; !r->lex.status && i < f->narrays && fsr_lex_expect(&r->lex, "from"); i++) {
        const int buffer = fsr_lex_mark(&r->lex, "b", r->k->narrays);
        const int offset = fsr_lex_try(&r->lex, "at") ? fsr_lex_mark(&r->lex, "i", r->k->nints) : -1;
        fsr_lex_expect(&r->lex, "of");
        inst->arg[n + i] = fsr_read_begin(r, buffer, offset, fsr_lex_mark(&r->lex, "i", r->k->nints));
    }
}

/* f0.1 or l0.1, behind fold or loop `index`, which an earlier instruction `by` performs. */
static void read_pick(fsr_kernel_reader *r, fsr_inst *inst, fsr_inst_kind by, int index) {
    int64_t component;
    const fsr_kernel *k = r->k;
    int at = 0;
    while (at < k->ninsts && (k->inst[at].kind != by || k->inst[at].index != index))
        at++;
    if (at == k->ninsts)
        fsr_lex_fail(&r->lex, FSR_ERR_FORMAT, "nothing before performs that");
    inst->kind = FSR_INST_PICK;
    inst->arg[0] = at;
    inst->index = index;
    fsr_lex_expect(&r->lex, ".");
    fsr_lex_int(&r->lex, 0, FSR_MAX_OUTPUTS - 1, &component);
    inst->component = (int)component;
}

/* l0(v0, v0, v1), what the loop takes, or l0.1, a result of it. */
static void read_iterate(fsr_kernel_reader *r, fsr_inst *inst) {
    fsr_kernel *k = r->k;
    inst->kind = FSR_INST_ITERATE;
    inst->index = fsr_lex_mark(&r->lex, "l", k->nloops);
    if (fsr_lex_sees(&r->lex, '.')) {
        read_pick(r, inst, FSR_INST_ITERATE, inst->index);
        return;
    }
    fsr_lex_expect(&r->lex, "(");
    if (r->lex.status)
        return;
    fsr_turns *loop = &k->loop[inst->index];
    const int n = loop->program->nstate + loop->program->narg;
    if (read_values(r, loop->input, FSR_MAX_ARGS) != n && !r->lex.status)
        fsr_lex_fail(&r->lex, FSR_ERR_FORMAT, "the loop takes %d values", n);
}

static void read_value(fsr_kernel_reader *r, fsr_inst *inst) {
    fsr_lex *l = &r->lex;
    if (sees_number(l, 's')) {
        inst->kind = FSR_INST_PARAM;
        inst->index = fsr_lex_mark(l, "s", r->k->nscalars);
    } else if (sees_number(l, 'g')) {
        inst->kind = FSR_INST_GUARD;
        inst->index = fsr_lex_mark(l, "g", r->k->nguards);
    } else if (sees_number(l, 'f')) {
        read_pick(r, inst, FSR_INST_COMBINE, fsr_lex_mark(l, "f", r->k->nfolds));
    } else if (sees_number(l, 'l')) {
        read_iterate(r, inst);
    } else if (fsr_lex_try(l, "index")) {
        inst->kind = FSR_INST_INDEX;
        inst->index = fsr_lex_mark(l, "d", r->k->ndim);
    } else if (fsr_lex_try(l, "load")) {
        read_load(r, inst);
    } else if (read_insides(r, inst)) {
        return;
    } else if (fsr_lex_try(l, "call")) {
        read_call(r, inst);
    } else {
        fsr_lex_scalar(l, "v", r->k->ninsts, inst);
    }
}

void fsr_read_inst(fsr_kernel_reader *r) {
    fsr_lex *l = &r->lex;
    fsr_kernel *k = r->k;
    int64_t pass;
    if (k->ninsts == FSR_MAX_INSTS) {
        fsr_lex_fail(l, FSR_ERR_FORMAT, "more than %d instructions", FSR_MAX_INSTS);
        return;
    }
    fsr_inst *inst = &k->inst[k->ninsts];
    fsr_stand *stand = &k->stand[k->ninsts];
    *inst = fsr_inst_blank(FSR_INST_CONST, FSR_BOOL, -1);
    fsr_lex_int(l, 0, k->npasses, &pass);
    *stand = (fsr_stand){.pass = (int8_t)pass};
    stand->level = fsr_lex_try(l, "elem") ? FSR_ELEM : fsr_lex_try(l, "once") ? FSR_ONCE : FSR_ROW;
    if (stand->level == FSR_ROW)
        fsr_lex_expect(l, "row");
    if (fsr_lex_try(l, "store")) {
        read_store(r, inst);
    } else if (sees_number(l, 'f')) {
        read_combine(r, inst);
    } else {
        if (fsr_lex_mark(l, "v", k->ninsts + 1) != k->ninsts)
            fsr_lex_fail(l, FSR_ERR_FORMAT, "values count up by instruction");
        fsr_lex_expect(l, "=");
        fsr_lex_dtype(l, &inst->dtype);
        read_value(r, inst);
    }
    stand->keep = fsr_lex_try(l, "keep");
    stand->gathered = fsr_lex_try(l, "gathered");
    stand->staged = fsr_lex_try(l, "staged");
    if (fsr_lex_try(l, "twinned"))
        stand->twinned = fsr_lex_try(l, "before")      ? FSR_TWIN_BEFORE
                         : fsr_lex_expect(l, "behind") ? FSR_TWIN_BEHIND
                                                       : FSR_TWIN_NONE;
    inst->tame = fsr_lex_try(l, "tame");
    inst->odd = fsr_lex_try(l, "odd");
    k->ninsts++;
}

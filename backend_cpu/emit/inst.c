/* SPDX-License-Identifier: MIT */
/* Instructions in generated C: names of values, addresses, one instruction a line, kept values. */
#include "backend_cpu/emit/parts.h"
#include <stdio.h>
#include <string.h>

/* ---- names of values and addresses -------------------------------------------------------------- */

bool fsr_c_invariant(const fsr_inst *inst) {
    return inst->kind == FSR_INST_CONST || inst->kind == FSR_INST_PARAM;
}

const char *fsr_c_value_name(const fsr_c_emit *e, int value, char *out) {
    const fsr_inst *inst = &e->k->inst[value];
    bool array = e->grouped && inst->level == FSR_ROW && !fsr_c_invariant(inst);
    snprintf(out, FSR_EMIT_NAME, "v%d%s", value, array ? "[j]" : "");
    return out;
}

/* Adds "+ var * stride" of dimension d to an address. */
static void put_term(fsr_c_emit *e, fsr_text *to, const fsr_index_form *a, int d, const char *var) {
    char name[FSR_EMIT_NAME];
    if (a->stride[d] == FSR_STRIDE_ZERO)
        return;
    fsr_text_add(to, "%s%s", to->size ? " + " : "", var);
    if (a->stride[d] == FSR_STRIDE_VAR)
        fsr_text_add(to, " * %s", fsr_c_integer(e, a->slot[d], name));
}

/* Adds "+ value * coefficient" of each symbol. */
static void put_symbols(fsr_c_emit *e, fsr_text *to, const fsr_index_form *a) {
    char name[FSR_EMIT_NAME];
    for (int t = 0; t < a->nterms; t++) {
        fsr_text_add(to, "%s%s", to->size ? " + " : "", fsr_c_value_name(e, a->term[t].value, name));
        if (a->term[t].slot)
            fsr_text_add(to, " * %s", fsr_c_integer(e, a->term[t].slot, name));
    }
}

static void put_address(fsr_c_emit *e, fsr_text *to, int access) {
    if (e->k->access[access].linear || e->k->access[access].row_linear) {
        fsr_text_add(to, "%s", e->k->access[access].linear ? e->linear : e->row);
        return;
    }
    const fsr_index_form *a = fsr_access_form(e->k, access);
    fsr_text sum = {0};
    fsr_text_add(&sum, "%s", e->base[access]);
    if (e->spread)
        put_term(e, &sum, a, e->k->nparallel - 1, "j");
    if (e->loop_dim >= 0)
        put_term(e, &sum, a, e->loop_dim, e->loop_var);
    put_symbols(e, &sum, a);
    const char *text = sum.size ? sum.data : "0";
    if (a->divisor)
        fsr_c_quotient(e, to, text, a->divisor);
    else
        fsr_text_add(to, "%s", text);
    to->failed |= sum.failed;
    fsr_text_free(&sum);
}

void fsr_c_condition_sum(fsr_c_emit *e, fsr_text *to, const fsr_condition *c, int without) {
    const fsr_index_form *at = &e->k->form[c->form];
    char name[FSR_EMIT_NAME];
    if (at->offset >= 0)
        fsr_text_add(to, "%s", fsr_c_integer(e, at->offset, name));
    for (int d = 0; d < e->k->ndim; d++) {
        char index[FSR_EMIT_NAME + 2];
        snprintf(index, sizeof index, "(%s)", e->index[d]);
        if (d != without)
            put_term(e, to, at, d, index);
    }
    put_symbols(e, to, at);
}

/* "((u64)(n9 + (i1)) < (u64)n10)": unsigned, so that one comparison sees both ends. With a step: whether the quotient
 * is at most the last one (cut.c). */
void fsr_c_condition(fsr_c_emit *e, fsr_text *to, int condition) {
    const fsr_condition *c = &e->k->condition[condition];
    char name[FSR_EMIT_NAME];
    fsr_text sum = {0};
    fsr_c_condition_sum(e, &sum, c, -1);
    const char *text = sum.size ? sum.data : "0";
    fsr_c_integer(e, c->extent, name);
    if (c->step) {
        fsr_text_add(to, "(");
        fsr_c_quotient(e, to, text, c->step);
        fsr_text_add(to, " <= last%d)", condition);
    } else {
        fsr_text_add(to, "((u64)(%s) < (u64)%s)", text, name);
    }
    to->failed |= sum.failed;
    fsr_text_free(&sum);
}

void fsr_c_put_guard(fsr_c_emit *e, fsr_text *to, int guard) {
    const fsr_guard *g = &e->k->guard[guard];
    const fsr_known known = fsr_guard_known(e->k, &e->known, guard);
    const char *and = "";
    uint64_t outer = 0;
    if (known != FSR_ASKED) {
        fsr_text_add(to, "%d", known == FSR_ALWAYS_HOLDS);
        return;
    }
    for (int i = 0; i < g->n; i++) {
        const uint64_t bit = UINT64_C(1) << g->condition[i];
        outer |= bit & e->outer & ~e->known.holds;
        if (bit & (e->known.holds | e->outer))
            continue;
        fsr_text_add(to, "%s", and);
        fsr_c_condition(e, to, g->condition[i]);
        and = " & ";
    }
    if (outer)
        fsr_text_add(to, "%s((outer & 0x%llx) == 0x%llx)", and, (unsigned long long)outer, (unsigned long long)outer);
}

/* The element where the load's guard holds, else zero. */
static void put_load(fsr_c_emit *e, fsr_text *to, const fsr_inst *inst) {
    fsr_known truth = inst->guard ? fsr_guard_known(e->k, &e->known, inst->guard - 1) : FSR_ALWAYS_HOLDS;
    fsr_text address = {0};
    if (truth == FSR_ASKED) {
        fsr_c_put_guard(e, to, inst->guard - 1);
        fsr_text_add(to, " ? ");
    }
    if (truth != FSR_NEVER_HOLDS) {
        put_address(e, &address, inst->index);
        fsr_text_add(to, "%sx%d[%s]%s", fsr_c_load(e, inst->dtype), e->k->access[inst->index].buffer,
                     address.data ? address.data : "", fsr_c_close(inst->dtype));
    }
    if (truth == FSR_ASKED)
        fsr_text_add(to, " : ");
    if (truth != FSR_ALWAYS_HOLDS)
        fsr_c_literal(to, inst->dtype, (fsr_value){0});
    to->failed |= address.failed;
    fsr_text_free(&address);
}

/* Moves every address on by `var` steps along dimension d, and names the index there. */
void fsr_c_advance(fsr_c_emit *e, int d, const char *var) {
    snprintf(e->index[d], FSR_EMIT_NAME, "%s", var);
    for (int a = 0; a < e->k->naccesses; a++) {
        const fsr_access *access = &e->k->access[a];
        const fsr_index_form *form = fsr_access_form(e->k, a);
        if (access->linear || access->row_linear || form->stride[d] == FSR_STRIDE_ZERO)
            continue;
        fsr_text t = {0};
        fsr_text_raw(&t, e->base[a], strlen(e->base[a]));
        put_term(e, &t, form, d, var);
        fsr_c_line(e, "const i64 p%d_%d = %s;", a, d, t.data ? t.data : "");
        e->body.failed |= t.failed;
        fsr_text_free(&t);
        snprintf(e->base[a], FSR_EMIT_NAME, "p%d_%d", a, d);
    }
}

/* ---- instructions ------------------------------------------------------------------------------- */

static void put_index(fsr_c_emit *e, fsr_text *to, const fsr_inst *inst) {
    const char *at = e->index[inst->index];
    if (inst->dtype == FSR_BOOL)
        fsr_text_add(to, "(%s) != 0", at);
    else if (fsr_dtype_is_half(inst->dtype) || fsr_c_whole_is(FSR_I64, inst->dtype)) {
        e->cast[FSR_I64][inst->dtype] = e->half[inst->dtype] = true;
        fsr_text_add(to, "fsr_i64_to_%s(%s)", fsr_dtype_name(inst->dtype), at);
    } else
        fsr_text_add(to, "(%s)(%s)", fsr_c_type(inst->dtype), at);
}

/* Of a strip, element l of the results; the exclusive ones are one place behind. */
static void put_scan_result(const fsr_c_emit *e, fsr_text *to, const fsr_inst *inst) {
    const fsr_fold *f = &e->k->fold[inst->index];
    if (e->grouped)
        fsr_text_add(to, "s%d_%d", inst->index, inst->component);
    else
        fsr_text_add(to, "h%d_%d[%d + l]", inst->index, inst->component, e->s->block - (f->exclusive ? 1 : 0));
}

/* A small scalar loop fetches the elements of a group of lanes. */
static bool is_gathered(const fsr_c_emit *e, const fsr_inst *inst) {
    return e->gathering && inst->gathered && !e->dead[inst - e->k->inst];
}

void fsr_c_gather(fsr_c_emit *e, const int *list, int n) {
    bool begun = false;
    e->gathering = true;
    for (int i = 0; i < n; i++)
        if (is_gathered(e, &e->k->inst[list[i]]))
            fsr_c_line(e, "%s g%d[%d];", fsr_c_storage(e->k->inst[list[i]].dtype), list[i], e->s->lanes);
    for (int i = 0; i < n; i++) {
        const fsr_inst *inst = &e->k->inst[list[i]];
        fsr_text address = {0};
        if (!is_gathered(e, inst))
            continue;
        if (!begun) {
            fsr_c_begin(e, "for (i64 l = 0; l < %d; ++l)", e->s->lanes);
            fsr_c_line(e, "__asm__(\"\");");
            fsr_c_line(e, "const i64 c = cl + l;");
        }
        begun = true;
        put_address(e, &address, inst->index);
        fsr_c_line(e, "g%d[l] = x%d[%s];", list[i], e->k->access[inst->index].buffer, address.data ? address.data : "");
        e->body.failed |= address.failed;
        fsr_text_free(&address);
    }
    if (begun)
        fsr_c_end(e);
}

static const char *value_name(const void *of, int value, char *out) {
    return fsr_c_value_name(of, value, out);
}

static void put_value(fsr_c_emit *e, fsr_text *to, int number) {
    const fsr_inst *inst = &e->k->inst[number];
    char name[FSR_EMIT_NAME];
    switch (inst->kind) {
    case FSR_INST_INDEX: put_index(e, to, inst); break;
    case FSR_INST_GUARD: fsr_c_put_guard(e, to, inst->index); break;
    case FSR_INST_BOUND: fsr_c_put_bound(e, to, inst); break;
    case FSR_INST_LOAD:
        if (is_gathered(e, inst))
            fsr_text_add(to, "%sg%d[l]%s", fsr_c_load(e, inst->dtype), number, fsr_c_close(inst->dtype));
        else
            put_load(e, to, inst);
        break;
    case FSR_INST_OP:
        if (fsr_inst_chosen(e->k, &e->known, number) >= 0)
            fsr_text_add(to, "%s", fsr_c_value_name(e, fsr_inst_chosen(e->k, &e->known, number), name));
        else
            fsr_c_scalar(e, to, inst, value_name, e);
        break;
    case FSR_INST_CALL: fsr_c_scalar(e, to, inst, value_name, e); break;
    case FSR_INST_PICK:
        if (fsr_picks_loop(e->k, inst))
            fsr_text_add(to, "b%d_%d%s", inst->arg[0], inst->component, fsr_inst_is_element(e->k, number) ? "[l]" : "");
        else if (e->k->fold[inst->index].kind == FSR_FOLD_SCAN)
            put_scan_result(e, to, inst);
        else
            fsr_text_add(to, "f%d_%d%s", inst->index, inst->component, e->grouped ? "[j]" : "");
        break;
    default: to->failed = true;
    }
}

/* "v13 >= 0": where a store takes place whose symbols may drop. */
static void put_drops(fsr_c_emit *e, fsr_text *to, const fsr_inst *inst) {
    const fsr_index_form *form = fsr_access_form(e->k, inst->index);
    char name[FSR_EMIT_NAME];
    for (int t = 0; t < form->nterms; t++)
        if (e->k->inst[form->term[t].value].bound == FSR_BOUND_DROP)
            fsr_text_add(to, "%s%s >= 0", to->size ? " & " : "", fsr_c_value_name(e, form->term[t].value, name));
}

static void put_store(fsr_c_emit *e, const fsr_inst *inst) {
    char name[FSR_EMIT_NAME];
    const int buffer = e->k->access[inst->index].buffer;
    fsr_text address = {0}, drops = {0};
    put_drops(e, &drops, inst);
    const bool streams = fsr_inst_streams(e->k, inst);
    if (streams)
        fsr_text_add(&address, "%s", e->stream_at);
    else
        put_address(e, &address, inst->index);
    fsr_dtype dtype = e->k->array[buffer].dtype;
    fsr_c_line(e, "%s%s%s%c%d[%s] = %s%s%s;", drops.size ? "if (" : "", drops.size ? drops.data : "",
               drops.size ? ") " : "", streams ? 'o' : 'x', buffer, address.data ? address.data : "",
               fsr_c_store(e, dtype), fsr_c_value_name(e, inst->arg[0], name), fsr_c_close(dtype));
    e->body.failed |= address.failed | drops.failed;
    fsr_text_free(&address);
    fsr_text_free(&drops);
}

static void put_inst(fsr_c_emit *e, int number) {
    const fsr_inst *inst = &e->k->inst[number];
    char name[FSR_EMIT_NAME];
    if (fsr_c_invariant(inst))
        return;
    if (inst->filter == FSR_FILTER_COMPACTED) {
        fsr_c_pack_store(e, number);
    } else if (inst->kind == FSR_INST_STORE) {
        put_store(e, inst);
    } else if (inst->kind == FSR_INST_COMBINE) {
        fsr_c_fold_step(e, inst->index);
    } else if (inst->kind == FSR_INST_ITERATE) {
        fsr_c_loop_begin(e, number);
    } else {
        fsr_text t = {0};
        put_value(e, &t, number);
        bool array = e->grouped && inst->level == FSR_ROW;
        fsr_c_line(e, "%s%s%s%s = %s;", array ? "" : "const ", array ? "" : fsr_c_type(inst->dtype), array ? "" : " ",
                   fsr_c_value_name(e, number, name), t.data ? t.data : "");
        e->body.failed |= t.failed;
        fsr_text_free(&t);
        if (inst->kind == FSR_INST_BOUND)
            fsr_c_put_report(e, inst);
    }
}

/* The ROW instructions before pass `pass`. */
void fsr_c_row_insts(fsr_c_emit *e, int pass) {
    int order[FSR_MAX_INSTS], work = 0;
    int n = fsr_kernel_rows(e->k, pass, order);
    for (int i = 0; i < n; i++) {
        const fsr_inst *inst = &e->k->inst[order[i]];
        if (fsr_c_invariant(inst))
            continue;
        work++;
        if (e->grouped && inst->kind != FSR_INST_STORE && inst->kind != FSR_INST_ITERATE)
            fsr_c_line(e, "%s v%d[%d];", fsr_c_type(inst->dtype), order[i], e->s->group);
    }
    if (!work)
        return;
    fsr_c_rows_begin(e);
    fsr_c_insts(e, order, n);
    fsr_c_rows_end(e);
}

void fsr_c_insts(fsr_c_emit *e, const int *list, int n) {
    for (int i = 0; i < n; i++)
        if (!e->dead[list[i]])
            put_inst(e, list[i]);
}

void fsr_c_check_limits(fsr_c_emit *e, const int *list, int n) {
    char name[FSR_EMIT_NAME];
    for (int i = 0; i < n; i++) {
        const fsr_inst *inst = &e->k->inst[list[i]];
        const char *limit =
            inst->kind == FSR_INST_OP && !e->dead[list[i]] ? fsr_c_op_limit(inst->op, inst->compute) : NULL;
        if (limit)
            fsr_c_line(e, "far |= __builtin_fabs%s(%s) > %s;", fsr_c_single(inst->compute) ? "f" : "",
                       fsr_c_value_name(e, inst->arg[0], name), limit);
    }
}

/* ---- kept values -------------------------------------------------------------------------------- */

static bool in_list(const int *list, int n, int value) {
    for (int i = 0; i < n; i++)
        if (list[i] == value)
            return true;
    return false;
}

static void mark_kept(const fsr_c_emit *e, const int *loop, int n, int value, bool *kept) {
    const fsr_inst *inst = &e->k->inst[value];
    if (inst->level == FSR_ELEM && !fsr_c_invariant(inst) && inst->kind != FSR_INST_ITERATE && !e->crossing[value] &&
        !in_list(loop, n, value))
        kept[value] = true;
}

/* The ELEM values that a loop reads without evaluating them. */
static void find_kept(const fsr_c_emit *e, const int *loop, int n, bool *kept) {
    memset(kept, 0, FSR_MAX_INSTS * sizeof *kept);
    for (int i = 0; i < n; i++) {
        int argument[FSR_MAX_ARGUMENTS], read = fsr_walk_arguments(e->k, loop[i], argument);
        for (int a = 0; a < read; a++)
            mark_kept(e, loop, n, argument[a], kept);
    }
}

/* Everything one column of a loop does. */
void fsr_c_column(fsr_c_emit *e, int pass, const int *loop, int n) {
    bool kept[FSR_MAX_INSTS];
    find_kept(e, loop, n, kept);
    for (int i = 0; i < e->k->ninsts; i++)
        if (kept[i])
            fsr_c_line(e, "const %s v%d = w%d[%s];", fsr_c_type(e->k->inst[i].dtype), i, i, e->column);
    for (int i = 0; i < n; i++) {
        put_inst(e, loop[i]);
        if (!e->checking && e->k->inst[loop[i]].pass == pass && !fsr_c_invariant(&e->k->inst[loop[i]]) &&
            fsr_kernel_reads_kept(e->k, pass, loop[i]))
            fsr_c_line(e, "w%d[%s] = v%d;", loop[i], e->column, loop[i]);
    }
    if (e->checking)
        fsr_c_check_limits(e, loop, n);
}

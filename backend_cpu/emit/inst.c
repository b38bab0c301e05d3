/* SPDX-License-Identifier: MIT */
/* Instructions in generated C: one a line, what is evaluated once, kept values. */
#include "backend_cpu/emit/parts.h"
#include <stdio.h>
#include <string.h>

/* ---- instructions ------------------------------------------------------------------------------- */

bool fsr_c_counts_short(fsr_dtype dtype) {
    return dtype == FSR_I32 || dtype == FSR_U32;
}

static void put_index(fsr_c_emit *e, fsr_text *to, const fsr_inst *inst) {
    const bool counted = e->short_index && inst->index == fsr_kernel_inner(e->k) && fsr_c_counts_short(inst->dtype);
    const char *at = counted ? "w" : e->index[inst->index];
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
    if (e->abreast)
        fsr_text_add(to, "s%d_%d", inst->index, inst->component);
    else
        fsr_text_add(to, "h%d_%d[%d + l]", inst->index, inst->component, e->s->block - (f->exclusive ? 1 : 0));
}

/* A small scalar loop fetches the elements of a batch of lanes. */
static bool is_gathered(const fsr_c_emit *e, int number) {
    return e->gathering && e->k->stand[number].gathered && !e->dead[number];
}

void fsr_c_gather(fsr_c_emit *e, const int *list, int n) {
    bool begun = false;
    e->gathering = true;
    for (int i = 0; i < n; i++)
        if (is_gathered(e, list[i]))
            fsr_c_line(e, "%s g%d[%d];", fsr_c_storage(e->k->inst[list[i]].dtype), list[i], e->s->lanes);
    for (int i = 0; i < n; i++) {
        const fsr_inst *inst = &e->k->inst[list[i]];
        fsr_text address = {0};
        if (!is_gathered(e, list[i]))
            continue;
        if (!begun) {
            fsr_c_begin(e, "for (i64 l = 0; l < %d; ++l)", e->s->lanes);
            fsr_c_line(e, "__asm__(\"\");");
            fsr_c_line(e, "const i64 c = cl + l;");
        }
        begun = true;
        fsr_c_address(e, &address, inst->index);
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

static const char *wide_name(const void *of, int value, char *out) {
    char name[FSR_EMIT_NAME];
    const fsr_c_emit *e = of;
    fsr_c_value_name(e, value, name);
    snprintf(out, FSR_EMIT_NAME, e->k->inst[value].dtype == FSR_BOOL ? "FSR_WIDE(%.*s)" : "%.*s",
             FSR_EMIT_NAME - (int)sizeof "FSR_WIDE()", name);
    return out;
}

static bool reads(const fsr_kernel *k, int number, int value) {
    int argument[FSR_MAX_ARGUMENTS], read = fsr_inst_arguments(k, number, argument);
    for (int a = 0; a < read; a++)
        if (argument[a] == value)
            return true;
    return false;
}

/* The value is rounded to f16 or bf16 where it is stored: nothing else reads it. */
static bool is_packed(const fsr_kernel *k, int number) {
    const fsr_inst *inst = &k->inst[number];
    int readers = 0, reader = -1;
    if (inst->kind != FSR_INST_OP || !fsr_op_rounds_half(inst->op, inst->dtype))
        return false;
    for (int i = 0; i < k->ninsts && readers < 2; i++)
        if (reads(k, i, number)) {
            readers++;
            reader = i;
        }
    return readers == 1 && k->inst[reader].kind == FSR_INST_STORE && !k->inst[reader].filter &&
           !k->inst[reader].combines;
}

static void put_op(fsr_c_emit *e, fsr_text *to, int number) {
    const fsr_inst *inst = &e->k->inst[number];
    const bool wide = fsr_c_is_widened_choice(e->k, inst);
    const fsr_inst ordered = fsr_c_literal_first(e->k, inst);
    e->packing = is_packed(e->k, number);
    if (!fsr_c_put_fitting(e, to, number) && !fsr_c_put_choice(e, to, inst)) {
        e->widens_choices |= wide;
        fsr_c_scalar(e, to, &ordered, wide ? wide_name : value_name, e);
    }
    e->packing = false;
}

static void put_load(fsr_c_emit *e, fsr_text *to, int number) {
    const bool asks = e->asking && fsr_load_moves(e->k, number);
    fsr_text_add(to, "%s", asks ? "b < left ? " : "");
    const bool masking = e->masking;
    e->masking = asks;
    fsr_c_put_load(e, to, number);
    e->masking = masking;
    fsr_text_add(to, "%s", asks ? " : 0" : "");
}

static void put_value(fsr_c_emit *e, fsr_text *to, int number) {
    const fsr_inst *inst = &e->k->inst[number];
    char name[FSR_EMIT_NAME];
    switch (inst->kind) {
    case FSR_INST_INDEX: put_index(e, to, inst); break;
    case FSR_INST_GUARD: fsr_c_put_guard(e, to, inst->index); break;
    case FSR_INST_INSIDE: fsr_c_put_inside(e, to, inst); break;
    case FSR_INST_LOAD:
        if (is_gathered(e, number))
            fsr_text_add(to, "%sg%d[l]%s", fsr_c_load(e, inst->dtype), number, fsr_c_close(inst->dtype));
        else
            put_load(e, to, number);
        break;
    case FSR_INST_OP:
        if (fsr_inst_chosen(e->k, &e->known, number) >= 0)
            fsr_text_add(to, "%s", fsr_c_value_name(e, fsr_inst_chosen(e->k, &e->known, number), name));
        else
            put_op(e, to, number);
        break;
    case FSR_INST_CALL: fsr_c_scalar(e, to, inst, value_name, e); break;
    case FSR_INST_PICK:
        if (fsr_picks_loop(e->k, inst))
            fsr_text_add(to, "b%d_%d%s", inst->arg[0], inst->component, fsr_inst_is_element(e->k, number) ? "[l]" : "");
        else if (e->k->fold[inst->index].kind == FSR_FOLD_SCAN)
            put_scan_result(e, to, inst);
        else
            fsr_text_add(to, "f%d_%d%s", inst->index, inst->component, fsr_c_row_at(e));
        break;
    default: to->failed = true;
    }
}

void fsr_c_drops(fsr_c_emit *e, fsr_text *to, const fsr_inst *inst) {
    const fsr_index_form *form = fsr_access_form(e->k, inst->index);
    char name[FSR_EMIT_NAME];
    for (int t = 0; t < form->nterms; t++)
        if (e->k->inst[form->term[t].value].mode == FSR_INDEX_DROP)
            fsr_text_add(to, "%s%s >= 0", to->size ? " & " : "", fsr_c_value_name(e, form->term[t].value, name));
}

static void put_store(fsr_c_emit *e, int number) {
    const fsr_inst *inst = &e->k->inst[number];
    char name[FSR_EMIT_NAME];
    const int buffer = e->k->access[inst->index].buffer;
    fsr_text address = {0}, drops = {0}, where = {0};
    fsr_c_drops(e, &drops, inst);
    if (drops.size)
        fsr_text_add(&where, "if (%s) ", drops.data ? drops.data : "");
    else if (e->asking)
        fsr_text_add(&where, "if (b < left) ");
    const bool streams = fsr_inst_streams(e->k, inst);
    if (streams)
        fsr_text_add(&address, "%s", e->stream_at);
    else
        fsr_c_address(e, &address, inst->index);
    fsr_dtype dtype = e->k->array[buffer].dtype;
    const char *at = address.data ? address.data : "", *if_any = where.data ? where.data : "";
    fsr_text place = {0};
    if (e->s->turned)
        fsr_c_put_waiting(e, &place, number);
    else
        fsr_text_add(&place, "%c%d[%s]", streams ? 'o' : 'x', buffer, at);
    if (inst->combines)
        fsr_c_combined(e, number, if_any, at);
    else
        fsr_c_line(e, "%s%s = %s%s%s;", if_any, place.data ? place.data : "",
                   is_packed(e->k, inst->arg[0]) ? fsr_c_pack(e, dtype) : fsr_c_store(e, dtype),
                   fsr_c_value_name(e, inst->arg[0], name), fsr_c_close(dtype));
    e->body.failed |= address.failed | drops.failed | where.failed | place.failed;
    fsr_text_free(&place);
    fsr_text_free(&address);
    fsr_text_free(&drops);
    fsr_text_free(&where);
}

/* const i64 v3 = ...; */
static void put_defined(fsr_c_emit *e, int number) {
    const fsr_inst *inst = &e->k->inst[number];
    char name[FSR_EMIT_NAME];
    const bool array = e->abreast && e->k->stand[number].level == FSR_ROW;
    fsr_text t = {0};
    put_value(e, &t, number);
    fsr_c_line(e, "%s%s%s%s = %s;", array ? "" : "const ", array ? "" : fsr_c_type(inst->dtype), array ? "" : " ",
               fsr_c_value_name(e, number, name), t.data ? t.data : "");
    e->body.failed |= t.failed;
    fsr_text_free(&t);
    if (inst->kind == FSR_INST_INSIDE)
        fsr_c_put_report(e, inst);
}

static void put_inst(fsr_c_emit *e, int number) {
    const fsr_inst *inst = &e->k->inst[number];
    if (fsr_c_invariant(e->k, number))
        return;
    if (inst->filter) {
        fsr_c_pack_store(e, number);
    } else if (inst->kind == FSR_INST_STORE) {
        put_store(e, number);
    } else if (inst->kind == FSR_INST_COMBINE) {
        fsr_c_fold_step(e, inst->index);
    } else if (inst->kind == FSR_INST_ITERATE) {
        fsr_c_loop_begin(e, number);
    } else {
        put_defined(e, number);
    }
}

void fsr_c_once(fsr_c_emit *e) {
    int order[FSR_MAX_INSTS], n = fsr_kernel_once(e->k, order);
    e->linear = e->row = "0";
    for (int i = 0; i < n; i++)
        if (e->k->inst[order[i]].kind != FSR_INST_CONST && e->k->inst[order[i]].kind != FSR_INST_PARAM)
            put_defined(e, order[i]);
    fsr_c_bases(e);
    e->linear = e->row = "";
}

/* One of the instructions loads at a computed place. */
static bool gathers(const fsr_c_emit *e, const fsr_body *rows) {
    for (int i = 0; i < rows->n; i++) {
        const fsr_inst *inst = &e->k->inst[rows->inst[i]];
        if (inst->kind == FSR_INST_LOAD && fsr_access_form(e->k, inst->index)->nterms)
            return true;
    }
    return false;
}

/* What is done once a row, as a loop over the rows of a block; `checked`: whether an argument of these is beyond its
 * function's limit. Counter-example to leaving it to the compiler to find out that rows are independent: ten results of
 * a row were stored one by one, in ten arrays whose lines lie in one set of a cache, half of the kernel's 8 ms.
 * Counter-example to telling it so of loads at computed places: as vector code they took 4% longer. */
static void put_rows(fsr_c_emit *e, const fsr_body *rows, const fsr_body *checked) {
    if (e->abreast && !e->s->tall && !gathers(e, rows))
        fsr_c_independent(e);
    fsr_c_rows_begin(e);
    fsr_c_insts(e, rows->inst, rows->n);
    if (checked)
        fsr_c_check_limits(e, checked->inst, checked->n);
    fsr_c_rows_end(e);
}

static bool needs(const fsr_c_emit *e, const fsr_body *rows, int value) {
    for (int i = 0; i < rows->n; i++) {
        int argument[FSR_MAX_ARGUMENTS], read = fsr_inst_arguments(e->k, rows->inst[i], argument);
        for (int a = 0; a < read; a++)
            if (argument[a] == value)
                return true;
    }
    return false;
}

/* The same in two versions. Values of rows stand in arrays: what the arguments need stays, if none of them is beyond a
 * limit, and is computed again if one is. */
static void put_rows_in_range(fsr_c_emit *e, const fsr_body *rows) {
    fsr_body limited, first = {.n = 0}, rest = {.n = 0};
    fsr_c_limited(e, rows, &limited);
    for (int i = 0, at = 0; i < rows->n; i++) {
        const bool listed = at < limited.n && limited.inst[at] == rows->inst[i];
        const bool argument =
            listed && (!fsr_inst_is_limited(&e->k->inst[rows->inst[i]]) || needs(e, &limited, rows->inst[i]));
        fsr_body *to = argument ? &first : &rest;
        to->inst[to->n++] = rows->inst[i];
        at += listed;
    }
    fsr_c_begin(e, "%s", "");
    fsr_c_line(e, "i32 far = 0;");
    e->near = true;
    put_rows(e, &first, &limited);
    e->near = false;
    fsr_c_begin(e, "if (far)");
    put_rows(e, rows, NULL);
    fsr_c_else(e);
    e->near = true;
    put_rows(e, &rest, NULL);
    e->near = false;
    fsr_c_end(e);
    fsr_c_end(e);
}

/* The ROW instructions before pass `pass`. */
void fsr_c_row_insts(fsr_c_emit *e, int pass) {
    char extent[FSR_EMIT_NAME];
    int order[FSR_MAX_INSTS], work = 0;
    int n = fsr_kernel_rows(e->k, pass, order);
    for (int i = 0; i < n; i++) {
        const fsr_inst *inst = &e->k->inst[order[i]];
        if (fsr_c_invariant(e->k, order[i]))
            continue;
        work++;
        if (e->abreast && inst->kind != FSR_INST_STORE && inst->kind != FSR_INST_ITERATE)
            fsr_c_line(e, "%s v%d%s%s;", fsr_c_row_type(e, order[i]), order[i], fsr_c_row_extent(e, extent),
                       e->s->tall ? " = {0}" : "");
    }
    if (!work)
        return;
    fsr_body rows = {.n = n};
    memcpy(rows.inst, order, (size_t)n * sizeof *order);
    if (e->s->row_near && fsr_body_is_limited(e->k, &rows))
        put_rows_in_range(e, &rows);
    else
        put_rows(e, &rows, NULL);
}

void fsr_c_insts(fsr_c_emit *e, const int *list, int n) {
    for (int i = 0; i < n; i++)
        if (!e->dead[list[i]])
            put_inst(e, list[i]);
}

void fsr_c_put_far(fsr_text *to, const fsr_inst *inst, const char *limit, const char *a, const char *b) {
    if (strncmp(limit, "fsr_", 4) != 0)
        fsr_text_add(to, "__builtin_fabs%s(%s) > %s", fsr_c_single(inst->compute) ? "f" : "", a, limit);
    else if (fsr_op_get(inst->op)->arity == 1)
        fsr_text_add(to, "%s(%s)", limit, a);
    else
        fsr_text_add(to, "%s(%s, %s)", limit, a, b);
}

static void put_far(fsr_c_emit *e, const fsr_inst *inst, const char *limit) {
    char name[2][FSR_EMIT_NAME];
    fsr_text text = {0};
    fsr_c_put_far(&text, inst, limit, fsr_c_value_name(e, inst->arg[0], name[0]),
                  fsr_op_get(inst->op)->arity == 1 ? "" : fsr_c_value_name(e, inst->arg[1], name[1]));
    fsr_c_line(e, "far |= %s;", text.data ? text.data : "");
    e->body.failed |= text.failed;
    fsr_text_free(&text);
}

void fsr_c_check_limits(fsr_c_emit *e, const int *list, int n) {
    for (int i = 0; i < n; i++) {
        const fsr_inst *inst = &e->k->inst[list[i]];
        const char *limit =
            inst->kind == FSR_INST_OP && !e->dead[list[i]] ? fsr_c_op_limit(inst->op, inst->compute) : NULL;
        if (limit)
            put_far(e, inst, limit);
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
    if (e->k->stand[value].level == FSR_ELEM && !fsr_c_invariant(e->k, value) && inst->kind != FSR_INST_ITERATE &&
        !e->crossing[value] && !in_list(loop, n, value))
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

/* "const f32 v4 = w4[c];". Where columns are asked whether they are there, one that is not has kept nothing. */
static void put_kept(fsr_c_emit *e, int value) {
    fsr_c_line(e, "const %s v%d = %sw%d[%s]%s;", fsr_c_type(e->k->inst[value].dtype), value,
               e->asking ? "b < left ? " : "", value, e->column, e->asking ? " : 0" : "");
}

/* Everything one column of a loop does. What columns keep that are not there lies behind the row's, where scratch has
 * room for all that are asked (put_scratch). */
void fsr_c_column(fsr_c_emit *e, int pass, const int *loop, int n) {
    bool kept[FSR_MAX_INSTS];
    find_kept(e, loop, n, kept);
    for (int i = 0; i < e->k->ninsts; i++)
        if (kept[i])
            put_kept(e, i);
    for (int i = 0; i < n; i++) {
        put_inst(e, loop[i]);
        if (!e->checked && e->k->stand[loop[i]].pass == pass && !fsr_c_invariant(e->k, loop[i]) &&
            fsr_kernel_reads_kept(e->k, pass, loop[i]))
            fsr_c_line(e, "w%d[%s] = v%d;", loop[i], e->column, loop[i]);
    }
    if (e->checked || e->asks)
        fsr_c_check_limits(e, loop, n);
}

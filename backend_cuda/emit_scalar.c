/* SPDX-License-Identifier: MIT */
/* Scalar values as text: types, exact literals, the op table's CUDA column, one instruction.
 *
 * Literals are exact: hexadecimal floats, and bit patterns for infinities and NaNs (a NaN keeps its payload).
 * Counter-example to "%g": 0.1f printed with six digits is another float. */
#include "backend_cuda/emit.h"
#include "fusion/interval.h"
#include "graph/number.h"
#include "runtime/source.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *fsr_emit_type(fsr_dtype dtype) {
    switch (dtype) {
    case FSR_BOOL: return "b8";
    default: return fsr_dtype_name(dtype);
    }
}

static void float_literal(char buf[FSR_REF], fsr_dtype dtype, fsr_value value) {
    double x = dtype == FSR_F32 ? (double)value.f32 : value.f64;
    if (isfinite(x))
        snprintf(buf, FSR_REF, "%.40s%s", fsr_number_of('a', -1, x).text, dtype == FSR_F32 ? "f" : "");
    else if (dtype == FSR_F32)
        snprintf(buf, FSR_REF, "fsr_f32_bits(0x%08xu)", (unsigned)(value.bits & 0xffffffffu));
    else
        snprintf(buf, FSR_REF, "fsr_f64_bits(0x%016llxull)", (unsigned long long)value.bits);
}

static void complex_literal(char buf[FSR_REF], fsr_dtype dtype, fsr_value value) {
    char text[2][FSR_REF];
    fsr_value re, im;
    fsr_value_parts(dtype, value, &re, &im);
    float_literal(text[0], fsr_dtype_real(dtype), re);
    float_literal(text[1], fsr_dtype_real(dtype), im);
    snprintf(buf, FSR_REF, "%s{%.40s, %.40s}", fsr_emit_type(dtype), text[0], text[1]);
}

const char *fsr_emit_literal(char buf[FSR_REF], fsr_dtype dtype, fsr_value value) {
    switch (dtype) {
    case FSR_BOOL: snprintf(buf, FSR_REF, "%d", value.b != 0); break;
    case FSR_F16:
    case FSR_BF16: snprintf(buf, FSR_REF, "0x%04x", (unsigned)value.f16); break;
    case FSR_I8: snprintf(buf, FSR_REF, "%d", value.i8); break;
    case FSR_U8: snprintf(buf, FSR_REF, "%d", value.u8); break;
    case FSR_I16: snprintf(buf, FSR_REF, "%d", value.i16); break;
    case FSR_U16: snprintf(buf, FSR_REF, "%d", value.u16); break;
    case FSR_U32: snprintf(buf, FSR_REF, "%uu", (unsigned)value.u32); break;
    case FSR_U64: snprintf(buf, FSR_REF, "%lluull", (unsigned long long)value.u64); break;
    case FSR_I32: snprintf(buf, FSR_REF, value.i32 == INT32_MIN ? "(-2147483647 - 1)" : "%d", (int)value.i32); break;
    case FSR_I64:
        snprintf(buf, FSR_REF, value.i64 == INT64_MIN ? "(-9223372036854775807ll - 1)" : "%lldll",
                 (long long)value.i64);
        break;
    case FSR_C64:
    case FSR_C128: complex_literal(buf, dtype, value); break;
    default: float_literal(buf, dtype, value);
    }
    return buf;
}

const char *fsr_emit_name(const fsr_emit *e, char buf[FSR_REF], int v) {
    static const char *const suffix[] = {"", "[i]", "[v]"};
    snprintf(buf, FSR_REF, "v%d%s", v, suffix[e->naming[v]]);
    return buf;
}

/* A bool that was loaded may be any byte. */
const char *fsr_emit_ref(const fsr_emit *e, char buf[FSR_REF], int v) {
    const fsr_inst *inst = &e->k->inst[v];
    char name[FSR_REF];
    if (inst->kind != FSR_INST_LOAD || inst->dtype != FSR_BOOL || e->naming[v] == FSR_NAME_PLAIN)
        return fsr_emit_name(e, buf, v);
    snprintf(buf, FSR_REF, "(%.40s != 0)", fsr_emit_name(e, name, v));
    return buf;
}

/* What a placeholder stands for; NULL if c is none. */
static const char *placeholder(char c, fsr_dtype compute, fsr_dtype result, char arg[3][FSR_EXPR]) {
    switch (c) {
    case 'a': return arg[0];
    case 'b': return arg[1];
    case 'c': return arg[2];
    case 'T': return fsr_dtype_is_half(compute) ? "f32" : fsr_emit_type(compute);
    default: return fsr_source_word(c, compute, result);
    }
}

/* True where the op's text is for f32, and a value of this dtype has to be converted around it. */
static bool is_widened(fsr_op op, fsr_dtype dtype) {
    fsr_rule rule = fsr_op_get(op)->rule;
    return fsr_dtype_is_half(dtype) && rule != FSR_RULE_CAST && rule != FSR_RULE_SELECT;
}

/* suffix: of a function that is not the usual one; NULL: as the dtype has it. */
static void text_of_op(fsr_emit *e, char buf[FSR_EXPR], fsr_op op, fsr_dtype compute, fsr_dtype result,
                       const char *suffix, char arg[3][FSR_EXPR]) {
    const char *text = fsr_op_get(op)->cuda[fsr_dtype_class(compute)];
    const char *usual = compute == FSR_F32 || fsr_dtype_is_half(compute) ? "f" : "";
    size_t n = 0;
    buf[0] = 0;
    while (text && *text) {
        const size_t plain = strcspn(text, "$@");
        const char *with = text[plain] == '$' ? placeholder(text[plain + 1], compute, result, arg) : NULL;
        const bool sign = text[plain] == '$' && !with; /* of its own */
        n = fsr_emit_add(e, buf, n, "%.*s%s", (int)plain + sign, text,
                         with                 ? with
                         : text[plain] == '@' ? (suffix ? suffix : usual)
                                              : "");
        text += plain + (text[plain] != 0) + (with != NULL);
    }
}

static void op_text(fsr_emit *e, char buf[FSR_EXPR], fsr_op op, fsr_dtype compute, fsr_dtype result, const char *suffix,
                    char arg[3][FSR_REF]) {
    char wide[3][FSR_EXPR], text[FSR_EXPR];
    for (int i = 0; i < 3; i++)
        if (is_widened(op, compute))
            fsr_emit_add(e, wide[i], 0, "fsr_%s_to_f32(%s)", fsr_dtype_name(compute), arg[i]);
        else
            fsr_emit_add(e, wide[i], 0, "%s", arg[i]);
    text_of_op(e, is_widened(op, result) ? text : buf, op, compute, result, suffix, wide);
    if (is_widened(op, result))
        fsr_emit_add(e, buf, 0, "fsr_f32_to_%s(%s)", fsr_dtype_name(result), text);
}

void fsr_emit_scalar(fsr_emit *e, char buf[FSR_EXPR], const fsr_inst *inst, fsr_emit_namer name, const void *of) {
    char arg[3][FSR_REF] = {"", "", ""};
    switch (inst->kind) {
    case FSR_INST_CONST: fsr_emit_literal(buf, inst->dtype, inst->value); break;
    case FSR_INST_CALL: fsr_emit_call(e, buf, inst, name, of); break;
    case FSR_INST_OP:
        for (int a = 0; a < fsr_op_get(inst->op)->arity; a++)
            name(of, arg[a], inst->arg[a]);
        op_text(e, buf, inst->op, inst->compute, inst->dtype, inst->tame ? "f_tame" : inst->odd ? "f_odd" : NULL, arg);
        break;
    default: fsr_emit_broken(e); buf[0] = 0;
    }
}

/* Whether the table's lines are to leave the caches first. */
static bool is_streamed(const fsr_emit *e, int table) {
    return e->turns && (e->s.streams >> e->k->access[e->turns->table[table].access].buffer & 1);
}

/* "h0[fsr_clip(t3, m0_0) * w0_0]": an element of a loop's table; of one that streams "fsr_once(h0 + ...)". An index
 * that is a number of 32 bits made wider stays what it was where extents have no more: half the instructions. */
static void taken_text(fsr_emit *e, char buf[FSR_EXPR], const fsr_region *r, const fsr_inst *inst, fsr_emit_namer name,
                       const void *of) {
    char index[FSR_REF];
    const bool streams = is_streamed(e, inst->index);
    size_t n = fsr_emit_add(e, buf, 0, streams ? "fsr_once(h%d + (" : "h%d[", inst->index);
    for (int j = 0; j < inst->component; j++) {
        const fsr_inst *at = &r->inst[inst->arg[j]];
        const bool narrow = inst->mode == FSR_INDEX_CLIP && !e->s.wide && fsr_inst_widens(at);
        n = fsr_emit_add(e, buf, n, "%sfsr_%s(%s%s, %sm%d_%d) * w%d_%d", j ? " + " : "",
                         fsr_index_mode_name(inst->mode), narrow ? "(i32)" : "",
                         name(of, index, narrow ? at->arg[0] : inst->arg[j]), narrow ? "(u32)" : "", inst->index, j,
                         inst->index, j);
    }
    fsr_emit_add(e, buf, n, "%s%s", streams ? "))" : "]", inst->dtype == FSR_BOOL ? " != 0" : "");
}

void fsr_emit_region(fsr_emit *e, const fsr_region *r, int from, int to, fsr_emit_namer name, const void *of) {
    char text[FSR_EXPR], ref[FSR_REF];
    for (int i = from; i < to; i++) {
        if (r->inst[i].kind == FSR_INST_PARAM)
            continue;
        if (r->inst[i].kind == FSR_INST_LOAD)
            taken_text(e, text, r, &r->inst[i], name, of);
        else
            fsr_emit_scalar(e, text, &r->inst[i], name, of);
        fsr_emit_line(e, "const %s %s = %s;", fsr_emit_type(r->inst[i].dtype), name(of, ref, i), text);
    }
}

/* An index is unsigned in the text; by way of a signed integer it converts in fewer instructions. */
/* An index is inside of its extent wherever it is used, so not negative. Of 64 bits the upper half is then known to be
 * zero, which Philox's first rounds become shorter of; numbers with a fraction are quicker made of signed ones. */
static void index_text(const fsr_emit *e, char buf[FSR_EXPR], const fsr_inst *inst) {
    const char *sign = e->s.wide ? "i64" : inst->dtype == FSR_I64 || inst->dtype == FSR_U64 ? "u32" : "i32";
    bool lane = fsr_emit_along_rows(e) && e->s.vector > 1 && inst->index == e->k->nparallel - 1;
    char plus[FSR_REF] = ""; /* a vector begins at a multiple of its length: see fsr_emit_open_lanes */
    if (lane)
        snprintf(plus, sizeof plus, " / %d * %d | v", e->s.vector, e->s.vector);
    if (inst->dtype == FSR_BOOL)
        snprintf(buf, FSR_EXPR, "i%d%s != 0", inst->index, plus);
    else if (fsr_dtype_is_half(inst->dtype))
        snprintf(buf, FSR_EXPR, "fsr_i64_to_%s((%s)(i%d%s))", fsr_dtype_name(inst->dtype), sign, inst->index, plus);
    else
        snprintf(buf, FSR_EXPR, "(%s)(%s)(i%d%s)", fsr_emit_type(inst->dtype), sign, inst->index, plus);
}

static const char *value_ref(const void *of, char buf[FSR_REF], int v) {
    return fsr_emit_ref(of, buf, v);
}

/* "fsr_sinf_of(v3, angle5)", behind a line with the angle unless it stands there. */
static void angle_text(fsr_emit *e, char buf[FSR_EXPR], int v) {
    const fsr_inst *inst = &e->k->inst[v];
    char arg[3][FSR_REF] = {"", "", ""}, ref[FSR_REF];
    int first;
    fsr_emit_ref(e, ref, inst->arg[0]);
    if (!fsr_source_call(&e->calls, e->k, v, e->depth, &first))
        fsr_emit_line(e, "const fsr_angle angle%d = fsr_anglef(%s);", first, ref);
    snprintf(arg[0], FSR_REF, "%.60s, angle%d", ref, first);
    op_text(e, buf, inst->op, inst->compute, inst->dtype, "f_of", arg);
}

static void value_text(fsr_emit *e, char buf[FSR_EXPR], int v, const char *result) {
    const fsr_inst *inst = &e->k->inst[v];
    char from[FSR_REF];
    switch (inst->kind) {
    case FSR_INST_ITERATE: fsr_emit_loop_text(e, buf, v); break;
    case FSR_INST_CONST:
    case FSR_INST_OP:
    case FSR_INST_CALL:
        if (fsr_inst_chosen(e->k, &e->known, v) >= 0)
            snprintf(buf, FSR_EXPR, "%s", fsr_emit_ref(e, from, fsr_inst_chosen(e->k, &e->known, v)));
        else if (fsr_value_shares_angle(e->k, v))
            angle_text(e, buf, v);
        else
            fsr_emit_scalar(e, buf, inst, value_ref, e);
        break;
    case FSR_INST_PARAM: snprintf(buf, FSR_EXPR, "p%d", inst->index); break;
    case FSR_INST_INDEX: index_text(e, buf, inst); break;
    case FSR_INST_GUARD: fsr_emit_guard_value(e, buf, inst->index); break;
    case FSR_INST_INSIDE: fsr_emit_inside(e, buf, v); break;
    case FSR_INST_LOAD: (e->k->stand[v].level == FSR_ONCE ? fsr_emit_once_load : fsr_emit_late_load)(e, buf, v); break;
    case FSR_INST_PICK:
        snprintf(buf, FSR_EXPR, "%s.c%d", fsr_picks_fold(e->k, inst) ? result : fsr_emit_ref(e, from, inst->arg[0]),
                 inst->component);
        break;
    default: fsr_emit_broken(e); buf[0] = 0;
    }
}

const char *fsr_emit_value_type(const fsr_emit *e, char buf[FSR_REF], int v) {
    const fsr_inst *inst = &e->k->inst[v];
    if (inst->kind != FSR_INST_ITERATE)
        return fsr_emit_type(inst->dtype);
    snprintf(buf, FSR_REF, "loop%d::state", inst->index);
    return buf;
}

void fsr_emit_value(fsr_emit *e, int v, const char *result) {
    char text[FSR_EXPR], name[FSR_REF], type[FSR_REF];
    value_text(e, text, v, result);
    fsr_emit_name(e, name, v);
    if (e->naming[v] == FSR_NAME_PLAIN)
        fsr_emit_line(e, "const %s %s = %s;", fsr_emit_value_type(e, type, v), name, text);
    else
        fsr_emit_line(e, "%s = %s;", name, text);
}

/* SPDX-License-Identifier: MIT */
/* Bounds in generated C: computed indices brought into an array, and what is told of those that were outside.
 *
 * A mode is arithmetic without a branch, so that loops stay vector code: alternatives are values that are there in any
 * case. What is outside is remembered in a variable of the function and left in memory once, at its end.
 * Counter-example to a difference in one of two alternatives: gcc computed n - 1 behind a branch, and the loop, with a
 * logarithm in it, was no vector code. Counter-example to telling it where it is found: an atomic
 * operation in a loop keeps it from being vectorized, for indices that hardly ever are wrong.
 * An index that is dropped is any negative number, made by shifts of signs: compared and chosen between, indices of 64
 * bits took half of the time of a histogram, whose loop makes them of 32. */
#include "backend_cpu/emit/parts.h"

/* An index that clips, or another one that does not wrap where no extent passes 32 bits, is a number of 32 bits, made
 * wider for its array alone. */
static bool may_be_narrow(const fsr_c_emit *e, const fsr_inst *inst) {
    const bool has_text = inst->mode == FSR_INDEX_CLIP || (inst->mode != FSR_INDEX_WRAP && !e->s->wide);
    return has_text && fsr_inst_widens(&e->k->inst[inst->arg[0]]);
}

/* It is made wider where it is brought inside, and not by an earlier stage or pass. */
static bool is_widened(const fsr_c_emit *e, const fsr_inst *inst) {
    return may_be_narrow(e, inst) && !e->crossing[inst->arg[0]] && !e->k->stand[inst->arg[0]].keep;
}

bool fsr_c_is_inside_narrow(const fsr_c_emit *e, int number) {
    return e->k->inst[number].kind == FSR_INST_INSIDE && is_widened(e, &e->k->inst[number]);
}

/* "fsr_clip(v3, n9)": the index, brought inside. */
void fsr_c_put_inside(fsr_c_emit *e, fsr_text *to, const fsr_inst *inst) {
    char value[FSR_EMIT_NAME], extent[FSR_EMIT_NAME];
    const bool narrow = is_widened(e, inst);
    const int index = narrow ? e->k->inst[inst->arg[0]].arg[0] : inst->arg[0];
    e->modes[inst->mode] |= !narrow;
    e->narrow_modes[inst->mode] |= narrow;
    fsr_text_add(to, "fsr_%s%s(%s, %s)", fsr_index_mode_name(inst->mode), narrow ? "_narrow" : "",
                 fsr_c_value_name(e, index, value), fsr_c_integer(e, inst->index, extent));
}

/* What an index outside leaves for the end of the function: the greatest such index. */
void fsr_c_put_report(fsr_c_emit *e, const fsr_inst *inst) {
    char value[FSR_EMIT_NAME], extent[FSR_EMIT_NAME];
    const bool narrow = is_widened(e, inst);
    const int b = inst->report - 1, index = narrow ? e->k->inst[inst->arg[0]].arg[0] : inst->arg[0];
    const char *const worst = narrow ? "low" : "worst";
    fsr_text guard = {0};
    if (!inst->report || e->checked || e->placing)
        return;
    if (inst->guard)
        fsr_c_put_guard(e, &guard, inst->guard - 1);
    fsr_c_line(e, "%s%d = fsr_%s(%s%d, %s, %s, %s);", worst, b, worst, worst, b, fsr_c_value_name(e, index, value),
               fsr_c_integer(e, inst->index, extent), guard.size ? guard.data : "1");
    e->body.failed |= guard.failed;
    fsr_text_free(&guard);
}

/* The array that an INSIDE reports into, of instruction i, the first one that does; -1: none. */
static int reports_into(const fsr_kernel *k, int i) {
    for (int j = 0; j < i; j++)
        if (k->inst[j].report == k->inst[i].report)
            return -1;
    return k->inst[i].report - 1;
}

/* Some index of 32 bits may be told there. */
static bool may_tell_narrow(const fsr_c_emit *e, int report) {
    for (int i = 0; i < e->k->ninsts; i++)
        if (e->k->inst[i].report == report && may_be_narrow(e, &e->k->inst[i]))
            return true;
    return false;
}

void fsr_c_reports(fsr_c_emit *e, bool end) {
    for (int i = 0; i < e->k->ninsts; i++) {
        const int b = reports_into(e->k, i);
        const bool narrow = b >= 0 && may_tell_narrow(e, b + 1);
        if (b >= 0 && end) {
            if (narrow)
                fsr_c_line(e, "worst%d = fsr_worse(worst%d, low%d);", b, b, b);
            fsr_c_line(e, "if (worst%d) fsr_report(x%d, worst%d);", b, b, b);
        } else if (b >= 0) {
            fsr_c_line(e, "u64 worst%d = 0;", b);
            if (narrow)
                fsr_c_line(e, "u32 low%d = 0;", b);
        }
    }
}

/* What is told in the end, of indices of 32 bits too. */
static const char report_text[] = "static inline u64 fsr_worse(u64 worst, u32 low) {\n"
                                  "    const u64 other = (u64)(i64)(i32)low;\n"
                                  "    return other > worst ? other : worst;\n"
                                  "}\n"
                                  "static void fsr_report(u64 *to, u64 worst) {\n"
                                  "    u64 seen = __atomic_load_n(to, __ATOMIC_RELAXED);\n"
                                  "    while (seen < worst && !__atomic_compare_exchange_n(to, &seen, worst, 1, "
                                  "__ATOMIC_RELAXED, __ATOMIC_RELAXED))\n"
                                  "        ;\n"
                                  "}\n";

static const char *const text_of[] = {
    [FSR_INDEX_RAISE] = "static inline i64 fsr_raise(i64 i, i64 n) {\n"
                        "    const i64 last = n - 1;\n"
                        "    i += i < 0 ? n : 0;\n"
                        "    i = i < 0 ? 0 : i;\n"
                        "    return i < last ? i : last;\n"
                        "}\n"
                        "static inline u64 fsr_worst(u64 worst, i64 i, i64 n, i32 asked) {\n"
                        "    const u64 one = (i < -n) | (i >= n) ? (u64)i : 0, now = asked ? one : 0;\n"
                        "    return now > worst ? now : worst;\n"
                        "}\n",
    [FSR_INDEX_CLIP] = "static inline i64 fsr_clip(i64 i, i64 n) {\n"
                       "    const i64 last = n - 1;\n"
                       "    i = i < 0 ? 0 : i;\n"
                       "    return i < last ? i : last;\n"
                       "}\n",
    [FSR_INDEX_WRAP] = "static inline i64 fsr_wrap(i64 i, i64 n) {\n"
                       "    i = (u64)i < (u64)n ? i : i % n;\n"
                       "    return i < 0 ? i + n : i;\n"
                       "}\n",
    [FSR_INDEX_DROP] = "static inline i64 fsr_drop(i64 i, i64 n) {\n"
                       "    i += (i >> 63) & n;\n"
                       "    return i | (i64)((u64)n - 1 - (u64)i) >> 63;\n"
                       "}\n",
};

/* The same in 32 bits. No index of these is above their greatest number, however large n is where one clips;
 * elsewhere n is a number of theirs. fsr_low is fsr_worst, and an index of fsr_low's counts as one of fsr_worst's in
 * fsr_worse. */
static const char *const narrow_text_of[] = {
    [FSR_INDEX_RAISE] = "static inline i64 fsr_raise_narrow(i32 i, i64 n) {\n"
                        "    const i32 last = (i32)n - 1;\n"
                        "    i += i < 0 ? (i32)n : 0;\n"
                        "    i = i < 0 ? 0 : i;\n"
                        "    return i < last ? i : last;\n"
                        "}\n"
                        "static inline u32 fsr_low(u32 worst, i32 i, i64 n, i32 asked) {\n"
                        "    const u32 one = (i < -(i32)n) | (i >= (i32)n) ? (u32)i : 0, now = asked ? one : 0;\n"
                        "    return now > worst ? now : worst;\n"
                        "}\n",
    [FSR_INDEX_CLIP] = "static inline i64 fsr_clip_narrow(i32 i, i64 n) {\n"
                       "    const i32 last = n > 0x7fffffff ? 0x7fffffff : (i32)n - 1;\n"
                       "    i = i < 0 ? 0 : i;\n"
                       "    return i < last ? i : last;\n"
                       "}\n",
    [FSR_INDEX_WRAP] = "",
    [FSR_INDEX_DROP] = "static inline i64 fsr_drop_narrow(i32 i, i64 n) {\n"
                       "    i += (i >> 31) & (i32)n;\n"
                       "    return i | (i32)((u32)n - 1 - (u32)i) >> 31;\n"
                       "}\n",
};

void fsr_c_inside_functions(const fsr_c_emit *e, fsr_text *to) {
    for (int b = 0; fsr_index_mode_name((fsr_index_mode)b); b++) {
        if (e->narrow_modes[b])
            fsr_text_add(to, "%s", narrow_text_of[b]);
        if (e->modes[b])
            fsr_text_add(to, "%s", text_of[b]);
    }
    if (e->modes[FSR_INDEX_RAISE] || e->narrow_modes[FSR_INDEX_RAISE])
        fsr_text_raw(to, report_text, sizeof report_text - 1);
}

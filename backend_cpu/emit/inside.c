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

/* An index that clips, or drops where no extent passes 32 bits, is a number of 32 bits, made wider where it is brought
 * inside, and not by an earlier stage or pass. */
static bool is_widened(const fsr_c_emit *e, const fsr_inst *inst) {
    const int index = inst->arg[0];
    const bool has_text = inst->mode == FSR_INDEX_CLIP || (inst->mode == FSR_INDEX_DROP && !e->s->wide);
    return has_text && fsr_inst_widens(&e->k->inst[index]) && !e->crossing[index] && !e->k->stand[index].keep;
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
    e->clips_narrow |= narrow && inst->mode == FSR_INDEX_CLIP;
    e->drops_narrow |= narrow && inst->mode == FSR_INDEX_DROP;
    fsr_text_add(to, "fsr_%s%s(%s, %s)", fsr_index_mode_name(inst->mode), narrow ? "_narrow" : "",
                 fsr_c_value_name(e, index, value), fsr_c_integer(e, inst->index, extent));
}

/* What an index outside leaves for the end of the function: the greatest such index. */
void fsr_c_put_report(fsr_c_emit *e, const fsr_inst *inst) {
    char value[FSR_EMIT_NAME], extent[FSR_EMIT_NAME];
    const int b = inst->report - 1;
    fsr_text guard = {0};
    if (!inst->report || e->checked)
        return;
    if (inst->guard)
        fsr_c_put_guard(e, &guard, inst->guard - 1);
    fsr_c_line(e, "worst%d = fsr_worst(worst%d, %s, %s, %s);", b, b, fsr_c_value_name(e, inst->arg[0], value),
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

void fsr_c_reports(fsr_c_emit *e, bool end) {
    for (int i = 0; i < e->k->ninsts; i++) {
        const int b = reports_into(e->k, i);
        if (b >= 0 && end)
            fsr_c_line(e, "if (worst%d) fsr_report(x%d, worst%d);", b, b, b);
        else if (b >= 0)
            fsr_c_line(e, "u64 worst%d = 0;", b);
    }
}

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
                        "}\n"
                        "static void fsr_report(u64 *to, u64 worst) {\n"
                        "    u64 seen = __atomic_load_n(to, __ATOMIC_RELAXED);\n"
                        "    while (seen < worst && !__atomic_compare_exchange_n(to, &seen, worst, 1, "
                        "__ATOMIC_RELAXED, __ATOMIC_RELAXED))\n"
                        "        ;\n"
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

/* As fsr_clip, in 32 bits: no index of these is above their greatest number, however large n is. */
static const char narrow_text[] = "static inline i64 fsr_clip_narrow(i32 i, i64 n) {\n"
                                  "    const i32 last = n > 0x7fffffff ? 0x7fffffff : (i32)n - 1;\n"
                                  "    i = i < 0 ? 0 : i;\n"
                                  "    return i < last ? i : last;\n"
                                  "}\n";

/* As fsr_drop, of extents that an i32 has. */
static const char drop_narrow_text[] = "static inline i64 fsr_drop_narrow(i32 i, i64 n) {\n"
                                       "    i += (i >> 31) & (i32)n;\n"
                                       "    return i | (i32)((u32)n - 1 - (u32)i) >> 31;\n"
                                       "}\n";

void fsr_c_inside_functions(const fsr_c_emit *e, fsr_text *to) {
    if (e->clips_narrow)
        fsr_text_raw(to, narrow_text, sizeof narrow_text - 1);
    if (e->drops_narrow)
        fsr_text_raw(to, drop_narrow_text, sizeof drop_narrow_text - 1);
    for (int b = 0; fsr_index_mode_name((fsr_index_mode)b); b++)
        if (e->modes[b])
            fsr_text_add(to, "%s", text_of[b]);
}

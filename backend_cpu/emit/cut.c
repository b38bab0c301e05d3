/* SPDX-License-Identifier: MIT */
/* Guards with steps, which are tested without a division; and the loop again for the elements where one holds.
 *
 * Steps. step divides x and 0 <= x / step <= last if and only if x * inverse, turned by the number of step's factors of
 * two, is at most last, where inverse is that of step's odd part modulo 2^64: multiplying by it and turning permutes
 * the 64-bit words and takes the multiples of step, in order, to the lowest ones. That word is then the quotient. A
 * multiply instead of a division, which would be most of the time of a copy. */
#include "backend_cpu/emit/parts.h"
#include <stdio.h>
#include <string.h>

/* ---- steps ------------------------------------------------------------------------------------------------ */

void fsr_c_quotient(fsr_c_emit *e, fsr_text *to, const char *sum, int step) {
    char name[FSR_EMIT_NAME];
    fsr_c_integer(e, step, name);
    e->divisor[step] = e->quotients = true;
    fsr_text_add(to, "quotient(%s, inverse%d, zeros%d)", sum, step, step);
}

/* Each round of Newton's iteration doubles the bits that are right, 3 at the start. */
void fsr_c_quotient_functions(const fsr_c_emit *e, fsr_text *to) {
    if (e->quotients)
        fsr_text_add(to, "static inline u64 inverse(u64 x) {\n"
                         "    u64 y = x;\n"
                         "    for (i32 i = 0; i < 5; ++i)\n"
                         "        y *= 2 - x * y;\n"
                         "    return y;\n"
                         "}\n"
                         "static inline u64 quotient(i64 x, u64 inverse, i32 zeros) {\n"
                         "    const u64 y = (u64)x * inverse;\n"
                         "    return y >> zeros | y << (-zeros & 63);\n"
                         "}\n");
}

void fsr_c_quotient_head(const fsr_c_emit *e, fsr_text *to) {
    for (int i = 0; i < FSR_MAX_INTS; i++)
        if (e->divisor[i])
            fsr_text_add(to,
                         "    const i32 zeros%d = __builtin_ctzll((u64)n[%d]);\n"
                         "    const u64 inverse%d = inverse((u64)n[%d] >> zeros%d);\n",
                         i, i, i, i, i);
    for (int c = 0; c < e->k->nconditions; c++)
        if (e->k->condition[c].step && e->divisor[e->k->condition[c].step])
            fsr_text_add(to, "    const u64 last%d = (u64)(n[%d] - 1) / (u64)n[%d];\n", c, e->k->condition[c].extent,
                         e->k->condition[c].step);
}

/* ---- loops of steps --------------------------------------------------------------------------------------- */

bool fsr_c_has_step(const fsr_c_emit *e, const fsr_loop_version *version, int condition) {
    const fsr_loop_version there = {version->holds | UINT64_C(1) << condition, version->never};
    for (int g = 0; g < e->k->nguards; g++)
        for (int i = 0; i < e->k->guard[g].n; i++)
            if (e->k->guard[g].condition[i] == condition && fsr_guard_known(e->k, &there, g) != FSR_NEVER_HOLDS)
                return true;
    return false;
}

/* A loop over how many there are: a compiler makes vector code of no loop whose own step is a variable. */
void fsr_c_put_steps(fsr_c_emit *e, const fsr_body *loop, int at) {
    const char *var = e->loop_var;
    char step[FSR_EMIT_NAME];
    fsr_text rest = {0};
    fsr_c_integer(e, e->k->condition[at].step, step);
    fsr_c_condition_sum(e, &rest, &e->k->condition[at], e->k->ndim - 1);
    fsr_c_begin(e, "if (on >> %d & 1)", at);
    fsr_c_line(e, "const i64 past = (%s%ss0) %% %s, first = past ? s0 + %s - past : s0;", rest.size ? rest.data : "",
               rest.size ? " + " : "", step, step);
    fsr_c_line(e, "const i64 turns = first < s1 ? (s1 - 1 - first) / %s + 1 : 0;", step);
    fsr_c_independent(e);
    fsr_c_begin(e, "for (i64 turn = 0; turn < turns; ++turn)");
    fsr_c_line(e, "const i64 %s = first + turn * %s;", var, step);
    fsr_c_insts(e, loop->inst, loop->n);
    if (e->checked || e->asks)
        fsr_c_check_limits(e, loop->inst, loop->n);
    fsr_c_end(e);
    fsr_c_end(e);
    e->body.failed |= rest.failed;
    fsr_text_free(&rest);
}

/* SPDX-License-Identifier: MIT */
/* Guards: cutting an innermost loop at their bounds (schedule.cut), and testing steps without a division.
 *
 * The loop is walked in runs that end at the next bound, each printed with its guards decided: none of them, or one
 * alone, which is what concatenations, pads and updates have; a run where several hold, and a short loop, ask as they
 * go. With schedule.cut_steps, where no other kind holds, a short run is first computed as if no condition with a step
 * did, and then those elements again, one loop a condition, with strided stores that find the run in the nearest cache.
 *
 * Steps. step divides x and 0 <= x / step <= last if and only if x * inverse, turned by the number of step's factors of
 * two, is at most last, where inverse is that of step's odd part modulo 2^64: multiplying by it and turning permutes
 * the 64-bit words and takes the multiples of step, in order, to the lowest ones. That word is then the quotient. A
 * multiply instead of a division, which would be most of the time of a copy. */
#include "backend_cpu/emit/parts.h"
#include <stdio.h>
#include <string.h>

/* SHORT: a loop of fewer elements asks as it goes. */
enum { NO_CUT = -1, SHORT = 16 };

/* ---- steps ------------------------------------------------------------------------------------------------ */

void fsr_c_quotient(fsr_c_emit *e, fsr_text *to, const char *sum, int step) {
    char name[FSR_EMIT_NAME];
    fsr_c_integer(e, step, name);
    e->divisor[step] = true;
    fsr_text_add(to, "quotient(%s, inverse%d, zeros%d)", sum, step, step);
}

static bool has_quotients(const fsr_c_emit *e) {
    bool any = false;
    for (int i = 0; i < FSR_MAX_INTS; i++)
        any |= e->divisor[i];
    return any;
}

/* Each round of Newton's iteration doubles the bits that are right, 3 at the start. */
void fsr_c_quotient_functions(const fsr_c_emit *e, fsr_text *to) {
    if (has_quotients(e))
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

/* ---- cuts ------------------------------------------------------------------------------------------------- */

/* From s0 on the condition holds or not up to its next bound. */
static void put_bound(fsr_c_emit *e, int condition, int d, int bit) {
    const fsr_condition *c = &e->k->condition[condition];
    char extent[FSR_EMIT_NAME];
    fsr_text rest = {0};
    fsr_c_condition_sum(e, &rest, c, d);
    fsr_c_begin(e, "%s", "");
    fsr_c_line(e, "const i64 low = -(%s), high = low + %s;", rest.size ? rest.data : "0",
               fsr_c_integer(e, c->extent, extent));
    fsr_c_line(e, "const i64 bound = low > s0 ? low : high;");
    fsr_c_line(e, "on |= low <= s0 && high > s0 ? %d : 0;", bit);
    fsr_c_line(e, "s1 = bound > s0 && bound < s1 ? bound : s1;");
    fsr_c_end(e);
    e->body.failed |= rest.failed;
    fsr_text_free(&rest);
}

/* The loop's elements from .. s1; with a step each step-th. */
static void put_loop(fsr_c_emit *e, const fsr_body *loop, const char *from, const char *step) {
    const char *var = e->loop_var;
    fsr_c_independent(e);
    if (step)
        fsr_c_begin(e, "for (i64 %s = %s; %s < s1; %s += %s)", var, from, var, var, step);
    else
        fsr_c_begin(e, "for (i64 %s = %s; %s < s1; ++%s)", var, from, var, var);
    fsr_c_insts(e, loop->inst, loop->n);
    if (e->checking)
        fsr_c_check_limits(e, loop->inst, loop->n);
    fsr_c_end(e);
}

/* Decides the guards: of the cuts without a step only `alone` holds (NO_CUT: none). Those with a step hold nowhere, or,
 * `asked`, are asked. */
static void decide(fsr_c_emit *e, const int *cut, int n, int alone, bool asked) {
    for (int i = 0; i < n; i++) {
        bool step = e->k->condition[cut[i]].step;
        e->decided[cut[i]] = i == alone ? FSR_ALWAYS_HOLDS : step && asked ? FSR_ASKED : FSR_NEVER_HOLDS;
    }
}

static void put_decided(fsr_c_emit *e, const fsr_body *loop, const int *cut, int n, int alone) {
    decide(e, cut, n, alone, false);
    put_loop(e, loop, "s0", NULL);
    memset(e->decided, 0, sizeof e->decided);
}

/* The elements of the run where cut number `at`, which has a step, holds. */
static void put_steps(fsr_c_emit *e, const fsr_body *loop, const int *cut, int n, int at) {
    char step[FSR_EMIT_NAME];
    fsr_text rest = {0};
    fsr_c_integer(e, e->k->condition[cut[at]].step, step);
    fsr_c_condition_sum(e, &rest, &e->k->condition[cut[at]], e->k->ndim - 1);
    fsr_c_begin(e, "if (on & %d)", 1 << at);
    fsr_c_line(e, "const i64 past = (%s%ss0) %% %s, first = past ? s0 + %s - past : s0;", rest.size ? rest.data : "",
               rest.size ? " + " : "", step, step);
    decide(e, cut, n, at, true);
    put_loop(e, loop, "first", step);
    memset(e->decided, 0, sizeof e->decided);
    fsr_c_end(e);
    e->body.failed |= rest.failed;
    fsr_text_free(&rest);
}

/* Bits of the cuts that have a step and a loop of their own. */
static int steps_of(const fsr_c_emit *e, const int *cut, int n) {
    int bits = 0;
    for (int i = 0; i < n && e->s->cut_steps; i++)
        bits |= e->k->condition[cut[i]].step ? 1 << i : 0;
    return bits;
}

/* Bounds of the run from s0 on. One with steps is short. */
static void put_bounds(fsr_c_emit *e, const int *cut, int n, int steps) {
    fsr_c_line(e, "i32 on = c1 - c0 < %d ? -1 : 0;", SHORT);
    fsr_c_line(e, "s1 = c1;");
    fsr_c_begin(e, "if (on == 0)");
    for (int i = 0; i < n; i++)
        put_bound(e, cut[i], e->k->ndim - 1, 1 << i);
    if (steps)
        fsr_c_line(e, "s1 = on && s1 - s0 > %d ? s0 + %d : s1;", e->s->run, e->s->run);
    fsr_c_end(e);
}

bool fsr_c_cut_loop(fsr_c_emit *e, const fsr_body *loop) {
    int cut[FSR_MAX_CONDITIONS], n = e->s->cut ? fsr_body_conditions(e->k, loop, e->k->ndim - 1, cut) : 0;
    if (n == 0)
        return false;
    int steps = steps_of(e, cut, n);
    fsr_c_begin(e, "for (i64 s0 = c0, s1; s0 < c1; s0 = s1)");
    put_bounds(e, cut, n, steps);
    if (steps)
        fsr_c_begin(e, "if ((on & %d) == 0)", ~steps);
    else
        fsr_c_begin(e, "if (on == 0)");
    put_decided(e, loop, cut, n, NO_CUT);
    for (int i = 0; i < n; i++)
        if (steps >> i & 1)
            put_steps(e, loop, cut, n, i);
    for (int i = 0; i < n; i++)
        if (!e->k->condition[cut[i]].step) {
            fsr_c_else_if(e, "on == %d", 1 << i);
            put_decided(e, loop, cut, n, i);
        }
    fsr_c_else(e);
    put_loop(e, loop, "s0", NULL);
    fsr_c_end(e);
    fsr_c_end(e);
    return true;
}

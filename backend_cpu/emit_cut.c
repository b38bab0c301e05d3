/* Cutting an innermost loop at the bounds of guards.
 *
 * Between two bounds every guard along the loop's dimension holds for all elements or for none. So the loop is walked in
 * runs that end at the next bound, each printed with its guards decided: none of them, or one alone, which is what
 * concatenations, pads and updates have; a run where several hold, and a short loop,
 * ask as they go. A condition with a step is asked
 * always. Counter-example to asking in the loop: a masked load an array for each element, of which one is wanted, and
 * 64-bit comparisons beside 8-bit data. */
#include "backend_cpu/emit_parts.h"
#include <stdio.h>
#include <string.h>

/* SHORT: a loop of fewer elements asks as it goes. */
enum { SHORT = 16, MOST_CUTS = 8, MOST_PRINTED = 300 /* instructions, all runs together */ };

/* The conditions that loads and guards of the list meet along dimension d. Returns how many; -1: too many. */
static int find_cuts(const fsr_c_emit *e, const fsr_c_loop *loop, int d, int *cut) {
    bool used[FSR_MAX_CONDITIONS] = {false};
    int n = 0;
    for (int i = 0; i < loop->n; i++) {
        int guard = fsr_inst_guard(&e->k->inst[loop->inst[i]]);
        for (int j = 0; guard >= 0 && j < e->k->guard[guard].n; j++)
            used[e->k->guard[guard].condition[j]] = true;
    }
    for (int c = 0; c < e->k->nconditions; c++) {
        const fsr_condition *at = &e->k->condition[c];
        if (!used[c] || at->at.stride[d] != FSR_STRIDE_ONE || at->step)
            continue;
        if (n == MOST_CUTS)
            return -1;
        cut[n++] = c;
    }
    return n;
}

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

static void put_run(fsr_c_emit *e, const fsr_c_loop *loop) {
    fsr_c_independent(e);
    fsr_c_begin(e, "for (i64 %s = s0; %s < s1; ++%s)", e->loop_var, e->loop_var, e->loop_var);
    fsr_c_insts(e, loop->inst, loop->n);
    if (e->checking)
        fsr_c_check_limits(e, loop->inst, loop->n);
    fsr_c_end(e);
}

/* The run with the guards decided: `alone` is the only cut that holds, -1: none does. */
static void put_decided(fsr_c_emit *e, const fsr_c_loop *loop, const int *cut, int n, int alone) {
    for (int i = 0; i < n; i++)
        e->decided[cut[i]] = i == alone ? FSR_ALWAYS_HOLDS : FSR_NEVER_HOLDS;
    put_run(e, loop);
    memset(e->decided, 0, sizeof e->decided);
}

bool fsr_c_cut_loop(fsr_c_emit *e, const fsr_c_loop *loop) {
    int cut[MOST_CUTS], d = e->k->ndim - 1, n = d < 0 ? 0 : find_cuts(e, loop, d, cut);
    if (n < 1 || loop->n * (n + 2) > MOST_PRINTED)
        return false;
    fsr_c_begin(e, "for (i64 s0 = c0, s1; s0 < c1; s0 = s1)");
    fsr_c_line(e, "i32 on = c1 - c0 < %d ? -1 : 0;", SHORT);
    fsr_c_line(e, "s1 = c1;");
    fsr_c_begin(e, "if (on == 0)");
    for (int i = 0; i < n; i++)
        put_bound(e, cut[i], d, 1 << i);
    fsr_c_end(e);
    fsr_c_begin(e, "if (on == 0)");
    put_decided(e, loop, cut, n, -1);
    for (int i = 0; i < n; i++) {
        fsr_c_else_if(e, "on == %d", 1 << i);
        put_decided(e, loop, cut, n, i);
    }
    fsr_c_else(e);
    put_run(e, loop);
    fsr_c_end(e);
    fsr_c_end(e);
    return true;
}

/* SPDX-License-Identifier: MIT */
/* Versions of loops (schedule.version), in generated C.
 *
 * Each loop level decides what it can: the truth of a condition that the innermost loop does not change is a bit of
 * `outer`, once for each turn of the loops outside. The innermost loop goes in runs that end at the next edge, and a
 * run takes the version that knows what holds there, its instructions less those that nobody needs. What no version
 * knows asks: a bit of `outer`, which is the same for the whole loop, or a comparison.
 *
 * Where elements have to stay together (lanes) a run is a whole number of such units, and a unit that an edge cuts
 * asks. The rows of a block, and the elements of a strip, go in runs as elements do. Counter-examples to asking in what
 * an edge cuts: of 458 rows with a pad on either side two blocks of four; of rows of 175 columns of which the first is
 * a pad, as a scan has them, all strips. With schedule.cut_steps a short run is first computed as if no
 * condition with a step held, and then the elements of each of these again, with strided stores that find the run in
 * the nearest cache. */
#include "backend_cpu/emit/parts.h"
#include <string.h>

/* Of a unit that an edge cuts: no version knows of it. */
#define MIXED (UINT64_C(1) << 63)

typedef struct versions {
    int n;
    fsr_loop_version at[FSR_MAX_VERSIONS];
    uint64_t asked; /* conditions that tell them apart */
    uint64_t steps; /* of them, those that have a step and loops of their own */
} versions;

static bool has(const versions *v, const fsr_loop_version *one) {
    for (int i = 0; i < v->n; i++)
        if (v->at[i].holds == one->holds && v->at[i].never == one->never)
            return true;
    return false;
}

/* Bits of the conditions that have a step and loops of their own. */
static uint64_t steps_of(const fsr_c_emit *e, uint64_t used) {
    uint64_t bits = 0;
    for (int c = 0; c < e->k->nconditions && e->s->cut_steps; c++)
        if (used >> c & 1 && e->k->condition[c].step && fsr_condition_is_decidable(e->k, c) &&
            fsr_condition_is_inner(e->k, c))
            bits |= UINT64_C(1) << c;
    return bits;
}

/* The schedule's versions, as far as this loop asks. */
static void versions_of(const fsr_c_emit *e, const fsr_body *loop, versions *out) {
    const uint64_t used = fsr_body_conditions(e->k, loop);
    *out = (versions){.steps = steps_of(e, used)};
    for (int i = 0; i < e->s->nversions; i++) {
        const fsr_loop_version one = {e->s->version[i].holds & used, e->s->version[i].never & used};
        if (!(one.holds | one.never | out->steps) || has(out, &one))
            continue;
        out->at[out->n++] = one;
        out->asked |= one.holds | one.never | out->steps;
    }
}

/* ---- what outer loops decide ---------------------------------------------------------------------------------- */

/* Of the conditions in `bits`, those that are decided outside. */
static uint64_t outer_of(const fsr_c_emit *e, uint64_t bits) {
    uint64_t outer = 0;
    for (int c = 0; c < e->k->nconditions; c++)
        if (bits >> c & 1 && fsr_condition_is_decidable(e->k, c) && !fsr_condition_is_inner(e->k, c))
            outer |= UINT64_C(1) << c;
    return outer;
}

static void put_outer(fsr_c_emit *e, uint64_t bits) {
    fsr_text t = {0};
    for (int c = 0; c < e->k->nconditions; c++)
        if (bits >> c & 1) {
            fsr_text_add(&t, "%s(u64)", t.size ? " | " : "");
            fsr_c_condition(e, &t, c);
            fsr_text_add(&t, " << %d", c);
        }
    fsr_c_text(e, "const u64 outer = ", t.size ? t.data : "0", ";");
    e->body.failed |= t.failed;
    fsr_text_free(&t);
}

void fsr_c_outer(fsr_c_emit *e, const fsr_body *loop) {
    versions v;
    versions_of(e, loop, &v);
    e->outer = v.n ? outer_of(e, fsr_body_conditions(e->k, loop)) : 0;
    if (v.n) {
        put_outer(e, e->outer);
        fsr_c_moor(e, loop);
    }
}

/* ---- runs ------------------------------------------------------------------------------------------------------- */

/* From s0 on the condition holds, or its steps do, or not, up to its next edge. */
static void put_edge(fsr_c_emit *e, int condition) {
    const fsr_condition *c = &e->k->condition[condition];
    char extent[FSR_EMIT_NAME];
    fsr_text rest = {0};
    fsr_c_condition_sum(e, &rest, c, fsr_kernel_inner(e->k));
    fsr_c_begin(e, "%s", "");
    fsr_c_line(e, "const i64 low = -(%s), high = low + %s;", rest.size ? rest.data : "0",
               fsr_c_integer(e, c->extent, extent));
    fsr_c_line(e, "const i64 edge = low > s0 ? low : high;");
    fsr_c_line(e, "on |= (u64)(low <= s0 && high > s0) << %d;", condition);
    fsr_c_line(e, "s1 = edge > s0 && edge < s1 ? edge : s1;");
    fsr_c_end(e);
    e->body.failed |= rest.failed;
    fsr_text_free(&rest);
}

static void put_edges(fsr_c_emit *e, const versions *v, const char *high, int unit) {
    fsr_c_line(e, "u64 on = outer;");
    fsr_c_line(e, "s1 = %s;", high);
    for (int c = 0; c < e->k->nconditions; c++)
        if (v->asked >> c & 1 && fsr_condition_is_inner(e->k, c))
            put_edge(e, c);
    if (v->steps)
        fsr_c_line(e, "s1 = on & 0x%llx && s1 - s0 > %d ? s0 + %d : s1;", (unsigned long long)v->steps, e->s->run,
                   e->s->run);
    if (unit == 1)
        return;
    fsr_c_begin(e, "if (s1 < %s)", high);
    fsr_c_line(e, "const i64 whole = (s1 - s0) / %d * %d;", unit, unit);
    fsr_c_line(e, "on |= whole ? 0 : 0x%llx;", (unsigned long long)MIXED);
    fsr_c_line(e, "s1 = whole ? s0 + whole : %s - s0 < %d ? %s : s0 + %d;", high, unit, high, unit);
    fsr_c_end(e);
}

/* What tells the versions apart is the same for the whole innermost loop. */
static bool is_one_run(const fsr_c_emit *e, const versions *v) {
    bool one = !v->steps;
    for (int c = 0; c < e->k->nconditions; c++)
        one = one && !(v->asked >> c & 1 && fsr_condition_is_inner(e->k, c));
    return one;
}

/* A loop over runs s0 .. s1; or, where there is one, a block without a loop, whose length a compiler may know: runs of
 * a length that it did not know were no vector code, 46.6 ms of 389,415 rows of 8, and 10.7 so (seed 1482218, one
 * thread of a Xeon, AVX2). True: a loop. */
static bool begin_runs(fsr_c_emit *e, const versions *v, const char *low, const char *high, int unit) {
    const bool runs = !is_one_run(e, v);
    if (runs) {
        fsr_c_begin(e, "for (i64 s0 = %s, s1; s0 < %s; s0 = s1)", low, high);
        put_edges(e, v, high, unit);
    } else {
        fsr_c_begin(e, "%s", "");
        fsr_c_line(e, "const u64 on = outer;");
    }
    return runs;
}

/* ---- versions ---------------------------------------------------------------------------------------------- */

/* A loop that only asks about arguments stores nothing: what is needed, the loop says that it asks for. */
static void know(fsr_c_emit *e, const fsr_body *loop, fsr_loop_version version) {
    e->known = version;
    fsr_body_dead(e->k, e->checked ? e->checked : loop, &version, e->dead);
}

static void forget(fsr_c_emit *e) {
    e->known = (fsr_loop_version){0, 0};
    memset(e->dead, 0, sizeof e->dead);
}

/* The loop where `version` is known: of what it asks, conditions with steps that have loops of their own come after. */
static void put_version(fsr_c_emit *e, const fsr_body *loop, fsr_loop_version version, uint64_t steps,
                        void (*print)(fsr_c_emit *e, const fsr_body *loop)) {
    steps &= ~version.never;
    know(e, loop, (fsr_loop_version){version.holds, version.never | steps});
    print(e, loop);
    for (int c = 0; c < e->k->nconditions; c++)
        if (steps >> c & 1 && fsr_c_has_step(e, &version, c)) {
            know(e, loop, (fsr_loop_version){version.holds | UINT64_C(1) << c, version.never});
            fsr_c_put_steps(e, loop, c);
        }
    forget(e);
}

/* "if (on ...) {" of the first version, "} else if (on ...) {" of the others. */
static void put_case(fsr_c_emit *e, const versions *v, int i) {
    const unsigned long long holds = v->at[i].holds, all = v->at[i].holds | v->at[i].never | MIXED;
    if (i == 0)
        fsr_c_begin(e, "if ((on & 0x%llx) == 0x%llx)", all, holds);
    else
        fsr_c_else_if(e, "(on & 0x%llx) == 0x%llx", all, holds);
}

/* What no version knows. */
static void put_asking(fsr_c_emit *e, const fsr_body *loop, void (*print)(fsr_c_emit *e, const fsr_body *loop)) {
    char saved[FSR_MAX_ACCESSES][FSR_EMIT_NAME];
    memcpy(saved, e->base, sizeof saved);
    fsr_c_stay(e, loop);
    print(e, loop);
    memcpy(e->base, saved, sizeof saved);
}

/* if (on ...) a version; else if ...; else what asks. */
static void put_versions(fsr_c_emit *e, const fsr_body *loop, const versions *v, uint64_t steps,
                         void (*print)(fsr_c_emit *e, const fsr_body *loop)) {
    for (int i = 0; i < v->n; i++) {
        put_case(e, v, i);
        put_version(e, loop, v->at[i], steps, print);
    }
    fsr_c_else(e);
    put_asking(e, loop, print);
    fsr_c_end(e);
}

void fsr_c_by_version(fsr_c_emit *e, const fsr_body *loop, const char *low, const char *high, int unit,
                      void (*print)(fsr_c_emit *e, const fsr_body *loop)) {
    versions v;
    versions_of(e, loop, &v);
    if (!v.n) {
        e->low = low;
        e->high = high;
        print(e, loop);
        return;
    }
    const bool runs = begin_runs(e, &v, low, high, unit);
    e->low = runs ? "s0" : low;
    e->high = runs ? "s1" : high;
    put_versions(e, loop, &v, v.steps, print);
    fsr_c_end(e);
}

/* An instruction or what it reads is left out. */
static bool lacks(const fsr_c_emit *e, const bool *dead, int number) {
    int argument[FSR_MAX_ARGUMENTS], read = fsr_walk_arguments(e->k, number, argument);
    bool any = dead[number];
    for (int a = 0; a < read; a++)
        any = any || dead[argument[a]];
    return any;
}

/* The stage asks for nothing, and each version of the loop has all of it. */
static bool is_same(const fsr_c_emit *e, const fsr_body *loop, const versions *v, const fsr_body *stage) {
    bool dead[FSR_MAX_INSTS], same = !fsr_body_conditions(e->k, stage);
    for (int i = 0; i < v->n && same; i++) {
        fsr_body_dead(e->k, loop, &v->at[i], dead);
        for (int j = 0; j < stage->n; j++)
            same = same && !lacks(e, dead, stage->inst[j]);
    }
    return same;
}

/* What a version leaves out is told by the whole loop: its stages agree about what they hand to each other. */
void fsr_c_stage_by_version(fsr_c_emit *e, const fsr_body *loop, const fsr_body *stage,
                            void (*print)(fsr_c_emit *e, const fsr_body *stage)) {
    versions v;
    versions_of(e, loop, &v);
    if (is_same(e, loop, &v, stage)) {
        e->low = "0";
        e->high = "m";
        print(e, stage);
        return;
    }
    const bool runs = begin_runs(e, &v, "cs", "cs + m", 1);
    if (runs)
        fsr_c_line(e, "const i64 l0 = s0 - cs, l1 = s1 - cs;");
    e->low = runs ? "l0" : "0";
    e->high = runs ? "l1" : "m";
    for (int i = 0; i < v.n; i++) {
        put_case(e, &v, i);
        know(e, loop, v.at[i]);
        print(e, stage);
    }
    forget(e);
    fsr_c_else(e);
    put_asking(e, stage, print);
    fsr_c_end(e);
    fsr_c_end(e);
}

bool fsr_c_has_versions(const fsr_c_emit *e, const fsr_body *loop) {
    versions v;
    versions_of(e, loop, &v);
    return v.n > 0;
}

/* A block's rows are b .. b + m; those of a run are its rows j0 .. j1. */
void fsr_c_block_by_version(fsr_c_emit *e, const fsr_body *loop, void (*print)(fsr_c_emit *e, const fsr_body *loop)) {
    versions v;
    versions_of(e, loop, &v);
    if (!v.n) {
        print(e, loop);
        return;
    }
    fsr_c_outer(e, loop);
    e->cut_rows = begin_runs(e, &v, "b", "b + m", 1);
    if (e->cut_rows)
        fsr_c_line(e, "const i64 j0 = s0 - b, j1 = s1 - b;");
    put_versions(e, loop, &v, 0, print);
    e->cut_rows = false;
    fsr_c_end(e);
    e->outer = 0;
}

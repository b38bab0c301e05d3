/* SPDX-License-Identifier: MIT */
/* Versions (schedule.version) of the frames that walk along columns.
 *
 * A thread whose columns of a tile all lie where a version knows takes the version's loads and values: no known guard
 * is asked, nothing is computed that a known choice does not take. Folds of a thread's elements stand in both, what
 * threads tell one another stands behind, once: threads of one warp may take different versions, and meet again before
 * each exchange. So no fold is associated otherwise than without versions.
 *
 * A condition that moves along the columns is a run of them (fsr_condition_is_decidable): it holds for a thread's
 * columns if it holds for the first and the last, and never holds if the last lies before it or the first behind.
 * Counter-example to asking first and last for both: a box between them. Each pass has the versions whose conditions it
 * asks; a stage in which a version changes nothing is printed once. */
#include "backend_cuda/emit.h"
#include <string.h>

static bool has(const fsr_emit *e, const fsr_loop_version *one) {
    for (int i = 0; i < e->nversions; i++)
        if (e->version[i].holds == one->holds && e->version[i].never == one->never)
            return true;
    return false;
}

void fsr_emit_find_versions(fsr_emit *e) {
    fsr_body body;
    fsr_body_of(e->k, e->pass, &body);
    const uint64_t used = fsr_body_conditions(e->k, &body);
    e->nversions = 0;
    for (int i = 0; i < e->s.nversions; i++) {
        const fsr_loop_version one = {e->s.version[i].holds & used, e->s.version[i].never & used};
        if ((one.holds | one.never) && !has(e, &one))
            e->version[e->nversions++] = one;
    }
}

void fsr_emit_fits(fsr_emit *e, const char *first, int span) {
    if (e->nversions)
        fsr_emit_line(e, "const idx edge = %s + %d < end ? %s + %d : end - 1;", first, span, first, span);
    for (int i = 0; i < e->nversions; i++) {
        char text[FSR_EXPR];
        fsr_emit_span_fits(e, text, &e->version[i], first, "edge");
        fsr_emit_line(e, "const bool fits%d = %s;", i, text);
    }
}

static void know(fsr_emit *e, const fsr_loop_version *version) {
    fsr_body body;
    fsr_body_of(e->k, e->pass, &body);
    e->known = *version;
    fsr_body_dead(e->k, &body, version, e->dead);
}

static void forget(fsr_emit *e) {
    e->known = (fsr_loop_version){0, 0};
    memset(e->dead, 0, sizeof e->dead);
}

/* The version of which all is known at present changes an instruction of a stage; -1: one of the loads before all. */
static bool changes(const fsr_emit *e, int stage) {
    for (int i = 0; i < e->tile.n; i++) {
        const int v = e->tile.loop[i];
        const bool early = e->k->inst[v].kind == FSR_INST_LOAD && !fsr_inst_is_late(e->k, v);
        if (stage < 0 ? !early : early || e->tile.stage[v] != stage)
            continue;
        if (e->dead[v] || fsr_inst_guard(&e->k->inst[v]) >= 0 || fsr_inst_chosen(e->k, &e->known, v) >= 0)
            return true;
    }
    return false;
}

void fsr_emit_by_version(fsr_emit *e, int stage, void (*print)(fsr_emit *e, int stage)) {
    bool any = false;
    for (int i = 0; i < e->nversions; i++) {
        know(e, &e->version[i]);
        any = any || changes(e, stage);
    }
    for (int i = 0; i < e->nversions && any; i++) {
        know(e, &e->version[i]);
        fsr_emit_open(e, "%sif (fits%d) {", i ? "} else " : "", i);
        print(e, stage);
        fsr_emit_leave(e);
    }
    forget(e);
    if (any)
        fsr_emit_open(e, "} else {");
    print(e, stage);
    if (any)
        fsr_emit_close(e);
}

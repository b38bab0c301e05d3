/* SPDX-License-Identifier: MIT */
/* MAP with branches (schedule.branched): a thread has one row, and evaluates of each choice by a guard the side that
 * its row takes. The sides are blocks, in which the guard is known; what stands in which is asked in fusion/branch.c.
 * Loads that wait for nothing come first in their block, stores last of all: arrays may share memory.
 *
 * Counter-example to loads before everything else: a plane of a lattice would be loaded for the elements of all
 * others. */
#include "backend_cuda/emit.h"
#include "fusion/branch.h"
#include <string.h>

typedef struct tree {
    fsr_body body;
    fsr_branches branches;
    bool placed[FSR_MAX_ACCESSES]; /* "a<x>" stands in an open block */
} tree;

static void put_address(fsr_emit *e, tree *t, int v) {
    const fsr_inst *inst = &e->k->inst[v];
    if ((inst->kind != FSR_INST_LOAD && inst->kind != FSR_INST_STORE) || t->placed[inst->index])
        return;
    fsr_emit_row_part(e, inst->index);
    t->placed[inst->index] = true;
}

static bool is_early(const fsr_emit *e, int v) {
    return e->k->inst[v].kind == FSR_INST_LOAD && !fsr_inst_is_late(e->k, v);
}

static void put_block(fsr_emit *e, tree *t, int branch);

/* A side of choice v, and that it is what is chosen. */
static void put_side(fsr_emit *e, tree *t, int v, int side) {
    const fsr_loop_version known = e->known;
    bool placed[FSR_MAX_ACCESSES];
    char ref[FSR_REF];
    memcpy(placed, t->placed, sizeof placed);
    put_block(e, t, 2 * v + side);
    fsr_emit_line(e, "v%d = %s;", v, fsr_emit_ref(e, ref, e->k->inst[v].arg[1 + side]));
    memcpy(t->placed, placed, sizeof placed);
    e->known = known;
}

static bool has_sides(const tree *t, int v) {
    for (int i = 0; i < t->body.n; i++)
        if (t->branches.of[t->body.inst[i]] >= 0 && fsr_branch_choice(t->branches.of[t->body.inst[i]]) == v)
            return true;
    return false;
}

static void put_choice(fsr_emit *e, tree *t, int v) {
    const int chosen = fsr_inst_chosen(e->k, &e->known, v);
    char guard[FSR_REF];
    fsr_emit_line(e, "%s v%d;", fsr_emit_type(e->k->inst[v].dtype), v);
    if (chosen >= 0) {
        fsr_emit_open(e, "{");
        put_side(e, t, v, chosen != e->k->inst[v].arg[1]);
        fsr_emit_close(e);
        return;
    }
    fsr_emit_open(e, "if (%s) {", fsr_emit_ref(e, guard, e->k->inst[v].arg[0]));
    put_side(e, t, v, 0);
    fsr_emit_leave(e);
    fsr_emit_open(e, "} else {");
    put_side(e, t, v, 1);
    fsr_emit_close(e);
}

static void put_value(fsr_emit *e, tree *t, int v) {
    e->naming[v] = FSR_NAME_PLAIN;
    if (fsr_inst_is_choice(e->k, v) && has_sides(t, v)) {
        put_choice(e, t, v);
        return;
    }
    put_address(e, t, v);
    fsr_emit_value(e, v, "");
}

/* What stands in a branch, or in none, but for stores. */
static void put_block(fsr_emit *e, tree *t, int branch) {
    fsr_branch_known(e->k, &t->branches, branch, &e->known);
    for (int early = 1; early >= 0; early--)
        for (int i = 0; i < t->body.n; i++) {
            const int v = t->body.inst[i];
            if (t->branches.of[v] == branch && is_early(e, v) == early && e->k->inst[v].kind != FSR_INST_STORE)
                put_value(e, t, v);
        }
}

static void put_store(fsr_emit *e, tree *t, int v) {
    put_address(e, t, v);
    if (fsr_inst_scatters(e->k, &e->k->inst[v]))
        fsr_emit_scattered(e, v, "r", "rows");
    else
        fsr_emit_store(e, v, NULL);
}

void fsr_emit_branched(fsr_emit *e) {
    tree t = {.placed = {false}};
    fsr_body_of(e->k, 0, &t.body);
    fsr_branches_of(e->k, &t.body, &t.branches);
    fsr_emit_line(e, "const idx r = (idx)blockIdx.x * %d + threadIdx.x;", e->s.threads);
    fsr_emit_line(e, "if (r >= rows) return;");
    fsr_emit_row_indices(e);
    put_block(e, &t, FSR_NO_BRANCH);
    for (int i = 0; i < t.body.n; i++)
        if (e->k->inst[t.body.inst[i]].kind == FSR_INST_STORE)
            put_store(e, &t, t.body.inst[i]);
}

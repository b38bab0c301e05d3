/* SPDX-License-Identifier: MIT */
/* Which states of a loop over arrays a turn changes in place.
 *
 * A next state that is the state but for a section, or for what is scattered into it, has its elements where the state
 * has them: the turn reads and writes one buffer, into which the operand is copied before the first turn. Planned is
 * that as a copy of the state into the result (an `own`), over which the section is put (in_place.c): whoever reads the
 * state reads the copy, and comes before the section is written. Where the plan has it so the copy is left out, since
 * both are one array then; else the turn is planned again without it. So is that of a state which stays as it is.
 *
 * Counter-example to states that alternate between two buffers: of a table of 4,000 by 4,000 that gets a row a turn
 * 128 MB are moved for each row of 16 KB, 45 s of two threads for what takes 0.2. Counter-example to doing so for every
 * state: one of few elements is one kernel with what is put over it, or a launch for all turns (loop_kernel.c). One
 * that is stacked lies in its slices, each turn's in another one (loop_slices.c). */
#include "fusion/address.h"
#include "fusion/loop_plan.h"
#include "fusion/rewrites.h"
#include <stdlib.h>

enum { LEAST_GPU = 64 << 10, LEAST_CPU = 16 << 10 }; /* bytes of such a state */

/* ---- what is planned so ----------------------------------------------------------------------------------------- */

uint32_t fsr_loop_may_update(const fsr_rounds *t, const int64_t *bytes, bool gpu) {
    const int nstate = t->form.nstate;
    uint32_t states = 0;
    for (int i = 0; i < nstate; ++i) {
        bool stacked = bytes[i] < (gpu ? LEAST_GPU : LEAST_CPU);
        for (int j = 0; j < nstate + t->form.nstacked; ++j)
            stacked =
                stacked || (j != i && t->result[j].id == t->result[i].id && t->result[j].output == t->result[i].output);
        states |= stacked ? 0 : UINT32_C(1) << i;
    }
    return states;
}

/* The array that output i is but for what is put over it; -1: it is none. *owned: through an own, or it is itself. */
static int base_of(const fsr_flow *flow, int i, bool *owned) {
    fsr_link at = flow->out[i];
    const bool over = fsr_is(flow->node[at.id].kind, FSR_OVERWRITES);
    while (fsr_is(flow->node[at.id].kind, FSR_OVERWRITES))
        at = flow->node[at.id].arg[0];
    const bool own = fsr_is(flow->node[at.id].kind, FSR_IS_DISTINCT); /* what is overwritten by scatters alone */
    *owned = !over || own;
    at = own ? flow->node[at.id].arg[0] : at;
    return fsr_is(flow->node[at.id].kind, FSR_IS_ARRAY) ? at.id : -1;
}

/* Nodes that are computed of folds where they are read. */
static void find_folded(const fsr_flow *flow, bool *folded) {
    for (int k = 0; k < flow->n; ++k) {
        const fsr_flow_node *n = &flow->node[k];
        folded[k] = fsr_is(n->kind, FSR_IS_FOLD);
        for (int j = 0; j < n->nargs && !fsr_is(n->kind, FSR_IS_STORED); ++j)
            folded[k] = folded[k] || folded[n->arg[j].id];
    }
}

/* What a view of all its elements shows. */
static int shown_by(const fsr_flow *flow, int id) {
    while (fsr_is(flow->node[id].kind, FSR_IS_VIEW) &&
           fsr_shape_size(&flow->node[flow->node[id].arg[0].id].shape) <= fsr_shape_size(&flow->node[id].shape))
        id = flow->node[id].arg[0].id;
    return id;
}

/* Values of the sections that are put over an array, made of folds: stored by the folds' kernel. The section is written
 * by one of its own, which would read what that one writes. */
static void hold_sections(fsr_flow *flow, int i, const bool *folded) {
    for (int at = flow->out[i].id; fsr_is(flow->node[at].kind, FSR_OVERWRITES); at = flow->node[at].arg[0].id) {
        const int id = shown_by(flow, flow->node[at].arg[1].id);
        fsr_flow_node *value = &flow->node[id];
        if (folded[id] && value->hint == FSR_HINT_NONE && !fsr_is(value->kind, FSR_IS_STORED) &&
            !fsr_is(flow->node[at].kind, FSR_SCATTERS))
            value->hint = FSR_HINT_MATERIALIZE;
    }
}

/* A copy of the flow in which own[i] stands for array i where that is asked for. */
static fsr_status put_owns(fsr_flow *flow, const bool *owns) {
    fsr_status status = FSR_OK;
    fsr_flow made = {0};
    fsr_link *at = fsr_flow_redirects(flow, &status);
    for (int i = 0; i < flow->n && !status; ++i) {
        fsr_flow_node n = flow->node[i];
        for (int k = 0; k < n.nargs; ++k)
            n.arg[k] = at[n.arg[k].id * FSR_MAX_OUTPUTS + n.arg[k].output];
        fsr_link link = {fsr_flow_add(&made, &n), 0};
        fsr_flow_node own = {.kind = FSR_NODE_OWN, .nout = 1, .shape = n.shape, .nargs = 1, .site = n.site};
        own.dtype[0] = n.dtype[0];
        own.arg[0] = link;
        if (owns[i] && link.id >= 0)
            link.id = fsr_flow_add(&made, &own);
        fsr_flow_replace(at, i, link);
        status = link.id < 0 ? FSR_ERR_MEMORY : FSR_OK;
    }
    if (status)
        free(made.node);
    else
        fsr_flow_become(flow, &made, at);
    free(at);
    return status;
}

fsr_status fsr_loop_own_states(fsr_flow *flow, const int *leaf, uint32_t *states) {
    bool *owns = calloc((size_t)flow->n + 1, sizeof *owns), any = false;
    bool *folded = calloc((size_t)flow->n + 1, sizeof *folded);
    uint32_t found = 0;
    if (folded)
        find_folded(flow, folded);
    for (int i = 0; owns && folded && i < FSR_MAX_OUTPUTS && *states >> i; ++i) {
        bool owned = false;
        const int base = *states >> i & 1 ? base_of(flow, i, &owned) : -1;
        if (base < 0 || leaf[flow->node[base].ordinal] != i)
            continue;
        found |= UINT32_C(1) << i;
        hold_sections(flow, i, folded);
        owns[base] = !owned;
        any = any || !owned;
    }
    *states = found;
    const fsr_status status = !owns || !folded ? FSR_ERR_MEMORY : any ? put_owns(flow, owns) : FSR_OK;
    free(owns);
    free(folded);
    return status;
}

/* ---- what the plan has made of it ------------------------------------------------------------------------------- */

/* The kernel stores each element where it has loaded it, and does nothing else. */
static bool is_copy(const fsr_kernel *k) {
    int load = -1, store = -1, others = 0;
    for (int i = 0; i < k->ninsts; ++i) {
        load = k->inst[i].kind == FSR_INST_LOAD ? i : load;
        store = k->inst[i].kind == FSR_INST_STORE ? i : store;
        others += k->inst[i].kind != FSR_INST_LOAD && k->inst[i].kind != FSR_INST_STORE;
    }
    if (others || k->ninsts != 2 || load < 0 || store < 0 || k->nests || k->inst[load].guard ||
        k->inst[load].dtype != k->array[k->access[k->inst[store].index].buffer].dtype)
        return false;
    const fsr_form from = fsr_form_of_access(k, k->integer, k->inst[load].index);
    const fsr_form to = fsr_form_of_access(k, k->integer, k->inst[store].index);
    return fsr_form_same(&from, &to);
}

static bool is(const fsr_use *use, fsr_slot_kind kind, int ordinal) {
    return use->slot.kind == kind && use->slot.ordinal == ordinal;
}

/* A thunk that copies a leaf into an output of as many bytes; -1: there is none, or others read the leaf when others
 * may have written the output. */
static int copy_of(const fsr_program *p, int leaf, int output) {
    int at = -1, readers = 0, writers = 0;
    for (int i = 0; i < p->nthunks; ++i) {
        const fsr_thunk *thunk = &p->thunk[i];
        for (int u = 0; u < thunk->nuses; ++u) {
            readers += is(&thunk->use[u], FSR_SLOT_LEAF, leaf);
            writers += is(&thunk->use[u], FSR_SLOT_OUTPUT, output) && thunk->use[u].written;
        }
        if (thunk->nuses == 2 && is(&thunk->use[0], FSR_SLOT_LEAF, leaf) &&
            is(&thunk->use[1], FSR_SLOT_OUTPUT, output) && thunk->use[0].bytes == thunk->use[1].bytes &&
            (thunk->kind == FSR_THUNK_COPY || (thunk->kind == FSR_THUNK_KERNEL && is_copy(thunk->kernel))))
            at = i;
    }
    return readers == 1 || writers == 1 ? at : -1;
}

uint32_t fsr_loop_leave_copies(fsr_loop_part *turn, uint32_t states) {
    uint32_t left = 0;
    for (int k = 0; k < turn->program.nleaves; ++k) {
        const int i = turn->leaf[k];
        const int at = i >= 0 && i < FSR_MAX_OUTPUTS && states >> i & 1 ? copy_of(&turn->program, k, i) : -1;
        if (at < 0)
            continue;
        fsr_thunk *copy = &turn->program.thunk[at];
        turn->program.info.bytes_moved -= copy->bytes_moved;
        turn->program.price -= copy->price;
        copy->bytes_moved = 0;
        copy->nothing = true;
        left |= UINT32_C(1) << i;
    }
    return left;
}

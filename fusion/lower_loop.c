/* SPDX-License-Identifier: MIT */
/* Lowering of loops (ITERATE): each is run once for each of its elements, in one kernel, at one index.
 *
 * The first result asked for fixes that index, which must be one where the group could also store it: not under a
 * guard, not broadcast, and whose kernel may store what others need of it: a scatter's may not. The loop then has one
 * instruction, and results at that index are read from it. What would run it again, several passes over a row above
 * all, is refused.
 *
 * Counter-example to lowering loops as maps: y and y + y.T would run each loop twice, a thousand turns each.
 * A kernel has FSR_MAX_LOOPS of them. One more is nobody's fault: storing that one would need the same loops before it,
 * so the planner cuts in the middle (partition_assign.c). */
#include "fusion/lower.h"
#include <stdlib.h>
#include <string.h>

/* Where the group could also store the loop's results. */
static bool is_own_index(const fsr_lowering *l, const fsr_shape *shape, const fsr_index *index) {
    const fsr_domain *d = &l->group->domain;
    fsr_index own;
    if (l->guard || index->flat)
        return false;
    if (fsr_index_row(&own, shape, d) && fsr_index_equal(&own, index))
        return true;
    return d->ndim > d->nparallel && fsr_index_elem(&own, shape, d) && fsr_index_equal(&own, index);
}

/* Why the loop may not run at this level and pass. Divided rows of a CPU's scan take in its input twice
 * (backend_cpu/emit/share.c). */
static const char *runs_again(const fsr_lowering *l, const fsr_stand *stand) {
    const fsr_domain *d = &l->group->domain;
    if (stand->level == FSR_ROW && stand->pass == 0 && d->ndim > d->nparallel)
        return "its loop would run in everything that shares a row";
    if (stand->level == FSR_ELEM && !l->p->target->gpu && fsr_lower_scans(l))
        return "its loop would run again where the scan's carries are known";
    return NULL;
}

/* The inputs of a loop; false: refused. */
static bool loop_inputs(fsr_lowering *l, const fsr_flow_node *n, const fsr_index *index, int *input, fsr_stand *stand) {
    for (int i = 0; i < fsr_own_arguments(&n->content); ++i) {
        input[i] = fsr_lower_eval(l, n->arg[i], index);
        if (input[i] < 0)
            return false;
        fsr_stand_behind(stand, &l->k->stand[input[i]]);
    }
    return true;
}

/* Memory holds the node, or the group that folds or calls it does not go on with it. */
static bool ends(const fsr_lowering *l, int id) {
    return fsr_is(l->flow->node[id].kind, FSR_IS_STORED | FSR_IS_FOLD | FSR_IS_LIBRARY);
}

/* What depends on the loop is needed by something else than the scatter that the group is: an output, or what another
 * kernel begins with. -1: out of memory. */
static int needed_elsewhere(const fsr_lowering *l, fsr_link link) {
    const int scatter = l->group->store[0].id;
    bool *depends = calloc((size_t)l->flow->n, sizeof *depends), elsewhere = false;
    if (!depends)
        return -1;
    depends[link.id] = true;
    for (int i = link.id + 1; i < l->flow->n; ++i) {
        const fsr_flow_node *n = &l->flow->node[i];
        for (int a = 0; a < n->nargs && !depends[i]; ++a)
            depends[i] = depends[n->arg[a].id] && !ends(l, n->arg[a].id);
        elsewhere = elsewhere || (depends[i] && ends(l, i) && i != scatter);
    }
    for (int o = 0; o < l->flow->nout; ++o)
        elsewhere = elsewhere || (depends[l->flow->out[o].id] && l->flow->out[o].id != scatter);
    free(depends);
    return elsewhere;
}

/* A scatter's kernel stores nothing else: a loop whose results others need, too, is run before it. */
static bool runs_for_others(fsr_lowering *l, fsr_link link) {
    if (!l->group->nstores || !fsr_is(l->flow->node[l->group->store[0].id].kind, FSR_SCATTERS))
        return false;
    const int elsewhere = needed_elsewhere(l, link);
    if (elsewhere < 0)
        fsr_lower_refuse(l, fsr_reason_memory);
    else if (elsewhere)
        fsr_lower_blame(l, "its loop's results are needed by more than the scatter", link);
    return elsewhere != 0;
}

/* The ITERATE of a loop that was not asked for yet, with what it needs: its slot. Loops among the inputs come first. */
static int loop_add(fsr_lowering *l, fsr_link link, const fsr_index *index) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    fsr_inst inst = fsr_inst_blank(FSR_INST_ITERATE, FSR_I32, link.id);
    fsr_stand stand = {.level = FSR_ROW};
    int input[FSR_MAX_ARGS];
    if (runs_for_others(l, link))
        return -1;
    if (!loop_inputs(l, n, index, input, &stand))
        return -1;
    if (l->k->nloops == FSR_MAX_LOOPS)
        return fsr_lower_refuse(l, "the kernel would have too many loops");
    const char *reason = runs_again(l, &stand);
    if (reason)
        return fsr_lower_blame(l, reason, link);
    fsr_iteration *own = fsr_kernel_loop_room(l->k) ? fsr_iteration_copy(n->loop) : NULL;
    if (!own)
        return fsr_lower_refuse(l, fsr_reason_memory);
    int slot = l->k->nloops++;
    l->k->loop[slot].program = own;
    memcpy(l->k->loop[slot].input, input, sizeof input);
    if (!fsr_lower_tables(l, n, slot))
        return -1;
    inst.index = slot;
    l->looped[slot] = link;
    l->loop_index[slot] = *index;
    l->iterate[slot] = fsr_lower_add(l, &inst);
    l->group->loop[slot] = link.id;
    l->group->nloops = l->k->nloops;
    return l->iterate[slot] < 0 ? -1 : slot;
}

static int loop_slot(fsr_lowering *l, fsr_link link, const fsr_index *index) {
    for (int i = 0; i < l->group->nloops; ++i)
        if (l->group->loop[i] == link.id)
            return fsr_index_equal(&l->loop_index[i], index)
                       ? i
                       : fsr_lower_blame(l, "its loop would run for one element at several indices", link);
    if (!is_own_index(l, &l->flow->node[link.id].shape, index))
        return fsr_lower_blame(l, "its loop runs where its own elements are, once each", link);
    return loop_add(l, link, index);
}

int fsr_lower_loop_result(fsr_lowering *l, fsr_link link, const fsr_index *index) {
    int own = l->p->group_of[link.id];
    if (own >= 0 && own != l->g)
        return fsr_lower_foreign(l, link, index);
    int slot = loop_slot(l, link, index);
    if (slot < 0)
        return -1;
    fsr_inst inst = fsr_inst_blank(FSR_INST_PICK, l->flow->node[link.id].dtype[link.output], link.id);
    inst.index = slot;
    inst.component = link.output;
    inst.arg[0] = l->iterate[slot];
    return fsr_lower_add(l, &inst);
}

bool fsr_lower_loops_once(fsr_lowering *l) {
    for (int i = 0; i < l->k->nloops; ++i)
        if (fsr_kernel_loop_passes(l->k, i) > 1)
            return fsr_lower_blame(l, "its loop would run again in each pass over the row", l->looped[i]), false;
    return true;
}

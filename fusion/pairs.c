/* SPDX-License-Identifier: MIT */
/* Hints about two nodes in a partition; see pairs.h.
 *
 * A kernel that computes two nodes that
 * shall be apart is not legal, and the earlier of them is to blame: stored before, it is loaded. Two nodes that shall be
 * in one kernel are roots, or evaluated for roots: the groups of these are tried together without asking what it costs,
 * first when the later root is assigned, then, when all are, as a merge. What stands in the way is the reason that the
 * pair keeps. Counter-example to holding both nodes and joining those stores: a map that is asked for at neighbours is
 * evaluated there, and no store of it serves. */
#include "fusion/pairs.h"
#include "fusion/explain.h"
#include "fusion/partition_parts.h"

const char fsr_reason_apart[] = "a hint keeps the two apart";

static bool computes(const fsr_kernel *k, int node) {
    int list[FSR_MAX_INSTS];
    bool found = false;
    for (int n = k && node >= 0 ? fsr_kernel_nodes(k, list) : 0; n > 0 && !found; --n)
        found = list[n - 1] == node;
    return found;
}

bool fsr_pairs_fuse(const fsr_flow *flow, int node) {
    bool asked = false;
    for (int i = 0; i < flow->npairs; ++i)
        asked = asked || (flow->pair[i].hint == FSR_PAIR_FUSE &&
                          (flow->pair[i].node[0] == node || flow->pair[i].node[1] == node));
    return asked;
}

/* One kernel has one node of pair i, the other one the other. */
static bool meets(const fsr_flow *flow, int i, const fsr_kernel *a, const fsr_kernel *b) {
    const int x = flow->pair[i].node[0], y = flow->pair[i].node[1];
    return x >= 0 && y >= 0 && ((computes(a, x) && computes(b, y)) || (computes(a, y) && computes(b, x)));
}

static bool any_meets(const fsr_flow *flow, fsr_pair_hint hint, const fsr_kernel *a, const fsr_kernel *b) {
    bool any = false;
    for (int i = 0; i < flow->npairs && !any; ++i)
        any = flow->pair[i].hint == hint && meets(flow, i, a, b);
    return any;
}

bool fsr_pairs_ask(const fsr_flow *flow, const fsr_kernel *a, const fsr_kernel *b) {
    return any_meets(flow, FSR_PAIR_FUSE, a, b);
}

bool fsr_pairs_apart(const fsr_flow *flow, const fsr_kernel *a, const fsr_kernel *b) {
    return any_meets(flow, FSR_PAIR_APART, a, b);
}

int fsr_pair_groups(const fsr_partition *p, int pair, int k, int *list, int most) {
    const int node = p->flow->pair[pair].node[k];
    int n = 0;
    for (int g = 0; g < p->ngroups && n < most; ++g)
        if (computes(p->group[g].kernel, node))
            list[n++] = g;
    return n;
}

bool fsr_pair_waits(const fsr_partition *p, int pair) {
    const fsr_flow_pair *at = &p->flow->pair[pair];
    bool waits = at->hint == FSR_PAIR_FUSE;
    for (int g = 0; g < p->ngroups && waits; ++g)
        waits = !computes(p->group[g].kernel, at->node[0]) || !computes(p->group[g].kernel, at->node[1]);
    return waits;
}

void fsr_pairs_refuse(fsr_partition *p, const fsr_kernel *a, const fsr_kernel *b, const char *reason) {
    for (int i = 0; i < p->flow->npairs; ++i)
        if (p->flow->pair[i].hint == FSR_PAIR_FUSE && meets(p->flow, i, a, b))
            p->refused[i] = reason;
}

const char *fsr_pairs_forbid(const fsr_partition *p, const fsr_kernel *k, fsr_link *blame) {
    const fsr_flow *flow = p->flow;
    for (int i = 0; i < flow->npairs; ++i) {
        const int x = flow->pair[i].node[0], y = flow->pair[i].node[1];
        if (flow->pair[i].hint != FSR_PAIR_APART || x == y || !computes(k, x) || !computes(k, y))
            continue;
        *blame = fsr_partition_first_used(p, x < y ? x : y);
        return fsr_reason_apart;
    }
    return NULL;
}

/* ---- what became of them -------------------------------------------------------------------------------------- */

static bool is_call(const fsr_flow *flow, int node) {
    return fsr_is(flow->node[node].kind, FSR_IS_LIBRARY | FSR_IS_RESULT);
}

/* Some kernel of the program computes both. */
static bool together(const fsr_program *program, int x, int y) {
    bool one = false;
    for (int i = 0; i < program->nsteps && !one; ++i)
        one = program->step[i].task == FSR_TASK_KERNEL && computes(program->step[i].kernel, x) &&
              computes(program->step[i].kernel, y);
    return one;
}

/* NULL: the pair is obeyed. */
static const char *refusal(const fsr_program *program, const fsr_partition *p, int i) {
    const fsr_flow *flow = p->flow;
    const fsr_flow_pair *pair = &flow->pair[i];
    const int x = pair->node[0], y = pair->node[1];
    if (x < 0 || y < 0)
        return "nothing is left that computes one of them";
    if (x == y)
        return pair->hint == FSR_PAIR_FUSE ? NULL : "the two are one value";
    if (pair->hint == FSR_PAIR_APART)
        return together(program, x, y) ? "no store can stand between the two" : NULL;
    if (is_call(flow, x) || is_call(flow, y))
        return fsr_reason_library;
    if (together(program, x, y))
        return NULL;
    if (!fsr_partition_may_fuse(p))
        return "nothing more is fused in this plan";
    return p->refused[i] ? p->refused[i] : "no kernel computes one of them";
}

static void name_node(const fsr_flow *flow, int node, FILE *to) {
    if (node < 0)
        fputs("a value that is gone", to);
    else
        fprintf(to, "%s (%%%d)", fsr_flow_name(flow, node), node);
}

void fsr_explain_pairs(const fsr_program *program, const fsr_partition *p, FILE *to) {
    const fsr_flow *flow = p->flow;
    for (int i = 0; i < flow->npairs; ++i) {
        const fsr_flow_pair *pair = &flow->pair[i];
        const char *why = refusal(program, p, i);
        fputs(why ? "hint refused: " : "hint: ", to);
        name_node(flow, pair->node[0], to);
        fputs(pair->hint == FSR_PAIR_FUSE ? " fused with " : " apart from ", to);
        name_node(flow, pair->node[1], to);
        if (pair->node[0] >= 0)
            fsr_explain_site(flow, pair->node[0], pair->node[1], to);
        fprintf(to, why ? ": %s\n" : "\n", why);
    }
}

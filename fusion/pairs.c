/* SPDX-License-Identifier: MIT */
/* Hints about two nodes in a partition; see pairs.h.
 *
 * A kernel that computes two nodes that
 * shall be apart is not legal, and the earlier of them is to blame: stored before, it is loaded. Two nodes that shall
 * be in one kernel are roots, or evaluated for roots: the groups of these are tried together without asking what it
 * costs, first when the later root is assigned, then, when all are, as a merge. What stands in the way is the reason
 * that the pair keeps. Counter-example to holding both nodes and joining those stores: a map that is asked for at
 * neighbours is evaluated there, and no store of it serves. */
#include "fusion/pairs.h"
#include "fusion/explain.h"
#include "fusion/partition_parts.h"
#include <stdlib.h>

const char fsr_reason_apart[] = "a hint keeps the two apart";

/* The nodes that a kernel computes. */
typedef struct computed {
    int n, node[FSR_MAX_INSTS];
} computed;

static computed nodes_of(const fsr_kernel *k) {
    computed c;
    c.n = k ? fsr_kernel_nodes(k, c.node) : 0;
    return c;
}

static bool has(const computed *c, int node) {
    bool found = false;
    for (int i = 0; i < c->n && !found; ++i)
        found = c->node[i] == node;
    return found && node >= 0;
}

static bool computes(const fsr_kernel *k, int node) {
    const computed c = nodes_of(k);
    return has(&c, node);
}

bool fsr_pairs_fuse(const fsr_flow *flow, int node) {
    return flow->node[node].asked;
}

/* The first pair whose later node is this one, or a later one: pairs stand in this order, those of nodes that are gone
 * behind the others. */
static int first_of(const fsr_flow *flow, int later) {
    int low = 0, high = flow->npairs;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        const bool before = flow->pair[middle].node[0] >= 0 && flow->pair[middle].node[1] < later;
        *(before ? &low : &high) = middle + before;
    }
    return low;
}

/* Where pairs of a hint are looked for: the one found last. */
typedef struct search {
    const fsr_flow *flow;
    fsr_pair_hint hint;
    int at, pair; /* of the later nodes, and of its pairs */
} search;

/* The next pair whose later node `later` has, and the other one `other`; -1: there is none. Only these nodes' pairs are
 * looked at, not all that there are. */
static int next_of(search *s, const computed *later, const computed *other) {
    const fsr_flow *flow = s->flow;
    for (; s->at < later->n; ++s->at, s->pair = -1) {
        const int node = later->node[s->at];
        int i = s->pair < 0 ? first_of(flow, node) : s->pair + 1;
        for (; i < flow->npairs && flow->pair[i].node[0] >= 0 && flow->pair[i].node[1] == node; ++i)
            if (flow->pair[i].hint == s->hint && has(other, flow->pair[i].node[0])) {
                s->pair = i;
                return i;
            }
    }
    return -1;
}

static int first_met(const fsr_flow *flow, fsr_pair_hint hint, const computed *later, const computed *other) {
    search s = {flow, hint, 0, -1};
    return next_of(&s, later, other);
}

static bool any_meets(const fsr_flow *flow, fsr_pair_hint hint, const fsr_kernel *a, const fsr_kernel *b) {
    if (!flow->npairs)
        return false;
    const computed x = nodes_of(a), y = nodes_of(b);
    return first_met(flow, hint, &x, &y) >= 0 || first_met(flow, hint, &y, &x) >= 0;
}

/* A node of the kernel is one that a pair asks to fuse. */
static bool is_asked(const fsr_flow *flow, const fsr_kernel *k) {
    const computed c = nodes_of(k);
    bool asked = false;
    for (int i = 0; i < c.n && !asked; ++i)
        asked = flow->node[c.node[i]].asked;
    return asked;
}

bool fsr_pairs_ask(const fsr_flow *flow, const fsr_kernel *a, const fsr_kernel *b) {
    return flow->npairs && a && b && is_asked(flow, a) && any_meets(flow, FSR_PAIR_FUSE, a, b);
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
    const computed x = nodes_of(a), y = nodes_of(b);
    for (int way = 0; way < 2; ++way) {
        search s = {p->flow, FSR_PAIR_FUSE, 0, -1};
        for (int i; (i = next_of(&s, way ? &y : &x, way ? &x : &y)) >= 0;)
            p->refused[i] = reason;
    }
}

const char *fsr_pairs_forbid(const fsr_partition *p, const fsr_kernel *k, fsr_link *blame) {
    const fsr_flow *flow = p->flow;
    int first = -1;
    if (!flow->npairs)
        return NULL;
    const computed c = nodes_of(k);
    search s = {flow, FSR_PAIR_APART, 0, -1};
    for (int i; (i = next_of(&s, &c, &c)) >= 0;)
        if (flow->pair[i].node[0] != flow->pair[i].node[1] && (first < 0 || i < first))
            first = i;
    if (first < 0)
        return NULL;
    *blame = fsr_partition_first_used(p, flow->pair[first].node[0]);
    return fsr_reason_apart;
}

/* ---- what became of them -------------------------------------------------------------------------------------- */

static bool is_call(const fsr_flow *flow, int node) {
    return fsr_is(flow->node[node].kind, FSR_IS_LIBRARY | FSR_IS_RESULT);
}

/* Of each pair, whether some kernel of the program computes both. NULL: out of memory. */
static bool *find_together(const fsr_program *program, const fsr_flow *flow) {
    bool *together = calloc((size_t)flow->npairs + 1, sizeof *together);
    for (int k = 0; together && k < program->nthunks; ++k) {
        if (program->thunk[k].kind != FSR_THUNK_KERNEL)
            continue;
        const computed c = nodes_of(program->thunk[k].kernel);
        for (int h = 0; h < 2; ++h) {
            search s = {flow, h ? FSR_PAIR_FUSE : FSR_PAIR_APART, 0, -1};
            for (int i; (i = next_of(&s, &c, &c)) >= 0;)
                together[i] = true;
        }
    }
    return together;
}

/* NULL: the pair is obeyed. */
static const char *refusal(const fsr_partition *p, int i, bool together) {
    const fsr_flow *flow = p->flow;
    const fsr_flow_pair *pair = &flow->pair[i];
    const int x = pair->node[0], y = pair->node[1];
    if (x < 0 || y < 0)
        return "nothing is left that computes one of them";
    if (x == y)
        return pair->hint == FSR_PAIR_FUSE ? NULL : "the two are one value";
    if (pair->hint == FSR_PAIR_APART)
        return together ? "no store can stand between the two" : NULL;
    if (is_call(flow, x) || is_call(flow, y))
        return fsr_reason_library;
    if (together)
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
    bool *together = find_together(program, flow);
    for (int i = 0; together && i < flow->npairs; ++i) {
        const fsr_flow_pair *pair = &flow->pair[i];
        const char *why = refusal(p, i, together[i]);
        fputs(why ? "hint refused: " : "hint: ", to);
        name_node(flow, pair->node[0], to);
        fputs(pair->hint == FSR_PAIR_FUSE ? " fused with " : " apart from ", to);
        name_node(flow, pair->node[1], to);
        if (pair->node[0] >= 0)
            fsr_explain_site(flow, pair->node[0], pair->node[1], to);
        fprintf(to, why ? ": %s\n" : "\n", why);
    }
    free(together);
}

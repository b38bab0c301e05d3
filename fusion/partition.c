/* Placing anchors into groups; see partition.h. */
#include "fusion/partition.h"
#include "fusion/schedule.h"
#include <stdlib.h>
#include <string.h>

enum { JOIN_WINDOW = 32 }; /* groups tried, newest first: bounds the work for graphs of thousands of kernels */
enum { MAX_DEPTH = 4000 };
enum { SHORT_LOOP = 64 };

void fsr_partition_clear(fsr_partition *p) {
    for (int i = 0; i < p->ngroups; ++i)
        fsr_kernel_free(p->group[i].kernel);
    free(p->group);
    free(p->home);
    free(p->stored);
    free(p->used);
    free(p->held);
    free(p->note);
    memset(p, 0, sizeof *p);
}

/* Depth-first over dependencies with an explicit stack; `seen` bounds it to one visit a group, and what is not above
 * `to` needs no visit. */
static bool reach(const fsr_partition *p, int from, int to, bool *seen, int *stack) {
    int depth = 0;
    seen[from] = true;
    stack[depth++] = from;
    while (depth) {
        const fsr_group *group = &p->group[stack[--depth]];
        for (int i = 0; i < group->ndeps; ++i) {
            int dep = group->deps[i];
            if (dep == to)
                return true;
            if (!seen[dep] && p->group[dep].level > p->group[to].level) {
                seen[dep] = true;
                stack[depth++] = dep;
            }
        }
    }
    return false;
}

/* Out of memory answers yes, and the plan will not be used. */
bool fsr_partition_reaches(const fsr_partition *p, int from, int to) {
    if (from == to)
        return true;
    if (to >= p->ngroups || from >= p->ngroups)
        return false; /* a group not placed yet: nothing depends on it */
    if (p->merging >= 0 && to == p->into && from != p->into && fsr_partition_reaches(p, from, p->merging))
        return true;
    if (p->group[from].level <= p->group[to].level)
        return false;
    bool *seen = calloc((size_t)p->ngroups, sizeof *seen);
    int *stack = malloc(sizeof *stack * (size_t)p->ngroups);
    bool found = !seen || !stack || reach(p, from, to, seen, stack);
    *p->no_memory = *p->no_memory || !seen || !stack;
    free(seen);
    free(stack);
    return found;
}

/* The group's level is above those of its deps. True if it had to be raised. */
static bool raise_level(fsr_partition *p, int g) {
    fsr_group *group = &p->group[g];
    int level = group->level;
    for (int i = 0; i < group->ndeps; ++i) {
        int dep = p->group[group->deps[i]].level;
        level = level > dep ? level : dep + 1;
    }
    bool raised = level != group->level;
    group->level = level;
    return raised;
}

static void level_all(fsr_partition *p) {
    bool raised = true;
    for (int round = 0; raised && round < p->ngroups; ++round) {
        raised = false;
        for (int g = 0; g < p->ngroups; ++g)
            raised = raise_level(p, g) || raised;
    }
}

void fsr_partition_settle(fsr_partition *p, int g) {
    if (raise_level(p, g))
        level_all(p);
}

static void add_note(fsr_partition *p, int producer, int consumer, const char *reason) {
    if (p->nnotes == p->note_capacity) {
        int capacity = p->note_capacity ? p->note_capacity * 2 : 16;
        fsr_note *grown = realloc(p->note, sizeof *grown * (size_t)capacity);
        if (!grown) {
            *p->no_memory = true;
            return;
        }
        p->note = grown;
        p->note_capacity = capacity;
    }
    p->note[p->nnotes++] = (fsr_note){producer, consumer, reason};
}

bool fsr_partition_room(fsr_partition *p) {
    if (p->ngroups == p->capacity) {
        int capacity = p->capacity ? p->capacity * 2 : 8;
        fsr_group *grown = realloc(p->group, sizeof *grown * (size_t)capacity);
        if (!grown)
            return false;
        p->group = grown;
        p->capacity = capacity;
    }
    memset(&p->group[p->ngroups], 0, sizeof *p->group);
    return true;
}

/* fsr_lower into trial->kernel. */
static const char *lower(fsr_partition *p, int g, fsr_group *trial, fsr_link *blame) {
    trial->kernel = NULL;
    const char *reason = fsr_lower(p, g, trial, blame);
    *p->no_memory = *p->no_memory || reason == fsr_reason_memory;
    return reason;
}

/* Lowers `trial` (a changed copy of group g, or a new one) and, if that is legal, puts it in g's place. */
static const char *try_group(fsr_partition *p, int g, fsr_group *trial, fsr_link *blame) {
    const char *reason = lower(p, g, trial, blame);
    if (!reason && (reason = fsr_legality(p, trial)) != NULL) {
        fsr_kernel_free(trial->kernel);
        trial->kernel = NULL;
    }
    return reason;
}

static void commit(fsr_partition *p, int g, const fsr_group *trial) {
    if (g < p->ngroups)
        fsr_kernel_free(p->group[g].kernel);
    bool fresh = g == p->ngroups; /* nobody needs it yet */
    p->group[g] = *trial;
    p->ngroups += fresh;
    for (int i = 0; i < trial->nloops; ++i)
        p->home[trial->loop[i]] = g;
    if (raise_level(p, g) && !fresh)
        level_all(p);
}

/* A fold's or loop's result that must end in memory. Legality was checked with room for it; only lowering can refuse. */
static const char *add_store(fsr_partition *p, int g, fsr_link link) {
    fsr_group trial = p->group[g];
    fsr_link blame;
    if (trial.nstores == FSR_MAX_STORES)
        return "the kernel would have too many outputs";
    trial.store[trial.nstores++] = link;
    const char *reason = lower(p, g, &trial, &blame);
    if (reason)
        return reason;
    commit(p, g, &trial);
    p->stored[link.id * FSR_MAX_OUTPUTS + link.output] = g;
    return NULL;
}

/* Makes the groups that the trial reads from store what it reads. Stores added before a refusal stay: harmless. */
static const char *satisfy(fsr_partition *p, const fsr_group *trial) {
    for (int i = 0; i < trial->nneeds; ++i) {
        fsr_link link = trial->needs[i];
        if (p->stored[link.id * FSR_MAX_OUTPUTS + link.output] >= 0)
            continue;
        const char *reason = add_store(p, p->home[link.id], link);
        if (reason)
            return reason;
    }
    return NULL;
}

/* ---- one anchor ----------------------------------------------------------------------------------- */

typedef struct anchor {
    bool fold;
    fsr_link link; /* fold: {node, 0} */
} anchor;

static bool add_anchor(fsr_group *group, anchor a) {
    if (a.fold ? group->nfolds == FSR_MAX_COMBINES : group->nstores == FSR_MAX_STORES)
        return false;
    if (a.fold)
        group->fold[group->nfolds++] = a.link.id;
    else
        group->store[group->nstores++] = a.link;
    return true;
}

static void anchor_domain(const fsr_partition *p, anchor a, const fsr_domain *like, fsr_domain *out) {
    if (a.fold)
        fsr_fold_domain(p->flow, a.link.id, like, out);
    else
        fsr_domain_make(out, &p->flow->node[a.link.id].shape, 0);
}

/* No fold of the group cares which end of the row comes first. */
static bool has_no_direction(const fsr_partition *p, const fsr_group *group) {
    bool free = true;
    for (int i = 0; i < group->nfolds; ++i) {
        const fsr_flow_node *n = &p->flow->node[group->fold[i]];
        free = free && n->kind == FSR_NODE_REDUCE && n->combine->commutative;
    }
    return free;
}

/* Makes the group's domain that of another fold, if it is but for the direction. NULL: done. */
static const char *meet(const fsr_partition *p, fsr_group *group, anchor a) {
    fsr_domain domain;
    anchor_domain(p, a, &group->domain, &domain);
    if (!a.fold)
        return NULL;
    if (!fsr_domain_divide_like(&domain, &group->domain))
        return "the folds have different domains";
    if (domain.mirrored == group->domain.mirrored)
        return NULL;
    if (!has_no_direction(p, group))
        return "the scans run in opposite directions";
    group->domain.mirrored = domain.mirrored;
    return NULL;
}

static void placed(fsr_partition *p, int g, anchor a) {
    if (a.fold)
        p->home[a.link.id] = g;
    else
        p->stored[a.link.id * FSR_MAX_OUTPUTS + a.link.output] = g;
}

static int loads(const fsr_kernel *k) {
    int n = 0;
    for (int i = 0; i < k->ninsts; ++i)
        n += k->inst[i].kind == FSR_INST_LOAD;
    return n;
}

/* Rough work of an element. */
static int work(const fsr_kernel *k) {
    int n = k->nloops;
    for (int i = 0; i < k->ninsts; ++i)
        n += fsr_inst_cost(k, i);
    return n;
}

/* `both` does less than a and b one after the other: it loads less or, where neither loads anything, computes less. An
 * operation that kernels with loads have in common, such as a parameter's square root, is no reason to join them. */
static bool is_less(const fsr_kernel *both, const fsr_kernel *a, const fsr_kernel *b) {
    int apart = loads(a) + loads(b);
    return apart ? loads(both) < apart : work(both) < work(a) + work(b);
}

static bool depends_on(const fsr_group *alone, int g) {
    for (int i = 0; i < alone->ndeps; ++i)
        if (alone->deps[i] == g)
            return true;
    return false;
}

/* satisfy for an enlarged group g, whose new dependencies must be seen by the groups that are lowered again meanwhile:
 * else one of them would read what g stores, and each would need the other. */
static const char *satisfy_joined(fsr_partition *p, int g, const fsr_group *trial) {
    fsr_group *old = &p->group[g];
    int ndeps = old->ndeps;
    for (int i = 0; i < trial->ndeps; ++i) {
        if (depends_on(old, trial->deps[i]))
            continue;
        if (old->ndeps == FSR_MAX_BUFFERS) {
            old->ndeps = ndeps;
            return "the kernel would depend on too many others";
        }
        old->deps[old->ndeps++] = trial->deps[i];
    }
    fsr_partition_settle(p, g);
    const char *reason = satisfy(p, trial);
    if (reason)
        old->ndeps = ndeps;
    return reason;
}

/* Tries to enlarge group g by the anchor. NULL: done. */
static const char *join(fsr_partition *p, int g, anchor a, const fsr_group *alone) {
    fsr_group trial = p->group[g];
    fsr_link blame;
    bool needed = depends_on(alone, g);
    const char *reason = meet(p, &trial, a);
    if (reason)
        return reason;
    if (!add_anchor(&trial, a))
        return "the kernel would have too many anchors";
    if (a.fold)
        p->home[a.link.id] = g;
    reason = try_group(p, g, &trial, &blame);
    if (a.fold)
        p->home[a.link.id] = -1;
    if (reason)
        return reason;
    if (!needed && !is_less(trial.kernel, p->group[g].kernel, alone->kernel))
        reason = loads(trial.kernel) ? "the kernels read nothing in common" : "the kernels compute nothing in common";
    if (!reason)
        reason = satisfy_joined(p, g, &trial);
    if (reason) {
        fsr_kernel_free(trial.kernel);
        return reason;
    }
    commit(p, g, &trial);
    placed(p, g, a);
    return NULL;
}

static fsr_status place(fsr_partition *p, anchor a, char *why, size_t size);

/* Kinds that a kernel evaluates element by element. */
static bool computes(fsr_kind kind) {
    return kind == FSR_NODE_MAP || kind == FSR_NODE_CALL || kind == FSR_NODE_PASTE || kind == FSR_NODE_ITERATE;
}

/* The result of a node by which it is stored: the first that somebody needs. */
static fsr_link first_used(const fsr_partition *p, int node) {
    fsr_link link = {node, 0};
    while (link.output + 1 < p->flow->node[node].nout && !p->used[node * FSR_MAX_OUTPUTS + link.output])
        ++link.output;
    return link;
}

/* A new kernel would evaluate the node, not load what others store or run. */
static bool evaluates(const fsr_partition *p, int node) {
    bool stored = p->held[node] || p->home[node] >= 0;
    for (int k = 0; k < p->flow->node[node].nout; ++k)
        stored = stored || p->stored[node * FSR_MAX_OUTPUTS + k] >= 0;
    return !stored && (computes(p->flow->node[node].kind) || p->flow->node[node].kind == FSR_NODE_VIEW);
}

/* Where to cut an anchor whose kernel passes a limit although its nodes are few (x[1:] + x[:-1], again and again,
 * needs each node at many places): the middle one, in order, of the maps that it would evaluate; id -1: there is
 * none. Counter-example to counting what is stored already, an output say: cutting there changes nothing. */
static fsr_link middle(const fsr_partition *p, fsr_link top) {
    const fsr_flow *flow = p->flow;
    bool *seen = calloc((size_t)top.id + 1, sizeof *seen);
    int n = 0, at = top.id;
    if (!seen) {
        *p->no_memory = true;
        return (fsr_link){-1, 0};
    }
    seen[top.id] = true;
    for (int i = top.id; i >= 0; --i) {
        const fsr_flow_node *node = &flow->node[i];
        seen[i] = seen[i] && (i == top.id || evaluates(p, i));
        for (int k = 0; seen[i] && k < node->nargs; ++k)
            seen[node->arg[k].id] = true;
        n += seen[i] && i != top.id && computes(node->kind);
    }
    for (int left = (n + 1) / 2; left > 0;)
        left -= seen[--at] && computes(flow->node[at].kind);
    free(seen);
    return n > 0 ? first_used(p, at) : (fsr_link){-1, 0};
}

/* Divides the domain as the refused trial asks. Not a scan's columns, which have an order; and on a CPU not into inner
 * loops of a few rounds, which would cost more than storing what stands in the way. */
static bool divide(const fsr_partition *p, anchor a, const fsr_group *trial, fsr_domain *domain) {
    int dim = trial->divided;
    bool scan = a.fold && p->flow->node[a.link.id].kind == FSR_NODE_SCAN;
    bool inner = dim == domain->ndim - 1 || dim == domain->nparallel - 1;
    if (trial->division == 0 || (scan && dim >= domain->nparallel) ||
        (inner && !p->target->gpu && trial->division < SHORT_LOOP))
        return false;
    return fsr_domain_divide(domain, dim, trial->division);
}

/* The anchor alone over a domain: the finest that its reshapes ask for, or, where that does not help, its own shape's. */
static const char *try_alone(fsr_partition *p, anchor a, fsr_group *trial, fsr_link *blame) {
    fsr_domain domain, own;
    anchor_domain(p, a, NULL, &own);
    domain = own;
    for (bool fixed = false;;) {
        memset(trial, 0, sizeof *trial);
        trial->domain = domain;
        add_anchor(trial, a);
        if (a.fold)
            p->home[a.link.id] = p->ngroups;
        const char *reason = try_group(p, p->ngroups, trial, blame);
        if (a.fold)
            p->home[a.link.id] = -1;
        if (!reason || *p->no_memory || fixed)
            return reason;
        if (divide(p, a, trial, &domain))
            continue;
        if (domain.ndim == own.ndim)
            return reason;
        domain = own;
        fixed = true;
    }
}

/* The anchor as a kernel of its own; values that stand in the way are stored by kernels before it. */
static fsr_status alone(fsr_partition *p, anchor a, fsr_group *trial, char *why, size_t size) {
    for (;;) { /* each round materializes one more node, or ends */
        fsr_link blame;
        const char *reason = try_alone(p, a, trial, &blame);
        if (!reason)
            return FSR_OK;
        if (*p->no_memory)
            return FSR_ERR_MEMORY;
        if (blame.id < 0)
            blame = middle(p, a.link);
        if (blame.id < 0 || p->stored[blame.id * FSR_MAX_OUTPUTS + blame.output] >= 0) {
            snprintf(why, size, "%s cannot be lowered: %s", fsr_flow_name(p->flow, a.link.id), reason);
            return FSR_ERR_INTERNAL;
        }
        p->held[blame.id] = FSR_HELD_ONCE;
        add_note(p, blame.id, a.link.id, reason);
        fsr_status status = place(p, (anchor){.link = blame}, why, size);
        if (status)
            return status;
    }
}

static int last_anchor(const fsr_group *group) {
    return group->nfolds ? group->fold[group->nfolds - 1] : group->store[0].id;
}

/* The anchor joined group g: why the other kernels that it reads from are not that one, too. */
static void note_others(fsr_partition *p, anchor a, const fsr_group *alone, int g) {
    const fsr_domain *domain = &p->group[g].domain;
    for (int i = 0; i < alone->ndeps; ++i) {
        const fsr_group *other = &p->group[alone->deps[i]];
        fsr_domain turned = other->domain;
        turned.mirrored = domain->mirrored;
        if (alone->deps[i] == g || !other->nfolds || fsr_domain_equal(&other->domain, domain))
            continue;
        add_note(p, last_anchor(other), a.link.id,
                 fsr_domain_equal(&turned, domain) ? "the scans run in opposite directions"
                                                   : "the folds have different domains");
    }
}

static fsr_status place_trial(fsr_partition *p, anchor a, fsr_group *trial, char *why, size_t size) {
    fsr_status status = alone(p, a, trial, why, size);
    if (status)
        return status;
    int last = p->ngroups > JOIN_WINDOW ? p->ngroups - JOIN_WINDOW : 0;
    for (int g = p->ngroups - 1; p->fuse && p->fuel != 0 && g >= last; --g) {
        const char *reason = join(p, g, a, trial);
        if (!reason) {
            note_others(p, a, trial, g);
            fsr_kernel_free(trial->kernel);
            ++p->fusions;
            p->fuel -= p->fuel > 0;
            return FSR_OK;
        }
        if (depends_on(trial, g))
            add_note(p, last_anchor(&p->group[g]), a.link.id, reason);
    }
    const char *reason = satisfy(p, trial);
    if (reason) {
        fsr_kernel_free(trial->kernel);
        snprintf(why, size, "%s: %s", fsr_flow_name(p->flow, a.link.id), reason);
        return FSR_ERR_INTERNAL;
    }
    if (!fsr_partition_room(p)) {
        fsr_kernel_free(trial->kernel);
        return FSR_ERR_MEMORY;
    }
    int g = p->ngroups;
    commit(p, g, trial);
    placed(p, g, a);
    return FSR_OK;
}

/* An anchor may need values stored that need others stored first: the depth of that is bounded, and the trials live on
 * the heap. */
static fsr_status place(fsr_partition *p, anchor a, char *why, size_t size) {
    fsr_group *trial = p->depth < MAX_DEPTH ? malloc(sizeof *trial) : NULL;
    if (!trial && p->depth == MAX_DEPTH) {
        snprintf(why, size, "%s needs a chain of more than %d values stored one after the other",
                 fsr_flow_name(p->flow, a.link.id), MAX_DEPTH);
        return FSR_ERR_UNSUPPORTED;
    }
    if (!trial)
        return FSR_ERR_MEMORY;
    ++p->depth;
    fsr_status status = place_trial(p, a, trial, why, size);
    --p->depth;
    free(trial);
    return status;
}

/* ---- all anchors ------------------------------------------------------------------------------------ */

/* Unfused, and past the fuel, every map is a kernel of its own. Casts are part of the op that asked for them. */
static void unfuse(fsr_partition *p) {
    for (int i = 0; i < p->flow->n; ++i) {
        const fsr_flow_node *n = &p->flow->node[i];
        if (!computes(n->kind) || (n->kind == FSR_NODE_MAP && n->op == FSR_OP_CAST) || n->hint == FSR_HINT_INLINE)
            continue;
        if (p->fuse && p->fuel != 0) {
            p->fuel -= p->fuel > 0;
            ++p->fusions;
            continue;
        }
        p->held[i] = FSR_HELD;
    }
}

static fsr_status place_all(fsr_partition *p, char *why, size_t size) {
    const fsr_flow *flow = p->flow;
    for (int i = 0; i < flow->n; ++i) {
        const fsr_flow_node *n = &flow->node[i];
        bool fold = n->kind == FSR_NODE_REDUCE || n->kind == FSR_NODE_SCAN;
        fsr_link link = fold ? (fsr_link){i, 0} : first_used(p, i);
        if (!fold && (!p->held[i] || p->stored[i * FSR_MAX_OUTPUTS + link.output] >= 0))
            continue;
        fsr_status status = place(p, (anchor){fold, link}, why, size);
        if (status)
            return status;
    }
    for (int i = 0; i < flow->nout; ++i) {
        fsr_link link = flow->out[i];
        if (p->stored[link.id * FSR_MAX_OUTPUTS + link.output] >= 0)
            continue;
        const char *reason = p->home[link.id] >= 0 ? add_store(p, p->home[link.id], link) : "";
        fsr_status status = reason ? place(p, (anchor){.link = link}, why, size) : FSR_OK;
        if (status)
            return status;
    }
    return FSR_OK;
}

/* ---- groups that come to share work only when later anchors have joined ------------------------------------- */

/* Who needs group `from` needs `to`. */
static void rename_group(fsr_partition *p, int from, int to) {
    for (int g = 0; g < p->ngroups; ++g)
        for (int i = 0; i < p->group[g].ndeps; ++i)
            if (p->group[g].deps[i] == from)
                p->group[g].deps[i] = to;
}

/* Points a group's anchors at group `at`. */
static void point(fsr_partition *p, const fsr_group *group, int at) {
    for (int i = 0; i < group->nfolds; ++i)
        p->home[group->fold[i]] = at;
    for (int i = 0; i < group->nloops; ++i)
        p->home[group->loop[i]] = at;
    for (int i = 0; i < group->nstores; ++i)
        p->stored[group->store[i].id * FSR_MAX_OUTPUTS + group->store[i].output] = at;
}

/* A third group between the two would wait for one half and be waited for by the other. */
static bool between(const fsr_partition *p, int a, int b) {
    for (int i = 0; i < p->group[a].ndeps; ++i)
        if (p->group[a].deps[i] != b && fsr_partition_reaches(p, p->group[a].deps[i], b))
            return true;
    return false;
}

static bool same_kind(const fsr_group *a, const fsr_group *b) {
    return fsr_domain_equal(&a->domain, &b->domain) && a->nfolds + b->nfolds <= FSR_MAX_COMBINES &&
           a->nstores + b->nstores <= FSR_MAX_STORES;
}

static bool merge(fsr_partition *p, int h, int g) {
    fsr_group trial = p->group[h], *other = &p->group[g];
    fsr_link blame;
    if (!same_kind(&trial, other) || between(p, g, h) || between(p, h, g))
        return false;
    for (int i = 0; i < other->nfolds; ++i)
        trial.fold[trial.nfolds++] = other->fold[i];
    for (int i = 0; i < other->nstores; ++i)
        trial.store[trial.nstores++] = other->store[i];
    point(p, other, h);
    p->merging = g; /* what a group that needs `other` stores is not for the trial to read */
    p->into = h;
    bool good = try_group(p, h, &trial, &blame) == NULL;
    p->merging = p->into = -1;
    if (good && (!is_less(trial.kernel, p->group[h].kernel, other->kernel) || trial.nneeds)) {
        fsr_kernel_free(trial.kernel);
        good = false;
    }
    point(p, other, good ? h : g);
    if (!good)
        return false;
    for (int i = 0; i < other->nloops; ++i)
        p->home[other->loop[i]] = h;
    fsr_kernel_free(other->kernel);
    memset(other, 0, sizeof *other);
    rename_group(p, g, h);
    commit(p, h, &trial);
    level_all(p);
    return true;
}

/* Groups left empty by a merge have no kernel. */
static void merge_all(fsr_partition *p) {
    for (int g = p->ngroups - 1; g > 0; --g)
        for (int h = g - 1; h >= 0 && h >= g - JOIN_WINDOW && p->fuse && p->fuel != 0; --h) {
            if (!p->group[g].kernel || !p->group[h].kernel || !merge(p, h, g))
                continue;
            ++p->fusions;
            p->fuel -= p->fuel > 0;
            break;
        }
}

static void find_used(fsr_partition *p) {
    const fsr_flow *flow = p->flow;
    for (int i = 0; i < flow->n; ++i)
        for (int k = 0; k < flow->node[i].nargs; ++k)
            p->used[flow->node[i].arg[k].id * FSR_MAX_OUTPUTS + flow->node[i].arg[k].output] = true;
    for (int i = 0; i < flow->nout; ++i)
        p->used[flow->out[i].id * FSR_MAX_OUTPUTS + flow->out[i].output] = true;
}

fsr_status fsr_partition_make(fsr_partition *p, const fsr_flow *flow, const fsr_target *target, bool fuse, int fuel,
                              char *why, size_t size) {
    bool no_memory = false;
    *p = (fsr_partition){.flow = flow,
                         .target = target,
                         .fuse = fuse,
                         .fuel = fuse ? fuel : 0,
                         .merging = -1,
                         .into = -1,
                         .no_memory = &no_memory};
    size_t n = (size_t)flow->n + 1;
    p->home = malloc(sizeof *p->home * n);
    p->stored = malloc(sizeof *p->stored * n * FSR_MAX_OUTPUTS);
    p->used = calloc(n * FSR_MAX_OUTPUTS, sizeof *p->used);
    p->held = calloc(n, sizeof *p->held);
    fsr_status status = p->home && p->stored && p->used && p->held ? FSR_OK : FSR_ERR_MEMORY;
    if (!status) {
        memset(p->home, 0xff, sizeof *p->home * n);
        memset(p->stored, 0xff, sizeof *p->stored * n * FSR_MAX_OUTPUTS);
        for (int i = 0; i < flow->n; ++i)
            if ((flow->node[i].hint == FSR_HINT_MATERIALIZE && flow->node[i].kind != FSR_NODE_DATA) ||
                flow->node[i].kind == FSR_NODE_PLACE)
                p->held[i] = FSR_HELD;
        find_used(p);
        unfuse(p);
        status = fsr_partition_chop(p);
    }
    if (!status)
        status = place_all(p, why, size);
    if (!status) {
        merge_all(p);
        fsr_in_place(p);
    }
    if (no_memory) {
        snprintf(why, size, "out of memory");
        status = FSR_ERR_MEMORY;
    }
    p->no_memory = NULL;
    if (status)
        fsr_partition_clear(p);
    return status;
}

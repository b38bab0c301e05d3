/* SPDX-License-Identifier: MIT */
/* Assigning one root to a group; see partition.h.
 *
 * It is lowered alone first, which tells what it reads and, by refusals, what has to be stored before it: those values
 * are roots in turn. Then it tries the groups that are there, newest first, and where none takes it becomes one. A
 * group that it neither needs nor shares an array with is none of those (partition_near.c).
 *
 * Counter-example to trying the groups at once: what stands in the way of the root alone stands in the way of every
 * enlarged group, and each would have to find it out. */
#include "fusion/pairs.h"
#include "fusion/partition_parts.h"
#include "fusion/price.h"
#include "graph/message.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 4000 };
enum { SHORT_LOOP = 64 };

const char fsr_reason_price[] = "two kernels cost less than one";
const char fsr_reason_section[] = "a section of an array is written by itself, in place";
const char fsr_reason_memory_cut[] = "more memory would be needed at once than unfused";

fsr_link fsr_partition_first_used(const fsr_partition *p, int node) {
    fsr_link link = {node, 0};
    while (link.output + 1 < p->flow->node[node].nout && !p->used[node * FSR_MAX_OUTPUTS + link.output])
        ++link.output;
    return link;
}

void fsr_partition_note(fsr_partition *p, fsr_note note) {
    const fsr_note *last = p->nnotes ? &p->note[p->nnotes - 1] : NULL;
    if (last && last->producer == note.producer && last->consumer == note.consumer && last->reason == note.reason)
        return;
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
    p->note[p->nnotes++] = note;
}

static bool add_root(fsr_group *group, fsr_root a) {
    if (a.fold ? group->nfolds == FSR_MAX_COMBINES : group->nstores == FSR_MAX_STORES)
        return false;
    if (a.fold)
        group->fold[group->nfolds++] = a.link.id;
    else
        group->store[group->nstores++] = a.link;
    return true;
}

/* What is stored once each: of a scatter the elements that it moves. */
static const fsr_shape *stored_shape(const fsr_flow *flow, int node) {
    const fsr_flow_node *n = &flow->node[node];
    return fsr_is(n->kind, FSR_SCATTERS) ? &flow->node[n->arg[1].id].shape : &n->shape;
}

static void root_domain(const fsr_partition *p, fsr_root a, const fsr_domain *like, fsr_domain *out) {
    if (a.fold)
        fsr_fold_domain(p->flow, a.link.id, like, out);
    else
        fsr_domain_make(out, stored_shape(p->flow, a.link.id), 0);
}

/* No fold of the group cares which end of the row comes first. */
static bool has_no_direction(const fsr_partition *p, const fsr_group *group) {
    bool free = true;
    for (int i = 0; i < group->nfolds; ++i) {
        const fsr_flow_node *n = &p->flow->node[group->fold[i]];
        free = free && !fsr_is(n->kind, FSR_IS_RUNNING) && n->combine->commutative;
    }
    return free;
}

/* Stored maps take in a reduction of as many elements that reads nothing of them: what a library or a loop over arrays
 * takes is stored before the folds come. Counter-examples: prices may have a value stored so that the fold loads it;
 * and maps are no faster beside a scan. */
static bool takes_in(const fsr_partition *p, const fsr_group *group, fsr_root a, const fsr_domain *domain) {
    return !group->nfolds && !fsr_is(p->flow->node[a.link.id].kind, FSR_IS_RUNNING) &&
           fsr_domain_rows(domain) * fsr_domain_cols(domain) == fsr_domain_rows(&group->domain);
}

/* Makes the group's domain that of another fold, if it is but for the direction, or if the group has no fold that would
 * mind. NULL: done. */
static const char *meet(const fsr_partition *p, fsr_group *group, fsr_root a, bool needed) {
    fsr_domain domain;
    root_domain(p, a, &group->domain, &domain);
    if (!a.fold)
        return NULL;
    if (!needed && takes_in(p, group, a, &domain)) {
        group->domain = domain;
        return NULL;
    }
    if (!fsr_domain_divide_like(&domain, &group->domain))
        return "the folds have different domains";
    if (domain.mirrored == group->domain.mirrored)
        return NULL;
    if (!has_no_direction(p, group))
        return "the scans run in opposite directions";
    group->domain.mirrored = domain.mirrored;
    return NULL;
}

static void assigned(fsr_partition *p, int g, fsr_root a) {
    if (a.fold)
        p->group_of[a.link.id] = g;
    else
        *fsr_partition_stored(p, a.link) = g;
}

/* satisfy for an enlarged group g, whose new dependencies must be seen by the groups that are lowered again meanwhile:
 * else one of them would read what g stores, and each would need the other. */
static const char *satisfy_joined(fsr_partition *p, int g, const fsr_group *trial) {
    fsr_group *old = &p->group[g];
    int ndeps = old->ndeps;
    if (trial->ndeps && !fsr_group_grow(old)) {
        *p->no_memory = true;
        return fsr_reason_memory;
    }
    for (int i = 0; i < trial->ndeps; ++i) {
        if (!fsr_group_depends(old, trial->deps[i]))
            fsr_partition_wait(p, g, trial->deps[i]);
        if (!fsr_group_depend(old, trial->deps[i])) {
            old->ndeps = ndeps;
            return "the kernel would depend on too many others";
        }
    }
    fsr_partition_settle(p, g);
    const char *reason = fsr_group_satisfy(p, trial);
    if (reason) {
        old->ndeps = ndeps;
        (void)fsr_group_keep(old);
    }
    return reason;
}

/* The trial, of group g, while the root counts as that group's. */
static const char *try_root(fsr_partition *p, int g, fsr_root a, fsr_group *trial, fsr_link *blame) {
    if (a.fold)
        p->group_of[a.link.id] = g;
    const char *reason = fsr_group_try(p, g, trial, blame);
    if (a.fold)
        p->group_of[a.link.id] = -1;
    return reason;
}

/* Tries to enlarge group g by the root; asked: a hint does, whatever it costs. NULL: done; else the note has the
 * prices, if these are why. */
static const char *join(fsr_partition *p, int g, fsr_root a, const fsr_group *alone, bool asked, fsr_note *note) {
    fsr_group trial = p->group[g];
    fsr_group_room room;
    fsr_link blame;
    bool needed = asked || fsr_group_depends(alone, g);
    fsr_group_use(&trial, &room);
    const char *reason = meet(p, &trial, a, needed);
    if (reason)
        return reason;
    if (!add_root(&trial, a))
        return "the kernel would have too many roots";
    reason = fsr_pairs_apart(p->flow, trial.kernel, alone->kernel)
                 ? fsr_reason_apart
                 : fsr_kernels_apart(p, g, trial.kernel, alone->kernel, needed);
    if (reason)
        return reason;
    reason = try_root(p, g, a, &trial, &blame);
    if (reason)
        return reason;
    if (!needed && !fsr_kernel_is_less(trial.kernel, p->group[g].kernel, alone->kernel))
        reason = fsr_kernel_loads(trial.kernel) ? "the kernels read nothing in common"
                                                : "the kernels compute nothing in common";
    if (!reason && !asked && fsr_price_is_less_apart(p, &trial, &p->group[g], alone, note))
        reason = fsr_reason_price;
    if (!reason)
        reason = satisfy_joined(p, g, &trial);
    if (reason) {
        fsr_kernel_free(trial.kernel);
        return reason;
    }
    fsr_group_commit(p, g, &trial);
    assigned(p, g, a);
    return NULL;
}

/* A new kernel would evaluate the node, not load what others store or run. */
static bool evaluates(const fsr_partition *p, int node) {
    bool stored = p->held[node] || p->group_of[node] >= 0;
    for (int k = 0; k < p->flow->node[node].nout; ++k)
        stored = stored || p->stored[node * FSR_MAX_OUTPUTS + k] >= 0;
    return !stored && fsr_is(p->flow->node[node].kind, FSR_COMPUTES | FSR_IS_VIEW);
}

/* Where to cut a root whose kernel passes a limit although its nodes are few (x[1:] + x[:-1], again and again,
 * needs each node at many indices): the middle one, in order, of the maps that it would evaluate; id -1: there is
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
        n += seen[i] && i != top.id && fsr_is(node->kind, FSR_COMPUTES);
    }
    for (int left = (n + 1) / 2; left > 0;)
        left -= seen[--at] && fsr_is(flow->node[at].kind, FSR_COMPUTES);
    free(seen);
    return n > 0 ? fsr_partition_first_used(p, at) : (fsr_link){-1, 0};
}

bool fsr_division_is_brief(const fsr_domain *domain, int dim, int64_t inner) {
    return (dim == domain->ndim - 1 || dim == domain->nparallel - 1) && inner < SHORT_LOOP;
}

/* Divides the domain as the refused trial asks. Not a scan's columns, which have an order; and on a CPU not into inner
 * loops of a few rounds, which would cost more than storing what stands in the way. Places are stored one by one
 * however long the loop is. */
static bool divide(const fsr_partition *p, fsr_root a, const fsr_group *trial, fsr_domain *domain) {
    int dim = trial->divided;
    fsr_kind kind = p->flow->node[a.link.id].kind;
    bool brief = !p->target->gpu && fsr_division_is_brief(domain, dim, trial->division) && !fsr_is(kind, FSR_IS_STORED);
    if (trial->division == 0 || brief || (a.fold && fsr_is(kind, FSR_IS_RUNNING) && dim >= domain->nparallel))
        return false;
    return fsr_domain_divide(domain, dim, trial->division);
}

/* The root alone over a domain: the finest that its reshapes ask for, or, where these want more, its own shape's. What
 * passes a limit over the finer one is cut, and does not go back: counter-example, a stretched sum of 90 elements,
 * which was stored, and then once more stretched. */
static const char *try_alone(fsr_partition *p, fsr_root a, fsr_group *trial, fsr_link *blame) {
    fsr_domain domain, own;
    root_domain(p, a, NULL, &own);
    domain = own;
    for (bool fixed = false;;) {
        fsr_group_blank(trial);
        trial->domain = domain;
        add_root(trial, a);
        const char *reason = try_root(p, p->ngroups, a, trial, blame);
        if (!reason || *p->no_memory || fixed)
            return reason;
        if (divide(p, a, trial, &domain))
            continue;
        if (domain.ndim == own.ndim || (p->target->gpu && blame->id < 0))
            return reason;
        domain = own;
        fixed = true;
    }
}

/* The root as a kernel of its own. Where a value stands in the way, *first is that one: to be stored by a kernel
 * before it; else its id is -1. Each time one more node is stored. */
static fsr_status alone(fsr_partition *p, fsr_root a, fsr_group *trial, fsr_link *first, char *why, size_t size) {
    fsr_link blame;
    *first = (fsr_link){-1, 0};
    const char *reason = try_alone(p, a, trial, &blame);
    if (!reason)
        return FSR_OK;
    if (*p->no_memory)
        return FSR_ERR_MEMORY;
    if (blame.id < 0)
        blame = middle(p, a.link);
    if (blame.id < 0 || *fsr_partition_stored(p, blame) >= 0) {
        fsr_message_put(why, size, "%s cannot be lowered: %s", fsr_flow_name(p->flow, a.link.id), reason);
        return FSR_ERR_INTERNAL;
    }
    p->held[blame.id] = FSR_HELD_ONCE;
    fsr_partition_note(p, (fsr_note){blame.id, a.link.id, reason, 0, 0});
    *first = blame;
    return FSR_OK;
}

static int last_root(const fsr_group *group) {
    return group->nfolds ? group->fold[group->nfolds - 1] : group->store[0].id;
}

/* The root joined group g: why the other kernels that it reads from are not that one, too. */
static void note_others(fsr_partition *p, fsr_root a, const fsr_group *alone, int g) {
    const fsr_domain *domain = &p->group[g].domain;
    for (int i = 0; i < alone->ndeps; ++i) {
        const fsr_group *other = &p->group[alone->deps[i]];
        fsr_domain turned = other->domain;
        turned.mirrored = domain->mirrored;
        if (alone->deps[i] == g || !other->nfolds || fsr_domain_equal(&other->domain, domain))
            continue;
        const char *reason = fsr_domain_equal(&turned, domain) ? "the scans run in opposite directions"
                                                               : "the folds have different domains";
        fsr_partition_note(p, (fsr_note){last_root(other), a.link.id, reason, 0, 0});
    }
}

/* Groups to try for a trial: those that a hint asks for, then those that it is near to. */
static int candidates(const fsr_partition *p, const fsr_group *trial, int *list) {
    int near[FSR_MAX_NEAR], n = 0;
    for (int g = p->ngroups - 1; g >= 0 && p->flow->npairs && n < FSR_MAX_NEAR; --g)
        if (fsr_pairs_ask(p->flow, trial->kernel, p->group[g].kernel))
            list[n++] = g;
    const int asked = n, more = fsr_near(p, trial, near, FSR_MAX_NEAR);
    for (int i = 0; i < more; ++i) {
        bool listed = false;
        for (int k = 0; k < asked; ++k)
            listed = listed || list[k] == near[i];
        if (!listed)
            list[n++] = near[i];
    }
    return n;
}

const char *fsr_groups_apart(const fsr_partition *p, const fsr_group *a, const fsr_group *b, bool asked) {
    const int x = fsr_group_first(a), y = fsr_group_first(b);
    if (!asked && (fsr_in_place_alone(p, a) || fsr_in_place_alone(p, b)))
        return fsr_reason_section;
    if (!asked && (fsr_cuts_apart(p->cuts, x) || fsr_cuts_apart(p->cuts, y)))
        return fsr_reason_price;
    return fsr_cuts_segment(p->cuts, x) != fsr_cuts_segment(p->cuts, y) ? fsr_reason_memory_cut : NULL;
}

/* The root that is a kernel alone joins a group, or becomes one. */
static fsr_status settle(fsr_partition *p, fsr_root a, fsr_group *trial, char *why, size_t size) {
    int near[2 * FSR_MAX_NEAR], n = fsr_partition_may_fuse(p) ? candidates(p, trial, near) : 0;
    for (int i = 0; i < n; ++i) {
        int g = near[i];
        const bool asked = fsr_pairs_ask(p->flow, trial->kernel, p->group[g].kernel);
        fsr_note note = {.consumer = a.link.id};
        const char *reason = p->group[g].library ? fsr_reason_library : fsr_groups_apart(p, trial, &p->group[g], asked);
        if (!reason)
            reason = join(p, g, a, trial, asked, &note);
        if (!reason) {
            note_others(p, a, trial, g);
            fsr_kernel_free(trial->kernel);
            fsr_partition_fused(p, "%s (%%%d) joined the kernel of %s (%%%d)", a.link.id,
                                fsr_group_first(&p->group[g]));
            return FSR_OK;
        }
        if (asked)
            fsr_pairs_refuse(p, trial->kernel, p->group[g].kernel, reason);
        note.reason = reason;
        if (fsr_group_depends(trial, g) || note.joined > 0) {
            note.producer = last_root(&p->group[g]);
            fsr_partition_note(p, note);
        }
    }
    const char *reason = fsr_group_satisfy(p, trial);
    if (reason) {
        fsr_kernel_free(trial->kernel);
        fsr_message_put(why, size, "%s: %s", fsr_flow_name(p->flow, a.link.id), reason);
        return FSR_ERR_INTERNAL;
    }
    if (!fsr_partition_room(p)) {
        fsr_kernel_free(trial->kernel);
        return FSR_ERR_MEMORY;
    }
    int g = p->ngroups;
    fsr_group_commit(p, g, trial);
    if (*p->no_memory)
        return FSR_ERR_MEMORY;
    assigned(p, g, a);
    return FSR_OK;
}

/* A root may need a value stored that needs another one stored first, and so on: those that wait are a stack of a
 * bounded depth, on the heap. Counter-example to a recursion: four thousand values would need megabytes of stack. */
fsr_status fsr_partition_assign(fsr_partition *p, fsr_root a, char *why, size_t size) {
    fsr_root *waiting = malloc(sizeof *waiting * MAX_DEPTH);
    fsr_trial *t = malloc(sizeof *t);
    fsr_group *trial = t ? &t->group : NULL;
    fsr_status status = waiting && t ? FSR_OK : FSR_ERR_MEMORY;
    int n = 1;
    if (t)
        fsr_group_begin(trial, &t->room);
    if (waiting)
        waiting[0] = a;
    while (n > 0 && !status) {
        fsr_link first;
        status = alone(p, waiting[n - 1], trial, &first, why, size);
        if (status)
            break;
        if (first.id < 0) {
            status = settle(p, waiting[--n], trial, why, size);
        } else if (n == MAX_DEPTH) {
            fsr_message_put(why, size, "%s needs a chain of more than %d values stored one after the other",
                            fsr_flow_name(p->flow, a.link.id), MAX_DEPTH);
            status = FSR_ERR_UNSUPPORTED;
        } else {
            waiting[n++] = (fsr_root){.link = first};
        }
    }
    free(waiting);
    free(t);
    return status;
}

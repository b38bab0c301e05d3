/* SPDX-License-Identifier: MIT */
/* The memory that a plan may take, and cuts.
 *
 * Fusing siblings can keep results alive at once that, one after the other, could be used and forgotten; and a value
 * that is evaluated where it is read keeps what it is made of alive until then. The yardstick is the program run node
 * by node. It needs no plan: the nodes in their order, each alive until the last that reads it, give its peak in one
 * walk.
 *
 * Where a plan takes more it is cut, at the thunks that are over alone: behind a node, so that whatever the unfused
 * program would have in memory there is stored, and no kernel has roots on both sides. A plan that is cut everywhere is
 * the unfused one. Counter-example to giving up every n-th fusion of the whole: a sum of 3,200 products was one array
 * over its limit, and became 4,379 kernels, of 25.
 *
 * Where no cut helps, values that are stored because that is faster are computed again instead. Counter-example to
 * ending there: a chain of stencils that stored two arrays a stage was run node by node, ten times as many passes
 * over memory. */
#include "fusion/peak.h"
#include "fusion/partition_parts.h"
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 256 };

static int64_t result_bytes(const fsr_flow_node *n, int output) {
    return fsr_round_up(fsr_shape_bytes(&n->shape, n->dtype[output]), ALIGN);
}

/* Memory holds the node in the unfused program for its own sake. */
static bool is_held(const fsr_flow_node *n) {
    return fsr_is(n->kind, FSR_IS_FOLD | FSR_IS_STORED) || fsr_unfused_holds(n) || n->hint == FSR_HINT_MATERIALIZE;
}

/* A library call's workspace; a loop's, of whose results none is read. */
static int64_t call_bytes(const fsr_flow *flow, int i, bool gpu) {
    bool used[FSR_MAX_OUTPUTS];
    fsr_library_call call;
    memset(used, true, sizeof used);
    fsr_library_of(&call, flow, i, used, gpu);
    return call.work_bytes;
}

static int64_t loop_bytes(const fsr_loop_plan *loop) {
    fsr_loop_layout layout;
    fsr_loop_lay_out(loop, 0, &layout);
    return layout.bytes;
}

/* Bytes that the i-th node needs while it runs, beside its results: a library call's workspace and copies of the views
 * that it takes. */
static int64_t passing_bytes(const fsr_flow *flow, const fsr_loop_plans *loops, int i, bool gpu) {
    const fsr_flow_node *n = &flow->node[i];
    if (!fsr_is(n->kind, FSR_IS_LIBRARY))
        return 0;
    int64_t bytes = fsr_round_up(n->rounds ? loop_bytes(loops->of[i]) : call_bytes(flow, i, gpu), ALIGN);
    for (int k = 0; k < n->nargs; ++k) {
        const fsr_flow_node *from = &flow->node[fsr_library_source(flow, n, k).id];
        if (fsr_library_takes(flow, n, k) && fsr_library_copies(from) && !is_held(from))
            bytes = fsr_size_add(bytes, result_bytes(from, n->arg[k].output));
    }
    return bytes;
}

/* The last node that reads each, through what is evaluated where it is read; of outputs, and of what they show, the end
 * of the flow. */
static int *last_uses(const fsr_flow *flow) {
    int *last = malloc(sizeof *last * (size_t)(flow->n + 1));
    if (!last)
        return NULL;
    memset(last, 0xff, sizeof *last * (size_t)(flow->n + 1));
    for (int i = 0; i < flow->nout; ++i)
        last[flow->out[i].id] = flow->n;
    for (int i = flow->n - 1; i >= 0; --i)
        for (int k = 0; k < flow->node[i].nargs; ++k) {
            int *arg = &last[flow->node[i].arg[k].id], use = is_held(&flow->node[i]) ? i : last[i];
            *arg = use > *arg ? use : *arg;
        }
    return last;
}

/* Bytes of each node's results that lie in the arena: not those of outputs, nor of what lies in an output because that
 * overwrites a section of it (fusion/in_place.c): who else reads it can come first. */
static int64_t *arena_bytes(const fsr_flow *flow, const int *last) {
    int64_t *bytes = calloc((size_t)flow->n + 1, sizeof *bytes);
    bool *read = calloc((size_t)flow->n + 1, sizeof *read);
    if (!read) {
        free(bytes);
        return NULL;
    }
    for (int i = 0; bytes && i < flow->n; ++i)
        for (int k = 0; is_held(&flow->node[i]) && k < flow->node[i].nout; ++k)
            bytes[i] = fsr_size_add(bytes[i], result_bytes(&flow->node[i], k));
    for (int i = 0; bytes && i < flow->nout; ++i)
        bytes[flow->out[i].id] = 0;
    for (int i = flow->n - 1; bytes && i >= 0; --i) {
        const fsr_flow_node *n = &flow->node[i];
        if (fsr_is(n->kind, FSR_OVERWRITES) && bytes[i] == 0 && (last[n->arg[0].id] == i || !read[i]))
            bytes[n->arg[0].id] = 0;
        for (int k = 0; k < n->nargs; ++k)
            read[n->arg[k].id] = true;
    }
    free(read);
    return bytes;
}

/* A node's only result may be written over an argument that dies there. */
static bool takes_over(const fsr_flow *flow, const int *last, const int64_t *bytes, int i) {
    const fsr_flow_node *n = &flow->node[i];
    for (int k = 0; k < fsr_own_arguments(&n->content) && fsr_is(n->kind, FSR_IS_EACH | FSR_OVERWRITES) && n->nout == 1;
         ++k)
        if (last[n->arg[k].id] == i && bytes[n->arg[k].id] == bytes[i])
            return true;
    return false;
}

bool fsr_unfused_peak(const fsr_flow *flow, const fsr_loop_plans *loops, bool gpu, int64_t *peak) {
    int *last = last_uses(flow);
    int64_t *bytes = last ? arena_bytes(flow, last) : NULL, live = 0;
    int64_t *dying = calloc((size_t)flow->n + 1, sizeof *dying);
    bool good = last && bytes && dying;
    *peak = 0;
    for (int i = 0; good && i < flow->n && live != FSR_SIZE_OVER; ++i) {
        int64_t over = takes_over(flow, last, bytes, i) ? bytes[i] : 0;
        live = fsr_size_add(live, bytes[i]);
        const int64_t most = fsr_size_add(live - over, passing_bytes(flow, loops, i, gpu));
        *peak = most > *peak ? most : *peak;
        if (last[i] >= 0)
            dying[last[i]] = fsr_size_add(dying[last[i]], bytes[i]);
        live = live == FSR_SIZE_OVER ? live : live - dying[i];
    }
    free(last);
    free(bytes);
    free(dying);
    return good;
}

/* ---- cuts ------------------------------------------------------------------------------------------------ */

void fsr_cuts_clear(fsr_cuts *cuts) {
    unsigned char *apart = cuts->apart;
    free(cuts->at);
    free(cuts->again);
    *cuts = (fsr_cuts){.apart = apart};
}

int fsr_cuts_segment(const fsr_cuts *cuts, int node) {
    int low = 0, high = cuts->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (cuts->at[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool fsr_cuts_hold(const fsr_cuts *cuts, const fsr_flow *flow, fsr_held *held) {
    int *last = cuts->n ? last_uses(flow) : NULL;
    for (int i = 0; last && i < flow->n; ++i) {
        int cut = fsr_cuts_segment(cuts, i);
        if (cut < cuts->n && cuts->at[cut] < last[i] && fsr_unfused_holds(&flow->node[i]))
            held[i] = FSR_HELD;
    }
    for (int i = 0; cuts->apart && i < flow->n; ++i)
        if (cuts->apart[i] && fsr_unfused_holds(&flow->node[i]) && held[i] != FSR_HELD)
            held[i] = cuts->apart[i] == FSR_APART ? FSR_HELD : FSR_HELD_CHEAPER;
    free(last);
    return last || !cuts->n;
}

/* False: it is there already. The caller has made room. */
static bool add(fsr_cuts *cuts, int node) {
    int at = fsr_cuts_segment(cuts, node);
    if (at < cuts->n && cuts->at[at] == node)
        return false;
    memmove(cuts->at + at + 1, cuts->at + at, sizeof *cuts->at * (size_t)(cuts->n - at));
    cuts->at[at] = node;
    ++cuts->n;
    return true;
}

/* Bytes of temporaries alive at each thunk. */
static int64_t *live_bytes(const fsr_program *program) {
    int64_t *live = calloc((size_t)program->nthunks + 1, sizeof *live);
    for (int i = 0; live && i < program->ntemporaries; ++i) {
        const fsr_temporary *t = &program->temporary[i];
        if (t->in_place_of >= 0 || t->first < 0)
            continue;
        live[t->first] += fsr_round_up(t->bytes, ALIGN);
        live[t->last + 1] -= fsr_round_up(t->bytes, ALIGN);
    }
    for (int i = 0; live && i < program->nthunks; ++i)
        live[i + 1] += live[i];
    return live;
}

static int written_node(const fsr_program *program, const fsr_flow *flow, const fsr_use *use) {
    if (!use->written)
        return -1;
    if (use->slot.kind == FSR_SLOT_OUTPUT)
        return flow->out[use->slot.ordinal].id;
    return use->slot.kind == FSR_SLOT_TEMPORARY ? program->temporary[use->slot.ordinal].link.id : -1;
}

/* Where a thunk is cut: between the first and the last node that it stores; of a thunk that stores one, behind it, or
 * half way back to the cut before. */
static bool cut_thunk(fsr_cuts *cuts, const fsr_program *program, const fsr_flow *flow, const fsr_thunk *thunk) {
    int first = INT32_MAX, last = -1;
    for (int u = 0; u < thunk->nuses; ++u) {
        int node = written_node(program, flow, &thunk->use[u]);
        if (node < 0)
            continue;
        first = node < first ? node : first;
        last = node > last ? node : last;
    }
    if (last < 0)
        return false;
    if (first < last)
        return add(cuts, first + (last - first) / 2);
    int cut = fsr_cuts_segment(cuts, last), before = cut ? cuts->at[cut - 1] : -1;
    return add(cuts, last) || (before < last - 1 && add(cuts, before + 1 + (last - 1 - before) / 2));
}

int fsr_cuts_add(fsr_cuts *cuts, const fsr_program *program, const fsr_flow *flow, int64_t limit) {
    int64_t *live = live_bytes(program), most = 0;
    int *grown = realloc(cuts->at, sizeof *grown * (size_t)(cuts->n + program->nthunks + 1));
    int added = live && grown ? 0 : -1;
    cuts->at = grown ? grown : cuts->at;
    for (int i = 0; added >= 0 && i < program->nthunks; ++i)
        most = live[i] > most ? live[i] : most;
    for (int i = 0; added >= 0 && i < program->nthunks; ++i)
        if (live[i] >= most || live[i] > limit)
            added += cut_thunk(cuts, program, flow, &program->thunk[i]);
    free(live);
    return added;
}

static bool is_alive(const fsr_temporary *t, int thunk) {
    return t->first >= 0 && t->first <= thunk && thunk <= t->last;
}

/* Of the temporaries alive at a thunk the one whose store spares least, NULL: none may go; *gone: one has gone
 * already. */
static const fsr_temporary *least_saving(const fsr_cuts *cuts, const fsr_program *program, int thunk, bool *gone) {
    const fsr_temporary *least = NULL;
    for (int i = 0; i < program->ntemporaries; ++i) {
        const fsr_temporary *t = &program->temporary[i];
        if (t->saving <= 0 || !is_alive(t, thunk))
            continue;
        *gone = *gone || cuts->again[t->link.id];
        least = least && least->saving <= t->saving ? least : t;
    }
    return least;
}

int fsr_cuts_unstore(fsr_cuts *cuts, const fsr_program *program, const fsr_flow *flow, int64_t limit) {
    int64_t *live = live_bytes(program), most = 0;
    int added = 0;
    if (!cuts->again)
        cuts->again = calloc((size_t)flow->n + 1, sizeof *cuts->again);
    if (!live || !cuts->again)
        added = -1;
    for (int i = 0; added >= 0 && i < program->nthunks; ++i)
        most = live[i] > most ? live[i] : most;
    for (int i = 0; added >= 0 && i < program->nthunks; ++i) {
        bool gone = false;
        const fsr_temporary *least = live[i] >= most || live[i] > limit ? least_saving(cuts, program, i, &gone) : NULL;
        if (!least || gone)
            continue;
        cuts->again[least->link.id] = true;
        ++added;
    }
    free(live);
    return added;
}

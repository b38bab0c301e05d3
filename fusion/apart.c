/* SPDX-License-Identifier: MIT */
/* Which kernels are taken apart; see apart.h.
 *
 * Decisions of the partition look at two kernels or at one value. What they miss shows in the whole: a kernel whose
 * price is above that of the unfused program's kernels of the same nodes. These nodes are stored, and join nothing,
 * where the plan is made again; but where others evaluate some of them too it is enough to store those. Most kernels
 * cannot cost so much: each kernel of the unfused program costs a launch and writes its result, and what these cost
 * together is a bound that needs no other plan.
 *
 * Doubt. The search goes forward alone: a kernel that is nearly as dear as its nodes apart may stand for a cheaper plan
 * that was not seen. So nodes of kernels are marked whose price, so many times (price doubt), is above that of their
 * nodes, and the plan made then is taken where it costs less by more than prices are worth. Marks are never taken back
 * and plans are made a few times at most, so this ends. Random program 840014 17.4 to 7 ms, lavamd 142 to 62.
 *
 * Little. Where all fused kernels together spare less than the table knows (price worth) and one of them is of a sort
 * that it knows least, the unfused plan is taken: short rows with sections put over others, 101 ms for 64 (seed
 * 1513492).
 *
 * Counter-example to asking of each join whether it pays: gathers, transposed operands and strided neighbours are each
 * bearable, and together leave nothing in the loop that is vector code. */
#include "fusion/apart.h"
#include "fusion/address.h"
#include "fusion/pairs.h"
#include "fusion/price.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>

static bool runs_alone(const fsr_flow_node *n) {
    return fsr_is(n->kind, FSR_IS_FOLD | FSR_IS_STORED) || fsr_unfused_holds(n);
}

/* What the node costs as a kernel of its own at least. What overwrites writes a part of its result. */
static double least_of(const fsr_prices *prices, const fsr_flow_node *n, double footprint) {
    double bytes = 0;
    if (!runs_alone(n) || fsr_is(n->kind, FSR_IS_LIBRARY))
        return 0;
    for (int k = 0; k < n->nout && !fsr_is(n->kind, FSR_OVERWRITES | FSR_IS_STORED); ++k)
        bytes = fmax(bytes, (double)fsr_shape_bytes(&n->shape, n->dtype[k]));
    return prices->launch + fsr_price_moved(prices, bytes, footprint);
}

static int nodes_of(const fsr_thunk *thunk, int *node) {
    return thunk->kind == FSR_THUNK_KERNEL ? fsr_kernel_nodes(thunk->kernel, node) : 0;
}

bool fsr_apart_may_pay(fsr_program *program, const fsr_flow *flow, const fsr_target *target) {
    const fsr_prices *prices = fsr_prices_of(target->gpu);
    const double footprint = fsr_price_footprint(flow);
    bool may = false;
    program->apart_price = 0;
    program->apart_least = true;
    for (int i = 0; i < flow->n; ++i)
        program->apart_price += least_of(prices, &flow->node[i], footprint);
    for (int i = 0; i < program->nthunks && !may; ++i) {
        int node[FSR_MAX_INSTS];
        double least = 0;
        const int n = nodes_of(&program->thunk[i], node);
        for (int k = 0; k < n; ++k)
            least += least_of(prices, &flow->node[node[k]], footprint);
        may = n > 1 && program->thunk[i].price * prices->doubt > least;
    }
    return may || program->price > program->apart_price;
}

static int written_node(const fsr_program *program, const fsr_flow *flow, const fsr_use *use) {
    if (!use->written)
        return -1;
    if (use->slot.kind == FSR_SLOT_OUTPUT)
        return flow->out[use->slot.ordinal].id;
    return use->slot.kind == FSR_SLOT_TEMPORARY ? program->temporary[use->slot.ordinal].link.id : -1;
}

/* What each node costs as a kernel of the program. NULL: out of memory. */
static double *prices_of_nodes(const fsr_program *program, const fsr_flow *flow) {
    double *price = calloc((size_t)flow->n + 1, sizeof *price);
    for (int i = 0; price && i < program->nthunks; ++i) {
        const fsr_thunk *thunk = &program->thunk[i];
        int node = -1;
        for (int u = 0; u < thunk->nuses && node < 0; ++u)
            node = written_node(program, flow, &thunk->use[u]);
        if (node >= 0)
            price[node] += thunk->price;
    }
    return price;
}

/* What the kernels of a program evaluate. */
typedef struct evaluated {
    const fsr_flow *flow;
    double *price; /* per node: as a kernel of its own */
    int *times;    /* per node: kernels that evaluate it */
    int *least;    /* per node: the same of what takes it, the fewest; of outputs 0 */
    bool *before;  /* per node: marked for a plan that was looked at */
} evaluated;

static void count(evaluated *e, const fsr_program *program) {
    const fsr_flow *flow = e->flow;
    int node[FSR_MAX_INSTS];
    for (int i = 0; i < program->nthunks; ++i)
        for (int k = nodes_of(&program->thunk[i], node) - 1; k >= 0; --k)
            ++e->times[node[k]];
    for (int i = 0; i < flow->n; ++i)
        e->least[i] = INT_MAX;
    for (int i = 0; i < flow->nout; ++i)
        e->least[flow->out[i].id] = 0;
    for (int i = flow->n - 1; i >= 0; --i)
        for (int k = 0; k < flow->node[i].nargs; ++k) {
            int *least = &e->least[flow->node[i].arg[k].id];
            const int own = fsr_is(flow->node[i].kind, FSR_IS_VIEW) ? e->least[i] : e->times[i];
            *least = own < *least ? own : *least;
        }
}

static int set(fsr_cuts *cuts, const fsr_flow *flow, int node, fsr_parting how) {
    const fsr_flow_node *n = &flow->node[node];
    const bool changed = runs_alone(n) && cuts->apart[node] < (int)how && !fsr_pairs_fuse(flow, node);
    if (changed)
        cuts->apart[node] = (unsigned char)how;
    return changed;
}

static bool lists(const int *node, int n, int wanted) {
    bool found = false;
    for (int k = 0; k < n; ++k)
        found = found || node[k] == wanted;
    return found;
}

/* What several kernels evaluate and others take. */
static bool is_shared(const evaluated *e, int node) {
    return e->times[node] > 1 && e->least[node] < e->times[node] && runs_alone(&e->flow->node[node]);
}

/* How a value is taken that may be worth an array: by folds; by what looks elsewhere in it, or puts a section over it,
 * which is all that a kernel writes then; as that section, or what else stands second. */
typedef enum taker { BY_FOLDS, AS_BASE, AS_SECTION, TAKERS } taker;

static bool takes(const fsr_flow_node *n, int arg, taker how) {
    const bool over = fsr_is(n->kind, FSR_OVERWRITES);
    return how == BY_FOLDS  ? fsr_is(n->kind, FSR_IS_FOLD)
           : how == AS_BASE ? arg == 0 && (over || fsr_price_gathers(n))
                            : arg == 1 && over;
}

/* What nodes of the kernel take so of its maps is stored. */
static int mark_taken(const fsr_flow *flow, fsr_cuts *cuts, const int *node, int n, taker how) {
    int marked = 0;
    for (int k = 0; k < n; ++k)
        for (int a = 0; a < flow->node[node[k]].nargs; ++a) {
            int id = flow->node[node[k]].arg[a].id;
            while (fsr_is(flow->node[id].kind, FSR_IS_VIEW))
                id = flow->node[id].arg[0].id;
            if (takes(&flow->node[node[k]], a, how) && lists(node, n, id) && !fsr_is(flow->node[id].kind, FSR_IS_FOLD))
                marked += set(cuts, flow, id, FSR_STORED_APART);
        }
    return marked;
}

/* Nodes become kernels of their own. */
static int mark_apart(const fsr_flow *flow, fsr_cuts *cuts, const int *node, int n, bool folds) {
    int marked = 0;
    for (int k = 0; k < n; ++k)
        if (!folds || fsr_is(flow->node[node[k]].kind, FSR_IS_FOLD))
            marked += set(cuts, flow, node[k], FSR_APART);
    return marked;
}

/* Of what several kernels evaluate, and one of them would spare, is stored what others take; if there is no such thing,
 * or it is stored by now, what folds take; then what gathers and pastes do; if that has been tried the folds become
 * kernels of their own, and then all nodes do. Counter-example to all at once: exp(-cumsum(x, 0)) down five columns was
 * three kernels, and is two. Counter-example to what is shared alone: a hyperbolic tangent that two kernels evaluate
 * was stored for no gain, and means of groups of it beside a transposed operand were looked at no more, 54 ms for 20
 * (seed 1518707). */
static int mark(const evaluated *e, fsr_cuts *cuts, const int *node, int n) {
    int marked = 0;
    bool shared = false;
    for (int k = 0; k < n; ++k)
        if (is_shared(e, node[k]) && !e->before[node[k]]) {
            shared = true;
            marked += set(cuts, e->flow, node[k], FSR_STORED_APART);
        }
    for (int how = 0; how < TAKERS && !shared && !marked; ++how)
        marked = mark_taken(e->flow, cuts, node, n, (taker)how);
    if (!shared && !marked)
        marked = mark_apart(e->flow, cuts, node, n, true);
    return shared || marked ? marked : mark_apart(e->flow, cuts, node, n, false);
}

/* It loads at places that the program computes, which may be near each other or not: such a price is a ground for doubt
 * where it is above that of the nodes, and none where it is only near it. Counter-example to doubting it as others:
 * fluxes between cells and their neighbours became 64 kernels for 15 and took 25.6 ms for 16 (euler_3d, AVX2). To no
 * doubt: a mean of what is gathered along columns lost the map's panels, 51 ms for 26, as other kernels of the program
 * spared more than that (seed 1531961). */
static bool gathers(const fsr_kernel *k) {
    bool any = false;
    for (int a = 0; a < k->naccesses && !any; ++a) {
        const fsr_form f = fsr_form_of_access(k, k->integer, a);
        any = fsr_price_is_gather(&f);
    }
    return any;
}

/* The nodes of kernels whose price is above that of these nodes' own kernels, as far as nobody else evaluates them. */
static int mark_all(const evaluated *e, fsr_cuts *cuts, const fsr_program *program, double times) {
    int marked = 0;
    for (int i = 0; i < program->nthunks; ++i) {
        int node[FSR_MAX_INSTS];
        double parts = 0;
        const int n = nodes_of(&program->thunk[i], node);
        for (int k = 0; k < n; ++k)
            parts += e->price[node[k]] / e->times[node[k]];
        const bool doubted = n > 1 && times > 1 && !gathers(program->thunk[i].kernel);
        if (n > 1 && program->thunk[i].price * (doubted ? times : fmin(times, 1)) > parts)
            marked += mark(e, cuts, node, n);
    }
    return marked;
}

/* The table knows least of sections put over others in rows of few elements: how many lanes are lost to them.
 * Counter-example to such a section in any loop: rows over an exponential, for what the unfused plan costs, move 50 MB
 * for 84. */
static bool is_doubtful(const fsr_prices *prices, const fsr_flow *flow, const int *node, int n) {
    bool over = false;
    for (int i = 0; i < n; ++i) {
        const fsr_flow_node *at = &flow->node[node[i]];
        const int last = at->shape.ndim - 1;
        over = over || (fsr_is(at->kind, FSR_OVERWRITES) && last >= 0 && (double)at->shape.dim[last] < prices->brief);
    }
    return n > 1 && over;
}

bool fsr_apart_spares_little(const fsr_program *program, const fsr_program *unfused, const fsr_flow *flow,
                             const fsr_target *target) {
    const fsr_prices *prices = fsr_prices_of(target->gpu);
    double fused = 0;
    bool doubtful = false;
    for (int i = 0; prices->worth > 0 && i < program->nthunks; ++i) {
        int node[FSR_MAX_INSTS];
        const int n = nodes_of(&program->thunk[i], node);
        doubtful = doubtful || is_doubtful(prices, flow, node, n);
        fused += n > 1 ? program->thunk[i].price : 0;
    }
    return doubtful && unfused->price - program->price < fused * prices->worth;
}

int fsr_apart_mark(fsr_cuts *cuts, const fsr_program *program, const fsr_program *unfused, const fsr_flow *flow,
                   double times) {
    evaluated e = {.flow = flow, .price = prices_of_nodes(unfused, flow)};
    int marked = -1;
    e.times = calloc((size_t)flow->n + 1, sizeof *e.times);
    e.least = malloc(sizeof *e.least * ((size_t)flow->n + 1));
    e.before = calloc((size_t)flow->n + 1, sizeof *e.before);
    if (!cuts->apart)
        cuts->apart = calloc((size_t)flow->n + 1, sizeof *cuts->apart);
    if (e.price && e.times && e.least && e.before && cuts->apart) {
        for (int i = 0; i < flow->n; ++i)
            e.before[i] = cuts->apart[i] > 0;
        count(&e, program);
        marked = mark_all(&e, cuts, program, times);
    }
    free(e.price);
    free(e.times);
    free(e.least);
    free(e.before);
    return marked;
}

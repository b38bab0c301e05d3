/* SPDX-License-Identifier: MIT */
/* The form of each pass's loop on a CPU, and the columns of a part of a long row.
 *
 * Lanes are for folds that commute; a fold that keeps its order goes in pairs of neighbours, a scan in strips, and so
 * do loops for each element and chains of functions. By columns all loops are plain: the inner one runs over rows.
 *
 * Parts. A part is a whole number of chunks, a power of two, so a part's state is what the stack of chunks would hold
 * after it. Counter-example to dividing every kernel: a second pass needs the whole first one, and a scan of a scan
 * would have to know its inputs' carries before. Such kernels divide their rows only. */
#include "fusion/address.h"
#include "fusion/schedule_parts.h"
#include "fusion/walk.h"

enum {
    MOST_HELD = 32,      /* bytes of an element, all arrays of a chain's strip together */
    FEW_TURNS = 16,      /* of a loop that is not worth stages */
    MOST_TOGETHER = 8,   /* functions of a path in one stage */
    MOST_OF_ROW = 31,    /* elements of a row that is taken together with others, */
    MOST_GUARDED = 7,    /* of one behind conditions, */
    LEAST_ROWS = 16,     /* where there are as many */
    SCAN_PART = 1 << 15, /* least columns of a part: a scan's is read twice and shall fit a core's cache */
    FOLD_PART = 1 << 16,
    BLOCK_PART = 1 << 14, /* least elements of a part of rows side by side, */
    MOST_ROWS = 256,      /* of which there are no more, or no more than a block has: others have blocks enough */
    FEW_UNITS = 24,       /* of lanes: rows of fewer are torn by the edges of guards */
    ALONE = 32,           /* columns of functions of which each that goes by itself is much */
    FEW = 4,              /* columns of which a loop along each row is worth its beginning and end */
    LINE = 64,            /* bytes that move together */
    REST = 8              /* columns that are left over of lanes and go side by side */
};

/* ---- chains --------------------------------------------------------------------------------------- */

/* Values of 16 bits are held as f32. */
static int held_bytes(const fsr_kernel *k, const fsr_body *body, const int *stage) {
    bool crossing[FSR_MAX_INSTS];
    int bytes = 0;
    fsr_body_crossing(k, body, stage, crossing);
    for (int i = 0; i < body->n; ++i) {
        const fsr_dtype dtype = k->inst[body->inst[i]].dtype;
        if (crossing[body->inst[i]])
            bytes += fsr_dtype_is_half(dtype) ? 4 : (int)fsr_dtype_size(dtype);
    }
    return bytes;
}

int fsr_chain_functions(const fsr_kernel *k, const fsr_body *body, bool loads) {
    int stage[FSR_MAX_INSTS];
    bool chained;
    const int inner = (k->schedule.kind == FSR_SCHEDULE_COL ? k->nparallel : k->ndim) - 1;
    if (inner >= 0 && !k->schedule.flat && !k->schedule.together && k->integer[FSR_INT_EXTENT + inner] < FEW_TURNS)
        return 0;
    for (int together = 1; together <= MOST_TOGETHER; together *= 2) {
        fsr_body_stages(k, body, &(fsr_walk){.functions = together, .loads = loads}, stage, &chained);
        if (!chained && !loads && !k->schedule.together)
            return 0;
        if (held_bytes(k, body, stage) <= MOST_HELD)
            return together;
    }
    return 0;
}

/* ---- forms ---------------------------------------------------------------------------------------- */

bool fsr_body_has_function(const fsr_kernel *k, const fsr_body *body) {
    for (int i = 0; i < body->n; ++i)
        if (fsr_inst_cost(k, body->inst[i]) >= FSR_FUNCTION)
            return true;
    return false;
}

/* A row of a few columns is mostly its loop's beginning and end, and a function in what a vector leaves over of a row
 * is computed one by one: quotients of exponentials of rows of 5 took 3.6 ms for 2.5. */
static bool goes_along(const fsr_kernel *k, const fsr_body *body) {
    return !fsr_body_has_function(k, body) && k->integer[FSR_INT_COLS] >= FEW && fsr_body_may_go_along(k, body);
}

static bool edges_tear(const fsr_kernel *k, const fsr_body *body) {
    const uint64_t used = fsr_body_conditions(k, body);
    for (int c = 0; c < k->nconditions; ++c)
        if (used >> c & 1 && fsr_condition_is_inner(k, c) && fsr_condition_is_decidable(k, c))
            return true;
    return false;
}

/* Rows of which lanes would do much one by one: their elements are put into an array, in runs that end at each edge,
 * and folded from there. Units at the edges of guards are so, of which no version knows: of rows of 192 elements behind
 * a pad two units of 32 of six asked, which took 0.79 ms of 272,640 elements for 0.2. And of functions what whole units
 * leave over, where nothing takes that side by side (rest_of): sums of sines of rows of 300, twelve of them one by one,
 * 0.98 ms for 0.81. Counter-example to arrays always: they cost nothing beside a function, and as much as what else is
 * light. */
static bool is_torn(const fsr_kernel *k, const fsr_body *body, bool staged) {
    const int lanes = k->schedule.lanes;
    const bool heavy = fsr_body_has_function(k, body), edges = edges_tear(k, body);
    const bool alone = staged || fsr_body_conditions(k, body) || fsr_body_is_limited(k, body);
    const int64_t over =
        heavy && alone && !fsr_body_may_ask(k, body) ? k->integer[FSR_INT_EXTENT + k->ndim - 1] % lanes : 0;
    return ((edges && (heavy || k->integer[FSR_INT_COLS] < FEW_UNITS * lanes)) ||
            over * ALONE > k->integer[FSR_INT_COLS]) &&
           fsr_body_may_be_laned(k, body);
}

/* Each element takes one of its own from a computed place, and none that another of its row takes. */
static bool gathers_each(const fsr_kernel *k) {
    bool any = false;
    for (int i = 0; i < k->ninsts; ++i) {
        if (k->inst[i].kind == FSR_INST_INSIDE && fsr_inst_is_of_row(k, i, k->ndim - 1))
            return false;
        any = any || (k->inst[i].kind == FSR_INST_LOAD && fsr_form_waits(k, fsr_access_form(k, k->inst[i].index)));
    }
    return any;
}

static bool are_placed_first(const fsr_kernel *k) {
    bool first = true;
    for (int i = 0; i < k->ninsts; ++i)
        first = first && (k->inst[i].kind != FSR_INST_LOAD || fsr_inst_guard(&k->inst[i]) >= 0 ||
                          fsr_load_is_placed_first(k, i));
    return first;
}

/* What is computed of short rows is worth stages along all of them: gathers, or functions in a chain. */
static bool has_stages(fsr_kernel *k) {
    fsr_body body;
    fsr_body_of(k, 0, &body);
    return gathers_each(k) ||
           (fsr_body_has_function(k, &body) && are_placed_first(k) && fsr_chain_functions(k, &body, false) > 0);
}

/* A map's rows of a few elements, with functions, that do not lie one behind the other: what is loaded of rows goes
 * into arrays, and the functions along these. Counter-example to a loop for each row: it is as long as one vector, or
 * shorter, and each function waits for the one before. The logarithm of a hyperbolic tangent of rows of 8 took 0.231 ms
 * of 8116, 0.130 so (seed 1010005). Nor do conditions of indices stop it, which the first stage asks, or a nest's rows:
 * exponentials and logarithms of rows of 3 behind a paste and a pad took 44.9 ms of 1,316,464 in versions of a loop of
 * four, and 18.1 so (seed 1506058, two threads of a Xeon, AVX2). Counter-example to that for rows of whole vectors, of
 * which versions know what holds: a stencil with edges and an exponential behind a paste in rows of 24 took 2.2 ms, and
 * 5.4 so (seed 1512203). And gathers stand in stages of their own: a loop of a
 * few turns that has all there is waits for their places, as vector code or not. Elements at places along the columns
 * of 4,378 rows of 24 took 0.250 ms, of 60,000 rows of 16 7.1, and of 251,590 rows of 8, with a product and a sum, 15.7
 * where later rows' were asked for; 0.103, 1.6 and 5.5 so (one thread of a Xeon, AVX2). */
static bool rows_go_together(fsr_kernel *k) {
    const int64_t *extent = k->integer + FSR_INT_EXTENT, most = k->nguards ? MOST_GUARDED : MOST_OF_ROW;
    if (!fsr_kernel_may_go_together(k) || k->schedule.flat || k->schedule.tile || extent[k->ndim - 1] < 2 ||
        extent[k->ndim - 1] > most || extent[k->ndim - 2] < LEAST_ROWS)
        return false;
    k->schedule.together = true;
    return has_stages(k);
}

/* A row is read across memory, each element from a line of its own, and has functions. Counter-example to both in one
 * loop: a processor does not look past the functions for what comes, and waits for each line. Running sums of
 * hyperbolic tangents of 93,369 rows of 64 that lie across took 12 ms, 6.5 with the loads in front (seed 1531480, two
 * threads of a Zen 3, AVX2). */
static bool loads_across(const fsr_kernel *k, const fsr_body *body) {
    const int d = k->ndim - 1;
    bool any = false;
    if (k->schedule.kind != FSR_SCHEDULE_ROW || !fsr_body_has_function(k, body))
        return false;
    for (int i = 0; i < body->n && !any; ++i) {
        const fsr_inst *inst = &k->inst[body->inst[i]];
        if (inst->kind != FSR_INST_LOAD || !fsr_load_goes_across(k, body->inst[i]))
            continue;
        const fsr_form form = fsr_form_of_access(k, k->integer, inst->index);
        const int64_t size = (int64_t)fsr_dtype_size(k->array[k->access[inst->index].buffer].dtype);
        const int64_t stride = form.stride[d] < 0 ? -form.stride[d] : form.stride[d];
        any = stride >= LINE / size * form.divisor;
    }
    return any;
}

/* `folded`: the scans of the body are only folded. Runs are chosen once it is known what streams. */
static fsr_walk walk_of(const fsr_kernel *k, const fsr_body *body, bool folded) {
    bool scans = !folded && fsr_body_has_scan(k, body), looped = fsr_body_is_looped(k, body);
    bool lanes = body->nfolds && !scans && !looped && k->schedule.lanes > 1 && fsr_body_commutes(k, body);
    fsr_walk walk = {.form = FSR_WALK_PLAIN};
    if (k->schedule.kind == FSR_SCHEDULE_COL) {
        walk.phased = fsr_body_is_phased(k, body);
        if (!walk.phased && goes_along(k, body))
            walk.form = FSR_WALK_ROWS;
        else if (!looped && !k->schedule.tall && !(body->nfolds && fsr_columns_lie_beside(k)))
            walk.functions = fsr_chain_functions(k, body, false);
        return walk;
    }
    if (!body->nfolds || lanes || scans || looped)
        walk.phased = k->schedule.together ? gathers_each(k) : fsr_body_is_phased(k, body);
    walk.loads = !walk.phased && (lanes || scans) && loads_across(k, body);
    if (!body->nfolds || lanes || scans)
        walk.functions = fsr_chain_functions(k, body, walk.loads);
    walk.loads = walk.loads && walk.functions;
    const bool torn = lanes && is_torn(k, body, fsr_walk_is_staged(&walk));
    if (scans || looped || torn || (!body->nfolds && fsr_walk_is_staged(&walk)))
        walk.form = FSR_WALK_STRIPS;
    else if (lanes)
        walk.form = FSR_WALK_LANES;
    else if (!fsr_body_commutes(k, body))
        walk.form = FSR_WALK_PAIRS;
    walk.laned = torn || (scans && k->schedule.lanes > 1 && fsr_body_may_be_laned(k, body));
    return walk;
}

static void finish_runs(const fsr_kernel *k, const fsr_body *body, fsr_walk *walk) {
    bool plain = walk->form == FSR_WALK_PLAIN && k->schedule.kind != FSR_SCHEDULE_COL && !body->nfolds;
    bool limited = fsr_body_is_limited(k, body);
    bool rows = fsr_body_may_look_first(k, body, walk);
    if (plain && (limited || fsr_body_streams(k, body)))
        walk->form = FSR_WALK_RUNS;
    walk->near = limited &&
                 (rows || walk->form == FSR_WALK_RUNS || walk->form == FSR_WALK_LANES || walk->form == FSR_WALK_STRIPS);
}

/* Something is asked of each column that no version of the loop knows for the whole row. */
static bool asks_columns(const fsr_kernel *k, const fsr_body *body) {
    const uint64_t used = fsr_body_conditions(k, body);
    bool any = used && !k->schedule.nversions;
    for (int c = 0; c < k->nconditions; ++c)
        any = any || (used >> c & 1 && (fsr_condition_is_inner(k, c) || !fsr_condition_is_decidable(k, c)));
    return any;
}

/* Columns that whole batches of lanes leave over, each in a lane of its own still: as few as rows have, a half of their
 * time. Sums of products of rows of 1900 f32 left 44 of 64 lanes, one by one. Counter-example to vector code for what
 * asks for guards of columns, or arguments: it is no vector code, and text. What is asked of rows has versions: of rows
 * of 190 whose neighbours three rows up wrap 30 were computed one by one, two thirds of 0.35 ms (seed 1100142). */
static int rest_of(const fsr_kernel *k, const fsr_body *body, const fsr_walk *walk) {
    const int64_t run = k->integer[FSR_INT_EXTENT + k->ndim - 1];
    const int lanes = k->schedule.lanes;
    const bool plain = walk->form == FSR_WALK_LANES && !walk->phased;
    return plain && lanes > REST && run > lanes && run % lanes >= REST && !asks_columns(k, body) ? REST : 0;
}

/* The last few columns, too few for these, each of which asks whether it is there: an element that is not leaves its
 * lane as it was, and is not stored; functions are evaluated of zero. Counter-example to one by one: the tree of the
 * lanes then reads as vectors what was stored as elements, and a processor waits until they are in its cache, which was
 * half of sums of products of 4000 rows of 100 f32: 0.127 ms, 0.061 so; sums of exp(tanh(x)) of rows of 654 took 0.74
 * ms, 0.64 so. Of rows of which none are left over by these the loop is there as well: lengths that differ in nothing
 * else have one kernel. */
static int asked_of(const fsr_kernel *k, const fsr_body *body, const fsr_walk *walk) {
    const int64_t run = k->integer[FSR_INT_EXTENT + k->ndim - 1];
    const int lanes = k->schedule.lanes, few = lanes < REST ? lanes : REST;
    const bool plain = walk->form == FSR_WALK_LANES && !walk->phased;
    return plain && lanes > 1 && run > lanes && run % lanes && fsr_body_may_ask(k, body) ? few : 0;
}

/* Of rows side by side few have many columns: a kernel of others has one text with the rest. Counter-example to as many
 * columns for each number of rows: 64 rows of 9,502 were a part of 8,192 and a rest, 1.0 ms of two threads, and 0.52 in
 * parts of 512; and to larger parts: 31 of 2,529, whose exponentials take 0.22 ms, were a thread's. */
static int part_of(const fsr_kernel *k) {
    const bool abreast = k->schedule.kind == FSR_SCHEDULE_COL;
    const int64_t rows = k->integer[FSR_INT_ROWS];
    int64_t least = abreast ? BLOCK_PART : fsr_kernel_has_scan(k) ? SCAN_PART : FOLD_PART;
    int part = k->schedule.chunk;
    if (abreast && rows > 0)
        least /= rows;
    if (!fsr_kernel_may_part(k) || (abreast && rows > MOST_ROWS && (k->nparallel > 1 || rows > k->schedule.abreast)))
        return 0;
    while (part < least)
        part *= 2;
    return abreast && k->integer[FSR_INT_COLS] <= part ? 0 : part;
}

/* A loop's length is of interest where it could fall into phases: elsewhere kernels of short and long loops are one. */
static bool phases_are_spared(fsr_kernel *k) {
    fsr_body body;
    bool phased = false, brief = k->schedule.brief;
    k->schedule.brief = false;
    for (int pass = 0; brief && !phased && (pass < k->npasses || pass == 0); ++pass) {
        fsr_body_of(k, pass, &body);
        phased = fsr_body_is_phased(k, &body);
    }
    return brief && phased;
}

void fsr_finish_walks(fsr_kernel *k) {
    fsr_schedule *s = &k->schedule;
    fsr_body body;
    s->together = rows_go_together(k);
    s->brief = !s->together && phases_are_spared(k);
    for (int pass = 0; pass < k->npasses || pass == 0; ++pass) {
        fsr_body_of(k, pass, &body);
        s->walk[pass] = walk_of(k, &body, false);
    }
    fsr_finish_streams(k);
    for (int pass = 0; pass < k->npasses || pass == 0; ++pass) {
        fsr_body_of(k, pass, &body);
        finish_runs(k, &body, &s->walk[pass]);
        s->walk[pass].rest = rest_of(k, &body, &s->walk[pass]);
        s->walk[pass].asked = asked_of(k, &body, &s->walk[pass]);
        if (s->walk[pass].asked && s->walk[pass].asked < s->lanes)
            s->walk[pass].rest = s->walk[pass].asked;
    }
    s->part = part_of(k);
    s->fold_walk = (fsr_walk){.form = FSR_WALK_PLAIN};
    if (s->part && fsr_kernel_has_scan(k)) {
        fsr_body scans;
        fsr_body_of(k, 0, &body);
        fsr_body_scans(k, &body, &scans);
        s->fold_walk = walk_of(k, &scans, true);
        finish_runs(k, &scans, &s->fold_walk);
    }
}

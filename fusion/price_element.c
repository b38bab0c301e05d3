/* SPDX-License-Identifier: MIT */
/* What an element of a scheduled kernel's loop costs, in operations, in a version of the loop that knows some
 * conditions of guards.
 *
 * A loop has versions that know which guards hold; where none runs, every alternative of a choice is computed, its
 * loads under guards that are asked for. What does not vary along the innermost dimension is computed once a run of it.
 * Some loops are no vector code: those of a load with a stride under a guard that the innermost dimension changes, and
 * those of a few turns beside a gather or a guard that is asked for, which have no stages and no versions.
 *
 * Counter-example to counting instructions: of 27 versions of a stencil's edges and its inside nearly all elements run
 * the inside's. */
#include "fusion/address.h"
#include "fusion/branch.h"
#include "fusion/price.h"
#include "fusion/schedule_parts.h"
#include "fusion/walk.h"
#include <math.h>

bool fsr_price_is_gather(const fsr_form *f) {
    return f->nterms > 0 && f->moves != 0;
}

int fsr_price_inner(const fsr_kernel *k) {
    const fsr_schedule *s = &k->schedule;
    const bool rows = s->kind == FSR_SCHEDULE_COL || (s->kind == FSR_SCHEDULE_LOOKBACK && s->abreast > 1);
    return rows && !s->beside ? k->nparallel - 1 : s->turned ? s->tiled : k->ndim - 1;
}

double fsr_price_inner_extent(const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    const int d = fsr_price_inner(k);
    return d < 0 ? 1 : (double)group->extent[d] * (k->schedule.beside ? (double)group->extent[k->nparallel - 1] : 1);
}

static double stride_of(const fsr_kernel *k, const fsr_form *f, int d) {
    double stride;
    if (d < 0)
        return 0;
    if (f->nterms > 0 && k->schedule.target != FSR_TARGET_CPU && fsr_price_form_follows(k, f, d, &stride))
        return stride;
    return (f->moves >> d & 1) ? 1e9 : fabs((double)f->stride[d]) / (double)f->divisor;
}

double fsr_price_stride(const fsr_group *group, int access, int d) {
    const fsr_form f = fsr_form_of_access(group->kernel, group->kernel->integer, access);
    return stride_of(group->kernel, &f, d);
}

/* The last dimension along which nothing but what is computed moves the place: all that lie inside it have been taken
 * when it comes by again. Without such a one nothing does. */
static int moved_alone(const fsr_kernel *k, const fsr_form *f) {
    int last = k->ndim;
    for (int d = 0; d < k->ndim; ++d)
        last = (f->moves >> d & 1) && f->stride[d] == 0 && f->extent[d] > 1 ? d : last;
    return last;
}

/* Places along a dimension that are visited between an element and its neighbour in memory. Counter-example to none in
 * a map: x.T at gathered rows is in each of its columns another row of x, and comes by there again a row later. */
static double taken_between(const fsr_kernel *k, int d, int alone) {
    const fsr_schedule *s = &k->schedule;
    return s->kind == FSR_SCHEDULE_COL && d >= k->nparallel ? INFINITY
           : s->tile && s->target == FSR_TARGET_CPU         ? s->tile
           : d > alone                                      ? INFINITY
                                                            : 0;
}

/* Columns of a block of few rows: what has been asked for is waited for before the next column asks. */
static bool has_brief_columns(const fsr_kernel *k) {
    enum { FEW = 64 };
    return k->schedule.kind == FSR_SCHEDULE_COL && !k->schedule.beside && k->nparallel > 0 &&
           (k->schedule.abreast < FEW || k->integer[FSR_INT_EXTENT + k->nparallel - 1] < FEW);
}

/* Of a load at a computed index: of its neighbours in memory, from anywhere, or from between, by the logarithm of what
 * it may reach; 0: it is none. In a block of rows and in a square the next element along memory comes when others have
 * been taken, each from places of its own. A map in panels reaches one. Counter-example to two prices: an element of
 * 0.9 MB takes twice as long as one of 16 KB, and half as long as one of 8 MB. */
static double gather_of(const fsr_prices *prices, const fsr_kernel *k, int access, const fsr_form *f) {
    const double size = (double)fsr_dtype_size(k->array[k->access[access].buffer].dtype);
    const int alone = moved_alone(k, f);
    double span = 0;
    if (!fsr_price_scatters_from(prices, k, f))
        return 0;
    const double column = k->schedule.panel ? fsr_panel_column(k, access) : 0;
    for (int t = 0; t < f->nterms && column <= 0; ++t)
        span += fabs((double)f->coefficient[t]) * (double)f->most[t];
    for (int d = 0; d < k->ndim && column <= 0; ++d)
        span += fabs((double)f->stride[d]) * fmin((double)(f->extent[d] - 1), taken_between(k, d, alone));
    const double bytes = column > 0 ? column * k->schedule.panel : span * size;
    const double far = log2(bytes / (prices->near / 2)) / log2(prices->cache / (prices->near / 2));
    return (prices->gather + (prices->far - prices->gather) * fmin(fmax(far, 0), 1)) *
           (has_brief_columns(k) ? prices->behind : 1);
}

/* The element is one of a tile in shared memory. */
static bool is_in_tile(const fsr_kernel *k, const fsr_access *access) {
    return access->near.step[FSR_AXIS_LINE] || (k->schedule.high && k->array[access->buffer].banded);
}

/* In tiles a thread has no vectors: elements narrower than a word are loaded and stored as words are. Counter-example
 * to counting them as in a map: a blur of u16 in two passes, 0.026 ms of an H200 in tiles, 0.021 in two kernels. */
static double narrow_of(const fsr_kernel *k, int access) {
    enum { WORD = 4 };
    const double size = (double)fsr_dtype_size(k->array[k->access[access].buffer].dtype);
    return k->schedule.high && size < WORD ? WORD / size : 1;
}

/* The part of a load or store across memory that one takes whose square is turned in registers, from whole lines to
 * whole rows. Counter-example to one price: x + x.T of 320 by 320 took a third of it, of 1164 by 1164 a half. Under
 * guards squares are parts, and their rows have edges: two neighbours of y * y.T of 256 by 256 took 47 us, for a price
 * of 20, and 37 in two kernels. */
static double in_registers(const fsr_kernel *k, int number) {
    const double turned = 0.5;
    return k->schedule.target == FSR_TARGET_CPU && k->schedule.tile &&
                   ((k->stand[number].staged && !k->inst[number].guard) ||
                    (k->schedule.turned && k->inst[number].kind == FSR_INST_STORE))
               ? turned
               : 1;
}

/* A near cache holds the array that is loaded. */
static bool is_near(const fsr_prices *prices, const fsr_kernel *k, int access) {
    const fsr_form f = fsr_form_of_access(k, k->integer, access);
    return (double)fsr_form_count(&f) * (double)fsr_dtype_size(k->array[k->access[access].buffer].dtype) <=
           prices->near;
}

/* Loads and stores of every n-th element are done one by one, and each may have a line for itself; such a store takes
 * part of a line of memory. In a square the line is there when its next element is asked for. Counter-example to a line
 * for each in squares of a near array: x + x.T of 256 by 256 took 17 us for a price of 28, so a softmax of it read it
 * across rows, where each does have one: 0.54 of unfused (one thread of a Zen 3). */
static double loads_of(const fsr_prices *prices, const fsr_kernel *k, int number, double stride) {
    const fsr_inst *inst = &k->inst[number];
    if (is_in_tile(k, &k->access[inst->index]))
        return prices->shared;
    if (inst->kind == FSR_INST_STORE)
        return k->schedule.turned
                   ? fmin(fmax(stride, 1), prices->apart) * in_registers(k, number)
                   : fmin(fmax(stride, 1), k->schedule.kind == FSR_SCHEDULE_ROW ? prices->by_row : prices->across) *
                         narrow_of(k, inst->index);
    const double size = (double)fsr_dtype_size(k->array[k->access[inst->index].buffer].dtype);
    const bool square = k->schedule.target == FSR_TARGET_CPU && k->schedule.tile;
    const bool beside = stride * size < prices->line || (square && is_near(prices, k, inst->index));
    const double most = (beside ? prices->strided : prices->apart) * in_registers(k, number);
    return fmin(fmax(stride, 1), most) * narrow_of(k, inst->index);
}

/* A loop is taken for a few turns of its program. */
static double turns_of(const fsr_kernel *k, const fsr_inst *inst) {
    enum { LIKELY_TURNS = 16 };
    const fsr_region *r = &k->loop[inst->index].program->body;
    double sum = 1;
    for (int i = 0; i < r->ninsts; ++i)
        sum += r->inst[i].kind == FSR_INST_OP ? 1 + fsr_op_get(r->inst[i].op)->cost : 1;
    return LIKELY_TURNS * sum;
}

bool fsr_price_is_function(const fsr_inst *inst) {
    return fsr_op_get(inst->op)->cost >= FSR_FUNCTION;
}

/* Counter-example to what scalar_ops.def counts for functions, too: exp, log and tanh take three times as long. Nodes
 * before they are lowered go without: sections of a paste are counted for every element there. */
double fsr_price_operation(const fsr_prices *prices, const fsr_inst *inst) {
    const double cost = fsr_op_get(inst->op)->cost;
    if (inst->op == FSR_OP_CAST)
        return cost + fsr_price_converts(prices, inst->compute, inst->dtype);
    return cost * (fsr_price_is_function(inst) ? prices->function : 1) + fsr_price_divides(prices, inst->op);
}

/* A load across memory in a square: lines that a near cache does not hold come from a page each, and again for each of
 * the square's rows of a load that is not put aside. Counter-example to one price: three such loads of a stencil of a
 * transposed matrix took 3.2 ms of 2^20 elements, for a price of 0.9 (seed 1120058). */
static double square_of(const fsr_prices *prices, const fsr_kernel *k, int number) {
    const double aside = 2.5;
    const bool apart =
        k->schedule.target == FSR_TARGET_CPU && fsr_inst_guard(&k->inst[number]) >= 0 && !k->stand[number].staged;
    return in_registers(k, number) * (is_near(prices, k, k->inst[number].index)
                                          ? fmin(prices->strided, prices->squared)
                                          : prices->squared * (apart ? aside : 1));
}

static double cost_of(const fsr_price_loop *l, const fsr_loop_version *version, int number) {
    const fsr_kernel *k = l->group->kernel;
    const fsr_prices *prices = l->prices;
    const fsr_inst *inst = &k->inst[number];
    const int guard = fsr_inst_guard(inst);
    const double each = k->npasses ? prices->asked : k->schedule.width ? prices->known : prices->guarded;
    const double asked = guard >= 0 && fsr_guard_known(k, version, guard) == FSR_ASKED ? each * k->guard[guard].n : 0;
    switch (inst->kind) {
    case FSR_INST_OP: return fsr_inst_chosen(k, version, number) >= 0 ? 0 : fsr_price_operation(prices, inst);
    case FSR_INST_CALL: return prices->call;
    case FSR_INST_ITERATE: return turns_of(k, inst);
    case FSR_INST_LOAD:
        return (k->schedule.tile && l->stride[number] > 1 ? square_of(prices, k, number) : prices->load) + asked;
    case FSR_INST_STORE:
        return k->schedule.turned ? square_of(prices, k, number) : l->stride[number] > 1 ? prices->strided : 1;
    case FSR_INST_GUARD: return asked;
    case FSR_INST_CONST:
    case FSR_INST_PARAM: return 0;
    default: return 1;
    }
}

/* A load with a stride, or of one element, of which a guard is asked that the innermost loop changes: no compiler
 * makes vector code of it. */
static bool is_scalar(const fsr_price_loop *l, const fsr_loop_version *version, int number) {
    const fsr_kernel *k = l->group->kernel;
    const fsr_inst *inst = &k->inst[number];
    bool inner = false;
    const bool few = k->schedule.kind == FSR_SCHEDULE_MAP && l->inner < l->prices->brief;
    const bool beside = l->stride[number] <= 1 && (l->stride[number] > 0 || !few);
    if (inst->kind != FSR_INST_LOAD || !inst->guard || beside || k->stand[number].staged ||
        fsr_guard_known(k, version, inst->guard - 1) != FSR_ASKED)
        return false;
    for (int i = 0; i < k->guard[inst->guard - 1].n; ++i) {
        const int c = k->guard[inst->guard - 1].condition[i];
        inner = inner || (!(version->holds >> c & 1) && fsr_condition_is_inner(k, c));
    }
    return inner;
}

static bool is_asked(const fsr_kernel *k, const fsr_loop_version *version, int number) {
    const int guard = fsr_inst_guard(&k->inst[number]);
    return guard >= 0 && fsr_guard_known(k, version, guard) == FSR_ASKED;
}

/* Elements along the inner dimension that share what does not vary along it: a CPU's innermost loop, those of a GPU's
 * thread. */
static double run_of(const fsr_group *group, int d) {
    const fsr_schedule *s = &group->kernel->schedule;
    const double extent = s->beside ? fsr_price_inner_extent(group) : d >= 0 ? (double)group->extent[d] : 1;
    const int own = s->kind == FSR_SCHEDULE_COL ? s->vector : s->items;
    return s->target == FSR_TARGET_CPU ? extent : fmin(extent, fmax(own, 1));
}

/* The part of what an instruction does that one element is charged for: what a run shares is done once for it, on a CPU
 * in the time in which all lanes of a vector would be. */
static double share_of(const fsr_prices *prices, const fsr_inst *inst, int d, double inner, uint32_t moves) {
    const bool effect =
        inst->kind == FSR_INST_STORE || inst->kind == FSR_INST_COMBINE || inst->kind == FSR_INST_ITERATE;
    return d >= 0 && !(moves >> d & 1) && !effect && inner > 1 ? fmin(prices->lanes / inner, 1) : 1;
}

/* The part of a gather that an element is charged for: a CPU takes a row whole whose place is computed once. */
static double row_of(const fsr_price_loop *l, const fsr_form *f, int d) {
    const bool rows = l->group->kernel->schedule.target == FSR_TARGET_CPU &&
                      l->group->kernel->schedule.kind == FSR_SCHEDULE_MAP && d >= 0 && !(f->moves >> d & 1);
    return rows ? 1 / fmax(l->inner, 1) : 1;
}

/* What no version changes of an instruction of the body. */
static void set_fixed(fsr_price_loop *out, int number, int d, uint32_t moves) {
    const fsr_kernel *k = out->group->kernel;
    const fsr_inst *inst = &k->inst[number];
    out->share[number] = share_of(out->prices, inst, d, out->inner, moves);
    if (inst->kind != FSR_INST_LOAD && inst->kind != FSR_INST_STORE)
        return;
    const fsr_form f = fsr_form_of_access(k, k->integer, inst->index);
    out->stride[number] = stride_of(k, &f, d);
    out->gather[number] =
        inst->kind == FSR_INST_LOAD ? gather_of(out->prices, k, inst->index, &f) * row_of(out, &f, d) : 0;
    out->access[number] = loads_of(out->prices, k, number, out->stride[number]);
}

/* The dimension of a pass's innermost loop: of a block of rows what folds nothing may go along each. */
static int inner_of(const fsr_kernel *k, int pass) {
    fsr_body body;
    if (k->schedule.walk[pass].form == FSR_WALK_ROWS || k->schedule.walk[pass].form == FSR_WALK_BESIDE)
        return k->ndim - 1;
    fsr_body_of(k, pass, &body);
    return k->schedule.beside && !body.nfolds ? k->nparallel - 1 : fsr_price_inner(k);
}

void fsr_price_loop_of(fsr_price_loop *out, const fsr_prices *prices, const fsr_group *group, int pass) {
    const fsr_kernel *k = group->kernel;
    const int d = inner_of(k, pass);
    uint32_t moves[FSR_MAX_INSTS];
    out->prices = prices;
    out->group = group;
    out->inner = run_of(group, d);
    fsr_body_of(k, pass, &out->body);
    fsr_values_dimensions(k, k->ninsts, moves);
    for (int i = 0; i < out->body.n; ++i)
        set_fixed(out, out->body.inst[i], d, moves[out->body.inst[i]]);
}

typedef struct sums {
    double operations, gathers, picks, loads, stores;
    double along;           /* operations that no vectors make fewer */
    double longest, places; /* gather, and how many there are */
    double guesses;         /* choices by guards of computed places */
    bool scalar, asks;
} sums;

enum { PAIR = 2 /* elements apart, of which a load takes pairs out of two vectors */ };

/* Pairs are shuffled out of two vectors. Of a few rows that lie side by side lanes put elements into a vector one by
 * one. Counter-example to so many times as many: sums down 157,358 points of 3 of roots and their sines took 0.93 ms
 * for a price of 0.58, and 0.76 apart (seed 1250060). */
static double picks_of(const fsr_price_loop *l, int number) {
    enum { ONE_BY_ONE = 16 };
    const fsr_kernel *k = l->group->kernel;
    const double loads = fmin(l->access[number], l->prices->strided);
    const bool lanes = k->schedule.walk[l->body.pass].form == FSR_WALK_LANES && k->nparallel;
    if (lanes && loads > PAIR && fsr_price_stride(l->group, k->inst[number].index, k->nparallel - 1) == 1)
        return ONE_BY_ONE;
    return fmax(loads - 1, 0);
}

/* The same of a store whose row lies beside the next one's in memory, of a few: two threads write to one line, or one
 * alone works. Counter-example to loads and stores alike: the columns of 18,470 by 6 less their means, one kernel of
 * strided stores, took 0.12 ms of one thread of a Xeon and 0.09 of two, for a price of 0.06; the means and a map 0.055
 * and 0.052. */
static double puts_of(const fsr_price_loop *l, int number) {
    enum { BETWEEN = 24 };
    const fsr_kernel *k = l->group->kernel;
    const bool rows = k->schedule.kind == FSR_SCHEDULE_ROW && k->nparallel && k->schedule.target == FSR_TARGET_CPU;
    return rows && l->stride[number] > PAIR &&
                   (double)k->integer[FSR_INT_EXTENT + k->nparallel - 1] < 2 * l->prices->lanes &&
                   fsr_price_stride(l->group, k->inst[number].index, k->nparallel - 1) == 1
               ? BETWEEN
               : 0;
}

/* The condition is not known, and asks for a computed place, another one for each element. */
static bool decides(const fsr_kernel *k, const fsr_loop_version *version, int condition) {
    const int form = k->condition[condition].form;
    if (!k->form[form].nterms || (version->holds >> condition & 1))
        return false;
    const fsr_form f = fsr_form_of(k, k->integer, form);
    return fsr_price_is_gather(&f);
}

/* A choice by where a computed place lies. */
static bool is_guess(const fsr_price_loop *l, const fsr_loop_version *version, int number) {
    const fsr_kernel *k = l->group->kernel;
    bool computed = false;
    if (k->inst[number].kind != FSR_INST_GUARD || !is_asked(k, version, number))
        return false;
    const fsr_guard *guard = &k->guard[fsr_inst_guard(&k->inst[number])];
    for (int i = 0; i < guard->n; ++i)
        computed = computed || decides(k, version, guard->condition[i]);
    return computed;
}

static void add_inst(const fsr_price_loop *l, const fsr_loop_version *version, int number, double share, sums *sum) {
    const fsr_kernel *k = l->group->kernel;
    const fsr_inst *inst = &k->inst[number];
    sum->operations += cost_of(l, version, number) * share;
    if (inst->kind == FSR_INST_LOAD && l->gather[number] > 0) {
        sum->gathers += l->gather[number] * share;
        sum->longest = fmax(sum->longest, l->gather[number]);
        sum->places += share;
    }
    sum->loads += inst->kind == FSR_INST_LOAD ? l->access[number] * share : 0;
    sum->picks += inst->kind == FSR_INST_LOAD    ? picks_of(l, number) * share
                  : inst->kind == FSR_INST_STORE ? puts_of(l, number) * share
                                                 : 0;
    sum->stores += inst->kind == FSR_INST_STORE ? l->access[number] * share : 0;
    sum->scalar = sum->scalar || is_scalar(l, version, number);
    sum->asks = sum->asks || is_asked(k, version, number);
    sum->guesses += is_guess(l, version, number) ? share : 0;
}

static sums sums_of(const fsr_price_loop *l, const fsr_loop_version *version) {
    bool dead[FSR_MAX_INSTS], waits[FSR_MAX_INSTS];
    sums sum = {0};
    fsr_body_dead(l->group->kernel, &l->body, version, dead);
    const fsr_schedule *s = &l->group->kernel->schedule;
    const bool columns = s->kind == FSR_SCHEDULE_COL;
    const bool along = s->kind == FSR_SCHEDULE_ROW && fsr_kernel_has_scan(l->group->kernel);
    if (columns)
        fsr_price_find_waiting(l, dead, waits);
    for (int i = 0; i < l->body.n; ++i) {
        const int number = l->body.inst[i];
        if (dead[number])
            continue;
        add_inst(l, version, number, l->share[number], &sum);
        sum.operations +=
            columns ? fsr_price_chained(l, waits, number) * l->share[number] + fsr_price_beside(l, number) : 0;
        sum.along += along ? fsr_price_along(l, number) : 0;
    }
    return sum;
}

/* Each instruction for the elements that go into its branch, where what is known of guards is asked no more. */
static sums sums_in_branches(const fsr_price_loop *l) {
    const fsr_kernel *k = l->group->kernel;
    double share[FSR_MAX_INSTS];
    sums sum = {0};
    fsr_loop_version known = {0, 0};
    fsr_branches branches;
    int at = FSR_NO_BRANCH;
    fsr_branches_of(k, &l->body, &branches);
    fsr_branch_shares(l->group, &l->body, &branches, share);
    for (int i = 0; i < l->body.n; ++i) {
        const int number = l->body.inst[i];
        if (share[number] <= 0)
            continue;
        if (branches.of[number] != at)
            fsr_branch_known(k, &branches, at = branches.of[number], &known);
        add_inst(l, &known, number, share[number] * l->share[number], &sum);
    }
    return sum;
}

enum { ASKED_ALONE = 3 /* times longer than in vectors: few elements that ask for guards, at most */ };

/* How many times longer operations take in a loop of so few turns that it has no versions, and that vectors of which
 * most are left over: of less than one, fsr_price_lost_vectors knows the rest. Where the text says how many turns there
 * are a loop that asks is vector code, from half a vector on. Counter-example to lanes for each of these turns: a pad
 * of 300,000 rows to 4 f32 took 0.35 ms for a price of 0.87, and 0.66 in parts (one thread of a Xeon, AVX2). */
static double lost_by_asking(const fsr_prices *prices, const fsr_kernel *k, double turns) {
    if (k->schedule.width)
        return turns < prices->lanes / 2 ? fmin(fmax(prices->lanes / turns, 1), ASKED_ALONE) : 1;
    const double few = fmin(prices->brief, 2 * prices->lanes);
    return turns >= few ? 1 : turns < prices->lanes ? fmax(turns, 1) : prices->lanes * prices->lanes / turns;
}

enum { UNASKED_PERCENT = 140 /* of a gather along rows that asks for none before it is loaded, as a map's rows do */ };

/* Beside other work, in a loop without stages, a processor has so much less of a gather under way: what is far takes
 * as long for each place that an element asks for. Counter-example to the sum of all: a far one of 2.9 million in rows
 * of 8 took 16 ms, one within a row 2.3, both in one loop 31 (seed 1280806). Along short rows that are folded none is
 * asked for: counter-example to a map's price, rows of 24 that are gathered, beside means of others, took 16.1 ms, and
 * 13.1 apart (seed 1502328). */
fsr_price_work fsr_price_version(const fsr_price_loop *l, const fsr_loop_version *version) {
    const fsr_prices *prices = l->prices;
    const fsr_kernel *k = l->group->kernel;
    const sums sum = k->schedule.branched ? sums_in_branches(l) : sums_of(l, version);
    const bool mixed = sum.gathers > 0 && !k->schedule.walk[l->body.pass].phased && !k->schedule.together;
    const bool serial = (sum.scalar && l->inner >= prices->lanes) || (k->schedule.brief && (mixed || sum.asks));
    const double lost = serial ? prices->lanes : sum.asks ? fmax(lost_by_asking(prices, k, l->inner), 1) : 1;
    const bool single = lost * fsr_price_lost_vectors(prices, l->group) >= prices->lanes;
    const double picks = k->schedule.tall || k->schedule.tile ? 0 : sum.picks * prices->picks;
    const double unasked = k->schedule.kind == FSR_SCHEDULE_ROW ? UNASKED_PERCENT / 100.0 : 1;
    const double gathers =
        mixed && prices->brief > 0 ? unasked * fmax(sum.gathers, sum.longest * sum.places) : sum.gathers;
    const double guesses = serial ? sum.guesses * prices->guess : 0;
    return (fsr_price_work){(single ? 0 : sum.operations * lost) + picks + sum.along,
                            (single ? sum.operations * prices->lanes : 0) + gathers + guesses, sum.loads, sum.stores};
}

/* Operations of functions that are done once a row, one by one. What comes behind waits for each, and a processor does
 * not look as far ahead as the next row. Counter-example to what lanes cost: log(sum(exp(x), 1)) of 2,000 rows of 64
 * took 0.13 ms, and 0.10 with the logarithm by itself (one thread of a Zen 3, AVX2). */
static double awaited_of(const fsr_price_loop *l) {
    const fsr_kernel *k = l->group->kernel;
    double sum = 0;
    for (int i = 0; i < l->body.n; ++i) {
        const fsr_inst *inst = &k->inst[l->body.inst[i]];
        if (inst->kind == FSR_INST_OP && fsr_price_is_function(inst) && l->share[l->body.inst[i]] > 0)
            sum += l->prices->awaited;
    }
    return sum;
}

/* What is done once a row. By columns a loop over a block's rows does it, which has no stages: beside a gather nothing
 * is vector code. Along rows nothing is, in any case. */
fsr_price_work fsr_price_row(const fsr_prices *prices, const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    const int d = k->nparallel - 1;
    uint32_t moves[FSR_MAX_INSTS];
    fsr_price_loop l;
    if (!prices->aside || !k->npasses)
        return (fsr_price_work){0};
    l.prices = prices;
    l.group = group;
    l.inner = 1;
    l.body.pass = l.body.n = l.body.nfolds = 0;
    for (int pass = 0; pass <= k->npasses; ++pass)
        l.body.n += fsr_kernel_rows(k, pass, l.body.inst + l.body.n);
    fsr_values_dimensions(k, k->ninsts, moves);
    for (int i = 0; i < l.body.n; ++i) {
        set_fixed(&l, l.body.inst[i], d, moves[l.body.inst[i]]);
        l.share[l.body.inst[i]] *= moves[l.body.inst[i]] ? prices->aside : 0;
    }
    const sums sum = sums_of(&l, &(fsr_loop_version){0, 0});
    const bool rows = k->schedule.kind != FSR_SCHEDULE_COL;
    const double lost = rows || sum.gathers > 0 ? prices->lanes : 1, slow = rows ? prices->strided : 1;
    const double waits = rows ? awaited_of(&l) : 0;
    return (fsr_price_work){0, sum.operations * lost + sum.gathers + waits, sum.loads * slow, sum.stores * slow};
}

fsr_price_work fsr_price_element(const fsr_prices *prices, const fsr_group *group, int pass,
                                 const fsr_loop_version *version) {
    fsr_price_loop loop;
    fsr_price_loop_of(&loop, prices, group, pass);
    return fsr_price_version(&loop, version);
}

/* ns of loads and stores. A thread waits for what it loads, and not for what it stores. Counter-example to one rate: 33
 * columns that are filtered have a thread each, whose stores across memory would take as long as so many loads of far
 * away, one after the other. */
double fsr_price_accesses(const fsr_prices *prices, const fsr_price_work *work, double threads) {
    return work->loads / fmin(prices->loads, threads * prices->fetches) +
           work->stores / fmin(prices->loads, threads * prices->posts);
}

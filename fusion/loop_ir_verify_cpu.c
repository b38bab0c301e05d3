/* SPDX-License-Identifier: MIT */
/* The verifier's rules about a CPU's schedule: each loop has a form that computes it, and every length that its form
 * goes by is there. What it does not ask is whether a choice is a good one.
 *
 * Counter-example to trusting the finishing pass: a schedule may have been read from a text, or overridden; a scan in a
 * plain loop would be printed as if nobody wanted its results. */
#include "fusion/loop_ir_verify.h"
#include "fusion/outputs.h"
#include "fusion/square.h"
#include "fusion/walk.h"

enum {
    MOST_SQUARED = 1 << 19, /* bytes of what is turned of a square, on a thread's stack */
    MOST_TALL = 16,
    MOST_UNROLLED = 16,
    MOST_BESIDE = 32,   /* outputs of a tile's column, columns in a turn, columns that meet: copies of a loop's text */
    LEAST_TOGETHER = 32 /* elements of a strip of rows that are taken together, each of fewer */
};

/* `folded`: the scans of the body are only folded. */
static bool check_form(const fsr_check *v, const fsr_body *body, const fsr_walk *walk, bool folded) {
    const fsr_schedule *s = &v->k->schedule;
    bool scans = !folded && fsr_body_has_scan(v->k, body), looped = fsr_body_is_looped(v->k, body);
    bool by_columns = s->kind == FSR_SCHEDULE_COL;
    switch (walk->form) {
    case FSR_WALK_PLAIN:
        return by_columns
                   ? !looped || fsr_check_bad(v, "schedule: pass %d has loops for each element, by columns", body->pass)
                   : (!scans && !looped) || fsr_check_bad(v, "schedule: the loop of pass %d needs strips", body->pass);
    case FSR_WALK_RUNS:
        return (!body->nfolds && !looped && !by_columns) ||
               fsr_check_bad(v, "schedule: the loop of pass %d does not go in runs", body->pass);
    case FSR_WALK_LANES:
        return (body->nfolds && !scans && !looped && !by_columns && s->lanes > 1 && fsr_body_commutes(v->k, body)) ||
               fsr_check_bad(v, "schedule: the loop of pass %d has no lanes", body->pass);
    case FSR_WALK_PAIRS:
        return (body->nfolds && !scans && !looped && !by_columns) ||
               fsr_check_bad(v, "schedule: the loop of pass %d has no pairs", body->pass);
    case FSR_WALK_STRIPS:
        return !by_columns || fsr_check_bad(v, "schedule: pass %d has strips, by columns", body->pass);
    case FSR_WALK_ROWS:
        return (!walk->phased && !walk->near && fsr_body_may_go_along(v->k, body)) ||
               fsr_check_bad(v, "schedule: the loop of pass %d does not go along rows", body->pass);
    case FSR_WALK_BESIDE:
        return (s->beside && !walk->phased && (walk->functions > 0 || (!body->nfolds && !walk->near)) &&
                (walk->functions > 0 || !(fsr_body_lies_apart(v->k, body) || fsr_body_gathers(v->k, body))) &&
                fsr_body_may_lie_beside(v->k, body)) ||
               fsr_check_bad(v, "schedule: the columns of pass %d do not lie beside each other", body->pass);
    }
    return fsr_check_bad(v, "schedule: unknown form of the loop of pass %d", body->pass);
}

enum { EIGHTS = 8 /* columns by which the room of a row's kept values is rounded up (backend_cpu/emit/emit_c.c) */ };

/* The lengths that a loop of this form goes by. */
static bool check_lengths(const fsr_check *v, const fsr_body *body, const fsr_walk *walk) {
    const fsr_schedule *s = &v->k->schedule;
    bool strips = walk->form == FSR_WALK_STRIPS, chain = walk->functions > 0 || walk->phased;
    bool staged = strips || walk->form == FSR_WALK_LANES;
    const bool columns = s->kind == FSR_SCHEDULE_COL && walk->form == FSR_WALK_PLAIN && !s->tall;
    const bool beside = walk->form == FSR_WALK_BESIDE;
    const bool apart = beside || (columns && !(s->beside && body->nfolds));
    if (walk->functions < 0 || (walk->functions && !staged && !apart))
        return fsr_check_bad(v, "schedule: %d functions a stage, and no stages", walk->functions);
    if (walk->loads && (!walk->functions || walk->phased || !staged || s->kind != FSR_SCHEDULE_ROW))
        return fsr_check_bad(v, "schedule: the loop of pass %d has no stage for loads", body->pass);
    if (walk->phased && !staged && !columns)
        return fsr_check_bad(v, "schedule: phases in the loop of pass %d, and no stages", body->pass);
    if (fsr_body_streams(v->k, body) && !strips && walk->form != FSR_WALK_RUNS)
        return fsr_check_bad(v, "schedule: the loop of pass %d streams and has no runs", body->pass);
    const bool rows = fsr_body_may_look_first(v->k, body, walk);
    if (walk->near && !staged && !rows && !beside && walk->form != FSR_WALK_RUNS)
        return fsr_check_bad(v, "schedule: the loop of pass %d cannot look at arguments first", body->pass);
    if ((strips || chain || walk->form == FSR_WALK_PAIRS) && !fsr_power_of_two(s->strip))
        return fsr_check_bad(v, "schedule: strips of %d", s->strip);
    if (chain && walk->form == FSR_WALK_LANES && s->strip % s->lanes != 0)
        return fsr_check_bad(v, "schedule: strips of %d are no multiple of %d lanes", s->strip, s->lanes);
    if (walk->laned && (!strips || s->lanes < 2 || s->strip % s->lanes != 0 || !fsr_body_may_be_laned(v->k, body)))
        return fsr_check_bad(v, "schedule: the strips of pass %d have no lanes", body->pass);
    if (walk->rest &&
        (walk->form != FSR_WALK_LANES || walk->phased || !fsr_power_of_two(walk->rest) || walk->rest >= s->lanes))
        return fsr_check_bad(v, "schedule: a rest of %d side by side in pass %d", walk->rest, body->pass);
    if (walk->asked && (walk->form != FSR_WALK_LANES || walk->phased || !fsr_power_of_two(walk->asked) ||
                        (walk->rest ? walk->rest : s->lanes) != walk->asked || !fsr_body_may_ask(v->k, body)))
        return fsr_check_bad(v, "schedule: the last %d of pass %d cannot be asked", walk->asked, body->pass);
    if (walk->asked && fsr_kernel_keeps(v->k) && (walk->asked > EIGHTS || (!s->single && s->chunk % EIGHTS != 0)))
        return fsr_check_bad(v, "schedule: what is kept has no room for %d columns that are asked", walk->asked);
    if (walk->form == FSR_WALK_PAIRS && s->strip < 32)
        return fsr_check_bad(v, "schedule: pairs in strips of %d", s->strip);
    if (strips && fsr_body_has_scan(v->k, body) &&
        (!fsr_power_of_two(s->block) || s->block < 8 || s->strip % s->block != 0))
        return fsr_check_bad(v, "schedule: strips of %d in blocks of %d", s->strip, s->block);
    if (walk->form == FSR_WALK_RUNS && (fsr_body_streams(v->k, body) ? s->past < 1 : s->run < 1))
        return fsr_check_bad(v, "schedule: runs of no length");
    return true;
}

static bool check_walks(const fsr_check *v) {
    const fsr_kernel *k = v->k;
    fsr_body body, scans;
    for (int pass = 0; pass < k->npasses || pass == 0; ++pass) {
        fsr_body_of(k, pass, &body);
        if (!check_form(v, &body, &k->schedule.walk[pass], false) || !check_lengths(v, &body, &k->schedule.walk[pass]))
            return false;
    }
    if (!k->schedule.part || !fsr_kernel_has_scan(k))
        return true;
    fsr_body_of(k, 0, &body);
    fsr_body_scans(k, &body, &scans);
    return check_form(v, &scans, &k->schedule.fold_walk, true) && check_lengths(v, &scans, &k->schedule.fold_walk);
}

static bool check_unroll(const fsr_check *v) {
    const int unroll = v->k->schedule.unroll;
    return !unroll || (unroll > 1 && unroll <= MOST_UNROLLED && fsr_kernel_may_unroll(v->k)) ||
           fsr_check_bad(v, "schedule: %d columns in one turn", unroll);
}

/* That they do lie so is a matter of sizes, of which nothing is known here. */
static bool check_beside(const fsr_check *v) {
    const fsr_schedule *s = &v->k->schedule;
    bool may = s->kind == FSR_SCHEDULE_COL && !s->tall && !s->unroll && s->abreast > 1 && s->beside > 1 &&
               s->beside <= MOST_BESIDE && fsr_kernel_may_lie_beside(v->k);
    for (int pass = 0; s->beside && may && pass < v->k->npasses; ++pass) {
        const fsr_walk *walk = &s->walk[pass];
        fsr_body body;
        fsr_body_of(v->k, pass, &body);
        may = !body.nfolds || walk->form == FSR_WALK_BESIDE ||
              (walk->form == FSR_WALK_PLAIN && walk->phased == fsr_body_gathers(v->k, &body) && !walk->near &&
               !walk->functions && !fsr_body_has_scan(v->k, &body));
    }
    return !s->beside || may || fsr_check_bad(v, "schedule: %d columns beside each other", s->beside);
}

static bool check_few(const fsr_check *v) {
    const fsr_schedule *s = &v->k->schedule;
    if (s->width && (s->width < 2 || s->width >= FSR_SHORT_ROW || !fsr_kernel_may_have_width(v->k)))
        return fsr_check_bad(v, "schedule: rows of %d elements", s->width);
    if (s->beside && s->width && s->beside != s->width)
        return fsr_check_bad(v, "schedule: %d columns beside each other in rows of %d", s->beside, s->width);
    if (s->by_row && !s->beside)
        return fsr_check_bad(v, "schedule: arrays go row by row, and no columns lie beside each other");
    if (s->fixed && s->kind != FSR_SCHEDULE_COL)
        return fsr_check_bad(v, "schedule: rows that are not side by side have a constant number");
    return (!s->single && !s->fixed) || (s->single && fsr_kernel_may_be_single(v->k)) ||
           (!s->single && fsr_kernel_may_scan_fixed(v->k)) ||
           fsr_check_bad(v, "schedule: columns are more than one chunk");
}

static bool check_part(const fsr_check *v) {
    const fsr_kernel *k = v->k;
    const fsr_schedule *s = &k->schedule;
    if (!s->part)
        return true;
    if (!fsr_kernel_may_part(k))
        return fsr_check_bad(v, "schedule: rows cannot be parted");
    if (s->part % s->chunk != 0 || !fsr_power_of_two(s->part / s->chunk))
        return fsr_check_bad(v, "schedule: parts of %d are no power of two of chunks of %d", s->part, s->chunk);
    return true;
}

static bool check_map(const fsr_check *v) {
    const fsr_schedule *s = &v->k->schedule;
    if ((s->flat || s->tile || s->cut_steps) && s->kind != FSR_SCHEDULE_MAP)
        return fsr_check_bad(v, "schedule: only a map is flat, tiled or cut");
    if (s->flat && !fsr_kernel_may_be_flat(v->k))
        return fsr_check_bad(v, "schedule: one loop is not enough");
    if (s->together &&
        (s->flat || s->tile || s->nversions || s->strip < LEAST_TOGETHER || s->walk[0].form != FSR_WALK_STRIPS ||
         (s->walk[0].functions < 1 && !s->walk[0].phased) || !fsr_kernel_may_go_together(v->k)))
        return fsr_check_bad(v, "schedule: rows cannot be taken together");
    if (s->tile < 0 || (s->tile && (s->flat || !fsr_check_range(s->tiled, v->k->ndim - 1))))
        return fsr_check_bad(v, "schedule: tiles of %d along dimension %d", s->tile, s->tiled);
    if (s->breadth < 0 || (s->breadth && !s->tile))
        return fsr_check_bad(v, "schedule: rows of %d elements of no tiles", s->breadth);
    if (s->panel < 0 ||
        (s->panel && (s->kind != FSR_SCHEDULE_MAP || s->flat || s->tile || s->together || v->k->ndim < 2)))
        return fsr_check_bad(v, "schedule: panels of %d columns", s->panel);
    return !s->cut_steps || (s->nversions && !fsr_kernel_in_place(v->k) && s->run >= 1) ||
           fsr_check_bad(v, "schedule: steps cannot be done after the others");
}

static bool check_arrays(const fsr_check *v) {
    const fsr_kernel *k = v->k;
    const uint64_t streams = k->schedule.streams & ~fsr_kernel_may_stream(k);
    const uint64_t ahead = k->schedule.ahead & ~fsr_kernel_may_fetch(k);
    const uint64_t fetched = k->schedule.fetched & ~fsr_kernel_may_gather_ahead(k) & ~fsr_kernel_may_fetch_rows(k);
    const uint64_t coming = k->schedule.coming & ~fsr_kernel_may_come(k);
    if (coming)
        return fsr_check_bad(v, "schedule: b%d is not read or stored in strips", __builtin_ctzll(coming));
    if (streams)
        return fsr_check_bad(v, "schedule: b%d cannot be streamed", __builtin_ctzll(streams));
    if (fetched)
        return fsr_check_bad(v, "schedule: b%d is not gathered in strips or short rows", __builtin_ctzll(fetched));
    return !ahead || fsr_check_bad(v, "schedule: b%d cannot be fetched ahead", __builtin_ctzll(ahead));
}

static bool check_operators(const fsr_check *v) {
    const fsr_kernel *k = v->k;
    const fsr_schedule *s = &k->schedule;
    for (int f = 0; f < FSR_MAX_COMBINES; ++f) {
        bool any = (s->joined >> f & 1) || (s->widened >> f & 1);
        const fsr_combine *c = f < k->nfolds ? k->fold[f].combine : NULL;
        if (any && (!c || s->kind == FSR_SCHEDULE_COL))
            return fsr_check_bad(v, "schedule: f%d is neither joined nor widened", f);
        if (c && k->fold[f].narrow)
            return fsr_check_bad(v, "schedule: fold %d of f32 has a state of its own, which is for GPUs", f);
        if ((s->widened >> f & 1) && !fsr_fold_may_widen(&k->fold[f]))
            return fsr_check_bad(v, "schedule: f%d has no wider state", f);
    }
    for (int i = 0; i < k->ninsts; ++i)
        if (k->inst[i].kind == FSR_INST_ITERATE && fsr_inst_is_element(k, i) && s->turns[k->inst[i].index] < 1)
            return fsr_check_bad(v, "schedule: loop %d runs %d elements at once", k->inst[i].index,
                                 s->turns[k->inst[i].index]);
    return true;
}

static bool check_rows(const fsr_check *v) {
    const fsr_schedule *s = &v->k->schedule;
    return !s->row_near || (s->kind == FSR_SCHEDULE_COL && !s->tall) ||
           fsr_check_bad(v, "schedule: what is done once a row has no loop that looks at arguments first");
}

static bool check_gathers(const fsr_check *v) {
    for (int i = 0; i < v->k->ninsts; ++i)
        if (v->k->stand[i].gathered && !fsr_load_may_gather(v->k, i))
            return fsr_check_bad(v, "schedule: v%d cannot be gathered", i);
        else if (v->k->stand[i].twinned && !fsr_load_may_twin(v->k, i))
            return fsr_check_bad(v, "schedule: v%d has no twin", i);
    return true;
}

/* A tile's edges are evaluated outside of the domain, so whatever moves along its rows must come from a panel,
 * but for those of a low tile, which goes no further than its rows do. */
static bool check_outputs(const fsr_check *v) {
    const fsr_kernel *k = v->k;
    const fsr_schedule *s = &k->schedule;
    if (!s->tall && s->across)
        return fsr_check_bad(v, "schedule: a tile across dimension %d that is not tall", s->across);
    if (s->tall && (s->kind != FSR_SCHEDULE_COL || s->walk[0].phased || !fsr_check_range(s->tall, MOST_TALL + 1) ||
                    !fsr_kernel_may_tile(k, s->across)))
        return fsr_check_bad(v, "schedule: no tile of %d outputs across dimension %d", s->tall, s->across);
    if (s->turned && (!fsr_kernel_may_turn_stores(k) || fsr_square_shared_bytes(k) > MOST_SQUARED))
        return fsr_check_bad(v, "schedule: stores cannot be turned in squares");
    for (int i = 0; i < k->ninsts && s->kind == FSR_SCHEDULE_MAP; ++i)
        if (k->stand[i].staged &&
            (s->turned || !fsr_load_may_be_squared(k, i) || fsr_square_shared_bytes(k) > MOST_SQUARED))
            return fsr_check_bad(v, "schedule: v%d cannot be turned in squares", i);
    for (int i = 0; i < k->ninsts && s->kind != FSR_SCHEDULE_MAP; ++i)
        if (k->stand[i].staged != (s->tall && !s->unroll && fsr_load_is_panel(k, i)))
            return fsr_check_bad(v, "schedule: v%d %s a panel", i, k->stand[i].staged ? "has no need of" : "needs");
    return true;
}

/* A CPU has rows and columns, for one thread. */
bool fsr_check_cpu(const fsr_check *v) {
    const fsr_schedule *s = &v->k->schedule;
    if (s->kind != FSR_SCHEDULE_MAP && s->kind != FSR_SCHEDULE_ROW && s->kind != FSR_SCHEDULE_COL)
        return fsr_check_bad(v, "schedule: a CPU has no schedule %s", fsr_schedule_name(s->kind));
    if (s->threads || s->vector || s->items || s->persistent || s->accumulators || s->resident || s->outlined ||
        s->branched || s->members || s->slots || s->writers)
        return fsr_check_bad(v, "schedule: a CPU has no blocks of threads");
    if (s->abreast < 1)
        return fsr_check_bad(v, "schedule: %d rows abreast", s->abreast);
    if (!fsr_power_of_two(s->lanes))
        return fsr_check_bad(v, "schedule: %d lanes", s->lanes);
    if (s->chunk < 1)
        return fsr_check_bad(v, "schedule: chunks of %d", s->chunk);
    if (!fsr_power_of_two(s->level) || !fsr_power_of_two(s->pair_level) || s->pair_level < 2)
        return fsr_check_bad(v, "schedule: loops of their own for levels of %d and %d", s->level, s->pair_level);
    if (!fsr_power_of_two(s->line) || s->line < 16)
        return fsr_check_bad(v, "schedule: lines of %d bytes", s->line);
    if (s->work < 1)
        return fsr_check_bad(v, "schedule: work of %d operations", s->work);
    if (s->kind == FSR_SCHEDULE_COL && v->k->nparallel == 0)
        return fsr_check_bad(v, "schedule: no rows to go along the columns of");
    for (int i = 0; i < v->k->ninsts; ++i)
        if (v->k->stand[i].keep && s->abreast != 1)
            return fsr_check_bad(v, "schedule: v%d is kept for %d rows at once", i, s->abreast);
    return check_part(v) && check_unroll(v) && check_beside(v) && check_few(v) && check_map(v) && check_walks(v) &&
           check_arrays(v) && check_operators(v) && check_gathers(v) && check_rows(v) && check_outputs(v);
}

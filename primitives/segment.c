/* SPDX-License-Identifier: MIT */
/* Folds of segments, neighbours along the first axis, of any lengths.
 *
 * The axis is cut into blocks of as many elements, whatever the segments are, and each block is folded: a reduction of
 * short rows. Of a segment some blocks lie whole inside; these are neighbours, and a scan of the blocks that begins
 * again where a segment's first whole block is has their fold at the last one. What is left is less than a block at
 * either side, or a segment without a whole block, less than two of them: a loop for each segment takes these elements
 * one after the other, going over the gap between. So loops have fewer than two blocks' turns however long segments
 * are, and the elements of long ones are folded as rows. A block is 32 elements, and where segments are longer on
 * average a sixteenth of that, up to 256. Where they are short on average most blocks have a segment's end inside and
 * lie in none: then a block is folded by loops over parts of it, of no turns where an end is marked, so that most
 * elements are read, or taken from elsewhere, once and not twice. For a GPU's threads each segment, and each such
 * block, is folded by lanes (segment_lanes.c), and a block is 64 elements for each lane of a segment. Counter-examples:
 * a thread a segment takes as long as the longest one; a scan of all elements that begins again at each segment writes
 * as much as it reads, and is ten times the work on a CPU.
 *
 * What computes the elements fuses into the kernel of the blocks; in the loop an element is computed again where that
 * is a few operations (element.c). Where operands commute the blocks' fold is what the loop begins with, else it is
 * folded in at the gap. */
#include "primitives/segment.h"
#include "primitives/element.h"
#include <string.h>

/* ---- segments ------------------------------------------------------------------------------------------------ */

/* Zeros, n of them, with ones at some places; several may name one, those that are `n` none. */
static fsr_node marks(fsr_site at, fsr_node place, int64_t n, fsr_dtype dtype) {
    fsr_node zeros = fsr_full_at(at, place.graph, dtype, 1, &n, 0);
    return fsr_scatter_at(at, zeros, &place, 1, fsr_whole(at, place, 1), FSR_INDEX_DROP, FSR_UNIQUE);
}

fsr_node fsr_segment_marks(const fsr_segments *s, fsr_dtype dtype, bool ends) {
    const fsr_site at = s->at;
    const fsr_node first = fsr_whole(at, s->offsets, 0), one = fsr_whole(at, first, 1);
    fsr_node place = s->offsets;
    if (ends)
        place = fsr_where_at(at, fsr_greater_at(at, place, first), fsr_sub_at(at, place, one),
                             fsr_count(place.graph, at, FSR_I64, (double)s->n));
    return marks(at, place, s->n, dtype);
}

fsr_dtype fsr_segment_mark(const fsr_node *state, int n) {
    size_t size = 1;
    for (int i = 0; i < n; i++)
        if (fsr_dtype_size(fsr_node_dtype(state[i])) > size)
            size = fsr_dtype_size(fsr_node_dtype(state[i]));
    return size == 1 ? FSR_U8 : size == 2 ? FSR_U16 : size == 4 ? FSR_U32 : FSR_U64;
}

/* State 0 is the mark. */
static void restarts(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    const fsr_restarting *from = user;
    const fsr_site at = from->at;
    const fsr_node begins = fsr_not_equal_at(at, right[0], fsr_whole(at, right[0], 0));
    fsr_node joined[FSR_MAX_TUPLE] = {{0}};
    from->op->body(joined, left + 1, right + 1, from->op->user);
    out[0] = fsr_bitwise_or_at(at, left[0], right[0]);
    for (int i = 0; i < from->op->arity; i++)
        out[1 + i] = fsr_where_at(at, begins, right[1 + i], joined[i]);
}

fsr_operator fsr_segment_restarting(const fsr_restarting *from) {
    fsr_operator out = {.body = restarts, .user = (void *)(uintptr_t)from, .arity = from->op->arity + 1};
    for (int i = 0; i < from->op->arity; i++) {
        out.identity[1 + i] = from->op->identity[i];
        out.exact[1 + i] = from->op->exact[i];
    }
    return out;
}

/* ---- one fold -------------------------------------------------------------------------------------------------- */

typedef struct folding {
    const fsr_segments *s;
    const fsr_operator *op;
    fsr_node in[FSR_MAX_TUPLE]; /* [n] or [n, rest] */
    fsr_node identity[FSR_MAX_TUPLE], middle[FSR_MAX_TUPLE];
    fsr_node low, high, from,
        to; /* of each segment: the gap that the loop goes over ends at `to`; [count] or [count, 1] */
    fsr_node begins,
        broken; /* marks of each block that is folded by loops: a segment begins with it; ends inside of it */
    bool fits, wide, flat, brief;
    int shift;       /* a block has 1 << shift elements */
    int lanes, turn; /* of each segment, and elements of a turn; lanes 0: one loop takes all of its elements */
} folding;

enum { LEAST_SHIFT = 5, MOST_SHIFT = 8, PARTS_SHIFT = 2, MARKS_ABREAST = 16 };
/* Lanes of a segment, and elements of a turn: of what is taken at computed places, and of others; of a block, and the
 * part of it for each lane of a segment. */
enum { TAKEN_LANES = 8, TAKEN_TURN = 2, LANES = 4, LANE_TURN = 4, BLOCK_LANES = 32, LANE_SHIFT = 6 };

static int shift_of(const fsr_segments *s) {
    int shift = LEAST_SHIFT;
    while (shift < MOST_SHIFT && s->count && s->n / s->count >> (shift + 5))
        shift++;
    return shift;
}

/* Sets lanes and turn. Of sums alone, whose segments are read fast in any case, a segment of average length has a turn
 * for each lane, or there are none. */
static void choose_lanes(folding *f, bool takes, unsigned flags) {
    const fsr_segments *s = f->s;
    const int64_t mean = s->count ? s->n / s->count : 0;
    f->turn = takes ? TAKEN_TURN : LANE_TURN;
    if (!f->flat || !f->op->commutative || !(flags & FSR_FOLD_LANES) || mean < (takes ? 2 : LANES * LANE_TURN))
        return;
    for (f->lanes = takes ? TAKEN_LANES : LANES; f->lanes > mean; f->lanes /= 2)
        ;
}

static fsr_lanes lanes_for(const folding *f, int lanes, bool skips) {
    return (fsr_lanes){f->s->at, f->op, f->in, f->identity, f->fits, skips, lanes, f->turn};
}

static fsr_node identity_of(const folding *f, int i, fsr_dtype dtype) {
    const fsr_operator *op = f->op;
    const fsr_value value =
        op->exact[i] ? fsr_value_load(dtype, op->exact[i], 0) : fsr_value_from_double(dtype, op->identity[i]);
    return fsr_literal(f->in[0].graph, f->s->at, dtype, value, false);
}

/* Elements of the first axis, each with all the others in one behind it. */
static fsr_node as_rows(fsr_site at, fsr_node x) {
    const fsr_shape *shape = &fsr_node_rec(x)->shape;
    const int64_t n = shape->dim[0];
    int64_t rest = 1;
    for (int j = 1; j < shape->ndim; j++)
        rest *= shape->dim[j];
    return shape->ndim <= 2 ? x : fsr_reshape_at(at, x, 2, (int64_t[]){n, rest});
}

/* A vector of segments as a column beside what has columns. */
static fsr_node beside(const folding *f, fsr_node x) {
    return f->flat || !fsr_node_sound(x) ? x : fsr_expand_at(f->s->at, x, 1);
}

/* A caller's operator may have dropped what it is applied to. */
static bool is_there(const folding *f, const fsr_node *made, fsr_node *poison) {
    fsr_node all[2 * FSR_MAX_TUPLE + 2] = {f->s->low, f->s->high};
    fsr_graph *graph;
    const int arity = f->op->arity;
    memcpy(all + 2, f->in, sizeof *all * (size_t)arity);
    memcpy(all + 2 + arity, made, sizeof *all * (size_t)arity);
    return !fsr_poison_of(f->s->at, f->s->what, all, 2 + 2 * arity, &graph, poison);
}

/* ---- the loops' bodies ------------------------------------------------------------------------------------------- */

enum { HIGH, FROM, TO, COLUMN, MIDDLE };

static void is_inside(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    const folding *f = user;
    out[0] = fsr_less_at(f->s->at, state[0], arg[HIGH]);
}

/* state: the place, the fold so far. What is between FROM and TO is gone over. */
static void take_one(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    const folding *f = user;
    const fsr_operator *op = f->op;
    const fsr_site at = f->s->at;
    const fsr_node index[] = {state[0], arg[COLUMN]}, next = fsr_add_at(at, state[0], fsr_whole(at, state[0], 1));
    const fsr_node at_gap = fsr_equal_at(at, next, arg[FROM]);
    fsr_node x[FSR_MAX_TUPLE], more[FSR_MAX_TUPLE] = {{0}};
    for (int i = 0; i < op->arity; i++)
        x[i] = fsr_element(at, f->in[i], index, f->fits);
    op->body(out + 1, state + 1, x, op->user);
    out[0] = fsr_where_at(at, at_gap, arg[TO], next);
    if (op->commutative)
        return;
    op->body(more, out + 1, arg + MIDDLE, op->user);
    for (int i = 0; i < op->arity; i++)
        out[1 + i] = fsr_where_at(at, at_gap, more[i], out[1 + i]);
}

/* state: the place, the fold so far; arg: where the block ends, which is where it begins if it is broken. */
static void take_next(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    const folding *f = user;
    const fsr_site at = f->s->at;
    const fsr_node index[] = {state[0], arg[1]};
    fsr_node x[FSR_MAX_TUPLE];
    for (int i = 0; i < f->op->arity; i++)
        x[i] = fsr_element(at, f->in[i], index, f->fits);
    out[0] = fsr_add_at(at, state[0], fsr_whole(at, state[0], 1));
    f->op->body(out + 1, state + 1, x, f->op->user);
}

/* ---- the blocks ------------------------------------------------------------------------------------------------- */

/* Where segments begin with a block, and where they end inside of one: of the blocks to the left of an offset the next
 * one begins, or is broken, at the number of the one behind it, in the first or the second half of all marks, which
 * both begin where vectors do. What is marked twice is marked with the same. */
static void mark_blocks(folding *f, int64_t blocks) {
    const fsr_site at = f->s->at;
    const fsr_node o = f->s->offsets, one = fsr_whole(at, o, 1), shift = fsr_whole(at, o, f->shift);
    const fsr_node rest = fsr_bitwise_and_at(at, o, fsr_whole(at, o, ((int64_t)1 << f->shift) - 1));
    const fsr_node place = fsr_add_at(at, fsr_right_shift_at(at, fsr_sub_at(at, o, one), shift), one);
    const int64_t n = (blocks + MARKS_ABREAST) / MARKS_ABREAST * MARKS_ABREAST;
    const fsr_node ends = fsr_not_equal_at(at, rest, fsr_whole(at, rest, 0));
    const fsr_node half = fsr_where_at(at, ends, fsr_whole(at, place, n), fsr_whole(at, place, 0));
    const fsr_node all = marks(at, fsr_add_at(at, place, half), 2 * n, FSR_U8);
    const fsr_node next = fsr_slice_at(at, all, 0, 0, blocks, 1), behind = fsr_slice_at(at, all, 0, n, n + blocks, 1);
    f->begins = fsr_bitwise_or_at(at, next, behind);
    f->broken = fsr_slice_at(at, all, 0, n + 1, n + 1 + blocks, 1);
}

/* Loops for each block, of as many turns as they have elements, of none if the block is broken: one for each of a few
 * parts of the block, folded as rows, as a thread for a whole block would read far from its neighbours; of elements
 * with columns, which are neighbours themselves, one for each column. */
static void loop_over_parts(const folding *f, int64_t blocks, fsr_node *out) {
    const fsr_site at = f->s->at;
    const int arity = f->op->arity, more = f->flat ? PARTS_SHIFT : 0, part = f->shift - more;
    const fsr_dtype dtype = fsr_node_dtype(f->low);
    const fsr_node number = fsr_arange_at(at, f->low.graph, dtype, blocks << more);
    const fsr_node own = fsr_right_shift_at(at, number, fsr_whole(at, number, more));
    const fsr_node mark = f->flat ? fsr_take_at(at, f->broken, own, 0, FSR_INDEX_CLIP) : f->broken;
    const fsr_node broken = fsr_not_equal_at(at, mark, fsr_whole(at, mark, 0));
    const fsr_node begin = fsr_left_shift_at(at, number, fsr_whole(at, number, part));
    const fsr_node behind = fsr_add_at(at, begin, fsr_whole(at, begin, (int64_t)1 << part));
    const int64_t columns = f->flat ? 1 : fsr_node_dim(f->in[0], 1);
    fsr_node state[FSR_MAX_STATE] = {beside(f, begin)}, result[FSR_MAX_STATE + 1];
    const fsr_node arg[] = {beside(f, fsr_where_at(at, broken, begin, behind)),
                            f->flat ? fsr_convert(at, fsr_whole(at, begin, 0), dtype, false)
                                    : fsr_arange_at(at, begin.graph, dtype, columns)};
    for (int i = 0; i < arity; i++)
        state[1 + i] = f->identity[i];
    const fsr_loop loop = {take_next, is_inside, (void *)(uintptr_t)f, 1 + arity, 2};
    fsr_iterate_at(at, sizeof loop, result, &loop, state, arg, (int64_t)1 << part);
    for (int i = 0; i < arity; i++)
        out[i] = f->flat && fsr_node_sound(result[1 + i])
                     ? fsr_reshape_at(at, result[1 + i], 2, (int64_t[]){blocks, (int64_t)1 << more})
                     : result[1 + i];
    if (f->flat)
        fsr_reduce_with_at(at, sizeof *f->op, out, out, f->op, (int[]){1}, 1, 0);
}

/* The same by lanes. */
static void lanes_over_blocks(const folding *f, int64_t blocks, fsr_node *out) {
    const fsr_site at = f->s->at;
    const fsr_lanes lanes = lanes_for(f, BLOCK_LANES, false);
    const fsr_node number = fsr_arange_at(at, f->low.graph, fsr_node_dtype(f->low), blocks);
    const fsr_node begin = fsr_left_shift_at(at, number, fsr_whole(at, number, f->shift));
    const fsr_node behind = fsr_add_at(at, begin, fsr_whole(at, begin, (int64_t)1 << f->shift));
    const fsr_node broken = fsr_not_equal_at(at, f->broken, fsr_whole(at, f->broken, 0));
    const fsr_node end = fsr_where_at(at, broken, begin, behind);
    fsr_lanes_fold(&lanes, begin, &end, (int64_t)1 << f->shift, out);
}

/* The blocks' folds, scanned from each segment's first whole block on: [blocks] or [blocks, rest]. False: *poison. */
static bool scan_blocks(const folding *f, fsr_node first, int64_t blocks, fsr_node *out, fsr_node *poison) {
    const fsr_site at = f->s->at;
    const int arity = f->op->arity;
    fsr_node folded[FSR_MAX_TUPLE], state[FSR_MAX_TUPLE];
    if (f->brief)
        (f->lanes ? lanes_over_blocks : loop_over_parts)(f, blocks, folded);
    for (int i = 0; i < arity && !f->brief; i++) {
        const int64_t shape[] = {blocks, (int64_t)1 << f->shift, f->flat ? 1 : fsr_node_dim(f->in[i], 1)};
        fsr_node part = fsr_slice_at(at, f->in[i], 0, 0, blocks << f->shift, 1);
        folded[i] = fsr_node_sound(part) ? fsr_reshape_at(at, part, f->flat ? 2 : 3, shape) : part;
    }
    if (!f->brief)
        fsr_reduce_with_at(at, sizeof *f->op, folded, folded, f->op, (int[]){1}, 1, 0);
    if (!is_there(f, folded, poison))
        return false;
    for (int i = 0; i < arity; i++) {
        const fsr_dtype dtype = fsr_node_dtype(folded[i]);
        state[1 + i] = f->wide && dtype == FSR_F32 ? fsr_convert(at, folded[i], FSR_F64, false) : folded[i];
    }
    const fsr_rec *rec = fsr_node_sound(state[1]);
    const fsr_dtype mark = fsr_segment_mark(state + 1, arity);
    state[0] = f->brief ? fsr_convert(at, f->begins, mark, false) : marks(at, first, blocks, mark);
    if (rec && fsr_node_sound(state[0]))
        state[0] = fsr_stretch(at, beside(f, state[0]), &rec->shape);
    const fsr_restarting from = {at, f->op};
    const fsr_operator restarting = fsr_segment_restarting(&from);
    fsr_scan_with_at(at, sizeof restarting, state, state, &restarting, (int[]){0}, 1, 0);
    memcpy(out, state + 1, sizeof *out * (size_t)arity);
    return is_there(f, out, poison);
}

/* Where the whole blocks of each segment lie, and their fold. False: *poison. */
static bool take_middle(folding *f, fsr_node *poison) {
    const fsr_site at = f->s->at;
    const int64_t blocks = f->s->n >> f->shift;
    const fsr_node shift = fsr_whole(at, f->in[0], f->shift);
    const fsr_node one = fsr_whole(at, f->s->low, 1);
    fsr_node first = fsr_add_at(at, fsr_right_shift_at(at, fsr_sub_at(at, f->s->low, one), shift), one);
    fsr_node last = fsr_right_shift_at(at, f->s->high, shift), has = fsr_less_at(at, first, last);
    fsr_node scanned[FSR_MAX_TUPLE];
    fsr_node place = fsr_where_at(at, has, first, fsr_count(has.graph, at, FSR_I64, (double)blocks));
    if (f->brief)
        mark_blocks(f, blocks);
    if (!scan_blocks(f, place, blocks, scanned, poison))
        return false;
    for (int i = 0; i < f->op->arity; i++) {
        const fsr_dtype dtype = fsr_node_dtype(f->in[i]);
        const fsr_node rounded = fsr_node_sound(scanned[i]) ? fsr_convert(at, scanned[i], dtype, false) : scanned[i];
        const fsr_node end = fsr_take_at(at, rounded, fsr_sub_at(at, last, fsr_whole(at, last, 1)), 0, FSR_INDEX_CLIP);
        f->middle[i] = fsr_where_at(at, beside(f, has), end, f->identity[i]);
    }
    f->from = fsr_where_at(at, has, fsr_left_shift_at(at, first, shift), f->s->high);
    f->to = fsr_where_at(at, has, fsr_left_shift_at(at, last, shift), f->s->high);
    return true;
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

static void loop_over(const folding *f, fsr_node *out, int64_t turns) {
    const fsr_site at = f->s->at;
    const int arity = f->op->arity;
    fsr_node state[FSR_MAX_STATE] = {beside(f, f->low)}, result[FSR_MAX_STATE + 1];
    fsr_node arg[MIDDLE + FSR_MAX_TUPLE] = {beside(f, f->high), beside(f, f->from), beside(f, f->to)};
    const fsr_dtype dtype = fsr_node_dtype(f->low);
    const int64_t columns = f->flat ? 1 : fsr_node_dim(f->in[0], 1);
    arg[COLUMN] = f->flat ? fsr_convert(at, fsr_whole(at, f->low, 0), dtype, false)
                          : fsr_arange_at(at, f->low.graph, dtype, columns);
    /* A gap that the segment begins with is behind it. */
    const fsr_node begins = fsr_equal_at(at, f->low, f->from);
    state[0] = beside(f, fsr_where_at(at, begins, f->to, f->low));
    for (int i = 0; i < arity; i++) {
        arg[MIDDLE + i] = f->middle[i];
        state[1 + i] =
            f->op->commutative ? f->middle[i] : fsr_where_at(at, beside(f, begins), f->middle[i], f->identity[i]);
    }
    const fsr_loop loop = {take_one, is_inside, (void *)(uintptr_t)f, 1 + arity,
                           f->op->commutative ? MIDDLE : MIDDLE + arity};
    fsr_iterate_at(at, sizeof loop, result, &loop, state, arg, turns);
    memcpy(out, result + 1, sizeof *out * (size_t)arity);
}

/* The same by lanes, beside what the blocks have. */
static void lanes_over(const folding *f, fsr_node *out, int64_t most) {
    const fsr_site at = f->s->at;
    const fsr_lanes lanes = lanes_for(f, f->lanes, true);
    const fsr_node skipped = fsr_sub_at(at, f->to, f->from);
    const fsr_node arg[] = {fsr_sub_at(at, f->high, skipped), f->from, skipped};
    fsr_node rest[FSR_MAX_TUPLE] = {{0}};
    fsr_lanes_fold(&lanes, f->low, arg, most, rest);
    f->op->body(out, f->middle, rest, f->op->user);
}

/* Of no elements the identity. */
static void finish(const folding *f, fsr_node *out, const fsr_shape *shape, bool none) {
    for (int i = 0; i < f->op->arity; i++) {
        if (none)
            out[i] = fsr_stretch(f->s->at, fsr_strong(f->s->at, f->identity[i]), shape);
        else if (fsr_node_sound(out[i]) && shape->ndim > 2)
            out[i] = fsr_reshape_at(f->s->at, out[i], shape->ndim, shape->dim);
    }
}

static void fill(fsr_node *out, int n, fsr_node poison) {
    for (int i = 0; i < n; i++)
        out[i] = poison;
}

void fsr_segment_fold(const fsr_segments *s, fsr_node *out, const fsr_node *in, const fsr_operator *op,
                      unsigned flags) {
    for (int i = 0; i < op->arity; i++)
        if (!fsr_node_sound(in[i])) {
            fill(out, op->arity, in[i]);
            return;
        }
    fsr_segments places = *s;
    folding f = {.s = &places, .op = op, .wide = flags & FSR_FOLD_WIDE};
    fsr_shape shape = fsr_node_rec(in[0])->shape;
    fsr_element_use use = {0};
    shape.dim[0] = s->count;
    f.fits = true;
    f.flat = shape.ndim == 1;
    for (int i = 0; i < op->arity; i++) {
        f.in[i] = as_rows(s->at, in[i]);
        f.identity[i] = f.middle[i] = identity_of(&f, i, fsr_node_dtype(in[i]));
        f.fits = fsr_element_fits(f.in[i], &use) && f.fits;
    }
    choose_lanes(&f, use.takes && f.fits, flags);
    if (f.lanes)
        fsr_lanes_store(s->offsets);
    f.shift = f.lanes ? LANE_SHIFT + __builtin_ctz((unsigned)f.lanes) : shift_of(s);
    /* Lanes pass the last place by less than a turn. */
    if (use.far || (f.lanes && s->n > INT32_MAX - BLOCK_LANES * LANE_TURN)) {
        places.low = fsr_convert(s->at, s->low, FSR_I64, false);
        places.high = fsr_convert(s->at, s->high, FSR_I64, false);
    }
    f.low = places.low;
    f.high = f.from = f.to = places.high;
    f.brief = f.fits && s->count && s->n / s->count < (int64_t)2 << f.shift;
    const bool none = fsr_shape_size(&shape) == 0 || s->n == 0;
    const int64_t two = (int64_t)2 << f.shift;
    fsr_node poison;
    if (!none && s->n >= two && !take_middle(&f, &poison)) {
        fill(out, op->arity, poison);
        return;
    }
    if (!none)
        (f.lanes ? lanes_over : loop_over)(&f, out, s->n < two ? s->n : two - 2);
    finish(&f, out, &shape, none);
}

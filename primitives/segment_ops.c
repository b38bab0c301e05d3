/* SPDX-License-Identifier: MIT */
/* What is asked of segments: sums, products, extremes and where they are, first and last elements, running folds, a
 * caller's operator; and the segments that runs of equal keys are.
 *
 * Running folds are scans of all elements by an operator that begins again at marks (segment.c): each element has a
 * result, so there is nothing to spare. An exclusive one is the inclusive one of the element before. */
#include "graph/sized.h"
#include "graph/sparse.h"
#include "primitives/segment.h"
#include <string.h>

/* ---- built-in operators ------------------------------------------------------------------------------------ */

typedef struct known {
    const char *what;
    fsr_op op;
    enum { SUMS, SAME } result;
} known;

typedef struct apply {
    fsr_site at;
    fsr_op op;
} apply;

static void applied(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    const apply *a = user;
    out[0] = fsr_map(a->at, a->op, (fsr_node[]){left[0], right[0]}, 2);
}

/* Sums of fewer elements are one short kernel, in which more fuses; those of fewer than MANY are not worth the lanes
 * of a backend without the call, which are GPUs. */
enum { LEAST_ELEMENTS = 1 << 6, MANY_ELEMENTS = 1 << 18 };

static bool has_call(const fsr_segments *s, const known *k, fsr_node x) {
    return k->op == FSR_OP_ADD && fsr_dtype_is_inexact(fsr_node_dtype(x)) && fsr_node_ndim(x) == 1 &&
           s->n >= LEAST_ELEMENTS && s->count > 0;
}

/* Sums of floats of many elements, as a library call beside what says the same, plain: a backend that has the call adds
 * each segment up where it lies. */
static fsr_node summed(const fsr_segments *s, const known *k, fsr_node x, fsr_node plain) {
    const fsr_node arg[] = {s->offsets, x, plain};
    const fsr_rec *sound = fsr_node_sound(plain);
    fsr_node handle;
    if (!sound || !has_call(s, k, x))
        return plain;
    const fsr_type type = {sound->shape, 1, {fsr_node_dtype(plain)}};
    fsr_rec *rec = fsr_graph_add(x.graph, s->at, k->what, FSR_NODE_LIBRARY, &type, &handle);
    if (!rec)
        return handle;
    rec->library = FSR_LIBRARY_SEGMENTS;
    rec->nargs = FSR_SEGMENTS_PLAIN + 1;
    for (int i = 0; i < rec->nargs; i++)
        rec->arg[i] = (fsr_ref){arg[i].id, arg[i].output};
    return handle;
}

static fsr_node folded(fsr_site at, const known *k, fsr_node x, fsr_node offsets) {
    fsr_node poison, out = {0};
    fsr_segments s;
    if (!fsr_segments_take(at, k->what, &x, 1, offsets, &s, &poison))
        return poison;
    const fsr_dtype from = fsr_node_dtype(x), dtype = k->result == SUMS ? fsr_sum_dtype(from) : from;
    const fsr_dtype state = k->result == SUMS ? fsr_state_dtype(dtype) : dtype;
    if (!fsr_op_defined(k->op, state))
        return fsr_poison(x.graph, at, FSR_ERR_DTYPE, k->what, "not defined for %s", fsr_say(x).text);
    x = fsr_convert(at, x, state, false);
    if (!fsr_node_sound(x))
        return x;
    apply a = {at, k->op};
    const fsr_value identity = fsr_op_identity(k->op, state);
    const fsr_operator op = {applied, &a, 1, {0}, true, {&identity}};
    const bool lanes = has_call(&s, k, x) && s.n >= MANY_ELEMENTS;
    fsr_segment_fold(&s, &out, &x, &op, (k->op == FSR_OP_ADD ? FSR_FOLD_WIDE : 0) | (lanes ? FSR_FOLD_LANES : 0));
    out = summed(&s, k, x, out);
    return fsr_node_sound(out) ? fsr_segments_result(&s, fsr_convert(at, out, dtype, false)) : out;
}

fsr_node fsr_segment_sum_at(fsr_site at, fsr_node x, fsr_node offsets) {
    return folded(at, &(known){"segment_sum", FSR_OP_ADD, SUMS}, x, offsets);
}
fsr_node fsr_segment_prod_at(fsr_site at, fsr_node x, fsr_node offsets) {
    return folded(at, &(known){"segment_prod", FSR_OP_MUL, SUMS}, x, offsets);
}
fsr_node fsr_segment_min_at(fsr_site at, fsr_node x, fsr_node offsets) {
    return folded(at, &(known){"segment_min", FSR_OP_MINIMUM, SAME}, x, offsets);
}
fsr_node fsr_segment_max_at(fsr_site at, fsr_node x, fsr_node offsets) {
    return folded(at, &(known){"segment_max", FSR_OP_MAXIMUM, SAME}, x, offsets);
}

/* ---- places ------------------------------------------------------------------------------------------------ */

static fsr_node place_of(fsr_site at, const char *what, fsr_op extreme, fsr_node x, fsr_node offsets) {
    fsr_node poison, in[2], out[2];
    fsr_segments s;
    fsr_best best = {at, extreme, false};
    if (!fsr_segments_take(at, what, &x, 1, offsets, &s, &poison) || !fsr_order_take(x, at, what, &poison))
        return poison;
    in[0] = x;
    in[1] = fsr_iota(x.graph, at, FSR_I64, &fsr_node_rec(x)->shape, 0);
    const fsr_operator op = fsr_best_operator(&best, fsr_node_dtype(x));
    fsr_segment_fold(&s, out, in, &op, 0);
    if (!fsr_node_sound(out[1]))
        return out[1];
    const fsr_node none = fsr_literal(x.graph, at, FSR_I64, (fsr_value){.i64 = INT64_MAX}, false);
    return fsr_segments_result(&s,
                               fsr_where_at(at, fsr_equal_at(at, out[1], none), fsr_int_at(at, x.graph, -1), out[1]));
}

fsr_node fsr_segment_argmin_at(fsr_site at, fsr_node x, fsr_node offsets) {
    return place_of(at, "segment_argmin", FSR_OP_MINIMUM, x, offsets);
}
fsr_node fsr_segment_argmax_at(fsr_site at, fsr_node x, fsr_node offsets) {
    return place_of(at, "segment_argmax", FSR_OP_MAXIMUM, x, offsets);
}

/* The first element of each segment or its last one; 0 where there is none. */
static fsr_node end_of(fsr_site at, const char *what, fsr_node x, fsr_node offsets, bool last) {
    fsr_node poison;
    fsr_segments s;
    if (!fsr_segments_take(at, what, &x, 1, offsets, &s, &poison))
        return poison;
    fsr_shape shape = fsr_node_rec(x)->shape;
    shape.dim[0] = s.count;
    const fsr_dtype dtype = fsr_node_dtype(x);
    const fsr_node zero = fsr_literal(x.graph, at, dtype, fsr_value_from_int(dtype, 0), false);
    if (s.n == 0 || fsr_shape_size(&shape) == 0)
        return fsr_segments_result(&s, fsr_stretch(at, zero, &shape));
    fsr_node place = last ? fsr_sub_at(at, s.high, fsr_int_at(at, x.graph, 1)) : s.low;
    fsr_node some = fsr_less_at(at, s.low, s.high), taken = fsr_take_at(at, x, place, 0, FSR_INDEX_CLIP);
    for (int j = 1; j < shape.ndim && fsr_node_sound(some); j++)
        some = fsr_expand_at(at, some, j);
    return fsr_segments_result(&s, fsr_where_at(at, some, taken, zero));
}

fsr_node fsr_segment_first_at(fsr_site at, fsr_node x, fsr_node offsets) {
    return end_of(at, "segment_first", x, offsets, false);
}
fsr_node fsr_segment_last_at(fsr_site at, fsr_node x, fsr_node offsets) {
    return end_of(at, "segment_last", x, offsets, true);
}

/* ---- running folds ----------------------------------------------------------------------------------------- */

/* Each element that of its neighbour, before it or with `reverse` behind it; at marks the identity. */
static fsr_node neighbours(fsr_site at, fsr_node x, fsr_node mark, fsr_value identity, bool reverse) {
    const int64_t n = fsr_node_dim(x, 0);
    const fsr_node none = fsr_literal(x.graph, at, fsr_node_dtype(x), identity, false);
    fsr_node moved = fsr_roll_at(at, x, (int64_t[]){reverse ? -1 : 1}, (int[]){0}, 1);
    fsr_node place = fsr_iota(x.graph, at, FSR_I64, &fsr_node_rec(x)->shape, 0);
    fsr_node begins = fsr_equal_at(at, place, fsr_count(x.graph, at, FSR_I64, reverse ? (double)(n - 1) : 0));
    begins = fsr_logical_or_at(at, begins, fsr_not_equal_at(at, mark, fsr_int_at(at, x.graph, 0)));
    return fsr_where_at(at, begins, none, moved);
}

static void scanned(const fsr_segments *s, fsr_node *out, const fsr_node *in, const fsr_operator *op, int flags) {
    const fsr_site at = s->at;
    const bool reverse = flags & FSR_REVERSE;
    fsr_node state[FSR_MAX_TUPLE];
    const fsr_shape shape = fsr_node_rec(in[0])->shape;
    fsr_node mark = fsr_segment_marks(s, fsr_segment_mark(in, op->arity), reverse);
    for (int j = 1; j < shape.ndim && fsr_node_sound(mark); j++)
        mark = fsr_expand_at(at, mark, j);
    state[0] = fsr_node_sound(mark) ? fsr_stretch(at, mark, &shape) : mark;
    memcpy(state + 1, in, sizeof *in * (size_t)op->arity);
    const fsr_restarting from = {at, op};
    const fsr_operator restarting = fsr_segment_restarting(&from);
    if (!fsr_node_sound(state[0])) {
        for (int i = 0; i < op->arity; i++)
            out[i] = state[0];
        return;
    }
    mark = state[0];
    fsr_scan_with_at(at, sizeof restarting, state, state, &restarting, (int[]){0}, 1, flags & FSR_REVERSE);
    for (int i = 0; i < op->arity; i++) {
        out[i] = state[1 + i];
        const fsr_dtype dtype = fsr_node_dtype(out[i]);
        if ((flags & FSR_EXCLUSIVE) && fsr_node_sound(out[i]) && fsr_node_sound(mark))
            out[i] = neighbours(at, out[i], mark,
                                op->exact[i] ? fsr_value_load(dtype, op->exact[i], 0)
                                             : fsr_value_from_double(dtype, op->identity[i]),
                                reverse);
        out[i] = fsr_segments_length(s, out[i]);
    }
}

fsr_node fsr_segment_cumsum_at(fsr_site at, fsr_node x, fsr_node offsets, int flags) {
    static const char what[] = "segment_cumsum";
    fsr_node poison, out = {0};
    fsr_segments s;
    if (!fsr_segments_take(at, what, &x, 1, offsets, &s, &poison) ||
        !fsr_flags_take(x, at, what, flags, FSR_EXCLUSIVE | FSR_REVERSE, &poison))
        return poison;
    const fsr_dtype dtype = fsr_sum_dtype(fsr_node_dtype(x));
    x = fsr_convert(at, x, fsr_state_dtype(dtype), false);
    if (!fsr_node_sound(x) || fsr_node_size(x) == 0)
        return fsr_node_sound(x) ? fsr_segments_length(&s, fsr_convert(at, x, dtype, false)) : x;
    apply a = {at, FSR_OP_ADD};
    const fsr_operator op = {applied, &a, 1, {0}, false, {NULL}};
    scanned(&s, &out, &x, &op, flags);
    return fsr_node_sound(out) ? fsr_convert(at, out, dtype, false) : out;
}

/* ---- a caller's operator ----------------------------------------------------------------------------------- */

/* The operator, as ours in *own, and its operands, in in[]. False: out[0] alone has the poison where there is no
 * telling how many results there are, else all of them. */
static bool caller_take(fsr_site at, const char *what, size_t size, fsr_node *out, const fsr_node *from,
                        const fsr_operator *theirs, fsr_node offsets, fsr_operator *own, fsr_node *in,
                        fsr_segments *s) {
    const fsr_node like = from && from[0].graph ? from[0] : offsets;
    const fsr_status status = theirs ? fsr_sized_in(own, sizeof *own, theirs, size) : FSR_ERR_NULL;
    fsr_node poison;
    if (status || !from || !own->body) {
        out[0] = fsr_poison(like.graph, at, status ? status : FSR_ERR_NULL, what, "the operator %s",
                            status && theirs ? fsr_sized_words(status) : "or its operands are null");
        return false;
    }
    if (own->arity < 1 || own->arity >= FSR_MAX_TUPLE) {
        out[0] = fsr_poison(like.graph, at, FSR_ERR_UNSUPPORTED, what, "the operator's arity %d is not 1 to %d",
                            own->arity, FSR_MAX_TUPLE - 1);
        return false;
    }
    memcpy(in, from, sizeof *in * (size_t)own->arity);
    if (fsr_segments_take(at, what, in, own->arity, offsets, s, &poison))
        return true;
    for (int i = 0; i < own->arity; i++)
        out[i] = poison;
    return false;
}

void fsr_segment_reduce_with_at(fsr_site at, size_t size, fsr_node *out, const fsr_node *from,
                                const fsr_operator *theirs, fsr_node offsets) {
    fsr_operator op = {.body = NULL};
    fsr_node in[FSR_MAX_TUPLE];
    fsr_segments s;
    if (!out || !caller_take(at, "segment_reduce_with", size, out, from, theirs, offsets, &op, in, &s))
        return;
    fsr_segment_fold(&s, out, in, &op, 0);
    for (int i = 0; i < op.arity; i++)
        out[i] = fsr_segments_result(&s, out[i]);
}

void fsr_segment_scan_with_at(fsr_site at, size_t size, fsr_node *out, const fsr_node *from, const fsr_operator *theirs,
                              fsr_node offsets, int flags) {
    static const char what[] = "segment_scan_with";
    fsr_operator op = {.body = NULL};
    fsr_node in[FSR_MAX_TUPLE], poison;
    fsr_segments s;
    if (!out || !caller_take(at, what, size, out, from, theirs, offsets, &op, in, &s))
        return;
    const bool good = fsr_flags_take(in[0], at, what, flags, FSR_EXCLUSIVE | FSR_REVERSE, &poison);
    if (good && fsr_node_size(in[0]) != 0)
        scanned(&s, out, in, &op, flags);
    else
        for (int i = 0; i < op.arity; i++)
            out[i] = good ? fsr_segments_length(&s, in[i]) : poison;
}

/* ---- runs -------------------------------------------------------------------------------------------------- */

void fsr_runs_at(fsr_site at, fsr_node *out, fsr_node keys) {
    static const char what[] = "runs";
    fsr_node poison, offsets = {0}, count = {0};
    fsr_graph *graph;
    if (!out)
        return;
    if (fsr_poison_of(at, what, &keys, 1, &graph, &poison)) {
        out[0] = out[1] = poison;
        return;
    }
    const fsr_node k = fsr_strong(at, keys);
    const fsr_rec *rec = fsr_node_sound(k);
    const int64_t n = rec && rec->shape.ndim == 1 ? rec->shape.dim[0] : -1;
    if (n < 0) {
        out[0] = out[1] =
            rec ? fsr_poison(graph, at, FSR_ERR_SHAPE, what, "%s is not one-dimensional", fsr_say(k).text) : k;
        return;
    }
    const fsr_node end = fsr_full_at(at, graph, FSR_I64, 1, (int64_t[]){1}, (double)n);
    if (n > 0) {
        const fsr_node first = fsr_full_at(at, graph, FSR_BOOL, 1, (int64_t[]){1}, 1);
        const fsr_node other =
            fsr_not_equal_at(at, fsr_slice_at(at, k, 0, 1, n, 1), fsr_slice_at(at, k, 0, 0, n - 1, 1));
        const fsr_node begins = fsr_concat_at(at, (fsr_node[]){first, other}, 2, 0);
        offsets = fsr_filter_at(at, fsr_arange_at(at, graph, FSR_I64, n), begins, fsr_int_at(at, graph, n));
        count = fsr_count_nonzero_at(at, begins, NULL, 0, 0);
    }
    out[0] = n > 0 ? fsr_concat_at(at, (fsr_node[]){offsets, end}, 2, 0) : end;
    out[1] = n > 0 ? count : fsr_strong(at, fsr_full_at(at, graph, FSR_I64, 0, NULL, 0));
}

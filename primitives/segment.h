/* SPDX-License-Identifier: MIT */
/* Segments of neighbours, as their builders have them among themselves. */
#ifndef FUSOR_PRIMITIVES_SEGMENT_H
#define FUSOR_PRIMITIVES_SEGMENT_H

#include "primitives/live.h"

/* `count` segments of an axis of n elements. */
typedef struct fsr_segments {
    fsr_site at;
    const char *what; /* the operation, for messages */
    int64_t n, count;
    fsr_node offsets;   /* [count + 1], i32 or i64, inside of the axis; so the others */
    fsr_node low, high; /* [count], where each begins and ends, in this order */
    fsr_length length;  /* that of the arrays, which lose it; of origin 0: they have none */
    fsr_length results; /* that of what there is for each segment: one less than the offsets have; the same */
} fsr_segments;

/* Segments of the first axis of nx arrays of one shape, which become strong. Where they have a length no segment passes
 * it. False: *poison. */
bool fsr_segments_take(fsr_site at, const char *what, fsr_node *x, int nx, fsr_node offsets, fsr_segments *out,
                       fsr_node *poison);
/* x, with a result for each element of the axis, as long as the arrays. */
fsr_node fsr_segments_length(const fsr_segments *s, fsr_node x);
/* x, with a result for each segment, as many as there are. */
fsr_node fsr_segments_result(const fsr_segments *s, fsr_node x);
/* For each element of the first axis 1 where a segment begins, or, with `ends`, ends, else 0; of what is outside of all
 * segments the part before the first one ends, and that behind the last one begins. */
fsr_node fsr_segment_marks(const fsr_segments *s, fsr_dtype dtype, bool ends);
/* An integer as wide as the widest of n states, of at most 8 bytes: marks beside states. */
fsr_dtype fsr_segment_mark(const fsr_node *state, int n);
/* The operator on states with a mark in front, which begins again where there is one. It needs `from` as long as it
 * lives. */
typedef struct fsr_restarting {
    fsr_site at;
    const fsr_operator *op;
} fsr_restarting;
fsr_operator fsr_segment_restarting(const fsr_restarting *from);

/* How a segment's elements are folded. */
typedef enum fsr_segment_fold_flags {
    FSR_FOLD_WIDE = 1, /* floats of 32 bits may be folded as f64 where many meet */
    FSR_FOLD_LANES = 2 /* of one axis, where operands commute: by lanes, for a GPU's threads */
} fsr_segment_fold_flags;
/* Each segment's elements, of op->arity arrays of one shape, folded: out[i] of shape [count, ...]. */
void fsr_segment_fold(const fsr_segments *s, fsr_node *out, const fsr_node *in, const fsr_operator *op, unsigned flags);

/* Folds of rows by lanes (segment_lanes.c). */
typedef struct fsr_lanes {
    fsr_site at;
    const fsr_operator *op; /* commutative */
    const fsr_node *in;     /* op->arity vectors */
    const fsr_node *identity;
    bool fits;  /* fsr_element_fits of `in` */
    bool skips; /* rows have a gap */
    int lanes;  /* of each row */
    int turn;   /* elements that a lane takes in a turn */
} fsr_lanes;
/* Those of rows that begin at `begin`, of at most so many elements. arg: where each ends, as if it had no gap, and with
 * `skips` where the gap begins and how long it is. */
void fsr_lanes_fold(const fsr_lanes *l, fsr_node begin, const fsr_node *arg, int64_t most, fsr_node *out);
/* Offsets that are more than a few operations are stored, as each lane computes those of its segment. */
void fsr_lanes_store(fsr_node offsets);

#endif

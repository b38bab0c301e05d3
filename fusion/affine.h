/* SPDX-License-Identifier: MIT */
/* Affine index maps: which element of a node a point of a kernel's domain needs.
 *
 * An fsr_affine is (offset + sum of coef[d] * index(d) + sum of factor[t] * value t) / over, over the domain's
 * dimensions and over computed values, which a lowering numbers (its instructions). The division is there
 * behind the guard of a stepped section only, and exact wherever the guard holds. An fsr_index gives one for each
 * dimension of a node, or, where a reshape left no such form, a single one for the flat C-order index (`flat`).
 * Leaves are contiguous, so both forms end in one affine address.
 *
 * Counter-example to walking shapes by hand in every rewrite: flip(x.T)[::2] + x broadcast is one composition here. */
#ifndef FUSOR_FUSION_AFFINE_H
#define FUSOR_FUSION_AFFINE_H

#include "graph/graph.h"

typedef struct fsr_affine {
    int64_t offset;
    int64_t coef[FSR_MAX_DIMS];
    int64_t over; /* > 1, with no factor common to all of the others; 0: no division */
    int16_t nterms;
    int16_t value[FSR_MAX_DIMS]; /* no two equal; those beyond nterms, and their factors, are 0 */
    int64_t factor[FSR_MAX_DIMS];
} fsr_affine;

typedef struct fsr_index {
    bool flat;
    int n; /* rows: dimensions of the node, 1 if flat */
    fsr_affine row[FSR_MAX_DIMS];
} fsr_index;

/* A kernel's domain: parallel dimensions first. Dimensions of extent 1 are left out, but the last folded one if all of
 * them are 1. axis[d]: position of dimension d in the full shape the domain was made from (orders dimensions as the
 * user wrote them).
 * A domain may be finer than the shape: where x[4, n] is seen as one dimension of 4n, the domain has two
 * (fsr_domain_divide).
 * mirrored: column c is the element at extent - 1 - c of the folded dimension, the only one: a scan from the end. That
 * is all there is to it: loads and stores get a negative stride, and what reads a mirrored scan is evaluated mirrored
 * too.
 * A domain may be a part of the shape's (fsr_domain_cut): index i of dimension d is then place start + i * step of
 * `whole`; whole 0: all of it. */
typedef struct fsr_domain {
    int ndim, nparallel;
    bool mirrored;
    int64_t extent[FSR_MAX_DIMS];
    int axis[FSR_MAX_DIMS];
    int64_t whole[FSR_MAX_DIMS], start[FSR_MAX_DIMS], step[FSR_MAX_DIMS];
} fsr_domain;

/* The domain of an elementwise kernel over shape, or (folded != 0) of a fold over the axes in that bit set. */
void fsr_domain_make(fsr_domain *out, const fsr_shape *shape, uint32_t folded);
/* A parallel dimension of one in front, if there is none: what goes down columns goes down one. */
void fsr_domain_stand(fsr_domain *d);
bool fsr_domain_equal(const fsr_domain *a, const fsr_domain *b);
/* How many points the first n dimensions have. */
static inline double fsr_domain_points(const fsr_domain *domain, int n) {
    double points = 1;
    for (int d = 0; d < n; ++d)
        points *= (double)domain->extent[d];
    return points;
}
/* Dimension `dim` becomes two, the inner one of extent `inner`. False: it does not divide, or there are too many. */
bool fsr_domain_divide(fsr_domain *d, int dim, int64_t inner);
/* Divides dimensions so that the extents are those of `like`, if they can be, and cuts them as those are cut. */
bool fsr_domain_divide_like(fsr_domain *d, const fsr_domain *like);
/* Of parallel dimension `dim` the places start, start + step ... are left, so many of them. */
void fsr_domain_cut(fsr_domain *d, int dim, int64_t start, int64_t step, int64_t count);
bool fsr_domain_is_part(const fsr_domain *d);
int64_t fsr_domain_rows(const fsr_domain *d);
int64_t fsr_domain_cols(const fsr_domain *d);

/* As a row of the domain: its parallel dimensions in order; as an element: all dimensions in the order of axis[]. */
bool fsr_index_row(fsr_index *out, const fsr_shape *shape, const fsr_domain *d);
bool fsr_index_elem(fsr_index *out, const fsr_shape *shape, const fsr_domain *d);

/* The index of a view's source, given the view's own. False if it cannot be expressed (a stepped or broadcasting view
 * under a flat index that does not split along dimensions). */
bool fsr_index_view(fsr_index *out, const fsr_index *in, const fsr_view *view, const fsr_shape *shape,
                    const fsr_shape *source, const fsr_domain *d);
/* A flat index as one for each dimension of shape, where no carry can occur. False otherwise. */
bool fsr_index_split(fsr_index *out, const fsr_index *in, const fsr_shape *shape, const fsr_domain *d);
/* A dimension of the domain to divide, and how, so that the flat index may split then. False: none. */
bool fsr_index_division(const fsr_index *in, const fsr_shape *shape, const fsr_domain *d, int *dim, int64_t *inner);
/* (index - start) / step along a dimension of a section: where in the section a point lies. */
void fsr_affine_into(fsr_affine *out, const fsr_affine *in, int64_t start, int64_t step);
/* The address in a contiguous array of that shape. */
void fsr_index_address(fsr_affine *out, const fsr_index *in, const fsr_shape *shape);
bool fsr_affine_equal(const fsr_affine *a, const fsr_affine *b);
/* The least and the greatest that the form is over the domain, without its computed values. */
void fsr_affine_ends(const fsr_affine *at, const fsr_domain *domain, int64_t *low, int64_t *high);
/* Adds factor times a computed value. */
void fsr_affine_add_symbol(fsr_affine *to, int value, int64_t factor);
/* The index of a source that an affine view shows at an index that is not flat. */
void fsr_index_map(fsr_index *out, const fsr_index *in, const fsr_view *view, const fsr_shape *source);
/* How many values the index has; at most FSR_MAX_DIMS may meet in one address. */
int fsr_index_terms(const fsr_index *index);
/* The largest number that divides both; 0 divides by nothing. */
int64_t fsr_common_divisor(int64_t a, int64_t b);
/* *to = *from, the rows that there are: an index is mostly of one or two. */
static inline void fsr_index_copy(fsr_index *to, const fsr_index *from) {
    to->flat = from->flat;
    to->n = from->n;
    for (int d = 0; d < from->n; ++d)
        to->row[d] = from->row[d];
}
bool fsr_index_equal(const fsr_index *a, const fsr_index *b);

#endif

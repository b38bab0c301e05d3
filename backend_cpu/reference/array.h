/* SPDX-License-Identifier: MIT */
/* Arrays of elements, strided views of them, and walks over index spaces. */
#ifndef FUSOR_BACKEND_CPU_REFERENCE_ARRAY_H
#define FUSOR_BACKEND_CPU_REFERENCE_ARRAY_H

#include "backend_cpu/reference/ball.h"
#include "graph/graph.h"

/* value: the plain value, what a backend that rounds every operation correctly has there; it is what is read. ball: how
 * far other correct backends may be, or that nobody knows; it is what is compared with. Neither follows from the other:
 * log(inf + 0 j) is inf + 0 j although no bound is known for it. */
typedef struct fsr_ref_element {
    fsr_ball ball;
    fsr_value value;
} fsr_ref_element;

struct fsr_ref_factors;

/* Storage, counted. Integers and plain floats are stored as they are; the centres of wide floats as double (f32) or
 * long double (f64). Radii and plain values are there only once a radius is not 0 (-0.0 is not), or a plain value is
 * not the centre. Products for a sum are not stored at all (times.h). */
typedef struct fsr_ref_data {
    int refs;
    fsr_dtype dtype;
    bool wide;
    int64_t size;
    void *center;
    double *radius;                  /* NULL: all 0 */
    char *value;                     /* of dtype; NULL: the centres */
    struct fsr_ref_factors *factors; /* not NULL: the elements are their products, and nothing is set */
} fsr_ref_data;

/* An element that is known: value, of dtype. */
fsr_ref_element fsr_ref_known(fsr_dtype dtype, fsr_value value);
/* The value is the ball's centre, and nothing else can be. */
static inline bool fsr_ref_is_known(const fsr_ball *x) {
    return x->radius == 0 && !signbit(x->radius);
}

/* NULL: out of memory. wide is ignored for integers. Elements are zeros. */
fsr_ref_data *fsr_ref_data_new(fsr_dtype dtype, int64_t size, bool wide);
fsr_ref_data *fsr_ref_data_ref(fsr_ref_data *d);
void fsr_ref_data_unref(fsr_ref_data *d); /* NULL is allowed */
fsr_ref_element fsr_ref_data_get(const fsr_ref_data *d, int64_t at);
/* The same into two places. */
void fsr_ref_data_read(const fsr_ref_data *d, int64_t at, fsr_ball *ball, fsr_value *value);
/* False: out of memory (for radii and plain values). */
bool fsr_ref_data_set(fsr_ref_data *d, int64_t at, const fsr_ref_element *x);
/* Element `at` becomes what an array of the same dtype has at `where`: what is known everywhere is copied as it is
 * stored, in a fifth of the time. False: out of memory. */
bool fsr_ref_data_copy(fsr_ref_data *to, int64_t at, const fsr_ref_data *from, int64_t where);

/* A view: element idx is data[offset + sum of stride[d] * idx[d]]. The holder owns a reference to data. */
typedef struct fsr_ref_view {
    fsr_ref_data *data;
    int64_t offset;
    int64_t stride[FSR_MAX_DIMS];
} fsr_ref_view;

/* d, newly made, in C order of the shape. Takes over the caller's reference. */
fsr_ref_view fsr_ref_view_whole(fsr_ref_data *d, const fsr_shape *shape);

/* Operands and one result. */
#define FSR_REF_WALK_MAX (FSR_MAX_ARGS + 1)
/* Visits the points of `dim` in C order and keeps the positions of n views there. */
typedef struct fsr_ref_walk {
    int ndim, n;
    int64_t dim[FSR_MAX_DIMS], index[FSR_MAX_DIMS];
    int64_t stride[FSR_REF_WALK_MAX][FSR_MAX_DIMS];
    int64_t at[FSR_REF_WALK_MAX];
    int64_t left; /* points not yet left; visiting ends at 0 */
} fsr_ref_walk;

/* Dimensions whose bit in `skip` is set are held at index 0. */
void fsr_ref_walk_start(fsr_ref_walk *w, const fsr_shape *shape, uint32_t skip, const fsr_ref_view *views, int n);
void fsr_ref_walk_next(fsr_ref_walk *w);
/* To the first point again, with the views' positions moved by from[i]. */
void fsr_ref_walk_restart(fsr_ref_walk *w, const int64_t *from);

#endif

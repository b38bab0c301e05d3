/* SPDX-License-Identifier: MIT */
/* Elements by rank, shared by select.c and quantile.c. */
#ifndef FUSOR_PRIMITIVES_SELECT_H
#define FUSOR_PRIMITIVES_SELECT_H

#include "primitives/live.h"

/* What is picked from: the elements of the folded axes, side by side. */
typedef struct fsr_selection {
    fsr_node rows;         /* [kept, n] */
    fsr_shape whole, kept; /* of no axes all elements are kept, as one dimension: beside eight there is no room for n */
    uint32_t mask;
    int64_t n;
    int flags;
    fsr_node of;       /* x */
    fsr_length length; /* of origin 0, or x's: what is behind it is last in the rows' order */
} fsr_selection;

/* Checks x, which may have a length, the axes and the flags (FSR_KEEPDIMS). */
bool fsr_select_take(fsr_site at, const char *what, fsr_node x, const int *axes, int naxes, int flags, fsr_selection *s,
                     fsr_node *poison);
/* How many elements each row has: i64, of no dimensions. */
fsr_node fsr_select_there(fsr_site at, const fsr_selection *s);
/* How many elements of each row are no NaN: i64, [kept, 1], or of no dimensions. */
fsr_node fsr_select_count(fsr_site at, const fsr_selection *s);
/* [kept, m]: the elements at i64 ranks that broadcast to that, brought inside. */
fsr_node fsr_select_ranks(fsr_site at, const char *what, const fsr_selection *s, fsr_node ranks);
/* Half the sum of a and b in the dtype of a mean; a where `same`, bools or a zeroed node, holds. */
fsr_node fsr_select_middle(fsr_site at, fsr_node a, fsr_node b, fsr_node same);
/* x, or NaN where the last element of a row is one. */
fsr_node fsr_select_nan(fsr_site at, fsr_node x, fsr_node last);
/* The result's shape: kept dimensions, and 1 for the others with FSR_KEEPDIMS. */
fsr_shape fsr_select_shape(const fsr_selection *s);
/* [kept, 1] as the result's shape; of a length that is 0 it is told. */
fsr_node fsr_select_end(fsr_site at, const fsr_selection *s, fsr_node x);

#endif

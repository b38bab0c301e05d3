/* SPDX-License-Identifier: MIT */
/* A filter's stores: what they say, and what a schedule makes of them; see Filters in loop_ir.h. */
#ifndef FUSOR_FUSION_FILTER_H
#define FUSOR_FUSION_FILTER_H

#include "fusion/loop_ir.h"

/* filter.c */
/* Some store is a filter's. */
bool fsr_kernel_filters(const fsr_kernel *k);
/* `before` is the result of an exclusive running count of the bool `mask`, i32 or i64. */
bool fsr_counts_mask(const fsr_kernel *k, int before, int mask);

/* filter_places.c */
/* Appends the place, i64, of an element of a filter, given mask, count and the element's number in its row, which is
 * not asked for, as -1, where what is selected is stored alone: then it is negative for what is not. -1: there is no
 * room. */
int fsr_kernel_place(fsr_kernel *k, int mask, int before, int number, bool front);
/* The stores of filters become stores at computed places, before which these are computed. False: there is no room. */
bool fsr_kernel_place_filters(fsr_kernel *k);
/* Whether there is room for their places, of a kernel that has room for as much as there may be. */
bool fsr_kernel_has_places(const fsr_kernel *k);

/* pool.c */
/* Bytes of an element of every array that filters store, together. */
int fsr_kernel_filtered_bytes(const fsr_kernel *k);
/* True if the tiles of a look-back may be pooled, see fsr_schedule. */
bool fsr_kernel_may_pool(const fsr_kernel *k);
/* The fold whose running result is what `store`, a filter's, counts by. */
int fsr_counting_fold(const fsr_kernel *k, const fsr_inst *store);
/* The scan of the same pass that ends with what reduction f gives, to the bit; -1: there is none. */
int fsr_fold_rides(const fsr_kernel *k, int f);
/* True if there are reductions and each of them has such a scan. */
bool fsr_reductions_ride(const fsr_kernel *k);

#endif

/* SPDX-License-Identifier: MIT */
/* Accesses of channels: elements of one array that lie beside each other, a place a channel, and again so many further
 * at the next point. x[:, 0] and x[:, 2] of three colours, or the four elements that a point stores (coarsen.c).
 *
 * A program that takes channels one by one names their number, so the stride from point to point is part of the text,
 * and so is how far a channel lies behind the first: a CPU's compiler that knows both loads whole vectors and takes the
 * channels out of them, and stores whole vectors. Where it sees one of a pair alone it takes none of a loop's last
 * eight so, as the other one may not be there: of 32 lanes eight were computed one by one. As arguments they were
 * loaded and stored one by one: blending three layers of RGBA took 4.4 ms for 0.76 (2^20 pixels, AVX2).
 *
 * Counter-example to any short stride: of one column of a matrix of three nothing is gained, and rows of three are an
 * extent, which a kernel takes as it comes. */
#include "fusion/lower.h"
#include "fusion/price.h"

enum { FEW_LINES = 2 };

/* The shortest stride, from point to point of some dimension. 0: it is none of channels. */
static int64_t stride_of(const fsr_affine *a, const fsr_domain *d) {
    int64_t stride = 0;
    for (int j = 0; j < d->ndim; ++j)
        if (d->extent[j] > 1 && a->coef[j] != 0 && (stride == 0 || a->coef[j] < stride))
            stride = a->coef[j];
    return stride >= 2 && stride <= FSR_MOST_KNOWN && !a->over && !a->nterms ? stride : 0;
}

/* They lie in one array and go equally far along each dimension. */
static bool is_beside(const fsr_lowering *l, const fsr_domain *d, int i, int k) {
    const fsr_affine *a = &l->address[i], *b = &l->address[k];
    bool same = l->k->access[i].buffer == l->k->access[k].buffer && !l->k->access[k].whole && !b->over && !b->nterms;
    for (int j = 0; j < d->ndim; ++j)
        same = same && a->coef[j] == b->coef[j];
    return same;
}

/* gcc takes all channels of 2, 3, 4 and 8 out of vectors, and those of 5, 6 and 7 where a few lines of them are added
 * up. Counter-examples to these always: gcc made no vector code of a stencil of rows of 5 with a sine, and does of
 * elements of which it does not know how far they are apart, 13.3 ms of 936,737 rows for 4.9 (AVX2, seed 1390207);
 * three logarithms of differences of six channels took 0.74 ms of 43,236 points, and 0.27 as arguments (seed 1487196).
 * To never: sums of neighbours in rows of 7 took 0.04 ms of 57,000, and 0.12 one by one. */
static bool are_taken_out(const fsr_lowering *l, const fsr_domain *d, int i, int64_t stride) {
    const fsr_kernel *k = l->k;
    int beside = 0;
    bool functions = false;
    if (stride < 5 || stride == FSR_MOST_KNOWN)
        return true;
    for (int a = 0; a < k->naccesses; ++a)
        beside += is_beside(l, d, i, a);
    for (int n = 0; n < k->ninsts; ++n)
        functions = functions || (k->inst[n].kind == FSR_INST_OP && fsr_price_is_function(&k->inst[n]));
    return !functions && beside <= FEW_LINES * stride;
}

/* The least offset of what lies beside access i, from `least` on. */
static int64_t first_from(const fsr_lowering *l, const fsr_domain *d, int i, int64_t least) {
    int64_t first = l->address[i].offset;
    for (int k = 0; k < l->k->naccesses; ++k)
        if (is_beside(l, d, i, k) && l->address[k].offset >= least && l->address[k].offset < first)
            first = l->address[k].offset;
    return first;
}

int64_t fsr_lower_channels(const fsr_lowering *l, const fsr_domain *d, int i, int *behind) {
    const int64_t stride = l->p->target->gpu || l->k->access[i].whole ? 0 : stride_of(&l->address[i], d);
    const int64_t offset = l->address[i].offset;
    bool beside = false;
    if (!stride || !are_taken_out(l, d, i, stride))
        return 0;
    int64_t first = first_from(l, d, i, INT64_MIN);
    while (offset - first >= stride)
        first = first_from(l, d, i, first + stride);
    for (int k = 0; k < l->k->naccesses && !beside; ++k)
        beside = is_beside(l, d, i, k) && l->address[k].offset != offset && l->address[k].offset >= first &&
                 l->address[k].offset - first < stride;
    *behind = (int)(offset - first);
    return beside ? stride : 0;
}

/* SPDX-License-Identifier: MIT */
/* Affine index maps; see affine.h. */
#include "fusion/affine.h"
#include <string.h>

static void domain_push(fsr_domain *d, int64_t extent, int axis) {
    if (extent != 1) {
        d->extent[d->ndim] = extent;
        d->axis[d->ndim++] = axis;
    }
}

void fsr_domain_make(fsr_domain *out, const fsr_shape *shape, uint32_t folded) {
    memset(out, 0, sizeof *out);
    for (int i = 0; i < shape->ndim; ++i)
        if (!(folded >> i & 1))
            domain_push(out, shape->dim[i], i);
    out->nparallel = out->ndim;
    for (int i = 0; i < shape->ndim; ++i)
        if (folded >> i & 1)
            domain_push(out, shape->dim[i], i);
    if (out->ndim == out->nparallel && folded && out->ndim < FSR_MAX_DIMS) {
        out->extent[out->ndim] = 1; /* a fold has a folded dimension, if only one element is folded */
        out->axis[out->ndim++] = 31 - __builtin_clz(folded);
    }
}

void fsr_domain_stand(fsr_domain *d) {
    if (d->nparallel || d->ndim == FSR_MAX_DIMS || fsr_domain_is_part(d))
        return;
    for (int i = d->ndim; i > 0; --i) {
        d->extent[i] = d->extent[i - 1];
        d->axis[i] = d->axis[i - 1];
    }
    d->extent[0] = 1;
    d->nparallel = 1;
    ++d->ndim;
}

bool fsr_domain_equal(const fsr_domain *a, const fsr_domain *b) {
    if (a->mirrored != b->mirrored || a->ndim != b->ndim || a->nparallel != b->nparallel)
        return false;
    return memcmp(a->extent, b->extent, sizeof a->extent[0] * (size_t)a->ndim) == 0;
}

int64_t fsr_domain_rows(const fsr_domain *d) {
    int64_t n = 1;
    for (int i = 0; i < d->nparallel; ++i)
        n *= d->extent[i];
    return n;
}

int64_t fsr_domain_cols(const fsr_domain *d) {
    int64_t n = 1;
    for (int i = d->nparallel; i < d->ndim; ++i)
        n *= d->extent[i];
    return n;
}

/* The extent that the shape has along the dimension. */
static int64_t whole_of(const fsr_domain *d, int dim) {
    return d->whole[dim] ? d->whole[dim] : d->extent[dim];
}

bool fsr_domain_is_part(const fsr_domain *d) {
    bool part = false;
    for (int i = 0; i < d->ndim; ++i)
        part = part || d->whole[i];
    return part;
}

void fsr_domain_cut(fsr_domain *d, int dim, int64_t start, int64_t step, int64_t count) {
    const int64_t apart = d->whole[dim] ? d->step[dim] : 1;
    d->whole[dim] = whole_of(d, dim);
    d->start[dim] += start * apart;
    d->step[dim] = step * apart;
    d->extent[dim] = count;
}

bool fsr_domain_divide(fsr_domain *d, int dim, int64_t inner) {
    if (d->ndim == FSR_MAX_DIMS || d->extent[dim] % inner != 0 || fsr_domain_is_part(d))
        return false;
    for (int i = d->ndim; i > dim; --i) {
        d->extent[i] = d->extent[i - 1];
        d->axis[i] = d->axis[i - 1];
    }
    d->extent[dim] /= inner;
    d->extent[dim + 1] = inner;
    d->nparallel += dim < d->nparallel;
    ++d->ndim;
    return true;
}

bool fsr_domain_divide_like(fsr_domain *d, const fsr_domain *like) {
    fsr_domain out = *like;
    int used = 0;
    out.mirrored = d->mirrored;
    for (int i = 0; i < d->ndim; ++i) {
        int end = i < d->nparallel ? like->nparallel : like->ndim;
        int64_t product = 1;
        do {
            if (used == end)
                return false;
            out.axis[used] = d->axis[i];
            product *= whole_of(like, used++);
        } while (product > 0 && product < d->extent[i]);
        if (product != d->extent[i] || (i + 1 == d->nparallel && used != like->nparallel))
            return false;
    }
    bool whole = used == like->ndim && (d->nparallel > 0 || like->nparallel == 0);
    *d = whole ? out : *d;
    return whole;
}

/* Coefficients of one dimension of a node over the domain's dimensions listed in dims[0..n), whose product it is. */
static void place_row(fsr_affine *row, const fsr_domain *d, const int *dims, int n) {
    int64_t stride = 1;
    for (int i = n - 1; i >= 0; --i) {
        const int dim = dims[i];
        const int64_t extent = d->extent[dim];
        const bool mirrored = d->mirrored && dim >= d->nparallel;
        row->offset += mirrored ? (extent - 1) * stride : d->start[dim] * stride;
        if (extent != 1)
            row->coef[dim] = mirrored ? -stride : d->whole[dim] ? d->step[dim] * stride : stride;
        stride *= whole_of(d, dim);
    }
}

/* Index of a node of `shape` whose dimensions of extent > 1 are, in order, the domain's dimensions listed in
 * dims[0..n), each one of them or the product of several. False if extents or count do not match. */
static bool place(fsr_index *out, const fsr_shape *shape, const fsr_domain *d, const int *dims, int n) {
    memset(out, 0, sizeof *out);
    out->n = shape->ndim;
    int used = 0;
    for (int i = 0; i < shape->ndim; ++i) {
        int first = used;
        int64_t product = 1;
        if (shape->dim[i] == 1)
            continue;
        while (used < n && (product == 1 || (product > 0 && product < shape->dim[i])))
            product *= whole_of(d, dims[used++]);
        if (product != shape->dim[i])
            return false;
        place_row(&out->row[i], d, dims + first, used - first);
    }
    while (used < n && whole_of(d, dims[used]) == 1)
        ++used;
    return used == n;
}

bool fsr_index_row(fsr_index *out, const fsr_shape *shape, const fsr_domain *d) {
    int dims[FSR_MAX_DIMS];
    for (int i = 0; i < d->nparallel; ++i)
        dims[i] = i;
    return place(out, shape, d, dims, d->nparallel);
}

bool fsr_index_elem(fsr_index *out, const fsr_shape *shape, const fsr_domain *d) {
    int dims[FSR_MAX_DIMS];
    for (int i = 0; i < d->ndim; ++i) {
        int j = i;
        for (; j > 0 && d->axis[dims[j - 1]] > d->axis[i]; --j)
            dims[j] = dims[j - 1];
        dims[j] = i;
    }
    return place(out, shape, d, dims, d->ndim);
}

int64_t fsr_common_divisor(int64_t a, int64_t b) {
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* Cancels what the divisor has in common with all terms. */
static void reduce(fsr_affine *a) {
    int64_t by = fsr_common_divisor(a->over, a->offset);
    for (int i = 0; i < FSR_MAX_DIMS; ++i)
        by = fsr_common_divisor(by, a->coef[i]);
    for (int i = 0; i < a->nterms; ++i)
        by = fsr_common_divisor(by, a->factor[i]);
    if (a->over == 0 || by == 0)
        return;
    a->offset /= by;
    for (int i = 0; i < FSR_MAX_DIMS; ++i)
        a->coef[i] /= by;
    for (int i = 0; i < a->nterms; ++i)
        a->factor[i] /= by;
    a->over = a->over == by ? 0 : a->over / by;
}

/* Adds factor * value to the terms, in the order of values: equal sums are equal bytes. There is room: fsr_index_terms
 * has been asked. */
static void add_term(fsr_affine *to, int value, int64_t factor) {
    int at = 0;
    while (at < to->nterms && to->value[at] < value)
        ++at;
    if (at == to->nterms || to->value[at] != value) {
        for (int i = to->nterms++; i > at; --i) {
            to->value[i] = to->value[i - 1];
            to->factor[i] = to->factor[i - 1];
        }
        to->value[at] = (int16_t)value;
        to->factor[at] = 0;
    }
    to->factor[at] += factor;
    if (to->factor[at])
        return;
    for (int i = at; i + 1 < to->nterms; ++i) {
        to->value[i] = to->value[i + 1];
        to->factor[i] = to->factor[i + 1];
    }
    --to->nterms;
    to->value[to->nterms] = 0;
    to->factor[to->nterms] = 0;
}

void fsr_affine_add_symbol(fsr_affine *to, int value, int64_t factor) {
    add_term(to, value, factor * (to->over ? to->over : 1));
}

int fsr_index_terms(const fsr_index *index) {
    int n = 0;
    for (int i = 0; i < index->n; ++i)
        n += index->row[i].nterms;
    return n;
}

static void affine_add(fsr_affine *to, const fsr_affine *from, int64_t factor) {
    int64_t a = to->over ? to->over : 1, b = from->over ? from->over : 1;
    int64_t both = a / fsr_common_divisor(a, b) * b;
    to->offset = to->offset * (both / a) + from->offset * factor * (both / b);
    for (int i = 0; i < FSR_MAX_DIMS; ++i)
        to->coef[i] = to->coef[i] * (both / a) + from->coef[i] * factor * (both / b);
    for (int i = 0; i < to->nterms; ++i)
        to->factor[i] *= both / a;
    for (int i = 0; i < from->nterms; ++i)
        add_term(to, from->value[i], from->factor[i] * factor * (both / b));
    to->over = both > 1 ? both : 0;
    reduce(to);
}

void fsr_affine_into(fsr_affine *out, const fsr_affine *in, int64_t start, int64_t step) {
    *out = (fsr_affine){.offset = -start};
    affine_add(out, in, 1);
    if (step < 0) {
        out->offset = -out->offset;
        for (int i = 0; i < FSR_MAX_DIMS; ++i)
            out->coef[i] = -out->coef[i];
        for (int i = 0; i < out->nterms; ++i)
            out->factor[i] = -out->factor[i];
        step = -step;
    }
    out->over = (out->over ? out->over : 1) * step;
    if (out->over == 1)
        out->over = 0;
    reduce(out);
}

void fsr_index_address(fsr_affine *out, const fsr_index *in, const fsr_shape *shape) {
    if (in->flat) {
        *out = in->row[0];
        return;
    }
    int64_t stride[FSR_MAX_DIMS];
    fsr_shape_strides(shape, stride);
    memset(out, 0, sizeof *out);
    for (int i = 0; i < shape->ndim; ++i)
        if (shape->dim[i] != 1)
            affine_add(out, &in->row[i], stride[i]);
}

void fsr_index_map(fsr_index *out, const fsr_index *in, const fsr_view *view, const fsr_shape *source) {
    memset(out, 0, sizeof *out);
    out->n = source->ndim;
    for (int j = 0; j < source->ndim; ++j) {
        if (source->dim[j] == 1)
            continue;
        out->row[j].offset = view->start[j];
        if (view->from[j] >= 0)
            affine_add(&out->row[j], &in->row[view->from[j]], view->step[j]);
    }
}

void fsr_affine_ends(const fsr_affine *at, const fsr_domain *domain, int64_t *low, int64_t *high) {
    *low = *high = at->offset;
    for (int d = 0; d < domain->ndim; ++d)
        *(at->coef[d] < 0 ? low : high) += at->coef[d] * (domain->extent[d] - 1);
}

bool fsr_affine_equal(const fsr_affine *a, const fsr_affine *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

bool fsr_index_equal(const fsr_index *a, const fsr_index *b) {
    if (a->flat != b->flat || a->n != b->n)
        return false;
    for (int i = 0; i < a->n; ++i)
        if (!fsr_affine_equal(&a->row[i], &b->row[i]))
            return false;
    return true;
}

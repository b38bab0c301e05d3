/* SPDX-License-Identifier: MIT */
/* Products of matrices and their like: matmul, tensordot, and what einsum (einsum.c) shares with them; see
 * product.h. */
#include "primitives/product.h"

int fsr_term_find(const fsr_term *t, int label) {
    for (int i = 0; i < t->n; i++)
        if (t->label[i] == label)
            return i;
    return -1;
}

bool fsr_product_fail(fsr_product *p, fsr_status status, const char *why) {
    p->poison = fsr_poison(p->g, p->at, status, p->what, "%s", why);
    return false;
}

bool fsr_product_sound(fsr_product *p, fsr_node x) {
    p->poison = x;
    return fsr_node_sound(x) != NULL;
}

/* The sum over the axes of mask in x's own dtype; of bools whether any is true. */
static fsr_node folded(fsr_site at, fsr_node x, uint32_t mask, bool of_products) {
    const fsr_dtype dtype = fsr_node_dtype(x);
    fsr_node out;
    if (!mask || !fsr_node_sound(x))
        return x;
    fsr_fold_nodes(at, &out, &x, fsr_combine_builtin(dtype == FSR_BOOL ? FSR_OP_LOGICAL_OR : FSR_OP_ADD, dtype), mask);
    if (fsr_node_sound(out))
        fsr_node_rec(out)->product = of_products && fsr_dtype_is_inexact(dtype);
    return fsr_drop_axes(at, out, mask);
}

/* Sums what neither `other` nor `out` has. */
bool fsr_product_reduce(fsr_product *p, fsr_term *t, const fsr_term *other, const fsr_term *out) {
    uint32_t mask = 0;
    fsr_term kept = {.n = 0};
    for (int i = 0; i < t->n; i++)
        if (fsr_term_find(other, t->label[i]) < 0 && fsr_term_find(out, t->label[i]) < 0)
            mask |= 1u << i;
        else
            kept.label[kept.n++] = t->label[i];
    kept.x = folded(p->at, t->x, mask, false);
    *t = kept;
    return fsr_product_sound(p, t->x);
}

/* The term with the dimensions of `all`, in that order; what it lacks has extent 1. */
bool fsr_product_spread(fsr_product *p, fsr_term *t, const fsr_term *all) {
    int order[FSR_MAX_DIMS], n = 0;
    for (int i = 0; i < all->n; i++)
        if (fsr_term_find(t, all->label[i]) >= 0)
            order[n++] = fsr_term_find(t, all->label[i]);
    t->x = fsr_transpose_at(p->at, t->x, order);
    for (int i = 0; i < all->n && fsr_product_sound(p, t->x); i++)
        if (fsr_term_find(t, all->label[i]) < 0)
            t->x = fsr_expand_at(p->at, t->x, i);
    return fsr_product_sound(p, t->x);
}

/* Equal labels have equal extents, or one of them is 1. */
static bool extents_fit(fsr_product *p, const fsr_term *a, const fsr_term *b) {
    for (int i = 0; i < a->n; i++) {
        const int j = fsr_term_find(b, a->label[i]);
        const int64_t have = fsr_node_dim(a->x, i), other = j < 0 ? have : fsr_node_dim(b->x, j);
        if (have == other || have == 1 || other == 1)
            continue;
        p->poison = fsr_poison(p->g, p->at, FSR_ERR_SHAPE, p->what, "%s and %s do not fit: %lld elements beside %lld",
                               fsr_say(a->x).text, fsr_say(b->x).text, (long long)have, (long long)other);
        return false;
    }
    return true;
}

/* out: labels of the result, each of which a or b has. Takes a and b apart. */
bool fsr_product_multiply(fsr_product *p, fsr_term *a, fsr_term *b, fsr_term *out) {
    if (!extents_fit(p, a, b) || !fsr_product_reduce(p, a, b, out) || !fsr_product_reduce(p, b, a, out))
        return false;
    fsr_term all = *out;
    uint32_t mask = 0;
    for (int i = 0; i < a->n; i++)
        if (fsr_term_find(&all, a->label[i]) < 0) {
            if (all.n == FSR_MAX_DIMS)
                return fsr_product_fail(p, FSR_ERR_UNSUPPORTED,
                                        "a product of more than 8 dimensions, those of the sum among them");
            mask |= 1u << all.n;
            all.label[all.n++] = a->label[i];
        }
    if (!fsr_product_spread(p, a, &all) || !fsr_product_spread(p, b, &all))
        return false;
    const bool truth = fsr_node_dtype(a->x) == FSR_BOOL;
    fsr_node times = truth ? fsr_logical_and_at(p->at, a->x, b->x) : fsr_mul_at(p->at, a->x, b->x);
    out->x = folded(p->at, times, mask, true);
    return fsr_product_sound(p, out->x);
}

/* Checks the operands; all become strong and what sums are made in. *dtype: what the result is. */
bool fsr_product_take(fsr_product *p, const fsr_node *x, int n, fsr_term *t, fsr_dtype *dtype) {
    if (fsr_poison_of(p->at, p->what, x, n, &p->g, &p->poison))
        return false;
    *dtype = fsr_common_dtype(x, n);
    for (int i = 0; i < n; i++) {
        t[i].x = fsr_strong(p->at, x[i]);
        if (!fsr_product_sound(p, t[i].x))
            return false;
        if (*dtype == FSR_DTYPE_COUNT)
            *dtype = fsr_node_dtype(t[i].x);
        t[i].n = fsr_node_ndim(x[i]);
    }
    if (n > 1 && fsr_common_dtype(x, n) == FSR_DTYPE_COUNT)
        for (int i = 0; i < n; i++)
            *dtype = fsr_dtype_promote(*dtype, fsr_node_dtype(t[i].x));
    for (int i = 0; i < n; i++) {
        t[i].x = fsr_convert(p->at, t[i].x, fsr_state_dtype(*dtype), false);
        if (!fsr_product_sound(p, t[i].x))
            return false;
    }
    return true;
}

/* ---- matmul -------------------------------------------------------------------------------------------------- */

fsr_node fsr_matmul_at(fsr_site at, fsr_node a, fsr_node b) {
    enum { ROW = 1, COL = 2, SUMMED = 3 };
    fsr_product p = {.at = at, .what = "matmul"};
    fsr_node x[] = {a, b};
    fsr_dtype dtype;
    fsr_term t[2] = {{.n = 0}}, out = {.n = 0};
    if (!fsr_product_take(&p, x, 2, t, &dtype))
        return p.poison;
    for (int i = 0; i < 2; i++) {
        const int n = t[i].n;
        if (n == 0)
            return fsr_poison(p.g, at, FSR_ERR_SHAPE, p.what, "%s has no dimension; mul scales", fsr_say(x[i]).text);
        for (int d = 0; d < n; d++)
            t[i].label[d] = FSR_LABEL_BROADCAST + n - d;
        t[i].label[n - 1] = i == 0 || n == 1 ? SUMMED : COL;
        if (n > 1)
            t[i].label[n - 2] = i == 0 ? ROW : SUMMED;
    }
    const int leads[2] = {t[0].n - 2, t[1].n - 2}, lead = leads[0] > leads[1] ? leads[0] : leads[1];
    for (int d = 0; d < lead; d++)
        out.label[out.n++] = FSR_LABEL_BROADCAST + lead + 2 - d;
    if (t[0].n > 1)
        out.label[out.n++] = ROW;
    if (t[1].n > 1)
        out.label[out.n++] = COL;
    const int64_t inner[2] = {fsr_node_dim(t[0].x, -1), fsr_node_dim(t[1].x, t[1].n == 1 ? 0 : -2)};
    if (inner[0] != inner[1])
        return fsr_poison(p.g, at, FSR_ERR_SHAPE, p.what, "%s and %s do not fit: %lld elements beside %lld",
                          fsr_say(a).text, fsr_say(b).text, (long long)inner[0], (long long)inner[1]);
    return fsr_product_multiply(&p, &t[0], &t[1], &out) ? fsr_convert(at, out.x, dtype, false) : p.poison;
}

/* ---- tensordot ----------------------------------------------------------------------------------------------- */

/* Non-negative axes, none twice. */
static bool axes_take(fsr_product *p, const fsr_term *t, const int *axes, int n, int *out) {
    uint32_t seen = 0;
    for (int i = 0; i < n; i++) {
        out[i] = axes[i];
        if (!fsr_axis_take(t->x, p->at, p->what, t->n, &out[i], &p->poison))
            return false;
        if (seen >> out[i] & 1)
            return fsr_product_fail(p, FSR_ERR_AXIS, "an axis is named twice");
        seen |= 1u << out[i];
    }
    return true;
}

fsr_node fsr_tensordot_at(fsr_site at, fsr_node a, fsr_node b, const int *axes_a, const int *axes_b, int n) {
    fsr_product p = {.at = at, .what = "tensordot"};
    fsr_node x[] = {a, b};
    const int *axes[] = {axes_a, axes_b};
    int own[2][FSR_MAX_DIMS];
    fsr_dtype dtype;
    fsr_term t[2] = {{.n = 0}}, out = {.n = 0};
    if (!fsr_product_take(&p, x, 2, t, &dtype))
        return p.poison;
    if (n < 0 || n > t[0].n || n > t[1].n || (n > 0 && (!axes_a || !axes_b)))
        return fsr_poison(p.g, at, n > 0 && (!axes_a || !axes_b) ? FSR_ERR_NULL : FSR_ERR_AXIS, p.what,
                          "%d pairs of axes of %s and %s", n, fsr_say(a).text, fsr_say(b).text);
    if (t[0].n + t[1].n - 2 * n > FSR_MAX_DIMS)
        return fsr_poison(p.g, at, FSR_ERR_SHAPE, p.what, "the result would have more than %d dimensions",
                          FSR_MAX_DIMS);
    for (int i = 0; i < 2; i++) {
        if (!axes_take(&p, &t[i], axes[i], n, own[i]))
            return p.poison;
        for (int d = 0; d < t[i].n; d++)
            t[i].label[d] = 1 + i * FSR_MAX_DIMS + d;
    }
    for (int k = 0; k < n; k++) {
        t[1].label[own[1][k]] = t[0].label[own[0][k]];
        if (fsr_node_dim(t[0].x, own[0][k]) != fsr_node_dim(t[1].x, own[1][k]))
            return fsr_poison(p.g, at, FSR_ERR_SHAPE, p.what,
                              "axis %d of %s and axis %d of %s have not as many elements", own[0][k], fsr_say(a).text,
                              own[1][k], fsr_say(b).text);
    }
    for (int i = 0; i < 2; i++)
        for (int d = 0; d < t[i].n; d++)
            if (fsr_term_find(&t[!i], t[i].label[d]) < 0)
                out.label[out.n++] = t[i].label[d];
    return fsr_product_multiply(&p, &t[0], &t[1], &out) ? fsr_convert(at, out.x, dtype, false) : p.poison;
}

/* SPDX-License-Identifier: MIT */
/* Products of matrices and their like: matmul, tensordot, einsum.
 *
 * Each is a sum over some dimensions of the product of two arrays, which are brought to common dimensions by views:
 * labels say which dimension of an array is which of the product's. Small ones stay that, and fuse; of large ones a
 * plan makes a call where the machine has a library (fusion/contract.c), to which views are strides and no copies. Sums
 * of f16 and bf16 are f32 until the result. What only one of two arrays has, and the result has not, is summed before;
 * what is the same label twice in one array is its diagonal. Counter-example to an einsum of three arrays as one sum of
 * products: ij,jk,kl->il of 1000 by 1000 matrices is 10^12 products that way, 2 * 10^9 two by two. */
#include "primitives/primitives.h"
#include <stdio.h>
#include <string.h>

enum { MAX_OPERANDS = 16, BROADCAST = 256 /* labels from here on are those of an ellipsis, from the right */ };

/* An array whose dimension i has the label label[i]. */
typedef struct term {
    fsr_node x;
    int n;
    int label[FSR_MAX_DIMS];
} term;

typedef struct product {
    fsr_graph *g;
    fsr_site at;
    const char *what;
    fsr_node poison;
} product;

static int find(const term *t, int label) {
    for (int i = 0; i < t->n; i++)
        if (t->label[i] == label)
            return i;
    return -1;
}

static bool fail(product *p, fsr_status status, const char *why) {
    p->poison = fsr_poison(p->g, p->at, status, p->what, "%s", why);
    return false;
}

static bool sound(product *p, fsr_node x) {
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
static bool reduce_own(product *p, term *t, const term *other, const term *out) {
    uint32_t mask = 0;
    term kept = {.n = 0};
    for (int i = 0; i < t->n; i++)
        if (find(other, t->label[i]) < 0 && find(out, t->label[i]) < 0)
            mask |= 1u << i;
        else
            kept.label[kept.n++] = t->label[i];
    kept.x = folded(p->at, t->x, mask, false);
    *t = kept;
    return sound(p, t->x);
}

/* The term with the dimensions of `all`, in that order; what it lacks has extent 1. */
static bool spread(product *p, term *t, const term *all) {
    int order[FSR_MAX_DIMS], n = 0;
    for (int i = 0; i < all->n; i++)
        if (find(t, all->label[i]) >= 0)
            order[n++] = find(t, all->label[i]);
    t->x = fsr_transpose_at(p->at, t->x, order);
    for (int i = 0; i < all->n && sound(p, t->x); i++)
        if (find(t, all->label[i]) < 0)
            t->x = fsr_expand_at(p->at, t->x, i);
    return sound(p, t->x);
}

/* Equal labels have equal extents, or one of them is 1. */
static bool extents_fit(product *p, const term *a, const term *b) {
    for (int i = 0; i < a->n; i++) {
        const int j = find(b, a->label[i]);
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
static bool multiply(product *p, term *a, term *b, term *out) {
    if (!extents_fit(p, a, b) || !reduce_own(p, a, b, out) || !reduce_own(p, b, a, out))
        return false;
    term all = *out;
    uint32_t mask = 0;
    for (int i = 0; i < a->n; i++)
        if (find(&all, a->label[i]) < 0) {
            if (all.n == FSR_MAX_DIMS)
                return fail(p, FSR_ERR_UNSUPPORTED, "a product of more than 8 dimensions, those of the sum among them");
            mask |= 1u << all.n;
            all.label[all.n++] = a->label[i];
        }
    if (!spread(p, a, &all) || !spread(p, b, &all))
        return false;
    const bool truth = fsr_node_dtype(a->x) == FSR_BOOL;
    fsr_node times = truth ? fsr_logical_and_at(p->at, a->x, b->x) : fsr_mul_at(p->at, a->x, b->x);
    out->x = folded(p->at, times, mask, true);
    return sound(p, out->x);
}

/* Checks the operands; all become strong and what sums are made in. *dtype: what the result is. */
static bool operands_take(product *p, const fsr_node *x, int n, term *t, fsr_dtype *dtype) {
    if (fsr_poison_of(p->at, p->what, x, n, &p->g, &p->poison))
        return false;
    *dtype = fsr_common_dtype(x, n);
    for (int i = 0; i < n; i++) {
        t[i].x = fsr_strong(p->at, x[i]);
        if (!sound(p, t[i].x))
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
        if (!sound(p, t[i].x))
            return false;
    }
    return true;
}

/* ---- matmul -------------------------------------------------------------------------------------------------- */

fsr_node fsr_matmul_at(fsr_site at, fsr_node a, fsr_node b) {
    enum { ROW = 1, COL = 2, SUMMED = 3 };
    product p = {.at = at, .what = "matmul"};
    fsr_node x[] = {a, b};
    fsr_dtype dtype;
    term t[2] = {{.n = 0}}, out = {.n = 0};
    if (!operands_take(&p, x, 2, t, &dtype))
        return p.poison;
    for (int i = 0; i < 2; i++) {
        const int n = t[i].n;
        if (n == 0)
            return fsr_poison(p.g, at, FSR_ERR_SHAPE, p.what, "%s has no dimension; mul scales", fsr_say(x[i]).text);
        for (int d = 0; d < n; d++)
            t[i].label[d] = BROADCAST + n - d;
        t[i].label[n - 1] = i == 0 || n == 1 ? SUMMED : COL;
        if (n > 1)
            t[i].label[n - 2] = i == 0 ? ROW : SUMMED;
    }
    const int leads[2] = {t[0].n - 2, t[1].n - 2}, lead = leads[0] > leads[1] ? leads[0] : leads[1];
    for (int d = 0; d < lead; d++)
        out.label[out.n++] = BROADCAST + lead + 2 - d;
    if (t[0].n > 1)
        out.label[out.n++] = ROW;
    if (t[1].n > 1)
        out.label[out.n++] = COL;
    const int64_t inner[2] = {fsr_node_dim(t[0].x, -1), fsr_node_dim(t[1].x, t[1].n == 1 ? 0 : -2)};
    if (inner[0] != inner[1])
        return fsr_poison(p.g, at, FSR_ERR_SHAPE, p.what, "%s and %s do not fit: %lld elements beside %lld",
                          fsr_say(a).text, fsr_say(b).text, (long long)inner[0], (long long)inner[1]);
    return multiply(&p, &t[0], &t[1], &out) ? fsr_convert(at, out.x, dtype, false) : p.poison;
}

/* ---- tensordot ----------------------------------------------------------------------------------------------- */

/* Non-negative axes, none twice. */
static bool axes_take(product *p, const term *t, const int *axes, int n, int *out) {
    uint32_t seen = 0;
    for (int i = 0; i < n; i++) {
        out[i] = axes[i];
        if (!fsr_axis_take(t->x, p->at, p->what, t->n, &out[i], &p->poison))
            return false;
        if (seen >> out[i] & 1)
            return fail(p, FSR_ERR_AXIS, "an axis is named twice");
        seen |= 1u << out[i];
    }
    return true;
}

fsr_node fsr_tensordot_at(fsr_site at, fsr_node a, fsr_node b, const int *axes_a, const int *axes_b, int n) {
    product p = {.at = at, .what = "tensordot"};
    fsr_node x[] = {a, b};
    const int *axes[] = {axes_a, axes_b};
    int own[2][FSR_MAX_DIMS];
    fsr_dtype dtype;
    term t[2] = {{.n = 0}}, out = {.n = 0};
    if (!operands_take(&p, x, 2, t, &dtype))
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
            if (find(&t[!i], t[i].label[d]) < 0)
                out.label[out.n++] = t[i].label[d];
    return multiply(&p, &t[0], &t[1], &out) ? fsr_convert(at, out.x, dtype, false) : p.poison;
}

/* ---- einsum --------------------------------------------------------------------------------------------------- */

/* Labels of one array, to `end`; *dots: where an ellipsis stands among them, -1: nowhere. */
static bool labels_take(product *p, const char **text, const char *end_set, int *label, int *n, int *dots) {
    *n = 0;
    *dots = -1;
    for (; **text && !strchr(end_set, **text); ++*text) {
        const char c = **text;
        if (c == ' ')
            continue;
        if (c == '.' && *dots < 0 && !strncmp(*text, "...", 3)) {
            *dots = *n;
            *text += 2;
        } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
            if (*n == FSR_MAX_DIMS)
                return fail(p, FSR_ERR_VALUE, "more than 8 labels of one array");
            label[(*n)++] = c;
        } else {
            return fail(p, FSR_ERR_VALUE, "labels are letters, in the form \"ij,jk->ik\"");
        }
    }
    return true;
}

/* The labels of array t, those of its ellipsis filled in; diagonals where one comes twice. */
static bool term_take(product *p, term *t, const int *label, int n, int dots) {
    const int ndim = t->n, more = dots < 0 ? 0 : ndim - n;
    if (more < 0 || (dots < 0 && n != ndim)) {
        p->poison = fsr_poison(p->g, p->at, FSR_ERR_SHAPE, p->what, "%s has %d dimensions, and %d labels",
                               fsr_say(t->x).text, ndim, n);
        return false;
    }
    for (int d = 0, from = 0; d < ndim; d++)
        t->label[d] = dots >= 0 && d >= dots && d < dots + more ? BROADCAST + dots + more - d : label[from++];
    for (int d = 0; d < t->n; d++)
        for (int e = d + 1; e < t->n; e++) {
            if (t->label[d] != t->label[e])
                continue;
            const int64_t have = fsr_node_dim(t->x, d), other = fsr_node_dim(t->x, e);
            if (have != other)
                return fail(p, FSR_ERR_SHAPE, "a label comes twice in an array, at axes of different extents");
            const int both = t->label[d];
            t->x = fsr_diagonal_at(p->at, t->x, 0, d, e); /* the diagonal is the last axis */
            for (int i = e; i + 1 < t->n; i++)
                t->label[i] = t->label[i + 1];
            for (int i = d; i + 1 < t->n; i++)
                t->label[i] = t->label[i + 1];
            t->n--;
            t->label[t->n - 1] = both;
            if (!sound(p, t->x))
                return false;
            d = -1;
            break;
        }
    return true;
}

/* Without "->": an ellipsis' labels, then those that come once, in their order. */
static bool implied(product *p, const term *t, int n, const int *count, term *out) {
    int most = 0, labels = 0;
    for (int i = 0; i < n; i++)
        for (int d = 0; d < t[i].n; d++)
            most = t[i].label[d] - BROADCAST > most ? t[i].label[d] - BROADCAST : most;
    for (int c = 0; c < BROADCAST; c++)
        labels += count[c] == 1;
    if (most + labels > FSR_MAX_DIMS)
        return fail(p, FSR_ERR_SHAPE, "a result of more than 8 dimensions");
    for (; most > 0; most--)
        out->label[out->n++] = BROADCAST + most;
    for (int c = 0; c < BROADCAST; c++)
        if (count[c] == 1)
            out->label[out->n++] = c;
    return true;
}

/* Behind "->". */
static bool result_take(product *p, const char *text, const term *t, int n, term *out) {
    int label[FSR_MAX_DIMS], nlabels, dots, most = 0;
    if (!labels_take(p, &text, "", label, &nlabels, &dots))
        return false;
    for (int i = 0; i < n; i++)
        for (int d = 0; d < t[i].n; d++)
            most = t[i].label[d] - BROADCAST > most ? t[i].label[d] - BROADCAST : most;
    if (dots < 0 && most)
        return fail(p, FSR_ERR_SHAPE, "an ellipsis stands for axes that the result has no ellipsis for");
    if (nlabels + most > FSR_MAX_DIMS)
        return fail(p, FSR_ERR_SHAPE, "a result of more than 8 dimensions");
    for (int i = 0; i <= nlabels; i++) {
        for (int k = most; i == dots && k > 0; k--)
            out->label[out->n++] = BROADCAST + k;
        if (i < nlabels)
            out->label[out->n++] = label[i];
    }
    for (int i = 0; i < out->n; i++) {
        bool there = false;
        for (int k = 0; k < n; k++)
            there = there || find(&t[k], out->label[i]) >= 0;
        if (!there)
            return fail(p, FSR_ERR_VALUE, "the result has a label that no array has");
        for (int k = 0; k < i; k++)
            if (out->label[k] == out->label[i])
                return fail(p, FSR_ERR_VALUE, "the result has a label twice");
    }
    return true;
}

/* Two by two from the left; what later ones or the result need stays. */
static bool multiply_all(product *p, term *t, int n, term *out) {
    for (int i = 1; i < n; i++) {
        term next = {.n = 0};
        for (int side = 0; side < 2; side++)
            for (int d = 0; d < t[side ? i : 0].n; d++) {
                const int label = t[side ? i : 0].label[d];
                bool needed = find(out, label) >= 0;
                for (int k = i + 1; k < n; k++)
                    needed = needed || find(&t[k], label) >= 0;
                if (!needed || find(&next, label) >= 0)
                    continue;
                if (next.n == FSR_MAX_DIMS)
                    return fail(p, FSR_ERR_UNSUPPORTED, "a product of two of the arrays has more than 8 dimensions");
                next.label[next.n++] = label;
            }
        if (i == n - 1)
            next = *out;
        if (!multiply(p, &t[0], &t[i], &next))
            return false;
        t[0] = next;
    }
    if (n == 1) {
        const term none = {.n = 0};
        if (!reduce_own(p, &t[0], &none, out) || !spread(p, &t[0], out))
            return false;
    }
    out->x = t[0].x;
    return true;
}

fsr_node fsr_einsum_at(fsr_site at, const char *subscripts, const fsr_node *x, int n) {
    product p = {.at = at, .what = "einsum"};
    fsr_node none = {0};
    fsr_dtype dtype;
    term t[MAX_OPERANDS] = {{.n = 0}}, out = {.n = 0};
    int count[BROADCAST] = {0};
    if (!x || n < 1)
        return none;
    if (n > MAX_OPERANDS) {
        if (fsr_poison_of(at, p.what, x, n, &p.g, &p.poison))
            return p.poison;
        return fsr_poison(p.g, at, FSR_ERR_VALUE, p.what, "%d arrays; there are at most %d", n, MAX_OPERANDS);
    }
    if (!operands_take(&p, x, n, t, &dtype))
        return p.poison;
    if (!subscripts)
        return fsr_poison(p.g, at, FSR_ERR_NULL, p.what, "the subscripts are null");
    const char *text = subscripts;
    for (int i = 0; i < n; i++) {
        int label[FSR_MAX_DIMS], nlabels, dots;
        if (!labels_take(&p, &text, ",-", label, &nlabels, &dots) || !term_take(&p, &t[i], label, nlabels, dots))
            return p.poison;
        for (int k = 0; k < nlabels; k++)
            count[label[k]]++;
        if ((i < n - 1) != (*text == ','))
            return fsr_poison(p.g, at, FSR_ERR_VALUE, p.what, "subscripts of another number of arrays than %d", n);
        text += *text == ',';
    }
    if (!*text) {
        if (!implied(&p, t, n, count, &out))
            return p.poison;
    } else if (strncmp(text, "->", 2) != 0) {
        return fsr_poison(p.g, at, FSR_ERR_VALUE, p.what, "labels are letters, in the form \"ij,jk->ik\"");
    } else if (!result_take(&p, text + 2, t, n, &out)) {
        return p.poison;
    }
    return multiply_all(&p, t, n, &out) ? fsr_convert(at, out.x, dtype, false) : p.poison;
}

/* SPDX-License-Identifier: MIT */
/* einsum: labels as text, "ij,jk->ik", with ellipses; the products are product.h's, two by two from the left. */
#include "primitives/product.h"
#include <string.h>

enum { MAX_OPERANDS = 16, BROADCAST = FSR_LABEL_BROADCAST };

/* Labels of one array, to `end`; *dots: where an ellipsis stands among them, -1: nowhere. */
static bool labels_take(fsr_product *p, const char **text, const char *end_set, int *label, int *n, int *dots) {
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
                return fsr_product_fail(p, FSR_ERR_VALUE, "more than 8 labels of one array");
            label[(*n)++] = c;
        } else {
            return fsr_product_fail(p, FSR_ERR_VALUE, "labels are letters, in the form \"ij,jk->ik\"");
        }
    }
    return true;
}

/* The labels of array t, those of its ellipsis filled in; diagonals where one comes twice. */
static bool term_take(fsr_product *p, fsr_term *t, const int *label, int n, int dots) {
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
                return fsr_product_fail(p, FSR_ERR_SHAPE,
                                        "a label comes twice in an array, at axes of different extents");
            const int both = t->label[d];
            t->x = fsr_diagonal_at(p->at, t->x, 0, d, e); /* the diagonal is the last axis */
            for (int i = e; i + 1 < t->n; i++)
                t->label[i] = t->label[i + 1];
            for (int i = d; i + 1 < t->n; i++)
                t->label[i] = t->label[i + 1];
            t->n--;
            t->label[t->n - 1] = both;
            if (!fsr_product_sound(p, t->x))
                return false;
            d = -1;
            break;
        }
    return true;
}

/* Without "->": an ellipsis' labels, then those that come once, in their order. */
static bool implied(fsr_product *p, const fsr_term *t, int n, const int *count, fsr_term *out) {
    int most = 0, labels = 0;
    for (int i = 0; i < n; i++)
        for (int d = 0; d < t[i].n; d++)
            most = t[i].label[d] - BROADCAST > most ? t[i].label[d] - BROADCAST : most;
    for (int c = 0; c < BROADCAST; c++)
        labels += count[c] == 1;
    if (most + labels > FSR_MAX_DIMS)
        return fsr_product_fail(p, FSR_ERR_SHAPE, "a result of more than 8 dimensions");
    for (; most > 0; most--)
        out->label[out->n++] = BROADCAST + most;
    for (int c = 0; c < BROADCAST; c++)
        if (count[c] == 1)
            out->label[out->n++] = c;
    return true;
}

/* Behind "->". */
static bool result_take(fsr_product *p, const char *text, const fsr_term *t, int n, fsr_term *out) {
    int label[FSR_MAX_DIMS], nlabels, dots, most = 0;
    if (!labels_take(p, &text, "", label, &nlabels, &dots))
        return false;
    for (int i = 0; i < n; i++)
        for (int d = 0; d < t[i].n; d++)
            most = t[i].label[d] - BROADCAST > most ? t[i].label[d] - BROADCAST : most;
    if (dots < 0 && most)
        return fsr_product_fail(p, FSR_ERR_SHAPE, "an ellipsis stands for axes that the result has no ellipsis for");
    if (nlabels + most > FSR_MAX_DIMS)
        return fsr_product_fail(p, FSR_ERR_SHAPE, "a result of more than 8 dimensions");
    for (int i = 0; i <= nlabels; i++) {
        for (int k = most; i == dots && k > 0; k--)
            out->label[out->n++] = BROADCAST + k;
        if (i < nlabels)
            out->label[out->n++] = label[i];
    }
    for (int i = 0; i < out->n; i++) {
        bool there = false;
        for (int k = 0; k < n; k++)
            there = there || fsr_term_find(&t[k], out->label[i]) >= 0;
        if (!there)
            return fsr_product_fail(p, FSR_ERR_VALUE, "the result has a label that no array has");
        for (int k = 0; k < i; k++)
            if (out->label[k] == out->label[i])
                return fsr_product_fail(p, FSR_ERR_VALUE, "the result has a label twice");
    }
    return true;
}

/* Two by two from the left; what later ones or the result need stays. */
static bool multiply_all(fsr_product *p, fsr_term *t, int n, fsr_term *out) {
    for (int i = 1; i < n; i++) {
        fsr_term next = {.n = 0};
        for (int side = 0; side < 2; side++)
            for (int d = 0; d < t[side ? i : 0].n; d++) {
                const int label = t[side ? i : 0].label[d];
                bool needed = fsr_term_find(out, label) >= 0;
                for (int k = i + 1; k < n; k++)
                    needed = needed || fsr_term_find(&t[k], label) >= 0;
                if (!needed || fsr_term_find(&next, label) >= 0)
                    continue;
                if (next.n == FSR_MAX_DIMS)
                    return fsr_product_fail(p, FSR_ERR_UNSUPPORTED,
                                            "a product of two of the arrays has more than 8 dimensions");
                next.label[next.n++] = label;
            }
        if (i == n - 1)
            next = *out;
        if (!fsr_product_multiply(p, &t[0], &t[i], &next))
            return false;
        t[0] = next;
    }
    if (n == 1) {
        const fsr_term none = {.n = 0};
        if (!fsr_product_reduce(p, &t[0], &none, out) || !fsr_product_spread(p, &t[0], out))
            return false;
    }
    out->x = t[0].x;
    return true;
}

fsr_node fsr_einsum_at(fsr_site at, const char *subscripts, const fsr_node *x, int n) {
    fsr_product p = {.at = at, .what = "einsum"};
    fsr_node none = {0};
    fsr_dtype dtype;
    fsr_term t[MAX_OPERANDS] = {{.n = 0}}, out = {.n = 0};
    int count[BROADCAST] = {0};
    if (!x || n < 1)
        return none;
    if (n > MAX_OPERANDS) {
        if (fsr_poison_of(at, p.what, x, n, &p.g, &p.poison))
            return p.poison;
        return fsr_poison(p.g, at, FSR_ERR_VALUE, p.what, "%d arrays; there are at most %d", n, MAX_OPERANDS);
    }
    if (!fsr_product_take(&p, x, n, t, &dtype))
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

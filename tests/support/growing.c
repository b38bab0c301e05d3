/* SPDX-License-Identifier: MIT */
#include "tests/support/growing.h"
#include <stdlib.h>
#include <string.h>

static fsr_node array(fsr_graph *g, int64_t elements) {
    return fsr_input(g, "x", FSR_F32, 1, &elements);
}

static fsr_node *list(int n) {
    return malloc(sizeof(fsr_node) * (size_t)(n > 0 ? n : 1));
}

static fsr_node *one(fsr_node x, int *nouts) {
    fsr_node *out = list(1);
    out[0] = x;
    *nouts = 1;
    return out;
}

static fsr_node *chain(fsr_graph *g, int n, int64_t elements, int *nouts) {
    fsr_node x = array(g, elements);
    for (int i = 0; i < n; i++)
        x = i % 2 ? fsr_neg(x) : fsr_add(x, fsr_float(g, 3));
    return one(x, nouts);
}

/* Neighbours are added, and their sums, until there is one. Frees the terms. */
static fsr_node *balanced(fsr_node *term, int n, int *nouts) {
    for (; n > 1; n = (n + 1) / 2)
        for (int i = 0; i < n; i += 2)
            term[i / 2] = i + 1 < n ? fsr_add(term[i], term[i + 1]) : term[i];
    fsr_node *out = one(term[0], nouts);
    free(term);
    return out;
}

static fsr_node *products(fsr_graph *g, int n, int64_t elements, int *nouts) {
    fsr_node *term = list(n);
    for (int i = 0; i < n; i++)
        term[i] = fsr_mul(array(g, elements), array(g, elements));
    return balanced(term, n, nouts);
}

static fsr_node *scaled(fsr_graph *g, int n, int64_t elements, int *nouts) {
    fsr_node *term = list(n), x = array(g, elements);
    for (int i = 0; i < n; i++)
        term[i] = fsr_mul(x, fsr_float(g, i + 2));
    return balanced(term, n, nouts);
}

static fsr_node *shared(fsr_graph *g, int n, int64_t elements, int *nouts) {
    fsr_node x = array(g, elements), y = array(g, elements);
    for (int i = 0; i < n; i++) {
        fsr_node z = i % 2 ? fsr_sub(x, y) : fsr_mul(x, y);
        x = y;
        y = z;
    }
    return one(y, nouts);
}

static fsr_node *folds(fsr_graph *g, int n, int64_t elements, int *nouts) {
    fsr_node *out = list(n);
    for (int i = 0; i < n; i++)
        out[i] = fsr_sum(fsr_neg(array(g, elements)), NULL, 0, 0);
    *nouts = n;
    return out;
}

static fsr_node *turns(fsr_graph *g, int n, int64_t elements, int *nouts) {
    fsr_node *out = list(4 * n), *x = list(n);
    for (int i = 0; i < n; i++)
        x[i] = array(g, elements);
    for (int i = 0; i < n; i++) {
        out[i] = fsr_sum(x[i], NULL, 0, 0);
        out[n + i] = fsr_min(x[i], NULL, 0, 0);
        out[2 * n + i] = fsr_max(x[i], NULL, 0, 0);
        out[3 * n + i] = fsr_prod(x[i], NULL, 0, 0);
    }
    free(x);
    *nouts = 4 * n;
    return out;
}

static fsr_node *joined(fsr_graph *g, int n, int64_t elements, int *nouts) {
    fsr_node *x = list(n);
    for (int i = 0; i < n; i++)
        x[i] = array(g, elements / n + 1);
    fsr_node out = fsr_concat(x, n, 0);
    free(x);
    return one(out, nouts);
}

/* Half of each array is replaced, in place: it is stored, and nobody else needs it. */
static fsr_node *updates(fsr_graph *g, int n, int64_t elements, int *nouts) {
    fsr_node *out = list(n);
    const int64_t half = elements / 2;
    for (int i = 0; i < n; i++) {
        const fsr_node whole = fsr_hint_set(fsr_neg(array(g, elements)), FSR_HINT_MATERIALIZE);
        out[i] = fsr_update(whole, fsr_slice(whole, 0, 0, half, 1), array(g, half));
    }
    *nouts = n;
    return out;
}

/* Half of one array is replaced in place again and again; who sorts a state comes to be between two of them. */
static fsr_node *states(fsr_graph *g, int n, int64_t elements, int *nouts) {
    fsr_node *out = list(n), x = fsr_hint_set(fsr_neg(array(g, elements)), FSR_HINT_MATERIALIZE);
    const int64_t half = elements / 2;
    for (int i = 0; i < n; i++) {
        out[i] = fsr_sort(x, NULL, 0, 0);
        x = fsr_hint_set(fsr_update(x, fsr_slice(x, 0, 0, half, 1), array(g, half)), FSR_HINT_MATERIALIZE);
    }
    *nouts = n;
    return out;
}

/* Sums of arrays, sums of others, and then of each one's product with its counterpart: kernels merge when all are
 * there. */
static fsr_node *merged(fsr_graph *g, int n, int64_t elements, int *nouts) {
    fsr_node *out = list(3 * n), *x = list(2 * n);
    for (int i = 0; i < 2 * n; i++)
        x[i] = array(g, elements);
    for (int i = 0; i < n; i++) {
        out[i] = fsr_sum(x[i], NULL, 0, 0);
        out[n + i] = fsr_sum(x[n + i], NULL, 0, 0);
        out[2 * n + i] = fsr_sum(fsr_mul(x[i], x[n + i]), NULL, 0, 0);
    }
    free(x);
    *nouts = 3 * n;
    return out;
}

/* The order of each array is a result. */
static fsr_node *orders(fsr_graph *g, int n, int64_t elements, int *nouts) {
    fsr_node *out = list(n);
    for (int i = 0; i < n; i++)
        out[i] = fsr_argsort(array(g, elements), NULL, 0, 0);
    *nouts = n;
    return out;
}

static const growing all[] = {
    {"chain", "operations one after the other", chain},
    {"products", "a balanced sum of products of arrays of their own", products},
    {"scaled", "a balanced sum of one array's products with numbers", scaled},
    {"shared", "operations each on the last two values", shared},
    {"folds", "sums of arrays of their own", folds},
    {"turns", "sums, minima, maxima and products of the same arrays, asked in turn", turns},
    {"joined", "arrays side by side", joined},
    {"updates", "stored arrays, half of each replaced in place", updates},
    {"states", "one stored array, half of it replaced in place again and again, and each state sorted", states},
    {"orders", "the order of each of several arrays", orders},
    {"merged", "sums of two arrays, and then of their product, which joins the kernels of both", merged},
};

const growing *growing_at(int i) {
    return (size_t)i < sizeof all / sizeof *all ? &all[i] : NULL;
}

const growing *growing_find(const char *name) {
    for (int i = 0; growing_at(i); i++)
        if (strcmp(all[i].name, name) == 0)
            return &all[i];
    return NULL;
}

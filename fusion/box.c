/* SPDX-License-Identifier: MIT */
/* Conditions of guards; see box.h. */
#include "fusion/box.h"
#include <string.h>

static int64_t floor_div(int64_t a, int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t ceil_div(int64_t a, int64_t b) {
    return -floor_div(-a, b);
}

static int64_t positive_rest(int64_t a, int64_t m) {
    int64_t rest = a % m;
    return rest < 0 ? rest + m : rest;
}

/* gcd(a, m), and x with a * x = gcd modulo m (extended Euclid). */
static int64_t inverse(int64_t a, int64_t m, int64_t *x) {
    int64_t old_r = positive_rest(a, m), r = m, old_s = 1, s = 0;
    while (r) {
        int64_t q = old_r / r, t = old_r - q * r;
        old_r = r;
        r = t;
        t = old_s - q * s;
        old_s = s;
        s = t;
    }
    *x = old_s;
    return old_r;
}

/* The least i >= low with c * i + offset a multiple of step, and the distance to the next; false: there is none. */
static bool align(int64_t c, int64_t offset, int64_t step, int64_t *low, int64_t *distance) {
    int64_t x, g = inverse(c, step, &x);
    *distance = 1;
    if (step == 1)
        return true;
    if (offset % g != 0)
        return false;
    *distance = step / g;
    int64_t r = positive_rest((int64_t)((__int128)(-(offset / g)) * x % *distance), *distance);
    *low += positive_rest(r - *low, *distance);
    return true;
}

/* A condition that has values, on one dimension alone, that runs against it: the same, run along it. */
static void turn(fsr_box *box) {
    box->at.offset = box->extent - 1 - box->at.offset;
    for (int i = 0; i < FSR_MAX_DIMS; ++i) {
        box->at.coef[i] = -box->at.coef[i];
        box->at.factor[i] = -box->at.factor[i];
    }
}

/* A condition on dimension i alone: a box of it. */
static fsr_truth single(fsr_box *box, int i, int64_t extent) {
    int64_t c = box->at.coef[i], o = box->at.offset, distance;
    int64_t low = c > 0 ? ceil_div(-o, c) : ceil_div(o - box->extent + 1, -c);
    int64_t high = c > 0 ? floor_div(box->extent - 1 - o, c) : floor_div(o, -c);
    low = low < 0 ? 0 : low;
    high = high >= extent ? extent - 1 : high;
    if (!align(c, o, box->step, &low, &distance) || low > high)
        return FSR_NEVER;
    int64_t count = (high - low) / distance + 1;
    memset(box, 0, sizeof *box);
    box->at.offset = -low;
    box->at.coef[i] = 1;
    box->extent = (count - 1) * distance + 1;
    box->step = count > 1 ? distance : 1;
    return low == 0 && box->extent == extent && box->step == 1 ? FSR_ALWAYS : FSR_SOMETIMES;
}

static fsr_truth several(const fsr_box *box, const fsr_domain *d) {
    int64_t low = box->at.offset, high = box->at.offset;
    for (int i = 0; i < d->ndim; ++i)
        *(box->at.coef[i] < 0 ? &low : &high) += box->at.coef[i] * (d->extent[i] - 1);
    if (high < 0 || low >= box->extent)
        return FSR_NEVER;
    return low >= 0 && high < box->extent && box->step == 1 ? FSR_ALWAYS : FSR_SOMETIMES;
}

fsr_truth fsr_box_make(fsr_box *out, const fsr_affine *in, int64_t n, const fsr_domain *d) {
    int64_t over = in->over ? in->over : 1;
    int dims = 0, last = 0;
    memset(out, 0, sizeof *out);
    out->at = *in;
    out->at.over = 0;
    out->step = over;
    out->extent = (n - 1) * over + 1;
    for (int i = 0; i < FSR_MAX_DIMS; ++i) {
        if (i >= d->ndim || d->extent[i] <= 1)
            out->at.coef[i] = 0;
        if (out->at.coef[i] == 0)
            continue;
        ++dims;
        last = i;
    }
    if (n <= 0)
        return FSR_NEVER;
    if (in->nterms) {
        if (dims == 1 && out->at.coef[last] == -1 && out->step == 1)
            turn(out);
        return FSR_SOMETIMES;
    }
    if (dims == 1)
        return single(out, last, d->extent[last]);
    if (dims > 1)
        return several(out, d);
    bool holds = out->at.offset >= 0 && out->at.offset < out->extent && out->at.offset % over == 0;
    return holds ? FSR_ALWAYS : FSR_NEVER;
}

bool fsr_box_equal(const fsr_box *a, const fsr_box *b) {
    return fsr_affine_equal(&a->at, &b->at) && a->extent == b->extent && a->step == b->step;
}

/* Rows [low, low + extent) of dimension `at` alone are a run of the merged dimension. */
static bool is_run(const fsr_box *box, int at) {
    for (int i = 0; i < FSR_MAX_DIMS; ++i)
        if (box->at.coef[i] != (i == at))
            return false;
    return box->step == 1;
}

bool fsr_box_mergeable(const fsr_box *box, int at, int64_t inner) {
    return box->at.coef[at] == box->at.coef[at + 1] * inner || is_run(box, at);
}

void fsr_box_merge(fsr_box *box, int at, int64_t inner) {
    if (is_run(box, at)) {
        box->at.offset *= inner;
        box->extent *= inner;
        for (int t = 0; t < box->at.nterms; ++t)
            box->at.factor[t] *= inner;
        box->at.coef[at + 1] = 1;
    }
    box->at.coef[at] = box->at.coef[at + 1];
}

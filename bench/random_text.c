/* SPDX-License-Identifier: MIT */
/* Programs drawn at random, of what array programs are made of: maps, neighbours of padded and of shrinking arrays,
 * normalizations, folds and folds of folds, pastes, concatenations, stacks that alternate, gathers, transposes, scans.
 *
 * A program is a text of assignments, of matrices that are mostly of one shape; the last values are its outputs. It
 * follows from its seed alone. What is compared with another order of rounding has no cliffs: indices and conditions
 * follow from inputs, whose elements are in [0, 1).
 *
 * Counter-example to the graphs of tests/fuzz: a dozen nodes of a hundred elements take no time at all. */
#include "bench/random.h"
#include <math.h>
#include <stdlib.h>

enum { VALUES = 16 };

typedef struct value {
    int64_t rows, cols;
} value;

typedef struct draw {
    uint64_t state;
    FILE *to;
    int n; /* values so far; the first two are the inputs x and y */
    value at[VALUES];
} draw;

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t next(draw *d) {
    uint64_t z = d->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static int below(draw *d, int n) {
    return (int)(next(d) >> 33) % n;
}

/* An earlier value, of the last ones rather. */
static int pick(draw *d) {
    const int back = below(d, 3) ? below(d, 3) : below(d, d->n);
    return back < d->n ? d->n - 1 - back : 0;
}

typedef struct name {
    char text[64];
} name;

/* The value's name, cropped to an extent where it is larger. */
static name cropped(const draw *d, int v, int64_t rows, int64_t cols) {
    name word, out;
    if (v < 2)
        snprintf(word.text, sizeof word.text, "%s", v ? "y" : "x");
    else
        snprintf(word.text, sizeof word.text, "t%d", v);
    if (d->at[v].rows == rows && d->at[v].cols == cols)
        return word;
    snprintf(out.text, sizeof out.text, "%.8s[:%lld, :%lld]", word.text, (long long)rows, (long long)cols);
    return out;
}

static name whole(const draw *d, int v) {
    return cropped(d, v, d->at[v].rows, d->at[v].cols);
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* ---- what is drawn: each writes an expression and gives its shape; false: not of this one -------------------- */

static bool map(draw *d, int v, value *out) {
    static const char *const texts[] = {"exp(-abs(%s))", "sqrt(abs(%s) + 0.1)", "%s * 0.5 + 0.25",  "tanh(%s)",
                                        "sin(%s) * 2",   "1 / (abs(%s) + 1)",   "log(abs(%s) + 1)", "max(%s, 0.5)"};
    *out = d->at[v];
    fprintf(d->to, texts[below(d, 8)], whole(d, v).text);
    return true;
}

static bool binary(draw *d, int v, value *out) {
    static const char *const texts[] = {"%s + %s", "%s * %s", "%s - 0.5 * %s", "max(%s, %s)", "%s / (abs(%s) + 1)"};
    const int u = pick(d);
    *out = (value){least(d->at[u].rows, d->at[v].rows), least(d->at[u].cols, d->at[v].cols)};
    fprintf(d->to, texts[below(d, 5)], cropped(d, v, out->rows, out->cols).text,
            cropped(d, u, out->rows, out->cols).text);
    return true;
}

static bool choice(draw *d, int v, value *out) {
    const int u = pick(d);
    *out = (value){least(d->at[u].rows, d->at[v].rows), least(d->at[u].cols, d->at[v].cols)};
    if (out->rows > d->at[0].rows || out->cols > d->at[0].cols)
        return false;
    fprintf(d->to, "where(%s > 0.5, %s, %s)", cropped(d, 0, out->rows, out->cols).text,
            cropped(d, v, out->rows, out->cols).text, cropped(d, u, out->rows, out->cols).text);
    return true;
}

/* Five or nine neighbours, or three along an axis; of a padded array as many elements as before, else fewer. */
static bool neighbours(draw *d, int v, value *out) {
    static const char *const pads[] = {"pad(%s, 1)", "pad(%s, 1, mode=edge)", "pad(%s, 1, mode=wrap)", "%s"};
    static const char *const texts[] = {
        "0.2 * (p[1:-1, 1:-1] + p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:])",
        "q[:, :-2] + 2 * q[:, 1:-1] + q[:, 2:]", "0.5 * (p[2:, 1:-1] - p[:-2, 1:-1])",
        "max(p[1:-1, 1:-1], p[1:-1, :-2], p[1:-1, 2:])"};
    const int pad = below(d, 4), text = below(d, 4), shrink = pad == 3 ? 2 : 0;
    *out = (value){d->at[v].rows - shrink, d->at[v].cols - shrink};
    if (out->rows < 3 || out->cols < 3)
        return false;
    char *at = NULL;
    size_t size = 0;
    FILE *rest = open_memstream(&at, &size);
    if (!rest)
        return false;
    fprintf(rest, pads[pad], whole(d, v).text);
    if (fclose(rest)) {
        free(at);
        return false;
    }
    fprintf(d->to, "%s; p = t%d; ", at, d->n);
    if (text == 1)
        fprintf(d->to, "q = 0.0625 * (p[:-2] + 2 * p[1:-1] + p[2:]); ");
    fprintf(d->to, "t%d = %s", d->n, texts[text]);
    free(at);
    return true;
}

static bool normalized(draw *d, int v, value *out) {
    static const char *const texts[] = {
        "(%s - mean(%s, %d, keepdims)) / sqrt(var(%s, %d, keepdims) + 0.001)",
        "exp(%s - max(%s, axis=%d, keepdims)) * (1 / (1 + sum(abs(%s), %d, keepdims)))",
        "%s - mean(%s, %d, keepdims) + 0 * max(%s, axis=%d, keepdims)",
    };
    const int axis = below(d, 2);
    const name t = whole(d, v);
    *out = d->at[v];
    fprintf(d->to, texts[below(d, 3)], t.text, t.text, axis, t.text, axis);
    return true;
}

/* A fold of groups of columns or rows, put back beside what was folded. */
static bool folded(draw *d, int v, value *out) {
    static const int sizes[] = {2, 3, 4, 8, 16};
    const int k = sizes[below(d, 5)], axis = below(d, 2);
    const long long rows = d->at[v].rows / (axis ? 1 : k) * (axis ? 1 : k);
    const long long cols = d->at[v].cols / (axis ? k : 1) * (axis ? k : 1);
    if (rows < 2 * k || cols < 2 * k)
        return false;
    const name t = cropped(d, v, rows, cols);
    *out = axis ? (value){rows, cols / k} : (value){rows / k, cols};
    if (axis)
        fprintf(d->to, "mean(reshape(%s, [%lld, %lld, %d]), 2)", t.text, rows, cols / k, k);
    else
        fprintf(d->to, "mean(reshape(%s, [%lld, %d, %lld]), 1)", t.text, rows / k, k, cols);
    if (below(d, 2)) {
        fprintf(d->to, "; t%d = repeat(t%d, %d, %d)", d->n, d->n, k, axis);
        *out = (value){rows, cols};
    }
    return true;
}

static bool replaced(draw *d, int v, value *out) {
    static const char *const texts[] = {
        "update(%s, %s[1:-1, 1:-1], %s[1:-1, 1:-1] * 0.5)", "update(%s, %s[::2, ::2], sqrt(abs(%s[::2, ::2])))",
        "update(%s, %s[0, :], %s[1, :])", "update(%s, %s[:, 1:], exp(-abs(%s[:, :-1])))"};
    const name t = whole(d, v);
    *out = d->at[v];
    if (out->rows < 3 || out->cols < 3)
        return false;
    fprintf(d->to, texts[below(d, 4)], t.text, t.text, t.text);
    return true;
}

/* Pieces side by side, around, or in turn. */
static bool joined(draw *d, int v, value *out) {
    const int u = pick(d), how = below(d, 4);
    const int64_t rows = least(d->at[u].rows, d->at[v].rows), cols = least(d->at[u].cols, d->at[v].cols);
    const name a = cropped(d, v, rows, cols), b = cropped(d, u, rows, cols);
    if (cols < 4 || rows < 4 || rows * cols > d->at[0].rows * d->at[0].cols)
        return false;
    *out = (value){rows, cols};
    if (how == 0)
        fprintf(d->to, "concat(%s, %s, axis=1)[:, %lld:%lld]", a.text, b.text, (long long)cols / 2,
                (long long)(cols / 2 + cols));
    else if (how == 1)
        fprintf(d->to, "roll(%s, %d, %d) + %s", a.text, 1 + below(d, 3), below(d, 2), b.text);
    else if (how == 2)
        fprintf(d->to, "reshape(stack(exp(-abs(%s)), %s * %s, axis=2), [%lld, %lld])[:, :%lld]", a.text, b.text, b.text,
                (long long)rows, (long long)(2 * cols), (long long)cols);
    else
        fprintf(d->to, "sum(stack(%s, tanh(%s), %s * 0.5), 0)", a.text, b.text, a.text);
    return true;
}

static bool gathered(draw *d, int v, value *out) {
    const int axis = below(d, 2);
    const int64_t rows = least(d->at[0].rows, d->at[v].rows), cols = least(d->at[0].cols, d->at[v].cols);
    *out = (value){rows, cols};
    fprintf(d->to, "take_along_axis(%s, i32(%s * %lld), %d)", cropped(d, v, rows, cols).text,
            cropped(d, 0, rows, cols).text, (long long)(axis ? cols : rows), axis);
    return true;
}

static bool turned(draw *d, int v, value *out) {
    const int64_t n = least(d->at[v].rows, d->at[v].cols);
    if (n * n < 10000) {
        *out = (value){d->at[v].cols, d->at[v].rows};
        fprintf(d->to, "%s.T", whole(d, v).text);
        return true;
    }
    const name t = cropped(d, v, n, n);
    *out = (value){n, n};
    fprintf(d->to, "0.5 * (%s + %s.T)", t.text, t.text);
    return true;
}

static bool scanned(draw *d, int v, value *out) {
    *out = d->at[v];
    fprintf(d->to, "cumsum(%s, %d) * 0.001", whole(d, v).text, below(d, 2));
    return true;
}

static bool halved(draw *d, int v, value *out) {
    const long long cols = d->at[v].cols / 2 * 2;
    if (cols < 4)
        return false;
    const name t = cropped(d, v, d->at[v].rows, cols);
    *out = (value){d->at[v].rows, cols / 2};
    fprintf(d->to, "%s; h = t%d; t%d = h[:, ::2] - h[:, 1::2]", t.text, d->n, d->n);
    return true;
}

/* ---- the program ------------------------------------------------------------------------------------------------ */

static void step(draw *d) {
    static bool (*const kinds[])(draw *, int, value *) = {map,        map,        binary,     binary,  choice,
                                                          neighbours, neighbours, normalized, folded,  replaced,
                                                          joined,     gathered,   turned,     scanned, halved};
    for (int tries = 0; tries < 8; tries++) {
        char *text = NULL;
        size_t size = 0;
        FILE *to = d->to;
        value out;
        if (!(d->to = open_memstream(&text, &size))) {
            d->to = to;
            return;
        }
        bool good = kinds[below(d, sizeof kinds / sizeof *kinds)](d, pick(d), &out);
        good = fclose(d->to) == 0 && good;
        d->to = to;
        if (good) {
            fprintf(to, "t%d = %s; ", d->n, text);
            d->at[d->n++] = out;
        }
        free(text);
        if (good)
            return;
    }
}

/* Square, wide, tall, or rows of a few columns. */
static value shape(draw *d) {
    static const int narrow[] = {3, 8, 16, 24};
    const double n = pow(10, 5 + 2 * (double)(next(d) >> 40) / 16777216.0);
    const int kind = below(d, 5);
    const double cols = kind == 0   ? narrow[below(d, 4)]
                        : kind == 1 ? 64 * (1 + below(d, 16))
                        : kind == 2 ? n / 64
                                    : sqrt(n);
    return (value){(int64_t)(n / floor(cols)), (int64_t)cols};
}

/* The last value; and one that needs both inputs, perhaps folded. */
static void outputs(draw *d) {
    const int v = pick(d);
    const int64_t rows = least(d->at[0].rows, d->at[v].rows), cols = least(d->at[0].cols, d->at[v].cols);
    const name t = cropped(d, v, rows, cols), x = cropped(d, 0, rows, cols), y = cropped(d, 1, rows, cols);
    const int axis = below(d, 3);
    fprintf(d->to, "t%d, %s%s * %s + %s", d->n - 1, axis < 2 ? "mean(" : "", t.text, x.text, y.text);
    if (axis < 2)
        fprintf(d->to, ", %d)", axis);
}

char *bench_random_text(uint64_t seed, int64_t extent[2]) {
    char *text = NULL;
    size_t size = 0;
    draw d = {.state = seed * 0x2545f4914f6cdd1du + 1, .to = open_memstream(&text, &size), .n = 2};
    if (!d.to)
        return NULL;
    d.at[0] = d.at[1] = shape(&d);
    extent[0] = d.at[0].rows;
    extent[1] = d.at[0].cols;
    for (int steps = 3 + below(&d, 10); steps > 0 && d.n < VALUES; steps--)
        step(&d);
    outputs(&d);
    if (fclose(d.to)) {
        free(text);
        return NULL;
    }
    return text;
}

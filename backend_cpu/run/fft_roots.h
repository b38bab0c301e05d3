/* SPDX-License-Identifier: MIT */
/* Roots of unity in one precision: included with REAL, the type of a part, and NAME(x), the name of a function in
 * it. */
#include <math.h>
#include <stdint.h>

typedef struct NAME(point) {
    REAL re, im;
} NAME(point);

static NAME(point) NAME(times)(NAME(point) a, NAME(point) b) {
    return (NAME(point)){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* exp(-2 pi i k / n), 0 <= k < n, from an angle in the first octant: no angle is greater than it can be told. */
static NAME(point) NAME(root)(int64_t k, int64_t n) {
    const double turn = 6.283185307179586476925286766559;
    const int64_t eighth = 8 * k / n;
    const int64_t rest = eighth % 2 ? (eighth + 1) * n - 8 * k : 8 * k - eighth * n;
    const double angle = turn * (double)rest / (8 * (double)n), c = cos(angle), s = sin(angle);
    const double re[] = {c, s, -s, -c, -c, -s, s, c}, im[] = {s, c, c, s, -s, -c, -c, -s};
    return (NAME(point)){(REAL)re[eighth], (REAL)-im[eighth]};
}

/* All n-th roots, from those of a coarse and of a fine grid. */
static void NAME(roots)(NAME(point) * w, int64_t n) {
    int64_t fine = 1;
    while (fine * fine < n)
        fine *= 2;
    for (int64_t k = 0; k < fine && k < n; k++)
        w[k] = NAME(root)(k, n);
    for (int64_t base = fine; base < n; base += fine) {
        const NAME(point) coarse = NAME(root)(base, n);
        for (int64_t k = 0; k < fine && base + k < n; k++)
            w[base + k] = NAME(times)(coarse, w[k]);
    }
}

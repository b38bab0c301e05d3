/* SPDX-License-Identifier: MIT */
/* The roof: what each workload reaches of the memory's bandwidth, over how much it computes for each byte. Both axes
 * are logarithmic; the measured copy is a line across. A ring is the same work unfused, so the stem between the two is
 * what fusion gained.
 *
 * Names stand beside their points. They are placed one after the other, each at the nearest place where it covers
 * neither a point nor another name, farther ones with a line to their point, not as far on the narrow picture; one that
 * finds no place is left to the tooltip and the table. The picture is made twice, for a wide page and for a narrow one:
 * one picture made smaller would have letters that nobody can read. */
#include "bench/page.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LETTER = 12, NARROW_MOST = 14 /* letters of a name on the narrow one */ };
static const double letter_width = 0.62; /* of a letter, of its height: that of a wide face */

typedef struct rect {
    double x, y, w, h;
} rect;

typedef struct point {
    const bench_figure *row;
    double x, y, below; /* fused; the height of unfused, NaN: none */
} point;

typedef struct roof {
    FILE *to;
    double width, height;
    page_scale x, y;
    point *point;
    rect *taken; /* points, rings, the copy, then names */
    int n, ntaken;
    double copy;
} roof;

static bool is_drawn(const bench_figure *row) {
    return page_drawable(bench_figure_intensity(row)) && page_drawable(bench_figure_gbs(row));
}

static bool overlaps(const rect *a, const rect *b) {
    return a->x < b->x + b->w && b->x < a->x + a->w && a->y < b->y + b->h && b->y < a->y + a->h;
}

static bool is_free(const roof *f, const rect *r) {
    if (r->x < f->x.begin + 2 || r->x + r->w > f->x.end || r->y < f->y.end || r->y + r->h > f->y.begin - 2)
        return false;
    for (int i = 0; i < f->ntaken; i++)
        if (overlaps(r, &f->taken[i]))
            return false;
    return true;
}

/* The name's place: close by at the right, left, above and below, then on growing circles. False: there is none. */
static bool find_place(const roof *f, const point *p, double width, rect *out) {
    const double h = LETTER + 2;
    for (double away = 9; away < (f->width < 600 ? 34 : 180); away += away < 10 ? 8 : 9)
        for (int turn = 0; turn < 16; turn++) {
            static const int order[] = {0, 8, 4, 12, 1, 15, 7, 9, 2, 14, 6, 10, 3, 13, 5, 11};
            const double angle = order[turn] * 3.14159265358979 / 8, c = cos(angle), s = sin(angle);
            const double x = p->x + away * c + (c - 1) * width / 2, y = p->y + away * s - h / 2;
            *out = (rect){x, y, width, h};
            if (is_free(f, out))
                return true;
        }
    return false;
}

static void draw_name(roof *f, const point *p, bool narrow) {
    const page_label name = page_cut(p->row->workload, narrow ? NARROW_MOST : 24);
    const double width = letter_width * LETTER * (double)strlen(name.text) + 3;
    rect at;
    if (!find_place(f, p, width, &at))
        return;
    const double cx = fmin(fmax(p->x, at.x), at.x + at.w), cy = fmin(fmax(p->y, at.y + 3), at.y + at.h - 3);
    if (hypot(cx - p->x, cy - p->y) > 11)
        page_write(f->to, "<line class=\"lead\" x1=\"%f\" y1=\"%f\" x2=\"%f\" y2=\"%f\"/>", p->x, p->y, cx, cy);
    page_write(f->to, "<text class=\"name\" x=\"%f\" y=\"%f\">%s</text>\n", at.x + 1, at.y + LETTER - 1, name.text);
    f->taken[f->ntaken++] = at;
}

static void draw_point(const roof *f, const point *p) {
    const bench_figure *row = p->row;
    if (isfinite(p->below)) {
        page_write(f->to, "<line class=\"stem\" x1=\"%f\" y1=\"%f\" x2=\"%f\" y2=\"%f\"/>", p->x, p->y, p->x, p->below);
        page_write(f->to, "<circle class=\"ring\" cx=\"%f\" cy=\"%f\" r=\"3.2\"/>", p->x, p->below);
    }
    page_write(f->to, "<circle class=\"%r\" cx=\"%f\" cy=\"%f\" r=\"5\"><title>%s, n = %s: %s GB/s",
               *row->error ? "bad" : "dot", p->x, p->y, row->workload, page_count(row->n).text,
               page_figure(bench_figure_gbs(row)).text);
    page_write(f->to, ", %s%% of its copy; %s operations a byte; unfused %s GB/s</title></circle>\n",
               page_figure(100 * bench_figure_gbs(row) / row->copy_gbs).text,
               page_figure(bench_figure_intensity(row)).text, page_figure(row->bytes / (row->unfused_ms * 1e6)).text);
}

static void draw_axes(const roof *f) {
    FILE *to = f->to;
    const bool decades_x = f->x.high / f->x.low > 500 && f->width<600, decades_y = f->y.high / f->y.low> 2000;
    for (double t = page_next_tick(f->x.low * 0.999, decades_x); t <= f->x.high * 1.001;
         t = page_next_tick(t, decades_x)) {
        const double x = page_at(&f->x, t);
        page_write(to, "<line class=\"grid\" x1=\"%f\" y1=\"%f\" x2=\"%f\" y2=\"%f\"/>", x, f->y.begin, x, f->y.end);
        page_write(to, "<text class=\"tick\" x=\"%f\" y=\"%f\" text-anchor=\"middle\">%s</text>\n", x, f->y.begin + 18,
                   page_tick(t).text);
    }
    for (double t = page_next_tick(f->y.low * 0.999, decades_y); t <= f->y.high * 1.001;
         t = page_next_tick(t, decades_y)) {
        const double y = page_at(&f->y, t);
        page_write(to, "<line class=\"grid\" x1=\"%f\" y1=\"%f\" x2=\"%f\" y2=\"%f\"/>", f->x.begin, y, f->x.end, y);
        page_write(to, "<text class=\"tick\" x=\"%f\" y=\"%f\" text-anchor=\"end\">%s</text>\n", f->x.begin - 6, y + 4,
                   page_tick(t).text);
    }
    page_write(to, "<text class=\"axis\" x=\"%f\" y=\"14\">GB/s of the least traffic</text>\n", 2.0);
    page_write(to, "<text class=\"axis\" x=\"%f\" y=\"%f\" text-anchor=\"end\">operations for each byte of it</text>\n",
               f->x.end, f->y.begin + 36);
}

static void draw_copy(roof *f) {
    const double y = page_at(&f->y, f->copy);
    const page_label speed = page_figure(f->copy);
    const double width = letter_width * LETTER * (double)(strlen(speed.text) + strlen("a copy: GB/s")) + 6;
    if (!isfinite(f->copy))
        return;
    page_write(f->to, "<line class=\"roof\" x1=\"%f\" y1=\"%f\" x2=\"%f\" y2=\"%f\"/>", f->x.begin, y, f->x.end, y);
    page_write(f->to, "<text class=\"rooftext\" x=\"%f\" y=\"%f\" text-anchor=\"end\">a copy: %s GB/s</text>\n",
               f->x.end - 2, y - 5, speed.text);
    f->taken[f->ntaken++] = (rect){f->x.end - width, y - LETTER - 6, width, LETTER + 7};
    f->taken[f->ntaken++] = (rect){f->x.begin, y - 2, f->x.end - f->x.begin, 4};
}

static void bounds(double x, double *low, double *high) {
    if (page_drawable(x)) {
        *low = fmin(*low, x);
        *high = fmax(*high, x);
    }
}

/* Scales, points and what they cover. */
static void lay_out(roof *f) {
    double x0 = INFINITY, x1 = 0, y0 = INFINITY, y1 = 0;
    for (int i = 0; i < f->n; i++) {
        const bench_figure *row = f->point[i].row;
        bounds(bench_figure_intensity(row), &x0, &x1);
        bounds(bench_figure_gbs(row), &y0, &y1);
        bounds(row->bytes / (row->unfused_ms * 1e6), &y0, &y1);
    }
    bounds(f->copy, &y0, &y1);
    f->x = (page_scale){x0 / 1.5, x1 * 1.6, 44, f->width - 8};
    f->y = (page_scale){y0 / 1.3, y1 * 1.9, f->height - 44, 24};
    for (int i = 0; i < f->n; i++) {
        point *p = &f->point[i];
        const double unfused = p->row->bytes / (p->row->unfused_ms * 1e6);
        p->x = page_at(&f->x, bench_figure_intensity(p->row));
        p->y = page_at(&f->y, bench_figure_gbs(p->row));
        p->below = page_drawable(unfused) ? page_at(&f->y, unfused) : NAN;
        f->taken[f->ntaken++] = (rect){p->x - 6, p->y - 6, 12, 12};
        if (isfinite(p->below))
            f->taken[f->ntaken++] = (rect){p->x - 4, p->below - 4, 8, 8};
    }
}

static void draw(roof *f, bool narrow) {
    f->width = narrow ? 380 : 1120;
    f->height = narrow ? 480 : 600;
    f->ntaken = 0;
    lay_out(f);
    page_write(f->to,
               "<svg class=\"%r\" viewBox=\"0 0 %f %f\" role=\"img\" aria-label=\"GB/s over operations per byte\">\n",
               narrow ? "narrow" : "wide", f->width, f->height);
    draw_axes(f);
    draw_copy(f);
    for (int i = 0; i < f->n; i++)
        draw_point(f, &f->point[i]);
    for (int i = 0; i < f->n; i++)
        draw_name(f, &f->point[i], narrow);
    fputs("</svg>\n", f->to);
}

static void name_missing(FILE *to, const bench_figures *figures, const int *rows, int n) {
    int missing = 0;
    for (int i = 0; i < n; i++)
        if (!is_drawn(&figures->row[rows[i]]))
            page_write(to, "%r%s", missing++ ? ", " : "<p class=\"note\">Not drawn: ", figures->row[rows[i]].workload);
    if (missing)
        fputs(". What they compute for each byte is not known (loops that end by themselves, or a file without this "
              "figure), or "
              "nothing was measured.</p>\n",
              to);
}

/* Points at the edge of the crowd first: the crowded ones have the fewest places whoever begins. */
static int by_height(const void *a, const void *b) {
    const double x = bench_figure_gbs(((const point *)a)->row), y = bench_figure_gbs(((const point *)b)->row);
    return (x > y) - (x < y);
}

bool page_roof(FILE *to, const bench_figures *figures, const int *rows, int n) {
    roof f = {.to = to, .copy = NAN};
    double most = 0;
    f.point = calloc((size_t)n + 1, sizeof *f.point);
    f.taken = calloc((size_t)n * 3 + 2, sizeof *f.taken);
    const bool ok = f.point && f.taken;
    for (int i = 0; ok && i < n; i++) {
        const bench_figure *row = &figures->row[rows[i]];
        if (is_drawn(row))
            f.point[f.n++].row = row;
        if (row->bytes > most && page_drawable(row->copy_gbs)) {
            most = row->bytes;
            f.copy = row->copy_gbs;
        }
    }
    if (ok && f.n) {
        qsort(f.point, (size_t)f.n, sizeof *f.point, by_height);
        fputs("<figure class=\"card plot\">\n", to);
        draw(&f, false);
        draw(&f, true);
        fputs("<figcaption class=\"key\"><span><i class=\"k-fused\"></i>fused</span><span><i class=\"k-ring\"></i>the "
              "same work "
              "unfused</span><span><i class=\"k-roof\"></i>a copy of as many bytes as the largest row moves, measured "
              "in the "
              "same run</span></figcaption></figure>\n",
              to);
    }
    if (ok)
        name_missing(to, figures, rows, n);
    free(f.point);
    free(f.taken);
    return ok;
}

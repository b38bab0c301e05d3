/* SPDX-License-Identifier: MIT */
/* Times over sizes: one small picture for each workload that was measured at several, all on the same two scales, so
 * that heights compare across them. */
#include "bench/page.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 200, HEIGHT = 150, LEFT = 46, RIGHT = 8, TOP = 8, BOTTOM = 24 };

static bool is_shown(const bench_figure *row) {
    return page_drawable(row->n) && page_drawable(row->fused_ms);
}

static int by_size(const void *a, const void *b) {
    const double x = (*(const bench_figure *const *)a)->n, y = (*(const bench_figure *const *)b)->n;
    return (x > y) - (x < y);
}

/* The workload's rows by size. */
static int collect(const bench_figures *figures, const bench_figure *of, const bench_figure **out) {
    int n = 0;
    for (int i = 0; i < figures->nrows; i++) {
        const bench_figure *row = &figures->row[i];
        if (row->machine == of->machine && !strcmp(row->workload, of->workload) && is_shown(row))
            out[n++] = row;
    }
    qsort(out, (size_t)n, sizeof *out, by_size);
    return n;
}

static void draw_axes(FILE *to, const page_scale *x, const page_scale *y) {
    for (double t = page_next_tick(y->low * 0.999, true); t <= y->high * 1.001; t = page_next_tick(t, true)) {
        const double at = page_at(y, t);
        page_write(to, "<line class=\"grid\" x1=\"%f\" y1=\"%f\" x2=\"%f\" y2=\"%f\"/>", x->begin, at, x->end, at);
        page_write(to, "<text class=\"tick\" x=\"%f\" y=\"%f\" text-anchor=\"end\">%s</text>\n", x->begin - 4, at + 3.5,
                   page_time(t).text);
    }
    const double step = x->high / x->low > 5e3 ? 256 : 16;
    for (double n = exp2(ceil(log2(x->low) - 0.01)); n <= x->high * 1.001; n *= step)
        page_write(to, "<text class=\"tick\" x=\"%f\" y=\"%f\" text-anchor=\"middle\">%s</text>\n", page_at(x, n),
                   y->begin + 15, page_count(n).text);
}

static double ms_of(const bench_figure *row, bool fused) {
    return fused ? row->fused_ms : row->unfused_ms;
}

static void draw_line(FILE *to, const bench_figure *const *row, int n, bool fused, const page_scale *x,
                      const page_scale *y) {
    page_write(to, "<polyline class=\"%r\" points=\"", fused ? "line-fused" : "line-unfused");
    for (int i = 0; i < n; i++)
        if (page_drawable(ms_of(row[i], fused)))
            page_write(to, "%f,%f ", page_at(x, row[i]->n), page_at(y, ms_of(row[i], fused)));
    fputs("\"/>\n", to);
    for (int i = 0; i < n; i++)
        if (page_drawable(ms_of(row[i], fused)))
            page_write(to, "<circle class=\"%r\" cx=\"%f\" cy=\"%f\" r=\"3\"><title>n = %s, %r: %s</title></circle>\n",
                       fused ? "dot" : "ring", page_at(x, row[i]->n), page_at(y, ms_of(row[i], fused)),
                       page_count(row[i]->n).text, fused ? "fused" : "unfused", page_time(ms_of(row[i], fused)).text);
}

typedef struct range {
    double n0, n1, ms0, ms1;
    int several; /* workloads of more than one size */
} range;

static void widen(range *all, const bench_figure *row) {
    all->n0 = fmin(all->n0, row->n);
    all->n1 = fmax(all->n1, row->n);
    all->ms0 = fmin(all->ms0, page_drawable(row->unfused_ms) ? fmin(row->fused_ms, row->unfused_ms) : row->fused_ms);
    all->ms1 = fmax(all->ms1, page_drawable(row->unfused_ms) ? fmax(row->fused_ms, row->unfused_ms) : row->fused_ms);
}

bool page_sizes(FILE *to, const bench_figures *figures, const int *rows, int n) {
    const bench_figure **list = calloc((size_t)figures->nrows + 1, sizeof *list);
    range all = {INFINITY, 0, INFINITY, 0, 0};
    for (int i = 0; list && i < n; i++) {
        const int m = collect(figures, &figures->row[rows[i]], list);
        for (int k = 0; m > 1 && k < m; k++)
            widen(&all, list[k]);
        all.several += m > 1;
    }
    if (list && !all.several)
        fputs("<p class=\"note\">Each workload was measured at one size. For this picture measure at several and give "
              "every file: "
              "<code>fusor-bench --n 2^14 --json a.json; fusor-bench --n 2^20 --json b.json; fusor-bench --report "
              "out.html a.json "
              "b.json</code></p>\n",
              to);
    const page_scale x = {all.n0 / 1.3, all.n1 * 1.3, LEFT, WIDTH - RIGHT},
                     y = {all.ms0 / 1.3, all.ms1 * 1.3, HEIGHT - BOTTOM, TOP};
    if (list && all.several)
        fputs("<p class=\"key\"><span><i class=\"k-fused\"></i>fused</span><span><i "
              "class=\"k-ring\"></i>unfused</span><span>time of a "
              "run over n, both logarithmic, every picture on one scale</span></p>\n<div class=\"cards small\">\n",
              to);
    for (int i = 0; list && all.several && i < n; i++) {
        const bench_figure *row = &figures->row[rows[i]];
        const int m = collect(figures, row, list);
        if (m < 2)
            continue;
        page_write(to, "<figure class=\"card\"><figcaption><b>%s</b> <span>%s</span></figcaption>\n", row->workload,
                   row->dtype);
        page_write(to, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"times of %s over sizes\">\n", WIDTH,
                   HEIGHT, row->workload);
        draw_axes(to, &x, &y);
        draw_line(to, list, m, false, &x, &y);
        draw_line(to, list, m, true, &x, &y);
        fputs("</svg></figure>\n", to);
    }
    if (list && all.several)
        fputs("</div>\n", to);
    free(list);
    return list != NULL;
}

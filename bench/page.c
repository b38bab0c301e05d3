/* SPDX-License-Identifier: MIT */
/* The page: a head, how to read it, and a section for each machine. */
#include "bench/page.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of those that are there; sorts them to the front. */
static double median(double *x, int n) {
    int known = 0;
    for (int i = 0; i < n; i++)
        if (isfinite(x[i]))
            x[known++] = x[i];
    qsort(x, (size_t)known, sizeof *x, by_size);
    return known == 0 ? NAN : known % 2 ? x[known / 2] : (x[known / 2 - 1] + x[known / 2]) / 2;
}

static void tile(FILE *to, const char *what, const char *figure, const char *more) {
    page_write(to, "<div class=\"tile\"><span>%r</span><b>%s</b><small>%s</small></div>\n", what, figure, more);
}

typedef double measure(const bench_figure *row);
static double speedup(const bench_figure *row) {
    return row->unfused_ms / row->fused_ms;
}
static double of_copy(const bench_figure *row) {
    return 100 * bench_figure_gbs(row) / row->copy_gbs;
}
static double first_call(const bench_figure *row) {
    return row->first_ms;
}
static double cached_call(const bench_figure *row) {
    return row->cached_ms;
}

static double middle(const bench_figures *f, const int *rows, int n, double *x, measure *of) {
    for (int i = 0; i < n; i++)
        x[i] = of(&f->row[rows[i]]);
    return median(x, n);
}

static double most(const bench_figures *f, const int *rows, int n, measure *of) {
    double best = NAN;
    for (int i = 0; i < n; i++)
        best = fmax(best, of(&f->row[rows[i]]));
    return best;
}

static page_label with(page_label label, const char *unit) {
    const size_t used = strlen(label.text);
    snprintf(label.text + used, sizeof label.text - used, "%s", unit);
    return label;
}

/* What the page says in four numbers. */
static bool summary(FILE *to, const bench_figures *f, const int *rows, int n) {
    double *x = malloc(sizeof *x * ((size_t)n + 1));
    char more[480];
    int verified = 0;
    if (!x)
        return false;
    for (int i = 0; i < n; i++)
        verified += f->row[rows[i]].verified;
    fputs("<div class=\"tiles\">\n", to);
    snprintf(more, sizeof more, "of %d agree with the reference", n);
    tile(to, "Verified", page_figure(verified).text, more);
    page_label figure = with(page_figure(middle(f, rows, n, x, speedup)), "×");
    snprintf(more, sizeof more, "the median; at most %s×", page_figure(most(f, rows, n, speedup)).text);
    tile(to, "Faster than unfused", figure.text, more);
    figure = with(page_figure(round(middle(f, rows, n, x, of_copy))), " %");
    tile(to, "Of a copy’s speed", figure.text, "the median; a copy is the memory’s roof");
    figure = page_time(middle(f, rows, n, x, first_call));
    snprintf(more, sizeof more, "the median; %s with a filled disk cache",
             page_time(middle(f, rows, n, x, cached_call)).text);
    tile(to, "First call", figure.text, more);
    fputs("</div>\n", to);
    free(x);
    return true;
}

static void how_to_read(FILE *to) {
    fputs("<section class=\"read\"><h2>How to read it</h2>\n<ul>\n"
          "<li><b>Fused</b> is the work as Fusor plans it; <b>unfused</b> gives each operation its own pass over "
          "memory. Both run the "
          "same arrays on the same machine; a time is the median of the runs of a compiled plan.</li>\n"
          "<li><b>Least traffic</b> is every input read once and every output written once. Work that only waits for "
          "memory cannot be "
          "faster than moving that; <b>a copy</b> of as many bytes, measured in the same run, is the yardstick. A row "
          "may pass it: "
          "a copy writes as much as it reads.</li>\n"
          "<li>In the roof picture a point near the line waits for memory, and nothing but less traffic helps it. A "
          "point far below, at "
          "the right, computes. The stem under a point is what fusion gained.</li>\n"
          "<li>Bars begin at nothing and have a scale of their own for each workload: the shorter the better.</li>\n"
          "<li>Small inputs mostly show what a call costs.</li>\n</ul></section>\n",
          to);
}

static bool section(FILE *to, const bench_figures *f, int machine) {
    int n;
    int *rows = bench_figures_largest(f, machine, &n);
    if (!rows)
        return false;
    const bench_machine *m = &f->machine[machine];
    page_write(to, "<section><h2>%s</h2>\n",
               *m->device    ? m->device
               : *m->backend ? m->backend
                             : "a machine without a name");
    page_machine(to, m);
    bool ok = summary(to, f, rows, n);
    fputs("<h3>How close to memory’s roof</h3>\n", to);
    ok = ok && page_roof(to, f, rows, n);
    page_write(to, "<h3>Fused, unfused%r</h3>\n", f->npeers ? " and other libraries" : "");
    ok = ok && page_bars(to, f, rows, n);
    fputs("<h3>Times over sizes</h3>\n", to);
    ok = ok && page_sizes(to, f, rows, n);
    fputs("<h3>First calls</h3>\n", to);
    ok = ok && page_first(to, f, rows, n);
    fputs("<h3>Every figure</h3>\n", to);
    page_table(to, f, machine);
    fputs("</section>\n", to);
    free(rows);
    return ok;
}

bool bench_page(FILE *to, const bench_figures *f) {
    fputs("<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
          "<title>fusor-bench</title>\n",
          to);
    page_style(to);
    fputs("</head>\n<body><div id=\"light\"><div id=\"dark\"><div class=\"page\"><main>\n"
          "<header><h1>fusor-bench</h1><p>Fused against unfused against the copy bandwidth of the same memory.</p>\n"
          "<nav aria-label=\"theme\"><a href=\"#light\">light</a><a href=\"#dark\">dark</a><a "
          "href=\"#system\">system</a></nav></header>\n",
          to);
    bool ok = true;
    for (int i = 0; ok && i < f->nmachines; i++)
        ok = section(to, f, i);
    how_to_read(to);
    fputs("</main></div></div></div></body></html>\n", to);
    return ok && !ferror(to);
}

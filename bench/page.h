/* SPDX-License-Identifier: MIT */
/* A report as one page of HTML that is also XML: pictures are SVG, nothing is loaded and nothing runs.
 *
 * The theme follows the reader's system; a link to #light or #dark overrides it, by CSS alone. Whatever a file says is
 * written by page_write's %s, which escapes. */
#ifndef FUSOR_BENCH_PAGE_H
#define FUSOR_BENCH_PAGE_H

#include "bench/figures.h"
#include <stdio.h>

/* The whole page. False: out of memory. */
bool bench_page(FILE *to, const bench_figures *figures);

/* ---- for its parts --------------------------------------------------------------------------------- */

/* Like printf: %s text, escaped; %f a double, one decimal, in every locale; %d an int; %r a text as it is; %%. */
void page_write(FILE *to, const char *format, ...);

/* Numbers as a reader wants them; "-" for NaN. */
typedef struct page_label {
    char text[400];
} page_label;
page_label page_tick(double x);         /* the same without zeros at the end */
page_label page_figure(double x);       /* three digits, a whole number as it is: "0.105", "5.63", "4", "1,234" */
page_label page_time(double ms);        /* "3.4 µs", "5.63 ms", "1.2 s" */
page_label page_count(double n);        /* "2²⁴", "108,000" */
page_label page_error(double x);        /* "1.2e-07" */
page_label page_bytes(double x);        /* "134 MB" */
page_label page_date(const char *date); /* "2026-11-22 06:40 UTC" of "2026-11-22T06:40:12Z" */
page_label page_cut(const char *text, int characters); /* with an ellipsis where it is longer */

/* A logarithmic scale from low to high on pixels from begin to end. */
typedef struct page_scale {
    double low, high, begin, end;
} page_scale;
/* A number that a scale can show. */
bool page_drawable(double x);
double page_at(const page_scale *scale, double x);
/* The next tick above x: 1, 2, 5 or, with decades, 1 times a power of ten. */
double page_next_tick(double x, bool decades);

/* Parts of a machine's section; rows: its workloads at their largest n. False: out of memory. */
bool page_roof(FILE *to, const bench_figures *figures, const int *rows, int n);
bool page_bars(FILE *to, const bench_figures *figures, const int *rows, int n);
bool page_sizes(FILE *to, const bench_figures *figures, const int *rows, int n);
bool page_first(FILE *to, const bench_figures *figures, const int *rows, int n);
void page_machine(FILE *to, const bench_machine *machine);
void page_table(FILE *to, const bench_figures *figures, int machine);
void page_style(FILE *to);

#endif

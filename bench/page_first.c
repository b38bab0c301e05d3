/* SPDX-License-Identifier: MIT */
/* First calls: planning, compiling, loading and the first run, with an empty disk cache and with a filled one, the
 * slowest first, on one scale. */
#include "bench/page.h"
#include <math.h>
#include <stdlib.h>

enum { LEFT = 118, LONGEST = 150, STEP = 18, WIDTH = 360, COLUMNS = 3, FEWEST = 8 };

static int by_first(const void *a, const void *b) {
    const double x = (*(const bench_figure *const *)a)->first_ms, y = (*(const bench_figure *const *)b)->first_ms;
    return (x < y) - (x > y);
}

static void draw_row(FILE *to, const bench_figure *row, int at, double longest) {
    const double y = at * STEP + 2, cold = row->first_ms / longest * LONGEST;
    page_write(to, "<g><title>%s: %s cold", row->workload, page_time(row->first_ms).text);
    page_write(to, ", %s from the disk cache</title>", page_time(row->cached_ms).text);
    page_write(to, "<text class=\"left\" x=\"%f\" y=\"%f\" text-anchor=\"end\">%s</text>", (double)LEFT - 6, y + 11,
               page_cut(row->workload, 18).text);
    page_write(to, "<rect class=\"cold\" x=\"%f\" y=\"%f\" width=\"%f\" height=\"13\" rx=\"1.5\"/>", (double)LEFT, y,
               fmax(1, cold));
    if (isfinite(row->cached_ms))
        page_write(to, "<rect class=\"cached\" x=\"%f\" y=\"%f\" width=\"%f\" height=\"13\" rx=\"1.5\"/>", (double)LEFT,
                   y, fmax(1.5, row->cached_ms / longest * LONGEST));
    page_write(to, "<text class=\"value\" x=\"%f\" y=\"%f\">%s", LEFT + fmax(1, cold) + 5, y + 11,
               page_time(row->first_ms).text);
    page_write(to, "<tspan class=\"times\" dx=\"5\">%s</tspan></text></g>\n", page_time(row->cached_ms).text);
}

bool page_first(FILE *to, const bench_figures *figures, const int *rows, int n) {
    const bench_figure **list = calloc((size_t)n + 1, sizeof *list);
    int m = 0;
    if (!list)
        return false;
    double longest = 0;
    for (int i = 0; i < n; i++)
        if (isfinite(figures->row[rows[i]].first_ms)) {
            list[m++] = &figures->row[rows[i]];
            longest = fmax(longest, fmax(list[m - 1]->first_ms, list[m - 1]->cached_ms));
        }
    qsort(list, (size_t)m, sizeof *list, by_first);
    fputs(m ? "<p class=\"key\"><span><i class=\"k-cold\"></i>nothing known yet</span><span><i "
              "class=\"k-cached\"></i>kernels in the "
              "disk cache</span></p>\n<div class=\"cards\">\n"
            : "<p class=\"note\">No first calls were measured.</p>\n",
          to);
    const int columns = m > (COLUMNS - 1) * FEWEST ? COLUMNS : (m + FEWEST - 1) / FEWEST;
    const int part = columns ? (m + columns - 1) / columns : 1;
    for (int at = 0; at < m; at += part) {
        const int rest = m - at < part ? m - at : part;
        page_write(to, "<figure class=\"card\"><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"first calls\">\n",
                   WIDTH, part * STEP + 2);
        for (int i = 0; i < rest; i++)
            draw_row(to, list[at + i], i, longest);
        fputs("</svg></figure>\n", to);
    }
    fputs(m ? "</div>\n" : "", to);
    free(list);
    return true;
}

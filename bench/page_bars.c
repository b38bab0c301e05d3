/* SPDX-License-Identifier: MIT */
/* Fused, unfused and other libraries: for each workload bars of its own scale, which begins at nothing, so that lengths
 * compare within a workload. One scale for all would show the slowest workload and dots. */
#include "bench/page.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT = 92, LONGEST = 142, STEP = 19, WIDTH = 320 };

typedef struct bar {
    const char *name, *kind;
    double ms;
} bar;

static int by_time(const void *a, const void *b) {
    const double x = ((const bar *)a)->ms, y = ((const bar *)b)->ms;
    return (x > y) - (x < y);
}

/* Fused, unfused, then the others, the fastest first. Returns how many. */
static int collect(const bench_figures *figures, const bench_figure *row, bar *out) {
    int n = 0;
    if (isfinite(row->fused_ms))
        out[n++] = (bar){"fused", "fused", row->fused_ms};
    if (isfinite(row->unfused_ms))
        out[n++] = (bar){"unfused", "unfused", row->unfused_ms};
    const int own = n;
    for (int i = 0; i < figures->npeers; i++)
        if (bench_peer_of(&figures->peer[i], row) && isfinite(figures->peer[i].ms))
            out[n++] = (bar){figures->peer[i].name, "peer", figures->peer[i].ms};
    qsort(out + own, (size_t)(n - own), sizeof *out, by_time);
    return n;
}

static void draw_bar(FILE *to, const bar *b, int at, double longest, double fused) {
    const double y = at * STEP + 2, width = fmax(1, b->ms / longest * LONGEST);
    page_write(to, "<g><title>%s: %s</title><text class=\"left\" x=\"%f\" y=\"%f\" text-anchor=\"end\">%s</text>",
               b->name, page_time(b->ms).text, (double)LEFT - 6, y + 11, page_cut(b->name, 15).text);
    page_write(to, "<rect class=\"%r\" x=\"%f\" y=\"%f\" width=\"%f\" height=\"14\" rx=\"1.5\"/>", b->kind,
               (double)LEFT, y, width);
    page_write(to, "<text class=\"value\" x=\"%f\" y=\"%f\">%s", LEFT + width + 5, y + 11, page_time(b->ms).text);
    if (at > 0 && isfinite(fused))
        page_write(to, "<tspan class=\"times\" dx=\"5\">%s×</tspan>", page_figure(b->ms / fused).text);
    fputs("</text></g>\n", to);
}

static void draw_card(FILE *to, const bench_figure *row, const bar *list, int n) {
    double longest = 0;
    for (int i = 0; i < n; i++)
        longest = fmax(longest, list[i].ms);
    page_write(to, "<figure class=\"card\"><figcaption><b>%s</b> <span>%s · n = %s", row->workload, row->dtype,
               page_count(row->n).text);
    if (isfinite(row->fused_kernels) && isfinite(row->unfused_kernels))
        page_write(to, " · %s of %s kernels", page_figure(row->fused_kernels).text,
                   page_figure(row->unfused_kernels).text);
    fputs("</span></figcaption>\n", to);
    if (*row->error)
        page_write(to, "<p class=\"fail\">failed: %s</p>\n", row->error);
    if (n)
        page_write(to, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"times of %s\">\n", WIDTH, n * STEP + 2,
                   row->workload);
    for (int i = 0; i < n; i++)
        draw_bar(to, &list[i], i, longest, row->fused_ms);
    fputs(n ? "</svg></figure>\n" : "<p class=\"note\">nothing was measured</p></figure>\n", to);
}

bool page_bars(FILE *to, const bench_figures *figures, const int *rows, int n) {
    bar *list = calloc((size_t)figures->npeers + 2, sizeof *list);
    if (!list)
        return false;
    fputs("<div class=\"cards\">\n", to);
    for (int i = 0; i < n; i++) {
        const bench_figure *row = &figures->row[rows[i]];
        draw_card(to, row, list, collect(figures, row, list));
    }
    fputs("</div>\n", to);
    free(list);
    return true;
}

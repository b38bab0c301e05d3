/* SPDX-License-Identifier: MIT */
/* Two walks over a directed graph of links between pages, kept as a sparse matrix: PageRank, and how many links each
 * page is away from the first one, by masks. Both are checked against plain loops.
 *
 * A page links to about eight others, most of them among the first pages, and one in thirty to none. The matrix holds
 * the links by the page that they lead to, so a step of PageRank is a product, and a page is reached if one that links
 * to it was.
 *
 * usage: graph_steps [pages]. Exit status 1: a result is not that of the plain loops. */
#include "fusor/fusor.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINKS = 8, STEPS = 30 };

typedef struct web {
    int64_t pages, links;
    int32_t *from, *to, *count; /* of each link; links of each page */
} web;

/* Numbers that are spread, the same in every run. */
static uint32_t mixed(uint32_t x) {
    x = (x ^ x >> 16) * 0x45d9f3bu;
    x = (x ^ x >> 16) * 0x45d9f3bu;
    return x ^ x >> 16;
}

static int web_make(web *w, int64_t pages) {
    *w = (web){pages, 0, malloc((size_t)(pages * LINKS) * 4), malloc((size_t)(pages * LINKS) * 4),
               calloc((size_t)pages, 4)};
    if (!w->from || !w->to || !w->count)
        return 0;
    for (int64_t p = 0; p < pages; p++)
        for (int64_t l = 0; l < LINKS && p % 30 != 29; l++) {
            const double u = mixed((uint32_t)(p * LINKS + l)) / 4294967296.0;
            w->from[w->links] = (int32_t)p;
            w->to[w->links++] = (int32_t)(u * u * u * (double)pages);
            w->count[p]++;
        }
    return 1;
}

/* ---- with Fusor ------------------------------------------------------------------------------------------------- */

/* A step: each page's rank is shared by the pages that it links to, that of pages without links by all. */
static fsr_node rank_step(const fsr_csr *links, fsr_node share, fsr_node lost, fsr_node rank) {
    fsr_graph *g = rank.graph;
    fsr_node spread = fsr_sum(fsr_mul(rank, lost), NULL, 0, 0);
    fsr_node came = fsr_csr_dot(links, fsr_mul(rank, share));
    fsr_node all = fsr_add(came, fsr_div(spread, fsr_float(g, (double)links->rows)));
    return fsr_add(fsr_mul(all, fsr_float(g, 0.85)), fsr_float(g, 0.15 / (double)links->rows));
}

static fsr_status ranks(const fsr_csr *links, fsr_node count, double *out) {
    fsr_graph *g = count.graph;
    const fsr_node some = fsr_greater(count, fsr_int(g, 0));
    const fsr_node share = fsr_where(some, fsr_div(fsr_float(g, 1), fsr_cast(count, FSR_F64)), fsr_float(g, 0));
    const fsr_node lost = fsr_cast(fsr_logical_not(some), FSR_F64);
    fsr_node rank = fsr_full(g, FSR_F64, 1, &links->rows, 1 / (double)links->rows);
    fsr_status status = fsr_compute((fsr_node[]){share, lost, rank}, 3);
    for (int step = 0; step < STEPS && status == FSR_OK; step++) {
        rank = rank_step(links, share, lost, rank);
        status = fsr_compute(&rank, 1); /* data from here on: each step is the same plan */
    }
    return status ? status : fsr_read(rank, out, (size_t)links->rows * sizeof *out);
}

/* Whether one of the pages that link to it is reached: the greatest of a row's. */
static fsr_status distances(const fsr_csr *links, fsr_graph *g, int32_t *out) {
    fsr_node first = fsr_equal(fsr_arange(g, FSR_I64, links->rows), fsr_int(g, 0));
    fsr_node away = fsr_cast(fsr_where(first, fsr_int(g, 0), fsr_int(g, -1)), FSR_I32);
    int64_t reached = 1, before = 0;
    fsr_status status = FSR_OK;
    for (int step = 1; reached != before && status == FSR_OK; step++) {
        before = reached;
        fsr_node known = fsr_greater_equal(away, fsr_int(g, 0));
        fsr_node near = fsr_segment_max(fsr_take(known, links->columns, 0, FSR_INDEX_CLIP), links->offsets);
        fsr_node now = fsr_cast(fsr_param(g, "step", FSR_I32, step), FSR_I32);
        away = fsr_where(known, away, fsr_where(near, now, fsr_cast(fsr_int(g, -1), FSR_I32)));
        fsr_node count = fsr_sum(fsr_greater_equal(away, fsr_int(g, 0)), NULL, 0, 0);
        status = fsr_compute((fsr_node[]){away, count}, 2);
        status = status ? status : fsr_read(count, &reached, sizeof reached);
    }
    return status ? status : fsr_read(away, out, (size_t)links->rows * sizeof *out);
}

/* ---- plain loops ------------------------------------------------------------------------------------------- */

static double worst_rank(const web *w, const double *got) {
    double *rank = malloc((size_t)w->pages * sizeof *rank), *next = malloc((size_t)w->pages * sizeof *next), worst = 0;
    for (int64_t p = 0; rank && next && p < w->pages; p++)
        rank[p] = 1 / (double)w->pages;
    for (int step = 0; rank && next && step < STEPS; step++) {
        double spread = 0;
        for (int64_t p = 0; p < w->pages; p++) {
            next[p] = 0;
            spread += w->count[p] ? 0 : rank[p];
        }
        for (int64_t l = 0; l < w->links; l++)
            next[w->to[l]] += rank[w->from[l]] / w->count[w->from[l]];
        for (int64_t p = 0; p < w->pages; p++)
            rank[p] = 0.85 * (next[p] + spread / (double)w->pages) + 0.15 / (double)w->pages;
    }
    for (int64_t p = 0; rank && next && p < w->pages; p++)
        worst = fmax(worst, fabs(got[p] - rank[p]) / rank[p]);
    worst = rank && next ? worst : INFINITY;
    free(rank);
    free(next);
    return worst;
}

/* How many pages are another number of links away. */
static int64_t wrong_distances(const web *w, const int32_t *got) {
    int32_t *away = malloc((size_t)w->pages * sizeof *away);
    int64_t wrong = 0;
    for (int64_t p = 0; away && p < w->pages; p++)
        away[p] = p ? -1 : 0;
    for (int step = 1, more = away != NULL; more; step++) {
        more = 0;
        for (int64_t l = 0; l < w->links; l++)
            if (away[w->from[l]] == step - 1 && away[w->to[l]] < 0) {
                away[w->to[l]] = step;
                more = 1;
            }
    }
    for (int64_t p = 0; away && p < w->pages; p++)
        wrong += got[p] != away[p];
    wrong = away ? wrong : w->pages;
    free(away);
    return wrong;
}

/* ---- both -------------------------------------------------------------------------------------------------- */

static int walk(fsr_context *ctx, const web *w, double *rank, int32_t *away) {
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_csr links;
    fsr_csr_from_coo(&links, fsr_from_host(g, FSR_I32, 1, &w->links, w->to),
                     fsr_from_host(g, FSR_I32, 1, &w->links, w->from), fsr_ones(g, FSR_F64, 1, &w->links), w->pages,
                     w->pages);
    fsr_status status = fsr_compute((fsr_node[]){links.offsets, links.columns, links.values}, 3);
    status = status ? status : ranks(&links, fsr_from_host(g, FSR_I32, 1, &w->pages, w->count), rank);
    status = status ? status : distances(&links, g, away);
    if (status)
        fprintf(stderr, "%s\n", fsr_error(ctx));
    return status == FSR_OK;
}

int main(int argc, char **argv) {
    const int64_t pages = argc > 1 ? atoll(argv[1]) : 20000;
    fsr_context *ctx;
    web w;
    if (pages < 2 || pages > 1 << 27) {
        fprintf(stderr, "usage: graph_steps [pages], 2 to 134217728\n");
        return 2;
    }
    double *rank = malloc((size_t)pages * sizeof *rank);
    int32_t *away = malloc((size_t)pages * sizeof *away);
    int good = web_make(&w, pages) && rank && away && fsr_open(NULL, &ctx) == FSR_OK;
    if (good) {
        good = walk(ctx, &w, rank, away);
        fsr_close(ctx);
    }
    if (good) {
        const double worst = worst_rank(&w, rank);
        const int64_t wrong = wrong_distances(&w, away);
        printf("%lld pages, %lld links: rank of the first page %.6f, off by at most %.1e; %lld distances are wrong\n",
               (long long)w.pages, (long long)w.links, rank[0], worst, (long long)wrong);
        good = worst < 1e-9 && wrong == 0;
    }
    free(w.from);
    free(w.to);
    free(w.count);
    free(rank);
    free(away);
    return !good;
}

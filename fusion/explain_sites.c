/* SPDX-License-Identifier: MIT */
/* Where nodes were recorded. A kernel's lines are told once each, in order, runs of them as one: a loop in the caller's
 * program records a thousand nodes at three lines. */
#include "fusion/explain.h"
#include "graph/message.h"
#include "graph/print.h"
#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES = 1024 };

static const fsr_site *site_of(const fsr_flow *flow, int id) {
    return id >= 0 && flow->node[id].site.file ? &flow->node[id].site : NULL;
}

void fsr_explain_site(const fsr_flow *flow, int a, int b, FILE *to) {
    const fsr_site *first = site_of(flow, a), *second = site_of(flow, b);
    if (!first)
        return;
    char file[FILE_BYTES];
    fsr_fput(to, " [%s:%d", fsr_message_copy(file, sizeof file, first->file), first->line);
    if (second && strcmp(first->file, second->file) != 0)
        fsr_fput(to, " into %s:%d", fsr_message_copy(file, sizeof file, second->file), second->line);
    else if (second)
        fsr_fput(to, " into %d", second->line);
    fputc(']', to);
}

static int by_place(const void *a, const void *b) {
    const fsr_site *x = *(const fsr_site *const *)a, *y = *(const fsr_site *const *)b;
    const int files = strcmp(x->file, y->file);
    return files ? files : (x->line > y->line) - (x->line < y->line);
}

static void print_sites(const fsr_site *const *site, int n, FILE *to) {
    char file[FILE_BYTES];
    for (int i = 0; i < n;) {
        int end = i;
        const bool same_file = i > 0 && strcmp(site[i]->file, site[i - 1]->file) == 0;
        while (end + 1 < n && strcmp(site[end + 1]->file, site[i]->file) == 0 &&
               site[end + 1]->line <= site[end]->line + 1)
            ++end;
        if (same_file)
            fputs(", ", to);
        else
            fsr_fput(to, "%s%s:", i ? "; " : "", fsr_message_copy(file, sizeof file, site[i]->file));
        fsr_fput(to, "%d", site[i]->line);
        if (site[end]->line != site[i]->line)
            fsr_fput(to, "-%d", site[end]->line);
        i = end + 1;
    }
}

void fsr_explain_sites(const fsr_flow *flow, const fsr_kernel *k, FILE *to) {
    int node[FSR_MAX_INSTS];
    fsr_explain_lines(flow, node, fsr_kernel_nodes(k, node), to);
}

void fsr_explain_lines(const fsr_flow *flow, const int *node, int count, FILE *to) {
    int n = 0;
    const fsr_site *site[FSR_MAX_INSTS];
    for (int i = 0; i < count; ++i)
        if (site_of(flow, node[i]))
            site[n++] = site_of(flow, node[i]);
    if (n) {
        qsort(site, (size_t)n, sizeof *site, by_place);
        fputs("    recorded at: ", to);
        print_sites(site, n, to);
        fputc('\n', to);
    }
}

/* SPDX-License-Identifier: MIT */
/* Refusals, those alike folded into one line.
 *
 * Alike are two edges whose nodes have the same names and whose reason is the same: a program that makes a hundred
 * steps is refused a hundred times in the same words. The first one is told, with the number of the others. */
#include "fusion/explain.h"
#include "graph/print.h"
#include <stdlib.h>
#include <string.h>

typedef struct refusal {
    const char *from, *to, *reason;
    int note;
    int like; /* others that are alike; -1: it is one of them */
} refusal;

/* The group that computes a node, -1: none in particular. */
static int group_of(const fsr_partition *p, int node) {
    if (p->group_of[node] >= 0)
        return p->group_of[node];
    for (int i = 0; i < FSR_MAX_OUTPUTS; ++i)
        if (p->stored[node * FSR_MAX_OUTPUTS + i] >= 0)
            return p->stored[node * FSR_MAX_OUTPUTS + i];
    return -1;
}

static int compare_words(const refusal *x, const refusal *y) {
    int order = strcmp(x->reason, y->reason);
    order = order ? order : strcmp(x->from, y->from);
    return order ? order : strcmp(x->to, y->to);
}

static int by_words(const void *a, const void *b) {
    const refusal *x = a, *y = b;
    const int order = compare_words(x, y);
    return order ? order : (x->note > y->note) - (x->note < y->note);
}

static int by_note(const void *a, const void *b) {
    const refusal *x = a, *y = b;
    return (x->note > y->note) - (x->note < y->note);
}

/* A refusal still stands if the two ended in different kernels. Returns how many do. */
static int collect(const fsr_partition *p, refusal *out) {
    int n = 0;
    for (int i = 0; i < p->nnotes; ++i) {
        const fsr_note *note = &p->note[i];
        if (group_of(p, note->producer) != group_of(p, note->consumer))
            out[n++] = (refusal){fsr_flow_name(p->flow, note->producer), fsr_flow_name(p->flow, note->consumer),
                                 note->reason, i, 0};
    }
    return n;
}

/* The first of those alike counts the others. */
static void fold(refusal *list, int n) {
    qsort(list, (size_t)n, sizeof *list, by_words);
    for (int first = 0, i = 1; i < n; ++i) {
        if (compare_words(&list[first], &list[i]) != 0) {
            first = i;
            continue;
        }
        ++list[first].like;
        list[i].like = -1;
    }
    qsort(list, (size_t)n, sizeof *list, by_note);
}

bool fsr_explain_notes(const fsr_partition *p, FILE *to) {
    refusal *list = malloc(sizeof *list * ((size_t)p->nnotes + 1));
    if (!list)
        return false;
    const int n = collect(p, list);
    fold(list, n);
    for (int i = 0; i < n; ++i) {
        const fsr_note *note = &p->note[list[i].note];
        if (list[i].like < 0)
            continue;
        fsr_fput(to, "not fused: %s (%%%d) into %s (%%%d): %s", list[i].from, note->producer, list[i].to,
                 note->consumer, note->reason);
        if (note->joined > 0)
            fsr_fput(to, " (%.0f ns, one %.0f ns)", note->apart, note->joined);
        fsr_explain_site(p->flow, note->producer, note->consumer, to);
        if (list[i].like)
            fsr_fput(to, ", and %d edge%s like it", list[i].like, list[i].like == 1 ? "" : "s");
        fputc('\n', to);
    }
    free(list);
    return true;
}

void fsr_explain_savings(const fsr_partition *p, FILE *to) {
    for (int i = 0; i < p->nsavings; ++i) {
        const fsr_saving *at = &p->saving[i];
        if (p->stored[at->node * FSR_MAX_OUTPUTS] < 0)
            continue;
        fsr_fput(to, "stored: %s (%%%d): %.0f ns with what reads it, computed again wherever it is read %.0f ns",
                 fsr_flow_name(p->flow, at->node), at->node, at->stored, at->computed);
        fsr_explain_site(p->flow, at->node, -1, to);
        fputc('\n', to);
    }
}

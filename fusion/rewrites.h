/* SPDX-License-Identifier: MIT */
/* The rewrites over a flow, one a file, and the table that runs them.
 *
 * A rewrite returns true if it changed the flow. The runner prints after a rewrite if asked to, verifies what changed
 * and what is left at the end, and checks of flows of up to a thousand nodes that what was reported as unchanged is. */
#ifndef FUSOR_FUSION_REWRITES_H
#define FUSOR_FUSION_REWRITES_H

#include "fusion/flow.h"

/* bool rewrite(flow, &status): status stays FSR_OK unless memory ran out. */
typedef bool (*fsr_rewrite_fn)(fsr_flow *flow, fsr_status *status);

bool fsr_rewrite_compose(fsr_flow *flow,
                         fsr_status *status); /* views of views become one view; identity views vanish */
bool fsr_rewrite_sections(fsr_flow *flow,
                          fsr_status *status); /* sections of reshaped repeats come before the reshape */
bool fsr_rewrite_simplify(fsr_flow *flow,
                          fsr_status *status); /* rules that keep every bit: x*1, x/1, x-0, casts to the same dtype */
bool fsr_rewrite_fold(fsr_flow *flow, fsr_status *status);    /* exact ops on literals */
bool fsr_rewrite_masks(fsr_flow *flow, fsr_status *status);   /* numbers made of a bool and literals are choices */
bool fsr_rewrite_cse(fsr_flow *flow, fsr_status *status);     /* equal nodes become one */
bool fsr_rewrite_bounds(fsr_flow *flow, fsr_status *status);  /* gathers of indices that are never outside clip */
bool fsr_rewrite_narrow(fsr_flow *flow, fsr_status *status);  /* indices of 32 bits in comparisons and gathers */
bool fsr_rewrite_hoist(fsr_flow *flow, fsr_status *status);   /* maps and reductions of placed elements come first */
bool fsr_rewrite_unstack(fsr_flow *flow, fsr_status *status); /* reductions of stacked pieces are maps of them */
bool fsr_rewrite_places(fsr_flow *flow, fsr_status *status);  /* places are stored as they are asked for */
bool fsr_rewrite_dce(fsr_flow *flow, fsr_status *status);     /* what no output needs is dropped */

typedef struct fsr_rewrite_options {
    const char *skip;        /* comma-separated names, or NULL */
    const char *print_after; /* comma-separated names or "all", or NULL */
    FILE *to;                /* for print_after */
} fsr_rewrite_options;

/* Runs the table. FSR_ERR_INTERNAL if a verify failed, with the rewrite's name in why. */
fsr_status fsr_rewrites_run(fsr_flow *flow, const fsr_rewrite_options *options, char *why, size_t size);
/* Brings what was made behind the table into the form that it leaves. */
fsr_status fsr_rewrites_tidy(fsr_flow *flow);
/* Name of rewrite i in order; NULL past the end. */
const char *fsr_rewrite_name(int i);
/* A rewrite by name; NULL if there is none. */
fsr_rewrite_fn fsr_rewrite_find(const char *name);

/* Helpers of the rewriting rewrites. A redirect table holds FSR_MAX_OUTPUTS links a node: to[i * FSR_MAX_OUTPUTS + k]
 * replaces result k of node i. Rewrites the arguments of node i; and the outputs, with the pairs. */
void fsr_flow_redirect(fsr_flow *flow, int i, const fsr_link *to);
void fsr_flow_redirect_outs(fsr_flow *flow, const fsr_link *to);
/* Takes the nodes that stand in `made` for its own; at: what stands for each. */
void fsr_flow_become(fsr_flow *flow, fsr_flow *made, const fsr_link *at);
/* Makes a view of a view a view of what that shows, of shape `source`. False: one is affine and the other is not. */
bool fsr_flow_compose(fsr_flow_node *outer, const fsr_flow_node *inner, const fsr_shape *source);
/* A view of the same elements in the same order, which nobody wants stored: a reshape, or dimensions of extent 1 that
 * come or go. */
bool fsr_flow_in_order(const fsr_flow *flow, const fsr_flow_node *n);
/* Outputs that are a view in its source's own order become the source: an array has no shape in memory. True if any. */
bool fsr_flow_bare_outs(fsr_flow *flow);
/* Sets live[i] of the nodes that outputs need; the others' are false before. */
void fsr_flow_mark(const fsr_flow *flow, bool *live);
/* How many read each node's results, outputs counted; malloc'ed. NULL: out of memory (then *status is set). */
int *fsr_flow_readers(const fsr_flow *flow, fsr_status *status);
/* Replaces every result k of node i by link + k. */
void fsr_flow_replace(fsr_link *to, int i, fsr_link link);
/* The literal behind a link, through broadcasts; NULL: it is none. */
const fsr_flow_node *fsr_flow_literal(const fsr_flow *flow, fsr_link link);
/* Adds a literal of the dtype and in the shape of node `like`, which is none of the flow's own; its id is -1: out of
 * memory. */
fsr_link fsr_flow_add_literal(fsr_flow *flow, const fsr_flow_node *like, fsr_value value);
/* A malloc'ed identity table; NULL: out of memory (then *status is set). */
fsr_link *fsr_flow_redirects(const fsr_flow *flow, fsr_status *status);
/* True if the word is in the comma-separated list (NULL: false). */
bool fsr_list_has(const char *list, const char *word);

#endif

/* SPDX-License-Identifier: MIT */
/* The pipeline table and its runner; see rewrites.h. */
#include "fusion/rewrites.h"
#include "graph/message.h"
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    fsr_rewrite_fn run;
} pipeline[] = {
    {"compose", fsr_rewrite_compose}, {"sections", fsr_rewrite_sections}, {"simplify", fsr_rewrite_simplify},
    {"fold", fsr_rewrite_fold},       {"masks", fsr_rewrite_masks},       {"cse", fsr_rewrite_cse},
    {"bounds", fsr_rewrite_bounds},   {"narrow", fsr_rewrite_narrow},     {"hoist", fsr_rewrite_hoist},
    {"unstack", fsr_rewrite_unstack}, {"places", fsr_rewrite_places},     {"dce", fsr_rewrite_dce},
};
enum { REWRITES = sizeof pipeline / sizeof pipeline[0] };

const char *fsr_rewrite_name(int i) {
    return i >= 0 && i < REWRITES ? pipeline[i].name : NULL;
}

fsr_rewrite_fn fsr_rewrite_find(const char *name) {
    for (int i = 0; i < REWRITES; ++i)
        if (strcmp(pipeline[i].name, name) == 0)
            return pipeline[i].run;
    return NULL;
}

bool fsr_list_has(const char *list, const char *word) {
    size_t n = strlen(word);
    for (const char *at = list; at && *at;) {
        const char *end = strchr(at, ',');
        size_t length = end ? (size_t)(end - at) : strlen(at);
        if (length == n && memcmp(at, word, n) == 0)
            return true;
        at = end ? end + 1 : NULL;
    }
    return false;
}

/* Nodes of a flow for which a rewrite has to prove that it changed nothing if it says so: a signature before it and one
 * after it. A rewrite that does not tell the truth need not be asked about a million of nodes. */
enum { MOST_PROVED = 1024 };

typedef struct signature {
    void *bytes;
    size_t size;
} signature;

typedef struct run {
    fsr_flow *flow;
    const fsr_rewrite_options *options;
    bool proves;
    signature of; /* of the flow as it is, if rewrites have to prove */
    bool verified;
    char *why;
    size_t size;
} run;

static fsr_status sign(const fsr_flow *flow, signature *of) {
    of->bytes = fsr_flow_signature(flow, &of->size);
    return of->bytes ? FSR_OK : FSR_ERR_MEMORY;
}

/* The flow's signature takes the place of that before the rewrite. */
static fsr_status prove(run *r, int rewrite, bool changed) {
    signature after = {NULL, 0};
    fsr_status status = sign(r->flow, &after);
    const bool differs = !status && (r->of.size != after.size || memcmp(r->of.bytes, after.bytes, after.size) != 0);
    free(r->of.bytes);
    r->of = after;
    if (!differs || changed)
        return status;
    snprintf(r->why, r->size, "rewrite %s changed the flow and said it did not", pipeline[rewrite].name);
    return FSR_ERR_INTERNAL;
}

static fsr_status verify(run *r, int rewrite) {
    char violation[200];
    r->verified = true;
    if (!fsr_flow_verify(r->flow, violation, sizeof violation))
        return FSR_OK;
    snprintf(r->why, r->size, "after rewrite %s: %s", pipeline[rewrite].name, violation);
    return FSR_ERR_INTERNAL;
}

static bool prints(const fsr_rewrite_options *options, int rewrite) {
    return fsr_list_has(options->print_after, pipeline[rewrite].name) || fsr_list_has(options->print_after, "all");
}

/* What a rewrite made a constant is in no pair any more: counter-example to leaving that to the next rewrite that
 * redirects, which has changed nothing itself. */
static fsr_status run_one(run *r, int rewrite) {
    fsr_status status = FSR_OK;
    const bool changed = pipeline[rewrite].run(r->flow, &status);
    fsr_flow_settle_pairs(r->flow);
    if (!status && r->proves)
        status = prove(r, rewrite, changed);
    r->verified = r->verified && !changed;
    if (!status && changed)
        status = verify(r, rewrite);
    if (!status && prints(r->options, rewrite)) {
        fprintf(r->options->to, "# after %s:\n", pipeline[rewrite].name);
        fsr_flow_print(r->flow, r->options->to);
    }
    return status;
}

/* What is planned was verified, however many rewrites say that they changed nothing. */
fsr_status fsr_rewrites_run(fsr_flow *flow, const fsr_rewrite_options *options, char *why, size_t size) {
    run r = {.flow = flow, .options = options, .proves = flow->n <= MOST_PROVED, .why = why, .size = size};
    fsr_status status = r.proves ? sign(flow, &r.of) : FSR_OK;
    int last = -1;
    for (int i = 0; i < REWRITES && !status; ++i)
        if (!fsr_list_has(options->skip, pipeline[i].name))
            status = run_one(&r, last = i);
    if (!status && last >= 0 && !(r.proves && r.verified))
        status = verify(&r, last);
    free(r.of.bytes);
    return status;
}

fsr_link *fsr_flow_redirects(const fsr_flow *flow, fsr_status *status) {
    fsr_link *to = malloc(sizeof *to * FSR_MAX_OUTPUTS * (size_t)(flow->n + 1));
    if (!to) {
        *status = FSR_ERR_MEMORY;
        return NULL;
    }
    for (int i = 0; i < flow->n; ++i)
        fsr_flow_replace(to, i, (fsr_link){i, 0});
    return to;
}

void fsr_flow_replace(fsr_link *to, int i, fsr_link link) {
    for (int k = 0; k < FSR_MAX_OUTPUTS; ++k)
        to[i * FSR_MAX_OUTPUTS + k] = (fsr_link){link.id, link.output + k};
}

static fsr_link follow(fsr_link link, const fsr_link *to) {
    return to[link.id * FSR_MAX_OUTPUTS + link.output];
}

static int redirected(int node, const fsr_link *to) {
    return node < 0 ? node : follow((fsr_link){node, 0}, to).id;
}

void fsr_flow_redirect(fsr_flow *flow, int i, const fsr_link *to) {
    for (int k = 0; k < flow->node[i].nargs; ++k)
        flow->node[i].arg[k] = follow(flow->node[i].arg[k], to);
}

const fsr_flow_node *fsr_flow_literal(const fsr_flow *flow, fsr_link link) {
    const fsr_flow_node *n = &flow->node[link.id];
    while (fsr_is(n->kind, FSR_IS_VIEW))
        n = &flow->node[n->arg[0].id];
    return fsr_is(n->kind, FSR_IS_LITERAL) ? n : NULL;
}

fsr_link fsr_flow_add_literal(fsr_flow *flow, const fsr_flow_node *like, fsr_value value) {
    fsr_flow_node n = {.kind = FSR_NODE_CONST, .nout = 1, .value = value};
    n.dtype[0] = like->dtype[0];
    n.site = like->site;
    const fsr_link link = {fsr_flow_add(flow, &n), 0};
    if (link.id < 0 || !like->shape.ndim)
        return link;
    fsr_flow_node view = {.kind = FSR_NODE_VIEW, .nout = 1, .shape = like->shape, .nargs = 1, .arg = {link}};
    view.dtype[0] = like->dtype[0];
    view.site = like->site;
    return (fsr_link){fsr_flow_add(flow, &view), 0};
}

void fsr_flow_become(fsr_flow *flow, fsr_flow *made, const fsr_link *at) {
    free(flow->node);
    flow->node = made->node;
    flow->n = made->n;
    flow->capacity = made->capacity;
    fsr_flow_redirect_outs(flow, at);
}

void fsr_flow_redirect_outs(fsr_flow *flow, const fsr_link *to) {
    for (int i = 0; i < flow->nout; ++i)
        flow->out[i] = follow(flow->out[i], to);
    for (int i = 0; i < flow->npairs; ++i)
        for (int k = 0; k < 2; ++k)
            flow->pair[i].node[k] = redirected(flow->pair[i].node[k], to);
    fsr_flow_settle_pairs(flow);
}

fsr_status fsr_rewrites_tidy(fsr_flow *flow) {
    static const fsr_rewrite_fn rewrites[] = {fsr_rewrite_compose, fsr_rewrite_simplify, fsr_rewrite_fold,
                                              fsr_rewrite_cse, fsr_rewrite_dce};
    fsr_status status = FSR_OK;
    for (size_t i = 0; i < sizeof rewrites / sizeof *rewrites && !status; ++i)
        rewrites[i](flow, &status);
    fsr_flow_settle_pairs(flow);
    return status;
}

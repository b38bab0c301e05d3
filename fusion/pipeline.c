/* SPDX-License-Identifier: MIT */
/* The pipeline table and its runner; see passes.h. */
#include "fusion/passes.h"
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    fsr_pass_fn run;
} pipeline[] = {
    {"compose", fsr_pass_compose}, {"simplify", fsr_pass_simplify}, {"fold", fsr_pass_fold}, {"cse", fsr_pass_cse},
    {"hoist", fsr_pass_hoist},     {"places", fsr_pass_places},     {"dce", fsr_pass_dce},
};
enum { PASSES = sizeof pipeline / sizeof pipeline[0] };

const char *fsr_pass_name(int i) {
    return i >= 0 && i < PASSES ? pipeline[i].name : NULL;
}

fsr_pass_fn fsr_pass_find(const char *name) {
    for (int i = 0; i < PASSES; ++i)
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

typedef struct signature {
    void *bytes;
    size_t size;
} signature;

/* The flow's signature takes the place of that before the pass. What a pass made a constant is in no pair any more:
 * counter-example to leaving that to the next pass that redirects, which has changed nothing itself. */
static fsr_status run_one(fsr_flow *flow, int i, const fsr_pass_options *options, signature *of, char *why,
                          size_t size) {
    char violation[200];
    fsr_status status = FSR_OK;
    signature after = {NULL, 0};
    bool changed = pipeline[i].run(flow, &status);
    fsr_flow_settle_pairs(flow);
    if (!status && (after.bytes = fsr_flow_signature(flow, &after.size)) == NULL)
        status = FSR_ERR_MEMORY;
    bool differs = !status && (of->size != after.size || memcmp(of->bytes, after.bytes, after.size) != 0);
    free(of->bytes);
    *of = after;
    if (!status && differs && !changed) {
        snprintf(why, size, "pass %s changed the flow and said it did not", pipeline[i].name);
        return FSR_ERR_INTERNAL;
    }
    if (!status && fsr_flow_verify(flow, violation, sizeof violation)) {
        snprintf(why, size, "after pass %s: %s", pipeline[i].name, violation);
        return FSR_ERR_INTERNAL;
    }
    if (!status &&
        (fsr_list_has(options->print_after, pipeline[i].name) || fsr_list_has(options->print_after, "all"))) {
        fprintf(options->to, "# after %s:\n", pipeline[i].name);
        fsr_flow_print(flow, options->to);
    }
    return status;
}

fsr_status fsr_passes_run(fsr_flow *flow, const fsr_pass_options *options, char *why, size_t size) {
    signature of = {NULL, 0};
    of.bytes = fsr_flow_signature(flow, &of.size);
    fsr_status status = of.bytes ? FSR_OK : FSR_ERR_MEMORY;
    for (int i = 0; i < PASSES && !status; ++i)
        if (!fsr_list_has(options->skip, pipeline[i].name))
            status = run_one(flow, i, options, &of, why, size);
    free(of.bytes);
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

void fsr_flow_redirect_outs(fsr_flow *flow, const fsr_link *to) {
    for (int i = 0; i < flow->nout; ++i)
        flow->out[i] = follow(flow->out[i], to);
    for (int i = 0; i < flow->npairs; ++i)
        for (int k = 0; k < 2; ++k)
            flow->pair[i].node[k] = redirected(flow->pair[i].node[k], to);
    fsr_flow_settle_pairs(flow);
}

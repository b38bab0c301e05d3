/* SPDX-License-Identifier: MIT */
/* A flow's text read back: a graph's, whose nodes all stay and keep their order, and whose leaves and scalars have
 * their numbers in their names.
 *
 * Counter-example to building the flow of what the text's results need: after a rewrite a flow may have leaves that
 * nobody needs any more, and nodes in another order than a walk from the results meets them; and planning looks at
 * both. */
#include "fusion/flow.h"
#include <stdlib.h>
#include <string.h>

/* The number at the end of a name; -1: it is not such a name. */
static int number_in(const char *name, const char *head) {
    char *end;
    if (!name || strncmp(name, head, strlen(head)) != 0)
        return -1;
    const char *digits = name + strlen(head);
    const long number = strtol(digits, &end, 10);
    return *digits >= '0' && *digits <= '9' && !*end && number < INT32_MAX ? (int)number : -1;
}

/* Numbers the leaves, or the scalars, as their names say; `count` becomes what the largest needs. False: a name says
 * nothing. */
static bool number_all(fsr_flow *flow, const fsr_graph *g, const fsr_ref *from, uint32_t trait, const char *head,
                       int *count) {
    *count = 0;
    for (int i = 0; i < flow->n; ++i) {
        fsr_flow_node *n = &flow->node[i];
        if (!fsr_is(n->kind, trait))
            continue;
        const int number = number_in(fsr_graph_rec(g, from[n->ordinal].id)->name, head);
        if (number < 0)
            return false;
        n->ordinal = number;
        *count = number >= *count ? number + 1 : *count;
    }
    return true;
}

static fsr_status fail(fsr_parse_error *error, const char *why) {
    if (error)
        snprintf(error->message, sizeof error->message, "%s", why);
    return FSR_ERR_FORMAT;
}

static fsr_status take(fsr_flow *flow, const fsr_graph *g, const fsr_node *outs, int n, fsr_parse_error *error) {
    fsr_binding binding;
    fsr_ref *refs = malloc(sizeof *refs * (size_t)(n + 1));
    for (int i = 0; refs && i < n; ++i)
        refs[i] = (fsr_ref){outs[i].id, outs[i].output};
    fsr_status status = refs ? fsr_flow_build_all(flow, &binding, g, refs, n) : FSR_ERR_MEMORY;
    free(refs);
    if (status)
        return status;
    const bool good = number_all(flow, g, binding.leaf, FSR_IS_ARRAY, FSR_LEAF_NAME, &flow->nleaves) &&
                      number_all(flow, g, binding.scalar, FSR_IS_ARGUMENT, FSR_SCALAR_NAME, &flow->nscalars);
    fsr_binding_clear(&binding);
    if (good)
        return FSR_OK;
    fsr_flow_clear(flow);
    return fail(error, "inputs of a flow are named leaf0, leaf1 ..., parameters param0, param1 ...");
}

/* Results of the last line: at most one for each comma of the text, and one more. */
static int most_results(const char *text) {
    int n = 1;
    for (; *text; ++text)
        n += *text == ',';
    return n;
}

fsr_status fsr_flow_parse(fsr_flow *flow, fsr_graph *g, const char *text, fsr_parse_error *error) {
    const int capacity = most_results(text);
    fsr_node *outs = malloc(sizeof *outs * (size_t)capacity);
    int n = 0;
    memset(flow, 0, sizeof *flow);
    if (error)
        *error = (fsr_parse_error){.line = 1, .column = 1};
    fsr_status status = outs ? fsr_graph_parse_all(g, text, outs, capacity, &n, error) : FSR_ERR_MEMORY;
    if (!status)
        status = take(flow, g, outs, n, error);
    free(outs);
    return status;
}

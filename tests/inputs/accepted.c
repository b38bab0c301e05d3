/* SPDX-License-Identifier: MIT */
/* What is accepted must verify, print, read back as the same text, and, if it is no poison, can be planned, fused and
 * not: a kernel for every machine, or an error in words. Nothing runs: the shapes may be astronomic. */
#include "fusion/plan.h"
#include "graph/print.h"
#include "graph/scope.h"
#include "graph/verify.h"
#include "primitives/parse.h"
#include "tests/inputs/inputs.h"
#include "tests/support/targets.h"
#include <string.h>

static char *print(const fsr_graph *g, const fsr_node *outs, int n) {
    fsr_ref refs[INPUT_OUTS];
    char *text = NULL;
    size_t size;
    for (int i = 0; i < n; i++)
        refs[i] = (fsr_ref){outs[i].id, outs[i].output};
    FILE *to = open_memstream(&text, &size);
    MUST(to && fsr_graph_print(g, refs, n, to) == FSR_OK);
    fclose(to);
    return text;
}

static void reads_back(fsr_graph_owner *owner, const char *text, int n) {
    fsr_graph *g = fsr_graph_create(owner);
    fsr_node outs[INPUT_OUTS];
    fsr_parse_error error;
    int count;
    if (fsr_graph_parse(g, text, outs, INPUT_OUTS, &count, &error)) {
        fprintf(stderr, "%d:%d: %s\n%s", error.line, error.column, error.message, text);
        abort();
    }
    MUST(count == n);
    char *again = print(g, outs, n);
    if (strcmp(text, again)) {
        fprintf(stderr, "read back as another text:\n%s----\n%s", text, again);
        abort();
    }
    free(again);
    fsr_graph_free(g);
}

static void plans(const fsr_graph *g, const fsr_node *outs, int n) {
    fsr_ref refs[INPUT_OUTS];
    for (int i = 0; i < n; i++)
        refs[i] = (fsr_ref){outs[i].id, outs[i].output};
    for (int i = 0; i < 3; i++) {
        const fsr_program_options options = {
            .target = i > 0 ? target_small_gpu : target_cpu, .fusion = i != 1, .fuel = -1};
        char why[300] = "";
        fsr_flow flow;
        fsr_binding binding;
        fsr_program program = {.nthunks = 0};
        fsr_status status = fsr_flow_build(&flow, &binding, g, refs, n);
        if (status == FSR_OK)
            status = fsr_program_make(&program, &flow, &options, why, sizeof why);
        if (status && status != FSR_ERR_SIZE && status != FSR_ERR_UNSUPPORTED) {
            fprintf(stderr, "plan %d: %s: %s\n", i, fsr_status_name(status), why);
            abort();
        }
        fsr_program_clear(&program);
        fsr_binding_clear(&binding);
    }
}

static bool poisoned(const fsr_node *outs, int n) {
    for (int i = 0; i < n; i++)
        if (fsr_node_status(outs[i]))
            return true;
    return false;
}

void input_accepted(fsr_graph_owner *owner, fsr_graph *g, const fsr_node *outs, int n, bool plan) {
    char why[200] = "";
    if (fsr_graph_verify(g, why, sizeof why)) {
        fprintf(stderr, "accepted, but: %s\n", why);
        abort();
    }
    MUST(fsr_scope_end(g, NULL, 0) == FSR_ERR_SCOPE);
    char *text = print(g, outs, n);
    reads_back(owner, text, n);
    free(text);
    if (n > 0 && plan && !poisoned(outs, n))
        plans(g, outs, n);
}

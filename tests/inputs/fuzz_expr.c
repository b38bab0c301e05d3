/* SPDX-License-Identifier: MIT */
/* Any bytes as an expression over a matrix, a vector, a scalar, an integer and a bool.
 *
 * A mistake is one poisoned node with a message and records nothing else. */
#include "fusor/expr.h"
#include "tests/inputs/inputs.h"
#include <string.h>

enum { PLANNED = 300, INPUTS = 5 };

static void inputs(fsr_graph *g, fsr_name *names) {
    static const char *const name[INPUTS] = {"x", "v", "a", "n", "b"};
    const fsr_node node[INPUTS] = {fsr_input(g, "x", FSR_F32, 2, (int64_t[]){3, 4}),
                                   fsr_input(g, "v", FSR_F64, 1, (int64_t[]){4}), fsr_param(g, "a", FSR_F32, 0.5),
                                   fsr_arange(g, FSR_I32, 4), fsr_input(g, "b", FSR_BOOL, 1, (int64_t[]){4})};
    for (int i = 0; i < INPUTS; i++)
        names[i] = (fsr_name){name[i], node[i]};
}

int fuzz_expr(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    MUST(text);
    if (size)
        memcpy(text, data, size);
    text[size] = 0;
    fsr_graph_owner *owner = fsr_graph_owner_new(NULL, NULL);
    fsr_graph *g = fsr_graph_create(owner);
    fsr_name names[INPUTS];
    fsr_node outs[INPUT_OUTS];
    inputs(g, names);
    int64_t live = fsr_graph_live(g);
    int n = fsr_exprs(g, text, names, INPUTS, outs, INPUT_OUTS);
    MUST(n >= 0 && n <= INPUT_OUTS);
    if (n == 0) {
        MUST(fsr_node_status(outs[0]) != FSR_OK && fsr_node_error(outs[0])[0]);
        MUST(fsr_graph_live(g) == live + 1);
    }
    for (int i = 0; i < n; i++)
        MUST(fsr_node_status(outs[i]) == FSR_OK);
    if (n > 0)
        input_accepted(owner, g, outs, n, size < PLANNED);
    fsr_graph_owner_free(owner);
    free(text);
    return 0;
}

FUZZ_ENTRY(fuzz_expr)

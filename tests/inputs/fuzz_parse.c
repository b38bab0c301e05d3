/* SPDX-License-Identifier: MIT */
/* Any bytes as the text of a graph. An error has a place inside the text and leaves the graph as it was. */
#include "primitives/parse.h"
#include "tests/inputs/inputs.h"
#include <string.h>

enum { PLANNED = 4000 };

static void refused(const fsr_graph *g, const char *text, fsr_status status, const fsr_parse_error *error) {
    MUST(status == FSR_ERR_FORMAT);
    MUST(error->line >= 1 && error->column >= 1 && (size_t)error->column <= strlen(text) + 1);
    MUST(memchr(error->message, 0, sizeof error->message) && error->message[0]);
    MUST(fsr_graph_live(g) == 0);
}

int fuzz_parse(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    MUST(text);
    if (size)
        memcpy(text, data, size);
    text[size] = 0;
    fsr_graph_owner *owner = fsr_graph_owner_new(NULL, NULL);
    fsr_graph *g = fsr_graph_create(owner);
    fsr_node outs[INPUT_OUTS];
    fsr_parse_error error = {.line = 0};
    int n = -1;
    fsr_status status = fsr_graph_parse(g, text, outs, INPUT_OUTS, &n, &error);
    if (status)
        refused(g, text, status, &error);
    else
        input_accepted(owner, g, outs, n, size < PLANNED);
    MUST(status == FSR_OK || n == 0);
    fsr_graph_owner_free(owner);
    free(text);
    return 0;
}

FUZZ_ENTRY(fuzz_parse)

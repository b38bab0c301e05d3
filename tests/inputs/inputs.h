/* SPDX-License-Identifier: MIT */
/* Inputs from outside as functions of bytes: for libFuzzer, and for the replay of a corpus in every test run.
 *
 * Each takes any bytes and returns 0; what must not be ends the program with a line that says what. Built with
 * FUSOR_LIBFUZZER the file of each also has libFuzzer's entry (scripts/trust inputs). */
#ifndef FUSOR_TESTS_INPUTS_H
#define FUSOR_TESTS_INPUTS_H

#include "graph/graph.h"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int fuzz_npy(const uint8_t *data, size_t size);
int fuzz_parse(const uint8_t *data, size_t size);
int fuzz_expr(const uint8_t *data, size_t size);
int fuzz_api(const uint8_t *data, size_t size); /* tests/api */

/* What an input was read as, in a graph of this owner. */
enum { INPUT_OUTS = 6 };
void input_accepted(fsr_graph_owner *owner, fsr_graph *g, const fsr_node *outs, int n, bool plan);

#define MUST(condition)                                                                    \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                       \
        }                                                                                  \
    } while (0)

#ifdef FUSOR_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
#define FUZZ_ENTRY(function)                                       \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { \
        return function(data, size);                               \
    }
#else
#define FUZZ_ENTRY(function)
#endif

#endif

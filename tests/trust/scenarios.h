/* SPDX-License-Identifier: MIT */
/* Work that a program does with Fusor, as one function each: it makes what it needs, cleans up in any case, and tells
 * the first failure or the bytes it computed. The same work is run with each of its calls failing. */
#ifndef FUSOR_TESTS_TRUST_SCENARIOS_H
#define FUSOR_TESTS_TRUST_SCENARIOS_H

#include "fusor/fusor.h"
#include <stddef.h>

typedef struct outcome {
    fsr_status status;
    char message[600];
    size_t bytes;
    unsigned char data[16384];
} outcome;

typedef struct scenario {
    const char *name;
    void (*run)(fsr_context *ctx, outcome *out);
} scenario;

/* Recording every primitive; elementwise, rows, scans, tuples, plans, files, printing, checking, native
 * functions, scopes, parsing. */
extern const scenario scenarios[];
extern const int scenario_count;

/* By name; NULL: there is none. */
const scenario *scenario_find(const char *name);
/* Runs s on ctx into an emptied outcome. */
void scenario_run(const scenario *s, fsr_context *ctx, outcome *out);
/* Fails the running test unless got, after fault number k, is good and has the expected bytes. */
void scenario_check(const outcome *got, const outcome *expected, const char *name, int64_t k, const char *when);

/* Defaults for a backend, whatever the environment says: no disk cache, silent, the stub compiler of faults.h. */
fsr_config scenario_config(fsr_backend_kind backend);
/* A context of that configuration; without one the running test fails with what was said. */
fsr_context *scenario_open(const fsr_config *config);

#endif

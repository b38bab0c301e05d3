/* SPDX-License-Identifier: MIT */
/* A program that is interpreted: its memory, and the loops among its thunks. */
#ifndef FUSOR_TESTS_FUZZ_EXECUTION_H
#define FUSOR_TESTS_FUZZ_EXECUTION_H

#include "fusion/loop_plan.h"
#include "tests/fuzz/check.h"

enum { GUARD = 64, PATTERN = 0xc5 };

typedef struct execution {
    fsr_program program;
    fsr_binding binding;
    void **leaf;
    fsr_value *scalar;
    unsigned char **out; /* between guards */
    int64_t *bytes;      /* of each output */
    char *arena;         /* what follows it cannot be read */
    uint64_t *word;      /* of reports */
} execution;

/* Memory for the temporaries of a program, what follows it cannot be read. */
char *fuzz_arena_new(const fsr_program *p);
void fuzz_arena_free(const fsr_program *p, char *arena);
void *fuzz_address(const execution *e, const fsr_use *use);
/* Runs n thunks; a loop's body's stand behind it. */
fsr_status fuzz_run_thunks(execution *e, const fsr_thunk *thunk, int n);
/* Runs a loop, all its turns, in buffers of their own. loops.c */
fsr_status fuzz_run_loop(execution *e, const fsr_thunk *thunk);

#endif

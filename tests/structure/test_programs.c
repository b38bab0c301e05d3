/* SPDX-License-Identifier: MIT */
/* How many kernels and library calls the programs of bench/programs become, at the suites' extents, on a GPU and on a
 * CPU: no more than tests/structure/programs.txt says, but for one in eight. Counterexample to asking of a few
 * programs: a rewrite of places left nl_means 43 kernels for one, while every test of that rewrite passed.
 *
 * FUSOR_UPDATE_PROGRAMS=1 writes the table. */
#include "bench/bench.h"
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"
#include <stdlib.h>
#include <string.h>

enum { SLACK = 8, NAME = 64 };

static const bench_family *const families[] = {
    &bench_programs_stencil, &bench_programs_linear, &bench_programs_learning, &bench_programs_science,
    &bench_programs_image,   &bench_programs_flow,   &bench_programs_loops,    &bench_programs_rodinia,
    &bench_programs_levels,  &bench_programs_counts, &bench_programs_orders,   &bench_programs_late};

static const char table[] = "tests/structure/programs.txt";

typedef struct counts {
    int gpu, cpu;
} counts;

static int thunks_of(const fsr_target *target, const fsr_node *out, int n) {
    fsr_program program = plan_of(target, out, n);
    const int thunks = program.nthunks;
    fsr_program_clear(&program);
    return thunks;
}

static counts count(const bench_workload *work) {
    fsr_node in[BENCH_MAX_IN], out[BENCH_MAX_OUT];
    for (int i = 0; i < work->ninputs; i++) {
        bench_array array = {.ndim = 0};
        bench_program_shape(work->program, BENCH_SUITE, i, &array);
        in[i] = fsr_input(g, work->program->in[i].name, array.dtype, array.ndim, array.shape);
    }
    (work->program->text ? bench_program_build(work, g, in, out) : work->build(g, in, out));
    return (counts){thunks_of(&target_gpu, out, work->nouts), thunks_of(&target_cpu, out, work->nouts)};
}

static bool find(FILE *from, const char *name, counts *out) {
    char line[200], word[NAME];
    rewind(from);
    while (fgets(line, sizeof line, from))
        if (sscanf(line, "%63s %d %d", word, &out->gpu, &out->cpu) == 3 && !strcmp(word, name))
            return true;
    return false;
}

static bool is_more(int now, int then) {
    return now > then + then / SLACK;
}

/* Writes the program's line, or compares it. False: it has become more, or is in no line. */
static bool check(FILE *file, bool update, const bench_workload *work) {
    counts then;
    const counts now = count(work);
    if (update)
        return fprintf(file, "%s %d %d\n", work->name, now.gpu, now.cpu) > 0;
    if (!find(file, work->name, &then)) {
        fprintf(stderr, "%s is not in %s\n", work->name, table);
        return false;
    }
    if (!is_more(now.gpu, then.gpu) && !is_more(now.cpu, then.cpu))
        return true;
    fprintf(stderr, "%s: %d on a GPU and %d on a CPU; it was %d and %d\n", work->name, now.gpu, now.cpu, then.gpu,
            then.cpu);
    return false;
}

static void kernels_of_programs(void **state) {
    (void)state;
    const bool update = getenv("FUSOR_UPDATE_PROGRAMS") != NULL;
    FILE *file = fopen(table, update ? "w" : "r");
    bool right = true;
    assert_non_null(file);
    if (update)
        fputs("# program, kernels and library calls on a GPU, on a CPU (test_programs.c)\n", file);
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        for (int i = 0; i < families[f]->count; i++)
            right = check(file, update, &families[f]->work[i]) && right;
    fclose(file);
    assert_true(right);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(kernels_of_programs, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

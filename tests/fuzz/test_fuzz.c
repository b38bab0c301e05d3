/* SPDX-License-Identifier: MIT */
/* The fuzzer: random graphs, reference against unfused against fused.
 *
 *     fuzz_fuzz [--graphs N] [--seed S] [--compiled N] [--only SEED] [--backend cpu|cuda] [--verbose]
 *
 * Seeds S, S+1, ... are interpreted (N graphs), and every so often one is compiled as well (until N were). A mismatch
 * says which half is guilty, is cut down and printed as builder code with its plans. --only looks at one seed,
 * compiled too if --compiled is not 0. --backend: where graphs are compiled, cpu unless said. */
#include "tests/fuzz/check.h"
#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FAILURES = 5 };

typedef struct options {
    long graphs, compiled;
    uint64_t seed, only;
    bool one, verbose;
    fsr_backend_kind backend;
} options;

typedef struct hunt {
    uint64_t seed;
    verdict verdict;
    const check_pair *pair; /* NULL: interpreted */
    finding finding;
} hunt;

static bool still(const recipe *r, void *user) {
    hunt *h = user;
    finding now;
    verdict v = h->pair ? check_compiled(h->pair, r, &now) : check_recipe(r, h->seed, &now);
    if (v != h->verdict)
        return false;
    h->finding = now;
    return true;
}

static void report(recipe *r, hunt *h) {
    printf("\nseed %" PRIu64 ": %s (%s): %s\n", h->seed, verdict_text(h->verdict), h->finding.variant, h->finding.what);
    fflush(stdout);
    shrink_recipe(r, still, h);
    printf("cut down: (%s): %s\n", h->finding.variant, h->finding.what);
    recipe_print(r, stdout);
    check_explain(r, h->seed, h->finding.variant, stdout);
    fflush(stdout);
}

/* One seed in eight finds memory that is not zero, so that what nobody has written shows; writing all of it takes three
 * times as long as a graph does. */
static void perturb(uint64_t seed) {
    mallopt(M_PERTURB, seed % 8 == 0 ? 0xa5 : 0);
}

static bool look(uint64_t seed, const check_pair *pair) {
    recipe r;
    perturb(seed);
    hunt h = {.seed = seed, .pair = pair};
    recipe_generate(&r, seed);
    h.verdict = pair ? check_compiled(pair, &r, &h.finding) : check_recipe(&r, seed, &h.finding);
    if (h.verdict)
        report(&r, &h);
    return h.verdict == VERDICT_GOOD;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool parse(int argc, char **argv, options *o) {
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(name, "--verbose") == 0) {
            o->verbose = true;
            continue;
        }
        if (!value)
            return false;
        i++;
        if (strcmp(name, "--graphs") == 0)
            o->graphs = atol(value);
        else if (strcmp(name, "--compiled") == 0)
            o->compiled = atol(value);
        else if (strcmp(name, "--seed") == 0)
            o->seed = strtoull(value, NULL, 10);
        else if (strcmp(name, "--only") == 0)
            o->only = strtoull(value, NULL, 10), o->one = true;
        else if (strcmp(name, "--backend") == 0)
            o->backend = strcmp(value, "cuda") == 0 ? FSR_BACKEND_CUDA : FSR_BACKEND_CPU;
        else
            return false;
    }
    return true;
}

/* Graphs looked at; *bad counts mismatches. */
static void interpreted(const options *o, int *bad) {
    double start = now();
    long done = 0;
    for (; done < o->graphs && *bad < FAILURES; done++) {
        if (o->verbose)
            fprintf(stderr, "seed %" PRIu64 "\n", o->seed + (uint64_t)done);
        *bad += !look(o->seed + (uint64_t)done, NULL);
    }
    printf("interpreted: %ld graphs, %.0f a second\n", done, (double)done / (now() - start));
}

static void compiled(const options *o, int *bad) {
    char why[300] = "";
    check_pair pair;
    long done = 0;
    if (o->compiled <= 0)
        return;
    if (!check_pair_open(&pair, o->backend, why, sizeof why)) {
        printf("compiled: skipped, %s\n", why);
        check_pair_close(&pair);
        return;
    }
    for (; done < o->compiled && *bad < FAILURES; done++) {
        if (o->verbose)
            fprintf(stderr, "compiled seed %" PRIu64 "\n", o->seed + (uint64_t)done);
        *bad += !look(o->seed + (uint64_t)done, &pair);
    }
    printf("compiled: %ld graphs\n", done);
    check_pair_close(&pair);
}

int main(int argc, char **argv) {
    options o = {.graphs = 8000, .compiled = 30, .seed = 1, .backend = FSR_BACKEND_CPU};
    int bad = 0;
    if (!parse(argc, argv, &o)) {
        fprintf(stderr,
                "usage: %s [--graphs N] [--seed S] [--compiled N] [--only SEED] [--backend cpu|cuda] [--verbose]\n",
                argv[0]);
        return 2;
    }
    if (o.one) {
        o.seed = o.only;
        o.graphs = 1;
        o.compiled = o.compiled > 0;
        recipe r;
        recipe_generate(&r, o.only);
        recipe_print(&r, stdout);
    }
    interpreted(&o, &bad);
    compiled(&o, &bad);
    return bad ? 1 : 0;
}

/* SPDX-License-Identifier: MIT */
/* Judging a graph: the reference, the unfused program and several fused ones must agree.
 *
 * Programs are planned for made-up machines and run by the interpreter of the loop IR on host memory: no compiler, so
 * thousands of graphs a second. Folds are interpreted as one tree over the columns in order, whatever the kernel around
 * them: so a fused program has the unfused one's bits wherever no pass may legally change them, and always where no
 * fold rounds. */
#ifndef FUSOR_TESTS_FUZZ_CHECK_H
#define FUSOR_TESTS_FUZZ_CHECK_H

#include "fusion/loop_ir.h"
#include "tests/fuzz/recipe.h"

typedef enum verdict {
    VERDICT_GOOD,
    VERDICT_REFUSED,      /* the recipe is none: a step is poisoned */
    VERDICT_NO_FORM,      /* the builders left a node that is not in normal form */
    VERDICT_PLAN_FAILED,  /* planning or a verify ended with an error */
    VERDICT_RUN_FAILED,   /* a kernel was refused, or writes in place what another point reads; or a backend failed */
    VERDICT_GUARD_BROKEN, /* a kernel wrote past an output */
    VERDICT_REFERENCE_WRONG, /* its plain values against its own bounds */
    VERDICT_UNFUSED_WRONG,   /* against the reference */
    VERDICT_FUSED_WRONG,     /* the unfused program is right, the fused one is not */
    VERDICT_FUSED_DIFFERS,   /* no fold rounds, yet the bits differ */
    VERDICT_COUNT
} verdict;

typedef struct finding {
    verdict verdict;
    char variant[48]; /* which plan */
    char what[400];
} finding;

const char *verdict_text(verdict v);

/* One computation of n results in a graph without a context. rounded[i]: bits may differ. seed picks the less usual
 * plans. fused plans are counted in *plans (may be NULL). If good and values is not NULL, values[i] receives the
 * malloc'ed unfused array. */
verdict check_outs(const fsr_graph *g, const fsr_ref *refs, int n, const bool *rounded, uint64_t seed, finding *out,
                   void **values);
/* Records the recipe and checks every computation of it. */
verdict check_recipe(const recipe *r, uint64_t seed, finding *out);
/* The unfused plan of the recipe's last computation and the plan of that name: explanations and kernels. */
void check_explain(const recipe *r, uint64_t seed, const char *variant, FILE *to);

/* Makes x's value, as the unfused program computes it, its data; false if the plans disagree. */
bool check_force(fsr_node x, bool rounded, uint64_t seed, finding *out);

/* ---- compiled ------------------------------------------------------------------------------------------------ */

/* Two contexts of one backend, with fusion and without. False (and why): there is no compiler, or no device. */
typedef struct check_pair {
    fsr_context *fused, *unfused;
} check_pair;
bool check_pair_open(check_pair *pair, fsr_backend_kind backend, char *why, size_t size);
void check_pair_close(check_pair *pair);
verdict check_compiled(const check_pair *pair, const recipe *r, finding *out);
/* A plan whose results lie in its inputs' memory, as far as these go, against the values `want` of the outputs; it is
 * part of check_compiled. donated.c */
verdict check_donated(fsr_context *ctx, const recipe *r, void *const *want, finding *out);
/* Bits, but one NaN is as good as another: a compiler may exchange the operands of an addition. */
bool check_same(fsr_dtype dtype, const void *a, const void *b, int64_t n);

/* ---- shrinking ------------------------------------------------------------------------------------------------ */

/* Asked whether a recipe still shows what is looked for. */
typedef bool (*shrink_test)(const recipe *r, void *user);
/* Cuts r down as long as test(r) holds: outputs, steps, operands, extents, data. */
void shrink_recipe(recipe *r, shrink_test test, void *user);

/* Of arrays that share memory no point of the kernel reads what another one writes. hazard.c */
bool check_in_place(const fsr_kernel *k, const fsr_launch *launch);

#endif

/* SPDX-License-Identifier: MIT */
/* The backend under test. A suite's program is written once: it runs on the CPU, and tests/gpu/test_gpu_<what>.c
 * includes it after `#define SUBJECT_BACKEND FSR_BACKEND_CUDA`, which runs the same tests on the GPU.
 *
 * A program ends with SUBJECT_MAIN(tests). One context serves all its tests; each has a graph of its own, and must
 * leave no node behind. Where the backend is not there, the program says how many tests it skips and why, and is
 * reported as skipped. */
#ifndef FUSOR_TESTS_SUPPORT_SUBJECT_H
#define FUSOR_TESTS_SUPPORT_SUBJECT_H

#include "fusor/fusor.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#ifndef SUBJECT_BACKEND
#define SUBJECT_BACKEND FSR_BACKEND_CPU
#endif

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof(array)[0]))
#define SHAPE(...) ((const int64_t[]){__VA_ARGS__})
#define AXES(...) ((const int[]){__VA_ARGS__})

/* What the running test uses. */
extern fsr_context *subject_ctx;
extern fsr_graph *subject_g;

/* The environment's configuration, with the backend under test. */
fsr_config subject_config(void);
/* A context of the test's own, closed by it; fails the test with the reason if it cannot be opened. NULL: as
 * subject_config gives it, so that it has the backend under test also where fsr_open would choose another. */
fsr_context *subject_open(const fsr_config *config);
fsr_stats subject_stats(void);
/* Under a tool that checks every access of the device (FUSOR_TEST_SANITIZER, set by scripts/gpu): what only repeats is
 * cut down, and what it would report by right is left out. */
bool subject_sanitized(void);

int subject_setup(void **state);    /* subject_g */
int subject_teardown(void **state); /* frees it, and checks that no node is left */
#define SUBJECT_TEST(function) cmocka_unit_test_setup_teardown(function, subject_setup, subject_teardown)

/* A program can be run in parts, side by side. FUSOR_TEST_SHARD=2/6 runs the second of six parts, FUSOR_TEST_TIER=fast
 * or long one tier; all parts of both tiers are the whole, and without the variables everything runs in one process. A
 * SUBJECT_TEST is in one part of the fast tier. A SUBJECT_CASES test is in all of them and asks subject_case of each of
 * its cases: `unit` (0, 1, ...) chooses the part, so cases that share kernels have one unit. A test that makes its own
 * graphs is marked by the setup subject_cases.
 * A program that is run again with a smaller instruction set has FUSOR_TEST_TIER=capped there: the fast tier's cases,
 * and those of the long tier that are SUBJECT_CAPPED. FAST and LONG are what false and true are: is it long? */
typedef enum subject_tier { SUBJECT_FAST, SUBJECT_LONG, SUBJECT_CAPPED } subject_tier;
bool subject_case(int unit, subject_tier tier);
/* Reads the two variables; false: one has a value that it may not. subject_main calls it. */
bool subject_take_part(void);
int subject_cases(void **state);
int subject_setup_cases(void **state);
#define SUBJECT_CASES(function) cmocka_unit_test_setup_teardown(function, subject_setup_cases, subject_teardown)
#define SUBJECT_OWN_CASES(function) cmocka_unit_test_setup(function, subject_cases)

/* Runs the tests of this part; returns what main returns. */
int subject_main(fsr_backend_kind kind, const struct CMUnitTest *tests, int n);
/* 0: go on; else what main returns. */
int subject_begin(fsr_backend_kind kind, int tests);
/* Closes the context; returns what main returns. */
int subject_end(int failed);
/* Counts what a test has looked at; subject_end prints the sums. */
void subject_count(const char *what, int64_t n);

#define SUBJECT_MAIN(tests)                                           \
    int main(void) {                                                  \
        return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests)); \
    }

/* ---- data ---------------------------------------------------------------------------------------------- */

/* Fills n elements. SPECIAL: NaN, infinities, zeros of both signs, subnormals, limits of integers, and random ones
 * between; stream selects the order so that streams 0, 1, 2 bring every pair of special values together. SMALL: finite
 * and of magnitude about 1, integers -4..4; sums and products stay harmless. */
typedef enum subject_values { SUBJECT_SPECIAL, SUBJECT_SMALL } subject_values;
void subject_fill(void *data, fsr_dtype dtype, int64_t n, subject_values values, int stream);
/* Such an array as a leaf of subject_g. */
fsr_node subject_data(fsr_dtype dtype, int ndim, const int64_t *shape, subject_values values, int stream);
/* The same sequence on every machine. */
uint32_t subject_random(uint32_t *state);

/* ---- checks; each fails the running test with fsr_error -------------------------------------------------- */

void subject_ok(fsr_status status, const char *what);
#define OK(call) subject_ok(call, #call)
/* fsr_verify; names may be NULL. what: printf-like words for the message. Returns how many elements could be
 * anything. */
int64_t subject_verify(const fsr_node *outs, int n, const char *const *names, const char *what, ...)
    __attribute__((format(printf, 4, 5)));
/* x computed and read; malloc'ed. */
void *subject_read(fsr_node x);
/* One element of x as a double. */
double subject_value(fsr_node x, int64_t flat);
/* Status, and each of the words, separated by '|', in fsr_error(ctx). */
void subject_error(fsr_context *ctx, fsr_status got, fsr_status want, const char *words);

/* Memory of n bytes between two guards, misaligned by `shift` bytes; subject_guard_check fails if a guard was
 * written. */
typedef struct subject_guard {
    unsigned char *block, *data;
    size_t bytes;
} subject_guard;
subject_guard subject_guard_new(size_t bytes, size_t shift);
void subject_guard_check(const subject_guard *guard, const char *what);
void subject_guard_free(subject_guard *guard);

/* Pages of this process in memory, in bytes. */
int64_t subject_resident(void);
/* A temporary directory; subject_remove_dir removes it and all in it. */
void subject_temporary_dir(char path[64]);
void subject_remove_dir(const char *path);

#endif

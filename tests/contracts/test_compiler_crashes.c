/* SPDX-License-Identifier: MIT */
/* C compilers that crash over a source: it is compiled once more, optimized less, and has the bits that it would
 * have. */
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define G subject_g

/* A compiler that crashes unless it is told a word, which it says in its user's language; then it hands on to the
 * system's. */
static void write_compiler(const char *path, const char *word) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "#!/bin/sh\n"
            "case $1 in --version) echo cc 1.0; exit;; esac\n"
            "say='internal compiler error'; [ \"${LC_ALL-$LANG}\" = C ] || say='interner Compiler-Fehler'\n"
            "case \" $* \" in *' %s '*) ;; *) echo \"k.c:7:1: $say: in extract_insn\" >&2; exit 1;; esac\n"
            "while [ $# -gt 0 ]; do case $1 in -o) o=$2; shift;; *.c) c=$1;; esac; shift; done\n"
            "exec cc -std=c11 -w -O1 -fPIC -shared -ffp-contract=off -o \"$o\" \"$c\" -lm\n",
            word);
    fclose(file);
    assert_int_equal(chmod(path, 0700), 0);
}

static fsr_status sum_of_squares(fsr_context *ctx, double *sum) {
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node x = fsr_arange(g, FSR_F64, 1000);
    const fsr_status status = fsr_read(fsr_sum(fsr_mul(x, x), NULL, 0, 0), sum, sizeof *sum);
    fsr_graph_free(g);
    return status;
}

static void crashes(void **state) {
    (void)state;
    static const char *const told[] = {"-fno-tree-ter", "-Og", "-never"};
    char dir[64], path[100];
    subject_temporary_dir(dir);
    snprintf(path, sizeof path, "%s/cc", dir);
    for (int i = 0; i < COUNT_OF(told); i++) {
        fsr_config config = subject_config();
        double sum = 0;
        fsr_stats stats;
        write_compiler(path, told[i]);
        config.backend = FSR_BACKEND_CPU;
        config.compiler = path;
        config.cache_dir = "";
        config.fallback = 0;
        config.optimize = 1;
        fsr_context *ctx = subject_open(&config);
        const fsr_status status = sum_of_squares(ctx, &sum);
        if (i == COUNT_OF(told) - 1) {
            subject_error(ctx, status, FSR_ERR_COMPILE, "exit status 1|internal compiler error");
        } else {
            assert_int_equal(status, FSR_OK);
            assert_true(sum == 332833500);
            assert_int_equal(fsr_context_stats(ctx, &stats), FSR_OK);
            assert_int_equal(stats.compilations, 1);
            assert_int_equal(stats.launches_interpreted, 0);
        }
        fsr_close(ctx);
    }
    subject_remove_dir(dir);
}

/* Which gcc 12 crashes over, with AVX-512: a choice of a minimum of numbers of 8 or 16 bits that one stage of a loop
 * hands to another. */
static void choices_of_small_minima(void **state) {
    (void)state;
    enum { N = 1000 };
    static const fsr_dtype dtypes[] = {FSR_I8, FSR_U8, FSR_I16, FSR_U16};
    static int32_t a[N], b[N], by[N], mask[N];
    static float got[N];
    for (int i = 0; i < N; i++) {
        a[i] = i * 7 % 101;
        b[i] = i * 13 % 103;
        by[i] = 1 + i * 3 % 9;
        mask[i] = i % 5 < 2;
    }
    fsr_node from[4] = {fsr_from_host(G, FSR_I32, 1, SHAPE(N), a), fsr_from_host(G, FSR_I32, 1, SHAPE(N), b),
                        fsr_from_host(G, FSR_I32, 1, SHAPE(N), by), fsr_from_host(G, FSR_I32, 1, SHAPE(N), mask)};
    for (int k = 0; k < 2 * COUNT_OF(dtypes); k++) {
        fsr_node x[4];
        for (int i = 0; i < 4; i++)
            x[i] = fsr_cast(from[i], i < 3 ? dtypes[k / 2] : FSR_BOOL);
        OK(fsr_compute(x, 4));
        fsr_node p = fsr_mod(x[0], x[2]), q = fsr_mod(x[1], x[2]);
        fsr_node one = k % 2 ? fsr_maximum(p, q) : fsr_minimum(p, q), chosen = fsr_where(x[3], one, fsr_int(G, 0));
        fsr_node y = fsr_cast(x[0], FSR_F32), sum = fsr_add(fsr_mul(y, fsr_mul(y, y)), fsr_cast(chosen, FSR_F32));
        OK(fsr_read(sum, got, sizeof got));
        for (int i = 0; i < N; i++) {
            const int32_t left = a[i] % by[i], right = b[i] % by[i];
            const int32_t both = (left < right) == (k % 2 == 0) ? left : right;
            assert_true(got[i] == (float)(a[i] * a[i] * a[i] + (mask[i] ? both : 0)));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_TEST(crashes), SUBJECT_TEST(choices_of_small_minima)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}

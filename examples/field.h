/* SPDX-License-Identifier: MIT */
/* What the examples by field share: a program run with fusion and without, how many kernels fsr_explain tells of and
 * what a run takes, and files written whole. Each of them checks its own results. */
#ifndef FUSOR_EXAMPLES_FIELD_H
#define FUSOR_EXAMPLES_FIELD_H

#include "fusor/fusor.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FIELD_RUNS = 9, FIELD_OUTS = 8 };

/* Records the program; returns how many outputs it has, at most FIELD_OUTS. */
typedef int field_record(fsr_graph *g, const void *data, fsr_node *out);

static inline int field_fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    return 1;
}

static inline double field_now(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static inline int field_order(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of some runs of a plan that ran before. */
static inline fsr_status field_time(fsr_plan *plan, const fsr_arg *result, int n, double *ms) {
    double took[FIELD_RUNS];
    for (int i = 0; i < FIELD_RUNS; i++) {
        const double begin = field_now();
        const fsr_status status = fsr_plan_run(plan, NULL, 0, result, n, NULL);
        if (status)
            return status;
        took[i] = field_now() - begin;
    }
    qsort(took, FIELD_RUNS, sizeof *took, field_order);
    *ms = took[FIELD_RUNS / 2];
    return FSR_OK;
}

/* Records, explains, compiles and runs the program in a context of its own; result[i] receives output i. */
static inline int field_run(const char *name, int fusion, field_record *record, const void *data,
                            const fsr_arg *result) {
    fsr_config config;
    fsr_context *ctx;
    fsr_node out[FIELD_OUTS];
    fsr_plan *plan = NULL;
    char text[512], why[256];
    double ms = 0;
    if (fsr_config_init(&config, why, sizeof why) != FSR_OK)
        return field_fail(name, why);
    config.fusion = fusion;
    if (fsr_open_why(&config, &ctx, why, sizeof why) != FSR_OK)
        return field_fail(name, why);
    const int n = record(fsr_graph_new(ctx), data, out);
    /* The first line of an explanation counts kernels and bytes; a buffer that holds no more is told so. */
    fsr_status status = fsr_explain_text(out, n, text, sizeof text, NULL);
    if (status == FSR_ERR_BYTES || status == FSR_OK)
        status = fsr_compile(out, n, &plan);
    if (!status)
        status = fsr_plan_run(plan, NULL, 0, result, n, NULL);
    if (!status)
        status = field_time(plan, result, n, &ms);
    if (status)
        field_fail(name, fsr_error(ctx));
    else
        printf("%-8s %.*s\n         %.2f ms a run\n", fusion ? "fused:" : "unfused:", (int)strcspn(text, "\n"), text,
               ms);
    fsr_plan_free(plan);
    fsr_close(ctx);
    return status != FSR_OK;
}

/* Says how far a result is from what it should be; 1 if it is farther than it may be. */
static inline int field_check(const char *what, double got, double expected, double tolerance) {
    const double off = got > expected ? got - expected : expected - got;
    const int wrong = !(off <= tolerance);
    printf("%-28s %12.6f  expected %12.6f  %s\n", what, got, expected, wrong ? "WRONG" : "ok");
    return wrong;
}

/* The head of a picture that is read on a light and on a dark page. */
static inline FILE *field_svg(const char *path, int width, int height) {
    FILE *to = fopen(path, "w");
    if (to)
        fprintf(to,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n"
                "<style>text{font:12px system-ui,sans-serif;fill:#6b7680}.a{stroke:#9aa3ab;stroke-width:.6;fill:none}"
                ".b{stroke:#0072b2;stroke-width:1.4;fill:none}.o{stroke:#d55e00;stroke-width:1.4;fill:none;"
                "stroke-dasharray:5 3}</style>\n",
                width, height, width, height);
    return to;
}

static inline int field_svg_end(const char *name, const char *path, FILE *to) {
    const int bad = !to || fputs("</svg>\n", to) < 0;
    if ((to && fclose(to)) || bad)
        return field_fail(name, path);
    printf("written: %s\n", path);
    return 0;
}

#endif

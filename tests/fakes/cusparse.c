/* SPDX-License-Identifier: MIT */
/* A libcusparse.so.12 for tests over a driver that is none: triangles of f64 and c128 with 32-bit indices, on the
 * host's memory. The environment's FAKE_CUSPARSE_FAIL names a function that fails ("Create once": the first time);
 * FAKE_CUSPARSE_THINGS counts handles and descriptions that there are, FAKE_CUSPARSE_SOLVED counts the solves. */
#include <complex.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { C_64F = 5, BYTES = 640 };

/* A matrix, a vector, several of them, or what an analysis found. */
typedef struct thing {
    int64_t n, columns, count, lead;
    const int32_t *offsets, *column;
    void *values;
    int type, value[2];
    void *buffer;
} thing;

#define FUNCTION(name, parameters) \
    int cusparse##name parameters; \
    int cusparse##name parameters
#define SV void *handle, int form, const void *alpha, void *a, void *x, void *y, int type, int algorithm, void *descr
#define SM                                                                                                        \
    void *handle, int form, int side_form, const void *alpha, void *a, void *x, void *y, int type, int algorithm, \
        void *descr
#pragma GCC diagnostic ignored "-Wunused-parameter"

static int fails(const char *name, int status) {
    const char *which = getenv("FAKE_CUSPARSE_FAIL");
    return which && !strcmp(which, name) ? status : 0;
}

static void add_to(const char *name, int by) {
    const char *now = getenv(name);
    char next[16];
    snprintf(next, sizeof next, "%d", (now ? atoi(now) : 0) + by);
    setenv(name, next, 1);
}

static int make(void **out, const char *name, thing like) {
    if (fails(name, 3))
        return 3;
    thing *t = malloc(sizeof *t);
    *t = like;
    *out = t;
    add_to("FAKE_CUSPARSE_THINGS", 1);
    return 0;
}

static int drop(void *t) {
    free(t);
    add_to("FAKE_CUSPARSE_THINGS", -1);
    return 0;
}

FUNCTION(Create, (void **handle)) {
    if (fails("Create once", 2)) {
        setenv("FAKE_CUSPARSE_FAIL", "", 1);
        return 2;
    }
    return make(handle, "Create", (thing){0});
}

FUNCTION(Destroy, (void *handle)) {
    return drop(handle);
}

FUNCTION(SetStream, (void *handle, void *stream)) {
    return fails("SetStream", 1);
}

FUNCTION(CreateCsr, (void **matrix, int64_t rows, int64_t cols, int64_t count, void *offsets, void *columns,
                     void *values, int offset_type, int column_type, int base, int type)) {
    if (offset_type != 2 || column_type != 2 || base)
        return 10;
    return make(
        matrix, "CreateCsr",
        (thing){.n = rows, .count = count, .offsets = offsets, .column = columns, .values = values, .type = type});
}

FUNCTION(DestroySpMat, (void *matrix)) {
    return drop(matrix);
}

FUNCTION(SpMatSetAttribute, (void *matrix, int which, void *value, size_t bytes)) {
    memcpy(&((thing *)matrix)->value[which], value, bytes);
    return fails(which ? "SpMatSetAttribute diagonal" : "SpMatSetAttribute", 3);
}

FUNCTION(CreateDnVec, (void **vector, int64_t n, void *values, int type)) {
    return make(vector, "CreateDnVec", (thing){.n = n, .columns = 1, .lead = n, .values = values, .type = type});
}

FUNCTION(DestroyDnVec, (void *vector)) {
    return drop(vector);
}

FUNCTION(CreateDnMat, (void **matrix, int64_t rows, int64_t cols, int64_t lead, void *values, int type, int order)) {
    if (order != 1)
        return 10;
    return make(matrix, "CreateDnMat",
                (thing){.n = rows, .columns = cols, .lead = lead, .values = values, .type = type});
}

FUNCTION(DestroyDnMat, (void *matrix)) {
    return drop(matrix);
}

static double complex get(const thing *t, int64_t i) {
    return t->type == C_64F ? ((const double complex *)t->values)[i] : ((const double *)t->values)[i];
}

static void put(thing *t, int64_t i, double complex x) {
    if (t->type == C_64F)
        ((double complex *)t->values)[i] = x;
    else
        ((double *)t->values)[i] = creal(x);
}

static void column(const thing *a, const thing *x, thing *y, int64_t side) {
    for (int64_t k = 0; k < a->n; k++) {
        const int64_t i = a->value[0] ? a->n - 1 - k : k;
        double complex sum = get(x, side * x->lead + i), diagonal = 1;
        for (int64_t e = a->offsets[i]; e < a->offsets[i + 1]; e++) {
            const int64_t j = a->column[e];
            if (j == i && !a->value[1])
                diagonal = get(a, e);
            else if (a->value[0] ? j > i : j < i)
                sum -= get(a, e) * get(y, side * y->lead + j);
        }
        put(y, side * y->lead + i, sum / diagonal);
    }
}

/* The buffer that the analysis was given is the one of the solve. */
static int solve(thing *descr, const thing *a, const thing *x, thing *y) {
    if (!descr->buffer || ((char *)descr->buffer)[BYTES - 1] != 7)
        return 7;
    for (int64_t side = 0; side < x->columns; side++)
        column(a, x, y, side);
    add_to("FAKE_CUSPARSE_SOLVED", 1);
    return 0;
}

static int analyze(thing *descr, void *buffer) {
    memset(buffer, 7, BYTES);
    descr->buffer = buffer;
    return 0;
}

FUNCTION(SpSV_createDescr, (void **descr)) {
    return make(descr, "SpSV_createDescr", (thing){0});
}

FUNCTION(SpSV_destroyDescr, (void *descr)) {
    return drop(descr);
}

FUNCTION(SpSV_bufferSize, (SV, size_t *bytes)) {
    *bytes = BYTES;
    return fails("SpSV_bufferSize", 7);
}

FUNCTION(SpSV_analysis, (SV, void *buffer)) {
    return fails("SpSV_analysis", 11) ? 11 : analyze(descr, buffer);
}

FUNCTION(SpSV_solve, (SV)) {
    return fails("SpSV_solve", 6) ? 6 : solve(descr, a, x, y);
}

FUNCTION(SpSM_createDescr, (void **descr)) {
    return make(descr, "SpSM_createDescr", (thing){0});
}

FUNCTION(SpSM_destroyDescr, (void *descr)) {
    return drop(descr);
}

FUNCTION(SpSM_bufferSize, (SM, size_t *bytes)) {
    *bytes = BYTES;
    return fails("SpSM_bufferSize", 7);
}

FUNCTION(SpSM_analysis, (SM, void *buffer)) {
    return fails("SpSM_analysis", 10) ? 10 : analyze(descr, buffer);
}

FUNCTION(SpSM_solve, (SM)) {
    return fails("SpSM_solve", 6) ? 6 : solve(descr, a, x, y);
}

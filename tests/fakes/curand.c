/* SPDX-License-Identifier: MIT */
/* A libcurand.so.10 for tests over a driver that is none: numbers that tell the generator, its seed, dimension and
 * place. The environment's FAKE_CURAND_FAIL names a function that fails, FAKE_CURAND_GENERATORS counts the generators
 * that there are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct generator {
    int type, order;
    unsigned dims;
    unsigned long long seed, offset;
} generator;

int curandCreateGenerator(void **out, int type);
int curandCreateGeneratorHost(void **out, int type);
int curandDestroyGenerator(void *g);
int curandSetStream(void *g, void *stream);
int curandSetGeneratorOrdering(void *g, int order);
int curandSetPseudoRandomGeneratorSeed(void *g, unsigned long long seed);
int curandSetQuasiRandomGeneratorDimensions(void *g, unsigned dims);
int curandSetGeneratorOffset(void *g, unsigned long long offset);
int curandGenerate(void *g, unsigned *out, size_t n);
int curandGenerateLongLong(void *g, unsigned long long *out, size_t n);
int curandGenerateUniform(void *g, float *out, size_t n);
int curandGenerateUniformDouble(void *g, double *out, size_t n);
int curandGenerateNormal(void *g, float *out, size_t n, float mean, float deviation);
int curandGenerateNormalDouble(void *g, double *out, size_t n, double mean, double deviation);

static int fails(const char *name, int status) {
    const char *which = getenv("FAKE_CURAND_FAIL");
    return which && !strcmp(which, name) ? status : 0;
}

static void count(int by) {
    const char *now = getenv("FAKE_CURAND_GENERATORS");
    char next[16];
    snprintf(next, sizeof next, "%d", (now ? atoi(now) : 0) + by);
    setenv("FAKE_CURAND_GENERATORS", next, 1);
}

static int create(const char *name, void **out, int type) {
    if (fails(name, 102) || !(*out = calloc(1, sizeof(generator))))
        return 102;
    ((generator *)*out)->type = type;
    count(1);
    return 0;
}

int curandCreateGenerator(void **out, int type) {
    if (fails("CreateGenerator once", 102)) {
        setenv("FAKE_CURAND_FAIL", "", 1);
        return 102;
    }
    return create("CreateGenerator", out, type);
}

int curandCreateGeneratorHost(void **out, int type) {
    return create("CreateGeneratorHost", out, type);
}

int curandDestroyGenerator(void *g) {
    free(g);
    count(-1);
    return 0;
}

int curandSetStream(void *g, void *stream) {
    (void)g, (void)stream;
    return fails("SetStream", 101);
}

int curandSetGeneratorOrdering(void *g, int order) {
    ((generator *)g)->order = order;
    return fails("SetGeneratorOrdering", 104);
}

int curandSetPseudoRandomGeneratorSeed(void *g, unsigned long long seed) {
    ((generator *)g)->seed = seed;
    return fails("SetPseudoRandomGeneratorSeed", 103);
}

int curandSetQuasiRandomGeneratorDimensions(void *g, unsigned dims) {
    ((generator *)g)->dims = dims;
    return fails("SetQuasiRandomGeneratorDimensions", 104);
}

int curandSetGeneratorOffset(void *g, unsigned long long offset) {
    ((generator *)g)->offset = offset;
    return fails("SetGeneratorOffset", 103);
}

/* Element i of n. */
static unsigned long long number(const generator *g, size_t i, size_t n) {
    const unsigned long long dims = g->dims ? g->dims : 1, points = n / dims;
    return 1000003 * (i % points + g->offset) + 7919 * (i / points) + 104729 * g->seed + (unsigned)(g->type + g->order);
}

#define FILL(what, is)                                 \
    const generator *of = g;                           \
    const int status = fails(what, 201);               \
    for (size_t i = 0; i < n; i++) {                   \
        const unsigned long long x = number(of, i, n); \
        out[i] = is;                                   \
    }                                                  \
    return status;

int curandGenerate(void *g, unsigned *out, size_t n) {
    FILL("Generate", (unsigned)x)
}

int curandGenerateLongLong(void *g, unsigned long long *out, size_t n) {
    FILL("GenerateLongLong", x * x)
}

int curandGenerateUniform(void *g, float *out, size_t n) {
    FILL("GenerateUniform", (float)(x % 4096 + 1) / 4096)
}

int curandGenerateUniformDouble(void *g, double *out, size_t n) {
    FILL("GenerateUniformDouble", (double)(x % 65536 + 1) / 65536)
}

/* An odd number of them from a generator that has no dimensions is an error, as it is cuRAND's. */
int curandGenerateNormal(void *g, float *out, size_t n, float mean, float deviation) {
    if (n % 2 && !((generator *)g)->dims)
        return 105;
    FILL("GenerateNormal", mean + deviation * (float)(x % 4096) / 1024)
}

int curandGenerateNormalDouble(void *g, double *out, size_t n, double mean, double deviation) {
    if (n % 2 && !((generator *)g)->dims)
        return 105;
    FILL("GenerateNormalDouble", mean + deviation * (double)(x % 65536) / 16384)
}

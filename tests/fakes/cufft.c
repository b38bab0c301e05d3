/* SPDX-License-Identifier: MIT */
/* A libcufft.so.12 for tests over a driver that is none: transforms by their definition. The environment's
 * FAKE_CUFFT_FAIL names a function that fails ("MakePlanMany64 once": the first time), FAKE_CUFFT_PLANS counts the
 * plans that there are, FAKE_CUFFT_BYTES their memory: 1 MiB for each element of a row, none for rows below 36. A
 * transform on a stream that is captured is kept for its graph: FAKE_RECORD is the address of who keeps it. */
#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLANS = 4096, R2C = 0x2a, C2R = 0x2c, C2C = 0x29, D2Z = 0x6a, Z2D = 0x6c };

int cufftCreate(int *plan);
int cufftDestroy(int plan);
int cufftMakePlanMany64(int plan, int rank, long long *n, long long *inembed, long long istride, long long idist,
                        long long *onembed, long long ostride, long long odist, int type, long long batch,
                        size_t *work);
int cufftSetStream(int plan, void *stream);
int cufftExecC2C(int plan, void *in, void *out, int direction);
int cufftExecZ2Z(int plan, void *in, void *out, int direction);
int cufftExecR2C(int plan, void *in, void *out);
int cufftExecD2Z(int plan, void *in, void *out);
int cufftExecC2R(int plan, void *in, void *out);
int cufftExecZ2D(int plan, void *in, void *out);

static struct plan {
    long long n, rows;
    size_t bytes;
    void *stream;
    bool gone;
} plans[PLANS];
static int nplans;

static int fails(const char *name, int status) {
    const char *which = getenv("FAKE_CUFFT_FAIL");
    return which && !strcmp(which, name) ? status : 0;
}

static void add_to(const char *name, long long by) {
    const char *now = getenv(name);
    char next[24];
    snprintf(next, sizeof next, "%lld", (now ? atoll(now) : 0) + by);
    setenv(name, next, 1);
}

int cufftCreate(int *plan) {
    if (fails("Create", 2))
        return 2;
    *plan = nplans++ % PLANS;
    plans[*plan] = (struct plan){0};
    add_to("FAKE_CUFFT_PLANS", 1);
    return 0;
}

int cufftDestroy(int plan) {
    plans[plan].gone = true;
    add_to("FAKE_CUFFT_PLANS", -1);
    add_to("FAKE_CUFFT_BYTES", -(long long)plans[plan].bytes);
    return 0;
}

int cufftMakePlanMany64(int plan, int rank, long long *n, long long *inembed, long long istride, long long idist,
                        long long *onembed, long long ostride, long long odist, int type, long long batch,
                        size_t *work) {
    (void)rank, (void)inembed, (void)istride, (void)idist, (void)onembed, (void)ostride, (void)odist, (void)type;
    plans[plan].n = *n;
    plans[plan].rows = batch;
    if (fails("MakePlanMany64 once", 2)) {
        setenv("FAKE_CUFFT_FAIL", "", 1);
        return 2;
    }
    if (fails("MakePlanMany64", 16))
        return 16;
    *work = plans[plan].bytes = *n < 36 ? 0 : (size_t)*n << 20;
    add_to("FAKE_CUFFT_BYTES", (long long)*work);
    return 0;
}

int cufftSetStream(int plan, void *stream) {
    plans[plan].stream = stream;
    return fails("SetStream", 5);
}

/* Of element k of a row, whichever elements there are. */
#define GET_COMPLEX(type) (double complex)((const type complex *)in)[row * n + k]
#define GET_REAL(type) (double)((const type *)in)[row * n + k]
#define GET_HALF(type)                                                              \
    (k <= n / 2 ? (double complex)((const type complex *)in)[row * (n / 2 + 1) + k] \
                : conj((double complex)((const type complex *)in)[row * (n / 2 + 1) + n - k]))
#define TRANSFORM(cols, sign, get, put)                                                                  \
    const long long n = plans[plan].n;                                                                   \
    for (long long row = 0; row < plans[plan].rows; row++)                                               \
        for (long long j = 0; j < (cols); j++) {                                                         \
            double complex sum = 0;                                                                      \
            for (long long k = 0; k < n; k++)                                                            \
                sum += (get)*cexp((sign)*6.283185307179586476925 * I * (double)(j * k % n) / (double)n); \
            put;                                                                                         \
        }

static void do_c2c(int plan, void *in, void *out, int direction) {
    TRANSFORM(n, direction, GET_COMPLEX(float), ((float complex *)out)[row * n + j] = (float complex)sum)
}

static void do_z2z(int plan, void *in, void *out, int direction) {
    TRANSFORM(n, direction, GET_COMPLEX(double), ((double complex *)out)[row * n + j] = sum)
}

static void do_r2c(int plan, void *in, void *out, int direction) {
    (void)direction;
    TRANSFORM(n / 2 + 1, -1, GET_REAL(float), ((float complex *)out)[row * (n / 2 + 1) + j] = (float complex)sum)
}

static void do_d2z(int plan, void *in, void *out, int direction) {
    (void)direction;
    TRANSFORM(n / 2 + 1, -1, GET_REAL(double), ((double complex *)out)[row * (n / 2 + 1) + j] = sum)
}

/* As cuFFT's do, these leave something else where they read. */
static void spoil(int plan, void *in, size_t element) {
    memset(in, 0xff, element * (size_t)(plans[plan].rows * (plans[plan].n / 2 + 1)));
}

static void real_f32(int plan, void *in, void *out) {
    TRANSFORM(n, 1, GET_HALF(float), ((float *)out)[row * n + j] = (float)creal(sum))
}

static void real_f64(int plan, void *in, void *out) {
    TRANSFORM(n, 1, GET_HALF(double), ((double *)out)[row * n + j] = creal(sum))
}

static void do_c2r(int plan, void *in, void *out, int direction) {
    (void)direction;
    real_f32(plan, in, out);
    spoil(plan, in, sizeof(float complex));
}

static void do_z2d(int plan, void *in, void *out, int direction) {
    (void)direction;
    real_f64(plan, in, out);
    spoil(plan, in, sizeof(double complex));
}

/* ---- at once, or kept ------------------------------------------------------------------------------------------ */

typedef void transform(int plan, void *in, void *out, int direction);

typedef struct kept {
    transform *of;
    int plan, direction;
    void *in, *out;
} kept;

/* What a plan that is gone leaves is no transform. */
static void run(const void *arguments) {
    const kept *k = arguments;
    if (!plans[k->plan].gone)
        k->of(k->plan, k->in, k->out, k->direction);
}

typedef bool record_call(void *stream, void (*call)(const void *arguments), const void *arguments, size_t bytes);

static int exec(const char *name, transform *of, int plan, void *in, void *out, int direction) {
    const kept k = {of, plan, direction, in, out};
    const char *keeper = getenv("FAKE_RECORD");
    if (fails(name, 6))
        return 6;
    if (!keeper || !((record_call *)strtoull(keeper, NULL, 0))(plans[plan].stream, run, &k, sizeof k))
        run(&k);
    return 0;
}

int cufftExecC2C(int plan, void *in, void *out, int direction) {
    return exec("ExecC2C", do_c2c, plan, in, out, direction);
}

int cufftExecZ2Z(int plan, void *in, void *out, int direction) {
    return exec("ExecZ2Z", do_z2z, plan, in, out, direction);
}

int cufftExecR2C(int plan, void *in, void *out) {
    return exec("ExecR2C", do_r2c, plan, in, out, 0);
}

int cufftExecD2Z(int plan, void *in, void *out) {
    return exec("ExecD2Z", do_d2z, plan, in, out, 0);
}

int cufftExecC2R(int plan, void *in, void *out) {
    return exec("ExecC2R", do_c2r, plan, in, out, 0);
}

int cufftExecZ2D(int plan, void *in, void *out) {
    return exec("ExecZ2D", do_z2d, plan, in, out, 0);
}

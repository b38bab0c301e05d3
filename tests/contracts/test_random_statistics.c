/* SPDX-License-Identifier: MIT */
/* Distributions against what they shall be: Kolmogorov and Smirnov's distance from the distribution function,
 * chi-square of counts, moments, correlation of streams and of neighbours. Seeds are fixed, so an outcome is always the
 * same; the bounds are those of one chance in 10^6. */
#include "tests/support/subject.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G subject_g
enum { N = 1 << 16 };

static fsr_node seed(void) {
    return fsr_int(G, 20261122);
}
static fsr_node stream(int number) {
    return fsr_int(G, number);
}
static fsr_node index_of(void) {
    return fsr_arange(G, FSR_I64, N);
}

static double *read(fsr_node x) {
    return subject_read(fsr_cast(x, FSR_F64));
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The distance is above 2.7 / sqrt(n) once in a million times. */
static void check_distance(const char *what, fsr_node x, double (*below)(double)) {
    double *value = read(x), distance = 0;
    qsort(value, N, sizeof *value, by_value);
    for (int k = 0; k < N; k++) {
        const double p = below(value[k]);
        distance = fmax(distance, fmax(p - (double)k / N, (double)(k + 1) / N - p));
    }
    if (!(distance * sqrt(N) < 2.7))
        fail_msg("%s: distance %g", what, distance * sqrt(N));
    free(value);
}

/* A mean is five deviations off twice in a million times. */
static void check_moments(const char *what, fsr_node x, double mean, double variance, double fourth) {
    double *value = read(x), sum = 0, squares = 0;
    for (int k = 0; k < N; k++) {
        sum += value[k];
        squares += (value[k] - mean) * (value[k] - mean);
    }
    const double off = (sum / N - mean) / sqrt(variance / N);
    const double spread = (squares / N - variance) / sqrt((fourth - variance * variance) / N);
    if (!(fabs(off) < 5 && fabs(spread) < 5))
        fail_msg("%s: mean %g off, variance %g", what, off, spread);
    free(value);
}

/* Of n classes of probabilities p; the normal form of chi-square by Wilson and Hilferty. */
static void check_counts(const char *what, const int *count, const double *p, int n) {
    double chi = 0;
    for (int c = 0; c < n; c++)
        chi += (count[c] - N * p[c]) * (count[c] - N * p[c]) / (N * p[c]);
    const double f = n - 1, z = (cbrt(chi / f) - (1 - 2 / (9 * f))) / sqrt(2 / (9 * f));
    if (!(fabs(z) < 5))
        fail_msg("%s: chi-square %g of %d, %g deviations", what, chi, n - 1, z);
}

static double correlation(const double *x, const double *y, int n, double mean, double variance) {
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += (x[k] - mean) * (y[k] - mean);
    return sum / (variance * sqrt(n));
}

/* ---- the distributions --------------------------------------------------------------------------------------- */

static double uniform_below(double x) {
    return x;
}
static double normal_below(double x) {
    return 0.5 * erfc(-x / sqrt(2));
}
static double exponential_below(double x) {
    return -expm1(-x);
}
/* Gamma of shape 1/2 is half of a squared normal number. */
static double half_below(double x) {
    return erf(sqrt(x));
}
static double third_below(double x) {
    return 1 - exp(-x) * (1 + x + x * x / 2);
}

/* Each byte of the words, alike likely. */
static void bits(void **state) {
    (void)state;
    uint32_t *word = subject_read(fsr_random_bits(seed(), stream(1), index_of(), FSR_U32));
    double p[256];
    for (int c = 0; c < 256; c++)
        p[c] = 1.0 / 256;
    for (int byte = 0; byte < 4; byte++) {
        int count[256] = {0};
        for (int k = 0; k < N; k++)
            count[word[k] >> 8 * byte & 255]++;
        check_counts("bytes", count, p, 256);
    }
    free(word);
}

static void continuous(void **state) {
    (void)state;
    static const fsr_dtype dtype[] = {FSR_F32, FSR_F64};
    for (int d = 0; d < COUNT_OF(dtype); d++) {
        const fsr_node u = fsr_random_uniform(seed(), stream(2), index_of(), dtype[d]);
        check_distance("uniform", u, uniform_below);
        check_moments("uniform", u, 0.5, 1.0 / 12, 1.0 / 80);
        check_distance("positive", fsr_random_positive(seed(), stream(3), index_of(), dtype[d]), uniform_below);
        const fsr_node z = fsr_random_normal(seed(), stream(4), index_of(), dtype[d]);
        check_distance("normal", z, normal_below);
        check_moments("normal", z, 0, 1, 3);
        const fsr_node e = fsr_random_exponential(seed(), stream(5), index_of(), dtype[d]);
        check_distance("exponential", e, exponential_below);
        check_moments("exponential", e, 1, 1, 9);
    }
}

static void gamma_shapes(void **state) {
    (void)state;
    const fsr_node half = fsr_full(G, FSR_F32, 0, NULL, 0.5), three = fsr_full(G, FSR_F64, 0, NULL, 3);
    check_distance("gamma 1/2", fsr_random_gamma(seed(), stream(6), index_of(), half), half_below);
    check_distance("gamma 3", fsr_random_gamma(seed(), stream(7), index_of(), three), third_below);
}

/* ---- counts -------------------------------------------------------------------------------------------------- */

static void bernoulli(void **state) {
    (void)state;
    double *x = read(fsr_random_bernoulli(seed(), stream(8), index_of(), fsr_float(G, 0.3)));
    int count[2] = {0, 0};
    for (int k = 0; k < N; k++)
        count[x[k] != 0]++;
    const double off = (count[1] - 0.3 * N) / sqrt(0.21 * N);
    assert_true(fabs(off) < 5);
    free(x);
}

static void check_integers(fsr_dtype dtype, int64_t low, int64_t high, int classes) {
    double *x = read(fsr_random_integers(seed(), stream(9), index_of(), dtype, low, high)), p[64];
    int count[64] = {0};
    const double width = ((double)high - (double)low) / classes;
    for (int c = 0; c < classes; c++)
        p[c] = 1.0 / classes;
    for (int k = 0; k < N; k++) {
        assert_true(x[k] >= (double)low && x[k] <= (double)high);
        const int c = (int)((x[k] - (double)low) / width);
        count[c < classes ? c : classes - 1]++;
    }
    check_counts("integers", count, p, classes);
    free(x);
}

/* Among them ranges of which a third of all words is rejected. */
static void integers(void **state) {
    (void)state;
    check_integers(FSR_I32, -3, 4, 7);
    check_integers(FSR_U8, 0, 64, 64);
    check_integers(FSR_I64, 5, 5 + INT64_C(3000000000), 50);
    check_integers(FSR_I64, INT64_MIN / 2, INT64_MAX / 4, 60);
    int8_t *one = subject_read(fsr_random_integers(seed(), stream(9), index_of(), FSR_I8, 127, 128));
    for (int k = 0; k < N; k++)
        assert_int_equal(one[k], 127);
    free(one);
}

static void poisson(void **state) {
    (void)state;
    static const double mean[] = {0.7, 4, 25, 1000};
    for (int m = 0; m < COUNT_OF(mean); m++) {
        const fsr_node lambda = fsr_full(G, FSR_F64, 0, NULL, mean[m]);
        const fsr_node x = fsr_random_poisson(seed(), stream(10 + m), index_of(), lambda);
        check_moments("poisson", x, mean[m], mean[m], mean[m] + 3 * mean[m] * mean[m]);
        if (mean[m] > 100)
            continue;
        double *value = read(x), p[60], rest = 1;
        int count[60] = {0}, n = 0;
        for (; n < 59 && (n < mean[m] || N * rest > 200); n++) {
            p[n] = exp(n * log(mean[m]) - mean[m] - lgamma(n + 1));
            rest -= p[n];
        }
        p[n] = rest;
        for (int k = 0; k < N; k++)
            count[value[k] < n ? (int)value[k] : n]++;
        /* classes that hardly anything falls into are one with the next */
        int classes = 0;
        double kept[60], held = 0;
        int number[60], counted = 0;
        for (int c = 0; c <= n; c++) {
            held += p[c];
            counted += count[c];
            if (N * held < 50 && c < n)
                continue;
            kept[classes] = held;
            number[classes++] = counted;
            held = counted = 0;
        }
        check_counts("poisson", number, kept, classes);
        free(value);
    }
}

static void choices(void **state) {
    (void)state;
    static const float from[] = {0, 1, 2, 3, 4};
    static const double p[] = {0.2, 0.2, 0.2, 0.2, 0.2};
    double *x = read(fsr_random_choice(seed(), stream(20), index_of(), fsr_from_host(G, FSR_F32, 1, SHAPE(5), from)));
    int count[5] = {0};
    for (int k = 0; k < N; k++)
        count[(int)x[k]]++;
    check_counts("choice", count, p, 5);
    free(x);
}

/* ---- independence -------------------------------------------------------------------------------------------- */

/* Of neighbouring streams, seeds, folded streams, and of neighbours in one. */
static void independent(void **state) {
    (void)state;
    const fsr_node first = fsr_random_fold_in(seed(), stream(0), fsr_int(G, 0));
    const fsr_node x[] = {
        fsr_random_normal(seed(), stream(0), index_of(), FSR_F32),
        fsr_random_normal(seed(), stream(1), index_of(), FSR_F32),
        fsr_random_normal(fsr_int(G, 20261123), stream(0), index_of(), FSR_F32),
        fsr_random_normal(seed(), first, index_of(), FSR_F32),
        fsr_random_normal(seed(), fsr_random_fold_in(seed(), first, fsr_int(G, 0)), index_of(), FSR_F32)};
    double *value[COUNT_OF(x)];
    for (int a = 0; a < COUNT_OF(x); a++)
        value[a] = read(x[a]);
    for (int a = 0; a < COUNT_OF(x); a++) {
        for (int b = 0; b < a; b++)
            assert_true(fabs(correlation(value[a], value[b], N, 0, 1)) < 5);
        for (int lag = 1; lag < 9; lag++)
            assert_true(fabs(correlation(value[a], value[a] + lag, N - lag, 0, 1)) < 5);
    }
    for (int a = 0; a < COUNT_OF(x); a++)
        free(value[a]);
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_TEST(bits),      SUBJECT_TEST(continuous), SUBJECT_TEST(gamma_shapes),
                                       SUBJECT_TEST(bernoulli), SUBJECT_TEST(integers),   SUBJECT_TEST(poisson),
                                       SUBJECT_TEST(choices),   SUBJECT_TEST(independent)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}

/* SPDX-License-Identifier: MIT */
/* The edge values of a dtype follow from its format: of floats zeros, the least and the largest subnormal and normal
 * numbers, one and its neighbours, the integers at which its digits end and those at which integers do, infinities and
 * NaN, all with both signs; of integers the limits, their halves, zero and what is beside them, and counts around the
 * width. Some plain numbers, where functions turn, overflow or cancel, and random bits make them up to a square.
 *
 * Counter-example to a counter for each operand, one faster than the other: where their periods have a common factor,
 * pairs are left out. Here the second advances when the first is through. */
#include "tests/support/edges.h"
#include "graph/ops.h"
#include "tests/support/subject.h"
#include <math.h>
#include <string.h>

enum { MOST = 128, RANDOM = 16, BITS = 4096 };

typedef struct values {
    int n;
    fsr_value value[MOST];
} values;

static void put(values *v, fsr_value x) {
    assert_in_range(v->n, 0, MOST - 1);
    v->value[v->n++] = x;
}

static uint64_t random_bits(uint32_t *state) {
    uint64_t high = subject_random(state);
    return high << 32 | subject_random(state);
}

/* A value of any bits; a bool is 0 or 1. */
static fsr_value random_value(fsr_dtype dtype, uint32_t *state) {
    fsr_value x = {.bits = random_bits(state)};
    if (dtype == FSR_BOOL)
        return (fsr_value){.bits = x.bits & 1};
    if (dtype == FSR_C128)
        x.high = random_bits(state);
    else if (fsr_dtype_size(dtype) < 8)
        x.bits &= ((uint64_t)1 << 8 * fsr_dtype_size(dtype)) - 1;
    return x;
}

/* Both signs of the number with these bits, and of the one after it. */
static void put_bits(values *v, fsr_dtype dtype, uint64_t bits, int neighbours) {
    const uint64_t sign = (uint64_t)1 << (8 * fsr_dtype_size(dtype) - 1);
    for (int i = 0; i <= neighbours; i++) {
        put(v, (fsr_value){.bits = bits + (uint64_t)i});
        put(v, (fsr_value){.bits = (bits + (uint64_t)i) | sign});
    }
}

static const double plain[] = {0.5,   -0.75, 2.5,  -3,   10.5, 88.75, -104, 709.9,      -745.2,
                               11.09, 1e-3,  1e22, -1e5, 1e9,  0.25,  256,  -2147483649};

static void float_values(values *v, fsr_dtype dtype) {
    const int digits = fsr_dtype_digits(dtype), width = 8 * (int)fsr_dtype_size(dtype);
    const uint64_t normal = (uint64_t)1 << (digits - 1), inf = (((uint64_t)1 << (width - digits)) - 1) << (digits - 1);
    put_bits(v, dtype, 0, 1);                                        /* zero, the least subnormal */
    put_bits(v, dtype, normal - 1, 1);                               /* the largest subnormal, the least normal */
    put_bits(v, dtype, normal / 3, 0);                               /* a subnormal */
    put_bits(v, dtype, inf - 1, 1);                                  /* the largest, infinity */
    put(v, (fsr_value){.bits = inf | normal >> 1});                  /* NaN */
    put_bits(v, dtype, fsr_value_from_double(dtype, 1).bits - 1, 2); /* 1 and its neighbours */
    put_bits(v, dtype, fsr_value_from_double(dtype, ldexp(1, digits)).bits - 1, 1); /* where integers end */
    put_bits(v, dtype, fsr_value_from_double(dtype, 0x1p31).bits, 0);
    put_bits(v, dtype, fsr_value_from_double(dtype, 0x1p63).bits, 0);
    put_bits(v, dtype, fsr_value_from_double(dtype, 3.14159265358979312).bits, 0);
    for (int i = 0; i < COUNT_OF(plain); i++)
        put(v, fsr_value_from_double(dtype, plain[i]));
}

static void integer_values(values *v, fsr_dtype dtype) {
    const int width = 8 * (int)fsr_dtype_size(dtype);
    const uint64_t all = width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1, half = (all >> 1) + 1;
    const uint64_t near[] = {0, half, half >> 1, 3, 10, (uint64_t)width, 63};
    for (int i = 0; i < COUNT_OF(near); i++)
        for (uint64_t by = 0; by < 3; by++)
            put(v, (fsr_value){.bits = (near[i] + by - 1) & all});
    put(v, (fsr_value){.bits = (all / 3) & all});
    put(v, (fsr_value){.bits = (uint64_t)-2 & all});
    put(v, (fsr_value){.bits = ((uint64_t)1 << width / 2) & all});
}

/* Pairs of fewer edge values: a number each, and all other parts. */
static void complex_values(values *v, fsr_dtype dtype) {
    static const double part[] = {0.0, -0.0, 1, -2.5, INFINITY, -INFINITY, NAN, 1e-40, 3e38, 0.75};
    for (int i = 0; i < COUNT_OF(part); i++)
        for (int j = 0; j < COUNT_OF(part); j++)
            put(v, fsr_value_from_complex(dtype, (fsr_c128){part[i], part[j]}));
}

static values values_of(fsr_dtype dtype) {
    values v = {.n = 0};
    uint32_t state = 4711u + (uint32_t)dtype;
    if (dtype == FSR_BOOL) {
        put(&v, (fsr_value){.bits = 0});
        put(&v, (fsr_value){.bits = 1});
    } else if (fsr_dtype_is_complex(dtype)) {
        complex_values(&v, dtype);
    } else if (fsr_dtype_is_float(dtype)) {
        float_values(&v, dtype);
    } else {
        integer_values(&v, dtype);
    }
    for (int i = 0; i < RANDOM; i++)
        put(&v, random_value(dtype, &state));
    return v;
}

int64_t edges_count(fsr_dtype dtype) {
    const int64_t n = values_of(dtype).n;
    return n * n + BITS;
}

void edges_fill(void *data, fsr_dtype dtype, int operand) {
    const values v = values_of(dtype);
    const size_t size = fsr_dtype_size(dtype);
    const int64_t pairs = (int64_t)v.n * v.n;
    uint32_t state = 99u + (uint32_t)operand;
    for (int64_t i = 0; i < pairs + BITS; i++) {
        const int64_t first = i % v.n, second = i / v.n;
        const int64_t at = operand == 0   ? first
                           : operand == 1 ? second
                                          : (7 * first + 3 * second + first * second) % v.n;
        const fsr_value x = i < pairs ? v.value[at] : random_value(dtype, &state);
        memcpy((char *)data + (size_t)i * size, &x, size);
    }
}

/* SPDX-License-Identifier: MIT */
/* Random numbers: functions of a key and a counter. */
#ifndef FUSOR_RANDOM_H
#define FUSOR_RANDOM_H

#include "fusor/node.h"

FSR_API_BEGIN

/* ---- random numbers ------------------------------------------------------------------------------------ */

/* A random number is a function of a seed, a stream and an index: integers, or arrays of them, that broadcast against
 * each other. Of equal ones it is the same number, whoever computes it, in whatever order, fused or not, on whatever
 * device: nothing has a state. A seed, or a stream, is a literal, a parameter (fsr_param: another value neither plans
 * nor compiles), or computed; negative ones wrap. Under one seed the 2^64 streams are independent, and so are the
 * numbers of a stream.
 *
 *     fsr_node seed = fsr_param(g, "seed", FSR_U64, 42), i = fsr_counter(g, 2, shape);
 *     fsr_node x = fsr_random_normal(seed, fsr_int(g, 0), i, FSR_F32);
 *     fsr_node y = fsr_random_uniform(seed, fsr_int(g, 1), i, FSR_F32);
 *
 * The index may be anything: steps of a path, inside of a loop's body too. Numbers of one stream at one index are made
 * of the same bits, whatever their distribution: give each array a stream of its own.
 *
 * Bits come from Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011). Number i of 32 bits and less is made of word i of
 * what cuRAND's curand_init(seed, stream, 0, &state) gives a curandStatePhilox4_32_10_t; one of 64 bits of words 2i and
 * 2i + 1. The seed's, the stream's and the index' shapes may differ. FSR_ERR_DTYPE: one of them is no integer, or the
 * result's dtype is not named here. */

/* 0, 1, 2 ... in C order, an i64 array: the index of an array of random numbers of that shape. Computed, never stored
 * unless asked for. */
fsr_node fsr_counter_at(fsr_site at, fsr_graph *g, int ndim, const int64_t *shape);
#define fsr_counter(...) fsr_counter_at(FSR_HERE, __VA_ARGS__)
/* All bits random: u32 or u64. */
fsr_node fsr_random_bits_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_dtype dtype);
#define fsr_random_bits(...) fsr_random_bits_at(FSR_HERE, __VA_ARGS__)
/* Uniform in [0, 1), multiples of 2^-24 (f32), 2^-53 (f64), 2^-11 (f16), 2^-8 (bf16): the same bits on every
 * backend. */
fsr_node fsr_random_uniform_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_dtype dtype);
#define fsr_random_uniform(...) fsr_random_uniform_at(FSR_HERE, __VA_ARGS__)
/* Uniform in (0, 1]: fsr_random_uniform's number and one multiple more. */
fsr_node fsr_random_positive_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_dtype dtype);
#define fsr_random_positive(...) fsr_random_positive_at(FSR_HERE, __VA_ARGS__)
/* True with probability p, a float or an array of such: fsr_random_uniform of p's dtype (f32 of a literal, f16 and
 * bf16) is less than p. FSR_ERR_DTYPE: p is no float. */
fsr_node fsr_random_bernoulli_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_node p);
#define fsr_random_bernoulli(...) fsr_random_bernoulli_at(FSR_HERE, __VA_ARGS__)
/* Normal, mean 0 and deviation 1, by Box and Muller's transform: numbers 2k and 2k + 1 together. |x| is at most 6.8
 * (f32), 8.7 (f64). Computed in f32 for f16 and bf16. Equal bits on one backend; on two they differ by at most 15 units
 * in the last place. */
fsr_node fsr_random_normal_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_dtype dtype);
#define fsr_random_normal(...) fsr_random_normal_at(FSR_HERE, __VA_ARGS__)
/* Exponential, mean 1: -log of a uniform number in (0, 1]. At most 22.9 (f32), 37.5 (f64). */
fsr_node fsr_random_exponential_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_dtype dtype);
#define fsr_random_exponential(...) fsr_random_exponential_at(FSR_HERE, __VA_ARGS__)
/* Whole numbers from low and below high, all alike likely, without any bias: NumPy's integers. dtype: an integer.
 * FSR_ERR_VALUE: low is not below high, or one of them is not the dtype's. Not inside of a loop's body. */
fsr_node fsr_random_integers_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_dtype dtype, int64_t low,
                                int64_t high);
#define fsr_random_integers(...) fsr_random_integers_at(FSR_HERE, __VA_ARGS__)
/* Elements of x along its first axis, each drawn by itself, all alike likely: index i's shape, then x's other
 * dimensions. FSR_ERR_SHAPE: there are none. */
fsr_node fsr_random_choice_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_node x);
#define fsr_random_choice(...) fsr_random_choice_at(FSR_HERE, __VA_ARGS__)
/* The gamma distribution's of a shape (above 0, a float, f64 if it is a literal) and scale 1, in the shape's dtype, f32
 * or f64. Not inside of a loop's body, as what follows. */
fsr_node fsr_random_gamma_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_node shape);
#define fsr_random_gamma(...) fsr_random_gamma_at(FSR_HERE, __VA_ARGS__)
/* Poisson's of a mean (0 and more, real), i64. */
fsr_node fsr_random_poisson_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_node mean);
#define fsr_random_poisson(...) fsr_random_poisson_at(FSR_HERE, __VA_ARGS__)
/* 0 to n - 1 in random order, i64: the places that sort numbers 0 to n - 1 of 64 random bits of one seed and stream, of
 * which two are equal with a probability of at most n^2 / 2^65 (then they stay in order); every order is otherwise as
 * likely as any other. fsr_random_shuffle: x with the indices of an axis in such an order. FSR_ERR_SHAPE: the seed or
 * the stream is an array. */
fsr_node fsr_random_permutation_at(fsr_site at, fsr_node seed, fsr_node stream, int64_t n);
fsr_node fsr_random_shuffle_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node x, int axis);
#define fsr_random_permutation(...) fsr_random_permutation_at(FSR_HERE, __VA_ARGS__)
#define fsr_random_shuffle(...) fsr_random_shuffle_at(FSR_HERE, __VA_ARGS__)
/* Another stream, u64, for a stream and a number: independent of both and of those of other numbers (JAX's fold_in). */
fsr_node fsr_random_fold_in_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node data);
#define fsr_random_fold_in(...) fsr_random_fold_in_at(FSR_HERE, __VA_ARGS__)
/* n streams, u64[n]: number i is what folding in i gives (JAX's split). FSR_ERR_SIZE: n is negative. */
fsr_node fsr_random_split_at(fsr_site at, fsr_node seed, fsr_node stream, int64_t n);
#define fsr_random_split(...) fsr_random_split_at(FSR_HERE, __VA_ARGS__)

/* ---- numbers of cuRAND's own generators ---------------------------------------------------------------- */

/* Generators that are no functions of an index, as a thunk of its own that calls cuRAND: on a GPU its generators for a
 * device, on a CPU those for the host, both out of libcurand.so.10, which is loaded when such a thunk first runs and
 * needs no GPU for the latter. Without it running is FSR_ERR_UNSUPPORTED; what the functions above draw needs no
 * library, and is drawn inside of kernels. */
typedef enum fsr_generator {
    FSR_XORWOW,
    FSR_MRG32K3A,
    FSR_SOBOL32,
    FSR_SCRAMBLED_SOBOL32,
    FSR_SOBOL64,
    FSR_SCRAMBLED_SOBOL64
} fsr_generator;

/* An array in C order of what cuRAND's host interface generates, as many, behind curandSetPseudoRandomGeneratorSeed and
 * curandSetGeneratorOffset, in the order CURAND_ORDERING_PSEUDO_LEGACY, which no version changes. Of a Sobol sequence
 * the first extent is its dimensions, 1 to 20000, each a row of points from point `offset` on, and the seed is 0. Seed,
 * offset and shape are part of the plan: another one is planned anew, and compiles nothing. Same arguments, same
 * numbers: of words, and of uniform ones but XORWOW's f64, element k from `offset` on is element k + offset
 * from 0 on. FSR_ERR_VALUE: a generator that is none, a seed for Sobol. FSR_ERR_SHAPE: dimensions that Sobol's have
 * not. _bits: the generator's words, u32, or u64 of the 64-bit ones; of MRG32k3a 1 to 2^32 - 209.
 * _uniform: (0, 1], f32 or f64; the same bits on every backend.
 * _normal: mean 0 and deviation 1, f32 or f64; on two backends at most 2^-17 (f32), 2^-46 (f64) apart. XORWOW's and
 * MRG32k3a's are made in pairs, at places that depend on how many there are. */
fsr_node fsr_curand_bits_at(fsr_site at, fsr_graph *g, fsr_generator generator, uint64_t seed, uint64_t offset,
                            int ndim, const int64_t *shape);
fsr_node fsr_curand_uniform_at(fsr_site at, fsr_graph *g, fsr_generator generator, uint64_t seed, uint64_t offset,
                               fsr_dtype dtype, int ndim, const int64_t *shape);
fsr_node fsr_curand_normal_at(fsr_site at, fsr_graph *g, fsr_generator generator, uint64_t seed, uint64_t offset,
                              fsr_dtype dtype, int ndim, const int64_t *shape);
#define fsr_curand_bits(...) fsr_curand_bits_at(FSR_HERE, __VA_ARGS__)
#define fsr_curand_uniform(...) fsr_curand_uniform_at(FSR_HERE, __VA_ARGS__)
#define fsr_curand_normal(...) fsr_curand_normal_at(FSR_HERE, __VA_ARGS__)

FSR_API_END

#endif

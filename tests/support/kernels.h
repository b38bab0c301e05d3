/* SPDX-License-Identifier: MIT */
/* Kernels built by hand, and arrays for them: for tests of the loop IR and of whatever runs it.
 *
 * The builders keep the rules of fusion/loop_ir.h by themselves: an op's level and pass are the largest of its
 * operands', its dtypes follow from the table. A test that wants a broken kernel breaks it afterwards. */
#ifndef FUSOR_TESTS_SUPPORT_KERNELS_H
#define FUSOR_TESTS_SUPPORT_KERNELS_H

#include "fusion/loop_ir.h"

/* The kernel, its schedule completed. Those below are. */
fsr_kernel *kernel_finished(fsr_kernel *k);
/* For a CPU: accumulators, columns of a chunk, rows of the inner loop. */
fsr_schedule kernel_cpu_schedule(fsr_schedule_kind kind, int lanes, int chunk, int abreast);
/* A kernel over ndim dimensions, the first nparallel parallel. No failure: a test without memory may crash. */
fsr_kernel *kernel_begin(const char *name, int ndim, int nparallel, int npasses);
int kernel_array(fsr_kernel *k, fsr_dtype dtype, bool written);
int kernel_scalar(fsr_kernel *k, fsr_dtype dtype);
/* A new integer argument; returns its place. */
int kernel_slot(fsr_kernel *k);

/* Accesses. linear: C order over a domain of at most two dimensions. rows: C order over at most two parallel ones.
 * strided:
 * one slot a dimension, 0 no stride, 1 unit stride, else kernel_slot's; offset -1 or a slot. */
int kernel_linear(fsr_kernel *k, int buffer);
int kernel_rows_access(fsr_kernel *k, int buffer);
int kernel_strided(fsr_kernel *k, int buffer, const int *slots, int offset);

/* Instructions; each returns its number. */
int kernel_const(fsr_kernel *k, fsr_dtype dtype, double value);
int kernel_param(fsr_kernel *k, int scalar);
int kernel_index(fsr_kernel *k, fsr_dtype dtype, int dimension);
int kernel_load(fsr_kernel *k, fsr_level level, int pass, int access);
int kernel_op(fsr_kernel *k, fsr_op op, int a, int b, int c);
int kernel_cast(fsr_kernel *k, int a, fsr_dtype dtype);
int kernel_store(fsr_kernel *k, fsr_level level, int pass, int access, int value);
/* A fold with its COMBINE; returns the fold's number. Takes over combine. */
int kernel_fold(fsr_kernel *k, fsr_fold_kind kind, int pass, bool exclusive, fsr_combine *combine, const int *input);
int kernel_builtin(fsr_kernel *k, fsr_fold_kind kind, int pass, bool exclusive, fsr_op op, int input);
int kernel_result(fsr_kernel *k, int fold, int component);

/* An ITERATE of a loop, which it takes over; returns the instruction. And a PICK of it. */
int kernel_iterate(fsr_kernel *k, fsr_iteration *loop, const int *input);
int kernel_final(fsr_kernel *k, int iterate, int component);

/* States (a, b), argument c: while a < c, at most 9 times, (a, b) = (a + b + 1, a). */
fsr_iteration *iteration_grow(fsr_dtype dtype);

/* Operators over pairs: (a, b) then (c, d) = (a * c, b * c + d), the linear recurrence, not commutative; and (value,
 * index) of the largest value, the first of equals. */
fsr_combine *combine_recurrence(fsr_dtype dtype);
fsr_combine *combine_argmax(fsr_dtype dtype);

/* a + b + s a b, s a scalar argument: associative and commutative, in integers in every bit. */
fsr_combine *combine_bent(fsr_dtype dtype);

/* Whole kernels. Domain: rows x columns, 1 parallel and 1 folded dimension; arrays are contiguous. */
/* b0 in; b1 out, the bent sum of each row, or, scanned, at each element. And kernel_loop_map with a scalar argument in
 * place of the body's literal. */
fsr_kernel *kernel_bent(fsr_dtype dtype, bool scan, bool commutative);
fsr_kernel *kernel_loop_same(fsr_dtype dtype);
fsr_kernel *kernel_softmax(bool keep);                    /* b0 in, b1 out, f32 */
fsr_kernel *kernel_row_sums(fsr_dtype dtype);             /* b0 in, b1 sum of rows, b2 largest of rows */
fsr_kernel *kernel_column_sums(fsr_dtype dtype);          /* rows run along memory: b0[c * rows + r] in, b1[r] sum */
fsr_kernel *kernel_scan(fsr_dtype dtype, bool exclusive); /* b0 in, b1 running sum */
fsr_kernel *kernel_recurrence(void);                      /* f64: b0, b1 in, b2, b3 running state */
fsr_kernel *kernel_argmax(fsr_dtype dtype);               /* b0 in, b1 i64 place of the row's largest */
fsr_kernel *kernel_variance(fsr_dtype dtype);             /* b0 in, b1, b2, b3 the row's count, mean, deviations */
fsr_kernel *kernel_counted_scan(fsr_dtype dtype);         /* b0 in, b1 running sum of x - mean, by the fold above */
fsr_kernel *kernel_fold_recurrence(void); /* f64: b0, b1 in, b2, b3 last state: a reduction that does not commute */
fsr_kernel *
kernel_scan_of_scan(fsr_dtype dtype); /* b0 in, b1 running sum of the running sum, b2 exclusive running maximum
                                                     of b0 plus the index, b3 total of b1 */
fsr_kernel *
kernel_late_scan(bool keep); /* f64: b0 in, b1 running sum / sum: the scan is of pass 0, its reader of pass 1 */
fsr_kernel *kernel_column_softmax(void); /* as kernel_softmax, rows run along memory */
fsr_kernel *kernel_column_scan(fsr_dtype dtype, bool exclusive);
/* Running sums of f32 get a state of f64, as lowering for a GPU gives them. Returns k. */
fsr_kernel *kernel_narrow(fsr_kernel *k);
fsr_kernel *
kernel_planes(fsr_dtype dtype); /* 2 parallel dimensions: b0 linear, b1 a row, b2 a column, b3 transposed, b4 = b0 *
                                                b1 + b2 - b3 linear, b5 = index 0 * 3 + index 1, f64 */
fsr_kernel *kernel_loop_map(
    fsr_dtype dtype); /* rows only: b0, b1 in; from (b0, b1) while below s0: b2, b3 the states, b4 the count */
/* b0 in; from (b0, 0) while below 9: b1 the first state, b2 the row's sum of counts; b3 the turns from (that, 1) while
 * below 20: a loop of the row. */
fsr_kernel *kernel_loop_sums(fsr_dtype dtype);
fsr_kernel *kernel_map(fsr_dtype dtype); /* rows only: b0, b1 in, b2 = b0 * b1 + s0, b3 = b0 < b1 */

/* Two parallel dimensions, one folded; not finished, and for no tiles yet. b0 moves along the first, b1 along the
 * second, b2 along the first and the folded one, b3 along the second and the folded one (turned: both the other way
 * round in memory), b4 along the folded one; b5 = sum of (b2 - b0) * (b3 - b1) + b1, b6 = greatest of b2 - b3 + b4 +
 * index 0 + index 1 - index 2. */
fsr_kernel *kernel_products(fsr_dtype dtype, bool turned);
/* Its loads are staged as its schedule wants them. Returns k. */
fsr_kernel *kernel_staged(fsr_kernel *k);
/* The same with tiles so many outputs tall across the first dimension, as the schedule's target has them; 0: none.
 * Returns k. */
fsr_kernel *kernel_tiled(fsr_kernel *k, int tall);

/* A random kernel over rows x columns, the same for the same seed: loads of every shape, ops, several folds, results
 * used in later passes, stores everywhere. Integers only, so that every association gives the same bits. schedule says
 * what is allowed: passes, kept values, operators, and whether rows run along memory (COL). */
fsr_kernel *kernel_random(uint64_t seed, fsr_schedule schedule, bool scans);

/* One parallel dimension, two folded: b0 f32 in, b1 one for each of the first folded one, b2 the products less the
 * row's greatest one. */
fsr_kernel *kernel_channels(bool keep);

enum { KERNEL_MIDDLE = 21 };
/* Fills rows, columns, extents; splits 1, chunk = columns. Two dimensions, parallel or not; or one; or two parallel
 * ones, of `rows` and KERNEL_MIDDLE, and one folded; or one of `rows`, and two folded ones, of KERNEL_MIDDLE and
 * `columns`. */
void kernel_sizes(const fsr_kernel *k, fsr_launch *launch, int64_t rows, int64_t columns);
/* Elements of an array that the kernel's accesses reach, strides not negative; 0 for an empty domain. */
int64_t kernel_elements(const fsr_kernel *k, const fsr_launch *launch, int buffer);

/* Arrays for a launch, surrounded by guards. Inputs hold small numbers drawn from seed, outputs a pattern. */
enum { KERNEL_GUARD = 256 };
typedef struct kernel_data {
    unsigned char *memory[FSR_MAX_BUFFERS];
    size_t bytes[FSR_MAX_BUFFERS];
} kernel_data;
/* Sets launch->array. */
void kernel_data_new(kernel_data *data, const fsr_kernel *k, fsr_launch *launch, uint64_t seed);
void kernel_data_free(kernel_data *data);
/* True if the guards are whole; else *where is the array. */
bool kernel_data_guards(const kernel_data *data, const fsr_kernel *k, int *where);
/* True if arrays are equal: exactly, or for floats within tolerance relative to max(1, |expected|) (0: the same bits
 * but for
 * NaN). On a mismatch writes what and where. */
bool kernel_data_equal(const kernel_data *expected, const kernel_data *got, const fsr_kernel *k, double tolerance,
                       char *why, size_t size);

#endif

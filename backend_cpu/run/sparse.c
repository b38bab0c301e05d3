/* SPDX-License-Identifier: MIT */
/* The library call "sparse" on a CPU. Equations: row after row, each with what was found before. Right sides are shared
 * among threads; one by itself is one thread's. A row is summed in f64 in the order of its elements, so bits depend on
 * nothing else. Products are sums of rows (row_sums.c). */
#include "graph/sparse.h"
#include "backend_cpu/run/library.h"
#include "backend_cpu/run/row_sums.h"
#include "graph/shape.h"
#include "graph/size.h"
#include <complex.h>
#include <stdatomic.h>

enum { SMALL_WORK = 1 << 14 /* elements that wake nobody */ };

typedef struct job {
    void *const *array;
    void *out;
    void (*one)(const struct job *j, int64_t side);
    int64_t n, sides;
    bool upper, unit, wide_index;
    atomic_llong next;
} job;

static inline int64_t index_at(const job *j, int which, int64_t i) {
    return j->wide_index ? ((const int64_t *)j->array[which])[i] : ((const int32_t *)j->array[which])[i];
}

/* x[row] = (b[row] - what the row has of those before) / its diagonal. */
#define SOLVE(name, type, wide)                                                                                   \
    static void name(const job *j, int64_t side) {                                                                \
        const type *value = j->array[FSR_SPARSE_VALUES], *b = (const type *)j->array[FSR_SPARSE_X] + side * j->n; \
        type *x = (type *)j->out + side * j->n;                                                                   \
        for (int64_t k = 0; k < j->n; k++) {                                                                      \
            const int64_t row = j->upper ? j->n - 1 - k : k;                                                      \
            const int64_t end = index_at(j, 0, row + 1);                                                          \
            wide sum = b[row], diagonal = 0;                                                                      \
            for (int64_t e = index_at(j, 0, row); e < end; e++) {                                                 \
                const int64_t column = index_at(j, 1, e);                                                         \
                if (column == row)                                                                                \
                    diagonal += value[e];                                                                         \
                else if (column < row ? !j->upper : j->upper)                                                     \
                    sum -= (wide)value[e] * (wide)x[column];                                                      \
            }                                                                                                     \
            x[row] = (type)(j->unit ? sum : sum / diagonal);                                                      \
        }                                                                                                         \
    }
SOLVE(solve_f32, float, double)
SOLVE(solve_f64, double, double)
SOLVE(solve_c64, float complex, double complex)
SOLVE(solve_c128, double complex, double complex)

static void sides(void *arg, int worker) {
    job *j = arg;
    int64_t side;
    (void)worker;
    while ((side = atomic_fetch_add(&j->next, 1)) < j->sides)
        j->one(j, side);
}

fsr_status fsr_cpu_sparse(const fsr_crew *crew, const fsr_library_call *call, void *const *array, void *work,
                          fsr_fault *fault) {
    static void (*const one[FSR_DTYPE_COUNT])(const job *, int64_t) = {
        [FSR_F32] = solve_f32, [FSR_F64] = solve_f64, [FSR_C64] = solve_c64, [FSR_C128] = solve_c128};
    const fsr_shape *shape = &call->array[call->nin].shape;
    job j = {.array = array,
             .out = array[call->nin],
             .one = one[call->array[call->nin].dtype],
             .n = shape->dim[1],
             .sides = shape->dim[0],
             .upper = fsr_called_word(call->called, FSR_SPARSE_UPPER),
             .unit = fsr_called_word(call->called, FSR_SPARSE_UNIT),
             .wide_index = call->array[FSR_SPARSE_OFFSETS].dtype == FSR_I64};
    (void)work, (void)fault;
    if (fsr_called_word(call->called, FSR_SPARSE_PRODUCT)) {
        fsr_row_sums(crew->threads, call, array, true);
        return FSR_OK;
    }
    atomic_init(&j.next, 0);
    if (crew->threads && j.sides > 1 &&
        fsr_size_mul(j.sides, call->array[FSR_SPARSE_COLUMNS].shape.dim[0]) > SMALL_WORK)
        fsr_thread_pool_run(crew->threads, sides, &j);
    else
        sides(&j, 0);
    return FSR_OK;
}

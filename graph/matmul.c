/* SPDX-License-Identifier: MIT */
/* Where the elements of a product of matrices stand. */
#include "graph/matmul.h"
#include "graph/size.h"

int64_t fsr_matmul_sets(const fsr_matmul *m) {
    int64_t sets = 1;
    for (int i = 0; i < FSR_MATMUL_BATCHES - 1; i++)
        sets = fsr_size_mul(sets, m->batches[i]);
    return sets;
}

void fsr_matmul_set(const fsr_matmul *m, int64_t i, int64_t offset[3]) {
    offset[0] = m->a_offset;
    offset[1] = m->b_offset;
    offset[2] = 0;
    for (int d = FSR_MATMUL_BATCHES - 2; d >= 0; d--) {
        const int64_t at = i % m->batches[d];
        i /= m->batches[d];
        offset[0] += at * m->a_step[d];
        offset[1] += at * m->b_step[d];
        offset[2] += at * m->c_step[d];
    }
}

/* The greatest of extents 1 to n at steps from 0: past what an array has if it overflows. */
static int64_t reach(int64_t extent, int64_t step) {
    return extent < 1 || step < 0 ? FSR_SIZE_OVER : fsr_size_mul(extent - 1, step);
}

/* A matrix of rows by cols and its batches lie in `size` elements. */
static bool fits(const fsr_matmul *m, const int64_t *step, int64_t offset, int64_t rows, int64_t row, int64_t cols,
                 int64_t col, int64_t size) {
    int64_t last = fsr_size_add(offset, fsr_size_add(reach(rows, row), reach(cols, col)));
    for (int i = 0; i < FSR_MATMUL_BATCHES; i++)
        last = fsr_size_add(last, reach(m->batches[i], step[i]));
    return offset >= 0 && last < size;
}

const char *fsr_matmul_check(const fsr_matmul *m, int64_t a, int64_t b, int64_t c) {
    const int64_t ar = m->a_flipped ? 1 : m->a_lead, ac = m->a_flipped ? m->a_lead : 1;
    const int64_t br = m->b_flipped ? 1 : m->b_lead, bc = m->b_flipped ? m->b_lead : 1;
    if ((m->a_flipped | m->b_flipped) >> 1 || m->a_lead < (m->a_flipped ? m->m : m->k) ||
        m->b_lead < (m->b_flipped ? m->k : m->n) || m->c_lead < m->n)
        return "rows or columns that overlap";
    return fits(m, m->a_step, m->a_offset, m->m, ar, m->k, ac, a) &&
                   fits(m, m->b_step, m->b_offset, m->k, br, m->n, bc, b) &&
                   fits(m, m->c_step, 0, m->m, m->c_lead, m->n, 1, c)
               ? NULL
               : "matrices outside of their arrays";
}

const char *fsr_epilogue_check(const fsr_epilogue *e, int64_t a, int64_t b, int64_t c, int64_t bias) {
    const fsr_matmul *m = &e->product;
    for (int i = 0; i < FSR_MATMUL_BATCHES; i++)
        if (m->batches[i] != 1)
            return "several products";
    if (m->c_lead != m->n || (uint64_t)e->scale >> 32)
        return "rows that lie apart, or a scale that is no f32";
    if (bias >= 0 && (e->bias_offset < 0 || fsr_size_add(e->bias_offset, m->n) > bias))
        return "a bias outside of its array";
    return fsr_matmul_check(m, a, b, c);
}

/* Rows that are read as they lie, enough of them and of what they have, for columns that fill a vector. */
int64_t fsr_matmul_room(const fsr_matmul *m, fsr_dtype dtype) {
    enum { LEAST_COLUMNS = 16, MOST_COLUMNS = 128, LEAST_ROWS = 128, MOST_DEPTH = 1 << 16, LEAST_ELEMENTS = 1 << 16 };
    const bool few = m->n >= LEAST_COLUMNS && m->n <= MOST_COLUMNS && m->m >= LEAST_ROWS && m->k <= MOST_DEPTH &&
                     fsr_size_mul(m->m, m->k) >= LEAST_ELEMENTS && !m->a_flipped &&
                     (dtype == FSR_F32 || dtype == FSR_F64);
    return few ? fsr_round_up(m->n, FSR_MATMUL_FEW_STEP) * m->k * (int64_t)fsr_dtype_size(dtype) : 0;
}

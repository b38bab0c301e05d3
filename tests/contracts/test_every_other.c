/* SPDX-License-Identifier: MIT */
/* Every other element of an array that begins or ends where a page of memory does, which nobody may read beyond: an
 * element that is loaded with the one beside it must find that one in its array (twin.c, lower_finish.c). */
#include "tests/support/subject.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Memory of `bytes` that ends (at_end) or begins where another page follows or precedes that cannot be read. */
typedef struct fenced {
    char *pages, *data;
    size_t all;
} fenced;

static fenced fence(size_t bytes, bool at_end) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), inner = (bytes + page - 1) / page * page;
    fenced f = {.all = inner + 2 * page};
    f.pages = mmap(NULL, f.all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(f.pages != MAP_FAILED);
    assert_int_equal(mprotect(f.pages + page, inner, PROT_READ | PROT_WRITE), 0);
    f.data = f.pages + page + (at_end ? inner - bytes : 0);
    return f;
}

static void unfence(const fenced *f) {
    munmap(f->pages, f->all);
}

static double element(const void *data, fsr_dtype dtype, int64_t i) {
    switch (dtype) {
    case FSR_F32: return ((const float *)data)[i];
    case FSR_I16: return ((const int16_t *)data)[i];
    default: return ((const uint8_t *)data)[i];
    }
}

static void put(void *data, fsr_dtype dtype, int64_t i, int value) {
    if (dtype == FSR_F32)
        ((float *)data)[i] = (float)value;
    else if (dtype == FSR_I16)
        ((int16_t *)data)[i] = (int16_t)value;
    else
        ((uint8_t *)data)[i] = (uint8_t)value;
}

/* The negative of each element, and the largest of each row and of each column. */
static fsr_plan *plan_of(fsr_dtype dtype, int64_t rows, int64_t cols, int start) {
    fsr_plan *plan = NULL;
    fsr_node x = fsr_input(subject_g, "x", dtype, 2, SHAPE(rows, cols));
    fsr_node half = fsr_cast(fsr_slice(x, 1, start, FSR_SLICE_END, 2), FSR_F32);
    fsr_node out[] = {fsr_neg(half), fsr_max(half, AXES(1), 1, 0), fsr_max(half, AXES(0), 1, 0)};
    OK(fsr_compile(out, 3, &plan));
    return plan;
}

static void expect(const float *out, const float *of_rows, const float *of_columns, const void *data, fsr_dtype dtype,
                   int64_t rows, int64_t cols, int start) {
    const int64_t n = (cols - start + 1) / 2;
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < n; ++j) {
            const double x = element(data, dtype, i * cols + start + 2 * j);
            assert_true(out[i * n + j] == (float)-x);
            assert_true(of_rows[i] >= (float)x && of_columns[j] >= (float)x);
        }
}

static void one(fsr_dtype dtype, int64_t rows, int64_t cols, int start, bool at_end) {
    enum { ROOM = 4096 };
    static float out[ROOM], of_rows[ROOM], of_columns[ROOM];
    const int64_t n = (cols - start + 1) / 2;
    const size_t bytes = (size_t)(rows * cols) * fsr_dtype_size(dtype);
    const fenced f = fence(bytes, at_end);
    assert_true(rows * n <= ROOM);
    for (int64_t i = 0; i < rows * cols; ++i)
        put(f.data, dtype, i, (int)(i * 37 % 101));
    fsr_plan *plan = plan_of(dtype, rows, cols, start);
    const fsr_arg in = {"x", f.data, bytes, FSR_HOST};
    const fsr_arg results[] = {{NULL, out, (size_t)(rows * n) * sizeof *out, FSR_HOST},
                               {NULL, of_rows, (size_t)rows * sizeof *out, FSR_HOST},
                               {NULL, of_columns, (size_t)n * sizeof *out, FSR_HOST}};
    OK(fsr_plan_run(plan, &in, 1, results, 3, NULL));
    expect(out, of_rows, of_columns, f.data, dtype, rows, cols, start);
    fsr_plan_free(plan);
    unfence(&f);
}

static void ends_of_pages(void **state) {
    (void)state;
    static const fsr_dtype dtypes[] = {FSR_F32, FSR_I16, FSR_U8};
    static const int64_t cols[] = {2, 3, 16, 17, 64, 65, 201};
    for (int t = 0; t < COUNT_OF(dtypes); ++t)
        for (int c = 0; c < COUNT_OF(cols); ++c)
            for (int start = 0; start < 3 && start < cols[c]; ++start)
                for (int at_end = 0; at_end < 2; ++at_end)
                    one(dtypes[t], 21, cols[c], start, at_end);
}

static const struct CMUnitTest tests[] = {SUBJECT_TEST(ends_of_pages)};
SUBJECT_MAIN(tests)

/* SPDX-License-Identifier: MIT */
/* Library calls: their words, and what each asks of its arguments and results. */
#include "graph/fourier.h"
#include "graph/library.h"
#include "graph/linalg.h"
#include "graph/matmul.h"
#include "graph/sequence.h"
#include "graph/shape.h"
#include "graph/sparse.h"
#include "graph/verify.h"

const char *fsr_library_word(fsr_library library) {
    static const char *const word[FSR_LIBRARY_COUNT] = {
#define FSR_LIBRARY(name, text, ...) [FSR_LIBRARY_##name] = text,
#include "graph/libraries.def"
    };
    return (unsigned)library < FSR_LIBRARY_COUNT ? word[library] : NULL;
}

const char *fsr_library_name(fsr_library library, const fsr_called *called) {
    return called && called->what.name ? called->what.name : fsr_library_word(library);
}

static const char *check_sort(const fsr_applied *a) {
    const fsr_content *n = a->n;
    const int last = n->shape.ndim - 1;
    if (n->nargs != 1 || n->nout != 2)
        return "arity";
    if (fsr_applied_dtype(a, 0) != n->dtype[0] || fsr_dtype_is_complex(n->dtype[0]))
        return "an argument of another dtype, or a complex one";
    if (last < 0 || !fsr_shape_equal(&a->arg[0]->shape, &n->shape) || fsr_shape_size(&n->shape) == 0)
        return "an argument of another shape, or nothing to sort";
    return fsr_is_place_dtype(n->dtype[1], n->shape.dim[last]) ? NULL : "dtype of the places";
}

static bool product_dtypes(const fsr_applied *a) {
    const fsr_dtype from = fsr_applied_dtype(a, 0), to = a->n->dtype[0];
    return from == fsr_applied_dtype(a, 1) && fsr_dtype_is_inexact(to) && !fsr_dtype_is_half(to) &&
           (from == to || (fsr_dtype_is_half(from) && to == FSR_F32));
}

/* Words that lie apart: fusion/contract.h names them. */
static const char *check_matmul(const fsr_applied *a) {
    const fsr_content *n = a->n;
    if (n->nargs != 2 || n->nout != 1 || fsr_called_count(n->called) != FSR_MATMUL_WORDS)
        return "arity";
    if (!product_dtypes(a))
        return "dtypes";
    const fsr_matmul *m = fsr_matmul_of(n->called);
    return fsr_matmul_check(m, fsr_shape_size(&a->arg[0]->shape), fsr_shape_size(&a->arg[1]->shape),
                            fsr_shape_size(&n->shape));
}

static const char *check_matmul_epilogue(const fsr_applied *a) {
    const fsr_content *n = a->n;
    if (n->nargs < 2 || n->nargs > 3 || n->nout != 1 || fsr_called_count(n->called) != FSR_EPILOGUE_WORDS)
        return "arity";
    if (!product_dtypes(a) || n->dtype[0] != FSR_F32 || (n->nargs > 2 && fsr_applied_dtype(a, 2) != FSR_F32))
        return "dtypes";
    return fsr_epilogue_check(fsr_epilogue_of(n->called), fsr_shape_size(&a->arg[0]->shape),
                              fsr_shape_size(&a->arg[1]->shape), fsr_shape_size(&n->shape),
                              n->nargs > 2 ? fsr_shape_size(&a->arg[2]->shape) : -1);
}

static const char *check_fft(const fsr_applied *a) {
    const fsr_content *n = a->n;
    if (n->nargs != 1 || n->nout != 1 || fsr_called_count(n->called) != FSR_FOURIER_WORDS)
        return "arity";
    const fsr_fourier_kind kind = fsr_fourier_kind_of(n->called);
    const int64_t length = fsr_fourier_length(n->called);
    const fsr_dtype in = fsr_applied_dtype(a, 0), out = n->dtype[0];
    fsr_shape from = a->arg[0]->shape, to = n->shape;
    if ((unsigned)kind >= FSR_FOURIER_KINDS || length < 1 || from.ndim < 1 || from.ndim != to.ndim ||
        fsr_shape_size(&from) == 0)
        return "a transform of nothing";
    const bool of_real = kind == FSR_FOURIER_OF_REAL, to_real = kind == FSR_FOURIER_TO_REAL;
    const bool narrow = (of_real ? in == FSR_F32 : in == FSR_C64) && (to_real ? out == FSR_F32 : out == FSR_C64);
    const bool wide = (of_real ? in == FSR_F64 : in == FSR_C128) && (to_real ? out == FSR_F64 : out == FSR_C128);
    int64_t *cols[] = {&from.dim[from.ndim - 1], &to.dim[to.ndim - 1]};
    if (!narrow && !wide)
        return "dtypes";
    if (*cols[0] != (to_real ? length / 2 + 1 : length) || *cols[1] != (of_real ? length / 2 + 1 : length))
        return "the length";
    *cols[0] = *cols[1];
    return fsr_shape_equal(&from, &to) ? NULL : "rows of another shape";
}

static const char *check_caller(const fsr_applied *a) {
    const fsr_called *c = a->n->called;
    if (!c || !c->what.name || !c->type || (!c->what.cpu && !c->what.cuda && !c->code))
        return "a call of nothing";
    if (a->n->nargs != c->what.inputs || a->n->nout != c->what.outputs)
        return "arity";
    for (int i = 0; i < a->n->nout; i++)
        if (a->n->dtype[i] != c->type[i].dtype)
            return "a result of another dtype than its callee gives";
    return NULL;
}

static const char *check_top(const fsr_applied *a) {
    const fsr_content *n = a->n;
    const int last = n->shape.ndim - 1;
    if (n->nargs != 1 || n->nout != 2)
        return "arity";
    if (fsr_applied_dtype(a, 0) != n->dtype[0] || fsr_dtype_is_complex(n->dtype[0]))
        return "an argument of another dtype, or a complex one";
    fsr_shape shape = a->arg[0]->shape;
    if (last < 0 || shape.ndim != n->shape.ndim || shape.dim[last] < n->shape.dim[last])
        return "an argument of less elements";
    if (!fsr_is_place_dtype(n->dtype[1], shape.dim[last]))
        return "dtype of the places";
    shape.dim[last] = n->shape.dim[last];
    return !fsr_shape_equal(&shape, &n->shape) || fsr_shape_size(&shape) == 0
               ? "an argument of another shape, or nothing to find"
               : NULL;
}

static const char *check_ranked(const fsr_applied *a) {
    const fsr_content *n = a->n;
    const int last = n->shape.ndim - 1;
    if (n->nargs != 2 || n->nout != 1)
        return "arity";
    if (fsr_applied_dtype(a, 0) != n->dtype[0] || fsr_dtype_is_complex(n->dtype[0]) ||
        fsr_applied_dtype(a, 1) != FSR_I64)
        return "an argument of another dtype, or a complex one";
    fsr_shape shape = a->arg[0]->shape;
    if (last < 0 || shape.ndim != n->shape.ndim || fsr_shape_size(&shape) == 0 || fsr_shape_size(&n->shape) == 0)
        return "nothing to find";
    shape.dim[last] = n->shape.dim[last];
    return !fsr_shape_equal(&shape, &n->shape) || !fsr_shape_equal(&a->arg[1]->shape, &n->shape)
               ? "an argument of another shape"
               : NULL;
}

/* The arguments' and the results' dimensions before the last ones are the same. */
static const char *check_linalg(const fsr_applied *a) {
    const fsr_content *n = a->n;
    fsr_linalg l;
    if (fsr_called_count(n->called) != FSR_LINALG_WORDS ||
        (uint64_t)fsr_called_word(n->called, FSR_LINALG_KIND) >= FSR_LINALG_KINDS)
        return "a problem that there is not";
    const bool two = fsr_linalg_kind_of(n->called) == FSR_LINALG_SOLVE;
    const fsr_dtype dtype = n->nargs ? fsr_applied_dtype(a, 0) : FSR_BOOL;
    if (n->nargs != 1 + two || a->arg[0]->shape.ndim < 2 || (two && a->arg[1]->shape.ndim != a->arg[0]->shape.ndim))
        return "arity";
    const fsr_shape *first = &a->arg[0]->shape, *second = two ? &a->arg[1]->shape : NULL;
    fsr_shape shape = *first;
    fsr_linalg_of(&l, n->called, first, second);
    if (!fsr_linalg_fits(&l) || (two && second->dim[first->ndim - 1] != l.cols))
        return "matrices of another shape";
    shape.dim[shape.ndim-- - 2] = l.slot;
    for (int d = 0; two && d < shape.ndim - 1; d++)
        if (second->dim[d] != first->dim[d])
            return "right sides for other matrices";
    if (!fsr_shape_equal(&shape, &n->shape))
        return "results of another shape";
    if (!fsr_dtype_is_inexact(dtype) || fsr_dtype_is_half(dtype) || (two && fsr_applied_dtype(a, 1) != dtype) ||
        n->nout != l.nresults + 1 || n->dtype[l.nresults] != FSR_I32)
        return "dtypes";
    for (int i = 0; i < l.nresults; i++)
        if (n->dtype[i] != fsr_linalg_dtype(&l, i, dtype))
            return "dtypes";
    return NULL;
}

static const char *check_curand(const fsr_applied *a) {
    const fsr_content *n = a->n;
    if (n->nargs != 0 || n->nout != 1 || fsr_called_count(n->called) != FSR_SEQUENCE_WORDS)
        return "arity";
    const fsr_generator generator = fsr_sequence_generator(n->called);
    const int64_t draws = fsr_called_word(n->called, FSR_SEQUENCE_DRAWS),
                  dims = fsr_called_word(n->called, FSR_SEQUENCE_DIMS), size = fsr_shape_size(&n->shape);
    if ((uint64_t)fsr_called_word(n->called, FSR_SEQUENCE_GENERATOR) >= FSR_GENERATORS ||
        (uint64_t)draws >= FSR_SEQUENCE_KINDS)
        return "a generator that there is not";
    const bool quasi = fsr_generator_is_quasi(generator);
    if (dims < 1 || dims > (quasi ? FSR_SEQUENCE_DIMENSIONS : 1) || size < 1 || size % dims != 0 ||
        (!quasi && draws == FSR_SEQUENCE_NORMAL && size % 2 != 0))
        return "the length";
    if (draws == FSR_SEQUENCE_BITS ? n->dtype[0] != fsr_generator_word(generator)
                                   : n->dtype[0] != FSR_F32 && n->dtype[0] != FSR_F64)
        return "dtypes";
    return NULL;
}

/* A matrix of that many rows, of the node's dtype, and a vector or right sides of it. */
static const char *check_sparse_matrix(const fsr_applied *a, int64_t rows) {
    const fsr_content *n = a->n;
    const fsr_shape *offsets = &a->arg[FSR_SPARSE_OFFSETS]->shape, *columns = &a->arg[FSR_SPARSE_COLUMNS]->shape;
    const fsr_dtype index = fsr_applied_dtype(a, FSR_SPARSE_OFFSETS), dtype = n->dtype[0];
    if ((index != FSR_I32 && index != FSR_I64) || fsr_applied_dtype(a, FSR_SPARSE_COLUMNS) != index ||
        !fsr_dtype_is_inexact(dtype) || fsr_dtype_is_half(dtype) || fsr_applied_dtype(a, FSR_SPARSE_VALUES) != dtype ||
        fsr_applied_dtype(a, FSR_SPARSE_X) != dtype)
        return "dtypes";
    return offsets->ndim != 1 || columns->ndim != 1 || columns->dim[0] == 0 || offsets->dim[0] != rows + 1 ||
                   !fsr_shape_equal(columns, &a->arg[FSR_SPARSE_VALUES]->shape)
               ? "a matrix of another shape, or of nothing"
               : NULL;
}

static const char *check_sparse(const fsr_applied *a) {
    const fsr_content *n = a->n;
    if (n->nout != 1 || n->nargs < FSR_SPARSE_PLAIN || fsr_called_count(n->called) != FSR_SPARSE_WORDS)
        return "arity";
    for (int i = 0; i < FSR_SPARSE_WORDS; i++)
        if ((uint64_t)fsr_called_word(n->called, i) > 1)
            return "an equation that there is not";
    const bool product = fsr_called_word(n->called, FSR_SPARSE_PRODUCT);
    const fsr_shape *x = &a->arg[FSR_SPARSE_X]->shape;
    if (n->nargs > FSR_SPARSE_PLAIN + product)
        return "arity";
    if (fsr_shape_size(&n->shape) == 0 || n->shape.ndim != 2 - product ||
        (product ? x->ndim != 1 || x->dim[0] == 0 : !fsr_shape_equal(x, &n->shape)))
        return "vectors of another shape, or of nothing";
    if (n->nargs > FSR_SPARSE_PLAIN && (!fsr_shape_equal(&a->arg[FSR_SPARSE_PLAIN]->shape, &n->shape) ||
                                        fsr_applied_dtype(a, FSR_SPARSE_PLAIN) != n->dtype[0]))
        return "another result said with other nodes";
    return check_sparse_matrix(a, n->shape.dim[1 - product]);
}

static const char *check_segments(const fsr_applied *a) {
    const fsr_content *n = a->n;
    if (n->nout != 1 || n->nargs < FSR_SEGMENTS_PLAIN || n->nargs > FSR_SEGMENTS_PLAIN + 1)
        return "arity";
    const fsr_shape *offsets = &a->arg[FSR_SEGMENTS_OFFSETS]->shape, *values = &a->arg[FSR_SEGMENTS_VALUES]->shape;
    const fsr_dtype index = fsr_applied_dtype(a, FSR_SEGMENTS_OFFSETS), dtype = n->dtype[0];
    if ((index != FSR_I32 && index != FSR_I64) || !fsr_dtype_is_inexact(dtype) || fsr_dtype_is_half(dtype) ||
        fsr_applied_dtype(a, FSR_SEGMENTS_VALUES) != dtype)
        return "dtypes";
    if (n->shape.ndim != 1 || n->shape.dim[0] == 0 || offsets->ndim != 1 || offsets->dim[0] != n->shape.dim[0] + 1 ||
        values->ndim != 1 || values->dim[0] == 0)
        return "segments of another shape, or of nothing";
    return n->nargs > FSR_SEGMENTS_PLAIN && (!fsr_shape_equal(&a->arg[FSR_SEGMENTS_PLAIN]->shape, &n->shape) ||
                                             fsr_applied_dtype(a, FSR_SEGMENTS_PLAIN) != dtype)
               ? "another result said with other nodes"
               : NULL;
}

static const char *check_scatter_sum(const fsr_applied *a) {
    const fsr_content *n = a->n;
    if (n->nout != 1 || n->nargs != FSR_SCATTER_SUM_PLAIN + 1)
        return "arity";
    for (int i = 0; i < n->nargs; i++)
        if (fsr_applied_dtype(a, i) != n->dtype[0] || !fsr_shape_equal(&a->arg[i]->shape, &n->shape))
            return "another result said with other nodes";
    return fsr_dtype_is_float(n->dtype[0]) ? NULL : "dtypes";
}

const char *fsr_library_check(const fsr_applied *a) {
    static const char *(*const check_of[FSR_LIBRARY_COUNT])(const fsr_applied *) = {
#define FSR_LIBRARY(name, word, function) [FSR_LIBRARY_##name] = check_##function,
#include "graph/libraries.def"
    };
    return (unsigned)a->n->library < FSR_LIBRARY_COUNT ? check_of[a->n->library](a)
                                                       : "a library call that there is not";
}

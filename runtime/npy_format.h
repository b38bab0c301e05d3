/* SPDX-License-Identifier: MIT */
/* The .npy format (NumPy's NEP 1 and its later versions): headers only, over memory or a FILE; no graph, no data.
 *
 * A file is: "\x93NUMPY", a version (1.0, 2.0 or 3.0), the length of the header text (2 bytes, from 2.0 on 4, little
 * endian), the text: a Python dictionary with exactly 'descr', 'fortran_order' and 'shape'; then the elements. */
#ifndef FUSOR_RUNTIME_NPY_FORMAT_H
#define FUSOR_RUNTIME_NPY_FORMAT_H

#include "graph/graph.h"
#include "runtime/fault.h"
#include <stdio.h>

#define FSR_NPY_MAGIC "\x93NUMPY"
#define FSR_NPY_MAGIC_BYTES 6
#define FSR_NPY_HEADER_MAX 512 /* bytes of any header that fsr_npy_header_write makes */

typedef struct fsr_npy_header {
    fsr_dtype dtype;
    bool fortran_order;  /* the first index varies fastest */
    fsr_shape shape;     /* as written, also with fortran_order */
    int64_t data_offset; /* where the elements begin, bytes */
    int64_t data_bytes;  /* size of all elements */
} fsr_npy_header;

/* Parses a header that begins at data and ends within size. FSR_ERR_FORMAT: the message names the byte and why.
 * Any bytes are allowed in data: hostile ones give an error. */
fsr_status fsr_npy_header_parse(const void *data, size_t size, fsr_npy_header *out, fsr_fault *fault);

/* Reads a header from the file's present position, which must be its begin, and leaves it at the elements. In a regular
 * file the elements must be there: FSR_ERR_FORMAT if it is shorter. FSR_ERR_FILE: reading failed. */
fsr_status fsr_npy_header_read(FILE *file, fsr_npy_header *out, fsr_fault *fault);

/* The dtype of a code without its byte order, as i4; FSR_DTYPE_COUNT if there is none. */
fsr_dtype fsr_npy_dtype(const unsigned char *code, size_t size);

/* False for bf16: NumPy has no such dtype, and its files no name for it. */
bool fsr_npy_has(fsr_dtype dtype);

/* Writes a header of format 1.0 in C order, padded so that the elements begin at a multiple of 64 bytes; returns its
 * size. dtype must be one that .npy has, and shape valid. */
size_t fsr_npy_header_write(char out[FSR_NPY_HEADER_MAX], fsr_dtype dtype, const fsr_shape *shape);

#endif

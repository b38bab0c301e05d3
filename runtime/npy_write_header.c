/* SPDX-License-Identifier: MIT */
/* Codes of dtypes in .npy headers, and headers that are written. */
#include "runtime/npy_format.h"
#include <inttypes.h>
#include <string.h>

/* The code in 'descr' after the byte order. */
static const struct {
    fsr_dtype dtype;
    const char *code;
} codes[] = {
    {FSR_BOOL, "b1"}, {FSR_I8, "i1"},  {FSR_U8, "u1"},  {FSR_I16, "i2"},   {FSR_U16, "u2"},
    {FSR_I32, "i4"},  {FSR_U32, "u4"}, {FSR_I64, "i8"}, {FSR_U64, "u8"},   {FSR_F16, "f2"},
    {FSR_F32, "f4"},  {FSR_F64, "f8"}, {FSR_C64, "c8"}, {FSR_C128, "c16"},
};
#define CODES ((int)(sizeof codes / sizeof codes[0]))

fsr_dtype fsr_npy_dtype(const unsigned char *code, size_t size) {
    for (int i = 0; i < CODES; i++)
        if (strlen(codes[i].code) == size && memcmp(codes[i].code, code, size) == 0)
            return codes[i].dtype;
    return FSR_DTYPE_COUNT;
}

static const char *code_of(fsr_dtype dtype) {
    for (int i = 0; i < CODES; i++)
        if (codes[i].dtype == dtype)
            return codes[i].code;
    return NULL;
}

bool fsr_npy_has(fsr_dtype dtype) {
    return code_of(dtype) != NULL;
}

size_t fsr_npy_header_write(char out[FSR_NPY_HEADER_MAX], fsr_dtype dtype, const fsr_shape *shape) {
    char *text = out + 10;
    size_t room = FSR_NPY_HEADER_MAX - 10, n, total;

    n = (size_t)snprintf(text, room, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                         fsr_dtype_size(dtype) == 1 ? '|' : '<', code_of(dtype));
    for (int i = 0; i < shape->ndim; i++)
        n += (size_t)snprintf(text + n, room - n, i == 0 ? "%" PRId64 : ", %" PRId64, shape->dim[i]);
    n += (size_t)snprintf(text + n, room - n, "%s), }", shape->ndim == 1 ? "," : "");
    total = (10 + n + 1 + 63) / 64 * 64;
    memset(text + n, ' ', total - 10 - n);
    out[total - 1] = '\n';
    memcpy(out, FSR_NPY_MAGIC, FSR_NPY_MAGIC_BYTES);
    out[6] = 1;
    out[7] = 0;
    out[8] = (char)((total - 10) & 0xff);
    out[9] = (char)((total - 10) >> 8);
    return total;
}

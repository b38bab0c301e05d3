/* SPDX-License-Identifier: MIT */
/* Sizes, names and promotion of dtypes.
 *
 * Promotion is NumPy 2's: the smallest dtype that holds all values of both, where there is one. Rows of FSR_DTYPE_LIST
 * of one kind stand by size, kinds in the order bool, integers, floats; so two dtypes of one kind meet in the later
 * row, but f16 and bf16, neither of which holds the other: they meet in f32.
 * Counter-example to "the later row always": i32 16777217 with f32 1 would become 16777216, and i8 -1 with u8 255
 * would become 255, before anything was computed. */
#include "graph/ops.h"

size_t fsr_dtype_size(fsr_dtype dtype) {
    switch (dtype) {
#define FSR_DTYPE_SIZE(id, name, ctype, bytes, kind) \
    case id: return bytes;
        FSR_DTYPE_LIST(FSR_DTYPE_SIZE)
#undef FSR_DTYPE_SIZE
    default: return 0;
    }
}

const char *fsr_dtype_name(fsr_dtype dtype) {
    switch (dtype) {
#define FSR_DTYPE_NAME(id, name, ctype, bytes, kind) \
    case id: return name;
        FSR_DTYPE_LIST(FSR_DTYPE_NAME)
#undef FSR_DTYPE_NAME
    default: return "?";
    }
}

fsr_dtype fsr_dtype_real(fsr_dtype dtype) {
    return dtype == FSR_C64 ? FSR_F32 : dtype == FSR_C128 ? FSR_F64 : dtype;
}

/* One of them is complex: their parts meet, and f32 is the smallest part there is. i16 with c64 is c64, i32 is c128. */
static fsr_dtype promote_complex(fsr_dtype a, fsr_dtype b) {
    return fsr_dtype_promote(FSR_F32, fsr_dtype_promote(fsr_dtype_real(a), fsr_dtype_real(b))) == FSR_F32 ? FSR_C64
                                                                                                          : FSR_C128;
}

typedef struct description {
    char kind;
    size_t bytes;
} description;

static description describe(fsr_dtype dtype) {
    switch (dtype) {
#define FSR_DTYPE_DESCRIBE(id, name, ctype, bytes, kind) \
    case id: return (description){kind, bytes};
        FSR_DTYPE_LIST(FSR_DTYPE_DESCRIBE)
#undef FSR_DTYPE_DESCRIBE
    default: return (description){0, 0};
    }
}

/* The dtype of this kind and size; FSR_DTYPE_COUNT if there is none. */
static fsr_dtype find(char kind, size_t bytes) {
    for (int d = 0; d < FSR_DTYPE_COUNT; d++) {
        description it = describe((fsr_dtype)d);
        if (it.kind == kind && it.bytes == bytes)
            return (fsr_dtype)d;
    }
    return FSR_DTYPE_COUNT;
}

/* An unsigned and a signed integer. */
static fsr_dtype promote_signs(size_t without, size_t with) {
    size_t bytes = with > without ? with : 2 * without;
    return bytes <= 8 ? find('i', bytes) : FSR_F64;
}

/* An integer of so many bytes and a float: one that holds every such integer, up to 64 bits. */
static fsr_dtype promote_float(size_t integer, fsr_dtype real) {
    size_t least = integer < 4 ? 2 * integer : 8;
    return describe(real).bytes >= least ? real : find('f', least);
}

fsr_dtype fsr_dtype_promote(fsr_dtype a, fsr_dtype b) {
    if ((unsigned)a >= FSR_DTYPE_COUNT || (unsigned)b >= FSR_DTYPE_COUNT)
        return FSR_DTYPE_COUNT;
    if (fsr_dtype_real(a) != a || fsr_dtype_real(b) != b)
        return promote_complex(a, b);
    description low = describe(a < b ? a : b), high = describe(a < b ? b : a);
    if ((a == FSR_F16 && b == FSR_BF16) || (a == FSR_BF16 && b == FSR_F16))
        return FSR_F32;
    if (low.kind == high.kind || low.kind == 'b')
        return a < b ? b : a;
    if (high.kind == 'f')
        return promote_float(low.bytes, a < b ? b : a);
    return low.kind == 'u' ? promote_signs(low.bytes, high.bytes) : promote_signs(high.bytes, low.bytes);
}

/* The first dtype, in the order of promotion, that each of them promotes to. Counter-example to promoting one after the
 * other: i8 and u8 are i16, which is f32 with f16; but f16 holds both, and f16 is what they are in any other order. */
fsr_dtype fsr_dtype_promote_all(const fsr_dtype *dtype, int n) {
    int first = 0;
    for (int i = 0; i < n; i++) /* none is promoted to one before it */
        first = (int)dtype[i] > first ? (int)dtype[i] : first;
    for (int d = first; d < FSR_DTYPE_COUNT && n > 0; d++) {
        int fits = 0;
        while (fits < n && fsr_dtype_promote(dtype[fits], (fsr_dtype)d) == (fsr_dtype)d)
            fits++;
        if (fits == n)
            return (fsr_dtype)d;
    }
    return FSR_DTYPE_COUNT;
}

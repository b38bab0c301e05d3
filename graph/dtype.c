/* Sizes, names and promotion of dtypes.
 *
 * Promotion is NumPy 2's. Rows of FSR_DTYPE_LIST stand in promotion order, so the answer is the later row, with one
 * exception: f32 cannot hold every 32- or 64-bit integer, so these meet it in f64. Counter-example to "the later row
 * always": i32 16777217 with f32 1 would become 16777216 before anything was computed. */
#include "fusor/dtype.h"

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

/* FSR_DTYPE_COUNT if one of them is no dtype. */
fsr_dtype fsr_dtype_promote(fsr_dtype a, fsr_dtype b) {
    if ((unsigned)a >= FSR_DTYPE_COUNT || (unsigned)b >= FSR_DTYPE_COUNT)
        return FSR_DTYPE_COUNT;
    fsr_dtype low = a < b ? a : b;
    fsr_dtype high = a < b ? b : a;
    if (high == FSR_F32 && (low == FSR_I32 || low == FSR_I64))
        return FSR_F64;
    return high;
}

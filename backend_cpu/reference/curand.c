/* SPDX-License-Identifier: MIT */
/* What cuRAND's generators give is what cuRAND says: its generators for the host are the oracle of those for a GPU.
 *
 * Bound. Words, and uniform numbers, which are words times a power of two, or one product each, have one value. Normal
 * ones pass through a logarithm, a root and a sine of each library, or an inverse error function: |x| is below 8.7. */
#include "runtime/curand.h"
#include "backend_cpu/reference/library.h"
#include "graph/shape.h"
#include <stdlib.h>
#include <string.h>

static bool store(const char *from, fsr_dtype dtype, double radius, fsr_ref_data *to) {
    const size_t size = fsr_dtype_size(dtype);
    for (int64_t i = 0; i < to->size; i++, from += size) {
        fsr_value value = {.bits = 0};
        memcpy(&value, from, size);
        fsr_ref_element x = fsr_ref_known(dtype, value);
        if (radius > 0)
            x.ball.radius = radius;
        if (!fsr_ref_data_set(to, i, &x))
            return false;
    }
    return true;
}

bool fsr_ref_curand(const fsr_rec *rec, const fsr_shape *shape, const fsr_ref_view *in, fsr_ref_data **out,
                    fsr_fault *fault) {
    const fsr_dtype dtype = rec->dtype[0];
    const bool normal = fsr_called_word(rec->called, FSR_SEQUENCE_DRAWS) == FSR_SEQUENCE_NORMAL;
    const int64_t n = fsr_shape_size(&rec->shape);
    char *drawn = malloc((size_t)fsr_shape_bytes(&rec->shape, dtype));
    (void)shape, (void)in;
    out[0] = fsr_ref_data_new(dtype, n, true);
    const bool good = drawn && out[0] && !fsr_curand_on_host(rec->called, dtype, n, drawn, fault) &&
                      store(drawn, dtype,
                            !normal            ? 0
                            : dtype == FSR_F32 ? 0x1p-17
                                               : 0x1p-46,
                            out[0]);
    free(drawn);
    return good;
}

/* SPDX-License-Identifier: MIT */
/* A call of a program's own in random graphs: the elements backwards, with a result beside them that has another shape and is
 * never read. */
#include "tests/fuzz/recipe.h"
#include <string.h>

static fsr_status types(const fsr_step *s) {
    s->output[0] = s->input[0];
    s->output[1] = (fsr_step_array){.dtype = FSR_I64, .ndim = 1, .shape = {3}};
    return FSR_OK;
}

static int64_t work(const fsr_step *s) {
    (void)s;
    return 16;
}

static fsr_status backwards(const fsr_step *s) {
    const fsr_step_array *in = &s->input[0];
    const size_t size = fsr_dtype_size(in->dtype);
    int64_t n = 1;
    for (int i = 0; i < in->ndim; i++)
        n *= in->shape[i];
    for (int64_t i = 0; i < n && s->output[0].data; i++) {
        memcpy(s->work, (const char *)in->data + (size_t)(n - 1 - i) * size, size);
        memcpy((char *)s->output[0].data + (size_t)i * size, s->work, size);
    }
    if (s->output[1].data)
        memset(s->output[1].data, 0, 3 * sizeof(int64_t));
    return FSR_OK;
}

fsr_node fuzz_backwards(fsr_node x) {
    static const fsr_callee callee = {
        .name = "backwards", .inputs = 1, .outputs = 2, .infer = types, .work = work, .cpu = backwards};
    fsr_node out[2];
    fsr_call_library(x.graph, out, &callee, &x, 1);
    return out[0];
}

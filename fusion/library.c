/* SPDX-License-Identifier: MIT */
/* Library calls of a plan, and their workspace: a function of dtypes and shapes, so that the memory plan has it before
 * anything runs. */
#include "fusion/library.h"
#include "graph/shape.h"
#include <string.h>

enum {
    COUNTS = 16 * 2048 * 8, /* of the buckets of a long row's parts, on a CPU */
    STATES = 1 << 20        /* of CUB's own, however few elements there are */
};

/* Of n records of so many bytes, in so many buffers. */
static int64_t records(int64_t n, int64_t size, int64_t buffers) {
    return fsr_size_mul(buffers, fsr_round_up(fsr_size_mul(n, size), 256));
}

/* CPU: elements go to and fro between the result and a buffer; places go with their keys between two, in records of 8 bytes,
 * or of 16 where one of them is longer than 32 bits.
 * GPU: elements alone, of 32 bits or more, go to and fro inside of CUB, between the result and a buffer. For places there are words of 32 or 64
 * bits, written and sorted, and their places; CUB has buffers of its own for both, and for rows there are theirs, twice. States of
 * tiles take less than a byte an element. */
static int64_t work_sort(const fsr_library_call *call, bool gpu) {
    const fsr_library_array *keys = &call->array[0], *places = &call->array[2];
    const int64_t n = fsr_shape_size(&keys->shape), size = (int64_t)fsr_dtype_size(keys->dtype);
    const int64_t place = (int64_t)fsr_dtype_size(places->dtype), record = size > 4 || place > 4 ? 16 : 8;
    const bool rows = n > keys->shape.dim[keys->shape.ndim - 1];
    if (!gpu)
        return fsr_size_add(places->used ? records(n, record, 2) : records(n, size, 1), COUNTS);
    const int64_t word = size > 4 ? 8 : 4, inside = fsr_size_add(records(n, 1, 1), STATES);
    if (!places->used && !rows && size >= 4)
        return fsr_size_add(records(n, size, 1), inside);
    return fsr_size_add(records(n, 3 * word + (rows ? 20 : 12), 1), inside);
}

/* The calling thread does all. */
static void alone(const fsr_step *step, fsr_share_fn body, void *arg) {
    (void)step;
    body(arg, 0);
}

void fsr_step_fill(fsr_step_room *out, const fsr_library_call *call, void *const *array, void *work) {
    const fsr_callee *c = &call->called->what;
    *out = (fsr_step_room){.step = {.attributes = c->attributes,
                                    .attribute_bytes = c->attribute_bytes,
                                    .user = c->user,
                                    .inputs = call->nin,
                                    .outputs = call->nout,
                                    .input = out->array,
                                    .output = out->array + call->nin,
                                    .work = work,
                                    .work_bytes = call->work_bytes,
                                    .why = out->why,
                                    .why_bytes = sizeof out->why,
                                    .threads = 1,
                                    .parallel = alone}};
    for (int i = 0; i < call->nin + call->nout; ++i) {
        fsr_step_array *to = &out->array[i];
        const fsr_library_array *from = &call->array[i];
        if (i >= call->nin) {
            *to = call->called->type[i - call->nin];
        } else {
            to->dtype = from->dtype;
            to->ndim = from->shape.ndim;
            memcpy(to->shape, from->shape.dim, sizeof to->shape[0] * (size_t)to->ndim);
        }
        to->data = array ? array[i] : NULL;
    }
}

static int64_t work_caller(const fsr_library_call *call, bool gpu) {
    const fsr_step_bytes_fn work = call->called->what.work;
    fsr_step_room room;
    if (!work)
        return 0;
    fsr_step_fill(&room, call, NULL, NULL);
    room.step.cuda = gpu;
    const int64_t bytes = work(&room.step);
    return bytes < 0 || bytes > FSR_SIZE_OVER ? FSR_SIZE_OVER : bytes;
}

int64_t fsr_library_work(const fsr_library_call *call, bool gpu) {
    static int64_t (*const work_of[FSR_LIBRARY_COUNT])(const fsr_library_call *, bool) = {
#define FSR_LIBRARY(name, word, function) [FSR_LIBRARY_##name] = work_##function,
#include "graph/libraries.def"
    };
    return work_of[call->library](call, gpu);
}

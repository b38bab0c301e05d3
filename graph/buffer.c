/* SPDX-License-Identifier: MIT */
/* Counted array storage. Plans and graphs of several threads share buffers: the count is atomic. */
#include "graph/graph.h"

fsr_buffer *fsr_buffer_ref(fsr_buffer *buffer) {
    if (buffer)
        __atomic_add_fetch(&buffer->refs, 1, __ATOMIC_RELAXED);
    return buffer;
}

void fsr_buffer_unref(fsr_buffer *buffer) {
    if (buffer && __atomic_sub_fetch(&buffer->refs, 1, __ATOMIC_ACQ_REL) == 0)
        buffer->release(buffer);
}

/* SPDX-License-Identifier: MIT */
/* Which bytes of a device's memory somebody wrote, and loads of the others, as initcheck of compute-sanitizer tells
 * them on a device: what a kernel run on the host loads and stores comes here, if it was compiled after written_watch.
 * Not for several threads, nor under another sanitizer; the compiler is gcc. */
#ifndef FUSOR_TESTS_HOST_CUDA_WRITTEN_H
#define FUSOR_TESTS_HOST_CUDA_WRITTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False: this build has another sanitizer, or another compiler. */
bool written_watch(void);
bool written_watched(void);
/* Memory that nobody wrote yet; it is no device's any more; it was written; it has what `from`, of a device or not,
 * has. */
void written_new(const void *data, size_t bytes);
void written_gone(const void *data, size_t bytes);
void written_all(const void *data, size_t bytes);
void written_copy(const void *to, const void *from, size_t bytes);
/* Loads of bytes that nobody wrote, so far. */
int64_t written_reads(void);

#endif

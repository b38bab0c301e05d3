/* SPDX-License-Identifier: MIT */
/* The disk cache of compiled kernels: files named by a digest of their key, checked when read.
 *
 * A key is everything the binary depends on: source, options in order, architecture, compiler version, generator
 * version.
 * An entry holds a magic number, a format version, the whole key's 128-bit digest, the payload's length and a
 * checksum. Anything wrong with an entry (short, torn, other version) is a miss; it is removed. Writes go to a
 * temporary file in the same directory, then rename: readers never see half a file, and many processes may share the
 * directory. When the directory's total would pass the limit, the least recently used entries go first (a hit touches
 * the file); the total never passes it, whoever writes (disk_bound.h).
 * The directory is made with mode 0700. One that belongs to somebody else, or that group or others may
 * write, is not trusted: the cache is then off until it is, and the fault says why. */
#ifndef FUSOR_RUNTIME_DISK_CACHE_H
#define FUSOR_RUNTIME_DISK_CACHE_H

#include "runtime/fault.h"
#include <stddef.h>
#include <stdint.h>

typedef struct fsr_disk_cache fsr_disk_cache;

/* dir NULL: $XDG_CACHE_HOME/fusor or ~/.cache/fusor must have been put into the configuration already (fsr_config_init
 * does): NULL or "" opens no cache, *out NULL, FSR_OK. An unusable directory is a status (a warning, not an error, for
 * the caller) and a cache that has nothing and stores nothing until a later call finds the directory usable
 * (patience.h). No memory: a status, *out NULL. */
fsr_status fsr_disk_cache_open(const char *dir, int64_t limit_bytes, fsr_disk_cache **out, fsr_fault *fault);
void fsr_disk_cache_close(fsr_disk_cache *cache);
/* Instead, in a child of fork: closes the child's descriptor, and leaves the memory. NULL is allowed. */
void fsr_disk_cache_leave(fsr_disk_cache *cache);
/* The payload, malloc'ed, or NULL on a miss. cache NULL: a miss. */
void *fsr_disk_cache_get(fsr_disk_cache *cache, const void *key, size_t key_size, size_t *size);
/* Stores; failures are silent misses later, returned as a status for the log. cache NULL: FSR_OK. */
fsr_status fsr_disk_cache_put(fsr_disk_cache *cache, const void *key, size_t key_size, const void *data, size_t size,
                              fsr_fault *fault);

#endif

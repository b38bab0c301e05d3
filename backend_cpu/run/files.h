/* SPDX-License-Identifier: MIT */
/* Whole files, for the compiler driver. */
#ifndef FUSOR_BACKEND_CPU_FILES_H
#define FUSOR_BACKEND_CPU_FILES_H

#include "runtime/fault.h"
#include "runtime/text.h"
#include <stdbool.h>

/* "<dir>/<name><suffix>", malloc'ed; NULL: out of memory. */
char *fsr_path_join(const char *dir, const char *name, const char *suffix);
enum { FSR_FILE_BYTES = 256 << 20 }; /* a source or object of more is none */

/* True if there is a regular file of at most FSR_FILE_BYTES, not a link to one. Else false with errno set. Never
 * waits. */
bool fsr_file_is_regular(const char *path);
/* The whole file with a 0 behind it, malloc'ed. NULL with errno set if it cannot be read; EINVAL: it is no regular
 * file, EFBIG: it has more than FSR_FILE_BYTES. Never waits. */
char *fsr_file_read(const char *path, size_t *size);
/* Its text before the first empty line; else as fsr_file_read. */
char *fsr_file_read_record(const char *path);
/* Writes all of it, however often the kernel takes a part. False with errno set. */
bool fsr_fd_write(int fd, const void *data, size_t size);
/* Creates or replaces a file. False with errno set if it cannot be written. */
bool fsr_file_write(const char *path, const void *data, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/* Writing files whole: what is read under a name is all of the old or all of the new, and nothing is left of a failure.
 *
 * Everything that the library or fusor-bench leaves on a disk goes through here: .npy files, JSON, dumped sources and
 * plans, entries of the disk cache. (A compiler's files are not: they lie in a private directory of their own.) */
#ifndef FUSOR_RUNTIME_WRITE_FILE_H
#define FUSOR_RUNTIME_WRITE_FILE_H

#include "runtime/fault.h"
#include <stddef.h>
#include <sys/types.h>

/* How names of temporary files begin. Such a file is left only by a process that was killed, and hinders nobody. */
#define FSR_TEMPORARY ".fsr-tmp-"

/* A piece of what is written. */
typedef struct fsr_part {
    const void *data;
    size_t size;
} fsr_part;

/* A file of the user's, n parts one after the other. A link is followed to what it names. A file that is there keeps
 * its mode, and its owner and group where this process may give them; one that may not be written is not replaced. What
 * is no regular file (a pipe, a device) is written as it is. FSR_OK: file and name are on the disk. FSR_ERR_FILE with
 * "<path>: <reason>": the name is as it was; but where the reason is that the directory cannot be synced, it has the
 * new file already. FSR_ERR_MEMORY. */
fsr_status fsr_write_file(const char *path, const fsr_part *part, int n, fsr_fault *fault);

/* The status that fsr_write_file would give now, as far as can be known without writing. */
fsr_status fsr_write_file_check(const char *path, fsr_fault *fault);

/* A file of the library's own in an open directory, not synced. What had the name goes, a link too: it is never
 * followed. Returns 0 or an errno. */
int fsr_write_file_at(int dir, const char *name, mode_t mode, const fsr_part *part, int n);

/* The same in a directory that is made if it is not there; mode as the umask says. */
int fsr_write_file_in(const char *dir, const char *name, const void *data, size_t size);

#endif

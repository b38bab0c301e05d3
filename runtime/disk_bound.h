/* SPDX-License-Identifier: MIT */
/* The bound of the disk cache's directory: the bytes of all its entries and temporary files never pass the limit,
 * however many threads and processes write to it, where its file system has locks. Where it has none, what they write
 * at the same moment comes on top. Counted are the files' lengths, not the disk's blocks. */
#ifndef FUSOR_RUNTIME_DISK_BOUND_H
#define FUSOR_RUNTIME_DISK_BOUND_H

#include <stdbool.h>
#include <stdint.h>

#define FSR_ENTRY_NAME 37 /* bytes of an entry's name: 32 digits, ".fsr", 0 */

/* The right to write one entry, and the lock that gives it. */
typedef struct fsr_disk_claim {
    int dir, fd;
    bool locked;
    int64_t total; /* bytes in the directory without the entry */
    int64_t old;   /* of the entry that is there under its name */
    uint64_t puts;
} fsr_disk_claim;

/* Waits for the lock, at most a second, and makes room for an entry of so many bytes: the least recently used ones go.
 * count: the directory is counted in any case. Returns 0, then fsr_disk_bound_end must follow; or an errno:
 * ETIMEDOUT, ENOSPC: no room could be made. */
int fsr_disk_bound_begin(int dir, int64_t limit, const char *name, int64_t bytes, bool count, fsr_disk_claim *claim);
/* Counts the entry if it was written, and releases the lock. */
void fsr_disk_bound_end(fsr_disk_claim *claim, int64_t bytes, bool written);

#endif

/* SPDX-License-Identifier: MIT */
/* The machine: its name, caches, memory, and the processors that this process may use. */
#ifndef FUSOR_BACKEND_CPU_MACHINE_H
#define FUSOR_BACKEND_CPU_MACHINE_H

#include <stddef.h>
#include <stdint.h>

/* The processor's name, or "CPU". */
void fsr_machine_name(char *out, size_t size);
/* Bytes of the cache that a core has to itself, and of the largest one what the process may count on. */
void fsr_machine_caches(int64_t *own, int64_t *last);
/* Bytes; 0: unknown. */
int64_t fsr_machine_memory(void);
/* Bytes that the process may still map under its limits (RLIMIT_AS, RLIMIT_DATA); INT64_MAX: it has none; 0 also
 * where it has some, and /proc does not say what it uses. */
int64_t fsr_machine_room(void);
int fsr_machine_processors(void);

#endif

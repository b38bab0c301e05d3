/* SPDX-License-Identifier: MIT */
/* Knowing a compiler again by its file, without running it. */
#ifndef FUSOR_BACKEND_CPU_IDENTITY_H
#define FUSOR_BACKEND_CPU_IDENTITY_H

/* Text that changes whenever what `program --version` says may change: the file that PATH leads to, links followed, and
 * its device, inode, size and times. Malloc'ed. NULL: the file does not tell, so the program has to be asked (or memory
 * is out). */
char *fsr_program_identity(const char *program);

#endif

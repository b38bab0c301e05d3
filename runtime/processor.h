/* SPDX-License-Identifier: MIT */
/* Which processor a thread runs on, and going on on another one. */
#ifndef FUSOR_RUNTIME_PROCESSOR_H
#define FUSOR_RUNTIME_PROCESSOR_H

/* The processor that the calling thread runs on; -1: the system does not tell. */
int fsr_processor(void);

/* The calling thread goes on on a processor that is none of `taken`, of those that it may use; where all are taken on
 * any but the first of these, and where it may use no other one it stays. It may use the same ones as before; what
 * another thread of the process changes about that at the same moment is lost. */
void fsr_processor_leave(const int *taken, int n);

#endif

/* SPDX-License-Identifier: MIT */
/* The threads of the CPU backend. They start when first needed and sleep between jobs. */
#ifndef FUSOR_BACKEND_CPU_CREW_H
#define FUSOR_BACKEND_CPU_CREW_H

typedef struct fsr_crew fsr_crew;

/* For `threads` workers, the caller of fsr_crew_run among them; starts none. NULL: out of memory. */
fsr_crew *fsr_crew_new(int threads);
void fsr_crew_free(fsr_crew *c); /* NULL is allowed; no job may be running */
int fsr_crew_size(const fsr_crew *c);
/* Calls work(arg, worker) in the calling thread (worker 0) and in those of the others that come in time, each with a
 * number of its own below fsr_crew_size, and returns when all of them are back. work must therefore take its share from
 * a common counter until nothing is left. Where the crew is busy with another caller's job, the caller works alone. */
void fsr_crew_run(fsr_crew *c, void (*work)(void *arg, int worker), void *arg);

#endif

/* SPDX-License-Identifier: MIT */
/* The threads of the CPU backend. They start when first needed and sleep between jobs. */
#ifndef FUSOR_BACKEND_CPU_THREAD_POOL_H
#define FUSOR_BACKEND_CPU_THREAD_POOL_H

typedef struct fsr_thread_pool fsr_thread_pool;

/* For `threads` workers, the caller of fsr_thread_pool_run among them; starts none. NULL: out of memory. */
fsr_thread_pool *fsr_thread_pool_new(int threads);
void fsr_thread_pool_free(fsr_thread_pool *c); /* NULL is allowed; no job may be running */
int fsr_thread_pool_size(const fsr_thread_pool *c);
/* Calls work(arg, worker) in the calling thread (worker 0) and in those of the others that come in time, each with a
 * number of its own below fsr_thread_pool_size, and returns when all of them are back. work must therefore take its
 * share from a common counter until nothing is left. Where the pool is busy with another caller's job, the caller
 * works alone. */
void fsr_thread_pool_run(fsr_thread_pool *c, void (*work)(void *arg, int worker), void *arg);
/* Between two looks at what another thread will change, the nth of them, from 0: the first few keep the processor, the
 * others offer it to whoever wants it. */
void fsr_thread_glance(int nth);

#endif

/* SPDX-License-Identifier: MIT */
/* Threads that Fusor starts. */
#ifndef FUSOR_RUNTIME_THREAD_H
#define FUSOR_RUNTIME_THREAD_H

#include <pthread.h>

/* As pthread_create with the default attributes, but every signal is blocked in the thread: signals of the program are
 * for its own threads, whose handlers may rely on which one runs them. 0 or an errno. */
int fsr_thread_start(pthread_t *thread, void *(*main)(void *), void *arg);
/* The same, and it begins on another processor than the caller's, if it may use one. Counter-example to the system's
 * choice: on two processors of a virtual machine a thread began on the caller's, 4 ms later, though the other one was
 * idle. */
int fsr_thread_start_beside(pthread_t *thread, void *(*main)(void *), void *arg);

#endif

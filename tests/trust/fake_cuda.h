/* SPDX-License-Identifier: MIT */
/* A CUDA driver and runtime on the host, for tests of backend_cuda's host code where there is no GPU: memory is host
 * memory, streams are done at once, kernels are compiled as C++ and run by tests/host_cuda. Every call can be made to
 * fail (FAULT_CUDA). It stands in for the static runtime because its functions are found first. Needs a CUDA toolkit's
 * header; else nothing of it is there. */
#ifndef FUSOR_TESTS_TRUST_FAKE_CUDA_H
#define FUSOR_TESTS_TRUST_FAKE_CUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fake_cuda {
    /* set by tests */
    int driver; /* what asking for the devices gives; 0: fine */
    int devices;
    int64_t capacity;         /* bytes of device memory */
    int lost;                 /* not 0: the error that every call gives, the context being lost */
    int at_launch;            /* not 0: the next launch loses the context with it */
    bool no_kernels;          /* launches do nothing */
    bool old_driver;          /* lacks what is looked up by name */
    bool tells_threads;       /* whose address it is, asked by a thread without a context, is an error */
    int loads_without_memory; /* so many libraries, next, that the device has no memory for */
    bool capturing;           /* every stream is being captured */
    int param_bytes[80];      /* of the kernels' parameters, to the first 0 */
    int static_shared;        /* bytes of the kernels' own shared memory */
    void (*at_copy)(void);    /* called while a copy is put on a stream */
    /* counted, by calls of several threads */
    _Atomic int carved;                                 /* per cent of near memory made shared memory last */
    _Atomic int64_t used;                               /* bytes */
    _Atomic int64_t blocks, objects;                    /* memory blocks; streams, events, libraries, pinned memory */
    _Atomic int64_t launches, running;                  /* all; not waited for yet */
    _Atomic int64_t unloaded, unloaded_running;         /* libraries; while launches had not been waited for */
    _Atomic int64_t graph_launches, peer_copies, waits; /* waits: of a stream for an event */
    _Atomic int64_t event_waits;                        /* of the host for an event */
    _Atomic int64_t copies;                             /* within the device */
    _Atomic int64_t questions;                          /* what was asked of addresses */
} fake_cuda;

extern fake_cuda fake;
/* What the fake libraries keep calls with that are put on a stream which is captured (FAKE_RECORD): false, it is
 * not. */
bool fake_record_call(void *stream, void (*call)(const void *arguments), const void *arguments, size_t bytes);
/* A driver with one device of 1 GiB, nothing failing. */
void fake_cuda_reset(void);

#endif

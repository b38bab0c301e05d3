/* SPDX-License-Identifier: MIT */
/* Status codes of Fusor: one table gives the enum, the names and the sentences.
 *
 * Every function that can fail returns an fsr_status; builder functions return a node, which may be
 * poisoned (see fusor/build.h) and then carries the status until somebody computes or asks for it. */
#ifndef FUSOR_STATUS_H
#define FUSOR_STATUS_H

#include "fusor/api.h"

/* Rows: the code, its sentence. */
#define FSR_STATUS_LIST(X)                                                                              \
    X(FSR_OK, "ok")                                                                                     \
    X(FSR_ERR_NULL, "a required pointer or handle is null")                                             \
    X(FSR_ERR_STALE, "the handle's node, graph or scope is gone")                                       \
    X(FSR_ERR_GRAPH, "the nodes belong to different graphs")                                            \
    X(FSR_ERR_SHAPE, "the shapes do not fit")                                                           \
    X(FSR_ERR_DTYPE, "the operation is not defined for this dtype")                                     \
    X(FSR_ERR_AXIS, "the axis does not exist, or is named twice")                                       \
    X(FSR_ERR_SIZE, "a size is negative or overflows")                                                  \
    X(FSR_ERR_VALUE, "an argument has a value that is not allowed")                                     \
    X(FSR_ERR_EMPTY, "a reduction without identity over an empty axis")                                 \
    X(FSR_ERR_UNBOUND, "an input has no data")                                                          \
    X(FSR_ERR_BYTES, "a buffer does not have the size that the array needs")                            \
    X(FSR_ERR_SCOPE, "scope_end without its scope_begin")                                               \
    X(FSR_ERR_MEMORY, "out of host memory")                                                             \
    X(FSR_ERR_DEVICE_MEMORY, "out of device memory")                                                    \
    X(FSR_ERR_FILE, "a file cannot be opened, read or written")                                         \
    X(FSR_ERR_FORMAT, "a file or text is not in the format it should have")                             \
    X(FSR_ERR_COMPILE, "the compiler rejected a generated source")                                      \
    X(FSR_ERR_NO_COMPILER, "no compiler was found")                                                     \
    X(FSR_ERR_NO_BACKEND, "the backend asked for is not available")                                     \
    X(FSR_ERR_DEVICE, "the device or its driver reported an error")                                     \
    X(FSR_ERR_UNSUPPORTED, "not supported by this build or backend")                                    \
    X(FSR_ERR_MISMATCH, "a result is outside its error bound")                                          \
    X(FSR_ERR_INTERNAL, "a check inside Fusor failed; please report it")                                \
    X(FSR_ERR_FORKED, "the context belongs to the process that opened it, this is a child of that one") \
    X(FSR_ERR_INDEX, "a computed index lies outside of its axis")

/* The codes; each row of FSR_STATUS_LIST is one. */
typedef enum fsr_status {
#define FSR_STATUS_ENUM(code, sentence) code,
    FSR_STATUS_LIST(FSR_STATUS_ENUM)
#undef FSR_STATUS_ENUM
        FSR_STATUS_COUNT
} fsr_status;

FSR_API_BEGIN

/* The code's name, "FSR_ERR_SHAPE", and its sentence; never NULL, also for numbers that are no code. */
const char *fsr_status_name(fsr_status status);
const char *fsr_status_sentence(fsr_status status);

FSR_API_END
#endif

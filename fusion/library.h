/* SPDX-License-Identifier: MIT */
/* A library call as a thunk of a program: which, between which arrays, and the memory that it needs meanwhile. Arrays
 * are whole and in C order. Backends compute it: a table of functions each, by graph/libraries.def. */
#ifndef FUSOR_FUSION_LIBRARY_H
#define FUSOR_FUSION_LIBRARY_H

#include "graph/kind.h"

enum { FSR_LIBRARY_ARRAYS = FSR_MAX_ARGS + FSR_MAX_OUTPUTS };

typedef struct fsr_library_array {
    fsr_dtype dtype;
    bool used; /* of a result: somebody reads it; else it has no memory */
    fsr_shape shape;
} fsr_library_array;

typedef struct fsr_library_call {
    fsr_library library;
    fsr_called *called; /* what it is told besides; a thunk's is a reference */
    int node;           /* of the flow */
    int nin, nout;
    fsr_library_array array[FSR_LIBRARY_ARRAYS]; /* arguments, then results */
    int64_t work_bytes;
    bool
        spoils; /* the workspace, of argument 0's bytes, begins as a copy of it; where that dies here it is its memory */
} fsr_library_call;

/* What it is called in words for the caller. */
static inline const char *fsr_library_call_name(const fsr_library_call *call) {
    return fsr_library_name(call->library, call->called);
}
/* A call of the program's own as its functions see it, for a CPU and one thread. array: NULL, or of each argument
 * and result. */
typedef struct fsr_frame_room {
    fsr_call_frame frame;
    fsr_frame_array array[FSR_LIBRARY_ARRAYS];
    char why[256];
} fsr_frame_room;
void fsr_frame_fill(fsr_frame_room *out, const fsr_library_call *call, void *const *array, void *work);

/* Selecting on a CPU: what of its workspace follows from sizes. */
enum {
    FSR_SELECT_PARTS = 32,    /* of a long row; of many rows as many slots */
    FSR_SELECT_DIGITS = 2048, /* values that are counted in each */
    FSR_TOP_LONG = 1 << 16    /* elements that are worth several threads */
};
/* On a GPU: of more first elements than so many all are sorted. */
enum { FSR_TOP_SEARCHED = 2048 };
/* Rows of at most so many are sorted by a block each, without workspace. */
enum { FSR_SORT_ROW = 4608 };
/* On a CPU so many rows are sorted side by side, if a row has at most so many elements. */
enum { FSR_SORT_LANES = 16, FSR_SORT_LANED = 128 };
/* Words that a slot has for each element of a row of n: keys and a copy; of rows that are sorted side by side, so
 * many rows. */
static inline int64_t fsr_ranked_words(int64_t n) {
    return n <= FSR_SORT_LANED ? FSR_SORT_LANES : 2;
}
/* The first k of n elements are not few: they are found by counts of digits. */
bool fsr_top_is_many(int64_t n, int64_t k);
int64_t fsr_top_room(int64_t n, int64_t k);
int64_t fsr_top_slots(int64_t n, int64_t k, int64_t rows);

/* Bytes of workspace that a call needs on a machine; FSR_SIZE_OVER where they overflow. */
int64_t fsr_library_work(const fsr_library_call *call, bool gpu);
/* What `spoils` says. */
bool fsr_library_spoils(const fsr_library_call *call, bool gpu);

#endif

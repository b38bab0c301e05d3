/* SPDX-License-Identifier: MIT */
/* Library calls by their names; graph/libraries.def has the rows. */
#ifndef FUSOR_GRAPH_LIBRARY_H
#define FUSOR_GRAPH_LIBRARY_H

#include "graph/called.h"

typedef enum fsr_library {
#define FSR_LIBRARY(name, ...) FSR_LIBRARY_##name,
#include "graph/libraries.def"
    FSR_LIBRARY_COUNT
} fsr_library;

/* Its word; NULL for what is none. */
const char *fsr_library_word(fsr_library library);
/* What it is called in words for the caller: its word, or its callee's name. */
const char *fsr_library_name(fsr_library library, const fsr_called *called);
/* The dtype of places among n elements. */
static inline fsr_dtype fsr_place_dtype(int64_t n) {
    return n <= UINT32_MAX ? FSR_U32 : FSR_U64;
}
/* A call may give them so. */
static inline bool fsr_is_place_dtype(fsr_dtype dtype, int64_t n) {
    return dtype == fsr_place_dtype(n) || dtype == FSR_I64;
}
/* Result 1 of the call is places. */
static inline bool fsr_library_has_places(fsr_library library) {
    return library == FSR_LIBRARY_SORT || library == FSR_LIBRARY_LEAST || library == FSR_LIBRARY_GREATEST;
}

#endif

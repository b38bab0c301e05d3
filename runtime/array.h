/* SPDX-License-Identifier: MIT */
/* Device arrays behind graph nodes. */
#ifndef FUSOR_RUNTIME_ARRAY_H
#define FUSOR_RUNTIME_ARRAY_H

#include "fusor/run.h"
#include "runtime/context.h"

/* A new buffer of the context's backend, one reference. */
fsr_status fsr_array_new(fsr_context *ctx, int64_t bytes, fsr_buffer **out, fsr_fault *fault);
/* A leaf of g with a buffer, which is taken over; of a fault a poison with its words, the fault being cleared. */
fsr_node fsr_array_leaf(fsr_graph *g, fsr_site at, const char *op, const fsr_type *type, fsr_buffer *buffer,
                        fsr_fault *fault);
/* The context of the first of n nodes whose graph is alive, else of the first of a freed graph; NULL: every node is
 * null, or nodes is. */
fsr_context *fsr_context_of(const fsr_node *nodes, int n);
/* The graph, context and references of handles that somebody wants computed or printed. Null, stale, mixed and
 * poisoned handles are an error with the node's own message; op names the caller. refs must hold n. */
fsr_status fsr_take_nodes(const char *op, const fsr_node *nodes, int n, fsr_ref *refs, fsr_graph **g,
                          fsr_context **ctx);
/* Keeps, in order, the refs that have no array yet, each once; returns how many. */
int fsr_uncomputed(const fsr_graph *g, fsr_ref *refs, int n);
/* Puts the counts of those that have lengths behind n refs, which have room for twice as many; returns how many
 * there are. */
int fsr_add_counts(const fsr_graph *g, fsr_ref *refs, int n);
/* How many elements of a computed node are there: all, or as many as its length says. Waits for that. */
fsr_status fsr_count_there(fsr_context *ctx, const fsr_graph *g, const fsr_rec *rec, int64_t *count, fsr_fault *fault);
int64_t fsr_rec_bytes(const fsr_rec *rec, int output);

/* Fails with FSR_ERR_VALUE, and what is wrong in words, unless bytes bytes from data may be used as memory of that
 * place, as far as the backend can tell (address.c). */
fsr_status fsr_check_address(fsr_context *ctx, const void *data, int64_t bytes, fsr_place place, fsr_fault *fault);
/* The same where the process is known to be the context's own. seen: of the last call, for the same argument, and kept
 * for the next one; NULL: nothing is. */
fsr_status fsr_check_place(fsr_context *ctx, const void *data, int64_t bytes, fsr_place place, fsr_seen *seen,
                           fsr_fault *fault);

/* What the last such call for an argument found of its memory holds: it is the same allocation, and not given back
 * since. */
bool fsr_place_holds(fsr_context *ctx, fsr_seen *seen);

/* Copies what fits of a text of `whole` bytes into the caller's memory, text NULL: nothing; FSR_ERR_BYTES: not all
 * of it. */
fsr_status fsr_hand_over(fsr_context *ctx, const char *op, const char *from, size_t whole, char *text, size_t size);

/* A caller's bool bytes as 0 or 1, malloc'ed; NULL: out of memory. */
uint8_t *fsr_normal_bools(const uint8_t *data, int64_t n);

#endif

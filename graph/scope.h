/* SPDX-License-Identifier: MIT */
/* Scopes as the other rooms use them, beyond fsr_scope_begin and fsr_scope_end. */
#ifndef FUSOR_GRAPH_SCOPE_H
#define FUSOR_GRAPH_SCOPE_H

#include "fusor/build.h"

/* Open scopes of a live graph. */
int fsr_scope_depth(const fsr_graph *g);
/* Ends scopes until only `depth` are open; drops every node recorded in them and nothing else. */
void fsr_scope_discard(fsr_graph *g, int depth);

/* The nodes of scope `depth` in the order of recording, arguments first: the oldest (FSR_NO_NODE: it has none), and the
 * one recorded after `id`. */
#define FSR_NO_NODE UINT32_MAX
uint32_t fsr_scope_oldest(const fsr_graph *g, int depth);
uint32_t fsr_scope_after(const fsr_graph *g, uint32_t id);

#endif

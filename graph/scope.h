/* Scopes as the other rooms use them, beyond fsr_scope_begin and fsr_scope_end. */
#ifndef FUSOR_GRAPH_SCOPE_H
#define FUSOR_GRAPH_SCOPE_H

#include "fusor/build.h"

/* Open scopes of a live graph. */
int fsr_scope_depth(const fsr_graph *g);
/* Ends scopes until only `depth` are open; drops every node recorded in them and nothing else. */
void fsr_scope_discard(fsr_graph *g, int depth);

#endif

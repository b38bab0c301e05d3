/* SPDX-License-Identifier: MIT */
/* A caller's body, an operator's, a loop's or a row function's: its arguments, and what it has left behind.
 *
 * The body is ordinary builder calls in a scope of its own, and the caller's code may do anything: end scopes, record
 * other graphs' nodes, free the graph. So after it runs nothing is believed: the graph, the depth of scopes, the
 * operands and every result are looked at again. Then the scope and all that was recorded in it is discarded, but for
 * a poison, which has to outlive it.
 * Counter-example to asking for the results alone: a body that ended its scope has dropped the arguments under
 * them. */
#include "primitives/body.h"
#include "graph/scope.h"

bool fsr_body_args(fsr_graph *g, fsr_site at, const fsr_dtype *dtype, int n, fsr_node *arg, fsr_node *poison) {
    for (int i = 0; i < n; i++) {
        const fsr_type type = {.nout = 1, .dtype = {dtype[i]}};
        fsr_rec *rec = fsr_graph_add(g, at, "argument", FSR_NODE_ARG, &type, &arg[i]);
        if (!rec) {
            *poison = arg[i];
            return false;
        }
        rec->index = i;
    }
    return true;
}

fsr_node fsr_body_result(fsr_graph *g, fsr_site at, const char *what, const char *whose, int i, fsr_node result) {
    fsr_status status = fsr_node_status(result);
    if (status == FSR_ERR_NULL || status == FSR_ERR_STALE)
        return fsr_poison(g, at, status, what, "result %d of the %s is a %s handle", i, whose,
                          status == FSR_ERR_NULL ? "null" : "stale");
    if (result.graph != g)
        return fsr_poison(g, at, FSR_ERR_GRAPH, what, "result %d of the %s belongs to another graph", i, whose);
    if (status)
        return fsr_poison(g, at, status, what, "in the %s: %s", whose, fsr_node_error(result));
    return result;
}

fsr_node fsr_body_value(fsr_graph *g, fsr_site at, const char *what, const char *whose, int i, fsr_node result,
                        fsr_dtype want) {
    result = fsr_body_result(g, at, what, whose, i, result);
    if (fsr_node_status(result))
        return result;
    const fsr_rec *rec = fsr_node_rec(result);
    fsr_dtype got = rec->dtype[result.output];
    bool converts = rec->weak && (got == FSR_C128  ? fsr_dtype_is_complex(want)
                                  : got == FSR_F64 ? fsr_dtype_is_inexact(want)
                                                   : want != FSR_BOOL);
    if (converts)
        return fsr_convert(at, result, want, false);
    if (got == want)
        return result;
    return fsr_poison(g, at, FSR_ERR_DTYPE, what, "result %d of the %s is %s, not %s", i, whose, fsr_dtype_name(got),
                      fsr_dtype_name(want));
}

bool fsr_body_took(fsr_graph *g, fsr_site at, const char *what, const char *whose, int depth, fsr_node first,
                   fsr_node *poison) {
    if (!fsr_graph_alive(g)) {
        *poison = fsr_poison(g, at, FSR_ERR_STALE, what, "the %s freed the graph", whose);
        return false;
    }
    if (fsr_scope_depth(g) >= depth && fsr_node_rec(first))
        return true;
    *poison = fsr_poison(g, at, FSR_ERR_SCOPE, what, "the %s ended a scope that it did not begin", whose);
    return false;
}

fsr_node fsr_body_leave(fsr_graph *g, int depth, fsr_node poison) {
    fsr_rec *rec = fsr_node_rec(poison);
    if (!rec || rec->scope <= depth) {
        fsr_scope_discard(g, depth);
        return poison;
    }
    char *message = rec->message;
    fsr_status status = rec->status;
    fsr_site at = rec->site;
    rec->message = NULL;
    fsr_scope_discard(g, depth);
    return fsr_poison_own(g, at, status, message);
}

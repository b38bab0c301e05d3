/* SPDX-License-Identifier: MIT */
/* Elementwise operations by name: what fsr_add and its like are for programs that cannot call each by a name of its
 * own. */
#include "fusor/names.h"
#include "graph/nearest.h"
#include "primitives/primitives.h"

static fsr_node no_such(fsr_graph *g, fsr_site at, const char *name) {
    fsr_nearest near = fsr_nearest_to(name);
    const char *known;
    for (int i = 0; (known = fsr_op_name(i)); i++)
        fsr_nearest_offer(&near, known);
    return fsr_poison(g, at, FSR_ERR_VALUE, "apply", "no operation is called '%s'%s%s%s", name,
                      near.name ? "; is " : "", near.name ? near.name : "", near.name ? " meant?" : "");
}

fsr_node fsr_apply_at(fsr_site at, const char *name, const fsr_node *args, int n) {
    fsr_graph *g;
    fsr_node out = {0};
    if (!args || n < 1 || fsr_poison_of_any(at, "apply", args, n, &g, &out))
        return out;
    if (!name)
        return fsr_poison(g, at, FSR_ERR_NULL, "apply", "the operation's name is null");
    const fsr_op op = fsr_op_find(name);
    if (op == FSR_OP_COUNT)
        return no_such(g, at, name);
    if (op == FSR_OP_CAST)
        return fsr_poison(g, at, FSR_ERR_VALUE, "apply", "cast has a dtype besides its operand: fsr_cast");
    if (n != fsr_op_get(op)->arity)
        return fsr_poison(g, at, FSR_ERR_VALUE, "apply", "%s has %d operands, not %d", name, fsr_op_get(op)->arity, n);
    return fsr_map(at, op, args, n);
}

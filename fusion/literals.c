/* SPDX-License-Identifier: MIT */
/* Literals as arguments; see literals.h. */
#include "fusion/literals.h"
#include "fusion/explain.h"
#include <stdlib.h>

bool fsr_literal_is_nan(const fsr_flow_node *literal) {
    fsr_dtype dtype = literal->dtype[0];
    if (!fsr_dtype_is_float(dtype) && !fsr_dtype_is_complex(dtype))
        return false;
    const fsr_c128 z = fsr_value_to_complex(dtype, literal->value);
    return z.re != z.re || z.im != z.im;
}

/* ---- what a compiler might round ------------------------------------------------------------------------- */

static bool map_rounds(const fsr_flow *flow, const fsr_flow_node *n, int literals) {
    fsr_link last = n->arg[n->nargs - 1];
    fsr_dtype compute = flow->node[last.id].dtype[last.output];
    return !fsr_op_exact(n->op, compute) && (literals == n->nargs || fsr_dtype_is_complex(compute));
}

/* A node, so many of whose operands are made of literals, that may round what it makes of these. */
static bool rounds(const fsr_flow *flow, const fsr_flow_node *n, int literals) {
    if (!literals)
        return false;
    if (fsr_has(n->kind, FSR_FIELD_op))
        return map_rounds(flow, n, literals);
    return n->routine || (n->combine && fsr_region_rounds(&n->combine->body)) ||
           (n->loop && fsr_region_rounds(&n->loop->body));
}

static int count_made(const fsr_flow_node *n, const bool *made) {
    int count = 0;
    for (int k = 0; k < n->nargs; ++k)
        count += made[n->arg[k].id];
    return count;
}

/* Forwards: what is made of literals alone. Backwards: which of it reaches a node that may round. */
static void mark_rounding(fsr_flow *flow, bool *made, bool *asked) {
    for (int i = 0; i < flow->n; ++i) {
        const fsr_flow_node *n = &flow->node[i];
        int literals = count_made(n, made);
        bool passes = fsr_is(n->kind, FSR_IS_EXPRESSION);
        made[i] = fsr_is(n->kind, FSR_IS_LITERAL) || (passes && n->nargs > 0 && literals == n->nargs);
        asked[i] = rounds(flow, n, literals);
    }
    for (int i = flow->n - 1; i >= 0; --i) {
        fsr_flow_node *n = &flow->node[i];
        for (int k = 0; asked[i] && k < n->nargs; ++k)
            asked[n->arg[k].id] = asked[n->arg[k].id] || made[n->arg[k].id];
        if (fsr_is(n->kind, FSR_IS_LITERAL))
            n->use = asked[i] ? FSR_LITERAL_ROUNDS : FSR_LITERAL_TEXT;
    }
}

fsr_status fsr_literals_number(fsr_flow *flow, fsr_value **value, int *n) {
    size_t room = (size_t)flow->n + 1;
    bool *made = malloc(room), *asked = malloc(room);
    *n = 0;
    *value = malloc(sizeof **value * room);
    fsr_status status = made && asked && *value ? FSR_OK : FSR_ERR_MEMORY;
    for (int i = 0; i < flow->n && !status; ++i)
        if (fsr_is(flow->node[i].kind, FSR_IS_LITERAL)) {
            flow->node[i].ordinal = *n;
            (*value)[(*n)++] = flow->node[i].value;
        }
    if (!status && *n)
        mark_rounding(flow, made, asked);
    if (status) {
        free(*value);
        *value = NULL;
    }
    free(made);
    free(asked);
    return status;
}

/* ---- arguments of a kernel ------------------------------------------------------------------------------- */

/* The kernel's scalar argument that is scalar `ordinal` of the program; -1: it can take no more. */
static int slot_of(fsr_group *group, int ordinal, fsr_dtype dtype, const fsr_target *target) {
    fsr_kernel *k = group->kernel;
    for (int s = 0; s < k->nscalars; ++s)
        if (group->scalar[s] == ordinal)
            return s;
    if (k->nscalars == FSR_MAX_SCALARS ||
        (target->gpu && fsr_kernel_parameter_bytes(k) + (int)sizeof(fsr_value) > target->max_parameter_bytes))
        return -1;
    group->scalar[k->nscalars] = ordinal;
    k->scalar[k->nscalars] = dtype;
    return k->nscalars++;
}

void fsr_literals_bind(fsr_group *group, const fsr_partition *p, bool *text) {
    fsr_kernel *k = group->kernel;
    for (int i = 0; i < k->ninsts; ++i) {
        fsr_inst *inst = &k->inst[i];
        if (inst->kind != FSR_INST_CONST || inst->node < 0)
            continue;
        const fsr_flow_node *literal = &p->flow->node[inst->node];
        if (literal->use == FSR_LITERAL_TEXT)
            continue;
        int slot = slot_of(group, p->flow->nscalars + literal->ordinal, inst->dtype, p->target);
        text[literal->ordinal] = text[literal->ordinal] || slot < 0;
        if (slot >= 0) {
            inst->kind = FSR_INST_PARAM;
            inst->index = slot;
        }
    }
}

/* ---- words ----------------------------------------------------------------------------------------------- */

/* The first node that is not a view and reads node i, through views; i itself if there is none. */
static int reader(const fsr_flow *flow, int i) {
    for (int at = i + 1; at < flow->n; ++at)
        for (int k = 0; k < flow->node[at].nargs; ++k)
            if (flow->node[at].arg[k].id == i)
                return fsr_is(flow->node[at].kind, FSR_IS_VIEW) ? reader(flow, at) : at;
    return i;
}

void fsr_literals_explain(const fsr_flow *flow, const bool *text, FILE *to) {
    static const char *const why[] = {
        [FSR_LITERAL_VARIES] = "it differs between plans that are otherwise the same",
        [FSR_LITERAL_ROUNDS] = "a compiler might round what is computed of it otherwise",
    };
    for (int i = 0; i < flow->n; ++i) {
        const fsr_flow_node *n = &flow->node[i];
        if (!fsr_is(n->kind, FSR_IS_LITERAL) || n->use == FSR_LITERAL_TEXT)
            continue;
        int at = reader(flow, i);
        bool stays = text[n->ordinal];
        fprintf(to, "%s literal: %s (%%%d) in %s (%%%d): %s", stays ? "a" : "an argument, not a",
                fsr_dtype_name(n->dtype[0]), i, fsr_flow_name(flow, at), at,
                stays ? "its kernel takes no more arguments" : why[n->use]);
        fsr_explain_site(flow, at, -1, to);
        fputc('\n', to);
    }
}

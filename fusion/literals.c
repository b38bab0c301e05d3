/* SPDX-License-Identifier: MIT */
/* Literals as arguments; see literals.h. */
#include "fusion/literals.h"
#include "fusion/explain.h"
#include <stdlib.h>

bool fsr_literal_is_nan(const fsr_literal *literal) {
    const fsr_dtype dtype = literal->dtype;
    if (!fsr_dtype_is_float(dtype) && !fsr_dtype_is_complex(dtype))
        return false;
    const fsr_c128 z = fsr_value_to_complex(dtype, literal->value);
    return z.re != z.re || z.im != z.im;
}

bool fsr_literal_is_text(const fsr_flow *flow, const fsr_flow_node *literal) {
    return !flow->use || flow->use[literal->ordinal] == FSR_LITERAL_TEXT;
}

/* ---- which there are --------------------------------------------------------------------------------------- */

/* How many literals node n has: itself, or those in its body. */
static int literals_of(const fsr_flow_node *n) {
    const fsr_region *r = fsr_flow_body(n);
    int count = fsr_is(n->kind, FSR_IS_LITERAL);
    for (int i = 0; r && i < r->ninsts; ++i)
        count += r->inst[i].kind == FSR_INST_CONST;
    return count;
}

int fsr_literals_count(const fsr_flow *flow) {
    int count = 0;
    for (int i = 0; i < flow->n; ++i)
        count += literals_of(&flow->node[i]);
    return count;
}

/* Node n's literals, in their order. */
static void list(const fsr_flow_node *n, fsr_literal *out) {
    const fsr_region *r = fsr_flow_body(n);
    int count = 0;
    if (fsr_is(n->kind, FSR_IS_LITERAL))
        out[count++] = (fsr_literal){n->value, n->dtype[0]};
    for (int i = 0; r && i < r->ninsts; ++i)
        if (r->inst[i].kind == FSR_INST_CONST)
            out[count++] = (fsr_literal){r->inst[i].value, r->inst[i].dtype};
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
    return n->routine || (fsr_flow_body(n) && fsr_region_rounds(fsr_flow_body(n)));
}

enum { MADE = 1, OF_LITERALS = 2 }; /* of what a compiler may know; a literal is among it */

/* What an operation's operands are together. */
static int operands_are(const fsr_inst *inst, const int *is) {
    int all = MADE, any = 0;
    for (int k = 0; k < fsr_op_get(inst->op)->arity; ++k) {
        all &= is[inst->arg[k]];
        any |= is[inst->arg[k]] & OF_LITERALS;
    }
    return all | any;
}

/* Whether an operation of the region may round what it makes of literals, where arguments [from, to) are known. */
static bool region_rounds_literals(const fsr_region *r, int from, int to) {
    int is[FSR_MAX_BODY_INSTS];
    for (int i = 0; i < r->ninsts; ++i) {
        const fsr_inst *inst = &r->inst[i];
        if (inst->kind != FSR_INST_OP) {
            const bool known = inst->kind == FSR_INST_PARAM && inst->index >= from && inst->index < to;
            is[i] = inst->kind == FSR_INST_CONST ? MADE | OF_LITERALS : known ? MADE : 0;
            continue;
        }
        is[i] = operands_are(inst, is);
        const bool alone = is[i] == (MADE | OF_LITERALS);
        if (!fsr_op_exact(inst->op, inst->compute) &&
            (alone || ((is[i] & OF_LITERALS) && fsr_dtype_is_complex(inst->compute))))
            return true;
    }
    return false;
}

/* The literals in a node's body must be arguments. */
static bool body_rounds(const fsr_flow_node *n) {
    if (n->combine)
        return region_rounds_literals(&n->combine->body, 0, n->combine->arity) ||
               region_rounds_literals(&n->combine->body, n->combine->arity, 2 * n->combine->arity);
    return n->loop && region_rounds_literals(&n->loop->body, 0, 0);
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
        const fsr_flow_node *n = &flow->node[i];
        for (int k = 0; asked[i] && k < n->nargs; ++k)
            asked[n->arg[k].id] = asked[n->arg[k].id] || made[n->arg[k].id];
        const bool argument = fsr_is(n->kind, FSR_IS_LITERAL) ? asked[i] : body_rounds(n);
        for (int c = 0; c < literals_of(n); ++c)
            flow->use[n->ordinal + c] = argument ? FSR_LITERAL_ROUNDS : FSR_LITERAL_TEXT;
    }
}

fsr_status fsr_literals_number(fsr_flow *flow, fsr_literal **literal, int *n) {
    const size_t room = (size_t)flow->n + 1, literals = (size_t)fsr_literals_count(flow) + 1;
    bool *made = malloc(room), *asked = malloc(room);
    *n = 0;
    *literal = malloc(sizeof **literal * literals);
    free(flow->use);
    flow->use = calloc(literals, sizeof *flow->use);
    fsr_status status = made && asked && *literal && flow->use ? FSR_OK : FSR_ERR_MEMORY;
    for (int i = 0; i < flow->n && !status; ++i) {
        fsr_flow_node *node = &flow->node[i];
        if (literals_of(node) == 0)
            continue;
        node->ordinal = *n;
        list(node, *literal + *n);
        *n += literals_of(node);
    }
    if (!status && *n)
        mark_rounding(flow, made, asked);
    if (status) {
        free(*literal);
        *literal = NULL;
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

typedef struct binder {
    fsr_group *group;
    const fsr_partition *p;
    bool *text;
} binder;

/* The scalar argument that literal `number` is to be; -1: none, it stays text. */
static int argument_of(const binder *b, int number, fsr_dtype dtype) {
    if (b->p->flow->use[number] == FSR_LITERAL_TEXT)
        return -1;
    const int slot = slot_of(b->group, b->p->flow->nscalars + number, dtype, b->p->target);
    b->text[number] = b->text[number] || slot < 0;
    return slot;
}

/* The literals of a body, the first of which has number `first`. same: the scalars that its last n arguments are. */
static void bind_body(const binder *b, fsr_region *r, int first, int *same, int n) {
    for (int i = 0; i < r->ninsts; ++i) {
        if (r->inst[i].kind != FSR_INST_CONST)
            continue;
        const int slot = argument_of(b, first++, r->inst[i].dtype);
        if (slot >= 0 && n < FSR_MAX_SCALARS && fsr_region_lift(r, i))
            same[n++] = slot;
        else if (slot >= 0)
            b->text[first - 1] = true;
    }
}

void fsr_literals_bind(fsr_group *group, const fsr_partition *p, bool *text) {
    const binder b = {group, p, text};
    fsr_kernel *k = group->kernel;
    if (!p->flow->use)
        return;
    for (int i = 0; i < k->ninsts; ++i) {
        fsr_inst *inst = &k->inst[i];
        if (inst->kind != FSR_INST_CONST || inst->node < 0)
            continue;
        const int slot = argument_of(&b, p->flow->node[inst->node].ordinal, inst->dtype);
        if (slot >= 0) {
            inst->kind = FSR_INST_PARAM;
            inst->index = slot;
        }
    }
    for (int f = 0; f < k->nfolds; ++f) {
        fsr_combine *c = (fsr_combine *)k->fold[f].combine;
        bind_body(&b, &c->body, p->flow->node[fsr_group_fold(group, f)].ordinal, k->fold[f].same, fsr_combine_same(c));
    }
    for (int l = 0; l < k->nloops; ++l) {
        fsr_iteration *loop = (fsr_iteration *)k->loop[l].program;
        bind_body(&b, &loop->body, p->flow->node[group->loop[l]].ordinal, k->loop[l].same, fsr_iteration_same(loop));
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

/* Literal c of node i. */
static void explain(const fsr_flow *flow, int i, int c, fsr_dtype dtype, const bool *text, FILE *to) {
    static const char *const why[] = {
        [FSR_LITERAL_VARIES] = "it differs between plans that are otherwise the same",
        [FSR_LITERAL_ROUNDS] = "a compiler might round what is computed of it otherwise",
    };
    const fsr_flow_node *n = &flow->node[i];
    const bool body = fsr_flow_body(n) != NULL, stays = text[n->ordinal + c];
    const int at = body ? i : reader(flow, i);
    fprintf(to, "%s literal: %s ", stays ? "a" : "an argument, not a", fsr_dtype_name(dtype));
    if (!body)
        fprintf(to, "(%%%d) ", i);
    fprintf(to, "in %s%s (%%%d): %s", body ? "the body of " : "", fsr_flow_name(flow, at), at,
            stays ? "its kernel takes no more arguments" : why[flow->use[n->ordinal + c]]);
    fsr_explain_site(flow, at, -1, to);
    fputc('\n', to);
}

void fsr_literals_explain(const fsr_flow *flow, const bool *text, FILE *to) {
    for (int i = 0; i < flow->n && flow->use; ++i) {
        fsr_literal literal[FSR_MAX_BODY_INSTS];
        list(&flow->node[i], literal);
        for (int c = 0; c < literals_of(&flow->node[i]); ++c)
            if (flow->use[flow->node[i].ordinal + c] != FSR_LITERAL_TEXT)
                explain(flow, i, c, literal[c].dtype, text, to);
    }
}

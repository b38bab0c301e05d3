/* SPDX-License-Identifier: MIT */
/* Lowering of choices that an index decides: where(i < n, a, b) is a paste of a before b.
 *
 * A comparison of an index along one dimension with a number that is the same everywhere, a literal or one that only a
 * run knows (a turn's number, a length), is a condition of a guard: a run of the dimension, whose end may move. Of such
 * a choice the side that takes the more work is evaluated under the guard, as the section of a paste is: it is not
 * loaded elsewhere, and loops are cut where the run begins and ends. Comparisons that are joined by `and` are
 * conditions of one guard. What of that side is the same along the dimension is evaluated before, where it is without.
 *
 * An end that moves is of 32 bits, as the rewrite `narrow` has made it, and brought inside of the dimension as one of
 * 64: i < v is i < c, c = v clipped to [0, extent]; i <= v is i < c, c = v + 1 clipped.
 *
 * On a GPU it stays a choice between two values, as a thread that asks spares nothing which others of its warp do: a
 * turn of Levinson and Durbin's took 92 instructions an element for 36. So it does where neither side does enough that
 * changes along the dimension: a selection of vectors is cheaper than another loop; and where a side has what must take
 * place everywhere: an index that is reported, a caller's function of whole arrays.
 *
 * Counter-example to evaluating both sides: of the cuts of a stretch of length d, a maximum over r < d of two elements
 * at computed places, the loop looked at all n. Counter-example to a guard for every such choice: f32(i == j) is a
 * comparison, and would be three loops. */
#include "fusion/lower.h"
#include "fusion/price.h"

enum {
    ENOUGH = 8, /* operations of a side that are worth a guard */
    LOADS = 1,
    GATHERS = 8,
    VISITS = 48 /* nodes of a side that are looked at */
};

/* ---- what a side takes ------------------------------------------------------------------------------------------ */

typedef struct survey {
    const fsr_lowering *l;
    int dim;    /* of the domain */
    int visits; /* left */
    double work;
    bool fixed; /* it has what must take place everywhere */
} survey;

static bool moves(const survey *s, const fsr_index *index) {
    for (int j = 0; j < index->n; ++j)
        if (index->row[j].coef[s->dim] != 0)
            return true;
    return false;
}

static bool look(survey *s, fsr_link link, const fsr_index *index);

/* Of a gather, whose place may change where its indices do. */
static bool look_at_gather(survey *s, const fsr_flow_node *n, const fsr_index *index) {
    bool changes = moves(s, index);
    s->fixed = s->fixed || n->mode == FSR_INDEX_RAISE;
    for (int i = 1; i < n->nargs; ++i)
        changes = look(s, n->arg[i], index) || changes;
    s->work += changes ? GATHERS : 0;
    return changes;
}

/* Of a map. */
static bool look_at_op(survey *s, const fsr_flow_node *n, const fsr_index *index) {
    bool changes = false;
    for (int i = 0; i < n->nargs; ++i)
        changes = look(s, n->arg[i], index) || changes;
    s->work += changes ? fsr_op_get(n->op)->cost : 0;
    return changes;
}

/* Whether the value changes along the dimension; what it takes then is added up. */
static bool look(survey *s, fsr_link link, const fsr_index *asked) {
    const fsr_flow *flow = s->l->flow;
    const fsr_flow_node *n = &flow->node[link.id];
    fsr_index index, inner;
    fsr_index_copy(&index, asked);
    while (fsr_is(n->kind, FSR_IS_VIEW)) {
        if (!fsr_index_view(&inner, &index, &n->view, &n->shape, &flow->node[n->arg[0].id].shape, &s->l->group->domain))
            return s->fixed = true, false;
        fsr_index_copy(&index, &inner);
        link = n->arg[0];
        n = &flow->node[link.id];
    }
    if (--s->visits < 0)
        return moves(s, &index);
    if (fsr_is(n->kind, FSR_IS_LITERAL) || fsr_is(n->kind, FSR_IS_ARGUMENT))
        return false;
    if (fsr_has(n->kind, FSR_FIELD_axis) && n->nargs == 0)
        return moves(s, &index);
    if (*fsr_partition_stored(s->l->p, link) < 0 && fsr_price_gathers(n))
        return look_at_gather(s, n, &index);
    if (*fsr_partition_stored(s->l->p, link) < 0 && fsr_is(n->kind, FSR_IS_EACH) && fsr_has(n->kind, FSR_FIELD_op))
        return look_at_op(s, n, &index);
    s->fixed = s->fixed || !(fsr_is(n->kind, FSR_IS_ARRAY) || *fsr_partition_stored(s->l->p, link) >= 0);
    s->work += moves(s, &index) ? LOADS : 0;
    return moves(s, &index);
}

/* Operations of a side that change along the dimension; less than none: it must be evaluated everywhere. */
static double work_of(const fsr_lowering *l, fsr_link side, const fsr_index *index, int dim) {
    survey s = {.l = l, .dim = dim, .visits = VISITS};
    look(&s, side, index);
    return s.fixed ? -1 : s.work;
}

/* ---- what decides ----------------------------------------------------------------------------------------------- */

enum { MOST = 4 }; /* comparisons of a choice */
/* Literals further away are compared as they are: no difference of two forms overflows. */
#define FAR (INT64_C(1) << 48)

/* An operand of a comparison: an index, `at`; or, `still`, what only a run knows, the same everywhere. */
typedef struct operand {
    fsr_link link;
    bool still;
    fsr_affine at;
} operand;

/* a < b, a <= b or a == b, which changes along dimension `dim` of the domain. */
typedef struct comparison {
    operand a, b;
    bool strict, equal;
    int dim;
} comparison;

typedef struct decision {
    int n;
    comparison at[MOST];
} decision;

/* *out = sign * (b - a) + add. */
static void between(const fsr_affine *a, const fsr_affine *b, int sign, int64_t add, fsr_affine *out) {
    *out = (fsr_affine){.offset = sign * (b->offset - a->offset) + add};
    for (int d = 0; d < FSR_MAX_DIMS; ++d)
        out->coef[d] = sign * (b->coef[d] - a->coef[d]);
}

/* The dimension that the form changes along; -1: none, or several. */
static int only_dim(const fsr_affine *at, const fsr_domain *domain) {
    int found = -1, dims = 0;
    for (int d = 0; d < domain->ndim; ++d)
        if (at->coef[d] != 0 && domain->extent[d] > 1)
            found = d, ++dims;
    return dims == 1 ? found : -1;
}

static bool has_one_element(const fsr_flow *flow, fsr_link link) {
    while (fsr_is(flow->node[link.id].kind, FSR_IS_VIEW))
        link = flow->node[link.id].arg[0];
    return fsr_shape_size(&flow->node[link.id].shape) == 1;
}

static bool operand_of(const fsr_lowering *l, fsr_link link, const fsr_index *index, operand *out) {
    const fsr_dtype dtype = l->flow->node[link.id].dtype[link.output];
    *out = (operand){.link = link};
    out->still = !fsr_price_place_is(l->flow, &l->group->domain, link, index, &out->at);
    const bool near = out->at.offset > -FAR && out->at.offset < FAR;
    return out->still ? dtype == FSR_I32 && has_one_element(l->flow, link) : !out->at.nterms && near;
}

/* One side is an index along one dimension, from 0 or more on if the other's number is not known. */
static bool compares(const fsr_lowering *l, comparison *c) {
    const fsr_domain *domain = &l->group->domain;
    fsr_affine at;
    int64_t low, high;
    if (c->a.still || c->b.still) {
        const operand *moving = c->a.still ? &c->b : &c->a;
        fsr_affine_ends(&moving->at, domain, &low, &high);
        c->dim = only_dim(&moving->at, domain);
        return !moving->still && c->dim >= 0 && moving->at.coef[c->dim] == 1 && low >= 0;
    }
    between(&c->a.at, &c->b.at, 1, 0, &at);
    c->dim = only_dim(&at, domain);
    return c->dim >= 0;
}

static bool add_comparison(const fsr_lowering *l, const fsr_flow_node *n, const fsr_index *index, decision *out) {
    const bool turned = n->op == FSR_OP_GREATER || n->op == FSR_OP_GREATER_EQUAL;
    comparison *c = &out->at[out->n];
    if (out->n == MOST || n->nargs != 2 ||
        (n->op != FSR_OP_LESS && n->op != FSR_OP_LESS_EQUAL && n->op != FSR_OP_EQUAL && !turned))
        return false;
    *c = (comparison){.strict = n->op == FSR_OP_LESS || n->op == FSR_OP_GREATER, .equal = n->op == FSR_OP_EQUAL};
    ++out->n;
    return operand_of(l, n->arg[turned], index, &c->a) && operand_of(l, n->arg[!turned], index, &c->b) &&
           !(c->equal && (c->a.still || c->b.still)) && compares(l, c);
}

/* Comparisons of which all hold where the bool does. */
static bool decide(const fsr_lowering *l, fsr_link link, const fsr_index *asked, decision *out) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    fsr_index index, inner;
    fsr_index_copy(&index, asked);
    while (fsr_is(n->kind, FSR_IS_VIEW)) {
        if (!fsr_index_view(&inner, &index, &n->view, &n->shape, &l->flow->node[n->arg[0].id].shape, &l->group->domain))
            return false;
        fsr_index_copy(&index, &inner);
        n = &l->flow->node[n->arg[0].id];
    }
    if (index.flat || !fsr_is(n->kind, FSR_IS_EACH) || !fsr_has(n->kind, FSR_FIELD_op))
        return false;
    if (n->op == FSR_OP_LOGICAL_AND)
        return decide(l, n->arg[0], &index, out) && decide(l, n->arg[1], &index, out);
    return add_comparison(l, n, &index, out);
}

/* ---- conditions ------------------------------------------------------------------------------------------------- */

/* Adds the condition 0 <= at < extent. */
static bool add_box(fsr_lowering *l, const fsr_affine *at, int64_t extent, fsr_guard *guard, fsr_truth *truth) {
    fsr_box box;
    const fsr_truth one = fsr_box_make(&box, at, extent, &l->group->domain);
    if (one != FSR_ALWAYS && *truth != FSR_NEVER)
        *truth = one;
    return one != FSR_SOMETIMES || fsr_lower_condition(l, guard, &box);
}

/* The number, and 1 if `next`, brought into [0, extent]: an instruction; -1: refused. */
static int end_of(fsr_lowering *l, fsr_link choice, fsr_link number, const fsr_index *index, bool next,
                  int64_t extent) {
    int v = fsr_lower_eval_under(l, number, index, 0);
    v = v < 0 ? v : fsr_lower_cast(l, v, FSR_I64);
    if (v >= 0 && next) {
        const int most = fsr_lower_constant(l, FSR_I64, fsr_value_from_int(FSR_I64, extent), -1);
        const int one = fsr_lower_constant(l, FSR_I64, fsr_value_from_int(FSR_I64, 1), -1);
        v = most < 0 || one < 0 ? -1 : fsr_lower_op(l, FSR_OP_MINIMUM, v, most, -1);
        v = v < 0 ? v : fsr_lower_op(l, FSR_OP_ADD, v, one, -1);
    }
    return v < 0 ? -1 : fsr_lower_inside(l, choice, 0, v, extent + 1, FSR_INDEX_CLIP);
}

/* i < v, i <= v if `next`, or, `turned`, the contrary: 0 <= i - end + extent < extent or 0 <= i - end < extent. */
static bool add_moving(fsr_lowering *l, fsr_link choice, const operand *i, const operand *v, const fsr_index *index,
                       bool next, bool turned, fsr_guard *guard, fsr_truth *truth) {
    fsr_affine at = i->at;
    int64_t low, high;
    fsr_affine_ends(&at, &l->group->domain, &low, &high);
    const int end = end_of(l, choice, v->link, index, next, high + 1);
    if (end < 0)
        return false;
    at.offset += turned ? 0 : high + 1;
    fsr_affine_add_symbol(&at, end, -1);
    return add_box(l, &at, high + 1, guard, truth);
}

/* The condition of one comparison, `turned`: of its contrary. */
static bool add_condition(fsr_lowering *l, fsr_link choice, const comparison *c, const fsr_index *index, bool turned,
                          fsr_guard *guard, fsr_truth *truth) {
    fsr_affine at;
    int64_t low, high;
    if (c->b.still)
        return add_moving(l, choice, &c->a, &c->b, index, !c->strict, turned, guard, truth);
    if (c->a.still)
        return add_moving(l, choice, &c->b, &c->a, index, c->strict, !turned, guard, truth);
    between(&c->a.at, &c->b.at, turned ? -1 : 1, turned ? (c->strict ? 0 : -1) : (c->strict ? -1 : 0), &at);
    fsr_affine_ends(&at, &l->group->domain, &low, &high);
    return add_box(l, &at, c->equal ? 1 : high + 1, guard, truth);
}

/* ---- the choice ------------------------------------------------------------------------------------------------- */

static double least_work(const fsr_lowering *l, fsr_link side, const fsr_index *index, const decision *d) {
    double least = -1;
    for (int i = 0; i < d->n; ++i) {
        const double work = work_of(l, side, index, d->at[i].dim);
        least = i == 0 || work < least ? work : least;
    }
    return least;
}

static bool has_room(const fsr_lowering *l, const decision *d) {
    int terms = 0;
    for (int i = 0; i < d->n; ++i)
        terms += d->at[i].a.still || d->at[i].b.still;
    return l->k->nconditions + 2 * d->n <= FSR_MAX_CONDITIONS && l->k->nguards + 2 <= FSR_MAX_GUARDS / 2 &&
           terms <= 1 && l->ninside + terms < FSR_MAX_INSIDE && !l->guard;
}

int fsr_lower_choice(fsr_lowering *l, fsr_link link, const fsr_index *index, bool *done) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    decision d = {0};
    fsr_guard guard = {0};
    fsr_truth truth = FSR_ALWAYS;
    *done = !l->p->target->gpu && !index->flat && decide(l, n->arg[0], index, &d) && has_room(l, &d);
    if (!*done)
        return -1;
    const double work[2] = {least_work(l, n->arg[1], index, &d),
                            d.n == 1 && !d.at[0].equal ? least_work(l, n->arg[2], index, &d) : -1};
    const bool turned = work[1] > work[0];
    *done = work[turned] >= ENOUGH;
    for (int i = 0; i < d.n && *done; ++i)
        if (!add_condition(l, link, &d.at[i], index, turned, &guard, &truth))
            return -1;
    fsr_choice choice = {.base = n->arg[turned ? 1 : 2], .part = n->arg[turned ? 2 : 1]};
    for (int i = 0; i < d.n; ++i)
        choice.along |= UINT32_C(1) << d.at[i].dim;
    return *done ? fsr_lower_choose(l, link, &choice, index, index, &guard, truth) : -1;
}

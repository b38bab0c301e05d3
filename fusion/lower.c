/* Lowering: a group of anchors to one kernel of the loop IR, by demand.
 *
 * eval(link, index) gives the instruction whose value is that node's element at that index: views compose into the
 * index, maps recurse, leaves and stored values of other groups become loads, folds of this group become their results
 * if the index is exactly the fold's place in the domain. Equal (link, index) pairs are evaluated once.
 *
 * A paste is a choice: its region's value is evaluated under a guard, the region's box in the domain, in the region's
 * own coordinates, so maps, views and leaves below it fuse as elsewhere; loads there take place inside the box only.
 *
 * A loop is evaluated where the domain has its own elements, once each, and only in its home (partition.h).
 *
 * Counter-example to one value per node: y + y.T needs y at (i, j) and at (j, i): two instructions, one node. */
#include "fusion/box.h"
#include "fusion/partition.h"
#include <stdlib.h>
#include <string.h>

const char fsr_reason_memory[] = "out of memory";

enum { MEMO = 4096 };

typedef struct memo {
    fsr_link link;
    fsr_index index;
    int guard;
    int inst;
} memo;

typedef struct lowering {
    const fsr_partition *p;
    const fsr_flow *flow;
    int g;
    fsr_group *group;
    fsr_kernel *k;
    fsr_affine address[FSR_MAX_ACCESSES];
    fsr_box box[FSR_MAX_CONDITIONS];
    int guard;                  /* 1 + the guard under which values are needed at present; 0: none */
    bool indexed[FSR_MAX_DIMS]; /* dimensions whose index itself is used: not merged */
    memo *memo;                 /* MEMO / 2 entries, `memos` used */
    int16_t *slot;              /* hash table of MEMO entry numbers, -1: free */
    int memos;
    const char *reason;
    fsr_link blame;
    fsr_link storing;               /* the store being lowered; id -1: none */
    fsr_link looped[FSR_MAX_LOOPS]; /* of each loop: the result first asked for, where, and the ITERATE */
    fsr_index place[FSR_MAX_LOOPS];
    int iterate[FSR_MAX_LOOPS];
} lowering;

static int eval(lowering *l, fsr_link link, const fsr_index *index);

/* The same where another guard, or none (0), holds. */
static int eval_under(lowering *l, fsr_link link, const fsr_index *index, int guard) {
    int outer = l->guard;
    l->guard = guard;
    int value = eval(l, link, index);
    l->guard = outer;
    return value;
}

static int refuse(lowering *l, const char *reason) {
    if (!l->reason)
        l->reason = reason;
    return -1;
}

static int refuse_blame(lowering *l, const char *reason, fsr_link blame) {
    if (!l->reason)
        l->blame = blame;
    return refuse(l, reason);
}

/* Because a flat index does not split into a node's dimensions; over a finer domain it might. */
static int refuse_flat(lowering *l, const char *reason, fsr_link blame, const fsr_index *index) {
    fsr_group *group = l->group;
    if (!l->reason &&
        !fsr_index_division(index, &l->flow->node[blame.id].shape, &group->domain, &group->divided, &group->division))
        group->division = 0;
    return refuse_blame(l, reason, blame);
}

static int add_inst(lowering *l, const fsr_inst *inst) {
    fsr_kernel *k = l->k;
    if (k->ninsts == FSR_MAX_INSTS)
        return refuse(l, "the kernel would have too many instructions");
    k->inst[k->ninsts] = *inst;
    for (int i = 0; i < FSR_MAX_OPERANDS; ++i) {
        int arg = inst->arg[i];
        if (arg < 0)
            continue;
        if (k->inst[arg].level == FSR_ELEM)
            k->inst[k->ninsts].level = FSR_ELEM;
        if (k->inst[arg].pass > k->inst[k->ninsts].pass)
            k->inst[k->ninsts].pass = k->inst[arg].pass;
    }
    return k->ninsts++;
}

static fsr_inst blank(fsr_inst_kind kind, fsr_dtype dtype, int node) {
    fsr_inst inst = {.kind = kind, .level = FSR_ROW, .dtype = dtype, .node = node};
    for (int i = 0; i < FSR_MAX_OPERANDS; ++i)
        inst.arg[i] = -1;
    return inst;
}

/* ---- memo ------------------------------------------------------------------------------------ */

/* The table's slot of (link, index) under a guard: free, or the entry's number. */
static int16_t *find(lowering *l, fsr_link link, const fsr_index *index, int guard) {
    uint64_t h = ((uint64_t)link.id * 31 + (uint64_t)link.output) * 61 + (uint64_t)guard;
    for (int d = 0; d < index->n; ++d)
        for (int i = 0; i < FSR_MAX_DIMS; ++i)
            h = h * 1000003 + (uint64_t)index->row[d].coef[i] + (uint64_t)index->row[d].offset * 7;
    h ^= h >> 31;
    for (h &= MEMO - 1;; h = (h + 1) & (MEMO - 1)) {
        int16_t at = l->slot[h];
        if (at < 0 || (l->memo[at].guard == guard && fsr_link_equal(l->memo[at].link, link) &&
                       fsr_index_equal(&l->memo[at].index, index)))
            return &l->slot[h];
    }
}

/* The instruction that already has the value, -1: none. What is evaluated everywhere serves under a guard as well. */
static int known(lowering *l, fsr_link link, const fsr_index *index) {
    int16_t at = *find(l, link, index, 0);
    if (at < 0 && l->guard)
        at = *find(l, link, index, l->guard);
    return at < 0 ? -1 : l->memo[at].inst;
}

static int remember(lowering *l, fsr_link link, const fsr_index *index, int inst) {
    if (inst < 0)
        return inst;
    if (l->memos == MEMO / 2)
        return refuse(l, "the kernel would evaluate too many values");
    *find(l, link, index, l->guard) = (int16_t)l->memos;
    l->memo[l->memos++] = (memo){link, *index, l->guard, inst};
    return inst;
}

/* ---- arrays and accesses ------------------------------------------------------------------------ */

static int array_of(lowering *l, const fsr_operand *operand, fsr_dtype dtype, bool written) {
    fsr_kernel *k = l->k;
    for (int i = 0; i < k->narrays; ++i) {
        const fsr_operand *o = &l->group->operand[i];
        bool same = o->leaf == operand->leaf &&
                    (o->leaf ? o->ordinal == operand->ordinal : fsr_link_equal(o->link, operand->link));
        if (same)
            return i;
    }
    if (k->narrays == FSR_MAX_BUFFERS)
        return refuse(l, "the kernel would have too many arrays");
    l->group->operand[k->narrays] = *operand;
    k->array[k->narrays] = (fsr_array){.dtype = dtype, .written = written};
    return k->narrays++;
}

static int access_of(lowering *l, int array, const fsr_affine *address) {
    fsr_kernel *k = l->k;
    for (int i = 0; i < k->naccesses; ++i)
        if (k->access[i].buffer == array && fsr_affine_equal(&l->address[i], address))
            return i;
    if (k->naccesses == FSR_MAX_ACCESSES)
        return refuse(l, "the kernel would have too many accesses");
    l->address[k->naccesses] = *address;
    k->access[k->naccesses].buffer = array;
    return k->naccesses++;
}

static bool touches(const fsr_affine *address, const fsr_domain *d, int from, int to) {
    for (int i = from; i < to; ++i)
        if (address->coef[i] != 0 && d->extent[i] != 1)
            return true;
    return false;
}

static fsr_level guard_level(const lowering *l, int guard) {
    const fsr_domain *d = &l->group->domain;
    for (int i = 0; i < l->k->guard[guard].n; ++i)
        if (touches(&l->box[l->k->guard[guard].condition[i]].at, d, d->nparallel, d->ndim))
            return FSR_ELEM;
    return FSR_ROW;
}

static int constant(lowering *l, fsr_dtype dtype, fsr_value value);

/* A row without elements still runs what it does once, and must not load from an array that has none either. */
static bool row_of_nothing(const lowering *l, const fsr_shape *shape, const fsr_affine *address) {
    const fsr_domain *d = &l->group->domain;
    return fsr_shape_size(shape) == 0 && d->nparallel < d->ndim && !touches(address, d, d->nparallel, d->ndim);
}

static int load(lowering *l, const fsr_operand *operand, fsr_link link, const fsr_index *index) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    fsr_affine address;
    fsr_index_address(&address, index, &n->shape);
    if (row_of_nothing(l, &n->shape, &address))
        return constant(l, n->dtype[link.output], (fsr_value){.bits = 0});
    int array = array_of(l, operand, n->dtype[link.output], false);
    int access = array < 0 ? -1 : access_of(l, array, &address);
    if (access < 0)
        return -1;
    fsr_inst inst = blank(FSR_INST_LOAD, n->dtype[link.output], link.id);
    inst.index = access;
    inst.guard = l->guard;
    for (int i = 0; i < l->k->ninsts; ++i) {
        const fsr_inst *at = &l->k->inst[i];
        if (at->kind == FSR_INST_LOAD && at->index == access && (at->guard == 0 || at->guard == inst.guard))
            return i;
    }
    if (touches(&address, &l->group->domain, l->group->domain.nparallel, l->group->domain.ndim) ||
        (inst.guard && guard_level(l, inst.guard - 1) == FSR_ELEM))
        inst.level = FSR_ELEM;
    return add_inst(l, &inst);
}

static bool depend(lowering *l, int group) {
    for (int i = 0; i < l->group->ndeps; ++i)
        if (l->group->deps[i] == group)
            return true;
    if (l->group->ndeps == FSR_MAX_BUFFERS)
        return false;
    l->group->deps[l->group->ndeps++] = group;
    return true;
}

/* A value that another group stores. */
static int load_stored(lowering *l, fsr_link link, const fsr_index *index, int from) {
    if (!depend(l, from))
        return refuse(l, "the kernel would depend on too many others");
    fsr_operand operand = {.link = link};
    return load(l, &operand, link, index);
}

/* ---- leaves of the expression ------------------------------------------------------------------- */

static int constant(lowering *l, fsr_dtype dtype, fsr_value value) {
    for (int i = 0; i < l->k->ninsts; ++i) {
        const fsr_inst *at = &l->k->inst[i];
        if (at->kind == FSR_INST_CONST && at->dtype == dtype && fsr_value_equal(at->value, value))
            return i;
    }
    fsr_inst inst = blank(FSR_INST_CONST, dtype, -1);
    inst.value = value;
    return add_inst(l, &inst);
}

static int parameter(lowering *l, const fsr_flow_node *n, int id) {
    fsr_kernel *k = l->k;
    int slot = 0;
    while (slot < k->nscalars && l->group->scalar[slot] != n->ordinal)
        ++slot;
    if (slot == FSR_MAX_SCALARS)
        return refuse(l, "the kernel would have too many scalar arguments");
    if (slot == k->nscalars) {
        l->group->scalar[slot] = n->ordinal;
        k->scalar[k->nscalars++] = n->dtype[0];
    }
    fsr_inst inst = blank(FSR_INST_PARAM, n->dtype[0], id);
    inst.index = slot;
    return add_inst(l, &inst);
}

static int binary(lowering *l, fsr_op op, int a, int b) {
    fsr_inst inst = blank(FSR_INST_OP, FSR_I64, -1);
    inst.compute = FSR_I64;
    inst.op = op;
    inst.arg[0] = a;
    inst.arg[1] = b;
    return a < 0 || b < 0 ? -1 : add_inst(l, &inst);
}

static int cast_to(lowering *l, int value, fsr_dtype from, fsr_dtype to) {
    fsr_inst inst = blank(FSR_INST_OP, to, -1);
    inst.compute = from;
    inst.op = FSR_OP_CAST;
    inst.arg[0] = value;
    return value < 0 || from == to ? value : add_inst(l, &inst);
}

/* A domain's index, as dtype. */
static int index_of(lowering *l, int node, int d, fsr_dtype dtype) {
    fsr_inst inst = blank(FSR_INST_INDEX, dtype, node);
    inst.index = d;
    inst.level = d < l->group->domain.nparallel ? FSR_ROW : FSR_ELEM;
    l->indexed[d] = true;
    return add_inst(l, &inst);
}

/* The dimension whose index this is, with nothing added; -1: it is more than that. */
static int plain_index(const fsr_affine *row, const fsr_domain *d) {
    int found = -1;
    for (int i = 0; i < d->ndim; ++i) {
        if (row->coef[i] == 0)
            continue;
        if (row->coef[i] != 1 || found >= 0)
            return -1;
        found = i;
    }
    return row->offset == 0 ? found : -1;
}

/* offset + sum of coef * index, as i64 instructions, then as the node's dtype. */
static int iota(lowering *l, fsr_link link, const fsr_index *index) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    if (index->flat)
        return refuse_flat(l, "the index of a reshaped arange has no affine form", link, index);
    const fsr_affine *row = &index->row[n->axis];
    if (row->over)
        return refuse_blame(l, "an arange in a stepped region has no affine index", link);
    const fsr_domain *d = &l->group->domain;
    int sum = -1, plain = plain_index(row, d);
    if (plain >= 0 && (n->dtype[0] == FSR_I32 || n->dtype[0] == FSR_I64))
        return index_of(l, link.id, plain, n->dtype[0]);
    for (int i = 0; i < d->ndim; ++i) {
        if (row->coef[i] == 0)
            continue;
        int term = index_of(l, link.id, i, FSR_I64);
        if (term >= 0 && row->coef[i] != 1)
            term = binary(l, FSR_OP_MUL, term, constant(l, FSR_I64, fsr_value_from_int(FSR_I64, row->coef[i])));
        if (term < 0)
            return -1;
        sum = sum < 0 ? term : binary(l, FSR_OP_ADD, sum, term);
    }
    fsr_value offset = fsr_value_from_int(FSR_I64, row->offset);
    if (sum < 0)
        sum = constant(l, FSR_I64, offset);
    else if (row->offset != 0)
        sum = binary(l, FSR_OP_ADD, sum, constant(l, FSR_I64, offset));
    return cast_to(l, sum, FSR_I64, n->dtype[0]);
}

/* ---- maps and folds ------------------------------------------------------------------------------- */

static int map(lowering *l, fsr_link link, const fsr_index *index) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    fsr_inst inst = blank(FSR_INST_OP, n->dtype[0], link.id);
    inst.op = n->op;
    for (int i = 0; i < n->nargs; ++i) {
        inst.arg[i] = eval(l, n->arg[i], index);
        if (inst.arg[i] < 0)
            return -1;
    }
    inst.compute = l->k->inst[inst.arg[n->nargs - 1]].dtype;
    return add_inst(l, &inst);
}

/* The kernel's number of a routine; -1: too many. */
static int routine_of(lowering *l, const fsr_routine *f) {
    fsr_kernel *k = l->k;
    for (int i = 0; i < k->nroutines; ++i)
        if (fsr_routine_equal(k->routine[i], f))
            return i;
    if (k->nroutines == FSR_MAX_ROUTINES)
        return refuse(l, "the kernel would call too many functions");
    k->routine[k->nroutines] = fsr_routine_ref(f);
    return k->nroutines++;
}

static int call(lowering *l, fsr_link link, const fsr_index *index) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    fsr_inst inst = blank(FSR_INST_CALL, n->dtype[0], link.id);
    inst.index = routine_of(l, n->routine);
    for (int i = 0; i < n->nargs && inst.index >= 0; ++i) {
        inst.arg[i] = eval(l, n->arg[i], index);
        if (inst.arg[i] < 0)
            return -1;
    }
    return inst.index < 0 ? -1 : add_inst(l, &inst);
}

/* ---- pastes and their guards ------------------------------------------------------------------------ */

/* Adds a condition to a guard. False: too many. */
static bool add_condition(lowering *l, fsr_guard *guard, const fsr_box *box) {
    int i = 0;
    while (i < l->k->nconditions && !fsr_box_equal(&l->box[i], box))
        ++i;
    for (int j = 0; j < guard->n; ++j)
        if (guard->condition[j] == i)
            return true;
    if (guard->n == FSR_MAX_GUARD || i == FSR_MAX_CONDITIONS)
        return refuse(l, "the kernel would have too many guards"), false;
    if (i == l->k->nconditions)
        l->box[l->k->nconditions++] = *box;
    guard->condition[guard->n++] = i;
    return true;
}

/* 1 + the number of a guard of these conditions; 0: too many. */
static int guard_of(lowering *l, const fsr_guard *guard) {
    fsr_kernel *k = l->k;
    for (int i = 0; i < k->nguards; ++i)
        if (k->guard[i].n == guard->n &&
            !memcmp(k->guard[i].condition, guard->condition, sizeof guard->condition[0] * (size_t)guard->n))
            return i + 1;
    if (k->nguards == FSR_MAX_GUARDS)
        return refuse(l, "the kernel would have too many guards"), 0;
    k->guard[k->nguards] = *guard;
    return ++k->nguards;
}

/* The region's own index, and the guard (conditions added to the present one's) of the points inside it. */
static bool region(lowering *l, const fsr_flow_node *n, const fsr_index *index, fsr_index *inner, fsr_guard *guard,
                   fsr_truth *truth) {
    const fsr_shape *part = &l->flow->node[n->arg[1].id].shape;
    *inner = (fsr_index){.n = part->ndim};
    *truth = fsr_shape_size(part) ? FSR_ALWAYS : FSR_NEVER;
    for (int j = 0; j < n->shape.ndim && *truth != FSR_NEVER; ++j) {
        int from = n->view.from[j];
        int64_t extent = from < 0 ? 1 : part->dim[from];
        fsr_affine into;
        fsr_box box;
        fsr_affine_into(&into, &index->row[j], n->view.start[j], extent > 1 ? n->view.step[j] : 1);
        fsr_truth one = fsr_box_make(&box, &into, extent, &l->group->domain);
        if (one != FSR_ALWAYS)
            *truth = one;
        if (one == FSR_SOMETIMES && !add_condition(l, guard, &box))
            return false;
        if (extent > 1)
            inner->row[from] = into;
    }
    return true;
}

/* The bool that says where a guard (1 + number) holds. */
static int guard_value(lowering *l, int guard, int node) {
    for (int i = 0; i < l->k->ninsts; ++i)
        if (l->k->inst[i].kind == FSR_INST_GUARD && l->k->inst[i].index == guard - 1)
            return i;
    fsr_inst inst = blank(FSR_INST_GUARD, FSR_BOOL, node);
    inst.index = guard - 1;
    inst.level = guard_level(l, guard - 1);
    return add_inst(l, &inst);
}

/* The first argument comes first: what it loads everywhere serves the region as well. */
static int paste(lowering *l, fsr_link link, const fsr_index *asked) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    fsr_index index = *asked, inner;
    fsr_guard conditions = l->guard ? l->k->guard[l->guard - 1] : (fsr_guard){0};
    fsr_truth truth;
    if (asked->flat && !fsr_index_split(&index, asked, &n->shape, &l->group->domain))
        return refuse_flat(l, "a reshape of a paste has no affine index", link, asked);
    if (!region(l, n, &index, &inner, &conditions, &truth))
        return -1;
    if (truth == FSR_ALWAYS)
        return eval(l, n->arg[1], &inner);
    int base = eval(l, n->arg[0], &index);
    if (truth == FSR_NEVER || base < 0)
        return base;
    int guard = guard_of(l, &conditions);
    int part = guard ? eval_under(l, n->arg[1], &inner, guard) : -1;
    fsr_inst inst = blank(FSR_INST_OP, n->dtype[0], link.id);
    inst.op = FSR_OP_WHERE;
    inst.compute = n->dtype[0];
    inst.arg[0] = part < 0 ? -1 : guard_value(l, guard, link.id);
    inst.arg[1] = part;
    inst.arg[2] = base;
    return inst.arg[0] < 0 ? -1 : add_inst(l, &inst);
}

static int fold_slot(const fsr_group *group, int node) {
    for (int i = 0; i < group->nfolds; ++i)
        if (group->fold[i] == node)
            return i;
    return -1;
}

void fsr_fold_domain(const fsr_flow *flow, int node, const fsr_domain *like, fsr_domain *out) {
    const fsr_flow_node *n = &flow->node[node];
    bool scan = n->kind == FSR_NODE_SCAN;
    fsr_domain_make(out, &flow->node[n->arg[0].id].shape, scan ? 1u << n->axis : n->axes);
    out->mirrored = scan ? n->reverse : n->combine->commutative && like && like->mirrored;
}

/* The index of a fold's input (and of a scan's result) in the group's domain, and of a reduction's result. */
static bool fold_index(const lowering *l, int node, fsr_index *input, fsr_index *result) {
    const fsr_flow_node *n = &l->flow->node[node];
    const fsr_shape *shape = &l->flow->node[n->arg[0].id].shape;
    fsr_domain own;
    fsr_fold_domain(l->flow, node, &l->group->domain, &own);
    int folded = own.ndim - own.nparallel;
    if (own.mirrored != l->group->domain.mirrored || !fsr_domain_divide_like(&own, &l->group->domain) ||
        (n->kind == FSR_NODE_SCAN && own.ndim - own.nparallel != folded) || !fsr_index_elem(input, shape, &own))
        return false;
    if (n->kind == FSR_NODE_SCAN)
        *result = *input;
    return n->kind == FSR_NODE_SCAN || fsr_index_row(result, &n->shape, &own);
}

/* Emits the COMBINE of fold `slot` if it is not there yet. */
static bool combine(lowering *l, int slot) {
    fsr_kernel *k = l->k;
    fsr_fold *fold = &k->fold[slot];
    if (fold->combine)
        return true;
    int node = l->group->fold[slot];
    const fsr_flow_node *n = &l->flow->node[node];
    fsr_index input, result;
    if (!fold_index(l, node, &input, &result))
        return refuse(l, "the folds have different domains"), false;
    fsr_inst inst = blank(FSR_INST_COMBINE, n->dtype[0], node);
    inst.index = slot;
    inst.level = FSR_ELEM;
    for (int i = 0; i < n->nargs; ++i) {
        fold->input[i] = eval_under(l, n->arg[i], &input, 0);
        if (fold->input[i] < 0)
            return false;
        if (k->inst[fold->input[i]].pass > inst.pass)
            inst.pass = k->inst[fold->input[i]].pass;
    }
    fsr_combine *own = malloc(sizeof *own);
    if (!own)
        return refuse(l, fsr_reason_memory), false;
    *own = *n->combine;
    fold->combine = own;
    fold->kind = n->kind == FSR_NODE_SCAN ? FSR_FOLD_SCAN : FSR_FOLD_REDUCE;
    fold->exclusive = n->exclusive;
    fold->pass = inst.pass;
    return add_inst(l, &inst) >= 0;
}

static int fold_result(lowering *l, fsr_link link, const fsr_index *index, int slot) {
    fsr_index input, result;
    if (!fold_index(l, link.id, &input, &result))
        return refuse(l, "the folds have different domains");
    if (index->flat || !fsr_index_equal(&result, index))
        return refuse(l, "the fold's result is needed in another order or at other places than it is produced");
    if (!l->k->fold[slot].combine && l->k->fold[slot].pass < 0)
        return refuse(l, "the fold needs its own result");
    if (!combine(l, slot))
        return -1;
    bool scan = l->k->fold[slot].kind == FSR_FOLD_SCAN;
    fsr_inst inst = blank(FSR_INST_RESULT, l->flow->node[link.id].dtype[link.output], link.id);
    inst.index = slot;
    inst.component = link.output;
    inst.level = scan ? FSR_ELEM : FSR_ROW;
    inst.pass = l->k->fold[slot].pass + (scan ? 0 : 1);
    return add_inst(l, &inst);
}

/* A result of another group's fold or loop. */
static int foreign(lowering *l, fsr_link link, const fsr_index *index) {
    int home = l->p->home[link.id];
    if (home < 0 || fsr_partition_reaches(l->p, home, l->g))
        return refuse(l, "the kernels would need each other's results");
    if (l->p->stored[link.id * FSR_MAX_OUTPUTS + link.output] < 0) {
        int i = 0;
        while (i < l->group->nneeds && !fsr_link_equal(l->group->needs[i], link))
            ++i;
        if (i == FSR_MAX_BUFFERS)
            return refuse(l, "the kernel would have too many arrays");
        if (i == l->group->nneeds)
            l->group->needs[l->group->nneeds++] = link;
    }
    return load_stored(l, link, index, home);
}

/* ---- loops ---------------------------------------------------------------------------------------------- */

static bool any_scan(const lowering *l) {
    for (int i = 0; i < l->group->nfolds; ++i)
        if (l->flow->node[l->group->fold[i]].kind == FSR_NODE_SCAN)
            return true;
    return false;
}

/* Where the group could also store the loop's results. */
static bool is_own_place(const lowering *l, const fsr_shape *shape, const fsr_index *index) {
    const fsr_domain *d = &l->group->domain;
    fsr_index own;
    if (l->guard || index->flat)
        return false;
    if (fsr_index_row(&own, shape, d) && fsr_index_equal(&own, index))
        return true;
    return d->ndim > d->nparallel && fsr_index_elem(&own, shape, d) && fsr_index_equal(&own, index);
}

/* Why the loop may not run at this level and pass. Divided rows of a CPU's scan take in its input twice (emit_share.c). */
static const char *runs_again(const lowering *l, const fsr_inst *inst) {
    const fsr_domain *d = &l->group->domain;
    if (inst->level == FSR_ROW && inst->pass == 0 && d->ndim > d->nparallel)
        return "its loop would run in everything that shares a row";
    if (inst->level == FSR_ELEM && !l->p->target->gpu && any_scan(l))
        return "its loop would run again where the scan's carries are known";
    return NULL;
}

/* The inputs of a loop; false: refused. */
static bool loop_inputs(lowering *l, const fsr_flow_node *n, const fsr_index *index, int *input, fsr_inst *inst) {
    for (int i = 0; i < n->nargs; ++i) {
        input[i] = eval(l, n->arg[i], index);
        if (input[i] < 0)
            return false;
        const fsr_inst *from = &l->k->inst[input[i]];
        inst->level = from->level == FSR_ELEM ? FSR_ELEM : inst->level;
        inst->pass = from->pass > inst->pass ? from->pass : inst->pass;
    }
    return true;
}

/* The ITERATE of a loop that was not asked for yet, with what it needs: its slot. Loops among the inputs come first. */
static int loop_add(lowering *l, fsr_link link, const fsr_index *index) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    fsr_inst inst = blank(FSR_INST_ITERATE, FSR_I32, link.id);
    int input[FSR_MAX_ARGS];
    if (!loop_inputs(l, n, index, input, &inst))
        return -1;
    const char *reason = l->k->nloops == FSR_MAX_LOOPS ? "the kernel would have too many loops" : runs_again(l, &inst);
    if (reason)
        return refuse_blame(l, reason, link);
    fsr_iteration *own = malloc(sizeof *own);
    if (!own)
        return refuse(l, fsr_reason_memory);
    int slot = l->k->nloops++;
    *own = *n->loop;
    l->k->loop[slot].program = own;
    memcpy(l->k->loop[slot].input, input, sizeof input);
    inst.index = slot;
    l->looped[slot] = link;
    l->place[slot] = *index;
    l->iterate[slot] = add_inst(l, &inst);
    l->group->loop[slot] = link.id;
    l->group->nloops = l->k->nloops;
    return l->iterate[slot] < 0 ? -1 : slot;
}

static int loop_slot(lowering *l, fsr_link link, const fsr_index *index) {
    for (int i = 0; i < l->group->nloops; ++i)
        if (l->group->loop[i] == link.id)
            return fsr_index_equal(&l->place[i], index)
                       ? i
                       : refuse_blame(l, "its loop would run for one element at several places", link);
    if (!is_own_place(l, &l->flow->node[link.id].shape, index))
        return refuse_blame(l, "its loop runs where its own elements are, once each", link);
    return loop_add(l, link, index);
}

static int loop_result(lowering *l, fsr_link link, const fsr_index *index) {
    int home = l->p->home[link.id];
    if (home >= 0 && home != l->g)
        return foreign(l, link, index);
    int slot = loop_slot(l, link, index);
    if (slot < 0)
        return -1;
    fsr_inst inst = blank(FSR_INST_FINAL, l->flow->node[link.id].dtype[link.output], link.id);
    inst.index = slot;
    inst.component = link.output;
    inst.arg[0] = l->iterate[slot];
    return add_inst(l, &inst);
}

/* No loop runs in two passes. */
static bool loops_once(lowering *l) {
    for (int i = 0; i < l->k->nloops; ++i)
        if (fsr_kernel_loop_passes(l->k, i) > 1)
            return refuse_blame(l, "its loop would run again in each pass over the row", l->looped[i]), false;
    return true;
}

/* A loop that is a kernel of its own, of this very group; one that was stored because another kernel asked for it may
 * still be read here. */
static bool loop_apart(const lowering *l, fsr_link link) {
    bool own = false;
    for (int i = 0; i < l->group->nstores; ++i)
        own = own || l->group->store[i].id == link.id;
    return own && l->p->held[link.id] == FSR_HELD && link.id != l->storing.id;
}

/* A value that memory must hold, of this very group: who else needs it belongs to another kernel, which loads it. */
static bool apart(const lowering *l, fsr_link link) {
    if (l->flow->node[link.id].kind == FSR_NODE_ITERATE)
        return loop_apart(l, link);
    bool own = fold_slot(l->group, link.id) >= 0;
    for (int i = 0; i < l->group->nstores; ++i) /* not p->stored: a store that a trial adds is not there yet */
        own = own || fsr_link_equal(l->group->store[i], link);
    return own && l->p->held[link.id] && !fsr_link_equal(link, l->storing);
}

/* True if a stored value of another group has to be read here. */
static bool read_stored(const lowering *l, fsr_link link) {
    int from = l->p->stored[link.id * FSR_MAX_OUTPUTS + link.output];
    return from >= 0 && from != l->g && !fsr_partition_reaches(l->p, from, l->g);
}

/* Follows views down to what they show; views of views are a loop here, not a recursion. */
static bool skip_views(lowering *l, fsr_link *link, fsr_index *index) {
    while (l->flow->node[link->id].kind == FSR_NODE_VIEW && !apart(l, *link) && !read_stored(l, *link)) {
        const fsr_flow_node *n = &l->flow->node[link->id];
        fsr_index inner;
        if (!fsr_index_view(&inner, index, &n->view, &n->shape, &l->flow->node[n->arg[0].id].shape, &l->group->domain))
            return refuse_flat(l, "a reshape of a view has no affine index", *link, index), false;
        *index = inner;
        *link = n->arg[0];
    }
    return true;
}

static int compute(lowering *l, fsr_link link, const fsr_index *index) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    fsr_operand leaf = {.leaf = true, .ordinal = n->ordinal};
    int slot;
    switch (n->kind) {
    case FSR_NODE_DATA: return load(l, &leaf, link, index);
    case FSR_NODE_CONST: return constant(l, n->dtype[0], n->value);
    case FSR_NODE_PARAM: return parameter(l, n, link.id);
    case FSR_NODE_IOTA: return iota(l, link, index);
    case FSR_NODE_MAP: return map(l, link, index);
    case FSR_NODE_CALL: return call(l, link, index);
    case FSR_NODE_PASTE: return paste(l, link, index);
    case FSR_NODE_PLACE: return refuse_blame(l, "its elements take their places in memory", link);
    case FSR_NODE_ITERATE: return loop_result(l, link, index);
    case FSR_NODE_REDUCE:
    case FSR_NODE_SCAN:
        slot = fold_slot(l->group, link.id);
        return slot >= 0 ? fold_result(l, link, index, slot) : foreign(l, link, index);
    default: return refuse(l, "a node of this kind cannot be evaluated");
    }
}

static int eval(lowering *l, fsr_link link, const fsr_index *asked) {
    fsr_index index = *asked;
    if (!skip_views(l, &link, &index))
        return -1;
    const fsr_flow_node *n = &l->flow->node[link.id];
    if (apart(l, link) && n->kind == FSR_NODE_PLACE)
        return refuse(l, "its elements take their places in memory, where only another kernel finds them");
    if (apart(l, link))
        return refuse(l, n->hint == FSR_HINT_MATERIALIZE
                             ? "a hint asks to store the value"
                             : "the kernel would have too long a program or too many arrays");
    int value = known(l, link, &index);
    if (value >= 0)
        return value;
    bool computed = n->kind == FSR_NODE_MAP || n->kind == FSR_NODE_CALL || n->kind == FSR_NODE_VIEW ||
                    n->kind == FSR_NODE_IOTA || n->kind == FSR_NODE_PASTE || n->kind == FSR_NODE_PLACE;
    int from = l->p->stored[link.id * FSR_MAX_OUTPUTS + link.output];
    if (computed && read_stored(l, link))
        return remember(l, link, &index, load_stored(l, link, &index, from));
    if (computed && from >= 0 && from != l->g && l->p->held[link.id] == FSR_HELD)
        return refuse(l, "the kernels would need each other's results");
    return remember(l, link, &index, compute(l, link, &index));
}

/* ---- stores, merging of dimensions, finishing --------------------------------------------------------- */

/* Places count in an array as large as the domain. Counter-example: one element fits a row of any domain, where -1 would
 * be another place. */
static bool places_fit(const lowering *l, const fsr_flow_node *n, bool row) {
    const fsr_domain *d = &l->group->domain;
    if (n->kind != FSR_NODE_PLACE)
        return true;
    return d->ndim <= 1 && row == (d->nparallel == d->ndim) &&
           fsr_domain_rows(d) * fsr_domain_cols(d) == n->shape.dim[0];
}

/* Where in the domain the i-th stored value is computed, and whether once a row. */
static bool store_index(lowering *l, int i, fsr_index *index) {
    fsr_link link = l->group->store[i];
    const fsr_flow_node *n = &l->flow->node[link.id];
    const fsr_domain *d = &l->group->domain;
    fsr_index input;
    if (fold_slot(l->group, link.id) >= 0) {
        l->group->row[i] = n->kind == FSR_NODE_REDUCE;
        return fold_index(l, link.id, &input, index) || (refuse(l, "the folds have different domains"), false);
    }
    l->group->row[i] = fsr_index_row(index, &n->shape, d);
    bool folded = d->ndim > d->nparallel;
    if (!places_fit(l, n, l->group->row[i]))
        return refuse(l, "the stored value's shape is not the kernel's"), false;
    return l->group->row[i] || (folded && fsr_index_elem(index, &n->shape, d)) ||
           (refuse(l, "the stored value's shape is not the kernel's"), false);
}

/* In place of its first argument a paste stores its region only: the domain is the region's. */
static bool store_region(lowering *l, fsr_link link, fsr_inst *inst, fsr_affine *address) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    const fsr_shape *part = &l->flow->node[n->arg[1].id].shape;
    fsr_index index, place;
    l->group->row[0] = true;
    if (!fsr_index_row(&index, part, &l->group->domain) ||
        !fsr_index_view(&place, &index, &n->view, part, &n->shape, &l->group->domain))
        return refuse(l, "the stored value's shape is not the kernel's"), false;
    fsr_index_address(address, &place, &n->shape);
    inst->arg[0] = eval(l, n->arg[1], &index);
    return inst->arg[0] >= 0;
}

/* The value to store, and for a PLACE, where: then the access's address is 0. */
static bool store_values(lowering *l, fsr_link link, const fsr_index *index, fsr_inst *inst, fsr_affine *address) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    if (l->group->in_place)
        return store_region(l, link, inst, address);
    inst->placed = n->kind == FSR_NODE_PLACE;
    inst->arg[0] = eval(l, inst->placed ? n->arg[0] : link, index);
    if (inst->placed && inst->arg[0] >= 0)
        inst->arg[1] = eval(l, n->arg[1], index);
    if (inst->placed)
        *address = (fsr_affine){0};
    else
        fsr_index_address(address, index, &n->shape);
    return inst->arg[0] >= 0 && (!inst->placed || inst->arg[1] >= 0);
}

static bool store(lowering *l, int i) {
    fsr_link link = l->group->store[i];
    const fsr_flow_node *n = &l->flow->node[link.id];
    fsr_inst inst = blank(FSR_INST_STORE, n->dtype[link.output], link.id);
    fsr_operand operand = {.link = link};
    fsr_affine address;
    fsr_index index;
    if (!l->group->in_place && !store_index(l, i, &index))
        return false;
    l->storing = link;
    int array =
        store_values(l, link, &index, &inst, &address) ? array_of(l, &operand, n->dtype[link.output], true) : -1;
    inst.index = array < 0 ? -1 : access_of(l, array, &address);
    if (inst.index < 0)
        return false;
    inst.level = l->group->row[i] ? FSR_ROW : FSR_ELEM;
    for (int a = 0; a <= inst.placed; ++a)
        if (l->group->row[i] && l->k->inst[inst.arg[a]].level == FSR_ELEM)
            return refuse(l, "a value of the row depends on the column"), false;
    return add_inst(l, &inst) >= 0;
}

static bool mergeable(const lowering *l, const fsr_domain *d, int at) {
    bool boundary = at + 1 == d->nparallel;
    if (boundary || l->indexed[at] || l->indexed[at + 1])
        return false;
    for (int i = 0; i < l->k->naccesses; ++i)
        if (l->address[i].coef[at] != l->address[i].coef[at + 1] * d->extent[at + 1])
            return false;
    for (int i = 0; i < l->k->nconditions; ++i)
        if (!fsr_box_mergeable(&l->box[i], at, d->extent[at + 1]))
            return false;
    return true;
}

/* Takes out the coefficient of dimension `at`. */
static void close_gap(fsr_affine *a, int at, int ndim) {
    for (int j = at; j + 1 < ndim; ++j)
        a->coef[j] = a->coef[j + 1];
    a->coef[ndim - 1] = 0;
}

static void merge(lowering *l, fsr_domain *d, int at) {
    for (int i = 0; i < l->k->nconditions; ++i)
        fsr_box_merge(&l->box[i], at, d->extent[at + 1]);
    d->extent[at] *= d->extent[at + 1];
    for (int i = at + 1; i + 1 < d->ndim; ++i) {
        d->extent[i] = d->extent[i + 1];
        l->indexed[i] = l->indexed[i + 1];
    }
    for (int i = 0; i < l->k->naccesses; ++i) {
        l->address[i].coef[at] = l->address[i].coef[at + 1];
        close_gap(&l->address[i], at + 1, d->ndim);
    }
    for (int i = 0; i < l->k->nconditions; ++i)
        close_gap(&l->box[i].at, at + 1, d->ndim);
    for (int i = 0; i < l->k->ninsts; ++i)
        if (l->k->inst[i].kind == FSR_INST_INDEX && l->k->inst[i].index > at)
            --l->k->inst[i].index;
    d->nparallel -= at < d->nparallel;
    --d->ndim;
}

static bool linear_over(const fsr_affine *a, const fsr_domain *d, int ndim) {
    int64_t stride = 1;
    for (int i = d->ndim - 1; i >= 0; --i) {
        if (i >= ndim ? a->coef[i] != 0 : a->coef[i] != stride)
            return false;
        stride *= i < ndim ? d->extent[i] : 1;
    }
    return a->offset == 0 && !a->over;
}

static int integer(lowering *l, int64_t value) {
    if (l->k->nints == FSR_MAX_INTS)
        return refuse(l, "the kernel would have too many integer arguments");
    l->group->integer[l->k->nints] = value;
    return l->k->nints++;
}

/* An element of a row of one column lies where the row does, but is no access of the row. */
static bool used_by_element(const fsr_kernel *k, int access) {
    for (int i = 0; i < k->ninsts; ++i)
        if ((k->inst[i].kind == FSR_INST_LOAD || k->inst[i].kind == FSR_INST_STORE) && k->inst[i].index == access &&
            k->inst[i].level == FSR_ELEM)
            return true;
    return false;
}

static bool used_by_places(const fsr_kernel *k, int access) {
    for (int i = 0; i < k->ninsts; ++i)
        if (k->inst[i].placed && k->inst[i].index == access)
            return true;
    return false;
}

static bool finish_sum(lowering *l, fsr_access *a, const fsr_affine *sum, const fsr_domain *d) {
    a->offset = -1;
    if (sum->offset != 0 && (a->offset = integer(l, sum->offset)) < 0)
        return false;
    for (int j = 0; j < d->ndim; ++j) {
        int64_t coef = sum->coef[j];
        a->stride[j] = coef == 0 ? FSR_STRIDE_ZERO : coef == 1 ? FSR_STRIDE_ONE : FSR_STRIDE_VAR;
        if (a->stride[j] == FSR_STRIDE_VAR && (a->slot[j] = integer(l, coef)) < 0)
            return false;
    }
    return !sum->over || (a->over = integer(l, sum->over)) >= 0;
}

static bool finish_condition(lowering *l, int i, const fsr_domain *d) {
    fsr_condition *c = &l->k->condition[i];
    const fsr_box *box = &l->box[i];
    if (!finish_sum(l, &c->at, &box->at, d) || (c->extent = integer(l, box->extent)) < 0)
        return false;
    return box->step == 1 || (c->step = integer(l, box->step)) >= 0;
}

static bool finish_access(lowering *l, int i, const fsr_domain *d) {
    fsr_access *a = &l->k->access[i];
    const fsr_affine *address = &l->address[i];
    if (!finish_sum(l, a, address, d))
        return false;
    if (used_by_places(l->k, i))
        return true;
    a->linear = linear_over(address, d, d->ndim);
    a->row_linear = linear_over(address, d, d->nparallel) && !used_by_element(l->k, i);
    return true;
}

/* ELEM values move to the first pass that reads them: a load that only pass 2 needs is not done in pass 0. */
static void sink_passes(fsr_kernel *k) {
    for (int i = k->ninsts - 1; i >= 0; --i) {
        fsr_inst *at = &k->inst[i];
        if (at->level != FSR_ELEM || at->kind == FSR_INST_STORE || at->kind == FSR_INST_COMBINE ||
            at->kind == FSR_INST_RESULT || at->kind == FSR_INST_ITERATE || at->kind == FSR_INST_FINAL)
            continue;
        int first = -1;
        for (int j = i + 1; j < k->ninsts; ++j) {
            int pass = k->inst[j].pass;
            if ((first < 0 || pass < first) && fsr_inst_reads(k, j, i))
                first = pass;
        }
        if (first > at->pass)
            at->pass = first;
    }
}

static bool finish(lowering *l) {
    fsr_kernel *k = l->k;
    fsr_domain d = l->group->domain;
    for (int i = 0; i + 1 < d.ndim;)
        if (mergeable(l, &d, i))
            merge(l, &d, i);
        else
            ++i;
    k->ndim = d.ndim;
    k->nparallel = d.nparallel;
    memcpy(l->group->extent, d.extent, sizeof d.extent);
    l->group->integer[FSR_INT_ROWS] = fsr_domain_rows(&d);
    l->group->integer[FSR_INT_COLS] = fsr_domain_cols(&d);
    l->group->integer[FSR_INT_SPLITS] = 1;
    l->group->integer[FSR_INT_CHUNK] = fsr_domain_cols(&d);
    k->nints = FSR_INT_EXTENT;
    for (int i = 0; i < d.ndim; ++i)
        integer(l, d.extent[i]);
    for (int i = 0; i < k->naccesses; ++i)
        if (!finish_access(l, i, &d))
            return false;
    for (int i = 0; i < k->nconditions; ++i)
        if (!finish_condition(l, i, &d))
            return false;
    for (int i = 0; i < k->ninsts; ++i)
        if (k->inst[i].level == FSR_ELEM && k->inst[i].pass >= k->npasses)
            k->npasses = k->inst[i].pass + 1;
    fsr_kernel_join_stores(k);
    sink_passes(k);
    return true;
}

static void describe(const lowering *l) {
    size_t used = 0;
    const char *last = NULL;
    for (int i = 0; i < l->k->ninsts; ++i) {
        const fsr_inst *at = &l->k->inst[i];
        bool named = at->node >= 0 && (at->kind == FSR_INST_OP || at->kind == FSR_INST_CALL ||
                                       at->kind == FSR_INST_COMBINE || at->kind == FSR_INST_ITERATE || at->placed);
        const char *name = named ? fsr_flow_name(l->flow, at->node) : NULL;
        if (!name || name == last || used + strlen(name) + 8 > sizeof l->k->comment)
            continue;
        used += (size_t)snprintf(l->k->comment + used, sizeof l->k->comment - used, used ? ", %s" : "%s", name);
        last = name;
    }
    if (!used)
        snprintf(l->k->comment, sizeof l->k->comment, "copy");
}

static bool lower_all(lowering *l) {
    for (int i = 0; i < l->group->nfolds; ++i)
        if (!combine(l, i))
            return false;
    l->k->nfolds = l->group->nfolds;
    for (int i = 0; i < l->group->nstores; ++i)
        if (!store(l, i))
            return false;
    return finish(l) && loops_once(l);
}

const char *fsr_lower(const fsr_partition *p, int g, fsr_group *group, fsr_link *blame) {
    lowering l = {.p = p, .flow = p->flow, .g = g, .group = group, .blame = {-1, 0}, .storing = {-1, 0}};
    group->ndeps = group->nneeds = group->nloops = 0;
    group->division = 0;
    l.k = fsr_kernel_new();
    l.memo = malloc(sizeof *l.memo * (MEMO / 2));
    l.slot = malloc(sizeof *l.slot * MEMO);
    *blame = l.blame;
    bool ok = l.k && l.memo && l.slot;
    if (ok) {
        memset(l.slot, 0xff, sizeof *l.slot * MEMO);
        ok = lower_all(&l);
    }
    free(l.memo);
    free(l.slot);
    if (!ok) {
        fsr_kernel_free(l.k);
        *blame = l.blame;
        return l.reason ? l.reason : fsr_reason_memory;
    }
    describe(&l);
    group->kernel = l.k;
    return NULL;
}

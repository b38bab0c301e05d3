/* SPDX-License-Identifier: MIT */
/* Shared by the lower*.c files: one trial lowering, and what each file offers the others.
 *
 * Where a function returns an instruction's number, -1 means refused: the reason is in the lowering by then. Where one
 * returns bool, false means the same. */
#ifndef FUSOR_FUSION_LOWER_H
#define FUSOR_FUSION_LOWER_H

#include "fusion/box.h"
#include "fusion/loop_ir_edit.h"
#include "fusion/partition.h"

typedef struct fsr_memo fsr_memo;

/* A value that is wanted: a node's result at an index, under a guard. */
typedef struct fsr_want {
    fsr_link link;
    fsr_index index;
    int guard;
} fsr_want;

enum { FSR_MAX_INSIDE = 64 };

typedef struct fsr_lowering {
    const fsr_partition *p;
    const fsr_flow *flow;
    int g;                   /* the group's number in p, and the trial */
    const fsr_group *before; /* see fsr_lower */
    fsr_group *group;
    fsr_kernel *k;
    int guard;                  /* 1 + the guard under which values are needed at present; 0: none */
    int elective;               /* 1 + a guard whose values there are everywhere, and are spared elsewhere; 0: none */
    uint32_t along;             /* dimensions along which it changes */
    bool indexed[FSR_MAX_DIMS]; /* dimensions whose index itself is used: not merged */
    int ninside;
    int64_t
        inside[FSR_MAX_INSIDE]; /* extents; an INSIDE's `index` is a number of these, and a combining store's `extent`,
                                         until all is lowered */
    fsr_memo *memo;
    int depth;  /* evaluations one within the other */
    bool waits; /* they were too many: what is under way is given up, until `first` is known */
    fsr_want first;
    int64_t elements[FSR_MAX_BUFFERS]; /* of each array that something is loaded from */
    const char *reason;                /* the first refusal's; NULL: none yet */
    fsr_link blame;                    /* and the value that it would help to store; id -1: none */
    fsr_link storing;                  /* the store being lowered; id -1: none */
    fsr_link looped[FSR_MAX_LOOPS];    /* of each loop: the result first asked for, and the ITERATE */
    int iterate[FSR_MAX_LOOPS];
    int combine[FSR_MAX_COMBINES]; /* of each fold that has one: the COMBINE */
    /* From here on nothing is set before there is an access, a condition or a loop of that number. */
    fsr_affine address[FSR_MAX_ACCESSES]; /* of each access */
    fsr_box box[FSR_MAX_CONDITIONS];      /* of each condition */
    fsr_affine table[FSR_MAX_LOOPS]
                    [FSR_MAX_TABLES];    /* of each loop's tables: the sum's values are numbers of indices */
    fsr_index loop_index[FSR_MAX_LOOPS]; /* where each loop's result was first asked for */
} fsr_lowering;

/* lower.c */
/* The instruction that has the value of a node's result at an index. */
int fsr_lower_eval(fsr_lowering *l, fsr_link link, const fsr_index *index);
/* The same where another guard, or none (0), holds. */
int fsr_lower_eval_under(fsr_lowering *l, fsr_link link, const fsr_index *index, int guard);
/* Notes why the group is no kernel, unless something was noted before: -1. */
int fsr_lower_refuse(fsr_lowering *l, const char *reason);
/* What was to be appended, and -1 refused where there was no room. */
int fsr_lower_made(fsr_lowering *l, int value);
/* The same as fsr_lower_refuse; with `blame` stored it could be one. */
int fsr_lower_blame(fsr_lowering *l, const char *reason, fsr_link blame);
/* The same, because a flat index does not split into a node's dimensions; over a finer domain it might. */
int fsr_lower_blame_flat(fsr_lowering *l, const char *reason, fsr_link blame, const fsr_index *index);
/* An instruction like one that is there is that one, else it is added. */
int fsr_lower_once(fsr_lowering *l, const fsr_inst *inst, fsr_level least);
/* A new instruction's appending, of the row or `least`, in the level and pass of its arguments at least. */
int fsr_lower_add(fsr_lowering *l, const fsr_inst *inst);
int fsr_lower_add_at(fsr_lowering *l, const fsr_inst *inst, fsr_stand least);

/* lower_channels.c */
/* The stride of channels of which access i is one, and how far it lies behind the first of them. 0: it is none. */
int64_t fsr_lower_channels(const fsr_lowering *l, const fsr_domain *d, int i, int *behind);

/* lower_memo.c */
/* NULL: out of memory. */
fsr_memo *fsr_memo_new(void);
void fsr_memo_free(fsr_memo *memo);
/* The instruction that already has a value where it is wanted at present, or has now; -1: none. */
int fsr_memo_find(fsr_lowering *l, fsr_link link, const fsr_index *index);
/* The node whose value at an index a load is, and that index. False: none. */
bool fsr_memo_place(const fsr_memo *memo, int inst, fsr_link *link, fsr_index *index);
/* NULL; or why there is no room. */
const char *fsr_memo_add(fsr_memo *memo, fsr_link link, const fsr_index *index, int guard, int inst);

/* lower_widen.c */
/* What is evaluated under a guard (1 + number; 0: everywhere) serves where values are wanted at present. */
bool fsr_lower_serves(const fsr_lowering *l, int guard);
/* Makes an instruction's value, evaluated under *guard, serve at present as well, and says where it then does. False:
 * it cannot. */
bool fsr_lower_widen(fsr_lowering *l, int inst, int *guard);

/* Of each kind (graph/node_kinds.def) the instruction that is the element of a node at an index; -1: refused. */

/* lower_access.c */
/* The kernel's number of an array, and of an access to one. */
int fsr_lower_array(fsr_lowering *l, const fsr_operand *operand, fsr_dtype dtype, bool written);
int fsr_lower_access(fsr_lowering *l, int array, const fsr_affine *address);
/* The values of an affine form as those of a form of the kernel, whose other parts are known when all is lowered. */
int fsr_lower_terms(fsr_lowering *l, int number, const fsr_affine *at);
/* ELEM where an affine form moves along the columns, else ROW. */
fsr_level fsr_lower_level(const fsr_lowering *l, const fsr_affine *at);
/* A leaf's element; one of a fold or loop of another group; and one that group `from` stores, which does not need this
 * group. */
int fsr_lower_leaf(fsr_lowering *l, fsr_link link, const fsr_index *index);
int fsr_lower_foreign(fsr_lowering *l, fsr_link link, const fsr_index *index);
int fsr_lower_stored(fsr_lowering *l, fsr_link link, const fsr_index *index, int from);
/* A stored value of another group has to be read here. */
bool fsr_lower_reads_stored(const fsr_lowering *l, fsr_link link);

/* The group depends on `from`, which stores a value or shall store it. */
bool fsr_lower_depend(fsr_lowering *l, fsr_link link, int from);

/* lower_value.c */
/* node: the literal that it is, -1: a number that lowering needs. */
int fsr_lower_constant(fsr_lowering *l, fsr_dtype dtype, fsr_value value, int node);
/* The kernel's scalar argument that a parameter is; -1: refused. */
int fsr_lower_scalar(fsr_lowering *l, int node);
int fsr_lower_literal(fsr_lowering *l, fsr_link link, const fsr_index *index);
int fsr_lower_parameter(fsr_lowering *l, fsr_link link, const fsr_index *index);
int fsr_lower_iota(fsr_lowering *l, fsr_link link, const fsr_index *index);
int fsr_lower_map(fsr_lowering *l, fsr_link link, const fsr_index *index);
int fsr_lower_call(fsr_lowering *l, fsr_link link, const fsr_index *index);
/* The number that an affine form without division is, as i32 or i64. node: whose index it is. */
int fsr_lower_number(fsr_lowering *l, int node, const fsr_affine *row, fsr_dtype dtype);
/* The same as an i64, made of i32 where these are enough. */
int fsr_lower_place(fsr_lowering *l, int node, const fsr_affine *row);
/* An operation that lowering needs, on values that may be -1 (refused); of the last one's dtype. c is -1 if it has
 * two. */
int fsr_lower_op(fsr_lowering *l, fsr_op op, int a, int b, int c);
int fsr_lower_cast(fsr_lowering *l, int value, fsr_dtype to);

/* lower_paste.c */
int fsr_lower_paste(fsr_lowering *l, fsr_link link, const fsr_index *index);
int fsr_lower_inset(fsr_lowering *l, fsr_link link, const fsr_index *index);
int fsr_lower_prefix(fsr_lowering *l, fsr_link link, const fsr_index *index);
/* What a choice has elsewhere, and where its conditions hold. along: dimensions along which these change, if the part
 * may be evaluated everywhere, so that what does not change along them is; 0: it may not. */
typedef struct fsr_choice {
    fsr_link base, part;
    uint32_t along;
} fsr_choice;
/* The choice between `base` at index and `part` at inner, by conditions that hold there sometimes, always or never. */
int fsr_lower_choose(fsr_lowering *l, fsr_link link, const fsr_choice *choice, const fsr_index *index,
                     const fsr_index *inner, const fsr_guard *conditions, fsr_truth truth);
/* lower_choice.c: a choice by comparisons of indices, if it is better decided by a guard; *done: it was. */
int fsr_lower_choice(fsr_lowering *l, fsr_link link, const fsr_index *index, bool *done);
/* 1 + the number of a guard of these conditions; 0: too many. */
int fsr_lower_guard(fsr_lowering *l, const fsr_guard *guard);
/* 1 + the guard under which a prefix has its argument 1's element at an index, which is not flat; 0: it always has. */
int fsr_lower_prefix_guard(fsr_lowering *l, fsr_link link, const fsr_index *index);
/* Adds a condition to a guard, once. False: too many. */
bool fsr_lower_condition(fsr_lowering *l, fsr_guard *guard, const fsr_box *box);
/* Whether a guard (by its number, from 0) changes along the columns. */
fsr_level fsr_lower_guard_level(const fsr_lowering *l, int guard);

/* lower_store.c */
int fsr_lower_own(fsr_lowering *l, fsr_link link, const fsr_index *index);

/* lower_gather.c */
int fsr_lower_gather(fsr_lowering *l, fsr_link link, const fsr_index *index);
/* A node's computed indices, its arguments from `first` on. They come before anything is added: each may have to
 * wait. */
bool fsr_lower_indices(fsr_lowering *l, fsr_link link, int first, const fsr_index *index, int *out);
/* The index in the whole array, given that in a part of it and the values of the computed indices. */
bool fsr_lower_whole_index(fsr_lowering *l, fsr_link link, const fsr_shape *part, const fsr_shape *whole,
                           fsr_index_mode mode, const fsr_index *index, const int *value, fsr_index *inner);
/* The number of an extent that computed indices are brought into, or of what a store combines into, equal ones once;
 * -1: too many. It becomes an argument when all is lowered (lower_finish.c). */
int fsr_lower_extent(fsr_lowering *l, int64_t extent);
/* A node's i-th computed index, whose value is there, brought into [0, extent): the INSIDE. */
int fsr_lower_inside(fsr_lowering *l, fsr_link link, int i, int value, int64_t extent, fsr_index_mode mode);

/* lower_fold.c */
/* The group's number of a fold, -1: another group's. */
int fsr_lower_fold_slot(const fsr_group *group, int node);
/* One of the group's folds is a scan. */
bool fsr_lower_scans(const fsr_lowering *l);
/* The index of a fold's input (and of a scan's result) in the group's domain, and of a reduction's result; NULL: not
 * asked for. */
bool fsr_lower_fold_index(const fsr_lowering *l, int node, fsr_index *input, fsr_index *result);
/* Adds the COMBINE of fold `slot` if it is not there yet. */
bool fsr_lower_combine(fsr_lowering *l, int slot);
/* A result of a fold: the group's own, or loaded from where another group stores it. */
int fsr_lower_fold(fsr_lowering *l, fsr_link link, const fsr_index *index);

/* lower_loop.c */
int fsr_lower_loop_result(fsr_lowering *l, fsr_link link, const fsr_index *index);
/* lower_table.c: the tables of loop `slot`, of node n; the whole arrays of a call; and once all is lowered. */
bool fsr_lower_tables(fsr_lowering *l, const fsr_flow_node *n, int slot);
bool fsr_lower_arrays(fsr_lowering *l, const fsr_flow_node *n, fsr_inst *call);
bool fsr_lower_finish_tables(fsr_lowering *l);
/* Once all is lowered: no loop runs in two passes. */
bool fsr_lower_loops_once(fsr_lowering *l);

/* lower_store.c: the group's i-th store. */
bool fsr_lower_store(fsr_lowering *l, int i);

/* lower_finish.c: a new integer argument, -1: too many; the kernel's dimensions, strides and integer arguments. */
int fsr_lower_integer(fsr_lowering *l, int64_t value);
bool fsr_lower_finish(fsr_lowering *l);

/* lower_end.c: where the kernel may end, k->live. */
bool fsr_lower_end(fsr_lowering *l);

#endif

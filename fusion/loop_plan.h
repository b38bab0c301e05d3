/* SPDX-License-Identifier: MIT */
/* A loop over arrays as a thunk of a program: its body's programs and the memory that they work in.
 *
 * The body is planned once, as a flow of its own: a turn, and with a condition what tells whether there is a first one.
 * Once the whole program is planned their thunks stand behind the loop's, so that whoever compiles, explains, times or
 * counts thunks sees one list; they are run by the loop's thunk, and passed over by who runs those around it.
 * The workspace is one block: for each state a second buffer (results are the first ones), which turns write in
 * alternation; slices on their way; conditions; and the temporaries of a turn. It does not depend on how many turns
 * there are. */
#ifndef FUSOR_FUSION_LOOP_PLAN_H
#define FUSOR_FUSION_LOOP_PLAN_H

#include "fusion/plan.h"
#include "graph/rounds.h"

enum { FSR_LOOP_GO = -1, FSR_LOOP_NUMBER = -2, FSR_LOOP_FIXED = -3 };
enum { FSR_LOOP_BATCH = 16 }; /* turns that are started before a condition is looked at */

/* A scalar of a body's program. */
typedef struct fsr_loop_scalar {
    int operand; /* of the loop; or FSR_LOOP_NUMBER, the turn's; or FSR_LOOP_FIXED: value */
    fsr_value value;
} fsr_loop_scalar;

typedef struct fsr_loop_part {
    fsr_program program;
    int nthunks; /* behind the loop's thunk once they are there, and then the program has none */
    int *leaf;   /* by the program's leaves: the operand, or FSR_LOOP_GO */
    fsr_loop_scalar *scalar;
} fsr_loop_part;

struct fsr_loop_plan {
    int refs;
    fsr_rounds_form form;
    int noperands;
    int batch; /* 1: the condition is looked at after every turn */
    fsr_dtype count_dtype;
    bool scalar[FSR_MAX_ARGS];             /* of an operand, the count among them: each run gives it */
    int64_t bytes[FSR_MAX_ARGS];           /* of an operand that is an array: of a state, of a slice, of the whole */
    int64_t result_bytes[FSR_MAX_OUTPUTS]; /* of a state, or of a slice */
    /* Of slices (loop_slices.c): */
    bool staged[FSR_MAX_ARGS];        /* of an operand: each is copied before its turn */
    bool staged_out[FSR_MAX_OUTPUTS]; /* of what is stacked: behind its turn */
    int state_of[FSR_MAX_OUTPUTS];    /* of what is stacked: the state whose next value it is, -1: none */
    bool lies[FSR_MAX_OUTPUTS];       /* of what is stacked: that state lies in it */
    uint32_t updated;                 /* bit i: a turn changes state i in place (loop_states.c) */
    fsr_loop_part first, turn;
};

/* Of the states in that set those that a choice by a mask makes become the section that it changes over the state
 * (loop_masks.c). FSR_ERR_MEMORY. */
fsr_status fsr_loop_set_sections(fsr_flow *flow, const int *leaf, uint32_t states);
/* States that a turn may change in place, and the flow of a turn asked to do so; *states: those of them that it can be
 * asked for. leaf: the operand that each leaf of the flow is. FSR_ERR_MEMORY. */
uint32_t fsr_loop_may_update(const fsr_rounds *t, const int64_t *bytes, bool gpu);
fsr_status fsr_loop_own_states(fsr_flow *flow, const int *leaf, uint32_t *states);
/* Those of them that the planned turn does change in place, once its copies are left out, which this sees to. */
uint32_t fsr_loop_leave_copies(fsr_loop_part *turn, uint32_t states);

/* Plans the loop of a node. */
fsr_status fsr_loop_plan_make(fsr_loop_plan **out, const fsr_flow *flow, int node, const fsr_program_options *options,
                              char *why, size_t size);
fsr_loop_plan *fsr_loop_plan_ref(fsr_loop_plan *loop);
void fsr_loop_plan_unref(fsr_loop_plan *loop); /* NULL is allowed */

/* Thunks of a loop's body behind a thunk; 0: it is no loop's. */
static inline int fsr_loop_thunks(const fsr_thunk *thunk) {
    return thunk->loop ? thunk->loop->first.nthunks + thunk->loop->turn.nthunks : 0;
}

/* The turns that a plan counts: all, where they are known when it is made, else one. */
static inline int64_t fsr_loop_turns(const fsr_loop_plan *loop) {
    return loop->form.count < 0 || loop->form.conditional ? 1 : loop->form.count;
}

/* Where things lie in the workspace: byte offsets. */
typedef struct fsr_loop_layout {
    int64_t spare[FSR_MAX_OUTPUTS];                         /* of a state: what its result is not written to */
    int64_t absent[FSR_MAX_OUTPUTS];                        /* of a result that nobody reads: what takes its place */
    int64_t staged[FSR_MAX_ARGS], stacked[FSR_MAX_OUTPUTS]; /* of slices that are copied */
    int64_t go[2];
    int64_t arena;
    int64_t bytes; /* all */
} fsr_loop_layout;
/* present: bit i is set if somebody reads result i. */
void fsr_loop_lay_out(const fsr_loop_plan *loop, uint32_t present, fsr_loop_layout *out);
/* Where slices lie, of a loop whose body is planned. */
void fsr_loop_place_slices(fsr_loop_plan *loop, bool gpu);
/* Slices that are copied in a turn. */
int fsr_loop_copies(const fsr_loop_plan *loop, uint32_t present);
/* What is stacked in whose slices the state lies; -1: it has buffers of its own. */
int fsr_loop_home(const fsr_loop_plan *loop, uint32_t present, int state);

/* The loops of a flow, by node; NULL: it has none. */
typedef struct fsr_loop_plans {
    fsr_loop_plan **of;
    int n;
} fsr_loop_plans;
fsr_status fsr_loop_plans_make(fsr_loop_plans *out, const fsr_flow *flow, const fsr_program_options *options, char *why,
                               size_t size);
void fsr_loop_plans_clear(fsr_loop_plans *loops);
/* All turns of the loop, a thunk of the program, are one kernel. */
bool fsr_loop_is_kernel(const fsr_program *program, const fsr_thunk *thunk);
/* Thunks that then come behind it: they copy last states out of what is stacked. */
int fsr_loop_lasts(const fsr_thunk *thunk);
/* Makes the thunk of such a loop that kernel's, and these. FSR_ERR_MEMORY, and the thunk is the loop's. */
fsr_status fsr_loop_make_kernel(fsr_thunk *thunk, fsr_thunk *copy);
/* Puts the thunks of the loops' bodies behind those of the loops, or makes loops kernels. False: out of memory. */
bool fsr_loop_splice(fsr_program *program);

#endif

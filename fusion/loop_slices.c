/* SPDX-License-Identifier: MIT */
/* Which slices a turn of a loop over arrays reads and writes where they lie in their arrays.
 *
 * A slice begins at a multiple of its own bytes, so on a GPU a kernel that loads or stores it by longer vectors, and a
 * library, have it from and in the workspace: a copy before the turn, or behind it. What loads element by element, as a
 * slice of one number is always loaded, takes it from where it is. Counter-example to copying by the slice's length
 * alone: a row and two numbers beside it were three launches a turn, of which two moved four bytes each.
 *
 * Where what is stacked is a state's next value the state lies there: a turn reads it in the slice that the turn before
 * has written. Counter-example to a copy of every turn's state: a recurrence whose states are all kept, as nearly every
 * one's are, would be two launches a turn. */
#include "fusion/loop_plan.h"

enum { WIDEST = 16 };

/* An access that a thread may have a vector of. */
static bool is_vector(const fsr_kernel *k, const fsr_access *a) {
    const bool rows = k->schedule.kind == FSR_SCHEDULE_MAP || k->schedule.kind == FSR_SCHEDULE_COL;
    bool beside = a->linear || (rows && a->row_linear);
    for (int d = 0; d < k->ndim; ++d)
        beside = beside || k->form[a->form].stride[d] == FSR_STRIDE_ONE;
    return beside && k->schedule.vector > 1;
}

/* Of the kernel's array: its address has to be a multiple of so many bytes. Tiles that go through slots are copied by
 * the machine, and what a caller's function does with an array nobody knows. */
static int alignment_in(const fsr_kernel *k, int array) {
    const int size = (int)fsr_dtype_size(k->array[array].dtype), vector = k->schedule.vector * size;
    int bytes = k->schedule.slots ? WIDEST : size < WIDEST ? size : WIDEST;
    for (int i = 0; i < k->naccesses; ++i) {
        const fsr_access *a = &k->access[i];
        const int own = a->whole || vector > WIDEST ? WIDEST : vector;
        if (a->buffer == array && (a->whole || is_vector(k, a)) && own > bytes)
            bytes = own;
    }
    return bytes;
}

/* Of a leaf or an output of the program. */
static int alignment_of(const fsr_program *p, fsr_slot_kind kind, int ordinal) {
    int bytes = 1;
    for (int i = 0; i < p->nthunks; ++i)
        for (int u = 0; u < p->thunk[i].nuses; ++u) {
            const fsr_thunk *thunk = &p->thunk[i];
            if (thunk->use[u].slot.kind != kind || thunk->use[u].slot.ordinal != ordinal)
                continue;
            const bool plain = thunk->kind == FSR_THUNK_COPY || thunk->kind == FSR_THUNK_CLEAR;
            const int own = thunk->kind == FSR_THUNK_KERNEL ? alignment_in(thunk->kernel, u) : plain ? 1 : WIDEST;
            bytes = own > bytes ? own : bytes;
        }
    return bytes;
}

/* Of an operand of the loop, in both parts of its body. */
static int alignment_of_operand(const fsr_loop_plan *loop, int operand) {
    const fsr_loop_part *part[] = {&loop->first, &loop->turn};
    int bytes = 1;
    for (int p = 0; p < 2; ++p)
        for (int i = 0; i < part[p]->program.nleaves; ++i) {
            const int own = part[p]->leaf[i] == operand ? alignment_of(&part[p]->program, FSR_SLOT_LEAF, i) : 1;
            bytes = own > bytes ? own : bytes;
        }
    return bytes;
}

/* A state may lie in slices of so many bytes. */
static bool may_lie(const fsr_loop_plan *loop, int state, int64_t bytes, bool gpu) {
    return !gpu || (bytes % alignment_of_operand(loop, state) == 0 &&
                    bytes % alignment_of(&loop->turn.program, FSR_SLOT_OUTPUT, state) == 0);
}

void fsr_loop_place_slices(fsr_loop_plan *loop, bool gpu) {
    const int nstate = loop->form.nstate, *same = loop->turn.program.same_out;
    bool lies[FSR_MAX_OUTPUTS] = {false};
    for (int k = nstate; k < nstate + loop->form.nsliced; ++k)
        loop->staged[k] = gpu && loop->bytes[k] % alignment_of_operand(loop, k) != 0;
    for (int i = nstate; i < nstate + loop->form.nstacked; ++i) {
        const int64_t bytes = loop->result_bytes[i];
        loop->state_of[i] = same[i] >= 0 && same[i] < nstate ? same[i] : -1;
        loop->staged_out[i] =
            gpu && loop->state_of[i] < 0 && bytes % alignment_of(&loop->turn.program, FSR_SLOT_OUTPUT, i) != 0;
    }
    for (int i = nstate; i < nstate + loop->form.nstacked; ++i) {
        const int state = loop->state_of[i];
        loop->lies[i] = state >= 0 && !loop->form.conditional && !lies[state] && !(loop->updated >> state & 1) &&
                        may_lie(loop, state, loop->result_bytes[i], gpu);
        if (loop->lies[i])
            lies[state] = true;
    }
}

int fsr_loop_home(const fsr_loop_plan *loop, uint32_t present, int state) {
    for (int i = loop->form.nstate; i < loop->form.nstate + loop->form.nstacked; ++i)
        if (loop->lies[i] && loop->state_of[i] == state && (present >> i & 1))
            return i;
    return -1;
}

int fsr_loop_copies(const fsr_loop_plan *loop, uint32_t present) {
    int n = 0;
    for (int k = loop->form.nstate; k < loop->form.nstate + loop->form.nsliced; ++k)
        n += loop->staged[k];
    for (int i = loop->form.nstate; i < loop->form.nstate + loop->form.nstacked; ++i)
        n += (present >> i & 1) && (loop->staged_out[i] || (loop->state_of[i] >= 0 && !loop->lies[i]));
    return n;
}

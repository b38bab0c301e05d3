/* SPDX-License-Identifier: MIT */
/* A loop over arrays whose turn is one kernel of one block is one kernel on a GPU, which is repeated (repeat.h): the
 * turns of recurrences over small states are less work than their launches. The bits are those of the turns, since it
 * is the same kernel.
 *
 * The loop's thunk becomes a kernel's, with the arrays that the turn's has: operands, slices, results, and the buffers
 * of the loop's workspace. A last state that is asked for beside all of them is copied behind it. Counter-example to
 * making turns of many blocks one kernel as well: they would be done by one processor of a hundred. */
#include "fusion/loop_plan.h"
#include "fusion/plan.h"
#include "fusion/repeat.h"
#include <stdlib.h>
#include <string.h>

/* Seconds at a few us a turn: about the longest launch that a machine with a display lets be. */
enum { MOST_TURNS = 1 << 20 };

/* What a loop's arrays are in the program around it. */
typedef struct outside {
    const fsr_loop_plan *loop;
    const fsr_thunk *thunk, *turn; /* the loop's; that of its turn */
    fsr_loop_layout layout;
    fsr_use operand[FSR_MAX_ARGS], result[FSR_MAX_OUTPUTS], work;
} outside;

/* ---- which loops ----------------------------------------------------------------------------------------------- */

static bool is_one_block(const fsr_thunk *turn) {
    const fsr_kernel *k = turn->kernel;
    return turn->kind == FSR_THUNK_KERNEL && !turn->nothing && turn->blocks == 1 && !turn->work_bytes &&
           !turn->zero_bytes && !turn->in_place && !turn->part && k->schedule.target == FSR_TARGET_GPU &&
           (k->schedule.kind == FSR_SCHEDULE_MAP || k->schedule.kind == FSR_SCHEDULE_ROW ||
            k->schedule.kind == FSR_SCHEDULE_COL) &&
           !k->schedule.wide && !k->schedule.streams && !k->nests && !k->repeat && !k->live && !k->nroutines;
}

/* Scalars are operands, or the turn's number, once. */
static bool scalars_are_known(const fsr_loop_plan *loop, const fsr_thunk *turn) {
    const fsr_loop_part *part = &loop->turn;
    int numbers = 0;
    for (int s = 0; s < turn->kernel->nscalars; ++s) {
        const int scalar = turn->scalar[s];
        if (scalar < 0 || scalar >= part->program.nscalars || part->scalar[scalar].operand == FSR_LOOP_FIXED)
            return false;
        numbers += part->scalar[scalar].operand == FSR_LOOP_NUMBER;
        if (part->scalar[scalar].operand == FSR_LOOP_NUMBER && turn->kernel->scalar[s] != FSR_I64)
            return false;
    }
    return numbers <= 1;
}

/* No array of slices has more elements than 32 bits count. */
static bool are_short(const fsr_loop_plan *loop) {
    int64_t most = 0;
    for (int k = loop->form.nstate; k < loop->form.nstate + loop->form.nsliced; ++k)
        most = loop->bytes[k] > most ? loop->bytes[k] : most;
    for (int i = loop->form.nstate; i < loop->form.nstate + loop->form.nstacked; ++i)
        most = loop->result_bytes[i] > most ? loop->result_bytes[i] : most;
    return fsr_size_mul(most, loop->form.count) <= INT32_MAX;
}

/* The turn's array that is its output; -1: none is. */
static int array_of_output(const fsr_thunk *turn, int output) {
    for (int a = 0; a < turn->kernel->narrays; ++a)
        if (turn->use[a].slot.kind == FSR_SLOT_OUTPUT && turn->use[a].slot.ordinal == output)
            return a;
    return -1;
}

static bool arrays_are_known(const fsr_loop_plan *loop, const fsr_thunk *turn) {
    for (int i = 0; i < loop->form.nstate; ++i)
        if (array_of_output(turn, i) < 0)
            return false;
    for (int a = 0; a < turn->kernel->narrays; ++a) {
        const fsr_slot slot = turn->use[a].slot;
        const int operand = slot.kind == FSR_SLOT_LEAF ? loop->turn.leaf[slot.ordinal] : 0;
        if (slot.kind == FSR_SLOT_TEMPORARY || slot.kind == FSR_SLOT_BAND || operand < 0 ||
            (slot.kind == FSR_SLOT_LEAF && turn->kernel->array[a].written))
            return false;
    }
    return true;
}

/* A result may lie where the loop's operands do. */
static bool has_gifts(const fsr_program *program, const fsr_thunk *thunk) {
    for (int u = 0; program->gift && u < thunk->nuses; ++u)
        if (thunk->use[u].written && thunk->use[u].slot.kind == FSR_SLOT_OUTPUT &&
            program->gift[thunk->use[u].slot.ordinal] >= 0)
            return true;
    return false;
}

/* The kernel with its spare buffers and integers has room for them. */
static bool has_room(const fsr_loop_plan *loop, const fsr_kernel *k) {
    const int moving = loop->form.nsliced + loop->form.nstacked;
    return k->narrays + loop->form.nstate <= FSR_MAX_BUFFERS && k->nints + 1 + 2 * moving <= FSR_MAX_INTS;
}

bool fsr_loop_is_kernel(const fsr_program *program, const fsr_thunk *thunk) {
    const fsr_loop_plan *loop = thunk->loop;
    if (!loop || loop->updated || loop->form.conditional || loop->form.count < 2 || loop->form.count > MOST_TURNS ||
        loop->turn.program.nthunks != 1 || loop->turn.program.ntemporaries)
        return false;
    const fsr_thunk *turn = &loop->turn.program.thunk[0];
    return is_one_block(turn) && fsr_loop_copies(loop, thunk->present) == 0 && scalars_are_known(loop, turn) &&
           are_short(loop) && arrays_are_known(loop, turn) && has_room(loop, turn->kernel) &&
           !has_gifts(program, thunk);
}

/* ---- its kernel ------------------------------------------------------------------------------------------------ */

static void find_outside(outside *o, const fsr_thunk *thunk) {
    int next = 0;
    memset(o, 0, sizeof *o);
    o->loop = thunk->loop;
    o->thunk = thunk;
    o->turn = &thunk->loop->turn.program.thunk[0];
    fsr_loop_lay_out(o->loop, thunk->present, &o->layout);
    for (int k = 0; k < o->loop->noperands; ++k)
        if (!o->loop->scalar[k])
            o->operand[k] = thunk->use[next++];
    for (int i = 0; i < o->loop->form.nstate + o->loop->form.nstacked; ++i)
        if (thunk->present >> i & 1)
            o->result[i] = thunk->use[next++];
    if (next < thunk->nuses)
        o->work = thunk->use[next];
}

/* Bytes of the workspace from `at` on. */
static fsr_use part_of_work(const outside *o, int64_t at, int64_t bytes) {
    return (fsr_use){.slot = o->work.slot, .at = at, .written = true, .bytes = bytes};
}

static int add_integer(fsr_kernel *k, int64_t value) {
    k->integer[k->nints] = value;
    return k->nints++;
}

/* Array a is a slice of so many bytes. */
static void add_slices(const outside *o, fsr_kernel *k, int a, int64_t bytes) {
    const int64_t elements = bytes / (int64_t)fsr_dtype_size(k->array[a].dtype);
    const bool reverse = o->loop->form.reverse;
    k->repeat->array[a].first = add_integer(k, reverse ? (o->loop->form.count - 1) * elements : 0);
    k->repeat->array[a].step = add_integer(k, reverse ? -elements : elements);
}

static fsr_use place_operand(const outside *o, fsr_kernel *k, int a, int operand) {
    const fsr_rounds_form *form = &o->loop->form;
    if (operand < form->nstate)
        k->repeat->array[a].follows = 1 + array_of_output(o->turn, operand);
    else if (operand < form->nstate + form->nsliced)
        add_slices(o, k, a, o->loop->bytes[operand]);
    return o->operand[operand];
}

/* Of a state that lies in no other result: itself and another buffer. spare: of the first one that has none yet. */
static fsr_use place_state(const outside *o, fsr_kernel *k, int a, int state, fsr_use *spare) {
    const int64_t bytes = o->loop->result_bytes[state];
    k->repeat->array[a].spare = 1 + k->narrays;
    k->array[k->narrays] = (fsr_array){.dtype = k->array[a].dtype, .written = true};
    spare[k->narrays++] = part_of_work(o, o->layout.spare[state], bytes);
    return o->thunk->present >> state & 1 ? o->result[state] : part_of_work(o, o->layout.absent[state], bytes);
}

static fsr_use place_output(const outside *o, fsr_kernel *k, int a, int output, fsr_use *use) {
    const int home = output < o->loop->form.nstate ? fsr_loop_home(o->loop, o->thunk->present, output) : output;
    if (home < 0)
        return place_state(o, k, a, output, use);
    if (!(o->thunk->present >> home & 1))
        return part_of_work(o, o->layout.absent[home], o->loop->result_bytes[home]);
    add_slices(o, k, a, o->loop->result_bytes[home]);
    return o->result[home];
}

static fsr_use place(const outside *o, fsr_kernel *k, int a, fsr_use *use) {
    const fsr_use *own = &o->turn->use[a];
    if (own->slot.kind == FSR_SLOT_LEAF)
        return place_operand(o, k, a, o->loop->turn.leaf[own->slot.ordinal]);
    if (own->slot.kind == FSR_SLOT_OUTPUT)
        return place_output(o, k, a, own->slot.ordinal, use);
    fsr_use report = *own;
    report.slot.ordinal += o->thunk->report;
    return report;
}

/* The scalars of the loop, by those of the kernel. */
static void place_scalars(const outside *o, fsr_kernel *k, int *scalar) {
    for (int s = 0; s < k->nscalars; ++s) {
        const int operand = o->loop->turn.scalar[o->turn->scalar[s]].operand;
        scalar[s] = operand == FSR_LOOP_NUMBER ? -1 : o->thunk->scalar[operand];
        if (operand == FSR_LOOP_NUMBER)
            k->repeat->number = 1 + s;
    }
}

/* The last state is asked for, and lies in a slice of what is stacked. */
static bool is_last_slice(const fsr_thunk *thunk, int state) {
    return (thunk->present >> state & 1) && fsr_loop_home(thunk->loop, thunk->present, state) >= 0;
}

int fsr_loop_lasts(const fsr_thunk *thunk) {
    int n = 0;
    for (int i = 0; i < thunk->loop->form.nstate; ++i)
        n += is_last_slice(thunk, i);
    return n;
}

/* Copies of last states behind the kernel, fsr_loop_lasts of them. False: out of memory, and there are none. */
static bool copy_lasts(const outside *o, fsr_thunk *copy) {
    int n = 0;
    for (int i = 0; i < o->loop->form.nstate; ++i) {
        if (!is_last_slice(o->thunk, i))
            continue;
        fsr_use *use = malloc(2 * sizeof *use);
        if (!use) {
            while (n > 0)
                free(copy[--n].use);
            return false;
        }
        use[0] = o->result[fsr_loop_home(o->loop, o->thunk->present, i)];
        use[0].at = o->loop->form.reverse ? 0 : (o->loop->form.count - 1) * o->loop->result_bytes[i];
        use[0].written = false;
        use[0].bytes = o->loop->result_bytes[i];
        use[1] = o->result[i];
        copy[n++] = (fsr_thunk){.kind = FSR_THUNK_COPY, .use = use, .nuses = 2, .places = 1};
    }
    return true;
}

/* The turn's kernel, repeated, and its arrays. FSR_ERR_MEMORY, and there is none. */
static fsr_status repeat(const outside *o, fsr_thunk *made) {
    fsr_kernel *k = fsr_kernel_copy(o->turn->kernel);
    fsr_use *use = calloc(FSR_MAX_BUFFERS, sizeof *use);
    if (k)
        k->repeat = calloc(1, sizeof *k->repeat);
    if (!use || !k || !k->repeat) {
        fsr_kernel_free(k);
        free(use);
        return FSR_ERR_MEMORY;
    }
    const int narrays = k->narrays;
    k->repeat->times = add_integer(k, o->loop->form.count);
    for (int a = 0; a < narrays; ++a)
        use[a] = place(o, k, a, use);
    *made =
        (fsr_thunk){.kind = FSR_THUNK_KERNEL, .kernel = k, .use = use, .nuses = k->narrays, .blocks = 1, .places = 1};
    place_scalars(o, k, made->scalar);
    made->bytes_moved = o->thunk->bytes_moved;
    made->price = o->turn->price * (double)o->loop->form.count;
    fsr_kernel_trim(k);
    return fsr_kernel_rename(k);
}

fsr_status fsr_loop_make_kernel(fsr_thunk *thunk, fsr_thunk *copy) {
    outside o;
    fsr_thunk made = {0};
    find_outside(&o, thunk);
    fsr_status status = repeat(&o, &made);
    if (!status && !copy_lasts(&o, copy))
        status = FSR_ERR_MEMORY;
    if (status) {
        fsr_kernel_free(made.kernel);
        free(made.use);
        return status;
    }
    free(thunk->use);
    fsr_loop_plan_unref(thunk->loop);
    *thunk = made;
    return FSR_OK;
}

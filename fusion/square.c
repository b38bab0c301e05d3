/* SPDX-License-Identifier: MIT */
/* What squares ask of a map; see square.h. The rule that chooses them, the verifier and the emitter ask here.
 *
 * Counter-example to a GPU's square for any map: a loop for each element or a gather would run between the two halves
 * of it, and a guard would leave holes in what is staged. */
#include "fusion/square.h"
#include "fusion/nest.h"

bool fsr_load_is_turned(const fsr_kernel *k, int number, int d) {
    const fsr_inst *inst = &k->inst[number];
    if (inst->kind != FSR_INST_LOAD || k->stand[number].level != FSR_ROW || k->access[inst->index].linear ||
        k->access[inst->index].row_linear)
        return false;
    const fsr_index_form *form = fsr_access_form(k, inst->index);
    return d < k->ndim - 1 && !form->divisor && form->stride[d] == FSR_STRIDE_ONE &&
           form->stride[k->ndim - 1] > FSR_STRIDE_ONE;
}

int fsr_square_bounded(const fsr_kernel *k, int condition) {
    const fsr_index_form *form = fsr_condition_form(k, condition);
    const int last = k->ndim - 1, tiled = k->schedule.tiled, d = form->stride[last] == FSR_STRIDE_ZERO ? tiled : last;
    bool bounds = !form->nterms && !form->divisor && !k->condition[condition].step && form->stride[d] == FSR_STRIDE_ONE;
    for (int other = 0; other < k->ndim; ++other)
        bounds = bounds && (other == d || form->stride[other] == FSR_STRIDE_ZERO);
    return bounds ? d : -1;
}

/* What its guard lets through of a square is one, too. Counter-example to a condition of a third dimension: it lets
 * through all of a square or nothing, which nobody asks before the rows are done. */
static bool is_bounded(const fsr_kernel *k, const fsr_inst *inst) {
    bool bounded = true;
    for (int i = 0; inst->guard && i < k->guard[inst->guard - 1].n; ++i)
        bounded = bounded && fsr_square_bounded(k, k->guard[inst->guard - 1].condition[i]) >= 0;
    return bounded;
}

bool fsr_load_may_be_squared(const fsr_kernel *k, int number) {
    const fsr_schedule *s = &k->schedule;
    const fsr_inst *inst = &k->inst[number];
    if (s->kind != FSR_SCHEDULE_MAP || !s->tile || !fsr_load_is_turned(k, number, s->tiled) || !is_bounded(k, inst))
        return false;
    const fsr_index_form *form = fsr_access_form(k, inst->index);
    const size_t bytes = fsr_dtype_size(inst->dtype);
    return !form->nterms && form->stride[k->ndim - 1] == FSR_STRIDE_VAR && (bytes == 4 || bytes == 8);
}

/* It goes along dimension `tiled` as its neighbours lie, or stays where it is. */
static bool loads_along(const fsr_kernel *k, const fsr_inst *inst) {
    const fsr_index_form *form = fsr_access_form(k, inst->index);
    const fsr_stride_kind stride = form->stride[k->schedule.tiled];
    return !k->access[inst->index].linear && !k->access[inst->index].row_linear && !form->nterms && !form->divisor &&
           (stride == FSR_STRIDE_ZERO || stride == FSR_STRIDE_ONE);
}

/* In order, of as many bytes as are turned in registers. */
static bool may_turn(const fsr_kernel *k, const fsr_inst *inst) {
    const size_t bytes = fsr_accessed_bytes(k, inst);
    return k->access[inst->index].linear && (bytes == 4 || bytes == 8);
}

bool fsr_kernel_may_turn_stores(const fsr_kernel *k) {
    bool may = k->schedule.kind == FSR_SCHEDULE_MAP && k->schedule.tile && !fsr_kernel_is_nest(k) &&
               fsr_kernel_may_square(k, k->schedule.tiled);
    for (int i = 0; i < k->ninsts && may; ++i)
        if (k->inst[i].kind == FSR_INST_LOAD && k->stand[i].level == FSR_ROW)
            may = loads_along(k, &k->inst[i]);
        else if (k->inst[i].kind == FSR_INST_STORE)
            may = may_turn(k, &k->inst[i]);
    return may;
}

static bool stands_in_square(const fsr_kernel *k, int number) {
    const fsr_inst *inst = &k->inst[number];
    switch (inst->kind) {
    case FSR_INST_CONST:
    case FSR_INST_PARAM:
    case FSR_INST_INDEX:
    case FSR_INST_OP: return true;
    case FSR_INST_CALL: return !fsr_call_arrays(k, inst);
    case FSR_INST_LOAD: return !inst->guard && !fsr_inst_is_late(k, number);
    case FSR_INST_STORE: return !fsr_inst_scatters(k, inst);
    default: return false;
    }
}

bool fsr_kernel_may_square(const fsr_kernel *k, int d) {
    bool turned = false;
    if (k->npasses || d < 0 || d >= k->ndim - 1)
        return false;
    for (int i = 0; i < k->ninsts; ++i) {
        if (k->stand[i].level != FSR_ONCE && !stands_in_square(k, i))
            return false;
        turned = turned || fsr_load_is_turned(k, i, d);
    }
    return turned;
}

int64_t fsr_square_shared_bytes(const fsr_kernel *k) {
    const fsr_schedule *s = &k->schedule;
    int64_t bytes = 0;
    for (int i = 0; i < k->ninsts; ++i)
        if (k->stand[i].staged || (s->turned && k->inst[i].kind == FSR_INST_STORE))
            bytes += (int64_t)(s->tile + s->pad) * fsr_square_breadth(s) * (int64_t)fsr_accessed_bytes(k, &k->inst[i]);
    return bytes;
}

/* SPDX-License-Identifier: MIT */
/* What squares ask of a map; see square.h. The rule that chooses them, the verifier and the emitter ask here.
 *
 * Counter-example to a square for any map: a loop for each element or a gather would run between the two halves of it,
 * and a guard would leave holes in what is staged. */
#include "fusion/square.h"

bool fsr_load_is_turned(const fsr_kernel *k, int number, int d) {
    const fsr_inst *inst = &k->inst[number];
    if (inst->kind != FSR_INST_LOAD || k->stand[number].level != FSR_ROW || k->access[inst->index].linear ||
        k->access[inst->index].row_linear)
        return false;
    const fsr_index_form *form = fsr_access_form(k, inst->index);
    return d < k->ndim - 1 && !form->divisor && form->stride[d] == FSR_STRIDE_ONE &&
           form->stride[k->ndim - 1] > FSR_STRIDE_ONE;
}

bool fsr_load_may_be_squared(const fsr_kernel *k, int number) {
    const fsr_schedule *s = &k->schedule;
    const fsr_inst *inst = &k->inst[number];
    if (s->kind != FSR_SCHEDULE_MAP || !s->tile || !fsr_load_is_turned(k, number, s->tiled) || inst->guard)
        return false;
    const fsr_index_form *form = fsr_access_form(k, inst->index);
    const size_t bytes = fsr_dtype_size(inst->dtype);
    return !form->nterms && form->stride[k->ndim - 1] == FSR_STRIDE_VAR && (bytes == 4 || bytes == 8);
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
        if (k->stand[i].staged)
            bytes += (int64_t)(s->tile + s->pad) * fsr_square_breadth(s) * (int64_t)fsr_dtype_size(k->inst[i].dtype);
    return bytes;
}

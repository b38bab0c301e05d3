/* SPDX-License-Identifier: MIT */
/* What a register tile asks of a kernel; see outputs.h. The rule that chooses tiles (schedule_outputs.c), the verifier
 * and the emitters ask here.
 *
 * A tile is `tall` outputs along dimension `across` by some along the last parallel dimension. Each output has states
 * of its own and meets the columns in the order in which it would alone, so a tile changes no association. A load that
 * misses `across` is read once for a column of the tile, one that misses the last dimension once for a row of it.
 *
 * Counter-example to tiles of any fold: sum(x, 0) of one array has nothing that two outputs read, and a tile would only
 * be more registers. Guards, computed addresses and loops for each element have no place in a tile: its edges are
 * evaluated beyond the domain, on copies of other rows and on padding, where these would read or report what is not
 * there. */
#include "fusion/outputs.h"
#include "fusion/address.h"

static bool moves_along(const fsr_kernel *k, int number, int d) {
    return fsr_form_dimensions(k, k->access[k->inst[number].index].form) >> d & 1;
}

/* What may stand in the loop: values that can be computed anywhere. */
static bool stands_in_tile(const fsr_kernel *k, int number, int across) {
    const fsr_inst *inst = &k->inst[number];
    switch (inst->kind) {
    case FSR_INST_CONST:
    case FSR_INST_PARAM:
    case FSR_INST_INDEX:
    case FSR_INST_OP:
    case FSR_INST_COMBINE: return !k->stand[number].keep;
    case FSR_INST_LOAD:
        return !k->stand[number].keep && !inst->guard && !k->stand[number].gathered && !fsr_inst_is_late(k, number) &&
               !fsr_access_form(k, inst->index)->divisor &&
               !(moves_along(k, number, k->nparallel - 1) && moves_along(k, number, across));
    default: return false;
    }
}

bool fsr_kernel_may_tile(const fsr_kernel *k, int across) {
    if (k->npasses != 1 || k->nparallel < 2 || across < 0 || across >= k->nparallel - 1 || !k->nfolds || k->nloops)
        return false;
    for (int f = 0; f < k->nfolds; ++f)
        if (k->fold[f].kind != FSR_FOLD_REDUCE)
            return false;
    for (int i = 0; i < k->ninsts; ++i)
        if (k->stand[i].level == FSR_ELEM && !stands_in_tile(k, i, across))
            return false;
    return true;
}

bool fsr_load_is_panel(const fsr_kernel *k, int number) {
    const fsr_inst *inst = &k->inst[number];
    return inst->kind == FSR_INST_LOAD && k->stand[number].level == FSR_ELEM &&
           moves_along(k, number, k->nparallel - 1);
}

bool fsr_tile_value_moves(const fsr_kernel *k, int value, int d) {
    return fsr_value_dimensions(k, value) >> d & 1;
}

bool fsr_load_is_tiled(const fsr_kernel *k, int number) {
    const fsr_inst *inst = &k->inst[number];
    return inst->kind == FSR_INST_LOAD && k->stand[number].level == FSR_ELEM &&
           (moves_along(k, number, k->nparallel - 1) || moves_along(k, number, k->schedule.across));
}

int64_t fsr_tile_shared_bytes(const fsr_kernel *k) {
    const fsr_schedule *s = &k->schedule;
    int64_t bytes = 0;
    for (int i = 0; i < k->ninsts; ++i) {
        const int64_t extent =
            fsr_load_is_panel(k, i) ? (int64_t)s->abreast * s->items : (int64_t)(s->threads / s->abreast) * s->tall;
        const int64_t size = (int64_t)fsr_dtype_size(k->inst[i].dtype);
        bytes += k->stand[i].staged ? fsr_round_up((extent + s->pad) * s->depth * size, 16) : 0;
    }
    return bytes;
}

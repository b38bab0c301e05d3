/* SPDX-License-Identifier: MIT */
/* Maps, element by element: a plain value of plain values, and a ball of balls.
 *
 * Of known values, ops that leave known values (integers, casts, comparisons, exact operations on floats) need no ball,
 * which takes a tenth of the time; what fsr_ball_op would give is the ball around the same value.
 * Counter-examples to every exact op on known operands: fmax gives either of two zeros, signbit of a NaN is anybody's,
 * and so is the sign that copysign takes of a NaN. */
#include "backend_cpu/reference/map.h"
#include "backend_cpu/reference/call.h"
#include "backend_cpu/reference/rules.h"
#include "runtime/routines.h"
#include <string.h>

/* Of any known operands of this dtype. */
static bool op_knows(fsr_op op, fsr_dtype compute, fsr_ball_mode mode) {
    const fsr_op_info *info = fsr_op_get(op);
    const bool product = op == FSR_OP_MUL || op == FSR_OP_SQUARE;
    switch (info->rule) {
    case FSR_RULE_CAST:
    case FSR_RULE_COMPARE:
    case FSR_RULE_KEY:
    case FSR_RULE_KEYED:
    case FSR_RULE_COUNT: return true;
    case FSR_RULE_TEST:
    case FSR_RULE_SELECT:
    case FSR_RULE_EXPONENT: return false;
    default: break;
    }
    if (!fsr_dtype_is_float(compute) || fsr_ball_needs_known(op, compute))
        return true;
    if (op == FSR_OP_COPYSIGN || op == FSR_OP_FMAX || op == FSR_OP_FMIN || op == FSR_OP_CLAMP)
        return false;
    return fsr_ball_selects(op) ||
           ((info->flags & FSR_OP_EXACT) && (mode == FSR_BALL_STRICT || (mode == FSR_BALL_CONTRACTED && !product)));
}

/* The operands are plain, and of known operands the op's ball is fsr_op_eval's value. */
static bool is_known(const fsr_rec *rec, fsr_dtype compute, const fsr_ref_view *in, fsr_ball_mode mode) {
    if (rec->routine || fsr_dtype_is_complex(compute) || fsr_dtype_is_complex(rec->dtype[0]))
        return false;
    for (int i = 0; i < rec->nargs; i++)
        if (in[i].data->dtype != compute || !fsr_ref_data_is_plain(in[i].data))
            return false;
    return op_knows(rec->op, compute, mode);
}

static fsr_ref_data *map_known(const fsr_rec *rec, fsr_dtype compute, const fsr_ref_view *in) {
    const size_t size = fsr_dtype_size(rec->dtype[0]);
    fsr_ref_data *data = fsr_ref_data_new(rec->dtype[0], fsr_shape_size(&rec->shape), false);
    fsr_value value[FSR_MAX_ARGS];
    fsr_ref_walk walk;
    fsr_ref_walk_start(&walk, &rec->shape, 0, in, rec->nargs);
    for (int64_t at = 0; data && walk.left > 0; fsr_ref_walk_next(&walk), at++) {
        for (int i = 0; i < rec->nargs; i++)
            value[i] = fsr_ref_data_plain(in[i].data, walk.at[i]);
        const fsr_value result = fsr_op_eval(rec->op, compute, rec->dtype[0], value);
        memcpy((char *)data->center + (size_t)at * size, &result, size);
    }
    return data;
}

/* The result for one element. Where operands and result are known, the ball was made of the value; and where the result
 * is the op's, rounded once, it is computed once. */
static void apply(const fsr_rec *rec, fsr_dtype compute, fsr_ball_mode mode, const fsr_ball *ball,
                  const fsr_value *value, fsr_ref_element *out) {
    const fsr_dtype dtype = rec->dtype[0];
    bool known = true;
    for (int i = 0; i < rec->nargs; i++)
        known = known && fsr_ref_is_known(&ball[i]);
    out->ball = rec->routine ? fsr_ball_call(rec->routine, ball) : fsr_ball_op(rec->op, compute, dtype, ball, mode);
    if (known && (fsr_ref_is_known(&out->ball) ||
                  (!rec->routine && isfinite(out->ball.radius) && fsr_ball_gives_value(rec->op, compute, dtype))))
        out->value = fsr_ball_center_value(dtype, &out->ball);
    else if (rec->routine)
        out->value = fsr_routine_eval(rec->routine, value, NULL);
    else
        out->value = fsr_op_eval(rec->op, compute, dtype, value);
}

fsr_ref_data *fsr_ref_map(const fsr_rec *rec, fsr_dtype compute, const fsr_ref_view *in, fsr_ball_mode mode) {
    if (is_known(rec, compute, in, mode))
        return map_known(rec, compute, in);
    fsr_ref_data *data = fsr_ref_data_new(rec->dtype[0], fsr_shape_size(&rec->shape), true);
    fsr_ref_walk walk;
    fsr_ball ball[FSR_MAX_ARGS];
    fsr_value value[FSR_MAX_ARGS];
    fsr_ref_element result;
    fsr_ref_walk_start(&walk, &rec->shape, 0, in, rec->nargs);
    for (int64_t at = 0; data && walk.left > 0; fsr_ref_walk_next(&walk), at++) {
        for (int i = 0; i < rec->nargs; i++)
            fsr_ref_data_read(in[i].data, walk.at[i], &ball[i], &value[i]);
        apply(rec, compute, mode, ball, value, &result);
        if (!fsr_ref_data_set(data, at, &result)) {
            fsr_ref_data_unref(data);
            data = NULL;
        }
    }
    return data;
}

/* SPDX-License-Identifier: MIT */
/* The evaluator of the table's REF column for complex operands: ops.c's twin.
 *
 * An exact op is evaluated in the operands' own arithmetic, where its one formula gives the bits that every backend
 * gives; another one in the next wider arithmetic, each part rounded once. */
#include "graph/ops.h"
#include "graph/ref_complex.h"

#define REF_NONE 0
#define REF(...) REF_FOURTH(__VA_ARGS__, REF_NONE, REF_NONE)
#define REF_FOURTH(f, i, b, z, ...) z
#define FSR_SCALAR_OP(id, name, arity, rule, flags, identity, cost, ulp, cuda, c_, ref, doc) \
    case FSR_OP_##id:                                                                        \
        return ref;

#define W_(fn) fn##f
static float _Complex eval_float(fsr_op op, float _Complex a, float _Complex b, float _Complex c) {
    switch (op) {
#include "graph/scalar_ops.def"
    default: return 0;
    }
}
#undef W_
#define W_(fn) fn
static double _Complex eval_double(fsr_op op, double _Complex a, double _Complex b, double _Complex c) {
    switch (op) {
#include "graph/scalar_ops.def"
    default: return 0;
    }
}
#undef W_
#define W_(fn) fn##l
long double _Complex fsr_op_ref_complex(fsr_op op, long double _Complex a, long double _Complex b,
                                        long double _Complex c) {
    switch (op) {
#include "graph/scalar_ops.def"
    default: return 0;
    }
}
#undef W_

static double _Complex eval(fsr_op op, fsr_dtype compute, const double _Complex *x) {
    bool exact = fsr_op_exact(op, compute);
    if (compute == FSR_C64)
        return exact ? eval_float(op, (float _Complex)x[0], (float _Complex)x[1], (float _Complex)x[2])
                     : (float _Complex)eval_double(op, x[0], x[1], x[2]);
    return exact ? eval_double(op, x[0], x[1], x[2]) : (double _Complex)fsr_op_ref_complex(op, x[0], x[1], x[2]);
}

fsr_value fsr_op_eval_complex(fsr_op op, fsr_dtype compute, fsr_dtype result, const fsr_value *args) {
    const fsr_op_info *info = fsr_op_get(op);
    double _Complex x[3] = {0, 0, 0};
    for (int i = 0; i < info->arity; i++) {
        fsr_c128 z = fsr_value_to_complex(info->rule == FSR_RULE_SELECT && i == 0 ? FSR_BOOL : compute, args[i]);
        x[i] = CMPLX(z.re, z.im);
    }
    double _Complex z = eval(op, compute, x);
    return fsr_value_from_complex(result, (fsr_c128){creal(z), cimag(z)});
}

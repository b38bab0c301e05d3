/* SPDX-License-Identifier: MIT */
/* Constants, dtypes and operations by name. The two long lists come from their tables; of the others
 * tests/package/abi.sh compares this one with the headers, so that none is forgotten. */
#include "fusor/names.h"
#include "fusor/expr.h"
#include "fusor/library.h"
#include "fusor/native.h"
#include "fusor/random.h"
#include "fusor/run.h"
#include "fusor/tune.h"
#include "graph/ops.h"
#include <string.h>

typedef struct constant {
    const char *name;
    int64_t value;
} constant;

#define NAMED(name) {#name, (int64_t)(name)},

static const constant constants[] = {
#define FSR_NAMES_STATUS(code, sentence) NAMED(code)
    FSR_STATUS_LIST(FSR_NAMES_STATUS)
#undef FSR_NAMES_STATUS
#define FSR_NAMES_DTYPE(id, name, ctype, bytes, kind) NAMED(id)
        FSR_DTYPE_LIST(FSR_NAMES_DTYPE)
#undef FSR_NAMES_DTYPE
    /* clang-format off */
    NAMED(FSR_STATUS_COUNT) NAMED(FSR_DTYPE_COUNT)
    NAMED(FSR_BACKEND_AUTO) NAMED(FSR_BACKEND_CPU) NAMED(FSR_BACKEND_CUDA) NAMED(FSR_BACKEND_REFERENCE)
    NAMED(FSR_ISA_NATIVE) NAMED(FSR_ISA_AVX512) NAMED(FSR_ISA_AVX2) NAMED(FSR_ISA_BASELINE)
    NAMED(FSR_LOG_SILENT) NAMED(FSR_LOG_WARNING) NAMED(FSR_LOG_INFO) NAMED(FSR_LOG_DEBUG)
    NAMED(FSR_MAX_DIMS) NAMED(FSR_MAX_TUPLE) NAMED(FSR_MAX_STATE) NAMED(FSR_MAX_LOOP_OPERANDS) NAMED(FSR_MAX_CORE)
    NAMED(FSR_MAX_TURN_RESULTS) NAMED(FSR_MAX_TURN_ARRAYS)
    NAMED(FSR_MAX_PARAMETERS) NAMED(FSR_MAX_NATIVE) NAMED(FSR_MAX_CALL_INPUTS) NAMED(FSR_MAX_CALL_OUTPUTS)
    NAMED(FSR_MAX_KERNEL_PARAMS) NAMED(FSR_CODE_CUDA) NAMED(FSR_CODE_PTX) NAMED(FSR_CODE_BINARY)
    NAMED(FSR_LINKED_NONE) NAMED(FSR_LINKED_PTX) NAMED(FSR_LINKED_OBJECT) NAMED(FSR_LINKED_LTOIR)
    NAMED(FSR_PARAM_INPUT) NAMED(FSR_PARAM_OUTPUT) NAMED(FSR_PARAM_ZEROED) NAMED(FSR_PARAM_COPIED) NAMED(FSR_PARAM_VALUE)
    NAMED(FSR_PARAM_WORK)
    NAMED(FSR_XY) NAMED(FSR_KEEPDIMS) NAMED(FSR_EXCLUSIVE) NAMED(FSR_REVERSE) NAMED(FSR_DESCENDING) NAMED(FSR_UNIQUE)
    NAMED(FSR_QUANTILE_LINEAR) NAMED(FSR_QUANTILE_LOWER) NAMED(FSR_QUANTILE_HIGHER) NAMED(FSR_QUANTILE_NEAREST)
    NAMED(FSR_QUANTILE_MIDPOINT) NAMED(FSR_QUANTILE_INVERTED_CDF) NAMED(FSR_QUANTILE_AVERAGED_INVERTED_CDF)
    NAMED(FSR_QUANTILE_CLOSEST_OBSERVATION) NAMED(FSR_QUANTILE_INTERPOLATED_INVERTED_CDF) NAMED(FSR_QUANTILE_HAZEN)
    NAMED(FSR_QUANTILE_WEIBULL) NAMED(FSR_QUANTILE_MEDIAN_UNBIASED) NAMED(FSR_QUANTILE_NORMAL_UNBIASED)
    NAMED(FSR_LEFT) NAMED(FSR_RIGHT)
    NAMED(FSR_UNORDERED) NAMED(FSR_UPPER) NAMED(FSR_UNIT_DIAGONAL) NAMED(FSR_SLICE_END)
    NAMED(FSR_PAD_CONSTANT) NAMED(FSR_PAD_EDGE) NAMED(FSR_PAD_REFLECT) NAMED(FSR_PAD_SYMMETRIC) NAMED(FSR_PAD_WRAP)
    NAMED(FSR_INDEX_RAISE) NAMED(FSR_INDEX_CLIP) NAMED(FSR_INDEX_WRAP) NAMED(FSR_INDEX_DROP)
    NAMED(FSR_HINT_NONE) NAMED(FSR_HINT_MATERIALIZE) NAMED(FSR_HINT_INLINE)
    NAMED(FSR_PAIR_NONE) NAMED(FSR_PAIR_FUSE) NAMED(FSR_PAIR_APART)
    NAMED(FSR_XORWOW) NAMED(FSR_MRG32K3A) NAMED(FSR_SOBOL32) NAMED(FSR_SCRAMBLED_SOBOL32) NAMED(FSR_SOBOL64)
    NAMED(FSR_SCRAMBLED_SOBOL64)
    NAMED(FSR_FULL) NAMED(FSR_SAME) NAMED(FSR_VALID) NAMED(FSR_HOST) NAMED(FSR_DEVICE)
    NAMED(sizeof(fsr_node)) NAMED(sizeof(fsr_site)) NAMED(sizeof(fsr_value)) NAMED(sizeof(fsr_c64)) NAMED(sizeof(fsr_c128))
    NAMED(sizeof(fsr_name)) NAMED(sizeof(fsr_arg)) NAMED(sizeof(fsr_plan_value)) NAMED(sizeof(fsr_config)) NAMED(sizeof(fsr_stats))
    NAMED(sizeof(fsr_plan_info)) NAMED(sizeof(fsr_verify_report)) NAMED(sizeof(fsr_operator)) NAMED(sizeof(fsr_loop))
    NAMED(sizeof(fsr_kernel_profile)) NAMED(sizeof(fsr_function)) NAMED(sizeof(fsr_native)) NAMED(sizeof(fsr_callee))
    NAMED(sizeof(fsr_frame_array)) NAMED(sizeof(fsr_call_frame)) NAMED(sizeof(fsr_tune_report)) NAMED(sizeof(fsr_kernel_param)) NAMED(sizeof(fsr_kernel_code)) NAMED(sizeof(fsr_csr)) NAMED(sizeof(fsr_allocator))
    /* clang-format on */
};

enum { CONSTANTS = sizeof constants / sizeof *constants };

bool fsr_constant(const char *name, int64_t *value) {
    for (int i = 0; name && value && i < CONSTANTS; i++)
        if (!strcmp(constants[i].name, name)) {
            *value = constants[i].value;
            return true;
        }
    return false;
}

const char *fsr_constant_name(int i) {
    return i >= 0 && i < CONSTANTS ? constants[i].name : NULL;
}

fsr_dtype fsr_dtype_from_name(const char *name) {
    for (int d = 0; name && d < FSR_DTYPE_COUNT; d++)
        if (!strcmp(fsr_dtype_name((fsr_dtype)d), name))
            return (fsr_dtype)d;
    return FSR_DTYPE_COUNT;
}

const char *fsr_op_name(int i) {
    return i >= 0 && i < FSR_OP_COUNT ? fsr_op_get((fsr_op)i)->name : NULL;
}

int fsr_op_arity(const char *name) {
    const fsr_op op = name ? fsr_op_find(name) : FSR_OP_COUNT;
    return op == FSR_OP_COUNT ? 0 : fsr_op_get(op)->arity;
}

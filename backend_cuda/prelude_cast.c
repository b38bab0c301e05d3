/* Conversions in generated CUDA: one function for each pair of dtypes that a kernel mentions.
 *
 * To integers from floats they truncate and saturate, NaN gives 0; from integers they wrap. The comparisons come before
 * the conversion, which is undefined out of range. Counter-example to leaving it to the machine: cvt saturates, but the
 * compiler may fold a constant operand by other rules. */
#include "backend_cuda/emit.h"
#include "backend_cuda/prelude.h"
#include <stdio.h>

enum { NAME = 32, LINE = 256 };

/* The largest value of an integer dtype as CUDA text, and the power of two just above it. */
static int highest(fsr_dtype to, char text[FSR_REF]) {
    fsr_emit_literal(text, to, fsr_op_identity(FSR_OP_MINIMUM, to));
    return 8 * (int)fsr_dtype_size(to) - (fsr_dtype_is_unsigned(to) ? 0 : 1);
}

static void saturating(char text[LINE], fsr_dtype from, fsr_dtype to) {
    const char *type = fsr_emit_type(to), *f = from == FSR_F32 ? "f" : "";
    char most[FSR_REF];
    int power = highest(to, most);
    if (fsr_dtype_size(to) == 1 && fsr_dtype_is_unsigned(to))
        snprintf(text, LINE, "x >= %s ? %s : x > 0 ? (%s)x : 0", most, most, type);
    else if (fsr_dtype_is_unsigned(to))
        snprintf(text, LINE, "x >= 0x1p+%d%s ? %s : x > 0 ? (%s)x : 0", power, f, most, type);
    else
        snprintf(text, LINE, "x >= 0x1p+%d%s ? %s : x >= -0x1p+%d%s ? (%s)x : x != x ? 0 : -%s - 1", power, f, most,
                 power, f, type, most);
}

static void conversion(char text[LINE], fsr_dtype from, fsr_dtype to) {
    if (to == FSR_BOOL)
        snprintf(text, LINE, "x != 0");
    else if (from == to)
        snprintf(text, LINE, "x");
    else if (fsr_dtype_is_float(from) && !fsr_dtype_is_float(to))
        saturating(text, from, to);
    else
        snprintf(text, LINE, "(%s)x", fsr_emit_type(to));
}

void fsr_prelude_casts(fsr_text *out, const char *body) {
    char name[NAME], text[LINE];
    for (int from = 0; from < FSR_DTYPE_COUNT; from++)
        for (int to = 0; to < FSR_DTYPE_COUNT; to++) {
            snprintf(name, sizeof name, "fsr_%s_to_%s", fsr_dtype_name((fsr_dtype)from), fsr_dtype_name((fsr_dtype)to));
            if (!fsr_mentions(body, name))
                continue;
            conversion(text, (fsr_dtype)from, (fsr_dtype)to);
            fsr_text_add(out, "static inline %s %s(%s x) { return %s; }\n", fsr_emit_type((fsr_dtype)to), name,
                         fsr_emit_type((fsr_dtype)from), text);
        }
}

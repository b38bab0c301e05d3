/* SPDX-License-Identifier: MIT */
/* Conversions in generated CUDA: one function for each pair of dtypes that a kernel mentions.
 *
 * To integers from floats they truncate and saturate, NaN gives 0; from integers they wrap. Of 32 and 64 bits the
 * machine's instruction saturates, and makes of NaN 0 from f32 to 32 bits; a compiler is not asked to convert there, as
 * it may fold a constant operand by other rules. To narrower ones comparisons come before the conversion, which is
 * undefined out of range. Counter-example to comparisons for all: with them the bin of an element took half as many
 * instructions more. */
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
    const char *type = fsr_emit_type(to), *f = from == FSR_F64 ? "" : "f";
    char most[FSR_REF];
    int power = highest(to, most);
    if (fsr_dtype_size(to) >= 4)
        snprintf(text, LINE, "%sfsr_chop_%s(x)", from == FSR_F64 || fsr_dtype_size(to) == 8 ? "x != x ? 0 : " : "",
                 fsr_dtype_name(to));
    else if (fsr_dtype_size(to) == 1 && fsr_dtype_is_unsigned(to))
        snprintf(text, LINE, "x >= %s ? %s : x > 0 ? (%s)x : 0", most, most, type);
    else if (fsr_dtype_is_unsigned(to))
        snprintf(text, LINE, "x >= 0x1p+%d%s ? %s : x > 0 ? (%s)x : 0", power, f, most, type);
    else
        snprintf(text, LINE, "x >= 0x1p+%d%s ? %s : x >= -0x1p+%d%s ? (%s)x : x != x ? 0 : -%s - 1", power, f, most,
                 power, f, type, most);
}

/* To f16 or bf16, rounded once. */
static void rounding(char text[LINE], fsr_dtype from, fsr_dtype to) {
    const char *name = fsr_dtype_name(to);
    if (from == FSR_I64 || from == FSR_U64)
        snprintf(text, LINE, "fsr_%s_round(fsr_odd(fsr_far_%s(x)))", name, fsr_dtype_name(from));
    else if (from == FSR_F64 || from == FSR_I32 || from == FSR_U32)
        snprintf(text, LINE, "fsr_%s_round(fsr_odd((f64)x))", name);
    else
        snprintf(text, LINE, "fsr_%s_round((f32)x)", name);
}

static void conversion(char text[LINE], fsr_dtype from, fsr_dtype to) {
    if (to == FSR_BOOL)
        snprintf(text, LINE, "x != 0");
    else if (from == to)
        snprintf(text, LINE, "x");
    else if (fsr_dtype_is_half(to))
        rounding(text, from, to);
    else if (fsr_dtype_is_float(from) && !fsr_dtype_is_float(to))
        saturating(text, from, to);
    else
        snprintf(text, LINE, "(%s)x", fsr_emit_type(to));
}

/* What comes as f16 or bf16 goes on as f32. */
static void put(fsr_text *out, const char *name, const char *text, fsr_dtype from, fsr_dtype to) {
    const char *result = fsr_emit_type(to), *type = fsr_emit_type(from);
    fsr_text_add(out, "static inline %s %s(%s ", result, name, type);
    if (fsr_dtype_is_half(from) && from != to)
        fsr_text_add(out, "bits) { const f32 x = fsr_%s_value(bits); return %s; }\n", type, text);
    else
        fsr_text_add(out, "x) { return %s; }\n", text);
}

/* The body of a conversion of z: of its parts. */
static void complex_conversion(char text[2 * LINE], fsr_dtype from, fsr_dtype to) {
    const char *type = fsr_emit_type(to), *part = fsr_emit_type(fsr_dtype_real(to));
    char real[LINE];
    conversion(real, fsr_dtype_real(from), fsr_dtype_real(to));
    if (to == FSR_BOOL)
        snprintf(text, 2 * LINE, "return z.re != 0 || z.im != 0;");
    else if (fsr_dtype_is_complex(from) && fsr_dtype_is_complex(to))
        snprintf(text, 2 * LINE, "return %s{(%s)z.re, (%s)z.im};", type, part, part);
    else if (fsr_dtype_is_complex(from))
        snprintf(text, 2 * LINE, "const %s x = z.re; return %s;", fsr_emit_type(fsr_dtype_real(from)), real);
    else if (fsr_dtype_is_half(from))
        snprintf(text, 2 * LINE, "const f32 x = fsr_%s_value(z); return %s{%s, 0};", fsr_emit_type(from), type, real);
    else
        snprintf(text, 2 * LINE, "const %s x = z; return %s{%s, 0};", fsr_emit_type(from), type, real);
}

void fsr_prelude_casts(fsr_text *out, const char *body) {
    char name[NAME], text[2 * LINE];
    for (int from = 0; from < FSR_DTYPE_COUNT; from++)
        for (int to = 0; to < FSR_DTYPE_COUNT; to++) {
            snprintf(name, sizeof name, "fsr_%s_to_%s", fsr_dtype_name((fsr_dtype)from), fsr_dtype_name((fsr_dtype)to));
            if (!fsr_text_mentions(body, name))
                continue;
            if (fsr_dtype_is_complex((fsr_dtype)from) || fsr_dtype_is_complex((fsr_dtype)to)) {
                complex_conversion(text, (fsr_dtype)from, (fsr_dtype)to);
                fsr_text_add(out, "static inline %s %s(%s z) { %s }\n", fsr_emit_type((fsr_dtype)to), name,
                             fsr_emit_type((fsr_dtype)from), text);
                continue;
            }
            conversion(text, (fsr_dtype)from, (fsr_dtype)to);
            put(out, name, text, (fsr_dtype)from, (fsr_dtype)to);
        }
}

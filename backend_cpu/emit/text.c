/* SPDX-License-Identifier: MIT */
/* Lines, literals, op texts and the prelude of generated C.
 *
 * Floats are printed from their bits: printf's %a would take the decimal point from the process's locale. */
#include "backend_cpu/emit/parts.h"
#include "runtime/source.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void put_line(fsr_c_emit *e, const char *text) {
    fsr_text_add(&e->body, "%*s%s\n", 4 * e->depth, "", text);
}

/* The beginning of a line, of whatever length; true if the format has added something. */
static bool begin_line(fsr_c_emit *e, const char *before, const char *format, va_list args) {
    fsr_text_add(&e->body, "%*s%s", 4 * e->depth, "", before);
    const size_t start = e->body.size;
    fsr_text_add_list(&e->body, format, args);
    return e->body.size > start;
}

void fsr_c_line(fsr_c_emit *e, const char *format, ...) {
    va_list args;
    va_start(args, format);
    begin_line(e, "", format, args);
    fsr_text_add(&e->body, "\n");
    va_end(args);
}

void fsr_c_text(fsr_c_emit *e, const char *before, const char *text, const char *behind) {
    fsr_text_add(&e->body, "%*s%s%s%s\n", 4 * e->depth, "", before, text, behind);
}

void fsr_c_begin(fsr_c_emit *e, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fsr_text_add(&e->body, begin_line(e, "", format, args) ? " {\n" : "{\n");
    va_end(args);
    e->depth++;
}

/* Out of a block, and of what stands there. */
static void leave(fsr_c_emit *e) {
    e->depth--;
    fsr_source_leave(&e->calls, e->depth);
}

void fsr_c_end(fsr_c_emit *e) {
    leave(e);
    put_line(e, "}");
}

void fsr_c_else(fsr_c_emit *e) {
    leave(e);
    put_line(e, "} else {");
    e->depth++;
}

void fsr_c_else_if(fsr_c_emit *e, const char *format, ...) {
    va_list args;
    leave(e);
    va_start(args, format);
    begin_line(e, "} else if (", format, args);
    fsr_text_add(&e->body, ") {\n");
    va_end(args);
    e->depth++;
}

void fsr_c_rows_begin(fsr_c_emit *e) {
    if (e->s->tall)
        fsr_c_begin(e, "for (i64 l = 0; l < h; ++l)");
    if (e->abreast)
        fsr_c_begin(e, e->cut_rows ? "for (i64 j = j0; j < j1; ++j)" : "for (i64 j = 0; j < m; ++j)");
}

void fsr_c_rows_end(fsr_c_emit *e) {
    if (e->abreast)
        fsr_c_end(e);
    if (e->s->tall)
        fsr_c_end(e);
}

const char *fsr_c_type(fsr_dtype dtype) {
    return dtype == FSR_BOOL ? "u8" : fsr_dtype_is_half(dtype) ? "f32" : fsr_dtype_name(dtype);
}

bool fsr_c_single(fsr_dtype dtype) {
    return dtype == FSR_F32 || fsr_dtype_is_half(dtype);
}

const char *fsr_c_integer(fsr_c_emit *e, int slot, char *out) {
    e->named[slot] = true;
    if (slot == FSR_INT_ROWS || slot == FSR_INT_COLS)
        snprintf(out, FSR_EMIT_NAME, "%s", slot == FSR_INT_ROWS ? "rows" : "cols");
    else if (slot >= FSR_INT_EXTENT && slot < FSR_INT_EXTENT + e->k->ndim)
        snprintf(out, FSR_EMIT_NAME, "d%d", slot - FSR_INT_EXTENT);
    else
        snprintf(out, FSR_EMIT_NAME, "n%d", slot);
    return out;
}

/* A finite double as a hexadecimal constant: 0x1.8p+1. */
static void put_hex(fsr_text *to, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    int exponent = (int)(bits >> 52 & 0x7ff);
    char digits[16];
    int n = snprintf(digits, sizeof digits, "%013llx", (unsigned long long)fraction);
    while (n > 0 && digits[n - 1] == '0')
        digits[--n] = 0;
    fsr_text_add(to, "%s0x%d%s%sp%+d", bits >> 63 ? "-" : "", exponent ? 1 : 0, n ? "." : "", digits,
                 exponent ? exponent - 1023 : -1022);
}

/* Whole numbers of a few digits read better in decimal, and are as exact. */
static void put_finite(fsr_text *to, double x) {
    if (x == floor(x) && fabs(x) < 1e6 && !(x == 0 && signbit(x)))
        fsr_text_add(to, "%d.0", (int)x);
    else if (x == 0)
        fsr_text_add(to, "-0.0");
    else
        put_hex(to, x);
}

static void put_nan(fsr_text *to, fsr_dtype dtype, fsr_value value) {
    bool single = dtype == FSR_F32;
    uint64_t payload = single ? value.bits & 0x3fffff : value.bits & ((UINT64_C(1) << 51) - 1);
    bool negative = single ? value.bits >> 31 & 1 : value.bits >> 63;
    fsr_text_add(to, "%s__builtin_nan%s(\"0x%llx\")", negative ? "-" : "", single ? "f" : "",
                 (unsigned long long)payload);
}

static void put_float(fsr_text *to, fsr_dtype dtype, fsr_value value) {
    if (fsr_dtype_is_half(dtype)) {
        value = fsr_value_cast(FSR_F32, dtype, value);
        dtype = FSR_F32;
    }
    double x = dtype == FSR_F32 ? (double)value.f32 : value.f64;
    const char *suffix = dtype == FSR_F32 ? "f" : "";
    if (isnan(x)) {
        put_nan(to, dtype, value);
    } else if (isinf(x)) {
        fsr_text_add(to, "%s__builtin_inf%s()", x < 0 ? "-" : "", suffix);
    } else {
        put_finite(to, x);
        fsr_text_add(to, "%s", suffix);
    }
}

static void put_complex(fsr_text *to, fsr_dtype dtype, fsr_value value) {
    const fsr_dtype real = fsr_dtype_real(dtype);
    fsr_value re, im;
    fsr_value_parts(dtype, value, &re, &im);
    fsr_text_add(to, "(%s){", fsr_c_type(dtype));
    fsr_c_literal(to, real, re);
    fsr_text_add(to, ", ");
    fsr_c_literal(to, real, im);
    fsr_text_add(to, "}");
}

void fsr_c_literal(fsr_text *to, fsr_dtype dtype, fsr_value value) {
    if (fsr_dtype_is_complex(dtype)) {
        put_complex(to, dtype, value);
        return;
    }
    if (fsr_dtype_is_float(dtype))
        put_float(to, dtype, value);
    else if (dtype == FSR_I64 && value.i64 == INT64_MIN)
        fsr_text_add(to, "(-9223372036854775807 - 1)");
    else if (dtype == FSR_I32 && value.i32 == INT32_MIN)
        fsr_text_add(to, "(-2147483647 - 1)");
    else if (fsr_dtype_is_unsigned(dtype))
        fsr_text_add(to, "%llu%s", (unsigned long long)value.bits, fsr_dtype_size(dtype) < 4 ? "" : "u");
    else
        fsr_text_add(to, "%lld", (long long)fsr_value_cast(FSR_I64, dtype, value).i64);
}

/* The name of the function that ends at `end`, with its suffix. */
static void function_name(const char *start, const char *end, fsr_dtype dtype, char *out, size_t size) {
    const char *p = end;
    while (p > start && ((p[-1] >= 'a' && p[-1] <= 'z') || (p[-1] >= '0' && p[-1] <= '9') || p[-1] == '_'))
        p--;
    snprintf(out, size, "%.*s%s", (int)(end - p), p, fsr_c_single(dtype) ? "f" : "");
}

/* Remembers the function whose name ends at `end` (its suffix not yet included). Returns what its name goes on with. */
static const char *note_function(fsr_c_emit *e, const char *start, const char *end, int arity, fsr_dtype dtype) {
    fsr_c_function f = {.arity = arity, .dtype = dtype};
    const char *suffix = fsr_c_single(dtype) ? "f" : "";
    function_name(start, end, dtype, f.name, sizeof f.name);
    int math = fsr_c_math_find(f.name);
    if (math >= 0) {
        e->math[math] = true;
        if (e->near || !fsr_c_math_limit(math))
            return suffix;
        return fsr_c_single(dtype) ? "f_any" : "_any";
    }
    for (int i = 0; i < e->nlibm; i++)
        if (strcmp(e->libm[i].name, f.name) == 0)
            return suffix;
    if (e->nlibm < FSR_EMIT_LIBM)
        e->libm[e->nlibm++] = f;
    else
        e->body.failed = true;
    return suffix;
}

/* Remembers the function whose name, without a suffix, ends at `end`. */
static void note_whole(fsr_c_emit *e, const char *start, const char *end, fsr_dtype dtype) {
    char name[sizeof((fsr_c_function *)0)->name];
    if (fsr_dtype_is_float(dtype))
        return;
    function_name(start, end, dtype, name, sizeof name);
    int math = fsr_c_math_find(name);
    if (math >= 0)
        e->math[math] = true;
}

const char *fsr_c_op_limit(fsr_op op, fsr_dtype compute) {
    const char *text = fsr_op_get(op)->c[fsr_dtype_class(compute)], *end = text ? strchr(text, '@') : NULL;
    char name[sizeof((fsr_c_function *)0)->name];
    if (text && fsr_dtype_is_complex(compute))
        return fsr_c_complex_far(text, compute);
    if (!end)
        return NULL;
    function_name(text, end, compute, name, sizeof name);
    int math = fsr_c_math_find(name);
    return math < 0 ? NULL : fsr_c_math_limit(math);
}

static const char *placeholder(char letter, fsr_dtype compute, fsr_dtype result, const char *const *arg) {
    switch (letter) {
    case 'a':
    case 'b':
    case 'c': return arg[letter - 'a'];
    case 'T': return fsr_c_type(compute);
    default: return fsr_source_word(letter, compute, result);
    }
}

/* A conversion of complex numbers is made of one of real numbers, which stands before it in the text. */
static void note_cast(fsr_c_emit *e, fsr_dtype from, fsr_dtype dest) {
    e->cast[from][dest] = e->half[dest] = e->half[fsr_dtype_real(dest)] = true;
    if ((fsr_dtype_is_complex(from) || fsr_dtype_is_complex(dest)) && dest != FSR_BOOL)
        e->cast[fsr_dtype_real(from)][fsr_dtype_real(dest)] = true;
}

/* Remembers what an op's text calls of complex functions. Returns what their names go on with. */
static const char *note_complex(fsr_c_emit *e, const char *text, fsr_dtype compute) {
    if (!fsr_dtype_is_complex(compute))
        return "";
    e->complex_math |= fsr_c_complex_find(text, compute);
    return !e->near && fsr_c_complex_far(text, compute) ? "_any" : "";
}

void fsr_c_op(fsr_c_emit *e, fsr_text *to, fsr_op op, fsr_dtype compute, fsr_dtype result, const char *const *arg) {
    const fsr_op_info *info = fsr_op_get(op);
    const char *text = info->c[fsr_dtype_class(compute)];
    if (!text) {
        to->failed = true;
        return;
    }
    const bool rounds = fsr_op_rounds_half(op, result) && !e->packing;
    if (info->rule == FSR_RULE_CAST)
        note_cast(e, compute, result);
    if (rounds)
        fsr_text_add(to, "%s", fsr_c_round(e, result));
    const char *any = note_complex(e, text, compute);
    for (const char *p = text; *p; p++) {
        const char *put = *p == '$' ? placeholder(p[1], compute, result, arg) : NULL;
        if (put) {
            fsr_text_raw(to, put, strlen(put));
            p++;
        } else if (*p == '(') {
            note_whole(e, text, p, compute);
            fsr_text_add(to, "%s(", any);
        } else if (*p == '@') {
            const char *suffix = note_function(e, text, p, info->arity, compute);
            fsr_text_raw(to, suffix, strlen(suffix));
        } else {
            fsr_text_raw(to, p, 1);
        }
    }
    if (rounds)
        fsr_text_add(to, "%s", fsr_c_close(result));
}

/* float -> integer: truncates, saturates, NaN gives 0 (it fails every comparison). Small integers are reached through
 * i32, which vectors convert to directly. */
static void put_saturating(fsr_text *to, fsr_dtype from, fsr_dtype dest) {
    const char *f = fsr_c_single(from) ? "f" : "", *type = fsr_c_type(dest);
    const char *by = fsr_dtype_size(dest) < 4 ? "(i32)" : "";
    int power = 8 * (int)fsr_dtype_size(dest) - !fsr_dtype_is_unsigned(dest);
    fsr_value least = fsr_op_identity(FSR_OP_MAXIMUM, dest), most = fsr_op_identity(FSR_OP_MINIMUM, dest);
    fsr_text_add(to, "a >= 0x1p%d%s ? ", power, f);
    fsr_c_literal(to, dest, most);
    if (fsr_dtype_is_unsigned(dest)) {
        fsr_text_add(to, " : a > 0.0%s ? (%s)%sa : 0", f, type, by);
        return;
    }
    fsr_text_add(to, " : a >= -0x1p%d%s ? (%s)%sa : a < 0 ? ", power, f, type, by);
    fsr_c_literal(to, dest, least);
    fsr_text_add(to, " : 0");
}

static void put_complex_cast(fsr_text *to, fsr_dtype from, fsr_dtype dest) {
    const char *real = fsr_dtype_name(fsr_dtype_real(from)), *part = fsr_dtype_name(fsr_dtype_real(dest));
    const bool parts = fsr_dtype_is_complex(from);
    if (dest == FSR_BOOL)
        fsr_text_add(to, "(a.re != 0) | (a.im != 0)");
    else if (!fsr_dtype_is_complex(dest))
        fsr_text_add(to, "fsr_%s_to_%s(a.re)", real, part);
    else if (parts)
        fsr_text_add(to, "(%s){fsr_%s_to_%s(a.re), fsr_%s_to_%s(a.im)}", fsr_c_type(dest), real, part, real, part);
    else
        fsr_text_add(to, "(%s){fsr_%s_to_%s(a), 0}", fsr_c_type(dest), real, part);
}

/* A mask that becomes a float is a choice, which vectors make of what compared: as a byte it is packed and unpacked
 * again. x * (x > y) of 2.7 million f32 took 2.8 ms of one thread, and takes 1.1 (AVX2). */
static void put_cast(fsr_text *to, fsr_dtype from, fsr_dtype dest) {
    fsr_text_add(to, "static inline %s fsr_%s_to_%s(const %s a) {\n", fsr_c_type(dest), fsr_dtype_name(from),
                 fsr_dtype_name(dest), fsr_c_type(from));
    if (fsr_c_whole_is(from, dest)) {
        fsr_c_whole_cast(to, from, dest);
        fsr_text_add(to, "}\n");
        return;
    }
    fsr_text_add(to, "    return ");
    if (fsr_dtype_is_complex(from) || fsr_dtype_is_complex(dest))
        put_complex_cast(to, from, dest);
    else if (dest == FSR_BOOL)
        fsr_text_add(to, "a != 0");
    else if (from == FSR_BOOL && (dest == FSR_F32 || dest == FSR_F64))
        fsr_text_add(to, "a ? 1.0%s : 0.0%s", fsr_c_single(dest) ? "f" : "", fsr_c_single(dest) ? "f" : "");
    else if (fsr_dtype_is_half(dest) && dest != from)
        fsr_c_half_cast(to, from, dest);
    else if (fsr_dtype_is_float(from) && !fsr_dtype_is_float(dest))
        put_saturating(to, from, dest);
    else
        fsr_text_add(to, "(%s)a", fsr_c_type(dest));
    fsr_text_add(to, ";\n}\n");
}

static void put_libm(fsr_text *to, const fsr_c_function *f) {
    const char *type = fsr_c_type(f->dtype);
    fsr_text_add(to, "%s %s(%s", type, f->name, type);
    for (int i = 1; i < f->arity; i++)
        fsr_text_add(to, ", %s", type);
    fsr_text_add(to, ");\n");
}

void fsr_c_math_used(const fsr_c_emit *e, bool *math) {
    memcpy(math, e->math, sizeof e->math);
    fsr_c_complex_math(fsr_c_complex_all(e->complex_math), math);
}

static void put_math(const fsr_c_emit *e, fsr_text *to) {
    bool math[FSR_C_MATH_MAX];
    fsr_c_math_used(e, math);
    fsr_c_math_put(to, math);
    fsr_c_complex_put(to, fsr_c_complex_all(e->complex_math));
}

void fsr_c_prelude(const fsr_c_emit *e, fsr_text *to) {
    fsr_text_add(to, "typedef signed char i8;\n"
                     "typedef unsigned char u8;\n"
                     "typedef short i16;\n"
                     "typedef unsigned short u16;\n"
                     "typedef int i32;\n"
                     "typedef unsigned int u32;\n"
                     "typedef __INT64_TYPE__ i64;\n"
                     "typedef __UINT64_TYPE__ u64;\n"
                     "typedef float f32;\n"
                     "typedef double f64;\n"
                     "typedef struct { f32 re, im; } c64;\n"
                     "typedef struct { f64 re, im; } c128;\n"
                     "typedef union { u8 b, u8; i8 i8; i16 i16; u16 u16; i32 i32; u32 u32; i64 i64; u64 u64; u16 f16, "
                     "bf16; f32 f32; "
                     "f64 f64; c64 c64; c128 c128; } scalar;\n\n");
    for (int i = 0; i < e->nlibm; i++)
        put_libm(to, &e->libm[i]);
    if (e->nlibm)
        fsr_text_add(to, "\n");
    fsr_c_choice_put(e, to);
    fsr_c_nothing_put(e, to);
    fsr_c_half_put(e, to);
    fsr_c_twin_put(e, to);
    fsr_c_quotient_functions(e, to);
    fsr_c_inside_functions(e, to);
    put_math(e, to);
    fsr_c_fitting_put(e, to);
    for (int s = 0; s < FSR_DTYPE_COUNT; s++)
        for (int d = 0; d < FSR_DTYPE_COUNT; d++)
            if (e->cast[s][d]) {
                put_cast(to, (fsr_dtype)s, (fsr_dtype)d);
                fsr_text_add(to, "\n");
            }
}

/* SPDX-License-Identifier: MIT */
/* The words of the text form: what escapes, strings, numbers. */
#include "graph/number.h"
#include "graph/print.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

enum { SHORT = 10000 };

static void write_char(fsr_writer *w, char c) {
    bool special = w->escape && (c == '"' || c == '\\' || c == '\n');
    if (special)
        fputc('\\', w->to);
    fputc(special && c == '\n' ? 'n' : c, w->to);
}

void fsr_write(fsr_writer *w, const char *text) {
    if (!w->escape)
        fputs(text, w->to);
    for (; w->escape && *text; text++)
        write_char(w, *text);
}

void fsr_write_piece(fsr_writer *w, const char *format, ...) {
    char text[128];
    va_list args;
    va_start(args, format);
    if (w->escape)
        vsnprintf(text, sizeof text, format, args);
    else
        fsr_fput_list(w->to, format, args);
    va_end(args);
    if (w->escape)
        fsr_write(w, text);
}

void fsr_write_string(fsr_writer *w, const char *text) {
    fsr_write(w, "\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            write_char(w, '\\');
        fsr_write(w, *text == '\n' ? "\\n" : (char[]){*text, 0});
    }
    fsr_write(w, "\"");
}

/* A whole number of few digits, as any precision has it. */
static bool is_short(double number) {
    return number > -SHORT && number < SHORT && (double)(int)number == number && (number != 0 || !signbit(number));
}

static void write_float(fsr_writer *w, fsr_dtype dtype, fsr_value value, double number) {
    fsr_value plain = fsr_value_from_double(dtype, NAN);
    if (is_short(number))
        fsr_write_piece(w, "%d", (int)number);
    else if (isnan(number) && value.bits != plain.bits)
        fsr_write_piece(w, "nan:%" PRIx64, value.bits);
    else if (isnan(number))
        fsr_write(w, "nan");
    else if (isinf(number))
        fsr_write(w, number > 0 ? "inf" : "-inf");
    else
        fsr_write(w, fsr_number_of('g', fsr_dtype_is_half(dtype) ? 5 : dtype == FSR_F32 ? 9 : 17, number).text);
}

/* The parts, in parentheses: (1,-2). */
static void write_complex(fsr_writer *w, fsr_dtype dtype, fsr_value value) {
    fsr_value re, im;
    fsr_value_parts(dtype, value, &re, &im);
    fsr_write(w, "(");
    fsr_write_value(w, fsr_dtype_real(dtype), re);
    fsr_write(w, ",");
    fsr_write_value(w, fsr_dtype_real(dtype), im);
    fsr_write(w, ")");
}

void fsr_write_value(fsr_writer *w, fsr_dtype dtype, fsr_value value) {
    if (fsr_dtype_is_complex(dtype))
        write_complex(w, dtype, value);
    else if (fsr_dtype_is_float(dtype))
        write_float(w, dtype, value, fsr_value_to_double(dtype, value));
    else if (dtype == FSR_U64)
        fsr_write_piece(w, "%" PRIu64, value.u64);
    else
        fsr_write_piece(w, "%" PRId64, fsr_value_cast(FSR_I64, dtype, value).i64);
}

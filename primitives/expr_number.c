/* SPDX-License-Identifier: MIT */
/* Numbers of an expression: decimal ones as the text form reads them, whatever the locale of the program; 2j, an
 * imaginary one; and 0x1f, 0b101, 0o17.
 *
 * A whole number is a weak i64. A hexadecimal, binary or octal one of the 64th bit is a u64, as in C, and not weak:
 * masks and multipliers of hashes are written so. Counter-example to weak ones of any size: x * 0xffffffffffffffff with
 * x of i32 would have to be refused, or be another number. */
#include "primitives/expr.h"
#include "primitives/parse_lex.h"
#include <string.h>

enum { MAX_NUMBER = 40 };

static int digit_of(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    const char low = (char)(c | 0x20);
    return low >= 'a' && low <= 'f' ? low - 'a' + 10 : 16;
}

/* 16, 8 or 2, as the two characters at s say; 0: neither. */
static int base_of(const char *s) {
    const char low = (char)(*s == '0' ? s[1] | 0x20 : 0);
    return low == 'x' ? 16 : low == 'o' ? 8 : low == 'b' ? 2 : 0;
}

size_t fsr_based_size(const char *s) {
    const int base = base_of(s);
    size_t size = 2;
    while (base && digit_of(s[size]) < base)
        size++;
    return size > 2 ? size : 0;
}

static fsr_node based(fsr_reading *r, const fsr_token *t) {
    uint64_t value = 0;
    for (int i = 2; i < t->size; i++)
        if (__builtin_mul_overflow(value, (uint64_t)base_of(t->at), &value) ||
            __builtin_add_overflow(value, (uint64_t)digit_of(t->at[i]), &value))
            return fsr_reading_fail(r, t->at, FSR_ERR_VALUE, "the number does not fit u64");
    fsr_token_next(r);
    if (value > INT64_MAX)
        return fsr_reading_built(r, t->at, fsr_literal(r->g, r->at, FSR_U64, (fsr_value){.u64 = value}, false));
    return fsr_reading_built(r, t->at, fsr_int_at(r->at, r->g, (int64_t)value));
}

fsr_node fsr_read_number(fsr_reading *r) {
    char digits[MAX_NUMBER + 1] = "";
    fsr_value value;
    fsr_token t = r->token;
    fsr_lex lex = {digits, digits, 1, FSR_OK, NULL};
    if (fsr_based_size(t.at))
        return based(r, &t);
    if (t.size > MAX_NUMBER)
        return fsr_reading_fail(r, t.at, FSR_ERR_FORMAT, "the number has more than %d characters", MAX_NUMBER);
    for (int i = 0; i < t.size; i++)
        digits[i] = t.at[i] == 'E' ? 'e' : t.at[i];
    bool imaginary = t.size > 0 && digits[t.size - 1] == 'j';
    digits[t.size - imaginary] = 0;
    bool whole = !imaginary && !strpbrk(digits, ".e");
    if (whole && digits[0] == '0' && digits[1])
        return fsr_reading_fail(r, t.at, FSR_ERR_FORMAT, "a whole number does not begin with 0");
    if (!fsr_lex_value(&lex, whole ? FSR_I64 : FSR_F64, &value))
        return fsr_reading_fail(r, t.at, FSR_ERR_VALUE, "the number does not fit %s", whole ? "i64" : "f64");
    fsr_token_next(r);
    if (imaginary)
        return fsr_reading_built(r, t.at, fsr_complex_at(r->at, r->g, 0, value.f64));
    return fsr_reading_built(r, t.at,
                             whole ? fsr_int_at(r->at, r->g, value.i64) : fsr_float_at(r->at, r->g, value.f64));
}

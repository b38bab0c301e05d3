/* SPDX-License-Identifier: MIT */
/* The signature of a row function: "(m,n),(n)->(m)".
 *
 *     signature = list "->" list      list = core { "," core }      core = "(" [ dim { "," dim } ] ")"
 *     dim = NAME | extent
 * Names are C's identifiers; blanks mean nothing. As NumPy's generalized ufuncs, without its "?" and "|1". */
#include "primitives/primitives.h"
#include <stdlib.h>
#include <string.h>

typedef struct reading {
    const char *text, *at;
    const char *wrong;
    fsr_signature *s;
} reading;

/* As in every locale. */
#define BLANKS " \t\n\v\f\r"
#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

static bool fail(reading *r, const char *wrong) {
    if (!r->wrong)
        r->wrong = wrong;
    return false;
}

static bool next_is(reading *r, char c) {
    r->at += strspn(r->at, BLANKS);
    return *r->at == c;
}

static bool take(reading *r, char c) {
    bool there = !r->wrong && next_is(r, c);
    r->at += there;
    return there;
}

static int name_number(reading *r, int size) {
    fsr_signature *s = r->s;
    for (int i = 0; i < s->nnames; i++)
        if (s->name_size[i] == size && !memcmp(s->name[i], r->at, (size_t)size))
            return i;
    if (s->nnames == FSR_MAX_NAMES)
        return -1;
    s->name[s->nnames] = r->at;
    s->name_size[s->nnames] = size;
    return s->nnames++;
}

static bool read_extent(reading *r, fsr_core *core) {
    int64_t extent = 0;
    for (; *r->at && strchr(DIGITS, *r->at); r->at++)
        if (__builtin_mul_overflow(extent, 10, &extent) || __builtin_add_overflow(extent, *r->at - '0', &extent))
            return fail(r, "the extent is too large");
    core->name[core->ndim] = -1;
    core->extent[core->ndim++] = extent;
    return true;
}

static bool read_dim(reading *r, fsr_core *core) {
    if (core->ndim == FSR_MAX_DIMS)
        return fail(r, "too many core dimensions");
    next_is(r, 0);
    if (*r->at && strchr(DIGITS, *r->at))
        return read_extent(r, core);
    const int size = (int)strspn(r->at, DIGITS LETTERS);
    if (size == 0)
        return fail(r, "a name or an extent is expected");
    int number = name_number(r, size);
    if (number < 0)
        return fail(r, "too many names");
    core->name[core->ndim++] = (int8_t)number;
    r->at += size;
    return true;
}

static bool read_core(reading *r, fsr_core *core) {
    if (!take(r, '('))
        return fail(r, "\"(\" is expected");
    if (take(r, ')'))
        return true;
    do {
        if (!read_dim(r, core))
            return false;
    } while (take(r, ','));
    return take(r, ')') || fail(r, "\",\" or \")\" is expected");
}

/* A list of cores from core[0] on; their number. */
static int read_list(reading *r, fsr_core *core) {
    int n = 0;
    do {
        if (n == FSR_MAX_CORE) {
            fail(r, "too many operands or results");
            return n;
        }
        if (!read_core(r, &core[n++]))
            return n;
    } while (take(r, ','));
    return n;
}

const char *fsr_signature_read(fsr_signature *s, const char *text, int *column) {
    reading r = {.text = text, .at = text, .s = s};
    memset(s, 0, sizeof *s);
    s->nin = read_list(&r, s->core);
    if (!(take(&r, '-') && take(&r, '>')))
        fail(&r, "\"->\" is expected");
    if (!r.wrong)
        s->nout = read_list(&r, s->core + s->nin);
    if (!r.wrong && !next_is(&r, 0))
        fail(&r, "nothing more is expected");
    *column = (int)(r.at - text) + 1;
    return r.wrong;
}

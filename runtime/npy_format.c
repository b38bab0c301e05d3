/* SPDX-License-Identifier: MIT */
/* Reading .npy headers.
 *
 * The text is Python, but NumPy only ever writes one form of it: a recursive-descent reader of that form takes any
 * order of keys, both quotes, free white space and trailing commas, and nothing else.
 * The naive way, sscanf on what NumPy usually writes, fails on the first file from another writer, and trusts lengths:
 * here every read is checked against the end, every product against overflow. */
#include "runtime/npy_format.h"
#include "graph/shape.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PREAMBLE_MAX 12    /* magic, version, longest length */
#define TEXT_MAX (1 << 20) /* NumPy's own limit is far lower (10,000) */

/* A position in the header; begin is the file's first byte. */
typedef struct reader {
    const unsigned char *begin, *at, *end;
    fsr_fault *fault;
} reader;

/* A string inside the header. */
typedef struct span {
    const unsigned char *at;
    size_t size;
} span;

enum { KEY_DESCR = 1, KEY_ORDER = 2, KEY_SHAPE = 4, KEYS_ALL = 7 };

static size_t offset_of(const reader *r, const unsigned char *at) {
    return (size_t)(at - r->begin);
}

/* Fails at the present byte: what was expected there, and what is there. */
static bool expected(reader *r, const char *what) {
    if (r->at >= r->end)
        fsr_fault_set(r->fault, FSR_ERR_FORMAT, "npy: byte %zu: expected %s, but the header ends there",
                      offset_of(r, r->at), what);
    else if (*r->at >= 0x20 && *r->at < 0x7f)
        fsr_fault_set(r->fault, FSR_ERR_FORMAT, "npy: byte %zu: expected %s, found '%c'", offset_of(r, r->at), what,
                      *r->at);
    else
        fsr_fault_set(r->fault, FSR_ERR_FORMAT, "npy: byte %zu: expected %s, found the byte 0x%02x",
                      offset_of(r, r->at), what, (unsigned)*r->at);
    return false;
}

static void skip_space(reader *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
        r->at++;
}

/* Takes the character if it comes next. */
static bool accept(reader *r, char c) {
    skip_space(r);
    if (r->at >= r->end || *r->at != (unsigned char)c)
        return false;
    r->at++;
    return true;
}

static bool span_is(span s, const char *text) {
    return s.size == strlen(text) && memcmp(s.at, text, s.size) == 0;
}

static bool read_string(reader *r, span *out) {
    const unsigned char *from, *close;

    skip_space(r);
    if (r->at >= r->end || (*r->at != '\'' && *r->at != '"'))
        return expected(r, "a quoted string");
    from = r->at + 1;
    close = memchr(from, *r->at, (size_t)(r->end - from));
    if (!close) {
        r->at = r->end;
        return expected(r, "the closing quote of a string");
    }
    *out = (span){from, (size_t)(close - from)};
    r->at = close + 1;
    return true;
}

/* True or False. */
static bool read_bool(reader *r, bool *out) {
    static const char *const words[] = {"False", "True"};

    skip_space(r);
    for (int i = 0; i < 2; i++) {
        size_t n = strlen(words[i]);
        if ((size_t)(r->end - r->at) >= n && memcmp(r->at, words[i], n) == 0) {
            r->at += n;
            *out = i == 1;
            return true;
        }
    }
    return expected(r, "True or False");
}

/* A non-negative decimal number; Python 2 wrote long ones with an L. */
static bool read_extent(reader *r, int64_t *out) {
    const unsigned char *from;
    int64_t value = 0;

    skip_space(r);
    from = r->at;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
        int digit = *r->at - '0';
        if (value > (INT64_MAX - digit) / 10) {
            fsr_fault_set(r->fault, FSR_ERR_FORMAT, "npy: byte %zu: an extent of the shape overflows 64 bits",
                          offset_of(r, from));
            return false;
        }
        value = value * 10 + digit;
    }
    if (r->at == from)
        return expected(r, "an extent (a number that is not negative)");
    if (r->at < r->end && *r->at == 'L')
        r->at++;
    *out = value;
    return true;
}

/* (), (3,), (3, 4), (3, 4,). */
static bool read_shape(reader *r, fsr_shape *out) {
    *out = (fsr_shape){0};
    if (!accept(r, '('))
        return expected(r, "the ( of a shape");
    while (!accept(r, ')')) {
        if (out->ndim == FSR_MAX_DIMS) {
            fsr_fault_set(r->fault, FSR_ERR_FORMAT, "npy: byte %zu: the shape has more than %d dimensions",
                          offset_of(r, r->at), FSR_MAX_DIMS);
            return false;
        }
        if (!read_extent(r, &out->dim[out->ndim++]))
            return false;
        if (accept(r, ','))
            continue;
        if (out->ndim == 1)
            return expected(r, "a comma after the only extent");
        if (!accept(r, ')'))
            return expected(r, "a comma or )");
        break;
    }
    return true;
}

/* '<f4', '|b1', '=i8', 'f4'. */
static bool read_descr(reader *r, fsr_dtype *out) {
    size_t offset;
    span text, code;
    bool swapped;

    skip_space(r);
    if (r->at < r->end && *r->at == '[') {
        fsr_fault_set(r->fault, FSR_ERR_FORMAT, "npy: byte %zu: structured arrays are not supported",
                      offset_of(r, r->at));
        return false;
    }
    if (!read_string(r, &text))
        return false;
    offset = offset_of(r, text.at);
    code = text;
    if (code.size > 0 && memchr("<>=|", *code.at, 4)) {
        code.at++;
        code.size--;
    }
    *out = fsr_npy_dtype(code.at, code.size);
    swapped = text.size > 0 && *text.at == '>' && fsr_dtype_size(*out) > 1;
    if (*out == FSR_DTYPE_COUNT)
        fsr_fault_set(r->fault, FSR_ERR_FORMAT,
                      "npy: byte %zu: dtype '%.*s' is none of b1 i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16", offset,
                      (int)(text.size < 32 ? text.size : 32), (const char *)text.at);
    else if (swapped)
        fsr_fault_set(r->fault, FSR_ERR_FORMAT,
                      "npy: byte %zu: dtype '%.*s' is big-endian, only little-endian files are read", offset,
                      (int)text.size, (const char *)text.at);
    return *out != FSR_DTYPE_COUNT && !swapped;
}

/* One 'key': value; marks the key in *seen. */
static bool read_item(reader *r, fsr_npy_header *out, int *seen) {
    const unsigned char *from;
    span name;
    int key;

    skip_space(r);
    from = r->at;
    if (!read_string(r, &name))
        return false;
    key = span_is(name, "descr")           ? KEY_DESCR
          : span_is(name, "fortran_order") ? KEY_ORDER
          : span_is(name, "shape")         ? KEY_SHAPE
                                           : 0;
    if (key == 0 || (*seen & key)) {
        fsr_fault_set(r->fault, FSR_ERR_FORMAT, "npy: byte %zu: the key '%.*s' is %s", offset_of(r, from),
                      (int)(name.size < 32 ? name.size : 32), (const char *)name.at,
                      key ? "there twice" : "none of descr, fortran_order, shape");
        return false;
    }
    *seen |= key;
    if (!accept(r, ':'))
        return expected(r, "a colon");
    return key == KEY_DESCR   ? read_descr(r, &out->dtype)
           : key == KEY_ORDER ? read_bool(r, &out->fortran_order)
                              : read_shape(r, &out->shape);
}

static bool read_dictionary(reader *r, fsr_npy_header *out) {
    int seen = 0;

    if (!accept(r, '{'))
        return expected(r, "the { of the header's dictionary");
    while (!accept(r, '}')) {
        if (!read_item(r, out, &seen))
            return false;
        if (accept(r, ','))
            continue;
        if (!accept(r, '}'))
            return expected(r, "a comma or }");
        break;
    }
    if (seen != KEYS_ALL) {
        fsr_fault_set(r->fault, FSR_ERR_FORMAT, "npy: byte %zu: the header ends without the key '%s'",
                      offset_of(r, r->at),
                      !(seen & KEY_DESCR)   ? "descr"
                      : !(seen & KEY_ORDER) ? "fortran_order"
                                            : "shape");
        return false;
    }
    skip_space(r);
    return r->at == r->end ? true : expected(r, "nothing but white space after the dictionary");
}

/* Size of the preamble and of the text after it. The reader holds at least the preamble, or the file ends in it. */
static bool read_preamble(reader *r, size_t *text_offset, size_t *text_size) {
    size_t have = (size_t)(r->end - r->begin), n = 0;
    const unsigned char *p = r->begin;
    bool wide;

    while (n < FSR_NPY_MAGIC_BYTES && n < have && p[n] == (unsigned char)FSR_NPY_MAGIC[n])
        n++;
    r->at = p + n;
    if (n < FSR_NPY_MAGIC_BYTES)
        return expected(r, "the magic string \\x93NUMPY");
    if (have < FSR_NPY_MAGIC_BYTES + 2) {
        r->at = r->end;
        return expected(r, "the format's version");
    }
    if (p[6] < 1 || p[6] > 3 || p[7] != 0) {
        fsr_fault_set(r->fault, FSR_ERR_FORMAT, "npy: byte 6: format version %d.%d is none of 1.0, 2.0, 3.0", p[6],
                      p[7]);
        return false;
    }
    wide = p[6] > 1;
    *text_offset = wide ? 12 : 10;
    if (have < *text_offset) {
        r->at = r->end;
        return expected(r, "the header's length");
    }
    *text_size = (size_t)p[8] | (size_t)p[9] << 8;
    if (wide)
        *text_size |= (size_t)p[10] << 16 | (size_t)p[11] << 24;
    if (*text_size > TEXT_MAX) {
        fsr_fault_set(r->fault, FSR_ERR_FORMAT, "npy: byte 8: a header of %zu bytes is longer than the limit of %d",
                      *text_size, TEXT_MAX);
        return false;
    }
    return true;
}

/* The size of the data, and that it does not overflow. */
static bool set_bytes(reader *r, fsr_npy_header *out) {
    out->data_bytes = fsr_shape_bytes(&out->shape, out->dtype);
    if (out->data_bytes < 0 || !fsr_size_fits(fsr_size_add(out->data_bytes, out->data_offset))) {
        fsr_fault_set(r->fault, FSR_ERR_FORMAT, "npy: byte %" PRId64 ": the size of the data overflows 64 bits",
                      out->data_offset);
        return false;
    }
    return true;
}

fsr_status fsr_npy_header_parse(const void *data, size_t size, fsr_npy_header *out, fsr_fault *fault) {
    const unsigned char *begin = data;
    reader r = {begin, begin, begin + size, fault};
    size_t offset = 0, text = 0;

    *out = (fsr_npy_header){0};
    if (!read_preamble(&r, &offset, &text))
        return FSR_ERR_FORMAT;
    if (text > size - offset)
        return fsr_fault_set(fault, FSR_ERR_FORMAT, "npy: byte %zu: truncated, the header should end at byte %zu", size,
                             offset + text);
    r.at = begin + offset;
    r.end = r.at + text;
    out->data_offset = (int64_t)(offset + text);
    if (!read_dictionary(&r, out) || !set_bytes(&r, out))
        return FSR_ERR_FORMAT;
    return FSR_OK;
}

/* That a regular file holds the data that its header promises. */
static fsr_status check_length(FILE *file, const fsr_npy_header *header, fsr_fault *fault) {
    struct stat st;

    if (fstat(fileno(file), &st) != 0)
        return fsr_fault_set(fault, FSR_ERR_FILE, "npy: %s", strerror(errno));
    if (S_ISREG(st.st_mode) && st.st_size - header->data_offset < header->data_bytes)
        return fsr_fault_set(fault, FSR_ERR_FORMAT,
                             "npy: byte %lld: truncated, %" PRId64 " bytes of data begin at byte %" PRId64,
                             (long long)st.st_size, header->data_bytes, header->data_offset);
    return FSR_OK;
}

/* Reads up to n bytes; *size counts what came. */
static fsr_status read_some(FILE *file, unsigned char *to, size_t n, size_t *size, fsr_fault *fault) {
    *size += fread(to, 1, n, file);
    if (ferror(file))
        return fsr_fault_set(fault, FSR_ERR_FILE, "npy: read: %s", strerror(errno));
    return FSR_OK;
}

fsr_status fsr_npy_header_read(FILE *file, fsr_npy_header *out, fsr_fault *fault) {
    unsigned char preamble[PREAMBLE_MAX], *all;
    size_t size = 0, offset = 0, text = 0;
    fsr_status status = read_some(file, preamble, 10, &size, fault);
    reader r;

    *out = (fsr_npy_header){0};
    if (status == FSR_OK && size == 10 && preamble[6] > 1)
        status = read_some(file, preamble + 10, 2, &size, fault);
    if (status != FSR_OK)
        return status;
    r = (reader){preamble, preamble, preamble + size, fault};
    if (!read_preamble(&r, &offset, &text))
        return FSR_ERR_FORMAT;
    all = malloc(offset + text);
    if (!all)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "npy: no memory for a header of %zu bytes", text);
    memcpy(all, preamble, offset);
    status = read_some(file, all + offset, text, &size, fault);
    if (status == FSR_OK)
        status = fsr_npy_header_parse(all, size, out, fault);
    free(all);
    return status == FSR_OK ? check_length(file, out, fault) : status;
}

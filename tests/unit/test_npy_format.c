/* SPDX-License-Identifier: MIT */
/* runtime/npy_format: what NumPy writes, what other writers write, and hostile bytes. */
#include "runtime/npy_format.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A file in memory. */
typedef struct image {
    unsigned char data[1024];
    size_t size;
} image;

static image make(int major, const char *text) {
    image m = {{0x93, 'N', 'U', 'M', 'P', 'Y'}, 0};
    size_t n = strlen(text), at = major == 1 ? 10 : 12;

    m.data[6] = (unsigned char)major;
    m.data[8] = (unsigned char)(n & 0xff);
    m.data[9] = (unsigned char)(n >> 8);
    memcpy(m.data + at, text, n);
    m.size = at + n;
    return m;
}

/* Parses exactly the image's bytes on the heap, so that a sanitizer sees a read past the end. */
static fsr_status parse(const image *m, fsr_npy_header *h, fsr_fault *fault) {
    unsigned char *copy = malloc(m->size ? m->size : 1);
    fsr_status status;

    assert_non_null(copy);
    memcpy(copy, m->data, m->size);
    status = fsr_npy_header_parse(copy, m->size, h, fault);
    free(copy);
    return status;
}

static fsr_npy_header good(int major, const char *text) {
    image m = make(major, text);
    fsr_npy_header h;
    fsr_fault fault = {0};

    if (parse(&m, &h, &fault) != FSR_OK)
        fail_msg("%s: %s", text, fault.message);
    assert_null(fault.message);
    assert_int_equal(h.data_offset, m.size);
    return h;
}

static void bad(const char *text, const char *message) {
    image m = make(1, text);
    fsr_npy_header h;
    fsr_fault fault = {0};

    assert_int_equal(parse(&m, &h, &fault), FSR_ERR_FORMAT);
    assert_string_equal(fault.message, message);
    fsr_fault_clear(&fault);
}

static void numpy_writes(void **state) {
    fsr_npy_header h = good(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }          \n");

    (void)state;
    assert_int_equal(h.dtype, FSR_F32);
    assert_false(h.fortran_order);
    assert_int_equal(h.shape.ndim, 2);
    assert_int_equal(h.shape.dim[0], 3);
    assert_int_equal(h.shape.dim[1], 4);
    assert_int_equal(h.data_bytes, 48);
    h = good(2, "{'descr': '|b1', 'fortran_order': True, 'shape': (), }\n");
    assert_int_equal(h.dtype, FSR_BOOL);
    assert_true(h.fortran_order);
    assert_int_equal(h.shape.ndim, 0);
    assert_int_equal(h.data_bytes, 1);
    h = good(3, "{'descr': '|u1', 'fortran_order': False, 'shape': (7,), }\n");
    assert_int_equal(h.dtype, FSR_U8);
    assert_int_equal(h.data_bytes, 7);
    assert_int_equal(good(1, "{'descr': '<i4', 'fortran_order': False, 'shape': (0, 5), }\n").data_bytes, 0);
    assert_int_equal(good(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }\n").dtype, FSR_I64);
    assert_int_equal(good(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n").data_bytes, 16);
}

static void others_write(void **state) {
    fsr_npy_header h = good(1, "{\"shape\":(2,3,4,),\"descr\":\"=i4\",\"fortran_order\":True}");

    (void)state;
    assert_int_equal(h.dtype, FSR_I32);
    assert_int_equal(h.shape.ndim, 3);
    assert_int_equal(h.shape.dim[2], 4);
    assert_int_equal(good(1, "{'descr': 'f8', 'fortran_order': False, 'shape': (5L, 2L)}").shape.dim[0], 5);
    assert_int_equal(good(1, "{'descr': '>u1', 'fortran_order': False, 'shape': (1,)}").dtype, FSR_U8);
    assert_int_equal(good(1, " { 'descr' : '<f4' ,\t'fortran_order':False,'shape': ( 1 , 2 ) } ").shape.ndim, 2);
    assert_int_equal(good(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,9), }").data_bytes, 36);
}

static void dtypes(void **state) {
    (void)state;
    bad("{'descr': '>f4', 'fortran_order': False, 'shape': (3,), }",
        "npy: byte 21: dtype '>f4' is big-endian, only little-endian files are read");
    bad("{'descr': '<V2', 'fortran_order': False, 'shape': (3,), }",
        "npy: byte 21: dtype '<V2' is none of b1 i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16");
    bad("{'descr': '', 'fortran_order': False, 'shape': (3,), }",
        "npy: byte 21: dtype '' is none of b1 i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16");
    bad("{'descr': '|O', 'fortran_order': False, 'shape': (3,), }",
        "npy: byte 21: dtype '|O' is none of b1 i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16");
    bad("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (3,), }",
        "npy: byte 20: structured arrays are not supported");
}

static void shapes(void **state) {
    (void)state;
    bad("{'descr': '<f4', 'fortran_order': False, 'shape': (3), }",
        "npy: byte 62: expected a comma after the only extent, found ')'");
    bad("{'descr': '<f4', 'fortran_order': False, 'shape': 3, }", "npy: byte 60: expected the ( of a shape, found '3'");
    bad("{'descr': '<f4', 'fortran_order': False, 'shape': (-3,), }",
        "npy: byte 61: expected an extent (a number that is not negative), found '-'");
    bad("{'descr': '<f4', 'fortran_order': False, 'shape': (,), }",
        "npy: byte 61: expected an extent (a number that is not negative), found ','");
    bad("{'descr': '<f4', 'fortran_order': False, 'shape': (3 4), }",
        "npy: byte 63: expected a comma after the only extent, found '4'");
    bad("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4 5), }",
        "npy: byte 66: expected a comma or ), found '5'");
    bad("{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1), }",
        "npy: byte 77: the shape has more than 8 dimensions");
    bad("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808,), }",
        "npy: byte 61: an extent of the shape overflows 64 bits");
    bad("{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807,), }",
        "npy: byte 85: the size of the data overflows 64 bits");
    bad("{'descr': '|u1', 'fortran_order': False, 'shape': (9223372036854775807,), }",
        "npy: byte 85: the size of the data overflows 64 bits");
    bad("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
        "npy: byte 87: the size of the data overflows 64 bits");
}

static void dictionaries(void **state) {
    (void)state;
    bad("", "npy: byte 10: expected the { of the header's dictionary, but the header ends there");
    bad("[]", "npy: byte 10: expected the { of the header's dictionary, found '['");
    bad("{}", "npy: byte 12: the header ends without the key 'descr'");
    bad("{'descr': '<f4'}", "npy: byte 26: the header ends without the key 'fortran_order'");
    bad("{'descr': '<f4', 'fortran_order': True}", "npy: byte 49: the header ends without the key 'shape'");
    bad("{'descr': '<f4', 'descr': '<f8'}", "npy: byte 27: the key 'descr' is there twice");
    bad("{'descr': '<f4', 'extra': 1}", "npy: byte 27: the key 'extra' is none of descr, fortran_order, shape");
    bad("{'descr' '<f4'}", "npy: byte 19: expected a colon, found '''");
    bad("{'descr': '<f4' 'shape': ()}", "npy: byte 26: expected a comma or }, found '''");
    bad("{'descr': '<f4", "npy: byte 24: expected the closing quote of a string, but the header ends there");
    bad("{descr: '<f4'}", "npy: byte 11: expected a quoted string, found 'd'");
    bad("{'fortran_order': true}", "npy: byte 28: expected True or False, found 't'");
    bad("{'fortran_order': 1}", "npy: byte 28: expected True or False, found '1'");
    bad("{'fortran_order': False, 'shape': (), 'descr': '<f4'} \x01",
        "npy: byte 64: expected nothing but white space after the dictionary, found the byte 0x01");
}

static void preamble(void **state) {
    image m = make(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }\n");
    fsr_npy_header h;
    fsr_fault fault = {0};

    (void)state;
    m.data[6] = 4;
    assert_int_equal(parse(&m, &h, &fault), FSR_ERR_FORMAT);
    assert_string_equal(fault.message, "npy: byte 6: format version 4.0 is none of 1.0, 2.0, 3.0");
    m.data[6] = 1;
    m.data[7] = 1;
    assert_int_equal(parse(&m, &h, &fault), FSR_ERR_FORMAT);
    assert_string_equal(fault.message, "npy: byte 6: format version 1.1 is none of 1.0, 2.0, 3.0");
    m.data[7] = 0;
    m.data[3] = 'X';
    assert_int_equal(parse(&m, &h, &fault), FSR_ERR_FORMAT);
    assert_string_equal(fault.message, "npy: byte 3: expected the magic string \\x93NUMPY, found 'X'");
    m = make(2, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }\n");
    m.data[11] = 0xff;
    assert_int_equal(parse(&m, &h, &fault), FSR_ERR_FORMAT);
    assert_string_equal(fault.message, "npy: byte 8: a header of 4278190140 bytes is longer than the limit of 1048576");
    fsr_fault_clear(&fault);
}

/* Cut at every length: always an error that names a byte within what is there. */
static void truncated(void **state) {
    (void)state;
    for (int major = 1; major <= 3; major++) {
        image m = make(major, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }\n");
        size_t whole = m.size;

        for (m.size = 0; m.size < whole; m.size++) {
            fsr_npy_header h;
            fsr_fault fault = {0};
            size_t byte;

            assert_int_equal(parse(&m, &h, &fault), FSR_ERR_FORMAT);
            assert_int_equal(sscanf(fault.message, "npy: byte %zu:", &byte), 1);
            assert_int_equal(byte, m.size);
            fsr_fault_clear(&fault);
        }
    }
}

/* Every byte replaced by every value: never a crash, and what is accepted is consistent. */
static void mutated(void **state) {
    const image whole = make(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }\n");
    int accepted = 0;

    (void)state;
    for (size_t i = 0; i < whole.size; i++)
        for (int c = 0; c < 256; c++) {
            image m = whole;
            fsr_npy_header h;
            fsr_fault fault = {0};

            m.data[i] = (unsigned char)c;
            if (parse(&m, &h, &fault) == FSR_OK) {
                accepted++;
                assert_in_range(h.shape.ndim, 0, FSR_MAX_DIMS);
                assert_int_equal(h.data_bytes, fsr_shape_size(&h.shape) * (int64_t)fsr_dtype_size(h.dtype));
                assert_in_range(h.data_offset, 12, whole.size);
            } else {
                assert_non_null(fault.message);
            }
            fsr_fault_clear(&fault);
        }
    assert_in_range(accepted, (int)whole.size, 500);
}

static void round_trip(void **state) {
    (void)state;
    assert_false(fsr_npy_has(FSR_BF16));
    for (int dtype = 0; dtype < FSR_DTYPE_COUNT; dtype++)
        for (int ndim = 0; ndim <= FSR_MAX_DIMS && fsr_npy_has((fsr_dtype)dtype); ndim++) {
            fsr_shape shape = {.ndim = ndim};
            fsr_npy_header h;
            fsr_fault fault = {0};
            char out[FSR_NPY_HEADER_MAX];
            size_t size;

            for (int i = 0; i < ndim; i++)
                shape.dim[i] = i == 0 ? 5 : 2 * i;
            size = fsr_npy_header_write(out, (fsr_dtype)dtype, &shape);
            assert_int_equal(size % 64, 0);
            assert_int_equal(out[size - 1], '\n');
            assert_int_equal(fsr_npy_header_parse(out, size, &h, &fault), FSR_OK);
            assert_int_equal(h.dtype, dtype);
            assert_false(h.fortran_order);
            assert_true(fsr_shape_equal(&h.shape, &shape));
            assert_int_equal(h.data_offset, size);
        }
}

/* The longest header fits, and the shortest is what NumPy writes, byte for byte. */
static void written_bytes(void **state) {
    fsr_shape shape = {.ndim = FSR_MAX_DIMS};
    char out[FSR_NPY_HEADER_MAX];
    const char *text = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }";

    (void)state;
    for (int i = 0; i < FSR_MAX_DIMS; i++)
        shape.dim[i] = INT64_MAX;
    assert_int_equal(fsr_npy_header_write(out, FSR_F64, &shape), 256);
    shape = (fsr_shape){1, {3}};
    assert_int_equal(fsr_npy_header_write(out, FSR_F64, &shape), 128);
    assert_memory_equal(out, "\x93NUMPY\x01\x00\x76\x00", 10);
    assert_memory_equal(out + 10, text, strlen(text));
    for (size_t i = 10 + strlen(text); i < 127; i++)
        assert_int_equal(out[i], ' ');
}

static FILE *file_of(const image *m) {
    FILE *f = tmpfile();

    assert_non_null(f);
    assert_int_equal(fwrite(m->data, 1, m->size, f), m->size);
    rewind(f);
    return f;
}

static void from_file(void **state) {
    image m = make(2, "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }\n");
    fsr_npy_header h;
    fsr_fault fault = {0};
    FILE *f;

    (void)state;
    memcpy(m.data + m.size, "12345678", 8);
    m.size += 8;
    f = file_of(&m);
    assert_int_equal(fsr_npy_header_read(f, &h, &fault), FSR_OK);
    assert_int_equal(ftell(f), h.data_offset);
    assert_int_equal(fgetc(f), '1');
    fclose(f);
    for (size_t size = 0; size < m.size; size++) {
        image cut = m;
        cut.size = size;
        f = file_of(&cut);
        assert_int_equal(fsr_npy_header_read(f, &h, &fault), FSR_ERR_FORMAT);
        fclose(f);
    }
    assert_string_equal(fault.message, "npy: byte 77: truncated, 8 bytes of data begin at byte 70");
    fsr_fault_clear(&fault);
}

/* A directory opens, but cannot be read. */
static void unreadable(void **state) {
    FILE *f = fopen("/", "rb");
    fsr_npy_header h;
    fsr_fault fault = {0};

    (void)state;
    assert_non_null(f);
    assert_int_equal(fsr_npy_header_read(f, &h, &fault), FSR_ERR_FILE);
    assert_string_equal(fault.message, "npy: read: Is a directory");
    fsr_fault_clear(&fault);
    fclose(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numpy_writes),  cmocka_unit_test(others_write), cmocka_unit_test(dtypes),
        cmocka_unit_test(shapes),        cmocka_unit_test(dictionaries), cmocka_unit_test(preamble),
        cmocka_unit_test(truncated),     cmocka_unit_test(mutated),      cmocka_unit_test(round_trip),
        cmocka_unit_test(written_bytes), cmocka_unit_test(from_file),    cmocka_unit_test(unreadable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

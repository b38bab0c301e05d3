/* SPDX-License-Identifier: MIT */
/* graph/message: what acts on a terminal or is no UTF-8 is escaped, all else stays; and every way into a message goes
 * through it. */
#include "graph/message.h"
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void becomes(const char *raw, const char *expected) {
    char copy[200];
    char *clean = fsr_message_clean(strdup(raw));
    assert_non_null(clean);
    assert_string_equal(clean, expected);
    clean = fsr_message_clean(clean);
    assert_string_equal(clean, expected); /* cleaned once more */
    free(clean);
    assert_string_equal(fsr_message_copy(copy, sizeof copy, raw), expected);
}

static void what_shows(void **state) {
    (void)state;
    becomes("", "");
    becomes("x.npy: no such file\n\tor so \\ \"'", "x.npy: no such file\n\tor so \\ \"'");
    becomes("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xc2\xa0", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xc2\xa0");
    becomes("\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf", "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf");
}

static void what_acts(void **state) {
    (void)state;
    becomes("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m");
    becomes("a\rb\bc\ad\ve\f\x7f", "a\\x0db\\x08c\\x07d\\x0be\\x0c\\x7f");
    becomes("\xc2\x9b"
            "31m \xc2\x80",
            "\\xc2\\x9b31m \\xc2\\x80");
    becomes("\xe2\x80\xae"
            "txt.exe \xe2\x81\xa6",
            "\\xe2\\x80\\xaetxt.exe \\xe2\\x81\\xa6");
}

static void no_utf8(void **state) {
    (void)state;
    becomes("\x9b"
            "31m",
            "\\x9b31m");
    becomes("a\xff"
            "b\xfe",
            "a\\xffb\\xfe");
    becomes("\xc3", "\\xc3");
    becomes("\xc3(", "\\xc3(");
    becomes("\xe2\x82", "\\xe2\\x82");
    becomes("\xe2\x82z", "\\xe2\\x82z");
    becomes("\xc0\xaf \xc1\xbf", "\\xc0\\xaf \\xc1\\xbf");
    becomes("\xe0\x9f\xbf", "\\xe0\\x9f\\xbf");
    becomes("\xed\xa0\x80", "\\xed\\xa0\\x80");
    becomes("\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf");
    becomes("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
    becomes("\xf8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80");
}

/* What was cut says so, and ends in no part of an escape or character. */
static void cut(void **state) {
    char out[9];
    (void)state;
    assert_string_equal(fsr_message_copy(out, 8, "abcdefg"), "abcdefg");
    assert_string_equal(fsr_message_copy(out, 8, "abcdefgh"), "abcd...");
    assert_string_equal(fsr_message_copy(out, 9,
                                         "abc\x1b"
                                         "e"),
                        "abc\\x1be");
    assert_string_equal(fsr_message_copy(out, 8,
                                         "abc\x1b"
                                         "e"),
                        "abc...");
    assert_string_equal(fsr_message_copy(out, 4, "ab\xe2\x82\xac"), "ab");
    assert_string_equal(fsr_message_copy(out, 1, "ab"), "");
    assert_null(fsr_message_clean(NULL));
    fsr_message_put(out, 8, "%s", "abcdefg");
    assert_string_equal(out, "abcdefg");
    fsr_message_put(out, 8, "%s%d", "abcd", 12345);
    assert_string_equal(out, "abcd...");
}

/* ---- the ways into messages ------------------------------------------------------------------------------------- */

static void is_clean(const char *message, const char *part) {
    if (strpbrk(message, "\x1b\x07\x9b") || !strstr(message, part))
        fail_msg("\"%s\" lacks \"%s\"", message, part);
}

static void names_of_files(void **state) {
    (void)state;
    fsr_node x = fsr_npy_read(subject_g, "/nowhere/\x1b[31m\x9b.npy");
    is_clean(fsr_node_error(x), "/nowhere/\\x1b[31m\\x9b.npy");
    assert_int_equal(fsr_force(x), FSR_ERR_FILE);
    is_clean(fsr_error(subject_ctx), "/nowhere/\\x1b[31m\\x9b.npy");
    assert_int_equal(fsr_npy_write(fsr_arange(subject_g, FSR_F32, 2), "/nowhere/\x1b"), FSR_ERR_FILE);
    is_clean(fsr_error(subject_ctx), "/nowhere/\\x1b");
}

/* However long: a name's end tells which of many files it was. */
static void long_names(void **state) {
    char path[4000];
    (void)state;
    memset(path, 'x', sizeof path);
    memcpy(path, "/nowhere/", 9);
    strcpy(path + sizeof path - 5, "/end");
    fsr_node x = fsr_npy_read(subject_g, path);
    assert_non_null(strstr(fsr_node_error(x), "xx/end"));
    assert_int_equal(fsr_force(x), FSR_ERR_FILE);
    assert_non_null(strstr(fsr_error(subject_ctx), "xx/end"));
}

static void headers_of_files(void **state) {
    char dir[64], path[100];
    (void)state;
    subject_temporary_dir(dir);
    snprintf(path, sizeof path, "%s/x.npy", dir);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    static const char head[] = "{'\x1b[31m\x07': '<f8', 'fortran_order': False, 'shape': (4,), }\n";
    const unsigned char start[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, sizeof head - 1, 0};
    assert_int_equal(fwrite(start, 1, sizeof start, file) + fwrite(head, 1, sizeof head - 1, file),
                     sizeof start + sizeof head - 1);
    assert_int_equal(fclose(file), 0);
    fsr_node x = fsr_npy_read(subject_g, path);
    assert_int_equal(fsr_node_status(x), FSR_ERR_FORMAT);
    is_clean(fsr_node_error(x), "npy_read");
    subject_remove_dir(dir);
}

static void texts_of_callers(void **state) {
    (void)state;
    is_clean(fsr_node_error(fsr_expr(subject_g, "1 + \x1b[31m 2", NULL, 0)), "expr");
    is_clean(fsr_node_error(fsr_expr(subject_g, "1 + (2 \x9b", NULL, 0)), "expr");
    const fsr_native f = {.name = "f", .result = FSR_F32, .parameters = "f32 x\x1b", .c = "return x;"};
    fsr_node x = fsr_arange(subject_g, FSR_F32, 2);
    is_clean(fsr_node_error(fsr_call_native(&f, &x, 1)), "f");
}

/* A compiler prints the line that it rejects, with what stands in it. */
static void words_of_a_compiler(void **state) {
    (void)state;
    const fsr_native f = {
        .name = "f", .result = FSR_F32, .parameters = "f32 x", .c = "return x + unknown; /* \x1b[31m\x9b */"};
    fsr_node x = fsr_arange(subject_g, FSR_F32, 2);
    assert_int_equal(fsr_force(fsr_call_native(&f, &x, 1)), FSR_ERR_COMPILE);
    is_clean(fsr_error(subject_ctx), "unknown");
}

static void the_environment(void **state) {
    fsr_config config;
    char why[200];
    (void)state;
    setenv("FUSOR_FUEL", "\x1b[31m", 1);
    assert_int_equal(fsr_config_init(&config, why, sizeof why), FSR_ERR_VALUE);
    unsetenv("FUSOR_FUEL");
    is_clean(why, "FUSOR_FUEL is '\\x1b[31m'");
    setenv("FUSOR_\x1b[31m", "1", 1);
    assert_int_equal(fsr_config_init(&config, why, sizeof why), FSR_OK);
    unsetenv("FUSOR_\x1b[31m");
    is_clean(why, "FUSOR_\\x1b[31m is no knob");
}

static void the_configuration(void **state) {
    fsr_config config;
    fsr_context *ctx;
    char why[200];
    (void)state;
    assert_int_equal(fsr_config_init(&config, NULL, 0), FSR_OK);
    config.skip_rewrites = "\x1b[31m";
    assert_int_equal(fsr_open_why(&config, &ctx, why, sizeof why), FSR_ERR_VALUE);
    is_clean(why, "\\x1b[31m");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_shows),   cmocka_unit_test(what_acts),     cmocka_unit_test(no_utf8),
    cmocka_unit_test(cut),          SUBJECT_TEST(names_of_files),    SUBJECT_TEST(long_names),
    SUBJECT_TEST(headers_of_files), SUBJECT_TEST(texts_of_callers),  SUBJECT_TEST(words_of_a_compiler),
    SUBJECT_TEST(the_environment),  SUBJECT_TEST(the_configuration),
};
SUBJECT_MAIN(tests)

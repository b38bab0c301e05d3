/* SPDX-License-Identifier: MIT */
/* runtime/closed_text: every way to make a compiler read a file, or that compilers read differently, is found; plain
 * texts, and all that is generated, are closed. */
#include "runtime/closed_text.h"
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const char *const open_texts[] = {
    /* including */
    "#include \"x.h\"",
    "#include <x.h>",
    "int a;\n#include <x.h>\nint b;",
    "  \t#  \v include <x.h>",
    "#import \"x.h\"",
    "#include_next <x.h>",
    "#embed \"x\"",
    "static const char a[] = {\n#embed \"x\"\n};",
    "#inc\\\nlude <x.h>",
    "#inc\\\r\nlude <x.h>",
    "#\\\ninclude <x.h>",
    "\\\n#include <x.h>",
    "int a; \\\n\n#include <x.h>",
    "/* a */ # /* b */ include <x.h>",
    "/* a\nb */#include <x.h>",
    "/\\\n* a */ #include <x.h>",
    "# /\\\n* a */ include <x.h>",
    "// a\n#include <x.h>",
    "%:include <x.h>",
    "%\\\n:include <x.h>",
    "%: include <x.h>",
    "?\?=include <x.h>",
    "#define X <x.h>\n#include X",
    "#if 1\n#include <x.h>\n#endif",
    "#if 0\n#include <x.h>\n#endif",
    "const char *a = \"/*\";\n#include <x.h>\nconst char *b = \"*/\";",
    "char a = '\"';\n#include <x.h>\nchar b = '\"';",
    "char a = '\\'';\n#include <x.h>",
    "char *a = \"\\\"/*\";\n#include <x.h>\n/**/",
    "/*/ a */\n#include <x.h>",
    "int a = 1 /* b *//2;\n#include <x.h>",
    /* asking for files */
    "#if __has_include(<x.h>)\nint a;\n#endif",
    "#ifdef __has_include\n#endif",
    "#if __has_inc\\\nlude(<x.h>)\n#endif",
    "#if __has_include_next(<x.h>)\n#endif",
    "#if __has_embed(\"x\")\n#endif",
    "#define HAS __has_include\n#if HAS(<x.h>)\n#endif",
    "#define PASTE(a, b) a##b\n#if PASTE(__has_, include)(<x.h>)\n#endif",
    "#define PASTE(a, b) a %:%: b",
    /* other directives and pragmas */
    "#pragma GCC dependency \"x.h\"",
    "#pragma GCC pch_preprocess \"x\"",
    "#pragma include_alias(\"a\", \"b\")",
    "#pragma",
    "_Pragma(\"GCC dependency \\\"x.h\\\"\")",
    "__pragma(x)",
    "# 1 \"x.h\"",
    "#ident \"x\"",
    "#using <x.dll>",
    "#assert a(b)",
    "#something",
    "import \"x.h\";",
    /* the assembler */
    "__asm__(\".incbin \\\"x\\\"\");",
    "asm(\".inc\" \"bin \\\"x\\\"\");",
    "__asm (\".include \\\"x\\\"\");",
    "__asm__ volatile(\"\" \".incbin \\\"x\\\"\");",
    "__asm__(\"\" \".incbin \\\"x\\\"\");",
    "as\\\nm(\".incbin \\\"x\\\"\");",
    "__attribute__((section(\"a\\n.incbin \\\"x\\\"\\n#\"))) int a;",
    "__attribute__((__alias__(\"a\"))) int b(void);",
    /* the clock */
    "const char *a = __DATE__;",
    "const char *a = __TIME__;",
    "const char *a = __TIMESTAMP__;",
    /* read differently by different compilers, or not to the end */
    "// a ?\?/\n#include <x.h>",
    "// a \\ \n#include <x.h>",
    "// a \\\t\r\n#include <x.h>",
    "int a;\r#include <x.h>",
    "const char *a = R\"(\n)\";",
    "const char *a = u8R\"x( /* )x\";",
    "int a = 1'000;",
    "int a = 0x1'0; // '",
    "#error don't /*\n#include <x.h>",
    "const char *a = \"b\n\";",
    "char a = 'b",
    "/* a",
    "int a; \\u0061sm(\"x\");",
    "int a; // b \\\n",
};

static const char *const closed_texts[] = {
    "",
    "return x * 2.0f + 1e-3f;",
    "return x ? y : z; /* include */ // #include <x.h>\n",
    "/* #include <x.h>\n#include <y.h> */ return 1;",
    "// a \\\n#include <x.h>\nint b;",
    "const char *a = \"#include <x.h>\";",
    "const char *a = \"\\\n#include <x.h>\";",
    "char a = '\"', b = '#', c = '\\\\', d = L'x';",
    "#define SQUARE(x) ((x) * (x))\nreturn SQUARE(x);",
    "#define NAME(x) #x\n#undef NAME",
    "# \n%:\n#\t/* a */\nint a;",
    "#if defined(A) && !defined B\n#elif 1\n#else\n#endif\n#ifdef A\n#endif\n#ifndef A\n#endif",
    "#line 7 \"include\"",
    "#pragma unroll\n#pragma GCC ivdep\n#pragma GCC unroll 4\n#pragma STDC FP_CONTRACT OFF\n",
    "#error this needs an include",
    "int a = 3 % 2, b = 6 / 3;\nb %= 2;",
    "double a = 1.5e+3, b = 0x1.8p-3, c = .5, d = 1.f;",
    "int include = 1, import_ = 2, asmx = 3; return include;",
    "__asm__(\"\");",
    "return x;\r\n/* a */\r\n",
    "int a = b ?c:d; int e = f ?g ?h:i:j;",
    "int caf\xc3\xa9 = 1;",
};

static void open_is_open(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(open_texts); i++)
        if (fsr_text_is_closed(open_texts[i], false))
            fail_msg("taken for closed: %s", open_texts[i]);
}

static void closed_is_closed(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(closed_texts); i++)
        if (!fsr_text_is_closed(closed_texts[i], false) || !fsr_text_is_closed(closed_texts[i], true))
            fail_msg("not taken for closed: %s", closed_texts[i]);
}

/* The same behind any closed text. */
static void wherever_it_stands(void **state) {
    static char text[4096];
    (void)state;
    for (size_t i = 0; i < COUNT(open_texts); i++)
        for (size_t k = 0; k < COUNT(closed_texts); k++) {
            snprintf(text, sizeof text, "%s\n%s", closed_texts[k], open_texts[i]);
            if (fsr_text_is_closed(text, false))
                fail_msg("taken for closed: %s", text);
        }
}

static void assembly_of_a_gpu(void **state) {
    (void)state;
    assert_true(fsr_text_is_closed("asm volatile(\"mov.u32 %0, %%laneid;\" : \"=r\"(x));", true));
    assert_false(fsr_text_is_closed("asm volatile(\"mov.u32 %0, %%laneid;\" : \"=r\"(x));", false));
    assert_false(fsr_text_is_closed("#include <x.h>", true));
    assert_false(fsr_text_is_closed("#if __has_include(\"x\")\n#endif", true));
}

/* What Fusor writes itself is kept. */
static void generated(void **state) {
    static char text[1 << 16];
    int n = 0;
    (void)state;
    DIR *dir = opendir("tests/golden");
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        char path[400];
        const bool cuda = strstr(e->d_name, ".cu") != NULL;
        if (!cuda && !strstr(e->d_name, ".c.txt"))
            continue;
        snprintf(path, sizeof path, "tests/golden/%s", e->d_name);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        text[fread(text, 1, sizeof text - 1, file)] = 0;
        fclose(file);
        if (!fsr_text_is_closed(text, cuda))
            fail_msg("%s is not closed", path);
        n++;
    }
    closedir(dir);
    assert_true(n > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_is_open),      cmocka_unit_test(closed_is_closed), cmocka_unit_test(wherever_it_stands),
        cmocka_unit_test(assembly_of_a_gpu), cmocka_unit_test(generated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

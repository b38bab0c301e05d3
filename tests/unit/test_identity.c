/* SPDX-License-Identifier: MIT */
/* A compiler known by its file: when it is asked what it is, and when not. The compiler is a program that writes down
 * its arguments and hands them on to cc. */
#include "backend_cpu/run/files.h"
#include "backend_cpu/run/identity.h"
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[64];

static char *in_dir(const char *name) {
    char *path = fsr_path_join(dir, name, "");
    assert_non_null(path);
    return path;
}

static void write_file(const char *path, const char *text) {
    assert_true(fsr_file_write(path, text, strlen(text)));
}

/* Builds <dir>/<name>; each `build` makes another file. */
static void build(const char *name, int serial) {
    char text[600], command[300];
    char *source = in_dir("driver.c"), *program = in_dir(name);
    snprintf(text, sizeof text,
             "#include <stdio.h>\n#include <unistd.h>\n"
             "int main(int n, char **argv) { FILE *log = fopen(\"%s/log\", \"a\");\n"
             "if (!log || n < 2) return %d; fprintf(log, \"%%s\\n\", argv[1]); fclose(log);\n"
             "execvp(argv[0] = \"cc\", argv); return 1; }\n",
             dir, serial);
    write_file(source, text);
    snprintf(command, sizeof command, "cc -o %s %s", program, source);
    assert_int_equal(system(command), 0);
    free(source);
    free(program);
}

/* How often the compiler was asked, and run at all, since the last call. */
static int asked(int *runs) {
    char *log = in_dir("log"), line[200];
    FILE *file = fopen(log, "r");
    int questions = 0;
    *runs = 0;
    while (file && fgets(line, sizeof line, file)) {
        questions += strcmp(line, "--version\n") == 0;
        ++*runs;
    }
    if (file)
        fclose(file);
    unlink(log);
    free(log);
    return questions;
}

static void use(const char *compiler) {
    fsr_config config = subject_config();
    char *cache = in_dir("cache");
    float value = 0;
    config.backend = FSR_BACKEND_CPU;
    config.compiler = compiler;
    config.cache_dir = cache;
    fsr_context *ctx = subject_open(&config);
    fsr_graph *g = fsr_graph_new(ctx);
    assert_int_equal(fsr_read(fsr_add(fsr_param(g, "p", FSR_F32, 3), fsr_float(g, 4)), &value, sizeof value), FSR_OK);
    assert_true(value == 7);
    fsr_close(ctx);
    free(cache);
}

static void a_driver_is_asked_once(void **state) {
    (void)state;
    int runs;
    subject_temporary_dir(dir);
    build("my-gcc", 0);
    char *compiler = in_dir("my-gcc");
    use(compiler);
    assert_int_equal(asked(&runs), 1);
    assert_true(runs > 1);
    use(compiler);
    assert_int_equal(asked(&runs), 0);
    assert_int_equal(runs, 0);
    build("my-gcc", 1);
    use(compiler);
    assert_int_equal(asked(&runs), 1);
    use(compiler);
    assert_int_equal(asked(&runs), 0);
    free(compiler);
    subject_remove_dir(dir);
}

/* Named as wrappers are; and a script named as a compiler is. */
static void a_wrapper_is_always_asked(void **state) {
    (void)state;
    static const char *const name[] = {"ccache", "script-gcc"};
    int runs;
    subject_temporary_dir(dir);
    build("ccache", 0);
    char *script = in_dir("script-gcc"), text[200];
    snprintf(text, sizeof text, "#!/bin/sh\nexec %s/ccache \"$@\"\n", dir);
    write_file(script, text);
    assert_int_equal(chmod(script, 0700), 0);
    for (int i = 0; i < COUNT_OF(name); ++i) {
        char *compiler = in_dir(name[i]);
        for (int k = 0; k < 2; ++k) {
            use(compiler);
            assert_int_equal(asked(&runs), 1);
        }
        assert_int_equal(runs, 1);
        free(compiler);
    }
    free(script);
    subject_remove_dir(dir);
}

/* A spoiled answer is no answer. */
static void a_damaged_answer_is_asked_again(void **state) {
    (void)state;
    char command[300];
    int runs;
    subject_temporary_dir(dir);
    build("my-gcc", 0);
    char *compiler = in_dir("my-gcc");
    use(compiler);
    asked(&runs);
    snprintf(command, sizeof command,
             "for f in %s/cache/*.fsr; do printf spoiled | dd of=$f bs=1 seek=80 conv=notrunc status=none; done", dir);
    assert_int_equal(system(command), 0);
    use(compiler);
    assert_int_equal(asked(&runs), 1);
    assert_true(runs > 1);
    free(compiler);
    subject_remove_dir(dir);
}

static void check(const char *program, const char *words) {
    char *said = fsr_program_identity(program);
    assert_int_equal(said != NULL, words != NULL);
    if (words && !strstr(said, words))
        fail_msg("%s: %s", program, said);
    free(said);
}

/* Found as posix_spawnp finds it: a directory and a file that cannot be run are passed over, links are followed. */
static void looked_up_in_path(void **state) {
    (void)state;
    char path[300], *was = strdup(getenv("PATH")), *real = NULL;
    subject_temporary_dir(dir);
    char *a = in_dir("a"), *b = in_dir("b"), *c = in_dir("c"), *binary = in_dir("c/my-gcc-1");
    char *folder = in_dir("a/my-cc"), *text = in_dir("b/my-cc"), *link = in_dir("c/my-cc");
    assert_int_equal(mkdir(a, 0700) | mkdir(b, 0700) | mkdir(c, 0700) | mkdir(folder, 0700), 0);
    write_file(text, "no program");
    build("c/my-gcc-1", 0);
    assert_int_equal(symlink("my-gcc-1", link), 0);
    snprintf(path, sizeof path, "%s:%s:%s", a, b, c);
    assert_int_equal(setenv("PATH", path, 1), 0);
    real = realpath(binary, NULL);
    check("my-cc", real);
    check("my-gcc-1", real);
    check("my-gcc-2", NULL);
    check("", NULL);
    check(link, real);
    check(folder, NULL);
    assert_int_equal(unsetenv("PATH"), 0);
    check("my-cc", NULL);
    assert_int_equal(setenv("PATH", was, 1), 0);
    char *all[] = {a, b, c, binary, folder, text, link, was, real};
    for (int i = 0; i < COUNT_OF(all); ++i)
        free(all[i]);
    subject_remove_dir(dir);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_driver_is_asked_once),
    cmocka_unit_test(a_wrapper_is_always_asked),
    cmocka_unit_test(a_damaged_answer_is_asked_again),
    cmocka_unit_test(looked_up_in_path),
};
SUBJECT_MAIN(tests)

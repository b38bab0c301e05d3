/* SPDX-License-Identifier: MIT */
/* runtime/config: defaults, the environment, what a knob does not allow. */
#include "runtime/config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const variables[] = {
#define NAME(kind, field, env, value, doc) "FUSOR_" #env,
    FSR_KNOB_LIST(NAME)
#undef NAME
};

/* Variables that are no knobs, and what is said of each; NULL: nothing. */
static const struct {
    const char *name, *said;
} strangers[] = {
    {"FUSOR_CACHEDIR",
     "the environment variable FUSOR_CACHEDIR is no knob and changes nothing; is FUSOR_CACHE_DIR meant?"},
    {"FUSOR_THREDAS", "the environment variable FUSOR_THREDAS is no knob and changes nothing; is FUSOR_THREADS meant?"},
    {"FUSOR_X", "the environment variable FUSOR_X is no knob and changes nothing"},
    {"FUSOR_", "the environment variable FUSOR_ is no knob and changes nothing"},
    {"FUSOR_JOBSS", "the environment variable FUSOR_JOBSS is no knob and changes nothing"},
    {"FUSOR_JOBS", NULL},
    {"FUSOR_TEST_SANITIZER", NULL},
    {"FUSOR_TRUST_DIR", NULL},
    {"FUSORX_CACHEDIR", NULL},
};

static int clean(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        unsetenv(variables[i]);
    for (size_t i = 0; i < sizeof strangers / sizeof strangers[0]; i++)
        unsetenv(strangers[i].name);
    return 0;
}

static fsr_config init(const char *variable, const char *value) {
    fsr_config c;
    char why[200];

    setenv(variable, value, 1);
    assert_int_equal(fsr_config_init(&c, why, sizeof why), FSR_OK);
    assert_string_equal(why, "");
    unsetenv(variable);
    return c;
}

static void defaults(void **state) {
    fsr_config c;
    char why[100] = "x";

    (void)state;
    memset(&c, 0xff, sizeof c);
    assert_int_equal(fsr_config_init(&c, why, sizeof why), FSR_OK);
    assert_string_equal(why, "");
    assert_int_equal(c.backend, FSR_BACKEND_AUTO);
    assert_int_equal(c.fusion, 1);
    assert_int_equal(c.fuel, -1);
    assert_null(c.cache_dir);
    assert_null(c.skip_rewrites);
    assert_int_equal(c.cache_mb, 512);
    assert_int_equal(c.log_level, FSR_LOG_WARNING);
    assert_int_equal(c.deterministic, 1);
    assert_int_equal(fsr_config_check(&c, why, sizeof why), FSR_OK);
    assert_int_equal(fsr_config_init(NULL, why, sizeof why), FSR_ERR_NULL);
    assert_int_equal(fsr_config_check(NULL, NULL, 0), FSR_ERR_NULL);
}

static void environment(void **state) {
    (void)state;
    assert_int_equal(init("FUSOR_BACKEND", "cuda").backend, FSR_BACKEND_CUDA);
    assert_int_equal(init("FUSOR_BACKEND", "reference").backend, FSR_BACKEND_REFERENCE);
    assert_int_equal(init("FUSOR_BACKEND", "1").backend, FSR_BACKEND_CPU);
    assert_int_equal(init("FUSOR_ISA", "avx2").isa, FSR_ISA_AVX2);
    assert_int_equal(init("FUSOR_ISA", "3").isa, FSR_ISA_BASELINE);
    assert_int_equal(init("FUSOR_FUEL", "0").fuel, 0);
    assert_int_equal(init("FUSOR_FUEL", "2147483647").fuel, 2147483647);
    assert_int_equal(init("FUSOR_FUEL", "").fuel, -1);
    assert_int_equal(init("FUSOR_LOG_LEVEL", "3").log_level, 3);
}

static void strings(void **state) {
    fsr_config c;

    (void)state;
    setenv("FUSOR_CACHE_DIR", "", 1);
    setenv("FUSOR_DUMP_DIR", "", 1);
    setenv("FUSOR_COMPILER", "gcc-12", 1);
    assert_int_equal(fsr_config_init(&c, NULL, 0), FSR_OK);
    assert_non_null(c.cache_dir);
    assert_string_equal(c.cache_dir, "");
    assert_null(c.dump_dir);
    assert_string_equal(c.compiler, "gcc-12");
}

static void refuses(const char *variable, const char *value, const char *message) {
    fsr_config c;
    char why[200];

    setenv(variable, value, 1);
    assert_int_equal(fsr_config_init(&c, why, sizeof why), FSR_ERR_VALUE);
    assert_string_equal(why, message);
    assert_int_equal(fsr_config_check(&c, why, sizeof why), FSR_OK);
    unsetenv(variable);
}

static void refused_values(void **state) {
    (void)state;
    refuses("FUSOR_BACKEND", "gpu", "FUSOR_BACKEND is 'gpu'; it must be auto, cpu, cuda or reference");
    refuses("FUSOR_BACKEND", "4", "FUSOR_BACKEND is '4'; it must be auto, cpu, cuda or reference");
    refuses("FUSOR_ISA", "sse9", "FUSOR_ISA is 'sse9'; it must be native, avx512, avx2 or baseline");
    refuses("FUSOR_ISA", "-1", "FUSOR_ISA is '-1'; it must be native, avx512, avx2 or baseline");
    refuses("FUSOR_FUSION", "2", "FUSOR_FUSION is '2'; it must be an integer from 0 to 1");
    refuses("FUSOR_FUEL", "-2", "FUSOR_FUEL is '-2'; it must be an integer of at least -1");
    refuses("FUSOR_FUEL", "3x", "FUSOR_FUEL is '3x'; it must be an integer of at least -1");
    refuses("FUSOR_THREADS", "2147483648", "FUSOR_THREADS is '2147483648'; it must be an integer of at least 0");
    refuses("FUSOR_THREADS", "99999999999999999999",
            "FUSOR_THREADS is '99999999999999999999'; it must be an integer of at least 0");
    refuses("FUSOR_THREADS", "cpu", "FUSOR_THREADS is 'cpu'; it must be an integer of at least 0");
}

/* The first bad variable is named, all keep their defaults, good ones are read. */
static void several(void **state) {
    fsr_config c;
    char why[200];

    (void)state;
    setenv("FUSOR_FUSION", "maybe", 1);
    setenv("FUSOR_THREADS", "-1", 1);
    setenv("FUSOR_DEVICE", "3", 1);
    assert_int_equal(fsr_config_init(&c, why, sizeof why), FSR_ERR_VALUE);
    assert_string_equal(why, "FUSOR_FUSION is 'maybe'; it must be an integer from 0 to 1");
    assert_int_equal(c.fusion, 1);
    assert_int_equal(c.threads, 0);
    assert_int_equal(c.device, 3);
    assert_int_equal(fsr_config_init(&c, NULL, 0), FSR_ERR_VALUE);
}

/* A message that does not fit is cut, never written past the end. */
static void short_why(void **state) {
    fsr_config c;
    char why[12];

    (void)state;
    memset(why, '#', sizeof why);
    setenv("FUSOR_FUSION", "maybe", 1);
    assert_int_equal(fsr_config_init(&c, why, 8), FSR_ERR_VALUE);
    assert_string_equal(why, "FUSO...");
    assert_int_equal(why[8], '#');
}

static void checks_programs(void **state) {
    fsr_config c;
    char why[200];

    (void)state;
    assert_int_equal(fsr_config_init(&c, NULL, 0), FSR_OK);
    c.cache_mb = -1;
    assert_int_equal(fsr_config_check(&c, why, sizeof why), FSR_ERR_VALUE);
    assert_string_equal(why, "cache_mb is '-1'; it must be an integer of at least 0");
    c.cache_mb = 1;
    c.backend = 7;
    assert_int_equal(fsr_config_check(&c, why, sizeof why), FSR_ERR_VALUE);
    assert_string_equal(why, "backend is '7'; it must be auto, cpu, cuda or reference");
}

static void default_dir_is(const char *expected, const char *expected_why) {
    char why[300] = "x";
    char *dir = fsr_config_default_cache_dir(why, sizeof why);

    if (expected)
        assert_string_equal(dir, expected);
    else
        assert_null(dir);
    assert_string_equal(why, expected_why);
    free(dir);
}

static void default_dir(void **state) {
    char home[] = "/tmp/fusor-test-XXXXXX", expected[120], base[100];

    (void)state;
    assert_non_null(mkdtemp(home));
    setenv("HOME", home, 1);
    unsetenv("XDG_CACHE_HOME");
    snprintf(expected, sizeof expected, "%s/.cache/fusor", home);
    default_dir_is(expected, "");
    setenv("XDG_CACHE_HOME", "", 1);
    default_dir_is(expected, "");
    setenv("XDG_CACHE_HOME", "relative", 1);
    default_dir_is(expected, "");
    setenv("XDG_CACHE_HOME", home, 1);
    snprintf(expected, sizeof expected, "%s/fusor", home);
    default_dir_is(expected, "");
    snprintf(base, sizeof base, "%s/not/yet", home);
    setenv("XDG_CACHE_HOME", base, 1);
    snprintf(expected, sizeof expected, "%s/fusor", base);
    default_dir_is(expected, "");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    default_dir_is(NULL, "");
    assert_int_equal(rmdir(home), 0);
}

/* What a text printed to stderr by fsr_config_init or fsr_open is. */
static void printed(fsr_status (*call)(void), const char *expected) {
    char text[512] = "";
    FILE *file = tmpfile();
    const int kept = dup(STDERR_FILENO);

    assert_true(file && kept >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    const fsr_status status = call();
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    assert_int_equal(status, FSR_OK);
    assert_string_equal(text, expected);
}

static fsr_status init_to_nobody(void) {
    fsr_config c;
    return fsr_config_init(&c, NULL, 0);
}

static fsr_status open_default(void) {
    fsr_context *ctx;
    fsr_status status = fsr_open(NULL, &ctx);
    fsr_close(ctx);
    return status;
}

/* Root with the HOME of another user, as sudo leaves it; others have /'s owner for another user. */
static void somebody_elses_home(void **state) {
    char home[] = "/tmp/fusor-test-XXXXXX", base[100], why[300];
    const long other = geteuid() == 0 ? 12345 : 0;

    (void)state;
    assert_non_null(mkdtemp(home));
    if (geteuid() == 0)
        assert_int_equal(chown(home, 12345, 12345), 0);
    const char *theirs = geteuid() == 0 ? home : "/usr";
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", theirs, 1);
    snprintf(why, sizeof why,
             "no disk cache: HOME is %s, which belongs to user %ld, not to %ld; FUSOR_CACHE_DIR names another", theirs,
             other, (long)geteuid());
    default_dir_is(NULL, why);
    snprintf(base, sizeof base, "%s/not/yet", theirs);
    setenv("XDG_CACHE_HOME", base, 1);
    snprintf(
        why, sizeof why,
        "no disk cache: XDG_CACHE_HOME is %s, which belongs to user %ld, not to %ld; FUSOR_CACHE_DIR names another",
        base, other, (long)geteuid());
    default_dir_is(NULL, why);
    unsetenv("XDG_CACHE_HOME");

    /* A context says it once, works, and leaves nothing there. */
    snprintf(why, sizeof why,
             "fusor: no disk cache: HOME is %s, which belongs to user %ld, not to %ld; FUSOR_CACHE_DIR names another\n",
             theirs, other, (long)geteuid());
    setenv("FUSOR_BACKEND", "cpu", 1);
    printed(open_default, why);
    setenv("FUSOR_CACHE_DIR", "", 1);
    printed(open_default, "");
    assert_int_equal(rmdir(home), 0);
}

/* The same of the directory that sources are dumped to. */
static void somebody_elses_dumps(void **state) {
    char dir[] = "/tmp/fusor-test-XXXXXX", why[300];
    const long other = geteuid() == 0 ? 12345 : 0;

    (void)state;
    assert_non_null(mkdtemp(dir));
    if (geteuid() == 0)
        assert_int_equal(chown(dir, 12345, 12345), 0);
    const char *theirs = geteuid() == 0 ? dir : "/tmp";
    setenv("FUSOR_BACKEND", "cpu", 1);
    setenv("FUSOR_CACHE_DIR", "", 1);
    setenv("FUSOR_DUMP_DIR", theirs, 1);
    snprintf(why, sizeof why, "fusor: nothing is dumped: %s belongs to user %ld, not to %ld\n", theirs, other,
             (long)geteuid());
    printed(open_default, why);
    if (geteuid() == 0)
        assert_int_equal(chown(dir, 0, 0), 0);
    setenv("FUSOR_DUMP_DIR", dir, 1);
    printed(open_default, "");
    assert_int_equal(rmdir(dir), 0);
}

/* A misspelled variable changes nothing, and somebody is told so. */
static void strangers_are_told(void **state) {
    char why[200];

    (void)state;
    for (size_t i = 0; i < sizeof strangers / sizeof strangers[0]; i++) {
        fsr_config c;
        setenv(strangers[i].name, "1", 1);
        assert_int_equal(fsr_config_init(&c, why, sizeof why), FSR_OK);
        assert_string_equal(why, strangers[i].said ? strangers[i].said : "");
        unsetenv(strangers[i].name);
    }
}

static void nobody_else_is_told_on_stderr(void **state) {
    static const char said[] = "fusor: the environment variable FUSOR_X is no knob and changes nothing\n";

    (void)state;
    setenv("FUSOR_BACKEND", "cpu", 1);
    setenv("FUSOR_X", "1", 1);
    printed(init_to_nobody, said);
    printed(open_default, said);
    setenv("FUSOR_LOG_LEVEL", "0", 1);
    printed(init_to_nobody, "");
    printed(open_default, "");
    unsetenv("FUSOR_X");
    setenv("FUSOR_LOG_LEVEL", "1", 1);
    printed(open_default, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(defaults, clean),
        cmocka_unit_test_setup(environment, clean),
        cmocka_unit_test_setup(strings, clean),
        cmocka_unit_test_setup(refused_values, clean),
        cmocka_unit_test_setup(several, clean),
        cmocka_unit_test_setup(short_why, clean),
        cmocka_unit_test_setup(checks_programs, clean),
        cmocka_unit_test_setup(default_dir, clean),
        cmocka_unit_test_setup(somebody_elses_home, clean),
        cmocka_unit_test_setup(somebody_elses_dumps, clean),
        cmocka_unit_test_setup(strangers_are_told, clean),
        cmocka_unit_test_setup(nobody_else_is_told_on_stderr, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

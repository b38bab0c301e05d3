/* SPDX-License-Identifier: MIT */
/* The configuration: defaults and environment from the table of knobs, the only place that reads the environment.
 *
 * A program with more rights than its caller (setuid, setgid, file capabilities) believes nothing that its caller
 * wrote: every variable counts as unset there, programs are looked for in the system's own directories, and a compiler
 * is started with an environment of two fixed variables. Counter-example to leaving out FUSOR_* alone: PATH chooses
 * which cc is run, TMPDIR and HOME where what it writes can be exchanged before it is loaded.
 *
 * Strings are borrowed from the environment, as fsr_config says: they stay valid until the program changes the
 * variable. An empty variable counts as unset (so that `FUSOR_FUEL= program` is no error), except for the cache's
 * directory, where the empty string has a meaning. */
#define _GNU_SOURCE /* secure_getenv, environ */
#include "runtime/config.h"
#include "graph/message.h"
#include "graph/nearest.h"
#include "graph/sized.h"
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

/* What integer knobs allow; those without a row allow every int. Where there are words the environment takes them for
 * the numbers from 0. */
typedef struct knob_range {
    const char *field;
    int low, high;
    const char *word[5];
} knob_range;

static const knob_range ranges[] = {
    {"backend", FSR_BACKEND_AUTO, FSR_BACKEND_REFERENCE, {"auto", "cpu", "cuda", "reference"}},
    {"isa", FSR_ISA_NATIVE, FSR_ISA_BASELINE, {"native", "avx512", "avx2", "baseline"}},
    {"fusion", 0, 1, {NULL}},
    {"fuel", -1, INT_MAX, {NULL}},
    {"cache_mb", 0, INT_MAX, {NULL}},
    {"modules", 1, INT_MAX, {NULL}},
    {"threads", 0, INT_MAX, {NULL}},
    {"device", 0, INT_MAX, {NULL}},
    {"log_level", FSR_LOG_SILENT, FSR_LOG_DEBUG, {NULL}},
    {"contraction", 0, 1, {NULL}},
    {"deterministic", 0, 1, {NULL}},
    {"profile", 0, 2, {NULL}},
    {"optimize", 0, 1, {NULL}},
    {"graphs", 0, 1, {NULL}},
};

#define LENGTH(array) ((int)(sizeof(array) / sizeof(array)[0]))

static knob_range knob_find(const char *field) {
    for (int i = 0; i < LENGTH(ranges); i++)
        if (strcmp(ranges[i].field, field) == 0)
            return ranges[i];
    return (knob_range){field, INT_MIN, INT_MAX, {NULL}};
}

/* The value of a knob's word, or -1. */
static int find_word(const knob_range *range, const char *text) {
    for (int i = 0; range->word[i]; i++)
        if (strcmp(range->word[i], text) == 0)
            return i;
    return -1;
}

/* "auto, cpu, cuda or reference". */
static void list_words(const knob_range *range, char *out, size_t size) {
    size_t used = 0;
    *out = 0;
    for (int i = 0; range->word[i] && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s",
                                 i == 0               ? ""
                                 : range->word[i + 1] ? ", "
                                                      : " or ",
                                 range->word[i]);
}

/* Keeps the first complaint: later ones find why already filled. */
static fsr_status complain(fsr_status before, char *why, size_t size, const char *variable, const char *text,
                           const knob_range *range) {
    char words[100];
    char raw[512];
    if (before != FSR_OK || !why || size == 0)
        return FSR_ERR_VALUE;
    list_words(range, words, sizeof words);
    if (*words)
        fsr_message_put(raw, sizeof raw, "%s is '%s'; it must be %s", variable, text, words);
    else if (range->high == INT_MAX)
        fsr_message_put(raw, sizeof raw, "%s is '%s'; it must be an integer of at least %d", variable, text,
                        range->low);
    else
        fsr_message_put(raw, sizeof raw, "%s is '%s'; it must be an integer from %d to %d", variable, text, range->low,
                        range->high);
    fsr_message_copy(why, size, raw);
    return FSR_ERR_VALUE;
}

static fsr_status read_int(fsr_status status, int *value, const char *field, const char *variable, char *why,
                           size_t size) {
    knob_range range = knob_find(field);
    const char *text = secure_getenv(variable);
    char *end;
    long number;

    if (!text || !*text)
        return status;
    if (find_word(&range, text) >= 0) {
        *value = find_word(&range, text);
        return status;
    }
    errno = 0;
    number = strtol(text, &end, 10);
    if (*end || errno == ERANGE || number < range.low || number > range.high)
        return complain(status, why, size, variable, text, &range);
    *value = (int)number;
    return status;
}

/* Never fails; the parameters are those of read_int, for the table's sake. */
static fsr_status read_str(fsr_status status, const char **value, const char *field, const char *variable, char *why,
                           size_t size) {
    const char *text = secure_getenv(variable);

    (void)why;
    (void)size;
    if (text && (*text || strcmp(field, "cache_dir") == 0))
        *value = text;
    return status;
}

#define PREFIX "FUSOR_"

static const char *const knobs[] = {
#define FSR_KNOB_NAME(kind, field, env, value, doc) #env,
    FSR_KNOB_LIST(FSR_KNOB_NAME)
#undef FSR_KNOB_NAME
};

/* Variables of the project's scripts and tests, without the prefix; those that end in _ stand for all that begin so. */
static const char *const others[] = {"BUILD_DIR", "CMAKE_ARGS", "JOBS",       "LONG_TESTS",   "SANITIZE_SECONDS",
                                     "TEST_",     "TRUST_",     "UPDATE_ABI", "UPDATE_GOLDEN"};

static bool is_known(const char *name) {
    for (int i = 0; i < LENGTH(knobs); i++)
        if (!strcmp(knobs[i], name))
            return true;
    for (int i = 0; i < LENGTH(others); i++) {
        const size_t n = strlen(others[i]);
        if (others[i][n - 1] == '_' ? !strncmp(others[i], name, n) : !strcmp(others[i], name))
            return true;
    }
    return false;
}

/* The first variable that means to be Fusor's and is not, as a warning; false: there is none. What somebody else set
 * for a program that runs with more rights than his is not looked at, as it is not read. */
static bool find_stranger(char *text, size_t size) {
    for (char **at = environ; at && *at && !getauxval(AT_SECURE); at++) {
        char name[64];
        if (strncmp(*at, PREFIX, strlen(PREFIX)) != 0)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(*at, "="), *at);
        if (is_known(name + strlen(PREFIX)))
            continue;
        fsr_nearest search = fsr_nearest_to(name + strlen(PREFIX));
        for (int i = 0; i < LENGTH(knobs); i++)
            fsr_nearest_offer(&search, knobs[i]);
        snprintf(text, size, "the environment variable %s is no knob and changes nothing%s%s%s", name,
                 search.name ? "; is " PREFIX : "", search.name ? search.name : "", search.name ? " meant?" : "");
        return true;
    }
    return false;
}

/* A warning that no buffer takes goes where the library's other warnings go. */
static void warn_of_strangers(const fsr_config *config, char *why, size_t size) {
    char raw[256], text[4 * sizeof raw];
    if (!find_stranger(raw, sizeof raw))
        return;
    fsr_message_copy(text, sizeof text, raw);
    if (why && size > 0)
        fsr_message_put(why, size, "%s", text);
    else if (config->log_level >= FSR_LOG_WARNING)
        fprintf(stderr, "fusor: %s\n", text);
}

/* The defaults, then what the environment says. */
static fsr_status read_knobs(fsr_config *config, char *why, size_t size) {
    fsr_status status = FSR_OK;
    memset(config, 0, sizeof *config);
#define FSR_KNOB_READ(kind, field, env, value, doc) \
    config->field = value;                          \
    status = read_##kind(status, &config->field, #field, "FUSOR_" #env, why, size);
    FSR_KNOB_LIST(FSR_KNOB_READ)
#undef FSR_KNOB_READ
    return status;
}

/* A config whose size does not do. */
static fsr_status refuse(fsr_status status, char *why, size_t size) {
    if (status && why && size > 0)
        fsr_message_put(why, size, "the config %s", fsr_sized_words(status));
    return status;
}

fsr_status fsr_config_init_sized(size_t config_size, fsr_config *config, char *why, size_t size) {
    fsr_config own;

    if (why && size > 0)
        *why = 0;
    if (!config)
        return FSR_ERR_NULL;
    fsr_status status = read_knobs(&own, why, size);
    fsr_status sized = fsr_sized_out(config, config_size, &own, sizeof own);
    if (sized)
        return refuse(sized, why, size);
    if (status == FSR_OK)
        warn_of_strangers(&own, why, size);
    return status;
}

fsr_status fsr_config_take(fsr_config *own, const fsr_config *config, size_t config_size, char *why, size_t size) {
    if (config_size < sizeof *own)
        read_knobs(own, NULL, 0);
    return refuse(fsr_sized_in(own, sizeof *own, config, config_size), why, size);
}

static fsr_status check_int(fsr_status status, int value, const char *field, char *why, size_t size) {
    knob_range range = knob_find(field);
    char text[16];

    if (value >= range.low && value <= range.high)
        return status;
    snprintf(text, sizeof text, "%d", value);
    return complain(status, why, size, field, text, &range);
}

/* Any string will do; NULL is the default. */
static fsr_status check_str(fsr_status status, const char *value, const char *field, char *why, size_t size) {
    (void)value;
    (void)field;
    (void)why;
    (void)size;
    return status;
}

fsr_status fsr_config_check(const fsr_config *config, char *why, size_t size) {
    fsr_status status = FSR_OK;

    if (why && size > 0)
        *why = 0;
    if (!config)
        return FSR_ERR_NULL;
#define FSR_KNOB_CHECK(kind, field, env, initial, doc) status = check_##kind(status, config->field, #field, why, size);
    FSR_KNOB_LIST(FSR_KNOB_CHECK)
#undef FSR_KNOB_CHECK
    return status;
}

/* Whether the directory at path, or where it is not there yet the one that it would be made in, is this user's. What
 * cannot be looked at is left to whoever uses it. The path is cut. */
static bool is_own(char *path, struct stat *info) {
    while (stat(path, info) != 0) {
        char *slash = strrchr(path, '/');
        if (errno != ENOENT || !slash || !path[1])
            return true;
        slash[slash == path] = 0;
    }
    return info->st_uid == geteuid();
}

char *fsr_config_default_cache_dir(char *why, size_t why_size) {
    const char *variable = "XDG_CACHE_HOME", *base = secure_getenv(variable), *tail = "/fusor";
    struct stat info;
    size_t size;
    char *path;

    *why = 0;
    if (!base || base[0] != '/') {
        variable = "HOME";
        base = secure_getenv(variable);
        tail = "/.cache/fusor";
    }
    if (!base || base[0] != '/')
        return NULL;
    size = strlen(base) + strlen(tail) + 1;
    path = malloc(size);
    if (!path)
        return NULL;
    snprintf(path, size, "%s", base);
    if (is_own(path, &info)) {
        snprintf(path, size, "%s%s", base, tail);
        return path;
    }
    fsr_message_put(why, why_size,
                    "no disk cache: %s is %s, which belongs to user %ld, not to %ld; FUSOR_CACHE_DIR names another",
                    variable, base, (long)info.st_uid, (long)geteuid());
    free(path);
    return NULL;
}

const char *fsr_config_search_path(void) {
    const char *path = secure_getenv("PATH");
    return path ? path : "/usr/bin:/bin";
}

const char *fsr_config_temporary_dir(void) {
    const char *dir = secure_getenv("TMPDIR");
    return dir && dir[0] == '/' ? dir : P_tmpdir;
}

static char *assignment(const char *name, const char *value) {
    const size_t size = strlen(name) + strlen(value) + 2;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s=%s", name, value);
    return text;
}

/* At most `most` of the variables, but those that a child is given others of, borrowed. Returns how many. */
static size_t copy_environment(const char **to, size_t most) {
    size_t n = 0;
    for (size_t i = 0; i < most && environ[i]; i++)
        if (strncmp(environ[i], "TMPDIR=", 7) != 0 && strncmp(environ[i], "LC_ALL=", 7) != 0)
            to[n++] = environ[i];
    return n;
}

bool fsr_config_child_open(fsr_child_environment *e, const char *temporary) {
    const bool secure = getauxval(AT_SECURE) != 0;
    size_t most = 0, n = 0;
    while (!secure && environ && environ[most])
        most++;
    *e = (fsr_child_environment){.variable = calloc(most + 4, sizeof *e->variable)};
    e->own[0] = assignment("TMPDIR", temporary ? temporary : fsr_config_temporary_dir());
    e->own[1] = secure ? assignment("PATH", fsr_config_search_path()) : NULL;
    if (!e->variable || !e->own[0] || (secure && !e->own[1])) {
        fsr_config_child_close(e);
        return false;
    }
    n = copy_environment(e->variable, most);
    e->variable[n++] = "LC_ALL=C";
    e->variable[n++] = e->own[0];
    e->variable[n] = e->own[1];
    return true;
}

void fsr_config_child_close(fsr_child_environment *e) {
    free(e->own[0]);
    free(e->own[1]);
    free(e->variable);
    *e = (fsr_child_environment){0};
}

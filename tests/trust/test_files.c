/* SPDX-License-Identifier: MIT */
/* Every file, process and loader call of the CPU backend and of .npy files failing in turn. A failure of the disk
 * cache never shows; any other gives a status and a message, or the right bytes; half reads, half writes and
 * interruptions never show.
 * Afterwards the same work succeeds on the same context, and on a new one with the same cache; no descriptor and no
 * temporary directory is left. */
#include "tests/support/subject.h"
#include "tests/trust/faults.h"
#include "tests/trust/scenarios.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static outcome expected, got;
static char dir[64], cache[80], dump[80], temporary[80];

static void empty(const char *path) {
    char name[400];
    DIR *at = opendir(path);
    for (struct dirent *e; at && (e = readdir(at));) {
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        if (e->d_name[0] != '.' || strncmp(e->d_name, ".fsr", 4) == 0)
            unlink(name);
    }
    if (at)
        closedir(at);
    rmdir(path);
}

/* ---- one fault ------------------------------------------------------------------------------------------------ */

typedef struct plan {
    const char *how;
    fsr_config config;
    bool cold; /* the cache is emptied before each fault */
    fault_way way;
    int error;
} plan;

typedef struct tally {
    int faults, survived;
} tally;

static bool is_of_the_cache(const char *call) {
    static const char *const calls[] = {"openat",   "renameat",  "fstatat", "unlinkat",
                                        "futimens", "fdopendir", "readdir"};
    for (int i = 0; i < COUNT_OF(calls); i++)
        if (strcmp(calls[i], call) == 0)
            return true;
    return false;
}

/* A file that the caller asked for, which is written with the same calls: that it is not there must show. */
static bool is_of_the_callers(const char *message) {
    return strstr(message, "npy_write: ") || strstr(message, dump);
}

static void check(const scenario *s, const plan *p, int64_t k, const char *when) {
    if (got.status)
        fail_msg("%s, %s, fault %lld (%s): %s: %s: %s", s->name, p->how, (long long)k, faults_hit(), when,
                 fsr_status_name(got.status), got.message);
    if (got.bytes != expected.bytes || memcmp(got.data, expected.data, got.bytes) != 0)
        fail_msg("%s, %s, fault %lld (%s): %s: other bytes", s->name, p->how, (long long)k, faults_hit(), when);
}

static void check_failure(const scenario *s, const plan *p, int64_t k) {
    fsr_status status = got.status;
    bool fine = status == FSR_ERR_FILE || status == FSR_ERR_COMPILE || status == FSR_ERR_NO_COMPILER ||
                status == FSR_ERR_FORMAT ||
                (status == FSR_ERR_MEMORY && (p->error == ENOMEM || strncmp(faults_hit(), "posix_spawn", 11) == 0));
    if (!fine || !got.message[0])
        fail_msg("%s, %s, fault %lld (%s): %s: \"%s\"", s->name, p->how, (long long)k, faults_hit(),
                 fsr_status_name(status), got.message);
    if (p->way != FAULT_ERROR || (is_of_the_cache(faults_hit()) && !is_of_the_callers(got.message)))
        fail_msg("%s, %s, fault %lld (%s) should not show: %s", s->name, p->how, (long long)k, faults_hit(),
                 got.message);
}

static fsr_context *open_context(const fsr_config *config, const char *how) {
    fsr_context *ctx = NULL;
    char why[300];
    if (fsr_open_why(config, &ctx, why, sizeof why)) {
        faults_disarm();
        fail_msg("%s: open with %s failing: %s", how, faults_hit(), why);
    }
    return ctx;
}

static bool one_fault(const scenario *s, const plan *p, int64_t k, tally *t) {
    if (p->cold)
        empty(cache);
    int descriptors = faults_descriptors();
    fault_live before = faults_live();
    faults_arm(FAULT_FILE, p->way, k, false, p->error, NULL);
    fsr_context *ctx = open_context(&p->config, p->how);
    scenario_run(s, ctx, &got);
    bool hit = faults_disarm();
    if (got.status && hit)
        check_failure(s, p, k);
    else
        check(s, p, k, "with the fault");
    t->faults += hit;
    t->survived += hit && !got.status;
    if (hit) {
        scenario_run(s, ctx, &got);
        check(s, p, k, "afterwards");
    }
    fsr_close(ctx);
    ctx = open_context(&p->config, p->how);
    scenario_run(s, ctx, &got);
    check(s, p, k, "in another context");
    fsr_close(ctx);
    if (faults_descriptors() != descriptors)
        fail_msg("%s, %s, fault %lld (%s): a descriptor is left open", s->name, p->how, (long long)k, faults_hit());
    if (faults_live().blocks != before.blocks) {
        faults_list_live(before.serial);
        fail_msg("%s, %s, fault %lld (%s): memory is left", s->name, p->how, (long long)k, faults_hit());
    }
    if (faults_directories(strcmp(faults_hit(), "unlink") == 0 || strcmp(faults_hit(), "rmdir") == 0))
        fail_msg("%s, %s, fault %lld (%s): a temporary directory is left", s->name, p->how, (long long)k, faults_hit());
    return hit;
}

/* The fast tier has every third call failing. */
static bool is_mine(int64_t k) {
    return subject_case(0, k % 3 == 1 ? SUBJECT_FAST : SUBJECT_LONG);
}

static void all_faults(const char *name, const plan *p) {
    const scenario *s = scenario_find(name);
    fsr_config plain = scenario_config(FSR_BACKEND_CPU);
    fsr_context *ctx = open_context(&plain, p->how);
    scenario_run(s, ctx, &expected);
    assert_int_equal(expected.status, FSR_OK);
    fsr_close(ctx);
    tally t = {0, 0};
    for (int64_t k = 1; !is_mine(k) || one_fault(s, p, k, &t); k++)
        ;
    assert_true(t.faults > 0);
    printf("%-11s %-26s %-12s %4d faults, %4d survived\n", name, p->how,
           p->way == FAULT_ERROR   ? strerror(p->error)
           : p->way == FAULT_SHORT ? "short"
                                   : "interrupted",
           t.faults, t.survived);
}

static void all_ways(const char *name, plan p) {
    static const int errors[] = {ENOSPC, ENOMEM};
    for (int i = 0; i < COUNT_OF(errors); i++) {
        p.way = FAULT_ERROR;
        p.error = errors[i];
        all_faults(name, &p);
    }
    p.way = FAULT_SHORT;
    all_faults(name, &p);
    p.way = FAULT_INTERRUPTED;
    all_faults(name, &p);
}

/* ---- tests ------------------------------------------------------------------------------------------ */

static void compiler(void **state) {
    (void)state;
    all_ways("several", (plan){.how = "no cache", .config = scenario_config(FSR_BACKEND_CPU)});
}

static void cold_cache(void **state) {
    (void)state;
    plan p = {.how = "cold cache", .config = scenario_config(FSR_BACKEND_CPU), .cold = true};
    p.config.cache_dir = cache;
    all_ways("several", p);
}

static void warm_cache(void **state) {
    (void)state;
    plan p = {.how = "warm cache", .config = scenario_config(FSR_BACKEND_CPU)};
    p.config.cache_dir = cache;
    all_ways("several", p);
    empty(cache);
}

static void dumped_and_loaded(void **state) {
    (void)state;
    plan p = {.how = "dumped", .config = scenario_config(FSR_BACKEND_CPU)};
    p.config.dump_dir = dump;
    all_ways("softmax", p);
    p.how = "loaded";
    p.config.dump_dir = NULL;
    p.config.load_dir = dump;
    all_ways("softmax", p);
    empty(dump);
}

static void npy(void **state) {
    (void)state;
    plan p = {.how = "reference", .config = scenario_config(FSR_BACKEND_REFERENCE), .error = EIO};
    all_faults("npy", &p);
}

/* Files beside the one of this name, hidden ones too. */
static int files_beside(const char *name) {
    int n = 0;
    DIR *at = opendir(dir);
    for (struct dirent *e; at && (e = readdir(at));)
        n += e->d_type == DT_REG && strcmp(e->d_name, name) != 0;
    if (at)
        closedir(at);
    return n;
}

/* A file is replaced whole or not at all, and no temporary is left. */
static void npy_replaced_whole(void **state) {
    (void)state;
    char path[100];
    snprintf(path, sizeof path, "%s/x.npy", dir);
    fsr_config config = scenario_config(FSR_BACKEND_REFERENCE);
    fsr_context *ctx = open_context(&config, "npy");
    fsr_graph *g = fsr_graph_new(ctx);
    const float value[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    int faults = 0, old = 0, new = 0;
    bool hit = true;
    for (int64_t k = 1; hit; k++) {
        fsr_node first = fsr_from_host(g, FSR_F32, 1, SHAPE(4), value[0]),
                 second = fsr_from_host(g, FSR_F32, 1, SHAPE(4), value[1]);
        assert_int_equal(fsr_npy_write(first, path), FSR_OK);
        faults_arm(FAULT_FILE, FAULT_ERROR, k, false, ENOSPC, NULL);
        fsr_status status = fsr_npy_write(second, path);
        hit = faults_disarm();
        if (hit && status && (status != FSR_ERR_FILE || !strstr(fsr_error(ctx), strerror(ENOSPC))))
            fail_msg("%s: %s: %s", faults_hit(), fsr_status_name(status), fsr_error(ctx));
        assert_true(hit || !status);
        float back[4];
        assert_int_equal(fsr_read(fsr_npy_read(g, path), back, sizeof back), FSR_OK);
        const bool unsynced = status && strstr(fsr_error(ctx), "written, but its directory cannot be synced: ");
        assert_memory_equal(back, value[status && !unsynced ? 0 : 1], sizeof back);
        assert_int_equal(files_beside("x.npy"), 0);
        faults += hit;
        new += unsynced;
        old += status && !unsynced;
    }
    assert_true(faults >= 5 && old > 0 && new == 1);
    printf("npy replaced: %d faults, the old file stayed %d times\n", faults, old);
    fsr_close(ctx);
    unlink(path);
}

/* Where the machine cannot be described, nothing is cached: an object could be another machine's. */
static void unknown_machine(void **state) {
    (void)state;
    fsr_config config = scenario_config(FSR_BACKEND_CPU);
    config.cache_dir = cache;
    const scenario *s = scenario_find("softmax");
    for (int i = 0; i < 2; i++) {
        fsr_context *ctx = open_context(&config, "unknown machine");
        fsr_stats stats;
        faults_arm(FAULT_FILE, FAULT_ERROR, 1, true, ENOSYS, "uname");
        scenario_run(s, ctx, &got);
        assert_true(faults_disarm());
        assert_int_equal(got.status, FSR_OK);
        fsr_context_stats(ctx, &stats);
        assert_int_equal(stats.cache_hits_disk, 0);
        fsr_close(ctx);
    }
    empty(cache);
}

/* A compiler that ends badly is an error with its words; mended, the same context goes on. */
static void compiler_fails(void **state) {
    (void)state;
    fsr_config config = scenario_config(FSR_BACKEND_CPU);
    fsr_context *ctx = open_context(&config, "compiler fails");
    const scenario *s = scenario_find("softmax");
    faults_exit_status = 3;
    scenario_run(s, ctx, &got);
    faults_exit_status = 0;
    assert_int_equal(got.status, FSR_ERR_COMPILE);
    assert_non_null(strstr(got.message, "exit status 3"));
    scenario_run(s, ctx, &got);
    assert_int_equal(got.status, FSR_OK);
    fsr_close(ctx);
}

/* No compiler at first: FSR_ERR_NO_COMPILER each time, until there is one. */
static void compiler_comes_later(void **state) {
    (void)state;
    char path[100];
    snprintf(path, sizeof path, "%s/cc", dir);
    fsr_config config = scenario_config(FSR_BACKEND_CPU);
    config.compiler = path;
    fsr_context *ctx = open_context(&config, "compiler comes later");
    const scenario *s = scenario_find("softmax");
    for (int i = 0; i < 2; i++) {
        scenario_run(s, ctx, &got);
        assert_int_equal(got.status, FSR_ERR_NO_COMPILER);
        assert_non_null(strstr(got.message, path));
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("#!/bin/sh\nexec cc \"$@\"\n", file);
    fclose(file);
    assert_int_equal(chmod(path, 0700), 0);
    scenario_run(s, ctx, &got);
    assert_int_equal(got.status, FSR_OK);
    fsr_close(ctx);
    unlink(path);
}

/* Printing into a full device is told. */
static void printing(void **state) {
    (void)state;
    fsr_config config = scenario_config(FSR_BACKEND_CPU);
    fsr_context *ctx = open_context(&config, "printing");
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node x = fsr_exp(fsr_full(g, FSR_F32, 1, SHAPE(4), 1));
    fsr_status (*const prints[])(const fsr_node *, int, FILE *) = {fsr_print, fsr_dot, fsr_explain};
    for (int i = 0; i < COUNT_OF(prints); i++) {
        FILE *full = fopen("/dev/full", "w");
        assert_non_null(full);
        setvbuf(full, NULL, _IONBF, 0);
        subject_error(ctx, prints[i](&x, 1, full), FSR_ERR_FILE, "");
        fclose(full);
    }
    fsr_close(ctx);
}

/* Temporary files in a directory with nothing else in it: every entry that a sweep reads is a call that may fail. */
static bool make_directories(void) {
    strcpy(dir, "/tmp/fusor-trust-XXXXXX");
    if (!mkdtemp(dir))
        return false;
    snprintf(cache, sizeof cache, "%s/cache", dir);
    snprintf(dump, sizeof dump, "%s/dump", dir);
    snprintf(temporary, sizeof temporary, "%s/temporary", dir);
    return mkdir(temporary, 0700) == 0 && setenv("TMPDIR", temporary, 1) == 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiler),
        cmocka_unit_test(cold_cache),
        cmocka_unit_test(warm_cache),
        cmocka_unit_test(dumped_and_loaded),
        cmocka_unit_test(npy),
        cmocka_unit_test(npy_replaced_whole),
        cmocka_unit_test(unknown_machine),
        cmocka_unit_test(compiler_fails),
        cmocka_unit_test(compiler_comes_later),
        cmocka_unit_test(printing),
    };
    if (!subject_take_part() || !make_directories())
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    empty(temporary);
    empty(dir);
    printf("%lld calls failed on purpose\n", (long long)faults_count());
    return failed;
}

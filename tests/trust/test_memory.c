/* SPDX-License-Identifier: MIT */
/* Every allocation of every scenario failing, alone, and (not from each one) with all that follow: a status that says
 * memory, a message, nothing leaked, and the same work on the same context right afterwards gives the same bytes as
 * ever. */
#include "tests/support/subject.h"
#include "tests/trust/faults.h"
#include "tests/trust/scenarios.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static outcome expected, got;

typedef struct tally {
    int faults, survived;
} tally;

static fsr_context *open_context(const fsr_config *config) {
    fsr_context *ctx = NULL;
    char why[300];
    if (fsr_open_why(config, &ctx, why, sizeof why))
        fail_msg("open: %s", why);
    return ctx;
}

static void check_failed(const char *name, int64_t k) {
    if (got.status != FSR_ERR_MEMORY)
        fail_msg("%s, fault %lld (%s): %s, not out of memory: %s", name, (long long)k, faults_hit(),
                 fsr_status_name(got.status), got.message);
    if (!got.message[0])
        fail_msg("%s, fault %lld (%s): no message", name, (long long)k, faults_hit());
    if (!strstr(got.message, "memory"))
        fail_msg("%s, fault %lld (%s): the message does not speak of memory: %s", name, (long long)k, faults_hit(),
                 got.message);
}

static void check_live(const char *name, int64_t k, fault_live before) {
    fault_live after = faults_live();
    if (after.blocks == before.blocks)
        return;
    faults_list_live(before.serial);
    fail_msg("%s, fault %lld (%s): %lld blocks more than before, %lld bytes", name, (long long)k, faults_hit(),
             (long long)(after.blocks - before.blocks), (long long)(after.bytes - before.bytes));
}

/* One fault in s on a fresh context. False: s was through before fault number k. */
static bool one_fault(const scenario *s, const fsr_config *config, int64_t k, bool forever, tally *t) {
    int descriptors = faults_descriptors();
    fault_live before = faults_live();
    fsr_context *ctx = open_context(config);
    faults_arm(FAULT_MEMORY, FAULT_ERROR, k, forever, 0, NULL);
    scenario_run(s, ctx, &got);
    bool hit = faults_disarm();
    if (got.status && hit)
        check_failed(s->name, k);
    else
        scenario_check(&got, &expected, s->name, k, "with the fault");
    t->faults += hit;
    t->survived += hit && !got.status;
    if (hit) {
        scenario_run(s, ctx, &got);
        scenario_check(&got, &expected, s->name, k, "afterwards");
    }
    fsr_close(ctx);
    check_live(s->name, k, before);
    assert_int_equal(faults_descriptors(), descriptors);
    return hit;
}

/* The fast tier has every seventh allocation failing alone. */
static bool is_mine(int64_t k) {
    return subject_case(0, k % 7 == 1 ? SUBJECT_FAST : SUBJECT_LONG);
}

static void all_faults(const scenario *s, const fsr_config *config, const char *how) {
    fsr_context *ctx = open_context(config);
    scenario_run(s, ctx, &expected);
    if (expected.status)
        fail_msg("%s: %s: %s", s->name, fsr_status_name(expected.status), expected.message);
    assert_true(expected.bytes > 0);
    fsr_close(ctx);
    tally t = {0, 0};
    for (int64_t k = 1; !is_mine(k) || one_fault(s, config, k, false, &t); k++)
        ;
    for (int64_t k = 1; one_fault(s, config, k, true, &t); k += 1 + k / 16)
        ;
    assert_true(t.faults > 0 && t.survived < t.faults);
    printf("%-11s %-12s %5d faults, %3d survived\n", s->name, how, t.faults, t.survived);
}

/* ---- tests -------------------------------------------------------------------------------------------------- */

static void compiled(void **state) {
    (void)state;
    fsr_config config = scenario_config(FSR_BACKEND_CPU);
    for (int i = 0; i < scenario_count; i++)
        all_faults(&scenarios[i], &config, "compiled");
}

static void reference(void **state) {
    (void)state;
    fsr_config config = scenario_config(FSR_BACKEND_REFERENCE);
    const char *const names[] = {"elementwise", "softmax", "tuples"};
    for (int i = 0; i < COUNT_OF(names); i++)
        all_faults(scenario_find(names[i]), &config, "reference");
}

static void unfused(void **state) {
    (void)state;
    fsr_config config = scenario_config(FSR_BACKEND_CPU);
    config.fusion = 0;
    all_faults(scenario_find("softmax"), &config, "unfused");
}

/* With a disk cache, and with every source dumped and then read again. */
static void with_files(void **state) {
    (void)state;
    char dir[64], cache[80], dump[80];
    subject_temporary_dir(dir);
    snprintf(cache, sizeof cache, "%s/cache", dir);
    snprintf(dump, sizeof dump, "%s/dump", dir);
    fsr_config config = scenario_config(FSR_BACKEND_CPU);
    config.cache_dir = cache;
    all_faults(scenario_find("several"), &config, "disk cache");
    config.cache_dir = "";
    config.dump_dir = dump;
    all_faults(scenario_find("several"), &config, "dumped");
    config.dump_dir = NULL;
    config.load_dir = dump;
    all_faults(scenario_find("several"), &config, "loaded");
    subject_remove_dir(dir);
}

static void opening(void **state) {
    (void)state;
    char dir[64], why[300];
    subject_temporary_dir(dir);
    fsr_config config = scenario_config(FSR_BACKEND_CPU);
    config.cache_dir = config.dump_dir = config.load_dir = dir;
    int faults = 0, survived = 0;
    bool hit = true;
    for (int forever = 0; forever < 2; forever++, hit = true)
        for (int64_t k = 1; hit; k++) {
            fault_live before = faults_live();
            fsr_context *ctx = NULL;
            faults_arm(FAULT_MEMORY, FAULT_ERROR, k, forever, 0, NULL);
            fsr_status status = fsr_open_why(&config, &ctx, why, sizeof why);
            hit = faults_disarm();
            if (hit && status && (status != FSR_ERR_MEMORY || !why[0] || ctx))
                fail_msg("opening, fault %lld (%s): %s: %s", (long long)k, faults_hit(), fsr_status_name(status), why);
            if (!hit || !status)
                assert_true(ctx && !status);
            faults += hit;
            survived += hit && !status;
            fsr_close(ctx);
            check_live("opening", k, before);
        }
    assert_true(faults > 10);
    printf("%-11s %-12s %5d faults, %3d survived\n", "opening", "cpu", faults, survived);
    subject_remove_dir(dir);
}

/* A thread that has never met an error has no place for one: the message is there all the same. */
static void a_message_without_memory(void **state) {
    (void)state;
    fsr_config config = scenario_config(FSR_BACKEND_CPU);
    fsr_context *ctx = open_context(&config);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node x = fsr_full(g, FSR_F32, 1, (const int64_t[]){4}, 1);
    float y[4];
    faults_arm(FAULT_MEMORY, FAULT_ERROR, 1, true, 0, NULL);
    fsr_status status = fsr_read(x, y, sizeof y);
    assert_true(faults_disarm());
    assert_int_equal(status, FSR_ERR_MEMORY);
    assert_int_equal(fsr_error_status(ctx), FSR_ERR_MEMORY);
    assert_non_null(strstr(fsr_error(ctx), "memory"));
    assert_int_equal(fsr_read(x, y, 3), FSR_ERR_BYTES);
    assert_non_null(strstr(fsr_error(ctx), "16 bytes"));
    fsr_close(ctx);
}

/* Nodes of a graph without memory are poisoned with that, each, and so is what uses them. */
static void nodes_without_memory(void **state) {
    (void)state;
    fsr_config config = scenario_config(FSR_BACKEND_CPU);
    fsr_context *ctx = open_context(&config);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node good = fsr_full(g, FSR_F32, 1, (const int64_t[]){4}, 1), last = good;
    faults_arm(FAULT_MEMORY, FAULT_ERROR, 1, true, 0, NULL);
    for (int i = 0; i < 300 && !fsr_node_status(last); i++)
        last = fsr_neg(good);
    fsr_node other = fsr_exp(good), sum = fsr_sum(good, NULL, 0, 0), used = fsr_add(good, last);
    assert_true(faults_disarm());
    const fsr_node all[] = {last, other, sum, used};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(fsr_node_status(all[i]), FSR_ERR_MEMORY);
        assert_non_null(strstr(fsr_node_error(all[i]), "memory"));
        assert_int_equal(fsr_compute(&all[i], 1), FSR_ERR_MEMORY);
        assert_non_null(strstr(fsr_error(ctx), "memory"));
    }
    float y[4];
    assert_int_equal(fsr_read(fsr_neg(good), y, sizeof y), FSR_OK);
    assert_true(y[3] == -1);
    fsr_close(ctx);
}

/* Threads that cannot be started are not missed: the calling one does their work. */
static void threads_without_memory(void **state) {
    (void)state;
    fsr_config config = scenario_config(FSR_BACKEND_CPU);
    config.threads = 4;
    for (int i = 0; i < 2; i++) {
        fsr_context *ctx = open_context(&config);
        fsr_graph *g = fsr_graph_new(ctx);
        fsr_node x = fsr_arange(g, FSR_I64, 1 << 21);
        const fsr_node outs[2] = {fsr_hint_set(fsr_mul(x, fsr_int(g, 3)), FSR_HINT_MATERIALIZE),
                                  fsr_sum(x, NULL, 0, 0)};
        int64_t sum = 0, last = 0;
        faults_arm(FAULT_MEMORY, FAULT_ERROR, 1 + i, true, 0, "pthread_create");
        fsr_status status = fsr_compute(outs, 2);
        faults_disarm();
        assert_int_equal(status, FSR_OK);
        assert_int_equal(fsr_read(outs[1], &sum, sizeof sum), FSR_OK);
        assert_int_equal(fsr_read(fsr_max(outs[0], NULL, 0, 0), &last, sizeof last), FSR_OK);
        assert_true(sum == ((int64_t)1 << 20) * ((1 << 21) - 1) && last == 3 * (((int64_t)1 << 21) - 1));
        fsr_close(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opening),
        cmocka_unit_test(a_message_without_memory),
        cmocka_unit_test(nodes_without_memory),
        cmocka_unit_test(threads_without_memory),
        cmocka_unit_test(compiled),
        cmocka_unit_test(unfused),
        cmocka_unit_test(reference),
        cmocka_unit_test(with_files),
    };
    if (!subject_take_part())
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("%lld calls failed on purpose\n", (long long)faults_count());
    return failed;
}

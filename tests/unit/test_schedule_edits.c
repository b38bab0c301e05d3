/* SPDX-License-Identifier: MIT */
/* Schedules for a CPU that somebody has edited: what the verifier accepts computes what the interpreter computes.
 * Fields of finished schedules are changed at random, in kernels of integers, where every association gives the same
 * bits; rows are long enough for chunks, strips and parts to matter. Counter-example to trying a few edits by hand: a
 * map that is `flat` although an access goes by columns reads other elements, and nothing else looks wrong.
 *
 * The fast tier has the first half of them. FUSOR_EDITS=<first>,<n>: other edits than those of every run. */
#include "tests/support/cpu_fixture.h"
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 5, COLUMNS = 1300, EDITS = 150 };

static uint64_t random_state;
static int finds;

static int below(int n) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((random_state >> 33) % (uint64_t)n);
}

static fsr_kernel *scheduled(fsr_kernel *k, fsr_schedule_kind kind) {
    const int tall = k->schedule.tall;
    k->schedule = kernel_cpu_schedule(kind, 8, 64, kind == FSR_SCHEDULE_COL ? 32 : 1);
    return kernel_finished(kernel_tiled(k, tall));
}

static fsr_kernel *any_kernel(void) {
    const fsr_schedule_kind kind = below(2) ? FSR_SCHEDULE_ROW : FSR_SCHEDULE_COL;
    switch (below(13)) {
    case 0: return scheduled(kernel_map(FSR_I32), FSR_SCHEDULE_MAP);
    case 1: return scheduled(kernel_loop_map(FSR_I32), FSR_SCHEDULE_MAP);
    case 2: return scheduled(kernel_planes(FSR_I32), FSR_SCHEDULE_MAP);
    case 3: return scheduled(kernel_scan_of_scan(FSR_I64), FSR_SCHEDULE_ROW);
    case 4: return scheduled(kernel_loop_sums(FSR_I32), FSR_SCHEDULE_ROW);
    case 5: return scheduled(kernel_scan(FSR_I32, below(2)), FSR_SCHEDULE_ROW);
    case 6: return scheduled(kernel_argmax(FSR_I32), FSR_SCHEDULE_ROW);
    case 7:
    case 8: return scheduled(kernel_tiled(kernel_products(FSR_I32, below(2)), 6 * below(2)), FSR_SCHEDULE_COL);
    default: {
        fsr_schedule s = kernel_cpu_schedule(kind, 8, 64, kind == FSR_SCHEDULE_COL ? 32 : 1);
        s.persistent = kind == FSR_SCHEDULE_ROW && below(2); /* values are kept */
        fsr_kernel *k = kernel_random((uint64_t)below(1 << 20), s, below(2));
        k->schedule.persistent = false;
        return k;
    }
    }
}

/* ---- edits ------------------------------------------------------------------------------------------------- */

static void edit_walk(fsr_walk *w) {
    switch (below(5)) {
    case 0: w->form = (fsr_walk_form)below(5); break;
    case 1: w->functions = below(3); break;
    case 2: w->phased = !w->phased; break;
    case 3: w->rest = w->asked = 1 << below(4); break;
    default: w->near = !w->near;
    }
}

static void edit_version(fsr_schedule *s) {
    fsr_loop_version *version = &s->version[below(2)];
    switch (below(3)) {
    case 0: s->nversions = below(3); break;
    case 1: version->holds ^= (uint64_t)1 << below(4); break;
    default: version->never ^= (uint64_t)1 << below(4);
    }
}

static void edit_stand(fsr_stand *stand) {
    bool *const flags[] = {&stand->gathered, &stand->keep, &stand->staged};
    *flags[below(3)] ^= true;
}

static void edit(fsr_kernel *k) {
    static const int lengths[] = {0, 1, 2, 3, 7, 8, 16, 24, 32, 48, 64, 128, 192, 256, 512, 1000, 1024, 4096};
    fsr_schedule *s = &k->schedule;
    int *const numbers[] = {&s->abreast, &s->lanes,      &s->chunk,      &s->part,   &s->strip, &s->block,
                            &s->run,     &s->past,       &s->ahead_cols, &s->tile,   &s->tall,  &s->across,
                            &s->level,   &s->pair_level, &s->line,       &s->unroll, &s->panel, &s->breadth};
    bool *const flags[] = {&s->flat, &s->cut_steps, &s->brief, &s->wide, &s->turned};
    uint64_t *const arrays[] = {&s->streams, &s->ahead};
    uint32_t *const folds[] = {&s->joined, &s->widened};
    switch (below(10)) {
    case 0:
    case 1:
    case 2: *numbers[below(18)] = lengths[below(18)]; break;
    case 3: *flags[below(5)] ^= true; break;
    case 4:
        if (below(2))
            *arrays[below(2)] ^= UINT64_C(1) << below(6);
        else
            *folds[below(2)] ^= 1u << below(6);
        break;
    case 5: edit_walk(below(4) ? &s->walk[below(k->npasses ? k->npasses : 1)] : &s->fold_walk); break;
    case 6: *(below(2) ? &s->tiled : &s->turns[below(2)]) = lengths[below(9)]; break;
    case 7: edit_stand(&k->stand[below(k->ninsts)]); break;
    case 8: edit_version(s); break;
    default: s->kind = (fsr_schedule_kind)below(4);
    }
}

/* ---- both ways --------------------------------------------------------------------------------------------- */

static void interpret(const fsr_kernel *k, const fsr_launch *launch) {
    fsr_launch own = *launch;
    assert_int_equal(fsr_kernel_interpret(k, &own), FSR_OK);
}

/* Prints what was found, so that one run shows all of it. */
static void find(const fsr_kernel *k, int number, const char *why) {
    fprintf(stderr, "edit %d: %s\n", number, why);
    fsr_kernel_print(k, stderr);
    finds++;
}

static void compare(cpu_fixture *t, fsr_kernel *k, int number) {
    kernel_data expected, got;
    char why[300];
    int where;
    fsr_fault fault = {0};
    fsr_module *m = NULL;
    fsr_launch launch = {.blocks = 0}, other;
    kernel_sizes(k, &launch, ROWS, COLUMNS);
    for (int s = 0; s < k->nscalars; s++)
        launch.scalar[s] = fsr_value_from_int(k->scalar[s], 50);
    other = launch;
    kernel_data_new(&expected, k, &launch, 3);
    kernel_data_new(&got, k, &other, 3);
    interpret(k, &launch);
    other.work = malloc((size_t)fsr_kernel_work_bytes(k, other.integer) + 1);
    assert_non_null(other.work);
    const fsr_backend_ops *ops = t->backend->ops;
    if (ops->compile(t->backend, k, &m, &fault) || ops->launch(t->backend, m, &other, NULL, &fault))
        find(k, number, fault.message);
    else if (!kernel_data_equal(&expected, &got, k, 0, why, sizeof why))
        find(k, number, why);
    else if (!kernel_data_guards(&got, k, &where))
        find(k, number, "writes outside of its arrays");
    if (m)
        ops->release(t->backend, m);
    fsr_fault_clear(&fault);
    free(other.work);
    kernel_data_free(&expected);
    kernel_data_free(&got);
}

/* What the kernel's code makes of `columns` columns. */
static void run(cpu_fixture *t, fsr_kernel *k, int64_t columns, kernel_data *out) {
    const fsr_backend_ops *ops = t->backend->ops;
    fsr_fault fault = {0};
    fsr_module *m = NULL;
    fsr_launch launch = {.blocks = 0};
    kernel_sizes(k, &launch, 70, columns);
    kernel_data_new(out, k, &launch, 3);
    launch.work = malloc((size_t)fsr_kernel_work_bytes(k, launch.integer) + 1);
    assert_non_null(launch.work);
    assert_int_equal(ops->compile(t->backend, k, &m, &fault), FSR_OK);
    assert_int_equal(ops->launch(t->backend, m, &launch, NULL, &fault), FSR_OK);
    ops->release(t->backend, m);
    free(launch.work);
}

/* Several columns in a turn of the loop over rows keep the order of a float's additions: the same bits as one. */
static void unrolled_columns_keep_bits(void **state) {
    static const int unrolls[] = {2, 3, 4, 16}, columns[] = {0, 1, 3, 4, 5, 63, 64, 67, 1300};
    for (int u = 0; u < 4; u++)
        for (int c = 0; c < 9; c++) {
            fsr_kernel *k = scheduled(kernel_row_sums(FSR_F32), FSR_SCHEDULE_COL);
            kernel_data one, several;
            char why[300];
            k->schedule.unroll = 0;
            run(*state, k, columns[c], &one);
            k->schedule.unroll = unrolls[u];
            assert_int_equal(fsr_kernel_verify(k, why, sizeof why), FSR_OK);
            run(*state, k, columns[c], &several);
            if (!kernel_data_equal(&one, &several, k, 0, why, sizeof why))
                fail_msg("%d at once of %d columns: %s", unrolls[u], columns[c], why);
            kernel_data_free(&one);
            kernel_data_free(&several);
            fsr_kernel_free(k);
        }
}

static void accepted_edits_compute(void **state) {
    const char *asked = getenv("FUSOR_EDITS");
    int first = subject_case(0, SUBJECT_FAST) ? 0 : EDITS / 2, refused = 0, accepted = 0;
    int n = (subject_case(0, SUBJECT_LONG) ? EDITS : EDITS / 2) - first;
    if (asked && sscanf(asked, "%d,%d", &first, &n) != 2)
        fail_msg("FUSOR_EDITS=%s", asked);
    for (int number = first; number < first + n; number++) {
        char why[256];
        random_state = (uint64_t)number * UINT64_C(0x9e3779b97f4a7c15);
        for (int i = 0; i < 5; i++)
            below(2);
        fsr_kernel *k = any_kernel();
        if (fsr_kernel_verify(k, why, sizeof why))
            fail_msg("edit %d, before it: %s", number, why);
        for (int edits = 1 + below(3); edits > 0; edits--)
            edit(k);
        k->schedule.work = 1 << 20; /* shared by threads however small it is */
        if (fsr_kernel_verify(k, why, sizeof why)) {
            refused++;
        } else {
            accepted++;
            compare(*state, k, number);
        }
        fsr_kernel_free(k);
    }
    printf("%d edits refused, %d accepted and run, %d wrong\n", refused, accepted, finds);
    assert_int_equal(finds, 0);
}

/* Several threads, so that rows are divided. */
static int setup(void **state) {
    fsr_config config = cpu_config();
    cpu_fixture *t = calloc(1, sizeof *t);
    assert_non_null(t);
    config.threads = 3;
    t->backend = cpu_open(&config);
    *state = t;
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(unrolled_columns_keep_bits, setup, cpu_teardown),
                                       cmocka_unit_test_setup_teardown(accepted_edits_compute, setup, cpu_teardown)};
    return subject_take_part() ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}

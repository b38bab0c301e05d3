/* SPDX-License-Identifier: MIT */
/* A context after fork: the parent's goes on, in the child every call on it says whose it is, closing it is safe, and a
 * context of the child's own works: on the CPU, since a GPU's driver does not survive fork, also where any backend
 * would do. Skipped under the thread sanitizer, which lets no child start a thread. */
#include "tests/support/subject.h"
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGE = 1 << 20, SECONDS = 60 };

/* In the child a failure is told by the exit status: the line. */
#define MUST(condition)                                 \
    do {                                                \
        if (!(condition)) {                             \
            _exit(__LINE__ % 255 ? __LINE__ % 255 : 1); \
        }                                               \
    } while (0)

/* Runs body in a child, which a signal ends if it hangs. */
static void in_child(void (*body)(void *), void *arg) {
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(SECONDS);
        body(arg);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status))
        fail_msg("the child ended by signal %d", WTERMSIG(status));
    if (WEXITSTATUS(status))
        fail_msg("the child failed in line %d (modulo 255)", WEXITSTATUS(status));
}

/* ---- what the parent made ------------------------------------------------------------------------------------- */

typedef struct family {
    fsr_context *ctx;
    fsr_graph *g;
    fsr_node data, computed, pending;
    fsr_plan *plan;
} family;

static family family_open(void) {
    fsr_config config = subject_config();
    config.threads = 4;
    family f = {.ctx = subject_open(&config)};
    f.g = fsr_graph_new(f.ctx);
    f.data = fsr_arange(f.g, FSR_F32, LARGE);
    f.computed = fsr_mul(fsr_add(f.data, fsr_float(f.g, 1)), fsr_float(f.g, 2));
    assert_int_equal(fsr_force(f.computed), FSR_OK);
    f.pending = fsr_exp(f.computed);
    fsr_node y = fsr_add(fsr_input(f.g, "x", FSR_F32, 1, SHAPE(4)), fsr_float(f.g, 1));
    assert_int_equal(fsr_compile(&y, 1, &f.plan), FSR_OK);
    return f;
}

/* The sum of computed, which needs the pool. */
static void family_works(const family *f) {
    fsr_scope_begin(f->g);
    double sum = 0;
    fsr_node s = fsr_sum(fsr_cast(f->computed, FSR_F64), NULL, 0, 0);
    assert_int_equal(fsr_read(s, &sum, sizeof sum), FSR_OK);
    assert_true(sum == (double)LARGE * (LARGE + 1));
    fsr_scope_end(f->g, NULL, 0);
}

static void own_context(fsr_backend_kind kind) {
    fsr_config config = subject_config();
    config.backend = kind;
    config.threads = 4;
    fsr_context *ctx = NULL;
    MUST(fsr_open(&config, &ctx) == FSR_OK);
    fsr_graph *g = fsr_graph_new(ctx);
    double sum = 0;
    MUST(fsr_read(fsr_sum(fsr_arange(g, FSR_F64, LARGE), NULL, 0, 0), &sum, sizeof sum) == FSR_OK);
    MUST(sum == (double)LARGE * (LARGE - 1) / 2);
    fsr_close(ctx);
}

/* ---- in the child ------------------------------------------------------------------------------------------------ */

static void refused(fsr_context *ctx, fsr_status status) {
    MUST(status == FSR_ERR_FORKED);
    MUST(fsr_error_status(ctx) == FSR_ERR_FORKED);
    MUST(strstr(fsr_error(ctx), "child") != NULL);
    fsr_error_clear(ctx);
    MUST(fsr_error_status(ctx) == FSR_OK);
}

static void every_call(void *arg) {
    family *f = arg;
    fsr_context *ctx = f->ctx;
    static float data[LARGE];
    const fsr_arg in = {"x", data, 16, FSR_HOST}, out = {NULL, data + 4, 16, FSR_HOST};
    fsr_plan *plan;
    fsr_plan_info info;
    fsr_stats stats;
    fsr_verify_report report;
    refused(ctx, fsr_compute(&f->pending, 1));
    refused(ctx, fsr_force(f->pending));
    refused(ctx, fsr_read(f->computed, data, sizeof data));
    refused(ctx, fsr_compile(&f->pending, 1, &plan));
    refused(ctx, fsr_plan_run(f->plan, &in, 1, &out, 1, NULL));
    refused(ctx, fsr_plan_query(f->plan, &info));
    refused(ctx, fsr_explain(&f->pending, 1, stdout));
    refused(ctx, fsr_query(&f->pending, 1, &info));
    refused(ctx, fsr_print(&f->pending, 1, stdout));
    refused(ctx, fsr_dot(&f->pending, 1, stdout));
    refused(ctx, fsr_verify(&f->pending, 1, &report));
    refused(ctx, fsr_npy_write(f->computed, "/nonexistent/x.npy"));
    refused(ctx, fsr_sync(ctx));
    refused(ctx, fsr_trim(ctx));
    refused(ctx, fsr_context_stats(ctx, &stats));
    MUST(fsr_graph_new(ctx) == NULL);
    refused(ctx, fsr_error_status(ctx));
    MUST(fsr_node_status(fsr_from_host(f->g, FSR_F32, 1, SHAPE(4), data)) == FSR_ERR_FORKED);
    MUST(strcmp(fsr_backend_name(ctx), "") != 0 && fsr_device_name(ctx));
    fsr_node y = fsr_add(f->pending, f->data);
    MUST(fsr_node_status(y) == FSR_OK);
    refused(ctx, fsr_force(y));
    MUST(fsr_scope_begin(f->g) == FSR_OK);
    fsr_neg(y);
    MUST(fsr_scope_end(f->g, NULL, 0) == FSR_OK);
    fsr_plan_free(f->plan);
    fsr_graph_free(f->g);
    fsr_close(ctx);
}

static void close_only(void *arg) {
    fsr_close(((family *)arg)->ctx);
}

static int descriptors(void) {
    DIR *at = opendir("/proc/self/fd");
    int n = 0;
    while (at && readdir(at))
        n++;
    if (at)
        closedir(at);
    return n;
}

/* The cache's directory is one; on a GPU the driver's stay open. */
static void close_and_open(void *arg) {
    int before = descriptors();
    fsr_close(((family *)arg)->ctx);
    MUST(descriptors() < before);
    own_context(FSR_BACKEND_CPU);
    own_context(FSR_BACKEND_REFERENCE);
    own_context(FSR_BACKEND_AUTO);
}

static void open_without_closing(void *arg) {
    (void)arg;
    own_context(FSR_BACKEND_CPU);
}

/* A thread of the child's own, which ends with an error of the parent's context. */
static void *child_thread(void *arg) {
    family *f = arg;
    refused(f->ctx, fsr_sync(f->ctx));
    MUST(fsr_sync(f->ctx) == FSR_ERR_FORKED);
    return NULL;
}

static void threads_of_the_child(void *arg) {
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, child_thread, arg) == 0);
    MUST(pthread_join(thread, NULL) == 0);
    MUST(fsr_sync(((family *)arg)->ctx) == FSR_ERR_FORKED);
    fsr_close(((family *)arg)->ctx);
}

static void grandchild(void *arg) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        every_call(arg);
        _exit(0);
    }
    MUST(waitpid(child, &status, 0) == child && WIFEXITED(status));
    _exit(WEXITSTATUS(status));
}

/* ---- tests ------------------------------------------------------------------------------------------------- */

static void with_the_pool_idle(void **state) {
    (void)state;
    static void (*const body[])(void *) = {every_call,           close_only,           close_and_open,
                                           open_without_closing, threads_of_the_child, grandchild};
    for (int i = 0; i < COUNT_OF(body); ++i) {
        family f = family_open();
        in_child(body[i], &f);
        family_works(&f);
        fsr_close(f.ctx);
    }
}

/* The parent's last error stays the parent's. */
static void errors_of_the_parent(void **state) {
    (void)state;
    family f = family_open();
    float x;
    assert_int_equal(fsr_read(f.computed, &x, sizeof x), FSR_ERR_BYTES);
    in_child(every_call, &f);
    assert_int_equal(fsr_error_status(f.ctx), FSR_ERR_BYTES);
    fsr_close(f.ctx);
}

typedef struct worker {
    fsr_context *ctx;
    atomic_bool stop;
    atomic_int turns;
    bool compiles; /* a new kernel each turn */
    fsr_status status;
} worker;

static fsr_status turn(const worker *w, fsr_graph *g, int i) {
    float sum = 0;
    fsr_scope_begin(g);
    fsr_node x = fsr_arange(g, FSR_F32, LARGE);
    for (int k = 0; w->compiles && k <= i % 40; ++k)
        x = fsr_sin(x);
    fsr_status status = fsr_read(fsr_max(fsr_neg(x), NULL, 0, 0), &sum, sizeof sum);
    fsr_scope_end(g, NULL, 0);
    return status;
}

static void *work(void *arg) {
    worker *w = arg;
    fsr_graph *g = fsr_graph_new(w->ctx);
    while (!atomic_load(&w->stop) && !w->status)
        w->status = turn(w, g, atomic_fetch_add(&w->turns, 1));
    fsr_graph_free(g);
    return NULL;
}

/* Forks while another thread computes: whatever lock it holds, the child must not wait for it. */
static void beside_a_thread(bool compiles, int forks, void (*const *body)(void *), int bodies) {
    family f = family_open();
    worker w = {.ctx = f.ctx, .compiles = compiles};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, work, &w), 0);
    while (!atomic_load(&w.turns))
        usleep(1000);
    for (int i = 0; i < forks; ++i) {
        in_child(body[i % bodies], &f);
        usleep((useconds_t)(i * 137 % 1000));
    }
    atomic_store(&w.stop, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(w.status, FSR_OK);
    family_works(&f);
    fsr_close(f.ctx);
}

static void while_another_computes(void **state) {
    (void)state;
    static void (*const body[])(void *) = {every_call, close_only, close_and_open, threads_of_the_child};
    beside_a_thread(false, 24, body, COUNT_OF(body));
}

/* No context is opened in these children: where a thread of the parent was in the loader, the child's loader is not to
 * be used (contracts.md says so). */
static void while_another_compiles(void **state) {
    (void)state;
    static void (*const body[])(void *) = {every_call, close_only, threads_of_the_child};
    beside_a_thread(true, 12, body, COUNT_OF(body));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(with_the_pool_idle),
    cmocka_unit_test(errors_of_the_parent),
    cmocka_unit_test(while_another_computes),
    cmocka_unit_test(while_another_compiles),
};
#if defined(__SANITIZE_THREAD__)
int main(void) {
    printf("%d tests skipped: the thread sanitizer lets no child start a thread\n", COUNT_OF(tests));
    return 77;
}
#else
SUBJECT_MAIN(tests)
#endif

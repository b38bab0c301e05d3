/* SPDX-License-Identifier: MIT */
/* Signals are for the program's own threads: those that Fusor starts, for kernels and for compiling, block all of them,
 * and the caller's mask stays as it was. Calls that a signal interrupts go on. */
#include "tests/support/subject.h"
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { LARGE = 1 << 20 };

static atomic_bool over;

/* The mask of thread `id`, or of this one ("self"), as the kernel tells it; all ones where it is gone. Of one that is
 * just ending the kernel tells an empty mask, and that its process has 0 threads. */
static unsigned long long blocked(const char *id) {
    char path[300], line[200];
    unsigned long long mask = ~0ULL;
    int threads = 1;
    if (strcmp(id, "self") == 0)
        snprintf(path, sizeof path, "/proc/thread-self/status");
    else
        snprintf(path, sizeof path, "/proc/self/task/%s/status", id);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Threads: %d", &threads) == 1 ? threads == 0 : sscanf(line, "SigBlk: %llx", &mask) == 1)
            break;
    if (file)
        fclose(file);
    return mask;
}

typedef struct watcher {
    int most; /* threads seen at once */
    int open; /* of these, how many blocked no signal */
} watcher;

/* Looks at all threads until it is over. */
static void *watch(void *arg) {
    watcher *w = arg;
    while (!atomic_load(&over)) {
        DIR *at = opendir("/proc/self/task");
        int n = 0, open = 0;
        for (struct dirent *e; at && (e = readdir(at));) {
            const unsigned long long mask = e->d_name[0] == '.' ? 0 : blocked(e->d_name);
            n += e->d_name[0] != '.';
            open += mask == 0 && e->d_name[0] != '.';
        }
        if (at)
            closedir(at);
        w->most = n > w->most ? n : w->most;
        w->open = open > w->open ? open : w->open;
    }
    return NULL;
}

/* Several new kernels in one plan, and one that is worth threads. */
static void compute(fsr_context *ctx, int salt) {
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node x = fsr_arange(g, FSR_F64, LARGE), out[3];
    for (int i = 0; i < 3; ++i) {
        out[i] = fsr_sin(x);
        for (int k = 0; k <= salt + i; ++k)
            out[i] = fsr_add(fsr_abs(out[i]), fsr_param(g, "p", FSR_F64, 1));
        out[i] = fsr_sum(fsr_slice(out[i], 0, 0, LARGE - 1000 * i, 1), NULL, 0, 0);
    }
    fsr_status status = fsr_compute(out, 3);
    if (status)
        fail_msg("%s", fsr_error(ctx));
    fsr_graph_free(g);
}

static void our_threads_block_signals(void **state) {
    (void)state;
    fsr_config config = subject_config();
    config.threads = 4;
    config.cache_dir = "";
    watcher w = {0, 0};
    pthread_t thread;
    const unsigned long long before = blocked("self");
    atomic_store(&over, false);
    fsr_context *ctx = subject_open(&config);
    assert_int_equal(pthread_create(&thread, NULL, watch, &w), 0);
    compute(ctx, 0);
    compute(ctx, 3);
    atomic_store(&over, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    fsr_close(ctx);
    assert_true(blocked("self") == before);
    assert_true(w.most > 3);
    assert_int_equal(w.open, 2); /* this one, and the one that looks */
}

static atomic_int alarms;

static void count(int signal) {
    (void)signal;
    atomic_fetch_add(&alarms, 1);
}

/* A handler without SA_RESTART, every millisecond, while kernels are compiled and run. */
static void interrupted_calls_go_on(void **state) {
    (void)state;
    fsr_config config = subject_config();
    config.cache_dir = "";
    struct sigaction often = {.sa_handler = count}, was;
    const struct itimerval each = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    fsr_context *ctx = subject_open(&config);
    assert_int_equal(sigaction(SIGALRM, &often, &was), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &each, NULL), 0);
    compute(ctx, 6);
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    assert_int_equal(sigaction(SIGALRM, &was, NULL), 0);
    fsr_stats stats;
    assert_int_equal(fsr_context_stats(ctx, &stats), FSR_OK);
    assert_int_equal(stats.interpreted, 0);
    fsr_close(ctx);
    assert_true(atomic_load(&alarms) > 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(our_threads_block_signals),
    cmocka_unit_test(interrupted_calls_go_on),
};
SUBJECT_MAIN(tests)

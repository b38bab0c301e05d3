/* SPDX-License-Identifier: MIT */
/* The fuzzer of the public functions: random sequences of calls (tests/api/api.h).
 *
 *     api_fuzz [--sequences N] [--seed S] [--only SEED] [--functions]
 *
 * Sequences S, S+1, ... are played by child processes, in turn on a fused context, an unfused one and the reference. A
 * child that ends otherwise than it should, or stands still, or writes something, is a find: its sequence is cut down,
 * call by call, while it fails in the same way, and printed as C. --only plays one and prints it; --functions prints
 * the functions of the table. */
#define _GNU_SOURCE
#include "tests/api/api.h"
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A sanitizer's allocator refuses as malloc does, and large blocks as a small machine would. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "allocator_may_return_null=1:max_allocation_size_mb=1024";
}
const char *__tsan_default_options(void);
const char *__tsan_default_options(void) {
    return "allocator_may_return_null=1:max_allocation_size_mb=1024";
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1, STILL_SECONDS = 60 };
#else
enum { SANITIZED = 0, STILL_SECONDS = 20 };
#endif
enum { BATCH = 250, FINDS = 3, WORDS = 700 };
#define MEMORY_LIMIT ((rlim_t)4 << 30)

/* What a child and its parent share. */
typedef struct shared {
    api_tally tally;
    uint64_t seed;
    char words[WORDS];
} shared;
static shared *page;

typedef struct find {
    bool found;
    uint64_t seed;
    char key[WORDS];
} find;

/* ---- in the child ------------------------------------------------------------------------------------------ */

static int output = -1; /* what the library writes goes there */

static void failed(const char *words) {
    snprintf(page->words, sizeof page->words, "%s", words);
}

/* A sanitizer says so where it refuses a large block. */
static bool silent(void) {
    char line[1000];
    FILE *file = fdopen(dup(output), "r");
    bool fine = file != NULL;
    fflush(stdout);
    fflush(stderr);
    if (file)
        rewind(file);
    while (file && fgets(line, sizeof line, file))
        if (!SANITIZED || !strstr(line, "failed to allocate"))
            fine = false;
    if (file)
        fclose(file);
    return fine;
}

static void limit(void) {
    const struct rlimit memory = {MEMORY_LIMIT, MEMORY_LIMIT}, core = {0, 0};
    if (!SANITIZED)
        setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CORE, &core);
}

/* Plays seeds, or the one sequence; trace goes to where the parent writes. */
static void child(uint64_t seed, long n, const api_sequence *only, FILE *trace) {
    api_contexts contexts;
    api_sequence s;
    api_failed = failed;
    api_tells = &page->tally;
    limit();
    api_open(&contexts);
    for (long i = 0; i < n; i++) {
        page->seed = seed + (uint64_t)i;
        if (only)
            s = *only;
        else
            api_generate(&s, page->seed);
        api_play(&contexts, &s, (int)(page->seed % 3), trace);
        if (!silent()) {
            failed("something was written");
            abort();
        }
    }
    page->tally.now = "fsr_close";
    api_close(&contexts);
    page->tally.now = "the end, where leaks are told";
    exit(0);
}

/* ---- in the parent ----------------------------------------------------------------------------------------- */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Waits; a child that makes no call for long is ended. */
static bool await(pid_t pid, int *status) {
    const struct timespec nap = {0, 2000000};
    int64_t calls = -1;
    double since = now();
    while (waitpid(pid, status, WNOHANG) == 0) {
        if (page->tally.calls != calls) {
            calls = page->tally.calls;
            since = now();
        } else if (now() - since > STILL_SECONDS) {
            kill(pid, SIGKILL);
            waitpid(pid, status, 0);
            return false;
        }
        nanosleep(&nap, NULL);
    }
    return true;
}

static void show_output(int fd) {
    char text[4096];
    ssize_t n;
    lseek(fd, 0, SEEK_SET);
    while ((n = read(fd, text, sizeof text)) > 0)
        fwrite(text, 1, (size_t)n, stdout);
    fflush(stdout);
}

/* One child; what it wrote is shown if that is asked for. */
static find play(uint64_t seed, long n, const api_sequence *only, bool show) {
    find f = {.found = false};
    int status = 0;
    memset(page->words, 0, sizeof page->words);
    page->seed = seed;
    page->tally.now = "fsr_open";
    fflush(stdout);
    output = memfd_create("output", MFD_CLOEXEC);
    const int out = dup(1);
    const pid_t pid = fork();
    if (pid < 0 || output < 0) {
        perror("fork");
        exit(1);
    }
    if (pid == 0) {
        dup2(output, 1);
        dup2(output, 2);
        child(seed, n, only, show ? fdopen(out, "w") : NULL);
    }
    const bool moved = await(pid, &status);
    f.found = !moved || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    f.seed = page->seed;
    if (f.found && page->words[0])
        snprintf(f.key, sizeof f.key, "%s", page->words);
    else if (f.found && !moved)
        snprintf(f.key, sizeof f.key, "stands still in %s", page->tally.now);
    else if (f.found)
        snprintf(f.key, sizeof f.key, "%s %d in %s", WIFSIGNALED(status) ? "signal" : "exit status",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), page->tally.now);
    if (show)
        show_output(output);
    close(output);
    close(out);
    return f;
}

/* The same find: its words, but for numbers in them. */
static bool same(const char *a, const char *b) {
    while (*a && *b) {
        while (isdigit((unsigned char)*a) || *a == '-' || *a == '.')
            a++;
        while (isdigit((unsigned char)*b) || *b == '-' || *b == '.')
            b++;
        if (*a != *b)
            return false;
        if (*a)
            a++, b++;
    }
    return true;
}

static int count(const api_sequence *s) {
    int n = 0;
    for (int i = 0; i < s->n; i++)
        n += !s->call[i].dropped;
    return n;
}

/* Leaves out runs of calls, long ones first, as long as it still fails. */
static void shrink(api_sequence *s, const find *f) {
    for (int size = s->n; size >= 1; size = size > 1 ? size / 2 : 0)
        for (int i = 0; i < s->n; i += size) {
            api_sequence less = *s;
            for (int k = i; k < i + size && k < s->n; k++)
                less.call[k].dropped = true;
            if (count(&less) == count(s))
                continue;
            const find again = play(f->seed, 1, &less, false);
            if (again.found && same(again.key, f->key))
                *s = less;
        }
}

/* A leak is told at the end of a child: the range is halved until one seed is left. */
static void locate(find *f, uint64_t seed, long n) {
    while (n > 1) {
        const find half = play(seed, n / 2, NULL, false);
        if (!half.found)
            seed += (uint64_t)(n / 2);
        n = half.found ? n / 2 : n - n / 2;
    }
    f->seed = seed;
}

static void report(find *f) {
    api_sequence s;
    api_generate(&s, f->seed);
    printf("\nseed %llu: %s\n", (unsigned long long)f->seed, f->key);
    find alone = play(f->seed, 1, &s, false);
    if (alone.found) {
        *f = alone;
        shrink(&s, f);
    } else {
        printf("(not by itself: something was left by a sequence before it)\n");
    }
    play(f->seed, 1, &s, true);
}

/* Up to n sequences; how many finds there were. */
static int hunt(uint64_t seed, long n) {
    int finds = 0;
    while (n > 0 && finds < FINDS) {
        const long batch = n < BATCH ? n : BATCH;
        find f = play(seed, batch, NULL, false);
        long played = batch;
        if (f.found) {
            finds++;
            if (strstr(f.key, "the end"))
                locate(&f, seed, batch);
            played = (long)(f.seed - seed) + 1;
            report(&f);
        }
        seed += (uint64_t)played;
        n -= played;
    }
    return finds;
}

static void print_functions(void) {
    for (int i = 0; i < api_rows(); i++)
        printf("%s\n", api_row_at(i)->name);
}

int main(int argc, char **argv) {
    long n = SANITIZED ? 1500 : 3000;
    uint64_t seed = 1;
    bool only = false;
    page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return 1;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--functions") == 0) {
            print_functions();
            return 0;
        }
        if (i + 1 < argc && strcmp(argv[i], "--sequences") == 0)
            n = atol(argv[++i]);
        else if (i + 1 < argc && (strcmp(argv[i], "--seed") == 0 || strcmp(argv[i], "--only") == 0)) {
            only = strcmp(argv[i], "--only") == 0;
            seed = strtoull(argv[++i], NULL, 10);
        } else {
            fprintf(stderr, "usage: %s [--sequences N] [--seed S] [--only SEED] [--functions]\n", argv[0]);
            return 2;
        }
    }
    if (only) {
        api_sequence s;
        api_generate(&s, seed);
        const find f = play(seed, 1, &s, true);
        printf("seed %llu: %s\n", (unsigned long long)seed, f.found ? f.key : "nothing found");
        return f.found;
    }
    const double begin = now();
    const int finds = hunt(seed, n);
    const api_tally *t = &page->tally;
    printf(
        "%ld sequences of calls, %lld calls of %d functions, %.0f s: nodes %lld good, %lld poisoned; statuses %lld ok, "
        "%lld errors; %d finds\n",
        n, (long long)t->calls, api_rows(), now() - begin, (long long)t->good, (long long)t->bad, (long long)t->done,
        (long long)t->refused, finds);
    return finds ? 1 : 0;
}

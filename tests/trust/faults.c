/* SPDX-License-Identifier: MIT */
/* The wrappers. __real_x is what x would have been; __wrap_x is what the program calls instead. */
#define _GNU_SOURCE
#include "tests/trust/faults.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- which call fails ------------------------------------------------------------------------------------ */

static struct {
    atomic_uint kinds;
    atomic_llong calls;
    atomic_bool hit;
    fault_way way;
    int64_t number;
    bool forever;
    int error;
    const char *only;
    char name[48];
} armed;
static atomic_llong failed;

void faults_arm(unsigned kinds, fault_way way, int64_t number, bool forever, int error, const char *only) {
    armed.way = way;
    armed.number = number;
    armed.forever = forever;
    armed.error = error;
    armed.only = only;
    armed.name[0] = 0;
    atomic_store(&armed.calls, 0);
    atomic_store(&armed.hit, false);
    atomic_store(&armed.kinds, kinds);
}

bool faults_disarm(void) {
    atomic_store(&armed.kinds, 0);
    return atomic_load(&armed.hit);
}

unsigned faults_pause(void) {
    return atomic_exchange(&armed.kinds, 0);
}

void faults_resume(unsigned kinds) {
    atomic_store(&armed.kinds, kinds);
}

const char *faults_hit(void) {
    return armed.name;
}

int64_t faults_count(void) {
    return atomic_load(&failed);
}

static bool knows_way(const char *name) {
    static const char *const both[] = {"read", "write", "waitpid"};
    for (int i = 0; i < (armed.way == FAULT_SHORT ? 2 : 3); i++)
        if (strcmp(both[i], name) == 0)
            return true;
    return armed.way == FAULT_ERROR;
}

bool fault_due(unsigned kind, const char *name, fault_way *way, int *error) {
    if (!(atomic_load_explicit(&armed.kinds, memory_order_acquire) & kind) || !knows_way(name) ||
        (armed.only && strcmp(armed.only, name) != 0))
        return false;
    int64_t call = atomic_fetch_add(&armed.calls, 1) + 1;
    if (call != armed.number && !(armed.forever && call > armed.number))
        return false;
    if (!atomic_exchange(&armed.hit, true))
        snprintf(armed.name, sizeof armed.name, "%s", name);
    atomic_fetch_add(&failed, 1);
    *way = armed.way;
    *error = armed.error;
    return true;
}

/* ---- live blocks ------------------------------------------------------------------------------------------- */

typedef struct block {
    struct block *next;
    void *data;
    void *caller;
    int64_t bytes, serial;
} block;

enum { BUCKETS = 8192 };
static block *bucket[BUCKETS];
static fault_live live;
static pthread_mutex_t live_lock = PTHREAD_MUTEX_INITIALIZER;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *data, size_t size);
void __real_free(void *data);

static block **place_of(void *data) {
    return &bucket[((uintptr_t)data >> 4) * 0x9e3779b97f4a7c15u >> 51];
}

static void *born(void *data, size_t bytes, void *caller) {
    block *b = data ? __real_malloc(sizeof *b) : NULL;
    if (!b)
        return data;
    pthread_mutex_lock(&live_lock);
    block **at = place_of(data);
    *b = (block){*at, data, caller, (int64_t)bytes, ++live.serial};
    *at = b;
    live.blocks++;
    live.bytes += b->bytes;
    pthread_mutex_unlock(&live_lock);
    return data;
}

static void dies(void *data) {
    block *b = NULL;
    pthread_mutex_lock(&live_lock);
    for (block **at = place_of(data); data && *at && !b; at = &(*at)->next)
        if ((*at)->data == data) {
            b = *at;
            *at = b->next;
            live.blocks--;
            live.bytes -= b->bytes;
            break;
        }
    pthread_mutex_unlock(&live_lock);
    __real_free(b);
}

fault_live faults_live(void) {
    pthread_mutex_lock(&live_lock);
    fault_live now = live;
    pthread_mutex_unlock(&live_lock);
    return now;
}

void faults_list_live(int64_t since) {
    pthread_mutex_lock(&live_lock);
    for (int i = 0; i < BUCKETS; i++)
        for (const block *b = bucket[i]; b; b = b->next) {
            Dl_info info;
            if (b->serial <= since)
                continue;
            bool named = dladdr(b->caller, &info) != 0;
            fprintf(stderr, "  %lld bytes from %s, %s+%#lx\n", (long long)b->bytes,
                    named && info.dli_sname ? info.dli_sname : "?", named && info.dli_fname ? info.dli_fname : "?",
                    named ? (unsigned long)((char *)b->caller - (char *)info.dli_fbase) : 0);
        }
    pthread_mutex_unlock(&live_lock);
}

/* ---- memory -------------------------------------------------------------------------------------------------- */

#define CALLER __builtin_return_address(0)

static bool no_memory(const char *name) {
    fault_way way;
    int error;
    if (!fault_due(FAULT_MEMORY, name, &way, &error))
        return false;
    errno = ENOMEM;
    return true;
}

void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size) {
    return no_memory("malloc") ? NULL : born(__real_malloc(size), size, CALLER);
}

void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size) {
    return no_memory("calloc") ? NULL : born(__real_calloc(n, size), n * size, CALLER);
}

void *__wrap_realloc(void *data, size_t size);
void *__wrap_realloc(void *data, size_t size) {
    if (no_memory("realloc"))
        return NULL;
    dies(data);
    void *moved = __real_realloc(data, size);
    return born(moved, size, CALLER);
}

void __wrap_free(void *data);
void __wrap_free(void *data) {
    dies(data);
    __real_free(data);
}

char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__wrap_strdup(const char *text) {
    return no_memory("strdup") ? NULL : born(__real_strdup(text), strlen(text) + 1, CALLER);
}

char *__real_strndup(const char *text, size_t n);
char *__wrap_strndup(const char *text, size_t n);
char *__wrap_strndup(const char *text, size_t n) {
    return no_memory("strndup") ? NULL : born(__real_strndup(text, n), n + 1, CALLER);
}

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    return no_memory("aligned_alloc") ? NULL : born(__real_aligned_alloc(alignment, size), size, CALLER);
}

int __real_posix_memalign(void **out, size_t alignment, size_t size);
int __wrap_posix_memalign(void **out, size_t alignment, size_t size);
int __wrap_posix_memalign(void **out, size_t alignment, size_t size) {
    if (no_memory("posix_memalign"))
        return ENOMEM;
    int error = __real_posix_memalign(out, alignment, size);
    if (!error)
        born(*out, size, CALLER);
    return error;
}

/* A memory stream whose growing is seen: libc's own allocates behind our back. */
typedef struct stream {
    char **text;
    size_t *size;
    size_t capacity;
    void *caller;
} stream;

static ssize_t stream_write(void *user, const char *data, size_t n) {
    stream *s = user;
    if (*s->size + n + 1 > s->capacity) {
        size_t capacity = 2 * (*s->size + n + 1);
        char *grown = no_memory("open_memstream's buffer") ? NULL : __real_realloc(*s->text, capacity);
        if (!grown)
            return 0;
        dies(*s->text);
        *s->text = born(grown, capacity, s->caller);
        s->capacity = capacity;
    }
    memcpy(*s->text + *s->size, data, n);
    *s->size += n;
    (*s->text)[*s->size] = 0;
    return (ssize_t)n;
}

/* Memory streams that are open: closing them is no file call. */
static _Atomic(FILE *) streams[8];

static bool is_stream(FILE *file) {
    for (int i = 0; i < 8; i++)
        if (atomic_load(&streams[i]) == file)
            return true;
    return false;
}

static void swap_stream(FILE *from, FILE *to) {
    for (int i = 0; i < 8; i++) {
        FILE *seen = from;
        if (atomic_compare_exchange_strong(&streams[i], &seen, to))
            return;
    }
    abort();
}

static int stream_close(void *user) {
    __wrap_free(user);
    return 0;
}

FILE *__real_fopencookie(void *cookie, const char *mode, cookie_io_functions_t io);
FILE *__wrap_open_memstream(char **text, size_t *size);
FILE *__wrap_open_memstream(char **text, size_t *size) {
    stream *s = no_memory("open_memstream") ? NULL : born(__real_calloc(1, sizeof *s), sizeof *s, CALLER);
    if (!s)
        return NULL;
    *text = born(__real_calloc(1, 1), 1, CALLER);
    *size = 0;
    *s = (stream){text, size, 1, CALLER};
    FILE *file = __real_fopencookie(s, "w", (cookie_io_functions_t){.write = stream_write, .close = stream_close});
    swap_stream(NULL, file);
    return file;
}

/* A stream into a function is memory too, and no file. */
FILE *__wrap_fopencookie(void *cookie, const char *mode, cookie_io_functions_t io);
FILE *__wrap_fopencookie(void *cookie, const char *mode, cookie_io_functions_t io) {
    FILE *file = no_memory("fopencookie") ? NULL : __real_fopencookie(cookie, mode, io);
    if (file)
        swap_stream(NULL, file);
    return file;
}

/* ---- threads: a resource like memory -------------------------------------------------------------------------- */

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *arg) {
    return no_memory("pthread_create") ? EAGAIN : __real_pthread_create(thread, attributes, start, arg);
}

int __real_pthread_key_create(pthread_key_t *key, void (*end)(void *));
int __wrap_pthread_key_create(pthread_key_t *key, void (*end)(void *));
int __wrap_pthread_key_create(pthread_key_t *key, void (*end)(void *)) {
    return no_memory("pthread_key_create") ? EAGAIN : __real_pthread_key_create(key, end);
}

/* glibc allocates for keys from number 32 on, once for each thread: so this never fails twice. */
int __real_pthread_setspecific(pthread_key_t key, const void *data);
int __wrap_pthread_setspecific(pthread_key_t key, const void *data);
int __wrap_pthread_setspecific(pthread_key_t key, const void *data) {
    bool first = !atomic_load(&armed.hit);
    return no_memory("pthread_setspecific") && first ? ENOMEM : __real_pthread_setspecific(key, data);
}

/* ---- files and processes ---------------------------------------------------------------------------------------- */

static bool bad(const char *name, fault_way *way) {
    int error;
    if (!fault_due(FAULT_FILE, name, way, &error))
        return false;
    errno = *way == FAULT_INTERRUPTED ? EINTR : error;
    return true;
}

static bool breaks(const char *name) {
    fault_way way;
    return bad(name, &way);
}

/* result name (parameters) -> __wrap_name: fails with `failure`, else goes on with (arguments). */
#define WRAP(result, name, parameters, arguments, failure) \
    result __real_##name parameters;                       \
    result __wrap_##name parameters;                       \
    result __wrap_##name parameters {                      \
        if (breaks(#name))                                 \
            return failure;                                \
        return __real_##name arguments;                    \
    }

WRAP(int, rename, (const char *from, const char *to), (from, to), -1)
WRAP(int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to), -1)
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode), -1)
WRAP(int, mkstemps, (char *path, int suffix), (path, suffix), -1)
WRAP(int, unlink, (const char *path), (path), -1)
WRAP(int, unlinkat, (int dir, const char *path, int flags), (dir, path, flags), -1)
WRAP(int, fstat, (int fd, struct stat *st), (fd, st), -1)
WRAP(int, fstatat, (int dir, const char *path, struct stat *st, int flags), (dir, path, st, flags), -1)
WRAP(int, stat, (const char *path, struct stat *st), (path, st), -1)
WRAP(int, pipe2, (int *ends, int flags), (ends, flags), -1)
WRAP(int, fsync, (int fd), (fd), -1)
WRAP(int, futimens, (int fd, const struct timespec *times), (fd, times), -1)
WRAP(FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL)
WRAP(FILE *, fdopen, (int fd, const char *mode), (fd, mode), NULL)
WRAP(DIR *, fdopendir, (int fd), (fd), NULL)
WRAP(struct dirent *, readdir, (DIR * dir), (dir), NULL)
WRAP(int, fflush, (FILE * file), (file), EOF)
WRAP(size_t, fread, (void *data, size_t size, size_t n, FILE *file), (data, size, n, file), 0)
WRAP(int, posix_spawn_file_actions_init, (posix_spawn_file_actions_t * actions), (actions), ENOMEM)
WRAP(int, posix_spawn_file_actions_addopen,
     (posix_spawn_file_actions_t * actions, int fd, const char *path, int flags, mode_t mode),
     (actions, fd, path, flags, mode), ENOMEM)

/* What is printed into a memory stream is no file call either. */
size_t __real_fwrite(const void *data, size_t size, size_t n, FILE *file);
size_t __wrap_fwrite(const void *data, size_t size, size_t n, FILE *file);
size_t __wrap_fwrite(const void *data, size_t size, size_t n, FILE *file) {
    return !is_stream(file) && breaks("fwrite") ? 0 : __real_fwrite(data, size, n, file);
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...) {
    va_list args;
    va_start(args, flags);
    int mode = flags & O_CREAT ? va_arg(args, int) : 0;
    va_end(args);
    return breaks("open") ? -1 : __real_open(path, flags, mode);
}

int __real_openat(int dir, const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, ...) {
    va_list args;
    va_start(args, flags);
    int mode = flags & O_CREAT ? va_arg(args, int) : 0;
    va_end(args);
    return breaks("openat") ? -1 : __real_openat(dir, path, flags, mode);
}

ssize_t __real_read(int fd, void *data, size_t n);
ssize_t __wrap_read(int fd, void *data, size_t n);
ssize_t __wrap_read(int fd, void *data, size_t n) {
    fault_way way;
    if (!bad("read", &way))
        return __real_read(fd, data, n);
    return way == FAULT_SHORT ? __real_read(fd, data, n > 1 ? n / 2 : n) : -1;
}

/* An error comes after half the data was written: what a full disk does. */
ssize_t __real_write(int fd, const void *data, size_t n);
ssize_t __wrap_write(int fd, const void *data, size_t n);
ssize_t __wrap_write(int fd, const void *data, size_t n) {
    fault_way way;
    if (!bad("write", &way))
        return __real_write(fd, data, n);
    if (way == FAULT_SHORT)
        return __real_write(fd, data, n > 1 ? n / 2 : n);
    int error = errno;
    if (way == FAULT_ERROR && __real_write(fd, data, n / 2) < 0)
        fprintf(stderr, "write: %s\n", strerror(errno));
    errno = error;
    return -1;
}

/* As on Linux the descriptor is closed and the stream is gone, also where that fails. */
int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd) {
    if (!breaks("close"))
        return __real_close(fd);
    int error = errno;
    __real_close(fd);
    errno = error;
    return -1;
}

int __real_fclose(FILE *file);
int __wrap_fclose(FILE *file);
int __wrap_fclose(FILE *file) {
    bool memory = is_stream(file);
    if (memory)
        swap_stream(file, NULL);
    if (memory || !breaks("fclose"))
        return __real_fclose(file);
    int error = errno;
    __real_fclose(file);
    errno = error;
    return EOF;
}

/* ---- processes -------------------------------------------------------------------------------------------------- */

/* The stub compiler: a program named STUB is not started. It is the machine's compiler, remembered: the same source
 * gives the same object, from memory. Thousands of contexts can so compile in a minute. */
typedef struct remembered {
    struct remembered *next;
    char *source, *object;
    size_t size;
} remembered;

enum { STUB_CHILD = 0x7ffffff0 };
static remembered *stub_memory;
static pthread_mutex_t stub_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int child_output, stub_status;
int faults_exit_status; /* what the stub's next compilations end with */

pid_t __real_waitpid(pid_t pid, int *status, int options);
int __real_posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *actions, int from, int to);
int __wrap_posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *actions, int from, int to);
int __wrap_posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *actions, int from, int to) {
    child_output = from;
    return breaks("posix_spawn_file_actions_adddup2") ? ENOMEM
                                                      : __real_posix_spawn_file_actions_adddup2(actions, from, to);
}

static char *whole_file(const char *path, size_t *size) {
    char *data = __real_malloc(1 << 20);
    int fd = data ? __real_open(path, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t n = 0;
    *size = 0;
    while (fd >= 0 && (n = __real_read(fd, data + *size, (1 << 20) - 1 - *size)) > 0)
        *size += (size_t)n;
    if (fd >= 0)
        __real_close(fd);
    if (fd < 0 || n < 0 || *size + 1 == 1 << 20)
        abort();
    data[*size] = 0;
    return data;
}

typedef int spawner(pid_t *child, const char *file, const posix_spawn_file_actions_t *actions,
                    const posix_spawnattr_t *attributes, char *const *argv, char *const *environment);
spawner __real_posix_spawn, __wrap_posix_spawn;

/* The lock is held. NULL: the compiler rejected the source. */
static const remembered *remember(char *source, const char *object, const posix_spawn_file_actions_t *actions,
                                  const posix_spawnattr_t *attributes, char *const *argv, char *const *environment) {
    pid_t child;
    const remembered *known = stub_memory;
    while (known && strcmp(known->source, source) != 0)
        known = known->next;
    if (known)
        return known;
    char cc[] = "cc", *args[64] = {cc}; /* the compiler finds its parts by its own name */
    for (int i = 1; argv[i] && i < 63; i++)
        args[i] = argv[i];
    if (posix_spawnp(&child, "cc", actions, attributes, args, environment) != 0)
        abort();
    __real_waitpid(child, &stub_status, 0);
    remembered *r = stub_status ? NULL : __real_malloc(sizeof *r);
    if (r) {
        *r = (remembered){.next = stub_memory, .source = source};
        r->object = whole_file(object, &r->size);
        stub_memory = r;
    }
    return r;
}

static void stub_compile(const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                         char *const *argv, char *const *environment) {
    const char *object = NULL, *from = NULL;
    for (int i = 1; argv[i]; i++) {
        if (strstr(argv[i], ".so"))
            object = argv[i];
        else if (strlen(argv[i]) > 2 && strcmp(argv[i] + strlen(argv[i]) - 2, ".c") == 0)
            from = argv[i];
    }
    size_t size;
    char *source = whole_file(from, &size);
    pthread_mutex_lock(&stub_lock);
    const remembered *r = remember(source, object, actions, attributes, argv, environment);
    pthread_mutex_unlock(&stub_lock);
    int fd = r ? __real_open(object, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700) : -1;
    if (r && (fd < 0 || __real_write(fd, r->object, r->size) != (ssize_t)r->size || __real_close(fd) != 0))
        abort();
    if (!r || r->source != source)
        __real_free(source);
}

int __wrap_posix_spawn(pid_t *child, const char *file, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const *argv, char *const *environment) {
    static const char version[] = "stub compiler 1\n";
    if (breaks("posix_spawn"))
        return EAGAIN;
    if (strcmp(file, FAULT_STUB_COMPILER) != 0)
        return __real_posix_spawn(child, file, actions, attributes, argv, environment);
    stub_status = 0;
    *child = STUB_CHILD;
    if (strcmp(argv[1], "--version") == 0) {
        if (__real_write(child_output, version, sizeof version - 1) < 0)
            abort();
    } else if (faults_exit_status) {
        stub_status = faults_exit_status << 8;
    } else {
        stub_compile(actions, attributes, argv, environment);
    }
    return 0;
}

int __real_waitid(idtype_t kind, id_t id, siginfo_t *info, int options);
int __wrap_waitid(idtype_t kind, id_t id, siginfo_t *info, int options);
int __wrap_waitid(idtype_t kind, id_t id, siginfo_t *info, int options) {
    if (breaks("waitid"))
        return -1;
    if (id != STUB_CHILD)
        return __real_waitid(kind, id, info, options);
    info->si_pid = STUB_CHILD;
    return 0;
}

static pid_t wait_for(pid_t pid, int *status, int options) {
    if (pid != STUB_CHILD)
        return __real_waitpid(pid, status, options);
    *status = stub_status;
    return pid;
}

const char *faults_machine;

int __real_uname(struct utsname *name);
int __wrap_uname(struct utsname *name);
int __wrap_uname(struct utsname *name) {
    if (breaks("uname"))
        return -1;
    int result = __real_uname(name);
    if (faults_machine)
        snprintf(name->machine, sizeof name->machine, "%s", faults_machine);
    return result;
}

/* The child is waited for in any case. */
pid_t __wrap_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options) {
    fault_way way;
    if (!bad("waitpid", &way))
        return wait_for(pid, status, options);
    if (way == FAULT_ERROR) {
        int unused;
        wait_for(pid, &unused, options);
        errno = ECHILD;
    }
    return -1;
}

/* ---- temporary directories -------------------------------------------------------------------------- */

/* In memory that children share: what a killed one leaves is known. */
typedef struct directories {
    atomic_uint count;
    char path[64][64];
} directories;
static directories *made;

__attribute__((constructor)) static void share_directories(void) {
    void *at = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        abort();
    made = at;
}

char *__real_mkdtemp(char *path);
char *__wrap_mkdtemp(char *path);
char *__wrap_mkdtemp(char *path) {
    if (breaks("mkdtemp") || !__real_mkdtemp(path))
        return NULL;
    snprintf(made->path[atomic_fetch_add(&made->count, 1) % 64], sizeof made->path[0], "%s", path);
    return path;
}

int __real_rmdir(const char *path);
int __wrap_rmdir(const char *path);
int __wrap_rmdir(const char *path) {
    return breaks("rmdir") ? -1 : __real_rmdir(path);
}

/* Removes a directory and the files in it. */
static void remove_directory(const char *path) {
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = __real_readdir(dir));)
        if (e->d_name[0] != '.')
            __real_unlinkat(dirfd(dir), e->d_name, 0);
    if (dir)
        closedir(dir);
    __real_rmdir(path);
}

int faults_directories(bool forgive) {
    int n = 0;
    for (int i = 0; i < 64; i++) {
        char *path = made->path[i];
        const char *name = strrchr(path, '/');
        bool left = name && strncmp(name, "/fusor-test-", 12) != 0 && strncmp(name, "/fusor-trust-", 13) != 0 &&
                    access(path, F_OK) == 0;
        n += left;
        if (left && forgive)
            remove_directory(path);
        if (forgive)
            path[0] = 0;
    }
    return forgive ? 0 : n;
}

int faults_descriptors(void) {
    DIR *dir = opendir("/proc/self/fd");
    int n = 0;
    while (dir && __real_readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n;
}

/* ---- libraries -------------------------------------------------------------------------------------- */

static bool nvrtc_is_fake;
static char fake_library; /* its address is the fake's handle */

void fault_fake_nvrtc(bool on) {
    nvrtc_is_fake = on;
}

void *__real_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags) {
    if (breaks("dlopen"))
        return NULL;
    return nvrtc_is_fake && name && strstr(name, "libnvrtc") ? &fake_library : __real_dlopen(name, flags);
}

void *__real_dlsym(void *library, const char *name);
void *__wrap_dlsym(void *library, const char *name);
void *__wrap_dlsym(void *library, const char *name) {
    if (breaks("dlsym"))
        return NULL;
    return library == &fake_library ? fake_nvrtc_symbol(name) : __real_dlsym(library, name);
}

int __real_dlclose(void *library);
int __wrap_dlclose(void *library);
int __wrap_dlclose(void *library) {
    return library == &fake_library ? 0 : __real_dlclose(library);
}

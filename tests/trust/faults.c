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

static int stream_close(void *user) {
    __wrap_free(user);
    return 0;
}

FILE *__wrap_open_memstream(char **text, size_t *size);
FILE *__wrap_open_memstream(char **text, size_t *size) {
    stream *s = no_memory("open_memstream") ? NULL : born(__real_calloc(1, sizeof *s), sizeof *s, CALLER);
    if (!s)
        return NULL;
    *text = born(__real_calloc(1, 1), 1, CALLER);
    *size = 0;
    *s = (stream){text, size, 1, CALLER};
    return fopencookie(s, "w", (cookie_io_functions_t){.write = stream_write, .close = stream_close});
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

int __real_pthread_setspecific(pthread_key_t key, const void *data);
int __wrap_pthread_setspecific(pthread_key_t key, const void *data);
int __wrap_pthread_setspecific(pthread_key_t key, const void *data) {
    return no_memory("pthread_setspecific") ? ENOMEM : __real_pthread_setspecific(key, data);
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
WRAP(int, uname, (struct utsname *name), (name), -1)
WRAP(FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL)
WRAP(FILE *, fdopen, (int fd, const char *mode), (fd, mode), NULL)
WRAP(DIR *, fdopendir, (int fd), (fd), NULL)
WRAP(struct dirent *, readdir, (DIR *dir), (dir), NULL)
WRAP(int, fflush, (FILE *file), (file), EOF)
WRAP(size_t, fwrite, (const void *data, size_t size, size_t n, FILE *file), (data, size, n, file), 0)
WRAP(size_t, fread, (void *data, size_t size, size_t n, FILE *file), (data, size, n, file), 0)
WRAP(int, posix_spawn_file_actions_init, (posix_spawn_file_actions_t * actions), (actions), ENOMEM)
WRAP(int, posix_spawn_file_actions_addopen,
     (posix_spawn_file_actions_t * actions, int fd, const char *path, int flags, mode_t mode),
     (actions, fd, path, flags, mode), ENOMEM)
WRAP(int, posix_spawn_file_actions_adddup2, (posix_spawn_file_actions_t * actions, int from, int to),
     (actions, from, to), ENOMEM)
WRAP(int, posix_spawnp,
     (pid_t * child, const char *file, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
      char *const *argv, char *const *environment),
     (child, file, actions, attributes, argv, environment), EAGAIN)

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
    if (!breaks("fclose"))
        return __real_fclose(file);
    int error = errno;
    __real_fclose(file);
    errno = error;
    return EOF;
}

/* The child is waited for in any case. */
pid_t __real_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options) {
    fault_way way;
    if (!bad("waitpid", &way))
        return __real_waitpid(pid, status, options);
    if (way == FAULT_ERROR) {
        int unused;
        __real_waitpid(pid, &unused, options);
        errno = ECHILD;
    }
    return -1;
}

/* ---- temporary directories ---------------------------------------------------------------------------------------- */

static char made[64][128];
static atomic_uint made_count;

char *__real_mkdtemp(char *path);
char *__wrap_mkdtemp(char *path);
char *__wrap_mkdtemp(char *path) {
    if (breaks("mkdtemp") || !__real_mkdtemp(path))
        return NULL;
    snprintf(made[atomic_fetch_add(&made_count, 1) % 64], sizeof made[0], "%s", path);
    return path;
}

int __real_rmdir(const char *path);
int __wrap_rmdir(const char *path);
int __wrap_rmdir(const char *path) {
    return breaks("rmdir") ? -1 : __real_rmdir(path);
}

int faults_directories(void) {
    int n = 0;
    for (int i = 0; i < 64; i++)
        n += made[i][0] && access(made[i], F_OK) == 0;
    return n;
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

/* ---- libraries ------------------------------------------------------------------------------------------------------ */

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

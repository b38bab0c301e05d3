/* SPDX-License-Identifier: MIT */
/* What a program can find out about the machine it runs on, from the kernel's files and from the C library.
 *
 * Counter-example to the number of processors alone: a container of two on a machine of 64 would start 64 threads. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "backend_cpu/run/machine.h"
#include "backend_cpu/run/files.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

void fsr_machine_name(char *out, size_t size) {
    char *info = fsr_file_read_record("/proc/cpuinfo");
    char *name = info ? strstr(info, "model name") : NULL;
    name = name ? strchr(name, ':') : NULL;
    if (name)
        snprintf(out, size, "%.*s", (int)strcspn(name + 1 + strspn(name + 1, " "), "\n"),
                 name + 1 + strspn(name + 1, " "));
    else
        snprintf(out, size, "CPU");
    free(info);
}

static int64_t system_number(int name, int64_t otherwise) {
    long n = sysconf(name);
    return n > 0 ? (int64_t)n : otherwise;
}

/* What the kernel says of a cache, as "32768K"; 0: nothing. */
static int64_t described_cache(int index) {
    char path[80];
    size_t size;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
    char *text = fsr_file_read(path, &size), *unit = NULL;
    const long n = text ? strtol(text, &unit, 10) : 0;
    const int64_t bytes = n <= 0 || n > 1 << 24 ? 0
                          : *unit == 'M'        ? (int64_t)n << 20
                          : *unit == 'K'        ? (int64_t)n << 10
                                                : n;
    free(text);
    return bytes;
}

enum { CORE_SHARE = 4 << 20 }; /* bytes of the last cache for each processor at most */

/* The C library sums up the last cache of a whole socket where there are several, of which a program's threads reach
 * one. And a part of a machine is told of all its cache, which others fill: counter-example to believing that, two
 * processors of a machine with 480 MB, where 16 MB were copied at 16 GB/s into that cache and at 24 past it, and then
 * read at the same rate. */
void fsr_machine_caches(int64_t *own, int64_t *last) {
    const int64_t share = (int64_t)CORE_SHARE * fsr_machine_processors();
    *own = 1 << 20;
    *last = described_cache(3);
#ifdef _SC_LEVEL2_CACHE_SIZE
    *own = system_number(_SC_LEVEL2_CACHE_SIZE, *own);
    *last = *last ? *last : system_number(_SC_LEVEL3_CACHE_SIZE, 0);
#endif
    *last = *last < share ? *last : share;
    *last = *last > *own ? *last : *own;
}

int64_t fsr_machine_memory(void) {
    return system_number(_SC_PHYS_PAGES, 0) * system_number(_SC_PAGESIZE, 4096);
}

/* What a limit leaves of so many pages; -1: unknown how many, and nothing is known to be left. */
static int64_t left_of(const struct rlimit *limit, int64_t pages) {
    const int64_t used = pages * system_number(_SC_PAGESIZE, 4096);
    if (limit->rlim_cur == RLIM_INFINITY || limit->rlim_cur > (rlim_t)INT64_MAX)
        return INT64_MAX;
    if (pages < 0)
        return 0;
    return (int64_t)limit->rlim_cur > used ? (int64_t)limit->rlim_cur - used : 0;
}

int64_t fsr_machine_room(void) {
    struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY}, data = all;
    long long pages = 0, data_pages = 0;
    getrlimit(RLIMIT_AS, &all);
    getrlimit(RLIMIT_DATA, &data);
    if (all.rlim_cur == RLIM_INFINITY && data.rlim_cur == RLIM_INFINITY)
        return INT64_MAX;
    char *text = fsr_file_read_record("/proc/self/statm");
    if (!text || sscanf(text, "%lld %*d %*d %*d %*d %lld", &pages, &data_pages) != 2)
        pages = data_pages = -1;
    free(text);
    const int64_t of_all = left_of(&all, pages), of_data = left_of(&data, data_pages);
    return of_all < of_data ? of_all : of_data;
}

int fsr_machine_processors(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
    return (int)system_number(_SC_NPROCESSORS_ONLN, 1);
}

/* SPDX-License-Identifier: MIT */
/* A libnvJitLink.so.13 for tests over a driver that is none: the "binary" is the first thing that is linked, the
 * kernel. The environment's FAKE_NVJITLINK_FAIL names a function that fails, FAKE_NVJITLINK_LINKS counts the links that
 * there are, FAKE_NVJITLINK_ADDED receives how many things the last one has and the first letters of its options. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int nvJitLinkVersion(unsigned *major, unsigned *minor);
int nvJitLinkCreate(void **link, uint32_t n, const char **option);
int nvJitLinkAddData(void *link, int form, const void *data, size_t size, const char *name);
int nvJitLinkComplete(void *link);
int nvJitLinkGetLinkedCubinSize(void *link, size_t *size);
int nvJitLinkGetLinkedCubin(void *link, void *cubin);
int nvJitLinkGetErrorLogSize(void *link, size_t *size);
int nvJitLinkGetErrorLog(void *link, char *log);
int nvJitLinkDestroy(void **link);

typedef struct job {
    char *kernel;
    size_t size;
    int added;
    char options[80];
} job;

static const char words[] = "fake: nothing fits";

static int fails(const char *name) {
    const char *which = getenv("FAKE_NVJITLINK_FAIL");
    return which && !strcmp(which, name) ? 6 : 0;
}

static void count(int by) {
    const char *now = getenv("FAKE_NVJITLINK_LINKS");
    char next[24];
    snprintf(next, sizeof next, "%d", (now ? atoi(now) : 0) + by);
    setenv("FAKE_NVJITLINK_LINKS", next, 1);
}

int nvJitLinkVersion(unsigned *major, unsigned *minor) {
    *major = 13;
    *minor = 0;
    return fails("Version");
}

int nvJitLinkCreate(void **link, uint32_t n, const char **option) {
    *link = NULL;
    if (fails("Create"))
        return 1;
    job *j = calloc(1, sizeof *j);
    for (uint32_t i = 0; i < n; i++)
        strncat(strncat(j->options, " ", 2), option[i], 16);
    *link = j;
    count(1);
    return 0;
}

int nvJitLinkAddData(void *link, int form, const void *data, size_t size, const char *name) {
    job *j = link;
    char text[120];
    if (fails("AddData") || !name || form < 1 || form > 3)
        return 3;
    if (j->added++ == 0) {
        j->kernel = malloc(size);
        j->size = size;
        memcpy(j->kernel, data, size);
    }
    snprintf(text, sizeof text, "%d%s", j->added, j->options);
    setenv("FAKE_NVJITLINK_ADDED", text, 1);
    return 0;
}

int nvJitLinkComplete(void *link) {
    return link ? fails("Complete") : 10;
}

int nvJitLinkGetLinkedCubinSize(void *link, size_t *size) {
    *size = fails("empty") ? 0 : ((job *)link)->size;
    return fails("GetLinkedCubinSize");
}

int nvJitLinkGetLinkedCubin(void *link, void *cubin) {
    memcpy(cubin, ((job *)link)->kernel, ((job *)link)->size);
    return fails("GetLinkedCubin");
}

int nvJitLinkGetErrorLogSize(void *link, size_t *size) {
    (void)link;
    *size = sizeof words;
    return 0;
}

int nvJitLinkGetErrorLog(void *link, char *log) {
    (void)link;
    memcpy(log, words, sizeof words);
    return 0;
}

int nvJitLinkDestroy(void **link) {
    job *j = *link;
    free(j->kernel);
    free(j);
    *link = NULL;
    count(-1);
    return 0;
}

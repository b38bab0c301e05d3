/* SPDX-License-Identifier: MIT */
/* A byte of state for each byte of memory, in pages found by a hash of their number. gcc calls the functions below for
 * each load and store of what it compiles for a kernel's address sanitizer, without a run-time library of its own. */
#include "tests/host_cuda/written.h"
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, PAGES = 1 << 16 };
typedef enum state { NO_DEVICES, UNWRITTEN, WRITTEN } state;

typedef struct page {
    uint64_t number;
    unsigned char state[PAGE];
} page;

static page *pages[PAGES], *last;
static bool watched;
static int64_t reads;

bool written_watch(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(__clang__)
    return false;
#else
    watched = true;
    return true;
#endif
}

bool written_watched(void) {
    return watched;
}

int64_t written_reads(void) {
    return reads;
}

/* The page of an address; NULL: no memory of a device was there, and it is not to be made. */
static page *find(uint64_t address, bool make) {
    const uint64_t number = address / PAGE;
    if (last && last->number == number)
        return last;
    uint64_t i = (number * 0x9e3779b97f4a7c15u) >> 48;
    while (pages[i] && pages[i]->number != number)
        i = (i + 1) % PAGES;
    if (!pages[i] && make) {
        void *memory =
            mmap(NULL, sizeof(page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED)
            abort();
        pages[i] = memory;
        pages[i]->number = number;
    }
    return pages[i] ? last = pages[i] : NULL;
}

static state state_of(uint64_t address) {
    const page *p = find(address, false);
    return p ? (state)p->state[address % PAGE] : NO_DEVICES;
}

/* Of memory that is a device's, or that becomes or was that. */
static void set(uint64_t address, size_t bytes, state to) {
    for (size_t i = 0; i < bytes; i++) {
        page *p = find(address + i, to == UNWRITTEN);
        if (p && (to != WRITTEN || p->state[(address + i) % PAGE]))
            p->state[(address + i) % PAGE] = (unsigned char)to;
    }
}

void written_new(const void *data, size_t bytes) {
    if (watched)
        set((uintptr_t)data, bytes, UNWRITTEN);
}

void written_gone(const void *data, size_t bytes) {
    if (watched)
        set((uintptr_t)data, bytes, NO_DEVICES);
}

void written_all(const void *data, size_t bytes) {
    if (watched)
        set((uintptr_t)data, bytes, WRITTEN);
}

void written_copy(const void *to, const void *from, size_t bytes) {
    for (size_t i = 0; watched && i < bytes; i++) {
        const state source = state_of((uintptr_t)from + i);
        if (state_of((uintptr_t)to + i) != NO_DEVICES)
            set((uintptr_t)to + i, 1, source == UNWRITTEN ? UNWRITTEN : WRITTEN);
    }
}

static void loaded(uint64_t address, size_t bytes) {
    bool whole = true;
    for (size_t i = 0; i < bytes; i++)
        whole = whole && state_of(address + i) != UNWRITTEN;
    reads += !whole;
}

/* What gcc calls. */
#define OF_SIZE(n)                                     \
    void __asan_load##n##_noabort(uint64_t address);   \
    void __asan_load##n##_noabort(uint64_t address) {  \
        loaded(address, n);                            \
    }                                                  \
    void __asan_store##n##_noabort(uint64_t address);  \
    void __asan_store##n##_noabort(uint64_t address) { \
        set(address, n, WRITTEN);                      \
    }
OF_SIZE(1)
OF_SIZE(2)
OF_SIZE(4)
OF_SIZE(8)
OF_SIZE(16)
void __asan_loadN_noabort(uint64_t address, size_t bytes);
void __asan_loadN_noabort(uint64_t address, size_t bytes) {
    loaded(address, bytes);
}
void __asan_storeN_noabort(uint64_t address, size_t bytes);
void __asan_storeN_noabort(uint64_t address, size_t bytes) {
    set(address, bytes, WRITTEN);
}
void __asan_handle_no_return(void);
void __asan_handle_no_return(void) {}

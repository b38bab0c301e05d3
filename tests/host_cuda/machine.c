/* SPDX-License-Identifier: MIT */
/* Fibers jump between stacks on purpose: the fortified longjmp of some systems takes that for corruption. */
#undef _FORTIFY_SOURCE
#include "tests/host_cuda/machine.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

enum {
    WARP = 32,
    USUAL_RESIDENT = 6,
    MAX_THREADS = 1024,
    STACK = 256 * 1024,
    STAGGER =
        320, /* stacks begin in different lines of a cache: at one distance of a power of two they would share a few */
    STAGGERED = 64 * 1024,
    GARBAGE = 0xCB,
    PATIENCE = 200000 /* yields without any progress after which nothing will happen any more */
};

typedef enum fiber_state { READY, AT_BARRIER, AT_MEETING, AT_SHUFFLE, EXITED } fiber_state;

/* A stack that runs one thread after the other. It is left and entered by setjmp and longjmp, which cost no system
 * call; the address sanitizer wants to be told and to see swapcontext. */
typedef struct strand {
    ucontext_t context;
    jmp_buf jump;
    bool made;
    void *fake_stack;
} strand;

typedef struct fiber {
    strand *strand;
    fiber_state state;
    host_self self;
    int line;                    /* where it waits */
    unsigned word, lane, result; /* of a shuffle */
} fiber;

typedef struct block {
    unsigned number, threads, exited, waiting, met;
    int nready, ready[MAX_THREADS];
    unsigned arrived[MAX_THREADS / WARP]; /* lanes of each warp that wait in a shuffle */
    char *shared;
    fiber fiber[MAX_THREADS];
} block;

typedef struct machine {
    const host_program *program;
    void **args;
    uint64_t seed;
    int order; /* of ready threads: 0 oldest first, 1 newest first, else by chance */
    block *resident[HOST_MAX_RESIDENT];
    int nresident, room;
    block *now;
    fiber *running;
    strand scheduler;
    const void *scheduler_stack; /* for the address sanitizer */
    size_t scheduler_size;
    bool yielded, failed;
    long idle;
    char message[512];
} machine;

/* The machine that runs, for the calls that come from compiled kernels. */
static machine *current;

/* Strands and their stacks, kept from run to run; a place is a resident block's. */
static strand *strands[HOST_MAX_RESIDENT];
static char *stacks[HOST_MAX_RESIDENT];

static uint64_t draw(machine *m) {
    m->seed += 0x9e3779b97f4a7c15u;
    uint64_t x = m->seed;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static void broken(machine *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void broken(machine *m, const char *format, ...) {
    if (m->failed)
        return;
    m->failed = true;
    va_list args;
    va_start(args, format);
    vsnprintf(m->message, sizeof m->message, format, args);
    va_end(args);
}

/* ---- switching --------------------------------------------------------------------------------------- */

#ifdef __SANITIZE_ADDRESS__
static void change(strand *from, strand *to, const void *stack, size_t size) {
    __sanitizer_start_switch_fiber(&from->fake_stack, stack, size);
    to->made = true;
    swapcontext(&from->context, &to->context);
    __sanitizer_finish_switch_fiber(from->fake_stack, NULL, NULL);
}
#else
static void change(strand *from, strand *to, const void *stack, size_t size) {
    (void)stack;
    (void)size;
    if (_setjmp(from->jump))
        return;
    if (to->made)
        _longjmp(to->jump, 1);
    to->made = true;
    setcontext(&to->context);
}
#endif

static void to_scheduler(void) {
    machine *m = current;
    change(m->running->strand, &m->scheduler, m->scheduler_stack, m->scheduler_size);
}

static void strand_main(void) {
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(NULL, &current->scheduler_stack, &current->scheduler_size);
#endif
    for (;;) {
        current->program->start(current->args);
        current->running->state = EXITED;
        current->now->exited++;
        current->idle = 0;
        to_scheduler();
    }
}

static void to_fiber(machine *m, fiber *f) {
    m->running = f;
    *m->program->self = &f->self;
    change(&m->scheduler, f->strand, f->strand->context.uc_stack.ss_sp, STACK);
    m->running = NULL;
}

static void make_ready(block *b, fiber *f) {
    f->state = READY;
    b->ready[b->nready++] = (int)(f - b->fiber);
}

static fiber *take_ready(machine *m, block *b) {
    int at = m->order == 0 ? 0 : m->order == 1 ? b->nready - 1 : (int)(draw(m) % (uint64_t)b->nready);
    int number = b->ready[at];
    b->nready--;
    memmove(b->ready + at, b->ready + at + 1, (size_t)(b->nready - at) * sizeof *b->ready);
    return &b->fiber[number];
}

/* ---- what threads do together ------------------------------------------------------------------------ */

static void release_barrier(machine *m, block *b, unsigned threads) {
    for (unsigned t = 0; t < threads; t++) {
        fiber *f = &b->fiber[t];
        if (f->line != m->running->line)
            broken(m, "block %u: thread %u waits at a barrier in line %d, thread %u in line %d", b->number, t, f->line,
                   m->running->self.thread.x, m->running->line);
        make_ready(b, f);
    }
    m->idle = 0;
}

static void machine_barrier(int line) {
    machine *m = current;
    m->running->line = line;
    m->running->state = AT_BARRIER;
    if (++m->now->waiting == m->now->threads) {
        m->now->waiting = 0;
        release_barrier(m, m->now, m->now->threads);
    }
    to_scheduler();
}

static void machine_meet(unsigned threads, int line) {
    machine *m = current;
    m->running->line = line;
    m->running->state = AT_MEETING;
    if (m->running->self.thread.x >= threads)
        broken(m, "block %u: thread %u is none of the first %u, which meet in line %d", m->now->number,
               m->running->self.thread.x, threads, line);
    if (++m->now->met == threads) {
        m->now->met = 0;
        release_barrier(m, m->now, threads);
    }
    to_scheduler();
}

/* True once every lane of the warp is at the same shuffle. */
static bool all_here(const fiber *warp) {
    for (unsigned lane = 0; lane < WARP; lane++)
        if (warp[lane].state != AT_SHUFFLE || warp[lane].line != warp[0].line)
            return false;
    return true;
}

static unsigned machine_shuffle(unsigned word, unsigned lane, int line) {
    machine *m = current;
    fiber *f = m->running, *warp = f - f->self.thread.x % WARP;
    f->line = line;
    f->word = word;
    f->lane = lane % WARP;
    f->state = AT_SHUFFLE;
    unsigned *arrived = &m->now->arrived[f->self.thread.x / WARP];
    if (++*arrived == WARP && all_here(warp)) {
        *arrived = 0;
        for (unsigned l = 0; l < WARP; l++) {
            warp[l].result = warp[warp[l].lane].word;
            make_ready(m->now, &warp[l]);
        }
        m->idle = 0;
    }
    to_scheduler();
    return f->result;
}

static void machine_yield(int line) {
    machine *m = current;
    m->running->line = line;
    m->yielded = true;
    if (++m->idle > PATIENCE)
        broken(m, "block %u: thread %u spins in line %d and nothing happens any more", m->now->number,
               m->running->self.thread.x, line);
    make_ready(m->now, m->running);
    if (m->order == 1 && m->now->nready > 1) {
        memmove(m->now->ready + 1, m->now->ready, (size_t)(m->now->nready - 1) * sizeof *m->now->ready);
        m->now->ready[0] = (int)(m->running - m->now->fiber);
    }
    to_scheduler();
}

static void machine_progress(void) {
    current->idle = 0;
}

const host_table host_machine_table = {machine_barrier, machine_meet, machine_shuffle, machine_yield, machine_progress};

/* ---- blocks ------------------------------------------------------------------------------------------ */

static void make_strand(strand *to, char *stack, unsigned number) {
    getcontext(&to->context);
    to->context.uc_stack.ss_sp = stack;
    to->context.uc_stack.ss_size = STACK - number * STAGGER % STAGGERED;
    to->context.uc_link = NULL;
    makecontext(&to->context, strand_main, 0);
#ifdef __SANITIZE_ADDRESS__
    __asan_unpoison_memory_region(stack, STACK);
#endif
}

static void start_fiber(block *b, unsigned t, int place) {
    fiber *f = &b->fiber[t];
    memset(f, 0, sizeof *f);
    f->strand = &strands[place][t];
    f->self.thread = (host_dim){t, 0, 0};
    f->self.block = (host_dim){b->number, 0, 0};
    if (!f->strand->made)
        make_strand(f->strand, stacks[place] + (size_t)t * STACK, t);
    make_ready(b, f);
}

static block *new_block(machine *m, unsigned number, unsigned threads, int place) {
    block *b = malloc(sizeof *b);
    char *shared = malloc(m->program->shared_bytes + 1);
    if (!b || !shared) {
        free(b);
        free(shared);
        return NULL;
    }
    b->number = number;
    b->threads = threads;
    b->exited = b->waiting = b->met = 0;
    b->nready = 0;
    memset(b->arrived, 0, sizeof b->arrived);
    b->shared = shared;
    memset(shared, GARBAGE, m->program->shared_bytes + 1);
    for (unsigned t = 0; t < threads; t++)
        start_fiber(b, t, place);
    return b;
}

static void free_block(block *b) {
    if (b)
        free(b->shared);
    free(b);
}

static void describe_block(machine *m, const block *b) {
    const fiber *at = NULL, *other = NULL;
    for (unsigned t = 0; t < b->threads; t++) {
        const fiber *f = &b->fiber[t];
        if (f->state == EXITED)
            continue;
        if (!at)
            at = f;
        else if (f->state != at->state || f->line != at->line)
            other = f;
    }
    if (!at)
        return;
    static const char *const state[] = {"ready", "at a barrier", "at a meeting", "in a shuffle", "gone"};
    broken(m,
           "block %u cannot go on: %u of %u threads have returned, thread %u is %s in line %d, thread %u %s in line %d",
           b->number, b->exited, b->threads, at->self.thread.x, state[at->state], at->line,
           other ? other->self.thread.x : at->self.thread.x, state[other ? other->state : at->state],
           other ? other->line : at->line);
}

/* Runs threads of one block until it must wait, is done, or another block's turn has come. */
static void run_block(machine *m, block *b) {
    m->now = b;
    if (m->program->shared_bytes)
        memcpy(m->program->shared, b->shared, m->program->shared_bytes);
    while (b->nready > 0 && !m->failed) {
        m->yielded = false;
        to_fiber(m, take_ready(m, b));
        if (m->yielded && draw(m) % 4 == 0)
            break;
    }
    if (m->program->shared_bytes)
        memcpy(b->shared, m->program->shared, m->program->shared_bytes);
    if (b->nready == 0 && b->exited < b->threads)
        describe_block(m, b);
}

static void shuffle_numbers(machine *m, unsigned *order, unsigned n) {
    uint64_t way = draw(m) % 4;
    for (unsigned i = 0; i < n; i++)
        order[i] = way == 0 ? n - 1 - i : i;
    for (unsigned i = n; way > 1 && i > 1; i--) {
        unsigned j = (unsigned)(draw(m) % i), keep = order[i - 1];
        order[i - 1] = order[j];
        order[j] = keep;
    }
}

static bool fill_room(machine *m, const unsigned *order, unsigned *next, unsigned blocks, unsigned threads) {
    for (int p = 0; p < m->room && *next < blocks; p++) {
        if (m->resident[p])
            continue;
        m->resident[p] = new_block(m, order[(*next)++], threads, p);
        if (!m->resident[p])
            return false;
        m->nresident++;
    }
    return true;
}

static bool run_grid(machine *m, const unsigned *order, unsigned blocks, unsigned threads) {
    unsigned next = 0;
    while (!m->failed) {
        if (!fill_room(m, order, &next, blocks, threads))
            return false;
        if (m->nresident == 0)
            break;
        int p = (int)(draw(m) % (uint64_t)m->room);
        if (!m->resident[p])
            continue;
        run_block(m, m->resident[p]);
        if (m->resident[p]->exited == m->resident[p]->threads) {
            free_block(m->resident[p]);
            m->resident[p] = NULL;
            m->nresident--;
        }
    }
    return true;
}

static bool map_stacks(const machine *m) {
    for (int p = 0; p < m->room; p++) {
        if (strands[p])
            continue;
        void *at = mmap(NULL, (size_t)MAX_THREADS * STACK, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED)
            return false;
        stacks[p] = at;
        strands[p] = calloc(MAX_THREADS, sizeof *strands[p]);
        if (!strands[p])
            return false;
    }
    return true;
}

/* Threads that did not come to their end leave strands that cannot be used again. */
static void machine_free(machine *m) {
    for (int p = 0; p < m->room; p++) {
        for (int t = 0; t < MAX_THREADS && m->failed && strands[p]; t++)
            strands[p][t].made = false;
        free_block(m->resident[p]);
    }
    free(m);
}

fsr_status host_machine_run(const host_program *program, void **args, unsigned blocks, unsigned threads, bool together,
                            uint64_t seed, fsr_fault *fault) {
    if (threads == 0 || threads > MAX_THREADS || threads % WARP)
        return fsr_fault_set(fault, FSR_ERR_VALUE, "%u threads are no whole warps", threads);
    if (together && blocks > HOST_MAX_RESIDENT)
        return fsr_fault_set(fault, FSR_ERR_VALUE, "%u blocks cannot be resident at once", blocks);
    machine *m = calloc(1, sizeof *m);
    unsigned *order = calloc((size_t)blocks + 1, sizeof *order);
    if (!m || !order) {
        free(m);
        free(order);
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "out of host memory");
    }
    m->program = program;
    m->args = args;
    m->seed = seed;
    m->scheduler.made = true;
    m->order = (int)(draw(m) % 4);
    m->room = together ? (int)blocks : 1 + (int)(draw(m) % USUAL_RESIDENT);
    shuffle_numbers(m, order, blocks);
    current = m;
    bool memory = map_stacks(m) && run_grid(m, order, blocks, threads);
    current = NULL;
    fsr_status status = FSR_OK;
    if (!memory)
        status = fsr_fault_set(fault, FSR_ERR_MEMORY, "out of host memory");
    else if (m->failed)
        status = fsr_fault_set(fault, FSR_ERR_MISMATCH, "seed %llu: %s", (unsigned long long)seed, m->message);
    machine_free(m);
    free(order);
    return status;
}

/* SPDX-License-Identifier: MIT */
/* Contexts and their configuration.
 *
 * A context owns one backend (a GPU or the CPU), its compiled kernels and its memory pool.
 * Threads: a context may be used by several threads at once; it locks inside. A graph, and the
 * nodes and plans made from it, belong to one thread at a time (fsr_plan_run locks per plan). 128 KiB of stack are
 * enough for a thread (docs/contracts.md has what comes on top).
 * Sizes: functions that take or fill a struct which may get more fields (fsr_config, fsr_stats, and those of
 * fusor/run.h) are macros over a function with the suffix _sized, which takes that struct's size as the caller's
 * headers have it first. So a program works with a later library of the same ABI (docs/abi.md). FSR_ERR_VALUE: the size
 * is none. Errors: fsr_error(ctx) is the calling thread's last error on this context.
 * Ownership: graphs, plans and nodes must not be used after fsr_close; graphs and plans not yet
 * freed are freed by it.
 * Processes: a context belongs to the process that opened it. In a child of fork every call that needs it is
 * FSR_ERR_FORKED (fsr_graph_new NULL, fsr_from_host a node poisoned with it), takes no lock and calls no driver; nodes
 * may be recorded, which changes the child's copy of the graph alone; fsr_plan_free and fsr_graph_free do nothing. A
 * child may open a context of its own, on the CPU also where its parent's is on a GPU. */
#ifndef FUSOR_CONTEXT_H
#define FUSOR_CONTEXT_H

#include "fusor/api.h"
#include "fusor/status.h"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

FSR_API_BEGIN

/* A backend, its kernels and its memory. */
typedef struct fsr_context fsr_context;

/* What runs the work. */
typedef enum fsr_backend_kind {
    FSR_BACKEND_AUTO = 0, /* the GPU if there is one that works, else the CPU */
    FSR_BACKEND_CPU,      /* generated C, compiled by the system's compiler */
    FSR_BACKEND_CUDA,     /* generated CUDA C++, compiled by NVRTC */
    FSR_BACKEND_REFERENCE /* node by node, plain loops, no compiler: slow, the oracle */
} fsr_backend_kind;

/* The instructions that generated C and Fusor's own library calls may use on a CPU: a cap. The levels are x86-64's: all
 * that x86-64-v4, v3 and the first x86-64 have; other architectures have native and baseline. A cap that the machine
 * does not reach leaves what it has, with a warning. Bits are the same at each level, but for the last ones of
 * elementary functions at the baseline of x86-64, which has no fused multiply-add. */
typedef enum fsr_isa_kind {
    FSR_ISA_NATIVE = 0, /* whatever this machine has */
    FSR_ISA_AVX512,     /* x86-64-v4 */
    FSR_ISA_AVX2,       /* x86-64-v3 */
    FSR_ISA_BASELINE    /* what every machine of the architecture has: the first x86-64, ARMv8-A */
} fsr_isa_kind;

/* What is written to stderr. */
typedef enum fsr_log_level {
    FSR_LOG_SILENT = 0,
    FSR_LOG_WARNING, /* default: fallbacks and rejected cache entries, on stderr */
    FSR_LOG_INFO,    /* also every compilation */
    FSR_LOG_DEBUG    /* also every plan */
} fsr_log_level;

/* Every knob of Fusor: one table gives the struct's fields, the environment variables
 * (FUSOR_BACKEND, FUSOR_FUSION, ...), their defaults and docs/knobs.md.
 * kind: int, or str (borrowed during fsr_open, copied by it; NULL is the default). */
#define FSR_KNOB_LIST(X)                                                                                               \
    X(int, backend, BACKEND, 0, "auto (0), cpu (1), cuda (2), reference (3); the environment takes the words")         \
    X(int, fusion, FUSION, 1, "0: unfused, each node its own kernel")                                                  \
    X(int, fuel, FUEL, -1, "stop after this many fusions; -1: no limit")                                               \
    X(str, skip_rewrites, SKIP_REWRITES, NULL, "comma-separated names of rewrites to skip")                            \
    X(str, print_after, PRINT_AFTER, NULL,                                                                             \
      "comma-separated names of rewrites after which the graph is printed on stderr; all: every rewrite")              \
    X(str, dump_dir, DUMP_DIR, NULL, "directory that receives every generated source, and every plan in words")        \
    X(str, load_dir, LOAD_DIR, NULL, "directory of hand-edited sources that are used instead, by kernel name")         \
    X(str, cache_dir, CACHE_DIR, NULL,                                                                                 \
      "directory of the disk cache; default $XDG_CACHE_HOME/fusor or ~/.cache/fusor; empty string: no disk cache")     \
    X(int, cache_mb, CACHE_MB, 512, "size limit of the disk cache, in MiB")                                            \
    X(str, compiler, COMPILER, NULL, "C compiler of the CPU backend; default: cc, gcc, clang, the first that works")   \
    X(int, isa, ISA, 0,                                                                                                \
      "most that generated C and Fusor's own library calls may use on a CPU: native (0), avx512 (1), avx2 (2), "       \
      "baseline (3); the environment takes the words. avx512 and avx2 are x86-64's and need gcc 11 or clang 12; a "    \
      "machine that has less is taken for native, with a warning. See fsr_isa_kind")                                   \
    X(int, compile_seconds, COMPILE_SECONDS, 300, "a C compiler that takes longer is killed; 0: it may take any time") \
    X(int, fallback, FALLBACK, 1,                                                                                      \
      "1: while no C compiler works, the CPU backend interprets its kernels (slow, and with other last bits), with a " \
      "warning; 0: an error")                                                                                          \
    X(int, modules, MODULES, 1024,                                                                                     \
      "kernels kept loaded; of more, those that no plan needs are unloaded, and plans forgotten for it, the least "    \
      "recently used first. One on the CPU takes 5 of the 65530 mappings that Linux gives a process")                  \
    X(int, threads, THREADS, 0, "threads of the CPU backend; 0: one for each core")                                    \
    X(int, device, DEVICE, 0, "ordinal of the CUDA device")                                                            \
    X(int, log_level, LOG_LEVEL, 1, "0 silent, 1 warnings, 2 compilations, 3 plans")                                   \
    X(int, contraction, CONTRACTION, 0, "1: a*b+c may become one fused multiply-add")                                  \
    X(int, deterministic, DETERMINISTIC, 1,                                                                            \
      "1: only operations whose bits do not depend on timing; no effect today: FSR_UNORDERED alone asks for others")   \
    X(int, profile, PROFILE, 0,                                                                                        \
      "1: every kernel of every run is timed, which waits for each, and told on stderr after the run: ms, GB/s, what " \
      "it fuses, and the lines that recorded that; 2: timed, and told to fsr_plan_profile and fsr_explain alone")      \
    X(int, optimize, OPTIMIZE, 1,                                                                                      \
      "0: kernels are ready sooner and run slower: a C compiler makes no vectors, NVRTC gives up loop "                \
      "optimizations; for programs that run each kernel once, and for tests. The same bits")                           \
    X(int, graphs, GRAPHS, 1,                                                                                          \
      "1: on a GPU a plan of several thunks that runs again on the same addresses is launched as one CUDA graph; 0: "  \
      "one by one. The bits are the same")

/* Gives the address of so many bytes at a multiple of `alignment`, a power of two; NULL: there is no room. */
typedef void *(*fsr_take_fn)(void *user, size_t bytes, size_t alignment);
/* Takes back what it gave, with the bytes that were asked for. */
typedef void (*fsr_give_fn)(void *user, void *data, size_t bytes);

/* Where the memory of arrays comes from, if not from the system. Fusor keeps freed blocks and uses them again;
 * fsr_trim, a take that finds no room, and fsr_close give them back. Both may be called by any thread, never by two at
 * once for one allocator of one context; two that share what user points to (a context's host_memory and device_memory,
 * or those of two contexts) need a lock of their own. Fusor holds locks meanwhile: they must not call Fusor, and not
 * leave by longjmp or an exception. An address that is not aligned is given back, and counts as none. What take gives
 * must stay until give, which comes at fsr_close at the latest; so user has to live until then. In a child of fork
 * nothing is given back. */
typedef struct fsr_allocator {
    fsr_take_fn take;
    fsr_give_fn give;
    void *user;
} fsr_allocator;

/* What the environment cannot say, then a value for each knob of FSR_KNOB_LIST; docs/knobs.md tells what they mean. A
 * new knob is the last of the list, so no field moves. */
typedef struct fsr_config {
    /* Memory of arrays, and of what kernels work in: on the CPU of host_memory, on a GPU of device_memory, whose take
     * is called with the context's device current (256-byte aligned, on that device). On a GPU host_memory is what
     * fsr_alloc gives of FSR_HOST, which it should have pinned. Copied by fsr_open. NULL: the system's, or CUDA's.
     * FSR_ERR_NULL: one without take or give. */
    const fsr_allocator *host_memory, *device_memory;
#define FSR_KNOB_FIELD_int int
#define FSR_KNOB_FIELD_str const char *
#define FSR_KNOB_FIELD(kind, field, env, def, doc) FSR_KNOB_FIELD_##kind field;
    FSR_KNOB_LIST(FSR_KNOB_FIELD)
#undef FSR_KNOB_FIELD
} fsr_config;

/* Counters of a context since it was opened; bytes are live bytes now. */
typedef struct fsr_stats {
    int64_t plans_built;       /* plans made because no cached plan matched */
    int64_t plan_hits;         /* computations served by a cached plan */
    int64_t compilations;      /* sources handed to a compiler */
    int64_t cache_hits_disk;   /* kernels loaded from the disk cache */
    int64_t cache_hits_memory; /* kernels found already loaded */
    int64_t interpreted;       /* kernels that would be interpreted now, for want of a C compiler; see knob fallback */
    int64_t modules;           /* kernels loaded now; see knob modules */
    int64_t launches_interpreted; /* of launches: how many were interpreted */
    int64_t launches;             /* kernels launched */
    int64_t nodes;                /* nodes recorded and not dropped, all graphs */
    int64_t host_bytes;           /* array bytes in host memory owned by Fusor */
    int64_t device_bytes;         /* array bytes handed out of the device pool */
    int64_t pool_bytes;           /* device bytes the pool holds, used and free */
    int64_t graphs_made;          /* CUDA graphs that runs of plans were captured as; see knob graphs */
    int64_t graph_launches;       /* runs that were one launch of such a graph; their kernels are counted in launches */
} fsr_stats;

/* Fills config with the defaults, then with what the environment says (FUSOR_*). This, also when fsr_open calls it
 * (config NULL, or of older headers), is the only place that reads knobs from the environment. In a program with more
 * rights than its caller (setuid, setgid, file capabilities) every variable counts as unset.
 * FSR_ERR_VALUE: a variable has a value that its knob does not allow; that knob keeps its default and
 * why (may be NULL; at most size bytes with the final 0, and what is cut ends in "...") names the variable. FSR_OK with
 * a text in why: a variable that begins with FUSOR_ is no knob, which why says, with the nearest knob's name; why NULL:
 * that is a warning on stderr. */
fsr_status fsr_config_init_sized(size_t config_size, fsr_config *config, char *why, size_t size);
#define fsr_config_init(...) fsr_config_init_sized(sizeof(fsr_config), __VA_ARGS__)

/* Opens a context. config NULL: as fsr_config_init gives it; so is a knob that a config of older headers does not have.
 * On an error *out is NULL. FSR_ERR_UNSUPPORTED: a config of newer headers sets a knob that this library does not know.
 * FSR_BACKEND_AUTO never fails for want of a GPU. FSR_ERR_NO_BACKEND: the backend asked for is not there. fsr_open_why
 * gives the reason in words (why may be NULL), fsr_open writes it to stderr if the log level allows; likewise the
 * warning of fsr_config_init where config is NULL. Cost: tens of microseconds on the CPU; on CUDA the driver's start
 * (some hundred milliseconds). */
fsr_status fsr_open_sized(size_t config_size, const fsr_config *config, fsr_context **out);
fsr_status fsr_open_why_sized(size_t config_size, const fsr_config *config, fsr_context **out, char *why, size_t size);
#define fsr_open(...) fsr_open_sized(sizeof(fsr_config), __VA_ARGS__)
#define fsr_open_why(...) fsr_open_why_sized(sizeof(fsr_config), __VA_ARGS__)
/* Waits for the device and frees everything. NULL is allowed. In a child of the process that opened ctx: closes the
 * descriptors that the child has of it and frees what no thread of the parent can have been changing; arrays, graphs,
 * plans and kernels stay mapped, shared with the parent, until the child ends or calls exec. */
void fsr_close(fsr_context *ctx);

/* The calling thread's last error on ctx: "op: what; where", "" if none. Valid until this thread's next failing call on
 * ctx. Every failing call leaves its reason here where it can know the context: a stale node's by its graph, also a
 * freed one's, a null one's by what else it is given; so do builder calls that have no graph to record a poison in. A
 * call that is given nothing but nulls says all with its status (or the null node). What asks a node (fsr_node_...) and
 * fsr_hint_set leave it as it is. fsr_error_status gives its code. */
const char *fsr_error(fsr_context *ctx);
fsr_status fsr_error_status(fsr_context *ctx);
void fsr_error_clear(fsr_context *ctx);

/* "cpu", "cuda" or "reference"; and the device's name as its vendor gives it, on a CPU followed by the cap of its
 * instructions if there is one (", at most avx2"). */
const char *fsr_backend_name(fsr_context *ctx);
const char *fsr_device_name(fsr_context *ctx);

/* Waits for all that was launched, uploaded or downloaded so far; device-side errors surface here and in fsr_read. */
fsr_status fsr_sync(fsr_context *ctx);

/* The counters now. */
fsr_status fsr_context_stats_sized(size_t size, fsr_context *ctx, fsr_stats *out);
#define fsr_context_stats(...) fsr_context_stats_sized(sizeof(fsr_stats), __VA_ARGS__)
/* Gives free blocks of the pool back to the system. */
fsr_status fsr_trim(fsr_context *ctx);

FSR_API_END
#endif

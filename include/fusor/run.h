/* SPDX-License-Identifier: MIT */
/* Running: compute, read, compile once and run often, explain, verify, .npy files. */
#ifndef FUSOR_RUN_H
#define FUSOR_RUN_H

#include "fusor/api.h"
#include "fusor/build.h"

FSR_API_BEGIN

/* ---- lazily recorded work --------------------------------------------------------------------- */

/* Computes the nodes together: one plan, shared work done once. They become data: what is recorded on
 * them later reads their arrays. Already computed nodes cost nothing. Asynchronous on a GPU: returns
 * when the work is launched. On an error nothing is changed and fsr_error(ctx) has the message.
 * FSR_ERR_UNBOUND: a node depends on an fsr_input. FSR_ERR_SIZE: the bytes of temporaries together do not fit 63 bits
 * (so for everything that plans). */
fsr_status fsr_compute(const fsr_node *outs, int n);
fsr_status fsr_force(fsr_node x);

/* Computes x if needed, waits, and copies it in C order to dst, memory of the host. FSR_ERR_BYTES unless bytes is
 * fsr_node_bytes(x). FSR_ERR_VALUE: dst is memory of a device. Device-side errors surface here. */
fsr_status fsr_read(fsr_node x, void *dst, size_t bytes);

/* How many elements are along x's first axis: of a value with a length that only the device knows (fsr_compress)
 * computes it, waits and asks; else its extent. FSR_ERR_NULL: count is null. FSR_ERR_SHAPE: x is 0-d. */
fsr_status fsr_node_count(fsr_node x, int64_t *count);
/* As fsr_read, of a value with such a length: what is there, and in *count how many elements that is, which is written
 * also where it needs more than `bytes` (FSR_ERR_BYTES). count may be NULL. fsr_read of such a value takes the bytes of
 * its capacity, and leaves those behind what is there as they are; fsr_npy_write writes what is there. */
fsr_status fsr_read_live(fsr_node x, void *dst, size_t bytes, int64_t *count);

/* ---- plans: compile once, run often ------------------------------------------------------------ */

/* A compiled computation. */
typedef struct fsr_plan fsr_plan;

/* Where an array of the caller's lies. FSR_DEVICE on a GPU: memory of the context's device, or memory of the host that
 * the device reaches at the same address (managed, or pinned by CUDA). On the CPU both mean memory of the host. */
typedef enum fsr_place { FSR_HOST = 0, FSR_DEVICE = 1 } fsr_place;

/* An array or scalar handed to a plan. Memory is borrowed: for an FSR_HOST input until fsr_plan_run
 * returns; for FSR_DEVICE until the work is done (fsr_sync, or the caller's own stream order). */
typedef struct fsr_arg {
    const char *name; /* the fsr_input's or fsr_param's name; ignored for outputs (they go by position) */
    void *data;       /* elements in C order; for a parameter one value of its dtype, on the host */
    size_t bytes;     /* must be exact */
    fsr_place place;
} fsr_arg;

/* Compiles the computation of outs as a plan whose arguments are the graph's inputs and parameters by
 * name; other leaves (fsr_from_host, computed nodes) are kept by the plan. The plan does not depend on
 * the graph any more. On an error *plan is NULL. */
fsr_status fsr_compile(const fsr_node *outs, int n, fsr_plan **plan);
/* The same of a plan of which outs[i] may take the memory of the input named donated[i] (NULL: of none): fsr_plan_run
 * may then be given that input's address as outputs[i].data, and the input is gone after the run. What is computed
 * element by element of it, and the state of a loop over arrays, is written there in place; elsewhere the result is
 * made in memory of the run's own and copied there at its end. fsr_explain says which. Other addresses may be given as
 * well. FSR_ERR_VALUE: there is no such input, it has another number of bytes, or two results take one.
 * FSR_ERR_NULL: donated is null. */
fsr_status fsr_compile_donating(const fsr_node *outs, int n, const char *const *donated, fsr_plan **plan);
/* Runs the plan. inputs: every fsr_input by name, and those parameters that should differ from their
 * value at fsr_compile. outputs[i] receives outs[i]; FSR_HOST outputs are complete on return, FSR_DEVICE
 * outputs in stream order. An output must not overlap an input or another output. stream: a
 * cudaStream_t to launch on, or NULL for the context's. On the CPU it is not looked at. One that is being captured
 * takes the run into the caller's graph: its arguments are FSR_DEVICE and 16-byte aligned, memory that it works in is
 * the plan's until fsr_plan_free, which may not come before the graph's last launch is done. No two launches of what
 * was captured may run at once: they would work in the same memory. A thread that captures may call fsr_plan_run,
 * fsr_sync and fsr_wait; what computes, reads, compiles or gets memory otherwise may make the capture invalid, unless
 * it is relaxed. FSR_ERR_UNSUPPORTED then, and nothing is captured: the plan has a loop whose turns the run decides,
 * reports, a call that may not be captured, or more than 4096 launches, is donating, or the knob profile is on.
 * FSR_ERR_UNBOUND: an input is missing. FSR_ERR_VALUE: an unknown name; on a GPU, also an address that is not memory of
 * the place that its argument names (a parameter's: the host), or bytes that reach past the end of its allocation: the
 * driver is asked, in less than half a microsecond an address, before anything runs; of memory of fsr_alloc that the
 * last call had, too, nobody is. FSR_ERR_BYTES: a wrong size. */
fsr_status fsr_plan_run(fsr_plan *plan, const fsr_arg *inputs, int ninputs, const fsr_arg *outputs, int noutputs,
                        void *stream);
/* Frees the plan and what it keeps. NULL is allowed. */
void fsr_plan_free(fsr_plan *plan);
/* The context that the plan was compiled in; NULL of NULL. */
fsr_context *fsr_plan_context(const fsr_plan *plan);

/* An argument of a plan; it may get fields at its end (docs/abi.md). */
typedef struct fsr_plan_value {
    const char *name; /* as long as the plan; of an output NULL: outputs go by position */
    fsr_dtype dtype;
    int ndim;
    int64_t shape[FSR_MAX_DIMS]; /* the first ndim of them */
    int64_t bytes;               /* what fsr_arg.bytes has to be */
    bool parameter;              /* an fsr_param, which may be left out, and not an fsr_input */
} fsr_plan_value;
/* How many names fsr_plan_run takes, the inputs' before the parameters', each once; and how many outputs it fills. 0 of
 * NULL, and in a child of the process that opened the context. */
int fsr_plan_input_count(const fsr_plan *plan);
int fsr_plan_output_count(const fsr_plan *plan);
/* Fills out with number i of them. Needs no device and may be called while the plan runs. FSR_ERR_NULL if either is
 * null, FSR_ERR_VALUE: there is none of that number. */
fsr_status fsr_plan_input_sized(size_t size, const fsr_plan *plan, int i, fsr_plan_value *out);
fsr_status fsr_plan_output_sized(size_t size, const fsr_plan *plan, int i, fsr_plan_value *out);
#define fsr_plan_input(...) fsr_plan_input_sized(sizeof(fsr_plan_value), __VA_ARGS__)
#define fsr_plan_output(...) fsr_plan_output_sized(sizeof(fsr_plan_value), __VA_ARGS__)

/* What a plan does, in numbers; bytes that pass INT64_MAX are INT64_MAX. */
typedef struct fsr_plan_info {
    int kernels;         /* kernels launched by one run */
    int temporaries;     /* arrays that are neither leaves nor outputs */
    int64_t bytes_min;   /* every leaf read once and every output written once */
    int64_t bytes_moved; /* what the kernels read and write, each pass over an array counted */
    int64_t peak_bytes;  /* device bytes of temporaries and outputs alive at once */
    int fusions;         /* merges done; FUSOR_FUEL counts them */
    int interpreted; /* of kernels: how many would be interpreted now, for want of a C compiler. They are compiled at
                            a later run, when one works; until then they are slow, and their last bits may differ */
    int calls; /* library calls made by one run (fsr_sort, fsr_call_library ...); their arrays are in bytes_moved */
} fsr_plan_info;
/* Fills out. FSR_ERR_NULL if either is null. */
fsr_status fsr_plan_query_sized(size_t size, const fsr_plan *plan, fsr_plan_info *out);
#define fsr_plan_query(...) fsr_plan_query_sized(sizeof(fsr_plan_info), __VA_ARGS__)

/* What the last run of one kernel, or one library call, of a plan took. */
typedef struct fsr_kernel_profile {
    const char *name;    /* the kernel's, as in sources and fsr_explain; the texts are the plan's, until it is freed */
    const char *fuses;   /* its operations, in words; "library call": it is one, and that is all it is */
    const char *lines;   /* where these were recorded: "model.c:12, model.c:15"; "" where nobody knows */
    int64_t runs;        /* runs of the plan that were timed; 0: ms and gb_per_s are 0 */
    int64_t bytes_moved; /* as in fsr_plan_info, of this kernel */
    double ms; /* of the last timed run: on a GPU between two events on its stream, on the CPU of the wall clock around
                  the launch. 0 also where the kernel has no element to write and is not launched */
    double
        gb_per_s; /* bytes_moved / ms: what passed if every pass over an array reached memory; caches may hide some */
} fsr_kernel_profile;
/* Fills out for kernel 0 <= kernel < fsr_plan_info.kernels, and behind these for each library call, fsr_plan_info.calls
 * of them. Runs are timed where the context's knob `profile` is 1 or 2:
 * then fsr_plan_run waits for each kernel before it launches the next (a GPU works on nothing else of the stream
 * meanwhile), and errors of the device surface in it.
 * FSR_ERR_UNSUPPORTED: the knob is 0. FSR_ERR_VALUE: there is no such kernel. FSR_ERR_NULL. */
fsr_status fsr_plan_profile_sized(size_t size, fsr_plan *plan, int kernel, fsr_kernel_profile *out);
#define fsr_plan_profile(...) fsr_plan_profile_sized(sizeof(fsr_kernel_profile), __VA_ARGS__)

/* ---- looking inside ----------------------------------------------------------------------------- */

/* Prints the plan for outs: its kernels with their nodes, the lines of the caller's that recorded them, and schedule,
 * and for every edge that was not fused the reason in words, those alike in one line; and which of its kernels are
 * interpreted at present. Where the knob `profile` is on and the plan has run, also what its kernels took last. */
fsr_status fsr_explain(const fsr_node *outs, int n, FILE *to);
/* The recorded graph of outs as text (graph/print.h has the grammar), and as Graphviz DOT, which tells of operators,
 * loops and functions in C only how long they are. */
fsr_status fsr_print(const fsr_node *outs, int n, FILE *to);
fsr_status fsr_dot(const fsr_node *outs, int n, FILE *to);
/* The same into memory of the caller's: at most size bytes with the final 0. *length (may be NULL) is the length of the
 * whole text without that. text NULL: only the length is asked for. FSR_ERR_BYTES: the text is longer, and text has its
 * beginning. On another error text is "" and *length 0. */
fsr_status fsr_explain_text(const fsr_node *outs, int n, char *text, size_t size, size_t *length);
fsr_status fsr_print_text(const fsr_node *outs, int n, char *text, size_t size, size_t *length);
fsr_status fsr_dot_text(const fsr_node *outs, int n, char *text, size_t size, size_t *length);
/* What fsr_compute(outs, n) would run, in numbers, without running it. */
fsr_status fsr_query_sized(size_t size, const fsr_node *outs, int n, fsr_plan_info *out);
#define fsr_query(...) fsr_query_sized(sizeof(fsr_plan_info), __VA_ARGS__)

/* ---- checking ------------------------------------------------------------------------------------ */

/* What fsr_verify found. */
typedef struct fsr_verify_report {
    int64_t checked;                 /* elements compared */
    int64_t unknown;                 /* of these, how many have no known bound: they never make a mismatch */
    int64_t apart;                   /* of the unknown, how many differ from the reference's own value by more than half
                                        their digits (integers, bools, infinities and NaN: at all) */
    double worst;                    /* largest error / bound, 1.0 is on the bound */
    int worst_out;                   /* which of outs: its element, or its length */
    int64_t worst_index;             /* flat index of that element */
    double worst_error, worst_bound; /* absolute */
    double got, expected;
} fsr_verify_report;

/* Computes outs on the context's backend and on the reference (wider arithmetic, node by node), and
 * compares within the bound that the ops' error bounds and the reductions' trees give. An element for which these give
 * none (1 / x where x may be 0) is right whatever it is, and counted. Slow and memory-hungry: for tests and doubts. An
 * output computed before a parameter it depends on was changed is compared with the new value. What was computed
 * before an output is taken as it was; what was computed since is computed again. FSR_ERR_MISMATCH:
 * outside; the report names the worst element. */
fsr_status fsr_verify_sized(size_t size, const fsr_node *outs, int n, fsr_verify_report *report);
#define fsr_verify(...) fsr_verify_sized(sizeof(fsr_verify_report), __VA_ARGS__)

/* ---- .npy files (NumPy's format 1.0, 2.0, 3.0; C order and Fortran order, little endian) ------------ */

/* Reads a file as a leaf; poisoned with FSR_ERR_FILE or FSR_ERR_FORMAT if it cannot (the message says
 * at which byte and why). */
fsr_node fsr_npy_read_at(fsr_site at, fsr_graph *g, const char *path);
#define fsr_npy_read(...) fsr_npy_read_at(FSR_HERE, __VA_ARGS__)
/* Computes x and writes it (format 1.0, C order) to a temporary file beside path, syncs it and renames it: path is
 * whole, old or new, at every moment, also where others write it too. A link is followed, the mode of a file that is
 * there is kept; a pipe or device is written as it is. FSR_ERR_FILE: path is as it was, but where the message says that
 * the directory could not be synced. */
fsr_status fsr_npy_write(fsr_node x, const char *path);

FSR_API_END
#endif

/* SPDX-License-Identifier: MIT */
/* Calls between whole arrays: what is no loop over elements, as a node. A library's function, a kernel or a callback of the
 * program's own becomes a step of the plan, between the kernels that compute its arguments and those that use its results.
 *
 *     static fsr_status reverse(const fsr_step *s) {
 *         const float *in = s->input[0].data;
 *         float *out = s->output[0].data;
 *         for (int64_t n = s->input[0].shape[0], i = 0; i < n; i++)
 *             out[i] = in[n - 1 - i];
 *         return FSR_OK;
 *     }
 *     const fsr_callee callee = {.name = "reverse", .inputs = 1, .outputs = 1, .cpu = reverse};
 *     fsr_node y;
 *     fsr_call_library(g, &y, &callee, &x, 1);
 *
 * Elementwise work on the arguments fuses into the kernel that stores them, work on the results into the kernels that read
 * them. Arrays are handed over whole and in C order. examples/library.c is a program with a call of its own. */
#ifndef FUSOR_LIBRARY_H
#define FUSOR_LIBRARY_H

#include "fusor/api.h"
#include "fusor/build.h"
#include <stddef.h>

FSR_API_BEGIN

enum {
    FSR_MAX_CALL_INPUTS = 16, /* arguments of a call */
    FSR_MAX_CALL_OUTPUTS = 8  /* its results */
};

/* An argument or a result, as the functions of a callee see it. */
typedef struct fsr_step_array {
    void *data; /* elements in C order, on the host or on the device; NULL: only types are asked for, or, of a result,
                   nobody reads it */
    fsr_dtype dtype;
    int ndim;
    int64_t shape[FSR_MAX_DIMS]; /* the first ndim of them */
} fsr_step_array;

struct fsr_step;
/* What the threads of a CPU share: worker is below fsr_step.threads. */
typedef void (*fsr_share_fn)(void *arg, int worker);
/* Has them do it. */
typedef void (*fsr_parallel_fn)(const struct fsr_step *step, fsr_share_fn body, void *arg);

/* One call, as the functions of a callee see it; valid until the function returns. It may get fields at its end. */
typedef struct fsr_step {
    const void *attributes; /* Fusor's copy of the callee's */
    size_t attribute_bytes;
    void *user;
    int inputs, outputs;
    const fsr_step_array *input;
    fsr_step_array *output;
    bool cuda;  /* the call is for a GPU */
    void *work; /* of so many bytes, 256-byte aligned; NULL if none */
    int64_t work_bytes;
    void *stream; /* cuda: the cudaStream_t to launch on; its device is the thread's current one */
    char *why;    /* a function that fails may write a sentence here, of so many bytes with its final 0 */
    size_t why_bytes;
    int threads; /* of the CPU that parallel may use */
    /* cpu: calls body(arg, worker) in the calling thread and in up to threads - 1 others, each with a number of its own
     * below threads, and returns when all are back. body takes its share from a common counter until nothing is left. */
    fsr_parallel_fn parallel;
    void *pool; /* Fusor's */
} fsr_step;

/* A function of a step: FSR_OK, or what went wrong. */
typedef fsr_status (*fsr_step_fn)(const fsr_step *step);
/* A number of bytes; negative: there is none. */
typedef int64_t (*fsr_step_bytes_fn)(const fsr_step *step);
/* Lets user data go. */
typedef void (*fsr_let_go_fn)(void *user);

/* What is called. Everything is copied by the call that records it; attributes byte by byte.
 *
 * The results must depend on the arguments, the attributes and user alone: equal calls, of equal names, functions, user and
 * bytes of attributes on the same arguments, are made once. So what a result depends on belongs into the attributes; user is for
 * what is held, a handle say. Functions may be called by any thread, several at once, while Fusor holds locks: they must not call
 * Fusor for anything but reading constants, and not leave by longjmp or an exception. They run in C's default floating-point
 * environment. */
typedef struct fsr_callee {
    const char *name;       /* 1 to 63 letters, digits and _; for messages, explain and profiles */
    const void *attributes; /* NULL if there are none */
    size_t attribute_bytes; /* at most 65536 */
    void *user;
    /* Called once, with user, when no node and no plan has the call any more (plans are kept for later recordings, at the
     * latest until fsr_close), or before fsr_call_library returns if that fails. By any thread. NULL: nothing is called. */
    fsr_let_go_fn destroy;
    int inputs, outputs; /* how many: 0 to FSR_MAX_CALL_INPUTS, 1 to FSR_MAX_CALL_OUTPUTS */
    /* Writes dtype, ndim and shape of each output from those of the inputs, when the call is recorded; it may be called again
     * and gives the same. A status other than FSR_OK refuses them. NULL: each output is as input 0. */
    fsr_step_fn infer;
    /* Bytes of workspace, from the types alone. NULL: none. */
    fsr_step_bytes_fn work;
    /* Computes the outputs that have data, in the calling thread and by step->parallel, and returns when that is done. NULL:
     * not on a CPU (nor by fsr_verify). */
    fsr_step_fn cpu;
    /* Puts work on step->stream that computes the outputs that have data, and returns; it may not wait for the stream if
     * capturable is set. NULL: not on a GPU. */
    fsr_step_fn cuda;
    bool capturable; /* cuda does nothing but put work on the stream, so a stream that is being captured will do */
    /* Largest difference between a result and cpu's of the same arguments that fsr_verify accepts, in units in the last
     * place; 0: such an element is one that nobody knows a bound of. Integers and bools are to be equal. */
    double ulp;
} fsr_callee;

/* out[0..callee->outputs) = the results of the call on args[0..nargs). Arguments are not promoted: what they are, infer and
 * the functions are told; a weak literal becomes its default dtype. Results of different shapes lie in arrays of the largest
 * one's size, of which they are views. A call whose results have no element is not made. On a mistake every out is
 * poisoned, with a message that begins with the callee's name: FSR_ERR_NULL: callee is null (then out[0] alone is written),
 * or its name, cpu and cuda both, infer without an input, attributes that have bytes, or args are. FSR_ERR_VALUE: a bad name, number of
 * inputs or outputs, ulp, or attributes too long; nargs is not callee->inputs. What infer returned, with its sentence.
 * FSR_ERR_DTYPE, FSR_ERR_SHAPE, FSR_ERR_SIZE: infer gave what is no dtype or shape.
 * A function that fails when the call is run makes the computation fail with its status and its sentence: nothing is lost, no
 * node is computed, the context goes on. FSR_ERR_UNSUPPORTED: the context's backend has no function of the callee, or the
 * stream of fsr_plan_run is being captured and the callee is not capturable. FSR_ERR_UNSUPPORTED also where a function
 * of rows (fsr_vectorize) makes a call of what a row has. */
void fsr_call_library_at(fsr_site at, size_t size, fsr_graph *g, fsr_node *out, const fsr_callee *callee,
                         const fsr_node *args, int nargs);
#define fsr_call_library(...) fsr_call_library_at(FSR_HERE, sizeof(fsr_callee), __VA_ARGS__)

FSR_API_END
#endif

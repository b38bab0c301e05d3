/* SPDX-License-Identifier: MIT */
/* Calls between whole arrays: what is no loop over elements, as a node. A library's function, a kernel or a callback of
 * the program's own becomes a thunk of the plan, between the kernels that compute its arguments and those that use its
 * results.
 *
 *     static fsr_status reverse(const fsr_call_frame *s) {
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
 * Elementwise work on the arguments fuses into the kernel that stores them, work on the results into the kernels that
 * read them. Arrays are handed over whole and in C order. examples/library.c is a program with a call of its own. */
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
typedef struct fsr_frame_array {
    void *data; /* elements in C order, on the host or on the device; NULL: only types are asked for, or, of a result,
                   nobody reads it */
    fsr_dtype dtype;
    int ndim;
    int64_t shape[FSR_MAX_DIMS]; /* the first ndim of them */
} fsr_frame_array;

struct fsr_call_frame;
/* What the threads of a CPU share: worker is below fsr_call_frame.threads. */
typedef void (*fsr_share_fn)(void *arg, int worker);
/* Has them do it. */
typedef void (*fsr_parallel_fn)(const struct fsr_call_frame *frame, fsr_share_fn body, void *arg);

/* One call, as the functions of a callee see it; valid until the function returns. It may get fields at its end. */
typedef struct fsr_call_frame {
    const void *attributes; /* Fusor's copy of the callee's */
    size_t attribute_bytes;
    void *user;
    int inputs, outputs;
    const fsr_frame_array *input;
    fsr_frame_array *output;
    bool cuda;  /* the call is for a GPU */
    void *work; /* of so many bytes, 256-byte aligned; NULL if none */
    int64_t work_bytes;
    void *stream; /* cuda: the cudaStream_t to launch on; its device is the thread's current one */
    char *why;    /* a function that fails may write a sentence here, of so many bytes with its final 0 */
    size_t why_bytes;
    int threads; /* of the CPU that parallel may use */
    /* cpu: calls body(arg, worker) in the calling thread and in up to threads - 1 others, each with a number of its own
     * below threads, and returns when all are back. body takes its share from a common counter until nothing is
     * left. */
    fsr_parallel_fn parallel;
    void *pool; /* Fusor's */
} fsr_call_frame;

/* A function of a call: FSR_OK, or what went wrong. */
typedef fsr_status (*fsr_call_fn)(const fsr_call_frame *frame);
/* A number of bytes; negative: there is none. */
typedef int64_t (*fsr_call_bytes_fn)(const fsr_call_frame *frame);
/* Lets user data go. */
typedef void (*fsr_let_go_fn)(void *user);

/* ---- a kernel of the program's own ------------------------------------------------------------------------ */

enum { FSR_MAX_KERNEL_PARAMS = 64 };

/* What a parameter of a kernel is given. */
typedef enum fsr_kernel_param_kind {
    FSR_PARAM_INPUT,  /* the address of input `index` */
    FSR_PARAM_OUTPUT, /* the address of output `index`, whose elements are whatever they are */
    FSR_PARAM_ZEROED, /* ... whose bytes are 0 when the kernel begins: for sums by atomics */
    FSR_PARAM_COPIED, /* ... which begins as a copy of input `from`, of the same dtype and number of elements: what a
                         kernel that works in place is given; the input keeps its elements */
    FSR_PARAM_VALUE,  /* `bytes` bytes at `value`, copied when the call is recorded: a number, or a structure */
    FSR_PARAM_WORK    /* the address of the workspace, fsr_call_frame.work */
} fsr_kernel_param_kind;

/* One parameter of a kernel. */
typedef struct fsr_kernel_param {
    fsr_kernel_param_kind kind;
    int index, from;
    const void *value;
    size_t bytes; /* 1 to 4096; as many as the kernel's parameter has */
} fsr_kernel_param;

#define FSR_IN(i) \
    { FSR_PARAM_INPUT, i, 0, NULL, 0 }
#define FSR_OUT(i) \
    { FSR_PARAM_OUTPUT, i, 0, NULL, 0 }
#define FSR_VALUE_OF(variable) \
    { FSR_PARAM_VALUE, 0, 0, &(variable), sizeof(variable) }

/* What code is. */
typedef enum fsr_code_form {
    FSR_CODE_CUDA, /* CUDA C++, compiled by NVRTC for the context's device; kept in the disk cache unless it may read a file */
    FSR_CODE_PTX,   /* text of PTX, compiled by the driver */
    FSR_CODE_BINARY /* a cubin or a fatbin, for the device's architecture */
} fsr_code_form;

/* A kernel by its code, and how it is launched. It is compiled and loaded when it is first run by a context; calls of
 * equal code, name and options share what was loaded. Zeros where nothing is said: an extent of 0 is 1.
 *
 *     const char text[] = "extern \"C\" __global__ void add(const float *x, const float *y, float *z, int n) {"
 *                         "    int i = blockIdx.x * blockDim.x + threadIdx.x;"
 *                         "    if (i < n) z[i] = x[i] + y[i];"
 *                         "}";
 *     const int n = 1000;
 *     const fsr_kernel_param param[] = {FSR_IN(0), FSR_IN(1), FSR_OUT(0), FSR_VALUE_OF(n)};
 *     const fsr_callee callee = {.name = "add", .inputs = 2, .outputs = 1,
 *                                .kernel = {.code = text, .name = "add", .grid = {(n + 255) / 256}, .block = {256},
 *                                           .param = param, .params = 4}};
 *
 * CUDA C++ needs no extern "C": name may be any expression that names a kernel, "scale<float, 4>" an instance of a
 * template too. PTX and binaries know the names that their compiler wrote. Options are NVRTC's, "-DN=4",
 * "-I/usr/include/mine", "--fmad=false"; -arch is Fusor's. What stands in code runs with all rights of the program. */
typedef struct fsr_kernel_code {
    fsr_code_form form;
    const void *code;  /* NULL: the callee has no kernel */
    size_t code_bytes; /* at most 64 MiB; 0: to the text's final 0 */
    const char *name;
    const char *const *option; /* of FSR_CODE_CUDA: at most 64 */
    int options;
    int64_t grid[3];      /* blocks */
    int64_t block[3];     /* threads of a block */
    int64_t shared_bytes; /* dynamic shared memory of a block */
    bool cooperative;     /* all blocks run at once, and may wait for one another */
    const fsr_kernel_param *param;
    int params; /* at most FSR_MAX_KERNEL_PARAMS */
} fsr_kernel_code;

/* ---- what is called ---------------------------------------------------------------------------------------- */

/* What is called. Everything is copied by the call that records it; attributes byte by byte.
 *
 * The results must depend on the arguments, the attributes and user alone: equal calls, of equal names, functions, user
 * and bytes of attributes on the same arguments, are made once. So what a result depends on belongs into the
 * attributes; user is for what is held, a handle say. Functions may be called by any thread, several at once, while
 * Fusor holds locks: they must not call Fusor for anything but reading constants, and not leave by longjmp or an
 * exception. They run in C's default floating-point environment. */
typedef struct fsr_callee {
    const char *name;       /* 1 to 63 letters, digits and _; for messages, explain and profiles */
    const void *attributes; /* NULL if there are none */
    size_t attribute_bytes; /* at most 65536 */
    void *user;
    /* Called once, with user, when no node and no plan has the call any more (plans are kept for later recordings, at
     * the latest until fsr_close), or before fsr_call_library returns if that fails. By any thread. NULL: nothing is
     * called. */
    fsr_let_go_fn destroy;
    int inputs, outputs; /* how many: 0 to FSR_MAX_CALL_INPUTS, 1 to FSR_MAX_CALL_OUTPUTS */
    /* Writes dtype, ndim and shape of each output from those of the inputs, when the call is recorded; it may be called
     * again and gives the same. A status other than FSR_OK refuses them. NULL: each output is as input 0. */
    fsr_call_fn infer;
    /* Bytes of workspace, from the types alone. NULL: none. */
    fsr_call_bytes_fn work;
    /* Computes the outputs that have data, in the calling thread and by frame->parallel, and returns when that is done.
     * NULL: not on a CPU (nor by fsr_verify). */
    fsr_call_fn cpu;
    /* Puts work on frame->stream that computes the outputs that have data, and returns; it may not wait for the stream
     * if capturable is set. NULL: not on a GPU. */
    fsr_call_fn cuda;
    bool capturable; /* cuda does nothing but put work on the stream, so a stream that is being captured will do */
    /* Largest difference between a result and cpu's of the same arguments that fsr_verify accepts, in units in the last
     * place; 0: such an element is one that nobody knows a bound of. Integers and bools are to be equal. */
    double ulp;
    /* Without infer: dtype, ndim and shape of each output. NULL: each is as input 0. */
    const fsr_frame_array *types;
    /* In place of cuda: a kernel that computes the outputs, on any stream, a captured one too if the context has run it
     * before. Its outputs all have data. What FSR_PARAM_ZEROED and FSR_PARAM_COPIED say is done before cpu is
     * called, too. */
    fsr_kernel_code kernel;
} fsr_callee;

/* out[0..callee->outputs) = the results of the call on args[0..nargs). Arguments are not promoted: what they are, infer
 * and the functions are told; a weak literal becomes its default dtype. Results of different shapes lie in arrays of
 * the largest one's size, of which they are views. A call whose results have no element is not made. On a mistake every
 * out is poisoned, with a message that begins with the callee's name: FSR_ERR_NULL: callee is null (then out[0] alone
 * is written), or its name, cpu, cuda and the kernel's code together, infer and types without an input, attributes that
 * have bytes, or args are; of a kernel its name, an option, its parameters, or a value. FSR_ERR_VALUE: a bad name,
 * number of inputs or outputs, ulp, or attributes too long; nargs is not callee->inputs; infer and types, or cuda and a
 * kernel; of a kernel a form that is none, code or options too long, an extent out of what CUDA allows (2147483647,
 * 65535 and 65535 blocks; 1024, 1024 and 64 threads, 1024 together), a parameter of something that is not there, an
 * output that no parameter is, or is twice. FSR_ERR_SHAPE: a copied output that is no array like its input. What infer
 * returned, with its sentence. FSR_ERR_DTYPE, FSR_ERR_SHAPE, FSR_ERR_SIZE: infer gave what is no dtype or shape.
 * A function that fails when the call is run makes the computation fail with its status and its sentence: nothing is
 * lost, no node is computed, the context goes on. FSR_ERR_UNSUPPORTED: the context's backend has no function of the
 * callee, or the stream of fsr_plan_run is being captured and the callee is not capturable. FSR_ERR_UNSUPPORTED also
 * where a function of rows (fsr_vectorize) makes a call of what a row has.
 * A kernel that cannot be used is found out when it is first run. FSR_ERR_COMPILE: NVRTC rejected the text, or the
 * driver the PTX, with the whole log; FSR_ERR_DEVICE: a binary or PTX of another architecture, no kernel of that name
 * in it, or a launch that the device refuses; FSR_ERR_VALUE: the kernel's parameters are not as many, or not as
 * long, as those of the call. */
void fsr_call_library_at(fsr_site at, size_t size, fsr_graph *g, fsr_node *out, const fsr_callee *callee,
                         const fsr_node *args, int nargs);
#define fsr_call_library(...) fsr_call_library_at(FSR_HERE, sizeof(fsr_callee), __VA_ARGS__)

FSR_API_END
#endif

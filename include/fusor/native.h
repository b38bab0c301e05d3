/* SPDX-License-Identifier: MIT */
/* Scalar functions written in C and in CUDA C++: what an expression cannot say, as a device function of the caller's.
 *
 *     static const fsr_native bessel = {
 *         .name = "bessel", .result = FSR_F32, .parameters = "f32 x, i32 n",
 *         .c = "return jnf(n, x);", .cuda = "return jnf(n, x);",
 *         .c_preamble = "#include <math.h>", .ulp = 16};
 *     fsr_node y = fsr_call_native(&bessel, (fsr_node[]){x, fsr_int(g, 2)}, 2);
 *
 * A call is an elementwise operation as any other: its text becomes a part of the kernel that needs it. The C text is
 * what the CPU backend runs, and what fsr_verify takes for the truth, on a GPU as well: there it compares the two
 * texts.
 *
 * The texts are code, compiled and run with all rights of the program: they must not come from strangers. Nor must
 * compiled code: only objects are looked at, for being cut off; nvJitLink may end the process on other damage. */
#ifndef FUSOR_NATIVE_H
#define FUSOR_NATIVE_H

#include "fusor/api.h"
#include "fusor/build.h"

#include <stddef.h>

FSR_API_BEGIN

/* Parameters of an fsr_native. */
#define FSR_MAX_NATIVE 8

/* What compiled device code is that a kernel is linked with. */
typedef enum fsr_linked_form {
    FSR_LINKED_NONE,   /* there is none */
    FSR_LINKED_PTX,    /* text of PTX, of functions compiled with -rdc=true */
    FSR_LINKED_OBJECT, /* a relocatable cubin of the device's architecture: nvcc -rdc=true -cubin */
    FSR_LINKED_LTOIR   /* LTO-IR, which is inlined into the kernel: nvcc -dlto -ltoir, Numba's, NVRTC's -dlto */
} fsr_linked_form;

/* A function of 1 to FSR_MAX_NATIVE values. The strings are copied by each call.
 *
 * c and cuda are the body of the function, without its braces, in C11 and in C++17 for the device: statements that
 * return the result. They see the parameters, and the types bool, i8 to i64, u8 to u64, f32, f64, c64 and c128
 * (structures of re and im); f16 and bf16 parameters are f32, and such a result is rounded from f32. The result must
 * depend on the arguments alone: the text is run any number of times, by many threads, in any order. A function
 * without CUDA text cannot be computed on a GPU; one string may be both texts.
 * The functions of <math.h> on float and double are declared where the C text names them; CUDA C++ has them anyway.
 *
 * A parameter behind the values may be a whole array (CuPy's raw), "i64 i, raw f32 t": the text then sees the address
 * const f32 *t of its elements in C order, and i64 t_size, how many there are. Elements of f16 and bf16 are their bits,
 * u16, those of bool u8. The text must not write there, and keeps its indices in [0, t_size): nobody else looks. It is
 * called with the arguments of elements that there are, and no others. The name t_size is taken: no parameter and no
 * result may have it. The address of an array of no elements is unspecified, and may be NULL.
 *
 * What stands in a preamble comes before the function: includes, tables, helper functions. It is put into a source
 * once for all functions with the same one; names in different preambles are the caller's to keep apart, and none may
 * begin with fsr_ or user_. C may include what the system's compiler finds. The CUDA text is compiled without any
 * directory to include from. What reads a file or asks for one, in whatever spelling (#include, #import, #embed,
 * __has_include, .incbin ...), is not kept in the disk cache, since the file may change; nor is what may do so for all
 * that can be told from the text: other directives than those of conditions and macros, inline assembly in C, ##,
 * _Pragma, __DATE__.
 *
 * Name, parameters and texts are part of a plan's identity, and in the source by which a kernel is cached; the strings'
 * addresses and ulp are not. Equal functions stand in a kernel once; different ones of one name do not meet. */
typedef struct fsr_native {
    const char *name;          /* a letter or _, then letters, digits and _, at most 63; for messages and sources */
    fsr_dtype result;          /* dtype of the result */
    const char *parameters;    /* "f32 x, i32 n, raw f32 t": dtypes and names, separated by commas */
    const char *c;             /* at most 65536 bytes each */
    const char *cuda;          /* NULL or empty: none */
    const char *c_preamble;    /* NULL: none */
    const char *cuda_preamble; /* NULL: none */
    /* Largest difference between the texts' results that fsr_verify accepts, in units in the last place; 0 stands for
     * 4. Less than 1, such as 0.5: equal. Not looked at unless the result is floating or complex. */
    double ulp;
    /* Device code that the kernel is linked with by nvJitLink (NumbaPro's JIT linking): the CUDA text then may call
     * its functions, which the preamble declares, extern "C" __device__ as nvcc compiled them. Without a CUDA text the
     * function of this name is called: extern "C" __device__, of the parameters' C types, bools, and floats for f16 and
     * bf16, and for a whole array the address and the i64 size; of fsr_call_natives void, with an address behind the
     * parameters for each result. linked: linked_bytes of it, 1 to 16 MiB, PTX by its text; equal code is linked once
     * for all functions of a kernel. Functions whose code differs are never in one kernel, since both may define a
     * symbol: a value between is stored (fsr_explain tells it), on a CPU as well. On a CPU, and for the truth, it is
     * the C text. nvJitLink of NVRTC's major version is loaded, 12 or 13, and must have nvJitLinkVersion; 13.0 alone is
     * tested. */
    fsr_linked_form linked_form;
    const void *linked;
    size_t linked_bytes;
} fsr_native;

/* f of args[0..nargs), element by element; arguments broadcast, but for whole arrays, which have any shape. Such a one
 * is read where it lies, by the kernel that the call is a part of; it is stored first if it is computed, or a view
 * whose elements are not in C order, and nothing is written over it before. A call that has any is stored itself where
 * its values would be computed beside those of other elements (concatenations, pads, prefixes). A literal that is weak
 * becomes the parameter's dtype; other arguments are converted if NumPy calls that safe: promoted with the parameter's
 * dtype they give that dtype. fsr_verify calls elements of a function of whole arrays unknown, but for those whose
 * arguments, and whole arrays, are known exactly, and otherwise carries the error of computed arguments through the
 * function by its values at the ends of their intervals. A mistake gives a poisoned node whose message begins with the
 * function's name, or with "call_native" where that is no word or an argument itself is wrong. FSR_ERR_NULL: f, its
 * name, parameters, c, or linked code of some form is null. FSR_ERR_VALUE: a bad name, list of parameters (a whole
 * array before a value, a name that is taken) or ulp, a text too long, linked code that is of no form, too long, or cut
 * off, a count of arguments that is not that of the parameters, a literal that does not fit.
 * FSR_ERR_DTYPE: the result's dtype is none, or an argument cannot be converted. FSR_ERR_SHAPE: shapes do not
 * broadcast. FSR_ERR_UNSUPPORTED: whole arrays, and an argument with a length that only the device knows, or inside
 * fsr_vectorize an array that each row has its own of. A text that the compiler rejects is found out when a plan is
 * compiled: FSR_ERR_COMPILE, with the compiler's words, its lines counted from the beginning of the text.
 * FSR_ERR_NO_COMPILER: there is none; no interpreter reads C. FSR_ERR_UNSUPPORTED, likewise: no CUDA text on a GPU, or
 * linked code and no nvJitLink. Code that nvJitLink rejects, or that has no such function, is FSR_ERR_COMPILE with its
 * words. Not possible in an fsr_operator's body. With no graph to record in (args is null, every argument is null, or
 * nargs < 1) the null node. */
fsr_node fsr_call_native_at(fsr_site at, size_t size, const fsr_native *f, const fsr_node *args, int nargs);
#define fsr_call_native(...) fsr_call_native_at(FSR_HERE, sizeof(fsr_native), __VA_ARGS__)

/* A function of several results: out[0..nout) = f of args, results[i] its dtype and name as the parameters have
 * theirs, "f32 s, f32 c". The texts assign to these names, which are 0 before, and do not return; f->result is not
 * looked at; f16 and bf16 results are f32 variables. Each result is a node of its own, broadcast, fused and checked
 * as fsr_call_native's. A kernel that needs several of them runs the text once for each element, as it would for one;
 * kernels that need one each run it each, as they do what else they share (fsr_hint_pair asks for one kernel). Errors
 * as fsr_call_native's, and FSR_ERR_VALUE: the results are not a list of 1 to FSR_MAX_NATIVE names that differ, have a
 * name that the parameters have, or are not nout; FSR_ERR_NULL: results is null. out is not written if it is null or
 * nout < 1; with no graph to record in all of it are null nodes. */
void fsr_call_natives_at(fsr_site at, size_t size, fsr_node *out, int nout, const fsr_native *f, const char *results,
                         const fsr_node *args, int nargs);
#define fsr_call_natives(...) fsr_call_natives_at(FSR_HERE, sizeof(fsr_native), __VA_ARGS__)

FSR_API_END
#endif

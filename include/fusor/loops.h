/* SPDX-License-Identifier: MIT */
/* Loops for each element, loops over arrays, functions of rows. */
#ifndef FUSOR_LOOPS_H
#define FUSOR_LOOPS_H

#include "fusor/node.h"

FSR_API_BEGIN

/* ---- a loop for each element -------------------------------------------------------------------- */

enum { FSR_MAX_STATE = 7, FSR_MAX_LOOP_OPERANDS = 17 }; /* components of a loop's state; these and its arguments */

/* Records one turn of a loop: out[0..nstate) receives the next state, built with ordinary builder functions from
 * state[0..nstate), arg[0..narg), 0-d arguments of the operands' dtypes, literals, and 0-d nodes recorded before the
 * call: parameters above all. Such a node is one argument more, the same for every element; a parameter's changes never
 * recompile. Called once, during the recording call. A loop's condition is recorded in the same way, once, before the
 * body: out[0] receives what has to be true for another turn, a 0-d bool. */
typedef void (*fsr_loop_fn)(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user);

/* A loop whose state is nstate values and which has narg arguments that do not change. */
typedef struct fsr_loop {
    fsr_loop_fn body;
    fsr_loop_fn condition; /* NULL: always true */
    void *user;            /* handed to both */
    int nstate, narg;
} fsr_loop;

/* For each element by itself: while the condition holds and at most max_n times (0 to 2147483647, part of the plan's
 * identity), the state becomes what the body makes of it: a Mandelbrot set, Newton's method, the time steps of a path.
 * state[0..nstate), the first values, and arg[0..narg) (NULL is allowed if narg is 0) broadcast against each other.
 * out[0..nstate) receives the state at the end, in the dtypes of state[], and out[nstate] how many turns there were, an
 * i32 (all poisoned on a mistake). The loop runs inside the kernel that it is fused into, its state in registers, and
 * never twice; what is computed from its operands and its results element by element, and reductions of these, belong
 * to that kernel too. The callbacks may take elements of arrays from outside, recorded before the call: fsr_take of one
 * of one dimension, or fsr_index with as many indices as it has dimensions, clipped or wrapped: a binary search, a
 * linked list. Such an array is read where it lies, through views; one that is computed is stored first. FSR_ERR_DTYPE:
 * the body's result i has another dtype than state[i], or the condition is not bool. FSR_ERR_VALUE: max_n is out of
 * range, or the callbacks use something else than their arguments, literals, 0-d nodes and elements of arrays.
 * FSR_ERR_SHAPE: the operands do not broadcast. FSR_ERR_UNSUPPORTED: the program is longer than 256 operations; state,
 * arguments, 0-d nodes and arrays from outside are more than FSR_MAX_LOOP_OPERANDS, the arrays more than 8; an index is
 * neither clipped nor wrapped; inside fsr_vectorize, an array that each row has its own of. */
void fsr_iterate_at(fsr_site at, size_t size, fsr_node *out, const fsr_loop *loop, const fsr_node *state,
                    const fsr_node *arg, int64_t max_n);
#define fsr_iterate(...) fsr_iterate_at(FSR_HERE, sizeof(fsr_loop), __VA_ARGS__)

/* ---- loops over arrays ---------------------------------------------------------------------------------- */

enum { FSR_MAX_TURN_RESULTS = 8, FSR_MAX_TURN_ARRAYS = 8 }; /* state and stacked results; arrays with slices */

/* Records one turn of a loop over arrays: out[0..nstate) receives the next state, of the state's dtypes and shapes,
 * built with ordinary builder functions of any kind from state[0..nstate), in[], literals and other nodes of the graph,
 * which are the same in every turn: what is computed of them alone is computed once, before the loop. in[0..narrays)
 * are this turn's slices (of fsr_scan_loop, else there are none), in[narrays] is the number of the turn, from 0, a 0-d
 * i64 that may be a start of fsr_dynamic_slice. Called once, during the recording call; nothing that needs the state
 * can be computed in it. A condition is recorded in the same way, before the body: out[0] receives what has to be true
 * for another turn, a 0-d bool. */
typedef void (*fsr_turn_fn)(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user);

/* The state after a number of turns of the body (JAX's fori_loop): time steps, sweeps, the columns of a factorization.
 * Where the loop is a plan it is compiled once, runs without a trip to the host, and takes the memory of two states and
 * of what one turn needs, however many turns there are. A state that a turn gives back with other elements in a part of
 * it, by fsr_update, fsr_dynamic_update or fsr_scatter with FSR_UNIQUE, is changed in place: a turn that fills a row of
 * a table moves the row, not the table. A turn has the bits that the same nodes have when they are
 * computed at once, by fsr_compute of all its results. Where the turn does nothing but elementwise functions of states
 * and arrays of one shape, of numbers and of the turn's number, and the count of turns is a literal, the loop is one
 * for each element, as fsr_iterate's are, a part of the kernel of what is around it; so are while and scan loops whose
 * states and slices are numbers and stack nothing. Loops may stand in loops. turns: a 0-d integer, none if it is
 * negative: a literal, part of the plan; a parameter, whose changes neither plan nor compile; or computed, and then
 * read by the host once, before the first turn. out[0..nstate) receives the state (all poisoned on a mistake).
 * FSR_ERR_DTYPE, FSR_ERR_SHAPE: result i of the body, whose line is told, is not as state i; turns is no 0-d integer.
 * FSR_ERR_VALUE: nstate is not 1 to FSR_MAX_TURN_RESULTS. FSR_ERR_UNSUPPORTED: state and what the body takes from
 * outside are more than 17 arrays and parameters, those that sparse matrices keep included (a large matrix and its
 * transposed products keep a dozen); inside of fsr_vectorize. */
void fsr_fori_loop_at(fsr_site at, fsr_node *out, const fsr_node *state, int nstate, fsr_node turns, fsr_turn_fn body,
                      void *user);
#define fsr_fori_loop(...) fsr_fori_loop_at(FSR_HERE, __VA_ARGS__)
/* The state after the first turn that leaves it such that the condition does not hold, itself if it does not hold at
 * first, and after most_turns turns in any case (JAX's while_loop): Jacobi's iteration until it converges. Errors as
 * above, and FSR_ERR_VALUE: most_turns is negative. On a CPU the condition is looked at after every turn. On a GPU
 * turns are started in batches of up to 16, and what is started after the end leaves the state as it is; of a body with
 * indices that may be outside (FSR_INDEX_RAISE) one by one. */
void fsr_while_loop_at(fsr_site at, fsr_node *out, const fsr_node *state, int nstate, int64_t most_turns,
                       fsr_turn_fn condition, fsr_turn_fn body, void *user);
#define fsr_while_loop(...) fsr_while_loop_at(FSR_HERE, __VA_ARGS__)
/* A sequential scan whose step sees whole slices and a tuple of carries (JAX's scan): Kalman filters, tridiagonal
 * systems, dynamic programming by rows. One turn for each slice of arrays[0..narrays), which have as many along `axis`,
 * from the first to the last, with FSR_REVERSE in flags from the last to the first. The body gives the next state and
 * nstacked arrays of any shape, this turn's slices of results: out[0..nstate) receives the last state,
 * out[nstate..nstate + nstacked) those slices along the axis, each where the slice that it was made of was. Slices are
 * neither copied nor pasted where the axis is 0. Where the turn does nothing but elementwise functions of arrays of the
 * slices' shape, its own and those from outside, of numbers and of the turn's number, and each state is stacked too,
 * the loop is a scan (of at most four arrays, the number and what the states are at first, if that is computed, among
 * them, and four states and others that are stacked): one kernel with what computes the slices and goes on
 * with the results, in which each thread follows an element. FSR_ERR_VALUE: narrays is not 1 to FSR_MAX_TURN_ARRAYS,
 * nstate + nstacked not 1 to FSR_MAX_TURN_RESULTS, unknown flags. FSR_ERR_AXIS. Other errors as above. */
void fsr_scan_loop_at(fsr_site at, fsr_node *out, const fsr_node *state, int nstate, const fsr_node *arrays,
                      int narrays, int nstacked, int axis, int flags, fsr_turn_fn body, void *user);
#define fsr_scan_loop(...) fsr_scan_loop_at(FSR_HERE, __VA_ARGS__)

/* ---- a function of rows over arrays of higher rank ---------------------------------------------- */

enum { FSR_MAX_CORE = 16 }; /* operands, and results, of a row function */

/* Records the body of a row function: in[] are arguments with the core dimensions alone, out[] receives the results,
 * built with ordinary builder functions (reductions, scans, views, operators) from the arguments, literals, and other
 * nodes of the graph, which are the same for every row. Called once, during the recording call; nothing that needs an
 * argument can be computed in it. */
typedef void (*fsr_row_fn)(fsr_node *out, const fsr_node *in, void *user);

/* A row function over arrays of any rank, as NumPy's generalized ufuncs and vectorize. The signature names the core
 * dimensions: "(n),(n)->()" a dot product, "(n)->(n)" a softmax, "(m,n),(n)->(m)", "(n),()->(n)". A number is a fixed
 * extent. Core dimensions are the operands' last ones; those before them broadcast against each other and lead the
 * results' shape. A name stands for one extent (an extent of 1 does not stretch); one that only results have gets it
 * from the body. The body's nodes are recorded again for the whole arrays, so the result is what batch code would
 * give, and fuses as it. out[0..nout) receives the results (all poisoned on a mistake).
 * FSR_ERR_VALUE: the signature is none, or not one of nin operands and nout results. FSR_ERR_SHAPE: an operand has too
 * few dimensions, extents of one name differ, leading dimensions do not broadcast, a result's shape is not the
 * signature's, or some array would have more than FSR_MAX_DIMS dimensions. */
void fsr_vectorize_at(fsr_site at, fsr_node *out, int nout, const fsr_node *in, int nin, const char *signature,
                      fsr_row_fn body, void *user);
#define fsr_vectorize(...) fsr_vectorize_at(FSR_HERE, __VA_ARGS__)

FSR_API_END

#endif

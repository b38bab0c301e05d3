/* SPDX-License-Identifier: MIT */
/* Expressions written as a string. The string is read once and becomes ordinary nodes, recorded by the builder
 * functions of fusor/build.h and fusor/ops.h: nothing is interpreted later, and there is nothing that calls cannot say.
 * docs/expressions.md has the grammar.
 *
 *     fsr_node z = fsr_expr(g, "max(sin(i / period) - 0.3, 0) * amplitude",
 *                           (fsr_name[]){{"i", i}, {"period", period}, {"amplitude", amplitude}}, 3);
 */
#ifndef FUSOR_EXPR_H
#define FUSOR_EXPR_H

#include "fusor/api.h"
#include "fusor/build.h"

FSR_API_BEGIN

/* A node that an expression may use: a letter or _, then letters, digits and _, at most 63. Borrowed during the
 * call. */
typedef struct fsr_name {
    const char *name;
    fsr_node node;
} fsr_name;

/* The value of text: statements separated by ;, the last of which is one expression. At most 65536 bytes, nested at
 * most 200 deep: brackets, signs, exponents and branches of ?: are one level each, calls and indices two. names may be
 * NULL if nnames is 0. A mistake gives a poisoned node; a message about the text shows its line with a caret below the
 * column. FSR_ERR_FORMAT: the text is no program of the grammar. FSR_ERR_VALUE: an unknown name, a wrong number of
 * arguments, a name in names that is none or is there twice. Else the status of the builder function that refused. A
 * name whose node is poisoned gives that node. On a mistake nothing else is recorded; else only what the value
 * needs. */
fsr_node fsr_expr_at(fsr_site at, fsr_graph *g, const char *text, const fsr_name *names, int nnames);
#define fsr_expr(...) fsr_expr_at(FSR_HERE, __VA_ARGS__)

/* The same for a last statement of several expressions, separated by commas. Returns how many they are and fills
 * outs[0..that); on a mistake it returns 0 and outs[0..capacity) are all the poisoned node. More than capacity is a
 * mistake. */
int fsr_exprs_at(fsr_site at, fsr_graph *g, const char *text, const fsr_name *names, int nnames, fsr_node *outs,
                 int capacity);
#define fsr_exprs(...) fsr_exprs_at(FSR_HERE, __VA_ARGS__)

/* ---- a function written as an expression --------------------------------------------------------------- */

/* Arguments of an fsr_function. */
#define FSR_MAX_PARAMETERS 16

/* A function by its text, to be called many times:
 *     static const fsr_function line = {"line", "a, x, b", "a*x + b"};
 * name is for messages: 1 to 63 letters, digits and _. parameters: 1 to FSR_MAX_PARAMETERS different names separated by
 * commas, as names of fsr_expr. text as fsr_expr takes it, of one value, which may use the parameters and nothing else.
 * The strings are the caller's and are read anew by each call; nothing is kept. */
typedef struct fsr_function {
    const char *name;
    const char *parameters;
    const char *text;
} fsr_function;

/* The function of args[0..nargs): its text is recorded with the parameters standing for them, in order, so that
 * operands are promoted and broadcast at each call. What it records is ordinary nodes: it fuses, and serves inside an
 * fsr_operator's body.
 * A mistake gives a poisoned node whose message begins with the function's name, or with "call" where the function or
 * an argument itself is wrong. FSR_ERR_NULL: f or one of its strings is null. FSR_ERR_VALUE: a bad name, a list of
 * parameters that is none, or a count of arguments that is not its length. Else as fsr_expr. With no graph to record
 * in (args is null, every argument is null, or nargs < 1) the null node. */
fsr_node fsr_call_at(fsr_site at, size_t size, const fsr_function *f, const fsr_node *args, int nargs);
#define fsr_call(...) fsr_call_at(FSR_HERE, sizeof(fsr_function), __VA_ARGS__)

FSR_API_END
#endif

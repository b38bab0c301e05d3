/* SPDX-License-Identifier: MIT */
/* The builder: functions that record array operations. Nothing runs here.
 *
 * Nodes. An fsr_node is a value, 24 bytes, copied freely and never freed one by one. Its shape and
 * dtype are known at once. It lives until its graph is freed or the scope it was recorded in ends.
 *
 * Poison. A mistake (shapes that do not fit, an unknown axis, nodes of two graphs, ...) gives a
 * poisoned node. It keeps the status and a message with the operation, the operands' dtypes and
 * shapes and the caller's file and line. What uses it is poisoned with the same message; computing
 * or reading it returns that status; other nodes are untouched. fsr_node_status and fsr_node_error
 * show it. With no graph to record in (every operand is null, or of a freed graph) the result is
 * the null node {0}; where an operand or graph is a freed one's, fsr_error says why.
 *
 * Meaning. NumPy 2's answer for the same call is right; docs/semantics.md lists where it has none. Promotion is NumPy
 * 2's; fsr_float, fsr_int are weak like Python's numbers: they take the dtype of the array they meet, unless their kind
 * is higher (a float with an i32 array gives f64). Elementwise operands broadcast. Axes may be negative. At most
 * FSR_MAX_DIMS dimensions; 0-d and empty arrays are allowed. The bytes of every array, of those recorded on the way to
 * a result too (what an integer sum adds up has 8 bytes an element), are less than 2^63 - 1, else FSR_ERR_SIZE. Fusion
 * never changes a bit of an elementwise result.
 *
 * There is a header for each subject, which may be included by itself; this one includes all.
 *
 * Every function here is a macro over a function with the suffix _at, which takes the caller's place (fsr_site) first,
 * and then, where it takes a struct that may get more fields (fsr_operator, fsr_loop, fsr_function, fsr_native), that
 * struct's size as the caller's headers have it. FSR_ERR_UNSUPPORTED: a struct of newer headers asks for what this
 * library does not know; FSR_ERR_VALUE: the size is none (docs/abi.md). */
#ifndef FUSOR_BUILD_H
#define FUSOR_BUILD_H

#include "fusor/elementwise.h"
#include "fusor/indices.h"
#include "fusor/leaves.h"
#include "fusor/lengths.h"
#include "fusor/linalg.h"
#include "fusor/loops.h"
#include "fusor/node.h"
#include "fusor/order.h"
#include "fusor/products.h"
#include "fusor/random.h"
#include "fusor/reduce.h"
#include "fusor/segments.h"
#include "fusor/views.h"

#include "fusor/axes.h" /* no literal 0 for an address of axes */
#include "fusor/ops.h"  /* generated from graph/scalar_ops.def */
#endif

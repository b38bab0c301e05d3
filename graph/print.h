/* SPDX-License-Identifier: MIT */
/* A graph as text that is read back, and as Graphviz DOT.
 *
 *     %0 = input f32[4,5] "x"
 *     %1 = const weak f64[] 2
 *     %2 = const f32[] 2
 *     %3 = view f32[4,5] %2 affine []
 *     %4 = mul f32[4,5] %0, %3
 *     %5 = reduce f32[4,1] %4 axes=1 op=add
 *     %6 = view f32[4] %5 affine [d0, 0]
 *     return %6
 *
 * Nodes are numbered in the order of the text: arguments first. A node has one line:
 *     input TYPE "name" | data TYPE | const [weak] TYPE VALUE | param TYPE ["name"] VALUE | iota TYPE axis=A
 *     | arg TYPE INDEX | poison STATUS "message"
 *     | OP [weak] TYPE %a, %b | view TYPE %a reshape | view TYPE %a affine [MAP, ...]
 *     | paste TYPE %a, %b affine [MAP, ...]
 *     | inset TYPE %a, %b, %i, ... axes=A,B mode=clip
 *     | prefix TYPE %a, %b, %n [front] [neutral] | compact TYPE %a, %m, %n [front]
 *     | gather TYPE %a, %i, ... axes=A,B affine [MAP, ...] mode=raise|clip|wrap
 *     | call TYPE %a, ... NAME(DTYPE name, ...) ulp=U c="..." [cuda="..."] [c_preamble="..."] [cuda_preamble="..."]
 *       [linked=ptx|object|ltoir "two digits a byte"]
 *     | library TYPES %a, ... NAME[(WORD, ...)]
 *     | iterate TYPES %a, ... max=N [tables=T] LOOP
 *     | loop TYPES %a, ... state=N slices=N stacked=N [turns=N] [reverse] [while] "graph" | result TYPE %a
 *     | reduce TYPES %a, ... axes=A,B [product] COMBINE | scan TYPES %a, ... axis=A [exclusive] [reverse] COMBINE
 * TYPE is dtype[extents]; TYPES of a tuple of n is (dtype,dtype)[extents]; %4.1 is result 1 of %4 (%4 is result 0).
 * MAP, one for each dimension of the source (of a paste: of %a): START, START+STEP*dI or short forms of it (dI,
 * STEP*dI). COMBINE is op=NAME, or {[commutative|sequential] identity=V,V; REGION}, LOOP is {REGION}. A region is
 *     t0 = f32 left0; t1 = f32 2; t2 = f32 mul(t0, t1); ... gives t2, t5
 * Its instructions name the dtype of their value, and operations that of their operands where it may be another:
 * bool less.f32(t0, t1). What an operator takes is left0, left1, ... right0, ..., and same0, ..., the arguments of its
 * node that are no operands; a loop takes state0, ... arg0, ..., the arguments of its node, and says while t4 gives t2,
 * t3. The last T of its arguments are arrays of which it takes elements: f32 clip table0(t3), f32 wrap table1(t3, t5).
 * A hint follows as hint=materialize or hint=inline, and what is said of it and of an earlier node as fuse=%a,
 * apart=%b. VALUE: decimal that reads back exactly, inf, -inf, nan, or nan:HEX for a NaN of other bits. A computed node
 * is printed as data. */
#ifndef FUSOR_GRAPH_PRINT_H
#define FUSOR_GRAPH_PRINT_H

#include "graph/graph.h"
#include <stdarg.h>
#include <stdio.h>

/* Prints the nodes that outs need, then the return line. FSR_ERR_MEMORY; FSR_ERR_FILE: `to` has met an error. */
fsr_status fsr_graph_print(const fsr_graph *g, const fsr_ref *outs, int n, FILE *to);
/* The same nodes as a digraph; each label is the node's line. */
fsr_status fsr_graph_dot(const fsr_graph *g, const fsr_ref *outs, int n, FILE *to);

/* ---- shared by the two ---------------------------------------------------------------------------- */

/* The nodes that outs need, arguments before users; stops at computed ones. */
typedef struct fsr_order {
    uint32_t count;
    uint32_t *id;     /* [count] */
    uint32_t *number; /* [slots]: place in id[], UINT32_MAX where the node is not needed */
} fsr_order;
/* FSR_ERR_MEMORY; then nothing is to be freed. */
fsr_status fsr_order_make(const fsr_graph *g, const fsr_ref *outs, int n, fsr_order *order);
void fsr_order_free(fsr_order *order);
/* True if the node is a leaf for everybody: data, or all its results are computed. */
bool fsr_rec_computed(const fsr_rec *rec);

/* fprintf, many times as fast for %d, %lld, %.0f, %s, %c. */
void fsr_fput(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
void fsr_fput_list(FILE *to, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

/* Where text goes; escape: " \ and line ends as inside a quoted string; brief: of operators, loops and routines how
 * long they are in place of what they are. */
typedef struct fsr_writer {
    FILE *to;
    bool escape, brief;
} fsr_writer;
void fsr_write(fsr_writer *w, const char *text);
/* Up to 127 bytes. */
void fsr_write_piece(fsr_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A caller's string in quotes. */
void fsr_write_string(fsr_writer *w, const char *text);
/* VALUE of the grammar. */
void fsr_write_value(fsr_writer *w, fsr_dtype dtype, fsr_value value);
/* NAME(DTYPE name, ...) ulp=U c="..." and the other texts. */
void fsr_write_routine(fsr_writer *w, const fsr_routine *f);
/* How a region's text goes: the names of its arguments, set by set, and whether it has lines of its own, as in the
 * loop IR, or `;` between its instructions. condition: the last result is one. */
#define FSR_REGION_SETS 3
typedef struct fsr_region_text {
    struct {
        const char *name;
        int n;
    } set[FSR_REGION_SETS];
    bool condition, lines;
} fsr_region_text;
fsr_region_text fsr_combine_text(const fsr_combine *c, bool lines);
fsr_region_text fsr_iteration_text(const fsr_iteration *loop, bool lines);
/* REGION of the grammar, or the same in lines. */
void fsr_write_region(fsr_writer *w, const fsr_region *r, const fsr_region_text *text);
/* The value of a CONST or OP of any container: 2, mul(v0, v1); letter: of the operands. */
void fsr_write_scalar(fsr_writer *w, const fsr_inst *inst, const char *letter);
/* %4, %4.1: node `id` of the text. */
void fsr_write_ref(fsr_writer *w, fsr_ref ref);
/* A node's line after its number: "mul f32[4,5] %0, %3". arg: its arguments, by their numbers; rank: dimensions of the
 * first one. */
void fsr_write_content(fsr_writer *w, const fsr_content *n, const fsr_ref *arg, int rank);
/* " fuse=%4": what is said of the line's node and node `with` of the text. */
void fsr_write_pair(fsr_writer *w, fsr_pair_hint hint, uint32_t with);
/* Those of its fields whose text stands before the type, or the others. */
void fsr_write_fields(fsr_writer *w, const fsr_content *n, int rank, bool head);
/* "%3 = " and its line. */
void fsr_write_node(fsr_writer *w, const fsr_graph *g, const fsr_order *order, uint32_t id);

#endif

/* SPDX-License-Identifier: MIT */
/* The price of a kernel: launch + max(memory, issue), in ns, from the table price.def and from nothing measured. */
#ifndef FUSOR_FUSION_PRICE_H
#define FUSOR_FUSION_PRICE_H

#include "fusion/address.h"
#include "fusion/partition.h"
#include "fusion/walk.h"

typedef struct fsr_prices {
#define FSR_PRICE(name, gpu, cpu) double name;
#include "fusion/price.def"
} fsr_prices;

const fsr_prices *fsr_prices_of(bool gpu);
/* Reading or writing so many bytes. */
double fsr_price_bytes(const fsr_prices *prices, double bytes);
/* Bytes of what a flow takes in and gives. Counter-example to asking whether the last cache holds what one kernel
 * moves: several kernels would move as much faster than one does. */
double fsr_price_footprint(const fsr_flow *flow);
/* Reading or writing so many bytes in a program that takes in and gives `footprint`. */
double fsr_price_moved(const fsr_prices *prices, double bytes, double footprint);
/* What takes so long for its bytes and so long for its operations. */
double fsr_price_together(const fsr_prices *prices, double memory, double issue);
/* A kernel that moves bytes and does operations. */
double fsr_price_kernel(const fsr_prices *prices, double bytes, double operations);

/* price_node.c. The node's first argument is evaluated where the others say. */
bool fsr_price_gathers(const fsr_flow_node *n);
/* A gather with an index for each element; else it is one place for all, and neighbours are neighbours in memory. */
bool fsr_price_scatters(const fsr_flow *flow, const fsr_flow_node *n);
/* Maps, gathers and pastes are walked through; everything else ends a walk down from a root, and so does what is
 * held. */
bool fsr_price_walks(const fsr_flow_node *n);
bool fsr_price_goes_on(const fsr_partition *p, int id);
/* Operations of a scalar operation beside those that the table of operations counts, which schedules follow, too:
 * elements a thread that were measured with these counts stay as they are. */
double fsr_price_divides(const fsr_prices *prices, fsr_op op);
/* The same of a conversion: of a float to an integer, which saturates. */
double fsr_price_converts(const fsr_prices *prices, fsr_dtype from, fsr_dtype to);
/* Operations of a node for one element. */
double fsr_price_own(const fsr_prices *prices, const fsr_flow *flow, const fsr_flow_node *n);
/* A point of a kernel of reductions over the domain does all places of dimension d, and computes once what does not
 * vary along it (coarsen.c). */
bool fsr_price_shares_folds(const fsr_prices *prices, const fsr_domain *domain, int d);

/* price_follow.c. */
/* Where a gather looks whose places follow the index at which it is asked, as a view that is moved would; exact: at
 * each point of the domain, so that it is that view. */
bool fsr_price_gather_follows(const fsr_flow *flow, const fsr_domain *domain, const fsr_flow_node *n,
                              const fsr_index *index, fsr_index *inner, bool *exact);
/* The form that a place is at each point of the domain, nothing of it an argument or held back by bounds. */
bool fsr_price_place_is(const fsr_flow *flow, const fsr_domain *domain, fsr_link place, const fsr_index *index,
                        fsr_affine *out);
/* The symbols of an address follow the index; elements apart along dimension d then. */
bool fsr_price_form_follows(const fsr_kernel *k, const fsr_form *f, int d, double *stride);
/* A load or store at a computed index that differs along some dimension, and costs more than another one. */
bool fsr_price_scatters_from(const fsr_prices *prices, const fsr_kernel *k, const fsr_form *f);

/* price_element.c. */
/* A load or store at a computed index that differs along some dimension. */
bool fsr_price_is_gather(const fsr_form *f);
/* The dimension of a scheduled kernel along which vectors lie: of its innermost loop, of its threads. */
int fsr_price_inner(const fsr_kernel *k);
/* Turns of that loop; of columns that lie beside each other, for all rows. */
double fsr_price_inner_extent(const fsr_group *group);
/* Elements apart along a dimension of the domain; 0: the same one. Of computed places nothing is known. */
double fsr_price_stride(const fsr_group *group, int access, int d);
/* Operations, with what guards cost that are asked for; those that are done one by one in loops of any length; and
 * loads and stores, both counted in loads: processors do operations beside them. */
typedef struct fsr_price_work {
    double operations, single, loads, stores;
} fsr_price_work;
/* A pass of a scheduled kernel, and what no version of its loop changes, of each instruction of its body: the part of
 * it that an element is charged for, and of loads and stores the stride, what gathering costs, and loads. */
typedef struct fsr_price_loop {
    const fsr_prices *prices;
    const fsr_group *group;
    double inner; /* elements that share what does not vary */
    fsr_body body;
    double share[FSR_MAX_INSTS], stride[FSR_MAX_INSTS], gather[FSR_MAX_INSTS], access[FSR_MAX_INSTS];
} fsr_price_loop;
void fsr_price_loop_of(fsr_price_loop *out, const fsr_prices *prices, const fsr_group *group, int pass);
/* How many times longer its operations take in a loop of a few turns, but those done one by one in any case. */
double fsr_price_lost_vectors(const fsr_prices *prices, const fsr_group *group);
/* Of an element, where a version of the loop runs. Who asks for many versions makes the loop once. */
fsr_price_work fsr_price_version(const fsr_price_loop *l, const fsr_loop_version *version);
/* The same of a loop that is asked for once. */
fsr_price_work fsr_price_element(const fsr_prices *prices, const fsr_group *group, int pass,
                                 const fsr_loop_version *version);
/* Of a row of a kernel with folds, beside its elements. */
fsr_price_work fsr_price_row(const fsr_prices *prices, const fsr_group *group);
/* ns that loads and stores take, by so many threads; INFINITY: by all that there are. */
double fsr_price_accesses(const fsr_prices *prices, const fsr_price_work *work, double threads);

/* price_kernel.c. */
/* The access takes a whole array: 1, across dimension `inner`, -1, along it, 0: it takes no whole array, or is along
 * none. */
int fsr_price_direction(const fsr_prices *prices, const fsr_kernel *k, const fsr_form *f, int access, int inner);
/* The price of a scheduled kernel; *issue: of its operations and loads alone. */
double fsr_price_scheduled(const fsr_prices *prices, const fsr_partition *p, const fsr_group *group, double *issue);
/* The same of any lowered kernel, as it would be scheduled; out of memory is told in p->no_memory. */
double fsr_price_group(const fsr_partition *p, const fsr_group *group, double *issue);
/* Bytes that it moves, but those of arrays that memory does not hold: near, a flag for each array; and its issue. */
double fsr_price_touched(const fsr_partition *p, const fsr_group *group, const bool *near, double *issue);

/* price_parts.c. */
/* What an element of rows that go in parts takes before it is scanned, and the share of them that does; *work is set
 * where that is so. */
bool fsr_price_scans_parts(const fsr_prices *prices, const fsr_group *group, double *share, fsr_price_work *work);

/* price_tiles.c. */
/* ns that a kernel in tiles takes for so many elements of them beside their work: each is asked where it stands. */
double fsr_price_placed(const fsr_prices *prices, double elements, bool deep);
/* Places of whole tiles, of so many each, for each of the elements; 1: fewer than two. */
double fsr_price_spread(int64_t blocks, int64_t places, int64_t elements);
/* ns that the blocks of such a kernel wait between so many nests: the part of them that all begin at once, of which
 * none hides what another one waits for. */
double fsr_price_waits(const fsr_prices *prices, int nests, int64_t blocks);

/* price_threads.c. */
/* ns that other threads wait for a scheduled kernel that works so long. */
double fsr_price_waited(const fsr_prices *prices, const fsr_kernel *k, double price);
/* So it may be with passes that a kernel, which has not been scheduled, has beyond one. */
bool fsr_price_may_wait(const fsr_prices *prices, const fsr_kernel *k);
/* ns of lines that threads take from each other as they store rows side by side (price_threads.c); and whether there
 * may be any, of whatever schedule. */
double fsr_price_torn_lines(const fsr_prices *prices, const fsr_kernel *k);
bool fsr_price_may_tear_lines(const fsr_prices *prices, const fsr_kernel *k);

/* price_chain.c, by columns: operations that a function takes beside its own as it waits for another one, or in a short
 * loop for itself; waits[i]: instruction i is a function of what another one of the body gives, and not `dead`. */
double fsr_price_chained(const fsr_price_loop *l, const bool *waits, int number);
void fsr_price_find_waiting(const fsr_price_loop *l, const bool *dead, bool *waits);
/* price_beside.c: operations that an instruction takes beside its own of columns that lie beside each other; and in a
 * row that is scanned. */
double fsr_price_beside(const fsr_price_loop *l, int number);
double fsr_price_along(const fsr_price_loop *l, int number);
/* price_element.c: operations of an OP; it is one that takes many. */
double fsr_price_operation(const fsr_prices *prices, const fsr_inst *inst);
bool fsr_price_is_function(const fsr_inst *inst);

/* price_blocks.c. */
/* Loads that an element of a pass costs more as blocks of rows side by side are narrower than these rows. */
double fsr_price_blocks(const fsr_prices *prices, const fsr_group *group, int pass);
/* So it may be in a kernel of several passes, which has not been scheduled. */
bool fsr_price_may_be_narrow(const fsr_prices *prices, const fsr_group *group);

/* price_group.c. */
/* Two kernels cost less than the one that does what both do; the note then has both prices. Only asked where that may
 * be: of most joins it is plain that they spare something. */
bool fsr_price_is_less_apart(fsr_partition *p, const fsr_group *both, const fsr_group *a, const fsr_group *b,
                             fsr_note *note);

#endif

/* SPDX-License-Identifier: MIT */
/* Shared by schedule.c and schedule_gpu.c. */
#ifndef FUSOR_FUSION_SCHEDULE_PARTS_H
#define FUSOR_FUSION_SCHEDULE_PARTS_H

#include "fusion/schedule.h"

struct fsr_body;
struct fsr_branches;

/* Bytes of an element of the widest array. */
int fsr_kernel_widest(const fsr_kernel *k);
/* The same of those whose elements lie along the columns: a row's own, say the count of a mask, move once. 4: there
 * are none. */
int fsr_columns_widest(const fsr_kernel *k);
/* Something is computed of the index along d in blocks of neighbours. */
bool fsr_any_block(const fsr_kernel *k, int d);
/* Some loop runs for each element. */
bool fsr_kernel_has_loops(const fsr_kernel *k);
/* The last pass that reads an instruction's value, -1: none. */
int fsr_inst_last_use(const fsr_kernel *k, int value);
/* An ELEM value that is worth keeping for an instruction of a later pass. */
bool fsr_inst_crosses(const fsr_kernel *k, int value);
/* Sets the keep flags of all that cross. */
void fsr_schedule_keep(fsr_kernel *k);
/* The longest vector, at most `most`, that fits along domain dimension d; 1 where d is negative. */
int fsr_schedule_vector(const fsr_group *group, int d, int most);

/* schedule_outputs.c: a tile of outputs, by columns, if the sizes call for one; false: they do not, and nothing is
 * chosen. */
bool fsr_choose_outputs(fsr_group *group);
bool fsr_choose_gpu_outputs(fsr_group *group);
/* schedule_square.c: a map's squares, if sizes call for them; false: nothing is chosen. */
bool fsr_choose_square(fsr_group *group);

/* schedule_gpu.c; false: out of memory */
bool fsr_schedule_gpu(fsr_group *group, const fsr_target *target);

/* schedule_cpu.c; false: out of memory */
bool fsr_schedule_cpu(fsr_group *group);

/* What fsr_schedule_finish does. schedule_tile.c, for a GPU; schedule_cpu.c. */
void fsr_finish_gpu(fsr_kernel *k);
void fsr_finish_cpu(fsr_kernel *k);
/* schedule_beside.c: columns that lie beside each other as the rows do, in this plan; and the same of a schedule. */
bool fsr_columns_lie_beside(const fsr_kernel *k);
void fsr_finish_beside(fsr_kernel *k);
/* schedule_panel.c: bytes of the rows, of one column, of which an access takes elements of its own column; 0: it does
 * not. And columns of a panel, 0: there are none. */
double fsr_panel_column(const fsr_kernel *k, int access);
int fsr_panel_of(const fsr_kernel *k);
/* schedule_few.c: rows of a few columns, side by side. */
void fsr_finish_few(fsr_kernel *k);
/* schedule_walks.c: the form of each pass's loop, parts of long rows. */
void fsr_finish_walks(fsr_kernel *k);
/* schedule_stream.c: streams, once the loops that have strips are known, and rows ahead. */
void fsr_finish_streams(fsr_kernel *k);
void fsr_finish_ahead(fsr_kernel *k);
void fsr_finish_coming(fsr_kernel *k);
void fsr_finish_fetched(fsr_kernel *k);
/* A store that combines each element of a loop at a place of its own; and in an array that no near cache holds. */
bool fsr_combines_each(const fsr_kernel *k, const fsr_inst *inst);
bool fsr_combines_far(const fsr_kernel *k, const fsr_inst *inst);
/* schedule_twins.c: loads of every other element, when all else is settled. */
void fsr_finish_twins(fsr_kernel *k);
/* schedule_version.c: the versions that the sizes call for, the largest first; and of them those that are printed. */
void fsr_choose_versions(fsr_group *group);
void fsr_finish_versions(fsr_kernel *k);
/* The share of the elements for which a version that was chosen runs. */
double fsr_version_share(const fsr_group *group, const fsr_loop_version *version);
/* On a GPU: whether the first of them is printed; and that it is the only one. */
bool fsr_gpu_has_version(const fsr_kernel *k);
void fsr_finish_gpu_versions(fsr_kernel *k);
/* The part of the domain where a condition holds, and the elements side by side until it does again; where nobody
 * knows, half of it, and 1. */
double fsr_condition_share(const fsr_group *group, int condition, double *period);
/* schedule_branch.c: alternatives of a GPU's map in branches, where versions of its program do not spare them; and of
 * each instruction of the body the part of the elements that evaluate it, with the others of their warps. */
void fsr_choose_branches(fsr_group *group);
void fsr_branch_shares(const fsr_group *group, const struct fsr_body *body, const struct fsr_branches *branches,
                       double *share);
/* schedule_walks.c: functions in a row that a stage of a chain has; 0: it is no chain, or cannot be cut. `loads`: what
 * is loaded across memory has a stage before all of them, so that any are a chain. */
int fsr_chain_functions(const fsr_kernel *k, const struct fsr_body *body, bool loads);
/* schedule_walks.c: an element of it evaluates a function. */
bool fsr_body_has_function(const fsr_kernel *k, const struct fsr_body *body);
/* Whether vector code is worth stages of its own beside what has none. */
bool fsr_body_is_phased(const fsr_kernel *k, const struct fsr_body *body);

#endif

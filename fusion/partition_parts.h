/* SPDX-License-Identifier: MIT */
/* Shared by the partition*.c files and fusion/in_place.c. */
#ifndef FUSOR_FUSION_PARTITION_PARTS_H
#define FUSOR_FUSION_PARTITION_PARTS_H

#include "fusion/partition.h"

enum { FSR_MAX_NEAR = 32 };      /* groups that a root tries */
enum { FSR_LONG_PROGRAM = 440 }; /* instructions of a kernel of several roots */
/* Columns from which on a GPU's kernel of folds may store a map beside them. Fluxes through faces, beside sums over
 * three columns, took 0.064 ms of an H200, and 0.054 where they did not. */
enum { FSR_LEAST_ALONG = 32 };

/* What has to be assigned: a fold, as {node, 0}, or a result to be stored. */
typedef struct fsr_root {
    bool fold;
    fsr_link link;
} fsr_root;

/* partition.c */
/* True if another fusion may be tried. */
bool fsr_partition_may_fuse(const fsr_partition *p);
/* Counts one that was done, of these two nodes, and spends its fuel; how: see fsr_fusion. */
void fsr_partition_fused(fsr_partition *p, const char *how, int a, int b);

/* partition_order.c */
/* Group g has come to wait for group `on`: one of its deps, which levels and questions of order follow. Out of memory
 * is told in p->no_memory. */
void fsr_partition_wait(fsr_partition *p, int g, int on);
/* The groups that wait for a group, in order, malloc'ed. NULL: out of memory, which is told. */
int *fsr_partition_waiters(fsr_partition *p, int g, int *n);

/* group_room.c. Room for the lists of a group that is tried. */
typedef struct fsr_group_room {
    int fold[FSR_MAX_COMBINES];
    fsr_link store[FSR_MAX_STORES];
    bool row[FSR_MAX_STORES];
    fsr_operand operand[FSR_MAX_BUFFERS];
    int scalar[FSR_MAX_SCALARS];
    int deps[FSR_MAX_BUFFERS];
    int loop[FSR_MAX_LOOPS];
    fsr_link needs[FSR_MAX_BUFFERS];
} fsr_group_room;

typedef struct fsr_trial {
    fsr_group group;
    fsr_group_room room;
} fsr_trial;

/* An empty group. */
void fsr_group_begin(fsr_group *group, fsr_group_room *room);
/* Gives a plain copy of a group lists of its own. */
void fsr_group_use(fsr_group *group, fsr_group_room *room);
/* Everything but the place of its lists becomes zero. */
void fsr_group_blank(fsr_group *group);
/* Moves the lists into a block of the group's own, in place of the one that it has: of their size, or with room for
 * the most that there may be. False: out of memory, and they stay where they are. */
bool fsr_group_keep(fsr_group *group);
bool fsr_group_grow(fsr_group *group);
/* Frees the kernel and the block; then it is zero. */
void fsr_group_clear(fsr_group *group);
/* Keeps a group, and with it its kernel, as group g in place of what is there; its level is not settled yet. False: out
 * of memory, which is told; the kernel is gone. */
bool fsr_group_put(fsr_partition *p, int g, const fsr_group *group);

/* partition_group.c. Reasons are words, NULL: done. */
/* Lowers `trial` (a changed copy of group g, or a new one) into trial->kernel; NULL also means that it may be a kernel
 * on this target. */
const char *fsr_group_try(fsr_partition *p, int g, fsr_group *trial, fsr_link *blame);
/* Puts a lowered trial as group g, or behind the last group. */
void fsr_group_commit(fsr_partition *p, int g, const fsr_group *trial);
/* A fold's or loop's result that must end in memory. */
const char *fsr_group_add_store(fsr_partition *p, int g, fsr_link link);
/* Several of them, by one lowering; all or none. */
const char *fsr_group_add_stores(fsr_partition *p, int g, const fsr_link *link, int n);
/* Makes the groups that the trial reads from store what it reads. Stores added before a refusal stay: harmless. */
const char *fsr_group_satisfy(fsr_partition *p, const fsr_group *trial);
/* What the group needed when it was lowered, others store by now: lowered again it only loads that. */
bool fsr_group_has_needs(const fsr_partition *p, const fsr_group *group);
/* A node that the group has, for words: its first fold or else its first store. */
int fsr_group_first(const fsr_group *group);
bool fsr_group_depends(const fsr_group *group, int on);
/* LOADs of a kernel. */
int fsr_kernel_loads(const fsr_kernel *k);
/* `both` does less than a and b one after the other. */
bool fsr_kernel_is_less(const fsr_kernel *both, const fsr_kernel *a, const fsr_kernel *b);

/* partition_assign.c */
/* A dimension of a CPU's kernel is not divided so: its inner loop would be of a few rounds. */
bool fsr_division_is_brief(const fsr_domain *domain, int dim, int64_t inner);
/* Notes an edge that was not fused. */
void fsr_partition_note(fsr_partition *p, fsr_note note);
extern const char fsr_reason_price[], fsr_reason_memory_cut[], fsr_reason_section[];
fsr_status fsr_partition_assign(fsr_partition *p, fsr_root a, char *why, size_t size);
/* What keeps two groups from one kernel whatever that would be: a section in place, a price, a limit of memory; asked:
 * a hint wants it, whatever it costs. NULL: nothing. */
const char *fsr_groups_apart(const fsr_partition *p, const fsr_group *a, const fsr_group *b, bool asked);
/* The result of a node by which it is stored: the first that somebody needs. */
fsr_link fsr_partition_first_used(const fsr_partition *p, int node);

/* partition_library.c: a library call becomes a thunk, its arguments are stored before. */
fsr_status fsr_partition_call(fsr_partition *p, int node, char *why, size_t size);
extern const char fsr_reason_library[];
/* Arrays of a group, and whether it reads the i-th: of a kernel, or of a library call. A group that was merged has
 * none. */
int fsr_group_arrays(const fsr_group *group);
bool fsr_group_reads(const fsr_group *group, int i);

/* partition_near.c */
/* Puts a group before the others of a list. False: out of memory. */
bool fsr_reader_push(fsr_partition *p, int *head, int g);
/* Group g, which was `before` (NULL: new), is now lowered as it is in `now`. */
void fsr_near_add(fsr_partition *p, int g, const fsr_group *before, const fsr_group *now);
/* The groups that a group needs or reads an array in common with, the newest first, at most so many. Returns how
 * many. */
int fsr_near(const fsr_partition *p, const fsr_group *group, int *list, int most);
/* Why a group's kernel and another one need not be tried together, NULL: they may do less so; needed: something must be
 * said against it. */
const char *fsr_kernels_apart(fsr_partition *p, int g, const fsr_kernel *own, const fsr_kernel *other, bool needed);

/* partition_unstore.c. What nobody reads after all is not stored. Out of memory is told in p->no_memory. */
void fsr_partition_unstore(fsr_partition *p);
/* Of each result (node * FSR_MAX_OUTPUTS): groups that read it, and one more where it is an output. malloc'ed; NULL:
 * out of memory. */
int *fsr_partition_readers(const fsr_partition *p);
/* asked.c. p->asked; NULL: of all values everything may be asked for. */
fsr_link *fsr_flow_asked(const fsr_flow *flow);

/* The group stores sections of an array that is there to be written over, and writing these alone moves less. Its
 * kernel goes over the whole array until it is made one of them (in_place.c); joined with others it would stay so. */
bool fsr_in_place_alone(const fsr_partition *p, const fsr_group *group);
/* in_place_fill.c. What is pasted piece by piece on a constant, until nothing of that is left, is written once. Out of
 * memory is told in p->no_memory. */
void fsr_in_place_fill(fsr_partition *p);

/* partition_merge.c. Groups left empty by a merge have no kernel. */
void fsr_partition_merge(fsr_partition *p);

#endif

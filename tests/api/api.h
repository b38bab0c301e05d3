/* SPDX-License-Identifier: MIT */
/* Random sequences of calls of the public functions, all of them, with any arguments that a caller may hand over.
 *
 * A sequence is data: calls, each a row of the table of functions and the bytes from which its arguments are drawn. So
 * a call can be left out and the others stay what they are, a sequence can come from a seed or from libFuzzer, and it
 * can be printed as C. Nodes that calls gave lie in slots, which later calls draw from; a few are given from the start.
 *
 * What holds: no call crashes, hangs, prints, or takes more memory than it may; each gives a status that it may give,
 * with words in fsr_error or fsr_node_error where that is documented; a valid node has a shape, a size and bytes that
 * fit; a poisoned one keeps its status; what can be computed within reason agrees with fsr_verify; what cannot be held
 * in memory is refused; everything is given back; and the context computes a known program afterwards.
 *
 * Callers' own mistakes that C cannot survive are left out: fewer elements than a count says, addresses that are
 * none, plans after fsr_plan_free, anything after fsr_close. */
#ifndef FUSOR_TESTS_API_API_H
#define FUSOR_TESTS_API_API_H

#include "fusor/fusor.h"
#include <stdio.h>

enum {
    API_CALLS = 36, /* at most, in a sequence */
    API_RAW = 40,   /* bytes for the arguments of one */
    API_KEPT = 4,   /* nodes kept of a call */
    API_GIVEN = 12, /* nodes given from the start */
    API_SLOTS = API_GIVEN + API_CALLS * API_KEPT,
    API_PLANS = 4,
    API_SCRATCH = 40, /* blocks of memory of one call */
    API_INPUTS = 16,
    API_BLOCKS = 4,
    API_LIGHT = 1 << 13 /* elements up to which something is computed */
};

typedef struct api_call {
    int row;
    bool dropped;
    uint8_t raw[API_RAW];
} api_call;

typedef struct api_sequence {
    int n;
    api_call call[API_CALLS];
} api_sequence;

typedef struct api_slot {
    fsr_node node;
    fsr_status status; /* when it was recorded */
    double work;       /* elements of the largest array that it may take to compute it */
    bool lawless;      /* of an operator that is not associative or has another identity: it is no one value */
    bool used, of_array;
} api_slot;

typedef struct api_plan {
    fsr_plan *plan;
    double work;
    int nouts;
    int64_t bytes[8];
} api_plan;

typedef struct api_input {
    char name[70];
    int64_t bytes;
} api_input;

/* Of fsr_alloc. */
typedef struct api_block {
    void *data;
    size_t bytes;
    fsr_place place;
} api_block;

typedef struct api_run {
    fsr_context *ctx, *elsewhere;
    fsr_graph *g[3]; /* two of ctx, one of the other context */
    api_slot slot[API_SLOTS];
    api_plan plan[API_PLANS];
    api_input input[API_INPUTS];
    int ninputs;
    api_block block[API_BLOCKS];
    fsr_ticket ticket; /* the last one */
    int at;            /* which call */
    const char *what;  /* its function */
    const uint8_t *raw;
    int left;
    char text[6000]; /* its arguments as C */
    size_t length;
    void *scratch[API_SCRATCH];
    int nscratch;
    double work;    /* of the call's operands */
    bool lawless;   /* one of these is */
    bool live;      /* an operand belongs to a graph that is there */
    bool unsettled; /* a scope or a graph has ended since the beginning: nodes may be gone */
    bool changed;   /* a parameter was set: what was computed before is right no more, as fsr_verify says */
    int depth;      /* of callbacks */
    FILE *trace;    /* the calls as C; NULL: not wanted */
    char folder[64];
} api_run;

typedef struct api_row {
    const char *name;
    void (*call)(api_run *r);
    int weight; /* how often, in a sequence from a seed */
} api_row;

/* The table: every public function. table.c */
int api_rows(void);
const api_row *api_row_at(int i);
int api_weights(void);
extern const api_row api_build_rows[], api_index_rows[], api_fold_rows[], api_call_rows[], api_text_rows[],
    api_run_rows[], api_ask_rows[], api_look_rows[], api_op_rows[], api_transfer_rows[];
extern const int api_build_count, api_index_count, api_fold_count, api_call_count, api_text_count, api_run_count,
    api_ask_count, api_look_count, api_op_count, api_transfer_count;

/* sequence.c. A failed check ends the process after its words went to api_failed. */
void api_generate(api_sequence *s, uint64_t seed);
typedef struct api_contexts {
    fsr_context *ctx[3], *elsewhere; /* fused, unfused, reference; another one */
    char folder[64];
} api_contexts;
void api_open(api_contexts *c);
void api_close(api_contexts *c);
void api_play(const api_contexts *c, const api_sequence *s, int which, FILE *trace);

/* What is going on, for another process to see. */
typedef struct api_tally {
    const char *now;                         /* the function */
    int64_t calls, good, bad, done, refused; /* nodes that are good and bad; statuses that are */
} api_tally;
extern api_tally *api_tells;

/* check.c */
void api_fail(const api_run *r, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));
extern void (*api_failed)(const char *words); /* told before the process ends */
#define API_MUST(r, condition, ...)   \
    do {                              \
        if (!(condition))             \
            api_fail(r, __VA_ARGS__); \
    } while (0)
/* Begins a call of this function, its arguments were drawn. results: 0 a node, -1 something else, n an array of n
 * nodes. site: it takes the caller's place. */
void api_say(api_run *r, const char *name, int results, bool site);
#define API_SITE(r) fsr_here("sequence", (r)->at)
/* A call's node number k: checked, and kept in a slot. */
void api_take(api_run *r, fsr_node x, int k, bool of_array);
void api_take_all(api_run *r, const fsr_node *x, int n);
/* What runs report of indices, lengths and elements that are not there: told by whoever reads or waits next. */
enum { API_REPORTED = 1 << FSR_ERR_INDEX | 1 << FSR_ERR_EMPTY | 1 << FSR_ERR_SIZE | 1 << FSR_ERR_SHAPE };
/* A call's status. words: fsr_error has to say why, if there was a live operand. */
void api_status(api_run *r, fsr_status status, bool words);
void api_finish(api_run *r);

/* ---- drawing arguments: draw.c; each adds its C to the text ------------------------------------------------ */

uint8_t api_byte(api_run *r);
int api_below(api_run *r, int n);
void api_add(api_run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Exactly so many bytes, until the call is over. */
void *api_memory(api_run *r, size_t bytes);

fsr_node api_pick(api_run *r); /* without text */
fsr_node api_node(api_run *r);
fsr_graph *api_graph(api_run *r);
fsr_node *api_nodes(api_run *r, int *n); /* with the count; NULL now and then, and counts below 0 */
fsr_dtype api_dtype(api_run *r);
int api_axis(api_run *r);
int api_flags(api_run *r);
int api_small(api_run *r); /* an int, seldom extreme */
int64_t api_extent(api_run *r);
int64_t api_bound(api_run *r);
double api_number(api_run *r);
bool api_bool(api_run *r);
bool api_none(api_run *r);                 /* true: hand over NULL instead of what was drawn */
int64_t *api_shape(api_run *r, int *ndim); /* count first in C */
int *api_axes(api_run *r, int *n);         /* with the count */
int *api_ints(api_run *r, int n);          /* NULL now and then */
int64_t *api_wides(api_run *r, int n);
int *api_optional_axis(api_run *r);
const char *api_name(api_run *r);
const char *api_one_of(api_run *r, const char *const *text, int n);

#define API_COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))
/* Whether outs can be computed within reason, or must be refused at once for want of memory. */
bool api_reasonable(const api_run *r, const fsr_node *outs, int n);

#endif

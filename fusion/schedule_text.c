/* SPDX-License-Identifier: MIT */
/* A schedule as text, both ways: one table says every field's word, so that what is printed is what is read, and a new
 * field is a row here.
 *
 *   schedule gpu row threads 256 abreast 64 vector 4 items 8 accumulators 4 resident 0 persistent
 *   schedule cpu row abreast 1 lanes 64 chunk 4096 part 65536 strip 512 streams b1,b2
 *   walk p0 lanes functions 2 near
 *   walk fold strips
 *
 * Numbers that a target always has are always there, others where they are not 0, or not what they mostly are. A loop
 * without a line is plain. */
#include "fusion/loop_ir_parse_parts.h"
#include "fusion/schedule_edit.h"
#include "fusion/walk.h"
#include "graph/print.h"
#include <stddef.h>
#include <string.h>

typedef enum field_kind {
    FIELD_COUNT,  /* a number, always there */
    FIELD_SOME,   /* a number, there if it is not 0 */
    FIELD_USUAL,  /* a number, there if it is not the usual one */
    FIELD_BEYOND, /* "edge, wrap": what a tile holds beyond the edges of each axis, there if it is something */
    FIELD_FLAG,
    FIELD_ARRAYS, /* bits: "b0,b2" */
    FIELD_FOLDS   /* bits: "f1" */
} field_kind;

enum { GPU = 1 << FSR_TARGET_GPU, CPU = 1 << FSR_TARGET_CPU };

#define FIELD(kind, targets, name) \
    { #name, FIELD_##kind, targets, offsetof(fsr_schedule, name), 0 }
#define USUAL(targets, name, number) \
    { #name, FIELD_USUAL, targets, offsetof(fsr_schedule, name), number }

static const struct {
    const char *word;
    field_kind kind;
    int targets;
    size_t at;
    int usual;
} fields[] = {FIELD(COUNT, GPU, threads),
              FIELD(COUNT, GPU | CPU, abreast),
              FIELD(SOME, GPU | CPU, tall),
              FIELD(SOME, GPU | CPU, across),
              FIELD(SOME, GPU, deep),
              FIELD(SOME, GPU, high),
              FIELD(SOME, GPU, broad),
              FIELD(BEYOND, GPU, beyond),
              FIELD(SOME, GPU, bins),
              FIELD(SOME, GPU, ranges),
              FIELD(SOME, GPU, depth),
              FIELD(SOME, GPU, pad),
              FIELD(SOME, GPU, chunk),
              FIELD(COUNT, GPU, vector),
              FIELD(COUNT, GPU, items),
              FIELD(SOME, GPU, members),
              FIELD(SOME, GPU, slots),
              FIELD(SOME, GPU, writers),
              FIELD(SOME, GPU, parked),
              FIELD(COUNT, GPU, accumulators),
              FIELD(COUNT, GPU, resident),
              FIELD(FLAG, GPU, outlined),
              FIELD(FLAG, GPU, branched),
              FIELD(FLAG, GPU, early),
              FIELD(FLAG, GPU, dealt),
              FIELD(FLAG, GPU, pooled),
              FIELD(FLAG, GPU, counts),
              FIELD(FLAG, GPU, riding),
              FIELD(FLAG, GPU, persistent),
              FIELD(COUNT, CPU, lanes),
              FIELD(COUNT, CPU, chunk),
              FIELD(COUNT, CPU, work),
              FIELD(SOME, CPU, unroll),
              FIELD(SOME, CPU, beside),
              FIELD(ARRAYS, CPU, by_row),
              FIELD(FLAG, CPU, single),
              FIELD(FLAG, CPU, fixed),
              FIELD(SOME, CPU, width),
              FIELD(SOME, CPU, part),
              FIELD(SOME, CPU, strip),
              FIELD(SOME, CPU, block),
              FIELD(SOME, CPU, run),
              FIELD(SOME, CPU, past),
              FIELD(FLAG, CPU, brief),
              FIELD(FLAG, CPU, row_near),
              FIELD(FLAG, CPU, halved),
              FIELD(FLAG, CPU, flat),
              FIELD(FLAG, CPU, together),
              FIELD(SOME, GPU | CPU, tile),
              FIELD(SOME, GPU | CPU, tiled),
              FIELD(SOME, GPU | CPU, breadth),
              FIELD(FLAG, CPU, turned),
              FIELD(SOME, CPU, panel),
              FIELD(FLAG, CPU, cut_steps),
              FIELD(ARRAYS, GPU | CPU, streams),
              FIELD(ARRAYS, CPU, ahead),
              FIELD(SOME, CPU, ahead_cols),
              FIELD(ARRAYS, CPU, fetched),
              FIELD(ARRAYS, CPU, coming),
              FIELD(FOLDS, CPU, joined),
              FIELD(FOLDS, CPU, widened),
              USUAL(CPU, level, FSR_USUAL_LEVEL),
              USUAL(CPU, pair_level, FSR_USUAL_PAIR_LEVEL),
              USUAL(CPU, line, FSR_USUAL_LINE),
              FIELD(FLAG, GPU | CPU, wide)};

enum { FIELDS = sizeof fields / sizeof *fields };

static const void *value_of(const fsr_schedule *s, int i) {
    return (const char *)s + fields[i].at;
}

int *fsr_schedule_number(fsr_schedule *s, const char *word, size_t length) {
    for (int i = 0; i < FIELDS; i++)
        if ((fields[i].targets >> s->target & 1) && fields[i].kind <= FIELD_USUAL && strlen(fields[i].word) == length &&
            memcmp(fields[i].word, word, length) == 0)
            return (int *)(void *)((char *)s + fields[i].at);
    return NULL;
}

/* ---- out -------------------------------------------------------------------------------------------- */

static void print_bits(FILE *to, const char *word, uint64_t bits, char letter) {
    const char *comma = " ";
    if (bits)
        fsr_fput(to, " %s", word);
    for (int b = 0; b < 64; b++)
        if (bits >> b & 1) {
            fsr_fput(to, "%s%c%d", comma, letter, b);
            comma = ",";
        }
}

/* Of each axis, if there is something along any. */
static void print_beyond(FILE *to, const fsr_schedule *s) {
    const int first = s->deep ? FSR_AXIS_PLANE : FSR_AXIS_LINE;
    bool any = false;
    for (int a = first; a < FSR_AXES; a++)
        any = any || s->beyond[a];
    for (int a = first; a < FSR_AXES && any; a++)
        fsr_fput(to, "%s%s", a == first ? " beyond " : ", ", fsr_beyond_name(s->beyond[a]));
}

static void print_field(FILE *to, const fsr_schedule *s, int i) {
    const void *value = value_of(s, i);
    switch (fields[i].kind) {
    case FIELD_COUNT: fsr_fput(to, " %s %d", fields[i].word, *(const int *)value); break;
    case FIELD_SOME:
        if (*(const int *)value)
            fsr_fput(to, " %s %d", fields[i].word, *(const int *)value);
        break;
    case FIELD_USUAL:
        if (*(const int *)value != fields[i].usual)
            fsr_fput(to, " %s %d", fields[i].word, *(const int *)value);
        break;
    case FIELD_BEYOND: print_beyond(to, s); break;
    case FIELD_FLAG:
        if (*(const bool *)value)
            fsr_fput(to, " %s", fields[i].word);
        break;
    case FIELD_ARRAYS: print_bits(to, fields[i].word, *(const uint64_t *)value, 'b'); break;
    case FIELD_FOLDS: print_bits(to, fields[i].word, *(const uint32_t *)value, 'f'); break;
    }
}

void fsr_schedule_print(const fsr_kernel *k, FILE *to) {
    const fsr_schedule *s = &k->schedule;
    bool turns = false;
    fsr_fput(to, "%s %s", s->target ? fsr_target_name(s->target) : "none", fsr_schedule_name(s->kind));
    for (int i = 0; i < FIELDS; i++)
        if (fields[i].targets >> s->target & 1)
            print_field(to, s, i);
    for (int l = 0; l < k->nloops; l++)
        turns = turns || s->turns[l];
    for (int l = 0; l < k->nloops && turns; l++)
        fsr_fput(to, "%s%d", l ? "," : " turns ", s->turns[l]);
    fputs(k->contraction ? " contraction" : "", to);
}

static void print_walk(FILE *to, const char *margin, const char *which, int pass, const fsr_walk *walk) {
    if (walk->form == FSR_WALK_PLAIN && !fsr_walk_is_staged(walk) && !walk->near)
        return;
    fsr_fput(to, "%swalk %s", margin, which);
    if (pass >= 0)
        fsr_fput(to, "%d", pass);
    fsr_fput(to, " %s", fsr_walk_name(walk->form));
    if (walk->functions)
        fsr_fput(to, " functions %d", walk->functions);
    fputs(walk->loads ? " loads" : "", to);
    fputs(walk->phased ? " phased" : "", to);
    fputs(walk->laned ? " laned" : "", to);
    if (walk->rest)
        fsr_fput(to, " rest %d", walk->rest);
    if (walk->asked)
        fsr_fput(to, " asked %d", walk->asked);
    fputs(walk->near ? " near\n" : "\n", to);
}

void fsr_walks_print(const fsr_kernel *k, const char *margin, FILE *to) {
    if (k->schedule.target != FSR_TARGET_CPU)
        return;
    for (int p = 0; p < k->npasses || p == 0; p++)
        print_walk(to, margin, "p", p, &k->schedule.walk[p]);
    print_walk(to, margin, "fold", -1, &k->schedule.fold_walk);
}

/* ---- in --------------------------------------------------------------------------------------------- */

static int read_number(fsr_lex *l) {
    int64_t value = 0;
    fsr_lex_int(l, 0, INT32_MAX, &value);
    return (int)value;
}

static uint64_t read_bits(fsr_lex *l, const char *letter, int limit) {
    uint64_t bits = 0;
    do
        bits |= UINT64_C(1) << fsr_lex_mark(l, letter, limit);
    while (fsr_lex_try(l, ","));
    return bits;
}

/* The number of the next word among names; -1, with `what` as the reason: it is none of them. */
static int read_name(fsr_lex *l, const char *(*name)(int), const char *what) {
    char word[FSR_WORD_BYTES];
    fsr_lex_word(l, word);
    for (int i = 0; !l->status && name(i); i++)
        if (strcmp(name(i), word) == 0)
            return i;
    fsr_lex_fail(l, FSR_ERR_FORMAT, "%s is no %s", word, what);
    return -1;
}

static const char *beyond_name(int beyond) {
    return fsr_beyond_name((fsr_beyond)beyond);
}

static void read_beyond(fsr_lex *l, fsr_schedule *s) {
    const int first = s->deep ? FSR_AXIS_PLANE : FSR_AXIS_LINE;
    for (int a = first; a < FSR_AXES && (a == first || fsr_lex_expect(l, ",")); a++) {
        const int beyond = read_name(l, beyond_name, "pad");
        s->beyond[a] = beyond < 0 ? FSR_BEYOND_NOTHING : (fsr_beyond)beyond;
    }
}

static void read_field(fsr_kernel_reader *r, int i) {
    fsr_lex *l = &r->lex;
    char *to = (char *)&r->k->schedule + fields[i].at;
    const bool found = fsr_lex_try(l, fields[i].word);
    if (!found && fields[i].kind == FIELD_COUNT)
        fsr_lex_fail(l, FSR_ERR_FORMAT, "expected %s", fields[i].word);
    if (!found && fields[i].kind == FIELD_USUAL)
        *(int *)(void *)to = fields[i].usual;
    if (!found)
        return;
    switch (fields[i].kind) {
    case FIELD_COUNT:
    case FIELD_USUAL:
    case FIELD_SOME: *(int *)(void *)to = read_number(l); break;
    case FIELD_BEYOND: read_beyond(l, &r->k->schedule); break;
    case FIELD_FLAG: *(bool *)to = true; break;
    case FIELD_ARRAYS: *(uint64_t *)(void *)to = read_bits(l, "b", r->k->narrays); break;
    case FIELD_FOLDS: *(uint32_t *)(void *)to = (uint32_t)read_bits(l, "f", FSR_MAX_COMBINES); break;
    }
}

static const char *kind_name(int kind) {
    return fsr_schedule_name((fsr_schedule_kind)kind);
}
static const char *form_name(int form) {
    return fsr_walk_name((fsr_walk_form)form);
}

void fsr_read_schedule(fsr_kernel_reader *r) {
    fsr_lex *l = &r->lex;
    fsr_schedule *s = &r->k->schedule;
    s->target = fsr_lex_try(l, "gpu") ? FSR_TARGET_GPU : fsr_lex_try(l, "cpu") ? FSR_TARGET_CPU : FSR_TARGET_NONE;
    if (!s->target)
        fsr_lex_fail(l, FSR_ERR_FORMAT, "expected gpu or cpu");
    int kind = read_name(l, kind_name, "schedule");
    if (l->status)
        return;
    s->kind = (fsr_schedule_kind)kind;
    for (int i = 0; i < FIELDS; i++)
        if (fields[i].targets >> s->target & 1)
            read_field(r, i);
    if (fsr_lex_try(l, "turns"))
        for (int n = 0; n < FSR_MAX_LOOPS && (n == 0 || fsr_lex_try(l, ",")); n++)
            s->turns[n] = read_number(l);
    r->k->contraction = fsr_lex_try(l, "contraction");
}

void fsr_read_walk(fsr_kernel_reader *r) {
    fsr_lex *l = &r->lex;
    fsr_schedule *s = &r->k->schedule;
    fsr_walk *walk = fsr_lex_try(l, "fold") ? &s->fold_walk : &s->walk[fsr_lex_mark(l, "p", FSR_MAX_PASSES)];
    int form = read_name(l, form_name, "form of a loop");
    if (l->status)
        return;
    walk->form = (fsr_walk_form)form;
    walk->functions = fsr_lex_try(l, "functions") ? read_number(l) : 0;
    walk->loads = fsr_lex_try(l, "loads");
    walk->phased = fsr_lex_try(l, "phased");
    walk->laned = fsr_lex_try(l, "laned");
    walk->rest = fsr_lex_try(l, "rest") ? read_number(l) : 0;
    walk->asked = fsr_lex_try(l, "asked") ? read_number(l) : 0;
    walk->near = fsr_lex_try(l, "near");
}

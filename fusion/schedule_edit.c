/* SPDX-License-Identifier: MIT */
/* Which fields of a schedule leave all bits alone. A kernel without folds computes each element by itself, so how many
 * of them go together is free. Of folds the association is fixed by lanes, chunks, parts, items and what is abreast
 * along the columns: these are refused; rows side by side, prefetching, registers and how a launch is shared are free.
 *
 * Counter-example to letting the verifier alone decide: a row summed in 32 lanes is as legal as in 64, and another
 * number. Nor does it know sizes: a wider vector would be legal in general and read past a row of odd length, so
 * vectors stay. */
#include "fusion/schedule_edit.h"
#include "fusion/filter.h"
#include "fusion/outputs.h"
#include "graph/message.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef bool (*may_fn)(const fsr_kernel *k);

static bool always(const fsr_kernel *k) {
    (void)k;
    return true;
}

/* Each element by itself, one loop over all of them; the tiles of several nests fit one another. */
static bool is_map(const fsr_kernel *k) {
    return k->nfolds == 0 && k->schedule.kind == FSR_SCHEDULE_MAP && !fsr_kernel_filters(k) && !k->schedule.high;
}

/* In branches a thread has one element. */
static bool has_items(const fsr_kernel *k) {
    return is_map(k) && !k->schedule.branched;
}

static bool is_squared(const fsr_kernel *k) {
    return is_map(k) && k->schedule.tile;
}

static bool has_runs(const fsr_kernel *k) {
    return is_map(k) && k->schedule.run;
}

static bool has_strips(const fsr_kernel *k) {
    return is_map(k) && k->schedule.strip;
}

/* Elements of a map, or rows of a block: threads of one row stay as many. */
static bool threads_are_rows(const fsr_kernel *k) {
    return is_map(k) || (k->schedule.kind == FSR_SCHEDULE_ROW && !fsr_kernel_filters(k));
}

static bool rows_are_beside(const fsr_kernel *k) {
    return k->schedule.kind == FSR_SCHEDULE_COL && !k->schedule.tall && !fsr_kernel_has_scan(k);
}

/* Blocks that wait for one another are as many as the device holds: their registers are bounded for it. */
static bool registers_are_free(const fsr_kernel *k) {
    return !fsr_kernel_is_cooperative(k);
}

static bool is_tall(const fsr_kernel *k) {
    return k->schedule.tall > 0;
}

static const struct {
    fsr_target_kind target;
    const char *word;
    may_fn may;
    int most;
    bool powers; /* of two, from a warp on */
} rules[] = {{FSR_TARGET_GPU, "threads", threads_are_rows, 1024, true},
             {FSR_TARGET_GPU, "items", has_items, 32, false},
             {FSR_TARGET_GPU, "tile", is_squared, 64, true},
             {FSR_TARGET_GPU, "resident", registers_are_free, 8, false},
             {FSR_TARGET_GPU, "pad", is_tall, 64, false},
             {FSR_TARGET_CPU, "abreast", rows_are_beside, 4096, false},
             {FSR_TARGET_CPU, "strip", has_strips, 4096, false},
             {FSR_TARGET_CPU, "run", has_runs, 1 << 16, false},
             {FSR_TARGET_CPU, "tile", is_squared, 1024, false},
             {FSR_TARGET_CPU, "line", always, 4096, false},
             {FSR_TARGET_CPU, "level", always, 4096, false},
             {FSR_TARGET_CPU, "work", always, 1 << 20, false}};

enum { RULES = sizeof rules / sizeof *rules };

static int rule_of(const fsr_kernel *k, const char *word, size_t length) {
    for (int i = 0; i < RULES; i++)
        if (rules[i].target == k->schedule.target && strlen(rules[i].word) == length &&
            memcmp(rules[i].word, word, length) == 0)
            return i;
    return -1;
}

/* Changes one field; *at goes behind it. */
static fsr_status edit_one(fsr_kernel *k, const char **at, char *why, size_t size) {
    const size_t length = strcspn(*at, " ");
    const char *word = *at;
    const int shown = length < 32 ? (int)length : 32;
    char *end;
    const long value = strtol(word + length, &end, 10);
    if (end == word + length || (*end && *end != ' ') || value < 0 || value > INT32_MAX) {
        fsr_message_put(why, size, "%.*s has no number behind it", shown, word);
        return FSR_ERR_FORMAT;
    }
    *at = end;
    int *number = fsr_schedule_number(&k->schedule, word, length);
    const int rule = rule_of(k, word, length);
    const bool may = number && rule >= 0 && rules[rule].may(k) && !k->repeat;
    const bool power = may && (!rules[rule].powers || (value >= 32 && fsr_power_of_two((int)value)));
    if (!number)
        fsr_message_put(why, size, "a schedule for a %s has no number %.*s", fsr_target_name(k->schedule.target), shown,
                        word);
    else if (!may)
        fsr_message_put(why, size, "%.*s decides how this kernel's results are computed, and stays %d", shown, word,
                        *number);
    else if (value > rules[rule].most)
        fsr_message_put(why, size, "%.*s is at most %d", shown, word, rules[rule].most);
    else if (!power)
        fsr_message_put(why, size, "%.*s is a power of two from 32 on", shown, word);
    if (!may || !power || value > rules[rule].most)
        return FSR_ERR_UNSUPPORTED;
    *number = (int)value;
    return FSR_OK;
}

fsr_status fsr_schedule_edit(fsr_kernel *k, const char *fields, char *why, size_t size) {
    fsr_status status = FSR_OK;
    for (const char *at = fields + strspn(fields, " "); *at && !status; at += strspn(at, " "))
        status = edit_one(k, &at, why, size);
    if (!status && fsr_kernel_verify(k, why, size))
        status = FSR_ERR_UNSUPPORTED;
    return status;
}

/* ---- what is worth measuring ---------------------------------------------------------------------------------- */

typedef struct tunes {
    const fsr_kernel *k;
    const char *base;
    char (*out)[FSR_TUNE_BYTES];
    int n;
} tunes;

/* "threads 64" has the word threads. */
static bool names(const char *fields, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = fields; (at = strstr(at, word)) != NULL; at += length)
        if ((at == fields || at[-1] == ' ') && at[length] == ' ')
            return true;
    return false;
}

/* Adds the base with further fields, if that is legal. */
static void add(tunes *t, const char *fields) {
    char text[FSR_TUNE_BYTES], why[200];
    const int length = snprintf(text, sizeof text, "%s%s%s", t->base, t->base[0] ? " " : "", fields);
    if (t->n == FSR_MOST_TUNES || length >= FSR_TUNE_BYTES)
        return;
    fsr_kernel *copy = fsr_kernel_copy(t->k);
    if (copy && fsr_schedule_edit(copy, text, why, sizeof why) == FSR_OK)
        memcpy(t->out[t->n++], text, sizeof text);
    fsr_kernel_free(copy);
}

static void try_all(tunes *t, const char *word, const int *value, int n) {
    char text[FSR_TUNE_BYTES];
    fsr_schedule same = t->k->schedule;
    const int *now = fsr_schedule_number(&same, word, strlen(word));
    for (int i = 0; now && i < n && !names(t->base, word); i++) {
        snprintf(text, sizeof text, "%s %d", word, value[i]);
        if (*now != value[i])
            add(t, text);
    }
}

/* A square's threads and their elements change together, or its side with them. */
static void try_squares(tunes *t) {
    static const int side[] = {32, 64}, threads[] = {128, 256, 512, 1024};
    const fsr_schedule *s = &t->k->schedule;
    char text[FSR_TUNE_BYTES];
    for (int i = 0; i < 8 && s->tile && !names(t->base, "threads"); i++) {
        const int a = side[i / 4], b = threads[i % 4];
        snprintf(text, sizeof text, "tile %d threads %d items %d", a, b, a * a / b);
        if (a != s->tile || b != s->threads)
            add(t, text);
    }
}

#define TRY(word, ...) try_all(&t, word, (const int[]){__VA_ARGS__}, (int)(sizeof(int[]){__VA_ARGS__} / sizeof(int)))

int fsr_schedule_tunes(const fsr_kernel *k, const char *base, char out[FSR_MOST_TUNES][FSR_TUNE_BYTES]) {
    tunes t = {.k = k, .base = base, .out = out};
    const fsr_schedule *s = &k->schedule;
    if (s->target == FSR_TARGET_GPU) {
        TRY("threads", 64, 128, 256, 512, 1024);
        TRY("items", s->vector, s->vector * 2, s->vector * 4, s->vector * 8);
        try_squares(&t);
        TRY("resident", 0, 1, 2, 3, 4, 6, 8);
        TRY("pad", 0, 4, 8, 16);
    } else {
        TRY("abreast", 8, 16, 32, 64, 128, 256, 512);
        TRY("strip", 128, 256, 512, 1024, 2048);
        TRY("run", s->run / 4, s->run / 2, s->run * 2, s->run * 4);
        TRY("tile", 8, 16, 32, 64, 128);
        TRY("work", s->work / 8, s->work * 8, s->work * 64);
    }
    return t.n;
}

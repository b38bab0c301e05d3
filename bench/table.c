/* SPDX-License-Identifier: MIT */
/* The table and the progress line. A number that was not measured is "-". */
#define _XOPEN_SOURCE 700
#include "bench/bench.h"
#include "graph/number.h"
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { NAME = 14, CELL = sizeof(fsr_number) };

double bench_row_gbs(const bench_row *row) {
    return row->bytes_min < 0 ? NAN : (double)row->bytes_min / (row->fused_ms * 1e6);
}

double bench_row_speedup(const bench_row *row) {
    return row->unfused_ms / row->fused_ms;
}

static double megabytes(int64_t bytes) {
    return bytes < 0 ? NAN : (double)bytes * 1e-6;
}

static void number(char *out, char form, int decimals, double x) {
    snprintf(out, CELL, "%s", isfinite(x) ? fsr_number_of(form, decimals, x).text : "-");
}

/* Milliseconds: four decimals, and fewer the larger they are. */
static void milliseconds(char *out, double ms) {
    number(out, 'f', ms < 10 ? 4 : ms < 100 ? 3 : ms < 1000 ? 2 : 1, ms);
}

/* ---- cells ----------------------------------------------------------------------------------------- */

static void cell_name(char *out, const bench_row *row, bool wide) {
    const bool cut = !wide && strlen(row->work->name) > NAME;
    snprintf(out, CELL, "%.*s%s", cut ? NAME - 2 : CELL - 1, row->work->name, cut ? ".." : "");
}

static void cell_backend(char *out, const bench_row *row, bool wide) {
    (void)wide;
    snprintf(out, CELL, "%s", row->backend);
}

static void cell_dtype(char *out, const bench_row *row, bool wide) {
    (void)wide;
    snprintf(out, CELL, "%s", row->dtype == FSR_DTYPE_COUNT ? "-" : fsr_dtype_name(row->dtype));
}

/* "1/1 of 8": kernels fused, expected, and unfused. */
static void cell_kernels(char *out, const bench_row *row, bool wide) {
    char due[16] = "-";
    (void)wide;
    if (row->expected_kernels >= 0)
        snprintf(due, sizeof due, "%d", row->expected_kernels);
    if (row->fused_kernels < 0)
        snprintf(out, CELL, "-");
    else if (row->unfused_kernels < 0)
        snprintf(out, CELL, "%d/%s", row->fused_kernels, due);
    else
        snprintf(out, CELL, "%d/%s of %d", row->fused_kernels, due, row->unfused_kernels);
}

static void cell_verified(char *out, const bench_row *row, bool wide) {
    (void)wide;
    snprintf(out, CELL, "%s", row->failed ? "FAIL" : row->verified ? "yes" : "-");
}

#define CELL_OF(name, call)                                               \
    static void cell_##name(char *out, const bench_row *row, bool wide) { \
        (void)wide;                                                       \
        call;                                                             \
    }
CELL_OF(n, number(out, 'f', 0, row->n < 0 ? NAN : (double)row->n))
CELL_OF(fused, milliseconds(out, row->fused_ms))
CELL_OF(unfused, milliseconds(out, row->unfused_ms))
CELL_OF(speedup, number(out, 'f', 2, bench_row_speedup(row)))
CELL_OF(ratio, number(out, 'f', 3, row->ratio))
CELL_OF(low, number(out, 'f', 3, row->ratio_low))
CELL_OF(high, number(out, 'f', 3, row->ratio_high))
CELL_OF(least, number(out, 'f', 2, megabytes(row->bytes_min)))
CELL_OF(moved, number(out, 'f', 2, megabytes(row->bytes_moved_unfused)))
CELL_OF(rate, number(out, 'f', 1, bench_row_gbs(row)))
CELL_OF(roof, number(out, 'f', 1, 100 * bench_row_gbs(row) / row->copy_gbs))
CELL_OF(first, number(out, 'f', 1, row->first_call_ms))
CELL_OF(cached, number(out, 'f', 1, row->cached_first_call_ms))
CELL_OF(load, number(out, 'f', 1, row->load_ms))
CELL_OF(launch, number(out, 'f', 1, row->launch_us))
CELL_OF(worst, number(out, 'e', 1, row->max_error))
CELL_OF(bound, number(out, 'e', 1, row->error_bound))
#undef CELL_OF

/* ---- columns --------------------------------------------------------------------------------------- */

/* Which tables a column is in. */
enum { PLAIN = 1, WIDE = 2, PAIRS = 4 };

static int table_of(const bench_options *o) {
    return (o->wide ? WIDE : 0) | (o->pairs ? PAIRS : o->wide ? 0 : PLAIN);
}

/* Width is negative where text begins at the left. */
static const struct column {
    const char *head, *unit;
    int width;
    int tables;
    void (*text)(char *out, const bench_row *row, bool wide);
} columns[] = {
    {"workload", "", -NAME, PLAIN | WIDE | PAIRS, cell_name},
    {"backend", "", -7, WIDE, cell_backend},
    {"type", "", 4, PLAIN | WIDE | PAIRS, cell_dtype},
    {"n", "elements", 10, PLAIN | WIDE, cell_n},
    {"fused", "ms", 7, PLAIN | WIDE | PAIRS, cell_fused},
    {"unfused", "ms", 7, PLAIN | WIDE | PAIRS, cell_unfused},
    {"speed-up", "times", 8, PLAIN | WIDE, cell_speedup},
    {"ratio", "median", 7, PAIRS, cell_ratio},
    {"low", "95%", 7, PAIRS, cell_low},
    {"high", "95%", 7, PAIRS, cell_high},
    {"kernels", "got/due", 10, PLAIN | WIDE | PAIRS, cell_kernels},
    {"least", "MB", 8, WIDE, cell_least},
    {"unfused", "MB", 8, WIDE, cell_moved},
    {"rate", "GB/s", 7, PLAIN | WIDE, cell_rate},
    {"roof", "%copy", 6, PLAIN | WIDE, cell_roof},
    {"first", "ms", 7, PLAIN | WIDE | PAIRS, cell_first},
    {"cached", "ms", 7, WIDE, cell_cached},
    {"load", "ms", 6, WIDE, cell_load},
    {"launch", "us", 9, WIDE, cell_launch},
    {"worst", "error", 8, WIDE, cell_worst},
    {"bound", "", 8, WIDE, cell_bound},
    {"verified", "", -8, PLAIN | WIDE | PAIRS, cell_verified},
};

/* Cells of a line: the heads, the units, or a row's. No blank at the end. */
static void line(FILE *to, const bench_options *o, const bench_row *row, bool units) {
    int blanks = 0;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        const struct column *c = &columns[i];
        char text[CELL];
        if (!(c->tables & table_of(o)))
            continue;
        if (row)
            c->text(text, row, o->wide);
        else
            snprintf(text, sizeof text, "%s", units ? c->unit : c->head);
        const int room = c->width < 0 ? -c->width : c->width, free = room - (int)strlen(text);
        if (c->width > 0 && free > 0)
            blanks += free;
        if (text[0]) {
            fprintf(to, "%*s%s", blanks, "", text);
            blanks = 0;
        }
        if (c->width < 0 && free > 0)
            blanks += free;
        blanks++;
    }
    fputc('\n', to);
}

void bench_table_head(FILE *to, const bench_options *o) {
    line(to, o, NULL, false);
    line(to, o, NULL, true);
}

void bench_table_row(FILE *to, const bench_row *row, const bench_options *o) {
    line(to, o, row, false);
    if (row->failed)
        fprintf(to, "  FAIL %s: %s\n", row->work->name, row->error);
    fflush(to);
}

void bench_table_foot(FILE *to, const bench_session *s) {
    fprintf(to, "device: %s\n", s->device);
    if (s->options->order)
        fprintf(to, "generated input: %s\n", bench_order_name(s->options->order));
    if (s->copy_most)
        fprintf(to, "copy of %s MB: %s GB/s read and written\n", fsr_number_of('f', 2, megabytes(s->copy_most)).text,
                fsr_number_of('f', 1, s->copy_most_gbs).text);
}

void bench_progress(const bench_session *s, const char *name, const char *step) {
    if (!isatty(STDERR_FILENO))
        return;
    if (step)
        fprintf(stderr, "\r\033[K[%d/%d] %s: %s", s->done + 1, s->options->nwork, name, step);
    else
        fputs("\r\033[K", stderr);
    fflush(stderr);
}

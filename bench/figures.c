/* SPDX-License-Identifier: MIT */
/* From JSON to the figures of a report. Every row says where it was measured, so files need no order, but for those of
 * other libraries, which do not: they follow the rows that they are to be compared with. */
#include "bench/figures.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The array with room for one element more, or NULL: out of memory (the array is as it was). It grows at powers of
 * 2. */
static void *grown(void *array, int n, size_t size) {
    if (n & (n - 1))
        return array;
    return realloc(array, size * (n ? (size_t)n * 2 : 1));
}

static bool same_machine(const bench_machine *a, const bench_machine *b) {
    return !strcmp(a->backend, b->backend) && !strcmp(a->device, b->device) && !strcmp(a->isa, b->isa) &&
           !strcmp(a->compiler, b->compiler) && !strcmp(a->driver, b->driver) && !strcmp(a->version, b->version) &&
           (a->threads == b->threads || (isnan(a->threads) && isnan(b->threads)));
}

/* The number of the row's machine, -1: out of memory. */
static int machine_of(bench_figures *to, const bench_json *row) {
    bench_machine m = {.backend = bench_json_text(row, "backend"),
                       .device = bench_json_text(row, "device"),
                       .isa = bench_json_text(row, "isa"),
                       .compiler = bench_json_text(row, "compiler"),
                       .driver = bench_json_text(row, "driver"),
                       .version = bench_json_text(row, "version"),
                       .threads = bench_json_number(row, "threads")};
    m.first = m.last = bench_json_text(row, "date");
    for (int i = 0; i < to->nmachines; i++) {
        bench_machine *known = &to->machine[i];
        if (!same_machine(known, &m))
            continue;
        known->first = strcmp(m.first, known->first) < 0 ? m.first : known->first;
        known->last = strcmp(m.last, known->last) > 0 ? m.last : known->last;
        return i;
    }
    bench_machine *list = grown(to->machine, to->nmachines, sizeof *list);
    if (!list)
        return -1;
    to->machine = list;
    list[to->nmachines] = m;
    return to->nmachines++;
}

static bool same_number(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

static bool add_row(bench_figures *to, const bench_json *from) {
    const bench_json *verified = bench_json_member(from, "verified");
    bench_figure row = {.machine = machine_of(to, from),
                        .workload = bench_json_text(from, "workload"),
                        .dtype = bench_json_text(from, "dtype"),
                        .error = bench_json_text(from, "error"),
                        .verified = verified && verified->kind == BENCH_JSON_BOOL && verified->number == 1,
                        .n = bench_json_number(from, "n"),
                        .fused_ms = bench_json_number(from, "fused_ms"),
                        .unfused_ms = bench_json_number(from, "unfused_ms"),
                        .fused_kernels = bench_json_number(from, "fused_kernels"),
                        .unfused_kernels = bench_json_number(from, "unfused_kernels"),
                        .bytes = bench_json_number(from, "bytes_min"),
                        .operations = bench_json_number(from, "operations"),
                        .copy_gbs = bench_json_number(from, "copy_gbs"),
                        .first_ms = bench_json_number(from, "first_call_ms"),
                        .cached_ms = bench_json_number(from, "cached_first_call_ms"),
                        .launch_us = bench_json_number(from, "launch_us"),
                        .max_error = bench_json_number(from, "max_error"),
                        .error_bound = bench_json_number(from, "error_bound")};
    if (row.machine < 0)
        return false;
    to->current = row.machine;
    for (int i = 0; i < to->nrows; i++) {
        const bench_figure *old = &to->row[i];
        if (old->machine == row.machine && !strcmp(old->workload, row.workload) && !strcmp(old->dtype, row.dtype) &&
            same_number(old->n, row.n)) {
            to->row[i] = row;
            return true;
        }
    }
    bench_figure *list = grown(to->row, to->nrows, sizeof *list);
    if (!list)
        return false;
    to->row = list;
    list[to->nrows++] = row;
    return true;
}

static bool add_peer(bench_figures *to, const bench_json *from) {
    const char *name = bench_json_text(from, "peer");
    bench_peer peer = {.machine = to->current,
                       .workload = bench_json_text(from, "row"),
                       .name = strcmp(name, "fusor") ? name : "fusor, beside",
                       .n = bench_json_number(from, "n"),
                       .ms = bench_json_number(from, "ms"),
                       .first_ms = bench_json_number(from, "first_ms")};
    for (int i = 0; i < to->npeers; i++) {
        const bench_peer *old = &to->peer[i];
        if (old->machine == peer.machine && !strcmp(old->workload, peer.workload) && !strcmp(old->name, peer.name) &&
            same_number(old->n, peer.n)) {
            to->peer[i] = peer;
            return true;
        }
    }
    bench_peer *list = grown(to->peer, to->npeers, sizeof *list);
    if (!list)
        return false;
    to->peer = list;
    list[to->npeers++] = peer;
    return true;
}

static bool add_value(bench_figures *to, const bench_json *value, int number, char *why, size_t room) {
    bool added = false;
    if (*bench_json_text(value, "workload"))
        added = add_row(to, value);
    else if (*bench_json_text(value, "peer") && *bench_json_text(value, "row"))
        added = add_peer(to, value);
    else
        snprintf(why, room, "element %d is no row of fusor-bench or bench/peers_cpu.py: it has no \"workload\"",
                 number);
    if (!added && !*why)
        snprintf(why, room, "out of memory");
    return added;
}

bool bench_figures_add(bench_figures *to, const char *text, size_t size, char *why, size_t room) {
    why[0] = 0;
    bench_json *value = bench_json_read(text, size, why, room);
    if (!value)
        return false;
    bench_json **list = grown(to->source, to->nsources, sizeof *list);
    if (!list) {
        bench_json_free(value);
        snprintf(why, room, "out of memory");
        return false;
    }
    to->source = list;
    list[to->nsources++] = value;
    if (value->kind != BENCH_JSON_ARRAY) {
        snprintf(why, room, "it is no array of rows, as --json writes them");
        return false;
    }
    int number = 1;
    for (const bench_json *at = value->child; at; at = at->next)
        if (!add_value(to, at, number++, why, room))
            return false;
    return true;
}

void bench_figures_free(bench_figures *figures) {
    for (int i = 0; i < figures->nsources; i++)
        bench_json_free(figures->source[i]);
    free(figures->source);
    free(figures->machine);
    free(figures->row);
    free(figures->peer);
    *figures = (bench_figures){0};
}

double bench_figure_gbs(const bench_figure *row) {
    return row->bytes / (row->fused_ms * 1e6);
}

double bench_figure_intensity(const bench_figure *row) {
    return row->operations / row->bytes;
}

static bool larger(const bench_figure *a, const bench_figure *b) {
    return a->n > b->n || isnan(b->n);
}

int *bench_figures_largest(const bench_figures *figures, int machine, int *n) {
    int *list = malloc(sizeof *list * ((size_t)figures->nrows + 1));
    *n = 0;
    for (int i = 0; list && i < figures->nrows; i++) {
        const bench_figure *row = &figures->row[i];
        int at = 0;
        if (row->machine != machine)
            continue;
        while (at < *n && strcmp(figures->row[list[at]].workload, row->workload) != 0)
            at++;
        if (at == *n || larger(row, &figures->row[list[at]]))
            list[at] = i;
        *n += at == *n;
    }
    return list;
}

bool bench_peer_of(const bench_peer *peer, const bench_figure *row) {
    return peer->machine == row->machine && !strcmp(peer->workload, row->workload) &&
           (isnan(peer->n) || peer->n == row->n);
}

/* SPDX-License-Identifier: MIT */
/* Rows: memory, copies beside work, arrays of other graphs and contexts. Blocks lie in slots, freed by later calls
 * or at the end; tickets are those that were given, and any number. */
#include "tests/api/api.h"
#include <string.h>

static api_block *draw_block(api_run *r, bool with_data) {
    api_block *b = &r->block[api_below(r, API_BLOCKS)];
    for (int i = 0; with_data && !b->data && i < API_BLOCKS; i++)
        b = &r->block[i];
    api_add(r, ", block[%d]", (int)(b - r->block));
    return b;
}

static fsr_context *draw_context(api_run *r) {
    const bool none = api_below(r, 16) == 15;
    api_add(r, none ? ", NULL" : ", ctx");
    return none ? NULL : r->ctx;
}

/* The context's fsr_error goes by a live operand elsewhere: a context is all that is needed here. */
static void told(api_run *r, const fsr_context *ctx, fsr_status status) {
    api_status(r, status, false);
    API_MUST(r, status == FSR_OK || !ctx || fsr_error(r->ctx)[0], "no words for %s", fsr_status_name(status));
}

static void call_alloc(api_run *r) {
    fsr_context *ctx = draw_context(r);
    api_block *b = draw_block(r, false);
    const int kind = api_below(r, 16);
    const fsr_place place = kind == 15 ? (fsr_place)7 : kind % 2 ? FSR_DEVICE : FSR_HOST;
    const size_t bytes = kind == 14 ? SIZE_MAX - 5 : kind == 13 ? 0 : (size_t)api_byte(r) * 16;
    if (b->data)
        return;
    api_add(r, ", %d, %zu", (int)place, bytes);
    api_say(r, "fsr_alloc", -1, false);
    const fsr_status status = fsr_alloc(ctx, place, bytes, &b->data);
    told(r, ctx, status);
    API_MUST(r, (status == FSR_OK) == (b->data != NULL), "an address with an error, or none without");
    API_MUST(r, !b->data || (uintptr_t)b->data % 256 == 0, "not aligned");
    b->place = place;
    b->bytes = bytes;
    if (b->data)
        memset(b->data, 0, bytes);
}

static void call_free(api_run *r) {
    fsr_context *ctx = draw_context(r);
    api_block *b = draw_block(r, true);
    const fsr_place other = b->place == FSR_HOST ? FSR_DEVICE : FSR_HOST;
    const fsr_place place = api_below(r, 8) == 7 ? other : b->place;
    api_say(r, "fsr_free", -1, false);
    const fsr_status status = fsr_free(ctx, place, b->data);
    told(r, ctx, status);
    API_MUST(r, !ctx || !b->data || (status == FSR_OK) == (place == b->place), "%s", fsr_status_name(status));
    if (status == FSR_OK)
        b->data = NULL;
}

static void copy(api_run *r, const char *name,
                 fsr_status (*f)(fsr_context *, void *, const void *, size_t, fsr_ticket *)) {
    fsr_context *ctx = draw_context(r);
    api_block *to = draw_block(r, true), *from = draw_block(r, true);
    const size_t bytes = to == from ? 0 : to->bytes < from->bytes ? to->bytes : from->bytes;
    fsr_ticket ticket = -1;
    const bool none = api_none(r);
    api_add(r, ", %zu", bytes);
    api_say(r, name, -1, false);
    const fsr_status status = f(ctx, to->data, from->data, to->data && from->data ? bytes : 4, none ? NULL : &ticket);
    told(r, ctx, status);
    API_MUST(r, none || (status ? ticket == 0 : ticket > 0), "ticket %lld", (long long)ticket);
    if (status == FSR_OK && !none)
        r->ticket = ticket;
}

static void call_upload(api_run *r) {
    copy(r, "fsr_upload", fsr_upload);
}

static void call_download(api_run *r) {
    copy(r, "fsr_download", fsr_download);
}

static void call_mark(api_run *r) {
    fsr_context *ctx = draw_context(r);
    fsr_ticket ticket = 0;
    const bool none = api_none(r);
    api_say(r, "fsr_mark", -1, false);
    const fsr_status status = fsr_mark(ctx, none ? NULL : &ticket);
    told(r, ctx, status);
    API_MUST(r, (status == FSR_OK) == (ctx && !none) && (ticket > 0) == (status == FSR_OK), "a mark");
    r->ticket = ticket ? ticket : r->ticket;
}

static fsr_ticket draw_ticket(api_run *r) {
    static const fsr_ticket odd[] = {-1, 3, 7, INT64_MAX, INT64_MIN, 1 << 30, 0, 0};
    const fsr_ticket ticket = api_below(r, 2) ? r->ticket : odd[api_below(r, API_COUNT(odd))];
    api_add(r, ", %lld", (long long)ticket);
    return ticket;
}

static void call_after(api_run *r) {
    fsr_context *ctx = draw_context(r);
    const fsr_ticket ticket = draw_ticket(r);
    api_say(r, "fsr_after", -1, false);
    told(r, ctx, fsr_after(ctx, ticket));
}

static void call_wait(api_run *r) {
    fsr_context *ctx = draw_context(r);
    const fsr_ticket ticket = draw_ticket(r);
    api_say(r, "fsr_wait", -1, false);
    told(r, ctx, fsr_wait(ctx, ticket));
}

static void call_ticket_time(api_run *r) {
    fsr_context *ctx = draw_context(r);
    const fsr_ticket ticket = draw_ticket(r);
    double from = 0, to = 0;
    const bool none = api_none(r);
    api_say(r, "fsr_ticket_time", -1, false);
    const fsr_status status = fsr_ticket_time(ctx, ticket, none ? NULL : &from, &to);
    told(r, ctx, status);
    API_MUST(r, status || (from >= 0 && to >= from), "it ended before it began");
}

static void call_from_node(api_run *r) {
    fsr_graph *g = api_graph(r);
    fsr_node x = api_node(r);
    if (!api_reasonable(r, &x, 1))
        return;
    api_say(r, "fsr_from_node_at", 0, true);
    api_take(r, fsr_from_node_at(API_SITE(r), g, x), 0, true);
}

#define ROW(name, weight) \
    { "fsr_" #name, call_##name, weight }
const api_row api_transfer_rows[] = {
    ROW(alloc, 3),    ROW(free, 2),        ROW(upload, 2),
    ROW(download, 2), ROW(mark, 1),        ROW(after, 1),
    ROW(wait, 1),     ROW(ticket_time, 1), {"fsr_from_node_at", call_from_node, 3},
};
const int api_transfer_count = API_COUNT(api_transfer_rows);

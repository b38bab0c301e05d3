/* SPDX-License-Identifier: MIT */
/* What must hold of each call, and of a context afterwards. */
#include "graph/graph.h"
#include "tests/api/api.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void (*api_failed)(const char *words);
static api_tally nobody_looks;
api_tally *api_tells = &nobody_looks;

void api_fail(const api_run *r, const char *format, ...) {
    char words[600];
    va_list args;
    const int n = snprintf(words, sizeof words, "%s: ", r && r->what ? r->what : "?");
    va_start(args, format);
    vsnprintf(words + n, sizeof words - (size_t)n, format, args);
    va_end(args);
    if (api_failed)
        api_failed(words);
    abort();
}

void api_say(api_run *r, const char *name, int results, bool site) {
    r->what = api_tells->now = name;
    api_tells->calls++;
    fsr_error_clear(r->ctx);
    fsr_error_clear(r->elsewhere);
    if (!r->trace)
        return;
    fprintf(r->trace, "    ");
    if (results > 0)
        fprintf(r->trace, "fsr_node t%d[%d];\n    ", r->at, results);
    else if (results == 0)
        fprintf(r->trace, "fsr_node n%d = ", r->at);
    fprintf(r->trace, "%s(%s%s);\n", name, site ? "at" : "", site || !r->length ? r->text : r->text + 2);
    fflush(r->trace);
}

/* ---- a node ------------------------------------------------------------------------------------------------ */

static void check_good(const api_run *r, fsr_node x) {
    const int ndim = fsr_node_ndim(x);
    const int64_t size = fsr_node_size(x), bytes = fsr_node_bytes(x);
    const size_t element = fsr_dtype_size(fsr_node_dtype(x));
    int64_t product = 1;
    bool empty = false, over = false;
    API_MUST(r, element > 0 && ndim >= 0 && ndim <= FSR_MAX_DIMS, "a node of dtype %d and %d dimensions",
             (int)fsr_node_dtype(x), ndim);
    for (int i = 0; i < ndim; i++) {
        const int64_t dim = fsr_node_dim(x, i);
        API_MUST(r, dim >= 0, "extent %lld", (long long)dim);
        empty |= dim == 0;
        over |= dim && __builtin_mul_overflow(product, dim, &product);
    }
    product = empty ? 0 : product;
    API_MUST(r, empty || !over, "a shape overflows");
    API_MUST(r, size == product, "size %lld of %lld elements", (long long)size, (long long)product);
    over = __builtin_mul_overflow(product, (int64_t)element, &product);
    API_MUST(r, !over, "bytes overflow");
    API_MUST(r, bytes == product, "%lld bytes instead of %lld", (long long)bytes, (long long)product);
    API_MUST(r, !fsr_node_error(x)[0], "a good node has an error: %s", fsr_node_error(x));
}

static void check_bad(const api_run *r, fsr_node x, fsr_status status) {
    API_MUST(r, (unsigned)status < FSR_STATUS_COUNT && status != FSR_ERR_INTERNAL && status != FSR_ERR_MISMATCH,
             "a node of status %s: %s", fsr_status_name(status), fsr_node_error(x));
    API_MUST(r,
             fsr_node_dtype(x) == FSR_DTYPE_COUNT && fsr_node_ndim(x) == -1 && fsr_node_size(x) == -1 &&
                 fsr_node_bytes(x) == -1 && fsr_node_dim(x, 0) == -1,
             "a bad node has a shape");
    if (status == FSR_ERR_NULL && !x.graph) {
        API_MUST(r, !r->live || r->unsettled, "the null node, though there was a graph");
        return;
    }
    if (status == FSR_ERR_STALE && !fsr_node_error(x)[0]) {
        API_MUST(r, r->unsettled || !r->live, "a stale node was returned");
        return;
    }
    API_MUST(r, strlen(fsr_node_error(x)) > 5, "a poisoned node without words: %s", fsr_status_name(status));
}

static double elements(fsr_node x) {
    const int64_t n = fsr_node_size(x);
    return n < 0 ? 0 : (double)n;
}

void api_take(api_run *r, fsr_node x, int k, bool of_array) {
    const fsr_status status = fsr_node_status(x);
    *(status ? &api_tells->bad : &api_tells->good) += 1;
    if (status == FSR_OK)
        check_good(r, x);
    else
        check_bad(r, x, status);
    if (k >= API_KEPT)
        return;
    const double own = elements(x);
    r->slot[API_GIVEN + r->at * API_KEPT + k] = (api_slot){.node = x,
                                                           .status = status,
                                                           .work = own > r->work ? own : r->work,
                                                           .lawless = r->lawless,
                                                           .used = true,
                                                           .of_array = of_array};
}

void api_take_all(api_run *r, const fsr_node *x, int n) {
    for (int k = 0; k < n; k++)
        api_take(r, x[k], k, true);
}

/* ---- a status ---------------------------------------------------------------------------------------------- */

void api_status(api_run *r, fsr_status status, bool words) {
    API_MUST(r, (unsigned)status < FSR_STATUS_COUNT && status != FSR_ERR_INTERNAL && status != FSR_ERR_MISMATCH,
             "%s: %s%s", fsr_status_name(status), fsr_error(r->ctx), fsr_error(r->elsewhere));
    *(status ? &api_tells->refused : &api_tells->done) += 1;
    const char *here = fsr_error(r->ctx), *there = fsr_error(r->elsewhere);
    if (status == FSR_OK)
        API_MUST(r, !here[0] && !there[0], "done, but there is an error: %s%s", here, there);
    else if (words && r->live && !r->unsettled)
        API_MUST(r,
                 (here[0] && fsr_error_status(r->ctx) == status) ||
                     (there[0] && fsr_error_status(r->elsewhere) == status),
                 "no words for %s", fsr_status_name(status));
}

/* Refused at once: its own bytes are more than there is memory, whatever it takes to compute it. */
static const int64_t too_many = INT64_C(1) << 40;

static double work_of(const api_run *r, fsr_node x) {
    for (int i = 0; i < API_SLOTS; i++)
        if (r->slot[i].used && r->slot[i].node.graph == x.graph && r->slot[i].node.id == x.id &&
            r->slot[i].node.stamp == x.stamp)
            return r->slot[i].work;
    return elements(x);
}

bool api_reasonable(const api_run *r, const fsr_node *outs, int n) {
    double work = 0;
    for (int i = 0; outs && i < n; i++) {
        if (fsr_node_bytes(outs[i]) > too_many)
            return true;
        work = work_of(r, outs[i]) > work ? work_of(r, outs[i]) : work;
    }
    return work <= API_LIGHT;
}

/* ---- afterwards -------------------------------------------------------------------------------------------- */

/* Poison stays what it was, and nothing else becomes poison; a node may have gone with its scope or graph. */
static void check_kept(api_run *r) {
    for (int i = 0; i < API_SLOTS; i++) {
        const api_slot *s = &r->slot[i];
        if (!s->used)
            continue;
        const fsr_status now = fsr_node_status(s->node);
        const bool gone = now == FSR_ERR_STALE && r->unsettled;
        API_MUST(r, now == s->status || gone, "the status of slot %d was %s and is %s", i, fsr_status_name(s->status),
                 fsr_status_name(now));
    }
}

/* A few results against the reference. */
static void check_values(api_run *r) {
    static const unsigned may = 1u << FSR_ERR_UNBOUND | 1u << FSR_ERR_NO_COMPILER | 1u << FSR_ERR_COMPILE |
                                1u << FSR_ERR_UNSUPPORTED | 1u << FSR_ERR_MEMORY | 1u << FSR_ERR_SIZE | API_REPORTED;
    int left = 6;
    for (int i = API_SLOTS - 1; i >= 0 && left > 0; i--) {
        api_slot *s = &r->slot[i];
        if (!s->used || s->work > API_LIGHT || fsr_node_status(s->node))
            continue;
        left--;
        fsr_verify_report report;
        const fsr_status status = s->lawless || r->changed ? fsr_force(s->node) : fsr_verify(&s->node, 1, &report);
        API_MUST(r, !status || (may >> status & 1), "slot %d: %s: %s", i, fsr_status_name(status), fsr_error(r->ctx));
    }
}

/* The context computes as if nothing had happened: sum(arange(5)^2) is 30. */
static void check_works(api_run *r) {
    int64_t sum = 0;
    const fsr_status reported = fsr_sync(r->ctx); /* what is told here is told once */
    API_MUST(r, reported == FSR_OK || (API_REPORTED >> reported & 1), "sync: %s", fsr_status_name(reported));
    fsr_error_clear(r->ctx);
    fsr_graph *g = fsr_graph_new(r->ctx);
    fsr_node x = fsr_arange(g, FSR_I64, 5);
    const fsr_status status = fsr_read(fsr_sum(fsr_mul(x, x), NULL, 0, 0), &sum, sizeof sum);
    API_MUST(r, status == FSR_OK && sum == 30, "the known program: %s %lld %s", fsr_status_name(status), (long long)sum,
             fsr_error(r->ctx));
    fsr_graph_free(g);
}

void api_finish(api_run *r) {
    fsr_stats stats;
    r->what = api_tells->now = "afterwards";
    check_kept(r);
    check_values(r);
    for (int i = 0; i < API_PLANS; i++)
        fsr_plan_free(r->plan[i].plan);
    for (int i = 0; i < API_BLOCKS; i++)
        API_MUST(r, !r->block[i].data || !fsr_free(r->ctx, r->block[i].place, r->block[i].data),
                 "memory is not its own");
    for (int i = 0; i < 3; i++)
        fsr_graph_free(r->g[i]);
    for (int i = 0; i < API_SLOTS; i++)
        API_MUST(r, !r->slot[i].used || !r->slot[i].node.graph || fsr_node_status(r->slot[i].node) == FSR_ERR_STALE,
                 "slot %d outlives its graph", i);
    check_works(r);
    API_MUST(r, fsr_context_stats(r->ctx, &stats) == FSR_OK && stats.nodes == 0, "%lld nodes are left",
             (long long)stats.nodes);
    API_MUST(r, stats.host_bytes == 0 && stats.device_bytes == 0, "%lld bytes of arrays are left",
             (long long)(stats.host_bytes + stats.device_bytes));
}

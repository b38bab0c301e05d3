/* SPDX-License-Identifier: MIT */
/* Sequences: made from a seed, played on a context. */
#include "tests/api/api.h"
#include "tests/support/random.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- from a seed ------------------------------------------------------------------------------------------- */

static int draw_row(uint64_t *state, int weights) {
    int at = (int)(random_bits(state) % (unsigned)weights), i = 0;
    while (at >= api_row_at(i)->weight)
        at -= api_row_at(i++)->weight;
    return i;
}

void api_generate(api_sequence *s, uint64_t seed) {
    uint64_t state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1;
    const int weights = api_weights();
    memset(s, 0, sizeof *s);
    for (int i = 0; i < 4; i++)
        random_bits(&state);
    s->n = 4 + (int)(random_bits(&state) % (API_CALLS - 3));
    for (int i = 0; i < s->n; i++) {
        s->call[i].row = draw_row(&state, weights);
        for (int k = 0; k < API_RAW; k++)
            s->call[i].raw[k] = (uint8_t)(random_bits(&state) >> 32);
    }
}

/* ---- contexts ---------------------------------------------------------------------------------------------- */

/* Kernels are interpreted, so that a sequence takes no compiler's time. */
static fsr_context *open_one(fsr_backend_kind backend, int fusion) {
    fsr_config c;
    fsr_context *ctx = NULL;
    fsr_config_init(&c, NULL, 0);
    c.backend = (int)backend;
    c.fusion = fusion;
    c.fallback = 1;
    c.compiler = "/nonexistent/cc";
    c.cache_dir = "";
    c.threads = 1;
    c.log_level = FSR_LOG_SILENT;
    if (fsr_open(&c, &ctx) != FSR_OK)
        api_fail(NULL, "no context");
    return ctx;
}

void api_open(api_contexts *c) {
    c->ctx[0] = open_one(FSR_BACKEND_CPU, 1);
    c->ctx[1] = open_one(FSR_BACKEND_CPU, 0);
    c->ctx[2] = open_one(FSR_BACKEND_REFERENCE, 1);
    c->elsewhere = open_one(FSR_BACKEND_REFERENCE, 1);
    strcpy(c->folder, "/tmp/fusor-api-XXXXXX");
    if (!mkdtemp(c->folder))
        api_fail(NULL, "no temporary folder");
}

void api_close(api_contexts *c) {
    char path[100];
    for (int i = 0; i < 3; i++)
        fsr_close(c->ctx[i]);
    fsr_close(c->elsewhere);
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%d.npy", c->folder, i);
        unlink(path);
    }
    if (rmdir(c->folder))
        api_fail(NULL, "a file was left in %s", c->folder);
}

/* ---- playing ----------------------------------------------------------------------------------------------- */

static void give(api_run *r, int i, fsr_node x) {
    const int64_t n = fsr_node_size(x);
    r->slot[i] = (api_slot){.node = x, .status = fsr_node_status(x), .work = n < 0 ? 0 : (double)n, .used = true};
}

static void give_all(api_run *r) {
    static const float data[12] = {1, -2, 3.5f, 0, -0.0f, 6, 7, 1e10f, 9, -10, 0.1f, 12};
    static const uint8_t flags[4] = {1, 0, 0, 1};
    fsr_graph *g = r->g[0];
    const int64_t matrix[] = {3, 4}, vector[] = {4};
    give(r, 0, fsr_from_host(g, FSR_F32, 2, matrix, data));
    give(r, 1, fsr_arange(g, FSR_I32, 4));
    give(r, 2, fsr_from_host(g, FSR_BOOL, 1, vector, flags));
    give(r, 3, fsr_float(g, 0.5));
    give(r, 4, fsr_input(g, "x", FSR_F32, 2, matrix));
    give(r, 5, fsr_param(g, "k", FSR_F64, 2));
    give(r, 6, fsr_mul(r->slot[0].node, r->slot[1].node));
    give(r, 7, fsr_arange(g, FSR_U8, 12));
    give(r, 8, fsr_reshape(r->slot[0].node, 1, vector)); /* poison */
    give(r, 9, fsr_zeros(g, FSR_U8, 1, (int64_t[]){(INT64_C(1) << 61) + 1}));
    give(r, 10, fsr_ones(r->g[1], FSR_F32, 2, matrix));
    give(r, 11, fsr_ones(r->g[2], FSR_F32, 2, matrix));
    r->input[r->ninputs++] = (api_input){"x", 48};
}

static void one_call(api_run *r, const api_call *call, int at) {
    r->at = at;
    r->raw = call->raw;
    r->left = API_RAW;
    r->text[r->length = 0] = 0;
    r->work = 0;
    r->live = r->lawless = false;
    r->what = api_row_at(call->row)->name;
    api_row_at(call->row)->call(r);
    for (int i = 0; i < r->nscratch; i++)
        free(r->scratch[i]);
    r->nscratch = 0;
}

void api_play(const api_contexts *c, const api_sequence *s, int which, FILE *trace) {
    api_run *r = calloc(1, sizeof *r);
    if (!r)
        api_fail(NULL, "the fuzzer itself: no memory");
    r->ctx = c->ctx[which];
    r->elsewhere = c->elsewhere;
    r->trace = trace;
    r->what = "the beginning";
    memcpy(r->folder, c->folder, sizeof r->folder);
    for (int i = 0; i < 3; i++)
        r->g[i] = fsr_graph_new(i < 2 ? r->ctx : r->elsewhere);
    give_all(r);
    for (int i = 0; i < s->n; i++)
        if (!s->call[i].dropped)
            one_call(r, &s->call[i], i);
    api_finish(r);
    free(r);
}

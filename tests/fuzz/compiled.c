/* SPDX-License-Identifier: MIT */
/* The same recipes through the public API: compiled kernels, fused against unfused, both against the reference. */
#include "tests/fuzz/check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool check_pair_open(check_pair *pair, fsr_backend_kind backend, char *why, size_t size) {
    fsr_config config;
    memset(pair, 0, sizeof *pair);
    if (fsr_config_init(&config, why, size))
        return false;
    config.backend = backend;
    config.fusion = 1;
    if (fsr_open_why(&config, &pair->fused, why, size))
        return false;
    config.fusion = 0;
    return fsr_open_why(&config, &pair->unfused, why, size) == FSR_OK;
}

void check_pair_close(check_pair *pair) {
    fsr_close(pair->fused);
    fsr_close(pair->unfused);
}

typedef struct half {
    fsr_graph *g;
    fsr_node node[RECIPE_STEPS], other[RECIPE_STEPS], out[RECIPE_OUTS];
    void *value[RECIPE_OUTS];
} half;

static verdict fail(finding *out, fsr_context *ctx, fsr_status status, verdict wrong) {
    snprintf(out->what, sizeof out->what, "%s: %s", fsr_status_name(status), fsr_error(ctx));
    return out->verdict = status == FSR_ERR_MISMATCH ? wrong : VERDICT_RUN_FAILED;
}

static verdict run_half(half *h, fsr_context *ctx, const recipe *r, verdict wrong, finding *out) {
    memset(h, 0, sizeof *h);
    h->g = fsr_graph_new(ctx);
    fsr_status status = FSR_OK;
    for (int i = 0; i < r->n && !status; i++) {
        recipe_record(r, i, h->g, h->node, h->other);
        if (fsr_node_status(h->node[i]))
            return out->verdict = VERDICT_REFUSED;
        if (r->step[i].force)
            status = fsr_verify(&h->node[i], 1, NULL);
    }
    for (int i = 0; i < r->nouts; i++)
        h->out[i] = h->node[r->out[i]];
    if (!status)
        status = fsr_compute(h->out, r->nouts);
    for (int i = 0; i < r->nouts && !status; i++)
        status = fsr_verify(&h->out[i], 1, NULL);
    for (int i = 0; i < r->nouts && !status; i++) {
        h->value[i] = malloc((size_t)fsr_node_bytes(h->out[i]) + 1);
        status = fsr_read(h->out[i], h->value[i], (size_t)fsr_node_bytes(h->out[i]));
    }
    return status ? fail(out, ctx, status, wrong) : VERDICT_GOOD;
}

static bool same_value(fsr_dtype dtype, fsr_value x, fsr_value y) {
    if (fsr_dtype_is_complex(dtype)) {
        fsr_value a[2], b[2];
        fsr_value_parts(dtype, x, &a[0], &a[1]);
        fsr_value_parts(dtype, y, &b[0], &b[1]);
        return same_value(fsr_dtype_real(dtype), a[0], b[0]) && same_value(fsr_dtype_real(dtype), a[1], b[1]);
    }
    bool nan =
        fsr_dtype_is_float(dtype) && isnan(fsr_value_to_double(dtype, x)) && isnan(fsr_value_to_double(dtype, y));
    return fsr_value_equal(x, y) || nan;
}

bool check_same(fsr_dtype dtype, const void *a, const void *b, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if (!same_value(dtype, fsr_value_load(dtype, a, i), fsr_value_load(dtype, b, i)))
            return false;
    return true;
}

static verdict compare_halves(const half *a, const half *b, const recipe *r, finding *out) {
    for (int i = 0; i < r->nouts; i++) {
        if (recipe_rounded(r, r->out[i], a->node))
            continue;
        if (check_same(fsr_node_dtype(a->out[i]), a->value[i], b->value[i], fsr_node_size(a->out[i])))
            continue;
        snprintf(out->what, sizeof out->what, "output %d", i);
        return out->verdict = VERDICT_FUSED_DIFFERS;
    }
    return VERDICT_GOOD;
}

static void half_clear(half *h, const recipe *r) {
    for (int i = 0; i < r->nouts; i++)
        free(h->value[i]);
    fsr_graph_free(h->g);
}

verdict check_compiled(const check_pair *pair, const recipe *r, finding *out) {
    static half unfused, fused;
    memset(out, 0, sizeof *out);
    memset(&fused, 0, sizeof fused);
    snprintf(out->variant, sizeof out->variant, "compiled, unfused");
    verdict v = run_half(&unfused, pair->unfused, r, VERDICT_UNFUSED_WRONG, out);
    if (!v) {
        snprintf(out->variant, sizeof out->variant, "compiled, fused");
        v = run_half(&fused, pair->fused, r, VERDICT_FUSED_WRONG, out);
    }
    if (!v)
        v = compare_halves(&fused, &unfused, r, out);
    if (!v)
        v = check_donated(pair->fused, r, unfused.value, out);
    half_clear(&unfused, r);
    half_clear(&fused, r);
    return v;
}

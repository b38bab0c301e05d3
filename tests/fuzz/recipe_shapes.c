/* SPDX-License-Identifier: MIT */
/* Steps that make many nodes: pads, copies, differences, triangles, weighted averages, and row functions over arrays of
 * higher rank. */
#include "tests/fuzz/recipe.h"

/* ---- row functions ------------------------------------------------------------------------------------------ */

void fuzz_dot(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_sum(fsr_mul(in[0], in[1]), NULL, 0, 0);
}

void fuzz_centred(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_add(fsr_sub(in[0], fsr_max(in[0], (int[]){0}, 1, FSR_KEEPDIMS)),
                     fsr_cumsum(in[1], (int[]){0}, 1, FSR_REVERSE));
}

void fuzz_shifted(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    fsr_node turned = fsr_roll(fsr_flip(in[0], 0), (int64_t[]){2}, (int[]){0}, 1);
    out[0] = fsr_update(turned, fsr_slice(turned, 0, 1, FSR_SLICE_END, 2), in[1]);
}

void fuzz_matvec(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_sum(fsr_mul(in[0], in[1]), (int[]){1}, 1, 0);
}

void fuzz_outer(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_transpose(fsr_mul(fsr_expand(in[0], 1), in[1]), NULL);
}

void fuzz_place(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    fsr_node at = fsr_arange(in[0].graph, FSR_I64, fsr_node_dim(in[1], 0));
    out[0] = fsr_where(fsr_equal(at, fsr_argmax(in[1], NULL, 0, 0)), in[0], in[1]);
}

void fuzz_filter(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_filter(in[0], in[1], fsr_int(in[0].graph, 1));
}

const fuzz_row_function fuzz_rows[FUZZ_ROW_FUNCTIONS] = {
    {"fuzz_dot", "(n),(n)->()", fuzz_dot},         {"fuzz_centred", "(n),(n)->(n)", fuzz_centred},
    {"fuzz_shifted", "(n),()->(n)", fuzz_shifted}, {"fuzz_matvec", "(m,n),(n)->(m)", fuzz_matvec},
    {"fuzz_outer", "(m),(n)->(n,m)", fuzz_outer},  {"fuzz_place", "(),(n)->(n)", fuzz_place},
    {"fuzz_filter", "(n),(n)->(n)", fuzz_filter},
};

static fsr_node record_rows(const recipe_step *s, const fsr_node *in) {
    const fuzz_row_function *f = &fuzz_rows[s->flags];
    fsr_node out = {0};
    fsr_vectorize(&out, 1, in, 2, f->signature, f->body, NULL);
    return out;
}

/* ---- the others ----------------------------------------------------------------------------------------------- */

static void widths(const recipe_step *s, int64_t (*width)[2]) {
    for (int i = 0; i < FSR_MAX_DIMS; i++) {
        width[i][0] = i == s->axis ? s->start : s->list[0];
        width[i][1] = i == s->axis ? s->stop : s->list[1];
    }
}

static fsr_node padded(const recipe_step *s, fsr_node x) {
    int64_t width[FSR_MAX_DIMS][2];
    widths(s, width);
    return fsr_pad(x, (const int64_t(*)[2])width, (fsr_pad)s->flags, s->value);
}

fsr_node recipe_record_shape(const recipe_step *s, const fsr_node *in) {
    switch (s->kind) {
    case STEP_PAD: return padded(s, in[0]);
    case STEP_TILE: return fsr_tile(in[0], s->ndim, s->shape);
    case STEP_REPEAT: return fsr_repeat(in[0], s->start, s->axis == RECIPE_FLAT ? NULL : &s->axis);
    case STEP_DIFF: return fsr_diff(in[0], (int)s->start, s->axis);
    case STEP_TRIU: return fsr_triu(in[0], s->start);
    case STEP_TRIL: return fsr_tril(in[0], s->start);
    case STEP_AVERAGE: return fsr_average(in[0], in[1], s->ndim < 0 ? NULL : s->list, s->ndim, s->flags);
    case STEP_MATMUL: return fuzz_matmul(in[0], in[1], s->flags);
    case STEP_ORDERS: return fuzz_order(in[0], in[1], (int)s->start, s->axis, s->flags);
    case STEP_LENGTHS: return fuzz_lengths(in[1], in[0], (int)s->start);
    case STEP_SPARSE: return fuzz_sparse(in[0], in[1], (int)s->start);
    case STEP_CALLS: return fuzz_calls(in[0], in[1], (int)s->start);
    case STEP_PLACES: return fuzz_places(in[0], in[1], (int)s->start);
    case STEP_TAKE: return fuzz_take(in[0], in[1], (int)s->start, (fsr_index_mode)s->flags, s->axis);
    default: return record_rows(s, in);
    }
}

static void print_pad(const recipe_step *s, FILE *to) {
    static const char *const modes[] = {"CONSTANT", "EDGE", "REFLECT", "SYMMETRIC", "WRAP"};
    int64_t width[FSR_MAX_DIMS][2];
    widths(s, width);
    fprintf(to, "fsr_pad(n%d, ((const int64_t[][2]){", s->arg[0]);
    for (int i = 0; i < RECIPE_DIMS; i++)
        fprintf(to, "%s{%lld, %lld}", i ? ", " : "", (long long)width[i][0], (long long)width[i][1]);
    fprintf(to, "}), FSR_PAD_%s, ", modes[s->flags]);
    recipe_print_value(s->value, to);
    fprintf(to, ")");
}

void recipe_print_shape(const recipe_step *s, FILE *to) {
    switch (s->kind) {
    case STEP_PAD: print_pad(s, to); break;
    case STEP_TILE:
        fprintf(to, "fsr_tile(n%d, ", s->arg[0]);
        recipe_print_extents(s, to);
        fprintf(to, ")");
        break;
    case STEP_REPEAT:
        fprintf(to, "fsr_repeat(n%d, %lld, ", s->arg[0], (long long)s->start);
        fprintf(to, s->axis == RECIPE_FLAT ? "NULL)" : "&(int){%d})", s->axis);
        break;
    case STEP_MATMUL: fprintf(to, "fuzz_matmul(n%d, n%d, %d)", s->arg[0], s->arg[1], s->flags); break;
    case STEP_TAKE:
        fprintf(to, "fuzz_take(n%d, n%d, %d, (fsr_index_mode)%d, %d)", s->arg[0], s->arg[1], (int)s->start, s->flags,
                s->axis);
        break;
    case STEP_ORDERS:
        fprintf(to, "fuzz_order(n%d, n%d, %d, %d, %d)", s->arg[0], s->arg[1], (int)s->start, s->axis, s->flags);
        break;
    case STEP_LENGTHS: fprintf(to, "fuzz_lengths(n%d, n%d, %d)", s->arg[1], s->arg[0], (int)s->start); break;
    case STEP_SPARSE: fprintf(to, "fuzz_sparse(n%d, n%d, %d)", s->arg[0], s->arg[1], (int)s->start); break;
    case STEP_CALLS: fprintf(to, "fuzz_calls(n%d, n%d, %d)", s->arg[0], s->arg[1], (int)s->start); break;
    case STEP_PLACES: fprintf(to, "fuzz_places(n%d, n%d, %d)", s->arg[0], s->arg[1], (int)s->start); break;
    case STEP_DIFF: fprintf(to, "fsr_diff(n%d, %lld, %d)", s->arg[0], (long long)s->start, s->axis); break;
    case STEP_AVERAGE:
        fprintf(to, "fsr_average(n%d, n%d, ", s->arg[0], s->arg[1]);
        recipe_print_list(s, to);
        fprintf(to, ", %d, %s)", s->ndim, recipe_flags(s->flags));
        break;
    default: fprintf(to, "fsr_tri%c(n%d, %lld)", s->kind == STEP_TRIU ? 'u' : 'l', s->arg[0], (long long)s->start);
    }
}

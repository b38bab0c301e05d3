/* SPDX-License-Identifier: MIT */
/* Loops for each element: the plain state (fsr_iteration_eval), and the state in ball arithmetic.
 *
 * The state is a tuple of balls, and each turn widens them by the body's roundings. As soon as the condition is not
 * decided by what is known, the element may have ended in this turn or go on for any number: its state and its count
 * are unknown. Counter-example to going on with both branches: balls that cover them would still give one count. A
 * state that is known, and a body of exact operations on it, stay known: counts of such a loop are checked bit by
 * bit. The plain state knows nothing of this and ends where its own condition does, and takes plain elements of tables,
 * which are copied for it. */
#include "backend_cpu/reference/iterate.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct loop {
    const fsr_iteration *program;
    const fsr_ref_view *in;           /* the tables */
    fsr_table extent[FSR_MAX_TABLES]; /* of each, with the view's strides */
    fsr_table plain[FSR_MAX_TABLES];
    fsr_ball_tables balls;
} loop;

static fsr_ball take(const void *user, const fsr_inst *load, const int64_t *index) {
    const loop *l = user;
    const fsr_ref_view *in = &l->in[load->index];
    fsr_ball ball;
    fsr_value value;
    fsr_ref_data_read(in->data, in->offset + fsr_table_place(load, &l->extent[load->index], index), &ball, &value);
    return ball;
}

/* A table's plain elements, in C order. */
static bool copy_plain(fsr_table *to, const fsr_ref_view *from, const fsr_shape *shape, fsr_dtype dtype) {
    const size_t size = fsr_dtype_size(dtype);
    char *data = malloc(size * (size_t)fsr_shape_size(shape));
    fsr_ref_walk walk;
    int64_t stride = 1;
    to->data = data;
    for (int j = shape->ndim - 1; j >= 0; j--) {
        to->extent[j] = shape->dim[j];
        to->stride[j] = stride;
        stride *= shape->dim[j];
    }
    fsr_ref_walk_start(&walk, shape, 0, from, 1);
    for (int64_t at = 0; data && walk.left > 0; fsr_ref_walk_next(&walk), at++) {
        const fsr_ref_element x = fsr_ref_data_get(from->data, walk.at[0]);
        memcpy(data + (size_t)at * size, &x.value, size);
    }
    return data != NULL;
}

static bool tables_begin(loop *l, const fsr_shape *shape) {
    bool good = true;
    for (int t = 0; t < l->program->body.ntables; t++) {
        memcpy(l->extent[t].extent, shape[t].dim, sizeof shape[t].dim);
        memcpy(l->extent[t].stride, l->in[t].stride, sizeof l->in[t].stride);
        good = good && copy_plain(&l->plain[t], &l->in[t], &shape[t], l->program->body.table[t].dtype);
    }
    l->balls = (fsr_ball_tables){take, l};
    return good;
}

static void tables_end(loop *l) {
    for (int t = 0; t < l->program->body.ntables; t++)
        free((void *)l->plain[t].data);
}

static bool nothing_known(const fsr_iteration *l, const fsr_ball *x) {
    for (int i = 0; i < l->nstate; i++)
        if (!isinf(x[i].radius))
            return false;
    return true;
}

static void give_up(const fsr_iteration *l, fsr_ball *out) {
    for (int i = 0; i <= l->nstate; i++)
        out[i] = fsr_ball_unknown(fsr_iteration_dtype(l, i));
}

/* One element: out[0..nstate] from x, which it overwrites. A loop whose state is lost, but whose count may be known (it
 * depends on the arguments alone), goes on as long as it is short. */
static void run_element(const loop *all, fsr_ball *x, fsr_ball_mode mode, fsr_ball *out) {
    const fsr_iteration *l = all->program;
    const fsr_region *r = &l->body;
    const int condition = fsr_iteration_condition(l);
    fsr_ball value[FSR_MAX_BODY_INSTS];
    int64_t n = 0;
    for (; n < l->max_n; n++) {
        fsr_ball_region(r, 0, condition + 1, x, mode, &all->balls, value);
        if (value[condition].radius != 0 || (n > 1 << 16 && nothing_known(l, x))) {
            give_up(l, out);
            return;
        }
        if (value[condition].center == 0)
            break;
        fsr_ball_region(r, condition + 1, r->ninsts, x, mode, &all->balls, value);
        for (int i = 0; i < l->nstate; i++)
            x[i] = value[r->result[i]];
    }
    memcpy(out, x, (size_t)l->nstate * sizeof *out);
    out[l->nstate] = fsr_ball_from_value(FSR_I32, fsr_value_from_int(FSR_I32, n));
}

/* One element: out[0..nstate] from its arguments; the balls are overwritten. */
static void run_both(const loop *all, fsr_ball *ball, const fsr_value *value, fsr_ball_mode mode,
                     fsr_ref_element *out) {
    const fsr_iteration *l = all->program;
    fsr_ball end[FSR_MAX_OUTPUTS];
    fsr_value last[FSR_MAX_OUTPUTS];
    bool known = l->body.ntables == 0;
    for (int i = 0; i < l->nstate + l->narg; i++)
        known = known && fsr_ref_is_known(&ball[i]);
    run_element(all, ball, mode, end);
    for (int i = 0; i <= l->nstate; i++) {
        out[i].ball = end[i];
        out[i].value = fsr_ball_center_value(fsr_iteration_dtype(l, i), &end[i]);
        known = known && fsr_ref_is_known(&end[i]);
    }
    if (known)
        return;
    fsr_iteration_eval(l, last, value, all->plain);
    for (int i = 0; i <= l->nstate; i++)
        out[i].value = last[i];
}

bool fsr_ref_iterate(const fsr_rec *rec, const fsr_ref_view *in, const fsr_shape *tables, fsr_ball_mode mode,
                     fsr_ref_data **data) {
    const int each = fsr_own_arguments(&rec->content);
    loop l = {.program = rec->loop, .in = in + each};
    fsr_ref_element out[FSR_MAX_OUTPUTS];
    fsr_ball ball[FSR_MAX_ARGS];
    fsr_value value[FSR_MAX_ARGS];
    fsr_ref_walk walk;
    bool ok = tables_begin(&l, tables);
    for (int i = 0; ok && i < rec->nout; i++) {
        data[i] = fsr_ref_data_new(rec->dtype[i], fsr_shape_size(&rec->shape), true);
        ok = data[i] != NULL;
    }
    fsr_ref_walk_start(&walk, &rec->shape, 0, in, each);
    for (int64_t at = 0; ok && walk.left > 0; fsr_ref_walk_next(&walk), at++) {
        for (int i = 0; i < each; i++)
            fsr_ref_data_read(in[i].data, walk.at[i], &ball[i], &value[i]);
        run_both(&l, ball, value, mode, out);
        for (int i = 0; ok && i < rec->nout; i++)
            ok = fsr_ref_data_set(data[i], at, &out[i]);
    }
    tables_end(&l);
    return ok;
}

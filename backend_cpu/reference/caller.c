/* SPDX-License-Identifier: MIT */
/* Calls of the program's own: its CPU function, by the calling thread alone, on the arguments' plain values. Of
 * arguments that are known what it gives is known up to the units that the callee states; nothing else is known of
 * what it does. */
#include "backend_cpu/reference/library.h"
#include "graph/code.h"
#include "graph/shape.h"
#include "runtime/library.h"
#include <stdlib.h>
#include <string.h>

typedef struct call {
    const fsr_rec *rec;
    fsr_library_call step;
    void *array[FSR_LIBRARY_ARRAYS], *work;
    bool known;
} call;

/* The plain values of an argument in C order. */
static bool load(call *c, int i, const fsr_shape *shape, const fsr_ref_view *in) {
    const fsr_dtype dtype = in->data->dtype;
    const size_t size = fsr_dtype_size(dtype);
    char *at = c->array[i] = malloc((size_t)fsr_shape_bytes(shape, dtype) + 1);
    fsr_ref_walk walk;
    c->step.array[i] = (fsr_library_array){dtype, true, *shape};
    fsr_ref_walk_start(&walk, shape, 0, in, 1);
    for (; at && walk.left > 0; fsr_ref_walk_next(&walk), at += size) {
        const fsr_ref_element x = fsr_ref_data_get(in->data, walk.at[0]);
        memcpy(at, &x.value, size);
        c->known = c->known && fsr_ref_is_known(&x.ball);
    }
    return c->array[i] != NULL;
}

static fsr_ref_element element(const call *c, fsr_dtype dtype, const char *at) {
    const double ulp = c->rec->called->what.ulp;
    fsr_value value = {.bits = 0};
    memcpy(&value, at, fsr_dtype_size(dtype));
    fsr_ref_element x = fsr_ref_known(dtype, value);
    const bool finite = isfinite(x.ball.center) && isfinite(x.ball.imag);
    if (!c->known || (fsr_dtype_is_inexact(dtype) && !(ulp > 0 && finite)))
        x.ball = fsr_ball_unknown(dtype);
    else if (fsr_dtype_is_inexact(dtype))
        x.ball.radius = ulp * fsr_ball_ulp(dtype, hypotl(x.ball.center, x.ball.imag));
    return x;
}

static bool store(const call *c, int i, fsr_ref_data *to) {
    const fsr_dtype dtype = c->rec->dtype[i];
    const char *at = c->array[c->step.nin + i];
    const size_t size = fsr_dtype_size(dtype);
    bool good = true;
    for (int64_t e = 0; e < to->size && good; e++, at += size) {
        const fsr_ref_element x = element(c, dtype, at);
        good = fsr_ref_data_set(to, e, &x);
    }
    return good;
}

static bool run(call *c, fsr_ref_data **out, fsr_fault *fault) {
    const fsr_callee *callee = &c->rec->called->what;
    fsr_frame_room room;
    c->step.work_bytes = fsr_library_work(&c->step, false);
    c->work = c->step.work_bytes == FSR_SIZE_OVER ? NULL : malloc((size_t)c->step.work_bytes + 1);
    if (!c->work)
        return false;
    if (!callee->cpu) {
        fsr_fault_set(fault, FSR_ERR_UNSUPPORTED, "library call %s has no function for a CPU, which is its meaning",
                      callee->name);
        return false;
    }
    fsr_frame_fill(&room, &c->step, c->array, c->work);
    fsr_code_begin(&callee->kernel, &room.frame);
    if (fsr_shape_size(&c->rec->shape) > 0 && fsr_library_told(&room, &c->step, callee->cpu(&room.frame), fault))
        return false;
    for (int i = 0; i < c->rec->nout; i++)
        if (!store(c, i, out[i]))
            return false;
    return true;
}

bool fsr_ref_caller(const fsr_rec *rec, const fsr_shape *shape, const fsr_ref_view *in, fsr_ref_data **out,
                    fsr_fault *fault) {
    call c = {.rec = rec, .known = true};
    bool good = true;
    c.step = (fsr_library_call){.library = rec->library, .called = rec->called, .nin = rec->nargs, .nout = rec->nout};
    for (int i = 0; i < rec->nargs && good; i++)
        good = load(&c, i, &shape[i], &in[i]);
    for (int i = 0; i < rec->nout && good; i++) {
        c.step.array[rec->nargs + i] = (fsr_library_array){rec->dtype[i], true, rec->shape};
        c.array[rec->nargs + i] = calloc(1, (size_t)fsr_shape_bytes(&rec->shape, rec->dtype[i]) + 1);
        out[i] = fsr_ref_data_new(rec->dtype[i], fsr_shape_size(&rec->shape), true);
        good = c.array[rec->nargs + i] && out[i];
    }
    good = good && run(&c, out, fault);
    for (int i = 0; i < FSR_LIBRARY_ARRAYS; i++)
        free(c.array[i]);
    free(c.work);
    return good;
}

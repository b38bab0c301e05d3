/* SPDX-License-Identifier: MIT */
/* How a CPU's loops take every other element of an array without those between them.
 *
 * A compiler makes vectors of all elements and drops those between. It does not know whether there is one behind the
 * last that is taken, so each loop ends with elements one by one, as many as a vector has, with all the functions of
 * them. Where the elements between are taken as well, the two are told as neighbours (lower_finish.c) and there is no
 * such end. Others take their element out of a word of two, where the other one is known to be in the array and a loop
 * has few turns.
 *
 * Counter-example to leaving it to the compiler: sines of every other element of rows of 16 were no vector code, 31 ms
 * for 6 (AVX-512).
 * Counter-example to words in any loop: shifts and permutations of halves take longer than those of two vectors, by 4 %
 * of a picture of 1280 elements a row (camera_pipe, AVX2). */
#include "fusion/schedule_parts.h"
#include "fusion/walk.h"

enum { MANY_TURNS = 1024 };

/* The stage of each load; those of rows have one. */
static void stages_of(const fsr_kernel *k, int *stage) {
    for (int i = 0; i < k->ninsts; ++i)
        stage[i] = 0;
    for (int pass = 0; pass < k->npasses || pass == 0; ++pass) {
        fsr_body body;
        int own[FSR_MAX_INSTS];
        fsr_body_of(k, pass, &body);
        fsr_body_stages(k, &body, &k->schedule.walk[pass], own, NULL);
        for (int i = 0; i < body.n; ++i)
            stage[body.inst[i]] = own[body.inst[i]];
    }
}

/* The loads are of neighbours, and are told as such. */
static bool are_pair(const fsr_kernel *k, int a, int b) {
    const fsr_access *x = &k->access[k->inst[a].index], *y = &k->access[k->inst[b].index];
    fsr_index_form one = k->form[x->form], other = k->form[y->form];
    if (x->buffer != y->buffer || one.behind == other.behind || k->inst[a].guard != k->inst[b].guard)
        return false;
    one.behind = other.behind = 0;
    return fsr_index_form_equal(&one, &other);
}

/* The same loop takes the neighbour too, as one. */
static bool has_pair(const fsr_kernel *k, const int *stage, int number) {
    for (int i = 0; i < k->ninsts; ++i)
        if (k->inst[i].kind == FSR_INST_LOAD && stage[i] == stage[number] &&
            k->stand[i].level == k->stand[number].level && k->stand[i].pass == k->stand[number].pass &&
            are_pair(k, i, number))
            return true;
    return false;
}

/* Turns of the innermost loop that a load stands in. */
static int64_t turns_of(const fsr_kernel *k, int number) {
    const fsr_schedule *s = &k->schedule;
    const int d = fsr_kernel_inner(k);
    if (s->kind == FSR_SCHEDULE_COL || s->tile || d < 0)
        return 1;
    const fsr_walk_form form = s->walk[k->stand[number].pass].form;
    return form == FSR_WALK_LANES || form == FSR_WALK_STRIPS ? s->lanes : k->integer[FSR_INT_EXTENT + d];
}

void fsr_finish_twins(fsr_kernel *k) {
    int stage[FSR_MAX_INSTS];
    stages_of(k, stage);
    for (int i = 0; i < k->ninsts; ++i)
        k->stand[i].twinned = fsr_load_may_twin(k, i) && fsr_load_takes_every_other(k, i) &&
                                      turns_of(k, i) < MANY_TURNS && !has_pair(k, stage, i)
                                  ? (uint8_t)k->access[k->inst[i].index].twin
                                  : FSR_TWIN_NONE;
}

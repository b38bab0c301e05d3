/* SPDX-License-Identifier: MIT */
/* What a kernel moves: how much of each array, and in how many of its passes. */
#include "fusion/address.h"
#include "fusion/nest.h"
#include "fusion/plan.h"

/* Bytes of array i that the kernel touches in a pass, at most all of them: as many elements as an access has addresses.
 * Leaves count whole, as they do in the least possible, but where a kernel works for a part of an array. */
static int64_t touched_bytes(const fsr_kernel *k, const int64_t *integer, int array, int64_t whole) {
    int64_t elements = 0, size = (int64_t)fsr_dtype_size(k->array[array].dtype);
    for (int i = 0; i < k->naccesses && elements < whole / size; ++i) {
        const fsr_form f = fsr_form_of_access(k, integer, i);
        if (f.whole && k->access[i].buffer == array)
            return whole;
        elements = fsr_size_add(elements, k->access[i].buffer == array ? fsr_form_count(&f) : 0);
    }
    return elements < whole / size ? fsr_size_mul(elements, size) : whole;
}

/* The nest before the last one that has the array as its own: *own of its arrays. NULL: none has. */
static const fsr_nest *nest_of(const fsr_kernel *k, int array, int *own) {
    for (int i = 0; k->nests && i < k->nests->n; ++i)
        for (*own = 0; *own < k->nests->nest[i].kernel->narrays; ++*own)
            if (k->nests->nest[i].array[*own] == array)
                return &k->nests->nest[i];
    return NULL;
}

int64_t fsr_touched_bytes(const fsr_kernel *k, const int64_t *integer, int array, int64_t whole) {
    int own;
    const fsr_nest *nest = nest_of(k, array, &own);
    return nest ? touched_bytes(nest->kernel, integer + nest->integer, own, whole)
                : touched_bytes(k, integer, array, whole);
}

/* One of these instructions reads or writes array i. */
static bool uses_array(const fsr_kernel *k, const int *list, int n, int array) {
    for (int i = 0; i < n; ++i) {
        const fsr_inst *at = &k->inst[list[i]];
        if ((at->kind == FSR_INST_LOAD || at->kind == FSR_INST_STORE) && k->access[at->index].buffer == array)
            return true;
        for (int a = 0; a < fsr_call_arrays(k, at); ++a)
            if (k->access[fsr_call_array(k, at, a)].buffer == array)
                return true;
        for (int t = 0; at->kind == FSR_INST_ITERATE && t < k->loop[at->index].program->body.ntables; ++t)
            if (k->access[k->loop[at->index].table[t].access].buffer == array)
                return true;
    }
    return false;
}

/* What is read before the passes counts for the first. */
int fsr_array_passes(const fsr_kernel *k, int array) {
    int own;
    if (nest_of(k, array, &own))
        return 1;
    int passes = 0, loop[FSR_MAX_INSTS], rows[FSR_MAX_INSTS], once[FSR_MAX_INSTS], nonce = fsr_kernel_once(k, once);
    for (int pass = 0; pass <= k->npasses; ++pass) {
        int nloop = pass < k->npasses ? fsr_kernel_pass_body(k, pass, loop) : 0, nrows = fsr_kernel_rows(k, pass, rows);
        passes += uses_array(k, loop, nloop, array) || uses_array(k, rows, nrows, array) ||
                  (pass == 0 && uses_array(k, once, nonce, array));
    }
    return passes;
}

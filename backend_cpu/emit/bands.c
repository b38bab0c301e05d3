/* SPDX-License-Identifier: MIT */
/* Several nests in one kernel (fusion/nest.h), in generated C: a function for each, and the exported one, which for
 * each band of the task calls that of every nest for the rows that later ones need, and then the last one's.
 *
 * A nest's function is printed as any map's is. It gets arrays, integers and scalars of its own, and a task with the
 * rows. A banded array lies in the workspace from its first row there on, and its address is moved back by what lies
 * before that row, so both who stores and who loads use the addresses of the whole array. */
#include "backend_cpu/emit/emit_c.h"
#include "backend_cpu/emit/parts.h"
#include "fusion/nest.h"
#include <stdio.h>

const char *fsr_c_nest_name(const fsr_kernel *k, int i, char *out) {
    snprintf(out, FSR_NEST_NAME, "%s_nest%d", k->name, i);
    return out;
}

/* low0 and high0: the nest's rows in which lie the elements that the band [b, end) needs. */
static void put_rows(const fsr_nest *nest, int i, fsr_text *to) {
    const int reach = nest->reach, extent = nest->integer + FSR_INT_EXTENT;
    fsr_text_add(to,
                 "        const i64 from%d = n[%d] * b + n[%d], to%d = n[%d] * (end - 1) + n[%d];\n"
                 "        const i64 past%d = to%d < 0 ? 0 : to%d / span%d + 1;\n"
                 "        const i64 high%d = past%d < n[%d] ? past%d : n[%d];\n"
                 "        const i64 first%d = from%d > 0 ? from%d / span%d : 0;\n"
                 "        const i64 low%d = first%d < high%d ? first%d : high%d;\n",
                 i, reach + FSR_REACH_STEP, reach + FSR_REACH_FIRST, i, reach + FSR_REACH_STEP, reach + FSR_REACH_LAST,
                 i, i, i, i, i, i, extent, i, extent, i, i, i, i, i, i, i, i, i);
}

static void put_call(const fsr_kernel *k, int i, fsr_text *to) {
    const fsr_nest *nest = &k->nests->nest[i];
    const fsr_kernel *own = nest->kernel;
    char name[FSR_NEST_NAME];
    put_rows(nest, i, to);
    for (int b = 0; b < own->narrays; b++)
        if (own->array[b].written)
            fsr_text_add(to, "        own[%d] = (void *)((i64)work + n[%d] - low%d * span%d * %d);\n", nest->array[b],
                         k->nests->place[nest->array[b]], i, i, (int)fsr_dtype_size(own->array[b].dtype));
    fsr_text_add(to, "        void *const x%d[] = {", i);
    for (int b = 0; b < own->narrays; b++)
        fsr_text_add(to, "%sown[%d]", b ? ", " : "", nest->array[b]);
    fsr_text_add(to, "};\n        task[%d] = 0;\n", FSR_TASK_STREAM);
    fsr_text_add(to, "        task[%d] = low%d;\n        task[%d] = high%d;\n", FSR_TASK_LOW, i, FSR_TASK_HIGH, i);
    for (int d = 1; d < own->ndim; d++)
        fsr_text_add(to, "        task[%d] = 0;\n        task[%d] = n[%d];\n", FSR_TASK_LOW + d, FSR_TASK_HIGH + d,
                     nest->integer + FSR_INT_EXTENT + d);
    fsr_text_add(to, "        %s(x%d, n + %d, s + %d, work, task);\n", fsr_c_nest_name(k, i, name), i, nest->integer,
                 nest->scalar);
}

void fsr_c_bands(const fsr_kernel *k, fsr_text *to) {
    const fsr_nests *nests = k->nests;
    char name[FSR_NEST_NAME];
    fsr_text_add(to, "void %s" FSR_C_ARGUMENTS " {\n", k->name);
    fsr_text_add(to, "    void *own[%d];\n    i64 task[%d];\n", k->narrays, FSR_TASK_SIZE);
    fsr_text_add(to, "    __builtin_memcpy(own, a, sizeof own);\n");
    for (int i = 0; i < nests->n; i++) {
        const int rows = nests->nest[i].integer + FSR_INT_ROWS, extent = nests->nest[i].integer + FSR_INT_EXTENT;
        fsr_text_add(to, "    const i64 span%d = n[%d] > n[%d] ? n[%d] / n[%d] : 1;\n", i, rows, extent, rows, extent);
    }
    fsr_text_add(to, "    for (i64 b = t[%d]; b < t[%d]; b += n[%d]) {\n", FSR_TASK_LOW, FSR_TASK_HIGH, nests->band);
    fsr_text_add(to, "        const i64 end = t[%d] - b < n[%d] ? t[%d] : b + n[%d];\n", FSR_TASK_HIGH, nests->band,
                 FSR_TASK_HIGH, nests->band);
    fsr_text_add(to, "        __builtin_memcpy(task, t, sizeof task);\n");
    for (int i = 0; i < nests->n; i++)
        put_call(k, i, to);
    fsr_text_add(to, "        __builtin_memcpy(task, t, sizeof task);\n");
    fsr_text_add(to, "        task[%d] = b;\n        task[%d] = end;\n", FSR_TASK_LOW, FSR_TASK_HIGH);
    fsr_text_add(to, "        %s(own, n, s, work, task);\n    }\n}\n", fsr_c_nest_name(k, nests->n, name));
}

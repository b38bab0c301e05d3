/* SPDX-License-Identifier: MIT */
/* Maps that take elements of other rows of their own column, at computed places, go by panels (schedule.panel): all
 * rows of as many columns as a second cache holds of what is taken, before the next ones.
 *
 * A row of the result may take from any of the table's rows, so that by whole rows each element comes from anywhere in
 * the table. A panel of it is read from memory once, by the first rows, and is near for the others. A panel is no
 * narrower than a few lines beside each other, which is what is read and written of the arrays that go along.
 *
 * take_along_axis along axis 0 of f32, one thread of a Xeon, ms by whole rows and so: 64 by 126,448 34 and 15, 512 by
 * 8,192 25 and 9. Counter-example to more rows: of 1,693 by 960 256 columns are 1.7 MB, which leave a second cache when
 * pieces of other arrays go by, 5 ms for two of them and 8.5 (seed 1519346).
 *
 * Counter-example to a panel wherever something is gathered: a place along the columns themselves may lie in any panel,
 * and a row that is taken whole is read along. A nest has rows of a band alone. */
#include "fusion/address.h"
#include "fusion/nest.h"
#include "fusion/schedule_parts.h"

enum {
    PANEL_BYTES = 512 << 10, /* of what is taken, in a second cache */
    LEAST_COLUMNS = 256,     /* of a panel, */
    MOST_BYTES = 1 << 20,    /* if these are no more, */
    LEAST_TABLE = 1 << 20,   /* bytes from which on a table is worth panels */
    LEAST_TAKEN = 32         /* elements of a column, of which one is taken at least: a line has neighbours of it */
};

double fsr_panel_column(const fsr_kernel *k, int access) {
    const fsr_form f = fsr_form_of_access(k, k->integer, access);
    const int last = k->ndim - 1;
    double rows = 1, taken = 1;
    if (!f.nterms || f.divisor != 1 || f.whole || f.stride[last] != 1 || !(f.moves >> last & 1))
        return 0;
    for (int t = 0; t < f.nterms; ++t) {
        if (f.coefficient[t] < f.extent[last])
            return 0;
        rows *= (double)f.most[t] + 1;
    }
    for (int d = 0; d < last; ++d)
        taken *= f.stride[d] == 0 ? (double)f.extent[d] : 1;
    return rows <= LEAST_TAKEN * taken ? rows * (double)fsr_dtype_size(k->array[k->access[access].buffer].dtype) : 0;
}

int fsr_panel_of(const fsr_kernel *k) {
    const double cols = (double)k->integer[FSR_INT_EXTENT + k->ndim - 1];
    double column = 0, widest = 0;
    int panel = LEAST_COLUMNS;
    for (int i = 0; i < k->ninsts; ++i)
        if (k->inst[i].kind == FSR_INST_LOAD) {
            const double own = fsr_panel_column(k, k->inst[i].index);
            column += own;
            widest = own > widest ? own : widest;
        }
    if (k->nests || fsr_kernel_is_nest(k) || widest * cols < LEAST_TABLE || column * LEAST_COLUMNS > MOST_BYTES)
        return 0;
    while (column * panel * 2 <= PANEL_BYTES)
        panel *= 2;
    return 2.0 * panel <= cols ? panel : 0;
}

/* SPDX-License-Identifier: MIT */
/* Functions with a limit (sine of huge arguments) in generated C. They must not branch in the loop: the columns run in
 * short runs. A run that stores, or puts aside what is folded later, or folds a column of rows, takes all arguments for
 * near ones and asks for others as it goes: if there was one it is done again, with any, from what the rows had folded
 * before. Where that would be no second time but two, of folds in lanes, filters, reports and what a caller wrote, and
 * where a store may write what is still read, the run is asked before: the check evaluates what the arguments need and
 * stores nothing.
 * Counter-example to asking always: a sine of a sine's difference computed both twice, and a loop without a store loses
 * its vector code if a choice takes every other element: a plan took 4.5 times its unfused one for 0.6. */
#include "backend_cpu/emit/emit_c.h"
#include "backend_cpu/emit/parts.h"

void fsr_c_limited(const fsr_c_emit *e, const fsr_body *loop, fsr_body *out) {
    bool need[FSR_MAX_INSTS] = {false};
    *out = (fsr_body){.pass = loop->pass};
    for (int i = loop->n - 1; i >= 0; i--) {
        int argument[FSR_MAX_ARGUMENTS], read = fsr_inst_arguments(e->k, loop->inst[i], argument);
        need[loop->inst[i]] |= fsr_inst_is_limited(&e->k->inst[loop->inst[i]]);
        for (int a = 0; need[loop->inst[i]] && a < read; a++)
            need[argument[a]] = true;
    }
    for (int i = 0; i < loop->n; i++)
        if (need[loop->inst[i]])
            out->inst[out->n++] = loop->inst[i];
}

/* Near arguments first. What rows have folded is kept for the second time. */
static void put_twice(fsr_c_emit *e, const fsr_body *loop, void (*print)(fsr_c_emit *e, const fsr_body *loop)) {
    const int nfolds = e->abreast ? loop->nfolds : 0;
    fsr_c_line(e, "i32 far = 0;");
    fsr_c_fold_keep(e, loop->folds, nfolds);
    e->near = e->asks = true;
    print(e, loop);
    e->near = e->asks = false;
    fsr_c_begin(e, "if (far)");
    fsr_c_fold_return(e, loop->folds, nfolds);
    print(e, loop);
    fsr_c_end(e);
}

void fsr_c_by_range(fsr_c_emit *e, const fsr_body *loop, void (*print)(fsr_c_emit *e, const fsr_body *loop)) {
    fsr_body check;
    if (!e->walk->near || !fsr_body_is_limited(e->k, loop)) {
        print(e, loop);
        return;
    }
    if (fsr_body_may_repeat(e->k, loop, e->walk)) {
        put_twice(e, loop, print);
        return;
    }
    fsr_c_limited(e, loop, &check);
    fsr_c_line(e, "i32 far = 0;");
    e->near = true;
    e->checked = loop;
    print(e, &check);
    e->checked = NULL;
    e->near = false;
    fsr_c_begin(e, "if (far)");
    print(e, loop);
    fsr_c_else(e);
    e->near = true;
    print(e, loop);
    e->near = false;
    fsr_c_end(e);
}

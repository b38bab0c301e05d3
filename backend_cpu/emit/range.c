/* SPDX-License-Identifier: MIT */
/* Functions with a limit (sine of huge arguments) in generated C. They must not branch in the loop: the columns run in
 * short runs, each first asked for arguments beyond the limit. The check evaluates what the arguments need and stores
 * nothing. */
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

void fsr_c_by_range(fsr_c_emit *e, const fsr_body *loop, void (*print)(fsr_c_emit *e, const fsr_body *loop)) {
    fsr_body check;
    if (!e->walk->near || !fsr_body_is_limited(e->k, loop)) {
        print(e, loop);
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

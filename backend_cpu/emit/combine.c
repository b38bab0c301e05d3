/* SPDX-License-Identifier: MIT */
/* Stores that combine, in generated C: what is there and what is stored, by the store's op.
 *
 * The kernel's array belongs to the thread that runs it: the array itself to one thread, to each other one an array of
 * its own, which begins as the op's identity and is folded into the first when all are done. So there is no atomic
 * instruction, which would cost as much as twenty others and wait for memory each time. The kernel has a task for
 * either: IDENTITY fills the array with the identity, MERGE folds another one into it. Which thread takes which
 * elements changes no bit of an integer; where it would change one, of sums and products of floats, each piece of the
 * elements has its array, and sizes alone say how many pieces there are (run/tasks.c).
 *
 * Two elements of a loop may have one place. Counter-example to a loop that the compiler may turn into vector code, as
 * it may that of every other store: of eight elements with one place one would be counted. Where whole rows go to
 * computed places, a row's elements lie one beside the other, and its loop is vector code (map.c); so is one in which
 * each column has its place. */
#include "backend_cpu/emit/emit_c.h"
#include "backend_cpu/emit/parts.h"

/* "{ const u32 o = x2[at]; x2[at] = o + v3; }" */
static void put_into(fsr_c_emit *e, const fsr_inst *inst, const char *where, const char *address, const char *value) {
    const int buffer = e->k->access[inst->index].buffer;
    fsr_text text = {0};
    fsr_c_op(e, &text, inst->op, inst->dtype, inst->dtype, (const char *const[]){"o", value, ""});
    fsr_c_line(e, "%s{ const %s o = x%d[%s]; x%d[%s] = %s; }", where, fsr_c_type(inst->dtype), buffer, address, buffer,
               address, text.data ? text.data : "");
    e->body.failed |= text.failed;
    fsr_text_free(&text);
}

void fsr_c_combined(fsr_c_emit *e, int number, const char *where, const char *address) {
    const fsr_inst *inst = &e->k->inst[number];
    char value[FSR_EMIT_NAME];
    if (e->along || fsr_inst_adds_rows(e->k, number)) {
        put_into(e, inst, "", address, fsr_c_value_name(e, inst->arg[0], value));
        return;
    }
    fsr_c_scalar_mark(e);
    put_into(e, inst, where, address, fsr_c_value_name(e, inst->arg[0], value));
}

void fsr_c_combine_tasks(fsr_c_emit *e) {
    const int number = fsr_kernel_combining(e->k);
    char n[FSR_EMIT_NAME];
    fsr_text identity = {0};
    if (number < 0)
        return;
    const fsr_inst *inst = &e->k->inst[number];
    const int buffer = e->k->access[inst->index].buffer;
    fsr_c_literal(&identity, inst->dtype, fsr_op_neutral(inst->op, inst->dtype));
    fsr_c_begin(e, "if (t[%d] == %d)", FSR_TASK_MODE, FSR_MODE_IDENTITY);
    fsr_c_line(e, "for (i64 i = 0; i < %s; ++i) x%d[i] = %s;", fsr_c_integer(e, inst->extent, n), buffer,
               identity.data ? identity.data : "");
    fsr_c_line(e, "return;");
    fsr_c_end(e);
    fsr_c_begin(e, "if (t[%d] == %d)", FSR_TASK_MODE, FSR_MODE_MERGE);
    fsr_c_line(e, "const %s *restrict y = (const %s *)t[%d];", fsr_c_type(inst->dtype), fsr_c_type(inst->dtype),
               FSR_TASK_STATES);
    fsr_c_begin(e, "for (i64 i = 0; i < %s; ++i)", n);
    put_into(e, inst, "", "i", "y[i]");
    fsr_c_end(e);
    fsr_c_line(e, "return;");
    fsr_c_end(e);
    e->body.failed |= identity.failed;
    fsr_text_free(&identity);
}

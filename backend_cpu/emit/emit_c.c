/* SPDX-License-Identifier: MIT */
/* The C emitter's frame: the function, its arguments, and what it begins with; the loops over rows are rows.c's.
 *
 * Kept values live in `work`: kept instruction number j at byte j * round_up(cols * 8, 64), by column (a c128 counts
 * twice). That is room
 * for one row, so a COL kernel that keeps values has blocks of one row. */
#include "backend_cpu/emit/emit_c.h"
#include "backend_cpu/emit/call.h"
#include "backend_cpu/emit/parts.h"
#include "fusion/filter.h"
#include "fusion/nest.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the function ------------------------------------------------------------------------------- */

/* s[3].f32 */
static void put_scalar(fsr_c_emit *e, const char *name, int number, int slot) {
    const fsr_dtype dtype = e->k->scalar[slot];
    fsr_c_line(e, "const %s %s%d = %ss[%d].%s%s;", fsr_c_type(dtype), name, number, fsr_c_load(e, dtype), slot,
               dtype == FSR_BOOL ? "b" : fsr_dtype_name(dtype), fsr_c_close(dtype));
}

/* The scalars that the bodies of operators and loops take: p0, p3. */
static void put_same(fsr_c_emit *e) {
    bool used[FSR_MAX_SCALARS] = {false};
    for (int f = 0; f < e->k->nfolds; f++)
        for (int i = 0; i < fsr_combine_same(e->k->fold[f].combine); i++)
            used[e->k->fold[f].same[i]] = true;
    for (int l = 0; l < e->k->nloops; l++)
        for (int i = 0; i < fsr_iteration_same(e->k->loop[l].program); i++)
            used[e->k->loop[l].same[i]] = true;
    for (int s = 0; s < e->k->nscalars; s++)
        if (used[s])
            put_scalar(e, "p", s, s);
}

static void put_invariants(fsr_c_emit *e) {
    put_same(e);
    for (int i = 0; i < e->k->ninsts; i++) {
        const fsr_inst *inst = &e->k->inst[i];
        const char *type = fsr_c_type(inst->dtype);
        fsr_text t = {0};
        if (inst->kind == FSR_INST_CONST) {
            fsr_c_literal(&t, inst->dtype, inst->value);
            fsr_c_line(e, "const %s v%d = %s;", type, i, t.data ? t.data : "");
        } else if (inst->kind == FSR_INST_PARAM) {
            put_scalar(e, "v", i, inst->index);
        }
        e->body.failed |= t.failed;
        fsr_text_free(&t);
    }
}

/* Each value that is kept has a row of words of 8 bytes, as many as there are columns, rounded up to eights: so far
 * reach those that are asked side by side. */
static void put_scratch(fsr_c_emit *e) {
    char cols[FSR_EMIT_NAME];
    int words = 0;
    for (int i = 0; i < e->k->ninsts && e->k->schedule.kind != FSR_SCHEDULE_MAP; i++) {
        const fsr_inst *inst = &e->k->inst[i];
        const char *type = e->k->stand[i].staged ? fsr_c_storage(inst->dtype) : fsr_c_type(inst->dtype);
        if (!e->k->stand[i].keep && !e->k->stand[i].staged)
            continue;
        if (words == 0)
            fsr_c_line(e, "const i64 scratch = (%s * 8 + 63) / 64 * 64;", fsr_c_integer(e, FSR_INT_COLS, cols));
        fsr_c_line(e, "%s *restrict %s%d = (%s *)((char *)work + %d * scratch);", type,
                   e->k->stand[i].staged ? "panel" : "w", i, type, words);
        words += fsr_inst_work_words(e->k, i);
    }
}

/* Rows behind the count of the elements that are there are none. */
static void begin_live(fsr_c_emit *e) {
    fsr_c_line(e, "const i64 end0 = hi0 < v%d ? hi0 : v%d;", e->k->live - 1, e->k->live - 1);
    fsr_c_begin(e, "%s", "");
    fsr_c_line(e, "const i64 hi0 = lo0 < end0 ? end0 : lo0;");
}

static void put_walk(fsr_c_emit *e) {
    fsr_c_combine_tasks(e);
    fsr_c_reports(e, false);
    put_invariants(e);
    fsr_c_once(e);
    const bool ends = e->k->live && !e->k->npasses;
    if (ends)
        begin_live(e);
    put_scratch(e);
    fsr_c_rows(e);
    if (ends)
        fsr_c_end(e);
    fsr_c_reports(e, true);
}

/* The integer is what the text knows of rows: the last extent, and the columns, where all are of that one. */
static bool is_width(const fsr_c_emit *e, int integer) {
    const fsr_kernel *k = e->k;
    return e->s->width &&
           (integer == FSR_INT_EXTENT + k->ndim - 1 || (integer == FSR_INT_COLS && e->s->kind != FSR_SCHEDULE_MAP));
}

static void put_arguments(const fsr_c_emit *e, fsr_text *to) {
    const fsr_kernel *k = e->k;
    char name[FSR_EMIT_NAME];
    fsr_c_emit scratch_names = {.k = k};
    for (int b = 0; b < k->narrays; b++)
        fsr_text_add(to, "    %s%s *%sx%d = a[%d];\n", k->array[b].written ? "" : "const ",
                     fsr_c_storage(k->array[b].dtype), k->array[b].aliased ? "" : "restrict ", b, b);
    for (int i = 0; i < k->nints; i++)
        if (e->named[i] && is_width(e, i))
            fsr_text_add(to, "    const i64 %s = %d;\n", fsr_c_integer(&scratch_names, i, name), e->s->width);
        else if (e->named[i])
            fsr_text_add(to, "    const i64 %s = n[%d];\n", fsr_c_integer(&scratch_names, i, name), i);
    fsr_c_quotient_head(e, to);
    fsr_c_hidden_strides(e, to);
    if (e->s->part)
        fsr_text_add(to, "    const i64 mode = t[%d], begin = mode ? t[%d] : 0, end = mode ? t[%d] : cols;\n",
                     FSR_TASK_MODE, FSR_TASK_BEGIN, FSR_TASK_END);
    if (e->s->streams)
        fsr_text_add(to, "    const i64 stream = FSR_STREAMS && t[%d];\n", FSR_TASK_STREAM);
    for (int d = 0; d < k->nparallel || d == 0; d++)
        if (e->s->width && d == k->ndim - 1 && d < k->nparallel)
            fsr_text_add(to, "    const i64 lo%d = 0, hi%d = %d;\n", d, d, e->s->width);
        else
            fsr_text_add(to, "    const i64 lo%d = t[%d], hi%d = t[%d];\n", d, FSR_TASK_LOW + d, d, FSR_TASK_HIGH + d);
}

/* The comment, kept from ending its own brackets. */
static void put_head(const fsr_c_emit *e, fsr_text *to) {
    const fsr_kernel *k = e->k;
    fsr_text_add(to, "/* %s: ", k->name);
    for (const char *p = k->comment; *p; p++)
        fsr_text_raw(to, p[0] == '*' && p[1] == '/' ? "+" : p[0] == '\n' ? " " : p, 1);
    fsr_text_add(to, "\n * domain [");
    for (int d = 0; d < k->ndim; d++)
        fsr_text_add(to, "%s%sd%d", d ? ", " : "", d < k->nparallel ? "" : "fold ", d);
    fsr_text_add(to, "], schedule %s", fsr_schedule_name(k->schedule.kind));
    if (k->npasses)
        fsr_text_add(to, ", %d pass%s, lanes %d, chunk %d", k->npasses, k->npasses > 1 ? "es" : "", e->s->lanes,
                     e->s->chunk);
    if (e->abreast)
        fsr_text_add(to, ", abreast %d", e->s->abreast);
    fsr_text_add(to, " */\n");
}

static void prepare(fsr_c_emit *e, const fsr_kernel *k) {
    char name[FSR_EMIT_NAME];
    e->k = k;
    e->s = &k->schedule;
    e->walk = &k->schedule.walk[0];
    e->depth = 1;
    e->loop_dim = e->tile_row = -1;
    e->linear = e->row = e->column = "";
    e->abreast = k->schedule.kind == FSR_SCHEDULE_COL;
    snprintf(e->streams, sizeof e->streams, "%s", k->npasses ? "lined" : "stream");
    fsr_c_share_plan(e);
    fsr_kernel_counted(k, e->counted);
    e->packs = fsr_kernel_packs(k);
    for (int f = 0; f < k->nfolds; f++)
        e->rides[f] = e->packs ? fsr_fold_rides(k, f) : -1;
    e->uses_row = k->schedule.part > 0;
    for (int a = 0; a < k->naccesses; a++) {
        e->uses_row |= k->access[a].linear || k->access[a].row_linear;
        if (fsr_access_form(k, a)->offset >= 0)
            snprintf(e->base[a], FSR_EMIT_NAME, "%s", fsr_c_integer(e, fsr_access_form(k, a)->offset, name));
    }
}

static void share_combining(const fsr_kernel *k, fsr_cpu_shape *out) {
    const int number = fsr_kernel_combining(k);
    out->combined = -1;
    if (number < 0)
        return;
    out->combined = k->access[k->inst[number].index].buffer;
    out->extent = k->inst[number].extent;
    out->bytes = (int)fsr_dtype_size(k->inst[number].dtype);
    out->rounds = fsr_op_combine_rounds(k->inst[number].op, k->inst[number].dtype);
}

bool fsr_cpu_shape_of(const fsr_kernel *k, fsr_cpu_shape *out) {
    fsr_c_emit *e = calloc(1, sizeof *e);
    *out = (fsr_cpu_shape){.ndim = k->ndim, .nparallel = k->nparallel, .abreast = 1};
    if (!e)
        return false;
    prepare(e, k);
    out->flat = k->schedule.flat;
    out->width = k->schedule.kind == FSR_SCHEDULE_MAP ? k->schedule.width : 0;
    out->panel = k->schedule.panel;
    out->columns = k->schedule.part > 0;
    out->part = k->schedule.part;
    for (int b = 0; b < k->narrays; b++)
        out->stream_bytes += k->schedule.streams >> b & 1 ? (int)fsr_dtype_size(k->array[b].dtype) : 0;
    out->words = e->words;
    out->abreast = e->abreast ? k->schedule.abreast : 1;
    out->tall = k->schedule.tall;
    out->across = k->schedule.across;
    out->scans = fsr_kernel_has_scan(k);
    out->packed = fsr_c_apart_bytes(e);
    out->counts = e->packs;
    for (int f = 0; f < k->nfolds; f++)
        out->counts = out->counts && (fsr_c_is_scan(e, f) || e->rides[f] >= 0);
    for (int i = 0; i < k->ninsts; i++)
        out->kept += fsr_inst_work_words(k, i);
    out->work = k->schedule.work;
    out->band = k->nests ? k->nests->band : 0;
    out->band_bytes = k->nests ? k->nests->bytes : 0;
    for (int i = 0; k->nests && i < k->nests->n; i++)
        out->work += k->nests->nest[i].kernel->schedule.work;
    share_combining(k, out);
    fsr_text_free(&e->body);
    free(e);
    return true;
}

/* Elementary functions have to be part of the loops that call them: a call is no vector code. Compilers leave large
 * ones outside where they are called more than once. */
static const char *attributes(const fsr_c_emit *e) {
    bool math[FSR_C_MATH_MAX];
    fsr_c_math_used(e, math);
    for (int i = 0; i < FSR_C_MATH_MAX; i++)
        if (math[i])
            return "__attribute__((flatten)) ";
    return "";
}

/* The function of what was printed. */
static void put_function(const fsr_c_emit *e, const char *kind, const char *name, fsr_text *to) {
    fsr_text_add(to, "%s%s%svoid %s" FSR_C_ARGUMENTS " {\n", kind, e->s->halved ? "FSR_HALVED " : "", attributes(e),
                 name);
    put_arguments(e, to);
    if (e->body.size)
        fsr_text_raw(to, e->body.data, e->body.size);
    fsr_text_add(to, "}\n");
    to->failed |= e->body.failed;
}

/* Forgets all of a nest but what the prelude and the functions before the kernel's have of it. */
static bool restart(fsr_c_emit *e) {
    fsr_c_emit *fresh = calloc(1, sizeof *fresh);
    fsr_text_free(&e->body);
    if (!fresh)
        return false;
    fresh->folds = e->folds;
    fresh->quotients = e->quotients;
    fresh->loads_nothing = e->loads_nothing;
    fresh->widens_choices = e->widens_choices;
    memcpy(fresh->chooses, e->chooses, sizeof e->chooses);
    memcpy(fresh->fitting, e->fitting, sizeof e->fitting);
    fresh->nlibm = e->nlibm;
    fresh->complex_math = e->complex_math;
    memcpy(fresh->turns, e->turns, sizeof e->turns);
    memcpy(fresh->narrow_modes, e->narrow_modes, sizeof e->narrow_modes);
    memcpy(fresh->modes, e->modes, sizeof e->modes);
    memcpy(fresh->cast, e->cast, sizeof e->cast);
    memcpy(fresh->half, e->half, sizeof e->half);
    memcpy(fresh->twin, e->twin, sizeof e->twin);
    memcpy(fresh->libm, e->libm, sizeof e->libm);
    memcpy(fresh->math, e->math, sizeof e->math);
    *e = *fresh;
    free(fresh);
    return true;
}

/* The functions of the nests before the last one, among those before the kernel's. */
static bool put_nests(fsr_c_emit *e, const fsr_kernel *k) {
    char name[FSR_NEST_NAME];
    bool room = true;
    for (int i = 0; k->nests && i < k->nests->n && room; i++) {
        prepare(e, k->nests->nest[i].kernel);
        put_walk(e);
        put_function(e, "static ", fsr_c_nest_name(k, i, name), &e->folds);
        room = restart(e);
    }
    return room;
}

/* gcc 12 takes two floats side by side that are narrowed and widened again for what they were, where it makes vectors
 * of neighbouring statements: of a complex number beyond what f32 has, as c64 and as c128 again, it stored the number
 * itself, not the infinity. Loops are vector code all the same. */
static void put_care(const fsr_c_emit *e, fsr_text *to) {
    if (e->cast[FSR_F64][FSR_F32] && e->cast[FSR_F32][FSR_F64])
        fsr_text_add(to, "#pragma GCC optimize(\"no-tree-slp-vectorize\")\n");
}

/* What a function of shorter vectors is marked with; clang has no word for it. */
static void put_halved(const fsr_kernel *k, fsr_text *to) {
    bool any = k->schedule.halved;
    for (int i = 0; k->nests && i < k->nests->n; i++)
        any = any || k->nests->nest[i].kernel->schedule.halved;
    if (any)
        fsr_text_add(to, "#if defined __AVX512VL__ && !defined __clang__\n"
                         "#define FSR_HALVED __attribute__((target(\"prefer-vector-width=256\")))\n"
                         "#else\n"
                         "#define FSR_HALVED\n"
                         "#endif\n\n");
}

static char *assemble(fsr_c_emit *e) {
    const fsr_kernel *k = e->k;
    char name[FSR_NEST_NAME];
    fsr_text t = {0};
    put_head(e, &t);
    put_care(e, &t);
    put_halved(k, &t);
    fsr_c_prelude(e, &t);
    fsr_c_stream_prelude(e, &t);
    fsr_c_squares_prelude(e, &t);
    fsr_c_widen_prelude(e, &t);
    fsr_c_pack_prelude(e, &t);
    fsr_c_declare(&t, (const fsr_routine *const *)k->routine, k->nroutines);
    if (e->folds.size)
        fsr_text_raw(&t, e->folds.data, e->folds.size);
    put_function(e, k->nests ? "static " : "", k->nests ? fsr_c_nest_name(k, k->nests->n, name) : k->name, &t);
    if (k->nests)
        fsr_c_bands(k, &t);
    fsr_c_define(&t, (const fsr_routine *const *)k->routine, k->nroutines);
    t.failed |= e->folds.failed;
    return fsr_text_take(&t);
}

fsr_status fsr_cpu_source(const fsr_kernel *k, char **source, fsr_fault *fault) {
    *source = NULL;
    if (k->schedule.target != FSR_TARGET_CPU)
        return fsr_fault_set(fault, FSR_ERR_INTERNAL, "emit C: kernel %s is scheduled for no CPU", k->name);
    fsr_c_emit *e = calloc(1, sizeof *e);
    if (!e)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "emit C: out of memory");
    if (put_nests(e, k)) {
        prepare(e, k);
        fsr_c_operators(e);
        fsr_c_loops(e);
        put_walk(e);
        if (e->s->streams)
            fsr_c_line(e, "if (stream) fsr_stream_end();");
        *source = assemble(e);
    }
    fsr_text_free(&e->folds);
    fsr_text_free(&e->body);
    free(e);
    return *source
               ? FSR_OK
               : fsr_fault_set(fault, FSR_ERR_MEMORY, "emit C: kernel %s: out of memory, or a text too long", k->name);
}

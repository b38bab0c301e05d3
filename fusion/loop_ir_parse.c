/* SPDX-License-Identifier: MIT */
/* The loop IR's text, read back; its form is what loop_ir_print.c writes.
 *
 * Lines go into the kernel as they come, each number checked against what came before it, so nothing is looked up that
 * is not there; the verifier then sees the whole. Counter-example to verifying alone: it asks an instruction's
 * arguments of the fold or loop that the instruction names, and must find one. */
#include "fusion/loop_ir_parse.h"
#include "fusion/loop_ir_parse_parts.h"
#include "fusion/nest.h"
#include "fusion/repeat.h"
#include <stdlib.h>
#include <string.h>

/* The kernel's nests, none at first. NULL: out of memory. */
static fsr_nests *nests_of(fsr_kernel_reader *r) {
    if (!r->k->nests)
        r->k->nests = fsr_nests_new();
    if (!r->k->nests)
        fsr_lex_fail(&r->lex, FSR_ERR_MEMORY, "out of memory");
    return r->k->nests;
}

/* "band i4 of i5" */
static void read_band(fsr_kernel_reader *r) {
    fsr_nests *nests = nests_of(r);
    const int band = fsr_lex_mark(&r->lex, "i", FSR_MAX_INTS);
    fsr_lex_expect(&r->lex, "of");
    const int bytes = fsr_lex_mark(&r->lex, "i", FSR_MAX_INTS);
    if (nests) {
        nests->band = band;
        nests->bytes = bytes;
    }
}

/* "pitch i4", "pitch i4 lines i5" */
static void read_pitch(fsr_kernel_reader *r) {
    fsr_nests *nests = nests_of(r);
    const int pitch = fsr_lex_mark(&r->lex, "i", FSR_MAX_INTS);
    const int lines = fsr_lex_try(&r->lex, "lines") ? fsr_lex_mark(&r->lex, "i", FSR_MAX_INTS) : 0;
    if (nests) {
        nests->band = pitch;
        nests->bytes = lines;
    }
}

static void read_repeat(fsr_kernel_reader *r) {
    const int times = fsr_lex_mark(&r->lex, "i", FSR_MAX_INTS);
    if (!r->k->repeat && !(r->k->repeat = calloc(1, sizeof *r->k->repeat))) {
        fsr_lex_fail(&r->lex, FSR_ERR_MEMORY, "out of memory");
        return;
    }
    r->k->repeat->times = times;
    if (fsr_lex_try(&r->lex, "number"))
        r->k->repeat->number = 1 + fsr_lex_mark(&r->lex, "s", FSR_MAX_SCALARS);
}

/* How the array goes on, in a kernel that is repeated. */
static void read_moves(fsr_kernel_reader *r, fsr_moves *m) {
    fsr_lex *l = &r->lex;
    if (fsr_lex_try(l, "from")) {
        m->first = fsr_lex_mark(l, "i", FSR_MAX_INTS);
        fsr_lex_expect(l, "by");
        m->step = fsr_lex_mark(l, "i", FSR_MAX_INTS);
    }
    if (fsr_lex_try(l, "follows"))
        m->follows = 1 + fsr_lex_mark(l, "b", FSR_MAX_BUFFERS);
    if (fsr_lex_try(l, "spare"))
        m->spare = 1 + fsr_lex_mark(l, "b", FSR_MAX_BUFFERS);
}

static void read_domain(fsr_kernel_reader *r) {
    fsr_lex *l = &r->lex;
    fsr_kernel *k = r->k;
    int64_t passes, ints;
    fsr_lex_expect(l, "[");
    while (!l->status && !fsr_lex_try(l, "]")) {
        if (k->ndim)
            fsr_lex_expect(l, ",");
        const bool folded = fsr_lex_try(l, "fold");
        if (k->ndim == FSR_MAX_DIMS || fsr_lex_mark(l, "d", FSR_MAX_DIMS) != k->ndim)
            fsr_lex_fail(l, FSR_ERR_FORMAT, "dimensions count up from d0 to at most d%d", FSR_MAX_DIMS - 1);
        else if (!folded && k->nparallel < k->ndim)
            fsr_lex_fail(l, FSR_ERR_FORMAT, "a parallel dimension behind a folded one");
        k->nparallel += !folded;
        k->ndim++;
    }
    fsr_lex_expect(l, "passes");
    fsr_lex_int(l, 0, FSR_MAX_PASSES, &passes);
    fsr_lex_expect(l, "ints");
    fsr_lex_int(l, 0, FSR_MAX_INTS, &ints);
    k->npasses = (int)passes;
    k->nints = (int)ints;
    if (fsr_lex_try(l, "live"))
        k->live = 1 + fsr_lex_mark(l, "v", FSR_MAX_INSTS);
    k->backward = k->live && fsr_lex_try(l, "backward");
    if (fsr_lex_try(l, "band"))
        read_band(r);
    else if (fsr_lex_try(l, "pitch"))
        read_pitch(r);
    if (fsr_lex_try(l, "repeat"))
        read_repeat(r);
}

/* "b0", the next of n of at most `limit`. */
static bool next(fsr_kernel_reader *r, const char *letter, int n, int limit) {
    if (n == limit)
        return fsr_lex_fail(&r->lex, FSR_ERR_FORMAT, "more than %d of these", limit);
    return fsr_lex_mark(&r->lex, letter, limit) == n ||
           fsr_lex_fail(&r->lex, FSR_ERR_FORMAT, "they count up from %s0", letter);
}

static void read_array(fsr_kernel_reader *r) {
    if (!next(r, "b", r->k->narrays, FSR_MAX_BUFFERS))
        return;
    fsr_array *array = &r->k->array[r->k->narrays++];
    *array = (fsr_array){0};
    fsr_lex_dtype(&r->lex, &array->dtype);
    array->written = fsr_lex_try(&r->lex, "written");
    array->aliased = fsr_lex_try(&r->lex, "aliased");
    array->banded = fsr_lex_try(&r->lex, "banded");
    if (fsr_lex_try(&r->lex, "at")) {
        const int place = fsr_lex_mark(&r->lex, "i", FSR_MAX_INTS);
        fsr_nests *nests = nests_of(r);
        if (nests)
            nests->place[r->k->narrays - 1] = place;
    }
    if (r->k->repeat)
        read_moves(r, &r->k->repeat->array[r->k->narrays - 1]);
}

static void read_scalar(fsr_kernel_reader *r) {
    if (next(r, "s", r->k->nscalars, FSR_MAX_SCALARS))
        fsr_lex_dtype(&r->lex, &r->k->scalar[r->k->nscalars++]);
}

static void read_routine(fsr_kernel_reader *r) {
    fsr_dtype result;
    if (!next(r, "u", r->k->nroutines, FSR_MAX_ROUTINES))
        return;
    fsr_lex_dtype(&r->lex, &result);
    if (fsr_lex_routine(&r->lex, result, &r->k->routine[r->k->nroutines]))
        r->k->nroutines++;
}

static void read_line(fsr_kernel_reader *r) {
    static const struct {
        const char *word;
        void (*read)(fsr_kernel_reader *r);
    } line[] = {{"domain", read_domain},      {"array", read_array},           {"scalar", read_scalar},
                {"routine", read_routine},    {"schedule", fsr_read_schedule}, {"walk", fsr_read_walk},
                {"fold", fsr_read_fold},      {"loop", fsr_read_loop},         {"guard", fsr_read_guard},
                {"version", fsr_read_version}};
    for (size_t i = 0; i < sizeof line / sizeof *line; i++)
        if (fsr_lex_try(&r->lex, line[i].word)) {
            line[i].read(r);
            fsr_lex_end(&r->lex);
            return;
        }
    if (fsr_lex_expect(&r->lex, "p"))
        fsr_read_inst(r);
    fsr_lex_end(&r->lex);
}

/* "NAME: COMMENT" up to the line's end. */
static void read_title(fsr_kernel_reader *r) {
    fsr_lex *l = &r->lex;
    char name[FSR_WORD_BYTES];
    fsr_lex_word(l, name);
    fsr_lex_expect(l, ":");
    if (l->status)
        return;
    size_t size = strcspn(l->at, "\n"), skip = size > 0 && *l->at == ' ';
    if (!fsr_kernel_say(r->k, l->at + skip, size - skip)) {
        fsr_lex_fail(l, FSR_ERR_MEMORY, "out of memory");
        return;
    }
    memcpy(r->k->name, name, strlen(name) + 1);
    l->at += size;
}

/* "ints i20 scalars s1 reach i34 arrays b0, b2". Returns how many arrays there are. */
static int read_arguments(fsr_kernel_reader *r, fsr_nest *nest) {
    fsr_lex *l = &r->lex;
    fsr_lex_expect(l, "ints");
    nest->integer = fsr_lex_mark(l, "i", FSR_MAX_INTS);
    fsr_lex_expect(l, "scalars");
    nest->scalar = fsr_lex_mark(l, "s", FSR_MAX_SCALARS + 1);
    fsr_lex_expect(l, "reach");
    nest->reach = fsr_lex_mark(l, "i", FSR_MAX_INTS);
    fsr_lex_expect(l, "arrays");
    int n = 0;
    do
        nest->array[n++] = fsr_lex_mark(l, "b", FSR_MAX_BUFFERS);
    while (n < FSR_MAX_BUFFERS && fsr_lex_try(l, ","));
    fsr_lex_end(l);
    return n;
}

/* One more nest, whose kernel is the reader's from now on. NULL: the reader has failed. */
static fsr_nest *add_nest(fsr_kernel_reader *r) {
    fsr_nests *nests = nests_of(r);
    if (nests && nests->n == FSR_MAX_NESTS)
        fsr_lex_fail(&r->lex, FSR_ERR_FORMAT, "more than %d nests", FSR_MAX_NESTS);
    if (!nests || nests->n == FSR_MAX_NESTS)
        return NULL;
    fsr_nest *nest = &nests->nest[nests->n];
    if (!(nest->kernel = fsr_kernel_new())) {
        fsr_lex_fail(&r->lex, FSR_ERR_MEMORY, "out of memory");
        return NULL;
    }
    nests->n++;
    r->k = nest->kernel;
    return nest;
}

/* The lines of a nest, behind the word, up to its end. */
static void read_nest(fsr_kernel_reader *r) {
    fsr_lex *l = &r->lex;
    fsr_kernel *whole = r->k;
    fsr_nest *nest = add_nest(r);
    if (!nest)
        return;
    const int arrays = read_arguments(r, nest);
    if (fsr_lex_line(l) && fsr_lex_expect(l, "title"))
        read_title(r);
    bool ends = false;
    while (!l->status && !ends && fsr_lex_line(l)) {
        ends = fsr_lex_try(l, "end");
        if (ends)
            fsr_lex_end(l);
        else
            read_line(r);
    }
    if (!ends)
        fsr_lex_fail(l, FSR_ERR_FORMAT, "a nest without an end");
    else if (arrays != r->k->narrays)
        fsr_lex_fail(l, FSR_ERR_FORMAT, "a nest of %d arrays takes %d", r->k->narrays, arrays);
    r->k = whole;
}

static void read_kernel(fsr_kernel_reader *r) {
    fsr_lex *l = &r->lex;
    if (!fsr_lex_line(l) || !fsr_lex_try(l, "kernel")) {
        fsr_lex_fail(l, FSR_ERR_FORMAT, "expected kernel");
        return;
    }
    read_title(r);
    while (!l->status && fsr_lex_line(l) && strncmp(l->at, "kernel ", 7) != 0)
        if (fsr_lex_try(l, "nest"))
            read_nest(r);
        else
            read_line(r);
    if (l->status)
        return;
    char why[sizeof((fsr_parse_error *)0)->message] = "";
    if (fsr_kernel_verify(r->k, why, sizeof why))
        fsr_lex_fail(l, FSR_ERR_FORMAT, "%s", why);
}

fsr_status fsr_kernel_parse(const char *text, fsr_kernel **out, const char **rest, fsr_parse_error *error) {
    if (!out)
        return FSR_ERR_NULL;
    *out = NULL;
    if (!text)
        return FSR_ERR_NULL;
    fsr_kernel_reader r = {{text, text, 1, FSR_OK, error}, fsr_kernel_new()};
    if (!r.k)
        return FSR_ERR_MEMORY;
    read_kernel(&r);
    if (rest)
        *rest = r.lex.at;
    if (r.lex.status)
        fsr_kernel_free(r.k);
    else
        *out = r.k;
    return r.lex.status;
}

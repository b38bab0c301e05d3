/* SPDX-License-Identifier: MIT */
/* Making, comparing and evaluating routines.
 *
 * The digest is FNV-1a of every string and dtype that says what is computed, each with its end, so that moving a byte
 * from one text to the next is another function. It names, it does not decide: fsr_routine_equal compares the
 * texts. */
#include "graph/routine.h"
#include "graph/ops.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 65536 };

#define DEFAULT_ULP 4

static const char blanks[] = " \t\n";
static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

static fsr_status wrong(char *why, size_t size, fsr_status status, const char *what) {
    snprintf(why, size, "%s", what);
    return status;
}

/* ---- parameters ------------------------------------------------------------------------------------------ */

static bool take_dtype(const char **at, fsr_dtype *dtype) {
    size_t size = strspn(*at, word);
    for (int i = 0; i < FSR_DTYPE_COUNT; i++) {
        const char *name = fsr_dtype_name((fsr_dtype)i);
        if (strlen(name) != size || strncmp(name, *at, size))
            continue;
        *dtype = (fsr_dtype)i;
        *at += size;
        return true;
    }
    return false;
}

static bool take_name(const char **at, char *name) {
    size_t size = strspn(*at, word);
    if (!size || size >= FSR_ROUTINE_NAME || !strspn(*at, letters))
        return false;
    memcpy(name, *at, size);
    name[size] = 0;
    *at += size;
    return true;
}

/* "f32 x, i32 n" */
static bool take_list(fsr_routine *f, const char *list) {
    do {
        int n = f->nparams;
        list += strspn(list, blanks);
        if (n == FSR_MAX_NATIVE || !take_dtype(&list, &f->dtype[n]) || !strspn(list, blanks))
            return false;
        list += strspn(list, blanks);
        if (!take_name(&list, f->param[n]))
            return false;
        list += strspn(list, blanks);
        f->nparams++;
    } while (*list == ',' && *list++);
    return *list == 0;
}

static int find_twice(const fsr_routine *f) {
    for (int i = 0; i < f->nparams; i++)
        for (int j = 0; j < i; j++)
            if (!strcmp(f->param[i], f->param[j]))
                return i;
    return -1;
}

char *fsr_routine_list(const fsr_routine *f, char *out) {
    size_t used = 0;
    for (int i = 0; i < f->nparams; i++)
        used += (size_t)snprintf(out + used, FSR_ROUTINE_LIST - used, "%s%s %s", i ? ", " : "",
                                 fsr_dtype_name(f->dtype[i]), f->param[i]);
    return out;
}

/* ---- making -------------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t digest, const void *data, size_t size) {
    const unsigned char *byte = data;
    for (size_t i = 0; i < size; i++)
        digest = (digest ^ byte[i]) * 0x100000001b3u;
    return digest;
}

static void name_symbol(fsr_routine *f) {
    char list[FSR_ROUTINE_LIST];
    fsr_routine_list(f, list);
    uint64_t digest = mix(0xcbf29ce484222325u, list, strlen(list) + 1);
    digest = mix(digest, fsr_dtype_name(f->result), strlen(fsr_dtype_name(f->result)) + 1);
    for (int i = 0; i < FSR_ROUTINE_TEXTS; i++)
        digest = mix(digest, f->text[i], strlen(f->text[i]) + 1);
    snprintf(f->symbol, sizeof f->symbol, "user_%s_%016" PRIx64, f->name, digest);
}

static fsr_status check(const fsr_native *f, char *why, size_t size) {
    const char *text[FSR_ROUTINE_TEXTS] = {f->c, f->cuda, f->c_preamble, f->cuda_preamble};
    if (!f->name || !f->parameters || !f->c)
        return wrong(why, size, FSR_ERR_NULL, "its name, its parameters or its C text is null");
    char name[FSR_ROUTINE_NAME];
    const char *end = f->name;
    if (!take_name(&end, name) || *end)
        return wrong(why, size, FSR_ERR_VALUE, "its name is not a letter or _, then letters, digits and _, at most 63");
    if ((unsigned)f->result >= FSR_DTYPE_COUNT) {
        snprintf(why, size, "the result is of dtype %d, which is none", (int)f->result);
        return FSR_ERR_DTYPE;
    }
    if (!(f->ulp >= 0) || isinf(f->ulp))
        return wrong(why, size, FSR_ERR_VALUE, "ulp is not a finite number from 0");
    for (int i = 0; i < FSR_ROUTINE_TEXTS; i++)
        if (text[i] && strnlen(text[i], MAX_TEXT + 1) > MAX_TEXT)
            return wrong(why, size, FSR_ERR_VALUE, "a text is longer than 65536 bytes");
    return FSR_OK;
}

static fsr_status fill(fsr_routine *to, const fsr_native *f, char *why, size_t size) {
    const char *text[FSR_ROUTINE_TEXTS] = {f->c, f->cuda, f->c_preamble, f->cuda_preamble};
    atomic_init(&to->refs, 1);
    atomic_init(&to->host, NULL);
    snprintf(to->name, sizeof to->name, "%s", f->name);
    to->result = f->result;
    to->ulp = f->ulp > 0 ? f->ulp : DEFAULT_ULP;
    if (!take_list(to, f->parameters)) {
        snprintf(why, size, "the parameters are not 1 to %d of dtype and name, separated by commas", FSR_MAX_NATIVE);
        return FSR_ERR_VALUE;
    }
    int twice = find_twice(to);
    if (twice >= 0) {
        snprintf(why, size, "the parameter %s is given twice", to->param[twice]);
        return FSR_ERR_VALUE;
    }
    for (int i = 0; i < FSR_ROUTINE_TEXTS; i++) {
        to->text[i] = strdup(text[i] ? text[i] : "");
        if (!to->text[i])
            return wrong(why, size, FSR_ERR_MEMORY, "out of memory");
    }
    name_symbol(to);
    return FSR_OK;
}

fsr_status fsr_routine_make(const fsr_native *f, fsr_routine **out, char *why, size_t size) {
    *out = NULL;
    fsr_status status = check(f, why, size);
    if (status)
        return status;
    fsr_routine *made = calloc(1, sizeof *made);
    if (!made)
        return wrong(why, size, FSR_ERR_MEMORY, "out of memory");
    status = fill(made, f, why, size);
    if (status)
        fsr_routine_unref(made);
    else
        *out = made;
    return status;
}

fsr_routine *fsr_routine_ref(const fsr_routine *f) {
    fsr_routine *counted = (fsr_routine *)f;
    atomic_fetch_add(&counted->refs, 1);
    return counted;
}

void fsr_routine_unref(fsr_routine *f) {
    if (!f || atomic_fetch_sub(&f->refs, 1) > 1)
        return;
    for (int i = 0; i < FSR_ROUTINE_TEXTS; i++)
        free(f->text[i]);
    free(f);
}

bool fsr_routine_equal(const fsr_routine *a, const fsr_routine *b) {
    if (a == b)
        return true;
    bool same = !strcmp(a->symbol, b->symbol) && a->result == b->result && a->nparams == b->nparams;
    for (int i = 0; same && i < a->nparams; i++)
        same = a->dtype[i] == b->dtype[i] && !strcmp(a->param[i], b->param[i]);
    for (int i = 0; same && i < FSR_ROUTINE_TEXTS; i++)
        same = !strcmp(a->text[i], b->text[i]);
    return same;
}

/* ---- evaluating -------------------------------------------------------------------------------------------- */

fsr_value fsr_routine_eval(const fsr_routine *f, const fsr_value *args) {
    fsr_value in[FSR_MAX_NATIVE], out = {.bits = 0};
    const void *at[FSR_MAX_NATIVE];
    for (int i = 0; i < f->nparams; i++) {
        in[i] = fsr_dtype_is_half(f->dtype[i]) ? fsr_value_cast(FSR_F32, f->dtype[i], args[i]) : args[i];
        at[i] = &in[i];
    }
    atomic_load (&f->host)(&out, at);
    return fsr_dtype_is_half(f->result) ? fsr_value_cast(f->result, FSR_F32, out) : out;
}

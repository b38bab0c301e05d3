/* SPDX-License-Identifier: MIT */
/* Making, comparing and evaluating routines.
 *
 * The digest is FNV-1a of every string and dtype that says what is computed, each with its end, so that moving a byte
 * from one text to the next is another function. It names, it does not decide: fsr_routine_equal compares the
 * texts. Linked code, which may be megabytes, is compared by its length and its digest of 128 bits. */
#include "graph/routine.h"
#include "graph/message.h"
#include "graph/ops.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { MAX_TEXT = 65536, MAX_LINKED = 16 << 20 };

#define DEFAULT_ULP 4

static const char blanks[] = " \t\n";
static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

static fsr_status wrong(char *why, size_t size, fsr_status status, const char *what) {
    fsr_message_put(why, size, "%s", what);
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

/* "raw ", in front of a whole array. */
static bool take_raw(const char **at) {
    const bool raw = strncmp(*at, "raw", 3) == 0 && strspn(*at + 3, blanks);
    *at += raw ? 3 + strspn(*at + 3, blanks) : 0;
    return raw;
}

/* "f32 x, i32 n, raw f32 t" */
static bool take_list(fsr_routine *f, const char *list) {
    do {
        int n = f->nparams + f->narrays;
        list += strspn(list, blanks);
        const bool raw = take_raw(&list);
        if (n == FSR_MAX_NATIVE || (raw ? f->nparams == 0 : f->narrays > 0) || !take_dtype(&list, &f->dtype[n]) ||
            !strspn(list, blanks))
            return false;
        list += strspn(list, blanks);
        if (!take_name(&list, f->param[n]))
            return false;
        list += strspn(list, blanks);
        *(raw ? &f->narrays : &f->nparams) += 1;
    } while (*list == ',' && *list++);
    return *list == 0;
}

/* A whole array t brings the name t_size with it. */
static bool is_size_of(const fsr_routine *f, int i, const char *name) {
    const size_t n = strlen(f->param[i]);
    return i >= f->nparams && !strncmp(f->param[i], name, n) && !strcmp(name + n, "_size");
}

bool fsr_routine_has_name(const fsr_routine *f, const char *name) {
    bool has = false;
    for (int i = 0; i < f->nparams + f->narrays; i++)
        has = has || !strcmp(f->param[i], name) || is_size_of(f, i, name);
    return has;
}

/* Each name is one thing. */
static fsr_status check_names(const fsr_routine *f, char *why, size_t size) {
    const int n = f->nparams + f->narrays;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const bool twice = j < i && !strcmp(f->param[i], f->param[j]);
            if (!twice && !is_size_of(f, j, f->param[i]))
                continue;
            fsr_message_put(why, size,
                            twice ? "the parameter %s is given twice" : "the parameter %s is the size of %s, too",
                            f->param[i], f->param[j]);
            return FSR_ERR_VALUE;
        }
    return FSR_OK;
}

char *fsr_routine_list(const fsr_routine *f, char *out) {
    size_t used = 0;
    for (int i = 0; i < f->nparams + f->narrays; i++)
        used += (size_t)snprintf(out + used, FSR_ROUTINE_LIST - used, "%s%s%s %s", i ? ", " : "",
                                 i < f->nparams ? "" : "raw ", fsr_dtype_name(f->dtype[i]), f->param[i]);
    return out;
}

char *fsr_routine_results(const fsr_routine *f, char *out) {
    size_t used = 0;
    out[0] = 0;
    for (int i = 0; i < f->nresults; i++)
        used += (size_t)snprintf(out + used, FSR_ROUTINE_LIST - used, "%s%s %s", i ? ", " : "",
                                 fsr_dtype_name(f->results[i]), f->result_name[i]);
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
    if (f->nresults)
        fsr_routine_results(f, list);
    else
        snprintf(list, sizeof list, "%s", fsr_dtype_name(f->result));
    digest = mix(digest, list, strlen(list) + 1);
    for (int i = 0; i < FSR_ROUTINE_TEXTS; i++)
        digest = mix(digest, f->text[i], strlen(f->text[i]) + 1);
    digest = f->linked ? mix(digest, f->digest, sizeof f->digest) : digest;
    snprintf(f->symbol, sizeof f->symbol, "user_%s_%016" PRIx64, f->name, digest);
}

/* The heading of an ELF section, as it lies in a file of 64 bits. */
typedef struct section {
    uint32_t name, type;
    uint64_t flags, address, at, size;
    uint32_t link, info;
    uint64_t alignment, entry;
} section;

/* The section lies in the file, its entries fill it, and the sections that it names are there. */
static bool section_is_whole(const section *s, uint16_t sections, size_t size) {
    enum { SYMBOLS = 2, ADDENDS = 4, NO_BYTES = 8, RELOCATIONS = 9 };
    const uint64_t entry = s->type == SYMBOLS || s->type == ADDENDS ? 24 : s->type == RELOCATIONS ? 16 : 0;
    if (s->type != NO_BYTES && (s->at > size || s->size > size - s->at))
        return false;
    if (s->link >= sections || (entry && (s->entry != entry || s->size % entry != 0)))
        return false;
    if (s->type == SYMBOLS)
        return s->info <= s->size / entry;
    return !entry || s->info < sections;
}

/* A cubin, an ELF file, that is cut off, or whose sections lie elsewhere, would make nvJitLink read behind it. What
 * stands in the sections is trusted. */
static bool is_whole(const unsigned char *elf, size_t size) {
    uint64_t at;
    uint16_t bytes, n, names;
    section s;
    if (size < 64 || memcmp(elf, "\177ELF\2\1", 6) != 0)
        return false;
    memcpy(&at, elf + 40, sizeof at);
    memcpy(&bytes, elf + 58, sizeof bytes);
    memcpy(&n, elf + 60, sizeof n);
    memcpy(&names, elf + 62, sizeof names);
    bool whole = bytes == sizeof s && names < n && at <= size && (uint64_t)bytes * n <= size - at;
    for (int i = 1; whole && i < n; i++) {
        memcpy(&s, elf + at + (size_t)i * sizeof s, sizeof s);
        whole = section_is_whole(&s, n, size);
    }
    return whole;
}

static fsr_status check_linked(const fsr_native *f, char *why, size_t size) {
    if (f->linked_form == FSR_LINKED_NONE)
        return FSR_OK;
    if (!fsr_linked_name(f->linked_form))
        return wrong(why, size, FSR_ERR_VALUE, "its linked code is of no form");
    if (!f->linked)
        return wrong(why, size, FSR_ERR_NULL, "its linked code is null");
    if (f->linked_bytes < 1 || f->linked_bytes > MAX_LINKED)
        return wrong(why, size, FSR_ERR_VALUE, "its linked code is not 1 byte to 16 MiB long");
    if (f->linked_form == FSR_LINKED_OBJECT && !is_whole(f->linked, f->linked_bytes))
        return wrong(why, size, FSR_ERR_VALUE, "its linked code is no whole cubin");
    return FSR_OK;
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
        fsr_message_put(why, size, "the result is of dtype %d, which is none", (int)f->result);
        return FSR_ERR_DTYPE;
    }
    if (!(f->ulp >= 0) || isinf(f->ulp))
        return wrong(why, size, FSR_ERR_VALUE, "ulp is not a finite number from 0");
    for (int i = 0; i < FSR_ROUTINE_TEXTS; i++)
        if (text[i] && strnlen(text[i], MAX_TEXT + 1) > MAX_TEXT)
            return wrong(why, size, FSR_ERR_VALUE, "a text is longer than 65536 bytes");
    return check_linked(f, why, size);
}

const char *fsr_linked_type(fsr_dtype dtype) {
    return fsr_dtype_is_half(dtype) ? "f32" : fsr_dtype_name(dtype);
}

const char *fsr_raw_type(fsr_dtype dtype) {
    return fsr_dtype_is_half(dtype) ? "u16" : dtype == FSR_BOOL ? "u8" : fsr_dtype_name(dtype);
}

/* The body "return name(x, n);", and behind the caller's preamble the function's declaration. */
static bool call_linked(fsr_routine *f) {
    char body[3 * FSR_ROUTINE_LIST], declared[2 * FSR_ROUTINE_LIST];
    size_t b = (size_t)snprintf(body, sizeof body, "return %s(", f->name);
    size_t d = (size_t)snprintf(declared, sizeof declared, "extern \"C\" __device__ %s %s(", fsr_linked_type(f->result),
                                f->name);
    for (int i = 0; i < f->nparams; i++) {
        b += (size_t)snprintf(body + b, sizeof body - b, "%s%s", i ? ", " : "", f->param[i]);
        d += (size_t)snprintf(declared + d, sizeof declared - d, "%s%s", i ? ", " : "", fsr_linked_type(f->dtype[i]));
    }
    for (int i = f->nparams; i < f->nparams + f->narrays; i++) {
        b += (size_t)snprintf(body + b, sizeof body - b, ", %s, %s_size", f->param[i], f->param[i]);
        d += (size_t)snprintf(declared + d, sizeof declared - d, ", const %s *, i64", fsr_raw_type(f->dtype[i]));
    }
    snprintf(body + b, sizeof body - b, ");");
    snprintf(declared + d, sizeof declared - d, ");");
    const size_t size = strlen(f->cuda_preamble) + strlen(declared) + 2;
    char *preamble = malloc(size), *text = strdup(body);
    if (preamble)
        snprintf(preamble, size, "%s%s%s", f->cuda_preamble, f->cuda_preamble[0] ? "\n" : "", declared);
    free(f->cuda_preamble);
    free(f->cuda);
    f->cuda_preamble = preamble;
    f->cuda = text;
    return preamble && text;
}

/* A copy of the linked code, and how it is called; false: out of memory. */
static bool link_with(fsr_routine *to, const fsr_native *f) {
    if (f->linked_form == FSR_LINKED_NONE)
        return true;
    to->linked = malloc(f->linked_bytes + 1);
    if (!to->linked)
        return false;
    memcpy(to->linked, f->linked, f->linked_bytes);
    to->linked[f->linked_bytes] = 0;
    to->linked_bytes = f->linked_bytes;
    to->linked_form = f->linked_form;
    const XXH128_hash_t digest = XXH3_128bits(f->linked, f->linked_bytes);
    snprintf(to->digest, sizeof to->digest, "%016" PRIx64 "%016" PRIx64, digest.high64, digest.low64);
    return to->cuda[0] || call_linked(to);
}

static fsr_status fill(fsr_routine *to, const fsr_native *f, char *why, size_t size) {
    const char *text[FSR_ROUTINE_TEXTS] = {f->c, f->cuda, f->c_preamble, f->cuda_preamble};
    atomic_init(&to->refs, 1);
    atomic_init(&to->host, NULL);
    snprintf(to->name, sizeof to->name, "%s", f->name);
    to->result = f->result;
    to->ulp = f->ulp > 0 ? f->ulp : DEFAULT_ULP;
    if (!take_list(to, f->parameters)) {
        fsr_message_put(
            why, size, "the parameters are not 1 to %d of dtype and name, separated by commas, raw ones behind a value",
            FSR_MAX_NATIVE);
        return FSR_ERR_VALUE;
    }
    const fsr_status status = check_names(to, why, size);
    if (status)
        return status;
    for (int i = 0; i < FSR_ROUTINE_TEXTS; i++) {
        to->text[i] = strdup(text[i] ? text[i] : "");
        if (!to->text[i])
            return wrong(why, size, FSR_ERR_MEMORY, "out of memory");
    }
    if (!link_with(to, f))
        return wrong(why, size, FSR_ERR_MEMORY, "out of memory");
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

void fsr_routine_several(fsr_routine *f, const fsr_routine *results, int component) {
    f->nresults = results->nparams;
    f->component = component;
    f->result = results->dtype[component];
    memcpy(f->results, results->dtype, sizeof f->results);
    memcpy(f->result_name, results->param, sizeof f->result_name);
    name_symbol(f);
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
    free(f->linked);
    free(f);
}

/* ---- linked code --------------------------------------------------------------------------------------------- */

static const char *const linked_names[] = {
    [FSR_LINKED_PTX] = "ptx", [FSR_LINKED_OBJECT] = "object", [FSR_LINKED_LTOIR] = "ltoir"};

const char *fsr_linked_name(fsr_linked_form form) {
    return (unsigned)form < sizeof linked_names / sizeof *linked_names ? linked_names[form] : NULL;
}

fsr_linked_form fsr_linked_form_of(const char *name) {
    for (int i = 1; fsr_linked_name((fsr_linked_form)i); i++)
        if (strcmp(linked_names[i], name) == 0)
            return (fsr_linked_form)i;
    return FSR_LINKED_NONE;
}

bool fsr_routine_links_same(const fsr_routine *a, const fsr_routine *b) {
    return a->linked_form == b->linked_form && a->linked_bytes == b->linked_bytes && strcmp(a->digest, b->digest) == 0;
}

/* But for the component. */
static bool same_function(const fsr_routine *a, const fsr_routine *b) {
    bool same = !strcmp(a->symbol, b->symbol) && a->nparams == b->nparams && a->narrays == b->narrays &&
                a->nresults == b->nresults && fsr_routine_links_same(a, b);
    for (int i = 0; same && i < a->nparams + a->narrays; i++)
        same = a->dtype[i] == b->dtype[i] && !strcmp(a->param[i], b->param[i]);
    for (int i = 0; same && i < a->nresults; i++)
        same = a->results[i] == b->results[i] && !strcmp(a->result_name[i], b->result_name[i]);
    for (int i = 0; same && i < FSR_ROUTINE_TEXTS; i++)
        same = !strcmp(a->text[i], b->text[i]);
    return same;
}

bool fsr_routine_is_sibling(const fsr_routine *a, const fsr_routine *b) {
    return a->nresults > 0 && same_function(a, b);
}

bool fsr_routine_equal(const fsr_routine *a, const fsr_routine *b) {
    return a == b || (a->result == b->result && a->component == b->component && same_function(a, b));
}

/* ---- evaluating -------------------------------------------------------------------------------------------- */

fsr_value fsr_routine_eval(const fsr_routine *f, const fsr_value *args, const fsr_routine_array *arrays) {
    fsr_value in[FSR_MAX_NATIVE], out = {.bits = 0};
    const void *at[FSR_MAX_NATIVE];
    for (int i = 0; i < f->nparams; i++) {
        in[i] = fsr_dtype_is_half(f->dtype[i]) ? fsr_value_cast(FSR_F32, f->dtype[i], args[i]) : args[i];
        at[i] = &in[i];
    }
    for (int i = 0; i < f->narrays; i++)
        at[f->nparams + i] = &arrays[i];
    atomic_load (&f->host)(&out, at);
    return fsr_dtype_is_half(f->result) ? fsr_value_cast(f->result, FSR_F32, out) : out;
}

/* SPDX-License-Identifier: MIT */
/* A caller's function with several results: a call for each, of a routine that knows the others (graph/routine.h). A
 * kernel that needs several calls the text once (runtime/source.h); one that needs one alone has a compiler drop what
 * is for the others. Counter-example to a function for each: a loop of unknown length ran once for each result. */
#include "graph/floats.h"
#include "graph/sized.h"
#include "primitives/primitives.h"
#include <stdlib.h>
#include <string.h>

static const char what[] = "call_natives";

/* The caller's preamble with the declaration of his linked function behind it, which takes parameters and the addresses
 * of results; NULL: out of memory. */
static char *declaration_of(const fsr_native *f, const fsr_routine *takes, const fsr_routine *results) {
    char list[3 * FSR_ROUTINE_LIST];
    const char *before = f->cuda_preamble ? f->cuda_preamble : "";
    size_t n = (size_t)snprintf(list, sizeof list, "\nextern \"C\" __device__ void %s(", f->name);
    for (int i = 0; i < takes->nparams; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s, ", fsr_linked_type(takes->dtype[i]));
    for (int i = takes->nparams; i < takes->nparams + takes->narrays; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "const %s *, i64, ", fsr_raw_type(takes->dtype[i]));
    for (int i = 0; i < results->nparams; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s *", i ? ", " : "", fsr_linked_type(results->dtype[i]));
    const size_t size = strlen(before) + n + 3;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s%s);", before, list);
    return text;
}

/* The body that calls it; NULL: out of memory. */
static char *linked_call(const fsr_native *f, const fsr_routine *takes, const fsr_routine *results) {
    char text[4 * FSR_ROUTINE_LIST];
    size_t n = (size_t)snprintf(text, sizeof text, "%s(", f->name);
    for (int i = 0; i < takes->nparams; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s, ", takes->param[i]);
    for (int i = takes->nparams; i < takes->nparams + takes->narrays; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s, %s_size, ", takes->param[i], takes->param[i]);
    for (int i = 0; i < results->nparams; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s&%s", i ? ", " : "", results->param[i]);
    snprintf(text + n, sizeof text - n, ");");
    return strdup(text);
}

/* The function's parameters, read; NULL: what is wrong with them fsr_call_native says. */
static fsr_routine *parameters_of(const fsr_native *f) {
    fsr_routine *takes = NULL;
    char why[160];
    const fsr_native as = {.name = f->name, .parameters = f->parameters, .c = ""};
    fsr_routine_make(&as, &takes, why, sizeof why);
    return takes;
}

/* Gives linked code without a CUDA text the one that calls it: text[0] and its preamble text[1], malloc'ed. */
static fsr_status call_linked(fsr_native *f, const fsr_routine *results, char *text[2]) {
    fsr_routine *takes = f->linked_form == FSR_LINKED_NONE || (f->cuda && *f->cuda) ? NULL : parameters_of(f);
    if (!takes)
        return FSR_OK;
    text[0] = linked_call(f, takes, results);
    text[1] = declaration_of(f, takes, results);
    fsr_routine_unref(takes);
    f->cuda = text[0];
    f->cuda_preamble = text[1];
    return text[0] && text[1] ? FSR_OK : FSR_ERR_MEMORY;
}

/* The list of results, read as one of parameters; NULL: *poison is set. */
static fsr_routine *results_of(fsr_site at, fsr_graph *g, const fsr_native *f, const char *list, fsr_node *poison) {
    fsr_routine *made = NULL;
    char why[160];
    const fsr_native as = {.name = "results", .parameters = list, .c = ""};
    const bool named = f->name && fsr_name_size(f->name);
    fsr_status status = !list || !f->c ? FSR_ERR_NULL : fsr_routine_make(&as, &made, why, sizeof why);
    if (made && made->narrays) {
        fsr_routine_unref(made);
        made = NULL;
        status = FSR_ERR_VALUE;
    }
    if (status == FSR_ERR_VALUE)
        *poison = fsr_poison(g, at, status, named ? f->name : what,
                             "the results are not 1 to %d of dtype and name, each name once, separated by commas",
                             FSR_MAX_NATIVE);
    else if (status == FSR_ERR_MEMORY)
        *poison = fsr_graph_no_memory(g);
    else if (status)
        *poison = fsr_poison(g, at, status, named ? f->name : what, "its list of results or its C text is null");
    return made;
}

/* The results are nout, and none has a name that the parameters have. */
static bool results_fit(fsr_site at, fsr_graph *g, const fsr_native *f, const fsr_routine *results, int nout,
                        fsr_node *poison) {
    if (results->nparams != nout) {
        *poison = fsr_poison(g, at, FSR_ERR_VALUE, what, "it has %d results, not %d", results->nparams, nout);
        return false;
    }
    fsr_routine *takes = parameters_of(f);
    bool fit = true;
    for (int i = 0; takes && fit && i < nout; i++) {
        fit = !fsr_routine_has_name(takes, results->param[i]);
        if (!fit)
            *poison =
                fsr_poison(g, at, FSR_ERR_VALUE, f->name,
                           "the result %s has the name of a parameter or of a whole array's size", results->param[i]);
    }
    fsr_routine_unref(takes);
    return fit;
}

void fsr_call_natives_at(fsr_site at, size_t size, fsr_node *out, int nout, const fsr_native *f, const char *results,
                         const fsr_node *args, int nargs) {
    FSR_DEFAULT_FLOATS;
    fsr_native own = {.name = NULL};
    fsr_graph *g = NULL;
    fsr_node poison = {0};
    fsr_routine *list = NULL;
    if (!out || nout < 1)
        return;
    memset(out, 0, sizeof *out * (size_t)nout);
    if (!args || nargs < 1)
        return;
    if (!fsr_poison_of_any(at, what, args, nargs, &g, &poison)) {
        const fsr_status status = f ? fsr_sized_in(&own, sizeof own, f, size) : FSR_ERR_NULL;
        if (status)
            poison = f ? fsr_poison(g, at, status, what, "the function %s", fsr_sized_words(status))
                       : fsr_poison(g, at, status, what, "the function is null");
        else
            list = results_of(at, g, &own, results, &poison);
    }
    if (list && !results_fit(at, g, &own, list, nout, &poison)) {
        fsr_routine_unref(list);
        list = NULL;
    }
    char *text[2] = {NULL, NULL};
    const bool made = !list || call_linked(&own, list, text) == FSR_OK;
    for (int k = 0; k < nout; k++)
        out[k] = !made ? fsr_graph_no_memory(g) : list ? fsr_call_one(at, &own, list, k, args, nargs) : poison;
    free(text[0]);
    free(text[1]);
    fsr_routine_unref(list);
}

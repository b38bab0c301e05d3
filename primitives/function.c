/* SPDX-License-Identifier: MIT */
/* Functions by expression: a call reads the text with the parameters as names of the arguments.
 *
 * A function has no dtypes and no shapes of its own; it is read anew at each call, as a template. Counter-example to
 * recording it once on placeholders: a*x + b of f32 arrays and of i32 arrays are different operations, and a literal in
 * it takes the dtype that it meets.
 *
 * The list of parameters is the caller's string: words between commas, with blanks around. The words are copied into a
 * place of fixed size; whether each is a name, and whether two are equal, fsr_exprs_of checks as it does for
 * fsr_expr. */
#include "graph/sized.h"
#include "primitives/expr.h"
#include <string.h>

enum { NAME_SIZE = 64 };

typedef struct parameters {
    int n;
    char name[FSR_MAX_PARAMETERS][NAME_SIZE];
} parameters;

/* False: too many words, or one that is empty or too long. */
static bool split(const char *list, parameters *p) {
    static const char blanks[] = " \t\n";
    for (p->n = 0;; list++) {
        list += strspn(list, blanks);
        size_t size = strcspn(list, " \t\n,");
        if (size == 0 || size >= NAME_SIZE || p->n == FSR_MAX_PARAMETERS)
            return false;
        memcpy(p->name[p->n], list, size);
        p->name[p->n++][size] = 0;
        list += size;
        list += strspn(list, blanks);
        if (*list != ',')
            return *list == 0;
    }
}

/* The function's own mistakes; false: *poison is set. */
static bool function_take(fsr_graph *g, fsr_site at, const fsr_function *f, int nargs, parameters *p,
                          fsr_node *poison) {
    if (!f || !f->name || !f->parameters || !f->text) {
        *poison = fsr_poison(g, at, FSR_ERR_NULL, "call", "the function or one of its strings is null");
        return false;
    }
    if (!fsr_name_size(f->name)) {
        *poison = fsr_poison(g, at, FSR_ERR_VALUE, "call", "the function's name is not 1 to 63 letters, digits and _");
        return false;
    }
    if (!split(f->parameters, p)) {
        *poison = fsr_poison(g, at, FSR_ERR_VALUE, f->name, "the parameters are not 1 to %d names separated by commas",
                             FSR_MAX_PARAMETERS);
        return false;
    }
    if (p->n != nargs) {
        *poison = fsr_poison(g, at, FSR_ERR_VALUE, f->name, "%d arguments for %d parameters", nargs, p->n);
        return false;
    }
    return true;
}

fsr_node fsr_call_at(fsr_site at, size_t size, const fsr_function *f, const fsr_node *args, int nargs) {
    fsr_function own = {NULL, NULL, NULL};
    fsr_graph *g;
    fsr_node out = {0};
    parameters p;
    fsr_name name[FSR_MAX_PARAMETERS];
    if (!args || nargs < 1)
        return out;
    if (fsr_poison_of_any(at, "call", args, nargs, &g, &out))
        return out;
    fsr_status status = f ? fsr_sized_in(&own, sizeof own, f, size) : FSR_OK;
    if (status)
        return fsr_poison(g, at, status, "call", "the function %s", fsr_sized_words(status));
    if (!function_take(g, at, f ? &own : NULL, nargs, &p, &out))
        return out;
    f = &own;
    for (int i = 0; i < nargs; i++)
        name[i] = (fsr_name){p.name[i], args[i]};
    fsr_exprs_of(at, f->name, g, f->text, name, nargs, &out, 1);
    return out;
}

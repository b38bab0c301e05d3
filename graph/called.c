/* SPDX-License-Identifier: MIT */
/* Making, comparing and freeing what library calls are told. */
#include "graph/called.h"
#include "graph/code.h"
#include <stdlib.h>
#include <string.h>

/* Zero bytes are an allocation too, which is not null. */
static void *copy_of(const void *from, size_t bytes) {
    void *to = malloc(bytes + 1);
    if (to && bytes)
        memcpy(to, from, bytes);
    return to;
}

/* The structure alone: user is not its own. */
static void free_parts(fsr_called *c) {
    free((void *)c->what.name);
    free((void *)c->what.attributes);
    free(c->type);
    free(c->code);
    free(c);
}

fsr_called *fsr_called_make(const fsr_callee *c, const fsr_frame_array *type) {
    fsr_called *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    atomic_init(&made->refs, 1);
    made->what = *c;
    made->what.name = c->name ? copy_of(c->name, strlen(c->name) + 1) : NULL;
    made->what.attributes = copy_of(c->attributes, c->attribute_bytes);
    made->type = type ? copy_of(type, sizeof *type * (size_t)c->outputs) : NULL;
    made->what.types = NULL;
    if (c->kernel.code)
        made->code = fsr_code_copy(&made->what.kernel, &c->kernel);
    if (made->what.attributes && (made->what.name || !c->name) && (made->type || !type) &&
        (made->code || !c->kernel.code))
        return made;
    free_parts(made);
    return NULL;
}

fsr_called *fsr_called_words(const int64_t *word, int n) {
    return fsr_called_make(&(fsr_callee){.attributes = word, .attribute_bytes = sizeof *word * (size_t)n}, NULL);
}

fsr_called *fsr_called_ref(const fsr_called *c) {
    fsr_called *counted = (fsr_called *)c;
    if (c)
        atomic_fetch_add(&counted->refs, 1);
    return counted;
}

void fsr_called_unref(fsr_called *c) {
    if (!c || atomic_fetch_sub(&c->refs, 1) > 1)
        return;
    if (c->what.destroy)
        c->what.destroy(c->what.user);
    free_parts(c);
}

/* Types that a call declares are nobody's but its; those that are inferred follow from the rest. */
static bool same_types(const fsr_called *a, const fsr_called *b) {
    for (int i = 0; a->type && b->type && i < a->what.outputs; i++) {
        const fsr_frame_array *x = &a->type[i], *y = &b->type[i];
        if (x->dtype != y->dtype || x->ndim != y->ndim ||
            memcmp(x->shape, y->shape, sizeof x->shape[0] * (size_t)x->ndim) != 0)
            return false;
    }
    return !a->type == !b->type;
}

bool fsr_called_equal(const fsr_called *a, const fsr_called *b) {
    const fsr_callee *x = &a->what, *y = &b->what;
    if (a == b)
        return true;
    if (!x->name != !y->name || (x->name && strcmp(x->name, y->name) != 0))
        return false;
    return x->user == y->user && x->inputs == y->inputs && x->outputs == y->outputs && x->infer == y->infer &&
           x->work == y->work && x->cpu == y->cpu && x->cuda == y->cuda && x->attribute_bytes == y->attribute_bytes &&
           memcmp(x->attributes, y->attributes, x->attribute_bytes) == 0 && same_types(a, b) &&
           fsr_code_equal(&x->kernel, &y->kernel);
}

/* SPDX-License-Identifier: MIT */
/* Which pieces of the prelude a kernel needs: from the last piece to the first, a piece is needed if the body or a
 * needed later piece mentions its name. Nothing keeps a list by hand. */
#include "backend_cuda/prelude.h"
#include <string.h>

enum { MAX_PIECES = 240 };

static int collect(const fsr_prelude_piece **all) {
    const fsr_prelude_piece *const tables[] = {
        fsr_prelude_scalar,   fsr_prelude_angle, fsr_prelude_numpy, fsr_prelude_complex, fsr_prelude_memory,
        fsr_prelude_exchange, fsr_prelude_scan,  fsr_prelude_index, fsr_prelude_ring,    fsr_prelude_filter};
    int n = 0;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const fsr_prelude_piece *p = tables[t]; p->name && n < MAX_PIECES; p++)
            all[n++] = p;
    return n;
}

static void print(fsr_text *out, const char *body, const char *casts, bool host) {
    const fsr_prelude_piece *all[MAX_PIECES];
    bool needed[MAX_PIECES] = {false};
    int n = collect(all);
    for (int i = n - 1; i >= 0; i--) {
        needed[i] = fsr_text_mentions(body, all[i]->name) || fsr_text_mentions(casts, all[i]->name);
        for (int j = i + 1; j < n && !needed[i]; j++)
            needed[i] = needed[j] && fsr_text_mentions(all[j]->text, all[i]->name);
    }
    for (int i = 0; i < n; i++)
        if (needed[i] && !(host && all[i]->device))
            fsr_text_raw(out, all[i]->text, strlen(all[i]->text));
    fsr_text_raw(out, casts, strlen(casts));
}

void fsr_prelude_print(fsr_text *out, const char *body, bool host) {
    fsr_text casts = {0};
    fsr_prelude_casts(&casts, body);
    print(out, body, casts.data ? casts.data : "", host);
    out->failed |= casts.failed;
    fsr_text_free(&casts);
}

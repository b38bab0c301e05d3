/* SPDX-License-Identifier: MIT */
/* Profiles; see profile.h. */
#include "runtime/profile.h"
#include "graph/message.h"
#include "graph/number.h"
#include <stdlib.h>
#include <string.h>

fsr_site *fsr_profile_sites(const fsr_flow *flow) {
    fsr_site *site = malloc(sizeof *site * (size_t)(flow->n + 1));
    for (int i = 0; site && i < flow->n; ++i)
        site[i] = flow->node[i].site;
    return site;
}

/* ---- lines ------------------------------------------------------------------------------------------------- */

static bool same_line(const fsr_site *a, const fsr_site *b) {
    return a->line == b->line && strcmp(a->file, b->file) == 0;
}

/* The sites of a thunk's nodes, each line once; how many. */
static int thunk_sites(const fsr_thunk *thunk, const fsr_prepared *p, const fsr_site *site, const fsr_site **out) {
    int node[FSR_MAX_INSTS] = {thunk->call ? thunk->call->node : 0}, n = 0;
    const int count = thunk->call ? 1 : fsr_kernel_nodes(thunk->kernel, node);
    for (int i = 0; i < count; ++i) {
        const int origin = node[i] < p->norigins ? p->origin[node[i]] : 0;
        const fsr_site *at = origin ? &site[origin - 1] : NULL;
        bool known = !at || !at->file;
        for (int j = 0; j < n && !known; ++j)
            known = same_line(out[j], at);
        if (!known)
            out[n++] = at;
    }
    return n;
}

/* "a.c:12, a.c:15", malloc'ed; NULL: out of memory. */
static char *lines_of(const fsr_thunk *thunk, const fsr_prepared *p, const fsr_site *site) {
    const fsr_site *at[FSR_MAX_INSTS];
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    const int n = thunk_sites(thunk, p, site, at);
    for (int i = 0; i < n; ++i)
        fprintf(to, "%s%s:%d", i ? ", " : "", at[i]->file, at[i]->line);
    if (fclose(to) != 0) {
        free(text);
        return NULL;
    }
    return fsr_message_clean(text);
}

fsr_status fsr_profile_make(fsr_profile *out, const fsr_prepared *p, const fsr_site *site, fsr_fault *fault) {
    const fsr_program *program = &p->executable->program;
    const size_t n = (size_t)program->nthunks + 1;
    out->lines = calloc(n, sizeof *out->lines);
    out->ms = calloc(n, sizeof *out->ms);
    bool good = site && out->lines && out->ms;
    out->nthunks = good ? program->nthunks : 0;
    for (int i = 0; i < out->nthunks && good; ++i)
        good = (!program->thunk[i].kernel && !program->thunk[i].call) ||
               (out->lines[i] = program->thunk[i].inner ? strdup("") : lines_of(&program->thunk[i], p, site));
    return good ? FSR_OK : fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory for a profile");
}

void fsr_profile_clear(fsr_profile *profile) {
    for (int i = 0; i < profile->nthunks; ++i)
        free(profile->lines[i]);
    free(profile->lines);
    free(profile->ms);
    memset(profile, 0, sizeof *profile);
}

/* ---- words ------------------------------------------------------------------------------------------------- */

double fsr_profile_rate(int64_t bytes, double ms) {
    return ms > 0 ? (double)bytes / ms * 1e-6 : 0;
}

static void write_thunk(const fsr_thunk *thunk, double ms, const char *lines, FILE *to) {
    const double rate = fsr_profile_rate(thunk->bytes_moved, ms);
    fprintf(to, "profile: %s ms", fsr_number_of('f', 4, ms).text);
    fprintf(to, ", %lld bytes, %s GB/s: ", (long long)thunk->bytes_moved, fsr_number_of('f', 1, rate).text);
    if (thunk->call)
        fprintf(to, "library call: %s", fsr_library_call_name(thunk->call));
    else
        fprintf(to, "%s: %s", thunk->kernel->name, thunk->kernel->comment);
    if (lines && *lines)
        fprintf(to, " (%s)", lines);
    fputc('\n', to);
}

static void write_all(const fsr_program *program, const double *ms, const char *const *lines, FILE *to) {
    double sum = 0;
    int kernels = 0, calls = 0;
    for (int i = 0; i < program->nthunks; ++i) {
        const fsr_thunk *thunk = &program->thunk[i];
        if (ms[i] < 0 || (!thunk->kernel && !thunk->call))
            continue;
        write_thunk(thunk, ms[i], lines ? lines[i] : NULL, to);
        sum += ms[i];
        kernels += thunk->kernel != NULL;
        calls += thunk->call != NULL;
    }
    if (kernels + calls == 0)
        return;
    fprintf(to, "profile: %s ms in %d kernel%s", fsr_number_of('f', 4, sum).text, kernels, kernels == 1 ? "" : "s");
    if (calls)
        fprintf(to, " and %d library call%s", calls, calls == 1 ? "" : "s");
    fputc('\n', to);
}

void fsr_profile_ran(fsr_profile *profile, fsr_context *ctx, const fsr_prepared *p) {
    ++profile->runs;
    if (ctx->config.profile == 1)
        write_all(&p->executable->program, profile->ms, (const char *const *)profile->lines, stderr);
}

bool fsr_profile_explain(fsr_context *ctx, const fsr_executable *e, const char *const *lines, FILE *to) {
    const int n = e->program.nthunks;
    double *ms = malloc(sizeof *ms * (size_t)(n + 1));
    if (!ms)
        return false;
    pthread_mutex_lock(&ctx->lock);
    memcpy(ms, e->ms, sizeof *ms * (size_t)n);
    pthread_mutex_unlock(&ctx->lock);
    write_all(&e->program, ms, lines, to);
    free(ms);
    return !ferror(to);
}

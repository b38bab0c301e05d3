/* fusor-bench: see --help and docs/bench.md. */
#include "bench/bench.h"
#include "runtime/context.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int complain(const char *what, const char *why, int status) {
    fprintf(stderr, "fusor-bench: %s: %s\n", what, why);
    return status;
}

/* Opens the fused and the unfused context; 0, or the exit status after a message. */
static int session_open(bench_session *s, const bench_options *options) {
    char why[512] = "";
    *s = (bench_session){.options = options};
    if (fsr_config_init(&s->config, why, sizeof why))
        return complain("configuration", why, 2);
    if (why[0])
        complain("configuration", why, 0);
    if (options->backend != FSR_BACKEND_AUTO)
        s->config.backend = (int)options->backend;
    s->config.fusion = 1;
    if (fsr_open_why(&s->config, &s->fused, why, sizeof why))
        return complain("no context", why, 1);
    s->backend = fsr_context_backend(s->fused);
    if (!s->backend || !strcmp(fsr_backend_name(s->fused), "reference"))
        return complain("no backend", "the reference cannot be measured; use --backend cpu or cuda", 1);
    s->gpu = !strcmp(fsr_backend_name(s->fused), "cuda");
    s->config.backend = s->gpu ? FSR_BACKEND_CUDA : FSR_BACKEND_CPU;
    s->config.fusion = 0;
    if (fsr_open_why(&s->config, &s->unfused, why, sizeof why))
        return complain("no unfused context", why, 1);
    snprintf(s->device, sizeof s->device, "%s", fsr_device_name(s->fused));
    return 0;
}

static void session_close(bench_session *s) {
    bench_streams_free(s);
    fsr_close(s->unfused);
    fsr_close(s->fused);
}

/* Measures every workload and prints its row at once; true if none failed. */
static bool run_all(bench_session *s, bench_row *rows, FILE *table) {
    bool ok = true;
    bench_report_head(table);
    for (; s->done < s->options->nwork; s->done++) {
        bench_row *row = &rows[s->done];
        bench_row_measure(s, s->options->work[s->done], row);
        bench_progress(s, NULL, NULL);
        bench_report_row(table, row);
        ok = ok && !row->failed;
    }
    bench_report_foot(table, s);
    return ok;
}

/* Closes the file, also when writing failed; the first error counts. */
static bool write_json(FILE *json, const char *path, const bench_row *rows, int n) {
    bench_report_json(json, rows, n);
    bool failed = ferror(json) != 0;
    failed = (json == stdout ? fflush(json) : fclose(json)) || failed;
    if (failed)
        complain(path, strerror(errno), 1);
    return !failed;
}

static int run(bench_session *s, FILE *json) {
    FILE *table = json == stdout ? stderr : stdout;
    const bench_options *options = s->options;
    bench_row *rows = calloc((size_t)options->nwork, sizeof *rows);
    if (!rows)
        return complain("rows", "out of memory", 1);
    bool ok = run_all(s, rows, table);
    if (json)
        ok = write_json(json, options->json, rows, options->nwork) && ok;
    free(rows);
    return !ok;
}

int main(int argc, char **argv) {
    bench_options options;
    bench_session session;
    FILE *json = NULL;
    int status = bench_options_parse(&options, argc, argv);
    if (status >= 0)
        return status;
    if (options.json)
        json = strcmp(options.json, "-") ? fopen(options.json, "w") : stdout;
    if (options.json && !json)
        return complain(options.json, strerror(errno), 1);
    status = session_open(&session, &options);
    if (!status)
        status = bench_expr_prepare(&options.expr, session.fused);
    if (!status)
        status = run(&session, json);
    else if (json && json != stdout)
        fclose(json);
    session_close(&session);
    bench_expr_free(&options.expr);
    return status;
}

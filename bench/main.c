/* SPDX-License-Identifier: MIT */
/* fusor-bench: see --help and docs/bench.md. */
#define _POSIX_C_SOURCE 200809L
#include "bench/bench.h"
#include "bench/overlap.h"
#include "bench/random.h"
#include "bench/report.h"
#include "graph/message.h"
#include "runtime/context.h"
#include "runtime/write_file.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int complain(const char *what, const char *why, int status) {
    char clean[4096];
    fprintf(stderr, "fusor-bench: %s: ", fsr_message_copy(clean, sizeof clean, what));
    fprintf(stderr, "%s\n", fsr_message_copy(clean, sizeof clean, why));
    return status;
}

static void set_date(bench_session *s) {
    const time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts))
        strftime(s->date, sizeof s->date, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

/* Opens the fused and the unfused context; 0, or the exit status after a message. */
static int session_open(bench_session *s, const bench_options *options) {
    char why[512] = "";
    *s = (bench_session){.options = options};
    set_date(s);
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
    fsr_message_copy(s->device, sizeof s->device, fsr_device_name(s->fused));
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
    bench_table_head(table, s->options);
    for (; s->done < s->options->nwork; s->done++) {
        bench_row *row = &rows[s->done];
        bench_row_measure(s, s->options->work[s->done], row);
        bench_progress(s, NULL, NULL);
        bench_table_row(table, row, s->options);
        ok = ok && !row->failed;
    }
    bench_table_foot(table, s);
    s->backend->ops->facts(s->backend, &s->facts);
    char said[sizeof s->facts.compiler];
    memcpy(said, s->facts.compiler, sizeof said);
    fsr_message_copy(s->facts.compiler, sizeof s->facts.compiler, said);
    return ok;
}

/* Says what went wrong, if anything did, and clears it; the exit status. */
static int settle(const char *what, fsr_fault *fault) {
    int status = 0;
    if (fault->status)
        status = complain(what, fault->message ? fault->message : fsr_status_sentence(fault->status), 1);
    fsr_fault_clear(fault);
    return status;
}

/* A text written whole to a file, or to stdout. */
static int write_json(const char *path, const char *text, size_t size) {
    fsr_fault fault = {0};
    if (strcmp(path, "-"))
        fsr_write_file(path, &(fsr_part){text, size}, 1, &fault);
    else if (fwrite(text, 1, size, stdout) != size || fflush(stdout))
        fsr_fault_set(&fault, FSR_ERR_FILE, "stdout: %s", strerror(errno));
    return settle("JSON", &fault);
}

/* The rows as JSON and as a page, as far as they are asked for. */
static bool write_files(const bench_session *s, const bench_row *rows) {
    const bench_options *options = s->options;
    fsr_fault fault = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *json = open_memstream(&text, &size);
    if (json)
        bench_json_write(json, s, rows, options->nwork);
    const bool made = json && !ferror(json);
    int status = 0;
    if ((json && fclose(json) != 0) || !made)
        status = complain("JSON", "out of memory", 1);
    if (!status && options->json)
        status = write_json(options->json, text, size);
    if (made && options->report)
        bench_report_rows(options->report, text, size, &fault);
    free(text);
    return !settle("report", &fault) && !status;
}

static int run(bench_session *s) {
    const bench_options *options = s->options;
    FILE *table = options->json && !strcmp(options->json, "-") ? stderr : stdout;
    bench_row *rows = calloc((size_t)options->nwork, sizeof *rows);
    if (!rows)
        return complain("rows", "out of memory", 1);
    bool ok = run_all(s, rows, table);
    if (options->json || options->report)
        ok = write_files(s, rows) && ok;
    free(rows);
    return !ok;
}

/* Measuring takes minutes: whether the result can be written is asked before. */
static int check_file(const char *what, const char *path) {
    fsr_fault fault = {0};
    if (path && strcmp(path, "-"))
        fsr_write_file_check(path, &fault);
    return settle(what, &fault);
}

/* A report of files: nothing is measured. */
static int report_files(const bench_options *options) {
    fsr_fault fault = {0};
    bench_report_files(options->report, options->file, options->nfiles, &fault);
    return settle("report", &fault);
}

int main(int argc, char **argv) {
    bench_options options;
    bench_session session;
    int status = bench_options_parse(&options, argc, argv);
    if (status >= 0)
        return status;
    status = check_file("JSON", options.json);
    if (!status)
        status = check_file("report", options.report);
    if (status || options.nfiles)
        return status ? status : report_files(&options);
    status = session_open(&session, &options);
    if (!status)
        status = bench_expr_prepare(&options.expr, session.fused);
    if (!status)
        status = options.random    ? !bench_random_run(&session, stdout)
                 : options.overlap ? !bench_overlap_run(&session, stdout)
                                   : run(&session);
    session_close(&session);
    bench_expr_free(&options.expr);
    return status;
}

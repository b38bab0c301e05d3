/* SPDX-License-Identifier: MIT */
/* From rows as JSON to the page: a run's own rows go the way of a file's, so there is one way from a figure to the
 * page. */
#include "bench/report.h"
#include "bench/page.h"
#include "runtime/write_file.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 64 << 20 };

/* The whole file, malloc'ed. NULL with errno set. */
static char *read_file(const char *path, size_t *size) {
    FILE *from = fopen(path, "rbe");
    char *text = NULL;
    size_t room = 0;
    *size = 0;
    while (from && *size == room && room < MOST_BYTES) {
        char *more = realloc(text, room = room ? room * 2 : 1 << 16);
        if (!more)
            break;
        text = more;
        *size += fread(text + *size, 1, room - *size, from);
    }
    const bool whole = from && !ferror(from) && feof(from);
    if (from && !whole && !ferror(from))
        errno = *size == MOST_BYTES ? EFBIG : ENOMEM;
    const int error = errno;
    if (from)
        fclose(from);
    if (whole)
        return text;
    free(text);
    errno = error;
    return NULL;
}

static fsr_status add_text(bench_figures *figures, const char *name, const char *text, size_t size, fsr_fault *fault) {
    char why[256];
    if (bench_figures_add(figures, text, size, why, sizeof why))
        return FSR_OK;
    return fsr_fault_set(fault, strcmp(why, "out of memory") ? FSR_ERR_FORMAT : FSR_ERR_MEMORY, "%s: %s", name, why);
}

static fsr_status write_page(const char *path, const bench_figures *figures, fsr_fault *fault) {
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    bool ok = to && bench_page(to, figures);
    ok = to && fclose(to) == 0 && ok;
    const fsr_status status = ok ? fsr_write_file(path, &(fsr_part){text, size}, 1, fault)
                                 : fsr_fault_set(fault, FSR_ERR_MEMORY, "%s: out of memory", path);
    free(text);
    return status;
}

fsr_status bench_report_files(const char *path, const char *const *file, int n, fsr_fault *fault) {
    bench_figures figures = {0};
    fsr_status status = FSR_OK;
    for (int i = 0; i < n && !status; i++) {
        size_t size;
        char *text = read_file(file[i], &size);
        status = text ? add_text(&figures, file[i], text, size, fault)
                      : fsr_fault_set(fault, FSR_ERR_FILE, "%s: %s", file[i], strerror(errno));
        free(text);
    }
    if (!status && figures.nrows == 0)
        status = fsr_fault_set(fault, FSR_ERR_FORMAT, "%s: there are no rows of fusor-bench", file[0]);
    if (!status)
        status = write_page(path, &figures, fault);
    bench_figures_free(&figures);
    return status;
}

fsr_status bench_report_rows(const char *path, const char *json, size_t size, fsr_fault *fault) {
    bench_figures figures = {0};
    fsr_status status = add_text(&figures, "rows", json, size, fault);
    if (!status)
        status = write_page(path, &figures, fault);
    bench_figures_free(&figures);
    return status;
}

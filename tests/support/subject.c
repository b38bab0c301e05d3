/* SPDX-License-Identifier: MIT */
#include "tests/support/subject.h"
#include "graph/ops.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SKIPPED = 77, GUARD = 256, COUNTERS = 16 };

fsr_context *subject_ctx;
fsr_graph *subject_g;

static fsr_backend_kind backend;
static int tests_of_program;

static struct counter {
    const char *what;
    int64_t n;
} counter[COUNTERS];

/* ---- the program ------------------------------------------------------------------------------------- */

fsr_config subject_config(void) {
    fsr_config config;
    char why[200];
    if (fsr_config_init(&config, why, sizeof why))
        fail_msg("%s", why);
    config.backend = backend;
    return config;
}

fsr_context *subject_open(const fsr_config *config) {
    fsr_context *ctx;
    char why[1000];
    if (!config) {
        const fsr_config usual = subject_config();
        return subject_open(&usual);
    }
    if (fsr_open_why(config, &ctx, why, sizeof why))
        fail_msg("open: %s", why);
    return ctx;
}

fsr_stats subject_stats(void) {
    fsr_stats stats;
    assert_int_equal(fsr_context_stats(subject_ctx, &stats), FSR_OK);
    return stats;
}

bool subject_sanitized(void) {
    return getenv("FUSOR_TEST_SANITIZER") != NULL;
}

int subject_setup(void **state) {
    (void)state;
    subject_g = fsr_graph_new(subject_ctx);
    fsr_error_clear(subject_ctx);
    return subject_g == NULL;
}

int subject_teardown(void **state) {
    (void)state;
    fsr_graph_free(subject_g);
    subject_g = NULL;
    int64_t nodes = subject_stats().nodes;
    if (nodes)
        print_error("%lld nodes are left\n", (long long)nodes);
    return nodes != 0;
}

/* ---- parts of a program ------------------------------------------------------------------------------ */

static struct part {
    int index, of; /* 0 of 1: the whole */
    bool tier[SUBJECT_CAPPED + 1];
} chosen = {0, 1, {true, true, true}};

bool subject_take_part(void) {
    const char *shard = getenv("FUSOR_TEST_SHARD"), *tier = getenv("FUSOR_TEST_TIER");
    int index = 1, of = 1;
    char rest;
    if (shard && (sscanf(shard, "%d/%d%c", &index, &of, &rest) != 2 || index < 1 || index > of))
        return false;
    if (tier && strcmp(tier, "fast") != 0 && strcmp(tier, "long") != 0 && strcmp(tier, "capped") != 0)
        return false;
    chosen = (struct part){index - 1, of, {!tier || tier[0] != 'l', !tier || tier[0] == 'l', !tier || tier[0] != 'f'}};
    return true;
}

bool subject_case(int unit, subject_tier tier) {
    return unit % chosen.of == chosen.index && chosen.tier[tier];
}

int subject_cases(void **state) {
    (void)state;
    return 0;
}

int subject_setup_cases(void **state) {
    return subject_setup(state);
}

int subject_main(fsr_backend_kind kind, const struct CMUnitTest *tests, int n) {
    struct CMUnitTest *mine = calloc((size_t)n, sizeof *mine);
    int count = 0;
    if (!mine || !subject_take_part()) {
        fprintf(stderr, mine ? "FUSOR_TEST_SHARD is i/n, FUSOR_TEST_TIER fast, long or capped\n" : "out of memory\n");
        free(mine);
        return 1;
    }
    for (int i = 0; i < n; i++)
        if (tests[i].setup_func == subject_setup_cases || tests[i].setup_func == subject_cases ||
            subject_case(i, SUBJECT_FAST))
            mine[count++] = tests[i];
    int status = subject_begin(kind, count);
    if (!status)
        status = subject_end(_cmocka_run_group_tests("tests", mine, (size_t)count, NULL, NULL));
    free(mine);
    return status;
}

int subject_begin(fsr_backend_kind kind, int tests) {
    fsr_config config;
    char why[1000];
    fsr_config_init(&config, NULL, 0);
    config.backend = backend = kind;
    tests_of_program = tests;
    fsr_status status = fsr_open_why(&config, &subject_ctx, why, sizeof why);
    if (status == FSR_OK)
        return 0;
    if (status == FSR_ERR_NO_BACKEND) {
        printf("%d tests skipped: %s\n", tests, why);
        return SKIPPED;
    }
    fprintf(stderr, "open: %s: %s\n", fsr_status_name(status), why);
    return 1;
}

int subject_end(int failed) {
    char device[200];
    snprintf(device, sizeof device, "%s, %s", fsr_backend_name(subject_ctx), fsr_device_name(subject_ctx));
    printf("%d tests on %s", tests_of_program, device);
    for (int i = 0; i < COUNTERS && counter[i].what; ++i)
        printf("; %lld %s", (long long)counter[i].n, counter[i].what);
    printf("\n");
    fsr_close(subject_ctx);
    return failed;
}

void subject_count(const char *what, int64_t n) {
    for (int i = 0; i < COUNTERS; ++i) {
        if (counter[i].what && strcmp(counter[i].what, what) != 0)
            continue;
        counter[i].what = what;
        counter[i].n += n;
        return;
    }
    fail_msg("more than %d counters", COUNTERS);
}

/* ---- data ---------------------------------------------------------------------------------------------- */

uint32_t subject_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state ^ *state >> 15;
}

static const double special_f32[] = {0.0,          -0.0,   1.0,    -1.0,    0.5,      -2.5,    NAN,        INFINITY,
                                     -INFINITY,    1e-40,  -3e-45, FLT_MAX, -FLT_MAX, FLT_MIN, 16777217.,  2147483648.,
                                     -2147483904., 9.3e18, 255.75, 256.0,   -0.75,    1e5,     0.99999994, 88.75};
static const double special_f64[] = {0.0,          -0.0,         1.0,
                                     -1.0,         0.5,          -2.5,
                                     NAN,          INFINITY,     -INFINITY,
                                     5e-324,       -1e-310,      DBL_MAX,
                                     -DBL_MAX,     DBL_MIN,      9007199254740993.,
                                     2147483647.5, -2147483649., 9223372036854775808.,
                                     255.75,       256.0,        -0.75,
                                     1e22,         1e5,          709.9};
static const double special_f16[] = {0.0,       -0.0,  1.0,    -1.0,    0.5,           -2.5,       NAN,  INFINITY,
                                     -INFINITY, 65504, -65504, 0x1p-14, 0x1p-24,       -0x1.8p-23, 2049, -0x1.ffcp-15,
                                     255.75,    256.0, -0.75,  1e4,     0.99951171875, 11.09};
static const double special_bf16[] = {0.0,      -0.0,        1.0,       -1.0,        0.5,         -2.5,
                                      NAN,      INFINITY,    -INFINITY, 0x1.fep127,  -0x1.fep127, 0x1p-126,
                                      0x1p-133, -0x1.8p-130, 257,       2147483648., 9.3e18,      255.75,
                                      256.0,    -0.75,       1e5,       0.99609375,  88.5};
static const int64_t special_i32[] = {0,  1,   -1,  INT32_MIN, INT32_MAX, INT32_MIN + 1, 2,
                                      -2, 255, 256, 65536,     -65537,    46341,         16777217};
static const int64_t special_i64[] = {0,         1,         -1,  INT64_MIN, INT64_MAX,  INT64_MIN + 1,    2,        -2,
                                      INT32_MIN, INT32_MAX, 256, -257,      3037000500, 9007199254740993, 1LL << 62};
static const int64_t special_u8[] = {0, 1, 2, 127, 128, 254, 255, 16};
static const int64_t special_i8[] = {0, 1, -1, 2, -2, INT8_MIN, INT8_MAX, INT8_MIN + 1, 16};
static const int64_t special_i16[] = {0, 1, -1, 2, -2, INT16_MIN, INT16_MAX, INT16_MIN + 1, 255, 256, -257, 181};
static const int64_t special_u16[] = {0, 1, 2, INT16_MAX, 32768, 65534, UINT16_MAX, 255, 256, 46341};
static const int64_t special_u32[] = {0, 1, 2, INT32_MAX, 2147483648, 4294967294, UINT32_MAX, 255, 65536, 16777217};
static const int64_t special_u64[] = {0,   1,          2,         INT64_MAX,        INT64_MIN,    -2, -1, /* 2^64 - 1 */
                                      256, UINT32_MAX, 1LL << 33, 9007199254740993, INT64_MIN + 1};
static const int64_t special_bool[] = {0, 1};

static double random_small(uint32_t *state) {
    return ((double)subject_random(state) / 4294967296.0 * 2.0 - 1.0) * 1.5;
}

/* Which special value element i of a stream has; k of them: the streams count in base k. -1: a random value. */
static int which(int64_t i, int k, int stream) {
    for (int s = 0; s < stream; ++s)
        i /= s == 0 ? k : 3;
    return i % (k + 1) == k ? -1 : (int)(i % (k + 1));
}

static double float_value(const double *special, int k, int64_t i, subject_values values, int stream, uint32_t *state) {
    int at = values == SUBJECT_SPECIAL ? which(i, k, stream) : -1;
    double random = random_small(state);
    return at < 0 ? random * (values == SUBJECT_SPECIAL ? 40 : 1) : special[at];
}

static int64_t int_value(const int64_t *special, int k, int64_t i, subject_values values, int stream, uint32_t *state) {
    int at = values == SUBJECT_SPECIAL ? which(i, k, stream) : -1;
    int64_t random = (int64_t)(subject_random(state) % 9) - 4;
    return at < 0 ? random : special[at];
}

/* Both parts go through the special values, the imaginary one at another pace. */
static void fill_complex(void *to, fsr_dtype dtype, int64_t i, subject_values values, int stream, uint32_t *state) {
    const int k = COUNT_OF(special_f64);
    double re = float_value(special_f64, k, i, values, stream, state);
    double im = float_value(special_f64, k, i / 3 + 5 * i, values, stream, state);
    if (dtype == FSR_C128)
        *(fsr_c128 *)to = (fsr_c128){re, im};
    else
        *(fsr_c64 *)to = (fsr_c64){(float)re, (float)im};
}

void subject_fill(void *data, fsr_dtype dtype, int64_t n, subject_values values, int stream) {
    uint32_t state = 12345u + 7919u * (uint32_t)stream;
    for (int64_t i = 0; i < n; ++i)
        switch (dtype) {
        case FSR_BOOL: ((uint8_t *)data)[i] = int_value(special_bool, 2, i, values, stream, &state) > 0; break;
#define INTEGER(id, special, ctype) \
    case id: ((ctype *)data)[i] = (ctype)int_value(special, COUNT_OF(special), i, values, stream, &state); break;
            INTEGER(FSR_I8, special_i8, int8_t)
            INTEGER(FSR_U8, special_u8, uint8_t)
            INTEGER(FSR_I16, special_i16, int16_t)
            INTEGER(FSR_U16, special_u16, uint16_t)
            INTEGER(FSR_I32, special_i32, int32_t)
            INTEGER(FSR_U32, special_u32, uint32_t)
            INTEGER(FSR_I64, special_i64, int64_t)
            INTEGER(FSR_U64, special_u64, uint64_t)
#undef INTEGER
        case FSR_F16:
        case FSR_BF16: {
            const bool half = dtype == FSR_F16;
            double value =
                float_value(half ? special_f16 : special_bf16, half ? COUNT_OF(special_f16) : COUNT_OF(special_bf16), i,
                            values, stream, &state);
            ((uint16_t *)data)[i] = fsr_value_from_double(dtype, value).f16;
            break;
        }
        case FSR_F32:
            ((float *)data)[i] = (float)float_value(special_f32, COUNT_OF(special_f32), i, values, stream, &state);
            break;
        case FSR_F64:
            ((double *)data)[i] = float_value(special_f64, COUNT_OF(special_f64), i, values, stream, &state);
            break;
        case FSR_C64:
        case FSR_C128:
            fill_complex((char *)data + (size_t)i * fsr_dtype_size(dtype), dtype, i, values, stream, &state);
            break;
        default: fail_msg("%d is no dtype", dtype);
        }
}

static int64_t size_of(int ndim, const int64_t *shape) {
    int64_t n = 1;
    for (int i = 0; i < ndim; ++i)
        n *= shape[i];
    return n;
}

fsr_node subject_data(fsr_dtype dtype, int ndim, const int64_t *shape, subject_values values, int stream) {
    int64_t n = size_of(ndim, shape);
    void *data = malloc((size_t)n * fsr_dtype_size(dtype) + 1);
    assert_non_null(data);
    subject_fill(data, dtype, n, values, stream);
    fsr_node x = fsr_from_host(subject_g, dtype, ndim, shape, data);
    free(data);
    return x;
}

/* ---- checks -------------------------------------------------------------------------------------------- */

void subject_ok(fsr_status status, const char *what) {
    if (status != FSR_OK)
        fail_msg("%s: %s: %s", what, fsr_status_name(status), fsr_error(subject_ctx));
}

int64_t subject_verify(const fsr_node *outs, int n, const char *const *names, const char *what, ...) {
    fsr_verify_report report;
    char words[400];
    va_list args;
    va_start(args, what);
    vsnprintf(words, sizeof words, what, args);
    va_end(args);
    fsr_status status = fsr_verify(outs, n, &report);
    if (status)
        fail_msg("%s%s%s: %s: %s", words, status == FSR_ERR_MISMATCH && names ? ": " : "",
                 status == FSR_ERR_MISMATCH && names ? names[report.worst_out] : "", fsr_status_name(status),
                 fsr_error(subject_ctx));
    int64_t elements = 0;
    for (int i = 0; i < n; ++i)
        elements += fsr_node_size(outs[i]);
    if (elements != report.checked)
        fail_msg("%s: %lld elements compared of %lld", words, (long long)report.checked, (long long)elements);
    subject_count("results compared", n);
    subject_count("elements", elements);
    subject_count("of them not known", report.unknown);
    return report.unknown;
}

void *subject_read(fsr_node x) {
    int64_t bytes = fsr_node_bytes(x);
    if (bytes < 0)
        fail_msg("no array: %s: %s", fsr_status_name(fsr_node_status(x)), fsr_node_error(x));
    void *data = malloc((size_t)bytes + 1);
    assert_non_null(data);
    subject_ok(fsr_read(x, data, (size_t)bytes), "read");
    return data;
}

static double as_double(fsr_dtype dtype, const void *data, int64_t at) {
    return fsr_value_to_double(dtype, fsr_value_load(dtype, data, at));
}

double subject_value(fsr_node x, int64_t flat) {
    void *data = subject_read(x);
    assert_true(flat >= 0 && flat < fsr_node_size(x));
    double value = as_double(fsr_node_dtype(x), data, flat);
    free(data);
    return value;
}

void subject_error(fsr_context *ctx, fsr_status got, fsr_status want, const char *words) {
    const char *message = fsr_error(ctx);
    if (got != want)
        fail_msg("%s instead of %s: %s", fsr_status_name(got), fsr_status_name(want), message);
    if (fsr_error_status(ctx) != want)
        fail_msg("fsr_error_status is %s, not %s", fsr_status_name(fsr_error_status(ctx)), fsr_status_name(want));
    for (const char *word = words; *word;) {
        size_t size = strcspn(word, "|");
        char part[200];
        snprintf(part, sizeof part, "%.*s", (int)size, word);
        if (!strstr(message, part))
            fail_msg("\"%s\" does not contain \"%s\"", message, part);
        word += size + (word[size] == '|');
    }
    subject_count("errors", 1);
}

subject_guard subject_guard_new(size_t bytes, size_t shift) {
    subject_guard guard = {malloc(bytes + 2 * GUARD + shift), NULL, bytes};
    assert_non_null(guard.block);
    memset(guard.block, 0xA5, bytes + 2 * GUARD + shift);
    guard.data = guard.block + GUARD + shift;
    return guard;
}

void subject_guard_check(const subject_guard *guard, const char *what) {
    for (const unsigned char *p = guard->block; p < guard->data; ++p)
        if (*p != 0xA5)
            fail_msg("%s: %ld bytes before the output were written", what, (long)(guard->data - p));
    for (size_t i = 0; i < GUARD; ++i)
        if (guard->data[guard->bytes + i] != 0xA5)
            fail_msg("%s: %zu bytes behind the output were written", what, i + 1);
}

void subject_guard_free(subject_guard *guard) {
    free(guard->block);
    *guard = (subject_guard){0};
}

int64_t subject_resident(void) {
    FILE *file = fopen("/proc/self/statm", "r");
    long long pages = 0, resident = 0;
    if (!file || fscanf(file, "%lld %lld", &pages, &resident) != 2)
        fail_msg("/proc/self/statm cannot be read");
    fclose(file);
    return resident * sysconf(_SC_PAGESIZE);
}

void subject_temporary_dir(char path[64]) {
    strcpy(path, "/tmp/fusor-test-XXXXXX");
    assert_non_null(mkdtemp(path));
}

void subject_remove_dir(const char *path) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", path);
    assert_int_equal(system(command), 0);
}

/* SPDX-License-Identifier: MIT */
/* .npy files: what is written is read back, by us and as NumPy would; hostile files are poison. */
#include "tests/support/subject.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[64], path[96];

static int setup(void **state) {
    subject_temporary_dir(dir);
    snprintf(path, sizeof path, "%s/x.npy", dir);
    return subject_setup(state);
}

static int teardown(void **state) {
    subject_remove_dir(dir);
    return subject_teardown(state);
}

static void write_bytes(const void *data, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* A file of version 1.0 with this dictionary and these elements; lengths as they are. */
static void write_file(const char *dictionary, const void *data, size_t size) {
    static char text[70000];
    size_t n = strlen(dictionary);
    memcpy(text, "\x93NUMPY\x01\x00", 8);
    text[8] = (char)(n & 255);
    text[9] = (char)(n >> 8);
    memcpy(text + 10, dictionary, n);
    if (size)
        memcpy(text + 10 + n, data, size);
    write_bytes(text, 10 + n + size);
}

static void round_trip(void **state) {
    (void)state;
    static const struct {
        int ndim;
        int64_t dim[4];
    } shapes[] = {{0, {0}}, {1, {0}}, {1, {1}}, {1, {1000}}, {2, {3, 5}}, {3, {4, 0, 2}}, {4, {2, 3, 4, 5}}};
    for (int d = 0; d < FSR_DTYPE_COUNT; ++d)
        for (int s = 0; s < COUNT_OF(shapes); ++s) {
            fsr_node x = subject_data((fsr_dtype)d, shapes[s].ndim, shapes[s].dim, SUBJECT_SPECIAL, 0);
            if (d == FSR_BF16) {
                subject_error(subject_ctx, fsr_npy_write(x, path), FSR_ERR_DTYPE, "npy_write: |bf16|f32");
                continue;
            }
            OK(fsr_npy_write(x, path));
            fsr_node y = fsr_npy_read(subject_g, path);
            if (fsr_node_status(y))
                fail_msg("%s", fsr_node_error(y));
            assert_int_equal(fsr_node_dtype(y), d);
            assert_int_equal(fsr_node_ndim(y), shapes[s].ndim);
            for (int i = 0; i < shapes[s].ndim; ++i)
                assert_int_equal(fsr_node_dim(y, i), shapes[s].dim[i]);
            void *a = subject_read(x), *b = subject_read(y);
            assert_memory_equal(a, b, (size_t)fsr_node_bytes(x));
            free(a);
            free(b);
            subject_count("round trips", 1);
        }
}

/* A lazy node is computed and written in C order, whatever order it had. */
static void computed_nodes_are_written(void **state) {
    (void)state;
    fsr_node x = fsr_reshape(fsr_arange(subject_g, FSR_I32, 6), 2, SHAPE(2, 3));
    OK(fsr_npy_write(fsr_add(fsr_transpose(x, NULL), fsr_int(subject_g, 1)), path));
    FILE *file = fopen(path, "rb");
    char text[200];
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    static const int32_t want[] = {1, 4, 2, 5, 3, 6};
    assert_int_equal(size, 128 + sizeof want);
    assert_memory_equal(text, "\x93NUMPY\x01\x00", 8);
    assert_memory_equal(text + 128, want, sizeof want);
    text[128] = 0;
    assert_non_null(strstr(text + 10, "'descr': '<i4'"));
    assert_non_null(strstr(text + 10, "'fortran_order': False"));
    assert_non_null(strstr(text + 10, "'shape': (3, 2)"));
}

static void fortran_order(void **state) {
    (void)state;
    static const double data[] = {1, 4, 2, 5, 3, 6};
    write_file("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }\n", data, sizeof data);
    fsr_node x = fsr_npy_read(subject_g, path);
    assert_int_equal(fsr_node_dim(x, 0), 2);
    assert_int_equal(fsr_node_dim(x, 1), 3);
    for (int i = 0; i < 6; ++i)
        assert_true(subject_value(x, i) == i + 1);
    for (int i = 0; i < 3; ++i)
        assert_true(subject_value(fsr_sum(x, AXES(0), 1, 0), i) == 5 + 2 * i);
}

static void bools(void **state) {
    (void)state;
    static const uint8_t data[] = {0, 1, 2, 255};
    write_file("{'descr': '|b1', 'fortran_order': False, 'shape': (4,), }\n", data, sizeof data);
    fsr_node x = fsr_npy_read(subject_g, path);
    assert_int_equal(fsr_node_dtype(x), FSR_BOOL);
    assert_int_equal(subject_value(fsr_sum(x, NULL, 0, 0), 0), 3);
    assert_int_equal(subject_value(x, 3), 1);
}

static void poisoned(fsr_status want, const char *word) {
    fsr_node x = fsr_npy_read(subject_g, path);
    if (fsr_node_status(x) != want || !strstr(fsr_node_error(x), word) || !strstr(fsr_node_error(x), "test_npy.c"))
        fail_msg("%s instead of %s with \"%s\": %s", fsr_status_name(fsr_node_status(x)), fsr_status_name(want), word,
                 fsr_node_error(x));
    assert_int_equal(fsr_node_status(fsr_neg(x)), want);
    subject_error(subject_ctx, fsr_force(fsr_neg(x)), want, "npy_read|test_npy.c");
}

static void hostile_files(void **state) {
    (void)state;
    static const double data[4] = {1, 2, 3, 4};
#define SHAPED(shape) "{'descr': '<f8', 'fortran_order': False, 'shape': " shape ", }\n"
    static const struct {
        const char *dictionary;
        size_t bytes;
    } files[] = {
        {SHAPED("(5,)"), 32},                     /* too short */
        {SHAPED("(4611686018427387904, 4)"), 32}, /* overflows */
        {SHAPED("(1152921504606846976,)"), 32},   /* bytes overflow */
        {SHAPED("(-4,)"), 32},
        {SHAPED("(4"), 32},
        {SHAPED("4"), 32},
        {SHAPED("(1,1,1,1,1,1,1,1,4)"), 32}, /* nine dimensions */
        {"{'descr': '>f8', 'fortran_order': False, 'shape': (4,), }\n", 32},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (4,), }\n", 32},
        {"{'descr': '<c32', 'fortran_order': False, 'shape': (2,), }\n", 32},
        {"{'descr': '<f8', 'fortran_order': Maybe, 'shape': (4,), }\n", 32},
        {"{'descr': '<f8', 'shape': (4,), }\n", 32},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (4,), 'extra': 1}\n", 32},
        {"", 0},
        {"{", 0},
        {"{}\n", 0},
        {"__import__('os').system('true')\n", 0},
    };
    for (int i = 0; i < COUNT_OF(files); ++i) {
        write_file(files[i].dictionary, data, files[i].bytes);
        poisoned(FSR_ERR_FORMAT, path);
    }
    write_bytes("", 0);
    poisoned(FSR_ERR_FORMAT, path);
    write_bytes("PK\x03\x04 an archive", 15);
    poisoned(FSR_ERR_FORMAT, path);
    write_bytes("\x93NUMPY\x09\x00\x10\x00", 10);
    poisoned(FSR_ERR_FORMAT, path);
    write_bytes("\x93NUMPY\x02\x00\xff\xff\xff\xff{", 13);
    poisoned(FSR_ERR_FORMAT, path);
}

/* Every truncation of a good file is an error, never a crash. */
static void truncated_files(void **state) {
    (void)state;
    char text[400];
    OK(fsr_npy_write(fsr_arange(subject_g, FSR_F64, 4), path));
    FILE *file = fopen(path, "rb");
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    assert_int_equal(size, 128 + 32);
    for (size_t n = 0; n < size; ++n) {
        write_bytes(text, n);
        assert_int_equal(fsr_node_status(fsr_npy_read(subject_g, path)), FSR_ERR_FORMAT);
    }
    write_bytes(text, size);
    assert_int_equal(fsr_node_status(fsr_npy_read(subject_g, path)), FSR_OK);
}

static void files_that_cannot_be_opened(void **state) {
    (void)state;
    poisoned(FSR_ERR_FILE, "No such file");
    assert_int_equal(fsr_node_status(fsr_npy_read(subject_g, NULL)), FSR_ERR_NULL);
    fsr_node on_a_directory = fsr_npy_read(subject_g, dir);
    assert_int_equal(fsr_node_status(on_a_directory), FSR_ERR_FILE);
    fsr_node x = fsr_arange(subject_g, FSR_F32, 3);
    char inside[160];
    snprintf(inside, sizeof inside, "%s/missing/x.npy", dir);
    subject_error(subject_ctx, fsr_npy_write(x, inside), FSR_ERR_FILE, "npy_write|missing/x.npy");
    subject_error(subject_ctx, fsr_npy_write(x, NULL), FSR_ERR_NULL, "npy_write");
    fsr_node bad = fsr_add(x, fsr_arange(subject_g, FSR_F32, 4));
    subject_error(subject_ctx, fsr_npy_write(bad, path), FSR_ERR_SHAPE, "add|f32[3]|f32[4]|test_npy.c");
    assert_int_equal(access(path, F_OK), -1);
}

/* A failed write leaves the old file whole and no other file beside it. */
static void writing_is_all_or_nothing(void **state) {
    (void)state;
    fsr_node x = fsr_arange(subject_g, FSR_F32, 3);
    OK(fsr_npy_write(x, path));
    OK(fsr_npy_write(fsr_neg(x), path));
    assert_true(subject_value(fsr_npy_read(subject_g, path), 2) == -2);
    char target[160], command[200];
    snprintf(target, sizeof target, "%s/directory", dir);
    assert_int_equal(mkdir(target, 0700), 0);
    subject_error(subject_ctx, fsr_npy_write(x, target), FSR_ERR_FILE, "npy_write|directory");
    snprintf(command, sizeof command, "test $(ls -A %s | wc -l) = 2", dir);
    assert_int_equal(system(command), 0);
}

/* What is there keeps its mode, and a link goes on naming it. */
static void writing_keeps_mode_and_link(void **state) {
    (void)state;
    char link[160];
    struct stat info;
    fsr_node x = fsr_arange(subject_g, FSR_F32, 3);
    snprintf(link, sizeof link, "%s/link.npy", dir);
    OK(fsr_npy_write(x, path));
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink("x.npy", link), 0);
    OK(fsr_npy_write(fsr_neg(x), link));
    assert_true(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
    assert_true(stat(path, &info) == 0 && (info.st_mode & 07777) == 0640);
    assert_true(subject_value(fsr_npy_read(subject_g, path), 2) == -2);
}

/* A file that a killed process of this number left under the name that was once used. */
static void leftovers_hinder_nobody(void **state) {
    (void)state;
    char left[160];
    snprintf(left, sizeof left, "%s.%ld.tmp", path, (long)getpid());
    fclose(fopen(left, "w"));
    OK(fsr_npy_write(fsr_arange(subject_g, FSR_F32, 3), path));
}

static void *write_often(void *data) {
    fsr_context *ctx = data;
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node x = fsr_arange(g, FSR_F32, 300);
    fsr_status status = FSR_OK;
    for (int i = 0; i < 50 && !status; i++)
        status = fsr_npy_write(x, path);
    fsr_graph_free(g);
    return status ? data : NULL;
}

static void threads_write_one_file(void **state) {
    (void)state;
    pthread_t thread[4];
    for (int i = 0; i < COUNT_OF(thread); i++)
        assert_int_equal(pthread_create(&thread[i], NULL, write_often, subject_ctx), 0);
    void *failed[COUNT_OF(thread)];
    for (int i = 0; i < COUNT_OF(thread); i++)
        pthread_join(thread[i], &failed[i]);
    for (int i = 0; i < COUNT_OF(thread); i++)
        assert_null(failed[i]);
    assert_int_equal(fsr_node_dim(fsr_npy_read(subject_g, path), 0), 300);
}

/* Sources and plans are dumped into a directory where somebody has put links, and what they name stays. */
static void dumps_follow_no_link(void **state) {
    (void)state;
    char command[400];
    fsr_config config;
    fsr_context *ctx;
    assert_int_equal(fsr_config_init(&config, NULL, 0), FSR_OK);
    config.backend = FSR_BACKEND_CPU;
    config.dump_dir = dir;
    for (int turn = 0; turn < 2; turn++) {
        assert_int_equal(fsr_open(&config, &ctx), FSR_OK);
        fsr_graph *g = fsr_graph_new(ctx);
        OK(fsr_force(fsr_exp(fsr_full(g, FSR_F32, 1, SHAPE(4), 1))));
        fsr_close(ctx);
        snprintf(command, sizeof command,
                 turn == 0
                     ? "cd %s && test $(ls k_*.c plan_*.txt | wc -l) = 2 && echo precious > kept && "
                       "for f in k_* plan_*; do ln -sf kept $f; done"
                     : "cd %s && test \"$(cat kept)\" = precious && for f in k_* plan_*; do test ! -L $f; done && "
                       "grep -q exp k_*",
                 dir);
        assert_int_equal(system(command), 0);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
static const struct CMUnitTest tests[] = {
    TEST(round_trip),
    TEST(computed_nodes_are_written),
    TEST(fortran_order),
    TEST(bools),
    TEST(hostile_files),
    TEST(truncated_files),
    TEST(files_that_cannot_be_opened),
    TEST(writing_is_all_or_nothing),
    TEST(writing_keeps_mode_and_link),
    TEST(leftovers_hinder_nobody),
    TEST(threads_write_one_file),
    TEST(dumps_follow_no_link),
};
SUBJECT_MAIN(tests)

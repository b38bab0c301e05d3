/* SPDX-License-Identifier: MIT */
/* JSON as values: what fusor-bench and bench/peers_cpu.py wrote, read back for a report. */
#ifndef FUSOR_BENCH_JSON_H
#define FUSOR_BENCH_JSON_H

#include <stdbool.h>
#include <stddef.h>

typedef enum bench_json_kind {
    BENCH_JSON_NULL,
    BENCH_JSON_BOOL,
    BENCH_JSON_NUMBER,
    BENCH_JSON_STRING,
    BENCH_JSON_ARRAY,
    BENCH_JSON_OBJECT
} bench_json_kind;

typedef struct bench_json {
    bench_json_kind kind;
    char *key;                /* of an object's member, else NULL; owned */
    char *text;               /* STRING: owned; clean as fsr_message_copy makes it */
    double number;            /* NUMBER; BOOL: 0 or 1 */
    struct bench_json *child; /* ARRAY, OBJECT: the first */
    struct bench_json *next;  /* beside it */
} bench_json;

/* The one value that size bytes of text are. NULL with why as "line 3, column 7: ..." if they are none: no JSON of RFC
 * 8259, nested deeper than 64, or memory is out. */
bench_json *bench_json_read(const char *text, size_t size, char *why, size_t room);
void bench_json_free(bench_json *value); /* NULL is allowed */

/* The member of an object; NULL: it has none, or is no object. Of several of one name the first. */
const bench_json *bench_json_member(const bench_json *object, const char *key);
/* A member's number, NaN if it is none or not there; its text, "" if it is none or not there. */
double bench_json_number(const bench_json *object, const char *key);
const char *bench_json_text(const bench_json *object, const char *key);

#endif

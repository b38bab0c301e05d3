/* SPDX-License-Identifier: MIT */
/* Rows: the version, texts in memory, what plans take and give. */
#include "tests/api/api.h"
#include <string.h>

static void call_version(api_run *r) {
    api_say(r, "fsr_version", -1, false);
    API_MUST(r, strcmp(fsr_version(), FSR_VERSION) == 0, "version %s", fsr_version());
}

static void call_version_number(api_run *r) {
    api_say(r, "fsr_version_number", -1, false);
    API_MUST(r, fsr_version_number() == FSR_VERSION_NUMBER, "version %d", fsr_version_number());
}

/* ---- texts in memory --------------------------------------------------------------------------------------- */

typedef fsr_status to_text(const fsr_node *outs, int n, char *text, size_t size, size_t *length);

static void look(api_run *r, const char *name, to_text *f) {
    int n;
    const fsr_node *x = api_nodes(r, &n);
    const int kind = api_below(r, 8);
    const size_t room = kind == 7 ? 0 : kind == 6 ? 1 : kind > 2 ? 20000 : 64;
    char *text = kind == 5 ? NULL : api_memory(r, room);
    size_t *length = api_below(r, 4) ? api_memory(r, sizeof *length) : NULL;
    api_add(r, text ? ", text, %zu" : ", NULL, %zu", room);
    api_add(r, length ? ", &length" : ", NULL");
    api_say(r, name, -1, false);
    const fsr_status status = f(x, n, text, room, length);
    api_status(r, status, x && n > 0);
    API_MUST(r, !text || !room || memchr(text, 0, room), "a text without an end");
    API_MUST(r, !length || status == FSR_OK || status == FSR_ERR_BYTES || !*length, "a length of nothing");
    API_MUST(r, status || !text || !length || *length == strlen(text), "another length");
    API_MUST(r, status != FSR_ERR_BYTES || !length || *length >= room, "no room for %zu", room);
}

static void call_explain_text(api_run *r) {
    look(r, "fsr_explain_text", fsr_explain_text);
}

static void call_print_text(api_run *r) {
    look(r, "fsr_print_text", fsr_print_text);
}

static void call_dot_text(api_run *r) {
    look(r, "fsr_dot_text", fsr_dot_text);
}

/* ---- plans ------------------------------------------------------------------------------------------------- */

static const fsr_plan *draw_plan(api_run *r) {
    const int at = api_below(r, 32);
    api_add(r, at == 31 ? ", NULL" : ", plan[%d]", at % API_PLANS);
    return at == 31 ? NULL : r->plan[at % API_PLANS].plan;
}

static void call_plan_input_count(api_run *r) {
    const fsr_plan *plan = draw_plan(r);
    api_say(r, "fsr_plan_input_count", -1, false);
    const int n = fsr_plan_input_count(plan);
    API_MUST(r, plan ? n >= 0 : n == 0, "%d inputs", n);
}

static void call_plan_output_count(api_run *r) {
    const fsr_plan *plan = draw_plan(r);
    api_say(r, "fsr_plan_output_count", -1, false);
    const int n = fsr_plan_output_count(plan);
    API_MUST(r, plan ? n > 0 : n == 0, "%d outputs", n);
}

static void ask(api_run *r, const char *name, int (*count)(const fsr_plan *),
                fsr_status (*f)(size_t, const fsr_plan *, int, fsr_plan_value *)) {
    const fsr_plan *plan = draw_plan(r);
    const int i = api_small(r), n = count(plan);
    fsr_plan_value *value = api_below(r, 16) < 15 ? api_memory(r, sizeof *value) : NULL;
    api_add(r, value ? ", &value" : ", NULL");
    api_say(r, name, -1, false);
    const fsr_status status = f(sizeof *value, plan, i, value);
    const fsr_status due = !plan || !value ? FSR_ERR_NULL : i < 0 || i >= n ? FSR_ERR_VALUE : FSR_OK;
    API_MUST(r, status == due, "%s of %d, number %d", fsr_status_name(status), n, i);
    API_MUST(r, status || (value->bytes >= 0 && value->ndim >= 0 && (unsigned)value->dtype < FSR_DTYPE_COUNT),
             "no value");
}

static void call_plan_input_sized(api_run *r) {
    ask(r, "fsr_plan_input_sized", fsr_plan_input_count, fsr_plan_input_sized);
}

static void call_plan_output_sized(api_run *r) {
    ask(r, "fsr_plan_output_sized", fsr_plan_output_count, fsr_plan_output_sized);
}

#define ROW(name, weight) \
    { "fsr_" #name, call_##name, weight }
const api_row api_look_rows[] = {
    ROW(version, 1),           ROW(version_number, 1),   ROW(explain_text, 1),
    ROW(print_text, 1),        ROW(dot_text, 1),         ROW(plan_input_count, 1),
    ROW(plan_output_count, 1), ROW(plan_input_sized, 2), ROW(plan_output_sized, 2),
};
const int api_look_count = API_COUNT(api_look_rows);

/* SPDX-License-Identifier: MIT */
/* Rows: the version. */
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

#define ROW(name, weight) \
    { "fsr_" #name, call_##name, weight }
const api_row api_look_rows[] = {
    ROW(version, 1),
    ROW(version_number, 1),
};
const int api_look_count = API_COUNT(api_look_rows);

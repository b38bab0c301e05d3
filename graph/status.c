/* SPDX-License-Identifier: MIT */
/* Names and sentences of the status codes, from the table in fusor/status.h. */
#include "fusor/status.h"

const char *fsr_status_name(fsr_status status) {
    switch (status) {
#define FSR_STATUS_CASE(code, sentence) \
    case code: return #code;
        FSR_STATUS_LIST(FSR_STATUS_CASE)
#undef FSR_STATUS_CASE
    case FSR_STATUS_COUNT: break;
    }
    return "FSR_ERR_?";
}

const char *fsr_status_sentence(fsr_status status) {
    switch (status) {
#define FSR_STATUS_CASE(code, sentence) \
    case code: return sentence;
        FSR_STATUS_LIST(FSR_STATUS_CASE)
#undef FSR_STATUS_CASE
    case FSR_STATUS_COUNT: break;
    }
    return "not a status code";
}

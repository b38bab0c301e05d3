/* SPDX-License-Identifier: MIT */
/* The table of functions: tests/api.sh compares its names with what the public headers declare. */
#include "tests/api/api.h"

static const struct part {
    const api_row *row;
    const int *n;
} parts[] = {
    {api_build_rows, &api_build_count},       {api_index_rows, &api_index_count}, {api_op_rows, &api_op_count},
    {api_fold_rows, &api_fold_count},         {api_call_rows, &api_call_count},   {api_text_rows, &api_text_count},
    {api_run_rows, &api_run_count},           {api_ask_rows, &api_ask_count},     {api_look_rows, &api_look_count},
    {api_transfer_rows, &api_transfer_count},
};

int api_rows(void) {
    int n = 0;
    for (int i = 0; i < API_COUNT(parts); i++)
        n += *parts[i].n;
    return n;
}

const api_row *api_row_at(int i) {
    for (int part = 0; part < API_COUNT(parts); part++) {
        if (i < *parts[part].n)
            return &parts[part].row[i];
        i -= *parts[part].n;
    }
    return &parts[0].row[0];
}

int api_weights(void) {
    int sum = 0;
    for (int i = 0; i < api_rows(); i++)
        sum += api_row_at(i)->weight;
    return sum;
}

// SPDX-License-Identifier: MIT
// A program outside of the source tree, C++17: an expression, a user's operator and a mistake. Exit status 0: right.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fusor/fusor.h>
#include <vector>

namespace {

void recurrence(fsr_node *out, const fsr_node *left, const fsr_node *right, void *) {
    out[0] = fsr_mul(left[0], right[0]);
    out[1] = fsr_add(fsr_mul(left[1], right[0]), right[1]);
}

// y[i] = 0.5 y[i - 1] + i, as a scan of the pairs (0.5, i).
bool scans(fsr_graph *g) {
    const std::int64_t shape[] = {100};
    const fsr_node in[] = {fsr_full(g, FSR_F64, 1, shape, 0.5), fsr_arange(g, FSR_F64, 100)};
    fsr_operator op{};
    op.body = recurrence;
    op.arity = 2;
    op.identity[0] = 1;
    fsr_node out[2];
    std::vector<double> y(100);
    double expected = 0;
    bool right = true;

    const int axis = 0;
    fsr_scan_with(out, in, &op, &axis, 1, 0);
    if (fsr_read(out[1], y.data(), y.size() * sizeof y[0]) != FSR_OK)
        return false;
    for (int i = 0; i < 100; i++) {
        expected = 0.5 * expected + i;
        right = right && std::fabs(y[i] - expected) <= 1e-12 * (1 + expected);
    }
    return right;
}

bool expression(fsr_graph *g) {
    const fsr_name names[] = {{"i", fsr_arange(g, FSR_I64, 5)}};
    std::int64_t sum = 0;
    return fsr_read(fsr_expr(g, "sum(i * i)", names, 1), &sum, sizeof sum) == FSR_OK && sum == 30;
}

bool mistake(fsr_graph *g) {
    const fsr_node bad = fsr_add(fsr_arange(g, FSR_F32, 3), fsr_arange(g, FSR_F32, 4));
    return fsr_node_status(bad) == FSR_ERR_SHAPE && std::strstr(fsr_node_error(bad), "outside.cpp") != nullptr;
}

} // namespace

int main() {
    fsr_context *ctx = nullptr;
    if (fsr_open(nullptr, &ctx) != FSR_OK)
        return 2;
    fsr_graph *g = fsr_graph_new(ctx);
    const bool right = scans(g) && expression(g) && mistake(g);
    if (!right)
        std::fprintf(stderr, "wrong; the last error: '%s'\n", fsr_error(ctx));
    fsr_close(ctx);
    return right ? 0 : 4;
}

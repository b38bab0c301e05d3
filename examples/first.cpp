// SPDX-License-Identifier: MIT
// The program of first.c in C++: a softmax along rows, by handles that free themselves and by operators. C++11 or later.
#include <cstdio>
#include <fusor/fusor.hpp>

int main() {
    try {
        fusor::context ctx; // the GPU if there is one, else the CPU
        fusor::graph g(ctx);
        const float data[] = {1, 2, 3, 4, 4, 4};
        fusor::node x = g.array({2, 3}, data);
        fusor::node e = fsr_exp(x - fusor::max(x, {-1}, FSR_KEEPDIMS));
        fusor::node s = e / fusor::sum(e, {-1}, FSR_KEEPDIMS); // nothing has run yet

        const std::vector<float> result = s.to_vector<float>(); // one kernel, one read of x
        std::printf("%g %g %g\n", static_cast<double>(result[0]), static_cast<double>(result[1]),
                    static_cast<double>(result[2]));
    } catch (const fusor::error &e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    return 0;
}

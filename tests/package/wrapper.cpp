// SPDX-License-Identifier: MIT
// fusor.hpp: what its operators record, what it throws, and what moves. Exit status 0: right; else the number of the check.
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fusor/fusor.hpp>
#include <utility>

namespace {

int checks = 0;

#define CHECK(condition)                                                         \
    do {                                                                         \
        checks++;                                                                \
        if (!(condition)) {                                                      \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            return checks;                                                       \
        }                                                                        \
    } while (0)

bool holds(fsr_node x, const std::vector<double> &expected) {
    std::vector<double> got(expected.size());
    const fusor::node wide = fsr_cast(x, FSR_F64);
    return wide.try_read(got.data(), got.size()) == FSR_OK && got == expected;
}

int operators(const fusor::graph &g) {
    const fusor::node x = g.array(std::vector<double>{1, 2, 3}), i = g.array(std::vector<std::int32_t>{7, -7, 5});
    CHECK(holds(x + 1, {2, 3, 4}) && holds(1 - x, {0, -1, -2}) && holds(x * x, {1, 4, 9}) && holds(6 / x, {6, 3, 2}));
    CHECK(holds(i % 3, {1, 2, 2}) && (i % 3).dtype() == FSR_I32 && (i + 1).dtype() == FSR_I32);
    CHECK((i + 0.5).dtype() == FSR_F64 && (x < 2).dtype() == FSR_BOOL);
    CHECK(holds(x < 2, {1, 0, 0}) && holds(x <= 2, {1, 1, 0}) && holds(x > 2, {0, 0, 1}) && holds(x >= 2, {0, 1, 1}));
    CHECK(holds(x == 2, {0, 1, 0}) && holds(x != 2, {1, 0, 1}) && holds(2 == x, {0, 1, 0}));
    CHECK(holds(x > 1 && x < 3, {0, 1, 0}) && holds(x < 2 || x > 2, {1, 0, 1}) && holds(!(x > 1), {1, 0, 0}));
    CHECK(holds(-x, {-1, -2, -3}) && holds(~i, {-8, 6, -6}) && holds(i & 3, {3, 1, 1}) && holds(i | 8, {15, -7, 13}));
    CHECK(holds(i ^ 1, {6, -8, 4}) && holds(i << 1, {14, -14, 10}) && holds(i >> 1, {3, -4, 2}));
    CHECK(holds(x + static_cast<std::size_t>(2), {3, 4, 5}) && holds(x * 0.5f, {0.5, 1, 1.5}));
    fusor::node y = x;
    y += 1;
    y *= x;
    y -= x;
    y /= 2;
    CHECK(holds(y, {0.5, 2, 4.5}) && holds(x, {1, 2, 3}));
    CHECK(holds(fusor::sum(x), {6}) && holds(fusor::max(x, {0}, FSR_KEEPDIMS), {3}));
    CHECK(holds(fusor::argmax(x), {2}) && holds(fusor::argmin(x, {0}), {0}));
    CHECK(holds(fusor::cumsum(x, {0}, FSR_REVERSE), {6, 5, 3}) && holds(fusor::cumprod(x), {1, 2, 6}));
    return 0;
}

// Elementwise functions, views, joins.
int functions(const fusor::graph &g) {
    const fusor::node x = g.array(std::vector<double>{1, 2, 3}),
                      m = g.array({2, 3}, std::vector<double>{1, 2, 3, 4, 5, 6}.data());
    CHECK(holds(fusor::maximum(x, 2), {2, 2, 3}) && holds(fusor::minimum(2, x), {1, 2, 2}) &&
          holds(fusor::square(x), {1, 4, 9}));
    CHECK(holds(fusor::where(x > 1, x, 0), {0, 2, 3}) && holds(fusor::fma(x, 2, 1), {3, 5, 7}) &&
          fusor::exp(2).status() == FSR_ERR_NULL);
    CHECK(holds(fusor::divmod(x, fusor::literal(g, 2)).first, {0, 1, 1}) &&
          holds(fusor::modf(x / 2).first, {0.5, 0, 0.5}));
    CHECK(holds(fusor::sincos(x * 0).second, {1, 1, 1}) && holds(fusor::frexp(x).second, {1, 2, 2}));
    CHECK(holds(fusor::around(x / 8, 1), {0.1, 0.2, 0.4}) && holds(fusor::allclose(x, x + 1e-9), {1}));
    CHECK(holds(fusor::reshape(m, {3, -1}), {1, 2, 3, 4, 5, 6}) && fusor::reshape(m, {3, -1}).dim(1) == 2);
    CHECK(holds(fusor::transpose(m), {1, 4, 2, 5, 3, 6}) && holds(fusor::transpose(m, {1, 0}), {1, 4, 2, 5, 3, 6}));
    CHECK(fusor::transpose(m, {1}).status() == FSR_ERR_AXIS &&
          fusor::moveaxis(m, {0}, {1, 0}).status() == FSR_ERR_AXIS);
    CHECK(holds(fusor::slice(m, 1, 1), {2, 3, 5, 6}) &&
          holds(fusor::slice(x, 0, FSR_SLICE_END, FSR_SLICE_END, -1), {3, 2, 1}));
    CHECK(holds(fusor::concat({x, x * 2}), {1, 2, 3, 2, 4, 6}) && fusor::stack({x, x, x}, 1).dim(1) == 3);
    CHECK(holds(fusor::split(m, 2)[1], {4, 5, 6}) && holds(fusor::split_indices(x, {1})[1], {2, 3}));
    CHECK(fusor::meshgrid({x, fusor::slice(x, 0, 1)})[0].dim(0) == 2);
    CHECK(holds(fusor::update(x, fusor::slice(x, 0, 1), 9), {1, 9, 9}) && holds(fusor::roll(x, {1}), {3, 1, 2}));
    CHECK(holds(fusor::roll(m, {1}, {1}), {3, 1, 2, 6, 4, 5}) && fusor::roll(m, {1}, {0, 1}).status() == FSR_ERR_AXIS);
    CHECK(holds(fusor::pad(x, {{1, 2}}), {0, 1, 2, 3, 0, 0}) &&
          holds(fusor::pad(x, {{1, 0}}, FSR_PAD_EDGE), {1, 1, 2, 3}));
    CHECK(fusor::pad(m, {{1, 1}}).status() != FSR_OK && holds(fusor::repeat(x, 2, {0}), {1, 1, 2, 2, 3, 3}));
    CHECK(holds(fusor::tile(x, {2}), {1, 2, 3, 1, 2, 3}) && holds(fusor::diff(x), {1, 1}) &&
          holds(fusor::tril(m), {1, 0, 0, 4, 5, 0}));
    CHECK(holds(fusor::convolve(x, x), {1, 4, 10, 12, 9}) && holds(fusor::filter(x, x > 1), {2, 3, 0}));
    CHECK(holds(fusor::gradients(m)[0], {3, 3, 3, 3, 3, 3}) && fusor::gradients(m, {1, 2}).size() == 2);
    CHECK(holds(fusor::gradients(m, {2}, {1})[0], {0.5, 0.5, 0.5, 0.5, 0.5, 0.5}));
    const fusor::node i = g.array(std::vector<std::int64_t>{1, 0});
    CHECK(holds(fusor::take(m, i, 1), {2, 1, 5, 4}) && holds(fusor::index(m, {i, i}), {5, 1}));
    CHECK(holds(fusor::dynamic_slice(m, {fusor::literal(g, 1), fusor::literal(g, 1)}, {1, 2}), {5, 6}));
    CHECK(holds(fusor::scatter(m, {fusor::literal(g, 1)}, fusor::literal(g, 9)), {1, 2, 3, 9, 9, 9}));
    CHECK(holds(fusor::scatter_add(x, {i}, fusor::slice(x, 0, 0, 2)), {3, 3, 3}) &&
          holds(fusor::scatter_max(x, {i}, fusor::literal(g, 2)), {2, 2, 3}));
    CHECK(holds(fusor::bincount(i, 3), {1, 1, 0}) && holds(fusor::histogram(x, 2, 1, 3), {1, 2}) &&
          holds(fusor::histogram_edges(x, x, x), {1, 5}) && holds(fusor::histogram2d(x, x, {1, 2}, {0, 4, 0, 4}), {1, 2}) &&
          holds(fusor::put(m, i, fusor::literal(g, 9)), {9, 9, 3, 4, 5, 6}));
    CHECK(fusor::dynamic_slice(m, {i}, {1, 2}).status() != FSR_OK &&
          fusor::dynamic_slice(m, {i, i}, {1}).status() != FSR_OK);
    CHECK(holds(fusor::arange(g, FSR_I32, 3), {0, 1, 2}) && holds(fusor::arange_step(g, FSR_F64, 1, 2, 0.5), {1, 1.5}));
    CHECK(holds(fusor::linspace(g, FSR_F64, 0, 1, 3), {0, 0.5, 1}) &&
          holds(fusor::eye(g, FSR_F32, 2, 2), {1, 0, 0, 1}));
    CHECK(holds(fusor::apply("hypot", {x * 3, x * 4}), {5, 10, 15}) && holds(fusor::zeros_like(x), {0, 0, 0}));
    return 0;
}

void add_states(fsr_node *out, const fsr_node *a, const fsr_node *b, void *) {
    out[0] = fsr_add(a[0], b[0]);
}
void halve(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *) {
    out[0] = fsr_mul(state[0], arg[0]);
}
void total(fsr_node *out, const fsr_node *in, void *) {
    out[0] = fusor::sum(in[0]);
}

// Folds, operators, loops, functions, expressions.
int folds(const fusor::graph &g) {
    const fusor::node x = g.array(std::vector<double>{1, 2, 3}),
                      m = g.array({2, 3}, std::vector<double>{1, 2, 3, 4, 5, 6}.data());
    CHECK(holds(fusor::var(x, {}, 0, 1), {1}) && holds(fusor::stddev(x * 0), {0}) &&
          holds(fusor::norm(m, {1}, 0, 1), {6, 15}));
    CHECK(fusor::sum_as(m, FSR_F32, {0}).dtype() == FSR_F32 && holds(fusor::nanmax(m, {0, 1}), {6}));
    CHECK(holds(fusor::average(x, x), {14.0 / 6}) && holds(fusor::cumany(x > 1), {0, 1, 1}));
    fsr_operator op = fsr_operator();
    op.body = add_states;
    CHECK(holds(fusor::reduce_with({m}, op, {1})[0], {6, 15}) && holds(fusor::scan_with({x}, op, {0})[0], {1, 3, 6}));
    CHECK(fusor::scatter_with({x}, op, {x}, {x, x})[0].status() == FSR_ERR_UNSUPPORTED);
    fsr_loop loop = fsr_loop();
    loop.body = halve;
    const std::vector<fusor::node> turned = fusor::iterate(loop, {x}, {fusor::literal(g, 0.5)}, 2);
    CHECK(turned.size() == 2 && holds(turned[0], {0.25, 0.5, 0.75}) && holds(turned[1], {2, 2, 2}));
    CHECK(holds(fusor::vectorize("(n)->()", 1, {m}, total)[0], {6, 15}));
    const fsr_function line = {"line", "a, x", "a*x + 1"};
    CHECK(holds(fusor::call(line, {x, x}), {2, 5, 10}));
    CHECK(holds(fusor::expr(g, "sum(m, axis=(0, 1)) + x[..., 0]", {{"m", m}, {"x", x}}), {22}));
    CHECK(fusor::exprs(g, "x, max(x, 2)", {{"x", x}}).size() == 2 &&
          fusor::exprs(g, "x, y", {{"x", x}})[0].status() == FSR_ERR_VALUE);
    CHECK(fusor::literal(g, std::complex<float>(1, 2)).dtype() == FSR_C128);
    const int line_of = __LINE__ + 1;
    const fusor::node bad = fusor::reshape(m, {4});
    char place[40];
    std::snprintf(place, sizeof place, "wrapper.cpp:%d", line_of);
    CHECK(bad.status() == FSR_ERR_SHAPE && std::strstr(bad.error(), place));
    return 0;
}

// Values that no double is.
int values(const fusor::graph &g) {
    const std::int64_t odd = (static_cast<std::int64_t>(1) << 53) + 1;
    std::int64_t got[2] = {0, 0};
    CHECK(g.full({2}, odd).try_read(got, 2) == FSR_OK && got[1] == odd);
    const fusor::node p = g.param("p", odd), z = g.param("z", std::complex<double>(1, -2));
    CHECK((p + 1).try_read(got, 1) == FSR_OK && got[0] == odd + 1);
    CHECK(p.try_put(-odd) == FSR_OK && p.try_get(got) == FSR_OK && got[0] == -odd);
    std::complex<double> square;
    CHECK((z * z).try_read(&square, 1) == FSR_OK && square == std::complex<double>(-3, -4));
    CHECK(p.try_put(1.5) == FSR_ERR_DTYPE && g.full({}, odd).try_put(odd) == FSR_ERR_VALUE);
    return 0;
}

// A mistake names the line that it was made in, of an operator too.
int places(const fusor::graph &g) {
    const fusor::node x = g.array(std::vector<float>(3)), y = g.array(std::vector<float>(4));
    const int line = __LINE__ + 1;
    const fusor::node bad = x + y;
    char place[40];
    std::snprintf(place, sizeof place, "wrapper.cpp:%d", line);
    CHECK(bad.status() == FSR_ERR_SHAPE && std::strstr(bad.error(), place));
    float out[3];
    CHECK(bad.try_read(out, 3) == FSR_ERR_SHAPE && x.try_read(out, 2) == FSR_ERR_BYTES);
    double wide[3];
    CHECK(x.try_read(wide, 3) == FSR_ERR_DTYPE && fusor::node().try_read(out, 3) == FSR_ERR_NULL);
    return 0;
}

int handles(const fusor::context &ctx) {
    fusor::graph first(ctx);
    fusor::graph second(std::move(first));
    CHECK(!first.get() && second.get() && fsr_node_context(second.array(std::vector<float>(1))) == ctx.get());
    fusor::node kept;
    fusor::node dropped;
    {
        fusor::scope s(second.get());
        dropped = second.array(std::vector<float>{1});
        kept = s.keep(dropped + 1);
    }
    CHECK(kept.status() == FSR_OK && holds(kept, {2}));
    const fusor::node in = second.input("x", FSR_F32, {3}), out = in * 2;
    const std::vector<float> data{1, 2, 3};
    std::vector<float> doubled(3);
    fusor::plan p, q;
    const fsr_node outs[] = {out};
    CHECK(q.try_compile(outs, 1) == FSR_OK && fsr_plan_context(q.get()) == ctx.get());
    p = std::move(q);
    CHECK(p.try_run({fusor::argument("x", data)}, {fusor::result(doubled)}) == FSR_OK && doubled[2] > 5.5f);
    CHECK(p.try_run({}, {fusor::result(doubled)}) == FSR_ERR_UNBOUND);
    fusor::memory host, device, result;
    CHECK(host.try_take(ctx, FSR_HOST, 12) == FSR_OK && device.try_take(ctx, FSR_DEVICE, 12) == FSR_OK);
    CHECK(result.try_take(ctx, FSR_DEVICE, 12) == FSR_OK);
    for (int i = 0; i < 3; i++)
        host.as<float>()[i] = data[static_cast<std::size_t>(i)];
    fsr_ticket up = 0, down = 0;
    CHECK(fsr_upload(ctx, device.data(), host.data(), 12, &up) == FSR_OK && fsr_after(ctx, up) == FSR_OK);
    CHECK(p.try_run({device.argument("x")}, {result.argument()}) == FSR_OK);
    CHECK(fsr_download(ctx, host.data(), result.data(), 12, &down) == FSR_OK && fsr_wait(ctx, down) == FSR_OK);
    CHECK(result.try_take(ctx, FSR_DEVICE, static_cast<std::size_t>(-1)) == FSR_ERR_SIZE);
    CHECK(result.bytes() == 0 && !result.data());
    fusor::memory moved(std::move(host));
    CHECK(moved.as<float>()[2] > 5.5f && moved.bytes() == 12 && !host.data());
    CHECK(holds(fusor::from_node(second, kept), {2}));
    return 0;
}

#ifndef FUSOR_NO_EXCEPTIONS
template <class F> fsr_status thrown(F f, const char *word) {
    try {
        f();
    } catch (const fusor::error &e) {
        return std::strstr(e.what(), word) ? e.status() : FSR_STATUS_COUNT;
    }
    return FSR_OK;
}

int exceptions(const fusor::context &ctx) {
    fusor::graph g(ctx);
    const fusor::node x = g.array(std::vector<float>{1, 2}), z = fsr_complex(g, 1, 2);
    CHECK((x + x).to_vector<float>()[1] > 3.5f && (x < 2).to_vector<bool>() == (std::vector<bool>{true, false}));
    CHECK(z.item<std::complex<double>>() == std::complex<double>(1, 2));
    const fusor::node bad = x + g.array(std::vector<float>(3));
    CHECK(thrown([&] { bad.to_vector<float>(); }, "wrapper.cpp") == FSR_ERR_SHAPE);
    CHECK(thrown([&] { x.to_vector<int>(); }, "dtype") == FSR_ERR_DTYPE);
    CHECK(thrown([&] { x.item<float>(); }, "bytes") == FSR_ERR_BYTES);
    CHECK(thrown([&] { fusor::plan p({bad}); }, "wrapper.cpp") == FSR_ERR_SHAPE);
    fusor::plan p({g.input("v", FSR_F32, {2}) + 1});
    std::vector<float> y(2);
    CHECK(thrown([&] { p.run({}, {fusor::result(y)}); }, "v") == FSR_ERR_UNBOUND);
    fsr_config config;
    fsr_config_init(&config, nullptr, 0);
    config.threads = -5;
    CHECK(thrown([&] { fusor::context wrong(&config); }, "threads") == FSR_ERR_VALUE);
    return 0;
}
#endif

} // namespace

int main() {
    fusor::context ctx{fusor::context::closed()};
    if (ctx.try_open() != FSR_OK)
        return 100;
    fusor::graph g(ctx);
    int failed = operators(g);
    failed = failed ? failed : functions(g);
    failed = failed ? failed : folds(g);
    failed = failed ? failed : values(g);
    failed = failed ? failed : places(g);
    failed = failed ? failed : handles(ctx);
#ifndef FUSOR_NO_EXCEPTIONS
    failed = failed ? failed : exceptions(ctx);
#endif
    return failed;
}

// SPDX-License-Identifier: MIT
// Fusor for C++11 and later: handles that free themselves, operators, exceptions. Header-only and optional: everything
// here is a few lines over the C functions, which take and give the same values, so both may be mixed freely:
//
//     fusor::context ctx;                                         // the GPU if there is one, else the CPU
//     fusor::graph g(ctx);
//     fusor::node x = g.array({rows, cols}, data);                // std::vector or pointer; copied at the call
//     fusor::node e = fsr_exp(x - fusor::max(x, {-1}, FSR_KEEPDIMS));
//     std::vector<float> soft = (e / fusor::sum(e, {-1}, FSR_KEEPDIMS)).to_vector<float>();
//
// Every fsr_ function takes a fusor::node where it takes an fsr_node, and what it returns becomes one. Each of those that record
// also stands in fusor/functions.hpp, included below, as fusor::name: with lists in braces, defaults, and literals as operands.
//
// Errors. A mistake in recording gives a poisoned node, as in C, with the place of the call, of operators too. What runs
// (to_vector, read, compute, run, opening a context) throws fusor::error. Without exceptions (-fno-exceptions, or
// FUSOR_NO_EXCEPTIONS defined) what would throw is not there, and the functions that begin with try_ are what is left: they
// return an fsr_status, and never throw in either case.
//
// Ownership. context, graph and plan own what they name, move and do not copy; a node is a value that owns nothing. Graphs
// and plans must end before their context, as declaring them after it does. Threads: as the C functions.
#ifndef FUSOR_FUSOR_HPP
#define FUSOR_FUSOR_HPP

#include "fusor/fusor.h"
#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#if !defined(FUSOR_NO_EXCEPTIONS) && !defined(__cpp_exceptions) && !defined(__EXCEPTIONS)
#define FUSOR_NO_EXCEPTIONS 1
#endif
#ifndef FUSOR_NO_EXCEPTIONS
#include <stdexcept>
#endif

namespace fusor {

// ---- errors ---------------------------------------------------------------------------------------------------------

#ifndef FUSOR_NO_EXCEPTIONS
// What a failing call throws: fsr_error's words and the status.
class error : public std::runtime_error {
  public:
    error(fsr_status status, const char *what)
        : std::runtime_error(what && *what ? what : fsr_status_sentence(status)), status_(status) {}
    fsr_status status() const noexcept {
        return status_;
    }

  private:
    fsr_status status_;
};
#endif

// ---- dtypes ---------------------------------------------------------------------------------------------------------

// The dtype of a C++ type: dtype_of<float>::value is FSR_F32. f16 and bf16 have no C++ type; hand their bits to
// graph::array with a dtype.
template <class T> struct dtype_of;
template <> struct dtype_of<bool> { static constexpr fsr_dtype value = FSR_BOOL; };
template <> struct dtype_of<std::int8_t> { static constexpr fsr_dtype value = FSR_I8; };
template <> struct dtype_of<std::uint8_t> { static constexpr fsr_dtype value = FSR_U8; };
template <> struct dtype_of<std::int16_t> { static constexpr fsr_dtype value = FSR_I16; };
template <> struct dtype_of<std::uint16_t> { static constexpr fsr_dtype value = FSR_U16; };
template <> struct dtype_of<std::int32_t> { static constexpr fsr_dtype value = FSR_I32; };
template <> struct dtype_of<std::uint32_t> { static constexpr fsr_dtype value = FSR_U32; };
template <> struct dtype_of<std::int64_t> { static constexpr fsr_dtype value = FSR_I64; };
template <> struct dtype_of<std::uint64_t> { static constexpr fsr_dtype value = FSR_U64; };
template <> struct dtype_of<float> { static constexpr fsr_dtype value = FSR_F32; };
template <> struct dtype_of<double> { static constexpr fsr_dtype value = FSR_F64; };
template <> struct dtype_of<std::complex<float>> { static constexpr fsr_dtype value = FSR_C64; };
template <> struct dtype_of<std::complex<double>> { static constexpr fsr_dtype value = FSR_C128; };

// Extents, axes and operands, as {2, 3}; how much is added before and after an axis.
typedef std::initializer_list<std::int64_t> extents;
typedef std::initializer_list<int> axes;
typedef std::initializer_list<fsr_node> nodes;
struct width {
    std::int64_t before, after;
};

// ---- handles --------------------------------------------------------------------------------------------------------

// Owns an fsr_context.
class context {
  public:
    // Empty until try_open.
    struct closed {};
    explicit context(closed) noexcept : ctx_(nullptr) {}
    context(context &&other) noexcept : ctx_(other.release()) {}
    context &operator=(context &&other) noexcept {
        if (this != &other) {
            fsr_close(ctx_);
            ctx_ = other.release();
        }
        return *this;
    }
    context(const context &) = delete;
    context &operator=(const context &) = delete;
    ~context() {
        fsr_close(ctx_);
    }

    // config null: the environment's. An open context is closed first.
    fsr_status try_open(const fsr_config *config = nullptr) noexcept {
        fsr_close(release());
        return fsr_open_why(config, &ctx_, nullptr, 0);
    }
#ifndef FUSOR_NO_EXCEPTIONS
    explicit context(const fsr_config *config = nullptr) : ctx_(nullptr) {
        char why[512] = "";
        const fsr_status status = fsr_open_why(config, &ctx_, why, sizeof why);
        if (status != FSR_OK)
            throw error(status, why);
    }
#endif
    fsr_context *get() const noexcept {
        return ctx_;
    }
    operator fsr_context *() const noexcept {
        return ctx_;
    }

  private:
    fsr_context *release() noexcept {
        fsr_context *ctx = ctx_;
        ctx_ = nullptr;
        return ctx;
    }
    fsr_context *ctx_;
};

// A recorded value: an fsr_node, from and to which it converts.
class node {
  public:
    node() noexcept : node_() {}
    node(fsr_node x) noexcept : node_(x) {}
    operator fsr_node() const noexcept {
        return node_;
    }

    fsr_status status() const noexcept {
        return fsr_node_status(node_);
    }
    const char *error() const noexcept {
        return fsr_node_error(node_);
    }
    fsr_dtype dtype() const noexcept {
        return fsr_node_dtype(node_);
    }
    int ndim() const noexcept {
        return fsr_node_ndim(node_);
    }
    std::int64_t dim(int axis) const noexcept {
        return fsr_node_dim(node_, axis);
    }
    std::int64_t size() const noexcept {
        return fsr_node_size(node_);
    }

    bool is_live() const noexcept {
        return fsr_node_is_live(node_);
    }

    // Computes and copies n elements to out. FSR_ERR_DTYPE: T is not the node's dtype. FSR_ERR_BYTES: n is not its size.
    template <class T> fsr_status try_read(T *out, std::size_t n) const noexcept {
        if (status() != FSR_OK)
            return status();
        return dtype() != dtype_of<T>::value ? FSR_ERR_DTYPE : fsr_read(node_, out, n * sizeof(T));
    }
    // The value of a parameter, in every bit. FSR_ERR_DTYPE: T is not its dtype. FSR_ERR_VALUE: it is no parameter.
    template <class T> fsr_status try_put(T value) const noexcept {
        if (status() != FSR_OK)
            return status();
        return dtype() != dtype_of<T>::value ? FSR_ERR_DTYPE : fsr_param_put(node_, &value, sizeof value);
    }
    template <class T> fsr_status try_get(T *value) const noexcept {
        if (status() != FSR_OK)
            return status();
        return dtype() != dtype_of<T>::value ? FSR_ERR_DTYPE : fsr_param_get(node_, value, sizeof *value);
    }
#ifndef FUSOR_NO_EXCEPTIONS
    // The elements in C order, of the node's dtype: float of f32, std::complex<double> of c128. Of a length that only the
    // device knows those that are there.
    template <class T> std::vector<T> to_vector() const;
    // Of a node of one element.
    template <class T> T item() const;
#endif

  private:
    fsr_node node_;
};

#ifndef FUSOR_NO_EXCEPTIONS
namespace detail {
// Throws what went wrong with x: its own words if it is poisoned, else those of the context's last error, which knows
// nothing of a dtype that the program's types do not fit.
inline void check_node(fsr_status status, fsr_node x) {
    if (status == FSR_ERR_DTYPE && fsr_node_status(x) == FSR_OK)
        throw error(status, "the elements are not of that dtype");
    if (status != FSR_OK)
        throw error(status, *fsr_node_error(x) ? fsr_node_error(x) : fsr_error(fsr_node_context(x)));
}
} // namespace detail

template <class T> inline std::vector<T> node::to_vector() const {
    std::vector<T> out(size() > 0 ? static_cast<std::size_t>(size()) : 0);
    detail::check_node(try_read(out.data(), out.size()), node_);
    std::int64_t there = 0;
    if (is_live() && fsr_node_count(node_, &there) == FSR_OK)
        out.resize(static_cast<std::size_t>(there));
    return out;
}
// std::vector<bool> has no array: bytes are read first.
template <> inline std::vector<bool> node::to_vector<bool>() const {
    std::vector<std::uint8_t> bytes(size() > 0 ? static_cast<std::size_t>(size()) : 0);
    fsr_status status = fsr_node_status(node_);
    if (status == FSR_OK)
        status = dtype() != FSR_BOOL ? FSR_ERR_DTYPE : fsr_read(node_, bytes.data(), bytes.size());
    detail::check_node(status, node_);
    std::int64_t there = 0;
    if (is_live() && fsr_node_count(node_, &there) == FSR_OK)
        bytes.resize(static_cast<std::size_t>(there));
    return std::vector<bool>(bytes.begin(), bytes.end());
}
template <class T> inline T node::item() const {
    T out = T();
    detail::check_node(try_read(&out, 1), node_);
    return out;
}
#endif

// Two results of one call.
typedef std::pair<node, node> node_pair;

// Owns an fsr_graph.
class graph {
  public:
    // Null if memory is out: get() tells, and every node recorded in it is the null node.
    explicit graph(const context &ctx) noexcept : graph_(fsr_graph_new(ctx.get())) {}
    graph(graph &&other) noexcept : graph_(other.graph_) {
        other.graph_ = nullptr;
    }
    graph &operator=(graph &&other) noexcept {
        std::swap(graph_, other.graph_);
        return *this;
    }
    graph(const graph &) = delete;
    graph &operator=(const graph &) = delete;
    ~graph() {
        fsr_graph_free(graph_);
    }

    fsr_graph *get() const noexcept {
        return graph_;
    }
    operator fsr_graph *() const noexcept {
        return graph_;
    }

    // Arrays, copied. data: as many elements as the extents' product.
    template <class T>
    node array(extents shape, const T *data, const char *file = __builtin_FILE(), int line = __builtin_LINE()) const {
        return fsr_from_host_at(fsr_here(file, line), graph_, dtype_of<T>::value, static_cast<int>(shape.size()),
                                shape.begin(), data);
    }
    template <class T>
    node array(const std::vector<T> &data, const char *file = __builtin_FILE(), int line = __builtin_LINE()) const {
        return array({static_cast<std::int64_t>(data.size())}, data.data(), file, line);
    }
    // One value everywhere, and a parameter, of T's dtype and in every bit.
    template <class T>
    node full(extents shape, T value, const char *file = __builtin_FILE(), int line = __builtin_LINE()) const {
        return fsr_full_of_at(fsr_here(file, line), graph_, dtype_of<T>::value, static_cast<int>(shape.size()),
                              shape.begin(), &value);
    }
    template <class T>
    node param(const char *name, T value, const char *file = __builtin_FILE(), int line = __builtin_LINE()) const {
        return fsr_param_of_at(fsr_here(file, line), graph_, name, dtype_of<T>::value, &value);
    }
    // An array of a plan, by name.
    node input(const char *name, fsr_dtype dtype, extents shape, const char *file = __builtin_FILE(),
               int line = __builtin_LINE()) const {
        return fsr_input_at(fsr_here(file, line), graph_, name, dtype, static_cast<int>(shape.size()), shape.begin());
    }

  private:
    fsr_graph *graph_;
};

// Drops what is recorded while it lives, but what is kept; see fsr_scope_begin.
class scope {
  public:
    explicit scope(fsr_graph *g) noexcept : graph_(fsr_scope_begin(g) == FSR_OK ? g : nullptr) {}
    scope(const scope &) = delete;
    scope &operator=(const scope &) = delete;
    ~scope() {
        if (graph_)
            fsr_scope_end(graph_, kept_.data(), static_cast<int>(kept_.size()));
    }
    // x outlives the scope.
    node keep(node x) {
        kept_.push_back(x);
        return x;
    }

  private:
    fsr_graph *graph_;
    std::vector<fsr_node> kept_;
};

// Owns an fsr_plan.
class plan {
  public:
    plan() noexcept : plan_(nullptr) {}
    plan(plan &&other) noexcept : plan_(other.plan_) {
        other.plan_ = nullptr;
    }
    plan &operator=(plan &&other) noexcept {
        std::swap(plan_, other.plan_);
        return *this;
    }
    plan(const plan &) = delete;
    plan &operator=(const plan &) = delete;
    ~plan() {
        fsr_plan_free(plan_);
    }

    // Compiles; what this plan was before is freed.
    fsr_status try_compile(const fsr_node *outs, int n) noexcept {
        fsr_plan_free(plan_);
        return fsr_compile(outs, n, &plan_);
    }
    // Result i may take the memory of the input named donated[i], which may be null.
    fsr_status try_compile(const fsr_node *outs, int n, const char *const *donated) noexcept {
        fsr_plan_free(plan_);
        return fsr_compile_donating(outs, n, donated, &plan_);
    }
    fsr_status try_run(std::initializer_list<fsr_arg> inputs, std::initializer_list<fsr_arg> outputs,
                       void *stream = nullptr) const noexcept {
        return fsr_plan_run(plan_, inputs.begin(), static_cast<int>(inputs.size()), outputs.begin(),
                            static_cast<int>(outputs.size()), stream);
    }
    // Measures schedules of the plan's kernels with these arguments; report may be null (fusor/tune.h).
    fsr_status try_autotune(std::initializer_list<fsr_arg> inputs, std::initializer_list<fsr_arg> outputs,
                            fsr_tune_report *report = nullptr) const noexcept {
        return fsr_autotune(plan_, inputs.begin(), static_cast<int>(inputs.size()), outputs.begin(),
                            static_cast<int>(outputs.size()), report);
    }
    // Fields of the schedule of kernel i by name, "threads 128"; "" gives it back its own.
    fsr_status try_set_schedule(int i, const char *fields) const noexcept {
        return fsr_plan_set_schedule(plan_, i, fields);
    }
#ifndef FUSOR_NO_EXCEPTIONS
    explicit plan(std::initializer_list<node> outs) : plan_(nullptr) {
        const std::vector<fsr_node> list(outs.begin(), outs.end());
        const fsr_status status = try_compile(list.data(), static_cast<int>(list.size()));
        detail::check_node(status, list.empty() ? fsr_node() : list[0]);
    }
    void run(std::initializer_list<fsr_arg> inputs, std::initializer_list<fsr_arg> outputs,
             void *stream = nullptr) const {
        const fsr_status status = try_run(inputs, outputs, stream);
        if (status != FSR_OK)
            throw error(status, fsr_error(fsr_plan_context(plan_)));
    }
    fsr_tune_report autotune(std::initializer_list<fsr_arg> inputs, std::initializer_list<fsr_arg> outputs) const {
        fsr_tune_report report;
        const fsr_status status = try_autotune(inputs, outputs, &report);
        if (status != FSR_OK)
            throw error(status, fsr_error(fsr_plan_context(plan_)));
        return report;
    }
    void set_schedule(int i, const char *fields) const {
        const fsr_status status = try_set_schedule(i, fields);
        if (status != FSR_OK)
            throw error(status, fsr_error(fsr_plan_context(plan_)));
    }
#endif
    fsr_plan *get() const noexcept {
        return plan_;
    }

  private:
    fsr_plan *plan_;
};

// Owns memory of fsr_alloc, of the host (pinned on a GPU) or of the device; must end before its context.
class memory {
  public:
    memory() noexcept : ctx_(nullptr), place_(FSR_HOST), data_(nullptr), bytes_(0) {}
    memory(memory &&other) noexcept : memory() {
        swap(other);
    }
    memory &operator=(memory &&other) noexcept {
        swap(other);
        return *this;
    }
    memory(const memory &) = delete;
    memory &operator=(const memory &) = delete;
    ~memory() {
        fsr_free(ctx_, place_, data_);
    }

    // What this memory was before is freed.
    fsr_status try_take(fsr_context *ctx, fsr_place place, std::size_t bytes) noexcept {
        fsr_free(ctx_, place_, data_);
        ctx_ = ctx;
        place_ = place;
        const fsr_status status = fsr_alloc(ctx, place, bytes, &data_);
        bytes_ = status == FSR_OK ? bytes : 0;
        return status;
    }
#ifndef FUSOR_NO_EXCEPTIONS
    memory(fsr_context *ctx, fsr_place place, std::size_t bytes) : memory() {
        const fsr_status status = try_take(ctx, place, bytes);
        if (status != FSR_OK)
            throw error(status, fsr_error(ctx));
    }
#endif
    void *data() const noexcept {
        return data_;
    }
    template <class T> T *as() const noexcept {
        return static_cast<T *>(data_);
    }
    std::size_t bytes() const noexcept {
        return bytes_;
    }
    // As an argument of plan::run, by name; an output's is not looked at.
    fsr_arg argument(const char *name = "") const noexcept {
        fsr_arg arg = {name, data_, bytes_, place_};
        return arg;
    }

  private:
    void swap(memory &other) noexcept {
        std::swap(ctx_, other.ctx_);
        std::swap(place_, other.place_);
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
    }
    fsr_context *ctx_;
    fsr_place place_;
    void *data_;
    std::size_t bytes_;
};

// An argument of plan::run: an array of the host by name, borrowed until the run returns; outputs go by position.
template <class T> inline fsr_arg argument(const char *name, const std::vector<T> &data) noexcept {
    fsr_arg arg = {name, const_cast<T *>(data.data()), data.size() * sizeof(T), FSR_HOST};
    return arg;
}
template <class T> inline fsr_arg result(std::vector<T> &data) noexcept {
    fsr_arg arg = {"", data.data(), data.size() * sizeof(T), FSR_HOST};
    return arg;
}

// ---- operators ------------------------------------------------------------------------------------------------------

namespace detail {

// An operand of an operator: a node, or a literal, which is weak as Python's are; and where it stands, so that a mistake
// names the line. Literals become nodes beside the other operand's.
class operand {
  public:
    operand(const node &x, const char *file = __builtin_FILE(), int line = __builtin_LINE()) noexcept
        : node_(x), kind_(is_node), real_(0), whole_(0), at_(fsr_here(file, line)) {}
    operand(fsr_node x, const char *file = __builtin_FILE(), int line = __builtin_LINE()) noexcept
        : node_(x), kind_(is_node), real_(0), whole_(0), at_(fsr_here(file, line)) {}
    // Unsigned ones must be less than 2^63.
    template <class T, class = typename std::enable_if<std::is_arithmetic<T>::value>::type>
    operand(T value, const char *file = __builtin_FILE(), int line = __builtin_LINE()) noexcept
        : node_(), kind_(std::is_same<T, bool>::value       ? is_truth
                         : std::is_floating_point<T>::value ? is_real
                                                            : is_whole),
          real_(static_cast<double>(value)), whole_(static_cast<std::int64_t>(value)), at_(fsr_here(file, line)) {}

    fsr_site at() const noexcept {
        return at_;
    }
    // Null of a literal.
    fsr_graph *graph() const noexcept {
        return node_.graph;
    }
    // As a node, a literal one of that graph.
    fsr_node in(fsr_graph *g) const noexcept {
        switch (kind_) {
        case is_real: return fsr_float_at(at_, g, real_);
        case is_whole: return fsr_int_at(at_, g, whole_);
        case is_truth: return fsr_bool_at(at_, g, whole_ != 0);
        case is_node: break;
        }
        return node_;
    }

  private:
    enum kind { is_node, is_real, is_whole, is_truth };
    fsr_node node_;
    kind kind_;
    double real_;
    std::int64_t whole_;
    fsr_site at_;
};

// A list as an array of FSR_MAX_DIMS; one of another length than `want` is all of what no function takes.
template <class T> struct row {
    row(std::initializer_list<T> list, int want, T wrong) noexcept {
        const bool fits = want <= FSR_MAX_DIMS && static_cast<int>(list.size()) == want;
        for (int i = 0; i < FSR_MAX_DIMS; i++)
            at[i] = fits && i < want ? list.begin()[i] : wrong;
    }
    T at[FSR_MAX_DIMS];
};
constexpr int no_axis = FSR_MAX_DIMS + 1;

} // namespace detail

// Elementwise, with NumPy's promotion and broadcasting; / is true division, % takes the divisor's sign, == and the other
// comparisons give bools, element by element; && and || evaluate both sides.
#define FUSOR_BINARY(symbol, function)                                                         \
    inline node operator symbol(const detail::operand &a, const detail::operand &b) noexcept { \
        fsr_graph *g = a.graph() ? a.graph() : b.graph();                                      \
        return function##_at(a.at(), a.in(g), b.in(g));                                        \
    }
FUSOR_BINARY(+, fsr_add)
FUSOR_BINARY(-, fsr_sub)
FUSOR_BINARY(*, fsr_mul)
FUSOR_BINARY(/, fsr_div)
FUSOR_BINARY(%, fsr_mod)
FUSOR_BINARY(<, fsr_less)
FUSOR_BINARY(<=, fsr_less_equal)
FUSOR_BINARY(>, fsr_greater)
FUSOR_BINARY(>=, fsr_greater_equal)
FUSOR_BINARY(==, fsr_equal)
FUSOR_BINARY(!=, fsr_not_equal)
FUSOR_BINARY(&&, fsr_logical_and)
FUSOR_BINARY(||, fsr_logical_or)
FUSOR_BINARY(&, fsr_bitwise_and)
FUSOR_BINARY(|, fsr_bitwise_or)
FUSOR_BINARY(^, fsr_bitwise_xor)
FUSOR_BINARY(<<, fsr_left_shift)
FUSOR_BINARY(>>, fsr_right_shift)
#undef FUSOR_BINARY

#define FUSOR_UNARY(symbol, function)                                \
    inline node operator symbol(const detail::operand &a) noexcept { \
        return function##_at(a.at(), a.in(a.graph()));               \
    }
FUSOR_UNARY(-, fsr_neg)
FUSOR_UNARY(!, fsr_logical_not)
FUSOR_UNARY(~, fsr_bitwise_invert)
#undef FUSOR_UNARY

#define FUSOR_ASSIGN(symbol, function)                                         \
    inline node &operator symbol(node &a, const detail::operand &b) noexcept { \
        return a = function##_at(b.at(), a, b.in(fsr_node(a).graph));          \
    }
FUSOR_ASSIGN(+=, fsr_add)
FUSOR_ASSIGN(-=, fsr_sub)
FUSOR_ASSIGN(*=, fsr_mul)
FUSOR_ASSIGN(/=, fsr_div)
#undef FUSOR_ASSIGN

} // namespace fusor

#include "fusor/functions.hpp"

#endif

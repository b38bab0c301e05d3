// SPDX-License-Identifier: MIT
/* Generated CUDA on the host: the words of the language and the pieces of the prelude that speak to the device, as
 * C++17 on the machine of machine.h. It comes before the kernel's text; that includes nothing, so neither does this.
 *
 * What others may wait for counts as progress when it is written; wherever a word reads or writes it, others may go
 * first. */
#ifndef FUSOR_TESTS_HOST_CUDA_HOST_PRELUDE_HPP
#define FUSOR_TESTS_HOST_CUDA_HOST_PRELUDE_HPP

/* ---- the machine; the same as in machine.h ------------------------------------------------------------ */

struct host_dim {
    unsigned x, y, z;
};
struct host_self {
    host_dim thread, block;
};
struct host_table {
    void (*barrier)(int line);
    void (*meet)(unsigned threads, int line);
    unsigned (*shuffle)(unsigned word, unsigned lane, int line);
    void (*yield)(int line);
    void (*progress)();
};

extern "C" {
host_self *host_now;
const host_table *host_calls;
/* The bounds of the section of __shared__ variables; null without any. */
extern char __start_host_shared[] __attribute__((weak, visibility("hidden")));
extern char __stop_host_shared[] __attribute__((weak, visibility("hidden")));
char *host_shared_begin() {
    return __start_host_shared;
}
__SIZE_TYPE__ host_shared_bytes() {
    return (__SIZE_TYPE__)(__stop_host_shared - __start_host_shared);
}
}

/* ---- words of the language ---------------------------------------------------------------------------- */

#define __global__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __shared__ static __attribute__((section("host_shared")))
#define fsr_dynamic(T, name, n) __shared__ T name[n]
#define threadIdx (host_now->thread)
#define blockIdx (host_now->block)

#define HOST_MATH1(name)                     \
    extern "C" double name(double) noexcept; \
    extern "C" float name##f(float) noexcept;
#define HOST_MATH2(name)                             \
    extern "C" double name(double, double) noexcept; \
    extern "C" float name##f(float, float) noexcept;
HOST_MATH1(fabs)
HOST_MATH1(sqrt)
HOST_MATH1(exp)
HOST_MATH1(log)
HOST_MATH1(sin)
HOST_MATH1(cos)
HOST_MATH1(tanh)
HOST_MATH1(sinh)
HOST_MATH1(cosh)
HOST_MATH1(log1p)
HOST_MATH1(floor)
HOST_MATH1(ceil)
HOST_MATH2(pow)
HOST_MATH1(exp2)
HOST_MATH1(expm1)
HOST_MATH1(log2)
HOST_MATH1(log10)
HOST_MATH1(cbrt)
HOST_MATH1(tan)
HOST_MATH1(asin)
HOST_MATH1(acos)
HOST_MATH1(atan)
HOST_MATH1(asinh)
HOST_MATH1(acosh)
HOST_MATH1(atanh)
HOST_MATH1(erf)
HOST_MATH1(erfc)
HOST_MATH1(lgamma)
HOST_MATH1(tgamma)
HOST_MATH1(rint)
HOST_MATH1(trunc)
HOST_MATH2(atan2)
HOST_MATH2(hypot)
HOST_MATH2(fmod)
HOST_MATH2(copysign)
HOST_MATH2(nextafter)
HOST_MATH2(fmax)
HOST_MATH2(fmin)
extern "C" double ldexp(double, int) noexcept;
extern "C" float ldexpf(float, int) noexcept;
extern "C" double frexp(double, int *) noexcept;
extern "C" float frexpf(float, int *) noexcept;
extern "C" double fma(double, double, double) noexcept;
extern "C" float fmaf(float, float, float) noexcept;

/* What only CUDA's library has. */
static inline double rsqrt(double x) {
    return 1 / sqrt(x);
}
static inline float rsqrtf(float x) {
    return (float)(1 / sqrt((double)x));
}
static inline int __popc(unsigned x) {
    return __builtin_popcount(x);
}
static inline int __popcll(unsigned long long x) {
    return __builtin_popcountll(x);
}
static inline unsigned long long fsr_wide(unsigned a, unsigned b) {
    return (unsigned long long)a * b;
}
static inline int __clzll(long long x) {
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}
/* Newton's method on erf, or on the logarithm of erfc in the tails. */
static inline double erfinv(double a) {
    const double root = 0x1.c5bf891b4ef6bp-1, m = fabs(a);
    if (!(m < 1) || a == 0)
        return m == 1 ? a / 0.0 : a == 0 ? a : __builtin_nan("");
    double x = m > 0.5 ? sqrt(-log(1 - m)) : m * root;
    for (int i = 0; i < 40; i++)
        x += m > 0.5 ? log(erfc(x) / (1 - m)) * erfc(x) * root * exp(x * x) : (m - erf(x)) * root * exp(x * x);
    return copysign(x, a);
}
static inline float erfinvf(float a) {
    return (float)erfinv((double)a);
}

/* By quarters of a turn; turn: 0 of a sine, 1 of a cosine. */
static inline double host_turn(double x, int turn) {
    const double whole = 2 * floor(x / 2), rest = x - whole, quarter = floor(2 * rest + 0.5);
    const double angle = (rest - quarter / 2) * 0x1.921fb54442d18p+1;
    const int side = x - x == 0 ? ((int)quarter + turn) & 3 : 0;
    const double y = side & 1 ? cos(angle) : sin(angle);
    return side & 2 ? -y : y;
}
static inline double sinpi(double x) {
    return copysign(1.0, x) * host_turn(fabs(x), 0);
}
static inline double cospi(double x) {
    return host_turn(fabs(x), 1) + 0.0;
}
static inline float sinpif(float x) {
    return (float)sinpi((double)x);
}
static inline float cospif(float x) {
    return (float)cospi((double)x);
}

/* ---- pieces of the prelude ---------------------------------------------------------------------------- */

/* The last argument is the line of the call. */
#define HOST_LINE int line = __builtin_LINE()
typedef unsigned long long host_word;

static inline void fsr_barrier(HOST_LINE) {
    host_calls->barrier(line);
}
static inline unsigned fsr_shuffle_word(unsigned word, unsigned lane, HOST_LINE) {
    return host_calls->shuffle(word, lane, line);
}
static inline void fsr_warp_barrier(HOST_LINE) {
    host_calls->shuffle(0, 0, line);
}
static inline void fsr_pause(HOST_LINE) {
    host_calls->yield(line);
}
static inline void fsr_fence(HOST_LINE) {
    host_calls->yield(line);
}
static inline unsigned fsr_add_ticket(unsigned *at, HOST_LINE) {
    host_calls->yield(line);
    host_calls->progress();
    return (*at)++;
}
static inline void fsr_keep_greatest(unsigned long long *at, unsigned long long word, HOST_LINE) {
    host_calls->yield(line);
    *at = word > *at ? word : *at;
}
static inline unsigned fsr_swap_word(unsigned *at, unsigned was, unsigned is, HOST_LINE) {
    host_calls->yield(line);
    const unsigned seen = *at;
    *at = seen == was ? is : seen;
    return seen;
}
static inline host_word fsr_swap_word(host_word *at, host_word was, host_word is, HOST_LINE) {
    host_calls->yield(line);
    const host_word seen = *at;
    *at = seen == was ? is : seen;
    return seen;
}
/* Stores that combine: others may go first, none in between. Sums wrap. */
template <class T> struct host_wraps { typedef T type; };
template <> struct host_wraps<int> { typedef unsigned type; };
template <> struct host_wraps<long long> { typedef host_word type; };
#define HOST_INTO(name, ...)                                                       \
    template <class T> static inline void fsr_into_##name(T *at, T x, HOST_LINE) { \
        host_calls->yield(line);                                                   \
        const T was = *at;                                                         \
        *at = __VA_ARGS__;                                                         \
    }
HOST_INTO(add, (T)((typename host_wraps<T>::type)was + (typename host_wraps<T>::type)x))
HOST_INTO(maximum, was > x || was != was ? was : x)
HOST_INTO(minimum, was < x || was != was ? was : x)
HOST_INTO(bitwise_and, was &x)
HOST_INTO(bitwise_or, was | x)
HOST_INTO(bitwise_xor, was ^ x)
static inline void fsr_post_flag(unsigned *at, HOST_LINE) {
    host_calls->yield(line);
    host_calls->progress();
    *at = 1;
}
static inline unsigned fsr_peek_flag(const unsigned *at, HOST_LINE) {
    host_calls->yield(line);
    return *at;
}
/* Who posts may be long in doing what comes next. */
static inline void fsr_post_word(host_word *at, host_word word, HOST_LINE) {
    host_calls->yield(line);
    host_calls->progress();
    *at = word;
    for (int i = 0; i < 200; i++)
        host_calls->yield(line);
}
static inline host_word fsr_peek_word(const host_word *at, HOST_LINE) {
    host_calls->yield(line);
    return *at;
}
static inline void fsr_post_pair(host_word *at, host_word low, host_word high, HOST_LINE) {
    host_calls->yield(line);
    host_calls->progress();
    at[0] = low;
    at[1] = high;
}
static inline void fsr_peek_pair(const host_word *at, host_word &low, host_word &high, HOST_LINE) {
    host_calls->yield(line);
    low = at[0];
    high = at[1];
}

template <class To, class From> static inline To host_bits(From from) {
    To to;
    static_assert(sizeof to == sizeof from, "as many bits");
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}
static inline void fsr_opaque(unsigned &) {}
template <class T> static inline T fsr_once(const T *p) {
    return *p;
}

/* Barriers in shared memory: how many have yet to arrive in this turn, of how many, bytes that are still to come, and
 * the turn's
   parity. Copies come when others have gone first. */
struct host_gate {
    unsigned short left, all;
    unsigned bytes : 31, parity : 1;
};
static inline void host_gate_change(host_word *at, unsigned arrivals, int bytes) {
    host_gate gate = host_bits<host_gate>(*at);
    gate.left -= arrivals;
    gate.bytes += bytes;
    if (!gate.left && !gate.bytes) {
        gate.left = gate.all;
        gate.parity ^= 1;
        host_calls->progress();
    }
    *at = host_bits<host_word>(gate);
}
static inline void fsr_gate_start(host_word *at, unsigned arrivals) {
    *at = host_bits<host_word>(host_gate{(unsigned short)arrivals, (unsigned short)arrivals, 0, 0});
}
static inline void fsr_gates_started() {}
static inline void fsr_gate_arrive(host_word *at, HOST_LINE) {
    host_calls->yield(line);
    host_gate_change(at, 1, 0);
}
static inline void fsr_gate_expect(host_word *at, unsigned bytes, HOST_LINE) {
    host_calls->yield(line);
    host_gate_change(at, 1, (int)bytes);
}
static inline void fsr_gate_await(host_word *at, unsigned parity, HOST_LINE) {
    do
        host_calls->yield(line);
    while (host_bits<host_gate>(*at).parity == parity);
}
static inline void fsr_bulk_copy(void *to, const void *from, unsigned bytes, host_word *gate, HOST_LINE) {
    for (int i = 0; i < 40; i++)
        host_calls->yield(line);
    __builtin_memcpy(to, from, bytes);
    host_gate_change(gate, 0, -(int)bytes);
}
static inline void fsr_bulk_follows() {}
template <int THREADS> static inline void fsr_first_meet(HOST_LINE) {
    host_calls->meet(THREADS, line);
}
static inline unsigned fsr_warp_add(unsigned word, HOST_LINE) {
    unsigned sum = 0;
    for (unsigned lane = 0; lane < 32; lane++)
        sum += host_calls->shuffle(word, lane, line);
    return sum;
}

/* As the machine converts: towards zero, to the nearest there is; NaN is none of what callers take. */
template <class T, class F> static inline T host_chop(F x, T least, T most, F behind) {
    return x != x ? 0 : x >= behind ? most : x <= (F)least ? least : (T)x;
}
#define HOST_CHOP(name, T, least, most, behind)                \
    static inline T fsr_chop_##name(float x) {                 \
        return host_chop<T, float>(x, least, most, behind##f); \
    }                                                          \
    static inline T fsr_chop_##name(double x) {                \
        return host_chop<T, double>(x, least, most, behind);   \
    }
HOST_CHOP(i32, int, -2147483647 - 1, 2147483647, 0x1p+31)
HOST_CHOP(u32, unsigned, 0u, 4294967295u, 0x1p+32)
HOST_CHOP(i64, long long, -9223372036854775807ll - 1, 9223372036854775807ll, 0x1p+63)
HOST_CHOP(u64, unsigned long long, 0ull, 18446744073709551615ull, 0x1p+64)

static inline float fsr_if_odd(unsigned q, float odd, float even) {
    return q & 1 ? odd : even;
}
static inline float fsr_root(float x) {
    return sqrtf(x);
}
static inline float fsr_near_reciprocal(float x) {
    return 1.0f / x;
}
static inline float fsr_near_exp2(float x) {
    return exp2f(x);
}
static inline float fsr_f32_bits(unsigned bits) {
    return host_bits<float>(bits);
}
static inline float fsr_f16_value(unsigned short bits) {
    return (float)host_bits<_Float16>(bits);
}
static inline unsigned short fsr_f16_round(float x) {
    return host_bits<unsigned short>((_Float16)x);
}
static inline unsigned short fsr_bf16_round(float x) {
    unsigned bits = host_bits<unsigned>(x), half = bits & 0x8000, rest = bits & 0x7fff, odd = bits >> 16 & 1;
    if (x != x)
        return 0x7fff;
    return (unsigned short)((bits >> 16) + (half && (rest || odd)));
}
static inline double fsr_f64_bits(unsigned long long bits) {
    return host_bits<double>(bits);
}

/* ---- the entry ---------------------------------------------------------------------------------------- */

template <int... I> struct host_sequence {};
template <class... P, int... I> static void host_apply(void (*kernel)(P...), void **args, host_sequence<I...>) {
    kernel(*(P *)args[I]...);
}
template <class... P> static void host_start(void (*kernel)(P...), void **args) {
    host_apply(kernel, args, host_sequence<__integer_pack(sizeof...(P))...>());
}
#define HOST_KERNEL(name)                     \
    extern "C" void host_entry(void **args) { \
        host_start(name, args);               \
    }

#endif

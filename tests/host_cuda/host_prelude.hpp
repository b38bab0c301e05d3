/* CUDA C++ for the host: gives the words of a generated kernel a meaning in C++17, on the machine of machine.h. It comes
 * before the kernel's text, which has no includes, so this has none either.
 *
 * What a word of CUDA does here that it does not do there: loads and stores that other threads may wait for count as
 * progress and yield now and then, so that a spin ends and other blocks come in between; atomics are plain, for there is
 * one host thread. */
#ifndef FUSOR_TESTS_HOST_CUDA_HOST_PRELUDE_HPP
#define FUSOR_TESTS_HOST_CUDA_HOST_PRELUDE_HPP

#define FSR_HOST 1
#define __CUDA_ARCH__ 900

typedef __SIZE_TYPE__ size_t;

/* ---- the machine (machine.h) -------------------------------------------------------------------------- */

struct host_dim {
    unsigned x, y, z;
};
struct host_self {
    host_dim thread, block, threads, blocks;
    unsigned lane;
};
enum host_collective {
    HOST_SYNC,
    HOST_SHUFFLE_IDX,
    HOST_SHUFFLE_UP,
    HOST_SHUFFLE_DOWN,
    HOST_SHUFFLE_XOR,
    HOST_BALLOT
};
struct host_table {
    int (*barrier)(int value, int line);
    void (*collect)(host_collective what, unsigned mask, void *value, unsigned size, unsigned lane, unsigned width,
                    int line);
    void (*yield)(int line);
    void (*progress)();
    void (*fail)(const char *message, int line);
};

extern "C" {
host_self *host_now;
const host_table *host_calls;
/* The bounds of the section that holds __shared__ variables; absent without any. */
extern char __start_host_shared[] __attribute__((weak, visibility("hidden")));
extern char __stop_host_shared[] __attribute__((weak, visibility("hidden")));
char *host_shared_begin() {
    return __start_host_shared;
}
size_t host_shared_bytes() {
    return (size_t)(__stop_host_shared - __start_host_shared);
}
}

/* ---- words of the language ---------------------------------------------------------------------------- */

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __restrict__
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __shared__ static __attribute__((section("host_shared")))
#define __grid_constant__

#define threadIdx (host_now->thread)
#define blockIdx (host_now->block)
#define blockDim (host_now->threads)
#define gridDim (host_now->blocks)
#define warpSize 32

/* ---- threads together --------------------------------------------------------------------------------- */

#define __syncthreads() ((void)host_calls->barrier(0, __LINE__))
#define __syncthreads_count(p) (host_calls->barrier((p) != 0, __LINE__))
#define __syncthreads_or(p) (host_calls->barrier((p) != 0, __LINE__) != 0)
#define __syncthreads_and(p) (host_calls->barrier((p) != 0, __LINE__) == (int)blockDim.x)

template <class T>
static inline T host_shuffle(host_collective what, unsigned mask, T value, unsigned lane, unsigned width, int line) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles take 4 or 8 bytes");
    host_calls->collect(what, mask, &value, sizeof value, lane, width, line);
    return value;
}
static inline unsigned host_ballot(unsigned mask, bool vote, int line) {
    unsigned value = vote;
    host_calls->collect(HOST_BALLOT, mask, &value, sizeof value, 0, 32, line);
    return value;
}
static inline void host_sync(unsigned mask, int line) {
    char nothing = 0;
    host_calls->collect(HOST_SYNC, mask, &nothing, 0, 0, 32, line);
}
struct host_width {
    unsigned lane, width;
    constexpr host_width(unsigned l, unsigned w = 32) : lane(l), width(w) {}
};
#define HOST_SHUFFLE(what, mask, value, ...)                                                                           \
    host_shuffle(what, mask, value, host_width(__VA_ARGS__).lane, host_width(__VA_ARGS__).width, __LINE__)
#define __shfl_sync(mask, value, ...) HOST_SHUFFLE(HOST_SHUFFLE_IDX, mask, value, __VA_ARGS__)
#define __shfl_up_sync(mask, value, ...) HOST_SHUFFLE(HOST_SHUFFLE_UP, mask, value, __VA_ARGS__)
#define __shfl_down_sync(mask, value, ...) HOST_SHUFFLE(HOST_SHUFFLE_DOWN, mask, value, __VA_ARGS__)
#define __shfl_xor_sync(mask, value, ...) HOST_SHUFFLE(HOST_SHUFFLE_XOR, mask, value, __VA_ARGS__)
#define __ballot_sync(mask, vote) host_ballot(mask, (vote) != 0, __LINE__)
#define __any_sync(mask, vote) (host_ballot(mask, (vote) != 0, __LINE__) != 0)
#define __all_sync(mask, vote) (host_ballot(mask, (vote) != 0, __LINE__) == (unsigned)(mask))
static inline void host_sync_all(int line, unsigned mask = 0xffffffffu) {
    host_sync(mask, line);
}
#define __syncwarp(...) host_sync_all(__LINE__ __VA_OPT__(, ) __VA_ARGS__)

/* ---- memory that others see --------------------------------------------------------------------------- */

#define __threadfence() host_calls->progress()
#define __threadfence_block() host_calls->progress()
#define __nanosleep(ns) ((void)(ns), host_calls->yield(__LINE__))

template <class T> static inline T host_exchange(T *at, T value) {
    T old = *at;
    if (old != value)
        host_calls->progress();
    *at = value;
    return old;
}
template <class T, class V> static inline T atomicAdd(T *at, V value) {
    return host_exchange(at, (T)(*at + (T)value));
}
template <class T, class V> static inline T atomicSub(T *at, V value) {
    return host_exchange(at, (T)(*at - (T)value));
}
template <class T, class V> static inline T atomicExch(T *at, V value) {
    return host_exchange(at, (T)value);
}
template <class T, class V> static inline T atomicOr(T *at, V value) {
    return host_exchange(at, (T)(*at | (T)value));
}
template <class T, class V> static inline T atomicAnd(T *at, V value) {
    return host_exchange(at, (T)(*at & (T)value));
}
template <class T, class V> static inline T atomicMax(T *at, V value) {
    return host_exchange(at, *at < (T)value ? (T)value : *at);
}
template <class T, class V> static inline T atomicMin(T *at, V value) {
    return host_exchange(at, (T)value < *at ? (T)value : *at);
}
template <class T, class V> static inline T atomicCAS(T *at, V expected, V value) {
    return host_exchange(at, *at == (T)expected ? (T)value : *at);
}
static inline unsigned atomicInc(unsigned *at, unsigned limit) {
    return host_exchange(at, *at >= limit ? 0 : *at + 1);
}

template <class T> static inline T __ldg(const T *at) {
    return *at;
}

/* ---- arithmetic --------------------------------------------------------------------------------------- */

#define HOST_MATH1(name) extern "C" double name(double) noexcept; extern "C" float name##f(float) noexcept;
#define HOST_MATH2(name) extern "C" double name(double, double) noexcept; extern "C" float name##f(float, float) noexcept;
HOST_MATH1(fabs) HOST_MATH1(sqrt) HOST_MATH1(exp) HOST_MATH1(log) HOST_MATH1(sin) HOST_MATH1(cos) HOST_MATH1(tanh)
HOST_MATH1(floor) HOST_MATH1(ceil) HOST_MATH1(trunc) HOST_MATH1(rint)
HOST_MATH2(pow) HOST_MATH2(fmin) HOST_MATH2(fmax)
extern "C" double fma(double, double, double) noexcept;
extern "C" float fmaf(float, float, float) noexcept;

template <class To, class From> static inline To host_bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "same size");
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}
static inline int __float_as_int(float x) { return host_bits<int>(x); }
static inline unsigned __float_as_uint(float x) { return host_bits<unsigned>(x); }
static inline float __int_as_float(int x) { return host_bits<float>(x); }
static inline float __uint_as_float(unsigned x) { return host_bits<float>(x); }
static inline long long __double_as_longlong(double x) { return host_bits<long long>(x); }
static inline double __longlong_as_double(long long x) { return host_bits<double>(x); }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline unsigned __brev(unsigned x) {
    unsigned y = 0;
    for (int i = 0; i < 32; i++)
        y |= ((x >> i) & 1u) << (31 - i);
    return y;
}

/* Conversions of the device: towards zero, saturating, 0 for NaN. */
template <class To, class From> static inline To host_to_int(From x, From low, From high, To lowest, To highest) {
    return x != x ? 0 : x <= low ? lowest : x >= high ? highest : (To)x;
}
#define HOST_TO_INT(x) host_to_int<int>(x, (decltype(x))-2147483648.0, (decltype(x))2147483648.0, -2147483647 - 1, 2147483647)
#define HOST_TO_LONG(x)                                                                                                \
    host_to_int<long long>(x, (decltype(x))-9223372036854775808.0, (decltype(x))9223372036854775808.0,                 \
                           -9223372036854775807ll - 1, 9223372036854775807ll)
static inline int __float2int_rz(float x) { return HOST_TO_INT(x); }
static inline int __double2int_rz(double x) { return HOST_TO_INT(x); }
static inline long long __float2ll_rz(float x) { return HOST_TO_LONG(x); }
static inline long long __double2ll_rz(double x) { return HOST_TO_LONG(x); }

/* ---- vectors ------------------------------------------------------------------------------------------ */

#define HOST_VECTORS(type, name)                                                                                       \
    struct __attribute__((aligned(2 * sizeof(type)))) name##2 { type x, y; };                                          \
    struct __attribute__((aligned(4 * sizeof(type) < 16 ? 4 * sizeof(type) : 16))) name##4 { type x, y, z, w; };
HOST_VECTORS(unsigned char, uchar)
HOST_VECTORS(int, int)
HOST_VECTORS(unsigned, uint)
HOST_VECTORS(float, float)
HOST_VECTORS(long long, longlong)
HOST_VECTORS(unsigned long long, ulonglong)
HOST_VECTORS(double, double)

/* ---- the entry ---------------------------------------------------------------------------------------- */

template <int... I> struct host_sequence {};
template <class... P, int... I> static void host_apply(void (*kernel)(P...), void **args, host_sequence<I...>) {
    kernel(*(P *)args[I]...);
}
template <class... P> static void host_start(void (*kernel)(P...), void **args) {
    host_apply(kernel, args, host_sequence<__integer_pack(sizeof...(P))...>());
}
#define HOST_KERNEL(name)                                                                                              \
    extern "C" void host_entry(void **args) { host_start(name, args); }

#endif

# SPDX-License-Identifier: MIT
"""What bench/peers_library.py and bench/peers_indices.py share: the options, the other libraries, times, the table.

A time is the lesser of the median of single calls and the mean of as many with one wait behind them. Fusor is run before
and after the others, and the lesser counts: on a CPU for each row, on a GPU all rows at once. The last column is the
fastest library's time over Fusor's: above 1 Fusor is ahead. NumPy and SciPy are of the CPU, CuPy is of the GPU. A
library that cannot take a row has "-", and the reason stands below."""
import argparse, importlib, json, os, statistics, subprocess, sys, tempfile, time


def parse(doc, names, multiple, libraries, more=lambda parser: None):
    """The options; the environment is set for them, so NumPy must not have been imported."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*")
    parser.add_argument("--fusor", required=True, help="fusor-bench")
    parser.add_argument("--backend", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--n", help="elements, a multiple of 2^%d" % (multiple.bit_length() - 1))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--processor", action="store_true", help="one thread, by the processor's time")
    parser.add_argument("--libraries", default=libraries)
    parser.add_argument("--reps", type=int, default=9)
    parser.add_argument("--json", help="also write the times as JSON")
    more(parser)
    options = parser.parse_args()
    options.gpu, options.clock = options.backend == "cuda", time.perf_counter
    if options.processor:
        options.clock, options.threads = time.process_time, 1
        os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "FUSOR_THREADS"):
        os.environ[variable] = str(options.threads)
    os.environ["JAX_PLATFORMS"] = options.backend
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
    base, _, power = (options.n or ("2^27" if options.gpu else "2^24")).partition("^")
    options.n = int(base) ** int(power) if power else int(base)
    if options.n % multiple:
        sys.exit("--n is a multiple of %d" % multiple)
    for row in options.rows:
        if row not in names:
            sys.exit(f"no row {row}: {', '.join(names)}")
    options.rows = options.rows or list(names)
    return options


# ---- the libraries: NumPy's array to one of theirs and back, a function made fast, a wait for what calls began ------------

class Numpy:
    def __init__(self, options):
        if options.gpu:
            raise ImportError("it is of the CPU")
        self.xp, self.last = importlib.import_module("numpy"), None

    def array(self, x):
        return x

    def host(self, x):
        return self.xp.asarray(x)

    def made(self, function):
        return function

    def wait(self):
        pass


class Scipy(Numpy):
    def __init__(self, options):
        super().__init__(options)
        importlib.import_module("scipy")


class Cupy(Numpy):
    def __init__(self, options):
        if not options.gpu:
            raise ImportError("it is of the GPU")
        self.xp = importlib.import_module("cupy")

    def array(self, x):
        return self.xp.asarray(x)

    def host(self, x):
        return self.xp.asnumpy(x)

    def wait(self):
        self.xp.cuda.Device().synchronize()


class Torch(Numpy):
    def __init__(self, options):
        self.xp, self.gpu, self.device = importlib.import_module("torch"), options.gpu, options.backend
        self.xp.set_num_threads(options.threads)
        self.xp.backends.cuda.matmul.allow_tf32 = False

    def array(self, x):
        return self.xp.from_numpy(x).to(self.device)

    def host(self, x):
        return x.cpu().numpy()

    def made(self, function):
        return self.xp.compile(function, dynamic=False)

    def wait(self):
        if self.gpu:
            self.xp.cuda.synchronize()


class Jax(Numpy):
    def __init__(self, options):
        self.jax, self.last = importlib.import_module("jax"), None
        self.jax.config.update("jax_default_matmul_precision", "highest")
        self.xp = importlib.import_module("jax.numpy")

    def array(self, x):
        return self.jax.device_put(x)

    def host(self, x):
        return importlib.import_module("numpy").asarray(x)

    def made(self, function):
        compiled = self.jax.jit(function)

        def call(*arguments):
            self.last = compiled(*arguments)
            return self.last
        return call

    def wait(self):
        self.jax.block_until_ready(self.last)


def load(options, why):
    """Those of the libraries that can be had, by name; why says why the others cannot."""
    libraries = {}
    for name in options.libraries.split(","):
        try:
            libraries[name] = globals()[name.capitalize()](options)
        except Exception as error:
            why.append(f"{name}: {type(error).__name__}: {error}")
    return libraries


# ---- times ------------------------------------------------------------------------------------------------------------

def measure(call, wait, by, reps, seconds=1):
    """Milliseconds; calls that take long are fewer, one and one at least."""
    call()
    wait()
    single, end = [], time.perf_counter() + seconds
    while not single or (len(single) < reps and time.perf_counter() < end):
        begin = by()
        call()
        wait()
        single.append(by() - begin)
    begin = by()
    for _ in single:
        call()
    wait()
    mean = (by() - begin) / len(single)
    return 1e3 * min(min(single) if by is time.process_time else statistics.median(single), mean)


def fusor(options, rows):
    """Milliseconds of each row."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "rows.json")
        # Its status is 1 also where fused is slower than unfused.
        subprocess.run([options.fusor, "--backend", options.backend, "--verify-n", "0", "--n", str(options.n), "--json", path,
                        *(["--pairs", "7"] if options.processor else []), *rows], stdout=subprocess.DEVNULL)
        with open(path) as file:
            return {row["workload"]: row["fused_least_ms" if options.processor else "fused_ms"] for row in json.load(file)}


def show(ms):
    return "-" if ms is None else f"{ms:.4g}"


def of_peers(row, libraries, one, why):
    times = {}
    for name, library in libraries.items():
        try:
            times[name] = one(library, row)
        except Exception as error:
            times[name] = None
            why.append(f"{row}, {name}: {type(error).__name__}: {str(error).strip().splitlines()[:1]}")
        print(row, name, show(times[name]), file=sys.stderr, flush=True)
    return times


def run(options, one, own=fusor):
    """Prints the table. one(library, row): a library's milliseconds; own(options, rows): Fusor's of each row."""
    why, table = [], []
    libraries = load(options, why)
    versions = [f"{name} {importlib.import_module(name).__version__}" for name in libraries]
    print(f"n = {options.n}, {options.backend}, ms;", ", ".join(versions))
    print("| row | Fusor |", *(f"{name} |" for name in libraries), "ahead |")
    print("|" + " --- |" * (len(libraries) + 3), flush=True)
    for group in [options.rows] if options.gpu else [[row] for row in options.rows]:
        before = own(options, group)
        print(*before.items(), file=sys.stderr, flush=True)
        times = {row: of_peers(row, libraries, one, why) for row in group}
        after = own(options, group)
        for row in group:
            ours, best = min(before[row], after[row]), min((ms for ms in times[row].values() if ms is not None), default=None)
            ahead = best and best / ours
            table.append({"row": row, "backend": options.backend, "n": options.n, "fusor": ours, **times[row], "ahead": ahead})
            print(f"| {row} | {show(ours)} |", *(f"{show(ms)} |" for ms in times[row].values()), f"{show(ahead)} |", flush=True)
        if options.json:
            with open(options.json, "w") as file:
                json.dump(table, file, indent=1)
    print(*why, sep="\n")

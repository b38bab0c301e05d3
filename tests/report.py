# SPDX-License-Identifier: MIT
"""fusor-bench --report: the page is well-formed XML and HTML, loads and runs nothing, and says what its JSON says; files merge;
what a file says is text, whatever it is; a bad file is told with its place, and nothing is written. report.py PROGRAM"""
import html.parser
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

PROGRAM = sys.argv.pop(1)
VOID = {"meta", "link", "img", "br", "hr", "input"}


class Balance(html.parser.HTMLParser):
    """Every tag is closed, in order, as an HTML reader sees it."""

    def __init__(self):
        super().__init__()
        self.open, self.names, self.attributes, self.text = [], [], [], []

    def handle_startendtag(self, tag, attributes):
        self.names.append(tag)
        self.attributes += attributes

    def handle_starttag(self, tag, attributes):
        self.handle_startendtag(tag, attributes)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (self.open[-3:], tag)
        self.open.pop()

    def handle_data(self, data):
        self.text.append(data)


def row(workload, **more):
    values = dict(workload=workload, backend="cpu", dtype="f32", n=65536, fused_ms=1.5, unfused_ms=6.0, speedup=4, fused_kernels=1,
                  expected_kernels=1, unfused_kernels=8, bytes_min=1048576, bytes_moved_unfused=9e6, operations=2e6, gbs=0.7, copy_gbs=10,
                  roof_fraction=0.07, first_call_ms=80, cached_first_call_ms=2, load_ms=1, launch_us=3, max_error=1e-7, error_bound=2e-7,
                  verified=True, error=None, device="A machine", isa="avx2", threads=2, compiler="cc 1", driver="",
                  date="2026-11-22T06:40:12Z", version="0.1.0")
    values.update(more)
    return values


class Report(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.page = self.path("page.html")
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, value):
        with open(self.path(name), "wb") as file:
            file.write(value if isinstance(value, bytes) else json.dumps(value).encode())
        return self.path(name)

    def run_it(self, *arguments, status=0):
        environment = dict(os.environ, FUSOR_BACKEND="cpu", FUSOR_CACHE_DIR="")
        done = subprocess.run([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, timeout=50)
        said = done.stdout.decode()
        self.assertEqual(done.returncode, status, said)
        return said

    def read(self):
        """The page, after everything that holds for every page."""
        text = self.bytes().decode()
        tree = xml.etree.ElementTree.fromstring(text)
        seen = Balance()
        seen.feed(text)
        seen.close()
        self.assertEqual(seen.open, [])
        self.assertFalse({"script", "img", "link", "iframe", "object", "embed", "image", "use"} & set(seen.names), "it loads or runs")
        for name, value in seen.attributes:
            self.assertFalse(name.startswith("on"), name)
            self.assertNotIn(name, ("src", "srcset", "data", "action"))
            if name == "href":
                self.assertTrue(value.startswith("#"), value)
            elif name != "xmlns":
                self.assertNotRegex(value or "", "https?:|//")
            if name in ("x", "y", "cx", "cy", "x1", "x2", "y1", "y2", "width", "height", "points"):
                self.assertNotRegex(value, "nan|inf")
        self.assertNotRegex(text, r"@import|url\(")
        self.assertIn("default-src 'none'", text)
        self.assertIn("prefers-color-scheme:dark", text)
        self.assertTrue(all(f'href="#{theme}"' in text and f'id="{theme}"' in text for theme in ("light", "dark")))
        return tree, "".join(seen.text)

    def bytes(self):
        with open(self.page, "rb") as file:
            return file.read()

    def find(self, tree, name, kind=None):
        spaced = "{http://www.w3.org/1999/xhtml}" + name
        return [at for at in tree.iter(spaced) if kind is None or kind in (at.get("class") or "").split()]

    def test_a_run(self):
        self.run_it("--report", self.page, "--json", self.path("rows.json"), "--reps", "2", "--verify-n", "1024", "chain_small", "--expr",
                    "sum(ecg * 2)", "--input", "ecg=examples/data/ecg.npy", "--name", "my_own")
        tree, text = self.read()
        with open(self.path("rows.json")) as file:
            rows = json.load(file)
        for what in ("chain_small", "my_own", rows[0]["device"], rows[0]["isa"], rows[0]["compiler"], rows[0]["version"], "108,000"):
            self.assertIn(what, text)
        first = self.bytes().decode()
        self.run_it("--report", self.page, self.path("rows.json"))
        self.assertEqual(first, self.bytes().decode(), "a run's page is not that of its JSON")

    def test_files_merge(self):
        a = self.write("a.json", [row("one", n=4096, fused_ms=0.25), row("two", fused_ms=1.5), row("three")])
        b = self.write("b.json", [row("one", n=1 << 20, fused_ms=7, date="2026-11-23T10:00:00Z"), row("two", fused_ms=1.25)])
        c = self.write("c.json", [row("four", device="Another", backend="cuda", threads=0)])
        peers = self.write("peers.json", [dict(row="two", peer="numpy", ms=5.5, first_ms=9.0), dict(row="two", peer="jax", ms=2.5),
                                          dict(row="five", peer="numpy", ms=123.25)])
        self.run_it("--report", self.page, a, b, peers, c)
        tree, text = self.read()
        for what in ("one", "two", "three", "four", "five", "A machine", "Another", "numpy", "jax", "5.50 ms", "123 ms", "2026-11-23 10:00"):
            self.assertIn(what, text)
        self.assertEqual(len([h for h in self.find(tree, "h2") if h.text in ("A machine", "Another")]), 2)
        self.assertIn("1.25 ms", text)
        self.assertNotIn("1.50 ms", [cell.text for cell in self.find(tree, "td")][:17 * 2], "of equal rows the later one counts")
        lines = re.findall(r'class="line-fused" points="([^"]*)"', self.bytes().decode())
        self.assertEqual([len(line.split()) for line in lines], [2], "one workload has two sizes")
        self.assertEqual(self.bytes().decode().count('class="peer"'), 2, "peers are bars of their own workload")

    def test_a_failed_row(self):
        rows = [row("bad", error="element 3: got 1 < 2", verified=False), row("nothing", **{k: None for k in row("") if k.endswith("_ms")})]
        self.run_it("--report", self.page, self.write("a.json", rows))
        tree, text = self.read()
        self.assertIn("element 3: got 1 < 2", text)
        self.assertIn("FAIL", text)
        self.assertIn("Not drawn: nothing", text)

    def test_hostile_strings(self):
        hostile = "<script>alert(1)</script>&amp;\"'><svg onload=x>]]><!--"
        odd = hostile + "\x00\x1b[31m\u202e\ud800 \U0001f600 é\n" + "x" * 3000
        rows = [row(hostile, dtype=hostile, device=hostile, isa=hostile, compiler=odd, driver=odd, version=hostile, date=hostile, error=odd),
                row(odd, n=1), row(odd, n=2), dict(row=hostile, peer=odd, ms=1)]
        self.run_it("--report", self.page, self.write("a.json", rows))
        tree, text = self.read()
        self.assertIn(hostile, text)
        self.assertIn("\U0001f600 é", text)
        self.assertIn("\\x1b[31m", text)
        self.assertNotRegex(text, "[\x00-\x08\x0b-\x1f\u202e]")

    def test_numbers(self):
        odd = [0, -1, 1e308, -1e308, 1e-320, 5e-324, 1e30, 1e-30, None, "x", True]
        numbers = [key for key, value in row("").items() if isinstance(value, (int, float)) and key != "verified"]
        rows = [row(f"w{i}", **{key: value}) for i, value in enumerate(odd) for key in numbers]
        rows += [row(f"all{i}", n=j, **{key: value for key in numbers if key != "n"}) for i, value in enumerate(odd) for j in (1, 1000)]
        rows += [dict(row="w1", peer=f"p{i}", ms=value) for i, value in enumerate(odd)]
        self.run_it("--report", self.page, self.write("a.json", rows))
        self.read()

    def test_bad_files(self):
        before = b"what was there"
        self.write("page.html", before)
        for text, why in ((b"", "line 1, column 1: this is no value"), (b"[\n {\"workload\": }]", "line 2, column 15: this is no value"),
                          (b"[{\"workload\" 1}]", "line 1, column 14: a : is missing"), (b"[{\"workload\": \"a\"", "line 1, column 18: a , or } is missing"),
                          (b"[1, 2] 3", "line 1, column 8: something follows the value"), (b"[\"a\nb\"]", "line 1, column 4: a string does not end"),
                          (b"[\"\\q\"]", "line 1, column 4: this is no escape"), (b"[" * 100000, "line 1, column 65: it is nested too deep"),
                          (b"[01]", "line 1, column 2: this is no value"), (b"[1.]", "line 1, column 2: this is no value"),
                          (b"{}", "it is no array of rows, as --json writes them"),
                          (b"[]", "there are no rows of fusor-bench"), (b"[{\"row\": \"a\", \"peer\": \"b\", \"ms\": 1}]", "there are no rows of fusor-bench"),
                          (b"[{\"n\": 3}]", "element 1 is no row of fusor-bench or bench/peers_cpu.py: it has no \"workload\"")):
            path = self.write("bad.json", text)
            self.assertEqual(self.run_it("--report", self.page, path, status=1), f"fusor-bench: report: {path}: {why}\n")
            self.assertEqual(self.bytes(), before)
        os.remove(self.page)
        good = self.write("good.json", [row("one")])
        missing = self.path("missing.json")
        said = self.run_it("--report", self.page, good, missing, status=1)
        self.assertEqual(said, f"fusor-bench: report: {missing}: No such file or directory\n")
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["bad.json", "good.json"], "something was written")
        said = self.run_it("--report", "/proc/none/x.html", good, status=1)
        self.assertEqual(said, "fusor-bench: report: /proc/none/x.html: No such file or directory\n")

    def test_usage(self):
        good = self.write("good.json", [row("one")])
        for arguments, why in (([good], f"{good}: files of rows are for --report"),
                               (["--report", self.page, good, "softmax"], f"{good}: of files a report is made, and nothing measured")):
            self.assertEqual(self.run_it(*arguments, status=2), f"fusor-bench: {why}\n")
        self.assertFalse(os.path.exists(self.page))


unittest.main(verbosity=0)

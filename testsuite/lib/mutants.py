# SPDX-License-Identifier: GPL-2.0-or-later
"""Break a copy of the code by one change at a time; which tests notice?

Called by testsuite/long/mutants.sh. Changes come from testsuite/long/mutants.list and
from a seed. A drawn change that does not compile, or that leaves the object's bytes as
they were, is replaced by another one. First the unit programs run that hold code of
the object, the fastest first, then golden decisions, then for src/slurm a few live
tests. The first failure ends the trial. A test that does not end in time fails. One
that fails is run once more without the change, the first time.
"""
import argparse
import collections
import glob
import hashlib
import itertools
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

FOLDERS = ["src/engine", "src/slurm/in", "src/slurm/out", "src/slurm/hooks"]
# Starts, ends of leases, limits, hooks: quick ones.
LIVE = ["15-lease-end", "16-gate", "17-refusals", "22-shapes", "40-submit", "52-cancel",
        "53-arrays", "61-gpus-asked", "63-limits", "64-reservations", "76-ended-while-down"]
LIVE_LIMIT_SEC = 400
GOLDEN = "testsuite/golden/run-golden.sh"
GOAL = 0.9

# What becomes of what, in a function's body.
SWAPS = [
    (r"(?<=\s)<=(?=\s)", "<"), (r"(?<=\s)<(?=\s)", "<="),
    (r"(?<=\s)>=(?=\s)", ">"), (r"(?<=\s)>(?=\s)", ">="),
    (r"(?<=\s)==(?=\s)", "!="), (r"(?<=\s)!=(?=\s)", "=="),
    (r"(?<=\s)&&(?=\s)", "||"), (r"(?<=\s)\|\|(?=\s)", "&&"),
    (r"(?<=\s)\+(?=\s)", "-"), (r"(?<=\s)-(?=\s)", "+"),
    (r"(?<=\s)\*(?=\s)", "/"), (r"(?<=\s)/(?=\s)", "*"),
    (r"(?<=\s)\+=(?=\s)", "-="), (r"(?<=\s)-=(?=\s)", "+="),
    (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
    (r"(?<![\w!])!(?=[\w(])", ""),
    (r"\bfmin(?=\()", "fmax"), (r"\bfmax(?=\()", "fmin"),
    (r"\bastra_min(?=\()", "astra_max"), (r"\bastra_max(?=\()", "astra_min"),
    (r"\bcontinue;", ";"),
    (r"(?<![\w.])(?!\d\d+\])(0|[1-9]\d*)(?![\w.])", None),  # the next number, of no buffer
    (r"\bif \(", None),  # the condition's opposite
]
# Calls that only write a text, that stand for a fault, or that take memory, the size of
# which is for sanitizers to see.
TEXTS = re.compile(r"\b(astra_error_\w+|astra_text_\w+|\w+_(warn|log|logger)|info|error|"
                   r"debug\d?|verbose|xstrfmtcat|assert|ASTRA_FAULT|astra_grow|"
                   r"astra_arena_take|x?calloc|x?malloc|x?realloc)\s*\(")

Change = collections.namedtuple("Change", "path at old new name")


def blank(text):
    """The same text, where strings, comments and preprocessor lines are blanks."""
    def blanks(match):
        return re.sub(r"\S", " ", match.group())
    text = re.sub(r'/\*.*?\*/|"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\\n])*\'', blanks, text,
                  flags=re.S)
    text = re.sub(r"^#(.*\\\n)*.*", blanks, text, flags=re.M)
    # The bounds of loops: a step beyond is for sanitizers to see.
    for match in list(TEXTS.finditer(text)) + list(re.finditer(r"\bfor \(", text)):
        end = closing(text, match.end() - 1)
        text = text[:match.start()] + re.sub(r"\S", " ", text[match.start():end]) + text[end:]
    return text


def closing(text, at):
    """Where the bracket that opens at `at` has closed."""
    depth = 0
    for i in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i + 1
    return len(text)


def changes_of(path, text):
    """All changes that can be drawn in a file."""
    plain = blank(text)
    found = []
    for body in re.finditer(r"^\{\n.*?^\}", plain, flags=re.S | re.M):
        for pattern, new in SWAPS:
            for match in re.compile(pattern).finditer(plain, *body.span()):
                start, end, put = match.start(), match.end(), new
                if pattern.startswith(r"\bif"):
                    end = closing(plain, end - 1)
                    put = "if (!" + text[match.end() - 1:end] + ")"
                elif put is None:
                    put = str(int(match.group()) + 1)
                found.append(Change(path, start, text[start:end], put, ""))
    return found


def listed(top, tree):
    """Those of mutants.list: a name, a file, an old and a new text; and what is amiss."""
    changes, amiss = [], []
    with open(f"{top}/testsuite/long/mutants.list", encoding="utf-8") as file:
        parts = re.sub(r"^#.*\n", "", file.read(), flags=re.M).strip().split("\n\n")
    for part in parts:
        name, path, old, new = part.strip().split("\n")
        text = read(f"{tree}/{path}")
        if text.count(old) == 1:
            changes.append(Change(path, text.index(old), old, new, name))
        else:
            amiss.append(f"{path}: {text.count(old)} times, not once: {old}")
    return changes, amiss


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def one_line(text):
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."


class Bench:
    """The copy, with what is built there."""

    def __init__(self, work, live, most_sec):
        self.work, self.tree, self.build = work, f"{work}/tree", f"{work}/tree/build"
        self.live, self.most_sec = live, most_sec
        self.bad, self.good = set(), set()  # they fail without a change, or do not
        self.kills = collections.Counter()
        self.touched = set()  # whose object may be of a change
        self.times_file = f"{work}/times"
        # The seconds that tests took: here, or on the machine of test-times.
        self.times = {"sfairsim": 10}
        for name, seconds in re.findall(r"^unit/(\S+) (\d+)$",
                                        read(f"{self.tree}/testsuite/lib/test-times"), re.M):
            self.times[name] = float(seconds)
        if os.path.exists(self.times_file):
            self.times.update(json.loads(read(self.times_file)))
        self.env = {name: os.environ[name] for name in ("HOME", "PATH")}
        self.env.update(top_srcdir=self.tree, top_builddir=self.build,
                        ASTRAEA_BUILDDIR=self.build, TMPDIR=f"{work}/tmp",
                        CCACHE_BASEDIR=self.tree, CCACHE_NOHASHDIR="1")
        os.makedirs(f"{work}/tmp", exist_ok=True)
        here = os.path.realpath(self.build)
        names = [os.path.basename(path)
                 for path in self.output("make", "-s", "list-tests").split()
                 if os.path.realpath(os.path.dirname(path)) == here] + ["sfairsim"]
        if not self.make("all", *names):
            sys.exit(f"make all {' '.join(names)} failed in {self.build}")
        self.symbols = {name: set() for name in names}
        for name, symbol in re.findall(r"^([^:]+):[0-9a-f]+ \S (\S+)$",
                                       self.output("nm", "-A", "--defined-only", *names), re.M):
            self.symbols[name].add(symbol)

    def output(self, *command):
        return subprocess.run(command, cwd=self.build, env=self.env, check=True,
                              stdout=subprocess.PIPE, text=True).stdout

    def defined(self, *arguments):
        return set(re.findall(r"^[0-9a-f]+ \S (\S+)$", self.output("nm", *arguments), re.M))

    def make(self, *targets):
        # The stamp of one build does not matter: all of it is of this one. To link what
        # is for debuggers takes most of the time.
        return subprocess.run(["make", "-s", f"-j{os.cpu_count()}", "-o", "astra_stamp.h",
                               "LDFLAGS=-Wl,-S", *targets], cwd=self.build, env=self.env,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              check=False).returncode == 0

    def object_of(self, path):
        folder, stem = os.path.split(path[:-2])
        found = glob.glob(f"{self.build}/{folder}/lib*-{stem}.o") + \
            glob.glob(f"{self.build}/{path[:-2]}.o") + \
            glob.glob(f"{self.build}/{folder}/*-{stem}.o")
        found = [one for one in found if re.sub(r"^.*-", "", os.path.basename(one)) == stem + ".o"]
        return os.path.relpath(found[0], self.build) if found else None

    def bytes_of(self, obj):
        """A digest of the object without what is for debuggers."""
        bare = f"{self.work}/bare.o"
        self.output("strip", "-g", "-o", bare, obj)
        with open(bare, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()

    def run(self, command, limit):
        """Whether it passes in time."""
        with subprocess.Popen(command, cwd=self.tree, env=self.env, start_new_session=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            try:
                return process.wait(limit) in (0, 77)
            except subprocess.TimeoutExpired:
                return False
            finally:
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass

    def command(self, name):
        return [f"{self.tree}/{GOLDEN}" if name == "sfairsim" else f"{self.build}/{name}"]

    def passes(self, name):
        begin = time.monotonic()
        passed = self.run(self.command(name), 60 + 10 * self.time(name))
        if passed:
            self.times[name] = round(time.monotonic() - begin, 2)
            with open(self.times_file, "w", encoding="utf-8") as file:
                json.dump(self.times, file)
        return passed

    def time(self, name):
        return self.times.get(name, 1)

    def programs(self, path, obj):
        """Those with code of the object: of its name or its folder's first, then those
        that are fast and have seen much so far."""
        symbols = self.defined("-g", "--defined-only", obj)
        stem, folder = os.path.basename(path)[:-2], os.path.basename(os.path.dirname(path))
        names = [name for name, has in self.symbols.items()
                 if symbols & has and name not in self.bad]
        names.sort(key=lambda name: (name == "sfairsim", stem not in name, folder not in name,
                                     self.time(name) / (1 + 5 * self.kills[name])))
        sums = itertools.accumulate(self.time(name) for name in names)
        return [name for name, seconds in zip(names, sums) if seconds <= self.most_sec]

    def failing_unit(self, names):
        """The first of them that fails, or None. Built in groups, for the sake of make."""
        size = 2
        while names:
            group, names = names[:size], names[size:]
            size = min(size * 2, 16)
            if not self.make(*group):
                return "make"
            for name in group:
                if not self.passes(name):
                    return name
        return None

    def failing_live(self):
        """The first live test that fails, or None."""
        command = [f"{self.tree}/testsuite/run.sh", *(f"live/{name}" for name in LIVE)]
        env = dict(self.env, ASTRAEA_TEST_TIMEOUT=str(LIVE_LIMIT_SEC), ASTRAEA_CLUSTER="plain")
        with subprocess.Popen(command, cwd=self.tree, env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True) as process:
            failed = None
            for line in process.stdout:
                if line.startswith("FAIL") and not failed:
                    failed = line.split()[1]
                    process.terminate()  # it ends its tests
        if not failed and process.returncode:
            failed = "testsuite/run.sh"
        return failed

    def put(self, change, text):
        """Write the file, changed or as it was. Its object stays as it is for now."""
        with open(f"{self.work}/changed", "a", encoding="utf-8") as file:
            file.write(change.path + "\n")
        with open(f"{self.tree}/{change.path}", "w", encoding="utf-8") as file:
            file.write(text)

    def try_change(self, change):
        """Returns "killed", "SURVIVED", "same" or "invalid", and by which test."""
        text = read(f"{self.tree}/{change.path}")
        obj = self.object_of(change.path)
        if not obj:
            return "invalid", None
        if change.path in self.touched:
            self.make(obj)
        self.touched.add(change.path)
        before = self.bytes_of(obj)
        names = self.programs(change.path, obj)
        try:
            self.put(change, text[:change.at] + change.new +
                     text[change.at + len(change.old):])
            if not self.make(obj):
                return "invalid", None
            if self.bytes_of(obj) == before:
                return "same", None
            by = self.failing_unit(names)
            if not by and self.live and change.path.startswith("src/slurm/"):
                by = self.failing_live()
        finally:
            self.put(change, text)
        if by in self.symbols and by not in self.good:
            self.make(by)
            if not self.passes(by):
                print(f"{by} fails without a change, too: not run", flush=True)
                self.bad.add(by)
                return self.try_change(change)
            self.good.add(by)
        self.kills[by] += 1
        return ("killed" if by else "SURVIVED"), by


def describe(change, tree):
    line = read(f"{tree}/{change.path}").count("\n", 0, change.at) + 1
    what = change.name or f"{one_line(change.old)} -> {one_line(change.new) or 'nothing'}"
    return f"{change.path}:{line}  {what}"


def draw(tree, folders, seed):
    """All changes of the folders, in the order of the seed."""
    found = []
    for folder in folders:
        for path in sorted(glob.glob(f"{tree}/{folder}/*.c")):
            path = os.path.relpath(path, tree)
            found += changes_of(path, read(f"{tree}/{path}"))
    random.Random(seed).shuffle(found)
    return found


def put_score(score):
    total = collections.Counter()
    for folder, count in sorted(score.items()):
        total += count
        print(f"{folder}: {count['killed']} of {sum(count.values())} killed")
    tried = sum(total.values())
    if tried:
        print(f"total: {total['killed']} of {tried} killed, "
              f"{100 * total['killed'] / tried:.0f} %")
    return not tried or total["killed"] >= GOAL * tried


def main():
    parser = argparse.ArgumentParser(prog="mutants.sh", allow_abbrev=False)
    parser.add_argument("work")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--only", metavar="FOLDER")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--no-live", action="store_true")
    parser.add_argument("--most", type=float, default=600, metavar="SEC")
    args = parser.parse_args()
    top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    tree = f"{args.work}/tree"
    folders = [one for one in FOLDERS if not args.only or (one + "/").startswith(args.only)]
    known, amiss = listed(top, tree)
    known = [one for one in known if one.path.startswith(args.only or "")]
    drawn = draw(tree, folders, args.seed)
    for line in amiss:
        print("mutants.list:", line)
    if args.list:
        for change in known + drawn[:args.count]:
            print(describe(change, tree))
        return 1 if amiss else 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # ends its test, and undoes
    bench = Bench(args.work, not args.no_live, args.most)
    score = collections.defaultdict(collections.Counter)
    tried = 0
    for change in known + drawn:
        if not change.name and tried >= args.count:
            break
        begin = time.monotonic()
        result, by = bench.try_change(change)
        if result in ("killed", "SURVIVED"):
            tried += not change.name
            score[os.path.dirname(change.path)][result] += 1
        elif not change.name:
            continue
        print(f"{result:8}  {describe(change, tree)}" + (f"  by {by}" if by else "") +
              f"  ({time.monotonic() - begin:.0f} s)", flush=True)
    return 0 if put_score(score) and not amiss else 1


if __name__ == "__main__":
    sys.exit(main())

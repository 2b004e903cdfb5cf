#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Put the same requests to a stock cluster and to ours, and compare.

    as_stock.py STOCK_ENV OUR_ENV TABLE GROUPS [where]

The nodes are in groups of three, each with a partition gN and, with
OverSubscribe=EXCLUSIVE, xN, and, with ExclusiveUser=YES, uN; a request is put to
one group, and as many are tried side by side as there are groups. TABLE has a
line for each request:

    scene NAME: FILLER; ...   cancel all and start these jobs in each group
    reserve: ARGUMENTS        of scontrol create reservation, in each group, for the
                              next scene
    ARGUMENTS                 of sbatch; or srun ..., salloc ...
    other: ARGUMENTS          of sbatch by another user; so may a FILLER be
    ARGUMENTS | OURS | WHY    a declared difference: what ours gets instead
    22.05: ARGUMENTS ...      with that release of Slurm alone

@1, @2, @3 stand for the nodes of the group, @g, @x and @u for its partitions, @r
for a name with its number.
Compared are the numbers of nodes, GPUs and CPUs, whether it waits, and the exit
code of the command; of nodes that are named, that they are there; with "where"
which nodes of the group a job has; with --time-min and -t MINUTES whether its
time limit is shorter than asked for.
"""
import os
import re
import subprocess
import sys
import time

PATIENCE = 20  # seconds until ours must have done what stock did
ROUNDS = 2     # seconds of two rounds, by RoundInterval of the test
SIZE = 3       # nodes of a group
OTHER = ["setpriv", "--reuid", "games", "--regid", "games", "--clear-groups"]


def expand(names):
    """n[1-2,4] -> [n1, n2, n4]"""
    nodes = []
    for prefix, ranges, plain in re.findall(
            r"([a-z]+)\[([^]]*)\]|([a-z]+\d+)", names):
        if plain:
            nodes.append(plain)
        for part in ranges.split(",") if ranges else []:
            first, _, last = part.partition("-")
            nodes += [prefix + str(i)
                      for i in range(int(first), int(last or first) + 1)]
    return nodes


class Cluster:
    def __init__(self, env_file, ours, where):
        out = subprocess.run(
            ["bash", "-c", '. "$1"; env -0', "bash", env_file],
            stdout=subprocess.PIPE, check=True).stdout
        self.env = dict(pair.split("=", 1) for pair in
                        out.decode().split("\0") if "=" in pair)
        self.ours, self.where = ours, where

    def run(self, *command):
        return subprocess.run(command, env=self.env, text=True,
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def submit(self, args):
        user = []
        if args[-1] == "other:":
            user, args = OTHER, args[:-1]
        return self.run(*user, "sbatch", "--parsable", "-o", "/dev/null",
                        "--chdir=/", *args, "--wrap", "exec sleep 600")

    def jobs(self):
        """What Slurm says of all jobs: id -> its record in one line."""
        said = self.run("scontrol", "-d", "-o", "show", "job").stdout
        return {m.group(1): line for line in said.splitlines()
                if (m := re.match(r"JobId=(\d+) ", line))}

    def reserve(self, words):
        """Without any, delete what was reserved."""
        if words:
            made = self.run("scontrol", "create", "reservation", *words)
            if made.returncode:
                sys.exit("%s: %s" % (words, made.stderr))
            return
        said = self.run("scontrol", "-o", "show", "reservation").stdout
        for name in re.findall("ReservationName=(\\S+)", said):
            self.run("scontrol", "delete", "reservation", name)

    def clean(self, ids, keep=()):
        """Cancel these; wait until none is left but those to keep, not even
        a job of srun that completes: its node is not idle before."""
        if ids:
            self.run("scancel", *ids)
        while set(self.run("squeue", "-h", "-o", "%A").stdout.split()) - \
                set(keep):
            time.sleep(0.1)


def field(record, name):
    m = re.search(r" %s=(\S*)" % name, record)
    return m.group(1) if m else ""


def holds(record):
    """nodes=N gpus=N cpus=N of a running job."""
    gpus = 0
    for nodes, gres in re.findall(r" Nodes=(\S+) CPU_IDs=\S* Mem=\d+ "
                                  r"GRES=(\S*)", record):
        for n in re.findall(r"gpu:(?:[a-z0-9]+:)?(\d+)\(", gres):
            gpus += len(expand(nodes)) * int(n)
    return "nodes=%s gpus=%d cpus=%s" % (
        field(record, "NumNodes"), gpus, field(record, "NumCPUs"))


class Request:
    def __init__(self, line, number):
        parts = [p.strip() for p in line.split("|")]
        self.number, self.words = number, parts[0].split()
        if self.words[0] == "other:":
            self.words = self.words[1:] + self.words[:1]
        self.declared = parts[1] if len(parts) > 1 else ""
        self.why = parts[2] if len(parts) > 2 else ""
        self.text = parts[0]
        self.id, self.code, self.result, self.process = {}, {}, {}, {}

    def args(self, group):
        words = self.words
        for i in range(1, SIZE + 1):
            words = [w.replace("@%d" % i, "n%d" % (SIZE * group + i))
                     for w in words]
        words = [re.sub("@([gxur])", r"\g<1>%d" % group, w) for w in words]
        return words if "-p" in words else ["-p", "g%d" % group] + words

    def put(self, cluster, group):
        if self.words[0] in ("srun", "salloc"):
            command = self.words[0]
            words = [w for w in self.args(group) if w != command]
            self.process[cluster] = subprocess.Popen(
                [command] + words, env=cluster.env,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL)
            return
        done = cluster.submit(self.args(group))
        if done.returncode:
            self.result[cluster] = "exit=%d" % done.returncode
            self.said = done.stderr
        else:
            self.id[cluster] = done.stdout.split(";")[0].strip()

    def look(self, cluster, jobs):
        """Set its result, once it has one."""
        process = self.process.get(cluster)
        if process and process.poll() is not None:
            self.result[cluster] = "exit=%d" % process.returncode
        record = jobs.get(self.id.get(cluster), "")
        state, reason = field(record, "JobState"), field(record, "Reason")
        if state == "RUNNING":
            self.result[cluster] = holds(record)
            if "--time-min" in self.text and "-t" in self.words:
                self.result[cluster] += self.shortened(record)
            if cluster.where:
                self.result[cluster] += " on " + ",".join(
                    "@%d" % ((int(n[1:]) - 1) % SIZE + 1)
                    for n in expand(field(record, "NodeList")))
            self.check_named(cluster, record)
        elif state == "PENDING":
            tried = reason != "None"
            if cluster.ours and reason.startswith("Lease:"):
                tried = reason != "Lease:_next_round"
            self.result[cluster] = "waits" if tried else ""

    def check_named(self, cluster, record):
        asked = expand(field(record, "ReqNodeList").replace("(null)", ""))
        if not set(asked) <= set(expand(field(record, "NodeList"))):
            self.result[cluster] += " without " + ",".join(asked)

    def shortened(self, record):
        """Whether its time limit is less than what it asked for with -t."""
        asked = int(self.words[self.words.index("-t") + 1])
        hours, minutes, _ = field(record, "TimeLimit").split(":")
        return " shortened" if "-" not in hours and \
            60 * int(hours) + int(minutes) < asked else ""

    def agrees(self, stock, ours):
        """Stock may shorten a time limit without need, ours may not."""
        want = self.declared or self.result.get(stock)
        got = self.result.get(ours)
        if want and got and " shortened" in want:
            want, got = (s.replace(" shortened", "") for s in (want, got))
        return bool(self.result.get(stock)) and got == want


class Comparison:
    def __init__(self, stock, ours, groups):
        self.stock, self.ours, self.groups = stock, ours, groups
        self.failed = self.done = 0
        self.fillers = {c: [] for c in self.both()}

    def both(self):
        return (self.stock, self.ours)

    def fill(self, fillers):
        ids = self.fillers = {c: [] for c in self.both()}
        for cluster in self.both():
            for filler in fillers:
                for group in range(self.groups):
                    made = cluster.submit(Request(filler, 0).args(group))
                    ids[cluster].append(made.stdout.strip())
                    if made.returncode:
                        sys.exit("%s: %s" % (filler, made.stderr))
        end = time.time() + 3 * PATIENCE
        for cluster in self.both():
            while any("JobState=RUNNING" not in cluster.jobs().get(i, "")
                      for i in ids[cluster]):
                if time.time() > end:
                    sys.exit("the fillers do not run: %s" % fillers)
                time.sleep(0.2)

    def compare(self, batch):
        # One that is to start at once or never asks after a round that knows
        # that the jobs before it are gone.
        if any("-I" in request.words for request in batch):
            time.sleep(ROUNDS)
        for group, request in enumerate(batch):
            for cluster in self.both():
                request.put(cluster, group)
        end = time.time() + PATIENCE
        while True:
            for cluster in self.both():
                jobs = cluster.jobs()
                for request in batch:
                    request.look(cluster, jobs)
            if all(r.agrees(*self.both()) for r in batch) or \
                    time.time() > end:
                break
            time.sleep(0.25)
        for request in batch:
            self.judge(request)
        for cluster in self.both():
            for request in batch:
                if cluster in request.process:
                    request.process[cluster].terminate()
                    request.process[cluster].wait()
            cluster.clean([r.id[cluster] for r in batch if cluster in r.id],
                          self.fillers[cluster])

    def judge(self, request):
        self.done += 1
        stock, ours = (request.result.get(c) or "nothing yet"
                       for c in self.both())
        if request.declared == stock:
            self.failed += 1
            print("line %d: %s: no difference any more: %s" %
                  (request.number, request.text, stock))
        elif not request.agrees(*self.both()):
            self.failed += 1
            print("line %d: %s: stock %s, ours %s%s" %
                  (request.number, request.text, stock, ours,
                   ", declared " + request.declared
                   if request.declared else ""), flush=True)

    def scene(self, reserved, fillers, requests):
        for cluster in self.both():
            for group in range(self.groups):
                for line in reserved:
                    cluster.reserve(Request(line, 0).args(group)[2:])
        self.fill(fillers)
        for i in range(0, len(requests), self.groups):
            self.compare(requests[i:i + self.groups])
        for cluster in self.both():
            cluster.clean(self.fillers[cluster])
            cluster.reserve([])


def read(table):
    """[(name, reservations, fillers, requests)]"""
    scenes, reserved, release = [], [], subprocess.run(
        ["sbatch", "--version"], stdout=subprocess.PIPE, check=True,
        text=True).stdout.split()[-1]
    with open(table) as lines:
        for number, line in enumerate(lines, 1):
            line = line.split("#")[0].strip()
            only = re.match(r"(\d+\.\d+): +", line)
            if only and not release.startswith(only[1] + "."):
                continue
            line = line[only.end():] if only else line
            if line.startswith("reserve: "):
                reserved.append(line[9:])
            elif line.startswith("scene "):
                name, _, fillers = line[6:].partition(":")
                scenes.append((name, reserved,
                               [f.strip() for f in fillers.split(";")
                                if f.strip()], []))
                reserved = []
            elif line:
                scenes[-1][3].append(Request(line, number))
    return scenes


def main(stock, ours, table, groups, where=""):
    work = Comparison(Cluster(stock, False, where), Cluster(ours, True, where),
                      int(groups))
    for name, reserved, fillers, requests in read(table):
        begin, failed = time.time(), work.failed
        work.scene(reserved, fillers, requests)
        print("%s %s: %d requests, %.0f s" %
              ("ok" if work.failed == failed else "not-ok", name,
               len(requests), time.time() - begin), flush=True)
    print("%d requests, %d differ" % (work.done, work.failed))
    sys.exit(1 if work.failed else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])

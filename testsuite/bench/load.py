#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Load a running cluster with jobs and measure, for bench-*.sh.

load.py unmanaged|scale --variant NAME --seed N
    one run on the cluster of SLURM_CONF; prints lines of
    variant TAB metric TAB value
load.py table
    reads such lines of several runs and prints medians and ratios
"""
import argparse
import json
import os
import random
import re
import statistics
import subprocess
import sys
import time

UNMANAGED = int(os.environ.get("BENCH_UNMANAGED", 1000))
MANAGED = int(os.environ.get("BENCH_MANAGED", 2000))
LIMIT_SEC = 600
PROBE_SEC = 0.2


def command(*words):
    """Run a command; its output and how many seconds it took."""
    begin = time.monotonic()
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout, time.monotonic() - begin


def sbatch(seconds, *options):
    """Submit a job that sleeps; its id and how long sbatch took."""
    text, took = command("sbatch", "--parsable", "-o", "/dev/null", *options,
                         "--wrap", "exec sleep %g" % seconds)
    return int(text), took


def squeue():
    """Ids of the jobs that wait, and how long squeue took."""
    text, took = command("squeue", "-h", "-o", "%i %T")
    return {int(line.split()[0]) for line in text.splitlines()
            if line.endswith("PENDING")}, took


def moment(text):
    return time.mktime(time.strptime(text, "%Y-%m-%dT%H:%M:%S"))


def times(ids):
    """(submit, start, end) of these jobs as scontrol has them."""
    wanted = set(ids)
    found = []
    text, _ = command("scontrol", "-o", "show", "job")
    for line in text.splitlines():
        field = dict(re.findall(r"(\w+)=(\S*)", line))
        if int(field["JobId"]) in wanted:
            found.append([moment(field[key]) for key in
                          ("SubmitTime", "StartTime", "EndTime")])
    if len(found) != len(wanted):
        sys.exit("load.py: %d jobs of %d" % (len(found), len(wanted)))
    return found


def daemon(name):
    """A daemon's process id."""
    with open("%s/pids/%s" % (os.environ["CLUSTER_DIR"], name)) as f:
        return int(f.read())


def prefer(pid):
    """Let a process go before others, whether or not the kernel groups
    processes by session."""
    os.setpriority(os.PRIO_PROCESS, pid, -20)
    try:
        with open("/proc/%d/autogroup" % pid, "w") as f:
            f.write("-20")
    except OSError:
        pass


def pin(pid, cpus):
    """Bind a process, and what it will start, to these CPUs."""
    for task in os.listdir("/proc/%d/task" % pid):
        os.sched_setaffinity(int(task), cpus)


def part_from_nodes():
    """A controller has CPUs of its own. Here slurmctld, munged and we get the
    first half, the nodes with their jobs the others; and we go before whatever
    else this machine does."""
    cpus = sorted(os.sched_getaffinity(0))
    half = len(cpus) // 2
    try:
        os.setsid()
    except OSError:
        pass
    for pid in (daemon("slurmctld"), daemon("munged"), os.getpid()):
        prefer(pid)
        pin(pid, cpus[:half] or cpus)
    for name in os.listdir(os.environ["CLUSTER_DIR"] + "/pids"):
        if re.match(r"n\d|c1", name):
            pin(daemon(name), cpus[half:])


def daemon_cpu_sec():
    """CPU time that slurmctld has had."""
    pid = daemon("slurmctld")
    with open("/proc/%d/stat" % pid) as f:
        words = f.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def percentile(values, share):
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def wait_until(condition):
    end = time.monotonic() + LIMIT_SEC
    while not condition():
        if time.monotonic() > end:
            sys.exit("load.py: not done within %d s" % LIMIT_SEC)
        time.sleep(1)


def unmanaged(seed):
    """One-CPU jobs, submitted one after another, beside GPU jobs of which
    half have to wait."""
    draw = random.Random(seed)
    for _ in range(8):
        sbatch(10000, "--gres=gpu:8", "-c", "8")
    busy = daemon_cpu_sec()
    ids = [sbatch(draw.uniform(2, 6), "-p", "cpu", "-n1", "--mem=100")[0]
           for _ in range(UNMANAGED)]
    wait_until(lambda: not command("squeue", "-h", "-p", "cpu")[0])
    busy = daemon_cpu_sec() - busy
    rows = times(ids)
    yield "all done after, s", (max(end for _, _, end in rows) -
                                min(submit for submit, _, _ in rows))
    yield "mean start delay, s", statistics.mean(
        start - submit for submit, start, _ in rows)
    yield "CPU time of slurmctld, s", busy


def gpu_jobs(draw, count):
    for _ in range(count):
        yield (draw.randint(5, 15),
               "--gres=gpu:%d" % draw.choice((1, 1, 1, 1, 2, 2, 4, 8)))


def probe(ids):
    """sbatch and squeue at a steady pace until these jobs have started; how
    long each call took."""
    submits, queries, waiting = [], [], ids
    due = time.monotonic()
    end = due + LIMIT_SEC
    while waiting & ids:
        if due > end:
            sys.exit("load.py: jobs that never start: %s" % (waiting & ids))
        submits.append(sbatch(1, "--gres=gpu:1")[1])
        waiting, took = squeue()
        queries.append(took)
        due += PROBE_SEC
        time.sleep(max(0, due - time.monotonic()))
    return submits, queries


def lock_usec():
    """Mean and maximum of a hold of the write lock by our engine."""
    text, _ = command("sfair", "diag", "--json")
    clock = json.loads(text)["diag"]["write_lock"]
    return clock["mean_usec"], clock["max_usec"]


def scale(seed, ours):
    """Managed jobs that wait for a partition which then opens."""
    command("scontrol", "update", "PartitionName=gpu", "State=DOWN")
    ids = {sbatch(*job)[0] for job in gpu_jobs(random.Random(seed), MANAGED)}
    if ours:
        command("sfair", "diag", "--reset")
    busy = daemon_cpu_sec()
    command("scontrol", "update", "PartitionName=gpu", "State=UP")
    submits, queries = probe(ids)
    busy = daemon_cpu_sec() - busy
    wait_until(lambda: not command("squeue", "-h")[0])
    rows = times(ids)
    starts = [start for _, start, _ in rows]
    yield "jobs started a second", len(starts) / (max(starts) - min(starts))
    yield "all done after, s", max(end for _, _, end in rows) - min(starts)
    yield "CPU time of slurmctld, s", busy
    for name, took in (("sbatch", submits), ("squeue", queries)):
        yield name + ", median, ms", 1000 * statistics.median(took)
        yield name + ", 99th percentile, ms", 1000 * percentile(took, 0.99)
    if ours:
        mean, most = lock_usec()
        yield "write lock, mean, ms", mean / 1000
        yield "write lock, maximum, ms", most / 1000


def table(lines):
    """Medians by metric; a ratio of 1 is a tie."""
    values = {}
    for line in lines:
        variant, metric, value = line.rstrip("\n").split("\t")
        values.setdefault(metric, {}).setdefault(variant, []).append(
            float(value))
    print("%-30s %9s %9s %7s" % ("medians", "ours", "stock", "ratio"))
    for metric, by in values.items():
        ours = statistics.median(by["ours"])
        if "stock" not in by:
            print("%-30s %9.2f" % (metric, ours))
            continue
        stock = statistics.median(by["stock"])
        ratio = "%7.2f" % (ours / stock) if stock else ""
        print("%-30s %9.2f %9.2f %s" % (metric, ours, stock, ratio))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=("unmanaged", "scale", "table"))
    parser.add_argument("--variant", default="ours")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if args.command == "table":
        table(sys.stdin)
        return
    load = os.getloadavg()[0]
    part_from_nodes()
    run = unmanaged(args.seed) if args.command == "unmanaged" else \
        scale(args.seed, args.variant == "ours")
    for metric, value in run:
        print("%s\t%s\t%.4f" % (args.variant, metric, value), flush=True)
    print("%s\tload average before\t%.2f" % (args.variant, load))


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-2.0-or-later
"""What the demonstration's cluster is doing: asks sfair and scontrol."""
import json
import os
import re
import subprocess
import time


def ask(*command):
    """What a command prints, or None when it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def sfair(what):
    text = ask("sfair", what, "--json")
    return json.loads(text) if text else None


def numbers(text):
    """"0-2,5" as 0, 1, 2, 5."""
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def hosts(text):
    """Slurm's "n[1-3]" as n1, n2, n3."""
    for name, inside in re.findall(r"([^,\[]+)(?:\[([^\]]*)\])?", text):
        yield from [name + str(n) for n in numbers(inside)] if inside \
            else [name]


class Job:
    """A job as Slurm sees it, and, while it is not over, as Astraea does."""

    def __init__(self, line):
        def field(name):
            found = re.search(rf"(?:^| ){name}=(\S*)", line)
            return found.group(1) if found else ""
        self.id = int(field("JobId"))
        self.name = field("JobName")
        self.tenant = field("Account")
        self.state = field("JobState")
        self.restarts = int(field("Restarts"))
        self.over = self.state not in ("PENDING", "RUNNING", "COMPLETING",
                                       "REQUEUED")
        self.gpus_held = [
            (host, index)
            for nodes, found in re.findall(
                r" Nodes=(\S+) CPU_IDs=\S+ Mem=\S+ GRES=\S+\(IDX:([\d,-]+)\)",
                line)
            for host in hosts(nodes) for index in numbers(found)
        ] if self.state in ("RUNNING", "COMPLETING") else []
        self.lease = {}

    @property
    def label(self):
        return f"{self.tenant[:1]}{self.id}"

    @property
    def phase(self):
        return self.lease.get("phase", "")


class Sample:
    """The cluster at one moment."""

    def __init__(self):
        self.when = time.time()
        tenants, jobs = sfair("tenant"), sfair("job")
        lines = (ask("scontrol", "-d", "-o", "show", "job") or "").split("\n")
        self.ok = bool(tenants and jobs and tenants["pools"])
        self.tenants = tenants["tenants"] if self.ok else []
        self.pool = tenants["pools"][0] if self.ok else {}
        self.jobs = {job.id: job for job in
                     (Job(line) for line in lines if "JobId=" in line)}
        for lease in jobs["jobs"] if self.ok else []:
            if lease["id"] in self.jobs:
                self.jobs[lease["id"]].lease = lease

    def contended(self):
        """Whether every tenant asks for its share of the GPUs or more."""
        return bool(self.tenants) and all(
            t["demand_gpus"] >= t["quota_gpus"] for t in self.tenants)

    def all_over(self):
        return all(job.over for job in self.jobs.values())

    def holders(self):
        return {gpu: job for job in self.jobs.values()
                for gpu in job.gpus_held}

    def gpus_of(self, tenant):
        return sum(len(job.gpus_held) for job in self.jobs.values()
                   if job.tenant == tenant)

    def gpus_free(self):
        return self.pool["gpus"] - len(self.holders())


def shares(tenants):
    """Per tenant: its share by weight, and its share of the GPU time had."""
    weights = sum(t["weight"] for t in tenants) or 1
    had = sum(t["alloc_gpu_sec"] for t in tenants)
    return {t["name"]: (t["weight"] / weights,
                        t["alloc_gpu_sec"] / had if had else None)
            for t in tenants}


def unevenness(tenants):
    """How far the tenant furthest from its share is from it, as a part."""
    return max((abs((had or 0) / fair - 1)
                for fair, had in shares(tenants).values() if fair), default=0)


class Journals:
    """How far the jobs are, by the journals that they write."""

    def __init__(self, folder):
        self.folder = folder

    def _read(self, name):
        try:
            with open(os.path.join(self.folder, name),
                      encoding="utf-8") as text:
                return text.read()
        except FileNotFoundError:
            return ""

    def wanted(self):
        """The number of steps of each job, as demo.sh wrote them down."""
        pairs = [line.split() for line in self._read("steps").split("\n")]
        return {int(pair[0]): int(pair[1]) for pair in pairs if pair}

    def lines(self, job):
        """(step, run) of each executed step."""
        text = self._read(f"train-{job}.journal")
        return [(int(line.split()[0]), int(line.split()[1]))
                for line in text.split("\n") if line]

    def steps(self, job):
        return self._read(f"train-{job}.journal").count("\n")

    def checkpoint(self, job):
        text = self._read(f"train-{job}.ckpt")
        return json.loads(text)["step"] if text else 0

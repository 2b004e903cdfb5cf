# SPDX-License-Identifier: GPL-2.0-or-later
"""What the demonstration's clusters are doing: asks sfair and scontrol."""
import json
import os
import re
import subprocess
import time


def ask(*command, conf=None):
    """What a command prints, or None when it fails. conf: the slurm.conf of
    another cluster."""
    env = {**os.environ, "SLURM_CONF": conf} if conf else None
    done = subprocess.run(command, stdout=subprocess.PIPE, env=env,
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
        self.gpus = int(self.name.split("-")[-1])  # as demo.sh names them
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


class Jobs:
    """A cluster's jobs at one moment, as Slurm sees them."""

    def __init__(self, conf=None):
        text = ask("scontrol", "-d", "-o", "show", "job", conf=conf)
        self.when = time.time()
        self.ok = text is not None
        self.jobs = {job.id: job for job in
                     (Job(line) for line in (text or "").split("\n")
                      if "JobId=" in line)}

    def all_over(self):
        return all(job.over for job in self.jobs.values())

    def holders(self):
        return {gpu: job for job in self.jobs.values()
                for gpu in job.gpus_held}

    def gpus_of(self, tenant):
        return sum(len(job.gpus_held) for job in self.jobs.values()
                   if job.tenant == tenant)

    def wanted_by(self, tenant):
        """GPUs of all jobs of a tenant that are not over."""
        return sum(job.gpus for job in self.jobs.values()
                   if job.tenant == tenant and not job.over)


class Sample(Jobs):
    """The cluster with our plugins at one moment."""

    def __init__(self):
        tenants, jobs = sfair("tenant"), sfair("job")
        super().__init__()
        self.ok = self.ok and bool(tenants and jobs and tenants["pools"])
        self.tenants = tenants["tenants"] if self.ok else []
        self.pool = tenants["pools"][0] if self.ok else {}
        for lease in jobs["jobs"] if self.ok else []:
            if lease["id"] in self.jobs:
                self.jobs[lease["id"]].lease = lease

    def gpus_free(self):
        return self.pool["gpus"] - len(self.holders())


class Usage:
    """What each tenant has had on one cluster: the GPUs that it holds, summed up
    from one moment to the next."""

    def __init__(self, weights, gpus):
        self.weights, self.gpus = weights, gpus
        self.last = None
        self.gpu_sec = dict.fromkeys(weights, 0.0)

    def take(self, sample):
        if self.last:
            passed = sample.when - self.last.when
            for tenant in self.gpu_sec:
                self.gpu_sec[tenant] += passed * self.last.gpus_of(tenant)
        self.last = sample

    def contended(self):
        """Whether each tenant wants its share of the GPUs or more."""
        return bool(self.last) and all(
            self.last.wanted_by(tenant) >= part * self.gpus
            for tenant, part in self.fair().items())

    def fair(self):
        return {tenant: weight / sum(self.weights.values())
                for tenant, weight in self.weights.items()}

    def had(self):
        """Each tenant's part of the GPU time had by all."""
        whole = sum(self.gpu_sec.values())
        return {tenant: sec / whole if whole else 0
                for tenant, sec in self.gpu_sec.items()}


def shares(tenants):
    """Per tenant: its share by weight, and its share of the GPU time had."""
    weights = sum(t["weight"] for t in tenants) or 1
    had = sum(t["alloc_gpu_sec"] for t in tenants)
    return {t["name"]: (t["weight"] / weights,
                        t["alloc_gpu_sec"] / had if had else None)
            for t in tenants}


def unevenness(fair, had):
    """How far the tenant furthest from its share is from it, as a part."""
    return max((abs(had[name] / part - 1) for name, part in fair.items()),
               default=0)


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

    def _notes(self):
        """(job, steps, when submitted), as demo.sh wrote them down."""
        lines = [line.split() for line in self._read("steps").split("\n")]
        return [(int(line[0]), int(line[1]), float(line[2]))
                for line in lines if line]

    def wanted(self):
        """The number of steps of each job."""
        return {job: steps for job, steps, _ in self._notes()}

    def submitted(self):
        """When each job was submitted."""
        return {job: when for job, _, when in self._notes()}

    def first_step(self, job):
        """When the job's first step was done, or None."""
        text = self._read(f"train-{job}.journal")
        return float(text.split("\n")[0].split()[3]) if text else None

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

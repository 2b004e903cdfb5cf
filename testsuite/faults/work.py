# SPDX-License-Identifier: GPL-2.0-or-later
"""The jobs of a campaign: several tenants, shapes and ways to end."""
import os
import random

from sizes import Range

# weight, GPUs a node, nodes, steps (of 0.25 s) from and to, kind, tasks
SHAPES = [
    (4, 1, 1, 4, 12, "plain", 0),
    (4, 1, 1, 40, 100, "ckpt", 0),
    (3, 2, 1, 40, 120, "ckpt", 0),
    (3, 2, 1, 20, 80, "plain", 0),
    (2, 4, 1, 20, 80, "ckpt", 0),
    (2, 1, 2, 20, 80, "ckpt", 0),
    (2, 2, 2, 20, 60, "plain", 0),
    (2, 1, 1, 8, 40, "ckpt", 4),
    (1, 1, 1, 8, 40, "plain", 4),
]
# The same of elastic ones: weight, sizes, steps from and to, kind, tasks.
ELASTIC = [
    (4, Range(1, 4), 20, 80, "ckpt", 0),
    (4, Range(2, 8), 40, 120, "ckpt", 0),
    (2, Range(1, 20), 20, 80, "ckpt", 0),
    (2, Range(1, 4, more="-N1"), 20, 60, "plain", 0),
    (1, Range(4, 12), 20, 80, "ckpt", 0),
    (1, Range(1, 4), 8, 40, "ckpt", 4),
    (3, Range(1, 3, node="--gpus-per-node=2"), 40, 120, "ckpt", 0),
    (2, Range(1, 5, node="--gres=gpu:4"), 20, 80, "ckpt", 0),
    (1, Range(2, 4, node="--gres=gpu:1"), 20, 60, "plain", 0),
    (1, Range(1, 2, node="--gpus-per-node=1"), 8, 40, "ckpt", 4),
    (3, Range(1, 6, servers=2), 40, 120, "ckpt", 0),
    (2, Range(2, 10, servers=3, more="-c2"), 20, 80, "ckpt", 0),
    (1, Range(1, 4, servers=1), 20, 60, "plain", 0),
]
ACCOUNTS = ["red", "blue", "green"]
JOB = os.path.join(os.path.dirname(os.path.abspath(__file__)), "job.py")


class Work:
    def __init__(self, cluster, journal, seed, accounts, elastic=0, limit=60):
        """elastic: percent of the jobs; limit: minutes of a run."""
        self.cluster, self.journal = cluster, journal
        self.random = random.Random("work %d" % seed)
        self.accounts = accounts
        self.jobs = {}      # the journal's name -> (job id, task or None)
        self.gpus = {}      # name -> (account, GPUs of a run, at most)
        self.range = {}     # name -> Range of an elastic job
        self.elastic, self.limit = elastic, limit
        self.gone = set()   # given up after a violation
        self.count = 0

    def waiting(self):
        """Names of the jobs that are not done."""
        return [n for n in self.jobs
                if n not in self.gone and not self.journal.done(n)]

    def top_up(self, wanted):
        """Submit until so many are not done."""
        added = 0
        while len(self.waiting()) < wanted:
            if not self.submit():
                break
            added += 1
        return added

    def draw(self, shapes):
        return self.random.choices(shapes, weights=[s[0] for s in shapes])[0]

    def shape(self):
        """(GPUs at most, Range or None, steps from, to, kind, tasks, options)
        of the next job."""
        if self.elastic and self.random.random() * 100 < self.elastic:
            _, sizes, low, high, kind, tasks = self.draw(ELASTIC)
            return (sizes.gpus()[1], sizes, low, high, kind, tasks,
                    sizes.options())
        _, gpus, nodes, low, high, kind, tasks = self.draw(SHAPES)
        return gpus * nodes, None, low, high, kind, tasks, [
            "-N%d" % nodes, "--gres=gpu:%d" % gpus]

    def submit(self):
        gpus, sizes, low, high, kind, tasks, options = self.shape()
        steps = self.random.randint(low, high)
        account = self.random.choice(ACCOUNTS)
        name = "j%d" % (self.count + 1)
        command = ["sbatch", "--parsable", "--requeue", "-J", name,
                   "-o", "/dev/null", "--chdir=/", *options,
                   "-t", str(self.limit), "--mem=100"]
        if self.accounts:
            command += ["-A", account]
        if kind == "ckpt":
            command += ["--signal=USR1"]
        if tasks:
            command += ["--array=0-%d%%2" % (tasks - 1)]
        command += ["--wrap", "exec python3 %s %s %s %d %s" % (
            JOB, self.journal.path, name, steps, kind)]
        status, out = self.cluster.run(*command)
        if status != 0:
            return False
        self.count += 1
        job = int(out.split(";")[0])
        for task in range(tasks) if tasks else [None]:
            one = name + ("" if task is None else "_%d" % task)
            self.jobs[one] = (job, task)
            self.gpus[one] = (account, gpus)
            if sizes:
                self.range[one] = sizes
        return True

    # What an administrator does after a fault; each returns how often.

    def states(self):
        """{name: (state, reason, job id text)}, or None."""
        lines = self.cluster.lines(
            "squeue", "-h", "-r", "-t", "all", "-o", "%j|%F|%K|%T|%r|%i")
        if lines is None:
            return None
        found = {}
        for line in lines:
            name, _, task, state, reason, text = line.split("|")
            if task.isdigit():
                name += "_" + task
            found[name] = (state, reason, text)
        return found

    def release(self, states):
        """Jobs that Slurm held since they could not be launched."""
        held = [text for state, reason, text in states.values()
                if state == "PENDING" and (
                    reason.startswith(("launch failed", "launch_failed",
                                       "JobHeld")) or "MaxRequeue" in reason)]
        for text in held:
            self.cluster.run("scontrol", "release", text)
        return len(held)

    def hurry(self, states):
        """Jobs of failed nodes wait two minutes otherwise."""
        late = [text for state, reason, text in states.values()
                if state == "PENDING" and reason == "BeginTime"]
        for text in late:
            self.cluster.run("scontrol", "update", "JobId=" + text,
                             "StartTime=now")
        return len(late)

    def resume(self):
        """Nodes that were set aside by a fault."""
        lines = self.cluster.lines(
            "sinfo", "-h", "-N", "-p", "gpu", "-o", "%N %T") or []
        away = sorted({line.split()[0] for line in lines
                       if line.split()[1].startswith(("drain", "down"))})
        for node in away:
            self.cluster.run("scontrol", "update", "NodeName=" + node,
                             "State=RESUME")
        return len(away)

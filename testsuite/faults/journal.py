# SPDX-License-Identifier: GPL-2.0-or-later
"""What the jobs themselves say: the proof that no job ran twice at once."""
import re


class Run:
    """One start of a job: a process that journals."""

    def __init__(self, job, pid, jobid, restart, place, when, wall):
        self.job, self.pid, self.jobid = job, pid, int(jobid)
        self.restart = int(restart)
        node, _, gpus = place.partition(":")
        self.gpus = {(node, g) for g in gpus.split(",") if g}
        self.size = None    # the GPUs that an elastic job is told of,
        self.nodes = None   # and its nodes,
        self.parts = None   # and (workers, servers, tasks), None where not
        self.first = self.last = when
        self.wall = wall    # when it began by the time of day
        self.end = None     # "done", "checkpoint", or None: killed

    def __str__(self):
        return "%s (job %d, run %d, pid %s)" % (
            self.job, self.jobid, self.restart, self.pid)


class Journal:
    """Reads on at each call; runs in the order of their starts."""

    def __init__(self, path, completed):
        """completed(jobid, since, until): whether slurmctld said so then."""
        self.path, self.at, self.rest = path, 0, ""
        self.runs = {}      # job -> [Run]
        self.steps = {}     # job -> the last step it wrote down
        self.completed = completed
        self.found = []     # violations, not yet reported
        self.shared = set() # shared_gpus() that were reported
        self.unheard = 0    # ended without slurmctld knowing, and run again

    def read(self):
        try:
            with open(self.path) as f:
                f.seek(self.at)
                text = self.rest + f.read()
                self.at = f.tell()
        except FileNotFoundError:
            return
        lines = text.split("\n")
        self.rest = lines.pop()
        for line in lines:
            self.take(line.split(" "))

    def take(self, words):
        when, wall, job, pid, jobid, restart, event, detail = words
        when = float(when)
        runs = self.runs.setdefault(job, [])
        if event == "start":
            run = Run(job, pid, jobid, restart, detail, when, float(wall))
            self.check_start(runs, run)
            runs.append(run)
            return
        run = next(r for r in reversed(runs) if r.pid == pid)
        run.last = when
        if run is not runs[-1]:
            self.found.append("%s and %s ran at once" % (run, runs[-1]))
        if event == "conflict":
            self.found.append("%s started while another had the lock" % run)
        if event in ("done", "checkpoint"):
            run.end = event
        if event == "size":
            self.take_size(run, detail)
        if event == "step":
            self.take_step(run, int(detail))

    def take_size(self, run, detail):
        """GPUs of the run by $ASTRAEA_GPUS, as its device list has them."""
        gpus, world, here, nodes, *parts = detail.split(":")
        run.size, run.nodes, seen = int(gpus), int(nodes), len(run.gpus)
        run.parts = tuple(None if p == "-" else int(p) for p in parts)
        if world != gpus or here != str(seen) or (
                seen != run.size if nodes == "1" else seen >= run.size):
            self.found.append("%s sees %d GPUs, and is told of %s" % (
                run, seen, detail))

    def take_step(self, run, step):
        if step <= self.steps.get(run.job, 0):
            self.found.append("%s did step %d twice" % (run, step))
        self.steps[run.job] = step

    def check_start(self, runs, run):
        """A job that was done may not start again, if slurmctld knew."""
        done = [r for r in runs if r.end == "done"]
        if not done:
            return
        if self.completed(done[-1].jobid, done[-1].first, run.first):
            self.found.append("%s was restarted after it completed as %s"
                              % (run, done[-1]))
        else:
            self.unheard += 1

    def shared_gpus(self):
        """Runs that had a GPU at the same time; each pair once."""
        by_gpu, found = {}, set()
        for runs in list(self.runs.values()):
            for run in runs:
                for gpu in run.gpus:
                    by_gpu.setdefault(gpu, []).append(run)
        for gpu, runs in by_gpu.items():
            runs.sort(key=lambda r: r.first)
            for a, b in zip(runs, runs[1:]):
                if b.first < a.last:
                    found.add("GPU %s of %s: %s and %s" % (
                        gpu[1], gpu[0], a, b))
        new = sorted(found - self.shared)
        self.shared |= found
        return new

    def done(self, job):
        return any(r.end == "done" for r in self.runs.get(job, []))


JOBID = re.compile(r"JobId=(\d+)(?:_\d+)?(?:\((\d+)\))?")


class Log:
    """slurmctld's log, followed; lines are stamped as they are read."""

    def __init__(self, path, clock):
        self.path, self.at, self.rest = path, 0, ""
        self.clock = clock
        self.ends = {}      # job id -> when it completed with 0
        self.errors = []    # (when, line): errors of ours, fatal ones
        self.zero = set()   # exit status 0, not yet "done"

    def read(self):
        with open(self.path, errors="replace") as f:
            f.seek(self.at)
            text = self.rest + f.read()
            self.at = f.tell()
        lines = text.split("\n")
        self.rest = lines.pop()
        now = self.clock()
        for line in lines:
            if "_job_complete: JobId=" in line:
                self.take_end(line, now)
            elif "fatal" in line or "error: astraea" in line:
                self.errors.append((now, line))

    def take_end(self, line, now):
        found = JOBID.search(line)
        job = int(found[2] or found[1])
        if line.endswith(" WEXITSTATUS 0"):
            self.zero.add(job)
        elif line.endswith(" done") and job in self.zero:
            self.zero.discard(job)
            self.ends.setdefault(job, []).append(now)

    def completed(self, job, since, until):
        return any(since < t <= until for t in self.ends.get(job, []))

# SPDX-License-Identifier: GPL-2.0-or-later
"""The invariants, checked once a fault has settled."""
import os
import re
import struct
import time

from sizes import Sizes

FINAL = ("FAILED", "CANCELLED", "NODE_FAIL", "TIMEOUT", "BOOT_FAIL",
         "OUT_OF_MEMORY", "DEADLINE")
SETTLE_SEC = 45
NO_ANSWER = "squeue or sfair gives no answer"
SCRIPTD = "slurmscriptd_init: Can not read return code from slurmscriptd"
RUN_SEC = 3         # by which a run is longer than its journal


def program(core):
    """What a core dump is of: the command line in its PRPSINFO note."""
    with open(core, "rb") as f:
        head = f.read(1 << 20)
    note = head.find(struct.pack("<III8s", 5, 136, 3, b"CORE"))
    if note < 0:
        return "an unknown program"
    text = head[note + 20 + 40:note + 20 + 136]     # the name, arguments
    return " ".join(part.split(b"\0")[0].decode(errors="replace")
                    for part in (text[:16], text[16:])).strip()


class Checks:
    def __init__(self, cluster, work, journal, log, round_sec):
        self.cluster, self.work, self.journal = cluster, work, journal
        self.log, self.round_sec = log, round_sec
        self.gpus = 4 * len(cluster.nodes)
        self.sizes = Sizes(cluster, work, journal)
        self.cores = set()  # that were told of
        self.aborts = 0     # of them Slurm's own
        self.base = {}      # tenant -> what does not count of drift()

    def after_fault(self, before):
        """Violations, in words."""
        found = list(self.cluster.died)
        self.cluster.died.clear()
        if not self.cluster.wait(60, self.cluster.answers):
            return found + ["slurmctld does not answer"]
        if not self.cluster.stock:
            found += self.settled(before)
        found += self.failed_jobs()
        found += self.journal.found + self.journal.shared_gpus()
        found += self.sizes.out_of_range()
        self.journal.found = []
        run = self.cluster.dir + "/run"
        for name in os.listdir(run):
            if name.startswith("core") and name not in self.cores:
                self.cores.add(name)
                found.append("a core dump of " + program(run + "/" + name))
        return [text for text in found if not self.is_slurms(text)]

    def is_slurms(self, text):
        """Whether a core is of Slurm's own abort(), which it says before: 24.11, as
        it is reconfigured, before a plugin is loaded."""
        if not text.startswith("a core dump of slurmctld"):
            return False
        with open(self.cluster.dir + "/log/slurmctld.log", errors="replace") as f:
            own = f.read().count(SCRIPTD)
        if own <= self.aborts:
            return False
        self.aborts += 1
        print("           %s: %s" % (text, SCRIPTD), flush=True)
        return True

    # Leases.

    def leases(self):
        """{job id: (start, end of the lease, phase)}, or None."""
        reply = self.cluster.ask("lease")
        if reply is None:
            return None
        return {r["id"]: (r["start_sec"], r["lease_end_sec"] or 0, r["phase"])
                for r in reply["leases"]}

    def running(self):
        """{job id: start} of the running jobs, or None."""
        os.environ["SLURM_TIME_FORMAT"] = "%s"
        lines = self.cluster.lines("squeue", "-h", "-t", "R", "-p", "gpu",
                                   "-o", "%A %S")
        if lines is None:
            return None
        return {int(j): int(t) for j, t in (x.split() for x in lines)}

    def settled(self, before):
        """Wait until sfair and squeue tell the same story: where jobs start
        and end all the time, sfair is behind by a round with one or another,
        and so does not differ twice about the same run."""
        end = time.monotonic() + SETTLE_SEC
        wrong = now = [NO_ANSWER]
        while wrong and time.monotonic() < end:
            time.sleep(1.5 * self.round_sec)
            last, now = now, self.disagreements()
            wrong = [w for w in now if w in last or NO_ANSWER in last]
        now = self.leases() or {}
        return (["leases: " + w for w in wrong] +
                ["lease of job %d: %s" % (job, text)
                 for job, text in self.moved(before or {}, now)])

    def disagreements(self):
        first, leases, last = self.running(), self.leases(), self.running()
        if None in (first, leases, last):
            return [NO_ANSWER]
        stay = {j: t for j, t in first.items() if last.get(j) == t}
        wrong = ["job %d runs since %d without a lease" % (j, t)
                 for j, t in stay.items() if j not in leases]
        wrong += ["job %d runs since %d, its lease's run since %d"
                  % (j, t, leases[j][0]) for j, t in stay.items()
                  if j in leases and abs(leases[j][0] - t) > 1]
        wrong += ["the lease of job %d since %d, which does not run" % (
            j, leases[j][0]) for j in leases
            if j not in first and j not in last]
        return wrong + self.sizes.disagreements(stay)

    def moved(self, before, now):
        """Leases of the same run that end earlier than they did, or later
        although they were not over."""
        if self.cluster.clock_moved:
            return
        wall = time.time()
        for job, (start, end, _) in before.items():
            if job not in now or abs(now[job][0] - start) > 1:
                continue
            if now[job][1] < end - 1:
                yield job, "was to end at %.0f, now at %.0f" % (
                    end, now[job][1])
            elif now[job][1] > end + 1 and wall < end - 1:
                yield job, "was renewed before its end"

    # Jobs.

    def failed_jobs(self):
        states = self.work.states()
        if states is None:
            return ["squeue gives no answer"]
        found = []
        for name in self.work.waiting():
            state, reason, text = states.get(name, ("unknown", "", ""))
            if state == "COMPLETED" and not self.journal_late(name):
                found.append("%s is COMPLETED, but was not done" % name)
            elif state in FINAL:
                found.append("%s (%s) ended as %s: %s" % (
                    name, text, state, reason))
            elif state == "unknown" and self.really_gone(name):
                found.append("%s is lost" % name)
            else:
                continue
            self.work.gone.add(name)
        return found

    def journal_late(self, name):
        time.sleep(1)
        return self.journal.done(name)

    def really_gone(self, name):
        states = self.work.states()
        return states is not None and name not in states and \
            not self.journal.done(name)

    def unfinished(self):
        """Jobs that are done by their journal, but not for slurmctld."""
        states = self.work.states() or {}
        found = []
        for name in sorted(set(self.work.jobs) - set(self.work.waiting())):
            state, reason, text = states.get(name, ("unknown", "-", "-"))
            if name not in self.work.gone and state != "COMPLETED":
                found.append("%s (%s) is done, but %s: %s" % (
                    name, text, state, reason))
        return found

    # GPU seconds.

    def records(self):
        """[(job id, account, GPUs, start, end or None, TRES)] by sacct. Of a run
        that Slurm ended because of its node, and forgot when it was killed
        then, sacct has an end until Slurm ends it again: it has none yet."""
        found, running = [], self.running() or {}
        lines = self.cluster.lines(
            "sacct", "-n", "-P", "-X", "-D", "-a", "-S", "now-1day",
            "-o", "JobIDRaw,Account,State,Start,End,AllocTRES")
        for line in lines or []:
            job, account, state, start, end, tres = line.split("|")
            gpus = re.search(r"gres/gpu=(\d+)", tres)
            if state == "NODE_FAIL" and str(running.get(int(job))) == start:
                end = ""
            if gpus and start.isdigit():
                found.append((int(job), account, int(gpus[1]), int(start),
                              int(end) if end.isdigit() else None, tres))
        return found

    def unheard(self, records):
        """{account: GPU seconds} of runs of which slurmdbd was never told:
        what slurmctld had yet to send when it was killed."""
        known, by_id, sums = {}, {}, {}
        for job, _, _, start, end, _ in records:
            known.setdefault(job, []).append((start, end or 1 << 40))
        for name, runs in list(self.journal.runs.items()):
            for run in runs:
                by_id.setdefault(run.jobid, []).append((name, run))
        for job, runs in by_id.items():
            times = known.get(job, [])
            strange = [(name, run) for name, run in runs if not any(
                start - 1 <= run.wall <= end + 1 for start, end in times)]
            for name, run in strange[:max(0, len(runs) - len(times))]:
                account, gpus = self.work.gpus[name]
                sums[account] = sums.get(account, 0) + (run.size or gpus) * (
                    run.last - run.first + RUN_SEC)
        return sums

    def drift(self):
        """{tenant: (GPU seconds that sfair has more than sacct, and those of
        which sacct cannot know)}, since what was lost on purpose."""
        reply = self.cluster.ask("tenant")
        if reply is None:
            return {}
        until, records = reply["time_sec"], self.records()
        unheard, found = self.unheard(records), {}
        for t in reply["tenants"]:
            used = sum(gpus * max(0, min(end or until, until) - start)
                       for _, account, gpus, start, end, _ in records
                       if account == t["name"])
            more, may = self.base.get(t["name"], (0, 0))
            found[t["name"]] = (t["alloc_gpu_sec"] - used - more,
                                unheard.get(t["name"], 0) - may)
        return found

    def rebase(self):
        """What was lost on purpose is not counted from here on."""
        for name, now in self.drift().items():
            before = self.base.get(name, (0, 0))
            self.base[name] = tuple(map(sum, zip(before, now)))

    def integrals(self):
        """Violations: more than one round of all GPUs."""
        limit = self.gpus * self.round_sec
        return ["tenant %s: sfair has %+.0f GPU seconds more than sacct, "
                "which may lack %.0f" % (name, more, may)
                for name, (more, may) in sorted(self.drift().items())
                if more < -limit or more > limit + max(may, 0)]

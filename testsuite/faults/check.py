# SPDX-License-Identifier: GPL-2.0-or-later
"""The invariants, checked once a fault has settled."""
import os
import re
import time

FINAL = ("FAILED", "CANCELLED", "NODE_FAIL", "TIMEOUT", "BOOT_FAIL",
         "OUT_OF_MEMORY", "DEADLINE")
SETTLE_SEC = 45


class Checks:
    def __init__(self, cluster, work, journal, log, round_sec):
        self.cluster, self.work, self.journal = cluster, work, journal
        self.log, self.round_sec = log, round_sec
        self.base = None    # tenant -> (sfair's GPU seconds, sacct's)
        self.worst = 0      # GPU seconds between the two

    def after_fault(self, before):
        """Violations, in words."""
        found = list(self.cluster.died)
        self.cluster.died.clear()
        if not self.cluster.wait(60, self.cluster.answers):
            return found + ["slurmctld does not answer"]
        if not self.cluster.stock:
            found += self.settled(before)
        found += self.failed_jobs()
        found += self.journal.found
        self.journal.found = []
        if any(f.startswith("core") for f in
               os.listdir(self.cluster.dir + "/run")):
            found.append("a core dump")
        return found

    # Leases.

    def leases(self):
        """{job id: (start, end of the lease, phase)}, or None."""
        reply = self.cluster.ask("lease")
        if reply is None:
            return None
        return {r["id"]: (r["start_sec"], r["lease_end_sec"], r["phase"])
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
        """Wait until sfair and squeue tell the same story."""
        end = time.monotonic() + SETTLE_SEC
        wrong = ["no answer"]
        while wrong and time.monotonic() < end:
            time.sleep(0.5)
            wrong = self.disagreements()
        now = self.leases() or {}
        return (["leases: " + w for w in wrong] +
                ["lease of job %d: %s" % (job, text)
                 for job, text in self.moved(before or {}, now)])

    def disagreements(self):
        first, leases, last = self.running(), self.leases(), self.running()
        if None in (first, leases, last):
            return ["squeue or sfair gives no answer"]
        stay = {j: t for j, t in first.items() if last.get(j) == t}
        wrong = ["job %d runs without a lease" % j for j, t in stay.items()
                 if j not in leases]
        wrong += ["job %d runs since %d, its lease's run since %d"
                  % (j, t, leases[j][0]) for j, t in stay.items()
                  if j in leases and abs(leases[j][0] - t) > 1]
        wrong += ["the lease of job %d, which does not run" % j
                  for j in leases if j not in first and j not in last]
        return wrong

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
        return ["%s is done, but %s" % (n, states.get(n, ("unknown",))[0])
                for n in self.work.jobs if n not in self.work.gone and
                states.get(n, ("unknown",))[0] != "COMPLETED"]

    # GPU seconds.

    def used(self, until):
        """{account: GPU seconds} by sacct."""
        used = {}
        lines = self.cluster.lines(
            "sacct", "-n", "-P", "-X", "-D", "-a", "-S", "now-1day",
            "-o", "Account,Start,End,AllocTRES")
        for line in lines or []:
            account, start, end, tres = line.split("|")
            gpus = re.search(r"gres/gpu=(\d+)", tres)
            if not gpus or not start.isdigit():
                continue
            end = min(int(end), until) if end.isdigit() else until
            used[account] = used.get(account, 0) + \
                int(gpus[1]) * max(0, end - int(start))
        return used

    def integrals(self):
        """{tenant: (sfair's GPU seconds, sacct's)}, or None."""
        reply = self.cluster.ask("tenant")
        if reply is None:
            return None
        used = self.used(reply["time_sec"])
        return {t["name"]: (t["alloc_gpu_sec"], used.get(t["name"], 0))
                for t in reply["tenants"]}

    def rebase(self):
        """What was lost on purpose is not counted from here on."""
        self.base = self.integrals()

    def drift(self):
        """[(tenant, GPU seconds that sfair has more than sacct)]."""
        now, base = self.integrals(), self.base or {}
        if now is None:
            return []
        return [(name, (a - base.get(name, (0, 0))[0]) -
                 (b - base.get(name, (0, 0))[1]))
                for name, (a, b) in sorted(now.items())]

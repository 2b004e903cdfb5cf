#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Who got what and who waited how long, under stock Slurm and with Astraea, and
the proof that no job lost a step.

Ends with 1 when a job lost a step, executed one twice, or out of order.
"""
import argparse
import json
import os
import sys

from watch import Jobs, Journals, unevenness
from view import clock

CLUSTERS = (("stock", "stock Slurm"), ("ours", "Astraea"))


def who_got_what(then):
    """The tenants' shares at the last moment at which all of them wanted more
    than they could get."""
    if len(then["had"]) < len(CLUSTERS):
        print("WHO GOT WHAT: there was no moment at which all tenants competed")
        print()
        return
    weights = then["weights"]
    fair = {t: w / sum(weights.values()) for t, w in weights.items()}
    print("WHO GOT WHAT of the GPU time, as long as each tenant wanted its share "
          "or more:\n"
          + ", ".join(f"the first {clock(then['passed_sec'][name])} with {title}"
                      for name, title in CLUSTERS))
    print()
    print(f"  {'Tenant':8}{'Weight':>7}{'Fair share':>14}"
          + "".join(f"{title:>14}" for _, title in CLUSTERS))
    for tenant, part in fair.items():
        print(f"  {tenant:8}{weights[tenant]:7g}{100 * part:12.1f} %"
              + "".join(f"{100 * then['had'][name][tenant]:12.1f} %"
                        for name, _ in CLUSTERS))
    print(f"  {'Furthest from its share by':29}"
          + "".join(f"{100 * unevenness(fair, then['had'][name]):12.1f} %"
                    for name, _ in CLUSTERS))
    print()


def waits(journals, wanted):
    """Seconds from sbatch to the end of the first step, of each job that ran,
    and how many never did."""
    found, never = [], 0
    submitted = journals.submitted()
    for job in wanted:
        first = journals.first_step(job)
        if first is None:
            never += 1
        else:
            found.append(first - submitted[job])
    return found, never


def put_waits(title, journals, choose):
    """One line: the mean and the longest wait on each cluster."""
    cells = []
    for name, _ in CLUSTERS:
        found, never = waits(journals[name], choose(name))
        mean = f"{sum(found) / len(found):.0f}" if found else "--"
        most = f"{max(found):.0f}" if found else "--"
        cells.append(f"{mean:>9}{'never' if never else most:>9}")
    print(f"  {title:20}" + "   ".join(cells))


def who_waited(then, journals, jobs):
    print("WHO WAITED HOW LONG for its first step, seconds")
    print()
    print(f"  {'':20}" + "   ".join(f"{title:>18}" for _, title in CLUSTERS))
    print(f"  {'Jobs of':20}" + "   ".join(
        f"{'mean':>9}{'longest':>9}" for _ in CLUSTERS))

    def those(wanted):
        return lambda name: [job.id for job in jobs[name].values()
                             if job.id in journals[name].wanted()
                             and wanted(job)]
    for tenant in then["weights"]:
        put_waits(tenant, journals, those(lambda j, t=tenant: j.tenant == t))
    for least, most, title in ((1, 2, "1 or 2 GPUs"), (4, 8, "4 or 8 GPUs"),
                               (9, 1 << 30, "more")):
        put_waits(title, journals, those(
            lambda j, a=least, b=most: a <= j.gpus <= b))
    print()
    ends = [f"{title} " + (clock(then["over_sec"][name]) if name in
                           then["over_sec"] else "not within the time")
            for name, title in CLUSTERS]
    print(f"  All jobs finished after: {', '.join(ends)}")
    print("  Stock Slurm is as it comes; contrib/beside-stock.sh has a tuned one.")
    print()


class Proof:
    """One job's journal against what it should be."""

    def __init__(self, job, journals, wanted):
        lines = journals.lines(job.id)
        steps = [step for step, _ in lines]
        runs = [run for _, run in lines]
        self.finished = job.state == "COMPLETED"
        self.wanted = wanted
        # A job that was still under way has to have saved what it did.
        self.due = wanted if self.finished else journals.checkpoint(job.id)
        self.done = len(set(steps))
        self.lost = len(set(range(1, self.due + 1)) - set(steps))
        self.repeated = len(steps) - self.done
        self.whole = steps == list(range(1, self.due + 1))
        self.ordered = runs == sorted(runs) and steps == sorted(steps)
        self.good = self.whole and self.ordered

    def row(self):
        return (f"{self.done:>6}/{self.wanted:<4}{self.lost:>5}"
                f"{self.repeated:>9}   {'yes' if self.ordered else 'NO':5}"
                f"{'' if self.finished else ' unfinished'}"
                f"{'' if self.good else '  WRONG'}")


def proof(journals, jobs):
    """Print a line a job. Returns what verdict() takes."""
    wanted = journals.wanted()
    proofs = {}
    print("EACH JOB with Astraea, by the journals that the jobs wrote:")
    print()
    print("  Job   Tenant    GPUs  Interrupted      Steps Lost Repeated"
          " In order")
    for number in sorted(wanted):
        job = jobs.get(number)
        if not job:
            print(f"  {number:<6}is unknown to Slurm  WRONG")
            continue
        one = proofs[number] = Proof(job, journals, wanted[number])
        print(f"  {number:<6}{job.tenant:10}{job.gpus:>4}"
              f"{job.restarts:>13}{one.row()}".rstrip())
    print()
    return proofs, jobs, wanted


def verdict(proofs, jobs, wanted):
    finished = sum(p.finished for p in proofs.values())
    taken = sum(jobs[number].restarts for number in proofs)
    bad = len(wanted) - sum(p.good for p in proofs.values())
    never = sum(not p.done for p in proofs.values())
    if not bad and not never and taken:
        print(f"NO STEP LOST. PROVED: {len(wanted)} jobs, {finished} of them "
              f"finished, gave their GPUs back {taken}\n"
              f"times; each of their {sum(p.done for p in proofs.values())} "
              "steps was executed exactly once, and in order.")
        return True
    if bad:
        print(f"FAILED: {bad} of {len(wanted)} jobs lost or repeated steps.")
    elif never:
        print(f"FAILED: {never} of {len(wanted)} jobs never ran, so nothing "
              "is proved of them.")
    else:
        print("FAILED: no job was interrupted, so nothing is proved.")
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", help="where the jobs' journals are")
    parser.add_argument("--record", required=True, metavar="FILE")
    parser.add_argument("--stock", required=True, metavar="SLURM.CONF")
    args = parser.parse_args()
    journals = {name: Journals(os.path.join(args.folder, name))
                for name, _ in CLUSTERS}
    jobs = {"stock": Jobs(args.stock).jobs, "ours": Jobs().jobs}
    with open(args.record, encoding="utf-8") as text:
        then = json.load(text)
    proofs = proof(journals["ours"], jobs["ours"])
    who_got_what(then)
    who_waited(then, journals, jobs)
    return 0 if verdict(*proofs) else 1


if __name__ == "__main__":
    sys.exit(main())

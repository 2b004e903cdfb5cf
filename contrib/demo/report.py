#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How fair it was, and the proof that no job lost a step.

Ends with 1 when a job lost a step, executed one twice, or out of order.
"""
import argparse
import json
import sys

from watch import Journals, Sample, shares, unevenness
from view import clock, ratio


def fairness(then):
    """The tenants' shares while all of them wanted more than they could get."""
    if not then["tenants"]:
        print("FAIRNESS: there was no moment at which all tenants competed")
        print()
        return
    tenants, pool = then["tenants"], then["pool"]
    part = shares(tenants)
    until = "until the shares were even" if then.get("even") else \
        "while every tenant asked for its share or more"
    print(f"FAIRNESS in the first {clock(then['passed_sec'])}, {until}")
    print()
    print(f"  {'Tenant':10}{'Weight':>7}{'Fair share':>12}{'Got':>9}"
          f"{'GPU minutes':>13}{'entitled to':>13}{'Rho':>10}")
    for t in tenants:
        fair, had = part[t["name"]]
        print(f"  {t['name']:10}{t['weight']:7g}{100 * fair:10.1f} %"
              f"{100 * (had or 0):7.1f} %{t['alloc_gpu_sec'] / 60:13.1f}"
              f"{t['fair_gpu_sec'] / 60:13.1f}     {ratio(t['rho'])}")
    print()
    used = sum(t["alloc_gpu_sec"] for t in tenants)
    whole = sum(t["fair_gpu_sec"] for t in tenants)
    print(f"  Nobody was further than {100 * unevenness(tenants):.1f} % from "
          "its fair share. Rho is GPU minutes had\n  over those entitled to: "
          f"{used / whole:.2f} of all, since GPUs rest while a job stops and "
          "the\n  next one starts. Leases so short make that show: "
          f"{pool['granted']} were granted and\n  {pool['renewed']} renewed.")
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


def proof(folder):
    """Print a line a job. Returns whether no job lost or repeated a step."""
    journals, jobs = Journals(folder), Sample().jobs
    wanted = journals.wanted()
    proofs = {}
    print("NO STEP LOST? By the journals the jobs wrote, step by step:")
    print()
    print("  Job   Tenant    GPUs  Interrupted      Steps Lost Repeated"
          " In order")
    for number in sorted(wanted):
        job = jobs.get(number)
        if not job:
            print(f"  {number:<6}is unknown to Slurm  WRONG")
            continue
        one = proofs[number] = Proof(job, journals, wanted[number])
        print(f"  {number:<6}{job.tenant:10}{job.name.split('-')[-1]:>4}"
              f"{job.restarts:>13}{one.row()}".rstrip())
    print()
    return verdict(proofs, jobs, wanted)


def verdict(proofs, jobs, wanted):
    finished = sum(p.finished for p in proofs.values())
    taken = sum(jobs[number].restarts for number in proofs)
    bad = len(wanted) - sum(p.good for p in proofs.values())
    never = sum(not p.done for p in proofs.values())
    if not bad and not never and taken:
        print(f"  PROVED: {len(wanted)} jobs, {finished} of them finished, "
              f"gave their GPUs back {taken} times;")
        print(f"  each of their {sum(p.done for p in proofs.values())} steps "
              "was executed exactly once, and in order.")
        return True
    if bad:
        print(f"  FAILED: {bad} of {len(wanted)} jobs lost or repeated steps.")
    elif never:
        print(f"  FAILED: {never} of {len(wanted)} jobs never ran, so nothing "
              "is proved of them.")
    else:
        print("  FAILED: no job was interrupted, so nothing is proved.")
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", help="where the jobs' journals are")
    parser.add_argument("--record", required=True, metavar="FILE")
    args = parser.parse_args()
    with open(args.record, encoding="utf-8") as text:
        fairness(json.load(text))
    return 0 if proof(args.folder) else 1


if __name__ == "__main__":
    sys.exit(main())

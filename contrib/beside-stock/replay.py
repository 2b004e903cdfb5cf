#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Submit the jobs of load.py at their moments, wait for all of them, and write
down what became of each: by sacct, and by what the jobs wrote."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

import load

IDLE_JOBS = 7
SAVED_SEC = 60  # until slurmdbd knows what slurmctld knows


def ask(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True,
                          text=True).stdout


class Submitter:
    def __init__(self, folder, with_qos):
        self.folder, self.with_qos = folder, with_qos

    def submit(self, user, account, qos, gpus, sec, prepared):
        """Returns the job's id."""
        options = [f"--uid={user}", f"--account={account}",
                   f"--gres=gpu:{gpus}", f"--chdir={self.folder}",
                   f"--output={self.folder}/jobs/%j.out",
                   # Users ask for twice of what they need, and more.
                   f"--time={1 + -(-2 * sec // 60)}"]
        if self.with_qos:
            options.append(f"--qos={qos}")
        if prepared:
            options += ["--requeue", "--signal=B:USR1@1"]
        done = subprocess.run(
            ["sbatch", "--parsable", *options, "job.sh", str(sec),
             str(int(prepared))], stdout=subprocess.PIPE, text=True,
            stderr=subprocess.PIPE, check=False, cwd=self.folder)
        if done.returncode:
            sys.exit(f"replay.py: error: sbatch {options}: {done.stderr}")
        return int(done.stdout)

    def starts(self, job):
        """When each run of the job began."""
        path = os.path.join(self.folder, "jobs", f"{job}.starts")
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as text:
            return [float(line) for line in text]


def queue_empty():
    return not ask("squeue", "-h").strip()


def until(seconds, condition, what):
    end = time.time() + seconds
    while not condition():
        if time.time() > end:
            sys.exit(f"replay.py: error: {what}")
        time.sleep(0.2)


def idle_starts(submitter):
    """From sbatch to the first line of a job with one GPU, on idle GPUs."""
    found = []
    for _ in range(IDLE_JOBS):
        begun = time.time()
        job = submitter.submit("daemon", "vision", "normal", 1, 0, False)
        until(60, lambda job=job: submitter.starts(job),
              f"job {job} does not start on idle GPUs")
        found.append(submitter.starts(job)[0] - begun)
        until(60, queue_empty, f"job {job} does not end")
    return found


def submit_all(submitter, jobs):
    """Returns what is known of each job by its id."""
    found, begun = {}, time.time()
    for at, *job in jobs:
        time.sleep(max(0, begun + at - time.time()))
        user, account, qos, gpus, sec, prepared = job
        submit = time.time() - begun
        number = submitter.submit(*job)
        found[number] = {"user": user, "tenant": account, "qos": qos,
                         "gpus": gpus, "sec": sec, "prepared": prepared,
                         "submit": submit}
    return begun, found


def runs_of(job_ids, begun):
    """By sacct: {job: [[start, end, state], ...]}."""
    os.environ["SLURM_TIME_FORMAT"] = "%s"
    text = ask("sacct", "-nXPD", "-S", "now-1hour", "-j",
               ",".join(map(str, job_ids)), "-o",
               "JobIDRaw,Start,End,State")
    found = {}
    for line in text.splitlines():
        job, start, end, state = line.split("|")
        if not start.isdigit():
            continue
        found.setdefault(int(job), []).append([
            int(start) - begun, int(end) - begun if end.isdigit() else None,
            state.split()[0]])
    return {job: sorted(runs) for job, runs in found.items()}


def all_ended(job_ids, begun):
    runs = runs_of(job_ids, begun)
    return all(runs.get(job) and runs[job][-1][1] is not None
               for job in job_ids)


def whole(folder, job, sec):
    """Whether the journal of a prepared job has each step once, in order."""
    path = os.path.join(folder, "jobs", f"{job}.journal")
    if not os.path.exists(path):
        return False
    with open(path, encoding="utf-8") as text:
        steps = [int(line.split()[0]) for line in text]
    return steps == list(range(1, 2 * sec + 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", help="where job.sh and steps.py are")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--gpus", type=int, required=True,
                        help="the cluster's GPUs")
    parser.add_argument("--qos", action="store_true")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--output", required=True, metavar="FILE")
    args = parser.parse_args()
    submitter = Submitter(args.folder, args.qos)
    idle = idle_starts(submitter)
    begun, jobs = submit_all(submitter, load.jobs(args.seed, args.short))
    until(900, queue_empty, "jobs are left in the queue")
    until(SAVED_SEC, lambda: all_ended(jobs, begun),
          "slurmdbd does not know how all jobs ended")
    for number, runs in runs_of(jobs, begun).items():
        job = jobs[number]
        job["runs"] = runs
        job["first_start"] = submitter.starts(number)[0] - begun
        job["finished"] = runs[-1][2] == "COMPLETED"
        job["whole"] = not job["prepared"] or whole(args.folder, number,
                                                    job["sec"])
    with open(args.output, "w", encoding="utf-8") as out:
        json.dump({"name": args.name, "seed": args.seed, "gpus": args.gpus,
                   "hour_sec": load.HOUR_SEC / 6 if args.short
                   else load.HOUR_SEC,
                   "weights": {a: w for a, _, w in load.TENANTS},
                   "idle_start_sec": statistics.median(idle),
                   "jobs": list(jobs.values())}, out)


if __name__ == "__main__":
    main()

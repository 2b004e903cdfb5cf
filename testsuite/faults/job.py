#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the campaign's jobs run: job.py JOURNAL NAME STEPS ckpt|slow|plain

Steps of a quarter of a second; a later run goes on where the last one got to.
All jobs append to one journal, a line an event, by the machine's monotonic
clock. A lock held for the life of the process shows two runs at once.
With "ckpt" USR1 ends the run with 85, with "slow" after a while. A killed slurmstepd leaves its processes
behind; these end with it, as a container's would.
"""
import ctypes
import fcntl
import os
import signal
import sys
import time

STEP_SEC = 0.25
SLOW_SEC = 1.5
CHECKPOINTED = 85


class Job:
    def __init__(self, journal, name, steps, kind):
        task = os.environ.get("SLURM_ARRAY_TASK_ID")
        self.name = name + ("_" + task if task else "")
        self.steps = int(steps)
        self.fd = os.open(journal, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        folder = os.path.dirname(journal) + "/runs/"
        self.progress = os.open(folder + self.name,
                                os.O_RDWR | os.O_APPEND | os.O_CREAT)
        self.kind = kind

    def size(self):
        """What an elastic job is told of the size of its run."""
        told = [os.environ.get(name, "-") for name in (
            "ASTRAEA_GPUS", "ASTRAEA_WORLD_SIZE", "SLURM_GPUS_ON_NODE",
            "SLURM_JOB_NUM_NODES", "ASTRAEA_WORKERS", "ASTRAEA_PS",
            "SLURM_NTASKS")]
        if told[0] != "-":
            self.say("size", ":".join(told))

    def say(self, event, detail="-"):
        os.write(self.fd, ("%.3f %.3f %s %d %s %s %s %s\n" % (
            time.monotonic(), time.time(), self.name, os.getpid(),
            os.environ["SLURM_JOB_ID"],
            os.environ.get("SLURM_RESTART_COUNT", "0"),
            event, detail)).encode())

    def begin(self):
        self.say("start", "%s:%s" % (
            os.environ.get("SLURMD_NODENAME"),
            os.environ.get("CUDA_VISIBLE_DEVICES", "")))
        self.size()
        try:
            fcntl.flock(self.progress, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.say("conflict")
            fcntl.flock(self.progress, fcntl.LOCK_EX)
            self.say("unlocked")

    def checkpoint(self, *_):
        if self.kind == "slow":
            time.sleep(SLOW_SEC)
        self.say("checkpoint")
        os._exit(CHECKPOINTED)

    def run(self):
        done = os.fstat(self.progress).st_size
        while done < self.steps:
            time.sleep(STEP_SEC)
            os.write(self.progress, b".")
            done += 1
            if done % 2 == 0:
                self.say("step", done)
        self.say("done")


def main():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    job = Job(*sys.argv[1:])
    if job.kind in ("ckpt", "slow"):
        signal.signal(signal.SIGUSR1, job.checkpoint)
    job.begin()
    job.run()


main()

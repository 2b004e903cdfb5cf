#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A training program in miniature: it counts steps and can be interrupted.

On SIGUSR1 or SIGTERM it finishes the step it is in, writes a checkpoint and
exits with 85, which tells Astraea "I want to go on later". Started again it
goes on from the checkpoint. It also does so after a crash: the checkpoint is
written aside, flushed to the disk and renamed, so that there is always a
whole one, at most --every steps old.

Each step that was executed is appended to a journal. `steps.py --check`
reads it and says whether every step was executed once and in order.
"""
import argparse
import json
import os
import signal
import sys
import time

EXIT_CHECKPOINTED = 85


def say(text):
    """One line with the time; at once, since output may go to a file."""
    print(time.strftime("%Y-%m-%dT%H:%M:%S"), text, flush=True)


def sync_folder(path):
    """Make a rename in the folder of path durable."""
    fd = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


class Checkpoint:
    """The steps done so far, and which run of the job wrote them down."""

    def __init__(self, path, run):
        self.path = path
        self.run = run

    def load(self):
        """The number of steps done, 0 when there is no checkpoint yet."""
        return self._read()["step"]

    def save(self, step):
        """Replace the checkpoint, whole or not at all.

        A run that lost its node may still be alive elsewhere when the next
        one has begun: it must not overwrite the newer run's checkpoint.
        """
        newest = self._read()["run"]
        if newest > self.run:
            sys.exit(f"steps.py: run {newest} has taken over from run "
                     f"{self.run}; nothing was written")
        aside = f"{self.path}.{os.uname().nodename}.{os.getpid()}"
        with open(aside, "w", encoding="utf-8") as out:
            json.dump({"step": step, "run": self.run}, out)
            out.flush()
            os.fsync(out.fileno())
        os.rename(aside, self.path)
        sync_folder(self.path)

    def _read(self):
        try:
            with open(self.path, encoding="utf-8") as text:
                return json.load(text)
        except FileNotFoundError:
            return {"step": 0, "run": 0}


class Journal:
    """One line for each executed step: step, run, node, end time."""

    def __init__(self, path, run):
        self.tail = f"{run} {os.uname().nodename}"
        self.out = open(path, "a", encoding="utf-8")

    def append(self, step):
        self.out.write(f"{step} {self.tail} {time.time():.3f}\n")
        self.out.flush()
        os.fsync(self.out.fileno())


class Stop:
    """Remembers that a signal came; the loop looks between two steps."""

    def __init__(self, names):
        self.name = None
        for name in names:
            signal.signal(getattr(signal, "SIG" + name), self._seen)

    def _seen(self, number, _frame):
        self.name = self.name or signal.Signals(number).name


def train(args):
    """Run the steps that are left. Returns the exit code."""
    stop = Stop(args.signal)
    run = int(os.environ.get("SLURM_RESTART_COUNT", 0))
    checkpoint = Checkpoint(args.checkpoint, run)
    journal = Journal(args.journal, run)
    done = checkpoint.load()
    say(f"run {run} on {os.uname().nodename}: "
        f"{'resume after' if done else 'begin at'} step {done}")
    for key in sorted(os.environ):
        if key.startswith("ASTRAEA_"):
            say(f"{key}={os.environ[key]}")
    while done < args.steps and not stop.name:
        time.sleep(args.seconds)  # the work
        done += 1
        journal.append(done)
        say(f"step {done}/{args.steps}")
        if args.every and done % args.every == 0:
            checkpoint.save(done)
    checkpoint.save(done)
    if done < args.steps:
        say(f"{stop.name}: checkpoint at step {done}")
        return EXIT_CHECKPOINTED
    say(f"finished: {done} steps")
    return 0


def check(args):
    """Prove by the journal that each step was executed once, in order."""
    with open(args.journal, encoding="utf-8") as text:
        lines = [line.split() for line in text]
    steps = [int(line[0]) for line in lines]
    runs = [int(line[1]) for line in lines]
    once = steps == list(range(1, args.steps + 1))
    ordered = runs == sorted(runs)
    lost = len(set(range(1, args.steps + 1)) - set(steps))
    twice = len(steps) - len(set(steps))
    print(f"{args.journal}: {len(set(steps))} of {args.steps} steps in "
          f"{len(set(runs))} runs, {lost} lost, {twice} repeated, "
          f"{'in' if once and ordered else 'NOT in'} order")
    return 0 if once and ordered else 1


def signal_names(text):
    names = [name.upper().removeprefix("SIG") for name in text.split(",")]
    for name in names:
        if name in ("KILL", "STOP") or not hasattr(signal, "SIG" + name):
            raise argparse.ArgumentTypeError(f"no signal to catch: {name}")
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=1.0,
                        help="how long a step takes")
    parser.add_argument("--checkpoint", default="steps.ckpt")
    parser.add_argument("--journal", default="steps.journal")
    parser.add_argument("--every", type=int, default=0, metavar="N",
                        help="also write a checkpoint after every N steps")
    parser.add_argument("--signal", type=signal_names, default="USR1,TERM",
                        metavar="NAME,...", help="what asks for a checkpoint")
    parser.add_argument("--check", action="store_true",
                        help="check the journal instead of running")
    args = parser.parse_args()
    return check(args) if args.check else train(args)


if __name__ == "__main__":
    sys.exit(main())

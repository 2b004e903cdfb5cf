# SPDX-License-Identifier: GPL-2.0-or-later
"""torchrun in a leased job: python3 -m sfair_torchrun TORCHRUN-ARGUMENTS

torchrun itself dies of the checkpoint signal, does not hand it on to its
workers, which have sessions of their own since PyTorch 2, and ends with 1
whatever exit code they had. This is torchrun with all three changed: it
survives the signal, hands it on, and ends with 85 when they did. Leave
--max_restarts at 0: the job's requeue is the restart.
"""

import glob
import os
import signal
import sys

import sfair

CHECKPOINTED = 85


def children():
    """The process ids of this process's children."""
    found = []
    for path in glob.glob("/proc/self/task/*/children"):
        with open(path, encoding="ascii") as text:
            found += map(int, text.read().split())
    return found


def hand_on(number, _frame):
    for pid in children():
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass  # it has just ended


def exit_code(codes, number):
    """Of the job, by those of the workers that failed; a signal's is negative.
    torchrun terminates the others as soon as one has ended with 85."""
    if CHECKPOINTED in codes and \
            set(codes) <= {CHECKPOINTED, -number, -signal.SIGTERM}:
        return CHECKPOINTED
    return 1


def words():
    """The command line, after what it may override."""
    from torch.distributed.elastic.multiprocessing import Std
    ours = ["--monitor_interval=0.5"]  # 5 s are much of a grace
    # PyTorch 1.13 takes its own default, 0, for nothing under Python 3.11,
    # which is what Debian 12 has: redirect a tenth worker.
    if Std.from_str("0") is None:
        ours += ["--redirects=9:1", "--tee=9:1"]
    return ours + sys.argv[1:]


def main():
    from torch.distributed.elastic.multiprocessing.errors import \
        ChildFailedError
    from torch.distributed.run import main as torchrun
    number = sfair.Place(os.environ).signal
    if number:
        signal.signal(number, hand_on)
    try:
        torchrun(words())
    except ChildFailedError as why:
        codes = [failure.exitcode for failure in why.failures.values()]
        code = exit_code(codes, number)
        if code != CHECKPOINTED:
            raise
        sys.exit(code)


if __name__ == "__main__":
    main()

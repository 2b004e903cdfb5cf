# SPDX-License-Identifier: GPL-2.0-or-later
"""torchrun in a leased job: python3 -m sfair_torchrun TORCHRUN-ARGUMENTS

The checkpoint signal kills torchrun. torchrun does not forward it to its
workers, which have sessions of their own since PyTorch 2, and exits with 1
whatever their exit codes. This module is torchrun with all three changed: it
survives the signal, forwards it, and exits with 85 if the workers did. Leave
--max_restarts at 0: the job's requeue is the restart.
"""

import glob
import os
import signal
import sys

import sfair

CHECKPOINTED = 85


def children():
    """Returns the process ids of this process's children."""
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
            pass  # the child has just ended


def exit_code(codes, number):
    """Returns the job's exit code from the codes of the failed workers; that of
    a signal is negative. When one worker has exited with 85, torchrun
    terminates the others."""
    if CHECKPOINTED in codes and \
            set(codes) <= {CHECKPOINTED, -number, -signal.SIGTERM}:
        return CHECKPOINTED
    return 1


def words():
    """Returns torchrun's arguments: our defaults, then the command line, which
    may override them."""
    from torch.distributed.elastic.multiprocessing import Std
    ours = ["--monitor_interval=0.5"]  # the default, 5 s, is long for a grace
    # Under Python 3.11 (Debian 12), PyTorch 1.13 reads its own default, 0, as
    # no value: redirect a tenth worker instead.
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

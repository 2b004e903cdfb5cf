#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Make up an hour of jobs for two nodes with 8 GPUs each, one job a line:

SECOND USER ACCOUNT QOS GPUS SECONDS PREPARED

A large tenant floods the pool in the first minutes. Two small ones come later.
The same seed gives the same jobs. One second stands for half a minute.
"""
import argparse
import random

HOUR_SEC = 120
LONG_SEC = 45  # from here on the jobs of the large tenant ask for QOS long
# account, users, weight
TENANTS = (("vision", ("daemon", "bin"), 2),
           ("speech", ("games", "mail"), 1),
           ("biology", ("lp", "sync"), 1))
# account, from, to, how many, GPUs, shortest, longest (seconds), interactive
CLASSES = (("vision", 0, 5, 5, 4, 40, 70, False),
           ("vision", 0, 8, 2, 8, 25, 40, False),
           ("vision", 0, 10, 4, 2, 25, 40, False),
           ("vision", 0, 60, 8, 1, 20, 40, False),
           ("speech", 25, 35, 3, 4, 20, 35, False),
           ("speech", 25, 60, 4, 2, 15, 30, False),
           ("speech", 25, 80, 4, 1, 10, 25, False),
           ("speech", 15, 110, 3, 1, 4, 8, True),
           ("biology", 40, 60, 2, 4, 20, 35, False),
           ("biology", 40, 50, 1, 8, 20, 25, False),
           ("biology", 40, 90, 3, 2, 15, 30, False),
           ("biology", 40, 100, 5, 1, 10, 20, False),
           ("biology", 15, 110, 3, 1, 4, 8, True))


def qos(account, sec, prepared, interactive):
    """What a user who knows the site asks for."""
    if interactive:
        return "interactive"
    if account != "vision":
        return "normal"
    if prepared:
        return "low"
    return "long" if sec >= LONG_SEC else "normal"


def jobs(seed, short=False):
    """short: every fourth job, and a quarter of its time."""
    dice, found = random.Random(seed), []
    for account, first, last, count, gpus, least, most, inter in CLASSES:
        users = next(u for a, u, _ in TENANTS if a == account)
        for i in range(count):
            sec, at = dice.randint(least, most), dice.uniform(first, last)
            prepared = not inter and len(found) % 2 == 0
            found.append((at, users[i % 2], account,
                          qos(account, sec, prepared, inter), gpus, sec,
                          prepared))
    if short:
        found = [(at / 6, *who, max(2, sec // 4), prepared)
                 for at, *who, sec, prepared in found[::4]]
    return sorted(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--short", action="store_true",
                        help="a few short jobs, to see whether it works")
    args = parser.parse_args()
    for at, *rest, prepared in jobs(args.seed, args.short):
        print(f"{at:.2f}", *rest, int(prepared))


if __name__ == "__main__":
    main()

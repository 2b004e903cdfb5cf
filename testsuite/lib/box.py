# SPDX-License-Identifier: GPL-2.0-or-later
"""The black box (src/store/black_box.c), for live tests.

usage: box.py runs FILE
           print "JOB RESTARTS KIND GPUS START END NODES" of each run's last event
       box.py forget FILE JOB KIND
           take the job's events of that kind out
"""
import struct
import sys

HEAD = struct.Struct("<4I")
SLOT = struct.Struct("<QII8I3q88sQ")
KINDS = {1: "START", 2: "LAUNCH", 3: "END", 4: "REQUEUE"}


def slots(data):
    """(offset, fields) of each slot in use, oldest first."""
    used = []
    for at in range(HEAD.size + 0, len(data) - SLOT.size + 1, SLOT.size):
        fields = SLOT.unpack_from(data, at)
        if fields[0]:
            used.append((fields[0], at, fields))
    return [(at, fields) for _, at, fields in sorted(used)]


def runs(data):
    last = {}
    for _, f in slots(data):
        kind, job, restarts = f[3:6]
        start, end = f[12:14]
        nodes = f[14].split(b"\0")[0].decode()
        last[job, restarts, start] = (KINDS[kind], f[10] >> 1, start, end,
                                      nodes)
    for (job, restarts, _), rest in last.items():
        print(job, restarts, *rest)


def forget(data, job, kind):
    for at, f in slots(data):
        if f[4] == int(job) and KINDS[f[3]] == kind:
            struct.pack_into("<Q", data, at, 0)


def main(what, path, *arguments):
    with open(path, "rb") as f:
        data = bytearray(f.read())
    if what == "runs":
        runs(data)
        return
    forget(data, *arguments)
    with open(path, "wb") as f:
        f.write(data)


main(*sys.argv[1:])

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare two JSON files: numbers to 1e-9 * max(1, |a|, |b|), all else exactly.

usage: compare.py EXPECTED ACTUAL     prints the first difference, exits 1
"""
import json
import sys


def is_number(x):
    return isinstance(x, (int, float)) and not isinstance(x, bool)


def difference(a, b, path="result"):
    if is_number(a) and is_number(b):
        if abs(a - b) <= 1e-9 * max(1, abs(a), abs(b)):
            return None
    elif isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        pairs = ((f"{path}.{k}", a[k], b[k]) for k in a)
        return next(filter(None, (difference(x, y, p)
                                  for p, x, y in pairs)), None)
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return next(filter(None, (difference(x, y, f"{path}[{i}]")
                                  for i, (x, y) in enumerate(zip(a, b)))),
                    None)
    elif type(a) is type(b) and a == b:
        return None
    return f"{path}: expected {json.dumps(a)}, got {json.dumps(b)}"


if __name__ == "__main__":
    with open(sys.argv[1]) as expected, open(sys.argv[2]) as actual:
        found = difference(json.load(expected), json.load(actual))
    if found:
        sys.exit(found)

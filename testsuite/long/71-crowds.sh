#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# First starts in 4,000 random crowds of 100 jobs, and in as many of short ones
# (testsuite/unit/test_sim_properties.c): demand is up to five times the cluster,
# and every fifth job has half of it. At most two of the 800,000 are late, by a
# quarter of a term at most. Two minutes.
set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
out=$(mktemp)
trap 'rm -f "$out"' EXIT
ASTRAEA_BOUND_SEEDS=4000 "${ASTRAEA_BUILDDIR:-$top/build}/test_sim_properties" \
	>"$out" 2>&1 || true
grep 'over its bound\|are late' "$out" || true
if ! grep -q 'first_starts_keep_their_bound' "$out"; then
	echo "71-crowds: the crowds were not simulated"
	exit 1
fi
awk '/over its bound/ { count++; late += $7 > 225 }
	/are late/ { told += $3 }
	END { exit !(count <= 2 && told <= 2 && !late) }' "$out"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Slurmctld is killed before and after each step of a start, of a lease's end
# and of a state save, and nothing is lost: five clusters side by side.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
ASTRAEA_BUILDDIR=$("$top/testsuite/lib/variant" fault)
export ASTRAEA_BUILDDIR
campaigns=() status=0
for part in 1 2 3 4 5; do
	"$top/testsuite/faults/campaign.sh" --faults 0 --every-point $part/5 \
		--seed $part --jobs 20 --nodes 2 --no-accounting &
	campaigns+=($!)
done
for campaign in "${campaigns[@]}"; do wait "$campaign" || status=1; done
exit $status

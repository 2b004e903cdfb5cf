#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Slurmctld, slurmd, slurmstepd, munged and the disk fail a few times while
# jobs come and go: no job runs twice at once, none is lost, none is restarted
# after it completed, leases and GPU time go on. Two clusters side by side, whose
# seeds draw ctld-term, ctld-point, state-full and reconfigure-point, and state-full,
# ctld-kill, state-damaged and ctld-kill.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
ASTRAEA_BUILDDIR=$("$top/testsuite/lib/variant" fault)
export ASTRAEA_BUILDDIR
campaigns=() status=0
for seed in 7 389; do
	"$top/testsuite/faults/campaign.sh" --faults 4 --jobs 16 --nodes 4 \
		--seed $seed &
	campaigns+=($!)
done
for campaign in "${campaigns[@]}"; do wait "$campaign" || status=1; done
exit $status

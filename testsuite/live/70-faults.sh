#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Slurmctld, slurmd, slurmstepd, munged and the disk fail a few times while
# jobs come and go: no job runs twice at once, none is lost, none is restarted
# after it completed, leases and GPU time go on.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
ASTRAEA_BUILDDIR=$("$top/testsuite/lib/variant" fault)
export ASTRAEA_BUILDDIR
exec "$top/testsuite/faults/campaign.sh" --faults 8 --jobs 16 --nodes 4 \
	--seed 7

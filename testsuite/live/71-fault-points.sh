#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Slurmctld is killed before and after each step of a start, of a lease's end
# and of a state save, and nothing is lost.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
ASTRAEA_BUILDDIR=$("$top/testsuite/lib/variant" fault)
export ASTRAEA_BUILDDIR
exec "$top/testsuite/faults/campaign.sh" --faults 0 --every-point --jobs 20 \
	--nodes 2 --no-accounting

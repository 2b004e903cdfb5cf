#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 200 random faults on a cluster with 50 jobs, and each fault point once.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
ASTRAEA_BUILDDIR=$("$top/testsuite/lib/variant" fault)
export ASTRAEA_BUILDDIR
exec "$top/testsuite/faults/campaign.sh" --faults 200 --every-point 1/1 \
	--seed "${ASTRAEA_SEED:-1}"

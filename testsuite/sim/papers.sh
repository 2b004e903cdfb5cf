#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the papers claim, in short: testsuite/papers has it whole, and test_ogas_reward
# OGASched's.

set -euo pipefail

cd "$(dirname "$0")/../papers"
for name in astraea themis incentive oasis; do
	"./$name.sh" --short
done

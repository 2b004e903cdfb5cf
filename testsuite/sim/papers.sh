#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What testsuite/papers has whole, in short; test_ogas_reward has
# OGASched's.

set -euo pipefail

cd "$(dirname "$0")/../papers"
for name in astraea themis incentive oasis traces defaults; do
	"./$name.sh" --short
done

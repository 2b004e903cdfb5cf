#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run the short form of each entry of testsuite/papers but ogasched, which
# test_ogas_reward covers.

set -euo pipefail

cd "$(dirname "$0")/../papers"
for name in astraea themis incentive oasis traces defaults; do
	"./$name.sh" --short
done

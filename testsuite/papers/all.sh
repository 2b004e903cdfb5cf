#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# All entries of testsuite/papers, one after the other, some seven minutes on two cores.
# Exits with 1 if a verdict is not reproduced.
#
# usage: testsuite/papers/all.sh [--short] [--out=FOLDER]
#   --short  a short form of each
#   --out    each table as CSV, SVG and Markdown, too

set -uo pipefail

failed=0
for name in astraea themis incentive oasis ogasched; do
	echo "== $name"
	"$(dirname "$0")/$name.sh" "$@" || failed=1
done
exit "$failed"

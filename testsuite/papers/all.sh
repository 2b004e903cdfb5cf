#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# All entries of testsuite/papers, one after the other, some twenty minutes on two cores.
# Exits with 1 if a verdict is not reproduced.
#
# usage: testsuite/papers/all.sh [--short] [--out=FOLDER]
#   --short  a short form of each
#   --out    each table as CSV and SVG, and doc/papers.md as FOLDER/papers.md

set -uo pipefail

failed=0 out=''
entries=(astraea themis incentive oasis ogasched traces defaults)
for option; do [[ $option != --out=* ]] || out=${option#*=}; done
for name in "${entries[@]}"; do
	echo "== $name"
	"$(dirname "$0")/$name.sh" "$@" || failed=1
done
[[ ! $out ]] || {
	cat <<-'EOT'
		# The five papers' figures, and ours

		`make -C build results` makes this page, in `build/results`, and each table as CSV and
		SVG beside it. A number in brackets in a verdict is the printed one.

		| | reproduced or holds | better than printed | not as printed |
		|---|---:|---:|---:|
	EOT
	for name in "${entries[@]}"; do
		echo "| [$name](#$name) | $(grep -cE '^- \*\*(reproduced|holds)' "$out/$name.md") |" \
			"$(grep -cE '^- \*\*better' "$out/$name.md") |" \
			"$(grep -cE '^- \*\*(not|NOT)' "$out/$name.md") |"
	done
	for name in "${entries[@]}"; do
		echo
		cat "$out/$name.md"
	done
} >"$out/papers.md"
exit "$failed"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# All entries of testsuite/papers, one after the other, some 25 minutes on two cores. Exits
# with 1 if a verdict is not reproduced.
#
# usage: testsuite/papers/all.sh [--short] [--out=FOLDER]
#   --short  a short form of each
#   --out    each table as CSV and SVG, doc/papers.md as FOLDER/papers.md, and the pages
#            of doc/papers as FOLDER/papers/NAME.md

set -uo pipefail

failed=0 out=''
entries=(astraea themis incentive oasis ogasched traces defaults)
for option; do [[ $option != --out=* ]] || out=${option#*=}; done

# count NAME PATTERN: of the verdicts of that entry.
count() { grep -cE "^- \\*\\*($2)" "$out/papers/$1.md"; }

for name in "${entries[@]}"; do
	echo "== $name"
	[[ ! $out ]] || rm -f "$out/papers/$name.md"
	"$(dirname "$0")/$name.sh" "$@" || {
		failed=1
		[[ ! $out ]] || printf '\n**%s.sh failed.**\n' "$name" >>"$out/papers/$name.md"
	}
done
[[ ! $out ]] || {
	cat <<-'EOT'
		# The five papers' figures, and ours

		This page compares our results with the figures in the five papers. The last two pages,
		traces and defaults, belong to no paper.

		`make -C build results` makes this page and the pages to which it links, and saves each
		table as CSV and SVG. In the verdicts on these pages, a number in brackets is the number
		in the paper. Each page names its command, commit and date.

		| | reproduced or holds | better than printed | not as printed | failed |
		|---|---:|---:|---:|---:|
	EOT
	for name in "${entries[@]}"; do
		echo "| [$name](papers/$name.md) | $(count "$name" 'reproduced|holds') |" \
			"$(count "$name" better) | $(count "$name" 'not as') | $(count "$name" NOT) |"
	done
} >"$out/papers.md"
exit "$failed"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Golden decisions: POLICY/NAME.json through `sfairsim decide --policy POLICY`
# gives POLICY/NAME.expected.json; invalid/NAME.json gives no output, status 1
# and one line on stderr that contains the text in invalid/NAME.expected; by
# ltgf, or by POLICY in invalid/POLICY/.
#
# usage: run-golden.sh [SFAIRSIM]

set -u

dir=$(cd "$(dirname "$0")" && pwd)
sim=${1:-${top_builddir:-.}/sfairsim}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
passed=0
failed=0

verdict() { # STATUS NAME
	if (($1)); then
		failed=$((failed + 1))
		echo "FAIL $2"
		sed 's/^/	/' "$tmp/why"
	else
		passed=$((passed + 1))
	fi
}

golden() { # POLICY FILE
	"$sim" decide --policy "$1" <"$2" >"$tmp/out" 2>"$tmp/why" &&
		[[ ! -s $tmp/why ]] &&
		python3 "$dir/compare.py" "${2%.json}.expected.json" \
			"$tmp/out" 2>"$tmp/why"
}

invalid() { # POLICY FILE
	local fragment rc=0
	fragment=$(<"${2%.json}.expected")
	"$sim" decide --policy "$1" <"$2" >"$tmp/out" 2>"$tmp/err" || rc=$?
	{
		echo "status $rc, expected on stderr: $fragment"
		cat "$tmp/err"
	} >"$tmp/why"
	((rc == 1)) && [[ ! -s $tmp/out ]] &&
		(($(wc -l <"$tmp/err") == 1)) &&
		grep -qF -- "$fragment" "$tmp/err"
}

for f in "$dir"/*/*.json "$dir"/invalid/*/*.json; do
	policy=$(basename "$(dirname "$f")")
	case $f in
	*.expected.json | *'*'*) continue ;;
	*/invalid/*/*) invalid "$policy" "$f" ;;
	*/invalid/*) invalid ltgf "$f" ;;
	*) golden "$policy" "$f" ;;
	esac
	verdict $? "$policy/$(basename "$f")"
done
echo "golden: $passed passed, $failed failed"
((failed == 0 && passed > 0))

#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What zsh and fish offer for sfair, sfairsim and sfair-agent: each option of a
# help, commands and reports. fish is asked; zsh's function is called with what
# it calls in our hands.
set -euo pipefail

top=$(cd "${top_srcdir:-$(dirname "$0")/../..}" && pwd)
build=${top_builddir:-$top/build}
build=$(cd "$build" && pwd)
status=0
tried=0
export PATH=$build:$PATH SFAIR_SOCKET=/nonexistent/a.sock
HOME=$(mktemp -d) # fish makes folders there
export HOME
trap 'rm -rf "$HOME"' EXIT

# offered SHELL WORD...: what is offered for the last word.
offered() {
	local shell=$1
	shift
	if [ "$shell" = fish ]; then
		fish --no-config -c "source $top/contrib/completion/$1.fish
			complete -C '$*'" 2>&1
		return
	fi
	zsh -f -c 'compset() { [[ $words[CURRENT] == *=* ]] }
		_files() { print files }
		_describe() { print -l -- ${(P)3} }
		_sfair() { '"$(cat "$top/contrib/completion/_sfair")"'
		}
		words=("$@") CURRENT=$#
		_sfair' zsh "$@" 2>&1
}

# expect SHELL "WORD..." LINE...: these are offered for the last word of a line.
expect() {
	local got word
	got=$(offered "$1" "${@:3}")
	for word in $2; do
		grep -q -- "^${word}[:[:space:]]" <<<"$got" && continue
		echo "$1: ${*:3}: \"$word\" is not in \"$got\""
		status=1
	done
}

options_of() {
	"$@" --completion | cut -f2 | grep '^-'
}

for shell in fish zsh; do
	command -v "$shell" >/dev/null || continue
	tried=1
	expect "$shell" 'tenant why diag report when' sfair ''
	expect "$shell" 'run compare decide' sfairsim ''
	expect "$shell" "$(options_of sfair lease)" sfair lease --
	expect "$shell" "$(options_of sfair top)" sfair top --
	expect "$shell" 'Top Fairness' sfair user ''
	expect "$shell" 'start= topcount= tree' sfair user Top ''
	expect "$shell" "$(options_of sfairsim run)" sfairsim run --
	expect "$shell" "$(options_of sfair-agent)" sfair-agent --
done
[[ ! $(command -v zsh) || $(offered zsh sfairsim run --trace=) == files ]] ||
	{ echo "zsh: no files for a value"; status=1; }
if ((!tried)); then
	echo "SKIP: neither zsh nor fish is here"
	exit 77
fi
((status)) || echo "completion_others: all options are offered"
exit "$status"

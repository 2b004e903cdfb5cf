# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For testsuite/papers/NAME.sh: source this file; the script then runs in an empty folder.
# It prints tables and verdicts, and exits with 1 if a verdict is no.
#
#   sim			sfairsim
#   seeds		of traces, set by the entry
#   short		not empty: the entry was called with --short
#   table NAME TITLE COLUMN...	prints the rows on stdin; with --out=FOLDER they are
#			NAME.csv and NAME.svg there
#   traces NAME COMMAND...	NAME.SEED for each seed, made by COMMAND SEED
#   columns NAME...	of a table in CSV on stdin, behind its first one
#   compared NAME POLICIES 'COLUMN...' OPTION...	SEED POLICY and those columns of
#			sfairsim compare, for each seed's trace and policy
#   median COLUMN		of rows on stdin
#   of WORD FILE		the rows that have that word
#   at FILE ROW COLUMN
#   verdict TEXT CONDITION	says whether it is reproduced; CONDITION: of numbers,
#			as awk has it
#   holds TEXT CONDITION	the same of what no paper says
#   better TEXT CONDITION	the same of what is ours and better than printed
#   differs TEXT CONDITION	says what is known not to be as printed; failed where it is
#			so no more
#   traces_dir		the folder of ../shared with traces, or empty
#   failed		0, or 1 where a verdict was no
# With --out=FOLDER the script's head, its tables and its verdicts are
# papers/ENTRY.md there.

set -euo pipefail
shopt -s inherit_errexit

here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
failed=0 seeds='1 2 3' short='' out=''
for option; do
	case $option in
	--short) short=1 ;;
	--out=?*) out=${option#*=} ;;
	*) echo "$0: $option: there are --short and --out=FOLDER only" >&2 && exit 2 ;;
	esac
done
sim=${top_builddir:-$here/../../build}/sfairsim
[[ -x $sim ]] || {
	echo "$0: there is no $sim: build first (build-aux/build.sh)" >&2
	exit 2
}
sim=$(realpath "$sim")
traces_dir=$here/../../../shared/traces
[[ -d $traces_dir ]] || traces_dir='' no_traces=', without ../shared'
[[ ! $out ]] || { mkdir -p "$out/papers" && out=$(cd "$out" && pwd); }
page=${out:+$out/papers/$(basename "$0" .sh).md}
page=${page:-/dev/null}
{
	printf '# %s\n\n' "$(basename "$0" .sh)"
	awk 'BEGIN { RS = "" } /^#!/ { sub(/^[^\n]*\n[^\n]*\n#\n/, "") } NR == 1' "$0" |
		sed 's/^# \?//; /^usage:/,/^$/d'
	printf '\n`testsuite/papers/%s`, %s, %s%s\n' "${0##*/}${short:+ --short}" \
		"$(git -C "$here" rev-parse --short=8 HEAD 2>/dev/null || "$sim" --version)" \
		"$(date +%F)" "${no_traces-}"
} >"$page"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

traces() {
	local name=$1 seed
	shift
	for seed in $seeds; do
		"$1" "$seed" "${@:2}" >"$name.$seed"
	done
}

columns() {
	awk -F, -v names="$*" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ line = $1
		  for (i = 1; i <= split(names, name, " "); i++) {
			if (!(name[i] in at)) {
				print "no column " name[i] >"/dev/stderr"
				exit 2
			}
			line = line " " $at[name[i]]
		  }
		  print line }'
}

compared() {
	local name=$1 policies=$2 wanted=$3 seed
	shift 3
	for seed in $seeds; do
		"$sim" compare -q -p "$policies" --trace="$name.$seed" --csv=table.csv "$@" \
			>/dev/null
		# shellcheck disable=SC2086 # several words
		columns $wanted <table.csv | sed "s/^/$seed /"
	done
}

median() {
	awk -v column="$1" '{ print $column }' | sort -g |
		awk '{ v[NR] = $1 } END { printf "%.2f\n", v[int((NR + 1) / 2)] }'
}
of() { awk -v word="$1" '{ for (i = 1; i <= NF; i++) if ($i == word) { print; next } }' "$2"; }
at() { awk -v row="$2" -v column="$3" 'NR == row { print $column }' "$1"; }

table() {
	local name=$1 title=$2 columns
	shift 2
	cat >table.rows
	columns=$(printf ', %s' "${@:2}")
	echo "$title: ${columns#, }"
	sed 's/^/  /' table.rows
	[[ $out ]] || return 0
	{
		printf '"%s",' "${@:1:$#-1}" && printf '"%s"\n' "${@: -1}"
		tr -s ' ' ',' <table.rows
	} >"$out/$name.csv"
	"$here/plot.py" "$title" <"$out/$name.csv" >"$out/$name.svg"
	{
		printf '\n## %s\n\n|%s\n|---|%s\n' "$title" "$(printf ' %s |' "$@")" \
			"$(printf -- '---:|%.0s' "${@:2}")"
		sed 's/ / | /g; s/.*/| & |/' table.rows
		echo
	} >>"$page"
}

# says WORD TEXT
says() { echo "$1: $2" && echo "- **$1**: $2" >>"$page"; }
# judge WORD TEXT CONDITION
judge() {
	if awk "BEGIN { exit !($3) }"; then
		says "$1" "$2"
	else
		says "NOT $1" "$2"
		failed=1
	fi
}
verdict() { judge reproduced "$@"; }
holds() { judge holds "$@"; }
better() { judge 'better than printed' "$@"; }
differs() {
	if awk "BEGIN { exit !($2) }"; then
		says 'not as printed' "$1"
	else
		says 'NOT so any more' "$1"
		failed=1
	fi
}

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# OASiS' utility beside that of its paper's baselines (Bao et al., INFOCOM'18, section 6),
# over the load, for jobs of one size and for elastic ones.
#
# usage: testsuite/papers/oasis.sh [--short] [--out=FOLDER]
#   --short  96 GPUs only, 1,000 jobs
#   --out    each table as CSV and SVG, and all as a page
#
# As printed: a job is worth a sigmoid of its time, of one of three classes (sfairsim(1),
# METRICS, utility).
# Ours:
# - jobs: the searches that sfairsim makes up (--generate=apps), and not those of the paper
# - one kind of nodes, of 8 GPUs: GPUs alone count, and parameter servers have no servers
# - no promised first starts

# shellcheck source=testsuite/papers/lib.sh
. "$(dirname "$(realpath "$0")")/lib.sh" || exit 2
jobs=(--generate=apps --set=Promise=no)
nodes='24 16 12 8'
[[ ! $short ]] || nodes=12 jobs+=(--jobs=1000)

# shares NODES POLICIES OPTION...: percent of the utility there could be, by policy.
shares() {
	"$sim" compare -q -p "$2" "${jobs[@]}" --nodes="$1" --csv=table.csv "${@:3}" >/dev/null
	columns utility_share <table.csv | awk '{ printf " %.1f", 100 * $2 }'
}

for count in $nodes; do
	shares "$count" oasis,fifo,drf,rrh,dorm >all
	shares "$count" oasis --set=PlanHorizon=2:00:00 >near
	echo "$((8 * count))$(<all)$(<near)"
done >rows
table oasis-load 'OASiS, percent of the utility there could be' GPUs oasis FIFO DRF RRH Dorm \
	'oasis (plans of 2 h)' <rows
while read -r gpus oasis fifo drf rrh dorm near; do
	verdict "with $gpus GPUs oasis is ahead of FIFO, DRF and Dorm" \
		"$oasis > $fifo && $oasis > $drf && $oasis > $dorm"
	if ((gpus == 64)); then
		differs "with $gpus GPUs, twice the demand there is room for, RRH is ahead" \
			"$rrh > $oasis"
		verdict "with plans of 2 h oasis is ahead of RRH" "$near > $rrh"
	else
		verdict "with $gpus GPUs oasis is ahead of RRH" "$oasis > $rrh"
	fi
done <rows
[[ ! $short ]] || exit "$failed"

for count in $nodes; do
	shares "$count" oasis,dorm --elastic >all
	echo "$((8 * count))$(<all)"
done >rows
table oasis-elastic 'OASiS, elastic jobs, percent of the utility' GPUs oasis Dorm <rows
verdict "with elastic jobs oasis is ahead of Dorm" \
	"$(awk '$2 <= $3 { none = 1 } END { print !none }' rows)"
exit "$failed"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Does it pay to lie to Themis? (The experiment of Figure 18 of Mahajan et al.,
# NSDI'20.) Eight apps, alike and submitted together, want 128 GPUs of 64; one of
# them overstates by X %. In turn each of them is the liar; the table shows the
# mean completion time of the liar and of the truthful.
#
#	truth.sh [OPTION...]	options of sfairsim run, e.g. --set FairnessKnob=0

set -euo pipefail

sim=${top_builddir:-build}/sfairsim
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

{
	echo job_id,tenant,user,app_id,submit_s,duration_s,gpus
	for job in {0..63}; do
		app=$((job % 8))
		echo "$job,t$app,u$app,app$app,0,14400,2"
	done
} >"$tmp/trace.csv"

# ends LIE OPTION...: when the liar was done, and when the others were on average.
ends() {
	local lie=$1 liar
	shift
	for liar in {0..7}; do
		"$sim" run -q --trace "$tmp/trace.csv" -N 16 -G 4 \
			--rack-nodes 4 --slowdown 1,1,1.1,1.3 -p themis "$@" \
			--overbid "app$liar:$lie" --jobs-csv - |
			awk -F, -v liar="t$liar" 'NR > 1 && $8 > end[$2] {
				end[$2] = $8
			}
			END {
				for (t in end)
					if (t != liar)
						sum += end[t]
				print end[liar], sum / 7
			}'
	done | awk '{ liar += $1; others += $2 }
		END { printf "%.0f | %.0f", liar / NR, others / NR }'
}

echo "| X | liar, worse | truthful | liar, gain | truthful |"
echo "|---:|---:|---:|---:|---:|"
for x in 0 10 20 30 40 50 60 70 80 90 100; do
	echo "| $x % | $(ends "$x" "$@") | $(ends "$x:gain" "$@") |"
done

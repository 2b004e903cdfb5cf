#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Themis' testbed (Mahajan et al., NSDI'20, section 8): how badly off the worst app is under
# Themis and under other policies, and what the lease term and the fairness knob change.
#
# usage: testsuite/papers/themis.sh [--short] [--out=FOLDER]
#   --short  the first table only, of one workload
#   --out    each table as CSV and SVG, and all as a page
#
# As printed: 64 GPUs, 8 nodes of two and 12 of four in two racks each.
# Ours:
# - the trace (themis-testbed.py), seeds 1 to 3
# - a checkpoint of 10 s and a start of 40 s
# - a lease of 10 minutes and f = 0.8, unless a table varies them
# - no promised first starts
# - a number is the median of the seeds; for errors, of three draws for each seed
# - a ratio above 1.6 counts as reproduced

# shellcheck source=testsuite/papers/lib.sh
. "$(dirname "$(realpath "$0")")/lib.sh" || exit 2
testbed="$here/themis-testbed.py" draws=1

{
	echo node,gpus,rack
	for n in {0..7}; do echo "two$n,2,$((n / 4))"; done
	for n in {0..11}; do echo "four$n,4,$((2 + n / 6))"; done
} >nodes.csv

# largest NAME POLICIES OPTION...: a line for each seed and policy, with the largest rho
# of an app and the GPU hours.
largest() {
	compared "$1" "$2" 'app_rho_max gpu_sec' --slot-gpus=2 --cluster=nodes.csv \
		--set=Promise=no "${@:3}" | awk '{ print $1, $2, $3, $4 / 3600 }'
}

# beside NAME: how many times as badly off the worst app is under others.
beside() {
	local other times policies=themis,gandiva,tiresias
	[[ $short ]] || policies+=,slaq,optimus,srtf,srsf,ltgf
	largest "$1" "$policies" --set=LeaseTerm=10:00 --set=FairnessKnob=0.8 >rows
	for other in ${policies//,/ }; do
		echo "$other $(of "$other" rows | median 3)"
	done | table "themis-$1" "Themis, $1" policy 'largest rho of an app'
	for other in gandiva tiresias; do
		times=$(join <(of "$other" rows) <(of themis rows) |
			awk '{ print $3 / $6 }' | median 1)
		verdict "$times times as large under $other (2.2 to 3.25)" \
			"$times > 1.6"
	done
}

# vary NAME KEY OPTION VALUE...: prints a row for each value; they are in KEY.rows, too.
vary() {
	local name=$1 key=$2 option=$3 value draw
	shift 3
	for value; do
		for draw in $draws; do
			largest "$name" themis --set=LeaseTerm=10:00 \
				--set=FairnessKnob=0.8 --seed="$draw" "$option$value"
		done >rows
		echo "$value $(median 3 <rows) $(median 4 <rows)"
	done >"$key.rows"
	table "themis-$key" "Themis, $name, by $key" "$key" 'largest rho of an app' 'GPU hours' \
		<"$key.rows"
}

# beyond NAME: GPU time beyond the jobs' own, with what leases cost and without, in
# percent: the rest is lost to places.
beyond() {
	local costs policy seed
	declare -A beyond
	for costs in '' '--checkpoint=0 --cold-start=0'; do
		# shellcheck disable=SC2086
		largest "$1" themis,gandiva --set=LeaseTerm=10:00 \
			--set=FairnessKnob=0.8 $costs >rows
		for policy in themis gandiva; do
			beyond[$policy]=$(for seed in $seeds; do
				awk -F, -v hours="$(awk -v seed="$seed" -v policy="$policy" \
					'$1 == seed && $2 == policy { print $4 }' rows)" '
					NR > 1 { own += $6 * $7 }
					END { print 100 * (hours * 3600 / own - 1) }' \
					"$1.$seed"
			done | median 1)
		done
		echo "${costs:+to-places} ${beyond[themis]} ${beyond[gandiva]}"
	done | sed 's/^ /in-all /' >beyond
	table "themis-beyond" "Themis, $1, percent of GPU time beyond the jobs' own" lost \
		themis gandiva <beyond
	verdict "less GPU time than gandiva" "$(at beyond 1 2) < $(at beyond 1 3)"
	differs "to places themis loses $(at beyond 2 2) %, gandiva $(at beyond 2 3) %" \
		"$(at beyond 2 2) > $(at beyond 2 3)"
}

# lies: eight apps, alike and submitted together, want 128 of 64 GPUs. One of them
# states its rho worse on GPUs of several machines; in turn each does.
lies() {
	local part liar
	{
		echo node,gpus,rack
		echo eight,8,0
		for n in {0..27}; do echo "two$n,2,$((n / 7))"; done
	} >one-large.csv
	{
		echo job_id,tenant,user,app_id,submit_s,duration_s,gpus,slowdown
		for n in {0..31}; do
			echo "$n,t$((n % 8)),u$((n % 8)),app$((n % 8)),0,14400,4,1/1/1.4/1.8"
		done
	} >alike
	for part in 0 50 100; do
		for liar in {0..7}; do
			"$sim" run -q --trace=alike --cluster=one-large.csv -p themis \
				--set=Promise=no --overbid="app$liar:$part:spread" \
				--jobs-csv=- | awk -F, -v liar="t$liar" '
					NR > 1 && $8 > end[$2] { end[$2] = $8 }
					END {
						for (t in end) if (t != liar) others += end[t] / 7
						print end[liar], others
					}'
		done >ends
		echo "$part% $(awk '{ l += $1 / NR0; o += $2 / NR0 } END { print l, o }' \
			NR0=8 ends)"
	done >lies
	table themis-lies 'Themis, a lie about places' lie 'the liar is done (s)' 'the others (s)' \
		<lies
	verdict "a lie about places does not pay" \
		"$(at lies 3 2) > 0.98 * $(at lies 1 2)"
}

traces workload-1 "$testbed"
beside workload-1
[[ ! $short ]] || exit "$failed"
traces workload-2 "$testbed" --halving --network=50
beside workload-2
vary workload-1 LeaseTerm --set=LeaseTerm= 5:00 10:00 20:00 40:00
verdict "longer leases are less fair" \
	"$(at LeaseTerm.rows 4 2) > 1.2 * $(at LeaseTerm.rows 1 2)"
vary workload-1 FairnessKnob --set=FairnessKnob= 0 0.4 0.8 1
verdict "a larger f is fairer" "$(at FairnessKnob.rows 3 2) < $(at FairnessKnob.rows 1 2)"
differs "from f 0 to 1 GPU hours go from $(at FairnessKnob.rows 1 3) to $(at FairnessKnob.rows 4 3) (they rise)" \
	"$(at FairnessKnob.rows 4 3) < $(at FairnessKnob.rows 1 3)"
draws='1 2 3'
vary workload-1 error --error= 0% 5% 10% 20%
verdict "errors of 20 % in the facts about the jobs cost little" \
	"$(at error.rows 4 2) < 1.25 * $(at error.rows 1 2)"
traces workload-3 "$testbed" --halving --network=100
beyond workload-3
lies
exit "$failed"

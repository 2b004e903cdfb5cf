#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# OASiS' utility beside the utility of its paper's baselines (Bao et al., INFOCOM'18), in two
# settings. The first is the paper's model, with several resources and parameter servers
# (Figs. 3 to 6). The second has jobs of sfairsim: over the load, of one size, and elastic.
#
# usage: testsuite/papers/oasis.sh [--short] [--out=FOLDER]
#   --short  Fig. 3 with 100 slots and 100 jobs; 96 GPUs, 1,000 jobs
#   --out    each table as CSV and SVG, and all as a page
#
# As printed, but from memory, because the paper's text was not at hand:
# - 50 servers for workers and 50 for parameter servers (PSs); 300 slots, or 100
# - a worker: 0 to 4 GPUs, 1 to 10 vCPUs, 2 to 32 GB, 5 to 10 GB of storage, 0.1 to 5
#   Gbit/s
# - a PS: the same without GPUs, 5 to 20 Gbit/s
# - a job: 50 to 200 epochs of 5 to 100 chunks of 10 to 100 batches; a batch takes 0.001 to
#   0.1 slots, and its 30 to 575 MB are sent there and back
# - a job is worth a sigmoid of its time: g1 1 to 100, target 1 to 15 slots; 10 % are
#   insensitive to time, 55 % sensitive (g2 0.01 to 1), 35 % critical (4 to 6)
# - U and L are of all jobs that will come
# Ours, in the paper's model:
# - servers: EC2's g3.16xlarge for workers, c4.8xlarge for PSs, all with 25 Gbit/s and 1 TB
# - all numbers are uniform, and so are the times at which jobs come; a slot is 20 minutes
# - a batch takes a 34th of the time, except in one table. With the whole time the median job
#   would take 270 slots with all its workers, and the median target is 8. In that table
#   hardly any job ends before it has lost its worth
# - FIFO and RRH give a job 1 to 30 workers. DRF and Dorm divide again when a job comes or
#   ends; Dorm's two bounds are 0.1. A change of workers costs no time
# - RRH is FirstReward with admission, as in sfairsim(1)
# - a number is the mean of seeds 1 to 5; Fig. 4 is of the jobs of all five
# - Fig. 5: the instances of test_oasis_offline, 4 slots, 2 servers of each kind
# - L: the printed formula gives less than 1e-12, the engine's least. So 1e-12 is used, except
#   in the table of L
# Ours, with sfairsim:
# - jobs: the searches that sfairsim makes up (--generate=apps), and not those of the paper
# - one kind of nodes, of 8 GPUs: only GPUs count, and parameter servers have no servers
# - no promised first starts
# - a job is worth a sigmoid of its time, of one of three classes (METRICS, utility)

# shellcheck source=testsuite/papers/lib.sh
. "$(dirname "$(realpath "$0")")/lib.sh" || exit 2
build=$(dirname "$sim")
make -s -C "$build" bench_oasis_paper >/dev/null

# utilities TABLE SEEDS SPEED SLOTS JOBS...: JOBS and the utility under each method, a line
# for each number of jobs; all that the bench says is in the file all.
utilities() {
	"$build/bench_oasis_paper" "$@" >all
	awk '$1 != jobs { if (jobs) print line
			  line = jobs = $1 }
	     { line = line " " $3 }
	     END { print line }' all
}

# ahead NAME TITLE [JOBS]: the file rows as a table, and whether oasis is ahead in it,
# except with so many jobs.
ahead() {
	local jobs oasis fifo drf rrh dorm
	table "oasis-$1" "OASiS, $2, utility" jobs oasis FIFO DRF RRH Dorm <rows
	while read -r jobs oasis fifo drf rrh dorm; do
		if [[ $jobs == "${3-}" ]]; then
			differs "$2: with $jobs jobs DRF is ahead" "$drf > $oasis"
		else
			verdict "$2: with $jobs jobs oasis is ahead of all four" \
				"$oasis > $fifo && $oasis > $drf && $oasis > $rrh && $oasis > $dorm"
		fi
	done <rows
}

# extremes COLUMN: the least and the most of it on stdin.
extremes() {
	awk -v column="$1" '{ print $column }' | sort -g | sed -n '1p; $p' | xargs
}

if [[ $short ]]; then
	utilities methods 3 34 100 100 >rows
	ahead slots 'Fig. 3, 100 slots'
else
	utilities methods 5 34 100 50 100 200 >rows
	ahead slots 'Fig. 3, 100 slots' 50
	utilities methods 5 1 300 100 200 300 >rows
	table oasis-printed 'OASiS, Fig. 3, batches as long as printed, utility' jobs oasis FIFO \
		DRF RRH Dorm <rows
	utilities methods 5 34 300 50 100 200 300 >rows
	ahead jobs 'Fig. 3, 300 slots'

	awk '$1 == 100 { printf "%s %.0f %.0f %.1f %.0f %.0f %.1f\n", $2, 100 * $13 / $12,
		100 * $14 / $12, $15, 100 * $9 / $8, 100 * $10 / $8, $11 }' all >rows
	table oasis-late 'OASiS, Fig. 4, 100 jobs in 300 slots, beside their targets' method \
		'critical: end (%)' 'critical: in time (%)' 'critical: median slots late' \
		'sensitive: end (%)' 'sensitive: in time (%)' 'sensitive: median slots late' \
		<rows
	read -r _ ends in_time after _ <rows
	read -r _ drf_ends _ < <(of DRF rows)
	read -r _ most < <(sed 1d rows | extremes 3)
	read -r least _ < <(sed 1d rows | extremes 4)
	verdict "$in_time % of critical jobs end in time, under the others at most $most %" \
		"$in_time > $most"
	verdict "critical jobs that end are $after slots late in the median, under the others at least $least" \
		"$after < 0 && $least > 0"
	holds "oasis refuses jobs: $ends % of critical jobs end, under DRF $drf_ends %" \
		"$ends < $drf_ends"

	utilities U 5 34 300 100 >rows
	awk 'NR == FNR { if ($2 == 100) exact = $3; next }
		{ printf "%s %.1f %.1f\n", $2, $3, 100 * $3 / exact }' all all >rows
	table oasis-u 'OASiS, Fig. 6, 100 jobs, U estimated wrong' 'percent of the true U' \
		utility 'percent of that with the true U' <rows
	read -r least most < <(sed '$d' rows | extremes 3 | xargs)
	verdict "16 times the true U is the worst estimate, with $(at rows 8 3) % of the utility" \
		"$(at rows 8 3) < $least"
	differs "with 25 to 400 % of U the utility is within 2 %: no estimate is clearly best (80 %)" \
		"$least > 98 && $most < 102"

	utilities L 5 34 300 50 100 200 >/dev/null
	awk '{ line[$2] = line[$2] " " $3 }
		!seen[$2]++ { name[++n] = $2 }
		END { for (i = 1; i <= n; i++) print name[i] line[name[i]] }' all >rows
	table oasis-l 'OASiS, L estimated, utility' L '50 jobs' '100 jobs' '200 jobs' <rows
	awk 'NR == 1 { split($0, lowest) }
		NR == 5 { for (i = 2; i <= NF; i++) printf "%.2f\n", $i / lowest[i] }' rows >gains
	read -r least _ < <(extremes 1 <gains)
	holds "an L of 1e-4 gives $(xargs <gains) times the utility of 1e-12" "$least > 1.1"

	make -s -C "$build" test_oasis_offline >/dev/null
	status=0
	"$build/test_oasis_offline" >lines 2>&1 || status=$?
	# Without GLPK it exits with 77.
	if ((status == 77)); then
		says 'not made' 'Fig. 5: GLPK was not there at the build'
	else
		sed -n '/^[0-9]/s/[^0-9. ]//gp' lines | awk '{ print $1, $3, $5, $6, $7 }' >rows
		table oasis-optimum 'OASiS, Fig. 5, the offline optimum by the utility' \
			instances median '90th percentile' worst 'of the sums' <rows
		holds "summed over all instances the optimum is $(at rows 1 5) times the utility" \
			"$status == 0 && $(at rows 1 5) < 1.3"
	fi
fi

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

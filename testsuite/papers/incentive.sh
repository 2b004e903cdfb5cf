#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Incentive's simulations (Wang et al., TC'23, section 5): what all jobs are worth under it
# and under others, what its market brings each tenant, and the base of its prices. Prints
# a table and a verdict for each, and ends with 1 where one is not reproduced.
#
# usage: testsuite/papers/incentive.sh [--short]
#   --short  the first table only, of 100 jobs with one seed
#
# As printed: 14 users on 100 servers, slots of an hour, the jobs of incentive-jobs.py. Ours:
# 50 servers of 2 GPUs and 50 of 8, seeds 1 to 3, no checkpoints and starts, no promised
# first starts; GPUs that nobody bought are lent (LendIdle), as by default. A number is the
# median of the seeds. Parameter servers have no servers of their own.

# shellcheck source=testsuite/papers/lib.sh
. "$(dirname "$0")/lib.sh"
jobs="$here/incentive-jobs.py"
[[ ! $short ]] || seeds=1
options=(--cluster=nodes.csv --set=SlotLength=1:00:00 --set=Promise=no --checkpoint=0
	--cold-start=0)

{
	echo node,gpus
	for n in {1..50}; do echo "two$n,2"; done
	for n in {1..50}; do echo "eight$n,8"; done
} >nodes.csv

# utilities NAME POLICIES OPTION...: a line for each seed and policy, with the utility.
utilities() {
	local name=$1 policies=$2 seed
	shift 2
	for seed in $seeds; do
		"$sim" compare -q -p "$policies" --trace="$name.$seed" --csv=table.csv \
			"${options[@]}" "$@" >/dev/null
		awk -F, -v seed="$seed" '
			NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			{ print seed, $at["policy"], $at["utility"] }' table.csv
	done
}

# times OTHER: how many times as much utility incentive has, of the file rows.
times() {
	join <(of incentive rows) <(of "$1" rows) | awk '{ print $3 / $5 }' | median 1
}

# over JOBS TEXT OPTION...: the table's row; its ratios are in fair and hived.
over() {
	local count=$1 text=$2
	shift 2
	traces "$count" "$jobs" --jobs="$count" "$@"
	utilities "$count" incentive,gandiva-fair,hived,batchsche >rows
	fair=$(times gandiva-fair) hived=$(times hived)
	echo "  $text $count: gandiva-fair $fair hived $hived batchsche" \
		"$(times batchsche)"
}

echo "jobs: how many times as much utility incentive has as others"
for worth in linear convex; do
	for count in 50 100 200; do
		[[ ! $short || $count == 100 ]] || continue
		# shellcheck disable=SC2046
		over "$count" $worth $([[ $worth == linear ]] || echo --convex)
		[[ $count == 50 ]] || verdict "$fair and $hived times (1.24 and 1.35)" \
			"$fair > 1.05 && $hived > 1.05"
	done
done
[[ ! $short ]] || exit "$failed"

traces 100 "$jobs" --jobs=100
utilities 100 incentive >lends
utilities 100 incentive --set=LendIdle=no >lends-nothing
echo "of that without lending: $(join lends lends-nothing |
	awk '{ print $5 / $3 }' | median 1)"

echo "alpha, a tenant's part of all gain by its part of all GPUs: least, median, most"
for seed in $seeds; do
	"$sim" run -q -p incentive --trace="100.$seed" "${options[@]}" --tenants-csv=- |
		awk -F, 'NR > 1 { print $9 }' | sort -g |
		awk '{ v[NR] = $1 } END { printf "  %.2f %.2f %.2f\n", v[1],
			v[int((NR + 1) / 2)], v[NR] }'
done | tee alphas
verdict "each tenant gains by the market" "$(sort -g alphas | at /dev/stdin 1 1) > 0"

echo "PriceBase (theta), utility"
for theta in 1 2 4 16 64; do
	echo "  $theta $(utilities 100 incentive --set=PriceBase=$theta | median 3)"
done
exit "$failed"

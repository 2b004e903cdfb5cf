#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What options of ltgf change. The first two tables set one option at a time to another value.
# The runs are chaotic: if leases that end together are cut in another order, the job loss moves
# by 0.6 points, the tenant loss by 1.6 and the slowdown by 1.2. A smaller difference says
# nothing. The third table shows what shares by user (FairWithin=user, the default) cost if
# users ask for very different amounts. The fourth table shows what elastic jobs bring.
#
# usage: testsuite/papers/defaults.sh [--short] [--out=FOLDER]
#   --short  1,000 made-up jobs, and Promise=no
#
# Jobs: two weeks of Venus, with the tenants' quotas as weights, on 64 and 75 nodes of 8
# GPUs, load 1.2 and 1. Without ../shared: jobs made up like those of Venus.

# shellcheck source=testsuite/papers/lib.sh
. "$(dirname "$(realpath "$0")")/lib.sh" || exit 2
jobs=(--generate=venus)
# The first one is the default.
changes=(LeaseTerm=15:00 Promise=no RecallAfter={0,1:00,5:00})
if [[ $short ]]; then
	jobs+=(--jobs=1000)
	changes=("${changes[@]:0:2}")
else
	changes+=(LeaseTerm={5:00,10:00,30:00,1:00:00} Reserve={0,1} MaxOverhead={0,2,10}
		FairnessHalfLife={7-0,3-0,1-0} FairWithin=job
		TenantVariant=eq16)
	[[ ! $traces_dir ]] || jobs=(--trace="$traces_dir/venus_2weeks_2020-08-23.csv"
		--weights="$traces_dir/venus_vc_quota_gpus.csv")
fi

for nodes in 64 75; do
	for change in "${changes[@]}"; do
		"$sim" compare -q -p ltgf "${jobs[@]}" --nodes=$nodes --set="$change" \
			--csv=table.csv >/dev/null
		columns job_loss tenant_loss slowdown_mean jct_mean_sec over_bound <table.csv |
			awk -v name="$change" '{ printf "%s %.1f %.1f %.2f %.0f %d\n", name,
				100 * $2, 100 * $3, $4, $5, $6 }'
	done | sed '1s/[^ ]*/defaults/' >rows
	table "defaults-$nodes" "ltgf on $nodes nodes" option 'job loss (%)' 'tenant loss (%)' \
		slowdown 'mean completion (s)' 'late first starts' <rows
	holds "no first start is late by default, but some are without Promise" \
		"$(at rows 1 6) == 0 && $(at rows 2 6) > 0"
done
[[ ! $short ]] || exit "$failed"

# one OPTION...: what columns has of ltgf with these options.
one() {
	"$sim" compare -q -p ltgf "$@" --csv=table.csv >/dev/null
	columns job_loss slowdown_mean wait_max_sec tenant_loss jct_mean_sec <table.csv
}
for seed in 1 2 3; do
	for within in user job; do
		one --generate=venus --seed=$seed --nodes=64 --set=FairWithin=$within |
			awk -v name="$seed/$within" '{ printf "%s %.1f %.2f %.0f\n", name, 100 * $2, $3,
				$4 }'
	done
done | table defaults-users "ltgf, jobs of users, made up like Venus', 64 nodes" \
	'seed/FairWithin' 'job loss (%)' slowdown 'longest first wait (s)'
for nodes in 64 75 100; do
	for elastic in '' --elastic=50%; do
		one "${jobs[@]}" --nodes=$nodes $elastic |
			awk -v name="$nodes${elastic:+/half}" '{ printf "%s %.1f %.1f %.0f\n", name, 100 * $2,
				100 * $5, $6 }'
	done
done | table defaults-elastic 'ltgf, half of the jobs elastic, on a quarter to twice their GPUs' \
	'nodes/elastic' 'job loss (%)' 'tenant loss (%)' 'mean completion (s)'
exit "$failed"

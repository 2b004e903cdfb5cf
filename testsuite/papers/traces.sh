#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The policies on traces, beside stock Slurm's order with backfill (slurm):
# - A first start is late if it comes after the promised time.
# - Utility is a part of what all jobs would be worth if each had begun at once and alone. The
#   policies know each job's true work and worth, which are made up by the classes of OASiS'
#   paper.
# - GPU time is lost to checkpoints and cold starts.
#
# usage: testsuite/papers/traces.sh [--short] [--out=FOLDER]
#   --short  made-up jobs alone, 1,000 of them, and no searches
#
# Jobs:
# - two weeks of Venus, with the tenants' quotas as weights
# - two weeks of Philly, which is a reconstruction, and of Microsoft ITP
# - Alibaba's openb
# - searches that sfairsim makes up (--generate=apps)
# - without ../shared, jobs made up like those of Venus
# Ours: nodes of 8 GPUs, leases of 15 minutes (of themis 10), a checkpoint of 10 s, a start of
# 40 s, and each option of the policies as by default.

# shellcheck source=testsuite/papers/lib.sh
. "$(dirname "$(realpath "$0")")/lib.sh" || exit 2
all=ltgf,themis,incentive,oasis,ogasched,ltgf+themis,ltgf+incentive,ltgf+oasis,ltgf+ogasched

# side_by_side NAME TITLE POLICIES OPTION...
side_by_side() {
	"$sim" compare -q -p "$3,gandiva-fair,slurm" --csv=table.csv "${@:4}" >/dev/null
	columns over_bound job_loss tenant_loss slowdown_mean jct_mean_sec wait_max_sec \
		utility_share preemptions lost_share <table.csv |
		awk '{ printf "%s %d %.1f %.1f %.2f %.0f %.0f %.1f %.1f %.1f\n", $1, $2, 100 * $3,
			100 * $4, $5, $6, $7, 100 * $8, $9, 100 * $10 }' >rows
	table "traces-$1" "$2" policy 'job loss (%)' 'tenant loss (%)' slowdown \
		'mean completion (s)' 'longest first wait (s)' 'utility (%)' \
		'interruptions a job' 'lost GPU time (%)' < <(cut -d ' ' -f 1,3-10 rows)
	holds "no first start is late under any of ours" \
		"$(awk '$1 !~ /^(slurm|gandiva-fair)$/ { late += $2 } END { print late + 0 }' rows) == 0"
}

if [[ $short ]]; then
	side_by_side like-venus "Jobs like Venus', 64 nodes" "$all" --generate=venus --nodes=64 \
		--jobs=1000
	exit "$failed"
fi
if [[ ! $traces_dir ]]; then
	side_by_side like-venus "Jobs like Venus', 64 nodes" "$all" --generate=venus --nodes=64
else
	for nodes in 75 64; do
		side_by_side "venus-$nodes" "Venus, $nodes nodes" "$all" --nodes=$nodes \
			--trace="$traces_dir/venus_2weeks_2020-08-23.csv" \
			--weights="$traces_dir/venus_vc_quota_gpus.csv"
	done
	side_by_side philly 'Philly, 120 nodes' ltgf,incentive,oasis,ogasched --nodes=120 \
		--trace="$traces_dir/philly_recon_2weeks.csv"
	side_by_side itp 'Microsoft ITP, 150 nodes' ltgf,incentive,oasis,ogasched --nodes=150 \
		--trace="$traces_dir/itp_2weeks.csv"
	side_by_side alibaba 'Alibaba, 4 nodes' "$all" --nodes=4 \
		--trace="$traces_dir/alibaba_gpu2023_openb.csv"
fi
side_by_side searches 'Searches, 16 nodes in 4 racks' "$all" --generate=apps --nodes=16 \
	--slowdown=1,1,1.1,1.3 --rack-nodes=4 --slot-gpus=4
columns app_rho_max <table.csv | awk '{ printf "%s %.2f\n", $1, $2 }' >rows
table traces-searches-rho 'Searches, the worst one' policy 'largest rho of an app' <rows
exit "$failed"

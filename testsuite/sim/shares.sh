#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A tenant whose jobs are gangs has its share beside a flood of small jobs: two
# tenants of weight 1 on 4 nodes of 8 GPUs for a day. `small` submits a job of one
# GPU and half an hour (or two hours) at twice the cluster's capacity; `big` has 32
# GPUs' worth of endless jobs of one size. And the same of two users of one
# tenant. Each is due half, and has it within 5 points after 12 terms.

set -uo pipefail

sim=$(realpath "${top_builddir:-build}/sfairsim")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
cd "$tmp" || exit 1

# trace SIZE SECONDS tenant|user
trace() {
	awk -v OFS=, -v size="$1" -v sec="$2" -v of="$3" 'BEGIN {
		print "job_id,tenant,user,submit_s,gpus,duration_s"
		for (t = 0; t < 87400; t += sec / 64)
			print "s" ++n, of == "tenant" ? "small" : "lab",
			      "small", sprintf("%.1f", t), 1, sec
		for (i = 0; i < 32 / size; i++)
			print "b" i, of == "tenant" ? "big" : "lab", "big",
			      1000 + i, size, 86400
	}'
}

# share SIZE SECONDS tenant|user: what big has, in percent, from second 1000 on, and
# in the first 12 terms of that.
share() {
	trace "$@" | sort -t, -k4,4n -s >trace.csv
	"$sim" run -q --trace=trace.csv -N 4 -G 8 -p ltgf --until=87400 \
		--set=LeaseTerm=1800 --jobs-csv=jobs.csv --runs-csv=runs.csv \
		>/dev/null || exit 1
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		substr($at["job"], 1, 1) == "b" {
			start = $at["start_sec"]
			end = $at["end_sec"]
			had += $at["gpus"] * (end - start)
			end = end < soon ? end : soon
			early += end > start ? $at["gpus"] * (end - start) : 0
		}
		END { printf "%.1f %.1f", 100 * had / 32 / 86400,
			100 * early / 32 / (12 * 1800) }' soon=$((1000 + 12 * 1800)) \
		runs.csv
}

# expect LEAST SIZE SECONDS tenant|user
expect() {
	local least=$1 percent
	shift
	percent=$(share "$@") || exit 1
	echo "$3, jobs of $1 GPUs beside jobs of $2 s, a day and 12 terms: $percent %"
	awk -v p="${percent% *}" -v early="${percent#* }" -v least="$least" \
		'BEGIN { exit !(p >= least && p <= 52 &&
			early >= 45 && early <= 55) }' || failed=1
}

for size in 1 2 4 8 16 32; do
	expect 48 "$size" 1800 tenant
	expect 48 "$size" 7200 tenant
done
expect 48 8 1800 user
exit "$failed"

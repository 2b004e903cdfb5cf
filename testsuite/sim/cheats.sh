#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Within an account nobody gains by more jobs: not by a job split in eight, not by
# 500 small ones, and not by jobs that end with each lease so that the next one
# begins with rho 0. Ann and Bob share 8 GPUs for eight hours; with
# FairWithin=user each has half of what is used, and with FairWithin=job, as in
# the paper, the cheat has nearly all.

set -uo pipefail

sim=$(realpath "${top_builddir:-build}/sfairsim")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
cd "$tmp" || exit 1

# trace NAME JOBS GPUS SECONDS [EVERY]: Ann has one job of 8 GPUs, or eight of one,
# all day; Bob so many, one each EVERY seconds.
trace() {
	{
		echo job_id,tenant,user,submit_s,duration_s,gpus
		if [[ $1 == flood ]]; then
			for ((i = 0; i < 8; i++)); do
				echo "ann$i,lab,ann,0,100000,1"
			done
		else
			echo ann,lab,ann,0,100000,8
		fi
		for ((i = 0; i < $2; i++)); do
			echo "bob$i,lab,bob,$((i * ${5:-0})),$4,$3"
		done
	} >"$1.csv"
}

# bobs NAME job|user: Bob's part of the GPU time, in percent.
bobs() {
	"$sim" run -q --trace="$1.csv" -N 1 -G 8 --until=8:00:00 \
		--set=LeaseTerm=15:00 --set="FairWithin=$2" --jobs-csv=jobs.csv \
		>/dev/null || exit 1
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		 NR > 1 { had[$at["user"]] += $at["alloc_gpu_sec"] }
		 END { printf "%.0f", 100 * had["bob"] / (had["ann"] + had["bob"]) }' \
		jobs.csv
}

trace split 8 1 100000
trace flood 500 1 3000
trace anew 40 8 850 900
for cheat in split flood anew; do
	before=$(bobs "$cheat" job) after=$(bobs "$cheat" user)
	echo "$cheat: Bob has $before % with FairWithin=job, $after % with user"
	((before > 80 && after >= 45 && after <= 55)) || failed=1
done
exit "$failed"

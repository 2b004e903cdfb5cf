#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 200 made-up jobs like Venus' at 1:600 under each policy, on 4 nodes of 8 GPUs
# and simulated: each tenant's GPU time is within 5 %, or what Slurm's whole
# seconds weigh, where it had over 200 GPU seconds, and where two policies differ clearly by a measure in the simulator,
# they do so live in the same order. Prints a table. About six minutes a policy.
#
# REPLAY_POLICIES  which, with blanks between  [all but compositions]
# REPLAY_RESULTS   keep POLICY.json there, and take those that are there
# REPLAY_JOBS      how many jobs  [200]
. "$(dirname "$0")/../lib/live.sh"
. "${live_lib:?}/replay.sh"

policies=${REPLAY_POLICIES-ltgf themis incentive oasis ogasched}
jobs=${REPLAY_JOBS-200}
work=$(mktemp -d)
results=${REPLAY_RESULTS-$work}
mkdir -p "$results"

# Of those that fit 32 GPUs, none over twelve hours: a day and a half is four
# minutes.
"${ASTRAEA_BUILDDIR:-$top/build}/sfairsim" run -q --generate venus \
	--jobs $((jobs * 5 / 4)) --days 1.5 --jobs-csv "$work/all" >/dev/null
{
	echo job_id,tenant,submit_s,duration_s,gpus
	tail -n +2 "$work/all" | sort -t, -g -k6 |
		awk -F, -v most="$jobs" '$5 <= 32 && n++ < most {
			print $1 "," $2 "," $6 "," ($9 < 43200 ? $9 : 43200) "," $5
		}'
} >"$work/trace"
mapfile -t shares < <(awk -F, 'NR > 1 && !seen[$2]++ { print $2 "=1" }' \
	"$work/trace")

# replay POLICY: on a cluster of its own.
replay() (
	cat >"$work/conf" <<-EOT
		Pool=gpu Partitions=gpu Policy=$1 RoundInterval=1 LeaseTerm=6
		CheckpointGrace=5
		SlotLength=10
		PlanHorizon=1000
	EOT
	start_cluster --nodes 4 --gpus 8 --accounting --astraea "$work/conf"
	cd "$CLUSTER_DIR/out" || exit
	tenants "${shares[@]}"
	sfairsim replay --quiet --trace "$work/trace" --scale 600 \
		--json "$results/$1.json"
	nothing_left
)
for policy in $policies; do
	[[ -e $results/$policy.json ]] || replay "$policy"
done
status=0
# shellcheck disable=SC2086
python3 "${live_lib:?}/replay_table.py" "$results" $policies || status=$?
rm -rf "$work"
exit "$status"

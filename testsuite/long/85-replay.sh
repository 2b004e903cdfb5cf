#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 200 real jobs at 1:600: each tenant's GPU time in the simulator is within 5 %
# of what it had on the live cluster. The jobs are every eighth of Venus that
# fits 32 GPUs, with the virtual clusters' quotas as shares; without the trace,
# made-up ones of the same kind. About twelve minutes.
#
# REPLAY_TRACES   the folder of the traces  [shared/traces beside the checkout]
# REPLAY_RESULT   keep the table, as JSON
. "$(dirname "$0")/../lib/live.sh"
. "$live_lib/replay.sh"

traces=$(realpath -m "${REPLAY_TRACES-$top/../shared/traces}")
conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=6 CheckpointGrace=5
EOT
start_cluster --nodes 4 --gpus 8 --accounting --astraea "$conf"
rm -f "$conf"
cd "$CLUSTER_DIR/out" || exit

if [[ -r $traces/venus_2weeks_2020-08-23.csv ]]; then
	awk -F, 'NR == 1 { print } NR % 8 == 2 && $6 <= 32 && n++ < 200' \
		"$traces/venus_2weeks_2020-08-23.csv" >trace.csv
	mapfile -t shares < <(awk -F, 'NR > 1 { sum[$2] += $3; n[$2]++ }
		END { for (t in sum) printf "%s=%.0f\n", t, sum[t] / n[t] }' \
		"$traces/venus_vc_quota_gpus.csv")
	trace=(--trace trace.csv)
else
	trace=(--generate venus --jobs 200 --days 2.8)
	mapfile -t shares < <(sfairsim run "${trace[@]}" --tenants-csv - |
		awk -F, 'NR > 1 { print $1 "=1" }')
fi
tenants "${shares[@]}"
sfairsim replay "${trace[@]}" --scale 600 --json result.json
[[ ! ${REPLAY_RESULT-} ]] || cp result.json "$REPLAY_RESULT"
close_enough result.json 0.05 0.05
nothing_left

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A request gets as many nodes, GPUs and CPUs as stock Slurm would give it, or
# waits or is refused as there: each line of 68-as-stock.table is put to a stock
# cluster and to ours, side by side.
# live.sh sets live_lib.
# shellcheck disable=SC2154
. "$(dirname "$0")/../lib/live.sh"

here=$(cd "$(dirname "$0")" && pwd)
groups=4
conf=$(mktemp)
shape=(--nodes $((3 * groups)) --gpus 4 --cpus 8 --memory 16000)
for ((i = 0; i < groups; i++)); do
	nodes="n[$((3 * i + 1))-$((3 * i + 3))]"
	echo "Pool=g$i Partitions=g$i,x$i RoundInterval=1 LeaseTerm=900" \
		"CheckpointGrace=5" >>"$conf"
	shape+=(--slurm "PartitionName=g$i Nodes=$nodes State=UP")
	shape+=(--slurm "PartitionName=x$i Nodes=$nodes State=UP
OverSubscribe=EXCLUSIVE")
done
start_cluster "${shape[@]/$'\n'/ }" --astraea "$conf"
rm -f "$conf"
stock=$CLUSTER_DIR/s
end_stock() {
	local status=$?
	((status == 0)) || "$live_lib/cluster" dead "$stock" || :
	"$live_lib/cluster" down "$stock" || status=1
	live_end "$status"
}
trap end_stock EXIT
"$live_lib/cluster" up "$stock" "${shape[@]/$'\n'/ }" --stock --vary "$vary" >/dev/null

"$live_lib/as_stock.py" "$stock/env" "$CLUSTER_DIR/env" \
	"${1-$here/68-as-stock.table}" "$groups" || fail "not as stock Slurm"
check_eq "errors of ours in the log" '' "$(errors_of_ours)"

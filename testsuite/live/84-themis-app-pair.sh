#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Policy=themis: two elastic jobs of an app share what it wins, and neither grows into
# the other's GPUs.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/apps.sh
. "$(dirname "$0")/../lib/apps.sh"
apps_cluster

pair=()
for _ in 1 2; do
	pair+=("$(job pair -H --gpus=2 --gpu-range=2-8)")
done
scontrol release "$(list "${pair[@]}")"
wait_for 120 together "${pair[@]}"
stand() { # what they have, and how often they began
	local id
	squeue -h -j "$(list "${pair[@]}")" -S i -O jobid,tres-alloc:120
	for id in "${pair[@]}"; do
		grep -c '^run' "$CLUSTER_DIR/out/$id"
	done
}
began() { stand >"$CLUSTER_DIR/out/stand"; }
wait_for 20 began
for _ in 1 2 3; do
	wait_for 70 a_later_end "$(ends "${pair[@]}")" "${pair[@]}"
	check_eq "what they have" "$(<"$CLUSTER_DIR/out/stand")" "$(stand)"
done
check_eq "errors of ours in the log" '' "$(errors_of_ours)"
ok share-and-stay

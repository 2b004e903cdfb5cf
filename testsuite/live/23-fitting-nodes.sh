#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Where nodes have to fit together, GPUs are collected at lease ends on nodes
# that do, although the leases on others end before.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=4 CheckpointGrace=1" \
	>"$conf"
features=()
for n in 1 3 5 7; do
	features+=(--node "n$n Feature=odd" --node "n$((n + 1)) Feature=even")
done
start_cluster --nodes 8 --gpus 1 --astraea "$conf" "${features[@]}"
rm -f "$conf"
chmod 755 "$CLUSTER_DIR/run"

# Twice as many as there is room for; leases end at different times.
sleeper() { submit --gres=gpu:1 "$@" --wrap 'sleep 600' >/dev/null; }
for n in 1 6 3 8 2 5 4 7; do
	sleeper -w "n$n"
	sleep 0.4
done
for _ in 1 2 3 4 5 6 7 8; do sleeper; done

# collects SBATCH_ARGUMENT...: another user's job starts; its nodes are in $nodes.
collects() {
	local id
	id=$(as_other sbatch --parsable -o /dev/null --chdir=/ \
		--gres=gpu:1 "$@" \
		--wrap 'sleep 600')
	wait_for 60 job_is "$id" RUNNING
	nodes=$(job_field "$id" NodeList)
	scancel "$id"
}
collects -N4 -C '[odd*4]'
check_eq "nodes of an odd kind" 'n[1,3,5,7]' "$nodes"
ok constraint-counts-at-lease-ends
collects -N4 -C '[odd*1&even*3]'
check_eq "nodes of an odd kind among $nodes" 1 \
	"$(scontrol show hostnames "$nodes" | grep -c '[1357]$')"
ok constraint-counts-of-two-features-at-lease-ends
collects -N4 --contiguous
[[ $nodes == n\[@(1-4|2-5|3-6|4-7|5-8)\] ]] || fail "not neighbours: $nodes"
ok contiguous-at-lease-ends

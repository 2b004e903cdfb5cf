#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job that needs nodes for its user alone gets them from another user, all of
# whose leases there end for it. One line "ok NAME" for each.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu,own RoundInterval=1 LeaseTerm=10 CheckpointGrace=1" \
	>"$conf"
start_cluster --nodes 2 --gpus 4 --cpus 16 --astraea "$conf" \
	--slurm 'PartitionName=own Nodes=n[1-2] State=UP ExclusiveUser=YES'
rm -f "$conf"

runs() { wait_for "$2" job_is "$1" RUNNING; }
sleeper() { submit "$@" --wrap 'exec sleep 600'; }
sleeper_of_other() {
	as_other sbatch --parsable -o /dev/null --chdir=/ "$@" \
		--wrap 'exec sleep 600'
}
clean() {
	[[ -z $(squeue -h) ]] && ! scontrol show node | grep >/dev/null COMPLETING
}
refused() { grep -c 'astraea: JobId=.* is not started' "$CLUSTER_DIR/log/slurmctld.log"; }

# small PARTITION: eight jobs of one GPU each, and more that wait.
small() {
	local ids=() i
	for ((i = 0; i < 12; i++)); do
		ids+=("$(sleeper -p "$1" --gres=gpu:1)")
	done
	for ((i = 0; i < 8; i++)); do runs "${ids[i]}" 30; done
}

small own
node=$(sleeper_of_other -p own --gres=gpu:1)
runs "$node" 60
ok another-user-gets-a-node-of-an-exclusive-user
scancel "$node"
gang=$(sleeper_of_other -p own -N2 --gres=gpu:2)
runs "$gang" 60
ok another-user-gets-all-nodes-of-an-exclusive-user
scancel -p own
wait_for 30 clean

small gpu
node=$(sleeper_of_other -p gpu --exclusive=user --gres=gpu:2)
runs "$node" 60
ok exclusive-user-gets-a-node-of-others
scancel -p gpu
wait_for 30 clean
check_eq "starts that Slurm refused" 0 "$(refused)"
check_eq "errors of ours in the log" '' "$(errors_of_ours)"

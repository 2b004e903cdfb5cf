#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Jobs of one user that wait in partitions of several PriorityTiers start in the
# order of stock Slurm: the same are put to a stock cluster and to ours. One line
# "ok NAME" for each list of jobs.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/as-stock.sh
. "$live_lib/as-stock.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu,low,mid,top RoundInterval=1 LeaseTerm=900 CheckpointGrace=5" \
	>"$conf"
shape=(--nodes 1 --gpus 4 --cpus 8 --astraea "$conf")
shape+=(--slurm 'PartitionName=low Nodes=n1 State=UP PriorityTier=1')
shape+=(--slurm 'PartitionName=mid Nodes=n1 State=UP PriorityTier=5')
shape+=(--slurm 'PartitionName=top Nodes=n1 State=UP PriorityTier=9')
start_cluster "${shape[@]}"
stock=$CLUSTER_DIR/s
trap end_stock EXIT
"$live_lib/cluster" up "$stock" "${shape[@]}" --stock --vary "$vary" \
	--slurm PriorityType=priority/basic >/dev/null
rm -f "$conf"

# in_cluster ENV COMMAND...
in_cluster() (
	# shellcheck source=/dev/null
	. "$1"
	shift
	"$@"
)

running() { squeue -h -t RUNNING -o %j; }
runs_one() { [[ $(running) ]]; }
none_is_left() { [[ -z $(squeue -h) ]]; }

# order JOB...: put jobs of these options that need all GPUs, named by their
# numbers, behind one that runs; print their names as they start.
order() {
	local job i=0 name
	sbatch -Q -J first --gres=gpu:4 -o /dev/null --chdir=/ --wrap 'exec sleep 600'
	wait_for 30 runs_one
	for job; do
		# shellcheck disable=SC2086
		sbatch -Q -J $((++i)) --gres=gpu:4 -o /dev/null --chdir=/ $job \
			--wrap 'exec sleep 600'
	done
	scancel -n first
	while ((i-- > 0)); do
		wait_for 30 starts_next
		name=$(running)
		printf '%s ' "$name"
		scancel -n "$name"
	done
	wait_for 30 none_is_left
}
starts_next() { [[ $(running) == [0-9]* ]] && [[ $(running) != "${name-}" ]]; }

# same NAME JOB...
same() {
	local name=$1
	shift
	check_eq "$name" "$(in_cluster "$stock/env" order "$@")" \
		"$(in_cluster "$CLUSTER_DIR/env" order "$@")"
	ok "$name"
}

same as-stock-higher-tiers-first '-p low' '-p top' '-p mid' '-p low' '-p top' '-p mid'
same as-stock-nice-within-a-tier '-p low' '-p top --nice=50' '-p mid' '-p top' \
	'-p mid --nice=50' '-p mid'
same as-stock-several-partitions '-p low' '-p low,top' '-p mid,low' '-p mid' '-p top'
check_eq "errors of ours in the log" '' "$(errors_of_ours)"

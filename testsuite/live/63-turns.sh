#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Who has a turn, without slurmdbd: no lease ends for a job that its holder could
# preempt by partition, and users share a licence of one, or of two of which one will
# do. One line "ok NAME" for each.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu,top RoundInterval=1 LeaseTerm=8 CheckpointGrace=1" \
	>"$conf"
start_cluster --nodes 2 --gpus 4 --cpus 16 --astraea "$conf" \
	--slurm 'PartitionName=top Nodes=n[1-2] State=UP PriorityTier=9' \
	--slurm PreemptType=preempt/partition_prio --slurm PreemptMode=REQUEUE \
	--slurm Licenses=solver:1,mesher:1
rm -f "$conf"

clean() {
	[[ -z $(squeue -h) ]] && ! scontrol show node | grep >/dev/null COMPLETING
}
runs() { wait_for 20 job_is "$1" RUNNING; }
says() { [[ $(job_reason "$1") == "$2" ]]; }
sleeper() { submit "$@" --wrap 'exec sleep 600'; }
sleeper_of_other() {
	as_other sbatch --parsable -o /dev/null --chdir=/ "$@" \
		--wrap 'exec sleep 600'
}
leases_of() { sfair job -nP -j "$1" -o Leases; }
renewed() {
	local leases
	leases=$(leases_of "$1") || return 1
	((leases > $2))
}

first=$(sleeper -p gpu -L solver:1 --gres=gpu:1)
runs "$first"
second=$(sleeper_of_other -p gpu -L solver:1 --gres=gpu:1)
wait_for 20 says "$second" Licenses
runs "$second"
wait_for 20 says "$first" Licenses
runs "$first"
ok licence
scancel "$first" "$second"
wait_for 30 clean

# A lease is of 8 s.
holder=$(sleeper -p top -N2 --gres=gpu:4)
runs "$holder"
waits=$(sleeper_of_other -p gpu -N2 --gres=gpu:4)
wait_for 60 renewed "$holder" $(($(leases_of "$holder") + 2))
check_eq "restarts of the holder" 0 "$(job_field "$holder" Restarts)"
check_eq "state of the holder" RUNNING "$(job_state "$holder")"
check_eq "state of the one that waits" PENDING "$(job_state "$waits")"
check_eq "restarts of the one that waits" 0 "$(job_field "$waits" Restarts)"
ok partition_prio
scancel "$holder" "$waits"
wait_for 30 clean

# One of two licences will do: one lease ends for it, not two. From 25.05 on.
if (($(slurm_release) >= 2505)); then
	first=$(sleeper -p gpu -L solver:1 --gres=gpu:1)
	second=$(sleeper -p gpu -L mesher:1 --gres=gpu:1)
	runs "$first"
	runs "$second"
	third=$(sleeper_of_other -p gpu -L 'solver:1|mesher:1' --gres=gpu:1)
	wait_for 20 says "$third" Licenses
	runs "$third"
	check_eq "leases that ended" 1 \
		$(($(job_field "$first" Restarts) + $(job_field "$second" Restarts)))
	ok one-of-two-licences
	scancel "$first" "$second" "$third"
	wait_for 30 clean
fi

check_eq "errors of ours in the log" '' "$(errors_of_ours)"

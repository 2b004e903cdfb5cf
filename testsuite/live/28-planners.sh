#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Each policy that plans by slots on real daemons, one after the other in the
# same slurmctld: its jobs run to their end, one that waits has a reason, GPUs
# are not shared, and a restart in between loses nothing.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu Policy=ltgf
	RoundInterval=1
	SlotLength=10
	PlanHorizon=600
	LeaseTerm=10
	CheckpointGrace=3
EOT
start_cluster --nodes 2 --gpus 2 --astraea "$conf"
rm -f "$conf"

all_done() { [[ -z $(squeue -h) ]]; }
# A reason of ours, or it runs.
explained() {
	! squeue -h -t PD -o '%r' | grep >/dev/null -v '^Lease: ' && no_gpu_twice
}
no_gpu_twice() {
	(($(squeue -h -t R -r | wc -l) <= 4))
}
some_run() { [[ $(squeue -h -t R) ]]; }

for policy in oasis ogasched incentive; do
	set_conf Policy "$policy"
	jobs=()
	for _ in 1 2 3 4 5 6; do
		jobs+=("$(submit -J "$policy" --gres=gpu:1 --time=1 \
			--wrap 'sleep 8')")
	done
	touch "$CLUSTER_DIR/known"
	wait_for 60 explained
	wait_for 60 some_run
	no_gpu_twice || fail "$policy: more jobs run than there are GPUs"
	[[ $policy != oasis ]] || {
		wait_for 20 slurm_has_saved
		restart_slurmctld KILL
	}
	wait_for 150 all_done
	for id in "${jobs[@]}"; do
		check_eq "$policy: exit code of job $id" 0:0 \
			"$(job_field "$id" ExitCode)"
		check_eq "$policy: state of job $id" COMPLETED \
			"$(job_state "$id")"
	done
	! ctld_log "policy $policy: award" ||
		fail "$policy awarded what could not be"
done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The examples lose no step and count none twice, however often their GPUs are
# taken back; options of spank/astraea arrive from sbatch, srun and salloc.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	RoundInterval=1
	LeaseTerm=8
	CheckpointGrace=4
	Pool=gpu Partitions=gpu
EOT
start_cluster --nodes 1 --gpus 2 --astraea "$conf"
rm -f "$conf"

check "sbatch --help does not show --lease" grep -q -- --lease=TIME < <(
	sbatch --help)
check "srun --help does not show --app" grep -q -- --app=NAME < <(srun --help)
for command in srun salloc; do
	check "$command --lease --app fails" timeout 30 \
		"$command" -Q --gpus=1 --lease=0:06 --app=x \
		--iterations=5 --iter-time=.1 --slowdown=1,1,1,2 \
		--utility=linear:0,1 true
done
! grep -i 'spank.*\(error\|not found\)' "$CLUSTER_DIR"/log/slurmd.*.log ||
	fail "slurmd complains about the plugin"

cd "$top/contrib/examples"
export STATE_DIR=$CLUSTER_DIR/out SECONDS_A_STEP=0.5
a=$(STEPS=50 submit --chdir=. --gres=gpu:2 train.sbatch)
b=$(STEPS=50 submit --chdir=. --gres=gpu:2 train-plain.sbatch)
c=$(STEPS=30 submit --chdir=. --gres=gpu:2 --lease=0:05 train.sbatch)
wait_for 240 job_is "$a" COMPLETED
wait_for 120 job_is "$b" COMPLETED
wait_for 120 job_is "$c" COMPLETED

for id in "$a" "$b" "$c"; do
	check "job $id was never taken back" \
		test "$(job_field "$id" Restarts)" -ge 1
	check_eq "runs of job $id that ended with a checkpoint" \
		"$(job_field "$id" Restarts)" \
		"$(job_log "$id" | grep -c 'checkpoint at step')"
done
./steps.py --check --steps 50 --journal "$STATE_DIR/train-$a.journal"
./steps.py --check --steps 50 --journal "$STATE_DIR/train-plain-$b.journal"
./steps.py --check --steps 30 --journal "$STATE_DIR/train-$c.journal"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Jobs that stock Slurm started keep their GPUs until they end when the plugins
# come, whoever waits. They are charged, and shown as jobs without leases. So it
# is after another restart, and after a kill. Jobs that we start have leases.
. "$(dirname "$0")/../lib/live.sh"

options=$(mktemp)
echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=8 CheckpointGrace=2 RecallAfter=2" \
	>"$options"
start_cluster --needs minage=300 --nodes 2 --gpus 4 --accounting --astraea "$options"
rm "$options"
for a in old new; do
	sacctmgr -i -Q add account $a >/dev/null
	sacctmgr -i -Q add user root account=$a >/dev/null
done
conf=$CLUSTER_DIR/etc/slurm.conf
cp "$conf" "$CLUSTER_DIR/etc/ours"
grep -v '^\(SchedulerType\|BurstBufferType\|PriorityType\|JobSubmitPlugins\)=' \
	"$conf" >"$CLUSTER_DIR/etc/stock"
echo 'SchedulerType=sched/backfill
PriorityType=priority/multifactor' >>"$CLUSTER_DIR/etc/stock"

# change WHICH SIGNAL: restart slurmctld with another slurm.conf.
change() {
	"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld "$2"
	cp "$CLUSTER_DIR/etc/$1" "$conf"
	"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
}
export OUT=$CLUSTER_DIR/out
until_go='until [ -e $OUT/go ]; do sleep 0.2; done'
all_in() { (($(squeue -h -r -t "$1" -A "$2" -o %i | wc -l) == $3)); }
# What became of the jobs of stock Slurm.
old_jobs() {
	local id

	for id in $(squeue -h -r -A old -o %i | sort); do
		echo "$id $(job_field "$id" Restarts) $(job_state "$id")"
	done
}

# ---- Stock Slurm, full with jobs of all kinds.

change stock TERM
submit -A old --gres=gpu:1 --wrap "$until_go" >/dev/null
submit -A old --gres=gpu:1 --array=1-2 --wrap "$until_go" >/dev/null
submit -A old -N2 --gres=gpu:1 --signal=B:USR1@60 --wrap "$until_go" >/dev/null
submit -A old --gres=gpu:1 --signal=USR1@60 -t 10 --wrap "srun bash -c '$until_go'" >/dev/null
submit -A old --gres=gpu:1 --no-requeue --wrap "$until_go" >/dev/null
srun -A old --gres=gpu:1 bash -c "$until_go" &
step=$!
wait_for 60 all_in RUNNING old 7
before=$(old_jobs)

# ---- The plugins come, and another tenant that is due half of the GPUs waits.

change ours TERM
check_eq "the scheduler" sched/astraea "$(scontrol show config | sed -n 's/^SchedulerType *= //p')"
for i in 1 2 3 4; do
	submit -A new --gres=gpu:$i --wrap 'sleep 30' >/dev/null
done
nap 30
check_eq "jobs of stock Slurm, four terms later" "$before" "$(old_jobs)"
first=$(squeue -h -r -A old -o %i | sort | head -n 1)
why=$(sfair why "$first" | xargs)
check "sfair why says: $why" grep >/dev/null \
	"never taken back (its run began without leases); it is charged" <<<"$why"
change ours KILL
nap 12
check_eq "jobs of stock Slurm after a kill" "$before" "$(old_jobs)"

# ---- Whoever is willing gets leases.

without() {
	sfair lease -nP -o JobID,Pinned |
		sed -n 's/|its run began without leases$//p'
}
check "$first is among $(without)" grep >/dev/null -x "$first" <<<"$(without)"
as_other scontrol update JobId="$first" Requeue=1 2>/dev/null &&
	fail "anybody may give leases to a job of root"
check "$first is still among $(without)" grep >/dev/null -x "$first" <<<"$(without)"
scontrol update JobId="$first" Requeue=1
gave_way() { (($(job_field "$first" Restarts) >= 1)); }
wait_for 60 gave_way
check_eq "jobs of the others" "$(grep -v "^$first " <<<"$before")" \
	"$(old_jobs | grep -v "^$first ")"

# ---- They end by themselves; what we start has leases.

touch "$OUT/go"
wait "$step"
wait_for 60 all_in RUNNING,PENDING old 0
all_completed() { ! sacct -n -X -A old -o jobid,state | grep -v COMPLETED; }
wait_for 60 all_completed # slurmdbd hears of it later
rm "$OUT/go"
wait_for 200 all_in RUNNING,PENDING new 0
ours=$(submit -A old -N2 --gres=gpu:4 --wrap "$until_go")
wait_for 60 job_is "$ours" RUNNING
theirs=$(submit -A new --gres=gpu:4 --wrap true)
wait_for 90 job_is "$theirs" COMPLETED
check "a job of ours gave way" test "$(job_field "$ours" Restarts)" -ge 1
touch "$OUT/go"
wait_for 60 all_in RUNNING,PENDING old 0

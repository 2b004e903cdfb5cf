#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Going back to stock Slurm loses no job: those that run go on, those that wait
# are started by Slurm; after a kill -9 contrib/unpark.sh sees to that. And
# forth again: the history has one row of a job, even if the state is lost. Nor
# is a job that stock Slurm runs again told of its last run's size and lease.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/stock-and-ours.sh
. "$(dirname "$0")/../lib/stock-and-ours.sh"

start_cluster --needs minage=300 --nodes 2 --gpus 4
stock_and_ours
scheduler() { scontrol show config | sed -n 's/^SchedulerType *= //p'; }
jobs_known() { squeue -h -r -p gpu -t all -o %i | sort | xargs; }
in_state() { (($(squeue -h -r -t "$1" -j "$2" -o %i | wc -l) == $3)); }
no_lease() { ! squeue -h -t PD -o %r | grep >/dev/null 'Lease:\|BurstBuffer'; }
export OUT=$CLUSTER_DIR/out
# full: a job on all GPUs that runs until there is a file of its number.
full() {
	submit -N2 --gres=gpu:4 --wrap 'date +begin\ %s
		until [ -e $OUT/go.$SLURM_JOB_ID ]; do sleep 0.2; done'
}
says() { [[ $(job_reason "$1") == $2 ]]; }

# One job that runs, and others that wait in every way there is.
runs=$(full)
wait_for 20 job_is "$runs" RUNNING
waits=$(submit --gpus=2 --wrap true)
array=$(submit --array=1-3 --gres=gpu:a100:2 --wrap true)
held=$(submit -H --gpus=1 --wrap true)
after=$(submit -d afterok:"$runs" --gpus=1 --wrap true)
later=$(submit --begin=now+1hour --gpus=1 --wrap true)
wait_for 20 says "$waits" "Lease: *"
wait_for 20 says "$array" "Lease: waits *"
# So late that no round has seen it.
late=$(submit --array=1-2 --gpus=1 --wrap true)
all=$(jobs_known)

# ---- Stopped normally.

change stock TERM
check_eq "scheduler" sched/backfill "$(scheduler)"
check_eq "jobs under stock Slurm" "$all" "$(jobs_known)"
check_eq "the running job" "0 RUNNING" \
	"$(job_field "$runs" Restarts) $(job_state "$runs")"
wait_for 30 no_lease
wait_for 30 says "$held" JobHeldUser
wait_for 30 says "$later" BeginTime
touch "$OUT/go.$runs"
wait_for 60 job_is "$runs" COMPLETED
for id in "$waits" "$after"; do wait_for 60 job_is "$id" COMPLETED; done
wait_for 60 in_state CD "$array" 3
wait_for 60 in_state CD "$late" 2
check_eq "a held job among free GPUs" PENDING "$(job_state "$held")"
scontrol release "$held"
scontrol update jobid="$later" starttime=now
wait_for 60 job_is "$held" COMPLETED
wait_for 60 job_is "$later" COMPLETED
check_eq "runs of the job that ran on" 1 "$(job_log "$runs" | grep -c begin)"

# ---- And forth: a job that stock Slurm has started is leased at once.

runs=$(full)
wait_for 30 job_is "$runs" RUNNING
waits=$(submit --gpus=2 --wrap true)
array=$(submit --array=1-3 --gres=gpu:a100:2 --wrap true)
change ours TERM
check_eq "scheduler" sched/astraea "$(scheduler)"
leased() { [[ $(sfair lease -nP -o JobID,Phase 2>/dev/null) == "$1|leased" ]]; }
wait_for 40 leased "$runs"
check_eq "the running job" "0 RUNNING" \
	"$(job_field "$runs" Restarts) $(job_state "$runs")"
wait_for 20 says "$waits" "Lease: *"
wait_for 20 says "$array" "Lease: *"

# ---- Killed: what was parked stays so, until unpark.sh. Slurmctld writes its
# jobs down some seconds after a submission.

again=$(full)
# history COLUMN,... JOB: a line for each row, also in a day's first hour.
history() {
	sfair job Fairness -nP -o "$1" start=now-1hour end=now jobs="$2" 2>/dev/null
}
in_history() { history Submit,State "$again"; }
waits_in_history() { [[ $(in_history) == *'|PENDING' ]]; }
wait_for 20 waits_in_history
before=$(in_history)
touch "$CLUSTER_DIR/known"
scancel "$(submit -H --gpus=1 --wrap true)"
sleep 7
wait_for 20 slurm_has_saved
change stock KILL
wait_for 30 job_is "$runs" RUNNING
touch "$OUT/go.$runs"
wait_for 60 job_is "$runs" COMPLETED
parked=$(squeue -h -t PD -o %r | grep -c Lease:) ||
	fail "nothing is parked after a kill -9: this tries nothing"
"$top/contrib/unpark.sh" | tee "$OUT/unpark"
grep -q "^unpark.sh: $parked jobs given back" "$OUT/unpark" ||
	fail "of $parked jobs unpark.sh gave back others"
wait_for 20 no_lease
wait_for 60 job_is "$waits" COMPLETED
wait_for 60 in_state CD "$array" 3
check_eq "names after unpark.sh" wrap "$(squeue -h -p gpu -t all -o %j | sort -u)"
"$top/contrib/unpark.sh" | grep >/dev/null "0 jobs given back" ||
	fail "unpark.sh finds jobs where there are none"

# ---- And forth, without the state: a job that ran and was requeued by stock
# Slurm, which thereby has it submitted anew, is the one that waited before.

wait_for 60 job_is "$again" RUNNING
sleep 2 # so that it was submitted in another second
scontrol requeue "$again"
requeued() { [[ $(job_field "$again" Restarts) == 1 ]] && job_is "$again" PENDING; }
wait_for 20 requeued
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld
rm "$CLUSTER_DIR"/state/astraea.gpu*
cp "$CLUSTER_DIR/etc/ours" "$CLUSTER_DIR/etc/slurm.conf"
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
last=$(submit --gpus=1 --wrap true)
written() { [[ $(history JobID "$last") == "$last" ]]; }
wait_for 30 written # and thus what was known before it
check_eq "the row of a job that went back and forth" "$before" "$(in_history)"

# ---- An elastic job's size is told by us alone.

scancel "$again"
wait_for 60 job_is "$last" COMPLETED
elastic=$(submit --gpu-range=1-4 --wrap '
	echo "run $SLURM_RESTART_COUNT: GPUs ${ASTRAEA_GPUS-none}" \
		"workers ${ASTRAEA_WORLD_SIZE-none} before ${ASTRAEA_GPUS_BEFORE-none}" \
		"lease ${ASTRAEA_LEASE_END:+told} socket ${ASTRAEA_SOCKET:+told}"
	exec sleep 300')
# run N: what that run was told.
run() { job_log "$elastic" 2>/dev/null | sed -n "s/^run $1: //p"; }
ran() { [[ $(run "$1") ]]; }
pends() { [[ $(job_field "$elastic" Restarts) == "$1" ]] && job_is "$elastic" PENDING; }
# run_again N: and wait for that run; Slurm would have it wait two minutes.
run_again() {
	scontrol requeue "$elastic"
	wait_for 20 pends "$1"
	sleep 2 # slurmd starts no job in the second in which its last run ended
	scontrol update jobid="$elastic" starttime=now
	wait_for 40 ran "$1"
}
wait_for 30 ran ''
check_eq "the first run" "GPUs 4 workers 4 before 0 lease told socket told" \
	"$(run '')"
change stock TERM
wait_for 30 job_is "$elastic" RUNNING
run_again 1
check_eq "a run of stock Slurm" \
	"GPUs none workers none before 4 lease  socket " "$(run 1)"
change ours TERM
wait_for 40 leased "$elastic"
run_again 2
check_eq "a run of ours" "GPUs 4 workers 4 before 4 lease told socket told" \
	"$(run 2)"

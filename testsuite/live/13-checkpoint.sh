#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A checkpointing program that is taken back five times loses no step and
# counts none twice; its runs follow one another in order, its output is one
# piece, and it keeps its place by its first submission.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=6 CheckpointGrace=5
EOT
start_cluster --nodes 1 --gpus 2 --accounting --astraea "$conf"
rm -f "$conf"

# A run of a lease and one step more is about 7 s long, or 14 steps, and some more
# where a round is late.
steps=120
cd "$top/contrib/examples"
export STATE_DIR=$CLUSTER_DIR/out SECONDS_A_STEP=0.5
id=$(STEPS=$steps submit --chdir=. --gres=gpu:2 train.sbatch)
submitted=$(date -d "$(job_field "$id" SubmitTime)" +%s)
wait_for 20 job_is "$id" RUNNING
rival=$(STEPS=9999 submit --chdir=. --gres=gpu:2 train.sbatch)

restarts() { (($(job_field "$id" Restarts) >= $1)); }
wait_for 30 restarts 1
sfair_field() {
	sfair job -j "$id" --json | python3 -c '
import json, sys
print(*(job[sys.argv[1]] for job in json.load(sys.stdin)["jobs"]))' "$1"
}
# Slurm itself has forgotten it by now.
check "Slurm's submit time is not the requeue's" \
	test "$(date -d "$(job_field "$id" SubmitTime)" +%s)" -gt "$submitted"
check_eq "submit time in sfair after a requeue" "$submitted.0" \
	"$(printf %.1f "$(sfair_field submit_sec)")"

wait_for 120 restarts 5
counted() { [[ $(sfair_field revoked) == 5 ]]; }
wait_for 20 counted
check_eq "submit time in sfair after five requeues" "$submitted.0" \
	"$(printf %.1f "$(sfair_field submit_sec)")"
scancel "$rival"
wait_for 60 job_is "$id" COMPLETED
check_eq "restarts without a rival" 5 "$(job_field "$id" Restarts)"

./steps.py --check --steps $steps --journal "$STATE_DIR/train-$id.journal"
./steps.py --check --journal "$STATE_DIR/train-$rival.journal" --steps \
	"$(wc -l <"$STATE_DIR/train-$rival.journal")"

# The output: run N goes on where run N - 1 stopped.
job_log "$id" | python3 -c '
import re, sys
restarts, steps = int(sys.argv[1]), int(sys.argv[2])
runs, done, seen = -1, 0, 0
for line in sys.stdin:
    run = re.search(r" run (\d+) on .* step (\d+)$", line)
    step = re.search(r" step (\d+)/", line)
    if run:
        assert int(run[1]) == runs + 1, "a run is out of order: " + line
        assert int(run[2]) == done, "it does not go on at %d: %s" % (done, line)
        runs += 1
    if step:
        seen += 1
        done = int(step[1])
        assert done == seen, "a step is missing or twice: " + line
assert runs == restarts, "%d restarts are in the output" % runs
assert seen == steps, "%d steps are in the output" % seen
' 5 $steps || fail "the output of job $id is not one piece"

# Accounting: five runs were requeued, the sixth completed.
runs() {
	sacct -n -P -X -D -j "$id" -o State,ExitCode | uniq -c | xargs
}
recorded() { [[ $(runs) == "5 REQUEUED|0:0 1 COMPLETED|0:0" ]]; }
wait_for 20 recorded

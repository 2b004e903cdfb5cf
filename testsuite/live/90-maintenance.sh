#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A maintenance (scontrol create reservation flags=maint) and leases: a job of any
# time limit runs on leases that are over before it, is told to checkpoint in time,
# waits through it with the reason, and goes on after it; so does one that ran when
# the maintenance was planned. One without leases goes by its time limit, as ever.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/maintenance.sh
. "$(dirname "$0")/../lib/maintenance.sh"
maintenance_cluster

# signalled JOB: when slurmctld sent it its last signal.
signalled() {
	seconds "$(sed -n "s/^\[\([^]]*\)\].*lease over: signal .* JobId=$1\$/\1/p" \
		"$CLUSTER_DIR/log/slurmctld.log" | tail -n 1)"
}
# It has its signal in time before $begin, and waits before that: a requeue is a
# submission.
leaves_in_time() {
	job_log "$1" | grep '^USR1' >/dev/null || fail "job $1 has no signal"
	check "job $1 has its signal in time" \
		test "$(signalled "$1")" -ge $((begin - lead - 1)) -a \
		"$(signalled "$1")" -le $((begin - lead + 4))
	check "job $1 waits before it begins" \
		test "$(seconds "$(job_field "$1" SubmitTime)")" -lt "$begin"
}

# ---- Planned before jobs come.

begin=$(($(date +%s) + 90))
maintain soon $begin
job=$(checkpoints --gres=gpu:1 -t 8:00:00)
endless=$(checkpoints --gres=gpu:1 -t UNLIMITED)
runs "$job"
runs "$endless"
ok a-job-that-reaches-into-it-starts-on-a-shorter-lease
check_eq "its time limit" 08:00:00 "$(job_field "$job" TimeLimit)"
check_eq "one without" UNLIMITED "$(job_field "$endless" TimeLimit)"
check "EndTime is before the maintenance" \
	test "$(seconds "$(job_field "$job" EndTime)")" -le $begin
ok scontrol-tells-its-limit-and-an-end-before
wait_for 20 ends_before "$job"
wait_for 20 ends_before "$endless"
told=$(scontrol -o show job "$job" >/dev/null && sfair job --json -j "$job" |
	python3 -c 'import json, sys
print(int(json.load(sys.stdin)["jobs"][0]["lease_end_sec"]))')
check_eq "the lease's end in JSON" $((begin - lead)) "$told"
ok lease-ends-before-the-maintenance-with-grace-and-kill

array=$(checkpoints --gres=gpu:1 -t 8:00:00 --array=1-3)
limits() {
	squeue -h -r -j "$array" -t R -o %i | wc -l | grep -x 2 >/dev/null &&
		[[ $(squeue -h -r -j "$array" -o %l | sort -u) == 8:00:00 ]]
}
wait_for 30 limits
scancel "$array"
ok the-rest-of-an-array-keeps-its-limit

array=$(checkpoints --gres=gpu:1 -t 8:00:00 --array=1-3 -H)
scontrol update JobId="${array}_1" TimeLimit=4:00:00
scontrol release "${array}_1"
one() { [[ $(squeue -h -r -j "$array" -t R -o '%K %l') == '1 4:00:00' ]]; }
wait_for 30 one
check_eq "limits of the others" 8:00:00 \
	"$(squeue -h -r -j "$array" -t PD -o %l | sort -u)"
scancel "$array"
ok a-task-with-its-own-limit-leaves-the-others-theirs

pinned=$(submit --no-requeue --gres=gpu:1 -t 30 --wrap 'sleep 600')
short=$(submit --no-requeue --gres=gpu:1 -t 1 --wrap true)
done_short() { [[ $(job_state "$short") == COMPLET* ]]; }
wait_for 30 done_short
wait_for 20 waits "$pinned" soon
[[ $(why "$pinned") == *"The maintenance soon begins in"*"its time limit reaches into it"* ]] ||
	fail "sfair why: $(why "$pinned")"
scancel "$pinned"
ok without-leases-the-time-limit-counts

# ---- Told in time, through it, and after it.

wait_for 90 waits "$job" soon
wait_for 20 waits "$endless" soon
for id in "$job" "$endless"; do
	leaves_in_time "$id"
	check_eq "restarts of job $id" 1 "$(job_field "$id" Restarts)"
done
ok checkpoint-in-time-before-it
until_begun() { (($(date +%s) > begin + 2)); }
wait_for 60 until_begun
check_eq "GPUs in use in the maintenance" 0 "$(gpus_of root)"
waits "$job" soon || fail "reason in it: $(job_reason "$job")"
[[ $(why "$job") == *"The maintenance soon has its nodes; it is over in"*"(scontrol show reservation soon)"* ]] ||
	fail "sfair why: $(why "$job")"
sfair why --json "$job" | python3 -c 'import json, sys
b = json.load(sys.stdin)["why"]["binds"][0]
assert b["kind"] == "maintenance" and b["of"] == "soon", b
assert b["time_sec"] > 0, b' || fail "JSON of sfair why"
when=$(sfair when "$job" 2>&1) || true
[[ $when == *"does not start before $(date -d @$((begin + 3600)) +%F)"* ]] || fail "sfair when: $when"
ok no-lease-goes-through-it
scontrol delete ReservationName=soon
for id in "$job" "$endless"; do
	runs "$id"
	check_eq "its limit" "$(job_field "$id" TimeLimit)" \
		"$([[ $id == "$job" ]] && echo 08:00:00 || echo UNLIMITED)"
done
ok they-go-on-after-it

# ---- Planned while leases run across its begin.

begin=$(($(date +%s) + 25))
maintain over $begin ignore_jobs
wait_for 20 ends_before "$job"
wait_for 60 waits "$job" over
wait_for 20 waits "$endless" over
leaves_in_time "$job"
leaves_in_time "$endless"
ok leases-that-run-are-cut
scontrol delete ReservationName=over
runs "$job"
runs "$endless"
check_eq "errors of ours in the log" '' "$(errors_of_ours)"
